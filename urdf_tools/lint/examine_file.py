"""Examine a file: read it, apply all rules to it, and leave out what its comments ignore."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from itertools import chain
from io import StringIO
from typing import (
    Callable,
    Collection,
    Dict,
    FrozenSet,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    TYPE_CHECKING,
)

from ..base.type_aliases import Show, Packages
from ..base.diagnostics import Diagnostic, ERROR, WARNING
from ..base.errors import ErrorGroup, UrdfError
from ..base.file_reading import first_element
from ..base.run_diagnostics import (
    EXPORTED_TWICE,
    INERTIA,
    LOOP_CUT,
    MASSLESS,
    MESH_NOT_FOUND,
    REPAIRED,
    XML_DECLARATION,
)
from ..base.number_text import grouped
from ..facts.simulator_values import lumped_links
from ..inputs.input_diagnostics import INPUT_RENAMED, INPUT_UNSELECTED
from ..plan.base_frame import find_base_frame
from ..plan.link_merging import decide_merging, WORLD_LINKS
from ..plan.name_words import left_right_pairs
from ..plan.kept_links import find_needs, find_references
from ..plan.run_options import Options
from ..run.run_records import UrdfOfInput
from ..urdf.urdf_records import AttributeEdit, NO_MASS, poses_at, UrdfRobot, UrdfShape
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.package_resolver import (
    package_notices,
    package_of,
    resolve,
    resolver_for,
    true_name,
)
from ..urdf.urdf_reader import read_robot
from ..urdf.spatial_math import (
    IDENTITY_POSE,
    largest_entry,
    merge_mass,
    move_mass,
    why_not_physical,
)
from ..urdf.expand_xacro import is_xacro
from .collision_visual_rules import drawn_rules
from .joint_rules import joint_rules, robot_rules
from .lint_diagnostics import (
    MESH_SPELLING,
    MESH_UNOPENED,
    OF_READING,
    PACKAGE_UNKNOWN,
    REFUSED,
    TOO_LIGHT,
    UNITS,
)
from .mass_repairs import tilted_tensors, with_mass_repairs
from .mass_rules import mass_rules
from .neighbor_file_rules import neighbor_rules
from .mesh_rules import mesh_rules
from .opened_meshes import open_mesh, OpenedMesh, SOUND
from .overlap_rules import hollow_rules, overlap_rules
from .program_rules import program_rules, simulator_notes, weighed_by_mujoco
from .program_effects import programs_of
from .finding_records import (
    DECLARATION_MOVE,
    ExaminedFile,
    find_ignores,
    LintFinding,
    Findings,
    found,
    ignore,
    LintedRobot,
)
from .tensor_rules import shape_rules, twin_rules
from .shape_bounds import names_of_bodies
from .urdf_text_rules import text_rules, urdfdom_rules
from .unknown_word_rules import unread_words

if TYPE_CHECKING:
    from .left_right_symmetry import LimbPair

# Joints that share a name but not a motion are renamed in it, not refused.
MERGED = Options(lenient=True)


def of_reading(diagnostics: Sequence[Diagnostic]) -> Findings:
    """Yield the reader's and planner's diagnostics about the input, with the severities of lint."""
    for diagnostic in diagnostics:
        if diagnostic.kind in OF_READING:
            severity, hint = OF_READING[diagnostic.kind]
            kind = diagnostic.kind._replace(severity=severity, hint=hint)
            yield LintFinding(diagnostic._replace(kind=kind))


def of_masses(robot: UrdfRobot) -> Findings:
    """Yield the faults of masses and tensors, also of parts that are exported twice.

    An impossible inertia is an error if the body is impossible, too, into which sdformat lumps its link, and else a
    warning. A zero inertia in a possible body is a point mass, which may be intended.
    """
    # The rules for copies do not depend on stripped shapes, so none are given.
    needs = find_needs(robot, tuple(find_references(robot)))
    merged = decide_merging(robot, needs, MERGED, set()).warnings
    yield from of_reading([warning for warning in merged if warning.kind is EXPORTED_TWICE])
    yield from _massless_bodies(robot)
    yield from _impossible_tensors(robot)


def _massless_bodies(robot: UrdfRobot) -> Findings:
    """Yield the links that move without a mass, including the mass of links fixed to them."""
    mass = {name: link.mass for name, link in robot.links.items()}
    for joint in reversed(robot.tree):  # children first
        if joint.type == "fixed":
            mass[joint.parent] += mass[joint.child]
    weighed = {*weighed_by_mujoco(robot).values()}
    for joint in robot.tree:
        if joint.type == "fixed" or mass[joint.child] > 0.0:
            continue
        link = robot.links[joint.child]
        if link.name in weighed:
            lacks = "weighed"
        else:
            lacks = "mass" if link.inertial else "inertial"
        yield from of_reading([Diagnostic(MASSLESS, link.source.line, lacks, (link.name,))])


def _impossible_tensors(robot: UrdfRobot) -> Findings:
    """Yield the impossible tensors."""
    faulty = _impossible_bodies(robot)
    for name, link in robot.links.items():
        if link.inertial is None:
            continue
        tensor = link.inertial.properties.inertia
        # Exports write a tensor without mass with the mass of its body.
        mass = 1.0 if link.mass < NO_MASS else link.mass
        reason = why_not_physical(mass, tensor)
        is_error = name in faulty
        is_of_heavy_body = is_error and link.mass >= NO_MASS
        if reason and (is_of_heavy_body or largest_entry(tensor) > 0.0):
            severity = ERROR if is_error else WARNING
            kind = INERTIA._replace(severity=severity)
            yield found(kind, link.inertial.source.line, "link", (name, reason))


def _impossible_bodies(robot: UrdfRobot) -> Set[str]:
    """Return the links of Gazebo bodies whose lumped inertia is impossible."""
    lumped = lumped_links(robot.document.root)
    T_world = poses_at(robot, {}, IDENTITY_POSE)
    parts = grouped(
        (lumped[name].body, move_mass(T_world[name], link.inertial.properties))
        for name, link in robot.links.items()
        if link.inertial is not None
    )
    # Gazebo reads no inertia of a root that is the world.
    unread = {robot.root} & {*WORLD_LINKS}
    impossible = set()
    for body, several in parts.items():
        merged = merge_mass(several)
        is_heavy = merged.mass >= NO_MASS
        if body not in unread and is_heavy and why_not_physical(merged.mass, merged.inertia):
            impossible.add(body)
    return {name for name in robot.links if lumped[name].body in impossible}


def find_meshes(robot: UrdfRobot, packages: Packages) -> Tuple[Dict[str, str], List[LintFinding]]:
    """Return the file of each mesh by its name in the robot, and the findings about meshes that have no file.

    Meshes of a package that is missing on this machine cannot be checked: a note for each package.
    """
    document = robot.document
    resolver = resolver_for(document.root, os.path.dirname(document.path), packages)
    named = grouped((shape.mesh, shape) for _, shape in robot.shapes if shape.mesh)
    meshes = {name: resolve(name, resolver) for name in named}
    lost = [*package_notices(meshes.values())]
    unknown: Dict[str, List[str]] = {}
    findings: List[LintFinding] = []
    for name, mesh in meshes.items():
        true = true_name(name, resolver)
        package = package_of(name)
        is_looked_for = bool(mesh.places or mesh.listed)
        if true:
            findings.append(_spelled_otherwise(named[name], true, is_found=mesh.path is not None))
        elif mesh.path is not None:
            continue
        elif package and not is_looked_for:
            unknown.setdefault(package, []).append(name)
        else:
            line = _line_of_mesh(named[name][0])
            lost.append(Diagnostic(MESH_NOT_FOUND, line, "left", (name, mesh.tried)))
    findings += _unknown_packages(unknown, named)
    files = {name: mesh.path for name, mesh in meshes.items() if mesh.path}
    return files, [*of_reading(lost), *findings]


def _unknown_packages(
    unknown: Mapping[str, Sequence[str]], named: Mapping[str, Sequence[UrdfShape]]
) -> Findings:
    """Yield a note for each package that is not found; `unknown` has its meshes, `named` the shapes of each mesh."""
    for package, names in unknown.items():
        line = _line_of_mesh(named[names[0]][0])
        number = float(len(names))
        # The kind belongs to lint alone, so it is not among the kinds of the reader.
        yield found(PACKAGE_UNKNOWN, line, "meshes", (package,), (number,))


def _misspelled(findings: Iterable[LintFinding], found_meshes: Mapping[str, str]) -> FrozenSet[str]:
    """Return the names of meshes that this system does not find, and whose file has another spelling.

    `found_meshes` are the files of the meshes that this system finds, by their names.
    """
    named = {finding.diagnostic.names[0] for finding in findings if finding.kind is MESH_SPELLING}
    return frozenset(named - {*found_meshes})


def _line_of_mesh(shape: UrdfShape) -> int:
    """Return the line of the mesh of a shape, 0 of a shape that is made."""
    return shape.drawn.line if shape.drawn else 0


def _spelled_otherwise(shapes: Sequence[UrdfShape], true: str, *, is_found: bool) -> LintFinding:
    """Return the finding of a mesh name whose spelling differs from its file, with the edits that write the file's."""
    edits = [
        AttributeEdit(shape.drawn, "filename", true) for shape in shapes if shape.drawn is not None
    ]
    sentence = "elsewhere" if is_found else "here"
    names = (shapes[0].mesh, true)
    return found(MESH_SPELLING, _line_of_mesh(shapes[0]), sentence, names, repair=edits)


def _simulators(subject: LintedRobot) -> Findings:
    """Yield the notes on simulators, without the notes on inertia: `of_masses` yields these, as errors."""
    for note in simulator_notes(subject.robot):
        if note.sentence != "inertia":
            yield LintFinding(note)


RULES: Tuple[Callable[[LintedRobot], Findings], ...] = (
    urdfdom_rules,
    mesh_rules,
    joint_rules,
    shape_rules,
    mass_rules,
    robot_rules,
    twin_rules,
    text_rules,
    neighbor_rules,
    unread_words,
    overlap_rules,
    program_rules,
    drawn_rules,
    hollow_rules,
    _simulators,
)

# These rules read meshes; the table of programs does not use them.
OF_SURFACES = (mesh_rules, twin_rules, overlap_rules, drawn_rules, hollow_rules)


# These rules open mesh files by their paths.
OF_MESHES = (shape_rules, mesh_rules, drawn_rules, hollow_rules, overlap_rules)

# Kinds about the text of a URDF, or how programs read a URDF: an MJCF or SDF has a different text, and its own filters
# of collisions.
OF_URDF = (
    "in-*",
    "absolute-path",
    "misspelled",
    "no-limit",
    "overlap",
    "rounded-angle",
    "un*-material",
    "unbound-prefix",
)


# Kinds that compare bodies with all their shapes.
OF_SHAPES = (
    "*-outside",
    "inertia-like-shape",
    "inertia-unit",
    "joint-far-from-parts",
    "mass-unit",
    "too-*",
    "units-mm",
)


def examine(
    source: bytes,
    path: str,
    known: Collection[str],
    packages: Packages = (),
    as_urdf: Callable[[bytes, str], UrdfOfInput] = lambda source, path: UrdfOfInput(source),
    progress: Show = lambda name, triangles: None,
    opens_meshes: bool = True,
) -> ExaminedFile:
    """Return all findings of a file, in terms of the given file and not of the URDF made from it.

    Args:
        source: its bytes; for a xacro the bytes of its expansion.
        path: its name; meshes are relative to its folder.
        known: the names of all kinds, to check comments that ignore findings.
        packages: folders by package name.
        as_urdf: makes a URDF from an MJCF or SDF.
        progress: called now and then with the name of the file or of a mesh, and 0.
        opens_meshes: False: no mesh file is opened, and a note says so.

    Raises:
        UrdfError: it holds no robot, or is an MJCF or SDF that cannot be read.
    """
    progress(os.path.basename(path), 0)
    made = as_urdf(source, path)
    try:
        document = parse_document(made.data, path)
    except UrdfError as error:
        # A URDF that is not well-formed is a finding; for any other format it is an error.
        if first_element(source) != "robot":
            raise
        examined = ExaminedFile(path, tuple(refusals(error)))
    else:
        if document.root.name != "robot":
            read_robot(document)  # raises the error that describes it
        made.mark_lines(document)
        examined = _examined(document, known, packages, made, progress, opens_meshes)
    if is_xacro(path):  # see `by_source`
        return _not_repairable(examined)
    # XML begins with ASCII, so in UTF-16 one of the first bytes is zero.
    encoding = "utf-16" if b"\0" in source[:4] else "utf-8"
    text = source.decode(encoding, "replace")
    # `newline=None` counts lines as XML does: \r\n and \r are one end.
    examined = examined._replace(lines=tuple(StringIO(text, newline=None)))
    return _not_repairable(examined) if made.changes else examined


def _examined(
    document: Document,
    known: Collection[str],
    packages: Packages,
    made: UrdfOfInput,
    progress: Show,
    opens_meshes: bool,
) -> ExaminedFile:
    """Return all findings of a URDF; if it is made from another format, its findings about that file, too."""
    findings: List[LintFinding] = []
    robot = _read(document, findings)
    if robot is not None:
        findings += _of_robot(robot, packages, progress, opens_meshes)
        findings = with_mass_repairs(findings, robot, lambda: find_meshes(robot, packages)[0])
        findings += tilted_tensors(robot, findings)
        nowhere = _made_names(robot)
        findings = [finding for finding in findings if nowhere.isdisjoint(finding.diagnostic.names)]
        findings = [*_of_input(findings, robot, made)] if made.changes else findings
    stay, gone = ignore(findings, find_ignores(document), known)
    refused = any(finding.kind is REFUSED for finding in findings)
    # The table of programs covers only a URDF that can be read.
    programs = () if refused or made.changes else programs_of(findings)
    return ExaminedFile(
        path=document.path,
        findings=by_line(stay),
        ignored=tuple(gone),
        document=document,
        robot=robot,
        programs=programs,
    )


def examine_made(robot: UrdfRobot, meshes: Mapping[str, str]) -> Findings:
    """Yield lint's findings about a robot that a command made and has not written yet.

    The caller shows only effects on programs, which the rules of surfaces do not have, so these slow rules are left out.

    Args:
        robot: the result of the command.
        meshes: by mesh name the file where the mesh is now, as its final file does not exist yet.
    """
    # These two are not in RULES: they need no subject, only the robot, and `examine` adds repairs to the first of them.
    yield from of_reading(robot.warnings)
    yield from of_masses(robot)
    subject = LintedRobot(robot, meshes=meshes)
    for rule in RULES:
        if rule not in OF_SURFACES:
            yield from rule(subject)


def _of_robot(
    robot: UrdfRobot,
    packages: Packages,
    progress: Show,
    opens_meshes: bool,
) -> Findings:
    """Yield the findings of all rules."""
    yield from of_masses(robot)
    meshes, lost = find_meshes(robot, packages)
    yield from lost

    def open_named(name: str) -> OpenedMesh:
        """Return the content of a mesh, if it has a file, and show progress, as a large file takes long."""
        if name not in meshes or not opens_meshes:
            return SOUND
        progress(os.path.basename(name), 0)
        return open_mesh(meshes[name])

    subject = LintedRobot(
        robot=robot,
        limbs=_limbs(robot),
        open_mesh=open_named,
        meshes=meshes,
        misspelled=_misspelled(lost, meshes),
    )
    if meshes and not opens_meshes:
        name = os.path.basename(next(iter(meshes.values())))
        yield found(MESH_UNOPENED, 0, "off", (name,), (float(len(meshes)),))
    rules = RULES if opens_meshes else [rule for rule in RULES if rule not in OF_MESHES]
    for rule in rules:
        yield from rule(subject)


def _limbs(robot: UrdfRobot) -> Tuple["LimbPair", ...]:
    """Return the left and right limbs, by the names and the axes of the base."""
    children = [joint.child for joint in robot.joints]
    if not left_right_pairs(children) and not left_right_pairs(list(robot.named)):
        return ()
    from .left_right_symmetry import limbs_of

    return limbs_of(robot, find_base_frame(robot).R_new_old)


def _made_names(robot: UrdfRobot) -> Set[str]:
    """Return names that the input does not contain: links between joints of one body, and the ends of cut loops."""
    links = {name for name, link in robot.links.items() if not link.source.line}
    cut = [warning.names[-1] for warning in robot.warnings if warning.kind is LOOP_CUT]
    for name in cut:
        links.update(f"{name}_{end}" for end in ("1", "2", "1_frame", "2_frame"))
    return links


def _of_input(findings: Sequence[LintFinding], robot: UrdfRobot, made: UrdfOfInput) -> Findings:
    """Yield the findings about a URDF that also apply to the MJCF or SDF it was made from, in its names."""
    # A part that was not read is a finding: the robot is incomplete.
    yield from [LintFinding(note) for note in made.lost if note.kind is INPUT_UNSELECTED]
    named = {note.names[2]: note.names[1] for note in made.lost if note.kind is INPUT_RENAMED}
    undrawn = {note.names[0] for note in made.lost if note.sentence == "geometry"}
    bodies = names_of_bodies(robot)
    partial = {bodies[name] for name in undrawn}  # URDF has no ellipsoids and planes
    partly_drawn = {name for name, body in bodies.items() if body in partial}
    for finding in findings:
        kind = finding.kind.name
        names = finding.diagnostic.names
        about_shapes = any(fnmatchcase(kind, glob) for glob in OF_SHAPES)
        of_all = kind in (TOO_LIGHT.name, UNITS.name) and bool(undrawn)
        if about_shapes and (of_all or not partly_drawn.isdisjoint(names)):
            continue
        if not any(fnmatchcase(kind, glob) for glob in OF_URDF):
            given = tuple(named.get(name, name) for name in names)
            yield LintFinding(finding.diagnostic._replace(names=given))


def _not_repairable(examined: ExaminedFile) -> ExaminedFile:
    """Return the findings without repairs: the file contains no URDF text to edit."""
    findings = tuple(LintFinding(finding.diagnostic) for finding in examined.findings)
    ignored = tuple(
        (LintFinding(finding.diagnostic), reason) for finding, reason in examined.ignored
    )
    every = [*findings, *(finding for finding, _ in ignored)]
    programs = programs_of(every) if examined.programs else ()
    return examined._replace(findings=findings, ignored=ignored, programs=programs)


def by_line(findings: Sequence[LintFinding]) -> Tuple[LintFinding, ...]:
    """Return findings by their lines, without duplicates; duplicates merge their repairs."""
    alike = grouped((finding.diagnostic, finding) for finding in findings)
    merged = [LintFinding(diagnostic, _repair_of_all(same)) for diagnostic, same in alike.items()]
    return tuple(sorted(merged, key=lambda finding: finding.diagnostic.line))


def _repair_of_all(same: Sequence[LintFinding]) -> Tuple[AttributeEdit, ...]:
    """Return the edits of equal findings, such as of two visuals in one line; each value once."""
    edits: Dict[Tuple[int, str, str], AttributeEdit] = {}
    for edit in chain.from_iterable(finding.repair for finding in same):
        edits.setdefault((edit.element.offset, edit.child, edit.attribute), edit)
    return tuple(edits.values())


def refusals(error: UrdfError) -> Findings:
    """Yield a finding for each problem of an error."""
    problems: Sequence[UrdfError] = (error,)
    if isinstance(error, ErrorGroup):
        problems = error.problems
    for problem in problems:
        yield found(REFUSED, problem.line, "problem", (problem.message,))


def _read(document: Document, findings: List[LintFinding]) -> Optional[UrdfRobot]:
    """Read a robot, also a robot that this tool refuses and common parsers read; None if it cannot be read."""
    try:
        robot = read_robot(document)
    except UrdfError as error:
        findings += refusals(error)
        try:
            robot = read_robot(document, lenient=True)
        except UrdfError:
            return None
    # The warning of a repair has the line of the repaired element.
    understood = {edit.element.line: edit for edit in robot.repairs}
    for finding in of_reading(robot.warnings):
        edit: Optional[AttributeEdit] = None
        if finding.kind.name == REPAIRED.name:
            edit = understood.get(finding.diagnostic.line)
        elif finding.kind.name == XML_DECLARATION.name:
            edit = AttributeEdit(document.root, DECLARATION_MOVE, "line 1")
        if edit is not None:
            finding = finding._replace(repair=(edit,))
        findings.append(finding)
    return robot
