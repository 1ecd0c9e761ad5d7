"""Whether a point is inside of a closed surface: the winding number, from the triangles above it."""
from math import sqrt
from typing import Container, Dict, List, Optional, Sequence, Tuple

from .witnesses import Point, Triangle

ROUNDING = 2.0 ** -46  # of products of differences: more than all roundings of a determinant
MOST_CELLS = 4096  # large triangles are in many of them


class Columns:
    """The triangles of a surface by the columns along z that they are in."""

    def __init__(self, triangles: Sequence[Triangle]) -> None:
        self.triangles = triangles
        xs, ys = ([corner[axis] for triangle in triangles for corner in triangle] for axis in (0, 1))
        self.low = (min(xs), min(ys))
        sides = (max(xs) - self.low[0], max(ys) - self.low[1])
        count = min(len(triangles), MOST_CELLS)
        self.step = max(sqrt(sides[0] * sides[1] / count), max(sides) / count) or 1.0
        self.cells: Dict[Tuple[int, int], List[int]] = {}
        for number, corners in enumerate(triangles):
            first, last = ([self._cell(end(corner[axis] for corner in corners), axis) for axis in (0, 1)]
                           for end in (min, max))
            for i in range(first[0], last[0] + 1):
                for j in range(first[1], last[1] + 1):
                    self.cells.setdefault((i, j), []).append(number)

    def _cell(self, value: float, axis: int) -> int:
        return int((value - self.low[axis]) / self.step // 1)

    def winding(self, point: Point, without: Container[int] = ()) -> Optional[int]:
        """Return how often the surface is around a point; None where rounding could change it.

        A vertical line up from the point leaves the body through triangles that face up, and enters it through those
        that face down. The numbers of triangles that are left out are in `without`.
        """
        x, y, z = point
        total = 0
        for number in self.cells.get((self._cell(x, 0), self._cell(y, 1)), ()):
            if number in without:
                continue
            (ax, ay, az), (bx, by, bz), (cx, cy, cz) = self.triangles[number]
            ax, ay, az, bx, by, bz = ax - x, ay - y, az - z, bx - x, by - y, bz - z
            cx, cy, cz = cx - x, cy - y, cz - z
            if (max(az, bz, cz) < 0.0 or min(ax, bx, cx) > 0.0 or max(ax, bx, cx) < 0.0 or min(ay, by, cy) > 0.0
                    or max(ay, by, cy) < 0.0):
                continue
            across = max(abs(ax), abs(ay), abs(bx), abs(by), abs(cx), abs(cy))
            u, v, w, unsure = bx * cy - by * cx, cx * ay - cy * ax, ax * by - ay * bx, ROUNDING * across * across
            if min(u, v, w) < -unsure and max(u, v, w) > unsure:
                continue  # the line passes it
            if min(abs(u), abs(v), abs(w)) <= unsure:
                return None
            height = u * az + v * bz + w * cz
            if abs(height) <= ROUNDING * across * across * max(abs(az), abs(bz), abs(cz)):
                return None
            if (height > 0.0) == (u > 0.0):
                total += 1 if u > 0.0 else -1
        return total
