"""The tree of a robot: who hangs on whom, and where everything is when its joints are moved."""
from typing import Dict, List, Mapping, Optional, Tuple, Union

from ..base.errors import BrokenRobot
from ..urdf.model import MOVABLE
from ..urdf.spatial import compose, IDENTITY_POSE, IDENTITY, scale, rotation_about, ZERO
from .pose import Pose, Transform
from .records import Joint, Link, Robot


class Tree:
    """The root's name; the joints, parents first; the joint above each link; the joints below; links by name."""

    def __init__(self, root: str, order: Tuple[Joint, ...], above: Dict[str, Joint], below: Dict[str, List[Joint]],
                 links: Dict[str, Link]) -> None:
        self.root, self.order, self.above, self.below, self.links = root, order, above, below, links


def tree_of(robot: Robot) -> Tree:
    """Return the tree.

    Raises:
        BrokenRobot: there is none; `problems()` says more.
    """
    links = {link.name: link for link in robot.links}
    above: Dict[str, Joint] = {}
    below: Dict[str, List[Joint]] = {name: [] for name in links}
    for joint in robot.joints:
        if joint.parent not in links or joint.child not in links or joint.child in above:
            raise BrokenRobot(f"joint '{joint.name}' joins '{joint.parent}' and '{joint.child}': one of them is no "
                              "link, or has another parent")
        above[joint.child] = joint
        below[joint.parent].append(joint)
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        raise BrokenRobot(f"{len(roots)} links have no parent joint; a robot is one tree with one root")
    order: List[Joint] = []
    waiting = below[roots[0]][::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += below[joint.child][::-1]
    if len(order) < len(robot.joints):
        raise BrokenRobot("some links form a loop")
    return Tree(roots[0], tuple(order), above, below, links)


def leaders_of(robot: Robot) -> Dict[str, Joint]:
    """Return the joint that each joint name means: of equal names the first that can move, else the first."""
    by_name = {joint.name: joint for joint in reversed(robot.joints)}
    by_name.update({joint.name: joint for joint in reversed(robot.joints) if joint.type in MOVABLE})
    return by_name


Positions = Dict[str, Union[float, Pose]]


def positions_of(robot: Robot, given: Mapping[str, Union[float, Pose]]) -> Positions:
    """Return the position of every joint, by child link: as given by name, 0 elsewhere, followed where it mimics.

    In a circle of followers, or where the leader does not exist, a joint is free.
    """
    by_name = leaders_of(robot)
    found: Positions = {}
    for joint in robot.joints:
        chain, children = [joint], {joint.child}
        while chain[-1].child not in found:
            last = chain[-1]
            leader = by_name.get(last.mimic.joint) if last.mimic and last.type in MOVABLE else None
            if leader is None or leader.child in children:
                found[last.child] = given.get(last.name, 0.0) if last.type != "fixed" else 0.0
            else:
                chain.append(leader)
                children.add(leader.child)
        for follower, leader in zip(chain[-2::-1], chain[:0:-1]):
            lead = found[leader.child]
            assert follower.mimic is not None
            lead = lead if isinstance(lead, (int, float)) and leader.type in MOVABLE else 0.0
            found[follower.child] = follower.mimic.multiplier * lead + follower.mimic.offset
    return found


def motion_of(joint: Joint, position: Union[float, Pose]) -> Optional[Transform]:
    """Return what a joint at a position adds in the frame of its child; None for nothing."""
    if isinstance(position, Pose):
        return position.transform
    if position == 0.0:
        return None
    if joint.type in ("revolute", "continuous"):
        return Transform(rotation_about(joint.axis, position), ZERO)
    return Transform(IDENTITY, scale(position, joint.axis)) if joint.type == "prismatic" else None


def poses_at(robot: Robot, positions: Positions, tree: Optional[Tree] = None) -> Dict[str, Transform]:
    """Return T_root_link of every link; `positions` are by child link."""
    tree = tree or tree_of(robot)
    T_root = {tree.root: IDENTITY_POSE}
    for joint in tree.order:
        T = compose(T_root[joint.parent], joint.origin.transform)
        motion = motion_of(joint, positions.get(joint.child, 0.0))
        T_root[joint.child] = compose(T, motion) if motion is not None else T
    return T_root
