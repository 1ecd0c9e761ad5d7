"""From the root down: which joint is whose partner, with which sign and zero, so that the fewest facts differ."""
from itertools import permutations
from math import pi
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..urdf.spatial import add, cross, dot, norm, Pose, scale, subtract
from .canonical import Canonical, Joint, TURNS
from .differences import Tolerances
from .fit import both_masses, Fit, frame_cost, Frames, gap, inertia_cost, line_cost, LONG, TENSOR
from .joint_differences import range_gap, range_of
from .lines import after, ANGLE, Correction, correction, LENGTH, motion_of, sense, slides_along
from .robot_map import body_pose, Choice, is_line
from .zeros import by_limits, nearest_turn, STEP, Zero, zero_candidates

ROUND_PRICE, OTHER_PRICE, LIMITS_PRICE, ALONG_PRICE = 0.02, 0.04, 0.15, 1.2
SAID = Tolerances().angle  # from here on a difference of limits is said, for slides too [m]
PERFECT = 0.02  # a zero of 0 that costs less needs no other candidate
UNDECIDED, AHEAD, MOST_TRIED = 0.45, 3, 5
MISSING = 2.0  # the cost of a joint without a partner
MOST_PERMUTED = 5
MOST_HELD = 6  # bodies that show one zero: each candidate of each is tried on all
ALL_PAIRS = 4  # children: with more on both sides, only the likeliest pairs show a zero


class Shape(NamedTuple):
    """What no zero can change: joints and mass behind a joint, how its line lies to the one before, and its center.

    Attributes:
        distance, angle: of the two lines, None behind the root. along: from their common normal to the center.
    """

    joints: int
    mass: float
    distance: Optional[float]
    angle: Optional[float]
    along: Optional[float]


class Placed(NamedTuple):
    """A candidate for a pair of joints: the choice, Y of the body behind it, and the cost.

    `held`: what the bodies cost that joints without a zero hold to that body: it counts where one is chosen.
    """

    choice: Choice
    Y: Pose
    cost: float
    held: float = 0.0

    @property
    def total(self) -> float:
        """Return the cost of all that lies where it does by this choice alone."""
        return self.cost + self.held


class Search:
    """Two canonical robots, which joints names pair, and what is computed once."""

    def __init__(self, a: Canonical, b: Canonical, partner: Dict[int, int], frames: Frames) -> None:
        self.a, self.b, self.partner, self.frames = a, b, partner, frames
        self.named_b = set(partner.values())
        self.shapes = shapes_of(a), shapes_of(b)
        self.likeness: Dict[Tuple[int, int], float] = {}
        self.ties = 0

    def match(self, base: Pose, most: float) -> Tuple[List[Choice], float]:
        """Return the choices for a pose of the base, and what differs all in all; none if that is more than `most`."""
        choices: List[Choice] = []
        cost = self.body_fit(0, 0, base, self.children(0, 0, base)) if self.a.bodies else 0.0
        waiting = [(0, 0, base)]
        while waiting:
            if cost > most:
                return [], cost
            body, other, Y = waiting.pop()
            pairs = self.children(body, other, Y, thorough=True)
            cost += MISSING * (self._alone(body, 0, pairs) + self._alone(other, 1, pairs))
            for k, m in pairs:
                best = self.place(k, m, Y)
                choices.append(best.choice)
                cost += best.cost
                waiting.append((self.a.joints[k].child, self.b.joints[m].child, best.Y))
        return sorted(choices), cost

    def _alone(self, body: int, side: int, pairs: Sequence[Tuple[int, int]]) -> int:
        """Return how many joints behind a body have no partner, as those that carry them have none."""
        robot, paired = (self.a, self.b)[side], {pair[side] for pair in pairs}
        return sum(self.shapes[side][place].joints for place in robot.below[body] if place not in paired)

    def children(self, body: int, other: int, Y: Pose, *, thorough: bool = False) -> List[Tuple[int, int]]:
        """Return pairs of the joints that two bodies carry: by name, the others as they fit best."""
        pairs, left, right = [], [], list(self.b.below[other])
        for place in self.a.below[body]:
            named = self.partner.get(place)
            if named is not None and named in right:
                pairs.append((place, named))
                right.remove(named)
            elif named is None:
                left.append(place)
        right = [place for place in right if place not in self.named_b]
        if left and right:
            pairs += self._assign(left, right, Y, thorough=thorough)
        return pairs

    def _assign(self, left: List[int], right: List[int], Y: Pose, *, thorough: bool) -> List[Tuple[int, int]]:
        """Return the pairs of least cost: of all orders of a few, else the best pair first."""
        costs = {(k, m): line_cost(Y, self.a.joints[k], self.b.joints[m]) + self.unlike(k, m)
                 for k in left for m in right}
        if max(len(left), len(right)) <= MOST_PERMUTED:
            short, long = sorted((left, right), key=len)
            flip = short is right and len(left) != len(right)
            if len(left) == len(right):
                short, long, flip = left, right, False
            orders = [[(m, k) if flip else (k, m) for k, m in zip(short, order)]
                      for order in permutations(long, len(short))]
            totals = [sum(costs[pair] for pair in order) for order in orders]
            return self._decided(orders, totals, Y) if thorough else orders[totals.index(min(totals))]
        pairs = []
        for k, m in sorted(costs, key=lambda pair: (costs[pair], pair)):
            if k in left and m in right:
                pairs.append((k, m))
                left, right = [one for one in left if one != k], [one for one in right if one != m]
        return pairs

    def _decided(self, orders: List[List[Tuple[int, int]]], totals: List[float], Y: Pose) -> List[Tuple[int, int]]:
        """Return the best order; of those that are nearly as good, by the bodies that the joints carry."""
        best = min(totals)
        near = [order for order, total in zip(orders, totals) if total < best + UNDECIDED]
        if len(near) == 1:
            return near[0]
        carried = {pair: self.candidates(*pair, Y)[0].total for order in near for pair in order}
        costs = [sum(carried[pair] for pair in order) for order in near]
        if sum(cost < min(costs) + 1e-6 for cost in costs) > 1:
            self.ties += 1
        return near[costs.index(min(costs))]

    def unlike(self, k: int, m: int) -> float:
        """Return the cost of what no zero can change."""
        if (k, m) not in self.likeness:
            self.likeness[k, m] = unlikeness(self.shapes[0][k], self.shapes[1][m])
        return self.likeness[k, m]

    def body_fit(self, body: int, other: int, Y: Pose, pairs: Sequence[Tuple[int, int]]) -> float:
        """Return how well a body fits at a pose: its lines, center, tensor and frames."""
        lines = sum(line_cost(Y, self.a.joints[k], self.b.joints[m]) for k, m in pairs)
        inertia = inertia_cost(Y, self.a.bodies[body], self.b.bodies[other])
        return Fit(lines, inertia, frame_cost(Y, self.frames.of(body, other))).total

    def root_fit(self, base: Pose, *, ahead: bool = False) -> float:
        """Return how well the roots fit; of those that have no mass, what the first joint carries as well.

        `ahead`: and all that the joints carry.
        """
        pairs = self.children(0, 0, base)
        cost = self.body_fit(0, 0, base, pairs)
        if ahead:
            cost += sum(self.candidates(k, m, base)[0].total for k, m in pairs)
        elif both_masses(self.a.bodies[0], self.b.bodies[0]) is None:
            cost += sum(self.candidates(k, m, base)[0].total for k, m in pairs[:1])
        return cost

    def turned_to_limits(self, base: Pose) -> List[Pose]:
        """Return the base about the only joint of roots that have no mass, turned so that its limits fit."""
        if len(self.a.below[0]) != 1 or len(self.b.below[0]) != 1 or both_masses(
                self.a.bodies[0], self.b.bodies[0]) is not None:
            return []
        a, b = self.a.joints[self.a.below[0][0]], self.b.joints[self.b.below[0][0]]
        zero = by_limits(a, b, sense(base, a, b)) if a.motion == b.motion else None
        return [after(motion_of(b, zero), base)] if zero is not None and abs(zero) > 1e-9 else []

    def place(self, k: int, m: int, Y_parent: Pose) -> Placed:
        """Return the best candidate for a pair of joints; those that are nearly as good are looked behind."""
        found = self.candidates(k, m, Y_parent)
        near = [one for one in found if one.total < found[0].total + UNDECIDED][:MOST_TRIED]
        if len(near) == 1:
            return found[0]
        return min(near, key=lambda one: (one.cost + self._ahead(one, AHEAD - 1), one.cost))

    def _ahead(self, placed: Placed, depth: int) -> float:
        """Return what the joints behind a candidate cost at least."""
        body, other = self.a.joints[placed.choice.a].child, self.b.joints[placed.choice.b].child
        cost, ties = 0.0, self.ties
        pairs = self.children(body, other, placed.Y, thorough=True)
        self.ties = ties  # only those of the map count
        for k, m in pairs:
            found = self.candidates(k, m, placed.Y)
            near = [one for one in found if one.total < found[0].total + UNDECIDED][:2]
            cost += min(one.cost + (self._ahead(one, depth - 1) if depth > 1 else 0.0) for one in near)
        return cost

    def candidates(self, k: int, m: int, Y_parent: Pose) -> List[Placed]:
        """Return where the body behind a pair of joints may be, the best first: no zero, if that fits."""
        a, b = self.a.joints[k], self.b.joints[m]
        sign = sense(Y_parent, a, b)
        left = correction(Y_parent, a, b, sign)
        senses = (False, True) if left.across > LENGTH or left.turn > ANGLE else (False,)
        plain = [self._placed(Y_parent, left, Choice(k, m, sign, zero, 0.0, stays)) for stays in senses
                 for zero in {0.0, a.raw.reference * sign - b.raw.reference if is_line(b.motion) else 0.0}]
        best = min(plain, key=lambda one: one.total)
        if not is_line(b.motion):
            return [best]
        if best.total < PERFECT:
            return [self._by_limits_alone(best, Y_parent, left), *self._half_turn(best, Y_parent, left)]
        choices = [choice for stays in senses
                   for choice in self._zeros(Choice(k, m, sign, stays=stays), Y_parent, left)]
        found = sorted([*plain, *(self._placed(Y_parent, left, choice) for choice in choices)],
                       key=lambda one: one.total)
        return [self._by_limits_alone(found[0], Y_parent, left), *found[1:]]

    def _half_turn(self, best: Placed, Y_parent: Pose, left: Correction) -> List[Placed]:
        """Return the candidate half a turn on, where it fits as well and only what is behind can say which it is."""
        choice = best.choice
        a, b = self.a.joints[choice.a], self.b.joints[choice.b]
        if b.motion != TURNS or not self.b.below[b.child] or both_masses(
                self.a.bodies[a.child], self.b.bodies[b.child]) is not None:
            return []
        other = self._placed(Y_parent, left, choice._replace(
            zero=nearest_turn(choice.zero + pi, a, b, choice.sign)))
        return [other] if other.total - self._price(a, b, other.choice) < PERFECT else []

    def _by_limits_alone(self, best: Placed, Y_parent: Pose, left: Correction) -> Placed:
        """Return a candidate, with the zero that its limits show if that is next to it, and nothing shows another one.

        Limits that differ by less than ANGLE may be rounded, and cost nothing; but a difference of them would be said.
        What does not fit at the candidate either, such as the frame of an empty link, shows no zero.
        """
        choice = best.choice
        a, b = self.a.joints[choice.a], self.b.joints[choice.b]
        zero = by_limits(a, b, choice.sign)
        if zero is None or not SAID < abs(zero - choice.zero) <= ANGLE:
            return best
        other = self._placed(Y_parent, left, choice._replace(zero=zero))
        fit, other_fit = best.total - self._price(a, b, choice), other.total - self._price(a, b, other.choice)
        is_seen = fit < PERFECT and other_fit > fit + 1e-9
        if is_seen or self._limits_apart(a, b, other.choice) > SAID:
            return best
        return other._replace(cost=best.cost, held=best.held)

    def _zeros(self, choice: Choice, Y_parent: Pose, left: Correction) -> List[Choice]:
        """Return a choice with every zero that something shows."""
        a, b = self.a.joints[choice.a], self.b.joints[choice.b]
        zeros: List[Zero] = []
        for body, other, Y in self._held(b, a.child, b.child, body_pose(self.b, Y_parent, choice, left)):
            zeros += zero_candidates(Y, b, self._possible(body, other),
                                     (self.a.bodies[body], self.b.bodies[other]), self.frames.of(body, other))
        meeting = by_limits(a, b, choice.sign)
        zeros += [Zero(meeting)] if meeting is not None else []
        return [choice._replace(zero=nearest_turn(zero.zero, a, b, choice.sign), along=zero.along)
                for zero in zeros if abs(zero.zero) > 1e-9 or zero.along]

    def _held(self, by: Joint, body: int, other: int, Y: Pose) -> List[Tuple[int, int, Pose]]:
        """Return two bodies at Y, and those that joints without a zero hold to them: all show where they lie.

        So does what slides along the axis about which `by` turns them, if they have no mass: whatever its own zero.
        """
        found = [(body, other, Y)]
        for one, two, pose in found:
            for k, m in self.children(one, two, pose) if len(found) < MOST_HELD else ():
                a, b = self.a.joints[k], self.b.joints[m]
                if not is_line(a.motion) and not is_line(b.motion):
                    left = correction(pose, a, b, sense(pose, a, b))
                    found.append((a.child, b.child, body_pose(self.b, pose, Choice(k, m), left)))
                elif a.motion == b.motion and slides_along(by, b) and both_masses(
                        self.a.bodies[one], self.b.bodies[two]) is None:
                    found.append((a.child, b.child, self.candidates(k, m, pose)[0].Y))
        return found[:MOST_HELD]

    def _possible(self, body: int, other: int) -> List[Tuple[Joint, Joint]]:
        """Return pairs of lines that may show a zero: by name, else all that are alike."""
        pairs = []
        for k in self.a.below[body]:
            named = self.partner.get(k)
            others = [named] if named is not None else [m for m in self.b.below[other] if m not in self.named_b]
            likely = sorted((self.unlike(k, m), m) for m in others if m in self.b.below[other])[:ALL_PAIRS]
            pairs += [(self.a.joints[k], self.b.joints[m]) for _, m in likely]
        return pairs[:ALL_PAIRS * ALL_PAIRS]

    def _placed(self, Y_parent: Pose, left: Correction, choice: Choice) -> Placed:
        """Return a candidate with its cost."""
        a, b = self.a.joints[choice.a], self.b.joints[choice.b]
        Y = body_pose(self.b, Y_parent, choice, left)
        held = self._held(b, a.child, b.child, Y) if is_line(b.motion) else [(a.child, b.child, Y)]
        fits = [self.body_fit(*one, self.children(*one)) for one in held]
        cost = fits[0] + self._price(a, b, choice)
        return Placed(choice, Y, cost + ALONG_PRICE * gap(abs(choice.along), LENGTH, LONG), sum(fits[1:]))

    def _price(self, a: Joint, b: Joint, choice: Choice) -> float:
        """Return the price of a zero: a round one is likelier, and limits follow it."""
        if not is_line(b.motion):
            return 0.0
        offset = choice.zero + b.raw.reference - choice.sign * a.raw.reference
        if abs(offset) < 1e-6 or abs(choice.zero) < 1e-6:
            price = 0.0 if abs(offset) < 1e-6 else 0.01
        else:
            step = STEP if b.motion == TURNS else 0.01
            price = ROUND_PRICE if abs(offset / step - round(offset / step)) * step < 1e-6 else OTHER_PRICE
        return price + (LIMITS_PRICE if self._limits_apart(a, b, choice) > ANGLE else 0.0)

    @staticmethod
    def _limits_apart(a: Joint, b: Joint, choice: Choice) -> float:
        """Return how far apart the limits of two joints are with a choice."""
        first, second = range_of(a.raw), range_of(b.raw)
        if first == second == (None, None):
            return 0.0
        offset = choice.zero + b.raw.reference - choice.sign * a.raw.reference
        mapped = tuple(None if end is None else choice.sign * (end - offset) for end in second)
        mapped = mapped if choice.sign > 0.0 else mapped[::-1]
        return range_gap(first, (mapped[0], mapped[1]))


def shapes_of(robot: Canonical) -> List[Shape]:
    """Return by joint what no zero can change; linear in the joints."""
    counts, masses = [1] * len(robot.joints), [0.0] * len(robot.joints)
    for place in range(len(robot.joints) - 1, -1, -1):
        joint = robot.joints[place]
        mass = robot.bodies[joint.child].mass
        masses[place] += mass.mass if mass is not None else 0.0
        before = robot.bodies[joint.parent].joint
        if before >= 0:
            counts[before] += counts[place]
            masses[before] += masses[place]
    return [Shape(counts[place], masses[place], *_lie(robot, joint)) for place, joint in enumerate(robot.joints)]


def _lie(robot: Canonical, joint: Joint) -> Tuple[Optional[float], Optional[float], Optional[float]]:
    """Return distance and angle of a line to the one before, and how far along it the center of its body is."""
    before = robot.joint_of(joint.parent)
    if before is None or before.motion != TURNS or joint.motion != TURNS:
        return None, None, None
    normal, between = cross(before.axis, joint.axis), subtract(joint.anchor, before.anchor)
    sine, along = norm(normal), None
    if sine < 1e-3:
        return norm(subtract(between, scale(dot(between, before.axis), before.axis))), 0.0, None
    mass = robot.bodies[joint.child].mass
    if mass is not None and mass.mass > 0.0:
        cosine = dot(before.axis, joint.axis)
        way = (cosine * dot(between, before.axis) - dot(between, joint.axis)) / (sine * sine)
        along = abs(dot(subtract(mass.center, add(joint.anchor, scale(way, joint.axis))), joint.axis))
    return abs(dot(between, normal)) / sine, min(sine, 1.0), along


def unlikeness(a: Shape, b: Shape) -> float:
    """Return the cost of what differs and no zero can change."""
    cost = 1.0 if a.joints != b.joints else 0.0
    cost += gap(abs(a.mass - b.mass) / (max(a.mass, b.mass) or 1.0), TENSOR, 1.0)
    for one, other, tolerance, most in ((a.distance, b.distance, LENGTH, LONG), (a.angle, b.angle, ANGLE, pi),
                                        (a.along, b.along, LENGTH, LONG)):
        if one is not None and other is not None:
            cost += gap(abs(one - other), tolerance, most)
    return cost
