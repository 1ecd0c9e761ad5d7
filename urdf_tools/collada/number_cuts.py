"""Cut long runs of numbers out of a COLLADA file before it is parsed: nearly all of a large file is numbers.

The parser then takes a twelfth of the time, and most numbers, of normals and textures, are never read.  So each long
run becomes a short mark, which comes out of the parser just where the numbers would have come out, or not at all if
they are in a comment.  The numbers stay in the file until they are read, and are checked then.
"""
from typing import BinaryIO, List, NamedTuple, Sequence, Tuple

LONG_TEXT = 4096
SCANNED_BYTES = 1 << 18
CUT_MARK = b"\x7f"  # a character that XML allows and files do not have
NUMBER_BYTES = b"0123456789+-.eE \t\r\n"


class Cut(NamedTuple):
    """A text from byte `start` to `end` of a file; `behind` is the first byte behind its mark in what is left."""

    start: int
    end: int
    behind: int


def cut_numbers(stream: BinaryIO, long_text: int = LONG_TEXT) -> Tuple[bytes, List[Cut]]:
    """Return a file without its texts of numbers of over `long_text` bytes, and where they were.

    Cut 7 is replaced by the mark, 7, and the mark again.  A file that may hold the mark already is not cut.
    """
    left: List[bytes] = []
    cuts: List[Cut] = []
    done = behind = 0
    for start, end in find_long_texts(stream, long_text):
        stream.seek(start)
        head = stream.read(min(64, end - start))
        if head.isspace() or head.translate(None, NUMBER_BYTES):
            continue
        stream.seek(done)
        left += (stream.read(start - done), b"%b%d%b" % (CUT_MARK, len(cuts), CUT_MARK))
        behind += len(left[-2]) + len(left[-1])
        cuts.append(Cut(start, end, behind))
        done = end
    stream.seek(done)
    left.append(stream.read())
    joined = b"".join(left)
    if cuts and b"&#" in joined:  # a character by its number could be the mark
        stream.seek(0)
        return stream.read(), []
    return joined, cuts


def find_long_texts(stream: BinaryIO, long_text: int) -> List[Tuple[int, int]]:
    """Return where long plain texts begin and end; none if there is a mark anywhere.

    A text ends at a "<" and begins behind the last ">" before it: in between is nothing but text, or the inside of a
    comment.
    """
    found: List[Tuple[int, int]] = []
    base = tag = 0
    start, plain = -1, False  # behind the last ">" in the blocks before, and whether all since then is plain
    for block in iter(lambda: stream.read(SCANNED_BYTES), b""):
        if CUT_MARK in block:
            return []
        seen = 0
        following = block.find(b"<")
        while following >= 0:
            if base + following - tag > long_text:
                close = block.rfind(b">", seen, following)
                begin = base + close + 1 if close >= 0 else start
                if begin > tag and base + following - begin > long_text and (
                        (plain or close >= 0) and is_plain(block[max(seen, close + 1):following])):
                    found.append((begin, base + following))
            tag = base + following
            seen = following + 1
            following = block.find(b"<", seen)
        close = block.rfind(b">", seen)
        start = base + close + 1 if close >= 0 else start
        plain = (plain or close >= 0) and is_plain(block[max(seen, close + 1):])
        base += len(block)
    return found


def is_plain(text: bytes) -> bool:
    """Return True if a text has no references such as `&lt;`, which only a parser can read, and needs no decoding."""
    return b"&" not in text and text.isascii()


def place_in_file(cuts: Sequence[Cut], place: int) -> int:
    """Return the place in the file of a place in what was left of it."""
    for cut in reversed(cuts):
        if place >= cut.behind:
            return cut.end + place - cut.behind
    return place
