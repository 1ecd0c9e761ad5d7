"""Points and normals under an affine map, whole columns at a time."""
from array import array
from typing import Tuple

from ..collada.part_writer import moved_column
from ..collada.records import Affine
from ..collada.scene import AFFINE_IDENTITY, without_affine_noise
from .form import Floats, FLOAT, Numbers


def place_positions(positions: Floats, matrix: Affine) -> Floats:
    """Return transformed positions, rounded to float32 once."""
    matrix = without_affine_noise(matrix)
    if matrix == AFFINE_IDENTITY:
        return positions
    columns = (positions[0::3], positions[1::3], positions[2::3])
    moved = array(FLOAT, bytes(4 * len(positions)))
    for axis in range(3):
        moved[axis::3] = array(FLOAT, _moved(matrix[4 * axis:4 * axis + 4], columns))
    return moved


def _moved(row: Tuple[float, ...], columns: Tuple[Floats, Floats, Floats]) -> Floats:
    try:
        return array(FLOAT, moved_column([value + 0.0 for value in row], columns))
    except OverflowError:  # too large for float32; `checked_positions` reports it
        return array(FLOAT, [float("inf")] * len(columns[0]))


def place_normals(normals: Floats, matrix: Affine) -> Floats:
    """Return normals under the inverse transpose of a map, not of unit length; under a mirror they stay outside.

    The matrix of cofactors is the inverse transpose times the determinant, and needs no division.  For a mirror its
    sign is changed, because the order of the corners is changed as well.
    """
    a, b, c, _, d, e, f, _, g, h, i, _ = matrix
    rows = ((e * i - f * h, f * g - d * i, d * h - e * g),
            (c * h - b * i, a * i - c * g, b * g - a * h),
            (b * f - c * e, c * d - a * f, a * e - b * d))
    size = max(abs(value) for row in rows for value in row)
    sign = -1.0 if a * rows[0][0] + b * rows[0][1] + c * rows[0][2] < 0.0 else 1.0
    return place_positions(normals, tuple(  # type: ignore[arg-type]
        value for row in rows for value in (*(sign * factor / size for factor in row), 0.0)))


def turned_corners(corners: Numbers) -> Numbers:
    """Return triangles with the second and third corner swapped, so that a mirrored surface keeps its outside."""
    turned = corners[:]
    turned[1::3], turned[2::3] = corners[2::3], corners[1::3]
    return turned
