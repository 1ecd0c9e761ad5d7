"""The triangles of two surfaces that are the same but for rounding: points next to each other are taken for one."""
from math import dist, floor
from typing import Dict, List, NamedTuple, Sequence, Tuple

from .witnesses import Point, Triangle

CELLS = 64.0  # the side of a cell by the step that is allowed: few points are next to a wall


class Snapped(NamedTuple):
    """Pairs of triangles that are the same but for rounding, as (number in A, number in B); `turned`: face the other
    way."""

    pairs: List[Tuple[int, int]]
    turned: List[Tuple[int, int]]


def oriented(triangle: Triangle) -> Triangle:
    """Return a triangle with its least corner first, and its sense of rotation."""
    a, b, c = triangle
    return triangle if a <= b and a <= c else (b, c, a) if b <= c else (c, a, b)


def flipped(triangle: Triangle) -> Triangle:
    """Return an oriented triangle that faces the other way."""
    return triangle[0], triangle[2], triangle[1]


def snap(a: Sequence[Triangle], b: Sequence[Triangle], step: float) -> Snapped:
    """Pair triangles whose corners are at most `step` [m] apart.

    A grid proposes neighbors. Where it misses one, a pair is missed, and nothing else is wrong.
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
    found = Snapped([], [])
    for number, (p, q, r) in enumerate(b):
        triangle = oriented((moved[p], moved[q], moved[r]))
        other = oriented(flipped(triangle))
        for pairs, key in ((found.pairs, triangle), (found.turned, other)):
            if key in numbers:
                pairs += [(partner, number) for partner in numbers[key]]
                break
    return found
