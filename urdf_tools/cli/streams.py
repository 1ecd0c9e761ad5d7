"""Write to the standard streams, whatever their encoding, also closed streams and closed pipes; a line of progress."""
import os
import sys
import time
from contextlib import contextmanager
from itertools import islice
from typing import Callable, Iterable, Iterator, List, Optional, TextIO

from ..base.diagnostics import Diagnostic, NOTE
from ..base.errors import UsageError
from ..base.number_text import grouped
from ..report.layout import LINE_WIDTH, Style

NOWHERE = os.devnull
NARROWEST, WIDEST = 60, 120  # columns of text at a terminal
CLEAR_LINE = "\r\x1b[K"


@contextmanager
def usable_streams() -> Iterator[None]:
    """Make output and errors writable whatever they hold, and text as wide as the terminal; closed streams are replaced
    by the null device."""
    before = sys.stdout, sys.stderr
    opened: List[TextIO] = []
    width = LINE_WIDTH.set(LINE_WIDTH.get())
    try:
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:
                opened.append(open(NOWHERE, "w", encoding="utf-8"))
                setattr(sys, name, opened[-1])
            elif hasattr(getattr(sys, name), "reconfigure"):
                getattr(sys, name).reconfigure(errors="backslashreplace")
        LINE_WIDTH.set(columns_of(sys.stdout))
        yield
    finally:
        LINE_WIDTH.reset(width)
        sys.stdout, sys.stderr = before
        for stream in opened:
            stream.close()


def columns_of(stream: TextIO) -> int:
    """Return how wide the text of a stream is: a terminal's width within limits, else the default."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (AttributeError, OSError, ValueError):  # no terminal, or no file
        columns = 0
    return max(NARROWEST, min(WIDEST, columns)) if columns else LINE_WIDTH.get()


def is_closed(stream: TextIO) -> bool:
    """Return True if a stream was closed when the run began."""
    return getattr(stream, "name", "") == NOWHERE


def warning_lines(path: str, notices: Iterable[Diagnostic]) -> List[str]:
    """Return a line of text for each notice about a file, as compilers write them; notices without a line number that
    differ only in their first name, such as meshes that are not found, share one."""
    lines = []
    for alike in grouped(((notice if notice.line else (notice.kind, notice.sentence, notice.names[1:])), notice)
                         for notice in notices if notice.kind.severity != NOTE).values():
        others = f"; also {', '.join(notice.names[0] for notice in alike[1:3])}" if alike[1:] else ""
        others += f" and {len(alike) - 3} more" if alike[3:] else ""
        where = f"{path}:{alike[0].line}" if alike[0].line else path
        lines.append(f"warning: {where}: {alike[0].text}{others}")
    return lines


def style_of(stream: TextIO, color: str = "auto", *, full: bool = False) -> Style:
    """Return what a stream can show: box characters, and colors if it is a terminal."""
    try:
        "\u251c\u2500\u2514\u2502".encode(getattr(stream, "encoding", None) or "ascii")
        boxes = True
    except (UnicodeError, LookupError):
        boxes = False
    likes = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Style(boxes, color == "always" or color == "auto" and likes, full)


def say(lines: Iterable[str], stream: TextIO) -> None:
    """Print lines; a closed pipe stops the output, not the run.

    Raises:
        UsageError: the stream cannot be written for another reason, such as a full disk.
    """
    waiting = iter(lines)
    for block in iter(lambda: "".join(line + "\n" for line in islice(waiting, 4096)), ""):
        write_stream(block, stream)


def write_stream(text: str, stream: TextIO, data: bytes = b"") -> None:
    """Write text, then bytes as they are; see `say`."""
    try:
        stream.write(text)
        stream.flush()
        if data:
            stream.buffer.write(data)
            stream.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # what is still in the buffer goes there
        # Python may take a file that it opens itself for a standard error that is closed: no reason to end the run.
        if data or not isinstance(error, BrokenPipeError) and stream is not sys.stderr:
            raise UsageError(f"cannot be written: {error.strerror}", stream.name) from None


@contextmanager
def progress_line(stream: TextIO) -> Iterator[Optional[Callable[[str, int], None]]]:
    """Yield a function that shows the name of a mesh and its triangles so far in one line; None without a terminal.

    The line appears after a second, changes at most twice a second, and is cleared at the end. Without triangles it is
    the name alone.
    """
    shown, shown_at = False, time.monotonic() + 0.5

    def show(name: str, triangles: int) -> None:
        nonlocal shown, shown_at
        now = time.monotonic()
        if now > shown_at + 0.5:
            shown, shown_at = True, now
            stream.write(f"{CLEAR_LINE}{name}{f': {triangles:,} triangles' if triangles else ''} ")
            stream.flush()

    try:
        yield show if stream.isatty() else None
    finally:
        if shown:
            stream.write(CLEAR_LINE)
