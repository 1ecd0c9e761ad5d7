"""Differences that are one line: those of one sentence but for the name that it begins with, and many of one kind."""
import re
from typing import Dict, List, NamedTuple, Sequence, Tuple

from ..base.number_text import count_of
from .differences import Difference
from .words import KINDS, text_of

NAMES_SHOWN = 3
SIDES = re.compile(r"(?i)(?<![a-z])(?:left|right|front|rear|hind|[fhr][lr]|[lr])(?![a-z])|\d+")
MOST_OF_A_KIND = 5  # lines; with more, the first one stands for all, with a count


class Cause(NamedTuple):
    """Differences that are one line: its label and text."""

    label: str
    text: str
    differences: Tuple[Difference, ...]


def causes_of(differences: Sequence[Difference]) -> List[Cause]:
    """Return the causes, in order: differences of one sentence but for the name that it begins with are one."""
    groups: Dict[Tuple[str, str], List[Difference]] = {}
    for one in differences:
        rest = text_of(one._replace(names=("", *one.names[1:])))
        groups.setdefault((one.kind, rest), []).append(one)
    found = []
    for (kind, rest), several in groups.items():
        text = text_of(several[0])
        if len(several) > 1:
            verb = KINDS[kind].plural
            text = name_list([one.names[0] for one in several]) + (f" {verb}" if verb else rest)
        found.append(Cause(KINDS[kind].label, text, tuple(several)))
    return found


def folded(causes: Sequence[Cause]) -> List[Cause]:
    """Return the causes, more than MOST_OF_A_KIND of one kind as one: the first, and how many are like it."""
    kinds: Dict[str, List[Cause]] = {}
    for cause in causes:
        kinds.setdefault(cause.differences[0].kind, []).append(cause)
    found: List[Cause] = []
    for several in kinds.values():
        first, count = several[0], sum(len(cause.differences) for cause in several)
        found += several if len(several) <= MOST_OF_A_KIND else [Cause(
            first.label, f"{first.text}, and {count - len(first.differences)} others like it", tuple(
                one for cause in several for one in cause.differences))]
    return found


def name_list(names: Sequence[str]) -> str:
    """Return names for a sentence: like ones of left and right, front and rear, as one; of many, how many."""
    counts: Dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    names = [name if count == 1 else f"{name} ({count} times)" for name, count in counts.items()]
    if len(names) <= NAMES_SHOWN:
        return ", ".join(names)
    stems = {re.sub(SIDES, "*", name) for name in names}
    if len(stems) == 1:
        return f"{len(names)} {stems.pop()}"
    return f"{', '.join(names[:NAMES_SHOWN])} and {count_of(len(names) - NAMES_SHOWN, 'other')}"
