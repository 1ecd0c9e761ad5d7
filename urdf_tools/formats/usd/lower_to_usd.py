"""Which prims USD gets for the links of a robot: bodies, and massless frames in the prim that carries them; the layer
of meshes (each file and scale once, with the materials of the file); and the state of the writer.

USD infers a missing mass from colliders, else 1 kg; massless links are therefore exported as `Xform`, not as bodies.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Dict, Iterable, List, Optional, Set, Tuple, TYPE_CHECKING

from ...base.errors import UrdfError
from ...base.number_text import grouped
from ...collada.conversion_records import DEFAULT_DAE_OPTIONS
from ...model.export_options import UsdOptions
from ...model.model_records import Joint, Link, material_meanings, RobotRecord
from ...model.model_shapes import Material, Mesh
from ...robot.principal_axes import diagonal
from ...model.model_tree import leaders_of, poses_at, MimicRule, rules_of, ModelTree, tree_of
from ...urdf.mesh_paths import mesh_stem
from ...urdf.urdf_records import MOVABLE
from ...urdf.spatial_math import (
    compose,
    IDENTITY_POSE,
    inverse,
    MassProperties,
    Poses,
    Transform,
    Vector,
)
from ..export_diagnostics import EXPORT_LEFT_OUT, EXPORT_LOOK, EXPORT_NEAREST
from ..shared_lowering import (
    names_depth_first,
    ExportFindings,
    groups_of,
    has_mass,
    is_fixed,
    LEAST,
    note_world_mass,
    OneShape,
    Place,
    refuse_massless,
    tiny_mass,
    unused,
    written_mass,
)
from .write_usd_prims import layer_text, WrittenPrim, prim_name, quoted, ZERO_TENSOR

if TYPE_CHECKING:
    from ...meshes.mesh_content import MeshImage, MaterialSurface
    from .write_usd_meshes import UsdMesh

LAYER = "meshes"
# The sentence of EXPORT_LOOK for what a note on a mesh says that USD does not show.
LOST_OF_MESH = {
    "no-coordinates": "image-of",
    "facet-colors": "points",
    "point-colors": "points",
    "vertex-colors": "points",
}
Key = Tuple[str, Vector]


class MeshLayer:
    """Meshes that are in use, by file and scale.

    Attributes:
        prims: by key, the prim that shapes refer to. drawn: by key, its surfaces.
        images: the bytes of each image, by its name in the layer.
    """

    def __init__(self, options: UsdOptions, folder: str, findings: ExportFindings) -> None:
        """Begin without a mesh; images go into the folder."""
        self.prims: Dict[Key, WrittenPrim] = {}
        self.drawn: Dict[Key, UsdMesh] = {}
        self.images: Dict[str, bytes] = {}
        self.top = WrittenPrim("Scope", LAYER)
        self._files = dict(options.mesh_files)
        self._findings = findings
        self._folder = folder
        self._dae = options.dae or DEFAULT_DAE_OPTIONS
        self._progress = options.progress
        self._names: Set[str] = set()
        self._read: Dict[str, Optional[Tuple[MaterialSurface, ...]]] = {}
        self._image_names: Dict[bytes, str] = {}

    def prim_of(self, mesh: Mesh) -> Optional[WrittenPrim]:
        """Return the prim of a mesh, None for a mesh that cannot be read, which is noted."""
        key = (mesh.filename, mesh.scale)
        if key not in self.prims:
            surfaces = self._surfaces(mesh.filename)
            if not surfaces:
                return None
            self._add(mesh, surfaces)
        return self.prims[key]

    def _add(self, mesh: Mesh, surfaces: "Tuple[MaterialSurface, ...]") -> None:
        """Add the prim of a mesh, with its points, triangles and looks."""
        from .write_usd_meshes import drawn_of, write_mesh

        key = (mesh.filename, mesh.scale)
        name = unused(prim_name(mesh_stem(mesh.filename) or "mesh"), self._names)
        prim = WrittenPrim("Mesh", name, self.top)
        drawn = drawn_of(surfaces, mesh.scale)
        self.prims[key] = prim
        self.drawn[key] = drawn
        self.top.children.append(prim)
        write_mesh(prim, drawn, self._image)

    def _surfaces(self, name: str) -> "Optional[Tuple[MaterialSurface, ...]]":
        """Return the surfaces of a mesh file, None for a file that draws nothing; each is read and noted once."""
        if name not in self._read:
            self._read[name] = self._read_surfaces(name)
        return self._read[name]

    def _read_surfaces(self, name: str) -> "Optional[Tuple[MaterialSurface, ...]]":
        """Return the surfaces of a mesh file; None, with a note, for a file that draws nothing."""
        path = self._files.get(name, "")
        if not path:
            self._findings.note(EXPORT_LEFT_OUT, "mesh-missing", name)
            return None
        from .write_usd_meshes import read_surfaces

        self._progress(name, 0)
        dae = self._dae._replace(separate=True, normals=False)
        try:
            surfaces, notes = read_surfaces(path, dae)
        except UrdfError as error:
            self._findings.note(EXPORT_LEFT_OUT, "mesh-broken", name, error.message)
            return None
        for note in notes:
            if note.sentence in LOST_OF_MESH:
                loss = LOST_OF_MESH[note.sentence]
                self._findings.note(EXPORT_LOOK, loss, *note.names, name)
        if not surfaces:
            self._findings.note(EXPORT_LEFT_OUT, "mesh-broken", name, "it draws no triangles")
            return None
        return surfaces

    def _image(self, image: "MeshImage") -> str:
        """Return the name of an image as the layer has it."""
        if image.data not in self._image_names:
            stem, ending = os.path.splitext(os.path.basename(image.name) or "image.png")
            stems = {os.path.splitext(name)[0].rpartition("/")[2] for name in self.images}
            name = f"./{self._folder}/{unused(prim_name(stem), stems)}{ending.lower()}"
            self._image_names[image.data] = name
            self.images[name] = image.data
        return self._image_names[image.data]

    def text(self) -> str:
        """Return the layer as the text of a file."""
        metadata = (("defaultPrim", quoted(LAYER)), ("metersPerUnit", "1"), ("upAxis", '"Z"'))
        return layer_text(metadata, [self.top])


class LinkPrims:
    """The prims of links.

    Attributes:
        links: names of links that have a prim, parents first.
        places: for each prim the link in whose prim it is ("": the robot), and the pose in it.
        masses: by link that is a body, in the axes of the link.
        carriers: for every link the body that carries it ("": the robot itself, which is static), and its pose there.
        anchors: the first body of each group of fixed links, by the uppermost link of the group.
        root: the root body, "" where that is the robot itself.
        fixed: the root is fixed to the world.
        without: links that have no prim.
    """

    def __init__(self) -> None:
        """Begin without prims."""
        self.links: List[str] = []
        self.places: Dict[str, Place] = {}
        self.masses: Dict[str, MassProperties] = {}
        self.carriers: Dict[str, Place] = {}
        self.anchors: Dict[str, str] = {}
        self.root = ""
        self.fixed = False
        self.without: Set[str] = set()


def _moves_something(members: Iterable[str], tree: ModelTree) -> bool:
    """Return True if a joint moves something relative to one of these links."""
    joints = chain.from_iterable(tree.child_joints[name] for name in members)
    return any(joint.type not in ("fixed", "floating") for joint in joints)


def _refuse_floating(tree: ModelTree, free: Optional[str], findings: ExportFindings) -> None:
    """Refuse joints that float; the joint of the whole robot to the link `free` may."""
    for joint in tree.order:
        if joint.type == "floating" and joint.child != free:
            findings.refuse(
                "joint",
                joint.name,
                "USD's engines have no floating joint in an articulation: only a "
                "whole robot can float",
            )


def plan_bodies(robot: RobotRecord, options: UsdOptions, findings: ExportFindings) -> LinkPrims:
    """Decide the prims of links; a robot that USD cannot hold is refused in `findings`."""
    # Links that are fixed to each other are decided as a group.
    tree = tree_of(robot)
    groups = groups_of(tree)
    free = _free_child(tree, groups.members[tree.root])
    _refuse_floating(tree, free, findings)
    bodies = LinkPrims()
    bodies.fixed = free is None and is_fixed(
        tree, options.base, findings, heavy=groups.heavy[tree.root]
    )
    T_root = poses_at(robot, {}, tree)
    for top, members in groups.members.items():
        # A free robot has no prim for the links above its floating joint.
        if free is not None and top == tree.root:
            bodies.without |= set(members)
            continue
        is_base = top == (free or tree.root)
        may_be_static = is_base and bodies.fixed
        kept = _bodies_in(members, top, tree, findings, may_be_static=may_be_static)
        for name in kept:
            bodies.masses[name] = _mass_of(tree.links[name], findings)
        if kept:
            bodies.anchors[top] = kept[0]
        if is_base:
            bodies.root = kept[0] if kept else ""
        _place_group(members, kept, tree, bodies, T_root)
    note_world_mass(tree, findings)
    # Parents first; a prim without a parent prim is in the prim of the robot.
    children: Dict[str, List[str]] = {}
    for name, (parent, _) in bodies.places.items():
        holder = "" if parent in bodies.without else parent
        children.setdefault(holder, []).append(name)
    bodies.links = names_depth_first(children)
    return bodies


def _bodies_in(
    members: List[str], top: str, tree: ModelTree, findings: ExportFindings, *, may_be_static: bool
) -> List[str]:
    """Return the links of a group that are bodies: all with a mass, and at least one in a group that moves.

    Args:
        members: the links of the group. top: the uppermost of them.
        may_be_static: the group is a base that is fixed: it needs no body, unless a joint moves something
            relative to it.
    """
    heavy = [name for name in members if has_mass(tree.links[name]) and name != "world"]
    if heavy:
        return heavy
    # This link becomes a body, with the least mass.
    instead = next((name for name in members if tree.links[name].shapes), top)
    if not may_be_static:
        refuse_massless(instead, findings)
        return [instead]
    if _moves_something(members, tree):
        # PhysX takes the first body of all for the body that is held.
        findings.note(EXPORT_NEAREST, "held", tree.links[instead])
        return [instead]
    return []


def _free_child(tree: ModelTree, members: List[str]) -> Optional[str]:
    """Return the link on a floating joint, if the root group has no mass, no shapes and no other joint that moves."""
    joints = chain.from_iterable(tree.child_joints[name] for name in members)
    moving = [joint for joint in joints if joint.type != "fixed"]
    links = [tree.links[name] for name in members]
    is_bare = not any(link.shapes or has_mass(link) for link in links)
    if is_bare and [joint.type for joint in moving] == ["floating"]:
        return moving[0].child
    return None


def _mass_of(link: Link, findings: ExportFindings) -> MassProperties:
    """Return the mass of a body; a zero would mean in USD that no mass is given."""
    if not has_mass(link):
        return tiny_mass()
    properties = written_mass(link, LEAST, findings).properties
    if not any(map(any, link.mass_properties.inertia)):
        findings.note(EXPORT_NEAREST, "point", link, numbers=(ZERO_TENSOR,))
        return properties._replace(inertia=diagonal((ZERO_TENSOR,) * 3))
    return properties


def _place_group(
    members: List[str],
    kept: List[str],
    tree: ModelTree,
    bodies: LinkPrims,
    T_root: Poses,
) -> None:
    """Set the parent prim and the carrier of each link of a group, `members`, uppermost first."""
    # A frame is in the prim of its parent link, if the group has it. Only the first body of a group takes part in the
    # tree of joints: so a link without a parent in the group is posed relative to it, whichever link it is.
    top = members[0]
    anchor = kept[0] if kept else ""
    for name in members:
        joint = tree.parent_joint.get(name) if name != top else None
        # A body carries itself; another link has the carrier of its parent, the top the first body of the group.
        if name in kept:
            carrier = name
        elif joint is not None:
            carrier, _ = bodies.carriers[joint.parent]
        else:
            carrier = anchor
        T_carrier_link = IDENTITY_POSE if name == carrier else _relative(carrier, name, T_root)
        bodies.carriers[name] = (carrier, T_carrier_link)
        if name in kept:
            bodies.places[name] = ("", T_root[name])
        elif name == "world" and joint is None and not tree.links[name].shapes:
            bodies.without.add(name)
        elif name == "world" and joint is None:  # static, whatever is fixed to the world
            bodies.places[name] = ("", IDENTITY_POSE)
        elif joint is None or joint.parent in bodies.without:
            bodies.places[name] = (anchor, _relative(anchor, name, T_root))
        else:
            bodies.places[name] = (joint.parent, joint.origin.transform)


def _relative(inside: str, name: str, T_root: Poses) -> Transform:
    """Return the pose of a link in another link, or in the robot for ""."""
    return compose(inverse(T_root[inside]), T_root[name]) if inside else T_root[name]


def body0_of(joint: Joint, bodies: LinkPrims) -> Place:
    """Return the body that carries the parent of a joint, and the pose of the joint in it."""
    carrier, T_carrier_parent = bodies.carriers[joint.parent]
    T_parent_joint = joint.origin.transform
    # Without a product nothing is lost to rounding.
    if T_carrier_parent is IDENTITY_POSE:
        return carrier, T_parent_joint
    return carrier, compose(T_carrier_parent, T_parent_joint)


class UsdWriter:
    """A robot while it is written.

    Attributes:
        prims: by link; "" has the prim of the robot. axes: by child link, X, Y or Z.
        left_out: shapes that are not written, as (link, role, number among the pieces of the role).
        gains: both of each drive.
        leaders: the joint that each name of a `<mimic>` refers to.
        rules: by child link, of followers whose leader has a position; others stay where they are.
    """

    def __init__(
        self,
        robot: RobotRecord,
        options: UsdOptions,
        bodies: LinkPrims,
        meshes: MeshLayer,
        findings: ExportFindings,
    ) -> None:
        """Begin with a robot of which nothing is written."""
        self.robot = robot
        self.options = options
        self.bodies = bodies
        self.meshes = meshes
        self.findings = findings
        self.materials: Dict[str, Material] = material_meanings(robot)
        self.prims: Dict[str, WrittenPrim] = {}
        self.axes: Dict[str, str] = {}
        self.gains: List[float] = []
        self.left_out: Set[OneShape] = set()
        self.leaders: Dict[str, Joint] = leaders_of(robot)
        self.rules: Dict[str, MimicRule] = {
            child: rule for child, rule in rules_of(robot).items() if rule.leader.type in MOVABLE
        }
        # By the name of their joint.
        self._actuators = grouped((actuator.joint, actuator) for actuator in robot.actuators)

    def gains_of(self, joint: Joint) -> Tuple[float, float]:
        """Return stiffness and damping of the drive of a joint: from the robot, else from the options, else zeros."""
        kind = self.options.actuators
        if kind == "motor":
            return 0.0, 0.0
        types = ("position",) if kind == "position" else ("position", "velocity")
        # The first actuator of the joint with a gain counts.
        for actuator in self._actuators.get(joint.name, ()):
            if actuator.type not in types:
                continue
            if actuator.type == "position" and actuator.kp:
                return actuator.kp, actuator.kv or 0.0
            if actuator.type == "velocity" and actuator.kv:
                return 0.0, actuator.kv
        if kind == "position":
            return self.options.kp or 0.0, 0.0
        return 0.0, 0.0
