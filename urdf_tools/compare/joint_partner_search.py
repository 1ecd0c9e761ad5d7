"""Search from the root down: the partner, sign and zero of each joint, so that the fewest facts differ.

All costs count facts. A fact is a feature that the file shows: a line, a center of mass, a tensor, a frame. A fact that
differs costs 0.5 to 1 (`fit.gap`), so 1.0 is a fact that is quite different, and 0.02 is rounding. `Y` of a body of A
maps coordinates in A's root, as drawn, to B's root; `k` and `m` are the indices of a joint of A and of B.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

from ..base.record_type import Record
from ..robot.canonical_robot import CanonicalRobot
from ..robot.joint_motion import after, motion_of
from ..urdf.spatial_math import Transform
from .joint_pair_candidates import JointPairCandidateSearch, NOISE, JointPairCandidate
from .body_fit import both_masses, FramePairs
from .joint_pairing import IndexPairs, JointLikeness
from .joint_lines import sense
from .robot_map import JointMapping
from .zero_candidates import by_limits

SAME_COST = 1e-6  # orders whose costs differ by less fit equally well
# Candidates less than this apart differ by no fact, since a fact costs 0.5 or more.
UNDECIDED = 0.45
AHEAD = 3  # joints of a chain whose cost decides between candidates: each more joint doubles the candidates to try
MOST_TRIED = 5  # candidates that are judged by the joints below them
MOST_TRIED_AHEAD = 2  # and on each of those joints
# The cost of a joint without a partner: the largest cost of a line that is elsewhere and turned.
MISSING = 2.0


class Match(Record):
    """The choices for one pose of the base.

    Attributes:
        choices: by the index in A, so that each joint comes after its ancestors, as `lay` requires.
        cost: the number of facts that differ, with the prices of zeros and of joints without a partner.
        ties: how many times several orders of branches fitted equally well, and the first was taken.
    """

    choices: List[JointMapping]
    cost: float
    ties: int


class MapSearch:
    """A search between two canonical robots; its results are kept, so that one search serves all poses of the base."""

    def __init__(
        self, a: CanonicalRobot, b: CanonicalRobot, partner: Dict[int, int], frames: FramePairs
    ) -> None:
        """Prepare a search; `partner` has the index in B of each joint of A that a name pairs: these pairs stay."""
        self.a = a
        self.b = b
        self.pairing = JointLikeness(a, b, partner, frames)
        self.search = JointPairCandidateSearch(self.pairing)

    def match(self, base: Transform, most: float) -> Match:
        """Return the best choices for a pose of the base (T_b_a).

        If the cost exceeds `most`, the search stops: the choices are [] and the cost is a part of the total.
        """
        choices: List[JointMapping] = []
        ties = 0
        cost = 0.0
        if self.a.bodies:
            cost = self.pairing.body_fit(0, 0, base, self.pairing.children(0, 0, base))
        waiting = [(0, 0, base)]
        while waiting:
            # The cost only grows, and a better map is known.
            if cost > most:
                return Match([], cost, ties)
            body, other, Y = waiting.pop()
            pairs, is_tied = self._children_by_bodies(body, other, Y)
            ties += is_tied
            cost += MISSING * self._count_alone(body, other, pairs)
            for k, m in pairs:
                best = self._place(k, m, Y)
                choices.append(best.choice)
                cost += best.cost
                a, b = self.pairing.pair(k, m)
                waiting.append((a.child, b.child, best.Y))
        return Match(sorted(choices), cost, ties)

    def _count_alone(self, body: int, other: int, pairs: IndexPairs) -> int:
        """Return how many joints on a body of A and a body of B are in no pair, with all joints below these."""
        paired_a = {k for k, _ in pairs}
        paired_b = {m for _, m in pairs}
        alone_a = [
            self.pairing.invariants_a[k].joints
            for k in self.a.child_joints[body]
            if k not in paired_a
        ]
        alone_b = [
            self.pairing.invariants_b[m].joints
            for m in self.b.child_joints[other]
            if m not in paired_b
        ]
        return sum(alone_a) + sum(alone_b)

    def _children_by_bodies(self, body: int, other: int, Y: Transform) -> Tuple[IndexPairs, bool]:
        """Return pairs of the joints on two bodies, with A's body at Y, and True if several orders fit equally well.

        Names and lines decide first, as in `JointLikeness.children`; nearly equal orders are decided by the bodies that
        the joints carry. If orders fit equally well even then, it is the first.
        """
        branches = self.pairing.orders_of_children(body, other, Y)
        best = min(branches.costs)
        near = [
            order for order, cost in zip(branches.orders, branches.costs) if cost < best + UNDECIDED
        ]
        if len(near) == 1:
            return branches.named + near[0], False
        # Their lines do not distinguish them; the bodies that they carry may.
        costs = [self._cost_of_carried(order, Y) for order in near]
        is_tied = sum(cost < min(costs) + SAME_COST for cost in costs) > 1
        return branches.named + near[costs.index(min(costs))], is_tied

    def _cost_of_carried(self, pairs: IndexPairs, Y: Transform) -> float:
        """Return the cost of the best candidates for pairs of joints on a body at Y."""
        return sum(self.search.candidates(k, m, Y)[0].total for k, m in pairs)

    def root_fit(self, base: Transform, *, ahead: bool = False) -> float:
        """Return the cost of the roots on each other, with A's root at `base`.

        If the roots have no mass, the child of the first joint counts, too; with `ahead`, all children count, which costs
        more: it is for the choice among poses that fit alike.
        """
        pairs = self.pairing.children(0, 0, base)
        cost = self.pairing.body_fit(0, 0, base, pairs)
        if ahead:
            counted = pairs
        elif both_masses(self.a.bodies[0], self.b.bodies[0]) is None:
            # Without a mass the roots show little of their pose. One child shows it, and many poses are tried.
            counted = pairs[:1]
        else:
            counted = []
        return cost + self._cost_of_carried(counted, base)

    def turned_to_limits(self, base: Transform) -> List[Transform]:
        """Return the base turned about the only joint of a root without mass, so that its limits fit; else [].

        If a root has no mass and each root has one joint, a turn of the base and another zero of that joint look alike,
        so the limits may decide between both.
        """
        if (
            len(self.a.child_joints[0]) != 1
            or len(self.b.child_joints[0]) != 1
            or both_masses(self.a.bodies[0], self.b.bodies[0]) is not None
        ):
            return []
        a, b = self.pairing.pair(self.a.child_joints[0][0], self.b.child_joints[0][0])
        if a.motion != b.motion:
            return []
        zero = by_limits(a, b, sense(base, a, b))
        if zero is None or abs(zero) <= NOISE:
            return []
        # The joint of B moves after T_b_a: the zero is a position of that joint.
        return [after(motion_of(b, zero), base)]

    def _place(self, k: int, m: int, Y_parent: Transform) -> JointPairCandidate:
        """Return the best candidate for a pair of joints; nearly equal candidates are judged by their descendants."""
        near = self._near(k, m, Y_parent)[:MOST_TRIED]
        if len(near) == 1:
            return near[0]

        def cost_with_descendants(placed: JointPairCandidate) -> Tuple[float, float]:
            # If totals are equal, the candidate that itself fits better wins.
            return placed.cost + self._ahead(placed, AHEAD - 1), placed.cost

        return min(near, key=cost_with_descendants)

    def _ahead(self, placed: JointPairCandidate, depth: int) -> float:
        """Return the least cost of the joints on the child of a candidate, and of the next joints, `depth` joints deep."""
        if depth == 0:
            return 0.0
        a, b = self.pairing.pair(placed.choice.a, placed.choice.b)
        # Ties of a look ahead are not ties of the map.
        pairs, _ = self._children_by_bodies(a.child, b.child, placed.Y)
        cost = 0.0
        for k, m in pairs:
            cost += min(
                child.cost + self._ahead(child, depth - 1)
                for child in self._near(k, m, placed.Y)[:MOST_TRIED_AHEAD]
            )
        return cost

    def _near(self, k: int, m: int, Y_parent: Transform) -> List[JointPairCandidate]:
        """Return the best candidate for a pair of joints, and those less than one fact apart from it."""
        # `held` counts here, in `total`: the bodies that a zero places show which zero is meant.
        best, *others = self.search.candidates(k, m, Y_parent)
        return [best, *(placed for placed in others if placed.total < best.total + UNDECIDED)]
