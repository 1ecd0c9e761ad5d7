"""The plan as text for a person, and in one line: the changes in order, the tree, the verdict, and the tasks that remain."""

from __future__ import annotations

import math
from itertools import chain
from typing import Iterator, List, Sequence

from ..base.type_aliases import Announced, Lines, Texts
from ..base.diagnostics import Diagnostic
from ..base.number_text import count_of, grouped, shown_names
from ..base.version import signature
from ..urdf.mesh_paths import keeps_visuals
from ..urdf.urdf_records import UrdfRobot
from ..urdf.spatial_math import IDENTITY, rotation_angle
from ..plan.plan_decisions import Plan
from ..verify.shared_proof_state import figure_text, TOLERANCE
from ..verify.verify_equivalence import EquivalenceProof, proof_line
from ..run.run_records import CompanionResult, Result
from .change_sections import (
    followed_rows,
    joint_section,
    lost_frames,
    mesh_sections,
    signs_section,
)
from .grouped_warnings import actions_needed, grouped_lines
from .kinematic_tree import tree_section
from .line_layout import columns, fold, lay_out, mass_text, ReportSection, TextStyle

# The names of programs, by the keys of `joint_orders`.
ORDERED_BY = {"mujoco": "MuJoCo", "isaac": "Isaac", "newton": "Newton"}


def plan_text(result: Result, style: TextStyle) -> Lines:
    """Return the plan: the changes, the table of joints, the warnings."""
    # Warnings come last, right above the question.
    warnings = _warnings(result, style)
    lines = [
        *map(style.title, _who(result.before)),
        *_base(result, style),
        *lay_out(_sections(result, style), style),
    ]
    if warnings:
        lines += ["", *warnings]
    return lines


def _who(robot: UrdfRobot) -> Lines:
    """Return the program, and the robot that it read."""
    links = count_of(len(robot.links), "link")
    joints = count_of(len(robot.joints), "joint")
    # A release gets as many columns as the tree before it, so that both fold the line alike.
    kept = signature().ljust(len("urdf_simplify 0.10.0.dev0"), "_")
    read = f"{robot.document.path} '{robot.name}', {links}, {joints}, {mass_text(robot.mass)} kg"
    first, *others = fold(f"{kept}: {read}", "  ", "")
    return [signature() + first[len(kept) :], *others]


def _sections(result: Result, style: TextStyle) -> List[ReportSection]:
    """Return the sections of the plan; the order of the joints and the figures only with --full."""
    plan = result.plan
    options = plan.options
    notes = result.plan.updates.notes
    if result.exported.edited:
        edits = result.exported.changes
        rows = [(f"{number}.", phrase) for number, phrase in enumerate(edits, 1)]
        sections = [ReportSection(f"Edits: {len(edits)}", columns(rows))]
    else:
        sections = [signs_section(plan)]
    # A command that changes neither links nor frames shows its own changes first, and the tree only in full.
    is_simplified = options.merge or options.strip_hardware or options.reorient
    if style.full or is_simplified and not result.exported.edited:
        sections.insert(0, tree_section(result, style))
    sections += mesh_sections(plan)
    sections.append(
        ReportSection(f"Also updated: {len(notes)}", columns(followed_rows(notes, style)))
    )
    sections += [_companion_section(followed, style) for followed in result.companions]
    sections += [
        ReportSection(headline, columns(rows)) for headline, rows in result.exported.tables
    ]
    files = [*chain.from_iterable(map(fold, result.exported.lines))]
    files += result.exported.left_lines(style)
    sections += [ReportSection("Further files", files), joint_section(result, style)]
    if style.full:
        sections.append(_order_section(result))
        sections.append(ReportSection("Proof", proof_text(result)))
    return sections


def _warnings(result: Result, style: TextStyle) -> Lines:
    """Return the warnings of the run and of its companions, and with --full the findings of lint."""
    plan = result.plan
    lines = grouped_lines([*plan.warnings, *result.exported.warnings], plan, style)
    for followed in result.companions:
        path = followed.before.path
        lines += grouped_lines(followed.updates.warnings, plan, style, path)
    if style.full:
        lines += result.exported.finding_lines(style)
    return lines


def _order_section(result: Result) -> ReportSection:
    """Return the order in which each program numbers the joints of the result."""
    from .run_json import joint_orders

    orders = joint_orders(result.after.joints, result.after.root)
    alike = grouped((tuple(orders[word]), name) for word, name in ORDERED_BY.items())
    rows = []
    for order, names in alike.items():
        if order:
            is_as_written = list(order) == orders["ros"]
            shown = "as in the file" if is_as_written else ", ".join(order)
            rows.append((", ".join(names), shown))
    return ReportSection("Order of the joints in programs", columns(rows))


def _base(result: Result, style: TextStyle) -> Lines:
    """Return the decision about the base frame, and the reason."""
    base = result.plan.base
    options = result.plan.options
    if not options.reorient:
        is_chosen = (
            options.merge or options.strip_hardware
        )  # otherwise the command reorients nothing
        return ["Base frame: all frames stay as they are (--no-reorient)"] if is_chosen else []
    words = "X forward, Y left, Z up, as in the input"
    if base.R_new_old != IDENTITY:
        words = f"{base.words} -> X forward, Y left, Z up"
    reason = base.reason
    if options.base_frame == "auto" and "--base-frame" not in reason:
        reason += " (else: --base-frame)"
    lines = [*fold(f"Base frame: {words}", "  ", ""), *fold(reason, "  ", "  ")]
    return [*map(style.alert, lines)] if base.assumed else lines


def _companion_section(followed: CompanionResult, style: TextStyle) -> ReportSection:
    """Return the changes of a companion, and its proof."""
    rows = columns(followed_rows(followed.updates.notes, style))
    if not rows and not followed.added:
        rows = ["  nothing in it changes"]
    title = f"{followed.name} {followed.before.path}: {_done_in(followed)}"
    return ReportSection(title, [*rows, *fold(f"Proof: {followed.proof_line}")])


def _done_in(followed: CompanionResult) -> str:
    """Return in words the changes of a companion."""
    count = len(followed.updates.notes)
    updated = f"{count_of(count, 'element')} updated"
    if not followed.added:
        return updated
    rest = updated if count else "nothing else changed"
    return f"{followed.added}, {rest}"


FILES_NAMED = 10  # all that one robot can have; further files are counted
NOTHING = "Nothing to do: already simplified"
NOTHING_ASKED = "Nothing to do with these options"
EXPORTED = "The robot stays as it is"
LEAST_TURN = 0.001  # degrees; a smaller turn is rounding, which the verdict names


def change_line(result: Result) -> str:
    """Return in one line the changes of a run to the URDF, or the format it is converted from; "" for nothing."""
    # An edit lists its own changes, and the changes of its plan are among them.
    if not result.changed or result.exported.edited:
        return ", ".join(result.exported.changes)
    phrases = [*_counted_changes(result), *result.exported.changes]
    if result.before.document.late_declaration is not None:
        phrases.append("XML declaration moved to the front")
    return ", ".join(phrases) if phrases else _unplanned_change(result)


def _counted_changes(result: Result) -> Lines:
    """Return the changes of a plan in phrases."""
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
    # A turned joint shows already that the base was turned.
    if not turned and plan.base.R_new_old != IDENTITY:
        phrases.append("base turned")
    if plan.options.keep_signs and plan.signs_kept:
        phrases.append("all signs kept")
    if merged:
        done = "emptied" if plan.options.keep_all_frames else "merged"
        phrases.append(f"{count_of(merged, 'link')} {done}")
    if flipped:
        verb = "flips" if flipped == 1 else "flip"
        phrases.append(f"{count_of(flipped, 'joint')} {verb}")
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
    """Return the number of converted meshes, or of meshes split into an STL for each color (COLLADA only)."""
    count = len(plan.meshes.converted)
    if not count:
        return []
    if plan.meshes.sources != "COLLADA":
        return [f"{count_of(count, 'mesh', 'meshes')} converted"]
    splits = plan.options.meshes.separate_dae_meshes and set(plan.meshes.formats) <= {"STL"}
    done = "split" if splits else "converted"
    return [f"{count_of(count, 'COLLADA mesh', 'COLLADA meshes')} {done}"]


def _unplanned_change(result: Result) -> str:
    """Return a change of the file that the plan does not contain: mesh names, a note, or the writing of numbers."""
    old_meshes = [shape.mesh for _, shape in result.before.shapes]
    new_meshes = [shape.mesh for _, shape in result.after.shapes]
    if old_meshes != new_meshes:
        return "mesh paths rewritten relative to the output"
    old = set(result.before.document.text().splitlines())
    new = set(result.after.document.text().splitlines())
    is_note = all(line.startswith("<!-- urdf_simplify ") for line in old ^ new)
    return "a note of the base frame" if is_note else "numbers tidied"


def companion_change_line(followed: CompanionResult) -> str:
    """Return in one line the changes of a run to a companion, for --check."""
    return f"would change: {_done_in(followed)}" if followed.changed else "fits already"


def proof_verdict(proof: EquivalenceProof, but_for: Texts = (), refused_by: Texts = ()) -> str:
    """Return the proof in words, with its largest error; `but_for` and `refused_by`: see `ExportedFiles`."""
    worst = max(proof.position, proof.angle, proof.mass, proof.center, proof.inertia, proof.limits)
    less = f", but for {', '.join(but_for)}" if but_for else ""
    refusal = f", and {' and '.join(refused_by)} refuses it as it is" if refused_by else ""
    poses = count_of(proof.samples + 1, "pose")
    return f"Same robot{less}{refusal}: verified in {poses}, largest error {figure_text(worst)}"


def question_lines(
    result: Result, warnings: int, *, files: Sequence[Announced], style: TextStyle
) -> Lines:
    """Return the few lines directly above the question: the verdict, the changes in numbers, and the files.

    A file is given as the text before its name, the name, and the text after it.
    """
    lines = [*_verdict_lines(result, style)]
    lines += fold(_changes_in_numbers(result, warnings), "   ", "   ")
    # Files with the same text before and after their names share a sentence.
    names_by_text = grouped(((lead, tail), name) for lead, name, tail in files)
    for (lead, tail), names in names_by_text.items():
        shown = len(names) if style.full else FILES_NAMED
        listed = ", ".join(names[:shown])
        if names[shown:]:
            listed += f" and {len(names) - shown} more (--full names them)"
        lines += fold(f"{lead}{listed}{tail}", "   ", "   ")
    return lines


def _verdict_lines(result: Result, style: TextStyle) -> Iterator[str]:
    """Yield the lines of the verdict, with a check mark if nothing restricts it, and how far angles are rounded."""
    edited = result.exported.edited
    but_for = result.exported.but_for
    refused_by = result.exported.refused_by
    verdict = edited.verdict if edited else proof_verdict(result.proof, but_for, refused_by)
    if but_for or refused_by:
        yield from map(style.alert, fold(verdict, "   ", "   "))
    else:
        yield from map(style.good, fold(f"{style.check_mark} {verdict}", "   ", ""))
    if result.proof.axis > TOLERANCE:
        rounded = f"apart from angles rounded by up to {result.proof.axis:.1e} rad"
        yield from fold(f"{rounded} (--snap 0 keeps them)", "   ", "   ")


def _changes_in_numbers(result: Result, warnings: int) -> str:
    """Return the counts of links and joints before and after, the changes, and the number of warnings."""
    before = result.before
    after = result.after
    change = change_line(result)
    if not change:
        return _nothing_to_do(result)
    counts = [
        f"{len(before.links)} -> {count_of(len(after.links), 'link')}",
        f"{len(before.joints)} -> {count_of(len(after.joints), 'joint')}",
    ]
    # The list of edits is shown above already.
    if not result.exported.edited:
        counts.append(change)
    if warnings:
        counts.append(count_of(warnings, "warning"))
    return ", ".join(counts)


def _nothing_to_do(result: Result) -> str:
    """Return the reason why the URDF stays unchanged."""
    options = result.plan.options
    for followed in result.companions:
        if followed.changed:
            return f"{followed.name}: {_done_in(followed)}; the URDF stays as it is"
    # Only if all three stages were requested is an unchanged robot simplified already.
    if options.merge and options.strip_hardware and options.reorient:
        return NOTHING
    return EXPORTED if result.exported.files else NOTHING_ASKED


def proof_text(result: Result) -> Lines:
    """Return all figures of the proof, and the verified properties of the meshes that were made."""
    lines = fold(proof_line(result.proof))
    files = result.plan.meshes.files
    if result.plan.meshes.converted:
        parts = [file.part for file in files if file.part]
        triangles = count_of(sum(part.triangles for part in parts), "triangle")
        made = count_of(len(parts), "file")
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
    style: TextStyle,
) -> Lines:
    """Return the lines about the written files and the tasks that remain; all numbers are read from those files.

    `output` is "" if no URDF is written.
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
    if tasks:
        tasks = ["", style.title("Next (lines of the input):"), *map(style.alert, tasks)]
    done = style.good("Done!")
    if not output:
        return ["", done, *further, *tasks]
    mass = f"Mass preserved: {mass_text(after.mass)} kg"
    edited = result.exported.edited
    # The sum of the same masses in a different order differs by rounding.
    is_another = abs(after.mass - before.mass) > 1e-9 * max(before.mass, 1e-9)
    has_other_links = edited and (edited.dropped or len(before.links) != len(after.links))
    if is_another or has_other_links:
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
    """Return the line about visuals that were split by color, which MuJoCo does not show."""
    is_split = result.plan.options.meshes.separate_dae_meshes and result.plan.meshes.converted
    if not is_split or keeps_visuals(result.after.document.root):
        return []
    return fold(
        "MuJoCo shows the visuals of a URDF only if it is written with --for mujoco, or has "
        '<mujoco><compiler discardvisual="false"/></mujoco>'
    )


def _signs_to_follow(result: Result) -> Lines:
    """Return the lines about joints whose sign or zero changed: programs outside the file must follow."""
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
