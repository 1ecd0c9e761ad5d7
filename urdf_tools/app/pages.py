"""Pages of this folder that the program reads: errors of other programs, and options of earlier releases."""
import os
from typing import Dict, List, NamedTuple


class ErrorText(NamedTuple):
    """An error: who says it, the words by which it is known, its cause, and the command that cures it."""

    program: str
    words: str
    cause: str
    command: str


def error_texts() -> List[ErrorText]:
    """Return the errors of other programs: `errors.md`."""
    return [ErrorText(*row)._replace(command=row[3].partition(" ")[2]) for row in _rows("errors.md")]


def old_options() -> Dict[str, str]:
    """Return what to write for the options of an earlier release, by their old spellings: `old_options.md`."""
    return {old: now for old, now in _rows("old_options.md")}


def _rows(page: str) -> List[List[str]]:
    """Return the cells of the table of a page, row by row, without the marks of code."""
    with open(os.path.join(os.path.dirname(__file__), page), encoding="utf-8") as stream:
        lines = [line.strip("| \n") for line in stream if line.startswith("|")]
    return [line.replace("`", "").split(" | ") for line in lines[2:]]
