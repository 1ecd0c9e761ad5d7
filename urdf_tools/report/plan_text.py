"""The plan as text for a person: what changes, in order, short or in full, with the kinematic tree of the input."""
from typing import List, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import count_of, grouped
from ..base.version import __version__
from ..urdf.model import Joint, Robot
from ..urdf.spatial import IDENTITY
from ..plan.decisions import Plan
from ..plan.merging import BASE, KEPT
from ..run.records import Followed, Result
from .changes import axis_change, followed_rows, joint_section, link_sections, mesh_sections, signs_section
from .grouped_warnings import alike_lines, grouped_lines, needing
from .layout import columns, fold, lay_out, LINE_WIDTH, mass_text, Section, Style
from .summary import proof_text

BOXES, PLAIN_BOXES = ("├── ", "└── ", "│   ", "    "), ("|-- ", "`-- ", "|   ", "    ")
MIN_TEXT_WIDTH = 44  # columns for the text of a link; deeper levels are shown at the last indent that allows them


def tree_lines(plan: Plan, style: Style) -> List[str]:
    """Return the tree; an indent that is too wide for the text is cut, with "..." in front of the link."""
    robot = plan.robot
    below = grouped((joint.parent, joint) for joint in robot.joints)
    branch, last, bar, blank = BOXES if style.boxes else PLAIN_BOXES
    deepest = (LINE_WIDTH.get() - MIN_TEXT_WIDTH) // len(bar)
    lines = [f"  {_label(robot, robot.root)}"]
    waiting: List[Tuple[Joint, Tuple[str, ...], bool]] = [
        (joint, (), joint is below[robot.root][-1]) for joint in reversed(below.get(robot.root, []))]
    while waiting:
        joint, above, is_last = waiting.pop()
        depth = "" if len(above) < deepest else "... "
        inside = (*above, blank if is_last else bar) if len(above) < deepest else above
        children = below.get(joint.child, [])
        lead = "  " + "".join(above) + (last if is_last else branch) + depth
        goes_on = "  " + "".join(inside) + (bar if children else blank)
        state = ", ".join(filter(None, (_label(robot, joint.child), _state(plan, joint.child), _motion(plan, joint))))
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
ORDERED_BY = {"mujoco": "MuJoCo", "isaac": "Isaac", "newton": "Newton"}  # by the words of `joint_orders`


def plan_text(result: Result, style: Style) -> List[str]:
    """Return the plan: what changes, the table of joints, the warnings."""
    plan, robot, findings = result.plan, result.before, result.exported.findings
    # Warnings come last, right above the question; tree and figures only where all is shown.
    edits = [(f"{number}.", phrase) for number, phrase in enumerate(result.exported.changes, 1)]
    sections = [
        *([Section(f"Edits: {len(edits)}", columns(edits))] if result.exported.edited else [
            signs_section(plan), *link_sections(plan, style)]), *mesh_sections(plan),
        Section(f"Also updated: {len(plan.updates.notes)}", columns(followed_rows(plan.updates.notes, style))),
        *(_companion_section(followed, style) for followed in result.companions),
        *(Section(headline, columns(rows)) for headline, rows in result.exported.tables),
        Section("Further files", [*(line for text in result.exported.lines for line in fold(text)),
                                  *alike_lines(result.exported.left, style)]),
        joint_section(result, style),
        *([_order_section(result)] if style.full else []),
        Section("Kinematic tree of the input", tree_lines(plan, style) if style.full else []),
        Section("Proof", proof_text(result) if style.full else [])]
    who = (f"{PROGRAM} {__version__}: {robot.document.path} '{robot.name}', "
           f"{count_of(len(robot.links), 'link')}, {count_of(len(robot.joints), 'joint')}, {mass_text(robot.mass)} kg")
    warnings = [*grouped_lines([*plan.warnings, *result.exported.warnings], plan, style),
                *(line for followed in result.companions for line in grouped_lines(
                    followed.updates.warnings, plan, style, followed.before.path)),
                *_finding_lines(findings, robot.document.path, plan, style)]
    return [*map(style.title, fold(who, "  ", "")), *_base(result, style), *lay_out(sections, style),
            *(["", *warnings] if warnings else [])]


def _order_section(result: Result) -> Section:
    """Return in which order programs number the joints of the result."""
    from .run_json import joint_orders

    orders = joint_orders(result.after.joints, result.after.root)
    alike = grouped((tuple(orders[word]), name) for word, name in ORDERED_BY.items())
    rows = [(", ".join(names), "as in the file" if list(order) == orders["ros"] else ", ".join(order))
            for order, names in alike.items() if order]
    return Section("Order of the joints in programs", columns(rows))


def _finding_lines(findings: Sequence[Diagnostic], path: str, plan: Plan, style: Style) -> List[str]:
    """Return how many lint findings there are, in full each."""
    if style.full and findings:
        return ["", style.title(f"Lint findings: {len(findings)}"), *grouped_lines(findings, plan, style)]
    count = len(needing(findings))
    return fold(f"{count_of(count, 'lint finding')}: urdf-simplify lint {path}", "  ", "") if count else []


def _base(result: Result, style: Style) -> List[str]:
    """Return the decision about the base frame, and the reason."""
    base, options = result.plan.base, result.plan.options
    if not options.reorient:
        is_chosen = options.merge or options.strip_hardware  # else the command reorients nothing
        return ["Base frame: all frames stay as they are (--no-reorient)"] if is_chosen else []
    words = f"{base.words} -> X forward, Y left, Z up" if base.R_new_old != IDENTITY else (
        "X forward, Y left, Z up, as in the input")
    else_ = "" if options.base_frame != "auto" or "--base-frame" in base.reason else " (else: --base-frame)"
    lines = [*fold(f"Base frame: {words}", "  ", ""), *fold(base.reason + else_, "  ", "  ")]
    return [style.alert(line) if base.assumed else line for line in lines]


def _companion_section(followed: Followed, style: Style) -> Section:
    """Return the changes of a document that follows the plan, and its proof."""
    lines = columns(followed_rows(followed.updates.notes, style)) or ["  nothing in it changes"]
    title = f"{followed.name} {followed.before.path}: {count_of(len(followed.updates.notes), 'element')} updated"
    return Section(title, [*lines, *fold(f"Proof: {followed.proof_line}")])
