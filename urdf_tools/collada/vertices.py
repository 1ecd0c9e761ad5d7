"""Positions of a mesh, moved into meters and rounded to float32 once, before anything is computed from them."""
import struct
from typing import Iterable, List, NamedTuple, Sequence, Set, Tuple

from .accessors import Columns
from .records import DaeVector, MeshBounds
from .transforms import Affine

MINUS_ZERO = struct.pack("f", -0.0)


class PlacedPoints(NamedTuple):
    """Points in meters; every number is a float32 value and none is -0.0.

    `columns` holds the same x, y and z apart.  `allowed` is a box that contains all points; it is computed from
    the box of the positions in the file, apart from the points themselves, as evidence for the proof.
    """

    points: List[DaeVector]
    columns: Tuple[List[float], List[float], List[float]]
    allowed: MeshBounds


def place_points(blocks: Iterable[Columns], matrix: Affine) -> PlacedPoints:
    """Apply an affine map to blocks of x, y, z columns."""
    rows = [[value + 0.0 for value in matrix[start:start + 4]] for start in (0, 4, 8)]
    points: List[DaeVector] = []
    columns: Tuple[List[float], List[float], List[float]] = ([], [], [])
    low, high = [float("inf")] * 3, [float("-inf")] * 3
    for block in blocks:
        moved = [moved_column(row, block) for row in rows]
        points += zip(*moved)
        for axis in range(3):
            columns[axis].extend(moved[axis])
            low[axis] = min(low[axis], min(block[axis]))
            high[axis] = max(high[axis], max(block[axis]))
    return PlacedPoints(points, columns, move_box(low, high, matrix))


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


def move_box(low: Sequence[float], high: Sequence[float], matrix: Affine) -> MeshBounds:
    """Return the box around a moved box (J. Arvo, "Transforming Axis-Aligned Bounding Boxes")."""
    ends = []
    for row in (matrix[0:4], matrix[4:8], matrix[8:12]):
        pairs = [sorted((factor * a, factor * b)) if factor else [0.0, 0.0] for factor, a, b in zip(row, low, high)]
        ends.append((row[3] + sum(pair[0] for pair in pairs), row[3] + sum(pair[1] for pair in pairs)))
    return (ends[0][0], ends[1][0], ends[2][0]), (ends[0][1], ends[1][1], ends[2][1])


def used_bounds(placed: PlacedPoints, used: Set[int]) -> MeshBounds:
    """Return the box of the points that are used."""
    values: Sequence[List[float]] = placed.columns
    if len(used) < len(placed.points):
        first, end = min(used), max(used) + 1
        gaps = end - first > len(used)
        values = [list(map(column.__getitem__, used)) if gaps else column[first:end] for column in values]
    return (min(values[0]), min(values[1]), min(values[2])), (max(values[0]), max(values[1]), max(values[2]))


def join_bounds(one: MeshBounds, other: MeshBounds) -> MeshBounds:
    """Return the box around two boxes."""
    (a, b, c), (d, e, f) = one
    (g, h, i), (j, k, m) = other
    return (min(a, g), min(b, h), min(c, i)), (max(d, j), max(e, k), max(f, m))
