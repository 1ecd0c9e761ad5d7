"""Make the variant of the input robot, as the proof reads it: links dropped, joints locked, zeros moved.

The dropped links, and the position at which each joint is locked or has its zero, are recomputed from the options;
those of followers from their leaders. A sign is that of an option or of the axis.
"""
import random
from fnmatch import fnmatchcase
from typing import Optional, Sequence, Tuple

from ..urdf.spatial import IDENTITY, IDENTITY_POSE, Pose, UNIT_AXES, ZERO
from ..plan.decisions import Plan
from ..plan.merging import FIXED
from ..plan.options import Position
from .comparison import Comparison, ErrorBounds, TOLERANCE
from .joint_notes import signs_noted
from .raw_robot import assembled, named_in, number_of, raw_positions, RawJoint, RawRobot, world_motion
from .rigid_motion import composed


def posed(robot: RawRobot, plan: Plan, worst: ErrorBounds) -> RawRobot:
    """Return the robot of the variant: the positions of its joints are relative to their zeros.

    Raises:
        ProofFailed: other links are dropped than was asked, or a joint is not locked where an option or leader has it.
    """
    part, locked = _part_asked(robot, plan), plan.variant.locked
    worst.require(part.links.keys() == plan.members.keys(), "another part of the robot is gone than was asked")
    for child, joint in part.joints.items():
        if joint.mimic is None or joint.mimic[0] not in part.named:
            wanted = _asked_position(joint, plan.options.lock)
            worst.require((wanted is None) == (child not in locked), f"joint '{joint.name}' is locked unasked, or not")
            worst.note("locked position", abs((wanted or 0.0) - locked.get(child, 0.0)), TOLERANCE,
                       f"joint '{joint.name}'")
    if not locked and not plan.variant.zeros:
        return part
    # A follower that is locked is only compared with its leader: its position is never given by an option.
    positions = {child: locked.get(child, _zero_of(child, plan)) for child in part.joints}
    followed, joints = raw_positions(part, positions), []
    for child, joint in part.joints.items():
        name, factor, shift = joint.mimic or ("", 0.0, 0.0)
        leader, where = part.named.get(name), f"joint '{joint.name}'"
        if leader is not None:
            worst.require((child in locked) == (leader.child in locked) or not leader.moves,
                          f"{where} is locked and what it follows is not, or it is only that")
            shift += factor * positions[leader.child]
        if joint.mimic is not None:
            joint = joint._replace(mimic=(name, factor, shift - positions[child]))
        if positions[child]:
            motion = world_motion(joint, IDENTITY_POSE, positions[child], random.Random(0))
            joint = joint._replace(origin=composed(joint.origin, motion))
        if child in locked:
            worst.note("locked position", abs(followed[child] - locked[child]), 2.0 * TOLERANCE, where)
            joint = joint._replace(type="fixed", mimic=None)
        joints.append(joint)
    return assembled(robot.document, part.links, joints, part.T_world[part.root])


def _part_asked(robot: RawRobot, plan: Plan) -> RawRobot:
    """Return the sub-tree that was asked for, less dropped links and all below them; its root is at the origin."""
    root, options = plan.options.only or robot.root, plan.options
    staying = {root}
    for joint in robot.tree:
        if joint.parent in staying and not any(fnmatchcase(joint.child, glob) for glob in options.drop):
            staying.add(joint.child)
    if len(staying) == len(robot.links):
        return robot
    joints = [joint for joint in robot.joints.values() if {joint.parent, joint.child} <= staying]
    gone = robot.named.keys() - named_in(joints).keys()
    joints = [joint._replace(mimic=None) if (joint.mimic or ("",))[0] in gone else joint for joint in joints]
    return assembled(
        robot.document, {name: link for name, link in robot.links.items() if name in staying}, joints,
        Pose(robot.T_world[root].rotation if options.reorient or root == robot.root else IDENTITY, ZERO))


def verify_maps(comparison: Comparison) -> None:
    """Verify that each joint that moves has the zero that an option gives it, and the sign of an option or its axis.

    Without an option its axis is X, Y or Z, not the opposite one, and where frames stay it keeps its sign. Joints that
    were turned or kept by the note of an earlier run keep theirs (plan/README.md, variants).

    Raises:
        ProofFailed: no option explains the zero or the sign of a joint.
    """
    options, kept = comparison.plan.options, signs_noted(comparison.before.document)
    for child, joint in comparison.after.joints.items():
        if joint.moves or joint.type == "planar":
            old, where = comparison.before.joints[child], f"joint '{joint.name}'"
            sign, zero = comparison.plan.joints[child].map
            comparison.worst.note("zero", abs(zero - (_asked_position(old, options.zero) or 0.0)), TOLERANCE, where)
            # In this order: --flip is for single joints, so it counts more than an option for all of them.
            if any(fnmatchcase(old.name, glob) for glob in options.flip):
                explained = sign < 0
            elif options.keep_signs or not options.reorient or any(fnmatchcase(old.name, glob) for glob in kept):
                explained = sign > 0
            else:
                explained = joint.axis in UNIT_AXES
            comparison.require(explained, f"{where} changes its sign, or keeps it, and nothing asks for that")


def _asked_position(joint: RawJoint, asked: Sequence[Tuple[str, Position]]) -> Optional[float]:
    """Return the position that the last option which names a joint gives it [rad or m], None where none does."""
    positions = [position for glob, position in dict.fromkeys(asked) if fnmatchcase(joint.name, glob)]
    if not positions or joint.type == "fixed":
        return None
    limit, position = joint.element.find("limit"), positions[-1]
    if not isinstance(position, str):
        return position
    return 0.5 * sum(number_of(limit.get(end)) for end in ("lower", "upper")) if limit is not None else 0.0


def _zero_of(child: str, plan: Plan) -> float:
    """Return the zero of a joint; for a merged one that of the joint that it moves with."""
    member = plan.members[child]
    return plan.joints[member.target].map.zero if member.kind != FIXED and member.target in plan.joints else 0.0
