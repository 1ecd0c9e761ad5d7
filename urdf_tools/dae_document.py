"""A COLLADA file as a plain tree of elements: `.dae`, or the `.dae` inside a `.zae`.

Names lose their namespace prefix, so 1.4, 1.5, prefixed and bare files look alike.  Text stays in the pieces of about
64 KiB in which it was read: numbers are converted piece by piece, which is faster than one long text, and needs less
memory.  The line of an element is found only when a message needs it, from the byte offset.
"""
import os
import stat
from typing import BinaryIO, Dict, Iterator, List, NamedTuple, Optional
from xml.parsers import expat

from .errors import BrokenMesh, MalformedXml, UrdfError

READ_BYTES = 65536
MAX_UNPACKED_BYTES = 1 << 30
MAX_UNPACKED_RATIO = 100
FREELY_UNPACKED_BYTES = 1 << 24


class DaeElement:
    """One element; `texts` joined is its own character data, `offset` its first byte in the file."""

    __slots__ = ("tag", "attributes", "children", "texts", "offset")

    def __init__(self, tag: str, attributes: Dict[str, str], offset: int) -> None:
        self.tag, self.attributes, self.offset = tag, attributes, offset
        self.children: List[DaeElement] = []
        self.texts: List[str] = []


class DaeDocument(NamedTuple):
    """A whole file; `member` names the `.dae` inside a `.zae`, else ""; of equal ids the first is kept."""

    path: str
    member: str
    root: DaeElement
    ids: Dict[str, DaeElement]


def read_dae(path: str) -> DaeDocument:
    """Read a `.dae` or `.zae` file.

    Raises:
        BrokenMesh: the file cannot be read, is not COLLADA, or is a `.zae` without a usable `.dae`.
        MalformedXml: the file is not well-formed, or has a DOCTYPE.
    """
    try:
        with open_regular(path) as stream:
            packed = stream.read(4) == b"PK\x03\x04"
            stream.seek(0)
            if packed or path.lower().endswith(".zae"):
                return read_zae(path, stream)
            return parse_dae(iter(lambda: stream.read(READ_BYTES), b""), path, "")
    except OSError as problem:
        raise BrokenMesh(f"cannot be read ({problem.strerror or problem})", path) from problem


def open_regular(path: str) -> BinaryIO:
    """Open a file for reading, but never a folder, pipe or device, which could block for ever."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise BrokenMesh("is not a file", path)
    return open(path, "rb")


def parse_dae(blocks: Iterator[bytes], path: str, member: str) -> DaeDocument:
    """Build the tree from the bytes of one XML document."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = READ_BYTES
    top: List[DaeElement] = []
    ids: Dict[str, DaeElement] = {}
    siblings: List[List[DaeElement]] = [top]
    texts: List[List[str]] = []

    def start(tag: str, attributes: Dict[str, str]) -> None:
        element = DaeElement(tag[tag.find(":") + 1:], attributes, parser.CurrentByteIndex)
        siblings[-1].append(element)
        siblings.append(element.children)
        texts.append(element.texts)
        if "id" in attributes:
            ids.setdefault(attributes["id"], element)

    def end(_tag: str) -> None:
        siblings.pop()
        texts.pop()

    def characters(text: str) -> None:
        texts[-1].append(text)

    def doctype(*_: object) -> None:
        raise MalformedXml("has a DOCTYPE, which is refused", path, parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    try:
        for block in blocks:
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except expat.ExpatError as problem:
        reason = f"{expat.ErrorString(problem.code)}, column {problem.offset + 1}"
        raise MalformedXml(f"is not well-formed XML ({reason})", path, problem.lineno) from problem
    except UrdfError:
        raise
    except (ValueError, LookupError) as problem:
        raise MalformedXml(f"has an encoding that cannot be read ({problem})", path, 1) from problem
    document = DaeDocument(path, member, top[0], ids)
    if top[0].tag != "COLLADA":
        raise dae_error(document, top[0], f"is not COLLADA: the outermost element is <{top[0].tag}>")
    return document


def read_zae(path: str, stream: BinaryIO) -> DaeDocument:
    """Read the `.dae` that `manifest.xml` names, else the first one, from a zip archive of bounded size."""
    import zipfile  # here, because it imports much and hardly any file needs it
    import zlib

    def unpack(archive: zipfile.ZipFile, member: str) -> Iterator[bytes]:
        allowed = min(MAX_UNPACKED_BYTES,
                      max(FREELY_UNPACKED_BYTES, MAX_UNPACKED_RATIO * archive.getinfo(member).compress_size))
        with archive.open(member) as packed:
            for block in iter(lambda: packed.read(READ_BYTES), b""):
                allowed -= len(block)
                if allowed < 0:
                    raise BrokenMesh(f"is refused: '{member}' in it unpacks to far more than its size", path)
                yield block

    try:
        with zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
            models = [name for name in names if name.lower().endswith(".dae")]
            if "manifest.xml" in names:
                wanted = manifest_model(path, b"".join(unpack(archive, "manifest.xml")))
                models = [name for name in names if name == wanted] or models
            if not models:
                raise BrokenMesh("has no .dae file in it", path)
            return parse_dae(unpack(archive, models[0]), path, models[0])
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as problem:
        raise BrokenMesh(f"is not a .zae archive that can be read ({problem})", path) from problem
    except OSError as problem:
        raise BrokenMesh(f"cannot be unpacked ({problem})", path) from problem


def manifest_model(path: str, content: bytes) -> str:
    """Return the archive member that a `.zae` manifest names, or ""."""
    from urllib.parse import unquote  # here, because only archives need it

    names: List[str] = []
    parser = expat.ParserCreate()
    parser.CharacterDataHandler = names.append
    try:
        parser.Parse(content, True)
    except expat.ExpatError as problem:
        raise BrokenMesh(f"has a manifest.xml that is not well-formed (line {problem.lineno})", path) from problem
    name = unquote("".join(names).strip().partition("#")[0]).replace("\\", "/")
    return os.path.normpath(name).replace(os.sep, "/").lstrip("/") if name else ""


def dae_line(document: DaeDocument, element: DaeElement) -> int:
    """Return the line of an element, counted from 1; 0 inside an archive or when the file is gone."""
    if document.member:
        return 0
    try:
        with open_regular(document.path) as stream:
            return stream.read(element.offset).count(b"\n") + 1
    except (OSError, BrokenMesh):
        return 0


def dae_error(document: DaeDocument, element: DaeElement, message: str) -> BrokenMesh:
    """Return the error that names the file and the line of an element."""
    return BrokenMesh(message, document.path, dae_line(document, element))


def dae_children(element: DaeElement, tag: str) -> List[DaeElement]:
    """Return the direct children of that name."""
    return [child for child in element.children if child.tag == tag]


def dae_child(element: Optional[DaeElement], *tags: str) -> Optional[DaeElement]:
    """Return the first direct child that has one of the names, or None; None has no children."""
    for child in element.children if element else ():
        if child.tag in tags:
            return child
    return None


def dae_descendants(element: DaeElement, *tags: str) -> Iterator[DaeElement]:
    """Yield every element below that has one of the names, in document order, without recursion."""
    waiting = element.children[::-1]
    while waiting:
        found = waiting.pop()
        if found.tag in tags:
            yield found
        waiting += found.children[::-1]


def dae_text(element: Optional[DaeElement]) -> str:
    """Return the element's own text without white space around it; "" for None."""
    return "".join(element.texts).strip() if element else ""


def dae_target(document: DaeDocument, url: str) -> Optional[DaeElement]:
    """Return the element that a local `#id` (or a bare id) means, or None."""
    return document.ids.get(url[1:] if url.startswith("#") else url)


def dae_label(element: DaeElement) -> str:
    """Return the name of an element for people: its name, else its id."""
    return element.attributes.get("name") or element.attributes.get("id") or ""
