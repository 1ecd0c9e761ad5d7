"""Masses of bodies: moved, compared, and by their principal moments."""
from math import acos, atan2, cos, hypot, pi, sin
from typing import Tuple

from ..urdf.spatial import dot, IDENTITY, Matrix, norm, Pose, scale, subtract, transpose
from ..verify.rigid_motion import product, rotated, transform_point
from .canonical import BodyMass, rotated_tensor

FLOOR = 1e-8  # m^2, times the mass: below it a tensor is rounding error
SLENDER = 1e-6  # of the norm of a tensor: what a turn leaves, 1e-16 of that, stays below 1e-9 of a smaller moment
TINY = 1e-300  # kg m^2


def moved_mass(Y: Pose, mass: BodyMass) -> BodyMass:
    """Return a mass as B's root sees it."""
    tensor = mass.tensor if Y.rotation is IDENTITY else rotated_tensor(Y.rotation, mass.tensor)
    return BodyMass(mass.mass, transform_point(Y, mass.center), tensor)


def mass_gaps(a: BodyMass, b: BodyMass) -> Tuple[float, float, float]:
    """Return how far apart masses (of the larger), centers [m] and tensors (by direction) are."""
    heavier = max(a.mass, b.mass)
    center = norm(subtract(a.center, b.center)) if min(a.mass, b.mass) > 0.0 else 0.0
    return abs(a.mass - b.mass) / (heavier or 1.0), center, direction_gap(a.tensor, b.tensor, FLOOR * heavier)


def direction_gap(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest difference of the moments about one axis, whatever its direction, of the larger of both.

    Those are generalized eigenvalues of (A - B, A) and of (B - A, B): Golub, Van Loan, Matrix Computations, 8.7.
    """
    if a == b:
        return 0.0
    floor = max(floor, TINY, SLENDER * max(hypot(*X[0], *X[1], *X[2]) for X in (a, b)))
    return max(_excess(a, b, floor), _excess(b, a, floor))


def _excess(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest part of a moment of `a` that is missing in `b`; no moment counts as less than the floor."""
    x, y, z = (scale((abs(dot(axis, rotated(a, axis))) + floor) ** -0.5, axis) for axis in principal_axes(a))
    apart = (subtract(a[0], b[0]), subtract(a[1], b[1]), subtract(a[2], b[2]))
    return max(0.0, principal_moments(product(product((x, y, z), apart), transpose((x, y, z))))[0])


def tensor_gap(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest difference of entries, of the largest entry, or of `floor` where all are smaller."""
    largest = max(max(map(abs, row)) for row in (*a, *b))
    apart = max(abs(p - q) for row, line in zip(a, b) for p, q in zip(row, line))
    return apart / max(largest, floor) if apart else 0.0


def principal_moments(tensor: Matrix) -> Tuple[float, float, float]:
    """Return the eigenvalues of a symmetric matrix, the largest first (Smith, CACM 4, 1961)."""
    (a, d, e), (_, b, f), (_, _, c) = tensor
    mean = (a + b + c) / 3.0
    spread = ((a - mean) ** 2 + (b - mean) ** 2 + (c - mean) ** 2 + 2.0 * (d * d + e * e + f * f)) / 6.0
    if spread <= 0.0:
        return mean, mean, mean
    p = spread ** 0.5
    a, b, c, d, e, f = (a - mean) / p, (b - mean) / p, (c - mean) / p, d / p, e / p, f / p
    half = 0.5 * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e))
    angle = acos(max(-1.0, min(1.0, half))) / 3.0
    largest, smallest = mean + 2.0 * p * cos(angle), mean + 2.0 * p * cos(angle + 2.0 * pi / 3.0)
    return largest, 3.0 * mean - largest - smallest, smallest


def principal_axes(tensor: Matrix) -> Matrix:
    """Return the principal axes of a tensor as rows, that of the largest moment first (Jacobi's rotations)."""
    A = [list(row) for row in tensor]
    V = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for p, q in ((0, 1), (0, 2), (1, 2)) * 8:
        if A[p][q] == 0.0:
            continue
        angle = 0.5 * atan2(2.0 * A[p][q], A[q][q] - A[p][p])
        c, s = cos(angle), sin(angle)
        for row in (*A, *V):
            row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
        A[p], A[q] = ([c * x - s * y for x, y in zip(A[p], A[q])], [s * x + c * y for x, y in zip(A[p], A[q])])
    order = sorted(range(3), key=lambda k: -A[k][k])
    axes = [(V[0][k], V[1][k], V[2][k]) for k in order]
    return (axes[0], axes[1], axes[2])
