"""The collapse of edges of a triangle mesh: points are removed, and the remaining points keep their positions bit by bit.

The method follows M. Garland and P. Heckbert, "Surface simplification using quadric error metrics", 1997, with two
changes. Each removed point moves into one of its neighbors, in passes over all points with growing errors instead of a
queue. Each removed point must stay near a triangle. The surface between the points is not examined here: its distance
is proven, or not, in `triangle_reduction.py`.
"""

from __future__ import annotations

from array import array
from itertools import chain
from math import inf, sqrt
from operator import add
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.type_aliases import Reals
from ..base.record_type import Record
from .verify_witnesses import normal_of, Point, segment_gap, Triangle, triangle_gap

Corners = Tuple[int, int, int]
# The terms of a sum of weight * squared distance: xx xy xz xw yy yz yw zz zw ww, and the area.
Quadric = Reals

SIZE = 11  # of a quadric
# Parts of the squared tolerance, ascending, so that cheap collapses come first.
LEVELS = (1 / 4096, 1 / 256, 1 / 64, 1 / 16, 1 / 4, 1.0)
TRIES = 3  # the number of cheapest neighbors to try
# The weight of the squared length of an edge. In a plane all collapses cost the same, and long edges leave fans.
LENGTHS = 1e-4
# The part of the tolerance to use: a smaller part leaves more triangles, a larger part makes more proofs fail.
NEAR = 0.7
LEAST_COSINE = 0.2  # between the normals of a triangle before and after a collapse


class IndexedMesh(Record):
    """A mesh without duplicate points: points [m], triangles, and the material number of each triangle."""

    points: Sequence[Point]
    triangles: Sequence[Corners]
    materials: Sequence[int]

    def shape(self, corners: Corners) -> Triangle:
        """Return the points of a triangle."""
        a, b, c = corners
        return self.points[a], self.points[b], self.points[c]


class CollapsedMesh(Record):
    """The result of a collapse: triangles by their old numbers, and for each removed point a triangle near it."""

    triangles: Dict[int, Corners]
    gone: Dict[int, int]


def collapse(mesh: IndexedMesh, tolerances: Sequence[float]) -> CollapsedMesh:
    """Return a mesh after all collapses within the tolerance [m] of each point; a point with tolerance 0.0 stays."""
    state = _State(mesh, tolerances)
    for level in LEVELS:
        for point, tolerance in enumerate(tolerances):
            if tolerance > 0.0 and state.around[point]:
                state.try_point(point, level * tolerance * tolerance)
    triangles = {
        number: corners for number, corners in enumerate(state.triangles) if corners is not None
    }
    gone: Dict[int, int] = {}
    for number, points in state.held.items():
        gone.update(dict.fromkeys(points, number))
    return CollapsedMesh(triangles, gone)


class _State:
    """A mesh while it collapses.

    Attributes:
        triangles: the triangles; None for removed ones.
        around: the triangles at each point; [] for a removed point.
        quadrics: the squared distances to the planes around each point, and around the points that moved into it.
        least: the least cost at each point; negative if it is unknown, or outdated by a change nearby.
        held: for each triangle the removed points near it.
        seams: for points on a border of the mesh or of a material, or where surfaces branch, the neighbors along this
            seam.
        at_seam: for each edge of a seam, lower number first, the removed points of the seam that it replaces.
    """

    def __init__(self, mesh: IndexedMesh, tolerances: Sequence[float]) -> None:
        """Weight each point by the planes of its triangles and seams."""
        self.points = mesh.points
        self.tolerances = tolerances
        self.triangles: List[Optional[Corners]] = list(mesh.triangles)
        self.around: List[List[int]] = [[] for _ in mesh.points]
        self.quadrics = array("d", bytes(8 * SIZE * len(mesh.points)))  # zeros
        self.least = [-1.0] * len(mesh.points)  # unknown
        self.held: Dict[int, List[int]] = {}
        self.seams: Dict[int, Set[int]] = {}
        self.at_seam: Dict[Tuple[int, int], List[int]] = {}
        for number, corners in enumerate(mesh.triangles):
            shape = mesh.shape(corners)
            quadric = _plane_quadric(normal_of(shape), shape[0])
            for corner in corners:
                self.around[corner].append(number)
                self._add(corner, quadric)
        # No triangle beyond a border holds it in place, so a plane along the border is added.
        for number, start, end in _seam_edges(mesh):
            quadric = _seam_quadric(
                mesh.points[start], mesh.points[end], normal_of(mesh.shape(mesh.triangles[number]))
            )
            for corner, other in ((start, end), (end, start)):
                self.seams.setdefault(corner, set()).add(other)
                self._add(corner, quadric)

    def _add(self, point: int, quadric: Sequence[float]) -> None:
        """Add a quadric to the quadric of a point."""
        start = SIZE * point
        self.quadrics[start : start + SIZE] = array(
            "d", map(add, self.quadrics[start : start + SIZE], quadric)
        )

    def try_point(self, u: int, limit: float) -> None:
        """Collapse a point into a neighbor; `limit` bounds the mean squared distance [m^2] to the planes around it."""
        seam = self.seams.get(u, ())
        # A point at the end or at a branch of a seam has no single line to move along.
        if seam and len(seam) != 2:
            return
        # A pass with a lower bound computed this cost, and nothing nearby changed since: still too expensive.
        if self.least[u] > limit * self.quadrics[SIZE * u + SIZE - 1]:
            return
        xx, xy, xz, xw, yy, yz, yw, zz, zw, ww, area = self.quadrics[SIZE * u : SIZE * u + SIZE]
        point = self.points[u]
        least = inf
        costs = []
        # A point of a seam may only move along it.
        for v in seam or self._near(u):
            x, y, z = self.points[v]
            # v^T Q v, the sum of area * squared distance of v from the planes.
            cost = (
                x * (xx * x + 2.0 * (xy * y + xz * z + xw))
                + y * (yy * y + 2.0 * (yz * z + yw))
                + z * (zz * z + 2.0 * zw)
                + ww
            )
            if v == u:  # `_near` includes the point itself
                continue
            least = min(least, cost)
            # Divided by the area, the cost is a mean squared distance.
            if cost <= limit * area:
                dx, dy, dz = x - point[0], y - point[1], z - point[2]
                length = LENGTHS * area * (dx * dx + dy * dy + dz * dz)
                costs.append((cost + length, v))
        self.least[u] = least
        costs.sort()
        # `any` stops at the first edge that collapses.
        any(self._try_edge(u, v) for _, v in costs[:TRIES])

    def _near(self, point: int) -> Set[int]:
        """Return the corners of all triangles at a point."""
        triangles = self.triangles
        near: Set[int] = set()
        for number in self.around[point]:
            near.update(triangles[number] or ())
        return near

    def _try_edge(self, u: int, v: int) -> bool:
        """Collapse point u into v if the topology stays and no point gets too far away; return whether it did."""
        triangles = self.triangles
        # `or` is for the type checker only: triangles of `around` are never None.
        edges = [(number, triangles[number] or (u, v, v)) for number in self.around[u]]
        shared = set(chain.from_iterable(corners for _, corners in edges if v in corners))
        # The link condition: the common neighbors must be exactly the corners of the removed triangles.
        if self._near(u) & self._near(v) != shared:
            return False
        # Topology first, then sides, then distances: cheap tests come before expensive ones.
        moved = self._moved(u, v, [edge for edge in edges if v not in edge[1]], shared)
        held_after = self._held_after(u, moved) if moved is not None else None
        if moved is None or held_after is None or u in self.seams and not self._moves_seam(u, v):
            return False

        # Points held by these triangles are already in `held`, assigned to their new triangles.
        for number, old_corners in edges:
            self.held.pop(number, None)
            triangles[number] = moved[number][0] if number in moved else None
            if number in moved:
                self.around[v].append(number)
                continue
            for corner in old_corners:
                if corner != u:
                    self.around[corner].remove(number)
        for corner in chain.from_iterable(corners for _, corners in edges):
            self.least[corner] = -1.0
        self.held.update(held_after)
        self.around[u] = []
        self._add(v, self.quadrics[SIZE * u : SIZE * u + SIZE])
        return True

    def _moved(
        self, u: int, v: int, staying: Sequence[Tuple[int, Corners]], shared: Set[int]
    ) -> Optional[Dict[int, Tuple[Corners, Triangle]]]:
        """Return the remaining triangles with v in place of u; None if one flips or duplicates another triangle."""
        points = self.points
        new: Dict[int, Tuple[Corners, Triangle]] = {}
        for number, (a, b, c) in staying:
            old = points[a], points[b], points[c]
            corners = (v if a == u else a, v if b == u else b, v if c == u else c)
            shape = (points[corners[0]], points[corners[1]], points[corners[2]])
            if not _keeps_side(old, shape) or shared.issuperset(corners):
                return None
            new[number] = corners, shape
        return new

    def _held_after(
        self, u: int, new: Dict[int, Tuple[Corners, Triangle]]
    ) -> Optional[Dict[int, List[int]]]:
        """Return the removed points, including u, by the new triangle near each; None if a point is near no triangle."""
        if not new:
            return None
        points = self.points
        tolerances = self.tolerances
        held: Dict[int, List[int]] = {}
        for number in self.around[u]:
            for removed in self.held.get(number, ()):
                reach = NEAR * tolerances[removed]
                point = points[removed]
                # A point usually stays near its old triangle, which is tried first.
                first = (number,) if number in new else ()
                for candidate in chain(first, new):
                    if triangle_gap(point, new[candidate][1]) <= reach:
                        held.setdefault(candidate, []).append(removed)
                        break
                else:
                    return None
        point = points[u]
        gap, nearest = min(
            (triangle_gap(point, shape), number) for number, (_, shape) in new.items()
        )
        if gap > NEAR * tolerances[u]:
            return None
        held.setdefault(nearest, []).append(u)
        return held

    def _moves_seam(self, u: int, v: int) -> bool:
        """Join the two edges of a seam at `u` into one that ends in `v`, if their points stay near; return whether it did."""
        # The seam passes u, from v to w.
        (w,) = self.seams[u] - {v}
        # A seam of three points would fold onto itself.
        if w in self.seams[v]:
            return False
        edges = [(min(u, end), max(u, end)) for end in (v, w)]
        gone = [*self.at_seam.get(edges[0], ()), *self.at_seam.get(edges[1], ()), u]
        start = self.points[v]
        end_point = self.points[w]
        for point in gone:
            if segment_gap(self.points[point], start, end_point) > NEAR * self.tolerances[point]:
                return False

        for end, other, edge in ((v, w, edges[0]), (w, v, edges[1])):
            self.seams[end].remove(u)
            self.seams[end].add(other)
            self.at_seam.pop(edge, None)
        self.at_seam[min(v, w), max(v, w)] = gone
        del self.seams[u]
        return True


def _keeps_side(old: Triangle, new: Triangle) -> bool:
    """Return True if a triangle keeps an area, and roughly the direction of its normal."""
    a, b, c = normal_of(old)
    x, y, z = normal_of(new)
    # Comparing squares avoids two square roots.
    along = a * x + b * y + c * z
    squared = x * x + y * y + z * z
    before = a * a + b * b + c * c
    least = LEAST_COSINE * LEAST_COSINE * squared * before
    # A triangle without area has no side to keep.
    return squared > 0.0 and (before == 0.0 or along > 0.0 and along * along > least)


def _plane_quadric(normal: Point, point: Point, seam_weight: Optional[float] = None) -> Quadric:
    """Return the quadric of the plane through a point, whose terms are weighted by an area [m^2].

    Args:
        normal: the normal of the plane, of any length; for a triangle its length is twice the area of the triangle.
        seam_weight: the weight of a plane along a seam; None for the plane of a triangle, whose weight is its area.
    """
    x, y, z = normal
    length = sqrt(x * x + y * y + z * z)
    # A triangle without area has no plane, and a seam along it has no perpendicular plane: neither adds anything.
    if length == 0.0:
        return (0.0,) * SIZE
    x = x / length
    y = y / length
    z = z / length
    if seam_weight is None:
        area = length / 2.0
        weight = area
    else:
        # `try_point` divides by the area: a seam adds cost, but no area that would dilute the cost.
        area = 0.0
        weight = seam_weight
    w = -(x * point[0] + y * point[1] + z * point[2])
    return (
        weight * x * x,
        weight * x * y,
        weight * x * z,
        weight * x * w,
        weight * y * y,
        weight * y * z,
        weight * y * w,
        weight * z * z,
        weight * z * w,
        weight * w * w,
        area,
    )


def _seam_quadric(a: Point, b: Point, normal: Point) -> Quadric:
    """Return the quadric of the plane through an edge, perpendicular to a triangle, weighted by the squared length."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    p, q, r = normal
    # The cross product of the normal and the edge is the normal of that plane.
    normal_of_plane = (q * z - r * y, r * x - p * z, p * y - q * x)
    return _plane_quadric(normal_of_plane, a, seam_weight=x * x + y * y + z * z)


def _seam_edges(mesh: IndexedMesh) -> Iterator[Tuple[int, int, int]]:
    """Yield each triangle and edge where not exactly two triangles of one material meet."""
    # The state of each edge: its material; -2 - material after a second triangle; -1 for a seam.
    states: Dict[Tuple[int, int], int] = {}
    for material, (a, b, c) in zip(mesh.materials, mesh.triangles):
        for p, q in ((a, b), (b, c), (c, a)):
            edge = (p, q) if p < q else (q, p)
            before = states.get(edge)
            if before is None:
                states[edge] = material
            elif before == material:
                states[edge] = -2 - material
            else:
                states[edge] = -1

    # A state of -1 or more is a single triangle or a seam; -2 or less is two triangles of one material.
    for number, (a, b, c) in enumerate(mesh.triangles):
        for p, q in ((a, b), (b, c), (c, a)):
            edge = (p, q) if p < q else (q, p)
            if states[edge] >= -1:
                yield number, p, q
