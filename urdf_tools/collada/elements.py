"""The elements of a COLLADA file, parsed but for its long runs of numbers: nearly all of a large file is numbers.

The parser then takes a tenth of the time, and most numbers, of normals and textures, are never read.  The numbers stay
in the file until they are read, and are checked then.  Names lose their namespace prefix, so 1.4, 1.5, prefixed and
bare files are alike.
"""
from array import array
from typing import BinaryIO, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union
from xml.parsers import expat

from ..base.errors import MalformedXml

LONG_RUN = 4096
SCANNED_BYTES = 1 << 18
NUMBER_BYTES = b"0123456789+-.eE \t\r\n"


class Cut(NamedTuple):
    """A text, or a part of it, from byte `start` to `end` of a file."""

    start: int
    end: int


DaeText = Union[bytes, Cut]


class DaeElement:
    """One element; `texts` are the parts of its own character data, `place` is its first byte in the file.

    `numbers` are those of an array, once they have been read.
    """

    __slots__ = ("tag", "attributes", "children", "texts", "place", "numbers")

    def __init__(self, tag: str, attributes: Dict[str, str], place: int) -> None:
        self.tag, self.attributes, self.place = tag, attributes, place
        self.children: List[DaeElement] = []
        self.texts: List[DaeText] = []
        self.numbers: Optional[array[float]] = None


def parse_elements(stream: BinaryIO, path: str, long_run: int) -> Tuple[DaeElement, Dict[str, DaeElement]]:
    """Return the outermost element of a file, and all elements by id; of equal ids the first is kept.

    Runs of numbers of over `long_run` bytes are cut out.

    Raises:
        MalformedXml: the file is not well-formed, or has a DOCTYPE.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    above = [DaeElement("", {}, 0)]
    ids: Dict[str, DaeElement] = {}
    skipped = latest = 0  # bytes left out so far; place of the latest tag

    def start(tag: str, attributes: Dict[str, str]) -> None:
        nonlocal latest
        latest = parser.CurrentByteIndex + skipped
        element = DaeElement(tag[tag.find(":") + 1:], attributes, latest)
        above[-1].children.append(element)
        above.append(element)
        if "id" in attributes:
            ids.setdefault(attributes["id"], element)

    def end(_tag: str) -> None:
        nonlocal latest
        latest = parser.CurrentByteIndex + skipped
        above.pop()

    def doctype(*_: object) -> None:
        raise MalformedXml("has a DOCTYPE, which is refused", path, parser.CurrentLineNumber)

    parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = start, end, doctype
    parser.CharacterDataHandler = lambda text: above[-1].texts.append(text.encode())
    try:
        place, inside = 0, False  # of the block; whether it begins in a run of which all before was left out
        for block in blocks_of_tags(stream, long_run):
            done, tag = 0, -1
            while tag < len(block):
                following = block.find(b"<", tag + 1)
                if following < 0:
                    following = len(block)
                if inside or following - tag > long_run:
                    begin = 0 if inside else block.rfind(b">", max(tag, 0), following) + 1
                    run = block[begin:following]
                    if (inside or 0 < begin < following - long_run) and run and not run.isspace() and (
                            not run.translate(None, NUMBER_BYTES)):
                        if not inside:  # a text, if the parser agrees that the tag before it ends there
                            parser.Parse(block[done:begin])
                            done, inside = begin, latest == place + tag
                        if inside:
                            above[-1].texts.append(Cut(place + begin, place + following))
                            skipped += following - begin
                            done = following
                    else:
                        inside = False
                inside = inside and following == len(block)
                tag = following
            parser.Parse(block[done:])
            place += len(block)
        parser.Parse(b"", True)
    except expat.ExpatError as problem:
        line, column = line_and_column(stream, max(0, parser.ErrorByteIndex) + skipped)
        reason = f"{expat.ErrorString(problem.code)}, column {column}"
        raise MalformedXml(f"is not well-formed XML ({reason})", path, line) from problem
    except MalformedXml:
        raise
    except (ValueError, LookupError) as problem:
        raise MalformedXml(f"has an encoding that cannot be read ({problem})", path, 1) from problem
    finally:
        # The functions know the parser and it knows them: a circle that would keep the tree in memory.
        parser.StartElementHandler = parser.EndElementHandler = parser.StartDoctypeDeclHandler = None
        parser.CharacterDataHandler = None
    return above[0].children[0], ids


def blocks_of_tags(stream: BinaryIO, long_run: int) -> Iterator[bytes]:
    """Yield a file in blocks that end before a tag, or in a long text."""
    carried = b""
    for block in iter(lambda: stream.read(SCANNED_BYTES), b""):
        block = carried + block
        tag = block.rfind(b"<")
        end = tag if 0 <= len(block) - 2 * long_run <= tag else len(block)
        carried = block[end:]
        yield block[:end]
    yield carried


def line_and_column(stream: BinaryIO, place: int) -> Tuple[int, int]:
    """Return line and column of a place in a file, counted from 1."""
    stream.seek(0)
    before = stream.read(place)
    return before.count(b"\n") + 1, place - before.rfind(b"\n")
