"""One run of the command line on a robot: read, simplify in memory, show, ask, write."""
import argparse
import sys
from contextlib import contextmanager
from functools import partial
from typing import Callable, Iterator, List, NamedTuple, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import UsageError
from ..base.files import default_output, hard_link_warnings, is_same_file
from ..base.number_text import count_of
from ..base.transaction import Transaction
from ..urdf.xacro import is_xacro, read_expanded
from ..meshing.converter import mesh_folder
from ..meshing.ownership import check_mesh_files, folder_of
from ..report.grouped_warnings import needing
from ..run.companions import Companion
from ..run.pipeline import Asked, Extension, MeshMaking, simplify_bytes, Result, write_result
from ..report.layout import fold, Style
from ..report.plan_text import plan_text
from ..report.summary import change_line, companion_change_line, outcome, question_lines
from .arguments import options_of
from .command import NOT_DONE, WRITTEN
from .output_files import check_outputs, files_to_write
from .question import announcement, at_terminal, confirm, REPLACES
from .streams import is_closed, style_of, progress_line, say, warning_lines, write_stream


class RunOutcome(NamedTuple):
    """A run up to the question: what was given, the names of what it would write, and what came out."""

    arguments: argparse.Namespace
    path: str
    output: str
    companions: Tuple[Companion, ...]
    result: Result

    @property
    def changed(self) -> bool:
        """Return True if the URDF or a companion would change."""
        return self.result.changed or any(one.changed for one in self.result.companions)

    @property
    def warnings(self) -> List[Diagnostic]:
        """All warnings: about the URDF, of the exports, and about companions."""
        return [*self.result.plan.warnings, *self.result.exported.warnings,
                *(warning for one in self.result.companions for warning in one.updates.warnings)]


def run(arguments: argparse.Namespace, extension: Extension) -> int:
    """Read, simplify in memory, verify, show, ask, write; return the exit status.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
    """
    options = options_of(arguments, extension.options)
    as_is = arguments.exports.get("as_is", False)
    from_stdin, shows_only = arguments.input_urdf == "-", arguments.shows_only
    path = "<stdin>" if from_stdin else arguments.input_urdf
    output = arguments.output or (default_output(path) if not (from_stdin or as_is) else "")
    if from_stdin and not shows_only and not ((arguments.output or as_is) and arguments.yes):
        raise UsageError("standard input holds the URDF, so it cannot answer the question: give --output and --yes, "
                         "or --dry-run", path)
    to_stdout = output == "-"
    if to_stdout and is_closed(sys.stdout):
        raise UsageError("standard output is closed", "<stdout>")
    target = "" if to_stdout else output
    asked = Asked(arguments.exports, path, target, writes=not shows_only,
                  exports=not arguments.looks)
    companions = extension.companions(asked)
    check_outputs(arguments, asked, extension.options, output, companions)
    converter = extension.mesh_converter(asked, options.meshes)
    if (converter.form.endings or converter.adds_files) and to_stdout and not options.meshes.mesh_dir:
        raise UsageError("with --output - give --mesh-dir: the meshes need a place", path)
    made = extension.as_urdf(
        _read_standard_input() if from_stdin else read_expanded(path, arguments.xacro_args), path)
    with says_if_stopped_late() as transaction, transaction:
        staging_dir = ""
        if converter.needs_place:
            staging_dir = transaction.staging_folder("" if shows_only else mesh_folder(path, options, target))
        with progress_line(sys.stderr) as progress:
            result = simplify_bytes(made.data, path, options, target, staging_dir, progress=progress,
                                    companions=companions, converter=converter)
            result = extension.change(asked, result, MeshMaking(staging_dir, converter, progress))
        check_mesh_files(result.plan.meshes.files, force=arguments.force)
        result = result._replace(exported=extension.export(asked, result).behind(made))
        show = partial(extension.show, asked, result, arguments.color)
        return show_and_write(RunOutcome(arguments, path, output, companions, result), show, transaction)


@contextmanager
def says_if_stopped_late() -> Iterator[Transaction]:
    """Yield a transaction; if a signal ends the run, say whether everything is in its place already."""
    transaction = Transaction()
    try:
        yield transaction
    except (KeyboardInterrupt, SystemExit):
        say(["", f"Stopped{', but everything' if transaction.done else '. No file'} was written."], sys.stderr)
        raise


def show_and_write(ran: RunOutcome, show: Callable[[], None], transaction: Transaction) -> int:
    """Show what came out and, if that is wanted, ask and write; return the exit status.

    `show` does so for an option of the extension that shows something else than the plan.
    """
    arguments, path, output, _, result = ran
    to_stdout = output == "-"
    report = sys.stderr if to_stdout else sys.stdout
    style = style_of(report, arguments.color, full=arguments.full)
    shows_only = arguments.shows_only
    files = files_to_write(result, arguments, path, output)
    is_result = not (arguments.yes or shows_only) and at_terminal() and _is_result(ran)
    writes = not (shows_only or is_result) and (bool(files) or to_stdout)
    names = announcement(files, result.plan.meshes.files) if writes else []
    if arguments.check:
        _say_check(ran)
    elif arguments.looks:
        show()
    elif arguments.quiet:
        foreign = [f"warning: {lead.lower()}{name}{tail}" for lead, name, tail in names if lead == REPLACES and tail]
        lines = [*warning_lines(path, [*result.plan.warnings, *result.exported.warnings]),
                 *(line for one in result.companions
                   for line in warning_lines(one.before.path, one.updates.warnings)), *foreign]
        say(map(style_of(sys.stderr, arguments.color).alert, lines), sys.stderr)
    else:
        say(_plan(ran, names, style), report)
        if is_result:
            say(fold(f"{path} is the result: nothing was written (-o FILE writes a copy)", "  ", ""), report)
        elif not (ran.changed or result.exported.changes or shows_only or not output or is_same_file(path, output)):
            say(["The output will be a copy."], report)
    if shows_only:
        for name, data in files:
            transaction.add(name, data)
        transaction.commit()
        if files and not (arguments.quiet or arguments.looks):
            say([f"Wrote {', '.join(name for name, _ in files)}"], report)
        return NOT_DONE if arguments.check and ran.changed else WRITTEN
    if not writes:
        return WRITTEN
    say(hard_link_warnings([*(name for name, _ in files), *(file.target for file in result.plan.meshes.files)]),
        sys.stderr)
    if not arguments.yes and not confirm(
            report, style, lambda: _plan(ran, names, style._replace(full=True))):
        return NOT_DONE
    to_stream = (lambda: write_stream("", sys.stdout, result.data)) if to_stdout else None
    write_result(result, files, transaction, force=arguments.force, meanwhile=to_stream)
    if not arguments.quiet:
        meshes = result.plan.meshes.files
        count = sum(not mesh.along for mesh in meshes)
        further = [*([f"  Meshes: {count} in {folder_of(meshes)}"] if meshes else []),
                   *(f"  {one.name}: {one.output}" for one in result.companions if one.output),
                   *(f"  Export: {name}" for name, _ in result.exported.files),
                   *([f"  Report: {arguments.report}"] if arguments.report else [])]
        say(outcome(result, output, further, ran.warnings, style), report)
    return WRITTEN


def _is_result(ran: RunOutcome) -> bool:
    """Return True if the input needs no change and no option asks for a file."""
    arguments = ran.arguments
    asked = arguments.output or arguments.report or ran.result.exported.choices or any(
        one.is_named for one in ran.companions)
    return not (asked or ran.changed or ran.result.exported.changes or is_xacro(ran.path))


def _plan(ran: RunOutcome, names: List[Tuple[str, str, str]], style: Style) -> List[str]:
    """Return the plan, and what is right above the question."""
    result = ran.result
    expanded = ["Expanded by xacro: line numbers refer to its output.", ""] if is_xacro(ran.path) else []
    return [*expanded, *plan_text(result, style), "",
            *question_lines(result, len(needing(ran.warnings)), files=names, style=style)]


def _say_check(ran: RunOutcome) -> None:
    """Report in one line for each file whether a run would change it, and how."""
    result = ran.result
    say([f"{ran.path} {verdict(result)}",
         *(f"{one.before.path} {companion_change_line(one)}{_counted(one.updates.warnings)}"
           for one in result.companions)], sys.stdout)


def verdict(result: Result) -> str:
    """Return in one line what a run would change in the URDF; the warnings of an unchanged one are left out."""
    if not result.changed:
        return "is simple and canonical already"
    return f"would change: {change_line(result)}{_counted(result.plan.warnings)}"


def _counted(warnings: Sequence[Diagnostic]) -> str:
    count = len(needing(warnings))
    return f"; {count_of(count, 'warning')}, see -n" if count else ""


def _read_standard_input() -> bytes:
    if sys.stdin is None:
        raise UsageError("standard input is closed", "<stdin>")
    return bytes(sys.stdin.buffer.read())
