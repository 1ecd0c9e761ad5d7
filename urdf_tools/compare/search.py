"""Search from the root down: the partner, sign and zero of each joint, so that the fewest facts differ."""

from __future__ import annotations

from itertools import permutations
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
from .lines import ANGLE, Correction, correction, LENGTH, rejection, sense, slides_along
from .robot_map import body_pose, Choice, JointPair
from .standing import ANY_ZERO, have_one_name, in_place, named_frames_in_place, zero_in_frames
from .zeros import by_limits, nearest_turn, STEP, wrapped, Zero, zero_candidates

# Prices decide between candidates that fit alike: a fact that differs costs 0.5 or more (`fit.gap`). Only a shift along
# the axis, which breaks the motion, costs more than a fact.
DRAWN_PRICE, ROUND_PRICE, OTHER_PRICE, LIMITS_PRICE, ALONG_PRICE = 0.01, 0.02, 0.04, 0.15, 1.2
# The price of a zero, or a base, that contradicts frames of equal names. It exceeds one fact, so that two must agree.
TURNED_PRICE = 1.0
SAME_ZERO = 1e-6  # rad or m
# Larger differences of limits are reported, also for prismatic joints [m].
SAID = Tolerances().angle
# A zero of 0 that costs less needs no other candidate: this is a fact that is off by a fifth of its tolerance (`gap`).
PERFECT = 0.02
# Candidates that are less than one fact apart, joints to look ahead, and candidates to try.
UNDECIDED = 0.45
AHEAD = 3
MOST_TRIED = 5
# The cost of a joint without a partner: the largest cost of a line that is elsewhere and turned.
MISSING = 2.0
# With more children the likeliest pairs are taken first. Greedily alone, or by lines alone if several orders are near,
# legs of a third of the public robots that were tried get each other's partners if no names are known.
MOST_PERMUTED = 5
MOST_HELD = 6  # bodies that determine the same zero: each candidate of each is tried on all
ALL_PAIRS = 4  # children: with more on both sides, only the likeliest pairs show a zero


IndexPairs = List[Tuple[int, int]]  # of joints of A and B


class JointInvariants(Record):
    """The properties that no zero can change: joints and mass below a joint, and its line relative to the parent's.

    Attributes:
        distance, angle: of the two lines, None below the root.
    """

    joints: int
    mass: float
    distance: Optional[float]
    angle: Optional[float]


class ScoredChoice(Record):
    """A candidate for a pair of joints: the choice, Y of its child, and the cost.

    `held`: the cost of the bodies on joints without a zero below that body; it counts only in the choice.
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
    """Two joints on a body: its Y, the correction between both lines, and the largest zero that equal frames allow."""

    Y_parent: Transform
    residual: Correction
    shown: float = ANY_ZERO


class MapSearch:
    """A search between two canonical robots, with the joints that names pair, and a cache of results."""

    def __init__(
        self, a: CanonicalRobot, b: CanonicalRobot, partner: Dict[int, int], frames: FramePairs
    ) -> None:
        self.a, self.b, self.partner, self.frames = a, b, partner, frames
        self.named_b = set(partner.values())
        self.shapes = shapes_of(a), shapes_of(b)
        self.precision = precision_of(a.raw.format, b.raw.format)
        self.likeness: Dict[Tuple[int, int], float] = {}
        self.known: Dict[Tuple[int, int, Transform], List[ScoredChoice]] = {}
        self.ties = 0

    def match(self, base: Transform, most: float) -> Tuple[List[Choice], float]:
        """Return the choices for a pose of the base, and their total cost; [] if it exceeds `most`."""
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
        # By the index in A, in which each joint comes after its ancestors.
        return sorted(choices), cost

    def pair(self, k: int, m: int) -> LinePair:
        """Return a joint of A and one of B, by their indices."""
        return self.a.joints[k], self.b.joints[m]

    def _alone(self, body: int, side: int, pairs: Sequence[Tuple[int, int]]) -> int:
        """Return how many joints below a body have no partner because their ancestors have none."""
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
        """Return pairs of the joints on two bodies: by name, the rest by the best fit."""
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
        """Return the pairs of least cost: over all orders of a few joints, else greedily."""
        costs = {
            (k, m): line_cost(Y, *self.pair(k, m)) + self.unlike(k, m)
            for k in rest_a
            for m in rest_b
        }
        if max(len(rest_a), len(rest_b)) <= MOST_PERMUTED:
            # 5! = 120 orders at most.
            short, long = sorted((rest_a, rest_b), key=len)
            orders = [
                [(m, k) if short is rest_b else (k, m) for k, m in zip(short, order)]
                for order in permutations(long, len(short))
            ]
            totals = [sum(costs[pair] for pair in order) for order in orders]
            return (
                self._decided(orders, totals, Y) if thorough else orders[totals.index(min(totals))]
            )
        pairs = []
        for k, m in sorted(costs, key=lambda pair: (costs[pair], pair)):
            if k in rest_a and m in rest_b:
                pairs.append((k, m))
                rest_a = [i for i in rest_a if i != k]
                rest_b = [i for i in rest_b if i != m]
        return pairs

    def _decided(self, orders: List[IndexPairs], totals: List[float], Y: Transform) -> IndexPairs:
        """Return the best order; among nearly equal orders, by the bodies that the joints carry."""
        best = min(totals)
        near = [order for order, total in zip(orders, totals) if total < best + UNDECIDED]
        if len(near) == 1:
            return near[0]
        # Their lines do not distinguish them; the bodies that they carry may.
        carried = {pair: self.candidates(*pair, Y)[0].total for order in near for pair in order}
        costs = [sum(carried[pair] for pair in order) for order in near]
        if sum(cost < min(costs) + 1e-6 for cost in costs) > 1:
            self.ties += 1
        return near[costs.index(min(costs))]

    def unlike(self, k: int, m: int) -> float:
        """Return the cost of the properties that no zero can change."""
        if (k, m) not in self.likeness:
            self.likeness[k, m] = unlikeness(self.shapes[0][k], self.shapes[1][m])
        return self.likeness[k, m]

    def body_fit(
        self, body: int, other: int, Y: Transform, pairs: Sequence[Tuple[int, int]]
    ) -> float:
        """Return the cost of a body at a pose, with the lines of pairs of joints on it."""
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
            cost += sum(self.candidates(k, m, base)[0].total for k, m in pairs)
        elif both_masses(self.a.bodies[0], self.b.bodies[0]) is None:
            cost += sum(self.candidates(k, m, base)[0].total for k, m in pairs[:1])
        return cost

    def turned_to_limits(self, base: Transform) -> List[Transform]:
        """Return the base turned about the only joint of roots without mass, so that its limits fit."""
        if (
            len(self.a.child_joints[0]) != 1
            or len(self.b.child_joints[0]) != 1
            or both_masses(self.a.bodies[0], self.b.bodies[0]) is not None
        ):
            return []
        a, b = self.pair(self.a.child_joints[0][0], self.b.child_joints[0][0])
        zero = by_limits(a, b, sense(base, a, b)) if a.motion == b.motion else None
        return [after(motion_of(b, zero), base)] if zero is not None and abs(zero) > 1e-9 else []

    def place(self, k: int, m: int, Y_parent: Transform) -> ScoredChoice:
        """Return the best candidate for a pair of joints; nearly equal candidates are judged by their descendants."""
        near = self._near(k, m, Y_parent)[:MOST_TRIED]
        if len(near) == 1:
            return near[0]
        return min(
            near, key=lambda placed: (placed.cost + self._ahead(placed, AHEAD - 1), placed.cost)
        )

    def _ahead(self, placed: ScoredChoice, depth: int) -> float:
        """Return the least cost of the joints below a candidate."""
        pair = self._pair(placed.choice)
        cost = 0.0
        ties = self.ties
        pairs = self.children(pair.a.child, pair.b.child, placed.Y, thorough=True)
        self.ties = ties  # only the ties of the map count
        for k, m in pairs:
            cost += min(
                child.cost + (self._ahead(child, depth - 1) if depth > 1 else 0.0)
                for child in self._near(k, m, placed.Y)[:2]
            )
        return cost

    def _near(self, k: int, m: int, Y_parent: Transform) -> List[ScoredChoice]:
        """Return the best candidate for a pair of joints, and those less than one fact apart from it."""
        best, *others = self.candidates(k, m, Y_parent)
        return [best, *(placed for placed in others if placed.total < best.total + UNDECIDED)]

    def candidates(self, k: int, m: int, Y_parent: Transform) -> List[ScoredChoice]:
        """Return the candidates for a pair of joints, the best first: only zero 0 if it fits."""
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
        senses = (False, True) if residual.across > LENGTH or residual.turn > ANGLE else (False,)
        plain = [
            self._placed(junction, Choice(a=k, b=m, sign=sign, zero=zero, along=0.0, stays=stays))
            for stays in senses
            # Alike as drawn, or alike at equal positions: MJCF may draw a joint at a different position.
            for zero in {
                0.0,
                a.raw.reference * sign - b.raw.reference if is_line(b.motion) else 0.0,
            }
        ]
        best = min(plain, key=lambda placed: placed.total)
        if not is_line(b.motion):
            return [best]
        if best.total < PERFECT:
            return [self._by_limits_alone(best, junction), *self._half_turn(best, junction)]

        choices = [
            choice
            for stays in senses
            for choice in self._zeros(Choice(k, m, sign, stays=stays), junction)
        ]
        ranked = sorted(
            [*plain, *(self._placed(junction, choice) for choice in choices)],
            key=lambda placed: placed.total,
        )
        return [self._by_limits_alone(ranked[0], junction), *ranked[1:]]

    def _shown(self, k: int, m: int, Y_parent: Transform, residual: Correction) -> float:
        """Return the largest zero that the frames of two joints of one name allow.

        Any zero, if their names differ, or the named frames on their bodies are elsewhere as drawn.
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
        """Return the candidate half a turn on if it fits as well, so that only the joints below can decide."""
        choice = best.choice
        a, b = self.pair(choice.a, choice.b)
        if (
            b.motion != TURNS
            or not self.b.child_joints[b.child]
            # A center or tensor would have excluded half a turn; without joints below, no evidence decides.
            or both_masses(self.a.bodies[a.child], self.b.bodies[b.child]) is not None
        ):
            return []
        turned = choice._replace(zero=nearest_turn(choice.zero + pi, a, b, choice.sign))
        other = self._placed(junction, turned)
        # The turn pays the price of a zero that is not 0, which is unrelated to the fit.
        return [other] if self._misfit(other, junction) < PERFECT else []

    def _misfit(self, placed: ScoredChoice, junction: Junction) -> float:
        """Return the cost of a candidate without the price of its zero."""
        return placed.total - self._price(self._pair(placed.choice), junction.shown)

    def _by_limits_alone(self, best: ScoredChoice, junction: Junction) -> ScoredChoice:
        """Return a candidate with the zero of its limits, if that is close to it and no evidence supports another zero.

        Limits that differ by less than ANGLE may be rounded, and cost nothing; but their difference would be reported.
        A feature that does not fit at the candidate either, such as the frame of an empty link, is not evidence of a
        zero.
        """
        pair = self._pair(best.choice)
        zero = by_limits(pair.a, pair.b, pair.choice.sign)
        if zero is None or not SAID < abs(zero - pair.choice.zero) <= ANGLE:
            return best
        choice = pair.choice._replace(zero=zero)
        if self._limits_apart(pair) <= SAID or _is_beyond(zero, pair, junction.shown):
            return best
        other = self._placed(junction, choice)
        fit = self._misfit(best, junction)
        is_seen = fit < PERFECT and self._misfit(other, junction) > fit + 1e-9
        if is_seen or self._limits_apart(self._pair(other.choice)) > SAID:
            return best
        # It replaces the best candidate, so its tiny misfit must not let others win.
        return other._replace(cost=best.cost, held=best.held)

    def _zeros(self, choice: Choice, junction: Junction) -> List[Choice]:
        """Return a choice with each zero that lines, masses, frames or limits imply."""
        a, b = self.pair(choice.a, choice.b)

        zeros: List[Zero] = []
        for body, other, Y in self._held(
            b, a.child, b.child, body_pose(self.b, junction.Y_parent, choice, junction.residual)
        ):
            zeros += zero_candidates(
                Y,
                b,
                self._possible(body, other),
                (self.a.bodies[body], self.b.bodies[other]),
                self.frames.of(body, other),
            )

        # A zero at which both ranges coincide is worth a try, whatever the bodies imply.
        meeting = by_limits(a, b, choice.sign)
        zeros += [Zero(meeting)] if meeting is not None else []
        return [
            choice._replace(zero=nearest_turn(zero.zero, a, b, choice.sign), along=zero.along)
            for zero in zeros
            if abs(zero.zero) > 1e-9 or zero.along
        ]

    def _held(
        self, by: CanonicalJoint, body: int, other: int, Y: Transform
    ) -> List[Tuple[int, int, Transform]]:
        """Return two bodies at Y, and the bodies on joints without a zero below them: all of them determine Y.

        So do bodies that slide along the axis of `by`, if both lack a mass: their zero does not matter.
        """
        held = [(body, other, Y)]
        for body_a, body_b, pose in held:
            # The list grows while it is walked, so the children of added bodies are walked, too.
            for k, m in self.children(body_a, body_b, pose) if len(held) < MOST_HELD else ():
                a, b = self.pair(k, m)
                if not is_line(a.motion) and not is_line(b.motion):
                    residual = correction(pose, a, b, sense(pose, a, b))
                    held.append((a.child, b.child, body_pose(self.b, pose, Choice(k, m), residual)))
                elif (
                    a.motion == b.motion
                    and slides_along(by, b)
                    and both_masses(self.a.bodies[body_a], self.b.bodies[body_b]) is None
                ):
                    held.append((a.child, b.child, self.candidates(k, m, pose)[0].Y))
        return held[:MOST_HELD]

    def _possible(self, body: int, other: int) -> List[LinePair]:
        """Return pairs of lines that may determine a zero: by name, else all that are alike."""
        pairs = []
        for k in self.a.child_joints[body]:
            named = self.partner.get(k)
            others = (
                [named]
                if named is not None
                else [m for m in self.b.child_joints[other] if m not in self.named_b]
            )
            likely = sorted(
                (self.unlike(k, m), m) for m in others if m in self.b.child_joints[other]
            )[:ALL_PAIRS]
            pairs += [self.pair(k, m) for _, m in likely]
        return pairs[: ALL_PAIRS * ALL_PAIRS]

    def _placed(self, junction: Junction, choice: Choice) -> ScoredChoice:
        """Return a candidate with its cost."""
        a, b = self.pair(choice.a, choice.b)
        Y = body_pose(self.b, junction.Y_parent, choice, junction.residual)
        held = self._held(b, a.child, b.child, Y) if is_line(b.motion) else [(a.child, b.child, Y)]
        fits = [self.body_fit(*pair, self.children(*pair)) for pair in held]
        cost = fits[0] + self._price(JointPair(a, b, choice), junction.shown)
        return ScoredChoice(
            choice, Y, cost + ALONG_PRICE * gap(abs(choice.along), LENGTH, LONG), sum(fits[1:])
        )

    def _pair(self, choice: Choice) -> JointPair:
        return JointPair(*self.pair(choice.a, choice.b), choice)

    def _price(self, pair: JointPair, shown: float) -> float:
        """Return the price of a zero: round zeros are likelier, and limits and frames move with it."""
        if not is_line(pair.b.motion):
            return 0.0
        offset = pair.offset
        step = STEP if pair.b.motion == TURNS else 0.01
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
        return price + (LIMITS_PRICE if self._limits_apart(pair) > ANGLE else 0.0)

    def _limits_apart(self, pair: JointPair) -> float:
        """Return the difference of the limits of two joints under a choice."""
        if have_no_ends(pair.a.raw, pair.b.raw):
            return 0.0
        mapped = range_in_a(pair, range_of(pair.b.raw))
        return range_gap(range_of(pair.a.raw), mapped, self.precision)


def _is_beyond(zero: float, pair: JointPair, shown: float) -> bool:
    """Return True for a zero larger than the frames allow; the frames themselves may be rounded by a part of that."""
    is_open = shown > SAME_ZERO and pair.b.motion == TURNS
    # Frames do not show whole turns.
    size = abs(wrapped(zero) if is_open else zero)
    return size > 1.05 * shown + SAME_ZERO


def shapes_of(robot: CanonicalRobot) -> List[JointInvariants]:
    """Return the invariants of each joint, in linear time."""
    counts, masses = [1] * len(robot.joints), [0.0] * len(robot.joints)
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
    """Return distance [m] and angle [rad] of a line to the parent's line."""
    before = robot.joint_of(joint.parent)
    if before is None or before.motion != TURNS or joint.motion != TURNS:
        return None, None
    normal = cross(before.axis, joint.axis)
    between = subtract(joint.anchor, before.anchor)
    sine = norm(normal)
    if sine < 1e-3:  # parallel
        return norm(rejection(between, before.axis)), 0.0
    return abs(dot(between, normal)) / sine, min(sine, 1.0)


def unlikeness(a: JointInvariants, b: JointInvariants) -> float:
    """Return the cost of the differences that no zero can change."""
    cost = 1.0 if a.joints != b.joints else 0.0
    cost += gap(abs(a.mass - b.mass) / (max(a.mass, b.mass) or 1.0), TENSOR, 1.0)
    for p, q, tolerance, most in (
        (a.distance, b.distance, LENGTH, LONG),
        (a.angle, b.angle, ANGLE, pi),
    ):
        if p is not None and q is not None:
            cost += gap(abs(p - q), tolerance, most)
    return cost
