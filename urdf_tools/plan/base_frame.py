"""Find which way the input looks: the rotation from its world axes to X forward, Y left, Z up."""
import re
from typing import Dict, List, NamedTuple, Optional

from ..base.diagnostics import Diagnostic
from ..base.errors import UsageError
from ..base.kinds import BASE_FRAME
from ..base.version import OWN_NOTE
from ..urdf.model import Robot
from ..urdf.spatial import cross, dot, Matrix, IDENTITY, multiply, scale, transpose, Vector
from .base_evidence import COMMENT, Evidence, find_evidence, find_up, FAINT, name_of_axis

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
BASES = {"+X": NAMED_FRAMES["ros"], "+Y": NAMED_FRAMES["onshape"], "-Y": "x=left,y=back,z=up",
         "-X": "x=back,y=right,z=up"}  # by the axis that is forward, the likely ones first
UPRIGHT = {"+X": "x=up,y=left,z=back", "-X": "x=down,y=left,z=forward", "+Y": "x=forward,y=up,z=right",
           "-Y": "x=forward,y=down,z=left"}  # by the axis that is up
NO_EVIDENCE = ("assumed X forward, Y left, Z up (REP 103): no evidence; --base-frame onshape if it was exported from "
               "there")


class BaseFrame(NamedTuple):
    """The base rotation.

    Attributes:
        R_new_old: from the input's world axes to X forward, Y left, Z up.
        words: where the input's axes point, such as `x=right y=forward z=up`.
        reason: why this was chosen, for the report.
        warning: what contradicts it, if anything does.
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
    parts = dict(part.strip().partition("=")[::2] for part in words.lower().split(","))
    if sorted(parts) != ["x", "y", "z"] or any(word not in DIRECTIONS for word in parts.values()):
        raise UsageError(f"{flag} '{text}': give auto, onshape, ros, or all three of x, y and z, such as "
                         f"x=left,y=back,z=up (the words are {', '.join(DIRECTIONS)})")
    for one, other in ("xy", "xz", "yz"):
        if dot(DIRECTIONS[parts[one]], DIRECTIONS[parts[other]]) != 0.0:
            raise UsageError(f"{flag} '{text}': {one}={parts[one]} and {other}={parts[other]} are along one line")
    columns = (DIRECTIONS[parts["x"]], DIRECTIONS[parts["y"]], DIRECTIONS[parts["z"]])
    if cross(columns[0], columns[1]) != columns[2]:
        opposite = next(word for word, direction in DIRECTIONS.items() if direction == scale(-1.0, columns[2]))
        raise UsageError(f"{flag} '{text}' is not a right-handed frame: with this x and y it is z={opposite}")
    rotation = transpose(columns)
    return BaseFrame(IDENTITY if rotation == IDENTITY else rotation,
                     " ".join(f"{axis}={parts[axis]}" for axis in "xyz"), "as asked with --base-frame")


def turned_before(robot: Robot) -> bool:
    """Return True if the file has the note of an earlier run that reoriented it."""
    note = _find_note(robot)
    return note is not None and not note.group("kept")


def provenance_note(robot: Robot, base: BaseFrame, *, reorient: bool) -> str:
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
    """Find out which way the input looks: the note of an earlier run says it, or else the evidence."""
    noted, up = _base_by_note(robot), find_up(robot)
    if noted is not None or up is None:
        return noted or _choose_front(find_evidence(robot), IDENTITY)
    R_up = read_base_frame(UPRIGHT[up.side]).R_new_old
    upright = _choose_front(find_evidence(robot, R_up), R_up)
    if up.is_sure:
        return upright._replace(reason=f"{up.sentence}; {upright.reason}")
    base = _choose_front(find_evidence(robot), IDENTITY)
    doubt = _doubt("up", up.sentence, upright.words.replace(" ", ","))
    reason = base.reason if base.assumed else f"assumed: {base.reason}"
    return base._replace(reason=reason, warning=doubt, assumed=True)


def _choose_front(evidence: List[Evidence], R_up: Matrix) -> BaseFrame:
    """Choose by the evidence, the most trusted first; of axes for which it is the same, the first of BASES.

    These are axes of what `R_up` turns upright, where that is not the identity; in words they are those of the input.

    The base is sure where something decides, or where kinds agree, one of them on more than a line, and are two more
    than those that contradict. Otherwise it is assumed, and a warning spells both bases that are likely; where only
    weak evidence is there, no line and no comment of Onshape, the base stays.
    """
    bases, names = ({axis: of(axis, R_up) for axis in BASES} for of in (_base_words, name_of_axis))
    evidence = [one for one in evidence if one.decides] or evidence
    best, other = sorted(BASES, key=lambda axis: [axis not in one.forwards for one in evidence])[:2]
    agreeing = [one for one in evidence if best in one.forwards]
    against = [one for one in evidence if one.forwards and best not in one.forwards and one.kind not in FAINT]
    doubt = ", ".join(one.sentence for one in evidence if not one.forwards)
    seen = ", ".join(one.sentence for one in evidence)
    if any(one.decides or one.kind not in FAINT and len(one.forwards) == 1 and len(agreeing) - len(against) >= 2
           for one in agreeing):
        reason = ", ".join(one.sentence for one in agreeing)
        return read_base_frame(bases[best])._replace(reason=reason, warning=_doubt("doubt", doubt) if doubt else None)
    if best != "+X" and all(one.kind != COMMENT and len(one.forwards) < 2 for one in evidence):
        best, other, seen = "+X", best, f"{seen}, too little to turn the base by"
    reason, warning = f"assumed: {seen}" if seen else NO_EVIDENCE, None
    if best != "+X" or any(other in one.forwards for one in evidence):
        (first, front), (second, back) = (("ros" if bases[axis] == BASES["+X"] else bases[axis], names[axis])
                                          for axis in (best, other))
        warning = _doubt("either", reason, first, front, second, back)
    elif doubt:
        warning = _doubt("doubt", reason)
    return read_base_frame(bases[best])._replace(reason=reason, warning=warning, assumed=True)


def _base_words(forward: str, R_up: Matrix) -> str:
    """Return where the axes of the input point, if an axis of what is turned upright is forward."""
    columns = transpose(multiply(read_base_frame(BASES[forward]).R_new_old, R_up))
    words = {direction: word for word, direction in DIRECTIONS.items()}
    return ",".join(f"{axis}={words[column]}" for axis, column in zip("xyz", columns))


def _doubt(sentence: str, *names: str) -> Diagnostic:
    return Diagnostic(BASE_FRAME, 0, sentence, names)


def _base_by_note(robot: Robot) -> Optional[BaseFrame]:
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
    return base._replace(reason="the note of an earlier run says that this was assumed", warning=warning, assumed=True)
