"""Sensors and key frames of MJCF."""
import math
from typing import List, Mapping, Sequence, Set

from ...base.number_text import format_number, format_numbers
from ...model.kinds import EXPORT_LOST
from ...model.records import Sensor
from ...model.sensors import vertical_fov
from ...model.shapes import Transform
from ...model.xml_tree import Node, node
from ...robot.records import RawActuator, RawKey
from ...urdf.spatial import compose, multiply, quaternion_from_matrix
from ..rounding import unused
from .lower_bodies import Model, put_site
from .write_assets import put_pose

R_CAMERA = ((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0))  # MuJoCo looks along -z, y up; gz along x, z up
CAMERAS = ("camera", "depth", "depth_camera", "rgbd_camera", "wideanglecamera")


def write_sensors(model: Model) -> Node:
    """Write the sensors that MuJoCo has: imu, camera, force and torque."""
    section = node("sensor")
    child_of = {joint.name: joint.child for joint in reversed(model.robot.joints)}
    cameras: Set[str] = set()
    for sensor in model.robot.sensors:
        link = sensor.link or child_of.get(sensor.joint, "")
        if link not in model.bodies.where or not _add_sensor(section, sensor, link, model, cameras):
            model.findings.note(EXPORT_LOST, "sensor", sensor.name, sensor.type)
    return section


def _add_sensor(section: Node, sensor: Sensor, link: str, model: Model, cameras: Set[str]) -> bool:
    holder, T_holder_link = model.bodies.where[link]
    if sensor.camera is not None and sensor.type in CAMERAS:
        camera = model.nodes[holder].add("camera", name=unused(sensor.name, cameras))
        T = compose(T_holder_link, sensor.origin.transform)
        put_pose(camera, Transform(multiply(T.rotation, R_CAMERA), T.translation))
        camera.attributes["fovy"] = format_number(math.degrees(vertical_fov(sensor.camera)))
        camera.attributes["resolution"] = f"{sensor.camera.width} {sensor.camera.height}"
        return True
    if sensor.type == "imu":
        name = put_site(model, sensor.name, link, sensor.origin)
        section.add("gyro", name=f"{name}_gyro", site=name)
        section.add("accelerometer", name=f"{name}_accelerometer", site=name)
        section.add("framequat", name=f"{name}_quat", objtype="site", objname=name)
        return True
    # MuJoCo measures between a body and its parent: a link that is only a part of a body has no such place.
    if sensor.type == "force_torque" and holder == link:
        name = put_site(model, sensor.name, link, sensor.origin)
        section.add("force", name=f"{name}_force", site=name)
        section.add("torque", name=f"{name}_torque", site=name)
        return True
    return False


def write_keyframes(model: Model, keys: Mapping[str, RawKey], actuators: Sequence[RawActuator]) -> Node:
    """Write the key frames: coordinates in the order of bodies and joints, controls in that of actuators."""
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
                    qpos += [0.0, 0.0, 0.0]
                else:
                    qpos.append(key.positions[joint])
        controls = [key.controls.get(actuator.name, 0.0) for actuator in actuators]
        section.add("key", name=name, qpos=format_numbers(0.0 if abs(q) < 1e-12 else q for q in qpos),
                    ctrl=format_numbers(controls) if key.controls else None)
    return section


def _wxyz(T: Transform) -> List[float]:
    x, y, z, w = quaternion_from_matrix(T.rotation)
    return [w, x, y, z]
