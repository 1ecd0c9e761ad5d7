"""Lay out lines: the style of a stream, columns, folded sentences, cut lists."""

from __future__ import annotations

import re
from contextvars import ContextVar
from textwrap import wrap
from typing import Iterable, Sequence

from ..base.type_aliases import Lines, Texts
from ..base.number_text import count_of, shown_names
from ..base.record_type import Record

# Columns of all output: 80 fits into every window and log.
LINE_WIDTH = ContextVar("LINE_WIDTH", default=80)
LINES_SHOWN = 9  # a list is cut after these unless --full is given
TABLE_LINES = 32  # the table of joints
NARROW = 40  # the widest column
# Texts that `fold` keeps on one line: brackets, names, tags, options with a value, numbers.
TOGETHER = re.compile(
    r"\[[^]]*\]|\B'[^']*'|<[^>]*>|--[\w-]+ [^-\s]\S*|\S+ \([\d.]+\)|-?\d[\d.e+-]*(?: -?\d[\d.e+-]*)+"
)


class TextStyle(Record):
    """The style of a plan: box characters or ASCII, colors or none, full or short."""

    boxes: bool
    color: bool
    full: bool = False

    @property
    def check_mark(self) -> str:
        """The mark in front of the verdict: a check mark at a terminal, a word in files."""
        return "\u2713" if self.color and self.boxes else "OK"

    def title(self, text: str) -> str:
        """Return a headline, or the question: bold."""
        return self.paint("1", text)

    def alert(self, text: str) -> str:
        """Return a warning, or a task that needs attention: yellow."""
        return self.paint("33", text)

    def bad(self, text: str) -> str:
        """Return an error: red."""
        return self.paint("31", text)

    def good(self, text: str) -> str:
        """Return the verdict, or that all is done: green."""
        return self.paint("32", text)

    def paint(self, code: str, text: str) -> str:
        """Return a text with an SGR code around it, if colors are shown."""
        return f"\033[{code}m{text}\033[0m" if self.color and text else text


class ReportSection(Record):
    """A headline, and the lines below it; the short plan shows `most` of them."""

    title: str
    lines: Lines
    most: int = LINES_SHOWN


def lay_out(sections: Iterable[ReportSection], style: TextStyle) -> Lines:
    """Return the sections that have lines, each after an empty line; a long list is cut, with a note."""
    lines: Lines = []
    for title, body, most in sections:
        if body:
            lines += [
                "",
                *map(style.title, fold(title, "  ", "")),
                *cut(body, style, most),
            ]
    return lines


def cut(lines: Lines, style: TextStyle, most: int = LINES_SHOWN) -> Lines:
    """Return the lines of a list that fit, with a line that counts the others."""
    if len(lines) <= most or style.full:
        return lines
    return [*lines[: most - 1], f"  and {count_of(len(lines) - most + 1, 'more line')} (--full)"]


def columns(rows: Sequence[Texts]) -> Lines:
    """Align cells in columns; a last cell that is too long is continued below its beginning, or on separate lines."""
    lines: Lines = []
    width_of_line = LINE_WIDTH.get()
    widths = [min(NARROW, max(map(len, column))) for column in zip(*rows)]
    for *cells, last in rows:
        lead = "  " + "".join(cell.ljust(width) + "  " for cell, width in zip(cells, widths))
        if len(lead) + len(last) <= width_of_line:
            lines.append((lead + last).rstrip())
        # Continue it below its beginning if its longest word fits there.
        elif len(lead) <= width_of_line // 2 and max(map(len, last.split())) <= width_of_line - len(
            lead
        ):
            lines += fold(last, " " * len(lead), lead)
        else:
            first = (
                [lead.rstrip()] if len(lead.rstrip()) <= width_of_line else fold("  ".join(cells))
            )
            lines += [*first, *fold(last, "      ", "      ")]
    return lines


def fold(text: str, indent: str = "    ", first: str = "  ") -> Lines:
    """Break a sentence into lines; names, vectors and tags are not broken."""
    width = LINE_WIDTH.get() - len(indent)

    # A zero byte stands for a blank that must not break.
    def bound(match: "re.Match[str]") -> str:
        """Return words that stay together, unless they are longer than a line."""
        words = match.group()
        # A zero byte stands for a blank that must not break.
        return words.replace(" ", "\0") if len(words) <= width else words

    kept = TOGETHER.sub(bound, text)
    return [
        line.replace("\0", " ")
        for line in wrap(
            kept,
            LINE_WIDTH.get(),
            initial_indent=first,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def mass_text(mass: float) -> str:
    """Return a mass in kilograms with three decimals, or with two digits if it is smaller."""
    return f"{mass:.3f}" if mass >= 0.0005 or mass == 0.0 else f"{mass:.2g}"


def lines_text(lines: Sequence[int], most: int = 12) -> str:
    """Return `line 3` or `lines 3, 5, 8 and 4 more`."""
    places = [*map(str, dict.fromkeys(lines))]
    plural = "" if len(places) == 1 else "s"
    return f"line{plural} {shown_names(places, most)}"
