"""Lines about the tasks that an export leaves to the user, apart from the code that finds them, which loads lint."""

from __future__ import annotations

from typing import List, Sequence

from ..base.diagnostics import Diagnostic
from ..report.grouped_warnings import AlikeDiagnostics, group_diagnostics, group_text
from ..report.line_layout import fold, TextStyle


def alike_lines(notices: Sequence[Diagnostic], style: TextStyle) -> List[str]:
    """Return the lines about elements that programs do not read; similar diagnostics share a line, unless --full is
    given.

    The line of a diagnostic is a line of the result, and its first name is the program. The cure follows the sentence.
    """
    groups = group_diagnostics(notices)
    if style.full:
        groups = [AlikeDiagnostics(notice.kind, (notice,), ()) for notice in notices]
    lines: List[str] = []
    for group in groups:
        first = group.notices[0]
        lead = f"for {first.names[0]}, in the result: " if first.line else ""
        lines += fold(f"{lead}{group_text(group, with_cure=True)}")
    return lines
