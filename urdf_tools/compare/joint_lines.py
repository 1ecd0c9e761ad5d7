"""Lines of joints: their distance, the smallest motion from one line to another, and turns about them."""

from __future__ import annotations

from typing import Tuple

from ..base.exact_trigonometry import arctangent, cosine_sine
from ..base.record_type import Record
from ..robot.rigid_bodies import CanonicalJoint, SLIDES, TURNS
from ..robot.joint_motion import turn_at
from ..urdf.spatial_math import (
    add,
    cross,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    Matrix,
    move,
    norm,
    Transform,
    rotate,
    rotation_about,
    scale,
    subtract,
    Vector,
    ZERO,
)

# M, rad: from here on a line is elsewhere. Of 754 joints of pairs of public robots 700 lines are less than 1e-6 m
# apart, and 53 more than 1e-4 m; nearly all agree to 3e-5 rad.
LENGTH = 3e-4
ANGLE = 2e-3
TILTED = 1e-3  # rad: lines nearer to parallel are compared at the anchor
FAR = 2.0  # m: beyond this distance from the anchor, the nearest points of lines are not used
OPPOSITE = 1e-9  # the sine up to which the product of two directions has no direction of its own


class LineCorrection(Record):
    """The smallest motion that lays a line on another line: a turn [rad] at their nearest points, and the gap there
    [m].

    Attributes:
        across: the length of the gap, and the shift of the anchor by the turn: for the bound.
    """

    pose: Transform
    across: float
    turn: float
    gap: Vector = ZERO


NO_CORRECTION = LineCorrection(IDENTITY_POSE, 0.0, 0.0)


def turn_onto(a: Vector, b: Vector) -> Tuple[Matrix, float]:
    """Return the smallest rotation from one direction of length 1 to another, and its angle."""
    if a == b:
        return IDENTITY, 0.0
    across = cross(a, b)
    length = norm(across)
    angle = arctangent(length, dot(a, b))
    if angle == 0.0:
        return IDENTITY, 0.0
    # Opposite directions: a half turn about any direction across lays one on the other.
    if length < OPPOSITE and dot(a, b) < 0.0:
        # The helper is at least 45 degrees from the axis, so that the product is not near zero.
        across = cross(a, (1.0, 0.0, 0.0) if abs(a[0]) < 0.7 else (0.0, 1.0, 0.0))
        length = norm(across)
    return rotation_about(scale(1.0 / length, across), angle), angle


def rejection(v: Vector, axis: Vector) -> Vector:
    """Return the part of a vector that is perpendicular to a direction of length 1."""
    return subtract(v, scale(dot(v, axis), axis))


def foot(point: Vector, on: Vector, axis: Vector) -> Vector:
    """Return the point of the line through `on` that is next to a point."""
    return add(on, scale(dot(axis, subtract(point, on)), axis))


def correction(Y: Transform, a: CanonicalJoint, b: CanonicalJoint, sign: float) -> LineCorrection:
    """Return the motion that lays the line of joint `a`, moved by Y, its axis times `sign`, on the line of `b`.

    A prismatic joint has only a direction; a ball joint only a point, a floating joint neither.
    """
    if b.motion == "floating" or a.motion == "floating":
        return NO_CORRECTION
    axis = rotate(Y.rotation, a.axis)
    if sign < 0.0:
        axis = (-axis[0], -axis[1], -axis[2])
    anchor = move(Y, a.anchor)
    if b.motion == "ball":
        moved = subtract(b.anchor, anchor)
        return LineCorrection(Transform(IDENTITY, moved), norm(moved), 0.0, moved)
    R, angle = turn_onto(axis, b.axis)
    # A slide has no point that could be elsewhere.
    if b.motion != TURNS or a.motion != TURNS:
        return LineCorrection(turn_at(R, b.anchor), 0.0, angle)
    # The nearest points of nearly parallel lines are arbitrary, so the anchor is used.
    on_b = _nearest(b.anchor, b.axis, anchor, axis) if angle > TILTED else b.anchor
    near = foot(on_b, anchor, axis)
    gap = subtract(on_b, near)
    if gap == ZERO and R is IDENTITY:
        return NO_CORRECTION
    # The turn is about the nearest points of the lines, and moves the anchor, too.
    across = norm(gap) + (
        2.0 * cosine_sine(0.5 * angle)[1] * norm(subtract(on_b, b.anchor))
        if angle > TILTED
        else 0.0
    )
    return LineCorrection(Transform(R, subtract(on_b, rotate(R, near))), across, angle, gap)


def _nearest(point: Vector, axis: Vector, other: Vector, other_axis: Vector) -> Vector:
    """Return the point of a line that is closest to another line, `point` if that is far away."""
    normal = cross(axis, other_axis)
    square = dot(normal, normal)
    along = (
        dot(cross(subtract(other, point), other_axis), normal) / square if square > 1e-12 else 0.0
    )
    return add(point, scale(along, axis)) if abs(along) < FAR else point


def sense(Y: Transform, a: CanonicalJoint, b: CanonicalJoint) -> float:
    """Return 1 if the axis of a joint, moved by Y, points along the axis of its partner, else -1."""
    return 1.0 if dot(rotate(Y.rotation, a.axis), b.axis) >= 0.0 else -1.0


def slides_along(hinge: CanonicalJoint, slide: CanonicalJoint) -> bool:
    """Return True if a slide goes along the axis of a hinge: it does not show turns about that axis."""
    return (hinge.motion, slide.motion) == (TURNS, SLIDES) and norm(
        cross(hinge.axis, slide.axis)
    ) < TILTED
