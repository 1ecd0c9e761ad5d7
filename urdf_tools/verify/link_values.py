"""The part of the proof about what simulators read for a link as a whole: friction, stiffness, gravity, color.

Every collision, visual and mass of the result has the values that it had in the input, or a warning names it.
"""
from typing import Dict, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.spatial import NO_MOTION, Pose
from ..plan.merging import NO_MASS
from ..plan.surfaces import BODY, COLOR, CONTACT, DEFAULTS
from .pairing import Pairing, said, SURFACE_LEFT, value_key
from .raw_robot import mass_in, number_of, others_in, RawRobot, vector_of
from .rigid_motion import turned

Values = Dict[str, Dict[str, Element]]  # by link and key


def prove_link_values(pairing: Pairing) -> None:
    """Compare the values of each link with those of the link that carries its content in the result."""
    comparison = pairing.comparison
    before, after = _values_of(comparison.before), _values_of(comparison.after)
    stripped = {strip.shape.source.offset for strip in comparison.plan.strips}
    for target, names in comparison.sources.items():
        now, own = after.get(target, {}), {name: before.get(name, {}) for name in names}
        for key in {*now, *(key for values in own.values() for key in values)}:
            meant = _meaning(now, key, comparison.T_after, target)
            excused = any(pairing.is_excused(own[name][key], SURFACE_LEFT) for name in names if key in own[name])
            for name in names if not excused else ():
                holds = _meaning(own[name], key, comparison.T_before, name) == meant or not _brings(
                    comparison.before.links[name], DEFAULTS.get(key, (CONTACT, ""))[0], stripped)
                comparison.worst.require(holds, f"{key} of the content of link '{name}' differs in '{target}'")


def _values_of(robot: RawRobot) -> Values:
    """Return the first value of each key that a `<gazebo>`, or a `<contact>` in the link, says of a link."""
    found: Values = {}
    blocks = [(top.get("reference") or "", top) for top in robot.document.root.elements("gazebo")]
    blocks += [(name, top) for name, link in robot.links.items() for top in others_in(link) if top.name == "contact"]
    for name, top in blocks:
        for tag in top.elements() if name in robot.links else ():
            if is_link_value(tag):
                found.setdefault(name, {}).setdefault(_key(tag), tag)
    return found


def is_link_value(tag: Element) -> bool:
    """Return True if a tag is proven here."""
    return _key(tag) in DEFAULTS or tag.parent is not None and tag.parent.name == "contact"


def _key(tag: Element) -> str:
    if tag.parent is not None and tag.parent.name == "contact":
        return tag.name
    return "mu1" if tag.name == "mu" else tag.name.replace("_", "").lower()


def _brings(link: Element, kind: str, stripped: "set[int]") -> bool:
    if kind == BODY:
        mass = mass_in(link, NO_MOTION)
        return mass is not None and mass[0] >= NO_MASS
    name = {CONTACT: "collision", COLOR: "visual"}[kind]
    return any(shape.offset not in stripped for shape in link.elements(name))


def _meaning(values: Dict[str, Element], key: str, T_world: Dict[str, Pose], link: str) -> Tuple[object, ...]:
    """Return what holds for a key: a number, a direction in the world, or words; directions elsewhere are proven so."""
    if key not in values:
        return _number_or_word("0 0 0" if key == "fdir1" else DEFAULTS.get(key, (CONTACT, ""))[1])
    element = values[key]
    if key == "fdir1":
        if any(name.endswith("expressed_in") for name in element.attributes):
            return ("given in a frame",)
        try:
            return tuple(round(x, 7) + 0.0 for x in turned(T_world[link].rotation, vector_of(_value(element))))
        except ValueError:
            return (_value(element),)
    if not element.elements():
        return _number_or_word(_value(element))
    return tuple((e.name, _value(e)) for e in element.walk() if e.name != "fdir1")


def _value(tag: Element) -> str:
    return said(tag, value_key(tag)).strip()


def _number_or_word(text: str) -> Tuple[object, ...]:
    if text == "0 0 0":
        return (0.0, 0.0, 0.0)
    try:
        return (number_of({"true": "1", "false": "0"}.get(text.lower(), text)),)
    except ValueError:
        return (text,)
