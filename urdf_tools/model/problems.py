"""Find errors and warnings in a robot; the sentences are in problems.md."""

import math
from collections import Counter
from itertools import chain
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple

from ..base.diagnostics import Diagnostic, ERROR, Kind, kinds_in
from ..base.errors import BrokenRobot, raise_all, UrdfError
from ..base.number_text import grouped, short
from ..base.record import Record
from ..robot.principal_axes import principal
from ..texts.pages import sections_of_page
from ..urdf.model import MOVABLE, SIZES
from ..urdf.spatial import why_not_physical, ZERO
from .choices import LineOf, no_line
from .records import Joint, JOINT_TYPES, Link, Robot
from .shapes import Inertial, Material, Mesh, pieces, Primitive, sizes_of, Visual
from .tree import leaders_of, tree_of
from .xml_tree import parse

KINDS = kinds_in(sections_of_page(__file__, "problems.md"))
BROKEN_MODEL, ODD_MODEL = KINDS["broken-model"], KINDS["odd-model"]
MUJOCO_READS = (".stl", ".obj")


class Problem(Record):
    """A finding about a link, a joint or the whole robot; `kind` and `owner` say which."""

    kind: str  # link, joint, material, sensor, actuator, robot
    owner: str
    found: Diagnostic

    @property
    def severity(self) -> str:
        """Return `error` or `warning`."""
        return self.found.kind.severity

    @property
    def message(self) -> str:
        """The finding in words, without its owner."""
        return self.found.text

    @property
    def sentence(self) -> str:
        """The message with its owner."""
        return placed(self.kind, self.owner, self.message)

    def __str__(self) -> str:
        return f"{self.severity}: {self.sentence}"


def placed(kind: str, owner: str, message: str) -> str:
    """Return a message with its owner; one about the robot as it is."""
    return f"{kind} '{owner}': {message}" if kind != "robot" else message


def _finding(kind: Kind, sentence: str, *names: str, numbers: Tuple[float, ...] = ()) -> Diagnostic:
    """Return a finding with line 0: a model has no lines."""
    return Diagnostic(kind, 0, sentence, names, numbers)


def find_problems(robot: Robot) -> List[Problem]:
    """Return every problem, errors first, otherwise in the order of the robot."""
    problems = _of_parts(robot)
    if not any(problem.severity == ERROR for problem in problems):
        problems += _of_moving(robot)
    return sorted(problems, key=lambda problem: problem.severity)


def _of_parts(robot: Robot) -> List[Problem]:
    """Return the problems of the tree and numbers, else those of links and joints; these hold all errors."""
    problems = [*_of_tree(robot), *_of_numbers(robot)]
    if not problems:
        problems += [
            Problem("link", link.name, finding)
            for link in robot.links
            for finding in _of_link(link)
        ]
        leaders = leaders_of(robot)
        problems += [
            Problem("joint", joint.name, finding)
            for joint in robot.joints
            for finding in _of_joint(joint, leaders)
        ]
        problems += _of_rest(robot)
    return problems


def refusal(kind: str, owner: str, message: str, line_of: LineOf = no_line) -> UrdfError:
    """Return an error about a link, a joint or the whole robot as an exception."""
    return BrokenRobot(placed(kind, owner, message), "", line_of(kind, owner))


def errors_of(robot: Robot, line_of: LineOf = no_line) -> List[UrdfError]:
    """Return the problems that are errors as exceptions."""
    return [
        refusal(problem.kind, problem.owner, problem.message, line_of)
        for problem in _of_parts(robot)
        if problem.severity == ERROR
    ]


def check_sound(robot: Robot, line_of: LineOf = no_line) -> None:
    """Raise the problems that are errors.

    Raises:
        BrokenRobot, ErrorGroup: there is one error; there are several.
    """
    raise_all(errors_of(robot, line_of))


def _twice(names: Sequence[str]) -> List[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _of_tree(robot: Robot) -> Iterator[Problem]:
    names = {link.name for link in robot.links}
    for name in _twice([link.name for link in robot.links]):
        yield Problem("link", name, _finding(BROKEN_MODEL, "twice"))
    if not names:
        yield Problem("robot", "", _finding(BROKEN_MODEL, "empty"))
    above: Dict[str, Joint] = {}
    for joint in robot.joints:
        for end, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in names:
                yield Problem("joint", joint.name, _finding(BROKEN_MODEL, "end", end, link))
        if joint.child in above:
            yield Problem(
                "link",
                joint.child,
                _finding(BROKEN_MODEL, "parents", above[joint.child].name, joint.name),
            )
        above.setdefault(joint.child, joint)
    roots = [link.name for link in robot.links if link.name not in above]
    if len(roots) > 1:
        listed = ", ".join(map(repr, roots[:4])) + (", ..." if len(roots) > 4 else "")
        yield Problem("robot", "", _finding(BROKEN_MODEL, "roots", listed, numbers=(len(roots),)))
    reached = set(roots)
    below = grouped((joint.parent, joint.child) for joint in robot.joints)
    waiting = list(roots)
    while waiting:
        for child in below.get(waiting.pop(), ()):
            if child not in reached:
                reached.add(child)
                waiting.append(child)
    looped = [name for name in above if name in names and name not in reached]
    if looped and len(roots) <= 1:  # with several roots, the finding above is enough
        yield Problem("robot", "", _finding(BROKEN_MODEL, "loop", ", ".join(map(repr, looped[:4]))))


def _of_numbers(robot: Robot) -> Iterator[Problem]:
    """Find numbers in the records that are not finite."""
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
                yield Problem(kind, record.name, _finding(BROKEN_MODEL, "finite", str(value)))


def _not_finite(values: Iterable[Any]) -> List[float]:
    """Return the numbers among values and nested tuples that are not finite, of the first level that has any."""
    level, wrong = list(values), []  # type: List[Any], List[float]
    while level and not wrong:
        numbers = [value for value in level if isinstance(value, float)]
        wrong = (
            []
            if all(map(math.isfinite, numbers))
            else [number for number in numbers if not math.isfinite(number)]
        )
        level = list(chain.from_iterable([value for value in level if isinstance(value, tuple)]))
    return wrong


def _of_link(link: Link) -> Iterator[Diagnostic]:
    if link.name == "world":
        yield _finding(ODD_MODEL, "world")
    elif "::" in link.name or link.name.startswith("__") and link.name.endswith("__"):
        yield _finding(ODD_MODEL, "reserved")
    if link.inertial is not None:
        yield from _of_inertial(link.inertial)
    elif link.collisions and not any(shape.density for shape in link.collisions):
        yield _finding(ODD_MODEL, "no-inertial")
    for shape in link.shapes:
        tag = "visual" if isinstance(shape, Visual) else "collision"
        for part in pieces(shape.geometry, shape.origin):
            yield from _of_geometry(part.geometry, tag)
        if isinstance(shape, Visual) and shape.material is not None:
            yield from _of_material(shape.material)
    yield from _unsized(link)
    try:
        link.mass_properties  # noqa: B018
    except ValueError as error:
        yield _finding(BROKEN_MODEL, "weight", str(error))


def _unsized(link: Link) -> Iterator[Diagnostic]:
    """Find shapes of a known kind that are kept as XML because their size is missing or unreadable."""
    for text in link.extensions:
        shape = parse(text) if text.startswith(("<visual", "<collision")) else None
        geometry = shape.find("geometry") if shape is not None else None
        drawn = [child.tag for child in geometry.elements()][:1] if geometry else []
        if shape is not None and not SIZES.keys().isdisjoint(drawn):
            yield _finding(BROKEN_MODEL, "unsized", drawn[0], shape.tag)


def _of_inertial(inertial: Inertial) -> Iterator[Diagnostic]:
    mass, tensor = inertial.mass, inertial.inertia
    if mass < 0.0:
        yield _finding(BROKEN_MODEL, "negative-mass", numbers=(mass,))
        return
    if not any(tensor):
        if mass > 0.0:
            yield _finding(ODD_MODEL, "point")
        return
    if mass == 0.0:
        yield _finding(ODD_MODEL, "no-mass")
    if why_not_physical(1.0, tensor.matrix):
        a, b, c = principal(tensor.matrix)[0]
        yield _finding(ODD_MODEL, "moments", short((a, b, c)), numbers=(c - a - b,))


def _of_geometry(shape: Primitive, tag: str) -> Iterator[Diagnostic]:
    if isinstance(shape, Mesh):
        if not all(shape.scale):
            yield _finding(BROKEN_MODEL, "scale", tag, short(shape.scale))
        if not shape.filename:
            yield _finding(BROKEN_MODEL, "file", tag)
        elif not shape.filename.lower().endswith(MUJOCO_READS):
            yield _finding(ODD_MODEL, "format", shape.filename)
        return
    sizes = sizes_of(shape)
    if min(sizes) < 0.0:
        yield _finding(BROKEN_MODEL, "negative-size", shape.kind, tag, short(sizes))
    elif min(sizes) == 0.0:
        yield _finding(ODD_MODEL, "no-size", shape.kind, tag)


def _of_material(material: Material) -> Iterator[Diagnostic]:
    if material.rgba is not None and not all(0.0 <= value <= 1.0 for value in material.rgba):
        yield _finding(ODD_MODEL, "color", short(material.rgba))


def _of_joint(joint: Joint, leaders: Dict[str, Joint]) -> Iterator[Diagnostic]:
    if joint.type not in JOINT_TYPES:
        yield _finding(BROKEN_MODEL, "joint-type", joint.type)
    if joint.type in (*MOVABLE, "planar") and joint.axis == ZERO:
        yield _finding(BROKEN_MODEL, "axis")
    limited = joint.type in ("revolute", "prismatic")
    if limited and (joint.limit is None or joint.limit.lower is None or joint.limit.upper is None):
        yield _finding(ODD_MODEL, "no-limit" if joint.limit is None else "half-limit", joint.type)
    if limited and joint.range is not None:
        low, high = joint.range
        if low > high:
            yield _finding(ODD_MODEL, "crossed", numbers=(low, high))
        elif low == high:
            yield _finding(ODD_MODEL, "locked", numbers=(low,))
    if joint.limit is not None and joint.limit.effort == 0.0 and joint.type in MOVABLE:
        yield _finding(ODD_MODEL, "no-effort")
    if joint.mimic is not None:
        seen, follower = {joint.child}, joint
        while follower.mimic is not None:
            leader = leaders.get(follower.mimic.joint)
            if leader is None:
                if (
                    follower is joint
                ):  # else the joint that names the missing leader has the finding
                    yield _finding(ODD_MODEL, "mimic-unknown", joint.mimic.joint)
                break
            if leader.child in seen:
                yield _finding(ODD_MODEL, "mimic-circle", joint.mimic.joint)
                break
            seen.add(leader.child)
            follower = leader


def _of_rest(robot: Robot) -> Iterator[Problem]:
    links, joints = {link.name for link in robot.links}, {joint.name for joint in robot.joints}
    for name in _twice([joint.name for joint in robot.joints]):
        yield Problem("joint", name, _finding(ODD_MODEL, "joint-twice"))
    for name in sorted(links & joints):
        yield Problem("joint", name, _finding(ODD_MODEL, "link-too"))
    for material in robot.materials:
        yield from (
            Problem("material", material.name, finding) for finding in _of_material(material)
        )
    for sensor in robot.sensors:
        owner = sensor.link or sensor.joint
        if owner not in (links if sensor.link else joints):
            yield Problem("sensor", sensor.name, _finding(BROKEN_MODEL, "sensor-owner", owner))
    for actuator in robot.actuators:
        if actuator.joint not in joints:
            yield Problem(
                "actuator", actuator.name, _finding(BROKEN_MODEL, "actuator-joint", actuator.joint)
            )
        if actuator.type not in ("motor", "position", "velocity"):
            yield Problem(
                "actuator", actuator.name, _finding(BROKEN_MODEL, "actuator-type", actuator.type)
            )


def _of_moving(robot: Robot) -> Iterator[Problem]:
    """Find moving links without mass, together with all that is fixed to them, and floating joints below the root."""
    tree = tree_of(robot)
    mass = {link.name: link.mass_properties.mass for link in robot.links}
    if not any(mass.values()):
        yield Problem("robot", "", _finding(ODD_MODEL, "nothing-heavy", numbers=(len(mass),)))
        return
    for joint in reversed(
        tree.order
    ):  # children first, so that the mass of a chain of fixed links reaches its top
        if joint.type == "fixed":
            mass[joint.parent] += mass[joint.child]
    for joint in tree.order:
        if joint.type == "floating" and joint.parent != tree.root:
            yield Problem("joint", joint.name, _finding(ODD_MODEL, "floating"))
        if joint.type != "fixed" and mass[joint.child] <= 0.0:
            yield Problem("link", joint.child, _finding(ODD_MODEL, "massless"))
