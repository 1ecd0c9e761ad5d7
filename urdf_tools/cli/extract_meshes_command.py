"""Split a COLLADA model into binary STL files, one for each color, in meters: `export model.dae parts/`."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from ..base.errors import UsageError
from ..base.file_reading import no_such_file
from ..collada.conversion_records import DaeConversionResult, rgba_text
from ..meshing.mesh_converter import MeshConverter
from ..run.split_collada import default_folder, extract_conversion
from ..run.single_file_options import options_from
from .parse_arguments import is_model
from .run_command_line import progress_line, say, WRITTEN


def extract(arguments: argparse.Namespace) -> int:
    """Split the model that a command line names, and describe its parts; return the exit status.

    Raises:
        UrdfError: see `extract_meshes_from_dae`.
    """
    converter = MeshConverter(options_from(vars(arguments)).meshes)
    print_conversion(arguments, extract_model(arguments, converter))
    return WRITTEN


def extract_model(arguments: argparse.Namespace, converter: MeshConverter) -> DaeConversionResult:
    """Split the model that a command line names, into the folder that it names.

    Raises:
        UsageError: the file is missing, or the target is not a folder.
    """
    model, *targets = arguments.files
    if not os.path.lexists(model):
        raise no_such_file(model)
    folder = targets[0] if targets else default_folder(model)
    if len(targets) > 1 or is_model(folder):
        raise UsageError("export of COLLADA to STL takes one folder, such as parts/", targets[-1])
    with progress_line(sys.stderr) as show:
        progress = partial(show, os.path.basename(model)) if show else None
        return extract_conversion(
            model,
            folder,
            converter,
            separate=not arguments.mesh_format,
            force=arguments.force,
            progress=progress,
        )


def print_conversion(arguments: argparse.Namespace, conversion: DaeConversionResult) -> None:
    """Print one line for each part, and the notes as warnings on standard error."""
    notes = []
    for part in conversion.parts:
        size = " x ".join(f"{high - low:.4g}" for low, high in zip(*part.bounds))
        color = f"rgba {rgba_text(part.rgba)}" if part.rgba else "no color"
        if not arguments.quiet:
            say([f"{part.file}: {part.triangles} triangles, {size} m, {color}"], sys.stdout)
        notes += [(part.file, note) for note in part.notes]
    notes += [(arguments.files[0], note) for note in conversion.notes]
    say([f"{note.kind.severity}: {name}: {note}" for name, note in notes], sys.stderr)
