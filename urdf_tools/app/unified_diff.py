"""`--diff`: the changes of a run as a unified diff."""

from __future__ import annotations

import sys
from difflib import unified_diff as diff_of_lines
from typing import Iterator, List

from ..cli.run_command_line import say, style_of
from ..cli.run_and_ask import verdict
from ..report.line_layout import TextStyle
from ..run.run_records import ExtensionRequest, Result


def unified_diff(old: str, new: str, old_name: str, new_name: str) -> Iterator[str]:
    """Return the lines of a unified diff, without their newlines; only `\\n` ends a line."""
    return diff_of_lines(_lines(old), _lines(new), old_name, new_name, lineterm="")


def _lines(text: str) -> List[str]:
    """Return the lines of a text; a last line without a newline is marked, as `patch` requires."""
    *lines, last = text.split("\n")
    return [*lines, last + "\n\\ No newline at end of file"] if last else lines


def painted(line: str, style: TextStyle) -> str:
    """Return a line of a unified diff in its color: old red, new green, headings cyan."""
    code = {"-": "31", "+": "32", "@": "36"}.get(line[:1])
    if not code:
        return line
    if line.startswith(("--- ", "+++ ")):
        code = "1"
    return style.paint(code, line)


def say_difference(asked: ExtensionRequest, result: Result, color: str) -> None:
    """Print a unified diff of the URDF and of each companion, and a line on standard error that sums it up."""
    style = style_of(sys.stdout, color)
    pairs = [(result.before.document, result.after.document, asked.path, asked.output)]
    pairs += [
        (srdf.before, srdf.after, srdf.before.path, srdf.output) for srdf in result.companions
    ]
    for old, new, name, target in pairs:
        lines = unified_diff(old.text(), new.text(), name, target or "result")
        # In a pipe the diff is for `patch`, so it has each character of both files.
        painted_lines = (painted(line, style) for line in lines)
        say(painted_lines, sys.stdout, exact=not sys.stdout.isatty())
    if asked.choices["pairs"]:
        summary = [f"{srdf.output}: {srdf.proof_line}" for srdf in result.companions]
    else:
        summary = [f"{asked.path} {verdict(result)}"]
    say(summary, sys.stderr)
