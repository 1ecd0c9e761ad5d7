"""Where the proof of pairs has links and axes, and how far off these may be; nothing of it is shared with the search.

Sines and cosines are the nearest floats on every machine (`base/exact_trigonometry`), so that all errors can be
counted, here in units of 2**-53, those of a rotation by the Frobenius norm. Roll, pitch and yaw make a rotation that is
off by 18, a quaternion by 30, an axis and an angle by 34, of which 16 are those of the axis; a product adds 10, and a
point that is moved 8 times the farthest coordinate. A joint has two rotations, two products and two such points: at
most 100, and ROUNDING is more. The position of a joint, `factor * at + offset`, is off by at most 3 of |factor * at| +
|offset|, and the rotation by 1.5 of that.
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
        before: what is in front of it.
        axis: in the frame there.
        slides: it is prismatic.
        variable: the number of what moves it; -1: it is fixed.
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
        reach: a bound of all coordinates on it [m], positions being within their ranges.
        error: how far off rotations are at most; times a bound of the coordinates, how far off places are.
    """

    joints: Tuple[WayJoint, ...]
    reach: float
    error: float


def exact_pose(origin: Optional[Element]) -> Pose:
    """Return what xyz and rpy, or xyz and quat_xyzw, of an element mean."""
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
    """Return where the link at the end of a way is, and the axes of its joints, from the first link outward."""
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
    """Return the joints from one link to another, None where one is moved by another joint than the variables.

    These are given by the links below them, in the order of their numbers, with the largest position of each.
    """
    inward, outward = _upward(robot, start), _upward(robot, end)
    while inward and outward and inward[-1] is outward[-1]:
        inward.pop()
        outward.pop()
    found: List[WayJoint] = []
    numbers, reach, error = list(variables), 0.0, 2.0 * ROUNDING
    for joint, forward in [*((one, False) for one in inward), *((one, True) for one in reversed(outward))]:
        child, factor, offset = mover(robot, joint)
        if joint.type != "fixed" and child not in variables:
            return None
        number = numbers.index(child) if joint.type != "fixed" else -1
        sign = 1.0 if forward else -1.0
        origin = exact_pose(joint.element.find("origin"))
        moves = WayJoint(origin if forward else IDENTITY_POSE, joint.axis, joint.type == "prismatic", number,
                         sign * factor, sign * offset)
        found += [moves] if forward else [moves, WayJoint(_inverse(origin), joint.axis, False, -1, 0.0, 0.0)]
        most = abs(factor) * variables[child] + abs(offset) if number >= 0 else 0.0
        reach += fsum(map(abs, origin.translation)) + (most if moves.slides else 0.0)
        error += 2.0 * ROUNDING + PER_ANGLE * most
    return Way(tuple(found), 2.0 * reach, error)


def _upward(robot: RawRobot, link: str) -> List[RawJoint]:
    """Return the joints from a link to the root."""
    found: List[RawJoint] = []
    while link in robot.joints:
        found.append(robot.joints[link])
        link = found[-1].parent
    return found


def _inverse(T: Pose) -> Pose:
    (a, b, c), (d, e, f), (g, h, i) = T.rotation
    R: Matrix = ((a, d, g), (b, e, h), (c, f, i))
    x, y, z = rotated(R, T.translation)
    return Pose(R, (-x, -y, -z))


def mover(robot: RawRobot, joint: RawJoint) -> Tuple[str, float, float]:
    """Return which joint moves a joint, by its child: position = factor * that + offset; "" for none."""
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
