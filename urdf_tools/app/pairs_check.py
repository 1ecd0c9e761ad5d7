"""`pairs --check`: verify the pairs of links that never touch by an SRDF, for a robot as it is."""

import argparse
import sys
from typing import Dict, List, Optional, Sequence, Tuple

from ..base.errors import UsageError
from ..base.files import read_file
from ..base.number_text import count_of
from ..cli.command import NOT_DONE, progress_line, say, WRITTEN
from ..cli.run import says_if_stopped_late
from ..collision.kinds import PAIR_AT_HOME
from ..collision.pairs_step import CheckedPairs, judge, Judged, pairs_record, wrong_line
from ..export.pairs import check_names, find_pairs, named_links
from ..export.request import ExportRequest, Shared
from ..run.destinations import check_destinations, Destination
from ..run.option_rows import options_from
from ..run.pipeline import simplify_bytes
from ..srdf.verify import srdf_companion
from ..urdf.lossless_xml import parse_document
from .engine import read_as_it_is, write_all


def check_pairs(arguments: argparse.Namespace) -> int:
    """Judge the SRDF; return the exit status: 0, or 1 where a line of it is wrong.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    path, srdf = arguments.files[0], arguments.srdf
    outputs = [
        Destination(spelled, name, "")
        for spelled, name in (("--report", arguments.pairs_report), ("--page", arguments.page))
        if name
    ]
    check_destinations([path, srdf], outputs, force=arguments.force)
    source, robot, path_of = read_as_it_is(arguments)
    document = parse_document(read_file(srdf), srdf)
    if not named_links(document):
        raise UsageError(
            "this has no <disable_collisions>, so there is nothing to judge", document.path
        )
    check_names(document, robot)
    with says_if_stopped_late(), progress_line(sys.stderr) as progress:
        checked = find_pairs(robot, path_of, arguments.pairs_cells, progress)
    judged = judge(document, checked)
    hidden = [frozenset((line.first, line.second)) for line in judged]
    wrong = [
        (line, wrong_line(robot, checked, line.pair, hidden, line.line))
        for line in judged
        if line.verdict == "wrong" and line.pair
    ]
    lines = [f"{srdf}:{line.line}: {warning.text}" for line, warning in wrong]
    files: Dict[Optional[str], bytes] = {arguments.pairs_report: pairs_record(robot, checked)}
    if arguments.page:
        files[arguments.page], shown = _page(arguments, source, checked)
    if not arguments.quiet:
        # Of hulls that overlap at home a run says that they get no line; here their lines are among the open ones.
        notes = [note for note in checked.notes if note.kind is not PAIR_AT_HOME]
        lines += [
            *(f"{path}: {note.text}" for note in notes),
            *_open_lines(srdf, judged, full=arguments.full),
            _total(srdf, judged),
            *([shown] if arguments.page else []),
        ]
    say(lines, sys.stdout)
    write_all(files)
    return NOT_DONE if wrong else WRITTEN


def _page(arguments: argparse.Namespace, source: bytes, checked: CheckedPairs) -> Tuple[bytes, str]:
    """Return the page of the robot as it is with its poses of contact, and a line about it."""
    from ..export.page.write import write_page

    path, srdf = arguments.files[0], arguments.srdf
    result = simplify_bytes(
        source,
        path,
        options_from(vars(arguments)),
        companions=[srdf_companion(read_file(srdf), srdf)],
    )
    result = result._replace(exported=result.exported._replace(pairs=checked))
    made = write_page(ExportRequest(result, vars(arguments), path, "", Shared(), writes=False))
    return made.files[0][1], made.lines[0]


def _open_lines(srdf: str, judged: Sequence[Judged], *, full: bool) -> List[str]:
    lines = [
        f"{srdf}:{line.line}: '{line.first}' and '{line.second}': not proven"
        for line in judged
        if line.verdict == "open"
    ]
    return lines if full else []


def _total(srdf: str, judged: Sequence[Judged]) -> str:
    counts = {
        verdict: sum(line.verdict == verdict for line in judged)
        for verdict in ("proven", "wrong", "open", "chosen")
    }
    return (
        f"{srdf}: {count_of(len(judged) - counts['chosen'], 'pair')} that never touch by it: {counts['proven']} "
        f"proven, {counts['wrong']} wrong, {counts['open']} not proven (--full names them); "
        f"{counts['chosen']} left out for other reasons"
    )
