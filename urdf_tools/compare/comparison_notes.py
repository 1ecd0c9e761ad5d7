"""Notes on the values that a comparison cannot compare or identify; no note affects the verdict."""

from __future__ import annotations

from typing import AbstractSet, Iterator, List, Mapping, Sequence

from ..base.number_text import count_of
from ..formats.format_values import FormatLoss, THINGS
from ..robot.raw_robot import RawRobot
from .difference_records import ComparisonSettings
from .robot_map import RobotMap
from .unread_elements import unread_notes
from .used_values import has_value

LONGEST_ACRONYM = 4  # letters of URDF, MJCF, JSON


def notes_of_readers(a: RawRobot, b: RawRobot) -> List[str]:
    """Return the notes of the readers on each file, with its side."""
    return [f"{side}: {note}" for side, robot in (("A", a), ("B", b)) for note in robot.notes]


def notes_of_map(
    robots: RobotMap, settings: ComparisonSettings, losses: Mapping[str, Sequence[FormatLoss]]
) -> List[str]:
    """Return notes on values of either robot that cannot be compared, in the order in which they are shown.

    An export has all parts of its input by name, so it gets only the notes on its root and on what a format lacks.
    `losses` has, by format, the values that the format cannot express.
    """
    notes = []
    if robots.b.root:
        notes.append(
            f"B is started from its link '{robots.b.root}': a free robot has no first link"
        )
    if not settings.complete:
        notes += _notes_on_parts_of_one_file(robots, settings)
        notes += unread_notes(robots, settings.tolerances)
    return [*notes, *_inexpressible(robots.a.raw, robots.b.raw, losses)]


def _notes_on_parts_of_one_file(robots: RobotMap, settings: ComparisonSettings) -> Iterator[str]:
    """Yield notes on frames, links beside the robot, and actuators that only one file has."""
    note_on_frames = _frames_apart(robots)
    if note_on_frames:
        yield note_on_frames
    aside = ", ".join(sorted(_links_aside(robots)))
    if aside:
        yield f"fixed in the world beside a robot that floats, and not compared: {aside}"
    driven = [side for side, raw in (("A", robots.a.raw), ("B", robots.b.raw)) if raw.actuators]
    if len(driven) == 1 and settings.compares("actuators"):
        yield f"only {driven[0]} says what drives its joints"


def _links_aside(robots: RobotMap) -> AbstractSet[str]:
    """Return the links of either robot that no body has: mere frames above the floating joint of a free robot.

    `canonical` leaves them out.
    """
    aside = set()
    for robot in (robots.a, robots.b):
        children = {joint.child for joint in robot.raw.joints}
        aside |= children - robot.body_of.keys()
    return aside


def _inexpressible(
    a: RawRobot, b: RawRobot, losses: Mapping[str, Sequence[FormatLoss]]
) -> Iterator[str]:
    """Yield notes on values of either robot that either format cannot express."""
    for format in dict.fromkeys((a.format, b.format)):
        things = [
            THINGS.get(loss.what, loss.what.replace("_", " "))
            for loss in losses.get(format, ())
            if has_value(a, loss.what) or has_value(b, loss.what)
        ]
        if things:
            name = format.upper() if len(format) <= LONGEST_ACRONYM else format
            yield f"not compared, as {name} cannot express it: {', '.join(things)}"


def _frames_apart(robots: RobotMap) -> str:
    """Return a note on the number of frames in only one file, "" without any.

    A run may have merged them, so they are not a difference.
    """
    counts = []
    for robot, other in ((robots.a, robots.b), (robots.b, robots.a)):
        frames = {frame.name for frame in robot.frames if frame.kind != "link"}
        # A frame of one file may be a link without mass in the other: then it is not missing.
        frames_and_links = {frame.name for frame in other.frames}
        counts.append(len(frames - frames_and_links))
    return " and ".join(
        f"{count_of(count, 'frame')} only in {side}" for count, side in zip(counts, "AB") if count
    )
