"""The plan as text for a person, and in one line: what changes, in order, the tree, the verdict, what is left to do."""

from typing import List, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import count_of, grouped
from ..base.version import __version__
from ..urdf.model import Joint, Robot
from ..urdf.spatial import IDENTITY
from ..plan.decisions import Plan
from ..plan.merging import BASE, KEPT
from ..verify.comparison import figure_text, TOLERANCE
from ..verify.equivalence import Proof, proof_line
from ..run.records import Followed, Result
from .changes import (
    axis_change,
    followed_rows,
    joint_section,
    link_sections,
    lost_frames,
    mesh_sections,
    signs_section,
)
from .grouped_warnings import actions_needed, alike_lines, grouped_lines
from .layout import columns, fold, lay_out, LINE_WIDTH, mass_text, Section, Style

BOXES, PLAIN_BOXES = ("├── ", "└── ", "│   ", "    "), ("|-- ", "`-- ", "|   ", "    ")
MIN_TEXT_WIDTH = 44  # columns for the text of a link; deeper levels are shown at the last indent that allows them


def tree_lines(plan: Plan, style: Style) -> List[str]:
    """Return the tree; of a deep one each level is narrower, and one that has no room is marked with "..."."""
    robot = plan.robot
    below = grouped((joint.parent, joint) for joint in robot.joints)
    levels = {robot.root: 0}
    for joint in robot.tree:
        levels[joint.child] = levels[joint.parent] + 1
    columns_left = LINE_WIDTH.get() - MIN_TEXT_WIDTH
    boxes = BOXES if style.boxes else PLAIN_BOXES
    wide = max(1, min(len(boxes[0]), columns_left // max(1, *levels.values())))
    branch, last, bar, blank = (box[: wide - 1] + box[-1] if wide > 1 else box[0] for box in boxes)
    deepest = columns_left // wide
    lines = [f"  {_label(robot, robot.root)}"]
    waiting: List[Tuple[Joint, Tuple[str, ...], bool]] = [
        (joint, (), joint is below[robot.root][-1]) for joint in reversed(below.get(robot.root, []))
    ]
    while waiting:
        joint, above, is_last = waiting.pop()
        depth = "" if len(above) < deepest else "... "
        inside = (*above, blank if is_last else bar) if len(above) < deepest else above
        children = below.get(joint.child, [])
        lead = "  " + "".join(above) + (last if is_last else branch) + depth
        goes_on = "  " + "".join(inside) + (bar if children else blank)
        state = ", ".join(
            filter(
                None, (_label(robot, joint.child), _state(plan, joint.child), _motion(plan, joint))
            )
        )
        lines += fold(state, goes_on, lead)
        waiting.extend((child, inside, child is children[-1]) for child in reversed(children))
    return lines


def _label(robot: Robot, link: str) -> str:
    return f"{link} {mass_text(robot.links[link].mass)} kg"


def _state(plan: Plan, link: str) -> str:
    member = plan.members[link]
    if member.merged:
        return f"merged into '{member.target}'"
    return f"kept: {member.reason}" if member.kind in (BASE, KEPT) else ""


def _motion(plan: Plan, joint: Joint) -> str:
    planned = plan.joints.get(joint.child)
    if planned is None or planned.frame.axis is None:
        return joint.type
    return f"{joint.type} {axis_change(planned)}"


PROGRAM = "urdf_simplify"
ORDERED_BY = {
    "mujoco": "MuJoCo",
    "isaac": "Isaac",
    "newton": "Newton",
}  # by the words of `joint_orders`


def plan_text(result: Result, style: Style) -> List[str]:
    """Return the plan: what changes, the table of joints, the warnings."""
    plan, robot = result.plan, result.before
    findings = result.exported.findings() if style.full else ()
    # Warnings come last, right above the question; tree and figures only where all is shown.
    edits = [(f"{number}.", phrase) for number, phrase in enumerate(result.exported.changes, 1)]
    sections = [
        *(
            [Section(f"Edits: {len(edits)}", columns(edits))]
            if result.exported.edited
            else [signs_section(plan), *link_sections(plan, style)]
        ),
        *mesh_sections(plan),
        Section(
            f"Also updated: {len(plan.updates.notes)}",
            columns(followed_rows(plan.updates.notes, style)),
        ),
        *(_companion_section(followed, style) for followed in result.companions),
        *(Section(headline, columns(rows)) for headline, rows in result.exported.tables),
        Section(
            "Further files",
            [
                *(line for text in result.exported.lines for line in fold(text)),
                *alike_lines(result.exported.left, style),
            ],
        ),
        joint_section(result, style),
        *([_order_section(result)] if style.full else []),
        Section("Kinematic tree of the input", tree_lines(plan, style) if style.full else []),
        Section("Proof", proof_text(result) if style.full else []),
    ]
    who = (
        f"{PROGRAM} {__version__}: {robot.document.path} '{robot.name}', "
        f"{count_of(len(robot.links), 'link')}, {count_of(len(robot.joints), 'joint')}, {mass_text(robot.mass)} kg"
    )
    warnings = [
        *grouped_lines([*plan.warnings, *result.exported.warnings], plan, style),
        *(
            line
            for followed in result.companions
            for line in grouped_lines(followed.updates.warnings, plan, style, followed.before.path)
        ),
        *_finding_lines(findings, plan, style),
    ]
    return [
        *map(style.title, fold(who, "  ", "")),
        *_base(result, style),
        *lay_out(sections, style),
        *(["", *warnings] if warnings else []),
    ]


def _order_section(result: Result) -> Section:
    """Return in which order programs number the joints of the result."""
    from .run_json import joint_orders

    orders = joint_orders(result.after.joints, result.after.root)
    alike = grouped((tuple(orders[word]), name) for word, name in ORDERED_BY.items())
    rows = [
        (", ".join(names), "as in the file" if list(order) == orders["ros"] else ", ".join(order))
        for order, names in alike.items()
        if order
    ]
    return Section("Order of the joints in programs", columns(rows))


def _finding_lines(findings: Sequence[Diagnostic], plan: Plan, style: Style) -> List[str]:
    """Return the lint findings under a title; nothing without any."""
    if not findings:
        return []
    title = style.title(f"Lint findings: {len(findings)}")
    return ["", title, *grouped_lines(findings, plan, style)]


def _base(result: Result, style: Style) -> List[str]:
    """Return the decision about the base frame, and the reason."""
    base, options = result.plan.base, result.plan.options
    if not options.reorient:
        is_chosen = options.merge or options.strip_hardware  # else the command reorients nothing
        return ["Base frame: all frames stay as they are (--no-reorient)"] if is_chosen else []
    words = (
        f"{base.words} -> X forward, Y left, Z up"
        if base.R_new_old != IDENTITY
        else ("X forward, Y left, Z up, as in the input")
    )
    else_ = (
        ""
        if options.base_frame != "auto" or "--base-frame" in base.reason
        else " (else: --base-frame)"
    )
    lines = [*fold(f"Base frame: {words}", "  ", ""), *fold(base.reason + else_, "  ", "  ")]
    return [style.alert(line) if base.assumed else line for line in lines]


def _companion_section(followed: Followed, style: Style) -> Section:
    """Return the changes of a document that follows the plan, and its proof."""
    lines = columns(followed_rows(followed.updates.notes, style)) or ["  nothing in it changes"]
    title = f"{followed.name} {followed.before.path}: {count_of(len(followed.updates.notes), 'element')} updated"
    return Section(title, [*lines, *fold(f"Proof: {followed.proof_line}")])


FILES_NAMED = 10  # all that one robot can have; more are counted
NOTHING = "Nothing to do: already simplified"
NOTHING_ASKED = "Nothing to do with these options"
EXPORTED = "The robot stays as it is"


def change_line(result: Result) -> str:
    """Return in one line what a run changes in the URDF, or what it is converted from; "" for nothing."""
    if not result.changed:
        return ", ".join(result.exported.changes)
    if result.exported.edited:
        return ", ".join(result.exported.changes)
    plan = result.plan
    merged = sum(member.merged for member in plan.members.values())
    flipped = sum(planned.map.sign < 0 for planned in plan.joints.values())
    staying = [joint for joint in plan.robot.joints if not plan.is_removed(joint.child)]
    turned = sum(
        (old.rpy, old.axis) != (new.rpy, new.axis) for old, new in zip(staying, result.after.joints)
    )
    split, followed = len(plan.meshes.converted), len(plan.updates.notes)
    kind = "COLLADA " if plan.meshes.sources == "COLLADA" else ""
    become = "split" if kind and set(plan.meshes.formats) <= {"STL"} else "converted"
    phrases = [
        text
        for count, text in (
            (
                merged,
                f"{count_of(merged, 'link')} {'emptied' if plan.options.keep_all_frames else 'merged'}",
            ),
            (flipped, f"{count_of(flipped, 'joint')} flip{'s' * (flipped == 1)}"),
            (turned, f"{count_of(turned, 'joint')} turned"),
            (len(plan.strips), f"{count_of(len(plan.strips), 'shape')} stripped"),
            (len(plan.copies), f"{count_of(len(plan.copies), 'duplicate shape')} dropped"),
            (split, f"{count_of(split, f'{kind}mesh', f'{kind}meshes')} {become}"),
            (followed, f"{count_of(followed, 'other element')} updated"),
        )
        if count
    ]
    phrases[:0] = ["all signs kept"] * bool(plan.options.keep_signs and plan.signs_kept)
    if not turned and plan.base.R_new_old != IDENTITY:
        phrases.insert(0, "base turned")
    phrases += result.exported.changes
    if phrases:
        return ", ".join(phrases)
    # Nothing of the plan changed the file: it is a name of a mesh, a note, or how numbers are written.
    meshes = [
        [shape.mesh for link in robot.links.values() for shape in link.shapes]
        for robot in (result.before, result.after)
    ]
    if meshes[0] != meshes[1]:
        return "mesh paths rewritten relative to the output"
    before, after = (
        set(robot.document.text().splitlines()) for robot in (result.before, result.after)
    )
    is_note = all(line.startswith("<!-- urdf_simplify ") for line in before ^ after)
    return "a note of the base frame" if is_note else "numbers tidied"


def companion_change_line(followed: Followed) -> str:
    """Return in one line what a run would change in a companion, for --check."""
    elements = count_of(len(followed.updates.notes), "element")
    return f"would change: {elements} updated" if followed.changed else "fits already"


def proof_verdict(proof: Proof) -> str:
    """Return the proof in words, with the largest of its errors."""
    worst = max(proof.position, proof.angle, proof.mass, proof.center, proof.inertia, proof.limits)
    return f"Same robot: verified in {count_of(proof.samples + 1, 'pose')}, largest error {figure_text(worst)}"


def question_lines(
    result: Result, warnings: int, *, files: Sequence[Tuple[str, str, str]], style: Style
) -> List[str]:
    """Return the few lines right above the question: the verdict, what changes in numbers, and the files.

    A file is given as the text before its name, the name, and the text after it.
    """
    plan, before, after = result.plan, result.before, result.after
    change = change_line(result)
    asked = plan.options.merge and plan.options.strip_hardware and plan.options.reorient
    followers = [followed.name for followed in result.companions if followed.changed]
    nothing = (
        f"Nothing to do but in the {followers[0]}"
        if followers
        else NOTHING
        if asked
        else (EXPORTED if result.exported.files else NOTHING_ASKED)
    )
    edited = result.exported.edited
    verdict = f"{style.check_mark} {edited.verdict if edited else proof_verdict(result.proof)}"
    lines = [style.good(line) for line in fold(verdict, "   ", "")]
    if result.proof.axis > TOLERANCE:
        rounded = f"beside angles that were rounded by up to {result.proof.axis:.1e} rad"
        lines += fold(f"{rounded} (--snap 0 rounds none)", "   ", "   ")
    counts = [
        f"{len(before.links)} -> {count_of(len(after.links), 'link')}",
        f"{len(before.joints)} -> {count_of(len(after.joints), 'joint')}",
        "" if edited else change,  # the list of edits is above
        count_of(warnings, "warning") if warnings else "",
    ]
    lines += fold(", ".join(filter(None, counts)) if change else nothing, "   ", "   ")
    for (lead, tail), names in grouped(((lead, tail), name) for lead, name, tail in files).items():
        more = 0 if style.full else max(0, len(names) - FILES_NAMED)
        listed = f"{', '.join(names[: len(names) - more])}{f' and {more} more (--full names them)' if more else ''}"
        lines += fold(f"{lead}{listed}{tail}", "   ", "   ")
    return lines


def proof_text(result: Result) -> List[str]:
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
) -> List[str]:
    """Return what was written, every number read from the text that was written, and what is left to do.

    `output` is "" where no URDF is written.
    """
    before, after = result.before, result.after
    tasks = [
        *lost_frames(result.plan, style),
        *actions_needed(warnings, result.plan),
        *alike_lines(result.exported.left, style),
        *_signs_to_follow(result),
    ]
    tasks = (
        ["", style.title("Next (lines of the input):"), *map(style.alert, tasks)] if tasks else []
    )
    done = style.good("Done!")
    if not output:
        return ["", done, *further, *tasks]
    mass, edited = f"Mass preserved: {mass_text(after.mass)} kg", result.exported.edited
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


def _signs_to_follow(result: Result) -> List[str]:
    """Return the lines on joints whose sign or zero changed, which programs outside the file must know."""
    edited = result.exported.edited
    maps = (
        list(edited.maps.values())
        if edited
        else [planned.map for planned in result.plan.joints.values()]
    )
    flipped, moved = (
        sum(joint_map.sign < 0 for joint_map in maps),
        sum(joint_map.zero != 0.0 for joint_map in maps),
    )
    return [
        line
        for count, how, what in (
            (flipped, "flipped", "signs"),
            (moved, "got another zero", "zeros"),
        )
        for line in (
            fold(
                f"{count_of(count, 'joint')} {how}: drivers and policies outside the file need the "
                f"{what} (--report FILE, or --adapter FILE.py)"
            )
            if count
            else []
        )
    ]
