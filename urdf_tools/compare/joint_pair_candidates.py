"""Candidates for a pair of joints: the sense of the axes, and each zero that some evidence implies, with their costs.

A cost counts facts that differ (`fit.gap`), and adds the price of the zero (`zero_prices.py`). `Y` of a body of A maps
coordinates in A's root, as drawn, to B's root; `k` and `m` are the indices of a joint of A and of B.
"""

from __future__ import annotations

from itertools import product
from math import pi
from typing import Dict, List, Tuple

from ..base.record_type import Record
from ..formats.format_values import precision_of
from ..robot.rigid_bodies import CanonicalJoint, TURNS
from ..robot.joint_motion import is_line
from ..urdf.spatial_math import Transform
from .difference_records import Tolerances
from .body_fit import both_masses, gap, LinePair, LONG
from .joint_pairing import JointLikeness
from .joint_lines import ANGLE, LineCorrection, correction, LENGTH, sense, slides_along
from .robot_map import body_pose, JointMapping, JointPair
from .equally_placed_joints import (
    ANY_ZERO,
    have_one_name,
    in_place,
    named_frames_in_place,
    zero_in_frames,
)
from .zero_prices import is_beyond, limits_apart, price_of_zero
from .zero_candidates import by_limits, nearest_turn, ZeroCandidate, zero_candidates

# A shift along the axis breaks the motion, so it alone costs more than a fact: this times `gap` of the shift.
ALONG_PRICE = 1.2
NOISE = 1e-9  # rad, m, or cost: the rounding of float64 in a zero or a cost
# Larger differences of limits are reported, also for prismatic joints [m].
SAID = Tolerances().angle
# A zero of 0 that costs less needs no other candidate: this is a fact that is off by a fifth of its tolerance (`gap`).
PERFECT = 0.02
MOST_HELD = 6  # bodies that determine the same zero: each candidate of each is tried on all
ALL_PAIRS = 4  # children: with more on both sides, only the likeliest pairs show a zero


class JointPairCandidate(Record):
    """A candidate for a pair of joints.

    Attributes:
        choice: the sign, the zero, and what else is chosen.
        Y: Y of the child body under the choice.
        cost: the facts of the child body that differ, and the price of the zero: it counts in the map.
        held: the cost of the other bodies that this zero places (`_bodies_placed_by`). It counts only in the choice
            between candidates, as these bodies have joints of their own, which pay for them in the map.
    """

    choice: JointMapping
    Y: Transform
    cost: float
    held: float = 0.0

    @property
    def total(self) -> float:
        """Return the cost of all bodies that this choice alone places."""
        return self.cost + self.held


class UnfinishedJointPair(Record):
    """A pair of joints before a zero is chosen.

    Attributes:
        Y_parent: Y of the body that carries the joints.
        residual: the correction from A's line, moved by it, to B's line; any zero leaves it the same.
        largest_zero: the largest zero [rad or m] that frames of equal names allow, ANY_ZERO without any.
    """

    Y_parent: Transform
    residual: LineCorrection
    largest_zero: float = ANY_ZERO


class BodyPair(Record):
    """A body of A and a body of B, by their indices, and Y of A's body."""

    body: int
    other: int
    Y: Transform


class JointPairCandidateSearch:
    """A search for the candidates of pairs of joints, with a cache; no call changes the result of another."""

    def __init__(self, pairing: JointLikeness) -> None:
        """Prepare the search for the robots and the joints that names pair."""
        self.pairing = pairing
        self.a = pairing.a
        self.b = pairing.b
        self.precision = precision_of(self.a.raw.format, self.b.raw.format)
        # A cache: of `candidates` by k, m, and Y of the parent.
        self._known: Dict[Tuple[int, int, Transform], List[JointPairCandidate]] = {}

    def candidates(self, k: int, m: int, Y_parent: Transform) -> List[JointPairCandidate]:
        """Return the candidates for a pair of joints, at least one, the best first. Callers must not change the list.

        If the joints fit as drawn, no other zero is tried, except half a turn, which may fit as well: it is the second.
        """
        key = (k, m, Y_parent)
        # Descendants request the same pose again and again.
        if key not in self._known:
            self._known[key] = self._candidates(k, m, Y_parent)
        return self._known[key]

    def _candidates(self, k: int, m: int, Y_parent: Transform) -> List[JointPairCandidate]:
        """Compute and return the candidates that `candidates` caches."""
        a, b = self.pairing.pair(k, m)
        sign = sense(Y_parent, a, b)
        residual = correction(Y_parent, a, b, sign)
        junction = UnfinishedJointPair(
            Y_parent, residual, self._largest_zero_in_frames(k, m, Y_parent, residual)
        )
        # If the lines agree, a body that stays and a body that moves with its line are the same.
        is_elsewhere = residual.across > LENGTH or residual.turn > ANGLE
        either_stays = (False, True) if is_elsewhere else (False,)
        # Alike as drawn, or alike at equal positions: MJCF may draw a joint at a different position.
        drawn_zeros = {0.0}
        if is_line(b.motion):
            drawn_zeros.add(a.raw.reference * sign - b.raw.reference)
        drawn = [
            self._scored(
                junction, JointMapping(a=k, b=m, sign=sign, zero=zero, along=0.0, stays=stays)
            )
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
            choices = self._choices_with_implied_zeros(
                JointMapping(k, m, sign, stays=stays), junction
            )
            implied += [self._scored(junction, choice) for choice in choices]
        # The sort is stable: of equal costs the drawn zero comes first, and then what the surer evidence implies.
        ranked = sorted([*drawn, *implied], key=lambda placed: placed.total)
        return [self._by_limits_alone(ranked[0], junction), *ranked[1:]]

    def _largest_zero_in_frames(
        self, k: int, m: int, Y_parent: Transform, residual: LineCorrection
    ) -> float:
        """Return the largest zero [rad or m] that the frames of two joints of one name allow.

        ANY_ZERO, if their names differ, or lines or named frames on their bodies are elsewhere as drawn: then
        another author has drawn the robot, and the frames show nothing.
        """
        if self.pairing.partner.get(k) != m or not have_one_name(self.a, self.b, k, m):
            return ANY_ZERO
        a, b = self.pairing.pair(k, m)
        if not is_line(b.motion):
            return ANY_ZERO
        choice = JointMapping(k, m, sense(Y_parent, a, b))
        drawn = body_pose(self.b, Y_parent, choice, residual)
        for body, other, Y in self._bodies_placed_by(b, a.child, b.child, drawn):
            lines = [self.pairing.pair(*pair) for pair in self.pairing.children(body, other, Y)]
            if not all(in_place(Y, *pair) for pair in lines):
                return ANY_ZERO
            if not named_frames_in_place(Y, self.pairing.frames.of(body, other)):
                return ANY_ZERO
        return zero_in_frames(self.a, self.b, k, m)

    def _half_turn(
        self, best: JointPairCandidate, junction: UnfinishedJointPair
    ) -> List[JointPairCandidate]:
        """Return the candidate half a turn from the best if it fits as well; else [].

        Then the joints after it decide between both.
        """
        choice = best.choice
        a, b = self.pairing.pair(choice.a, choice.b)
        if (
            b.motion != TURNS
            or not self.b.child_joints[b.child]
            # A center or tensor would have excluded half a turn; without joints below, no evidence decides.
            or both_masses(self.a.bodies[a.child], self.b.bodies[b.child]) is not None
        ):
            return []
        turned_choice = choice._replace(zero=nearest_turn(choice.zero + pi, a, b, choice.sign))
        turned = self._scored(junction, turned_choice)
        # The turn pays the price of a zero that is not 0, which is unrelated to the fit.
        return [turned] if self._misfit(turned, junction) < PERFECT else []

    def _misfit(self, placed: JointPairCandidate, junction: UnfinishedJointPair) -> float:
        """Return the cost of a candidate without the price of its zero."""
        return placed.total - price_of_zero(
            self._pair(placed.choice), junction.largest_zero, self.precision
        )

    def _by_limits_alone(
        self, best: JointPairCandidate, junction: UnfinishedJointPair
    ) -> JointPairCandidate:
        """Return a candidate with the zero of its limits, if that is close to it and no evidence supports another zero.

        Otherwise return the candidate itself. Limits that differ by less than ANGLE may be rounded, and cost nothing;
        but their difference would be reported. A feature that does not fit at the candidate either, such as the frame
        of an empty link, is not evidence of a zero.
        """
        pair = self._pair(best.choice)
        zero = by_limits(pair.a, pair.b, pair.choice.sign)
        if zero is None or not SAID < abs(zero - pair.choice.zero) <= ANGLE:
            return best
        # Limits that agree at the candidate report nothing, so the candidate may stay.
        if limits_apart(pair, self.precision) <= SAID:
            return best
        # Frames of equal names exclude this zero.
        if is_beyond(zero, pair, junction.largest_zero):
            return best
        choice_by_limits = pair.choice._replace(zero=zero)
        by_these_limits = self._scored(junction, choice_by_limits)
        fit = self._misfit(best, junction)
        # A body that fits at the candidate and less at the zero of the limits shows the candidate's zero.
        fits_less = self._misfit(by_these_limits, junction) > fit + NOISE
        if fit < PERFECT and fits_less:
            return best
        # Both ranges must coincide at the new zero: limits of another length would be reported anyway.
        if limits_apart(self._pair(choice_by_limits), self.precision) > SAID:
            return best
        # It replaces the best candidate, so its tiny misfit must not let others win.
        return by_these_limits._replace(cost=best.cost, held=best.held)

    def _choices_with_implied_zeros(
        self, choice: JointMapping, junction: UnfinishedJointPair
    ) -> List[JointMapping]:
        """Return a choice with each zero, other than 0, that lines, masses, frames or limits imply.

        The sign of the choice and whether its body stays are kept; zeros that several facts imply may come several times.
        """
        a, b = self.pairing.pair(choice.a, choice.b)
        Y_child = body_pose(self.b, junction.Y_parent, choice, junction.residual)
        zeros: List[ZeroCandidate] = []
        for body, other, Y in self._bodies_placed_by(b, a.child, b.child, Y_child):
            zeros += zero_candidates(
                Y,
                b,
                self._likely_line_pairs(body, other),
                (self.a.bodies[body], self.b.bodies[other]),
                self.pairing.frames.of(body, other),
            )

        # A zero at which both ranges coincide is worth a try, whatever the bodies imply.
        meeting = by_limits(a, b, choice.sign)
        if meeting is not None:
            zeros.append(ZeroCandidate(meeting))
        return [
            choice._replace(zero=nearest_turn(zero.zero, a, b, choice.sign), along=zero.along)
            for zero in zeros
            if abs(zero.zero) > NOISE or zero.along
        ]

    def _bodies_placed_by(
        self, by: CanonicalJoint, body: int, other: int, Y: Transform
    ) -> List[BodyPair]:
        """Return the pairs of bodies that the zero of a joint `by` of B places; the pair on the joint comes first.

        `body` of A and `other` of B are this pair, and Y is the place of `body`.

        The others are on joints without a zero below them, such as a ball joint. Bodies that slide along the axis of
        `by` belong to them, if both bodies that carry the slide lack a mass: a slide does not show a turn about it, so
        its zero does not matter. At most MOST_HELD bodies.
        """
        held = [BodyPair(body, other, Y)]
        # The list grows while it is walked, so the children of added bodies are walked, too.
        for body_a, body_b, Y_body in held:
            if len(held) >= MOST_HELD:
                break
            for k, m in self.pairing.children(body_a, body_b, Y_body):
                a, b = self.pairing.pair(k, m)
                if not is_line(a.motion) and not is_line(b.motion):
                    residual = correction(Y_body, a, b, sense(Y_body, a, b))
                    Y_child = body_pose(self.b, Y_body, JointMapping(k, m), residual)
                    held.append(BodyPair(a.child, b.child, Y_child))
                elif (
                    a.motion == b.motion
                    and slides_along(by, b)
                    and both_masses(self.a.bodies[body_a], self.b.bodies[body_b]) is None
                ):
                    Y_slide = self.candidates(k, m, Y_body)[0].Y
                    held.append(BodyPair(a.child, b.child, Y_slide))
        return held[:MOST_HELD]

    def _likely_line_pairs(self, body: int, other: int) -> List[LinePair]:
        """Return pairs of joints on two bodies whose lines may determine a zero: by name, else the most alike.

        A joint without a name of its partner is in several pairs, as its partner is known only at the right zero.
        """
        pairs = []
        for k in self.a.child_joints[body]:
            named = self.pairing.partner.get(k)
            if named is None:
                others = [m for m in self.b.child_joints[other] if m not in self.pairing.named_b]
            else:
                # The partner by name may be on a different body, and then shows nothing here.
                others = [m for m in self.b.child_joints[other] if m == named]
            likely = sorted((self.pairing.unlike(k, m), m) for m in others)[:ALL_PAIRS]
            pairs += [self.pairing.pair(k, m) for _, m in likely]
        return pairs[: ALL_PAIRS * ALL_PAIRS]

    def _scored(self, junction: UnfinishedJointPair, choice: JointMapping) -> JointPairCandidate:
        """Return a candidate with Y of its child and its cost: the bodies that it places, its zero, and its shift."""
        a, b = self.pairing.pair(choice.a, choice.b)
        Y = body_pose(self.b, junction.Y_parent, choice, junction.residual)
        # A joint without a zero places only its child.
        held = [BodyPair(a.child, b.child, Y)]
        if is_line(b.motion):
            held = self._bodies_placed_by(b, a.child, b.child, Y)
        fits = [
            self.pairing.body_fit(body, other, Y_body, self.pairing.children(body, other, Y_body))
            for body, other, Y_body in held
        ]
        cost = fits[0] + price_of_zero(
            JointPair(a, b, choice), junction.largest_zero, self.precision
        )
        cost += ALONG_PRICE * gap(abs(choice.along), LENGTH, LONG)
        return JointPairCandidate(choice, Y, cost, held=sum(fits[1:]))

    def _pair(self, choice: JointMapping) -> JointPair:
        """Return the joints of a choice, without a correction, which prices and limits do not read."""
        return JointPair(*self.pairing.pair(choice.a, choice.b), choice)
