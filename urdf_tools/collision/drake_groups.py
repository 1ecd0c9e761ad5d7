"""Write pairs of links into a URDF as collision filter groups of Drake, and read them again.

Each link of a pair gets a group, which ignores the groups of the links that it never touches:
https://drake.mit.edu/doxygen_cxx/group__multibody__parsing.html, drake:collision_filter_group.
"""
from typing import Dict, List, Sequence

from ..base.errors import ProofFailed
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.xml_edits import attach, copy_document, create
from .edit import DRAKE, DRAKE_URI
from .pair_lines import all_of
from .pairs import Pair
from .pairs_step import reason_of

GROUP, MEMBER, IGNORED = "drake:collision_filter_group", "drake:member", "drake:ignored_collision_filter_group"
PREFIX = "apart_"


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
        _verify(before, parse_document(data, before.path), ignored)
    return data


def _verify(before: Document, after: Document, ignored: Dict[str, List[str]]) -> None:
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

