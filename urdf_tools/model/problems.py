"""What is wrong with a robot, or dangerous: one sentence each, errors first."""
import math
from collections import Counter
from itertools import chain
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple

from ..base.errors import BrokenRobot, raise_all, UrdfError
from ..base.number_text import count_of, short
from .geometry import Mesh
from ..urdf.model import MOVABLE
from ..urdf.spatial import ZERO
from .choices import LineOf, no_line
from .inertia import principal
from .records import Joint, JOINT_TYPES, Link, Robot
from .shapes import Material, pieces, Primitive, Visual
from .tree import leaders_of, tree_of

BROKEN_TRIANGLE = 1e-6  # of the largest moment: what six printed digits can do
MUJOCO_READS = (".stl", ".obj")


class Problem(NamedTuple):
    """One sentence about a link, a joint or the whole robot; `kind` and `owner` say which."""

    severity: str  # error or warning
    kind: str  # link, joint, material, sensor, actuator, robot
    owner: str
    message: str

    @property
    def sentence(self) -> str:
        """The message with its place."""
        return f"{self.kind} '{self.owner}': {self.message}" if self.kind != "robot" else self.message

    def __str__(self) -> str:
        return f"{self.severity}: {self.sentence}"


def find_problems(robot: Robot) -> List[Problem]:
    """Return every problem, errors first, otherwise in the order of the robot."""
    found = _of_parts(robot)
    if not any(problem.severity == "error" for problem in found):
        found += _of_moving(robot)
    return sorted(found, key=lambda problem: problem.severity)


def _of_parts(robot: Robot) -> List[Problem]:
    """Return what is wrong with the tree, and if nothing is, with links and joints: all errors are among that."""
    found = [*_of_tree(robot), *_of_numbers(robot)]
    if not found:
        for link in robot.links:
            found += _of_link(link)
        leaders = leaders_of(robot)
        for joint in robot.joints:
            found += _of_joint(joint, leaders)
        found += _of_rest(robot)
    return found


def refusal(kind: str, owner: str, message: str, line_of: LineOf = no_line) -> UrdfError:
    """Return as an exception what makes a link, a joint or the whole robot impossible."""
    return BrokenRobot(Problem("error", kind, owner, message).sentence, "", line_of(kind, owner))


def errors_of(robot: Robot, line_of: LineOf = no_line) -> List[UrdfError]:
    """Return the problems that are errors as exceptions."""
    return [refusal(problem.kind, problem.owner, problem.message, line_of) for problem in _of_parts(robot)
            if problem.severity == "error"]


def check_sound(robot: Robot, line_of: LineOf = no_line) -> None:
    """Raise the problems that are errors.

    Raises:
        BrokenRobot, ErrorGroup: there are some.
    """
    raise_all(errors_of(robot, line_of))


def _twice(names: Sequence[str]) -> List[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _of_tree(robot: Robot) -> Iterator[Problem]:
    names = {link.name for link in robot.links}
    for name in _twice([link.name for link in robot.links]):
        yield Problem("error", "link", name, "this name is used twice")
    if not names:
        yield Problem("error", "robot", "", "the robot has no links")
    above: Dict[str, Joint] = {}
    for joint in robot.joints:
        for end, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in names:
                yield Problem("error", "joint", joint.name, f"its {end} link '{link}' does not exist")
        if joint.child in above:
            yield Problem("error", "link", joint.child,
                          f"it has two parents: joint '{above[joint.child].name}' and joint '{joint.name}'")
        above.setdefault(joint.child, joint)
    roots = [link.name for link in robot.links if link.name not in above]
    if len(roots) > 1:
        listed = ", ".join(map(repr, roots[:4])) + (", ..." if len(roots) > 4 else "")
        yield Problem("error", "robot", "", f"{len(roots)} links have no parent joint: {listed}; a robot is one tree "
                                            "with one root")
    reached = set(roots)
    below: Dict[str, List[str]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint.child)
    waiting = list(roots)
    while waiting:
        for child in below.get(waiting.pop(), ()):
            if child not in reached:
                reached.add(child)
                waiting.append(child)
    looped = [name for name in above if name in names and name not in reached]
    if looped and len(roots) <= 1:
        yield Problem("error", "robot", "", f"the links {', '.join(map(repr, looped[:4]))} form a loop, or hang on one")


def _of_numbers(robot: Robot) -> Iterator[Problem]:
    """Find numbers that are none, wherever they are."""
    parts: Dict[str, Sequence[Any]] = {"link": robot.links, "joint": robot.joints, "material": robot.materials,
                                       "sensor": robot.sensors, "actuator": robot.actuators}
    if not _not_finite(chain.from_iterable(parts.values())):
        return
    for kind, records in parts.items():
        for record in records:
            for value in _not_finite(record)[:1]:
                yield Problem("error", kind, record.name, f"{value} is not a finite number")


def _not_finite(values: Iterable[Any]) -> List[float]:
    """Return the numbers among some values, and in what these hold, that are none."""
    level, wrong = list(values), []  # type: List[Any], List[float]
    while level and not wrong:
        numbers = [value for value in level if isinstance(value, float)]
        wrong = [] if all(map(math.isfinite, numbers)) else [one for one in numbers if not math.isfinite(one)]
        level = list(chain.from_iterable([value for value in level if isinstance(value, tuple)]))
    return wrong


def _of_link(link: Link) -> Iterator[Problem]:
    def problem(severity: str, message: str) -> Problem:
        return Problem(severity, "link", link.name, message)

    if link.name == "world":
        yield problem("warning", "MuJoCo and SDF reserve the name 'world': it is taken for the world itself")
    elif "::" in link.name or link.name.startswith("__") and link.name.endswith("__"):
        yield problem("warning", "SDF reserves '::' and '__name__': there the link is renamed")
    if link.inertial is not None:
        yield from (problem(*found) for found in _of_inertial(link))
    elif link.collisions and not any(shape.density for shape in link.collisions):
        yield problem("warning", "it has collisions and no inertial: simulators that weigh shapes invent a mass")
    for shape in link.shapes:
        tag = "visual" if isinstance(shape, Visual) else "collision"
        for part in pieces(shape.geometry, shape.origin):
            for found in _of_geometry(part.geometry, tag):
                yield problem(*found)
        if isinstance(shape, Visual) and shape.material is not None:
            for found in _of_material(shape.material):
                yield problem(*found)
    try:
        link.weight  # noqa: B018
    except ValueError as error:
        yield problem("error", str(error))


def _of_inertial(link: Link) -> Iterator[Tuple[str, str]]:
    assert link.inertial is not None
    mass, tensor = link.inertial.mass, link.inertial.inertia
    if mass < 0.0:
        yield "error", f"the mass is negative ({short([mass])} kg)"
        return
    if not any(tensor):
        if mass > 0.0:
            yield "warning", "it has a mass and an inertia of zero: a point"
        return
    if mass == 0.0:
        yield "warning", "its mass is zero and its inertia is not: Drake takes it for 1 kg"
    (a, b, c), _ = principal(tensor.matrix)
    if a + b < c * (1.0 - BROKEN_TRIANGLE) or c <= 0.0:
        yield "warning", (f"no body has its principal moments {short((a, b, c))}: A + B >= C fails by "
                          f"{short([c - a - b])}")


def _of_geometry(shape: Primitive, tag: str) -> Iterator[Tuple[str, str]]:
    if isinstance(shape, Mesh):
        if not all(shape.scale):
            yield "error", f"this {tag} has a scale of zero ({short(shape.scale)})"
        if not shape.filename:
            yield "error", f"the mesh of this {tag} has no file name"
        elif not shape.filename.lower().endswith(MUJOCO_READS):
            yield "warning", f"MuJoCo reads STL and OBJ only, not '{shape.filename}'"
        return
    sizes = [size for value in shape if not isinstance(value, str)
             for size in (value if isinstance(value, tuple) else (value,))]
    if min(sizes) < 0.0:
        yield "error", f"a {shape.kind} of this {tag} has a negative size ({short(sizes)})"
    elif min(sizes) == 0.0:
        yield "warning", f"a {shape.kind} of this {tag} has the size zero: MJCF and SDF leave it out"


def _of_material(material: Material) -> Iterator[Tuple[str, str]]:
    if material.rgba is not None and not all(0.0 <= value <= 1.0 for value in material.rgba):
        yield "warning", f"the color {short(material.rgba)} of a material is not within 0 and 1"


def _of_joint(joint: Joint, leaders: Dict[str, Joint]) -> Iterator[Problem]:
    def problem(severity: str, message: str) -> Problem:
        return Problem(severity, "joint", joint.name, message)

    if joint.type not in JOINT_TYPES:
        yield problem("error", f"there is no joint type '{joint.type}'")
    if joint.type in (*MOVABLE, "planar") and joint.axis == ZERO:
        yield problem("error", "its axis is zero")
    limited = joint.type in ("revolute", "prismatic")
    if limited and (joint.limit is None or joint.limit.lower is None or joint.limit.upper is None):
        what = "limit" if joint.limit is None else "lower or upper limit"
        yield problem("warning", f"a {joint.type} joint without {what}")
    if limited and joint.range is not None:
        low, high = joint.range
        if low > high:
            yield problem("warning", f"lower {short([low])} is above upper {short([high])}: Drake stops, MuJoCo sees "
                                     "no limit")
        elif low == high:
            yield problem("warning", f"lower and upper are both {short([low])}, it is locked: unlimited in MuJoCo's "
                                     "URDF import")
    if joint.limit is not None and joint.limit.effort == 0.0 and joint.type in MOVABLE:
        yield problem("warning", "effort 0 is no effort in URDF, any effort in MuJoCo and gz")
    if joint.mimic is not None:
        seen, here = {joint.child}, joint
        while here.mimic is not None:
            leader = leaders.get(here.mimic.joint)
            if leader is None:
                if here is joint:
                    yield problem("warning", f"it mimics '{joint.mimic.joint}', which does not exist: it is free")
                break
            if leader.child in seen:
                yield problem("warning", f"it mimics '{joint.mimic.joint}' in a circle: no position is defined")
                break
            seen.add(leader.child)
            here = leader


def _of_rest(robot: Robot) -> Iterator[Problem]:
    links, joints = {link.name for link in robot.links}, {joint.name for joint in robot.joints}
    for name in _twice([joint.name for joint in robot.joints]):
        yield Problem("warning", "joint", name, "this name is used twice: other formats number them")
    for name in sorted(links & joints):
        yield Problem("warning", "joint", name, "a link has the same name: SDF renames the joint")
    for material in robot.materials:
        yield from (Problem(severity, "material", material.name, text) for severity, text in _of_material(material))
    for sensor in robot.sensors:
        owner = sensor.link or sensor.joint
        if owner not in (links if sensor.link else joints):
            yield Problem("error", "sensor", sensor.name, f"it is on '{owner}', which does not exist")
    for actuator in robot.actuators:
        if actuator.joint not in joints:
            yield Problem("error", "actuator", actuator.name, f"its joint '{actuator.joint}' does not exist")
        if actuator.type not in ("motor", "position", "velocity"):
            yield Problem("error", "actuator", actuator.name, f"there is no actuator type '{actuator.type}'")


def _of_moving(robot: Robot) -> Iterator[Problem]:
    """Find links that move and weigh nothing, alone or with what is fixed to them; and floating below the root."""
    tree = tree_of(robot)
    mass = {link.name: link.weight.mass for link in robot.links}
    if not any(mass.values()):
        yield Problem("warning", "robot", "", f"nothing has a mass ({count_of(len(mass), 'link')})")
        return
    for joint in reversed(tree.order):
        if joint.type == "fixed":
            mass[joint.parent] += mass[joint.child]
    for joint in tree.order:
        if joint.type == "floating" and joint.parent != tree.root:
            yield Problem("warning", "joint", joint.name, "a floating joint below the root does not exist in MuJoCo")
        if joint.type != "fixed" and mass[joint.child] <= 0.0:
            yield Problem("warning", "link", joint.child, "it moves and weighs nothing: simulators refuse it")
