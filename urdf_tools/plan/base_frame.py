"""Find which way the input faces: the rotation from its world axes to X forward, Y left, Z up."""

from __future__ import annotations

import re
from math import fsum
from typing import Dict, Iterable, List, Optional

from ..base.types import Pair
from ..base.diagnostics import Diagnostic
from ..base.errors import UsageError
from ..base.kinds import BASE_FRAME
from ..base.record import Record
from ..base.version import OWN_NOTE
from ..urdf.model import UrdfRobot
from ..urdf.notes import own_notes
from ..urdf.spatial import cross, dot, Matrix, IDENTITY, multiply, scale, transpose, Vector
from .base_evidence import Evidence, find_evidence, find_up, FAINT, name_of_axis

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
# Such as `frames as in the input, assumed x=right y=forward z=up`.
PROVENANCE = (
    OWN_NOTE + rf"(?P<kept>{FRAMES_KEPT}(?:, )?)?(?P<assumed>assumed )?"
    r"(?P<words>x=\w+ y=\w+ z=\w+)?"
)
# By the axis that is forward, the likely ones first.
BASES = {
    "+X": NAMED_FRAMES["ros"],
    "+Y": NAMED_FRAMES["onshape"],
    "-Y": "x=left,y=back,z=up",
    "-X": "x=back,y=right,z=up",
}
# By the axis that is up.
UPRIGHT = {
    "+X": "x=up,y=left,z=back",
    "-X": "x=down,y=left,z=forward",
    "+Y": "x=forward,y=up,z=right",
    "-Y": "x=forward,y=down,z=left",
}
# REP 105, and the root that MoveIt and Gazebo give robots.
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
    # [::2] leaves out the `=` between name and word.
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
    # Column k of R_new_old is where axis k of the input points.
    rotation = transpose(columns)
    return BaseFrame(
        IDENTITY if rotation == IDENTITY else rotation,
        " ".join(f"{axis}={parts[axis]}" for axis in "xyz"),
        "as asked with --base-frame",
    )


def turned_before(robot: UrdfRobot) -> bool:
    """Return True if the file has the note of an earlier run that reoriented it."""
    note = _find_note(robot)
    return note is not None and not note.group("kept")


def provenance_note(robot: UrdfRobot, base: BaseFrame, *, reorient: bool) -> str:
    """Return the note of a run in the file, by which a later run knows the axes of the robot."""
    # Frames that an earlier run turned are canonical, also where this run keeps them.
    if reorient or (turned_before(robot) and base.words == CANONICAL):
        return CANONICAL
    return f"{FRAMES_KEPT}, {'assumed ' if base.assumed else ''}{base.words}"


def note_of_earlier_run(robot: UrdfRobot) -> str:
    """Return the `provenance_note` of an earlier run, "" if the file has none."""
    note = _find_note(robot)
    return note.string.partition(": ")[2] if note is not None else ""


def _find_note(robot: UrdfRobot) -> "Optional[re.Match[str]]":
    """Return the note of an earlier run with the axes of the robot, if the file has one."""
    notes = [re.fullmatch(PROVENANCE, note) for note in own_notes(robot.document, OWN_NOTE)]
    return next((note for note in notes if note is not None and note.group("words")), None)


def find_base_frame(robot: UrdfRobot) -> BaseFrame:
    """Find the axes of the input: by the note of an earlier run, or else by the evidence."""
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
    """Return why the root is a frame in which programs plan, so that it must not turn; "" if it is the robot's own."""
    root = robot.root
    link = robot.links[root]
    if link.inertial is not None or link.shapes:
        return ""
    if root in PLANNING_FRAMES:
        return f"'{root}' is a frame in which programs plan"
    # From the leaves to the root: the links behind which something moves.
    moving = set()
    for joint in reversed(robot.tree):
        if joint.type != "fixed" or joint.child in moving:
            moving.add(joint.parent)
    held = [
        joint
        for joint in robot.tree
        if joint.parent == root and joint.type == "fixed" and joint.child in moving
    ]
    return f"'{root}' holds {len(held)} robots" if len(held) > 1 else ""


def _base_by_evidence(robot: UrdfRobot) -> BaseFrame:
    up = find_up(robot)
    if up is None:
        return _choose_front(find_evidence(robot), IDENTITY)
    R_up = read_base_frame(UPRIGHT[up.side]).R_new_old
    upright = _choose_front(find_evidence(robot, R_up), R_up)
    if up.is_sure:
        return upright._replace(reason=f"{up.sentence}; {upright.reason}")
    # One witness alone says so: keep the axes, and warn. A front that is found around a wrong up would be wrong, too.
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


def _choose_front(evidence: List[Evidence], R_up: Matrix) -> BaseFrame:
    """Choose the forward axis by the evidence, the most trusted first; of equal axes the first of BASES.

    These are axes of the robot as `R_up` turns it upright; words and sentences name those of the input.

    The base is sure where something decides, or where kinds agree, one of them on a single axis, and are two more than
    those that contradict. Otherwise it is assumed, and a warning names both likely bases; where the evidence is weak,
    the base stays.
    """
    # Evidence that decides silences all other.
    evidence = [clue for clue in evidence if clue.decides] or evidence
    # The most trusted clue that prefers one axis to another is asked first, then the next.
    order = sorted(BASES, key=lambda axis: [axis not in clue.forwards for clue in evidence])
    best, other = order[:2]
    doubt = _sentences(clue for clue in evidence if not clue.forwards)
    if _is_sure(best, evidence):
        reason = _sentences(clue for clue in evidence if best in clue.forwards)
        base = read_base_frame(_base_words(best, R_up))
        return base._replace(reason=reason, warning=_doubt("doubt", doubt) if doubt else None)

    seen = _sentences(evidence)
    if best != "+X" and _is_weak(best, evidence):
        best, other, seen = "+X", best, f"{seen}, too little to turn the base by"
    reason = f"assumed: {seen}" if seen else NO_EVIDENCE
    warning = None
    if best != "+X" or any(other in clue.forwards for clue in evidence):
        warning = _doubt(
            "either", reason, *_option_and_axis(best, R_up), *_option_and_axis(other, R_up)
        )
    elif doubt:
        warning = _doubt("doubt", reason)
    base = read_base_frame(_base_words(best, R_up))
    return base._replace(reason=reason, warning=warning, assumed=True)


def _sentences(clues: Iterable[Evidence]) -> str:
    return ", ".join(clue.sentence for clue in clues)


def _is_sure(axis: str, evidence: List[Evidence]) -> bool:
    """Return True if the evidence makes sure that an axis is forward."""
    agreeing = [clue for clue in evidence if axis in clue.forwards]
    if any(clue.decides for clue in agreeing):
        return True
    # One clue alone may be a wrong name: it needs a second kind of evidence, and more for it than against it.
    strong = [clue for clue in evidence if clue.kind not in FAINT and clue.forwards]
    against = [clue for clue in strong if axis not in clue.forwards]
    on_one_axis = any(clue in agreeing and len(clue.forwards) == 1 for clue in strong)
    if axis != "+X" and len(_against_staying(axis, evidence)) < 2:
        return False
    return on_one_axis and len(agreeing) - len(against) >= 2


def _against_staying(axis: str, evidence: List[Evidence]) -> List[Evidence]:
    """Return the evidence that an axis is forward, and that +X is not.

    Joints called pitch that turn about Y, and axles along Y, agree with both ends of X: of a half turn they say nothing.
    """
    return [clue for clue in evidence if axis in clue.forwards and "+X" not in clue.forwards]


def _is_weak(axis: str, evidence: List[Evidence]) -> bool:
    """Return True if the evidence is too little to turn a base by, so that `axis` is forward.

    Enough is a line that joints show by their names, or wheels by their axles, if at least two witnesses agree on the
    axis: one joint may be called pitch wherever it is mounted. A comment of Onshape is one witness.
    """
    turning = _against_staying(axis, evidence)
    has_line = any(len(clue.forwards) > 1 for clue in turning)
    return not has_line or fsum(clue.witnesses for clue in turning) < 2


def _option_and_axis(axis: str, R_up: Matrix) -> Pair:
    """Return what to give to --base-frame if an axis is forward, and the name of the axis in the input."""
    words = _base_words(axis, R_up)
    option = next((name for name, frame in NAMED_FRAMES.items() if frame == words), words)
    return option, name_of_axis(axis, R_up)


def _base_words(forward: str, R_up: Matrix) -> str:
    """Return the directions of the axes of the input, if `forward` is forward after the rotation `R_up`."""
    # Entries are exactly 0, 1 or -1, so that columns can be looked up.
    columns = transpose(multiply(read_base_frame(BASES[forward]).R_new_old, R_up))
    words = {direction: word for word, direction in DIRECTIONS.items()}
    return ",".join(f"{axis}={words[column]}" for axis, column in zip("xyz", columns))


def _doubt(sentence: str, *names: str) -> Diagnostic:
    return Diagnostic(BASE_FRAME, 0, sentence, names)


def _base_by_note(robot: UrdfRobot) -> Optional[BaseFrame]:
    note = _find_note(robot)
    if note is None:
        return None
    try:
        base = read_base_frame(note.group("words").replace(" ", ","))
    except UsageError:  # it was edited
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
