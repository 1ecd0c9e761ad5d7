"""Where visuals and collisions of paired bodies differ: as sets of points, and in how they look and touch."""

from __future__ import annotations

import os
from itertools import chain, starmap
from math import dist
from operator import attrgetter
from typing import Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..base.record import Record
from ..base.types import Reals, Texts
from ..base.number_text import grouped
from ..meshes.formats import ending_of, STL_ENDINGS
from ..robot.canonical import Body
from ..robot.motion import after
from ..robot.records import RawShape
from ..urdf.spatial import compose, IDENTITY, IDENTITY_POSE, Transform
from .colors import ColorVerdict, FILE_FIRST, ROBOT_FIRST
from .differences import Difference, is_called, one_sided, ComparisonSettings, Shown
from .joint_differences import differing_values, value_difference
from .meant_file import meant_file
from .placed import (
    are_images_found,
    center_gap,
    is_mirrored,
    mesh_gap,
    mesh_turn,
    ONLY_A,
    ONLY_B,
    OTHER,
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
from .robot_map import RobotMap
from .told_numbers import values_told_apart

MESH = "mesh"
BOX = "box"
CAPSULE = "capsule"
# MuJoCo reads the triangles of OBJ and STL, and neither MTL nor colors (user_mesh.cc).
BARE_FILES = ("mjcf",)
# Why surfaces are not known to be the same, of `words.WHY`.
TOO_MANY_STEPS = "steps"
NOT_OPENED = ("missing", "made", "pointer", "unread")
# Of a shape: what is not its name, line and pose.
CONTENT = attrgetter(*(set(RawShape._fields) - {"name", "line", "T_link_shape"}))
ONE_SIDED = {ONLY_A, ONLY_B}
LAST_DIGITS = 1e-12  # m and rad: a thousandth of the closest tolerance, so a shape of 1 km is not turned by more
TURNED = 0.01  # of the area: less of it are slivers that are cut otherwise


def shape_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield shapes without a partner, differences between partners, and what is unproven or a note."""
    for a, b in robots.bodies.items():
        body = robots.a.bodies[a]
        other = robots.b.bodies[b]
        Y = robots.Y[a]
        # Of an export nearly all are, and then nothing differs.
        if settings.complete and settings.meshes is None and _are_close(Y, IDENTITY_POSE):
            if _are_written_alike(body, other):
                continue
        # Two MJCF have files for the same program, so other colors in them are named, although it reads none.
        is_of_two = robots.a.raw.format != robots.b.raw.format
        first = _placed(body, Y, is_of_two and robots.a.raw.format in BARE_FILES)
        second = _placed(other, None, is_of_two and robots.b.raw.format in BARE_FILES)
        for role in ("visual", "collision"):
            if settings.compares(role):
                yield from _of_role(
                    [placed for placed in first if placed.shape.role == role],
                    [placed for placed in second if placed.shape.role == role],
                    settings,
                )


def _are_written_alike(body: Body, other: Body) -> bool:
    """Return True if two bodies have the same shapes with equal sizes, files and names, and poses but for last digits."""
    shapes, others = _in_order(body), _in_order(other)
    if len(shapes) != len(others):
        return False
    # The same pose is written in other digits where it is the end of a long chain.
    links = {(T, U) for (T, _), (U, _) in zip(shapes, others)}
    return all(starmap(_are_close, links)) and all(
        _are_close(a.T_link_shape, b.T_link_shape)
        and CONTENT(a) == CONTENT(b)
        and is_called(b.name, a.name)
        for (_, a), (_, b) in zip(shapes, others)
    )


def _are_close(T: Transform, other: Transform) -> bool:
    """Return True if two poses differ by no more than the last digits of their numbers."""
    (R, position), (S, place) = T, other
    return T == other or dist((*position, *chain(*R)), (*place, *chain(*S))) <= LAST_DIGITS


def _in_order(body: Body) -> List[Tuple[Transform, RawShape]]:
    """Return the shapes of a body with the pose of their link in the root, the visuals first."""
    return [
        (part.T_root_link, shape)
        for role in ("visual", "collision")
        for part in body.parts
        for shape in part.link.shapes
        if shape.role == role
    ]


def _placed(body: Body, Y: Optional[Transform], has_bare_files: bool) -> List[PlacedShape]:
    """Return the shapes of a body, without those without extent, such as a box of 0 0 0."""
    placed = []
    for part in body.parts:
        # A geom of MJCF may be drawn and collide: its reader makes two shapes of one line.
        collisions = [
            (shape.line, _kind(shape)) for shape in part.link.shapes if shape.role == "collision"
        ]
        for shape in part.link.shapes:
            if shape.sizes and not any(shape.sizes):
                continue
            T = compose(part.T_root_link, shape.T_link_shape)
            if Y is not None:
                T = after(Y, T)
            collides = shape.role == "visual" and (shape.line, _kind(shape)) in collisions
            placed.append(
                PlacedShape(
                    shape=shape,
                    link=part.link.name,
                    T=T,
                    drawn_collision=collides,
                    has_bare_file=has_bare_files,
                )
            )
    return placed


def _of_role(
    first: List[PlacedShape], second: List[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield differences between the shapes of a role of two bodies, paired where they fit best."""
    if any(shape.shape.geometry == CAPSULE for shape in (*first, *second)):
        first, second = (_with_capsules(side, settings) for side in (first, second))
    waiting = grouped((_kind(shape.shape), shape) for shape in second)
    single: List[PlacedShape] = []
    # (1) Equal shapes at equal poses are partners, so that what has changed cannot take their place.
    for shape in first:
        candidates = waiting.get(_kind(shape.shape), [])
        partner = _partner(shape, candidates, settings)
        if partner is None:
            single.append(shape)
            continue
        candidates.remove(partner)
        yield from _of_pair(shape, partner, settings)
        yield from _looks(shape, partner, settings)
    rest = [shape for several in waiting.values() for shape in several]
    # (2) Tools split and join visuals: the rest may be the same surface all together.
    united = _united(single, rest, settings) if single and rest else None
    if united is not None:
        yield from united.differences
        single, rest = (
            [shape for shape in side if all(shape is not one for one in united.shapes)]
            for side in (single, rest)
        )
    # (3) Shapes that remain on both sides are paired by likeness; the others are in only one file.
    for shape in single:
        partner = _same_mesh(shape, rest, settings) or _nearest(shape, rest)
        if partner is None:
            yield from _only("shape_only_a", shape, first, single, settings)
            continue
        rest.remove(partner)
        yield from _changed(shape, partner, settings)
        yield from _looks(shape, partner, settings)
    for shape in rest:
        yield from _only("shape_only_b", shape, second, rest, settings)


def _with_capsules(
    shapes: Sequence[PlacedShape], settings: ComparisonSettings
) -> List[PlacedShape]:
    """Return shapes with a capsule for each cylinder that has a ball at both ends: these are the same points."""
    made = list(shapes)
    by_points = settings._replace(complete=False)
    for cylinder in [shape for shape in shapes if shape.shape.geometry == "cylinder"]:
        radius, length = cylinder.shape.sizes
        # URDF has no capsule: exporters write one as a cylinder and two spheres.
        shape = cylinder.shape._replace(geometry="sphere", sizes=(radius,))
        balls: List[PlacedShape] = []
        for end in (-0.5, 0.5):
            T = compose(cylinder.T, Transform(IDENTITY, (0.0, 0.0, end * length)))
            wanted = cylinder._replace(shape=shape, T=T)
            ball = _partner(
                wanted, [each for each in made if _kind(each.shape) == _kind(shape)], by_points
            )
            balls += [ball] if ball and not [*_looks(wanted, ball, by_points)] else []
        if len(balls) == 2:
            capsule = cylinder._replace(shape=cylinder.shape._replace(geometry=CAPSULE))
            made = [capsule if each is cylinder else each for each in made if each not in balls]
    return made


def _only(
    kind: str,
    shape: PlacedShape,
    shapes: Sequence[PlacedShape],
    single: Sequence[PlacedShape],
    settings: ComparisonSettings,
) -> Iterator[Difference]:
    """Yield that only one file has a shape; a drawn collision equal to another drawn shape is a note."""
    names = (shape.link, shape_words(shape.shape))
    if (
        shape.shape.geometry == MESH
        and not shape.shape.is_found
        and not settings.complete
        and not settings.compares("missing_mesh")
    ):
        # Either format leaves it out.
        if settings.meshes is not None:
            yield Difference("mesh_missing", shape.link, names=(shape.shape.file,))
        return
    if (
        not settings.complete
        and shape.drawn_collision
        and any(
            all(other is not known for known in single)
            and _kind(other.shape) == _kind(shape.shape)
            and _is_same(shape, other, settings)
            for other in shapes
        )
    ):
        yield Difference("shape_twice", shape.link, names=(f"{names[1]} of {names[0]}",))
        return
    yield one_sided(kind, shape.link, kind[-1], shape.shape.line, names)


def _kind(shape: RawShape) -> Tuple[str, str]:
    """Return what partners share: the geometry, and of a mesh the name of its file without folder and ending."""
    return shape.geometry, stem_of(shape.file)


def _partner(
    shape: PlacedShape, others: Sequence[PlacedShape], settings: ComparisonSettings
) -> Optional[PlacedShape]:
    """Return the first shape that is the same at the same pose; of several, that of the same name."""
    partner = None
    for other in others:
        is_named = other.shape.name == shape.shape.name
        if (is_named or partner is None) and _is_same(shape, other, settings):
            if is_named:
                return other
            partner = other
    return partner


def _is_same(a: PlacedShape, b: PlacedShape, settings: ComparisonSettings) -> bool:
    """Return True if two shapes of equal kind and name are the same set of points, as far as is known."""
    if center_gap(a, b) > settings.tolerances.length:
        return False
    if a.shape.geometry != MESH:
        pair = solids(a.shape, a.T, b.shape, b.T)
        return pair is not None and primitive_gap(*pair) <= settings.tolerances.length
    if mesh_gap(a, b) > settings.tolerances.angle:
        return False
    # Unknown counts as the same here, so that the pair is reported as unproven, not as two shapes.
    return settings.meshes is None or settings.meshes.compare([a], [b]).kind != OTHER


def _same_mesh(
    mesh: PlacedShape, others: Sequence[PlacedShape], settings: ComparisonSettings
) -> Optional[PlacedShape]:
    """Return the mesh that is the same surface, whatever its file is called: a conversion may have named it anew."""
    if mesh.shape.geometry != MESH or settings.meshes is None:
        return None
    meshes = (other for other in others if other.shape.geometry == MESH)
    compare = settings.meshes.compare
    return next((other for other in meshes if compare([mesh], [other]).kind == SAME), None)


def _nearest(shape: PlacedShape, others: Sequence[PlacedShape]) -> Optional[PlacedShape]:
    """Return the likely partner: of equal kind, else of equal name, else the only one."""
    same = [other for other in others if _kind(other.shape) == _kind(shape.shape)]
    named = [other for other in others if other.shape.name and other.shape.name == shape.shape.name]
    candidates = same or named or (list(others) if len(others) == 1 else [])
    return min(candidates, key=lambda other: center_gap(shape, other), default=None)


def _of_pair(a: PlacedShape, b: PlacedShape, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield the findings on meshes that may be the same: a bound, or that it is unproven."""
    if a.shape.geometry == MESH and settings.meshes is not None:
        if _are_missing(a, b):
            # What nobody can open is the same in both robots if it is one file.
            is_one = _mean_one_file(a.shape.file, b.shape.file, settings)
            kind = "mesh_not_opened" if is_one else "mesh_missing"
            yield Difference(kind, a.link, names=(a.shape.file,))
        else:
            yield from _by_surface(a, b, settings)


def _are_missing(*meshes: PlacedShape) -> bool:
    """Return True if meshes are files that have names, and are not there."""
    return all(
        mesh.shape.geometry == MESH and mesh.shape.file and not mesh.shape.is_found
        for mesh in meshes
    )


def _mean_one_file(name: str, other_name: str, settings: ComparisonSettings) -> bool:
    """Return True if a name in A and a name in B mean one file, whatever is in it."""
    folder, other_folder = settings.folders
    return meant_file(name, folder) == meant_file(other_name, other_folder)


def _changed(a: PlacedShape, b: PlacedShape, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield the differences of two shapes that are partners."""
    lengths = settings.tolerances.length
    shape = a.shape
    kinds = {shape.geometry, b.shape.geometry}
    if (
        MESH in kinds
        and settings.meshes is not None
        # Where a mesh of the same name is missing in one file, only the poses can be compared.
        and kinds <= {MESH, BOX}
        and not (
            stem_of(shape.file) == stem_of(b.shape.file)
            and not (shape.is_found and b.shape.is_found)
        )
    ):
        yield from _by_surface(a, b, settings)
        return
    # No surfaces can be compared, so name, scale and pose are all that is known.
    if kinds == {MESH}:
        yield from _other_pose(a, b, settings)
        return
    pair = solids(shape, a.T, b.shape, b.T)
    if pair is None:
        yield _between(
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
    # One cause is named, the largest; what neither size nor place explains is a turn.
    if size > lengths or size > max(off, gap - off):
        yield _between("shape_size", a, b, size, "m", (shape.sizes, b.shape.sizes))
    elif off > lengths or off > gap - off:
        yield _between("shape_place", a, b, off, "m")
    else:
        angle = turn_angle(*pair, lengths) or 0.0
        yield _between("shape_turn", a, b, angle, "rad")._replace(numbers=(angle, gap))


def _between(
    kind: str,
    a: PlacedShape,
    b: PlacedShape,
    size: Optional[float] = None,
    unit: str = "",
    values: Tuple[Shown, Shown] = (None, None),
    words: Texts = (),
) -> Difference:
    """Return a difference of two shapes; its sentence has the link and the shape of A, then the words."""
    return Difference(
        kind,
        a.link,
        size or 0.0,
        unit,
        *values,
        (a.link, shape_words(a.shape), *words),
        () if size is None else (size,),
        a.shape.line,
        b.shape.line,
    )


def _other_pose(
    a: PlacedShape, b: PlacedShape, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield the differences of pose and scale of a mesh."""
    scales = [tuple(map(abs, scale_of(placed.shape))) for placed in (a, b)]
    angle = mesh_turn(a, b)
    off = center_gap(a, b)
    if angle is None:
        yield _between(
            "shape_mirrored",
            a,
            b,
            values=(a.shape.sizes, b.shape.sizes),
            words=("A" if is_mirrored(a.shape) else "B",),
        )
    elif max(abs(p - q) for p, q in zip(*scales)) > settings.tolerances.number * max(
        map(max, scales)
    ):
        first, second = values_told_apart(a.shape.sizes, b.shape.sizes)
        yield _between(
            "shape_scale", a, b, values=(a.shape.sizes, b.shape.sizes), words=(first, second)
        )
    elif off > settings.tolerances.length:
        yield _between("shape_place", a, b, off, "m")
    elif angle > settings.tolerances.angle:
        yield _between("mesh_turn", a, b, angle, "rad")


def _by_surface(
    a: PlacedShape, b: PlacedShape, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield what two meshes (or a box) are as surfaces: same to a bound, other with a point, or unknown."""
    assert settings.meshes is not None
    verdict = settings.meshes.compare([a], [b])
    if verdict.kind == SAME:
        yield from _of_same(a, b, verdict, settings)
    elif verdict.kind == UNKNOWN:
        yield _unproven(a, b, (a.shape.file, b.shape.file), verdict.why, verdict.words)
    else:
        # Equal files in other poses: the pose says more than a point of the surface.
        causes = (
            list(_other_pose(a, b, settings))
            if a.shape.geometry == b.shape.geometry and (settings.meshes.are_equal(a, b))
            else []
        )
        yield from causes or [
            _between(
                "mesh",
                a,
                b,
                verdict.gap,
                "m",
                (a.shape.file or a.shape.geometry, b.shape.file or b.shape.geometry),
                (_point_text(verdict.point, a.shape), verdict.side),
            )
        ]


def _unproven(
    a: PlacedShape, b: PlacedShape, values: Tuple[Shown, Shown], why: str, words: Texts = ()
) -> Difference:
    from .words import why_text

    return _between("mesh_unproven", a, b, values=values, words=(why_text(why, words),))


def _of_same(
    a: PlacedShape, b: PlacedShape, verdict: SurfaceVerdict, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield how far surfaces that are the same are apart, and what part of them faces the other way."""
    if verdict.bound > settings.tolerances.length:
        yield _between("mesh_rounded", a, b, verdict.bound, "m")
    if verdict.turned > TURNED:
        yield _between("mesh_turned", a, b, verdict.turned)


def _point_text(point: Iterable[float], shape: RawShape) -> str:
    """Return a point in the coordinates of a mesh file, as CAD shows them."""
    scales = scale_of(shape) if shape.geometry == MESH else (1.0, 1.0, 1.0)
    return ", ".join(f"{value / (scale or 1.0):.4g}" for value, scale in zip(point, scales))


def _is_drawn(shape: PlacedShape) -> bool:
    """Return True for a visual that has triangles."""
    return shape.shape.role == "visual" and shape.shape.geometry in (MESH, BOX)


class UnitedShapes(Record):
    """The visuals of a body that are the same surface as a union, and how they differ."""

    differences: List[Difference]
    shapes: List[PlacedShape]


def _united(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Optional[UnitedShapes]:
    """Return the visuals of a body that are the same surface as a union, else None.

    Collisions are never united: simulators use the hull of each file.
    """
    sides = [[shape for shape in side if _is_drawn(shape)] for side in (first, second)]
    kinds = [sorted(_kind(shape.shape) for shape in side) for side in sides]
    if (
        settings.meshes is None
        or not all(sides)
        # One shape on each side is a pair already.
        or max(map(len, sides)) == 1
        # One by one, such shapes say which of them has changed.
        or kinds[0] == kinds[1]
    ):
        return None

    verdict = settings.meshes.compare(*sides)
    if verdict.kind == UNKNOWN and verdict.why in NOT_OPENED:
        # A mesh that is missing, or cannot be read, says nothing about the others.
        sides = [list(filter(settings.meshes.can_read, side)) for side in sides]
        if not all(sides):
            return None
        verdict = settings.meshes.compare(*sides)
    shape, other = sides[0][0], sides[1][0]
    # No single one of them is known to be missing.
    if verdict.kind == UNKNOWN and verdict.why == TOO_MANY_STEPS:
        files = shape.shape.file, other.shape.file
        unproven = _unproven(shape, other, files, verdict.why, verdict.words)
        return UnitedShapes([_of_all(unproven, shape)], [*sides[0], *sides[1]])
    if verdict.kind != SAME:
        return None

    counts = [len(side) for side in sides]
    parts = [
        Difference("mesh_parts", shape.link, names=(shape.link, str(counts[0]), str(counts[1])))
    ]
    differences = [
        *(parts if counts[0] != counts[1] else ()),
        *(_of_all(difference, shape) for difference in _of_same(shape, other, verdict, settings)),
        *_looks(shape, other, settings, sides),
    ]
    return UnitedShapes(differences, [*sides[0], *sides[1]])


def _of_all(difference: Difference, shape: PlacedShape) -> Difference:
    """Return a difference of all visuals of a body, which have the name of the file of the first."""
    return difference._replace(
        names=(shape.link, f"visual {stem_of(shape.shape.file)}", *difference.names[2:])
    )


def _looks(
    a: PlacedShape,
    b: PlacedShape,
    settings: ComparisonSettings,
    united: Optional[Sequence[Sequence[PlacedShape]]] = None,
) -> Iterator[Difference]:
    """Yield differences of color and of what touches; of shapes that are compared all together, of their colors."""
    if "colors" in settings.aspects and a.shape.role == "visual":
        first, second = united or ([a], [b])
        yield from _colors_and_images(first, second, settings)
    if united is not None:
        return
    # An export carries each word over, so each of them is compared.
    if settings.complete:
        for word, text, other_text in (
            ("name", a.shape.name, b.shape.name),
            ("file", a.shape.file, b.shape.file),
            ("texture", a.shape.texture, b.shape.texture),
            ("script", a.shape.script, b.shape.script),
        ):
            if (
                text != other_text
                and settings.compares(word)
                and not (word == "name" and is_called(other_text, text))
            ):
                yield _text(a, b, word, text, other_text)
    if "surfaces" in settings.aspects:
        values, others = _surface_values(a.shape, b.shape), _surface_values(b.shape, a.shape)
        for name, value, other_value in differing_values(values, others, settings):
            yield value_difference(
                "surface", a.link, name, value, other_value, a.shape.line, b.shape.line
            )


def _surface_values(shape: RawShape, other: RawShape) -> Mapping[str, Reals]:
    """Return the values of a surface, with its ambient color where the other one says that apart."""
    values = shape.surface
    ambient = other.surface.get("ambient")
    # A reader names an ambient color only beside another color: else one color is both. Where it is that very color, the
    # file says no diffuse one.
    if "ambient" in values or shape.color is None or ambient in (None, other.color):
        return values
    return {**values, "ambient": shape.color}


def _text(a: PlacedShape, b: PlacedShape, word: str, text: str, other_text: str) -> Difference:
    return _between(
        "shape_text",
        a,
        b,
        values=(text, other_text),
        words=(word, text or "none", other_text or "none"),
    )


def _one_side(a: PlacedShape, b: PlacedShape, side: str) -> Difference:
    """Return that one side alone says a color or an image."""
    return _between("color_one_side", a, b, 1.0, words=(side,))


def _colors_and_images(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield other colors and images, of the robot's file and of the mesh file, and those that only one side has."""
    has_parts = not settings.complete and _differ_by_parts(first, second, settings)
    if settings.compares("color"):
        compared = _colors_of_parts if has_parts else _colors_of_robots
        yield from compared(first, second, settings)
    # A complete comparison compares the names of images as texts.
    if settings.complete:
        return
    # Parts have the images that are found.
    if settings.compares("texture") and not (has_parts and are_images_found((*first, *second))):
        yield from _images(first, second, settings)
    if settings.compares("script") and len(first) == len(second) == 1:
        yield from _scripts(first[0], second[0])


def _differ_by_parts(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> bool:
    """Return True if colors and images have to be compared part by part, as mesh files may say them, too."""
    if settings.meshes is None or not _show_colors_of_files(first, second, settings):
        return False
    if not len(first) == len(second) == 1:
        return True
    a = first[0]
    b = second[0]
    # STL has no materials, so those of a pair need no triangles.
    if all(ending_of(each.shape.path) in STL_ENDINGS for each in (a, b)):
        return False
    return a.shape.color != b.shape.color or not settings.meshes.are_equal(a, b, colors=True)


def _colors_of_parts(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield other colors and images of the parts of a surface, and those that only one side has."""
    assert settings.meshes is not None
    a = first[0]
    b = second[0]
    is_pair = len(first) == len(second) == 1
    is_one_file = is_pair and settings.meshes.are_equal(a, b, colors=True)
    verdict = settings.meshes.colors(first, second)
    if UNKNOWN in (verdict.by_file, verdict.by_robot, verdict.emission, verdict.tint):
        yield _unproven(a, b, (None, None), verdict.why)
        return
    difference = _by_verdict(a, b, verdict, settings, is_one_file=is_one_file)
    if difference is not None:
        yield difference
    if verdict.lost_image != SAME:
        yield _between("image_lost", a, b, words=(verdict.lost_image,))
    if not is_one_file:
        yield from _lights(first, second, verdict, settings)


def _by_verdict(
    a: PlacedShape,
    b: PlacedShape,
    verdict: ColorVerdict,
    settings: ComparisonSettings,
    *,
    is_one_file: bool,
) -> Optional[Difference]:
    """Return how the colors and images of two surfaces differ, None if they do not."""
    outcomes = (verdict.by_file, verdict.by_robot)
    # A conversion of A writes the color of the mesh file for all programs. In one file nobody converted it.
    is_for_all = verdict.is_gray_in_file and verdict.is_plain and not is_one_file
    if is_for_all and verdict.by_robot != SAME and not verdict.is_gray:
        words = (ROBOT_FIRST, "its mesh file", "the robot's file", "B", "A")
        return _between("color_taken", a, b, words=words)
    # MuJoCo draws the color of the robot's file in both.
    if verdict.by_robot == SAME != verdict.by_file and a.has_bare_file != b.has_bare_file:
        sides = ("A", "B") if a.has_bare_file else ("B", "A")
        kept = (FILE_FIRST, "the robot's file", "its mesh file", *sides)
        return _between("color_taken", a, b, words=kept)
    if OTHER in outcomes and verdict.image != SAME:
        return _one_side(a, b, verdict.image)
    if OTHER in outcomes:
        return _other_colors(a, b, verdict)
    is_one_sided = not ONE_SIDED.isdisjoint(outcomes)
    if is_one_sided and verdict.is_gray:
        return _between("color_gray", a, b, words=("A" if ONLY_B in outcomes else "B",))
    if is_one_sided:
        return _one_side(a, b, ONLY_A if ONLY_A in outcomes else ONLY_B)
    if verdict.gap > settings.tolerances.color:
        return _between("color", a, b, verdict.gap, values=(a.shape.color, b.shape.color))
    return None


def _lights(
    first: Sequence[PlacedShape],
    second: Sequence[PlacedShape],
    verdict: ColorVerdict,
    settings: ComparisonSettings,
) -> Iterator[Difference]:
    """Yield what else differs of the looks of mesh files: light, colors under images, colors of points, gloss."""
    a, b = first[0], second[0]
    # Only one side has a tint where only that has an image, which differs already.
    has_other_tint = verdict.tint == OTHER or verdict.tint != SAME == verdict.by_file
    if verdict.emission != SAME or has_other_tint:
        yield _between("light", a, b, 1.0)
    points = list(_points(first, second, settings))
    yield from points
    if len(first) == len(second) == 1 and not points and verdict.emission == SAME:
        yield from _gloss(a, b, settings)


def _points(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield other colors of points in mesh files. Their digests can be compared between files of one format alone."""
    assert settings.meshes is not None
    a, b = first[0], second[0]
    # Places are in the axes of the file: of a file that was moved or scaled the order of the points counts.
    is_moved = (a.shape.T_link_shape, a.shape.sizes) != (b.shape.T_link_shape, b.shape.sizes)
    points = settings.meshes.points(first)
    others = settings.meshes.points(second)
    if points == others:
        return
    if is_moved:
        points = settings.meshes.points(first, in_order=True)
        others = settings.meshes.points(second, in_order=True)
        if points == others:
            return
    if not points or not others:
        yield _between("points_one_side", a, b, 1.0, words=(ONLY_A if points else ONLY_B,))
    elif len(first) == len(second) == 1 and _are_of_one_format(a, b):
        yield _between("points", a, b, 1.0)
    else:
        yield _unproven(a, b, (None, None), "points")


def _are_of_one_format(a: PlacedShape, b: PlacedShape) -> bool:
    return ending_of(a.shape.path) == ending_of(b.shape.path)


def _gloss(a: PlacedShape, b: PlacedShape, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield that other values of the materials differ; a conversion to another format leaves many of them out."""
    assert settings.meshes is not None
    if a.has_bare_file or b.has_bare_file:
        return
    if a.shape.path and b.shape.path and _are_of_one_format(a, b):
        looks, others = map(settings.meshes.other_looks, (a.shape.path, b.shape.path))
        if looks.materials != others.materials:
            yield _between("gloss", a, b)


def _show_colors_of_files(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> bool:
    """Return True if the colors of mesh files can be compared: of the same surface, whose triangles are read."""
    shapes = [*first, *second]
    return (
        settings.meshes is not None
        and all(map(_is_drawn, shapes))
        and any(placed.shape.geometry == MESH for placed in shapes)
        # Colors of different surfaces cannot be compared, and these are reported already.
        and settings.meshes.compare(first, second).kind == SAME
    )


def _colors_of_robots(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield another color in the robot's file, or one that only one file has; and other colors of facets in STL."""
    a = first[0]
    b = second[0]
    color = a.shape.color
    other_color = b.shape.color
    if (color is None) != (other_color is None):
        yield _one_side(a, b, ONLY_A if other_color is None else ONLY_B)
    elif color is not None and other_color is not None:
        gap = max(abs(p - q) for p, q in zip(color, other_color))
        if gap > settings.tolerances.color:
            yield _between("color", a, b, gap, values=(color, other_color))
    if settings.complete or not _show_colors_of_files(first, second, settings):
        return
    assert settings.meshes is not None
    if not settings.meshes.are_equal(a, b, colors=True):
        yield from _points(first, second, settings)


def _other_colors(a: PlacedShape, b: PlacedShape, verdict: ColorVerdict) -> Difference:
    """Return that two shapes have other colors, for all programs or for some."""
    first = a.shape.color
    second = b.shape.color
    if verdict.by_robot != OTHER:
        return _between("color_of_file", a, b, 1.0, words=(FILE_FIRST, ROBOT_FIRST))
    if verdict.by_file != SAME:
        return _between("color", a, b, 1.0, values=(first, second))
    return _between(
        "color_of_robot", a, b, 1.0, values=(first, second), words=(ROBOT_FIRST, FILE_FIRST)
    )


def _scripts(a: PlacedShape, b: PlacedShape) -> Iterator[Difference]:
    """Yield another material of a simulator, which is compared by its name."""
    script = a.shape.script
    other_script = b.shape.script
    if script == other_script:
        return
    if not script or not other_script:
        yield _one_side(a, b, ONLY_A if script else ONLY_B)
    else:
        yield _text(a, b, "script", script, other_script)


def _images(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield other images of the robots' files: of a pair one by one, else of parts whose images are not all there."""
    a = first[0]
    b = second[0]
    if len(first) == len(second) == 1:
        yield from _images_of_pair(a, b, settings)
        return
    names = [piece.shape.texture for piece in first]
    other_names = [piece.shape.texture for piece in second]
    if not any(names) and not any(other_names):
        return
    folder, other_folder = settings.folders
    files = {meant_file(name, folder) if name else "" for name in names}
    other_files = {meant_file(name, other_folder) if name else "" for name in other_names}
    if not any(names) or not any(other_names):
        yield _one_side(a, b, ONLY_A if any(names) else ONLY_B)
    elif files == other_files and len(files) == 1:
        yield Difference("image_not_opened", a.link, names=(names[0],))
    else:
        yield Difference("image_missing", a.link, names=(next(filter(None, names)),))


def _images_of_pair(
    a: PlacedShape, b: PlacedShape, settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield another image: by its bytes where both are there, else by what the two names may mean."""
    name, other_name = a.shape.texture, b.shape.texture
    if not name and not other_name:
        return
    if not name or not other_name:
        yield _one_side(a, b, ONLY_A if name else ONLY_B)
        return
    paths = a.shape.texture_path, b.shape.texture_path
    are_called_alike = os.path.basename(name) == os.path.basename(other_name)
    other_image = _text(a, b, "texture", name, other_name)
    if settings.meshes is None:
        if not are_called_alike:
            yield other_image
    elif all(paths):
        from .mesh_comparison import are_equal_files  # only who opens files needs it

        if paths[0] != paths[1] and not are_equal_files(*paths):
            yield other_image
    elif not any(paths) and _mean_one_file(name, other_name, settings):
        # What nobody can open is the same in both robots if it is one file.
        yield Difference("image_not_opened", a.link, names=(name,))
    elif are_called_alike:
        yield Difference("image_missing", a.link, names=(name,))
    else:
        yield other_image
