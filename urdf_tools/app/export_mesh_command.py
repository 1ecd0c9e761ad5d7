"""`export` of a mesh: a COLLADA model as one STL for each color, or a model in another format."""

from __future__ import annotations

import argparse
import json
import os
import sys
from functools import partial
from typing import Any

from ..base.errors import UsageError
from ..base.file_reading import no_such_file
from ..base.type_aliases import Json
from ..cli.parse_arguments import is_model
from ..cli.run_command_line import progress_line, say, WRITTEN
from ..cli.extract_meshes_command import extract_model, print_conversion
from ..collada.conversion_records import COLLADA_ENDINGS, DaeConversionResult, MeshPart
from ..export.export_request import target_of
from ..plan.run_options import MeshOptions
from ..run.split_collada import default_folder, extract_conversion
from ..run.single_file_options import options_from
from .run_extension import late, write_all

MODEL_FORMATS = ("stl", "obj", "gltf", "glb")  # formats in which a model can be written


def export_model(arguments: argparse.Namespace) -> int:
    """Split a COLLADA model into STL, or convert a model into another format; return the exit status."""
    path = arguments.files[0]
    target = _target_of_model(*arguments.files)
    ending = _ending_of(target) if is_model(target) else ""  # "" for a folder
    meshes = options_from(vars(arguments)).meshes
    form = ending or arguments.mesh_format or _default_form(path, meshes)
    is_collada = path.lower().endswith(COLLADA_ENDINGS)
    if is_collada and form == "stl" and not ending and not meshes.visual_error:
        # The same as in the single file: one STL for each color.
        pooled = late("export.meshes.mesh_process_pool:PooledConverter")(meshes)
        conversion = extract_model(arguments, pooled)
    elif not os.path.lexists(path):
        raise no_such_file(path)
    elif path.lower().endswith(f".{form}") and not meshes.visual_error:
        raise UsageError(f"this is {form.upper()} already: export it to another format", path)
    else:
        conversion = _converted(arguments, target, ending, form, meshes)
    _say_conversion(arguments, conversion)
    return WRITTEN


def _ending_of(path: str) -> str:
    """Return the ending of a file in lower case, without the dot."""
    return os.path.splitext(path)[1].lower()[1:]


def _default_form(path: str, meshes: MeshOptions) -> str:
    """Return the default format of a model: with fewer triangles its own format, if it can be written."""
    own = _ending_of(path)
    return own if meshes.visual_error and own in MODEL_FORMATS else "stl"


def _converted(
    arguments: argparse.Namespace, target: str, ending: str, form: str, meshes: MeshOptions
) -> DaeConversionResult:
    """Write a model in a format, and return its record; `ending` is "" if the target is a folder."""
    path = arguments.files[0]
    # A format that holds colors, or a requested format, takes the model whole.
    separate = not arguments.mesh_format and not ending or form in ("gltf", "glb")
    rare: Any = late("meshes.rare_collada:RARE_COLLADA")
    mesh_target: Any = late("meshes.prepare_surfaces:MeshTarget")(
        form,
        late("export.meshes.mesh_request:up_for")(getattr(arguments, "for")),
        dae=meshes.dae._replace(rare=rare, separate=separate),
        within=meshes.visual_error,
    )
    folder = target
    stem = ""
    if ending:
        folder = os.path.dirname(target) or "."
        stem = os.path.splitext(os.path.basename(target))[0]
    with progress_line(sys.stderr) as show:
        progress = partial(show, os.path.basename(path)) if show else None
        return extract_conversion(
            path,
            folder,
            late("export.meshes.format_converter:MeshFileConverter")(meshes, mesh_target),
            force=arguments.force,
            stem=stem,
            progress=progress,
        )


def _target_of_model(path: str, target: str = "", *others: str) -> str:
    """Return the target of a model: the given target, else a folder with its name.

    Raises:
        UsageError: several targets are given, or the target is the name of a robot.
    """
    if others:
        raise UsageError(
            f"a mesh is exported to one file or folder, and '{others[0]}' is one more", path
        )
    if target and target_of(target):
        raise UsageError(
            f"a mesh is exported to a folder, or to STL, OBJ, glTF or GLB, not to '{target}'",
            path,
        )
    return target or default_folder(path)


def _record_of_part(part: MeshPart) -> Json:
    """Return a part of a model as plain data, without internal fields."""
    record = part._asdict()
    del record["stamp"], record["details"]
    record["notes"] = [*map(str, part.notes)]
    return record


def _say_conversion(arguments: argparse.Namespace, conversion: DaeConversionResult) -> None:
    """Print the outcome of a conversion, and write the report on it."""
    path = arguments.files[0]
    if arguments.report:
        parts = [_record_of_part(part) for part in conversion.parts]
        record = {"model": path, "parts": parts, "notes": [*map(str, conversion.notes)]}
        write_all({arguments.report: (json.dumps(record, indent=2) + "\n").encode()})
    print_conversion(arguments, conversion)
    if conversion.reduced:
        line = late("export.meshes.loading_problems:reduced_line")
        say([line([(path, conversion.reduced)], arguments.visual_error)], sys.stdout)
