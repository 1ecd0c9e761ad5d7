"""Evidence for the axis that points up (legs, wheels, joints named yaw, pairs) and the axis that points forward.

Evidence for forward: left/right pairs, names of joints, axles of wheels, feet, cameras, the reach of an arm.

The README.md of this folder lists how often each kind is right.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile
from math import fsum
from typing import Dict, Iterator, List, Optional, Set, Tuple

from ..base.type_aliases import Texts
from ..base.record_type import Record
from .name_words import (
    axis_class,
    AXIS_LETTERS,
    CAMERA_OR_HEAD,
    FOOT,
    HAND,
    LEG,
    left_right_pairs,
    NO_AXLE,
    TOOL,
    WHEEL,
    word_among,
)
from ..urdf.urdf_records import UrdfJoint, UrdfLink, NO_MASS, poses_at, UrdfRobot
from ..urdf.lossless_xml import is_comment
from ..urdf.spatial_math import (
    IDENTITY,
    MassProperties,
    Matrix,
    merge_mass,
    move,
    move_mass,
    norm,
    Transform,
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
# The forward axes for a left axis: forward is a quarter turn to its right. A line without a sign allows both ends.
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
WHEELS = "axle{s} of wheels"
OPTICAL = "optical frame{s}"
CAMERAS = "frame{s} of a camera or head"
FEET = "offset{s} of a foot from its ankle"
IMUS = "frame{s} of an IMU"
REACH = "reach of an arm"
COMMENT = "comment of Onshape"
FAINT = (IMUS, COMMENT)  # too often wrong to settle or contradict anything
# Two pairs near the root decide alone; four fifths of a kind must agree.
ENOUGH_PAIRS = 2
ENOUGH_AGREEMENT = 0.8
# Moving joints from the root to where left and right branch; beyond, an arm may point anywhere.
NEAR = 3
LEVEL_ENOUGH = 0.906  # the cosine of 25 degrees: an axis this near to X or Y is evidence
MOSTLY = 0.7  # the least part of a direction's length that lies along the axis it is taken for
# The reach of an arm must exceed this part of its length, and this multiple of its offset to the side. The same holds
# for the center of mass of a foot ahead of its ankle, relative to its depth below the ankle.
STRETCHED = 0.5
STRAIGHT = 2.0
# The least offset of the center of legs or wheels from the rest of the robot, relative to their average distance from
# it. Legs that surround the body, as of a spider, do not show which way is up.
ONE_WAY = 0.5
# Wheels that define a ground plane; for a single axle, the center of mass may be ahead of it as well as above it.
PLANE = 3
COINCIDENT = 1e-6  # [m] left and right at the same point, or a foot at its ankle


class ForwardEvidence(Record):
    """The evidence of one kind for the forward axis.

    Attributes:
        kind: NAMES, PAIRS or a similar phrase.
        forwards: the candidates for forward: one axis of the input, both ends of a line, or none.
        sentence: the observation, and how many witnesses agree.
        decides: True if it overrides all other evidence.
        witnesses: how many joints, pairs or frames agree.
    """

    kind: str
    forwards: Texts
    sentence: str
    decides: bool = False
    witnesses: int = 1


class UpEvidence(Record):
    """An axis of the input that seems to point up, the observation, and whether it is enough to turn the robot."""

    side: str
    sentence: str
    is_sure: bool


class _LinkPoses(Record):
    """The poses of the links, and their places in the chain.

    Attributes:
        T_world: the pose of every link in the world at zero, in the axes under consideration.
        in_hand: links of a gripper or hand, by the names of the link, its joint and their ancestors.
        moving: by link, the number of moving joints from the root to it.
        far: by link with more than NEAR moving joints, its ancestor on the first joint beyond NEAR.
    """

    T_world: Poses
    in_hand: Set[str]
    moving: Dict[str, int]
    far: Dict[str, str]


def find_up(robot: UrdfRobot) -> Optional[UpEvidence]:
    """Return the input's axis that points up, or None if it is Z or unknown.

    Legs and wheels show a side. Joints named yaw turn about its axis; joints named pitch or roll, axles and left/right
    pairs are perpendicular to it. The result is sure if a second witness agrees: legs and wheels, joints named yaw, or
    pairs along Z.
    """
    layout = _place_links(robot, IDENTITY)
    by_mass = _side_by_mass_of_legs(robot, layout)
    # The mass and the ends of the legs are one witness: the ends count only if the mass shows nothing.
    by_part = {
        "the mass of the legs": by_mass,
        "the ends of the legs": "" if by_mass else _side_by_ends_of_legs(robot, layout),
        "the wheels": _side_by_wheels(robot, layout),
    }
    witnesses = [words for words, side in by_part.items() if side]
    sides = set(filter(None, by_part.values()))
    if len(sides) != 1:
        return None
    side = sides.pop()
    line = side[1:]
    if line == "Z":
        return None

    # A joint shows a line such as Y, without a sign. An elbow turns about the up axis if the arm is held to the side at
    # zero, as in a T pose.
    named_lines = [*_lines_of_names(robot, layout, without=("elbow",))]
    lines_of_yaws = [along for axis, along in named_lines if axis == 2]
    lines_across = [along for axis, along in named_lines if axis != 2]
    line_of_pairs, pairs = _line_of_pairs(robot, layout)
    lines_across += [line_of_pairs, *_lines_of_axles(robot, layout)]
    if line in lines_across or any(along != line for along in lines_of_yaws):
        return None

    if lines_of_yaws:
        witnesses.append(f"{len(lines_of_yaws)} joint{'s'[: len(lines_of_yaws) != 1]} named yaw")
    if line_of_pairs == "Z":
        witnesses.append(f"{pairs} left/right pairs along Z")
    return UpEvidence(side, f"up is {side} by {' and '.join(witnesses)}", len(witnesses) > 1)


def _side_by_mass_of_legs(robot: UrdfRobot, layout: _LinkPoses) -> str:
    """Return the side of the rest of the robot's center of mass, seen from its legs; "" if unknown."""
    # The key tells whether the link belongs to a leg.
    parts: Dict[bool, List[MassProperties]] = {True: [], False: []}
    for name, part in _masses(robot, layout):
        parts[word_among(LEG, name) is not None].append(part)
    legs = parts[True]
    if len(legs) < 2 or not parts[False]:
        return ""
    places = [part.center for part in legs]
    return _side_of_rest(merge_mass(parts[False]).center, places, merge_mass(legs).center)


def _side_by_ends_of_legs(robot: UrdfRobot, layout: _LinkPoses) -> str:
    """Return the side of the center of mass, seen from the ends of two or more legs; "" if unknown.

    Legs with heavy thighs that are spread out show the up axis by their ends alone: their mass is near the trunk.
    """
    parents = {joint.parent for joint in robot.tree}
    ends = [
        move(layout.T_world[name], _center(link))
        for name, link in robot.links.items()
        if name not in parents and word_among(LEG, name)
    ]
    return _side_of_mass(robot, layout, ends) if len(ends) > 1 else ""


def _side_by_wheels(robot: UrdfRobot, layout: _LinkPoses) -> str:
    """Return the side of the center of mass, seen from three or more wheels; "" if unknown.

    A wheel at the end of a leg shows the same as the leg and is not a separate witness.
    """
    places = [
        layout.T_world[joint.child].translation
        for joint in _wheels(robot, layout)
        if layout.moving[joint.child] == 1
    ]
    return _side_of_mass(robot, layout, places) if len(places) >= PLANE else ""


def _side_of_mass(robot: UrdfRobot, layout: _LinkPoses, places: List[Vector]) -> str:
    """Return the axis from the average of places to the robot's center of mass; "" if unknown."""
    masses = [part for _, part in _masses(robot, layout)]
    x, y, z = (fsum(place[k] for place in places) / len(places) for k in range(3))
    return _side_of_rest(merge_mass(masses).center, places, (x, y, z)) if masses else ""


def _masses(robot: UrdfRobot, layout: _LinkPoses) -> Iterator[Tuple[str, MassProperties]]:
    """Yield the names of links with mass, and their mass properties in the axes of the layout."""
    for name, link in robot.links.items():
        if link.inertial is not None and link.mass > NO_MASS:
            yield name, move_mass(layout.T_world[name], link.inertial.properties)


def _side_of_rest(rest: Vector, places: List[Vector], center: Vector) -> str:
    """Return the axis from the `center` of places to the center `rest`; "" if the places surround it."""
    mean_distance = fsum(norm(subtract(rest, place)) for place in places) / len(places)
    direction = subtract(rest, center)
    return _side(direction) if norm(direction) > ONE_WAY * mean_distance else ""


def _line_of_pairs(robot: UrdfRobot, layout: _LinkPoses) -> Tuple[str, int]:
    """Return the line, such as Z, of the left/right pairs near the root, and the number of pairs; "" if undecided."""
    near_sides, _ = _sides_of_pairs(robot, layout)
    lines = [side[1:] for side in near_sides]
    line, agreeing = _most_frequent(lines)
    enough = len(near_sides) >= ENOUGH_PAIRS and agreeing >= ENOUGH_AGREEMENT * len(near_sides)
    return (line, agreeing) if enough else ("", 0)


def _wheels(robot: UrdfRobot, layout: _LinkPoses) -> Iterator[UrdfJoint]:
    """Yield the joints of wheels that roll on the ground."""
    for joint in robot.tree:
        names = (joint.name, joint.child)
        if joint.type != "continuous" or joint.child in layout.in_hand:
            continue
        if any(word_among(WHEEL, name) for name in names) and not any(
            word_among(NO_AXLE, name) for name in names
        ):
            yield joint


def _lines_of_axles(robot: UrdfRobot, layout: _LinkPoses) -> List[str]:
    """Return for each wheel the line X, Y or Z along its axle, or "" if it is oblique."""
    axes = [
        rotate(layout.T_world[joint.child].rotation, unit(joint.axis))
        for joint in _wheels(robot, layout)
    ]
    return [_line_near(axis) for axis in axes]


def find_evidence(robot: UrdfRobot, R_up: Matrix = IDENTITY) -> List[ForwardEvidence]:
    """Return all evidence for the forward axis, the most trusted kind first; evidence that decides may be anywhere.

    `R_up` turns the axes of the input so that Z is up. Sentences name axes of the input, `forwards` the turned axes.
    """
    layout = _place_links(robot, R_up)
    # The sentence about Onshape names Onshape's own axes, which no rotation changes.
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
    # Row k of R_up is the input direction that becomes axis k.
    side = _side(scale(-1.0 if axis[0] == "-" else 1.0, R_up["XYZ".index(axis[-1])]))
    return side if axis[1:] else side[1:]


def _all_evidence(robot: UrdfRobot, layout: _LinkPoses) -> List[ForwardEvidence]:
    """Return the evidence for the forward axis, the most trusted kind first."""
    near_sides, far_sides = _sides_of_pairs(robot, layout)
    lines_of_names = list(_left_of_names(robot, layout))
    sides_of_frames = _sides_of_frames(robot, layout)
    candidates = (
        _evidence_of(NAMES, "left is along", lines_of_names, FORWARDS_BY_LEFT),
        _evidence_of(PAIRS, "left is at", near_sides, FORWARDS_BY_LEFT),
        _evidence_of(FAR, "left is at", far_sides, FORWARDS_BY_LEFT),
        _evidence_of_axles(robot, layout),
        _evidence_of(OPTICAL, "forward is", sides_of_frames[OPTICAL], FORWARDS),
        _evidence_of(CAMERAS, "forward is", sides_of_frames[CAMERAS], FORWARDS),
        _evidence_of(FEET, "forward is", _sides_of_feet(robot, layout), FORWARDS),
        _reach_of_arm(robot, layout),
        _evidence_of(IMUS, "forward is", sides_of_frames[IMUS], FORWARDS),
        _comment_of_onshape(robot),
    )
    return [evidence for evidence in candidates if evidence is not None]


def _left_of_names(robot: UrdfRobot, layout: _LinkPoses) -> Iterator[str]:
    """Yield for each joint the line of left that its name implies; "" if the name implies that Z does not point up.

    Pitch about Y or roll about X implies left along Y; pitch about X or roll about Y implies left along X. Pitch or
    roll about Z, or yaw about X or Y, contradicts both: the robot seems to lie on its side.
    """
    lying = []
    sides = []
    for axis, line in _lines_of_names(robot, layout):
        if (axis == 2) != (line == "Z"):
            lying.append("")
        elif axis != 2:
            sides.append("Y" if line == AXIS_LETTERS[axis] else "X")
    # A single joint may be mounted in any direction, as on a raised arm; if most names disagree, the robot lies.
    yield from sides
    yield from lying if len(lying) > max(1, len(sides)) else ()


def _evidence_of(
    kind: str, where: str, sides: List[str], forwards: Dict[str, Texts]
) -> Optional[ForwardEvidence]:
    """Return the evidence of the most frequent of `sides`; "" is a side that is not along an axis."""
    side, agreeing = _most_frequent(sides)
    side = side or "one side"
    enough = kind == PAIRS and len(sides) >= ENOUGH_PAIRS
    sentence = f"{where} {side} in {agreeing} of {len(sides)} {kind.format(s='' if len(sides) == 1 else 's')}"
    # Evidence without axes does not vote, but the warning names it.
    if agreeing < ENOUGH_AGREEMENT * len(sides):
        return (
            ForwardEvidence(kind, (), f"{sentence}, which disagree")
            if enough or kind == NAMES
            else None
        )
    if side in forwards:
        return ForwardEvidence(
            kind=kind,
            forwards=forwards[side],
            sentence=sentence,
            decides=enough,
            witnesses=agreeing,
        )
    return (
        ForwardEvidence(kind, (), f"{sentence}, so Z does not point up", True) if enough else None
    )


def _most_frequent(sides: List[str]) -> Tuple[str, int]:
    """Return the most frequent side and its count; "" and 0 if no side is along an axis."""
    return max(Counter(filter(None, sides)).items(), key=lambda item: item[1], default=("", 0))


def _place_links(robot: UrdfRobot, R_up: Matrix) -> _LinkPoses:
    """Return the layout of a robot at zero, in axes that R_up turns upright."""
    in_hand = {robot.root} if word_among(HAND, robot.root) else set()
    layout = _LinkPoses(poses_at(robot, {}, Transform(R_up, ZERO)), in_hand, {robot.root: 0}, {})
    for joint in robot.tree:
        layout.moving[joint.child] = layout.moving[joint.parent] + (joint.type != "fixed")
        if joint.parent in in_hand or word_among(HAND, joint.child) or word_among(HAND, joint.name):
            in_hand.add(joint.child)
        if layout.moving[joint.child] > NEAR:
            # All links beyond share one name: the first link of the branch that far out.
            layout.far[joint.child] = layout.far.get(joint.parent, joint.child)
    return layout


def _sides_of_pairs(robot: UrdfRobot, layout: _LinkPoses) -> Tuple[List[str], List[str]]:
    """Return the left sides of left/right pairs of links or joints: of pairs near the root, and of pairs far out.

    A gripper may point in any direction, and so may parts that branch at the end of an arm.
    """
    pairs = left_right_pairs(list(robot.links))
    pairs += [
        (robot.named[left].child, robot.named[right].child)
        for left, right in left_right_pairs(list(robot.named))
    ]
    near_sides: List[str] = []
    far_sides: List[str] = []
    for left, right in dict.fromkeys(pairs):
        left_minus_right = _difference(robot.links[left], robot.links[right], layout)
        if layout.in_hand.isdisjoint((left, right)) and norm(left_minus_right) > COINCIDENT:
            # Both descend from the same far link, so they branch at the end of an arm and not at the root.
            is_far = left in layout.far and layout.far[left] == layout.far.get(right)
            sides = far_sides if is_far else near_sides
            sides.append(_side(left_minus_right))
    return near_sides, far_sides


def _difference(left: UrdfLink, right: UrdfLink, layout: _LinkPoses) -> Vector:
    """Return left minus right of the frame origins, or of the centers of mass if the origins coincide [m]."""
    T_left = layout.T_world[left.name]
    T_right = layout.T_world[right.name]
    between_origins = subtract(T_left.translation, T_right.translation)
    if norm(between_origins) > COINCIDENT:
        return between_origins
    return subtract(move(T_left, _center(left)), move(T_right, _center(right)))


def _center(link: UrdfLink) -> Vector:
    """Return the center of mass of a link in its frame, the origin for a link without inertial [m]."""
    return link.inertial.properties.center if link.inertial else ZERO


def _side(direction: Vector) -> str:
    """Return the axis along a direction, such as "-Y", or "" if no axis is near."""
    k = max(range(3), key=lambda axis: abs(direction[axis]))
    return (
        f"{'-' if direction[k] < 0.0 else '+'}{'XYZ'[k]}"
        if abs(direction[k]) > MOSTLY * norm(direction)
        else ""
    )


def _lines_of_names(
    robot: UrdfRobot, layout: _LinkPoses, without: Texts = ()
) -> Iterator[Tuple[int, str]]:
    """Yield for each joint the axis that its name implies (0, 1, 2), and the line X, Y or Z along its actual axis.

    Pitch, knee and elbow turn about the left axis, roll about forward, yaw about up. Joints of a hand are skipped,
    because they turn with its mounting; a wrist that leads to the hand counts. Joints with one of the words `without`
    in their names are skipped too.
    """
    in_hand = layout.in_hand
    for joint in robot.tree:
        asked = axis_class(joint.name, {}) if joint.type in ("revolute", "continuous") else None
        of_hand = bool(in_hand) and (
            joint.parent in in_hand or word_among(HAND, joint.name) is not None
        )
        left_out = of_hand or word_among(without, joint.name) is not None
        if asked is not None and not asked.others and not left_out:
            line = _line_near(rotate(layout.T_world[joint.child].rotation, unit(joint.axis)))
            if line:
                yield asked.axis, line


def _line_near(axis: Vector) -> str:
    """Return the line X, Y or Z along an axis of length 1, or "" if no line is near."""
    return next((AXIS_LETTERS[k] for k in range(3) if abs(axis[k]) >= LEVEL_ENOUGH), "")


def _evidence_of_axles(robot: UrdfRobot, layout: _LinkPoses) -> Optional[ForwardEvidence]:
    """Return the evidence of the line that two or more axles share."""
    # A wheel with a vertical axle is a gear or a swivel, and shows nothing about left.
    lines = [line for line in _lines_of_axles(robot, layout) if line != "Z"]
    if len(lines) < 2:
        return None
    evidence = _evidence_of(WHEELS, "left is along", lines, FORWARDS_BY_LEFT)
    # The wheels of a robot share their axle, so all of them are one witness.
    return evidence._replace(witnesses=1) if evidence is not None else None


def _sides_of_feet(robot: UrdfRobot, layout: _LinkPoses) -> List[str]:
    """Return for each foot the horizontal side of its center of mass, seen from its ankle; "" if it is below the ankle.

    A foot is the last rigid group of a leg, if the link on the moving joint, or the joint, is named so. A toe that is
    fixed to a shank is not a foot.
    """
    body_of = {robot.root: robot.root}
    for joint in robot.tree:
        is_fixed = joint.type == "fixed"
        body_of[joint.child] = body_of[joint.parent] if is_fixed else joint.child
    parts: Dict[str, List[MassProperties]] = {}
    for name, part in _masses(robot, layout):
        parts.setdefault(body_of[name], []).append(part)

    moving = [joint for joint in robot.tree if joint.type != "fixed"]
    not_last = {body_of[joint.parent] for joint in moving}
    sides = []
    for joint in moving:
        foot = joint.child
        is_named = word_among(FOOT, foot) or word_among(FOOT, joint.name)
        if is_named and foot in parts and foot not in not_last:
            ankle = layout.T_world[foot].translation
            x, y, z = subtract(merge_mass(parts[foot]).center, ankle)
            aside, ahead = sorted((abs(x), abs(y)))
            is_ahead = ahead > max(STRETCHED * abs(z), STRAIGHT * aside, COINCIDENT)
            sides.append(_side((x, y, 0.0)) if is_ahead else "")
    return sides


def _sides_of_frames(robot: UrdfRobot, layout: _LinkPoses) -> Dict[str, List[str]]:
    """Return by kind the z directions of optical frames (REP 103), and the x directions of other upright frames.

    IMUs may be mounted in any direction: they count only if their axes are the axes of the input.
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


def _reach_of_arm(robot: UrdfRobot, layout: _LinkPoses) -> Optional[ForwardEvidence]:
    """Return the direction of an arm, a single chain up to a hand, at zero from its first joint to its tool or end."""
    chain = [
        joint for joint in robot.tree if joint.type != "fixed" and joint.child not in layout.in_hand
    ]
    # In a single chain the k-th moving joint has the number k; a second branch would repeat a number.
    if len(chain) < NEAR or [layout.moving[joint.child] for joint in chain] != list(
        range(1, len(chain) + 1)
    ):
        return None
    first = chain[0].child
    # Lengths along the chain: an arm that is folded at zero reaches less.
    lengths = {first: 0.0}
    for joint in robot.tree:
        if joint.parent in lengths:
            lengths[joint.child] = lengths[joint.parent] + norm(joint.origin.translation)
    # A link named tool or tcp is the end; otherwise the farthest link.
    end = max(lengths, key=lambda name: (word_among(TOOL, name) is not None, lengths[name]))
    x, y, _ = subtract(layout.T_world[end].translation, layout.T_world[first].translation)
    aside, ahead = sorted((abs(x), abs(y)))
    if ahead <= max(STRETCHED * lengths[end], STRAIGHT * aside):
        return None
    side = _side((x, y, 0.0))
    return ForwardEvidence(REACH, FORWARDS[side], f"the arm reaches along {side} at zero")


def _comment_of_onshape(robot: UrdfRobot) -> Optional[ForwardEvidence]:
    """Return the evidence of a comment that names Onshape, outside the root or before its first element."""
    inside = takewhile(lambda node: isinstance(node, str), robot.document.root.children)
    comments = [*robot.document.comments(), *(str(node) for node in inside if is_comment(node))]
    sentence = "a comment says that the file comes from Onshape, where X is right and Y forward"
    return (
        ForwardEvidence(COMMENT, ("+Y",), sentence)
        if any("onshape" in text.lower() for text in comments)
        else None
    )
