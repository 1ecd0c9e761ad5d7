"""The looks of equal surfaces: each part in the color of its mesh file, and in the color of the robot's file.

A shape may have both, and programs differ in which color they draw. So both are compared, each for its programs.
"""

from __future__ import annotations

from itertools import product
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ..base.record_type import Record
from ..meshes.mesh_readers import ColoredTriangles
from ..meshes.verify_witnesses import Triangle
from .placed_shapes import ONLY_A, ONLY_B, OTHER, SAME, UNKNOWN

# The color that programs draw if the mesh file and the robot's file both give one.
# RViz: a part keeps the material of its mesh file (`assignMaterialsToEntities` in robot_link.cpp of ros2/rviz).
# Drake: its materials of a robot "will be ignored" for a mesh with materials (geometry/render/render_material.cc).
FILE_FIRST = "RViz and Drake"
# MuJoCo: `geom_rgba` comes from the robot's file. Pinocchio: `overrideMaterial`. (Releases 4.0 and 4.1, run.)
ROBOT_FIRST = "MuJoCo and Pinocchio"

Numbers = Optional[Tuple[float, ...]]
# RViz and assimp draw this gray if neither file gives a color. A run that writes a color for each part writes it.
GRAY = (0.6, 0.6, 0.6, 1.0)
WHITE = (1.0, 1.0, 1.0, 1.0)
# A word, such as the digest of an image, and a color; a color that is not written is None.
Look = Tuple[str, Numbers]
NOTHING: Look = ("", None)
SamePart = Callable[[Sequence[Triangle], Sequence[Triangle]], str]


class ColoredPart(Record):
    """The triangles of a material of a mesh file, in their place, with the color and image of the robot's file.

    Attributes:
        color: the color in the robot's file.
        image: the SHA-256 of the image that the robot's file names, in hexadecimal digits, "" without one.
    """

    surface: ColoredTriangles
    color: Numbers
    image: str = ""


class LookComparison(Record):
    """The looks of two surfaces: SAME, OTHER, ONLY_A or ONLY_B (only one side has a look), or UNKNOWN.

    Attributes:
        by_file: in programs that draw the color of the mesh file first.
        by_robot: in programs that draw the color of the robot's file first.
        emission, tint: the other colors of a mesh file: emitted light, and the color that multiplies an image.
        is_gray_in_file: `by_file` is SAME if gray, in which RViz draws it, stands for no color.
        is_gray: the same for `by_robot`.
        image: ONLY_A or ONLY_B if that side shows all images of the other side, and further images.
        lost_image: ONLY_A or ONLY_B if only that side names an image, and the image is missing.
        is_plain: in B all programs draw the same color.
        gap: the largest difference of a channel among colors that are the same.
        why: of UNKNOWN, a key of `words.WHY`.
    """

    by_file: str
    by_robot: str = SAME
    emission: str = SAME
    tint: str = SAME
    image: str = SAME
    lost_image: str = SAME
    is_plain: bool = False
    is_gray_in_file: bool = False
    is_gray: bool = False
    gap: float = 0.0
    why: str = "colors"


def color_of_file(part: ColoredPart) -> Look:
    """Return the look of a part in a program that draws the color of the mesh file first."""
    if part.surface.color is None and not part.surface.texture:
        return part.image, part.color
    color = part.color if part.surface.color is None else part.surface.color
    return part.surface.texture, color


def color_of_robot(part: ColoredPart) -> Look:
    """Return the look of a part in a program that draws the color and image of the robot's file first."""
    own = (part.image, part.color)
    return color_of_file(part) if own == NOTHING else own


def emission_of(part: ColoredPart) -> Look:
    """Return the light that the material of a part emits; black is no light."""
    return "", part.surface.emission if any(part.surface.emission) else None


def tint_of(part: ColoredPart) -> Look:
    """Return the color that multiplies the image of a part; None: white, no image, or not in its format."""
    tint = part.surface.tint
    is_white = tint is not None and all(channel == 1.0 for channel in tint)
    return "", None if is_white else tint


def _in_gray(look_of: Callable[[ColoredPart], Look]) -> Callable[[ColoredPart], Look]:
    """Return a look function that gives parts without a color the gray in which RViz draws them."""

    def look(part: ColoredPart) -> Look:
        """Return the look of a part, gray without a color."""
        shown = look_of(part)
        return ("", GRAY) if shown == NOTHING else shown

    return look


def compare_colors(
    first: Sequence[ColoredPart], second: Sequence[ColoredPart], tolerance: float, is_same: SamePart
) -> LookComparison:
    """Compare how the same surface looks in A and B; `is_same` compares the triangles of equal colors."""
    images = _compare_lost_images(first, second)
    if images == UNKNOWN:
        return LookComparison(UNKNOWN, why="image")

    def compared(look_of: Callable[[ColoredPart], Look]) -> str:
        """Return the verdict on the looks that a function gives."""
        return _compare_looks(first, second, look_of, tolerance, is_same)

    is_gray_in_file = compared(_in_gray(color_of_file)) == SAME
    return LookComparison(
        by_file=compared(color_of_file),
        image=_compare_shown_images(first, second),
        lost_image=images,
        by_robot=compared(color_of_robot),
        emission=compared(emission_of),
        tint=compared(tint_of),
        is_gray_in_file=is_gray_in_file,
        is_gray=is_gray_in_file and compared(_in_gray(color_of_robot)) == SAME,
        is_plain=all(_is_plain(part, tolerance) for part in second),
        gap=max(_gap(first, second, look_of) for look_of in (color_of_file, color_of_robot)),
    )


def _is_plain(part: ColoredPart, tolerance: float) -> bool:
    """Return True if the robot's file gives a part no color and image, or the same as its mesh file."""
    own = ("", part.surface.color)
    if own == NOTHING:
        return True
    if part.image not in ("", part.surface.texture):
        return False
    return part.color is None or _is_near(own, ("", part.color), tolerance)


def _gap(
    first: Sequence[ColoredPart],
    second: Sequence[ColoredPart],
    look_of: Callable[[ColoredPart], Look],
) -> float:
    """Return the largest distance of a look of A from the nearest look of B."""
    looks = {look_of(part) for part in first}
    other_looks = {look_of(part) for part in second}
    distances = []
    for look in looks:
        nearest = min((_distance(look, other) for other in other_looks), default=1.0)
        # 1 is a different image, or a color that only one side has: these are verdicts, not gaps.
        if nearest < 1.0:
            distances.append(nearest)
    return max(distances, default=0.0)


def _compare_lost_images(first: Sequence[ColoredPart], second: Sequence[ColoredPart]) -> str:
    """Return SAME if no image or the same images are missing, UNKNOWN if a missing image may equal one of the other
    side; else ONLY_A or ONLY_B: the side with missing images.
    """
    lost_a = _words(part.surface.lost_image for part in first)
    lost_b = _words(part.surface.lost_image for part in second)
    if lost_a == lost_b:
        return SAME
    if lost_a and lost_b:
        return UNKNOWN
    shown_a = _words(part.surface.texture for part in first)
    shown_b = _words(part.surface.texture for part in second)
    # An image that only the other side shows may be the missing one.
    may_be_shown = shown_b - shown_a if lost_a else shown_a - shown_b
    if may_be_shown:
        return UNKNOWN
    return ONLY_A if lost_a else ONLY_B


def _compare_shown_images(first: Sequence[ColoredPart], second: Sequence[ColoredPart]) -> str:
    """Return ONLY_A or ONLY_B if that side shows all images of the other side, and further images; else SAME."""
    shown = _images_of(first)
    shown_too = _images_of(second)
    if shown > shown_too:
        return ONLY_A
    return ONLY_B if shown < shown_too else SAME


def _images_of(parts: Sequence[ColoredPart]) -> "frozenset[str]":
    """Return the images that any program shows on parts."""
    looks = (color_of_file, color_of_robot)
    return _words(look_of(part)[0] for part, look_of in product(parts, looks))


def _words(words: Iterable[str]) -> "frozenset[str]":
    """Return the different words that are not empty."""
    return frozenset(word for word in words if word)


def _compare_looks(
    first: Sequence[ColoredPart],
    second: Sequence[ColoredPart],
    look_of: Callable[[ColoredPart], Look],
    tolerance: float,
    is_same: SamePart,
) -> str:
    """Return the verdict on whether equal triangles have equal looks on both sides."""
    looks_of_a = [look_of(part) for part in first]
    triangles_a = _by_look(first, look_of, looks_of_a, tolerance)
    triangles_b = _by_look(second, look_of, looks_of_a, tolerance)
    if triangles_a.keys() != triangles_b.keys():
        return _of_other_looks(set(triangles_a), set(triangles_b))
    # With a single look on both sides, the surfaces are known to be the same already.
    if len(triangles_a) < 2:
        return SAME
    outcome = SAME
    for look, triangles in triangles_a.items():
        verdict = is_same(triangles, triangles_b[look])
        # A part that is another decides; an unknown part leaves the others to be compared.
        if verdict == OTHER:
            return OTHER
        if verdict == UNKNOWN:
            outcome = UNKNOWN
    return outcome


def _of_other_looks(looks: "set[Look]", others: "set[Look]") -> str:
    """Return ONLY_A or ONLY_B if all looks on both sides are equal, and the other side leaves parts without a look."""
    if NOTHING in looks and looks - {NOTHING} <= others:
        return ONLY_B
    if NOTHING in others and others - {NOTHING} <= looks:
        return ONLY_A
    return OTHER


def _by_look(
    parts: Sequence[ColoredPart],
    look_of: Callable[[ColoredPart], Look],
    named: Sequence[Look],
    tolerance: float,
) -> Dict[Look, List[Triangle]]:
    """Return triangles by look; a look within the tolerance of a look in `named` counts as that look."""
    triangles: Dict[Look, List[Triangle]] = {}
    for part in parts:
        look = look_of(part)
        # Two files may round a color differently: a near look of A stands for both.
        key = next((each for each in named if _is_near(each, look, tolerance)), look)
        triangles.setdefault(key, []).extend(part.surface.triangles)
    return triangles


def _is_near(look: Look, other: Look, tolerance: float) -> bool:
    """Return True if two looks have the same image, and colors within the tolerance of a channel."""
    return _distance(look, other) <= tolerance


def _distance(look: Look, other: Look) -> float:
    """Return the largest difference of a channel; 1 for different images, or if only one has a color."""
    (word, color), (other_word, other_color) = look, other
    if word != other_word:
        return 1.0
    if word:
        # Some formats write only an image, others an image on white.
        color = color or WHITE
        other_color = other_color or WHITE
    if color is None or other_color is None:
        return 0.0 if color is other_color else 1.0
    return max(abs(p - q) for p, q in zip(color, other_color))
