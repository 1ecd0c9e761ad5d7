"""What nobody read of two files of one format, side by side: what differs is said with both values and their lines."""
from itertools import zip_longest
from textwrap import shorten
from typing import Callable, Dict, List, Sequence, Tuple

from .records import RawRobot, Unread, Word
from .words import NOT_COMPARED, UNREAD_DIFFERS, UNREAD_MORE

SHOWN = 2  # of the elements that only one file has, or that both have alike
PAIRS_SHOWN = 5
LONGEST = 60  # of a value
NOTHING: Tuple[Word, int] = (("", (), ""), 0)
KEYS: Tuple[Callable[[Unread], str], ...] = (  # what belongs together: the same in one place, one place, one kind
    lambda one: f"{one.where} {one.words}", lambda one: one.where, lambda one: one.words[0][0] if one.words else "")


def _pairs_by(key: Callable[[Unread], str], first: Sequence[Unread], second: Sequence[Unread]) -> List[Tuple[int, int]]:
    """Return pairs of places of one key, in order."""
    places: Dict[str, List[int]] = {}
    for place, one in enumerate(second):
        places.setdefault(key(one), []).append(place)
    return [(place, places[key(one)].pop(0)) for place, one in enumerate(first) if places.get(key(one))]


def compare_unread(a: RawRobot, b: RawRobot) -> Tuple[List[Tuple[Unread, Unread]], List[Unread], List[Unread]]:
    """Return what nobody read of both files and is not alike, and what A or B has alone; formats share nothing."""
    first, second = list(a.unread), list(b.unread)
    pairs: List[Tuple[Unread, Unread]] = []
    for key in KEYS if a.format == b.format else ():
        matched = _pairs_by(key, first, second)
        pairs += [(first[k], second[m]) for k, m in matched if first[k].words != second[m].words]
        for unread, gone in ((first, {k for k, _ in matched}), (second, {m for _, m in matched})):
            unread[:] = [one for k, one in enumerate(unread) if k not in gone]
    return pairs, first, second


def unread_notes(a: RawRobot, b: RawRobot) -> List[str]:
    """Return sentences on what has no place in the comparison: what differs, then the first elements of each file.

    Attributes that nobody reads and that are alike in both files need no word.
    """
    pairs, only_a, only_b = compare_unread(a, b)
    notes = [_sentence(one, other) for one, other in pairs[:PAIRS_SHOWN]]
    if len(pairs) > PAIRS_SHOWN:
        notes.append(UNREAD_MORE.format(len(pairs) - PAIRS_SHOWN))
    apart = {id(one) for one in (*only_a, *only_b, *(one for pair in pairs for one in pair))}
    for side, robot, only in (("A", a, only_a), ("B", b, only_b)):
        listed = [*only, *(one for one in robot.unread if id(one) not in apart and (not one.words or one.words[0][0]))]
        shown = ", ".join(f"{one.element} (line {one.line})" for one in listed[:SHOWN])
        more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
        notes += [NOT_COMPARED.format(side, shown + more)] if listed else []
    return notes


def _sentence(one: Unread, other: Unread) -> str:
    """Return the first word by which two elements differ, with what both say of it and where."""
    both = zip_longest(zip(one.words, one.lines), zip(other.words, other.lines), fillvalue=NOTHING)
    (word, line), (second, line_b) = next(pair for pair in both if pair[0][0] != pair[1][0])
    path, values, text = word
    others = dict(second[1])
    names = [name for name, value in values if others.get(name) != value] + [
        name for name in others if name not in dict(values)]
    said = [" ".join(f'{name}="{words[name]}"' for name in names if name in words) if names else text
            for words, text in ((dict(values), text), (others, second[2]))]
    inner = (path or second[0]).partition("/")[2]
    return UNREAD_DIFFERS.format(one.element, f" {inner}" if inner else "", *(
        part for text, at in zip(said, (line, line_b)) for part in (shorten(text, LONGEST) or "nothing", at or "?")))
