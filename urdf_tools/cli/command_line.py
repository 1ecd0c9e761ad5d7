"""Run a command line: find its command, show its help, or run it, and return the exit status."""
import sys
from functools import partial
from typing import Callable, List, NamedTuple, Optional, Sequence

from ..base.collector import collector_at_rest
from ..base.version import version_text
from .arguments import asked_help, verb_of
from .command import run_command, WRITTEN
from .streams import say


class Program(NamedTuple):
    """A program with commands.

    Attributes:
        run: given a command and the words after it, run it and return the exit status.
        help: given a command, and by name whether all of its options are wanted (`full`), return the lines of its help.
    """

    run: Callable[[str, List[str]], int]
    help: Callable[..., List[str]]


def run_command_line(argv: Optional[Sequence[str]], program: Program) -> int:
    """Run the command line and return the exit status; see the help for its meaning.

    Args:
        argv: its words; None: those that the process was started with.
        program: the package, or the single file.
    """
    with collector_at_rest(ends=argv is None):  # the trees live to the end: a collection would cost a fifth of the time
        return run_command(partial(_run, program), sys.argv[1:] if argv is None else argv)


def _run(program: Program, given: List[str]) -> int:
    """Run the command that the words ask for; return the exit status."""
    # Before any parsing, so that it is printed whatever else is given.
    if "--version" in given:
        say([version_text()], sys.stdout)
        return WRITTEN
    verb, words = verb_of(given)
    full = asked_help(words)
    if full is not None:
        say(program.help(verb, full=full), sys.stdout)
        return WRITTEN
    return program.run(verb, words)
