"""Positions of a mesh, moved into meters and rounded to float32 once, before anything is computed from them."""
import struct
from typing import Iterable, List, NamedTuple, Sequence, Set, Tuple

from .accessors import Columns
from .records import DaeVector, MeshBounds
from .transforms import Affine

MINUS_ZERO = struct.pack("f", -0.0)


class PlacedPoints(NamedTuple):
    """Points in meters; every number is a float32 value and none is -0.0.

    `columns` holds the same x, y and z apart, `bounds` is the box of all points.
    """

    points: List[DaeVector]
    columns: Tuple[List[float], ...]
    bounds: MeshBounds


def place_points(blocks: Iterable[Columns], matrix: Affine) -> PlacedPoints:
    """Apply an affine map to blocks of x, y, z columns."""
    rows = [[value + 0.0 for value in matrix[start:start + 4]] for start in (0, 4, 8)]
    columns: Tuple[List[float], ...] = ([], [], [])
    for block in blocks:
        for column, row in zip(columns, rows):
            column += moved_column(row, block)
    return PlacedPoints([*zip(*columns)], columns, columns_bounds(columns))


def moved_column(row: Sequence[float], block: Columns) -> Sequence[float]:
    """Return one coordinate of the moved points, rounded to float32; factors of 0 are skipped, most maps have six."""
    shift = row[3]
    terms = [(factor, column) for factor, column in zip(row, block) if factor]
    if len(terms) == 1:
        (a, xs), = terms
        moved = xs if a == 1.0 and not shift else [a * x + shift for x in xs]
    elif len(terms) == 2:
        (a, xs), (b, ys) = terms
        moved = [a * x + b * y + shift for x, y in zip(xs, ys)]
    else:
        a, b, c, _ = row
        moved = [a * x + b * y + c * z + shift for x, y, z in zip(*block)]
    floats = f"{len(moved)}f"
    packed = struct.pack(floats, *moved)
    rounded = struct.unpack(floats, packed)
    # A negative number too small for float32 becomes -0.0, and readers that join equal points compare the bits.
    return [value + 0.0 for value in rounded] if MINUS_ZERO in packed else rounded


def used_bounds(placed: PlacedPoints, used: Set[int]) -> MeshBounds:
    """Return the box of the points that are used."""
    if len(used) == len(placed.points):
        return placed.bounds
    return columns_bounds([list(map(column.__getitem__, used)) for column in placed.columns])


def columns_bounds(columns: Sequence[Sequence[float]]) -> MeshBounds:
    """Return the box of points given by their x, y and z; it has no end if there are none, or not numbers in them."""
    nothing = float("inf")
    low_x, low_y, low_z = (min(column, default=nothing) for column in columns)
    high_x, high_y, high_z = (max(column, default=-nothing) for column in columns)
    return (low_x, low_y, low_z), (high_x, high_y, high_z)


def join_bounds(one: MeshBounds, other: MeshBounds) -> MeshBounds:
    """Return the box around two boxes."""
    return columns_bounds([*zip(*one, *other)])
