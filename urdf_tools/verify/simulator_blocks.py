"""The part of the proof about `<gazebo>`: signs, directions, offsets and names that simulators read there."""
import math
import re
from typing import Dict, List

from ..urdf.lossless_xml import Element
from ..urdf.spatial import Pose
from .comparison import TOLERANCE
from .looks import COPY_ROOM
from .pairing import NAME_LEFT, Pairing, POSE_LEFT, said, text_in, value_key
from .raw_robot import RawRobot, shapes_in, vector_of
from .rigid_motion import chained, minus, pose_error, rpy_turn, turn_between, turned

READ_IN_TF = ("frameName", "frame_name", "frameId", "frame_id", "gz_frame_id", "ignition_frame_id", "base_frame",
              "child_frame", "robotBaseFrame", "robot_base_frame")
SPELLINGS = (("bodyName", "xyzOffset", "rpyOffset"), ("body_name", "xyz_offset", "rpy_offset"))  # ROS 1, ROS 2
MADE_UP_NAME = re.compile(r"(?:.*(_lump__))?(.+?)_collision(?:_([0-9]+))?")  # of a collision without one, in gz


def prove_gazebo(pairing: Pairing, top: Element, new: Element) -> None:
    """Prove signs, directions and offsets in a `<gazebo>` block."""
    name, now = top.get("reference") or "", new.get("reference") or ""
    for element in top.elements("springReference"):
        if element.offset in pairing.partner:
            pairing.require_number(element, pairing.comparison.signs.get(name, 1))
    for element in top.walk():
        if element.offset not in pairing.partner:
            continue
        if element.name == "fdir1":
            _prove_direction(pairing, element, name, now)
        elif element.name == "plugin":
            _prove_plugin(pairing, element, name, now)
        elif element.name in READ_IN_TF:
            _prove_frame_name(pairing, element)
        elif element.name == "collision" and element.parent is not None and element.parent.name == "contact":
            _prove_contact(pairing, element)


def _prove_direction(pairing: Pairing, element: Element, link: str, link_now: str) -> None:
    """Prove that a direction is the same in the world: it is given in the frame of its link, or of `*:expressed_in`."""
    comparison, new = pairing.comparison, pairing.partner[element.offset]
    key = value_key(element)
    given_in = [next((value for name, value in one.attributes.items() if name.endswith("expressed_in")), "")
               for one in (element, new)]
    frame = _link_called(comparison.before, given_in[0] or link)
    frame_now = _link_called(comparison.after, given_in[1] or link_now)
    if not frame:
        turns = link in comparison.before.links and link_now in comparison.after.links and turn_between(
            comparison.T_before[link].rotation, comparison.T_after[link_now].rotation) > TOLERANCE
        pairing.require(not given_in[0] or not turns, element, POSE_LEFT, (), "its frame is no link")
        return
    try:
        old, now = vector_of(said(element, key)), vector_of(said(new, key))
    except ValueError:
        return
    frame_now = frame_now or comparison.plan.members[frame].target  # of a joint that is removed
    apart = minus(turned(comparison.T_before[frame].rotation, old), turned(comparison.T_after[frame_now].rotation, now))
    pairing.require(math.hypot(*apart) <= TOLERANCE * max(1.0, math.hypot(*old)), element, POSE_LEFT,
                    [(element.offset, key)], "the direction differs in the world")


def _link_called(robot: RawRobot, name: str) -> str:
    """Return the link whose frame a name means: its own, that of the child of a joint, or that of the root."""
    if name == "__model__" or name in robot.links:
        return name if name in robot.links else robot.root
    joint = robot.named.get(name)
    return joint.child if joint is not None else ""


def _prove_plugin(pairing: Pairing, plugin: Element, owner: str, owner_now: str) -> None:
    """Prove the signs of a mimic plugin, or the offsets that a plugin has in the frame of its body."""
    comparison, new = pairing.comparison, pairing.partner[plugin.offset]
    if all(plugin.find(name) is not None for name in ("joint", "mimicJoint", "multiplier")):
        own, other = (comparison.signs.get(text_in(plugin, name), 1) for name in ("mimicJoint", "joint"))
        pairing.require_number(plugin.find("multiplier"), own * other)
        pairing.require_number(plugin.find("offset"), own)
        return
    bodies = [[text_in(one, e.name) for e in one.elements() if e.name in ("bodyName", "body_name", "linkName",
                                                                          "link_name")] for one in (plugin, new)]
    body, body_now = (bodies[0] or [owner])[0], (bodies[1] or [owner_now])[0]
    named, *spelling = SPELLINGS[any(plugin.find(name) is not None for name in SPELLINGS[1])]
    written = [offset for offset in map(plugin.find, spelling) if offset is not None]
    if body not in comparison.before.links or body_now not in comparison.after.links or (
            not written and plugin.find(named) is None):
        return
    places = [*((plugin.offset, f"<{name}>") for name in spelling), *((offset.offset, "") for offset in written)]
    try:
        apart, angle = pose_error(*(chained(T, _offset_of(one, spelling)) for T, one in (
            (comparison.T_before[body], plugin), (comparison.T_after[body_now], new))))
    except ValueError:
        return
    pairing.require(apart <= TOLERANCE * comparison.size and angle <= TOLERANCE, plugin, POSE_LEFT, places,
                    f"its offsets are off by {apart:.3g} m and {angle:.3g} rad")


def _offset_of(plugin: Element, spelling: List[str]) -> Pose:
    xyz, rpy = (vector_of(text_in(plugin, name) or None) for name in spelling)
    return Pose(rpy_turn(*rpy), xyz)


def _prove_frame_name(pairing: Pairing, element: Element) -> None:
    """Prove that a name that is looked up in TF names a frame that is turned as before, unless a warning says so."""
    comparison, now = pairing.comparison, pairing.partner[element.offset].text().strip()
    name = element.text().strip()
    if name in comparison.before.links and now in comparison.after.links:
        turn = turn_between(comparison.T_before[name].rotation, comparison.T_after[now].rotation)
        pairing.require(turn <= 10.0 * TOLERANCE, element, POSE_LEFT, (), f"the frame '{now}' is turned")


def _prove_contact(pairing: Pairing, element: Element) -> None:
    """Prove that a contact sensor names the same collision: one in the same place."""
    comparison, text = pairing.comparison, element.text().strip()
    old = _collisions_called(comparison.before, comparison.T_before, text)
    if old:
        new = _collisions_called(comparison.after, comparison.T_after, pairing.partner[element.offset].text().strip())
        same = any(sum(pose_error(T, other)) < COPY_ROOM for T in old for other in new)
        pairing.require(same, element, NAME_LEFT, [(element.offset, "")], f"'{text}' is another collision now")


def _collisions_called(robot: RawRobot, T_world: Dict[str, Pose], name: str) -> List[Pose]:
    """Return where the collisions of a name are in the world; a simulator makes up names for those without one."""
    collisions = {link: [shape for shape in shapes_in(element) if shape[0].name == "collision"]
                  for link, element in robot.links.items()}
    found = [chained(T_world[link], pose) for link, shapes in collisions.items() for shape, pose in shapes
             if shape.get("name") == name]
    match = MADE_UP_NAME.fullmatch(name)
    if not found and match is not None:
        shapes = collisions.get(match.group(2), [])
        place = 0 if match.group(1) and len(shapes) == 1 else int(match.group(3) or 0)
        if place < len(shapes) and not shapes[place][0].get("name"):
            found.append(chained(T_world[match.group(2)], shapes[place][1]))
    return found
