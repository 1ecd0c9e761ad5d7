"""Pairs of joints on two bodies: by their names, else by the lines that fit best.

`Y` of a body of A maps coordinates in A's root, as drawn, to B's root; `k` and `m` are the indices of a joint of A and
of B. Costs count facts that differ (`fit.gap`).
"""

from __future__ import annotations

from itertools import permutations
from typing import Dict, List, Sequence, Tuple

from ..base.record_type import Record
from ..robot.canonical_robot import CanonicalRobot
from ..urdf.spatial_math import Transform
from .body_fit import body_cost, FramePairs, line_cost, LinePair
from .joint_invariants import invariants_of, unlikeness

# With more children the likeliest pairs are taken first. Greedily alone, or by lines alone if several orders are near,
# legs of a third of the public robots that were tried get each other's partners if no names are known.
MOST_PERMUTED = 5

IndexPairs = List[Tuple[int, int]]  # of joints of A and B


class BranchOrders(Record):
    """The ways in which the joints on two bodies may be partners; each way has the pairs of names and one order.

    Attributes:
        named: the pairs that names make, in A's order.
        orders: the possible pairs of the joints without a name in common: at least one order, which may be [].
        costs: of each order, the cost of its lines and of what no zero can change.
    """

    named: IndexPairs
    orders: List[IndexPairs]
    costs: List[float]


class JointLikeness:
    """Which joints of two robots may be partners, and how alike they are before any zero is chosen.

    Attributes:
        partner: the index in B of each joint of A that a name pairs; these pairs always stay.
        named_b: the indices in B of `partner`.
        frames: the frames of both robots that mark the same place.
        invariants_a, invariants_b: by the index of the joint.
    """

    def __init__(
        self, a: CanonicalRobot, b: CanonicalRobot, partner: Dict[int, int], frames: FramePairs
    ) -> None:
        """Prepare the pairing; see the attributes of the class."""
        self.a = a
        self.b = b
        self.partner = partner
        self.named_b = set(partner.values())
        self.frames = frames
        self.invariants_a = invariants_of(a)
        self.invariants_b = invariants_of(b)
        self._unlikeness: Dict[Tuple[int, int], float] = {}  # a cache, by k and m

    def pair(self, k: int, m: int) -> LinePair:
        """Return joint k of A and joint m of B."""
        return self.a.joints[k], self.b.joints[m]

    def children(self, body: int, other: int, Y: Transform) -> IndexPairs:
        """Return pairs of the joints on two bodies, with A's body at Y: by name, the rest by the lines that fit best."""
        branches = self.orders_of_children(body, other, Y)
        if len(branches.orders) == 1:
            return branches.named + branches.orders[0]
        # The first of the cheapest orders counts.
        return branches.named + branches.orders[branches.costs.index(min(branches.costs))]

    def orders_of_children(self, body: int, other: int, Y: Transform) -> BranchOrders:
        """Return the ways in which the joints on a body of A at Y, and on a body of B, may be partners."""
        named = []
        rest_a = []
        rest_b = list(self.b.child_joints[other])
        for index in self.a.child_joints[body]:
            partner = self.partner.get(index)
            if partner is not None and partner in rest_b:
                named.append((index, partner))
                rest_b.remove(partner)
            # A joint whose partner by name is on a different body has no partner here.
            elif partner is None:
                rest_a.append(index)
        rest_b = [index for index in rest_b if index not in self.named_b]
        if not rest_a or not rest_b:
            return BranchOrders(named, [[]], [0.0])

        costs = {
            (k, m): line_cost(Y, *self.pair(k, m)) + self.unlike(k, m)
            for k in rest_a
            for m in rest_b
        }
        if max(len(rest_a), len(rest_b)) > MOST_PERMUTED:
            return BranchOrders(named, [_greedily(costs)], [0.0])
        orders = _orders(rest_a, rest_b)
        return BranchOrders(named, orders, [sum(costs[pair] for pair in order) for order in orders])

    def unlike(self, k: int, m: int) -> float:
        """Return the cost of the differences of two joints that no zero can change, from the cache."""
        if (k, m) not in self._unlikeness:
            self._unlikeness[k, m] = unlikeness(self.invariants_a[k], self.invariants_b[m])
        return self._unlikeness[k, m]

    def body_fit(
        self, body: int, other: int, Y: Transform, pairs: Sequence[Tuple[int, int]]
    ) -> float:
        """Return the cost of a body of A, moved by Y, on a body of B, with the lines of pairs of joints on it."""
        lines = [self.pair(k, m) for k, m in pairs]
        frames = self.frames.of(body, other)
        return body_cost(Y, self.a.bodies[body], self.b.bodies[other], frames, lines)


def _orders(rest_a: List[int], rest_b: List[int]) -> List[IndexPairs]:
    """Return all ways to pair the joints of the shorter list with joints of the longer one, whose others stay alone.

    5! = 120 orders at most, by MOST_PERMUTED.
    """
    if len(rest_a) <= len(rest_b):
        return [list(zip(rest_a, order)) for order in permutations(rest_b, len(rest_a))]
    return [list(zip(order, rest_b)) for order in permutations(rest_a, len(rest_b))]


def _greedily(costs: Dict[Tuple[int, int], float]) -> IndexPairs:
    """Return pairs of joints, the cheapest first, so that no joint is in two pairs."""
    pairs: IndexPairs = []
    taken_a = set()
    taken_b = set()
    # Equal costs are ordered by the indices, so that a run gives the same pairs on every machine.
    for k, m in sorted(costs, key=lambda pair: (costs[pair], pair)):
        if k not in taken_a and m not in taken_b:
            pairs.append((k, m))
            taken_a.add(k)
            taken_b.add(m)
    return pairs
