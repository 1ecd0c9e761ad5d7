"""What an export leaves to do, in lines: apart from what finds it, which loads lint."""

from __future__ import annotations

from typing import List, Sequence

from ..base.diagnostics import Diagnostic
from ..report.grouped_warnings import AlikeDiagnostics, group_diagnostics, group_text
from ..report.layout import fold, Style


def alike_lines(notices: Sequence[Diagnostic], style: Style) -> List[str]:
    """Return what consumers do not read; similar diagnostics share a line, unless --full is given.

    Where a diagnostic has a line, it is one of the result, and the first name is the consumer.
    """
    groups = (
        group_diagnostics(notices)
        if not style.full
        else [AlikeDiagnostics(notice.kind, (notice,), ()) for notice in notices]
    )
    firsts = [group.notices[0] for group in groups]
    leads = [f"for {first.names[0]}, in the result: " if first.line else "" for first in firsts]
    return [
        line for lead, group in zip(leads, groups) for line in fold(f"{lead}{group_text(group)}")
    ]
