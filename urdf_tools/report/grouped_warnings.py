"""Group diagnostics: kind, lines, the first sentence, the names in the others, and the cure."""

from __future__ import annotations

from itertools import chain
from typing import List, Sequence, TYPE_CHECKING

from ..base.type_aliases import Lines, Texts
from ..base.diagnostics import Diagnostic, Diagnostics, DiagnosticKind, NOTE, Notes
from ..base.number_text import count_of, grouped, shown_names
from ..base.option_table import pasted
from ..base.record_type import Record
from .line_layout import fold, lines_text, TextStyle

if TYPE_CHECKING:
    from ..plan.plan_decisions import Plan

OTHERS_SHOWN = 4


class AlikeDiagnostics(Record):
    """Diagnostics of one kind and sentence; `others` are the names by which the later ones differ from the first."""

    kind: DiagnosticKind
    notices: Notes
    others: Texts


def group_diagnostics(notices: Sequence[Diagnostic]) -> List[AlikeDiagnostics]:
    """Return the groups in the order of their first diagnostics."""
    by_sentence = grouped(((notice.kind.name, notice.sentence), notice) for notice in notices)
    groups = []
    for alike in by_sentence.values():
        columns = zip(*((notice.place, *notice.names) for notice in alike))
        # Names are compared by column: the group lists the first column in which they differ.
        column = next((column for column in columns if len(set(column)) > 1), ("",))
        others = tuple(other for other in dict.fromkeys(column) if other != column[0])
        groups.append(AlikeDiagnostics(alike[0].kind, tuple(alike), others))
    return groups


def hint_of(notices: Sequence[Diagnostic], plan: Plan) -> str:
    """Return the cure that diagnostics share, filled with the merged links that they name.

    If they name no merged link, the frame of a link turns; the option that keeps it takes one of their names.
    """
    hint = notices[0].cure
    names = dict.fromkeys(chain.from_iterable(notice.names for notice in notices))
    if "{links}" not in hint:
        return hint if plan.options.reorient else hint.replace(", or --no-reorient", "")
    links = [name for name in names if name in plan.members and plan.members[name].merged]
    kept = " ".join(pasted("--keep", link) for link in links)
    kept = kept or " ".join(name for name in names if name == "--no-reorient")
    return hint.replace("--keep {links}", kept) if kept else ""


def needing(notices: Sequence[Diagnostic]) -> Diagnostics:
    """Return the diagnostics that count: all except notes, which need no decision."""
    return [notice for notice in notices if notice.kind.severity != NOTE]


def grouped_lines(
    notices: Sequence[Diagnostic], plan: Plan, style: TextStyle, path: str = ""
) -> Lines:
    """Return the warnings, grouped, each with its cure, and one line for all notes; with --full a line for each.

    `path` is the file of the diagnostics, "" for the input.
    """
    where = f"{path}: " if path else ""

    def warning(kind: DiagnosticKind, sentence: str) -> Lines:
        """Return the lines of a sentence with its severity and kind."""
        folded = fold(f"{kind.severity}: [{kind.name}] {where}{sentence}", "  ", "")
        return [*map(style.alert, folded)]

    lines = []
    if style.full:
        for notice in notices:
            lines += warning(notice.kind, line_text(notice))
        return lines
    groups = group_diagnostics(needing(notices))
    # A cure stands once, below all sentences that it cures.
    by_cure = grouped(((group.kind.name, group.notices[0].cure), group) for group in groups)
    for cured in by_cure.values():
        for group in cured:
            lines += warning(group.kind, group_text(group))
        hint = hint_of([*chain.from_iterable(group.notices for group in cured)], plan)
        if hint:
            lines += fold(f"cure: {hint}", "    ", "  ")
    return lines + _note_line(notices)


def _note_line(notices: Sequence[Diagnostic]) -> Lines:
    """Return one line for all notes, with the times of each kind; [] without notes."""
    notes = [notice for notice in notices if notice.kind.severity == NOTE]
    if not notes:
        return []
    # Without sentences the notes of a kind are one group.
    groups = group_diagnostics([notice._replace(sentence="") for notice in notes])
    kinds = [f"{group.kind.meaning} ({count_of(len(group.notices), 'time')})" for group in groups]
    return fold(f"{count_of(len(notes), 'note')} (--full): {'; '.join(kinds)}", "  ", "")


def line_text(notice: Diagnostic) -> str:
    """Return the sentence with its line."""
    return f"line {notice.line}: {notice.text}" if notice.line else notice.text


def _quoted_name(name: str) -> str:
    """Return a name in quotes, the name of a file without its folder; a tag unchanged."""
    if name.startswith("<"):
        return name
    return f"'{name.rpartition('/')[2] or name}'"


def group_text(group: AlikeDiagnostics, *, with_line: bool = True, with_cure: bool = False) -> str:
    """Return the sentence of the first diagnostic, and names and lines of the others.

    Its line is before it if `with_line`, its cure after it if `with_cure`.
    """
    first, *more = group.notices
    sentence = line_text(first) if with_line else first.text
    if with_cure and first.cure:
        sentence = f"{sentence}: {first.cure}"
    if not more:
        return sentence
    listed = shown_names(map(_quoted_name, group.others), OTHERS_SHOWN)
    lines = [notice.line for notice in more if notice.line]
    where = lines_text(lines) if lines else count_of(len(more), "time")
    if listed:
        where = f"{listed} ({where})"
    return f"{sentence}; also {where}"


def actions_needed(notices: Sequence[Diagnostic], plan: Plan) -> Lines:
    """Return the lines of each kind that needs an action, one for each of its cures."""
    lines: Lines = []
    for alike in grouped(
        ((notice.kind.name, notice.cure), notice) for notice in notices if notice.kind.needs_action
    ).values():
        lines_of = [notice.line for notice in alike if notice.line]
        kind = alike[0].kind
        hint = hint_of(alike, plan)
        where = (
            "" if alike[1:] else next((name for name in alike[0].names if name.startswith("<")), "")
        )
        times = f" ({len(alike)} times)" if alike[1:] else ""
        what = where or f"{kind.meaning}{times}"
        at = f"{lines_text(lines_of, 6)}: " if lines_of else ""
        cure = f": {hint}" if hint else ""
        lines += fold(f"[{kind.name}] {at}{what}{cure}")
    return lines
