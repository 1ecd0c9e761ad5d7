"""The proof of an armature: its bones, moved as Blender moves them, carry every link to its place in the URDF.

Every joint, also a follower, has its own random position. Rules, limits, masses and visuals are compared as numbers,
key by key. The walk over the URDF shares no code with the writer of the bones.
"""

from __future__ import annotations

import random
from itertools import chain, repeat
from math import dist, pi
from typing import AbstractSet, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..base.errors import ProofFailed
from ..base.record_type import Record
from ..robot.canonical_robot import drawn_places
from ..robot.joint_motion import held_at, leaders_first
from ..robot.raw_robot import OUT_OF_REACH, RawJoint, RawLink, RawRobot, RawShape
from ..urdf.spatial_math import (
    compose,
    cross,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    multiply,
    Transform,
    Poses,
    rotation_about,
    transpose,
)

Json = Mapping[str, Any]
ROOM = 1e-9  # [m, rad] and of the largest number, which includes the rounding to 13 digits
POSITIONS = 10  # random positions; a single one shows each error of a bone, as motions that are equal there are equal everywhere
LETTERS = "XYZ"
CHANNELS = {"planar": 3, "floating": 6}  # of the joints that have several
TOP = set("format tool robot object urdf joint_order bones links static_frames warnings".split())
BONE = set(
    "name kind of parent link head tail roll x_axis length rotation_mode tail_from dofs".split()
)
DOF = ("channel", "index", "axis", "sign")
LINK = ("name", "object", "bone", "kind", "matrix", "visuals")
PLACES = ("com", "matrix")  # rounded to a part of a meter


class LinkDeviation(Record):
    """The largest distance of a link from its place [m], and the turn of an arm of 1 m in its axes [rad]."""

    position: float = 0.0
    angle: float = 0.0


class ArmatureProof:
    """The proof that a document is a robot."""

    def __init__(self, document: Json, robot: RawRobot) -> None:
        """Begin the proof of a document."""
        self.document = document
        self.robot = robot
        self.above = {joint.child: joint for joint in robot.joints}
        self.rules = _rules(robot, self.above)

    def require(self, holds: bool, what: str) -> None:
        """Raise ProofFailed unless a condition holds."""
        if not holds:
            raise ProofFailed(f"the armature: {what}", self.robot.file)

    def require_read(self, found: Json, known: AbstractSet[str], where: str) -> None:
        """Require that a reader exists for each key."""
        unread = sorted(found.keys() - known)
        self.require(not unread, f"{where}: nobody reads {unread}")

    def require_equal(self, found: Json, expected: Json, others: Sequence[str], where: str) -> None:
        """Require the values of all keys; `others` are verified elsewhere."""
        self.require_read(found, {*expected, *others}, where)
        for key, value in expected.items():
            least = 1.0 if key in PLACES else 0.0
            self.require(
                key in found and _near(found[key], value, least), f"{where}: '{key}' is another"
            )

    def verify(self) -> LinkDeviation:
        """Verify all, and return the largest deviation of a link.

        Raises:
            ProofFailed: the document differs from the robot.
        """
        self.require_read(self.document, TOP, "its top")
        self.require(self.document["robot"] == self.robot.name, "the robot has another name")
        for bone in self.document["bones"]:
            self._verify_bone(bone)
        for entry, link in zip(self.document["links"], self.robot.links):
            self._verify_link(entry, link)
        return self._verify_motion()

    def joints_of(self, bone: Json) -> List[RawJoint]:
        """Return the joints that move a bone in its parent, the outermost first: the last joints above its link."""
        dofs = bone["dofs"]
        # A planar or floating joint has several channels; each channel of any other bone is a joint.
        count = 1 if dofs and dofs[0]["type"] in CHANNELS else len(dofs)
        joints: List[RawJoint] = []
        link = bone["link"]
        while len(joints) < count and link in self.above:
            joint = self.above[link]
            if joint.type != "fixed":
                joints.insert(0, joint)
            link = joint.parent
        return joints

    def moves_of(self, bone: Json) -> Iterator[Tuple[Json, RawJoint]]:
        """Yield the channels of a bone, each with its joint."""
        joints = self.joints_of(bone)
        if len(joints) == 1:
            joints *= len(bone["dofs"])
        self.require(
            [dof["joint"] for dof in bone["dofs"]] == [joint.name for joint in joints],
            f"bone '{bone['name']}' has other joints",
        )
        return zip(bone["dofs"], joints)

    def _verify_bone(self, bone: Json) -> None:
        """Verify a bone: its length, and its channels with the values of their joints."""
        where = f"bone '{bone['name']}'"
        self.require_read(bone, BONE, where)
        self.require(sorted(bone["rotation_mode"]) == [*LETTERS], f"{where}: no order of rotations")
        self.require(
            abs(dist(bone["head"], bone["tail"]) - bone["length"]) <= ROOM,
            f"{where} has another length",
        )
        for dof, joint in self.moves_of(bone):
            values = _values(joint, self.rules)
            if values["lower"] == values["upper"] == 0.0 and dof["lower"] is None:
                # URDF reads both as 0 if neither is written; an animation has no limits then.
                values.update(lower=None, upper=None)
            self.require_equal(dof, values, DOF, f"joint '{joint.name}'")
            self.require(
                dof["axis"] == LETTERS[dof["index"]] and dof["sign"] in (1, -1),
                f"joint '{joint.name}' moves along no axis",
            )
            channels = {(other["channel"], other["index"]) for other in bone["dofs"]}
            self.require(
                len(channels) == CHANNELS.get(joint.type, len(bone["dofs"])),
                f"{where}: a channel is missing",
            )

    def _verify_link(self, entry: Json, link: RawLink) -> None:
        """Verify a link: its mass properties and visuals."""
        where = f"link '{link.name}'"
        mass = link.mass
        # A link that no bone carries is between joined joints, and is only a frame.
        is_frame = not link.shapes and mass is None
        self.require(entry["bone"] is not None or is_frame, f"{where} has no bone")
        weight: Dict[str, Any] = {"mass": None, "com": None, "inertia": None}
        if mass is not None:
            weight = {"mass": mass.mass, "com": [*mass.center], "inertia": [*mass.tensor]}
        visuals = [shape for shape in link.shapes if shape.role == "visual"]
        self.require_equal(entry, weight, LINK, where)
        self.require(len(entry["visuals"]) == len(visuals), f"{where} has other visuals")
        for visual, shape in zip(entry["visuals"], visuals):
            self.require_equal(visual, _looks(shape), ("name", "material", "mesh"), where)

    def _verify_motion(self) -> LinkDeviation:
        """Verify the pose of each link at zero and at random positions."""
        chance = random.Random(0)
        drawn = []
        expected = []
        sizes = []
        children = [joint.child for joint in self.robot.joints]
        drawn.append(dict.fromkeys(children, 0.0))
        for _ in range(POSITIONS):
            drawn.append({child: chance.uniform(-pi, pi) for child in children})
        for positions in drawn:
            places = link_poses(self.robot, positions)
            expected.append(places)
            translations = chain.from_iterable(T.translation for T in places.values())
            sizes.append(max(1.0, *map(abs, translations)))
        worst = LinkDeviation()
        for name, poses in self._carried(drawn):
            for pose, places, size in zip(poses, expected, sizes):
                wanted = places[name]
                off = dist(pose.translation, wanted.translation)
                turned = max(map(dist, pose.rotation, wanted.rotation))
                self.require(
                    off <= ROOM * size and turned <= ROOM, f"link '{name}' moves otherwise"
                )
                worst = LinkDeviation(max(worst.position, off), max(worst.angle, turned))
        return worst

    def _carried(
        self, drawn: Sequence[Mapping[str, float]]
    ) -> Iterator[Tuple[str, Sequence[Transform]]]:
        """Yield the poses of each link that a bone carries, one for each of several positions by child."""
        rests: Poses = {}
        poses: Dict[str, List[Transform]] = {}
        for bone in self.document["bones"]:
            name = bone["name"]
            parent = bone["parent"]
            rest = rest_of(bone)
            self.require(
                parent in rests or bone["kind"] == "root", f"bone '{name}' is before its parent"
            )
            in_parent = compose(inverse(rests[parent]), rest) if parent is not None else rest
            moves = [*self.moves_of(bone)]
            rests[name] = rest
            poses[name] = []
            for T_parent, positions in zip(poses.get(parent, repeat(IDENTITY_POSE)), drawn):
                channels = channel_pose(bone, _positions_of(moves, positions))
                poses[name].append(compose(compose(T_parent, in_parent), channels))
        for link in self.document["links"]:
            carrier = link["bone"]
            if carrier is None:
                continue
            self.require(carrier in rests, f"link '{link['name']}' is on no bone")
            in_bone = compose(inverse(rests[carrier]), pose_of(link["matrix"]))
            yield link["name"], [compose(T, in_bone) for T in poses[carrier]]


def _positions_of(
    moves: Sequence[Tuple[Json, RawJoint]], positions: Mapping[str, float]
) -> List[float]:
    """Return the positions of the channels of a bone, by the positions of joints by child."""
    moved = []
    for channel, joint in moves:
        # A planar joint turns here, and a floating joint rests: URDF gives neither a position.
        moved.append(positions[joint.child] if is_single(channel, joint) else 0.0)
    return moved


def is_single(dof: Json, joint: RawJoint) -> bool:
    """Return True for the channel that corresponds to the single position of a joint."""
    return joint.moves or joint.type == "planar" and dof["channel"] == "rotation_euler"


def rest_of(bone: Json) -> Transform:
    """Return the rest frame of a bone: X as written, Y from head to tail."""
    x = bone["x_axis"]
    length = dist(bone["head"], bone["tail"])
    p, q, r = ((end - start) / length for start, end in zip(bone["head"], bone["tail"]))
    return Transform(transpose((x, (p, q, r), cross(x, (p, q, r)))), tuple(bone["head"]))


def channel_pose(bone: Json, positions: Sequence[float]) -> Transform:
    """Return the pose that the channels of a bone give it in its rest frame; the first letter of the mode turns
    innermost.
    """
    location = [0.0, 0.0, 0.0]
    angles = [0.0, 0.0, 0.0]
    for dof, position in zip(bone["dofs"], positions):
        channel = angles if dof["channel"] == "rotation_euler" else location
        channel[dof["index"]] += dof["sign"] * position
    R = IDENTITY
    for letter in bone["rotation_mode"]:
        index = LETTERS.index(letter)
        if angles[index]:
            R = multiply(rotation_about(IDENTITY[index], angles[index]), R)
    x, y, z = location
    return Transform(R, (x, y, z))


def link_poses(robot: RawRobot, positions: Mapping[str, float]) -> Poses:
    """Return T_root_link of all links at positions by child [rad or m]; a planar joint turns, a floating one rests."""
    held = []
    for joint in robot.joints:
        if joint.moves or joint.type == "planar":
            joint = held_at(joint, positions[joint.child])
        held.append(joint)
    return drawn_places(robot._replace(joints=tuple(held)))


def pose_of(rows: Any) -> Transform:
    """Return the pose of three rows of four numbers."""
    x, y, z, translation = zip(*rows)
    return Transform(transpose((x, y, z)), translation)


def _rules(robot: RawRobot, above: Mapping[str, RawJoint]) -> Dict[str, Json]:
    """Return the rule of each follower, by child; a follower of a joint that does not move stays at its offset."""
    child_of = {joint.name: joint.child for joint in robot.joints}
    leaders: Dict[str, Optional[str]] = {}
    for joint in robot.joints:
        rule = joint.mimic if joint.moves else None
        leaders[joint.child] = child_of.get(rule.leader) if rule is not None else None
    rules: Dict[str, Json] = {}
    for child, leader in leaders_first(leaders):
        rule = above[child].mimic
        if leader is None or rule is None:
            continue
        name = None
        multiplier = 0.0
        if above[leader].moves:
            name = above[leader].name
            multiplier = rule.multiplier
        rules[child] = {"joint": name, "multiplier": multiplier, "offset": rule.offset}
    return rules


def _values(joint: RawJoint, rules: Mapping[str, Json]) -> Dict[str, Any]:
    """Return the values that the channels of a joint must have."""
    lower: Optional[float] = None
    upper: Optional[float] = None
    # An animation has limits only where both are in reach.
    if joint.moves and joint.lower is not None and joint.upper is not None:
        if 0.0 <= joint.upper - joint.lower < OUT_OF_REACH:
            lower = joint.lower
            upper = joint.upper
    return {
        "joint": joint.name,
        "type": joint.type,
        "lower": lower,
        "upper": upper,
        "effort": joint.effort,
        "velocity": joint.velocity,
        "damping": joint.values.get("damping", (None,))[0],
        "friction": joint.values.get("friction", (None,))[0],
        "mimic": rules.get(joint.child),
    }


def _looks(shape: RawShape) -> Json:
    """Return the values that a visual must have."""
    T = shape.T_link_shape
    sizes = [*shape.sizes]
    values: Dict[str, Any] = {
        "matrix": [[*row, shift] for row, shift in zip(T.rotation, T.translation)],
        "rgba": [*shape.color] if shape.color else None,
    }
    if shape.geometry == "mesh":
        values.update(uri=shape.file, scale=sizes)
    elif shape.geometry == "sphere":
        (values["sphere"],) = sizes
    else:
        values[shape.geometry] = sizes
    return values


def _near(found: Any, expected: Any, least: float) -> bool:
    """Return True for equal values, numbers up to ROOM times the largest of them, at least `least`."""
    if found == expected:
        return True
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return False
        least = max([least, *(abs(value) for value in expected if isinstance(value, float))])
        return all(_near(value, other, least) for value, other in zip(found, expected))
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return abs(found - expected) <= ROOM * max(least, abs(expected))
    return False
