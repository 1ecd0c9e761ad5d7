"""`--diff`: what a run would change, as a unified diff that is fast where most lines repeat, as in URDF files."""

import re
import sys
from collections import Counter
from difflib import SequenceMatcher
from typing import Dict, Iterator, List, Tuple

from ..cli.command import say, style_of
from ..cli.run import verdict
from ..report.layout import Style
from ..run.records import Asked, Result

CONTEXT = 3
HEADING = re.compile(
    r"""\s*<(link|joint|gazebo|transmission|group|group_state)\b[^>]*?\b(?:name|reference)\s*=\s*"""
    r"""["']([^"']*)["']"""
)

Change = Tuple[
    int, int, int, int
]  # lines [a, b) of the old text become lines [c, d) of the new one


def unified_diff(old: str, new: str, old_name: str, new_name: str) -> Iterator[str]:
    """Yield the lines of a unified diff, without their newlines; only `\\n` ends a line.

    Lines that occur once in each text (a link's or joint's start tag) are anchors; only what lies between two anchors
    is left to `difflib`, whose time grows with the square of repeated lines.
    """
    a, b = old.split("\n"), new.split("\n")
    hunks = _hunks(list(_changes(a, b)))
    if hunks:
        yield f"--- {old_name}"
        yield f"+++ {new_name}"
    for hunk in hunks:
        start_a, start_b = max(0, hunk[0][0] - CONTEXT), max(0, hunk[0][2] - CONTEXT)
        end_a, end_b = min(len(a), hunk[-1][1] + CONTEXT), min(len(b), hunk[-1][3] + CONTEXT)
        body: List[str] = []
        index = start_a
        for first_a, last_a, first_b, last_b in hunk:
            body += [*_marked(" ", a, index, first_a), *_marked("-", a, first_a, last_a)]
            body += _marked("+", b, first_b, last_b)
            index = last_a
        body += _marked(" ", a, index, end_a)
        yield f"@@ -{_range(a, start_a, end_a)} +{_range(b, start_b, end_b)} @@{_heading(a, hunk[0][0])}"
        yield from body


def painted(line: str, style: Style) -> str:
    """Return a line of a unified diff in its color: old red, new green, headings cyan."""
    code = {"-": "31", "+": "32", "@": "36"}.get(line[:1])
    return style.paint("1" if line.startswith(("--- ", "+++ ")) else code, line) if code else line


def _heading(lines: List[str], index: int) -> str:
    """Return ` link 'base'`: the last link, joint or the like that begins at or before a line of the old text."""
    for line in reversed(lines[: index + 1]):
        match = HEADING.match(line)
        if match:
            return f" {match.group(1)} '{match.group(2)}'"
    return ""


def _marked(mark: str, lines: List[str], first: int, last: int) -> Iterator[str]:
    """Yield lines with a mark; text after the last newline is a line without an end."""
    for k in range(first, last):
        if k < len(lines) - 1:
            yield mark + lines[k]
        elif lines[k]:
            yield from (mark + lines[k], "\\ No newline at end of file")


def _range(lines: List[str], first: int, last: int) -> str:
    count = min(last, len(lines) - (not lines[-1])) - first
    return f"{first + 1 if count else first},{count}"


def _hunks(changes: List[Change]) -> List[List[Change]]:
    """Gather changes whose context would touch."""
    hunks: List[List[Change]] = []
    for change in changes:
        if hunks and change[0] - hunks[-1][-1][1] <= 2 * CONTEXT:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    return hunks


def _changes(a: List[str], b: List[str]) -> Iterator[Change]:
    place_a = place_b = 0
    for anchor_a, anchor_b in [*_anchors(a, b), (len(a), len(b))]:
        for tag, i, j, k, m in SequenceMatcher(
            None, a[place_a:anchor_a], b[place_b:anchor_b], False
        ).get_opcodes():
            if tag != "equal":
                yield place_a + i, place_a + j, place_b + k, place_b + m
        place_a, place_b = anchor_a, anchor_b


def _anchors(a: List[str], b: List[str]) -> Iterator[Tuple[int, int]]:
    """Yield the indices of lines that occur once in both texts, in the order of both."""
    places_b = _once(b)
    last = -1
    for line, index in _once(a).items():
        if places_b.get(line, -1) > last:
            last = places_b[line]
            yield index, last


def _once(lines: List[str]) -> Dict[str, int]:
    counts = Counter(lines)
    return {line: index for index, line in enumerate(lines) if counts[line] == 1}


def say_difference(asked: Asked, result: Result, color: str) -> None:
    """Print a unified diff of the URDF and of each companion, and in one line on standard error what it comes to."""
    style = style_of(sys.stdout, color)
    pairs = [(result.before.document, result.after.document, asked.path, asked.output)]
    pairs += [
        (srdf.before, srdf.after, srdf.before.path, srdf.output) for srdf in result.companions
    ]
    for old, new, name, target in pairs:
        lines = unified_diff(old.text(), new.text(), name, target or "result")
        # In a pipe it is for `patch`, and has each character of both files.
        painted_lines = (painted(line, style) for line in lines)
        say(painted_lines, sys.stdout, exact=not sys.stdout.isatty())
    say(
        [f"{srdf.output}: {srdf.proof_line}" for srdf in result.companions]
        if asked.choices["pairs"]
        else [f"{asked.path} {verdict(result)}"],
        sys.stderr,
    )
