"""How many shapes a written file lacks, for the verdict of a run: counted in the file as it was read again."""

from __future__ import annotations

from collections import Counter
from typing import Counter as Counts, Iterable, Mapping

from ..base.types import Texts
from ..base.number_text import count_of
from ..robot.records import RawRobot

ROLES = ("visual", "collision")


def shape_counts(robot: RawRobot) -> Counts[str]:
    """Return how many visuals and collisions a robot has."""
    return Counter(shape.role for link in robot.links for shape in link.shapes)


def lacking(
    label: str, robot: RawRobot, written: Mapping[str, int], partly_drawn: Iterable[str] = ()
) -> Texts:
    """Return in phrases which shapes a format lacks.

    Args:
        label: the name of the format.
        robot: what the run gives it.
        written: how many shapes of each role it has.
        partly_drawn: the mesh files that it draws in part.
    """
    wanted = shape_counts(robot)
    phrases = []
    for role in ROLES:
        missing = wanted[role] - written.get(role, 0)
        if missing > 0:
            phrases.append(f"{missing} of {count_of(wanted[role], role)} that {label} lacks")
    partly = set(partly_drawn)
    visuals = [shape for link in robot.links for shape in link.shapes if shape.role == "visual"]
    cut = sum(shape.file in partly for shape in visuals)
    if cut:
        phrases.append(f"{cut} of {count_of(len(visuals), 'visual')} that {label} shows in part")
    return tuple(phrases)


def read_again_line(label: str, path: str, lacks: Texts) -> str:
    """Return the line on a file that was read again."""
    less = f", but for {', '.join(lacks)}" if lacks else ""
    return f"{label}: {path} is read again and is the same robot{less}"
