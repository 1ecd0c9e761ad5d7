"""The commands of the package: the module that runs each of them, and its help."""
import os
from importlib import import_module
from typing import List, Optional, Sequence

from ..base.errors import UsageError
from ..cli.arguments import help_lines, parse, SIMPLIFY_COMMAND
from ..cli.command import run_command_line
from ..cli.simplify import simplify_command
from .engine import EXTENSION
from .option_rows import TABLE
from .pages import command_of, old_options

def run_verb(verb: str, words: List[str]) -> int:
    """Run a command with its words; return the exit status."""
    if verb == "explain":
        from .explain import run as explain

        return explain(words)
    arguments = parse(verb, TABLE, words, lambda word: old_options().get(word, ""))
    if verb == SIMPLIFY_COMMAND.verb:
        if arguments.check and arguments.page:  # of pairs it is the page of what was judged
            raise UsageError("--check and --page cannot be combined")
        if arguments.check and any(map(os.path.isdir, arguments.files)):
            from .lint import files_of

            arguments.words = [word for word in arguments.words if word not in arguments.files]
            arguments.files = files_of(arguments.files)
        if arguments.check and arguments.format != "text":
            from .for_programs import check_command

            return check_command(arguments, EXTENSION)
        return simplify_command(arguments, EXTENSION)
    status: int = import_module(f".{verb}", __package__).run(arguments)
    return status


def help_of(verb: str, *, full: bool) -> List[str]:
    """Return the lines of the help of a command."""
    return help_lines(SIMPLIFY_COMMAND if verb == SIMPLIFY_COMMAND.verb else command_of(verb), TABLE, full=full)


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help for its meaning."""
    return run_command_line(argv, run_verb, help_of)

