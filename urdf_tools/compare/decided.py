"""What a run decided to change, as its report says it: each decision is carried out on the input before it is compared.

So the result is compared with the robot that the run says it made: a value that is another one than the decision names,
on either side, and all else that differs, stays a difference.
"""
from contextlib import suppress
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..urdf.spatial import IDENTITY, Matrix, Pose, rotate, subtract, transpose, ZERO
from ..verify.rigid_motion import axis_rotation, composed
from .differences import Difference, Shown
from .records import RawJoint, RawLink, RawMass, RawRobot, SLIDING
from .tensors import rotated_tensor

COPY, NONE = "copy", "none"  # the state of a link that is there twice (report/README.md); no value


class Decision(NamedTuple):
    """A change that a run made: what it is about, and what was there and is there now, by name or number.

    Attributes:
        kind: of CARRIED_OUT.
        name: of the link, joint or sensor.
        words: of a shape its role, file and why it is removed; of other links and joints their names; what a value is.
        numbers: masses of links that are dropped [kg]; the position of a joint; or those of the warning that says it: a
            value below zero, the mass and moment that are made up, the tensor as it was and as it is written.
        number: of the shape among those of its role.
        format: of the file in which it was made, as `RawRobot` has it; "": of the URDF, so of all that is made of it.
        R_new_old: how the frame of the link turned.
        line: in the input.
    """

    kind: str
    name: str
    words: Tuple[str, ...] = ()
    numbers: Tuple[float, ...] = ()
    number: int = 0
    format: str = ""
    R_new_old: Matrix = IDENTITY
    line: int = 0


def decisions_of_run(report: Mapping[str, Any]) -> Tuple[Decision, ...]:
    """Return what the JSON report of a run says that it decided; a report of a release before says it of less.

    Raises:
        KeyError, TypeError, ValueError: it is no such report.
    """
    gone = [*report["stripped"], *({**row, "reason": f"as in {row['target']}"} for row in report["copies_dropped"])]
    found = [Decision("shape", row["link"], (row["kind"], row["mesh"], row["reason"]), (), row["number"],
                      line=row["line"]) for row in gone if "number" in row]
    found += [Decision("lock", row["child"], (row["name"],), (row["position"],), line=row["line"])
              for row in report["locked"]]
    dropped = report["dropped"]
    found += [Decision("drop", row["link"], tuple(other["link"] for other in dropped),
                       tuple(other["mass"] for other in dropped), line=row["line"]) for row in dropped[:1]]
    if report["options"]["coincident"] == "drop":
        found += [Decision("mass", row["name"], line=row["line"]) for row in report["links"] if row["state"] == COPY]
    turns = {row["name"]: row["T_new_old"]["rotation"] for row in report["links"]}
    for row in report["warnings"]:
        kind, (name, *words) = WARNED.get((row["kind"], row.get("sentence", "")), ""), row["names"] or [""]
        made = words.pop().lower() if kind and row["kind"].startswith("export-") else ""
        if kind == "surface" and row["sentence"] == "gained":
            words = [words[0], NONE, words[1]]
        turn = turns.get(words[0] if kind == "sensor" else name, IDENTITY)
        found += [Decision(kind, name, tuple(words), tuple(row["numbers"]), 0, made, turn, row["line"])] if kind else []
    return tuple(sorted(found, key=lambda one: -one.number))  # the last shapes first, as the others are counted


def as_decided(robot: RawRobot, decisions: Sequence[Decision], made: str) -> Tuple[RawRobot, Tuple[Difference, ...]]:
    """Return the robot of an input as its run says that it changed it for a file of a format, and a line for each.

    A decision about what the input does not have, or has with another value, explains nothing and is left out.
    """
    lines: List[Difference] = []
    for one in decisions:
        with suppress(IndexError, KeyError, StopIteration, TypeError, ValueError):
            if one.format in ("", made):
                robot, a, b = CARRIED_OUT[one.kind](robot, one)
                lines.append(Difference(f"decided_{one.kind}", one.name, 0.0, "", a, b, (one.name, *one.words),
                                        one.numbers, one.line))
    return robot, tuple(reversed(lines))


Made = Tuple[RawRobot, Shown, Shown]  # the robot, and what it had and has


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
    return robot._replace(joints=tuple(one._replace(**changes) if one is joint else one for one in robot.joints))


def _without_shape(robot: RawRobot, decision: Decision) -> Made:
    shapes = _named(robot, decision).shapes
    gone = [shape for shape in shapes if shape.role == decision.words[0]][decision.number]
    require(gone.file == decision.words[1])
    return _link(robot, decision, shapes=tuple(shape for shape in shapes if shape is not gone)), gone.file, None


def _locked(robot: RawRobot, decision: Decision) -> Made:
    joint = next(joint for joint in robot.joints if joint.child == decision.name)
    require(joint.type != "fixed")
    way = decision.numbers[0] - joint.reference
    R = IDENTITY if joint.type in SLIDING or not way else axis_rotation(joint.axis, way)
    x, y, z = joint.axis if joint.type in SLIDING else ZERO
    off = (way * x, way * y, way * z) if R is IDENTITY else subtract(joint.point, rotate(R, joint.point))
    T = composed(joint.T_parent_child, Pose(R, off))
    return _joint(robot, joint, type="fixed", T_parent_child=T, mimic=None), joint.type, decision.numbers[0]


def _dropped(robot: RawRobot, decision: Decision) -> Made:
    """Remove links, and the joints at them; what is left has to be one tree."""
    masses = {link.name: link.mass.mass if link.mass is not None else 0.0 for link in robot.links}
    names = masses.keys() - set(decision.words)
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
        actuators=tuple(actuator for actuator in robot.actuators if actuator.joint in moving)), decision.numbers, None


def _without_mass(robot: RawRobot, decision: Decision) -> Made:
    mass = _named(robot, decision).mass
    require(mass is not None)
    return _link(robot, decision, mass=None), mass.mass if mass is not None else None, None


def _without_value(robot: RawRobot, decision: Decision) -> Made:
    """Remove an effort or a velocity that a simulator would misread: zero, or less."""
    joint, key = next(joint for joint in robot.joints if joint.name == decision.name), decision.words[0]
    value = {"effort": joint.effort, "velocity": joint.velocity}[key]
    require(value == next(iter(decision.numbers), 0.0))
    return _joint(robot, joint, **{key: None}), value, None


def _without_limits(robot: RawRobot, decision: Decision) -> Made:
    joint = next(joint for joint in robot.joints if joint.name == decision.name)
    low, high = joint.lower, joint.upper
    require(low is not None and high is not None and low > high)
    return _joint(robot, joint, lower=None, upper=None), (low or 0.0, high or 0.0), None


def _turned_sensor(robot: RawRobot, decision: Decision) -> Made:
    """Turn a sensor that has no pose of its own with the frame of its link."""
    sensor = next(sensor for sensor in robot.sensors if f"<sensor name='{sensor.name}'>" == decision.name)
    T = composed(Pose(transpose(decision.R_new_old), ZERO), sensor.T_link_sensor)
    return robot._replace(sensors=tuple(
        one._replace(T_link_sensor=T) if one is sensor else one for one in robot.sensors)), None, None


def _other_surface(robot: RawRobot, decision: Decision) -> Made:
    """Give what was in a merged link the value of its target, or none where nothing is said there."""
    from .urdf_simulators import SURFACE

    _, old, new = decision.words
    name, shapes = SURFACE[(new if old == NONE else old).split()[0]], _named(robot, decision).shapes
    a, b = (() if text == NONE or text.startswith("the default") else tuple(map(
        float, text.partition(" of line ")[0].split()[1:])) for text in (old, new))
    require(all(shape.surface.get(name, ()) == a for shape in shapes if shape.role == "collision"))
    return _link(robot, decision, shapes=tuple(shape if shape.role != "collision" else shape._replace(
        surface={**{key: value for key, value in shape.surface.items() if key != name}, **({name: b} if b else {})})
        for shape in shapes)), a, b


def _made_up_mass(robot: RawRobot, decision: Decision) -> Made:
    (mass, moment), before = decision.numbers, _named(robot, decision).mass
    require(before is None or before.mass == 0.0)
    return _link(robot, decision, mass=RawMass(mass, ZERO, (moment, 0.0, 0.0, moment, 0.0, moment))), None, mass


def _nearest_tensor(robot: RawRobot, decision: Decision) -> Made:
    """Change the tensor of a link by as much as that of its body changed; other parts of the body keep theirs."""
    mass = _named(robot, decision).mass or RawMass(0.0, ZERO, (0.0,) * 6)
    a, b = (rotated_tensor(transpose(decision.R_new_old), six) for six in (
        decision.numbers[:6], decision.numbers[6:]))
    tensor = tuple(old + after - before for old, before, after in zip(mass.tensor, a, b))
    return _link(robot, decision, mass=mass._replace(tensor=tensor)), mass.tensor, tensor  # type: ignore[arg-type]


CARRIED_OUT: Mapping[str, Callable[[RawRobot, Decision], Made]] = {
    "shape": _without_shape, "lock": _locked, "drop": _dropped, "mass": _without_mass, "value": _without_value,
    "limits": _without_limits, "tiny": _made_up_mass, "tensor": _nearest_tensor, "sensor": _turned_sensor,
    "surface": _other_surface}
WARNED: Dict[Tuple[str, str], str] = {  # what the warnings of a run and of its exports decide, by kind and sentence
    ("surface-merged", "lost"): "surface", ("surface-merged", "gained"): "surface",
    ("sensor-frame", "measures"): "sensor", ("export-misread", "unbounded"): "value",
    ("export-misread", "locked"): "value", ("export-misread", "negative"): "value",
    ("export-misread", "bounds"): "limits", ("export-nearest", "mass"): "tiny", ("export-nearest", "inertia"): "tensor"}
