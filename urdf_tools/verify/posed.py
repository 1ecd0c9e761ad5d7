"""Put the robot of the input, as the proof reads it, where the plan asks: less a part, locked, at another zero.

Who goes is found again from the options, and where followers are from their leaders: nothing of the plan is taken but
positions, those at which joints are locked and those that become zero.
"""
from fnmatch import fnmatchcase
from typing import Dict

from ..urdf.spatial import IDENTITY, Pose, ZERO
from ..plan.decisions import Plan
from ..plan.merging import FIXED
from .comparison import ErrorBounds, TOLERANCE
from .raw_robot import named_in, raw_positions, RawJoint, RawRobot, SLIDING
from .rigid_motion import axis_turn, composed

SOMEWHERE = 0.7  # [rad or m] where a joint is that is not locked


def posed(robot: RawRobot, plan: Plan, worst: ErrorBounds) -> RawRobot:
    """Return the robot as the variant has it: the positions of its joints count from their zeros on.

    Raises:
        ProofFailed: another part is gone than was asked, or a follower is not locked where its leader puts it.
    """
    part = _part_asked(robot, plan)
    worst.require(part.links.keys() == plan.members.keys(), "another part of the robot is gone than was asked")
    locked = plan.variant.locked
    if part.links == robot.links and not locked and not plan.variant.zeros:
        return robot
    _verify_followers(part, locked, worst)
    zeros = {child: 0.0 if child in locked else _zero_of(child, plan) for child in part.joints}
    moved: Dict[str, RawJoint] = {}
    for child, joint in part.joints.items():
        if joint.mimic is not None and joint.mimic[0] in part.named:
            name, factor, shift = joint.mimic
            shift += factor * zeros[part.named[name].child] - zeros[child]
            joint = joint._replace(mimic=(name, factor, shift))
        moved[child] = _at(joint, locked[child])._replace(type="fixed", mimic=None) if child in locked else (
            _at(joint, zeros[child]))
    tree, T_world = tuple([moved[joint.child] for joint in part.tree]), {part.root: part.T_world[part.root]}
    for joint in tree:
        T_world[joint.child] = composed(T_world[joint.parent], joint.origin)
    named = {name: moved[joint.child] for name, joint in part.named.items()}
    return part._replace(joints=moved, named=named, tree=tree, T_world=T_world)


def _part_asked(robot: RawRobot, plan: Plan) -> RawRobot:
    """Return the sub-tree that was asked for, less what is below a dropped link; its root is where the world is."""
    root, options = plan.options.only or robot.root, plan.options
    staying = {root}
    for joint in robot.tree:
        if joint.child != root and joint.parent in staying and not any(
                fnmatchcase(joint.child, glob) for glob in options.drop):
            staying.add(joint.child)
    joints = {child: joint for child, joint in robot.joints.items() if child in staying and child != root}
    named = named_in(joints.values())
    for child, joint in joints.items():
        if joint.mimic is not None and joint.mimic[0] in robot.named and joint.mimic[0] not in named:
            joints[child] = joint._replace(mimic=None)
    R_world_root = robot.T_world[root].rotation if options.reorient or root == robot.root else IDENTITY
    return robot._replace(
        links={name: link for name, link in robot.links.items() if name in staying}, joints=joints, root=root,
        named={name: joints[joint.child] for name, joint in named.items()},
        tree=tuple([joints[joint.child] for joint in robot.tree if joint.child in joints]),
        T_world={root: Pose(R_world_root, ZERO)},
        others={name: others for name, others in robot.others.items() if name in staying})


def _verify_followers(part: RawRobot, locked: Dict[str, float], worst: ErrorBounds) -> None:
    """A joint that follows a locked one is locked, where that puts it; one that follows a moving joint is not."""
    free = {child: locked.get(child, SOMEWHERE) for child in part.joints}
    found = raw_positions(part, free)
    for child, joint in part.joints.items():
        leader = part.named.get(joint.mimic[0]) if joint.mimic is not None else None
        if child in locked:
            worst.note("locked position", abs(found[child] - locked[child]) if joint.moves else 0.0, 2.0 * TOLERANCE,
                       f"joint '{joint.name}'")
        elif leader is not None and leader.child in locked:
            worst.require(found[child] == free[child], f"joint '{joint.name}' follows a locked one, and is not locked")


def _zero_of(child: str, plan: Plan) -> float:
    """Return the zero of a joint; one that is merged counts as the joint that it moves with."""
    member = plan.members[child]
    return plan.joints[member.target].map.zero if member.kind != FIXED and member.target in plan.joints else 0.0


def _at(joint: RawJoint, position: float) -> RawJoint:
    """Return a joint with the origin of its child where it is at a position."""
    x, y, z = joint.axis
    motion = Pose(IDENTITY, (position * x, position * y, position * z)) if joint.type in SLIDING else (
        Pose(axis_turn(joint.axis, position), ZERO))
    return joint._replace(origin=composed(joint.origin, motion)) if position else joint
