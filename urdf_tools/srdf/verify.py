"""Prove that an SRDF and its result put the robot of their URDF into the same states, and name what exists."""
import math
import random
from typing import Dict, Iterator, List, Optional, Set, Tuple

from ..base.number_text import count_of, read_numbers
from ..urdf.lossless_xml import Document, Element
from ..urdf.model import Notice
from ..urdf.spatial import Vector
from ..plan.decisions import Plan
from ..verify.comparison import Comparison, TOLERANCE, Worst
from ..verify.equivalence import compare_at, compare_at_zero
from ..verify.raw_robot import raw_positions, RawRobot
from ..verify.rigid_motion import carried, pose_error
from .records import SrdfProof

LINK_NAMES = {"link": ("name",), "chain": ("base_link", "tip_link"), "end_effector": ("parent_link",),
              "virtual_joint": ("child_link",), "disable_collisions": ("link1", "link2"),
              "enable_collisions": ("link1", "link2"), "disable_default_collisions": ("link",),
              "link_sphere_approximation": ("link",)}
JOINT_NAMES = {"joint": ("name",), "passive_joint": ("name",), "joint_property": ("joint_name",)}
FRAMES_OF_GOALS = {"chain": ("base_link", "tip_link"), "end_effector": ("parent_link",)}
OF_COLLISIONS = ("disable_collisions", "enable_collisions", "disable_default_collisions", "link_sphere_approximation")


def check_srdf(old: Document, new: Document, before: Document, plan: Plan, after: Document, warnings: Tuple[Notice, ...]
               ) -> SrdfProof:
    """Compare states, frames of goals and spheres of both files, and look up every name of the result.

    Each file is put on the robot of its URDF. A joint that a state does not mention is at zero. Every name is that of
    the input, or of the link that it is in now.

    Raises:
        ProofFailed: naming the state or the element.
    """
    worst = Worst(new.path)
    comparison = compare_at_zero(before, plan, after)._replace(worst=worst)
    old_states, new_states = old.root.elements("group_state"), new.root.elements("group_state")
    worst.require([_title(state) for state in old_states] == [_title(state) for state in new_states],
                  "the group states are not those of the input")
    for old_state, new_state in zip(old_states, new_states):
        _same_state(comparison, old_state, new_state)
    spheres = _same_spheres(comparison, old, new, worst)
    frames, moved = _same_frames(comparison, old, new, warnings)
    expected, found = _names_of(old, comparison), _names_of(new, None)
    for what, keys in (("is not in the input", found - expected), ("is lost", expected - found)):
        for key in sorted(keys):
            worst.require(False, f"<{key[0]}> that names {', '.join(repr(name) for name in key[1:] if name)} {what}")
    names = sum(len(key) - 2 for key in found)
    return SrdfProof(worst.of("position"), worst.of("angle"), len(new_states), spheres, names, frames, moved)


def _title(state: Element) -> Tuple[str, str]:
    return (state.get("group") or "", state.get("name") or "")


def _same_state(comparison: Comparison, old: Element, new: Element) -> None:
    values_before, values_after = _positions_in(old), _positions_in(new)
    where = f"state '{old.get('name')}' of group '{old.get('group')}': "
    left = {planned.name for planned in comparison.plan.joints.values()}
    for name in set(comparison.before.named) & set(values_before) & left:
        comparison.worst.require(name in values_after, f"{where}the value of joint '{name}' is lost")
    compare_at(comparison, raw_positions(comparison.before, _free_positions(comparison.before, values_before)),
               raw_positions(comparison.after, _free_positions(comparison.after, values_after)),
               random.Random(0), where)


def _same_frames(comparison: Comparison, old: Document, new: Document, warnings: Tuple[Notice, ...]) -> Tuple[int, int]:
    """Count the frames of goals that are where they were, but for what --snap takes for noise, and those warned of."""
    warned = {name for notice in warnings if notice.kind == "tip-moved" for name in notice.message.split("'")}
    before, after = ([(top, element.name, element.get(key) or "") for top in document.root.elements()
                      for element in (top, *top.elements()) for key in FRAMES_OF_GOALS.get(element.name, ())]
                     for document in (old, new))
    comparison.worst.require(len(before) == len(after), "a frame of goals is lost")
    counts = [0, 0]
    for (top, tag, link), (_, _, now) in zip(before, after):
        if link in comparison.T_before and now in comparison.T_after:
            counts[link in warned] += 1
            if link not in warned:
                where = f"<{tag}> of line {top.line}: the frame '{now}', which was '{link}'"
                apart, angle = pose_error(comparison.T_before[link], comparison.T_after[now])
                comparison.worst.note("position", apart, TOLERANCE * comparison.size, where, " m")
                comparison.worst.note("turn of frames", angle, 2.0 * max(TOLERANCE, comparison.plan.options.snap),
                                      where, " rad")
    return counts[0], counts[1]


def _same_spheres(comparison: Comparison, old: Document, new: Document, worst: Worst) -> int:
    """Find every sphere of the result in the input, in its place at zero; none may be lost."""
    wanted: Dict[Tuple[str, str], List[Vector]] = {}
    for link, radius, center in _spheres_in(old):
        if link in comparison.T_before:
            target = comparison.plan.members[link].target
            wanted.setdefault((target, radius), []).append(carried(comparison.T_before[link], center))
    count = 0
    for link, radius, center in _spheres_in(new):
        if link in comparison.T_after:
            where, there = f"a sphere of link '{link}'", wanted.get((link, radius), [])
            worst.require(bool(there), f"{where} is not in the input")
            place = carried(comparison.T_after[link], center)
            apart, match = min((math.dist(place, other), other) for other in there)
            worst.note("position", apart, TOLERANCE * (comparison.size + math.hypot(*center)), where, " m")
            there.remove(match)
            count += 1
    worst.require(not any(wanted.values()), "a collision sphere is lost")
    return count


def _spheres_in(document: Document) -> Iterator[Tuple[str, str, Vector]]:
    """Yield link, radius as text and center of every sphere that can be read."""
    for approximation in document.root.elements("link_sphere_approximation"):
        for sphere in approximation.elements("sphere"):
            try:
                x, y, z = read_numbers(sphere.get("center") or "", 3).values
            except ValueError:
                continue
            yield approximation.get("link") or "", sphere.get("radius") or "", (x, y, z)


def _positions_in(state: Element) -> Dict[str, float]:
    """Return the positions that are single numbers, by joint name; the last one counts."""
    values = {}
    for joint in state.elements("joint"):
        try:
            values[joint.get("name") or ""] = read_numbers(joint.get("value") or "", 1).values[0]
        except ValueError:
            continue
    return values


def _free_positions(robot: RawRobot, values: Dict[str, float]) -> Dict[str, float]:
    """Return positions by child link; a name that several joints share means the first that can move."""
    positions = dict.fromkeys(robot.joints, 0.0)
    positions.update({robot.named[name].child: value for name, value in values.items()
                      if name in robot.named and robot.named[name].moves})
    return positions


def _names_of(document: Document, comparison: Optional[Comparison]) -> Set[Tuple[str, ...]]:
    """Return the names in each known element, once: its tag, the name of its group, the names in it.

    Given the comparison, as in the result: a merged link is its target, a pair within one link and a joint that is
    removed are left out. An unknown name stays.
    """
    found: Set[Tuple[str, ...]] = set()
    plan = comparison.plan if comparison is not None else None
    gone: Set[str] = set()
    if comparison is not None:
        virtual = {element.get("name") or "" for element in document.root.elements("virtual_joint")}
        gone = set(comparison.before.named) - virtual
        gone -= set(comparison.after.named)
    for top in document.root.elements():
        inner = top.elements() if top.name in ("group", "group_state") else [top]
        for element in inner:
            links = []
            for attribute in LINK_NAMES.get(element.name, ()):
                name = element.get(attribute) or ""
                known = plan is not None and name in plan.members
                if plan is not None and known and (plan.gone(name) or element.name in OF_COLLISIONS):
                    name = plan.members[name].target
                links.append(name)
            joints = [element.get(attribute) or "" for attribute in JOINT_NAMES.get(element.name, ())]
            within_one = len(links) == 2 and links[0] == links[1] and element.name in OF_COLLISIONS
            if not gone & set(joints) and (links or joints) and not within_one:
                pair = sorted(links) if element.name in OF_COLLISIONS else links
                found.add((element.name, top.get("name") or "" if top is not element else "", *pair, *joints))
    return found


def srdf_proof_line(proof: SrdfProof) -> str:
    """Return the proof in one line of text."""
    return (f"{count_of(proof.states, 'group state')} through both files: position {proof.position:.1e} m, angle "
            f"{proof.angle:.1e} rad; {count_of(proof.spheres, 'sphere')}, {count_of(proof.names, 'name')} looked up; "
            f"{count_of(proof.frames, 'frame')} of goals in place, {proof.moved} moved with a warning")
