"""`--lint`: examine files, print the findings, and return an exit status."""
import argparse
import sys
from typing import Callable, Collection, List, Sequence, Tuple

from ..base.diagnostics import Kind, NOTE
from ..base.errors import UsageError, UrdfError
from ..base.files import read_file
from ..base.option_table import Option
from ..cli.command import NOT_DONE, print_error, WRITTEN
from ..cli.streams import say, style_of
from ..compare.commands import parse_only, write_all
from ..run.destinations import check_destinations, Destination
from ..urdf.xacro import read_expanded
from .ignoring import baseline_text, read_baseline, without_known
from .examine import examine
from .records import at_least, Examined, kinds_named
from .report import formatted, quiet_lines, reported, text_lines

# What can be given together with --lint: all else would change the robot, or write what a run makes.
KNOWN = ("lint", "lint_level", "lint_select", "lint_ignore", "lint_baseline", "lint_baseline_write", "format", "report",
         "full", "quiet", "color", "package", "xacro_args", "force")


def lint_command(words: Sequence[str], options: Sequence[Option], kinds: Sequence[Kind]) -> int:
    """Run the command; return the exit status: 1 if there is a finding at the level of --lint-level, else 0.

    Raises:
        UrdfError: a file cannot be read, or an option cannot be used.
    """
    arguments = parse_only(words, options, KNOWN, "--lint looks at files and changes none")
    paths = [arguments.input_urdf, *arguments.others]
    if paths.count("-") > 1:
        raise UsageError("only one of the files can be standard input")
    outputs = [Destination(spelled, path, "") for spelled, path in (
        ("--report", arguments.report), ("--lint-baseline-write", arguments.lint_baseline_write)) if path]
    check_destinations([path for path in paths if path != "-"], outputs, force=arguments.force)
    known = [kind.name for kind in kinds]
    selected, left_out = (kinds_named(spelled, given, known) for spelled, given in (
        ("--lint-select", arguments.lint_select), ("--lint-ignore", arguments.lint_ignore)))
    examined, unread = _examine_all(paths, lambda path: _examine(
        path, arguments, known, selected, left_out), arguments.color)
    files = [(arguments.lint_baseline_write, baseline_text(examined, arguments.lint_baseline_write))
             ] if arguments.lint_baseline_write else []
    # A baseline is written before the known findings are left out, so that both options together renew it.
    if arguments.lint_baseline:
        examined = without_known(examined, read_baseline(arguments.lint_baseline), arguments.lint_baseline)
    level = arguments.lint_level
    bad = any(True for each in examined for _ in at_least(each.findings, level))
    status = unread or (NOT_DONE if bad and not arguments.lint_baseline_write else WRITTEN)
    if arguments.report:
        files.append((arguments.report, formatted("json", reported(examined), paths, status, "lint") + "\n"))
    write_all({path: text.encode("utf-8") for path, text in files})
    _say(arguments, examined, paths, status)
    return status


def _examine_all(paths: Sequence[str], look: Callable[[str], Examined], color: str) -> Tuple[List[Examined], int]:
    """Return the findings of the readable files, and the exit status for the others.

    Raises:
        UrdfError: the only file cannot be read.
    """
    examined: List[Examined] = []
    status = WRITTEN
    for path in paths:
        try:
            examined.append(look(path))
        except UrdfError as error:
            if len(paths) == 1:
                raise
            status = print_error(error, color)
    return examined, status


def _say(arguments: argparse.Namespace, examined: Sequence[Examined], paths: Sequence[str], status: int) -> None:
    """Print the findings; in text and github formats, notes only with --full or at that level."""
    findings = reported(examined)
    if arguments.format in ("text", "github") and not (arguments.full or arguments.lint_level == NOTE):
        findings = [finding for finding in findings if finding.severity != NOTE]
    if arguments.format != "text":
        text = formatted(arguments.format, findings, paths, status, "lint")
        lines = [text] if text else []
    elif arguments.quiet:
        lines = quiet_lines(findings)
    else:
        lines = text_lines(examined, style_of(sys.stdout, arguments.color, full=arguments.full), arguments.lint_level)
        if arguments.lint_baseline_write:
            lines += ["", f"Wrote {arguments.lint_baseline_write}"]
    say(lines, sys.stdout)


def _examine(path: str, arguments: argparse.Namespace, known: Collection[str], selected: Collection[str],
             left_out: Collection[str]) -> Examined:
    """Examine a file; keep the findings of the selected kinds."""
    source = sys.stdin.buffer.read() if path == "-" else (
        read_expanded(path, arguments.xacro_args, arguments.package) if path.endswith(".xacro") else read_file(path))
    each = examine(source, "<stdin>" if path == "-" else path, known, tuple(arguments.package))
    wanted = {kind for kind in known if (not selected or kind in selected) and kind not in left_out}
    return each._replace(findings=tuple(finding for finding in each.findings if finding.kind.name in wanted),
                         ignored=tuple(ignored for ignored in each.ignored if ignored[0].kind.name in wanted))
