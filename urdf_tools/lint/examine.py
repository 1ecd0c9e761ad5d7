"""Examine a file: read it, let all rules look at it, and leave out what its comments ignore."""
import os
from typing import Callable, Collection, Dict, Iterator, List, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic, WARNING
from ..base.errors import ErrorGroup, UrdfError
from ..base.kinds import EXPORTED_TWICE, INERTIA, MASSLESS, MESH_NOT_FOUND, REPAIRED
from ..plan.decisions import make_plan, Plan
from ..plan.options import Options
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.model import Robot
from ..urdf.package_resolver import package_notices, resolve, resolver_for
from ..urdf.reader import read_robot
from ..urdf.spatial import largest_entry
from .canonical import in_canonical_frames, rotations_to_bodies
from .ignoring import find_ignores, ignore
from .joint_rules import joint_rules
from .kinds import OF_READING, PACKAGE_UNKNOWN, REFUSED
from .mass_rules import mass_rules
from .overlap_rules import overlap_rules
from .records import Examined, Finding, Subject
from .robot_rules import robot_rules
from .simulator_notes import simulator_notes
from .supports import Box, measured_box
from .symmetry import find_asymmetries
from .text_rules import text_rules
from .twin_rules import twin_rules
from .urdfdom_rules import urdfdom_rules


def of_reading(found: Sequence[Diagnostic]) -> Iterator[Finding]:
    """Yield what reading and planning find about the input itself, as --lint judges it."""
    for one in found:
        if one.kind in OF_READING:
            severity, hint = OF_READING[one.kind]
            yield Finding(one._replace(kind=one.kind._replace(severity=severity, hint=hint)))


def of_plans(robot: Robot, of_links: Optional[Plan], of_bodies: Optional[Plan]) -> Iterator[Finding]:
    """Yield what two plans find: one that merges nothing, and one that merges what moves as one.

    An inertia that no body has is an error where the whole body has none either; simulators that lump fixed joints do
    not see it otherwise. A point mass in such a body is one, and may be meant.
    """
    merged = of_bodies.warnings if of_bodies else ()
    yield from of_reading([one for one in merged if one.kind in (INERTIA, MASSLESS, EXPORTED_TWICE)])
    for one in of_links.warnings if of_links else ():
        inertial = robot.links[one.names[0]].inertial if one.kind is INERTIA else None
        if inertial is not None and one not in merged and largest_entry(inertial.properties.inertia) > 0.0:
            yield Finding(one._replace(kind=INERTIA._replace(severity=WARNING)))


SCHEME = "package://"


def find_meshes(robot: Robot, packages: Tuple[Tuple[str, str], ...]) -> Tuple[Dict[str, str], List[Finding]]:
    """Return the file of each mesh by the name that the robot has for it, and what is found about those without one.

    Of a package that is nowhere on this machine nothing can be said: a note, once.
    """
    document = robot.document
    resolver = resolver_for(document.root, os.path.dirname(document.path), packages)._replace(above={})
    lines: Dict[str, int] = {}
    for shape in (shape for link in robot.links.values() for shape in link.shapes if shape.mesh):
        lines.setdefault(shape.mesh, shape.drawn.line if shape.drawn else 0)
    found = {name: resolve(name, resolver) for name in lines}
    lost = [*package_notices(found.values())]
    unknown: Dict[str, List[str]] = {}
    for name, one in found.items():
        if one.path is None and not one.places and name.startswith(SCHEME):
            unknown.setdefault(name[len(SCHEME):].lstrip("/").partition("/")[0], []).append(name)
        elif one.path is None:
            lost.append(Diagnostic(MESH_NOT_FOUND, lines[name], "left", (name, one.tried)))
    lost += [Diagnostic(PACKAGE_UNKNOWN, lines[names[0]], "meshes", (package,), (float(len(names)),))
             for package, names in unknown.items()]
    return {name: one.path for name, one in found.items() if one.path}, [*of_reading(lost), *(
        Finding(one) for one in lost if one.kind is PACKAGE_UNKNOWN)]


def _simulators(subject: Subject) -> Iterator[Finding]:
    """Yield the notes; what is an error for MuJoCo has a kind of its own here."""
    return (Finding(one) for one in simulator_notes(subject.robot) if one.sentence != "inertia")


RULES: Tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    urdfdom_rules, joint_rules, mass_rules, robot_rules, twin_rules, text_rules, overlap_rules, _simulators)


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
