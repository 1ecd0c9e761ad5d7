"""Differences of paired joints in limits, effort, velocity, mimic rules and dynamics."""

from __future__ import annotations

from math import pi
from typing import AbstractSet, Iterator, Mapping, Optional, Sequence, Tuple

from ..base.types import Texts
from ..formats.values import VALUES
from ..robot.canonical import CanonicalRobot, leaders_among, TURNS
from ..robot.motion import is_line, leaders_first
from ..robot.records import OUT_OF_REACH, RawJoint, RawMimic, RawRobot, within_reach
from .differences import between, Difference, DRAWN, gap_as_held, scaled_gap, ComparisonSettings
from .robot_map import JointPair, RobotMap
from .told_numbers import lists_told_apart, ranges_told_apart, values_told_apart

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


def limit_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield differences of limits, effort and velocity."""
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
    """Yield pairs of joints of equal motion, and of their copies; `lines`: only joints whose position is one number."""
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
    """Return lower and upper limit as written; a continuous joint has no limits."""
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
    if have_no_ends(a, b):
        return
    first = range_of(a)
    second = range_in_a(pair, range_of(b))
    # A follower of a fixed joint stands still, and a file may express that by equal limits.
    still = _range_at_rest(robots.a, a), range_in_a(pair, _range_at_rest(robots.b, b))
    # Equal as written, or with either side standing still.
    held = (first, second), (still[0], second), (first, still[1])
    gaps = [range_gap(*ranges, settings.precision) for ranges in held]
    if min(gaps) <= settings.tolerances.angle:
        return

    kind = "limits"
    # A joint that was reversed, with its old limits, is a mistake with its own kind.
    turned = pair.offset != 0.0 or pair.choice.sign < 0.0
    as_written = range_gap(first, range_of(b), settings.precision)
    if turned and as_written <= settings.tolerances.angle:
        kind = "limits_stay"
    elif first == (None, None) or second == (None, None):
        kind = "limits_missing"
    unit = "rad" if pair.a.motion in (TURNS, "ball") else "m"
    size = max(
        abs(end - other) if end is not None and other is not None else 0.0
        for end, other in zip(first, second)
    )
    texts = ranges_told_apart(first, second)
    yield between(kind, a, b, size, unit, texts, texts)


def composed_mimics(joints: Sequence[RawJoint], *, opened: bool = False) -> Tuple[RawJoint, ...]:
    """Return joints of which none follows a follower: the rules of leaders are composed.

    In a circle all rules stay unchanged; with `opened`, the joint that `leaders_first` frees has no rule.
    """
    by_child = {joint.child: joint for joint in joints}
    # Reversed, so that the first joint of a name is found.
    named = {joint.name: joint.child for joint in reversed(joints) if joint.moves}
    leader_of = {
        joint.child: named.get(joint.mimic.leader)
        if joint.mimic is not None and joint.moves
        else None
        for joint in joints
    }
    for child, leader in leaders_first(leader_of):
        joint = by_child[child]
        above = None
        if leader is not None and leader_of[leader]:
            above = by_child[leader].mimic
        if leader is None and leader_of[child] is not None:  # it closes a circle
            if not opened:
                return tuple(joints)
            by_child[child] = joint._replace(mimic=None)
            leader_of[child] = None
        elif above is not None and joint.mimic is not None:
            k, offset = joint.mimic.multiplier, joint.mimic.offset
            # q = k (K q_leader + O) + o
            rule = RawMimic(above.leader, k * above.multiplier, k * above.offset + offset)
            by_child[child] = joint._replace(mimic=rule)
    return tuple(by_child[joint.child] for joint in joints)


def _follows(joint: RawJoint, leaders: AbstractSet[str]) -> bool:
    """Return True if a joint follows one of these leaders."""
    return joint.mimic is not None and joint.mimic.leader in leaders


def mimic_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield differences of mimic joints: leaders by partner, multiplier and offset as mapped."""
    if not settings.compares("mimic"):
        return
    robots = robots._replace(a=_led(robots.a), b=_led(robots.b))
    partner = {pair.choice.a: pair for pair in robots.pairs}
    held_a, held_b = ({joint.name for joint in robot.held} for robot in (robots.a, robots.b))
    for pair, a, b in _joints(robots):
        leader = robots.a.leader.get(pair.choice.a)
        other = robots.b.leader.get(pair.choice.b)
        if leader is None and other is None:
            continue
        # A leader that is fixed in the other file was reported already.
        if _follows(a, held_a) or _follows(b, held_b):
            continue
        led = partner.get(leader) if leader is not None else None

        names = [
            None if joint is None else robot.joints[joint].raw.name
            for robot, joint in ((robots.a, leader), (robots.b, other))
        ]
        if a.mimic is None or b.mimic is None or leader is None or other is None:
            kind = "mimic_missing"
        elif led is None or led.choice.b != other:
            kind = "mimic_leader"
        elif _mimics_apart(pair, led, a.mimic, b.mimic, settings.precision) <= (
            settings.tolerances.angle
        ):
            continue
        else:
            kind = "mimic"
        # Show the rule of A in terms of B if a sign or a zero differs.
        rule = _mapped_rule(pair, led, a.mimic) if kind == "mimic" and led and a.mimic else a.mimic
        rules = _rules(names[0], rule, names[1], b.mimic)
        yield between(kind, a, b, values=rules, words=rules)


def _mimics_apart(
    pair: JointPair, led: JointPair, a: RawMimic, b: RawMimic, precision: float
) -> float:
    """Return the difference of two rules under the map, in multiplier and offset; `led` is the pair of their leaders."""
    rule = _mapped_rule(pair, led, a)
    apart = gap_as_held(rule.offset, b.offset, precision)
    # A zero is known only up to whole turns, so they make no difference either.
    if pair.b.motion == TURNS and abs(pair.offset) > 1e-9:
        apart = abs((apart + pi) % (2.0 * pi) - pi)
    return max(gap_as_held(rule.multiplier, b.multiplier, precision), apart)


def _mapped_rule(pair: JointPair, led: JointPair, rule: RawMimic) -> RawMimic:
    """Return the rule of A for the joints of B."""
    # q_b = s q_a + c, also for the leader: k' = s k s_leader, o' = s o + c - k' c_leader
    sign = pair.choice.sign
    c = pair.offset
    factor = sign * rule.multiplier * led.choice.sign
    offset = sign * rule.offset + c - factor * led.offset
    return rule._replace(multiplier=factor, offset=offset)


def _led(robot: CanonicalRobot) -> CanonicalRobot:
    """Return a robot whose joints have composed rules, also the copies of joints."""
    twice = [raw for several in robot.duplicate_joints.values() for raw in several]
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
    first, second = (() if rule is None else (rule.multiplier, rule.offset) for rule in (a, b))
    texts, others = lists_told_apart(first, second)
    return _rule(leader, texts), _rule(other, others)


def _rule(leader: Optional[str], texts: Texts) -> str:
    if leader is None or not texts:
        return "none"
    factor, offset = texts
    return f"{factor} {leader}" + (f" + {offset}" if offset != "0" else "")


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
    """Return the values of a joint of A for B's joint: positions are mapped."""
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
    """Return the actuators of a joint with all values, or `none`."""
    return (
        " and ".join(
            " ".join(
                [
                    actuator.kind,
                    *(
                        f"{name} {' '.join(f'{number:.12g}' for number in value)}"
                        for name, value in sorted(actuator.values.items())
                    ),
                ]
            )
            for actuator in robot.actuators
            if actuator.joint == joint
        )
        or "none"
    )
