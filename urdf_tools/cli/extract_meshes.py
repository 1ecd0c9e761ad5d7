"""Split a COLLADA model into binary STL files, one for each color, in meters.

`python -m urdf_tools.extract_dae_meshes model.dae -o output/`, or `extract_meshes_from_dae` from a program.
"""
import argparse
import os
import sys
from functools import partial
from typing import Callable, List, Optional, Sequence

from ..base.errors import Unusable
from ..base.files import no_such_file
from ..base.option_table import as_flag, Option
from ..collada.records import Conversion, no_rare_collada, RareCollada, rgba_text
from ..run.extract_meshes import default_folder, extract_conversion, SEPARATE
from ..run.option_rows import MESH_VALUES, OPTION_ROWS, options_from, OTHER, PACKAGE_ONLY, ROWS_BY_NAME
from .arguments import expand_files, make_parser, parse, say_help
from .command import run_command, WRITTEN
from .streams import clear_progress, progress_line, say

EXTRACT_EXAMPLES = """\
examples:
  model.dae -o output/               one STL for each color
  model.dae -o output/ --combine     one STL, no colors
  model.dae -o output/ --scale 0.01  its numbers are centimeters
"""
WHAT, WHERE = SEPARATE.group, "where to write, and how to report"
MESH_ROWS = tuple(ROWS_BY_NAME[name]._replace(group=WHAT) for name in MESH_VALUES)
EXTRACT_ROWS = (
    SEPARATE,
    *MESH_ROWS,
    Option("output", WHERE, "default: <model>_meshes next to the model", "FOLDER", short="-o"),
    Option("force", WHERE, "replace files that this tool did not write", kind=bool, default=False),
    Option("json", WHERE, "describe the parts as JSON", kind=bool, default=False),
    Option("yes", WHERE, "", kind=bool, default=False, short="-y"),  # accepted: this command never asks
    ROWS_BY_NAME["help"]._replace(group=OTHER, short="-h"),
)


def extract_main(argv: Optional[Sequence[str]] = None, rare: Callable[[], Optional[RareCollada]] = no_rare_collada
                 ) -> int:
    """Run the stand-alone command line; return 0 (written), 1 (interrupted), 2 (refused), 3 (the proof failed).

    Nothing is written unless it is 0.
    """
    return run_command(partial(_extract, rare), sys.argv[1:] if argv is None else argv, "error: ")


def parse_model(parser: argparse.ArgumentParser, rows: Sequence[Option], words: Sequence[str]) -> argparse.Namespace:
    """Return the values of the options for a `model` without a robot.

    Raises:
        Unusable: see `parse`; also an option that only robots have.
    """
    known = {spelling for row in rows for spelling in (row.short, row.spelling)}
    of_robots = {*map(as_flag, PACKAGE_ONLY), *(spelling for row in OPTION_ROWS
                                                for spelling in (row.short, row.spelling))} - known
    for word in words:
        if word.partition("=")[0] in of_robots:
            parser.error(f"{word.partition('=')[0]} is for a robot, and this is a model without one")
    parser.set_defaults(check=True)  # further files come back from `parse`
    arguments = parse(parser, rows, words)
    if arguments.others:
        raise Unusable(f"one file at a time, and '{arguments.others[0]}' is a second one: give it a run of its own")
    if arguments.model is None and not arguments.help:
        parser.error("no model is given")
    if arguments.model and not os.path.lexists(arguments.model):
        raise no_such_file(arguments.model)
    if arguments.output == "":
        raise Unusable("--output '': give the name of a folder")
    return arguments


def _extract(rare: Callable[[], Optional[RareCollada]], words: List[str]) -> int:
    parser = make_parser(EXTRACT_ROWS, ("model", "model.dae", "a .dae or .zae file"),
                         "Split a COLLADA model into STL files, one for each color, in meters.", EXTRACT_EXAMPLES)
    arguments = parse_model(parser, EXTRACT_ROWS, expand_files(words))
    if arguments.help:
        return say_help(parser)
    choices = options_from({row.name: getattr(arguments, row.name) for row in MESH_ROWS}, flags=True,
                           rare=rare).meshes.dae
    output = arguments.output or default_folder(arguments.model)
    show = progress_line(sys.stderr)
    progress = partial(show, os.path.basename(arguments.model)) if show else None
    try:
        options = choices._replace(separate=arguments.separate, rare=rare())
        conversion = extract_conversion(arguments.model, output, options,
                                        force=arguments.force, progress=progress)
    finally:
        clear_progress(sys.stderr)
    (print_json if arguments.json else print_parts)(arguments.model, conversion)
    return WRITTEN


def print_parts(dae_file: str, conversion: Conversion) -> None:
    """Print one line for each part, and the notes as warnings on standard error."""
    for part in conversion.parts:
        size = " x ".join(f"{high - low:.4g}" for low, high in zip(*part.bounds))
        color = f"rgba {rgba_text(part.rgba)}" if part.rgba else "no color of its own"
        say([f"{part.file}: {part.triangles} triangles, {size} m, {color}"], sys.stdout)
        say([f"{note.kind.severity}: {part.file}: {note}" for note in part.notes], sys.stderr)
    say([f"{note.kind.severity}: {dae_file}: {note}" for note in conversion.notes], sys.stderr)


def print_json(dae_file: str, conversion: Conversion, key: str = "dae") -> None:
    """Print the records as one JSON object, which names the model by a key."""
    import json  # imported here: few runs need it

    parts = [{**part._asdict(), "notes": [*map(str, part.notes)]} for part in conversion.parts]
    say([json.dumps({key: dae_file, "parts": parts, "notes": [*map(str, conversion.notes)]}, indent=2)], sys.stdout)
