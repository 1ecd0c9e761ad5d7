"""Angles that were typed with too few digits, such as 1.57 for pi/2: one cause of many small differences.

A robot is compared once more with the angles that are meant. What is gone then had that cause, which is said once.
"""
from math import asin, atan2, floor, gcd, pi
from typing import Dict, List, NamedTuple, Tuple

from ..urdf.spatial import IDENTITY, Matrix, Pose, transpose
from ..verify.rigid_motion import product
from .reading import rotation_of_rpy
from .records import RawJoint, RawLink, RawMass, RawRobot, RawShape
from .tensors import rotated_tensor

TWELFTHS = range(1, 25)  # of pi: 15 degrees up to two turns
DIGITS = (1, 2, 3, 4)
SEEN, NOT_MEANT = 1e-5, 0.01  # rad: a constant that is nearer to what it is for is as good, a farther one is another
AS_TYPED = 1e-9  # rad: an angle that is this near to a constant was typed so


class Typed(NamedTuple):
    """A constant: as it is typed, and what it is for."""

    text: str
    meant: str


class Found(NamedTuple):
    """How often a constant is in a file, and the line of the first."""

    times: int
    line: int


class Meant(NamedTuple):
    """A robot with the angles that are meant, and the constants that are typed for them."""

    robot: RawRobot
    typed: Dict[Typed, Found]


def _constants() -> Dict[float, Tuple[Typed, float]]:
    """Return by the number that is typed what it is called, and the angle that is meant."""
    found: Dict[float, Tuple[Typed, float]] = {}
    for count in TWELFTHS:
        value, common = pi * count / 12.0, gcd(count, 12)
        times, part = count // common, 12 // common
        name = ("" if times == 1 else f"{times} ") + "pi" + ("" if part == 1 else f"/{part}")
        for digits in DIGITS:
            for typed in (round(value, digits), floor(value * 10 ** digits) / 10 ** digits):
                if SEEN < abs(typed - value) < NOT_MEANT:
                    found.setdefault(typed, (Typed(f"{typed:g}", name), value))
    return found


CONSTANTS = _constants()


def as_meant(robot: RawRobot) -> Meant:
    """Return a robot with the angles of all its frames as they are meant."""
    typed: Dict[Typed, Found] = {}

    def meant(T: Pose, line: int) -> Pose:
        R = _meant_rotation(T.rotation, line, typed)
        return T if R is T.rotation else Pose(R, T.translation)

    def of_mass(mass: RawMass) -> RawMass:
        T = meant(mass.T_link_inertial, mass.line)
        turn = product(T.rotation, transpose(mass.T_link_inertial.rotation)) if T is not mass.T_link_inertial else (
            IDENTITY)
        return mass._replace(T_link_inertial=T, tensor=rotated_tensor(turn, mass.tensor))

    def of_shape(shape: RawShape) -> RawShape:
        return shape._replace(T_link_shape=meant(shape.T_link_shape, shape.line))

    def of_link(link: RawLink) -> RawLink:
        return link._replace(mass=of_mass(link.mass) if link.mass is not None else None,
                             shapes=tuple(map(of_shape, link.shapes)))

    def of_joint(joint: RawJoint) -> RawJoint:
        return joint._replace(T_parent_child=meant(joint.T_parent_child, joint.line))

    changed = robot._replace(
        joints=tuple(map(of_joint, robot.joints)), links=tuple(map(of_link, robot.links)),
        frames=tuple(one._replace(T_link_frame=meant(one.T_link_frame, one.line)) for one in robot.frames),
        sensors=tuple(one._replace(T_link_sensor=meant(one.T_link_sensor, one.line)) for one in robot.sensors))
    return Meant(changed, typed)


def _meant_rotation(R: Matrix, line: int, typed: Dict[Typed, Found]) -> Matrix:
    """Return a rotation with the angles that are meant, itself if that is none; `typed` takes what was typed."""
    if R is IDENTITY:
        return R
    angles = rpy_of(R)
    typed_angles = max((_typed_in(one) for one in (angles, other_rpy(angles))), key=len)
    if not typed_angles:
        return R
    angles = angles if typed_angles == _typed_in(angles) else other_rpy(angles)
    for place, (constant, value) in typed_angles.items():
        before = typed.get(constant, Found(0, line))
        typed[constant] = Found(before.times + 1, before.line)
        angles[place] = value if angles[place] > 0.0 else -value
    return rotation_of_rpy(angles)


def _typed_in(angles: List[float]) -> Dict[int, Tuple[Typed, float]]:
    """Return which of three angles are constants that were typed, and what is meant."""
    found = {}
    for place, angle in enumerate(angles):
        constant = CONSTANTS.get(float(f"{abs(angle):.8g}"))
        if constant is not None and abs(abs(angle) - float(constant[0].text)) < AS_TYPED:
            found[place] = constant
    return found


def other_rpy(angles: List[float]) -> List[float]:
    """Return the other roll, pitch and yaw of the same rotation; people write a pitch of half a turn, too."""
    return [angle - pi if angle > 0.0 else angle + pi for angle in (angles[0], -angles[1], angles[2])]


def rpy_of(R: Matrix) -> List[float]:
    """Return roll, pitch and yaw of a rotation."""
    (a, b, _), (d, e, _), (g, h, i) = R
    if h * h + i * i < 1e-18:  # of roll and yaw only one counts
        return [0.0, asin(max(-1.0, min(1.0, -g))), atan2(-b, e)]
    return [atan2(h, i), asin(-g), atan2(d, a)]
