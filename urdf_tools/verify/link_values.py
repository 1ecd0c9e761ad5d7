"""The part of the proof about what simulators read for a link as a whole: friction, stiffness, gravity, color.

Every collision, visual and mass of the result has the values that it had in the input, or a warning names it.
"""
from typing import Dict, Optional, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.model import NO_MASS
from ..urdf.spatial import Matrix, NO_MOTION
from ..plan.surfaces import BODY, COLOR, CONTACT, DEFAULTS
from .pairing import Pairing, said, SURFACE_LEFT, value_key
from .raw_robot import mass_in, number_of, RawRobot, vector_of
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
            meant = _meaning(now.get(key), key, comparison.after.T_world[target].rotation)
            excused = any(pairing.is_excused(own[name][key], SURFACE_LEFT) for name in names if key in own[name])
            for name in names if not excused else ():
                holds = _meaning(own[name].get(key), key, comparison.before.T_world[name].rotation) == meant or (
                    not _brings(comparison.before.links[name], DEFAULTS.get(key, (CONTACT, ""))[0], stripped))
                comparison.worst.require(holds, f"{key} of the content of link '{name}' differs in '{target}'")


def _values_of(robot: RawRobot) -> Values:
    """Return the first value of each key that a `<gazebo>`, or a `<contact>` in the link, says of a link."""
    found: Values = {}
    blocks = [(top.get("reference") or "", top) for top in robot.document.root.elements("gazebo")]
    blocks += [(name, top) for name, others in robot.others.items() for top in others if top.name == "contact"]
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


def _meaning(tag: Optional[Element], key: str, R_world_link: Matrix) -> Tuple[object, ...]:
    """Return what holds for a key: a number, a direction in the world, or words; directions elsewhere are proven so."""
    if tag is not None and key == "fdir1" and any(name.endswith("expressed_in") for name in tag.attributes):
        return ("given in a frame",)
    if tag is not None and tag.elements() and key != "fdir1":
        return tuple((part.name, _value(part)) for part in tag.walk() if part.name != "fdir1")
    text = _value(tag) if tag is not None else DEFAULTS.get(key, (CONTACT, ""))[1]
    try:
        if key == "fdir1":
            return tuple(round(x, 7) + 0.0 for x in turned(R_world_link, vector_of(text)))
        return (number_of({"true": "1", "false": "0"}.get(text.lower(), text)),)
    except ValueError:
        return (text,)


def _value(tag: Element) -> str:
    return said(tag, value_key(tag)).strip()
