"""The problems that make a robot impossible to write in any format."""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain, compress
from typing import Any, Dict, Iterable, Iterator, List, Sequence

from ..base.errors import BrokenRobot, raise_all, UrdfError
from ..base.number_text import grouped, short
from ..base.record_type import Record
from ..base.graph_walks import reached_from
from ..urdf.urdf_records import MOVABLE, SIZES
from ..urdf.spatial_math import ZERO
from .export_options import LineOf, no_line
from .model_records import Joint, JOINT_TYPES, Link, RobotRecord
from .model_shapes import Mesh, pieces, Primitive, sizes_of, Visual
from .xml_writer import parse

ROOTS_NAMED = 4  # the largest number of roots, or links of a loop, in a message
ACTUATORS = ("motor", "position", "velocity")


class Problem(Record):
    """A problem of a link, a joint or the whole robot; `kind` and `owner` identify the part."""

    kind: str  # link, joint, material, sensor, actuator, robot
    owner: str
    message: str

    @property
    def sentence(self) -> str:
        """Return the message with its owner."""
        return placed(self.kind, self.owner, self.message)

    def __str__(self) -> str:
        return f"error: {self.sentence}"


def placed(kind: str, owner: str, message: str) -> str:
    """Return a message with its owner; a message about the whole robot is returned unchanged."""
    return f"{kind} '{owner}': {message}" if kind != "robot" else message


def find_problems(robot: RobotRecord) -> List[Problem]:
    """Return the problems of the tree and of numbers; without these, the problems of all parts, in the order of the robot."""
    problems = [*_of_tree(robot), *_of_numbers(robot)]
    if problems:
        return problems
    for link in robot.links:
        problems += [Problem("link", link.name, message) for message in _of_link(link)]
    for joint in robot.joints:
        problems += [Problem("joint", joint.name, message) for message in _of_joint(joint)]
    return [*problems, *_of_rest(robot)]


def refusal(kind: str, owner: str, message: str, line_of: LineOf = no_line) -> UrdfError:
    """Return a problem of a link, a joint or the whole robot as an exception."""
    return BrokenRobot(placed(kind, owner, message), "", line_of(kind, owner))


def errors_of(robot: RobotRecord, line_of: LineOf = no_line) -> List[UrdfError]:
    """Return the problems of a robot as exceptions."""
    return [
        refusal(problem.kind, problem.owner, problem.message, line_of)
        for problem in find_problems(robot)
    ]


def check_sound(robot: RobotRecord, line_of: LineOf = no_line) -> None:
    """Raise the problems of a robot, if any.

    Raises:
        BrokenRobot: the robot has one problem. ErrorGroup: it has several.
    """
    raise_all(errors_of(robot, line_of))


def _of_tree(robot: RobotRecord) -> Iterator[Problem]:
    """Yield the problems of link and joint names, and of the tree."""
    names = Counter(link.name for link in robot.links)
    for name, count in names.items():
        if count > 1:
            yield Problem("link", name, "this name is used twice")
    if not names:
        yield Problem("robot", "", "the robot has no links")

    above: Dict[str, Joint] = {}
    for joint in robot.joints:
        for end, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in names:
                yield Problem("joint", joint.name, f"its {end} link '{link}' does not exist")
        if joint.child in above:
            first = above[joint.child].name
            message = f"it has two parents: joint '{first}' and joint '{joint.name}'"
            yield Problem("link", joint.child, message)
        above.setdefault(joint.child, joint)

    roots = [link.name for link in robot.links if link.name not in above]
    if len(roots) > 1:
        listed = ", ".join(map(repr, roots[:ROOTS_NAMED]))
        more = ", ..." if len(roots) > ROOTS_NAMED else ""
        message = f"{len(roots)} links have no parent joint: {listed}{more}; a robot is one tree with one root"
        yield Problem("robot", "", message)
        return  # the links of a loop have no root either, so this message is enough

    below = grouped((joint.parent, joint.child) for joint in robot.joints)
    reached = reached_from(roots, lambda name: below.get(name, ()))
    looped = [name for name in above if name in names and name not in reached]
    if looped:
        listed = ", ".join(map(repr, looped[:ROOTS_NAMED]))
        yield Problem("robot", "", f"the links {listed} form a loop, or are below one")


def _of_numbers(robot: RobotRecord) -> Iterator[Problem]:
    """Yield a problem for each record with a number that is not finite."""
    parts: Dict[str, Sequence[Any]] = {
        "link": robot.links,
        "joint": robot.joints,
        "material": robot.materials,
        "sensor": robot.sensors,
        "actuator": robot.actuators,
    }
    if not _not_finite(chain.from_iterable(parts.values())):
        return
    for kind, records in parts.items():
        for record in records:
            for value in _not_finite(record)[:1]:
                yield Problem(kind, record.name, f"{value} is not a finite number")


def _not_finite(values: Iterable[Any]) -> List[float]:
    """Return the numbers that are not finite among values and nested tuples, from the first level that has any."""
    level = list(values)
    while level:
        # A robot has ten thousand values of few types. Testing each type once and the rest in C keeps this fast.
        types = list(map(type, level))
        numbers = list(compress(level, map({float}.__contains__, types)))
        # Almost all robots have only finite numbers.
        if not all(map(math.isfinite, numbers)):
            return [number for number in numbers if not math.isfinite(number)]
        nested = {kind for kind in set(types) if issubclass(kind, tuple)}
        level = list(chain.from_iterable(compress(level, map(nested.__contains__, types))))
    return []


def _of_link(link: Link) -> Iterator[str]:
    """Yield the problems of a link: masses, sizes and scales of shapes."""
    if link.inertial is not None and link.inertial.mass < 0.0:
        yield f"the mass is negative ({short((link.inertial.mass,))} kg)"
    for shape in link.shapes:
        tag = "visual" if isinstance(shape, Visual) else "collision"
        for part in pieces(shape.geometry, shape.origin):
            yield from _of_geometry(part.geometry, tag)
    yield from _unsized(link)
    try:
        # Evaluated only for its exception.
        link.mass_properties  # noqa: B018
    except ValueError as error:
        yield str(error)


def _unsized(link: Link) -> Iterator[str]:
    """Yield a problem for each shape that is kept as XML because its size is missing or unreadable."""
    for text in link.extensions:
        if not text.startswith(("<visual", "<collision")):
            continue
        shape = parse(text)
        geometry = shape.find("geometry")
        if geometry is None:
            continue
        kinds = [child.tag for child in geometry.elements()]
        # Readers take the first geometry.
        if kinds and kinds[0] in SIZES:
            yield f"the {kinds[0]} of this {shape.tag} has no size, or one that cannot be read"


def _of_geometry(shape: Primitive, tag: str) -> Iterator[str]:
    """Yield the problems of the sizes of a shape; `tag` is visual or collision."""
    if not isinstance(shape, Mesh):
        sizes = sizes_of(shape)
        if min(sizes) < 0.0:
            yield f"a {shape.kind} of this {tag} has a negative size ({short(sizes)})"
        return
    if not all(shape.scale):
        yield f"this {tag} has a scale of zero ({short(shape.scale)})"
    if not shape.filename:
        yield f"the mesh of this {tag} has no file name"


def _of_joint(joint: Joint) -> Iterator[str]:
    """Yield the problems of the type and the axis of a joint."""
    if joint.type not in JOINT_TYPES:
        yield f"there is no joint type '{joint.type}'"
    if joint.type in (*MOVABLE, "planar") and joint.axis == ZERO:
        yield "its axis is zero"


def _of_rest(robot: RobotRecord) -> Iterator[Problem]:
    """Yield the problems of sensors and actuators: missing owners and unknown types."""
    links = {link.name for link in robot.links}
    joints = {joint.name for joint in robot.joints}
    for sensor in robot.sensors:
        owner = sensor.link or sensor.joint
        known = links if sensor.link else joints
        if owner not in known:
            yield Problem("sensor", sensor.name, f"it is on '{owner}', which does not exist")
    for actuator in robot.actuators:
        if actuator.joint not in joints:
            message = f"its joint '{actuator.joint}' does not exist"
            yield Problem("actuator", actuator.name, message)
        if actuator.type not in ACTUATORS:
            message = f"there is no actuator type '{actuator.type}'"
            yield Problem("actuator", actuator.name, message)
