"""The plan as text for a person: what changes, in order, short or in full; nothing here prints."""
from typing import List

from ..base.number_text import count_of
from ..base.version import __version__
from ..urdf.spatial import IDENTITY
from ..run.companions import Followed
from ..run.pipeline import Result
from .changes import followed_rows, joint_sections, link_sections, mesh_sections
from .grouped_warnings import alike_lines, needing, warning_section
from .layout import columns, fold, lay_out, mass_text, Section, Style
from .summary import proof_text
from .tree import tree_lines
from .variant_text import variant_section

MORE = "More with --full, or ? at the question: the tree of {}, joint origins, figures of the proof"


def plan_text(result: Result, style: Style) -> List[str]:
    """Return the plan: what changes, the warnings, the findings of lint."""
    plan, robot, findings = result.plan, result.before, result.exported.findings
    # Warnings come last, right above the question; tree and figures only where all is shown.
    sections = [
        variant_section(plan), *link_sections(plan, style), *joint_sections(result, style), *mesh_sections(plan),
        Section(f"What follows elsewhere in the file: {len(plan.updates.notes)}",
                columns(followed_rows(plan.updates.notes, style))),
        *(_companion_section(followed, style) for followed in result.companions),
        *(Section(headline, columns(rows)) for headline, rows in result.exported.tables),
        Section("Further files", [*(line for text in result.exported.lines for line in fold(text)),
                                  *alike_lines(result.exported.left, style)]),
        warning_section("Lint findings", findings if style.full else needing(findings), plan, style),
        warning_section("Warnings", [*plan.warnings, *result.exported.warnings], plan, style),
        *(warning_section(f"Warnings about {followed.before.path}", followed.updates.warnings, plan, style)
          for followed in result.companions),
        Section("Kinematic tree of the input", tree_lines(plan, style) if style.full else []),
        Section("Proof", proof_text(result) if style.full else [])]
    who = (f"urdf_simplify {__version__}: {robot.document.path} '{robot.name}': "
           f"{count_of(len(robot.links), 'link')}, {count_of(len(robot.joints), 'joint')}, {mass_text(robot.mass)} kg")
    return [*map(style.title, fold(who, "  ", "")), *_base(result, style), *lay_out(sections, style),
            *([] if style.full else ["", *fold(MORE.format(count_of(len(robot.links), "link")), "  ", "")])]


def _base(result: Result, style: Style) -> List[str]:
    """Return the decision about the base frame, and the reason."""
    base, options = result.plan.base, result.plan.options
    if not options.reorient:
        is_chosen = options.merge or options.strip_hardware  # else the command reorients nothing
        return [f"Base: all frames stay as they are{' (--no-reorient)' if is_chosen else ''}"]
    turn = f"{base.words} becomes X forward, Y left, Z up" if base.R_new_old != IDENTITY else (
        "X forward, Y left, Z up, as in the input")
    lines = fold(f"Base: {turn}: {base.reason}", "  ", "")
    return [style.alert(line) if base.assumed else line for line in lines]


def _companion_section(followed: Followed, style: Style) -> Section:
    """Return the changes of a document that follows the plan, and its proof."""
    lines = columns(followed_rows(followed.updates.notes, style)) or ["  nothing in it has to follow"]
    title = f"{followed.name} {followed.before.path}: {count_of(len(followed.updates.notes), 'element')} to follow"
    return Section(title, [*lines, *fold(f"Proof: {followed.proof_line}")])
