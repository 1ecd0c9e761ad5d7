"""If two mesh files are the same body: the same bytes, the same triangles, or the same hull box and volume."""
import os
from functools import lru_cache
from itertools import chain
from typing import Iterator, NamedTuple, Optional, Tuple

from ..base.errors import UrdfError
from ..meshes.surfaces import read_surfaces
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
    """Return the measures of a mesh file, None for what cannot be read."""
    try:
        if os.path.getsize(path) > LARGEST_FILE:
            return None
        return _solid(chain.from_iterable(surface.triangles for surface in read_surfaces(path)))
    except (OSError, UrdfError):
        return None


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
