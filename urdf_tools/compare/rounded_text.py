"""Numbers that one file writes with fewer digits than the other: rounding of the text is reported once."""
from decimal import Decimal
from typing import Iterator, NamedTuple, Optional, Sequence, Tuple

from .records import RawLink, RawRobot
from .robot_map import RobotMap

LEAST_DIGITS = 4  # significant ones: 1.57 may be typed for pi/2, and is another number than 1.5708
NOISE = 1e-12  # of the larger number: what any computation leaves
SAME_AXES = 1e-4  # entries of rotations: frames are written alike
Numbers = Tuple[float, ...]


class Rounded(NamedTuple):
    """How many numbers are rounding of the text, the largest step and where it is; how many others differ."""

    places: int
    worst: float
    where: str
    others: int


def is_rounding(value: float, other: float) -> bool:
    """Return True if two numbers differ by at most half a unit in the last digit of the number that has fewer.

    The text of a number is the shortest that reads as it: trailing zeros do not count as digits.
    """
    p, q = _decimal(value), _decimal(other)
    shorter = max((p, q), key=_exponent)
    digits = len(shorter.as_tuple().digits)
    return digits >= LEAST_DIGITS and abs(p - q) <= Decimal(5).scaleb(_exponent(shorter) - 1)


def _decimal(value: float) -> Decimal:
    text = repr(value)
    return Decimal(text[:-2] if text.endswith(".0") else text)


def _exponent(number: Decimal) -> int:
    """Return the power of ten of the last digit; zeros before the point are digits."""
    return min(int(number.as_tuple().exponent), 0)


def rounded_text(robots: RobotMap) -> Optional[Rounded]:
    """Return the rounding of the text among the numbers that both files have, None if there is none."""
    places, others, worst, where = 0, 0, 0.0, ""
    for name, first, second in _written(robots):
        for value, other in zip(first, second):
            step = abs(value - other)
            if step <= NOISE * max(abs(value), abs(other)):
                continue
            if not is_rounding(value, other):
                others += 1
                continue
            places += 1
            if step > worst:
                worst, where = step, name
    return Rounded(places, worst, where, others) if places else None


def _written(robots: RobotMap) -> Iterator[Tuple[str, Numbers, Numbers]]:
    """Yield the numbers that both files have: origins and limits of joints, masses and tensors.

    Frames of links must have the same axes, and joints the same sign and zero: else the numbers differ anyway.
    """
    a, b = robots.a.raw, robots.b.raw
    alike = _with_same_axes(a, b)
    others = {joint.child: joint for joint in b.joints}
    for joint in a.joints:
        other = others.get(joint.child)
        if other is not None and joint.parent == other.parent and joint.parent in alike:
            yield joint.name, joint.T_parent_child.translation, other.T_parent_child.translation
    for pair in robots.pairs:
        first, second = robots.a.joints[pair.choice.a].raw, robots.b.joints[pair.choice.b].raw
        if pair.choice.sign == 1.0 and robots.offset(pair) == 0.0:
            limits = [(p, q) for p, q in ((first.lower, second.lower), (first.upper, second.upper))
                      if p is not None and q is not None]
            yield first.name, tuple(p for p, _ in limits), tuple(q for _, q in limits)
    links = {link.name: link for link in b.links}
    for link in a.links:
        if link.name in alike and link.name in links:
            yield link.name, _weight(link, links[link.name]), _weight(links[link.name], link)


def _weight(link: RawLink, other: RawLink) -> Numbers:
    if link.mass is None or other.mass is None:
        return ()
    return (link.mass.mass, *link.mass.center, *link.mass.tensor)


def _with_same_axes(a: RawRobot, b: RawRobot) -> Sequence[str]:
    """Return the links of equal name whose frames have the same axes, from the root down."""
    others = {joint.child: joint for joint in b.joints}
    children = {joint.child for joint in a.joints}
    alike = {link.name for link in a.links if link.name not in children} & {
        link.name for link in b.links if link.name not in others}
    waiting = list(a.joints)
    while waiting:
        remaining = []
        for joint in waiting:
            other = others.get(joint.child)
            if joint.parent not in alike or other is None or other.parent != joint.parent:
                remaining.append(joint)
            elif all(abs(p - q) <= SAME_AXES for row, line in zip(
                    joint.T_parent_child.rotation, other.T_parent_child.rotation) for p, q in zip(row, line)):
                alike.add(joint.child)
        if len(remaining) == len(waiting):
            break
        waiting = remaining
    return sorted(alike)
