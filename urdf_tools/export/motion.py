"""Positions and motions of joints, as exports and their proofs need them."""
import random
from typing import Dict, List, Tuple

from ..urdf.model import Joint, MOVABLE, Robot
from ..urdf.spatial import dot, matrix_from_rpy, IDENTITY_POSE, IDENTITY, Pose, scale, subtract, rotation_about, ZERO


def positions_of(robot: Robot, free: Dict[str, float]) -> Dict[str, float]:
    """Return a position for every joint, by child link: as given where it is free, followed where it mimics.

    The leaders of a chain of followers are looked up first; in a circle, or where the leader does not exist, the joint
    is free. Joints without a position are at zero.
    """
    positions = {joint.child: 0.0 for joint in robot.joints if joint.type not in MOVABLE}
    for joint in robot.joints:
        chain = [joint]
        while chain[-1].child not in positions:
            mimic = chain[-1].mimic
            leader = robot.named.get(mimic.joint) if mimic is not None else None
            if leader is None or leader in chain:
                positions[chain[-1].child] = free[chain[-1].child]
            else:
                chain.append(leader)
        for follower, leader in zip(chain[-2::-1], chain[:0:-1]):
            if follower.mimic is not None:
                rule = follower.mimic
                positions[follower.child] = rule.multiplier * positions[leader.child] + rule.offset
    return positions


def followers(robot: Robot) -> List[Tuple[int, int, float, float]]:
    """Return (follower, leader, multiplier, offset) of joints by their place in `tree`, leaders first.

    As in `positions_of`: in a circle the joint that closes it is free, as is one without its leader.
    """
    place = {joint.child: number for number, joint in enumerate(robot.tree)}
    done = {joint.child for joint in robot.joints if joint.type not in MOVABLE}
    rules = []
    for joint in robot.joints:
        chain = [joint]
        while chain[-1].child not in done:
            mimic = chain[-1].mimic
            leader = robot.named.get(mimic.joint) if mimic is not None else None
            if leader is None or leader in chain:
                done.add(chain[-1].child)
            else:
                chain.append(leader)
        for follower, leader in zip(chain[-2::-1], chain[:0:-1]):
            done.add(follower.child)
            if follower.mimic is not None:
                rules.append((place[follower.child], place[leader.child], follower.mimic.multiplier,
                              follower.mimic.offset))
    return rules


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
