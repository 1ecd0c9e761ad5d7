"""The quaternion of a rotation, as written in MJCF, USD, SRDF and the typed model."""

from __future__ import annotations

import math
from typing import Tuple

from ..urdf.spatial_math import Matrix


def quaternion_from_matrix(R: Matrix) -> Tuple[float, float, float, float]:
    """Return the unit quaternion (x, y, z, w) of a rotation.

    It is computed from its largest part, so that nothing cancels. The first of w, x, y, z that exceeds rounding error
    is positive.
    """
    (a, b, c), (d, e, f), (g, h, i) = R
    # 4 x^2, 4 y^2, 4 z^2, 4 w^2.
    squares = (1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i, 1.0 + a + e + i)
    # Each row is (x, y, z, w), multiplied by 4 x, 4 y, 4 z or 4 w.
    products = (
        (squares[0], b + d, c + g, h - f),
        (b + d, squares[1], f + h, c - g),
        (c + g, f + h, squares[2], d - b),
        (h - f, c - g, d - b, squares[3]),
    )
    x, y, z, w = max(
        products,
        key=lambda row: row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3],
    )
    first = next(part for part in (w, x, y, z) if abs(part) > 1e-12)
    length = math.copysign(math.sqrt(x * x + y * y + z * z + w * w), first)
    return (x / length, y / length, z / length, w / length)
