"""Split a COLLADA model into binary STL files, one for each color, in meters.

`python -m urdf_tools.extract_dae_meshes model.dae -o output/`, or `extract_meshes_from_dae` from a program.
"""
import argparse
import os
import sys
from functools import partial

from ..base.files import no_such_file
from ..collada.records import Conversion, rgba_text
from ..plan.options import MeshOptions
from ..meshing.converter import MeshConverter
from ..run.extract_meshes import default_folder, extract_conversion
from ..run.option_rows import MESH_VALUES, options_from
from .command import WRITTEN
from .streams import progress_line, say


def extract(arguments: argparse.Namespace) -> int:
    """Split the model that a command line names, and describe its parts; return the exit status.

    Raises:
        UrdfError: see `extract_meshes_from_dae`.
    """
    print_conversion(arguments, extract_model(arguments, MeshConverter(model_options(arguments))))
    return WRITTEN


def extract_model(arguments: argparse.Namespace, converter: MeshConverter) -> Conversion:
    """Split the model that a command line names."""
    model = arguments.input_urdf
    with progress_line(sys.stderr) as show:
        return extract_conversion(
            model, arguments.output or default_folder(model), converter, separate=not arguments.combine_dae_meshes,
            force=arguments.force, progress=partial(show, os.path.basename(model)) if show else None)


def model_options(arguments: argparse.Namespace) -> MeshOptions:
    """Return how the model of a command line is read.

    Raises:
        UsageError: a value that does not exist, or there is no such file.
    """
    if not os.path.lexists(arguments.input_urdf):
        raise no_such_file(arguments.input_urdf)
    return options_from({name: getattr(arguments, name) for name in MESH_VALUES}, flags=True).meshes


def print_conversion(arguments: argparse.Namespace, conversion: Conversion) -> None:
    """Print one line for each part, and the notes as warnings on standard error."""
    parts = conversion.parts
    for part in () if arguments.quiet else parts:
        size = " x ".join(f"{high - low:.4g}" for low, high in zip(*part.bounds))
        color = f"rgba {rgba_text(part.rgba)}" if part.rgba else "no color of its own"
        say([f"{part.file}: {part.triangles} triangles, {size} m, {color}"], sys.stdout)
    say([f"{note.kind.severity}: {name}: {note}" for name, notes in (
        *((part.file, part.notes) for part in parts), (arguments.input_urdf, conversion.notes)) for note in notes],
        sys.stderr)
