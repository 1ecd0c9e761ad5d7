"""`pairs --check`: verify the pairs of links that an SRDF disables, for an unchanged robot."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Callable, List, Optional, Sequence, Tuple

from ..base.errors import UsageError
from ..base.file_reading import read_file
from ..base.number_text import count_of
from ..cli.run_command_line import NOT_DONE, progress_line, say, WRITTEN
from ..cli.run_and_ask import says_if_stopped_late
from ..collision.collision_diagnostics import PAIR_AT_HOME
from ..collision.link_pairs_step import judge, DisabledPairVerdict, pairs_record, wrong_line
from ..export.pairs_of_run import check_names, find_pairs, named_links
from ..run.check_destinations import check_destinations, Destination
from ..urdf.lossless_xml import parse_document
from ..urdf.urdf_records import UrdfRobot
from ..urdf.package_resolver import resolve, resolver_for
from ..urdf.urdf_reader import read_robot
from ..urdf.expand_xacro import read_expanded
from .run_extension import as_urdf, write_all


def check_pairs(arguments: argparse.Namespace) -> int:
    """Check the SRDF; return the exit status: 0, or 1 if a line of it is wrong.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    path = arguments.files[0]
    srdf = arguments.srdf
    report = arguments.pairs_report
    outputs = [Destination("--report", report, "")] if report else []
    check_destinations([path, srdf], outputs, force=arguments.force)
    robot, path_of = _read_as_it_is(arguments)
    document = parse_document(read_file(srdf), srdf)
    if not named_links(document):
        raise UsageError(
            "this has no <disable_collisions>, so there is nothing to check", document.path
        )
    check_names(document, robot)
    with says_if_stopped_late(), progress_line(sys.stderr) as progress:
        checked = find_pairs(robot, path_of, arguments.pairs_cells, progress)
    judged = judge(document, checked)
    hidden = [frozenset((line.first, line.second)) for line in judged]
    wrong = [
        (line, wrong_line(checked, line.pair, hidden, line.line))
        for line in judged
        if line.verdict == "wrong" and line.pair
    ]
    lines = [f"{srdf}:{line.line}: {warning.text}" for line, warning in wrong]
    if not arguments.quiet:
        # For hulls that overlap at home a run notes that they get no line; here their lines are among the open lines.
        notes = [note for note in checked.notes if note.kind is not PAIR_AT_HOME]
        lines += [
            *(f"{path}: {note.text}" for note in notes),
            *_open_lines(srdf, judged, full=arguments.full),
            _total(srdf, judged),
        ]
    say(lines, sys.stdout)
    write_all({report: pairs_record(robot, checked)})
    return NOT_DONE if wrong else WRITTEN


def _read_as_it_is(
    arguments: argparse.Namespace,
) -> Tuple[UrdfRobot, Callable[[str], Optional[str]]]:
    """Return the robot of the first file of a command, and the function that finds the path of a mesh.

    Raises:
        UrdfError: it cannot be read.
    """
    path = arguments.files[0]
    source = as_urdf(read_expanded(path, arguments.xacro_args, arguments.package), path).data
    robot = read_robot(parse_document(source, path), lenient=arguments.lenient)
    resolver = resolver_for(
        robot.document.root, os.path.dirname(os.path.abspath(path)), arguments.package
    )
    return robot, lambda name: resolve(name, resolver).path


def _open_lines(srdf: str, judged: Sequence[DisabledPairVerdict], *, full: bool) -> List[str]:
    """Return a line for each pair that is not proven; [] without --full."""
    if not full:
        return []
    return [
        f"{srdf}:{line.line}: '{line.first}' and '{line.second}': not proven"
        for line in judged
        if line.verdict == "open"
    ]


def _total(srdf: str, judged: Sequence[DisabledPairVerdict]) -> str:
    """Return the line that counts the pairs by their verdicts."""
    counts = {
        verdict: sum(line.verdict == verdict for line in judged)
        for verdict in ("proven", "wrong", "open", "chosen")
    }
    return (
        f"{srdf}: {count_of(len(judged) - counts['chosen'], 'pair')} that never touch by it: {counts['proven']} "
        f"proven, {counts['wrong']} wrong, {counts['open']} not proven (--full names them); "
        f"{counts['chosen']} left out for other reasons"
    )
