"""A COLLADA file: its elements, and the texts that stay in the file.

Nearly all of a large file is numbers, and most of them, of normals and textures, are never read.  Therefore long runs of
numbers are cut out before the file is parsed, which then takes a tenth of the time; they stay in the file until they are
read.  Names lose their namespace prefix, so that files of 1.4 and 1.5, with and without prefixes, are alike.  The line of
an element is computed from its offset in the file, only when a message needs it.
"""

from __future__ import annotations

import os
import stat
from array import array
from contextlib import suppress
from typing import BinaryIO, Dict, Iterator, List, Optional, Tuple, Type, Union
from xml.parsers import expat

from ..base.errors import BrokenMesh, UnopenedMesh, MalformedXml
from ..base.record_type import Record
from ..base.graph_walks import depth_first
from .conversion_records import RareColladaFunctions

LONG_RUN = 4096  # bytes: shorter runs of numbers are parsed
SCANNED_BYTES = 1 << 18
NUMBER_BYTES = b"0123456789+-.eE \t\r\n"
PIECE_BYTES = 65536
LFS_START = b"version https://git-lfs"  # github.com/git-lfs/git-lfs, docs/spec.md
NOT_READ = "which is not read: save the model as OBJ or GLB, or as COLLADA without it"
ONLY_PACKAGE = "which only the package urdf_tools reads: `pip install` a clone of its repository"


class TextSpan(Record):
    """A text, or a part of a text, that stays in the file, from byte `start` to `end`."""

    start: int
    end: int


DaeText = Union[bytes, TextSpan]


class DaeElement:
    """An element; `texts` are the parts of its direct character data, `place` is the offset of its first byte.

    `numbers` are the numbers of an array, after they are read.
    """

    __slots__ = ("tag", "attributes", "children", "texts", "place", "numbers")

    def __init__(self, tag: str, attributes: Dict[str, str], offset: int) -> None:
        """Make an element without content."""
        self.tag = tag
        self.attributes = attributes
        self.place = offset
        self.children: List[DaeElement] = []
        self.texts: List[DaeText] = []
        self.numbers: Optional[array[float]] = None


class ElementReader:
    """A parser of the elements of a file that skips runs of numbers of more than `long_run` bytes.

    Attributes:
        above: the open elements, beginning with an invisible element around the root.
        ids: all elements by id; of equal ids the first is kept.
        skipped: the number of skipped bytes so far.
        latest: the offset of the latest start or end tag.
        place: the offset of the current block.
        is_in_run: the block begins in a run whose earlier part was skipped.
    """

    def __init__(self, path: str, long_run: int) -> None:
        """Begin with a nameless element, whose child is the root of the file."""
        self.path = path
        self.long_run = long_run
        self.above = [DaeElement("", {}, 0)]
        self.ids: Dict[str, DaeElement] = {}
        self.skipped = self.latest = self.place = 0
        self.is_in_run = False
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True  # otherwise expat calls the handler for each line of a text
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.CharacterDataHandler = lambda text: self.above[-1].texts.append(text.encode())

    def _start(self, tag: str, attributes: Dict[str, str]) -> None:
        """Open an element."""
        self.latest = self.parser.CurrentByteIndex + self.skipped
        element = DaeElement(tag[tag.find(":") + 1 :], attributes, self.latest)
        self.above[-1].children.append(element)
        self.above.append(element)
        if "id" in attributes:
            self.ids.setdefault(attributes["id"], element)

    def _end(self, _tag: str) -> None:
        """Close the innermost element."""
        self.latest = self.parser.CurrentByteIndex + self.skipped
        self.above.pop()

    def _refuse_doctype(self, *_: object) -> None:
        """Refuse a DOCTYPE, because its entities could read other files or fill the memory."""
        raise MalformedXml(
            "has a DOCTYPE, which is refused", self.path, self.parser.CurrentLineNumber
        )

    def feed(self, block: bytes) -> None:
        """Parse a block that ends before a tag, or in a long text."""
        done = 0
        tag = -1
        while tag < len(block):
            # From a `<` to the next are a tag and the text after it.
            following = block.find(b"<", tag + 1)
            if following < 0:
                following = len(block)
            if self.is_in_run or following - tag > self.long_run:
                done = self._leave_out(block, done, tag, following)
            self.is_in_run = self.is_in_run and following == len(block)
            tag = following
        self.parser.Parse(block[done:])
        self.place += len(block)

    def _leave_out(self, block: bytes, done: int, tag: int, following: int) -> int:
        """Skip the text between two tags if it is a run of numbers, and return how much of the block is done."""
        begin = 0 if self.is_in_run else block.rfind(b">", max(tag, 0), following) + 1
        run = block[begin:following]
        is_long = self.is_in_run or 0 < begin < following - self.long_run
        if not is_long or not run or run.isspace() or run.translate(None, NUMBER_BYTES):
            self.is_in_run = False
            return done
        # The run is a text only if the parser finds the end of the tag before it.
        if not self.is_in_run:
            self.parser.Parse(block[done:begin])
            done = begin
            self.is_in_run = self.latest == self.place + tag
        if not self.is_in_run:
            return done
        self.above[-1].texts.append(TextSpan(self.place + begin, self.place + following))
        self.skipped += following - begin
        return following


def parse_elements(
    stream: BinaryIO, path: str, long_run: int
) -> Tuple[DaeElement, Dict[str, DaeElement]]:
    """Return the outermost element of a file, and all elements by id; see `ElementReader`.

    Raises:
        MalformedXml: the file is not well-formed, or has a DOCTYPE.
    """
    reader = ElementReader(path, long_run)
    try:
        for block in blocks_of_tags(stream, long_run):
            reader.feed(block)
        reader.parser.Parse(b"", True)
    except expat.ExpatError as problem:
        line, column = line_and_column(
            stream, max(0, reader.parser.ErrorByteIndex) + reader.skipped
        )
        reason = f"{expat.ErrorString(problem.code)}, column {column}"
        raise MalformedXml(f"is not well-formed XML ({reason})", path, line) from problem
    except MalformedXml:
        raise
    except (ValueError, LookupError) as problem:
        raise MalformedXml(f"has an encoding that cannot be read ({problem})", path, 1) from problem
    finally:
        # The handlers of the parser refer to the reader: this cycle would keep the tree in memory.
        del reader.parser
    return reader.above[0].children[0], reader.ids


def blocks_of_tags(stream: BinaryIO, long_run: int) -> Iterator[bytes]:
    """Yield a file in blocks that end before a tag, or in a long text."""
    carried = b""
    for block in iter(lambda: stream.read(SCANNED_BYTES), b""):
        block = carried + block
        tag = block.rfind(b"<")
        # A tag near the end is kept for the next block; without a tag the block ends in a long text.
        end = tag if 0 <= len(block) - 2 * long_run <= tag else len(block)
        carried = block[end:]
        yield block[:end]
    yield carried


def line_and_column(stream: BinaryIO, offset: int) -> Tuple[int, int]:
    """Return the line and the column of an offset in a file, counted from 1."""
    stream.seek(0)
    before = stream.read(offset)
    return before.count(b"\n") + 1, offset - before.rfind(b"\n")


class DaeDocument(Record):
    """A parsed file; of equal ids the first is kept. `rare` has the functions of the package, see `DaeOptions`."""

    path: str
    root: DaeElement
    ids: Dict[str, DaeElement]
    rare: Optional[RareColladaFunctions] = None


def read_dae(path: str, rare: Optional[RareColladaFunctions] = None) -> DaeDocument:
    """Return the document of a `.dae` file; `rare` has the functions that only the package has.

    Raises:
        BrokenMesh: the file cannot be read, is not COLLADA, or is an archive.
        MalformedXml: the file is not well-formed, or has a DOCTYPE.
    """
    try:
        with open_regular(path) as stream:
            is_packed = stream.read(4) == b"PK\x03\x04" or path.lower().endswith(".zae")
            stream.seek(0)
            if is_packed:
                raise UnopenedMesh("is a .zae archive: unpack it, and name the .dae in it", path)
            return parse_dae(stream, path)._replace(rare=rare)
    except OSError as problem:
        raise UnopenedMesh(f"cannot be read ({problem.strerror or problem})", path) from problem


def open_regular(path: str) -> BinaryIO:
    """Open a file for reading, but never a folder, pipe or device, which could block forever.

    Raises:
        BrokenMesh: it is not a regular file, or it is a Git LFS pointer.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise UnopenedMesh("is not a file", path)
    stream = open(path, "rb")
    if stream.read(len(LFS_START)) == LFS_START:
        stream.close()
        raise UnopenedMesh("is a Git LFS pointer: git lfs pull", path)
    stream.seek(0)
    return stream


def parse_dae(stream: BinaryIO, path: str, long_run: int = LONG_RUN) -> DaeDocument:
    """Return the document of an open file; see `parse_elements`."""
    document = DaeDocument(path, *parse_elements(stream, path, long_run))
    if document.root.tag != "COLLADA":
        raise dae_error(
            document,
            document.root,
            f"is not COLLADA: the outermost element is <{document.root.tag}>",
        )
    return document


def text_pieces(document: DaeDocument, text: DaeText) -> Iterator[bytes]:
    """Yield a text in pieces of at most 64 KiB, from memory or from the file.

    Raises:
        BrokenMesh: the file can no longer be read.
    """
    if isinstance(text, bytes):
        yield from (text[start : start + PIECE_BYTES] for start in range(0, len(text), PIECE_BYTES))
        return
    try:
        with open_regular(document.path) as stream:
            stream.seek(text.start)
            for start in range(text.start, text.end, PIECE_BYTES):
                piece = stream.read(min(PIECE_BYTES, text.end - start))
                if not piece:
                    raise UnopenedMesh("became shorter while it was read", document.path)
                yield piece
    except OSError as problem:
        raise UnopenedMesh(
            f"cannot be read ({problem.strerror or problem})", document.path
        ) from problem


def dae_error(
    document: DaeDocument, element: DaeElement, message: str, kind: Type[BrokenMesh] = BrokenMesh
) -> BrokenMesh:
    """Return an error of a kind that names the file and the line of an element."""
    line = 0
    with suppress(OSError, BrokenMesh), open_regular(document.path) as stream:
        line = line_and_column(stream, element.place)[0]  # 0 if the file was removed
    return kind(message, document.path, line)


def not_read(document: DaeDocument, element: DaeElement) -> BrokenMesh:
    """Return the error for an element of COLLADA that is not read."""
    return dae_error(document, element, f"has <{element.tag}>, {NOT_READ}")


def only_package(document: DaeDocument, element: DaeElement) -> BrokenMesh:
    """Return the error for an element that the package reads and the single file does not."""
    return dae_error(document, element, f"has <{element.tag}>, {ONLY_PACKAGE}")


def dae_children(element: Optional[DaeElement], tag: str) -> List[DaeElement]:
    """Return the direct children with a tag; None has no children."""
    return [child for child in element.children if child.tag == tag] if element else []


def dae_child(element: Optional[DaeElement], *tags: str) -> Optional[DaeElement]:
    """Return the first direct child with one of the tags, or None; None has no children."""
    if element is None:
        return None
    return next((child for child in element.children if child.tag in tags), None)


def dae_descendants(element: DaeElement, *tags: str) -> Iterator[DaeElement]:
    """Yield the descendants with one of the tags, in document order, without recursion."""
    for descendant in depth_first(element.children, lambda each: each.children):
        if descendant.tag in tags:
            yield descendant


def dae_text(element: Optional[DaeElement]) -> str:
    """Return the direct text of an element without surrounding white space and skipped runs of numbers; "" for None."""
    texts = element.texts if element else []
    return b"".join(text for text in texts if isinstance(text, bytes)).decode().strip()


def dae_target(document: DaeDocument, url: str) -> Optional[DaeElement]:
    """Return the element to which a local `#id` (or a bare id) refers, or None."""
    name = url[1:] if url.startswith("#") else url
    return document.ids.get(name)


def dae_label(element: DaeElement) -> str:
    """Return a label of an element for messages: its name, else its id."""
    return element.attributes.get("name") or element.attributes.get("id") or ""
