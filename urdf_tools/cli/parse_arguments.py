"""Parse the words of one command: a parser made of its rows, its help in two lengths, and hints on unknown options."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from itertools import chain
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Sequence, Tuple

from ..base.type_aliases import Choices, Lines, Pair, Pairs, Texts, Words
from ..base.errors import did_you_mean, UsageError
from ..base.option_table import OptionRow, rows_of, values_of
from ..base.paths import expanded_patterns
from ..base.record_type import Record
from ..collada.conversion_records import COLLADA_ENDINGS
from ..report.line_layout import LINE_WIDTH
from ..run.single_file_options import SIMPLIFY

# The commands, each with its purpose; a robot without a command means the first.
VERBS: Dict[str, str] = {
    SIMPLIFY: "the default: merge, strip, reorient; same robot",
    "edit": "change what you name, and nothing else",
    "collision": "replace collision meshes by shapes that contain them",
    "pairs": "find the links that can never touch, for MoveIt",
    "compare": "prove that two files are one robot, or say what differs",
    "lint": "find what is wrong in a file; --fix repairs it",
    "export": "write the robot as it is in another format",
    "view": "show a robot, or two, in a browser",
    "explain": "explain a finding, or an error message of another program",
    "mcp": "serve these commands to an assistant (Model Context Protocol)",
}
EXPORT = "export"
EXIT_STATUS = "exit status: 0 done, 1 not done, 2 input or options refused, 3 proof failed"
MODEL_ENDINGS = (*COLLADA_ENDINGS, ".stl", ".obj", ".gltf", ".glb")  # of models without a robot
# The options of `export` that a model without a robot takes.
OF_MODELS = (
    "split",
    "mesh_format",
    "scale",
    "missing_unit",
    "up_axis",
    "for",
    "visual_error",
    "report",
    "yes",
    "force",
    "quiet",
    "full",
    "color",
)
# Older spellings, which the first users of the COLLADA splitter know.
SAME: Mapping[str, Texts] = {
    "--separate-dae-meshes": ("--split", "color"),
    "--combine-dae-meshes": ("--mesh-format", "stl"),
    "--combine": ("--mesh-format", "stl"),
}


class Command(Record):
    """A command as its help shows it.

    Attributes:
        verb: its name.
        usage: the words after the name of the program.
        sentences: its description.
        examples: words of a command line, each with its purpose.
        status: the line on exit statuses, "" for none.
        output: the default name of its output.
    """

    verb: str
    usage: str
    sentences: str
    examples: Pairs
    status: str = ""
    output: str = ""


SIMPLIFY_COMMAND = Command(
    verb=SIMPLIFY,
    usage="ROBOT [-o FILE] [options]",
    sentences="Merge fixed joints, strip motor parts, and fix the axes and frames of a "
    "URDF. Nothing is written unless the result is proven to be the same robot.",
    examples=(
        ("robot.urdf", "show the plan, ask, write"),
        ("robot.urdf --keep-signs --keep-frames -o clean.urdf", ""),
        ("compare a.urdf b.xml", "same robot? if not, where"),
        ("lint robots/", "find mistakes and cures"),
        ('edit robot.urdf --lock "waist_*"', ""),
        ("export robot.urdf robot.xml", "MuJoCo; .sdf, .usda, ..."),
        ("view robot.urdf", "see it in a browser"),
    ),
    status=EXIT_STATUS,
    output="ROBOT_simplified.urdf",
)


class _ArgumentParser(argparse.ArgumentParser):
    """A parser that raises its errors instead of printing them."""

    def error(self, message: str) -> NoReturn:
        """Raise a refusal that begins with the option."""
        start = len("argument ") if message.startswith("argument ") else 0
        raise UsageError(message[start:])


def python_name() -> str:
    """Return the command that starts Python: on Windows, where `python3` opens a shop, the launcher if it is installed."""
    if os.name != "nt":
        return "python3"
    from shutil import which

    return "py" if which("py") else os.path.splitext(os.path.basename(sys.executable))[0]


def program_name() -> str:
    """Return how the program was started: the name of the file or command, or `python3 -m urdf_tools`."""
    path = sys.argv[0] if sys.argv else ""
    folder, name = os.path.split(path)
    if name == "__main__.py":
        return f"{python_name()} -m {os.path.basename(folder)}"
    return "urdf_simplify.py" if name in ("", "-", "-c", "-m") else name


def command_to_paste() -> Words:
    """Return the first words of a command line that starts this program again."""
    program = program_name()
    if program.startswith(f"{python_name()} -m "):
        return program.split()
    return [python_name(), sys.argv[0]] if sys.argv[0].endswith(".py") else [program]


def verb_of(words: Sequence[str]) -> Tuple[str, Words]:
    """Return the command that the words name, and the words without it.

    A first word that is the name of a command is the command, whatever files exist: a script must not change its
    meaning with its folder.

    Raises:
        UsageError: a command stands after an option, or the first word is neither a command nor a file.
    """
    first = words[0] if words else ""
    if first in VERBS:
        return first, list(words[1:])
    late = next((word for word in words if word in VERBS and not os.path.exists(word)), "")
    if late and first.startswith("-"):
        raise UsageError(f"the command comes first: {program_name()} {late} ...")
    is_word = first.isalpha() and not os.path.lexists(first)
    meant = did_you_mean(first, (*VERBS, "--check")) if is_word else ""
    if meant:
        raise UsageError(f"no file '{first}', and no such command{meant}")
    return SIMPLIFY, list(words)


def is_model(path: str) -> bool:
    """Return True for the name of a model without a robot."""
    return path.lower().endswith(MODEL_ENDINGS)


def _require_names_of_outputs(rows: Sequence[OptionRow], given: Mapping[str, object]) -> None:
    """Refuse standard output if a further file would be made beside the result."""
    for row in rows:
        if row.is_output and given.get(row.name) == "-" and row.name != "output":
            raise UsageError(
                f"{row.spelling} -: give the name of a file; only --output can be standard output"
            )


def parse(verb: str, table: Sequence[OptionRow], words: Sequence[str]) -> argparse.Namespace:
    """Return the values of the options of a command by name, its `files`, `words`, and the `verb`.

    If an option that is not repeatable is given several times, the last value counts.

    Args:
        verb: the command.
        table: the options of all commands.
        words: the words after the command.

    Raises:
        UsageError: an unknown option, with the most similar known option; or an invalid value.
    """
    rows = _rows_of_words(verb, table)
    first_words = [word for word in words if word in SAME]
    if len({SAME[word] for word in first_words}) > 1:
        raise UsageError(f"{first_words[0]} and {first_words[1]} cannot be combined")
    # After `--` every word is a file, even if it begins with a hyphen.
    end = words.index("--") if "--" in words else len(words)
    options = [*chain.from_iterable(SAME.get(word, (word,)) for word in words[:end])]
    parsed, rest = _parser_of(rows, " ".join(options)).parse_known_args(options)
    # Without any positional argument argparse returns files, also the `-` of standard input, as unknown words.
    unknown = [word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"]
    if unknown:
        raise UsageError(f"{verb}: unknown option {unknown[0]}{_hint(verb, unknown[0], table)}")
    given = {name: value for name, value in vars(parsed).items() if value is not None}
    files = [*rest, *words[end + 1 :]]
    if not _are_found(rows, given):
        files = expanded_patterns(files)
    return arguments_of(verb, rows, table, given, files=files, words=words)


def arguments_of(
    verb: str,
    rows: Sequence[OptionRow],
    table: Sequence[OptionRow],
    given: Choices,
    *,
    files: Words,
    words: Sequence[str],
    spelled: Callable[[OptionRow], str] = lambda row: row.spelling,
) -> argparse.Namespace:
    """Return the values of the options of a command by name, its `files`, `words`, and the `verb`.

    Args:
        verb: the command.
        rows: its options.
        table: the options of all commands.
        given: the values that are given, by name.
        files: the words that are no options.
        words: the command line, from which `edit` takes the order of its edits.
        spelled: how the caller spells an option, for messages.

    Raises:
        UsageError: a value cannot be used, or no file is given.
    """
    _require_names_of_outputs(rows, given)
    if verb == EXPORT and files and is_model(files[0]):
        _refuse_options_of_robots(files[0], rows, given)
        rows = [row._replace(needs=()) for row in rows]  # a model is converted anyway
    values = values_of(rows, given, spelled)
    if not files and not _are_found(rows, given):
        _refuse_no_file(rows, values)
    # Options of other commands have their defaults, as a run may look at them.
    others = {row.name: row.default for row in table}
    return argparse.Namespace(**{**others, **values}, files=files, words=list(words), verb=verb)


def _are_found(rows: Sequence[OptionRow], given: Choices) -> bool:
    """Return True if an option finds the files itself: words are patterns then, and there may be none."""
    return any(row.finds_files and row.name in given for row in rows)


def _parser_of(rows: Sequence[OptionRow], text: str) -> argparse.ArgumentParser:
    """Return a parser of those options that may be in a text; an option that is not given is None or missing."""
    # argparse shows no help here, but without a width it loads shutil, with its compressors, to measure the terminal.
    formatter = partial(argparse.HelpFormatter, width=80)
    parser = _ArgumentParser(add_help=False, allow_abbrev=False, formatter_class=formatter)
    for row in rows:
        # Adding them all would take longer than reading the words.
        if not row.short and row.spelling not in text:
            continue
        kind = "append" if row.repeatable else "store"
        action: Dict[str, Any] = {"action": kind}
        if row.kind is bool:
            action = {"action": "store_const", "const": not row.default}
        names = filter(None, (row.short, row.spelling))
        parser.add_argument(*names, dest=row.name, default=None, **action)
    return parser


def _rows_of_words(verb: str, table: Sequence[OptionRow]) -> List[OptionRow]:
    """Return the options of a command; their numbers are read from words."""
    rows = []
    for row in rows_of(verb, table):
        if row.kind in (int, float):
            row = row._replace(read=row.read or row.kind)
        rows.append(row)
    return rows


def _refuse_no_file(rows: Sequence[OptionRow], values: Choices) -> NoReturn:
    """Refuse a command line without a file, or whose file was taken for the value of an option."""
    for row in rows:
        if row.is_output and os.path.isfile(values[row.name] or ""):
            raise UsageError(
                f"which robot? '{values[row.name]}' was read as the value of {row.spelling}"
            )
    raise UsageError("no file is given; -h shows how to start")


def _refuse_options_of_robots(path: str, rows: Sequence[OptionRow], given: Choices) -> None:
    """Refuse options that would do nothing to a model without a robot."""
    for row in rows:
        if row.name in given and row.name not in OF_MODELS:
            raise UsageError(f"{row.spelling} is for a robot, and {path} is a mesh")


def _hint(verb: str, word: str, table: Sequence[OptionRow]) -> str:
    """Return a hint on an unknown option: the command that has it, or a similar spelling."""
    if verb == EXPORT and word in ("-o", "--output"):
        return f": the files to write follow the robot, as in {program_name()} export robot.urdf robot.xml"
    spelled = {row.spelling: row for row in table}
    spelled.update({row.short: row for row in table if row.short})
    others = spelled[word].verbs.split() if word in spelled else []
    if others:
        return f"; it belongs to {', '.join(others)}"
    names = [row.spelling for row in rows_of(verb, table)]
    if "--split" in names:
        names += SAME
    begun = {name[: len(word)]: name for name in names}
    listed = f"; see {program_name()} {verb} --help"
    return did_you_mean(word, names, begun) or listed


LAST_OPTIONS = (
    ("-h, --help", "this page; --help shows all options"),
    ("-V, --version", "show the version, and whether this copy was edited"),
)


def help_lines(
    command: Command, table: Sequence[OptionRow], *, full: bool, elsewhere: str = ""
) -> Lines:
    """Return the help of a command: one screen, or with `full` all of its options and their further sentences.

    `elsewhere` is a line about commands that this program lacks.
    """
    from textwrap import wrap

    program = program_name()
    rows = rows_of(command.verb, table)
    width = LINE_WIDTH.get() - 2
    is_first = command.verb == SIMPLIFY
    name = program if is_first else f"{program} {command.verb}"
    lines = [f"usage: {name} {command.usage}"]
    if is_first:
        lines.append(f"       {program} COMMAND ...")
    lines += ["", *wrap(command.sentences, width), "", *_examples(name, command)]
    if is_first:
        lines += ["", "commands (COMMAND -h explains one):", *_columns(list(VERBS.items()))]
        lines += wrap(elsewhere, width)
    if command.status:
        lines += ["", *wrap(command.status, width)]
    # `top` lists the commands whose short help shows an option; --help and --version are always shown.
    shown = [row for row in rows if full or command.verb in row.top.split()]
    if shown:
        title = "options:" if full else f"options (--help lists all {len(rows) + 2}):"
        lines += ["", title]
        lines += _columns([(row.shown, _help_of(row, command, full=full)) for row in shown])
    if full:
        lines += _columns(LAST_OPTIONS)
    return lines


def _help_of(row: OptionRow, command: Command, *, full: bool) -> str:
    """Return the help of an option, with `full` with its further sentences."""
    text = row.help.replace("{output}", command.output)
    return f"{text}. {row.more}" if full and row.more else text


def _examples(name: str, command: Command) -> Lines:
    """Return the lines of the examples with their explanations in one column; each begins with a name."""
    rows = [(f"{name} {words}".rstrip(), meaning) for words, meaning in command.examples]
    if command.verb == SIMPLIFY:
        rows.insert(1, (f"echo yes | {rows[0][0]}", "the same in a script"))
    return _columns(rows, LINE_WIDTH.get() - 23)


def _columns(rows: Sequence[Pair], widest: int = 24) -> Lines:
    """Return lines of names with explanations, which wrap in their column."""
    from textwrap import wrap

    width = max((len(name) for name, words in rows if words and len(name) <= widest), default=0)
    lines: Lines = []
    for name, words in rows:
        first, *more = wrap(words, LINE_WIDTH.get() - 6 - width, break_on_hyphens=False) or [""]
        if len(name) > width:
            lines.append(f"  {name}")
            name = ""
        if name or first:
            lines.append(f"  {name.ljust(width)}  {first}".rstrip())
        lines += [f"{'':{width + 4}}{line}" for line in more]
    return lines


def one_file(arguments: argparse.Namespace, limit: int = 1, advice: str = "") -> None:
    """Refuse more files than a command takes.

    Raises:
        UsageError: names the first file that is too many.
    """
    if len(arguments.files) > limit:
        count = "one robot" if limit == 1 else f"{limit} files"
        raise UsageError(
            f"{arguments.verb} takes {count}{advice or f', and {arguments.files[limit]!r} is one more'}"
        )
