"""Write pairs of links into an SRDF: a line for each that is not there, behind all that is; and read it again."""
from typing import List, Sequence, Tuple

from ..base.errors import ProofFailed
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.xml_edits import attach, copy_document, create
from .pairs import Pair
from .pairs_step import reason_of

TAG = "disable_collisions"
NOTE = ("<!-- urdf_simplify: pairs that never touch inside the limits of the URDF, proven by separating "
        "planes -->")


def empty_srdf(name: str, path: str) -> Document:
    """Return an SRDF without content for a robot."""
    document = parse_document(b'<?xml version="1.0"?>\n<robot>\n</robot>\n', path)
    document.root.set("name", name)
    return document


def with_pairs(before: Document, pairs: Sequence[Pair]) -> Tuple[bytes, int]:
    """Return the bytes of an SRDF with a line for each pair that is to be left out and is not yet, and how many.

    Raises:
        ProofFailed: what was written says something else; a fault of this tool.
    """
    there = {frozenset((one.get("link1") or "", one.get("link2") or "")) for one in before.root.elements(TAG)}
    lines = [(pair.first, pair.second, reason_of(pair)) for pair in pairs
             if reason_of(pair) and frozenset((pair.first, pair.second)) not in there]
    document = copy_document(before)
    if lines:
        if NOTE not in document.root.children:
            attach(document.root, [NOTE])
        for first, second, reason in lines:
            attach(document.root, [create(TAG, {"link1": first, "link2": second, "reason": reason})])
    data = document.to_bytes()
    _compare(before, parse_document(data, before.path), lines)
    return data, len(lines)


def _compare(before: Document, after: Document, lines: List[Tuple[str, str, str]]) -> None:
    """Make sure that a document has all that was there, and the lines behind it."""
    old, new = before.root.elements(), after.root.elements()
    added = [(one.name, one.get("link1"), one.get("link2"), one.get("reason")) for one in new[len(old):]]
    same = [_all_of(one) for one in old] == [_all_of(one) for one in new[:len(old)]]
    if not same or added != [(TAG, *line) for line in lines] or after.root.attributes != before.root.attributes:
        raise ProofFailed("the SRDF says something else than was proven", before.path)


def _all_of(element: Element) -> List[Tuple[str, List[Tuple[str, str]], str]]:
    return [(one.name, sorted(one.attributes.items()), one.text().strip()) for one in element.walk()]
