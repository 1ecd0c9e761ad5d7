"""Find which way the input looks: the rotation from its world axes to X forward, Y left, Z up."""
import re
from itertools import takewhile
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from ..base.errors import Unusable
from ..base.name_words import axis_class, AXIS_LETTERS, HAND, left_right_pairs, word_among
from ..base.number_text import count_of
from ..base.version import OWN_NOTE
from ..urdf.kinematics import poses_at
from ..urdf.lossless_xml import is_comment
from ..urdf.model import Link, Robot
from ..urdf.spatial import (cross, dot, Matrix, move, NO_MOTION, NO_TURN, norm, Pose, rotate, scale, subtract,
                            transpose, unit, UNIT_AXES, Vector, ZERO)

DIRECTIONS: Dict[str, Vector] = {
    "forward": (1.0, 0.0, 0.0), "back": (-1.0, 0.0, 0.0),
    "left": (0.0, 1.0, 0.0), "right": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0), "down": (0.0, 0.0, -1.0),
}
NAMED_FRAMES = {"onshape": "x=right,y=forward,z=up", "ros": "x=forward,y=left,z=up"}
CANONICAL = "x=forward y=left z=up"
FRAMES_KEPT = "frames as in the input"
PROVENANCE = re.compile(OWN_NOTE + rf"(?P<kept>{FRAMES_KEPT}(?:, )?)?(?P<assumed>assumed )?"
                        r"(?P<words>x=\w+ y=\w+ z=\w+)?")
ENOUGH_PAIRS, ENOUGH_AGREEMENT = 2, 0.8
NEAR = 3  # moving joints from the root to where left and right branch; beyond, an arm may point anywhere
LEVEL_ENOUGH = 0.906  # the cosine of 25 degrees: an axis this near to X or Y is evidence
COINCIDENT = 1e-6  # [m] left and right in one place
Z_NOT_UP = "Z does not point up"
REP_103 = "assumed X forward, Y left, Z up (REP 103)"


class BaseFrame(NamedTuple):
    """The base rotation.

    Attributes:
        R_new_old: from the input's world axes to X forward, Y left, Z up.
        words: where the input's axes point, such as `x=right y=forward z=up`.
        reason: why this was chosen, for the report.
        warning: what contradicts it, or "".
        assumed: True if nothing in the file decides it.
    """

    R_new_old: Matrix
    words: str
    reason: str
    warning: str
    assumed: bool = False


def read_base_frame(text: str, spelled: str = "--base-frame") -> BaseFrame:
    """Read `onshape`, `ros` or words such as `x=left,y=back,z=up`; messages call the option as it is `spelled`.

    Raises:
        Unusable: words that are unknown, missing, or not a right-handed frame.
    """
    words = NAMED_FRAMES.get(text, text)
    parts = dict(part.strip().partition("=")[::2] for part in words.lower().split(","))
    if sorted(parts) != ["x", "y", "z"] or any(word not in DIRECTIONS for word in parts.values()):
        raise Unusable(f"{spelled} '{text}': give auto, onshape, ros, or all three of x, y and z, such as "
                       f"x=left,y=back,z=up (the words are {', '.join(DIRECTIONS)})")
    for one, other in ("xy", "xz", "yz"):
        if dot(DIRECTIONS[parts[one]], DIRECTIONS[parts[other]]) != 0.0:
            raise Unusable(f"{spelled} '{text}': {one}={parts[one]} and {other}={parts[other]} are along one line")
    columns = (DIRECTIONS[parts["x"]], DIRECTIONS[parts["y"]], DIRECTIONS[parts["z"]])
    if cross(columns[0], columns[1]) != columns[2]:
        opposite = next(word for word, direction in DIRECTIONS.items() if direction == scale(-1.0, columns[2]))
        raise Unusable(f"{spelled} '{text}' is not a right-handed frame: with this x and y it is z={opposite}")
    rotation = transpose(columns)
    return BaseFrame(NO_TURN if rotation == NO_TURN else rotation,
                     " ".join(f"{axis}={parts[axis]}" for axis in "xyz"), "as asked with --base-frame", "")


def turned_before(robot: Robot) -> bool:
    """Return True if the file has the note of an earlier run that reoriented it."""
    note = _find_note(robot)
    return note is not None and not note.group("kept")


def provenance_note(robot: Robot, base: BaseFrame, reorient: bool) -> str:
    """Return what a run notes in the file, so that a later run knows which way the robot looks."""
    if reorient or (turned_before(robot) and base.words == CANONICAL):
        return CANONICAL
    return f"{FRAMES_KEPT}, {'assumed ' if base.assumed else ''}{base.words}"


def note_of_earlier_run(robot: Robot) -> str:
    """Return what the `provenance_note` of an earlier run says, "" if the file has none."""
    note = _find_note(robot)
    return note.string.partition(": ")[2] if note is not None else ""


def _find_note(robot: Robot) -> "Optional[re.Match[str]]":
    """Return the note of an earlier run that says which way the robot looks, if the file has one."""
    notes = [PROVENANCE.fullmatch(comment) for comment in robot.document.comments()]
    return next((note for note in notes if note is not None and note.group("words")), None)


def find_base_frame(robot: Robot) -> BaseFrame:
    """Find out which way the input looks. Without evidence it is taken as it is.

    The first evidence decides: (1) the note of an earlier run, (2) left/right pairs of links, (3) the names of
    joints, (4) a comment that the file comes from Onshape. Otherwise (5) X forward, Y left, Z up is assumed.
    """
    noted = _base_by_note(robot)
    if noted is not None:
        return noted
    placed = _place_links(robot)
    by_pairs, doubt = _base_by_pairs(robot, placed)
    if by_pairs is not None:
        return by_pairs
    by_names, split = _base_by_joint_names(robot, placed)
    doubt = doubt or split
    if by_names is not None and Z_NOT_UP not in doubt:
        return by_names._replace(warning=doubt)
    if any("onshape" in comment.lower() for comment in _head_comments(robot)):
        reason = "assumed: a comment says that the file comes from Onshape, where X is right and Y forward"
        warning = doubt or f"{reason}; --base-frame ros if it looks along X"
        return read_base_frame("onshape")._replace(reason=reason, warning=warning, assumed=True)
    reason = f"{REP_103}: no evidence; --base-frame onshape if it was exported from there"
    if doubt:
        reason = f"{REP_103}: the evidence does not decide"
    return read_base_frame("ros")._replace(reason=reason, warning=doubt, assumed=True)


def _base_by_note(robot: Robot) -> Optional[BaseFrame]:
    note = _find_note(robot)
    if note is None:
        return None
    try:
        base = read_base_frame(note.group("words").replace(" ", ","))
    except Unusable:  # it was edited
        return None
    if not note.group("kept"):
        return base._replace(reason="the file says that this tool turned it before")
    if not note.group("assumed"):
        return base._replace(reason="the note of an earlier run says so")
    turns = base.R_new_old != NO_TURN
    warning = f"an earlier run assumed {base.words}: give --base-frame if that is wrong" if turns else ""
    return base._replace(reason="the note of an earlier run says that this was assumed", warning=warning, assumed=True)


def _head_comments(robot: Robot) -> List[str]:
    """Return the comments around the root, and those in it before its first element."""
    root = robot.document.root
    inside = takewhile(lambda node: isinstance(node, str), root.children)
    return [*robot.document.comments(), *(str(node) for node in inside if is_comment(node))]


class _Layout(NamedTuple):
    """Where the links are.

    Attributes:
        T_world: the pose of every link in the world at zero, in the input's axes.
        in_hand: links that are part of a gripper or hand: their names or those of links above say so.
        far: by link with more than NEAR moving joints above it, the link that the first joint beyond leads to.
    """

    T_world: Dict[str, Pose]
    in_hand: Set[str]
    far: Dict[str, str]


def _place_links(robot: Robot) -> _Layout:
    layout = _Layout(poses_at(robot, {}, NO_MOTION), {robot.root} if word_among(HAND, robot.root) else set(), {})
    moving = {robot.root: 0}
    for joint in robot.tree:
        moving[joint.child] = moving[joint.parent] + (joint.type != "fixed")
        if joint.parent in layout.in_hand or word_among(HAND, joint.child):
            layout.in_hand.add(joint.child)
        if moving[joint.child] > NEAR:
            layout.far[joint.child] = layout.far.get(joint.parent, joint.child)
    return layout


def _base_by_pairs(robot: Robot, layout: _Layout) -> Tuple[Optional[BaseFrame], str]:
    """Decide by where left is from right; return the frame if they decide it, and what contradicts it."""
    votes, pairs = _count_votes(robot, layout)
    if pairs < ENOUGH_PAIRS:
        return None, ""
    (axis, sign), agreeing = max(votes.items(), key=lambda vote: vote[1], default=((0, 0), 0))
    side = f"{'+' if sign > 0 else '-'}{'XYZ'[axis]}"
    evidence = f"{agreeing} of {pairs} left/right pairs of links have left at {side}"
    if agreeing < ENOUGH_AGREEMENT * pairs:
        return None, f"the left/right pairs disagree ({evidence}): give --base-frame if it looks the wrong way"
    if axis == 2:
        return None, f"{evidence}, so {Z_NOT_UP}: give --base-frame"
    left = scale(float(sign), UNIT_AXES[axis])
    rows = (cross(left, UNIT_AXES[2]), left, UNIT_AXES[2])  # forward, left, up as seen in the input
    return read_base_frame(_spell(rows))._replace(reason=evidence), ""


def _base_by_joint_names(robot: Robot, layout: _Layout) -> Tuple[Optional[BaseFrame], str]:
    """Decide by the names of joints: pitch, knee and elbow turn about the left axis, roll about the forward axis.

    A name does not say which end of the axis is left: left along Y is taken for ROS's frame, along X for Onshape's.
    """
    along = {"X": 0, "Y": 0}  # where the left axis is
    for joint in robot.tree:
        asked = axis_class(joint.name, {}) if joint.type in ("revolute", "continuous") else None
        if asked is None or asked.others or AXIS_LETTERS[asked.axis] not in along:
            continue
        axis = rotate(layout.T_world[joint.child].rotation, unit(joint.axis))
        for k in (0, 1):
            if abs(axis[k]) >= LEVEL_ENOUGH:
                along["Y" if k == asked.axis else "X"] += 1
    joints, (agreeing, letter) = sum(along.values()), max((count, letter) for letter, count in along.items())
    if not joints:
        return None, ""
    evidence = f"left is along {letter} by {agreeing} of {count_of(joints, 'joint')} named pitch, knee, elbow or roll"
    if agreeing < ENOUGH_AGREEMENT * joints:
        return None, f"the names of joints disagree ({evidence}): give --base-frame if it looks the wrong way"
    base = read_base_frame("ros" if letter == "Y" else "onshape")
    return base._replace(reason=evidence), ""


def _spell(R_new_old: Matrix) -> str:
    """Return the words for a rotation: column k says where input axis k points."""
    return ",".join(
        f"{letter}={next(word for word, direction in DIRECTIONS.items() if norm(subtract(direction, column)) < 0.5)}"
        for letter, column in zip("xyz", transpose(R_new_old))
    )


def _count_votes(robot: Robot, layout: _Layout) -> Tuple[Dict[Tuple[int, int], int], int]:
    """Count, over the left/right pairs of links, along which signed axis left is from right; and the pairs.

    Only pairs that are evidence count: a gripper may point in any direction, and so may what branches at
    the end of an arm.
    """
    votes: Dict[Tuple[int, int], int] = {}
    counted = 0
    for left, right in left_right_pairs([name for name in robot.links if name not in layout.in_hand]):
        difference = _difference(robot.links[left], robot.links[right], layout)
        length = norm(difference)
        part_far = left in layout.far and layout.far[left] == layout.far.get(right)
        if length < COINCIDENT or part_far:
            continue
        counted += 1
        axis = max(range(3), key=lambda k: abs(difference[k]))
        if abs(difference[axis]) > 0.7 * length:
            side = (axis, 1 if difference[axis] > 0.0 else -1)
            votes[side] = votes.get(side, 0) + 1
    return votes, counted


def _difference(left: Link, right: Link, layout: _Layout) -> Vector:
    """Return left minus right of the frame origins, or of the centers of mass where the origins coincide [m]."""
    T_left, T_right = layout.T_world[left.name], layout.T_world[right.name]
    apart = subtract(T_left.translation, T_right.translation)
    return apart if norm(apart) > COINCIDENT else subtract(move(T_left, _center(left)), move(T_right, _center(right)))


def _center(link: Link) -> Vector:
    return link.inertial.properties.center if link.inertial else ZERO
