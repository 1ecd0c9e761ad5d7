"""Write pairs of links into an SRDF: a line for each pair that has none, after all others; and read it again."""
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
    _verify(before, parse_document(data, before.path), lines)
    return data, len(lines)


def _verify(before: Document, after: Document, lines: List[Tuple[str, str, str]]) -> None:
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
