"""The tree of a robot's bodies: links on fixed joints joined to bodies, and copies of a joint joined to one joint."""

from __future__ import annotations

from math import dist
from typing import AbstractSet, Dict, List, Tuple

from ..urdf.spatial_math import (
    add,
    compose,
    cross,
    dot,
    IDENTITY_POSE,
    move,
    rotate,
    scale,
    subtract,
    Transform,
    Vector,
    ZERO,
)
from .rigid_bodies import BodyLink, CanonicalJoint, SLIDES, TURNS
from .raw_robot import RawJoint, RawLink, TURNING

COPY = 1e-4  # [m, rad] joints of the same name that are closer are the same motion


class BodyTree:
    """Bodies and joints while they are collected: the root is body 0, and joint n - 1 moves body n.

    Attributes:
        links_of_body: by body, its links, each with its frame in the frame of the root.
        joints: each after its ancestors.
        duplicate_joints: by index of a joint, further joints of the same name and motion in the file.
    """

    def __init__(self, root: RawLink) -> None:
        """Begin with the root link, whose frame is the frame of the root."""
        self.links_of_body: List[List[BodyLink]] = [[BodyLink(root, IDENTITY_POSE)]]
        self.joints: List[CanonicalJoint] = []
        self.duplicate_joints: Dict[int, List[RawJoint]] = {}
        # By the body that carries it, and its name: the first joint, as exporters write a joint twice.
        self._first_joints: Dict[Tuple[int, str], CanonicalJoint] = {}

    def add_joint(
        self, joint: RawJoint, parent: int, T_root_child: Transform, *, joins_copies: bool
    ) -> int:
        """Add a joint that moves, on body `parent`; return the body of its child link, new and without links yet.

        With `joins_copies` a copy of an earlier joint adds nothing but a duplicate: its child belongs to that body.
        """
        # The root has no line, so its origin is the anchor.
        anchor_before = self.joints[parent - 1].anchor if parent else ZERO
        child = len(self.links_of_body)
        canonical_joint = _with_line(joint, T_root_child, parent, child, anchor_before)
        first = self._first_joints.setdefault((parent, joint.name), canonical_joint)
        is_copy = first is not canonical_joint and _is_one_motion(first, canonical_joint)
        if joins_copies and is_copy:
            self.duplicate_joints.setdefault(first.child - 1, []).append(joint)
            return first.child
        self.joints.append(canonical_joint)
        self.links_of_body.append([])
        return child


def tree_of_bodies(
    root: str,
    links: Dict[str, RawLink],
    child_joints: Dict[str, List[RawJoint]],
    held_links: AbstractSet[str],
    *,
    joins_copies: bool,
) -> BodyTree:
    """Return the bodies of the links from `root` on, and the joints between them, depth first and in file order.

    Args:
        links: all links by name. child_joints: by parent link, its joints in file order.
        held_links: the child links of joints that are held in the drawn pose, as fixed joints are.
        joins_copies: a joint that was exported twice carries one body.
    """
    tree = BodyTree(links[root])
    # A stack in place of recursion, because a chain may be longer than the limit of Python; its top is first in the file.
    waiting = [(joint, 0, IDENTITY_POSE) for joint in reversed(child_joints.get(root, []))]
    while waiting:
        joint, body, T_root_parent = waiting.pop()
        T_root_child = compose(T_root_parent, joint.T_parent_child)
        if joint.type != "fixed" and joint.child not in held_links:
            body = tree.add_joint(joint, body, T_root_child, joins_copies=joins_copies)
        tree.links_of_body[body].append(BodyLink(links[joint.child], T_root_child))
        next_joints = child_joints.get(joint.child, [])
        waiting += [(each, body, T_root_child) for each in reversed(next_joints)]
    return tree


def _is_one_motion(joint: CanonicalJoint, other: CanonicalJoint) -> bool:
    """Return True if two joints of the same name and parent have the same line, as in copies of a part from CAD."""
    return (
        joint.motion == other.motion
        and joint.motion in (TURNS, SLIDES)
        # The sine in `_sine_between` is also small for opposite axes.
        and dot(joint.axis, other.axis) > 0.0
        and _sine_between(joint.axis, other.axis) < COPY
        and (joint.motion == SLIDES or dist(joint.anchor, other.anchor) < COPY)
    )


def _with_line(
    joint: RawJoint, T_root_child: Transform, parent: int, child: int, anchor_before: Vector
) -> CanonicalJoint:
    """Return a joint between two bodies, with its line in the frame of the root.

    The anchor of a joint that turns is the point of its line nearest to the anchor of the joint before it.
    """
    motion = joint.type
    if joint.type in TURNING:
        motion = TURNS
    elif joint.moves:
        motion = SLIDES
    if joint.type == "floating":
        axis = (1.0, 0.0, 0.0)  # a floating joint has no axis: x stands for it
        anchor = T_root_child.translation
    else:
        axis = rotate(T_root_child.rotation, joint.axis)
        anchor = move(T_root_child, joint.point)
    if motion == TURNS:
        # Any point of the line would do; this point does not depend on the file.
        anchor = add(anchor, scale(dot(axis, subtract(anchor_before, anchor)), axis))
    return CanonicalJoint(
        raw=joint, motion=motion, parent=parent, child=child, anchor=anchor, axis=axis
    )


def _sine_between(axis: Vector, other: Vector) -> float:
    """Return the sine of the angle between two axes of length 1."""
    x, y, z = cross(axis, other)
    return float((x * x + y * y + z * z) ** 0.5)
