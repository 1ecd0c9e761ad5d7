"""The ellipsoid that has the mass and the inertia of a link: what is shown of one without a shape that can be drawn."""
from math import fsum, sqrt
from typing import List, NamedTuple, Optional, Tuple

from ...base.exact_trigonometry import arctangent
from ...urdf.spatial import (
    IDENTITY, MassProperties, Matrix, multiply, Pose, rotation_about, transpose, UNIT_AXES, Vector)

LEAST_MASS = 1e-6  # [kg] lighter links are frames
THINNEST = 1e-4  # [m] so that what has no extent can be seen
SWEEPS = 6


class Ellipsoid(NamedTuple):
    """A homogeneous ellipsoid: T_link_ellipsoid, and its length along each axis [m]."""

    T: Pose
    size: Vector


def principal_axes(inertia: Matrix) -> Tuple[Matrix, Vector]:
    """Return the rotation whose columns are the principal axes of a symmetric tensor, and its principal moments.

    Jacobi's method: G. Golub and C. Van Loan, "Matrix Computations", section 8.5.
    """
    R, A = IDENTITY, inertia
    for _ in range(SWEEPS):
        for p, q, axis in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            if A[p][q] != 0.0:
                angle = 0.5 * arctangent(2.0 * A[p][q], A[p][p] - A[q][q])
                turn = rotation_about(UNIT_AXES[axis], angle if axis != 1 else -angle)
                R, A = multiply(R, turn), multiply(transpose(turn), multiply(A, turn))
    return R, (A[0][0], A[1][1], A[2][2])


def ellipsoid_of(properties: Optional[MassProperties]) -> Optional[Ellipsoid]:
    """Return the ellipsoid of a link; None for one that has no mass.

    The semi-axis along the first principal axis is sqrt(5/2 (B + C - A) / m); where that is of a negative number, as no
    body has it, it is the thinnest that is shown.
    """
    if properties is None or not properties.mass > LEAST_MASS:
        return None
    R, moments = principal_axes(properties.inertia)
    sizes: List[float] = [2.0 * sqrt(max(THINNEST * THINNEST, 2.5 * (fsum(moments) - 2.0 * moment) / properties.mass))
                          for moment in moments]
    return Ellipsoid(Pose(R, properties.center), (sizes[0], sizes[1], sizes[2]))
