"""Put the robot of the input, as the proof reads it, where the plan asks: less a part, locked, at another zero.

Who goes is found again from the options, and where followers are from their leaders: nothing of the plan is taken but
positions, those at which joints are locked and those that become zero.
"""
import random
from fnmatch import fnmatchcase

from ..urdf.spatial import IDENTITY, IDENTITY_POSE, Pose, ZERO
from ..plan.decisions import Plan
from ..plan.merging import FIXED
from .comparison import ErrorBounds, TOLERANCE
from .raw_robot import assembled, named_in, raw_positions, RawRobot, world_motion
from .rigid_motion import composed


def posed(robot: RawRobot, plan: Plan, worst: ErrorBounds) -> RawRobot:
    """Return the robot as the variant has it: the positions of its joints count from their zeros on.

    Raises:
        ProofFailed: another part is gone than was asked, or a follower is not locked where its leader puts it.
    """
    part, locked = _part_asked(robot, plan), plan.variant.locked
    worst.require(part.links.keys() == plan.members.keys(), "another part of the robot is gone than was asked")
    if not locked and not plan.variant.zeros:
        return part
    positions = {child: locked.get(child, _zero_of(child, plan)) for child in part.joints}
    found, joints = raw_positions(part, positions), []
    for child, joint in part.joints.items():
        name, factor, shift = joint.mimic or ("", 0.0, 0.0)
        leader, where = part.named.get(name), f"joint '{joint.name}'"
        if leader is not None:
            worst.require((child in locked) == (leader.child in locked) or not leader.moves,
                          f"{where} is locked and what it follows is not, or it is only that")
            shift += factor * positions[leader.child] - positions[child]
            joint = joint._replace(mimic=(name, factor, shift))
        if positions[child]:
            motion = world_motion(joint, IDENTITY_POSE, positions[child], random.Random(0))
            joint = joint._replace(origin=composed(joint.origin, motion))
        if child in locked:
            worst.note("locked position", abs(found[child] - locked[child]), 2.0 * TOLERANCE, where)
            joint = joint._replace(type="fixed", mimic=None)
        joints.append(joint)
    return assembled(robot.document, part.links, joints, part.T_world[part.root])


def _part_asked(robot: RawRobot, plan: Plan) -> RawRobot:
    """Return the sub-tree that was asked for, less what is below a dropped link; its root is where the world is."""
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


def _zero_of(child: str, plan: Plan) -> float:
    """Return the zero of a joint; one that is merged counts as the joint that it moves with."""
    member = plan.members[child]
    return plan.joints[member.target].map.zero if member.kind != FIXED and member.target in plan.joints else 0.0
