"""Find the places in the sources of a xacro that made the faults of its expanded text; and macros that two files define.

A link or joint of the expanded text is searched by its name in the file and all its includes: as a literal, or as a
name with expressions. Only if exactly one place can have made it, the finding is placed there.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import UrdfError
from ..base.file_reading import read_file
from ..base.paths import path_from
from ..base.record_type import Record
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.package_resolver import find_package, PackageResolver
from ..urdf.expand_xacro import is_xacro
from .lint_diagnostics import MACRO_TWICE, MACROS_ALONE
from .finding_records import ExaminedFile, LintFinding, found

NAMED = ("link", "joint", "material", "transmission", "ros2_control")
EXPRESSION = r"\$\{[^}]*\}|\$\([^)]*\)"
FIND = r"\$\(find\s+([^)\s]+)\s*\)"


class SourceElement(Record):
    """An element of a source: its file and line, its tag, and a pattern of its name."""

    path: str
    line: int
    tag: str
    name: str

    def can_make(self, tag: str, name: str) -> bool:
        """Return True if the element can expand to an element of a name."""
        literal = re.split(EXPRESSION, self.name)
        pattern = ".*".join(map(re.escape, literal))
        # A name of expressions alone can expand to any name.
        return self.tag == tag and any(literal) and re.fullmatch(pattern, name) is not None


def by_source(examined: ExaminedFile, packages: Tuple[Tuple[str, str], ...]) -> List[ExaminedFile]:
    """Return the findings of a xacro by its source files, each with its line there, 0 if the line is unknown.

    The findings of any other file are returned unchanged.
    """
    if not is_xacro(examined.path):
        return [examined]
    documents = _sources(examined.path, packages)
    if _defines_macros_alone(examined, documents):
        count = len(_macros_of(documents[0]))
        note = found(MACROS_ALONE, 0, "file", (), (float(count),))
        return [ExaminedFile(examined.path, (note,))]
    places = [*chain.from_iterable(map(_places, documents))]
    tops = examined.document.root.elements() if examined.document else []
    findings: Dict[str, List[LintFinding]] = {}
    for finding in examined.findings:
        path, line = _place_of(finding, tops, places) or (examined.path, 0)
        placed = finding._replace(diagnostic=finding.diagnostic._replace(line=line))
        findings.setdefault(path, []).append(placed)
    for path, finding in _macros_twice(documents):
        findings.setdefault(path, []).append(finding)
    own = tuple(findings.pop(examined.path, ()))
    # Lines of the expanded text have no meaning in its sources.
    programs = tuple(program._replace(line=0) for program in examined.programs)
    first = examined._replace(findings=own, programs=programs)
    others = [ExaminedFile(path, tuple(several)) for path, several in findings.items()]
    lines = {document.path: _lines(document) for document in documents}
    return [each._replace(lines=lines.get(each.path, ())) for each in (first, *others)]


def _defines_macros_alone(examined: ExaminedFile, documents: Sequence[Document]) -> bool:
    """Return True for a xacro that other files include for its macros: it expands to nothing."""
    if examined.document is None or not documents or not _macros_of(documents[0]):
        return False
    return not any(top.name in ("link", "joint") for top in examined.document.root.elements())


def _macros_of(document: Document) -> List[Element]:
    """Return the elements that define macros."""
    return [element for element in document.root.walk() if element.name == "xacro:macro"]


def _place_of(
    finding: LintFinding, tops: Sequence[Element], places: Sequence[SourceElement]
) -> Optional[Tuple[str, int]]:
    """Return the file and line of the only element that can have made the subject of a finding, None if several can."""
    before = [top for top in tops if top.line <= finding.diagnostic.line]
    owner = before[-1] if before and finding.diagnostic.line else None
    if owner is None:
        return None
    name = owner.get("name") or ""
    exact = [place for place in places if (place.tag, place.name) == (owner.name, name)]
    possible = exact or [place for place in places if place.can_make(owner.name, name)]
    return (possible[0].path, possible[0].line) if len(possible) == 1 else None


def _places(document: Document) -> Iterator[SourceElement]:
    """Yield the named elements of a source that can become an element of the robot."""
    for element in document.root.walk():
        name = element.get("name")
        if element.name in NAMED and name:
            yield SourceElement(document.path, element.line, element.name, name)


def _macros_twice(documents: Sequence[Document]) -> Iterator[Tuple[str, LintFinding]]:
    """Yield the macros that a second file redefines, with that file: the last definition counts."""
    first: Dict[str, Tuple[str, int]] = {}
    for document in documents:
        for element in _macros_of(document):
            name = element.get("name") or ""
            if not name:
                continue
            path, line = first.setdefault(name, (document.path, element.line))
            if path != document.path:
                names = (name, path_from(os.path.dirname(document.path), path))
                diagnostic = Diagnostic(
                    kind=MACRO_TWICE,
                    line=element.line,
                    sentence="macro",
                    names=names,
                    numbers=(float(line),),
                )
                yield document.path, LintFinding(diagnostic)


def _sources(path: str, packages: Tuple[Tuple[str, str], ...]) -> List[Document]:
    """Return a xacro and all its includes, if their names can be read, each once."""
    resolver = PackageResolver(os.path.dirname(path) or ".", packages, os.environ, {})
    documents: Dict[str, Document] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop(0)
        if os.path.realpath(file) in documents or not os.path.isfile(file):
            continue
        try:
            document = parse_document(read_file(file), file)
        except UrdfError:  # xacro has expanded the robot, so it does not read this file
            continue
        documents[os.path.realpath(file)] = document
        for element in document.root.walk():
            if element.name in ("xacro:include", "include"):
                waiting += _included(element.get("filename") or "", file, resolver)
    return list(documents.values())


def _included(name: str, file: str, resolver: PackageResolver) -> Iterator[str]:
    """Yield the file of an include; nothing if its name depends on arguments."""
    package = re.match(FIND, name)
    folder = find_package(package[1], resolver) if package else None
    if folder is not None and package is not None:
        name = folder + name[package.end() :]
    if not re.search(EXPRESSION, name):
        yield os.path.join(os.path.dirname(file), name)


def _lines(document: Document) -> Tuple[str, ...]:
    """Return the lines of a source with their ends."""
    return tuple(document.to_bytes().decode("utf-8", "replace").splitlines(keepends=True))
