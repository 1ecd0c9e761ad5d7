"""The pairs of a run: found for its result, written into its SRDF, and reported."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Callable, List, Optional

from ..base.type_aliases import Show
from ..base.errors import UrdfError, UsageError
from ..base.diagnostics import Diagnostic
from ..base.number_text import count_of, shown_names
from ..base.record_type import Record
from ..collision.collision_diagnostics import PAIR_UNKNOWN
from ..collision.decide_pairs import CELLS
from ..collision.convex_pieces import body_of_file
from ..collision.link_pairs_step import (
    checked_pairs,
    VerifiedPairs,
    judge,
    pair_rows,
    pairs_record,
    pairs_summary,
    wrong_line,
)
from ..collision.collision_shapes import MeshWithHull
from ..collision.collision_texts import empty_srdf, with_pairs
from ..meshes.mesh_readers import read_indexed
from ..plan.plan_decisions import Plan
from ..plan.reference_updates import ReferenceUpdates
from ..run.check_destinations import Destination
from ..run.run_records import ExtensionRequest, CompanionFile, CompanionResult, Result
from ..meshing.mesh_converter import MeshMakingSettings
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.urdf_records import UrdfRobot
from ..verify.shared_proof_state import ComparedRobots
from .shared_run_values import mesh_table
from .export_request import request_of


class PairsProof(Record):
    """The verified numbers: pairs that never touch, planes between them, and added lines."""

    never: int
    planes: int
    lines: int


def new_srdf(output: str, *, spelled: str, is_named: bool) -> CompanionFile:
    """Return the companion of a run for an SRDF that does not exist yet: the pairs are written into it."""
    return CompanionFile(
        Destination(spelled, output, ""), is_named, lambda robot: {}, partial(_begin, output)
    )


def _begin(output: str, plan: Plan, comparison: ComparedRobots) -> CompanionResult:
    """Return an empty SRDF for a robot without an SRDF."""
    document = empty_srdf(plan.robot.name, output or "new.srdf")
    return CompanionResult(
        name="SRDF",
        output=output,
        updates=ReferenceUpdates(),
        before=document,
        after=document,
        source=b"",
        data=document.to_bytes(),
        proof=PairsProof(0, 0, 0),
        proof_line="",
    )


def bodies_from(path_of: Callable[[str], Optional[str]]) -> Callable[[str], Optional[MeshWithHull]]:
    """Return a function from a mesh name to its mesh, None if it cannot be read; each mesh is read once."""

    @lru_cache(maxsize=None)
    def body_of(name: str) -> Optional[MeshWithHull]:
        """Return the mesh of a name."""
        path = path_of(name)
        try:
            body = body_of_file(path) if path else None
        except UrdfError:
            return None
        return body if body is not None and body.points else None

    return body_of


def find_pairs(
    robot: UrdfRobot,
    path_of: Callable[[str], Optional[str]],
    cells: Optional[int],
    progress: Optional[Show],
) -> VerifiedPairs:
    """Return the verdicts on the pairs of a robot; `path_of` returns the path of a mesh.

    Raises:
        ProofFailed: a verdict does not hold; a fault of this tool.
    """
    return checked_pairs(
        robot,
        bodies_from(path_of),
        lambda name: read_indexed(path_of(name) or ""),
        cells or CELLS,
        progress or (lambda name, count: None),
    )


def named_links(document: Document) -> List[str]:
    """Return the links that the pairs of an SRDF name, each once."""
    names: List[str] = []
    for line in document.root.elements("disable_collisions"):
        names += (line.get("link1") or "", line.get("link2") or "")
    return list(dict.fromkeys(names))


def check_names(document: Document, robot: UrdfRobot) -> None:
    """Refuse an SRDF of a different robot.

    Raises:
        UsageError: most links that its pairs name are not in the robot.
    """
    names = named_links(document)
    unknown = [name for name in names if name not in robot.links]
    # A few may remain from an older version of the robot.
    if 2 * len(unknown) > len(names):
        raise UsageError(
            f"is not of this robot, which has no links {shown_names(unknown)}", document.path
        )


def with_pairs_found(asked: ExtensionRequest, result: Result, making: MeshMakingSettings) -> Result:
    """Return the result of a run whose SRDF has the pairs that never touch, and the report on them.

    Raises:
        UsageError: the SRDF is of a different robot, or fewer than two links have shapes.
        ProofFailed: a verdict does not hold; a fault of this tool.
    """
    for companion in result.companions:
        if companion.name == "SRDF":
            check_names(companion.before, result.before)
    request = request_of(asked, result)
    checked = find_pairs(
        result.after, mesh_table(request).source_of, asked.choices["pairs_cells"], making.progress
    )
    for note in checked.notes:
        # Fewer than two shapes leave nothing to decide: that is an error, not a warning.
        if note.kind is PAIR_UNKNOWN and note.sentence in ("few", "none"):
            raise UsageError(note.text, asked.path)
    notes: List[Diagnostic] = []
    for note in checked.notes:
        # Lines refer to the input; a note without a line there gets no line.
        if note.line:
            note = note._replace(line=request.line_of("link", note.names[0]))
        notes.append(note)
    companions = []
    for companion in result.companions:
        if companion.name == "SRDF":
            companion = _with_lines(companion, checked)
        companions.append(companion)
    exported = result.exported
    files = [*exported.files]
    report = asked.choices["pairs_report"]
    if report:
        files.append((report, pairs_record(result.after, checked)))
    exported = exported._replace(
        tables=(*exported.tables, (pairs_summary(checked), tuple(pair_rows(checked)))),
        warnings=(*exported.warnings, *notes),
        files=tuple(files),
    )
    return result._replace(companions=tuple(companions), exported=exported)


def _with_lines(srdf: CompanionResult, checked: VerifiedPairs) -> CompanionResult:
    """Return an SRDF with the lines of the pairs, and warnings on lines that are wrong."""
    judged = judge(srdf.after, checked)
    # A planner with the SRDF would not notice a contact of these.
    hidden = [frozenset((line.first, line.second)) for line in judged]
    wrong = [
        wrong_line(checked, line.pair, hidden, line.line)
        for line in judged
        if line.verdict == "wrong" and line.pair
    ]
    data, count = with_pairs(srdf.after, checked.decided.pairs)
    never = sum(pair.state == "never" for pair in checked.decided.pairs)
    added = f"{count_of(count, 'pair')} added"
    phrase = f"{added}, {count_of(checked.planes, 'plane')} checked"
    updates = srdf.updates._replace(warnings=(*srdf.updates.warnings, *wrong))
    proof = srdf.proof
    # An SRDF that was made in this run has no proof yet.
    if srdf.proof_line:
        phrase = f"{srdf.proof_line}; {phrase}"
    else:
        proof = PairsProof(never, checked.planes, count)
    return srdf._replace(
        after=parse_document(data, srdf.after.path),
        data=data,
        updates=updates,
        proof=proof,
        proof_line=phrase,
        added=added if count else "",
    )
