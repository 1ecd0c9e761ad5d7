"""The command line: choose the command, run it, return the exit status."""
import argparse
import gc
import sys
from typing import List, Optional, Sequence, Tuple

from ..base.version import version_text
from ..collada.records import COLLADA_ENDINGS
from .arguments import build_parser, expand_files, option_rows, parse_arguments, say_help, short_help
from .command import run_command, WRITTEN
from .hand_over import exporting, is_single_file, MODEL_ENDINGS, package_option, run_package
from .streams import say


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help page for its meaning."""
    collecting = gc.isenabled()
    gc.disable()  # the trees live to the end: a collection would find nothing and cost a fifth of the time
    try:
        return run_command(_main, sys.argv[1:] if argv is None else argv)
    finally:
        if argv is None:
            gc.freeze()  # the process ends now: a last collection would only walk through the trees
        if collecting:
            gc.enable()


def _main(given: List[str]) -> int:
    """Run the command that the words ask for; return the exit status."""
    words = expand_files(given)
    if "--version" in words:
        say([version_text()], sys.stdout)
        return WRITTEN
    if is_single_file() and (package_option(words) or is_model_command(words, MODEL_ENDINGS)):
        return run_package(words, package_option(words) or "the reader of such a model")
    if not is_single_file() and (is_model_command(words, MODEL_ENDINGS) or (
            package_option(words) and is_model_command(words, COLLADA_ENDINGS))):
        return int(exporting().model_main(words))
    if is_model_command(words, COLLADA_ENDINGS):
        return _run_extractor(words)
    for row in option_rows():
        if row.alone and row.spelling in words:
            say([exporting().text_alone(row.name)], sys.stdout)
            return WRITTEN
    arguments = parse_arguments(words)
    if arguments.help:
        return say_help(build_parser())
    if arguments.short_help:
        say(short_help(), sys.stdout)
        return WRITTEN
    return _check(arguments) if arguments.check else _simplify(arguments)


def _simplify(arguments: argparse.Namespace) -> int:
    from .run import run

    return run(arguments)


def _check(arguments: argparse.Namespace) -> int:
    from .check import check_files

    return check_files(arguments)


def _run_extractor(words: List[str]) -> int:
    from .extract_meshes import extract_main

    return extract_main(words)


def is_model_command(words: Sequence[str], endings: Tuple[str, ...]) -> bool:
    """Return True if a model is given in the place of a robot, and not as the value of an option."""
    with_value = {spelling for row in option_rows() if row.kind is not bool for spelling in (row.short, row.spelling)}
    return any(word.lower().endswith(endings) and not word.startswith("-") and before not in with_value - {""}
               for before, word in zip(["", *words], words))
