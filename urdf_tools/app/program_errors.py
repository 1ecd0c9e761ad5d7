"""The errors of other programs that `explain` knows (`errors.md`), and which of them a pasted text has.

A text has an error if it contains the error's words, in their order and with none between them but where the row has `...`:
names, numbers and paths. A text that is a part of an error has it, too. Nothing else counts as known: a wrong cause costs
more than none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..base.record_type import Record
from ..base.type_aliases import Texts
from ..texts.text_pages import rows_of_page

ANY = "..."  # in a row: names, numbers, paths
LEAST_WORDS = 4  # of a part of an error: three words, such as `error opening file`, are in the errors of many programs
MOST_UNITS = 8  # quoted texts, or words between blanks, in the place of `...`
MOST_PLACES = 20  # of one error in a text: a log repeats it for each link
MOST_SHOWN = 4  # a log with more errors than that has one cause, which comes first
DEFAULT_CURE = "lint robot.urdf"
# A text in quotes or brackets, which counts as one unit, or anything else between blanks.
UNIT = r"(?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"|\[[^][\n]*\]|[^\s\"\[]+|[\"\[]"
# Words that a terminal or a language puts in front of an error.
IN_FRONT = frozenset(
    "error err warning warn msg info fatal exception valueerror runtimeerror systemexit typeerror terminate called after "
    "throwing an instance of std runtime what b3printf b3warning b3error ros rviz rviz2".split()
)


class ProgramErrorExplanation(Record):
    """An error of a program.

    Attributes:
        program: the program, or several that share a parser.
        words: its text, `...` for what differs.
        kinds: the findings of `lint` that see the same: one, or several for an error that has several causes.
        cause: what is wrong.
        command: cures it, or says where it is.
        source: the release that said it, or where it is written.
    """

    program: str
    words: str
    kinds: Texts
    cause: str
    command: str
    source: str


class TextWord(NamedTuple):
    """A word of a text in lower case, and the number of its unit."""

    text: str
    unit: int


@lru_cache(maxsize=None)
def error_texts() -> Tuple[ProgramErrorExplanation, ...]:
    """Return the errors of other programs: `errors.md`."""
    errors = []
    for program, words, kinds, cause, cure, source in rows_of_page(__name__, "errors.md"):
        errors.append(
            ProgramErrorExplanation(
                program=program,
                words=words,
                kinds=tuple(kinds.split()),
                cause=cause,
                command=cure.partition(" ")[2] or DEFAULT_CURE,
                source=source,
            )
        )
    return tuple(errors)


def words_of(text: str) -> List[TextWord]:
    """Return the words of a text: names are whole, and `A::b` is two words."""
    words = []
    # PyBullet begins a message without a new line: `no frictionb3Error[...]`.
    parted = re.sub(r"(?=b3(?:Error|Warning|Printf)\b)", " ", text)
    for number, unit in enumerate(re.findall(UNIT, parted)):
        words += [TextWord(word, number) for word in re.findall(r"\w+", unit.lower())]
    return words


@lru_cache(maxsize=None)
def _parts_of(error: ProgramErrorExplanation) -> Tuple[Texts, ...]:
    """Return the words of an error, parted where it has `...`."""
    parts = (tuple(word.text for word in words_of(part)) for part in error.words.split(ANY))
    return tuple(part for part in parts if part)


def errors_like(text: str) -> List[ProgramErrorExplanation]:
    """Return the errors that a text has, in its order; [] if it has none that is known."""
    words = words_of(text)
    return _errors_in(words) or _errors_with_part(words)


def _errors_in(words: Sequence[TextWord]) -> List[ProgramErrorExplanation]:
    """Return the errors that words contain, without those inside the words of another one."""
    places: Dict[str, List[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word.text, []).append(place)
    spans: List[Tuple[int, int, ProgramErrorExplanation]] = []
    for error in error_texts():
        parts = _parts_of(error)
        # Most errors are ruled out by a word, without a search.
        if any(word not in places for part in parts for word in part):
            continue
        starts: Dict[int, int] = {}  # by the end: of two beginnings the later one is of this error
        for start in places[parts[0][0]]:
            end = _end_of(parts, words, start)
            if end is not None:
                starts[end] = start
            if len(starts) == MOST_PLACES:
                break
        spans += [(start, end, error) for end, start in starts.items()]
    found = []
    for start, end, error in sorted(spans, key=lambda span: (span[0], -span[1])):
        is_inside = any(
            low <= start and end <= high and (high - low) > (end - start) for low, high, _ in spans
        )
        if not is_inside and error not in found:
            found.append(error)
    return found[:MOST_SHOWN]


def _end_of(parts: Sequence[Texts], words: Sequence[TextWord], start: int) -> Optional[int]:
    """Return the place after an error that begins at a place of the words, None if another text begins there."""
    first, *others = parts
    if not _is_at(first, words, start):
        return None
    end = start + len(first)
    for part in others:
        last_unit = words[end - 1].unit + MOST_UNITS + 1
        place = end + 1  # at least one word between two parts is a name
        while not _is_at(part, words, place):
            place += 1
            if place >= len(words) or words[place].unit > last_unit:
                return None
        end = place + len(part)
    return end


def _is_at(part: Texts, words: Sequence[TextWord], place: int) -> bool:
    """Return True if words are at a place of other words."""
    return all(
        place + number < len(words) and words[place + number].text == word
        for number, word in enumerate(part)
    )


def _errors_with_part(words: Sequence[TextWord]) -> List[ProgramErrorExplanation]:
    """Return the errors that a text is a part of, [] if it is too short, or a part of too many."""
    texts = [word.text for word in words]
    while texts and texts[0] in IN_FRONT:
        del texts[0]
    if len(texts) < LEAST_WORDS:
        return []
    pasted = f" {' '.join(texts)} "
    found = [error for error in error_texts() if pasted in f" {' '.join(_all_words(error))} "]
    return found if len(found) <= MOST_SHOWN else []


def _all_words(error: ProgramErrorExplanation) -> Iterable[str]:
    """Yield the words of an error."""
    for part in _parts_of(error):
        yield from part
