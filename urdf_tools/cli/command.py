"""Run a command line: usable streams, signals, and errors as one sentence and an exit status."""
import os
import signal
import sys
from contextlib import contextmanager
from typing import Callable, Iterator, List, NoReturn, Optional, Sequence

from ..base.collector import collector_at_rest
from ..base.errors import ProofFailed, UrdfSimplifyError
from ..base.version import version_text
from .arguments import verb_of
from .streams import style_of, say, usable_streams

WRITTEN, NOT_DONE, REFUSED, PROOF_FAILED = 0, 1, 2, 3
FAULT = "This is a fault of urdf_simplify:"


def run_command_line(argv: Optional[Sequence[str]], run: Callable[[str, List[str]], int],
                     help_of: Callable[..., List[str]]) -> int:
    """Find the command of a command line, show its help, or run it; return the exit status.

    Args:
        argv: the words; None: those that the process was started with.
        run: given a command and the words after it, run it and return the exit status.
        help_of: given a command, and by name whether all of its options are wanted (`full`), return the lines of its
            help.
    """
    def command(given: List[str]) -> int:
        if "--version" in given:  # whatever else is given
            say([version_text()], sys.stdout)
            return WRITTEN
        if given[:1] == ["help"] and not os.path.lexists("help"):
            given = [*given[1:], "-h"]
        elif given[:1] in (["-h"], ["--help"]):
            given = [*given[1:], given[0]]
        verb, words = verb_of(given)
        if not {"-h", "--help"}.intersection(words):
            return run(verb, words)
        say(help_of(verb, full="--help" in words), sys.stdout)
        return WRITTEN

    with collector_at_rest(ends=argv is None):  # the trees live to the end: a collection would cost a fifth of the time
        return run_command(command, sys.argv[1:] if argv is None else argv)


def run_command(command: Callable[[List[str]], int], words: Sequence[str]) -> int:
    """Run a command with its words; return its exit status, or that of the error or interruption that ends it."""
    with usable_streams(), ends_on_signals():
        try:
            return command(list(words))
        except KeyboardInterrupt:
            say([""], sys.stderr)
            return NOT_DONE
        except Exception as error:  # of a fault, too, the exit status is not that of an answer
            return print_error(error, value_given(words, "--color") or "auto")


def value_given(words: Sequence[str], option: str) -> str:
    """Return the value of an option in a command line that may be invalid, "" for none."""
    spelled = [*words, *map("=".join, zip(words, words[1:]))]
    return next((word[len(option) + 1:] for word in spelled if word.startswith(f"{option}=")), "")


def print_error(error: Exception, color: str) -> int:
    """Print an error, of an unexpected one also the line that raised it; return the exit status."""
    lines = [f"error: {line}" for line in str(error).split("\n")]
    is_refusal = isinstance(error, UrdfSimplifyError) and not isinstance(error, ProofFailed)
    if isinstance(error, ProofFailed):
        lines.append(f"The result would not be the same robot, so nothing was written. {FAULT}")
    elif not is_refusal:
        lines = [f"error: {type(error).__name__}: {error} ({_place_of(error)})", FAULT]
    lines += [] if is_refusal else [f"please report it together with the file and this line: {version_text()}"]
    say(map(style_of(sys.stderr, color).bad, lines), sys.stderr)
    return REFUSED if is_refusal else PROOF_FAILED


def _place_of(error: Exception) -> str:
    """Return file and line of the code that raised an error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace is not None else ""


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
    raise SystemExit(128 + number)
