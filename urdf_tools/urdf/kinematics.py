"""Forward kinematics: where the links are when the joints are moved."""
from typing import Dict, NamedTuple, Sequence

from ..base.number_text import mapped_text
from .model import Joint, Robot
from .spatial import compose, IDENTITY, IDENTITY_POSE, Pose, rotation_about, scale, unit, ZERO


class JointMap(NamedTuple):
    """How the position of a joint with one coordinate is mapped: it is sign * (q - zero) where it was q [rad or m]."""

    sign: int = 1
    zero: float = 0.0

    def text_of(self, position: str, *added: Sequence[str]) -> str:
        """Return the text of a position, to which products are added (see `mapped_text`), when it is mapped."""
        return mapped_text(position, self.sign, *added, *[("-1", repr(self.zero))] * (self.zero != 0.0))


AS_IT_WAS = JointMap()


def motion_of(joint: Joint, position: float) -> Pose:
    """Return how a joint with one coordinate moves its child from zero to a position, in the frame of the child."""
    if position == 0.0:
        return IDENTITY_POSE
    if joint.type == "prismatic":
        return Pose(IDENTITY, scale(position, unit(joint.axis)))
    return Pose(rotation_about(unit(joint.axis), position), ZERO)


def poses_at(robot: Robot, moved: Dict[str, Pose], T_world_root: Pose) -> Dict[str, Pose]:
    """Return T_world_link by link; `moved` holds, by child link, what the joint's motion adds in the child's frame."""
    T_world = {robot.root: T_world_root}
    for joint in robot.tree:
        T = compose(T_world[joint.parent], joint.origin)
        motion = moved.get(joint.child)
        T_world[joint.child] = compose(T, motion) if motion is not None else T
    return T_world
