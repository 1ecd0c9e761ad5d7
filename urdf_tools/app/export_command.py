"""`export`: the unchanged robot in the formats of file endings; `export_mesh_command` exports a mesh."""

from __future__ import annotations

import argparse
import os
import re
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ..base.type_aliases import Json, Packages
from ..base.errors import UsageError
from ..cli.parse_arguments import is_model
from ..cli.run_and_ask import run as run_robot
from ..export.export_request import files_by_target, REFUSING, TARGETS
from ..run.single_file_options import read_package
from ..run.run_records import RunExtension
from ..urdf.expand_xacro import read_expanded
from .run_extension import EXTENSION, late

SIMULATED = ("mjcf", "sdf", "usd")
OF_FORMATS: Dict[str, Sequence[str]] = {  # the formats that an option is for
    "usd_meshes": ("usd",),
    "one_bone_per_joint": ("armature",),
    "actuators": ("mjcf", "usd"),
    "base": SIMULATED,
}
# Names of meshes at the end of an attribute: MuJoCo reads none of these formats, except one object of an OBJ in one
# color.
NOT_AS_IT_IS = rb"(?i)\.(dae|zae|gltf|glb|ply|obj)['\"]"


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status.

    Raises:
        UrdfError: the input, a target or an option cannot be used.
    """
    source, *targets = arguments.files
    if is_model(source):
        # Code that splits and converts meshes is loaded only for a model.
        status: int = late("app.export_mesh_command:export_model")(arguments)
        return status
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


def extension_for(choices: Mapping[str, Any]) -> RunExtension:
    """Return the package's features for an export: the input is repaired when it is read, or refused then."""
    if not any(choices.get(name) for name in ("fix", *REFUSING)):
        return EXTENSION
    # Code that examines a robot is loaded only if a robot is refused.
    repaired = late("app.repaired_input:repaired_urdf")
    request = late("app.repaired_input:RepairRequest")(choices, _packages(choices))
    return EXTENSION._replace(as_urdf=partial(repaired, request=request))


def _packages(choices: Mapping[str, Any]) -> Packages:
    """Return the folders of --package by package name."""
    return tuple(map(read_package, choices.get("package") or ()))


def target_values(
    source: str, targets: List[str], given: Mapping[str, Any], spelled: Callable[[str], str]
) -> Json:
    """Return the values of options without a keyword, from the names of the files and the options of an export.

    `spelled` returns how the caller spells an option, for messages.

    Raises:
        UsageError: a file of an unknown format, or an option for a format that no file has.
    """
    files = files_by_target(targets)
    for name, formats in OF_FORMATS.items():
        if given.get(name) and files.keys().isdisjoint(formats):
            endings = " or ".join(target.endings[0] for target in TARGETS if target.name in formats)
            raise UsageError(f"{spelled(name)} needs a target that ends in {endings}")
    kind, _, gain = str(given.get("actuators") or "").partition("=")
    kp = float(gain) if gain else None
    return {
        **files,
        "first_target": next(iter(targets), ""),
        "for": given.get("for") or _program_of(files, given, source),
        "actuators": kind or None,
        "kp": kp,
    }


def _program_of(files: Mapping[str, Any], given: Mapping[str, Any], source: str) -> Optional[str]:
    """Return the program that default meshes should suit, None for any program.

    MJCF is for MuJoCo, which reads few formats of meshes; SDF and USD beside it get the same meshes. The robot's text
    is inspected, because options are parsed before the robot is. A xacro is expanded first, since macros of other files
    may make the names.
    """
    is_asked = any(given.get(name) for name in ("split", "mesh_format"))
    is_for_simulators = "mjcf" in files and files.keys() <= {*SIMULATED}
    if is_asked or not is_for_simulators or not os.path.isfile(source):
        return None
    text = read_expanded(source, given.get("xacro_args") or (), _packages(given))
    return "mujoco" if re.search(NOT_AS_IT_IS, text) else None
