"""Errors, one class per cause; a message is one sentence that names the file and the line."""

import re
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Collection, Iterable, Mapping, Optional, Sequence, Set, Tuple


class UrdfSimplifyError(Exception):
    """The base of all errors of this tool: the reason why a run has no result.

    Attributes:
        path: the file the message is about, or "".
        line: the line in it, counted from 1, or 0 for the whole file.
        message: one sentence without a full stop.
    """

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        super().__init__(message, path, line)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line) if part)
        return f"{where}: {self.message}" if where else self.message


class UrdfError(UrdfSimplifyError, ValueError):
    """Input that cannot be used."""


class MalformedXml(UrdfError):
    """The file is not XML, or is XML of a kind that is refused (a DOCTYPE, a wrong encoding)."""


class BrokenRobot(UrdfError):
    """The XML is well-formed, but it is not a single tree of links with usable numbers."""


class BrokenMesh(UrdfError):
    """A mesh file that cannot be read or converted.

    `cure` says what to do, "" if the sentence does.
    """

    cure = "correct the mesh in the program that made it, and export it again"


class UnopenedMesh(BrokenMesh):
    """A mesh file that another export would not cure: the sentence has the reason of the system, or the cure."""

    cure = ""


class NotFinite(BrokenMesh):
    """A mesh file with a coordinate that is nan or inf; some programs read it."""


class UsageError(UrdfError):
    """A file, folder or option that cannot be used as given."""


class ProofFailed(UrdfSimplifyError):
    """The result does not have the motion, masses or appearance of the input: a fault of this tool, which ends the run."""


class ErrorGroup(UrdfError):
    """Several problems of one file, found in one reading; `str()` has one line for each."""

    def __init__(self, problems: Iterable[UrdfError]) -> None:
        self.problems: Tuple[UrdfError, ...] = tuple(problems)
        first = self.problems[0]
        super().__init__(first.message, first.path, first.line)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def raise_all(problems: Sequence[UrdfError]) -> None:
    """Raise a single problem unchanged, several as one error, in their order; without any, return."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise ErrorGroup(problems)


def did_you_mean(
    name: str, known: Sequence[str], begun: Optional[Mapping[str, str]] = None, least: float = 0.0
) -> str:
    """Return ` (did you mean 'x'?)` for the most similar known name, or "".

    `begun` holds known names by their beginnings, so that `--sperate` resembles the beginning of a name. The dashes of
    options are not compared: `--snap` does not resemble `--strip`.
    """
    from difflib import get_close_matches  # imported here: only errors need it

    names = {**(begun or {}), **{whole: whole for whole in known}}
    meant = {word.lstrip("-"): whole for word, whole in names.items()}
    # Options have many letters in common: 0.6 finds one for any mistake.
    usual = 0.7 if name[:1] == "-" else 0.6
    close = get_close_matches(name.lstrip("-"), meant, 1, least or usual)
    return f" (did you mean '{meant[close[0]]}'?)" if close else ""


def glob_meant(glob: str, names: Collection[str]) -> str:
    """Return ` (did you mean 'waist_*'?)` for a glob without a match: a similar glob that matches a name; or ""."""
    from difflib import get_close_matches

    literal = max(re.split(r"[*?\[\]]+", glob), key=len).strip("_")
    parts: Set[str] = set()
    for name in names:
        words = name.split("_")
        ends = combinations(range(len(words) + 1), 2)
        parts.update("_".join(words[first:last]) for first, last in ends)
    likely = [glob.replace(literal, part) for part in get_close_matches(literal, parts, 9)]
    fitting = [each for each in likely if any(fnmatchcase(name, each) for name in names)]
    return f" (did you mean '{fitting[0]}'?)" if fitting else ""
