"""The names in elements of an SRDF: http://wiki.ros.org/srdf, srdfdom, and HPP; and which elements go with them.

HPP: github.com/humanoid-path-planner/hpp-manipulation-urdf, src/srdf/factories. Its grippers, handles and contacts have
poses and points in the frame of their `<link name>`; if it has an index, in that of a collision. With dropped or locked
links and joints the elements that name them are removed; a group that becomes empty is removed, and with it its states,
its end effectors, and its name in other groups.
"""
from typing import AbstractSet, Dict, List, NamedTuple, Set, Tuple

from ..urdf.lossless_xml import Document, Element

DISABLE, ENABLE, DEFAULT = "disable_collisions", "enable_collisions", "disable_default_collisions"
HPP = ("gripper", "handle", "contact")
HPP_POSITIONS = ("position", "local_position", "handle_position_in_joint")  # the last two are older names
GROUP_KEYS = {"group": ("name",), "end_effector": ("group", "parent_group"), "group_state": ("group",)}


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


class Lost(NamedTuple):
    """The names of removed links and joints, and of joints that remain, but become fixed."""

    links: AbstractSet[str] = frozenset()
    joints: AbstractSet[str] = frozenset()
    fixed: AbstractSet[str] = frozenset()


NOTHING_LOST = Lost()


def elements_lost(document: Document, lost: Lost) -> List[Element]:
    """Return the elements to remove; children of these are not listed.

    It repeats until nothing is added, as a removed group may empty others.
    """
    by_offset: Dict[int, Element] = {}
    groups: Set[str] = set()
    count = -1
    while any(lost) and len(by_offset) > count:
        count = len(by_offset)
        for top in document.root.elements():
            if top.offset in by_offset:
                continue
            inside = top.elements()
            parts = [part for part in inside if part.offset in by_offset or _names_lost(part, lost, groups)]
            by_offset.update({part.offset: part for part in parts})
            emptied = top.name in ("group", "group_state") and inside and len(parts) == len(inside)
            if emptied or is_of_hpp(top) and parts or top.name != "group" and _names_lost(top, lost, groups):
                by_offset = {offset: element for offset, element in by_offset.items() if element not in parts}
                by_offset[top.offset] = top
                groups.update({top.get("name") or ""} if top.name == "group" else ())
    return list(by_offset.values())


def _names_lost(element: Element, lost: Lost, groups: AbstractSet[str]) -> bool:
    """Return True if an element names a removed link, joint or group; a group may contain fixed joints."""
    names = names_of_tag(element)
    in_group = element.parent is not None and element.parent.name == "group"
    joints = lost.joints if in_group else lost.joints | lost.fixed
    return any(element.get(key) in lost.links for key in names.links) or any(
        element.get(key) in joints for key in names.joints) or any(
        element.get(key) in groups for key in GROUP_KEYS.get(element.name, ()))
