"""`export` of a mesh: a COLLADA model as one STL for each color, or a model in another format."""

from __future__ import annotations

import argparse
import json
import os
import sys
from functools import partial
from typing import Any

from ..base.errors import UsageError
from ..base.files import no_such_file
from ..cli.arguments import is_model
from ..cli.command import progress_line, say, WRITTEN
from ..cli.extract_meshes import extract_model, print_conversion
from ..collada.records import COLLADA_ENDINGS, Conversion
from ..export.request import target_of
from ..run.extract_meshes import default_folder, extract_conversion
from ..run.option_rows import options_from
from .engine import late, write_all

MODEL_FORMATS = ("stl", "obj", "gltf", "glb")  # in which a model can be written


def export_model(arguments: argparse.Namespace) -> int:
    """Split a COLLADA model into STL, or convert a model into another format; return the exit status."""
    path = arguments.files[0]
    target = _target_of_model(*arguments.files)
    stem, dot_ending = os.path.splitext(os.path.basename(target))
    ending = dot_ending.lower()[1:] if is_model(target) else ""  # "" for a folder
    meshes = options_from(vars(arguments)).meshes
    # With fewer triangles, a model may stay in its own format.
    present = os.path.splitext(path)[1].lower()[1:] if meshes.visual_error else ""
    form = ending or arguments.mesh_format or (present if present in MODEL_FORMATS else "stl")
    is_collada = path.lower().endswith(COLLADA_ENDINGS)

    if is_collada and form == "stl" and not ending and not meshes.visual_error:
        # What the single file has: one STL for each color.
        conversion = extract_model(
            arguments, late("export.meshes.process_pool:PooledConverter")(meshes)
        )
    elif not os.path.lexists(path):
        raise no_such_file(path)
    elif path.lower().endswith(f".{form}") and not meshes.visual_error:
        raise UsageError(f"this is {form.upper()} already: export it to another format", path)
    else:
        # A format that holds colors, or one that was asked for, takes the model whole.
        separate = not arguments.mesh_format and not ending or form in ("gltf", "glb")
        rare: Any = late("meshes.rare_collada:RARE_COLLADA")
        mesh_target: Any = late("meshes.surfaces:MeshTarget")(
            form,
            late("export.meshes.request:up_for")(getattr(arguments, "for")),
            dae=meshes.dae._replace(rare=rare, separate=separate),
            within=meshes.visual_error,
        )
        with progress_line(sys.stderr) as show:
            conversion = extract_conversion(
                path,
                (os.path.dirname(target) or ".") if ending else target,
                late("export.meshes.format_converter:ModelConverter")(meshes, mesh_target),
                force=arguments.force,
                stem=stem if ending else "",
                progress=partial(show, os.path.basename(path)) if show else None,
            )
    _say_conversion(arguments, conversion)
    return WRITTEN


def _target_of_model(path: str, target: str = "", *others: str) -> str:
    """Return where a model goes: as asked, else to a folder of its name.

    Raises:
        UsageError: these are several, or it is the name of a robot.
    """
    if others:
        raise UsageError(f"a model goes to one file or folder, and '{others[0]}' is one more", path)
    if target and target_of(target):
        raise UsageError(
            f"a mesh goes to a folder, or to STL, OBJ, glTF or GLB, not to '{target}'",
            path,
        )
    return target or default_folder(path)


def _say_conversion(arguments: argparse.Namespace, conversion: Conversion) -> None:
    """Print what became of a model, and write the report on it."""
    path = arguments.files[0]
    if arguments.report:
        parts = [
            {
                key: [*map(str, value)] if key == "notes" else value
                for key, value in part._asdict().items()
                if key not in ("stamp", "details")
            }
            for part in conversion.parts
        ]
        record = {"model": path, "parts": parts, "notes": [*map(str, conversion.notes)]}
        write_all({arguments.report: (json.dumps(record, indent=2) + "\n").encode()})
    print_conversion(arguments, conversion)
    if conversion.reduced:
        line = late("export.meshes.remaining:reduced_line")
        say([line([(path, conversion.reduced)], arguments.visual_error)], sys.stdout)
