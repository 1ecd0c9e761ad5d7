"""Rules for what single programs refuse, and notes on what they do with a URDF that its author may not expect.

Facts of MuJoCo 4.0, sdformat 12, Drake 1.51, Newton 1.8 and PyBullet 3.2.7; `tests/judges/test_programs.py` asks them.
"""

from __future__ import annotations

import os
from itertools import chain, dropwhile
from math import fsum, sqrt
from operator import mul
from typing import Dict, Iterable, Iterator, List, Set, Tuple

from ..base.types import Reals
from ..base.diagnostics import Diagnostic
from ..base.number_text import grouped, numbers_in
from ..base.record import Record
from ..facts.simulator_values import lumped_links
from ..model.shapes import READS
from ..plan.merging import WORLD_LINKS
from ..report.grouped_warnings import grouped_lines
from ..report.layout import Style
from ..robot.principal_axes import principal
from ..run.records import Result
from ..urdf.lossless_xml import Element
from ..urdf.mesh_paths import keeps_visuals
from ..urdf.model import UrdfJoint, Limit, NO_MASS, UrdfRobot, UrdfShape, SIZES
from ..urdf.spatial import (
    largest_entry,
    MassProperties,
    merge_mass,
    move_mass,
    why_not_physical,
)
from .kinds import IN_DRAKE, IN_GAZEBO, IN_MUJOCO, IN_NEWTON, IN_PYBULLET, IN_READERS, LEFT_RIGHT
from .records import LintFinding, Findings, Subject
from .supports import find_bodies, names_of_bodies


def simulator_notes(robot: UrdfRobot) -> Tuple[Diagnostic, ...]:
    """Return the notes that apply to the robot, with their lines.

    Facts of MuJoCo 3 and 4 (its URDF importer), sdformat 9 to 15 as gz uses it, and the KDL parser of ROS.
    """
    return (
        *_looks_in_mujoco(robot),
        *_joints_and_masses_in_mujoco(robot),
        *_notes_of_gazebo(robot),
        *_notes_of_readers(robot),
    )


def _looks_in_mujoco(robot: UrdfRobot) -> Iterator[Diagnostic]:
    visuals = [(link.name, shape) for link in robot.links.values() for shape in link.visuals]
    keeps = keeps_visuals(robot.document.root)
    if visuals and not keeps:
        yield Diagnostic(IN_MUJOCO, 0, "visuals")
    # MuJoCo draws a visual without material in the color of the one before, if there is one.
    for name, shape in dropwhile(lambda visual: visual[1].source.find("material") is None, visuals):
        if shape.source.find("material") is None:
            yield Diagnostic(IN_MUJOCO, shape.source.line, "material", (name,))
    shown: Set[str] = set()
    for shape in (
        shape
        for link in robot.links.values()
        for shape in (*link.collisions, *link.visuals)
        if shape.mesh
    ):
        if (
            os.path.splitext(shape.mesh)[1].lower() not in READS["mujoco"]
            and shape.mesh not in shown
        ):
            shown.add(shape.mesh)
            yield Diagnostic(
                IN_MUJOCO,
                shape.source.line,
                "mesh" if keeps or shape.kind == "collision" else "drawn",
                (os.path.basename(shape.mesh),),
            )


def _joints_and_masses_in_mujoco(robot: UrdfRobot) -> Iterator[Diagnostic]:
    for joint in robot.joints:
        low, high, *_ = joint.limit or Limit()
        if joint.type in ("revolute", "prismatic") and (
            low > high if low is not None and high is not None else (low is None) != (high is None)
        ):
            yield Diagnostic(IN_MUJOCO, joint.source.line, "limit", (joint.name,))
    for link in (robot.links[joint.child] for joint in robot.joints if joint.type != "fixed"):
        if (
            link.inertial is not None
            and link.mass > 0.0
            and why_not_physical(link.mass, link.inertial.properties.inertia)
        ):
            yield Diagnostic(IN_MUJOCO, link.inertial.source.line, "inertia", (link.name,))


def _notes_of_gazebo(robot: UrdfRobot) -> Iterator[Diagnostic]:
    links = lumped_links(robot.document.root)
    for joint in robot.tree:
        if links[joint.child].body != joint.child:
            yield Diagnostic(IN_GAZEBO, joint.source.line, "lumped", (joint.name,))
    masses: Dict[str, float] = {}
    for name, link in robot.links.items():
        masses[links[name].body] = masses.get(links[name].body, 0.0) + link.mass
    kept = {links[name].body for name in robot.links} - ({robot.root} & {*WORLD_LINKS})

    # gz::math::equal to zero.
    dropped = [name for name in robot.links if name in kept and masses[name] <= NO_MASS]
    for name in dropped:
        sentence = (
            "nothing"
            if len(dropped) == len(kept)
            else "root"
            if name == robot.root
            else ("light" if masses[name] else "dropped")
        )
        yield Diagnostic(IN_GAZEBO, robot.links[name].source.line, sentence, (name,))


def _notes_of_readers(robot: UrdfRobot) -> Iterator[Diagnostic]:
    root = robot.links[robot.root]
    if root.inertial is not None and (
        root.mass > 0.0 or largest_entry(root.inertial.properties.inertia) > 0.0
    ):
        sentence = "world" if root.name in WORLD_LINKS else "root"
        yield Diagnostic(IN_READERS, root.inertial.source.line, sentence, (root.name,))
    first = {
        element.get("name"): element for element in reversed([*recolored(robot.document.root)])
    }
    yield from (
        Diagnostic(IN_READERS, element.line, "colors", (name or "",))
        for name, element in first.items()
    )


def recolored(root: Element) -> Iterator[Element]:
    """Yield materials whose name had another color before; those of the robot are read first."""
    known: Dict[str, Reals] = {}
    for element in chain(root.elements("material"), root.walk()):
        color = (
            element.find("color") if element.name == "material" and element.get("name") else None
        )
        rgba = color.get("rgba") if color is not None else None
        numbers = tuple(
            value for word in (rgba or "").split() for value in numbers_in(word, 1) or ()
        )
        if numbers and known.setdefault(element.get("name") or "", numbers) != numbers:
            yield element


PACKAGE = "package://"
# Bytes of the head and of a triangle of a binary STL, and the triangles that MuJoCo reads.
STL_HEAD = 84
STL_TRIANGLE = 50
STL_MOST = 200000
# builder.inertia_*_tolerance.
NEWTON_MOMENT = 1e-10  # [kg m^2]
NEWTON_RATIO = 1e-6  # of the largest moment
MUJOCO_MOMENT = 1e-14  # kg m^2
OF_MOTION = ("acceleration", "deceleration", "jerk")  # of a <limit>, in URDF 1.2
LONG = 1e-3  # of the length of an axis: as far is worth a note
OLD_URDFDOM = (None, "1.0")  # versions of <robot> that urdfdom 3 reads


class ShapeMesh(Record):
    """A shape with a mesh: its name, and the file, "" if it is not there."""

    shape: UrdfShape
    name: str
    path: str

    @property
    def ending(self) -> str:
        """The ending of its name, in lower case."""
        return os.path.splitext(self.name)[1].lower()

    @property
    def package(self) -> str:
        """The package that its name begins with, or ""."""
        return self.name[len(PACKAGE) :].split("/")[0] if self.name.startswith(PACKAGE) else ""


def fixed_followers(robot: UrdfRobot) -> Iterator[Tuple[UrdfJoint, str]]:
    """Yield joints with a `<mimic>` that are fixed, or follow a fixed joint, with the name of what they follow."""
    fixed = {joint.name for joint in robot.joints if joint.type == "fixed"}
    for joint in robot.joints:
        mimic = joint.source.find("mimic")
        leader = (mimic.get("joint") or "") if mimic is not None else ""
        if mimic is not None and (joint.type == "fixed" or leader in fixed):
            yield joint, leader


def program_rules(subject: Subject) -> Findings:
    """Yield what MuJoCo, Gazebo, Drake, Newton or PyBullet refuses of the robot, and lint has no other kind for."""
    document = subject.robot.document
    rules = (
        _meshes(subject),
        _sizes(subject.robot),
        _masses(subject.robot),
        _joints(subject.robot),
        _elements(document.root, os.path.dirname(document.path)),
    )
    return (LintFinding(diagnostic) for rule in rules for diagnostic in rule)


def _unread(meshes: Iterable[ShapeMesh], program: str) -> List[ShapeMesh]:
    """Return the meshes whose format a program does not read."""
    return [mesh for mesh in meshes if mesh.ending not in READS[program]]


def _meshes(subject: Subject) -> Iterator[Diagnostic]:
    robot = subject.robot
    meshes = [
        ShapeMesh(shape, shape.mesh, subject.meshes.get(shape.mesh, ""))
        for _, shape in robot.shapes
        if shape.mesh
    ]
    colliding = [mesh for mesh in meshes if mesh.shape.kind == "collision"]
    read = meshes if keeps_visuals(robot.document.root) else colliding
    # Newton looks for a package among the folders above the URDF.
    folders = os.path.abspath(robot.document.path).split(os.sep)
    found = [mesh for mesh in meshes if mesh.path]
    packed = [mesh for mesh in found if mesh.package]
    # The repair of its spelling opens a misspelled file: a folder of a package does not.
    lost = [mesh for mesh in meshes if not mesh.path and mesh.name not in subject.misspelled]
    for kind, sentence, shapes in (
        (IN_MUJOCO, "file", [mesh for mesh in read if not mesh.path or mesh.package]),
        (IN_DRAKE, "file", lost),
        (IN_DRAKE, "package", packed),
        (IN_DRAKE, "mesh", _unread(colliding, "drake")),
        (IN_NEWTON, "file", [mesh for mesh in packed if mesh.package not in folders]),
        (IN_READERS, "mirrored", [mesh for mesh in meshes if _is_mirrored(mesh.shape)]),
        (IN_PYBULLET, "mesh", _unread(found, "pybullet")),
    ):
        names = list(dict.fromkeys(mesh.name for mesh in shapes))
        if names:
            yield Diagnostic(
                kind=kind,
                line=shapes[0].shape.source.line,
                sentence=sentence,
                names=(os.path.basename(names[0]),),
                numbers=(float(len(names)),),
            )
    for mesh in read:
        if mesh.ending == ".stl" and mesh.path and not _is_stl_of_mujoco(mesh.path):
            yield Diagnostic(
                IN_MUJOCO, mesh.shape.source.line, "stl", (os.path.basename(mesh.name),)
            )


def _is_mirrored(shape: UrdfShape) -> bool:
    # As `mirrors` of compare, which a lint does not load.
    x, y, z = shape.scale or (1.0, 1.0, 1.0)
    return x * y * z < 0.0


def _is_stl_of_mujoco(path: str) -> bool:
    """Return True if a file is binary STL with as many triangles as its head says, and MuJoCo reads so many."""
    try:
        with open(path, "rb") as stream:
            count = int.from_bytes(stream.read(STL_HEAD)[-4:], "little")
    except OSError:
        return False
    return os.path.getsize(path) == STL_HEAD + STL_TRIANGLE * count and 0 < count <= STL_MOST


def _sizes(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield shapes with a size of zero or less; Drake takes a sphere without a radius."""
    for link in robot.links.values():
        for shape in link.shapes:
            drawn = shape.drawn
            if (
                drawn is None
                or drawn.name == "mesh"
                or drawn.name not in SIZES
                or not any(
                    value <= 0.0
                    for key, count in SIZES[drawn.name]
                    for value in numbers_in(drawn.get(key) or "", count) or ()
                )
            ):
                continue
            if shape.kind == "collision":
                yield Diagnostic(IN_MUJOCO, shape.source.line, "size", (link.name,))
            if drawn.name != "sphere":
                yield Diagnostic(IN_DRAKE, shape.source.line, "size", (link.name,))


def _masses(robot: UrdfRobot) -> Iterator[Diagnostic]:
    yield from _tiny_masses(robot)
    weighed = [*weighed_by_mujoco(robot)]
    if weighed:
        line = robot.links[weighed[0]].source.line
        yield Diagnostic(
            kind=IN_MUJOCO,
            line=line,
            sentence="mass",
            names=(weighed[0],),
            numbers=(float(len(weighed)),),
        )
    yield from _masses_on_fixed_joints(robot)


def _tiny_masses(robot: UrdfRobot) -> Iterator[Diagnostic]:
    tiny = [
        name
        for name, link in robot.links.items()
        if link.inertial and _is_tiny(link.inertial.properties)
    ]
    bodies = find_bodies(robot)
    whole = grouped(
        (bodies[name].name, move_mass(bodies[name].T_body_link, link.inertial.properties))
        for name, link in robot.links.items()
        if link.inertial
    )
    # A part is cured where fixed links become one; a body that is tiny as a whole is not.
    parts = [name for name in tiny if not _is_tiny(merge_mass(whole[bodies[name].name]))]
    for sentence, names in (("moment", [*{*tiny} - {*parts}]), ("part", parts)):
        first = min(names, key=tiny.index, default="")
        if first:
            line = robot.links[first].source.line
            yield Diagnostic(
                kind=IN_NEWTON,
                line=line,
                sentence=sentence,
                names=(first,),
                numbers=(float(len(names)),),
            )
    bare = [
        name
        for name, link in robot.links.items()
        if link.inertial is None and bodies[name].name in whole
    ]
    if bare:
        line = robot.links[bare[0]].source.line
        yield Diagnostic(
            kind=IN_PYBULLET,
            line=line,
            sentence="mass",
            names=(bare[0],),
            numbers=(float(len(bare)),),
        )


def _masses_on_fixed_joints(robot: UrdfRobot) -> Iterator[Diagnostic]:
    fixed = [joint for joint in robot.tree if joint.type == "fixed"]
    bodies = names_of_bodies(robot)
    mass = fsum(link.mass for name, link in robot.links.items() if bodies[name] == robot.root)
    joined = {robot.root, *(name for joint in fixed for name in (joint.parent, joint.child))}
    for name, link in robot.links.items():
        if link.inertial is None:
            continue
        # MuJoCo looks at each tensor before it fuses links: on a fixed joint only one of zeros passes.
        tensor = link.inertial.properties.inertia
        counts = any(map(any, tensor)) if name in joined else link.mass > 0.0
        if counts and 0.0 <= principal(tensor)[0][0] < MUJOCO_MOMENT:
            yield Diagnostic(IN_MUJOCO, link.inertial.source.line, "moment", (name,))
    if mass > 0.0:
        yield Diagnostic(
            kind=IN_MUJOCO,
            line=robot.links[robot.root].source.line,
            sentence="root",
            names=(robot.root,),
            numbers=(mass,),
        )
    if fixed:
        yield Diagnostic(
            kind=IN_MUJOCO,
            line=fixed[0].source.line,
            sentence="fused",
            names=(),
            numbers=(float(len(fixed)),),
        )


def weighed_by_mujoco(robot: UrdfRobot) -> Dict[str, str]:
    """Return the links that MuJoCo weighs as water in their collisions, each with the body that moves with it."""
    return {
        name: body
        for name, body in names_of_bodies(robot).items()
        if robot.links[name].inertial is None
        and robot.links[name].collisions
        and body != robot.root
    }


def _is_tiny(properties: MassProperties) -> bool:
    """Return True if Newton changes a tensor: it has a tiny moment, or no mass."""
    least, _, largest = principal(properties.inertia)[0]
    return (
        least < max(NEWTON_MOMENT, NEWTON_RATIO * largest)
        if properties.mass > 0.0
        else largest > 0.0
    )


def _length_of_axis(joint: UrdfJoint) -> float:
    """Return the length of the axis as it is written; 1 where there is none."""
    axis = joint.source.find("axis")
    numbers = numbers_in(axis.get("xyz") or "", 3) if axis is not None else None
    return sqrt(fsum(map(mul, numbers, numbers))) if numbers else 1.0


def _joints(robot: UrdfRobot) -> Iterator[Diagnostic]:
    links = lumped_links(robot.document.root)
    for joint in robot.joints:
        line = joint.source.line
        # In SDF links and joints share their names; a joint that Gazebo lumps is no more.
        if joint.name in robot.links and links[joint.child].body == joint.child:
            yield Diagnostic(IN_GAZEBO, line, "name", (joint.name,))
        if joint.type in ("floating", "planar"):
            yield Diagnostic(IN_GAZEBO, line, "joint", (joint.name, joint.type))
        if joint.dynamics is not None and (joint.dynamics.damping or 0.0) < 0.0:
            yield Diagnostic(IN_DRAKE, line, "damping", (joint.name,))
        lower, upper, *_ = joint.limit or Limit()
        if joint.limit and joint.type in ("revolute", "prismatic") and None in (lower, upper):
            yield Diagnostic(IN_READERS, line, "end", (joint.name,))
        of_motion = [key for key in OF_MOTION if _says(joint, key)]
        if of_motion:
            yield Diagnostic(IN_READERS, line, "motion", (joint.name, ", ".join(of_motion)))
        length = _length_of_axis(joint) if joint.type == "prismatic" else 1.0
        if abs(length - 1.0) > LONG:
            yield Diagnostic(
                kind=IN_PYBULLET, line=line, sentence="axis", names=(joint.name,), numbers=(length,)
            )
        if joint.type == "continuous" and (lower is not None or upper is not None):
            yield Diagnostic(IN_READERS, line, "continuous", (joint.name,))
        if joint.type == "floating" and joint.parent != robot.root:
            yield Diagnostic(IN_MUJOCO, line, "floating", (joint.name,))
    for joint, _ in fixed_followers(robot):
        yield Diagnostic(IN_READERS, joint.source.line, "follower", (joint.name,))


def _says(joint: UrdfJoint, key: str) -> bool:
    """Return True if the `<limit>` of a joint has an attribute."""
    limit = joint.source.find("limit")
    return limit is not None and limit.get(key) is not None


def _elements(root: Element, folder: str) -> Iterator[Diagnostic]:
    version = root.get("version")
    if version not in OLD_URDFDOM:
        yield Diagnostic(IN_GAZEBO, root.line, "version", (version or "",))
    for element in root.walk():
        if (
            element.name == "texture"
            and element.get("filename")
            and not os.path.exists(os.path.join(folder, element.get("filename") or ""))
        ):
            yield Diagnostic(IN_DRAKE, element.line, "texture", (element.get("filename") or "",))
    for element in root.elements("loop_joint"):
        yield Diagnostic(IN_DRAKE, element.line, "loop")
    for element in root.elements("transmission"):
        if element.find("type") is None and element.get("type") is None:
            yield Diagnostic(IN_DRAKE, element.line, "transmission", (element.get("name") or "",))


def findings_of_result(result: Result) -> Tuple[Diagnostic, ...]:
    """Return how left and right differ, if the frames are canonical, and notes for simulators.

    They are about the result and have the lines of the input, as all diagnostics of a run; 0 for what is not there.
    """
    from .symmetry import left_right, limbs_of

    limbs = limbs_of(result.after) if result.plan.options.reorient else ()
    diagnostics = [diagnostic for each in limbs for diagnostic in left_right(each)]
    return tuple(
        diagnostic._replace(line=_line_in(result.before, diagnostic))
        for diagnostic in (*diagnostics, *simulator_notes(result.after))
    )


def finding_lines(result: Result, style: Style) -> List[str]:
    """Return the findings about a result under a title; nothing without any."""
    findings = findings_of_result(result)
    if not findings:
        return []
    title = style.title(f"Lint findings: {len(findings)}")
    return ["", title, *grouped_lines(findings, result.plan, style)]


def _line_in(robot: UrdfRobot, diagnostic: Diagnostic) -> int:
    """Return the line of the joint or link that a finding is about."""
    name = "".join(diagnostic.names[diagnostic.kind is LEFT_RIGHT :][:1])
    part = robot.named.get(name) or robot.links.get(name)
    return part.source.line if part else 0
