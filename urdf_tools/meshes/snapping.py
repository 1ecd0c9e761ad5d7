"""Pair the triangles of two surfaces that are equal up to rounding, by snapping points to their neighbors."""
from math import dist, floor
from typing import Dict, List, NamedTuple, Sequence, Tuple

from .witnesses import Point, Triangle

CELLS = 64.0  # side of a grid cell in allowed steps: few points are near a wall, and need more than one cell


class Snapped(NamedTuple):
    """Pairs of equal triangles up to rounding, as (number in A, number in B); in `turned`, normals are opposite."""

    pairs: List[Tuple[int, int]]
    turned: List[Tuple[int, int]]


def oriented(triangle: Triangle) -> Triangle:
    """Return a triangle with its least corner first, with the same winding."""
    a, b, c = triangle
    return triangle if a <= b and a <= c else (b, c, a) if b <= c else (c, a, b)


def flipped(triangle: Triangle) -> Triangle:
    """Return an oriented triangle that faces the other way."""
    return triangle[0], triangle[2], triangle[1]


def snap(a: Sequence[Triangle], b: Sequence[Triangle], step: float) -> Snapped:
    """Pair triangles whose corners are at most `step` [m] apart.

    A grid proposes neighbors. A neighbor that it misses only costs a pair: the result stays correct.
    """
    cells: Dict[Tuple[int, int, int], List[Point]] = {}
    side = CELLS * step
    for point in {corner for triangle in a for corner in triangle}:
        x, y, z = point
        cells.setdefault((floor(x / side), floor(y / side), floor(z / side)), []).append(point)
    moved: Dict[Point, Point] = {}
    for point in {corner for triangle in b for corner in triangle}:
        ranges = [range(floor((value - step) / side), floor((value + step) / side) + 1) for value in point]
        near = [other for i in ranges[0] for j in ranges[1] for k in ranges[2] for other in cells.get((i, j, k), ())]
        nearest = min(near, key=lambda other: dist(point, other), default=point)
        moved[point] = nearest if dist(point, nearest) <= step else point
    numbers: Dict[Triangle, List[int]] = {}
    for number, triangle in enumerate(a):
        numbers.setdefault(oriented(triangle), []).append(number)
    snapped = Snapped([], [])
    for number, (p, q, r) in enumerate(b):
        triangle = oriented((moved[p], moved[q], moved[r]))
        other = oriented(flipped(triangle))
        for pairs, key in ((snapped.pairs, triangle), (snapped.turned, other)):
            if key in numbers:
                pairs += [(partner, number) for partner in numbers[key]]
                break
    return snapped
