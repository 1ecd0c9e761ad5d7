"""Verify what simulators read for a link as a whole: friction, stiffness, gravity, color.

Every collision, visual and mass of the result has the values that it had in the input, or a warning names it.
"""
from typing import Dict, List, Sequence, Set

from ..base.kinds import BODY_MERGED
from ..plan.merging import COPY
from ..urdf.lossless_xml import Element
from ..urdf.model import NO_MASS
from ..facts.simulator_values import (BODY, body_meaning, COLOR, CONTACT, default_of, lumped_links, meaning,
                                     OF_WHOLE_BODY, Meaning, values_in_use, values_of_bodies, values_of_links)
from ..urdf.spatial import IDENTITY_POSE
from .pairing import Pairing, SURFACE_LEFT
from .raw_robot import mass_in


def verify_link_values(pairing: Pairing) -> None:
    """Compare the values of each link with those of the link that has its content in the result."""
    comparison = pairing.comparison
    before, after = (values_of_links(robot.document.root) for robot in (comparison.before, comparison.after))
    stripped = {strip.shape.source.offset for strip in comparison.plan.strips}
    excuses = {(notice.offset, name) for notice in comparison.plan.warnings if notice.kind in SURFACE_LEFT
               for name in notice.names}
    for target, names in comparison.sources.items():
        now, old = after.get(target, {}), {name: before.get(name, {}) for name in names}
        for key in {*now, *(key for values in old.values() for key in values)} - OF_WHOLE_BODY.keys():
            meant, settings = _meaning(key, now.get(key, ())), [tag for name in names for tag in old[name].get(key, ())]
            for name in names:
                holds = _meaning(key, old[name].get(key, ())) == meant or (
                    not _has_content(comparison.before.links[name], default_of(key)[0], stripped))
                excused = name != target and any((tag.offset, name) in excuses for tag in settings)
                comparison.require(holds or excused, f"{key} of the content of link '{name}' differs in '{target}'")
    _verify_bodies(pairing, stripped)


def _verify_bodies(pairing: Pairing, stripped: "Set[int]") -> None:
    """Compare what sdformat reads for each body of links on fixed joints."""
    comparison = pairing.comparison
    plan, roots = comparison.plan, (comparison.before.document.root, comparison.after.document.root)
    lumped = lumped_links(roots[0], comparison.before.locked, comparison.before.dropped)
    body_of = lumped_links(roots[1])
    before, after = map(values_of_bodies, roots, (lumped, body_of))
    excuses = {(notice.names[0], notice.names[2]) for notice in plan.warnings if notice.kind is BODY_MERGED}
    copies = {name for name, member in plan.members.items()
              if member.kind == COPY and plan.options.count_once}
    inside: Dict[str, Dict[str, List[str]]] = {}  # by body of the result, and by that of the input, the links in both
    for target, names in comparison.sources.items():
        for name in names:
            inside.setdefault(body_of[target].body, {}).setdefault(lumped[name].body, []).append(name)
    has_content = {(part, kind): any(_has_content(comparison.before.links[name], kind, stripped) for name in names
                                     if kind != BODY or name not in copies)
                   for parts in inside.values() for part, names in parts.items() for kind in (CONTACT, BODY)}
    for body, parts in inside.items():
        comparison.require(not body == comparison.before.root == "world" or len(parts) == 1,
                           "something was merged into 'world', of which nothing is read")
        for what in set(OF_WHOLE_BODY.values()):
            used = values_in_use(what, parts, before, lambda part, kind: has_content[part, kind])
            now = values_in_use(what, [body], after, lambda *of: True)[body]
            known = now in used.values() or now == body_meaning(what, [])
            for part in used:
                excused = known and (part, what) in excuses
                comparison.require(used[part] == now or excused,
                                   f"{what} of the body of link '{part}' differs in '{body}'")


def _meaning(key: str, tags: Sequence[Element]) -> Meaning:
    """Return the value of a key, without directions that name their frame: these are compared in the world."""
    value = meaning(key, tags)
    return value if key != "collision" else tuple(
        [entry for entry in part if entry[0] != "fdir1" or "expressed_in" not in str(entry)] for part in value)


def _has_content(link: Element, kind: str, stripped: "Set[int]") -> bool:
    if kind == BODY:
        mass = mass_in(link, IDENTITY_POSE)
        return mass is not None and mass[0] >= NO_MASS
    name = {CONTACT: "collision", COLOR: "visual"}[kind]
    return any(shape.offset not in stripped for shape in link.elements(name))
