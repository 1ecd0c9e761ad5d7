"""The proofs of every run that surfaces equal their COLLADA file, and that converted files contain the whole mesh.

For COLLADA, each triangle must be in the surface of its color, in order and number for number, and each polygon must be
covered by its triangles, as `collada.verify` requires for STL files. Rare features are implemented here a second time,
independently of `rare_collada`.

For a conversion, each triangle must exist in its color. This proof does not depend on how surfaces were joined, split
and merged: each triangle is hashed from its nine coordinates in their order, and count and sum of the hashes are
compared. Only triangles without area may be missing.
"""

from __future__ import annotations

from struct import Struct
from typing import AbstractSet, Dict, Iterable, Iterator, List, Optional, Sequence

from ..base.errors import ProofFailed
from ..base.record_type import Record
from ..collada.collada_document import DaeDocument
from ..collada.stl_part_writer import ColoredPrimitive, ColorGroup
from ..collada.conversion_records import DaeOptions
from ..collada.verify_stl_parts import RECORDS_READ, verify_triangles, ReadBackTriangles
from .verify_witnesses import normal_of
from .mesh_content import Box, byte_records, little_endian, MeshMaterial, Rgba, MaterialSurface

POINT_BYTES = 12
TRIANGLE = Struct("=9f")  # `=`: the byte order of the machine, as in the arrays
CORNERS_AT_ONCE = 3 * 8192
CORNERS_READ = 3 * RECORDS_READ


class MeshFileTotals(Record):
    """The sum of the records of files: number of triangles, colors, and the box of each file [m]."""

    triangles: int
    colors: AbstractSet[Optional[Rgba]]
    boxes: Sequence[Box]


class TriangleChecksum(Record):
    """The number of triangles, and the sum of their hashes."""

    triangles: int
    total: int


def verify_kept(
    path: str,
    read: Sequence[MaterialSurface],
    made: Sequence[MaterialSurface],
    records: Optional[MeshFileTotals],
    *,
    colored: bool,
) -> None:
    """Verify that no part of a mesh was lost or added.

    Args:
        path: the mesh, for messages.
        read: the surfaces of the mesh.
        made: the surfaces that were written; each file was compared with its surface.
        records: the records of these files; None if no files were written.
        colored: whether each triangle must keep its color.

    Raises:
        ProofFailed: a triangle with an area is lost, has a different color, or was added.
    """
    made = [surface for surface in made if surface.corners]
    before = _amounts(read, colored=colored)
    after = _amounts(made, colored=colored)
    # Usually nothing was dropped: flat triangles are only counted if the sums differ. A run drops all of them or none, so
    # the proof refuses a part of them, and those of one color alone.
    if before != after:
        flat = _amounts(read, colored=colored, flat=True)
        for color, (count, total) in flat.items():
            whole = before[color]
            before[color] = TriangleChecksum(whole.triangles - count, whole.total - total)
        if {color: amount for color, amount in before.items() if amount.triangles} != after:
            raise ProofFailed("a triangle is lost, has another color, or was added", path)
    if records is None:
        return
    if records.triangles != sum(amount.triangles for amount in after.values()) or (
        records.colors != {surface.material.rgba for surface in made}
    ):
        raise ProofFailed("a part is lost, or its color is another", path)
    if made and _bounds_of(records.boxes) != _bounds_of([_box_of(surface) for surface in made]):
        raise ProofFailed("a part does not reach as far as what it was made of", path)


def _amounts(
    surfaces: Iterable[MaterialSurface], *, colored: bool, flat: bool = False
) -> Dict[Optional[Rgba], TriangleChecksum]:
    """Return the amount of triangles of each color, or of all (key None); `flat`: only those without area."""
    amounts: Dict[Optional[Rgba], TriangleChecksum] = {}
    for surface in surfaces:
        color = surface.material.rgba if colored else None
        points = byte_records(surface.positions.tobytes(), POINT_BYTES)
        for start in range(0, len(surface.corners), CORNERS_AT_ONCE):
            block = surface.corners[start : start + CORNERS_AT_ONCE]
            triangles = byte_records(b"".join(map(points.__getitem__, block)), TRIANGLE.size)
            if flat:
                triangles = [triangle for triangle in triangles if is_flat(triangle)]
            count, total = amounts.get(color, (0, 0))
            # `hash` differs between runs, but not within a run.
            amounts[color] = TriangleChecksum(
                count + len(triangles), total + sum(map(hash, triangles))
            )
    return amounts


def is_flat(triangle: bytes) -> bool:
    """Return True if a triangle has area 0: products of float32 numbers do not underflow in double precision."""
    numbers = TRIANGLE.unpack(triangle)
    return not any(normal_of((numbers[:3], numbers[3:6], numbers[6:])))


def _box_of(surface: MaterialSurface) -> Box:
    """Return the smallest and largest x, y, z of a surface."""
    columns = [surface.positions[axis::3] for axis in range(3)]
    i, j, k = map(min, columns)
    x, y, z = map(max, columns)
    return (i, j, k), (x, y, z)


def _bounds_of(boxes: Sequence[Box]) -> List[float]:
    """Return the bounds of boxes: the least x, y, z, then the largest x, y, z."""
    return [
        *map(min, zip(*(low for low, _ in boxes))),
        *map(max, zip(*(high for _, high in boxes))),
    ]


class SurfaceTriangles(ReadBackTriangles):
    """The triangles of a surface, with the interface for triangles of STL files."""

    def __init__(self, group: ColorGroup, surface: MaterialSurface) -> None:
        """Begin before the first triangle of the surface."""
        super().__init__(group)
        self.points = byte_records(little_endian(surface.positions), POINT_BYTES)
        self.remaining = surface.corners
        self.loaded = 0

    def fill(self, size: int) -> bool:
        """Load `size` more bytes of corners; return False if fewer remain."""
        while self.loaded < len(self.remaining) and len(self.corners) < self.index + size:
            block = self.remaining[self.loaded : self.loaded + CORNERS_READ]
            self.loaded += len(block)
            self.corners = bytes(self.corners[self.index :]) + b"".join(
                map(self.points.__getitem__, block)
            )
            self.index = 0
        return len(self.corners) >= self.index + size


def verify_read(
    document: DaeDocument,
    options: DaeOptions,
    drawn: Sequence[ColoredPrimitive],
    surfaces: Dict[int, MaterialSurface],
) -> None:
    """Verify the surfaces of all groups, by their `id`, against the document, which is interpreted independently.

    Colors are compared as the file declares them; the color of an image is white.

    Raises:
        ProofFailed: a triangle, its position or its color differs.
    """
    for group in {id(primitive.group): primitive.group for primitive in drawn}.values():
        material = surfaces[id(group)].material
        if material.rgba != _shown(group, material):
            raise ProofFailed(f"of material '{group.look.label}' the color differs", document.path)
    verify_triangles(
        document, options, drawn, lambda group: SurfaceTriangles(group, surfaces[id(group)])
    )


def _shown(group: ColorGroup, material: MeshMaterial) -> object:
    """Return the expected color of a group: white if an image replaces it."""
    rgba = group.look.rgba
    return (1.0, 1.0, 1.0, rgba[3]) if material.image is not None and rgba else rgba


def measured_run(tag: str, row: Sequence[int]) -> Iterator[List[int]]:
    """Yield each triangle of a strip or fan, with its winding."""
    if tag == "trifans":
        yield from ([row[0], b, c] for b, c in zip(row[1:], row[2:]))
    else:  # each corner closes a triangle with the two before, alternating left and right
        for k, (a, b, c) in enumerate(zip(row, row[1:], row[2:])):
            yield [b, a, c] if k % 2 else [a, b, c]
