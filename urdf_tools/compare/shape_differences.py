"""Pairs of partners among the visuals and collisions of paired bodies, and shapes that only one file has.

Equal shapes are partners first, then unions of visuals, then shapes that are alike. `partner_shape_differences.py` and
`look_differences.py` say how partners differ.
"""

from __future__ import annotations

from itertools import chain, starmap
from math import dist
from operator import attrgetter
from typing import Iterator, List, Optional, Sequence, Tuple

from ..base.record_type import Record
from ..base.number_text import grouped
from ..facts.contact_values import LINK_DIRECTION
from ..robot.canonical_robot import CanonicalRobot, link_places
from ..robot.rigid_bodies import Body
from ..robot.joint_motion import after
from ..robot.raw_robot import RawShape
from ..urdf.spatial_math import compose, IDENTITY, IDENTITY_POSE, rotate, Transform, transpose
from .difference_records import ComparisonSettings, Difference, is_called, one_sided
from .look_differences import look_differences
from .partner_shape_differences import (
    differences_of_equals,
    differences_of_partners,
    differences_of_same,
)
from .placed_shapes import (
    center_gap,
    mesh_gap,
    OTHER,
    PlacedShape,
    primitive_gap,
    SAME,
    shape_words,
    solids,
    stem_of,
    UNKNOWN,
)
from .robot_map import RobotMap
from .shape_difference_records import is_drawn, MESH, unproven_surface

CAPSULE = "capsule"
# MuJoCo reads the triangles of OBJ and STL, and neither MTL nor colors (user_mesh.cc).
BARE_FILES = ("mjcf",)
# A reason for unknown surfaces, of `words.WHY`.
TOO_MANY_STEPS = "steps"
NOT_OPENED = ("missing", "made", "pointer", "unread")
# The fields of a shape other than its name, line and pose.
CONTENT = attrgetter(*(set(RawShape._fields) - {"name", "line", "T_link_shape"}))
LAST_DIGITS = 1e-12  # m and rad: a thousandth of the closest tolerance, so a shape of 1 km is not turned by more


def shape_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield shapes without a partner, differences between partners, unproven shapes, and notes."""
    for a, b in robots.bodies.items():
        body = robots.a.bodies[a]
        other = robots.b.bodies[b]
        Y = robots.Y[a]
        # In an export nearly all bodies are written alike, and then nothing differs.
        if settings.complete and settings.meshes is None and _are_close(Y, IDENTITY_POSE):
            if _are_written_alike(body, other):
                continue
        # Two MJCF have files for the same program, so different colors in them are reported, although it reads no
        # colors.
        is_of_two = robots.a.raw.format != robots.b.raw.format
        first = _placed(body, Y, is_of_two and robots.a.raw.format in BARE_FILES)
        first = [_with_direction(placed, robots.a, a, robots) for placed in first]
        second = _placed(other, None, is_of_two and robots.b.raw.format in BARE_FILES)
        second = [_with_direction(placed, robots.b, b, robots) for placed in second]
        for role in ("visual", "collision"):
            if settings.compares(role):
                yield from _of_role(
                    [placed for placed in first if placed.shape.role == role],
                    [placed for placed in second if placed.shape.role == role],
                    settings,
                )


def _are_written_alike(body: Body, other: Body) -> bool:
    """Return True if two bodies have the same shapes with equal sizes, files and names, and poses equal to last digits."""
    shapes = _in_order(body)
    others = _in_order(other)
    if len(shapes) != len(others):
        return False
    # The same pose is written with different digits at the end of a long chain.
    links = {(T, U) for (T, _), (U, _) in zip(shapes, others)}
    return all(starmap(_are_close, links)) and all(
        _are_close(a.T_link_shape, b.T_link_shape)
        # The axes of a link, which a direction is along, may be others.
        and not a.direction_link
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
    ordered = []
    for role in ("visual", "collision"):
        for part in body.parts:
            of_role = [shape for shape in part.link.shapes if shape.role == role]
            ordered += [(part.T_root_link, shape) for shape in of_role]
    return ordered


def _placed(body: Body, Y: Optional[Transform], has_bare_files: bool) -> List[PlacedShape]:
    """Return the shapes of a body in the frame of B's root, without shapes without extent, such as a box of 0 0 0.

    `Y`: for a body of A; None: for a body of B, which lies in that frame already.
    """
    placed = []
    for part in body.parts:
        # A geom of MJCF may be visual and collision: its reader makes two shapes of one line.
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


def _with_direction(
    placed: PlacedShape, robot: CanonicalRobot, body: int, robots: RobotMap
) -> PlacedShape:
    """Return a shape of a body with its first direction of friction as in B, if the shape gives a link for it.

    The direction lies along the axes of the shape if the link is of its body, and else along those of B's root. Then the
    first link of the other body in B stands for its link.
    """
    shape = placed.shape
    link = shape.direction_link
    if not link or LINK_DIRECTION not in shape.surface:
        return placed
    x, y, z = shape.surface[LINK_DIRECTION]
    direction = rotate(link_places(robot)[link].rotation, (x, y, z))
    holder: Optional[int] = robot.body_of[link]
    if holder == body:
        link = ""
    if robot is robots.a:
        assert holder is not None
        direction = rotate(robots.Y.get(holder, IDENTITY_POSE).rotation, direction)
        holder = robots.bodies.get(holder)
    if not link:
        direction = rotate(transpose(placed.T.rotation), direction)
    elif holder is not None:
        link = robots.b.bodies[holder].name
    surface = {**shape.surface, LINK_DIRECTION: direction}
    return placed._replace(shape=shape._replace(surface=surface, direction_link=link))


def _of_role(
    first: List[PlacedShape], second: List[PlacedShape], settings: ComparisonSettings
) -> Iterator[Difference]:
    """Yield differences between the shapes of a role of two bodies, paired by the best fit."""
    if any(shape.shape.geometry == CAPSULE for shape in (*first, *second)):
        first, second = (_with_capsules(side, settings) for side in (first, second))
    waiting = grouped((_kind(shape.shape), shape) for shape in second)
    single: List[PlacedShape] = []
    # (1) Equal shapes at equal poses are partners, so that changed shapes cannot take their place.
    for shape in first:
        candidates = waiting.get(_kind(shape.shape), [])
        partner = _partner(shape, candidates, settings)
        if partner is None:
            single.append(shape)
            continue
        candidates.remove(partner)
        yield from differences_of_equals(shape, partner, settings)
        yield from look_differences(shape, partner, settings)
    rest = list(chain.from_iterable(waiting.values()))
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
        yield from differences_of_partners(shape, partner, settings)
        yield from look_differences(shape, partner, settings)
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
        # URDF has no capsule: exporters write it as a cylinder and two spheres.
        shape = cylinder.shape._replace(geometry="sphere", sizes=(radius,))
        balls: List[PlacedShape] = []
        for end in (-0.5, 0.5):
            T = compose(cylinder.T, Transform(IDENTITY, (0.0, 0.0, end * length)))
            wanted = cylinder._replace(shape=shape, T=T)
            spheres = [each for each in made if _kind(each.shape) == _kind(shape)]
            ball = _partner(wanted, spheres, by_points)
            if ball is not None and not any(look_differences(wanted, ball, by_points)):
                balls.append(ball)
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
    """Yield that only one file has a shape; a drawn collision equal to another drawn shape is a note.

    `shapes` are all shapes of the role on that side of the body, `single` those that have no partner.
    """
    words = shape_words(shape.shape)
    is_missing = shape.shape.geometry == MESH and not shape.shape.is_found
    if is_missing and not settings.complete and not settings.compares("missing_mesh"):
        # Either format leaves the shape out.
        if settings.meshes is not None:
            yield Difference("mesh_missing", shape.link, names=(shape.shape.file,))
        return
    if shape.drawn_collision and not settings.complete:
        # By identity, since two shapes may be equal in every field.
        without_partner = {id(each) for each in single}
        with_partner = [other for other in shapes if id(other) not in without_partner]
        if any(_is_duplicate(shape, other, settings) for other in with_partner):
            yield Difference("shape_twice", shape.link, names=(f"{words} of {shape.link}",))
            return
    side = "a" if kind == "shape_only_a" else "b"
    yield one_sided(kind, shape.link, side, shape.shape.line, (shape.link, words))


def _is_duplicate(shape: PlacedShape, other: PlacedShape, settings: ComparisonSettings) -> bool:
    """Return True if two shapes of one side are the same set of points, of equal kind."""
    return _kind(other.shape) == _kind(shape.shape) and _is_same(shape, other, settings)


def _kind(shape: RawShape) -> Tuple[str, str]:
    """Return the values that partners share: the geometry, and for a mesh its file name without folder and ending."""
    return shape.geometry, stem_of(shape.file)


def _partner(
    shape: PlacedShape, others: Sequence[PlacedShape], settings: ComparisonSettings
) -> Optional[PlacedShape]:
    """Return the first shape that is the same at the same pose; among several, the shape with the same name."""
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
    """Return the mesh with the same surface, whatever its file name: a conversion may have renamed it."""
    if mesh.shape.geometry != MESH or settings.meshes is None:
        return None
    meshes = (other for other in others if other.shape.geometry == MESH)
    compare = settings.meshes.compare
    return next((other for other in meshes if compare([mesh], [other]).kind == SAME), None)


def _nearest(shape: PlacedShape, others: Sequence[PlacedShape]) -> Optional[PlacedShape]:
    """Return the likely partner: of equal kind, else of equal name, else the only candidate."""
    same = [other for other in others if _kind(other.shape) == _kind(shape.shape)]
    named = [other for other in others if other.shape.name and other.shape.name == shape.shape.name]
    only = list(others) if len(others) == 1 else []
    candidates = same or named or only
    return min(candidates, key=lambda other: center_gap(shape, other), default=None)


class EqualUnions(Record):
    """The visuals of a body that are the same surface as a union, and their differences."""

    differences: List[Difference]
    shapes: List[PlacedShape]


def _united(
    first: Sequence[PlacedShape], second: Sequence[PlacedShape], settings: ComparisonSettings
) -> Optional[EqualUnions]:
    """Return the visuals of a body that are the same surface as a union; None if they are not, or nothing is united.

    Collisions are never united: simulators use the hull of each file.
    """
    if settings.meshes is None:
        return None
    drawn_a = [shape for shape in first if is_drawn(shape)]
    drawn_b = [shape for shape in second if is_drawn(shape)]
    if not drawn_a or not drawn_b:
        return None
    # One shape on each side is a pair already.
    if len(drawn_a) == len(drawn_b) == 1:
        return None
    # Compared one by one, these shapes tell which of them has changed.
    if _kinds(drawn_a) == _kinds(drawn_b):
        return None

    verdict = settings.meshes.compare(drawn_a, drawn_b)
    if verdict.kind == UNKNOWN and verdict.why in NOT_OPENED:
        # A missing or unreadable mesh does not affect the comparison of the others.
        drawn_a = list(filter(settings.meshes.can_read, drawn_a))
        drawn_b = list(filter(settings.meshes.can_read, drawn_b))
        if not drawn_a or not drawn_b:
            return None
        verdict = settings.meshes.compare(drawn_a, drawn_b)
    shape = drawn_a[0]
    other = drawn_b[0]
    # It is unknown whether any single shape is missing.
    if verdict.kind == UNKNOWN and verdict.why == TOO_MANY_STEPS:
        files = shape.shape.file, other.shape.file
        unproven = unproven_surface(shape, other, files, verdict.why, verdict.words)
        return EqualUnions([_of_all(unproven, shape)], [*drawn_a, *drawn_b])
    if verdict.kind != SAME:
        return None

    differences: List[Difference] = []
    if len(drawn_a) != len(drawn_b):
        names = (shape.link, str(len(drawn_a)), str(len(drawn_b)))
        differences.append(Difference("mesh_parts", shape.link, names=names))
    for difference in differences_of_same(shape, other, verdict, settings):
        differences.append(_of_all(difference, shape))
    differences += look_differences(shape, other, settings, [drawn_a, drawn_b])
    return EqualUnions(differences, [*drawn_a, *drawn_b])


def _kinds(shapes: Sequence[PlacedShape]) -> List[Tuple[str, str]]:
    """Return the kinds of shapes, in an order that does not depend on the file."""
    return sorted(_kind(shape.shape) for shape in shapes)


def _of_all(difference: Difference, shape: PlacedShape) -> Difference:
    """Return a difference about all visuals of a body, named by the file of the first visual."""
    return difference._replace(
        names=(shape.link, f"visual {stem_of(shape.shape.file)}", *difference.names[2:])
    )
