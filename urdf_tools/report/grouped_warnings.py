"""Group what was found: kind, lines, the first sentence, the names of the others, and what to do."""
from typing import List, NamedTuple, Sequence, Tuple

from ..base.diagnostics import Diagnostic, Kind, NOTE
from ..base.number_text import count_of
from ..base.option_table import pasted
from ..plan.decisions import Plan
from .layout import fold, grouped, lines_text, Section, Style

OTHERS_SHOWN = 4


class AlikeDiagnostics(NamedTuple):
    """Diagnostics of one kind and sentence; `others` are the names by which the later ones differ from the first."""

    kind: Kind
    found: Tuple[Diagnostic, ...]
    others: Tuple[str, ...]


def group_diagnostics(found: Sequence[Diagnostic]) -> List[AlikeDiagnostics]:
    """Return the groups in the order of their first diagnostics."""
    groups = []
    for alike in grouped(((one.kind.name, one.sentence), one) for one in found).values():
        columns = zip(*((one.place, *one.names) for one in alike))
        column = next((column for column in columns if len(set(column)) > 1), ("",))
        others = tuple(other for other in dict.fromkeys(column) if other != column[0])
        groups.append(AlikeDiagnostics(alike[0].kind, tuple(alike), others))
    return groups


def hint_of(found: Sequence[Diagnostic], plan: Plan) -> str:
    """Return what to do about diagnostics of one kind, with the merged links that they name."""
    hint, names = found[0].kind.hint, dict.fromkeys(name for one in found for name in one.names)
    if "{links}" not in hint:
        return hint
    links = [name for name in names if name in plan.members and plan.members[name].merged]
    kept = " ".join(pasted("--keep", link) for link in links)
    return hint.replace("--keep {links}", kept) if kept else ""


def needing(found: Sequence[Diagnostic]) -> List[Diagnostic]:
    """Return those that count: notes need no decision."""
    return [one for one in found if one.kind.severity != NOTE]


def warning_section(title: str, found: Sequence[Diagnostic], plan: Plan, style: Style) -> Section:
    """Return the warnings, grouped, and one line for all notes; in full each of both."""
    if style.full:
        return Section(f"{title}: {len(found)}", [style.alert(line) for one in found for line in fold(
            f"[{one.kind.name}] {line_text(one)}")])
    lines, counted = [], needing(found)
    for groups in grouped((group.kind.name, group) for group in group_diagnostics(counted)).values():
        lines += [line for group in groups for line in fold(f"[{group.kind.name}] {group_text(group)}")]
        hint = hint_of([one for group in groups for one in group.found], plan)
        lines += fold(f"hint: {hint}", "      ", "    ") if hint else []
    notes = [f"{group.kind.meaning} ({count_of(len(group.found), 'time')})" for group in group_diagnostics(
        [one._replace(sentence="") for one in found if one.kind.severity == NOTE])]
    folded = fold(f"{count_of(len(found) - len(counted), 'note')} (--full): {'; '.join(notes)}")
    return Section(f"{title}: {len(counted)}", [*map(style.alert, lines), *(folded if notes else [])])


def line_text(one: Diagnostic) -> str:
    """Return the sentence with its line."""
    return f"line {one.line}: {one.text}" if one.line else one.text


def alike_lines(found: Sequence[Diagnostic], style: Style) -> List[str]:
    """Return what consumers miss, alike as one, in full each.

    The first name of those with a line, which is one of the result, is the consumer.
    """
    groups = group_diagnostics(found) if not style.full else [
        AlikeDiagnostics(one.kind, (one,), ()) for one in found]
    firsts = [group.found[0] for group in groups]
    leads = [f"for {first.names[0]}, in the result: " if first.line else "" for first in firsts]
    return [line for lead, group in zip(leads, groups) for line in fold(f"{lead}{group_text(group)}")]


def group_text(group: AlikeDiagnostics) -> str:
    """Return the sentence of the first with its line, and where the others are."""
    first, *more = group.found
    sentence = line_text(first)
    if not more:
        return sentence
    names = ", ".join(name if name.startswith("<") else f"'{name.rpartition('/')[2] or name}'"
                      for name in group.others[:OTHERS_SHOWN])
    rest = len(group.others) - OTHERS_SHOWN
    listed = f"{names}{f' and {rest} more' if rest > 0 else ''}"
    lines = [one.line for one in more if one.line]
    where = lines_text(lines) if lines else count_of(len(more), "time")
    return f"{sentence}; also {f'{listed} ({where})' if listed else where}"


def actions_needed(found: Sequence[Diagnostic], plan: Plan) -> List[str]:
    """Return a line for each kind that asks for something to do."""
    lines: List[str] = []
    for alike in grouped((one.kind.name, one) for one in found if one.kind.needs_action).values():
        lines_of, kind, hint = [one.line for one in alike if one.line], alike[0].kind, hint_of(alike, plan)
        place = "" if alike[1:] else next((name for name in alike[0].names if name.startswith("<")), "")
        what = place or f"{kind.meaning}{f' ({len(alike)} times)' if alike[1:] else ''}"
        lines += fold(f"[{kind.name}] {f'{lines_text(lines_of, 6)}: ' if lines_of else ''}{what}"
                      f"{f': {hint}' if hint else ''}")
    return lines
