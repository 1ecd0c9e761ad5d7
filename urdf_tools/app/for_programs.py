"""`simplify --check` and `compare` in the formats for programs: changes and differences as findings."""
import argparse
import sys
from typing import Iterator, List, Sequence

from ..base.diagnostics import Diagnostic, ERROR
from ..base.errors import ErrorGroup, UrdfError, UrdfSimplifyError, UsageError
from ..cli.command import NOT_DONE, REFUSED, WRITTEN
from ..cli.simplify import statuses_of
from ..cli.streams import say
from ..compare.comparison import Comparison
from ..compare.words import KINDS, text_of
from ..report.grouped_warnings import hint_of
from ..report.summary import change_line, companion_change_line
from ..run.records import Extension, Result
from ..lint.kinds import REFUSED as REFUSED_KIND, WOULD_CHANGE
from ..lint.records import Finding
from ..lint.report import formatted, in_file, Reported


def check_command(arguments: argparse.Namespace, extension: Extension) -> int:
    """Run `simplify --check` in a format for programs; return the exit status.

    Raises:
        UrdfError: an option cannot be used; errors in a file are findings.
    """
    if arguments.report:
        raise UsageError(f"--format {arguments.format} is the report of --check on standard output, so it takes no "
                         "--report")
    if "-" in arguments.files:
        raise UsageError(f"--check --format {arguments.format} takes names of files, not standard input")
    findings: List[Reported] = []

    def refuse(error: UrdfSimplifyError, path: str) -> int:
        if not isinstance(error, UrdfError):
            raise error
        findings.extend(_refusals(error, path))
        return REFUSED

    status = max(statuses_of(arguments, extension, refuse, lambda ran: findings.extend(_changes(ran.result, ran.path))))
    text = formatted(arguments.format, findings, arguments.files, status, "check")
    say([text] if text else [], sys.stdout)
    return status


def _refusals(error: UrdfError, path: str) -> Iterator[Reported]:
    for problem in error.problems if isinstance(error, ErrorGroup) else (error,):
        yield Reported(problem.path or path, problem.line, REFUSED_KIND.name, ERROR, problem.message,
                       meaning=REFUSED_KIND.meaning)


def _changes(result: Result, path: str) -> Iterator[Reported]:
    """Yield the changes of a run as errors, as --check fails for them, and the warnings of the plan."""
    if result.changed:
        yield in_file(path, Finding(Diagnostic(WOULD_CHANGE, 0, "urdf", (change_line(result),))))
    for warning in result.plan.warnings:
        yield in_file(path, Finding(warning))._replace(cure=hint_of([warning], result.plan))
    for followed in result.companions:
        if followed.changed:
            yield in_file(followed.before.path, Finding(Diagnostic(
                WOULD_CHANGE, 0, "companion", (companion_change_line(followed),))))
        for warning in followed.updates.warnings:
            yield in_file(followed.before.path, Finding(warning))._replace(cure=hint_of([warning], result.plan))



def differences_text(comparison: Comparison, form: str, paths: Sequence[str]) -> str:
    """Return the differences of two robots in a format for programs: each an error, in the file that has its line."""
    rows = []
    for difference in comparison.differences:
        kind, line = difference.kind, difference.line_a or difference.line_b
        path = comparison.a.file if difference.line_a else comparison.b.file
        rows.append(Reported(path or paths[0], line, kind, ERROR, text_of(difference), meaning=KINDS[kind].label,
                             names=difference.names, numbers=difference.numbers))
    return formatted(form, rows, paths, NOT_DONE if comparison.exit_code else WRITTEN, "compare")
