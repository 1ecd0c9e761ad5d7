"""Find where on triangles a function that changes by at most 1 m per m is largest, such as the distance to a mesh.

Its value in the middle of a triangle, and the distance of the corners from there, bound it on all of the triangle. The
triangle with the largest bound is halved until bound and value are near.
"""
from heapq import heapify, heappop, heappush
from math import inf
from typing import Callable, Iterable, List, NamedTuple, Tuple

from ..urdf.spatial import distance
from .witnesses import cut_at, halves, Point, Triangle


class Farthest(NamedTuple):
    """The largest value that is known, its point, and an upper bound of all values; -inf without triangles."""

    value: float
    point: Point
    bound: float


def farthest(triangles: Iterable[Triangle], gap: Callable[[Point], float], close: float, steps: int) -> Farthest:
    """Return the largest value of `gap` on triangles, to within `close` if so many steps are enough."""
    best: Tuple[float, Point] = (-inf, (0.0, 0.0, 0.0))

    def bounded(triangle: Triangle) -> Tuple[float, Triangle]:
        nonlocal best
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
        middle = ((ax + bx + cx) / 3.0, (ay + by + cy) / 3.0, (az + bz + cz) / 3.0)
        value = gap(middle)
        best = max(best, (value, middle))
        return -(value + max(distance(middle, corner) for corner in triangle)), triangle

    waiting: List[Tuple[float, Triangle]] = [bounded(triangle) for triangle in triangles]
    heapify(waiting)
    for _ in range(steps):
        if not waiting or -waiting[0][0] <= best[0] + close:
            break
        for half in halved(heappop(waiting)[1]):
            heappush(waiting, bounded(half))
    return Farthest(*best, max(best[0], -waiting[0][0]) if waiting else best[0])


def halved(triangle: Triangle) -> List[Triangle]:
    """Return the two halves of a triangle, cut at its longest edge."""
    sides = [distance(triangle[k], triangle[k - 2]) for k in (0, 1, 2)]
    return halves(triangle, cut_at(sides.index(max(sides)), 0.5))
