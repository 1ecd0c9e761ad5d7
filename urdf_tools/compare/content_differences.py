"""Differences in frames, loops, sensors and actuators."""

from __future__ import annotations

from itertools import zip_longest
from math import isclose
from typing import Dict, Iterator, List, Sequence, Set, Tuple, Union

from ..base.type_aliases import Reals
from ..base.number_text import grouped
from ..base.record_type import Record
from ..formats.reader_helpers import composed_polynomial
from ..robot.canonical_robot import CanonicalRobot, EMPTY_LINK, FRAME, LINK, link_places, NamedFrame
from ..robot.joint_motion import after
from ..robot.raw_robot import RawActuator, RawJoint, RawLoop, RawRobot, RawSensor, Word
from ..urdf.spatial_math import (
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
from .difference_records import (
    between,
    Difference,
    is_called,
    one_sided,
    poses_apart,
    scaled_gap,
    ComparisonSettings,
)
from .joint_differences import differing_values, value_difference
from .robot_map import JointPair, RobotMap
from .distinguishable_numbers import lists_told_apart

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
        candidates = partners.get(frame.name, [])
        if not candidates:
            if settings.complete and _can_be_said(robots.a, frame, settings):
                yield one_sided("frame_only_a", frame.name, "a", frame.line)
            continue
        # A site may have the name of a body: the frame of the same kind comes first.
        candidates.sort(key=lambda other: (other.kind == FRAME) != (frame.kind == FRAME))
        # Taken out, so that two frames of a name do not get the same partner.
        other = candidates.pop(0)
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
    """Return True if both formats can express a frame of a robot."""
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
    """Return the pose of a frame of A, by the map, in the frame of B's root; its body has a partner."""
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
    mapped = _moved_ends(robots, loop)
    ends_b = _ends(robots.b, other)
    # An end on a link that does not exist cannot be compared.
    if len(mapped) < 2 or len(ends_b) < 2:
        return False
    if not _same_axis(loop, other, mapped, ends_b, settings):
        return False
    if not _same_polynomial(robots, loop, other, settings):
        return False

    def meets(end: Tuple[int, Transform], end_b: Tuple[int, Transform]) -> bool:
        """Return True if two ends are on one body in one place; the turn of a point does not count."""
        body, T_root_end = end
        body_b, T_root_end_b = end_b
        off, angle = poses_apart(T_root_end, T_root_end_b)
        is_turned = loop.kind != "point" and angle > settings.tolerances.angle
        return body == body_b and off <= settings.tolerances.length and not is_turned

    if all(map(meets, mapped, ends_b)):
        return True
    # Only a polynomial law distinguishes its two ends: the leader and the follower.
    return not loop.polynomial and all(map(meets, mapped, reversed(ends_b)))


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
    """Return True if the joints of two loops count their positions in opposite directions."""
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
    ends: Sequence[Tuple[int, Transform]],
    other_ends: Sequence[Tuple[int, Transform]],
    settings: ComparisonSettings,
) -> bool:
    """Return True if both loops turn about or slide along the same direction, of either sign.

    The ends of both loops have their poses in the frame of B's root; an axis is in the frame of the first end.
    """
    if loop.axis is None or other.axis is None:
        # If only one has an axis, they differ: only two times None is the same.
        return loop.axis is other.axis
    _, T_root_end = ends[0]
    _, T_root_other_end = other_ends[0]
    axis = rotate(T_root_end.rotation, loop.axis)
    other_axis = rotate(T_root_other_end.rotation, other.axis)
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
    sign_of_leader = leader.choice.sign
    shift = -sign_of_leader * leader.offset
    law_of_a = composed_polynomial(loop.polynomial, sign_of_leader, shift)
    law = [follower.choice.sign * factor for factor in law_of_a]
    law[0] += follower.offset
    # Factors below 1 are compared as they are: the law of a small position is not nearer than of a large one.
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
    """A sensor with the number of its body, and its pose in the frame of its robot's root."""

    sensor: RawSensor
    body: int
    T: Transform


def _sensor_pairs(
    robots: RobotMap, first: Sequence[PlacedSensor], second: Sequence[PlacedSensor]
) -> List[Tuple[int, int]]:
    """Return pairs of indices of sensors with equal names; among equal names, with equal kind and body, and the nearest.

    A sensor is in one pair at most.
    """

    def unlikeness(
        placed: PlacedSensor, other: PlacedSensor
    ) -> Tuple[bool, bool, Tuple[float, float], bool]:
        """Return a key that is least for the likeliest partner: same kind, same body, nearest, same words."""
        is_on_partner = robots.bodies.get(placed.body) == other.body
        distance_and_angle = (0.0, 0.0)
        if is_on_partner:
            distance_and_angle = poses_apart(after(robots.Y[placed.body], placed.T), other.T)
        return (
            # False sorts before True.
            placed.sensor.kind != other.sensor.kind,
            not is_on_partner,
            distance_and_angle,
            placed.sensor.words != other.sensor.words,
        )

    pairs: List[Tuple[int, int]] = []
    remaining = list(range(len(second)))
    for k, placed in enumerate(first):
        # SDF requires unique names among siblings only: sensors on two links may share a name.
        named = [m for m in remaining if second[m].sensor.name == placed.sensor.name]
        if named:
            likeliest = min(named, key=lambda m: unlikeness(placed, second[m]))
            pairs.append((k, likeliest))
            remaining.remove(likeliest)
    return pairs


def sensor_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield sensors that are missing, or have a different kind, pose or settings."""
    if not settings.compares("sensors"):
        return
    first = _sensors(robots.a)
    second = _sensors(robots.b)
    pairs = _sensor_pairs(robots, first, second)
    yield from _without_partner("sensor_only_a", "a", first, {k for k, _ in pairs}, settings)
    yield from _without_partner("sensor_only_b", "b", second, {m for _, m in pairs}, settings)
    for k, m in pairs:
        yield from _between_sensors(robots, first[k], second[m], settings)


def _between_sensors(
    robots: RobotMap, a: PlacedSensor, b: PlacedSensor, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the differences of two sensors of a name: kind, body or joint, pose, settings."""
    kinds = a.sensor.kind, b.sensor.kind
    if a.sensor.kind != b.sensor.kind and settings.compares(*kinds):
        yield between("sensor_kind", a.sensor, b.sensor, values=kinds, words=kinds)
    if robots.bodies.get(a.body) != b.body:
        # A sensor on links with exchanged names is exchanged with them.
        is_on_named_body = robots.a.bodies[a.body].name == robots.b.bodies[b.body].name
        if settings.complete or not is_on_named_body:
            names = a.sensor.link, b.sensor.link
            yield between("sensor_body", a.sensor, b.sensor, words=names)
        return

    # Formats differ in whether a link or a joint holds a sensor, so the holder is compared only within a format.
    are_of_one_format = robots.a.raw.format == robots.b.raw.format
    if are_of_one_format and bool(a.sensor.joint) != bool(b.sensor.joint):
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
    # An export copies the settings; two authors may write them in other words, which is a note.
    kind = "sensor_words" if settings.complete else "sensor_settings"
    if settings.compares("words") and a.words != b.words:
        odd = (_first_odd(a.words, b.words), _first_odd(b.words, a.words))
        yield between(kind, a, b, words=odd)
    # The readings of a sensor have names of their format, so only an export repeats them.
    if settings.complete and settings.compares("readings") and a.readings != b.readings:
        odd = (_first_odd(a.readings, b.readings), _first_odd(b.readings, a.readings))
        yield between(kind, a, b, words=odd)
    for value, value_a, value_b in differing_values(a.values, b.values, settings):
        yield value_difference("sensor_value", a.name, value, value_a, value_b, a.line, b.line)


def _first_odd(words: Sequence[Union[str, Word]], others: Sequence[Union[str, Word]]) -> str:
    """Return the first of the words that differs from the word at its place in the others, as text.

    `nothing`, if the others only have more words.
    """
    odd = next((word for word, other in zip_longest(words, others) if word != other), None)
    return odd if isinstance(odd, str) else " ".join(map(str, odd or ("nothing",)))


def _sensors(robot: CanonicalRobot) -> List[PlacedSensor]:
    """Return the sensors of a robot with their places; a sensor on a link that has no place is left out."""
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


def _without_partner(
    kind: str,
    side: str,
    sensors: Sequence[PlacedSensor],
    paired: Set[int],
    settings: ComparisonSettings,
) -> Iterator[Difference]:
    """Yield the sensors of a side, a or b, whose index is not in `paired`, if both formats can express their kind."""
    for index, placed in enumerate(sensors):
        sensor = placed.sensor
        if index not in paired and settings.compares(sensor.kind):
            yield one_sided(kind, sensor.name, side, sensor.line, (sensor.name, sensor.kind))


def actuator_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield joints with other actuators: kinds, names and values.

    A file without any actuator, as most URDFs, is not compared, except as a complete copy. A value that only a
    simulator's file gives, beside a URDF, is a note: simulators need more than a URDF's transmissions contain.
    """
    if not settings.compares("actuators"):
        return
    actuators_a = _by_joint(robots.a.raw.actuators)
    actuators_b = _by_joint(robots.b.raw.actuators)
    if not settings.complete and not (actuators_a and actuators_b):
        return
    open_side = "" if settings.complete else _open_side(robots.a.raw, robots.b.raw)
    for pair in robots.pairs:
        motors_a = actuators_a.get(pair.a.raw.name, [])
        motors_b = actuators_b.get(pair.b.raw.name, [])
        if _kinds_of(motors_a) != _kinds_of(motors_b):
            yield _other_kinds(pair, motors_a, motors_b, open_side)
            continue
        # Several actuators of a joint are partners in the order of both files.
        for motor_a, motor_b in zip(motors_a, motors_b):
            yield from _between_motors(pair, motor_a, motor_b, open_side, settings)


def _kinds_of(motors: Sequence[RawActuator]) -> str:
    """Return the kinds of the actuators of a joint as text: `motor and position`, `none` without an actuator."""
    return " and ".join(motor.kind for motor in motors) or "none"


def _other_kinds(
    pair: JointPair,
    motors_a: Sequence[RawActuator],
    motors_b: Sequence[RawActuator],
    open_side: str,
) -> Difference:
    """Return the difference of two joints with actuators of other kinds; a note if `open_side` has none."""
    a = pair.a.raw
    b = pair.b.raw
    is_open = open_side == "A" and not motors_a or open_side == "B" and not motors_b
    if is_open:
        return _left_open(a, b, open_side, "what drives it")
    kinds_a = _kinds_of(motors_a)
    kinds_b = _kinds_of(motors_b)
    return Difference(
        kind="actuator_kind",
        where=a.name,
        a=kinds_a,
        b=kinds_b,
        names=(a.name, kinds_a, kinds_b),
        line_a=motors_a[0].line if motors_a else a.line,
        line_b=motors_b[0].line if motors_b else b.line,
    )


def _between_motors(
    pair: JointPair,
    motor_a: RawActuator,
    motor_b: RawActuator,
    open_side: str,
    settings: ComparisonSettings,
) -> Iterator[Difference]:
    """Yield the differences of two actuators of a kind: names in a complete copy, and values as mapped to B's joint."""
    a = pair.a.raw
    b = pair.b.raw
    motor_a, motor_b = _with_offsets(motor_a, motor_b)
    names_count = settings.complete and settings.compares("name")
    if names_count and not is_called(motor_b.name, motor_a.name):
        yield Difference(
            kind="actuator_name",
            where=a.name,
            a=motor_a.name,
            b=motor_b.name,
            names=(a.name, motor_a.name, motor_b.name),
            line_a=motor_a.line,
            line_b=motor_b.line,
        )
    sign = pair.choice.sign
    offset = pair.offset
    values_a = {name: _mapped(motor_a, motor_b, name, sign, offset) for name in motor_a.values}
    written_by = {"A": values_a, "B": motor_b.values}
    for name, value_a, value_b in differing_values(values_a, motor_b.values, settings):
        if open_side and name not in written_by[open_side]:
            yield _left_open(a, b, open_side, f"its {name.replace('_', ' ')}")
            continue
        yield value_difference(
            "actuator", a.name, name, value_a, value_b, motor_a.line, motor_b.line
        )


def _open_side(a: RawRobot, b: RawRobot) -> str:
    """Return the file that may leave the drives of its joints open, A or B: a URDF beside a file of another format.

    "": neither may.
    """
    if a.format == b.format:
        return ""
    if a.format == "urdf":
        return "A"
    return "B" if b.format == "urdf" else ""


def _left_open(a: RawJoint, b: RawJoint, side: str, what: str) -> Difference:
    """Return the note that only the other side says what drives a joint, or a value of its actuator."""
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
    shift = offset if is_position or name == "transmission_offset" else 0.0
    if sign < 0.0 and name in OF_TRANSMISSION and _keeps_its_sense(actuator, other, -offset):
        return other.values.get(name, value)
    # A value without a side, such as a gain, is equal for both senses of the joint.
    if name not in SIDED or sign > 0.0 and not shift:
        return value
    # The lower end of a range becomes the upper end if the joint is reversed.
    numbers = value if sign > 0.0 else tuple(reversed(value))
    return tuple(sign * number + shift for number in numbers)


def _keeps_its_sense(actuator: RawActuator, other: RawActuator, moved: float) -> bool:
    """Return True if a transmission has the same reduction, and an offset that stays, or is only shifted.

    The shift may have either sign: the zero moved after the joint was reversed, or before.
    """
    reduction, offset = _transmission_of(actuator)
    other_reduction, other_offset = _transmission_of(other)
    if reduction != other_reduction:
        return False
    # The sums leave the rounding of float64.
    return any(
        isclose(possible, other_offset, rel_tol=1e-9, abs_tol=1e-9)
        for possible in (offset, offset + moved, offset - moved)
    )


def _transmission_of(actuator: RawActuator) -> Tuple[float, float]:
    """Return the reduction and the offset of a transmission [rad or m]; 0 for a missing number."""
    reduction, *_ = actuator.values.get("reduction", (0.0,))
    offset, *_ = actuator.values.get("transmission_offset", (0.0,))
    return reduction, offset


def _by_joint(actuators: Sequence[RawActuator]) -> Dict[str, List[RawActuator]]:
    """Return the actuators by the name of their joint, in the order of the file."""
    return grouped((actuator.joint, actuator) for actuator in actuators)
