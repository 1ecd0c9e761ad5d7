"""The distance of two convex bodies (Gilbert, Johnson and Keerthi 1988), and two triangles of two meshes that cross.

The results are bounds even if the iteration has not converged: two convex combinations of corners are never nearer than
the bodies, and the gap along a direction, over all corners, is never too large.

Triangles that cross are searched in boxes around parts of the meshes. Only boxes that overlap are split, so that a large
mesh with few triangles near the other mesh costs little.
"""

from __future__ import annotations

from functools import cached_property
from math import sqrt
from typing import Callable, Iterable, List, Optional, Sequence, Tuple, Union

from ..base.record_type import Record
from ..meshes.convex_hull import Point
from ..meshes.triangle_tree import TriangleBox, TriangleTree
from ..meshes.verify_witnesses import distance, normal_of, Triangle as Corners
from ..urdf.spatial_math import (
    add,
    cross,
    dot,
    move,
    norm,
    Transform,
    scale,
    subtract,
    Vector,
    ZERO,
)

MOST_STEPS = 60
CONVERGED = 1e-13  # of the square of the distance
SAME = 1e-26  # [m^2] below it, the bodies meet
# A corner of the difference, and the corners of the first and second body that it comes from.
Entry = Tuple[Point, Point, Point]
# The point that is nearest to the origin, its weights, and the numbers of the corners.
OnSimplex = Tuple[Point, List[float], List[int]]
DEEP = 1e-7  # [m] how far an edge must pass the plane and the sides of a triangle, so that rounding does not matter
MOST_VISITS = 1500  # pairs of boxes for two surfaces
# The number of a triangle in its mesh; for a primitive, the corners of a triangle inside it.
ShownTriangle = Union[int, Corners]
# The numbers of two triangles that cross, and a common point in the frame of the first mesh.
Crossing = Tuple[int, int, Vector]


class NearestPoints(Record):
    """The nearest points of two bodies, up to the accuracy of the iteration.

    Attributes:
        distance: an upper bound of the distance of the bodies [m]; 0.0 if they meet.
        gap: a lower bound of their distance [m]; not positive if they are not known to be apart.
        normal: the unit vector of the gap, from the second body to the first.
        on_first, on_second: the points.
    """

    distance: float
    gap: float
    normal: Point
    on_first: Point
    on_second: Point


def nearest_points(first: Sequence[Point], second: Sequence[Point]) -> NearestPoints:
    """Return the nearest points of the hulls of two sets of points, both in the same frame."""
    # The bodies meet if their difference contains the origin; `v` is its point nearest to the origin so far.
    simplex: List[Entry] = [(subtract(first[0], second[0]), first[0], second[0])]
    v = simplex[0][0]
    weights = [1.0]
    best_gap = -1.0
    best_normal = (1.0, 0.0, 0.0)
    for _ in range(MOST_STEPS):
        vx, vy, vz = v
        square = vx * vx + vy * vy + vz * vz
        if square <= SAME:
            break
        # Along v, the nearest point so far, the extremes of both bodies bound their distance.
        heights_of_first = [vx * x + vy * y + vz * z for x, y, z in first]
        heights_of_second = [vx * x + vy * y + vz * z for x, y, z in second]
        lowest = min(heights_of_first)
        highest = max(heights_of_second)
        length = sqrt(square)
        if (lowest - highest) / length > best_gap:
            best_gap = (lowest - highest) / length
            best_normal = (vx / length, vy / length, vz / length)
        # No corner is nearer than v along its own direction: v is the nearest point.
        if square - (lowest - highest) <= CONVERGED * square:
            break
        a = first[heights_of_first.index(lowest)]
        b = second[heights_of_second.index(highest)]
        w = subtract(a, b)
        # A corner that the simplex already has brings no progress: only rounding is left.
        if any(w == entry[0] for entry in simplex):
            break
        simplex.append((w, a, b))
        # Corners with no weight in the nearest point are dropped, so a simplex has four corners at most.
        v, weights, kept = _nearest_of([entry[0] for entry in simplex])
        simplex = [simplex[k] for k in kept]
        if len(kept) == 4:  # the origin is inside
            v = ZERO
            break

    on_first = _mixed(weights, [entry[1] for entry in simplex])
    on_second = _mixed(weights, [entry[2] for entry in simplex])
    least_distance = distance(on_first, on_second) if v != ZERO else 0.0
    return NearestPoints(
        distance=least_distance,
        gap=best_gap,
        normal=best_normal,
        on_first=on_first,
        on_second=on_second,
    )


def _mixed(weights: Sequence[float], points: Sequence[Point]) -> Point:
    """Return the sum of points, each with its weight."""
    mixed = ZERO
    for weight, point in zip(weights, points):
        mixed = add(mixed, scale(weight, point))
    return mixed


def _nearest_of(points: List[Point]) -> OnSimplex:
    """Return the point of a simplex that is nearest to the origin, as a combination of as few corners as needed."""
    if len(points) == 2:
        return _on_segment(points, 0, 1)
    if len(points) == 3:
        return _on_triangle(points, 0, 1, 2)
    return _in_tetrahedron(points)


def _on_segment(points: List[Point], i: int, j: int) -> OnSimplex:
    """Return the point of a segment nearest to the origin: between its ends, else an end."""
    edge = subtract(points[j], points[i])
    along = -dot(points[i], edge)
    square = dot(edge, edge)
    if along <= 0.0 or square == 0.0:
        return points[i], [1.0], [i]
    if along >= square:
        return points[j], [1.0], [j]
    t = along / square
    return add(points[i], scale(t, edge)), [1.0 - t, t], [i, j]


def _on_triangle(points: List[Point], i: int, j: int, k: int) -> OnSimplex:
    """Return the point of a triangle nearest to the origin: inside it, else on the nearest of its edges."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = points[i], points[j], points[k]
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    square = nx * nx + ny * ny + nz * nz
    if square > 0.0:
        # Weights of the foot of the origin in the plane, times the square.
        wc = -((uy * az - uz * ay) * nx + (uz * ax - ux * az) * ny + (ux * ay - uy * ax) * nz)
        wb = -((ay * vz - az * vy) * nx + (az * vx - ax * vz) * ny + (ax * vy - ay * vx) * nz)
        wa = square - wb - wc
        if wa > 0.0 and wb > 0.0 and wc > 0.0:
            t = (nx * ax + ny * ay + nz * az) / square
            return (t * nx, t * ny, t * nz), [wa / square, wb / square, wc / square], [i, j, k]
    return min(
        (_on_segment(points, i, j), _on_segment(points, j, k), _on_segment(points, i, k)),
        key=_square,
    )


def _square(nearest: OnSimplex) -> float:
    """Return the square of the distance of a point of a simplex from the origin."""
    return dot(nearest[0], nearest[0])


def _in_tetrahedron(points: List[Point]) -> OnSimplex:
    """Return the nearest point of a tetrahedron: the origin if it is inside, else the nearest on a facet that faces it."""
    candidates: List[OnSimplex] = []
    # Each facet, and the corner opposite to it.
    for i, j, k, other in ((0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 3, 1), (1, 2, 3, 0)):
        n = normal_of((points[i], points[j], points[k]))
        height = dot(n, subtract(points[other], points[i]))
        origin = -dot(n, points[i])
        if height * origin <= 0.0:
            candidates.append(_on_triangle(points, i, j, k))
    if not candidates:
        return ZERO, _weights_of_origin(points), [0, 1, 2, 3]
    return min(candidates, key=_square)


def _weights_of_origin(points: List[Point]) -> List[float]:
    """Return the barycentric coordinates of the origin in a tetrahedron, from the volumes opposite to its corners."""
    volumes = [
        abs(dot(points[i], cross(points[j], points[k])))
        for i, j, k in ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))
    ]
    whole = volumes[0] + volumes[1] + volumes[2] + volumes[3]
    return [volume / whole for volume in volumes] if whole else [0.25] * 4


class TrianglesInLinkFrame:
    """The triangles of a mesh, or of a body inside a primitive, in the frame of the link.

    `number` is the index of the collision in its link.
    """

    def __init__(
        self, number: int, corners: Callable[[], Sequence[Corners]], *, is_mesh: bool = True
    ) -> None:
        """Keep the function that computes the corners: many surfaces are never needed."""
        self.number = number
        self.is_mesh = is_mesh
        self._corners = corners

    @cached_property
    def tree(self) -> TriangleTree:
        """The triangles in boxes, made on demand, because most meshes do not need them."""
        return TriangleTree(self._corners())

    def shown(self, number: int) -> ShownTriangle:
        """Return a triangle as a contact records it: by its number in a mesh, by its corners in a primitive."""
        return number if self.is_mesh else self.tree.triangles[number]


def find_crossing(
    first: TrianglesInLinkFrame, second: TrianglesInLinkFrame, T_first_second: Transform
) -> Tuple[Optional[Crossing], int]:
    """Return two triangles that cross, or None if none were found, and the number of examined pairs of boxes."""
    waiting = [(first.tree.root, second.tree.root)]
    visits = 0
    while waiting and visits < MOST_VISITS:
        box, other_box = waiting.pop()
        visits += 1
        own_extent = _middle_and_half(box)
        other_extent = _middle_and_half(other_box)
        if _are_apart(own_extent, other_extent, T_first_second):
            continue
        parts = first.tree.halves(box)
        parts_of_other = second.tree.halves(other_box)
        # The larger of the two boxes is split.
        is_larger = max(own_extent[1]) >= max(other_extent[1])
        if parts and (is_larger or not parts_of_other):
            waiting += [(part, other_box) for part in parts]
        elif parts_of_other:
            waiting += [(box, part) for part in parts_of_other]
        else:
            crossing = _first_of(first, box.numbers, second, other_box.numbers, T_first_second)
            if crossing:
                return crossing, visits
    return None, visits


def _middle_and_half(box: TriangleBox) -> Tuple[Vector, Vector]:
    """Return the middle of a box, and half of each side."""
    (a, b, c), (d, e, f) = box.low, box.high
    return scale(0.5, (a + d, b + e, c + f)), scale(0.5, (d - a, e - b, f - c))


def _are_apart(
    first_box: Tuple[Vector, Vector], second_box: Tuple[Vector, Vector], T_first_second: Transform
) -> bool:
    """Return True if a plane parallel to a side of one of two boxes separates them.

    A box is given by its middle and half of each side. Most pairs of boxes are apart in the first direction, so each
    direction returns at once: this takes two thirds of the time of a single expression.
    """
    (r11, r12, r13), (r21, r22, r23), (r31, r32, r33) = T_first_second.rotation
    middle, (a1, a2, a3) = first_box
    middle_of_other, (b1, b2, b3) = second_box
    x, y, z = subtract(move(T_first_second, middle_of_other), middle)

    # Sides of the first box: along its axis k the second box reaches |R_k| . b.
    if abs(x) > a1 + abs(r11) * b1 + abs(r12) * b2 + abs(r13) * b3:
        return True
    if abs(y) > a2 + abs(r21) * b1 + abs(r22) * b2 + abs(r23) * b3:
        return True
    if abs(z) > a3 + abs(r31) * b1 + abs(r32) * b2 + abs(r33) * b3:
        return True
    # Sides of the second box: its axes are the columns of R.
    if abs(r11 * x + r21 * y + r31 * z) > b1 + abs(r11) * a1 + abs(r21) * a2 + abs(r31) * a3:
        return True
    if abs(r12 * x + r22 * y + r32 * z) > b2 + abs(r12) * a1 + abs(r22) * a2 + abs(r32) * a3:
        return True
    return abs(r13 * x + r23 * y + r33 * z) > b3 + abs(r13) * a1 + abs(r23) * a2 + abs(r33) * a3


def _first_of(
    first: TrianglesInLinkFrame,
    first_numbers: Iterable[int],
    second: TrianglesInLinkFrame,
    second_numbers: Iterable[int],
    T_first_second: Transform,
) -> Optional[Crossing]:
    """Return the first two triangles that cross, with a common point in the frame of the first mesh; None if none do."""
    placed_triangles: List[Tuple[int, Corners]] = []
    for k in second_numbers:
        a, b, c = second.tree.triangles[k]
        placed_triangles.append(
            (k, (move(T_first_second, a), move(T_first_second, b), move(T_first_second, c)))
        )
    for number in first_numbers:
        triangle = first.tree.triangles[number]
        for k, other in placed_triangles:
            point = _pierced(triangle, other) or _pierced(other, triangle)
            if point:
                return number, k, point
    return None


def _pierced(edges: Corners, triangle: Corners) -> Optional[Vector]:
    """Return a point where an edge of the first triangle crosses the second, at least DEEP from its sides, or None."""
    n = normal_of(triangle)
    heights = [dot(n, subtract(corner, triangle[0])) for corner in edges]
    if min(heights) >= 0.0 or max(heights) <= 0.0:
        return None
    area = norm(n)
    for k, above in enumerate(heights):
        start = edges[k - 1]
        end = edges[k]
        below = heights[k - 1]
        if above * below >= 0.0 or min(abs(above), abs(below)) <= DEEP * area:
            continue
        point = add(start, scale(below / (below - above), subtract(end, start)))
        if _is_amid(point, triangle, n, area):
            return point
    return None


def _is_amid(point: Point, triangle: Corners, n: Vector, area: float) -> bool:
    """Return True if a point in the plane of a triangle is inside the triangle, at least DEEP from its sides."""
    for k in (0, 1, 2):
        side = subtract(triangle[k], triangle[k - 1])
        inward = dot(cross(side, subtract(point, triangle[k - 1])), n)
        if inward <= DEEP * area * norm(side):
            return False
    return True
