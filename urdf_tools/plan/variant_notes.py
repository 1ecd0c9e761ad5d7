"""The note in the output that names the variant, so that it can be made again: the locks, zeros, drops of each run.

`lock waist=0, zero knee=0.35, then flip hip` are the options of two runs, without their dashes. A later run reads in it
which signs are meant as they are, and what is not to be done twice.
"""
import re
from typing import List, NamedTuple, Tuple

from ..urdf.lossless_xml import Document
from .notes import from_note, in_note, note_of_words

VARIANT = r"urdf_simplify [0-9]\S* variant:"  # how the note begins, in any release
THEN = "then "  # in front of the first option of a later run
Steps = Tuple[Tuple[Tuple[str, str], ...], ...]  # by run: options and their values


class VariantNote(NamedTuple):
    """What was made of the file before, run by run, and the line of the note (0: there is none)."""

    steps: Steps = ()
    line: int = 0


def find_note(document: Document) -> VariantNote:
    """Return what the note of earlier runs says."""
    text = next((comment for comment in document.comments() if re.match(VARIANT, comment)), "")
    if not text:
        return VariantNote()
    steps: List[List[Tuple[str, str]]] = [[]]
    for part in text.partition("variant:")[2].split(","):
        words = " ".join(part.split())
        if words.startswith(THEN):
            steps.append([])
        option, _, value = words[len(THEN) * words.startswith(THEN):].partition(" ")
        steps[-1].append((option, from_note(value)))
    return VariantNote(tuple(map(tuple, steps)), document.text().partition(text)[0].count("\n") + 1)


def steps_note(steps: Steps, newline: str) -> str:
    """Return the comment; "" where nothing was done."""
    words = [f"{THEN * (number > 0 and place == 0)}{option} {in_note(value)}".rstrip()
             for number, step in enumerate(steps) for place, (option, value) in enumerate(step)]
    return note_of_words("variant", words, newline)
