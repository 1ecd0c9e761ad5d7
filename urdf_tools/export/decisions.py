"""What a run decided for an export, and the comment in which the export says it (urdf/notes.py)."""

from __future__ import annotations

from contextlib import suppress
from typing import Callable, Dict, Iterator, List, Mapping, Sequence, Set, Tuple, Union

from ..base.types import Pair, Texts
from ..base.diagnostics import Diagnostic
from ..base.errors import UrdfError
from ..base.files import read_file
from ..compare.differences import is_called
from ..compare.joint_differences import actuators_text
from ..formats.kinds import EXPORT_MISREAD, EXPORT_NEAREST
from ..formats.xml_text import tops_of
from ..robot.canonical import canonical
from ..robot.records import RawJoint, RawRobot
from ..urdf.notes import (
    Decision,
    decision_text,
    DECISIONS,
    DECISIONS_TITLE,
    note_of_words,
    words_of_note,
)
from .from_run import MARK, reference_of_run
from .request import ExportRequest

COLLISION = "collision "  # how the line of collisions that were replaced begins
EXPORT_DECISIONS = {  # kinds of decisions by what warns of them
    (EXPORT_MISREAD, "unbounded"): "value",
    (EXPORT_MISREAD, "locked"): "value",
    (EXPORT_MISREAD, "negative"): "value",
    (EXPORT_MISREAD, "bounds"): "limits",
    (EXPORT_MISREAD, "held"): "held",
    (EXPORT_NEAREST, "point"): "tensor",
}


def read_again(text: str) -> RawRobot:
    """Return the robot of an export as whoever compares it reads it."""
    from ..compare.read import read_bytes

    return read_bytes(text.encode(), "")


def decided_for(
    request: ExportRequest,
    warnings: Sequence[Diagnostic],
    written: RawRobot,
    again: Callable[[], RawRobot],
    files: Mapping[str, Union[str, bytes, None]],
) -> Tuple[Texts, str]:
    """Return the decisions for an export, as texts, and its comments: the mark of this tool, and all decisions.

    The decisions follow from its warnings, and from the parts that it has in another form. `written`
    is its text as it was read again, and `again` reads it as whoever compares it does. `files` are
    the meshes that it names: where they are now, or their bytes.
    """
    of_urdf = [*words_of_note(request.result.after.document, DECISIONS)]
    replaced = [line for line in of_urdf if line.startswith(COLLISION)]
    decided: List[Decision] = []
    for warning in warnings:
        kind = EXPORT_DECISIONS.get((warning.kind, warning.sentence), "")
        if kind:
            # The last of the names is the format.
            name, *words, _ = warning.names
            decided.append(Decision(kind, name, tuple(words), warning.numbers))
    reference = reference_of_run(request)
    given = reference
    if reference.actuators:
        from ..formats.urdf.simulators import actuators_in, DRIVING

        driving = tops_of(request.result.before.document, DRIVING)
        given = reference._replace(actuators=tuple(actuators_in(driving)))
    decided += _other_parts(given, reference, written, again)
    # A joint of <gazebo> that closes a loop there holds no part: it is none of the tree.
    closing = {decision.name for decision in decided if decision.kind == "loop"}
    decided = [each for each in decided if each.kind != "held" or each.words[0] not in closing]
    decided += _other_collisions(replaced, again(), files) if replaced else ()
    texts = tuple(decision_text(decision._replace(format=written.format)) for decision in decided)
    note = note_of_words(
        DECISIONS_TITLE,
        [*(line for line in of_urdf if line not in replaced), *texts],
        "\n",
        width=0,
    )
    return texts, "\n".join(filter(None, (MARK, note)))


def _other_parts(
    given: RawRobot, reference: RawRobot, written: RawRobot, again: Callable[[], RawRobot]
) -> Iterator[Decision]:
    """Yield joints, frames, loops, sensors and actuators that an export has otherwise than the URDF of the run.

    `given` has the actuators of the input, which count its joints; `again` reads the export as others do.
    """
    driven: Dict[Pair, List[str]] = {}
    for joint, name in _joint_names(reference, written):
        if name != joint.name:
            yield Decision("joint", joint.child, (joint.name, name))
        driven.setdefault((actuators_text(given, name), actuators_text(written, name)), []).append(
            name
        )
    root = next(
        link.name
        for link in reference.links
        if all(joint.child != link.name for joint in reference.joints)
    )
    if written.format == "sdf" and (root, "world") in (
        (frame.name, frame.link) for frame in written.frames
    ):
        # With which all frames of a model go.
        first, places = written.links[1:2], canonical(written).body_of
        yield from (
            Decision("frame", root, (link.name,)) for link in first if places[link.name] != 0
        )
    kinds = {loop.name: loop.kind for loop in written.loops}
    yield from (
        Decision("loop", loop.name, (loop.kind, kinds.get(loop.name, "none")))
        for loop in reference.loops
        if kinds.get(loop.name) != loop.kind
    )
    yield from _other_sensors(reference, written)
    copied = (
        path for unread in reference.unread if not unread.reference for path, _, _ in unread.words
    )
    if written.format == "sdf" and "gazebo/joint" in copied:
        # A text that names frames of other models is read by nobody alone.
        with suppress(UrdfError):
            yield from _copied_loops(written, again())
    yield from (
        Decision("actuator", new, (old, *joints))
        for (old, new), joints in driven.items()
        if new != old
    )


def _joint_names(reference: RawRobot, written: RawRobot) -> Iterator[Tuple[RawJoint, str]]:
    """Yield each joint with its name in an export; of several with one name each later one gets its own."""
    children = {joint.child: joint.name for joint in written.joints}
    holders = {frame.name: frame.link for frame in written.frames}  # of links that became frames
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
    """Yield sensors that an export lacks, or has by a name that was free."""
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
            yield Decision("no_sensor", sensor.name, (sensor.kind,))


def _copied_loops(written: RawRobot, read: RawRobot) -> Iterator[Decision]:
    """Yield joints of `<gazebo>` that close loops in SDF, which has them as they are; its proof reads it without them."""
    known = {loop.name for loop in written.loops}
    for loop in read.loops:
        if loop.name not in known:
            yield Decision("loop", loop.name, ("none", loop.kind))


def _other_collisions(
    replaced: Sequence[str], written: RawRobot, files: Mapping[str, Union[str, bytes, None]]
) -> Iterator[Decision]:
    """Yield the collisions that were replaced in the URDF, by a digest of those of the export."""
    from ..compare.decided import collisions_of, read_decision

    def data_of(name: str) -> bytes:
        file = files.get(name)
        return read_file(file) if isinstance(file, str) else file or b""

    named = written.with_shapes(lambda shape: shape._replace(path=shape.file))
    for decision in map(read_decision, replaced):
        before, _, *links = decision.words
        with suppress(ValueError):
            now, count = collisions_of(named, (decision.name,), data_of)
            yield decision._replace(
                words=(before, now, *links), numbers=(decision.numbers[0], count)
            )
