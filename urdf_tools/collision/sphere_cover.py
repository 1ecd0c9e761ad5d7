"""The search for few balls that contain a mesh and stand out by at most the overhang, with the ball of each piece.

1. Triangles are halved into pieces that are small compared to the overhang.
2. Candidates are balls about points inside, whose radius is the depth of the point plus the overhang, and balls about
   points of the surface, whose radius is the overhang.
3. The candidate that contains most uncovered pieces is taken, until all pieces are covered. Then neighboring balls are
   replaced as long as fewer suffice. Each ball shrinks to the pieces that no other ball contains.
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
from ..base.record_type import Record
from ..meshes.convex_hull import convex_hull, Point
from ..meshes.triangle_tree import TriangleTree
from ..meshes.mesh_volume import TriangleColumns, open_edges
from ..meshes.verify_witnesses import (
    Ball,
    distance,
    halves,
    longest_side,
    normal_of,
    Tree,
    Triangle,
    triangles_at,
)
from ..urdf.spatial_math import norm
from .convex_pieces import planes_of
from .collision_shapes import DECIMALS, GROWTH, MARGIN, MeshWithHull, rounded_up

# The longest side of a piece, as a fraction of the overhang; COARSE if there would be more than MOST_PIECES.
FINE = 0.5
COARSE = 0.9
MOST_PIECES = 16000
LEAST_OVERHANG = 1e-4  # [m]
MOST_BALLS = 4e4  # the largest area of a mesh, in squares of the overhang
INSIDE = 12000  # points of the lattice over the box
OUTSIDE = 1000  # candidates on the surface
# As fractions of the overhang: the least step of the lattice; half the side of a box with a single bit.
NEAR = 0.2
SMALL = 0.1
LEAF = 6  # pieces of a box that are tested one by one
ENOUGH = 200  # corners of the hull in which the depth is measured
DEEP = 0.1  # of the overhang: points that are less deep are not better than points of the surface
NEIGHBORS = 4  # balls that are replaced at once
ROUNDS = 3
Depth = Callable[[Point], float]
count_bits: Callable[[int], int] = getattr(int, "bit_count", lambda mask: bin(mask).count("1"))


class SphereCover(Record):
    """Balls that contain a mesh.

    Attributes:
        balls: as they are written.
        trees: for each triangle its pieces and their balls, as `verify_cover` reads them.
        overhang: a bound of the distance by which they stand out over the closed mesh, or over its hull if open [m].
    """

    balls: Tuple[Ball, ...]
    trees: Tuple[Tree, ...]
    overhang: float


class _SphereTreeBox(Record):
    """A box around pieces: its center, half its sizes, the bits of its groups, and its two parts or single pieces."""

    center: Point
    half: Point
    mask: int
    parts: Tuple["_SphereTreeBox", ...] = ()
    pieces: Tuple[Tuple[int, Triangle], ...] = ()


def cover(points: Sequence[Point], body: MeshWithHull, overhang: float) -> SphereCover:
    """Return balls that contain the triangles of a mesh, each standing out by at most `overhang` [m].

    Args:
        points: the points of the body in the frame of the link.

    Raises:
        ValueError: thousands of balls would be needed.
    """
    triangles = triangles_at(points, body.triangles)
    is_open = open_edges(body.triangles) > 0
    depth = _depth_in_hull(points) if is_open else _depth_in_mesh(triangles)
    # Radii are rounded up by about MARGIN when they are written.
    largest_overhang = overhang - 8.0 * MARGIN
    area = 0.5 * fsum(norm(normal_of(triangle)) for triangle in triangles)
    if overhang < LEAST_OVERHANG or area > MOST_BALLS * overhang * overhang:
        raise ValueError
    # Pieces are as small as FINE, unless there would be more than MOST_PIECES. The longest side of a halved triangle is
    # about 1.7 times the root of its area.
    longest = max(FINE * overhang, min(COARSE * overhang, 1.7 * sqrt(area / MOST_PIECES)))
    pieces, trees = _pieces(triangles, longest)

    groups: List[List[int]] = []
    root = _node(list(enumerate(pieces)), SMALL * overhang, groups)
    # An open mesh is measured from its hull, in which points of a lattice are deep more often.
    most_inside = INSIDE // 3 if is_open else INSIDE
    balls = [_ball_on(piece, largest_overhang) for piece in pieces[:: ceil(len(pieces) / OUTSIDE)]]
    balls += _inside(points, depth, largest_overhang, most_inside)
    masks = [_held(root, ball) for ball in balls]
    missing = root.mask & ~reduce(or_, masks, 0)
    # A piece that is in no candidate gets a ball about its middle, which contains it.
    while missing:
        balls.append(_ball_on(pieces[groups[missing.bit_length() - 1][0]], largest_overhang))
        masks.append(_held(root, balls[-1]))
        missing &= ~masks[-1]

    # First as few balls as possible, then each as small as possible.
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
    """Return trees with the number of a piece replaced by the number of the ball that contains it.

    `masks` has the bits of the groups in each ball.
    """
    owner: Dict[int, int] = {}
    for number, mask in enumerate(masks):
        for bit in _bits(mask):
            owner.update(dict.fromkeys(groups[bit], number))

    def owned(step: float) -> float:
        """Return a step of a tree: a cut, which is negative, unchanged; the number of a piece as its ball's number."""
        return step if step < 0.0 else owner[int(step)]

    return tuple(array("d", map(owned, tree)) for tree in trees)


def _depth_in_mesh(triangles: Sequence[Triangle]) -> Depth:
    """Return the function of the depth of a point inside a closed mesh [m]; negative unless it is certainly inside."""
    drawn = [triangle for triangle in triangles if len(set(triangle)) == 3]
    if not drawn:
        return lambda _: -1.0
    tree = TriangleTree(drawn)
    columns = TriangleColumns(drawn)

    def depth(point: Point) -> float:
        """Return the distance of a point inside the mesh from its surface, -1 for other points."""
        return tree.nearest(point)[0] if columns.winding(point) else -1.0

    return depth


def _depth_in_hull(points: Sequence[Point]) -> Depth:
    """Return the function of the depth of a point inside the hull of points [m], negative outside."""
    # A smaller hull is inside the hull, so a point is not deeper in it.
    hull = convex_hull(points, ENOUGH)
    planes = planes_of(hull) if hull else ()
    return lambda point: min(
        (level - (n[0] * point[0] + n[1] * point[1] + n[2] * point[2]) for n, level in planes),
        default=-1.0,
    )


def _pieces(
    triangles: Sequence[Triangle], longest: float
) -> Tuple[List[Triangle], List["array[float]"]]:
    """Return the pieces of triangles, and the tree of each triangle: its cuts and the numbers of its pieces."""
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


def _node(
    pieces: List[Tuple[int, Triangle]], small: float, groups: List[List[int]]
) -> _SphereTreeBox:
    """Return the tree of pieces, and append to the groups: all pieces of a small box, or a single piece.

    The bit of a group is its index.
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
        return _SphereTreeBox(center, half, mask, pieces=tuple(with_bits))
    if max(half) <= small:
        groups.append([number for number, _ in pieces])
        return _SphereTreeBox(center, half, 1 << first)
    axis = half.index(max(half))
    pieces.sort(key=lambda numbered: fsum(corner[axis] for corner in numbered[1]))
    parts = (
        _node(pieces[: len(pieces) // 2], small, groups),
        _node(pieces[len(pieces) // 2 :], small, groups),
    )
    return _SphereTreeBox(center, half, parts[0].mask | parts[1].mask, parts)


def _held(root: _SphereTreeBox, ball: Ball) -> int:
    """Return the bits of the groups that are in a ball."""
    # Unrolled: this runs for thousands of balls, each over many boxes.
    x, y, z = ball.center
    square = ball.radius * ball.radius
    mask = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        cx, cy, cz = node.center
        hx, hy, hz = node.half
        # The distances from the center of the ball to the middle, the farthest and the nearest side, along each axis.
        dx, dy, dz = abs(cx - x), abs(cy - y), abs(cz - z)
        fx, fy, fz = dx + hx, dy + hy, dz + hz
        nx, ny, nz = max(0.0, dx - hx), max(0.0, dy - hy), max(0.0, dz - hz)
        # If the farthest corner of the box is in the ball, the whole box is.
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


def _inside(
    points: Sequence[Point], depth: Depth, largest_overhang: float, count: int
) -> List[Ball]:
    """Return balls about the points of a lattice that are inside the mesh; the lattice has at most `count` points."""
    low, high = zip(*((min(column), max(column)) for column in zip(*points)))
    sides = [top - bottom for bottom, top in zip(low, high)]
    step = NEAR * largest_overhang
    while prod(int(side / step) + 1 for side in sides) > count:
        step *= 1.05
    # The points are off the middle of the steps. Symmetric meshes have edges above the middle, so that a quarter of the
    # points in a box would count as outside. Chosen: any share near 0.5 does it.
    ticks = [
        [bottom + (k + 0.43) * step for k in range(int(side / step) + 1)]
        for bottom, side in zip(low, sides)
    ]
    balls: List[Ball] = []
    for x, y, z in product(*ticks):
        center = _rounded(x, y, z)
        center_depth = depth(center)
        if center_depth > DEEP * largest_overhang:
            balls.append(Ball(center, center_depth + largest_overhang))
    return balls


def _rounded(x: float, y: float, z: float) -> Point:
    """Return a point as it will be written: the text of a coordinate in kilometers has fewer than DECIMALS decimals."""
    return as_written((round(x, DECIMALS), round(y, DECIMALS), round(z, DECIMALS)))


def _greedy(masks: Sequence[int], numbers: Sequence[int], free: int) -> List[int]:
    """Return the numbers of masks that cover all free bits; each has the most uncovered bits at its turn."""
    # Gains only shrink: the first of the heap is the best if its gain is still the recorded gain.
    gains = [(-count_bits(masks[k] & free), k) for k in numbers]
    waiting = [(gain, k) for gain, k in gains if gain]
    heapify(waiting)
    chosen = []
    while free:
        gain, k = waiting[0]
        now = -count_bits(masks[k] & free)
        if now > gain:  # gains are negative: it has become smaller
            heapreplace(waiting, (now, k))
            continue
        heappop(waiting)
        chosen.append(k)
        free &= ~masks[k]
    return chosen


def _improved(
    chosen: List[int], centers: Sequence[Point], masks: Sequence[int], all_bits: int
) -> List[int]:
    """Return the numbers of fewer masks with all bits, by replacing groups of neighbors by as many or fewer masks."""
    for _ in range(ROUNDS):
        before = len(chosen)
        # `chosen` changes while neighbors are replaced, so the centers are listed before.
        for center in [centers[k] for k in chosen]:
            neighbors = sorted(chosen, key=lambda k: distance(centers[k], center))[:NEIGHBORS]  # noqa: B023
            remaining = [k for k in chosen if k not in neighbors]
            uncovered = all_bits & ~reduce(or_, (masks[k] for k in remaining), 0)
            replacements = _greedy(
                masks, [k for k in range(len(masks)) if masks[k] & uncovered], uncovered
            )
            if len(replacements) <= len(neighbors):
                chosen = remaining + replacements
        if len(chosen) == before:
            break
    return chosen


def _shrunk(
    balls: Sequence[Ball],
    masks: List[int],
    root: _SphereTreeBox,
    corners: Sequence[Sequence[Point]],
) -> List[Tuple[Ball, int]]:
    """Return the balls, each shrunk to the pieces that only it contains and rounded up, with the bits of its groups.

    `corners` has the corners of the pieces of each group. A ball that is no longer needed is dropped.
    """
    shrunk: List[Tuple[Ball, int]] = []
    covered = 0
    for number, (center, _) in enumerate(balls):
        # Groups that are not in an earlier ball, as it is written, and not in a later ball, as it was proposed.
        own_groups = masks[number] & ~covered & ~reduce(or_, masks[number + 1 :], 0)
        if own_groups:
            held_corners = chain.from_iterable(corners[bit] for bit in _bits(own_groups))
            radius = max(distance(corner, center) for corner in held_corners)
            reach = max(map(abs, center)) + radius
            ball = Ball(center, rounded_up(radius * GROWTH + MARGIN + 1e-12 * reach))
            groups = own_groups | _held(root, ball._replace(radius=radius * GROWTH))
            shrunk.append((ball, groups))
            covered |= groups
    return shrunk


def _bits(mask: int) -> List[int]:
    """Return the places of the bits of a mask, the lowest first."""
    return [k for k, bit in enumerate(reversed(bin(mask))) if bit == "1"]
