"""Check that a primitive contains points, rounding directed outward, with no knowledge of how it was found.

The points are given in the axes of the primitive, with a bound of the error that they have; what is computed here has a
bound, too, and a point counts as inside only if it is for all errors within both.
"""
from math import sqrt
from typing import Iterable, Sequence, Tuple

Place = Tuple[float, float, float]
UNITS = 2.0 ** -50  # relative: eight roundings


def is_contained(kind: str, sizes: Sequence[float], points: Iterable[Place], error: float) -> bool:
    """Return True if a primitive certainly contains all points.

    Args:
        kind: box, sphere, cylinder or capsule; z is the axis.
        sizes: as URDF gives them: x, y, z; the radius; else radius and length.
        points: in the frame of the primitive [m].
        error: how far each of their coordinates may be off [m].
    """
    if not all(size > 0.0 for size in sizes) and kind != "capsule":
        return False
    if kind == "box":
        half = [0.5 * size for size in sizes]
        return all(abs(value) + error <= limit for point in points for value, limit in zip(point, half))
    radius = sizes[0]
    half_length = 0.5 * sizes[1] if kind != "sphere" else 0.0
    for x, y, z in points:
        if kind == "cylinder":
            if abs(z) + error > half_length:
                return False
            rest = 0.0
        else:
            rest = max(0.0, abs(z) - half_length)
        off = sqrt(x * x + y * y + rest * rest) * (1.0 + UNITS) + 1.8 * error  # of three coordinates
        if off > radius:
            return False
    return True
