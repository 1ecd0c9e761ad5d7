"""The typed model of a run as JSON."""

from __future__ import annotations

import os
from collections import Counter
from itertools import chain
from typing import Counter as Count, Tuple

from ..base.diagnostics import Notes
from ..base.errors import ProofFailed
from ..formats.json.model_json import write_json
from ..formats.json.read_json_model import read_model
from ..formats.urdf.urdf_model_conversion import model_of
from ..formats.urdf.read_urdf import read_urdf_document
from ..model.model_records import RobotRecord
from ..robot.canonical_robot import canonical
from ..robot.raw_robot import RawRobot
from ..run.run_records import ExportedFiles
from ..inputs.moved_file_names import moved_edits
from ..urdf.moved_files import lost_packages
from ..urdf.xml_edits import copy_document
from .shared_run_values import reference_of_run, requested_model, resolver_of, with_text
from .export_proof import verify_same
from .export_request import ExportRequest

# Elements of URDF, whose values are fields of the model.
PARTS = frozenset(
    (
        "robot link joint visual collision geometry material inertial origin axis limit "
        "parent child mimic dynamics safety_controller calibration mass inertia color "
        "texture box sphere cylinder capsule mesh"
    ).split()
)


def export_model(request: ExportRequest) -> ExportedFiles:
    """Return the model as JSON, read again and compared with the text of the URDF.

    Raises:
        ProofFailed: the model differs when it is read again; a fault of this tool.
    """
    path = str(request.choices["model"])
    model, reference, lost = _seen_from(os.path.dirname(os.path.abspath(path)), request)
    text = write_json(model)
    verify_json(text, reference)
    line = f"Model: {path} is read again and is the same robot"
    return ExportedFiles(((path, text.encode("utf-8")),), (line,), lost)


def _seen_from(folder: str, request: ExportRequest) -> Tuple[RobotRecord, RawRobot, Notes]:
    """Return the model of the result and its reference, both with file names relative to a folder, and warnings about
    files that are not found from there.
    """
    result = request.result
    before = resolver_of(request.result, request.path, request.output)
    root = result.after.document.root
    after = before._replace(folder=folder, origin="")
    lost = tuple(lost_packages(root, before, after))
    edits = moved_edits(root, before, os.path.realpath(folder))
    if not edits:
        return requested_model(request), reference_of_run(request), lost
    copy = copy_document(result.after.document)
    for edit in edits:
        copy.copy_of(edit.element).set(edit.attribute, str(edit.value))
    moved = with_text(result, copy.to_bytes()).after
    return model_of(moved), read_urdf_document(moved.document), lost


def verify_json(text: str, robot: RawRobot) -> None:
    """Compare a model as JSON with the robot of a URDF; an element without a field must be in it once, word for word.

    Raises:
        ProofFailed: the robot differs, or has more or fewer elements.
    """
    written = read_model(text)
    verify_same("JSON", canonical(written), canonical(robot))
    for what in ("links", "joints"):
        # Include the joint and link that a comparison leaves out: an empty root and its floating joint.
        names = Counter(part.name for part in getattr(written, what))
        wanted = Counter(part.name for part in getattr(robot, what))
        others = sorted((names - wanted) + (wanted - names))
        if others:
            raise ProofFailed(f"JSON: its {what} have other names: {others}")
    words = _words(robot)
    kept = _words(written)
    for what, rest in (("is lost", words - kept), ("is there without need", kept - words)):
        for tag, _, text in rest:
            # Elements with a field were compared as values.
            if tag not in PARTS:
                raise ProofFailed(f"JSON: <{tag}>{text} {what}")


def _words(robot: RawRobot) -> "Count[Tuple[str, Tuple[Tuple[str, str], ...], str]]":
    """Count elements without a field, without their paths: the rest of a partly read block has moved."""
    words = chain.from_iterable(unread.words for unread in robot.unread)
    return Counter(
        (path.rpartition("/")[2], attributes, text) for path, attributes, text in words if path
    )
