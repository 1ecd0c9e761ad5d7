"""Read a COLLADA file for the proof, by code that the conversion does not use: its elements, and lists of numbers.

The parser makes no text: where an element begins and ends is known, and its numbers are read from there, in blocks.
"""
import io
import re
from array import array
from typing import BinaryIO, Dict, Iterator, List, NamedTuple, Optional
from xml.parsers import expat

from .xml_feed import parse_around_numbers

BLOCK_BYTES = 1 << 16
OPENING_TAG = re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")


class XmlNode:
    """An element as the proof reads it, and the bytes of the file from its start tag to its end tag."""

    __slots__ = ("tag", "attributes", "children", "start", "end")

    def __init__(self, tag: str, attributes: Dict[str, str], start: int) -> None:
        self.tag, self.attributes, self.start, self.end = tag, attributes, start, start
        self.children: List[XmlNode] = []

    def first(self, *tags: str) -> "Optional[XmlNode]":
        """Return the first child of one of these names."""
        return next((child for child in self.children if child.tag in tags), None)

    def below(self) -> "Iterator[XmlNode]":
        """Yield all elements below this one in document order."""
        waiting = self.children[::-1]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children[::-1]


class XmlFile(NamedTuple):
    """The root of a file, its elements by id (the first of equal ones), and its bytes."""

    root: XmlNode
    ids: Dict[str, XmlNode]
    stream: BinaryIO

    def target(self, url: str) -> Optional[XmlNode]:
        """Return what `#id` or `id` refers to."""
        return self.ids.get(url[1:] if url.startswith("#") else url)

    def words(self, node: XmlNode) -> Iterator[List[bytes]]:
        """Yield the words in an element, block by block."""
        self.stream.seek(node.start)
        head = self.stream.read(min(BLOCK_BYTES, node.end - node.start))
        tag = OPENING_TAG.match(head)
        self.stream.seek(node.start + (tag.end() if tag is not None else len(head)))
        left, carried = node.end - self.stream.tell(), b""
        while left > 0:
            block = self.stream.read(min(BLOCK_BYTES, left))
            left -= len(block)
            if b"<" in block or b"&" in block:  # a comment or an entity: only a parser knows what is text
                left, carried, block = 0, b"", _text_of(self.stream, node)
            *whole, last = (carried + block).rsplit(None, 1) if left and not block[-1:].isspace() else (
                carried + block, b"")
            carried = last
            if whole:
                yield whole[0].split()
        if carried:
            yield [carried]

    def floats(self, node: Optional[XmlNode]) -> "array[float]":
        """Return the numbers in an element; a comma between digits is a decimal point."""
        numbers = array("d")
        for words in self.words(node) if node is not None else ():
            try:
                numbers.extend(array("d", map(float, words)))
            except ValueError:
                numbers.extend(float(word.replace(b",", b".")) for word in words)
        return numbers

    def indices(self, node: XmlNode, offset: int, stride: int) -> Iterator[List[int]]:
        """Yield every `stride`-th whole number from number `offset` on, block by block."""
        for words in self.words(node):
            yield [*map(int, words[offset::stride])]
            offset = (offset - len(words)) % stride


def read_xml(stream: BinaryIO, path: str) -> XmlFile:
    """Read a file that is known to be sound."""
    head = stream.read(4)
    stream.seek(0)
    wide = head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head
    if wide:
        word = "utf-16" if head[0] > 127 else "utf-16-be" if head[0] == 0 else "utf-16-le"
        stream = io.BytesIO(stream.read().decode(word).encode("utf-8"))
    above = [XmlNode("", {}, 0)]
    ids: Dict[str, XmlNode] = {}

    def opened(tag: str, attributes: Dict[str, str], place: int) -> None:
        node = XmlNode(tag, attributes, place)
        above[-1].children.append(node)
        above.append(node)
        if "id" in attributes:
            ids.setdefault(attributes["id"], node)

    def closed(place: int) -> None:
        above.pop().end = place

    parse_around_numbers(expat.ParserCreate("utf-8" if wide else None), stream, path, opened, closed, lambda *_: None)
    return XmlFile(above[0].children[0], ids, stream)


def _text_of(stream: BinaryIO, node: XmlNode) -> bytes:
    """Return the text in an element that holds comments, entities or other elements, without those."""
    stream.seek(node.start)
    parser, texts, depth = expat.ParserCreate("utf-8"), [""], [0]

    def text(part: str) -> None:
        texts[0] += part if depth[0] == 1 else ""

    def deeper(*_: object) -> None:
        depth[0] += 1

    def higher(_: str) -> None:
        depth[0] -= 1

    parser.CharacterDataHandler, parser.StartElementHandler, parser.EndElementHandler = text, deeper, higher
    parser.Parse(stream.read(node.end - node.start))
    parser.CharacterDataHandler = parser.StartElementHandler = parser.EndElementHandler = None
    return texts[0].encode("utf-8")
