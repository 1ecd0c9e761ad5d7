"""Which links SDF gets: a link without mass on a fixed joint becomes a frame, as SDF would give it a mass of 1 kg."""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ...base.record_type import Record
from ...model.export_options import SdfOptions
from ...model.model_records import Joint, Link, RobotRecord
from ...model.model_tree import ModelTree, tree_of
from ...urdf.spatial_math import compose, IDENTITY_POSE, inverse, Poses, Transform
from ..export_diagnostics import EXPORT_RENAMED
from ..shared_lowering import (
    ExportFindings,
    groups_of,
    has_mass,
    is_fixed,
    note_world_mass,
    Place,
    poses_in_group,
    refuse_massless,
    unused,
    written_mass,
    WrittenMass,
)


# libsdformat refuses moments with A + B < C beyond some 1e-15 of C. Entries of 12 digits may be that far off, so
# moments keep this distance.
MARGIN = 1e-11


class AnchorLink(Record):
    """The first link that remains of a group of fixed links: the joint of the group is the joint of this link.

    Attributes:
        joint: the joint above the group; None for the group of the root.
        pose: of the link in the child frame of this joint (for the root: in the model).
    """

    joint: Optional[Joint]
    pose: Transform


class LinksAndFrames:
    """Links and frames.

    Attributes:
        masses: the mass of each link that remains; None: it has none.
        frames: for each link that became a frame the link that holds it ("": the model), and T_holder_frame.
        where: for every link the link that carries it, and T_carrier_link.
        shapes_of: for each remaining link the links whose shapes it shows, with T_link_other (None: itself).
        anchors: by link; the other links of a group have their own fixed joint.
        moved: the anchor by the child link of the joint that moves it.
        names: of links and frames.
        canonical: the first link that is fixed to the root, "" without any.
        held: the links that the world holds.
    """

    def __init__(self, names: Dict[str, str]) -> None:
        """Begin without a link."""
        self.masses: Dict[str, Optional[WrittenMass]] = {}
        self.frames: Dict[str, Place] = {}
        self.where: Dict[str, Place] = {}
        self.shapes_of: Dict[str, List[Tuple[Link, Optional[Transform]]]] = {}
        self.anchors: Dict[str, AnchorLink] = {}
        self.moved: Dict[str, str] = {}
        self.names = names
        self.canonical = ""
        self.held: List[str] = []

    def hold(
        self,
        links: Sequence[str],
        joint: Optional[Joint],
        T: Mapping[str, Transform],
        *,
        static: bool,
    ) -> None:
        """Hang links on the joint above their group (None for the root); the world holds static ones."""
        for name in links:
            self.anchors[name] = AnchorLink(joint, T[name])
        if static:
            self.held += links

    def parent_of(self, joint: Joint) -> str:
        """Return the name of the parent of a joint: a link, a frame, or the world."""
        name = joint.parent
        if name not in self.names:
            return "world"
        # A frame of the model would move with its canonical link.
        if name in self.frames and not self.frames[name][0]:
            return "world"
        return self.names[name]


def plan_links(robot: RobotRecord, options: SdfOptions, findings: ExportFindings) -> LinksAndFrames:
    """Decide the links; a robot that SDF cannot hold is refused in `findings`."""
    # Links that are fixed to each other are decided as a group: SDF gives a link without mass 1 kg, so only links with
    # a mass remain, else one link that can hold the shapes or be moved. The others are carried as frames.
    tree = tree_of(robot)
    groups = groups_of(tree)
    fixed = is_fixed(tree, options.base, findings, heavy=groups.heavy[tree.root])
    world = tree.root == "world" and not tree.links["world"].shapes
    carried = LinksAndFrames(_names(tree, findings, world=world))
    for top, members in groups.members.items():
        T_top = poses_in_group(tree, top, members)
        static = top == tree.root and fixed
        kept = _kept(tree, members, world=world)
        if not kept and not static:
            kept = [top]
        elif not kept and len(groups.members) == 1:
            # All links would be frames, and SDF requires a link: the first except the world, which has no name there.
            kept = [name for name in members if name in carried.names][:1]

        # The world as root is no link, so each top link gets a joint of its own to it.
        anchors = _anchors(tree, kept, T_top) if world and static else kept[:1]
        carried.hold(anchors, tree.parent_joint.get(top), T_top, static=static)
        # The joint of the group now moves the first link that is left of it.
        if kept and top != tree.root:
            carried.moved[top] = kept[0]
        for name in members:
            _place(name, kept, tree, T_top, carried, in_world=world and static)
        for name in kept:
            carried.masses[name] = _mass(tree.links[name], findings, moves=not static)

    _refuse_planar(robot, findings)
    if not carried.masses:
        findings.refuse("robot", "", "it is the world alone, and SDF requires a link")
    if world:
        note_world_mass(tree, findings)
    at_root = (name for name, anchor in carried.anchors.items() if anchor.joint is None)
    carried.canonical = next(at_root, "")
    return carried


def _kept(tree: ModelTree, members: Sequence[str], *, world: bool) -> List[str]:
    """Return the links of a group that have a mass, else the first that can hold the shapes; the world has no mass."""
    heavy = [
        name for name in members if has_mass(tree.links[name]) and not (world and name == tree.root)
    ]
    return heavy or [name for name in members if tree.links[name].shapes][:1]


def _mass(link: Link, findings: ExportFindings, *, moves: bool) -> Optional[WrittenMass]:
    """Return the mass that a link is written with; None without a mass, which is refused if the link moves."""
    if has_mass(link):
        return written_mass(link, 0.0, findings, MARGIN)
    if moves:
        refuse_massless(link.name, findings)
    return None


def _refuse_planar(robot: RobotRecord, findings: ExportFindings) -> None:
    """Refuse planar joints, which SDF does not have."""
    for joint in robot.joints:
        if joint.type == "planar":
            findings.refuse("joint", joint.name, "SDF has no planar joint")


def _anchors(tree: ModelTree, kept: List[str], T_top: Poses) -> List[str]:
    """Return the links of a group that have no ancestor in the group among those that remain."""
    return [
        name
        for name in kept
        if name not in tree.parent_joint
        or not _remaining(tree.parent_joint[name].parent, kept, tree, T_top)
    ]


def _remaining(name: str, kept: List[str], tree: ModelTree, T_top: Poses) -> str:
    """Return a link or its nearest ancestor in the group that remains, "" without any."""
    while name in T_top and name not in kept:
        name = tree.parent_joint[name].parent if name in tree.parent_joint else ""
    return name if name in T_top else ""


def _place(
    name: str,
    kept: List[str],
    tree: ModelTree,
    T_top: Poses,
    carried: LinksAndFrames,
    *,
    in_world: bool,
) -> None:
    """Set the link that carries a link: itself, its nearest ancestor that remains, or the first of its group."""
    link = tree.links[name]
    if name in kept:
        carried.where[name] = (name, IDENTITY_POSE)
        carried.shapes_of.setdefault(name, []).append((link, None))
        return
    holder = _remaining(name, kept, tree, T_top)
    # No link above it remains: frames of the world stay with the model, shapes need a link.
    stays_in_model = in_world and not link.shapes
    if not holder and kept and not stays_in_model:
        holder = kept[0]
    T = compose(inverse(T_top[holder]), T_top[name]) if holder else T_top[name]
    carried.where[name] = (holder, T)
    if name in carried.names:
        carried.frames[name] = (holder, T)
    if holder:
        carried.shapes_of.setdefault(holder, []).append((link, T))


def _names(tree: ModelTree, findings: ExportFindings, *, world: bool) -> Dict[str, str]:
    """Return the names of links and frames; SDF reserves some. The world has none."""
    names: Dict[str, str] = {}
    names_used: Set[str] = set()
    for link in tree.links:
        if world and link == tree.root:
            continue
        # `::` separates models in SDF, and names between underscores (`__model__`) are reserved.
        name = link.replace("::", "_")
        if name == "world" or name.startswith("__") and name.endswith("__"):
            name = f"{name}_link"
        names[link] = unused(name, names_used)
        if names[link] != link:
            findings.note(EXPORT_RENAMED, "link", tree.links[link], names[link])
    return names
