"""The shapes that collisions get: hulls of few corners, primitives around points, how far they stand out; records.

A convex hull of few corners that contains another is an inner hull of corners, each pushed out as little as needed:
1. The farthest corners of the hull make an inner hull of the wanted number of corners.
2. Each of its facets has a parallel plane above it that supports the whole hull.
3. Each corner moves by the shortest vector that brings it beyond the planes of all its facets (Hildreth 1957).
4. Then each moved triangle is beyond its plane, so the moved surface never meets the inside of the hull that it
   surrounds. This is not relied on: after rounding to float32 an exact test decides whether the hull is inside, and if
   it is not, the planes move out and the corners are pushed again.

Sizes of primitives are from all points, rounded up.
"""

from __future__ import annotations

from array import array
from decimal import Context, Decimal, ROUND_CEILING
from itertools import chain, product
from math import sqrt
from typing import Dict, List, Optional, Sequence, Tuple

from ..base.types import Reals
from ..base.exact_trigonometry import cosine_sine, PI
from ..base.record import Record
from ..meshes.hull import convex_hull, extreme_corners, Hull, Point, Triangle
from ..meshes.triangle_tree import farthest, TriangleTree
from ..meshes.witnesses import normal_of, Tree, triangles_at
from ..urdf.spatial import (
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
from .distance import nearest_points

SWEEPS = 2000  # most corners need a few
ROUNDING = 2e-7  # of the farthest coordinate: three times what rounding to float32 moves it
CLOSE = 0.02 * ROUNDING  # of the farthest coordinate: how far a corner may still be below a plane
MARGINS = tuple(ROUNDING * factor for factor in (1.0, 4.0, 16.0, 64.0, 1e3, 1e4))

Plane = Tuple[Point, float]  # unit normal and level
# [m] of each size: more than the rounding errors of those who verify it.
GROWTH = 1.0 + 1e-12
MARGIN = 1e-9
DIGITS = 9  # of a size as text, rounded up
DECIMALS = 9  # of a position, in meters
UP = Context(prec=DIGITS, rounding=ROUND_CEILING)
POLYGON = 32  # corners of the prism around a cylinder
TOLERANCE = 5e-4  # [m] between bound and value of how far a shape stands off
MOST_SPLITS = 4000


def as_single(values: Sequence[float]) -> Reals:
    """Return values as float32 holds them."""
    return tuple(array("f", values))


def few_corners(hull: Hull, most: int, *, single: bool = True) -> Optional[Hull]:
    """Return a hull of at most `most` corners, all float32 values, that contains another; the hull itself if it fits.

    None is returned if no such hull is found: for a body that is nearly flat, or thinner than the spacing of float32.

    Args:
        hull: the hull to be contained, as `convex_hull` returns it.
        most: the number of corners, at least 8.
        single: the corners of `hull` are float32 values, so that it can stay as it is.
    """
    if single:
        extreme = extreme_corners(hull)
        if len(extreme) <= most:
            return hull if len(extreme) == len(hull.corners) else convex_hull(extreme)
    # (1) of the module: the farthest corners, inside of the hull.
    inner = convex_hull(hull.corners, most)
    if inner is None:
        return None
    reach = max(map(abs, chain.from_iterable(hull.corners)))
    # (2) Planes parallel to its facets that have the whole hull below them.
    supports = _supports(inner, hull.corners)
    # Rounding to float32 may bring a corner back below a plane: try larger margins until the exact test passes.
    for margin in MARGINS:
        # (3) Each corner goes beyond the planes of its facets.
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
    """Return True if points are in a hull: exact, as the signs in `convex_hull` are."""
    whole = convex_hull([*outer.corners, *points])
    return whole is not None and set(extreme_corners(whole)) <= set(outer.corners)


def _supports(inner: Hull, points: Sequence[Point]) -> List[Plane]:
    """Return for each facet of an inner hull the plane with its normal that supports all points."""
    planes: List[Plane] = []
    for x, y, z in map(normal_of, inner.facets):
        length = norm((x, y, z)) or 1.0
        nx, ny, nz = x / length, y / length, z / length
        planes.append(((nx, ny, nz), max([nx * x + ny * y + nz * z for x, y, z in points])))
    return planes


def _pushed_out(inner: Hull, planes: Sequence[Plane], close: float) -> List[Point]:
    """Return the corners of a hull, each moved beyond the planes of all its facets."""
    around: Dict[int, List[Plane]] = {k: [] for k in range(len(inner.corners))}
    for triangle, plane in zip(inner.triangles, planes):
        for k in triangle:
            around[k].append(plane)
    return [_beyond(corner, around[k], close) for k, corner in enumerate(inner.corners)]


def _beyond(corner: Point, planes: Sequence[Plane], close: float) -> Point:
    """Return the nearest point beyond planes, by Hildreth's method: repeated sweeps over the planes.

    It may be below them by at most `close`.
    """
    x, y, z = corner
    weights = [0.0] * len(planes)
    for _ in range(SWEEPS):
        worst = 0.0
        for k, ((nx, ny, nz), level) in enumerate(planes):
            missing = level - (nx * x + ny * y + nz * z)
            # A plane only pushes: its weight stays at least 0, and it takes back what was too far.
            change = max(missing, -weights[k])
            if change:
                weights[k] += change
                x, y, z = x + change * nx, y + change * ny, z + change * nz
                worst = max(worst, abs(change))
        if worst <= close:
            break
    factor = 1.0
    # Planes that the sweeps have not reached: go farther in the same direction.
    way = subtract((x, y, z), corner)
    for n, level in planes:
        start = dot(n, corner)
        gained = dot(n, way)
        if 0.0 < gained < level - start - close:
            factor = max(factor, (level - start) / gained)
    return add(corner, scale(factor, way))


class Primitive(Record):
    """A primitive in the frame of its link.

    Attributes:
        kind: box, cylinder, capsule or sphere.
        pose: T_link_primitive; z is the axis of a cylinder or a capsule.
        sizes: of a box x, y, z; of a sphere its radius; else the radius and the length (without the ends of a capsule)
            [m].
    """

    kind: str
    pose: Transform
    sizes: Reals


def around(kind: str, pose: Transform, points: Sequence[Point], thinnest: float = 0.0) -> Primitive:
    """Return the least primitive with a pose around points, all in the frame of the link.

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
    """Return radius and length of the smallest of some capsules whose radius is at least that of the cylinder."""
    squares = [x * x + y * y for x, y, _ in local]
    heights = [abs(z) for _, _, z in local]
    best = (float("inf"), least, 0.0)
    for step in range(33):
        radius = least * (1.0 + 1e-9) + MARGIN + step / 32 * max(heights)
        # A ball about an end of the line reaches each point if the line is so long.
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
    """Return corners of a polytope around a primitive, in the frame of the link: a box itself, else slightly larger.

    A radius grows by GROWTH as well, which is more than rounding takes from it.
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
    """Return corners of a polytope around a capsule of half a length along z, or around a sphere, whose half is 0 [m]."""
    directions, inner = _ball()
    outer = GROWTH * radius / inner
    if not half:
        return [(outer * x, outer * y, outer * z) for x, y, z in directions]
    local: List[Vector] = []
    for end, side in ((half, 1.0), (-half, -1.0)):
        # Half a ball at each end, both with the equator: its z is zero up to rounding.
        local += [
            (outer * x, outer * y, outer * z + end) for x, y, z in directions if side * z > -1e-9
        ]
    return local


def _ball() -> Tuple[List[Vector], float]:
    """Return points all over the unit sphere, and the radius of a ball in their hull."""
    rings = 12
    circle = [cosine_sine(PI * k / rings) for k in range(2 * rings)]
    points: List[Vector] = [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
    for ring in range(1, rings):
        cosine, sine = cosine_sine(PI * ring / rings)
        points += [(sine * c, sine * s, cosine) for c, s in circle]
    # A direction is within half a step of a ring and half a step along it, so within sqrt(2) / 2 steps of a point.
    return points, cosine_sine(0.7072 * PI / rings)[0]


def overhang(corners: Sequence[Point], hull: Sequence[Point]) -> float:
    """Return the overhang: an upper bound of the distance from the hull of corners to that of other points [m].

    The distance to a convex body is convex, so the largest is at a corner; each is that to a convex combination of
    `hull`, so it is never too small.
    """
    return max(nearest_points([corner], hull).distance for corner in corners)


class MeshBody(Record):
    """A mesh file: the points that its triangles use, each once, the triangles as indices of them, and the hull.

    The hull is None if all points are in one plane.
    """

    path: str
    points: Tuple[Point, ...]
    triangles: Tuple[Triangle, ...]
    hull: Optional[Hull]


class CollisionSource(Record):
    """A collision with a mesh, or a visual that is to be one.

    Attributes:
        link: its name.
        kind, number: it is the `number`th element of that kind in its link, from 0.
        line, offset: of the element.
        mesh: as the URDF names it.
        scale, pose: of the mesh; T_link_mesh.
        body: the file.
    """

    link: str
    kind: str
    number: int
    line: int
    offset: int
    mesh: str
    scale: Vector
    pose: Transform
    body: MeshBody

    @property
    def in_link(self) -> Tuple[Point, ...]:
        """Return the points in the frame of the link."""
        return in_link(self.body.points, self.scale, self.pose)


class NewShape(Record):
    """The new shape for one or several collisions of a link, which contains them.

    Attributes:
        sources: what it contains; it replaces the element of the first.
        kind: "hull", or box, cylinder, capsule or sphere.
        hull: in the coordinates of the file of its source, or with `in_link` of the link; None for a primitive.
        in_link: the file is in the frame of the link.
        primitive: None for a hull.
        filename: of a hull, in the URDF; "" if no file is made.
        stays: the mesh is already convex and of few corners: nothing changes.
        overhang: a bound of its largest distance to the hull of what it contains [m].
        off_mesh: a bound of its largest distance to the mesh surface [m]; None: not asked for.
        part: the number of a part of the mesh, or of one of its spheres or pieces, from 1; 0: the whole mesh.
        trees: of spheres and convex pieces, the same for all of a mesh: for each of its triangles what it is cut into,
            and which of them holds that.
        boxes: of a convex piece: its box, halved until each box is near the solid.
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
        """Return the number of its triangles; 0 for a primitive."""
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
