"""The searches for the triangle nearest to a point, and for the point of triangles with the largest value of a function.

The nearest triangle is found by a tree of boxes, each of which is split on its first visit. The largest value is found
for functions that change by at most 1 m per m, such as the distance to a mesh. The value in the middle of a triangle,
and the distance of the corners from the middle, bound the function on all of the triangle. The triangle with the
largest bound is halved until bound and value are close.
"""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ..base.record_type import Record
from .verify_witnesses import (
    distance,
    halves,
    longest_side,
    middle_of,
    Point,
    Triangle,
    triangle_gap,
)

MOST_IN_A_LEAF = 4
MOST_STEPS = 64  # of a walk: beyond this number the tree is faster


class TriangleBox:
    """A box around triangles: their numbers, or its two halves after a split."""

    __slots__ = ("low", "high", "numbers", "parts")

    def __init__(self, numbers: List[int], triangles: Sequence[Triangle]) -> None:
        """Bound the triangles of these numbers; the box is not split yet."""
        corners = zip(*[triangles[number] for number in numbers])
        columns = [[*zip(*points)] for points in corners]
        self.low = tuple(min(map(min, axis)) for axis in zip(*columns))
        self.high = tuple(max(map(max, axis)) for axis in zip(*columns))
        self.numbers = numbers
        self.parts: Sequence[TriangleBox] = ()

    def squared_gap(self, point: Point) -> float:
        """Return the square of the distance from a point to the box."""
        x, y, z = point
        i, j, k = self.low
        p, q, r = self.high
        u = i - x if x < i else x - p if x > p else 0.0
        v = j - y if y < j else y - q if y > q else 0.0
        w = k - z if z < k else z - r if z > r else 0.0
        return u * u + v * v + w * w


class TriangleTree:
    """The triangles of a surface, at least one, each with three different corners."""

    def __init__(self, triangles: Sequence[Triangle]) -> None:
        """Begin with one box around all triangles; it is split when a search enters it."""
        self.triangles = triangles
        self.root = TriangleBox(list(range(len(triangles))), triangles)
        self.last = 0  # the nearest triangle of the last search: neighboring points often share it
        # The triangles at a corner, filled on first use.
        self.around: Dict[Point, List[int]] = {}
        # The triangles that share an edge with each triangle, filled on first use.
        self.beside: List[Optional[Tuple[int, ...]]] = [None] * len(triangles)

    def nearest(self, point: Point, within: float = inf, good: float = 0.0) -> Tuple[float, int]:
        """Return the distance [m] and the number of the nearest triangle; (`within`, -1) if none is nearer than `within`.

        The search ends at the first triangle within `good` [m].
        """
        best = within
        number = -1
        triangles = self.triangles
        # Consecutive points are close to each other, so the last nearest triangle is a good first bound.
        gap = triangle_gap(point, triangles[self.last])
        if gap < best:
            best = gap
            number = self.last
        waiting = [(self.root.squared_gap(point), self.root)] if best > good or number < 0 else []
        x, y, z = point
        while waiting:
            squared, box = waiting.pop()
            if squared >= best * best:
                continue
            if box.parts or len(box.numbers) > MOST_IN_A_LEAF:
                nearer = -1.0
                # `squared_gap` inlined, because most of the time is spent here.
                for part in box.parts or self.halves(box):
                    i, j, k = part.low
                    p, q, r = part.high
                    u = i - x if x < i else x - p if x > p else 0.0
                    v = j - y if y < j else y - q if y > q else 0.0
                    w = k - z if z < k else z - r if z > r else 0.0
                    squared = u * u + v * v + w * w
                    if squared >= best * best:
                        continue
                    # The list is a stack, so the nearest box is put last.
                    if squared > nearer >= 0.0:
                        waiting.insert(-1, (squared, part))
                    else:
                        waiting.append((squared, part))
                        nearer = squared
                continue
            for candidate in box.numbers:
                gap = triangle_gap(point, triangles[candidate])
                if gap < best:
                    best = gap
                    number = candidate
            if best <= good and number >= 0:
                break
        self.last = max(number, 0)
        return best, number

    def walk(self, start: int, point: Point, within: float, good: float) -> int:
        """Return a triangle that is less than `within` [m] from a point, or -1 if the walk ends too far away.

        The walk goes from each triangle to the neighbor nearest to the point, never to `start`, as long as the distance
        decreases, or until it is within `good` [m].
        """
        triangles = self.triangles
        # From here on only closer triangles count, so the walk cannot loop.
        best = inf
        number = -1
        following = start
        for _ in range(MOST_STEPS):
            nearest = -1
            for other in self.beside[following] or self._neighbors(following):
                gap = triangle_gap(point, triangles[other]) if other != start else inf
                if gap < best:
                    best = gap
                    nearest = other
            if nearest < 0:
                break
            number = following = nearest
            if best <= good:
                break
        if best >= within:
            return -1
        self.last = number
        return number

    def _neighbors(self, number: int) -> Tuple[int, ...]:
        """Return the triangles that share an edge with a triangle, cached in `beside`."""
        if not self.around:
            for other, corners in enumerate(self.triangles):
                for corner in corners:
                    self.around.setdefault(corner, []).append(other)
        a, b, c = (set(self.around[corner]) for corner in self.triangles[number])
        # A triangle at both ends of an edge shares the edge.
        others = a & b | b & c | c & a
        numbers = tuple(sorted(others - {number}))
        self.beside[number] = numbers
        return numbers

    @cached_property
    def sums(self) -> List[List[float]]:
        """Three times the middle of each triangle, for each axis."""
        return [[a[axis] + b[axis] + c[axis] for a, b, c in self.triangles] for axis in range(3)]

    def halves(self, box: TriangleBox) -> Sequence[TriangleBox]:
        """Split a box in two halves with equally many triangles, and return them; () for a leaf."""
        if box.parts or len(box.numbers) <= MOST_IN_A_LEAF:
            return box.parts
        triangles = self.triangles
        # Along the axis in which the middles of the triangles are spread most.
        columns = [[sums[number] for number in box.numbers] for sums in self.sums]
        widest = max(columns, key=lambda column: max(column) - min(column))
        numbers = [number for _, number in sorted(zip(widest, box.numbers))]
        half = len(numbers) // 2
        box.parts = (TriangleBox(numbers[:half], triangles), TriangleBox(numbers[half:], triangles))
        box.numbers = []
        return box.parts


class LargestValue(Record):
    """The largest known value, its point, and an upper bound of all values; -inf without triangles."""

    value: float
    point: Point
    bound: float


def farthest(
    triangles: Iterable[Triangle], gap: Callable[[Point], float], close: float, steps: int
) -> LargestValue:
    """Return the largest value of `gap` on triangles, to within `close` if the number of `steps` is enough."""
    from heapq import heapify, heappop, heappush

    best: Tuple[float, Point] = (-inf, (0.0, 0.0, 0.0))

    def bounded(triangle: Triangle) -> Tuple[float, Triangle]:
        """Return the negated bound of a triangle, and the triangle; `best` takes the value in its middle."""
        nonlocal best
        middle = middle_of(triangle)
        value = gap(middle)
        best = max(best, (value, middle))
        # Negative, because `heapq` has the smallest first.
        return -(value + max(distance(middle, corner) for corner in triangle)), triangle

    waiting: List[Tuple[float, Triangle]] = [bounded(triangle) for triangle in triangles]
    heapify(waiting)
    for _ in range(steps):
        if not waiting or -waiting[0][0] <= best[0] + close:
            break
        triangle = heappop(waiting)[1]
        for half in halves(triangle, longest_side(triangle)[1]):
            heappush(waiting, bounded(half))
    value, point = best
    bound = max(value, -waiting[0][0]) if waiting else value
    return LargestValue(value, point, bound)
