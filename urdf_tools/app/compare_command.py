"""`compare`: two files, a report, and an exit status."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, Dict, FrozenSet, List, Optional, Sequence, Tuple

from ..base.type_aliases import Json, Show
from ..base.diagnostics import ERROR
from ..base.errors import UsageError, UrdfError
from ..base.file_reading import read_file
from ..cli.parse_arguments import one_file
from ..cli.run_command_line import NOT_DONE, progress_line, REFUSED, say, style_of, WRITTEN
from ..compare.robot_comparison import compare, ComparisonResult, refuse_nothing
from ..compare.contact_differences import unread_beside
from ..compare.difference_records import ASPECTS, read_fail_on
from ..compare.given_or_searched_map import Given
from ..compare.read_any_format import read_robot_of
from ..compare.comparison_text import as_json, given_of_json, quiet_lines, report
from ..compare.difference_kinds import GEOMETRY, KINDS, STRUCTURE, text_of
from ..report.line_layout import LINE_WIDTH
from ..robot.raw_robot import NOT_READ, RawRobot
from ..run.check_destinations import check_destinations, Destination
from .run_extension import write_all

MARKDOWN = "markdown"  # the format, also of a report whose name ends in .md
WITHOUT = "no-"  # in front of an aspect: all aspects except this aspect
ANOTHER = (STRUCTURE, GEOMETRY)  # the verdicts on robots that move differently


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status: 0 the same robot, 1 a different robot, or not all could be compared.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    paths = arguments.files
    one_file(arguments, 2)
    if len(paths) < 2:
        raise UsageError(
            f"compare takes two files, and there is only {paths[0]}; --since REVISION compares it "
            "with a commit of git"
        )
    if paths.count("-") > 1:
        raise UsageError("only one of both files can be standard input")
    values = vars(arguments)
    named = [name for name in ("report", "page", "adapter") if values[name]]
    outputs = [Destination(f"--{name}", values[name], "") for name in named]
    check_destinations(paths, outputs, force=arguments.force)

    # A program finds the reason for a missing verdict in the report.
    try:
        comparison = _compare(arguments, paths)
    except UrdfError as error:
        refused = {"verdict": None, "exit": REFUSED, "refused": str(error)}
        if not is_markdown(arguments.report):
            write_all({arguments.report: as_json_file(refused)})
        raise

    lines = quiet_lines(comparison) if arguments.quiet else _lines(comparison, arguments)
    files: Dict[Optional[str], bytes] = {}
    if arguments.report:
        files[arguments.report] = _report_of(comparison, arguments.report, paths)
    if arguments.page:
        files[arguments.page], line = page_of(comparison, arguments, arguments.page)
        if not arguments.quiet:
            lines = [*lines, line]
    if arguments.format != "text":
        text = differences_text(comparison, arguments.format, paths)
        lines = [text] if text else []
    say(lines, sys.stdout, exact=arguments.format != "text")
    # The report is printed first: an adapter may be refused, and the report shows the reason.
    if arguments.adapter:
        files[arguments.adapter] = _adapter(comparison, arguments)
    write_all(files)
    return NOT_DONE if comparison.exit_code else WRITTEN


def is_markdown(report: Optional[str]) -> bool:
    """Return True for the name of a report in Markdown."""
    return report is not None and report.lower().endswith(".md")


def as_utf_8(text: str) -> bytes:
    """Return a text in UTF-8; undecodable bytes of file names become escapes."""
    return text.encode("utf-8", "backslashreplace")


def _report_of(comparison: ComparisonResult, report: str, paths: Sequence[str]) -> bytes:
    """Return the report of two files: Markdown if it is named so, else JSON."""
    if is_markdown(report):
        return as_utf_8(f"{differences_text(comparison, MARKDOWN, paths)}\n")
    unread = {
        "a": _unread(comparison.a, comparison.b),
        "b": _unread(comparison.b, comparison.a),
    }
    return as_json_file({**as_json(comparison), "unread": unread})


def _lines(comparison: ComparisonResult, arguments: argparse.Namespace) -> List[str]:
    """Return the report for a person, with --full including all unread elements."""
    style = style_of(sys.stdout, arguments.color)
    paint = style.good
    if comparison.exit_code:
        paint = style.bad if comparison.verdict in ANOTHER else style.alert
    text = report(comparison, full=arguments.full, columns=LINE_WIDTH.get(), paint=paint)
    lines = text.splitlines()
    if arguments.full:
        lines += unread_lines(comparison)
    return lines


def _unread(robot: RawRobot, other: RawRobot) -> List[Json]:
    """Return the elements of a robot that were not read, as plain data."""
    return [
        {"element": item.element, "why": item.why, "line": item.line}
        for item in unread_beside(robot, other)
    ]


def _adapter(comparison: ComparisonResult, arguments: argparse.Namespace) -> bytes:
    """Return the module that maps positions of A to B, once it is proven; print the notes for its user.

    Raises:
        UrdfError: positions of one robot do not correspond to the other's, or the map is a guess.
    """
    from ..export.adapter_writer import adapter_of

    made = adapter_of(comparison)
    say([f"warning: {warning}" for warning in made.warnings], sys.stderr)
    if arguments.format == "text" and not arguments.quiet:
        say([made.proven(arguments.adapter)], sys.stdout)
    return made.text.encode("utf-8")


def page_of(
    comparison: ComparisonResult, arguments: argparse.Namespace, file: str
) -> Tuple[bytes, str]:
    """Return the page of a comparison, and a line about it."""
    from ..export.page.command_pages import write_comparison

    return write_comparison(comparison, file, tuple(arguments.package), arguments.page_triangles)


def compared(arguments: argparse.Namespace) -> bytes:
    """Return the page of two robots, one over the other.

    Raises:
        UrdfError: a file cannot be used.
    """
    return page_of(_compare(arguments, arguments.files), arguments, "robot.html")[0]


def _compare(arguments: argparse.Namespace, paths: Sequence[str]) -> ComparisonResult:
    """Return the comparison of two files, whatever its verdict.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    packages = tuple(arguments.package)
    # A robot in standard input is most often another version of the other file, as from `git show`. So its relative
    # names begin in the folder of the other file.
    folders = [os.path.dirname(path) for path in reversed(paths)]
    # The arguments of xacro are for the first file.
    a = read_robot_of(paths[0], packages, tuple(arguments.xacro_args), folder=folders[0])
    b = read_robot_of(paths[1], packages, (), folder=folders[1])
    refuse_nothing(a, b)
    with progress_line(sys.stderr) as progress:
        return compare_robots(arguments, a, b, progress)


def compare_robots(
    arguments: argparse.Namespace, a: RawRobot, b: RawRobot, progress: Optional[Show]
) -> ComparisonResult:
    """Return the comparison of two robots with the options of a command line.

    Raises:
        UrdfError: an option cannot be used, or a robot is not a tree.
    """
    return compare(
        a,
        b,
        given=read_map(arguments.map) if arguments.map else None,
        names="equal" if arguments.match == "names" else arguments.match,
        aspects=read_aspects(arguments.aspects),
        tolerance=arguments.tolerance or 1e-4,
        fail_on=read_fail_on(arguments.fail_on_aspects or ""),
        scale=arguments.compare_scale or 1.0,
        progress=progress,
    )


def unread_lines(comparison: ComparisonResult) -> List[str]:
    """Return lines about all unread elements of either file, which were not compared."""
    lines = []
    a = comparison.a
    b = comparison.b
    for side, robot, other in (("A", a, b), ("B", b, a)):
        for item in unread_beside(robot, other):
            why = "" if item.why == NOT_READ else f": {item.why}"
            lines.append(f"  note  not read in {side}, line {item.line}: {item.element}{why}")
    return lines


def read_aspects(text: Optional[str]) -> FrozenSet[str]:
    """Return the aspects of a text such as `motion,mass` or `no-meshes`, all aspects without a text.

    Raises:
        UsageError: a word is not an aspect.
    """
    words = [word.strip() for word in text.split(",")] if text else []
    kept = [word for word in words if not word.startswith(WITHOUT)]
    others = [word[len(WITHOUT) :] for word in words if word.startswith(WITHOUT)]
    for word in (*kept, *others):
        if word not in ASPECTS:
            raise UsageError(f"--aspects {word}: there are {', '.join(ASPECTS)}")
    return frozenset(kept or ASPECTS) - frozenset(others)


def read_map(path: str) -> Given:
    """Return the map of a JSON file: `joints` as in a report, each with `a`, `b`, `sign`, `offset`.

    Raises:
        UsageError: the file is not JSON, or has no map.
    """
    from json import loads

    source = read_file(path)
    try:
        data: Any = loads(source)
    except ValueError as error:
        raise UsageError(f"this is not JSON: {error}", path) from None
    # The list of joints may stand alone.
    whole = {"joints": data} if isinstance(data, list) else data
    return given_of_json(whole, path)


def as_json_file(data: Json) -> bytes:
    """Return plain data as the bytes of a JSON file."""
    from json import dumps

    return (dumps(data, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def new_lines(comparison: ComparisonResult) -> Dict[str, int]:
    """Return lines of B by names of A: of the partner of a joint or link, or of the link that a missing joint was on."""
    robots = comparison.map
    lines = {link.name: link.line for link in comparison.b.links}
    lines.update((joint.name, joint.line) for joint in comparison.b.joints)
    line_of_body: Dict[int, int] = {}
    for body, other in robots.bodies.items():
        line_of_body[body] = robots.b.bodies[other].parts[0].link.line
        for part in robots.a.bodies[body].parts:
            lines.setdefault(part.link.name, line_of_body[body])
    for index in robots.only_a:
        joint = robots.a.joints[index]
        lines.setdefault(joint.raw.name, line_of_body.get(joint.parent, 0))
    # A joint of the same name may be another joint of B.
    lines.update((pair.a.raw.name, pair.b.raw.line) for pair in robots.pairs)
    return lines


def differences_text(comparison: ComparisonResult, form: str, paths: Sequence[str]) -> str:
    """Return the differences of two robots in a format for programs: each is an error in B, the new file."""
    from ..lint.findings_output import formatted, ReportedFinding

    if form == MARKDOWN:
        from ..compare.markdown_report import markdown_of_two

        return markdown_of_two(comparison, *paths).rstrip("\n")
    lines_in_b = new_lines(comparison)
    rows: Dict[ReportedFinding, None] = {}  # a mesh that many links use is reported once
    for difference in comparison.counted:
        kind = difference.kind
        row = ReportedFinding(
            path=comparison.b.file or paths[1],
            line=difference.line_b or lines_in_b.get(difference.where, 0),
            kind=kind,
            severity=ERROR,
            text=text_of(difference),
            meaning=KINDS[kind].label,
            names=difference.names,
            numbers=difference.numbers,
        )
        rows[row] = None
    status = NOT_DONE if comparison.exit_code else WRITTEN
    return formatted(form, [*rows], paths, status, "compare")
