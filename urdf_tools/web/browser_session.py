"""A run in the page: it executes the command line, in a folder in the browser's memory, on a screen of 80 columns.

The form of the page makes the command line: the help of an option, its choices and its default come from the table of
options, so the page agrees with `--help`. `worker.js` calls functions by name, with plain data, and gets plain data.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import sys
import zipfile
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import (
    Any,
    Callable,
    Collection,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
)

from ..base.type_aliases import Json
from ..base.errors import UrdfError, UsageError
from ..base.file_reading import robot_stem
from ..base.option_table import OptionRow
from ..base.paths import common_folder, path_from
from ..base.record_type import Record
from ..base.shell_words import shell_word
from ..base.version import __version__
from ..cli.run_command_line import CLEAR_LINE, print_error
from ..app.command_table import main
from ..app.package_options import TABLE
from . import dropped_files
from .page_form import COLLISION, COMPARE, EDIT, EXPORT, FormField, FIELDS, LINT, SIMPLIFY

PROGRAM = "urdf-simplify"
# All other tasks write both.
OUTPUTS_OF = {EXPORT: "", COMPARE: "--report {}.json --page {}.html", LINT: "--report {}.json"}
ROWS: Dict[str, OptionRow] = {row.name: row for row in TABLE}


def tasks() -> List[str]:
    """Return the tasks of the page."""
    return list(dict.fromkeys(field.task for field in FIELDS))


def form() -> List[Json]:
    """Return the fields of the page as plain data."""
    return [_control(field, ROWS[field.name]) for field in FIELDS]


def _control(field: FormField, row: OptionRow) -> Json:
    """Return a field of the page as plain data."""
    help_text = field.label
    # The name of a target is not an option of its command.
    if field.task in row.verbs.split():
        help_text = ". ".join(filter(None, (f"{row.spelling}: {row.help}", row.more)))
    return {
        **field._asdict(),
        "kind": _kind_of_control(field, row),
        "help": help_text,
        "choices": list(row.choices),
        "on": field.on or row.kind is bool and bool(row.default),
        "needs": list(row.needs),
    }


def _kind_of_control(field: FormField, row: OptionRow) -> str:
    """Return the kind of a control: file, flag, choice or text."""
    if field.ending:
        return "file"
    if row.kind is bool:
        return "flag"
    return "choice" if row.choices else "text"


def command_words(
    robot: str,
    task: str,
    values: Mapping[str, Any],
    more: str = "",
    stem: str = "",
    *,
    differences: bool = False,
) -> List[str]:
    """Return the words of the command line for the values of the form, with all outputs.

    Args:
        robot: the path of the URDF.
        task: one of `tasks()`.
        values: by name: True or False of a flag or a file, else text; "" and missing values mean the default.
            `srdf` and `compare` are paths.
        more: further words, quoted as in a shell.
        stem: the beginning of the names of all outputs; "": see `stem_of`.
        differences: a task that makes a URDF only shows the lines that change.

    Raises:
        UsageError: `more` has an open quote.
    """
    stem = stem or stem_of(robot, task)
    words = [robot] if task == SIMPLIFY else [task, robot]
    if task == COMPARE:
        words.append(str(values["compare"]))
    elif values.get("srdf") and task != LINT:
        words += ["--srdf", str(values["srdf"])]
    for field in [field for field in FIELDS if field.task == task]:
        row = ROWS[field.name]
        value = values.get(field.name)
        if row.needs and not any(values.get(name) for name in row.needs):
            continue
        if not field.ending:
            words += _with_value(row, value)
        elif value and not differences:
            # An export names its targets without options.
            if task != EXPORT:
                words.append(row.spelling)
            words.append(stem + field.ending)
    outputs = "--diff" if differences else OUTPUTS_OF.get(task, "-o {}.urdf --page {}.html")
    words += [word.format(stem) for word in outputs.split()]
    try:
        return [*words, *shlex.split(more)]
    except ValueError as error:
        raise UsageError(f"{str(error).lower()} in the further options") from None


def _with_value(row: OptionRow, value: Any) -> List[str]:
    """Return the words of an option; a repeatable one is given once for each part between commas."""
    if row.kind is bool:
        is_switched = value is not None and bool(value) != bool(row.default)
        return [row.spelling] if is_switched else []
    text = str(value) if value and value != row.default else ""
    parts = text.split(",") if row.repeatable else [text]
    words = []
    for part in filter(None, map(str.strip, parts)):
        words += [row.spelling, part]
    return words


def stem_of(robot: str, task: str = SIMPLIFY) -> str:
    """Return the beginning of the names of all outputs."""
    endings = {
        COMPARE: "_compared",
        LINT: "_lint",
        EDIT: "_edited",
        COLLISION: "_collision",
        EXPORT: "",
    }
    path = os.path.basename(robot) if task == COMPARE else robot
    return robot_stem(path) + endings.get(task, "_simplified")


def command_line(words: Sequence[str]) -> str:
    """Return the command that does the same in a terminal."""
    return " ".join([PROGRAM, *map(shell_word, words)])


OLDEST = (1980, 1, 1, 0, 0, 0)  # the first time of ZIP: the same files give the same archive
MOST_PLACED = 50  # robots of a folder whose meshes are searched by name
Progress = Callable[[str], None]


class SessionResult(Record):
    """The outcome of a command in the page.

    Attributes:
        status: the exit status of the command.
        shown: the text that it printed, with colors, as on a terminal.
        files: path, relative to the folder, and size in bytes of the files that it wrote.
        page: the HTML page among these, "" without one.
        command: the command that does the same in a terminal.
    """

    status: int
    shown: str
    files: Tuple[Tuple[str, int], ...]
    page: str
    command: str


class TerminalScreen(io.TextIOWrapper):
    """A terminal in memory; lines of progress are passed to `progress`."""

    def __init__(self, progress: Progress) -> None:
        self.held = io.BytesIO()
        self.progress = progress
        super().__init__(
            self.held, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True
        )

    def isatty(self) -> bool:
        """Return True: colors and progress are shown."""
        return True

    def write(self, text: str) -> int:
        """Write text; pass a line of progress to the page."""
        if text.startswith(CLEAR_LINE):
            self.progress(text[len(CLEAR_LINE) :].strip())
            return len(text)
        return super().write(text)

    def shown(self) -> str:
        """Return all text that was written."""
        return self.held.getvalue().decode("utf-8", "replace")


def about() -> Json:
    """Return the data of the tool for the page: version, tasks, fields of the form."""
    return {
        "version": __version__,
        "tasks": tasks(),
        "form": form(),
        "python": sys.version.split()[0],
    }


def look(folder: str, top: str) -> Json:
    """Return the dropped files of a folder; archives are unpacked, and meshes without their folders linked.

    Args:
        folder: the folder of the files.
        top: links to meshes are made only below this folder.

    Returns:
        `robots` with path, format and size, the most likely first; `srdf` and `models` as well; `placed`, by robot the
        meshes that were found by their names only; `files` and `bytes`, their number and size; `refused`, a sentence
        for each archive that cannot be read.
    """
    refused = []
    for path in [name for name in dropped_files.files_in(folder) if name.lower().endswith(".zip")]:
        try:
            dropped_files.unpack(folder, path)
        except UrdfError as error:
            refused.append(str(error))
    names = list(dropped_files.files_in(folder))
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in names)
    files = [file._asdict() for file in dropped_files.find_robots(folder)]
    robots = [file for file in files if file["format"] not in ("SRDF", "model")]
    placed = {
        file["path"]: dropped_files.place_by_name(folder, file["path"], top)
        for file in robots[:MOST_PLACED]
    }
    return {
        "robots": robots,
        "srdf": [file for file in files if file["format"] == "SRDF"],
        "models": [file for file in files if file["format"] == "model"],
        "placed": placed,
        "files": len(names),
        "bytes": size,
        "refused": refused,
    }


def run(folder: str, request: Mapping[str, Any], progress: Progress) -> SessionResult:
    """Run a command in a folder.

    Args:
        folder: the folder of the files.
        request: `robot`, `task`, `values`, `more`, `differences`: see `command_words`.
        progress: called with a line from time to time.
    """
    robot = str(request["robot"])
    task = str(request["task"])
    endings = None
    if task == EXPORT:
        fields = [field for field in FIELDS if field.task == EXPORT]
        endings = [field.ending for field in fields if request["values"].get(field.name)]
    with work_in(folder):
        before = stamps()
        screen = TerminalScreen(progress)
        stem = free_stem(stem_of(robot, task), before, endings)
        with redirect_stdout(screen), redirect_stderr(screen):
            try:
                words = command_words(
                    robot,
                    task,
                    request["values"],
                    str(request.get("more", "")),
                    stem,
                    differences=bool(request.get("differences")),
                )
                # Downloading a file is the consent; two commands write nothing that needs consent.
                consent = [] if task in (COMPARE, LINT) else ["--yes"]
                status = main([*words, *consent, "--color", "always"])
            except UrdfError as error:
                words = [robot]
                status = print_error(error, "always")
        # Written files are found by their changed stamps, as a run may write more files than its options name.
        written = [name for name, stamp in stamps().items() if before.get(name) != stamp]
        files = tuple((name, os.path.getsize(name)) for name in written)
    page = next((name for name in written if name.endswith(".html")), "")
    return SessionResult(
        status=status, shown=screen.shown(), files=files, page=page, command=command_line(words)
    )


def free_stem(stem: str, names: Collection[str], endings: Optional[Sequence[str]] = None) -> str:
    """Return a beginning for names of outputs that no dropped file has.

    The outputs have `endings`, or are meshes; None: any ending, as only outputs have names that begin so.
    """

    def is_taken(name: str) -> bool:
        """Return True if a file may block an output."""
        if endings is None:
            return name.startswith((f"{stem}.", f"{stem}_"))
        is_output = any(name == stem + ending for ending in endings)
        return is_output or name.startswith(f"{stem}_meshes/")

    while any(map(is_taken, names)):
        stem += "_new"
    return stem


@contextmanager
def work_in(folder: str) -> Iterator[None]:
    """Change the working folder, and restore it at the end."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def stamps() -> Dict[str, Tuple[int, int, int]]:
    """Return for each file of the working folder its time, size and inode: these change when it is written."""
    stats = {name: os.stat(name) for name in dropped_files.files_in(".")}
    return {name: (stat.st_mtime_ns, stat.st_size, stat.st_ino) for name, stat in stats.items()}


def clear(folder: str) -> None:
    """Remove the content of a folder; create the folder if it does not exist."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)


def remove(folder: str, names: Sequence[str]) -> None:
    """Remove files of an earlier run."""
    for name in names:
        os.remove(os.path.join(folder, name))


def call(name: str, arguments: str, progress: Progress) -> str:
    """Call a function for `worker.js` with arguments as JSON; return its result as JSON."""
    given: Sequence[Any] = json.loads(arguments)
    if name == "run":
        return json.dumps(run(given[0], given[1], progress)._asdict())
    known: Dict[str, Callable[..., Any]] = {
        "about": about,
        "look": look,
        "clear": clear,
        "remove": remove,
        "beside": beside,
    }
    return json.dumps(known[name](*given))


def beside(folder: str, names: Sequence[str]) -> List[Tuple[str, int]]:
    """Return path and size in bytes of the dropped files that results need: see `needed_beside`."""
    return [
        (name, os.path.getsize(os.path.join(folder, name)))
        for name in dropped_files.needed_beside(folder, names)
    ]


def archive(folder: str, names: Sequence[str]) -> bytes:
    """Return a ZIP archive of files, with paths relative to a folder, or to a parent if a file is outside it."""
    paths = [os.path.normpath(os.path.join(folder, name)) for name in names]
    top = common_folder([folder, *map(os.path.dirname, paths)]) or folder
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in paths:
            with open(path, "rb") as stream:
                name = path_from(top, path)
                packed.writestr(zipfile.ZipInfo(name, OLDEST), stream.read(), zipfile.ZIP_DEFLATED)
    return held.getvalue()
