"""The largest distance from a convex shape to the mesh that it contains, as an upper bound: the cost of convexity.

The distance to a mesh has Lipschitz constant 1: its value in the middle of a triangle plus the distance to the corners
bounds it on all of the triangle. The triangle with the largest bound is split until bound and value are near.
Distances are to samples of the mesh, so they are never too small.
"""
from heapq import heapify, heappop, heappush
from math import sqrt
from typing import Iterable, List, NamedTuple, Sequence, Tuple, Union

from ..meshes.hull import convex_hull, Point, Triangle

SPACING, LEAST_SPACING = 1.0 / 60.0, 2e-3  # of samples: of the size of the mesh; [m]
TOLERANCE = 5e-4  # [m] between bound and value
MOST_SPLITS = 4000
LEAF = 16


def off_mesh(corners: Sequence[Point], points: Sequence[Point], triangles: Sequence[Triangle]) -> float:
    """Return an upper bound of the distance from the hull of corners to a mesh [m], both in the same frame."""
    hull = convex_hull(corners)
    if hull is None:
        return float("inf")
    size = max(max(column) - min(column) for column in zip(*points))
    tree = _tree(_samples(points, triangles, max(LEAST_SPACING, SPACING * size)))
    waiting = [_bounded(tuple(hull.corners[k] for k in triangle), tree) for triangle in hull.triangles]
    heapify(waiting)
    value = max(-bounded[1] for bounded in waiting)
    for _ in range(MOST_SPLITS):
        bound, _, corners_of = waiting[0]
        if -bound - value <= TOLERANCE:
            break
        heappop(waiting)
        for smaller in _split(corners_of):
            bounded = _bounded(smaller, tree)
            value = max(value, -bounded[1])
            heappush(waiting, bounded)
    return -waiting[0][0]


Corners = Tuple[Point, ...]
Bounded = Tuple[float, float, Corners]  # bound and value, both negative, and the triangle


def _bounded(corners: Corners, tree: "Tree") -> Bounded:
    """Return the bound of the distance on a triangle, and its value in the middle."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
    x, y, z = (ax + bx + cx) / 3.0, (ay + by + cy) / 3.0, (az + bz + cz) / 3.0
    value = sqrt(_nearest(tree, (x, y, z), float("inf")))
    radius = sqrt(max((px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z) for px, py, pz in corners))
    return -(value + radius), -value, corners


def _split(corners: Corners) -> Iterable[Corners]:
    """Yield the two halves of a triangle, split at its longest edge."""
    a, b, c = corners
    for _ in range(3):
        if _square(a, b) >= max(_square(b, c), _square(c, a)):
            break
        a, b, c = b, c, a
    middle = ((a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0, (a[2] + b[2]) / 2.0)
    yield a, middle, c
    yield middle, b, c


def _square(a: Point, b: Point) -> float:
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    return x * x + y * y + z * z


def _samples(points: Sequence[Point], triangles: Sequence[Triangle], spacing: float) -> List[Point]:
    """Return points all over the triangles of a mesh, with distances of about `spacing` [m]."""
    samples = dict.fromkeys(points[k] for triangle in triangles for k in triangle)
    for i, j, k in triangles:
        a, b, c = points[i], points[j], points[k]
        steps = int(sqrt(max(_square(a, b), _square(b, c), _square(c, a))) / spacing) + 1
        for p in range(steps + 1) if steps > 1 else ():
            for q in range(steps + 1 - p):
                u, v = p / steps, q / steps
                w = 1.0 - u - v
                samples[(u * a[0] + v * b[0] + w * c[0], u * a[1] + v * b[1] + w * c[1],
                       u * a[2] + v * b[2] + w * c[2])] = None
    return list(samples)


class _Branch(NamedTuple):
    axis: int
    level: float
    below: "Tree"
    above: "Tree"


Tree = Union[_Branch, List[Point]]


def _tree(points: List[Point]) -> Tree:
    """Return a k-d tree."""
    if len(points) <= LEAF:
        return points
    axis = max(range(3), key=lambda k: max(point[k] for point in points) - min(point[k] for point in points))
    ordered = sorted(points, key=lambda point: point[axis])
    half = len(ordered) // 2
    return _Branch(axis, ordered[half][axis], _tree(ordered[:half]), _tree(ordered[half:]))


def _nearest(tree: Tree, point: Point, best: float) -> float:
    """Return the square of the distance to the nearest point of a tree, or `best` if that is less."""
    if isinstance(tree, _Branch):
        off = point[tree.axis] - tree.level
        first, second = (tree.below, tree.above) if off < 0.0 else (tree.above, tree.below)
        best = _nearest(first, point, best)
        return _nearest(second, point, best) if off * off < best else best
    x, y, z = point
    return min([best, *[(px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z) for px, py, pz in tree]])
