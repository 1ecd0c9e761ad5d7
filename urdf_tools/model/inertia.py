"""Mass properties of a link: mass, center of mass and inertia tensor."""
import math
from typing import NamedTuple, Optional, Sequence, Tuple

from .geometry import Box, Capsule, Cylinder, Sphere
from ..robot.principal_axes import principal
from ..urdf.spatial import MassProperties, Matrix, merge_mass, move_mass, ZERO_INERTIA, rotate_inertia, Vector, ZERO
from .pose import Pose
from .shapes import Collision, Ellipsoid, pieces, Primitive


class Inertia(NamedTuple):
    """The six numbers of a symmetric tensor about the center of mass [kg m^2]."""

    ixx: float
    iyy: float
    izz: float
    ixy: float = 0.0
    ixz: float = 0.0
    iyz: float = 0.0

    @classmethod
    def from_matrix(cls, matrix: Matrix) -> "Inertia":
        """Return the six numbers of a symmetric matrix."""
        return cls(matrix[0][0], matrix[1][1], matrix[2][2], matrix[0][1], matrix[0][2], matrix[1][2])

    @property
    def matrix(self) -> Matrix:
        """The tensor, three rows."""
        return ((self.ixx, self.ixy, self.ixz), (self.ixy, self.iyy, self.iyz), (self.ixz, self.iyz, self.izz))

    def principal(self) -> Tuple[Vector, Matrix]:
        """Return the principal moments, smallest first, and the rotation whose columns are their axes.

        With R that rotation, the tensor is R diag(moments) R^T; the axes are right-handed.
        """
        return principal(self.matrix)


class Inertial(NamedTuple):
    """Mass [kg] and tensor of a link; `origin` is the center of mass, and the axes of the tensor, in the link."""

    mass: float
    inertia: Inertia
    origin: Pose = Pose()

    def in_link_frame(self) -> MassProperties:
        """Return mass, center of mass and tensor about it in the axes of the link."""
        return MassProperties(self.mass, self.origin.xyz, rotate_inertia(self.origin.matrix, self.inertia.matrix))


def mass_by_density(collisions: Sequence[Collision]) -> Optional[MassProperties]:
    """Return the combined mass properties of collision shapes with a density, in the link frame; None without any.

    Raises:
        ValueError: a shape has a density and no known volume (a mesh, a plane).
    """
    parts = [move_mass(part.origin.transform, _mass_of_shape(part.geometry, shape.density))
             for shape in collisions if shape.density for part in pieces(shape.geometry, shape.origin)]
    return merge_mass(parts) if parts else None


def _mass_of_shape(shape: Primitive, density: float) -> MassProperties:
    """Return the mass properties of a solid of uniform density [kg/m^3] about its origin."""
    if isinstance(shape, Box):
        x, y, z = shape.size
        mass = density * x * y * z
        moments = (mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y))
    elif isinstance(shape, (Sphere, Ellipsoid)):
        x, y, z = shape.radii if isinstance(shape, Ellipsoid) else (shape.radius,) * 3
        mass = density * 4 / 3 * math.pi * x * y * z
        moments = (mass / 5 * (y * y + z * z), mass / 5 * (x * x + z * z), mass / 5 * (x * x + y * y))
    elif isinstance(shape, (Cylinder, Capsule)):
        r, h = shape.radius, shape.length
        mass = density * math.pi * r * r * h
        across, along = mass * (3 * r * r + h * h) / 12, mass * r * r / 2
        if isinstance(shape, Capsule):  # two half balls, their centers 3/8 r beyond the ends of the cylinder
            ends = density * 4 / 3 * math.pi * r * r * r
            across += ends * (2 / 5 * r * r + h * h / 4 + 3 / 8 * h * r)
            along += ends * 2 / 5 * r * r
            mass += ends
        moments = (across, across, along)
    else:
        raise ValueError(f"a density on a {shape.kind} gives no mass: its volume is not known")
    tensor = ((moments[0], 0.0, 0.0), (0.0, moments[1], 0.0), (0.0, 0.0, moments[2]))
    return MassProperties(mass, ZERO, tensor)


NO_MASS = MassProperties(0.0, ZERO, ZERO_INERTIA)
