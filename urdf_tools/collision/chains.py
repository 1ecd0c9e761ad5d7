"""How two links move relative to each other: the joints between them, from a body in the middle, and their ranges.

A position is a number for each joint that does not mimic another. A range is at most one turn: if a joint can turn
farther, all its poses are in one turn.
"""

from __future__ import annotations

from math import isfinite
from typing import Dict, List, Optional, Sequence, Set, Tuple

from ..base.types import Span, Texts
from ..base.exact_trigonometry import PI
from ..base.record import Record
from .check_geometry import WayJoint
from ..urdf.model import Joint, MOVABLE, Robot
from ..urdf.spatial import (
    compose,
    IDENTITY_POSE,
    inverse,
    ZERO,
)

HALF_TURN = PI * (1.0 + 2.0**-52)  # not below pi
WHOLE_TURN = 2.0 * PI + 1e-9  # more than one turn also after rounding, for positions below FARTHEST
FARTHEST = 1e5  # [rad]


class Variable(Record):
    """A joint that does not mimic another: its name, its child link, and its range [rad or m]."""

    joint: str
    child: str
    low: float
    high: float


class Chain(Record):
    """The kinematic chain between two links: the body in the middle, the variables, and the way to each link."""

    middle: str
    variables: Tuple[Variable, ...]
    first: Tuple[WayJoint, ...]
    second: Tuple[WayJoint, ...]


class Ranges(Record):
    """The ranges of all joints that do not mimic others, and the joints that have none.

    Attributes:
        of_joint: by child link, lowest and highest position [rad or m].
        unlimited: revolute joints without limits; their range is one turn.
        unbounded: joints that slide without limits, and planar and floating ones.
        geared: joints without limits with followers that are not in the same pose after a whole turn of the leader.
    """

    of_joint: Dict[str, Span]
    unlimited: Texts
    unbounded: Texts
    geared: Texts = ()


def ranges_of(robot: Robot) -> Ranges:
    """Return the range of each joint; that of a revolute joint without limits is one turn.

    Joints that slide without limits, and planar and floating ones, have no range, so no pair across them can be proven.
    Nor has a joint without limits that leads others, unless all of these turn, by whole multiples of its position.
    """
    led = {joint.mimic.joint for joint in robot.joints if joint.mimic}
    leaders = _geared_leaders(robot)
    ranges: Dict[str, Span] = {}
    unlimited: List[str] = []
    unbounded: List[str] = []
    geared: List[str] = []
    for joint in robot.joints:
        if joint.type == "fixed" or joint.mimic:
            continue
        span = _span_of(joint)
        if joint.type not in MOVABLE or joint.type == "prismatic" and span is None:
            unbounded.append(joint.name)
        elif span is not None:
            # A follower may be in another pose a turn later, so only joints without followers are reduced to a turn.
            turns = joint.type == "revolute" and joint.name not in led
            ranges[joint.child] = one_turn(*span) if turns else span
        elif joint.child in leaders:
            geared.append(joint.name)
        else:
            unlimited += [joint.name] if joint.type != "continuous" else []
            ranges[joint.child] = (-HALF_TURN, HALF_TURN)
    return Ranges(ranges, tuple(unlimited), tuple(unbounded), tuple(geared))


def _span_of(joint: Joint) -> Optional[Span]:
    """Return the limits of a joint, None where it has none that are finite and in order."""
    limit = joint.limit
    if joint.type == "continuous" or limit is None or limit.lower is None or limit.upper is None:
        return None
    is_range = isfinite(limit.lower) and isfinite(limit.upper) and limit.lower <= limit.upper
    return (limit.lower, limit.upper) if is_range else None


def _geared_leaders(robot: Robot) -> Set[str]:
    """Return the child links of leaders whose whole turn does not bring all followers back to the same pose."""
    geared: Set[str] = set()
    for joint in robot.joints:
        leader, factor, _ = _leader_of(robot, joint) if joint.mimic else (None, 1.0, 0.0)
        if leader is not None and (joint.type == "prismatic" or not factor.is_integer()):
            geared.add(leader.child)
    return geared


def one_turn(low: float, high: float) -> Span:
    """Return the limits, or if they are more than a turn apart, the turn within them that is nearest to zero [rad]."""
    if high - low < WHOLE_TURN or max(-low, high) > FARTHEST:
        return low, high
    start = max(low, min(-0.5 * WHOLE_TURN, high - WHOLE_TURN))
    return start, min(start + WHOLE_TURN, high)


def home_of(ranges: Ranges) -> Dict[str, float]:
    """Return position zero of each joint, or the limit that is nearest to it."""
    return {child: min(max(0.0, low), high) for child, (low, high) in ranges.of_joint.items()}


def chain_between(robot: Robot, first: str, second: str, ranges: Ranges) -> Optional[Chain]:
    """Return the chain between two links, None if a joint between them has no range.

    The body in the middle has as many moving joints to one link as to the other, or one more to the second.
    """
    up, down = _way_up(robot, first), _way_up(robot, second)
    # Joints above both links do not move them relative to each other.
    while up and down and up[-1] is down[-1]:
        up.pop()
        down.pop()
    way = [*((joint, False) for joint in up), *((joint, True) for joint in reversed(down))]
    moving = [k for k, (joint, _) in enumerate(way) if joint.type != "fixed"]
    middle = moving[len(moving) // 2] if moving else 0
    numbers: Dict[str, int] = {}
    outward = [(joint, not forward) for joint, forward in reversed(way[:middle])]
    arms = [_arm(robot, part, numbers, ranges) for part in (outward, way[middle:])]
    if arms[0] is None or arms[1] is None:
        return None
    names = {joint.child: joint.name for joint in robot.joints}
    body = (way[middle][0].parent if way[middle][1] else way[middle][0].child) if way else first
    variables = tuple(Variable(names[child], child, *ranges.of_joint[child]) for child in numbers)
    return Chain(body, variables, arms[0], arms[1])


def _way_up(robot: Robot, link: str) -> List[Joint]:
    """Return the joints from a link to the root."""
    way: List[Joint] = []
    joint = robot.above.get(link)
    while joint is not None:
        way.append(joint)
        joint = robot.above.get(joint.parent)
    return way


def _arm(
    robot: Robot, way: Sequence[Tuple[Joint, bool]], numbers: Dict[str, int], ranges: Ranges
) -> Optional[Tuple[WayJoint, ...]]:
    """Return the joints of a way outward and the pose of its end, None if a joint has no range; with True a joint leads to its child."""
    steps: List[WayJoint] = []
    T = IDENTITY_POSE
    for joint, forward in way:
        if forward:
            T = compose(T, joint.origin)
        if joint.type != "fixed":
            leader, factor, offset = _leader_of(robot, joint)
            if leader is None or leader.child not in ranges.of_joint:
                return None
            number = numbers.setdefault(leader.child, len(numbers))
            sign = 1.0 if forward else -1.0
            steps.append(
                WayJoint(
                    T, joint.axis, joint.type == "prismatic", number, sign * factor, sign * offset
                )
            )
            T = IDENTITY_POSE
        if not forward:
            T = compose(T, inverse(joint.origin))
    return (*steps, WayJoint(T, ZERO, False, -1, 0.0, 0.0))


def _leader_of(robot: Robot, joint: Joint) -> Tuple[Optional[Joint], float, float]:
    """Return the leader that moves a joint, None if there is none; position = factor * leader's position + offset."""
    factor, offset = 1.0, 0.0
    seen = set()
    while joint.mimic:
        if joint.child in seen:
            return None, factor, offset
        seen.add(joint.child)
        factor, offset = factor * joint.mimic.multiplier, factor * joint.mimic.offset + offset
        leader = robot.named.get(joint.mimic.joint)
        if leader is None or leader.type == "fixed":
            return None, factor, offset
        joint = leader
    return joint, factor, offset
