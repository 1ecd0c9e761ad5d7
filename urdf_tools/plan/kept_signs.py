"""The signs that joints keep: all with `--keep-signs`, else those that the note of an earlier run names."""
from fnmatch import fnmatchcase
from typing import AbstractSet, Tuple

from ..base.note_text import from_note
from ..urdf.model import Robot, WITH_AXIS
from .notes import words_of_note

VARIANT = r"urdf_simplify [0-9]\S* variant:"  # how the note begins that names what was asked, run by run
THEN = "then "  # in front of the first word of a later run: `drop *_hand, zero knee=0.35, then flip hip`
KEEP_SIGNS = "keep-signs"


def read_word(word: str) -> Tuple[str, str]:
    """Return what a word of the note asked for, and its value: ("flip", "hip")."""
    name, _, value = word[len(THEN) * word.startswith(THEN):].partition(" ")
    return name, from_note(value)


def kept_signs(robot: Robot, *, keep_all: bool) -> AbstractSet[str]:
    """Return the child links of the joints that keep their signs."""
    noted = map(read_word, words_of_note(robot.document, VARIANT))
    globs = [value or "*" for name, value in noted if name in ("flip", KEEP_SIGNS)] + ["*"] * keep_all
    return {joint.child for joint in robot.joints if joint.type in WITH_AXIS and any(
        fnmatchcase(joint.name, glob) for glob in globs)}


def words_of_result(robot: Robot, *, keep_all: bool) -> Tuple[str, ...]:
    """Return the words of the note in the result: those of earlier runs first."""
    words = words_of_note(robot.document, VARIANT)
    is_new = keep_all and KEEP_SIGNS not in (read_word(word)[0] for word in words)
    return (*words, f"{THEN if words else ''}{KEEP_SIGNS}") if is_new else words
