"""A shape in the frame of B's root, and its distance from a partner: in pose and scale, or as a set of points.

`primitive_gap` is 0 if and only if both are the same set, and never less than the Hausdorff distance [m]: for convex
bodies this is the distance of their surfaces, and the distance to a convex body is largest at a corner. It is exact for
boxes and spheres, at most 1.33 times it for capsules, and 1.7 times for cylinders and ellipsoids.
"""

from __future__ import annotations

from itertools import permutations, product as choices
from math import asin, copysign, dist, hypot
from typing import Iterable, List, Optional, Tuple

from ..base.type_aliases import Reals, Texts
from ..base.record_type import Record
from ..robot.raw_robot import RawShape
from ..robot.rigid_bodies import rotated_tensor
from ..urdf.spatial_math import (
    add,
    cross,
    dot,
    IDENTITY_POSE,
    Matrix,
    move,
    multiply,
    norm,
    Transform,
    rotate,
    rotation_angle,
    scale,
    subtract,
    transpose,
    Vector,
    ZERO,
)

UNSCALED = (1.0, 1.0, 1.0)
# Verdicts on surfaces and on their colors.
SAME = "same"
OTHER = "other"
UNKNOWN = "unknown"
# Verdicts on colors that only one file has.
ONLY_A = "only in A"
ONLY_B = "only in B"


class PlacedShape(Record):
    """A shape, its link, and its pose in the frame of B's root.

    Attributes:
        drawn_collision: the same element of the file is both visual and collision, as a geom of MJCF.
        has_bare_file: the program of its format reads the triangles of a mesh file, and not its colors.
    """

    shape: RawShape
    link: str
    T: Transform
    drawn_collision: bool = False
    has_bare_file: bool = False


def are_images_found(pieces: Iterable[PlacedShape]) -> bool:
    """Return True if all images that the robots' files name exist."""
    return all(piece.shape.texture_path or not piece.shape.texture for piece in pieces)


class SurfaceVerdict(Record):
    """Whether two sets of shapes are the same surface: SAME, OTHER, or UNKNOWN.

    Attributes:
        bound: largest distance of a point of either from the other [m], for SAME; turned: the part of A's area, 0 to 1,
            that faces the other way in B.
        point, side, gap: a point of A or B at this distance [m] from the other, for OTHER.
        why, words: for UNKNOWN: a key of `words.WHY`, and the values in its sentence.
    """

    kind: str
    bound: float = 0.0
    turned: float = 0.0
    point: Vector = ZERO
    side: str = ""
    gap: float = 0.0
    why: str = ""
    words: Texts = ()


def stem_of(file: str) -> str:
    """Return the name of a mesh without folder and ending, in lower case."""
    return file.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0].lower()


def shape_words(shape: RawShape) -> str:
    """Return the words that name a shape: its role, and its mesh, name, or geometry."""
    return f"{shape.role} {stem_of(shape.file) or shape.name or shape.geometry}"


def scale_of(shape: RawShape) -> Vector:
    """Return the factors along x, y and z by which a mesh is scaled; 1 for a shape without three sizes."""
    x, y, z = shape.sizes if len(shape.sizes) == 3 else UNSCALED
    return (x, y, z)


def scaled_columns(R: Matrix, sizes: Vector) -> Matrix:
    """Return R diag(sizes): a rotation after a scale along the axes."""
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = sizes
    return ((a * x, b * y, c * z), (d * x, e * y, f * z), (g * x, h * y, i * z))


def is_mirrored(shape: RawShape) -> bool:
    """Return True if a mesh is scaled with a reflection."""
    return mirrors(scale_of(shape))


def mirrors(factors: Vector) -> bool:
    """Return True if factors along the axes make a reflection."""
    x, y, z = factors
    return x * y * z < 0.0


def center_gap(a: PlacedShape, b: PlacedShape) -> float:
    """Return the distance of the origins of two shapes [m]."""
    return dist(a.T.translation, b.T.translation)


def mesh_gap(a: PlacedShape, b: PlacedShape) -> float:
    """Return the largest difference of entries of rotation times scale of two meshes, relative to the largest factor.

    It has no unit; the places of the meshes do not count.
    """
    factors_a = scale_of(a.shape)
    factors_b = scale_of(b.shape)
    # Rotation and scale as one matrix: a scale of -1 -1 1 equals half a turn.
    first = sum(scaled_columns(a.T.rotation, factors_a), ())
    second = sum(scaled_columns(b.T.rotation, factors_b), ())
    largest = max(map(abs, factors_a + factors_b))
    return max(abs(p - q) for p, q in zip(first, second)) / (largest or 1.0)


def mesh_turn(a: PlacedShape, b: PlacedShape) -> Optional[float]:
    """Return the angle between two meshes [rad], a scale of -1 -1 1 counted as a turn; None: only one is mirrored."""
    if is_mirrored(a.shape) != is_mirrored(b.shape):
        return None

    def with_signs(mesh: PlacedShape) -> Matrix:
        """Return the rotation of a mesh with the reflections of its scale."""
        x, y, z = (copysign(1.0, factor) for factor in scale_of(mesh.shape))
        return scaled_columns(mesh.T.rotation, (x, y, z))

    return rotation_angle(with_signs(a), with_signs(b))


def relative_pose(a: PlacedShape, b: PlacedShape) -> Transform:
    """Return T_a_b, the pose of B's shape in the frame of A's."""
    if a.T == b.T:
        return IDENTITY_POSE
    R_a_root = transpose(a.T.rotation)
    (x, y, z), (u, v, w) = a.T.translation, b.T.translation
    return Transform(multiply(R_a_root, b.T.rotation), rotate(R_a_root, (u - x, v - y, w - z)))


def entries(T: Transform) -> Reals:
    """Return the twelve numbers of a pose."""
    return (*T.rotation[0], *T.rotation[1], *T.rotation[2], *T.translation)


SIDED = ("box", "ellipsoid")  # kinds with a size along each axis
# m: two planes that are not parallel have no finite distance, so the tilt counts as the distance at this arm.
ARM = 1.0


class PlacedPrimitive(Record):
    """A primitive: its kind and sizes [m] as in `RawShape`, and its pose in the frame of B's root."""

    kind: str
    sizes: Reals
    T: Transform


def solids(
    a: RawShape, T_a: Transform, b: RawShape, T_b: Transform
) -> Optional[Tuple[PlacedPrimitive, PlacedPrimitive]]:
    """Return two primitives as the same kind: a sphere is a capsule without length, and an ellipsoid of equal radii.

    None: they have no common kind, or are not primitives.
    """
    first = PlacedPrimitive(a.geometry, a.sizes, T_a)
    second = PlacedPrimitive(b.geometry, b.sizes, T_b)
    # Both can be a sphere, and only as spheres can they be the same set.
    if {first.kind, second.kind} == {"capsule", "ellipsoid"}:
        first = _as_sphere(first)
        second = _as_sphere(second)
    general_first = _as_general_kind(first, second.kind)
    general_second = _as_general_kind(second, first.kind)
    if general_first.kind != general_second.kind or general_first.kind == "mesh":
        return None
    return general_first, general_second


def _as_sphere(solid: PlacedPrimitive) -> PlacedPrimitive:
    """Return a capsule without length, or an ellipsoid of equal radii, as a sphere; other solids as they are."""
    if solid.kind == "ellipsoid":
        is_sphere = len(set(solid.sizes)) == 1
    else:
        is_sphere = solid.sizes[1] == 0.0  # a capsule: its radius, and its length without the caps
    return PlacedPrimitive("sphere", solid.sizes[:1], solid.T) if is_sphere else solid


def _as_general_kind(solid: PlacedPrimitive, kind: str) -> PlacedPrimitive:
    """Return a sphere as a capsule or an ellipsoid, if `kind` is one of these; other solids as they are."""
    if solid.kind != "sphere":
        return solid
    radius = solid.sizes[0]
    if kind == "capsule":
        return PlacedPrimitive(kind, (radius, 0.0), solid.T)
    if kind == "ellipsoid":
        return PlacedPrimitive(kind, (radius, radius, radius), solid.T)
    return solid


def primitive_gap(a: PlacedPrimitive, b: PlacedPrimitive) -> float:
    """Return a bound of the largest distance between the surfaces of two primitives of one kind [m], 0 for equal sets.

    How far it may exceed the distance: see the module.
    """
    off = dist(a.T.translation, b.T.translation)
    if a.kind == "box":
        # Both ways: a small box inside a large box has no corner outside it.
        return max(_farthest_corner(a, b), _farthest_corner(b, a))
    if a.kind == "sphere":
        return off + abs(a.sizes[0] - b.sizes[0])
    if a.kind == "ellipsoid":
        return off + dist(_root(a), _root(b))
    u = axis_of(a.T)
    v = axis_of(b.T)
    if a.kind == "plane":
        between = subtract(a.T.translation, b.T.translation)
        return max(abs(dot(between, u)), abs(dot(between, v))) + dist(u, v) * ARM
    radius_a, length_a = a.sizes
    radius_b, length_b = b.sizes
    if a.kind == "cylinder":
        # No point is farther from the center than the rim, and a cylinder has no marked upper end.
        reach = min(hypot(radius_a, length_a / 2.0), hypot(radius_b, length_b / 2.0))
        turned = reach * min(dist(u, v), dist(u, scale(-1.0, v)))
        return off + turned + hypot(radius_a - radius_b, (length_a - length_b) / 2.0)
    ends_a = _ends(a, u)
    ends_b = _ends(b, v)
    # A capsule has no marked upper end, so the caps are compared in both orders.
    as_drawn = max(map(dist, ends_a, ends_b))
    upside_down = max(map(dist, ends_a, reversed(ends_b)))
    return abs(radius_a - radius_b) + min(as_drawn, upside_down)


def axis_of(T: Transform) -> Vector:
    """Return the direction of z of a pose: the axis of a cylinder or capsule, the normal of a plane."""
    R = T.rotation
    return (R[0][2], R[1][2], R[2][2])


def size_gap(a: PlacedPrimitive, b: PlacedPrimitive) -> float:
    """Return the largest difference of sizes [m]; the sides of a box may be in another order."""
    sizes, others = (
        sorted(solid.sizes) if solid.kind in SIDED else solid.sizes for solid in (a, b)
    )
    return max((abs(p - q) for p, q in zip(sizes, others)), default=0.0)


def turn_angle(a: PlacedPrimitive, b: PlacedPrimitive, tolerance: float) -> Optional[float]:
    """Return the least angle [rad] that turns A onto B, None if the sizes differ by more than `tolerance` [m].

    A square bar turned by 74.5 degrees equals one turned by 15.5.
    """
    if a.kind == "sphere":
        return 0.0
    if a.kind not in SIDED:
        return angle_of_lines(axis_of(a.T), axis_of(b.T), directed=a.kind == "plane")
    axes_a = transpose(a.T.rotation)
    axes_b = transpose(b.T.rotation)
    angles = []
    # Axis k of A is laid on axis order[k] of B.
    for order in permutations((0, 1, 2)):
        # This order lays a side on a longer or shorter side.
        if max(abs(a.sizes[k] - b.sizes[order[k]]) for k in (0, 1, 2)) > tolerance:
            continue
        if a.kind == "ellipsoid":  # if two radii are equal, it may turn freely about the third
            angles += [
                angle_of_lines(axes_a[k], axes_b[order[k]])
                for k in (0, 1, 2)
                # k - 1 and k - 2 are the other two axes, since indices below 0 count from the end.
                if abs(a.sizes[k - 1] - a.sizes[k - 2]) <= tolerance
            ]
        u, v, w = (axes_b[k] for k in order)
        handed = dot(cross(u, v), w)
        for p, q in choices((1.0, -1.0), repeat=2):
            # An axis of a box has no sense, but three axes with their signs must stay right-handed.
            turned = (scale(p, u), scale(q, v), scale(p * q * handed, w))
            angles.append(rotation_angle(axes_a, turned))
    return min(angles, default=None)


def angle_of_lines(u: Vector, v: Vector, *, directed: bool = False) -> float:
    """Return the angle [rad] between two directions of length 1; unless `directed`, opposite ones are the same line."""
    chord = dist(u, v)
    if not directed:
        chord = min(chord, dist(u, scale(-1.0, v)))
    return 2.0 * asin(min(1.0, chord / 2.0))


def corners_of(solid: PlacedPrimitive) -> List[Vector]:
    """Return the corners of a box; bit 4 of its number is x, 2 is y, 1 is z."""
    x, y, z = (size / 2.0 for size in solid.sizes)
    return [move(solid.T, (i * x, j * y, k * z)) for i, j, k in choices((-1.0, 1.0), repeat=3)]


def _farthest_corner(box: PlacedPrimitive, other: PlacedPrimitive) -> float:
    """Return the largest distance [m] of a corner of a box from another box."""
    R_other_root = transpose(other.T.rotation)
    largest = 0.0
    for corner in corners_of(box):
        point = rotate(R_other_root, subtract(corner, other.T.translation))
        # The distance outside along each axis.
        x, y, z = (max(0.0, abs(at) - size / 2.0) for at, size in zip(point, other.sizes))
        largest = max(largest, norm((x, y, z)))
    return largest


def _root(ellipsoid: PlacedPrimitive) -> Reals:
    """Return the nine entries of S = R diag(radii) R^T.

    S maps the unit ball onto the ellipsoid, and is the only positive symmetric matrix that does.
    """
    x, y, z = ellipsoid.sizes
    radii = ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))
    return sum(rotated_tensor(ellipsoid.T.rotation, radii), ())


def _ends(capsule: PlacedPrimitive, axis: Vector) -> Tuple[Vector, Vector]:
    """Return the centers of both caps."""
    half = scale(capsule.sizes[1] / 2.0, axis)
    return add(capsule.T.translation, half), subtract(capsule.T.translation, half)
