"""Candidates for the zero of a joint: turns (or shifts) that lay its child body on the partner."""

from __future__ import annotations

from math import atan2, pi
from typing import Iterator, List, Optional, Sequence, Tuple

from ..base.record_type import Record
from ..robot.rigid_bodies import Body, BodyMass, CanonicalJoint, moved_mass, SLIDES, TURNS
from ..urdf.spatial_math import (
    add,
    cross,
    dot,
    move,
    norm,
    Transform,
    rotate,
    scale,
    subtract,
    transpose,
    Vector,
)
from .body_fit import both_masses, FramePair, LinePair, MESH
from .joint_differences import range_of
from .joint_lines import rejection

STEP = pi / 12.0  # 15 degrees: a step that people write
ROUND_STROKE = 0.01  # m: the same for a slide
# For a zero this near to a round one the round one is tried, too: an author may have typed it.
NEXT_TO_ROUND = 2e-5  # rad
NEXT_TO_STROKE = 1e-5  # m
# M from the axis, part of a tensor: from here on a feature is evidence for the zero.
OFF_AXIS = 1e-4
# Chosen: a direction counts if it is more than 1e-3 (sine, or part of the largest moment) off the axis or off round.
# Tensors and axes are often written with three or four digits: below 1e-3 their rounding could decide the direction.
LOPSIDED = 1e-3
MEETS = 5e-3  # m: axes that are nearer may be intended to meet
FRAMES_TRIED = 4  # frames of equal name that imply a zero: each zero costs a fit of the bodies


class ZeroCandidate(Record):
    """A candidate: a zero [rad or m, from as drawn], and the shift of a body along the axis that goes with it [m]."""

    zero: float
    along: float = 0.0


class AxisFrame(Record):
    """An axis and two directions across it, all orthogonal and of length 1, to measure angles about the axis."""

    axis: Vector
    first: Vector
    second: Vector

    def angle(self, v: Vector) -> float:
        """Return the angle of a direction about the axis."""
        return atan2(dot(v, self.second), dot(v, self.first))

    def zero(self, v: Vector, other: Vector) -> ZeroCandidate:
        """Return the zero at which two directions are at the same angle about the axis."""
        return ZeroCandidate(wrapped(self.angle(v) - self.angle(other)))


def across(axis: Vector) -> AxisFrame:
    """Return an axis of length 1 with two directions across it."""
    # At least 45 degrees from the axis, so that the product is not near zero.
    helper = (1.0, 0.0, 0.0) if abs(axis[0]) < 0.7 else (0.0, 1.0, 0.0)
    first = cross(axis, helper)
    first = scale(1.0 / norm(first), first)
    return AxisFrame(axis, first, cross(axis, first))


def zero_candidates(
    Y: Transform,
    joint: CanonicalJoint,
    children: Sequence[LinePair],
    bodies: Tuple[Body, Body],
    frames: Sequence[FramePair],
) -> List[ZeroCandidate]:
    """Return the candidates for the zero of B's `joint`; Y is the Y of its child at zero 0.

    Args:
        children: pairs of joints on the body; bodies: of A and B; frames: pairs of equal name.
    """
    if joint.motion == SLIDES:
        zeros = list(_shifts(Y, joint, children, bodies, frames))
    elif joint.motion == TURNS:
        zeros = [
            *_by_lines(Y, joint, children),
            *_by_inertia(Y, joint, bodies),
            *_by_frames(Y, joint, frames),
        ]
    else:
        return [ZeroCandidate(0.0)]
    return _distinct([*zeros, *[near for zero in zeros for near in _rounded(zero, joint.motion)]])


def _rounded(zero: ZeroCandidate, motion: str) -> Iterator[ZeroCandidate]:
    """Yield the round zero next to a zero, if it is very near."""
    step, most = (STEP, NEXT_TO_ROUND) if motion == TURNS else (ROUND_STROKE, NEXT_TO_STROKE)
    round_zero = round(zero.zero / step) * step
    if abs(round_zero - zero.zero) < most:
        yield ZeroCandidate(round_zero, zero.along)


def _distinct(zeros: Sequence[ZeroCandidate]) -> List[ZeroCandidate]:
    """Return the zeros without those that are next to an earlier one: each costs a fit of the bodies."""
    distinct: List[ZeroCandidate] = []
    for zero in zeros:
        if all(
            abs(zero.zero - other.zero) > 1e-7 or abs(zero.along - other.along) > 1e-5
            for other in distinct
        ):
            distinct.append(zero)
    return distinct


def _by_lines(
    Y: Transform, joint: CanonicalJoint, children: Sequence[LinePair]
) -> Iterator[ZeroCandidate]:
    """Yield zeros by the common normals of the axis with other axes, or by the directions of axes that meet it."""
    frame = across(joint.axis)
    for a, b in children:
        if "floating" in (a.motion, b.motion):
            continue
        first = _normal(frame, joint.anchor, move(Y, a.anchor), rotate(Y.rotation, a.axis))
        second = _normal(frame, joint.anchor, b.anchor, b.axis)
        for n, m in ((first.normal, second.normal), (first.direction, second.direction)):
            if n is None or m is None:
                continue
            turn = frame.zero(n, m).zero
            along = (
                second.foot - first.foot
                if first.foot is not None and second.foot is not None
                else 0.0
            )
            # A common normal points from the axis to the line; a line itself has no sense.
            for zero in (turn,) if n is first.normal else (turn, wrapped(turn + pi)):
                yield ZeroCandidate(zero)
                if abs(along) > 1e-6:
                    yield ZeroCandidate(zero, along)


class CommonNormal(Record):
    """The relation of a line to an axis: the common normal (None if they meet), the line's direction across the axis.

    `foot` is where the normal leaves the axis; `direction` is None for parallel lines.
    """

    normal: Optional[Vector]
    direction: Optional[Vector]
    foot: Optional[float]


def _normal(frame: AxisFrame, on_axis: Vector, point: Vector, direction: Vector) -> CommonNormal:
    """Return the relation of a line to an axis."""
    u = frame.axis
    between = subtract(point, on_axis)
    normal = cross(u, direction)
    sine = norm(normal)
    if sine < LOPSIDED:
        away = rejection(between, u)
        return CommonNormal(away if norm(away) > OFF_AXIS else None, None, None)
    distance = dot(between, normal) / sine
    # To the nearest point, along the line.
    along = -dot(between, direction) + dot(between, u) * dot(u, direction)
    nearest = add(point, scale(along / (sine * sine), direction))
    flat = rejection(direction, u)
    return CommonNormal(
        scale(distance / sine, normal) if abs(distance) > OFF_AXIS else None,
        flat if abs(distance) < MEETS else None,
        dot(subtract(nearest, on_axis), u),
    )


def _by_inertia(
    Y: Transform, joint: CanonicalJoint, bodies: Tuple[Body, Body]
) -> Iterator[ZeroCandidate]:
    """Yield zeros by the center of mass, by the products of inertia with the axis, and by the moments across it.

    Each of them is evidence only if it is clearly off the axis in both bodies. Without both masses nothing is yielded.
    """
    pair = both_masses(*bodies)
    if pair is None:
        return
    frame = across(joint.axis)
    masses = (moved_mass(Y, pair[0]), pair[1])
    centers = [rejection(subtract(mass.center, joint.anchor), joint.axis) for mass in masses]
    if min(map(norm, centers)) > OFF_AXIS:
        yield frame.zero(*centers)
    # The products of inertia with the axis form a direction across it, which turns with the body.
    products = [rejection(rotate(mass.tensor, joint.axis), joint.axis) for mass in masses]
    if all(norm(v) > LOPSIDED * _size(mass) for v, mass in zip(products, masses)):
        yield frame.zero(*products)
    angles = [_long_side(frame, mass) for mass in masses]
    if angles[0] is not None and angles[1] is not None:
        turn = wrapped(angles[0] - angles[1])
        yield ZeroCandidate(turn)
        # A principal axis has no sense: a further half turn fits as well.
        yield ZeroCandidate(wrapped(turn + pi))


def _size(mass: BodyMass) -> float:
    """Return the largest diagonal entry of a tensor [kg m^2]."""
    return max(mass.tensor[0][0], mass.tensor[1][1], mass.tensor[2][2])


def _long_side(frame: AxisFrame, mass: BodyMass) -> Optional[float]:
    """Return the angle of the principal axis across the axis, None if the body is round."""
    along, other = rotate(mass.tensor, frame.first), rotate(mass.tensor, frame.second)
    xx, yy, xy = dot(along, frame.first), dot(other, frame.second), dot(along, frame.second)
    if abs(xx - yy) + abs(xy) < LOPSIDED * _size(mass):
        return None
    # The angle of the principal axes of a symmetric 2 x 2 matrix.
    return 0.5 * atan2(2.0 * xy, xx - yy)


def _by_frames(
    Y: Transform, joint: CanonicalJoint, frames: Sequence[FramePair]
) -> Iterator[ZeroCandidate]:
    """Yield zeros by positions and directions of frames of equal name."""
    frame = across(joint.axis)
    for mark, partner in frames[:FRAMES_TRIED]:
        offsets = [
            rejection(subtract(point, joint.anchor), joint.axis)
            for point in (
                move(Y, mark.T_root_frame.translation),
                partner.T_root_frame.translation,
            )
        ]
        if min(map(norm, offsets)) > OFF_AXIS:
            yield frame.zero(*offsets)
        if mark.kind != MESH:
            continue
        axes = zip(transpose(mark.T_root_frame.rotation), transpose(partner.T_root_frame.rotation))
        # Among x, y and z the axis that is most across the joint: its angle is known best.
        axis, other = min(axes, key=lambda pair: abs(dot(pair[1], joint.axis)))
        yield frame.zero(rotate(Y.rotation, axis), other)


def _shifts(
    Y: Transform,
    joint: CanonicalJoint,
    children: Sequence[LinePair],
    bodies: Tuple[Body, Body],
    frames: Sequence[FramePair],
) -> Iterator[ZeroCandidate]:
    """Yield zeros of a prismatic joint [m]: the offset of its child along the axis."""
    for a, b in children:
        if b.motion != TURNS:
            continue
        # A line sliding along itself is invisible: only the part across it shows the offset.
        free = rejection(joint.axis, b.axis)
        if norm(free) > LOPSIDED:
            off = subtract(move(Y, a.anchor), b.anchor)
            yield ZeroCandidate(dot(off, free) / dot(free, free))
    masses = both_masses(*bodies)
    if masses is not None:
        yield ZeroCandidate(dot(subtract(move(Y, masses[0].center), masses[1].center), joint.axis))
    for mark, partner in frames[:FRAMES_TRIED]:
        off = subtract(move(Y, mark.T_root_frame.translation), partner.T_root_frame.translation)
        yield ZeroCandidate(dot(off, joint.axis))


def wrapped(angle: float) -> float:
    """Return an angle in (-pi, pi]."""
    turn = (angle + pi) % (2.0 * pi) - pi
    # Rounding must not turn a half turn into -180 degrees.
    return pi if turn <= -pi + 1e-9 else turn


def by_limits(a: CanonicalJoint, b: CanonicalJoint, sign: float) -> Optional[float]:
    """Return the zero at which the middles of the limits meet, None if a joint has no two limits."""
    first, second = range_of(a.raw), range_of(b.raw)
    if None in first or None in second:
        return None
    middle = sign * 0.5 * (first[0] + first[1])  # type: ignore[operator]
    offset = 0.5 * (second[0] + second[1]) - middle  # type: ignore[operator]
    return offset - b.raw.reference + sign * a.raw.reference


def nearest_turn(zero: float, a: CanonicalJoint, b: CanonicalJoint, sign: float) -> float:
    """Return the zero with the number of whole turns for which the middles of the limits are nearest."""
    wanted = by_limits(a, b, sign)
    if wanted is None or b.motion != TURNS:
        return zero
    return zero + 2.0 * pi * round((wanted - zero) / (2.0 * pi))
