"""The findings of files: as text by kind, the worst first, each with its line of the file, or as one line each; and for
programs as JSON, as the workflow commands of GitHub, or as SARIF 2.1.0.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import Iterable, List, Optional, Sequence, Tuple

from ..base.type_aliases import Json, Reals, Texts
from ..base.diagnostics import Diagnostic, ERROR, NOTE, WARNING
from ..base.number_text import count_of, grouped
from ..base.record_type import Record
from ..base.version import __version__
from ..report.grouped_warnings import AlikeDiagnostics, group_diagnostics, group_text
from ..report.line_layout import fold, LINE_WIDTH, TextStyle
from ..urdf.urdf_records import AttributeEdit
from .program_effects import program_lines, program_rows, PROGRAMS, REFUSES
from .finding_records import at_least, DECLARATION_MOVE, ExaminedFile, LintFinding, LEVELS

# Columns that a long line shows in front of its caret: about a tag with its indentation.
CARET_FROM = 20
MOST_NAMED = 2  # programs that the last line names
LINT_FORMAT = 1
COMMANDS = {ERROR: "error", WARNING: "warning", NOTE: "notice"}
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


class ReportedFinding(Record):
    """A finding in the form that all formats show.

    Attributes:
        path, line: its file and line; line 0 is the whole file.
        kind, severity, text: its short name, error, warning or note, and its sentence.
        cure: the cure, "" if nothing can be done.
        meaning: the meaning of its kind.
        names, numbers: the names and numbers in its sentence.
        repair: the edits that repair it, each as `line: old -> new`; () if there is no single repair.
        reason: the reason in the comment that ignores it; None without a comment.
    """

    path: str
    line: int
    kind: str
    severity: str
    text: str
    cure: str = ""
    meaning: str = ""
    names: Texts = ()
    numbers: Reals = ()
    repair: Texts = ()
    reason: Optional[str] = None


def formatted(
    form: str,
    findings: Sequence[ReportedFinding],
    paths: Sequence[str],
    status: int,
    command: str,
    programs: Sequence[Json] = (),
) -> str:
    """Return findings in a format for programs, without a newline at the end.

    Args:
        form: json, github or sarif.
        findings: all findings, in order.
        paths: the files that were examined.
        status: the exit status of the run.
        command: check, compare or lint.
        programs: the treatment of each file by programs, for lint; in json only.
    """
    if form == "github":
        shown = [finding for finding in findings if finding.reason is None]
        return "\n".join(map(_workflow_command, shown))
    if form == "sarif":
        data = _sarif(findings, status)
    else:
        data = _json(findings, paths, status, command)
        if programs:
            data["programs"] = programs
    from json import dumps

    return dumps(data, indent=1, ensure_ascii=False, allow_nan=False)


def _json(
    findings: Sequence[ReportedFinding], paths: Sequence[str], status: int, command: str
) -> Json:
    """Return the findings as JSON: those that count, and those that comments ignore."""
    shown = [finding for finding in findings if finding.reason is None]
    ignored = [finding for finding in findings if finding.reason is not None]
    severities = [finding.severity for finding in shown]
    counts = {severity: severities.count(severity) for severity in (ERROR, WARNING, NOTE)}
    return {
        "format": LINT_FORMAT,
        "tool": {"name": "urdf_simplify", "version": __version__},
        "command": command,
        "files": list(paths),
        "exit": status,
        "counts": counts,
        "findings": [_row(finding) for finding in shown],
        "ignored": [{**_row(finding), "reason": finding.reason} for finding in ignored],
    }


def _row(finding: ReportedFinding) -> Json:
    """Return a finding as JSON."""
    return {
        "file": finding.path,
        "line": finding.line,
        "kind": finding.kind,
        "severity": finding.severity,
        "message": finding.text,
        "cure": finding.cure,
        "repair": list(finding.repair),
        "names": list(finding.names),
        "numbers": list(finding.numbers),
    }


def _workflow_command(finding: ReportedFinding) -> str:
    """Return a line that GitHub shows as an annotation (its documentation, "Workflow commands for GitHub Actions")."""
    line = f",line={finding.line}" if finding.line else ""
    cure = f"\n{finding.cure}" if finding.cure else ""
    properties = f"file={_of_property(finding.path)}{line},title={_of_property(finding.kind)}"
    return f"::{COMMANDS[finding.severity]} {properties}::{_of_message(finding.text + cure)}"


def _of_message(text: str) -> str:
    """Return a text as a workflow command of GitHub has it in its message."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _of_property(text: str) -> str:
    """Return a text as a workflow command of GitHub has it in a property."""
    return _of_message(text).replace(":", "%3A").replace(",", "%2C")


def _sarif(findings: Sequence[ReportedFinding], status: int) -> Json:
    """Return a log of one run (OASIS, Static Analysis Results Interchange Format 2.1.0)."""
    rules: List[str] = list(dict.fromkeys(finding.kind for finding in findings))
    first = {finding.kind: finding for finding in reversed(findings)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "urdf_simplify",
                        "version": __version__,
                        # Semantic versioning sets what comes before a release apart by a hyphen.
                        "semanticVersion": __version__.replace(".dev", "-dev."),
                        "rules": [_rule(first[kind]) for kind in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [{"executionSuccessful": True, "exitCode": status}],
                "results": [_result(finding, rules.index(finding.kind)) for finding in findings],
            }
        ],
    }


def _rule(finding: ReportedFinding) -> Json:
    """Return the rule of a kind in SARIF, from one of its findings."""
    rule: Json = {
        "id": finding.kind,
        "shortDescription": {"text": f"{finding.meaning or finding.kind}."},
        "defaultConfiguration": {"level": finding.severity},
    }
    if finding.cure:
        rule["help"] = {"text": finding.cure}
    return rule


def _result(finding: ReportedFinding, index: int) -> Json:
    """Return a finding in SARIF; `index` is the place of its rule."""
    # A finding about the whole file is shown in its first line, as readers of SARIF require a region.
    location = {
        "artifactLocation": {"uri": _uri(finding.path)},
        "region": {"startLine": finding.line or 1},
    }
    result: Json = {
        "ruleId": finding.kind,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": finding.text},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"kindAndNames/v1": " ".join((finding.kind, *finding.names))},
    }
    if finding.reason is not None:
        result["suppressions"] = [
            {"kind": "inSource", "status": "accepted", "justification": finding.reason}
        ]
    return result


def _uri(path: str) -> str:
    """Return a path as a relative reference, or as a URI of a file if it is absolute."""
    from urllib.parse import quote
    from urllib.request import pathname2url

    if os.path.isabs(path):
        return f"file://{pathname2url(path)}"
    return quote(path.replace(os.sep, "/"))


def text_lines(examined: Sequence[ExaminedFile], style: TextStyle, level: str) -> List[str]:
    """Return the findings of all files from a level on, each with its line of the file, and a summary."""
    lines: List[str] = []
    for each in examined:
        wanted = at_least(each.findings, level)
        shown = sorted(wanted, key=lambda finding: -LEVELS[finding.severity])
        by_cure = grouped(
            ((finding.kind.name, finding.diagnostic.cure), finding) for finding in shown
        )
        for alike in by_cure.values():
            lines += [*_of_cure(alike, each.path, each.lines, style), ""]
        if len(examined) > 1 and not any(at_least(each.findings, WARNING)):
            lines += [_without_errors(each, style), ""]
        if not style.full:
            continue
        for finding, reason in each.ignored:
            lines += fold(f"ignored [{finding.kind.name}] {_with_line(finding)}: {reason}")
    lines.append(_summary(examined, style, level))
    # Companion files and included files are not robots.
    robots = [each for each in examined if each.document is not None]
    if len(robots) == 1 and robots[0].programs:
        lines += program_lines(robots[0].programs, robots[0].path, style)
    return lines


def _without_errors(each: ExaminedFile, style: TextStyle) -> str:
    """Return the line about one of several files that has no errors and warnings."""
    notes = f", {count_of(each.count(NOTE), 'note')}" if each.count(NOTE) else ""
    refusing = _refusing(each)
    if refusing:
        return f"{each.path}: no errors{notes}; {_refuse(refusing)}"
    return style.good(f"{each.path}: OK") + notes


def _refusing(each: ExaminedFile) -> List[str]:
    """Return the names of the programs that refuse a robot unchanged."""
    return [program.name for program in each.programs if program.verdict == REFUSES]


def _refuse(names: Sequence[str]) -> str:
    """Return the words for the programs that refuse a robot: the names, or their number if they are many."""
    if len(names) > MOST_NAMED:
        return f"{len(names)} of {len(PROGRAMS)} programs refuse it"
    verb = "refuses" if len(names) == 1 else "refuse"
    return f"{' and '.join(names)} {verb} it"


def _summary(examined: Sequence[ExaminedFile], style: TextStyle, level: str) -> str:
    """Return the line that counts the findings of all files, and names the programs that refuse a robot."""
    found = [*chain.from_iterable(each.findings for each in examined)]
    counts = counts_of(at_least(found, WARNING))
    bad = sum(each.count(ERROR) + each.count(WARNING) > 0 for each in examined)
    files = count_of(len(examined), "file")
    if 0 < bad < len(examined):
        files = f"{bad} of {files}"
    notes = sum(each.count(NOTE) for each in examined)
    fixable = sum(bool(finding.repair) for finding in found)
    ignored = sum(len(each.ignored) for each in examined)
    robots = [each for each in examined if each.programs]
    refusing = [names for names in map(_refusing, robots) if names]
    more: List[str] = []
    if refusing and len(robots) == 1:
        more.append(_refuse(refusing[0]))
    elif refusing:
        more.append(f"programs refuse {len(refusing)} of {count_of(len(robots), 'robot')}")
    if notes:
        hint = "" if level == NOTE else " (--level note)"
        more.append(f"{count_of(notes, 'note')}{hint}")
    if fixable:
        more.append(f"{fixable} fixable with --fix")
    if ignored:
        more.append(f"{ignored} ignored")
    if counts:
        head = f"Found {', '.join(counts)} in {files}"
    elif refusing:
        head = f"0 errors in {files}"
    else:
        head = style.good(f"OK: no errors in {files}")
    return "; ".join((head, *more))


def counts_of(findings: Iterable[LintFinding]) -> List[str]:
    """Return the number of findings of each severity that is found, the worst first."""
    severities = [finding.severity for finding in findings]
    return [
        count_of(severities.count(severity), severity)
        for severity in (ERROR, WARNING, NOTE)
        if severity in severities
    ]


def _of_cure(
    alike: Sequence[LintFinding], path: str, source: Sequence[str], style: TextStyle
) -> List[str]:
    """Return the lines for the findings of a kind and cure: each sentence once, unless --full is given, and the cure."""
    kind = alike[0].kind
    lines: List[str] = []
    groups = group_diagnostics([finding.diagnostic for finding in alike])
    shown = [(group.notices[0], group_text(group, with_line=False)) for group in groups]
    if style.full and kind.severity != NOTE:
        shown = [(finding.diagnostic, finding.diagnostic.text) for finding in alike]
    paint = style.bad if kind.severity == ERROR else style.alert
    for first, text in shown:
        head = fold(f"{kind.severity}[{kind.name}]: {text}", "  ", "")
        if kind.severity != NOTE:
            head = [*map(paint, head)]
        lines += head
        lines += _excerpt(first, path, source)
    count = sum(bool(finding.repair) for finding in alike)
    which = "it" if len(alike) == 1 else f"{count} of {len(alike)}"
    fix = f"lint --fix --select {kind.name} repairs {which}" if count else ""
    text = "; ".join(filter(None, (alike[0].diagnostic.cure, fix)))
    if text:
        lines += fold(f"cure: {text}", "    ", "  ")
    return lines


def _excerpt(diagnostic: Diagnostic, path: str, source: Sequence[str]) -> List[str]:
    """Return the place of a finding, and the line of the file with a caret under the name that it is about."""
    line = diagnostic.line
    if not line:
        return [f"  --> {path}"]
    if not 0 < line <= len(source):
        return [f"  --> {path}:{line}"]
    text = source[line - 1].rstrip().expandtabs(4)
    start, length = _spot(text, diagnostic.names)
    gutter = " " * len(str(line))
    width = LINE_WIDTH.get() - 3 - len(gutter)
    cut = max(0, start - CARET_FROM) if len(text) > width else 0
    return [
        f"  --> {path}:{line}:{start + 1}",
        f"{line} | {text[cut : cut + width]}",
        f"{gutter} | {' ' * (start - cut)}{'^' * min(length, width - start + cut)}",
    ]


def column_of(diagnostic: Diagnostic, source: Sequence[str]) -> int:
    """Return the column of the name that a finding is about in its line, from 1; 0: it is about the whole file."""
    if not 0 < diagnostic.line <= len(source):
        return 0
    start, _ = _spot(source[diagnostic.line - 1], diagnostic.names)
    return start + 1


def _spot(text: str, names: Sequence[str]) -> Tuple[int, int]:
    """Return column and length of the part that a finding is about: a value or attribute that it names, or the element."""
    for around in ('"{}"', "'{}'", " {}="):
        for name in filter(None, names):
            if around.format(name) in text:
                return text.index(around.format(name)) + 1, len(name)
    element = re.search(r"<[\w:.-]+|\S+|$", text)
    assert element is not None  # the end of the line always matches
    return element.start(), max(1, len(element.group()))


def _with_line(finding: LintFinding) -> str:
    """Return the sentence of a finding with its line."""
    line = f"line {finding.diagnostic.line}: " if finding.diagnostic.line else ""
    return f"{line}{finding.diagnostic.text}"


def quiet_lines(examined: Sequence[ExaminedFile], level: str) -> List[str]:
    """Return a line for similar findings of a kind, as compilers write them, in the order of their lines."""
    lines: List[str] = []
    for each in examined:
        shown = grouped(
            (finding.severity, finding.diagnostic) for finding in at_least(each.findings, level)
        )
        groups: List[Tuple[str, AlikeDiagnostics]] = []
        for severity, diagnostics in shown.items():
            groups += [(severity, group) for group in group_diagnostics(diagnostics)]
        for severity, group in sorted(groups, key=lambda row: row[1].notices[0].line):
            line = group.notices[0].line
            where = f"{each.path}:{line}" if line else each.path
            text = group_text(group, with_line=False)
            lines.append(f"{where}: {severity}: [{group.kind.name}] {text}")
    return lines


def reported(examined: Sequence[ExaminedFile]) -> List[ReportedFinding]:
    """Return all findings of files, also those that comments ignore, as the formats show them."""
    rows: List[ReportedFinding] = []
    for each in examined:
        rows += [in_file(each.path, finding) for finding in each.findings]
        rows += [in_file(each.path, finding, reason) for finding, reason in each.ignored]
    return rows


def programs_of_files(examined: Sequence[ExaminedFile]) -> List[Json]:
    """Return the treatment of each file by programs, as JSON."""
    return [*chain.from_iterable(program_rows(each.path, each.programs) for each in examined)]


def in_file(path: str, finding: LintFinding, reason: Optional[str] = None) -> ReportedFinding:
    """Return a finding of a file as the formats show it, with the reason of the comment that ignores it."""
    kind = finding.kind
    diagnostic = finding.diagnostic
    return ReportedFinding(
        path=path,
        line=diagnostic.line,
        kind=kind.name,
        severity=kind.severity,
        text=diagnostic.text,
        cure=diagnostic.cure,
        meaning=kind.meaning,
        names=diagnostic.names,
        numbers=diagnostic.numbers,
        repair=tuple(map(edit_text, finding.repair)),
        reason=reason,
    )


def edit_text(edit: AttributeEdit) -> str:
    """Return an edit in one line."""
    if edit.attribute == DECLARATION_MOVE:
        return f"{edit.attribute} -> {edit.value}"
    what = f"<{'/'.join(filter(None, (edit.element.name, edit.child)))}>"
    # Repairs write into a child only where it is missing, so that there is no old value.
    old = None if edit.child else edit.element.get(edit.attribute)
    before = "none" if old is None else old
    after = "none" if edit.value is None else edit.value
    return f"line {edit.element.line}: {what} {edit.attribute}: {before} -> {after}"
