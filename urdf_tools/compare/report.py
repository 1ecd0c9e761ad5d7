"""A comparison for people: the verdict first, the worst difference first, one line for one cause, at most 25 lines."""
import re
from textwrap import wrap
from typing import Dict, List, NamedTuple, Sequence, Tuple

from ..base.number_text import count_of
from .comparison import Comparison
from .differences import Difference, DRAWN
from .map_text import map_lines
from .mass_matrix import mass_matrix_gap, POSITIONS
from .words import (
    angle_text, BUT_FOR, EXACTLY, KINDS, length_text, MASSES, OTHER, SAMPLED, SEVERAL, text_of, TO, VERDICTS)

COLUMNS, MOST_LINES, LABEL = 80, 25, 8
NAMES_SHOWN = 3


def report(comparison: Comparison, *, full: bool = False, columns: int = COLUMNS) -> str:
    """Return the comparison as text: at most 25 lines, or all of it."""
    head = wrap(verdict_line(comparison), columns, subsequent_indent="  ")
    maps = [line for label, text in map_lines(comparison.map, full=full) for line in _lines(label, text, columns)]
    causes = [_lines(label, text, columns) for label, text in (*sampled(comparison), *(
        (one.label, one.text) for one in causes_of((*comparison.differences, *comparison.unproven))))]
    notes = [_lines("note", note, columns) for note in comparison.notes]
    lines = [*head, *maps, *(line for cause in causes for line in cause), *(line for note in notes for line in note)]
    if full or len(lines) <= MOST_LINES:
        return "\n".join(lines) + "\n"
    lines = [*head, *maps][:MOST_LINES - 8]
    shown = 0
    while shown < len(causes) and len(lines) + len(causes[shown]) < MOST_LINES:
        lines += causes[shown]
        shown += 1
    left = [count_of(count, noun) for count, noun in (
        (len(causes) - shown, "other difference"), (len(notes), "note")) if count]
    return "\n".join([*lines, f"  and {' and '.join(left)}: --full"]) + "\n"


def sampled(comparison: Comparison) -> List[Tuple[str, str]]:
    """Return label and text of how much other masses matter, nothing where they are not the verdict."""
    gap = mass_matrix_gap(comparison.map) if comparison.verdict == MASSES else None
    return [] if gap is None else [(SAMPLED[0], SAMPLED[1].format(
        part=f"{100.0 * gap:.2g} %", positions=POSITIONS))]


def quiet_lines(comparison: Comparison) -> List[str]:
    """Return one line for each difference: file and line where there is one, the kind, the sentence."""
    lines = []
    for one in (*comparison.differences, *comparison.unproven):
        file, line = (comparison.a.file, one.line_a) if one.line_a else (comparison.b.file, one.line_b)
        place = f"{file}:{line}" if line else file
        lines.append(f"{place}: {one.kind}: {text_of(one)}" if place else f"{one.kind}: {text_of(one)}")
    return lines


def verdict_line(comparison: Comparison) -> str:
    """Return the first line: what is true of both robots at all positions."""
    bound = comparison.bound
    how = EXACTLY
    if bound is not None and max(bound.position, bound.angle) > DRAWN:
        how = TO.format(position=length_text(bound.position), angle=angle_text(bound.angle))
    labels = [KINDS[one.kind].label for one in comparison.differences if KINDS[one.kind].of == OTHER]
    several = list(dict.fromkeys(SEVERAL[label] for label in labels))
    if len(several) > NAMES_SHOWN:
        several = [*several[:NAMES_SHOWN], "more"]
    what = ", ".join(several[:-1]) + (" and " if several[1:] else "") + "".join(several[-1:])
    if comparison.unproven and comparison.is_same:
        unproven = count_of(len(comparison.unproven), "mesh", "meshes")
        return BUT_FOR.format(unproven=unproven, how="" if how == EXACTLY else f": {how}")
    return VERDICTS[comparison.verdict].format(how=how, what=what, joints_a=_joints(comparison, "a"),
                                               joints_b=_joints(comparison, "b"))


def _joints(comparison: Comparison, side: str) -> int:
    """Return how many joints of a file move; copies of one joint are one."""
    robots = comparison.map
    return (len(robots.a.joints) + len(robots.welded_a) if side == "a"
            else len(robots.b.joints) + len(robots.welded_b))


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


SIDES = re.compile(r"(?i)(?<![a-z])(?:left|right|front|rear|hind|[fhr][lr]|[lr])(?![a-z])|\d+")


def _lines(label: str, text: str, columns: int) -> List[str]:
    """Return a line with its label, wrapped."""
    return wrap(f"  {label:<{LABEL - 2}}{' ' if len(label) > LABEL - 3 else ''}{text}", columns,
                subsequent_indent=" " * LABEL, break_long_words=False, break_on_hyphens=False)
