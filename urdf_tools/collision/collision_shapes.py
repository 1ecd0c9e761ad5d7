"""The shapes that collisions get: hulls of few corners, primitives around points, their overhangs; and their records.

A hull of few corners that contains a given hull is an inner hull, each corner of which is pushed out as little as needed:
1. The farthest corners of the given hull make an inner hull of the wanted number of corners.
2. Each of its facets has a parallel plane above it that supports the whole given hull.
3. Each corner moves by the shortest vector that brings it beyond the planes of all its facets (Hildreth 1957).
4. Then each moved triangle is beyond its plane, so the moved surface never meets the inside of the given hull. The result
   does not rely on this: after rounding to float32 an exact test decides whether the hull is inside. If it is not, the
   planes move out and the corners are pushed again.

Sizes of primitives are from all points, rounded up.
"""

from __future__ import annotations

from array import array
from decimal import Context, Decimal, ROUND_CEILING
from itertools import chain, product
from math import sqrt
from typing import Dict, List, Optional, Sequence, Tuple

from ..base.type_aliases import Reals
from ..base.exact_trigonometry import cosine_sine, PI
from ..base.record_type import Record
from ..meshes.convex_hull import convex_hull, extreme_corners, Hull, Point, Triangle
from ..meshes.triangle_tree import farthest, TriangleTree
from ..meshes.verify_witnesses import normal_of, Tree, triangles_at
from ..urdf.spatial_math import (
    add,
    dot,
    move,
    norm,
    Transform,
    rotate,
    scale,
    subtract,
    transpose,
    Vector,
)
from .convex_distance import nearest_points

SWEEPS = 2000  # most corners need a few
ROUNDING = 2e-7  # of the farthest coordinate: three times the rounding of a coordinate to float32
CLOSE = 0.02 * ROUNDING  # of the farthest coordinate: how far a corner may still be below a plane
MARGINS = tuple(ROUNDING * factor for factor in (1.0, 4.0, 16.0, 64.0, 1e3, 1e4))

Plane = Tuple[Point, float]  # unit normal and level
# Each size grows by the factor and the margin [m]: more than the rounding errors of programs that verify it.
GROWTH = 1.0 + 1e-12
MARGIN = 1e-9
DIGITS = 9  # of a size as text, rounded up
DECIMALS = 9  # of a position, in meters
UP = Context(prec=DIGITS, rounding=ROUND_CEILING)
POLYGON = 32  # corners of the prism around a cylinder
TOLERANCE = 5e-4  # [m] the search for the distance off a mesh ends if its bounds are nearer
MOST_SPLITS = 4000


def as_single(values: Sequence[float]) -> Reals:
    """Return values rounded to float32."""
    return tuple(array("f", values))


def few_corners(hull: Hull, most: int, *, single: bool = True) -> Optional[Hull]:
    """Return a hull of at most `most` corners, all float32 values, that contains a hull; the hull itself if it fits.

    None is returned if no hull is found: for a body that is nearly flat, or thinner than the spacing of float32.

    Args:
        hull: the hull to be contained, as `convex_hull` returns it.
        most: the number of corners, at least 8.
        single: the corners of `hull` are float32 values, so that it can stay as it is.
    """
    if single:
        extreme = extreme_corners(hull)
        if len(extreme) <= most:
            return hull if len(extreme) == len(hull.corners) else convex_hull(extreme)
    # Step 1 of the module's docstring: the farthest corners, which are inside the hull.
    inner = convex_hull(hull.corners, most)
    if inner is None:
        return None
    reach = max(map(abs, chain.from_iterable(hull.corners)))
    # Step 2: planes parallel to its facets that have the whole hull below them.
    supports = _supports(inner, hull.corners)
    # Rounding to float32 may bring a corner back below a plane: try larger margins until the exact test passes.
    for margin in MARGINS:
        # Step 3: each corner moves beyond the planes of its facets.
        moved = _pushed_out(
            inner, [(normal, level + margin * reach) for normal, level in supports], CLOSE * reach
        )
        flat = as_single([*chain.from_iterable(moved)])
        corners = list(zip(flat[0::3], flat[1::3], flat[2::3]))
        outer = convex_hull(corners)
        if outer and is_inside(hull.corners, outer):
            return outer
    return None


def is_inside(points: Sequence[Point], outer: Hull) -> bool:
    """Return True if points are in a hull; exact, because `convex_hull` computes exact signs."""
    whole = convex_hull([*outer.corners, *points])
    return whole is not None and set(extreme_corners(whole)) <= set(outer.corners)


def _supports(inner: Hull, points: Sequence[Point]) -> List[Plane]:
    """Return the supporting plane of all points for each facet of an inner hull, with the normal of the facet."""
    planes: List[Plane] = []
    for x, y, z in map(normal_of, inner.facets):
        length = norm((x, y, z)) or 1.0
        nx, ny, nz = x / length, y / length, z / length
        planes.append(((nx, ny, nz), max([nx * x + ny * y + nz * z for x, y, z in points])))
    return planes


def _pushed_out(inner: Hull, planes: Sequence[Plane], allowed: float) -> List[Point]:
    """Return the corners of a hull, each moved beyond the planes of all its facets; `allowed`: see `_beyond`."""
    around: Dict[int, List[Plane]] = {k: [] for k in range(len(inner.corners))}
    for triangle, plane in zip(inner.triangles, planes):
        for k in triangle:
            around[k].append(plane)
    return [_beyond(corner, around[k], allowed) for k, corner in enumerate(inner.corners)]


def _beyond(corner: Point, planes: Sequence[Plane], allowed: float) -> Point:
    """Return the point nearest to a corner that is beyond planes, by Hildreth's method: repeated sweeps over the planes.

    The point may still be below a plane by at most `allowed` [m], because sweeps approach the point without reaching it.
    """
    x, y, z = corner
    weights = [0.0] * len(planes)
    for _ in range(SWEEPS):
        worst = 0.0
        for k, ((nx, ny, nz), level) in enumerate(planes):
            shortfall = level - (nx * x + ny * y + nz * z)
            # A plane only pushes: its weight stays at least 0, and an earlier push that was too far is taken back.
            change = max(shortfall, -weights[k])
            if change:
                weights[k] += change
                x, y, z = x + change * nx, y + change * ny, z + change * nz
                worst = max(worst, abs(change))
        if worst <= allowed:
            break
    factor = 1.0
    # If the sweeps have not reached some planes, the corner goes farther in the same direction.
    push = subtract((x, y, z), corner)
    for n, level in planes:
        start = dot(n, corner)
        gained = dot(n, push)
        if 0.0 < gained < level - start - allowed:
            factor = max(factor, (level - start) / gained)
    return add(corner, scale(factor, push))


class Primitive(Record):
    """A primitive in the frame of its link.

    Attributes:
        kind: box, cylinder, capsule or sphere.
        pose: T_link_primitive; z is the axis of a cylinder or a capsule.
        sizes: for a box x, y and z; for a sphere the radius; else the radius and the length (without the ends of a
            capsule) [m].
    """

    kind: str
    pose: Transform
    sizes: Reals


def around(kind: str, pose: Transform, points: Sequence[Point], thinnest: float = 0.0) -> Primitive:
    """Return the smallest primitive with a given pose around points, all in the frame of the link.

    `thinnest` is the least size of a box [m].
    """
    R_primitive_link = transpose(pose.rotation)
    local = [rotate(R_primitive_link, subtract(point, pose.translation)) for point in points]
    # Rounding of the points in the frame of the primitive grows with the largest coordinate.
    reach = max(max(map(abs, point)) for point in points) + max(map(abs, pose.translation))
    sizes = [
        rounded_up(size * GROWTH + MARGIN + 1e-12 * reach)
        for size in _least_sizes(kind, local, thinnest)
    ]
    return Primitive(kind, pose, tuple(sizes))


def _least_sizes(kind: str, local: Sequence[Point], thinnest: float) -> List[float]:
    """Return the least sizes of a primitive around points in its own frame [m]."""
    if kind == "box":
        extents = [2.0 * max(map(abs, column)) for column in zip(*local)]
        return [max(extent, thinnest) for extent in extents]
    if kind == "sphere":
        return [sqrt(max(dot(point, point) for point in local))]
    radius = sqrt(max(x * x + y * y for x, y, _ in local))
    if kind == "cylinder":
        return [radius, 2.0 * max(abs(z) for _, _, z in local)]
    return _capsule_sizes(radius, local)


def _capsule_sizes(least: float, local: Sequence[Point]) -> List[float]:
    """Return the radius and length of the smallest capsule tried; each is at least as wide as the least cylinder."""
    squares = [x * x + y * y for x, y, _ in local]
    heights = [abs(z) for _, _, z in local]
    best = (float("inf"), least, 0.0)
    for step in range(33):
        radius = least * (1.0 + 1e-9) + MARGIN + step / 32 * max(heights)
        # The half length that the line must have so that a ball about its end contains the point.
        needed = [
            height - sqrt(max(0.0, radius * radius - square))
            for height, square in zip(heights, squares)
        ]
        half = max(0.0, *needed)
        volume_over_pi = radius * radius * (2.0 * half + 4.0 / 3.0 * radius)
        best = min(best, (volume_over_pi, radius, 2.0 * half))
    return [best[1], best[2]]


def rounded_up(value: float) -> float:
    """Return the least number of DIGITS significant digits that is not below a positive value."""
    return float(UP.plus(Decimal(value)))


def bounding_points(primitive: Primitive) -> List[Point]:
    """Return the corners of a polytope around a primitive in the frame of the link: the box itself, else slightly larger.

    A radius also grows by GROWTH, which is more than its rounding.
    """
    kind, pose, sizes = primitive
    if kind == "box":
        x, y, z = (0.5 * size for size in sizes)
        local: List[Vector] = [(i * x, j * y, k * z) for i, j, k in product((-1, 1), repeat=3)]
    elif kind == "cylinder":
        # The corners of a polygon around a circle are farther out than its sides.
        radius = GROWTH * sizes[0] / cosine_sine(PI / POLYGON)[0]
        half = 0.5 * sizes[1]
        ring = [cosine_sine(2.0 * PI * k / POLYGON) for k in range(POLYGON)]
        local = [(radius * c, radius * s, z) for (c, s), z in product(ring, (-half, half))]
    else:
        half = 0.5 * sizes[1] if kind == "capsule" else 0.0
        local = _around_ends(sizes[0], half)
    return [move(pose, point) for point in local]


def _around_ends(radius: float, half: float) -> List[Vector]:
    """Return the corners of a polytope around a capsule along z with half a length, or around a sphere if it is 0 [m]."""
    directions, inner = _ball()
    outer = GROWTH * radius / inner
    if not half:
        return [(outer * x, outer * y, outer * z) for x, y, z in directions]
    local: List[Vector] = []
    for end, side in ((half, 1.0), (-half, -1.0)):
        # Half a ball at each end; both halves have the equator, whose z is zero up to rounding.
        local += [
            (outer * x, outer * y, outer * z + end) for x, y, z in directions if side * z > -1e-9
        ]
    return local


def _ball() -> Tuple[List[Vector], float]:
    """Return points spread over the unit sphere, and the radius of a ball inside their hull."""
    rings = 12
    circle = [cosine_sine(PI * k / rings) for k in range(2 * rings)]
    points: List[Vector] = [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
    for ring in range(1, rings):
        cosine, sine = cosine_sine(PI * ring / rings)
        points += [(sine * c, sine * s, cosine) for c, s in circle]
    # A direction is within half a step of a ring and half a step along it, so within sqrt(2) / 2 steps of a point.
    return points, cosine_sine(0.7072 * PI / rings)[0]


def overhang(corners: Sequence[Point], hull: Sequence[Point]) -> float:
    """Return the overhang: an upper bound of the distance from the hull of corners to the hull of other points [m].

    The distance to a convex body is a convex function, so it is largest at a corner. It is measured to a convex
    combination of `hull`, so it is never too small.
    """
    return max(nearest_points([corner], hull).distance for corner in corners)


class MeshWithHull(Record):
    """A mesh file: the points of its triangles without duplicates, the triangles as indices, and the hull.

    The hull is None if all points are in one plane.
    """

    path: str
    points: Tuple[Point, ...]
    triangles: Tuple[Triangle, ...]
    hull: Optional[Hull]


class CollisionSource(Record):
    """A collision with a mesh, or a visual from which a collision is made.

    Attributes:
        link: the name of its link.
        kind, number: the tag of the element, and its index among the elements of this tag in the link, from 0.
        line, offset: where the element is in the file.
        mesh: the file name in the URDF.
        scale, pose: the scale of the mesh, and T_link_mesh.
        body: the mesh of the file.
    """

    link: str
    kind: str
    number: int
    line: int
    offset: int
    mesh: str
    scale: Vector
    pose: Transform
    body: MeshWithHull

    @property
    def in_link(self) -> Tuple[Point, ...]:
        """Return the points in the frame of the link."""
        return in_link(self.body.points, self.scale, self.pose)


class NewCollisionShape(Record):
    """The new shape for one or several collisions of a link, which contains them.

    Attributes:
        sources: the collisions or visuals that it contains; it replaces the element of the first.
        kind: "hull", or box, cylinder, capsule or sphere.
        hull: in the coordinates of the file of its source, or with `in_link` of the link; None for a primitive.
        in_link: the file is in the frame of the link.
        primitive: None for a hull.
        filename: the file of a hull in the URDF; "" if no file is made.
        stays: the mesh is already convex and has few corners: nothing changes.
        overhang: a bound of its largest distance from the hull of its sources [m].
        off_mesh: a bound of its largest distance from the surface of the mesh [m]; None: not measured.
        part: the number of a part, a sphere or a piece of the mesh, from 1; 0: the whole mesh.
        trees: for spheres and convex pieces, the same for all shapes of a mesh: the pieces of each of its triangles, and
            the number of the shape that contains each piece.
        boxes: for a convex piece: its box, halved until each box is near the solid.
    """

    sources: Tuple[CollisionSource, ...]
    kind: str
    hull: Optional[Hull] = None
    in_link: bool = False
    primitive: Optional[Primitive] = None
    filename: str = ""
    stays: bool = False
    overhang: float = 0.0
    off_mesh: Optional[float] = None
    part: int = 0
    trees: Tuple[Tree, ...] = ()
    boxes: Sequence[int] = ()

    @property
    def link(self) -> str:
        """Return the name of the link of this shape."""
        return self.sources[0].link

    @property
    def faces(self) -> int:
        """Return the number of triangles of the shape; 0 for a primitive."""
        return len(self.hull.triangles) if self.hull else 0


def moved(T: Transform, points: Sequence[Point]) -> List[Point]:
    """Return points under an affine map."""
    ((a, b, c), (d, e, f), (g, h, i)), (u, v, w) = T
    return [
        (a * x + b * y + c * z + u, d * x + e * y + f * z + v, g * x + h * y + i * z + w)
        for x, y, z in points
    ]


def in_link(points: Tuple[Point, ...], scale: Vector, pose: Transform) -> Tuple[Point, ...]:
    """Return points of a mesh in the frame of its link."""
    p, q, r = scale
    # The scale multiplies the columns: R diag(scale).
    first, second, third = [(p * x, q * y, r * z) for x, y, z in pose.rotation]
    return tuple(moved(Transform((first, second, third), pose.translation), points))


def off_mesh(
    corners: Sequence[Point], points: Sequence[Point], triangles: Sequence[Triangle]
) -> float:
    """Return an upper bound of the distance from the hull of corners to a mesh [m], both in the same frame."""
    hull = convex_hull(corners)
    drawn = [one for one in triangles_at(points, triangles) if len(set(one)) == 3]
    if hull is None or not drawn:
        return float("inf")
    tree = TriangleTree(drawn)
    return farthest(hull.facets, lambda point: tree.nearest(point)[0], TOLERANCE, MOST_SPLITS).bound
