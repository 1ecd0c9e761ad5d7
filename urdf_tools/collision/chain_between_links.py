"""The motion of two links relative to each other: the joints between them, from a body in the middle, and their ranges.

A position is a number for each joint that does not mimic another joint. A range is at most one turn for a joint without
followers, because a turn has all of its poses.
"""

from __future__ import annotations

from math import isfinite
from typing import Dict, List, Optional, Set, Tuple

from ..base.type_aliases import Span, Texts
from ..base.exact_trigonometry import PI
from ..base.record_type import Record
from ..verify.proof_robot import number_of, ProofJoint, ProofRobot
from .proof_geometry import driving_joint, joints_to_root, path_between, PathJoint

HALF_TURN = PI * (1.0 + 2.0**-52)  # not below pi
WHOLE_TURN = 2.0 * PI + 1e-9  # more than one turn also after rounding, for positions below FARTHEST
FARTHEST = 1e5  # [rad] the margin of WHOLE_TURN covers the rounding of positions up to here


class IndependentJoint(Record):
    """A joint that does not mimic another: its name, its child link, and its range [rad or m]."""

    joint: str
    child: str
    low: float
    high: float


class KinematicChain(Record):
    """The kinematic chain between two links: the body in the middle, the variables, and the way to each link."""

    middle: str
    variables: Tuple[IndependentJoint, ...]
    first: Tuple[PathJoint, ...]
    second: Tuple[PathJoint, ...]


class JointRanges(Record):
    """The ranges of all joints that do not mimic others, and the joints without a range.

    Attributes:
        of_joint: by child link, lowest and highest position [rad or m].
        unlimited: revolute joints without limits; their range is one turn.
        unbounded: joints that slide without limits, and planar and floating joints.
        geared: joints without limits with followers that are not in the same pose after a whole turn of the leader.
    """

    of_joint: Dict[str, Span]
    unlimited: Texts
    unbounded: Texts
    geared: Texts = ()


def ranges_of(robot: ProofRobot) -> JointRanges:
    """Return the range of each joint; a revolute joint without limits has a range of one turn.

    Joints that slide without limits, and planar and floating joints, have no range, so no pair across them can be proven.
    A leader without limits has no range either, unless all of its followers turn by whole multiples of its position.
    """
    joints = robot.joints.values()
    names_of_leaders = {joint.mimic[0] for joint in joints if joint.mimic}
    geared_leaders = _geared_leaders(robot)
    ranges: Dict[str, Span] = {}
    unlimited: List[str] = []
    unbounded: List[str] = []
    geared: List[str] = []
    for joint in joints:
        if joint.type == "fixed" or joint.mimic:
            continue
        span = _span_of(joint)
        if not joint.moves or joint.type == "prismatic" and span is None:
            unbounded.append(joint.name)
        elif span is not None:
            # A turn later a follower may have a different pose, so only joints without followers are cut to a turn.
            has_followers = joint.name in names_of_leaders
            is_turn_enough = joint.type == "revolute" and not has_followers
            ranges[joint.child] = one_turn(*span) if is_turn_enough else span
        elif joint.child in geared_leaders:
            geared.append(joint.name)
        else:
            # A `continuous` joint has no limits by its type, so it is not reported.
            if joint.type != "continuous":
                unlimited.append(joint.name)
            ranges[joint.child] = (-HALF_TURN, HALF_TURN)
    return JointRanges(ranges, tuple(unlimited), tuple(unbounded), tuple(geared))


def _span_of(joint: ProofJoint) -> Optional[Span]:
    """Return the limits of a joint, None unless both are finite and in order."""
    limit = joint.element.find("limit")
    # By the specification `continuous` has no limits: its <limit> is for effort and velocity.
    if joint.type == "continuous" or limit is None or None in map(limit.get, ("lower", "upper")):
        return None
    lower, upper = (number_of(limit.get(end)) for end in ("lower", "upper"))
    return (lower, upper) if isfinite(lower) and isfinite(upper) and lower <= upper else None


def _geared_leaders(robot: ProofRobot) -> Set[str]:
    """Return the child links of leaders whose whole turn does not bring all followers back to the same pose."""
    geared: Set[str] = set()
    for joint in robot.joints.values():
        child, factor, _ = driving_joint(robot, joint)
        if joint.type == "prismatic" or not factor.is_integer():
            geared.add(child)
    return geared


def one_turn(low: float, high: float) -> Span:
    """Return the limits, or if they are more than a turn apart, the turn within them that is nearest to zero [rad]."""
    # Farther from zero than FARTHEST, rounding could exceed the margin of WHOLE_TURN.
    if high - low < WHOLE_TURN or max(-low, high) > FARTHEST:
        return low, high
    start = max(low, min(-0.5 * WHOLE_TURN, high - WHOLE_TURN))
    return start, min(start + WHOLE_TURN, high)


def home_of(ranges: JointRanges) -> Dict[str, float]:
    """Return the home position of each joint: zero, or the limit nearest to zero."""
    return {child: min(max(0.0, low), high) for child, (low, high) in ranges.of_joint.items()}


def chain_between(
    robot: ProofRobot, first: str, second: str, ranges: JointRanges
) -> Optional[KinematicChain]:
    """Return the chain between two links, None if a joint between them has no range.

    The body in the middle has as many moving joints to the first link as to the second, or one fewer. So the longer of
    the two ways has the fewest joints, and the bounds of the motion are tightest.
    """
    up = joints_to_root(robot, first)
    down = joints_to_root(robot, second)
    # Joints that are ancestors of both links do not move them relative to each other.
    while up and down and up[-1] is down[-1]:
        up.pop()
        down.pop()
    joints_between = [*up, *reversed(down)]
    moving = [k for k, joint in enumerate(joints_between) if joint.type != "fixed"]
    half = moving[len(moving) // 2] if moving else 0
    middle = first
    if joints_between:
        # The way climbs from child to parent up to `len(up)`, then goes down from parent to child.
        middle = joints_between[half].child if half < len(up) else joints_between[half].parent
    # From the middle outward, first to one link, then to the other.
    outward = (*reversed(joints_between[:half]), *joints_between[half:])
    children = dict.fromkeys(
        driving_joint(robot, joint).child for joint in outward if joint.type != "fixed"
    )
    if not all(child in ranges.of_joint for child in children):
        return None
    variables = [
        IndependentJoint(robot.joints[child].name, child, *ranges.of_joint[child])
        for child in children
    ]
    largest_positions = {
        variable.child: max(-variable.low, variable.high) for variable in variables
    }
    arms = [path_between(robot, middle, link, largest_positions) for link in (first, second)]
    assert arms[0] is not None and arms[1] is not None
    return KinematicChain(
        middle=middle,
        variables=tuple(variables),
        first=arms[0].joints,
        second=arms[1].joints,
    )
