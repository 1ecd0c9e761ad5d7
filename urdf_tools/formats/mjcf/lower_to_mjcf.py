"""Map links to MuJoCo bodies and fix their tree, before anything is written; then decide, once for writer and proof,
the parts that MJCF has in addition to the robot: actuators, pairs of bodies that never touch, key frames.

Actuators start from the URDF's text as the reader of the proof parsed it.
"""

from __future__ import annotations

from itertools import chain
from typing import Dict, FrozenSet, Iterator, List, Mapping, Optional, Set, Tuple

from ...base.exact_trigonometry import arctangent
from ...base.type_aliases import Pair, Pairs, Reals, Span, Texts
from ...base.number_text import grouped
from ...base.record_type import Record
from ...model.export_options import MjcfOptions
from ...model.model_records import Joint, Link, RobotRecord
from ...model.model_shapes import Pose
from ...model.model_tree import poses_at, Positions, positions_of, ModelTree, tree_of
from ...model.xml_writer import XmlNode
from ...robot.raw_robot import OUT_OF_REACH, RawActuator, RawJoint, RawNamedState, RawRobot, Values
from ...urdf.urdf_records import MOVABLE
from ...urdf.spatial_math import (
    compose,
    cross,
    dot,
    IDENTITY_POSE,
    inverse,
    rotate,
    Transform,
    UNIT_AXES,
    Vector,
)
from ..export_diagnostics import EXPORT_ACTUATOR, EXPORT_NEAREST
from ..shared_lowering import (
    clean_direction,
    clean_lengths,
    names_depth_first,
    ExportFindings,
    groups_of,
    has_mass,
    is_fixed,
    LEAST,
    RigidGroups,
    note_world_mass,
    OneShape,
    Place,
    refuse_massless,
    unused,
    written_mass,
    WrittenMass,
)
from .write_mjcf_assets import standing_height

PLANAR_ENDS = (
    "x",
    "y",
    "yaw",
)  # of the names of two slides and a hinge, the joints of a planar joint
MOST_DOFS = 6  # of one body


class JointInBody(Record):
    """A joint as it is in a body: its axis and a point on it in the frame of the body with all joints at zero."""

    joint: Joint
    axis: Vector
    point: Vector


class MjcfBody(Record):
    """A body: its link, its parent body ("": the world), T_parent_body, its joints, and its mass properties.

    Attributes:
        free: it has a free joint; the free joint of the root is no joint of the robot.
        mass: None until all bodies are known.
    """

    link: Link
    parent: str
    pose: Transform
    hinges: Tuple[JointInBody, ...]
    free: bool
    mass: Optional[WrittenMass] = None


class MjcfBodies(Record):
    """All bodies, parents first, as MuJoCo numbers them.

    Attributes:
        bodies: the bodies.
        where: for each link the body that holds it and T_body_link; a link between two joints of one body is missing.
        sites: links that became sites.
        static: the bodies that never move ("" too).
    """

    bodies: Tuple[MjcfBody, ...]
    where: Dict[str, Place]
    sites: Texts
    static: Set[str]


class UndecidedLink(Record):
    """A link as the body above it holds it, before it is known what the link becomes.

    MuJoCo refuses a massless body between two joints. Such a link is dropped, and its joints go into the body below: a
    body of MuJoCo may have several joints.

    Attributes:
        holder: the body above. T_holder_link: the pose of the link in it.
        joints: the joints that move between the holder and the link, each with its pose in the holder.
    """

    holder: str
    T_holder_link: Transform
    joints: Tuple[Tuple[Joint, Transform], ...]


def plan_bodies(robot: RobotRecord, options: MjcfOptions, findings: ExportFindings) -> MjcfBodies:
    """Decide the bodies; a robot that MuJoCo cannot hold is refused in `findings`."""
    tree = tree_of(robot)
    groups = groups_of(tree)
    is_root_fixed = is_fixed(tree, options.base, findings, heavy=groups.heavy[tree.root])
    plan = _DecidedBodies(robot, tree, groups, findings)
    plan.place_root(is_root_fixed=is_root_fixed)
    for joint in tree.order:
        held = plan.held(joint)
        link = tree.links[joint.child]
        if plan.is_dropped(link, held):
            plan.drop(link, held)
        elif plan.is_site(joint, held):
            plan.add_site(link, held)
        elif joint.type == "floating":
            plan.add_free_body(joint, held)
        else:
            plan.add_body(joint, held)
    _decide_masses(plan.bodies, plan.static, findings)
    # MuJoCo numbers bodies depth first, and `qpos` of key frames has their order.
    order = names_depth_first(grouped((body.parent, name) for name, body in plan.bodies.items()))
    return MjcfBodies(
        bodies=tuple(map(plan.bodies.__getitem__, order)),
        where=plan.where,
        sites=tuple(plan.sites),
        static=plan.static,
    )


class _DecidedBodies:
    """The bodies that are decided so far; links are added parents first.

    Attributes:
        bodies: by the name of their link.
        where, sites, static: as in `MjcfBodies`.
    """

    def __init__(
        self, robot: RobotRecord, tree: ModelTree, groups: RigidGroups, findings: ExportFindings
    ) -> None:
        """Begin without a body."""
        self.bodies: Dict[str, MjcfBody] = {}
        self.where: Dict[str, Place] = {}
        self.sites: List[str] = []
        self.static: Set[str] = {""}
        self._tree = tree
        self._groups = groups
        self._findings = findings
        self._watched = {sensor.link for sensor in robot.sensors}
        self._bare = _bare_links(tree)
        self._dropped: Dict[str, UndecidedLink] = {}

    def place_root(self, *, is_root_fixed: bool) -> None:
        """Make the root a body, or the world itself: a root `world` is MuJoCo's own <worldbody>."""
        root = self._tree.root
        if root == "world":
            self.where[root] = ("", IDENTITY_POSE)
            note_world_mass(self._tree, self._findings)
            return
        self._put(self._tree.links[root], "", IDENTITY_POSE, (), is_free=not is_root_fixed)
        if is_root_fixed:
            self.static.add(root)

    def held(self, joint: Joint) -> UndecidedLink:
        """Return the child of a joint as the body above it holds it."""
        parent = self._dropped.get(joint.parent)
        if parent is None:
            holder, T_holder_parent = self.where[joint.parent]
            parent = UndecidedLink(holder, T_holder_parent, ())
        T = compose(parent.T_holder_link, joint.origin.transform)
        joints = parent.joints
        if joint.type in MOVABLE:
            joints = (*joints, (joint, T))
        return UndecidedLink(parent.holder, T, joints)

    def is_dropped(self, link: Link, held: UndecidedLink) -> bool:
        """Return True if a link only joins two joints: it has no shape or sensor, and its group of fixed links no mass."""
        top = self._groups.tops[link.name]
        if not held.joints or self._groups.heavy[top]:
            return False
        if link.shapes or link.name in self._watched:
            return False
        below = self._tree.child_joints[link.name]
        return len(below) == 1 and below[0].type in (*MOVABLE, "fixed")

    def drop(self, link: Link, held: UndecidedLink) -> None:
        """Leave a link between two joints out: its joints wait for the body below."""
        self._dropped[link.name] = held
        self._findings.note(EXPORT_NEAREST, "one-body", link)

    def is_site(self, joint: Joint, held: UndecidedLink) -> bool:
        """Return True if the child of a joint is only a frame of the body above it."""
        return joint.type == "fixed" and joint.child in self._bare and not held.joints

    def add_site(self, link: Link, held: UndecidedLink) -> None:
        """Make a link a site of the body above it."""
        self.where[link.name] = (held.holder, held.T_holder_link)
        self.sites.append(link.name)

    def add_free_body(self, joint: Joint, held: UndecidedLink) -> None:
        """Make the child of a floating joint a body of the world: MuJoCo allows a free joint there only."""
        if held.holder not in self.static:
            fault = f"MuJoCo has floating joints at the world only, and '{joint.parent}' moves"
            self._findings.refuse("joint", joint.name, fault)
        # No link above a floating joint is dropped, so the body has no other joints.
        T = compose(_in_world(self.bodies, held.holder), held.T_holder_link)
        self._put(self._tree.links[joint.child], "", T, (), is_free=True)

    def add_body(self, joint: Joint, held: UndecidedLink) -> None:
        """Make the child of a joint a body, with the joints of the links that were dropped above it."""
        hinges = self._hinges(joint, held)
        link = self._tree.links[joint.child]
        self._put(link, held.holder, held.T_holder_link, hinges, is_free=False)
        if held.holder in self.static and not hinges and joint.type == "fixed":
            self.static.add(link.name)

    def _put(
        self,
        link: Link,
        parent: str,
        pose: Transform,
        hinges: Tuple[JointInBody, ...],
        *,
        is_free: bool,
    ) -> None:
        """Add a body, with the link that it is made of."""
        self.where[link.name] = (link.name, IDENTITY_POSE)
        self.bodies[link.name] = MjcfBody(
            link=link, parent=parent, pose=pose, hinges=hinges, free=is_free
        )

    def _hinges(self, joint: Joint, held: UndecidedLink) -> Tuple[JointInBody, ...]:
        """Return the hinges of a body: the joints of links that were dropped above it, and its own joint."""
        T_body_holder = inverse(held.T_holder_link)
        hinges = tuple(_hinge(upper, compose(T_body_holder, T)) for upper, T in held.joints)
        # `held.joints` has joints of one number; a planar or ball joint is the last one of its body.
        if joint.type in ("planar", "ball"):
            hinges += (JointInBody(joint, joint.axis, (0.0, 0.0, 0.0)),)
        if len(hinges) > MOST_DOFS:
            fault = (
                f"the links above it have no mass, so {len(hinges)} joints would be in "
                f"one body; MuJoCo allows {MOST_DOFS}"
            )
            self._findings.refuse("link", joint.child, fault)
        return hinges


def _hinge(joint: Joint, T_body_child: Transform) -> JointInBody:
    """Return a joint in the frame of its body, given T_body_child with all joints at zero."""
    axis = joint.axis
    # The digits of the axis stay where nothing turns it.
    if T_body_child.rotation != UNIT_AXES:
        axis = rotate(T_body_child.rotation, joint.axis)
    return JointInBody(joint, clean_direction(axis), clean_lengths(T_body_child.translation))


def _in_world(bodies: Dict[str, MjcfBody], name: str) -> Transform:
    """Return T_world_body of a body that does not move."""
    T = IDENTITY_POSE
    while name:
        T = compose(bodies[name].pose, T)
        name = bodies[name].parent
    return T


def _bare_links(tree: ModelTree) -> Set[str]:
    """Return the links that are frames: no mass, no shape, and no children except frames that are fixed."""
    bare = {name for name, link in tree.links.items() if not link.shapes and not has_mass(link)}
    # Leaves first: a link is more than a frame as soon as more than fixed frames hang on it.
    for joint in reversed(tree.order):
        if joint.type != "fixed" or joint.child not in bare:
            bare.discard(joint.parent)
    return bare


def _decide_masses(bodies: Dict[str, MjcfBody], static: Set[str], findings: ExportFindings) -> None:
    """Set the mass of every body; refuse bodies that move without any."""
    # MuJoCo requires a mass for each group of bodies that move as one, not for each body: the top of a group stands for it.
    top: Dict[str, str] = {}
    heavy: Set[str] = set()
    for name, body in bodies.items():
        moves = bool(body.hinges) or body.free
        top[name] = name if moves or not body.parent else top[body.parent]
        if has_mass(body.link):
            heavy.add(top[name])
            least = 0.0 if name in static else LEAST
            mass = written_mass(body.link, least, findings)
            bodies[name] = body._replace(mass=mass)
    for name in bodies:
        if top[name] == name and name not in static and name not in heavy:
            refuse_massless(name, findings)


class MjcfDecisions(Record):
    """The writer's decisions: the differences of the text from the robot that the proof allows.

    Attributes:
        left_out: shapes that are not written: (link, kind, number among the pieces of that kind).
        joints: their names in the text, by child link.
        between: links without a body: between two joints that are in one body.
        bodies: the bodies of the text.
        actuators, apart, keys: parts that the text has in addition to the robot; `apart`: pairs of bodies that never
            touch.
    """

    left_out: FrozenSet[OneShape]
    between: FrozenSet[str]
    options: MjcfOptions
    bodies: MjcfBodies
    actuators: Tuple[RawActuator, ...]
    apart: Pairs
    keys: Mapping[str, RawNamedState]
    joints: Mapping[str, str]


class MjcfWriter(Record):
    """The state of the writer while the text is made.

    Attributes:
        names: the names of joints by child link.
        nodes: the elements of bodies by link, "" for the world.
        sites: link and pose in the link by name.
    """

    robot: RobotRecord
    options: MjcfOptions
    bodies: MjcfBodies
    names: Dict[str, str]
    findings: ExportFindings
    nodes: Dict[str, XmlNode]
    sites: Dict[str, Tuple[str, Pose]]

    @property
    def class_name(self) -> str:
        """The class of the robot, which tells its parts in the world from the rest of a scene."""
        # `visual` and `collision` are classes that the writer makes, and `main` is MuJoCo's own.
        is_taken = self.robot.name in ("", "visual", "collision", "main")
        return "robot" if is_taken else self.robot.name


def limits_of(joint: Joint) -> Optional[Span]:
    """Return the range of positions [rad or m]; None where both bounds are out of reach."""
    limits = joint.range
    if limits is None:
        return None
    low, high = limits
    return None if low <= -OUT_OF_REACH and high >= OUT_OF_REACH else limits


Bounds = Optional[Reals]


def actuators_of(model: MjcfWriter, reference: RawRobot) -> Iterator[RawActuator]:
    """Yield one actuator for each joint that can be driven: as the robot gives it, or as the options choose.

    A joint with an effort, or with an actuator in the robot, has one, unless it follows another joint or is
    locked.
    """
    if model.options.actuators == "none":
        return
    joints = {joint.child: joint for joint in reference.joints}
    names = {joint.name for joint in reference.joints}
    given = grouped((actuator.joint, actuator) for actuator in reference.actuators)
    names_used: Set[str] = set()
    for hinge in chain.from_iterable(body.hinges for body in model.bodies.bodies):
        joint = joints[hinge.joint.child]
        bounds = limits_of(hinge.joint)
        follows = joint.mimic is not None and joint.mimic.leader in names
        # An actuator would push against the constraint of a locked joint.
        is_locked = bounds is not None and bounds[0] == bounds[1]
        if not joint.moves or follows or is_locked:
            continue
        # An effort tells that something drives the joint; a joint without one is passive.
        if joint.name in given or joint.effort is not None and joint.effort > 0.0:
            chosen = _chosen(joint, given.get(joint.name, []), model)
            yield RawActuator(
                unused(chosen.name or joint.name, names_used),
                chosen.kind,
                model.names[joint.child],
                _values(joint, bounds, chosen, model.options.kp),
            )
        elif not joint.effort:  # an effort below 0 is noted with the limits
            model.findings.note(EXPORT_ACTUATOR, "effort", joint)


def _chosen(joint: RawJoint, given: List[RawActuator], model: MjcfWriter) -> RawActuator:
    """Return the robot's first actuator of the chosen kind and with a gain, else a plain actuator of that kind."""
    wanted = model.options.actuators
    kp = model.options.kp
    fits = [actuator for actuator in given if actuator.kind == (wanted or actuator.kind)]
    usable = [actuator for actuator in fits if _has_gain(actuator, kp)]
    if len(fits) > 1:
        model.findings.note(EXPORT_ACTUATOR, "several", joint, numbers=(len(fits),))
    if usable:
        return usable[0]
    if fits:
        model.findings.note(EXPORT_ACTUATOR, "gain", joint)
    named = fits or given
    name = named[0].name if len(named) == 1 else ""
    return RawActuator(name or model.names[joint.child], wanted or "motor", joint.name)


def _has_gain(actuator: RawActuator, kp: Optional[float]) -> bool:
    """Return True for an actuator with the gain of its kind; a motor needs none, and `kp` is for servos without one."""
    if actuator.kind == "motor":
        return True
    if actuator.kind == "velocity":
        return any(actuator.values.get("kv", ()))
    return any(actuator.values.get("kp", (kp,)))


def _values(joint: RawJoint, bounds: Bounds, chosen: RawActuator, kp: Optional[float]) -> Values:
    """Return gains and ranges: a range that the robot does not give follows from the limits of the joint."""
    gear = chosen.values.get("gear", (1.0,))[0] or 1.0
    effort = _symmetric(joint.effort)
    force = chosen.values.get("force_range")
    control: Bounds = chosen.values.get("control_range")
    values: Values = {}
    if chosen.kind == "motor":
        values["gear"] = (gear,)
        # The force on the joint is gear times control.
        control = control or (effort and tuple(bound / abs(gear) for bound in effort))
        # MuJoCo bounds the force before the gear.
        force = force and tuple(sorted(bound / gear for bound in force))
    elif chosen.kind == "position":
        values["kp"] = chosen.values.get("kp") or (kp or 0.0,)
        damping = chosen.values.get("kv")
        if damping is not None:
            values["kv"] = damping
        else:
            # A servo without damping would swing for ever: a ratio of 1 is critical damping.
            values["damping_ratio"] = (1.0,)
        control = control or bounds
        force = force or effort
    else:
        values["kv"] = chosen.values["kv"]
        control = control or _symmetric(joint.velocity)
        force = force or effort

    for key, span in (("control_range", control), ("force_range", force)):
        if span is not None and span[0] < span[1]:
            values[key] = span
    return values


def _symmetric(bound: Optional[float]) -> Bounds:
    """Return the range from a negative to a positive bound, None without a bound that can be reached."""
    return (-bound, bound) if bound is not None and 0.0 < bound < OUT_OF_REACH else None


def pairs_apart(model: MjcfWriter) -> Pairs:
    """Return the pairs of bodies that never touch: each child of the static bodies with all of them, and excluded ones.

    MuJoCo ignores contacts between bodies that are fixed to each other, and between them and their children, unless
    they are fixed to the world (its documentation, Computation, "Collision detection").
    """
    bodies = model.bodies
    touching = {link.name for link in model.robot.links if link.collisions}
    still = sorted(bodies.static & touching)
    if "world" in touching and bodies.where["world"][0] == "":
        still.append("world")
    # True for a body that moves by the joint of a static body, or is fixed to a body that does.
    hanging: Dict[str, bool] = {}
    pairs: List[Pair] = []
    for body in bodies.bodies:
        name = body.link.name
        if body.free:
            hanging[name] = False
        elif body.hinges:
            hanging[name] = body.parent in bodies.static
        else:
            hanging[name] = hanging.get(body.parent, False)
        if hanging[name] and name in touching:
            pairs += [(static, name) for static in still]
    for first, second in model.options.exclude:
        first_body, *_ = bodies.where.get(first, ("",))
        second_body, *_ = bodies.where.get(second, ("",))
        pairs.append((first_body, second_body))
    distinct: Dict[FrozenSet[str], Pair] = {}
    for pair in pairs:
        if all(pair) and pair[0] != pair[1]:
            distinct.setdefault(frozenset(pair), pair)
    return tuple(distinct.values())


def keys_of(model: MjcfWriter, actuators: Tuple[RawActuator, ...]) -> Dict[str, RawNamedState]:
    """Return `home` and the other key frames; a robot without joints that move has none.

    Positions come from the options, else they are zero or the nearest allowed; they are the controls of position servos.
    A robot that is free stands with its lowest collision shape of known size on the ground.
    """
    if not any(body.free or body.hinges for body in model.bodies.bodies):
        return {}
    # Zero may be outside the limits, and MuJoCo would start with a joint that its constraint pushes.
    nearest: Dict[str, float] = {}
    for joint in model.robot.joints:
        # 1 to -1 is an empty range: it stands for a joint without limits.
        low, high = limits_of(joint) or (1.0, -1.0)
        if low <= high:
            nearest.setdefault(joint.name, min(max(0.0, low), high))

    keys: Dict[str, RawNamedState] = {}
    for key, given in (("home", model.options.home), *model.options.keys):
        keys[key] = _key(model, actuators, positions_of(model.robot, dict(given), nearest))
    return keys


def _key(model: MjcfWriter, actuators: Tuple[RawActuator, ...], at: Positions) -> RawNamedState:
    """Return the key frame of a robot at positions by child link."""
    positions: Dict[str, float] = {}
    places: Dict[str, Transform] = {}
    for body in model.bodies.bodies:
        if body.free:
            places[body.link.name] = _place(model, body.link.name, body.pose, at)
        for hinge in body.hinges:
            joint = hinge.joint
            name = model.names[joint.child]
            position = at.get(joint.child)
            if joint.type == "ball":
                T = position.transform if isinstance(position, Pose) else IDENTITY_POSE
                places[joint.child] = T
            elif joint.type == "planar":
                T = position.transform if isinstance(position, Pose) else IDENTITY_POSE
                numbers = _in_plane(T, joint.axis)
                positions.update({f"{name}_{end}": q for end, q in zip(PLANAR_ENDS, numbers)})
            else:
                positions[name] = position if isinstance(position, (int, float)) else 0.0
    # An actuator drives only a joint with one number (see `actuators_of`), so its joint is in `positions`. A control of 0
    # is MuJoCo's default.
    controls = {
        actuator.name: positions[actuator.joint]
        for actuator in actuators
        if actuator.kind == "position" and positions[actuator.joint]
    }
    return RawNamedState(positions, places, controls)


def _in_plane(T: Transform, normal: Vector) -> Reals:
    """Return the positions of the two slides [m] and the hinge [rad] of a planar joint that moves its child by T."""
    x, y = across(normal)
    turned_x = rotate(T.rotation, x)
    yaw = arctangent(dot(normal, cross(x, turned_x)), dot(x, turned_x))
    return (dot(T.translation, x), dot(T.translation, y), yaw)


def across(normal: Vector) -> Tuple[Vector, Vector]:
    """Return x and y of the plane of a normal: the columns of the least rotation that turns z to the normal."""
    x, y, z = normal
    square = x * x + y * y
    if z < 0.0 and square == 0.0:
        return (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)
    # Both are the same number; near -z only the second has digits.
    k = 1.0 / (1.0 + z) if z >= 0.0 else (1.0 - z) / square
    return (1.0 - k * x * x, -k * x * y, -x), (-k * x * y, 1.0 - k * y * y, -y)


def _place(model: MjcfWriter, link: str, pose: Transform, positions: Positions) -> Transform:
    """Return the initial pose of a free body: at the position of its joint, or on the ground if it is the root."""
    if any(joint.child == link for joint in model.robot.joints):
        position = positions.get(link)
        return compose(pose, position.transform) if isinstance(position, Pose) else pose
    height = standing_height(model.robot, model.options, poses_at(model.robot, positions))
    return Transform(pose.rotation, (*pose.translation[:2], height))
