"""The names in elements of an SRDF: http://wiki.ros.org/srdf, srdfdom, and those of HPP.

HPP: github.com/humanoid-path-planner/hpp-manipulation-urdf, src/srdf/factories. Its grippers, handles and contacts have
poses and points in the frame of their `<link name>`; if it has an index, in that of a collision.
"""
from typing import Dict, List, NamedTuple, Tuple

from ..urdf.lossless_xml import Element

DISABLE, ENABLE, DEFAULT = "disable_collisions", "enable_collisions", "disable_default_collisions"
HPP = ("gripper", "handle", "contact")
HPP_POSITIONS = ("position", "local_position", "handle_position_in_joint")  # the last two are older names


class Names(NamedTuple):
    """The attributes of an element that are names.

    Attributes:
        links, joints: the attributes that name a link or a joint.
        frames: by attribute, the role of the link in planning: its frame is that of a goal, or of the base.
        of_shapes: the links stand for their collision shapes, not for their frames.
        single: it is about a single pair, link or joint, and is dropped whole, with its comments.
    """

    links: Tuple[str, ...] = ()
    joints: Tuple[str, ...] = ()
    frames: Tuple[Tuple[str, str], ...] = ()
    of_shapes: bool = False
    single: bool = False


SRDF_ELEMENTS: Dict[str, Names] = {
    "link": Names(links=("name",), single=True),
    "joint": Names(joints=("name",), single=True),
    "chain": Names(links=("base_link", "tip_link"), frames=(("tip_link", "tip"), ("base_link", "base"))),
    "end_effector": Names(links=("parent_link",), frames=(("parent_link", "parent"),)),
    "virtual_joint": Names(links=("child_link",), frames=(("child_link", "child"),)),
    "passive_joint": Names(joints=("name",), single=True),
    "joint_property": Names(joints=("joint_name",), single=True),
    DISABLE: Names(links=("link1", "link2"), of_shapes=True, single=True),
    ENABLE: Names(links=("link1", "link2"), of_shapes=True, single=True),
    DEFAULT: Names(links=("link",), of_shapes=True, single=True),
    "link_sphere_approximation": Names(links=("link",), of_shapes=True)}


def names_of_tag(element: Element) -> Names:
    """Return the attributes of an element that are names; none for an unknown element."""
    return SRDF_ELEMENTS.get(element.name, Names())


def is_of_hpp(top: Element) -> bool:
    """Return True for a gripper, handle or contact that HPP can read, in the frame of a link."""
    links = top.elements("link")
    return top.name in HPP and len(links) == 1 and links[0].get("index") is None


def posed_parts(top: Element) -> List[Element]:
    """Return the parts of a gripper, handle or contact of HPP that are given in the frame of its link."""
    return [part for part in top.elements() if part.name in (("point",) if top.name == "contact" else HPP_POSITIONS)]
