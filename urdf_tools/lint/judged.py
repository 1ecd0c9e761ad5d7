"""How bad it is for the input what reading and planning find, which say it for a run."""
from typing import Iterator, Sequence

from ..base.diagnostics import Diagnostic
from .kinds import OF_READING
from .records import Finding


def of_reading(found: Sequence[Diagnostic]) -> Iterator[Finding]:
    """Yield what reading and planning find about the input itself, as --lint judges it."""
    for one in found:
        if one.kind in OF_READING:
            severity, hint = OF_READING[one.kind]
            yield Finding(one._replace(kind=one.kind._replace(severity=severity, hint=hint)))
