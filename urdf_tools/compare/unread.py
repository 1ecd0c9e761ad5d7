"""Pair the unread elements of two files of the same format; differences are reported with both values and lines."""
from itertools import zip_longest
from textwrap import shorten
from typing import Callable, List, Sequence, Tuple

from ..base.number_text import grouped
from ..formats.reading import IGNORED
from ..robot.records import RawRobot, Unread, Word
from .words import NOT_COMPARED, UNREAD_DIFFERS, UNREAD_IGNORED, UNREAD_MORE

SHOWN = 2  # of the elements that only one file has, or that both have alike
PAIRS_SHOWN = 5
LONGEST = 60  # of a value
NOTHING: Tuple[Word, int] = (("", (), ""), 0)
KEYS: Tuple[Callable[[Unread], str], ...] = (  # equal elements at the same path, then the same path, then the same kind
    lambda item: f"{item.where} {item.words}", lambda item: item.where,
    lambda item: item.words[0][0] if item.words else "")


def _pairs_by(key: Callable[[Unread], str], first: Sequence[Unread], second: Sequence[Unread]) -> List[Tuple[int, int]]:
    """Return pairs of indices of elements with the same key, in order."""
    indices = grouped((key(item), index) for index, item in enumerate(second))
    return [(index, indices[key(item)].pop(0)) for index, item in enumerate(first) if indices.get(key(item))]


def compare_unread(a: RawRobot, b: RawRobot) -> Tuple[List[Tuple[Unread, Unread]], List[Unread], List[Unread]]:
    """Return pairs of unread elements that differ, and those of A and B alone; other formats have no pairs."""
    first, second = list(a.unread), list(b.unread)
    pairs: List[Tuple[Unread, Unread]] = []
    for key in KEYS if a.format == b.format else ():
        matched = _pairs_by(key, first, second)
        pairs += [(first[k], second[m]) for k, m in matched if first[k].words != second[m].words]
        for unread, gone in ((first, {k for k, _ in matched}), (second, {m for _, m in matched})):
            unread[:] = [item for k, item in enumerate(unread) if k not in gone]
    return pairs, first, second


def unread_notes(a: RawRobot, b: RawRobot) -> List[str]:
    """Return sentences on what is not compared: what differs, then the first elements of each file.

    Unread attributes that are equal in both files are not named.
    """
    notes = []
    for side, robot in (("A", a), ("B", b)):
        ignored = [item for item in robot.unread if item.why == IGNORED]
        more = f" ({len(ignored) - 1} more)" if ignored[1:] else ""
        notes += [UNREAD_IGNORED.format(side, item.line, more) for item in ignored[:1]]
    a, b = (robot._replace(unread=tuple(item for item in robot.unread if item.why != IGNORED)) for robot in (a, b))
    pairs, only_a, only_b = compare_unread(a, b)
    notes += [_sentence(item, other) for item, other in pairs[:PAIRS_SHOWN]]
    if len(pairs) > PAIRS_SHOWN:
        notes.append(UNREAD_MORE.format(len(pairs) - PAIRS_SHOWN))
    apart = {id(item) for item in (*only_a, *only_b, *(item for pair in pairs for item in pair))}
    for side, robot, only in (("A", a, only_a), ("B", b, only_b)):
        items = only + [item for item in robot.unread if id(item) not in apart and (not item.words or item.words[0][0])]
        shown = ", ".join(f"{item.element} (line {item.line})" for item in items[:SHOWN])
        more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
        notes += [NOT_COMPARED.format(side, shown + more)] if items else []
    return notes


def _sentence(item: Unread, other: Unread) -> str:
    """Return the first word by which two elements differ, with both values and lines."""
    both = zip_longest(zip(item.words, item.lines), zip(other.words, other.lines), fillvalue=NOTHING)
    (word, line), (second, line_b) = next(pair for pair in both if pair[0][0] != pair[1][0])
    path, values, text = word
    others = dict(second[1])
    names = [name for name, value in values if others.get(name) != value] + [
        name for name in others if name not in dict(values)]
    texts = [" ".join(f'{name}="{words[name]}"' for name in names if name in words) if names else text
            for words, text in ((dict(values), text), (others, second[2]))]
    inner = (path or second[0]).partition("/")[2]
    return UNREAD_DIFFERS.format(item.element, f" {inner}" if inner else "", *(
        part for text, at in zip(texts, (line, line_b)) for part in (shorten(text, LONGEST) or "nothing", at or "?")))
