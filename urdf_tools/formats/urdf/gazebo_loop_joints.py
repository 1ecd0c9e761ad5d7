"""Loops that a `<joint>` in a `<gazebo>` of the whole robot closes.

libsdformat copies the content of such a block into the model (src/parser_urdf.cc, InsertSDFExtensionRobot), so the joint
is one of SDF: its frames, its axis and its ends are read as in an SDF.
"""

from __future__ import annotations

from itertools import chain
from typing import Dict, List, Mapping, Optional, Sequence

from ...base.errors import BrokenRobot
from ...robot.raw_robot import RawJoint, RawLoop, RawRobot
from ..sdf.read_sdf_joints import read_joint, without_loops
from ..sdf.read_sdf_frames import ModelFrames, NAMED
from ..xml_reader import XmlElement, words_in

VERSION = (
    1,
    12,
)  # a version whose poses name their frames; libsdformat reads the block in its newest


def loops_in_gazebo(tops: Sequence[XmlElement], robot: RawRobot) -> List[RawLoop]:
    """Return the loops that joints in `<gazebo>` elements of the whole robot close, and mark these joints as read.

    A joint that holds a further link, a part that floats in the URDF, or a link of no robot stays unread.
    """
    blocks = [top for top in tops if top.tag == "gazebo" and not top.attributes.get("reference")]
    parts = [*chain.from_iterable(block.children for block in blocks)]
    if all(part.tag != "joint" for part in parts):
        return []

    frames = _frames_of(robot, parts)
    links = {link.name for link in robot.links}
    joints: Dict[str, RawJoint] = {}
    elements: Dict[str, XmlElement] = {}
    for element in frames.model.children:
        if element.tag != "joint" or element not in parts:
            continue
        joint = _joint(element, frames)
        if joint is not None and links.issuperset((joint.parent, joint.child)):
            joints[joint.name] = joint
            elements[joint.name] = element

    # SDF has no floating joints: a joint of `<gazebo>` that holds such a part is the joint of its tree.
    in_tree = [joint for joint in robot.joints if joint.type != "floating"]
    _, loops = without_loops([*in_tree, *joints.values()], frames)
    found = [loop._replace(words=words_in((elements[loop.name],))) for loop in loops]
    for loop in found:
        elements[loop.name].take()
    for block in blocks:
        if any(part.taken for part in block.children):
            block.take()
    return found


def _frames_of(robot: RawRobot, parts: Sequence[XmlElement]) -> ModelFrames:
    """Return the frames of a robot as libsdformat would have them, with those of `parts` that have names of their own."""
    model = XmlElement("model", {"name": robot.name}, robot.file)
    names = {link.name for link in robot.links}
    joint_above = {joint.child: joint for joint in robot.joints}
    for link in robot.links:
        model.children.append(_link_element(link.name, joint_above))
    for joint in robot.joints:
        # A joint may have the name of a link in URDF; in SDF the name then means the link.
        if joint.name not in names:
            names.add(joint.name)
            element = XmlElement("joint", {"name": joint.name})
            element.children.append(_element("child", joint.child))
            model.children.append(element)
    for part in parts:
        name = part.attributes.get("name", "")
        if part.tag in NAMED and name and name not in names:
            names.add(name)
            model.children.append(part)

    frames = ModelFrames(model, VERSION)
    for joint in robot.joints:
        frames.place(joint.child, joint.T_parent_child)
    return frames


def _link_element(name: str, joint_above: Mapping[str, RawJoint]) -> XmlElement:
    """Return a link of SDF; its pose is relative to its parent, and its numbers are given to the frames."""
    element = XmlElement("link", {"name": name})
    if name in joint_above:
        element.children.append(XmlElement("pose", {"relative_to": joint_above[name].parent}))
    return element


def _element(tag: str, text: str) -> XmlElement:
    element = XmlElement(tag, {})
    element.text = text
    return element


def _joint(element: XmlElement, frames: ModelFrames) -> Optional[RawJoint]:
    """Return a joint of SDF; None for one that no comparison knows, such as a screw, or whose frames are not known."""
    try:
        frames.check(element.attributes["name"])
        return read_joint(element, frames)
    except BrokenRobot:
        return None
