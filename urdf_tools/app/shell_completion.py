"""Completion of the command line in shells, from the rows of the options: `urdf-simplify --completion SHELL` prints it.

Bash and zsh (by its bashcompinit) get one function, fish a line for each option with its description.
"""

from __future__ import annotations

import shlex
from itertools import chain
from typing import Iterator, List

from ..base.errors import UsageError
from ..base.option_table import OptionRow, rows_of
from ..cli.parse_arguments import SIMPLIFY_COMMAND, VERBS
from .package_options import command_of, TABLE

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "urdf-simplify"
FUNCTION = "_urdf_simplify"
ASKED = ("-h", "--help", "--version")
DEFAULT = SIMPLIFY_COMMAND.verb


def completion_of(shell: str) -> List[str]:
    """Return the lines that a shell evaluates.

    Raises:
        UsageError: the shell is unknown.
    """
    if shell not in SHELLS:
        raise UsageError(f"--completion {shell}: give {', '.join(SHELLS[:-1])} or {SHELLS[-1]}")
    if shell == "fish":
        return [*_of_fish()]
    lines = [*_of_bash()]
    if shell == "zsh":
        lines.insert(0, "autoload -Uz compinit bashcompinit && compinit && bashcompinit")
    return lines


def _of_bash() -> Iterator[str]:
    """Yield a function that offers commands and files first, then options, and the values of options with a list."""
    yield f"{FUNCTION}() {{"
    yield f"  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command={DEFAULT} offered="
    yield f"  case ${{COMP_WORDS[1]}} in {'|'.join(VERBS)}) command=${{COMP_WORDS[1]}};; esac"
    yield '  case "$command $before" in'
    for verb in VERBS:
        for row in rows_of(verb, TABLE):
            if row.choices:
                spelled = "|".join(f'"{verb} {word}"' for word in (row.spelling, row.short) if word)
                values = shlex.quote(" ".join(row.choices))
                yield f'    {spelled}) COMPREPLY=($(compgen -W {values} -- "$word")); return;;'
    yield "  esac"
    yield "  case $command in"
    for verb in VERBS:
        yield f"    {verb}) offered={shlex.quote(' '.join((*_spellings(verb), *ASKED)))};;"
    yield "  esac"
    yield f"  [ $COMP_CWORD = 1 ] && [[ $word != -* ]] && offered={shlex.quote(' '.join(VERBS))}"
    yield "  [ $COMP_CWORD = 1 ] || [[ $word == -* ]] || offered="
    yield '  COMPREPLY=($(compgen -W "$offered" -- "$word"))'
    yield '  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))'
    yield "}"
    yield f"complete -o filenames -F {FUNCTION} {PROGRAM}"


def _spellings(verb: str) -> List[str]:
    """Return all spellings of the options of a command."""
    spellings = chain.from_iterable((row.short, row.spelling) for row in rows_of(verb, TABLE))
    return [*filter(None, spellings)]


def _of_fish() -> Iterator[str]:
    """Yield a line for each command and each option of each command."""
    first = f"not __fish_seen_subcommand_from {' '.join(verb for verb in VERBS if verb != DEFAULT)}"
    for verb, meaning in VERBS.items():
        yield f"complete -c {PROGRAM} -n __fish_is_first_token -a {verb} -d {shlex.quote(meaning)}"
    for verb in VERBS:
        here = first if verb == DEFAULT else f"__fish_seen_subcommand_from {verb}"
        command = SIMPLIFY_COMMAND if verb == DEFAULT else command_of(verb)
        for row in rows_of(verb, TABLE):
            meaning = row.help.replace("{output}", command.output)
            yield f"complete -c {PROGRAM} -n {shlex.quote(here)} {_of_row(row)} -d {shlex.quote(meaning)}"


def _of_row(row: OptionRow) -> str:
    """Return the spellings of an option as fish takes them, whether it has a value, and its choices."""
    short = f" -s {row.short[1:]}" if row.short else ""
    value = ""
    if row.choices:
        value = f" -x -a {shlex.quote(' '.join(row.choices))}"
    elif row.kind is not bool:
        value = " -r"
    return f"-l {row.spelling[2:]}{short}{value}"
