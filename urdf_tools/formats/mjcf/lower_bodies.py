"""Map links to MuJoCo bodies and fix their tree, before anything is written; the records that all parts share."""
from typing import Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Set, Tuple

from ...base.number_text import grouped
from ...model.choices import MjcfOptions
from ...model.records import Joint, Link, Robot
from ...model.shapes import Pose, Transform
from ...model.tree import Tree, tree_of
from ...model.xml_tree import Node
from ...robot.records import OUT_OF_REACH, RawActuator, RawKey
from ...urdf.model import MOVABLE
from ...urdf.spatial import compose, IDENTITY_POSE, inverse, rotate, UNIT_AXES, Vector
from ..kinds import EXPORT_LEFT_OUT, EXPORT_NEAREST
from ..lower import (depth_first, Findings, groups_of, has_mass, is_fixed, LEAST, refuse_massless, written_mass,
                     WrittenMass)
from ..rounding import clean_direction, clean_lengths, unique
from .write_assets import put_pose

MOST_DOFS = 6  # of one body


class Hinge:
    """A joint as it is in a body: its axis and a point on it in the frame of the body with all joints at zero."""

    def __init__(self, joint: Joint, axis: Vector, point: Vector) -> None:
        self.joint, self.axis, self.point = joint, axis, point


class Body:
    """A body: its link, its parent body ("": the world), T_parent_body, its joints, and its mass properties.

    Attributes:
        free: it has a free joint; that of the root has no joint in the robot.
    """

    def __init__(self, link: Link, parent: str, pose: Transform, hinges: Tuple[Hinge, ...], *, free: bool) -> None:
        self.link, self.parent, self.pose, self.hinges, self.free = link, parent, pose, hinges, free
        self.mass: Optional[WrittenMass] = None  # until all bodies are known


class Bodies:
    """All bodies, parents first, as MuJoCo numbers them.

    Attributes:
        bodies: the bodies.
        where: for each link the body that holds it and T_body_link; a link between two joints of one body has none.
        sites: links that became sites.
        static: the bodies that never move ("" too).
    """

    def __init__(self, bodies: Tuple[Body, ...], where: Dict[str, Tuple[str, Transform]], sites: Tuple[str, ...],
                 static: Set[str]) -> None:
        self.bodies, self.where, self.sites, self.static = bodies, where, sites, static


def plan_bodies(robot: Robot, options: MjcfOptions, findings: Findings) -> Bodies:
    """Decide the bodies; what MuJoCo cannot hold is refused in `findings`."""
    tree = tree_of(robot)
    groups = groups_of(tree)
    fixed = is_fixed(tree, options.base, findings, heavy=groups.heavy[tree.root])
    watched = {sensor.link for sensor in robot.sensors}
    bare = _bare_links(tree)
    where: Dict[str, Tuple[str, Transform]] = {}
    between: Dict[str, Tuple[str, Transform, List[Tuple[Joint, Transform]]]] = {}
    sites: List[str] = []
    static: Set[str] = {""}
    bodies: Dict[str, Body] = {}
    root = tree.links[tree.root]
    if root.name == "world":
        where[root.name] = ("", IDENTITY_POSE)
        if has_mass(root):
            findings.note(EXPORT_LEFT_OUT, "world-mass", root.name, part="link", numbers=(root.mass_properties.mass,))
    else:
        where[root.name] = (root.name, IDENTITY_POSE)
        bodies[root.name] = Body(root, "", IDENTITY_POSE, (), free=not fixed)
        static |= {root.name} if fixed else set()
    for joint in tree.order:
        link = tree.links[joint.child]
        # A body of MuJoCo has several joints: a massless link between two joints, which alone would be refused, is
        # dropped, and its joint goes into the body below, in the frame that this body has with all joints at zero.
        if joint.parent in between:
            holder, T_holder_parent, joints = between[joint.parent]
        else:
            (holder, T_holder_parent), joints = where[joint.parent], []
        T = compose(T_holder_parent, joint.origin.transform)
        if joint.type in MOVABLE:
            joints = [*joints, (joint, T)]
        if joints and _is_between(link, tree, watched, heavy=groups.heavy[groups.tops[link.name]]):
            between[link.name] = (holder, T, joints)
            findings.note(EXPORT_NEAREST, "one-body", link.name, part="link")
            continue
        if link.name in bare and not joints and joint.type == "fixed":
            where[link.name] = (holder, T)
            sites.append(link.name)
            continue
        if joint.type == "floating":
            if holder not in static:
                findings.refuse("joint", joint.name, "MuJoCo has floating joints at the world only, and "
                                                     f"'{joint.parent}' moves")
            holder, T = "", compose(_in_world(bodies, holder), T)
        hinges = tuple(_hinge(upper, compose(inverse(T), T_upper)) for upper, T_upper in joints) + (
            (Hinge(joint, joint.axis, (0.0, 0.0, 0.0)),) if joint.type in ("planar", "ball") else ())
        if len(hinges) > MOST_DOFS:
            findings.refuse("link", link.name, f"the links above it have no mass, so {len(hinges)} joints would be in "
                                               f"one body; MuJoCo allows {MOST_DOFS}")
        if holder in static and not hinges and joint.type == "fixed":
            static.add(link.name)
        where[link.name] = (link.name, IDENTITY_POSE)
        bodies[link.name] = Body(link, holder, T, hinges, free=joint.type == "floating")
    _decide_masses(bodies, static, findings)
    return Bodies(_depth_first(bodies), where, tuple(sites), static)


def _hinge(joint: Joint, T_body_child: Transform) -> Hinge:
    axis = joint.axis if T_body_child.rotation == UNIT_AXES else rotate(T_body_child.rotation, joint.axis)
    return Hinge(joint, clean_direction(axis), clean_lengths(T_body_child.translation))


def _in_world(bodies: Dict[str, Body], name: str) -> Transform:
    """Return T_world_body of a body that does not move."""
    T = IDENTITY_POSE
    while name:
        T = compose(bodies[name].pose, T)
        name = bodies[name].parent
    return T


def _bare_links(tree: Tree) -> Set[str]:
    """Return the links that are frames: no mass, no shape, and no children but other frames that are fixed."""
    bare = {name for name, link in tree.links.items() if not link.shapes and not has_mass(link)}
    for joint in reversed(tree.order):
        if joint.type != "fixed" or joint.child not in bare:
            bare.discard(joint.parent)
    return bare


def _is_between(link: Link, tree: Tree, watched: Set[str], *, heavy: bool) -> bool:
    """Return True if a link only joins two joints: it has no mass (nor what is fixed to it), shape, or sensor."""
    below = tree.below[link.name]
    return not heavy and not link.shapes and link.name not in watched and len(below) == 1 and (
        below[0].type in (*MOVABLE, "fixed"))


def _decide_masses(bodies: Dict[str, Body], static: Set[str], findings: Findings) -> None:
    """Set the mass of every body; refuse what moves without one."""
    # MuJoCo wants mass in what moves as one, not in each body: so it is looked for from the top of each such group.
    top: Dict[str, str] = {}
    heavy: Set[str] = set()
    for name, body in bodies.items():
        moves = bool(body.hinges) or body.free
        top[name] = name if moves or not body.parent else top[body.parent]
        if has_mass(body.link):
            heavy.add(top[name])
            body.mass = written_mass(body.link, 0.0 if name in static else LEAST, findings)
    for name in bodies:
        if top[name] == name and name not in static and name not in heavy:
            refuse_massless(name, findings)


def _depth_first(bodies: Dict[str, Body]) -> Tuple[Body, ...]:
    """Return the bodies in the order of MuJoCo: each followed by its descendants."""
    return tuple(bodies[name] for name in depth_first(grouped((body.parent, name) for name, body in bodies.items())))


class Decided(NamedTuple):
    """The writer's decisions, which are where the text may differ from the robot.

    Attributes:
        left_out: shapes that are not written: (link, kind, number among the pieces of that kind).
        between: links without a body: between two joints that are in one body.
        bodies: the bodies of the text.
        actuators, apart, keys: what the text has in addition to the robot; `apart`: pairs of bodies that never touch.
    """

    left_out: FrozenSet[Tuple[str, str, int]]
    between: FrozenSet[str]
    options: MjcfOptions
    bodies: Bodies
    actuators: Tuple[RawActuator, ...]
    apart: Tuple[Tuple[str, str], ...]
    keys: Mapping[str, RawKey]


class Model:
    """The state of the writer while the text is made.

    Attributes:
        nodes: the elements of bodies by link, "" for the world.
        names: the names of joints by child link.
        sites: link and pose in the link by name.
    """

    def __init__(self, robot: Robot, options: MjcfOptions, bodies: Bodies, world: Node, names: Dict[str, str],
                 findings: Findings) -> None:
        self.robot, self.options, self.bodies, self.names, self.findings = robot, options, bodies, names, findings
        self.nodes: Dict[str, Node] = {"": world}
        self.sites: Dict[str, Tuple[str, Pose]] = {}


def limits_of(joint: Joint) -> Optional[Tuple[float, float]]:
    """Return the range of positions [rad or m]; None where both bounds are out of reach."""
    limits = joint.range
    return None if limits is None or limits[0] <= -OUT_OF_REACH and limits[1] >= OUT_OF_REACH else limits


def put_site(model: Model, name: str, link: str, pose: Pose) -> str:
    """Write a site at a pose in a link, and return its name, which is made distinct."""
    holder, T_holder_link = model.bodies.where[link]
    name = unique(name, model.sites)
    model.sites[name] = (link, pose)
    site = model.nodes[holder].add("site", name=name)
    put_pose(site, compose(T_holder_link, pose.transform))
    site.attributes["group"] = "3"
    return name
