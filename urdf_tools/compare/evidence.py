"""The evidence of a map: names of joints that make them partners, the pose of the roots, and the source of each zero.

Names are equal, alike, or alike without the common prefix of a file; among the poses of A's root frame in B's, the
likeliest come first. A zero rests on lines, inertia, frames or limits; and other zeros may fit as well.
"""

from __future__ import annotations

import re
from itertools import permutations, product as combinations
from math import pi
from os.path import commonprefix
from typing import AbstractSet, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.number_text import grouped
from ..base.record import Record
from ..robot.canonical import (
    BodyMass,
    CanonicalRobot,
    is_empty,
    CanonicalJoint,
    LINK,
    SLIDES,
    TURNS,
)
from ..robot.motion import after, is_line, motion_of
from ..robot.principal_axes import principal
from ..urdf.spatial import (
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
from .fit import frame_cost, FramePair, inertia_cost, line_cost, LinePair
from .joint_differences import range_of
from .differences import poses_apart
from .lines import ANGLE, foot, LENGTH, rejection, slides_along, turn_onto
from .robot_map import FRAMES, INERTIA, JointPair, LIMITS, LINES, NONE, RobotMap
from .standing import EXACT, frame_of, have_one_name, zero_in_frames

FILLER = re.compile(r"joint|link|[\W_]+")
ENOUGH = 0.5  # of the joints of the smaller robot: with fewer pairs, names do not decide which joints are welded


class NamePairs(Record):
    """Pairs of joints by their child links, and the joints held as drawn because the other robot has no partner."""

    pairs: Dict[str, str]
    welded_a: AbstractSet[str] = frozenset()
    welded_b: AbstractSet[str] = frozenset()


def pair_names(a: CanonicalRobot, b: CanonicalRobot, *, only_equal: bool = False) -> NamePairs:
    """Return pairs of joints, by child link: by names of joints first, then by names of their child links."""
    first, second = ([joint.raw for joint in robot.joints] for robot in (a, b))
    pairs: Dict[str, str] = {}
    # The surest names first: a pair by equal names is never replaced by a pair of similar names.
    for key in ("name", "child"):
        names = [
            [(getattr(joint, key), joint.child) for joint in joints] for joints in (first, second)
        ]
        for tier in (_same, _folded, _without_prefix)[: 1 if only_equal else 3]:
            paired = set(pairs.values())
            _add_unique(
                pairs,
                tier([name for name in names[0] if name[1] not in pairs]),
                tier([name for name in names[1] if name[1] not in paired]),
            )
    # Two robots that share a few names by chance do not weld each other's joints.
    if len(pairs) < ENOUGH * min(len(first), len(second)) or not pairs:
        return NamePairs(pairs)
    return NamePairs(pairs, _welded(a, b, set(pairs)), _welded(b, a, set(pairs.values())))


Named = Sequence[Tuple[str, str]]  # name, child link


def _same(names: Named) -> Named:
    return names


def _folded(names: Named) -> Named:
    """Return names in lower case, without `joint`, `link` and separators of words."""
    return [(FILLER.sub("", name.lower()), child) for name, child in names]


def _without_prefix(names: Named) -> Named:
    """Return folded names without their common beginning; a number stays whole."""
    folded = _folded(names)
    prefix = (
        # `a10` and `a11` begin with `a1`, but its digit is a part of their numbers.
        commonprefix([name for name, _ in folded]).rstrip("0123456789") if len(folded) > 1 else ""
    )
    return [(name[len(prefix) :], child) for name, child in folded]


def _add_unique(pairs: Dict[str, str], first: Named, second: Named) -> None:
    """Add the pairs of names that occur once on both sides."""
    by_name = grouped(second)
    for name, children in grouped(first).items():
        others = by_name.get(name, [])
        # A name that either file has twice is no evidence, nor is a name that was only filler, as `joint`.
        if name and len(children) == len(others) == 1:
            pairs[children[0]] = others[0]


def _welded(robot: CanonicalRobot, other: CanonicalRobot, paired: Set[str]) -> AbstractSet[str]:
    """Return the child links of joints without a partner that have a descendant with a partner.

    Or whose child link exists in the other file, where it does not move. A floating joint on a root that is only a
    frame means that the base is free, which other files may express without a joint.
    """
    frames = {link.name for link in robot.raw.links if is_empty(link)}
    links = {link.name for link in other.raw.links}
    carriers: Set[str] = set()
    above = {joint.child: joint.parent for joint in robot.raw.joints}
    for child in paired:
        # Up from a joint with a partner: all joints on the way carry it.
        link = above.get(child, "")
        while link and link not in carriers:
            carriers.add(link)
            link = above.get(link, "")
    joints = [joint.raw for joint in robot.joints]
    return frozenset(
        joint.child
        for joint in joints
        if joint.child not in paired
        and (joint.child in carriers or joint.child in links)
        and not (joint.type == "floating" and joint.parent not in above and joint.parent in frames)
    )


ANY_TURN = 1.0  # rad: no body is symmetric under it; m for a slide
SEEN = 0.05  # the cost of 0.1 mm, from which on a motion is visible


def with_evidence(robots: RobotMap) -> RobotMap:
    """Return the map with the evidence for each zero."""
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
    """Yield the reasons why equal positions are not the map of a joint: its name, its axis, or its zero."""
    choice = pair.choice
    if pair.a.raw.name != pair.b.raw.name:
        yield "name"
    if choice.sign < 0.0:
        yield "axis"
    if abs(pair.offset) <= EXACT:
        return
    if abs(choice.zero) <= EXACT:
        yield "drawn"
    elif zero_in_frames(robots.a, robots.b, choice.a, choice.b) > EXACT:
        yield "frames"
    else:
        yield "carried"


def _evidence(robots: RobotMap, pair: JointPair) -> Tuple[str, List[float]]:
    """Return the evidence for the zero of a joint, and the other zeros that fit as well."""
    joint = pair.a
    robot = robots.a
    mapped = {other.choice.a for other in robots.pairs}
    held = _held(robot, joint)
    # Only joints with a partner in B can show the turn of the body.
    lines = [
        robot.joints[index]
        for body in held
        for index in robot.child_joints[body]
        if index in mapped
    ]
    turn, half_turn = motion_of(joint, ANY_TURN), motion_of(joint, pi)
    by_lines = _lines_show(turn, lines)
    if by_lines and _lines_show(half_turn, lines):
        return LINES, []
    # If lines leave half a turn open, the mass must exclude the half turn, else any turn.
    unseen = half_turn if by_lines else turn
    bodies = [robot.bodies[number] for number in held]
    if any(inertia_cost(unseen, body, body) > SEEN for body in bodies):
        return INERTIA, []
    marks = [mark for mark in robot.frames if mark.body in held and mark.kind != LINK]
    if any(frame_cost(turn, [(mark, mark)]) > SEEN for mark in marks):
        return FRAMES, []
    # Lines determine the zero except for half a turn, and no other evidence decides: both fit.
    others = (
        # Toward 0, so that the other zero is within half a turn as well.
        [pair.choice.zero + pi if pair.choice.zero <= 0.0 else pair.choice.zero - pi]
        if by_lines
        else []
    )

    if have_one_name(robots.a, robots.b, pair.choice.a, pair.choice.b) and _shown_by_links(
        robots, pair
    ):
        return FRAMES, others
    # Only the limits are left: if both have two ends, the search has aligned their middles.
    first, second = range_of(joint.raw), range_of(pair.b.raw)
    if None not in first and None not in second:
        return LIMITS, others
    return LINES if by_lines else NONE, others


def _shown_by_links(robots: RobotMap, pair: JointPair) -> bool:
    """Return True if the frame of the link on a joint, by the map, coincides with the frame of its partner."""
    here = after(robots.Y[pair.a.child], frame_of(robots.a, pair.a))
    off, angle = poses_apart(here, frame_of(robots.b, pair.b))
    return off <= LENGTH and angle <= ANGLE


def _held(robot: CanonicalRobot, joint: CanonicalJoint) -> List[int]:
    """Return the child of a joint, and the bodies that also determine its zero, as in the search."""
    bodies = [joint.child]
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
    """Return True if a line is elsewhere after a motion; a line straight across the axis does not show half a turn."""
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
    body = robots.a.bodies[0]
    if body.is_heavy and "fixed" not in (robots.a.raw.base, robots.b.raw.base):
        return INERTIA
    return NONE if robots.base == IDENTITY_POSE or not lines else FRAMES


PARALLEL = 1e-3  # the sine up to which two directions count as parallel: they leave a turn open


class RootEvidence(Record):
    """Evidence for the pose of a root: pairs of lines, pairs of frames, and the masses of a body, A's first."""

    lines: Sequence[LinePair]
    frames: Sequence[FramePair]
    masses: Optional[Tuple[BodyMass, BodyMass]]


def base_candidates(seen: RootEvidence) -> Iterator[Transform]:
    """Yield candidates of T_b_a of the roots: the identity, by frames, axis turns, lines, a center and its moments."""
    yield IDENTITY_POSE
    for mark, partner in seen.frames[:3]:
        yield compose(partner.T_root_frame, inverse(mark.T_root_frame))
    moving = [
        (a, b)
        for a, b in seen.lines
        if a.motion in (TURNS, SLIDES, "planar") and a.motion == b.motion
    ]
    lines = [(a, b) for a, b in moving if a.motion == TURNS]
    centers = (seen.masses[0].center, seen.masses[1].center) if seen.masses is not None else None
    # Exporters often turn a base by right angles: a different axis to the front, or up.
    for R in right_turns():
        yield Transform(R, ZERO)
        if centers is not None:
            yield _at(R, *centers)
        for a, b in lines[:1]:
            yield _on_line(R, a, b)
            if centers is not None:
                yield _slid(_on_line(R, a, b), b.axis, centers)

    for (a, b), (a2, b2) in _in_twos(lines):
        yield from _by_two(a, b, a2, b2, centers)
    # Slides have a direction but no point, so they cannot be paired like lines.
    if len(lines) < len(moving):
        for first, second in _in_twos(moving):
            yield from _by_directions(first, second, lines, centers)
    if seen.masses is not None:
        yield from _by_moments(*seen.masses)
    for a, b in lines[:2]:
        for sign in (1.0, -1.0):
            R, _ = turn_onto(scale(sign, a.axis), b.axis)
            yield _on_line(R, a, b)
            if centers is not None:
                yield _about_line(R, a, b, centers)


def _in_twos(
    pairs: Sequence[LinePair],
) -> List[Tuple[LinePair, LinePair]]:
    """Return likely combinations of two pairs of joints: neighbors, and the first with the third."""
    return list(zip(pairs, pairs[1:]))[:3] + list(zip(pairs[:1], pairs[2:3]))


def right_turns() -> Iterator[Matrix]:
    """Yield the 24 rotations that map axes onto axes."""
    for order in permutations(range(3)):
        for signs in combinations((1.0, -1.0), repeat=3):
            # Adding zero makes 0.0 of -0.0, which would reverse a half turn.
            x, y, z = (add(ZERO, scale(sign, UNIT_AXES[k])) for k, sign in zip(order, signs))
            R = x, y, z
            if dot(cross(R[0], R[1]), R[2]) > 0.0:
                yield R


def _at(R: Matrix, point: Vector, other: Vector) -> Transform:
    """Return the pose of rotation R that maps a point to another point."""
    return Transform(R, subtract(other, rotate(R, point)))


def _on_line(R: Matrix, a: CanonicalJoint, b: CanonicalJoint) -> Transform:
    """Return the pose of rotation R that lays a line on another line, without a shift along it."""
    anchor = rotate(R, a.anchor)
    return Transform(R, subtract(foot(anchor, b.anchor, b.axis), anchor))


def _slid(pose: Transform, axis: Vector, centers: Tuple[Vector, Vector]) -> Transform:
    """Return a pose that is shifted along an axis so that the centers meet along it."""
    off = subtract(centers[1], add(rotate(pose.rotation, centers[0]), pose.translation))
    return pose._replace(translation=add(pose.translation, scale(dot(off, axis), axis)))


def _about_line(
    R: Matrix, a: CanonicalJoint, b: CanonicalJoint, centers: Tuple[Vector, Vector]
) -> Transform:
    """Return the pose that lays a line on another line, turned about it and shifted along it so that the centers meet."""
    offs = rotate(R, subtract(centers[0], a.anchor)), subtract(centers[1], b.anchor)
    flat = [rejection(off, b.axis) for off in offs]
    # A center on the line does not show a turn about it.
    if min(map(norm, flat)) < 1e-4:
        return _on_line(R, a, b)
    turn, _ = turn_onto(scale(1.0 / norm(flat[0]), flat[0]), scale(1.0 / norm(flat[1]), flat[1]))
    return _slid(_on_line(multiply(turn, R), a, b), b.axis, centers)


def _by_two(
    a: CanonicalJoint,
    b: CanonicalJoint,
    a2: CanonicalJoint,
    b2: CanonicalJoint,
    centers: Optional[Tuple[Vector, Vector]],
) -> Iterator[Transform]:
    """Yield poses by two pairs of lines, with both signs of each."""
    for R in _turns((a.axis, a2.axis), (b.axis, b2.axis)):
        yield _at(R, _meeting(a, a2), _meeting(b, b2))
    if _triad(a.axis, a2.axis) is None and _triad(b.axis, b2.axis) is None:
        # Parallel lines have a single direction: the vector between them is the second.
        off, goal = (
            rejection(subtract(other.anchor, line.anchor), line.axis)
            for line, other in ((a, a2), (b, b2))
        )
        for R in _turns((a.axis, off), (b.axis, goal), (1.0,)):
            pose = _on_line(R, a, b)
            yield _slid(pose, b.axis, centers) if centers is not None else pose


def _by_directions(
    first: LinePair,
    second: LinePair,
    lines: Sequence[LinePair],
    centers: Optional[Tuple[Vector, Vector]],
) -> Iterator[Transform]:
    """Yield poses by two directions, at least one of a prismatic joint; the position is by a center, or a line."""
    for R in _turns((first[0].axis, second[0].axis), (first[1].axis, second[1].axis)):
        yield Transform(R, ZERO)
        if centers is not None:
            yield _at(R, *centers)
        for a, b in lines[:1]:
            yield _on_line(R, a, b)


def _by_moments(a: BodyMass, b: BodyMass) -> Iterator[Transform]:
    """Yield the poses that lay principal axes on principal axes, and center on center."""
    # The largest moment first.
    axes, others = (transpose(principal(mass.tensor)[1])[::-1] for mass in (a, b))
    for R in _turns(axes[:2], others[:2]):
        yield _at(R, a.center, b.center)


def _turns(
    directions: Sequence[Vector], others: Sequence[Vector], signs: Sequence[float] = (1.0, -1.0)
) -> Iterator[Matrix]:
    """Yield the rotations that lay two directions on two others: the first with both signs, the second with `signs`."""
    u, v = directions
    goal = _triad(*others)
    for sign, turn in combinations((1.0, -1.0), signs):
        triad = _triad(scale(sign, u), scale(turn, v))
        if triad is not None and goal is not None:
            # The triad maps its directions to x, y and z, and the transposed goal maps these to the others.
            yield multiply(transpose(goal), triad)


def _triad(u: Vector, v: Vector) -> Optional[Matrix]:
    """Return the axes u, across u and v, and the third as rows; None for parallel directions."""
    normal = cross(u, v)
    if norm(normal) < PARALLEL * max(norm(v), 1e-9):
        return None
    normal = scale(1.0 / norm(normal), normal)
    return (u, normal, cross(u, normal))


def _meeting(line: CanonicalJoint, other: CanonicalJoint) -> Vector:
    """Return the middle of the common normal of two lines."""
    normal = cross(line.axis, other.axis)
    between = subtract(other.anchor, line.anchor)
    square = dot(normal, normal)
    # The feet of the common normal on both lines; both axes have length 1.
    first = add(line.anchor, scale(dot(cross(between, other.axis), normal) / square, line.axis))
    second = add(other.anchor, scale(dot(cross(between, line.axis), normal) / square, other.axis))
    return scale(0.5, add(first, second))
