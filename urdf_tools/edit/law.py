"""The law of an act: the robot before and after, compared by the way that the act knows."""
import os
from typing import Tuple

from ..base.errors import ProofFailed, UsageError
from ..base.number_text import shown_names
from ..compare.canonical import canonical, link_places
from ..compare.comparison import compare
from ..compare.mapping import Given, GivenJoint
from ..compare.read import with_mesh_paths
from ..compare.read_urdf import read_urdf
from ..compare.records import RawRobot, RawSensor
from ..compare.words import text_of
from ..urdf.kinematics import AS_IT_WAS
from ..urdf.spatial import compose, inverse
from .records import END_OF_SENSOR, Made, OTHER_END, Way


def raw_of(data: bytes, path: str, packages: Tuple[Tuple[str, str], ...] = ()) -> RawRobot:
    """Return a robot as compare reads it."""
    return with_mesh_paths(read_urdf(data, path), os.path.dirname(path), packages)


def verify(before: RawRobot, after: RawRobot, made: Made, act: str) -> float:
    """Verify that the robot after an act is the one that is expected, by the way that the act knows.

    Returns:
        How far apart any point of them is at most, at all positions [m].

    Raises:
        UsageError: several joints have one name, so that no law can name them.
        ProofFailed: it is another robot; a fault of this tool.
    """
    way, before = made.way, made.expect(before)
    expected = renamed(before, way)
    for kind in ("links", "joints", "sensors", "actuators"):
        names = [sorted(part.name for part in getattr(robot, kind)) for robot in (expected, after)]
        if way.complete and names[0] != names[1]:
            only = sorted({*names[0]} ^ {*names[1]})
            raise ProofFailed(f"{act}: other {kind}: {shown_names(only)}", before.file)
    robot = canonical(before)
    motions = [joint.raw.name for joint in robot.joints]
    for name in motions if len(set(motions)) < len(motions) else ():
        if motions.count(name) > 1:
            raise UsageError(f"{motions.count(name)} joints are called '{name}', and are not one motion: what names it "
                             "means any of them; give each a name of its own first", before.file)
    if way.turned:
        expected = _with_sensors_turned(expected, after, way)
    pairs = []
    old_name = {new: old for old, new in way.joints.items()}
    for joint in expected.joints:
        if joint.type != "fixed":
            sign, zero = way.maps.get(old_name.get(joint.name, joint.name), AS_IT_WAS)
            pairs.append(GivenJoint(joint.name, joint.name, float(sign), -sign * zero))
    proof = compare(expected, after, given=Given(tuple(pairs), way.T_new_old, root=way.root), tolerance=1e-9, losses={})
    if not proof.is_same:
        raise ProofFailed(f"{act}: another robot: {next(map(text_of, proof.differences), proof.verdict)}", before.file)
    return proof.bound.position if proof.bound is not None else 0.0


def renamed(raw: RawRobot, way: Way) -> RawRobot:
    """Return a robot with the names of the way."""
    link, joint, other = (lambda name, new=names: new.get(name, name) for names in (way.links, way.joints, way.others))
    return raw._replace(
        links=tuple(body._replace(name=link(body.name)) for body in raw.links),
        joints=tuple(each._replace(name=joint(each.name), parent=link(each.parent), child=link(each.child),
                                   mimic=each.mimic and each.mimic._replace(leader=joint(each.mimic.leader)))
                     for each in raw.joints),
        frames=tuple(frame._replace(link=link(frame.link)) for frame in raw.frames),
        loops=tuple(loop._replace(name=link(f"{loop.name}_1")[:-2] if f"{loop.name}_1" in way.links else loop.name,
                                  links=(link(loop.links[0]), link(loop.links[1]))) for loop in raw.loops),
        sensors=tuple(sensor._replace(name=other(sensor.name), link=link(sensor.link), joint=joint(sensor.joint))
                      for sensor in raw.sensors),
        # What drives a joint may have no name of its own: that of the joint, and of the interface.
        actuators=tuple(actuator._replace(name=other(actuator.name) if actuator.name in way.others else joint(
            actuator.joint) + actuator.name[len(actuator.joint):] if actuator.name.startswith(actuator.joint) else
            actuator.name, joint=joint(actuator.joint))
                        for actuator in raw.actuators))


def _with_sensors_turned(before: RawRobot, after: RawRobot, way: Way) -> RawRobot:
    """Return a robot whose sensors in joints that were turned round are in the link that is carried now.

    They say which end they measure in, in the order of the robot after.
    """
    children = {joint.name: joint.child for joint in after.joints}
    words = {sensor.name: sensor.words for sensor in after.sensors}
    places = link_places(canonical(before))

    def turned(sensor: RawSensor) -> RawSensor:
        if sensor.joint not in way.turned:
            return sensor
        child, texts = children[sensor.joint], {path: text for path, _, text in sensor.words}
        T_child_sensor = compose(compose(inverse(places[child]), places[sensor.link]), sensor.T_link_sensor)
        ends = {f"force_torque/{key}": OTHER_END[texts.get(f"force_torque/{key}", default)]
                for key, default in END_OF_SENSOR}
        expected = {path: (path, attributes, ends.get(path, text)) for path, attributes, text in (
            *((path, (), "") for path in ends), *sensor.words)}
        order = [path for path, *_ in words.get(sensor.name, ())]
        return sensor._replace(
            link=child, T_link_sensor=T_child_sensor,
            words=tuple(sorted(expected.values(), key=lambda word: order.index(word[0]) if word[0] in order else -1)))

    return before._replace(sensors=tuple(map(turned, before.sensors)))
