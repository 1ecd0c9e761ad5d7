"""The elements of an SRDF that are removed with dropped or locked links and joints, by the names in them.

A group that becomes empty is removed, and with it its states, its end effectors, and its name in other groups.
"""
from typing import AbstractSet, Dict, List, NamedTuple, Set

from ..urdf.lossless_xml import Document, Element
from .elements import is_of_hpp, names_of_tag

GROUP_KEYS = {"group": ("name",), "end_effector": ("group", "parent_group"), "group_state": ("group",)}


class Lost(NamedTuple):
    """The names of removed links and joints, and of joints that remain, but become fixed."""

    links: AbstractSet[str]
    joints: AbstractSet[str]
    fixed: AbstractSet[str]


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
