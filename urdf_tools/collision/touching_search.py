"""The search for a position where two links touch: with a point well inside both, or with triangles that cross.

From random positions the gap is closed by Newton steps along its gradient. For a mesh that is not convex, this is the gap
of the piece around it, and the search continues deeper and deeper into that piece.
"""

from __future__ import annotations

from math import fsum, inf
from random import Random
from typing import List, Optional, Sequence, Tuple

from ..base.type_aliases import Reals
from ..base.record_type import Record
from ..meshes.verify_witnesses import distance
from ..urdf.spatial_math import (
    compose,
    cross,
    dot,
    inverse,
    move,
    norm,
    Transform,
    rotate,
    scale,
    subtract,
    Vector,
)
from .separating_planes import distance_at, piece_distance, PieceDistance
from .chain_between_links import KinematicChain, IndependentJoint
from .proof_geometry import Axes, placed
from .convex_distance import find_crossing, NearestPoints, ShownTriangle, TrianglesInLinkFrame
from .convex_pieces import RoundedHull, ConvexCollisions

STEPS = 14
DEEPER = 1e-3  # [m] the depth of a step beyond first contact, so that rounding does not matter
INSIDE = 1e-7  # [m] the least depth of a point inside
DECIMALS = 6  # of a reported position
FIRST_MARGIN = 1e-3  # [m] the depth at which a common point is searched first
VISITS = 20  # pairs of boxes of meshes that count as a step
# The square of a slope [m/rad or m/m] below which no joint changes the distance: no step can close the gap. A joint with
# a lever of 1 um, or less, would need a turn of more than 1 rad for each um of the gap.
FLAT = 1e-12


class TouchingPose(Record):
    """A pose in which two collisions of links touch.

    Attributes:
        first, second: the indices of the collisions in their links.
        positions: the positions of the variables of the chain [rad or m].
        point: a common point, in the frame of the body in the middle of the chain [m].
        triangles: two triangles that cross at the point, unless both shapes are convex; None: it is well inside both.
    """

    first: int
    second: int
    positions: Reals
    point: Vector
    triangles: Optional[Tuple[ShownTriangle, ShownTriangle]] = None


def random_start(chain: KinematicChain, seed: str) -> List[float]:
    """Return a random position within the limits; equal seeds give equal positions."""
    generator = Random(seed)
    return [generator.uniform(variable.low, variable.high) for variable in chain.variables]


def can_touch(first: ConvexCollisions, second: ConvexCollisions) -> bool:
    """Return True if a witness is possible for collisions of two links."""
    return bool(first.inside and second.inside or first.surfaces and second.surfaces)


def follow_down(
    chain: KinematicChain, shapes: Sequence[ConvexCollisions], positions: Sequence[float]
) -> Tuple[Optional[TouchingPose], int]:
    """Return a witness found by closing the gap between two links, or None, and the cost of the search in steps.

    The search starts at `positions` [rad or m], one for each variable of the chain; `shapes` are the collisions of the
    two links at the ends of the chain.
    """
    current = list(positions)
    slope: List[float] = []
    firsts = shapes[0].nearest
    seconds = shapes[1].nearest
    visits = 0
    deeper = DEEPER
    for step in range(STEPS):
        placed_first = placed(chain.first, current)
        placed_second = placed(chain.second, current)
        first, second = _nearest(placed_first[0], placed_second[0], firsts, seconds)
        gap = piece_distance(placed_first, placed_second, first, second)
        if gap.distance <= 0.0:
            witness, touch_visits = touch_of(chain, shapes, first, second, current)
            visits += touch_visits
            if witness or not slope:
                return witness, _cost(step + 1, visits)
            # The pieces meet, but not the meshes inside. The search goes on in the last direction, and farther each time
            # parts of the meshes were near.
            to_close = deeper
            deeper = 2.0 * deeper if touch_visits else deeper
        else:
            slope = _slope(chain, gap)
            to_close = gap.distance + DEEPER
        slope = _within_limits(slope, current, chain.variables)
        square = fsum(value * value for value in slope)
        if square < FLAT:
            return None, _cost(step + 1, visits)
        # A Newton step against the gradient, up to the limits.
        next_positions = [
            min(max(at - to_close * value / square, variable.low), variable.high)
            for at, value, variable in zip(current, slope, chain.variables)
        ]
        if next_positions == current:  # all are at limits
            return None, _cost(step + 1, visits)
        current = next_positions
    return None, _cost(STEPS, visits)


def _cost(steps: int, visits: int) -> int:
    """Return the cost of a search in steps, for steps and visited pairs of boxes of meshes."""
    return steps + visits // VISITS


def _within_limits(
    slope: Sequence[float], positions: Sequence[float], variables: Sequence[IndependentJoint]
) -> List[float]:
    """Return the slope with 0 for each joint that would pass its limit: the other joints must close the gap."""
    limited = list(slope)
    for k, (at, variable) in enumerate(zip(positions, variables)):
        is_past_low = at <= variable.low and slope[k] > 0.0
        is_past_high = at >= variable.high and slope[k] < 0.0
        if is_past_low or is_past_high:
            limited[k] = 0.0
    return limited


def touch_at(
    chain: KinematicChain, shapes: Sequence[ConvexCollisions], positions: Sequence[float]
) -> Optional[TouchingPose]:
    """Return the witness of a contact at a position, None if no contact is found."""
    for first in shapes[0].nearest:
        for second in shapes[1].nearest:
            witness, _ = touch_of(chain, shapes, first, second, positions)
            if witness:
                return witness
    return None


def touch_of(
    chain: KinematicChain,
    shapes: Sequence[ConvexCollisions],
    first: RoundedHull,
    second: RoundedHull,
    positions: Sequence[float],
) -> Tuple[Optional[TouchingPose], int]:
    """Return the witness of two collisions at a position, or None, and the number of examined pairs of boxes.

    Two convex shapes touch if a point is well inside both; other shapes touch if their triangles cross.
    """
    # The reported positions are rounded, so the contact is searched at the rounded positions.
    rounded = _rounded(positions, chain.variables)
    between = distance_at(chain, first, second, rounded)
    if between.distance > 0.0:
        return None, 0
    T_first = between.first[0]
    T_second = between.second[0]
    if first in shapes[0].inside and second in shapes[1].inside:
        point = _common_point(T_first, T_second, first, second, between.near)
        if point is None:
            return None, 0
        return TouchingPose(first.number, second.number, rounded, point), 0
    surface = _surface_of(first, shapes[0])
    other_surface = _surface_of(second, shapes[1])
    if surface is None or other_surface is None:
        return None, 0
    crossing, visits = find_crossing(surface, other_surface, compose(inverse(T_first), T_second))
    if crossing is None:
        return None, visits
    number, number_of_other, at = crossing
    witness = TouchingPose(
        first=first.number,
        second=second.number,
        positions=rounded,
        point=move(T_first, at),
        triangles=(surface.shown(number), other_surface.shown(number_of_other)),
    )
    return witness, visits


def _surface_of(piece: RoundedHull, shapes: ConvexCollisions) -> Optional[TrianglesInLinkFrame]:
    """Return the surface of the collision to which a piece belongs, None if it does not have a surface."""
    for surface in shapes.surfaces:
        if surface.number == piece.number:
            return surface
    return None


def _rounded(positions: Sequence[float], variables: Sequence[IndependentJoint]) -> Reals:
    """Return positions rounded to DECIMALS, except where rounding would exceed a limit."""
    rounded = []
    for at, variable in zip(positions, variables):
        value = round(at, DECIMALS)
        rounded.append(value if variable.low <= value <= variable.high else at)
    return tuple(rounded)


def _nearest(
    T_first: Transform,
    T_second: Transform,
    firsts: Sequence[RoundedHull],
    seconds: Sequence[RoundedHull],
) -> Tuple[RoundedHull, RoundedHull]:
    """Return the two pieces whose enclosing balls are nearest."""
    if len(firsts) == len(seconds) == 1:
        return firsts[0], seconds[0]
    best = (float("inf"), firsts[0], seconds[0])
    second_centers = [(move(T_second, piece.center), piece) for piece in seconds]
    for first_piece in firsts:
        first_center = move(T_first, first_piece.center)
        for center, second_piece in second_centers:
            gap = (
                distance(first_center, center) - first_piece.ball_radius - second_piece.ball_radius
            )
            if gap < best[0]:
                best = (gap, first_piece, second_piece)
    return best[1], best[2]


def _slope(chain: KinematicChain, gap: PieceDistance) -> List[float]:
    """Return the derivative of the distance with respect to each variable: n.(a x r) at the nearest points."""
    slope = [0.0] * len(chain.variables)
    near = gap.near
    sides: Tuple[Tuple[Axes, Vector, float], ...] = (
        (gap.first[1], near.on_first, 1.0),
        (gap.second[1], near.on_second, -1.0),
    )
    between = subtract(near.on_first, near.on_second)
    n = scale(1.0 / (norm(between) or 1.0), between)
    for axes, point, sign in sides:
        for axis, origin, step in axes:
            moved = axis if step.slides else cross(axis, subtract(point, origin))
            slope[step.variable] += sign * step.factor * dot(n, moved)
    return slope


def _common_point(
    T_first: Transform,
    T_second: Transform,
    first: RoundedHull,
    second: RoundedHull,
    near: NearestPoints,
) -> Optional[Vector]:
    """Return a point inside both pieces, by the largest margin for which the search succeeds; None if it fails."""
    point = tuple(0.5 * (p + q) for p, q in zip(near.on_first, near.on_second))
    margin = FIRST_MARGIN
    bounds = [(T_first, inverse(T_first), first), (T_second, inverse(T_second), second)]
    while margin > INSIDE:
        inner = _moved_inside((point[0], point[1], point[2]), bounds, margin)
        if inner:
            return inner
        margin *= 0.1
    return None


def _moved_inside(
    point: Vector, bounds: Sequence[Tuple[Transform, Transform, RoundedHull]], margin: float
) -> Optional[Vector]:
    """Return a point inside pieces by a margin [m], or None; it is moved repeatedly away from the most violated plane."""
    for _ in range(60):
        worst = 0.0
        push = (0.0, 0.0, 0.0)
        for T, T_piece, piece in bounds:
            missing, direction = _outside_by(move(T_piece, point), piece)
            if missing + margin > worst:
                worst = missing + margin
                push = rotate(T.rotation, direction)
        if worst <= 0.0:
            return point
        # A little farther than the plane, as exact projections only converge to the margin.
        point = subtract(point, scale(1.05 * worst, push))
    return None


def _outside_by(point: Vector, piece: RoundedHull) -> Tuple[float, Vector]:
    """Return the distance of a point outside a piece [m] (negative inside), and its direction, in the link's frame."""
    if not piece.planes:  # a sphere or a capsule
        return _outside_line_by(point, piece)
    highest = -inf
    normal = (1.0, 0.0, 0.0)
    for n, level in piece.planes:
        height = dot(n, point) - level
        if height > highest:
            highest = height
            normal = n
    return highest, normal


def _outside_line_by(point: Vector, piece: RoundedHull) -> Tuple[float, Vector]:
    """Return the distance of a point outside a sphere or capsule [m] (negative inside), and its direction."""
    start = piece.corners[0]
    line = subtract(piece.corners[-1], start)
    from_start = subtract(point, start)
    square = dot(line, line)
    along = min(max(dot(from_start, line) / square, 0.0), 1.0) if square else 0.0
    off = subtract(from_start, scale(along, line))
    far = norm(off)
    # For a point on the line itself, any direction will do.
    direction = scale(1.0 / far, off) if far else (1.0, 0.0, 0.0)
    return far - piece.radius, direction
