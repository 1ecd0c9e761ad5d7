"""Transformations of a COLLADA node as affine maps: twelve numbers, three rows of four, for column vectors.

Khronos COLLADA 1.4.1 and 1.5: the elements of a node are multiplied in document order, M = T1 T2 ... Tn.
"""
from math import fsum, radians, sqrt
from typing import Callable, Dict, Sequence, Tuple

from ..base.exact_trigonometry import cosine_sine
from .records import Affine

AFFINE_IDENTITY: Affine = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)

# Up axis of the file to +Z up, as the specification's table of right, up and inward axes has it.
UP_AXIS_TURNS: Dict[str, Affine] = {
    "x": (0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    "y": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    "z": AFFINE_IDENTITY,
}


def compose_affine(outer: Affine, inner: Affine) -> Affine:
    """Return the map that applies `inner` first, then `outer`."""
    a, b, c, d, e, f, g, h, i, j, k, m = inner
    rows = []
    for x, y, z, t in (outer[0:4], outer[4:8], outer[8:12]):
        rows += [x * a + y * e + z * i, x * b + y * f + z * j, x * c + y * g + z * k, x * d + y * h + z * m + t]
    return tuple(rows)  # type: ignore[return-value]


def affine_determinant(matrix: Affine) -> float:
    """Return the determinant of the linear part: negative for a mirror, 0 for a collapse."""
    a, b, c, _, d, e, f, _, g, h, i, _ = matrix
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def without_affine_noise(matrix: Affine) -> Affine:
    """Return a map with 0 for what only rounding makes of it: below 1e-13 of the largest factor, or shift."""
    factor, shift = (1e-13 * max(map(abs, part)) for part in (
        (*matrix[0:3], *matrix[4:7], *matrix[8:11]), (matrix[3], matrix[7], matrix[11])))
    least = (factor, factor, factor, shift) * 3
    return tuple(0.0 if abs(v) < low else v for v, low in zip(matrix, least))  # type: ignore[return-value]


def is_singular(matrix: Affine) -> bool:
    """Return True if the map leaves no volume, within the accuracy of float32, whatever its scale."""
    lengths = [sqrt(fsum(value * value for value in matrix[column::4])) for column in range(3)]
    size = lengths[0] * lengths[1] * lengths[2]
    return not abs(affine_determinant(matrix)) > 1e-9 * size


def matrix_element(numbers: Sequence[float]) -> Affine:
    """`<matrix>`: sixteen numbers by rows, the last row is taken as 0 0 0 1."""
    return tuple(numbers[:12])  # type: ignore[return-value]


def translate_element(numbers: Sequence[float]) -> Affine:
    """`<translate>` x y z."""
    x, y, z = numbers
    return (1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z)


def scale_element(numbers: Sequence[float]) -> Affine:
    """`<scale>` x y z."""
    x, y, z = numbers
    return (x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 0.0, z, 0.0)


def rotate_element(numbers: Sequence[float]) -> Affine:
    """`<rotate>` x y z degrees, by Rodrigues' formula; the axis is normalized, a zero axis does nothing."""
    x, y, z = unit_vector(numbers[:3])
    cosine, sine = exact_turn(numbers[3])
    if not (x or y or z):
        return AFFINE_IDENTITY
    rest = 1.0 - cosine
    return (x * x * rest + cosine, x * y * rest - z * sine, x * z * rest + y * sine, 0.0,
            y * x * rest + z * sine, y * y * rest + cosine, y * z * rest - x * sine, 0.0,
            z * x * rest - y * sine, z * y * rest + x * sine, z * z * rest + cosine, 0.0)


def exact_turn(degrees: float) -> Tuple[float, float]:
    """Return cosine and sine; quarter turns are exact, so that flat stays flat."""
    quarter, rest = divmod(degrees, 90.0)
    if rest == 0.0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarter % 4)]
    return cosine_sine(radians(degrees))


def unit_vector(vector: Sequence[float]) -> Tuple[float, float, float]:
    """Return the vector with length 1, or zeros for a vector that has no direction."""
    x, y, z = vector
    length = sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length) if length > 1e-30 else (0.0, 0.0, 0.0)


# The numbers that each element must hold, and the map that it means.
TRANSFORM_ELEMENTS: Dict[str, Tuple[int, Callable[[Sequence[float]], Affine]]] = {
    "matrix": (16, matrix_element),
    "translate": (3, translate_element),
    "rotate": (4, rotate_element),
    "scale": (3, scale_element),
}
