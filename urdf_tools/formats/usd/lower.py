"""Which prims USD gets for the links of a robot: bodies, and massless frames in the prim that carries them; the layer
of meshes (each file and scale once, with the materials of the file); and the state of the writer.

USD infers a missing mass from colliders, else 1 kg; massless links are therefore exported as `Xform`, not as bodies.
"""

from __future__ import annotations

import os
from typing import Dict, Iterable, List, Optional, Set, Tuple, TYPE_CHECKING

from ...base.errors import UrdfError
from ...base.number_text import grouped
from ...collada.records import DEFAULT_DAE_OPTIONS
from ...model.choices import UsdOptions
from ...model.records import Joint, Link, material_meanings, Robot
from ...model.shapes import Material, Mesh, Transform
from ...robot.principal_axes import diagonal
from ...model.tree import leaders_of, poses_at, Rule, rules_of, Tree, tree_of
from ...urdf.mesh_paths import mesh_stem
from ...urdf.model import MOVABLE
from ...urdf.spatial import compose, IDENTITY_POSE, inverse, MassProperties, Poses, Vector
from ..kinds import EXPORT_LEFT_OUT, EXPORT_LOOK, EXPORT_NEAREST
from ..lower import (
    names_depth_first,
    Findings,
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
from .write_prims import layer_text, Prim, prim_name, quoted, ZERO_TENSOR

if TYPE_CHECKING:
    from ...meshes.form import Image, Surface
    from .write_meshes import Drawn

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
        prims: by key, the prim that shapes refer to. drawn: by key, what it draws.
        images: by the name that the layer has for it, the bytes of an image.
    """

    def __init__(self, options: UsdOptions, folder: str, findings: Findings) -> None:
        self.prims: Dict[Key, Prim] = {}
        self.drawn: Dict[Key, Drawn] = {}
        self.images: Dict[str, bytes] = {}
        self.top = Prim("Scope", LAYER)
        self._files = dict(options.mesh_files)
        self._findings, self._folder = findings, folder
        self._dae = options.dae or DEFAULT_DAE_OPTIONS
        self._progress = options.progress
        self._names: Set[str] = set()
        self._read: Dict[str, Optional[Tuple[Surface, ...]]] = {}
        self._image_names: Dict[bytes, str] = {}

    def prim_of(self, mesh: Mesh) -> Optional[Prim]:
        """Return the prim of a mesh, None for one that cannot be read, which is noted."""
        key = (mesh.filename, mesh.scale)
        if key not in self.prims:
            surfaces = self._surfaces(mesh.filename)
            if not surfaces:
                return None
            self._add(mesh, surfaces)
        return self.prims[key]

    def _add(self, mesh: Mesh, surfaces: "Tuple[Surface, ...]") -> None:
        from .write_meshes import drawn_of, write_mesh

        drawn = drawn_of(surfaces, mesh.scale)
        prim = Prim(
            "Mesh", unused(prim_name(mesh_stem(mesh.filename) or "mesh"), self._names), self.top
        )
        self.prims[mesh.filename, mesh.scale], self.drawn[mesh.filename, mesh.scale] = prim, drawn
        self.top.children.append(prim)
        write_mesh(prim, drawn, self._image)

    def _surfaces(self, name: str) -> "Optional[Tuple[Surface, ...]]":
        if name not in self._read:
            self._read[name] = None
            path = self._files.get(name, "")
            if not path:
                self._findings.note(EXPORT_LEFT_OUT, "mesh-missing", name)
            else:
                from .write_meshes import read_surfaces

                self._progress(name, 0)
                try:
                    surfaces, notes = read_surfaces(
                        path, self._dae._replace(separate=True, normals=False)
                    )
                    self._read[name] = surfaces or None
                    for note in notes:
                        if note.sentence in LOST_OF_MESH:
                            lost = LOST_OF_MESH[note.sentence]
                            self._findings.note(EXPORT_LOOK, lost, *note.names, name)
                    if not surfaces:
                        self._findings.note(
                            EXPORT_LEFT_OUT, "mesh-broken", name, "it draws no triangles"
                        )
                except UrdfError as error:
                    self._findings.note(EXPORT_LEFT_OUT, "mesh-broken", name, error.message)
        return self._read[name]

    def _image(self, image: "Image") -> str:
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
        return layer_text(
            (("defaultPrim", quoted(LAYER)), ("metersPerUnit", "1"), ("upAxis", '"Z"')), [self.top]
        )


class Bodies:
    """The prims of links.

    Attributes:
        links: those that have a prim, parents first.
        places: for each prim the link in whose prim it is ("": the robot), and the pose in it.
        masses: by link, of those that are bodies, in the axes of the link.
        carriers: for every link the body that carries it ("": the robot itself, which is static), and its pose there.
        anchors: the first body of each group of fixed links, by the uppermost link of the group.
        root: the root body, "" where that is the robot itself.
        fixed: the root is fixed to the world.
        without: links that have no prim.
    """

    def __init__(self) -> None:
        self.links: List[str] = []
        self.places: Dict[str, Place] = {}
        self.masses: Dict[str, MassProperties] = {}
        self.carriers: Dict[str, Place] = {}
        self.anchors: Dict[str, str] = {}
        self.root = ""
        self.fixed = False
        self.without: Set[str] = set()


def _moves_something(members: Iterable[str], tree: Tree) -> bool:
    """Return True if a joint moves something relative to one of these links."""
    below = (joint for name in members for joint in tree.below[name])
    return any(joint.type not in ("fixed", "floating") for joint in below)


def _refuse_floating(tree: Tree, free: Optional[str], findings: Findings) -> None:
    """Refuse joints that float, but the one with which the whole robot does."""
    for joint in tree.order:
        if joint.type == "floating" and joint.child != free:
            findings.refuse(
                "joint",
                joint.name,
                "USD's engines have no floating joint in an articulation: only a "
                "whole robot can float",
            )


def plan_bodies(robot: Robot, options: UsdOptions, findings: Findings) -> Bodies:
    """Decide the prims of links; what USD cannot hold is refused in `findings`."""
    # Links that are fixed to each other are decided as a group: those with a mass are bodies, and a group that moves
    # needs at least one. The base needs none if it is fixed, unless a joint moves something relative to it.
    tree = tree_of(robot)
    groups = groups_of(tree)
    free = _free_child(tree, groups.members[tree.root])
    _refuse_floating(tree, free, findings)
    bodies = Bodies()
    bodies.fixed = free is None and is_fixed(
        tree, options.base, findings, heavy=groups.heavy[tree.root]
    )
    T_root = poses_at(robot, {}, tree)
    for top, members in groups.members.items():
        if free is not None and top == tree.root:
            bodies.without |= set(members)
            continue
        is_base = top == (free or tree.root)
        kept = [name for name in members if has_mass(tree.links[name]) and name != "world"]
        # If none has a mass, this one becomes a body with the least one.
        instead = next((name for name in members if tree.links[name].shapes), top)
        if not kept and not (is_base and bodies.fixed):
            kept = [instead]
            refuse_massless(instead, findings)
        elif not kept and _moves_something(members, tree):
            # PhysX takes the first body of all for the held one.
            kept = [instead]
            findings.note(EXPORT_NEAREST, "held", tree.links[instead])
        for name in kept:
            bodies.masses[name] = _mass_of(tree.links[name], findings)
        if kept:
            bodies.anchors[top] = kept[0]
        if is_base:
            bodies.root = kept[0] if kept else ""
        _place_group(members, kept, tree, bodies, T_root)
    note_world_mass(tree, findings)
    # Parents first; what has no parent prim is in that of the robot.
    bodies.links = names_depth_first(
        grouped(
            (parent if parent not in bodies.without else "", name)
            for name, (parent, _) in bodies.places.items()
        )
    )
    return bodies


def _free_child(tree: Tree, members: List[str]) -> Optional[str]:
    """Return the link on a floating joint, if the root group has no mass, no shapes and no other joint that moves."""
    below = [joint for name in members for joint in tree.below[name] if joint.type != "fixed"]
    bare = all(not tree.links[name].shapes and not has_mass(tree.links[name]) for name in members)
    return below[0].child if bare and [joint.type for joint in below] == ["floating"] else None


def _mass_of(link: Link, findings: Findings) -> MassProperties:
    """Return the mass of a body; a zero would mean in USD that none is given."""
    if not has_mass(link):
        return tiny_mass()
    properties = written_mass(link, LEAST, findings).properties
    if not any(map(any, link.mass_properties.inertia)):
        a = ZERO_TENSOR
        findings.note(EXPORT_NEAREST, "point", link, numbers=(a,))
        return properties._replace(inertia=diagonal((a,) * 3))
    return properties


def _place_group(
    members: List[str],
    kept: List[str],
    tree: Tree,
    bodies: Bodies,
    T_root: Poses,
) -> None:
    """Set the parent prim and the carrier of each link of a group, `members`, uppermost first."""
    # A frame is in the prim of its parent link where there is one. Only the first body of a group takes part in the
    # tree of joints: so all that has no parent in the group is posed relative to it, whichever link it is.
    top = members[0]
    anchor = kept[0] if kept else ""
    for name in members:
        joint = tree.above.get(name) if name != top else None
        # Itself if it is a body, else what carries its parent, else the first body of the group.
        carrier = (
            name
            if name in kept
            else bodies.carriers[joint.parent][0]
            if joint is not None
            else anchor
        )
        bodies.carriers[name] = (
            carrier,
            IDENTITY_POSE if name == carrier else _relative(carrier, name, T_root),
        )
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
    return compose(inverse(T_root[inside]), T_root[name]) if inside else T_root[name]


def body0_of(joint: Joint, bodies: Bodies) -> Place:
    """Return the body that carries the parent of a joint, and the pose of the joint in it."""
    carrier, T_carrier_parent = bodies.carriers[joint.parent]
    return carrier, joint.origin.transform if T_carrier_parent is IDENTITY_POSE else compose(
        T_carrier_parent, joint.origin.transform
    )


class Model:
    """A robot while it is written.

    Attributes:
        prims: by link, "": that of the robot. axes: by child link, X, Y or Z.
        left_out: shapes that are not written, as (link, role, number among the pieces of the role).
        gains: both of each drive.
    """

    def __init__(
        self,
        robot: Robot,
        options: UsdOptions,
        bodies: Bodies,
        meshes: MeshLayer,
        findings: Findings,
    ) -> None:
        self.robot, self.options, self.bodies, self.meshes, self.findings = (
            robot,
            options,
            bodies,
            meshes,
            findings,
        )
        self.materials: Dict[str, Material] = material_meanings(robot)
        self.prims: Dict[str, Prim] = {}
        self.axes: Dict[str, str] = {}
        self.gains: List[float] = []
        self.left_out: Set[OneShape] = set()
        self.leaders: Dict[str, Joint] = leaders_of(robot)
        self.rules: Dict[str, Rule] = {
            child: rule for child, rule in rules_of(robot).items() if rule.leader.type in MOVABLE
        }
        self._actuators = grouped((actuator.joint, actuator) for actuator in robot.actuators)

    def gains_of(self, joint: Joint) -> Tuple[float, float]:
        """Return stiffness and damping of the drive of a joint: those of the robot or the options, else zeros."""
        asked = self.options.actuators
        if asked == "motor":
            return 0.0, 0.0
        types = ("position",) if asked == "position" else ("position", "velocity")
        given = [
            actuator
            for actuator in self._actuators.get(joint.name, ())
            if actuator.type in types
            and (actuator.kp if actuator.type == "position" else actuator.kv)
        ]
        if not given:
            return (self.options.kp or 0.0) if asked == "position" else 0.0, 0.0
        first = given[0]
        return (first.kp or 0.0) if first.type == "position" else 0.0, first.kv or 0.0
