"""The findings of files as text: by kind, the worst first, each with its line of the file; or a line each."""
from typing import List, Optional, Sequence

from ..base.diagnostics import Diagnostic, ERROR, NOTE, WARNING
from ..base.number_text import count_of
from ..report.grouped_warnings import group_diagnostics, group_text
from ..report.layout import fold, grouped, Style, WIDTH
from ..urdf.model import Edit
from .formats import Reported
from .records import Examined, Finding, LEVELS

CARET_FROM = 20  # columns that a long line shows in front of its caret


def text_lines(examined: Sequence[Examined], style: Style, level: str) -> List[str]:
    """Return the findings of all files from a level on, with the line of the file that each is about, and a summary."""
    lines: List[str] = []
    for each in examined:
        shown = [finding for finding in each.findings if LEVELS[finding.severity] >= LEVELS[level]]
        source = each.document.text().splitlines() if each.document else []
        for alike in grouped((finding.kind.name, finding) for finding in sorted(
                shown, key=lambda finding: -LEVELS[finding.severity])).values():
            lines += [*_of_kind(alike, each.path, source, style), ""]
        if not any(LEVELS[finding.severity] > LEVELS[NOTE] for finding in each.findings) and len(examined) > 1:
            lines += [style.good(f"{each.path}: OK") + _notes(each.count(NOTE)), ""]
        if style.full:
            lines += [line for finding, reason in each.ignored
                      for line in fold(f"ignored [{finding.kind.name}] {_with_line(finding)}: {reason}")]
    return [*lines, _summary(examined, style, level)]


def _summary(examined: Sequence[Examined], style: Style, level: str) -> str:
    """Return the line that counts the findings of all files."""
    counts = [count_of(count, severity) for severity in (ERROR, WARNING) for count in (
        sum(each.count(severity) for each in examined),) if count]
    files = count_of(len(examined), "file")
    notes = sum(each.count(NOTE) for each in examined)
    fixable = sum(bool(finding.repair) for each in examined for finding in each.findings)
    ignored = sum(len(each.ignored) for each in examined)
    more = [f"{count_of(notes, 'note')}{'' if level == NOTE else ' (--level note)'}" if notes else "",
            f"{fixable} fixable with --fix" if fixable else "", f"{ignored} ignored" if ignored else ""]
    found = f"Found {', '.join(counts)} in {files}" if counts else style.good(f"OK: no errors in {files}")
    return "; ".join(filter(None, (found, *more)))


def _notes(count: int) -> str:
    return f", {count_of(count, 'note')}" if count else ""


def _of_kind(alike: Sequence[Finding], path: str, source: Sequence[str], style: Style) -> List[str]:
    """Return the lines for the findings of a kind: each sentence once, unless --full is given, and the cure."""
    kind, lines = alike[0].kind, []
    groups = group_diagnostics([finding.diagnostic for finding in alike])
    each = [(finding.diagnostic, finding.diagnostic.text) for finding in alike]
    folded = [(group.notices[0], group_text(group, with_line=False)) for group in groups]
    for first, text in each if style.full and kind.severity != NOTE else folded:
        head = fold(f"{kind.severity}[{kind.name}]: {text}", "  ", "")
        lines += head if kind.severity == NOTE else [style.alert(line) for line in head]
        lines += _excerpt(first, path, source)
    count = sum(bool(finding.repair) for finding in alike)
    which = "it" if len(alike) == 1 else f"{count} of {len(alike)}"
    fix = f"; lint --fix --select {kind.name} repairs {which}" if count else ""
    return [*lines, *(fold(f"cure: {kind.hint}{fix}", "    ", "  ") if kind.hint else [])]


def _excerpt(diagnostic: Diagnostic, path: str, source: Sequence[str]) -> List[str]:
    """Return where a finding is, and the line of the file with a caret under the name that it is about."""
    line = diagnostic.line
    if not 0 < line <= len(source):
        return [f"  --> {path}"] if not line else [f"  --> {path}:{line}"]
    text = source[line - 1].expandtabs(4)
    names = [name for name in diagnostic.names if name and name in text]
    tag = text.find("<")
    start = text.index(names[0]) if names else max(tag, 0)
    length = len(names[0]) if names else len(text[start:].split(">")[0].split()[0]) if text.strip() else 1
    cut = max(0, start - CARET_FROM) if len(text) > WIDTH - 8 else 0
    gutter = " " * len(str(line))
    return [f"  --> {path}:{line}:{start + 1}", f"{line} | {text[cut:cut + WIDTH - 3 - len(gutter)]}",
            f"{gutter} | {' ' * (start - cut)}{'^' * min(length, WIDTH - 3 - len(gutter) - start + cut)}"]


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
