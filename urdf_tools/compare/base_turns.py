"""Where the root frame of A may be in that of B: candidates, the likeliest first."""
from itertools import permutations, product as combinations
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..robot.canonical import BodyMass, Joint, NamedFrame, SLIDES, TURNS
from ..robot.principal_axes import principal
from ..urdf.spatial import (add, cross, dot, IDENTITY_POSE, inverse, Matrix, norm, Pose, scale, subtract, transpose,
                            Vector, ZERO)
from ..verify.rigid_motion import composed, product, rotated
from .lines import foot, rejection, turn_onto

PARALLEL = 1e-3


class Seen(NamedTuple):
    """What shows how a root lies: pairs of lines, pairs of frames, and the masses of a body, A's first."""

    lines: Sequence[Tuple[Joint, Joint]]
    frames: Sequence[Tuple[NamedFrame, NamedFrame]]
    masses: Optional[Tuple[BodyMass, BodyMass]]


def base_candidates(seen: Seen) -> Iterator[Pose]:
    """Yield candidates of T_b_a of the roots: the identity, by frames, axis turns, lines, a center and its moments."""
    yield IDENTITY_POSE
    for mark, partner in seen.frames[:3]:
        yield composed(partner.T_root_frame, inverse(mark.T_root_frame))
    moving = [(a, b) for a, b in seen.lines if a.motion in (TURNS, SLIDES, "planar") and a.motion == b.motion]
    lines = [(a, b) for a, b in moving if a.motion == TURNS]
    centers = (seen.masses[0].center, seen.masses[1].center) if seen.masses is not None else None
    for R in right_turns():
        yield Pose(R, ZERO)
        if centers is not None:
            yield _at(R, *centers)
        for a, b in lines[:1]:
            yield _on_line(R, a, b)
            if centers is not None:
                yield _slid(_on_line(R, a, b), b.axis, centers)
    for (a, b), (a2, b2) in _in_twos(lines):
        yield from _by_two(a, b, a2, b2, centers)
    if len(lines) < len(moving):  # slides have a direction but no point, so they cannot be paired like lines
        for first, second in _in_twos(moving):
            yield from _by_directions(first, second, lines, centers)
    if seen.masses is not None:
        yield from _by_moments(*seen.masses)
    if len(lines) >= 3:
        yield from _by_points([(a.anchor, b.anchor) for a, b in lines[:3]])
    for a, b in lines[:2]:
        for sign in (1.0, -1.0):
            R, _ = turn_onto(scale(sign, a.axis), b.axis)
            yield _on_line(R, a, b)
            if centers is not None:
                yield _about_line(R, a, b, centers)


def _in_twos(pairs: Sequence[Tuple[Joint, Joint]]) -> List[Tuple[Tuple[Joint, Joint], Tuple[Joint, Joint]]]:
    """Return the likely twos of pairs of joints: neighbors, and the first with the third."""
    return list(zip(pairs, pairs[1:]))[:3] + list(zip(pairs[:1], pairs[2:3]))


def right_turns() -> Iterator[Matrix]:
    """Yield the 24 rotations that map axes onto axes."""
    for order in permutations(range(3)):
        for signs in combinations((1.0, -1.0), repeat=3):
            rows = [[signs[k] if order[k] == m else 0.0 for m in range(3)] for k in range(3)]
            R: Matrix = ((rows[0][0], rows[0][1], rows[0][2]), (rows[1][0], rows[1][1], rows[1][2]),
                         (rows[2][0], rows[2][1], rows[2][2]))
            if dot(cross(R[0], R[1]), R[2]) > 0.0:
                yield R


def _at(R: Matrix, point: Vector, other: Vector) -> Pose:
    """Return the pose of rotation R that takes a point to another."""
    return Pose(R, subtract(other, rotated(R, point)))


def _on_line(R: Matrix, a: Joint, b: Joint) -> Pose:
    """Return the pose of rotation R that lays a line on another, with no shift along it."""
    anchor = rotated(R, a.anchor)
    return Pose(R, subtract(foot(anchor, b.anchor, b.axis), anchor))


def _slid(pose: Pose, axis: Vector, centers: Tuple[Vector, Vector]) -> Pose:
    """Return a pose that is shifted along an axis so that the centers meet along it."""
    off = subtract(centers[1], add(rotated(pose.rotation, centers[0]), pose.translation))
    return pose._replace(translation=add(pose.translation, scale(dot(off, axis), axis)))


def _about_line(R: Matrix, a: Joint, b: Joint, centers: Tuple[Vector, Vector]) -> Pose:
    """Return the pose that lays a line on another, turned about and shifted along it so that the centers meet."""
    offs = rotated(R, subtract(centers[0], a.anchor)), subtract(centers[1], b.anchor)
    flat = [rejection(off, b.axis) for off in offs]
    if min(map(norm, flat)) < 1e-4:
        return _on_line(R, a, b)
    turn, _ = turn_onto(scale(1.0 / norm(flat[0]), flat[0]), scale(1.0 / norm(flat[1]), flat[1]))
    return _slid(_on_line(product(turn, R), a, b), b.axis, centers)


def _by_two(a: Joint, b: Joint, a2: Joint, b2: Joint,
            centers: Optional[Tuple[Vector, Vector]]) -> Iterator[Pose]:
    """Yield poses by two pairs of lines, with both signs of each."""
    for R in _turns((a.axis, a2.axis), (b.axis, b2.axis)):
        yield _at(R, _meeting(a, a2), _meeting(b, b2))
    if _triad(a.axis, a2.axis) is None and _triad(b.axis, b2.axis) is None:
        off, goal = (rejection(subtract(other.anchor, line.anchor), line.axis) for line, other in ((a, a2), (b, b2)))
        for R in _turns((a.axis, off), (b.axis, goal), (1.0,)):
            pose = _on_line(R, a, b)
            yield _slid(pose, b.axis, centers) if centers is not None else pose


def _by_directions(first: Tuple[Joint, Joint], second: Tuple[Joint, Joint], lines: Sequence[Tuple[Joint, Joint]],
                   centers: Optional[Tuple[Vector, Vector]]) -> Iterator[Pose]:
    """Yield poses by two directions, at least one of a prismatic joint; the position is by a center, or a line."""
    for R in _turns((first[0].axis, second[0].axis), (first[1].axis, second[1].axis)):
        yield Pose(R, ZERO)
        if centers is not None:
            yield _at(R, *centers)
        for a, b in lines[:1]:
            yield _on_line(R, a, b)


def _by_moments(a: BodyMass, b: BodyMass) -> Iterator[Pose]:
    """Yield the poses that lay principal axes on principal axes, and center on center."""
    axes, others = (transpose(principal(mass.tensor)[1])[::-1] for mass in (a, b))  # the largest moment first
    for R in _turns(axes[:2], others[:2]):
        yield _at(R, a.center, b.center)


def _turns(directions: Sequence[Vector], others: Sequence[Vector], signs: Sequence[float] = (1.0, -1.0)
           ) -> Iterator[Matrix]:
    """Yield the rotations that lay two directions on two others: the first with both signs, the second with `signs`."""
    u, v = directions
    goal = _triad(*others)
    for sign, turn in combinations((1.0, -1.0), signs):
        triad = _triad(scale(sign, u), scale(turn, v))
        if triad is not None and goal is not None:
            yield product(transpose(goal), triad)


def _triad(u: Vector, v: Vector) -> Optional[Matrix]:
    """Return the axes u, across u and v, and the third as rows; None for parallel directions."""
    normal = cross(u, v)
    if norm(normal) < PARALLEL * max(norm(v), 1e-9):
        return None
    normal = scale(1.0 / norm(normal), normal)
    return (u, normal, cross(u, normal))


def _meeting(line: Joint, other: Joint) -> Vector:
    """Return the middle of the common normal of two lines."""
    normal = cross(line.axis, other.axis)
    between, square = subtract(other.anchor, line.anchor), dot(normal, normal)
    first = add(line.anchor, scale(dot(cross(between, other.axis), normal) / square, line.axis))
    second = add(other.anchor, scale(dot(cross(between, line.axis), normal) / square, other.axis))
    return scale(0.5, add(first, second))


def _by_points(points: Sequence[Tuple[Vector, Vector]]) -> Iterator[Pose]:
    """Yield the pose by three pairs of points."""
    (p, q), (r, s), (t, u) = points
    sides = [(subtract(r, p), subtract(t, p)), (subtract(s, q), subtract(u, q))]
    if any(norm(side[0]) < 1e-4 for side in sides):
        return
    first, second = (_triad(scale(1.0 / norm(side[0]), side[0]), side[1]) for side in sides)
    if first is not None and second is not None:
        yield _at(product(transpose(second), first), p, q)
