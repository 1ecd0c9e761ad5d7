"""Split a COLLADA model into binary STL files, one for each color, in meters.

`python -m urdf_tools.extract_dae_meshes model.dae -o output/`, or `extract_meshes_from_dae` from a program.
"""
import argparse
import os
import sys
from functools import partial
from typing import Callable, Optional, Tuple, Union

from ..base.errors import BrokenMesh, Unusable
from ..base.files import no_such_file
from ..base.option_table import Option, read_choice
from ..base.transaction import Transaction
from ..mesh.file_names import safe_stem
from ..mesh.stl import is_own_stl, stl_source
from ..collada.convert import convert_dae
from ..collada.records import (Conversion, DaeOptions, MeshProgress, MAX_FACES, no_rare_collada, Part, part_stems,
                               RareCollada, rgba_text)
from ..run.destinations import read_path
from ..run.option_rows import MESH_VALUES, options_from, ROWS_BY_NAME
from .command import WRITTEN
from .streams import clear_progress, progress_line, say

SEPARATE = Option("separate", "", "one STL for each color", kind=bool, default=True)


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
    options = options._replace(separate=read_choice(SEPARATE, separate, "separate"), rare=rare())
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


def extract(arguments: argparse.Namespace, rare: Optional[RareCollada]) -> int:
    """Split the model that a command line names, and describe its parts; return the exit status.

    Raises:
        UrdfError: see `extract_meshes_from_dae`.
    """
    model, show = arguments.input_urdf, progress_line(sys.stderr)
    progress = partial(show, os.path.basename(model)) if show else None
    options = model_options(arguments, rare)._replace(separate=not arguments.combine_dae_meshes)
    try:
        conversion = extract_conversion(model, arguments.output or default_folder(model), options,
                                        force=arguments.force, progress=progress)
    finally:
        clear_progress(sys.stderr)
    print_conversion(arguments, conversion)
    return WRITTEN


def model_options(arguments: argparse.Namespace, rare: Optional[RareCollada]) -> DaeOptions:
    """Return how the model of a command line is read.

    Raises:
        Unusable: a value that does not exist, or there is no such file.
    """
    if not os.path.lexists(arguments.input_urdf):
        raise no_such_file(arguments.input_urdf)
    given = {name: getattr(arguments, name) for name in MESH_VALUES}
    return options_from(given, flags=True, rare=lambda: rare).meshes.dae._replace(rare=rare)


def print_conversion(arguments: argparse.Namespace, conversion: Conversion, key: str = "dae") -> None:
    """Print one line for each part, and the notes as warnings on standard error, or all as one JSON object.

    `key` is what the JSON calls the model.
    """
    model, parts = arguments.input_urdf, conversion.parts
    if arguments.json:
        import json  # imported here: few runs need it

        shown = [{**part._asdict(), "notes": [*map(str, part.notes)]} for part in parts]
        record = {key: model, "parts": shown, "notes": [*map(str, conversion.notes)]}
        say([json.dumps(record, indent=2)], sys.stdout)
        return
    for part in () if arguments.quiet else parts:
        size = " x ".join(f"{high - low:.4g}" for low, high in zip(*part.bounds))
        color = f"rgba {rgba_text(part.rgba)}" if part.rgba else "no color of its own"
        say([f"{part.file}: {part.triangles} triangles, {size} m, {color}"], sys.stdout)
    say([f"{note.kind.severity}: {name}: {note}" for name, notes in (
        *((part.file, part.notes) for part in parts), (model, conversion.notes)) for note in notes], sys.stderr)
