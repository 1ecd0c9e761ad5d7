"""Parse a COLLADA file but for its long runs of numbers: nearly all of a large file is numbers.

The parser then takes a tenth of the time, and most numbers, of normals and textures, are never read.  The numbers stay
in the file until they are read, and are checked then.
"""
from typing import BinaryIO, Callable, Dict, Iterator, Tuple
from xml.parsers import expat

from ..base.errors import MalformedXml

LONG_RUN = 4096
SCANNED_BYTES = 1 << 18
NUMBER_BYTES = b"0123456789+-.eE \t\r\n"


def parse_around_numbers(parser: expat.XMLParserType, stream: BinaryIO, path: str,
                         opened: Callable[[str, Dict[str, str], int], None], closed: Callable[[int], object],
                         left_out: Callable[[int, int], None], long_run: int = LONG_RUN) -> None:
    """Parse a file; runs of numbers of over `long_run` bytes are left out.

    `opened` is called with each start tag, its attributes, and its place in the file, `closed` with the place of each
    end tag, and `left_out` with begin and end of each run, or part of a run, in the element that is open then.  Names
    lose their namespace prefix.

    Raises:
        MalformedXml: the file is not well-formed, or has a DOCTYPE.
    """
    skipped = latest = 0  # bytes left out so far; place of the latest tag

    def start(tag: str, attributes: Dict[str, str]) -> None:
        nonlocal latest
        latest = parser.CurrentByteIndex + skipped
        opened(tag[tag.find(":") + 1:], attributes, latest)

    def end(_tag: str) -> None:
        nonlocal latest
        latest = parser.CurrentByteIndex + skipped
        closed(latest)

    def doctype(*_: object) -> None:
        raise MalformedXml("has a DOCTYPE, which is refused", path, parser.CurrentLineNumber)

    parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = start, end, doctype
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
                            left_out(place + begin, place + following)
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
