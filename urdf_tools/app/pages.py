"""Pages of this folder that the program reads: commands and their options, errors of other programs, old options."""
from typing import Dict, List, NamedTuple

from ..cli.arguments import Command
from ..texts.pages import rows_of_page, text_of_page


class ErrorText(NamedTuple):
    """An error: who says it, the words by which it is known, its cause, and the command that cures it."""

    program: str
    words: str
    cause: str
    command: str


def error_texts() -> List[ErrorText]:
    """Return the errors of other programs: `errors.md`."""
    return [ErrorText(*row)._replace(command=row[3].partition(" ")[2]) for row in rows_of_page(__file__, "errors.md")]


def old_options() -> Dict[str, str]:
    """Return what to write for the options of an earlier release, by their old spellings: `old_options.md`."""
    return {row[0]: row[1] for row in rows_of_page(__file__, "old_options.md")}


def command_of(verb: str) -> Command:
    """Return a command as its help shows it: the section of its name in `commands.md`."""
    section = text_of_page(__file__, "commands.md").split(f"\n## {verb}\n\n")[1].split("\n\n|")[0].split("\n\n## ")[0]
    usage, sentences, examples, *status = section.rstrip().replace("`", "").split("\n\n")
    start, (words, _, output) = len(f"urdf-simplify {verb} "), usage.partition("; writes ")
    rows = (line.partition("  # ") for line in examples.splitlines()[1:])
    shown = tuple((line[start:].rstrip(), meaning) for line, _, meaning in rows)
    return Command(verb, words[start:], sentences.replace("\n", " "), shown, "".join(status).strip(), output)
