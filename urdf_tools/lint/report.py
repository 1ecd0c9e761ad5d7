"""The findings of files as text: grouped by kind, the worst first, or a line each."""
from typing import List, Optional, Sequence

from ..base.diagnostics import ERROR, NOTE, WARNING
from ..base.number_text import count_of
from ..report.grouped_warnings import group_diagnostics, group_text
from ..report.layout import fold, grouped, Style
from ..urdf.model import Edit
from .formats import Reported
from .records import at_least, Examined, Finding, LEVELS


def text_lines(examined: Sequence[Examined], style: Style, level: str, fail_on: str = ERROR) -> List[str]:
    """Return the lines for the findings of all files from a level on, and how many files have some to fail on."""
    lines: List[str] = []
    for each in examined:
        title = style.title(f"{each.path}: {counts_text(each)}")
        lines += [*([""] if lines else []), title, *_of_file(each, style, level)]
    if len(examined) > 1:
        bad = [each for each in examined if any(at_least(each.findings, fail_on))]
        what = {ERROR: "errors", WARNING: "errors or warnings", NOTE: "findings"}[fail_on]
        lines += ["", f"{len(bad)} of {count_of(len(examined), 'file')} with {what}"]
    return lines


def counts_text(each: Examined) -> str:
    """Return the numbers of errors, warnings, notes and ignored findings as a text."""
    counts = [count_of(each.count(severity), severity) for severity in (ERROR, WARNING, NOTE) if each.count(severity)]
    counts += [f"{len(each.ignored)} ignored"] if each.ignored else []
    return ", ".join(counts) or "nothing found"


def _of_file(each: Examined, style: Style, level: str) -> List[str]:
    lines: List[str] = []
    for severity in (ERROR, WARNING, NOTE):
        findings = [finding for finding in each.findings if finding.severity == severity]
        if LEVELS[severity] < LEVELS[level] and not style.full:
            continue
        for alike in grouped((finding.kind.name, finding) for finding in findings).values():
            lines += _of_kind(alike, style)
    if style.full:
        lines += [line for finding, reason in each.ignored
                  for line in fold(f"ignored [{finding.kind.name}] {_with_line(finding)}: {reason}")]
    return lines


def _of_kind(alike: Sequence[Finding], style: Style) -> List[str]:
    """Return the lines for the findings of a kind: each sentence once, unless --full is given, and the cure."""
    kind = alike[0].kind
    if style.full and kind.severity != NOTE:
        texts = [_with_line(finding) for finding in alike]
    else:
        texts = [group_text(group) for group in group_diagnostics([finding.diagnostic for finding in alike])]
    lines = [line for text in texts for line in fold(f"{kind.severity} [{kind.name}] {text}")]
    lines = lines if kind.severity == NOTE else [style.alert(line) for line in lines]
    count = sum(bool(finding.repair) for finding in alike)
    repaired = "it" if len(alike) == 1 else f"{count} of {len(alike)}"
    fix = f"; lint --fix --select {kind.name} repairs {repaired}" if count else ""
    return [*lines, *(fold(f"cure: {kind.hint}{fix}", "      ", "    ") if kind.hint else [])]


def _with_line(finding: Finding) -> str:
    line = f"line {finding.diagnostic.line}: " if finding.diagnostic.line else ""
    return f"{line}{finding.diagnostic.text}"


def quiet_lines(findings: Sequence[Reported]) -> List[str]:
    """Return one line for each finding, as compilers write them."""
    return [f"{finding.path}{f':{finding.line}' if finding.line else ''}: {finding.severity}: [{finding.kind}] "
            f"{finding.text}" for finding in findings if finding.reason is None]


def reported(examined: Sequence[Examined]) -> List[Reported]:
    """Return all findings of files, also those that comments ignore, as the formats show them."""
    return [in_file(each.path, finding, reason) for each in examined for finding, reason in (
        *((finding, None) for finding in each.findings), *each.ignored)]


def in_file(path: str, finding: Finding, reason: Optional[str] = None) -> Reported:
    """Return a finding of a file as the formats show it, with the reason of the comment that ignores it."""
    kind, diagnostic = finding.kind, finding.diagnostic
    return Reported(path, diagnostic.line, kind.name, kind.severity, diagnostic.text, kind.hint, kind.meaning,
                    diagnostic.names, diagnostic.numbers, tuple(map(edit_text, finding.repair)), reason)


def edit_text(edit: Edit) -> str:
    """Return an edit in one line."""
    what = f"<{'/'.join(filter(None, (edit.element.name, edit.child)))}>"
    old = None if edit.child else edit.element.get(edit.attribute)
    return f"line {edit.element.line}: {what} {edit.attribute}: {old if old is not None else 'none'} -> {edit.value}"
