"""The decisions and losses of a run for an export, and the comment in which the export records them (urdf/urdf_notes.py)."""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence, Set, Tuple

from ..base.type_aliases import Texts
from ..base.diagnostics import Diagnostic
from ..compare.difference_records import is_called
from ..compare.joint_differences import actuators_text
from ..formats.export_diagnostics import EXPORT_MISREAD, EXPORT_NEAREST
from ..formats.xml_reader import tops_of
from ..robot.raw_robot import RawJoint, RawRobot
from ..urdf.urdf_notes import (
    Decision,
    decision_text,
    DECISIONS,
    DECISIONS_TITLE,
    LOST,
    note_of_words,
    words_of_note,
)
from .shared_run_values import MARK, reference_of_run
from .export_request import ExportRequest

# For each warning of a value that a simulator would misread: the labels of the differences that compare then finds.
MISREAD: Mapping[str, Texts] = {
    "unbounded": ("effort", "velocity"),
    "locked": ("effort", "velocity"),
    "negative": ("effort", "velocity", "joint"),
    "bounds": ("limit",),
    "in-world": ("frame",),
    "held": ("joint", "base"),
}


def decided_for(
    request: ExportRequest, warnings: Sequence[Diagnostic], written: RawRobot
) -> Tuple[Texts, str]:
    """Return the decisions for an export, as texts, and its comments: the mark of this tool, and all decisions.

    The decisions follow from its warnings, and from the parts that it has in a different form. `written` is the export
    as it was read again.
    """
    decided = [*_of_warnings(warnings), *_other_parts(request, written)]
    of_format = (decision._replace(format=written.format) for decision in decided)
    texts = tuple(dict.fromkeys(map(decision_text, of_format)))
    of_urdf = words_of_note(request.result.after.document, DECISIONS)
    note = note_of_words(DECISIONS_TITLE, (*of_urdf, *texts), "\n", width=0)
    return texts, "\n".join(filter(None, (MARK, note)))


def _of_warnings(warnings: Sequence[Diagnostic]) -> Iterator[Decision]:
    """Yield the tensors that were repaired, and the values that were omitted, as the export's warnings report them."""
    for warning in warnings:
        name = warning.names[0] if warning.names else ""
        if (warning.kind, warning.sentence) == (EXPORT_NEAREST, "point"):
            (moment,) = warning.numbers
            yield Decision("repair", name, ("point",), (moment, 0.0, 0.0, moment, 0.0, moment))
        elif warning.kind is EXPORT_MISREAD and warning.sentence in MISREAD:
            yield Decision(LOST, name, MISREAD[warning.sentence])


def _other_parts(request: ExportRequest, written: RawRobot) -> Iterator[Decision]:
    """Yield joints and sensors with other names than in the URDF of the run, and the parts that the export lacks."""
    reference = reference_of_run(request)
    names = list(_joint_names(reference, written))
    for joint, name in names:
        if name != joint.name:
            yield Decision("joint", joint.child, (joint.name, name))
    kinds = {loop.name: loop.kind for loop in written.loops}
    for loop in reference.loops:
        if kinds.get(loop.name) != loop.kind:
            yield Decision(LOST, loop.name, ("loop",))
    yield from _other_sensors(reference, written)
    for name in _driven_otherwise(request, written, [name for _, name in names]):
        yield Decision(LOST, name, ("actuator",))


def _driven_otherwise(
    request: ExportRequest, written: RawRobot, joints: Sequence[str]
) -> Iterator[str]:
    """Yield the joints with a different actuator than in the input; an input without an actuator loses nothing."""
    reference = reference_of_run(request)
    if not reference.actuators:
        return
    from ..formats.urdf.read_simulator_tags import actuators_in, DRIVING

    # The actuators of the input: those of the result may have another sign of their joints.
    driving = tops_of(request.result.before.document, DRIVING)
    given = reference._replace(actuators=tuple(actuators_in(driving)))
    for name in joints:
        if actuators_text(given, name) not in ("none", actuators_text(written, name)):
            yield name


def _joint_names(reference: RawRobot, written: RawRobot) -> Iterator[Tuple[RawJoint, str]]:
    """Yield each joint with its name in an export; later joints of an equal name get names of their own."""
    children = {joint.child: joint.name for joint in written.joints}
    holders = {frame.name: frame.link for frame in written.frames}  # links that became frames
    given_names = {joint.name for joint in reference.joints}
    names: Set[str] = set()
    for joint in reference.joints:
        name = joint.name
        if name in names:
            new = children.get(holders.get(joint.child, joint.child), name)
            name = name if new in given_names else new
        names.add(joint.name)
        yield joint, name


def _other_sensors(reference: RawRobot, written: RawRobot) -> Iterator[Decision]:
    """Yield sensors that an export lacks, or names differently because the name was taken."""
    expected = {sensor.name for sensor in reference.sensors}
    measuring = {sensor.name: sensor.kind for sensor in written.sensors}
    for sensor in reference.sensors:
        if sensor.name in measuring:
            continue
        renamed = [
            name
            for name, kind in measuring.items()
            if kind == sensor.kind and name not in expected and is_called(name, sensor.name)
        ]
        if renamed:
            yield Decision("sensor_name", sensor.name, (sensor.kind, renamed[0]))
        else:
            yield Decision(LOST, sensor.name, ("sensor",))
