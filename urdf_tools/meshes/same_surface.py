"""The decision if two surfaces are the same set of points: same with a bound, different with a point as evidence, or unknown.

Equal triangles are dropped, then triangles that are equal up to rounding. The remaining ones are cut along the edges of
the other surface until each piece is within the tolerance of a triangle. All distances are between sets of points
(Hausdorff): duplicates, different triangulations, T-junctions and the winding do not matter. A triangle whose height is
less than 1e-7 of the size draws nothing.
"""

from __future__ import annotations

import operator
from array import array
from itertools import chain, product
from math import dist, sqrt
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple, Union

from ..base.number_text import grouped
from ..base.record_type import Record
from .triangle_tree import TriangleTree
from .verify_witnesses import (
    corner_gap,
    cut_at,
    distance,
    halves,
    longest_side,
    middle_of,
    normal_of,
    Point,
    Tree,
    Triangle,
    triangle_gap,
    verify_cover,
)

# Reasons for an unknown result.
STEPS = "steps"
EDGE = "tolerance"
EMPTY = "empty"
WITNESSES = "witnesses"
FLAT = 1e-7  # of the size: a triangle of smaller height draws nothing, and need not be covered
SAMPLES = 48  # triangles of each surface, which show most differences at once
SMALL = 3.0  # tolerances
SNAP = 4e-3  # of the size: a larger step has too many neighbors
# Try a tighter bound, as long as few cuts reach it.
FINE = 32.0
FINE_STEPS = 6
FINE_TRIES = 64
LEAST_STEPS = 20000  # of the search
STEPS_EACH = 30  # for each remaining triangle
ROUNDING = 64 * 2.2e-16  # of the largest coordinate: the error of the distances
AHEAD = 4  # the number of next triangles to try, because the other file may have dropped some
# Fraction of a step: farther triangles may be neighbors, while rounding to 1e-5 m is closer.
CLOSE = 8.0
# Side of a grid cell in steps: most points need one or two cells, with few points in each.
CELLS = 8.0


class SameSurface(Record):
    """No point of either surface is farther than `bound` [m] from the other surface.

    Attributes:
        turned: the fraction of A's area that faces the opposite way in B, from 0 to 1.
        steps: the number of pieces that were examined.
    """

    bound: float
    turned: float = 0.0
    steps: int = 0


class SurfaceGap(Record):
    """A `point` of one surface (`side`: A or B) is `gap` [m] from the other surface; other points may be farther."""

    point: Point
    gap: float
    side: str
    steps: int = 0


class UndecidedSurface(Record):
    """Undecided: too many steps (STEPS), too close to the tolerance (EDGE), or a side draws nothing (EMPTY)."""

    why: str
    steps: int = 0


Verdict = Union[SameSurface, SurfaceGap, UndecidedSurface]


class CoveredSurface(Record):
    """A surface: its triangles, and the numbers of the triangles that the other surface must cover."""

    triangles: Sequence[Triangle]
    to_cover: List[int]
    tree: TriangleTree


class TriangleMatch(Record):
    """The result of the search for a triangle.

    Attributes:
        tree: its pieces and their witnesses, in the form for `verify_cover`.
        turned: the area of pieces that face the opposite way of their witness [m^2].
        far: a point of the triangle that is too far from the other surface, or None.
        why: the reason why the list of witnesses is incomplete, or "".
    """

    tree: Tree
    steps: int
    turned: float = 0.0
    far: Optional[Point] = None
    why: str = ""


def same_surface(
    a: Sequence[Triangle],
    b: Sequence[Triangle],
    tolerance: float,
    most_steps: Optional[int] = None,
    show: Callable[[int], None] = lambda triangles: None,
) -> Verdict:
    """Return whether two surfaces are the same within `tolerance` [m].

    Args:
        a, b: the triangles of each surface [m].
        tolerance: the largest allowed distance of a point of one surface to the other surface [m].
        most_steps: the largest number of pieces of triangles that the search examines; None: as many as usual for the
            number of triangles.
        show: called repeatedly with the number of triangles of a surface that have witnesses.
    """
    corner_gap = largest_corner_gap(a, b, tolerance)
    if corner_gap is not None and any(map(_is_drawn, a)):
        return SameSurface(corner_gap)
    # Equal triangles count once, and a triangle with two equal corners draws nothing.
    lists = [
        list(dict.fromkeys(map(oriented, filter(_is_drawn, triangles)))) for triangles in (a, b)
    ]
    sets = [set(triangles) for triangles in lists]
    if sets[0] == sets[1] and sets[0]:
        return SameSurface(0.0)
    if not all(sets):
        return UndecidedSurface(EMPTY)
    trees = [TriangleTree(triangles) for triangles in lists]
    low = [*map(min, *(tree.root.low for tree in trees))]
    high = [*map(max, *(tree.root.high for tree in trees))]
    size = max(map(operator.sub, high, low))
    height = FLAT * size
    if any(all(_is_flat(triangle, height) for triangle in triangles) for triangles in lists):
        return UndecidedSurface(EMPTY)
    sides = []
    for tree, triangles_of_other in zip(trees, reversed(sets)):
        to_cover = [
            number
            for number, triangle in enumerate(tree.triangles)
            if triangle not in triangles_of_other and not _is_flat(triangle, height)
        ]
        sides.append(CoveredSurface(tree.triangles, to_cover, tree))
    rounding = ROUNDING * max(map(abs, (*low, *high)))
    # Boxes first, because they need no search.
    difference = _outside(sides, tolerance)
    if difference is not None:
        return difference
    snap_step = min(tolerance, SNAP * size)
    return _covered(sides, tolerance, snap_step, most_steps, rounding, show)


def largest_corner_gap(
    a: Sequence[Triangle], b: Sequence[Triangle], most: float
) -> Optional[float]:
    """Return the largest distance between equal corners of two lists of triangles in one order [m].

    Return None if it is more than `most`, or if the lists differ in length.

    A point of a triangle is a weighted mean of its corners, and the same mean of the other corners is no farther from
    it than the farthest corner. So this is a bound of the distance of both surfaces, which needs no search.
    """
    if len(a) != len(b):
        return None
    farthest = 0.0
    for triangle, other in zip(a, b):
        gap = max(map(dist, triangle, other))
        if gap > farthest:
            if gap > most:
                return None
            farthest = gap
    # The factor covers the rounding of the distance; the corners are exact.
    return farthest * (1.0 + ROUNDING)


def _is_drawn(triangle: Triangle) -> bool:
    """Return False for a triangle with two equal corners."""
    p, q, r = triangle
    return p != q != r != p


def _verified_bound(
    sides: Sequence[CoveredSurface],
    trees_by_side: Sequence[Mapping[int, Tree]],
    searched_by_side: Sequence[Sequence[int]],
) -> float:
    """Return the distance that the witnesses prove [m], verified without any search.

    This is step (3): the bound does not depend on how the witnesses were found.

    Args:
        sides: both surfaces.
        trees_by_side: for each side, the witnesses of its triangles, by their numbers.
        searched_by_side: for each side, the triangles whose witnesses were searched; all others were snapped.
    """
    bounds: List[float] = []
    for side, other, trees, searched in zip(
        sides, reversed(sides), trees_by_side, searched_by_side
    ):
        snapped = [*set(side.to_cover).difference(searched)]
        # Snapped triangles have their corners near corners, and this distance is faster to compute.
        for numbers, gap in ((searched, triangle_gap), (snapped, corner_gap)):
            triangles = [side.triangles[number] for number in numbers]
            # An empty tree proves nothing: with it the bound is infinite.
            witnesses = [trees.get(number, ()) for number in numbers]
            bounds.append(verify_cover(triangles, witnesses, other.triangles, gap))
    return max(bounds)


def _covered(
    sides: Sequence[CoveredSurface],
    tolerance: float,
    step: float,
    most_steps: Optional[int],
    rounding: float,
    show: Callable[[int], None],
) -> Verdict:
    """Return the verdict on surfaces of equal boxes: witnesses for all remaining triangles of both, or a point."""
    # (1) Triangles that are equal up to the rounding of a format (1e-5 m in many OBJ files) need no cut; a few samples
    # find most surfaces that differ.
    trees, turned = _snapped(sides, step)
    uncovered = [
        [number for number in side.to_cover if number not in tree]
        for side, tree in zip(sides, trees)
    ]
    difference = _sampled(sides, uncovered, tolerance)
    if difference is not None:
        return difference
    # (2) Search witnesses for the others.
    step_limit = LEAST_STEPS + STEPS_EACH * sum(map(len, uncovered))
    if most_steps is not None:
        step_limit = min(step_limit, most_steps)
    search = _CoverSearch(tolerance, step_limit, show)
    for k, (side, other) in enumerate(zip(sides, reversed(sides))):
        stop = search.cover(side, other, uncovered[k], trees[k], "AB"[k])
        if stop is not None:
            return stop
        # The turned area of B is the same as A's.
        if k == 0:
            turned += search.turned
    if search.why:
        return UndecidedSurface(search.why, search.steps)
    # (3) The bound is recomputed from the witnesses.
    bound = rounding + _verified_bound(sides, trees, uncovered)
    # The bound includes the rounding, which the search ignores.
    if bound > tolerance + 2.0 * rounding:
        return UndecidedSurface(WITNESSES, search.steps)
    share = turned and turned / sum(map(_area, sides[0].triangles))
    return SameSurface(bound, share, search.steps)


class _CoverSearch:
    """The search for witnesses of triangles, and its effort so far.

    Attributes:
        most: the largest number of steps.
        steps: the number of pieces that were examined.
        turned: the area of pieces of the last side that face the opposite way of their witness [m^2].
        why: the reason why a triangle has no complete list of witnesses, or "".
    """

    def __init__(self, tolerance: float, most: int, show: Callable[[int], None]) -> None:
        """Begin without steps; `most` bounds their number."""
        self.tolerance = tolerance
        self.most = most
        self.show = show
        self.steps = 0
        self.turned = 0.0
        self.why = ""

    def cover(
        self,
        side: CoveredSurface,
        other: CoveredSurface,
        numbers: Iterable[int],
        witnesses: Dict[int, Tree],
        letter: str,
    ) -> Union[SurfaceGap, UndecidedSurface, None]:
        """Add the witnesses of triangles of a side; return the verdict that ends the search, or None.

        A bound tighter than the tolerance is tried first, as long as at least half of the tries succeed.
        """
        self.turned = 0.0
        tries = 0
        successes = 0
        for number in numbers:
            self.show(len(witnesses))
            triangle = side.triangles[number]
            pieces = None
            if tries < FINE_TRIES or 2 * successes >= tries:
                pieces = self._pieces(triangle, other, self.tolerance / FINE, FINE_STEPS)
                tries += 1
                if not pieces.why:
                    successes += 1
            if pieces is None or pieces.why:
                pieces = self._pieces(triangle, other, self.tolerance, self.most)
            if pieces.far is not None:
                gap, _ = other.tree.nearest(pieces.far)
                return SurfaceGap(pieces.far, gap, letter, self.steps)
            if pieces.why == STEPS:
                return UndecidedSurface(STEPS, self.steps)
            self.why = pieces.why or self.why
            witnesses[number] = pieces.tree
            self.turned += pieces.turned
        return None

    def _pieces(
        self, triangle: Triangle, other: CoveredSurface, near: float, most: int
    ) -> TriangleMatch:
        """Return the pieces of a triangle within `near` [m] of the other side, and count their steps."""
        pieces = pieces_of(triangle, other.tree, near, min(most, self.most - self.steps))
        self.steps += pieces.steps
        return pieces


def pieces_of(triangle: Triangle, tree: TriangleTree, near: float, most: int) -> TriangleMatch:
    """Cut a triangle until each piece is within `near` [m] of one triangle of a tree, in at most `most` steps."""
    trace = array("d")
    # A piece, and the triangle along whose edges it is cut; ~number: this triangle cannot cut it, but a neighbor may.
    waiting: List[Tuple[Triangle, int]] = [(triangle, ~tree.last)]
    steps = 0
    turned = 0.0
    why = ""
    while waiting:
        piece, number = waiting.pop()
        steps += 1
        if steps > most:
            return TriangleMatch(tree=trace, steps=steps, turned=turned, far=None, why=STEPS)
        is_new = number < 0
        if is_new:  # choose a triangle near its middle
            middle = middle_of(piece)
            # Neighbors of the last triangle first, which is faster than the tree.
            number = tree.walk(~number, middle, 0.9 * near, near / 4.0)
            if number < 0:
                _, number = tree.nearest(middle, near, near / 8.0)
            if number < 0:
                return TriangleMatch(tree=trace, steps=steps, turned=turned, far=middle, why=EDGE)
        other = tree.triangles[number]
        if all(triangle_gap(corner, other) <= near for corner in piece):
            trace.append(number)
            if _faces_away(piece, other):
                turned += _area(piece)
            continue
        # Cutting along the edges of a triangle that is small relative to the tolerance would give more pieces than
        # halving.
        cut = None
        if longest_side(other)[0] > SMALL * near:
            cut = _edge_cut(piece, other, near / 16.0)
        if cut is None and not is_new:  # this triangle cannot cut it further: try a new one
            waiting.append((piece, ~number))
            continue
        if cut is None:  # halve its longest side, unless it is tiny: then it is at the tolerance
            length, cut = longest_side(piece)
            number = ~number
            if length < near / 64.0:
                why = EDGE
                continue
        trace.append(cut)
        # Depth first, the order in which `verify_cover` reads the list.
        waiting += [(half, number) for half in reversed(halves(piece, cut))]
    return TriangleMatch(tree=trace, steps=steps, turned=turned, far=None, why=why)


def _edge_cut(piece: Triangle, other: Triangle, margin: float) -> Optional[float]:
    """Return a cut of a piece by a plane through an edge of a triangle, normal to the triangle, or None."""
    nx, ny, nz = normal_of(other)
    for k in (0, 1, 2):
        # `k - 2` is the next corner, because negative indices count from the end.
        (px, py, pz), (qx, qy, qz) = other[k], other[k - 2]
        ux, uy, uz = qx - px, qy - py, qz - pz
        mx, my, mz = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
        length = sqrt(mx * mx + my * my + mz * mz)
        if length == 0.0:
            return None
        inward = [((x - px) * mx + (y - py) * my + (z - pz) * mz) / length for x, y, z in piece]
        for edge in (0, 1, 2):
            first, last = inward[edge], inward[edge - 2]
            if first > margin and last < -margin or first < -margin and last > margin:
                return cut_at(edge, first / (first - last))
    return None


def _snapped(sides: Sequence[CoveredSurface], step: float) -> Tuple[List[Dict[int, Tree]], float]:
    """Return the witnesses of triangles that are equal up to rounding, and A's area with opposite normals."""
    trees: List[Dict[int, Tree]] = [{}, {}]
    turned: Set[int] = set()
    for pairs_of in (pairs_in_order, snap):
        numbers = [
            [number for number in side.to_cover if number not in tree]
            for side, tree in zip(sides, trees)
        ]
        a = [sides[0].triangles[number] for number in numbers[0]]
        b = [sides[1].triangles[number] for number in numbers[1]]
        for first, second, is_turned in pairs_of(a, b, step):
            number = numbers[0][first]
            other = numbers[1][second]
            # Equal windings come first: a triangle with such a partner is not turned, whatever else lies there.
            if is_turned and number not in trees[0]:
                turned.add(number)
            trees[0].setdefault(number, [other])
            trees[1].setdefault(other, [number])
    return trees, sum(_area(sides[0].triangles[number]) for number in turned)


def _outside(sides: Sequence[CoveredSurface], tolerance: float) -> Optional[SurfaceGap]:
    """Return the corner that is farthest outside the box of the other surface.

    Return None if all corners are within `tolerance` of these boxes, which leaves the verdict open.
    """
    squared_tolerance = tolerance * tolerance
    box = sides[0].tree.root
    other = sides[1].tree.root
    # In this case no corner can be outside by more than the tolerance.
    if 2.0 * max(map(dist, (box.low, box.high), (other.low, other.high))) <= tolerance:
        return None
    gaps: List[Tuple[float, Point, int]] = []
    for k, (side, other_side) in enumerate(zip(sides, reversed(sides))):
        box = other_side.tree.root
        corners = {*chain.from_iterable(side.triangles[number] for number in side.to_cover)}
        gaps += [(box.squared_gap(corner), corner, k) for corner in corners]
    largest, corner, k = max(gaps, default=(0.0, (0.0, 0.0, 0.0), 0))
    if largest <= squared_tolerance:
        return None
    return SurfaceGap(corner, sides[1 - k].tree.nearest(corner)[0], "AB"[k])


def _sampled(
    sides: Sequence[CoveredSurface], uncovered: Sequence[Sequence[int]], tolerance: float
) -> Optional[SurfaceGap]:
    """Return the farthest of some corners and middles, or None if all are within `tolerance`."""
    farthest = SurfaceGap((0.0, 0.0, 0.0), tolerance, "")
    for k, (side, other) in enumerate(zip(sides, reversed(sides))):
        for number in uncovered[k][:: max(1, len(uncovered[k]) // SAMPLES)]:
            triangle = side.triangles[number]
            for point in (*triangle, middle_of(triangle)):
                gap, _ = other.tree.nearest(point, good=farthest.gap)
                if gap > farthest.gap:
                    farthest = SurfaceGap(point, gap, "AB"[k])
    return farthest if farthest.side else None


def _area(triangle: Triangle) -> float:
    """Return the area of a triangle [m^2]."""
    x, y, z = normal_of(triangle)
    return 0.5 * sqrt(x * x + y * y + z * z)


def _faces_away(triangle: Triangle, other: Triangle) -> bool:
    """Return True if the normals of two triangles are more than a right angle apart."""
    x, y, z = normal_of(triangle)
    u, v, w = normal_of(other)
    return x * u + y * v + z * w < 0.0


def _is_flat(triangle: Triangle, height: float) -> bool:
    """Return True if the height of a triangle over its longest side is less than `height` [m]."""
    doubled = 2.0 * _area(triangle)
    most = 2.0 * height / FLAT  # no side of a triangle is twice as long as the size
    return doubled < height * most and doubled < height * longest_side(triangle)[0]


def oriented(triangle: Triangle) -> Triangle:
    """Return a triangle with its smallest corner first, and the same winding."""
    a, b, c = triangle
    if a <= b and a <= c:
        return triangle
    return (b, c, a) if b <= c else (c, a, b)


def flipped(triangle: Triangle) -> Triangle:
    """Return an oriented triangle that faces the opposite way."""
    return triangle[0], triangle[2], triangle[1]


def pairs_in_order(
    a: Sequence[Triangle], b: Sequence[Triangle], step: float
) -> List[Tuple[int, int, bool]]:
    """Return pairs as `snap` does, for triangles in the same order, as in a converted file; this needs no grid."""
    pairs: List[Tuple[int, int, bool]] = []
    following = 0
    for number, triangle in enumerate(b):
        for k in range(following, min(following + AHEAD, len(a))):
            if max(map(dist, a[k], triangle)) <= step / CLOSE:
                pairs.append((k, number, False))
                following = k + 1
                break
    return pairs


def snap(a: Sequence[Triangle], b: Sequence[Triangle], step: float) -> List[Tuple[int, int, bool]]:
    """Pair triangles whose corners are at most `step` [m] apart: number in A, in B, and if the normals are opposite.

    A grid proposes neighbors. If it misses a neighbor, only a pair is lost: the result stays correct.
    """
    cells: Dict[Point, List[Point]] = {}
    side = CELLS * step
    for point in {*chain.from_iterable(a)}:
        x, y, z = point
        cells.setdefault((x // side, y // side, z // side), []).append(point)
    moved: Dict[Point, Point] = {}
    for point in {*chain.from_iterable(b)}:
        moved[point] = point
        gap = step
        # The cells within a step: usually one along each axis, else two.
        spans = [{(value - step) // side, (value + step) // side} for value in point]
        for i, j, k in product(*spans):
            for other in cells.get((i, j, k), ()):
                if distance(point, other) <= gap:
                    gap = distance(point, other)
                    moved[point] = other
    numbers = grouped((oriented(triangle), number) for number, triangle in enumerate(a))
    pairs: List[Tuple[int, int, bool]] = []
    for number, (p, q, r) in enumerate(b):
        triangle = oriented((moved[p], moved[q], moved[r]))
        # Equal winding first: only a triangle without such a partner may match with its normal reversed.
        partners = numbers.get(triangle)
        is_turned = partners is None
        if partners is None:
            partners = numbers.get(oriented(flipped(triangle)), [])
        pairs += [(partner, number, is_turned) for partner in partners]
    # Equal windings first; the sort is stable and keeps the order otherwise.
    return sorted(pairs, key=lambda pair: pair[2])
