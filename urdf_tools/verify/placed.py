"""Sensors, lights, frames and ends of loops: what has a place in a link, as the proof reads it from either text."""
import math
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.spatial import NO_MOTION, Pose
from .raw_robot import numbers_of, others_in, pose_of_origin, RawRobot
from .rigid_motion import rpy_turn

POINTS_ONLY = ("drake:ball_constraint", "drake:linear_spring_damper")  # their ends have no frame of their own
LOOP_ENDS = ("loop", "constraint", "closure", "bushing")
NAMING_LINK = ("link", "body", "reference", "name")
WITHOUT_PLACE = ("contact", "force_torque")
PLACED_IN_SIMULATOR = ("sensor", "light", "projector")
ORIGIN_KEYS = ("xyz", "rpy", "quat_xyzw")


class Placed(NamedTuple):
    """An element with a pose in a link, T_link_it."""

    element: Element
    link: str
    pose: Pose


def find_placed(robot: RawRobot) -> Dict[int, List[Placed]]:
    """Return, by the offset of its element, everything outside visuals and collisions that has a readable place."""
    found: Dict[int, List[Placed]] = {}
    for placed in _all_placed(robot):
        found.setdefault(placed.element.offset, []).append(placed)
    return found


def _all_placed(robot: RawRobot) -> Iterator[Placed]:
    children = {joint.name: joint.child for joint in reversed(list(robot.joints.values()))}
    for top in robot.document.root.elements():
        if top.name == "gazebo":
            yield from _in_gazebo(robot, top)
        elif top.name == "sensor":
            parent = top.find("parent")
            link = (parent.get("link") or children.get(parent.get("joint") or "", "")) if parent is not None else ""
            yield from _at_origin(robot, top, link)
        elif top.name == "frame" or top.name not in POINTS_ONLY and any(
                word in top.name.lower() for word in LOOP_ENDS):
            for element in top.walk():
                for key in NAMING_LINK:
                    if key != "name" or element is not top and "joint" not in element.name.lower():
                        yield from _at_origin(robot, element, element.get(key) or "")
    for link_name, holder in robot.links.items():
        for element in others_in(holder):
            if element.find("pose") is not None:
                yield from _at_pose(robot, element, link_name)
            elif element.name in ("frame", "sensor") or element.find("origin") is not None or (
                    element.get("xyz") or element.get("rpy")):
                yield from _at_origin(robot, element, link_name)


def _in_gazebo(robot: RawRobot, top: Element) -> Iterator[Placed]:
    for element in top.elements():
        if element.name in PLACED_IN_SIMULATOR and element.get("type") not in WITHOUT_PLACE:
            yield from _at_pose(robot, element, top.get("reference") or "")
        elif element.name == "joint":  # of the simulator: its pose is relative to the child link
            child = element.find("child")
            yield from _at_pose(robot, element, child.text().strip() if child is not None else "")


def _at_pose(robot: RawRobot, element: Element, link: str) -> Iterator[Placed]:
    pose = pose_of_text(element)
    if link in robot.links and pose is not None:
        yield Placed(element, link, pose)


def _at_origin(robot: RawRobot, element: Element, link: str) -> Iterator[Placed]:
    origin = element.find("origin")
    try:
        pose = pose_of_origin(origin if origin is not None else element)
    except ValueError:
        return
    if link in robot.links:
        yield Placed(element, link, pose)


def pose_of_text(element: Element) -> Optional[Pose]:
    """Return what the `<pose>` of an element says, no motion without one; None when it cannot be read."""
    pose = element.find("pose")
    if pose is None or not pose.text().strip():
        return NO_MOTION
    try:
        x, y, z, a, b, c = numbers_of(pose.text(), 6)
    except ValueError:
        return None
    if pose.get("relative_to") or pose.get("rotation_format"):
        return None
    factor = math.pi / 180.0 if pose.get("degrees") in ("true", "1") else 1.0
    return Pose(rpy_turn(factor * a, factor * b, factor * c), (x, y, z))


def pose_keys(element: Element) -> List[Tuple[int, str]]:
    """Return where the pose of an element is written, or may be made: (offset, attribute), "" for the text."""
    keys = [(element.offset, key) for key in (*ORIGIN_KEYS, "<origin>", "<pose>")]
    for child in element.elements():
        if child.name == "origin":
            keys += [(child.offset, key) for key in ORIGIN_KEYS]
        elif child.name == "pose":
            keys.append((child.offset, ""))
    return keys


def pose_words(element: Element) -> List[Tuple[str, ...]]:
    """Return how the pose of an element is written."""
    places = [element, *(child for child in element.elements() if child.name in ("origin", "pose"))]
    return [(*(place.get(key) or "" for key in ORIGIN_KEYS), place.text().strip() if place.name == "pose" else "")
            for place in places]
