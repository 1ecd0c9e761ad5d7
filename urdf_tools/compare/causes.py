"""Differences on a common line: those whose sentences differ only in the first name, and many of a kind."""
import re
from typing import Dict, List, NamedTuple, Sequence, Tuple

from ..base.number_text import count_of, grouped
from .differences import Difference
from .words import KINDS, text_of

NAMES_SHOWN = 3
SIDES = re.compile(r"(?i)(?<![a-z])(?:left|right|front|rear|hind|[fhr][lr]|[lr])(?![a-z])|\d+")
MOST_OF_A_KIND = 5  # lines; with more, only the first is shown, with a count


class Cause(NamedTuple):
    """Differences on a common line: its label and text."""

    label: str
    text: str
    differences: Tuple[Difference, ...]


def causes_of(differences: Sequence[Difference]) -> List[Cause]:
    """Return the causes, in order: differences whose sentences differ only in the first name are joined."""
    groups: Dict[Tuple[str, str], List[Difference]] = {}
    for difference in differences:
        rest = text_of(difference._replace(names=("", *difference.names[1:])))
        groups.setdefault((difference.kind, rest), []).append(difference)
    causes = []
    for (kind, rest), several in groups.items():
        text = text_of(several[0])
        if len(several) > 1:
            verb = KINDS[kind].plural
            text = name_list([difference.names[0] for difference in several]) + (
                f" {verb}" if verb else re.sub("^ is ", " are ", rest))
        causes.append(Cause(KINDS[kind].label, text, tuple(several)))
    return causes


def folded(causes: Sequence[Cause]) -> List[Cause]:
    """Return the causes, with more than MOST_OF_A_KIND of a kind joined: the first, and the number of the others."""
    kinds = grouped((cause.differences[0].kind, cause) for cause in causes)
    shown: List[Cause] = []
    for several in kinds.values():
        first, count = several[0], sum(len(cause.differences) for cause in several)
        shown += several if len(several) <= MOST_OF_A_KIND else [Cause(
            first.label, f"{first.text}, and {count - len(first.differences)} others like it", tuple(
                difference for cause in several for difference in cause.differences))]
    return shown


def name_list(names: Sequence[str]) -> str:
    """Return names for a sentence: those of left and right, front and rear, joined; of many, the number."""
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
