"""Whether triangles cover a polygon, for the proof: by their edges, and by the way they are wound.

The edges of triangles that cover a polygon cancel out, but for its outline and its holes.  If, besides, none is wound
against it, a flat polygon that does not cross itself is covered once and only once, whatever way it is cut.
"""
from collections import Counter
from itertools import chain, combinations
from math import sqrt
from struct import Struct
from typing import Dict, List, Sequence, Tuple

from ..urdf.spatial import add, cross, dot, norm, scale, subtract, Vector, ZERO

MOST_CORNERS = 400  # of a polygon that is tested for crossing itself, which takes their square
FLAT_ENOUGH = 1e-6  # relative: beyond it a polygon counts as bent
ON_A_LINE = 1e-9  # relative
POINT_IN_STL = Struct("<3f")

Loop = Sequence[bytes]  # a closed line by its corners, each as an STL file has it
Edge = Tuple[bytes, bytes]
InPlane = Tuple[float, float]


class Polygon:
    """A polygon: its outline, then its holes, and its corners in space and in the plane that shows most of it."""

    def __init__(self, loops: Sequence[Loop]) -> None:
        self.places: Dict[bytes, Vector] = {corner: POINT_IN_STL.unpack(corner) for loop in loops for corner in loop}
        self.normal, *others = [area_vector([self.places[corner] for corner in loop]) for loop in loops]
        self.loops = [loops[0], *(loop[::-1] if dot(self.normal, other) > 0.0 else loop
                                  for loop, other in zip(loops[1:], others))]
        k = max(range(3), key=lambda axis: abs(self.normal[axis]))
        self.size = abs(self.normal[k])
        i, j = (k - 2, k - 1) if self.normal[k] > 0.0 else (k - 1, k - 2)
        self.flat: Dict[bytes, InPlane] = {corner: (place[i], place[j]) for corner, place in self.places.items()}

    def covering(self, triangles: Sequence[Loop]) -> int:
        """Return how many of the first triangles cover the polygon; -1 if they do not.

        Triangles without area may be missing, and a hole that is not inside may be filled.
        """
        count, most = 0, min(len(triangles), sum(map(len, self.loops)) + 2 * len(self.loops) - 4)
        while count < most and all(corner in self.places for corner in triangles[count]):
            count += 1
        while not self.is_bordering(triangles[:count]):
            count -= 1  # the last is of another polygon, and some of this one have no area
            if count < 0:
                return -1
        sides = (side(*map(self.flat.__getitem__, triangle)) for triangle in triangles[:count])
        against = -sum(area for area in sides if area < 0.0)
        return -1 if against > FLAT_ENOUGH * self.size and self.is_plain() else count

    def is_bordering(self, triangles: Sequence[Loop]) -> bool:
        """Return True if the edges of triangles cancel out but for those of the polygon, and what has no area."""
        borders = [*self.loops, *(triangle[::-1] for triangle in triangles)]
        runs = Counter(chain.from_iterable(map(edges_of, borders)))
        left = Counter({(p, q): times - runs[q, p] for (p, q), times in runs.items() if times > runs[q, p]})
        for hole in self.loops[1:] if left else ():
            edges = Counter(edges_of(hole))
            if not edges - left and not (self.is_inside(hole[0]) and self.is_plain()):
                left -= edges
        return self.is_without_area([*left.elements()])

    def is_without_area(self, edges: List[Edge]) -> bool:
        """Return True if closed lines go to and fro: as much of them runs one way as the other on each straight."""
        while edges:
            p, q = max(edges, key=lambda edge: norm(subtract(*map(self.places.__getitem__, edge))))
            a, b = self.places[p], self.places[q]
            along = [edge for edge in edges if all(is_flat_triangle(a, b, self.places[corner]) for corner in edge)]
            if Counter(p for p, _ in along) != Counter(q for _, q in along):
                return False
            edges = [edge for edge in edges if edge not in along]
        return True

    def is_plain(self) -> bool:
        """Return True if the polygon is flat and no two of its edges meet, so that every way to cut it is like."""
        size = norm(self.normal)
        places = self.places.values()
        if not size > 0.0 or not len(places) == sum(map(len, self.loops)) <= MOST_CORNERS:
            return False
        levels = [dot(self.normal, place) / size for place in places]
        edges = chain.from_iterable(map(edges_of, self.loops))
        return max(levels) - min(levels) <= FLAT_ENOUGH * sqrt(size) and not any(
            self.meet(one, other) for one, other in combinations(edges, 2) if not {*one} & {*other})

    def meet(self, one: Edge, other: Edge) -> bool:
        """Return True if two edges have a point in common."""
        a, b, c, d = map(self.flat.__getitem__, (*one, *other))
        return side(a, b, c) * side(a, b, d) <= 0.0 and side(c, d, a) * side(c, d, b) <= 0.0

    def is_inside(self, corner: bytes) -> bool:
        """Return True if a point is inside the outline (even-odd rule)."""
        x, y = self.flat[corner]
        ends = [(self.flat[p], self.flat[q]) for p, q in edges_of(self.loops[0])]
        return sum((a[1] > y) != (b[1] > y) and x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
                   for a, b in ends) % 2 == 1


def edges_of(loop: Loop) -> List[Edge]:
    """Return the edges of a closed line."""
    return [*zip(loop, [*loop[1:], loop[0]])]


def area_vector(loop: Sequence[Vector]) -> Vector:
    """Return the area vector of a closed line."""
    arms = [subtract(place, loop[0]) for place in loop]
    total = ZERO
    for one, other in zip(arms[1:], arms[2:]):
        total = add(total, cross(one, other))
    return scale(0.5, total)


def is_flat_triangle(a: Vector, b: Vector, c: Vector) -> bool:
    """Return True if a triangle has no area."""
    u, v = subtract(b, a), subtract(c, a)
    return norm(cross(u, v)) <= ON_A_LINE * norm(u) * norm(v)


def side(a: InPlane, b: InPlane, c: InPlane) -> float:
    """Return twice the signed area of a flat triangle."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
