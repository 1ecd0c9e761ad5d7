"""The robots that a branch changed, as text, as Markdown for a pull request, and as findings for programs."""

from __future__ import annotations

from typing import Callable, List, Mapping

from ..base.type_aliases import Json, Pairs
from ..base.diagnostics import ERROR, NOTE, WARNING
from ..base.number_text import count_of, shown_names
from ..compare.robot_comparison import ComparisonResult
from ..compare.difference_records import Difference
from ..compare.markdown_report import code, marked, table
from ..compare.comparison_text import as_json, conventions_of_headline, label_lines
from ..compare.review_summary import summary_causes
from ..compare.difference_kinds import KINDS
from ..lint.findings_output import ReportedFinding
from ..report.line_layout import fold, LINE_WIDTH, TextStyle
from ..urdf.expand_xacro import is_xacro
from .compare_command import ANOTHER, new_lines
from .git_checkout import SHORT
from .branch_changes import (
    COMPARED,
    NEW,
    NOT_COMPARED,
    REMOVED,
    RobotChange,
    RobotChanges,
    UNREADABLE,
)

# The words that count robots in the first line, in their order: by state, and of robots that were compared by verdict.
DIFFERENT = "different"
NOT_IN_FULL = "not compared in full"
FAILING = "failing by --fail-on"
OTHER_SIGNS = "with other signs or zeros"
THE_SAME = "the same"
WORDS = (
    UNREADABLE,
    NOT_COMPARED,
    DIFFERENT,
    NOT_IN_FULL,
    FAILING,
    OTHER_SIGNS,
    REMOVED,
    NEW,
    THE_SAME,
)
MOST_LISTED = 5  # robots that are the same; of more, only the first are named, in one line
# The kinds of the findings about whole robots.
KIND_OF_STATE: Mapping[str, str] = {
    NEW: "robot-new",
    REMOVED: "robot-removed",
    UNREADABLE: "robot-unreadable",
    NOT_COMPARED: "robot-not-compared",
}
SIDES = "A is the file of the base, B is the file of the branch."


def text_lines(changes: RobotChanges, style: TextStyle, *, full: bool) -> List[str]:
    """Return the changed robots for a person: a line that counts them, then each with its verdict and its causes."""
    lines = [style.title(line) for line in fold(_headline(changes), "  ", "")]
    # The worst is last, next to the prompt of a terminal.
    for change in reversed(_shown(changes, full=full)):
        rows = _rows(change, full=full)
        paint = _paint(change, style)
        title = change.file + _was(change)
        if rows:
            lines += ["", title, *(paint(line) for line in fold(change.verdict, "    ", "  "))]
        else:
            lines += ["", *(paint(line) for line in fold(f"{title}: {change.verdict}", "  ", ""))]
        for label, text in rows:
            lines += label_lines(label, text, LINE_WIDTH.get())
    if any(change.comparison is not None and change.is_failing for change in changes.robots):
        lines += ["", SIDES]
    return [*lines, *_rest(changes, full=full)]


def quiet_lines(changes: RobotChanges) -> List[str]:
    """Return a line for each finding: file and line of the branch, kind and sentence."""
    lines = []
    for finding in findings_of(changes):
        if finding.severity == NOTE:
            continue
        where = f"{finding.path}:{finding.line}" if finding.line else finding.path
        lines.append(f"{where}: {finding.kind}: {finding.text}")
    return lines


def markdown_of_changes(changes: RobotChanges) -> str:
    """Return the changed robots as Markdown: a table of all of them, then a table for each that differs."""
    lines = [f"### {marked(_headline(changes))}", ""]
    shown = _shown(changes)
    if shown:
        lines += table(("robot", "verdict"), [(_title(one), one.verdict) for one in shown])
    tables: List[str] = []
    for change in shown:
        rows = _rows(change, full=False)
        if rows:
            tables += ["", f"#### {_title(change)}", "", *table(("what", "difference"), rows)]
    if tables:
        tables += ["", SIDES]
    return "\n".join([*lines, *tables, *_rest(changes)]) + "\n"


def findings_of(changes: RobotChanges) -> List[ReportedFinding]:
    """Return the findings of all robots: first a finding about each robot, then each difference at its line."""
    shown = _shown(changes, full=True)
    rows = [_finding_of_robot(change) for change in shown]
    for change in shown:
        if change.comparison is not None:
            rows += _findings_of_differences(change.file, change.comparison)
    # A mesh that many links use is reported once.
    return list(dict.fromkeys(rows))


def json_of_changes(changes: RobotChanges, status: int) -> Json:
    """Return all robots with their comparisons, as plain data."""
    robots = []
    for change in changes.robots:
        row: Json = {
            "file": change.file,
            "old": change.old,
            "state": change.state,
            "text": change.verdict,
            "comparison": None,
        }
        if change.comparison is not None:
            row["comparison"] = as_json(change.comparison)
        robots.append(row)
    return {
        "since": changes.checkout.revision,
        "commit": changes.checkout.start,
        "exit": status,
        "robots": robots,
        "unread": list(changes.unread),
        "aside": list(changes.aside),
    }


def _finding_of_robot(change: RobotChange) -> ReportedFinding:
    """Return the finding about a whole robot."""
    comparison = change.comparison
    kind = KIND_OF_STATE.get(change.state, "")
    severity = NOTE
    if comparison is not None:
        kind = f"robot-{comparison.verdict}"
        severity = ERROR if comparison.differences or comparison.failing else NOTE
        # Nothing differs, but not all could be compared.
        if comparison.unproven and severity == NOTE:
            severity = WARNING
    elif change.state == UNREADABLE:
        severity = ERROR
    elif change.state in (REMOVED, NOT_COMPARED):
        severity = WARNING
    return ReportedFinding(
        path=change.file,
        line=change.line,
        kind=kind,
        severity=severity,
        text=change.verdict + _was(change),
        meaning="a robot and the robot in the base",
    )


def _findings_of_differences(file: str, comparison: ComparisonResult) -> List[ReportedFinding]:
    """Return the rows of a summary at their lines of the new file; one reason is one finding."""
    lines = new_lines(comparison)
    counted = {*comparison.differences, *comparison.failing}
    rows = []
    for cause in summary_causes(comparison):
        first = cause.differences[0]
        # What could not be compared, and a sign that --fail-on does not name, fail nothing.
        severity = ERROR if first in counted else WARNING
        rows.append(
            ReportedFinding(
                path=file,
                # A line of a xacro would be a line of its expanded text, which nobody sees.
                line=0 if is_xacro(file) else _line_of(first, lines),
                kind=first.kind,
                severity=severity,
                text=cause.text,
                meaning=KINDS[first.kind].label,
                names=first.names,
                numbers=first.numbers,
            )
        )
    return rows


def _line_of(difference: Difference, lines: Mapping[str, int]) -> int:
    """Return the line of a difference in the new file, 0 if it is not known."""
    return difference.line_b or lines.get(difference.where, 0)


def _shown(changes: RobotChanges, *, full: bool = False) -> List[RobotChange]:
    """Return the robots that are shown one by one, in the order of WORDS; `full`: all of them."""
    alike = () if full else _alike(changes)
    shown = [change for change in changes.robots if change.is_shown and change not in alike]
    return sorted(shown, key=lambda change: WORDS.index(_word_of(change)))


def _alike(changes: RobotChanges) -> List[RobotChange]:
    """Return the robots in changed files that are exactly the same in the same place, if they are many."""
    alike = []
    for change in changes.robots:
        is_exact = change.comparison is not None and change.comparison.verdict == "same"
        if change.is_shown and is_exact and _word_of(change) == THE_SAME and not _was(change):
            alike.append(change)
    return alike if len(alike) > MOST_LISTED else []


def _rows(change: RobotChange, *, full: bool) -> Pairs:
    """Return label and sentence of each row about a robot."""
    if change.comparison is None:
        return ()
    causes = summary_causes(change.comparison, full=full)
    return tuple((cause.label, cause.text) for cause in causes)


def _headline(changes: RobotChanges) -> str:
    """Return the line that counts the robots by what happened to them."""
    words = [_word_of(change) for change in changes.robots if change.is_shown]
    since = f"since {changes.checkout.revision} ({changes.checkout.start[:SHORT]})"
    if not words:
        return f"No robot changed {since}"
    counted = ", ".join(f"{words.count(word)} {word}" for word in WORDS if word in words)
    return f"{count_of(len(words), 'robot')} changed {since}: {counted}"


def _word_of(change: RobotChange) -> str:
    """Return the word of WORDS for a robot."""
    comparison = change.comparison
    if comparison is None:
        return change.state
    if comparison.differences:
        return DIFFERENT
    if comparison.unproven:
        return NOT_IN_FULL
    if comparison.failing:
        return FAILING
    return OTHER_SIGNS if conventions_of_headline(comparison) else THE_SAME


def _rest(changes: RobotChanges, *, full: bool = False) -> List[str]:
    """Return lines about the robots that are not shown, and about files that were not compared."""
    lines = []
    alike = () if full else _alike(changes)
    if alike:
        names = shown_names((change.file for change in alike), 3)
        lines.append(f"The same, although the file changed: {names}")
    same = sum(not change.is_shown for change in changes.robots)
    if same:
        lines.append(f"{count_of(same, 'other robot')}: the same, although other files changed")
    if changes.unread:
        names = shown_names(changes.unread, 3)
        lines.append(f"Neither now nor before a robot that can be read: {names}")
    if changes.aside:
        names = shown_names(changes.aside, 3)
        lines.append(f"Changed, and not read by compare: {names}")
    return ["", *lines] if lines else []


def _was(change: RobotChange) -> str:
    """Return the old name of a renamed robot, in words."""
    return f" (was {change.old})" if change.old not in ("", change.file) else ""


def _paint(change: RobotChange, style: TextStyle) -> Callable[[str], str]:
    """Return the function that gives the verdict of a robot its color."""
    if not change.is_failing:
        return style.good if change.state == COMPARED else str
    is_another = change.comparison is None or change.comparison.verdict in ANOTHER
    return style.bad if is_another else style.alert


def _title(change: RobotChange) -> str:
    """Return the name of a robot in Markdown, with its old name."""
    was = f", was {code(change.old)}" if _was(change) else ""
    return f"{code(change.file)}{was}"
