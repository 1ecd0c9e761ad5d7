"""Rules for robots that single programs refuse, and notes on how they treat a URDF that its author may not expect.

Facts of MuJoCo 4.0, sdformat 12, Drake 1.51, Newton 1.8 and PyBullet 3.2.7, checked by `tests/judges/test_programs.py`.
"""

from __future__ import annotations

import os
from itertools import chain
from math import fsum, sqrt
from operator import mul
from typing import Dict, Iterable, Iterator, List, Sequence, Set, Tuple

from ..base.type_aliases import Pair, Reals, Texts
from ..base.diagnostics import Diagnostic, DiagnosticKind
from ..base.number_text import numbers_in
from ..base.record_type import Record
from ..facts.simulator_values import lumped_links
from ..model.model_shapes import READS
from ..plan.link_merging import decide_merging, LinkMembership, WORLD_LINKS
from ..plan.kept_links import find_needs, find_references
from ..plan.run_options import Options
from ..report.grouped_warnings import grouped_lines
from ..report.line_layout import TextStyle
from ..robot.principal_axes import principal
from ..run.run_records import Result
from ..urdf.lossless_xml import Document, Element
from ..urdf.mesh_paths import keeps_visuals, mesh_folder_of, MujocoMeshFolder, names_in
from ..urdf.urdf_records import UrdfJoint, Limit, NO_MASS, UrdfRobot, UrdfShape, SIZES
from ..urdf.spatial_math import (
    largest_entry,
    MassProperties,
    merge_mass,
    move_mass,
    why_not_physical,
)
from .lint_diagnostics import (
    IN_DRAKE,
    IN_GAZEBO,
    IN_MUJOCO,
    IN_NEWTON,
    IN_PYBULLET,
    IN_READERS,
    LEFT_RIGHT,
)
from .finding_records import LintFinding, Findings, LintedRobot
from .opened_meshes import MATERIAL, NOTHING, NUMBER, OpenedMesh, PAGE, UNREADABLE
from .shape_bounds import find_bodies, names_of_bodies


MERGED = Options(lenient=True, merge_all=True)  # of `simplify --lenient --merge-all`


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
    """Yield the looks that MuJoCo does not show, or shows in another color."""
    keeps = keeps_visuals(robot.document.root)
    visuals: List[Tuple[str, UrdfShape]] = []
    for link in robot.links.values():
        visuals += [(link.name, shape) for shape in link.visuals]
    if visuals and not keeps:
        yield Diagnostic(IN_MUJOCO, 0, "visuals")
    # MuJoCo draws a visual without material in the color of the visual before.
    has_color = False
    for name, shape in visuals:
        if shape.source.find("material") is not None:
            has_color = True
        elif has_color:
            yield Diagnostic(IN_MUJOCO, shape.source.line, "material", (name,))
    shown: Set[str] = set()
    for link in robot.links.values():
        for shape in (*link.collisions, *link.visuals):
            ending = os.path.splitext(shape.mesh)[1].lower()
            if not shape.mesh or ending in READS["mujoco"] or shape.mesh in shown:
                continue
            shown.add(shape.mesh)
            sentence = "mesh" if keeps or shape.kind == "collision" else "drawn"
            names = (os.path.basename(shape.mesh),)
            yield Diagnostic(IN_MUJOCO, shape.source.line, sentence, names)


def _joints_and_masses_in_mujoco(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield limits that MuJoCo leaves out, and tensors that it refuses."""
    for joint in robot.joints:
        if joint.type in ("revolute", "prismatic") and _has_no_range(joint.limit or Limit()):
            yield Diagnostic(IN_MUJOCO, joint.source.line, "limit", (joint.name,))
    for joint in robot.joints:
        link = robot.links[joint.child]
        if joint.type == "fixed" or link.inertial is None or link.mass <= 0.0:
            continue
        if why_not_physical(link.mass, link.inertial.properties.inertia):
            yield Diagnostic(IN_MUJOCO, link.inertial.source.line, "inertia", (link.name,))


def _has_no_range(limit: Limit) -> bool:
    """Return True for limits that are reversed, or of which only one is written."""
    if limit.lower is None or limit.upper is None:
        return (limit.lower is None) != (limit.upper is None)
    return limit.lower > limit.upper


def _notes_of_gazebo(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield the links that Gazebo lumps into others, and the links that it drops as they have no mass."""
    links = lumped_links(robot.document.root)
    lumped = [joint for joint in robot.tree if links[joint.child].body != joint.child]
    members = _members_of(robot) if lumped else {}
    for joint in lumped:
        sentence = "lumped" if members[joint.child].merged else "lumped-kept"
        yield Diagnostic(IN_GAZEBO, joint.source.line, sentence, (joint.name,))
    masses: Dict[str, float] = {}
    for name, link in robot.links.items():
        masses[links[name].body] = masses.get(links[name].body, 0.0) + link.mass
    bodies = {links[name].body for name in robot.links} - ({robot.root} & {*WORLD_LINKS})

    # sdformat drops links whose mass gz::math::equal treats as zero.
    dropped = [name for name in robot.links if name in bodies and masses[name] <= NO_MASS]
    for name in dropped:
        if len(dropped) == len(bodies):
            sentence = "nothing"
        elif name == robot.root:
            sentence = "root"
        else:
            sentence = "light" if masses[name] else "dropped"
        yield Diagnostic(IN_GAZEBO, robot.links[name].source.line, sentence, (name,))


def _members_of(robot: UrdfRobot) -> Dict[str, LinkMembership]:
    """Return what `simplify --merge-all` does with each link: it keeps some, such as the base on a link `world`."""
    needs = find_needs(robot, tuple(find_references(robot)))
    return decide_merging(robot, needs, MERGED, set()).members


def _notes_of_readers(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield the mass of a root, which KDL ignores, and the names of materials that mean two colors."""
    root = robot.links[robot.root]
    if root.inertial is not None:
        is_heavy = root.mass > 0.0 or largest_entry(root.inertial.properties.inertia) > 0.0
        sentence = "world" if root.name in WORLD_LINKS else "root"
        if is_heavy:
            yield Diagnostic(IN_READERS, root.inertial.source.line, sentence, (root.name,))
    # In reverse, so that the first element of a name stays; the notes are sorted by their lines later.
    first = {
        element.get("name"): element for element in reversed([*recolored(robot.document.root)])
    }
    for name, element in first.items():
        yield Diagnostic(IN_READERS, element.line, "colors", (name or "",))


def recolored(root: Element) -> Iterator[Element]:
    """Yield materials whose name had another color before; materials of the robot are read first."""
    known: Dict[str, Reals] = {}
    for element in chain(root.elements("material"), root.walk()):
        if element.name != "material" or not element.get("name"):
            continue
        color = element.find("color")
        rgba = color.get("rgba") if color is not None else None
        words = (rgba or "").split()
        numbers = tuple(chain.from_iterable(numbers_in(word, 1) or () for word in words))
        if numbers and known.setdefault(element.get("name") or "", numbers) != numbers:
            yield element


PACKAGE = "package://"
# Versions of MuJoCo: in a URDF without `strippath` they strip the folder of a mesh name up to 3.6, and keep it since 3.8.
BEFORE_3_8 = "before 3.8"
SINCE_3_8 = "since 3.8"
# Bytes of the head and of a triangle of a binary STL, and the triangles that MuJoCo reads.
STL_HEAD = 84
STL_TRIANGLE = 50
STL_MOST = 200000
# builder.inertia_*_tolerance.
NEWTON_MOMENT = 1e-10  # [kg m^2]
NEWTON_RATIO = 1e-6  # of the largest moment
MUJOCO_MOMENT = 1e-14  # [kg m^2]
OF_MOTION = ("acceleration", "deceleration", "jerk")  # of a <limit>, in URDF 1.2
LONG = 1e-3  # of the length of an axis: a larger deviation deserves a note
OLD_URDFDOM = (None, "1.0")  # versions of <robot> that urdfdom 3 reads


class ShapeMesh(Record):
    """A shape with a mesh: the name of the mesh, its file, "" if it is missing, and the content of the file."""

    shape: UrdfShape
    name: str
    path: str
    opened: OpenedMesh

    @property
    def ending(self) -> str:
        """The ending of its name, in lower case."""
        return os.path.splitext(self.name)[1].lower()

    @property
    def package(self) -> str:
        """The package that its name begins with, or ""."""
        return self.name[len(PACKAGE) :].split("/")[0] if self.name.startswith(PACKAGE) else ""


def fixed_followers(robot: UrdfRobot) -> Iterator[Tuple[UrdfJoint, str]]:
    """Yield joints with a `<mimic>` that are fixed, or follow a fixed joint, each with the name of its leader."""
    fixed = {joint.name for joint in robot.joints if joint.type == "fixed"}
    for joint in robot.joints:
        mimic = joint.source.find("mimic")
        leader = (mimic.get("joint") or "") if mimic is not None else ""
        if mimic is not None and (joint.type == "fixed" or leader in fixed):
            yield joint, leader


def program_rules(subject: LintedRobot) -> Findings:
    """Yield the faults that MuJoCo, Gazebo, Drake, Newton or PyBullet refuses, and that have no kind of their own."""
    document = subject.robot.document
    rules = (
        _meshes(subject),
        _sizes(subject.robot),
        _masses(subject.robot),
        _joints(subject.robot),
        _elements(document.root, os.path.dirname(document.path)),
    )
    return map(LintFinding, chain.from_iterable(rules))


def _unread(meshes: Iterable[ShapeMesh], program: str) -> List[ShapeMesh]:
    """Return the meshes whose format a program does not read."""
    return [mesh for mesh in meshes if mesh.ending not in READS[program]]


def _meshes(subject: LintedRobot) -> Iterator[Diagnostic]:
    """Yield the meshes that programs do not find or read, one note for each program and reason."""
    robot = subject.robot
    meshes = [
        ShapeMesh(
            shape=shape,
            name=shape.mesh,
            path=subject.meshes.get(shape.mesh, ""),
            opened=subject.open_mesh(shape.mesh),
        )
        for _, shape in robot.shapes
        if shape.mesh
    ]
    colliding = [mesh for mesh in meshes if mesh.shape.kind == "collision"]
    read = meshes if keeps_visuals(robot.document.root) else colliding
    for row in _rows_of_meshes(subject, meshes, colliding, read):
        names = list(dict.fromkeys(mesh.name for mesh in row.meshes))
        if names:
            yield Diagnostic(
                kind=row.kind,
                line=row.meshes[0].shape.source.line,
                sentence=row.sentence,
                names=(os.path.basename(names[0]),),
                numbers=(float(len(names)),),
            )
    for mesh in read:
        is_stl = mesh.ending == ".stl" and bool(mesh.path)
        if is_stl and not mesh.opened.fault and not _is_stl_of_mujoco(mesh.path):
            names_of_mesh = (os.path.basename(mesh.name),)
            yield Diagnostic(IN_MUJOCO, mesh.shape.source.line, "stl", names_of_mesh)


class UnreadMeshes(Record):
    """The meshes that a program does not read, with the kind and the sentence of their note."""

    kind: DiagnosticKind
    sentence: str
    meshes: List[ShapeMesh]


def _rows_of_meshes(
    subject: LintedRobot,
    meshes: Sequence[ShapeMesh],
    colliding: Sequence[ShapeMesh],
    read: Sequence[ShapeMesh],
) -> Tuple[UnreadMeshes, ...]:
    """Return the meshes that each program does not find or read; `read` are those that MuJoCo opens."""
    # Newton looks for a package among the folders above the URDF.
    folders = os.path.abspath(subject.robot.document.path).split(os.sep)
    found = [mesh for mesh in meshes if mesh.path]
    packed = [mesh for mesh in found if mesh.package]
    # The repair of a misspelled name finds its file, but the folder of a package does not.
    lost = [mesh for mesh in meshes if not mesh.path and mesh.name not in subject.misspelled]
    opening = [(mesh, _versions_that_open(mesh, subject.robot.document)) for mesh in read]
    unopened = [mesh for mesh, versions in opening if not versions]
    kept = [mesh for mesh, versions in opening if versions == (BEFORE_3_8,)]
    stripped = [mesh for mesh, versions in opening if versions == (SINCE_3_8,)]
    far = [mesh for mesh in packed if mesh.package not in folders]
    mirrored = [mesh for mesh in meshes if _is_mirrored(mesh.shape)]
    return (
        *_broken_meshes(found, colliding, read),
        UnreadMeshes(IN_MUJOCO, "file", unopened),
        UnreadMeshes(IN_MUJOCO, "file-kept", kept),
        UnreadMeshes(IN_MUJOCO, "file-stripped", stripped),
        UnreadMeshes(IN_DRAKE, "file", lost),
        UnreadMeshes(IN_DRAKE, "package", packed),
        UnreadMeshes(IN_DRAKE, "mesh", _unread(colliding, "drake")),
        UnreadMeshes(IN_NEWTON, "file", far),
        UnreadMeshes(IN_READERS, "mirrored", mirrored),
        UnreadMeshes(IN_PYBULLET, "mesh", _unread(found, "pybullet")),
    )


def _versions_that_open(mesh: ShapeMesh, document: Document) -> Texts:
    """Return the versions of MuJoCo that find the file of a mesh, of BEFORE_3_8 and SINCE_3_8."""
    if not mesh.path:
        return ()
    folder = os.path.dirname(document.path)
    mesh_folder = mesh_folder_of(document.root) or MujocoMeshFolder("", "")
    # The file of a result is not there yet; it will be where its name leads for other readers.
    own = os.path.normpath(os.path.join(folder, mesh.name))
    versions = []
    for version, strips in ((BEFORE_3_8, "true"), (SINCE_3_8, "false")):
        as_read = mesh_folder._replace(strippath=mesh_folder.strippath or strips)
        for name in names_in(as_read, mesh.name):
            path = os.path.normpath(os.path.join(folder, name))
            if path == own or os.path.isfile(path):
                versions.append(version)
    return tuple(versions)


def _broken_meshes(
    found: Sequence[ShapeMesh], colliding: Sequence[ShapeMesh], read: Sequence[ShapeMesh]
) -> Tuple[UnreadMeshes, ...]:
    """Return the meshes whose files a program opens and refuses; `read` are those that MuJoCo opens."""
    of_drake = [mesh for mesh in colliding if mesh.ending in READS["drake"]]
    # MuJoCo and Drake read no colors; Drake reads an OBJ with a point that is not finite.
    unread = [mesh for mesh in read if mesh.opened.fault not in ("", MATERIAL)]
    uncollided = [mesh for mesh in of_drake if mesh.opened.fault not in ("", MATERIAL, NUMBER)]
    return (
        UnreadMeshes(IN_MUJOCO, "broken", unread),
        UnreadMeshes(IN_MUJOCO, "few", [mesh for mesh in read if mesh.opened.has_few]),
        UnreadMeshes(IN_MUJOCO, "flat", [mesh for mesh in read if mesh.opened.is_flat]),
        UnreadMeshes(IN_DRAKE, "broken", uncollided),
        UnreadMeshes(IN_NEWTON, "scene", [mesh for mesh in found if mesh.opened.lacks_scene]),
        UnreadMeshes(IN_PYBULLET, "crash", [mesh for mesh in found if _ends_pybullet(mesh)]),
    )


def _ends_pybullet(mesh: ShapeMesh) -> bool:
    """Return True for a COLLADA file that draws nothing, and for an OBJ with faces and no points: PyBullet crashes."""
    if mesh.ending == ".dae":
        return mesh.opened.fault in (NOTHING, PAGE)
    if mesh.ending != ".obj" or mesh.opened.fault != UNREADABLE:
        return False
    with open(mesh.path, "rb") as stream:
        starts = {line.split(maxsplit=1)[0] for line in stream if line.strip()}
    return b"f" in starts and b"v" not in starts


def _is_mirrored(shape: UrdfShape) -> bool:
    """Return True if the scale of a mesh turns it inside out."""
    # The same rule as `mirrors` of compare, which lint does not load.
    x, y, z = shape.scale or (1.0, 1.0, 1.0)
    return x * y * z < 0.0


def _is_stl_of_mujoco(path: str) -> bool:
    """Return True if a file is binary STL with the number of triangles in its head, and MuJoCo reads that many."""
    try:
        with open(path, "rb") as stream:
            count = int.from_bytes(stream.read(STL_HEAD)[-4:], "little")
    except OSError:
        return False
    return os.path.getsize(path) == STL_HEAD + STL_TRIANGLE * count and 0 < count <= STL_MOST


def _sizes(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield shapes with a size of zero or less; Drake accepts a sphere without a radius."""
    for link in robot.links.values():
        for shape in link.shapes:
            drawn = shape.drawn
            if drawn is None or min(_sizes_of(drawn), default=1.0) > 0.0:
                continue
            if shape.kind == "collision":
                yield Diagnostic(IN_MUJOCO, shape.source.line, "size", (link.name,))
            if drawn.name != "sphere":
                yield Diagnostic(IN_DRAKE, shape.source.line, "size", (link.name,))


def _sizes_of(drawn: Element) -> List[float]:
    """Return the sizes of a primitive as they are written; none of a mesh."""
    sizes: List[float] = []
    if drawn.name != "mesh":
        for key, count in SIZES.get(drawn.name, ()):
            sizes += numbers_in(drawn.get(key) or "", count) or ()
    return sizes


def _masses(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield the masses and tensors that programs change, make up, or refuse."""
    yield from _tiny_masses(robot)
    yield from _of_first(IN_MUJOCO, "mass", [*weighed_by_mujoco(robot)], robot)
    yield from _masses_on_fixed_joints(robot)


def _of_first(
    kind: DiagnosticKind, sentence: str, links: Sequence[str], robot: UrdfRobot
) -> Iterator[Diagnostic]:
    """Yield a note on several links, with the name and line of the first one; nothing without links."""
    if links:
        yield Diagnostic(
            kind=kind,
            line=robot.links[links[0]].source.line,
            sentence=sentence,
            names=(links[0],),
            numbers=(float(len(links)),),
        )


def _tiny_masses(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield the tensors that Newton changes, and the links of a heavy body that have no `<inertial>` for PyBullet."""
    bodies = find_bodies(robot)
    tiny: List[str] = []
    parts_of: Dict[str, List[MassProperties]] = {}
    for name, link in robot.links.items():
        if link.inertial is None:
            continue
        place = bodies[name]
        moved = move_mass(place.T_body_link, link.inertial.properties)
        parts_of.setdefault(place.name, []).append(moved)
        if _is_tiny(link.inertial.properties):
            tiny.append(name)
    # A small part is cured by merging fixed links; a body that is tiny as a whole is not.
    parts = [name for name in tiny if not _is_tiny(merge_mass(parts_of[bodies[name].name]))]
    whole = [name for name in tiny if name not in parts]
    yield from _of_first(IN_NEWTON, "moment", whole, robot)
    yield from _by_merging(IN_NEWTON, ("part", "part-kept"), parts, robot)
    bare = [
        name
        for name, link in robot.links.items()
        if link.inertial is None and bodies[name].name in parts_of
    ]
    yield from _by_merging(IN_PYBULLET, ("mass", "mass-kept"), bare, robot)


def _by_merging(
    kind: DiagnosticKind, sentences: Pair, links: Sequence[str], robot: UrdfRobot
) -> Iterator[Diagnostic]:
    """Yield a note on the links that `simplify --merge-all` cures, and one on the links that it leaves as they are."""
    if not links:
        return
    members = _members_of(robot)
    merged = {name for name, member in members.items() if member.merged}
    changed = merged | {members[name].target for name in merged}
    cured = [name for name in links if name in changed]
    left = [name for name in links if name not in changed]
    yield from _of_first(kind, sentences[0], cured, robot)
    yield from _of_first(kind, sentences[1], left, robot)


def _masses_on_fixed_joints(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield the tensors that MuJoCo refuses, the mass of a root, and how many links it fuses."""
    fixed = [joint for joint in robot.tree if joint.type == "fixed"]
    bodies = names_of_bodies(robot)
    mass = fsum(link.mass for name, link in robot.links.items() if bodies[name] == robot.root)
    joined = {robot.root}
    for joint in fixed:
        joined |= {joint.parent, joint.child}
    for name, link in robot.links.items():
        if link.inertial is None:
            continue
        # MuJoCo looks at each tensor before it fuses links: on a fixed joint only a tensor of zeros passes.
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
        members = _members_of(robot)
        can_merge = any(members[joint.child].merged for joint in fixed)
        sentence = "fused" if can_merge else "fused-kept"
        yield Diagnostic(
            kind=IN_MUJOCO,
            line=fixed[0].source.line,
            sentence=sentence,
            names=(),
            numbers=(float(len(fixed)),),
        )


def weighed_by_mujoco(robot: UrdfRobot) -> Dict[str, str]:
    """Return the links whose mass MuJoCo computes from their collisions as water, each with its moving body."""
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
    if properties.mass > 0.0:
        return least < max(NEWTON_MOMENT, NEWTON_RATIO * largest)
    return largest > 0.0


def _length_of_axis(joint: UrdfJoint) -> float:
    """Return the length of the axis as it is written; 1 without an axis."""
    axis = joint.source.find("axis")
    numbers = numbers_in(axis.get("xyz") or "", 3) if axis is not None else None
    return sqrt(fsum(map(mul, numbers, numbers))) if numbers else 1.0


def _joints(robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield the faults of joints that single programs refuse or read differently."""
    links = lumped_links(robot.document.root)
    for joint in robot.joints:
        # In SDF links and joints share their names; Gazebo removes the joints that it lumps.
        if joint.name in robot.links and links[joint.child].body == joint.child:
            yield Diagnostic(IN_GAZEBO, joint.source.line, "name", (joint.name,))
        yield from _of_joint(joint, robot)
    for joint, _ in fixed_followers(robot):
        yield Diagnostic(IN_READERS, joint.source.line, "follower", (joint.name,))


def _of_joint(joint: UrdfJoint, robot: UrdfRobot) -> Iterator[Diagnostic]:
    """Yield the faults of a single joint that programs refuse or read differently."""
    line = joint.source.line
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


def _says(joint: UrdfJoint, key: str) -> bool:
    """Return True if the `<limit>` of a joint has an attribute."""
    limit = joint.source.find("limit")
    return limit is not None and limit.get(key) is not None


def _elements(root: Element, folder: str) -> Iterator[Diagnostic]:
    """Yield elements beside links and joints that a program refuses; images are looked for in a folder."""
    version = root.get("version")
    if version not in OLD_URDFDOM:
        yield Diagnostic(IN_GAZEBO, root.line, "version", (version or "",))
    for element in root.walk():
        image = element.get("filename") if element.name == "texture" else None
        if image and not os.path.exists(os.path.join(folder, image)):
            yield Diagnostic(IN_DRAKE, element.line, "texture", (image,))
    for element in root.elements("loop_joint"):
        yield Diagnostic(IN_DRAKE, element.line, "loop")
    for element in root.elements("transmission"):
        if element.find("type") is None and element.get("type") is None:
            yield Diagnostic(IN_DRAKE, element.line, "transmission", (element.get("name") or "",))


def findings_of_result(result: Result) -> Tuple[Diagnostic, ...]:
    """Return the differences of left and right, if the frames are canonical, and notes for simulators.

    They are about the result and have the lines of the input, as all diagnostics of a run; 0 without such a line.
    """
    from .left_right_symmetry import left_right, limbs_of

    limbs = limbs_of(result.after) if result.plan.options.reorient else ()
    diagnostics = chain.from_iterable(map(left_right, limbs))
    return tuple(
        diagnostic._replace(line=_line_in(result.before, diagnostic))
        for diagnostic in (*diagnostics, *simulator_notes(result.after))
    )


def finding_lines(result: Result, style: TextStyle) -> List[str]:
    """Return the findings about a result under a title; [] without any."""
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
