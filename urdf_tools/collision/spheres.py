"""Find balls that hold a mesh: few, none standing out by more than a length, with the ball that holds each piece.

1. Triangles are halved into pieces that are small beside the length.
2. Candidates are balls about points inside, as large as the point is deep and the length on top, and balls of the
   length about points of the surface.
3. The candidate that holds most pieces that no ball holds yet is taken, until all are held; then neighbors are taken
   out and found anew as long as that takes fewer. Each ball shrinks to what only it holds.
"""

from __future__ import annotations

from array import array
from functools import reduce
from heapq import heapify, heappop, heapreplace
from itertools import chain, product
from math import ceil, fsum, prod, sqrt
from operator import or_
from typing import Callable, Dict, List, Sequence, Tuple

from ..base.number_text import as_written
from ..base.record import Record
from ..meshes.hull import convex_hull, Point
from ..meshes.triangle_tree import TriangleTree
from ..meshes.volume import Columns, open_edges
from ..meshes.witnesses import (
    Ball,
    distance,
    halves,
    longest_side,
    normal_of,
    Tree,
    Triangle,
    triangles_at,
)
from ..urdf.spatial import norm
from .pieces import planes_of
from .shapes import DECIMALS, GROWTH, MARGIN, MeshBody, rounded_up

# The longest side of a piece, of the overhang, and where they are so many.
FINE = 0.5
COARSE = 0.9
MOST_PIECES = 16000
# [m]; the largest area of a mesh, of the square of the overhang.
LEAST_OVERHANG = 1e-4
MOST_BALLS = 4e4
INSIDE = 12000  # points of the lattice over the box
OUTSIDE = 1000  # candidates on the surface
# Of the overhang: the least step of the lattice; half the side of a box with one bit.
NEAR = 0.2
SMALL = 0.1
LEAF = 6
ENOUGH = 200
DEEP = 0.1  # of the overhang: less deep points are no better than points of the surface
NEIGHBORS = 4
ROUNDS = 3
Depth = Callable[[Point], float]
count_bits: Callable[[int], int] = getattr(int, "bit_count", lambda mask: bin(mask).count("1"))


class SphereCover(Record):
    """Balls that hold a mesh.

    Attributes:
        balls: as they are written.
        trees: for each triangle its pieces and their balls, as `verify_cover` takes them.
        overhang: a bound of how far they stand out over the closed mesh, or over its hull where it is open [m].
    """

    balls: Tuple[Ball, ...]
    trees: Tuple[Tree, ...]
    overhang: float


class _Node(Record):
    """A box around pieces: center, half its sizes, the bits of their groups, and its halves, or pieces with bits."""

    center: Point
    half: Point
    mask: int
    parts: Tuple["_Node", ...] = ()
    pieces: Tuple[Tuple[int, Triangle], ...] = ()


def cover(points: Sequence[Point], body: MeshBody, overhang: float) -> SphereCover:
    """Return balls that hold the triangles of a mesh, each standing out by at most `overhang` [m].

    Args:
        points: of the body, in the frame of the link.

    Raises:
        ValueError: that would take thousands.
    """
    triangles = triangles_at(points, body.triangles)
    is_open = open_edges(body.triangles) > 0
    depth = _depth_in_hull(points) if is_open else _depth_in_mesh(triangles)
    # Radii are rounded up by about MARGIN when they are written.
    most = overhang - 8.0 * MARGIN
    area = 0.5 * fsum(norm(normal_of(triangle)) for triangle in triangles)
    if overhang < LEAST_OVERHANG or area > MOST_BALLS * overhang * overhang:
        raise ValueError
    # As small as FINE, unless there would be more than MOST_PIECES: 1.7 is about the longest side of halved triangles,
    # of the root of their area.
    longest = max(FINE * overhang, min(COARSE * overhang, 1.7 * sqrt(area / MOST_PIECES)))
    pieces, trees = _pieces(triangles, longest)

    groups: List[List[int]] = []
    root = _node(list(enumerate(pieces)), SMALL * overhang, groups)
    # An open mesh is measured from its hull, in which points of a lattice are deep more often.
    most_inside = INSIDE // 3 if is_open else INSIDE
    balls = [_ball_on(piece, most) for piece in pieces[:: ceil(len(pieces) / OUTSIDE)]]
    balls += _inside(points, depth, most, most_inside)
    masks = [_held(root, ball) for ball in balls]
    missing = root.mask & ~reduce(or_, masks, 0)
    while missing:  # far from all candidates, so each gets one: it holds its piece
        balls.append(_ball_on(pieces[groups[missing.bit_length() - 1][0]], most))
        masks.append(_held(root, balls[-1]))
        missing &= ~masks[-1]

    # Fewest balls first, then each as small as what it alone holds.
    chosen = _improved(
        _greedy(masks, range(len(masks)), root.mask),
        [ball.center for ball in balls],
        masks,
        root.mask,
    )
    corners = [[*chain.from_iterable(pieces[number] for number in group)] for group in groups]
    shrunk = _shrunk([balls[k] for k in chosen], [masks[k] for k in chosen], root, corners)
    return SphereCover(
        balls=tuple(ball for ball, _ in shrunk),
        trees=_trees_of_balls(trees, [mask for _, mask in shrunk], groups),
        overhang=max(ball.radius - max(0.0, depth(ball.center)) for ball, _ in shrunk),
    )


def _trees_of_balls(
    trees: Sequence[Tree], masks: Sequence[int], groups: Sequence[Sequence[int]]
) -> Tuple[Tree, ...]:
    """Return trees of pieces, with the ball that holds each piece in place of its number; `masks`: what each holds."""
    owner: Dict[int, int] = {}
    for number, mask in enumerate(masks):
        for bit in _bits(mask):
            owner.update(dict.fromkeys(groups[bit], number))

    def owned(step: float) -> float:
        """Return a step of a tree: a cut, below 0, as it is; the ball of a piece in place of its number."""
        return step if step < 0.0 else owner[int(step)]

    return tuple(array("d", map(owned, tree)) for tree in trees)


def _depth_in_mesh(triangles: Sequence[Triangle]) -> Depth:
    """Return the function of how deep a point is inside a closed mesh [m], below 0 where that is not certain."""
    drawn = [triangle for triangle in triangles if len(set(triangle)) == 3]
    if not drawn:
        return lambda _: -1.0
    tree = TriangleTree(drawn)
    columns = Columns(drawn)

    def depth(point: Point) -> float:
        """Return the distance of a point inside the mesh from its surface, -1 for other points."""
        return tree.nearest(point)[0] if columns.winding(point) else -1.0

    return depth


def _depth_in_hull(points: Sequence[Point]) -> Depth:
    """Return the function of how deep a point is inside the hull of points [m], below 0 outside."""
    hull = convex_hull(points, ENOUGH)  # a hull in the hull: a point is no deeper in it
    planes = planes_of(hull) if hull else ()
    return lambda point: min(
        (level - (n[0] * point[0] + n[1] * point[1] + n[2] * point[2]) for n, level in planes),
        default=-1.0,
    )


def _pieces(
    triangles: Sequence[Triangle], longest: float
) -> Tuple[List[Triangle], List["array[float]"]]:
    """Return the pieces of triangles, and for each triangle its cuts and the numbers of its pieces."""
    pieces: List[Triangle] = []
    trees: List[array[float]] = []
    for triangle in triangles:
        tree = array("d")
        waiting = [triangle]
        while waiting:
            piece = waiting.pop()
            length, cut = longest_side(piece)
            if length <= longest:
                tree.append(len(pieces))
                pieces.append(piece)
                continue
            tree.append(cut)
            waiting += halves(piece, cut)[::-1]
        trees.append(tree)
    return pieces, trees


def _node(pieces: List[Tuple[int, Triangle]], small: float, groups: List[List[int]]) -> _Node:
    """Return the tree of pieces, and append groups that are held together: many in a small box, or one.

    A group has the bit of its index.
    """
    columns = zip(*chain.from_iterable(piece for _, piece in pieces))
    (a, d), (b, e), (c, f) = [(min(column), max(column)) for column in columns]
    center = (0.5 * (a + d), 0.5 * (b + e), 0.5 * (c + f))
    half = (0.5 * (d - a), 0.5 * (e - b), 0.5 * (f - c))
    first = len(groups)
    if len(pieces) <= LEAF:
        groups += [[number] for number, _ in pieces]
        mask = (1 << len(groups)) - (1 << first)
        with_bits = [(1 << bit, piece) for bit, (_, piece) in enumerate(pieces, start=first)]
        return _Node(center, half, mask, pieces=tuple(with_bits))
    if max(half) <= small:
        groups.append([number for number, _ in pieces])
        return _Node(center, half, 1 << first)
    axis = half.index(max(half))
    pieces.sort(key=lambda numbered: fsum(corner[axis] for corner in numbered[1]))
    parts = (
        _node(pieces[: len(pieces) // 2], small, groups),
        _node(pieces[len(pieces) // 2 :], small, groups),
    )
    return _Node(center, half, parts[0].mask | parts[1].mask, parts)


def _held(root: _Node, ball: Ball) -> int:
    """Return the bits of the groups that are in a ball."""
    # Written out: it runs for thousands of balls, each over many boxes.
    x, y, z = ball.center
    square = ball.radius * ball.radius
    mask = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        cx, cy, cz = node.center
        hx, hy, hz = node.half
        # From the center of the ball to the middle, the farthest and the nearest of the box, along each axis.
        dx, dy, dz = abs(cx - x), abs(cy - y), abs(cz - z)
        fx, fy, fz = dx + hx, dy + hy, dz + hz
        nx, ny, nz = max(0.0, dx - hx), max(0.0, dy - hy), max(0.0, dz - hz)
        # The farthest corner of the box is in the ball, so all of it is.
        if fx * fx + fy * fy + fz * fz <= square:
            mask |= node.mask
        elif nx * nx + ny * ny + nz * nz <= square:
            waiting += node.parts
            for bit, ((ax, ay, az), (bx, by, bz), (cx, cy, cz)) in node.pieces:
                if (
                    (ax - x) * (ax - x) + (ay - y) * (ay - y) + (az - z) * (az - z) <= square
                    and (bx - x) * (bx - x) + (by - y) * (by - y) + (bz - z) * (bz - z) <= square
                    and (cx - x) * (cx - x) + (cy - y) * (cy - y) + (cz - z) * (cz - z) <= square
                ):
                    mask |= bit
    return mask


def _ball_on(piece: Triangle, radius: float) -> Ball:
    """Return a ball about the middle of a triangle."""
    return Ball(_rounded(*(fsum(column) / 3.0 for column in zip(*piece))), radius)


def _inside(points: Sequence[Point], depth: Depth, most: float, count: int) -> List[Ball]:
    """Return the balls about those of `count` points of a lattice that are inside."""
    low, high = zip(*((min(column), max(column)) for column in zip(*points)))
    sides = [top - bottom for bottom, top in zip(low, high)]
    step = NEAR * most
    while prod(int(side / step) + 1 for side in sides) > count:
        step *= 1.05
    # Off the middle of the steps: above points there, symmetric meshes have edges, so that a quarter of the points of a
    # box would count as outside.
    ticks = [
        [bottom + (k + 0.43) * step for k in range(int(side / step) + 1)]
        for bottom, side in zip(low, sides)
    ]
    balls: List[Ball] = []
    for x, y, z in product(*ticks):
        center = _rounded(x, y, z)
        deep = depth(center)
        if deep > DEEP * most:
            balls.append(Ball(center, deep + most))
    return balls


def _rounded(x: float, y: float, z: float) -> Point:
    """Return a point as it will be written: kilometers have no digits for the last of DECIMALS."""
    return as_written((round(x, DECIMALS), round(y, DECIMALS), round(z, DECIMALS)))


def _greedy(masks: Sequence[int], numbers: Sequence[int], free: int) -> List[int]:
    """Return the numbers of masks that have all bits that are free, each with the most that are left at its turn."""
    # Gains only shrink: the first of the heap is the best, if it still has what the heap says.
    gains = [(-count_bits(masks[k] & free), k) for k in numbers]
    waiting = [(gain, k) for gain, k in gains if gain]
    heapify(waiting)
    chosen = []
    while free:
        gain, k = waiting[0]
        now = -count_bits(masks[k] & free)
        if now > gain:  # less than it was
            heapreplace(waiting, (now, k))
            continue
        heappop(waiting)
        chosen.append(k)
        free &= ~masks[k]
    return chosen


def _improved(
    chosen: List[int], centers: Sequence[Point], masks: Sequence[int], whole: int
) -> List[int]:
    """Return fewer masks with all bits: a few that are near each other are taken out, and replaced by no more."""
    for _ in range(ROUNDS):
        before = len(chosen)
        # `chosen` changes while neighbors are replaced, so the centers are taken before.
        for center in [centers[k] for k in chosen]:
            near = sorted(chosen, key=lambda k: distance(centers[k], center))[:NEIGHBORS]  # noqa: B023
            rest = [k for k in chosen if k not in near]
            free = whole & ~reduce(or_, (masks[k] for k in rest), 0)
            new = _greedy(masks, [k for k in range(len(masks)) if masks[k] & free], free)
            if len(new) <= len(near):
                chosen = rest + new
        if len(chosen) == before:
            break
    return chosen


def _shrunk(
    balls: Sequence[Ball], masks: List[int], root: _Node, corners: Sequence[Sequence[Point]]
) -> List[Tuple[Ball, int]]:
    """Return the balls, each shrunk to the pieces that only it holds, rounded up, with the bits of all that it holds then.

    `corners` has the corners of the pieces of each group.
    """
    shrunk: List[Tuple[Ball, int]] = []
    held = 0
    for number, (center, _) in enumerate(balls):
        # What no earlier ball holds as it is written, and no later one as it was proposed.
        only = masks[number] & ~held & ~reduce(or_, masks[number + 1 :], 0)
        if only:
            held_corners = chain.from_iterable(corners[bit] for bit in _bits(only))
            radius = max(distance(corner, center) for corner in held_corners)
            reach = max(map(abs, center)) + radius
            ball = Ball(center, rounded_up(radius * GROWTH + MARGIN + 1e-12 * reach))
            shrunk.append((ball, only | _held(root, ball._replace(radius=radius * GROWTH))))
            held |= shrunk[-1][1]
    return shrunk


def _bits(mask: int) -> List[int]:
    """Return the places of the bits of a mask, the lowest first."""
    return [k for k, bit in enumerate(reversed(bin(mask))) if bit == "1"]
