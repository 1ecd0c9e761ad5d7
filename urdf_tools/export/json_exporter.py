"""The typed model of a run as JSON."""

from collections import Counter
from typing import Counter as Count, Sequence, Tuple, Union

from ..base.errors import ProofFailed
from ..formats.json.form import write_json
from ..formats.json.read import read_model
from ..robot.records import RawJoint, RawLink, RawRobot
from ..run.records import Exported
from .from_run import reference_of_run, requested_model
from .proof import verify_same
from .request import ExportRequest

PARTS = (
    "robot",
    "link",
    "joint",
    "visual",
    "collision",
    "geometry",
    "material",
    "inertial",
    "origin",
    "axis",
    "limit",
    "parent",
    "child",
    "mimic",
    "dynamics",
    "safety_controller",
    "calibration",
    "mass",
    "inertia",
    "color",
    "texture",
    "box",
    "sphere",
    "cylinder",
    "capsule",
    "mesh",
)  # of URDF


def export_model(request: ExportRequest) -> Exported:
    """Return the model as JSON, read again and compared with the text of the URDF.

    Raises:
        ProofFailed: it is another when it is read again; a fault of this tool.
    """
    path, text = str(request.choices["model"]), write_json(requested_model(request))
    verify_json(text, reference_of_run(request))
    return Exported(
        ((path, text.encode("utf-8")),), (f"Model: {path} is read again and is the same robot",)
    )


def verify_json(text: str, robot: RawRobot) -> None:
    """Compare a model as JSON with the robot of a URDF; elements without a field are in it once, word for word.

    Raises:
        ProofFailed: it is another robot, or has more or fewer elements.
    """
    written = read_model(text)
    verify_same("JSON", written, robot)
    for what, there, wanted in (
        ("links", _names(written.links), _names(robot.links)),
        ("joints", _names(written.joints), _names(robot.joints)),
    ):
        if there != wanted:
            raise ProofFailed(
                f"JSON: its {what} are called otherwise: {sorted((there - wanted) + (wanted - there))}"
            )
    words, kept = _words(robot), _words(written)
    for what, rest in (("is lost", words - kept), ("is there without need", kept - words)):
        for tag, _, text in rest:
            if tag not in PARTS:
                raise ProofFailed(f"JSON: <{tag}>{text} {what}")


def _names(parts: Sequence[Union[RawLink, RawJoint]]) -> "Count[str]":
    """Count names, also of the joint and link that a comparison leaves out: an empty root and its floating joint."""
    return Counter(part.name for part in parts)


def _words(robot: RawRobot) -> "Count[Tuple[str, Tuple[Tuple[str, str], ...], str]]":
    """Count elements without a field, without their paths: the rest of a block that is read in part has moved."""
    return Counter(
        (path.rpartition("/")[2], attributes, text)
        for unread in robot.unread
        for path, attributes, text in unread.words
        if path
    )
