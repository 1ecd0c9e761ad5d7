"""The decisions for the result's note on axes that rounding turned, and on frames with a new orientation.

All directions are in the frame of the root of the run's input, at zero: a rounded axis moves nothing there, so each later
run finds the same directions, however earlier runs turned the frames of links. The last line says how the run turns the
root, so `compare` knows in which frame the lines of the next run are.

Angles below `--snap` become 0, so a joint axis turns by up to that angle. Each turn is small, but a hand at the end of
a chain moves by their sum, at a distance of meters. If the error exceeds the tolerance of `compare`, the axes are
written into the note with all digits, so that `compare` can turn the axes of the input likewise and compare exactly. A
larger tolerance would not do: it would accept any other axis too.
"""

from __future__ import annotations

from collections import Counter
from math import fsum
from itertools import chain
from typing import Dict, List, Optional

from ..base.number_text import numbers_in
from ..base.record_type import Record
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import UrdfJoint, Limit, UrdfLink, MOVABLE, poses_at, SIZES
from ..urdf.urdf_notes import Decision, own_notes, UNNOTED
from ..urdf.spatial_math import (
    add,
    angle_between,
    compose,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    Matrix,
    multiply,
    norm,
    Poses,
    Transform,
    rotate,
    scale,
    subtract,
    transpose,
    Vector,
    ZERO,
)
from .plan_decisions import JointPlan, Plan

SEEN = 1e-9  # [rad] an axis turned by less counts as not turned
COMPARED_AS_ONE = 1e-4  # [m and of an entry] frames in one place, as `compare` sees them
# An axis turned by an angle turns its descendants by up to twice the angle, at half a turn of its joint.
TURN_FACTOR = 2.0
FREE_STROKE = 1.0  # [m] assumed travel of a prismatic joint without limits
# The tolerance of an entry of a rotation: half the tolerance of `compare` for frames turned by right angles.
RIGHT = 5e-5


class RoundedAxis(Record):
    """A joint and its axis in the result, in the root frame of the input at zero; the angle between the axes [rad]."""

    joint: UrdfJoint
    angle: float
    axis: Vector


class RoundedChain(Record):
    """The joints from the root to a link, with some of their axes turned.

    Attributes:
        anchor: the point of the last axis that is closest to the previous anchor, in the world at zero [m].
        way: the length from the root along the anchors, including strokes of prismatic joints [m].
        turned: the sum of all turns [rad]. spent: the sum of turns times their ways [m].
        moved: the sum of distances between turned axes and their anchors [m].
    """

    anchor: Vector
    way: float = 0.0
    turned: float = 0.0
    moved: float = 0.0
    spent: float = 0.0


def rounded_axes(plan: Plan) -> List[Decision]:
    """Return a decision for each axis turned by rounding, the largest turn first; empty if their sum is negligible.

    The numbers are the angle [rad] and the axis of the result.
    """
    T_root = poses_at(plan.robot, {}, IDENTITY_POSE)
    axes = [_axis_of(planned, T_root) for planned in plan.joints.values()]
    rounded = [axis for axis in axes if axis.angle > SEEN]
    error = _largest_error(plan, {axis.joint.child: axis.angle for axis in rounded})
    # The result of an earlier run may have a negligible sum already, which nothing notes. So two sums would not be.
    is_original = not own_notes(plan.robot.document, "")
    if is_original and error <= UNNOTED:
        return []
    rounded.sort(key=lambda axis: -axis.angle)
    return [
        Decision("axis", axis.joint.child, (axis.joint.name,), (axis.angle, *axis.axis))
        for axis in rounded
    ]


def turned_frames(plan: Plan) -> List[Decision]:
    """Return a decision for each link that is only a frame and not turned by right angles, with its new orientation.

    The axis of a moving joint shows how its frame turned. A duplicate joint is an exception: both copies carry one
    body, so the second frame is compared as a frame on the first.
    """
    T_root = poses_at(plan.robot, {}, IDENTITY_POSE)
    joints_of = Counter(planned.joint.name for planned in plan.joints.values())
    return [
        _orientation("turn", name, T_root[name].rotation, planned.frame.R_new_old)
        for name, planned in plan.joints.items()
        if (planned.joint.type == "fixed" or joints_of[planned.joint.name] > 1)
        and _is_mere_frame(plan.robot.links[name])
        and not _is_right(planned.frame.R_new_old)
    ]


def turned_root(plan: Plan) -> List[Decision]:
    """Return the decision for the frame of the root with its new orientation, if the run turns it.

    `base` changes nothing, since the map has the pose of the base. `turn` is for a root that looks the same when turned.
    """
    root = plan.robot.root
    R_new_old = plan.base.R_new_old
    if R_new_old == IDENTITY:
        return []
    kind = "turn" if _is_turn_hidden(plan) else "base"
    return [_orientation(kind, root, IDENTITY, R_new_old)]


def _orientation(kind: str, link: str, R_root_old: Matrix, R_new_old: Matrix) -> Decision:
    """Return the decision about a frame with the rows of R_root_new; R_root_old is its old orientation."""
    R_root_new = multiply(R_root_old, transpose(R_new_old))
    return Decision(kind, link, (), (*chain.from_iterable(R_root_new),))


def _is_turn_hidden(plan: Plan) -> bool:
    """Return True if no mass or shape shows that the base turned, and a joint on it has its old pose in the new frame.

    That joint would otherwise look like a joint with a different axis.
    """
    robot = plan.robot
    held = {robot.root}
    for joint in robot.tree:
        if joint.parent in held and joint.type == "fixed":
            held.add(joint.child)
    if not all(_is_mere_frame(robot.links[name]) for name in held):
        return False
    T_root = poses_at(robot, {}, IDENTITY_POSE)
    turned = Transform(plan.base.R_new_old, ZERO)
    for joint in robot.tree:
        if joint.parent in held and joint.type != "fixed":
            before = T_root[joint.child]
            after = compose(compose(turned, before), inverse(plan.placements[joint.child]))
            if _are_close(before, after):
                return True
    return False


def _are_close(T: Transform, other: Transform) -> bool:
    """Return True if `compare` takes two poses for one."""
    entries = zip(chain.from_iterable(T.rotation), chain.from_iterable(other.rotation))
    off = norm(subtract(T.translation, other.translation))
    return max(off, *(abs(entry - its_other) for entry, its_other in entries)) <= COMPARED_AS_ONE


def _axis_of(planned: JointPlan, T_root: Poses) -> RoundedAxis:
    """Return the axis of a joint as written, in the root frame of the input, and the angle [rad] of its rounding.

    `T_root` has the poses of the input's links at zero.
    """
    joint = planned.joint
    frame = planned.frame
    if frame.axis is None:
        return RoundedAxis(joint, 0.0, joint.axis)
    axis = scale(float(planned.map.sign), frame.axis_written)
    if frame.R_new_old != IDENTITY:
        axis = rotate(transpose(frame.R_new_old), axis)
    angle = angle_between(joint.axis, axis)
    return RoundedAxis(joint, angle, rotate(T_root[joint.child].rotation, axis))


def _largest_error(plan: Plan, angles: Dict[str, float]) -> float:
    """Return a bound on the error of any point at any position: the larger of its displacement [m] and its turn [rad].

    It is the bound of `compare` (theorem in its README): angles add up along a chain, and a point moves by an angle
    times its way along the chain from that axis, for all joint positions.
    """
    robot = plan.robot
    largest = 0.0
    T_world = poses_at(robot, {}, IDENTITY_POSE)
    chains = {robot.root: RoundedChain(T_world[robot.root].translation)}
    for joint in robot.tree:
        T_child = T_world[joint.child]
        chain = _extended(chains[joint.parent], joint, T_child, angles.get(joint.child, 0.0))
        chains[joint.child] = chain
        anchor_distance = norm(subtract(T_child.translation, chain.anchor))
        reach = chain.way + anchor_distance + _reach(robot.links[joint.child])
        largest = max(largest, chain.turned, chain.moved + chain.turned * reach - chain.spent)
    return largest


def _extended(
    chain: RoundedChain, joint: UrdfJoint, T_world_child: Transform, angle: float
) -> RoundedChain:
    """Return a chain extended by a joint whose axis is turned by an angle."""
    if joint.type == "fixed":
        return chain
    origin = T_world_child.translation
    anchor = origin
    if joint.type in ("revolute", "continuous"):
        axis = rotate(T_world_child.rotation, joint.axis)
        anchor = add(origin, scale(dot(axis, subtract(chain.anchor, origin)), axis))
    turn = TURN_FACTOR * angle
    way = chain.way + norm(subtract(anchor, chain.anchor))
    return RoundedChain(
        anchor=anchor,
        way=way + _stroke(joint),
        turned=chain.turned + turn,
        # Both axes pass through the origin of the link, and are compared at the anchor.
        moved=chain.moved + turn * norm(subtract(anchor, origin)),
        spent=chain.spent + turn * way,
    )


def _stroke(joint: UrdfJoint) -> float:
    """Return how far a joint may translate its child from the zero position [m]."""
    if joint.type not in ("prismatic", "planar", "floating"):
        return 0.0
    limit = joint.limit or Limit()
    if joint.type not in MOVABLE:
        return FREE_STROKE
    lower = FREE_STROKE if limit.lower is None else abs(limit.lower)
    upper = FREE_STROKE if limit.upper is None else abs(limit.upper)
    return max(lower, upper)


def _reach(link: UrdfLink) -> float:
    """Return a bound on the distance of the content of a link from its origin [m]; a mesh counts as its origin."""
    reaches = [norm(shape.pose.translation) + _size(shape.drawn) for shape in link.shapes]
    if link.inertial is not None:
        reaches.append(norm(link.inertial.properties.center))
    return max(reaches, default=0.0)


def _size(drawn: Optional[Element]) -> float:
    """Return the sum of all lengths of a box, cylinder or sphere [m]; 0 for a mesh."""
    if drawn is None or drawn.name == "mesh":
        return 0.0
    sizes = SIZES.get(drawn.name, ())
    numbers = [numbers_in(drawn.get(name) or "", count) or () for name, count in sizes]
    return fsum(map(abs, chain.from_iterable(numbers)))


def _is_mere_frame(link: UrdfLink) -> bool:
    """Return True for a link without mass and shapes."""
    return link.inertial is None and not link.shapes


def _is_right(R: Matrix) -> bool:
    """Return True for a turn by right angles: each entry is 0, 1 or -1 within tolerance."""
    return all(min(abs(entry), abs(abs(entry) - 1.0)) <= RIGHT for entry in chain.from_iterable(R))
