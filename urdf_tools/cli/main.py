"""The command line: choose the command, run it, return the exit status."""
import gc
import signal
import sys
from contextlib import contextmanager
from typing import Iterator, List, Optional, Sequence, Tuple

from ..base.errors import UrdfError
from ..base.version import version_text
from ..plan.mesh_splitting import COLLADA_ENDINGS
from .arguments import build_parser, expand_files, option_rows, parse_arguments
from .check import check_files, complain
from .extract_meshes import end_by_signal, extract_main
from .hand_over import exporting, is_single_file, MODEL_ENDINGS, package_option, run_package
from .run import NOT_DONE, run, WRITTEN
from .streams import say, usable_streams


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help page for its meaning."""
    collecting = gc.isenabled()
    gc.disable()  # the trees live to the end: a collection would find nothing and cost a fifth of the time
    try:
        with usable_streams():
            return _main(list(sys.argv[1:] if argv is None else argv))
    finally:
        if argv is None:
            gc.freeze()  # the process ends now: a last collection would only walk through the trees
        if collecting:
            gc.enable()


def _main(given: List[str]) -> int:
    """Run the command that the words ask for; report an error as one sentence and an exit status."""
    try:
        words = expand_files(given)
        if "--version" in words:
            say([version_text()], sys.stdout)
            return WRITTEN
        if is_single_file() and (package_option(words) or is_model_command(words, MODEL_ENDINGS)):
            return run_package(words, package_option(words) or "the reader of such a model")
        if not is_single_file() and (is_model_command(words, MODEL_ENDINGS) or (
                package_option(words) and is_model_command(words, COLLADA_ENDINGS))):
            return int(exporting().model_main(words))
        if is_model_command(words, COLLADA_ENDINGS):
            return extract_main(words)
        for row in option_rows():
            if row.alone and row.spelling in words:
                say([exporting().text_alone(row.name)], sys.stdout)
                return WRITTEN
        arguments = parse_arguments(words)
        if arguments.help:
            say([build_parser().format_help().rstrip("\n")], sys.stdout)
            return WRITTEN
        with ends_on_signals():
            return check_files(arguments) if arguments.check else run(arguments)
    except KeyboardInterrupt:
        say([""], sys.stderr)
        return NOT_DONE
    except UrdfError as error:
        text = "=".join(given)
        return complain(error, next((one for one in ("always", "never") if f"--color={one}" in text), "auto"))


def is_model_command(words: Sequence[str], endings: Tuple[str, ...]) -> bool:
    """Return True if a model is given in the place of a robot, and not as the value of an option."""
    with_value = {spelling for row in option_rows() if row.kind is not bool for spelling in (row.short, row.spelling)}
    with_value.discard("")
    return any(word.lower().endswith(endings) and not word.startswith("-") and before not in with_value
               for before, word in zip(["", *words], words))


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
