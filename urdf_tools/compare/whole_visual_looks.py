"""Looks of a whole visual, of visuals that are compared as one surface: gloss, and the materials of simulators;
and the colors of points in whole files.

Tools split and join visuals, so a visual may have no partner. The visuals of each value must be the same surface in both.
"""

from __future__ import annotations

from typing import Iterator, List, Sequence, Set, TYPE_CHECKING, TypeVar

from ..base.number_text import grouped
from ..base.type_aliases import Reals
from .difference_records import ComparisonSettings, Difference
from .joint_differences import differing_values, value_difference
from .placed_shapes import ONLY_A, ONLY_B, OTHER, PlacedShape, SAME, UNKNOWN
from .shape_difference_records import (
    ALL,
    between_shapes,
    one_side_says,
    text_difference,
    unproven_surface,
)

if TYPE_CHECKING:
    from .mesh_comparison import MeshComparison

Value = TypeVar("Value")
Pieces = Sequence[PlacedShape]


def script_differences(
    first: Pieces, second: Pieces, meshes: "MeshComparison"
) -> Iterator[Difference]:
    """Yield different materials of a simulator, which are compared by their names."""
    names = [piece.shape.script for piece in first]
    other_names = [piece.shape.script for piece in second]
    verdict = _compare_by_value(first, names, second, other_names, meshes)
    a = first[0]
    b = second[0]
    if verdict == UNKNOWN:
        yield unproven_surface(a, b, (None, None), "colors")
    if verdict != OTHER:
        return
    if not any(names) or not any(other_names):
        side = ONLY_A if any(names) else ONLY_B
        yield one_side_says(a, b, side)
    elif set(names) == set(other_names):
        yield between_shapes("other_parts", a, b, words=("script",))
    else:
        yield text_difference(a, b, "script", _in_order(names), _in_order(other_names))


def _in_order(names: Sequence[str]) -> str:
    """Return the names of materials in order, for a sentence."""
    return ", ".join(sorted({name for name in names if name}))


def points_differences(
    first: Pieces, second: Pieces, meshes: "MeshComparison"
) -> Iterator[Difference]:
    """Yield the difference that equal point colors are on different parts of a surface, or the note that it is not known.

    The difference is about the surface as a whole, so the first visual of each robot gives its link and line.
    """
    digests = [meshes.points([piece]) for piece in first]
    other_digests = [meshes.points([piece]) for piece in second]
    verdict = _compare_by_value(first, digests, second, other_digests, meshes)
    a = first[0]
    b = second[0]
    if verdict == OTHER:
        yield between_shapes("points", a, b, ALL)
    elif verdict == UNKNOWN:
        yield unproven_surface(a, b, (None, None), "points")


def gloss_differences(
    first: Pieces, second: Pieces, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the values of gloss, by name, that differ on equal parts of a surface."""
    names: Set[str] = set()
    for piece in (*first, *second):
        names.update(piece.shape.surface)
    for name in sorted(names):
        yield from _gloss_difference(first, second, name, settings)


def _gloss_difference(
    first: Pieces, second: Pieces, name: str, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the difference in a value of gloss; a near value of A stands for a value of B, as files round."""
    assert settings.meshes is not None

    def are_near(value: Reals, other: Reals) -> bool:
        return not any(differing_values({name: value}, {name: other}, settings))

    values: List[Reals] = [tuple(piece.shape.surface.get(name, ())) for piece in first]
    others: List[Reals] = []
    for piece in second:
        value = tuple(piece.shape.surface.get(name, ()))
        others.append(next((each for each in values if are_near(each, value)), value))

    verdict = _compare_by_value(first, values, second, others, settings.meshes)
    a = first[0]
    b = second[0]
    if verdict == UNKNOWN:
        yield unproven_surface(a, b, (None, None), "colors")
    if verdict != OTHER:
        return
    if set(values) == set(others):
        yield between_shapes("other_parts", a, b, words=(name.replace("_", " "),))
        return
    value = next((each for each in values if each not in others), values[0])
    other_value = next((each for each in others if each not in values), others[0])
    yield value_difference("surface", a.link, name, value, other_value, a.shape.line, b.shape.line)


def _compare_by_value(
    first: Pieces,
    values: Sequence[Value],
    second: Pieces,
    others: Sequence[Value],
    meshes: "MeshComparison",
) -> str:
    """Return SAME, OTHER or UNKNOWN: whether the visuals of each value are the same surface in A and B."""
    sides = grouped(zip(values, first)), grouped(zip(others, second))
    if sides[0].keys() != sides[1].keys():
        return OTHER
    # With a single value on both sides, the surfaces are known to be the same already.
    if len(sides[0]) == 1:
        return SAME
    verdicts = {meshes.compare(pieces, sides[1][value]).kind for value, pieces in sides[0].items()}
    if OTHER in verdicts:
        return OTHER
    return UNKNOWN if UNKNOWN in verdicts else SAME
