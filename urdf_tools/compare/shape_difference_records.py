"""Records of differences between two shapes, and tests for drawn shapes and for names of the same file."""

from __future__ import annotations

from typing import Optional, Tuple

from ..base.type_aliases import Texts
from .difference_records import ComparisonSettings, Difference, Shown
from .referenced_file import meant_file
from .placed_shapes import PlacedShape, shape_words

MESH = "mesh"
BOX = "box"
# The size of a difference without a number: the whole look differs.
ALL = 1.0


def between_shapes(
    kind: str,
    a: PlacedShape,
    b: PlacedShape,
    size: Optional[float] = None,
    unit: str = "",
    values: Tuple[Shown, Shown] = (None, None),
    words: Texts = (),
) -> Difference:
    """Return a difference of two shapes; its sentence has the link and the shape of A, then the words."""
    value, other_value = values
    # A sentence has the size only where there is one.
    numbers = () if size is None else (size,)
    return Difference(
        kind=kind,
        where=a.link,
        size=size or 0.0,
        unit=unit,
        a=value,
        b=other_value,
        names=(a.link, shape_words(a.shape), *words),
        numbers=numbers,
        line_a=a.shape.line,
        line_b=b.shape.line,
    )


def unproven_surface(
    a: PlacedShape, b: PlacedShape, values: Tuple[Shown, Shown], why: str, words: Texts = ()
) -> Difference:
    """Return the note that two surfaces could not be compared, with the reason: `why` is a key of `words.WHY`."""
    from .difference_kinds import why_text

    return between_shapes("mesh_unproven", a, b, values=values, words=(why_text(why, words),))


def text_difference(
    a: PlacedShape, b: PlacedShape, word: str, text: str, other_text: str
) -> Difference:
    """Return the difference of two texts for a word of two shapes, such as a file or a script."""
    return between_shapes(
        "shape_text",
        a,
        b,
        values=(text, other_text),
        words=(word, text or "none", other_text or "none"),
    )


def one_side_says(a: PlacedShape, b: PlacedShape, side: str) -> Difference:
    """Return the difference that only one side has a color or an image."""
    return between_shapes("color_one_side", a, b, ALL, words=(side,))


def mean_one_file(name: str, other_name: str, settings: ComparisonSettings) -> bool:
    """Return True if a name in A and a name in B mean the same file, whatever its content."""
    folder, other_folder = settings.folders
    return meant_file(name, folder) == meant_file(other_name, other_folder)


def is_drawn(shape: PlacedShape) -> bool:
    """Return True for a visual that has triangles."""
    return shape.shape.role == "visual" and shape.shape.geometry in (MESH, BOX)
