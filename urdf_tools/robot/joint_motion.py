"""The motion of the child of a joint, the positions of followers, and the mass matrix of a robot.

The mass matrix M(q) is from composite bodies: Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.2. Here it is
computed in the frame of the root, where the inertia of all descendants of a joint is a sum of ten numbers.
"""

from __future__ import annotations

from typing import Dict, Hashable, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar

from ..base.record_type import Record
from ..urdf.urdf_records import UrdfJoint as ReadJoint, MOVABLE, UrdfRobot
from ..urdf.spatial_math import (
    add,
    add_matrices,
    compose,
    cross,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    inertia_of_point,
    Matrix,
    move,
    Transform,
    rotate,
    rotation_about,
    scale,
    subtract,
    unit,
    Vector,
    ZERO,
)
from .rigid_bodies import CanonicalJoint, moved_mass, SLIDES, TURNS
from .canonical_robot import CanonicalRobot
from .principal_axes import entries_of
from .raw_robot import RawJoint, SLIDING

Name = TypeVar("Name", bound=Hashable)


def leaders_first(
    leader_of: Mapping[Name, Optional[Name]],
) -> Iterator[Tuple[Name, Optional[Name]]]:
    """Yield every joint with its leader, or None for a free joint; each leader comes before its followers.

    `leader_of` has every joint, with None for a joint that is not a follower. In a circle of followers, the joint that
    is reached last from the first is free.
    """
    done = set()
    for name in leader_of:
        chain = [name]
        while chain[-1] not in done:  # from leader to leader, up to a joint that is done or free
            leader = leader_of[chain[-1]]
            if leader is None or leader in chain:
                yield chain[-1], None
                done.add(chain[-1])
            else:
                chain.append(leader)
        # Back again: each joint of the chain with the next joint, which is its leader.
        yield from zip(chain[-2::-1], chain[:0:-1])
        done.update(chain)


def positions_of(robot: UrdfRobot, free: Mapping[str, float]) -> Dict[str, float]:
    """Return the position of every joint, by child link: given for a free joint, by the mimic rule for a follower.

    `leaders_first` frees a joint of a circle of followers; a joint whose leader does not exist is free, too. Joints
    that do not have a single position are at zero.
    """
    above = robot.above
    positions = {}
    for child, leader in leaders_first(_leaders(robot)):
        if leader is None:
            positions[child] = free[child] if above[child].type in MOVABLE else 0.0
        else:
            rule = above[child].mimic
            assert rule is not None
            positions[child] = rule.multiplier * positions[leader] + rule.offset
    return positions


def _leaders(robot: UrdfRobot) -> Dict[str, Optional[str]]:
    """Return the leader of each joint, both by child link, None for a joint that is not a follower."""
    leaders: Dict[str, Optional[str]] = {}
    for joint in robot.joints:
        leader = None
        if joint.mimic is not None and joint.type in MOVABLE:
            leader = robot.named.get(joint.mimic.joint)
        leaders[joint.child] = leader.child if leader is not None else None
    return leaders


def is_line(motion: str) -> bool:
    """Return True if a joint with this motion has a single number as its position."""
    return motion in (TURNS, SLIDES)


def turn_at(R: Matrix, point: Vector) -> Transform:
    """Return the rotation R about a point."""
    return Transform(R, subtract(point, rotate(R, point))) if R is not IDENTITY else IDENTITY_POSE


def motion_in_child(joint: ReadJoint, position: float) -> Transform:
    """Return the motion of the child of a joint from zero to a position [rad or m], in the frame of the child."""
    if position == 0.0:
        return IDENTITY_POSE
    if joint.type == "prismatic":
        return Transform(IDENTITY, scale(position, unit(joint.axis)))
    return Transform(rotation_about(unit(joint.axis), position), ZERO)


def motion_of(joint: CanonicalJoint, position: float) -> Transform:
    """Return the motion of the child of a joint at a position [rad or m] from the drawn pose."""
    if position == 0.0 or joint.motion not in (TURNS, SLIDES):
        return IDENTITY_POSE
    if joint.motion == SLIDES:
        return Transform(IDENTITY, scale(position, joint.axis))
    return turn_at(rotation_about(joint.axis, position), joint.anchor)


def held_at(joint: RawJoint, position: float) -> RawJoint:
    """Return a joint that turns or slides, fixed at a position [rad or m]."""
    # MJCF draws a joint at its `ref`, so only the remaining motion is applied.
    motion = position - joint.reference
    if joint.type in SLIDING:
        x, y, z = joint.axis
        T = Transform(IDENTITY, (motion * x, motion * y, motion * z))
    elif not motion:
        T = IDENTITY_POSE
    else:
        # A turn about a point that is not the origin of the child: p stays, so the shift is p - R p.
        R = rotation_about(joint.axis, motion)
        T = Transform(R, subtract(joint.point, rotate(R, joint.point)))
    return joint._replace(type="fixed", T_parent_child=compose(joint.T_parent_child, T), mimic=None)


def shifted(axis: Vector, length: float) -> Transform:
    """Return the shift by a length along an axis."""
    return Transform(IDENTITY, scale(length, axis)) if length else IDENTITY_POSE


def after(T: Transform, U: Transform) -> Transform:
    """Return T after U, without a product if T or U is the identity."""
    if T is IDENTITY_POSE:
        return U
    return T if U is IDENTITY_POSE else compose(T, U)


# The entries of M by the indices of two joints: an ancestor, or the joint itself, and the joint.
Entries = Dict[Tuple[int, int], float]


class Twist(Record):
    """The motion of a body by a joint at unit speed: its angular velocity, and its velocity at the origin of the root."""

    turn: Vector
    move: Vector


def mass_matrix(robot: CanonicalRobot, positions: Dict[int, float]) -> Entries:
    """Return M at positions relative to the drawn pose, by index of joint; joints without a position are held."""
    poses: List[Transform] = [IDENTITY_POSE] * len(robot.bodies)
    twists: Dict[int, Twist] = {}
    for index, joint in enumerate(robot.joints):
        T = poses[joint.parent]
        poses[joint.child] = after(T, motion_of(joint, positions.get(index, 0.0)))
        axis = rotate(T.rotation, joint.axis)
        if joint.motion == SLIDES:
            twists[index] = Twist(ZERO, axis)
        else:
            twists[index] = Twist(axis, cross(move(T, joint.anchor), axis))

    composites = [_at_origin(robot, index, T) for index, T in enumerate(poses)]

    entries: Entries = {}
    # From the leaves to the root, so that each composite is complete when it is used.
    for index in range(len(robot.joints) - 1, -1, -1):
        joint = robot.joints[index]
        composite = composites[joint.child]
        composites[joint.parent] = [p + q for p, q in zip(composites[joint.parent], composite)]
        if index not in positions:
            continue
        linear, angular = _momentum(composite, twists[index])
        before = index
        # M has an entry for this joint with itself and with each of its ancestors; all other entries are 0.
        while before >= 0:
            if before in positions:
                twist = twists[before]
                entries[before, index] = dot(twist.turn, angular) + dot(twist.move, linear)
            before = robot.bodies[robot.joints[before].parent].joint
    return entries


def _at_origin(robot: CanonicalRobot, body: int, T: Transform) -> List[float]:
    """Return the mass, mass times center, and tensor xx, xy, xz, yy, yz, zz of a body about the root's origin."""
    mass = robot.bodies[body].mass
    if mass is None:
        return [0.0] * 10
    moved = moved_mass(T, mass)
    about_origin = add_matrices(moved.tensor, inertia_of_point(moved.mass, moved.center))
    return [moved.mass, *scale(moved.mass, moved.center), *entries_of(about_origin)]


def _momentum(composite: Sequence[float], twist: Twist) -> Tuple[Vector, Vector]:
    """Return the linear momentum, and the angular momentum about the root's origin, of bodies that move with a twist.

    `composite` is a sum of lists of `_at_origin`: mass, mass times center, and tensor about the root's origin.
    """
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = composite
    h = (hx, hy, hz)
    spin = rotate(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), twist.turn)
    # A point at r moves by v + w x r, so the momentum is m v + w x h, h being m times the center.
    return subtract(scale(m, twist.move), cross(h, twist.turn)), add(spin, cross(h, twist.move))
