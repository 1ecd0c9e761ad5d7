"""Read MJCF for the comparison, from the text alone, as MuJoCo compiles it.

The XML reference of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html) is followed here; where it
is unclear, MuJoCo was measured, and `make judges` verifies that both still agree.
"""
import posixpath
from typing import Dict, Tuple, Union

from .mjcf_actuators import read_actuators, with_damping
from .mjcf_bodies import Reader
from .mjcf_control import read_apart, read_equalities, world_of
from .mjcf_defaults import Classes
from .mjcf_include import read_with_includes
from .mjcf_scene import Chosen, frames_of, links_and_joints, inertials_of
from .mjcf_sensors import read_keys, read_sensors
from .mjcf_settings import read_settings
from .mjcf_shapes import read_assets
from .records import RawRobot
from .xml_text import DEEPEST, Element, unread_of

MOST_BODIES = 1000000  # inside each other
NAMED_BY_TAG = ("asset", "keyframe", "worldbody")  # sections in which those of one tag share their names
NAMED_TOGETHER = ("actuator", "equality", "sensor", "tendon")  # sections in which all do
SAME_KIND = {"freejoint": "joint"}
NAMES_OF_JOINTS = ("joint", "jointinparent", "joint1", "joint2")


def read_mjcf(text: Union[str, bytes], file: str = "", folder: str = "", *, whole: bool = False) -> RawRobot:
    """Return the robot of an MJCF file; `folder` is that of the file unless it is given.

    `whole`: all bodies are one robot, whose root is the world, however deep they are; efforts are those of joints, not
    of actuators, and a damping ratio stays one. The robot is free if all bodies of the world are.

    Raises:
        MalformedXml, BrokenRobot: it is not XML, not MJCF, or needs what only MuJoCo computes; file and line are said.
    """
    folder = folder or posixpath.dirname(file)
    root, included = read_with_includes(text, file, folder, DEEPEST if not whole else MOST_BODIES)
    _refuse_repeated_names(root)
    settings, classes = read_settings(root), Classes(root)
    name = root.get("model") or ""
    assets = read_assets(root, classes, settings, folder)
    chosen = Chosen(Reader(classes, settings, assets).read(root), whole=whole)
    inertials, unknown = inertials_of(chosen, settings)
    named = {element.attributes.get(key, "") for element in root.walk() for key in NAMES_OF_JOINTS}
    links, joints = links_and_joints(chosen, inertials, named)
    world = world_of(classes, settings, chosen)
    frames = frames_of(chosen)
    joints, loops = read_equalities(root, world, joints)
    actuators, driven = read_actuators(root, world, joints)
    joints = joints if whole else driven
    sensors, keys, apart = read_sensors(root, world, joints), read_keys(root, world), read_apart(root, world)
    notes = [*(f"included: {path}" for path in included), *chosen.notes]
    robot = RawRobot("mjcf", name, tuple(links), tuple(joints), tuple(frames), tuple(loops), tuple(sensors),
                     tuple(actuators), "free" if chosen.free else "fixed", tuple(apart), settings.gravity, keys,
                     (*unread_of(root), *unknown), tuple(notes), file)
    return robot if whole else with_damping(robot)


def _refuse_repeated_names(root: Element) -> None:
    """Refuse two elements of a kind that have the same name, as MuJoCo does.

    Raises:
        BrokenRobot: an earlier one has the name.
    """
    lines: Dict[Tuple[str, str], int] = {}
    for section in root.children:
        for element in section.walk() if section.tag in NAMED_BY_TAG or section.tag in NAMED_TOGETHER else ():
            kind = section.tag if section.tag in NAMED_TOGETHER else SAME_KIND.get(element.tag, element.tag)
            name = element.attributes.get("name", "") if element is not section else ""
            if name and (kind, name) in lines:
                element.refuse(f"{kind} '{name}' is there twice, see line {lines[kind, name]}")
            lines[kind, name] = element.line
