"""The command line of any extension: choose the command, run it, return the exit status."""
import gc
import sys
from functools import partial
from typing import List, Optional, Sequence

from ..base.version import version_text
from ..run.pipeline import Extension
from .arguments import build_parser, is_model, parse_arguments, say_help, short_help
from .command import run_command, WRITTEN
from .streams import say


def run_command_line(argv: Optional[Sequence[str]], extension: Extension) -> int:
    """Run the command line and return the exit status; see the help page for its meaning.

    Args:
        argv: its words; None: those that the process was started with.
        extension: what the package adds, or what the single file does instead.
    """
    collecting = gc.isenabled()
    gc.disable()  # the trees live to the end: a collection would find nothing and cost a fifth of the time
    try:
        return run_command(partial(_run, extension), sys.argv[1:] if argv is None else argv)
    finally:
        if argv is None:
            gc.freeze()  # the process ends now: a last collection would only walk through the trees
        if collecting:
            gc.enable()


def _run(extension: Extension, given: List[str]) -> int:
    """Run the command that the words ask for; return the exit status."""
    words = extension.words(given)
    # Before any parsing, so that it is printed whatever else is given.
    if "--version" in words:
        say([version_text()], sys.stdout)
        return WRITTEN
    status = extension.run_instead(words)
    if status is not None:
        return status
    arguments = parse_arguments(words, extension.options)
    if arguments.help:
        return say_help(build_parser(extension.options))
    if arguments.short_help:
        say(short_help(extension.options), sys.stdout)
        return WRITTEN
    if not is_model(arguments.input_urdf):
        from .check import check_files
        from .run import run

        return (check_files if arguments.check else run)(arguments, extension)
    return extension.run_model(arguments)
