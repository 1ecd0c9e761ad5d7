"""Read the command line by the table of options, with "did you mean"."""
import os
import re
import sys
from types import SimpleNamespace
from typing import Any, Dict, List, Sequence, Tuple

from ..base.errors import did_you_mean, Unusable
from ..base.number_text import NUMBER
from ..base.option_table import as_flag, check_excludes, check_needs, given_values, Option, read_choice, read_text
from ..collada.records import COLLADA_ENDINGS
from ..plan.options import Options
from ..run.option_rows import MODEL_OPTIONS, OPTION_ROWS, options_from, OTHER, PACKAGE_ONLY, PLAN_DEFAULTS

MODEL_ENDINGS = (".stl", ".obj", ".gltf", ".glb")  # of models that only the package reads, besides COLLADA
# What is accepted and not shown: other words for an option, and what takes one back.
OTHER_SPELLINGS = {"--combine": "--combine-dae-meshes", "--keep-equal-colours": "--keep-equal-colors"}
BACK_TO_DEFAULT = dict.fromkeys(("--merge-equal-colors", "--merge-equal-colours"), "merge_equal_colors")


class Arguments(SimpleNamespace):
    """What a command line says: the value of each option by its name, and what follows from several.

    Attributes:
        input_urdf, others: the first file that is named, None without one, and further ones.
        exports: the values of the options of an extension.
        looks, shows_only: nothing but a --report is written; nothing but that and what a --dry-run writes.
        words: the words themselves.
    """


def program_name() -> str:
    """Return how the program was started: the name of the file or command, or `python3 -m urdf_tools`."""
    path = sys.argv[0] if sys.argv else ""
    folder, name = os.path.split(path)
    if name == "__main__.py":
        return f"python3 -m {os.path.basename(folder)}"
    return "urdf_simplify.py" if name in ("", "-", "-c", "-m") else name


def _read_words(rows: Sequence[Option], words: Sequence[str]) -> Tuple[Dict[str, Any], List[str]]:
    """Return the values of all options by name, as text where it is one, and the other words: files.

    Of an option that counts once the last one counts. A value is read and checked later, by what serves the library,
    too.

    Raises:
        Unusable: an unknown option, with what was probably meant, or a value that is missing or too much.
    """
    spelled = {spelling: row for row in rows for spelling in (row.short, row.spelling) if spelling}
    values: Dict[str, Any] = {row.name: () if row.repeatable else row.default for row in rows}
    files: List[str] = []
    waiting = [OTHER_SPELLINGS.get(word, word) for word in reversed(words)]
    while waiting:
        word = waiting.pop()
        if word == "--":
            return values, files + waiting[::-1]
        name, given, value = word.partition("=")
        if name not in spelled and word[:2] in spelled:  # -ofile, or -yn for -y -n
            name, given, value = word[:2], word[2:], word[2:]
        row = spelled.get(name)
        if name in BACK_TO_DEFAULT:
            values[BACK_TO_DEFAULT[name]] = PLAN_DEFAULTS[BACK_TO_DEFAULT[name]]
        elif row is None and _is_option(word):
            spellings = [*(one.spelling for one in rows if one.help), *map(as_flag, PACKAGE_ONLY)]
            begun = {spelling[:len(name)]: spelling for spelling in spellings}
            raise _misused(f"unknown option {name}{did_you_mean(name, spellings, begun)}")
        elif row is None:
            files.append(word)
        elif row.kind is bool:
            values[row.name] = not row.default
            if given == "=" or given and name == row.spelling:
                raise _misused(f"{name}: ignored explicit argument '{value}'")
            waiting += [f"-{value}"] if given else []
        else:
            if not given and (not waiting or _is_option(waiting[-1])):
                raise _misused(f"{'/'.join(filter(None, (row.short, row.spelling)))}: expected one argument")
            value = value if given else waiting.pop()
            values[row.name] = (*values[row.name], value) if row.repeatable else value
    return values, files


def _is_option(word: str) -> bool:
    """Return True if a word is spelled as options are: it begins with a hyphen, and is no number."""
    return word.startswith("-") and word != "-" and " " not in word and not re.fullmatch(NUMBER, word)


def _misused(message: str) -> Unusable:
    return Unusable(f"{message}; {program_name()} --help lists the options")


def is_model(path: str) -> bool:
    """Return True for the name of a model without a robot."""
    return path.lower().endswith((*COLLADA_ENDINGS, *MODEL_ENDINGS))


def option_rows(added: Sequence[Option]) -> List[Option]:
    """Return all options: those of an extension are added before the last group."""
    first = [row for row in OPTION_ROWS if row.group != OTHER]
    return [*first, *added, *(row for row in OPTION_ROWS if row.group == OTHER)]


def parse_arguments(words: Sequence[str], added: Sequence[Option] = ()) -> Arguments:
    """Return the arguments of the command line, which name a URDF unless help is asked for.

    Raises:
        Unusable: the words cannot be understood, or exclude each other.
    """
    rows = option_rows(added)
    values, files = _read_words(rows, words)
    arguments = Arguments(**values, input_urdf=files[0] if files else None, others=files[1:], words=list(words))
    if arguments.others and not (arguments.check or getattr(arguments, "lint", False)):
        raise _misused(f"one file at a time, and '{files[-1]}' is a second one (--check and --lint take several)")
    for row in rows:
        if row.kind in (int, float) and not row.read and isinstance(values[row.name], str):
            setattr(arguments, row.name, read_text(row, values[row.name], row.spelling))
    if arguments.help or arguments.short_help:
        return arguments
    if arguments.input_urdf is None:
        raise _misused("no URDF file is given")
    if is_model(arguments.input_urdf):
        of_robots = [row for row in rows if row.name not in MODEL_OPTIONS]
        for name, _ in given_values(of_robots, vars(arguments)):
            raise _misused(f"{next(row.spelling for row in rows if row.name == name)} is for a robot, and this is a "
                           "model without one")
    others = [row for row in rows if row.name not in PLAN_DEFAULTS]  # those are read, and compared, by `options_of`
    check_excludes(others, dict(given_values(others, vars(arguments))), {row.name: row.spelling for row in others})
    looks = next((row.spelling for row in rows if row.only_shows and getattr(arguments, row.name)), "")
    for row in rows:
        value = getattr(arguments, row.name)
        if looks and value and row.is_output and row.name != "report":
            raise Unusable(f"{looks} writes nothing but a --report, so it takes no {row.spelling}")
        if value == "" and row.is_output:
            raise Unusable(f"{row.spelling} '': give the name of a file")
        if value == "-" and row.is_output and row.name != "output":
            raise Unusable(f"{row.spelling} -: give the name of a file; only --output can be standard output")
        if row.name not in PLAN_DEFAULTS:
            setattr(arguments, row.name, read_choice(row, value, row.spelling))
    arguments.exports = {row.name: getattr(arguments, row.name) for row in added}
    arguments.looks, arguments.shows_only = bool(looks), bool(looks or arguments.dry_run)
    for name in [*(row.updates for row in added if row.updates), "report"]:
        if arguments.others and getattr(arguments, name):
            raise Unusable(f"{as_flag(name)} is for one file, and '{arguments.others[-1]}' is a second one")
    return arguments


def options_of(arguments: Arguments, added: Sequence[Option] = ()) -> Options:
    """Return the choices among the arguments.

    Raises:
        Unusable: a value that does not exist, or one that would do nothing.
    """
    given = {name: getattr(arguments, name) for name in PLAN_DEFAULTS if name != "meshes"}
    options = options_from(given, flags=True, as_is=arguments.exports.get("as_is", False))
    check_needs([*OPTION_ROWS, *added], vars(arguments))
    return options
