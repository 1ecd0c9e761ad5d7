"""The ellipsoid that has the mass and the inertia of a link: shown for a link without a shape that can be drawn."""
from math import fsum, sqrt
from typing import List, NamedTuple, Optional

from ...robot.principal_axes import principal
from ...urdf.spatial import MassProperties, Pose, Vector

LEAST_MASS = 1e-6  # [kg] lighter links are frames
THINNEST = 1e-4  # [m] so that an ellipsoid without extent can be seen


class Ellipsoid(NamedTuple):
    """A homogeneous ellipsoid: T_link_ellipsoid, and its length along each axis [m]."""

    T: Pose
    size: Vector


def ellipsoid_of(properties: Optional[MassProperties]) -> Optional[Ellipsoid]:
    """Return the ellipsoid of a link; None for one that has no mass.

    The semi-axis along the first principal axis is sqrt(5/2 (B + C - A) / m); where B + C < A, which is not physical,
    it is the thinnest that is shown.
    """
    if properties is None or not properties.mass > LEAST_MASS:
        return None
    moments, R = principal(properties.inertia)
    sizes: List[float] = [2.0 * sqrt(max(THINNEST * THINNEST, 2.5 * (fsum(moments) - 2.0 * moment) / properties.mass))
                          for moment in moments]
    return Ellipsoid(Pose(R, properties.center), (sizes[0], sizes[1], sizes[2]))
