"""Search from the root down: the partner, sign and zero of each joint, so that the fewest facts differ.

All costs count facts. A fact is a feature that the file shows: a line, a center of mass, a tensor, a frame. A fact that
differs costs 0.5 to 1 (`fit.gap`), so 1.0 is a fact that is quite different, and 0.02 is rounding. `Y` of a body of A
maps coordinates in A's root, as drawn, to B's root; `k` and `m` are the indices of a joint of A and of B.
"""

from __future__ import annotations

from itertools import permutations, product
from math import pi
from typing import Dict, List, Optional, Sequence, Tuple

from ..base.record import Record
from ..formats.values import precision_of
from ..robot.canonical import CanonicalRobot, CanonicalJoint, TURNS
from ..robot.motion import after, is_line, motion_of
from ..urdf.spatial import cross, dot, norm, Transform, subtract
from .differences import Tolerances
from .fit import body_cost, both_masses, FramePairs, gap, line_cost, LinePair, LONG, TENSOR
from .joint_differences import have_no_ends, range_gap, range_in_a, range_of
from .lines import ANGLE, Correction, correction, LENGTH, rejection, sense, slides_along, TILTED
from .robot_map import body_pose, Choice, JointPair
from .standing import ANY_ZERO, have_one_name, in_place, named_frames_in_place, zero_in_frames
from .zeros import by_limits, nearest_turn, STEP, wrapped, Zero, zero_candidates

# Prices decide between candidates that fit alike: a fact that differs costs 0.5 or more (`fit.gap`). Only a shift along
# the axis, which breaks the motion, costs more than a fact. Their order counts, not their sizes.
DRAWN_PRICE = 0.01  # equal drawn poses, at different positions
ROUND_PRICE = 0.02  # a multiple of 15 degrees or 1 cm
OTHER_PRICE = 0.04  # any other zero
LIMITS_PRICE = 0.15  # a zero with which the limits of both files do not agree
ALONG_PRICE = 1.2  # times `gap` of a shift of the body along the axis
# The price of a zero, or a base, that contradicts frames of equal names. It exceeds one fact, so that two must agree.
TURNED_PRICE = 1.0
SAME_ZERO = (
    1e-6  # rad or m: zeros nearer to each other are equal, except for the digits of a format
)
ROUND_STROKE = 0.01  # m: the step of a slide that people write, as STEP for a turn
NOISE = 1e-9  # rad, m, or cost: the rounding of float64 in a zero or a cost
SAME_COST = 1e-6  # candidates and orders whose costs differ by less fit equally well
# Larger differences of limits are reported, also for prismatic joints [m].
SAID = Tolerances().angle
# A zero of 0 that costs less needs no other candidate: this is a fact that is off by a fifth of its tolerance (`gap`).
PERFECT = 0.02
UNDECIDED = (
    0.45  # candidates less than this apart differ by no fact, since a fact costs 0.5 or more
)
AHEAD = 3  # joints of a chain whose cost decides between candidates: each more joint doubles the candidates to try
MOST_TRIED = 5  # candidates that are judged by the joints below them
MOST_TRIED_AHEAD = 2  # and on each of those joints
# The cost of a joint without a partner: the largest cost of a line that is elsewhere and turned.
MISSING = 2.0
# With more children the likeliest pairs are taken first. Greedily alone, or by lines alone if several orders are near,
# legs of a third of the public robots that were tried get each other's partners if no names are known.
MOST_PERMUTED = 5
MOST_HELD = 6  # bodies that determine the same zero: each candidate of each is tried on all
ALL_PAIRS = 4  # children: with more on both sides, only the likeliest pairs show a zero


IndexPairs = List[Tuple[int, int]]  # of joints of A and B


class JointInvariants(Record):
    """The properties of a joint that no zero can change.

    Attributes:
        joints: the joint itself and the joints below it; mass: of all bodies below the joint [kg].
        distance: from the line of the parent's joint to its line [m]; sine: of the angle between both, which is the
            angle for nearly parallel lines. Both are None unless both joints turn, as for a joint on the root.
    """

    joints: int
    mass: float
    distance: Optional[float]
    sine: Optional[float]


class ScoredChoice(Record):
    """A candidate for a pair of joints.

    Attributes:
        choice: the sign, the zero, and what else is chosen.
        Y: Y of the child body under the choice.
        cost: the facts of the child body that differ, and the price of the zero: it counts in the map.
        held: the cost of the other bodies that this zero places (`MapSearch._held`). It counts only in the choice
            between candidates, as these bodies have joints of their own, which pay for them in the map.
    """

    choice: Choice
    Y: Transform
    cost: float
    held: float = 0.0

    @property
    def total(self) -> float:
        """Return the cost of all bodies that this choice alone places."""
        return self.cost + self.held


class Junction(Record):
    """A pair of joints before a zero is chosen.

    Attributes:
        Y_parent: Y of the body that carries the joints.
        residual: the correction from A's line, moved by it, to B's line; any zero leaves it the same.
        shown: the largest zero [rad or m] that frames of equal names allow, ANY_ZERO without any.
    """

    Y_parent: Transform
    residual: Correction
    shown: float = ANY_ZERO


class MapSearch:
    """A search between two canonical robots, with the joints that names pair, and a cache of results.

    The caller sets `ties` to 0 before `match`, and reads from it afterwards how many times `match` chose between
    orders of branches that fit equally well. No other attribute changes a result.
    """

    def __init__(
        self, a: CanonicalRobot, b: CanonicalRobot, partner: Dict[int, int], frames: FramePairs
    ) -> None:
        """Prepare a search; `partner` has the index in B of each joint of A that a name pairs; the search keeps these pairs."""
        self.a = a
        self.b = b
        self.partner = partner
        self.frames = frames
        self.named_b = set(partner.values())
        self.shapes = shapes_of(a), shapes_of(b)  # by the index of the joint
        self.precision = precision_of(a.raw.format, b.raw.format)
        # Caches: of `unlike` by k and m, of `candidates` by k, m and Y of the parent.
        self.likeness: Dict[Tuple[int, int], float] = {}
        self.known: Dict[Tuple[int, int, Transform], List[ScoredChoice]] = {}
        self.ties = 0

    def match(self, base: Transform, most: float) -> Tuple[List[Choice], float]:
        """Return the choices for a pose of the base (T_b_a), by the index in A, and their total cost.

        If the cost exceeds `most`, the search stops: the choices are [] and the cost is a part of the total.
        """
        choices: List[Choice] = []
        cost = self.body_fit(0, 0, base, self.children(0, 0, base)) if self.a.bodies else 0.0
        waiting = [(0, 0, base)]
        while waiting:
            # The cost only grows, and a better map is known.
            if cost > most:
                return [], cost
            body, other, Y = waiting.pop()
            pairs = self.children(body, other, Y, thorough=True)
            cost += MISSING * (self._alone(body, 0, pairs) + self._alone(other, 1, pairs))
            for k, m in pairs:
                best = self.place(k, m, Y)
                choices.append(best.choice)
                cost += best.cost
                a, b = self.pair(k, m)
                waiting.append((a.child, b.child, best.Y))
        # `lay` requires this order: by the index in A, in which each joint comes after its ancestors.
        return sorted(choices), cost

    def pair(self, k: int, m: int) -> LinePair:
        """Return a joint of A and one of B, by their indices."""
        return self.a.joints[k], self.b.joints[m]

    def _alone(self, body: int, side: int, pairs: Sequence[Tuple[int, int]]) -> int:
        """Return the number of joints on a body that are not in `pairs`, and of all joints below these.

        `side` is 0 for a body of A, 1 for a body of B.
        """
        robot = (self.a, self.b)[side]
        paired = {pair[side] for pair in pairs}
        return sum(
            self.shapes[side][index].joints
            for index in robot.child_joints[body]
            if index not in paired
        )

    def children(
        self, body: int, other: int, Y: Transform, *, thorough: bool = False
    ) -> IndexPairs:
        """Return pairs of the joints on two bodies, the second of which lies at Y: by name, the rest by the best fit.

        `thorough`: orders that fit alike are judged by the bodies on the joints, and undecided ones counted in `ties`;
        otherwise by the lines alone, which takes no recursion.
        """
        pairs = []
        rest_a = []
        rest_b = list(self.b.child_joints[other])
        for index in self.a.child_joints[body]:
            named = self.partner.get(index)
            if named is not None and named in rest_b:
                pairs.append((index, named))
                rest_b.remove(named)
            # A joint whose partner by name is on a different body has no partner here.
            elif named is None:
                rest_a.append(index)
        rest_b = [index for index in rest_b if index not in self.named_b]
        if rest_a and rest_b:
            pairs += self._assign(rest_a, rest_b, Y, thorough=thorough)
        return pairs

    def _assign(
        self, rest_a: List[int], rest_b: List[int], Y: Transform, *, thorough: bool
    ) -> IndexPairs:
        """Return the pairs of least cost: over all orders of a few joints, else greedily.

        As many pairs as the shorter list has joints; the others stay alone.
        """
        costs = {
            (k, m): line_cost(Y, *self.pair(k, m)) + self.unlike(k, m)
            for k in rest_a
            for m in rest_b
        }
        if max(len(rest_a), len(rest_b)) > MOST_PERMUTED:
            return self._greedily(costs)
        # 5! = 120 orders at most.
        orders: List[IndexPairs]
        if len(rest_a) <= len(rest_b):
            orders = [list(zip(rest_a, order)) for order in permutations(rest_b, len(rest_a))]
        else:
            orders = [list(zip(order, rest_b)) for order in permutations(rest_a, len(rest_b))]
        totals = [sum(costs[pair] for pair in order) for order in orders]
        if thorough:
            return self._decided(orders, totals, Y)
        return orders[totals.index(min(totals))]

    def _greedily(self, costs: Dict[Tuple[int, int], float]) -> IndexPairs:
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

    def _decided(self, orders: List[IndexPairs], totals: List[float], Y: Transform) -> IndexPairs:
        """Return the best order; among nearly equal orders, by the bodies that the joints carry.

        If several orders fit equally well even then, the first is returned, and `ties` counts one more.
        """
        best = min(totals)
        near = [order for order, total in zip(orders, totals) if total < best + UNDECIDED]
        if len(near) == 1:
            return near[0]
        # Their lines do not distinguish them; the bodies that they carry may.
        carried = {pair: self.candidates(*pair, Y)[0].total for order in near for pair in order}
        costs = [sum(carried[pair] for pair in order) for order in near]
        if sum(cost < min(costs) + SAME_COST for cost in costs) > 1:
            self.ties += 1
        return near[costs.index(min(costs))]

    def unlike(self, k: int, m: int) -> float:
        """Return the cost of the differences of two joints that no zero can change, from the cache."""
        if (k, m) not in self.likeness:
            self.likeness[k, m] = unlikeness(self.shapes[0][k], self.shapes[1][m])
        return self.likeness[k, m]

    def body_fit(
        self, body: int, other: int, Y: Transform, pairs: Sequence[Tuple[int, int]]
    ) -> float:
        """Return the cost of a body of A, moved by Y, on a body of B, with the lines of pairs of joints on it."""
        lines = [self.pair(k, m) for k, m in pairs]
        frames = self.frames.of(body, other)
        return body_cost(Y, self.a.bodies[body], self.b.bodies[other], frames, lines)

    def root_fit(self, base: Transform, *, ahead: bool = False) -> float:
        """Return the cost of the roots; if they have no mass, including the child of the first joint.

        `ahead`: including all children.
        """
        pairs = self.children(0, 0, base)
        cost = self.body_fit(0, 0, base, pairs)
        if ahead:
            counted = pairs
        elif both_masses(self.a.bodies[0], self.b.bodies[0]) is None:
            counted = pairs[:1]
        else:
            counted = []
        return cost + sum(self.candidates(k, m, base)[0].total for k, m in counted)

    def turned_to_limits(self, base: Transform) -> List[Transform]:
        """Return the base turned about the only joint of roots without mass, so that its limits fit; else [].

        Only there a turn of the base and a zero of the joint are the same motion, so the limits may decide between
        both.
        """
        if (
            len(self.a.child_joints[0]) != 1
            or len(self.b.child_joints[0]) != 1
            or both_masses(self.a.bodies[0], self.b.bodies[0]) is not None
        ):
            return []
        a, b = self.pair(self.a.child_joints[0][0], self.b.child_joints[0][0])
        if a.motion != b.motion:
            return []
        zero = by_limits(a, b, sense(base, a, b))
        if zero is None or abs(zero) <= NOISE:
            return []
        return [after(motion_of(b, zero), base)]

    def place(self, k: int, m: int, Y_parent: Transform) -> ScoredChoice:
        """Return the best candidate for a pair of joints; nearly equal candidates are judged by their descendants."""
        near = self._near(k, m, Y_parent)[:MOST_TRIED]
        if len(near) == 1:
            return near[0]

        def cost_with_descendants(placed: ScoredChoice) -> Tuple[float, float]:
            # If totals are equal, the candidate that itself fits better wins.
            return placed.cost + self._ahead(placed, AHEAD - 1), placed.cost

        return min(near, key=cost_with_descendants)

    def _ahead(self, placed: ScoredChoice, depth: int) -> float:
        """Return the least cost of the joints on the child of a candidate, and of those below, `depth` joints deep."""
        if depth == 0:
            return 0.0
        pair = self._pair(placed.choice)
        ties = self.ties
        pairs = self.children(pair.a.child, pair.b.child, placed.Y, thorough=True)
        self.ties = ties  # a look ahead leaves the ties of the map as they were
        cost = 0.0
        for k, m in pairs:
            cost += min(
                child.cost + self._ahead(child, depth - 1)
                for child in self._near(k, m, placed.Y)[:MOST_TRIED_AHEAD]
            )
        return cost

    def _near(self, k: int, m: int, Y_parent: Transform) -> List[ScoredChoice]:
        """Return the best candidate for a pair of joints, and those less than one fact apart from it."""
        # `held` counts here, in `total`: the bodies that a zero places show which zero is meant.
        best, *others = self.candidates(k, m, Y_parent)
        return [best, *(placed for placed in others if placed.total < best.total + UNDECIDED)]

    def candidates(self, k: int, m: int, Y_parent: Transform) -> List[ScoredChoice]:
        """Return the candidates for a pair of joints, at least one, the best first: only zero 0 if it fits.

        If half a turn fits as well, only the joints below can decide, and it is the second.
        """
        key = (k, m, Y_parent)
        # Descendants request the same pose again and again.
        if key not in self.known:
            self.known[key] = self._candidates(k, m, Y_parent)
        return self.known[key]

    def _candidates(self, k: int, m: int, Y_parent: Transform) -> List[ScoredChoice]:
        """Compute and return the candidates that `candidates` caches."""
        a, b = self.pair(k, m)
        sign = sense(Y_parent, a, b)
        residual = correction(Y_parent, a, b, sign)
        junction = Junction(Y_parent, residual, self._shown(k, m, Y_parent, residual))
        # If the lines agree, a body that stays and a body that moves with its line are the same.
        is_elsewhere = residual.across > LENGTH or residual.turn > ANGLE
        either_stays = (False, True) if is_elsewhere else (False,)
        # Alike as drawn, or alike at equal positions: MJCF may draw a joint at a different position.
        drawn_zeros = {0.0}
        if is_line(b.motion):
            drawn_zeros.add(a.raw.reference * sign - b.raw.reference)
        drawn = [
            self._placed(junction, Choice(a=k, b=m, sign=sign, zero=zero, along=0.0, stays=stays))
            for stays, zero in product(either_stays, drawn_zeros)
        ]
        best = min(drawn, key=lambda placed: placed.total)
        if not is_line(b.motion):
            return [best]
        # Most joints end here, before the zeros that the bodies imply are computed.
        if best.total < PERFECT:
            return [self._by_limits_alone(best, junction), *self._half_turn(best, junction)]

        implied = []
        for stays in either_stays:
            choices = self._zeros(Choice(k, m, sign, stays=stays), junction)
            implied += [self._placed(junction, choice) for choice in choices]
        # The sort is stable: of equal costs the drawn zero comes first, and then what the surer evidence implies.
        ranked = sorted([*drawn, *implied], key=lambda placed: placed.total)
        return [self._by_limits_alone(ranked[0], junction), *ranked[1:]]

    def _shown(self, k: int, m: int, Y_parent: Transform, residual: Correction) -> float:
        """Return the largest zero [rad or m] that the frames of two joints of one name allow.

        ANY_ZERO, if their names differ, or lines or named frames on their bodies are elsewhere as drawn: then
        another author has drawn the robot, and the frames show nothing.
        """
        if self.partner.get(k) != m or not have_one_name(self.a, self.b, k, m):
            return ANY_ZERO
        a, b = self.pair(k, m)
        if not is_line(b.motion):
            return ANY_ZERO
        choice = Choice(k, m, sense(Y_parent, a, b))
        drawn = body_pose(self.b, Y_parent, choice, residual)
        for body, other, Y in self._held(b, a.child, b.child, drawn):
            lines = [self.pair(*pair) for pair in self.children(body, other, Y)]
            if not all(in_place(Y, *pair) for pair in lines):
                return ANY_ZERO
            if not named_frames_in_place(Y, self.frames.of(body, other)):
                return ANY_ZERO
        return zero_in_frames(self.a, self.b, k, m)

    def _half_turn(self, best: ScoredChoice, junction: Junction) -> List[ScoredChoice]:
        """Return the candidate half a turn on if it fits as well, so that only the joints below can decide; else []."""
        choice = best.choice
        a, b = self.pair(choice.a, choice.b)
        if (
            b.motion != TURNS
            or not self.b.child_joints[b.child]
            # A center or tensor would have excluded half a turn; without joints below, no evidence decides.
            or both_masses(self.a.bodies[a.child], self.b.bodies[b.child]) is not None
        ):
            return []
        turned_choice = choice._replace(zero=nearest_turn(choice.zero + pi, a, b, choice.sign))
        turned = self._placed(junction, turned_choice)
        # The turn pays the price of a zero that is not 0, which is unrelated to the fit.
        return [turned] if self._misfit(turned, junction) < PERFECT else []

    def _misfit(self, placed: ScoredChoice, junction: Junction) -> float:
        """Return the cost of a candidate without the price of its zero."""
        return placed.total - self._price(self._pair(placed.choice), junction.shown)

    def _by_limits_alone(self, best: ScoredChoice, junction: Junction) -> ScoredChoice:
        """Return a candidate with the zero of its limits, if that is close to it and no evidence supports another zero.

        Otherwise return the candidate itself. Limits that differ by less than ANGLE may be rounded, and cost nothing;
        but their difference would be reported. A feature that does not fit at the candidate either, such as the frame
        of an empty link, is not evidence of a zero.
        """
        pair = self._pair(best.choice)
        zero = by_limits(pair.a, pair.b, pair.choice.sign)
        if zero is None or not SAID < abs(zero - pair.choice.zero) <= ANGLE:
            return best
        if self._limits_apart(pair) <= SAID or _is_beyond(zero, pair, junction.shown):
            return best
        choice_by_limits = pair.choice._replace(zero=zero)
        by_these_limits = self._placed(junction, choice_by_limits)
        fit = self._misfit(best, junction)
        # A body that fits at the candidate and less at the zero of the limits shows the candidate's zero.
        is_shown = fit < PERFECT and self._misfit(by_these_limits, junction) > fit + NOISE
        if is_shown or self._limits_apart(self._pair(choice_by_limits)) > SAID:
            return best
        # It replaces the best candidate, so its tiny misfit must not let others win.
        return by_these_limits._replace(cost=best.cost, held=best.held)

    def _zeros(self, choice: Choice, junction: Junction) -> List[Choice]:
        """Return a choice with each zero, other than 0, that lines, masses, frames or limits imply."""
        a, b = self.pair(choice.a, choice.b)
        Y_child = body_pose(self.b, junction.Y_parent, choice, junction.residual)
        zeros: List[Zero] = []
        for body, other, Y in self._held(b, a.child, b.child, Y_child):
            zeros += zero_candidates(
                Y,
                b,
                self._possible(body, other),
                (self.a.bodies[body], self.b.bodies[other]),
                self.frames.of(body, other),
            )

        # A zero at which both ranges coincide is worth a try, whatever the bodies imply.
        meeting = by_limits(a, b, choice.sign)
        if meeting is not None:
            zeros.append(Zero(meeting))
        return [
            choice._replace(zero=nearest_turn(zero.zero, a, b, choice.sign), along=zero.along)
            for zero in zeros
            if abs(zero.zero) > NOISE or zero.along
        ]

    def _held(
        self, by: CanonicalJoint, body: int, other: int, Y: Transform
    ) -> List[Tuple[int, int, Transform]]:
        """Return the bodies of A and B, with their Y, that the zero of a joint `by` of B places; these two come first.

        The others are on joints without a zero below them, such as a ball joint. Bodies that slide along the axis of
        `by` belong to them, if both bodies that carry the slide lack a mass: a slide does not show a turn about it, so
        its zero does not matter. At most MOST_HELD bodies.
        """
        held = [(body, other, Y)]
        # The list grows while it is walked, so the children of added bodies are walked, too.
        for body_a, body_b, Y_body in held:
            if len(held) >= MOST_HELD:
                break
            for k, m in self.children(body_a, body_b, Y_body):
                a, b = self.pair(k, m)
                if not is_line(a.motion) and not is_line(b.motion):
                    residual = correction(Y_body, a, b, sense(Y_body, a, b))
                    Y_child = body_pose(self.b, Y_body, Choice(k, m), residual)
                    held.append((a.child, b.child, Y_child))
                elif (
                    a.motion == b.motion
                    and slides_along(by, b)
                    and both_masses(self.a.bodies[body_a], self.b.bodies[body_b]) is None
                ):
                    held.append((a.child, b.child, self.candidates(k, m, Y_body)[0].Y))
        return held[:MOST_HELD]

    def _possible(self, body: int, other: int) -> List[LinePair]:
        """Return pairs of joints on two bodies whose lines may determine a zero: by name, else the most alike.

        A joint without a name of its partner is in several pairs, as its partner is known only at the right zero.
        """
        pairs = []
        for k in self.a.child_joints[body]:
            named = self.partner.get(k)
            if named is None:
                others = [m for m in self.b.child_joints[other] if m not in self.named_b]
            else:
                # The partner by name may be on a different body, and then shows nothing here.
                others = [m for m in self.b.child_joints[other] if m == named]
            likely = sorted((self.unlike(k, m), m) for m in others)[:ALL_PAIRS]
            pairs += [self.pair(k, m) for _, m in likely]
        return pairs[: ALL_PAIRS * ALL_PAIRS]

    def _placed(self, junction: Junction, choice: Choice) -> ScoredChoice:
        """Return a candidate with its cost."""
        a, b = self.pair(choice.a, choice.b)
        Y = body_pose(self.b, junction.Y_parent, choice, junction.residual)
        # A joint without a zero places only its child.
        held = self._held(b, a.child, b.child, Y) if is_line(b.motion) else [(a.child, b.child, Y)]
        fits = [
            self.body_fit(body, other, Y_body, self.children(body, other, Y_body))
            for body, other, Y_body in held
        ]
        cost = fits[0] + self._price(JointPair(a, b, choice), junction.shown)
        cost += ALONG_PRICE * gap(abs(choice.along), LENGTH, LONG)
        return ScoredChoice(choice, Y, cost, held=sum(fits[1:]))

    def _pair(self, choice: Choice) -> JointPair:
        """Return the joints of a choice, without a correction, which prices and limits do not read."""
        return JointPair(*self.pair(choice.a, choice.b), choice)

    def _price(self, pair: JointPair, shown: float) -> float:
        """Return the price of a zero: round zeros are likelier, and limits and frames move with it.

        `shown` is the largest zero that the frames allow (`Junction`).
        """
        if not is_line(pair.b.motion):
            return 0.0
        offset = pair.offset
        step = STEP if pair.b.motion == TURNS else ROUND_STROKE
        # Equal positions are likeliest, then equal drawn poses, then a round offset of 15 degrees or 1 cm.
        if abs(offset) < SAME_ZERO:
            price = 0.0
        elif abs(pair.choice.zero) < SAME_ZERO:
            price = DRAWN_PRICE
        elif abs(offset / step - round(offset / step)) * step < SAME_ZERO:
            price = ROUND_PRICE
        else:
            price = OTHER_PRICE
        if _is_beyond(pair.choice.zero, pair, shown):
            return price + TURNED_PRICE
        # If the frames are in one place, limits are compared and give no evidence.
        if shown <= SAME_ZERO:
            return price
        # Otherwise limits that move with the zero are evidence for it.
        if self._limits_apart(pair) > ANGLE:
            price += LIMITS_PRICE
        return price

    def _limits_apart(self, pair: JointPair) -> float:
        """Return the difference of the limits of two joints under a choice [rad or m], 0 if neither writes an end."""
        if have_no_ends(pair.a.raw, pair.b.raw):
            return 0.0
        mapped = range_in_a(pair, range_of(pair.b.raw))
        return range_gap(range_of(pair.a.raw), mapped, self.precision)


def _is_beyond(zero: float, pair: JointPair, shown: float) -> bool:
    """Return True for a zero larger than the frames allow; the frames themselves may be rounded by a part of that."""
    is_open = shown > SAME_ZERO and pair.b.motion == TURNS
    # Frames that are turned do not show whole turns; frames in one place show that there are none.
    size = abs(wrapped(zero) if is_open else zero)
    # 5 %: the frames and the zero may both be typed with few digits.
    return size > 1.05 * shown + SAME_ZERO


def shapes_of(robot: CanonicalRobot) -> List[JointInvariants]:
    """Return the invariants of each joint, in linear time."""
    counts = [1] * len(robot.joints)
    masses = [0.0] * len(robot.joints)
    # Children come after their parents, so backwards each sum is complete before it is added to the parent's.
    for index in range(len(robot.joints) - 1, -1, -1):
        joint = robot.joints[index]
        mass = robot.bodies[joint.child].mass
        masses[index] += mass.mass if mass is not None else 0.0
        before = robot.bodies[joint.parent].joint
        if before >= 0:
            counts[before] += counts[index]
            masses[before] += masses[index]
    return [
        JointInvariants(counts[index], masses[index], *_lie(robot, joint))
        for index, joint in enumerate(robot.joints)
    ]


def _lie(robot: CanonicalRobot, joint: CanonicalJoint) -> Tuple[Optional[float], Optional[float]]:
    """Return the distance [m] of a line from the parent's line, and the sine of their angle; None unless both turn."""
    before = robot.joint_of(joint.parent)
    if before is None or before.motion != TURNS or joint.motion != TURNS:
        return None, None
    normal = cross(before.axis, joint.axis)
    between = subtract(joint.anchor, before.anchor)
    sine = norm(normal)
    # The common normal of nearly parallel lines has no direction, so the distance is measured at the anchor.
    if sine < TILTED:
        return norm(rejection(between, before.axis)), 0.0
    # Rounding may bring the sine above 1.
    return abs(dot(between, normal)) / sine, min(sine, 1.0)


def unlikeness(a: JointInvariants, b: JointInvariants) -> float:
    """Return the cost of the differences that no zero can change."""
    # Branches of different sizes cannot be partners: a whole fact.
    cost = 1.0 if a.joints != b.joints else 0.0
    larger_mass = max(a.mass, b.mass) or 1.0
    cost += gap(abs(a.mass - b.mass) / larger_mass, TENSOR, 1.0)
    if a.distance is not None and b.distance is not None:
        cost += gap(abs(a.distance - b.distance), LENGTH, LONG)
    if a.sine is not None and b.sine is not None:
        cost += gap(abs(a.sine - b.sine), ANGLE, pi)
    return cost
