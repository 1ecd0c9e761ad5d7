"""Repair findings that have exactly one repair, and verify that nothing else changed.

The text is verified twice, by code that the edit does not use: expat reads both texts, and the second must equal the
first with the edits; and every line without an edited tag must be equal. The robots are compared by `compare`: they may
differ only in the aspects of the repairs.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Collection, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple
from xml.parsers import expat

from ..base.type_aliases import Packages
from ..base.diagnostics import Diagnostic
from ..base.errors import ProofFailed, UrdfError
from ..base.number_text import grouped
from ..base.record_type import Record
from ..compare.robot_comparison import compare, ComparisonResult
from ..compare.difference_records import ASPECTS
from ..compare.given_or_searched_map import IDENTITY
from ..formats.urdf.read_urdf import read_urdf
from ..meshing.make_meshes import compiler_of
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.mesh_paths import compilers_of, mesh_folder_in
from ..urdf.urdf_records import AttributeEdit
from ..inputs.moved_file_names import moved_edits
from ..urdf.moved_files import lost_packages
from ..urdf.package_resolver import resolver_for
from ..urdf.urdf_reader import refuse_extremes
from ..urdf.xml_edits import attach, copy_document, create
from .examine_file import examine
from .finding_records import DECLARATION_MOVE, ExaminedFile, LintFinding

GEOMETRY = frozenset(ASPECTS) - {"limits", "mimic", "dynamics", "actuators"}
# The aspects of `compare` that a repair of a kind may change; for all other kinds the robot must stay the same.
ABOUT: Dict[str, FrozenSet[str]] = {
    "limits-reversed": frozenset(("limits",)),
    "limits-degrees": frozenset(("limits",)),
    **dict.fromkeys(
        (
            "inertia",
            "inertia-frame",
            "inertia-slots",
            "inertia-unit",
            "mass-unit",
            "no-inertia",
            "no-mass",
        ),
        frozenset(("mass",)),
    ),
    **dict.fromkeys(("mesh-scale", "units-mm", "mesh-spelling"), frozenset(("shapes",))),
    "rounded-angle": GEOMETRY,
    "absolute-path": frozenset(("shapes",)),
}
# The tolerance of all values that a repair must not change: they keep their text, so 1e-12 only covers the rounding of
# sums and products in a comparison.
EXACT = 1e-12
# The place of a value: the offset of an element, the path of its child, the attribute.
Place = Tuple[int, str, str]
Event = Tuple[str, Tuple[Tuple[str, str], ...]]


class FileRepair(Record):
    """A repaired file: the new document, the repaired findings, and the comparison with the original.

    `comparison` is None if the original could not be read; `warnings` are about files that are not found from the new
    folder.
    """

    document: Document
    findings: Tuple[LintFinding, ...]
    comparison: Optional[ComparisonResult]
    warnings: Tuple[Diagnostic, ...] = ()


def repair(document: Document, findings: Sequence[LintFinding]) -> FileRepair:
    """Return a copy of a document with the repairs of findings.

    Raises:
        ProofFailed: anything else changed; a fault of this tool.
    """
    every = chain.from_iterable(finding.repair for finding in findings)
    # The declaration is in front in each document that was read, so that it is only verified.
    edits = {_place_of(edit): edit for edit in every if edit.attribute != DECLARATION_MOVE}
    _verify_move(document)
    copy = _edited(document, [*edits.values()])
    return FileRepair(copy, tuple(findings), _compared(document, copy, findings))


class RepairedFile(Record):
    """A file with all its repairs.

    Attributes:
        examined: the findings of the file as it is given.
        repaired: the file with its repairs; None if there is nothing to repair.
        remaining: the findings of the wanted kinds in the file that results.
    """

    examined: ExaminedFile
    repaired: Optional[FileRepair]
    remaining: Tuple[LintFinding, ...]


def repair_all(
    source: bytes,
    path: str,
    known: Collection[str],
    wanted: Collection[str],
    packages: Packages = (),
) -> RepairedFile:
    """Return a URDF with the repairs of the wanted kinds, repeated until no repair is left.

    One repair may show the need for another: the unit of a tensor is known only if a body can have the tensor.

    Args:
        source: the bytes of the URDF.
        path: its name; meshes are relative to its folder.
        known: the names of all kinds.
        wanted: the names of the kinds to repair.
        packages: folders by package name.

    Raises:
        UrdfError: it holds no robot.
        ProofFailed: the repairs changed anything else, or never end; a fault of this tool.
    """
    examined = examine(source, path, known, packages)
    # Edits of a file that stays unreadable even with repairs could not be verified.
    if examined.document is None or examined.robot is None:
        return RepairedFile(examined, None, _of_kinds(examined, wanted))
    done: List[LintFinding] = []
    texts = [source]
    document = examined.document
    latest = examined
    while latest.document is not None:
        chosen = _at_once([one for one in _of_kinds(latest, wanted) if one.repair])
        if not chosen:
            break
        document = repair(latest.document, chosen).document
        done += _with_lines_of(source, texts[-1], chosen)
        if document.to_bytes() in texts:
            raise ProofFailed("the repairs change nothing, or undo each other", path)
        texts.append(document.to_bytes())
        latest = examine(texts[-1], path, known, packages)
    repaired = None
    if done:
        comparison = _compared(examined.document, document, done)
        repaired = FileRepair(document=document, findings=tuple(done), comparison=comparison)
    return RepairedFile(examined, repaired, _of_kinds(latest, wanted))


def _of_kinds(examined: ExaminedFile, wanted: Collection[str]) -> Tuple[LintFinding, ...]:
    """Return the findings of the wanted kinds."""
    return tuple(finding for finding in examined.findings if finding.kind.name in wanted)


def _at_once(findings: Sequence[LintFinding]) -> List[LintFinding]:
    """Return the findings whose repairs do not contradict an earlier repair."""
    written: Dict[Place, Optional[str]] = {}
    chosen = []
    for finding in findings:
        values = {_place_of(edit): edit.value for edit in finding.repair}
        if all(written.get(place, value) == value for place, value in values.items()):
            written.update(values)
            chosen.append(finding)
    return chosen


def _place_of(edit: AttributeEdit) -> Place:
    """Return the place of the value that an edit writes."""
    return edit.element.offset, edit.child, edit.attribute


def _with_lines_of(
    source: bytes, repaired: bytes, findings: Sequence[LintFinding]
) -> List[LintFinding]:
    """Return findings about a repaired text with lines of the original text: repairs may add lines."""
    old = source.split(b"\n")
    new = repaired.split(b"\n")
    if len(old) == len(new):
        return [*findings]
    from difflib import SequenceMatcher

    lines = {0: 0}
    for _, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for number in range(start, end):
            # A line that was added counts as the last given line before it.
            lines[number + 1] = max(1, min(first + number - start + 1, last))
    given = []
    for finding in findings:
        diagnostic = finding.diagnostic
        given.append(finding._replace(diagnostic=diagnostic._replace(line=lines[diagnostic.line])))
    return given


def as_seen_from(folder: str, repaired: FileRepair, packages: Packages) -> FileRepair:
    """Return a repaired file whose meshes are found from the folder that it is written into.

    Raises:
        ProofFailed: see `repair`.
    """
    path = repaired.document.path
    # Parsed anew: edits are found by the offsets of the parsed text.
    document = parse_document(repaired.document.to_bytes(), path)
    root = document.root
    before = resolver_for(root, os.path.dirname(os.path.abspath(path)), packages)
    here = os.path.realpath(before.folder)
    there = os.path.realpath(folder or ".")
    if here == there:
        return repaired
    edits = moved_edits(root, before, there)
    warnings: List[Diagnostic] = []
    for compiler in compilers_of(root)[:1]:
        names = {edit.element.get("filename") or "": str(edit.value) for edit in edits}
        kept = {
            mesh.get("filename") or "": mesh.line for mesh in root.walk() if mesh.name == "mesh"
        }
        values, warnings = compiler_of(mesh_folder_in(compiler), (here, there), (), kept, names)
        edits += [AttributeEdit(compiler, name, value) for name, value in values]
    copy = _edited(document, edits)
    after = resolver_for(copy.root, folder, packages)
    warnings += lost_packages(copy.root, before, after)
    return repaired._replace(document=copy, warnings=tuple(warnings))


def _edited(document: Document, edits: Sequence[AttributeEdit]) -> Document:
    """Return a copy of a document with edits, and verify that nothing else changed."""
    copy = copy_document(document)
    for edit in edits:
        _carry_out(copy.copy_of(edit.element), edit)
    _verify_events(document, copy, edits)
    _verify_lines(document, copy, edits)
    return copy


def _verify_move(document: Document) -> None:
    """Verify that a document differs from the text of its file only in the place of the XML declaration.

    Raises:
        ProofFailed: it differs in anything else.
    """
    late = document.late_declaration
    given = document.given
    if late is None or given is None:
        return
    declaration = given[late.start : late.end]
    rest = given[: late.start] + given[late.end :]
    read = document.text()
    if not read.startswith(declaration) or read[len(declaration) :] != rest:
        raise ProofFailed("the repair moved more than the XML declaration", document.path)


def _carry_out(element: Element, edit: AttributeEdit) -> None:
    """Write the value of an edit; the child of its path is made where it is missing."""
    for depth, name in enumerate(filter(None, edit.child.split("/"))):
        child = element.find(name)
        if child is None:
            child = create(name, {})
            attach(element, [child], first=not depth)
        element = child
    if edit.value is None:
        element.unset(edit.attribute)
    else:
        element.set(edit.attribute, edit.value)


def _events(data: bytes, path: str) -> List[Event]:
    """Return start tags with their attributes, end tags, and texts, as expat reads them; white space alone is skipped."""
    events: List[Event] = []
    parser = expat.ParserCreate()
    parser.ordered_attributes = True
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, words: events.append(
        (f"<{name}", tuple(zip(words[::2], words[1::2])))
    )
    parser.EndElementHandler = lambda name: events.append((f"</{name}", ()))

    def add_text(text: str) -> None:
        """Add a text that is more than white space."""
        if text.strip():
            events.append((f"text {text}", ()))

    parser.CharacterDataHandler = add_text
    parser.CommentHandler = lambda text: events.append((f"comment {text}", ()))
    parser.ProcessingInstructionHandler = lambda target, text: events.append(
        (f"?{target} {text}", ())
    )
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ProofFailed(
            f"the repaired text is not well-formed: {expat.ErrorString(error.code)}", path
        ) from None
    return events


def _verify_events(document: Document, copy: Document, edits: Sequence[AttributeEdit]) -> None:
    """Verify that the new text is the old text with the edits, as expat reads both.

    Raises:
        ProofFailed: it is not.
    """
    old, new = (_events(version.to_bytes(), document.path) for version in (document, copy))
    # By offset: where a loop was cut to read the robot, the edits name elements of a copy.
    number = {element.offset: k for k, element in enumerate(document.root.walk())}
    wanted = grouped((number[edit.element.offset], edit) for edit in edits)
    expected: List[Event] = []
    count = -1  # of start tags: expat reports no elements, so the n-th start tag is the n-th element of the walk
    for word, attributes in old:
        tag_edits: List[AttributeEdit] = []
        if word.startswith("<") and not word.startswith("</"):
            count += 1
            tag_edits = wanted.get(count, [])
        changed = {edit.attribute: edit.value for edit in tag_edits if not edit.child}
        values = {**dict(attributes), **changed}
        expected.append((word, tuple((n, v) for n, v in values.items() if v is not None)))
        made = [edit for edit in tag_edits if edit.child]
        names_of_new = dict.fromkeys(edit.child.partition("/")[0] for edit in made)
        for name in reversed([*names_of_new]):  # each is made as the first child
            inside = [edit for edit in made if edit.child.partition("/")[0] == name]
            expected += _events_of_new(inside)
    if new != expected:
        raise ProofFailed("the repair changed something else", document.path)


def _events_of_new(edits: Sequence[AttributeEdit]) -> List[Event]:
    """Return the events of the elements that edits of one element make, each in the order of its first edit."""
    events: List[Event] = []
    for name in dict.fromkeys(edit.child.partition("/")[0] for edit in edits):
        inside = [edit for edit in edits if edit.child.partition("/")[0] == name]
        attributes = tuple(
            (edit.attribute, str(edit.value)) for edit in inside if edit.child == name
        )
        deeper = [
            edit._replace(child=edit.child.partition("/")[2])
            for edit in inside
            if edit.child != name
        ]
        events += [(f"<{name}", attributes), *_events_of_new(deeper), (f"</{name}", ())]
    return events


def _verify_lines(document: Document, copy: Document, edits: Sequence[AttributeEdit]) -> None:
    """Verify that each line without an edited tag is equal, in bytes; a new element may be in a new line.

    Raises:
        ProofFailed: such a line differs.
    """
    old, new = (version.to_bytes().split(b"\n") for version in (document, copy))
    # A start tag may span several lines.
    touched: Set[int] = set()
    for edit in edits:
        first = edit.element.line - 1
        touched.update(range(first, first + 1 + edit.element.start_tag.count("\n")))
    # `any` consumes the iterator, so the lines must come in their order.
    rest = iter(new)
    for number, line in enumerate(old):
        # An edited tag stays in its line; only new elements add lines, after it.
        if number not in touched and not any(line == other for other in rest):
            raise ProofFailed("the repair changed another line", document.path, number + 1)
    if len(new) != len(old) and not any(edit.child for edit in edits):
        raise ProofFailed("the repair added lines", document.path, len(old))


def _compared(
    document: Document, copy: Document, findings: Sequence[LintFinding]
) -> Optional[ComparisonResult]:
    """Verify that the robots before and after are equal in all aspects that the repairs do not change.

    Returns their comparison in the other aspects, None if the first robot cannot be read.
    """
    about: FrozenSet[str] = frozenset().union(
        *(ABOUT.get(finding.kind.name, frozenset()) for finding in findings)
    )
    try:
        before = read_urdf(document.to_bytes(), document.path)
    except UrdfError:
        return None
    after = read_urdf(copy.to_bytes(), document.path)
    same = compare(
        before, after, given=IDENTITY, aspects=frozenset(ASPECTS) - about, tolerance=EXACT
    )
    if same.differences:
        refuse_extremes(document)
        raise ProofFailed("the repair made another robot of it", document.path)
    return compare(before, after, names="equal", aspects=about, tolerance=EXACT) if about else same
