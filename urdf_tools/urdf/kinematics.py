"""Forward kinematics: where the links are when the joints are moved."""
from typing import Dict

from .model import Robot
from .spatial import compose, Pose


def poses_at(robot: Robot, moved: Dict[str, Pose], T_world_root: Pose) -> Dict[str, Pose]:
    """Return T_world_link by link; `moved` holds, by child link, what the joint's motion adds in the child's frame."""
    T_world = {robot.root: T_world_root}
    for joint in robot.tree:
        T = compose(T_world[joint.parent], joint.origin)
        motion = moved.get(joint.child)
        T_world[joint.child] = compose(T, motion) if motion is not None else T
    return T_world
