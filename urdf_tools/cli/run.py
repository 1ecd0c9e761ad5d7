"""One run of the command line on a robot: read, rehearse, show, ask, write."""
import argparse
import os
import sys
from typing import TextIO

from ..base.atomic_write import default_output, default_srdf_output, hard_link_warnings, is_same_file, read_file
from ..base.errors import Unusable
from ..base.transaction import Transaction
from ..base.unified_diff import unified_diff
from ..urdf.xacro import is_xacro, read_expanded
from ..plan.mesh_splitting import check_mesh_files
from ..run.pipeline import mesh_folder, rehearse, Result, write_result
from ..report.srdf_text import srdf_change_line, srdf_text
from ..report.text import analysis, change_line, Look, outcome, proof_text, tree
from .arguments import options_of
from .exports import Exported, run_exports
from .extract_meshes import clear_progress, progress_line
from .output_files import check_outputs, files_to_write
from .question import announcement, confirm
from .streams import is_closed, say, warning_lines, write_stream

WRITTEN, NOT_DONE, REFUSED, DISPROVED = 0, 1, 2, 3


def run(arguments: argparse.Namespace) -> int:
    """Read, plan, rehearse, prove, show, ask, write; return the exit status.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
    """
    options = options_of(arguments)
    from_stdin, shows_only = arguments.input_urdf == "-", arguments.check or arguments.diff or arguments.dry_run
    path = "<stdin>" if from_stdin else arguments.input_urdf
    output = arguments.output or (default_output(path) if not from_stdin else "")
    if from_stdin and not shows_only and not (arguments.output and arguments.yes):
        raise Unusable("standard input holds the URDF, so it cannot answer the question: give --output and --yes, "
                       "or --dry-run", path)
    to_stdout = output == "-"
    if to_stdout and is_closed(sys.stdout):
        raise Unusable("standard output is closed", "<stdout>")
    srdf_output = arguments.srdf_output or default_srdf_output(output)
    check_outputs(arguments, path, output, srdf_output)
    if options.meshes.wanted and to_stdout and not options.meshes.mesh_dir:
        raise Unusable("with --output - give --mesh-dir: the STL files need a place", path)
    srdf = (arguments.srdf, read_file(arguments.srdf)) if arguments.srdf else None
    source = _read_standard_input() if from_stdin else read_expanded(path, arguments.xacro_args)
    target = "" if to_stdout or from_stdin and not output else output
    with Transaction() as transaction:
        holding = ""
        if options.meshes.wanted:
            holding = transaction.staging_folder("" if shows_only else mesh_folder(path, options, target))
        try:
            result = rehearse(source, path, options, target, holding, progress_line(sys.stderr), srdf)
        finally:
            if holding:
                clear_progress(sys.stderr)
        check_mesh_files(result.plan.splitting, arguments.force)
        return show_and_write(arguments, result, path, output, srdf_output, transaction)


def show_and_write(arguments: argparse.Namespace, result: Result, path: str, output: str, srdf_output: str,
                   transaction: Transaction) -> int:
    """Show what was rehearsed and, if that is wanted, ask and write; return the exit status."""
    to_stdout = output == "-"
    changed = result.changed or bool(result.srdf and result.srdf.changed)
    report = sys.stderr if to_stdout or arguments.diff else sys.stdout
    shows_only = arguments.check or arguments.diff or arguments.dry_run
    exports = Exported() if arguments.check or arguments.diff else run_exports(arguments, result, path, output)
    files = files_to_write(result, arguments, path, output, srdf_output, exports.files)
    _show(result, arguments, path, report)
    if not arguments.quiet:
        say(exports.lines, report)
    say(warning_lines(path, exports.warnings), sys.stderr)
    if arguments.check:
        _say_check(result, arguments, path)
    elif arguments.diff:
        _say_diff(result, arguments, path, output, srdf_output)
    elif not changed and not arguments.quiet:
        say(["Nothing to change: the robot is simple and canonical already."
             + ("" if shows_only or is_same_file(path, output) else " The output will be a copy.")], report)
    if shows_only:
        for name, data in files:
            transaction.add(name, data)
        transaction.commit()
        return NOT_DONE if arguments.check and changed else WRITTEN
    if not files and not to_stdout:
        return WRITTEN
    if not arguments.quiet:
        say(announcement([name for name, _ in files], result.plan.splitting), report)
    say(hard_link_warnings([*(name for name, _ in files), *(file.target for file in result.plan.splitting.files)]),
        sys.stderr)
    if not arguments.yes and not confirm(report):
        return NOT_DONE
    to_stream = (lambda: write_stream("", sys.stdout, result.data)) if to_stdout else None
    write_result(result, files, transaction, arguments.force, to_stream)
    if not arguments.quiet:
        say([*outcome(result, output, look_of(report)), *([f"  SRDF: {srdf_output}"] if result.srdf else []),
             *([f"  Report: {arguments.report}"] if arguments.report else []),
             *([f"  Page: {arguments.page}"] if getattr(arguments, "page", "") else [])], report)
    return WRITTEN


def _show(result: Result, arguments: argparse.Namespace, path: str, report: TextIO) -> None:
    """Say what will be done, or, if that is asked for, only the warnings."""
    if arguments.quiet or arguments.check:
        srdf_warnings = result.srdf.following.warnings if result.srdf else ()
        say([*warning_lines(path, result.plan.warnings), *warning_lines(arguments.srdf, srdf_warnings)], sys.stderr)
        return
    look = look_of(report)
    expanded = ["Expanded by xacro: line numbers count in what it gave.", ""] if is_xacro(path) else []
    say([*expanded, *analysis(result, look), *tree(result, look), *proof_text(result), "",
         *(srdf_text(result.srdf, look) if result.srdf else [])], report)


def _say_check(result: Result, arguments: argparse.Namespace, path: str) -> None:
    """Say in a line for each file whether a run would change it."""
    changes = f"would change: {change_line(result)}" if result.changed else "is simple and canonical already"
    say([f"{path} {changes}", *([f"{arguments.srdf} {srdf_change_line(result.srdf)}"] if result.srdf else [])],
        sys.stdout)


def _say_diff(result: Result, arguments: argparse.Namespace, path: str, output: str, srdf_output: str) -> None:
    """Print what would change, as a unified diff."""
    old, new = result.before.document.text(), result.after.document.text()
    say(unified_diff(old, new, path, output or "result"), sys.stdout)
    if result.srdf:
        old, new = result.srdf.before.text(), result.srdf.after.text()
        say(unified_diff(old, new, arguments.srdf, srdf_output or "result"), sys.stdout)


def _read_standard_input() -> bytes:
    if sys.stdin is None:
        raise Unusable("standard input is closed", "<stdin>")
    return bytes(sys.stdin.buffer.read())


def look_of(stream: TextIO) -> Look:
    """Find out whether a stream can show box characters, and whether it is a terminal that likes color."""
    try:
        "\u251c\u2500\u2514\u2502".encode(getattr(stream, "encoding", None) or "ascii")
        boxes = True
    except (UnicodeError, LookupError):
        boxes = False
    colored = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Look(boxes, colored)
