"""Search a proof that two convex pieces never touch: separating planes, each for a cell of joint positions.

In the middle of a cell the nearest points give a direction n. All over the cell the gap along n is at least the larger
of

    order 0:  the gap in the middle - sum of rho_j h_j
    order 1:  min over corners of (n.x - sum_j |n.(a_j x (x - o_j))| h_j) of one piece - such a max of the other
              - 1/2 sum_ij s_min(i,j) rho_max(i,j) h_i h_j

h_j is half the width of the cell for joint j, and rho_j the largest distance of the piece from its axis, over the cell:
that in the middle + the sum of rho_l h_l of the joints l further out, which may bring it farther away. The second
derivative of a point by i and j is a_i x (a_j x r), i the inner of the two axes and r from the outer; along n it is
(n x a_i).(a_j x r), at most s_i rho_j: s_i is |n x a_i| in the middle + the sum of h_l of the turns l further in, which
may turn a_i. A slide has rho = 1, and its second derivative is zero.

A cell without such a bound is split where that raises the bound most: planes and cells are verified by `verify_pairs`.
"""

from math import fsum, sqrt
from typing import List, Optional, Sequence, Tuple, Union

from ..base.record import Record
from ..urdf.spatial import move, Vector
from .chains import Chain, place, Placed, Step
from .distance import Nearest, nearest_points
from .pieces import Piece
from .shapes import moved

LEAST_GAP = 1e-7  # [m] of a plane, so that rounding does not make its verification fail

Axes = List[Tuple[Vector, Vector, Step]]
Token = Union[
    int, Vector
]  # the number of the variable that is split, low half first; or the direction of a cell


class Reached(Record):
    """Two pieces at a position: their distance and gap [m], and how they are placed by the joints.

    `near` are the nearest points of what the pieces are around, and the direction between them. All vectors are in the
    frame of the body in the middle of the chain [m].
    """

    distance: float
    gap: float
    near: Nearest
    first: Placed
    second: Placed


class Search:
    """A search for planes between two pieces, which can be continued.

    Attributes:
        tokens: the splits and directions of the cells so far, in their order.
        met: a position where the pieces meet, so that there is no proof; None: none is known.
    """

    def __init__(self, chain: Chain, first: Piece, second: Piece) -> None:
        self.chain, self.first, self.second = chain, first, second
        self.waiting = [[(variable.low, variable.high) for variable in chain.variables]]
        self.tokens: List[Token] = []
        self.met: Optional[Tuple[float, ...]] = None

    @property
    def is_proven(self) -> bool:
        """Return True if there is a plane for each cell."""
        return not self.waiting and self.met is None

    def go_on(self, most: int) -> int:
        """Examine cells, at most `most`, and return how many; fewer if all are decided."""
        count = 0
        while self.waiting and count < most and self.met is None:
            count += 1
            self._look_at(self.waiting.pop())
        return count

    def _look_at(self, cell: List[Tuple[float, float]]) -> None:
        """Find a plane for a cell, or split it."""
        chain = self.chain
        middle = [0.5 * (low + high) for low, high in cell]
        halves = [max(high - at, at - low) for (low, high), at in zip(cell, middle)]
        placed_first, placed_second = place(chain.first, middle), place(chain.second, middle)
        direction, near, costs = _plane(
            placed_first, placed_second, self.first, self.second, halves
        )
        if direction is not None:
            self.tokens.append(direction)
            return
        widest = max(range(len(costs)), key=costs.__getitem__, default=-1)
        if near <= 0.0 or widest < 0 or not cell[widest][0] < middle[widest] < cell[widest][1]:
            self.met = tuple(middle)
            return
        low, high = cell[widest]
        for half in ((middle[widest], high), (low, middle[widest])):
            self.waiting.append([half if k == widest else span for k, span in enumerate(cell)])
        self.tokens.append(widest)


def reach(chain: Chain, first: Piece, second: Piece, positions: Sequence[float]) -> Reached:
    """Return two pieces at a position, in the frame of the body in the middle."""
    return measured(place(chain.first, positions), place(chain.second, positions), first, second)


def measured(placed_first: Placed, placed_second: Placed, first: Piece, second: Piece) -> Reached:
    """Return the distance of two pieces as they are placed, with their nearest points."""
    near = nearest_points(
        moved(placed_first[0], first.corners), moved(placed_second[0], second.corners)
    )
    rounding = first.radius + second.radius
    return Reached(near.distance - rounding, near.gap - rounding, near, placed_first, placed_second)


def _rho(placed: Placed, piece: Piece, halves: Sequence[float], *, by_ball: bool) -> List[float]:
    """Return for each joint of an arm, from the middle outward, a bound of the piece's distance from its axis [m].

    It holds all over the cell. With `by_ball` it is that of the ball around the piece, which is quick and too large.
    """
    (((a, b, c), (d, e, f), (g, h, i)), (u, v, w)), axes = placed
    x, y, z = move(placed[0], piece.center)
    distances: List[float] = []
    farther = 0.0
    for (p, q, r), (ox, oy, oz), step in reversed(axes):
        half = abs(step.factor) * halves[step.variable]
        if step.slides:
            distances.append(1.0)
            farther += half
            continue
        if by_ball:
            k, m, n = x - ox, y - oy, z - oz
            k, m, n = q * n - r * m, r * k - p * n, p * m - q * k
            rho = sqrt(k * k + m * m + n * n) + piece.reach
        else:
            e1, e2, e3 = (
                a * p + d * q + g * r,
                b * p + e * q + h * r,
                c * p + f * q + i * r,
            )  # in the frame of the link
            k, s, t = ox - u, oy - v, oz - w
            k, s, t = a * k + d * s + g * t, b * k + e * s + h * t, c * k + f * s + i * t
            rho = (
                sqrt(
                    max(
                        [
                            (e2 * (pz - t) - e3 * (py - s)) * (e2 * (pz - t) - e3 * (py - s))
                            + (e3 * (px - k) - e1 * (pz - t)) * (e3 * (px - k) - e1 * (pz - t))
                            + (e1 * (py - s) - e2 * (px - k)) * (e1 * (py - s) - e2 * (px - k))
                            for px, py, pz in piece.corners
                        ]
                    )
                )
                * (1.0 + 1e-12)
                + piece.radius
            )
        rho += farther
        distances.append(rho)
        farther += rho * half
    return distances[::-1]


def _moved_by(sides: Sequence[Tuple[Placed, List[float]]], halves: Sequence[float]) -> List[float]:
    """Return a bound of how far each variable moves the pieces in a cell [m]."""
    moved = [0.0] * len(halves)
    for (_, axes), rho in sides:
        for (_, _, step), far in zip(axes, rho):
            moved[step.variable] += far * abs(step.factor) * halves[step.variable]
    return moved


Looked = Tuple[Optional[Vector], float, List[float]]


def _plane(
    placed_first: Placed,
    placed_second: Placed,
    first: Piece,
    second: Piece,
    halves: Sequence[float],
) -> Looked:
    """Return the direction of a plane for a cell or None, the distance of the pieces in the middle of the cell, and
    for each variable how much the width of the cell takes from the bound [m]."""
    (px, py, pz), (qx, qy, qz) = (
        move(placed_first[0], first.center),
        move(placed_second[0], second.center),
    )
    x, y, z = px - qx, py - qy, pz - qz
    apart = sqrt(x * x + y * y + z * z)
    between = apart - first.reach - second.reach
    arms = ((placed_first, first), (placed_second, second))
    if between > LEAST_GAP:  # far apart: a quick bound by balls suffices for most cells
        rough = _moved_by(
            [(placed, _rho(placed, piece, halves, by_ball=True)) for placed, piece in arms], halves
        )
        if between - fsum(rough) > LEAST_GAP:
            return (x / apart, y / apart, z / apart), apart, rough
    sides = [(placed, _rho(placed, piece, halves, by_ball=False)) for placed, piece in arms]
    moved = _moved_by(sides, halves)
    reached = measured(placed_first, placed_second, first, second)
    n = reached.near.normal
    if reached.gap - fsum(moved) > LEAST_GAP:
        return n, reached.distance, moved
    if reached.gap <= 0.0:
        return None, reached.distance, moved
    back = (-n[0], -n[1], -n[2])
    low, lowest = _extreme(n, placed_first, first, sides[0][1], halves)
    high, highest = _extreme(back, placed_second, second, sides[1][1], halves)
    if low + high > LEAST_GAP:
        return n, reached.distance, moved
    costs = [0.0] * len(halves)
    _add_costs(costs, n, placed_first, lowest, sides[0][1], halves)
    _add_costs(costs, back, placed_second, highest, sides[1][1], halves)
    return None, reached.distance, costs


def _extreme(
    n: Vector, placed: Placed, piece: Piece, rho: Sequence[float], halves: Sequence[float]
) -> Tuple[float, Vector]:
    """Return a lower bound of n.x of a piece over a cell by order 1 [m], and the corner that it is taken from."""
    (((a, b, c), (d, e, f), (g, h, i)), (u, v, w)), axes = placed
    nx, ny, nz = n
    cx, cy, cz = a * nx + d * ny + g * nz, b * nx + e * ny + h * nz, c * nx + f * ny + i * nz
    corners: Sequence[Vector] = piece.corners
    values = [cx * x + cy * y + cz * z for x, y, z in corners]
    most = min(values) + fsum(
        [far * abs(step.factor) * halves[step.variable] for far, (_, _, step) in zip(rho, axes)]
    )
    corners = [
        corner for corner, value in zip(corners, values) if value <= most
    ]  # others stay above the lowest corner
    values = [value for value in values if value <= most]
    less = 0.0
    for (ax, ay, az), (ox, oy, oz), step in axes:
        half = abs(step.factor) * halves[step.variable]
        if step.slides:
            less += half * abs(nx * ax + ny * ay + nz * az)
            continue
        mx, my, mz = (
            ny * az - nz * ay,
            nz * ax - nx * az,
            nx * ay - ny * ax,
        )  # n.(a x r) = (n x a).r
        px, py, pz = a * mx + d * my + g * mz, b * mx + e * my + h * mz, c * mx + f * my + i * mz
        constant = mx * (u - ox) + my * (v - oy) + mz * (w - oz)
        values = [
            value - half * abs(px * x + py * y + pz * z + constant)
            for value, (x, y, z) in zip(values, corners)
        ]
        less += half * piece.radius  # of a point off a corner
    least = min(values)
    return (
        least + nx * u + ny * v + nz * w - less - piece.radius - second_order(n, axes, rho, halves),
        corners[values.index(least)],
    )


def second_order(n: Vector, axes: Axes, rho: Sequence[float], halves: Sequence[float]) -> float:
    """Return 1/2 sum_ij s_min(i,j) rho_max(i,j) h_i h_j, without what is inward of a slide."""
    total = inward = turned = 0.0
    for ((x, y, z), _, step), far in zip(axes, rho):
        h = abs(step.factor) * halves[step.variable]
        if step.slides:
            total += far * h * inward
            continue
        along = n[0] * x + n[1] * y + n[2] * z
        sine = min(1.0, sqrt(max(0.0, 1.0 - along * along)) + turned)
        total += far * h * (inward + 0.5 * h * sine)
        inward += h * sine
        turned += h
    return total


def _add_costs(
    costs: List[float],
    n: Vector,
    placed: Placed,
    corner: Vector,
    rho: Sequence[float],
    halves: Sequence[float],
) -> None:
    """Add to the costs of each variable what its width takes from the bound of order 1 at a corner [m]."""
    T, axes = placed
    x, y, z = move(T, corner)
    widths = [abs(step.factor) * halves[step.variable] for _, _, step in axes]
    for k, ((a, b, c), (u, v, w), step) in enumerate(axes):
        p, q, r = (
            (a, b, c)
            if step.slides
            else (b * (z - w) - c * (y - v), c * (x - u) - a * (z - w), a * (y - v) - b * (x - u))
        )
        first = abs(n[0] * p + n[1] * q + n[2] * r)
        second = rho[k] * fsum(widths[:k])
        if not step.slides:
            second += 0.5 * rho[k] * widths[k] + fsum(
                [far * width for far, width in zip(rho[k + 1 :], widths[k + 1 :])]
            )
        costs[step.variable] += widths[k] * (first + second)
