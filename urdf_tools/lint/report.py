"""What was found in files, for people: grouped by kind, the worst first, or a line each."""
from typing import List, Optional, Sequence

from ..base.diagnostics import ERROR, NOTE, WARNING
from ..base.number_text import count_of
from ..report.grouped_warnings import group_diagnostics, group_text
from ..report.layout import fold, grouped, Style
from ..urdf.model import Edit
from .formats import Reported
from .records import Examined, Finding, LEVELS



def text_lines(examined: Sequence[Examined], style: Style, level: str) -> List[str]:
    """Return the findings of all files; notes, and the one edits that repair them, only in full or at that level."""
    lines: List[str] = []
    for each in examined:
        title = style.title(f"{each.path}: {counts_text(each)}")
        lines += [*([""] if lines else []), title, *_of_file(each, style, level)]
    if len(examined) > 1:
        bad = [each for each in examined if any(LEVELS[one.severity] >= LEVELS[level] for one in each.findings)]
        lines += ["", f"{len(bad)} of {count_of(len(examined), 'file')} with {level}s"]
    return lines


def counts_text(each: Examined) -> str:
    """Return how many errors, warnings and notes there are, and how many are ignored."""
    said = [count_of(each.count(severity), severity) for severity in (ERROR, WARNING, NOTE) if each.count(severity)]
    said += [f"{len(each.ignored)} ignored"] if each.ignored else []
    return ", ".join(said) or "nothing found"


def _of_file(each: Examined, style: Style, level: str) -> List[str]:
    lines: List[str] = []
    for severity in (ERROR, WARNING, NOTE):
        found = [one for one in each.findings if one.severity == severity]
        if severity == NOTE and not (style.full or level == NOTE):
            continue
        for alike in grouped((one.found.kind.name, one) for one in found).values():
            lines += _of_kind(alike, style)
    if style.full:
        lines += [line for one, reason in each.ignored
                  for line in fold(f"ignored [{one.found.kind.name}] {_with_line(one)}: {reason}")]
    return lines


def _of_kind(alike: Sequence[Finding], style: Style) -> List[str]:
    """Return the lines of one kind: each sentence once, unless in full, and what to do."""
    kind = alike[0].found.kind
    if style.full and kind.severity != NOTE:
        texts = [_with_line(one) for one in alike]
    else:
        texts = [group_text(group) for group in group_diagnostics([one.found for one in alike])]
    lines = [line for text in texts for line in fold(f"{kind.severity} [{kind.name}] {text}")]
    lines = lines if kind.severity == NOTE else [style.alert(line) for line in lines]
    count = sum(bool(one.repair) for one in alike)
    fix = f"; --lint-fix {kind.name} repairs {'it' if len(alike) == 1 else f'{count} of {len(alike)}'}" if count else ""
    return [*lines, *(fold(f"cure: {kind.hint}{fix}", "      ", "    ") if kind.hint else [])]


def _with_line(one: Finding) -> str:
    return f"line {one.found.line}: {one.found.text}" if one.found.line else one.found.text


def quiet_lines(found: Sequence[Reported]) -> List[str]:
    """Return one line for each finding, as compilers write them."""
    return [f"{one.path}:{one.line}: {one.severity}: [{one.kind}] {one.text}" if one.line
            else f"{one.path}: {one.severity}: [{one.kind}] {one.text}" for one in found if one.reason is None]


def reported(examined: Sequence[Examined]) -> List[Reported]:
    """Return all findings of files, also those that comments ignore, as the formats show them."""
    return [_reported(each.path, one, reason) for each in examined for one, reason in (
        *((one, None) for one in each.findings), *each.ignored)]


def _reported(path: str, one: Finding, reason: Optional[str]) -> Reported:
    found = one.found
    return Reported(path, found.line, found.kind.name, found.kind.severity, found.text, found.kind.hint,
                    found.kind.meaning, found.names, found.numbers, tuple(map(edit_text, one.repair)), reason)


def edit_text(edit: Edit) -> str:
    """Return an edit in one line."""
    what = f"<{'/'.join(filter(None, (edit.element.name, edit.child)))}>"
    old = None if edit.child else edit.element.get(edit.attribute)
    return f"line {edit.element.line}: {what} {edit.attribute}: {old if old is not None else 'none'} -> {edit.value}"
