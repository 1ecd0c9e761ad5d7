"""Rotations, poses and spatial inertia: pure functions on tuples of floats.

`R_a_b` maps the components of a vector from frame b to frame a, `T_a_b` the coordinates of a point; in a product,
adjacent letters cancel: `R_world_child = multiply(R_world_parent, R_parent_child)`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Dict, Iterable, Sequence, Tuple

from ..base.exact_trigonometry import arctangent, cosine_sine, HALF_PI, PI
from ..base.record_type import Record

Vector = Tuple[float, float, float]
Matrix = Tuple[Vector, Vector, Vector]

ZERO: Vector = (0.0, 0.0, 0.0)
UNIT_AXES: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
IDENTITY: Matrix = UNIT_AXES
ZERO_INERTIA: Matrix = (ZERO, ZERO, ZERO)
# Computed angles are multiples of 1e-13 rad: further digits are rounding error.
ANGLE_DECIMALS = 13
HALF_TURN = round(PI, ANGLE_DECIMALS)
QUARTER_TURN = round(HALF_PI, ANGLE_DECIMALS)


class Transform(Record):
    """A rigid transform `T_a_b`: `rotation` is R_a_b, `translation` the origin of b in a [m]."""

    rotation: Matrix
    translation: Vector


Poses = Dict[str, Transform]  # of links or frames, by name


class MassProperties(Record):
    """Mass [kg], center of mass [m] and the inertia tensor about this center [kg m^2], in the axes of one frame."""

    mass: float
    center: Vector
    inertia: Matrix


IDENTITY_POSE = Transform(IDENTITY, ZERO)


def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(factor: float, v: Vector) -> Vector:
    """Return factor * v."""
    return (factor * v[0], factor * v[1], factor * v[2])


def norm(v: Vector) -> float:
    """Return the Euclidean length."""
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def unit(v: Vector) -> Vector:
    """Return v at length 1; v must not be zero (scaled first, so that 1e-200 does not underflow)."""
    largest = max(abs(v[0]), abs(v[1]), abs(v[2]))
    v = (v[0] / largest, v[1] / largest, v[2] / largest)
    return scale(1.0 / norm(v), v)


def angle_between(a: Vector, b: Vector) -> float:
    """Return the angle between two directions [rad], exact for small angles too."""
    return arctangent(norm(cross(a, b)), dot(a, b))


def multiply(A: Matrix, B: Matrix) -> Matrix:
    """Return the matrix product A B."""
    (a, b, c), (d, e, f), (g, h, i) = B
    first, second, third = [
        (x * a + y * d + z * g, x * b + y * e + z * h, x * c + y * f + z * i) for x, y, z in A
    ]
    return first, second, third


def transpose(A: Matrix) -> Matrix:
    """Return A with rows and columns exchanged: the inverse of a rotation."""
    (a, b, c), (d, e, f), (g, h, i) = A
    return ((a, d, g), (b, e, h), (c, f, i))


def rotate(R: Matrix, v: Vector) -> Vector:
    """Turn a direction, which is not affected by a translation."""
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = v
    return (a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)


def move(T: Transform, point: Vector) -> Vector:
    """Map a point given in frame b to frame a."""
    return add(rotate(T.rotation, point), T.translation)


def compose(T_a_b: Transform, T_b_c: Transform) -> Transform:
    """Return T_a_c."""
    R_a_b, (u, v, w) = T_a_b
    R_b_c, (x, y, z) = T_b_c
    (a, b, c), (d, e, f), (g, h, i) = R_a_b
    return Transform(
        multiply(R_a_b, R_b_c),
        (a * x + b * y + c * z + u, d * x + e * y + f * z + v, g * x + h * y + i * z + w),
    )


def inverse(T_a_b: Transform) -> Transform:
    """Return T_b_a."""
    R_b_a = transpose(T_a_b.rotation)
    return Transform(R_b_a, scale(-1.0, rotate(R_b_a, T_a_b.translation)))


def matrix_from_rpy(rpy: Vector) -> Matrix:
    """Return Rz(yaw) Ry(pitch) Rx(roll): rotations about the fixed axes x, y, z in turn, as URDF defines rpy [rad]."""
    # `+ 0.0` turns -0.0 into 0.0.
    return _turned(rpy[0] + 0.0, rpy[1] + 0.0, rpy[2] + 0.0) if rpy != ZERO else IDENTITY


@lru_cache(maxsize=65536)
def _turned(roll: float, pitch: float, yaw: float) -> Matrix:
    """Return the matrix of three angles, cached because CAD uses few different orientations."""
    (cr, sr), (cp, sp), (cy, sy) = map(cosine_sine, (roll, pitch, yaw))
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def matrix_from_quaternion(quaternion: Sequence[float]) -> Matrix:
    """Return the rotation of a quaternion x, y, z, w of any nonzero length."""
    largest = max(map(abs, quaternion))
    # Scaled first, because the square of 1e-200 is 0.
    x, y, z, w = [component / largest for component in quaternion]
    length = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / length, y / length, z / length, w / length
    first = (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w))
    second = (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w))
    third = (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))
    return (first, second, third)


def rpy_from_matrix(R: Matrix) -> Vector:
    """Return the rpy [rad] of a rotation, pitch in [-pi/2, pi/2].

    The roll is computed after the yaw has been undone, so the product of the three is R at any pitch, to 1e-13. At
    gimbal lock (pitch +-pi/2) only yaw -+ roll is defined, and the yaw is set to 0. A half turn is +pi.
    """
    cos_pitch = math.sqrt(R[0][0] * R[0][0] + R[1][0] * R[1][0])
    pitch = _rounded_angle(-R[2][0], cos_pitch)
    yaw = _rounded_angle(R[1][0], R[0][0]) if cos_pitch > 1e-12 else 0.0
    c, s = cosine_sine(yaw)
    roll = _rounded_angle(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return (roll, pitch, yaw)


def _rounded_angle(y: float, x: float) -> float:
    """Return the angle of the point (x, y), snapped to the axes and rounded."""
    # Most angles are along an axis, and need no arctangent.
    if abs(y) <= 1e-14 * abs(x):
        return HALF_TURN if x < 0.0 else 0.0
    if abs(x) <= 1e-14 * abs(y):
        return math.copysign(QUARTER_TURN, y)
    angle = round(arctangent(y, x), ANGLE_DECIMALS) + 0.0
    return HALF_TURN if angle == -HALF_TURN else angle


def rotation_about(axis: Vector, angle: float) -> Matrix:
    """Return the rotation by `angle` [rad] about a unit axis (Rodrigues' formula)."""
    x, y, z = axis
    c, s = cosine_sine(angle)
    t = 1.0 - c
    first = (t * x * x + c, t * x * y - s * z, t * x * z + s * y)
    second = (t * x * y + s * z, t * y * y + c, t * y * z - s * x)
    third = (t * x * z - s * y, t * y * z + s * x, t * z * z + c)
    return (first, second, third)


def rotation_angle(R_a: Matrix, R_b: Matrix) -> float:
    """Return the angle of the rotation from one orientation to the other [rad].

    For two rotations the Frobenius norm of the difference is 2 sqrt(2) sin(angle / 2).
    """
    x, y, z = map(subtract, R_a, R_b)
    squares = dot(x, x) + dot(y, y) + dot(z, z)
    sine = min(1.0, math.sqrt(squares / 8.0))
    # `arctangent` gives the same bits on every machine, an arcsine does not.
    return 2.0 * arctangent(sine, math.sqrt((1.0 - sine) * (1.0 + sine)))


def add_matrices(A: Matrix, B: Matrix) -> Matrix:
    """Return A + B."""
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


def largest_entry(A: Matrix) -> float:
    """Return the largest absolute entry."""
    return max(max(map(abs, row)) for row in A)


def rotate_inertia(R_a_b: Matrix, inertia: Matrix) -> Matrix:
    """Express a tensor given in the axes of b in the axes of a: R I R^T."""
    if R_a_b is IDENTITY:
        return inertia
    return multiply(multiply(R_a_b, inertia), transpose(R_a_b))


def inertia_of_point(mass: float, offset: Vector) -> Matrix:
    """Return the tensor of a point mass at `offset` from the point of reference: m (|d|^2 1 - d d^T)."""
    x, y, z = offset
    xy, xz, yz = -mass * x * y, -mass * x * z, -mass * y * z
    return (
        (mass * (y * y + z * z), xy, xz),
        (xy, mass * (x * x + z * z), yz),
        (xz, yz, mass * (x * x + y * y)),
    )


def move_mass(T_a_b: Transform, part: MassProperties) -> MassProperties:
    """Express mass properties given in frame b in frame a."""
    return MassProperties(
        part.mass, move(T_a_b, part.center), rotate_inertia(T_a_b.rotation, part.inertia)
    )


def merge_mass(parts: Iterable[MassProperties]) -> MassProperties:
    """Combine the mass properties, all given in one frame, of the parts of a rigid group.

    Center of mass: the weighted mean. Tensor: the sum of the parts' tensors and their parallel-axis terms (Steiner)
    about the common center. A part without mass still adds its tensor; without any mass the center is the origin.
    """
    parts = tuple(parts)
    if len(parts) == 1:
        return parts[0]
    mass = math.fsum(part.mass for part in parts)  # fsum: the order of the parts does not matter
    center = ZERO
    if mass > 0.0:
        x, y, z = (math.fsum(part.mass * part.center[k] for part in parts) / mass for k in range(3))
        center = (x, y, z)
    inertia = ZERO_INERTIA
    for part in parts:
        steiner = inertia_of_point(part.mass, subtract(part.center, center))
        inertia = add_matrices(inertia, add_matrices(part.inertia, steiner))
    return MassProperties(mass, center, inertia)


def why_not_physical(mass: float, inertia: Matrix) -> str:
    """Return the reason why no real body has this mass and tensor, or "".

    A tensor belongs to a distribution of mass if and only if `trace(I)/2 1 - I` is positive semidefinite (Wensing, Kim
    and Slotine 2018); this includes the triangle inequality A + B >= C of the principal moments. The tolerance allows
    for six printed digits.
    """
    half_trace = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2])
    if mass <= 0.0:
        return "mass is zero, inertia is not" if largest_entry(inertia) > 0.0 else ""
    if largest_entry(inertia) == 0.0:
        return "inertia is zero"
    if min(inertia[0][0], inertia[1][1], inertia[2][2]) < 0.0:
        return "a moment of inertia is negative"
    (a, d, e), (_, b, f), (_, _, c) = inertia
    second = ((half_trace - a, -d, -e), (-d, half_trace - b, -f), (-e, -f, half_trace - c))
    if not is_semidefinite(second, 1e-5 * largest_entry(inertia)):
        return "not physical: the principal moments violate A + B >= C"
    return ""


def is_semidefinite(M: Matrix, tolerance: float) -> bool:
    """Return True if no eigenvalue of a symmetric matrix is below -tolerance.

    By Sylvester's criterion, this holds if all principal minors of M + tolerance 1 are at least 0.
    """
    (a, b, c), (_, e, f), (_, _, i) = M
    a, e, i = a + tolerance, e + tolerance, i + tolerance
    determinant = a * (e * i - f * f) - b * (b * i - f * c) + c * (b * f - e * c)
    return min(a, e, i, a * e - b * b, a * i - c * c, e * i - f * f, determinant) >= 0.0
