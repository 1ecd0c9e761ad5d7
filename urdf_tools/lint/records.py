"""Records of lint: the input and the findings of a rule, and all findings of a file."""
from fnmatch import fnmatchcase
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic, ERROR, Kind, NOTE, WARNING
from ..base.errors import did_you_mean, UsageError
from ..urdf.lossless_xml import Document
from ..urdf.model import Edit, Robot
from .supports import Box
from .symmetry import Limbs

LEVELS: Dict[str, int] = {ERROR: 2, WARNING: 1, NOTE: 0}


class Finding(NamedTuple):
    """A diagnostic, and the edits of the file that repair it; () if there is not exactly one repair."""

    diagnostic: Diagnostic
    repair: Tuple[Edit, ...] = ()

    @property
    def kind(self) -> Kind:
        """The kind of its diagnostic."""
        return self.diagnostic.kind

    @property
    def severity(self) -> str:
        """The severity of its kind: error, warning or note."""
        return self.kind.severity


class Subject(NamedTuple):
    """The robot that the rules examine.

    Attributes:
        robot: as it is read.
        limbs: its limbs on the right with those on the left; () where it is not known which way it faces.
        box_of_mesh: returns the box of a mesh by its name in the robot, None if it is not known.
        meshes: the files of the meshes that are there, by their names in the robot.
    """

    robot: Robot
    limbs: Tuple[Limbs, ...] = ()
    box_of_mesh: Callable[[str], Optional[Box]] = lambda name: None
    meshes: Mapping[str, str] = {}


class Program(NamedTuple):
    """What a program makes of a robot: the worst verdict, for what, and the cure that is due first.

    `line` is that of the first finding (0: the whole file); `cure` is a command where `R` is the robot, a flag of the
    program, or "" by hand.
    """

    name: str
    verdict: str
    what: Tuple[str, ...] = ()
    cure: str = ""
    line: int = 0


class Examined(NamedTuple):
    """The findings of a file.

    Attributes:
        path: its name.
        findings: sorted by line.
        ignored: the findings that a comment in the file ignores, with its reason.
        document, robot: None if the file is not well-formed, or not a robot.
        programs: what programs make of it; () if it cannot be read, or is no URDF.
    """

    path: str
    findings: Tuple[Finding, ...]
    ignored: Tuple[Tuple[Finding, str], ...] = ()
    document: Optional[Document] = None
    robot: Optional[Robot] = None
    programs: Tuple[Program, ...] = ()

    def count(self, severity: str) -> int:
        """Return how many findings there are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)


def at_least(findings: Sequence[Finding], level: str) -> Iterator[Finding]:
    """Yield the findings of a severity or a worse one."""
    return (finding for finding in findings if LEVELS[finding.severity] >= LEVELS[level])


def kinds_named(spelled: str, given: Sequence[str], known: Sequence[str]) -> List[str]:
    """Return the kinds that globs name; a value may have several, separated by commas.

    Raises:
        UsageError: a glob matches no kind.
    """
    kinds: List[str] = []
    for glob in (word.strip() for words in given for word in words.split(",")):
        matching = [kind for kind in known if fnmatchcase(kind, glob)]
        if not matching:
            raise UsageError(f"{spelled} {glob}: unknown kind{did_you_mean(glob, known)}; explain lists them")
        kinds += matching
    return kinds
