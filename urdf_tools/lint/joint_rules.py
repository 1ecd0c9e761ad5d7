"""Rules for joints (limits, effort and velocity, mimic, names) and for the robot as a whole.

The rules for the robot find lengths in another unit, and joints that turn about an axis far from their parts.
"""

from __future__ import annotations

from itertools import chain, count
from math import fsum, prod
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic, NOTE
from ..base.exact_trigonometry import cosine_sine, PI
from ..base.number_text import format_number
from ..plan.name_words import left_right_pairs
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import (
    AttributeEdit,
    UrdfJoint,
    Limit,
    MOVABLE,
    NO_MASS,
    poses_at,
    UrdfRobot,
)
from ..urdf.spatial_math import compose, dot, IDENTITY_POSE, Transform, rotate, subtract
from ..meshes.verify_witnesses import distance
from .lint_diagnostics import (
    FOLLOWER_LIMITS,
    JOINT_FAR,
    LIMITS_DEGREES,
    LIMITS_EMPTY,
    LIMITS_REVERSED,
    NO_DRIVE,
    ODD_AXIS,
    SAME_NAME,
    TOO_LIGHT,
    UNITS,
)
from .mass_rules import OSMIUM, scaled_down, supports_of_bodies
from .finding_records import LintFinding, Findings, found, LintedRobot
from .shape_bounds import find_bodies, sides_of, ShapeBounds, supports_of

# [rad] a limit of this many turns rather means a continuous joint, or degrees.
LEAST_TURNS = 3.0 * 2.0 * PI
MOST_DEGREES = 360.0  # larger numbers rather mean that there is no limit
SAME_LIMIT = 2e-3  # [rad or m] the difference allowed between left and right
ROUNDED = 0.01  # of a range. Two of 82 followers of public robots exceed their range, each by the whole of it
ENDS = ("lower", "upper")
MANY_AXES = 5  # in 5 of 6 robots with this many axes none is negative


def joint_rules(subject: LintedRobot) -> Findings:
    """Yield the faults of single joints."""
    robot = subject.robot
    yield from _names_twice(robot)
    swapped = _swapped_limits(subject)
    for joint in robot.joints:
        element = joint.source.find("limit")
        limit = joint.limit
        if joint.type not in MOVABLE or element is None or limit is None:
            continue
        yield from _drive(joint, limit, element)
        if joint.type == "continuous" or limit.lower is None or limit.upper is None:
            continue
        yield from _range(joint, limit.lower, limit.upper, element, swapped)
    yield from _followers(subject)
    yield from _odd_axis(robot)


def _names_twice(robot: UrdfRobot) -> Findings:
    """Yield joints with duplicate names. If one of the two joints is fixed, propose a free name for one."""
    first: Dict[str, UrdfJoint] = {}
    taken = set(robot.named)
    for joint in robot.joints:
        other = first.setdefault(joint.name, joint)
        if other is joint:
            continue
        edits: Tuple[AttributeEdit, ...] = ()
        # Two moving joints may be a part exported twice, which a rename would hide.
        if "fixed" in (joint.type, other.type):
            numbered = (f"{joint.name}_{number}" for number in count(2))
            free = next(name for name in numbered if name not in taken)
            taken.add(free)
            # References mean the first joint of the name that can move, so the other one is renamed.
            renamed = joint if robot.named[joint.name] is not joint else other
            edits = (AttributeEdit(renamed.source, "name", free),)
        diagnostic = Diagnostic(
            kind=SAME_NAME,
            line=joint.source.line,
            sentence="joint",
            names=(joint.name,),
            numbers=(other.source.line,),
        )
        yield LintFinding(diagnostic, edits)


def _drive(joint: UrdfJoint, limit: Limit, element: Element) -> Findings:
    """Yield effort and velocity that are zero or negative: no actuator can move the joint, or programs refuse it."""
    values = {"effort": limit.effort, "velocity": limit.velocity}
    zero = " and ".join(name for name, value in values.items() if value == 0.0)
    if zero:
        yield found(NO_DRIVE, element.line, "zero", (joint.name, zero))
    for name, value in values.items():
        if value is not None and value < 0.0:
            yield found(NO_DRIVE, element.line, "negative", (joint.name, name), (value,))


def _range(
    joint: UrdfJoint, lower: float, upper: float, element: Element, swapped: Set[str]
) -> Findings:
    """Yield limits that are reversed, leave no range, or span several turns."""
    if lower > upper:
        # Either the ends are swapped, or their signs: the edit is unique if both give the same range, or if the joint
        # on the other side of the robot has the swapped limits.
        edits: Tuple[AttributeEdit, ...] = ()
        if lower == -upper or joint.name in swapped:
            pairs = zip(ENDS, ENDS[::-1])
            edits = tuple(AttributeEdit(element, end, element.get(other)) for end, other in pairs)
        limits = (lower, upper)
        yield found(LIMITS_REVERSED, element.line, "joint", (joint.name,), limits, edits)
    elif lower == upper:
        yield found(LIMITS_EMPTY, element.line, "joint", (joint.name,), (lower,))
    elif joint.type == "revolute" and max(abs(lower), abs(upper)) > LEAST_TURNS:
        yield _turns(joint, lower, upper, element)


def _turns(joint: UrdfJoint, lower: float, upper: float, element: Element) -> LintFinding:
    """Return the finding of a limit of several turns: a warning with a repair if it seems to be in degrees."""
    numbers = (lower, upper, max(abs(lower), abs(upper)) / (2.0 * PI))
    if not _seem_degrees(lower, upper):
        kind = LIMITS_DEGREES._replace(severity=NOTE)
        return found(kind, element.line, "turns", (joint.name,), numbers)
    radians = [format_number(end * PI / 180.0) for end in (lower, upper)]
    edits = tuple(AttributeEdit(element, end, text) for end, text in zip(ENDS, radians))
    return found(LIMITS_DEGREES, element.line, "joint", (joint.name,), numbers, edits)


def _seem_degrees(lower: float, upper: float) -> bool:
    """Return True for limits that people write in degrees; not for round numbers that mean no limit.

    These are multiples of five, or one of them is a multiple of a right angle.
    """
    largest = max(abs(lower), abs(upper))
    if largest > MOST_DEGREES:
        return False
    is_right_angle = any(end and end % 90.0 == 0.0 for end in (lower, upper))
    if any(end % 5.0 for end in (lower, upper)) and not is_right_angle:
        return False
    return not (lower == -upper and largest in (20.0, 25.0, 50.0, 100.0, 200.0))


def _swapped_limits(subject: LintedRobot) -> Set[str]:
    """Return the names of joints with reversed limits that, when swapped, mirror the limits on the other side."""
    names = set()
    for limbs in subject.limbs:
        from ..compare.joint_differences import range_gap, range_in_a, range_of

        for pair in limbs.robots.pairs:
            name = pair.a.raw.name
            low, high = range_of(pair.a.raw)
            bounds = range_in_a(pair, range_of(pair.b.raw))
            if low is None or high is None or range_gap((high, low), bounds) >= SAME_LIMIT:
                continue
            if low > high:
                names.add(name)
            else:  # the twin is the reversed one
                names.add(limbs.names[name])
    return names


def _followers(subject: LintedRobot) -> Findings:
    """Yield mimic joints that exceed their limits while their leader is within its limits."""
    named = subject.robot.named
    for joint in subject.robot.joints:
        leader = named.get(joint.mimic.joint) if joint.mimic else None
        if leader is None or joint.mimic is None:
            continue
        of_leader = _ordered_range(leader)
        own = _ordered_range(joint)
        if of_leader is None or own is None:
            continue
        # A negative multiplier swaps the ends.
        low, high = sorted(joint.mimic.multiplier * end + joint.mimic.offset for end in of_leader)
        own_low, own_high = own
        over = max(own_low - low, high - own_high)
        if over > ROUNDED * max(own_high - own_low, high - low):
            names = (joint.name, leader.name)
            numbers = (low, high, own_low, own_high)
            yield found(FOLLOWER_LIMITS, joint.source.line, "joint", names, numbers)


def _ordered_range(joint: UrdfJoint) -> Optional[Tuple[float, float]]:
    """Return the limits of a joint; None without both, for a continuous joint, and for reversed limits."""
    limit = joint.limit
    if joint.type == "continuous" or limit is None or limit.lower is None or limit.upper is None:
        return None
    return None if limit.lower > limit.upper else (limit.lower, limit.upper)


# Of 396 public robots the density of all hulls is 87 to 1753 kg/m^3 for nine in ten, and below 0.5 for three (a drill
# without masses, a gantry, a file read in the wrong unit). Boxes are about twice as large as hulls.
# Densities of the boxes of all drawn links [kg/m^3].
LIGHTEST = 0.25
USUAL = (20.0, 8000.0)
# The factor by which a volume in a wrong unit is too large; below, the factor for lengths.
FACTORS = {1e9: "millimeters", 1e6: "centimeters"}
LENGTHS = {1e9: 1000.0, 1e6: 100.0}
TOO_SMALL = {1e-9: "1,000", 1e-6: "100"}  # how many times lengths are too small
MARKER = 0.005  # [m] a smaller shape is a marker
# Of 6576 joints of 490 robots none is as far from both its bodies as half the length of the larger body, six as a
# fifth.
# Parts of the larger body.
FAR = 0.5
RATHER_FAR = 0.2
LEAST = 0.02  # [m]
# Of 172 public robots ten are drawn so that several axes pass by a body, and in one a single axis does.
BESIDE = 0.05  # part of the body that the axis passes by
LEAST_BESIDE = 0.005  # [m]
LONGER = 10.0  # times the extent of all joints: the shape is in a different unit
DIRECTIONS = [cosine_sine(2.0 * PI * k / 90) for k in range(90)]  # every 4 degrees


def _odd_axis(robot: UrdfRobot) -> Findings:
    """Yield the only negative axis among many joints; a twin on the other side justifies a negative axis."""
    turning = [
        joint
        for joint in robot.joints
        if joint.type in ("revolute", "continuous") and joint.mimic is None
    ]
    negative = [joint for joint in turning if max(joint.axis, key=abs) < 0.0]
    if len(turning) < MANY_AXES or len(negative) != 1:
        return
    (joint,) = negative
    if not any(joint.name in pair for pair in left_right_pairs(list(robot.named))):
        numbers = (float(len(turning)),)
        yield found(ODD_AXIS, joint.source.line, "joint", (joint.name,), numbers)


def _sides_of_links(subject: LintedRobot) -> Iterator[Tuple[float, List[float]]]:
    """Yield the mass of each drawn link with a mass, and the sides of its box."""
    for link in subject.robot.links.values():
        if link.mass > NO_MASS:
            supports = supports_of([(link, IDENTITY_POSE)], subject.box_of_mesh)
            sides = sides_of(supports) if supports else [0.0]
            if min(sides) > 0.0:
                yield link.mass, sides


def robot_rules(subject: LintedRobot) -> Findings:
    """Yield findings about the lengths of a robot: all of them, and those between axes and parts."""
    drawn = [*_sides_of_links(subject)]
    longest = max((max(sides) for _, sides in drawn), default=0.0)
    # If nothing is larger than a marker, everything is too small, or the shapes are markers far apart.
    least = MARKER if longest > MARKER else 0.0
    drawn = [(mass, sides) for mass, sides in drawn if max(sides) > least]
    volume = fsum(prod(sides) for _, sides in drawn)
    mass = fsum(mass for mass, _ in drawn)
    is_light = mass < LIGHTEST * volume
    # Parts that are far apart for their size are markers of a larger robot.
    is_dense = mass > OSMIUM * volume and _apart(subject.robot) < LONGER * longest
    if len(drawn) > 1 and (is_light or is_dense):
        known = {**FACTORS, **TOO_SMALL}
        # A unit is named only if no other unit makes the density usual, too.
        units = [factor for factor in known if USUAL[0] < factor * mass / volume < USUAL[1]]
        names = (known[units[0]],) if len(units) == 1 else ()
        sentence = "robot" if is_light else "small"
        numbers = (mass, volume, mass / volume)
        if names or is_light:
            kind = UNITS if names else TOO_LIGHT
            finding = found(kind, 0, sentence, names, numbers)
            if names and is_light:
                finding = _of_shapes(finding, subject, units[0])
            yield finding
    yield from _far_joints(subject)


def _of_shapes(finding: LintFinding, subject: LintedRobot, factor: float) -> LintFinding:
    """Return the finding of a wrong unit, restricted to the shapes and their scales if the joints are in a different
    unit.
    """
    robot = subject.robot
    apart = _apart(robot)
    supports: List[ShapeBounds] = []
    for link in robot.links.values():
        supports += supports_of([(link, IDENTITY_POSE)], subject.box_of_mesh) or ()
    sides = [max(sides_of([support])) for support in supports]
    large = [support for support, side in zip(supports, sides) if side > LONGER * apart]
    if not large or not apart:
        return finding
    diagnostic = finding.diagnostic
    numbers = (*diagnostic.numbers, max(sides), apart)
    edits = scaled_down(large, LENGTHS[factor])
    return LintFinding(diagnostic._replace(sentence="shapes", numbers=numbers), tuple(edits))


def _apart(robot: UrdfRobot) -> float:
    """Return the largest distance of a frame from the frame of the first link [m]."""
    places = [T.translation for T in poses_at(robot, {}, IDENTITY_POSE).values()]
    return max(distance(places[0], position) for position in places)


def _far_joints(subject: LintedRobot) -> Findings:
    """Yield joints whose axis is far from all shapes of both their bodies."""
    robot = subject.robot
    placed = find_bodies(subject.robot)
    known = supports_of_bodies(subject)
    beside: List[Diagnostic] = []  # several such joints are a style of drawing
    for joint in robot.joints:
        if joint.type not in ("revolute", "continuous"):
            continue
        parent = placed[joint.parent]
        ends = [
            (known[parent.name], compose(parent.T_body_link, joint.origin)),
            (known[joint.child], IDENTITY_POSE),
        ]
        sizes = [max(sides_of(shapes)) for shapes, _ in ends if shapes]
        if len(sizes) < 2:
            continue
        gaps = [_distance(shapes, T, joint) for shapes, T in ends if shapes]
        apart = min(gaps)
        names = (joint.name, joint.parent, joint.child)
        # Correct robots have joints at a fifth (see above), but none at half.
        kind = JOINT_FAR if apart > FAR * max(sizes) else JOINT_FAR._replace(severity=NOTE)
        if apart > max(LEAST, RATHER_FAR * max(sizes)):
            numbers = (apart, max(sizes))
            yield found(kind, joint.source.line, "joint", names, numbers)
            continue
        for gap, size, name in zip(gaps, sizes, names[1:]):
            if gap > max(LEAST_BESIDE, BESIDE * size):
                numbers = (1000.0 * gap, 1000.0 * size)
                finding = found(kind, joint.source.line, "one", (joint.name, name), numbers)
                beside.append(finding.diagnostic)
    if len(beside) == 1:
        yield LintFinding(beside[0])


def _distance(shapes: Sequence[ShapeBounds], T_body_joint: Transform, joint: UrdfJoint) -> float:
    """Return a lower bound of the distance from the axis of a joint to the hull of shapes [m]; 0: it may be inside.

    A direction perpendicular to the axis in which all corners lie beyond a distance proves it.
    """
    from ..compare.zero_candidates import across

    frame = across(rotate(T_body_joint.rotation, joint.axis))
    corners = chain.from_iterable(shape.corners for shape in shapes)
    offsets = [subtract(corner, T_body_joint.translation) for corner in corners]
    flat = [(dot(offset, frame.first), dot(offset, frame.second)) for offset in offsets]
    return max(0.0, *(min(x * c + y * s for x, y in flat) for c, s in DIRECTIONS))
