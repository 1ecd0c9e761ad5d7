"""Poses of links and axes for the proof of pairs, with bounds of their errors; no code is shared with the search.

Sines and cosines are the nearest floats on every machine (`base/exact_trigonometry`), so that all errors can be
bounded, here in units of 2**-53, those of a rotation by the Frobenius norm. The error of a rotation from roll, pitch
and yaw is at most 18, from a quaternion 30, from an axis and an angle 34, of which 16 are those of the axis; a product
adds 10, and moving a point 8 times the farthest coordinate. A joint has two rotations, two products and two such
points: at most 100, and ROUNDING is more. The position of a joint, `factor * at + offset`, has an error of at most 3
times |factor * at| + |offset|, and the rotation of 1.5 times that.
"""
from fractions import Fraction
from math import fsum
from typing import List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..base.exact_trigonometry import cosine_sine
from ..urdf.lossless_xml import Element
from ..urdf.spatial import IDENTITY, IDENTITY_POSE, Matrix, Pose, Vector
from ..verify.raw_robot import numbers_of, RawJoint, RawRobot
from ..verify.rigid_motion import composed, quaternion_rotation, rotated

UNIT = 2.0 ** -53
ROUNDING = 128.0 * UNIT
PER_ANGLE = 8.0 * UNIT


class WayJoint(NamedTuple):
    """A joint on a way outward.

    Attributes:
        before: its pose in the frame of the joint before it.
        axis: in the frame of the joint.
        slides: it is prismatic.
        variable: the index of the variable that moves it; -1: it is fixed.
        factor, offset: its position is `factor * at + offset`.
    """

    before: Pose
    axis: Vector
    slides: bool
    variable: int
    factor: float
    offset: float


class Way(NamedTuple):
    """The joints from one link to another.

    Attributes:
        joints: from the first link outward.
        reach: a bound of all coordinates on it [m], for all positions within the ranges.
        error: a bound of the error of rotations; times a bound of the coordinates, that of positions.
    """

    joints: Tuple[WayJoint, ...]
    reach: float
    error: float


def exact_pose(origin: Optional[Element]) -> Pose:
    """Return the pose of xyz and rpy, or xyz and quat_xyzw, of an element."""
    if origin is None:
        return IDENTITY_POSE
    x, y, z = numbers_of(origin.get("xyz"), 3)
    quaternion = numbers_of(origin.get("quat_xyzw"), 4)
    if any(quaternion):
        return Pose(quaternion_rotation(quaternion), (x, y, z))
    (cr, sr), (cp, sp), (cy, sy) = map(cosine_sine, numbers_of(origin.get("rpy"), 3))
    return Pose(((cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
                 (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
                 (-sp, cp * sr, cp * cr)), (x, y, z))


def exact_turn(axis: Vector, angle: float) -> Matrix:
    """Return the rotation by an angle about an axis of length 1 (Rodrigues)."""
    x, y, z = axis
    c, s = cosine_sine(angle)
    t = 1.0 - c
    return ((t * x * x + c, t * x * y - s * z, t * x * z + s * y),
            (t * x * y + s * z, t * y * y + c, t * y * z - s * x),
            (t * x * z - s * y, t * y * z + s * x, t * z * z + c))


def placed(way: Way, at: Sequence[float]) -> Tuple[Pose, List[Tuple[Vector, Vector, WayJoint]]]:
    """Return the pose of the link at the end of a way in the frame of the first link, and the axes of its joints."""
    T = IDENTITY_POSE
    axes: List[Tuple[Vector, Vector, WayJoint]] = []
    for joint in way.joints:
        T = composed(T, joint.before)
        if joint.variable < 0:
            continue
        axes.append((rotated(T.rotation, joint.axis), T.translation, joint))
        position = joint.factor * at[joint.variable] + joint.offset
        x, y, z = joint.axis
        T = composed(T, Pose(IDENTITY, (position * x, position * y, position * z)) if joint.slides else Pose(
            exact_turn(joint.axis, position), (0.0, 0.0, 0.0)))
    return T, axes


def way_between(robot: RawRobot, start: str, end: str, variables: Mapping[str, float]) -> Optional[Way]:
    """Return the joints from one link to another, None if one is moved by another joint than the variables.

    These are given by their child links, in the order of their indices, with the largest position of each.
    """
    inward, outward = _upward(robot, start), _upward(robot, end)
    while inward and outward and inward[-1] is outward[-1]:
        inward.pop()
        outward.pop()
    joints: List[WayJoint] = []
    numbers, reach, error = list(variables), 0.0, 2.0 * ROUNDING
    for joint, forward in [*((joint, False) for joint in inward), *((joint, True) for joint in reversed(outward))]:
        child, factor, offset = mover(robot, joint)
        if joint.type != "fixed" and child not in variables:
            return None
        number = numbers.index(child) if joint.type != "fixed" else -1
        sign = 1.0 if forward else -1.0
        origin = exact_pose(joint.element.find("origin"))
        moves = WayJoint(origin if forward else IDENTITY_POSE, joint.axis, joint.type == "prismatic", number,
                         sign * factor, sign * offset)
        # Inward the motion comes first and then the origin, both inverted.
        joints += [moves] if forward else [moves, WayJoint(_inverse(origin), joint.axis, False, -1, 0.0, 0.0)]
        most = abs(factor) * variables[child] + abs(offset) if number >= 0 else 0.0
        reach += fsum(map(abs, origin.translation)) + (most if moves.slides else 0.0)
        error += 2.0 * ROUNDING + PER_ANGLE * most
    return Way(tuple(joints), 2.0 * reach, error)


def _upward(robot: RawRobot, link: str) -> List[RawJoint]:
    """Return the joints from a link to the root."""
    way: List[RawJoint] = []
    while link in robot.joints:
        way.append(robot.joints[link])
        link = way[-1].parent
    return way


def _inverse(T: Pose) -> Pose:
    (a, b, c), (d, e, f), (g, h, i) = T.rotation
    R: Matrix = ((a, d, g), (b, e, h), (c, f, i))
    x, y, z = rotated(R, T.translation)
    return Pose(R, (-x, -y, -z))


def mover(robot: RawRobot, joint: RawJoint) -> Tuple[str, float, float]:
    """Return the child of the joint that moves a joint, "" for none: position = factor * its position + offset."""
    factor, offset = Fraction(1), Fraction(0)
    for _ in range(len(robot.joints) + 1):
        if joint.mimic is None:
            return joint.child if joint.type != "fixed" else "", float(factor), float(offset)
        name, a, b = joint.mimic
        factor, offset = factor * Fraction(a), factor * Fraction(b) + offset
        if name not in robot.named:
            break
        joint = robot.named[name]
    return "", float(factor), float(offset)
