"""Markdown: a comparison of two files as a table, names and sentences that a page shows as they are."""

from __future__ import annotations

import re
from typing import List, Sequence

from .robot_comparison import ComparisonResult
from .comparison_text import verdict_line
from .review_summary import summary_causes

# What Markdown reads as a mark, in names and numbers: emphasis, code, a cell, HTML, a link. An underscore in a word is none
# (GitHub Flavored Markdown, 6.2).
MARKS = re.compile(r"[\\`*|<\[#~]|(?<![^\W_])_|_(?![^\W_])")


def markdown_of_two(comparison: ComparisonResult, name: str, other_name: str) -> str:
    """Return the comparison of two files as Markdown."""
    lines = [f"### {marked(verdict_line(comparison))}", ""]
    lines += [f"A is {code(name)}, B is {code(other_name)}."]
    rows = [(cause.label, cause.text) for cause in summary_causes(comparison)]
    if rows:
        lines += ["", *table(("what", "difference"), rows)]
    return "\n".join(lines) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> List[str]:
    """Return a table of two columns; the first is Markdown already, or a word."""
    lines = [f"| {' | '.join(head)} |", "|---|---|"]
    return [*lines, *(f"| {first} | {marked(second)} |" for first, second in rows)]


def code(name: str) -> str:
    """Return the name of a file as code in Markdown, in one line."""
    plain = name.replace("`", "'").replace("|", "\\|")
    return f"`{' '.join(plain.split())}`"


def marked(text: str) -> str:
    """Return a text that Markdown shows as it is, in one line."""
    return MARKS.sub(r"\\\g<0>", " ".join(text.split()))
