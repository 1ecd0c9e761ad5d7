"""Where the root frame of A may be in that of B: candidates, the likeliest first."""
from itertools import permutations, product as combinations
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..robot.principal_axes import principal
from ..urdf.spatial import (
    add, cross, dot, IDENTITY_POSE, inverse, Matrix, norm, Pose, scale, subtract, transpose, Vector)
from ..verify.rigid_motion import composed, product, rotated
from .canonical import BodyMass, Joint, NamedFrame, SLIDES, TURNS
from .lines import foot, turn_onto

PARALLEL = 1e-3


class Seen(NamedTuple):
    """What shows how a root lies: pairs of lines, pairs of frames, and the masses of a body, A's first."""

    lines: Sequence[Tuple[Joint, Joint]]
    frames: Sequence[Tuple[NamedFrame, NamedFrame]]
    masses: Optional[Tuple[BodyMass, BodyMass]]


def base_candidates(seen: Seen) -> Iterator[Pose]:
    """Yield poses of A's root in B's: none, by frames, by axis turns, by lines, by a center and its moments."""
    yield IDENTITY_POSE
    for mark, partner in seen.frames[:3]:
        yield composed(partner.T_root_frame, inverse(mark.T_root_frame))
    moving = [(one, other) for one, other in seen.lines if one.motion in (TURNS, SLIDES) and one.motion == other.motion]
    lines = [(one, other) for one, other in moving if one.motion == TURNS]
    centers = (seen.masses[0].center, seen.masses[1].center) if seen.masses is not None else None
    for R in right_turns():
        yield Pose(R, (0.0, 0.0, 0.0))
        if centers is not None:
            yield _at(R, *centers)
        for one, other in lines[:1]:
            yield _on_line(R, one, other)
    for (one, other), (two, fourth) in list(zip(lines, lines[1:]))[:3] + list(zip(lines[:1], lines[2:3])):
        yield from _by_two(one, other, two, fourth, centers)
    if len(lines) < len(moving) > 1:
        yield from _by_directions(moving[0], moving[1], lines, centers)
    if seen.masses is not None:
        yield from _by_moments(*seen.masses)
    if len(lines) >= 3:
        yield from _by_points([(one.anchor, other.anchor) for one, other in lines[:3]])
    for one, other in lines[:2]:
        for sign in (1.0, -1.0):
            R, _ = turn_onto(scale(sign, one.axis), other.axis)
            yield _on_line(R, one, other)
            if centers is not None:
                yield _about_line(R, one, other, centers)


def right_turns() -> List[Matrix]:
    """Return the 24 rotations that lay axes on axes."""
    found = []
    for order in permutations(range(3)):
        for signs in combinations((1.0, -1.0), repeat=3):
            rows = [[signs[k] if order[k] == m else 0.0 for m in range(3)] for k in range(3)]
            R: Matrix = ((rows[0][0], rows[0][1], rows[0][2]), (rows[1][0], rows[1][1], rows[1][2]),
                         (rows[2][0], rows[2][1], rows[2][2]))
            if dot(cross(R[0], R[1]), R[2]) > 0.0:
                found.append(R)
    return found


def _at(R: Matrix, point: Vector, other: Vector) -> Pose:
    """Return the pose of rotation R that takes a point to another."""
    return Pose(R, subtract(other, rotated(R, point)))


def _on_line(R: Matrix, one: Joint, other: Joint) -> Pose:
    """Return the pose of rotation R that lays a line on another, with no shift along it."""
    anchor = rotated(R, one.anchor)
    return Pose(R, subtract(foot(anchor, other.anchor, other.axis), anchor))


def _about_line(R: Matrix, one: Joint, other: Joint, centers: Tuple[Vector, Vector]) -> Pose:
    """Return the pose that lays a line on another, and turns and shifts about it so that the centers meet as well."""
    offs = [subtract(rotated(R, subtract(centers[0], one.anchor)), (0.0, 0.0, 0.0)), subtract(centers[1], other.anchor)]
    flat = [subtract(off, scale(dot(off, other.axis), other.axis)) for off in offs]
    if min(map(norm, flat)) < 1e-4:
        return _on_line(R, one, other)
    turn, _ = turn_onto(scale(1.0 / norm(flat[0]), flat[0]), scale(1.0 / norm(flat[1]), flat[1]))
    R = product(turn, R)
    along = dot(offs[1], other.axis) - dot(rotated(turn, offs[0]), other.axis)
    return _at(R, one.anchor, add(other.anchor, scale(along, other.axis)))


def _by_two(one: Joint, other: Joint, two: Joint, fourth: Joint,
            centers: Optional[Tuple[Vector, Vector]]) -> Iterator[Pose]:
    """Yield poses by two pairs of lines, with either sense of each."""
    for sign, turn in combinations((1.0, -1.0), repeat=2):
        u, v = scale(sign, one.axis), scale(turn, two.axis)
        first, second = _triad(u, v), _triad(other.axis, fourth.axis)
        if first is not None and second is not None:
            R = product(transpose(second), first)
            yield _at(R, _meeting(one, two), _meeting(other, fourth))
        elif first is None and second is None:
            off = _across(subtract(two.anchor, one.anchor), one.axis)
            goal = _across(subtract(fourth.anchor, other.anchor), other.axis)
            first, second = _triad(u, off), _triad(other.axis, goal)
            if first is None or second is None:
                continue
            R = product(transpose(second), first)
            place = _on_line(R, one, other)
            if centers is not None:
                off = subtract(centers[1], add(rotated(R, centers[0]), place.translation))
                place = Pose(R, add(place.translation, scale(dot(off, other.axis), other.axis)))
            yield place


def _by_directions(first: Tuple[Joint, Joint], second: Tuple[Joint, Joint], lines: Sequence[Tuple[Joint, Joint]],
                   centers: Optional[Tuple[Vector, Vector]]) -> Iterator[Pose]:
    """Yield poses by two directions, of which one is a slide: the place is that of a center, or of a line."""
    for sign, turn in combinations((1.0, -1.0), repeat=2):
        triads = (_triad(scale(sign, first[0].axis), scale(turn, second[0].axis)),
                  _triad(first[1].axis, second[1].axis))
        if triads[0] is not None and triads[1] is not None:
            R = product(transpose(triads[1]), triads[0])
            yield Pose(R, (0.0, 0.0, 0.0))
            if centers is not None:
                yield _at(R, *centers)
            for one, other in lines[:1]:
                yield _on_line(R, one, other)


def _by_moments(a: BodyMass, b: BodyMass) -> Iterator[Pose]:
    """Yield the poses that lay principal axes on principal axes, and center on center."""
    axes, others = (transpose(principal(mass.tensor)[1])[::-1] for mass in (a, b))  # the largest moment first
    for sign, turn in combinations((1.0, -1.0), repeat=2):
        triads = _triad(scale(sign, axes[0]), scale(turn, axes[1])), _triad(others[0], others[1])
        if triads[0] is not None and triads[1] is not None:
            yield _at(product(transpose(triads[1]), triads[0]), a.center, b.center)


def _triad(u: Vector, v: Vector) -> Optional[Matrix]:
    """Return the axes u, across u and v, and the third as rows; None for parallel directions."""
    normal = cross(u, v)
    if norm(normal) < PARALLEL * max(norm(v), 1e-9):
        return None
    normal = scale(1.0 / norm(normal), normal)
    return (u, normal, cross(u, normal))


def _across(v: Vector, axis: Vector) -> Vector:
    return subtract(v, scale(dot(v, axis), axis))


def _meeting(one: Joint, two: Joint) -> Vector:
    """Return the middle of the common normal of two lines."""
    normal = cross(one.axis, two.axis)
    between, square = subtract(two.anchor, one.anchor), dot(normal, normal)
    first = add(one.anchor, scale(dot(cross(between, two.axis), normal) / square, one.axis))
    second = add(two.anchor, scale(dot(cross(between, one.axis), normal) / square, two.axis))
    return scale(0.5, add(first, second))


def _by_points(points: Sequence[Tuple[Vector, Vector]]) -> Iterator[Pose]:
    """Yield the pose by three pairs of points."""
    (p, q), (r, s), (t, u) = points
    sides = [(subtract(r, p), subtract(t, p)), (subtract(s, q), subtract(u, q))]
    if any(norm(side[0]) < 1e-4 for side in sides):
        return
    triads = [_triad(scale(1.0 / norm(side[0]), side[0]), side[1]) for side in sides]
    if triads[0] is not None and triads[1] is not None:
        yield _at(product(transpose(triads[1]), triads[0]), p, q)
