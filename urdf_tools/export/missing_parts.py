"""The parts that a written file lacks or has otherwise, for the verdict of a run: counted in the file as read again."""

from __future__ import annotations

from itertools import chain
from collections import Counter
from typing import Counter as Counts, Iterable, Mapping, Tuple, Iterator

from ..base.diagnostics import Diagnostic
from ..base.type_aliases import Pair, Texts
from ..base.number_text import count_of
from ..compare.robot_comparison import compare
from ..compare.difference_records import ASPECTS, Difference
from ..compare.referenced_file import meant_file
from ..compare.difference_kinds import counts_of_acts, KINDS, SEVERAL
from ..robot.raw_robot import RawRobot, RawShape

MESHES = ("mesh", "meshes")
ROLES = ("visual", "collision")
# Mesh files have other names in an export and are not written yet, so `lacking` counts shapes; surfaces are compared
# only for files with equal names on both sides.
WITHOUT_FILES = frozenset(ASPECTS) - {"meshes", "colors"}
OF_SHAPES = ("shape", "mesh", "color")
# The looks that a warning reports as omitted, by its kind and sentence: a noun and its plural. A missing image is not a
# loss of the export.
IMAGE = ("image", "images")
LOOKS_LEFT_OUT: Mapping[Pair, Pair] = {
    ("export-look", "materials"): ("mesh in several colors", "meshes in several colors"),
    ("export-look", "light"): ("mesh without light", "meshes without light"),
    ("export-look", "points"): ("mesh with colors of points", "meshes with colors of points"),
    ("export-look", "image-damaged"): IMAGE,
    ("export-look", "image-format"): IMAGE,
    ("export-look", "image-no-coordinates"): IMAGE,
    ("export-look", "image-of"): IMAGE,
    ("export-look", "image-unreadable"): IMAGE,
    ("export-left-out", "texture"): IMAGE,
    ("export-left-out", "texture-usd"): IMAGE,
}
# The endings of kinds of differences about a part that only one robot has.
ONLY_GIVEN = ("_only_a", "_missing")
ONLY_WRITTEN = ("_only_b",)


def shape_counts(robot: RawRobot) -> Counts[str]:
    """Return the numbers of visuals and collisions of a robot; a shape of size zero does not count."""
    return Counter(shape.role for shape in _shapes_of(robot) if not shape.sizes or any(shape.sizes))


def _shapes_of(robot: RawRobot) -> Iterator[RawShape]:
    """Return the shapes of all links."""
    return chain.from_iterable(link.shapes for link in robot.links)


def lacking(
    label: str, robot: RawRobot, written: Mapping[str, int], partly_drawn: Iterable[str] = ()
) -> Texts:
    """Return in phrases which shapes a format lacks.

    Args:
        label: the name of the format.
        robot: the robot that the run gives to the format.
        written: the number of shapes of each role in the format.
        partly_drawn: the mesh files that it draws in part.
    """
    wanted = shape_counts(robot)
    phrases = []
    for role in ROLES:
        missing = wanted[role] - written.get(role, 0)
        if missing > 0:
            phrases.append(f"{missing} of {count_of(wanted[role], role)} that {label} lacks")
    partly = set(partly_drawn)
    visuals = [shape for shape in _shapes_of(robot) if shape.role == "visual"]
    cut = sum(shape.file in partly for shape in visuals)
    if cut:
        phrases.append(f"{cut} of {count_of(len(visuals), 'visual')} that {label} shows in part")
    return tuple(phrases)


def unknown_meshes(robot: RawRobot, names: Iterable[str], folders: Tuple[str, str]) -> Texts:
    """Return in a phrase the number of meshes that are not found and whose name may mean a different file for the
    output.

    Args:
        names: the names that are equal in input and output.
        folders: the folders of the input, and of the output.
    """
    before, after = folders
    moved = {name for name in names if meant_file(name, before) != meant_file(name, after)}
    count = sum(shape.file in moved for shape in _shapes_of(robot))
    if not count:
        return ()
    return (f"{count_of(count, *MESHES)} that could not be compared",)


def lost_looks(label: str, warnings: Iterable[Diagnostic]) -> Texts:
    """Return in phrases the looks that the warnings of an export report as omitted."""
    nouns = (LOOKS_LEFT_OUT.get((warning.kind.name, warning.sentence)) for warning in warnings)
    counts = Counter(filter(None, nouns))
    return tuple(f"{count_of(count, *noun)} that {label} lacks" for noun, count in counts.items())


def losses(label: str, given: RawRobot, written: RawRobot, decided: Texts = ()) -> Texts:
    """Return in phrases the differences of two robots by `compare`, without their shapes.

    Args:
        label: the name of the format that was written.
        given: the robot that was to be written.
        written: the robot as it was read again.
        decided: the decisions for the format.
    """
    found = compare(given, written._replace(decided=decided), aspects=WITHOUT_FILES)
    labels = [(KINDS[one.kind].label, one) for one in found.differences]
    counts = Counter((label, _verb(one)) for label, one in labels if label not in OF_SHAPES)
    phrases = [
        f"{count_of(count, noun, SEVERAL.get(noun, noun))} that {label} {verb}"
        for (noun, verb), count in counts.items()
    ]
    return (*counts_of_acts(found.decided), *phrases)


def _verb(difference: Difference) -> str:
    """Return the verb for a part or value that differs: the format lacks it, adds it, or has it otherwise."""
    if difference.kind.endswith(ONLY_GIVEN):
        return "lacks"
    return "adds" if difference.kind.endswith(ONLY_WRITTEN) else "has otherwise"


def read_again_line(label: str, path: str, lacks: Texts) -> str:
    """Return the line on a file that was read again."""
    less = f", but for {', '.join(lacks)}" if lacks else ""
    return f"{label}: {path} is read again and is the same robot{less}"
