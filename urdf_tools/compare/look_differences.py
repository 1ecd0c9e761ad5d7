"""Differences in the looks of two visuals with the same surface, and in the contact values of two collisions.

Colors are in mesh files and in the files of the robots, and programs draw one or the other: `surface_colors.py` compares both.
`first` are shapes of A and `second` shapes of B that together have one surface: one shape each, or several that are
united. A difference names the first shape of each.
"""

from __future__ import annotations

import os
from typing import Iterable, Iterator, Mapping, Optional, Sequence

from ..base.type_aliases import Reals
from ..facts.contact_values import LINK_DIRECTION
from ..meshes.mesh_readers import ending_of, STL_ENDINGS
from ..robot.raw_robot import RawShape
from .surface_colors import LookComparison, FILE_FIRST, ROBOT_FIRST
from .difference_records import ComparisonSettings, Difference, is_called
from .joint_differences import differing_values, value_difference
from .referenced_file import meant_file
from .placed_shapes import are_images_found, ONLY_A, ONLY_B, OTHER, PlacedShape, SAME, UNKNOWN
from .shape_difference_records import (
    ALL,
    between_shapes,
    is_drawn,
    mean_one_file,
    MESH,
    one_side_says,
    text_difference,
    unproven_surface,
)
from .whole_visual_looks import gloss_differences, points_differences, script_differences

ONE_SIDED = {ONLY_A, ONLY_B}


def look_differences(
    a: PlacedShape,
    b: PlacedShape,
    settings: ComparisonSettings,
    united: Optional[Sequence[Sequence[PlacedShape]]] = None,
) -> Iterator[Difference]:
    """Yield differences of color, gloss and contact values of partners `a` and `b`.

    `united`: the shapes of A and of B that are partners only together, with `a` and `b` as their first; differences are
    then of each part of their surface. None: `a` and `b` are partners alone.
    """
    if "colors" in settings.aspects and a.shape.role == "visual":
        first, second = united or ([a], [b])
        yield from _colors_and_images(first, second, settings)
    if united is not None:
        if "surfaces" in settings.aspects:
            first, second = united
            yield from gloss_differences(first, second, settings)
        return
    # An export carries each word over, so each word is compared.
    if settings.complete:
        yield from _texts(a, b, settings)
    if "surfaces" in settings.aspects:
        link = a.shape.direction_link
        other_link = b.shape.direction_link
        if link != other_link and settings.compares(LINK_DIRECTION):
            yield text_difference(a, b, "link of direction1", link, other_link)
        values = _surface_values(a.shape, b.shape)
        other_values = _surface_values(b.shape, a.shape)
        for name, value, other_value in differing_values(values, other_values, settings):
            yield value_difference(
                "surface", a.link, name, value, other_value, a.shape.line, b.shape.line
            )


def _texts(a: PlacedShape, b: PlacedShape, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield the different texts of two shapes: their names, files, images and materials of a simulator."""
    for word, text, other_text in (
        ("name", a.shape.name, b.shape.name),
        ("file", a.shape.file, b.shape.file),
        ("texture", a.shape.texture, b.shape.texture),
        ("script", a.shape.script, b.shape.script),
    ):
        # An exporter numbers names that its format requires to be unique.
        is_numbered = word == "name" and is_called(other_text, text)
        if text != other_text and settings.compares(word) and not is_numbered:
            yield text_difference(a, b, word, text, other_text)


def _surface_values(shape: RawShape, other: RawShape) -> Mapping[str, Reals]:
    """Return the values of a surface, with its ambient color if the other surface writes it separately."""
    values = shape.surface
    ambient = other.surface.get("ambient")
    # A reader names an ambient color only beside a different color: else one color is both. If it equals the other's
    # color, the file has no diffuse color.
    if "ambient" in values or shape.color is None or ambient in (None, other.color):
        return values
    return {**values, "ambient": shape.color}


def _colors_and_images(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield different colors and images, of the robot's file and of the mesh file, and those that only one side has."""
    by_parts = not settings.complete and _must_compare_parts(first, second, settings)
    if settings.compares("color"):
        compared = _colors_of_parts if by_parts else _colors_of_robots
        yield from compared(first, second, settings)
    # A complete comparison compares the names of images as texts.
    if settings.complete:
        return
    # The parts have been compared with their images, if all images are found.
    are_images_compared = by_parts and are_images_found((*first, *second))
    if settings.compares("texture") and not are_images_compared:
        yield from _images(first, second, settings)
    if settings.compares("script"):
        yield from _scripts(first, second, settings)


def _must_compare_parts(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> bool:
    """Return True if colors and images must be compared part by part, as mesh files may contain them, too.

    False also if the surfaces are not the same, or are not read: then only the robots' files are compared.
    """
    if settings.meshes is None or not _show_colors_of_files(first, second, settings):
        return False
    # United shapes may have their colors in other parts.
    if not len(first) == len(second) == 1:
        return True
    a = first[0]
    b = second[0]
    # STL has no materials, so a pair of STL files needs no triangles.
    if all(ending_of(each.shape.path) in STL_ENDINGS for each in (a, b)):
        return False
    # Files with equal bytes have equal colors, and the robots' files give both the same color.
    return a.shape.color != b.shape.color or not settings.meshes.are_equal(a, b, colors=True)


def _colors_of_parts(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield different colors and images of the parts of a surface, and those that only one side has."""
    assert settings.meshes is not None
    a = first[0]
    b = second[0]
    is_pair = len(first) == len(second) == 1
    is_one_file = is_pair and settings.meshes.are_equal(a, b, colors=True)
    verdict = settings.meshes.colors(first, second)
    if UNKNOWN in (verdict.by_file, verdict.by_robot, verdict.emission, verdict.tint):
        yield unproven_surface(a, b, (None, None), verdict.why)
        return
    # Within a single file nothing was converted.
    taken = None if is_one_file else _taken_from_mesh_file(a, b, verdict)
    difference = (
        taken or _taken_from_robot_file(a, b, verdict) or _by_verdict(a, b, verdict, settings)
    )
    if difference is not None:
        yield difference
    if verdict.lost_image != SAME:
        yield between_shapes("image_lost", a, b, words=(verdict.lost_image,))
    if not is_one_file:
        yield from _lights(first, second, verdict, settings)


def _taken_from_mesh_file(
    a: PlacedShape, b: PlacedShape, verdict: LookComparison
) -> Optional[Difference]:
    """Return the note that B has the color of A's mesh file for all programs, as a conversion writes it; else None.

    Only programs that draw the color of the robot's file first see a difference.
    """
    is_color_of_file_kept = verdict.is_gray_in_file and verdict.is_plain
    if not is_color_of_file_kept or verdict.by_robot == SAME or verdict.is_gray:
        return None
    words = (ROBOT_FIRST, "its mesh file", "the robot's file", "B", "A")
    return between_shapes("color_taken", a, b, words=words)


def _taken_from_robot_file(
    a: PlacedShape, b: PlacedShape, verdict: LookComparison
) -> Optional[Difference]:
    """Return the note that one file has the color of the robot's file for all programs, as MJCF has it; else None.

    MuJoCo draws the color of the robot's file in both.
    """
    is_seen_by_others_alone = verdict.by_robot == SAME and verdict.by_file != SAME
    if not is_seen_by_others_alone or a.has_bare_file == b.has_bare_file:
        return None
    sides = ("A", "B") if a.has_bare_file else ("B", "A")
    words = (FILE_FIRST, "the robot's file", "its mesh file", *sides)
    return between_shapes("color_taken", a, b, words=words)


def _by_verdict(
    a: PlacedShape, b: PlacedShape, verdict: LookComparison, settings: ComparisonSettings
) -> Optional[Difference]:
    """Return the difference in colors and images of two surfaces, None if they are equal.

    No outcome is UNKNOWN here: `_colors_of_parts` has noted that before. Another color tells more than a color of one
    side, so it comes first.
    """
    outcomes = (verdict.by_file, verdict.by_robot)
    if OTHER in outcomes:
        # If one side shows the images of the other and more, that tells more than another color.
        if verdict.image != SAME:
            return one_side_says(a, b, verdict.image)
        return _other_colors(a, b, verdict)
    if not ONE_SIDED.isdisjoint(outcomes):
        if verdict.is_gray:
            without_color = "A" if ONLY_B in outcomes else "B"
            return between_shapes("color_gray", a, b, words=(without_color,))
        # The outcomes name different sides only if both sides leave parts without a color: then A is named.
        side = ONLY_A if ONLY_A in outcomes else ONLY_B
        return one_side_says(a, b, side)
    if verdict.gap > settings.tolerances.color:
        return between_shapes("color", a, b, verdict.gap, values=(a.shape.color, b.shape.color))
    return None


def _lights(
    first: Sequence[PlacedShape],
    second: Sequence[PlacedShape],
    verdict: LookComparison,
    settings: ComparisonSettings,
) -> Iterator[Difference]:
    """Yield the other differences in the looks of mesh files: light, colors under images, colors of points, gloss."""
    a = first[0]
    b = second[0]
    # If only one side has an image, only that side has a tint, and the image is reported already.
    is_tint_of_one_side = verdict.tint in ONE_SIDED and verdict.by_file == SAME
    if verdict.emission != SAME or verdict.tint == OTHER or is_tint_of_one_side:
        yield between_shapes("light", a, b, ALL)
    points = list(_points(first, second, settings))
    yield from points
    # Files that differ in their lights or points are different already: gloss is only a note.
    if not points and verdict.emission == SAME:
        yield from _gloss(first, second, settings)


def _points(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield different point colors in mesh files. Their digests can be compared only between files of one format."""
    assert settings.meshes is not None
    a = first[0]
    b = second[0]
    digests = settings.meshes.points(first)
    other_digests = settings.meshes.points(second)
    if digests == other_digests:
        # Several files of united shapes may have exchanged their colors.
        if len(digests) > 1:
            yield from points_differences(first, second, settings.meshes)
        return
    # Places are in the axes of the file: if it was moved or scaled, the order of the points is compared instead.
    is_moved = a.shape.T_link_shape != b.shape.T_link_shape or a.shape.sizes != b.shape.sizes
    if is_moved:
        digests = settings.meshes.points(first, in_order=True)
        other_digests = settings.meshes.points(second, in_order=True)
        if digests == other_digests:
            return
    if not digests or not other_digests:
        side = ONLY_A if digests else ONLY_B
        yield between_shapes("points_one_side", a, b, ALL, words=(side,))
    elif len(first) == len(second) == 1 and _are_of_one_format((a, b)):
        yield between_shapes("points", a, b, ALL)
    else:
        # Another format has other points, and united files have them in another order.
        yield unproven_surface(a, b, (None, None), "points")


def _are_of_one_format(pieces: Iterable[PlacedShape]) -> bool:
    """Return True if mesh files have one format, so that all looks in them can be compared."""
    return len({ending_of(piece.shape.path) for piece in pieces}) == 1


def _gloss(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the note that further values of materials differ; not between formats, since a conversion drops many."""
    assert settings.meshes is not None
    pieces = [*first, *second]
    are_files = all(piece.shape.path and not piece.has_bare_file for piece in pieces)
    if not are_files or not _are_of_one_format(pieces):
        return
    other_looks = settings.meshes.other_looks
    # Sets of digests: united shapes may have their files in another order.
    materials = {other_looks(piece.shape.path).materials for piece in first}
    other_materials = {other_looks(piece.shape.path).materials for piece in second}
    if materials != other_materials:
        yield between_shapes("gloss", first[0], second[0])


def _show_colors_of_files(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> bool:
    """Return True if the colors of mesh files can be compared: the surface is the same, and its triangles are read."""
    if settings.meshes is None:
        return False
    pieces = [*first, *second]
    are_all_drawn = all(map(is_drawn, pieces))
    has_mesh = any(piece.shape.geometry == MESH for piece in pieces)
    if not are_all_drawn or not has_mesh:
        return False
    # Colors of different surfaces cannot be compared, and these are reported already.
    return settings.meshes.compare(first, second).kind == SAME


def _colors_of_robots(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield different colors in the robots' files, or a color in only one file; and different colors of facets in STL.

    United shapes get here only without `meshes`, and have the color of their first shape.
    """
    a = first[0]
    b = second[0]
    color = a.shape.color
    other_color = b.shape.color
    if (color is None) != (other_color is None):
        side = ONLY_A if other_color is None else ONLY_B
        yield one_side_says(a, b, side)
    elif color is not None and other_color is not None:
        gap = max(abs(p - q) for p, q in zip(color, other_color))
        if gap > settings.tolerances.color:
            yield between_shapes("color", a, b, gap, values=(color, other_color))
    if settings.complete or not _show_colors_of_files(first, second, settings):
        return
    assert settings.meshes is not None
    if not settings.meshes.are_equal(a, b, colors=True):
        yield from _points(first, second, settings)


def _other_colors(a: PlacedShape, b: PlacedShape, verdict: LookComparison) -> Difference:
    """Return the difference that two shapes have different colors, for all programs or for some.

    At least one of `by_file` and `by_robot` is OTHER.
    """
    if verdict.by_robot != OTHER:
        return between_shapes("color_of_file", a, b, ALL, words=(FILE_FIRST, ROBOT_FIRST))
    colors = (a.shape.color, b.shape.color)
    if verdict.by_file != SAME:
        return between_shapes("color", a, b, ALL, values=colors)
    words = (ROBOT_FIRST, FILE_FIRST)
    return between_shapes("color_of_robot", a, b, ALL, values=colors, words=words)


def _scripts(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield a different material of a simulator, which is compared by its name."""
    a = first[0]
    b = second[0]
    if not len(first) == len(second) == 1:
        # Only surfaces that were read are united.
        assert settings.meshes is not None
        yield from script_differences(first, second, settings.meshes)
        return
    name = a.shape.script
    other_name = b.shape.script
    if name == other_name:
        return
    if name and other_name:
        yield text_difference(a, b, "script", name, other_name)
    else:
        side = ONLY_A if name else ONLY_B
        yield one_side_says(a, b, side)


def _images(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield different images of the robots' files: of a pair, else of united shapes with an image that is missing."""
    a = first[0]
    b = second[0]
    if len(first) == len(second) == 1:
        yield from _images_of_pair(a, b, settings)
        return
    names = [piece.shape.texture for piece in first]
    other_names = [piece.shape.texture for piece in second]
    if not any(names) and not any(other_names):
        return
    if not any(names) or not any(other_names):
        side = ONLY_A if any(names) else ONLY_B
        yield one_side_says(a, b, side)
        return
    folder, other_folder = settings.folders
    files = {meant_file(name, folder) if name else "" for name in names}
    other_files = {meant_file(name, other_folder) if name else "" for name in other_names}
    # One image on all parts of both: it is the same wherever the parts are cut.
    if files == other_files and len(files) == 1:
        yield Difference("image_not_opened", a.link, names=(names[0],))
        return
    first_name = next(filter(None, names))
    yield Difference("image_missing", a.link, names=(first_name,))


def _images_of_pair(
    a: PlacedShape, b: PlacedShape, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield a different image: by its bytes if both files exist, else by the file that each name means."""
    name = a.shape.texture
    other_name = b.shape.texture
    if not name and not other_name:
        return
    if not name or not other_name:
        side = ONLY_A if name else ONLY_B
        yield one_side_says(a, b, side)
        return
    path = a.shape.texture_path
    other_path = b.shape.texture_path
    are_called_alike = os.path.basename(name) == os.path.basename(other_name)
    other_image = text_difference(a, b, "texture", name, other_name)
    # Without meshes no file is opened, so the names alone count.
    if settings.meshes is None:
        if not are_called_alike:
            yield other_image
    elif path and other_path:
        from .mesh_comparison import are_equal_files  # only who opens files needs it

        if path != other_path and not are_equal_files(path, other_path):
            yield other_image
    elif not path and not other_path and mean_one_file(name, other_name, settings):
        # An unreadable image is equal in both robots if it is the same file.
        yield Difference("image_not_opened", a.link, names=(name,))
    elif are_called_alike:
        yield Difference("image_missing", a.link, names=(name,))
    else:
        yield other_image
