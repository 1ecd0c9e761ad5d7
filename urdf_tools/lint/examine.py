"""Examine a file: read it, let all rules look at it, and leave out what its comments ignore."""
from typing import Collection, Iterator, List, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import ErrorGroup, UrdfError
from ..base.kinds import REPAIRED
from ..plan.decisions import make_plan, Plan
from ..plan.options import Options
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.model import Robot
from ..urdf.reader import read_robot
from .canonical import in_canonical_frames, rotations_to_bodies
from .ignoring import find_ignores, ignore
from .kinds import REFUSED
from .judged import of_plans, of_reading
from .meshes import find_meshes
from .records import Examined, Finding, Subject
from .rules import RULES
from .supports import Box, measured_box
from .symmetry import find_asymmetries

AS_IT_IS = Options(merge=False, strip_hardware=False)
MERGED = Options(duplicates="rename", reorient=False)


def examine(source: bytes, path: str, known: Collection[str], packages: Tuple[Tuple[str, str], ...] = ()) -> Examined:
    """Return all that is found in a file.

    Args:
        source: its bytes.
        path: its name, from whose folder meshes are seen.
        known: the names of all kinds, for comments that ignore one.
        packages: folders by package name.
    """
    try:
        document = parse_document(source, path)
    except UrdfError as error:
        return Examined(path, tuple(_refusals(error)))
    findings: List[Finding] = []
    robot = _read(document, findings)
    if robot is not None:
        plans = [_plan(robot, options) for options in (AS_IT_IS, MERGED)]
        findings += of_plans(robot, *plans)
        meshes, lost = find_meshes(robot, packages)
        findings += lost

        def box_of_mesh(name: str) -> Optional[Box]:
            return measured_box(meshes[name]) if name in meshes else None

        subject = Subject(robot, box_of_mesh=box_of_mesh)
        if plans[0]:
            canonical = in_canonical_frames(plans[0])
            subject = Subject(robot, find_asymmetries(canonical), rotations_to_bodies(canonical, plans[0]),
                              box_of_mesh)
        findings += [one for rule in RULES for one in rule(subject)]
    stay, gone = ignore(findings, find_ignores(document), known)
    return Examined(path, by_line(stay), tuple(gone), document, robot)


def by_line(findings: Sequence[Finding]) -> Tuple[Finding, ...]:
    """Return findings by their lines, each once."""
    first = {one.found: one for one in reversed(findings)}
    return tuple(sorted((first[found] for found in dict.fromkeys(one.found for one in findings)),
                        key=lambda one: one.found.line))


def _refusals(error: UrdfError) -> Iterator[Finding]:
    for problem in error.problems if isinstance(error, ErrorGroup) else (error,):
        yield Finding(Diagnostic(REFUSED, problem.line, "problem", (problem.message,)))


def _read(document: Document, findings: List[Finding]) -> Optional[Robot]:
    """Read a robot, also one that common parsers read and this tool refuses; None if it cannot be read."""
    try:
        robot = read_robot(document)
    except UrdfError as error:
        findings += _refusals(error)
        try:
            robot = read_robot(document, repair=True)
        except UrdfError:
            return None
    understood = {edit.element.line: edit for edit in robot.repairs}
    for one in of_reading(robot.warnings):
        edit = understood.get(one.found.line) if one.found.kind.name == REPAIRED.name else None
        findings.append(one._replace(repair=(edit,)) if edit else one)
    return robot


def _plan(robot: Robot, options: Options) -> Optional[Plan]:
    try:
        return make_plan(robot, options)
    except UrdfError:
        return None
