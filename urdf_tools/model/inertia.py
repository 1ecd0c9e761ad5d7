"""How a link resists: mass, center of mass and inertia tensor."""
import math
from functools import lru_cache
from typing import List, NamedTuple, Optional, Sequence, Tuple

from .geometry import Box, Capsule, Cylinder, Sphere
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


@lru_cache(maxsize=4096)  # problems and every format ask for the same tensors
def principal(tensor: Matrix) -> Tuple[Vector, Matrix]:
    """Return eigenvalues, smallest first, and right-handed axes as columns, by Jacobi's rotations.

    Golub and Van Loan, Matrix Computations, 8.5: each rotation makes one entry beside the diagonal zero; the sum of
    the squares of these falls at least linearly, near the end quadratically.
    """
    A: List[List[float]] = [list(row) for row in tensor]
    V: List[List[float]] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(60):
        if A[0][1] == A[0][2] == A[1][2] == 0.0:
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if abs(A[p][q]) <= 1e-17 * math.sqrt(abs(A[p][p] * A[q][q])) or abs(A[p][q]) < 1e-300:
                A[p][q] = A[q][p] = 0.0
                continue
            theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q])
            t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
            c = 1.0 / math.sqrt(t * t + 1.0)
            s = t * c
            shift = t * A[p][q]
            A[p][p], A[q][q] = A[p][p] - shift, A[q][q] + shift
            A[p][q] = A[q][p] = 0.0
            r = 3 - p - q
            A[r][p], A[r][q] = c * A[r][p] - s * A[r][q], s * A[r][p] + c * A[r][q]
            A[p][r], A[q][r] = A[r][p], A[r][q]
            for row in V:
                row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    order = sorted(range(3), key=lambda k: A[k][k])
    columns = [tuple(row[k] for row in V) for k in order]
    (a, b, c_), (d, e, f) = columns[0], columns[1]
    columns[2] = (b * f - c_ * e, c_ * d - a * f, a * e - b * d)  # right-handed, whatever the order has done
    return ((A[order[0]][order[0]], A[order[1]][order[1]], A[order[2]][order[2]]),
            (_row(columns, 0), _row(columns, 1), _row(columns, 2)))


def _row(columns: Sequence[Sequence[float]], k: int) -> Vector:
    return (columns[0][k], columns[1][k], columns[2][k])


def mass_by_density(collisions: Sequence[Collision]) -> Optional[MassProperties]:
    """Return what collision shapes with a density weigh together, in the axes of the link; None without any.

    Raises:
        ValueError: a shape has a density and no volume that is known here (a mesh, a plane).
    """
    parts = [move_mass(part.origin.transform, _mass_of_shape(part.geometry, shape.density))
             for shape in collisions if shape.density for part in pieces(shape.geometry, shape.origin)]
    return merge_mass(parts) if parts else None


def _mass_of_shape(shape: Primitive, density: float) -> MassProperties:
    """Return the mass properties of a solid of one density about its origin."""
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
