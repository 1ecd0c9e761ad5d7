"""Errors, one class per cause; a message is one sentence that names the file and the line."""

import re
from fnmatch import fnmatchcase
from typing import Collection, Mapping, Optional, Iterable, Sequence, Tuple


class UrdfSimplifyError(Exception):
    """The base of all errors of this tool: why there is no result.

    Attributes:
        path: the file the message is about, or "".
        line: the line in it, counted from 1, or 0 for the whole file.
        message: one sentence without a full stop.
    """

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        super().__init__(message, path, line)
        self.message, self.path, self.line = message, path, line

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line) if part)
        return f"{where}: {self.message}" if where else self.message


class UrdfError(UrdfSimplifyError, ValueError):
    """Input that cannot be used."""


class MalformedXml(UrdfError):
    """The file is not XML, or is XML of a kind that is refused (a DOCTYPE, a wrong encoding)."""


class BrokenRobot(UrdfError):
    """The XML is sound, but it is not one tree of links with usable numbers."""


class BrokenMesh(UrdfError):
    """A mesh file that cannot be read or converted."""


class UsageError(UrdfError):
    """A file, folder or option that cannot be used as asked."""


class ProofFailed(UrdfSimplifyError):
    """The result has not the motion, masses or appearance of the input: a fault of this tool, which ends the run."""


class ErrorGroup(UrdfError):
    """Several problems of one file, found in one reading; `str()` has one line for each."""

    def __init__(self, problems: Iterable[UrdfError]) -> None:
        self.problems: Tuple[UrdfError, ...] = tuple(problems)
        first = self.problems[0]
        super().__init__(first.message, first.path, first.line)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def raise_all(problems: Sequence[UrdfError]) -> None:
    """Raise a single problem as it is, several as one error, in their order; without any, return."""
    if problems:
        raise problems[0] if len(problems) == 1 else ErrorGroup(problems)


def did_you_mean(
    name: str, known: Sequence[str], begun: Optional[Mapping[str, str]] = None, least: float = 0.0
) -> str:
    """Return ` (did you mean 'x'?)` for the known name most like this one, or "".

    `begun` holds known names by their beginnings, so that `--sperate` is like the beginning of one. The dashes of
    options are alike and say nothing: without them `--snap` is not like `--strip`.
    """
    from difflib import get_close_matches  # imported here: only errors need it

    names = {**(begun or {}), **{whole: whole for whole in known}}
    meant = {word.lstrip("-"): whole for word, whole in names.items()}
    close = get_close_matches(
        name.lstrip("-"), meant, 1, least or (0.7 if name[:1] == "-" else 0.6)
    )
    return f" (did you mean '{meant[close[0]]}'?)" if close else ""


def glob_meant(glob: str, names: Collection[str]) -> str:
    """Return ` (did you mean 'waist_*'?)` for a glob that names nothing: one that does, with other letters; or ""."""
    from difflib import get_close_matches

    literal = max(re.split(r"[*?\[\]]+", glob), key=len).strip("_")
    words_of_names = [name.split("_") for name in names]
    parts = {
        "_".join(words[first:last])
        for words in words_of_names
        for first in range(len(words))
        for last in range(first + 1, len(words) + 1)
    }
    likely = [glob.replace(literal, part) for part in get_close_matches(literal, parts, 9)]
    fitting = [each for each in likely if any(fnmatchcase(name, each) for name in names)]
    return f" (did you mean '{fitting[0]}'?)" if fitting else ""
