"""Write pairs of links into a URDF as collision filter groups of Drake, and read them again.

Each link of a pair is a group of its own, which ignores the groups of those that it never touches:
https://drake.mit.edu/doxygen_cxx/group__multibody__parsing.html, drake:collision_filter_group.
"""
from typing import Dict, List, Sequence, Tuple

from ..base.errors import ProofFailed
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.xml_edits import attach, copy_document, create
from .edit import DRAKE, DRAKE_URI
from .pairs import Pair
from .pairs_step import reason_of

GROUP, MEMBER, IGNORED = "drake:collision_filter_group", "drake:member", "drake:ignored_collision_filter_group"
PREFIX = "apart_"


def with_groups(before: Document, pairs: Sequence[Pair]) -> bytes:
    """Return the bytes of a URDF with a group for each link of a pair that is left out; groups that are there stay.

    Raises:
        ProofFailed: what was written says something else; a fault of this tool.
    """
    ignored: Dict[str, List[str]] = {}
    for pair in pairs:
        if reason_of(pair):
            ignored.setdefault(pair.first, []).append(pair.second)
            ignored.setdefault(pair.second, [])
    document = copy_document(before)
    taken = {one.get("name") for one in document.root.elements(GROUP)}
    for link, others in ignored.items():
        if PREFIX + link in taken:
            continue
        group = create(GROUP, {"name": PREFIX + link})
        attach(document.root, [group])
        attach(group, [create(MEMBER, {"link": link})])
        for other in others:
            attach(group, [create(IGNORED, {"name": PREFIX + other})])
    if ignored:
        document.root.set(DRAKE, DRAKE_URI)
    data = document.to_bytes()
    if not taken:
        _compare(before, parse_document(data, before.path), ignored)
    return data


def _compare(before: Document, after: Document, ignored: Dict[str, List[str]]) -> None:
    """Make sure that the groups say which pairs are left out, and that all else is as it was."""
    groups = after.root.elements(GROUP)
    said: Dict[str, List[str]] = {}
    for group in groups:
        (member,) = group.elements(MEMBER)
        said[member.get("link") or ""] = [(one.get("name") or "")[len(PREFIX):] for one in group.elements(IGNORED)]
    old = [_all_of(one) for one in before.root.elements()]
    new = [_all_of(one) for one in after.root.elements() if one.name != GROUP]
    names = [group.get("name") for group in groups] == [PREFIX + link for link in ignored]
    if said != ignored or old != new or not names:
        raise ProofFailed("the filter groups of Drake say something else than was proven", before.path)


def _all_of(element: Element) -> List[Tuple[str, List[Tuple[str, str]], str]]:
    return [(one.name, sorted(one.attributes.items()), one.text().strip()) for one in element.walk()]
