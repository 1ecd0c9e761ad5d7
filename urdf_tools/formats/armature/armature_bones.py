"""An armature: bones with their rest frames, and the channels through which joints move them; and the robot at zero as
an armature needs it: bodies, ranges of joints, and rules of followers.

Armature space is the frame of the root link with every joint at zero: meters and radians, X forward, Y left, Z up
where the robot is canonical. A bone's rest frame has its origin at the head and Y toward the tail; a channel of a bone
moves it in that frame: its pose is parent pose * (parent rest)^-1 * rest * translation(location) * R(rotation_euler).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from math import fsum
from typing import Dict, List, Optional, Set, Tuple

from ...base.type_aliases import Span, Texts
from ...base.diagnostics import Diagnostic, Diagnostics, Notes
from ...base.record_type import Record
from ...model.model_diagnostics import EXPORT_LOST
from ...robot.joint_motion import positions_of
from ...robot.principal_axes import vector_of
from ...robot.raw_robot import OUT_OF_REACH
from ...urdf.urdf_records import UrdfJoint, MOVABLE, poses_at, UrdfRobot
from ...urdf.spatial_math import (
    add,
    IDENTITY_POSE,
    MassProperties,
    merge_mass,
    move_mass,
    norm,
    Poses,
    rotate,
    scale,
    subtract,
    Vector,
)
from ..export_diagnostics import EXPORT_MISREAD

# The channels of a bone, as Blender calls them.
ROTATION = "rotation_euler"
LOCATION = "location"
LETTERS = "XYZ"
EXACT = (
    1e-10  # [m, rad] so near, points are one and angles right; ten times less than the proof allows
)
MOST_BYTES = 63  # of names of bones and, up to Blender 4.5, of objects
DIGITS = 6  # of the digest that ends a shortened name


class BoneChannel(Record):
    """One channel that a joint moves.

    Attributes:
        joint: a planar or floating joint has several channels.
        channel, letter: ROTATION or LOCATION, along X, Y or Z of the bone.
        sign: the channel is `sign` times the position of the joint.
    """

    joint: UrdfJoint
    channel: str
    letter: str
    sign: int


class RestFrame(Record):
    """A rest frame: X and Y of the bone in armature space, its length [m], and the word for the direction of Y."""

    x: Vector
    y: Vector
    length: float
    tail_from: str


class Bone(Record):
    """A bone.

    Attributes:
        name: at most 63 bytes, and unlike any other.
        kind: root, joint, or helper (it carries a link between joined joints).
        parent: the name of another bone; None for the root.
        link: the link at its end, whose motion it has.
        rotation_mode: three letters, the innermost rotation first: ZYX is R_x R_y R_z.
        of: the joined bone that a helper follows, or "".
    """

    name: str
    kind: str
    parent: Optional[str]
    link: str
    head: Vector
    frame: RestFrame
    roll: float
    rotation_mode: str
    dofs: Tuple[BoneChannel, ...]
    of: str = ""

    @property
    def tail(self) -> Vector:
        """The end of the bone [m]: for the eye only."""
        return add(self.head, scale(self.frame.length, self.frame.y))


class UniqueNameGenerator:
    """Gives out names, each once."""

    def __init__(self) -> None:
        """Begin with all names free."""
        self.taken: Set[str] = set()

    def take(self, wanted: str) -> str:
        """Return a name, as wanted if it is short enough and free, else cut, with `~` and a digest of the whole."""
        name = wanted
        count = 0
        while not name or name in self.taken or len(name.encode("utf-8")) > MOST_BYTES:
            digest = hashlib.sha256(f"{wanted}\0{count}".encode()).hexdigest()[:DIGITS]
            # Whole letters only.
            start = wanted.encode("utf-8")[: MOST_BYTES - DIGITS - 1].decode("utf-8", "ignore")
            name = f"{start}~{digest}"
            count += 1
        self.taken.add(name)
        return name


# Rounding of the ends of shorter bones would show as an angle.
LEAST_LENGTH = 0.02  # [m]
LEAST_SHARE = 0.03  # of the robot


class BoneBody(Record):
    """The rigid group that one joint moves.

    Attributes:
        joint: the joint that moves it; None for the body of the root.
        links: its links, in the order of the tree.
        child_joints: the moving joints whose parent is one of its links, in the order of the tree; none is fixed.
    """

    joint: Optional[UrdfJoint]
    links: List[str]
    child_joints: List[UrdfJoint]


class RestPose(Record):
    """A robot with every joint at zero.

    Attributes:
        T: T_root_link by link.
        bodies: by their first link.
        body_of: the first link of each link's body.
        ends: the links on fixed joints on which nothing hangs.
        shortest: the least length of a bone [m].
    """

    robot: UrdfRobot
    T: Poses
    bodies: Dict[str, BoneBody]
    body_of: Dict[str, str]
    ends: Texts
    shortest: float

    def head_of(self, joint: UrdfJoint) -> Vector:
        """Return the origin of a joint [m]."""
        return self.T[joint.child].translation

    def axis_of(self, joint: UrdfJoint) -> Vector:
        """Return the axis of a joint, a unit vector."""
        return rotate(self.T[joint.child].rotation, joint.axis)

    def same_place(self, a: UrdfJoint, b: UrdfJoint) -> bool:
        """Return True if two joints have one origin."""
        return norm(subtract(self.head_of(a), self.head_of(b))) < EXACT

    def center_of(self, body: BoneBody) -> Optional[Vector]:
        """Return the center of mass of a body [m]; None if it has no mass."""
        parts: List[MassProperties] = []
        for name in body.links:
            inertial = self.robot.links[name].inertial
            if inertial is not None:
                parts.append(move_mass(self.T[name], inertial.properties))
        if not parts:
            return None
        whole = merge_mass(parts)
        return whole.center if whole.mass > 0.0 else None

    def middle_of_children(self, body: BoneBody) -> Vector:
        """Return the mean of the origins of all child joints of a body [m]."""
        heads = zip(*map(self.head_of, body.child_joints))
        return vector_of(fsum(row) / len(body.child_joints) for row in heads)


def rest_pose_of(robot: UrdfRobot) -> RestPose:
    """Return a robot with every joint at zero."""
    T = poses_at(robot, {}, IDENTITY_POSE)
    bodies = {robot.root: BoneBody(None, [robot.root], [])}
    body_of = {robot.root: robot.root}
    for joint in robot.tree:
        first = body_of[joint.parent]
        if joint.type == "fixed":
            bodies[first].links.append(joint.child)
            body_of[joint.child] = first
        else:
            bodies[first].child_joints.append(joint)
            bodies[joint.child] = BoneBody(joint, [joint.child], [])
            body_of[joint.child] = joint.child
    parents = {joint.parent for joint in robot.joints}
    ends = tuple(
        joint.child
        for joint in robot.joints
        if joint.type == "fixed" and joint.child not in parents
    )
    places = zip(*(pose.translation for pose in T.values()))
    size = norm(vector_of(max(row) - min(row) for row in places))
    return RestPose(
        robot=robot,
        T=T,
        bodies=bodies,
        body_of=body_of,
        ends=ends,
        shortest=max(LEAST_LENGTH, LEAST_SHARE * size),
    )


ARMATURE = "the armature"  # as sentences name it


class FollowerRule(Record):
    """The position of a follower: `multiplier` times the position of `leader`, plus `offset`.

    Without a leader it rests at `offset`.
    """

    leader: Optional[str]
    multiplier: float
    offset: float


class MotionRules(Record):
    """The ranges of joints and the rules of followers by child link, and warnings on those that are odd."""

    ranges: Dict[str, Span]
    rules: Dict[str, FollowerRule]
    warnings: Notes


def motion_of_joints(robot: UrdfRobot) -> MotionRules:
    """Return the ranges of joints and the rules of followers, with warnings.

    A follower of a joint that does not move rests. A follower whose leader does not exist, or that leads itself, is
    free.
    """
    # `positions_of` looks up the position of each joint that no rule moves: here it collects them.
    free: Dict[str, float] = defaultdict(float)
    positions_of(robot, free)
    ranges: Dict[str, Span] = {}
    rules: Dict[str, FollowerRule] = {}
    warnings: Diagnostics = []
    for joint in robot.joints:
        if joint.type not in MOVABLE:
            continue
        line = joint.source.line
        mimic = joint.mimic
        if mimic is not None and joint.child in free:
            loss = "mimic-circle" if mimic.joint in robot.named else "mimic-unknown"
            names = (joint.name, mimic.joint, ARMATURE)
            warnings.append(Diagnostic(EXPORT_LOST, line, loss, names))
        elif mimic is not None:
            leader = robot.named[mimic.joint]
            rule = FollowerRule(leader=None, multiplier=0.0, offset=mimic.offset)
            if leader.type in MOVABLE:
                rule = rule._replace(leader=leader.name, multiplier=mimic.multiplier)
            rules[joint.child] = rule
        span = _range_of(joint)
        if span is None:
            continue
        lower, upper = span
        if lower > upper:
            warnings.append(Diagnostic(EXPORT_MISREAD, line, "bounds", (joint.name, ARMATURE)))
        elif upper - lower < OUT_OF_REACH:
            ranges[joint.child] = span
    return MotionRules(ranges, rules, tuple(warnings))


def _range_of(joint: UrdfJoint) -> Optional[Span]:
    """Return the range of a joint [rad or m], None if no end is written; an end alone has 0 beside it, as in URDF."""
    limit = joint.limit
    if joint.type == "continuous" or limit is None:
        return None
    if limit.lower is None and limit.upper is None:
        return None
    return limit.lower or 0.0, limit.upper or 0.0
