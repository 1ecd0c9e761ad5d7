"""A comparison for people: the verdict, the map, the two main causes, and how much more there is."""
from itertools import chain
from textwrap import wrap
from typing import Callable, Dict, List, Sequence, Tuple

from ..base.number_text import count_of
from .causes import causes_of, folded, NAMES_SHOWN
from .comparison import Comparison
from .differences import Difference, DRAWN
from .map_text import map_lines
from .mass_matrix import mass_matrix_gap, POSITIONS
from .words import (angle_text, BUT_DECIDED, BUT_FOR, EXACTLY, KINDS, length_text, MASSES, MOVES, OTHER, part_text,
                    SAMPLED, SEVERAL, size_text, text_of, TO, VERDICTS)

COLUMNS, MOST_LINES, LABEL = 80, 25, 8
CAUSES_SHOWN, MOST_OF_REST = 2, 8  # causes, and lines after the map


def report(comparison: Comparison, *, full: bool = False, columns: int = COLUMNS, paint: Callable[[str], str] = str
           ) -> str:
    """Return the comparison as text: the verdict, the map, the main causes and how much more, or all of it.

    Where nothing differs the notes are shown, if they fit on the screen. `paint` gives the verdict its color.
    """
    head = [paint(line) for line in wrap(verdict_line(comparison), columns, subsequent_indent="  ")]
    head += [line for label, text in map_lines(comparison.map, full=full) for line in _lines(label, text, columns)]
    measured = [line for label, text in sampled(comparison) for line in _lines(label, text, columns)]
    all_causes = causes_of((*comparison.differences, *comparison.unproven, *(comparison.rounded if full else ())))
    causes = [_lines(cause.label, cause.text, columns) for cause in (all_causes if full else folded(all_causes))]
    decided = [_lines(cause.label, cause.text, columns) for cause in causes_of(comparison.decided)]
    notes = [_lines("note", note, columns) for note in comparison.notes]
    first, others = (causes, []) if full else (causes[:CAUSES_SHOWN], causes[CAUSES_SHOWN:])
    if not causes:
        first, decided = decided[:CAUSES_SHOWN], decided[CAUSES_SHOWN:]
    lines = [*(head if full else head[:MOST_LINES - MOST_OF_REST]), *measured, *chain(*first)]
    rest = list(chain(*others, *decided, *notes))
    if full or len(rest) <= 1 or not causes and len(lines) + len(rest) <= MOST_LINES:
        return "\n".join([*lines, *rest]) + "\n"
    remaining = [count_of(count, noun) for count, noun in (
        (len(others), "other difference"), (len(decided), "decision"), (len(notes), "note")) if count]
    return "\n".join([*lines, f"  and {' and '.join(remaining)}: --full"]) + "\n"


def sampled(comparison: Comparison) -> List[Tuple[str, str]]:
    """Return label and text of how much other masses matter, nothing where they are not the verdict."""
    gap = mass_matrix_gap(comparison.map) if comparison.verdict == MASSES else None
    return [] if gap is None or gap <= DRAWN else [(SAMPLED[0], SAMPLED[1].format(
        part=part_text(gap), positions=POSITIONS))]


def quiet_lines(comparison: Comparison) -> List[str]:
    """Return a line for each difference: file and line if known, the kind, the sentence."""
    lines = []
    for difference in (*comparison.differences, *comparison.unproven):
        of_a, text = bool(difference.line_a), f"{difference.kind}: {text_of(difference)}"
        file, line = (comparison.a.file, difference.line_a) if of_a else (comparison.b.file, difference.line_b)
        where = f"{file}:{line}" if line else file
        lines.append(f"{where}: {text}" if where else text)
    return lines


def verdict_line(comparison: Comparison) -> str:
    """Return the first line: the verdict at all positions."""
    bound = comparison.bound
    how = MOVES if comparison.rounded else EXACTLY
    if bound is not None and max(bound.position, bound.angle) > DRAWN:
        how = TO.format(position=length_text(bound.position), angle=angle_text(bound.angle))
    if comparison.rounded:
        how += f"; {_listed(_sizes(comparison.rounded))}"
    kinds = [KINDS[difference.kind] for difference in comparison.differences]
    what = _listed([SEVERAL[kind.label] for kind in kinds if kind.of == OTHER])
    if comparison.unproven and comparison.is_same:
        unproven = count_of(len(comparison.unproven), "mesh", "meshes")
        line = BUT_FOR.format(unproven=unproven, how="" if how == EXACTLY else f": {how}")
        return line + BUT_DECIDED * bool(comparison.decided)
    line = VERDICTS[comparison.verdict].format(how=how, what=what, joints_a=_joints(comparison, "a"),
                                               joints_b=_joints(comparison, "b"))
    return line + BUT_DECIDED * bool(comparison.decided)


def _listed(words: Sequence[str]) -> str:
    """Return what there is as a list for a sentence, each once; of many, the first."""
    several = list(dict.fromkeys(words))
    if len(several) > NAMES_SHOWN:
        several = [*several[:NAMES_SHOWN], "more"]
    return ", ".join(several[:-1]) + (" and " if several[1:] else "") + "".join(several[-1:])


def _sizes(rounded: Sequence[Difference]) -> List[str]:
    """Return the largest differences of numbers within the tolerance, by label."""
    largest: Dict[Tuple[str, str], float] = {}
    for difference in rounded:
        key = (SEVERAL[KINDS[difference.kind].label], difference.unit)
        largest[key] = max(difference.size, largest.get(key, 0.0))
    return [f"{what} to {size_text(size, unit)}" if size else what for (what, unit), size in largest.items()]


def _joints(comparison: Comparison, side: str) -> int:
    """Return how many joints of a file move; copies of a joint count once."""
    robots = comparison.map
    return len(robots.a.joints) + len(robots.welded_a) if side == "a" else len(robots.b.joints) + len(robots.welded_b)


def _lines(label: str, text: str, columns: int) -> List[str]:
    """Return a line with its label, wrapped."""
    return wrap(f"  {label:<{LABEL - 2}}{' ' if len(label) > LABEL - 3 else ''}{text}", columns,
                subsequent_indent=" " * LABEL, break_long_words=False, break_on_hyphens=False)
