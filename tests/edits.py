"""Random edits of one number or word in a file of a robot, and what a comparison does not say of them, with reasons."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.read import first_element, read_bytes
from urdf_tools.compare.records import RawRobot

FORMATS = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}
HIDDEN = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", re.S)
VALUES = re.compile(rb"=\s*\"([^\"]*)\"|=\s*'([^']*)'|>([^<>]+)<")
OPPOSITE = {b"true": b"false", b"false": b"true", b"1": b"0", b"0": b"1"}
NOT_SHOWN = ("line", "lines", "where")  # fields that say where something is written, and nothing of the robot

DIRECTION = "a direction has no length"
NO_LOOK_UP = "no program looks it up"
NOTHING: Dict[Tuple[str, str, str], str] = {  # format, element, attribute or "text": why no field and no note has it
    ("urdf", "axis", "xyz"): f"{DIRECTION}; a joint that does not move has no axis",
    ("urdf", "material", "name"): "a material that says its color itself needs no name",
    ("urdf", "color", "rgba"): "no visual has this material, or one of its name counts before it",
    ("urdf", "texture", "filename"): "no visual has this material, or one of its name counts before it",
    ("urdf", "robot", "version"): "it is of the text",
    ("urdf", "robot", "xmlns"): "it is of the text",
    ("urdf", "transmission", "name"): NO_LOOK_UP,
    ("urdf", "type", "text"): "of a transmission: it names the simple one in another package",
    ("urdf", "hardwareInterface", "text"): "of a transmission: another word for the same interface",
    ("urdf", "selfCollide", "text"): "a word that is no yes is a no; the last tag of its kind counts",
    ("urdf", "gravity", "text"): "the last tag of its kind counts",
    ("urdf", "turnGravityOff", "text"): "a word that is no yes is a no; the last tag of its kind counts",
    ("urdf", "mu1", "text"): "the last tag of its kind counts",
    ("urdf", "mu2", "text"): "the last tag of its kind counts",
    ("urdf", "kp", "text"): "the last tag of its kind counts",
    ("urdf", "kd", "text"): "the last tag of its kind counts",
    ("urdf", "material", "text"): "the last tag of its kind counts",
    ("urdf", "provideFeedback", "text"): "a word that is no yes is a no; the last tag of its kind counts",
    ("urdf", "implicitSpringDamper", "text"): "a word that is no yes is a no; the last tag of its kind counts",
    ("mjcf", "default", "class"): "nothing has this class",
    ("mjcf", "body", "childclass"): "nothing in it takes its class from it",
    ("mjcf", "joint", "axis"): DIRECTION,
    ("mjcf", "geom", "group"): "viewers show both groups, or neither",
    ("mjcf", "site", "group"): "a site is a frame, shown or not",
    ("mjcf", "freejoint", "name"): NO_LOOK_UP,
    ("mjcf", "key", "qpos"): "a quaternion has no length",
    ("mjcf", "key", "name"): "it names no position, so it is no state",
    ("mjcf", "body", "pos"): "where the file draws what is free; a key or a program puts it somewhere",
    ("mjcf", "body", "quat"): "where the file draws what is free; a quaternion has no length",
    ("mjcf", "inertial", "quat"): "a quaternion has no length; a tensor with three like moments has no axes",
    ("mjcf", "joint", "polycoef"): "without a leader the first number counts alone",
    ("mjcf", "joint", "range"): "an equality locks the joint",
    ("mjcf", "compiler", "autolimits"): "every range says itself whether it counts",
    ("mjcf", "compiler", "inertiafromgeom"): "every body says its inertia, or none does",
    ("mjcf", "compiler", "meshdir"): "no mesh is in it",
    ("mjcf", "geom", "friction"): "a geom that touches nothing has none",
    ("mjcf", "geom", "condim"): "a geom that touches nothing has none",
    ("sdf", "sdf", "version"): "both versions mean the same by what is written",
    ("sdf", "model", "canonical_link"): "no frame rests on it",
    ("sdf", "xyz", "text"): DIRECTION,
    ("sdf", "gravity", "text"): "a word that is no yes is a no",
    ("sdf", "self_collide", "text"): "a word that is no yes is a no",
    ("sdf", "provide_feedback", "text"): "a word that is no yes is a no",
    ("sdf", "implicit_spring_damper", "text"): "a word that is no yes is a no",
    ("sdf", "static", "text"): "a word that is no yes is a no",
}
HELD = "of what never moves, or has no mass and no shape"
NOTHING_SEEN = "the shape looks as before, or hangs on a body that has no direction"
NAMES = "names may differ: the map says what is what"
SAME: Dict[str, str] = {  # a field of the record that changes: why it is the same robot, without a word
    "name": "the name of the whole robot is not compared",
    "links.name": NAMES,
    "joints.name": NAMES,
    "links.shapes.name": NAMES,
    "actuators.name": NAMES,
    "sensors.name": NAMES,
    "loops.name": NAMES,
    "sensors.readings": NAMES,
    "frames.name": "a frame that only one file has was merged, or renamed: a note counts it",
    "joints.T_parent_child": "where the base lies, and frames of links, are any author's",
    "T_file_root": "a robot is the same wherever it is put",
    "joints.point": HELD,
    "joints.axis": "joints of bodies without mass and shape may lie anywhere on what is behind",
    "links.mass": HELD,
    "joints.lower": "a copy of a joint of the same name counts once",
    "joints.upper": "a copy of a joint of the same name counts once",
    "joints.velocity": "a copy of a joint of the same name counts once",
    "joints.effort": "a copy of a joint of the same name counts once",
    "joints.mimic": "its leader is not there, or does not move",
    "joints.values": "of a joint that does not move, or 0, which is as good as nothing",
    "joints.type": "nothing is behind it",
    "links.shapes.T_link_shape": NOTHING_SEEN,
    "links.shapes.color": "a color that one file does not say",
    "links.shapes.file": "meshes of another name are compared where both files are there",
    "links.shapes.path": "meshes of another name are compared where both files are there",
    "links.shapes.texture": "an image that one file does not say",
    "links.shapes.script": "a material that one file does not say",
    "links.shapes.surface": "how a shape shines, or touches, where one file does not say it",
    "links.values": "of a link that is merged, or renamed",
    "keys": "of a joint that the other file does not have",
    "frames.T_link_frame": "turned by right angles, as tools do",
}


class Edit(NamedTuple):
    """A file with one number or word changed: the lines of it and of its tag, the element and attribute it is in."""

    data: bytes
    lines: Tuple[int, int]
    element: str
    attribute: str


def robots_in(*folders: Path) -> Dict[str, List[Path]]:
    """Return the files of each format that are read as a robot, in order."""
    found: Dict[str, List[Path]] = {name: [] for name in FORMATS.values()}
    for path in sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in (".urdf", ".xml", ".sdf") and path.is_file() and path.stat().st_size < 200000
    ):
        name = FORMATS.get(first_element(path.read_bytes()))
        if name is not None and robot_of(path) is not None:
            found[name].append(path)
    return found


@lru_cache(maxsize=None)
def robot_of(path: Path) -> Optional[RawRobot]:
    """Return the robot of a file, None where it is refused."""
    return read_or_refused(path.read_bytes(), path)


def read_or_refused(data: bytes, path: Path) -> Optional[RawRobot]:
    try:
        return read_bytes(data, str(path))
    except UrdfError:
        return None


@lru_cache(maxsize=None)
def words_of(path: Path) -> List[Tuple[int, int]]:
    """Return where the words and numbers of a file begin and end, those of comments left out."""
    data = HIDDEN.sub(lambda hidden: b" " * len(hidden.group()), path.read_bytes())
    return [
        (found.start(group) + word.start(), found.start(group) + word.end())
        for found in VALUES.finditer(data)
        for group in (1, 2, 3)
        if found.group(group) is not None
        for word in re.finditer(rb"\S+", found.group(group))
    ]


def edit_of(path: Path, place: int, *, opposite: bool) -> Edit:
    """Return the file with a word changed: a number made larger, a word longer, or what can be told from it."""
    data, (start, end) = path.read_bytes(), words_of(path)[place % len(words_of(path))]
    word = data[start:end]
    try:
        other = b"%g" % (1.37 * float(word) + 0.11)
    except ValueError:
        other = word + b"x"
    if opposite:
        other = OPPOSITE.get(word, other)
    begin = data.rfind(b"<", 0, start)
    tag = re.match(rb"<([\w:.-]+)", data[begin:start])
    attribute = re.search(rb"([\w:.-]+)\s*=\s*[\"'][^\"']*$", data[begin:start])
    lines = (data.count(b"\n", 0, start) + 1, data.count(b"\n", 0, begin) + 1)
    return Edit(
        data[:start] + other + data[end:],
        lines,
        tag.group(1).decode() if tag else "",
        attribute.group(1).decode() if attribute else "text",
    )


def changed(a: Any, b: Any) -> str:
    """Return the first field by which two records differ, as `links.mass.center`; "" where none does."""
    if hasattr(a, "_fields") and type(a) is type(b):
        for field in a._fields:
            inner = changed(getattr(a, field), getattr(b, field)) if field not in NOT_SHOWN else ""
            if inner:
                return f"{field}.{inner}".rstrip(".=")
    elif isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return next((inner for one, other in zip(a, b) for inner in [changed(one, other)] if inner), "")
    elif isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return next((f"{key}.{inner}" for key in a for inner in [changed(a[key], b[key])] if inner), "")
    elif a != b:
        return "="
    return ""
