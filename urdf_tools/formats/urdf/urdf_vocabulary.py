"""The words that programs read in a URDF, and the parts of a file with other words, whose meaning no reader knows.

The words are from URDF (https://wiki.ros.org/urdf/XML), and from what Drake (drake.mit.edu, "URDF support"), PyBullet
(UrdfParser.cpp) and MuJoCo (XML reference, "URDF extensions") read beside them.
"""

from __future__ import annotations

from itertools import chain
from typing import AbstractSet, Dict, Iterator, List, Optional

from ...base.record_type import Record
from ...base.type_aliases import Texts
from ...robot.raw_robot import NOT_READ, RawRobot, UnreadElement
from ...urdf.urdf_records import INERTIA_KEYS, OF_JOINT, OF_LINK, SIZES
from ..reader_helpers import BESIDE, carried_in, tags_around

# What URDF defines inside an element.
ELEMENTS: Dict[str, Texts] = {
    "link": OF_LINK,
    "joint": tuple(OF_JOINT),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry"),
    "geometry": tuple(SIZES),
}
ATTRIBUTES: Dict[str, Texts] = {
    **OF_JOINT,
    "mass": ("value",),
    "inertia": INERTIA_KEYS,
    "mesh": ("filename", "scale"),
    **{name: tuple(key for key, _ in keys) for name, keys in SIZES.items() if name != "mesh"},
}
# The content of these elements is for one program, which reads it by words of its own.
FOREIGN: Texts = (
    "contact",
    "deformable",
    "gazebo",
    "mujoco",
    "reduced_deformable",
    "ros2_control",
    "sensor",
    "transmission",
)
CHILDREN: Dict[str, Texts] = {
    **ELEMENTS,
    "robot": ("frame", "joint", "link", "loop_joint", "material", *FOREIGN),
    "link": (*ELEMENTS["link"], "contact", "sensor"),
    "geometry": (*ELEMENTS["geometry"], "cdf", "ellipsoid", "plane"),
    "material": ("color", "specular", "texture"),
}
NAMED: Dict[str, Texts] = {
    **ATTRIBUTES,
    "link": ("name", "type"),
    "joint": ("name", "type"),
    "visual": ("name",),
    "collision": ("concave", "name"),
    "material": ("name",),
    "color": ("rgba",),
    "texture": ("filename",),
}
# PyBullet takes the collisions of a robot into groups by number; with words nobody does.
NUMBERED: Dict[str, Texts] = {"collision": ("group", "mask")}
KNOWN = frozenset(chain.from_iterable(CHILDREN.values()))
URDF = "urdf"
HOLDS_URDF = (URDF, "json")  # a model keeps XML of URDF


class UnreadParts(Record):
    """Unread elements, and attributes of others: those that some program may read, and those that no reader knows."""

    known: List[UnreadElement]
    unknown: List[UnreadElement]


def by_knowledge(robot: RawRobot) -> UnreadParts:
    """Return the unread parts of a robot, by whether a reader of URDF knows them; other formats have refusals."""
    if robot.format not in HOLDS_URDF:
        return UnreadParts(list(robot.unread), [])
    known: List[UnreadElement] = []
    unknown: List[UnreadElement] = []
    for item in robot.unread:
        if _is_element(item):
            is_unknown = _is_unknown_element(item)
            of_kind = unknown if is_unknown else known
            of_kind.append(item)
            continue
        # An element may have both: a `lower` of a continuous joint, and a word that nobody defined.
        names = set(_unknown_attributes(item))
        known += filter(None, [_with_attributes(item, names, inside=False)])
        unknown += filter(None, [_with_attributes(item, names, inside=True)])
    return UnreadParts(known, unknown)


def _is_element(item: UnreadElement) -> bool:
    """Return True for an element, False for attributes of one that is read."""
    return not item.words or item.words[0][0] != ""


def _is_unknown_element(item: UnreadElement) -> bool:
    """Return True for an element that no reader knows, or that carries a part of a robot where nobody looks for it."""
    if item.why != NOT_READ or not item.words:
        return False
    if carried_in(item, URDF):
        return True
    tag = item.words[0][0]
    is_of_program = ":" in tag or bool(BESIDE[URDF].intersection(tags_around(item)))
    return not is_of_program and tag not in KNOWN


def _unknown_attributes(item: UnreadElement) -> Iterator[str]:
    """Yield the names of attributes that no reader knows; a prefix says which program reads one."""
    around = tags_around(item)
    if not around or BESIDE[URDF].intersection(around):
        return
    tag = around[-1]
    known = (*NAMED.get(tag, ()), *NUMBERED.get(tag, ()))
    for name, _ in item.words[0][1]:
        if ":" not in name and name not in known:
            yield name


def _with_attributes(
    item: UnreadElement, names: AbstractSet[str], *, inside: bool
) -> Optional[UnreadElement]:
    """Return the attributes of an element whose names are in `names`, or not; None if there are none."""
    path, attributes, text = item.words[0]
    kept = tuple((name, value) for name, value in attributes if (name in names) == inside)
    if not kept:
        return None
    return item._replace(words=((path, kept, text),))
