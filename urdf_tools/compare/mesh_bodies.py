"""If two mesh files are the same body: the same bytes, the same triangles, or the same hull box and volume."""
import os
import struct
from functools import lru_cache
from typing import Iterator, List, NamedTuple, Optional, Tuple

from ..base.errors import UrdfError
from ..mesh.stl import stl_count, stl_triangles
from ..urdf.spatial import Vector

BOX_BOUND, VOLUME_BOUND = 1e-4, 1e-3  # of the longest side; of the volume of the box
LARGEST_FILE = 64 * 1024 * 1024


class Solid(NamedTuple):
    """What is measured of a mesh: its box, its volume by the divergence theorem, and how many triangles it has."""

    lower: Vector
    upper: Vector
    volume: float
    triangles: int


def are_measured(path: str, other: str) -> bool:
    """Return True if two mesh files are equal, or can be read: then `different_meshes` knows."""
    return same_bytes(path, other) or None not in map(measured, (path, other))


@lru_cache(maxsize=1024)
def different_meshes(path: str, other: str) -> str:
    """Return in what two mesh files differ, "" if they are the same or one of them cannot be read."""
    if same_bytes(path, other):
        return ""
    first, second = measured(path), measured(other)
    if first is None or second is None:
        return ""
    sides = [high - low for high, low in zip(first.upper, first.lower)]
    longest = max(*sides, 1e-12)
    ends = zip((*first.lower, *first.upper), (*second.lower, *second.upper))
    if max(abs(p - q) for p, q in ends) > BOX_BOUND * longest:
        return "another size"
    room = sides[0] * sides[1] * sides[2]
    return "another volume" if abs(first.volume - second.volume) > VOLUME_BOUND * max(room, 1e-18) else ""


def same_bytes(path: str, other: str) -> bool:
    """Return True if two files can be read and are equal."""
    try:
        if os.path.getsize(path) != os.path.getsize(other):
            return False
        with open(path, "rb") as first, open(other, "rb") as second:
            return all(block == second.read(65536) for block in iter(lambda: first.read(65536), b""))
    except OSError:
        return False


def measured(path: str) -> Optional[Solid]:
    """Return the measures of an STL or OBJ file, None for other files and what cannot be read."""
    try:
        if os.path.getsize(path) > LARGEST_FILE:
            return None
        kind = path.lower().rsplit(".", 1)[-1]
        if kind == "stl":
            return _solid(_stl(path))
        return _solid(_obj(path)) if kind == "obj" else None
    except (OSError, UrdfError, ValueError, IndexError, struct.error):
        return None


def _stl(path: str) -> Iterator[Tuple[Vector, Vector, Vector]]:
    """Yield the triangles of an STL file, binary or text."""
    try:
        stl_count(path)
    except UrdfError:
        yield from _text_stl(path)
        return
    for _, a, b, c in stl_triangles(path):
        yield a, b, c


def _text_stl(path: str) -> Iterator[Tuple[Vector, Vector, Vector]]:
    corners: List[Vector] = []
    with open(path, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            words = line.split()
            if words[:1] == ["vertex"]:
                corners.append((float(words[1]), float(words[2]), float(words[3])))
                if len(corners) == 3:
                    yield corners[0], corners[1], corners[2]
                    corners = []


def _obj(path: str) -> Iterator[Tuple[Vector, Vector, Vector]]:
    """Yield the triangles of an OBJ file; a polygon is a fan."""
    points: List[Vector] = []
    with open(path, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            words = line.split()
            if words[:1] == ["v"]:
                points.append((float(words[1]), float(words[2]), float(words[3])))
            elif words[:1] == ["f"]:
                corners = [int(word.split("/")[0]) for word in words[1:]]
                face = [points[corner - 1 if corner > 0 else corner] for corner in corners]
                for k in range(1, len(face) - 1):
                    yield face[0], face[k], face[k + 1]


def _solid(triangles: Iterator[Tuple[Vector, Vector, Vector]]) -> Optional[Solid]:
    """Return box and volume of triangles, None without any."""
    low, high, volume, count = [float("inf")] * 3, [float("-inf")] * 3, 0.0, 0
    for a, b, c in triangles:
        count += 1
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])
                   + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6.0
        for k in range(3):
            low[k], high[k] = min(low[k], a[k], b[k], c[k]), max(high[k], a[k], b[k], c[k])
    if not count:
        return None
    return Solid((low[0], low[1], low[2]), (high[0], high[1], high[2]), volume, count)
