"""The rotations and rigid motions of the proof. No other room uses them, so that an error elsewhere is detected.

`R_a_b` maps directions of frame b into frame a, `T_a_b` points. Angles are in radians, lengths in meters.
"""

from __future__ import annotations

import math
from typing import Sequence, Tuple

from ..urdf.spatial_math import Matrix, IDENTITY, Transform, Vector


def quaternion_rotation(quaternion: Sequence[float]) -> Matrix:
    """Return the rotation of a quaternion x, y, z, w of any length: 1 + 2 w [u] + 2 [u][u], [u] the cross product."""
    # Scaled first, because the square of 1e-200 is 0.
    largest = max(map(abs, quaternion))
    x, y, z, w = [part / largest for part in quaternion]
    double = 2.0 / (x * x + y * y + z * z + w * w)
    p, q, r, t = double * x, double * y, double * z, double * w
    first = (1.0 - q * y - r * z, p * y - t * z, p * z + t * y)
    second = (p * y + t * z, 1.0 - p * x - r * z, q * z - t * x)
    third = (p * z - t * y, q * z + t * x, 1.0 - p * x - q * y)
    return (first, second, third)


def axis_rotation(axis: Vector, angle: float) -> Matrix:
    """Return the rotation by `angle` about an axis of length 1."""
    if angle == 0.0:
        return IDENTITY
    half = math.sin(0.5 * angle)
    return quaternion_rotation(
        (half * axis[0], half * axis[1], half * axis[2], math.cos(0.5 * angle))
    )


def rpy_rotation(roll: float, pitch: float, yaw: float) -> Matrix:
    """Return the rotation of URDF's rpy: by roll about x, then pitch about y, then yaw about z, all fixed axes."""
    x, y, z = IDENTITY
    return product(axis_rotation(z, yaw), product(axis_rotation(y, pitch), axis_rotation(x, roll)))


def rotated(R: Matrix, v: Vector) -> Vector:
    """Return R v."""
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = v
    return (a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)


def product(A: Matrix, B: Matrix) -> Matrix:
    """Return A B."""
    if A is IDENTITY:
        return B
    if B is IDENTITY:
        return A
    # Row i of A B is B^T times row i of A.
    (a, b, c), (d, e, f), (g, h, i) = B
    columns = ((a, d, g), (b, e, h), (c, f, i))
    return (rotated(columns, A[0]), rotated(columns, A[1]), rotated(columns, A[2]))


def transform_point(T: Transform, point: Vector) -> Vector:
    """Return T_a_b applied to a point of frame b."""
    x, y, z = rotated(T.rotation, point)
    u, v, w = T.translation
    return (x + u, y + v, z + w)


def composed(T_a_b: Transform, T_b_c: Transform) -> Transform:
    """Return T_a_c."""
    return Transform(
        product(T_a_b.rotation, T_b_c.rotation), transform_point(T_a_b, T_b_c.translation)
    )


def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def angle_between_rotations(A: Matrix, B: Matrix) -> float:
    """Return the angle of the rotation from A to B: |A - B| is 2 sqrt 2 sin(angle / 2)."""
    if A is B:
        return 0.0
    return 2.0 * math.asin(
        min(1.0, math.dist(A[0] + A[1] + A[2], B[0] + B[1] + B[2]) / math.sqrt(8.0))
    )


def pose_error(T: Transform, other: Transform) -> Tuple[float, float]:
    """Return the distance [m] and the angle [rad] between two poses."""
    return math.dist(T.translation, other.translation), angle_between_rotations(
        T.rotation, other.rotation
    )
