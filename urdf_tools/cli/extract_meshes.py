"""Split a COLLADA model into binary STL files, one for each color, in meters: `export model.dae parts/`."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from ..base.errors import UsageError
from ..base.files import no_such_file
from ..collada.records import Conversion, rgba_text
from ..meshing.converter import MeshConverter
from ..run.extract_meshes import default_folder, extract_conversion
from ..run.option_rows import options_from
from .arguments import is_model
from .command import progress_line, say, WRITTEN


def extract(arguments: argparse.Namespace) -> int:
    """Split the model that a command line names, and describe its parts; return the exit status.

    Raises:
        UrdfError: see `extract_meshes_from_dae`.
    """
    print_conversion(
        arguments, extract_model(arguments, MeshConverter(options_from(vars(arguments)).meshes))
    )
    return WRITTEN


def extract_model(arguments: argparse.Namespace, converter: MeshConverter) -> Conversion:
    """Split the model that a command line names, into the folder that it names.

    Raises:
        UsageError: there is no such file, or the target is no folder.
    """
    model, *targets = arguments.files
    if not os.path.lexists(model):
        raise no_such_file(model)
    folder = targets[0] if targets else default_folder(model)
    if len(targets) > 1 or is_model(folder):
        raise UsageError("export of COLLADA to STL takes one folder, such as parts/", targets[-1])
    with progress_line(sys.stderr) as show:
        return extract_conversion(
            model,
            folder,
            converter,
            separate=not arguments.mesh_format,
            force=arguments.force,
            progress=partial(show, os.path.basename(model)) if show else None,
        )


def print_conversion(arguments: argparse.Namespace, conversion: Conversion) -> None:
    """Print one line for each part, and the notes as warnings on standard error."""
    parts = conversion.parts
    for part in () if arguments.quiet else parts:
        size = " x ".join(f"{high - low:.4g}" for low, high in zip(*part.bounds))
        color = f"rgba {rgba_text(part.rgba)}" if part.rgba else "no color"
        say([f"{part.file}: {part.triangles} triangles, {size} m, {color}"], sys.stdout)
    say(
        [
            f"{note.kind.severity}: {name}: {note}"
            for name, notes in (
                *((part.file, part.notes) for part in parts),
                (arguments.files[0], conversion.notes),
            )
            for note in notes
        ],
        sys.stderr,
    )
