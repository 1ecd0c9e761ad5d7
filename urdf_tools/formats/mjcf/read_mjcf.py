"""Read MJCF for the comparison, from the text alone, as MuJoCo compiles it, with the files that it includes.

The XML reference of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html) is followed here; where it
is unclear, MuJoCo was measured, and `make judges` verifies that both still agree.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Dict, Iterator, List, Mapping, Set, Tuple, Union

from ...base.type_aliases import Pair, Reals
from ...base.errors import MalformedXml
from ...base.exact_trigonometry import arctangent, cosine_sine, PI
from ...robot.raw_robot import RawJoint, RawNamedState, RawRobot, RawSensor, Values
from ...urdf.spatial_math import compose, Transform, Poses, ZERO
from ...robot.principal_axes import vector_of
from ..reader_helpers import accounted, held_by_world, rotation_of_wxyz, SCENE
from ..xml_reader import DEEPEST, XmlElement, read_xml, unread_of
from .read_mjcf_actuators import (
    read_actuators,
    read_apart,
    read_equalities,
    with_damping,
    NamedMjcfElements,
    world_of,
)
from .read_mjcf_bodies import BodyElement, PlacedSite, BodyReader
from .choose_robot_bodies import ChosenBodies, frames_of, inertials_of, links_and_joints
from .read_mjcf_settings import ACTUATORS, DefaultClasses, read_settings
from .read_mjcf_shapes import read_assets

ROOTS = ("mujoco", "mujocoinclude")


def read_with_includes(
    text: Union[str, bytes], file: str, folder: str, deepest: int
) -> Tuple[XmlElement, List[str]]:
    """Return the root with every `<include>` replaced by the content of its file, and the files that were included.

    Names of files are relative to `folder`, the folder of the main file. A file may lie outside of it, as in public
    collections; it is read only if its root says that it is MJCF, and no other text of it is ever shown.

    Raises:
        MalformedXml: a file is not XML; BrokenRobot: an included file is missing, included twice, or no MJCF.
    """
    root = read_xml(text, file, deepest)
    if root.tag == "mujocoinclude":
        root.refuse("it is a part that MJCF files include, not a model by itself")
    if root.tag != "mujoco":
        root.refuse(f"<{root.tag}> is not MJCF: that begins with <mujoco>")
    seen = {os.path.abspath(file): ""} if file else {}
    if any(element.tag == "include" for element in root.walk()):
        _expand(root, folder, seen)
    return root, [*filter(None, seen.values())]


def _expand(parent: XmlElement, folder: str, seen: Dict[str, str]) -> None:
    """Put the children of included files in the places of `<include>`; `seen`: their names, by path."""
    children: List[XmlElement] = []
    for child in parent.children:
        if child.tag == "include":
            inside = _included(child, folder, seen)
            _expand(inside, folder, seen)
            for element in inside.walk():
                # A message names the main file, and there the line of the <include>.
                element.given_line = child.line
            children += inside.children
        else:
            _expand(child, folder, seen)
            children.append(child)
    parent.children = children


def _included(element: XmlElement, folder: str, seen: Dict[str, str]) -> XmlElement:
    """Return the root of an included file."""
    name = (element.get("file") or element.refuse("<include> has no file")).replace("\\", "/")
    near = os.path.join(os.path.dirname(element.file), name)
    path = next(filter(os.path.isfile, (os.path.join(folder, name), near)), None)
    if path is None:
        element.refuse(f"the included file '{name}' is not there")
    # MuJoCo compares names, so it takes two links to one file as two files.
    place = os.path.abspath(path)
    if place in seen:
        element.refuse(f"'{name}' is included twice, or includes itself")
    seen[place] = name
    try:
        with open(path, "rb") as stream:
            root = read_xml(stream.read(), path)
    except OSError as error:
        element.refuse(f"the included file '{name}' cannot be read: {error.strerror}")
    except MalformedXml:
        element.refuse(f"the included file '{name}' is not XML that MuJoCo reads")
    if root.tag not in ROOTS:
        element.refuse(
            f"the included file '{name}' is not MJCF: its root is neither <mujoco> nor <mujocoinclude>"
        )
    return root


MOST_BODIES = 1000000  # inside each other
# Sections in which elements of one tag share their names.
NAMED_BY_TAG = ("asset", "keyframe", "worldbody")
NAMED_TOGETHER = (
    "actuator",
    "equality",
    "sensor",
    "tendon",
)  # sections in which all elements share them
SAME_KIND = {"freejoint": "joint"}
NAMES_OF_JOINTS = ("joint", "jointinparent", "joint1", "joint2")


def read_mjcf(text: Union[str, bytes], file: str = "", *, whole: bool = False) -> RawRobot:
    """Return the robot of an MJCF file.

    `whole`: all bodies are one robot, whose root is the world, however deep they are; efforts are values of joints, not
    of actuators, and a damping ratio stays one.

    Raises:
        MalformedXml, BrokenRobot: it is not XML, not MJCF, or needs a value that only MuJoCo computes; the sentence
            has file and line.
    """
    folder = os.path.dirname(file)
    deepest = MOST_BODIES if whole else DEEPEST
    root, included = read_with_includes(text, file, folder, deepest)
    _refuse_repeated_names(root)

    settings = read_settings(root)
    classes = DefaultClasses(root)
    name = root.get("model") or ""
    assets = read_assets(root, classes, settings, folder)
    chosen = ChosenBodies(BodyReader(classes, settings, assets).read(root), classes, whole=whole)

    inertials, unknown = inertials_of(chosen, settings)
    links, joints = links_and_joints(chosen, inertials, _joints_named_in(root))
    world = world_of(classes, settings, chosen)
    frames = frames_of(chosen)
    # Bodies first, then the sections that name them.
    joints, loops = read_equalities(root, world, joints)
    actuators, driven = read_actuators(root, world, joints)
    # Only a whole copy tells the effort of a joint from the effort of its actuator, as it has both.
    if not whole:
        joints = driven
    sensors = read_sensors(root, world, joints)
    keys = read_keys(root, world)
    apart = [*read_apart(root, world)]

    notes = [*(f"included: {path}" for path in included), *chosen.notes]
    notes += dict.fromkeys(chain.from_iterable(inertial.notes for inertial in inertials.values()))
    robot = RawRobot(
        format="mjcf",
        name=name,
        links=tuple(links),
        joints=tuple(joints),
        frames=tuple(frames),
        loops=tuple(loops),
        sensors=tuple(sensors),
        actuators=tuple(actuators),
        base="free" if chosen.free else "fixed",
        apart=tuple(apart),
        gravity=settings.gravity,
        keys=keys,
        unread=(*unread_of(root), *unknown),
        notes=tuple(notes),
        file=file,
    )
    # The root is the world: the base is free if only floating joints hang on it.
    held = robot if chosen.free else robot._replace(base=held_by_world(robot))
    return held if whole else with_damping(accounted(held))


def _joints_named_in(root: XmlElement) -> Set[str]:
    """Return all names that attributes for joints have, anywhere in the file."""
    names: Set[str] = set()
    for element in root.walk():
        names.update(element.attributes.get(key, "") for key in NAMES_OF_JOINTS)
    return names


def _refuse_repeated_names(root: XmlElement) -> None:
    """Refuse two elements of a kind that have the same name, as MuJoCo does.

    Raises:
        BrokenRobot: an earlier element has the name.
    """
    lines: Dict[Pair, int] = {}
    for section in root.children:
        if section.tag not in NAMED_BY_TAG and section.tag not in NAMED_TOGETHER:
            continue
        for element in section.walk():
            kind = SAME_KIND.get(element.tag, element.tag)
            # Actuators of all kinds share their names, as do equalities, sensors and tendons.
            if section.tag in NAMED_TOGETHER:
                kind = section.tag
            name = element.attributes.get("name", "") if element is not section else ""
            if name and (kind, name) in lines:
                element.refuse(f"{kind} '{name}' is defined twice, see line {lines[kind, name]}")
            lines[kind, name] = element.line


KINDS = {
    "gyro": "imu",
    "accelerometer": "imu",
    "force": "force_torque",
    "torque": "force_torque",
    "magnetometer": "magnetometer",
    "touch": "touch",
    "rangefinder": "rangefinder",
}
# Cameras of MuJoCo look along -z, with y up; cameras of gz look along x, with z up.
T_CAMERA_LINK = Transform(((0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)), ZERO)
FOCAL = ("sensorsize", "focal", "focalpixel")  # other ways to give the field of view
CAMERA_MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
NO_SENSOR = "a reading of the simulator, no sensor on a link"
COORDINATES = {"free": 7, "ball": 4}  # in qpos


def read_sensors(
    root: XmlElement, world: NamedMjcfElements, joints: List[RawJoint]
) -> List[RawSensor]:
    """Return the sensors: elements of one site that other formats have in one sensor (an imu) are joined."""
    joint_above = {joint.child: joint for joint in joints}
    sensors: Dict[Pair, RawSensor] = {}
    orientations: List[XmlElement] = []
    kinds: Dict[str, str] = {}  # by name: two sensors may share a site
    for section in root.all("sensor"):
        for element in section.children:
            kind = KINDS.get(element.tag)
            site = element.get("site")
            if element.tag == "framequat" and element.get("objtype") == "site":
                orientations.append(element)
                continue
            if kind is None or site is None:
                element.leave(NO_SENSOR)
                continue
            placed, body = world.site(element.take(), site)
            if body not in world.chosen.names:
                element.leave(SCENE)
                continue
            own_name = element.get("name") or site
            # A gyro and an accelerometer of one site are one imu; they have names of their own.
            name = site if kind in ("imu", "force_torque") else own_name
            if kinds.setdefault(name, kind) != kind:
                name = f"{name}_{kind}"
            # MuJoCo measures between a body and its parent: in the joint, if there is one.
            is_in_joint = kind == "force_torque" and body in joint_above
            sensor = RawSensor(
                name=name,
                kind=kind,
                link=body,
                joint=joint_above[body].name if is_in_joint else "",
                T_link_sensor=placed.pose,
                line=element.line,
            )
            sensor = sensors.get((kind, name), sensor)
            sensors[kind, name] = _with_reading(sensor, element, own_name)
    # Behind all others, as the orientation of an imu may be written before it.
    for element in orientations:
        name = element.get("name") or ""
        imu = ("imu", element.get("objname") or "")
        if imu in sensors:
            sensors[imu] = _with_reading(sensors[imu], element.take(), name)
        else:
            element.leave(NO_SENSOR)
    return [*sensors.values(), *_cameras(world)]


def _with_reading(sensor: RawSensor, element: XmlElement, name: str) -> RawSensor:
    """Return a sensor with one more element of MuJoCo that reads it."""
    return sensor._replace(readings=(*sensor.readings, f"{element.tag} {name}"))


def _cameras(world: NamedMjcfElements) -> Iterator[RawSensor]:
    """Yield the cameras on links, turned to the axes that other formats have."""
    for number in world.chosen.inside:
        body: BodyElement = world.chosen.bodies[number]
        for camera in body.cameras:
            if number == 0 or camera.attrs.word("mode", CAMERA_MODES) != "fixed":
                camera.attrs.element.leave("a camera of the viewer, not of the robot")
            else:
                yield _camera(camera, body.name)


def _camera(camera: PlacedSite, link: str) -> RawSensor:
    """Return a camera on a link."""
    attrs = camera.attrs
    values: Values = {}
    width, height = attrs.numbers("resolution", (1.0, 1.0))
    if attrs.get("resolution") is not None:
        values["image"] = (width, height)
    focal = [name for name in FOCAL if attrs.get(name) is not None]
    # The look-up marks them as read, and their values are not.
    attrs.element.read -= set(focal)
    if not focal and attrs.get("fovy") is not None:
        # MuJoCo gives the vertical angle, other formats the horizontal one: tan(h / 2) = tan(v / 2) w / h.
        cosine, sine = cosine_sine(attrs.number("fovy", 45.0) * (PI / 360.0))
        values["field_of_view"] = (2.0 * arctangent(sine * width, cosine * height),)
    pose = compose(camera.pose, T_CAMERA_LINK)
    return RawSensor(
        name=camera.name,
        kind="camera",
        link=link,
        joint="",
        T_link_sensor=pose,
        rate=None,
        values=values,
        words=(),
        line=attrs.element.line,
    )


def read_keys(root: XmlElement, world: NamedMjcfElements) -> Mapping[str, RawNamedState]:
    """Return the named states of the robot."""
    elements = chain.from_iterable(section.children for section in root.all("actuator"))
    actuators = [element for element in elements if element.tag in ACTUATORS]
    names = [actuator.attributes.get("name") or "" for actuator in actuators]
    count = 0
    for body in world.chosen.bodies:
        for joint in body.joints:
            count += COORDINATES.get(joint.type, 1)
    keys: Dict[str, RawNamedState] = {}
    for section in root.all("keyframe"):
        for element in section.all("key"):
            name = element.get("name") or f"key {len(keys)}"
            text = element.get("qpos")
            if text is None:
                element.leave("it names no position")
            elif len(text.split()) != count:
                element.leave(f"it has {len(text.split())} numbers for {count} coordinates")
            else:
                numbers = element.numbers(text, count) if count else ()
                keys[name] = _key(element, numbers, world, names)
    return keys


def _key(
    element: XmlElement, numbers: Reals, world: NamedMjcfElements, actuators: List[str]
) -> RawNamedState:
    """Return a state; its controls only if every actuator has a control."""
    positions: Dict[str, float] = {}
    places: Poses = {}
    start = 0
    for body in world.chosen.bodies:
        for joint in body.joints:
            # `qpos` has all joints of the file in the order of its bodies, also joints of objects in the scene.
            values = numbers[start : start + COORDINATES.get(joint.type, 1)]
            start += len(values)
            if body.name in world.chosen.names and len(values) == 1:
                positions[joint.name] = values[0]
            elif body.name in world.chosen.names:
                # Free: x y z, then w x y z; ball: w x y z alone.
                place = vector_of(values[:-4] or ZERO)
                places[body.name] = Transform(rotation_of_wxyz(values[-4:]), place)

    text = element.attributes.get("ctrl", "")
    controls = (
        element.numbers(text, len(actuators))
        if text and len(text.split()) == len(actuators)
        else ()
    )
    if controls:
        element.get("ctrl")
    return RawNamedState(
        positions,
        places,
        {name: value for name, value in zip(actuators, controls) if value},
        element.line,
    )
