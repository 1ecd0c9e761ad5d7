"""Groups of triangles of one color while they are written: each is an STL file, or several if it would be too large.

Positions are moved to meters and rounded to float32 once, before anything is computed from them.
"""

from __future__ import annotations

import struct
import sys
from array import array
from itertools import chain, compress
from math import inf, isfinite
from typing import Dict, List, Sequence

from ..base.diagnostics import Diagnostic
from ..base.record_type import Record
from .collada_accessors import Columns
from .collada_document import DaeElement
from .collada_colors import MaterialLook
from .collada_primitives import FaultCounts
from .conversion_records import Affine, DaeVector, Indices, MeshBounds
from .binary_stl import pack_triangles, StlWriter

MINUS_ZERO = struct.pack("f", -0.0)


class PointsInMeters(Record):
    """Points [m]; all numbers are float32 values, without -0.0.

    `columns` has the same x, y and z in a column each, `bounds` is the box of all points.
    """

    points: List[DaeVector]
    columns: Columns
    bounds: MeshBounds


def moved_columns(columns: Columns, matrix: Affine) -> Columns:
    """Return columns of x, y and z under an affine map."""
    # Adding 0.0 turns -0.0 into 0.0.
    return tuple(
        moved_column([value + 0.0 for value in (*row, shift)], columns)
        for row, shift in zip(*matrix)
    )


def place_points(columns: Columns) -> PointsInMeters:
    """Return points, given by columns, with their box."""
    x, y, z = (column.tolist() for column in columns)
    bounds = columns_bounds([x, y, z])
    if not isfinite(sum(x) + sum(y) + sum(z)):  # inf - inf is nan, which has no order
        bounds = ((-inf, -inf, -inf), (inf, inf, inf))
    return PointsInMeters([*zip(x, y, z)], columns, bounds)


def moved_column(row: Sequence[float], columns: Columns) -> "array[float]":
    """Return a coordinate of the moved points, in float32; for most maps it depends on only one old coordinate."""
    shift = row[3]
    terms = [(factor, column) for factor, column in zip(row, columns) if factor]
    moved: Sequence[float]
    if len(terms) == 1:
        ((a, xs),) = terms
        moved = xs if a == 1.0 and not shift else [a * x + shift for x in xs]
    else:
        a, b, c, _ = row
        moved = [a * x + b * y + c * z + shift for x, y, z in zip(*columns)]
    # This takes half the time of array("f", moved).
    rounded = array("f", struct.pack(f"{len(moved)}f", *moved))
    # A negative number too small for float32 becomes -0.0, and readers that join equal points compare the bits.
    if MINUS_ZERO in rounded.tobytes():
        return array("f", [value + 0.0 for value in rounded])
    return rounded


def points_in_stl(columns: Columns) -> List[bytes]:
    """Return points, given by columns of x, y and z, in the bytes of STL."""
    values = array("f", bytes(12 * len(columns[0])))
    for axis, column in enumerate(columns):
        values[axis::3] = column
    if sys.byteorder == "big":
        values.byteswap()
    return [point for (point,) in struct.iter_unpack("12s", values.tobytes())]


def columns_bounds(columns: Sequence[Sequence[float]]) -> MeshBounds:
    """Return the box of points, given by columns of x, y and z; without points it is from inf to -inf."""
    nothing = float("inf")
    low_x, low_y, low_z = (min(column, default=nothing) for column in columns)
    high_x, high_y, high_z = (max(column, default=-nothing) for column in columns)
    return (low_x, low_y, low_z), (high_x, high_y, high_z)


class PositionsInUse(Record):
    """The positions of a source of a mesh instance: their columns and box [m], and a mark, 1 for a position in use."""

    columns: Columns
    bounds: MeshBounds
    marks: bytearray


class GrowingStlFile:
    """An STL file while it is written.

    Attributes:
        used: the positions of each source of a mesh instance, by the `id` of its columns.
        vertices, bounds: the number of positions in use, and their box [m], after `measure`.
    """

    def __init__(self, path: str) -> None:
        """Begin without triangles; the file is made when the first are written."""
        self.writer = StlWriter(path)
        self.used: Dict[int, PositionsInUse] = {}
        self.vertices = 0
        self.bounds = columns_bounds([(), (), ()])

    def marks(self, placed: PointsInMeters) -> bytearray:
        """Return the marks of positions, which are 1 for a position in use."""
        if id(placed.columns) not in self.used:
            unused = bytearray(len(placed.points))
            self.used[id(placed.columns)] = PositionsInUse(placed.columns, placed.bounds, unused)
        return self.used[id(placed.columns)].marks

    def measure(self) -> None:
        """Set `vertices` and `bounds`; call it after the last triangle."""
        boxes: List[MeshBounds] = []
        for used in self.used.values():
            if 0 not in used.marks and used.marks:
                # If all positions are in use, the box is known.
                boxes.append(used.bounds)
            elif 1 in used.marks:
                columns = [[*compress(column, used.marks)] for column in used.columns]
                boxes.append(columns_bounds(columns))
        self.bounds = columns_bounds([*zip(*chain(*boxes))])
        self.vertices = sum(used.marks.count(1) for used in self.used.values())


class ColorGroup:
    """All triangles of one color.

    Attributes:
        look: the look of its first material.
        pieces: its files; the last file is being written.
        counts: the number of triangles in the file, and of faults that change it, see `triangle_blocks`.
        flat: the numbers of the dropped triangles without area among all triangles, ascending.
        geometries, materials: their names in order, without duplicates.
        notes: the notes on its materials, without duplicates.
    """

    def __init__(self, path: str, max_faces: int, look: MaterialLook) -> None:
        """Begin without pieces; `path` is the file that is converted, and a piece has at most `max_faces` triangles."""
        self.path = path
        self.max_faces = max_faces
        self.look = look
        self.pieces: List[GrowingStlFile] = []
        self.counts = FaultCounts()
        self.flat: Indices = []
        self.geometries: Dict[str, None] = {}
        self.materials: Dict[str, None] = {}
        self.notes: Dict[Diagnostic, None] = {}

    def written(self) -> int:
        """Return the number of triangles written so far."""
        return sum(piece.writer.triangles for piece in self.pieces)

    def add(self, block: Indices, placed: PointsInMeters) -> None:
        """Write a block of triangles.

        Raises:
            IndexError: an index is not below the number of points.
        """
        while block:
            piece = self.open_piece()
            head = block
            if self.max_faces:
                head = block[: 3 * (self.max_faces - piece.writer.triangles)]
            block = block[len(head) :]
            records, flat = pack_triangles(head, placed.points)
            first = self.written() + len(self.flat)
            self.flat += [first + number for number in flat]
            marks = piece.marks(placed)
            used = without_triangles(head, flat) if flat else head
            for index in used:
                marks[index] = 1
            piece.writer.append(records)

    def open_piece(self) -> GrowingStlFile:
        """Return the piece to write to, a new piece if the last is full."""
        if not self.pieces or 0 < self.max_faces <= self.pieces[-1].writer.triangles:
            self.pieces.append(GrowingStlFile(f"{self.path}_{len(self.pieces)}.stl"))
        return self.pieces[-1]


class ColoredPrimitive(Record):
    """A primitive of the scene, with its positions [m] and the group of its color."""

    primitive: DaeElement
    columns: Columns
    group: ColorGroup


def without_triangles(block: Indices, flat: Sequence[int]) -> Indices:
    """Return the indices of a block without some of its triangles, given by ascending numbers."""
    kept = block[:]
    for number in reversed(flat):
        del kept[3 * number : 3 * number + 3]
    return kept
