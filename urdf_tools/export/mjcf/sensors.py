"""Sensors and the key frame of MJCF."""
import math
from typing import Dict, List, Set, Union

from ...base.number_text import format_number, format_numbers
from ...model.pose import Pose, Transform
from ...model.records import Joint, Robot, Sensor
from ...model.sensors import vertical_fov
from ...model.shapes import pieces
from ...model.tree import poses_at, positions_of, Positions
from ...model.xml_tree import Node, node
from ...urdf.spatial import compose, multiply, quaternion_from_matrix
from ...model.choices import MjcfOptions
from ...model.kinds import EXPORT_LOST
from ..names import unused
from .assets import lowest_point, put_pose
from .model import limits_of, Model, put_site

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
            model.found.note(EXPORT_LOST, "sensor", sensor.name, sensor.type)
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
    if sensor.type == "force_torque" and holder == link:
        name = put_site(model, sensor.name, link, sensor.origin)
        section.add("force", name=f"{name}_force", site=name)
        section.add("torque", name=f"{name}_torque", site=name)
        return True
    return False


def write_keyframes(model: Model, actuators: Node) -> Node:
    """Write `home` and the others: as asked, zero elsewhere or the nearest position allowed; what is free stands on the
    ground."""
    section = node("keyframe")
    for name, positions in (("home", model.options.home), *model.options.keys):
        _write_key(section, name, dict(positions), model, actuators)
    return section


def _write_key(section: Node, name: str, given: Dict[str, Union[float, Pose]], model: Model, actuators: Node) -> None:
    rest: Dict[str, float] = {}
    for joint in model.robot.joints:
        limits = limits_of(joint)
        if limits is not None and limits[0] <= limits[1]:
            rest.setdefault(joint.name, min(max(0.0, limits[0]), limits[1]))
    positions = positions_of(model.robot, given, rest)
    qpos: List[float] = []
    poses = None
    for body in model.bodies.bodies:
        if body.free:
            x, y, z, w = quaternion_from_matrix(body.pose.rotation)
            height = body.pose.translation[2]
            if not any(joint.child == body.link.name for joint in model.robot.joints):
                poses = poses if poses is not None else poses_at(model.robot, positions)
                height = standing_height(model.robot, model.options, poses)
            qpos += [*body.pose.translation[:2], height, w, x, y, z]
        for hinge in body.hinges:
            qpos += _coordinates(hinge.joint, positions)
    if qpos:
        key = section.add("key", name=name, qpos=format_numbers(0.0 if abs(v) < 1e-12 else v for v in qpos))
        _put_controls(key, model, actuators, positions)


def _coordinates(joint: Joint, positions: Positions) -> List[float]:
    position = positions[joint.child]
    if joint.type == "ball":
        return list(position.quaternion) if isinstance(position, Pose) else [1.0, 0.0, 0.0, 0.0]
    if joint.type == "planar":
        return [0.0, 0.0, 0.0]
    return [float(position)] if isinstance(position, (int, float)) else [0.0]


def standing_height(robot: Robot, options: MjcfOptions, poses: Dict[str, Transform]) -> float:
    """Return how high the root must be for the lowest collision to touch the ground; 0 when no size is known."""
    boxes = dict(options.mesh_boxes)
    lows = [lowest_point(part, compose(poses[link.name], part.origin.transform), boxes) for link in robot.links
            for shape in link.collisions for part in pieces(shape.geometry, shape.origin)]
    return -min((low for low in lows if low is not None), default=0.0)


def _put_controls(key: Node, model: Model, actuators: Node, positions: Positions) -> None:
    """Add what position servos must be told to stay there."""
    child_of = {name: child for child, name in model.names.items()}
    controls = []
    for actuator in actuators.children:
        position = positions[child_of[actuator.attributes["joint"]]]
        controls.append(position if actuator.tag == "position" and isinstance(position, (int, float)) else 0.0)
    if any(controls):
        key.attributes["ctrl"] = format_numbers(controls)
