"""The sections of MJCF beside bodies: what holds joints together or moves them (loops with the `<connect>` that closes
each, followers, locked joints, actuators), sensors, and key frames.
"""

from __future__ import annotations

import math
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ...base.number_text import format_number, format_numbers, read_numbers, unique
from ...base.record_type import Record
from ...facts.robot_values import LOOP_WORDS
from ...model.model_diagnostics import EXPORT_LOST
from ...model.model_records import Joint, RobotRecord, Sensor
from ..gazebo_sensors import vertical_fov
from ...model.model_shapes import Pose
from ...model.model_tree import leaders_of, rules_of
from ...model.xml_writer import XmlNode, node, parse
from ...robot.principal_axes import vector_of
from ...robot.raw_robot import RawActuator, RawNamedState
from ...urdf.urdf_records import Mimic, MOVABLE
from ...meshes.quaternions import quaternion_from_matrix
from ...urdf.spatial_math import compose, multiply, Transform
from ..export_diagnostics import EXPORT_RENAMED
from ..shared_lowering import unused
from ..reader_helpers import CLOSING
from .lower_to_mjcf import limits_of, MjcfWriter, PLANAR_ENDS
from .write_mjcf_assets import put_pose

ATTRIBUTES = {
    "gear": "gear",
    "kp": "kp",
    "kv": "kv",
    "damping_ratio": "dampratio",
    "control_range": "ctrlrange",
    "force_range": "forcerange",
}
# Kinds of `<loop_joint>` that hold two points together.
TURNING = ("revolute", "continuous", "ball")
End = Tuple[str, str, Pose]  # name, link, pose in the link


class CoincidentPoints(Record):
    """Two points that coincide."""

    name: str
    ends: Tuple[End, End]


def put_site(model: MjcfWriter, name: str, link: str, pose: Pose) -> str:
    """Write a site at a pose in a link, and return its name, which is made distinct."""
    holder, T_holder_link = model.bodies.where[link]
    name = unique(name, model.sites)
    model.sites[name] = (link, pose)
    site = model.nodes[holder].add("site", name=name)
    if not holder:
        # By its class the reader knows that a site of the world is the robot's.
        site.attributes["class"] = model.class_name
    put_pose(site, compose(T_holder_link, pose.transform))
    # Viewers hide groups from 3 on unless asked.
    site.attributes["group"] = "3"
    return name


def write_equalities(model: MjcfWriter, loops: Tuple[List[CoincidentPoints], List[str]]) -> XmlNode:
    """Write followers, locked joints and loops, given as those to close and those that stay open."""
    section = node("equality")
    leaders = leaders_of(model.robot)
    rules = rules_of(model.robot)
    for joint in model.robot.joints:
        if joint.type not in MOVABLE or joint.child not in model.names:
            continue
        name = model.names[joint.child]
        limits = limits_of(joint)
        # MuJoCo has no range without width, so an equality holds a locked joint.
        is_locked = limits is not None and limits[0] == limits[1]
        leader = leaders.get(joint.mimic.joint) if joint.mimic else None
        if joint.mimic is not None and leader is None:
            model.findings.note(EXPORT_LOST, "mimic-unknown", joint, joint.mimic.joint)
        elif joint.mimic is not None and joint.child not in rules:
            model.findings.note(EXPORT_LOST, "mimic-circle", joint, joint.mimic.joint)
        elif joint.mimic is not None and leader is not None:
            if is_locked:
                model.findings.note(EXPORT_LOST, "follower-limits", joint)
            _add_follower(section, name, joint.mimic, leader, model)
            continue
        if limits is not None and is_locked:
            section.add("joint", joint1=name, polycoef=_polynomial(limits[0]))
    section.children.extend(write_loops(model, *loops))
    return section


def _add_follower(
    section: XmlNode, name: str, mimic: Mimic, leader: Joint, model: MjcfWriter
) -> None:
    """Write the equality of a follower; the follower of a joint that cannot move stays at its offset."""
    if leader.type in MOVABLE:
        leader_name = model.names[leader.child]
        polynomial = _polynomial(mimic.offset, mimic.multiplier)
        section.add("joint", joint1=name, joint2=leader_name, polycoef=polynomial)
    else:
        section.add("joint", joint1=name, polycoef=_polynomial(mimic.offset))


def _polynomial(constant: float, linear: float = 0.0) -> str:
    """Return the five coefficients of an equality of joints."""
    return format_numbers((constant, linear, 0.0, 0.0, 0.0))


def write_actuators(model: MjcfWriter, actuators: Sequence[RawActuator]) -> XmlNode:
    """Write the actuators."""
    section = node("actuator")
    ranges = {model.names.get(joint.child): limits_of(joint) for joint in model.robot.joints}
    for actuator in actuators:
        written = section.add(actuator.kind, name=actuator.name, joint=actuator.joint)
        for key, numbers in actuator.values.items():
            is_range = key == "control_range" and numbers == ranges.get(actuator.joint)
            if is_range and actuator.kind == "position":
                written.attributes["inheritrange"] = "1"
            elif key != "gear" or numbers != (1.0,):
                written.attributes[ATTRIBUTES[key]] = format_numbers(numbers)
    return section


def find_loops(robot: RobotRecord) -> Tuple[List[CoincidentPoints], List[str]]:
    """Return the loops that can be closed, and the names of those that stay open."""
    pairs: Dict[str, List[End]] = {}
    for link in robot.links:
        # onshape-to-robot names the two frames of a loop `closing_NAME_1` and `closing_NAME_2`.
        name, _, end = link.name.rpartition("_")
        if name.startswith(CLOSING) and end in ("1", "2"):
            pairs.setdefault(name, []).append((link.name, link.name, Pose()))
    links = {link.name for link in robot.links}
    still_open = []
    for top in map(parse, robot.extensions):
        name = top.attributes.get("name") or f"<{top.tag}>"
        if top.tag == "loop_joint":
            is_point = top.attributes.get("type") in TURNING
            pairs[name] = [*_ends(top, name, links)] if is_point else []
        elif any(word in top.tag.lower() for word in LOOP_WORDS[:3]):
            still_open.append(name)
        elif top.tag == "gazebo":
            still_open += [
                child.attributes.get("name") or "<joint>" for child in top.elements("joint")
            ]
    loops = []
    for name, ends in pairs.items():
        if len(ends) == 2:
            loops.append(CoincidentPoints(name, (ends[0], ends[1])))
        else:
            still_open.append(name)
    return loops, still_open


def _ends(loop_joint: XmlNode, name: str, links: "set[str]") -> Iterator[End]:
    """Yield the ends of a `<loop_joint>` on links of the robot, with poses that can be read."""
    for child in loop_joint.elements("link1", "link2"):
        if child.attributes.get("link") in links:
            try:
                xyz, rpy = (
                    vector_of(read_numbers(child.attributes.get(key) or "0 0 0", 3))
                    for key in ("xyz", "rpy")
                )
            except ValueError:
                continue
            yield f"{name}_{child.tag[-1]}", child.attributes["link"], Pose(xyz, rpy)


def write_loops(
    model: MjcfWriter, loops: List[CoincidentPoints], still_open: List[str]
) -> Iterator[XmlNode]:
    """Yield a `<connect>` for each loop, between sites that it writes; name the loops that stay open."""
    for loop in loops:
        if any(link not in model.bodies.where for _, link, _ in loop.ends):
            still_open = [*still_open, loop.name]
            continue
        sites = []
        for name, link, pose in loop.ends:
            is_written = model.sites.get(name) == (link, pose)
            sites.append(name if is_written else put_site(model, name, link, pose))
        yield XmlNode("connect", {"name": loop.name, "site1": sites[0], "site2": sites[1]}, [])
    for name in still_open:
        model.findings.note(EXPORT_LOST, "loop", name)


# A camera of MuJoCo looks along -z, y up; a camera of gz along x, z up.
R_CAMERA = ((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
# The elements of MuJoCo that read the site of a sensor.
READINGS = {"imu": ("gyro", "accelerometer"), "force_torque": ("force", "torque")}
CAMERAS = ("camera", "depth", "depth_camera", "rgbd_camera", "wideanglecamera")


def write_sensors(model: MjcfWriter) -> XmlNode:
    """Write the sensors that MuJoCo has: imu, camera, force and torque."""
    section = node("sensor")
    child_of = {joint.name: joint.child for joint in reversed(model.robot.joints)}
    cameras: Set[str] = set()
    for sensor in model.robot.sensors:
        link = sensor.link or child_of.get(sensor.joint, "")
        is_held = link in model.bodies.where
        name = _add_sensor(section, sensor, link, model, cameras) if is_held else None
        if name is None:
            model.findings.note(EXPORT_LOST, "sensor", sensor.name, sensor.type)
        elif name != sensor.name:
            model.findings.note(EXPORT_RENAMED, "sensor", sensor.name, link, name)
    return section


def _add_sensor(
    section: XmlNode, sensor: Sensor, link: str, model: MjcfWriter, cameras: Set[str]
) -> Optional[str]:
    """Write a sensor and return its name, None if MuJoCo has none like it."""
    holder, T_holder_link = model.bodies.where[link]
    # A camera in the world belongs to the viewer: readers do not find it on the robot.
    if sensor.camera is not None and sensor.type in CAMERAS and holder:
        name = unused(sensor.name, cameras)
        camera = model.nodes[holder].add("camera", name=name)
        T = compose(T_holder_link, sensor.origin.transform)
        put_pose(camera, Transform(multiply(T.rotation, R_CAMERA), T.translation))
        camera.attributes["fovy"] = format_number(math.degrees(vertical_fov(sensor.camera)))
        camera.attributes["resolution"] = f"{sensor.camera.width} {sensor.camera.height}"
        return name
    # MuJoCo measures forces between a body and its parent, so not at a link that is only a part of a body.
    if sensor.type not in READINGS or sensor.type == "force_torque" and holder != link:
        return None
    name = put_site(model, sensor.name, link, sensor.origin)
    for tag in READINGS[sensor.type]:
        section.add(tag, name=f"{name}_{tag}", site=name)
    if sensor.type == "imu":
        # MuJoCo has no imu: these three readings of one site are what an imu gives.
        section.add("framequat", name=f"{name}_quat", objtype="site", objname=name)
    return name


def write_keyframes(
    model: MjcfWriter, keys: Mapping[str, RawNamedState], actuators: Sequence[RawActuator]
) -> XmlNode:
    """Write the key frames: coordinates in the order of bodies and joints, controls in the order of actuators."""
    section = node("keyframe")
    for name, key in keys.items():
        qpos: List[float] = []
        for body in model.bodies.bodies:
            if body.free:
                T = key.places[body.link.name]
                qpos += [*T.translation, *_wxyz(T)]
            for hinge in body.hinges:
                joint = model.names[hinge.joint.child]
                if hinge.joint.type == "ball":
                    qpos += _wxyz(key.places[hinge.joint.child])
                elif hinge.joint.type == "planar":
                    qpos += [key.positions[f"{joint}_{end}"] for end in PLANAR_ENDS]
                else:
                    qpos.append(key.positions[joint])
        # Twelve digits are written: smaller numbers are rounding errors of a zero.
        cleaned = [0.0 if abs(q) < 1e-12 else q for q in qpos]
        controls = None
        if key.controls:
            controls = format_numbers([key.controls.get(each.name, 0.0) for each in actuators])
        section.add("key", name=name, qpos=format_numbers(cleaned), ctrl=controls)
    return section


def _wxyz(T: Transform) -> List[float]:
    """Return the quaternion of a pose in MuJoCo's order."""
    x, y, z, w = quaternion_from_matrix(T.rotation)
    return [w, x, y, z]
