"""The orientation of the input: the rotation from its world axes to X forward, Y left, Z up."""

from __future__ import annotations

import re
from math import fsum
from typing import Dict, Iterable, List, Optional

from ..base.type_aliases import Pair
from ..base.diagnostics import Diagnostic
from ..base.errors import UsageError
from ..base.run_diagnostics import BASE_FRAME
from ..base.record_type import Record
from ..base.version import OWN_NOTE
from ..urdf.urdf_records import UrdfRobot
from ..urdf.urdf_notes import own_notes
from ..urdf.spatial_math import cross, dot, Matrix, IDENTITY, multiply, scale, transpose, Vector
from .up_and_forward_evidence import ForwardEvidence, find_evidence, find_up, FAINT, name_of_axis

DIRECTIONS: Dict[str, Vector] = {
    "forward": (1.0, 0.0, 0.0),
    "back": (-1.0, 0.0, 0.0),
    "left": (0.0, 1.0, 0.0),
    "right": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
}
NAMED_FRAMES = {"onshape": "x=right,y=forward,z=up", "ros": "x=forward,y=left,z=up"}
CANONICAL = "x=forward y=left z=up"
FRAMES_KEPT = "frames as in the input"
# For example `frames as in the input, assumed x=right y=forward z=up`.
PROVENANCE = (
    OWN_NOTE + rf"(?P<kept>{FRAMES_KEPT}(?:, )?)?(?P<assumed>assumed )?"
    r"(?P<words>x=\w+ y=\w+ z=\w+)?"
)
# By forward axis, the most likely first.
BASES = {
    "+X": NAMED_FRAMES["ros"],
    "+Y": NAMED_FRAMES["onshape"],
    "-Y": "x=left,y=back,z=up",
    "-X": "x=back,y=right,z=up",
}
# By upward axis.
UPRIGHT = {
    "+X": "x=up,y=left,z=back",
    "-X": "x=down,y=left,z=forward",
    "+Y": "x=forward,y=up,z=right",
    "-Y": "x=forward,y=down,z=left",
}
# The frames of REP 105, and the root that MoveIt and Gazebo add to robots.
PLANNING_FRAMES = ("world", "map", "odom", "earth", "base_footprint")
NO_EVIDENCE = (
    "assumed X forward, Y left, Z up (REP 103): no evidence; --base-frame onshape if it was exported from "
    "there"
)


class BaseFrame(Record):
    """The base rotation.

    Attributes:
        R_new_old: from the input's world axes to X forward, Y left, Z up.
        words: where the input's axes point, such as `x=right y=forward z=up`.
        reason: why this was chosen, for the report.
        warning: evidence against it, or doubt.
        assumed: True if nothing in the file decides it.
    """

    R_new_old: Matrix
    words: str
    reason: str
    warning: Optional[Diagnostic] = None
    assumed: bool = False


def read_base_frame(text: str, flag: str = "--base-frame") -> BaseFrame:
    """Read `onshape`, `ros` or words such as `x=left,y=back,z=up`; messages call the option `flag`.

    Raises:
        UsageError: words that are unknown, missing, or not a right-handed frame.
    """
    words = NAMED_FRAMES.get(text, text)
    # The slice [::2] drops the `=` between name and word.
    parts = dict(part.strip().partition("=")[::2] for part in words.lower().split(","))
    if sorted(parts) != ["x", "y", "z"] or any(word not in DIRECTIONS for word in parts.values()):
        raise UsageError(
            f"{flag} '{text}': give auto, onshape, ros, or all three of x, y and z, such as "
            f"x=left,y=back,z=up (the words are {', '.join(DIRECTIONS)})"
        )
    for first, second in ("xy", "xz", "yz"):
        if dot(DIRECTIONS[parts[first]], DIRECTIONS[parts[second]]) != 0.0:
            raise UsageError(
                f"{flag} '{text}': {first}={parts[first]} and {second}={parts[second]} are along one line"
            )
    columns = (DIRECTIONS[parts["x"]], DIRECTIONS[parts["y"]], DIRECTIONS[parts["z"]])
    if cross(columns[0], columns[1]) != columns[2]:
        opposite = next(
            word for word, direction in DIRECTIONS.items() if direction == scale(-1.0, columns[2])
        )
        raise UsageError(
            f"{flag} '{text}' is not a right-handed frame: with this x and y it is z={opposite}"
        )
    # Column k of R_new_old is the direction of the input's axis k.
    rotation = transpose(columns)
    return BaseFrame(
        IDENTITY if rotation == IDENTITY else rotation,
        " ".join(f"{axis}={parts[axis]}" for axis in "xyz"),
        "as asked with --base-frame",
    )


def turned_before(robot: UrdfRobot) -> bool:
    """Return True if the file has a note of an earlier run that reoriented it."""
    note = _find_note(robot)
    return note is not None and not note.group("kept")


def provenance_note(robot: UrdfRobot, base: BaseFrame, *, reorient: bool) -> str:
    """Return the note that this run writes into the file; it tells a later run the axes of the robot."""
    # The frames are canonical if this run or an earlier one turned them.
    if reorient or (turned_before(robot) and base.words == CANONICAL):
        return CANONICAL
    return f"{FRAMES_KEPT}, {'assumed ' if base.assumed else ''}{base.words}"


def note_of_earlier_run(robot: UrdfRobot) -> str:
    """Return the `provenance_note` of an earlier run, or "" if the file has none."""
    note = _find_note(robot)
    return note.string.partition(": ")[2] if note is not None else ""


def _find_note(robot: UrdfRobot) -> "Optional[re.Match[str]]":
    """Return the note of an earlier run with the axes of the robot, or None."""
    notes = [re.fullmatch(PROVENANCE, note) for note in own_notes(robot.document, OWN_NOTE)]
    return next((note for note in notes if note is not None and note.group("words")), None)


def find_base_frame(robot: UrdfRobot) -> BaseFrame:
    """Return the axes of the input: from the note of an earlier run, or else from the evidence."""
    noted = _base_by_note(robot)
    if noted is not None:
        return noted
    base = _base_by_evidence(robot)
    planning_frame = why_planning_frame(robot)
    if not planning_frame or base.R_new_old == IDENTITY:
        return base
    option = base.words.replace(" ", ",")
    return BaseFrame(
        R_new_old=IDENTITY,
        words=CANONICAL,
        reason=f"{planning_frame}: it stays; {base.reason} (--base-frame {option} turns it)",
    )


def why_planning_frame(robot: UrdfRobot) -> str:
    """Return the reason why the root is a planning frame that must not turn, or "" if it belongs to the robot."""
    root = robot.root
    link = robot.links[root]
    if link.inertial is not None or link.shapes:
        return ""
    if root in PLANNING_FRAMES:
        return f"'{root}' is a frame in which programs plan"
    # From the leaves to the root, so that `moving` gets all links with a moving joint among their descendants.
    moving = set()
    for joint in reversed(robot.tree):
        if joint.type != "fixed" or joint.child in moving:
            moving.add(joint.parent)
    joints_of_robots = [
        joint
        for joint in robot.tree
        if joint.parent == root and joint.type == "fixed" and joint.child in moving
    ]
    return f"'{root}' holds {len(joints_of_robots)} robots" if len(joints_of_robots) > 1 else ""


def _base_by_evidence(robot: UrdfRobot) -> BaseFrame:
    """Return the base frame by the evidence for up, then for front; the base stays if up is not sure."""
    up = find_up(robot)
    if up is None:
        return _choose_front(find_evidence(robot), IDENTITY)
    R_up = read_base_frame(UPRIGHT[up.side]).R_new_old
    upright = _choose_front(find_evidence(robot, R_up), R_up)
    if up.is_sure:
        return upright._replace(reason=f"{up.sentence}; {upright.reason}")
    # There is a single witness for up: keep the axes and warn. A front found with a wrong up would be wrong too.
    base = _choose_front(find_evidence(robot), IDENTITY)
    lying = upright.words.replace(" ", ",")
    reason = base.reason if base.assumed else f"assumed: {base.reason}"
    if base.R_new_old == IDENTITY:
        return base._replace(reason=reason, warning=_doubt("up", up.sentence, lying), assumed=True)
    front = base.words.replace(" ", ",")
    return BaseFrame(
        R_new_old=IDENTITY,
        words=CANONICAL,
        reason=f"assumed: {up.sentence}, but nothing else says so, so that the base stays",
        warning=_doubt("up-or-front", up.sentence, lying, front),
        assumed=True,
    )


def _choose_front(evidence: List[ForwardEvidence], R_up: Matrix) -> BaseFrame:
    """Choose the forward axis by the evidence, the most trusted kind first; ties go to the first axis of BASES.

    The axes are the robot's after `R_up` turned it upright; words and sentences name the axes of the input.

    The base is sure if some evidence decides it. It is also sure if several kinds agree, at least one of them on a
    single axis, and outnumber the contradicting kinds by two. Otherwise it is assumed, and a warning names both likely
    bases. If the evidence is weak, the base stays.
    """
    # Evidence that decides overrides all other.
    evidence = [clue for clue in evidence if clue.decides] or evidence
    # The most trusted clue that distinguishes two axes orders them, then the next clue.
    order = sorted(BASES, key=lambda axis: [axis not in clue.forwards for clue in evidence])
    best, second_best = order[:2]
    doubt = _joined_clauses(clue for clue in evidence if not clue.forwards)
    if _is_sure(best, evidence):
        reason = _joined_clauses(clue for clue in evidence if best in clue.forwards)
        base = read_base_frame(_base_words(best, R_up))
        return base._replace(reason=reason, warning=_doubt("doubt", doubt) if doubt else None)

    reasons = _joined_clauses(evidence)
    if best != "+X" and _is_weak(best, evidence):
        best, second_best, reasons = "+X", best, f"{reasons}, too little to turn the base by"
    reason = f"assumed: {reasons}" if reasons else NO_EVIDENCE
    warning = None
    if best != "+X" or any(second_best in clue.forwards for clue in evidence):
        warning = _doubt(
            "either", reason, *_option_and_axis(best, R_up), *_option_and_axis(second_best, R_up)
        )
    elif doubt:
        warning = _doubt("doubt", reason)
    base = read_base_frame(_base_words(best, R_up))
    return base._replace(reason=reason, warning=warning, assumed=True)


def _joined_clauses(clues: Iterable[ForwardEvidence]) -> str:
    """Return the clauses of all evidence in one sentence, parted by commas."""
    return ", ".join(clue.sentence for clue in clues)


def _is_sure(axis: str, evidence: List[ForwardEvidence]) -> bool:
    """Return True if the evidence is enough to be sure of a forward axis."""
    agreeing = [clue for clue in evidence if axis in clue.forwards]
    if any(clue.decides for clue in agreeing):
        return True
    # A single clue may be a wrong name: require a second kind, and more evidence for the axis than against it.
    strong = [clue for clue in evidence if clue.kind not in FAINT and clue.forwards]
    against = [clue for clue in strong if axis not in clue.forwards]
    on_one_axis = any(clue in agreeing and len(clue.forwards) == 1 for clue in strong)
    if axis != "+X" and len(_against_staying(axis, evidence)) < 2:
        return False
    return on_one_axis and len(agreeing) - len(against) >= 2


def _against_staying(axis: str, evidence: List[ForwardEvidence]) -> List[ForwardEvidence]:
    """Return the evidence for an axis that excludes +X.

    Joints called pitch that turn about Y, and axles along Y, agree with both ends of X: they do not show a half turn.
    """
    return [clue for clue in evidence if axis in clue.forwards and "+X" not in clue.forwards]


def _is_weak(axis: str, evidence: List[ForwardEvidence]) -> bool:
    """Return True if the evidence for `axis` is too weak to turn the base.

    Enough is a line shown by names of joints or axles of wheels, if at least two witnesses agree on the axis: a single
    joint may be called pitch wherever it is mounted. A comment of Onshape is one witness.
    """
    turning = _against_staying(axis, evidence)
    has_line = any(len(clue.forwards) > 1 for clue in turning)
    return not has_line or fsum(clue.witnesses for clue in turning) < 2


def _option_and_axis(axis: str, R_up: Matrix) -> Pair:
    """Return the value of --base-frame for a forward axis, and the name of the axis in the input."""
    words = _base_words(axis, R_up)
    option = next((name for name, frame in NAMED_FRAMES.items() if frame == words), words)
    return option, name_of_axis(axis, R_up)


def _base_words(forward: str, R_up: Matrix) -> str:
    """Return the directions of the input's axes, if `forward` is the forward axis after the rotation `R_up`."""
    # All entries are exactly 0, 1 or -1, so columns can be looked up.
    columns = transpose(multiply(read_base_frame(BASES[forward]).R_new_old, R_up))
    words = {direction: word for word, direction in DIRECTIONS.items()}
    return ",".join(f"{axis}={words[column]}" for axis, column in zip("xyz", columns))


def _doubt(sentence: str, *names: str) -> Diagnostic:
    """Return a warning that the base frame is not sure."""
    return Diagnostic(BASE_FRAME, 0, sentence, names)


def _base_by_note(robot: UrdfRobot) -> Optional[BaseFrame]:
    """Return the base frame that the note of an earlier run declares, None without a readable note."""
    note = _find_note(robot)
    if note is None:
        return None
    try:
        base = read_base_frame(note.group("words").replace(" ", ","))
    # The note was edited by hand.
    except UsageError:
        return None
    if not note.group("kept"):
        return base._replace(reason="the file says that this tool turned it before")
    if not note.group("assumed"):
        return base._replace(reason="the note of an earlier run says so")
    turns = base.R_new_old != IDENTITY
    warning = _doubt("noted", base.words) if turns else None
    return base._replace(
        reason="the note of an earlier run says that this was assumed",
        warning=warning,
        assumed=True,
    )
