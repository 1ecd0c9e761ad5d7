"""Sensors, cameras and named positions of MJCF."""
from typing import Dict, List, Mapping, Tuple

from ..base.exact_trigonometry import arctangent, cosine_sine, PI
from ..urdf.spatial import compose, IDENTITY, matrix_from_quaternion, Pose, ZERO
from .mjcf_bodies import Body, Placed
from .mjcf_settings import ACTUATORS
from .mjcf_control import World
from .mjcf_scene import SCENE
from .records import RawJoint, RawKey, RawSensor
from .xml_text import Element

KINDS = {"gyro": "imu", "accelerometer": "imu", "force": "force_torque", "torque": "force_torque",
         "magnetometer": "magnetometer", "touch": "touch", "rangefinder": "rangefinder"}
# Cameras of MuJoCo look along -z, with y up; those of gz along x, with z up.
T_CAMERA_LINK = Pose(((0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)), ZERO)
FOCAL = ("sensorsize", "focal", "focalpixel")  # other ways to give the field of view
COORDINATES = {"free": 7, "ball": 4}  # in qpos


def read_sensors(root: Element, world: World, joints: List[RawJoint]) -> List[RawSensor]:
    """Return the sensors: several elements of the same site are joined into a sensor, such as an imu."""
    above = {joint.child: joint for joint in joints}
    sensors: Dict[Tuple[str, str], RawSensor] = {}
    oriented: List[Element] = []
    kinds: Dict[str, str] = {}  # by name: two sensors may share a site
    for section in root.all("sensor"):
        for element in section.children:
            kind, site = KINDS.get(element.tag), element.get("site")
            if element.tag == "framequat" and element.get("objtype") == "site":
                oriented.append(element)
            elif kind is None or site is None:
                element.leave("a reading of the simulator, no sensor on a link")
            else:
                placed, body = world.site(element.take(), site)
                if body not in world.chosen.names:
                    element.leave(SCENE)
                    continue
                own_name = element.get("name") or site
                name = site if kind in ("imu", "force_torque") else own_name
                name = name if kinds.setdefault(name, kind) == kind else f"{name}_{kind}"
                in_joint = above[body].name if kind == "force_torque" and body in above else ""
                sensor = sensors.setdefault((kind, name), RawSensor(name, kind, body, in_joint, placed.pose,
                                                                    line=element.line))
                sensors[kind, name] = sensor._replace(readings=(*sensor.readings, f"{element.tag} {own_name}"))
    for element in oriented:
        name, of_imu = element.get("name") or "", ("imu", element.get("objname") or "")
        if of_imu in sensors:
            element.take()
            sensors[of_imu] = sensors[of_imu]._replace(readings=(*sensors[of_imu].readings, f"{element.tag} {name}"))
        else:
            element.leave("a reading of the simulator, no sensor on a link")
    return list(sensors.values()) + _cameras(world)


def _cameras(world: World) -> List[RawSensor]:
    """Return the cameras on links, turned to the axes that other formats have."""
    cameras: List[RawSensor] = []
    for number in world.chosen.inside:
        body: Body = world.chosen.bodies[number]
        for camera in body.cameras:
            if number == 0 or camera.attrs.word("mode", ("fixed", "track", "trackcom", "targetbody",
                                                         "targetbodycom")) != "fixed":
                camera.attrs.element.leave("a camera of the viewer, not of the robot")
            else:
                cameras.append(_camera(camera, body.name))
    return cameras


def _camera(camera: Placed, link: str) -> RawSensor:
    attrs = camera.attrs
    values: Dict[str, Tuple[float, ...]] = {}
    width, height = attrs.numbers("resolution", (1.0, 1.0))
    if attrs.get("resolution") is not None:
        values["image"] = (width, height)
    focal = [name for name in FOCAL if attrs.get(name) is not None]
    attrs.element.read -= set(focal)
    if not focal and attrs.get("fovy") is not None:
        cosine, sine = cosine_sine(attrs.number("fovy", 45.0) * (PI / 360.0))
        values["field_of_view"] = (2.0 * arctangent(sine * width, cosine * height),)
    pose = compose(camera.pose, T_CAMERA_LINK)
    return RawSensor(camera.name, "camera", link, "", pose, None, values, (), attrs.element.line)


def read_keys(root: Element, world: World) -> Mapping[str, RawKey]:
    """Return the named states of the robot."""
    names = [actuator.attributes.get("name") or "" for section in root.all("actuator") for actuator in section.children
             if actuator.tag in ACTUATORS]
    count = len([None for body in world.chosen.bodies for joint in body.joints
                 for _ in range(COORDINATES.get(joint.type, 1))])
    keys: Dict[str, RawKey] = {}
    for section in root.all("keyframe"):
        for element in section.all("key"):
            name, text = element.get("name") or f"key {len(keys)}", element.get("qpos")
            if text is None:
                element.leave("it names no position")
            elif len(text.split()) != count:
                element.leave(f"it has {len(text.split())} numbers for {count} coordinates")
            else:
                keys[name] = _key(element, element.numbers(text, count) if count else (), world, names)
    return keys


def _key(element: Element, numbers: Tuple[float, ...], world: World, actuators: List[str]) -> RawKey:
    """Return a state; its controls only if every actuator has a control."""
    positions: Dict[str, float] = {}
    places: Dict[str, Pose] = {}
    start = 0
    for body in world.chosen.bodies:
        for joint in body.joints:
            values = numbers[start : start + COORDINATES.get(joint.type, 1)]
            start += len(values)
            if body.name in world.chosen.names and len(values) == 1:
                positions[joint.name] = values[0]
            elif body.name in world.chosen.names:
                x, y, z = values[:3] if len(values) > 4 else ZERO
                w, *imaginary = values[-4:]
                turn = matrix_from_quaternion((*imaginary, w)) if any(values[-4:]) else IDENTITY
                places[body.name] = Pose(turn, (x, y, z))
    text = element.attributes.get("ctrl", "")
    controls = element.numbers(text, len(actuators)) if text and len(text.split()) == len(actuators) else ()
    if controls:
        element.get("ctrl")
    return RawKey(positions, places, {name: value for name, value in zip(actuators, controls) if value}, element.line)
