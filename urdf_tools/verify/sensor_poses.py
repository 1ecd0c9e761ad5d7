"""The part of the proof about what stands beside links and joints: sensors, lights, frames, ends of loops, names.

Everything is read from the two texts, and not by the code that decided what follows; from the plan come the choice of
what is dropped, and the warnings.
"""
import math
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.model import Robot
from ..urdf.spatial import (compose, matrix_from_quaternion, matrix_from_rpy, NO_MOTION, norm, Pose, subtract,
                            turn_angle, ZERO)
from ..plan.decisions import Plan

LOOSE_TAGS = ("frame", "sensor")  # in a link, or at the top with a link attribute
POINTS_ONLY = ("drake:ball_constraint", "drake:linear_spring_damper")  # their ends have no frame of their own
ENDS = ("loop", "constraint", "closure", "bushing")
WITHOUT_PLACE = ("contact", "force_torque")


class Placed(NamedTuple):
    """Something with a place: what it is (kind and names), the link it stands in, and its pose there."""

    what: Tuple[str, ...]
    link: str
    T_link_it: Pose


class Misplaced(NamedTuple):
    """The worst of what was compared: its name, and how far [m] and how much turned [rad] it is."""

    what: str
    distance: float
    angle: float


def compare_places(before: Robot, plan: Plan, after: Robot, T_before: Dict[str, Pose], T_after: Dict[str, Pose]
                   ) -> List[Misplaced]:
    """Return how far each sensor, light, frame and loop end of the result is from its place in the input, at zero.

    One that is nowhere in the input, or lost, is infinitely far. What is named in a warning of its line is left out.
    """
    told = {notice.line for notice in plan.warnings}
    dropped = {element.offset for element in plan.following.drops}
    wanted: Dict[Tuple[str, ...], List[Pose]] = {}
    excused: Set[Tuple[str, ...]] = set()
    for element, placed in _find_placed(before):
        if not _is_among(element, dropped):
            wanted.setdefault(placed.what, []).append(compose(T_before[placed.link], placed.T_link_it))
            if element.line in told:
                excused.add(placed.what)
    found: List[Misplaced] = []
    for _, placed in _find_placed(after):
        there, what = wanted.get(placed.what, []), " ".join(placed.what)
        T = compose(T_after[placed.link], placed.T_link_it)
        if there:
            best = there.pop(min(range(len(there)), key=lambda k: sum(_error(T, there[k]))))
            if placed.what not in excused:
                found.append(Misplaced(what, *_error(T, best)))
        else:
            found.append(Misplaced(f"{what} (not in the input)", math.inf, 0.0))
    found += [Misplaced(f"{' '.join(what)} (lost)", math.inf, 0.0) for what, left in wanted.items()
              if left and what not in excused]
    return found


def _error(T: Pose, other: Pose) -> Tuple[float, float]:
    return norm(subtract(T.translation, other.translation)), turn_angle(T.rotation, other.rotation)


def _is_among(element: Element, offsets: Set[int]) -> bool:
    above: Optional[Element] = element
    while above is not None and above.offset not in offsets:
        above = above.parent
    return above is not None


def _find_placed(robot: Robot) -> Iterator[Tuple[Element, Placed]]:
    """Yield all that has a readable place in a link, with its element."""
    children = {joint.name: joint.child for joint in reversed(robot.joints)}
    for top in robot.document.root.elements():
        if top.name == "gazebo":
            for element in top.elements():
                link = top.get("reference") or ""
                kind = element.name
                if kind == "joint":
                    child = element.find("child")
                    link = child.text().strip() if child is not None else ""
                elif kind not in ("sensor", "light", "projector") or element.get("type") in WITHOUT_PLACE:
                    continue
                T = _pose_of(element)
                if link in robot.links and T is not None:
                    yield element, Placed(("simulated", kind, element.get("name") or ""), link, T)
        elif top.name == "sensor":
            parent = top.find("parent")
            link = (parent.get("link") or children.get(parent.get("joint") or "", "")) if parent is not None else ""
            yield from _with_origin(robot, top, ("sensor", top.get("name") or ""), link)
        elif top.name == "frame" or top.name not in POINTS_ONLY and any(word in top.name.lower() for word in ENDS):
            for element in top.walk():
                for key in ("link", "body", "reference", "name"):
                    if element is not top or key != "name":
                        names = (top.name, top.get("name") or "", element.name)
                        yield from _with_origin(robot, element, names, element.get(key) or "")
        elif top.name == "link":
            for element in top.elements():
                if element.name in LOOSE_TAGS and element.find("pose") is None:
                    names = ("in a link", element.name, element.get("name") or "")
                    yield from _with_origin(robot, element, names, top.get("name") or "")


def _with_origin(robot: Robot, element: Element, what: Tuple[str, ...], link: str) -> Iterator[Tuple[Element, Placed]]:
    origin = element.find("origin")
    place = origin if origin is not None else element
    try:
        xyz = _triple_of(place.get("xyz"))
        turn = matrix_from_rpy(_triple_of(place.get("rpy")))
        quaternion = [float(word) for word in (place.get("quat_xyzw") or "").split()]
        if len(quaternion) == 4 and any(quaternion):
            turn = matrix_from_quaternion(quaternion)
    except ValueError:
        return
    if link in robot.links:
        yield element, Placed(what, link, Pose(turn, xyz))


def _triple_of(text: Optional[str]) -> Tuple[float, float, float]:
    x, y, z = (float(word) for word in text.split()) if text is not None and text.strip() else ZERO
    return (x, y, z)


def _pose_of(element: Element) -> Optional[Pose]:
    pose = element.find("pose")
    if pose is None or not pose.text().strip():
        return NO_MOTION
    try:
        values: Sequence[float] = [float(word) for word in pose.text().split()]
    except ValueError:
        return None
    if len(values) != 6 or pose.get("relative_to") or pose.get("rotation_format"):
        return None
    factor = math.pi / 180.0 if pose.get("degrees") in ("true", "1") else 1.0
    x, y, z, a, b, c = values
    return Pose(matrix_from_rpy((factor * a, factor * b, factor * c)), (x, y, z))


def dangling_names(before: Robot, plan: Plan, after: Robot) -> List[str]:
    """Return the names in the result of links and joints that are no more, unless a warning says so."""
    gone = ({*before.links} | {joint.name for joint in before.joints}) - (
        {*after.links} | {joint.name for joint in after.joints})
    if not gone:
        return []
    messages = "\n".join(notice.message for notice in plan.warnings)
    left: List[str] = []
    for top in after.document.root.elements():
        for element in top.walk():
            of_urdf = top.name == "material" or top.name in ("link", "joint") and element.parent in (None, top) and (
                element.name in ("visual", "collision", "material")) or element.name in ("material", "geometry", "mesh")
            own = element is top or of_urdf
            values = [value for key, value in element.attributes.items() if not (own and key == "name")]
            for value in [*values, element.text().strip()]:
                if value in gone and f"'{value}'" not in messages and f">{value}<" not in messages:
                    left.append(value)
    return left
