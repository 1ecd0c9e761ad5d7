"""Read MJCF for the comparison, from the text alone, as MuJoCo compiles it, with the files that it includes.

The XML reference of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html) is followed here; where it
is unclear, MuJoCo was measured, and `make judges` verifies that both still agree.
"""
import os
import posixpath
from typing import Dict, List, Tuple, Union

from ..base.errors import MalformedXml
from .mjcf_actuators import read_actuators, with_damping
from .mjcf_bodies import Reader
from .mjcf_control import read_apart, read_equalities, world_of
from .mjcf_settings import Classes, read_settings
from .mjcf_scene import Chosen, frames_of, inertials_of, links_and_joints
from .mjcf_sensors import read_keys, read_sensors
from .mjcf_shapes import read_assets
from .records import RawRobot
from .xml_text import DEEPEST, Element, read_xml, unread_of

ROOTS = ("mujoco", "mujocoinclude")


def read_with_includes(text: Union[str, bytes], file: str, folder: str, deepest: int) -> Tuple[Element, List[str]]:
    """Return the root with every `<include>` replaced by what is in its file, and the files that were included.

    Names of files are relative to `folder`, that of the main file. A file may lie outside of it, as those of public
    collections do; it is read only if its root says that it is MJCF, and no other text of it is ever shown.

    Raises:
        MalformedXml: a file is not XML; BrokenRobot: an included file is missing, included twice, or no MJCF.
    """
    root = read_xml(text, file, deepest)
    if root.tag == "mujocoinclude":
        root.refuse("it is a part that MJCF files include, and no model by itself")
    if root.tag != "mujoco":
        root.refuse(f"<{root.tag}> is not MJCF: that begins with <mujoco>")
    seen = {_identity(file, folder): ""} if file else {}
    included: List[str] = []
    if any(element.tag == "include" for element in root.walk()):
        _expand(root, folder, seen, included)
    return root, included


def _expand(parent: Element, folder: str, seen: Dict[str, str], included: List[str]) -> None:
    children: List[Element] = []
    for child in parent.children:
        if child.tag == "include":
            inside = _included(child, folder, seen, included)
            _expand(inside, folder, seen, included)
            children += inside.children
        else:
            _expand(child, folder, seen, included)
            children.append(child)
    parent.children = children


def _included(element: Element, folder: str, seen: Dict[str, str], included: List[str]) -> Element:
    """Return the root of an included file."""
    name = (element.get("file") or element.refuse("<include> has no file")).replace("\\", "/")
    near = posixpath.join(posixpath.dirname(element.file), name)
    path = next((candidate for candidate in (posixpath.join(folder, name), near) if os.path.isfile(candidate)), None)
    if path is None:
        element.refuse(f"the included file '{name}' is not there")
    if _identity(path, "") in seen:
        element.refuse(f"'{name}' is included twice, or includes itself")
    seen[_identity(path, "")] = name
    try:
        with open(path, "rb") as stream:
            root = read_xml(stream.read(), path)
    except OSError as error:
        element.refuse(f"the included file '{name}' cannot be read: {error.strerror}")
    except MalformedXml:
        element.refuse(f"the included file '{name}' is not XML that MuJoCo reads")
    if root.tag not in ROOTS:
        element.refuse(f"the included file '{name}' is no MJCF: its root is neither <mujoco> nor <mujocoinclude>")
    included.append(name)
    return root


def _identity(path: str, folder: str) -> str:
    """Return the path that identifies a file."""
    return os.path.realpath(os.path.join(folder, path) if folder and not os.path.exists(path) else path)


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
