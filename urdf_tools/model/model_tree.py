"""Kinematic tree and forward kinematics."""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

from ..base.errors import BrokenRobot, did_you_mean, UsageError
from ..base.record_type import Record
from ..base.graph_walks import depth_first
from ..robot.joint_motion import leaders_first
from ..urdf.urdf_records import MOVABLE
from ..urdf.spatial_math import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    Poses,
    rotation_about,
    scale,
    Transform,
    ZERO,
)
from .model_records import Joint, Link, RobotRecord
from .model_shapes import Pose


class UnknownName(UsageError, KeyError):
    """A name that is not a link, or not a joint that accepts a position."""


class ModelTree(Record):
    """The root, the joints with parents first, the parent joint and child joints of each link, and the links by name."""

    root: str
    order: Tuple[Joint, ...]
    parent_joint: Dict[str, Joint]
    child_joints: Dict[str, List[Joint]]
    links: Dict[str, Link]


def tree_of(robot: RobotRecord) -> ModelTree:
    """Return the tree of a robot.

    Raises:
        BrokenRobot: the links and joints do not form a tree; `problems()` lists the reasons.
    """
    links = {link.name: link for link in robot.links}
    parent_joint: Dict[str, Joint] = {}
    child_joints: Dict[str, List[Joint]] = {name: [] for name in links}
    for joint in robot.joints:
        if joint.parent not in links or joint.child not in links or joint.child in parent_joint:
            raise BrokenRobot(
                f"joint '{joint.name}' joins '{joint.parent}' and '{joint.child}': one of them is not "
                "a link, or has another parent"
            )
        parent_joint[joint.child] = joint
        child_joints[joint.parent].append(joint)

    roots = [name for name in links if name not in parent_joint]
    if len(roots) != 1:
        raise BrokenRobot(
            f"{len(roots)} links have no parent joint; a robot is one tree with one root"
        )

    order = [*depth_first(child_joints[roots[0]], lambda joint: child_joints[joint.child])]
    # The joints of a loop cannot be reached from the root.
    if len(order) < len(robot.joints):
        raise BrokenRobot("some links form a loop")
    return ModelTree(
        root=roots[0],
        order=tuple(order),
        parent_joint=parent_joint,
        child_joints=child_joints,
        links=links,
    )


def leaders_of(robot: RobotRecord) -> Dict[str, Joint]:
    """Return the joint that each name refers to: among equal names the first movable joint, else the first joint."""
    # Reversed, so that the first joint of a name overwrites the others.
    by_name = {joint.name: joint for joint in reversed(robot.joints)}
    by_name.update({joint.name: joint for joint in reversed(robot.joints) if joint.type in MOVABLE})
    return by_name


class MimicRule(Record):
    """The motion of a follower: a multiple of the position of a joint, plus an offset [rad or m]."""

    leader: Joint
    multiplier: float
    offset: float


def rules_of(robot: RobotRecord) -> Dict[str, MimicRule]:
    """Return the rules of all followers that move, by child link, leaders first.

    Rules of followers of followers are composed, so that each leader is free or does not move. In a circle of
    followers, one joint is free.
    """
    by_name = leaders_of(robot)
    joints = {joint.child: joint for joint in robot.joints}
    leaders: Dict[str, Optional[str]] = {}
    for joint in robot.joints:
        followed = None
        if joint.mimic and joint.type in MOVABLE:
            followed = by_name.get(joint.mimic.joint)
        leaders[joint.child] = followed.child if followed is not None else None
    rules: Dict[str, MimicRule] = {}
    for child, leader in leaders_first(leaders):
        mimic = joints[child].mimic
        if leader is not None and mimic is not None:
            rule_of_leader = rules.get(leader)
            # The chain ends here: the leader is free, or follows a joint that does not move.
            if rule_of_leader is None or rule_of_leader.leader.type not in MOVABLE:
                rule_of_leader = MimicRule(joints[leader], 1.0, 0.0)
            rules[child] = MimicRule(
                rule_of_leader.leader,
                mimic.multiplier * rule_of_leader.multiplier,
                mimic.multiplier * rule_of_leader.offset + mimic.offset,
            )
    return rules


Positions = Dict[str, Union[float, Pose]]
AT_ZERO: Mapping[str, float] = {}


def positions_of(
    robot: RobotRecord, given: Mapping[str, Union[float, Pose]], rest: Mapping[str, float] = AT_ZERO
) -> Positions:
    """Return the position [rad or m] of every joint, by child link; followers get their positions from their leaders.

    Args:
        given: the positions of free joints, by name.
        rest: the positions of the other free joints, by name, with default 0; unknown names are ignored.

    Raises:
        UnknownName: a given name belongs to no joint, to a fixed joint, or to a follower.
    """
    positions, free = _followed(robot, given, rest)
    for name in given:
        if name not in free:
            raise UnknownName(_why_not_given(name, leaders_of(robot), sorted(free)))
    return positions


def free_joints(robot: RobotRecord) -> Set[str]:
    """Return the names of the joints that `positions_of` accepts: neither fixed nor followers.

    A follower whose leader does not exist, and the last joint of a circle of followers, are free.
    """
    return _followed(robot, {}, AT_ZERO)[1]


def _followed(
    robot: RobotRecord, given: Mapping[str, Union[float, Pose]], rest: Mapping[str, float]
) -> Tuple[Positions, Set[str]]:
    """Return the position of every joint, by child link, and the names of the joints that are free."""
    rules = rules_of(robot)
    free = {
        joint.child: joint.name
        for joint in robot.joints
        if joint.type != "fixed" and joint.child not in rules
    }
    positions: Positions = {joint.child: 0.0 for joint in robot.joints}
    positions.update({child: given.get(name, rest.get(name, 0.0)) for child, name in free.items()})
    for child, (leader, multiplier, offset) in rules.items():
        lead = positions[leader.child]  # a leader of any other type has no single number: 0
        lead = lead if isinstance(lead, (int, float)) and leader.type in MOVABLE else 0.0
        positions[child] = multiplier * lead + offset
    return positions, {*free.values()}


def _why_not_given(name: str, by_name: Mapping[str, Joint], free: Sequence[str]) -> str:
    """Return the reason why a joint that is not free accepts no position."""
    joint = by_name.get(name)
    if joint is None:
        return f"no joint '{name}'{did_you_mean(name, free)}"
    if joint.mimic is None or joint.type == "fixed":
        return f"joint '{name}' is fixed: it has no position"
    return f"joint '{name}' follows '{joint.mimic.joint}': give '{joint.mimic.joint}'"


def motion_of(joint: Joint, position: Union[float, Pose]) -> Optional[Transform]:
    """Return the transform that a joint adds to its origin at a position [rad or m]; None for no motion."""
    if isinstance(position, Pose):
        return position.transform
    if position == 0.0:
        return None
    if joint.type in ("revolute", "continuous"):
        return Transform(rotation_about(joint.axis, position), ZERO)
    return Transform(IDENTITY, scale(position, joint.axis)) if joint.type == "prismatic" else None


def poses_at(robot: RobotRecord, positions: Positions, tree: Optional[ModelTree] = None) -> Poses:
    """Return T_root_link of every link; `positions` [rad or m] are by child link."""
    tree = tree or tree_of(robot)
    T_root = {tree.root: IDENTITY_POSE}
    for joint in tree.order:
        T = compose(T_root[joint.parent], joint.origin.transform)
        motion = motion_of(joint, positions.get(joint.child, 0.0))
        T_root[joint.child] = compose(T, motion) if motion is not None else T
    return T_root
