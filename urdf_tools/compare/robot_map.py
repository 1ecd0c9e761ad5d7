"""The map from a robot A to a robot B: a turn of the base, and for each pair of joints a sign and a zero."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Set, Tuple, TYPE_CHECKING

from ..base.exact_trigonometry import cosine_sine
from ..base.type_aliases import Reals, Texts
from ..base.number_text import grouped
from ..base.record_type import Record
from ..robot.rigid_bodies import CanonicalJoint, SLIDES, TURNS
from ..robot.canonical_robot import CanonicalRobot
from ..robot.joint_motion import after, motion_of, shifted
from ..robot.raw_robot import within_reach
from ..urdf.spatial_math import norm, subtract, Transform, ZERO
from .joint_lines import ANGLE, LineCorrection, correction, LENGTH, NO_CORRECTION

if TYPE_CHECKING:
    from .body_fit import FramePairs

LINES = "lines"
INERTIA = "inertia"
FRAMES = "frames"
LIMITS = "limits"
NONE = "none"
GIVEN = "given"
FREE_STROKE = 1.0  # m: the assumed stroke of a slide or a free joint without limits


class JointMapping(Record):
    """The choice for a pair of joints (indices in the canonical robots): q_b = sign q_a + zero, from the drawn pose.

    Attributes:
        along: shift of the body along the axis [m].
        stays: only the line differs; the child body stays in place.
    """

    a: int
    b: int
    sign: float = 1.0
    zero: float = 0.0
    along: float = 0.0
    stays: bool = False


class JointPair(Record):
    """A joint of A and its partner in B, the choice, and the correction that remains between the two lines.

    Attributes:
        evidence: the evidence for the zero: LINES, INERTIA, FRAMES, LIMITS, NONE, or GIVEN.
        reasons: the reasons why equal positions are not the map, for a searched map: words of `words.REASONS`.
        alternatives: other zeros [rad or m, from the drawn pose] that fit as well.
    """

    a: CanonicalJoint
    b: CanonicalJoint
    choice: JointMapping
    correction: LineCorrection = NO_CORRECTION
    evidence: str = GIVEN
    alternatives: Reals = ()
    reasons: Texts = ()

    @property
    def offset(self) -> float:
        """Return the offset of positions as programs give them: q_b = sign q_a + offset."""
        return self.choice.zero + self.b.raw.reference - self.choice.sign * self.a.raw.reference

    @property
    def others(self) -> "List[JointPair]":
        """Return the pair with each of the other zeros."""
        return [self._replace(choice=self.choice._replace(zero=zero)) for zero in self.alternatives]


class RobotMap(Record):
    """A map: Y of each paired body of A maps coordinates in A's root, in the drawn pose, to B's root.

    Attributes:
        a, b: the robots, from the chosen root, where joints without a partner may be held.
        base: T_b_a of the roots. pairs: each after its ancestors. bodies: B's by A's.
        only_a, only_b: indices of joints without a partner.
        ties: how many pairs of branches could change places. base_evidence: the evidence for the base.
    """

    a: CanonicalRobot
    b: CanonicalRobot
    base: Transform
    pairs: Tuple[JointPair, ...]
    bodies: Dict[int, int]
    Y: Dict[int, Transform]
    only_a: Tuple[int, ...] = ()
    only_b: Tuple[int, ...] = ()
    ties: int = 0
    base_evidence: str = GIVEN


def lay(
    a: CanonicalRobot, b: CanonicalRobot, base: Transform, choices: Sequence[JointMapping]
) -> RobotMap:
    """Return the map of the choices, in order from the root; a choice whose parents are not a pair is left out.

    If a line differs, its child body moved with it or stayed: the better fit counts, and is written into the choice.
    """
    bodies = {0: 0}  # B's body by A's body; 0 is the root of each
    Y = {0: base}  # by A's body
    frames: Optional[FramePairs] = None  # of equal name; computed only if a line differs
    pairs: List[JointPair] = []
    by_a = {choice.a: choice for choice in choices}
    for index, joint in enumerate(a.joints):
        choice = by_a.get(index)
        # A map typed by hand may pair joints on bodies that are not a pair.
        if choice is None or bodies.get(joint.parent, -1) != b.joints[choice.b].parent:
            continue
        other = b.joints[choice.b]
        Y_parent = Y[joint.parent]
        residual = correction(Y_parent, joint, other, choice.sign)
        bodies[joint.child] = other.child
        if residual.across > LENGTH or residual.turn > ANGLE:
            from .body_fit import common_frames

            frames = frames or common_frames(a, b)
            # The file may have moved this line alone, or the whole branch on it: both are tried.
            branch_moves = choice._replace(stays=False)
            line_moves = choice._replace(stays=True)
            Y_if_moved = body_pose(b, Y_parent, branch_moves, residual)
            Y_if_stayed = body_pose(b, Y_parent, line_moves, residual)
            cost_if_moved = _fit_of(a, b, frames, by_a, branch_moves, Y_if_moved)
            cost_if_stayed = _fit_of(a, b, frames, by_a, line_moves, Y_if_stayed)
            choice = line_moves if cost_if_stayed < cost_if_moved else branch_moves
        Y[joint.child] = body_pose(b, Y_parent, choice, residual)
        pairs.append(JointPair(joint, other, choice, residual))

    paired_a = {pair.choice.a for pair in pairs}
    paired_b = {pair.choice.b for pair in pairs}
    return RobotMap(
        a=a,
        b=b,
        base=base,
        pairs=tuple(pairs),
        bodies=bodies,
        Y=Y,
        only_a=tuple(index for index in range(len(a.joints)) if index not in paired_a),
        only_b=tuple(index for index in range(len(b.joints)) if index not in paired_b),
    )


def _fit_of(
    a: CanonicalRobot,
    b: CanonicalRobot,
    frames: "FramePairs",
    by_a: Dict[int, JointMapping],
    choice: JointMapping,
    Y: Transform,
) -> float:
    """Return the cost of the child body of a joint under a choice, with its frames and the lines of the joints on it.

    `by_a` has the choices of all pairs by the index in A, and Y is the place of the body under `choice`.
    """
    from .body_fit import body_cost

    body = a.joints[choice.a].child
    other = b.joints[choice.b].child
    lines = [
        (a.joints[index], b.joints[by_a[index].b])
        for index in a.child_joints[body]
        if index in by_a
    ]
    return body_cost(Y, a.bodies[body], b.bodies[other], frames.of(body, other), lines)


def body_pose(
    b: CanonicalRobot, Y_parent: Transform, choice: JointMapping, residual: LineCorrection
) -> Transform:
    """Return Y of the child: `exp(-S_B zero) shift(along) C Y_parent`; without C if the body stays."""
    joint = b.joints[choice.b]
    Y = Y_parent if choice.stays or residual is NO_CORRECTION else after(residual.pose, Y_parent)
    return after(motion_of(joint, -choice.zero), after(shifted(joint.axis, choice.along), Y))


class MotionDifferenceBound(Record):
    """The largest distance [m] and turn [rad] of any point of paired bodies, at all positions.

    `body` is the name of B's body with the largest distance; the largest turn may be at another body.
    """

    position: float
    angle: float
    body: str


def bound_of(robots: RobotMap) -> Optional[MotionDifferenceBound]:
    """Return the bound for all positions; None if types of joints differ or joints are missing.

    The difference of the forward kinematics telescopes over the corrections, all else being isometries: a point of body
    i is off by at most the sum over the joints j before it of `across +  along + 2 sin(turn / 2) r`, where r is the way
    from the anchor of j to the anchor of i, with the strokes of slides, and on to the farthest point of the body. If
    only the line is elsewhere and the body stays, exp(S q) is conjugated by C: twice as much.
    """
    b = robots.b
    # The descendants of a missing joint have no place in the other robot.
    if robots.only_a or robots.only_b:
        return None
    sums_of_body = {0: ChainSums()}  # by body of B
    worst = MotionDifferenceBound(0.0, 0.0, b.bodies[0].name)
    # Each pair comes after its ancestors, so the sums of its parent are known.
    for pair in robots.pairs:
        joint = b.joints[pair.choice.b]
        other = robots.a.joints[pair.choice.a]
        if joint.motion != other.motion:
            return None
        joint_before = b.joint_of(joint.parent)
        anchor_before = joint_before.anchor if joint_before is not None else ZERO
        way_to_joint = norm(subtract(joint.anchor, anchor_before))
        sums = _with_joint(sums_of_body[joint.parent], pair, way_to_joint)
        sums_of_body[joint.child] = sums

        off = sums.shifts
        if sums.turns:
            off += sums.turns * (sums.way + reach(b, joint.child)) - sums.spent
        if off > worst.position:
            # The largest angle may be at a different body: both bounds hold for all, but only one body is named.
            angle = max(worst.angle, sums.angles)
            worst = MotionDifferenceBound(off, angle, b.bodies[joint.child].name)
        elif sums.angles > worst.angle:
            worst = worst._replace(angle=sums.angles)
    return worst


class ChainSums(Record):
    """The sums over the joints from the root to a body that bound how far the body is off.

    A turn at a joint moves a body by at most the turn times the way from this joint to the body, which is the way to
    the body less the way to the joint: summed up, `turns * way - spent`.

    Attributes:
        shifts: of lines across, and of bodies along their axes [m].
        angles: of the turns between lines [rad].
        turns: of 2 sin(angle / 2): how far a turn moves a point at a distance of 1.
        spent: of each turn times the way to its joint [m].
        way: from anchor to anchor, with the strokes of slides [m].
    """

    shifts: float = 0.0
    angles: float = 0.0
    turns: float = 0.0
    spent: float = 0.0
    way: float = 0.0


def _with_joint(sums: ChainSums, pair: JointPair, way_to_joint: float) -> ChainSums:
    """Return the sums of the child body of a pair of joints, from the `sums` of the body that carries the joints.

    `way_to_joint` is the distance from the anchor before to the anchor of the joint [m].
    """
    # If the body stays, it is off by the shift of the line before the joint turns, and by the same on the way back.
    times = 2.0 if pair.choice.stays else 1.0
    turn = times * 2.0 * cosine_sine(0.5 * pair.correction.turn)[1]
    way = sums.way + way_to_joint
    spent = sums.spent
    if turn:
        spent += turn * way
    return ChainSums(
        shifts=sums.shifts + times * pair.correction.across + abs(pair.choice.along),
        angles=sums.angles + times * pair.correction.turn,
        turns=sums.turns + turn,
        spent=spent,
        # After the turn: a slide carries its descendants away from its own line.
        way=way + stroke(pair),
    )


def stroke(pair: JointPair) -> float:
    """Return how far a joint may carry its child from the drawn pose [m], in either file; FREE_STROKE without limits."""
    joint = pair.b
    # The anchor lies on the axis, so a turn does not move it.
    if joint.motion in (TURNS, "ball"):
        return 0.0
    return max(
        abs(end - raw.reference) if end is not None and joint.motion == SLIDES else FREE_STROKE
        for raw in (joint.raw, pair.a.raw)
        # In either file, so that the bound holds whichever of both limits applies.
        for end in map(within_reach, (raw.lower, raw.upper))
    )


def reach(robot: CanonicalRobot, body: int) -> float:
    """Return the largest distance [m] of a frame, center, joint or plain shape of a body from its joint's anchor."""
    joint = robot.joint_of(body)
    anchor = joint.anchor if joint is not None else (0.0, 0.0, 0.0)
    far = [0.0]
    for part in robot.bodies[body].parts:
        way = norm(subtract(part.T_root_link.translation, anchor))
        far.append(way)
        for shape in part.link.shapes:
            # Half a diagonal is less than the sum of the lengths. For a mesh only the origin is known here.
            size = (
                0.0
                if shape.geometry in ("mesh", "plane")
                else sum(abs(size) for size in shape.sizes)
            )
            far.append(way + norm(shape.T_link_shape.translation) + size)
    mass = robot.bodies[body].mass
    far += [
        norm(subtract(robot.joints[index].anchor, anchor)) for index in robot.child_joints[body]
    ]
    return max(far + ([norm(subtract(mass.center, anchor))] if mass is not None else []))


def identity_choices(a: CanonicalRobot, b: CanonicalRobot) -> List[JointMapping]:
    """Return choices with sign 1 for joints of equal name and child, else of equal name or child, each used once.

    Offsets of positions are 0, so a joint that is drawn at a different position has a zero.
    """
    exact = {(joint.raw.name, joint.raw.child): index for index, joint in enumerate(b.joints)}
    by_child = {joint.raw.child: index for index, joint in enumerate(b.joints)}
    by_name = grouped((joint.raw.name, index) for index, joint in enumerate(b.joints))
    # The likeliest first: CAD exports copies of a part with the same joint name, so the child decides.
    used: Set[int] = set()
    choices = []
    for index, joint in enumerate(a.joints):
        same = exact.get((joint.raw.name, joint.raw.child), -1)
        likely = [same, *by_name.get(joint.raw.name, ()), by_child.get(joint.raw.child, -1)]
        partner = next((k for k in likely if k >= 0 and k not in used), None)
        if partner is not None:
            used.add(partner)
            choices.append(
                JointMapping(
                    index, partner, 1.0, joint.raw.reference - b.joints[partner].raw.reference
                )
            )
    return choices
