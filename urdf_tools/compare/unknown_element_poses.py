"""The poses of elements that no reader knows: a run moves them with the frame of their link, as URDF's own elements.

An `<origin>`, or `xyz` and `rpy`, of an element in a link, or of an element that names a link, is read as a pose in the
frame of that link. So elements are alike if they have the same place, and are otherwise equal.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Tuple

from ..base.number_text import numbers_in
from ..base.record_type import Record
from ..formats.reader_helpers import rotation_of_quaternion, rotation_of_rpy
from ..robot.canonical_robot import CanonicalRobot
from ..robot.joint_motion import after
from ..robot.raw_robot import UnreadElement, Word
from ..urdf.urdf_records import ORIGIN_KEYS
from ..urdf.spatial_math import compose, Transform, ZERO
from .difference_records import poses_apart, Tolerances
from .robot_map import RobotMap

LINK = "link "  # of a step to an element: the tag and the name
NAMING = ("link", "body", "reference")  # attributes of loops and constraints that name a link


class PoseOnBody(Record):
    """The frame of a link, or a pose in it, in the frame of the root, and the body that it is on."""

    body: int
    T_root: Transform


class PlacedElement(Record):
    """An element without its pose and the name of its link, and the place of that pose, if it has a link."""

    word: Word
    place: Optional[PoseOnBody]


def lie_alike(
    item: UnreadElement, other: UnreadElement, robots: RobotMap, tolerances: Tolerances
) -> bool:
    """Return True if two unread elements are equal except for poses and links, and have the same place in the robot."""
    words = _placed_words(item, robots.a)
    other_words = _placed_words(other, robots.b)
    if words is None or other_words is None or len(words) != len(other_words):
        return False
    return all(
        first.word == second.word and _is_one_place(first.place, second.place, robots, tolerances)
        for first, second in zip(words, other_words)
    )


def _is_one_place(
    place: Optional[PoseOnBody],
    other: Optional[PoseOnBody],
    robots: RobotMap,
    tolerances: Tolerances,
) -> bool:
    """Return True if a place of A equals a place of B under the map, or both are None."""
    if place is None or other is None:
        return place is other
    if robots.bodies.get(place.body) != other.body:
        return False
    off, angle = poses_apart(after(robots.Y[place.body], place.T_root), other.T_root)
    return off <= tolerances.length and angle <= tolerances.angle


def _placed_words(item: UnreadElement, robot: CanonicalRobot) -> Optional[List[PlacedElement]]:
    """Return the words of an element with their places; None if one of its poses cannot be read."""
    frames = {
        part.link.name: PoseOnBody(number, part.T_root_link)
        for number, body in enumerate(robot.bodies)
        for part in body.parts
    }
    placed: List[PlacedElement] = []
    origins = _origins_of(item)
    read_origins = set()
    owner = item.steps[0][len(LINK) :] if item.steps[0].startswith(LINK) else ""
    for number, (path, attributes, text) in enumerate(item.words):
        said = dict(attributes)
        if number in read_origins:
            # Its pose is the place of the element around it; its other attributes are compared.
            said = _without_pose(said)
        names = [said.pop(key) for key in NAMING if said.get(key) in frames]
        link = names[0] if names else owner if number == 0 else ""
        place = None
        if link in frames:
            holder = said
            if number in origins:
                holder = dict(item.words[origins[number]][1])
                read_origins.add(origins[number])
            T = _pose_in(holder)
            if T is None:
                return None
            place = frames[link]._replace(T_root=compose(frames[link].T_root, T))
            if holder is said:
                said = _without_pose(said)
        placed.append(PlacedElement((path, tuple(said.items()), text), place))
    return placed


def _without_pose(attributes: Mapping[str, str]) -> Dict[str, str]:
    """Return the attributes of an element without its pose."""
    return {key: value for key, value in attributes.items() if key not in ORIGIN_KEYS}


def _origins_of(item: UnreadElement) -> Dict[int, int]:
    """Return the number of the `<origin>` of each element that has an origin, by the number of the element."""
    origins: Dict[int, int] = {}
    around: Dict[str, int] = {}  # by path, the last element so far
    for number, (path, _, _) in enumerate(item.words):
        parent, _, tag = path.rpartition("/")
        if tag == "origin" and parent in around:
            origins.setdefault(around[parent], number)
        around[path] = number
    return origins


def _pose_in(attributes: Mapping[str, str]) -> Optional[Transform]:
    """Return the pose in attributes such as those of an `<origin>`; None if they are unreadable."""
    written: Dict[str, Tuple[float, ...]] = {}
    for key, count in zip(ORIGIN_KEYS, (3, 3, 4)):
        if key in attributes:
            numbers = numbers_in(attributes[key], count)
            if numbers is None:
                return None
            written[key] = numbers
    if any(written.get("quat_xyzw", ())):
        rotation = rotation_of_quaternion(written["quat_xyzw"])
    else:
        rotation = rotation_of_rpy(written.get("rpy", ZERO))
    x, y, z = written.get("xyz", ZERO)
    return Transform(rotation, (x, y, z))
