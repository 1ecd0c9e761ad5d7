"""Apply to the input the changes that a run decided, from its report or the note in its result.

So the result is compared with the robot that the run states: a value that is not that of the decision,
on either side, and any other difference remain differences.
"""
from contextlib import suppress
from math import isclose
from typing import Any, Callable, Iterable, List, Mapping, Sequence, Tuple

from ..base.files import read_file
from ..base.note_text import Decision, from_note
from ..urdf.spatial import IDENTITY, Matrix, Pose, rotate, subtract, transpose, ZERO
from ..verify.rigid_motion import axis_rotation, composed
from .differences import Difference, Shown
from .records import RawJoint, RawLink, RawMass, RawRobot, SLIDING
from .reading import rotated_tensor


def read_decision(text: str) -> Decision:
    """Return the decision of a line of the note, as `decision_text` writes it.

    Raises:
        ValueError: it is none.
    """
    head, _, numbers = text.strip().rstrip(")").partition(" (")
    kind, name, *words = ["" if word == '""' else from_note(word.replace("~", "%20")) for word in head.split()]
    made, _, kind = kind.rpartition(":")
    return Decision(kind, name, tuple(words), tuple(map(float, numbers.split())), made)


def as_decided(robot: RawRobot, result: RawRobot, texts: Iterable[str]
               ) -> Tuple[RawRobot, RawRobot, Tuple[Difference, ...]]:
    """Return the robots of an input after the decisions of its run, and of the result, and a note for each decision.

    Collisions that were replaced are left out of both robots. A line whose element or
    value is not in the input explains nothing and is left out.
    """
    lines: List[Difference] = []
    given = robot
    for text in texts:
        with suppress(IndexError, KeyError, StopIteration, TypeError, ValueError):
            for decision in _of_each_link(read_decision(text)):
                require(decision.format in ("", result.format))
                if decision.kind != "collision":
                    robot, a, b, line = CARRIED_OUT[decision.kind](robot, decision)
                else:
                    links, ends = decision.words[2:], tuple(zip(decision.words, decision.numbers))
                    require(ends == (collisions_of(given, links), collisions_of(result, (decision.name,))))
                    robot, result = _without_collisions(robot, links), _without_collisions(result, (decision.name,))
                    a, b, line = decision.numbers[0], decision.numbers[1], _named(given, decision).line
                names = (decision.name, *decision.words)
                lines.append(Difference(
                    f"decided_{decision.kind}", decision.name, 0.0, "", a, b, names, decision.numbers, line))
    return robot, result, tuple(lines)


def _of_each_link(decision: Decision) -> List[Decision]:
    """Return the decision about shapes of each link that the line of a file names; any other as it is."""
    if decision.kind != "shape":
        return [decision]
    role, *links = decision.words
    return [decision._replace(name=link, words=(role, decision.name)) for link in links]


def collisions_of(robot: RawRobot, links: Sequence[str]) -> Tuple[str, float]:
    """Return a digest of the collisions of links, with their files, and how many they are."""
    import hashlib  # only --collision needs it

    shapes = [shape for link in robot.links if link.name in links for shape in link.shapes if shape.role == "collision"]
    digest = hashlib.sha256(repr([(shape.geometry, shape.sizes, *shape.T_link_shape, shape.name, shape.file, sorted(
        shape.surface.items())) for shape in shapes]).encode())
    for shape in shapes:
        digest.update(read_file(shape.path) if shape.path else b"")
    return digest.hexdigest()[:16], float(len(shapes))


def _without_collisions(robot: RawRobot, links: Sequence[str]) -> RawRobot:
    return robot._replace(links=tuple(link if link.name not in links else link._replace(
        shapes=tuple(shape for shape in link.shapes if shape.role != "collision")) for link in robot.links))


Made = Tuple[RawRobot, Shown, Shown, int]  # the robot, what it had and has, and the line in the input


def require(holds: bool) -> None:
    """End a decision that the input does not bear out: it has no such value."""
    if not holds:
        raise ValueError("the input has another value")


def _link(robot: RawRobot, decision: Decision, **changes: Any) -> RawRobot:
    return robot._replace(links=tuple(
        link._replace(**changes) if link.name == decision.name else link for link in robot.links))


def _named(robot: RawRobot, decision: Decision) -> RawLink:
    return next(link for link in robot.links if link.name == decision.name)


def _joint(robot: RawRobot, joint: RawJoint, **changes: Any) -> RawRobot:
    return robot._replace(joints=tuple(old._replace(**changes) if old is joint else old for old in robot.joints))


def _without_shapes(robot: RawRobot, decision: Decision) -> Made:
    """Remove shapes, each by its number among those of its role and file in its link, from 1 on."""
    shapes, (roles, file), gone = _named(robot, decision).shapes, decision.words, {}
    require(bool(decision.numbers) and min(decision.numbers) >= 1.0)
    for role in roles.split("+"):
        alike = [shape for shape in shapes if (shape.role, shape.file) == (role, file)]
        gone.update({id(alike[int(number) - 1]): alike[int(number) - 1].line for number in decision.numbers})
    kept = tuple(shape for shape in shapes if id(shape) not in gone)
    return _link(robot, decision, shapes=kept), file, None, min(gone.values())


def _locked(robot: RawRobot, decision: Decision) -> Made:
    joint = next(joint for joint in robot.joints if joint.child == decision.name)
    require(joint.type != "fixed" and decision.words == (joint.name,))
    way = decision.numbers[0] - joint.reference
    R = IDENTITY if joint.type in SLIDING or not way else axis_rotation(joint.axis, way)
    x, y, z = joint.axis if joint.type in SLIDING else ZERO
    off = (way * x, way * y, way * z) if R is IDENTITY else subtract(joint.point, rotate(R, joint.point))
    T = composed(joint.T_parent_child, Pose(R, off))
    return _joint(robot, joint, type="fixed", T_parent_child=T, mimic=None), joint.type, decision.numbers[0], joint.line


def _dropped(robot: RawRobot, decision: Decision) -> Made:
    """Remove links, and the joints at them; the rest must be a tree."""
    masses = {link.name: link.mass.mass if link.mass is not None else 0.0 for link in robot.links}
    line, names = _named(robot, decision).line, masses.keys() - set(decision.words)
    joints = [joint for joint in robot.joints if names.issuperset((joint.parent, joint.child))]
    require([masses[name] for name in decision.words] == [*decision.numbers] and len(joints) == len(names) - 1)
    moving = {joint.name for joint in joints}
    return robot._replace(
        links=tuple(link for link in robot.links if link.name in names),
        joints=tuple(joint._replace(mimic=None) if joint.mimic and joint.mimic.leader not in moving else joint
                     for joint in joints),
        frames=tuple(frame for frame in robot.frames if frame.link in names),
        loops=tuple(loop for loop in robot.loops if names.issuperset(loop.links)),
        sensors=tuple(sensor for sensor in robot.sensors if sensor.link in names),
        actuators=tuple(actuator for actuator in robot.actuators if actuator.joint in moving)
    ), decision.numbers, None, line


def _without_mass(robot: RawRobot, decision: Decision) -> Made:
    link = _named(robot, decision)
    require(link.mass is not None and (link.mass.mass,) == decision.numbers)
    return _link(robot, decision, mass=None), decision.numbers[0], None, link.line


def _without_value(robot: RawRobot, decision: Decision) -> Made:
    """Remove an effort or a velocity that a simulator would misread: zero, or less."""
    joint, key = next(joint for joint in robot.joints if joint.name == decision.name), decision.words[0]
    value = {"effort": joint.effort, "velocity": joint.velocity}[key]
    require((value,) == decision.numbers)
    return _joint(robot, joint, **{key: None}), value, None, joint.line


def _without_limits(robot: RawRobot, decision: Decision) -> Made:
    joint = next(joint for joint in robot.joints if joint.name == decision.name)
    low, high = joint.lower or 0.0, joint.upper or 0.0
    require(low > high and isclose(low - high, decision.numbers[0] - decision.numbers[1], abs_tol=1e-9))  # in any zero
    return _joint(robot, joint, lower=None, upper=None), (low, high), None, joint.line


def _turned_sensor(robot: RawRobot, decision: Decision) -> Made:
    """Turn a sensor without a pose with the frame of its link."""
    sensor = next(sensor for sensor in robot.sensors if sensor.name == decision.name)
    require(decision.words == (sensor.link,))
    T = composed(Pose(transpose(_turn(decision.numbers)), ZERO), sensor.T_link_sensor)
    return robot._replace(sensors=tuple(
        old._replace(T_link_sensor=T) if old is sensor else old for old in robot.sensors)), None, None, sensor.line


def _turn(numbers: Sequence[float]) -> Matrix:
    """Return the rotation R_new_old of a frame by its rows."""
    a, b, c, d, e, f, g, h, i = numbers
    return ((a, b, c), (d, e, f), (g, h, i))


def _other_surface(robot: RawRobot, decision: Decision) -> Made:
    """Give the shapes of a merged link the value of its target, or none if that has none."""
    from .urdf_simulators import SURFACE

    (change, _, from_text, default), link = decision.words, _named(robot, decision)
    name = SURFACE[from_text.split()[0]]
    a, b = (() if text.startswith("default") else tuple(map(
        float, text.partition(" of line ")[0].split()[1:])) for text in (from_text, default))
    a, b = {"lost": (a, b), "gained": ((), a)}[change]
    require(all(shape.surface.get(name, ()) == a for shape in link.shapes if shape.role == "collision"))
    return _link(robot, decision, shapes=tuple(shape if shape.role != "collision" else shape._replace(
        surface={**{key: value for key, value in shape.surface.items() if key != name}, **({name: b} if b else {})})
        for shape in link.shapes)), a, b, link.line


def _made_up_mass(robot: RawRobot, decision: Decision) -> Made:
    (mass, moment), link = decision.numbers, _named(robot, decision)
    require(link.mass is None or link.mass.mass == 0.0)
    made_up = RawMass(mass, ZERO, (moment, 0.0, 0.0, moment, 0.0, moment))
    return _link(robot, decision, mass=made_up), None, mass, link.line


def _nearest_tensor(robot: RawRobot, decision: Decision) -> Made:
    """Change the tensor of a link by as much as that of its body changed; other parts of the body keep theirs."""
    link = _named(robot, decision)
    mass, R_old_new = link.mass or RawMass(0.0, ZERO, (0.0,) * 6), transpose(_turn(decision.numbers[12:]))
    a, b = (rotated_tensor(R_old_new, six) for six in (decision.numbers[:6], decision.numbers[6:12]))
    tensor = tuple(old + after - before for old, before, after in zip(mass.tensor, a, b))
    changed = mass._replace(tensor=tensor)  # type: ignore[arg-type]
    return _link(robot, decision, mass=changed), mass.tensor, tensor, link.line


CARRIED_OUT: Mapping[str, Callable[[RawRobot, Decision], Made]] = {
    "shape": _without_shapes, "lock": _locked, "drop": _dropped, "mass": _without_mass, "value": _without_value,
    "limits": _without_limits, "tiny": _made_up_mass, "tensor": _nearest_tensor, "sensor": _turned_sensor,
    "surface": _other_surface}
