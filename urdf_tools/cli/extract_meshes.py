"""Split a COLLADA model into binary STL files, one for each color, in meters.

`python -m urdf_tools.extract_dae_meshes model.dae -o output/`, or `extract_meshes_from_dae` from a program.
"""
import argparse
import os
import sys
from functools import partial
from typing import Optional

from ..base.files import no_such_file
from ..collada.records import Conversion, DaeOptions, RareCollada, rgba_text
from ..run.extract_meshes import default_folder, extract_conversion
from ..run.option_rows import MESH_VALUES, options_from
from .command import WRITTEN
from .streams import progress_line, say


def extract(arguments: argparse.Namespace, rare: Optional[RareCollada]) -> int:
    """Split the model that a command line names, and describe its parts; return the exit status.

    Raises:
        UrdfError: see `extract_meshes_from_dae`.
    """
    model = arguments.input_urdf
    options = model_options(arguments, rare)._replace(separate=not arguments.combine_dae_meshes)
    with progress_line(sys.stderr) as show:
        conversion = extract_conversion(model, arguments.output or default_folder(model), options,
                                        force=arguments.force,
                                        progress=partial(show, os.path.basename(model)) if show else None)
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
