"""The first object of an OBJ file, which is the only one that MuJoCo draws.

MuJoCo reads OBJ with tinyobjloader and takes the first shape: a line `o NAME` or `g NAME` ends a shape that has faces.
The words `o` and `g` without a name end nothing (measured with MuJoCo 4.0). MuJoCo's collision hull has the points of
all objects.
"""

from __future__ import annotations

import re

FACE = re.compile(rb"(?m)^[ \t]*f[ \t]+\S+[ \t]+\S+[ \t]+\S")
NEXT_OBJECT = re.compile(rb"(?m)^[ \t]*[og][ \t]")


def end_of_first_object(data: bytes) -> int:
    """Return the index of the byte after the first object of an OBJ file that has faces."""
    face = FACE.search(data)
    end = NEXT_OBJECT.search(data, face.end()) if face else None
    return end.start() if end else len(data)


def has_several_objects(data: bytes) -> bool:
    """Return True if an OBJ file has faces after its first object."""
    if b"\r" in data:  # `^` of a pattern matches after \n only
        data = data.replace(b"\r", b"\n")
    return FACE.search(data, end_of_first_object(data)) is not None
