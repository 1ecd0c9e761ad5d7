"""A run in the page: the command line itself, in a folder of the browser's memory, on a screen of 80 columns.

`worker.js` calls the functions below by name, with plain data, and gets plain data.
"""
import io
import json
import os
import shutil
import sys
import zipfile
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, Callable, Collection, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from ..base.errors import UrdfError
from ..base.version import __version__
from ..cli.command import print_error
from ..cli.streams import CLEAR_LINE
from ..export.extension import main
from . import dropped
from .form import COMPARE, command_line, command_words, DIFFERENCES, form, LINT, SIMPLIFY, stem_of, tasks

OLDEST = (1980, 1, 1, 0, 0, 0)  # of ZIP: the same files give the same archive
MOST_PLACED = 50  # robots of one folder whose meshes are looked for by name
Progress = Callable[[str], None]


class Ran(NamedTuple):
    """What came of a run.

    Attributes:
        status: the exit status of the command.
        shown: what it printed, colors included, as on a terminal.
        files: path and size of what it wrote, as seen from the folder.
        page: the HTML page among these, "" for none.
        command: what to type for the same.
    """

    status: int
    shown: str
    files: Tuple[Tuple[str, int], ...]
    page: str
    command: str


class Screen(io.TextIOWrapper):
    """A terminal in memory. The line of progress goes elsewhere."""

    def __init__(self, progress: Progress) -> None:
        self.held = io.BytesIO()
        self.progress = progress
        super().__init__(self.held, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)

    def isatty(self) -> bool:
        """Return True: colors and progress are shown."""
        return True

    def write(self, text: str) -> int:
        """Show text; what replaces the line of progress is for the page."""
        if text.startswith(CLEAR_LINE):
            self.progress(text[len(CLEAR_LINE):].strip())
            return len(text)
        return super().write(text)

    def shown(self) -> str:
        """Return all that was shown."""
        return self.held.getvalue().decode("utf-8", "replace")


def about() -> Dict[str, Any]:
    """Return what the page has to know of the tool: version, tasks, fields of the form."""
    return {"version": __version__, "tasks": tasks(), "form": form(), "python": sys.version.split()[0]}


def look(folder: str, top: str) -> Dict[str, Any]:
    """Return what was dropped into a folder; archives are unpacked, and meshes without their folders linked.

    Args:
        folder: where the files are.
        top: links to meshes are made only below this folder.

    Returns:
        `robots` with path, format and size, the most likely first; `srdf` and `models` as well; `placed`, by robot the
        meshes that were found by their names alone; `files` and `bytes`; `refused`, a sentence for each archive that
        cannot be read.
    """
    refused = []
    for path in [one for one in dropped.files_in(folder) if one.lower().endswith(".zip")]:
        try:
            dropped.unpack(folder, path)
        except UrdfError as error:
            refused.append(str(error))
    names = list(dropped.files_in(folder))
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in names)
    found = [one._asdict() for one in dropped.find_robots(folder)]
    robots = [one for one in found if one["format"] not in ("SRDF", "model")]
    placed = {one["path"]: dropped.place_by_name(folder, one["path"], top) for one in robots[:MOST_PLACED]}
    return {"robots": robots, "srdf": [one for one in found if one["format"] == "SRDF"],
            "models": [one for one in found if one["format"] == "model"], "placed": placed, "files": len(names),
            "bytes": size, "refused": refused}


def run(folder: str, request: Mapping[str, Any], progress: Progress) -> Ran:
    """Run a command in a folder.

    Args:
        folder: where the files are.
        request: `robot`, `task`, `values`, `more`: see `command_words`.
        progress: called with a line from time to time.
    """
    robot, task = str(request["robot"]), str(request["task"])
    with work_in(folder):
        before = stamps()
        screen, stem = Screen(progress), free_stem(stem_of(robot, task), before)
        with redirect_stdout(screen), redirect_stderr(screen):
            try:
                words = command_words(robot, task, request["values"], str(request.get("more", "")), stem)
                status = main([*words, *_outputs(stem, task), "--color", "always"])
            except UrdfError as error:
                words, status = [robot], print_error(error, "always")
        written = [name for name, stamp in stamps().items() if before.get(name) != stamp]
        files = tuple((name, os.path.getsize(name)) for name in written)
    page = next((name for name in written if name.endswith(".html")), "")
    return Ran(status, screen.shown(), files, page, command_line(words))


def free_stem(stem: str, names: Collection[str]) -> str:
    """Return how names of outputs begin, so that none is that of a file which was dropped."""
    taken = [name[len(stem):] for name in names if name.startswith(stem)]
    while any(rest[:1] in (".", "_") for rest in taken):
        stem += "_new"
        taken = [name[len(stem):] for name in names if name.startswith(stem)]
    return stem


def _outputs(stem: str, task: str) -> List[str]:
    """Return the words that say where a run in the page writes: consent is given by what is then downloaded."""
    page = ["--page", stem + ".html"]
    return {SIMPLIFY: ["-o", stem + ".urdf", "--yes", "--jobs", "1", *page],
            COMPARE: [*page, "--report", stem + ".json"], LINT: [], DIFFERENCES: ["--diff"]}[task]


@contextmanager
def work_in(folder: str) -> Iterator[None]:
    """Work in a folder."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def stamps() -> Dict[str, Tuple[int, int, int]]:
    """Return for each file of the working folder what changes when it is written."""
    found = {name: os.stat(name) for name in dropped.files_in(".")}
    return {name: (one.st_mtime_ns, one.st_size, one.st_ino) for name, one in found.items()}


def clear(folder: str) -> None:
    """Remove all that is in a folder, and make it if it is not there."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)


def remove(folder: str, names: Sequence[str]) -> None:
    """Remove files of an earlier run."""
    for name in names:
        os.remove(os.path.join(folder, name))


def call(name: str, arguments: str, progress: Progress) -> str:
    """Call a function of `worker.js`'s with arguments as JSON; return what it returns as JSON."""
    given: Sequence[Any] = json.loads(arguments)
    if name == "run":
        return json.dumps(run(given[0], given[1], progress)._asdict())
    known: Dict[str, Callable[..., Any]] = {"about": about, "look": look, "clear": clear, "remove": remove,
                                             "beside": beside}
    return json.dumps(known[name](*given))


def beside(folder: str, names: Sequence[str]) -> List[Tuple[str, int]]:
    """Return path and size in bytes of the dropped files that results need beside them: see `needed_beside`."""
    return [(name, os.path.getsize(os.path.join(folder, name))) for name in dropped.needed_beside(folder, names)]


def archive(folder: str, names: Sequence[str]) -> bytes:
    """Return a ZIP archive of some files, with the paths as seen from a folder, or from one above if any is there."""
    paths = [os.path.normpath(os.path.join(folder, name)) for name in names]
    top, held = os.path.commonpath([folder, *map(os.path.dirname, paths)]), io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in paths:
            with open(path, "rb") as stream:
                name = os.path.relpath(path, top).replace(os.sep, "/")
                packed.writestr(zipfile.ZipInfo(name, OLDEST), stream.read(), zipfile.ZIP_DEFLATED)
    return held.getvalue()
