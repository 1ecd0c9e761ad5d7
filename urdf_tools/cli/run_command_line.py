"""Run a command line: usable streams, signals, and errors as one sentence and an exit status; a line of progress.

Streams can be written in any encoding, and also if they or their pipes are closed.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import time
from contextlib import contextmanager
from itertools import islice
from typing import (
    Callable,
    Hashable,
    Iterable,
    Iterator,
    List,
    NoReturn,
    Optional,
    Sequence,
    TextIO,
)

from ..base.type_aliases import Lines, Show, Words
from ..base.garbage_collector import collector_at_rest
from ..base.diagnostics import Diagnostic, NOTE
from ..base.errors import BrokenMesh, ProofFailed, UrdfSimplifyError, UsageError
from ..base.number_text import grouped, shown_names
from ..base.version import version_text
from ..report.line_layout import LINE_WIDTH, TextStyle
from .parse_arguments import verb_of

NOWHERE = os.devnull
# Columns of text at a terminal.
NARROWEST = 60
WIDEST = 120
CLEAR_LINE = "\r\x1b[K"
# Texts that a name may hold and a terminal or the log of a CI obeys instead of showing them: controls except the codes
# of `TextStyle`, marks that turn the direction of writing, and the beginning of a command of GitHub's runner.
OBEYED = (
    "\x1b(?!\\[(?:[01]|3[1236])m)|[\0-\x08\n-\x1a\x1c-\x1f\x7f-\x9f]"
    "|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|(?<!\\S):(?=:)|(?<=#)#(?=\\[)"
)


@contextmanager
def usable_streams() -> Iterator[None]:
    """Make output and errors writable in any encoding, and text as wide as the terminal; closed streams are replaced by
    the null device.
    """
    before = sys.stdout, sys.stderr
    opened: List[TextIO] = []
    width = LINE_WIDTH.set(LINE_WIDTH.get())
    try:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is None:
                opened.append(open(NOWHERE, "w", encoding="utf-8"))
                setattr(sys, name, opened[-1])
            elif hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        LINE_WIDTH.set(columns_of(sys.stdout))
        yield
    finally:
        LINE_WIDTH.reset(width)
        sys.stdout, sys.stderr = before
        for stream in opened:
            stream.close()


def columns_of(stream: TextIO) -> int:
    """Return the width of a stream's text: the terminal's width within limits, else the default."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (AttributeError, OSError, ValueError):  # not a terminal, or not a file
        columns = 0
    return max(NARROWEST, min(WIDEST, columns)) if columns else LINE_WIDTH.get()


def is_closed(stream: TextIO) -> bool:
    """Return True if a stream was closed when the run began."""
    return getattr(stream, "name", "") == NOWHERE


def warning_lines(path: str, notices: Iterable[Diagnostic]) -> Lines:
    """Return a line of text for each notice about a file, as compilers write them; notices without a line number that
    differ only in their first name, such as missing meshes, share a line.
    """
    shown = [notice for notice in notices if notice.kind.severity != NOTE]
    lines = []
    for alike in grouped((_sameness(notice), notice) for notice in shown).values():
        first, *more = alike
        names = shown_names((notice.names[0] for notice in more), 2)
        others = f"; also {names}" if names else ""
        where = f"{path}:{first.line}" if first.line else path
        lines.append(f"warning: {where}: {first.text}{others}")
    return lines


def _sameness(notice: Diagnostic) -> Hashable:
    """Return the part of a notice that it shares with the notices of its line of text."""
    return notice if notice.line else (notice.kind, notice.sentence, notice.names[1:])


def style_of(stream: TextIO, color: str = "auto", *, full: bool = False) -> TextStyle:
    """Return the style a stream can show: box characters, and colors if it is a terminal."""
    try:
        "\u251c\u2500\u2514\u2502".encode(getattr(stream, "encoding", None) or "ascii")
        boxes = True
    except (UnicodeError, LookupError):
        boxes = False
    likes = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return TextStyle(boxes, color == "always" or color == "auto" and likes, full)


def harmless(line: str) -> str:
    """Return a line with each character that a terminal would obey written as in JSON, such as `\\u009b`."""
    # Nearly all lines are printable and contain no marker, so the slow pattern is skipped.
    if line.isprintable() and "::" not in line and "##[" not in line:
        return line
    return re.sub(OBEYED, lambda match: f"\\u{ord(match.group()):04x}", line)


def say(lines: Iterable[str], stream: TextIO, *, exact: bool = False) -> None:
    """Print lines; a closed pipe stops the output, not the run.

    Lines for a person are `harmless`, in the encoding of the stream. `exact` lines are for a program: as they are, and
    in UTF-8 with "\\n" unless the stream is a terminal, as readers of JSON and `patch` need them on every system.

    Raises:
        UsageError: the stream cannot be written for another reason, such as a full disk.
    """
    waiting = iter(lines) if exact else map(harmless, lines)
    is_for_program = exact and hasattr(stream, "buffer") and not stream.isatty()
    for block in iter(lambda: "".join(line + "\n" for line in islice(waiting, 4096)), ""):
        if is_for_program:
            # Surrogates from undecodable bytes of file names are not UTF-8; they become the escapes of JSON.
            write_bytes(block.encode("utf-8", "backslashreplace"), stream, may_close=True)
        else:
            write_text(block, stream)


def write_text(text: str, stream: TextIO) -> None:
    """Write text in the encoding of a stream; see `say`."""
    with _reported_stream(stream, may_close=True):
        stream.write(text)
        stream.flush()


def write_bytes(data: bytes, stream: TextIO, *, may_close: bool = False) -> None:
    """Write bytes as they are.

    Raises:
        UsageError: the stream cannot be written, or its reader ended early although it must not (`may_close` is False).
    """
    with _reported_stream(stream, may_close=may_close):
        stream.flush()
        stream.buffer.write(data)
        stream.flush()


@contextmanager
def _reported_stream(stream: TextIO, *, may_close: bool) -> Iterator[None]:
    """Turn an OSError of a stream into a message, or ignore it if a pipe may lose its reader (`may_close`)."""
    try:
        yield
    except OSError as error:
        # The rest of the buffer goes to the null device when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if may_close and _is_closed_pipe(error):
            return
        # If standard error is closed, Python may give its number to a file that it opens itself: not a reason to end
        # the run.
        if may_close and stream is sys.stderr:
            return
        raise UsageError(f"cannot be written: {error.strerror}", stream.name) from None


def _is_closed_pipe(error: OSError) -> bool:
    """Return True if a pipe has no reader any more: Windows reports that as an invalid argument (bpo-19612)."""
    return isinstance(error, BrokenPipeError) or os.name == "nt" and error.errno == errno.EINVAL


@contextmanager
def progress_line(stream: TextIO) -> Iterator[Optional[Show]]:
    """Yield a function that shows the name of a mesh and its triangles so far in one line; None without a terminal.

    The line appears after a second, changes at most twice a second, and is cleared at the end. Without triangles it is
    the name only.
    """
    shown = False
    shown_at = time.monotonic() + 0.5

    def show(name: str, triangles: int) -> None:
        """Show a name, and its triangles so far, if the line was not changed just now."""
        nonlocal shown, shown_at
        now = time.monotonic()
        if now > shown_at + 0.5:
            shown = True
            shown_at = now
            count = f": {triangles:,} triangles" if triangles else ""
            stream.write(f"{CLEAR_LINE}{harmless(name)}{count} ")
            stream.flush()

    shows = show if stream.isatty() else None
    try:
        yield shows
    finally:
        if shown:
            stream.write(CLEAR_LINE)


WRITTEN = 0
NOT_DONE = 1
REFUSED = 2
PROOF_FAILED = 3
FAULT = "This is a fault of urdf_simplify:"


def run_command_line(
    argv: Optional[Sequence[str]],
    run: Callable[[str, Words], int],
    help_of: Callable[..., Lines],
) -> int:
    """Find the command of a command line, show its help, or run it; return the exit status.

    Args:
        argv: the words; None: those that the process was started with.
        run: takes a command and the words after it; returns the exit status.
        help_of: given a command, and by name whether all of its options are wanted (`full`), return the lines of its
            help.
    """

    def command(given: Words) -> int:
        """Run the command of a command line, or show its help; return the exit status."""
        if {"--version", "-V"}.intersection(given) or _is_word(given, "version"):
            say([version_text()], sys.stdout)
            return WRITTEN
        if _is_word(given, "help"):
            given = [*given[1:], "-h"]
        elif given[:1] in (["-h"], ["--help"]):
            given = [*given[1:], given[0]]
        verb, words = verb_of(given)
        if not {"-h", "--help"}.intersection(words):
            return run(verb, words)
        say(help_of(verb, full="--help" in words), sys.stdout)
        return WRITTEN

    given_words = sys.argv[1:] if argv is None else argv
    # The trees live to the end: a collection would cost a fifth of the time.
    with collector_at_rest(ends=argv is None):
        return run_command(command, given_words)


def _is_word(given: Sequence[str], word: str) -> bool:
    """Return True if a command line begins with a word that is no command and no file."""
    return given[:1] == [word] and not os.path.lexists(word)


def run_command(command: Callable[[Words], int], words: Sequence[str]) -> int:
    """Run a command with its words; return its exit status, or the exit status of the error or interruption."""
    with usable_streams(), ends_on_signals():
        try:
            return command(list(words))
        except KeyboardInterrupt:
            say([""], sys.stderr)
            return NOT_DONE
        except Exception as error:  # a fault has an exit status of its own, which no answer has
            return print_error(error, value_given(words, "--color") or "auto")


def value_given(words: Sequence[str], option: str) -> str:
    """Return the value of an option in a command line that may be invalid, "" for none."""
    # The value may be the next word.
    spelled = [*words, *map("=".join, zip(words, words[1:]))]
    return next((word[len(option) + 1 :] for word in spelled if word.startswith(f"{option}=")), "")


def print_error(error: Exception, color: str) -> int:
    """Print an error, of an unexpected one also the line that raised it; return the exit status."""
    lines = [f"error: {line}" for line in str(error).split("\n")]
    if isinstance(error, BrokenMesh) and error.cure:
        lines.append(f"cure: {error.cure}")
    is_refusal = isinstance(error, UrdfSimplifyError) and not isinstance(error, ProofFailed)
    if isinstance(error, ProofFailed):
        lines.append(f"The result would not be the same robot, so nothing was written. {FAULT}")
    elif not is_refusal:
        lines = [f"error: {type(error).__name__}: {error} ({_place_of(error)})", FAULT]
    if not is_refusal:
        lines.append(f"please report it together with the file and this line: {version_text()}")
    say(map(style_of(sys.stderr, color).bad, lines), sys.stderr)
    return REFUSED if is_refusal else PROOF_FAILED


def _place_of(error: Exception) -> str:
    """Return file and line of the code that raised an error."""
    from traceback import extract_tb  # only a fault needs it

    place = extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(place.filename)}:{place.lineno}"


@contextmanager
def ends_on_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the run like an error, so that temporary files are removed."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        before = [(number, signal.signal(number, end_by_signal)) for number in numbers]
    except ValueError:  # not in the main thread, where signals do not arrive anyway
        before = []
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def end_by_signal(number: int, _frame: object) -> NoReturn:
    """Turn a signal into an exit, so that temporary files are removed."""
    # As shells report a process that a signal ended.
    raise SystemExit(128 + number)
