"""Read a robot of any format, recognized by its first element or its keys, not by its file name."""

import os
import re
from hashlib import sha256
from typing import Dict, Mapping, Sequence, Union

from ..base.type_aliases import Packages
from ..base.errors import UsageError
from ..base.file_reading import first_element
from ..formats.reader_helpers import accounted
from ..robot.raw_robot import RawRobot, RawShape
from ..urdf.urdf_notes import DECISIONS
from ..urdf.package_resolver import resolve, PackageResolver
from ..urdf.expand_xacro import read_expanded


def read_robot_of(
    path: Union[str, "os.PathLike[str]"],
    packages: Packages = (),
    xacro_args: Sequence[str] = (),
    *,
    folder: str = "",
    origin: str = "",
    environment: Mapping[str, str] = os.environ,
) -> RawRobot:
    """Return the robot of a URDF, xacro, MJCF, SDF, USD, or JSON of a model; "-": standard input.

    Args:
        packages: folders by package name, for the meshes.
        xacro_args: each as `name:=value`.
        folder: the folder where relative names in standard input begin.
        origin: a further folder from which packages of meshes are searched upward.
        environment: the variables with search paths.

    Raises:
        UrdfError: the file cannot be read, or is of an unknown kind; a sentence with file and line.
    """
    name = os.fspath(path)
    source = read_expanded(name, xacro_args, packages, environment)
    if name == "-":
        name = os.path.join(folder, "standard input")
    robot = read_bytes(source, name)
    return with_mesh_paths(
        robot, os.path.dirname(name), packages, origin=origin, environment=environment
    )


def with_mesh_paths(
    robot: RawRobot,
    folder: str,
    packages: Packages = (),
    staged: Mapping[str, str] = {},
    *,
    origin: str = "",
    environment: Mapping[str, str] = os.environ,
) -> RawRobot:
    """Return the robot with the paths of its mesh files and images, where they exist; other arguments: see `PackageResolver`."""
    resolver = PackageResolver(
        folder=folder or ".",
        packages=packages,
        environment=environment,
        ancestors={},
        origin=origin,
        staged=staged,
        listings={},
    )
    paths: Dict[str, str] = {"": ""}

    def path_of(file: str) -> str:
        if file not in paths:
            path = resolve(file, resolver).path or ""
            paths[file] = staged.get(os.path.realpath(path), path) if staged else path
        return paths[file]

    def image_path_of(shape: RawShape) -> str:
        # The reader of USD sets the path, as each layer has its own folder.
        if shape.texture_path:
            return shape.texture_path if os.path.isfile(shape.texture_path) else ""
        return path_of(shape.texture)

    def placed(shape: RawShape) -> RawShape:
        """Return a shape with the paths of its mesh and image, "" for a missing file."""
        return shape._replace(
            # An inline mesh has a name in place of a file.
            path=shape.path or path_of("" if shape.inline else shape.file),
            texture_path=image_path_of(shape),
        )

    return robot.with_shapes(placed)


def read_bytes(data: bytes, path: str) -> RawRobot:
    """Return the robot of a text, with the decisions that the note of a run in it lists."""
    # In UTF-16 each second byte of the note is 0.
    note = re.search(rb"<!--\s*" + DECISIONS.encode() + b"(.*?)-->", data.replace(b"\0", b""), re.S)
    lines = (
        note.group(1).replace(b"#", b"").decode("utf-8", "replace").split(",")
        if note is not None
        else ()
    )
    return _read_bytes(data, path)._replace(decided=tuple(lines), digest=sha256(data).hexdigest())


def _read_bytes(data: bytes, path: str) -> RawRobot:
    """Return the robot of a text of any format, by its first element.

    Raises:
        UsageError: the text is not a robot that can be compared.
    """
    # Each reader is loaded only for its format: together they are larger than the rest of a comparison.
    word = first_element(data)
    if word == "usd":
        from ..formats.usd.read_stage import read_usd_stage

        return read_usd_stage(data, path)
    if word == "robot":
        from ..formats.urdf.read_urdf import read_urdf

        return read_urdf(data, path)
    if word in ("mujoco", "mujocoinclude"):
        from ..formats.mjcf.read_mjcf import read_mjcf

        return accounted(read_mjcf(data, path))
    if word == "sdf":
        from ..formats.sdf.read_sdf import read_sdf

        return accounted(read_sdf(data, path))
    if word:
        raise UsageError(
            f"this begins with <{word}>, which compare does not read: it reads <robot> (URDF), <mujoco> "
            "(MJCF) and <sdf>",
            path,
            1,
        )
    if data.lstrip()[:1] == b"{" and b'"bones"' in data:
        raise UsageError("this is an armature: compare the URDF that it names", path)
    if data.lstrip()[:1] == b"{":
        from ..formats.json.read_json_model import read_model

        return read_model(data, path)
    raise UsageError("this is neither XML nor JSON nor USD of a robot", path)
