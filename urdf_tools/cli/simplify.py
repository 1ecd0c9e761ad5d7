"""`simplify`: links are merged, motor parts stripped, frames and axes turned; with --check of several files."""
import argparse

from ..base.files import default_output
from ..run.records import Extension
from .arguments import one_file, parse, program_name
from .check import check_files
from .run import run


def simplify_command(arguments: argparse.Namespace, extension: Extension) -> int:
    """Run `simplify`: read, simplify in memory, verify, show, ask, write; return the exit status."""
    if arguments.check:
        return check_files(arguments, extension)
    one_file(arguments, advice=f"; did you mean: {program_name()} compare {' '.join(arguments.files[:2])}?")
    return run(arguments, extension, default_output(arguments.files[0]), again=lambda words: simplify_command(
        parse(arguments.verb, extension.table, words), extension))
