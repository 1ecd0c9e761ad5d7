"""Transforms of the prims of a stage: every kind of xformOp, in any order, in meters with Z up.

Matrices are those of USD: of row vectors, p' = p M (OpenUSD, UsdGeomXformOp).
"""

from __future__ import annotations

from math import fsum, radians
from typing import List, Sequence, Tuple

from ...base.exact_trigonometry import cosine_sine
from ...base.record import Record
from ...urdf.spatial import (
    dot,
    IDENTITY,
    IDENTITY_POSE,
    matrix_from_quaternion,
    Matrix,
    norm,
    Pose,
    transpose,
    Vector,
)
from .read_prims import Prim

Matrix4 = Tuple[Tuple[float, ...], ...]
UNIT: Matrix4 = tuple(tuple(float(row == column) for column in range(4)) for row in range(4))
RESET, INVERT = "!resetXformStack!", "!invert!"
AXES = {"X": 0, "Y": 1, "Z": 2}
SHEAR = 1e-5  # cosine between axes that are no longer perpendicular
ROUNDING = 1e-6  # of a scale that is 1, in float32


class Placed(Record):
    """Where a prim is: rigid pose in the world [m], scale along its axes, and its matrix in meters.

    Attributes:
        is_sheared: True if its axes are not perpendicular, or one has no length: then no pose and scale say it.
    """

    pose: Pose
    scale: Vector
    matrix: Matrix4
    is_sheared: bool = False


def product(a: Matrix4, b: Matrix4) -> Matrix4:
    """Return a b: first a, then b."""
    if a is UNIT:
        return b
    columns = tuple(zip(*b))
    rows: List[Tuple[float, ...]] = []
    for row in a:
        rows.append(tuple([fsum(p * q for p, q in zip(row, column)) for column in columns]))
    return tuple(rows)


def _with_rotation(R: Matrix) -> Matrix4:
    """Return the matrix of row vectors of a rotation of column vectors."""
    rows = [(*row, 0.0) for row in transpose(R)]
    return (*rows, UNIT[3])


def _about(axis: int, degrees: float) -> Matrix4:
    """Return a turn about X, Y or Z."""
    c, s = cosine_sine(radians(degrees))
    rows = [list(row) for row in UNIT]
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rows[i][i], rows[i][j], rows[j][i], rows[j][j] = c, s, -s, c
    return tuple(map(tuple, rows))


def _spread(kind: str, name: str, values: Sequence[float], rest: float) -> List[float]:
    """Return the three numbers of an op; `translateX` and the like have one."""
    if kind == name:
        return list(values)
    numbers = [rest] * 3
    numbers[AXES[kind[-1]]] = values[0]
    return numbers


def _op_matrix(prim: Prim, attribute: str) -> Matrix4:
    """Return the matrix of an op.

    Raises:
        BrokenRobot: it is of no known kind, or has no such numbers.
    """
    kind = attribute.split(":")[1] if attribute.startswith("xformOp:") else ""
    if kind == "transform":
        numbers = prim.numbers(attribute, 16)
        return UNIT if numbers is None else tuple(numbers[row : row + 4] for row in (0, 4, 8, 12))
    if kind == "orient":
        numbers = prim.numbers(attribute, 4)
        if numbers is None or not any(numbers):
            return UNIT
        w, *rest = numbers
        return _with_rotation(matrix_from_quaternion((*rest, w))) if any(rest) else UNIT
    known, _, letters = kind.partition("rotate")
    if kind[:-1] in ("translate", "scale", "rotate") and kind[-1] in AXES:
        numbers = prim.numbers(attribute)
    elif kind in ("translate", "scale") or not known and sorted(letters) == ["X", "Y", "Z"]:
        numbers = prim.numbers(attribute, 3)
    else:
        prim.refuse(f"'{attribute}' is a transform of no known kind")
    if numbers is None:
        return UNIT
    if kind.startswith("translate"):
        return (*UNIT[:3], (*_spread(kind, "translate", numbers, 0.0), 1.0))
    if kind.startswith("scale"):
        factors = (*_spread(kind, "scale", numbers, 1.0), 1.0)
        return tuple(tuple([factor * part for part in row]) for factor, row in zip(factors, UNIT))
    if len(letters) == 1:
        return _about(AXES[letters], numbers[0])
    turned = UNIT
    for letter in letters:  # rotateXYZ: about X first
        turned = product(turned, _about(AXES[letter], numbers[AXES[letter]]))
    return turned


def _inverse(prim: Prim, matrix: Matrix4) -> Matrix4:
    """Return the inverse, by elimination with pivots."""
    rows = [[*row, *unit] for row, unit in zip(matrix, UNIT)]
    for column in range(4):
        pivot = max(range(column, 4), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        first = rows[column][column]
        if not first:
            prim.refuse("a transform that is inverted is flat")
        rows[column] = [value / first for value in rows[column]]
        for row in range(4):
            factor = rows[row][column]
            if row != column and factor:
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column])]
    return tuple(tuple(row[4:]) for row in rows)


def matrix_in(prim: Prim, above: Matrix4) -> Matrix4:
    """Return the matrix of a prim in the world, given that of the prim it is in; the first op is the outermost."""
    local = UNIT
    order = prim.words("xformOpOrder")
    for name in order:
        if name == RESET:
            local, above = UNIT, UNIT
            continue
        is_inverse = name.startswith(INVERT)
        matrix = _op_matrix(prim, name[len(INVERT) :] if is_inverse else name)
        local = product(_inverse(prim, matrix) if is_inverse else matrix, local)
    return product(local, above)


def placed(matrix: Matrix4, stage: Matrix4) -> Placed:
    """Return where a prim is; `stage` leads from the units and axes of the stage to meters with Z up."""
    if matrix is UNIT and stage is UNIT:
        return Placed(IDENTITY_POSE, (1.0, 1.0, 1.0), UNIT)
    matrix = product(matrix, stage)
    rows = [(row[0], row[1], row[2]) for row in matrix]
    lengths = [norm(row) for row in rows[:3]]
    if min(lengths) < 1e-12 * max(1.0, *lengths):
        a, b, c = lengths
        return Placed(Pose(IDENTITY, rows[3]), (a, b, c), matrix, is_sheared=True)
    axes = [tuple([part / length for part in row]) for row, length in zip(rows, lengths)]
    x, y, z = [(axis[0], axis[1], axis[2]) for axis in axes]
    is_sheared = max(abs(dot(x, y)), abs(dot(y, z)), abs(dot(z, x))) > SHEAR
    rounded = [1.0 if abs(length - 1.0) < ROUNDING else length for length in lengths]
    a, b, c = x
    # A mirror: all axes are turned round, so that a rotation remains.
    if (
        a * (y[1] * z[2] - y[2] * z[1])
        + b * (y[2] * z[0] - y[0] * z[2])
        + c * (y[0] * z[1] - y[1] * z[0])
        < 0.0
    ):
        rounded = [-length for length in rounded]
        x, y, z = [(-axis[0], -axis[1], -axis[2]) for axis in (x, y, z)]
    R = transpose((x, y, z))
    R = IDENTITY if R == IDENTITY else R
    scale = (rounded[0], rounded[1], rounded[2])
    return Placed(Pose(R, rows[3]), scale, matrix, is_sheared)


def stage_matrix(meters: float, *, is_y_up: bool) -> Matrix4:
    """Return what leads from the units and axes of a stage to meters with Z up."""
    if meters == 1.0 and not is_y_up:
        return UNIT
    turned = _about(0, 90.0) if is_y_up else UNIT
    rows = [tuple([meters * round(part, 15) for part in row]) for row in turned[:3]]
    return (*rows, UNIT[3])


def at_point(matrix: Matrix4, point: Sequence[float]) -> Vector:
    """Return where a point of a prim is in the world [m]."""
    x, y, z = point
    a, b, c = [
        x * matrix[0][k] + y * matrix[1][k] + z * matrix[2][k] + matrix[3][k] for k in range(3)
    ]
    return (a, b, c)
