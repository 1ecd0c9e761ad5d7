"""`--compare`: two files, a report, and an exit status."""
import argparse
import json
import sys
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

from ..base.errors import UsageError, UrdfError
from ..base.files import read_file
from ..base.option_table import Option
from ..cli.command import NOT_DONE, REFUSED, WRITTEN
from ..cli.streams import say
from ..run.destinations import check_destinations, Destination
from .commands import parse_only, write_all
from .comparison import compare, Comparison
from .differences import ASPECTS
from .json_form import as_json, given_of_json
from .mapping import Given
from .read import read_robot_of
from .report import quiet_lines, report
from .records import NOT_READ

# What can be given together with --compare: all else would simplify, or write what a run makes.
KNOWN = ("compare", "map", "names", "aspects", "tolerance", "report", "page", "page_triangles", "full", "quiet",
         "color", "package", "xacro_args", "force", "format", "strict")
# Makes the page of a comparison: its file, folders by package name, the most triangles; returns its bytes and a line.
PageWriter = Callable[[Comparison, str, Sequence[Tuple[str, str]], Optional[int]], Tuple[bytes, str]]
# Returns a comparison of two files in a format of --format but text.
FormatWriter = Callable[[Comparison, str, Sequence[str]], str]


def compare_command(words: Sequence[str], options: Sequence[Option], write_page: PageWriter,
                    write_format: FormatWriter) -> int:
    """Run the command; return the exit status: 0 the same robot, 1 another, or unproven with --strict.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    arguments = parse_only(words, options, KNOWN, "--compare takes both robots as they are and writes none")
    paths = [arguments.input_urdf, arguments.compare]
    if paths.count("-") > 1:
        raise UsageError("only one of both files can be standard input")
    outputs = [Destination(spelled, path, "") for spelled, path in (
        ("--report", arguments.report), ("--page", arguments.page)) if path]
    check_destinations([path for path in paths if path != "-"], outputs, force=arguments.force)
    try:
        comparison = _compare(arguments, paths)
    except UrdfError as error:
        write_all({arguments.report: _json({"verdict": None, "exit": REFUSED, "refused": str(error)})})
        raise
    lines = quiet_lines(comparison) if arguments.quiet else [
        *report(comparison, full=arguments.full).splitlines(), *(unread_lines(comparison) if arguments.full else ())]
    unread = {side: [{"element": item.element, "why": item.why, "line": item.line} for item in robot.unread]
              for side, robot in (("a", comparison.a), ("b", comparison.b))}
    files = {arguments.report: _json({**as_json(comparison), "unread": unread})}
    if arguments.page:
        files[arguments.page], line = write_page(comparison, arguments.page, tuple(arguments.package),
                                                 arguments.page_triangles)
        lines = lines if arguments.quiet else [*lines, line]
    if arguments.format != "text":
        text = write_format(comparison, arguments.format, paths)
        lines = [text] if text else []
    say(lines, sys.stdout)
    write_all(files)
    return NOT_DONE if comparison.exit_code or arguments.strict and comparison.unproven else WRITTEN


def _compare(arguments: argparse.Namespace, paths: Sequence[str]) -> Comparison:
    a, b = (read_robot_of(path, tuple(arguments.package), tuple(arguments.xacro_args) if is_first else ())
            for path, is_first in zip(paths, (True, False)))
    return compare(a, b, given=read_map(arguments.map) if arguments.map else None, names=arguments.names or "auto",
                   aspects=read_aspects(arguments.aspects), tolerance=arguments.tolerance or 1e-4)


def unread_lines(comparison: Comparison) -> List[str]:
    """Return lines about all elements of either file that were not read, so not compared."""
    return [f"  note  not read in {side}, line {item.line}: {item.element}" + (
        "" if item.why == NOT_READ else f": {item.why}")
        for side, robot in (("A", comparison.a), ("B", comparison.b)) for item in robot.unread]


def read_aspects(text: Optional[str]) -> FrozenSet[str]:
    """Return the aspects of a text such as `motion,mass`, all without one.

    Raises:
        UsageError: there is no such aspect.
    """
    words = [word.strip() for word in text.split(",")] if text else list(ASPECTS)
    for word in words:
        if word not in ASPECTS:
            raise UsageError(f"--aspects {word}: there are {', '.join(ASPECTS)}")
    return frozenset(words)


def read_map(path: str) -> Given:
    """Return the map of a JSON file: `joints` as a report has them, each with `a`, `b`, `sign`, `offset`.

    Raises:
        UsageError: it is not such a file.
    """
    try:
        data: Any = json.loads(read_file(path))
    except ValueError as error:
        raise UsageError(f"this is not JSON: {error}", path) from None
    return given_of_json({"joints": data} if isinstance(data, list) else data, path)


def _json(data: Dict[str, Any]) -> bytes:
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
