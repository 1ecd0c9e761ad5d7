"""The search for parts of a mesh whose hulls are near the solid on a lattice: the mesh is cut, then parts are joined.

1. The part whose hull has most cells far off the solid is cut, until no hull has any. All levels along a direction are
   judged at once: points are sorted into slabs between the levels, the hulls of slabs are merged upward and downward,
   and the cost of a level is the cost of the hulls on both sides.
2. Parts that touch are joined, least added cost first, as long as no cell of the common hull is far off.

The coordinates of the search are whole numbers up to SIZE, for which floats give the exact sign of a volume; the axis x
is along the shortest side of the mesh. A cut is exact: a triangle that a plane crosses is cut from a corner to a point of
the opposite edge at a multiple of 1 / UNIT of its length, which is a step of a tree of `meshes/verify_witnesses.py`. Ties are
broken by order.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import chain
from math import inf
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from ..base.record_type import Record
from ..meshes.convex_hull import convex_hull, Hull, Point, Triangle
from ..meshes.verify_witnesses import cut_at
from ..urdf.spatial_math import add, dot, scale, subtract, UNIT_AXES, Vector
from .primitive_fitting import directions
from .voxel_lattice import VoxelLattice

SIZE = 32000.0  # below 2**15: products of three differences are exact
UNIT = 65536  # a power of two, so that parts of an edge are exact floats
FLAT = 3e-3  # a corner that is nearer to a plane, in the units of SIZE, is in the plane
MORE = 4  # directions beside the axes
PARALLEL = 0.97  # the largest cosine between different directions
LEVELS = 14
HALVINGS = 3
MANY = 6000  # corners of a part: with more, half as many levels do, as the part is cut again
STEP = 0.5  # of the distance: the least step of levels
OVER = 0.03  # of the distance: the least height of a point that counts over a facet
TOUCH = 0.02  # of the distance: parts touch if they are nearer
FINE = 3.0  # cells in the distance
CELLS = 150.0  # cells along the longest side, at most
TIGHT = 0.9  # of the distance: the lattice is stricter than the exact test
COARSE = 0.4  # of the excess of a cell's side over its wanted length: the lattice is stricter by it
JOINED = 3  # parts that become one, at most, by joining
Pair = Tuple[int, int]


class TooManyParts(ValueError):
    """More parts are needed than are allowed, or more boxes for the proof of a part: then the argument counts them."""


class CutPart(Record):
    """Some pieces of a mesh, with their hull.

    Attributes:
        number: the parts are numbered in the order in which they are made.
        pieces: the numbers of pieces.
        hull: in the coordinates of the lattice, None for a flat part.
        corners: the corners of the hull, or all points.
        cost, beyond: the lattice's judgment of the hull: its cost, and how many of its cells are too far off.
        box: of the corners: the least and the greatest along each axis.
        halves: the two parts from which it was joined; () if it was cut.
    """

    number: int
    pieces: List[int]
    hull: Optional[Hull]
    corners: Sequence[Point]
    cost: float
    beyond: int
    box: Sequence[Tuple[float, float]]
    halves: Sequence["CutPart"]


class MeshCutter:
    """The pieces of a mesh, and their parts.

    Attributes:
        points: the corners of pieces as they are written; points of cuts are added.
        pieces: the corners of triangles, and of the pieces into which they are cut.
    """

    def __init__(
        self,
        points: Sequence[Point],
        triangles: Sequence[Triangle],
        closed: Sequence[Triangle],
        distance: float,
        most: int,
    ) -> None:
        """Scale the mesh to a lattice, with its shortest side along the first axis; no piece is cut yet."""
        self.points = list(points)
        self.pieces = list(triangles)
        self.roots = len(triangles)
        box = [(min(column), max(column)) for column in zip(*points)]
        sides = [high - low for low, high in box]
        shortest = sides.index(min(sides))
        factor = SIZE / max(sides)
        # The axes are permuted cyclically, so that triangles keep their outer side. `axis - 3` counts from the end of
        # x, y, z, so that 3 and 4 are x and y.
        columns = [
            [(point[axis - 3] - box[axis - 3][0]) * factor for point in points]
            for axis in (shortest, shortest + 1, shortest + 2)
        ]
        self.placed: List[Point] = list(zip(*columns))
        self.distance = distance * factor
        self.most = most
        # Cells that are coarse compared to the distance seem nearer to the solid than they are.
        side = max(self.distance / FINE, SIZE / CELLS)
        reach = TIGHT * self.distance - COARSE * (side - self.distance / FINE)
        self.lattice = VoxelLattice(self.placed, closed, side, reach)
        # For each piece that was cut, the step and the number of the first half; the second half has the next number.
        self.children: Dict[int, Tuple[float, int]] = {}
        self.cut_points: Dict[Tuple[int, int, int], int] = {}
        self.made = 0
        # Pairs that the exact test has refused to join, and the unions that were tried.
        self.forbidden: Set[Pair] = set()
        self.joined: Dict[Pair, CutPart] = {}

    def part(self, pieces: List[int]) -> CutPart:
        """Return the part that consists of some pieces."""
        return self._judged(pieces, _rounded_once(self.placed[k] for k in self.corners_of(pieces)))

    def corners_of(self, pieces: Iterable[int]) -> List[int]:
        """Return the numbers of the corners of pieces, each once."""
        return list(dict.fromkeys(chain.from_iterable(self.pieces[number] for number in pieces)))

    def _judged(
        self, pieces: List[int], corners: List[Point], halves: Sequence[CutPart] = ()
    ) -> CutPart:
        """Return a new part with the hull of its corners and the lattice's judgment of the hull."""
        self.made += 1
        hull = self._hull(corners)
        corners = list(hull.corners) if hull else corners
        cost, beyond = self.lattice.judge(hull)
        return CutPart(
            number=self.made,
            pieces=pieces,
            hull=hull,
            corners=corners,
            cost=cost,
            beyond=beyond,
            box=[(min(column), max(column)) for column in zip(*corners)],
            halves=halves,
        )

    def _hull(self, points: Sequence[Point]) -> Optional[Hull]:
        """Return the hull of points, None if they are flat; points hardly above its facets may stay outside."""
        return convex_hull(points, unless_above=OVER * self.distance)

    def parts(self) -> List[CutPart]:
        """Return the parts of the mesh that are near the solid on the lattice.

        Raises:
            TooManyParts: joining would not reduce so many parts to the allowed number.
        """
        waiting = [self.part(list(range(self.roots)))]
        done = []
        while waiting:
            # Among equals the oldest part is cut, so that the order is the same on every machine.
            part = max(waiting, key=lambda part: (part.beyond, -part.number))
            waiting.remove(part)
            halves = self.halves(part) if part.beyond else ()
            if halves:
                waiting += halves
            else:
                done.append(part)
            if len(waiting) + len(done) > JOINED * self.most:
                raise TooManyParts
        return self.join(done)

    def halves(self, part: CutPart) -> Sequence[CutPart]:
        """Return both sides of the best cut of a part, else of the cut across its longest side; () if it is too small."""
        sides = [high - low for low, high in part.box]
        axis = sides.index(max(sides))
        low, high = part.box[axis]
        middle = UNIT_AXES[axis], 0.5 * (low + high)
        # If no cut is better than the part, `_best_cut` returns a plane beside it: then the middle is cut.
        for plane in (self._best_cut(part), middle):
            below, above = self._split(part.pieces, *plane)
            if below and above:
                return self.part(below), self.part(above)
        return ()

    def split_refused(self, part: CutPart) -> Sequence[CutPart]:
        """Return two parts in place of a part that the exact test has refused.

        A joined part is parted again, any other part is cut.

        Raises:
            TooManyParts: the part is too small to be cut.
        """
        halves = part.halves or self.halves(part)
        if not halves:
            raise TooManyParts
        # The lattice found the union near enough, so `join` would make the refused part again without end.
        self.forbidden.add((halves[0].number, halves[1].number))
        return halves

    def _best_cut(self, part: CutPart) -> Tuple[Vector, float]:
        """Return the plane with the least cost of both sides; a plane beside the part if no cut is better."""
        corners = self.corners_of(part.pieces)
        surface = Hull(tuple(self.placed), tuple(self.pieces[number] for number in part.pieces))
        edges = _edges_of(surface.triangles)
        level_count = LEVELS // 2 if len(corners) > MANY else LEVELS
        best = (inf, 0.0)  # the cost and the level
        normal = UNIT_AXES[0]
        low = 0.0
        high = 0.0
        for direction in directions(surface, MORE, PARALLEL):
            heights = {k: dot(direction, self.placed[k]) for k in corners}
            ends = min(heights.values()), max(heights.values())
            cut = min(self._sweep(heights, edges, self._levels(*ends, level_count)), default=best)
            if cut < best:
                best = cut
                normal = direction
                low, high = ends
        # Around the best level, steps are halved: a cut along an edge of the solid costs least.
        heights = {k: dot(normal, self.placed[k]) for k in corners}
        step = 0.5 * (high - low) / (LEVELS + 1)
        for _ in range(HALVINGS):
            near_levels = [
                level for level in (best[1] - step, best[1] + step) if low < level < high
            ]
            best = min([best, *self._sweep(heights, edges, near_levels)])
            step *= 0.5
        return (normal, best[1]) if best[0] < part.cost else (normal, low - 1.0)

    def _levels(self, low: float, high: float, most: int) -> List[float]:
        """Return levels to try as cuts, evenly spaced between two heights."""
        span = high - low
        count = max(3, min(most, int(span / (STEP * self.distance))))
        return [low + span * k / (count + 1) for k in range(1, count + 1)]

    def _sweep(
        self, heights: Dict[int, float], edges: Sequence[Pair], levels: Sequence[float]
    ) -> List[Tuple[float, float]]:
        """Return the cost of both sides for each level, with the level."""
        slabs: List[List[Point]] = [[] for _ in range(len(levels) + 1)]
        slab_of = {k: bisect_left(levels, height) for k, height in heights.items()}
        for k, slab in slab_of.items():
            slabs[slab].append(self.placed[k])
        for a, b in edges:
            if slab_of[a] > slab_of[b]:
                a, b = b, a
            # At each level that the edge crosses, the slabs on both sides get the same point.
            for slab in range(slab_of[a], slab_of[b]):
                share = (levels[slab] - heights[a]) / (heights[b] - heights[a])
                edge_vector = subtract(self.placed[b], self.placed[a])
                point = add(self.placed[a], scale(share, edge_vector))
                slabs[slab].append(point)
                slabs[slab + 1].append(point)
        corners_of_slabs = [self._hull_corners(_rounded_once(slab)) for slab in slabs]
        # Below level k are slabs 0 to k, above it all others.
        costs_below = self._costs(corners_of_slabs[:-1])
        costs_above = self._costs(corners_of_slabs[:0:-1])[::-1]
        return [(p + q, level) for p, q, level in zip(costs_below, costs_above, levels)]

    def _hull_corners(self, points: Sequence[Point]) -> Sequence[Point]:
        """Return the corners of the hull of points, or the points themselves if they have no hull."""
        hull = self._hull(points)
        return hull.corners if hull else points

    def _costs(self, cores: Sequence[Sequence[Point]]) -> List[float]:
        """Return the costs of the hulls of the first core, of the first two, and so on."""
        grown: Sequence[Point] = ()
        costs = []
        for core in cores:
            hull = self._hull([*grown, *core])
            grown = hull.corners if hull else [*grown, *core]
            costs.append(self.lattice.judge(hull)[0])
        return costs

    def _split(
        self, pieces: Sequence[int], normal: Vector, level: float
    ) -> Tuple[List[int], List[int]]:
        """Return the pieces below and above a plane; those that cross it are cut."""
        heights: Dict[int, float] = {}
        for k in self.corners_of(pieces):
            height = dot(normal, self.placed[k]) - level
            heights[k] = 0.0 if abs(height) < FLAT else height
        below: List[int] = []
        above: List[int] = []
        waiting = list(reversed(pieces))
        while waiting:
            number = waiting.pop()
            ends = [heights[k] for k in self.pieces[number]]
            if max(ends) <= 0.0:
                below.append(number)
            elif min(ends) >= 0.0:
                above.append(number)
            else:
                # `e - 2` is the next corner: negative indices count from the end.
                edge = next(e for e in (0, 1, 2) if ends[e] * ends[e - 2] < 0.0)
                waiting += self._cut(number, edge, heights)
        return below, above

    def _cut(self, number: int, edge: int, heights: Dict[int, float]) -> List[int]:
        """Return the halves of a piece whose edge crosses a plane, or the piece if the cut would be at a corner."""
        corners = self.pieces[number]
        start, end, third = corners[edge], corners[edge - 2], corners[edge - 1]
        # Measured from the corner with the lower number, so that the triangle on the other side gets the same point.
        i, j = sorted((start, end))
        share = round(heights[i] / (heights[i] - heights[j]) * UNIT)
        if not 0 < share < UNIT:
            in_plane = j if share else i
            heights[in_plane] = 0.0
            return [number]
        k = self.cut_points.setdefault((i, j, share), len(self.points))
        if k == len(self.points):
            # A new point, in the file's coordinates and on the lattice.
            for points in (self.points, self.placed):
                edge_vector = subtract(points[j], points[i])
                points.append(add(points[i], scale(share / UNIT, edge_vector)))
        heights[k] = 0.0
        first = len(self.pieces)
        from_start = share if i == start else UNIT - share
        self.children[number] = (cut_at(edge, from_start / UNIT), first)
        self.pieces += [(start, k, third), (k, end, third)]
        return [first + 1, first]

    def join(self, parts: Iterable[CutPart]) -> List[CutPart]:
        """Return the parts after joining those that touch, least added cost first, while the lattice allows it."""
        alive: Dict[int, CutPart] = {}
        unions: Dict[Pair, CutPart] = {}

        def enter(new: CutPart) -> None:
            """Add a part, with its unions with the others."""
            for old in alive.values():
                union = self._union(old, new)
                if union is not None and not union.beyond:
                    unions[old.number, new.number] = union
            alive[new.number] = new

        for part in parts:
            enter(part)
        while unions:
            chosen = min(unions, key=lambda pair: (_gain(unions[pair]), pair))
            union = unions[chosen]
            for pair in [pair for pair in unions if not {*chosen}.isdisjoint(pair)]:
                del unions[pair]
            for number in chosen:
                del alive[number]
            enter(union)
        return list(alive.values())

    def _union(self, first: CutPart, second: CutPart) -> Optional[CutPart]:
        """Return the union of two parts, None if they do not touch, or the exact test has refused to join them."""
        pair = first.number, second.number
        # Corners are rounded to whole numbers, which moves those of both parts by up to 1 together.
        near = TOUCH * self.distance + 2.0
        if pair in self.forbidden or any(
            a > d + near or c > b + near for (a, b), (c, d) in zip(first.box, second.box)
        ):
            return None
        if pair not in self.joined:
            self.joined[pair] = self._judged(
                first.pieces + second.pieces,
                [*first.corners, *second.corners],
                (first, second),
            )
        return self.joined[pair]

    def tree_of(self, root: int, owners: Dict[int, int]) -> "array[float]":
        """Return the cuts of a triangle, and the numbers of the hulls of its pieces, from `owners` by piece.

        A cut is followed by all of its first part, then by all of its second; a piece is the number of its hull.
        """
        tree = array("d")
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in self.children:
                step, first = self.children[number]
                tree.append(step)
                waiting += [first + 1, first]
            else:
                tree.append(owners[number])
        return tree


def _edges_of(triangles: Iterable[Triangle]) -> List[Pair]:
    """Return the edges of triangles, each once and from its lower number, in order."""
    edges: Set[Pair] = set()
    for i, j, k in triangles:
        for a, b in ((i, j), (j, k), (k, i)):
            edges.add((min(a, b), max(a, b)))
    return sorted(edges)


def _gain(union: CutPart) -> float:
    """Return the cost that a union adds to the costs of its halves."""
    first, second = union.halves
    return union.cost - first.cost - second.cost


def _rounded_once(points: Iterable[Point]) -> List[Point]:
    """Return points rounded to whole steps of the lattice, in order, each once.

    Whole numbers below SIZE give the exact sign of a volume, and points that fall together make hulls cheaper.
    """
    return list(
        dict.fromkeys((float(round(x)), float(round(y)), float(round(z))) for x, y, z in points)
    )
