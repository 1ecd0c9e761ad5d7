"""What a rule gets and returns, and what is said of a file."""
from typing import Callable, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic, ERROR, NOTE, WARNING
from ..urdf.lossless_xml import Document
from ..urdf.model import Edit, Robot
from ..urdf.spatial import Matrix
from .supports import Box
from .symmetry import Asymmetry

LEVELS: Dict[str, int] = {ERROR: 2, WARNING: 1, NOTE: 0}


class Finding(NamedTuple):
    """Something found, and the one edit of the file that repairs it; () where several could, or none."""

    found: Diagnostic
    repair: Tuple[Edit, ...] = ()

    @property
    def severity(self) -> str:
        """How bad it is: error, warning or note."""
        return self.found.kind.severity


class Subject(NamedTuple):
    """The robot that the rules look at.

    Attributes:
        robot: as it is read.
        asymmetries: how its left and right sides differ.
        R_body_link: by link, from its axes to those of the canonical frame of its body; {} where there are none.
        box_of_mesh: returns the box of a mesh by the name that the robot has for it, None if it is not known.
    """

    robot: Robot
    asymmetries: Tuple[Asymmetry, ...] = ()
    R_body_link: Dict[str, Matrix] = {}
    box_of_mesh: Callable[[str], Optional[Box]] = lambda name: None


class Examined(NamedTuple):
    """What was found in a file.

    Attributes:
        path: its name.
        findings: by their lines.
        ignored: what a comment in the file ignores, with its reason.
        document, robot: None where the file could not be read so far.
    """

    path: str
    findings: Tuple[Finding, ...]
    ignored: Tuple[Tuple[Finding, str], ...] = ()
    document: Optional[Document] = None
    robot: Optional[Robot] = None

    def count(self, severity: str) -> int:
        """Return how many findings there are of a severity."""
        return sum(one.severity == severity for one in self.findings)


def at_least(findings: Sequence[Finding], level: str) -> Iterator[Finding]:
    """Yield the findings of a severity, and those that are worse."""
    return (one for one in findings if LEVELS[one.severity] >= LEVELS[level])
