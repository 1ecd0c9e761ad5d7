"""The proof, without any search, that each point of triangles is near a surface or in balls, by a list of witnesses.

A witness is a triangle or a ball. The distance to it is a convex function, so on a triangle it is largest at a corner:
a piece whose three corners are within a distance of one witness is within it as a whole. The list has a tree of pieces
for each triangle, in depth-first order: the index of a piece's witness, or, below 0, `cut_at(edge, part)`, which splits
a piece from the corner opposite to the edge to the point at this fraction of the edge. A step is a single number,
because a mesh has millions of them.
"""

from __future__ import annotations

from math import floor, inf, isnan, sqrt
from typing import Callable, Iterable, List, Sequence, Tuple, TypeVar

from ..base.record_type import Record

Point = Tuple[float, float, float]
Triangle = Tuple[Point, Point, Point]
Witness = TypeVar("Witness")
Place = TypeVar("Place")
Number = TypeVar("Number", int, float)


def distance(a: Point, b: Point) -> float:
    """Return the distance of two points, with the same last digit on every machine."""
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return sqrt(x * x + y * y + z * z)


class Ball(Record):
    """A ball: center and radius [m]."""

    center: Point
    radius: float


Tree = Sequence[float]


def triangles_at(
    points: Sequence[Place], triangles: Iterable[Sequence[int]]
) -> List[Tuple[Place, Place, Place]]:
    """Return the corners of triangles given by numbers of points."""
    return [(points[a], points[b], points[c]) for a, b, c in triangles]


def cut_at(edge: int, part: float) -> float:
    """Return the step that cuts an edge (0: from the first to the second corner) at a fraction of it, 0 to below 1."""
    return -1.0 - edge - part


def verify_cover(
    triangles: Sequence[Triangle],
    trees: Sequence[Tree],
    witnesses: Sequence[Witness],
    gap: Callable[[Point, Witness], float],
) -> float:
    """Return an upper bound [m] for the distance of all points of the triangles to the witnesses; inf: not proven.

    Args:
        trees: the pieces of each triangle.
        gap: the distance of a point to a witness, or an upper bound; it must be a convex function of the point.
    """
    if len(trees) != len(triangles):
        return inf
    largest = 0.0
    for triangle, tree in zip(triangles, trees):
        # The cuts are repeated in the listed order, so a piece without a witness is not proven.
        pieces = [triangle]
        for step in tree:
            if not pieces:
                return inf
            piece = pieces.pop()
            if -4.0 < step <= -1.0:
                pieces += halves(piece, step)[::-1]
            elif 0.0 <= step < len(witnesses):
                witness = witnesses[int(step)]
                for corner in piece:
                    far = gap(corner, witness)
                    if not far <= largest:  # farther, or NaN
                        largest = inf if isnan(far) else far
            else:
                return inf
        if pieces:
            return inf
    return largest


def halves(piece: Triangle, cut: float) -> List[Triangle]:
    """Return both parts of a piece, with its winding.

    Any cut ends on the edge, so the parts cover the piece. They are exact for fractions.
    """
    # The inverse of `cut_at`.
    edge = floor(-1 - cut)
    part = -1 - cut - edge
    a, b, c = piece[edge % 3], piece[(edge + 1) % 3], piece[(edge + 2) % 3]
    point = (a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2]))
    return [(a, point, c), (point, b, c)]


def longest_side(triangle: Triangle) -> Tuple[float, float]:
    """Return the length of the longest side of a triangle [m], and the step that halves it."""
    a, b, c = triangle
    sides = distance(a, b), distance(b, c), distance(c, a)
    longest = max(sides)
    return longest, cut_at(sides.index(longest), 0.5)


def middle_of(triangle: Triangle) -> Point:
    """Return the mean of the corners of a triangle."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    return ((ax + bx + cx) / 3.0, (ay + by + cy) / 3.0, (az + bz + cz) / 3.0)


def normal_of(triangle: Sequence[Tuple[Number, Number, Number]]) -> Tuple[Number, Number, Number]:
    """Return the normal of a triangle, with twice the area as its length; exact for integers."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


def corner_gap(point: Point, triangle: Triangle) -> float:
    """Return the distance of a point to the nearest corner of a triangle: a fast upper bound of `triangle_gap`."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    # `distance` inlined: a comparison of meshes calls this for each corner.
    x, y, z = point
    ax, ay, az = ax - x, ay - y, az - z
    bx, by, bz = bx - x, by - y, bz - z
    cx, cy, cz = cx - x, cy - y, cz - z
    return sqrt(
        min(
            ax * ax + ay * ay + az * az,
            bx * bx + by * by + bz * bz,
            cx * cx + cy * cy + cz * cz,
        )
    )


def ball_gap(point: Point, ball: Ball) -> float:
    """Return the distance of a point to a ball, 0 if it is inside."""
    gap = distance(point, ball.center) - ball.radius
    return 0.0 if gap <= 0.0 else gap  # NaN stays NaN, so that it proves nothing


def triangle_gap(point: Point, triangle: Triangle) -> float:
    """Return the distance of a point to a triangle: to the nearest point of the triangle, up to rounding."""
    # Inlined, because most of the time of all searches and proofs on meshes is spent here.
    a, b, c = triangle
    px, py, pz = point
    ax, ay, az = a
    ux, uy, uz = b[0] - ax, b[1] - ay, b[2] - az
    vx, vy, vz = c[0] - ax, c[1] - ay, c[2] - az
    wx, wy, wz = px - ax, py - ay, pz - az
    uu = ux * ux + uy * uy + uz * uz
    uv = ux * vx + uy * vy + uz * vz
    vv = vx * vx + vy * vy + vz * vz
    uw = ux * wx + uy * wy + uz * wz
    vw = vx * wx + vy * wy + vz * wz
    area = uu * vv - uv * uv
    # Coordinates along u and v of the foot of the point, times `area`.
    s = vv * uw - uv * vw
    t = uu * vw - uv * uw
    # `area` is uu * vv * sin^2 of the angle: below 1e-4 rad only the sides are measured.
    if area > 1e-8 * uu * vv:
        if s >= 0.0 and t >= 0.0 and s + t <= area:
            s /= area
            t /= area
            wx = px - (ax + s * ux + t * vx)
            wy = py - (ay + s * uy + t * vy)
            wz = pz - (az + s * uz + t * vz)
            return sqrt(wx * wx + wy * wy + wz * wz)
        # The nearest side is a side that separates the foot of the point from the triangle.
        nearest = inf
        if t < 0.0:
            nearest = segment_gap(point, a, b)
        if s < 0.0:
            nearest = min(nearest, segment_gap(point, c, a))
        if s + t > area:
            nearest = min(nearest, segment_gap(point, b, c))
        return nearest
    return min(segment_gap(point, a, b), segment_gap(point, b, c), segment_gap(point, c, a))


def segment_gap(point: Point, a: Point, b: Point) -> float:
    """Return the distance of a point to a segment."""
    ax, ay, az = a
    ux, uy, uz = b[0] - ax, b[1] - ay, b[2] - az
    along = (point[0] - ax) * ux + (point[1] - ay) * uy + (point[2] - az) * uz
    if along <= 0.0:
        return distance(point, a)
    squared = ux * ux + uy * uy + uz * uz
    if along >= squared:
        return distance(point, b)
    part = along / squared
    wx = point[0] - (ax + part * ux)
    wy = point[1] - (ay + part * uy)
    wz = point[2] - (az + part * uz)
    return sqrt(wx * wx + wy * wy + wz * wz)
