"""Parse the command line: a parser made of the table of options, `@file`, and "did you mean"."""
import argparse
import os
import re
import shlex
import sys
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple

from ..base.errors import did_you_mean, Unusable
from ..base.files import read_file
from ..base.option_table import as_flag, check_excludes, check_needs, given_values, Option, read_choice, read_text
from ..collada.records import no_rare_collada, RareCollada
from ..plan.options import Options
from ..run.option_rows import (MESHES, MOST_USED, OPTION_ROWS, options_from, OTHER, PACKAGE_ONLY, PLAN_DEFAULTS,
                               ROWS_BY_NAME)
from ..report.layout import WIDTH
from .command import WRITTEN
from .streams import say

EXAMPLES = (
    ("robot.urdf                 ", "show the plan, ask, write"),
    ("robot.urdf -o clean.urdf -y", "do not ask"),
    ("robot.urdf -n              ", "only show what would be done"),
    ("robot.urdf --diff          ", "see what would change"),
    ("robot.urdf --no-merge --no-strip", " only reorient"),
    ("robot.urdf --keep 'imu_*' --keep tool0", ""),
    ("robot.urdf --base-frame x=left,y=back,z=up --axis toe=Y", ""),
    ("robot.urdf --srdf robot.srdf --report report.json", ""),
    ("robot.urdf @choices.txt    ", "more arguments from a file"),
)
EXIT_STATUS = """\
exit status: 0 written or nothing to do; 1 not done (declined, or --check found
changes), 2 input or options refused, 3 the proof failed. Nothing is written
unless it is 0.
"""
DESCRIPTION = """\
Simplify and reorient a URDF: merge fixed and duplicate links, strip motor
hardware, turn every frame to X forward, Y left, Z up, and prove that it is
the same robot."""
# What is accepted and not shown: other words for an option, and what takes one back.
OTHER_SPELLINGS = {"--keep-equal-colours": "--keep-equal-colors"}
BACK_TO_DEFAULT = {"merge_equal_colors": ("--merge-equal-colors", "--merge-equal-colours")}


class _Parser(argparse.ArgumentParser):
    """A parser that raises its errors instead of printing them; `example` is the file that its --help needs."""

    example = ""

    def error(self, message: str) -> NoReturn:
        sentence = message[len("argument "):] if message.startswith("argument ") else message
        raise Unusable(f"{sentence}; {self.prog} {self.example}--help lists the options")


class _Page(argparse.RawDescriptionHelpFormatter):
    """Options as `-o, --output FILE`, which argparse itself does only since Python 3.13."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH - 2)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class FileWord(str):
    """A word out of an `@file`: an option on the command line overrules it."""


def program_name() -> str:
    """Return how the program was started: the name of the file or command, or `python3 -m urdf_tools`."""
    path = sys.argv[0] if sys.argv else ""
    folder, name = os.path.split(path)
    if name == "__main__.py":
        return f"python3 -m {os.path.basename(folder)}"
    return "urdf_simplify.py" if name in ("", "-", "-c", "-m") else name


def expand_files(words: Sequence[str], inside: Tuple[str, ...] = ()) -> List[str]:
    """Replace each `@file` by the words in it: many to a line, quoted as in a shell, with `#` comments.

    Raises:
        Unusable: a file cannot be read, is no UTF-8, has an open quote, or reads itself.
    """
    expanded: List[str] = []
    for word in words:
        if not word.startswith("@"):
            expanded.append(word)
            continue
        path = word[1:]
        real = os.path.realpath(path) if "\0" not in path else path
        if not path:
            raise Unusable("@ names no file")
        if real in inside:
            raise Unusable("this file of arguments reads itself", path)
        try:
            lines = read_file(path).decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise Unusable(f"this file of arguments is not UTF-8 (byte {error.start})", path) from None
        for number, line in enumerate(lines, 1):
            try:
                inner = shlex.split(line, comments=True)
            except ValueError as error:
                raise Unusable(f"{str(error).lower()} in this file of arguments", path, number) from None
            expanded += map(FileWord, expand_files(inner, (*inside, real)))
    return expanded


def make_parser(rows: Sequence[Option], positional: Tuple[str, str, str], description: str, epilog: str,
                groups: Optional[Dict[str, str]] = None) -> argparse.ArgumentParser:
    """Return a parser of the rows of a table.

    Args:
        rows: the options, in the order of the page.
        positional: name, metavar and help of the file that is read.
        description, epilog: what the page begins and ends with.
        groups: what is said under the headings of groups.
    """
    name, metavar, explanation = positional
    shown = metavar or "robot.urdf"
    parser = _Parser(prog=program_name(), formatter_class=_Page, epilog=epilog, add_help=False,
                     allow_abbrev=False, usage=f"%(prog)s [options] {shown}", description=description)
    parser.example = f"{metavar} " if metavar else ""
    parser.add_argument(name, nargs="?", metavar=metavar or None, help=explanation)
    known: Dict[str, Any] = {}
    for row in rows:
        if row.group not in known:
            known[row.group] = parser.add_argument_group(row.group, (groups or {}).get(row.group))
        _add_row(known[row.group], row)
    return parser


def _add_row(group: Any, row: Option) -> None:
    """Add an option as text: its value is read and checked later, by what serves the library, too."""
    keywords: Dict[str, Any] = {"dest": row.name, "default": row.default, "help": row.help or argparse.SUPPRESS}
    if row.kind is bool:
        keywords.update(action="store_const", const=not row.default)
    else:
        keywords.update(action="append", default=[] if row.repeatable else None,
                        metavar=row.metavar or f"{{{','.join(row.choices)}}}")
    group.add_argument(*filter(None, (row.short, row.spelling)), **keywords)
    if row.name in BACK_TO_DEFAULT:
        group.add_argument(*BACK_TO_DEFAULT[row.name], **{**keywords, "const": row.default, "help": argparse.SUPPRESS})


def short_help() -> List[str]:
    """Return one screen: the forms of the command, the options that people use most, and where the rest is."""
    program = program_name()
    rows = [ROWS_BY_NAME[name] for name in MOST_USED]
    names = [", ".join(filter(None, (row.short, row.spelling))) + (f" {row.metavar}" if row.metavar else "")
             for row in rows]
    meanings = [re.split("[;(:,]| in the ", row.help)[0].strip() for row in rows]
    width = max(map(len, names))
    return [f"usage: {program} [options] robot.urdf", "", *DESCRIPTION.splitlines(), "",
            f"  {program} robot.urdf               show the plan, ask, write",
            f"  echo yes | {program} robot.urdf    the same in a script",
            f"  {program} robot.urdf -n --full     look at all of the plan", "",
            *(f"  {name.ljust(width)}  {words}" for name, words in zip(names, meanings)), "",
            *EXIT_STATUS.splitlines(), f"{program} --help explains all options."]


def say_help(parser: argparse.ArgumentParser) -> int:
    """Print the help page; return the exit status."""
    say([parser.format_help().rstrip("\n")], sys.stdout)
    return WRITTEN


def parse(parser: argparse.ArgumentParser, rows: Sequence[Option], words: Sequence[str]) -> argparse.Namespace:
    """Return the values of all options by name, what the parser's first argument is, and the `others` for --check.

    Raises:
        Unusable: a word that is no option, a second file, or a value of another kind, with what was probably meant;
            or an option that counts once is given again.
    """
    arguments, left = parser.parse_known_args([OTHER_SPELLINGS.get(word, word) for word in words])
    typed = [word for word in words if type(word) is str]
    own = arguments if len(typed) == len(words) else parser.parse_known_args(typed)[0]
    unknown = next((word.partition("=")[0] for word in left if word.startswith("-") and word != "--"), "")
    if unknown:
        spellings = [*(row.spelling for row in rows if row.help), *map(as_flag, PACKAGE_ONLY)]
        begun = {spelling[:len(unknown)]: spelling for spelling in spellings}
        parser.error(f"unknown option {unknown}{did_you_mean(unknown, spellings, begun)}")
    arguments.others = [word for word in left if word != "--"]
    if arguments.others and not getattr(arguments, "check", False):
        parser.error(f"one file at a time, and '{left[-1]}' is a second one (--check takes several)")
    for row in rows:
        if row.kind is not bool and not row.repeatable:
            setattr(arguments, row.name, _single(row, getattr(arguments, row.name), getattr(own, row.name)))
    return arguments


def _single(row: Option, every: Optional[List[str]], own: Optional[List[str]]) -> Any:
    """Return the value of an option that counts once from all that were given, and those on the command line."""
    counted = (every if row.is_output else own) or ()
    if len(counted) > 1:
        raise Unusable(f"{row.spelling} is given twice, as '{counted[0]}' and as '{counted[1]}', and counts once")
    given = own or every
    return read_text(row, given[-1], row.spelling) if given else row.default


def is_model_command(words: Sequence[str], endings: Tuple[str, ...], added: Sequence[Option]) -> bool:
    """Return True if a model is given in the place of a robot, and not as the value of an option."""
    with_value = {spelling for row in (*OPTION_ROWS, *added) if row.kind is not bool
                  for spelling in (row.short, row.spelling)}
    return any(word.lower().endswith(endings) and not word.startswith("-") and before not in with_value - {""}
               for before, word in zip(["", *words], words))


def option_rows(added: Sequence[Option]) -> List[Option]:
    """Return all options: those of an extension are added before the last group."""
    first = [row for row in OPTION_ROWS if row.group != OTHER]
    return [*first, *added, *(row for row in OPTION_ROWS if row.group == OTHER)]


def build_parser(added: Sequence[Option]) -> argparse.ArgumentParser:
    """Return the parser of the command line with the options of an extension; its help has examples."""
    program = program_name()
    examples = "".join(f"  {program} {words} {meaning}".rstrip() + "\n" for words, meaning in EXAMPLES)
    epilog = f"examples:\n{examples}\n{EXIT_STATUS}"
    elsewhere = [name for name in PACKAGE_ONLY if name not in [row.name for row in added]]
    if elsewhere:
        from textwrap import fill  # imported here: only this page needs it

        more = fill(f"The package urdf-simplify adds {', '.join(map(as_flag, elsewhere))}; "
                    "`python3 -m urdf_tools --help` explains them.", 79, break_on_hyphens=False)
        epilog += f"\n{more}\n"
    return make_parser(option_rows(added), ("input_urdf", "", "path of the URDF; - reads standard input, *.xacro is "
                                       "expanded by the xacro command"), DESCRIPTION, epilog,
                       {MESHES: f"for the .dae files of a robot; alone: {program} model.dae --help"})


def parse_arguments(words: Sequence[str], added: Sequence[Option] = ()) -> argparse.Namespace:
    """Return the arguments of the command line, which name a URDF unless help is asked for.

    Raises:
        Unusable: the words cannot be understood, or exclude each other.
    """
    parser, rows = build_parser(added), option_rows(added)
    arguments = parse(parser, rows, words)
    if arguments.help or arguments.short_help:
        return arguments
    if arguments.input_urdf is None:
        parser.error("no URDF file is given")
    others = [row for row in rows if row.name not in PLAN_DEFAULTS]  # those are read, and compared, by `options_of`
    check_excludes(others, dict(given_values(others, vars(arguments))), {row.name: row.spelling for row in others})
    looks = "--check" if arguments.check else "--diff" if arguments.diff else ""
    for row in rows:
        value = getattr(arguments, row.name)
        if looks and value and row.is_output and row.name != "report":
            raise Unusable(f"{looks} writes nothing but a --report, so it takes no {row.spelling}")
        if value == "" and (row.is_output or row.name == "srdf"):
            raise Unusable(f"{row.spelling} '': give the name of a file")
        if value == "-" and row.is_output and row.name != "output":
            raise Unusable(f"{row.spelling} -: give the name of a file; only --output can be standard output")
        if row.name not in PLAN_DEFAULTS:
            setattr(arguments, row.name, read_choice(row, value, row.spelling))
    arguments.exports = {row.name: getattr(arguments, row.name) for row in added}
    arguments.shows_only = bool(looks or arguments.dry_run)
    arguments.words = list(words)
    if arguments.others and (arguments.srdf or arguments.report):
        raise Unusable(f"{'--srdf' if arguments.srdf else '--report'} is for one file, and "
                       f"'{arguments.others[-1]}' is a second one")
    return arguments


def options_of(arguments: argparse.Namespace, added: Sequence[Option] = (),
               rare: Callable[[], Optional[RareCollada]] = no_rare_collada) -> Options:
    """Return the choices among the arguments.

    Raises:
        Unusable: a value that does not exist, or one that would do nothing.
    """
    given = {name: getattr(arguments, name) for name in PLAN_DEFAULTS if name != "meshes"}
    options = options_from(given, flags=True, as_is=arguments.exports.get("as_is", False), rare=rare)
    check_needs([*OPTION_ROWS, *added], vars(arguments))
    return options
