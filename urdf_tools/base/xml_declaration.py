"""The XML declaration that is not the first thing in its file, where XML requires it.

Parsers take a declaration behind blanks or comments in three ways: tinyxml2 (urdfdom, sdformat, MuJoCo, Drake,
PyBullet) passes over blanks and refuses comments, expat and libxml2 refuse both, and lenient parsers read both.
"""

from __future__ import annotations

import re
from typing import Optional

from .record_type import Record

START = "<?xml"
QUOTED = r"""\s*=\s*(?:"{0}"|'{0}')"""
VERSION = QUOTED.format(r"1\.[0-9]+")
ENCODING = QUOTED.format(r"[A-Za-z][A-Za-z0-9._-]*")
STANDALONE = QUOTED.format(r"(?:yes|no)")
# The whole declaration (XML 1.0, production 23), and the end of its line.
DECLARATION = re.compile(
    rf"<\?xml\s+version{VERSION}(?:\s+encoding{ENCODING})?(?:\s+standalone{STANDALONE})?\s*\?>"
    r"(?:\r\n|[\r\n])?"
)
BLANKS = re.compile(r"[ \t\r\n]*")
COMMENT_START = "<!--"
COMMENT_END = "-->"


class LateDeclaration(Record):
    """An XML declaration behind something else.

    Attributes:
        start, end: where it begins in the text, and where it ends with its line end, if one follows.
        line: its line, counted from 1.
        is_behind_comment: a comment is in front of it; else only blanks are.
    """

    start: int
    end: int
    line: int
    is_behind_comment: bool


def find_late_declaration(text: str) -> Optional[LateDeclaration]:
    """Return the declaration of an XML text that has blanks or comments in front of it, None without one."""
    if text.startswith(START):
        return None
    start = _end_of_blanks(text, 0)
    is_behind_comment = False
    while text.startswith(COMMENT_START, start):
        end = text.find(COMMENT_END, start)
        if end < 0:
            return None
        start = _end_of_blanks(text, end + len(COMMENT_END))
        is_behind_comment = True
    match = DECLARATION.match(text, start)
    if match is None:
        return None
    return LateDeclaration(
        start=start,
        end=match.end(),
        line=1 + _line_ends(text[:start]),
        is_behind_comment=is_behind_comment,
    )


def with_declaration_first(text: str) -> str:
    """Return an XML text with its declaration moved to the front; all other characters stay as they are.

    The declaration takes the end of its line with it, so that everything behind it keeps its line.
    """
    late = find_late_declaration(text)
    if late is None:
        return text
    return text[late.start : late.end] + text[: late.start] + text[late.end :]


def _end_of_blanks(text: str, start: int) -> int:
    """Return the offset of the first character from `start` on that is not blank."""
    match = BLANKS.match(text, start)
    return match.end() if match is not None else start


def _line_ends(text: str) -> int:
    """Return the number of line ends in a text."""
    return len(re.findall(r"\r\n|[\r\n]", text))
