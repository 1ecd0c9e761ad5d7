"""A call of a tool as a process of its own: it can be ended, and nothing that it does reaches the server.

The server sends the request as JSON to the standard input of the process. The process runs the command as a terminal would;
its text and exit status come back, and the report that `--report` writes.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from threading import Lock
from typing import Any, List, Optional

from ...base.option_table import OptionRow, rows_of
from ...base.record_type import Record
from ...base.type_aliases import Json
from ...cli.parse_arguments import arguments_of
from ...cli.run_command_line import NOT_DONE, say, WRITTEN
from ...report.line_layout import TextStyle
from ..command_table import run_arguments
from ..package_options import TABLE
from .allowed_folders import AllowedFolders, guard, PACKAGE
from .mcp_tools import ToolCall

SECONDS = (
    600.0  # after which a call is ended; the largest robot at hand takes 60 with all of its meshes
)
OF_CALL = "--call"  # the word that starts the process of a call
PROGRAM = "urdf-simplify"  # how the messages of a call name the program
# The modules are found where the server found them. Python looks first in the folder where it starts, which is the folder of
# the robots: `sys` is a part of the program, and before the path is replaced no module is looked for.
START = (
    "import sys; sys.path[:] = sys.argv[2].split(sys.argv[1]); "
    f"sys.argv[:] = [{PROGRAM!r}, 'mcp', {OF_CALL!r}]; "
    "from urdf_tools.__main__ import console; sys.exit(console())"
)


class CallOutcome(Record):
    """The end of a call: its exit status, its text, what it said on standard error, and its report or None."""

    status: int
    text: str
    errors: str
    report: Any


class CallProcess:
    """The process of a call, which another thread may end at any time."""

    def __init__(self) -> None:
        """Begin without a process."""
        self._lock = Lock()
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self.is_cancelled = False  # nobody waits for its answer any more

    def run(
        self, call: ToolCall, folder: str, *, writes: bool, seconds: float = SECONDS
    ) -> CallOutcome:
        """Run a call in a process; return its outcome.

        Args:
            call: the checked call.
            folder: of the server, where the process runs.
            writes: whether it may write files below the folder.
            seconds: after which it is ended.

        Raises:
            OSError: the process cannot be started.
        """
        with tempfile.TemporaryDirectory(prefix="urdf_simplify-") as temporary:
            process = self._started(folder, temporary)
            if process is None:
                return _not_done("the call was cancelled before it began")
            request = {
                "call": call._asdict(),
                "folder": folder,
                "temporary": temporary,
                "writes": writes,
            }
            with process:
                try:
                    data = json.dumps(request).encode("ascii")
                    out, err = process.communicate(data, timeout=seconds)
                except subprocess.TimeoutExpired:
                    return _not_done(
                        f"the call was ended after {seconds:g} s: ask for less, or run it at a terminal"
                    )
                finally:
                    # Whatever happened, no process is left, and its files can be removed.
                    self._kill()
            return CallOutcome(
                status=process.returncode,
                text=_text_without(out, temporary),
                errors=_decoded(err),
                report=_report_in(temporary),
            )

    def cancel(self) -> None:
        """End the process, or keep it from being started."""
        with self._lock:
            self.is_cancelled = True
        self._kill()

    def _kill(self) -> None:
        """End the process with all that it started, if it runs."""
        with self._lock:
            process = self._process
            if process is None or process.poll() is not None:
                return
            with suppress(OSError):  # it ended just now
                if hasattr(os, "killpg"):
                    # `xacro` is a process that the call starts.
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()

    def _started(self, folder: str, temporary: str) -> Optional["subprocess.Popen[bytes]"]:
        """Start the process in its folder, in a group of its own; return None if it was cancelled before."""
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
        # All temporary files are in one folder, which is removed even if the process is killed.
        environment.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary))
        with self._lock:
            if self.is_cancelled:
                return None
            self._process = subprocess.Popen(
                _command(),
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            return self._process


def _command() -> List[str]:
    """Return the words that start a process of this program for a call."""
    # A program made by PyInstaller has no other Python.
    if getattr(sys, "frozen", False):
        return [sys.executable, "mcp", OF_CALL]
    folders = [os.path.dirname(PACKAGE), *filter(os.path.isabs, sys.path)]
    return [sys.executable, "-c", START, os.pathsep, os.pathsep.join(folders)]


def _not_done(sentence: str) -> CallOutcome:
    """Return the outcome of a call that gave no answer."""
    return CallOutcome(NOT_DONE, "", sentence, None)


def _decoded(data: bytes) -> str:
    """Return the text of a stream, with one kind of line ends."""
    return data.decode("utf-8", "replace").replace("\r\n", "\n").strip("\n")


def _text_without(data: bytes, temporary: str) -> str:
    """Return the text of a command without the lines on its report, which is in a temporary folder."""
    lines = [line for line in _decoded(data).split("\n") if temporary not in line]
    return "\n".join(lines).rstrip("\n")


def _report_path(temporary: str) -> str:
    """Return the path of the report of a call."""
    return os.path.join(temporary, "report.json")


def _report_in(temporary: str) -> Any:
    """Return the report that a call wrote, None without one."""
    try:
        with open(_report_path(temporary), "rb") as stream:
            # A number that is none, such as the tensor of a faulty link, is null for every reader of JSON.
            return json.loads(
                stream.read().decode("utf-8", "replace"), parse_constant=lambda word: None
            )
    except (OSError, ValueError):
        return None


def run_here() -> int:
    """Run the call that standard input holds, in this process; return the exit status of its command.

    Raises:
        UrdfError: an option or a file cannot be used.
    """
    request = json.loads(sys.stdin.buffer.read())
    call = ToolCall(**request["call"])
    guard(AllowedFolders(request["folder"], request["temporary"], request["writes"]))
    if call.verb == "explain":
        return _explain("\n".join(call.words))
    return run_arguments(arguments_of_call(call, request["temporary"], writes=request["writes"]))


def _explain(text: str) -> int:
    """Print the explanation of a text; return the exit status."""
    from ...export.all_diagnostics import EXPORT_KINDS
    from ..explain_command import explained

    say(explained(text, EXPORT_KINDS, TextStyle(boxes=False, color=False)), sys.stdout)
    return WRITTEN


def arguments_of_call(call: ToolCall, temporary: str, *, writes: bool) -> argparse.Namespace:
    """Return the values of all options of a call, as the parser of a command line does.

    Args:
        call: the call, whose report is written.
        temporary: the folder of the report.
        writes: whether the command may write; else it is a dry run, without a question.

    Raises:
        UsageError: the value of an option cannot be used.
    """
    rows = rows_of(call.verb, TABLE)
    names = {row.name for row in rows}
    given: Json = {**call.options, "report": _report_path(temporary), "color": "never"}
    if "yes" in names:
        given["yes"] = True
        given["dry_run"] = not writes or given.get("dry_run", False)
    # Edits are carried out in the order in which the call has them, each as often as it has values.
    words: List[str] = []
    spelled = {row.name: row.spelling for row in rows}
    for name, value in call.options.items():
        count = len(value) if isinstance(value, (list, dict)) else 1
        words += [spelled[name]] * count
    arguments = arguments_of(
        call.verb, rows, TABLE, given, files=[*call.words], words=words, spelled=_name_in_call
    )
    # Other processes would not know the guard of this one.
    arguments.jobs = 1
    return arguments


def _name_in_call(row: OptionRow) -> str:
    """Return the name of an option in a call, which messages quote: a call has no `--` and no hyphens."""
    return row.name
