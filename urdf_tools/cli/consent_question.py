"""Announce what will be written, and ask for consent."""

from __future__ import annotations

import codecs
import os
import sys
from typing import Callable, Iterable, List, Optional, Sequence, TextIO, Tuple, Union

from ..base.type_aliases import Announced, Lines, Shows, Words
from ..base.errors import UsageError
from ..base.file_reading import is_foreign
from ..base.number_text import count_of
from ..plan.mesh_tasks import FinishedFile
from ..report.line_layout import TextStyle
from ..run.check_destinations import folder_of, foreign_files, is_marked
from .run_command_line import say, write_text

QUESTION = "Proceed? (yes/no/?):"
NO = ("no", "n")
WHOLE_WORD = "Type yes in full to write, no to write nothing, or ? for more."
ANSWERS = {
    "all": "the whole plan",
    "diff": "the lines that change",
    "page": "before and after, in the browser",
}
Replans = Optional[Callable[[Words], Callable[[], int]]]
MAKES = ("makes the folder ", "makes the folders ")
WRITES = "writes "
REPLACES = "replaces "
FOREIGN = ", not marked as written by this tool"


def announcement(
    files: Iterable[Tuple[str, bytes]],
    meshes: Sequence[FinishedFile],
    makes: Callable[[str], bool],
) -> List[Announced]:
    """Return for each file to write, and for the meshes, the text before its name, the name, and the text after it.

    New folders come first, as a wrong name may be a typing error, and replaced files come last.

    Args:
        files: the names of the files, with their bytes.
        meshes: the meshes.
        makes: takes a folder; returns whether the run makes it.
    """
    files = list(files)
    announced = _announce_folders([output for output, _ in files], makes)
    announced += [_announce_file(output, data) for output, data in files]
    announced += _announce_meshes(meshes)
    return sorted(announced, key=lambda row: row[0] == REPLACES)


def _announce_folders(outputs: Sequence[str], makes: Callable[[str], bool]) -> List[Announced]:
    """Return the announcement of each new folder that an output needs."""
    folders = dict.fromkeys(os.path.dirname(output) for output in outputs)
    missing = [folder for folder in folders if makes(folder)]
    lead = MAKES[len(missing) > 1]
    return [(lead, folder, "") for folder in missing]


def _announce_file(output: str, data: bytes) -> Announced:
    """Return the announcement of a file, with a warning if this tool did not write the one that it replaces."""
    is_other = is_foreign(output, data)
    lead = WRITES if is_other is None else REPLACES
    tail = FOREIGN if is_other else ""
    return lead, output, tail


def _announce_meshes(files: Sequence[FinishedFile]) -> List[Announced]:
    """Return the announcement of all meshes, and of each file that a mesh replaces and this run did not make."""
    if not files:
        return []
    foreign = foreign_files(files)
    replaced = sum(os.path.exists(file.target) for file in files) - len(foreign)
    folder = folder_of(files)
    again = f" ({replaced} of them again)" if replaced > 0 else ""
    beside = sum(file.along for file in files)
    meshes = count_of(len(files) - beside, "mesh", "meshes")
    along = f" and {count_of(beside, 'file')} with them" if beside else ""
    return [(f"{WRITES}{meshes}{along} to ", folder, again), *map(_announce_foreign, foreign)]


def _announce_foreign(file: FinishedFile) -> Announced:
    """Return the announcement of a file that a mesh of another origin replaces."""
    tail = FOREIGN
    if is_marked(file.target):
        tail = f", which was made from another file than {file.origin}"
    return REPLACES, file.target, tail


def at_terminal() -> bool:
    """Return True if a person can answer a question."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def _why_not(answer: str, word: str, replans: Replans) -> str:
    """Return why nothing is written after an answer, and a cure; "" for a plain no."""
    if word in NO:
        return ""
    if replans and word.startswith("-"):
        cure = "options are an answer at a terminal only: add them to the command"
    else:
        cure = "-y writes without asking"
    why = ""
    if word:
        why = f": the answer was '{answer.strip()}', not 'yes'"
    elif not answer:
        why = " (no answer to read)"
    return f"{why}; {cure}"


def ask(
    stream: TextIO, style: TextStyle, shows: Shows, replans: Replans = None
) -> Union[bool, Callable[[], int]]:
    """Ask, and read one line: only `yes` continues, and end of input means no.

    At a terminal any other answer repeats the question; `?` explains the answers.

    Args:
        stream: where the question goes.
        style: the style of that stream.
        shows: functions that show more, by the answer that runs them.
        replans: takes an answer of further options; returns a run with them. None: options are not an answer.

    Returns:
        Whether to write, or a function that plans again with other options.
    """
    # Only the whole word starts writing. Without a terminal nobody can correct an answer, so it counts as no.
    while True:
        try:
            write_text(style.title(QUESTION) + " ", stream)
            is_open = sys.stdin is not None and not sys.stdin.closed
            answer = sys.stdin.readline() if is_open else ""
        except UnicodeDecodeError:
            answer = "*"  # not text, so neither yes nor no
        except KeyboardInterrupt:
            say(["", "Stopped. Nothing was written."], stream)
            return False
        word = _without_mark(answer).strip().lower()
        interactive = bool(answer) and at_terminal()
        if not interactive:
            say([answer.strip()], stream)
        if word == "yes":
            return True
        if not interactive or word in NO:
            say([f"Nothing was written{_why_not(answer, word, replans)}."], stream)
            return False
        if replans and word.startswith("-"):
            try:
                return replans(answer.split())
            except UsageError as error:  # most often a typo
                say([f"error: {error}"], stream)
        elif word in shows:
            shows[word]()
        else:
            lines = _answers(shows, replans) if word == "?" else [WHOLE_WORD]
            say(lines, stream)


def _without_mark(answer: str) -> str:
    """Return an answer without the byte order mark that PowerShell puts before a text in a pipe."""
    encoding = getattr(sys.stdin, "encoding", None) or "utf-8"
    mark = codecs.BOM_UTF8.decode(encoding, "replace")
    return answer[len(mark) :] if answer.startswith(mark) else answer


def _answers(shows: Shows, replans: Replans) -> Lines:
    """Return the lines that explain the answers."""
    lines = ["  yes     write the files", "  no      write nothing"]
    lines += [f"  {word.ljust(7)} {ANSWERS[word]}" for word in shows]
    if replans:
        lines.append("  or type options to plan again, such as --keep-signs --count-once")
    return lines
