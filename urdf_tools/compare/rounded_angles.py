"""Angles that were typed with few digits, such as 1.57 for pi/2, and a robot with the exact angles in their place.

Such an angle is a single cause of many small differences: the robots are compared again with the exact angles, and the
differences that vanish had this cause, which is reported once.
"""

from __future__ import annotations

from math import floor, gcd, pi
from typing import Any, Callable, Dict, List, Tuple

from ..base.record_type import Record
from ..formats.reader_helpers import rotated_tensor, rotation_of_rpy
from ..robot.raw_robot import RawLink, RawMass, RawRobot
from ..urdf.spatial_math import IDENTITY, Matrix, multiply, Transform, rpy_from_matrix, transpose

TWELFTHS = range(1, 25)  # of pi: 15 degrees up to a whole turn
DIGITS = (1, 2, 3, 4)  # decimals that people type: five of them are exact enough (SEEN)
# Rad: a constant closer to the exact angle is exact enough, a farther constant is a different angle.
SEEN = 1e-5
# Rad. Chosen: 1.57 is meant as pi/2, and 1.0 is not meant as pi/3, which is 0.05 away.
NOT_MEANT = 0.01
AS_TYPED = 1e-9  # rad: an angle this near to a constant was typed as that constant
READ_DIGITS = 8  # an angle that was computed from a matrix has so many digits without noise


class RoundedAngle(Record):
    """A constant as it is typed, such as `1.57`, and the text of the exact angle, such as `pi/2`."""

    text: str
    meant: str


class RoundedAngleUses(Record):
    """The number of uses of a constant in a file, and the line of the first."""

    times: int
    line: int


class RobotWithExactAngles(Record):
    """A robot with the intended exact angles, and the constants that were typed for them."""

    robot: RawRobot
    typed: Dict[RoundedAngle, RoundedAngleUses]


def _constants() -> Dict[float, Tuple[RoundedAngle, float]]:
    """Return by typed number [rad] the constant, and the exact angle [rad]."""
    constants: Dict[float, Tuple[RoundedAngle, float]] = {}
    for count in TWELFTHS:
        value = pi * count / 12.0
        # Reduced, as people write it: 6/12 of pi is pi/2.
        common = gcd(count, 12)
        times = count // common
        part = 12 // common
        factor = "" if times == 1 else f"{times} "
        divisor = "" if part == 1 else f"/{part}"
        name = f"{factor}pi{divisor}"
        for digits in DIGITS:
            # People round, as 1.571, or cut off, as 1.570.
            for typed in (round(value, digits), floor(value * 10**digits) / 10**digits):
                if SEEN < abs(typed - value) < NOT_MEANT:
                    # A number near two angles stands for the smaller one.
                    constants.setdefault(typed, (RoundedAngle(f"{typed:g}", name), value))
    return constants


CONSTANTS = _constants()


def as_meant(robot: RawRobot) -> RobotWithExactAngles:
    """Return a robot with the exact angles in the frames of joints, inertials, shapes, frames and sensors.

    The reader keeps matrices alone, so the typed angles are found in roll, pitch and yaw of each rotation.
    """
    typed: Dict[RoundedAngle, RoundedAngleUses] = {}  # `_meant_rotation` counts into it

    def meant(T: Transform, line: int) -> Transform:
        """Return a pose with the exact angles; the same object if no angle was typed with few digits."""
        R = _meant_rotation(T.rotation, line, typed)
        return T if R is T.rotation else Transform(R, T.translation)

    def with_meant(field: str) -> Callable[[Any], Any]:
        """Return a function that makes the pose in a field of a part exact."""
        return lambda part: part._replace(**{field: meant(getattr(part, field), part.line)})

    def of_mass(mass: RawMass) -> RawMass:
        """Return a mass in its exact frame."""
        T_link_exact = meant(mass.T_link_inertial, mass.line)
        R_link_written = mass.T_link_inertial.rotation
        # The tensor is in the axes of the link, so it turns with the frame in which it was written.
        turn = IDENTITY
        if T_link_exact is not mass.T_link_inertial:
            turn = multiply(T_link_exact.rotation, transpose(R_link_written))
        return mass._replace(T_link_inertial=T_link_exact, tensor=rotated_tensor(turn, mass.tensor))

    def of_link(link: RawLink) -> RawLink:
        """Return a link with its mass and shapes in their exact frames."""
        mass = of_mass(link.mass) if link.mass is not None else None
        return link._replace(mass=mass, shapes=tuple(map(with_meant("T_link_shape"), link.shapes)))

    changed = robot.with_each(
        joints=with_meant("T_parent_child"),
        links=of_link,
        frames=with_meant("T_link_frame"),
        sensors=with_meant("T_link_sensor"),
    )
    return RobotWithExactAngles(changed, typed)


def _meant_rotation(R: Matrix, line: int, typed: Dict[RoundedAngle, RoundedAngleUses]) -> Matrix:
    """Return a rotation with the exact angles; the same object if none was typed with few digits.

    Each use of a constant, at this line of the file, is added to `typed`.
    """
    if R is IDENTITY:
        return R
    # Each rotation has two sets of roll, pitch and yaw: the set with more typed angles was written, or the usual set.
    angles = list(rpy_from_matrix(R))
    constants = _typed_in(angles)
    other_angles = other_rpy(angles)
    other_constants = _typed_in(other_angles)
    if len(other_constants) > len(constants):
        angles = other_angles
        constants = other_constants
    if not constants:
        return R
    for index, (constant, exact) in constants.items():
        before = typed.get(constant, RoundedAngleUses(0, line))
        typed[constant] = RoundedAngleUses(before.times + 1, before.line)
        angles[index] = exact if angles[index] > 0.0 else -exact
    return rotation_of_rpy(angles)


def _typed_in(angles: List[float]) -> Dict[int, Tuple[RoundedAngle, float]]:
    """Return the typed constants among roll, pitch and yaw [rad] by index, with the exact angle without its sign."""
    typed = {}
    for index, angle in enumerate(angles):
        # The angle comes from a matrix, so its last digits are noise.
        found = CONSTANTS.get(float(f"{abs(angle):.{READ_DIGITS}g}"))
        if found is None:
            continue
        constant, _ = found
        if abs(abs(angle) - float(constant.text)) < AS_TYPED:
            typed[index] = found
    return typed


def other_rpy(angles: List[float]) -> List[float]:
    """Return the other roll, pitch and yaw of the same rotation [rad]: people also write a pitch of half a turn.

    Rz(yaw) Ry(pitch) Rx(roll) = Rz(yaw + pi) Ry(pi - pitch) Rx(roll + pi).
    """
    roll, pitch, yaw = angles
    return [angle - pi if angle > 0.0 else angle + pi for angle in (roll, -pitch, yaw)]
