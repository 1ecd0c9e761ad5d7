"""Tensors of inertia: principal axes, entries, tensors of solids; and numbers as a vector or a matrix.

The solver for principal axes is the only one outside the proof of a run.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Iterable, List, Sequence, Tuple

from .raw_robot import Tensor
from ..base.number_text import without_noise
from ..urdf.spatial_math import (
    cross,
    largest_entry,
    MassProperties,
    Matrix,
    scale,
    transpose,
    Vector,
    ZERO,
)


RATIO_NOISE = 1e-12  # of the largest entry of a tensor: smaller entries are rounding


def clean_tensor(tensor: Matrix) -> Matrix:
    """Return a tensor without the noise below RATIO_NOISE of its largest entry."""
    noise = RATIO_NOISE * largest_entry(tensor)
    if not noise:
        return tensor
    x, y, z = (without_noise(row, noise) for row in tensor)
    return (x, y, z)


@lru_cache(maxsize=4096)  # lint and every format need the same tensors
def principal(tensor: Matrix) -> Tuple[Vector, Matrix]:
    """Return the eigenvalues, smallest first, and right-handed unit axes as columns, by Jacobi's rotations.

    Golub and Van Loan, Matrix Computations, 8.5: each rotation makes an off-diagonal entry zero; the sum of the squares
    of the off-diagonal entries converges at least linearly, near the end quadratically.
    """
    A: List[List[float]] = [list(row) for row in tensor]
    V: List[List[float]] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    # Few rounds of three rotations are needed; the limit of 60 ends the loop whatever rounding does.
    for _ in range(60):
        if A[0][1] == A[0][2] == A[1][2] == 0.0:
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            # An entry below the rounding of the diagonal, or too small to divide by, counts as zero: else the loop may not
            # end early.
            if abs(A[p][q]) <= 1e-17 * math.sqrt(abs(A[p][p] * A[q][q])) or abs(A[p][q]) < 1e-300:
                A[p][q] = A[q][p] = 0.0
            else:
                _rotate_to_zero(A, V, p, q)

    order = sorted(range(3), key=lambda k: A[k][k])
    least, middle, largest = (A[k][k] for k in order)
    x, y = ((V[0][k], V[1][k], V[2][k]) for k in order[:2])
    # The third axis makes them right-handed, because sorting may mirror the axes.
    axes = (x, y, cross(x, y))
    return (least, middle, largest), transpose(axes)


def _rotate_to_zero(A: List[List[float]], V: List[List[float]], p: int, q: int) -> None:
    """Rotate the axes p and q of a symmetric matrix so that A[p][q] is zero, and turn the columns of V alike."""
    # t is the tangent of the smaller of the two angles that make A[p][q] zero.
    theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q])
    t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
    cosine = 1.0 / math.sqrt(t * t + 1.0)
    sine = t * cosine
    shift = t * A[p][q]
    A[p][p] -= shift
    A[q][q] += shift
    A[p][q] = A[q][p] = 0.0
    # The third index: 0, 1 and 2 add up to 3.
    r = 3 - p - q
    A[r][p], A[r][q] = _turned(A[r][p], A[r][q], cosine, sine)
    A[p][r] = A[r][p]
    A[q][r] = A[r][q]
    for row in V:
        row[p], row[q] = _turned(row[p], row[q], cosine, sine)


def _turned(x: float, y: float, cosine: float, sine: float) -> Tuple[float, float]:
    """Return the two coordinates of a vector in a plane, turned by an angle."""
    return cosine * x - sine * y, sine * x + cosine * y


def vector_of(values: Iterable[float]) -> Vector:
    """Return three numbers as a vector."""
    x, y, z = values
    return (x, y, z)


def diagonal(values: Iterable[float]) -> Matrix:
    """Return the diagonal matrix of three numbers: a tensor with these moments, or a scale."""
    x, y, z = values
    return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))


def multiple(factor: float, A: Matrix) -> Matrix:
    """Return a matrix with each entry times a factor."""
    return (scale(factor, A[0]), scale(factor, A[1]), scale(factor, A[2]))


def entries_of(tensor: Matrix) -> Tensor:
    """Return the entries xx, xy, xz, yy, yz, zz of a symmetric matrix."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    return (xx, xy, xz, yy, yz, zz)


def solid_mass(kind: str, sizes: Sequence[float], density: float) -> MassProperties:
    """Return the mass properties of a solid of uniform density [kg/m^3] about its origin; radii and full lengths [m].

    Raises:
        ValueError: the volume is not known, for a mesh or a plane.
    """
    if kind == "box":
        mass = density * sizes[0] * sizes[1] * sizes[2]
        moments = _about_axes(mass / 12, sizes)
    elif kind in ("sphere", "ellipsoid"):
        radii = sizes if kind == "ellipsoid" else (sizes[0],) * 3
        mass = density * 4 / 3 * math.pi * radii[0] * radii[1] * radii[2]
        moments = _about_axes(mass / 5, radii)
    elif kind in ("cylinder", "capsule"):
        r, h = sizes
        mass = density * math.pi * r * r * h
        across = mass * (3 * r * r + h * h) / 12
        along = mass * r * r / 2
        if kind == "capsule":  # two half balls, their centers 3/8 r beyond the ends of the cylinder
            ends = density * 4 / 3 * math.pi * r * r * r
            across += ends * (2 / 5 * r * r + h * h / 4 + 3 / 8 * h * r)
            along += ends * 2 / 5 * r * r
            mass += ends
        moments = (across, across, along)
    else:
        raise ValueError(f"a density on a {kind} gives no mass: its volume is not known")
    return MassProperties(mass, ZERO, diagonal(moments))


def _about_axes(mass: float, sizes: Sequence[float]) -> Vector:
    """Return the moments of a box or an ellipsoid about its axes; `mass` is its mass times the factor of the solid."""
    x, y, z = sizes
    return (mass * (y * y + z * z), mass * (x * x + z * z), mass * (x * x + y * y))
