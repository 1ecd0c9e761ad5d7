"""The notes in the output on the maps of joint positions, and on the decisions of a plan.

`knee = -q` means that the knee is at -q in the result where it was at q in the original file. With a shifted zero the
note is `knee = -(q - 1.57)` or `knee = q - 1.57`; `left_knee = -knee` if the joint was called knee in the original. A
later run composes its own changes with the noted ones, even if the input is replaced. Decisions are lines as in
`urdf_notes.py`.
"""

from __future__ import annotations

from typing import Dict, Iterable, Iterator, List, Mapping, Tuple

from ..base.run_diagnostics import (
    BODY_MERGED,
    FLIPPED_JOINT,
    LOOP_FRAME,
    MOVED_ZERO,
    SENSOR_FRAME,
    SURFACE_MERGED,
    UNREADABLE_POSE,
)
from ..base.number_text import count_of, format_number, grouped, mapped_text
from ..base.type_aliases import Pair, Texts
from ..urdf.urdf_records import JointMap, MOVABLE
from ..urdf.urdf_notes import Decision, in_note, LOST, note_of_words, NotedJointMap, read_joint_map
from .plan_decisions import Plan
from .link_merging import COPY
from .kept_links import is_loop_end
from .axes_turned_by_rounding import rounded_axes, turned_frames, turned_root


def joint_map_of(plan: Plan) -> Dict[str, NotedJointMap]:
    """Return the maps for the note of the result: of moving joints that differ from the original file."""
    noted = read_joint_map(plan.robot.document)
    maps: Dict[str, NotedJointMap] = {}
    for planned in plan.joints.values():
        if planned.joint.type in MOVABLE:
            before = noted.get(in_note(planned.joint.name), NotedJointMap())
            # A name refers to the first joint that has it.
            maps.setdefault(
                in_note(planned.name),
                before._replace(map=composed_maps(before.map, planned.map)),
            )
    return {name: joint_map for name, joint_map in maps.items() if joint_map != NotedJointMap()}


def composed_maps(first: JointMap, then: JointMap) -> JointMap:
    """Return the composition of two maps: s' (s (q - z) - z') is s' s (q - (z + s z'))."""
    zero = (
        float(mapped_text(repr(first.zero), 1, (str(first.sign), repr(then.zero))))
        if then.zero
        else first.zero
    )
    return JointMap(first.sign * then.sign, zero)


def joint_map_note(maps: Dict[str, NotedJointMap], newline: str) -> str:
    """Return the comment with the maps, or "" if there are none."""
    words = [f"{name} = {_formula(noted)}" for name, noted in maps.items()]
    return note_of_words("joint map, q is the position in the original file", words, newline)


def _formula(noted: NotedJointMap) -> str:
    """Return the position in the result as a formula of the position in the original file."""
    joint_map = noted.map
    old = noted.old
    if noted.times != 1.0:
        old = f"{format_number(noted.times)}*{old}"
    minus = "-" if joint_map.sign < 0 else ""
    zero = mapped_text("0", 1, (repr(joint_map.zero),)) if joint_map.zero else ""
    if not zero:
        return f"{minus}{old}"
    return f"-({old} - {zero})" if minus else f"{old} - {zero}"


# The labels of differences that `compare` finds where bodies merged, by the kind of warning.
MERGED = {SURFACE_MERGED: ("surface", "shape", "color"), BODY_MERGED: ("link",)}


def decisions_of(plan: Plan) -> List[Decision]:
    """Return the changes and losses of a plan, for the note in the result.

    `compare` applies the changes to the input too. A loss remains a difference, which `compare` reports as noted by the
    run.
    """
    acts = [
        *_removed_shapes(plan),
        *_removed_copies(plan),
        *_masses_counted_once(plan),
        *rounded_axes(plan),
        *turned_frames(plan),
        # All directions before this line are in the frame of the input's root.
        *turned_root(plan),
    ]
    losses = [
        *_merged_values(plan),
        *_lost_looks(plan),
        *_restated_meshes(plan),
        *_opened_loops(plan),
        *_removed_sensors(plan),
        *_turned_sensors(plan),
        *_left_in_gazebo(plan),
        *_renamed_frames(plan),
        *_left_for_programs(plan),
    ]
    return acts + list(dict.fromkeys(losses))


# The singular and plural nouns of a loss, by its labels; losses of meshes are counted by `MeshResult.but_for`.
LOSSES: Mapping[Texts, Pair] = {
    MERGED[SURFACE_MERGED]: (
        "link with another surface or color",
        "links with another surface or color",
    ),
    MERGED[BODY_MERGED]: ("link with another value", "links with other values"),
    ("loop",): ("loop that is lost or elsewhere", "loops that are lost or elsewhere"),
    ("sensor",): ("sensor that is lost or elsewhere", "sensors that are lost or elsewhere"),
    ("part",): ("part in another frame", "parts in other frames"),
}


def losses_in_words(decisions: Iterable[Decision]) -> Texts:
    """Return phrases that count the losses of each kind, for the verdict: these make `compare` exit with 1."""
    lost = (decision for decision in decisions if decision.kind == LOST)
    names = grouped((decision.words, decision.name) for decision in lost)
    return tuple(
        count_of(len(names[labels]), *nouns) for labels, nouns in LOSSES.items() if labels in names
    )


def _removed_shapes(plan: Plan) -> List[Decision]:
    """Return the removed hardware shapes: each by its file, and its number among shapes of the link, role and file."""
    numbers: Dict[Tuple[str, str, str], List[float]] = {}
    shapes_of_file = grouped(
        ((link, shape.kind, shape.mesh), shape.source) for link, shape in plan.robot.shapes
    )
    for strip in plan.strips:
        shape = strip.shape
        file = (strip.link, shape.kind, shape.mesh)
        numbers.setdefault(file, []).append(shapes_of_file[file].index(shape.source) + 1.0)
    # A visual and a collision of one mesh are usually removed together: they share a decision.
    roles = grouped(((link, mesh, tuple(nth)), role) for (link, role, mesh), nth in numbers.items())
    # Links that lose the same file in the same way share a decision too: a robot full of nuts has few lines.
    by_file = grouped(
        ((mesh, "+".join(both), nth), link) for (link, mesh, nth), both in roles.items()
    )
    return [
        Decision("shape", mesh, (role, *of_links), nth)
        for (mesh, role, nth), of_links in by_file.items()
    ]


def _removed_copies(plan: Plan) -> List[Decision]:
    """Return the shapes removed as duplicates: each by its number among the shapes of its role in the link."""
    # Count without the hardware, which the preceding decisions removed.
    stripped = {strip.shape.source.offset for strip in plan.strips}
    of_role = grouped(
        ((link, shape.kind), shape.source)
        for link, shape in plan.robot.shapes
        if shape.source.offset not in stripped
    )
    numbers: Dict[Tuple[str, str], List[float]] = {}
    for copy in plan.copies:
        role = copy.link, copy.shape.kind
        numbers.setdefault(role, []).append(of_role[role].index(copy.shape.source) + 1.0)
    return [Decision("copy", link, (role,), tuple(nth)) for (link, role), nth in numbers.items()]


def _masses_counted_once(plan: Plan) -> List[Decision]:
    """Return the masses of links that are copies and are counted once by option."""
    if not plan.options.count_once:
        return []
    copies = [name for name, member in plan.members.items() if member.kind == COPY]
    return [Decision("mass", name, (), (plan.robot.links[name].mass,)) for name in copies]


def _merged_values(plan: Plan) -> Iterator[Decision]:
    """Yield the links whose surface, or values for the whole body, a merge changed."""
    for note in plan.warnings:
        if note.kind in MERGED:
            yield Decision(LOST, note.names[0], MERGED[note.kind])


def _lost_looks(plan: Plan) -> Iterator[Decision]:
    """Yield the links whose visuals lost a part of their looks when their meshes were converted."""
    for link, _ in plan.meshes.lost:
        yield Decision(LOST, link, ("color",))


def _restated_meshes(plan: Plan) -> Iterator[Decision]:
    """Yield the links whose meshes the options place otherwise than their files do: surfaces are no longer the same."""
    for link, _ in plan.meshes.restated:
        yield Decision(LOST, link, ("shape", "mesh", "color"))


def _opened_loops(plan: Plan) -> Iterator[Decision]:
    """Yield the loops whose end frames were merged, so that they are open in the result."""
    for name, member in plan.members.items():
        if member.merged and is_loop_end(name):
            yield Decision(LOST, name[: -len("_1")], ("loop",))


def _removed_sensors(plan: Plan) -> Iterator[Decision]:
    """Yield the sensors in `<gazebo>` blocks of joints that were removed."""
    for top in plan.updates.drops:
        if top.name == "gazebo":
            for sensor in top.elements("sensor"):
                yield Decision(LOST, sensor.get("name") or "", ("sensor",))


def _turned_sensors(plan: Plan) -> Iterator[Decision]:
    """Yield the sensors without a pose that turned with the frame of their link."""
    for note in plan.warnings:
        if (note.kind, note.sentence) == (SENSOR_FRAME, "measures"):
            title = note.names[0]
            yield Decision(LOST, title[len("<sensor name='") : -len("'>")], ("sensor",))


def _left_in_gazebo(plan: Plan) -> Iterator[Decision]:
    """Yield the sensors, and the joints that close loops, whose pose or axis is given in a named frame that changes.

    These numbers are left unchanged.
    """
    unread_offsets = {
        note.offset
        for note in plan.warnings
        if (note.kind, note.sentence) == (UNREADABLE_POSE, "named")
    }
    for block in plan.robot.document.root.elements("gazebo") if unread_offsets else ():
        for sensor in block.elements("sensor"):
            if any(pose.offset in unread_offsets for pose in sensor.elements("pose")):
                yield Decision(LOST, sensor.get("name") or "", ("sensor",))
        for joint in block.elements("joint"):
            # A joint to a link that is not part of the robot closes no loop.
            ends = (*joint.elements("parent"), *joint.elements("child"))
            links = {end.text().strip() for end in ends}
            if links <= plan.members.keys() and any(
                part.offset in unread_offsets for part in joint.walk()
            ):
                yield Decision(LOST, joint.get("name") or "", ("loop",))


def _renamed_frames(plan: Plan) -> Iterator[Decision]:
    """Yield the merged links that a constraint names without a pose: it now names a different frame."""
    for note in plan.warnings:
        if (note.kind, note.sentence) == (LOOP_FRAME, "pose") and plan.is_removed(note.names[1]):
            if ":" not in _top_at(plan, note.offset):
                yield Decision(LOST, note.names[1], ("part",))


def _left_for_programs(plan: Plan) -> Iterator[Decision]:
    """Yield the elements for one program, as `<drake:ball_constraint>`, that name a changed frame or sign and stay."""
    for note in plan.warnings:
        if note.kind not in (LOOP_FRAME, FLIPPED_JOINT, MOVED_ZERO):
            continue
        name = _top_at(plan, note.offset)
        if ":" in name:
            yield Decision(LOST, f"<{name}>", ("part",))


def _top_at(plan: Plan, offset: int) -> str:
    """Return the name of the element of `<robot>` that contains a place of the text, "" before the first."""
    tops = plan.robot.document.root.elements()
    # The last one that begins before the place contains it.
    return next((top.name for top in reversed(tops) if top.offset <= offset), "")
