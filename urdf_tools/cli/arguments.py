"""Parse the command line: one parser made of the table of options, and "did you mean"."""
import argparse
import os
import re
import sys
from textwrap import fill
from typing import Any, Dict, List, NoReturn, Sequence

from ..base.errors import did_you_mean, UsageError
from ..base.option_table import as_flag, check_excludes, check_needs, given_values, Option, read_choice, read_text
from ..collada.records import COLLADA_ENDINGS
from ..plan.options import Options
from ..run.option_rows import (MODEL_OPTIONS, MOST_USED, OPTION_ROWS, options_from, OTHER, PACKAGE_ONLY,
                               PLAN_DEFAULTS)
from ..report.layout import WIDTH
from .command import WRITTEN
from .streams import say

EXAMPLES = (
    ("robot.urdf                 ", "show the plan, ask, write"),
    ("robot.urdf -o clean.urdf -y", "do not ask"),
    ("robot.urdf -n              ", "only show what would be done"),
    ("robot.urdf --no-merge --no-strip", " only reorient"),
    ("robot.urdf --keep 'imu_*' --keep tool0", ""),
    ("robot.urdf --base-frame x=left,y=back,z=up --axis toe=Y", ""),
    ("robot.urdf --report report.json", ""),
    ("model.dae -o folder        ", "one STL for each color"),
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
MODEL_ENDINGS = (".stl", ".obj", ".gltf", ".glb")  # of models that only the package reads, besides COLLADA
# What is accepted and not shown: other words for an option, and what takes one back.
OTHER_SPELLINGS = {"--combine": "--combine-dae-meshes", "--keep-equal-colours": "--keep-equal-colors"}
BACK_TO_DEFAULT = {"merge_equal_colors": ("--merge-equal-colors", "--merge-equal-colours")}


class _Parser(argparse.ArgumentParser):
    """A parser that raises its errors instead of printing them."""

    def error(self, message: str) -> NoReturn:
        sentence = message[len("argument "):] if message.startswith("argument ") else message
        raise UsageError(f"{sentence}; {self.prog} --help lists the options")


class _Page(argparse.RawDescriptionHelpFormatter):
    """Options as `-o, --output FILE`, which argparse itself does only since Python 3.13."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH - 2)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


def program_name() -> str:
    """Return how the program was started: the name of the file or command, or `python3 -m urdf_tools`."""
    path = sys.argv[0] if sys.argv else ""
    folder, name = os.path.split(path)
    if name == "__main__.py":
        return f"python3 -m {os.path.basename(folder)}"
    return "urdf_simplify.py" if name in ("", "-", "-c", "-m") else name


def _add_row(group: Any, row: Option) -> None:
    """Add an option as text: its value is read and checked later, by the functions that the library uses as well."""
    keywords: Dict[str, Any] = {"dest": row.name, "default": row.default, "help": row.help or argparse.SUPPRESS}
    if row.kind is bool:
        keywords.update(action="store_const", const=not row.default)
    else:
        keywords.update(action="append" if row.repeatable else "store", default=[] if row.repeatable else row.default,
                        metavar=row.metavar or f"{{{','.join(row.choices)}}}")
    group.add_argument(*filter(None, (row.short, row.spelling)), **keywords)
    if row.name in BACK_TO_DEFAULT:
        group.add_argument(*BACK_TO_DEFAULT[row.name], **{**keywords, "const": row.default, "help": argparse.SUPPRESS})


def short_help(added: Sequence[Option]) -> List[str]:
    """Return one screen: the forms of the command, the options that people use most, and where the rest is."""
    program = program_name()
    rows = [row for row in (*OPTION_ROWS, *added) if row.name in MOST_USED]
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


def _parse(parser: argparse.ArgumentParser, rows: Sequence[Option], words: Sequence[str]) -> argparse.Namespace:
    """Return the values of all options by name, the first file, and the `others` for --check and --lint.

    Of an option that is given several times but is not repeatable the last value counts.

    Raises:
        UsageError: an unknown option, a second file, or a value of another kind, with what was probably meant.
    """
    arguments, rest = parser.parse_known_args([OTHER_SPELLINGS.get(word, word) for word in words])
    unknown = next((word.partition("=")[0] for word in rest if word.startswith("-") and word != "--"), "")
    # argparse would abbreviate an unknown option or call it a file: it is named here, with what was meant.
    if unknown:
        spellings = [*(row.spelling for row in rows if row.help), *map(as_flag, PACKAGE_ONLY)]
        begun = {spelling[:len(unknown)]: spelling for spelling in spellings}
        parser.error(f"unknown option {unknown}{did_you_mean(unknown, spellings, begun)}")
    arguments.others = [word for word in rest if word != "--"]
    if arguments.others and not (arguments.check or getattr(arguments, "lint", False)):
        parser.error(f"one file at a time, and '{rest[-1]}' is a second one (--check and --lint take several)")
    for row in rows:
        value = getattr(arguments, row.name)
        if row.repeatable:
            setattr(arguments, row.name, tuple(value))
        elif row.kind in (int, float) and not row.read and isinstance(value, str):
            setattr(arguments, row.name, read_text(row, value, row.spelling))
    return arguments


def is_model(path: str) -> bool:
    """Return True for the name of a model without a robot."""
    return path.lower().endswith((*COLLADA_ENDINGS, *MODEL_ENDINGS))


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
        more = fill(f"The package urdf-simplify adds {', '.join(map(as_flag, elsewhere))}; "
                    "`python3 -m urdf_tools --help` explains them.", 79, break_on_hyphens=False)
        epilog += f"\n{more}\n"
    parser = _Parser(prog=program, formatter_class=_Page, epilog=epilog, add_help=False, allow_abbrev=False,
                     usage="%(prog)s [options] robot.urdf", description=DESCRIPTION)
    parser.add_argument("input_urdf", nargs="?", help="path of the URDF; - reads standard input, *.xacro is "
                        "expanded by the xacro command; of a model.dae alone the parts are written as STL")
    known: Dict[str, Any] = {}
    for row in option_rows(added):
        if row.group not in known:
            known[row.group] = parser.add_argument_group(row.group)
        _add_row(known[row.group], row)
    return parser


def parse_arguments(words: Sequence[str], added: Sequence[Option] = ()) -> argparse.Namespace:
    """Return the arguments of the command line, which name a URDF unless help is asked for.

    Raises:
        UsageError: the words cannot be understood, or exclude each other.
    """
    parser, rows = build_parser(added), option_rows(added)
    arguments = _parse(parser, rows, words)
    if arguments.help or arguments.short_help:
        return arguments
    if arguments.input_urdf is None:
        parser.error("no URDF file is given")
    if is_model(arguments.input_urdf):
        of_robots = [row for row in rows if row.name not in MODEL_OPTIONS]
        for name, _ in given_values(of_robots, vars(arguments)):
            parser.error(f"{next(row.spelling for row in rows if row.name == name)} is for a robot, and this is a "
                         "model without one")
    others = [row for row in rows if row.name not in PLAN_DEFAULTS]  # those are read, and compared, by `options_of`
    check_excludes(others, dict(given_values(others, vars(arguments))), {row.name: row.spelling for row in others})
    looks = next((row.spelling for row in rows if row.only_shows and getattr(arguments, row.name)), "")
    for row in rows:
        value = getattr(arguments, row.name)
        if looks and value and row.is_output and row.name != "report":
            raise UsageError(f"{looks} writes nothing but a --report, so it takes no {row.spelling}")
        if value == "" and row.is_output:
            raise UsageError(f"{row.spelling} '': give the name of a file")
        if value == "-" and row.is_output and row.name != "output":
            raise UsageError(f"{row.spelling} -: give the name of a file; only --output can be standard output")
        if row.name not in PLAN_DEFAULTS:
            setattr(arguments, row.name, read_choice(row, value, row.spelling))
    arguments.exports = {row.name: getattr(arguments, row.name) for row in added}
    arguments.looks, arguments.shows_only = bool(looks), bool(looks or arguments.dry_run)
    arguments.words = list(words)
    for name in [*(row.updates for row in added if row.updates), "report"]:
        if arguments.others and getattr(arguments, name):
            raise UsageError(f"{as_flag(name)} is for one file, and '{arguments.others[-1]}' is a second one")
    return arguments


def options_of(arguments: argparse.Namespace, added: Sequence[Option] = ()) -> Options:
    """Return the choices among the arguments.

    Raises:
        UsageError: a value that does not exist, or one that would do nothing.
    """
    given = {name: getattr(arguments, name) for name in PLAN_DEFAULTS if name != "meshes"}
    options = options_from(given, flags=True, as_is=arguments.exports.get("as_is", False))
    check_needs([*OPTION_ROWS, *added], vars(arguments))
    return options
