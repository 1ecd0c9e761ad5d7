"""The search for a proof that two convex pieces never touch: separating planes, each for a cell of joint positions.

The nearest points in the middle of a cell give a direction n. If `motion_bound` cannot keep the pieces apart along n in
the whole cell, the cell is split at the joint whose range costs most of the gap. `verify_pairs` verifies the result.
"""

from __future__ import annotations

from typing import List, Optional, Sequence, Union

from ..base.type_aliases import Reals, Span
from ..base.record_type import Record
from ..urdf.spatial_math import scale, Vector
from .chain_between_links import KinematicChain
from .proof_geometry import Placed, placed
from .motion_bound import lower_bound_along
from .convex_distance import NearestPoints, nearest_points
from .convex_pieces import RoundedHull
from .collision_shapes import moved

LEAST_GAP = 1e-7  # [m] of a plane, so that rounding does not make its verification fail

# The number of the variable that is split, low half first; or the direction of a cell.
Token = Union[int, Vector]


class PieceDistance(Record):
    """The distance and the gap of two pieces at a position [m], and the poses that the joints give them.

    `near` has the nearest points of the hulls of the corners, without the radii of the pieces, and
    the direction between them. Vectors are in the frame of the body in the middle of the chain [m].
    """

    distance: float
    gap: float
    near: NearestPoints
    first: Placed
    second: Placed


class SeparatingPlaneSearch:
    """A search for planes between two pieces, which can be continued.

    Attributes:
        tokens: the splits and directions of the cells so far, in their order.
        met: a position where the pieces meet, or around which no cell can be split: the search ended without a
            proof. None: the search goes on, or proved that the pieces never meet.
    """

    def __init__(self, chain: KinematicChain, first: RoundedHull, second: RoundedHull) -> None:
        """Begin with one cell, which is the range of all joints between the pieces."""
        self.chain = chain
        self.first = first
        self.second = second
        self.waiting = [[(variable.low, variable.high) for variable in chain.variables]]
        self.tokens: List[Token] = []
        self.met: Optional[Reals] = None

    @property
    def is_proven(self) -> bool:
        """Return True if each cell has a plane."""
        return not self.waiting and self.met is None

    def go_on(self, most: int) -> int:
        """Examine cells, at most `most`, and return how many; fewer if all are decided."""
        count = 0
        while self.waiting and count < most and self.met is None:
            count += 1
            self._examine(self.waiting.pop())
        return count

    def _examine(self, cell: List[Span]) -> None:
        """Add a plane for a cell, or split the cell, or set `met` if neither is possible."""
        chain = self.chain
        middle = [0.5 * (low + high) for low, high in cell]
        # Rounding may move the middle off the center: the wider half counts.
        halves = [max(high - at, at - low) for (low, high), at in zip(cell, middle)]
        first = self.first
        second = self.second
        between = distance_at(chain, first, second, middle)
        # The plane with normal n separates the pieces in the whole cell if the lowest point of the first is above the
        # highest point of the second. The lowest point along -n is the highest along n.
        n = between.near.normal
        first_bound = lower_bound_along(n, between.first, first.corners, first.radius, halves)
        second_bound = lower_bound_along(
            scale(-1.0, n), between.second, second.corners, second.radius, halves
        )
        if between.gap > 0.0 and first_bound.value + second_bound.value > LEAST_GAP:
            self.tokens.append(n)
            return
        # The joint whose range costs most of the gap is split.
        costs = [cost + other for cost, other in zip(first_bound.costs, second_bound.costs)]
        widest = max(range(len(costs)), key=costs.__getitem__, default=-1)
        # The pieces meet in the middle, or the cell is too small to be split: then no proof exists.
        if (
            between.distance <= 0.0
            or widest < 0
            or not cell[widest][0] < middle[widest] < cell[widest][1]
        ):
            self.met = tuple(middle)
            return
        low, high = cell[widest]
        # The low half is on top of the stack: the proof reads the splits in this order.
        for half in ((middle[widest], high), (low, middle[widest])):
            part = list(cell)
            part[widest] = half
            self.waiting.append(part)
        self.tokens.append(widest)


def distance_at(
    chain: KinematicChain, first: RoundedHull, second: RoundedHull, positions: Sequence[float]
) -> PieceDistance:
    """Return the distance of two pieces at a position, in the frame of the body in the middle of the chain."""
    return piece_distance(
        placed(chain.first, positions), placed(chain.second, positions), first, second
    )


def piece_distance(
    placed_first: Placed, placed_second: Placed, first: RoundedHull, second: RoundedHull
) -> PieceDistance:
    """Return the distance of two placed pieces, with their nearest points."""
    near = nearest_points(
        moved(placed_first[0], first.corners), moved(placed_second[0], second.corners)
    )
    rounding = first.radius + second.radius
    return PieceDistance(
        distance=near.distance - rounding,
        gap=near.gap - rounding,
        near=near,
        first=placed_first,
        second=placed_second,
    )
