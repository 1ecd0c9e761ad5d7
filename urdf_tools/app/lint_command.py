"""`lint`: examine files, print the findings; and `simplify --check`, whose changes become findings for programs."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from typing import Callable, Collection, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.type_aliases import Show
from ..base.diagnostics import Diagnostic, ERROR, NOTE
from ..base.errors import ErrorGroup, UrdfError, UrdfSimplifyError, UsageError
from ..cli.run_command_line import (
    NOT_DONE,
    print_error,
    progress_line,
    REFUSED,
    say,
    style_of,
    WRITTEN,
)
from ..lint.examine_file import examine
from ..lint.neighbor_files import examine_neighbor, is_neighbor, neighbors_of, robot_for
from ..lint.lint_diagnostics import REFUSED as REFUSED_KIND, WOULD_CHANGE
from ..lint.finding_records import (
    at_least,
    baseline_text,
    ExaminedFile,
    LintFinding,
    kinds_named,
    LEVELS,
    read_baseline,
    without_known,
)
from ..lint.findings_output import (
    formatted,
    in_file,
    programs_of_files,
    quiet_lines,
    ReportedFinding,
    reported,
    text_lines,
)
from ..lint.xacro_sources import by_source
from ..report.grouped_warnings import hint_of
from ..run.check_destinations import check_destinations, Destination
from ..run.run_records import RunExtension, Result
from ..urdf.urdf_records import UrdfRobot
from ..urdf.expand_xacro import is_xacro, read_expanded
from .run_extension import all_kinds, as_urdf, write_all
from .robot_files import files_of

STDIN = "<stdin>"


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit status: 1 if there is a finding at the level of --fail-on, else 0.

    Raises:
        UrdfError: a file cannot be read, or an option cannot be used.
    """
    if arguments.fix:
        from .lint_fix import fix

        return fix(arguments, all_kinds())
    if arguments.output:
        raise UsageError("--output needs --fix: without --fix lint writes no file")
    paths = files_of(arguments.files)
    if paths.count("-") > 1:
        raise UsageError("only one of the files can be standard input")
    written = arguments.baseline if arguments.update_baseline else None
    outputs = []
    if arguments.report:
        outputs.append(Destination("--report", arguments.report, ""))
    if written:
        outputs.append(Destination("--baseline", written, ""))
    check_destinations(paths, outputs, force=arguments.force)
    known = [kind.name for kind in all_kinds()]
    wanted = _wanted_kinds(arguments, known)
    look = partial(_examine, arguments=arguments, known=known, wanted=wanted)
    examined, unread = _examine_all(paths, look, arguments.color)
    paths += [each.path for each in examined if each.path not in (*paths, STDIN)]

    # A new baseline contains all findings, so it is made before the findings of the old baseline are left out.
    files = []
    if written:
        files.append((written, baseline_text(examined, written)))
    if arguments.baseline and (not written or os.path.exists(written)):
        examined = without_known(examined, read_baseline(arguments.baseline), arguments.baseline)
    fails = any(any(at_least(each.findings, arguments.fail_on)) for each in examined)
    # Writing a baseline accepts the findings.
    found = NOT_DONE if fails and not written else WRITTEN
    status = unread or found
    if arguments.report:
        programs = programs_of_files(examined)
        text = formatted("json", reported(examined), paths, status, "lint", programs)
        files.append((arguments.report, text + "\n"))
    write_all({path: text.encode("utf-8") for path, text in files})
    _say(arguments, examined, paths, status)
    return status


def _wanted_kinds(arguments: argparse.Namespace, known: Sequence[str]) -> Set[str]:
    """Return the kinds that remain after --select and --ignore.

    Raises:
        UsageError: an option matches no kind.
    """
    selected = kinds_named("--select", arguments.select, known)
    left_out = kinds_named("--ignore", arguments.ignore, known)
    return set(selected or known).difference(left_out)


def _examine_all(
    paths: Sequence[str], look: Callable[..., Iterator[ExaminedFile]], color: str
) -> Tuple[List[ExaminedFile], int]:
    """Return the findings of the readable files, and the exit status for the others.

    Raises:
        UrdfError: the only file cannot be read.
    """
    examined: List[ExaminedFile] = []
    errors: List[UrdfError] = []
    with progress_line(sys.stderr) as progress:
        # Robots come first, as the files beside a robot are compared with it.
        for path in sorted(paths, key=is_neighbor):
            robots = [each.robot for each in examined if each.robot is not None]
            try:
                if is_neighbor(path):
                    examined += look(path, robot=robot_for(path, robots))
                else:
                    examined += look(path, progress=progress or (lambda name, triangles: None))
            except UrdfError as error:
                if len(paths) == 1:
                    raise
                errors.append(error)
        for robot in [each.robot for each in examined if each.robot]:
            for path in neighbors_of(robot, paths):
                examined += look(path, robot=robot)
    # The line of progress has left the terminal only now.
    return examined, max((print_error(error, color) for error in errors), default=WRITTEN)


def _say(
    arguments: argparse.Namespace,
    examined: Sequence[ExaminedFile],
    paths: Sequence[str],
    status: int,
) -> None:
    """Print the findings from --level on, and those that count for the status; json and sarif contain all findings."""
    level = min(arguments.level, arguments.fail_on, key=LEVELS.__getitem__)
    if arguments.full:
        level = NOTE
    findings = reported(examined)
    if arguments.format in ("text", "github"):
        findings = [finding for finding in findings if LEVELS[finding.severity] >= LEVELS[level]]
    if arguments.format != "text":
        programs = programs_of_files(examined)
        text = formatted(arguments.format, findings, paths, status, "lint", programs)
        lines = [text] if text else []
    elif arguments.quiet:
        lines = quiet_lines(examined, level)
    else:
        style = style_of(sys.stdout, arguments.color, full=arguments.full)
        lines = text_lines(examined, style, level) if examined else []
        if arguments.update_baseline:
            lines += ["", f"Wrote {arguments.baseline}"]
    say(lines, sys.stdout, exact=arguments.format != "text")


def _examine(
    path: str,
    arguments: argparse.Namespace,
    known: Collection[str],
    wanted: Collection[str],
    progress: Show = lambda name, triangles: None,
    robot: Optional[UrdfRobot] = None,
) -> Iterator[ExaminedFile]:
    """Yield the findings of the wanted kinds about a robot, or about a companion file of the given `robot`.

    Args:
        path: the file to examine, "-" for standard input.
        arguments: the options of the command.
        known: the names of all kinds, to check comments that ignore findings.
        wanted: the names of the kinds to report.
        progress: called as `examine` calls it.
        robot: the robot that a companion file belongs to; None: the file is a robot.
    """
    if robot is not None:
        files = [examine_neighbor(path, robot, known)]
    else:
        packages = tuple(arguments.package)
        # Other files may be given beside a xacro; they take no arguments.
        xacro_args = arguments.xacro_args if is_xacro(path) else ()
        source = read_expanded(path, xacro_args, packages)
        name = STDIN if path == "-" else path
        examined = examine(
            source=source,
            path=name,
            known=known,
            packages=packages,
            as_urdf=as_urdf,
            progress=progress,
            opens_meshes=not arguments.no_meshes,
        )
        files = by_source(examined, packages)
    for each in files:
        yield each._replace(
            findings=tuple(one for one in each.findings if one.kind.name in wanted),
            ignored=tuple(one for one in each.ignored if one[0].kind.name in wanted),
        )


def check_command(arguments: argparse.Namespace, extension: RunExtension) -> int:
    """Run `simplify --check` in a format for programs; return the exit status.

    Raises:
        UrdfError: an option cannot be used; errors in a file are findings.
    """
    from ..cli.run_and_ask import PreparedRun
    from ..cli.simplify_command import statuses_of

    if arguments.report:
        raise UsageError(
            f"--format {arguments.format} is the report of --check on standard output, so it takes no "
            "--report"
        )
    if "-" in arguments.files:
        raise UsageError(
            f"--check --format {arguments.format} takes names of files, not standard input"
        )
    findings: List[ReportedFinding] = []

    def refuse(error: UrdfSimplifyError, path: str) -> int:
        """Add an error to the findings; return its exit status."""
        if not isinstance(error, UrdfError):
            raise error
        findings.extend(_refusals(error, path))
        return REFUSED

    def add_changes(ran: PreparedRun) -> None:
        """Add the changes of a run to the findings."""
        findings.extend(_changes(ran.result, ran.path))

    status = max(statuses_of(arguments, extension, refuse, add_changes))
    text = formatted(arguments.format, findings, arguments.files, status, "check")
    lines = [text] if text else []
    say(lines, sys.stdout, exact=True)
    return status


def _refusals(error: UrdfError, path: str) -> Iterator[ReportedFinding]:
    """Yield a finding for each problem of an error."""
    problems = error.problems if isinstance(error, ErrorGroup) else (error,)
    for problem in problems:
        yield ReportedFinding(
            path=problem.path or path,
            line=problem.line,
            kind=REFUSED_KIND.name,
            severity=ERROR,
            text=problem.message,
            meaning=REFUSED_KIND.meaning,
        )


def _changes(result: Result, path: str) -> Iterator[ReportedFinding]:
    """Yield the changes of a run as errors, which --check fails for, and the warnings of the plan."""
    from ..report.plan_text import change_line, companion_change_line

    change = change_line(result) if result.changed else ""
    documents = [(path, "urdf", change, result.plan.warnings)]
    for followed in result.companions:
        change = companion_change_line(followed) if followed.changed else ""
        documents.append((followed.before.path, "companion", change, followed.updates.warnings))
    for name, sentence, change, warnings in documents:
        if change:
            yield in_file(name, LintFinding(Diagnostic(WOULD_CHANGE, 0, sentence, (change,))))
        for warning in warnings:
            yield in_file(name, LintFinding(warning))._replace(cure=hint_of([warning], result.plan))
