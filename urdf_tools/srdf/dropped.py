"""What of an SRDF goes with links and joints that are dropped or locked: a fact that its elements' names say.

A group without anything left goes, and with it its states, its end effectors, and its name in other groups.
"""
from typing import AbstractSet, Dict, List, NamedTuple, Set

from ..urdf.lossless_xml import Document, Element
from .elements import is_of_hpp, names_of_tag

GROUP_KEYS = {"group": ("name",), "end_effector": ("group", "parent_group"), "group_state": ("group",)}


class Lost(NamedTuple):
    """The names of links and joints that are no more, and of joints that are there, but fixed from now on."""

    links: AbstractSet[str]
    joints: AbstractSet[str]
    fixed: AbstractSet[str]


def elements_lost(document: Document, lost: Lost) -> List[Element]:
    """Return what goes with names; what is in an element that goes is not listed by itself."""
    found: Dict[int, Element] = {}
    groups: Set[str] = set()
    count = -1
    while any(lost) and len(found) > count:
        count = len(found)
        for top in document.root.elements():
            if top.offset in found:
                continue
            inside = top.elements()
            parts = [part for part in inside if part.offset in found or _names_one(part, lost, groups)]
            found.update({part.offset: part for part in parts})
            emptied = top.name in ("group", "group_state") and inside and len(parts) == len(inside)
            if emptied or is_of_hpp(top) and parts or top.name != "group" and _names_one(top, lost, groups):
                found = {offset: one for offset, one in found.items() if one not in parts}
                found[top.offset] = top
                groups.update({top.get("name") or ""} if top.name == "group" else ())
    return list(found.values())


def _names_one(element: Element, lost: Lost, groups: AbstractSet[str]) -> bool:
    """Return True if an element names something that is lost, or a group that is; a group may hold fixed joints."""
    names = names_of_tag(element)
    in_group = element.parent is not None and element.parent.name == "group"
    joints = lost.joints if in_group else lost.joints | lost.fixed
    return any(element.get(key) in lost.links for key in names.links) or any(
        element.get(key) in joints for key in names.joints) or any(
        element.get(key) in groups for key in GROUP_KEYS.get(element.name, ()))
