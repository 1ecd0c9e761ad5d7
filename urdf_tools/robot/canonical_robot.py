"""The canonical robot: bodies, masses, lines and named frames, all in the frame of the root, in the pose of the file.

Links connected by fixed joints are one body, so it does not matter how a tool turned, moved or merged their frames.
"""

from __future__ import annotations

from itertools import chain
from math import dist, fsum, hypot
from typing import AbstractSet, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ..base.errors import BrokenRobot
from ..base.number_text import grouped
from ..base.record_type import Record
from ..urdf.spatial_math import (
    add,
    add_matrices,
    compose,
    cross,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    inertia_of_point,
    inverse,
    Matrix,
    move,
    multiply,
    norm,
    Transform,
    Poses,
    rotate,
    scale,
    subtract,
    transpose,
    Vector,
    ZERO,
)
from .principal_axes import principal
from .raw_robot import RawJoint, RawLink, RawLoop, RawRobot, TURNING

TURNS = "turns"
SLIDES = "slides"
COPY = 1e-4  # [m, rad] joints of the same name that are closer are the same motion
NO_TENSOR: Matrix = (ZERO, ZERO, ZERO)
LINK = "link"
EMPTY_LINK = "empty link"
FRAME = "frame"


class BodyMass(Record):
    """The mass [kg], center [m] and tensor about the center [kg m^2] of a body, in the frame of the root."""

    mass: float
    center: Vector
    tensor: Matrix


class BodyLink(Record):
    """A link of a body, with its frame in the frame of the root."""

    link: RawLink
    T_root_link: Transform


class Body(Record):
    """A rigid group: links that move as one.

    `mass` is None if no link has a mass; `joint` is the index of the joint that moves it, -1 for the root.
    """

    name: str
    parts: Tuple[BodyLink, ...]
    mass: Optional[BodyMass]
    joint: int

    @property
    def is_heavy(self) -> bool:
        """Return True if the body has a mass above zero."""
        return self.mass is not None and self.mass.mass > 0.0


class CanonicalJoint(Record):
    """A joint between two bodies, with its line in the frame of the root.

    Attributes:
        motion: TURNS, SLIDES, or the type (planar, floating, ball).
        anchor: if it turns, the point of its line nearest to the anchor of the preceding joint; else its own point.
        axis: of length 1.
    """

    raw: RawJoint
    motion: str
    parent: int
    child: int
    anchor: Vector
    axis: Vector


class NamedFrame(Record):
    """A named frame that a program may look up; its kind is LINK, EMPTY_LINK (no mass, no shape), or FRAME."""

    name: str
    kind: str
    body: int
    T_root_frame: Transform
    line: int


class CanonicalRobot(Record):
    """A robot as a tree of bodies and joints, independent of the frames of its file.

    Attributes:
        bodies: the root first, each body after its parent.
        joints: each joint after its ancestors.
        child_joints: the indices of the joints on each body.
        frames: the named frames, in the order of the file.
        body_of: the index of the body of each link, except removed links.
        leader: by index of a joint, the index of the joint that it mimics.
        duplicate_joints: by index of a joint, further joints of the same name and motion in the file.
        held_links: the child links of joints that are held in the drawn pose.
        root: the first link, if the caller chose it; "": the root of the file.
    """

    raw: RawRobot
    bodies: Tuple[Body, ...]
    joints: Tuple[CanonicalJoint, ...]
    child_joints: Tuple[Tuple[int, ...], ...]
    frames: Tuple[NamedFrame, ...]
    body_of: Dict[str, int]
    leader: Dict[int, int]
    duplicate_joints: Dict[int, List[RawJoint]] = {}
    held_links: AbstractSet[str] = frozenset()
    root: str = ""

    @property
    def held(self) -> List[RawJoint]:
        """Return the joints that are held in the drawn pose."""
        return [joint for joint in self.raw.joints if joint.child in self.held_links]

    def joint_of(self, body: int) -> Optional[CanonicalJoint]:
        """Return the joint that moves a body, None for the root."""
        index = self.bodies[body].joint
        return self.joints[index] if index >= 0 else None


def canonical(
    raw: RawRobot,
    held_links: AbstractSet[str] = frozenset(),
    root: str = "",
    *,
    joins_copies: bool = True,
) -> CanonicalRobot:
    """Return the canonical robot; joints whose child is in `held_links` are held in the drawn pose.

    Args:
        raw: the robot.
        held_links: the child links of joints that are held.
        root: the link to start from, because the file of a free robot may start from any link.
        joins_copies: a joint that was exported twice carries one body, though its two lines may be up to `COPY` apart.

    Raises:
        BrokenRobot: the links and joints do not form a tree.
    """
    links = {link.name: link for link in raw.links}
    joints = _turned_round(raw, root) if root else raw.joints
    child_joints = grouped((joint.parent, joint) for joint in joints)
    children = {joint.child for joint in joints}
    tops = [name for name in links if name not in children]
    # A tree has one root, and no link with two parent joints.
    if len(tops) != 1 or len(children) != len(joints):
        raise BrokenRobot(f"robot '{raw.name}': its links and joints are not a tree", raw.file)
    # A frame with a sensor is needed, and so is a root that was put there on purpose.
    seeing = {sensor.link for sensor in raw.sensors}
    if raw.is_rooted:
        seeing.add(tops[0])
    top = root or _first_link(tops[0], links, child_joints, held_links, seeing)

    members, hinges, duplicate_joints = _collect(
        top, links, child_joints, held_links, joins_copies=joins_copies
    )
    bodies = tuple(
        # The root is body 0 and each joint adds a body, so joint n - 1 moves body n.
        Body(parts[0].link.name, tuple(parts), body_mass(parts), number - 1)
        for number, parts in enumerate(members)
    )
    body_of: Dict[str, int] = {}
    for number, parts in enumerate(members):
        for part in parts:
            body_of[part.link.name] = number

    carried: List[List[int]] = [[] for _ in bodies]
    for index, hinge in enumerate(hinges):
        carried[hinge.parent].append(index)
    return CanonicalRobot(
        raw=raw,
        bodies=bodies,
        joints=tuple(hinges),
        child_joints=tuple(map(tuple, carried)),
        frames=_named_frames(raw, members, body_of),
        body_of=body_of,
        leader=leaders_among(hinges),
        duplicate_joints=duplicate_joints,
        held_links=held_links,
        root=root,
    )


Names = Mapping[str, str]  # new names by old ones


def without_links(robot: RawRobot, gone: AbstractSet[str]) -> RawRobot:
    """Return a robot without some links, their joints and all parts on these; followers of removed joints are free."""
    links = tuple(link for link in robot.links if link.name not in gone)
    joints = [joint for joint in robot.joints if gone.isdisjoint((joint.parent, joint.child))]
    names = {joint.name for joint in joints}
    kept_joints: List[RawJoint] = []
    for joint in joints:
        has_lost_leader = joint.mimic is not None and joint.mimic.leader not in names
        if has_lost_leader:
            joint = joint._replace(mimic=None)
        kept_joints.append(joint)
    sensors = tuple(
        sensor
        for sensor in robot.sensors
        if sensor.link not in gone and (not sensor.joint or sensor.joint in names)
    )
    return robot._replace(
        links=links,
        joints=tuple(kept_joints),
        frames=tuple(frame for frame in robot.frames if frame.link not in gone),
        loops=tuple(loop for loop in robot.loops if gone.isdisjoint(loop.links)),
        sensors=sensors,
        actuators=tuple(actuator for actuator in robot.actuators if actuator.joint in names),
    )


def renamed(
    robot: RawRobot,
    links: Names,
    joints: Names,
    others: Mapping[str, str] = {},
    files: Mapping[str, str] = {},
) -> RawRobot:
    """Return a robot with new names everywhere; `others` has the new names of sensors, actuators, loops, and frames."""

    def named(part: Any, **names: Names) -> Any:
        """Return a part with new names in some of its fields."""
        old = {field: getattr(part, field) for field in names}
        return part._replace(**{field: names[field].get(name, name) for field, name in old.items()})

    def of_link(link: RawLink) -> RawLink:
        """Return a link with its new name, and new names of files."""
        shapes = tuple(named(shape, file=files, texture=files) for shape in link.shapes)
        return link._replace(name=links.get(link.name, link.name), shapes=shapes)

    def of_joint(joint: RawJoint) -> RawJoint:
        """Return a joint with new names of itself, its links and its leader."""
        mimic = joint.mimic and named(joint.mimic, leader=joints)
        joint = named(joint, name=joints, parent=links, child=links)
        return joint._replace(mimic=mimic)

    def of_loop(loop: RawLoop) -> RawLoop:
        """Return a loop with new names of itself and its links."""
        first, second = (links.get(link, link) for link in loop.links)
        return loop._replace(name=others.get(loop.name, loop.name), links=(first, second))

    return robot.with_each(
        links=of_link,
        joints=of_joint,
        loops=of_loop,
        frames=lambda frame: named(frame, name=others, link=links),
        sensors=lambda sensor: named(sensor, name=others, link=links, joint=joints),
        actuators=lambda actuator: named(actuator, name=others, joint=joints),
    )


def link_places(robot: CanonicalRobot) -> Poses:
    """Return the frame of each link in the frame of the root."""
    parts = chain.from_iterable(body.parts for body in robot.bodies)
    return {part.link.name: part.T_root_link for part in parts}


def drawn_places(robot: RawRobot) -> Poses:
    """Return the frame of each link in the frame of the root, with all joints as the file draws them."""
    child_joints = grouped((joint.parent, joint) for joint in robot.joints)
    roots = {link.name for link in robot.links} - {joint.child for joint in robot.joints}
    waiting = [(root, IDENTITY_POSE) for root in roots]
    for name, T in waiting:  # the list grows while it is walked
        for joint in child_joints.get(name, ()):
            waiting.append((joint.child, compose(T, joint.T_parent_child)))
    return dict(waiting)


def _first_link(
    top: str,
    links: Dict[str, RawLink],
    child_joints: Dict[str, List[RawJoint]],
    held_links: AbstractSet[str],
    seeing: AbstractSet[str],
) -> str:
    """Return the first link of the robot, without a root of mere frames above a floating joint.

    `seeing` has the links that stay even if they are mere frames, such as links with sensors.
    """
    frames = [top]
    moving = []
    for name in frames:  # the list grows while it is walked
        for joint in child_joints.get(name, ()):
            if joint.type == "fixed" or joint.child in held_links:
                frames.append(joint.child)
            else:
                moving.append(joint)
    # A floating joint on mere frames means that the base is free: `world` is not a part of the robot.
    if (
        len(moving) == 1
        and moving[0].type == "floating"
        and all(is_empty(links[name]) and name not in seeing for name in frames)
    ):
        return moving[0].child
    return top


def rooted(robot: CanonicalRobot, other: CanonicalRobot) -> CanonicalRobot:
    """Return a robot with the root frame of another robot, if the other floats from it and this robot lacks it."""
    raw = robot.raw
    child = robot.bodies[0].name
    joint = other.joints[0].raw if len(other.child_joints[0]) == 1 else None
    if joint is None or joint.child != child:
        return robot
    # Otherwise the file has a root, which was left out.
    if all(each.child != child for each in raw.joints):
        is_elsewhere = any(link.name == joint.parent for link in raw.links)
        if is_elsewhere or joint.type != "floating" or raw.base == "fixed":
            return robot
        root = RawLink(joint.parent)
        raw = raw._replace(links=(root, *raw.links), joints=(joint._replace(line=0), *raw.joints))
    return canonical(raw._replace(is_rooted=True))


def is_empty(link: RawLink) -> bool:
    """Return True if a link is only a frame: without shapes, and without mass or with mass zero."""
    return not link.shapes and (
        link.mass is None or link.mass.mass == 0.0 and not any(link.mass.tensor)
    )


def _collect(
    top: str,
    links: Dict[str, RawLink],
    child_joints: Dict[str, List[RawJoint]],
    held_links: AbstractSet[str],
    *,
    joins_copies: bool,
) -> Tuple[List[List[BodyLink]], List[CanonicalJoint], Dict[int, List[RawJoint]]]:
    """Return the links of each body, the joints between bodies, and by index of a joint its copies in the file.

    The order is depth first from the first link, in file order.
    """
    members: List[List[BodyLink]] = [[BodyLink(links[top], IDENTITY_POSE)]]
    hinges: List[CanonicalJoint] = []
    by_name: Dict[Tuple[int, str], CanonicalJoint] = {}
    duplicate_joints: Dict[int, List[RawJoint]] = {}
    # A stack in place of recursion, because a chain may be longer than the limit of Python; its top is first in the file.
    waiting = [(joint, 0, IDENTITY_POSE) for joint in reversed(child_joints.get(top, []))]
    while waiting:
        joint, body, T_root_parent = waiting.pop()
        T_root_child = compose(T_root_parent, joint.T_parent_child)
        if joint.type != "fixed" and joint.child not in held_links:
            # Joint n - 1 moves body n; the root has no line, so its origin is the anchor.
            anchor_before = hinges[body - 1].anchor if body else ZERO
            hinge = _line(joint, T_root_child, body, len(members), anchor_before)
            first = by_name.setdefault((body, joint.name), hinge)
            # A joint that was exported twice moves one body: its child joins the child of the first.
            if joins_copies and first is not hinge and _is_one_motion(first, hinge):
                body = first.child
                duplicate_joints.setdefault(body - 1, []).append(joint)
            else:
                hinges.append(hinge)
                members.append([])
                body = hinge.child
        members[body].append(BodyLink(links[joint.child], T_root_child))
        waiting += [
            (each, body, T_root_child) for each in reversed(child_joints.get(joint.child, []))
        ]
    return members, hinges, duplicate_joints


def _is_one_motion(joint: CanonicalJoint, other: CanonicalJoint) -> bool:
    """Return True if two joints of the same name and parent have the same line, as in copies of a part from CAD."""
    return (
        joint.motion == other.motion
        and joint.motion in (TURNS, SLIDES)
        # The sine in `crossing` is also small for opposite axes.
        and dot(joint.axis, other.axis) > 0.0
        and crossing(joint.axis, other.axis) < COPY
        and (joint.motion == SLIDES or dist(joint.anchor, other.anchor) < COPY)
    )


def _line(
    joint: RawJoint, T_root_child: Transform, parent: int, child: int, before: Vector
) -> CanonicalJoint:
    """Return a joint with its line; the anchor of a turning joint is the point nearest to the anchor `before`."""
    motion = joint.type
    if joint.type in TURNING:
        motion = TURNS
    elif joint.moves:
        motion = SLIDES
    if joint.type == "floating":
        return CanonicalJoint(
            raw=joint,
            motion=motion,
            parent=parent,
            child=child,
            anchor=T_root_child.translation,
            axis=(1.0, 0.0, 0.0),
        )
    axis = rotate(T_root_child.rotation, joint.axis)
    point = move(T_root_child, joint.point)
    if motion == TURNS:  # any point of the line would do; this point does not depend on the file
        point = add(point, scale(dot(axis, subtract(before, point)), axis))
    return CanonicalJoint(
        raw=joint, motion=motion, parent=parent, child=child, anchor=point, axis=axis
    )


def body_mass(parts: Sequence[BodyLink]) -> Optional[BodyMass]:
    """Return the mass of links that move as one, None if no link has a mass.

    A part at d from the common center adds its own tensor, and the tensor of a point mass m at d.
    """
    masses = [(part.link.mass, part.T_root_link) for part in parts if part.link.mass is not None]
    if not masses:
        return None
    centers = [move(T, mass.center) for mass, T in masses]
    if len(masses) == 1:  # most bodies: the written digits stay
        mass, T = masses[0]
        return BodyMass(mass.mass, centers[0], _rotated(T.rotation, mass.tensor))
    total = fsum(mass.mass for mass, _ in masses)

    # Parts with a total mass of zero may still have tensors.
    weights = [0.0] * len(masses)
    if total:
        weights = [mass.mass / total for mass, _ in masses]
    x, y, z = (fsum(w * x for w, x in zip(weights, column)) for column in zip(*centers))
    center = (x, y, z)

    tensor = NO_TENSOR
    for (mass, T), part_center in zip(masses, centers):
        own = _rotated(T.rotation, mass.tensor)
        of_point = inertia_of_point(mass.mass, subtract(part_center, center))
        tensor = add_matrices(tensor, add_matrices(own, of_point))
    return BodyMass(total, center, tensor)


def _rotated(R: Matrix, tensor: Sequence[float]) -> Matrix:
    """Return a tensor, given as xx, xy, xz, yy, yz, zz, rotated by R."""
    xx, xy, xz, yy, yz, zz = tensor
    return rotated_tensor(R, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def rotated_tensor(R: Matrix, tensor: Matrix) -> Matrix:
    """Return the tensor R I R^T, symmetric to the last bit."""
    (a, b, c), (d, e, f), (g, h, i) = multiply(multiply(R, tensor), transpose(R))
    # Rounding leaves opposite entries of the product different in the last bit.
    b, c, f = 0.5 * (b + d), 0.5 * (c + g), 0.5 * (f + h)
    return ((a, b, c), (b, e, f), (c, f, i))


def _named_frames(
    raw: RawRobot, members: Sequence[Sequence[BodyLink]], body_of: Dict[str, int]
) -> Tuple[NamedFrame, ...]:
    """Return the frames of links and the other named frames, except on links that are left out."""
    # A mere frame is reported at the line of its joint.
    lines = {joint.child: joint.line for joint in raw.joints}
    frames: List[NamedFrame] = []
    poses: Poses = {}
    for part in chain.from_iterable(members):
        link = part.link
        poses[link.name] = part.T_root_link
        kind = EMPTY_LINK if is_empty(link) else LINK
        frames.append(
            NamedFrame(
                name=link.name,
                kind=kind,
                body=body_of[link.name],
                T_root_frame=part.T_root_link,
                line=lines.get(link.name, link.line),
            )
        )
    for frame in raw.frames:
        if frame.link in body_of:
            frames.append(
                NamedFrame(
                    name=frame.name,
                    kind=FRAME,
                    body=body_of[frame.link],
                    T_root_frame=compose(poses[frame.link], frame.T_link_frame),
                    line=frame.line,
                )
            )
    return tuple(frames)


def leaders_among(joints: Sequence[CanonicalJoint]) -> Dict[int, int]:
    """Return the index of the leader by index of the follower; of several joints with its name, the first leads."""
    first: Dict[str, int] = {}
    for index, joint in enumerate(joints):
        first.setdefault(joint.raw.name, index)
    return {
        index: first[joint.raw.mimic.leader]
        for index, joint in enumerate(joints)
        if joint.raw.mimic is not None and joint.raw.mimic.leader in first
    }


def _turned_round(raw: RawRobot, root: str) -> Tuple[RawJoint, ...]:
    """Return the joints as a tree from another root: on the way to it, parents and children are exchanged.

    Positions keep their numbers, because the axis of a joint is reversed with it.
    """
    above = {joint.child: joint for joint in raw.joints}
    on_the_way = set()  # the children of the joints to reverse
    link = root
    while link in above:
        on_the_way.add(link)
        link = above[link].parent
    joints: List[RawJoint] = []
    for joint in raw.joints:
        if joint.child in on_the_way:
            joint = reversed_joint(joint)
        joints.append(joint)
    return tuple(joints)


def reversed_joint(joint: RawJoint) -> RawJoint:
    """Return a joint from its child to its parent; its position keeps its number."""
    R, _ = joint.T_parent_child
    x, y, z = rotate(R, joint.axis)
    return joint._replace(
        parent=joint.child,
        child=joint.parent,
        T_parent_child=inverse(joint.T_parent_child),
        # Relative to the child, the parent turns the other way, so the axis changes its sign.
        axis=(-x, -y, -z),
        point=move(joint.T_parent_child, joint.point),
    )


def crossing(axis: Vector, other: Vector) -> float:
    """Return the sine of the angle between two axes."""
    x, y, z = cross(axis, other)
    return float((x * x + y * y + z * z) ** 0.5)


FLOOR = 1e-8  # [m^2] times the mass: a smaller tensor is rounding
SLENDER = 1e-6  # of the norm of a tensor: the rounding of a turn, 1e-16 of it, stays below 1e-9 of a smaller moment
TINY = 1e-300  # [kg m^2] prevents a division by zero
LAST_DIGITS = 1e-10  # of a moment: smaller than every tolerance in comparisons of tensors


def moved_mass(Y: Transform, mass: BodyMass) -> BodyMass:
    """Return a mass in the frame to which Y maps: its center moved, its tensor rotated."""
    tensor = mass.tensor if Y.rotation is IDENTITY else rotated_tensor(Y.rotation, mass.tensor)
    return BodyMass(mass.mass, move(Y, mass.center), tensor)


def mass_gaps(a: BodyMass, b: BodyMass) -> Tuple[float, float, float]:
    """Return the differences of two masses (relative to the larger), of centers [m], and of tensors (`direction_gap`)."""
    heavier = max(a.mass, b.mass)
    # A body without mass does not have a center.
    center = norm(subtract(a.center, b.center)) if min(a.mass, b.mass) > 0.0 else 0.0
    return (
        abs(a.mass - b.mass) / (heavier or 1.0),
        center,
        direction_gap(a.tensor, b.tensor, FLOOR * heavier),
    )


def direction_gap(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest difference of the moments about an axis of any direction, relative to the larger of both.

    If it is LAST_DIGITS or less, an upper bound is returned.

    The extremes are generalized eigenvalues of (A - B, A) and of (B - A, B): Golub, Van Loan, Matrix Computations, 8.7.
    """
    if a == b:
        return 0.0
    size = max(hypot(*X[0], *X[1], *X[2]) for X in (a, b))
    floor = max(floor, TINY, SLENDER * size)
    # Most pairs differ only in their last digits, which a bound shows without eigenvalues: no difference is above
    # |A - B|, and no moment of A is below 2 |det A| / |A|^2, because the product of the other two is at most |A|^2 / 2.
    # If the bound is this small, the moments of B are the same.
    difference = hypot(*_entry_differences(a, b))
    least = 2.0 * abs(dot(a[0], cross(a[1], a[2]))) / max(size * size, TINY)
    bound = difference / (least + floor)
    return bound if bound <= LAST_DIGITS else max(_excess(a, b, floor), _excess(b, a, floor))


def _entry_differences(a: Matrix, b: Matrix) -> List[float]:
    """Return the differences of the nine entries of two matrices."""
    return [p - q for p, q in zip(chain.from_iterable(a), chain.from_iterable(b))]


def _excess(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest fraction of a moment of `a` that `b` lacks; the floor is added to each moment of `a`."""
    moments, axes = principal(a)
    # With X = axes scaled by moment^-1/2, X^T A X is 1, so X^T (A - B) X has the generalized eigenvalues.
    # `principal` has the axes as columns; transposed, each row is an axis.
    x, y, z = (
        scale((abs(moment) + floor) ** -0.5, axis) for moment, axis in zip(moments, transpose(axes))
    )
    difference = (subtract(a[0], b[0]), subtract(a[1], b[1]), subtract(a[2], b[2]))
    return max(
        0.0, principal(multiply(multiply((x, y, z), difference), transpose((x, y, z))))[0][2]
    )


def tensor_gap(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest difference of entries, relative to the largest entry, or to `floor` if all are smaller."""
    largest = max(max(map(abs, row)) for row in (*a, *b))
    apart = max(map(abs, _entry_differences(a, b)))
    return apart / max(largest, floor) if apart else 0.0
