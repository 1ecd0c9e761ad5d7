"""The pose of a frame in another, as URDF writes it: a position and three angles."""
from typing import NamedTuple, Sequence, Tuple

from ..urdf import spatial
from ..urdf.spatial import (matrix_from_quaternion, matrix_from_rpy, Matrix, quaternion_from_matrix, rpy_from_matrix,
                            rotation_about, unit, Vector, ZERO)

Transform = spatial.Pose  # the same as a rotation matrix and a translation


class Pose(NamedTuple):
    """The pose of a frame in the frame it belongs to.

    Attributes:
        xyz: the origin [m].
        rpy: roll, pitch, yaw [rad] about the fixed axes x, y, z in turn, so R = Rz(yaw) Ry(pitch) Rx(roll).
    """

    xyz: Vector = ZERO
    rpy: Vector = ZERO

    @classmethod
    def from_matrix(cls, rotation: Matrix, xyz: Vector = ZERO) -> "Pose":
        """Return the pose of a rotation matrix, given as three rows."""
        return cls(xyz, rpy_from_matrix(rotation))

    @classmethod
    def from_quaternion(cls, w: float, x: float, y: float, z: float, xyz: Vector = ZERO) -> "Pose":
        """Return the pose of a quaternion of any length but zero.

        Raises:
            ValueError: the quaternion is zero.
        """
        if not any((w, x, y, z)):
            raise ValueError("a quaternion of length zero is not an orientation")
        return cls.from_matrix(matrix_from_quaternion((x, y, z, w)), xyz)

    @classmethod
    def from_axis_angle(cls, axis: Vector, angle: float, xyz: Vector = ZERO) -> "Pose":
        """Return the pose of a rotation by `angle` [rad] about an axis of any length but zero.

        Raises:
            ValueError: the axis is zero.
        """
        if not any(axis):
            raise ValueError("an axis of length zero is not a direction")
        return cls.from_matrix(rotation_about(unit(axis), angle), xyz)

    @property
    def matrix(self) -> Matrix:
        """The rotation matrix, three rows; it maps components in this frame to the frame it belongs to."""
        return matrix_from_rpy(self.rpy)

    @property
    def quaternion(self) -> Tuple[float, float, float, float]:
        """The unit quaternion (w, x, y, z) with w >= 0."""
        x, y, z, w = quaternion_from_matrix(self.matrix)
        return (w, x, y, z)

    @property
    def transform(self) -> Transform:
        """The pose as a rigid transform (rotation matrix, translation [m])."""
        return Transform(self.matrix, self.xyz)

    @classmethod
    def from_transform(cls, transform: Transform) -> "Pose":
        """Return the pose of a rigid transform."""
        return cls.from_matrix(transform.rotation, transform.translation)


def vector_of(values: Sequence[float]) -> Vector:
    """Return three numbers as a vector."""
    x, y, z = values
    return (x, y, z)
