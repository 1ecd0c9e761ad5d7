"""Positions and motions of joints, as exports and their proofs need them."""
import random
from typing import Dict, List, Mapping, Optional, Tuple

from ..robot.followers import leaders_first
from ..urdf.model import Joint, MOVABLE, Robot
from ..urdf.spatial import dot, matrix_from_rpy, IDENTITY_POSE, IDENTITY, Pose, scale, subtract, rotation_about, ZERO


def positions_of(robot: Robot, free: Mapping[str, float]) -> Dict[str, float]:
    """Return a position for every joint, by child link: as given where it is free, followed where it mimics.

    In a circle of followers, or where the leader does not exist, the joint is free. Joints without a position are at
    zero.
    """
    above, positions = robot.above, {}
    for child, leader in leaders_first(_leaders(robot)):
        if leader is None:
            positions[child] = free[child] if above[child].type in MOVABLE else 0.0
        else:
            rule = above[child].mimic
            assert rule is not None
            positions[child] = rule.multiplier * positions[leader] + rule.offset
    return positions


def followers(robot: Robot) -> List[Tuple[int, int, float, float]]:
    """Return (follower, leader, multiplier, offset) of joints by their index in `tree`, leaders first."""
    number = {joint.child: index for index, joint in enumerate(robot.tree)}
    rules = [(number[child], number[leader], robot.above[child].mimic)
             for child, leader in leaders_first(_leaders(robot)) if leader is not None]
    return [(follower, leader, rule.multiplier, rule.offset) for follower, leader, rule in rules if rule is not None]


def _leaders(robot: Robot) -> Dict[str, Optional[str]]:
    """Return the leader of each joint, both by child link."""
    leaders = {joint.child: robot.named.get(joint.mimic.joint) if joint.mimic is not None and joint.type in MOVABLE
               else None for joint in robot.joints}
    return {child: leader.child if leader is not None else None for child, leader in leaders.items()}


def motion_of(joint: Joint, position: float, generator: random.Random) -> Pose:
    """Return what a joint at `position` adds in its child frame; for planar and floating joints a random motion."""
    if joint.type in ("revolute", "continuous"):
        return Pose(rotation_about(joint.axis, position), ZERO)
    if joint.type == "prismatic":
        return Pose(IDENTITY, scale(position, joint.axis))
    if joint.type == "fixed":
        return IDENTITY_POSE
    a, b, c, d = (generator.uniform(-1.0, 1.0) for _ in range(4))
    if joint.type == "floating":
        return Pose(matrix_from_rpy((a, b, c)), (b, c, d))
    across = subtract((b, c, d), scale(dot((b, c, d), joint.axis), joint.axis))
    return Pose(rotation_about(joint.axis, a), across)
