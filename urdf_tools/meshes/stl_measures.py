"""Measures of STL files for MuJoCo: flatness and box; and ASCII STL as binary STL."""
import sys
from array import array
from typing import Iterator, List, Tuple

from ..base.errors import BrokenMesh
from ..mesh.stl import (lies_in_plane, pack_triangles, stl_count, STL_HEADER, STL_RECORD, stl_sample, STL_START,
                         stl_triangles, StlTriangle)
from ..urdf.spatial import cross, subtract, unit
from .form import points_of
from .stl_files import read_stl

Box = Tuple[float, ...]


def is_flat_stl(path: str) -> bool:
    """Return True if a file is binary STL with all of its corners in one plane."""
    try:
        return stl_count(path) > 0 and is_flat(path, box_of(path))
    except (BrokenMesh, OSError):
        return False


def is_flat(path: str, box: Box) -> bool:
    """Return True if all corners of a binary STL file with the box `box` are in one plane, whatever its normals."""
    extent = max(high - low for low, high in zip(box[:3], box[3:]))
    candidates: List[StlTriangle] = []
    for _, a, b, c in stl_sample(path, 64):
        normal = cross(subtract(b, a), subtract(c, a))
        candidates += [(unit(normal), a, b, c)] if any(normal) else []
    return not candidates or lies_in_plane(stl_triangles(path), candidates, 1e-6 * extent)


def as_binary_stl(path: str) -> bytes:
    """Return an ASCII STL file as binary STL.

    Raises:
        BrokenMesh: it is not STL.
    """
    records: List[bytes] = []
    for surface in read_stl(path).surfaces:
        records, _ = pack_triangles(surface.corners, points_of(surface.positions))
    return STL_HEADER + len(records).to_bytes(4, "little") + b"".join(records)


def box_of(path: str) -> Box:
    """Return the least and largest x, y, z of a binary STL file."""
    with open(path, "rb") as stream:
        return box_in(stream.read()[STL_START:])


def box_in(records: bytes) -> Box:
    """Return the least and largest x, y, z of the corners of STL records."""
    size = STL_RECORD.size
    values = array("f")
    values.frombytes(b"".join(records[start : start + 48] for start in range(0, len(records), size)))
    if not values:
        return (0.0,) * 6
    if sys.byteorder == "big":
        values.byteswap()

    def corners(axis: int) -> Iterator["array[float]"]:
        return (values[3 + 3 * corner + axis :: 12] for corner in range(3))

    return (*(min(map(min, corners(axis))) for axis in range(3)), *(max(map(max, corners(axis))) for axis in range(3)))
