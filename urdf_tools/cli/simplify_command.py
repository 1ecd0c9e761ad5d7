"""`simplify`: links are merged, motor parts stripped, frames and axes turned; with `--check` only the changes are
printed.

Several files: a line for each, a total, and the command to run.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from typing import Callable, List, Optional, Sequence

from ..base.errors import UrdfSimplifyError, UsageError
from ..base.file_reading import default_output
from ..base.number_text import count_of
from ..base.option_table import as_flag
from ..base.shell_words import shell_word
from ..run.single_file_options import options_from
from ..run.run_records import RunExtension
from ..urdf.expand_xacro import is_xacro
from .parse_arguments import command_to_paste, one_file, parse, program_name
from .run_command_line import NOT_DONE, print_error, say
from .run_and_ask import run, PreparedRun

# Options of --check that the command for the real run leaves out.
ONLY_CHECK = ("--check", "-n", "--dry-run", "-q", "--quiet", "--report")


def simplify_command(arguments: argparse.Namespace, extension: RunExtension) -> int:
    """Run `simplify`: read, simplify in memory, verify, show, ask, write; return the exit status."""
    if arguments.check:
        return check_files(arguments, extension)
    two = arguments.files[:2]
    advice = ""
    if all(map(os.path.exists, two)):
        advice = f"; did you mean: {program_name()} compare {' '.join(two)}?"
    one_file(arguments, advice=advice)
    return run(
        arguments,
        extension,
        default_output(arguments.files[0]),
        again=partial(_with_options, arguments, extension),
    )


def _with_options(
    arguments: argparse.Namespace, extension: RunExtension, words: Sequence[str]
) -> Callable[[], int]:
    """Return a run with further options; invalid options are refused at once."""
    planned = parse(arguments.verb, extension.table, [*arguments.words, *words])
    options_from(vars(planned), "--base-frame")
    return partial(simplify_command, planned, extension)


def statuses_of(
    arguments: argparse.Namespace,
    extension: RunExtension,
    refuse: Callable[[UrdfSimplifyError, str], int],
    shows: Optional[Callable[[PreparedRun], None]] = None,
) -> List[int]:
    """Return the status of each file: whether a run would change it (printed by `shows`), or the result of `refuse`."""
    statuses: List[int] = []
    for path in arguments.files:
        try:
            statuses.append(
                run(
                    argparse.Namespace(**{**vars(arguments), "files": [path]}),
                    extension,
                    default_output(path),
                    says_check=shows,
                )
            )
        except UrdfSimplifyError as error:  # the other files are still checked
            statuses.append(refuse(error, path))
    return statuses


def check_files(arguments: argparse.Namespace, extension: RunExtension) -> int:
    """Report for each file whether a run would change it; return the worst status of all."""
    paths: List[str] = arguments.files
    if len(paths) > 1:
        for option in ("srdf", "report"):
            if getattr(arguments, option, None):
                raise UsageError(
                    f"{as_flag(option)} is for one file, and '{paths[1]}' is a second one"
                )
    statuses = statuses_of(
        arguments, extension, lambda error, _: print_error(error, arguments.color)
    )
    changed = [path for path, status in zip(paths, statuses) if status == NOT_DONE]
    refused = sum(status > NOT_DONE for status in statuses)
    if len(paths) > 1:
        more = f", {count_of(refused, 'file')} refused" if refused else ""
        say([f"{len(changed)} of {count_of(len(paths), 'file')} would change{more}"], sys.stdout)
    if changed and changed != ["-"]:
        which = "it" if len(changed) == 1 else "the first of them"
        say([f"To change {which}: {_command(arguments, changed[0])}"], sys.stdout)
    return max(statuses)


def _command(arguments: argparse.Namespace, path: str) -> str:
    """Return the command line, ready to be pasted, that makes the changes of --check in place."""
    # Skip these options, and the value of --report.
    words = [
        word
        for before, word in zip(("", *arguments.words), arguments.words)
        if word not in (*ONLY_CHECK, *arguments.files) and before != "--report"
    ]
    # A result in place of a xacro file would be its expansion.
    if not is_xacro(path):
        words += ["-o", path, "--force"]
    return " ".join(map(shell_word, [*command_to_paste(), path, *words]))
