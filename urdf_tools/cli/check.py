"""`--check` over one or several files: a line for each, a total, and the command to run."""
import argparse
import shlex
import sys
from typing import List, Sequence

from ..base.errors import UrdfSimplifyError
from ..base.number_text import count_of
from ..base.option_table import Option
from ..urdf.xacro import is_xacro
from ..run.pipeline import Extension
from .arguments import program_name
from .command import print_error, NOT_DONE
from .run import run
from .streams import say

ONLY_CHECK = ("--check", "-n", "--dry-run", "-q", "--quiet", "--report")  # not for the run that changes the file


def check_files(arguments: argparse.Namespace, extension: Extension) -> int:
    """Report for each file whether a run would change it; return the worst status of all.

    Raises:
        UrdfSimplifyError: the only file cannot be used; of several, the others are checked nevertheless.
    """
    # A file that is refused does not stop the others: its status is the worst of all, whatever they are.
    paths = [arguments.input_urdf, *arguments.others]
    statuses: List[int] = []
    for path in paths:
        try:
            statuses.append(run(argparse.Namespace(**{**vars(arguments), "input_urdf": path}), extension))
        except UrdfSimplifyError as error:
            if len(paths) == 1:
                raise
            statuses.append(print_error(error, arguments.color))
    changed = [path for path, status in zip(paths, statuses) if status == NOT_DONE]
    refused = sum(status > NOT_DONE for status in statuses)
    if len(paths) > 1:
        more = f", {count_of(refused, 'file')} refused" if refused else ""
        say([f"{len(changed)} of {count_of(len(paths), 'file')} would change{more}"], sys.stdout)
    if changed and changed != ["-"]:
        command = _command(arguments, changed[0], extension.options)
        say([f"To change {'it' if len(changed) == 1 else 'the first of them'}: {command}"], sys.stdout)
    return max(statuses)


def _command(arguments: argparse.Namespace, path: str, added: Sequence[Option]) -> str:
    """Return the command line that makes, in place, the changes that --check reports, ready to be pasted."""
    words = [word for before, word in zip(("", *arguments.words), arguments.words)
             if word not in (*ONLY_CHECK, arguments.input_urdf, *arguments.others) and before != "--report"]
    words += [] if is_xacro(path) else ["-o", path, "--force"]
    for row in added:
        words += [row.spelling, arguments.exports[row.updates]] if arguments.exports.get(row.updates) else []
    program = program_name()
    start = program.split() if program.startswith("python3 -m ") else (
        ["python3", sys.argv[0]] if sys.argv[0].endswith(".py") else [program])
    return " ".join(map(shlex.quote, [*start, path, *words]))
