"""The rows of a summary for a reviewer: first what moves a robot wrongly, and one row for what has one reason."""

from __future__ import annotations

import re
from typing import Dict, List

from ..base.number_text import count_of, grouped
from .report_lines import ReportLine, causes_of, folded
from .robot_comparison import ComparisonResult
from .difference_records import Difference
from .comparison_text import conventions_of_headline
from .difference_kinds import KINDS

# Labels of rows in the order of a summary: signs, limits, masses and places; all other labels follow.
FIRST = (
    *("sign", "zero", "limit", "mass", "center", "tensor"),
    *("joint", "line", "angle", "base", "name", "order"),
)
# Reasons that name the file of each mesh, although they are one reason: `WHY` of `difference_kinds.py`.
FILE_OF_REASON = re.compile(r"(?s)^.*? is (?=not there in |a Git LFS pointer)")


def summary_causes(comparison: ComparisonResult, *, full: bool = False) -> List[ReportLine]:
    """Return the rows of a summary: the differences that count, and flipped signs and moved zeros, which never count.

    `full`: each difference has its row.
    """
    silent = conventions_of_headline(comparison)
    differences = list(dict.fromkeys((*comparison.counted, *silent)))
    if full:
        return _in_order(causes_of(differences))
    unopened = [one for one in differences if one.kind == "mesh_unproven"]
    others = [one for one in differences if one.kind != "mesh_unproven"]
    causes = [*folded(causes_of(others)), *_by_reason(unopened)]
    return _in_order(causes)


def _in_order(causes: List[ReportLine]) -> List[ReportLine]:
    """Return rows in the order of FIRST; rows of one label keep their order."""
    places: Dict[str, int] = {label: place for place, label in enumerate(FIRST)}
    return sorted(causes, key=lambda cause: places.get(cause.label, len(FIRST)))


def _by_reason(unproven: List[Difference]) -> List[ReportLine]:
    """Return a row for all meshes that could not be compared for one reason."""
    by_reason = grouped((FILE_OF_REASON.sub("", one.names[2]), one) for one in unproven)
    causes: List[ReportLine] = []
    for reason, several in by_reason.items():
        if len(several) == 1:
            causes += causes_of(several)
            continue
        text = f"{count_of(len(several), 'mesh', 'meshes')} could not be compared: {reason}"
        causes.append(ReportLine(KINDS[several[0].kind].label, text, tuple(several)))
    return causes
