"""The proof of convex pieces around a mesh: each point of the mesh is in a hull, and each point of a hull is near the solid.

This module does not use the search. **Containment** is exact: a triangle is cut into pieces by its tree, in fractions,
and the corners of each piece are in the half spaces of the hull that the tree names. The pieces cover their triangle and
a hull is convex, so each point of the mesh is in a hull.

**Nearness**: the box around a hull is halved by a list of steps, until each box is one of three kinds.
- *Off*: the box is beyond a plane that has all corners of the hull below it.
- *Near*: the corners of the box are within the distance of one triangle. The distance from a triangle is a convex
  function, so the whole box is near. If a plane of the hull goes through the box, only the part below the plane counts,
  because it contains the part of the hull in the box.
- *Inside*: the center is inside, by a winding number that rounding cannot change, and no triangle that meets the box is
  nearer to the center than half the diagonal less the distance. The way from an outside point of the box to the center
  crosses the surface at least so far from the center, so the point is within the distance of the surface.
So each point of each hull is within the distance of the solid. Nearness is computed in floats, with margins that are
larger than all roundings.

The solid of an open mesh is the solid after fans of triangles close its holes (`meshes/mesh_volume.py`).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, product
from operator import le
from typing import Any, Dict, List, Sequence, Tuple

from ..meshes.convex_hull import Hull, Point, Triangle
from ..meshes.mesh_volume import TriangleColumns, with_holes_closed
from ..meshes.verify_witnesses import distance, Tree, triangle_gap, triangles_at, verify_cover
from ..urdf.spatial_math import add, dot, scale, subtract, Vector
from .proof_geometry import find_point_outside
from .convex_pieces import planes_of

Box = Tuple[Point, Point]
Plane = Tuple[Vector, float]
# The steps: a negative number is the axis to halve, an odd number a plane that cuts the box, an even number a triangle.
INSIDE = 0
SLACK = 1e-9  # of the distance: larger than the rounding of a distance
ROUNDING = 1e-12  # of the farthest coordinate: larger than the rounding of a level
# Of the longest side of a mesh, because `triangle_gap` replaces thin triangles by their sides.
NEEDLE = 1e-4
# The fractions by which a box grows at both ends, so that its halves do not meet in the planes of symmetric parts.
LESS = 0.0137
MORE = 0.0071


def is_covered(
    points: Sequence[Point],
    triangles: Sequence[Triangle],
    trees: Sequence[Tree],
    hulls: Sequence[Hull],
) -> bool:
    """Return True if each point of triangles is in a hull. The test is exact; the hulls must be closed and convex."""
    held: List[Dict[Any, None]] = [{} for _ in hulls]

    def gap(corner: Any, number: int) -> float:
        """Collect a corner that must be in a hull; return 0, because all corners are examined at the end."""
        held[number][corner] = None
        return 0.0

    exact: List[Any] = [tuple(map(Fraction, point)) for point in points]
    cuts: List[Any] = [[*map(_exact_step, tree)] for tree in trees]
    pieces = triangles_at(exact, triangles)
    if verify_cover(pieces, cuts, range(len(hulls)), gap) != 0.0:
        return False
    return all(
        find_point_outside(hull.corners, hull.triangles, corners) is None
        for hull, corners in zip(hulls, held)
    )


def _exact_step(step: float) -> "float | Fraction":
    """Return a step of a tree: a cut, which is negative, as a fraction; the number of a hull unchanged."""
    return step if step >= 0.0 else Fraction(step)


def root_box(hull: Hull) -> Box:
    """Return a box around a hull."""
    a, b, c = map(min, zip(*hull.corners))
    d, e, f = map(max, zip(*hull.corners))
    side = (d - a, e - b, f - c)
    return subtract((a, b, c), scale(LESS, side)), add((d, e, f), scale(MORE, side))


def half_boxes(box: Box, axis: int) -> Tuple[Box, Box]:
    """Return both halves of a box."""
    low, high = box
    middle = 0.5 * (low[axis] + high[axis])
    top = list(high)
    bottom = list(low)
    top[axis] = bottom[axis] = middle
    return (low, (top[0], top[1], top[2])), ((bottom[0], bottom[1], bottom[2]), high)


def corners_of(box: Box) -> List[Point]:
    """Return the corners of a box."""
    return [(x, y, z) for x, y, z in product(*zip(*box))]


def center_of(box: Box) -> Point:
    """Return the middle of a box."""
    return scale(0.5, add(*box))


def below(points: Sequence[Point], plane: Plane) -> List[Point]:
    """Return points whose hull is the part of a hull below a plane; [] if all points are above it."""
    normal, level = plane
    heights = [dot(normal, point) - level for point in points]
    left = [point for point, height in zip(points, heights) if height <= 0.0]
    if len(left) == len(points):
        return left
    # Crossings of every pair of points, not only of edges, give the same hull.
    for start, up in zip(points, heights):
        for end, down in zip(points, heights):
            if up > 0.0 >= down:
                left.append(add(start, scale(up / (up - down), subtract(end, start))))
    return left


def supports_of(hull: Hull) -> List[Plane]:
    """Return the planes that have all corners of a hull below them: normals and levels.

    They are sorted, so that search and proof number them alike, whatever the order of facets in the file.
    """
    reach = max(map(abs, chain.from_iterable(hull.corners)))
    return sorted(
        (normal, max(dot(normal, corner) for corner in hull.corners) + ROUNDING * reach)
        for normal, _ in planes_of(hull)
    )


class MeshNeighborhood:
    """A mesh, and the distance within which hulls must stay.

    Attributes:
        drawn: its triangles and the triangles that close its holes, all with three different corners.
        low, high: the least and the greatest corner of the box around each triangle.
        limit: the largest distance of a corner of a box from a triangle.
        spare: the margin by which the center of a box must be farther from the surface than needed.
    """

    def __init__(
        self, points: Sequence[Point], triangles: Sequence[Triangle], within: float
    ) -> None:
        """Prepare the triangles with an area, their boxes and columns; holes of the mesh are closed."""
        closed = [t for t in with_holes_closed(triangles) if len({*t}) == 3]
        self.drawn = triangles_at(points, closed)
        self.low = [tuple(map(min, zip(*triangle))) for triangle in self.drawn]
        self.high = [tuple(map(max, zip(*triangle))) for triangle in self.drawn]
        self.columns = TriangleColumns(self.drawn)
        self.limit = within * (1.0 - SLACK)
        self.spare = NEEDLE * max(max(column) - min(column) for column in zip(*points))

    def has(self, hull: Hull, steps: Sequence[int]) -> bool:
        """Return True if a list of steps proves that each point of a hull is within the distance."""
        planes = supports_of(hull)
        root = root_box(hull)
        met = self._meeting(root, range(len(self.drawn)))
        # Boxes, the triangles that meet them, and the corners of the part of the box below planes, [] for the whole box.
        waiting: List[Tuple[Box, List[int], List[Point]]] = [(root, met, [])]
        # Each step is for the box on top of the stack.
        for step in steps:
            if not waiting:
                return False
            box, met, left = waiting.pop()
            if step < 0:
                if step < -3:
                    return False
                waiting += [
                    (half, self._meeting(half, met), [])
                    for half in half_boxes(box, -1 - step)[::-1]
                ]
            elif step == INSIDE:
                if not self._is_inside(box, met):
                    return False
            elif step % 2:
                # A number that is too large is just a wrong plane: the remainder keeps it in range.
                left = below(left or corners_of(box), planes[step // 2 % len(planes)])
                if left:
                    waiting.append((box, met, left))
            else:
                triangle = self.drawn[(step // 2 - 1) % len(self.drawn)]
                corners = left or corners_of(box)
                if not all(triangle_gap(corner, triangle) <= self.limit for corner in corners):
                    return False
        return not waiting

    def _is_inside(self, box: Box, met: Sequence[int]) -> bool:
        """Return True if the center of a box is inside the mesh, and far enough from the surface that the box is near."""
        center = center_of(box)
        # Rounding may leave the winding number unknown: then the center does not count as inside.
        if not self.columns.winding(center):
            return False
        free = 0.5 * distance(*box) - self.limit
        if free < 0.0:
            return True
        return all(triangle_gap(center, self.drawn[k]) > free + self.spare for k in met)

    def _meeting(self, box: Box, numbers: Sequence[int]) -> List[int]:
        """Return the triangles whose boxes meet a box."""
        low, high = box
        return [
            number
            for number in numbers
            if all(map(le, self.low[number], high)) and all(map(le, low, self.high[number]))
        ]
