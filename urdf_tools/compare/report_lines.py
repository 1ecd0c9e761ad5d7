"""The lines that a person reads: differences joined to causes, causes folded, and names joined to a list.

Differences share a line if their sentences differ only in the first name; of many of a kind only the first is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import List, Sequence

from ..base.number_text import count_of, grouped
from ..base.record_type import Record
from .difference_records import Difference, Differences
from .difference_kinds import KINDS, text_of

NAMES_SHOWN = 3  # in a sentence; with more, the others are only counted
# Words and letters for a side, as in `left_knee`, `FL_hip`, `rr_calf`, `l_knee`, and numbers.
SIDES = re.compile(r"(?i)(?<![a-z])(?:left|right|front|rear|hind|[fhr][lr]|[lr])(?![a-z])|\d+")
LIMIT = "limit"  # label of differences that are never folded
MOST_OF_A_KIND = 5  # lines; with more, only the first is shown, with a count


class ReportLine(Record):
    """One line of a report: its label, its sentence, and the differences that the sentence covers.

    All differences have the same kind, and at least one difference exists.
    """

    label: str
    text: str
    differences: Differences


def causes_of(differences: Sequence[Difference]) -> List[ReportLine]:
    """Return the lines of some differences: sentences that differ only in the first name become one line.

    Lines come in the order of their first differences.
    """
    groups = grouped(
        ((difference.kind, _text_after_name(difference)), difference) for difference in differences
    )
    causes = []
    for (kind, text_after_name), several in groups.items():
        first = several[0]
        text = text_of(first)
        if len(several) > 1:
            text = name_list([difference.names[0] for difference in several])
            text += _plural_after_names(first, text_after_name)
        causes.append(ReportLine(KINDS[kind].label, text, tuple(several)))
    return causes


def _text_after_name(difference: Difference) -> str:
    """Return the sentence of a difference with an empty first name: it begins with a blank, as in ` is only in A`."""
    return text_of(difference._replace(names=("", *difference.names[1:])))


def _plural_after_names(first: Difference, text_after_name: str) -> str:
    """Return the rest of a sentence about several elements, after their names; it begins with the blank or colon."""
    verb = KINDS[first.kind].plural
    if verb:
        # The verb replaces the whole sentence, so the run that noted the loss is added again.
        said = f", {first.said}" if first.said else ""
        return f" {verb}{said}"
    return re.sub("^ is ", " are ", text_after_name)


def folded(causes: Sequence[ReportLine]) -> List[ReportLine]:
    """Return the causes, by kind; of more than MOST_OF_A_KIND of a kind, the first with the number of the others."""
    kinds = grouped((cause.differences[0].kind, cause) for cause in causes)
    shown: List[ReportLine] = []
    for several in kinds.values():
        first = several[0]
        # Each limit is shown, however many differ: a person checks them one by one.
        if len(several) <= MOST_OF_A_KIND or first.label == LIMIT:
            shown += several
            continue
        # The folded line still has all differences: a caller that counts them counts each once.
        differences = tuple(difference for cause in several for difference in cause.differences)
        count_of_others = len(differences) - len(first.differences)
        text = f"{first.text}, and {count_of_others} others like it"
        shown.append(ReportLine(first.label, text, differences))
    return shown


def name_list(names: Sequence[str]) -> str:
    """Return names for a sentence: names of left and right, front and rear, joined; for many names, their number."""
    names = [
        name if count == 1 else f"{name} ({count} times)" for name, count in Counter(names).items()
    ]
    if len(names) <= NAMES_SHOWN:
        return ", ".join(names)
    # The four knees of a quadruped are `4 *_knee`.
    stems = {re.sub(SIDES, "*", name) for name in names}
    if len(stems) == 1:
        return f"{len(names)} {stems.pop()}"
    return f"{', '.join(names[:NAMES_SHOWN])} and {count_of(len(names) - NAMES_SHOWN, 'other')}"
