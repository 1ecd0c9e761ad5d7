"""`export`: the robot as it is, or a mesh, in the formats of file endings."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ..base.types import Json, Packages
from ..base.errors import UsageError
from ..base.files import no_such_file
from ..cli.arguments import is_model
from ..cli.command import progress_line, say, WRITTEN
from ..cli.extract_meshes import extract_model, print_conversion
from ..cli.run import run as run_robot
from ..collada.records import COLLADA_ENDINGS, Conversion
from ..export.request import files_by_target, target_of, TARGETS
from ..run.extract_meshes import default_folder, extract_conversion
from ..run.option_rows import options_from, read_package
from ..run.records import Extension
from ..urdf.xacro import read_expanded
from .engine import EXTENSION, late, write_all

SIMULATED = ("mjcf", "sdf", "usd")
OF_FORMATS: Dict[str, Sequence[str]] = {  # the formats that an option is for
    "usd_meshes": ("usd",),
    "one_bone_per_joint": ("armature",),
    "actuators": ("mjcf", "usd"),
    "base": SIMULATED,
}
COLLADA_NAME = re.compile(rb"(?i)\.(dae|zae)['\"]")  # at the end of an attribute
MODEL_FORMATS = ("stl", "obj", "gltf", "glb")  # in which a model can be written


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status.

    Raises:
        UrdfError: the input, a target or an option cannot be used.
    """
    source, *targets = arguments.files
    if is_model(source):
        return _export_model(arguments)
    if not targets:
        stem = os.path.splitext(source)[0]
        raise UsageError(
            f"export {source} to what? Name a file for each format, such as {stem}.xml {stem}.sdf"
        )
    values = target_values(source, targets, vars(arguments), EXTENSION.spelled)
    for name, value in values.items():
        setattr(arguments, name, value)
    arguments.files = [source]
    return run_robot(arguments, extension_for(vars(arguments)), "")


def extension_for(choices: Mapping[str, Any]) -> Extension:
    """Return what the package adds to an export: with `fix` the input is repaired when it is read."""
    if not choices.get("fix"):
        return EXTENSION
    repaired = late("app.repaired:repaired_urdf")
    return EXTENSION._replace(as_urdf=partial(repaired, packages=_packages(choices)))


def _packages(choices: Mapping[str, Any]) -> Packages:
    return tuple(map(read_package, choices.get("package") or ()))


def target_values(
    source: str, targets: List[str], given: Mapping[str, Any], spelled: Callable[[str], str]
) -> Json:
    """Return the values of options that no keyword sets, from the names of the files and the options of an export.

    `spelled` returns how the caller spells an option, for messages.

    Raises:
        UsageError: a file of no format, or an option for a format that no file has.
    """
    files = files_by_target(targets)
    for name, formats in OF_FORMATS.items():
        if given.get(name) and files.keys().isdisjoint(formats):
            endings = " or ".join(target.endings[0] for target in TARGETS if target.name in formats)
            raise UsageError(f"{spelled(name)} needs a target that ends in {endings}")
    kind, _, gain = str(given.get("actuators") or "").partition("=")
    return {
        **files,
        "for": given.get("for") or _program_of(files, given, source),
        "actuators": kind or None,
        "kp": float(gain) if gain else None,
    }


def _program_of(files: Mapping[str, Any], given: Mapping[str, Any], source: str) -> Optional[str]:
    """Return the program that an export without options on meshes is for, None for any.

    Only MuJoCo reads MJCF, and it refuses COLLADA; SDF and USD beside it have the meshes that it gets. The text of the
    robot is asked, as the options of a run are read before the robot is: of a xacro that which it expands to, since
    macros of other files may make the names.
    """
    is_asked = any(given.get(name) for name in ("split", "mesh_format", "mesh_paths"))
    is_for_simulators = "mjcf" in files and files.keys() <= {*SIMULATED}
    if is_asked or not is_for_simulators or not os.path.isfile(source):
        return None
    text = read_expanded(source, given.get("xacro_args") or (), _packages(given))
    return "mujoco" if COLLADA_NAME.search(text) else None


def _export_model(arguments: argparse.Namespace) -> int:
    """Split a COLLADA model into STL, or convert a model into another format; return the exit status."""
    path, target = arguments.files[0], _target_of_model(*arguments.files)
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
