"""The command `compare --since`: the robots that a branch changed, a report, and an exit status."""

from __future__ import annotations

import argparse
import sys

from ..cli.run_command_line import NOT_DONE, REFUSED, say, style_of, WRITTEN
from ..lint.findings_output import formatted
from ..run.check_destinations import check_destinations, Destination
from .compare_command import as_json_file, as_utf_8, is_markdown, MARKDOWN
from .run_extension import write_all
from .branch_changes import robot_changes, UNREADABLE
from .branch_report import (
    findings_of,
    json_of_changes,
    markdown_of_changes,
    quiet_lines,
    text_lines,
)


def run(arguments: argparse.Namespace) -> int:
    """Compare the robots of a git checkout with a commit; return the exit status.

    Raises:
        UrdfError: git cannot say what was changed, or an option cannot be used.
    """
    if arguments.report:
        report = Destination("--report", arguments.report, "")
        check_destinations([], [report], force=arguments.force)
    changes = robot_changes(arguments)
    status = WRITTEN
    if any(change.is_failing for change in changes.robots):
        status = NOT_DONE
    if any(change.state == UNREADABLE for change in changes.robots):
        status = REFUSED

    form = arguments.format
    if form == MARKDOWN:
        lines = [markdown_of_changes(changes).rstrip("\n")]
    elif form != "text":
        files = [change.file for change in changes.robots]
        text = formatted(form, findings_of(changes), files, status, "compare")
        lines = [text] if text else []
    elif arguments.quiet:
        lines = quiet_lines(changes)
    else:
        style = style_of(sys.stdout, arguments.color)
        lines = text_lines(changes, style, full=arguments.full)
    say(lines, sys.stdout, exact=form != "text")
    if is_markdown(arguments.report):
        write_all({arguments.report: as_utf_8(markdown_of_changes(changes))})
    elif arguments.report:
        write_all({arguments.report: as_json_file(json_of_changes(changes, status))})
    return status
