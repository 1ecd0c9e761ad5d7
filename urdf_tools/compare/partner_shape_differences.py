"""Differences of two partner shapes: in size and place, as surfaces, or in the pose of a mesh file."""

from __future__ import annotations

from typing import Iterable, Iterator, List

from ..robot.raw_robot import RawShape
from .difference_records import ComparisonSettings, Difference
from .placed_shapes import (
    center_gap,
    is_mirrored,
    mesh_turn,
    PlacedShape,
    primitive_gap,
    SAME,
    scale_of,
    shape_words,
    size_gap,
    solids,
    stem_of,
    SurfaceVerdict,
    turn_angle,
    UNKNOWN,
)
from .shape_difference_records import between_shapes, BOX, mean_one_file, MESH, unproven_surface
from .distinguishable_numbers import values_told_apart

# Of the area of a surface: a smaller part that faces the other way are slivers, which programs cut in different ways.
TURNED = 0.01


def differences_of_equals(
    a: PlacedShape, b: PlacedShape, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the differences of two shapes that are equal as written: only the files of meshes may still differ."""
    if a.shape.geometry != MESH or settings.meshes is None:
        return
    if _are_missing(a, b):
        # An unreadable file is equal in both robots if it is the same file.
        is_one = mean_one_file(a.shape.file, b.shape.file, settings)
        kind = "mesh_not_opened" if is_one else "mesh_missing"
        yield Difference(kind, a.link, names=(a.shape.file,))
    else:
        yield from _by_surface(a, b, settings)


def _are_missing(*meshes: PlacedShape) -> bool:
    """Return True if meshes are named files that are missing."""
    return all(
        mesh.shape.geometry == MESH and mesh.shape.file and not mesh.shape.is_found
        for mesh in meshes
    )


def differences_of_partners(
    a: PlacedShape, b: PlacedShape, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the differences of two shapes that are partners: of their surfaces, else of their kind, size and pose.

    Of several causes in size and pose, only the largest is named.
    """
    lengths = settings.tolerances.length
    shape = a.shape
    kinds = {shape.geometry, b.shape.geometry}
    are_surfaces = MESH in kinds and kinds <= {MESH, BOX}
    has_one_name = stem_of(shape.file) == stem_of(b.shape.file)
    # If a mesh of the same name is missing in one file, only the poses can be compared.
    is_missing = has_one_name and not (shape.is_found and b.shape.is_found)
    if are_surfaces and settings.meshes is not None and not is_missing:
        yield from _by_surface(a, b, settings)
        return
    # Surfaces cannot be compared, so only name, scale and pose are known.
    if kinds == {MESH}:
        yield from _other_pose(a, b, settings)
        return
    pair = solids(shape, a.T, b.shape, b.T)
    if pair is None:
        yield between_shapes(
            "shape_kind",
            a,
            b,
            values=(shape.geometry, b.shape.geometry),
            words=(shape_words(b.shape),),
        )
        return

    gap = primitive_gap(*pair)
    size = size_gap(*pair)
    off = center_gap(a, b)
    if gap <= lengths:
        return
    # Only the largest cause is named; a rest that neither size nor place explains is a turn.
    if size > lengths or size > max(off, gap - off):
        yield between_shapes("shape_size", a, b, size, "m", (shape.sizes, b.shape.sizes))
    elif off > lengths or off > gap - off:
        yield between_shapes("shape_place", a, b, off, "m")
    else:
        angle = turn_angle(*pair, lengths) or 0.0
        yield between_shapes("shape_turn", a, b, angle, "rad")._replace(numbers=(angle, gap))


def _other_pose(
    a: PlacedShape, b: PlacedShape, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the first difference of two meshes in mirroring, scale, place or turn, without reading their files."""
    scales = [tuple(map(abs, scale_of(placed.shape))) for placed in (a, b)]
    angle = mesh_turn(a, b)
    off = center_gap(a, b)
    sizes = (a.shape.sizes, b.shape.sizes)
    # Relative to the largest factor: files in millimeters have factors of 0.001.
    most_apart = settings.tolerances.number * max(map(max, scales))
    if angle is None:
        # No turn lays a surface on its mirror image.
        side = "A" if is_mirrored(a.shape) else "B"
        yield between_shapes("shape_mirrored", a, b, values=sizes, words=(side,))
    elif max(abs(p - q) for p, q in zip(*scales)) > most_apart:
        yield between_shapes("shape_scale", a, b, values=sizes, words=values_told_apart(*sizes))
    elif off > settings.tolerances.length:
        yield between_shapes("shape_place", a, b, off, "m")
    elif angle > settings.tolerances.angle:
        yield between_shapes("mesh_turn", a, b, angle, "rad")


def _by_surface(
    a: PlacedShape, b: PlacedShape, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the verdict on two meshes (or a box) as surfaces: same to a bound, different with a point, or unknown."""
    assert settings.meshes is not None
    verdict = settings.meshes.compare([a], [b])
    if verdict.kind == SAME:
        yield from differences_of_same(a, b, verdict, settings)
    elif verdict.kind == UNKNOWN:
        yield unproven_surface(a, b, (a.shape.file, b.shape.file), verdict.why, verdict.words)
    else:
        causes: List[Difference] = []
        # Equal files in different poses: the pose tells more than a point of the surface.
        if a.shape.geometry == b.shape.geometry and settings.meshes.are_equal(a, b):
            causes = list(_other_pose(a, b, settings))
        yield from causes or [_at_point(a, b, verdict)]


def _at_point(a: PlacedShape, b: PlacedShape, verdict: SurfaceVerdict) -> Difference:
    """Return the difference of two surfaces, with a point of one surface and its distance [m] from the other."""
    point = _point_text(verdict.point, a.shape)
    names = (a.shape.file or a.shape.geometry, b.shape.file or b.shape.geometry)
    return between_shapes("mesh", a, b, verdict.gap, "m", names, (point, verdict.side))


def differences_of_same(
    a: PlacedShape, b: PlacedShape, verdict: SurfaceVerdict, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the distance of surfaces that are the same, and the part of them that faces the other way."""
    if verdict.bound > settings.tolerances.length:
        yield between_shapes("mesh_rounded", a, b, verdict.bound, "m")
    if verdict.turned > TURNED:
        yield between_shapes("mesh_turned", a, b, verdict.turned)


def _point_text(point: Iterable[float], shape: RawShape) -> str:
    """Return a point of a shape [m, with its scale] as text, in the coordinates of its mesh file, as CAD shows them."""
    scales = scale_of(shape) if shape.geometry == MESH else (1.0, 1.0, 1.0)
    return ", ".join(f"{value / (scale or 1.0):.4g}" for value, scale in zip(point, scales))
