"""The canonical robot: bodies, masses, lines and named frames, all in the frame of the root, in the pose of the file.

Links connected by fixed joints are one body, so it does not matter how a tool turned, moved or merged their frames.
"""

from __future__ import annotations

from itertools import chain
from typing import AbstractSet, Dict, List, Optional, Sequence, Tuple

from ..base.errors import BrokenRobot
from ..base.number_text import grouped
from ..base.record_type import Record
from ..urdf.spatial_math import compose, IDENTITY_POSE, Poses, Transform
from .rigid_bodies import Body, body_mass, BodyLink, CanonicalJoint, is_empty
from .body_tree import tree_of_bodies
from .change_whole_robot import turned_round
from .raw_robot import RawJoint, RawLink, RawRobot

# Kinds of named frames.
LINK = "link"


EMPTY_LINK = "empty link"


FRAME = "frame"


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
    raw_joints = turned_round(raw, root) if root else raw.joints
    child_joints = grouped((joint.parent, joint) for joint in raw_joints)
    children = {joint.child for joint in raw_joints}
    tops = [name for name in links if name not in children]
    # A tree has one root, and no link with two parent joints.
    if len(tops) != 1 or len(children) != len(raw_joints):
        raise BrokenRobot(f"robot '{raw.name}': its links and joints are not a tree", raw.file)
    # A frame with a sensor is needed, and so is a root that was put there on purpose.
    seeing = {sensor.link for sensor in raw.sensors}
    if raw.is_rooted:
        seeing.add(tops[0])
    top = root or _first_link(tops[0], links, child_joints, held_links, seeing)

    tree = tree_of_bodies(top, links, child_joints, held_links, joins_copies=joins_copies)
    bodies = tuple(
        # The root is body 0 and each joint adds a body, so joint n - 1 moves body n.
        Body(parts[0].link.name, tuple(parts), body_mass(parts), number - 1)
        for number, parts in enumerate(tree.links_of_body)
    )
    body_of: Dict[str, int] = {}
    for number, parts in enumerate(tree.links_of_body):
        for part in parts:
            body_of[part.link.name] = number

    joints_on_body: List[List[int]] = [[] for _ in bodies]
    for index, joint in enumerate(tree.joints):
        joints_on_body[joint.parent].append(index)
    return CanonicalRobot(
        raw=raw,
        bodies=bodies,
        joints=tuple(tree.joints),
        child_joints=tuple(map(tuple, joints_on_body)),
        frames=_named_frames(raw, tree.links_of_body, body_of),
        body_of=body_of,
        leader=leaders_among(tree.joints),
        duplicate_joints=tree.duplicate_joints,
        held_links=held_links,
        root=root,
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


def _named_frames(
    raw: RawRobot, links_of_body: Sequence[Sequence[BodyLink]], body_of: Dict[str, int]
) -> Tuple[NamedFrame, ...]:
    """Return the frames of links and the other named frames, except on links that are left out."""
    # A link is reported at the line of the joint that carries it, the root at its own line.
    lines = {joint.child: joint.line for joint in raw.joints}
    frames: List[NamedFrame] = []
    poses: Poses = {}
    for part in chain.from_iterable(links_of_body):
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
