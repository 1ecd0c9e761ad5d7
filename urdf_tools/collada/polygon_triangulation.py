"""The triangulation of polygons with any number of corners, also of concave polygons.

A polygon is a list of indices of points in space; it is cut in its largest projection, counter-clockwise.
Every polygon of n corners yields exactly n - 2 triangles with its own winding, so that counts can be checked.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import Dict, List, Sequence, Tuple

from ..urdf.spatial_math import cross, dot, subtract
from .conversion_records import DaeVector, Indices

MAX_EXTRA_LOOKS = 4_000_000

Flat = Tuple[float, float]


def polygon_triangles(
    corners: Sequence[int], points: Sequence[DaeVector], counts: Dict[str, int]
) -> Indices:
    """Return the flat list of the triangle indices of a polygon: a fan if it is convex, else by ear clipping."""
    if len(corners) == 3:
        return list(corners)
    if len(corners) == 4:
        return quad_triangles(corners, points)
    shape = [points[corner] for corner in corners]
    flat = flatten_points(shape, newell_normal(shape))
    if is_convex(flat):
        return fan_triangles(corners)
    return [corners[i] for i in clip_ears(flat, counts)]


def fan_triangles(corners: Sequence[int]) -> Indices:
    """Return the triangles of a fan, which all start at the first corner."""
    triangles: Indices = []
    for second, third in zip(corners[1:], corners[2:]):
        triangles += (corners[0], second, third)
    return triangles


def quad_triangles(corners: Sequence[int], points: Sequence[DaeVector]) -> Indices:
    """Return the triangles of a quad, cut along the diagonal inside it, the first if both are inside."""
    a, b, c, d = corners
    start = points[a]
    u, v, w = (subtract(points[corner], start) for corner in (b, c, d))
    # If the diagonal a c is outside, the normals on its two sides point apart.
    is_folded = dot(cross(u, v), cross(v, w)) < 0.0
    return [b, c, d, b, d, a] if is_folded else [a, b, c, a, c, d]


def newell_normal(points: Sequence[DaeVector]) -> DaeVector:
    """Return the normal of a polygon, whose length is twice the area (Newell's method)."""
    x = y = z = 0.0
    for (ax, ay, az), (bx, by, bz) in zip(points, [*points[1:], points[0]]):
        x += (ay - by) * (az + bz)
        y += (az - bz) * (ax + bx)
        z += (ax - bx) * (ay + by)
    return (x, y, z)


def flatten_points(points: Sequence[DaeVector], normal: DaeVector) -> List[Flat]:
    """Return points projected along the largest component of a normal, so that the polygon is counter-clockwise."""
    k = max((2, 0, 1), key=lambda axis: abs(normal[axis]))
    i, j = (k - 2, k - 1) if normal[k] >= 0.0 else (k - 1, k - 2)
    return [(point[i], point[j]) for point in points]


def turn(a: Flat, b: Flat, c: Flat) -> float:
    """Return twice the signed area of a flat triangle: positive if it is counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def is_convex(flat: Sequence[Flat]) -> bool:
    """Return True if no corner of a counter-clockwise polygon turns right.

    A five-pointed star also turns left everywhere. It crosses itself, so no triangulation is right, and a fan will do.
    """
    (ax, ay), (bx, by) = flat[-2], flat[-1]
    for cx, cy in flat:
        if (bx - ax) * (cy - by) < (by - ay) * (cx - bx):
            return False
        ax, ay, bx, by = bx, by, cx, cy
    return True


class EarClipping:
    """The rest of a flat counter-clockwise polygon while its ears are clipped.

    Attributes:
        before, after: the neighbors of each corner, by its number.
        turning_right: x, y and number of the corners that turn right, sorted: only they can be inside an ear, and few of
            them are near it.
        looks: the number of corners that may still be tested against an ear.
    """

    def __init__(self, flat: Sequence[Flat]) -> None:
        """Link each corner to its neighbors, and find the corners that turn right."""
        count = len(flat)
        self.flat = flat
        self.before = [count - 1, *range(count - 1)]
        self.after = [*range(1, count), 0]
        self.is_right = [*map(self.turns_right, range(count))]
        self.turning_right = sorted((*flat[i], i) for i in range(count) if self.is_right[i])
        # In trials, a plain polygon of n corners takes n^2/2 looks at most, and a polygon that crosses itself n^3/13.
        # So a plain polygon is not cut short up to MAX_EXTRA_LOOKS, and 400 looks a corner suffice for about 75 corners
        # of a polygon that crosses itself.
        self.looks = 400 * count + min(count * count, MAX_EXTRA_LOOKS)

    def turns_right(self, i: int) -> bool:
        """Return True if the polygon turns right at a corner, or goes straight on."""
        return turn(self.flat[self.before[i]], self.flat[i], self.flat[self.after[i]]) <= 0.0

    def is_ear(self, i: int, *, may_be_flat: bool) -> bool:
        """Return True if a corner can be clipped; a corner on the line between its neighbors only if `may_be_flat`."""
        corners = self.before[i], i, self.after[i]
        a, b, c = map(self.flat.__getitem__, corners)
        area = turn(a, b, c)
        if not area > 0.0:
            return area == 0.0 and (may_be_flat or a in (b, c) or b == c)
        # Sorted by x: only corners between the ends can be inside.
        start = bisect_left(self.turning_right, (min(a[0], b[0], c[0]),))
        end = bisect_right(self.turning_right, (max(a[0], b[0], c[0]), float("inf")), start)
        self.looks -= end - start + 1
        for x, y, other in self.turning_right[start:end]:
            point = (x, y)
            # A corner in the same place, where a polygon touches itself, does not block the ear.
            if other in corners or point in (a, b, c):
                continue
            if turn(a, b, point) >= 0.0 and turn(b, c, point) >= 0.0 and turn(c, a, point) >= 0.0:
                return False
        return True

    def clip(self, i: int) -> None:
        """Remove a corner."""
        previous = self.before[i]
        following = self.after[i]
        self.after[previous] = following
        self.before[following] = previous
        # The corner is removed, and its neighbors may now turn the other way.
        for corner, is_right in (
            (i, False),
            (previous, self.turns_right(previous)),
            (following, self.turns_right(following)),
        ):
            if is_right != self.is_right[corner]:
                key = (*self.flat[corner], corner)
                if is_right:
                    insort(self.turning_right, key)
                else:
                    del self.turning_right[bisect_left(self.turning_right, key)]
                self.is_right[corner] = is_right


def clip_ears(flat: Sequence[Flat], counts: Dict[str, int]) -> Indices:
    """Return the triangles of a flat counter-clockwise polygon, as corner numbers, by clipping ears.

    A polygon that crosses itself, or needs far too many tests, is finished as well as possible and counted.
    """
    polygon = EarClipping(flat)
    triangles: Indices = []
    here = 0
    misses = 0  # successive corners that were not ears
    remaining = len(flat)
    is_forced = False
    while remaining > 3:
        # After a round without an ear, a corner on a line is clipped; after a second round, any corner.
        is_ear = polygon.is_ear(here, may_be_flat=misses > remaining)
        previous = polygon.before[here]
        following = polygon.after[here]
        if not is_ear and misses <= 2 * remaining and polygon.looks > 0:
            here = following
            misses += 1
            continue
        is_forced = is_forced or not is_ear
        triangles += (previous, here, following)
        polygon.clip(here)
        # Only the neighbors of the clipped corner have changed; in a long corridor only they can be ears.
        here = previous
        misses = 0
        remaining -= 1
    triangles += (polygon.before[here], here, polygon.after[here])
    if is_forced:
        counts["crossing"] += 1
    return triangles
