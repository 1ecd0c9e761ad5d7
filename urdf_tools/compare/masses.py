"""Masses of bodies: moved, compared, and by their principal moments."""
from math import hypot
from typing import Tuple

from ..robot.principal_axes import principal
from ..urdf.spatial import IDENTITY, Matrix, norm, Pose, scale, subtract, transpose
from ..verify.rigid_motion import product, transform_point
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
    """Return the largest difference of the moments about an axis of any direction, relative to the larger of both.

    Those are generalized eigenvalues of (A - B, A) and of (B - A, B): Golub, Van Loan, Matrix Computations, 8.7.
    """
    if a == b:
        return 0.0
    floor = max(floor, TINY, SLENDER * max(hypot(*X[0], *X[1], *X[2]) for X in (a, b)))
    return max(_excess(a, b, floor), _excess(b, a, floor))


def _excess(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest part of a moment of `a` that is missing in `b`; no moment counts as less than the floor."""
    moments, axes = principal(a)
    x, y, z = (scale((abs(moment) + floor) ** -0.5, axis) for moment, axis in zip(moments, transpose(axes)))
    apart = (subtract(a[0], b[0]), subtract(a[1], b[1]), subtract(a[2], b[2]))
    return max(0.0, principal(product(product((x, y, z), apart), transpose((x, y, z))))[0][2])


def tensor_gap(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest difference of entries, of the largest entry, or of `floor` where all are smaller."""
    largest = max(max(map(abs, row)) for row in (*a, *b))
    apart = max(abs(p - q) for row, line in zip(a, b) for p, q in zip(row, line))
    return apart / max(largest, floor) if apart else 0.0
