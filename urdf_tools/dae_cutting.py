"""Long runs of numbers are cut out of a COLLADA file before it is parsed: nearly all of a large file is numbers.

The parser takes a twelfth of the time, and most numbers, those of normals and textures, nobody asks for.  So each long
run becomes a short mark, which comes out of the parser just where the numbers would have come out, or not at all if
they stand in a comment.  What is cut out is checked when it is read as numbers.
"""
from typing import List, NamedTuple, Sequence, Tuple

LONG_TEXT = 4096
CUT_MARK = b"\x7f"  # a character that XML allows and nobody writes
NUMBER_BYTES = b"0123456789+-.eE \t\r\n"


class Cut(NamedTuple):
    """A text from byte `start` to `end` of a file; `behind` is the first byte behind its mark in what is left."""

    start: int
    end: int
    behind: int


def cut_numbers(data: bytes, long_text: int = LONG_TEXT) -> Tuple[bytes, List[Cut]]:
    """Return a file without its texts of numbers of over `long_text` bytes, and where they were.

    In place of cut 7 stands the mark, 7, and the mark again.  A file that may hold the mark already is not cut.
    """
    left: List[bytes] = []
    cuts: List[Cut] = []
    if CUT_MARK in data or (b"&" in data and b"&#" in data):
        return data, cuts
    done = behind = 0
    tag = data.find(b"<")
    while tag >= 0:
        following = data.find(b"<", tag + 1)
        if following - tag > long_text:
            # From the last ">" on there is nothing but text, or the inside of a comment.
            start = data.rfind(b">", tag, following) + 1
            if start and following - start > long_text and looks_like_numbers(data, start, following):
                mark = b"%b%d%b" % (CUT_MARK, len(cuts), CUT_MARK)
                left += (data[done:start], mark)
                behind += start - done + len(mark)
                cuts.append(Cut(start, following, behind))
                done = following
        tag = following
    return b"".join((*left, data[done:])), cuts


def looks_like_numbers(data: bytes, start: int, end: int) -> bool:
    """Say whether a text begins with numbers and has no references such as `&#32;`, which only a parser can read."""
    return not data[start:min(start + 64, end)].translate(None, NUMBER_BYTES) and data.find(b"&", start, end) < 0


def place_in_file(cuts: Sequence[Cut], place: int) -> int:
    """Return the place in the file of a place in what was left of it."""
    for cut in reversed(cuts):
        if place >= cut.behind:
            return cut.end + place - cut.behind
    return place
