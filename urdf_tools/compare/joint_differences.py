"""Differences of paired joints in limits, effort, velocity, mimic rules and dynamics."""

from __future__ import annotations

from math import pi
from itertools import chain
from typing import AbstractSet, Dict, Iterator, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Texts
from ..formats.format_values import VALUES
from ..robot.rigid_bodies import TURNS
from ..robot.canonical_robot import CanonicalRobot, leaders_among
from ..robot.joint_motion import is_line, leaders_first
from ..robot.raw_robot import OUT_OF_REACH, RawJoint, RawMimic, RawRobot, within_reach
from .difference_records import (
    between,
    Difference,
    DRAWN,
    gap_as_held,
    scaled_gap,
    ComparisonSettings,
)
from .robot_map import JointPair, RobotMap
from .distinguishable_numbers import lists_told_apart, ranges_told_apart, values_told_apart

Range = Tuple[Optional[float], Optional[float]]
# A joint with the opposite sign passes its switch in the opposite direction.
MIRRORED = {
    "soft_lower": "soft_upper",
    "soft_upper": "soft_lower",
    "calibration_rising": "calibration_falling",
    "calibration_falling": "calibration_rising",
}
SOFT = {
    "soft_lower": (0.0,),
    "soft_upper": (0.0,),
}  # the default of each beside the other (urdfdom, joint.cpp)
PLACES = {name: index for index, name in enumerate(VALUES)}
NOT_SAID = {"gravity": (1.0,)}  # the default for a link, in every format
POSITIONS = (
    "spring_reference",
    "soft_lower",
    "soft_upper",
    "calibration_rising",
    "calibration_falling",
    "calibration_reference",
)
# Positions shift with a zero, which leaves 1e-14 in place of 0.
MOVED = (*POSITIONS, "control_range", "transmission_offset")
NOISE = 1e-9  # rad or m: the rounding of float64 in a zero


def limit_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield differences of limits, effort and velocity; limits of B are mapped to A's joint."""
    for pair, a, b in _joints(robots, lines=settings.complete):
        has_range = is_line(pair.a.motion) or a.type == "ball"
        if has_range and settings.compares("limits"):
            yield from _ranges(robots, pair, a, b, settings)
        for kind in ("effort", "velocity"):
            value_a = within_reach(getattr(a, kind))
            value_b = within_reach(getattr(b, kind))
            if _say_none(value_a, value_b, settings.precision):
                continue
            gap = scaled_gap(value_a, value_b)
            if gap > settings.tolerances.number and settings.compares(kind):
                texts, others = lists_told_apart((value_a,), (value_b,))
                yield between(kind, a, b, gap, "", (value_a, value_b), (*texts, *others))


def _joints(
    robots: RobotMap, *, lines: bool = True
) -> Iterator[Tuple[JointPair, RawJoint, RawJoint]]:
    """Yield pairs of joints of equal motion with A's and B's joint, then the same pair with each of their copies.

    `lines`: only joints whose position is one number.
    """
    for pair in robots.pairs:
        # By their indices: for `mimic_differences` they have composed rules.
        joint = robots.a.joints[pair.choice.a]
        other = robots.b.joints[pair.choice.b]
        if joint.motion == other.motion and (is_line(joint.motion) or not lines):
            yield pair, joint.raw, other.raw
            # Joints that were exported twice move the same body: their copies are compared one by one.
            for a, b in zip(
                robots.a.duplicate_joints.get(pair.choice.a, ()),
                robots.b.duplicate_joints.get(pair.choice.b, ()),
            ):
                yield pair, a, b


def range_of(joint: RawJoint) -> Range:
    """Return lower and upper limit as written [rad or m]; None for an end that is missing, or out of any reach."""
    if joint.type == "continuous":
        return None, None
    return within_reach(joint.lower), within_reach(joint.upper)


def _range_at_rest(robot: CanonicalRobot, joint: RawJoint) -> Range:
    """Return the limits of a joint, or its only position if its leader does not move."""
    mimic = joint.mimic
    if mimic is None:
        return range_of(joint)
    leader = next((other for other in robot.raw.joints if other.name == mimic.leader), joint)
    return range_of(joint) if leader.moves else (mimic.offset, mimic.offset)


def range_in_a(pair: JointPair, bounds: Range) -> Range:
    """Return limits of B for A's joint; the angle of a ball joint has no sense."""
    if not is_line(pair.a.motion):
        return bounds
    offset = pair.offset
    sign = pair.choice.sign
    # The inverse of q_b = s q_a + c, where 1 / s is s.
    lower, upper = (None if end is None else sign * (end - offset) for end in bounds)
    return (lower, upper) if sign > 0.0 else (upper, lower)


def have_no_ends(a: RawJoint, b: RawJoint) -> bool:
    """Return True if neither joint writes the ends of its limit, so that no end can have moved with a zero."""
    are_unwritten = a.has_unwritten_limits and b.has_unwritten_limits
    return are_unwritten and range_of(a) == range_of(b)


def range_gap(first: Range, second: Range, precision: float = 0.0) -> float:
    """Return the largest difference of limits [rad or m], infinite if only one has them."""
    gaps = [0.0]
    for end, other in zip(first, second):
        if _say_none(end, other, precision):
            continue
        if end is None or other is None:
            return float("inf")
        gaps.append(gap_as_held(end, other, precision))
    return max(gaps)


def _say_none(bound: Optional[float], other: Optional[float], precision: float) -> bool:
    """Return True if both bounds are absent, or one is absent and the other may be out of reach by format rounding."""
    least = OUT_OF_REACH * (1.0 - precision)
    found = [abs(value) for value in (bound, other) if value is not None]
    return not found or len(found) == 1 and found[0] >= least


def _ranges(
    robots: RobotMap, pair: JointPair, a: RawJoint, b: RawJoint, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the difference of the limits of two joints, both for A's joint, if it is above the tolerance."""
    if have_no_ends(a, b):
        return
    range_a = range_of(a)
    range_b = range_in_a(pair, range_of(b))
    # A follower of a fixed joint stands still, and a file may express that by equal limits.
    still_a = _range_at_rest(robots.a, a)
    still_b = range_in_a(pair, _range_at_rest(robots.b, b))
    # Equal as written, or with either side standing still.
    gap = min(
        range_gap(range_a, range_b, settings.precision),
        range_gap(still_a, range_b, settings.precision),
        range_gap(range_a, still_b, settings.precision),
    )
    if gap <= settings.tolerances.angle:
        return

    kind = "limits"
    is_mapped = pair.offset != 0.0 or pair.choice.sign < 0.0
    gap_as_written = range_gap(range_a, range_of(b), settings.precision)
    # A joint that was reversed, with its old limits, is a mistake with its own kind.
    if is_mapped and gap_as_written <= settings.tolerances.angle:
        kind = "limits_stay"
    elif range_a == (None, None) or range_b == (None, None):
        kind = "limits_missing"
    unit = "rad" if pair.a.motion in (TURNS, "ball") else "m"
    # An end that only one file has gives no size.
    sizes = [
        abs(end - other)
        for end, other in zip(range_a, range_b)
        if end is not None and other is not None
    ]
    size = max(sizes, default=0.0)
    texts = ranges_told_apart(range_a, range_b)
    yield between(kind, a, b, size, unit, texts, texts)


def composed_mimics(joints: Sequence[RawJoint], *, opened: bool = False) -> Tuple[RawJoint, ...]:
    """Return joints of which none follows a follower: the rules of leaders are composed.

    If a joint follows itself by way of others, all rules stay unchanged; with `opened`, the joint that `leaders_first`
    frees has no rule.
    """
    by_child = {joint.child: joint for joint in joints}
    # Reversed, so that the first joint of a name is found.
    child_by_name = {joint.name: joint.child for joint in reversed(joints) if joint.moves}
    leader_of: Dict[str, Optional[str]] = {}
    for joint in joints:
        rule = joint.mimic if joint.moves else None
        leader_of[joint.child] = None if rule is None else child_by_name.get(rule.leader)
    # The rule of a leader is composed before the rules of its followers.
    for child, leader in leaders_first(leader_of):
        joint = by_child[child]
        closes_circle = leader is None and leader_of[child] is not None
        if closes_circle:
            if not opened:
                return tuple(joints)
            by_child[child] = joint._replace(mimic=None)
            leader_of[child] = None
            continue
        rule_of_leader = None
        if leader is not None and leader_of[leader]:
            rule_of_leader = by_child[leader].mimic
        if rule_of_leader is not None and joint.mimic is not None:
            by_child[child] = joint._replace(mimic=_composed(rule_of_leader, joint.mimic))
    return tuple(by_child[joint.child] for joint in joints)


def _composed(rule_of_leader: RawMimic, rule: RawMimic) -> RawMimic:
    """Return the rule by which a joint follows the leader of its leader: q = k (K q_leader + O) + o."""
    return RawMimic(
        leader=rule_of_leader.leader,
        multiplier=rule.multiplier * rule_of_leader.multiplier,
        offset=rule.multiplier * rule_of_leader.offset + rule.offset,
    )


def _follows(joint: RawJoint, leaders: AbstractSet[str]) -> bool:
    """Return True if a joint follows one of these leaders."""
    return joint.mimic is not None and joint.mimic.leader in leaders


def mimic_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield differences of mimic joints: leaders by partner, multiplier and offset as mapped.

    A follower of a follower is compared by its rule for the first leader, as files may write either.
    """
    if not settings.compares("mimic"):
        return
    robots = robots._replace(a=_led(robots.a), b=_led(robots.b))
    pair_of = {pair.choice.a: pair for pair in robots.pairs}
    held_a = {joint.name for joint in robots.a.held}
    held_b = {joint.name for joint in robots.b.held}
    for pair, a, b in _joints(robots):
        leader_a = robots.a.leader.get(pair.choice.a)
        leader_b = robots.b.leader.get(pair.choice.b)
        if leader_a is None and leader_b is None:
            continue
        # A leader that is fixed in the other file was reported already.
        if _follows(a, held_a) or _follows(b, held_b):
            continue
        pair_of_leaders = pair_of.get(leader_a) if leader_a is not None else None

        rule = a.mimic
        if a.mimic is None or b.mimic is None or leader_a is None or leader_b is None:
            kind = "mimic_missing"
        elif pair_of_leaders is None or pair_of_leaders.choice.b != leader_b:
            kind = "mimic_leader"
        else:
            kind = "mimic"
            # Show the rule of A in terms of B if a sign or a zero differs.
            rule = _mapped_rule(pair, pair_of_leaders, a.mimic)
            gap = _rule_gap(pair, rule, b.mimic, settings.precision)
            if gap <= settings.tolerances.angle:
                continue
        rules = _rules(_name_of(robots.a, leader_a), rule, _name_of(robots.b, leader_b), b.mimic)
        yield between(kind, a, b, values=rules, words=rules)


def _name_of(robot: CanonicalRobot, index: Optional[int]) -> Optional[str]:
    """Return the name of a joint by its index; None without an index."""
    return None if index is None else robot.joints[index].raw.name


def _rule_gap(pair: JointPair, mapped: RawMimic, rule: RawMimic, precision: float) -> float:
    """Return the larger difference of two rules for B, in multiplier or offset [rad or m]; `mapped` comes from A."""
    gap = gap_as_held(mapped.offset, rule.offset, precision)
    # A zero is known only up to whole turns, so they make no difference either.
    if pair.b.motion == TURNS and abs(pair.offset) > NOISE:
        gap = abs((gap + pi) % (2.0 * pi) - pi)
    return max(gap_as_held(mapped.multiplier, rule.multiplier, precision), gap)


def _mapped_rule(pair: JointPair, pair_of_leaders: JointPair, rule: RawMimic) -> RawMimic:
    """Return the rule of A for the joints of B.

    With q_b = s q_a + c for the follower and the leader: k' = s k s_leader, o' = s o + c - k' c_leader.
    """
    sign = pair.choice.sign
    multiplier = sign * rule.multiplier * pair_of_leaders.choice.sign
    offset = sign * rule.offset + pair.offset - multiplier * pair_of_leaders.offset
    return rule._replace(multiplier=multiplier, offset=offset)


def _led(robot: CanonicalRobot) -> CanonicalRobot:
    """Return a robot whose joints, and copies of joints, follow the first leaders alone (`composed_mimics`)."""
    twice = [*chain.from_iterable(robot.duplicate_joints.values())]
    # One list, since a copy may lead or follow; the order of the result is the order of the list.
    composed = composed_mimics([*(joint.raw for joint in robot.joints), *twice])
    joints = tuple(joint._replace(raw=raw) for joint, raw in zip(robot.joints, composed))
    rest = iter(composed[len(joints) :])
    duplicates = {
        joint: [next(rest) for _ in several] for joint, several in robot.duplicate_joints.items()
    }
    return robot._replace(joints=joints, duplicate_joints=duplicates, leader=leaders_among(joints))


def _rules(
    leader: Optional[str], a: Optional[RawMimic], other: Optional[str], b: Optional[RawMimic]
) -> Tuple[str, str]:
    """Return the rules of two followers as texts, `none` if no moving joint is followed."""
    numbers_a = () if a is None else (a.multiplier, a.offset)
    numbers_b = () if b is None else (b.multiplier, b.offset)
    texts, others = lists_told_apart(numbers_a, numbers_b)
    return _rule(leader, texts), _rule(other, others)


def _rule(leader: Optional[str], texts: Texts) -> str:
    """Return the rule of a follower: `2 knee + 0.1`; `none` without a leader. `texts`: multiplier and offset."""
    if leader is None or not texts:
        return "none"
    factor, offset = texts
    if offset == "0":
        return f"{factor} {leader}"
    return f"{factor} {leader} + {offset}"


def dynamics_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield differences of damping, friction, springs and other values of a joint; 0 equals a missing value.

    Without a spring, its rest position is not compared.
    """
    for pair, a, b in _joints(robots, lines=False):
        motion = pair.a.motion
        if motion == "ball" and not settings.compares("ball_dynamics"):
            continue
        values = _mapped(pair, a) if is_line(motion) else a.values
        # The rest position of a spring without stiffness has no effect.
        springs = (*values.get("stiffness", ()), *b.values.get("stiffness", ()))
        has_spring = settings.complete or any(springs)
        for name, value_a, value_b in differing_values(values, b.values, settings):
            if name != "spring_reference" or has_spring:
                yield value_difference("dynamics", a.name, name, value_a, value_b, a.line, b.line)


def _mapped(pair: JointPair, joint: RawJoint) -> Mapping[str, Sequence[float]]:
    """Return the values of a joint of A for B's joint: positions are mapped, and exchanged if the sense is reversed."""
    values = joint.values
    offset = pair.offset
    sign = pair.choice.sign
    if offset == 0.0 and sign > 0.0:
        return values
    if "stiffness" in values:  # a spring without a reference rests at zero
        values = {"spring_reference": (0.0,), **values}
    # An end that is not written moves with the zero, and is written then; a continuous joint has no ends.
    if offset != 0.0 and joint.type != "continuous" and not SOFT.keys().isdisjoint(values):
        values = {**SOFT, **values}
    mapped = {
        name: tuple(sign * number + offset for number in value) if name in POSITIONS else value
        for name, value in values.items()
    }
    if sign > 0.0:
        return mapped
    return {MIRRORED.get(name, name): value for name, value in mapped.items()}


def differing_values(
    a: Mapping[str, Sequence[float]], b: Mapping[str, Sequence[float]], settings: ComparisonSettings
) -> Iterator[Tuple[str, Sequence[float], Sequence[float]]]:
    """Yield the names of VALUES that differ, with both values.

    A missing value is the default of the format, else zeros, except in a complete copy.
    """
    if not a and not b:
        return
    for name in sorted({name for name in (*a, *b) if name in PLACES}, key=PLACES.__getitem__):
        first = a.get(name, NOT_SAID.get(name, ()))
        second = b.get(name, NOT_SAID.get(name, ()))
        if not settings.compares(name) or _says_the_same(name, first, second, settings):
            continue
        # The gap is relative: with this floor, two positions near 0 may be DRAWN apart.
        least = DRAWN / settings.tolerances.number if name in MOVED else 1e-12
        gaps = [scaled_gap(p, q, least) for p, q in zip(first, second)]
        if len(first) != len(second) or max(gaps) > settings.tolerances.number:
            yield name, first, second


def _says_the_same(
    name: str, first: Sequence[float], second: Sequence[float], settings: ComparisonSettings
) -> bool:
    """Return True if both lack the value, or one lacks it and the other has the default, or both are zeros."""
    if not first and not second:
        return True
    if not second and first == settings.meant[1].get(name):
        return True
    if not first and second == settings.meant[0].get(name):
        return True
    if any(first) or any(second) or any(name in meant for meant in settings.meant):
        return False
    # In a complete copy a missing zero is a difference.
    return not settings.complete or bool(first) == bool(second)


def value_difference(
    kind: str,
    where: str,
    name: str,
    a: Sequence[float],
    b: Sequence[float],
    line_a: int,
    line_b: int,
) -> Difference:
    """Return a difference of a value by its name."""
    texts = values_told_apart(a, b)
    size = max(map(scaled_gap, a, b)) if len(a) == len(b) else 1.0
    return Difference(
        kind=kind,
        where=where,
        size=size,
        unit="",
        a=tuple(a),
        b=tuple(b),
        names=(where, name.replace("_", " "), texts[0], texts[1]),
        numbers=(size,),
        line_a=line_a,
        line_b=line_b,
    )


def actuators_text(robot: RawRobot, joint: str) -> str:
    """Return the actuators of a joint with all values, or `none`: `motor gear 50 and position kp 10`."""
    texts = []
    for actuator in robot.actuators:
        if actuator.joint != joint:
            continue
        words = [actuator.kind]
        for name, value in sorted(actuator.values.items()):
            numbers = " ".join(f"{number:.12g}" for number in value)
            words.append(f"{name} {numbers}")
        texts.append(" ".join(words))
    return " and ".join(texts) or "none"
