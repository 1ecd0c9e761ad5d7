"""Evidence in a robot for which axis is up (legs, joints named yaw) and which forward (pairs, names, cameras, reach).

How often each kind is right is measured in the README.md of this folder.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile
from math import fsum
from typing import AbstractSet, Dict, Iterator, List, Optional, Set, Tuple

from ..base.types import Texts
from ..base.record import Record
from .name_words import (
    axis_class,
    AXIS_LETTERS,
    CAMERA_OR_HEAD,
    HAND,
    LEG,
    left_right_pairs,
    TOOL,
    word_among,
)
from ..urdf.model import Link, NO_MASS, poses_at, Robot
from ..urdf.lossless_xml import is_comment
from ..urdf.spatial import (
    IDENTITY,
    IDENTITY_POSE,
    MassProperties,
    Matrix,
    merge_mass,
    move,
    move_mass,
    norm,
    Pose,
    Poses,
    rotate,
    scale,
    subtract,
    transpose,
    unit,
    Vector,
    ZERO,
)

FORWARDS: Dict[str, Texts] = {axis: (axis,) for axis in ("+X", "+Y", "-Y", "-X")}
# If left is at this side, forward is a quarter turn to the right of it; a line has two ends.
FORWARDS_BY_LEFT: Dict[str, Texts] = {
    "+Y": ("+X",),
    "-X": ("+Y",),
    "+X": ("-Y",),
    "-Y": ("-X",),
    "Y": ("+X", "-X"),
    "X": ("+Y", "-Y"),
}
NAMES = "joint{s} named pitch, knee, elbow or roll"
PAIRS = "left/right pair{s}"
FAR = "left/right pair{s} far out"
OPTICAL = "optical frame{s}"
CAMERAS = "frame{s} of a camera or head"
IMUS = "frame{s} of an IMU"
REACH = "reach of an arm"
COMMENT = "comment of Onshape"
FAINT = (IMUS, COMMENT)  # too often wrong to settle or to contradict anything
# Two pairs near the root decide alone; four fifths of each kind must agree.
ENOUGH_PAIRS = 2
ENOUGH_AGREEMENT = 0.8
NEAR = 3  # moving joints from the root to where left and right branch; beyond, an arm may point anywhere
LEVEL_ENOUGH = 0.906  # the cosine of 25 degrees: an axis this near to X or Y is evidence
MOSTLY = 0.7  # of the length of a direction: what it has along the axis that it is taken for
# The reach of an arm is more than this part of its length, and times that aside.
STRETCHED = 0.5
STRAIGHT = 2.0
ONE_WAY = 0.5  # of the mean distance of leg parts from the rest: its least component along one axis, if they point down
COINCIDENT = 1e-6  # [m] left and right in one place


class Evidence(Record):
    """The evidence of one kind for which axis is forward.

    Attributes:
        kind: one of the words above.
        forwards: the axes of the input of which one is forward: one, both ends of a line, or none.
        sentence: the observation, and how many agree.
        decides: True if it overrides all other evidence.
        witnesses: how many joints, pairs or frames agree.
    """

    kind: str
    forwards: Texts
    sentence: str
    decides: bool = False
    witnesses: int = 1


class Up(Record):
    """An axis of the input that seems to point up, the observation, and whether it is enough to turn the robot by."""

    side: str
    sentence: str
    is_sure: bool


class _Layout(Record):
    """Where the links are.

    Attributes:
        T_world: the pose of every link in the world at zero, in the axes that are looked at.
        in_hand: links of a gripper or hand, by their names or those of links and joints above them.
        moving: by link, how many moving joints are above it.
        far: by link with more than NEAR of them, the link that the first joint beyond leads to.
    """

    T_world: Poses
    in_hand: Set[str]
    moving: Dict[str, int]
    far: Dict[str, str]


def find_up(robot: Robot) -> Optional[Up]:
    """Return which axis of the input points up, None where it is Z or unknown.

    Up is the direction from the center of mass of the legs to that of the rest; joints named yaw turn about it, and
    those named pitch or roll do not.
    """
    T_world = poses_at(robot, {}, IDENTITY_POSE)
    # By whether a link is a part of a leg.
    parts: Dict[bool, List[MassProperties]] = {True: [], False: []}
    for name, link in robot.links.items():
        if link.inertial is not None and link.mass > NO_MASS:
            parts[word_among(LEG, name) is not None].append(
                move_mass(T_world[name], link.inertial.properties)
            )
    if len(parts[True]) < 2 or not parts[False]:
        return None
    legs = merge_mass(parts[True]).center
    rest = merge_mass(parts[False]).center
    # Relative to the mean distance of leg parts from the rest: legs that are spread out do not show where up is.
    apart = fsum(norm(subtract(rest, part.center)) for part in parts[True]) / len(parts[True])
    side = _side(subtract(rest, legs)) if norm(subtract(rest, legs)) > ONE_WAY * apart else ""

    yaws, others = (
        [line for axis, line in _lines_of_names(robot, T_world) if (axis == 2) == is_yaw]
        for is_yaw in (True, False)
    )

    # A joint has a line such as Y: the sign of the side does not count here.
    agreeing = yaws.count(side[1:])
    if side in ("", "+Z", "-Z") or agreeing < len(yaws) or side[1:] in others:
        return None
    seen = f" and {agreeing} joint{'s'[: agreeing != 1]} named yaw" if agreeing else ""
    return Up(side, f"up is {side} by the mass of the legs{seen}", agreeing > 0)


def find_evidence(robot: Robot, R_up: Matrix = IDENTITY) -> List[Evidence]:
    """Return all evidence for the forward axis, the most trusted kind first; one that decides may be anywhere.

    `R_up` turns the axes of the input so that Z is up; sentences name axes of the input, `forwards` the turned ones.
    """
    layout = _place_links(robot, R_up)
    # The sentence about Onshape names Onshape's axes, which no rotation changes.
    return [
        clue
        if clue.kind == COMMENT or R_up == IDENTITY
        else clue._replace(
            sentence=re.sub(
                r"[+-]?\b[XYZ]\b", lambda word: name_of_axis(word.group(), R_up), clue.sentence
            )
        )
        for clue in _all_evidence(robot, layout)
    ]


def name_of_axis(axis: str, R_up: Matrix) -> str:
    """Return the name in the input of an axis such as "+X", or a line such as "X", after the rotation `R_up`."""
    # Row k of R_up is the direction in the input that axis k comes from.
    side = _side(scale(-1.0 if axis[0] == "-" else 1.0, R_up["XYZ".index(axis[-1])]))
    return side if axis[1:] else side[1:]


def _all_evidence(robot: Robot, layout: _Layout) -> List[Evidence]:
    near, far = _sides_of_pairs(robot, layout)
    lines = list(_left_of_names(robot, layout))
    sides = _sides_of_frames(robot, layout)
    candidates = (
        _evidence_of(NAMES, "left is along", lines, FORWARDS_BY_LEFT),
        _evidence_of(PAIRS, "left is at", near, FORWARDS_BY_LEFT),
        _evidence_of(FAR, "left is at", far, FORWARDS_BY_LEFT),
        _evidence_of(OPTICAL, "forward is", sides[OPTICAL], FORWARDS),
        _evidence_of(CAMERAS, "forward is", sides[CAMERAS], FORWARDS),
        _reach_of_arm(robot, layout),
        _evidence_of(IMUS, "forward is", sides[IMUS], FORWARDS),
        _comment_of_onshape(robot),
    )
    return [evidence for evidence in candidates if evidence is not None]


def _left_of_names(robot: Robot, layout: _Layout) -> Iterator[str]:
    """Yield by joint the line of left that its name shows; "" where the name shows that Z does not point up.

    Pitch about Y or roll about X says that left is along Y, pitch about X or roll about Y along X. Pitch or roll about
    Z, or yaw about another axis, contradicts both: the names say that the robot lies on a side.
    """
    lying = []
    sides = []
    for axis, line in _lines_of_names(robot, layout.T_world, layout.in_hand):
        if (axis == 2) != (line == "Z"):
            lying.append("")
        elif axis != 2:
            sides.append("Y" if line == AXIS_LETTERS[axis] else "X")
    # One joint may be mounted anywhere, as on an arm that is raised; where most names say so, it is the robot.
    yield from sides
    yield from lying if len(lying) > max(1, len(sides)) else ()


def _evidence_of(
    kind: str, where: str, sides: List[str], forwards: Dict[str, Texts]
) -> Optional[Evidence]:
    """Return the evidence of the most frequent of `sides`; "" is one that is not along an axis."""
    side, agreeing = max(
        Counter(filter(None, sides)).items(), key=lambda item: item[1], default=("one side", 0)
    )
    enough = kind == PAIRS and len(sides) >= ENOUGH_PAIRS
    sentence = f"{where} {side} in {agreeing} of {len(sides)} {kind.format(s='' if len(sides) == 1 else 's')}"
    # Evidence without axes votes for nothing, but the warning names it.
    if agreeing < ENOUGH_AGREEMENT * len(sides):
        return (
            Evidence(kind, (), f"{sentence}, which disagree") if enough or kind == NAMES else None
        )
    if side in forwards:
        return Evidence(
            kind=kind,
            forwards=forwards[side],
            sentence=sentence,
            decides=enough,
            witnesses=agreeing,
        )
    return Evidence(kind, (), f"{sentence}, so Z does not point up", True) if enough else None


def _place_links(robot: Robot, R_up: Matrix) -> _Layout:
    in_hand = {robot.root} if word_among(HAND, robot.root) else set()
    layout = _Layout(poses_at(robot, {}, Pose(R_up, ZERO)), in_hand, {robot.root: 0}, {})
    for joint in robot.tree:
        layout.moving[joint.child] = layout.moving[joint.parent] + (joint.type != "fixed")
        if joint.parent in in_hand or word_among(HAND, joint.child) or word_among(HAND, joint.name):
            in_hand.add(joint.child)
        if layout.moving[joint.child] > NEAR:
            # One name for all beyond: the first link of the branch that far out.
            layout.far[joint.child] = layout.far.get(joint.parent, joint.child)
    return layout


def _sides_of_pairs(robot: Robot, layout: _Layout) -> Tuple[List[str], List[str]]:
    """Return for each left/right pair of links or joints the side where left is: of pairs near the root, and far out.

    A gripper may point in any direction, and so may parts that branch at the end of an arm.
    """
    pairs = left_right_pairs(list(robot.links))
    pairs += [
        (robot.named[left].child, robot.named[right].child)
        for left, right in left_right_pairs(list(robot.named))
    ]
    near: List[str] = []
    far: List[str] = []
    for left, right in dict.fromkeys(pairs):
        apart = _difference(robot.links[left], robot.links[right], layout)
        if layout.in_hand.isdisjoint((left, right)) and norm(apart) > COINCIDENT:
            # Both are beyond the same link: they branch at the end of an arm, not at the root.
            (
                far if left in layout.far and layout.far[left] == layout.far.get(right) else near
            ).append(_side(apart))
    return near, far


def _difference(left: Link, right: Link, layout: _Layout) -> Vector:
    """Return left minus right of the frame origins, or of the centers of mass where the origins coincide [m]."""
    T_left, T_right = layout.T_world[left.name], layout.T_world[right.name]
    apart = subtract(T_left.translation, T_right.translation)
    return (
        apart
        if norm(apart) > COINCIDENT
        else subtract(move(T_left, _center(left)), move(T_right, _center(right)))
    )


def _center(link: Link) -> Vector:
    return link.inertial.properties.center if link.inertial else ZERO


def _side(direction: Vector) -> str:
    """Return the axis that a direction is along, such as "-Y", or "" if it is not near any axis."""
    k = max(range(3), key=lambda axis: abs(direction[axis]))
    return (
        f"{'-' if direction[k] < 0.0 else '+'}{'XYZ'[k]}"
        if abs(direction[k]) > MOSTLY * norm(direction)
        else ""
    )


def _lines_of_names(
    robot: Robot, T_world: Poses, in_hand: AbstractSet[str] = frozenset()
) -> Iterator[Tuple[int, str]]:
    """Return, by joint, the axis that its name asks for (0, 1, 2), and the line X, Y or Z that its axis is along.

    Pitch, knee and elbow turn about the left axis, roll about forward, yaw about up. Those of a thumb or finger, which
    are joints of a hand (links `in_hand`), turn as that is mounted; a wrist that leads to the hand counts.
    """
    for joint in robot.tree:
        asked = axis_class(joint.name, {}) if joint.type in ("revolute", "continuous") else None
        of_hand = bool(in_hand) and (
            joint.parent in in_hand or word_among(HAND, joint.name) is not None
        )
        if asked is not None and not asked.others and not of_hand:
            axis = rotate(T_world[joint.child].rotation, unit(joint.axis))
            yield from (
                (asked.axis, AXIS_LETTERS[k]) for k in range(3) if abs(axis[k]) >= LEVEL_ENOUGH
            )


def _sides_of_frames(robot: Robot, layout: _Layout) -> Dict[str, List[str]]:
    """Return the directions of z of optical frames (REP 103), and of x of upright links that are only frames, by kind.

    An IMU is mounted in any direction: it counts where it has the axes of the input.
    """
    sides: Dict[str, List[str]] = {OPTICAL: [], CAMERAS: [], IMUS: []}
    for name, link in robot.links.items():
        # The columns of R_world_link are the axes of the link.
        x, _, z = map(_side, transpose(layout.T_world[name].rotation))
        mere = not link.shapes and link.mass <= NO_MASS and z == "+Z"
        if name == robot.root or name in layout.in_hand:
            continue
        if word_among(("optical",), name):
            sides[OPTICAL] += [z] if z in FORWARDS else []
        elif mere and word_among(CAMERA_OR_HEAD, name):
            sides[CAMERAS].append(x)
        elif mere and x == "+X" and word_among(("imu",), name):
            sides[IMUS].append(x)
    return sides


def _reach_of_arm(robot: Robot, layout: _Layout) -> Optional[Evidence]:
    """Return the direction in which an arm, one chain up to a hand, reaches at zero from its first joint to its tool
    or end."""
    chain = [
        joint for joint in robot.tree if joint.type != "fixed" and joint.child not in layout.in_hand
    ]
    # In one chain the k-th moving joint has the number k; a second branch repeats a number.
    if len(chain) < NEAR or [layout.moving[joint.child] for joint in chain] != list(
        range(1, len(chain) + 1)
    ):
        return None
    first = chain[0].child
    # Along the chain: an arm that is folded at zero reaches less than its length.
    lengths = {first: 0.0}
    for joint in robot.tree:
        if joint.parent in lengths:
            lengths[joint.child] = lengths[joint.parent] + norm(joint.origin.translation)
    # A link named tool or tcp is the end, else the farthest one.
    end = max(lengths, key=lambda name: (word_among(TOOL, name) is not None, lengths[name]))
    x, y, _ = subtract(layout.T_world[end].translation, layout.T_world[first].translation)
    aside, ahead = sorted((abs(x), abs(y)))
    if ahead <= max(STRETCHED * lengths[end], STRAIGHT * aside):
        return None
    side = _side((x, y, 0.0))
    return Evidence(REACH, FORWARDS[side], f"the arm reaches along {side} at zero")


def _comment_of_onshape(robot: Robot) -> Optional[Evidence]:
    """Return the evidence of a comment around the root, or in it before its first element, that names Onshape."""
    inside = takewhile(lambda node: isinstance(node, str), robot.document.root.children)
    comments = [*robot.document.comments(), *(str(node) for node in inside if is_comment(node))]
    sentence = "a comment says that the file comes from Onshape, where X is right and Y forward"
    return (
        Evidence(COMMENT, ("+Y",), sentence)
        if any("onshape" in text.lower() for text in comments)
        else None
    )
