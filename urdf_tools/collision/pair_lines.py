"""Write pairs of links that never touch, and read them again: lines of an SRDF, or collision filter groups of Drake.

In an SRDF a line for each pair that has none, after all others. In a URDF each link of a pair gets a group, which
ignores the groups of the links that it never touches:
https://drake.mit.edu/doxygen_cxx/group__multibody__parsing.html, drake:collision_filter_group.
"""
from typing import Dict, List, Sequence, Tuple

from ..base.errors import ProofFailed
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.xml_edits import attach, copy_document, create
from .edit import DRAKE, DRAKE_URI
from .pairs import Pair
from .pairs_step import reason_of

TAG = "disable_collisions"
NOTE = ("<!-- urdf_simplify: pairs that never touch inside the limits of the URDF, proven by separating "
        "planes -->")
GROUP, MEMBER, IGNORED = "drake:collision_filter_group", "drake:member", "drake:ignored_collision_filter_group"
PREFIX = "apart_"


def empty_srdf(name: str, path: str) -> Document:
    """Return an SRDF without content for a robot."""
    document = parse_document(b'<?xml version="1.0"?>\n<robot>\n</robot>\n', path)
    document.root.set("name", name)
    return document


def with_pairs(before: Document, pairs: Sequence[Pair]) -> Tuple[bytes, int]:
    """Return the bytes of an SRDF with a line for each pair to be left out that has none yet, and how many were added.

    Raises:
        ProofFailed: the written lines are not those of the pairs; a fault of this tool.
    """
    known = [{line.get("link1") or "", line.get("link2") or ""} for line in before.root.elements(TAG)]
    lines = [(pair.first, pair.second, reason_of(pair)) for pair in pairs
             if reason_of(pair) and {pair.first, pair.second} not in known]
    document = copy_document(before)
    if lines:
        if NOTE not in document.root.children:
            attach(document.root, [NOTE])
        for first, second, reason in lines:
            attach(document.root, [create(TAG, {"link1": first, "link2": second, "reason": reason})])
    data = document.to_bytes()
    _verify_lines(before, parse_document(data, before.path), lines)
    return data, len(lines)


def _verify_lines(before: Document, after: Document, lines: List[Tuple[str, str, str]]) -> None:
    """Verify that a document has all former elements, and the lines after them.

    Raises:
        ProofFailed: it has not.
    """
    old, new = before.root.elements(), after.root.elements()
    added = [(line.name, line.get("link1"), line.get("link2"), line.get("reason")) for line in new[len(old):]]
    same = [all_of(element) for element in old] == [all_of(element) for element in new[:len(old)]]
    if not same or added != [(TAG, *line) for line in lines] or after.root.attributes != before.root.attributes:
        raise ProofFailed("the SRDF says something else than was proven", before.path)


def all_of(element: Element) -> List[Tuple[str, List[Tuple[str, str]], str]]:
    """Return the names, attributes and texts of an element and of all below it, in document order."""
    return [(node.name, sorted(node.attributes.items()), node.text().strip()) for node in element.walk()]


def with_groups(before: Document, pairs: Sequence[Pair]) -> bytes:
    """Return the bytes of a URDF with a group for each link of a pair that is left out; existing groups stay.

    Raises:
        ProofFailed: the written groups are not those of the pairs; a fault of this tool.
    """
    ignored: Dict[str, List[str]] = {}
    for pair in pairs:
        if reason_of(pair):
            ignored.setdefault(pair.first, []).append(pair.second)
            ignored.setdefault(pair.second, [])
    document = copy_document(before)
    names = {group.get("name") for group in document.root.elements(GROUP)}
    for link, others in ignored.items():
        if PREFIX + link in names:
            continue
        group = create(GROUP, {"name": PREFIX + link})
        attach(document.root, [group])
        attach(group, [create(MEMBER, {"link": link})])
        for other in others:
            attach(group, [create(IGNORED, {"name": PREFIX + other})])
    if ignored:
        document.root.set(DRAKE, DRAKE_URI)
    data = document.to_bytes()
    # The comparison expects the written groups only, so it needs an input without groups.
    if not names:
        _verify_groups(before, parse_document(data, before.path), ignored)
    return data


def _verify_groups(before: Document, after: Document, ignored: Dict[str, List[str]]) -> None:
    """Verify that the groups are those of the pairs, and that nothing else changed.

    Raises:
        ProofFailed: they are not, or something did.
    """
    groups = after.root.elements(GROUP)
    written: Dict[str, List[str]] = {}
    for group in groups:
        (member,) = group.elements(MEMBER)
        others = [(reference.get("name") or "")[len(PREFIX):] for reference in group.elements(IGNORED)]
        written[member.get("link") or ""] = others
    old = [all_of(element) for element in before.root.elements()]
    new = [all_of(element) for element in after.root.elements() if element.name != GROUP]
    names = [group.get("name") for group in groups] == [PREFIX + link for link in ignored]
    if written != ignored or old != new or not names:
        raise ProofFailed("the filter groups of Drake say something else than was proven", before.path)
