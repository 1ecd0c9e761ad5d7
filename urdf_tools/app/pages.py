"""Pages of this folder that the program reads: commands and their options, errors of other programs, old options."""
import os
from typing import Dict, List, NamedTuple

from ..cli.arguments import Command

HERE = os.path.dirname(__file__)


class ErrorText(NamedTuple):
    """An error: who says it, the words by which it is known, its cause, and the command that cures it."""

    program: str
    words: str
    cause: str
    command: str


def error_texts() -> List[ErrorText]:
    """Return the errors of other programs: `errors.md`."""
    return [ErrorText(*row)._replace(command=row[3].partition(" ")[2]) for row in rows_of_page("errors.md")]


def old_options() -> Dict[str, str]:
    """Return what to write for the options of an earlier release, by their old spellings: `old_options.md`."""
    return {row[0]: row[1] for row in rows_of_page("old_options.md")}


def command_of(verb: str) -> Command:
    """Return a command as its help shows it: the section of its name in `commands.md`."""
    section = _text("commands.md").split(f"\n## {verb}\n\n")[1].split("\n\n|")[0].split("\n\n## ")[0]
    usage, sentences, examples, *status = section.rstrip().replace("`", "").split("\n\n")
    start, (words, _, output) = len(f"urdf-simplify {verb} "), usage.partition("; writes ")
    rows = (line.partition("  # ") for line in examples.splitlines()[1:])
    shown = tuple((line[start:].rstrip(), meaning) for line, _, meaning in rows)
    return Command(verb, words[start:], sentences.replace("\n", " "), shown, "".join(status).strip(), output)


def rows_of_page(page: str, folder: str = HERE) -> List[List[str]]:
    """Return the cells of the tables of a page, row by row, without the marks of code."""
    lines = [line[2:-2] for line in _text(page, folder).replace("`", "").splitlines() if line.startswith("| ")]
    return [line.split(" | ") for line in lines if line != lines[0]]


def _text(page: str, folder: str = HERE) -> str:
    with open(os.path.join(folder, page), encoding="utf-8") as stream:
        return stream.read()
