"""Positions of a mesh, moved into meters and rounded to float32 once, before anything is computed from them."""
import struct
import sys
from array import array
from math import inf, isfinite
from typing import List, NamedTuple, Sequence

from .accessors import Columns
from .records import Affine, DaeVector, MeshBounds

MINUS_ZERO = struct.pack("f", -0.0)


class PlacedPoints(NamedTuple):
    """Points in meters; every number is a float32 value and none is -0.0.

    `columns` holds the same x, y and z apart, `bounds` is the box of all points.
    """

    points: List[DaeVector]
    columns: Columns
    bounds: MeshBounds


def moved_columns(columns: Columns, matrix: Affine) -> Columns:
    """Apply an affine map to columns of x, y and z."""
    return tuple(moved_column([value + 0.0 for value in matrix[start:start + 4]], columns) for start in (0, 4, 8))


def place_points(columns: Columns) -> PlacedPoints:
    """Return points by their columns, and their box."""
    x, y, z = (column.tolist() for column in columns)
    bounds = columns_bounds([x, y, z])
    if not isfinite(sum(x) + sum(y) + sum(z)):  # inf - inf is no number, and has no order
        bounds = ((-inf, -inf, -inf), (inf, inf, inf))
    return PlacedPoints([*zip(x, y, z)], columns, bounds)


def moved_column(row: Sequence[float], columns: Columns) -> "array[float]":
    """Return one coordinate of the moved points, in float32; factors of 0 are skipped, most maps have six."""
    shift = row[3]
    terms = [(factor, column) for factor, column in zip(row, columns) if factor]
    moved: Sequence[float]
    if len(terms) == 1:
        (a, xs), = terms
        moved = xs if a == 1.0 and not shift else [a * x + shift for x in xs]
    elif len(terms) == 2:
        (a, xs), (b, ys) = terms
        moved = [a * x + b * y + shift for x, y in zip(xs, ys)]
    else:
        a, b, c, _ = row
        moved = [a * x + b * y + c * z + shift for x, y, z in zip(*columns)]
    rounded = array("f", struct.pack(f"{len(moved)}f", *moved))  # half the time of array("f", moved)
    # A negative number too small for float32 becomes -0.0, and readers that join equal points compare the bits.
    return array("f", [value + 0.0 for value in rounded]) if MINUS_ZERO in rounded.tobytes() else rounded


def points_in_stl(columns: Columns) -> List[bytes]:
    """Return points, given by their x, y and z, in the bytes of STL."""
    values = array("f", bytes(12 * len(columns[0])))
    for axis, column in enumerate(columns):
        values[axis::3] = column
    if sys.byteorder == "big":
        values.byteswap()
    return [point for point, in struct.iter_unpack("12s", values.tobytes())]


def columns_bounds(columns: Sequence[Sequence[float]]) -> MeshBounds:
    """Return the box of points given by their x, y and z; that of no points is from inf to -inf."""
    nothing = float("inf")
    low_x, low_y, low_z = (min(column, default=nothing) for column in columns)
    high_x, high_y, high_z = (max(column, default=-nothing) for column in columns)
    return (low_x, low_y, low_z), (high_x, high_y, high_z)
