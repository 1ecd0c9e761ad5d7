"""`lint --fix`: repair findings that have exactly one repair, show the changes, ask, and write."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Dict, List, Optional, Sequence, Tuple

from ..base.type_aliases import Packages
from ..base.diagnostics import DiagnosticKind
from ..base.errors import raise_all, UrdfError, UsageError
from ..base.file_reading import (
    first_element,
    first_element_of,
    hard_link_warnings,
    read_file,
    robot_stem,
)
from ..base.number_text import count_of
from ..base.paths import common_folder, path_from, path_in
from ..base.record_type import Record
from ..base.transaction import Transaction
from ..cli.run_command_line import NOT_DONE, say, style_of, warning_lines, WRITTEN
from ..cli.consent_question import announcement, ask
from ..compare.difference_kinds import text_of
from ..lint.fix_findings import as_seen_from, repair_all, FileRepair
from ..lint.finding_records import at_least, ExaminedFile, LintFinding, kinds_named
from ..lint.findings_output import counts_of
from ..report.line_layout import cut, fold, TextStyle
from ..run.check_destinations import check_destinations, Destination
from ..urdf.urdf_notes import DECISIONS, own_notes
from ..urdf.expand_xacro import is_xacro
from .unified_diff import painted, unified_diff
from .run_extension import write_all
from .repair_note import repair_note, with_repair_note
from .robot_files import files_of

MOST_DIFFERENCES = 12
MOST_CHANGED_LINES = (
    24  # of a unified diff: the count above it and the proof below stay on a screen
)


def is_in(path: str, folder: str) -> bool:
    """Return True if a file is in a folder, also through links."""
    above = os.path.join(os.path.realpath(folder), "")
    return os.path.realpath(path).startswith(above)


class FileToFix(Record):
    """A file to repair: where it is written, its findings, and its repairs (None: there is nothing to repair)."""

    output: str
    examined: ExaminedFile
    repaired: Optional[FileRepair]
    remaining: Sequence[LintFinding]


def fix(arguments: argparse.Namespace, kinds: Sequence[DiagnosticKind]) -> int:
    """Run the command; return the exit status: 1 if a finding at the level of --fail-on stays, or after a no; else 0.

    Raises:
        UrdfError: a file or an option cannot be used; no file is written.
        ProofFailed: the repair changed anything else; no file is written.
    """
    if arguments.output == "-":
        raise UsageError("--fix writes a file: give --output the name of one")
    outputs, others = _outputs(arguments)
    destinations = [Destination("--output", output, path) for path, output in outputs.items()]
    check_destinations([*outputs], destinations, force=arguments.force)
    known = [kind.name for kind in kinds]
    selected = kinds_named("--select", arguments.select, known) or known
    ignored = kinds_named("--ignore", arguments.ignore, known)
    wanted = [kind for kind in selected if kind not in ignored]
    fixed: List[FileToFix] = []
    errors: List[UrdfError] = []
    for path, output in outputs.items():
        try:
            fixed.append(_fixed(path, output, known, wanted, tuple(arguments.package)))
        except UrdfError as error:
            errors.append(error)
    raise_all(errors)
    return _show_and_write(arguments, fixed, others)


def _require_files_to_fix(named: Sequence[str]) -> None:
    """Refuse standard input, and a file that is not a URDF.

    Raises:
        UsageError: standard input or a different format is named.
    """
    for path in named:
        if path == "-":
            raise UsageError("--fix takes the name of a file")
        if not os.path.isdir(path):
            _require_urdf(path)


def _outputs(arguments: argparse.Namespace) -> Tuple[Dict[str, str], List[str]]:
    """Return the file to write by each file to repair, and the other robots of folders, which are not URDF.

    In an output folder each file gets its path relative to the common folder of all named files.

    Raises:
        UsageError: a file that was named is not a URDF, or a folder has no robot.
    """
    named: List[str] = arguments.files
    folder: str = arguments.output or ""
    _require_files_to_fix(named)
    to_folder = (
        named[1:] or any(map(os.path.isdir, (*named, folder))) or folder.endswith(("/", os.sep))
    )
    if to_folder and os.path.isfile(folder):
        raise UsageError("--output must be a folder for several files, and this is a file", folder)
    above = common_folder(os.path.abspath(_folder_of(path)) for path in named)
    if above is None and folder and to_folder:
        raise UsageError(
            "the files are on several drives: repair those of each drive alone", folder
        )
    outputs: Dict[str, str] = {}
    others: List[str] = []
    for path in files_of(named):
        inside = path_from(above or "", os.path.abspath(path))
        if path not in named and folder and is_in(path, folder):  # a result of an earlier run
            continue
        if path not in named and not _is_urdf(path):
            others.append(path)
        elif folder:
            outputs[path] = path_in(folder, inside) if to_folder else folder
        else:
            outputs[path] = path if arguments.force else f"{robot_stem(path)}_fixed.urdf"
    return outputs, others


def _folder_of(path: str) -> str:
    """Return a folder itself, or the folder of a file."""
    return path if os.path.isdir(path) else os.path.dirname(path)


def _is_urdf(path: str) -> bool:
    """Return True for a file that is not xacro, MJCF, SDF or USD."""
    return not is_xacro(path) and first_element_of(path) not in ("mujoco", "sdf", "usd")


def _require_urdf(path: str) -> None:
    """Refuse a file that is not a URDF.

    Raises:
        UsageError: it is xacro, MJCF, SDF or USD, or it cannot be read.
    """
    if is_xacro(path):
        what = "lines of what xacro gives are not those of this file"
        raise UsageError(f"--fix repairs a URDF; {what}", path)
    if first_element(read_file(path)) in ("mujoco", "sdf", "usd"):
        made = f"urdf-simplify export {path} {robot_stem(path)}.urdf"
        raise UsageError(f"--fix repairs a URDF: {made} makes one", path)


def _fixed(
    path: str,
    output: str,
    known: Sequence[str],
    wanted: Sequence[str],
    packages: Packages,
) -> FileToFix:
    """Return a file with its repairs of the wanted kinds, as it is written.

    Raises:
        UrdfError: it cannot be read, even with its repairs.
        ProofFailed: the repair changed anything else.
    """
    file = repair_all(read_file(path), path, known, wanted, packages)
    if file.examined.robot is None:
        refused = file.examined.findings[0].diagnostic
        raise UsageError(refused.text, path, refused.line)
    repaired = file.repaired
    if repaired is not None:
        repaired = as_seen_from(os.path.dirname(output), repaired, packages)
        repaired = _with_note(file.examined, repaired)
    return FileToFix(output, file.examined, repaired, file.remaining)


def _with_note(examined: ExaminedFile, repaired: FileRepair) -> FileRepair:
    """Return a repaired file with a note of the repairs that change the robot, which `compare` reads."""
    assert examined.document is not None
    said = repair_note(examined.document, repaired.document)
    document = with_repair_note(repaired.document, said, examined.document.newline)
    return repaired._replace(document=document)


def _nothing(path: str, remaining: Sequence[LintFinding]) -> List[str]:
    """Return the line about a file without repairs."""
    return [f"{path}: nothing to repair{_that_stay(remaining)}"]


def _that_stay(remaining: Sequence[LintFinding]) -> str:
    """Return the words that count the remaining findings, "" for none."""
    if not remaining:
        return ""
    verb = "stays" if len(remaining) == 1 else "stay"
    return f"; {', '.join(counts_of(remaining))} {verb}: more than one repair, or none"


def _show_and_write(
    arguments: argparse.Namespace, fixed: Sequence[FileToFix], others: Sequence[str]
) -> int:
    """Show the edits, the differences of the robots, and the remaining findings; ask, and write all or none."""
    style = style_of(sys.stdout, arguments.color, full=arguments.full)
    files: List[Tuple[str, bytes]] = []
    for output, _, repaired, _ in fixed:
        if repaired is not None:
            files.append((output, repaired.document.to_bytes()))
    if not files or not arguments.quiet:
        lines = _report_lines(fixed, others, style)
        if files:
            lines.append("")
        if files and not arguments.dry_run:
            announced = announcement(files, (), Transaction().makes)
            lines += [f"{lead}{name}{tail}" for lead, name, tail in announced]
        say(lines, sys.stdout)
    alert = style_of(sys.stderr, arguments.color).alert
    for _, examined, repaired, _ in fixed:
        if repaired is not None:
            say(map(alert, warning_lines(examined.path, repaired.warnings)), sys.stderr)
    stays = any(any(at_least(one.remaining, arguments.fail_on)) for one in fixed)
    status = NOT_DONE if stays else WRITTEN
    if arguments.dry_run or not files:
        return status
    # Before the question, as a replaced file leaves its other hard links unchanged.
    say(hard_link_warnings([output for output, _ in files]), sys.stderr)
    if not arguments.yes and not ask(sys.stdout, style, {}):
        return NOT_DONE
    write_all(dict(files))
    if not arguments.quiet:
        say([f"Wrote {output}" for output, _ in files], sys.stdout)
    return status


def _report_lines(fixed: Sequence[FileToFix], others: Sequence[str], style: TextStyle) -> List[str]:
    """Return the lines on all files: those that are not URDF, and the repairs of each, with a blank line before them."""
    lines = [f"{path}: not repaired, as it is no URDF" for path in others]
    for _, examined, repaired, remaining in fixed:
        if repaired is None:
            lines += _nothing(examined.path, remaining)
            continue
        if lines:
            lines.append("")
        lines += _text(examined, repaired, remaining, style)
    return lines


def _text(
    examined: ExaminedFile, repaired: FileRepair, remaining: Sequence[LintFinding], style: TextStyle
) -> List[str]:
    """Return the lines that show the repairs, the differences of the texts and robots, and the remaining findings."""
    document = examined.document
    assert document is not None
    lines = [style.title(f"{examined.path}: {count_of(len(repaired.findings), 'repair')}")]
    for finding in repaired.findings:
        lines += fold(
            f"[{finding.kind.name}] line {finding.diagnostic.line}: {finding.diagnostic.text}"
        )
    texts = document.given or document.text(), repaired.document.text()
    difference = "\n".join(unified_diff(*texts, examined.path, "repaired")).split("\n")
    shown = cut(difference, style, MOST_CHANGED_LINES)
    lines += ["", *(painted(line, style) for line in shown)]
    lines += ["", *_proof(repaired)]
    if remaining:
        lines += fold(_that_stay(remaining)[2:], "  ", "")
    return lines


def _proof(repaired: FileRepair) -> List[str]:
    """Return the lines about the proof of the repairs, and about their changes to the robot."""
    proven = "Proven: in the text only these values and the note on them differ"
    if not own_notes(repaired.document, DECISIONS):
        proven = "Proven: in the text only these values differ"
    if repaired.comparison is None:
        return fold(
            f"{proven}; the robots are not compared, as the file cannot be read without the repair",
            "  ",
            "",
        )
    differences = repaired.comparison.differences
    if not differences:
        return fold(f"{proven}, and the robot is the same", "  ", "")
    lines = fold(f"{proven}, and the robot differs in what they are about only:", "  ", "")
    for difference in differences[:MOST_DIFFERENCES]:
        lines += fold(text_of(difference))
    more = len(differences) - MOST_DIFFERENCES
    if more > 0:
        lines.append(f"  and {count_of(more, 'other difference')}")
    return lines
