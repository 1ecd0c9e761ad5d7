"""The sections of the plan about what a run changes: links, joints, meshes, other elements."""
import math
import os
from collections import Counter
from typing import Iterable, List, Sequence, Tuple

from ..base.number_text import count_of, short
from ..urdf.model import Joint, NO_MASS
from ..plan.canonical_frames import axis_letter
from ..plan.decisions import JointPlan, Plan
from ..plan.edits import ReferenceUpdate
from ..plan.merging import BASE, COPY, FIXED, KEPT
from ..run.pipeline import Result
from .layout import columns, fold, grouped, mass_text, Section, Style

OFF_AXIS = 1e-3  # [rad] from which a joint is off a standard axis
FRAMES_NAMED = 8  # of those that vanish
ALIKE = 4  # notes or reasons that say the same in as many places become one


def link_sections(plan: Plan, style: Style) -> List[Section]:
    """Return the sections on links: merged ones, with the target first, and kept ones, with the reasons."""
    merged = grouped((member.target, name) for name, member in plan.members.items() if member.merged)
    kept = grouped((member.reason, name) for name, member in plan.members.items() if member.kind in (BASE, KEPT))
    action = "emptied, as frames" if plan.options.leave_frames else "merged"
    return [
        Section(f"Links {action}: {sum(map(len, merged.values()))} into {count_of(len(merged), 'body', 'bodies')}", [
            *map(style.alert, lost_frames(plan, style)), *columns(
                [(target, _mass_change(plan, target), "<- " + ", ".join(_sub_link(plan, name) for name in names))
                 for target, names in merged.items()])]),
        Section(f"Fixed links kept: {sum(map(len, kept.values()))}",
                [line for reason, names in kept.items() for line in fold(f"{', '.join(names)}: {reason}")])]


def lost_frames(plan: Plan, style: Style) -> List[str]:
    """Return which frames vanish from TF, and the options that keep them."""
    names = plan.lost_frames
    more = 0 if style.full else max(0, len(names) - FRAMES_NAMED)
    listed = f"{', '.join(names[:len(names) - more])}{f' and {more} more' if more else ''}"
    verb, what = ("vanishes", "it") if len(names) == 1 else ("vanish", "them")
    return fold(f"{count_of(len(names), 'frame')} {verb} from TF: {listed} (--keep-frames keeps {what}, --leave-frames "
                "leaves an empty link for every merged one)") if names else []


def _mass_change(plan: Plan, link: str) -> str:
    before, after = plan.robot.links[link].mass, plan.bodies[link].mass
    change = f"{mass_text(before)} -> " if abs(after - before) >= NO_MASS else ""
    return f"{change}{mass_text(after)} kg"


def _sub_link(plan: Plan, name: str) -> str:
    kind = plan.members[name].kind
    return name if kind == FIXED else f"{name} ({'exported twice' if kind == COPY else 'on the same axis'})"


def moving(plan: Plan) -> List[JointPlan]:
    """Return the joints that are given a standard axis, in file order."""
    return [planned for planned in plan.joints.values() if planned.frame.axis is not None]


def joint_sections(result: Result, style: Style) -> List[Section]:
    """Return which joints change their sign, are off the standard axes, or turn about another axis than named.

    Every axis is given in the frame of the result, X forward, Y left, Z up, so before and after can be compared.
    """
    joints = moving(result.plan)
    flipped = [planned for planned in joints if planned.map.sign < 0]
    tilted = [planned for planned in joints if planned.frame.tilt > OFF_AXIS]
    fallback = [planned for planned in joints if planned.frame.fallback]
    return [
        Section(f"Joints that change sign: {len(flipped)} of {len(joints)} (q becomes -q, a range a..b is -b..-a)",
                _grouped([(axis_change(p), p.name) for p in flipped])),
        Section(f"Joints off a standard axis: {len(tilted)} (degrees; the angle stays, in their rpy)",
                _grouped([(f"off {axis_letter(p.frame)}", f"{p.name} ({short([math.degrees(p.frame.tilt)], 3)})")
                          for p in tilted])),
        Section(f"Joints that turn about another axis than their name says: {len(fallback)}",
                _grouped([(_contradiction(p), p.name) for p in fallback])),
        Section("Joint origins of the result", columns([
            _origin_row(result.plan.joints[joint.child], joint) for joint in result.after.joints if style.full]))]


def _grouped(pairs: Iterable[Tuple[str, str]]) -> List[str]:
    """List names by the words that are paired with them."""
    return columns([(words, ", ".join(names)) for words, names in sorted(grouped(pairs).items())])


def axis_change(planned: JointPlan) -> str:
    """Return the axis of a joint, preceded by the old one if its sign changes."""
    ends = [f"{'-' * (end < 0)}{axis_letter(planned.frame)}" for end in (
        planned.frame.points * planned.map.sign, planned.frame.points)]
    return " -> ".join(dict.fromkeys(ends))


def _contradiction(planned: JointPlan) -> str:
    asked = planned.frame.asked
    assert asked is not None
    return f"about {axis_letter(planned.frame)}, '{asked.word}' says {'XYZ'[asked.axis]}"


def _origin_row(planned: JointPlan, joint: Joint) -> Tuple[str, str, str]:
    """Return name, change of axis, and axis and origin in the result, of a joint."""
    if joint.type in ("fixed", "floating"):
        return joint.name, joint.type, f"rpy=[{short(joint.rpy)}]"
    change = joint.type if planned.frame.axis is None else axis_change(planned)
    return joint.name, change, f"axis=[{short(joint.axis)}] rpy=[{short(joint.rpy)}]"


def mesh_sections(plan: Plan) -> List[Section]:
    """Return the sections on meshes that are stripped or dropped, and on those that are converted."""
    kinds = Counter(strip.shape.kind for strip in plan.strips)
    counts = ", ".join(count_of(kinds[kind], kind) for kind in ("visual", "collision") if kinds[kind])
    lines = fold(", ".join(f"{word} {times}" for word, times in Counter(
        strip.reason for strip in plan.strips).most_common()))
    for miss in plan.near_misses:
        lines += fold(f"stays: {miss.stem} ({count_of(miss.times, 'time')}): {miss.reason}")
    for name in plan.bare:
        lines += fold(f"link '{name}' has no shape left")
    if plan.copies:
        there = "is" if len(plan.copies) == 1 else "are"
        lines += fold(f"dropped: {count_of(len(plan.copies), 'shape')} that {there} in the same place already")
    made = plan.meshes.formats
    files = f": {' and '.join(f'{count} {name}' for name, count in made.items())} file{'s' * (sum(made.values()) != 1)}"
    heading = f"{'COLLADA meshes' if plan.meshes.sources == 'COLLADA' else 'Meshes'}{files if made else ''}"
    return [Section(f"Meshes stripped as motor hardware: {counts or 'none'}", lines), Section(heading, _collada(plan))]


def _collada(plan: Plan) -> List[str]:
    meshes, rows = plan.meshes, []
    drawn = {part.filename for split in meshes.converted for part in split.parts if part.rgba}
    for file in meshes.files:
        if file.part is None:
            continue
        color = short(file.part.rgba, 3) if file.part.rgba else (
            "its visual's color" if file.name in drawn else "no color (collision)")
        rows.append((os.path.basename(file.target), count_of(file.part.triangles, "triangle"), color))
    lines = columns(rows)
    if plan.options.meshes.wanted and not (rows or meshes.unconverted):
        return ["  none: no mesh of the robot is COLLADA (.dae, .zae)"]
    if meshes.unconverted:
        advice = ": MuJoCo cannot read them (--separate-dae-meshes splits them by color)"
        said_why = plan.options.meshes.wanted or meshes.warnings
        lines += fold(f"{count_of(meshes.unconverted, 'COLLADA mesh', 'COLLADA meshes')} left as "
                      f"{'it is' if meshes.unconverted == 1 else 'they are'}{'' if said_why else advice}")
    return lines


def _such_as(alike: Sequence[str]) -> str:
    """Return the first of several similar sentences."""
    return alike[0] if len(set(alike)) == 1 else f"the first: {alike[0]}"


def followed_rows(notes: Sequence[ReferenceUpdate], style: Style) -> List[Tuple[str, str, str]]:
    """Return a row for each note; similar notes on several elements of one tag share a row."""
    rows: List[Tuple[int, Tuple[str, str, str]]] = []
    for (tag, _), alike in grouped(((note.tag, note.sentence), note) for note in notes).items():
        if len(alike) < ALIKE or style.full:
            rows += [(note.line, (f"line {note.line}", note.what, note.how)) for note in alike]
        else:
            row = (f"lines {alike[0].line}-{alike[-1].line}", f"<{tag}>, {count_of(len(alike), 'time')}",
                   _such_as([note.how for note in alike]))
            rows.append((alike[0].line, row))
    return [row for _, row in sorted(rows, key=lambda row: row[0])]
