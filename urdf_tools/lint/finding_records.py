"""Records of lint: the input and the findings of a rule, and all findings of a file; and ignored findings.

A comment in the file ignores findings, `<!-- lint-ignore KIND: reason -->`: it applies to the element that follows,
with all its content; before `<robot>` to the whole file, and after the last child of an element to that element. A
baseline, a file of known findings, does the same: a finding is identified by file, kind, sentence and names, not by
line and numbers, so that an edit elsewhere does not bring it back; among equal findings as many are known as the file
counts.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from fnmatch import fnmatchcase
from itertools import chain
from typing import (
    Any,
    Callable,
    Collection,
    Counter as Counts,
    Dict,
    FrozenSet,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TYPE_CHECKING,
)

from ..base.type_aliases import Json, Reals, Texts
from ..base.diagnostics import Diagnostic, ERROR, DiagnosticKind, NOTE, WARNING
from ..base.errors import did_you_mean, UsageError
from ..base.file_reading import read_file
from ..base.paths import path_from
from ..base.record_type import Record
from ..urdf.lossless_xml import Document, Element, Node
from ..urdf.urdf_records import AttributeEdit, UrdfRobot
from .lint_diagnostics import LINT_COMMENT
from .opened_meshes import Box, OpenedMesh, SOUND

if TYPE_CHECKING:
    from .left_right_symmetry import LimbPair

# In the place of an attribute: the XML declaration moves to the front, where the reader has put it already.
DECLARATION_MOVE = "<?xml ...?>"
LEVELS: Dict[str, int] = {ERROR: 2, WARNING: 1, NOTE: 0}


class LintFinding(Record):
    """A diagnostic, and the edits of the file that repair it; () if there is not exactly one repair."""

    diagnostic: Diagnostic
    repair: Tuple[AttributeEdit, ...] = ()

    @property
    def kind(self) -> DiagnosticKind:
        """The kind of its diagnostic."""
        return self.diagnostic.kind

    @property
    def severity(self) -> str:
        """The severity of its kind: error, warning or note."""
        return self.kind.severity


Findings = Iterator[LintFinding]


def found(
    kind: DiagnosticKind,
    line: int,
    sentence: str,
    names: Texts = (),
    numbers: Reals = (),
    repair: Sequence[AttributeEdit] = (),
) -> LintFinding:
    """Return a finding with a diagnostic of these fields."""
    return LintFinding(
        Diagnostic(kind=kind, line=line, sentence=sentence, names=names, numbers=numbers),
        tuple(repair),
    )


class LintedRobot(Record):
    """The robot that the rules examine.

    Attributes:
        robot: as it is read.
        limbs: its limbs on the right with those on the left; () where it is not known which way it faces.
        open_mesh: returns the content of a mesh by its name in the robot; without a box, and sound, if it is not opened.
        meshes: the files of the meshes that are found, by their names in the robot.
        misspelled: the names of meshes that are not found, and whose file has another spelling.
    """

    robot: UrdfRobot
    limbs: Tuple["LimbPair", ...] = ()
    open_mesh: Callable[[str], OpenedMesh] = lambda name: SOUND
    meshes: Mapping[str, str] = {}
    misspelled: FrozenSet[str] = frozenset()

    def box_of_mesh(self, name: str) -> Optional[Box]:
        """Return the box of a mesh by its name in the robot, None if it is not known."""
        return self.open_mesh(name).box


class ProgramVerdict(Record):
    """The treatment of a robot by a program: the worst verdict, its reason, and the cure that is due first.

    `line` is the line of the first finding (0: the whole file); `cure` is a command with `R` for the robot, a flag of
    the program, or "" by hand. `then` are words after a command that only prepares a further step.
    """

    name: str
    verdict: str
    what: Texts = ()
    cure: str = ""
    line: int = 0
    then: str = ""


class ExaminedFile(Record):
    """The findings of a file.

    Attributes:
        path: its name.
        findings: sorted by line.
        ignored: the findings that a comment in the file ignores, with its reason.
        document, robot: None if the file is not well-formed, or not a robot.
        programs: the treatment by programs; () if it cannot be read, or is not a URDF.
        lines: the lines of the file for excerpts; () for a xacro, where findings are about its expansion.
    """

    path: str
    findings: Tuple[LintFinding, ...]
    ignored: Tuple[Tuple[LintFinding, str], ...] = ()
    document: Optional[Document] = None
    robot: Optional[UrdfRobot] = None
    programs: Tuple[ProgramVerdict, ...] = ()
    lines: Texts = ()

    def count(self, severity: str) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)


def at_least(findings: Sequence[LintFinding], level: str) -> Findings:
    """Yield the findings of a severity or worse."""
    return (finding for finding in findings if LEVELS[finding.severity] >= LEVELS[level])


def kinds_named(spelled: str, given: Sequence[str], known: Sequence[str]) -> List[str]:
    """Return the kinds that globs name; a value may have several, separated by commas.

    Raises:
        UsageError: a glob matches no kind.
    """
    kinds: List[str] = []
    globs = chain.from_iterable(words.split(",") for words in given)
    for glob in map(str.strip, globs):
        matching = [kind for kind in known if fnmatchcase(kind, glob)]
        if not matching:
            raise UsageError(
                f"{spelled} {glob}: unknown kind{did_you_mean(glob, known)}; explain lists them"
            )
        kinds += matching
    return kinds


COMMENT = r"(?s)<!--\s*lint-ignore\b\s*([\w, -]*?)\s*(?::\s*(.*?))?\s*-->"
BASELINE_FORMAT = 1
Key = Tuple[str, str, str, Texts]


class IgnoreComment(Record):
    """A lint-ignore comment: the kinds that it ignores, its reason, and the first and last line that it covers."""

    kinds: Texts
    reason: str
    first: int
    last: int

    def covers(self, finding: LintFinding) -> bool:
        """Return True if the comment ignores a finding."""
        return (
            finding.kind.name in self.kinds and self.first <= finding.diagnostic.line <= self.last
        )


def find_ignores(document: Document) -> List[IgnoreComment]:
    """Return the lint-ignore comments of a document, in order."""
    if not document.may_hold(("lint-ignore",)):
        return []
    ignores = [
        _ignore(words, document.root, whole=True)
        for words, target in _comments(document.children)
        if target is document.root
    ]
    for element in document.root.walk():
        if element.children:
            ignores += [
                _ignore(words, target or element) for words, target in _comments(element.children)
            ]
    return ignores


def _comments(nodes: Sequence[Node]) -> "Iterator[Tuple[re.Match[str], Element | None]]":
    """Yield each lint-ignore comment among siblings, with the element that follows it."""
    for number, node in enumerate(nodes):
        if not isinstance(node, str) or "lint-ignore" not in node:
            continue
        words = re.fullmatch(COMMENT, node.strip())
        if words:
            following = (sibling for sibling in nodes[number:] if isinstance(sibling, Element))
            yield words, next(following, None)


def _ignore(words: "re.Match[str]", target: Element, *, whole: bool = False) -> IgnoreComment:
    """Return a comment that ignores findings in an element, with `whole` also those about the file."""
    # Findings about the whole file have line 0.
    first = 0 if whole else target.line
    kinds = tuple(word for word in re.split(r"[,\s]+", words.group(1)) if word)
    return IgnoreComment(
        kinds, words.group(2) or "", first, target.line + target.source().count("\n")
    )


def ignore(
    findings: Sequence[LintFinding], comments: Sequence[IgnoreComment], known: Collection[str]
) -> Tuple[List[LintFinding], List[Tuple[LintFinding, str]]]:
    """Return the findings that stay, with findings about the comments, and the ignored findings with the reasons.

    A comment without a reason ignores nothing; `known` are the names of all kinds.
    """
    stay: List[LintFinding] = []
    gone: List[Tuple[LintFinding, str]] = []
    sound = [comment for comment in comments if comment.reason]
    used = set()
    for finding in findings:
        comment = next((comment for comment in sound if comment.covers(finding)), None)
        if comment is None:
            stay.append(finding)
        else:
            used.add((comment, finding.kind.name))
            gone.append((finding, comment.reason))
    # Comments without effect are findings, so that they are removed after the cause is repaired.
    for comment in comments:
        line = comment.first
        if not comment.reason:
            stay.append(found(LINT_COMMENT, line, "reason"))
            continue
        for kind in comment.kinds:
            if kind not in known:
                names = (kind, did_you_mean(kind, sorted(known)))
                stay.append(found(LINT_COMMENT, line, "unknown", names))
            elif (comment, kind) not in used:
                stay.append(found(LINT_COMMENT, line, "unused", (kind,)))
    return stay, gone


def read_baseline(path: str) -> Counts[Key]:
    """Return the known findings of a file.

    Raises:
        UsageError: the file does not exist, or is not a baseline.
    """
    from json import loads

    try:
        data: Any = loads(read_file(path))
        rows: List[Any] = data["findings"] if data["format"] == BASELINE_FORMAT else [None]
        counts: Counts[Key] = Counter()
        for row in rows:
            key = (row["file"], row["kind"], row["sentence"], tuple(row["names"]))
            counts[key] += int(row["count"])
    except (ValueError, TypeError, KeyError):
        raise UsageError(
            "this is not a baseline of lint; write one with lint --update-baseline", path
        ) from None
    return counts


def baseline_text(examined: Sequence[ExaminedFile], path: str) -> str:
    """Return the text of a baseline to be written to `path`: all findings, in a fixed order."""
    counts: Counts[Key] = Counter()
    for each in examined:
        counts.update(_key(finding, each.path, path) for finding in each.findings)
    rows: List[Json] = [
        {
            "file": file,
            "kind": kind,
            "sentence": sentence,
            "names": list(names),
            "count": counts[file, kind, sentence, names],
        }
        for file, kind, sentence, names in sorted(counts)
    ]
    from json import dumps

    return dumps({"format": BASELINE_FORMAT, "findings": rows}, indent=1, ensure_ascii=False) + "\n"


def without_known(
    examined: Sequence[ExaminedFile], known: Counts[Key], path: str
) -> List[ExaminedFile]:
    """Return the files without the findings in a baseline."""
    remaining = Counter(known)
    result = []
    for each in examined:
        new = []
        for finding in each.findings:
            key = _key(finding, each.path, path)
            if remaining[key] > 0:
                remaining[key] -= 1
            else:
                new.append(finding)
        result.append(each._replace(findings=tuple(new)))
    return result


def _key(finding: LintFinding, file: str, baseline: str) -> Key:
    """Return the key of a finding; its file is relative to the folder of the baseline."""
    folder = os.path.dirname(os.path.realpath(baseline))
    seen = file if file == "<stdin>" else path_from(folder, os.path.realpath(file))
    return seen, finding.diagnostic.kind.name, finding.diagnostic.sentence, finding.diagnostic.names
