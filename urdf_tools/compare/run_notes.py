"""What the note of a run changes in a comparison: its acts are applied to its input, and its losses name the run.

Each result and each export has a note, a comment with one line for each act and each loss (`noted_decisions.py` reads the lines).
"""

from __future__ import annotations

from collections import Counter
from typing import Iterable, List, Mapping, Optional, Tuple

from ..base.type_aliases import Pair, Texts
from ..robot.raw_robot import RawRobot
from .noted_decisions import as_decided, losses_in
from .difference_records import Difference, Differences
from .difference_kinds import EXPORT_SAID, KINDS, NOTED, RUN_SAID

# Labels of differences that compare the links of a body together, so that any of its links may be named.
OF_BODIES = ("link", "color", "shape", "mesh")


def with_acts(
    a: RawRobot, b: RawRobot, noted: Optional[Texts]
) -> Tuple[RawRobot, RawRobot, Differences]:
    """Return both robots after the decisions of a run, and its decisions; the run's input has changed, its result not.

    `noted` has the lines of the run's report, whose result is B; None: the note in A or B names its result.
    """
    of_a = _lines_of_note(a.decided)
    of_b = _lines_of_note(b.decided if noted is None else noted)
    # Decisions noted in both files were made by the run before, and apply to both already.
    only_a = _without(of_a, of_b)
    only_b = _without(of_b, of_a)
    if noted is None and only_a and not only_b:
        # A is the result of the run and B its input, so the lines change sides.
        b, acts = as_decided(b, a, only_a)
        return a, b, tuple(act._replace(line_a=0, line_b=act.line_a) for act in acts)
    a, acts = as_decided(a, b, only_b)
    return a, b, acts


def _without(lines: Texts, others: Texts) -> List[str]:
    """Return lines without the others, each of which stands for one line: two runs may do the same."""
    left = Counter(others)
    rest = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        else:
            rest.append(line)
    return rest


def _lines_of_note(noted: Texts) -> Texts:
    """Return the lines of a note with single blanks, so that equal lines are equal whatever their wrapping."""
    return tuple(" ".join(line.split()) for line in noted)


def with_reasons(
    differences: Differences, noted: Iterable[str], body_of: Mapping[str, int]
) -> Differences:
    """Return the differences; a difference that a run noted as a loss also names the run, and still counts.

    `noted` are lines of notes. `body_of` maps the links of A to bodies.
    """
    losses = losses_in(noted)
    if not losses:
        return differences
    # A value of a whole body, or the looks of all its visuals, may be named under any of its links.
    for (label, name), format in tuple(losses.items()):
        if label in OF_BODIES and name in body_of:
            for link, body in body_of.items():
                if body == body_of[name]:
                    losses.setdefault((label, link), format)
    return tuple(
        difference._replace(said=_who_said(difference, losses)) for difference in differences
    )


def _who_said(difference: Difference, losses: Mapping[Pair, str]) -> str:
    """Return who noted a difference as a loss, as the end of its sentence; "" if nobody did.

    `losses` has the format of the export by label and name; a loss of a run has the format "".
    """
    if KINDS[difference.kind].of == NOTED:
        return ""
    # The words of a shape begin with its role: `collision box`. A loss may have the role in place of the label.
    roles = [name.split(" ")[0] for name in difference.names[1:2]]
    for label in (KINDS[difference.kind].label, *roles):
        format = losses.get((label, difference.where))
        if format is not None:
            return EXPORT_SAID.format(format.upper()) if format else RUN_SAID
    return ""
