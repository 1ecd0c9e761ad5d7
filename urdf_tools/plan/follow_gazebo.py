"""Decides what follows in `<gazebo>` blocks: surfaces, sensors, plugins, joints of the simulator, contacts."""
import re
from typing import Dict, Tuple

from ..base.number_text import format_numbers, same_numbers, without_noise
from ..urdf.lossless_xml import Element
from ..urdf.model import Robot
from ..urdf.spatial import compose, matrix_from_rpy, NO_MOTION, norm, Pose, rotate, rpy_from_matrix, ZERO
from .edits import (ANGLE_NOISE_OF_POSES, Changes, Edit, follow_pose, frame_turns, LENGTH_NOISE_OF_POSES, numbers_in,
                    SAME_FRAME, vector_in)
from .merging import Membership

SURFACE = ("mu1", "mu2", "kp", "kd", "minDepth", "maxVel", "maxContacts", "material", "laserRetro", "selfCollide",
           "self_collide", "turnGravityOff", "gravity", "dampingFactor", "fdir1")
POSED_IN_LINK = ("sensor", "light", "projector")
WITHOUT_POSE = ("contact", "force_torque")  # sensor types that measure in the link or joint itself
BODY_TAGS = ("bodyName", "link", "linkName", "link_name", "body", "gripper_link", "palm_link", "parent", "child")
FRAME_TAGS = ("frameName", "frame_name", "frameId", "frame_id", "gz_frame_id", "ignition_frame_id", "frame",
              "base_link", "base_frame", "child_frame", "robotBaseFrame", "robot_base_frame")
VECTORS = ("axis", "direction", "gravity", "forward", "upward", "cp", "normal")  # in the frame of a plugin's body
OFFSETS = ("xyzOffset", "rpyOffset")
COLLISION_NAME = re.compile(r"(?:.*(_lump__))?(.+?)_collision(?:_([0-9]+))?")  # what gz calls one without a name


def own_surfaces(robot: Robot, members: Dict[str, Membership]) -> Dict[Tuple[str, str], Tuple[str, Element]]:
    """Collect the surface values that links which stay have in gazebo blocks of their own."""
    found: Dict[Tuple[str, str], Tuple[str, Element]] = {}
    for top in robot.document.root.elements("gazebo"):
        link = top.get("reference") or ""
        for tag in top.elements() if link in members and not members[link].merged else ():
            if tag.name in SURFACE:
                found.setdefault((link, tag.name), (_value(tag), tag))
    return found


def _value(element: Element) -> str:
    """Return what a simulator tag says: its text, or its `value`."""
    return (element.get("value") or element.text()).strip()


def follow_gazebo(changes: Changes, top: Element) -> None:
    name = top.get("reference") or ""
    if name in changes.removed and name not in changes.members:
        changes.drops.append(top)
        changes.warn(top, "belongs to a joint that is merged away: dropped with it")
        return
    spring = top.find("springReference")
    if changes.flipped(name) and name not in changes.members and spring is not None:
        changes.negate(spring)
        changes.note(top, "springReference negated")
    if name in changes.members:
        _follow_link_block(changes, top, name)
    else:
        child = changes.child_of.get(name, "")
        for sensor in top.elements("sensor") if frame_turns(changes, child) else ():
            changes.warn(sensor, f"measures in the frame of '{child}', which turns")
    for joint in top.elements("joint"):
        _follow_simulator_joint(changes, joint)
    for element in top.walk():
        text = element.text().strip()
        if element.name in BODY_TAGS and changes.merged(text):
            changes.set(element, "", changes.target(text))
            changes.note(element, f"'{text}' is now '{changes.target(text)}'")
        elif element.name in FRAME_TAGS and text in changes.members and element is not top:
            _follow_frame_name(changes, element, text)
        elif element.name == "plugin":
            _follow_plugin(changes, element, name)
        elif element.name == "collision" and element.parent is not None and element.parent.name == "contact":
            _follow_contact(changes, element)


def _follow_simulator_joint(changes: Changes, joint: Element) -> None:
    """Move the `<pose>` of a joint of the simulator: it is told in the frame of the child, and the axis in the pose."""
    child = joint.find("child")
    T_new_old = changes.placements.get(child.text().strip() if child is not None else "", NO_MOTION)
    if T_new_old != NO_MOTION:
        follow_pose(changes, joint, T_new_old)


def _follow_frame_name(changes: Changes, element: Element, link: str) -> None:
    """Rename a frame where the target's is the same frame; readers look for frames in TF, so no other will do."""
    T_new_old = changes.placements[link]
    if changes.merged(link):
        if norm(T_new_old.translation) < SAME_FRAME and not frame_turns(changes, link):
            changes.set(element, "", changes.target(link))
            changes.note(element, f"'{link}' is now '{changes.target(link)}', the same frame")
    elif frame_turns(changes, link):
        changes.warn(element, f"names the frame '{link}', which turns")


def _follow_link_block(changes: Changes, top: Element, link: str) -> None:
    """Retarget a block of a merged link; poses and directions in it turn and move with the frame of its link."""
    if changes.merged(link):
        target = changes.target(link)
        changes.set(top, "reference", target)
        changes.note(top, f"now of '{target}'")
        for tag in top.elements():
            if tag.name not in SURFACE:
                continue
            value, first = changes.surfaces.setdefault((target, tag.name), (_value(tag), tag))
            if first is not tag:
                changes.drops.append(tag)
                if value != _value(tag):
                    changes.warn(top, f"says {tag.name} {_value(tag)}, line {first.line} says {value} for what is "
                                      f"now one link '{target}': {value} stays")
    T_new_old = changes.placements[link]
    if T_new_old == NO_MOTION:
        return
    for element in top.elements():
        if element.name in POSED_IN_LINK and element.get("type") not in WITHOUT_POSE:
            follow_pose(changes, element, T_new_old)
        elif element.name == "fdir1":
            direction = vector_in(element.text())
            if direction is None:
                changes.warn(element, "is no direction of three numbers; left as it is")
            elif direction != ZERO:
                turned = rotate(T_new_old.rotation, direction)
                changes.set(element, "", format_numbers(without_noise(turned, ANGLE_NOISE_OF_POSES)))
                changes.note(element, f"turned with the frame of '{link}'")
        elif element.name not in SURFACE and any(inner.name == "pose" for inner in element.walk()):
            changes.warn(element, f"holds a <pose>, and the frame of '{link}' changes; left as it is")


def _follow_plugin(changes: Changes, plugin: Element, owner: str) -> None:
    """Rename links in tags that mean the body, and move the offsets that are given in its frame."""
    if _follow_mimic_plugin(changes, plugin):
        return
    bodies = [e.text().strip() for e in plugin.elements() if e.name in ("bodyName", "linkName", "link_name")]
    body = bodies[0] if bodies else owner
    for element in plugin.walk():
        name = element.text().strip()
        if element is not plugin and changes.flipped(name) and not element.elements():
            changes.warn(plugin, f"names the joint '{name}', whose sign changes: look at its gains and directions")
        elif element.name in VECTORS and numbers_in(name, 3) and frame_turns(changes, body):
            changes.warn(element, f"is a vector, and the frame of '{body}' turns; left as it is")
    T_new_old = changes.placements.get(body, NO_MOTION)
    offsets = [plugin.find(name) for name in OFFSETS]
    if T_new_old == NO_MOTION or not any(offsets) and plugin.find("bodyName") is None:
        return
    xyz, rpy = (vector_in(offset.text()) if offset is not None else ZERO for offset in offsets)
    if xyz is None or rpy is None:
        changes.warn(plugin, "has offsets that cannot be read; left as they are")
        return
    new = compose(T_new_old, Pose(matrix_from_rpy(rpy), xyz))
    moved = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    turned = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE_OF_POSES)
    if same_numbers(xyz, moved) and same_numbers(rpy, turned):
        return
    for name, offset, values in zip(OFFSETS, offsets, (moved, turned)):
        if offset is not None:
            changes.set(offset, "", format_numbers(values))
        else:
            changes.edits.append(Edit(plugin, "", format_numbers(values), name))
    changes.note(plugin, f"its offsets move with the frame of '{body}'")


def _follow_mimic_plugin(changes: Changes, plugin: Element) -> bool:
    """Turn the signs of a plugin that lets `<mimicJoint>` follow `<joint>`; return whether it is one."""
    parts = [plugin.find(name) for name in ("joint", "mimicJoint", "multiplier", "offset")]
    leader, follower, multiplier, offset = parts
    if leader is None or follower is None or multiplier is None:
        return False
    own, other = changes.flipped(follower.text().strip()), changes.flipped(leader.text().strip())
    if own != other:
        changes.negate(multiplier)
    if own and offset is not None:
        changes.negate(offset)
    if own or other:
        changes.note(plugin, "its multiplier and offset follow the signs")
    return True


def _follow_contact(changes: Changes, element: Element) -> None:
    """Let a contact sensor find its collision: one without a name is given the name that simulators made up for it.

    Such a name counts the collisions of a link, so it changes when the link is merged or loses one of them.
    """
    text = element.text().strip()
    named = [shape for shapes in changes.shapes.values() for shape in shapes
             if shape.kind == "collision" and shape.source.get("name") == text]
    match = COLLISION_NAME.fullmatch(text)
    link = match.group(2) if match else ""
    if named:
        if all(shape.source.offset in changes.gone for shape in named):
            changes.warn(element, f"names the collision '{text}', which leaves; left as it is")
    elif match and link in changes.members:
        own = [shape for shape in changes.shapes[link] if shape.kind == "collision"]
        if not changes.merged(link) and not any(shape.source.offset in changes.gone for shape in own):
            return
        place = 0 if match.group(1) and len(own) == 1 else int(match.group(3) or 0)
        shape = own[place] if place < len(own) else None
        if shape is None or shape.source.get("name") or shape.source.offset in changes.gone:
            changes.warn(element, f"'{text}' is the name a simulator gives to a collision of '{link}', which is no "
                                  "more; left as it is")
            return
        name = changes.given.setdefault(shape.source.offset, text)
        if name == text:
            changes.set(shape.source, "name", text)
            changes.note(element, f"the collision of '{link}' is named '{text}'")
        else:
            changes.set(element, "", name)
            changes.note(element, f"'{text}' is now '{name}'")
