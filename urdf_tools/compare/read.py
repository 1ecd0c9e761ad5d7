"""Read a robot of any format: its first element or its keys say what it is, not its name."""
import os
import re
import sys
from typing import Callable, Dict, Union

from ..base.errors import Unusable
from ..base.files import read_file
from ..urdf.xacro import is_xacro, read_expanded
from .read_armature import read_armature
from .read_mjcf import read_mjcf
from .read_model import read_model
from .read_sdf import read_sdf
from .read_urdf import read_urdf
from .records import RawRobot

FIRST_ELEMENT = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>)*<([A-Za-z_][\w:.-]*)", re.S)
STANDARD_INPUT = "-"


def read_robot_of(path: Union[str, "os.PathLike[str]"]) -> RawRobot:
    """Return the robot of a URDF, xacro, MJCF, SDF, or JSON of the model or of an armature; "-": standard input.

    Raises:
        UrdfError: the file cannot be read, or is of none of these kinds; a sentence with file and line.
    """
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        return read_bytes(sys.stdin.buffer.read(), "standard input")
    return read_bytes(read_expanded(name) if is_xacro(name) else read_file(name), name)


def read_bytes(data: bytes, path: str) -> RawRobot:
    """Return the robot of a text that has been read."""
    match = FIRST_ELEMENT.match(data)
    if match is not None:
        word = match.group(1).decode("utf-8", "replace")
        readers: Dict[str, Callable[[bytes, str], RawRobot]] = {
            "robot": read_urdf, "mujoco": read_mjcf, "mujocoinclude": read_mjcf, "sdf": read_sdf}
        if word in readers:
            return readers[word](data, path)
        raise Unusable(f"this begins with <{word}>, which is no robot that can be compared: <robot> (URDF), <mujoco> "
                       "(MJCF) and <sdf> are", path, 1)
    if data.lstrip()[:1] == b"{":
        return read_armature(data, path) if b'"bones"' in data else read_model(data, path)
    raise Unusable("this is neither XML nor JSON of a robot", path)
