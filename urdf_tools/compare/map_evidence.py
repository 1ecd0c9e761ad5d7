"""The evidence of a map: names of joints that make them partners, the pose of the roots, and the source of each zero.

Three parts, one after the other: `pair_names` before a search, `base_candidates` for its poses, and `with_evidence` after
it. Names are equal, alike, or alike without the common prefix of a file; among the poses of A's root frame in B's, the
likeliest come first. A zero rests on lines, inertia, frames or limits; and other zeros may fit as well.
"""

from __future__ import annotations

import re
from itertools import permutations, product as combinations
from math import pi
from os.path import commonprefix
from typing import AbstractSet, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.number_text import grouped
from ..base.record_type import Record
from ..robot.rigid_bodies import BodyMass, is_empty, CanonicalJoint, SLIDES, TURNS
from ..robot.canonical_robot import CanonicalRobot, LINK
from ..robot.joint_motion import after, is_line, motion_of
from ..robot.principal_axes import principal
from ..urdf.spatial_math import (
    add,
    compose,
    cross,
    dot,
    IDENTITY_POSE,
    inverse,
    Matrix,
    multiply,
    norm,
    Transform,
    rotate,
    scale,
    subtract,
    transpose,
    UNIT_AXES,
    Vector,
    ZERO,
)
from .body_fit import frame_cost, FramePair, inertia_cost, line_cost, LinePair
from .joint_differences import range_of
from .difference_records import poses_apart
from .joint_lines import ANGLE, foot, LENGTH, rejection, slides_along, turn_onto
from .robot_map import FRAMES, INERTIA, JointPair, LIMITS, LINES, NONE, RobotMap
from .equally_placed_joints import EXACT, frame_of, have_one_name, zero_in_frames

FILLER = re.compile(
    r"joint|link|[\W_]+"
)  # parts of names that authors add or leave out, in lower case
ENOUGH = 0.5  # of the joints of the smaller robot: with fewer pairs, names do not decide which joints are welded


class MatchedJoints(Record):
    """Pairs of joints by their child links, and the joints held as drawn because the other robot has no partner.

    Child links identify joints, since names of joints may occur twice in a file, and a link has one parent joint.

    Attributes:
        pairs: the child link in B by the child link in A.
        welded_a, welded_b: the child links of the joints that are held.
    """

    pairs: Dict[str, str]
    welded_a: AbstractSet[str] = frozenset()
    welded_b: AbstractSet[str] = frozenset()


def pair_names(a: CanonicalRobot, b: CanonicalRobot, *, only_equal: bool = False) -> MatchedJoints:
    """Return pairs of joints, by child link: by names of joints first, then by names of their child links.

    `only_equal`: similar names do not pair.
    """
    joints_a = [joint.raw for joint in a.joints]
    joints_b = [joint.raw for joint in b.joints]
    tiers = (_same,) if only_equal else (_same, _folded, _without_prefix)
    pairs: Dict[str, str] = {}
    # The surest names first: a pair by equal names is never replaced by a pair of similar names.
    for key in ("name", "child"):
        names_a = [(getattr(joint, key), joint.child) for joint in joints_a]
        names_b = [(getattr(joint, key), joint.child) for joint in joints_b]
        for tier in tiers:
            paired_b = set(pairs.values())
            # Without the joints that have a partner already: a name may be unique among the rest.
            rest_a = [(name, child) for name, child in names_a if child not in pairs]
            rest_b = [(name, child) for name, child in names_b if child not in paired_b]
            _add_unique(pairs, tier(rest_a), tier(rest_b))
    # Two robots that share a few names by chance do not weld each other's joints.
    if not pairs or len(pairs) < ENOUGH * min(len(joints_a), len(joints_b)):
        return MatchedJoints(pairs)
    return MatchedJoints(pairs, _welded(a, b, set(pairs)), _welded(b, a, set(pairs.values())))


Named = Sequence[Tuple[str, str]]  # name, child link


def _same(names: Named) -> Named:
    """Return the names unchanged, so that only equal names pair."""
    return names


def _folded(names: Named) -> Named:
    """Return names in lower case, without `joint`, `link` and separators of words."""
    return [(FILLER.sub("", name.lower()), child) for name, child in names]


def _without_prefix(names: Named) -> Named:
    """Return folded names without their common beginning; a number stays whole."""
    folded = _folded(names)
    # The prefix of a single name is the whole name.
    if len(folded) < 2:
        return folded
    prefix = commonprefix([name for name, _ in folded])
    # `a10` and `a11` begin with `a1`, but its digit is a part of their numbers.
    prefix = prefix.rstrip("0123456789")
    return [(name[len(prefix) :], child) for name, child in folded]


def _add_unique(pairs: Dict[str, str], first: Named, second: Named) -> None:
    """Add to `pairs` the child links, A's first, of the names that occur once on both sides."""
    by_name = grouped(second)
    for name, children in grouped(first).items():
        others = by_name.get(name, [])
        # A name that either file has twice is no evidence, nor is a name that was only filler, as `joint`.
        if name and len(children) == len(others) == 1:
            pairs[children[0]] = others[0]


def _welded(robot: CanonicalRobot, other: CanonicalRobot, paired: Set[str]) -> AbstractSet[str]:
    """Return the child links of the joints of a robot that the other robot lacks, so that they are held as drawn.

    These have no partner, but a descendant that has one, or a child link that exists in the other file, where it does
    not move. `paired` are the child links of joints with a partner.
    """
    frames = {link.name for link in robot.raw.links if is_empty(link)}
    links_of_other = {link.name for link in other.raw.links}
    parents = {joint.child: joint.parent for joint in robot.raw.joints}
    carriers: Set[str] = set()
    for child in paired:
        # Up from a joint with a partner: all joints on the way carry it.
        link = parents.get(child, "")
        while link and link not in carriers:
            carriers.add(link)
            link = parents.get(link, "")

    welded = set()
    for joint in robot.joints:
        raw = joint.raw
        is_on_root = raw.parent not in parents
        # A floating joint on a root that is only a frame means that the base is free, which other files may express
        # without a joint.
        frees_base = raw.type == "floating" and is_on_root and raw.parent in frames
        if raw.child in paired or frees_base:
            continue
        if raw.child in carriers or raw.child in links_of_other:
            welded.add(raw.child)
    return frozenset(welded)


# Rad, or m for a slide: a motion to test whether anything shows it. A symmetric body hides a turn by 90 or 120 degrees, not by this.
ANY_TURN = 1.0
SEEN = 0.05  # the cost of 0.1 mm (`fit.gap` with LENGTH), from which on a motion is visible


def with_evidence(robots: RobotMap) -> RobotMap:
    """Return the map with the evidence for the base and for each zero; a joint without a zero keeps GIVEN."""
    pairs = []
    for pair in robots.pairs:
        if is_line(pair.a.motion):
            evidence, alternatives = _evidence(robots, pair)
            pair = pair._replace(
                evidence=evidence,
                alternatives=tuple(alternatives),
                reasons=tuple(_reasons(robots, pair)),
            )
        pairs.append(pair)
    return robots._replace(pairs=tuple(pairs), base_evidence=_base_evidence(robots))


def _reasons(robots: RobotMap, pair: JointPair) -> Iterator[str]:
    """Yield the reasons why equal positions are not the map of a joint, as keys of `words.REASONS`.

    Its name, its axis, and at most one reason for its zero.
    """
    choice = pair.choice
    if pair.a.raw.name != pair.b.raw.name:
        yield "name"
    if choice.sign < 0.0:
        yield "axis"
    if abs(pair.offset) <= EXACT:
        return
    if abs(choice.zero) <= EXACT:
        yield "drawn"  # alike as drawn, but at different positions
    elif zero_in_frames(robots.a, robots.b, choice.a, choice.b) > EXACT:
        yield "frames"  # the frames of the links are turned against each other
    else:
        yield "carried"  # the frames are in one place: the mass, shapes and joints on them are not


def _evidence(robots: RobotMap, pair: JointPair) -> Tuple[str, List[float]]:
    """Return the evidence for the zero of a joint, and the other zeros [rad, from as drawn] that fit as well.

    A feature of A is evidence if it would be elsewhere after a motion of the joint. The surest evidence comes first.
    """
    joint = pair.a
    robot = robots.a
    mapped = {mapped_pair.choice.a for mapped_pair in robots.pairs}
    held = _held(robot, joint)
    # Only joints with a partner in B can show the turn of the body.
    lines = [
        robot.joints[index]
        for body in held
        for index in robot.child_joints[body]
        if index in mapped
    ]
    turn = motion_of(joint, ANY_TURN)
    half_turn = motion_of(joint, pi)
    lines_show_turn = _lines_show(turn, lines)
    if lines_show_turn and _lines_show(half_turn, lines):
        return LINES, []
    # If lines leave half a turn open, the mass must exclude the half turn, else any turn.
    unseen = half_turn if lines_show_turn else turn
    bodies = [robot.bodies[number] for number in held]
    if any(inertia_cost(unseen, body, body) > SEEN for body in bodies):
        return INERTIA, []
    marks = [mark for mark in robot.frames if mark.body in held and mark.kind != LINK]
    if any(frame_cost(turn, [(mark, mark)]) > SEEN for mark in marks):
        return FRAMES, []
    # Lines determine the zero except for half a turn, and no other evidence decides: both fit.
    zeros_as_good: List[float] = []
    if lines_show_turn:
        zero = pair.choice.zero
        # Toward 0, so that the other zero is within half a turn as well.
        zeros_as_good.append(zero + pi if zero <= 0.0 else zero - pi)

    has_one_name = have_one_name(robots.a, robots.b, pair.choice.a, pair.choice.b)
    if has_one_name and _shown_by_links(robots, pair):
        return FRAMES, zeros_as_good
    # Only the limits are left: if both have two ends, the search has aligned their middles.
    have_both_ends = None not in range_of(joint.raw) and None not in range_of(pair.b.raw)
    if have_both_ends:
        return LIMITS, zeros_as_good
    return LINES if lines_show_turn else NONE, zeros_as_good


def _shown_by_links(robots: RobotMap, pair: JointPair) -> bool:
    """Return True if the frame of the link on a joint, by the map, coincides with the frame of its partner."""
    T_b_frame = after(robots.Y[pair.a.child], frame_of(robots.a, pair.a))
    off, angle = poses_apart(T_b_frame, frame_of(robots.b, pair.b))
    return off <= LENGTH and angle <= ANGLE


def _held(robot: CanonicalRobot, joint: CanonicalJoint) -> List[int]:
    """Return the child of a joint, and the bodies that also determine its zero, as in the search (`MapSearch._held`)."""
    bodies = [joint.child]
    # The list grows while it is walked, so the children of added bodies are walked, too.
    for body in bodies:
        is_bare = not robot.bodies[body].is_heavy
        below = [robot.joints[index] for index in robot.child_joints[body]]
        bodies += [
            each.child
            for each in below
            if not is_line(each.motion) or is_bare and slides_along(joint, each)
        ]
    return bodies


def _lines_show(turn: Transform, lines: Iterable[CanonicalJoint]) -> bool:
    """Return True if a line is elsewhere after a motion; a line that meets the axis at a right angle hides half a turn."""
    return any(
        line_cost(turn, line, line) > SEEN for line in lines if line.motion in (TURNS, SLIDES)
    )


def _base_evidence(robots: RobotMap) -> str:
    """Return the evidence for the turn of the base: two different lines, inertia, frames, or none."""
    mapped = {pair.choice.a for pair in robots.pairs}
    lines = [
        robots.a.joints[index]
        for index in robots.a.child_joints[0]
        if index in mapped and robots.a.joints[index].motion == TURNS
    ]
    # A single line leaves the turn about itself open; a second line that is not coaxial decides it.
    if lines and _lines_show(motion_of(lines[0], ANY_TURN), lines[1:]):
        return LINES
    # The mass of a fixed base never moves, so many files do not have it.
    root = robots.a.bodies[0]
    if root.is_heavy and "fixed" not in (robots.a.raw.base, robots.b.raw.base):
        return INERTIA
    # The identity needs no evidence: it is assumed.
    return NONE if robots.base == IDENTITY_POSE or not lines else FRAMES


PARALLEL = 1e-3  # the sine up to which two directions count as parallel: they leave a turn open
ON_LINE = 1e-4  # m: a center nearer to a line does not show a turn about it
FRAMES_TRIED = 3  # each frame of an equal name implies a whole pose, so more of them hardly add one
LINES_TRIED = 2  # of the lines that alone imply poses; one of them with each right turn
NEIGHBORS_TRIED = 3  # pairs of lines that follow each other in the file
# In the functions below, `centers` are the centers of mass of A's body and B's, each in the frame of its root.


class RootPoseEvidence(Record):
    """Evidence for the pose of A's root in B's.

    Attributes:
        lines: pairs of joints, A's first, whose lines the base lays on each other.
        frames: pairs of frames, A's first, that it lays on each other.
        masses: of a body of A and its partner in B, in the frames of the roots; None if either has no mass.
    """

    lines: Sequence[LinePair]
    frames: Sequence[FramePair]
    masses: Optional[Tuple[BodyMass, BodyMass]]


def base_candidates(seen: RootPoseEvidence) -> Iterator[Transform]:
    """Yield candidates of T_b_a of the roots, the likelier first, some of them several times.

    The identity, by frames, by right angles, by two lines, by moments of inertia, and by a single line with a center.
    """
    yield IDENTITY_POSE
    for mark, partner in seen.frames[:FRAMES_TRIED]:
        yield compose(partner.T_root_frame, inverse(mark.T_root_frame))
    moving = [
        (a, b)
        for a, b in seen.lines
        if a.motion in (TURNS, SLIDES, "planar") and a.motion == b.motion
    ]
    lines = [(a, b) for a, b in moving if a.motion == TURNS]
    centers = (seen.masses[0].center, seen.masses[1].center) if seen.masses is not None else None
    # Exporters often turn a base by right angles: a different axis to the front, or up.
    for R_b_a in right_turns():
        yield Transform(R_b_a, ZERO)
        if centers is not None:
            yield _at(R_b_a, *centers)
        for a, b in lines[:1]:
            yield _on_line(R_b_a, a, b)
            if centers is not None:
                yield _slid(_on_line(R_b_a, a, b), b.axis, centers)

    for (a, b), (a2, b2) in _in_twos(lines):
        yield from _by_two(a, b, a2, b2, centers)
    # Slides have a direction but no point, so they cannot be paired like lines.
    if len(lines) < len(moving):
        for first, second in _in_twos(moving):
            yield from _by_directions(first, second, lines, centers)
    if seen.masses is not None:
        yield from _by_moments(*seen.masses)
    for a, b in lines[:LINES_TRIED]:
        # Two authors may choose opposite senses of an axis.
        for sign in (1.0, -1.0):
            R_b_a, _ = turn_onto(scale(sign, a.axis), b.axis)
            yield _on_line(R_b_a, a, b)
            if centers is not None:
                yield _about_line(R_b_a, a, b, centers)


def _in_twos(
    pairs: Sequence[LinePair],
) -> List[Tuple[LinePair, LinePair]]:
    """Return likely combinations of two pairs of joints: neighbors, and the first with the third."""
    neighbors = list(zip(pairs, pairs[1:]))[:NEIGHBORS_TRIED]
    first_with_third = list(zip(pairs[:1], pairs[2:3]))
    return neighbors + first_with_third


def right_turns() -> Iterator[Matrix]:
    """Yield the 24 rotations that map axes onto axes."""
    for order in permutations(range(3)):
        for signs in combinations((1.0, -1.0), repeat=3):
            # Adding zero makes 0.0 of -0.0, which would reverse a half turn.
            x, y, z = (add(ZERO, scale(sign, UNIT_AXES[k])) for k, sign in zip(order, signs))
            R = x, y, z
            # Half of the 48 matrices mirror, with a determinant of -1.
            if dot(cross(R[0], R[1]), R[2]) > 0.0:
                yield R


def _at(R_b_a: Matrix, point: Vector, other: Vector) -> Transform:
    """Return the pose of a rotation that maps a point of A to a point of B."""
    return Transform(R_b_a, subtract(other, rotate(R_b_a, point)))


def _on_line(R_b_a: Matrix, a: CanonicalJoint, b: CanonicalJoint) -> Transform:
    """Return the pose of a rotation that lays a line of A on a line of B, without a shift along it.

    The rotation lays the axis on the axis already, in either sense.
    """
    anchor = rotate(R_b_a, a.anchor)
    return Transform(R_b_a, subtract(foot(anchor, b.anchor, b.axis), anchor))


def _slid(pose: Transform, axis: Vector, centers: Tuple[Vector, Vector]) -> Transform:
    """Return a pose that is shifted along an axis of B so that the centers are at the same height along it."""
    off = subtract(centers[1], add(rotate(pose.rotation, centers[0]), pose.translation))
    return pose._replace(translation=add(pose.translation, scale(dot(off, axis), axis)))


def _about_line(
    R_b_a: Matrix, a: CanonicalJoint, b: CanonicalJoint, centers: Tuple[Vector, Vector]
) -> Transform:
    """Return the pose that lays a line on another line, turned about it and shifted along it so that the centers meet.

    `R_b_a` lays the axis on the axis already. If a center lies on its line, the pose is neither turned nor shifted.
    """
    center_a, center_b = centers
    across_a = rejection(rotate(R_b_a, subtract(center_a, a.anchor)), b.axis)
    across_b = rejection(subtract(center_b, b.anchor), b.axis)
    if min(norm(across_a), norm(across_b)) < ON_LINE:
        return _on_line(R_b_a, a, b)
    turn, _ = turn_onto(
        scale(1.0 / norm(across_a), across_a), scale(1.0 / norm(across_b), across_b)
    )
    return _slid(_on_line(multiply(turn, R_b_a), a, b), b.axis, centers)


def _by_two(
    a: CanonicalJoint,
    b: CanonicalJoint,
    a2: CanonicalJoint,
    b2: CanonicalJoint,
    centers: Optional[Tuple[Vector, Vector]],
) -> Iterator[Transform]:
    """Yield poses by two pairs of lines, `a` on `b` and `a2` on `b2`, with both senses of each."""
    for R_b_a in _turns((a.axis, a2.axis), (b.axis, b2.axis)):
        yield _at(R_b_a, _meeting(a, a2), _meeting(b, b2))
    if _triad(a.axis, a2.axis) is None and _triad(b.axis, b2.axis) is None:
        # Parallel lines have a single direction: the vector between them is the second, and has one sense only.
        across_a = rejection(subtract(a2.anchor, a.anchor), a.axis)
        across_b = rejection(subtract(b2.anchor, b.anchor), b.axis)
        for R_b_a in _turns((a.axis, across_a), (b.axis, across_b), (1.0,)):
            pose = _on_line(R_b_a, a, b)
            # Parallel lines leave the shift along them open.
            yield _slid(pose, b.axis, centers) if centers is not None else pose


def _by_directions(
    first: LinePair,
    second: LinePair,
    lines: Sequence[LinePair],
    centers: Optional[Tuple[Vector, Vector]],
) -> Iterator[Transform]:
    """Yield poses by the directions of two pairs of joints, at least one of them prismatic or planar.

    The position is by the origins of the roots, by the centers, and by the first of `lines`.
    """
    (a_first, b_first), (a_second, b_second) = first, second
    for R_b_a in _turns((a_first.axis, a_second.axis), (b_first.axis, b_second.axis)):
        yield Transform(R_b_a, ZERO)
        if centers is not None:
            yield _at(R_b_a, *centers)
        for a, b in lines[:1]:
            yield _on_line(R_b_a, a, b)


def _by_moments(a: BodyMass, b: BodyMass) -> Iterator[Transform]:
    """Yield the poses that lay principal axes on principal axes, and center on center."""
    # `principal` returns the axes as columns, of growing moments: here the axis of the largest moment comes first.
    axes_a, axes_b = (transpose(principal(mass.tensor)[1])[::-1] for mass in (a, b))
    for R_b_a in _turns(axes_a[:2], axes_b[:2]):
        yield _at(R_b_a, a.center, b.center)


def _turns(
    directions: Sequence[Vector], others: Sequence[Vector], signs: Sequence[float] = (1.0, -1.0)
) -> Iterator[Matrix]:
    """Yield the rotations that lay two directions on two others: the first with both signs, the second with `signs`.

    The second direction comes only as near to its partner as the angle between both allows. Parallel directions yield
    nothing.
    """
    u, v = directions
    goal = _triad(*others)
    if goal is None:
        return
    for sign_of_u, sign_of_v in combinations((1.0, -1.0), signs):
        triad = _triad(scale(sign_of_u, u), scale(sign_of_v, v))
        if triad is not None:
            # The triad maps its directions to x, y and z, and the transposed goal maps these to the others.
            yield multiply(transpose(goal), triad)


def _triad(u: Vector, v: Vector) -> Optional[Matrix]:
    """Return three orthogonal axes as rows, for u of length 1: u, the normal of u and v, and their product.

    None for parallel directions, and for a v of no length.
    """
    normal = cross(u, v)
    # Relative to the length of v, which is a distance of lines in one case, but above the rounding of float64.
    if norm(normal) < PARALLEL * max(norm(v), 1e-9):
        return None
    normal = scale(1.0 / norm(normal), normal)
    return (u, normal, cross(u, normal))


def _meeting(line: CanonicalJoint, other: CanonicalJoint) -> Vector:
    """Return the middle of the common normal of two lines that are not parallel: the point where they meet, if they do."""
    normal = cross(line.axis, other.axis)
    between = subtract(other.anchor, line.anchor)
    square = dot(normal, normal)
    # The feet of the common normal on both lines; both axes have length 1.
    first = add(line.anchor, scale(dot(cross(between, other.axis), normal) / square, line.axis))
    second = add(other.anchor, scale(dot(cross(between, line.axis), normal) / square, other.axis))
    return scale(0.5, add(first, second))
