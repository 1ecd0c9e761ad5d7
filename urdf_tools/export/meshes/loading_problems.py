"""Problems that keep a program from loading a result, found in the result itself; and the meshes that it reads.

Facts of MuJoCo 4.0 and Drake 1.51: their URDF readers refuse the whole robot for each of these.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import chain
from typing import Dict, Iterator, List, Sequence, Set, Tuple

from ...base.type_aliases import Texts
from ...base.diagnostics import Diagnostic, Diagnostics, NOTE
from ...base.errors import BrokenMesh
from ...base.number_text import count_of, grouped, shown_names
from ...collada.conversion_records import ReductionRecord
from ...formats.export_diagnostics import NOT_LOADED
from ...meshes.read_mesh_files import read_bytes
from ...meshes.mesh_readers import ending_of, READERS
from ...meshes.first_obj_object import has_several_objects
from ...model.model_shapes import READS
from ...plan.mesh_tasks import MeshResult
from ...run.run_records import ExportedFiles, Result
from ...urdf.urdf_records import UrdfRobot
from ...urdf.package_resolver import resolve, PackageResolver, resolver_for
from ...urdf.spatial_math import why_not_physical
from ..shared_run_values import mesh_table
from ..export_request import ExportRequest
from .mesh_request import MeshRequest, PROFILES, read_mesh_request, WITH_COLORS

NO_ENDING = "''"


def mesh_exports(request: ExportRequest) -> ExportedFiles:
    """Return the lines on meshes in other formats: the choices, their readers, and the work that is left."""
    wanted = read_mesh_request(
        request.choices,
        request.result.plan.options.meshes,
        request.spelled,
        writes_urdf=bool(request.output),
    )
    if wanted is None:
        return ExportedFiles()
    meshes = request.result.plan.meshes
    if wanted.leaves_obj and not meshes.files:
        return ExportedFiles()  # MuJoCo reads all meshes as they are
    lines: List[str] = []
    within = request.result.plan.options.meshes.visual_error
    if within:
        lines.append(reduced_line([(job.path, made) for job, made in meshes.reduced], within))
    lines += [
        *_chosen(wanted),
        *_nothing_made(meshes, wanted),
        *_of_drake(request, wanted),
        *_untouched(request.result),
    ]
    problems: Diagnostics = []
    refused_by: Texts = ()
    # MuJoCo gets its own file with its own report, so it does not matter how it would read the URDF.
    if wanted.profile and not (wanted.is_for("mujoco") and not request.output):
        problems = not_loaded(request, wanted.profile.name, wanted.profile.label)
        refused_by = (wanted.profile.label,) if problems else ()
    return ExportedFiles(lines=tuple(lines), left=tuple(problems), refused_by=refused_by)


# Programs with the URDF reader of a different program.
READS_LIKE = {"pinocchio": "rviz", "isaac": "newton"}


def said_of_reader(request: ExportRequest) -> ExportedFiles:
    """Return the findings of lint's program table about the written URDF, for the program it is written for."""
    asked = str(request.choices["for"])
    program = READS_LIKE.get(asked, asked)
    if not request.output:
        return ExportedFiles()
    from ...lint.examine_file import examine_made  # imported here: slow to load
    from ...lint.program_effects import command_for, effects_of, LOADS, LOSES, PROGRAMS, REFUSES

    robot = request.result.after
    meshes = {name: file.source for name, file in mesh_table(request).meshes.items() if file.source}
    label = PROFILES[asked].label if asked in PROFILES else PROGRAMS[program]
    # Skip problems that the lines on meshes report already.
    known = {problem.line for problem in not_loaded(request, asked, label)}
    is_refused = bool(known)
    problems = []
    for effect, finding in effects_of(program, examine_made(robot, meshes)):
        about = finding.diagnostic
        is_small = effect.verdict == LOSES and finding.severity == NOTE
        if effect.verdict == LOADS or is_small or about.line in known:
            continue
        is_refused = is_refused or effect.verdict == REFUSES
        cure = command_for(effect, finding, program, request.output)
        problems.append(
            _refused(about.line, "said", label, effect.verdict, effect.what, about.text, cure)
        )
    refused_by = (label,) if is_refused else ()
    return ExportedFiles(left=tuple(dict.fromkeys(problems)), refused_by=refused_by)


def _chosen(wanted: MeshRequest) -> Iterator[str]:
    """Yield the choices of a profile, and the programs that read the up axis of the written glTF."""
    if wanted.profile:
        stays = ""
        if wanted.leaves_stl and wanted.format != "stl":
            stays = ", binary STL stays"
            if wanted.leaves_obj:
                stays = ", binary STL and OBJ in one piece and color stay"
        yield (
            f"For {wanted.profile.label}: --mesh-format {wanted.format}{stays}, --mesh-paths {wanted.paths}"
            f" ({wanted.profile.reason})"
        )
    if wanted.format in WITH_COLORS and wanted.up == "y":
        yield (
            "glTF has +Y up, as its specification says: Drake, RViz 2 since 2025 and Blender turn it upright;"
            " trimesh, Pinocchio and Gazebo do not (--for gazebo); what was glTF keeps its axes"
        )
    elif wanted.format in WITH_COLORS:
        yield (
            "glTF has +Z up, as URDF: trimesh, Pinocchio and Gazebo take it so; Drake, RViz 2 since 2025 and"
            " Blender turn it over (--for drake); what was glTF keeps its axes"
        )


def reduced_line(meshes: Sequence[Tuple[str, ReductionRecord]], within: float) -> str:
    """Return a line with the triangles that visual meshes lost, within an error [m], and the reasons why others stay.

    `meshes` are by path.
    """
    from ...meshes.triangle_reduction import GAIN, SMALL, TEXTURES, UNPROVEN

    stays_for = {
        TEXTURES: "with images: {0}",
        UNPROVEN: "without a proof: {0}",
        SMALL: "of fewer than 500 triangles",
        GAIN: "that would lose fewer than 10 %",
    }
    made = [reduced for _, reduced in meshes if not reduced.why]
    stay = grouped((reduced.why, os.path.basename(path)) for path, reduced in meshes if reduced.why)
    reasons = [
        f"{len(stay[why])} {words.format(shown_names(stay[why]))}"
        for why, words in stays_for.items()
        if why in stay
    ]
    count = sum(map(len, stay.values()))
    verb = "stays" if count == 1 else "stay"
    stays = f"{count} {verb} ({', '.join(reasons)})"
    error = f"{1e3 * within:.6g} mm"
    if not made:
        line = f"Visual meshes: none has fewer triangles within {error}"
        return f"{line}: {stays}" if stay else line
    before = sum(reduced.before for reduced in made)
    after = sum(reduced.after for reduced in made)
    share = f"{100.0 * after / before:.0f} %"
    line = f"Visual meshes: {before:,} -> {after:,} triangles ({share}), proven within {error} of the originals, both ways"
    return f"{line}; {stays}" if stay else line


def _nothing_made(meshes: MeshResult, wanted: MeshRequest) -> List[str]:
    """Return that no mesh was converted, if all readable meshes were requested and no warning gives the reason."""
    if not wanted.every or meshes.files or meshes.warnings:
        return []
    line = "No mesh is converted: the robot has none that can be read"
    if wanted.format == "stl":
        line += ", but for binary STL"
    return [line]


def _of_drake(request: ExportRequest, wanted: MeshRequest) -> List[str]:
    """Return how Drake reads the meshes of the result."""
    if wanted.profile or not wanted.format:
        return []
    refused = [*_unread_meshes(request, "drake")]
    if not refused:
        return ["Drake loads all meshes of the result, as visuals and as collisions"]
    links = request.result.after.links.values()
    collisions = chain.from_iterable(link.collisions for link in links)
    colliding = {shape.source.line for shape in collisions}
    # Drake refuses a robot for a collision that it cannot read, and only leaves out a visual.
    shown = [problem for problem in refused if problem.line in colliding]
    effect = "refuses the robot for"
    if not shown:
        shown = refused
        effect = "does not draw"
    way_out = "" if wanted.format == "gltf" else " (--for drake)"
    return [
        f"Drake {effect} {count_of(len(shown), 'mesh', 'meshes')}, the first in line {shown[0].line}{way_out}"
    ]


def _untouched(result: Result) -> List[str]:
    """Return the number of files of unreadable formats that stay unchanged, by their endings."""
    counts = Counter(
        ending_of(mesh) for mesh in _meshes_of(result.after) if ending_of(mesh) not in READERS
    )
    lines = []
    for ending, count in sorted(counts.items()):
        files = count_of(count, f"{ending or NO_ENDING} file")
        as_before = "it is" if count == 1 else "they are"
        lines.append(f"{files} left as {as_before}")
    return lines


def not_loaded(request: ExportRequest, consumer: str, label: str) -> Diagnostics:
    """Return the problems for which MuJoCo or Drake still refuses the result, in the order of its lines."""
    if consumer not in READS:
        return []
    robot = request.result.after
    problems = [*_unread_meshes(request, consumer)]
    if consumer == "mujoco":
        name = os.path.basename(str(request.choices.get("mjcf") or ""))
        problems += [*_massless(robot, name), *_non_physical(robot), *_flat_meshes(request)]
        tops = robot.document.root.elements("mujoco")
        problems += [_refused(top.line, "again", str(tops[0].line)) for top in tops[1:]]
    else:
        from ...lint.program_rules import fixed_followers, recolored

        # A material name that had a different color before; a follower that is fixed or has a fixed leader, where Drake
        # stops with "0 DOF cannot mimic".
        problems += [
            _refused(element.line, "color", element.get("name") or "")
            for element in recolored(robot.document.root)
        ]
        for joint, leader in fixed_followers(robot):
            sentence = "follower" if joint.type == "fixed" else "leader"
            problems.append(_refused(joint.source.line, sentence, joint.name, leader))
    labeled = {problem._replace(names=(label, *problem.names)) for problem in problems}
    return sorted(labeled, key=lambda problem: (problem.line, problem.text))


def _unread_meshes(request: ExportRequest, consumer: str) -> Iterator[Diagnostic]:
    """Yield meshes that are missing, or of a format that the program does not read."""
    folder, resolver = _resolver_of(request)
    made = {os.path.realpath(file.target) for file in request.result.plan.meshes.files}
    known: Dict[str, Texts] = {}
    for _, shape in request.result.after.shapes:
        mesh = shape.mesh
        if not mesh:
            continue
        line = shape.source.line
        is_package = mesh.startswith("package://")
        # The files of this run are not in their place yet.
        is_made = os.path.realpath(os.path.join(folder, mesh)) in made
        if not is_made and resolve(mesh, resolver).path is None:
            yield _refused(line, "lost-package" if is_package else "lost", mesh)
        elif ending_of(mesh) not in READS[consumer]:
            can_convert = ending_of(mesh) in READERS
            yield _refused(line, "convert" if can_convert else "format", mesh)
        elif is_package and consumer == "mujoco":
            yield _refused(line, "package", mesh)
        elif consumer == "mujoco" and _fault_of_obj(mesh, resolver, known):
            sentence, *names = _fault_of_obj(mesh, resolver, known)
            yield _refused(line, sentence, mesh, *names)


def _resolver_of(request: ExportRequest) -> Tuple[str, PackageResolver]:
    """Return the folder of the result, and the resolver of its meshes."""
    folder = os.path.dirname(os.path.abspath(request.output or request.path))
    return folder, resolver_for(
        request.result.after.document.root, folder, request.result.plan.options.meshes.package
    )


def _meshes_of(robot: UrdfRobot) -> Set[str]:
    """Return the meshes of a robot, each once."""
    return {shape.mesh for _, shape in robot.shapes if shape.mesh}


def _refused(line: int, sentence: str, *names: str) -> Diagnostic:
    """Return the note that a program refuses something in a line."""
    return Diagnostic(NOT_LOADED, line, sentence, names)


def _fault_of_obj(mesh: str, resolver: PackageResolver, known: Dict[str, Texts]) -> Texts:
    """Return the sentence on content of an OBJ that MuJoCo would miss, with its names; () without a loss.

    Files of this run are whole and have a single object.
    """
    path = resolve(mesh, resolver).path
    if mesh not in known:
        try:
            is_obj = path is not None and ending_of(mesh) == ".obj"
            is_partly_drawn = is_obj and has_several_objects(read_bytes(path or ""))
            known[mesh] = ("several",) if is_partly_drawn else ()
        except BrokenMesh as error:
            known[mesh] = ("broken", error.message)
    return known[mesh]


def _massless(robot: UrdfRobot, mjcf: str) -> Diagnostics:
    """Return moving links without a mass, even including the links fixed to them, which MuJoCo fuses.

    `mjcf` is the written file, which MuJoCo loads directly, or "".
    """
    mass = {name: link.mass for name, link in robot.links.items()}
    # From the leaves inward: each link has the mass of all links fixed to it before its parent receives it.
    for joint in reversed(robot.tree):
        if joint.type == "fixed":
            mass[joint.parent] += mass[joint.child]
    sentence = "massless-urdf" if mjcf else "massless"
    moving = [joint.child for joint in robot.tree if joint.type != "fixed"]
    return [
        _refused(robot.links[name].source.line, sentence, name, mjcf)
        for name in moving
        if not mass[name] > 0.0
    ]


def _non_physical(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield links with non-physical inertia; the inertia of the root does not matter, as it is static."""
    for link in robot.links.values():
        if link.name != robot.root and link.inertial is not None and link.mass > 0.0:
            reason = why_not_physical(link.mass, link.inertial.properties.inertia)
            if reason:
                yield _refused(link.source.line, "inertia", link.name, reason)


def _flat_meshes(request: ExportRequest) -> Diagnostics:
    """Return meshes that lie in one plane, alone in their file: meshes of this run, and STL that stays as it is."""
    robot = request.result.after
    plan = request.result.plan
    made = {
        os.path.basename(file.target): bool(file.part and file.part.planar)
        for file in plan.meshes.files
    }
    _, resolver = _resolver_of(request)
    flat: Dict[str, bool] = {}
    for mesh in _meshes_of(robot):
        path = resolve(mesh, resolver).path if ending_of(mesh) == ".stl" else None
        if path is not None:
            from ...meshes.stl_files import is_flat_stl  # imported here: slow to load
        flat[mesh] = made.get(os.path.basename(mesh), path is not None and is_flat_stl(path))
    return [
        _refused(shape.source.line, "planar", shape.mesh)
        for _, shape in robot.shapes
        if flat.get(shape.mesh)
    ]
