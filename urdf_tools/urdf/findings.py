"""Collect what a reading finds: warnings, repairs, and problems that refuse the file."""
from typing import List

from ..base.diagnostics import Diagnostic, Kind
from ..base.errors import BrokenRobot, did_you_mean, raise_all, UrdfError
from .lossless_xml import Element
from .model import Edit

HINTS = 20  # problems that come with a "did you mean": each is a search among all names


class Findings:
    """What a reading collects: warnings, repairs and problems.

    Attributes:
        path: the name of the file, for messages.
        largest: a number beyond it is refused.
        lenient: what the common parsers read is read, too.
    """

    def __init__(self, path: str, largest: float, *, lenient: bool) -> None:
        self.path, self.largest, self.lenient = path, largest, lenient
        self.problems: List[UrdfError] = []
        self.warnings: List[Diagnostic] = []
        self.repairs: List[Edit] = []

    def take_repaired(self, repair: Edit, kind: Kind, sentence: str, *names: str) -> None:
        """Read something as the common parsers do, with a warning that says how."""
        self.repairs.append(repair)
        self.warn(repair.element, kind, sentence, *names)

    def refuse(self, element: Element, message: str) -> None:
        self.problems.append(BrokenRobot(message, self.path, element.line))

    def warn(self, element: Element, kind: Kind, sentence: str, *names: str) -> None:
        self.warnings.append(Diagnostic(kind, element.line, sentence, names))

    def hint(self, name: str, known: List[str]) -> str:
        return did_you_mean(name, known) if len(self.problems) + len(self.warnings) < HINTS else ""

    def raise_problems(self) -> None:
        """Raise the problems, if there are any: BrokenRobot, or ErrorGroup in the order of their lines."""
        raise_all(sorted(self.problems, key=lambda problem: problem.line))
