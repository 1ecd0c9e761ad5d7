"""The commands of the package: the function that runs each of them, and its help."""

import argparse
import os
import sys
from typing import Dict, List, Optional, Sequence

from ..base.errors import UsageError
from ..cli.parse_arguments import help_lines, parse, SIMPLIFY_COMMAND
from ..cli.run_command_line import run_command_line, say, WRITTEN
from .run_extension import EXTENSION, late
from .package_options import command_of, TABLE


# The functions of the other commands: each takes the values of the options and returns the exit status.
RUNS: Dict[str, str] = {
    "edit": "app.edit_commands:edit",
    "collision": "app.edit_commands:collision",
    "pairs": "app.edit_commands:pairs",
    "compare": "app.compare_command:run",
    "lint": "app.lint_command:run",
    "export": "app.export_command:run",
    "view": "app.view_command:run",
}

# Commands without a file among their words.
TAKE_WORDS: Dict[str, str] = {
    "explain": "app.explain_command:run",
    "mcp": "app.mcp.mcp_server:run",
}


def run_verb(verb: str, words: List[str]) -> int:
    """Run a command with its words; return the exit status."""
    if verb in TAKE_WORDS:
        return int(late(TAKE_WORDS[verb])(words))
    if words[:1] == ["--completion"]:
        say(late("app.shell_completion:completion_of")("".join(words[1:])), sys.stdout, exact=True)
        return WRITTEN
    return run_arguments(parse(verb, TABLE, words))


def run_arguments(arguments: argparse.Namespace) -> int:
    """Run a command with the values of its options; return the exit status."""
    if arguments.verb == "compare" and arguments.since:
        return int(late("app.compare_since_command:run")(arguments))
    if arguments.verb in RUNS:
        return int(late(RUNS[arguments.verb])(arguments))
    if arguments.check and arguments.page:  # a page of pairs shows the checked pairs
        raise UsageError("--check and --page cannot be combined")
    if arguments.check and any(map(os.path.isdir, arguments.files)):
        arguments.words = [word for word in arguments.words if word not in arguments.files]
        arguments.files = late("app.robot_files:files_of")(arguments.files)
    if arguments.check and arguments.format != "text":
        return int(late("app.lint_command:check_command")(arguments, EXTENSION))
    return int(late("cli.simplify_command:simplify_command")(arguments, EXTENSION))


def help_of(verb: str, *, full: bool) -> List[str]:
    """Return the lines of the help of a command."""
    command = SIMPLIFY_COMMAND if verb == SIMPLIFY_COMMAND.verb else command_of(verb)
    return help_lines(command, TABLE, full=full)


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help for its meaning."""
    return run_command_line(argv, run_verb, help_of)
