"""Differences in frames, loops, sensors and actuators."""

from __future__ import annotations

from itertools import zip_longest
from math import isclose
from typing import Dict, Iterator, List, Sequence, Set, Tuple, Union

from ..base.types import Reals
from ..base.number_text import grouped
from ..base.record import Record
from ..formats.reading import composed_polynomial
from ..robot.canonical import CanonicalRobot, EMPTY_LINK, FRAME, LINK, link_places, NamedFrame
from ..robot.motion import after
from ..robot.records import RawActuator, RawJoint, RawLoop, RawRobot, RawSensor, Word
from ..urdf.spatial import (
    compose,
    cross,
    dot,
    IDENTITY_POSE,
    multiply,
    norm,
    Transform,
    rotate,
    transpose,
    ZERO,
)
from .differences import (
    between,
    Difference,
    is_called,
    one_sided,
    poses_apart,
    scaled_gap,
    ComparisonSettings,
)
from .joint_differences import differing_values, value_difference
from .robot_map import RobotMap
from .told_numbers import lists_told_apart

RIGHT = 1e-4  # of an entry of a rotation: 1.5708 is a right angle
OF_TRANSMISSION = ("reduction", "transmission_offset")
# Values of an actuator that change sign with the joint.
SIDED = (*OF_TRANSMISSION, "gear", "control_range", "force_range")

ENDS = {"lower": "upper", "upper": "lower"}
BOUNDS = (*ENDS, "effort", "velocity")


def frame_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield named frames with a different pose; frames of links with mass, shapes or a joint may be chosen freely.

    Right angles get their own kind, as many tools turn frames so. In complete copies all frames count, and B may have
    further frames, but must have all frames of A.
    """
    partners = grouped((frame.name, frame) for frame in robots.b.frames)
    for frame in robots.a.frames:
        # A site may have the name of a body: the frame of the same kind comes first.
        several = partners.get(frame.name, [])
        several.sort(key=lambda other: (other.kind == FRAME) != (frame.kind == FRAME))
        if not several:
            if settings.complete and _can_be_said(robots.a, frame, settings):
                yield one_sided("frame_only_a", frame.name, "a", frame.line)
            continue
        other = several.pop(0)
        if frame.body in robots.bodies and _can_be_said(robots.b, other, settings):
            # The place of a link with a body is compared by its joint, its mass and its shapes.
            if settings.complete or LINK not in (frame.kind, other.kind):
                yield from _between_frames(frame, other, robots, settings)


def _between_frames(
    frame: NamedFrame, other: NamedFrame, robots: RobotMap, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the differences of two frames of a name: on different bodies, elsewhere, or turned."""
    if robots.bodies[frame.body] != other.body:
        names = robots.a.bodies[frame.body].name, robots.b.bodies[other.body].name
        # Frames are exchanged together with the names of their links.
        if settings.complete or names[0] != names[1]:
            yield between("frame_body", frame, other, words=names)
        return

    if _hangs_on_joint(robots.a, frame) and _hangs_on_joint(robots.b, other):
        # URDF cannot express a joint whose axis is off its frame.
        off_axis = {joint.child for joint in robots.a.raw.joints if joint.point != ZERO}
        if not settings.complete or frame.name in off_axis:
            return

    off, angle = poses_apart(_place(robots, frame), other.T_root_frame)
    if off > settings.tolerances.length:
        yield between("frame", frame, other, off, "m")
    elif angle > settings.tolerances.angle:
        is_right = _is_right_turn(_place(robots, frame), other.T_root_frame)
        # An export never chooses frames anew, so a right angle is a mistake like any other.
        is_right = is_right and not settings.complete
        yield between("frame_right" if is_right else "frame_turned", frame, other, angle, "rad")


def _can_be_said(robot: CanonicalRobot, frame: NamedFrame, settings: ComparisonSettings) -> bool:
    """Return False for a frame that either format cannot express."""
    if frame.kind == FRAME:
        return settings.compares("frames")
    if frame.name == "world":
        return settings.compares("world")
    return (
        frame.kind != EMPTY_LINK
        or settings.compares("massless")
        or not _hangs_on_joint(robot, frame)
    )


def _place(robots: RobotMap, frame: NamedFrame) -> Transform:
    return after(robots.Y[frame.body], frame.T_root_frame)


def _hangs_on_joint(robot: CanonicalRobot, frame: NamedFrame) -> bool:
    """Return True for the frame of a link on a joint: its author chooses its place on the axis, and its turn."""
    return robot.bodies[frame.body].parts[0].link.name == frame.name


def _is_right_turn(T: Transform, other: Transform) -> bool:
    """Return True if two frames differ by right angles."""
    turn = multiply(transpose(T.rotation), other.rotation)
    return all(min(abs(part), abs(abs(part) - 1.0)) <= RIGHT for row in turn for part in row)


def loop_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield loops without a partner between the same bodies at the same points, whatever their names."""
    if not settings.compares("loops"):
        return
    # Authors name loops freely, so a loop is identified by the bodies it joins, and used once.
    remaining = list(robots.b.raw.loops)
    for loop in robots.a.raw.loops:
        partner = next(
            (candidate for candidate in remaining if _same_loop(robots, loop, candidate, settings)),
            None,
        )
        if partner is not None:
            remaining.remove(partner)
            yield from _loop_values(robots, loop, partner, settings)
        else:
            yield one_sided("loop_only_a", loop.name, "a", loop.line, (loop.name, *loop.links))
    for loop in remaining:
        yield one_sided("loop_only_b", loop.name, "b", loop.line, (loop.name, *loop.links))


def _same_loop(
    robots: RobotMap, loop: RawLoop, other: RawLoop, settings: ComparisonSettings
) -> bool:
    """Return True if two loops join the same points, or frames, of the same bodies."""
    if loop.kind != other.kind:
        return False
    ends, others = _ends(robots.a, loop), _ends(robots.b, other)
    if len(ends) < 2 or len(others) < 2:
        return False
    moved = _moved_ends(robots, loop)
    if not _same_axis(loop, other, moved, others, settings):
        return False
    if not _same_polynomial(robots, loop, other, settings):
        return False

    def meets(end: Tuple[int, Transform], end_b: Tuple[int, Transform]) -> bool:
        (body, T), (body_b, U) = end, end_b
        off, angle = poses_apart(T, U)
        is_turned = loop.kind != "point" and angle > settings.tolerances.angle
        return body == body_b and off <= settings.tolerances.length and not is_turned

    if all(map(meets, moved, others)):
        return True
    # Only a polynomial law distinguishes its two ends: the leader and the follower.
    return not loop.polynomial and all(map(meets, moved, others[::-1]))


def _moved_ends(robots: RobotMap, loop: RawLoop) -> List[Tuple[int, Transform]]:
    """Return the ends of a loop of A in terms of B: the body by its number in B, the pose in B's root."""
    return [
        (robots.bodies.get(body, -1), after(robots.Y[body], T) if body in robots.Y else T)
        for body, T in _ends(robots.a, loop)
    ]


def _loop_values(
    robots: RobotMap, loop: RawLoop, other: RawLoop, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the limits and other values that differ between two joints that close the same loop."""
    bounds = loop.bounds
    if _is_reversed(robots, loop, other):
        # Positions of the other joint are negative, so its lower limit is the upper limit.
        bounds = {ENDS.get(name, name): number for name, number in bounds.items()}
        bounds = {name: -number if name in ENDS else number for name, number in bounds.items()}
    for name in BOUNDS if "limits" in settings.aspects else ():
        number = bounds.get(name)
        other_number = other.bounds.get(name)
        is_near = scaled_gap(number, other_number) <= settings.tolerances.number
        if settings.compares(name) and not is_near:
            first, second = (() if each is None else (each,) for each in (number, other_number))
            yield value_difference(
                "loop_value", loop.name, name, first, second, loop.line, other.line
            )
    if "dynamics" in settings.aspects:
        for name, value, other_value in differing_values(loop.values, other.values, settings):
            yield value_difference(
                "loop_value", loop.name, name, value, other_value, loop.line, other.line
            )


def _is_reversed(robots: RobotMap, loop: RawLoop, other: RawLoop) -> bool:
    """Return True if the position of the joint of one loop is that of the other with the other sign."""
    if loop.axis is None or other.axis is None:
        return False
    ends = _moved_ends(robots, loop)
    others = _ends(robots.b, other)
    axis = rotate(ends[0][1].rotation, loop.axis)
    other_axis = rotate(others[0][1].rotation, other.axis)
    is_turned = dot(axis, other_axis) < 0.0
    # The joint goes from its first end to its second end.
    are_exchanged = ends[0][0] != others[0][0]
    return is_turned != are_exchanged


def _same_axis(
    loop: RawLoop,
    other: RawLoop,
    moved: Sequence[Tuple[int, Transform]],
    others: Sequence[Tuple[int, Transform]],
    settings: ComparisonSettings,
) -> bool:
    """Return True if both loops turn about or slide along the same direction, of either sign."""
    if loop.axis is None or other.axis is None:
        # If only one has an axis, they differ: only two times None is the same.
        return loop.axis is other.axis
    axis = rotate(moved[0][1].rotation, loop.axis)
    other_axis = rotate(others[0][1].rotation, other.axis)
    # The length of the cross product is the sine of the angle: the sense of the axis does not count.
    return norm(cross(axis, other_axis)) <= settings.tolerances.angle


def _same_polynomial(
    robots: RobotMap, loop: RawLoop, other: RawLoop, settings: ComparisonSettings
) -> bool:
    """Return True if the followers of both loops have the same law: p_b(x) = s p_a((x - c_leader) / s_leader) + c."""
    pairs = {pair.a.child: pair for pair in robots.pairs}
    follower, leader = (pairs.get(robots.a.body_of.get(link, -1)) for link in loop.links)
    if not loop.polynomial or follower is None or leader is None:
        return loop.polynomial == other.polynomial
    # The inverse of a sign is the sign itself: (x - c) / s = s x - s c.
    sign = follower.choice.sign
    turned = leader.choice.sign
    shift = -turned * leader.offset
    law = [sign * factor for factor in composed_polynomial(loop.polynomial, turned, shift)]
    law[0] += follower.offset
    return all(
        scaled_gap(p, q, 1.0) <= settings.tolerances.number
        for p, q in zip_longest(law, other.polynomial, fillvalue=0.0)
    )


def _ends(robot: CanonicalRobot, loop: RawLoop) -> List[Tuple[int, Transform]]:
    """Return the body and the pose of each end; -1 for an empty link above a floating joint, which is the world."""
    poses = link_places(robot)
    names = {link.name for link in robot.raw.links}
    return [
        (robot.body_of.get(link, -1), compose(poses.get(link, IDENTITY_POSE), T))
        for link, T in zip(loop.links, loop.T_link_end)
        if link in names
    ]


class PlacedSensor(Record):
    """A sensor with its body, and its frame relative to the root frame."""

    sensor: RawSensor
    body: int
    T: Transform


def _sensor_pairs(
    robots: RobotMap, first: Sequence[PlacedSensor], second: Sequence[PlacedSensor]
) -> List[Tuple[int, int]]:
    """Return pairs of indices with equal names; among equal names, with equal kind and body, and the nearest."""

    def apart(
        placed: PlacedSensor, other: PlacedSensor
    ) -> Tuple[bool, bool, Tuple[float, float], bool]:
        is_there = robots.bodies.get(placed.body) == other.body
        gap = (
            poses_apart(after(robots.Y[placed.body], placed.T), other.T) if is_there else (0.0, 0.0)
        )
        return (
            # False sorts before True: same kind, same body, nearest, same words.
            placed.sensor.kind != other.sensor.kind,
            not is_there,
            gap,
            placed.sensor.words != other.sensor.words,
        )

    pairs: List[Tuple[int, int]] = []
    remaining = list(range(len(second)))
    for k, placed in enumerate(first):
        # SDF requires unique names among siblings only: sensors on two links may share a name.
        named = [m for m in remaining if second[m].sensor.name == placed.sensor.name]
        if named:
            pairs.append((k, min(named, key=lambda m: apart(placed, second[m]))))
            remaining.remove(pairs[-1][1])
    return pairs


def sensor_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield sensors that are missing, or have a different kind, pose or settings."""
    if not settings.compares("sensors"):
        return
    first, second = _sensors(robots.a), _sensors(robots.b)
    pairs = _sensor_pairs(robots, first, second)
    yield from _left("sensor_only_a", first, {k for k, _ in pairs}, settings)
    yield from _left("sensor_only_b", second, {m for _, m in pairs}, settings)

    for k, m in pairs:
        a = first[k]
        b = second[m]
        kinds = a.sensor.kind, b.sensor.kind
        if kinds[0] != kinds[1] and settings.compares(*kinds):
            yield between("sensor_kind", a.sensor, b.sensor, values=kinds, words=kinds)
        if robots.bodies.get(a.body) != b.body:
            # A sensor on links with exchanged names is exchanged with them.
            is_named = robots.a.bodies[a.body].name == robots.b.bodies[b.body].name
            if settings.complete or not is_named:
                names = a.sensor.link, b.sensor.link
                yield between("sensor_body", a.sensor, b.sensor, words=names)
            continue

        # Formats differ in whether a link or a joint holds a sensor, so the holder is compared only within a format.
        of_one_format = robots.a.raw.format == robots.b.raw.format
        if of_one_format and bool(a.sensor.joint) != bool(b.sensor.joint):
            names = a.sensor.joint or a.sensor.link, b.sensor.joint or b.sensor.link
            yield between("sensor_body", a.sensor, b.sensor, words=names)

        off, angle = poses_apart(after(robots.Y[a.body], a.T), b.T)
        is_apart = off > settings.tolerances.length or angle > settings.tolerances.angle
        # A contact sensor without a pose measures on its whole body.
        poses = a.sensor.T_link_sensor, b.sensor.T_link_sensor
        is_placed = a.sensor.kind != "contact" or poses != (IDENTITY_POSE, IDENTITY_POSE)
        if is_apart and is_placed and settings.compares("sensor_pose"):
            yield between("sensor_pose", a.sensor, b.sensor, off, "m", numbers=(off, angle))
        yield from _settings_of_sensors(a.sensor, b.sensor, settings)


def _settings_of_sensors(
    a: RawSensor, b: RawSensor, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the differences of two sensors of a kind: rate, words, values."""
    if settings.compares("rate") and scaled_gap(a.rate, b.rate) > settings.tolerances.number:
        (rate,), (other,) = lists_told_apart((a.rate,), (b.rate,))
        yield between("sensor_rate", a, b, None, "Hz", (a.rate, b.rate), (rate, other))
    for what, words, others in (("words", a.words, b.words), ("readings", a.readings, b.readings)):
        if (settings.complete or what == "words") and settings.compares(what) and words != others:
            yield between(
                "sensor_words" if settings.complete else "sensor_settings",
                a,
                b,
                words=(_first_odd(words, others), _first_odd(others, words)),
            )
    for value, value_a, value_b in differing_values(a.values, b.values, settings):
        yield value_difference("sensor_value", a.name, value, value_a, value_b, a.line, b.line)


def _first_odd(words: Sequence[Union[str, Word]], others: Sequence[Union[str, Word]]) -> str:
    """Return the first word that differs, as text."""
    odd = next((word for word, other in zip_longest(words, others) if word != other), None)
    return odd if isinstance(odd, str) else " ".join(map(str, odd or ("nothing",)))


def _sensors(robot: CanonicalRobot) -> List[PlacedSensor]:
    if not robot.raw.sensors:
        return []
    poses = link_places(robot)
    return [
        PlacedSensor(
            sensor, robot.body_of[sensor.link], compose(poses[sensor.link], sensor.T_link_sensor)
        )
        for sensor in robot.raw.sensors
        if sensor.link in poses
    ]


def _left(
    kind: str, placed: Sequence[PlacedSensor], paired: Set[int], settings: ComparisonSettings
) -> Iterator[Difference]:
    for k, (sensor, *_) in enumerate(placed):
        if k not in paired and settings.compares(sensor.kind):
            names = (sensor.name, sensor.kind)
            yield one_sided(kind, sensor.name, kind[-1], sensor.line, names)


def actuator_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield joints with other actuators: kinds, names and values.

    A file without any actuator, as most URDFs, is not compared, except as a complete copy. A value that only a
    simulator's file gives, beside a URDF, is a note: simulators need more than a URDF's transmissions contain.
    """
    first, second = _by_joint(robots.a.raw.actuators), _by_joint(robots.b.raw.actuators)
    if not settings.compares("actuators") or not settings.complete and not (first and second):
        return
    open_side = "" if settings.complete else _open_side(robots.a.raw, robots.b.raw)
    for pair in robots.pairs:
        a = pair.a.raw
        b = pair.b.raw
        driven = first.get(a.name, [])
        other = second.get(b.name, [])
        kind = " and ".join(actuator.kind for actuator in driven) or "none"
        kind_b = " and ".join(actuator.kind for actuator in other) or "none"
        if kind != kind_b:
            if {"A": kind, "B": kind_b}.get(open_side) == "none":
                yield _left_open(a, b, open_side, "what drives it")
                continue
            line_a = driven[0].line if driven else a.line
            line_b = other[0].line if other else b.line
            names = a.name, kind, kind_b
            yield Difference(
                kind="actuator_kind",
                where=a.name,
                size=0.0,
                unit="",
                a=kind,
                b=kind_b,
                names=names,
                numbers=(),
                line_a=line_a,
                line_b=line_b,
            )
            continue
        names_count = settings.complete and settings.compares("name")
        for motor, partner in map(_with_offsets, driven, other):
            if names_count and not is_called(partner.name, motor.name):
                names = a.name, motor.name, partner.name
                lines = motor.line, partner.line
                yield Difference("actuator_name", a.name, 0.0, "", *names[1:], names, (), *lines)

            sign = pair.choice.sign
            offset = pair.offset
            values = {name: _mapped(motor, partner, name, sign, offset) for name in motor.values}
            said = {"A": values, "B": partner.values}
            for name, value_a, value_b in differing_values(values, partner.values, settings):
                if open_side and name not in said[open_side]:
                    yield _left_open(a, b, open_side, f"its {name.replace('_', ' ')}")
                    continue
                yield value_difference(
                    "actuator", a.name, name, value_a, value_b, motor.line, partner.line
                )


def _open_side(a: RawRobot, b: RawRobot) -> str:
    """Return the file that may leave the drives of its joints open, A or B: a URDF beside a file of another format."""
    if a.format == b.format:
        return ""
    return "A" if a.format == "urdf" else "B" if b.format == "urdf" else ""


def _left_open(a: RawJoint, b: RawJoint, side: str, what: str) -> Difference:
    other = "B" if side == "A" else "A"
    return between("drive_open", a, b, words=(other, what))


def _with_offsets(first: RawActuator, second: RawActuator) -> Tuple[RawActuator, RawActuator]:
    """Return both actuators, with the offset 0 for a transmission without offset beside a transmission with one."""
    name = "transmission_offset"
    if name not in {**first.values, **second.values}:
        return first, second
    first, second = (
        each._replace(values={name: (0.0,), **each.values}) for each in (first, second)
    )
    return first, second


def _mapped(
    actuator: RawActuator, other: RawActuator, name: str, sign: float, offset: float
) -> Reals:
    """Return a value of an actuator of A for the joint of B: sided values change sign, and positions are shifted.

    The transmission of a reversed joint may keep its sense: then its motor turns the other way, too.
    """
    value = actuator.values[name]
    is_position = name == "control_range" and actuator.kind == "position"
    moved = offset if is_position or name == "transmission_offset" else 0.0
    if sign < 0.0 and name in OF_TRANSMISSION and _keeps_its_sense(actuator, other, -offset):
        return other.values.get(name, value)
    # A value without a side, such as a gain, is equal for both senses of the joint.
    if name not in SIDED or sign > 0.0 and not moved:
        return value
    # The lower end of a range becomes the upper end if the joint is reversed.
    return tuple(sign * number + moved for number in (value if sign > 0.0 else reversed(value)))


def _keeps_its_sense(actuator: RawActuator, other: RawActuator, moved: float) -> bool:
    """Return True if a transmission has the same reduction, and an offset that stays, or is only shifted.

    The shift may have either sign: the zero moved after the joint was reversed, or before.
    """
    (reduction, offset), (reduction_now, offset_now) = (
        [each.values.get(part, (0.0,))[0] for part in OF_TRANSMISSION] for each in (actuator, other)
    )
    return reduction == reduction_now and any(
        isclose(wanted, offset_now, rel_tol=1e-9, abs_tol=1e-9)
        for wanted in (offset, offset + moved, offset - moved)
    )


def _by_joint(actuators: Sequence[RawActuator]) -> Dict[str, List[RawActuator]]:
    return grouped((actuator.joint, actuator) for actuator in actuators)
