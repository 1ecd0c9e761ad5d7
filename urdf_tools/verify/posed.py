"""Put the robot of the input, as the proof reads it, where the plan asks: less a part, locked, at another zero.

Who goes is found again from the options, and where followers are from their leaders: nothing of the plan is taken but
positions, those at which joints are locked and those that become zero.
"""
from fnmatch import fnmatchcase
from typing import Dict, Set

from ..urdf.spatial import IDENTITY, IDENTITY_POSE, Pose, ZERO
from ..plan.decisions import Plan
from .comparison import ErrorBounds, TOLERANCE
from .raw_robot import RawJoint, RawRobot, SLIDING, TURNING
from .rigid_motion import axis_turn, composed


def posed(robot: RawRobot, plan: Plan, worst: ErrorBounds) -> RawRobot:
    """Return the robot as the variant has it: the positions of its joints count from their zeros on.

    Raises:
        ProofFailed: another part is gone than was asked, or a follower is not locked where its leader puts it.
    """
    staying = _part_asked(robot, plan)
    worst.require(staying == plan.members.keys(), "another part of the robot is gone than was asked")
    locked, root = plan.variant.locked, plan.options.only or robot.root
    if len(staying) == len(robot.links) and not locked and not plan.variant.zeros:
        return robot
    _verify_followers(robot, locked, staying, worst)
    zeros = {child: _zero_of(child, plan) for child in staying if child in robot.joints and child not in locked}
    named = {name: joint for name, joint in robot.named.items() if joint.child in staying and joint.child != root}
    moved: Dict[str, RawJoint] = {}
    for child, joint in robot.joints.items():
        if child not in staying or child == root:
            continue
        position = locked[child] if child in locked else zeros[child]
        mimic = joint.mimic if joint.mimic and (joint.mimic[0] in named or joint.mimic[0] not in robot.named) else None
        if mimic is not None:
            leader = named.get(mimic[0])
            shift = mimic[1] * zeros.get(leader.child, 0.0) if leader is not None else 0.0
            mimic = (*mimic[:2], mimic[2] + (shift - zeros.get(child, 0.0)))
        fixed = child in locked
        moved[child] = joint._replace(origin=_origin_at(joint, position), type="fixed" if fixed else joint.type,
                                      mimic=None if fixed else mimic)
    tree = tuple([moved[joint.child] for joint in robot.tree if joint.child in moved])
    turned_root = robot.T_world[root].rotation if plan.options.reorient or root == robot.root else IDENTITY
    T_world = {root: Pose(turned_root, ZERO)}
    for joint in tree:
        T_world[joint.child] = composed(T_world[joint.parent], joint.origin)
    return robot._replace(
        links={name: link for name, link in robot.links.items() if name in staying}, joints=moved, root=root, tree=tree,
        named={name: moved[joint.child] for name, joint in named.items()}, T_world=T_world,
        others={name: others for name, others in robot.others.items() if name in staying})


def _part_asked(robot: RawRobot, plan: Plan) -> Set[str]:
    """Return the links that stay: those of the sub-tree that was asked for, less what is below a dropped one."""
    only, staying = plan.options.only or robot.root, {plan.options.only or robot.root}
    for joint in robot.tree:
        if joint.child != only and joint.parent in staying and not any(
                fnmatchcase(joint.child, glob) for glob in plan.options.drop):
            staying.add(joint.child)
    return staying


def _verify_followers(robot: RawRobot, locked: Dict[str, float], staying: Set[str], worst: ErrorBounds) -> None:
    """A joint that follows a locked one is locked, where that puts it; one that follows a moving joint is not."""
    for child in staying & robot.joints.keys():
        joint = robot.joints[child]
        leader = robot.named.get(joint.mimic[0]) if joint.mimic else None
        if joint.mimic is None or leader is None or leader.child not in staying or not leader.moves:
            continue
        worst.require((child in locked) == (leader.child in locked) or _in_circle(robot, joint),
                      f"joint '{joint.name}' is locked, or its leader '{leader.name}', and not the other")
        if child in locked and leader.child in locked and not _in_circle(robot, joint):
            follows = joint.mimic[1] * locked[leader.child] + joint.mimic[2]
            worst.note("locked follower", abs(locked[child] - follows), 2.0 * TOLERANCE, f"joint '{joint.name}'")


def _in_circle(robot: RawRobot, joint: RawJoint) -> bool:
    """Return True if a joint follows itself in the end, or a circle of joints."""
    seen: Set[str] = set()
    leader = joint
    while leader.mimic is not None and leader.mimic[0] in robot.named:
        if leader.child in seen:
            return True
        seen.add(leader.child)
        leader = robot.named[leader.mimic[0]]
    return False


def _zero_of(child: str, plan: Plan) -> float:
    """Return the zero of a joint; one that is merged counts as the joint that it moves with."""
    planned = plan.joints.get(child) or plan.joints.get(plan.members[child].target)
    kept = child in plan.joints or plan.members[child].kind in ("copy", "sibling")
    return planned.map.zero if planned is not None and kept else 0.0


def _origin_at(joint: RawJoint, position: float) -> Pose:
    """Return where a joint puts its child at a position."""
    if joint.type in SLIDING:
        x, y, z = joint.axis
        return composed(joint.origin, Pose(IDENTITY, (position * x, position * y, position * z)))
    motion = Pose(axis_turn(joint.axis, position), ZERO) if joint.type in TURNING else IDENTITY_POSE
    return composed(joint.origin, motion)
