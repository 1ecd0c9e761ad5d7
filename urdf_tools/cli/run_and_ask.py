"""One run of the command line on a robot: read, simplify in memory, show, ask, write."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Callable, Iterator, List, Optional, Sequence, TextIO, Tuple, Union

from ..base.type_aliases import Announced, Lines, Shows
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import UsageError
from ..base.file_reading import hard_link_warnings
from ..base.paths import is_same_file
from ..base.number_text import count_of
from ..base.record_type import Record
from ..base.transaction import Transaction
from ..report.grouped_warnings import needing
from ..report.line_layout import fold, TextStyle
from ..report.plan_text import (
    change_line,
    companion_change_line,
    outcome,
    plan_text,
    question_lines,
)
from ..run.check_destinations import Destination, folder_of
from ..run.single_file_options import options_from
from ..run.run_pipeline import prepare, write_result
from ..run.run_records import ExtensionRequest, CompanionFile, RunExtension, Result
from ..urdf.expand_xacro import is_xacro, read_expanded
from .parse_arguments import is_model, program_name
from .run_command_line import (
    is_closed,
    NOT_DONE,
    progress_line,
    say,
    style_of,
    warning_lines,
    write_bytes,
    WRITTEN,
)
from .consent_question import announcement, ask, at_terminal, REPLACES, Replans


class PreparedRun(Record):
    """A run up to the question: the arguments, the name of its output, and the result in memory."""

    arguments: argparse.Namespace
    path: str
    output: str
    companions: Tuple[CompanionFile, ...]
    result: Result

    @property
    def looks(self) -> bool:
        """Return True if the run shows something other than its plan, and writes nothing except a --report."""
        return bool(self.arguments.check or getattr(self.arguments, "diff", False))

    @property
    def shows_only(self) -> bool:
        """Return True if the run does not write its result."""
        return bool(self.looks or self.arguments.dry_run)

    @property
    def report(self) -> TextIO:
        """The stream for the text that a person reads."""
        return sys.stderr if self.output == "-" else sys.stdout

    @property
    def style(self) -> TextStyle:
        """The style of that text."""
        return style_of(self.report, self.arguments.color, full=self.arguments.full)

    @property
    def changed(self) -> bool:
        """Return True if the URDF or a companion would change."""
        return self.result.changed or any(followed.changed for followed in self.result.companions)

    @property
    def warnings(self) -> Diagnostics:
        """All warnings: about the URDF, of the exports, and about companions."""
        result = self.result
        of_companions = (followed.updates.warnings for followed in result.companions)
        return [
            *result.plan.warnings,
            *result.exported.warnings,
            *chain.from_iterable(of_companions),
        ]


def run(
    arguments: argparse.Namespace,
    extension: RunExtension,
    default: str,
    again: Replans = None,
    says_check: Optional[Callable[[PreparedRun], None]] = None,
) -> int:
    """Read, change in memory, verify, show, ask, write; return the exit status.

    Args:
        arguments: the options of the command, and one file.
        extension: the features of the package.
        default: the name of the output if none is given; "": no output is written then.
        again: see `replans` of `ask`.
        says_check: prints the outcome of --check; None: a line for each document.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
    """
    # Everything that can be refused by name is refused before the input is read.
    options = options_from(vars(arguments), "--base-frame")
    looks = arguments.check or getattr(arguments, "diff", False)
    path, output = _names_of_run(arguments, default, shows_only=looks or arguments.dry_run)
    to_stdout = output == "-"
    target = "" if to_stdout else output
    asked = ExtensionRequest(
        vars(arguments),
        path,
        target,
        writes=not (looks or arguments.dry_run),
        spelled=extension.spelled,
        exports=not looks,
    )
    companions = extension.companions(asked)
    read = partial(read_expanded, arguments.files[0], arguments.xacro_args, options.meshes.package)
    outputs = outputs_of(arguments, asked, output, companions)
    with says_if_stopped_late() as transaction, transaction:
        result = prepare(
            asked,
            options,
            read,
            extension,
            transaction,
            outputs=outputs,
            companions=companions,
            progress=partial(progress_line, sys.stderr),
            to_stream=to_stdout,
        )
        ran = PreparedRun(
            arguments=arguments, path=path, output=output, companions=companions, result=result
        )
        shows: Shows
        if arguments.check:
            shows = {"check": partial(says_check or _say_check, ran)}
        else:
            shows = extension.shows(asked, result, arguments.color)
        answer = show_and_write(ran, shows, transaction, again)
    # An answer of further options starts a new run; the transaction has ended, and its temporary files are removed.
    return answer if isinstance(answer, int) else answer()


def _names_of_run(
    arguments: argparse.Namespace, default: str, *, shows_only: bool
) -> Tuple[str, str]:
    """Return the names of input and output; "-" is standard output, "" no output.

    Raises:
        UsageError: the input is a mesh, standard input is needed for the answer, or standard output is closed.
    """
    path = arguments.files[0]
    if is_model(path):
        raise UsageError(
            f"this is a mesh, not a robot: {program_name()} export {path} converts it", path
        )
    output = arguments.output or ""
    if path == "-":
        path = "<stdin>"
        if not shows_only:
            _refuse_question(arguments, default)
    elif not output:
        output = default
    if output == "-" and is_closed(sys.stdout):
        raise UsageError("standard output is closed", "<stdout>")
    return path, output


def _refuse_question(arguments: argparse.Namespace, default: str) -> None:
    """Refuse a run that would ask while the robot comes from standard input, where the answer would come from.

    Raises:
        UsageError: the run would ask.
    """
    if arguments.yes and (arguments.output or not default):
        return
    needed = "--output and --yes" if default else "--yes"
    raise UsageError(
        f"standard input holds the robot, so it cannot answer the question: give {needed}, or --dry-run",
        "<stdin>",
    )


@contextmanager
def says_if_stopped_late() -> Iterator[Transaction]:
    """Yield a transaction; if a signal ends the run, print whether everything was already written."""
    transaction = Transaction()
    try:
        yield transaction
    except (KeyboardInterrupt, SystemExit):
        if transaction.done:
            sentence = "Stopped, but everything was written."
        else:
            sentence = "Stopped. No file was written."
        say(["", sentence], sys.stderr)
        raise


def show_and_write(
    ran: PreparedRun,
    shows: Shows,
    transaction: Transaction,
    replans: Replans,
) -> Union[int, Callable[[], int]]:
    """Show the result and, unless the run only shows, ask and write.

    Args:
        ran: the run up to the question.
        shows: further displays of it, by the answer that opens them.
        transaction: stages all files.
        replans: see `ask`.

    Returns:
        The exit status, or a function that plans again with other options.
    """
    result = ran.result
    arguments = ran.arguments
    # At a terminal, an unchanged input is not copied, so no question appears; a script always gets its file.
    files = files_to_write(ran)
    is_result = not (arguments.yes or ran.shows_only) and at_terminal() and _is_result(ran)
    writes = not (ran.shows_only or is_result) and (bool(files) or ran.output == "-")
    names: List[Announced] = []
    if writes:
        names = announcement(files, result.plan.meshes.files, transaction.makes)
    if ran.looks:
        word = "check" if arguments.check else "diff"
        shows[word]()
    elif arguments.quiet:
        _say_warnings(ran, names)
    else:
        _say_plan(ran, names, is_result=is_result)
    if ran.shows_only:
        return _write_while_showing(ran, files, transaction)
    if not writes:
        return WRITTEN
    paths = [name for name, _ in files]
    paths += [file.target for file in result.plan.meshes.files]
    say(hard_link_warnings(paths), sys.stderr)
    answer = _answer(ran, names, shows, replans)
    if answer is not True:
        return answer or NOT_DONE
    # The stream is written first: if it is closed, no file appears.
    to_stream = partial(write_bytes, result.data, sys.stdout) if ran.output == "-" else None
    write_result(result, files, transaction, force=arguments.force, meanwhile=to_stream)
    if not arguments.quiet:
        say(outcome(result, ran.output, _further(ran), ran.warnings, ran.style), ran.report)
    return WRITTEN


def _answer(
    ran: PreparedRun,
    names: List[Announced],
    shows: Shows,
    replans: Replans,
) -> Union[bool, Callable[[], int]]:
    """Ask if the files may be written; return the answer, or a function that plans again."""
    # New files of an export harm nobody; only a file that replaces something needs a question.
    replaces = any(lead == REPLACES or tail for lead, _, tail in names)
    makes_only = ran.arguments.verb == "export" and not replaces
    if ran.arguments.yes or makes_only:
        return True
    whole = ran.style._replace(full=True)

    def show_all() -> None:
        """Print the plan with all its lines."""
        say(_plan(ran, names, whole), ran.report)

    return ask(ran.report, ran.style, {"all": show_all, **shows}, replans)


def outputs_of(
    arguments: argparse.Namespace,
    asked: ExtensionRequest,
    output: str,
    companions: Sequence[CompanionFile],
) -> List[Destination]:
    """Return the files that a run writes: the output, unless that is only shown and not named, and the report.

    Raises:
        UsageError: a companion file has no name for its result.
    """
    for companion in companions:
        if output == "-" and asked.writes and not companion.destination.path:
            raise UsageError(
                "the URDF goes to standard output, so this would have no name: give --output a file",
                companion.destination.own_input,
            )
    is_file = output not in ("", "-") and (arguments.output or asked.writes)
    target = output if is_file else ""
    spelled = "TARGET" if arguments.verb == "export" else "--output"
    outputs = (
        Destination(spelled, target, asked.path),
        Destination("--report", arguments.report, ""),
    )
    return [destination for destination in outputs if destination.path]


def files_to_write(ran: PreparedRun) -> List[Tuple[str, bytes]]:
    """Return name and bytes of every file; a run that only shows has the report and the exports at most.

    A file that would replace itself unchanged is left out.
    """
    files: List[Tuple[str, bytes]] = []
    result = ran.result
    output = ran.output
    report = ran.arguments.report
    if not ran.shows_only:
        if output not in ("", "-") and (result.changed or not is_same_file(ran.path, output)):
            files.append((output, result.data))
        for followed in result.companions:
            target = followed.output
            if target and (followed.changed or not is_same_file(followed.before.path, target)):
                files.append((target, followed.data))
    files += result.exported.files
    if report:
        from ..report.run_json import record_text

        files.append((report, record_text(result, output).encode("utf-8", "backslashreplace")))
    return files


def _say_warnings(ran: PreparedRun, names: Sequence[Announced]) -> None:
    """Print only warnings, and which files by others would be replaced."""
    result = ran.result
    lines = warning_lines(ran.path, [*result.plan.warnings, *result.exported.warnings])
    for followed in result.companions:
        lines += warning_lines(followed.before.path, followed.updates.warnings)
    for lead, name, tail in names:
        if lead == REPLACES and tail:
            lines.append(f"warning: {lead}{name}{tail}")
    say(map(style_of(sys.stderr, ran.arguments.color).alert, lines), sys.stderr)


def _say_plan(ran: PreparedRun, names: List[Announced], *, is_result: bool) -> None:
    """Print the plan, and a line if there is nothing to do."""
    say(_plan(ran, names, ran.style), ran.report)
    if is_result:
        sentence = f"{ran.path} is the result: nothing was written (-o FILE writes a copy)"
        say(fold(sentence, "  ", ""), ran.report)
        return
    is_equal = not (ran.changed or ran.result.exported.changes)
    if not is_equal or ran.shows_only or not ran.output:
        return
    if not is_same_file(ran.path, ran.output):
        say(["   The output is a copy of the input."], ran.report)


def _write_while_showing(
    ran: PreparedRun, files: Sequence[Tuple[str, bytes]], transaction: Transaction
) -> int:
    """Write the files of a run that only shows, such as a report; return the exit status."""
    for name, data in files:
        transaction.add(name, data)
    transaction.commit()
    if files and not (ran.arguments.quiet or ran.looks):
        say([f"Wrote {', '.join(name for name, _ in files)}"], ran.report)
    return NOT_DONE if ran.arguments.check and ran.changed else WRITTEN


def _further(ran: PreparedRun) -> Lines:
    """Return a line for each further output of a run."""
    report = ran.arguments.report
    meshes = ran.result.plan.meshes.files
    count = sum(not mesh.along for mesh in meshes)
    lines = []
    if meshes:
        lines.append(f"  Meshes: {count} in {folder_of(meshes)}")
    for followed in ran.result.companions:
        if followed.output:
            lines.append(f"  {followed.name}: {followed.output}")
    lines += [f"  Export: {name}" for name, _ in ran.result.exported.files]
    if report:
        lines.append(f"  Report: {report}")
    return lines


def _is_result(ran: PreparedRun) -> bool:
    """Return True if the input needs no change and no option asks for a file."""
    arguments = ran.arguments
    asked = (
        arguments.output
        or arguments.report
        or ran.result.exported.choices
        or any(companion.is_named for companion in ran.companions)
    )
    return not (asked or ran.changed or ran.result.exported.changes or is_xacro(ran.path))


def _plan(ran: PreparedRun, names: List[Announced], style: TextStyle) -> Lines:
    """Return the plan, and the lines directly above the question."""
    result = ran.result
    lines = []
    if is_xacro(ran.path):
        lines += ["Expanded by xacro: line numbers refer to its output.", ""]
    return [
        *lines,
        *plan_text(result, style),
        "",
        *question_lines(result, len(needing(ran.warnings)), files=names, style=style),
    ]


def _say_check(ran: PreparedRun) -> None:
    """Print in one line for each file whether and how a run would change it."""
    lines = [f"{ran.path} {verdict(ran.result)}"]
    for followed in ran.result.companions:
        warnings = _counted(followed.updates.warnings)
        lines.append(f"{followed.before.path} {companion_change_line(followed)}{warnings}")
    say(lines, sys.stdout)


def verdict(result: Result) -> str:
    """Return in one line the changes of a run to the URDF; an unchanged URDF has no warnings here."""
    if not result.changed:
        return "is simplified already"
    return f"would change: {change_line(result)}{_counted(result.plan.warnings)}"


def _counted(warnings: Sequence[Diagnostic]) -> str:
    """Return the number of warnings that need a person, with the way to see them; "" without any."""
    count = len(needing(warnings))
    return f"; {count_of(count, 'warning')}, see -n" if count else ""
