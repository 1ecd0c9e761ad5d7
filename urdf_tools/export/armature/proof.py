"""Proves that an armature is the robot: its JSON is read again, and its links are compared with those of the URDF."""
import json
import random
from typing import Any, Dict, List, Mapping, NamedTuple

from ...base.errors import ProofFailed
from ...urdf.kinematics import poses_at
from ...urdf.model import Joint, MOVABLE, Robot
from ...urdf.spatial import (compose, cross, dot, inverse, IDENTITY_POSE, norm, Pose, rotate, subtract, transpose,
                             rotation_angle, UNIT_AXES)
from ...verify.comparison import figure_of
from ..motion import motion_of, positions_of
from .forward_kinematics import Place, places_of_links, rest_place, turned

TOLERANCE = 1e-9  # [rad]; [m] for a robot that reaches one meter
ROLL_ROOM = 2e-6  # [rad] next to -Y Blender's own formula is no more exact than this
MOST_BYTES = 63  # of a name in Blender
SAMPLES = 3


class ArmatureProof(NamedTuple):
    """The worst distance [m] and angle [rad] of any link, and how many links were compared at how many positions."""

    position: float
    angle: float
    links: int
    samples: int


def check_armature(data: bytes, robot: Robot, samples: int = SAMPLES) -> ArmatureProof:
    """Compare the links of an armature's JSON with those of the robot, at zero and at random positions.

    Raises:
        ProofFailed: naming the first link that is elsewhere, or what is not there.
    """
    path = robot.document.path
    document = json.loads(data.decode("utf-8"))
    _require_all(document, robot)
    generator = random.Random(0)
    position = angle = 0.0
    found: Dict[str, Pose] = {}
    for sample in range(samples + 1):
        reach = min(sample, 1)  # the first is zero
        free = {joint.name: reach * generator.uniform(-1.0, 1.0) * (0.2 if joint.type == "prismatic" else 2.0)
                for joint in robot.joints if joint.type in MOVABLE}
        channels: Dict[str, List[float]] = {}
        for dof in (dof for bone in document["bones"] for dof in bone["dofs"] if dof["type"] not in MOVABLE):
            channels.setdefault(dof["joint"], []).append(reach * generator.uniform(-1.0, 1.0))
        found = {name: _pose(place) for name, place in places_of_links(document, free, channels).items()}
        T = _poses_of(robot, free, found if reach else {}, generator)
        size = max([1.0, *(norm(pose.translation) for pose in T.values())])
        for name, pose in found.items():
            apart = norm(subtract(pose.translation, T[name].translation))
            turn = rotation_angle(pose.rotation, T[name].rotation)
            if not (apart <= TOLERANCE * size and turn <= TOLERANCE):
                raise ProofFailed(f"link '{name}' of the armature is off by {apart:.3g} m and {turn:.3g} rad", path)
            position, angle = max(position, apart), max(angle, turn)
    return ArmatureProof(figure_of(position), figure_of(angle), len(found), samples)


def _pose(place: Place) -> Pose:
    x, y, z = (turned(place[0], axis) for axis in UNIT_AXES)
    return Pose(transpose((x, y, z)), place[1])


def _poses_of(robot: Robot, free: Mapping[str, float], found: Mapping[str, Pose], generator: random.Random
              ) -> Dict[str, Pose]:
    """Return T_root_link of the robot at positions by name; planar and floating joints make the armature's motion.

    Those whose links are not in `found` rest.


    Raises:
        ProofFailed: that motion leaves the plane.
    """
    positions = positions_of(robot, {joint.child: free.get(joint.name, 0.0) for joint in robot.joints})
    moved = {joint.child: motion_of(joint, positions[joint.child], generator) for joint in robot.joints
             if joint.type in MOVABLE}
    for joint in (joint for joint in robot.joints if joint.type in ("planar", "floating")):
        if joint.child in found and joint.parent in found:
            moved[joint.child] = compose(inverse(compose(found[joint.parent], joint.origin)), found[joint.child])
            _require_in_plane(joint, moved[joint.child], robot)
    return poses_at(robot, moved, IDENTITY_POSE)


def _require_in_plane(joint: Joint, motion: Pose, robot: Robot) -> None:
    if joint.type == "planar":
        turned_normal = norm(cross(rotate(motion.rotation, joint.axis), joint.axis))
        if turned_normal > TOLERANCE or abs(dot(motion.translation, joint.axis)) > TOLERANCE:
            raise ProofFailed(f"joint '{joint.name}' of the armature leaves its plane", robot.document.path)


def _require_all(document: Mapping[str, Any], robot: Robot) -> None:
    """Make sure that every link and joint is there, names are such as Blender keeps, and rolls are the X axes."""
    def require(holds: bool, what: str) -> None:
        if not holds:
            raise ProofFailed(f"the armature: {what}", robot.document.path)

    bones = document["bones"]
    names = [bone["name"] for bone in bones]
    require(len(set(names)) == len(names), "two bones have one name")
    for name in (*names, *(link["object"] for link in document["links"])):
        require(0 < len(name.encode("utf-8")) <= MOST_BYTES, f"'{name}' is not a valid name for Blender")
    require([link["name"] for link in document["links"]] == list(robot.links), "its links are not those of the robot")
    moving = sorted(joint.name for joint in robot.joints if joint.type in MOVABLE)
    require(sorted(dof["joint"] for bone in bones if bone["kind"] == "joint" for dof in bone["dofs"]
                   if dof["type"] in MOVABLE) == moving, "its joints are not those of the robot")
    require(document["joint_order"] == [joint.name for joint in robot.joints if joint.type in MOVABLE],
            "its joints are in another order")
    for bone in bones:
        x = turned(rest_place(bone)[0], UNIT_AXES[0])
        require(norm(subtract(x, (bone["x_axis"][0], bone["x_axis"][1], bone["x_axis"][2]))) < ROLL_ROOM,
                f"the roll of bone '{bone['name']}' is not its X axis")
