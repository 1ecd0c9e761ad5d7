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
from ..robot.rigid_bodies import TURNS
from ..urdf.urdf_records import ORIGIN_KEYS
from ..urdf.spatial_math import compose, Transform, ZERO
from .difference_records import poses_apart, Tolerances
from .robot_map import JointPair, RobotMap

LINK = "link "  # the begin of the step to a link: its tag, before its name
NAMING = ("link", "body", "reference")  # attributes of loops and constraints that name a link


class PoseOnBody(Record):
    """The frame of a link, or a pose in it, in the frame of the root, and the body that it is on."""

    body: int
    T_root: Transform


class PlacedElement(Record):
    """An element without its pose and the names of links, and its place; None if it belongs to no link."""

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


def count_alike(
    item: UnreadElement, other: UnreadElement, robots: RobotMap, tolerances: Tolerances
) -> bool:
    """Return True if two elements are equal except for names of links, and all that they name is the same.

    A link is the same if its frame has the same place, and a joint if its positions are equal: numbers beside a name are
    counted in that frame, or from that zero.
    """
    if len(item.words) != len(other.words):
        return False
    values: List[Tuple[str, str]] = []
    for (path, pairs, text), (other_path, other_pairs, other_text) in zip(item.words, other.words):
        attributes = dict(pairs)
        other_attributes = dict(other_pairs)
        if path != other_path or attributes.keys() != other_attributes.keys():
            return False
        values.append((text, other_text))
        values += [(value, other_attributes[key]) for key, value in attributes.items()]
    frames = _frames_of_links(robots.a)
    other_frames = _frames_of_links(robots.b)
    joints = _pairs_by_name(robots)
    for value, other_value in values:
        if value in frames or other_value in other_frames:
            place = frames.get(value)
            other_place = other_frames.get(other_value)
            if not _is_one_place(place, other_place, robots, tolerances):
                return False
        elif value in joints:
            pair = joints[value]
            if pair is None or pair.b.raw.name != other_value or not _is_one_rule(pair, tolerances):
                return False
        elif value != other_value:
            return False
    return True


def _pairs_by_name(robots: RobotMap) -> Dict[str, Optional[JointPair]]:
    """Return the pair of each moving joint of A by its name, None without a partner."""
    pairs: Dict[str, Optional[JointPair]] = {joint.raw.name: None for joint in robots.a.joints}
    pairs.update((pair.a.raw.name, pair) for pair in robots.pairs)
    return pairs


def _is_one_rule(pair: JointPair, tolerances: Tolerances) -> bool:
    """Return True if equal positions are the map of two joints."""
    most = tolerances.angle if pair.a.motion == TURNS else tolerances.length
    return pair.choice.sign > 0.0 and abs(pair.offset) <= most


def _placed_words(item: UnreadElement, robot: CanonicalRobot) -> Optional[List[PlacedElement]]:
    """Return the words of an element with their places; None if one of its poses cannot be read.

    The pose of an element is in its `<origin>`, or in its own attributes.
    """
    frames = _frames_of_links(robot)
    placed: List[PlacedElement] = []
    origins = _origins_of(item)
    read_origins = set()  # the numbers of the origins whose pose became a place
    for number, (path, attributes, text) in enumerate(item.words):
        kept = dict(attributes)
        if number in read_origins:
            # Its pose is the place of the element around it; its other attributes are compared.
            kept = _without_pose(kept)
        # The names of links differ between the robots, so the place stands for them.
        named_links = [kept.pop(key) for key in NAMING if kept.get(key) in frames]
        link = ""
        if named_links:
            link = named_links[0]
        elif number == 0:
            link = _owner_of(item)
        if link not in frames:
            placed.append(PlacedElement((path, tuple(kept.items()), text), None))
            continue

        if number in origins:
            pose_attributes = dict(item.words[origins[number]][1])
            read_origins.add(origins[number])
        else:
            pose_attributes = kept
            kept = _without_pose(kept)
        T_link_element = _pose_in(pose_attributes)
        if T_link_element is None:
            return None
        frame = frames[link]
        place = PoseOnBody(frame.body, compose(frame.T_root, T_link_element))
        placed.append(PlacedElement((path, tuple(kept.items()), text), place))
    return placed


def _frames_of_links(robot: CanonicalRobot) -> Dict[str, PoseOnBody]:
    """Return the frame of each link, by its name, with the body that it is on."""
    frames: Dict[str, PoseOnBody] = {}
    for number, body in enumerate(robot.bodies):
        for part in body.parts:
            frames[part.link.name] = PoseOnBody(number, part.T_root_link)
    return frames


def _owner_of(item: UnreadElement) -> str:
    """Return the name of the link that an unread element is in, "" if it is not in a link."""
    outermost = item.steps[0]
    return outermost[len(LINK) :] if outermost.startswith(LINK) else ""


def _without_pose(attributes: Mapping[str, str]) -> Dict[str, str]:
    """Return the attributes of an element without its pose."""
    return {key: value for key, value in attributes.items() if key not in ORIGIN_KEYS}


def _origins_of(item: UnreadElement) -> Dict[int, int]:
    """Return the number of the first `<origin>` in each element that has one, by the number of the element.

    Numbers count the words of the item, in which an element comes before its children.
    """
    origins: Dict[int, int] = {}
    around: Dict[str, int] = {}  # by path, the last element so far
    for number, (path, _, _) in enumerate(item.words):
        parent, _, tag = path.rpartition("/")
        if tag == "origin" and parent in around:
            origins.setdefault(around[parent], number)
        around[path] = number
    return origins


def _pose_in(attributes: Mapping[str, str]) -> Optional[Transform]:
    """Return the pose in attributes xyz [m], rpy [rad] and quat_xyzw, which counts before rpy; None if unreadable.

    Missing attributes are zeros, and a quaternion of zeros counts as missing.
    """
    written: Dict[str, Tuple[float, ...]] = {}
    # Each key of ORIGIN_KEYS with the count of its numbers.
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
