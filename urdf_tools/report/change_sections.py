"""The sections of the plan about changes: links, joints, meshes, other elements."""

from __future__ import annotations

import os
from collections import Counter
from itertools import chain
from typing import List, Sequence, Tuple

from ..base.type_aliases import Lines, Texts
from ..base.number_text import count_of, grouped, short, shown_names
from ..urdf.urdf_records import UrdfJoint
from ..plan.plan_decisions import Plan
from ..plan.reference_updates import ReferenceUpdate
from ..run.run_records import Result
from .line_layout import (
    columns,
    fold,
    LINE_WIDTH,
    ReportSection,
    TextStyle,
    TABLE_LINES,
)

FRAMES_NAMED = 8  # frames that vanish and are named; the others are counted
ALIKE = 4  # this many notes or reasons with the same text become one
ROWS_EACH = 30  # with more joints, joints with neither an angle nor a flip share rows


def signs_section(plan: Plan) -> ReportSection:
    """Return the joints that keep their signs because of a note."""
    names = [joint.name for joint in plan.robot.joints if joint.child in plan.signs_kept]
    is_asked = plan.options.keep_signs or not plan.options.reorient
    lines = [] if is_asked else fold(", ".join(names))
    return ReportSection("Signs kept, as the note of an earlier run says", lines)


def lost_frames(plan: Plan, style: TextStyle) -> Lines:
    """Return the frames that vanish from TF, and the option that keeps them."""
    names = plan.lost_frames
    if not names:
        return []
    shown = len(names) if style.full else FRAMES_NAMED
    listed = shown_names(names, shown)
    verb, what = ("vanishes", "it") if len(names) == 1 else ("vanish", "them")
    count = count_of(len(names), "frame")
    return fold(f"{count} {verb} from TF: {listed} (--keep-frames keeps {what})")


def _listed_joints(result: Result, style: TextStyle) -> List[UrdfJoint]:
    """Return the joints of the result that its table shows."""
    options = result.plan.options
    joints = [joint for joint in result.after.joints if joint.type != "fixed" or style.full]
    if options.reorient or options.merge or style.full:
        return joints
    # A run that turns nothing by itself shows the joints that a command turned.
    old_names = result.exported.edited.old_joints if result.exported.edited else {}
    before = {(joint.name, joint.axis, joint.rpy) for joint in result.before.joints}
    turned = []
    for joint in joints:
        old_name = old_names.get(joint.name, joint.name)
        if (old_name, joint.axis, joint.rpy) not in before:
            turned.append(joint)
    return turned


def joint_section(result: Result, style: TextStyle) -> ReportSection:
    """Return the table of the joints of the result that move: axis and rpy of each, and which flip.

    With more than ROWS_EACH joints, joints with neither an angle nor a flip share a row for each axis. Every axis is
    given in the frame of the child, X forward, Y left, Z up when the robot is at zero.
    """
    plan = result.plan
    # Only joints with a standard axis have a sign that could flip.
    signs = {
        child: planned.map.sign
        for child, planned in plan.joints.items()
        if planned.frame.axis is not None
    }
    flipped = {child for child, sign in signs.items() if sign < 0}
    head = "Result joint origins:"
    if flipped:
        head += f"     {len(flipped)} of {len(signs)} flip (-q, limits swap); --keep-signs: none"
    rows = _listed_joints(result, style)
    together = []
    if len(rows) > ROWS_EACH and not style.full:
        together = [joint for joint in rows if not any(joint.rpy) and joint.child not in flipped]
    by_text = grouped((_origin_text(joint), joint.name) for joint in together)
    shared = [(_names_of(names), text, "") for text, names in by_text.items()]
    own_rows = []
    for joint in rows:
        if joint not in together:
            mark = "-q" if joint.child in flipped else ""
            own_rows.append((joint.name, _origin_text(joint), mark))
    lines = _table([*own_rows, *shared])
    for number, line in enumerate(lines):
        if line.endswith(" -q"):
            lines[number] = style.alert(line)
    return ReportSection(head, lines, TABLE_LINES)


def _names_of(names: Sequence[str]) -> str:
    """Return the first name, and how many others there are."""
    if len(names) == 1:
        return names[0]
    return f"{names[0]} and {count_of(len(names) - 1, 'other')}"


def _origin_text(joint: UrdfJoint) -> str:
    """Return axis and rpy of a joint, or its type if it has no axis."""
    axis = joint.type if joint.type in ("fixed", "floating") else f"axis=[{short(joint.axis)}]"
    return f"{axis} rpy=[{short(joint.rpy)}]"


def _table(rows: Sequence[Texts]) -> Lines:
    """Return the rows as aligned columns; a row that is too wide takes two lines, so that the others stay narrow."""
    named = max((len(name) for name, _, _ in rows if len(name) <= LONGEST), default=0)
    free = LINE_WIDTH.get() - named - 6  # for axis and rpy, between blanks and in front of a mark
    wide = max((len(text) for _, text, _ in rows if len(text) <= free), default=0)
    lines: Lines = []
    for name, text, mark in rows:
        line = f"  {name.ljust(named)} {text.ljust(wide)} {mark}".rstrip()
        if len(line) <= LINE_WIDTH.get():
            lines.append(line)
        else:
            lines += [f"  {name}", f"      {text} {mark}".rstrip()]
    return lines


LONGEST = 36  # columns of a name


def mesh_sections(plan: Plan) -> List[ReportSection]:
    """Return the sections on meshes that are stripped or dropped, and on those that are converted."""
    kinds = Counter(strip.shape.kind for strip in plan.strips)
    by_kind = [count_of(kinds[kind], kind) for kind in ("visual", "collision") if kinds[kind]]
    counts = ", ".join(by_kind)
    reasons = Counter(strip.reason for strip in plan.strips)
    words = ", ".join(f"{word} {times}" for word, times in reasons.most_common())
    twice = f"{count_of(len(plan.copies), 'duplicate shape')} dropped" if plan.copies else ""
    lines = fold("; ".join(filter(None, (words, twice))))
    for miss in plan.near_misses:
        lines += fold(f"kept: {miss.stem} ({count_of(miss.times, 'time')}), {miss.reason}")
    for name in plan.bare:
        lines += fold(f"link '{name}' has no shape left")
    heading = "COLLADA meshes" if plan.meshes.sources == "COLLADA" else "Meshes"
    made = plan.meshes.formats
    if made:
        numbers = " and ".join(f"{count} {name}" for name, count in made.items())
        plural = "" if sum(made.values()) == 1 else "s"
        heading += f": {numbers} file{plural}"
    title = f"Strip motor parts: {counts} (--keep-mesh NAME, --no-strip)" if counts else "Shapes"
    return [ReportSection(title, lines), ReportSection(heading, _collada(plan))]


def _collada(plan: Plan) -> Lines:
    """Return a row for each mesh file that is made, and the number of COLLADA meshes that stay."""
    meshes = plan.meshes
    rows = []
    parts = chain.from_iterable(split.parts for split in meshes.converted)
    drawn = {part.filename for part in parts if part.rgba}
    for file in meshes.files:
        if file.part is None:
            continue
        if file.part.rgba:
            color = short(file.part.rgba, 3)
        elif file.name in drawn or meshes.joined:
            color = "its visual's color"
        else:
            color = "no color (collision)"
        rows.append(
            (os.path.basename(file.target), count_of(file.part.triangles, "triangle"), color)
        )
    lines = columns(rows)
    if plan.options.meshes.wanted and not (rows or meshes.unconverted):
        return ["  none: no mesh of the robot is COLLADA (.dae, .zae)"]
    if meshes.unconverted:
        advice = ": MuJoCo cannot read them (--split color makes STL of them)"
        said_why = plan.options.meshes.wanted or meshes.warnings
        count = count_of(meshes.unconverted, "COLLADA mesh", "COLLADA meshes")
        stay = "left as it is" if meshes.unconverted == 1 else "left as they are"
        cure = "" if said_why else advice
        lines += fold(f"{count} {stay}{cure}")
    return lines


def followed_rows(notes: Sequence[ReferenceUpdate], style: TextStyle) -> List[Texts]:
    """Return a row for each note; similar notes on several elements of one tag share a row."""
    rows: List[Tuple[int, Texts]] = []
    for (tag, _), alike in grouped(((note.tag, note.sentence), note) for note in notes).items():
        if len(alike) < ALIKE or style.full:
            rows += [(note.line, (f"line {note.line}", note.what, note.how)) for note in alike]
        else:
            first = alike[0]
            how = first.how
            if any(note.how != how for note in alike):
                how = f"the first: {how}"
            where = f"lines {first.line}-{alike[-1].line}"
            what = f"<{tag}>, {count_of(len(alike), 'time')}"
            rows.append((first.line, (where, what, how)))
    return [row for _, row in sorted(rows, key=lambda row: row[0])]
