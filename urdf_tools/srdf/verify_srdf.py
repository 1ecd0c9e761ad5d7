"""The proof that an SRDF and its result put the robot of their URDF into the same states, and that all names exist.

Also the SRDF as a companion file of a run: read before the plan, updated after it, and verified.
"""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from functools import partial
from typing import AbstractSet, Dict, Iterator, List, Set, Tuple

from ..base.type_aliases import Pair, Texts
from ..base.diagnostics import Notes
from ..base.errors import ProofFailed
from ..base.number_text import count_of, grouped, numbers_in
from ..base.record_type import Record
from ..plan.plan_decisions import Plan
from ..run.check_destinations import Destination
from ..run.run_records import CompanionFile, CompanionResult
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.spatial_math import move, rotation_angle, Vector
from ..meshes.verify_witnesses import distance
from ..urdf.xml_edits import copy_document
from ..verify.shared_proof_state import ComparedRobots, WorstErrors, figure_text, TOLERANCE
from ..verify.verify_equivalence import compare_at
from ..verify.proof_robot import raw_positions, ProofRobot
from .srdf_editor import drop_elements, elements_to_remove, LISTS, RemovedNames, names_of_tag
from .follow_urdf import find_srdf_needs, follow_srdf
from .srdf_diagnostics import TIP_MOVED


class SrdfProof(Record):
    """The largest errors of the states, and the numbers of compared elements.

    Attributes:
        position, angle: the largest errors of any link [m, rad], beyond the errors that moved axes explain.
        states: the number of group states that were compared through both files.
        spheres: the number of collision spheres.
        names: the number of names of links and joints that were looked up.
        frames, moved: the numbers of unchanged and of moved frames of pose goals; a moved frame has a warning.
    """

    position: float
    angle: float
    states: int
    spheres: int
    names: int
    frames: int
    moved: int


def verify_srdf(
    old: Document, new: Document, comparison: ComparedRobots, warnings: Notes
) -> SrdfProof:
    """Verify states, frames of goals and spheres of both files, and look up every name of the result.

    Each file is applied to the robot of its URDF: `comparison` has both robots, with all joints at zero. A joint that a
    state does not mention is at zero. Every name must be a name of the input, or of the target of a merged link.

    Raises:
        ProofFailed: names the state or the element.
    """
    worst = comparison.worst = WorstErrors(new.path)
    # Elements that an edit removed on purpose are removed from the input; all others must be found in the result.
    old = _without_removed(old, comparison)

    old_states = old.root.elements("group_state")
    new_states = new.root.elements("group_state")
    worst.require(
        [_title(state) for state in old_states] == [_title(state) for state in new_states],
        "the group states are not those of the input",
    )
    for old_state, new_state in zip(old_states, new_states):
        _same_state(comparison, old_state, new_state)

    spheres = _same_spheres(comparison, old, new)
    frames, moved = _same_frames(comparison, old, new, warnings)

    comments = [Counter(_comments_in(document.root)) for document in (old, new)]
    worst.require(comments[0] == comments[1], "the comments are not those of the input")
    # In both directions, so that no name is invented and no name is lost.
    expected = _expected_names(comparison, old)
    actual = _names_of(new, {}, {}, set())
    for what, keys in (("is not in the input", actual - expected), ("is lost", expected - actual)):
        for key in sorted(keys):
            worst.require(
                False,
                f"<{key[0]}> that names {', '.join(repr(name) for name in key[1:] if name)} {what}",
            )

    # The first two are the tag and the group.
    names = sum(len(key) - 2 for key in actual)
    return SrdfProof(
        position=worst.figure("position"),
        angle=worst.figure("angle"),
        states=len(new_states),
        spheres=spheres,
        names=names,
        frames=frames,
        moved=moved,
    )


def _without_removed(old: Document, comparison: ComparedRobots) -> Document:
    """Return the SRDF of the input without the elements that edits remove with dropped or locked names.

    All other names must be in the result.
    """
    before = comparison.before
    after = comparison.after
    root = comparison.before.document.root
    links = {top.get("name") or "" for top in root.elements("link")}
    joints = {top.get("name") or "" for top in root.elements("joint")}
    # A locked joint is merged away, or stays as a fixed joint.
    locked_joints = {before.joints[child].name for child in before.locked}
    removed_joints = (joints - before.named.keys()) | (locked_joints - after.named.keys())
    removed = RemovedNames(
        links=links - before.links.keys(),
        joints=removed_joints,
        fixed=locked_joints - removed_joints,
    )
    elements = elements_to_remove(old, removed)
    if not elements:
        return old
    document = copy_document(old)
    for element in map(document.copy_of, elements):
        drop_elements(element.parent or document.root, [element])
    return document


def _title(state: Element) -> Pair:
    """Return the group and the name of a state."""
    return (state.get("group") or "", state.get("name") or "")


def _same_state(comparison: ComparedRobots, old: Element, new: Element) -> None:
    """Verify that a state puts every link into the same pose in both files, and that no value is lost."""
    before = comparison.before
    after = comparison.after
    where = f"state '{old.get('name')}' of group '{old.get('group')}': "
    zeros = {joint.child: comparison.maps[name].zero for name, joint in after.named.items()}
    # The positions of the result are measured from new zeros, so the positions of the input are, too.
    old_positions = _positions_in(old, before, zeros)
    new_positions = _positions_in(new, after, {})
    for child in old_positions:
        # A removed joint no longer has a value.
        if child in after.joints:
            comparison.require(
                child in new_positions,
                f"{where}the value of joint '{after.joints[child].name}' is lost",
            )
    q_before = raw_positions(before, {**dict.fromkeys(before.joints, 0.0), **old_positions})
    q_after = raw_positions(after, {**dict.fromkeys(after.joints, 0.0), **new_positions})
    compare_at(comparison, q_before, q_after, random.Random(0), where)


def _positions_in(state: Element, robot: ProofRobot, zeros: Dict[str, float]) -> Dict[str, float]:
    """Return the positions that a state gives to joints, counted from zeros, by child link [rad or m].

    Only joints with a single coordinate count. Of several values of a joint, the last counts. A name of several joints is
    the first of them that moves.
    """
    positions = {}
    for element in state.elements("joint"):
        joint = robot.named.get(element.get("name") or "")
        values = numbers_in(element.get("value") or "", 1)
        if values and joint is not None and joint.moves:
            positions[joint.child] = values[0] - zeros.get(joint.child, 0.0)
    return positions


def _same_frames(
    comparison: ComparedRobots, old: Document, new: Document, warnings: Notes
) -> Tuple[int, int]:
    """Verify that frames of goals are unchanged, up to --snap, or have a warning; return the two numbers of frames."""
    warned = {name for notice in warnings if notice.kind is TIP_MOVED for name in notice.names}
    before = _frames_in(old)
    after = _frames_in(new)
    comparison.require(len(before) == len(after), "a frame of goals is lost")
    counts = [0, 0]
    for (top, tag, link), (_, _, new_link) in zip(before, after):
        # Unknown names have a warning of their own.
        if link in comparison.before.T_world and new_link in comparison.after.T_world:
            # False and True are the indices 0 and 1: in place, and moved.
            counts[link in warned] += 1
            if link not in warned:
                where = f"<{tag}> of line {top.line}: the frame '{new_link}', which was '{link}'"
                T = comparison.before.T_world[link]
                T_now = comparison.after.T_world[new_link]
                shift = distance(T.translation, T_now.translation)
                angle = rotation_angle(T.rotation, T_now.rotation)
                comparison.worst.note("position", shift, TOLERANCE * comparison.size, where, " m")
                comparison.worst.note(
                    "turn of frames",
                    angle,
                    2.0 * max(TOLERANCE, comparison.plan.options.snap),
                    where,
                    " rad",
                )
    return counts[0], counts[1]


def _frames_in(document: Document) -> List[Tuple[Element, str, str]]:
    """Return each frame of goals: the element at the top, the tag of the element that names it, and the link.

    Frames of virtual joints are skipped: the base may turn, with a different warning.
    """
    frames: List[Tuple[Element, str, str]] = []
    for top in document.root.elements():
        for element in (top, *top.elements()):
            if element.name != "virtual_joint":
                keys = [key for key, _ in names_of_tag(element).frames]
                frames += [(top, element.name, element.get(key) or "") for key in keys]
    return frames


def _same_spheres(comparison: ComparedRobots, old: Document, new: Document) -> int:
    """Verify that both files have the same spheres in the world, with joints at zero; return their number."""
    before = comparison.before
    after = comparison.after
    worst = comparison.worst
    expected = grouped(
        (
            (comparison.plan.members[link].target, radius),
            move(before.T_world[link], center),
        )
        for link, radius, center in _spheres_in(old)
        if link in before.T_world
    )
    count = 0
    for link, radius, center in _spheres_in(new):
        if link in after.T_world:
            where = f"a sphere of link '{link}'"
            centers = expected.get((link, radius), [])
            worst.require(bool(centers), f"{where} is not in the input")
            center_now = move(after.T_world[link], center)
            # Spheres of the same radius have no names: each is compared with the nearest remaining sphere.
            shift, match = min((math.dist(center_now, other), other) for other in centers)
            # Rounding grows with the size of the robot, and with the distance of the center in its link.
            allowed = TOLERANCE * (comparison.size + math.hypot(*center))
            worst.note("position", shift, allowed, where, " m")
            centers.remove(match)
            count += 1
    worst.require(not any(expected.values()), "a collision sphere is lost")
    return count


def _spheres_in(document: Document) -> Iterator[Tuple[str, str, Vector]]:
    """Yield the link, the radius as text and the center of every readable sphere."""
    for approximation in document.root.elements("link_sphere_approximation"):
        for sphere in approximation.elements("sphere"):
            center = numbers_in(sphere.get("center") or "", 3)
            if center:
                yield (
                    approximation.get("link") or "",
                    sphere.get("radius") or "",
                    (center[0], center[1], center[2]),
                )


def _comments_in(top: Element) -> Iterator[str]:
    """Yield all comments, except in elements about a single pair, link or joint, which may be removed as a whole."""
    for node in top.children:
        if isinstance(node, Element):
            if not names_of_tag(node).single:
                yield from _comments_in(node)
        elif node.startswith("<!--"):
            yield node


def _expected_names(comparison: ComparedRobots, document: Document) -> Set[Texts]:
    """Return the names that the result must have: the names of the input, after merging and removal."""
    plan = comparison.plan
    remaining = {"", *comparison.after.named}
    remaining.update(
        element.get("name") or "" for element in document.root.elements("virtual_joint")
    )
    merge_targets = {name: member.target for name, member in plan.members.items()}
    targets = {name: target for name, target in merge_targets.items() if plan.is_removed(name)}
    return _names_of(document, targets, merge_targets, comparison.before.named.keys() - remaining)


def _names_of(
    document: Document,
    targets: Dict[str, str],
    merge_targets: Dict[str, str],
    removed_joints: AbstractSet[str],
) -> Set[Texts]:
    """Return the names in each known element, without duplicates: its tag, the name of its group, the names in it.

    A link gets its name in `targets`, or in `merge_targets` if it stands for shapes. A pair within a link, and elements
    that name a joint in `removed_joints`, are skipped. An unknown name stays.
    """
    named: Set[Texts] = set()
    for top in document.root.elements():
        elements = top.elements() if top.name in LISTS else [top]
        for element in elements:
            names = names_of_tag(element)
            joints = [element.get(key) or "" for key in names.joints]
            links = [element.get(key) or "" for key in names.links]
            links = [targets.get(link, link) for link in links]
            if names.of_shapes:
                # Sorted, because the order of a pair has no meaning.
                links = sorted(merge_targets.get(link, link) for link in links)
                if len(links) == 2 and links[0] == links[1]:
                    continue
            if (links or joints) and not removed_joints & set(joints):
                group = "" if top is element else top.get("name") or ""
                named.add((element.name, group, *links, *joints))
    return named


def srdf_proof_line(proof: SrdfProof) -> str:
    """Return the proof as a line of text."""
    return (
        f"{count_of(proof.states, 'group state')} through both files: position {figure_text(proof.position)} m, "
        f"angle {figure_text(proof.angle)} rad; {count_of(proof.spheres, 'sphere')}, "
        f"{count_of(proof.names, 'name')} looked up; "
        f"{count_of(proof.frames, 'frame')} of goals in place, {proof.moved} moved with a warning"
    )


def default_srdf_output(output: str) -> str:
    """Return the name of the output with the ending `.srdf`, or "" without an output."""
    return f"{os.path.splitext(output)[0]}.srdf" if output else ""


def srdf_companion(
    source: bytes,
    path: str,
    output: str = "",
    *,
    spelled: str = "srdf_output",
    is_named: bool = False,
) -> CompanionFile:
    """Return an SRDF as a companion file of a run.

    Args:
        source, path: the bytes and the name of the SRDF.
        output: the name of its result, "" if it is not written.
        spelled: the caller's spelling of the option that names the result.
        is_named: the option was given.

    Raises:
        MalformedXml: the SRDF is not well-formed.
    """
    document = parse_document(source, path)
    return CompanionFile(
        Destination(spelled, output, path),
        is_named,
        partial(find_srdf_needs, document),
        partial(_follow, document, source, output),
    )


def _follow(
    before: Document, source: bytes, output: str, plan: Plan, comparison: ComparedRobots
) -> CompanionResult:
    """Return the SRDF that followed the plan, verified."""
    document = copy_document(before)
    updates = follow_srdf(document, plan)
    data = document.to_bytes()
    # The proof reads the input, so only the copy may change.
    if before.to_bytes() != source:
        raise ProofFailed("a pass edited the input", before.path)
    after = parse_document(data, before.path)
    proof = verify_srdf(before, after, comparison, updates.warnings)
    return CompanionResult(
        name="SRDF",
        output=output,
        updates=updates,
        before=before,
        after=after,
        source=source,
        data=data,
        proof=proof,
        proof_line=srdf_proof_line(proof),
    )
