"""Whether triangles cover a polygon, for the proof: by their edges, and by their winding.

The edges of triangles that cover a polygon cancel out, but for its outline (and its holes, of which the package
knows).  If, besides, none is wound against it, a flat polygon that does not cross itself is covered once and only once,
whatever way it is cut.
"""
from collections import Counter
from itertools import chain, combinations
from math import fsum, sqrt
from struct import Struct
from typing import Dict, List, Sequence, Tuple

from ..urdf.spatial import add, cross, dot, norm, scale, subtract, Vector, ZERO

MAX_CORNERS = 2000  # of a polygon that is tested for crossing itself, which takes their square
FLAT_ENOUGH = 1e-6  # relative: beyond it a polygon counts as bent
ON_A_LINE = 1e-9  # relative
POINT_IN_STL = Struct("<3f")

Loop = Sequence[bytes]  # a closed line by its corners, each as an STL file has it
Edge = Tuple[bytes, bytes]
InPlane = Tuple[float, float]


class Polygon:
    """A polygon, given by its outline: its corners in space, and in the plane that shows most of it."""

    def __init__(self, loops: Sequence[Loop]) -> None:
        self.loops = loops
        self.places: Dict[bytes, Vector] = {corner: POINT_IN_STL.unpack(corner) for loop in loops for corner in loop}
        self.normal = area_vector([self.places[corner] for corner in loops[0]])
        k = self.axis = max(range(3), key=lambda axis: abs(self.normal[axis]))
        self.size = abs(self.normal[k])
        i, j = (k - 2, k - 1) if self.normal[k] > 0.0 else (k - 1, k - 2)
        self.flat: Dict[bytes, InPlane] = {corner: (point[i], point[j]) for corner, point in self.places.items()}

    def is_covered_by(self, triangles: Sequence[Loop]) -> bool:
        """Return True if triangles cover a polygon without holes; those without area may be missing.

        Of a polygon that crosses itself some triangles are turned, whatever way it is cut.
        """
        return self.is_bordering(triangles) and not (self.is_turned(triangles) and self.is_plain())

    def is_turned(self, triangles: Sequence[Loop]) -> bool:
        """Return True if a triangle is wound against the polygon."""
        return -fsum(area for area in self.sides(triangles) if area < 0.0) > FLAT_ENOUGH * self.size

    def sides(self, triangles: Sequence[Loop]) -> List[float]:
        """Return twice the signed areas of triangles in the plane."""
        return [side(*map(self.flat.__getitem__, triangle)) for triangle in triangles]

    def is_bordering(self, triangles: Sequence[Loop]) -> bool:
        """Return True if the edges of triangles cancel out but for those of the polygon, and what has no area."""
        if not all(corner in self.places for corner in chain.from_iterable(triangles)):
            return False
        borders = chain(self.loops, (triangle[::-1] for triangle in triangles))
        runs = Counter(chain.from_iterable(map(edges_of, borders)))
        return self.is_without_area([(p, q) for (p, q), times in runs.items() for _ in range(times - runs[q, p])])

    def is_without_area(self, edges: List[Edge]) -> bool:
        """Return True if closed lines go to and fro: as much of them runs one way as the other on each straight."""
        while edges:
            p, q = max(edges, key=lambda edge: norm(subtract(*map(self.places.__getitem__, edge))))
            a, b = self.places[p], self.places[q]
            along = [edge for edge in edges if all(is_flat_triangle(a, b, self.places[corner]) for corner in edge)]
            if Counter(p for p, _ in along) != Counter(q for _, q in along):
                return False
            edges = [*(Counter(edges) - Counter(along)).elements()]
        return True

    def is_plain(self) -> bool:
        """Return True if the polygon is flat and no two edges meet: then every way to cut it is equivalent."""
        size = norm(self.normal)
        corners = [*chain.from_iterable(self.loops)]
        if not size > 0.0 or not len({self.flat[corner] for corner in corners}) == len(corners) <= MAX_CORNERS:
            return False
        levels = [dot(self.normal, self.places[corner]) / size for corner in corners]
        return max(levels) - min(levels) <= FLAT_ENOUGH * sqrt(size) and not self.is_crossing()

    def is_crossing(self) -> bool:
        """Return True if two edges without a common corner meet, or nearly."""
        gap, sliver = FLAT_ENOUGH * sqrt(self.size), FLAT_ENOUGH * self.size
        edges = [(self.flat[p], self.flat[q]) for p, q in chain.from_iterable(map(edges_of, self.loops))]
        boxes = [((min(a[0], b[0]), min(a[1], b[1])), (max(a[0], b[0]) + gap, max(a[1], b[1]) + gap), a, b)
                 for a, b in edges]
        return any(p[0] <= s[0] and r[0] <= q[0] and p[1] <= s[1] and r[1] <= q[1] and not {a, b} & {c, d} and all(
            min(ends) <= sliver and max(ends) >= -sliver
            for ends in ((side(a, b, c), side(a, b, d)), (side(c, d, a), side(c, d, b))))
                   for (p, q, a, b), (r, s, c, d) in combinations(boxes, 2))


def edges_of(loop: Loop) -> List[Edge]:
    """Return the edges of a closed line."""
    return [*zip(loop, [*loop[1:], *loop[:1]])]


def area_vector(loop: Sequence[Vector]) -> Vector:
    """Return the area vector of a closed line."""
    arms = [subtract(point, loop[0]) for point in loop]
    total = ZERO
    for arm, other in zip(arms[1:], arms[2:]):
        total = add(total, cross(arm, other))
    return scale(0.5, total)


def is_flat_triangle(a: Vector, b: Vector, c: Vector) -> bool:
    """Return True if a triangle has no area."""
    u, v = subtract(b, a), subtract(c, a)
    return norm(cross(u, v)) <= ON_A_LINE * norm(u) * norm(v)


def side(a: InPlane, b: InPlane, c: InPlane) -> float:
    """Return twice the signed area of a flat triangle."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
