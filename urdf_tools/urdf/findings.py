"""Collect what a reading finds: warnings, repairs, and problems that refuse the file."""
from typing import List, NamedTuple

from ..base.diagnostics import Diagnostic, Kind
from ..base.kinds import REPAIRED
from ..base.errors import BrokenRobot, did_you_mean, ManyProblems, UrdfError
from .lossless_xml import Element
from .model import Edit

HINTS = 20  # problems that come with a "did you mean": each is a search among all names


class Findings(NamedTuple):
    """What a reading collects: warnings, repairs and problems."""

    path: str
    largest: float
    problems: List[UrdfError]
    warnings: List[Diagnostic]
    repairs: List[Edit]
    repair: bool

    def mend(self, repair: Edit, sentence: str, *names: str) -> None:
        """Take something as the common parsers do, with a warning that says how."""
        self.repairs.append(repair)
        self.warn(repair.element, REPAIRED, sentence, *names)

    def refuse(self, element: Element, message: str) -> None:
        self.problems.append(BrokenRobot(message, self.path, element.line))

    def warn(self, element: Element, kind: Kind, sentence: str, *names: str) -> None:
        self.warnings.append(Diagnostic(kind, element.line, sentence, names))

    def hint(self, name: str, known: List[str]) -> str:
        return did_you_mean(name, known) if len(self.problems) + len(self.warnings) < HINTS else ""


def raise_problems(found: Findings) -> None:
    """Raise what was found, if it was anything: BrokenRobot, or ManyProblems in the order of their lines."""
    if len(found.problems) == 1:
        raise found.problems[0]
    if found.problems:
        raise ManyProblems(sorted(found.problems, key=lambda problem: problem.line))
