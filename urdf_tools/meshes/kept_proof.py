"""Prove that the files of a conversion have together all triangles of the mesh that was read, each in its color.

How they were joined, split, merged and rid of what has no area is not asked: each triangle is a number, made of its
nine coordinates in their order, and count and sum of these are compared. What is left out must have no area.
"""
from struct import Struct
from typing import AbstractSet, Dict, Iterable, List, NamedTuple, Optional, Sequence

from ..base.errors import ProofFailed
from .form import Box, byte_records, Rgba, Surface

POINT_BYTES, TRIANGLE = 12, Struct("=9f")
CORNERS_AT_ONCE = 3 * 8192


class Records(NamedTuple):
    """What the records of files say, of all together: triangles, colors, and the box that each is in [m]."""

    triangles: int
    colors: AbstractSet[Optional[Rgba]]
    boxes: Sequence[Box]


class Amount(NamedTuple):
    """How many triangles, and the sum of their numbers."""

    triangles: int
    total: int


def prove_kept(path: str, read: Sequence[Surface], made: Sequence[Surface], records: Records, *, colored: bool) -> None:
    """Check what was written of a mesh.

    Args:
        path: the mesh, for messages.
        read: its surfaces.
        made: those of which files were made, which are proven to hold them.
        records: what is said of these files.
        colored: each triangle keeps its color.

    Raises:
        ProofFailed: a triangle with an area is lost, or has another color, or there is one that was not read.
    """
    made = [surface for surface in made if surface.corners]
    before, after = _amounts(read, colored=colored), _amounts(made, colored=colored)
    if before != after:
        flat = _amounts(read, colored=colored, flat=True)
        before = {color: Amount(count - flat[color].triangles, total - flat[color].total) if color in flat else
                  Amount(count, total) for color, (count, total) in before.items()}
        if {color: amount for color, amount in before.items() if amount.triangles} != after:
            raise ProofFailed("a triangle is lost, or has another color, or is there without need", path)
    if records.triangles != sum(amount.triangles for amount in after.values()) or (
            records.colors != {surface.material.rgba for surface in made}):
        raise ProofFailed("a part is lost, or its color is another", path)
    if made and _around(records.boxes) != _around([_box_of(surface) for surface in made]):
        raise ProofFailed("a part does not reach as far as what it was made of", path)


def _amounts(surfaces: Iterable[Surface], *, colored: bool, flat: bool = False) -> Dict[Optional[Rgba], Amount]:
    """Return what there is of each color, or of all together; `flat`: only of what has no area."""
    found: Dict[Optional[Rgba], Amount] = {}
    for surface in surfaces:
        color = surface.material.rgba if colored else None
        points = byte_records(surface.positions.tobytes(), POINT_BYTES)
        for start in range(0, len(surface.corners), CORNERS_AT_ONCE):
            block = surface.corners[start:start + CORNERS_AT_ONCE]
            triangles = byte_records(b"".join(map(points.__getitem__, block)), TRIANGLE.size)
            triangles = [one for one in triangles if _is_flat(one)] if flat else triangles
            count, total = found.get(color, (0, 0))
            found[color] = Amount(count + len(triangles), total + sum(map(hash, triangles)))
    return found


def _is_flat(triangle: bytes) -> bool:
    """Return True if a triangle has no area at all: of float32 numbers no product is too small for a float."""
    px, py, pz, qx, qy, qz, rx, ry, rz = TRIANGLE.unpack(triangle)
    ux, uy, uz, vx, vy, vz = qx - px, qy - py, qz - pz, rx - px, ry - py, rz - pz
    return not any((uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx))


def _box_of(surface: Surface) -> Box:
    columns = [surface.positions[axis::3] for axis in range(3)]
    (i, j, k), (x, y, z) = map(min, columns), map(max, columns)
    return (i, j, k), (x, y, z)


def _around(boxes: Sequence[Box]) -> List[float]:
    """Return the ends of the box around boxes."""
    return [*map(min, zip(*(low for low, _ in boxes))), *map(max, zip(*(high for _, high in boxes)))]
