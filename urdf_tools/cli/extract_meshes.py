"""Split a COLLADA model into binary STL files, one for each color, in meters.

`python -m urdf_tools.extract_dae_meshes model.dae -o output/`, or `extract_meshes_from_dae` from a program.
"""
import argparse
import os
import sys
from functools import partial
from typing import Callable, List, Optional, Sequence, Tuple, Union

from ..base.errors import BrokenMesh, Unusable
from ..base.files import no_such_file
from ..base.option_table import as_flag, Option, read_choice
from ..base.transaction import Transaction
from ..mesh.file_names import safe_stem
from ..mesh.stl import is_own_stl, stl_source
from ..collada.convert import convert_dae
from ..collada.records import (Conversion, DaeOptions, MeshProgress, MAX_FACES, no_rare_collada, Part, part_stems,
                               RareCollada, rgba_text)
from ..run.destinations import read_path
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
WHAT, WHERE = "what to write, and how to read", "where to write, and how to report"
MESH_ROWS = tuple(ROWS_BY_NAME[name]._replace(group=WHAT) for name in MESH_VALUES)
EXTRACT_ROWS = (
    Option("separate", WHAT, "one STL for everything, without colors", kind=bool, default=True, flag="--combine"),
    *MESH_ROWS,
    Option("output", WHERE, "default: <model>_meshes next to the model", "FOLDER", short="-o"),
    Option("force", WHERE, "replace files that this tool did not write", kind=bool, default=False),
    Option("json", WHERE, "describe the parts as JSON", kind=bool, default=False),
    Option("yes", WHERE, "", kind=bool, default=False, short="-y"),  # accepted: this command never asks
    ROWS_BY_NAME["help"]._replace(group=OTHER, short="-h"),
)


def extract_meshes_from_dae(dae_file: "Union[str, os.PathLike[str]]", output_dir: "Union[str, os.PathLike[str]]",
                            *, scale: Optional[float] = None, separate: bool = True, missing_unit: str = "meter",
                            up_axis: Optional[str] = None, merge_equal_colors: bool = True, planar: str = "keep",
                            max_faces: int = MAX_FACES, force: bool = False, progress: Optional[MeshProgress] = None,
                            rare: Callable[[], Optional[RareCollada]] = no_rare_collada) -> Tuple[Part, ...]:
    """Write one binary STL per color of a `.dae` or `.zae` file, in meters, and return a record for each.

    Either all files appear in `output_dir`, which is made if need be, or none.

    Args:
        scale: meters per unit of the file, instead of the file's own `<unit>`.
        separate: False writes one STL for everything.
        missing_unit: "meter" or "millimeter", for a file without one.
        up_axis: "x", "y" or "z" turns that axis of the file to +Z; None keeps the axes as they are.
        merge_equal_colors: False keeps materials apart that have the same color.
        planar: "merge" moves parts that lie in a plane into the largest part.
        max_faces: parts with more triangles are split; 0 for no limit.
        force: replace existing files that this tool did not write, or made from another model.
        progress: is called now and then with the number of triangles so far.
        rare: returns what few files need; the package's own function passes it.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used, or draws nothing.
        Unusable: an option is of another type or out of range, or a file cannot be written or must not be replaced.
        ProofFailed: what was written is not what the file holds.
    """
    options = options_from({"scale": scale, "missing_unit": missing_unit, "up_axis": up_axis, "planar": planar,
                            "merge_equal_colors": merge_equal_colors, "max_faces": max_faces}, rare=rare).meshes.dae
    options = options._replace(separate=read_choice(EXTRACT_ROWS[0], separate, "separate"), rare=rare())
    return extract_conversion(read_path("dae_file", dae_file), read_path("output_dir", output_dir), options,
                              force=read_choice(ROWS_BY_NAME["force"], force, "force"), progress=progress).parts


def extract_conversion(dae_file: str, output_dir: str, options: DaeOptions, *, force: bool = False,
                       progress: Optional[MeshProgress] = None) -> Conversion:
    """Do what `extract_meshes_from_dae` does, and return the notes on the whole file as well."""
    stem = safe_stem(os.path.splitext(os.path.basename(dae_file))[0], "model")
    shared = output_dir != default_folder(dae_file)
    try:
        with Transaction() as transaction:
            conversion = convert_dae(dae_file, transaction.staging_folder(output_dir), options, progress=progress)
            if not conversion.parts:
                raise BrokenMesh("; ".join(("draws no triangles", *map(str, conversion.notes))), dae_file)
            targets = [os.path.join(output_dir, f"{name}.stl") for name in part_stems(conversion.parts, stem, set())]
            for part, target in zip(conversion.parts, targets):
                if os.path.lexists(target) and not force and not is_own_stl(target, part.file, shared=shared):
                    how = "not written by this tool" if stl_source(target) is None else "made from another model"
                    raise Unusable(f"exists and was {how}: --force replaces it", target)
                transaction.add_file(target, part.file)
            transaction.commit()
    except OSError as problem:
        raise Unusable(f"cannot be written ({problem.strerror or problem})",
                       str(problem.filename or output_dir)) from problem
    parts = [part._replace(file=target) for part, target in zip(conversion.parts, targets)]
    return conversion._replace(parts=tuple(parts))


def default_folder(dae_file: str) -> str:
    """Return the folder for the parts of a model when none is named: `<model>_meshes` next to it."""
    return f"{os.path.splitext(dae_file)[0]}_meshes"


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
