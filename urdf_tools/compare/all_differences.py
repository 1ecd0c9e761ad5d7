"""List all differences between two robots under a map, the worst first.

The differences in motion are found here: joints that are missing, or have a different type, line or name.
"""

from __future__ import annotations

import os
from math import degrees
from typing import (
    AbstractSet,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from ..base.graph_walks import depth_first
from ..formats.format_values import FormatLoss, MEANT, precision_of
from ..robot.canonical_robot import CanonicalRobot
from ..robot.raw_robot import RawRobot
from ..urdf.spatial_math import add, norm, rotate, scale, transpose, Vector
from .contact_differences import contact_differences
from .content_differences import (
    actuator_differences,
    frame_differences,
    loop_differences,
    sensor_differences,
)
from .difference_records import (
    ASPECTS,
    between,
    Difference,
    Differences,
    one_sided,
    ComparisonSettings,
    Tolerances,
)
from .joint_differences import dynamics_differences, limit_differences, mimic_differences
from .robot_map import MotionDifferenceBound, bound_of, JointPair, RobotMap
from .shape_differences import shape_differences
from .world_differences import mass_differences, world_differences


def motion_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield the differences that keep the robots from moving alike."""
    yield from _fixed(robots)
    yield from _only("only_a", robots.a, robots.only_a)
    yield from _only("only_b", robots.b, robots.only_b)
    for pair in robots.pairs:
        joint, other = pair.a, pair.b
        # Turns or slides: a continuous and a revolute joint move alike, and differ only in their limits.
        if joint.motion != other.motion:
            types = joint.raw.type, other.raw.type
            yield between("type", joint.raw, other.raw, values=types, words=types)
        else:
            yield from _line(robots, pair, settings)


def _fixed(robots: RobotMap) -> Iterator[Difference]:
    """Yield joints that move in only one file and are fixed in the other."""
    for joint in robots.a.held:
        of_b = one_sided("fixed_in_b", joint.name, "a", joint.line)
        yield of_b._replace(a=joint.type, b="fixed")
    for joint in robots.b.held:
        of_a = one_sided("fixed_in_a", joint.name, "b", joint.line)
        yield of_a._replace(a="fixed", b=joint.type)


def _only(kind: str, robot: CanonicalRobot, indices: Tuple[int, ...]) -> Iterator[Difference]:
    """Yield the topmost joints that only one file has, with their descendants."""
    alone = set(indices)
    for index in indices:
        if robot.bodies[robot.joints[index].parent].joint in alone:
            continue
        inside = names_behind(robot, index)
        side = kind[-1]
        only = one_sided(kind, inside[0], side, robot.joints[index].raw.line, tuple(inside))
        only = only._replace(a=inside[0]) if side == "a" else only._replace(b=inside[0])
        # The sentence counts the descendants of the joint.
        numbers = (float(len(inside) - 1),)
        yield only._replace(size=float(len(inside)), unit="joints", numbers=numbers)


def names_behind(robot: CanonicalRobot, index: int) -> List[str]:
    """Return the names of a joint and of all its descendants."""
    joints = robot.joints
    numbers = depth_first([index], lambda number: robot.child_joints[joints[number].child])
    return [joints[number].raw.name for number in numbers]


def _line(robots: RobotMap, pair: JointPair, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield the distance between the lines of a joint and its partner."""
    tolerances = settings.tolerances
    correction = pair.correction
    choice = pair.choice
    joint, other = pair.a, pair.b
    stays = "_alone" if choice.stays else ""

    # Across the axis and along it: the arrow from A's line to B's, in the frame of B's root.
    gap = add(correction.gap, scale(choice.along, other.axis))
    apart = norm(gap)
    if norm(correction.gap) > tolerances.length:
        body = robots.a.bodies[joint.parent]
        # The sentence names x, y or z of the parent link, so the gap goes back through Y to A, and into that link.
        in_root = rotate(transpose(robots.Y[joint.parent].rotation), gap)
        way = direction_word(rotate(transpose(body.parts[0].T_root_link.rotation), in_root))
        yield between("shifted" + stays, joint.raw, other.raw, apart, "m", words=(way, body.name))
    if correction.turn > tolerances.angle:
        yield between(
            "tilted" + stays,
            joint.raw,
            other.raw,
            correction.turn,
            "rad",
            numbers=(correction.turn, degrees(correction.turn)),
        )
    # A line that moved across was reported with its whole arrow, which includes the part along it.
    if abs(choice.along) > tolerances.length >= norm(correction.gap):
        yield between(
            "along", joint.raw, other.raw, abs(choice.along), "m", numbers=(choice.along,)
        )


def direction_word(v: Vector) -> str:
    """Return the axis closest to a vector, such as `-x`, or its components."""
    length = norm(v)
    for name, part in zip("xyz", v):
        # The cosine of 5 degrees: a vector nearer to an axis is named by the axis.
        if abs(part) > 0.996 * length > 0.0:
            return ("-" if part < 0.0 else "") + name
    return "[" + " ".join(f"{part / length if length else 0.0:.2f}" for part in v) + "]"


def name_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield names of moving joints, then of the links on them if their joints have the right names."""
    # A set for each name, as several joints of a file may have the same name.
    partners: Dict[str, Set[str]] = {}
    for pair in robots.pairs:
        a = pair.a.raw
        b = pair.b.raw
        partners.setdefault(a.name, set()).add(b.name)
    in_b = {joint.raw.name: joint.raw.line for joint in robots.b.joints}
    # A name that B lacks misleads no program: it finds no joint there. A name that moves a different joint does.
    exchanged = {name for name, others in partners.items() if name in in_b and name not in others}
    for pair in robots.pairs:
        a = pair.a.raw
        b = pair.b.raw
        if a.name in exchanged:
            yield Difference(
                "joint_name",
                a.name,
                a=a.name,
                b=b.name,
                names=(a.name, b.name),
                line_a=a.line,
                line_b=in_b[a.name],
            )
    for body, other in robots.bodies.items():
        joint = robots.a.joint_of(body)
        name = robots.a.bodies[body].name
        partner = robots.b.bodies[other].name
        # The sentence about the joint covers its link, which is exchanged with it.
        is_told = joint is not None and joint.raw.name in exchanged
        if robots.b.body_of.get(name, other) != other and not is_told:
            yield Difference(
                "link_name",
                name,
                a=name,
                b=partner,
                names=(name, partner),
                line_a=robots.a.bodies[body].parts[0].link.line,
            )


COMPARED: Mapping[str, Callable[[RobotMap, ComparisonSettings], Iterable[Difference]]] = {
    "motion": motion_differences,
    "mass": mass_differences,
    "limits": limit_differences,
    "mimic": mimic_differences,
    "loops": loop_differences,
    "frames": frame_differences,
    "shapes": shape_differences,
    "surfaces": contact_differences,
    "dynamics": dynamics_differences,
    "actuators": actuator_differences,
    "sensors": sensor_differences,
    "world": world_differences,
    "names": name_differences,
}


def settings_of(
    a: RawRobot,
    b: RawRobot,
    tolerances: Tolerances,
    losses: Mapping[str, Sequence[FormatLoss]],
    aspects: AbstractSet[str] = frozenset(ASPECTS),
    *,
    complete: bool = True,
) -> ComparisonSettings:
    """Return the settings for two robots, without the values that their formats cannot express."""
    unsaid = {loss.what: loss for name in (b.format, a.format) for loss in losses.get(name, ())}
    return ComparisonSettings(
        tolerances=tolerances,
        aspects=aspects,
        unsaid=unsaid,
        meant=(MEANT.get(a.format, {}), MEANT.get(b.format, {})),
        complete=complete,
        precision=precision_of(a.format, b.format),
        folders=(os.path.dirname(a.file), os.path.dirname(b.file)),
    )


def differences_of(
    robots: RobotMap, settings: ComparisonSettings
) -> Tuple[Differences, Optional[MotionDifferenceBound]]:
    """Return all differences under a map, the worst class first, and the bound of the distance at any position."""
    result: List[Difference] = []
    for aspect, differences in COMPARED.items():
        if aspect in settings.aspects:
            result += differences(robots, settings)

    # Lines that are all within the tolerance may add up to more at the end of a long chain.
    bound = bound_of(robots)
    most = settings.tolerances
    if bound is not None and "motion" in settings.aspects:
        if bound.position > most.length or bound.angle > most.angle:
            result += _sum_of_small(result, bound)
    return worst_first(result) if result else (), bound


def _sum_of_small(
    differences: Sequence[Difference], bound: MotionDifferenceBound
) -> List[Difference]:
    """Return the sum of distances of all lines, if no single line differs."""
    from .difference_kinds import GEOMETRY, STRUCTURE, worst_class

    if worst_class(differences) in (STRUCTURE, GEOMETRY):
        return []
    return [
        Difference(
            "sum",
            bound.body,
            bound.position,
            "m",
            names=(bound.body,),
            numbers=(bound.position, bound.angle),
        )
    ]


def worst_first(differences: Sequence[Difference]) -> Differences:
    """Return the worst class first: kinds in the order of the table, in a kind the largest first."""
    from .difference_kinds import KINDS

    order = {kind: index for index, kind in enumerate(KINDS)}
    return tuple(
        sorted(differences, key=lambda difference: (order[difference.kind], -difference.size))
    )
