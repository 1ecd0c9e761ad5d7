"""The plan as text for a person, and in one line: what changes, in order, the tree, the verdict, what is left to do."""

from __future__ import annotations

import math
from itertools import chain
from typing import List, Sequence, Tuple

from ..base.types import Announced, Lines, Texts
from ..base.diagnostics import Diagnostic
from ..base.number_text import count_of, grouped, shown_names
from ..base.version import __version__
from ..urdf.mesh_paths import keeps_visuals
from ..urdf.model import UrdfJoint, UrdfRobot
from ..urdf.spatial import IDENTITY, rotation_angle
from ..plan.decisions import Plan
from ..plan.merging import BASE, KEPT
from ..verify.comparison import figure_text, TOLERANCE
from ..verify.equivalence import EquivalenceProof, proof_line
from ..run.records import FollowedCompanion, Result
from .changes import (
    axis_change,
    followed_rows,
    joint_section,
    link_sections,
    lost_frames,
    mesh_sections,
    signs_section,
)
from .grouped_warnings import actions_needed, grouped_lines
from .layout import columns, fold, lay_out, LINE_WIDTH, mass_text, Section, Style

BOXES = ("├── ", "└── ", "│   ", "    ")
PLAIN_BOXES = ("|-- ", "`-- ", "|   ", "    ")
MIN_TEXT_WIDTH = 44  # columns for the text of a link; deeper levels are shown at the last indent that allows them


def tree_lines(plan: Plan, style: Style) -> Lines:
    """Return the tree; of a deep one each level is narrower, and one that has no room is marked with "..."."""
    robot = plan.robot
    below = grouped((joint.parent, joint) for joint in robot.joints)
    levels = {robot.root: 0}
    for joint in robot.tree:
        levels[joint.child] = levels[joint.parent] + 1

    # What a level may take, so that the text of the deepest link still has its columns.
    columns_left = LINE_WIDTH.get() - MIN_TEXT_WIDTH
    boxes = BOXES if style.boxes else PLAIN_BOXES
    wide = max(1, min(len(boxes[0]), columns_left // max(1, *levels.values())))
    # A narrow box keeps its last character, the blank before the text.
    branch, last, bar, blank = (box[: wide - 1] + box[-1] if wide > 1 else box[0] for box in boxes)
    deepest = columns_left // wide

    # A stack in place of calls, as a chain may be longer than Python's calls go deep.
    lines = [f"  {_label(robot, robot.root)}"]
    waiting: List[Tuple[UrdfJoint, Texts, bool]] = [
        (joint, (), joint is below[robot.root][-1]) for joint in reversed(below.get(robot.root, []))
    ]
    while waiting:
        joint, above, is_last = waiting.pop()
        depth = "... "
        inside = above
        if len(above) < deepest:
            depth = ""
            inside = (*above, blank if is_last else bar)
        children = below.get(joint.child, [])
        own_box = last if is_last else branch
        box_below = bar if children else blank
        lead = "  " + "".join(above) + own_box + depth
        goes_on = "  " + "".join(inside) + box_below
        said = _label(robot, joint.child), _state(plan, joint.child), _motion(plan, joint)
        lines += fold(", ".join(filter(None, said)), goes_on, lead)
        waiting.extend((child, inside, child is children[-1]) for child in reversed(children))
    return lines


def _label(robot: UrdfRobot, link: str) -> str:
    """Return a link with its mass."""
    return f"{link} {mass_text(robot.links[link].mass)} kg"


def _state(plan: Plan, link: str) -> str:
    """Return where a link merges, or why it is kept; "" for a link that moves by itself."""
    member = plan.members[link]
    if member.merged:
        return f"merged into '{member.target}'"
    return f"kept: {member.reason}" if member.kind in (BASE, KEPT) else ""


def _motion(plan: Plan, joint: UrdfJoint) -> str:
    """Return the type of a joint, and how its axis changes."""
    planned = plan.joints.get(joint.child)
    if planned is None or planned.frame.axis is None:
        return joint.type
    return f"{joint.type} {axis_change(planned)}"


PROGRAM = "urdf_simplify"
# By the words of `joint_orders`.
ORDERED_BY = {"mujoco": "MuJoCo", "isaac": "Isaac", "newton": "Newton"}


def plan_text(result: Result, style: Style) -> Lines:
    """Return the plan: what changes, the table of joints, the warnings."""
    # Warnings come last, right above the question.
    warnings = _warnings(result, style)
    return [
        *map(style.title, fold(_who(result.before), "  ", "")),
        *_base(result, style),
        *lay_out(_sections(result, style), style),
        *(["", *warnings] if warnings else []),
    ]


def _who(robot: UrdfRobot) -> str:
    """Return the program, and the robot that it read."""
    links = count_of(len(robot.links), "link")
    joints = count_of(len(robot.joints), "joint")
    program = f"{PROGRAM} {__version__}"
    return f"{program}: {robot.document.path} '{robot.name}', {links}, {joints}, {mass_text(robot.mass)} kg"


def _sections(result: Result, style: Style) -> List[Section]:
    """Return the sections of the plan; tree and figures only where all is shown."""
    plan = result.plan
    notes = result.plan.updates.notes
    if result.exported.edited:
        edits = result.exported.changes
        rows = [(f"{number}.", phrase) for number, phrase in enumerate(edits, 1)]
        sections = [Section(f"Edits: {len(edits)}", columns(rows))]
    else:
        sections = [signs_section(plan), *link_sections(plan, style)]
    sections += mesh_sections(plan)
    sections.append(Section(f"Also updated: {len(notes)}", columns(followed_rows(notes, style))))
    sections += [_companion_section(followed, style) for followed in result.companions]
    sections += [Section(headline, columns(rows)) for headline, rows in result.exported.tables]
    files = [*chain.from_iterable(map(fold, result.exported.lines))]
    files += result.exported.left_lines(style)
    sections += [Section("Further files", files), joint_section(result, style)]
    if style.full:
        sections.append(_order_section(result))
        sections.append(Section("Kinematic tree of the input", tree_lines(plan, style)))
        sections.append(Section("Proof", proof_text(result)))
    return sections


def _warnings(result: Result, style: Style) -> Lines:
    """Return the warnings of the run and of its companions, and where all is shown the findings of lint."""
    plan = result.plan
    lines = grouped_lines([*plan.warnings, *result.exported.warnings], plan, style)
    for followed in result.companions:
        path = followed.before.path
        lines += grouped_lines(followed.updates.warnings, plan, style, path)
    if style.full:
        lines += result.exported.finding_lines(style)
    return lines


def _order_section(result: Result) -> Section:
    """Return in which order programs number the joints of the result."""
    from .run_json import joint_orders

    orders = joint_orders(result.after.joints, result.after.root)
    alike = grouped((tuple(orders[word]), name) for word, name in ORDERED_BY.items())
    rows = []
    for order, names in alike.items():
        if order:
            is_as_written = list(order) == orders["ros"]
            shown = "as in the file" if is_as_written else ", ".join(order)
            rows.append((", ".join(names), shown))
    return Section("Order of the joints in programs", columns(rows))


def _base(result: Result, style: Style) -> Lines:
    """Return the decision about the base frame, and the reason."""
    base = result.plan.base
    options = result.plan.options
    if not options.reorient:
        is_chosen = options.merge or options.strip_hardware  # else the command reorients nothing
        return ["Base frame: all frames stay as they are (--no-reorient)"] if is_chosen else []
    words = "X forward, Y left, Z up, as in the input"
    if base.R_new_old != IDENTITY:
        words = f"{base.words} -> X forward, Y left, Z up"
    reason = base.reason
    if options.base_frame == "auto" and "--base-frame" not in reason:
        reason += " (else: --base-frame)"
    lines = [*fold(f"Base frame: {words}", "  ", ""), *fold(reason, "  ", "  ")]
    return [*map(style.alert, lines)] if base.assumed else lines


def _companion_section(followed: FollowedCompanion, style: Style) -> Section:
    """Return the changes of a document that follows the plan, and its proof."""
    rows = columns(followed_rows(followed.updates.notes, style))
    if not rows and not followed.added:
        rows = ["  nothing in it changes"]
    title = f"{followed.name} {followed.before.path}: {_done_in(followed)}"
    return Section(title, [*rows, *fold(f"Proof: {followed.proof_line}")])


def _done_in(followed: FollowedCompanion) -> str:
    """Return what was done in a document that follows, in words."""
    count = len(followed.updates.notes)
    updated = f"{count_of(count, 'element')} updated"
    if not followed.added:
        return updated
    rest = updated if count else "nothing else changed"
    return f"{followed.added}, {rest}"


FILES_NAMED = 10  # all that one robot can have; more are counted
NOTHING = "Nothing to do: already simplified"
NOTHING_ASKED = "Nothing to do with these options"
EXPORTED = "The robot stays as it is"
LEAST_TURN = 0.001  # degrees; what is less is the rounding of angles, which the verdict names


def change_line(result: Result) -> str:
    """Return in one line what a run changes in the URDF, or what it is converted from; "" for nothing."""
    if not result.changed or result.exported.edited:
        return ", ".join(result.exported.changes)
    phrases = [*_counted_changes(result), *result.exported.changes]
    if result.before.document.late_declaration is not None:
        phrases.append("XML declaration moved to the front")
    return ", ".join(phrases) if phrases else _unplanned_change(result)


def _counted_changes(result: Result) -> Lines:
    """Return what a plan changes, in phrases."""
    plan = result.plan
    merged = sum(member.merged for member in plan.members.values())
    flipped = sum(planned.map.sign < 0 for planned in plan.joints.values())
    turns = {
        joint.name: math.degrees(rotation_angle(plan.placements[joint.child].rotation, IDENTITY))
        for joint in plan.robot.joints
        if not plan.is_removed(joint.child)
    }
    turned = [f"{name} {angle:.3g} deg" for name, angle in turns.items() if angle > LEAST_TURN]
    phrases = []
    # A joint that turns is what shows that the base was turned.
    if not turned and plan.base.R_new_old != IDENTITY:
        phrases.append("base turned")
    if plan.options.keep_signs and plan.signs_kept:
        phrases.append("all signs kept")
    if merged:
        done = "emptied" if plan.options.keep_all_frames else "merged"
        phrases.append(f"{count_of(merged, 'link')} {done}")
    if flipped:
        phrases.append("1 joint flips" if flipped == 1 else f"{flipped} joints flip")
    if turned:
        phrases.append(f"{count_of(len(turned), 'joint')} turned ({shown_names(turned)})")
    if plan.strips:
        phrases.append(f"{count_of(len(plan.strips), 'shape')} stripped")
    if plan.copies:
        phrases.append(f"{count_of(len(plan.copies), 'duplicate shape')} dropped")
    phrases += _mesh_changes(plan)
    if plan.updates.notes:
        phrases.append(f"{count_of(len(plan.updates.notes), 'other element')} updated")
    return phrases


def _mesh_changes(plan: Plan) -> Lines:
    """Return how many meshes are converted, or split into one STL for each color, as only COLLADA is."""
    count = len(plan.meshes.converted)
    if not count:
        return []
    if plan.meshes.sources != "COLLADA":
        return [f"{count_of(count, 'mesh', 'meshes')} converted"]
    splits = plan.options.meshes.separate_dae_meshes and set(plan.meshes.formats) <= {"STL"}
    done = "split" if splits else "converted"
    return [f"{count_of(count, 'COLLADA mesh', 'COLLADA meshes')} {done}"]


def _unplanned_change(result: Result) -> str:
    """Return what changed in a file that no plan changes: names of meshes, a note, or how numbers are written."""
    before, after = (
        [shape.mesh for _, shape in robot.shapes] for robot in (result.before, result.after)
    )
    if before != after:
        return "mesh paths rewritten relative to the output"
    old, new = (set(robot.document.text().splitlines()) for robot in (result.before, result.after))
    is_note = all(line.startswith("<!-- urdf_simplify ") for line in old ^ new)
    return "a note of the base frame" if is_note else "numbers tidied"


def companion_change_line(followed: FollowedCompanion) -> str:
    """Return in one line what a run would change in a companion, for --check."""
    return f"would change: {_done_in(followed)}" if followed.changed else "fits already"


def proof_verdict(proof: EquivalenceProof, but_for: Texts = ()) -> str:
    """Return the proof in words, with the largest of its errors; `but_for`: see `Exported`."""
    worst = max(proof.position, proof.angle, proof.mass, proof.center, proof.inertia, proof.limits)
    less = f", but for {', '.join(but_for)}" if but_for else ""
    return f"Same robot{less}: verified in {count_of(proof.samples + 1, 'pose')}, largest error {figure_text(worst)}"


def question_lines(
    result: Result, warnings: int, *, files: Sequence[Announced], style: Style
) -> Lines:
    """Return the few lines right above the question: the verdict, what changes in numbers, and the files.

    A file is given as the text before its name, the name, and the text after it.
    """
    plan = result.plan
    before = result.before
    after = result.after
    change = change_line(result)
    # Only where all three stages were asked for, the robot is simplified already.
    asked = plan.options.merge and plan.options.strip_hardware and plan.options.reorient
    followers = [followed for followed in result.companions if followed.changed]
    if followers:
        nothing = f"{followers[0].name}: {_done_in(followers[0])}; the URDF stays as it is"
    elif asked:
        nothing = NOTHING
    else:
        nothing = EXPORTED if result.exported.files else NOTHING_ASKED
    edited = result.exported.edited
    but_for = result.exported.but_for
    verdict = edited.verdict if edited else proof_verdict(result.proof, but_for)
    if but_for:
        lines = [*map(style.alert, fold(verdict, "   ", "   "))]
    else:
        lines = [*map(style.good, fold(f"{style.check_mark} {verdict}", "   ", ""))]
    if result.proof.axis > TOLERANCE:
        rounded = f"apart from angles rounded by up to {result.proof.axis:.1e} rad"
        lines += fold(f"{rounded} (--snap 0 keeps them)", "   ", "   ")
    counts = [
        f"{len(before.links)} -> {count_of(len(after.links), 'link')}",
        f"{len(before.joints)} -> {count_of(len(after.joints), 'joint')}",
    ]
    if not edited:  # else the list of edits is above
        counts.append(change)
    if warnings:
        counts.append(count_of(warnings, "warning"))
    done = ", ".join(counts) if change else nothing
    lines += fold(done, "   ", "   ")
    for (lead, tail), names in grouped(((lead, tail), name) for lead, name, tail in files).items():
        shown = len(names) if style.full else FILES_NAMED
        listed = ", ".join(names[:shown])
        if names[shown:]:
            listed += f" and {len(names) - shown} more (--full names them)"
        lines += fold(f"{lead}{listed}{tail}", "   ", "   ")
    return lines


def proof_text(result: Result) -> Lines:
    """Return all figures of the proof, and what was verified of the meshes that were made."""
    lines = fold(proof_line(result.proof))
    files = result.plan.meshes.files
    if result.plan.meshes.converted:
        triangles = count_of(sum(file.part.triangles for file in files if file.part), "triangle")
        made = count_of(sum(bool(file.part) for file in files), "file")
        lines += fold(
            f"Meshes: {made}, {triangles}: the polygons of the "
            f"{result.plan.meshes.sources} files color by color, less what is said to be left out, in "
            "the boxes of their points"
        )
    return lines


def outcome(
    result: Result,
    output: str,
    further: Sequence[str],
    warnings: Sequence[Diagnostic],
    style: Style,
) -> Lines:
    """Return what was written, every number read from the text that was written, and what is left to do.

    `output` is "" where no URDF is written.
    """
    before = result.before
    after = result.after
    tasks = [
        *lost_frames(result.plan, style),
        *actions_needed(warnings, result.plan),
        *result.exported.left_lines(style),
        *_not_drawn_in_mujoco(result),
        *_signs_to_follow(result),
    ]
    tasks = (
        ["", style.title("Next (lines of the input):"), *map(style.alert, tasks)] if tasks else []
    )
    done = style.good("Done!")
    if not output:
        return ["", done, *further, *tasks]
    mass = f"Mass preserved: {mass_text(after.mass)} kg"
    edited = result.exported.edited
    is_another = abs(after.mass - before.mass) > 1e-9 * max(before.mass, 1e-9)
    if is_another or edited and (edited.dropped or len(before.links) != len(after.links)):
        why = "as edited" if edited else "parts exported twice counted once"
        mass = f"Mass: {mass_text(before.mass)} -> {mass_text(after.mass)} kg ({why})"
    return [
        "",
        done,
        f"  Output: {output}",
        f"  Links: {len(before.links)} -> {len(after.links)}",
        f"  Joints: {len(before.joints)} -> {len(after.joints)}",
        *fold(mass),
        *further,
        *tasks,
    ]


def _not_drawn_in_mujoco(result: Result) -> Lines:
    """Return the line on visuals that were split for their colors, which MuJoCo does not show."""
    is_split = result.plan.options.meshes.separate_dae_meshes and result.plan.meshes.converted
    if not is_split or keeps_visuals(result.after.document.root):
        return []
    return fold(
        "MuJoCo shows the visuals of a URDF only if it is written with --for mujoco, or has "
        '<mujoco><compiler discardvisual="false"/></mujoco>'
    )


def _signs_to_follow(result: Result) -> Lines:
    """Return the lines on joints whose sign or zero changed, which programs outside the file must know."""
    edited = result.exported.edited
    planned = [each.map for each in result.plan.joints.values()]
    maps = list(edited.maps.values()) if edited else planned
    flipped = sum(joint_map.sign < 0 for joint_map in maps)
    moved = sum(joint_map.zero != 0.0 for joint_map in maps)
    lines: Lines = []
    for count, how, what in (
        (flipped, "flipped", "signs"),
        (moved, "got another zero", "zeros"),
    ):
        if count:
            lines += fold(
                f"{count_of(count, 'joint')} {how}: drivers and policies outside the file need the "
                f"{what} (--report FILE, or --adapter FILE.py)"
            )
    return lines
