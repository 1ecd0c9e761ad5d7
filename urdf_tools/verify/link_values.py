"""The part of the proof about what simulators read for a link as a whole: friction, stiffness, gravity, color.

Every collision, visual and mass of the result has the values that it had in the input, or a warning names it.
"""
from typing import Dict, Sequence, Set

from ..urdf.lossless_xml import Element
from ..urdf.model import NO_MASS
from ..facts.simulator_values import (BODY, body_meaning, COLOR, CONTACT, default_of, lumped_links, meaning,
                                     OF_WHOLE_BODY, Meaning, values_of_bodies, values_of_links)
from ..urdf.spatial import IDENTITY_POSE
from .pairing import Pairing, SURFACE_LEFT
from .raw_robot import mass_in


def verify_link_values(pairing: Pairing) -> None:
    """Compare the values of each link with those of the link that carries its content in the result."""
    comparison = pairing.comparison
    before, after = (values_of_links(robot.document.root) for robot in (comparison.before, comparison.after))
    stripped = {strip.shape.source.offset for strip in comparison.plan.strips}
    excuses = {(notice.offset, name) for notice in comparison.plan.warnings if notice.kind in SURFACE_LEFT
               for name in notice.names}
    for target, names in comparison.sources.items():
        now, own = after.get(target, {}), {name: before.get(name, {}) for name in names}
        for key in {*now, *(key for values in own.values() for key in values)} - OF_WHOLE_BODY.keys():
            meant, settings = _meaning(key, now.get(key, ())), [tag for name in names for tag in own[name].get(key, ())]
            for name in names:
                holds = _meaning(key, own[name].get(key, ())) == meant or (
                    not _has_content(comparison.before.links[name], default_of(key)[0], stripped))
                excused = name != target and any((tag.offset, name) in excuses for tag in settings)
                comparison.require(holds or excused, f"{key} of the content of link '{name}' differs in '{target}'")
    _verify_bodies(pairing, stripped)


def _verify_bodies(pairing: Pairing, stripped: "Set[int]") -> None:
    """Compare what sdformat reads for all that fixed joints hold together."""
    comparison = pairing.comparison
    roots = comparison.before.document.root, comparison.after.document.root
    variant = comparison.plan.variant
    lumped, body_of = lumped_links(roots[0], variant.locked, variant.dropped), lumped_links(roots[1])
    before, after = map(values_of_bodies, roots, (lumped, body_of))
    joined: Dict[str, Set[str]] = {}  # by body of the result, those of the input that are in it
    for target, names in comparison.sources.items():
        joined.setdefault(body_of[target].body, set()).update(lumped[name].body for name in names)
    for target, names in comparison.sources.items():
        body = body_of[target].body
        for what in set(OF_WHOLE_BODY.values()):
            meant = body_meaning(what, after.get((body, what), ()))
            excused = any(pairing.is_excused(tag, SURFACE_LEFT) for one in joined[body]
                          for tag in before.get((one, what), ()))
            for name in names if not excused else ():
                holds = body_meaning(what, before.get((lumped[name].body, what), ())) == meant or (
                    not _has_content(comparison.before.links[name], default_of(what)[0], stripped))
                comparison.require(holds, f"{what} of the body of link '{name}' differs in '{target}'")


def _meaning(key: str, tags: Sequence[Element]) -> Meaning:
    """Return what holds for a key, without directions that name their frame: these are proven in the world."""
    found = meaning(key, tags)
    return found if key != "collision" else tuple(
        [one for one in part if one[0] != "fdir1" or "expressed_in" not in str(one)] for part in found)


def _has_content(link: Element, kind: str, stripped: "Set[int]") -> bool:
    if kind == BODY:
        mass = mass_in(link, IDENTITY_POSE)
        return mass is not None and mass[0] >= NO_MASS
    name = {CONTACT: "collision", COLOR: "visual"}[kind]
    return any(shape.offset not in stripped for shape in link.elements(name))
