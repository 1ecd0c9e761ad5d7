"""Sensors, cameras and named positions of MJCF."""
from typing import Dict, List, Mapping, Tuple

from ..base.exact_trigonometry import arctangent, cosine_sine, PI
from ..urdf.spatial import compose, Pose, ZERO
from .mjcf_bodies import Body, Placed
from .mjcf_control import World
from .mjcf_scene import SCENE
from .records import RawJoint, RawSensor
from .xml_text import Element

KINDS = {"gyro": "imu", "accelerometer": "imu", "force": "force_torque", "torque": "force_torque",
         "magnetometer": "magnetometer", "touch": "touch", "rangefinder": "rangefinder"}
# Cameras of MuJoCo look along -z, with y up; those of gz along x, with z up.
T_CAMERA_LINK = Pose(((0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)), ZERO)
FOCAL = ("sensorsize", "focal", "focalpixel")  # which say the field of view in another way
COORDINATES = {"free": 7, "ball": 4}  # in qpos


def read_sensors(root: Element, world: World, joints: List[RawJoint]) -> List[RawSensor]:
    """Return the sensors: what several elements say of one site is one sensor, such as an imu."""
    above = {joint.child: joint for joint in joints}
    found: Dict[Tuple[str, str], RawSensor] = {}
    oriented: List[Element] = []
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
                own = element.get("name") or site
                name = site if kind in ("imu", "force_torque") else own
                in_joint = above[body].name if kind == "force_torque" and body in above else ""
                found.setdefault((kind, name), RawSensor(name, kind, body, in_joint, placed.pose, line=element.line))
    for element in oriented:
        element.get("name")
        if ("imu", element.get("objname") or "") in found:
            element.take()
        else:
            element.leave("a reading of the simulator, no sensor on a link")
    return list(found.values()) + _cameras(world)


def _cameras(world: World) -> List[RawSensor]:
    """Return the cameras on links, turned as others see them."""
    found: List[RawSensor] = []
    for number in world.chosen.inside:
        body: Body = world.chosen.bodies[number]
        for camera in body.cameras:
            if number == 0 or camera.said.word("mode", ("fixed", "track", "trackcom", "targetbody",
                                                        "targetbodycom")) != "fixed":
                camera.said.element.leave("a camera of the viewer, not of the robot")
            else:
                found.append(_camera(camera, body.name))
    return found


def _camera(camera: Placed, link: str) -> RawSensor:
    said = camera.said
    values: Dict[str, Tuple[float, ...]] = {}
    width, height = said.numbers("resolution", (1.0, 1.0))
    if said.get("resolution") is not None:
        values["image"] = (width, height)
    focal = [name for name in FOCAL if said.get(name) is not None]
    said.element.read -= set(focal)
    if not focal and said.get("fovy") is not None:
        cosine, sine = cosine_sine(said.number("fovy", 45.0) * (PI / 360.0))
        values["field_of_view"] = (2.0 * arctangent(sine * width, cosine * height),)
    pose = compose(camera.pose, T_CAMERA_LINK)
    return RawSensor(camera.name, "camera", link, "", pose, None, values, (), said.element.line)


def read_keys(root: Element, world: World, joints: List[RawJoint]) -> Mapping[str, Mapping[str, float]]:
    """Return the named positions of the robot's joints."""
    names = {joint.name for joint in joints}
    places: Dict[str, int] = {}
    count = 0
    for body in world.chosen.bodies:
        for joint in body.joints:
            if joint.type not in COORDINATES and body.name in world.chosen.names and joint.name in names:
                places[joint.name] = count
            count += COORDINATES.get(joint.type, 1)
    keys: Dict[str, Mapping[str, float]] = {}
    for section in root.all("keyframe"):
        for element in section.all("key"):
            name, text = element.get("name") or f"key {len(keys)}", element.get("qpos")
            if text is None:
                element.leave("it names no position")
            elif len(text.split()) != count:
                element.leave(f"it has {len(text.split())} numbers for {count} coordinates")
            else:
                numbers = element.numbers(text, count) if count else ()
                keys[name] = {joint: numbers[place] for joint, place in places.items()}
    return keys


