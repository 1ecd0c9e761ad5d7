"""A robot at zero as an armature sees it: bodies, each a link with all that is fixed to it, moved by one joint."""
from math import fsum
from typing import Dict, List, NamedTuple, Optional, Tuple

from ...urdf.model import Joint, poses_at, Robot
from ...urdf.spatial import merge_mass, move_mass, IDENTITY_POSE, norm, Pose, rotate, subtract, Vector
from .records import EXACT

LEAST_LENGTH, LEAST_SHARE = 0.02, 0.03  # [m] and of the robot: shorter bones turn their rounding into visible angles


class Body(NamedTuple):
    """The body of one joint: its links, and the moving child joints of these, in the order of the tree.

    Attributes:
        joint: None for the body of the root.
    """

    joint: Optional[Joint]
    links: List[str]
    below: List[Joint]


class RestPose(NamedTuple):
    """A robot with every joint at zero.

    Attributes:
        T: T_root_link by link.
        bodies: by their first link.
        body_of: the first link of each link's body.
        ends: the links on fixed joints on which nothing hangs.
        shortest: the least length of a bone [m].
    """

    robot: Robot
    T: Dict[str, Pose]
    bodies: Dict[str, Body]
    body_of: Dict[str, str]
    ends: Tuple[str, ...]
    shortest: float

    def head_of(self, joint: Joint) -> Vector:
        """Return the origin of a joint [m]."""
        return self.T[joint.child].translation

    def axis_of(self, joint: Joint) -> Vector:
        """Return the axis of a joint, a unit vector."""
        return rotate(self.T[joint.child].rotation, joint.axis)

    def same_place(self, a: Joint, b: Joint) -> bool:
        """Return True if two joints have one origin."""
        return norm(subtract(self.head_of(a), self.head_of(b))) < EXACT

    def center_of(self, body: Body) -> Optional[Vector]:
        """Return the center of mass of a body [m]; None if it has no mass."""
        parts = [move_mass(self.T[link.name], link.inertial.properties)
                 for link in map(self.robot.links.__getitem__, body.links) if link.inertial is not None]
        whole = merge_mass(parts) if parts else None
        return whole.center if whole is not None and whole.mass > 0.0 else None

    def middle_below(self, body: Body) -> Vector:
        """Return the mean of the origins of all child joints of a body [m]."""
        x, y, z = (fsum(row) / len(body.below) for row in zip(*map(self.head_of, body.below)))
        return (x, y, z)


def rest_pose_of(robot: Robot) -> RestPose:
    """Put a robot up at zero."""
    T = poses_at(robot, {}, IDENTITY_POSE)
    bodies = {robot.root: Body(None, [robot.root], [])}
    body_of = {robot.root: robot.root}
    for joint in robot.tree:
        first = body_of[joint.parent]
        if joint.type == "fixed":
            bodies[first].links.append(joint.child)
            body_of[joint.child] = first
        else:
            bodies[first].below.append(joint)
            bodies[joint.child] = Body(joint, [joint.child], [])
            body_of[joint.child] = joint.child
    parents = {joint.parent for joint in robot.joints}
    ends = tuple(joint.child for joint in robot.joints if joint.type == "fixed" and joint.child not in parents)
    x, y, z = (max(row) - min(row) for row in zip(*(pose.translation for pose in T.values())))
    return RestPose(robot, T, bodies, body_of, ends, max(LEAST_LENGTH, LEAST_SHARE * norm((x, y, z))))

