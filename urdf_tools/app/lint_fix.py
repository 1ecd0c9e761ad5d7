"""`lint --fix`: repair findings that have exactly one repair, show the changes, ask, and write."""

import argparse
import sys
from typing import Any, List, Sequence, Tuple

from ..base.diagnostics import Kind
from ..base.errors import UsageError
from ..base.files import first_element, hard_link_warnings, read_file, robot_stem
from ..base.number_text import count_of
from ..base.transaction import Transaction
from ..cli.arguments import one_file
from ..cli.command import NOT_DONE, say, style_of, WRITTEN
from ..cli.question import announcement, ask
from ..compare.words import text_of
from ..lint.examine import examine
from ..lint.fix import repair, Repaired
from ..lint.records import Examined, Finding, kinds_named
from ..report.layout import fold, Style
from ..run.destinations import check_destinations, Destination
from ..urdf.xacro import is_xacro
from .difference import painted, unified_diff

MOST_DIFFERENCES = 12


def fix(arguments: argparse.Namespace, kinds: Sequence[Kind]) -> int:
    """Run the command; return the exit status: 0 written or nothing to repair, 1 declined.

    Raises:
        UrdfError: a file or an option cannot be used.
        ProofFailed: the repair changed something else; nothing is written.
    """
    one_file(arguments)
    path: str = arguments.files[0]
    if path == "-":
        raise UsageError("--fix takes the name of a file")
    if is_xacro(path):
        raise UsageError(
            "--fix repairs a URDF; lines of what xacro gives are not those of this file", path
        )
    output = arguments.output or (path if arguments.force else f"{robot_stem(path)}_fixed.urdf")
    if output == "-":
        raise UsageError("--fix writes a file: give --output the name of one")
    check_destinations([path], [Destination("--output", output, path)], force=arguments.force)
    known = [kind.name for kind in kinds]
    wanted = kinds_named("--select", arguments.select, known) if arguments.select else known
    wanted = [
        kind for kind in wanted if kind not in kinds_named("--ignore", arguments.ignore, known)
    ]
    source = read_file(path)
    if first_element(source) in ("mujoco", "sdf"):
        raise UsageError(
            f"--fix repairs a URDF: urdf-simplify export {path} {robot_stem(path)}.urdf makes one",
            path,
        )
    examined = examine(source, path, known, tuple(arguments.package))
    # Edits of a file that cannot be read even with repairs could not be verified.
    if examined.robot is None:
        refused = examined.findings[0].diagnostic
        raise UsageError(refused.text, path, refused.line)
    named = [finding for finding in examined.findings if finding.kind.name in wanted]
    chosen = [finding for finding in named if finding.repair]
    remaining = [finding for finding in named if not finding.repair]
    if not chosen or examined.document is None:
        say(_nothing(path, remaining), sys.stdout)
        return WRITTEN
    return _show_and_write(
        arguments, examined, repair(examined.document, chosen), remaining, output
    )


def _nothing(path: str, remaining: Sequence[Finding]) -> List[str]:
    count = f": {count_of(len(remaining), 'finding')} of these kinds" if remaining else ""
    return [
        f"{path}: nothing to repair{count}{' with more than one repair, or none' if count else ''}"
    ]


def _show_and_write(
    arguments: argparse.Namespace,
    examined: Examined,
    repaired: Repaired,
    remaining: Sequence[Finding],
    output: str,
) -> int:
    """Show the edits, the differences of the robots, and the remaining findings; ask, and write."""
    style = style_of(sys.stdout, arguments.color, full=arguments.full)
    data = repaired.document.to_bytes()
    files: List[Tuple[str, bytes]] = [(output, data)]
    lines = _text(examined, repaired, remaining, style)
    names: List[Any] = [] if arguments.dry_run else [*announcement(files, ())]
    if not arguments.quiet:
        say([*lines, "", *(f"{lead}{name}{tail}" for lead, name, tail in names)], sys.stdout)
    if arguments.dry_run:
        return WRITTEN
    # Before the question, as a replaced file leaves its other hard links unchanged.
    say(hard_link_warnings([output]), sys.stderr)
    if not arguments.yes and not ask(sys.stdout, style, {}):
        return NOT_DONE
    with Transaction() as transaction:
        transaction.add(output, data)
        transaction.commit()
    if not arguments.quiet:
        say([f"Wrote {output}"], sys.stdout)
    return WRITTEN


def _text(
    examined: Examined, repaired: Repaired, remaining: Sequence[Finding], style: Style
) -> List[str]:
    """Return the lines that show the repairs, the differences of the texts and robots, and the remaining findings."""
    document = examined.document
    assert document is not None
    lines = [style.title(f"{examined.path}: {count_of(len(repaired.findings), 'repair')}")]
    for finding in repaired.findings:
        lines += fold(
            f"[{finding.kind.name}] line {finding.diagnostic.line}: {finding.diagnostic.text}"
        )
    texts = document.text(), repaired.document.text()
    lines += [
        "",
        *(painted(line, style) for line in unified_diff(*texts, examined.path, "repaired")),
    ]
    lines += ["", *_proof(repaired)]
    if remaining:
        count = count_of(len(remaining), "finding")
        lines += fold(f"{count} of these kinds stay: more than one repair, or none", "  ", "")
    return lines


def _proof(repaired: Repaired) -> List[str]:
    """Return the lines that state what is verified, and how the repairs change the robot."""
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
    return [*lines, *([f"  and {count_of(more, 'other difference')}"] if more > 0 else [])]
