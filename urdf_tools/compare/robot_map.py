"""The map from a robot A to a robot B: a turn of the base, and for each pair of joints a sign and a zero."""
from math import sin
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, TYPE_CHECKING

from ..urdf.spatial import norm, Pose, subtract
from .canonical import Canonical, SLIDES, TURNS
from .lines import after, ANGLE, Correction, correction, LENGTH, motion_of, NO_CORRECTION, shifted

if TYPE_CHECKING:
    from .fit import Frames

LINES, INERTIA, FRAMES, LIMITS, NONE, GIVEN = "lines", "inertia", "frames", "limits", "none", "given"
OUT_OF_REACH = 1e9  # rad, m, N m, rad/s, ...
FREE_STROKE = 1.0  # m: what the bound takes for a slide or a free joint without limits


class Choice(NamedTuple):
    """What is chosen for a pair of joints (places in the canonical robots): q_b = sign q_a + zero, from as drawn.

    Attributes:
        along: how far the body goes along the axis [m].
        stays: only the line is elsewhere; the body behind it is where it was.
    """

    a: int
    b: int
    sign: float = 1.0
    zero: float = 0.0
    along: float = 0.0
    stays: bool = False


class JointPair(NamedTuple):
    """A choice, and what is left between the two lines.

    Attributes:
        evidence: what the zero rests on: LINES, INERTIA, FRAMES, LIMITS, NONE, or GIVEN.
        alternatives: other zeros [rad or m, from as drawn] that fit as well.
    """

    choice: Choice
    correction: Correction
    evidence: str = GIVEN
    alternatives: Tuple[float, ...] = ()


class RobotMap(NamedTuple):
    """A map: Y of each paired body of A takes coordinates of A's root, as drawn, to those of B's root.

    Attributes:
        a, b: the robots with what was welded, and from the root that was chosen.
        base: T_b_a of the roots. pairs: each after those that carry it. bodies: B's for A's.
        only_a, only_b: joints without a partner, by place.
        welded_a, welded_b: names of joints that are held where they are drawn, as the other robot has none there.
        turned_root: the link that B was started from, "": the file's own.
        ties: how many pairs of branches could change places. base_evidence: as of a zero.
    """

    a: Canonical
    b: Canonical
    base: Pose
    pairs: Tuple[JointPair, ...]
    bodies: Dict[int, int]
    Y: Dict[int, Pose]
    only_a: Tuple[int, ...] = ()
    only_b: Tuple[int, ...] = ()
    welded_a: Tuple[str, ...] = ()
    welded_b: Tuple[str, ...] = ()
    turned_root: str = ""
    ties: int = 0
    base_evidence: str = GIVEN

    def offset(self, pair: JointPair, zero: Optional[float] = None) -> float:
        """Return the offset of positions as programs give them: q_b = sign q_a + offset; of another zero, its own."""
        a, b = self.a.joints[pair.choice.a].raw, self.b.joints[pair.choice.b].raw
        return (pair.choice.zero if zero is None else zero) + b.reference - pair.choice.sign * a.reference


def lay(a: Canonical, b: Canonical, base: Pose, choices: Sequence[Choice]) -> RobotMap:
    """Return the map of the choices, in order from the root; a choice whose bodies are no pair is left out.

    Where a line is elsewhere, the bodies behind it went with it or stayed: what fits better.
    """
    bodies, Y = {0: 0}, {0: base}
    frames: Optional[Frames] = None  # of one name: looked for where a line is elsewhere
    pairs: List[JointPair] = []
    by_a = {choice.a: choice for choice in choices}
    for place, joint in enumerate(a.joints):
        choice = by_a.get(place)
        if choice is None or bodies.get(joint.parent, -1) != b.joints[choice.b].parent:
            continue
        other = b.joints[choice.b]
        left = correction(Y[joint.parent], joint, other, choice.sign)
        bodies[joint.child] = other.child
        if left.across > LENGTH or left.turn > ANGLE:
            from .fit import common_frames

            frames = frames or common_frames(a, b)
            went, stayed = (_behind(a, b, frames, by_a, choice._replace(stays=stays),
                                    body_pose(b, Y[joint.parent], choice._replace(stays=stays), left))
                            for stays in (False, True))
            choice = choice._replace(stays=stayed < went)
        Y[joint.child] = body_pose(b, Y[joint.parent], choice, left)
        pairs.append(JointPair(choice, left))
    found_a, found_b = {pair.choice.a for pair in pairs}, {pair.choice.b for pair in pairs}
    return RobotMap(a, b, base, tuple(pairs), bodies, Y,
                    tuple(place for place in range(len(a.joints)) if place not in found_a),
                    tuple(place for place in range(len(b.joints)) if place not in found_b))


def _behind(a: Canonical, b: Canonical, frames: "Frames", by_a: Dict[int, Choice], choice: Choice, Y: Pose) -> float:
    """Return how well the body behind a joint, its frames, and the lines that it carries fit."""
    from .fit import Fit, frame_cost, inertia_cost, line_cost

    body, other = a.joints[choice.a].child, b.joints[choice.b].child
    lines = [line_cost(Y, a.joints[place], b.joints[by_a[place].b]) for place in a.below[body] if place in by_a]
    return Fit(sum(lines), inertia_cost(Y, a.bodies[body], b.bodies[other]),
               frame_cost(Y, frames.of(body, other))).total


def body_pose(b: Canonical, Y_parent: Pose, choice: Choice, left: Correction) -> Pose:
    """Return Y of the child: `exp(-S_B zero) shift(along) C Y_parent`; without C where the body stays."""
    joint = b.joints[choice.b]
    Y = Y_parent if choice.stays or left is NO_CORRECTION else after(left.pose, Y_parent)
    return after(motion_of(joint, -choice.zero), after(shifted(joint.axis, choice.along), Y))


class Bound(NamedTuple):
    """How far apart any point of paired bodies is at most, at all positions, and how far turned; and the worst body."""

    position: float
    angle: float
    body: str


def bound_of(robots: RobotMap) -> Optional[Bound]:
    """Return the bound for all positions; None where types of joints differ or joints are missing.

    The difference of the forward kinematics telescopes over the corrections, all else being isometries: a point of body
    i is off by at most the sum over the joints j before it of `across + |along| + 2 sin(turn / 2) r`, where r is the
    way from the anchor of j to that of i, with the strokes of slides, and on to the farthest point of the body. Where
    only the line is elsewhere and the body stays, exp(S q) is conjugated by C: twice as much.
    """
    a, b = robots.a, robots.b
    if robots.only_a or robots.only_b:
        return None
    # by body of B: sum of shifts, of turns, of 2 sin(turn / 2), of that times the way so far, way from the root
    sums: Dict[int, Tuple[float, float, float, float, float]] = {0: (0.0, 0.0, 0.0, 0.0, 0.0)}
    worst = Bound(0.0, 0.0, b.bodies[0].name)
    for pair in robots.pairs:
        joint, other = b.joints[pair.choice.b], a.joints[pair.choice.a]
        if joint.motion != other.motion:
            return None
        times = 2.0 if pair.choice.stays else 1.0
        moved, angles, turns, spent, way = sums[joint.parent]
        before = b.joints[b.bodies[joint.parent].joint].anchor if joint.parent else (0.0, 0.0, 0.0)
        turn = times * 2.0 * sin(0.5 * pair.correction.turn)
        way += norm(subtract(joint.anchor, before))
        spent += turn * way if turn else 0.0
        way += _stroke(robots, pair)
        sums[joint.child] = (moved + times * pair.correction.across + abs(pair.choice.along),
                             angles + times * pair.correction.turn, turns + turn, spent, way)
        moved, angles, turns, spent, way = sums[joint.child]
        off = moved + (turns * (way + reach(b, joint.child)) - spent if turns else 0.0)
        if off > worst.position:
            worst = Bound(off, max(worst.angle, angles), b.bodies[joint.child].name)
        elif angles > worst.angle:
            worst = worst._replace(angle=angles)
    return worst


def _stroke(robots: RobotMap, pair: JointPair) -> float:
    """Return how far a joint carries things from where it is drawn, in either file: FREE_STROKE without limits."""
    joint = robots.b.joints[pair.choice.b]
    if joint.motion in (TURNS, "ball"):
        return 0.0
    return max(abs(end - raw.reference) if end is not None and joint.motion == SLIDES else FREE_STROKE
               for raw in (joint.raw, robots.a.joints[pair.choice.a].raw)
               for end in map(within_reach, (raw.lower, raw.upper)))


def within_reach(value: Optional[float]) -> Optional[float]:
    """Return a bound; one of 1e9 and more is none: URDF demands efforts and velocities, and tools write that."""
    return None if value is None or abs(value) >= OUT_OF_REACH else value


def reach(robot: Canonical, body: int) -> float:
    """Return how far from the anchor of its joint a body has a frame, a center, a joint or a plain shape [m]."""
    joint = robot.joint_of(body)
    anchor = joint.anchor if joint is not None else (0.0, 0.0, 0.0)
    far = [0.0]
    for part in robot.bodies[body].parts:
        way = norm(subtract(part.T_root_link.translation, anchor))
        far.append(way)
        for shape in part.link.shapes:
            size = 0.0 if shape.geometry in ("mesh", "plane") else sum(abs(size) for size in shape.sizes)
            far.append(way + norm(shape.T_link_shape.translation) + size)
    mass = robot.bodies[body].mass
    far += [norm(subtract(robot.joints[place].anchor, anchor)) for place in robot.below[body]]
    return max(far + ([norm(subtract(mass.center, anchor))] if mass is not None else []))


def identity_choices(a: Canonical, b: Canonical) -> List[Choice]:
    """Return the choices by which joints of one name move alike: by name and child, else by name or child, once each.

    Positions are those that programs give, so a joint that is drawn elsewhere has a zero.
    """
    exact = {(joint.raw.name, joint.raw.child): place for place, joint in enumerate(b.joints)}
    by_child = {joint.raw.child: place for place, joint in enumerate(b.joints)}
    by_name: Dict[str, List[int]] = {}
    for place, joint in enumerate(b.joints):
        by_name.setdefault(joint.raw.name, []).append(place)
    used: Set[int] = set()
    choices = []
    for place, joint in enumerate(a.joints):
        same = exact.get((joint.raw.name, joint.raw.child), -1)
        likely = [same, *by_name.get(joint.raw.name, ()), by_child.get(joint.raw.child, -1)]
        partner = next((one for one in likely if one >= 0 and one not in used), None)
        if partner is not None:
            used.add(partner)
            choices.append(Choice(place, partner, 1.0, joint.raw.reference - b.joints[partner].raw.reference))
    return choices


def is_line(motion: str) -> bool:
    """Return True if one number is the position of such a joint."""
    return motion in (TURNS, SLIDES)
