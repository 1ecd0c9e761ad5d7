"""Look for a position where two links touch: for a point well inside of both, or for triangles that cross.

From random positions the gap is followed down: along its gradient, as far as it would take to close it (Newton). Of a
mesh that is not convex that is the gap of the piece around it, and beyond it deeper and deeper.
"""
from math import fsum, sqrt
from random import Random
from typing import List, NamedTuple, Optional, Sequence, Tuple

from ..urdf.spatial import compose, inverse, move, Pose, Vector
from .cells import Axes, measured, Reached
from .chains import Chain, place, Variable
from .crossing import find_crossing, ShownTriangle
from .pieces import Piece, Shapes

STEPS = 14
DEEPER = 1e-3  # [m] beyond first contact, so that the contact is no matter of rounding
INSIDE = 1e-7  # [m] how far a point has to be inside
DECIMALS = 6  # of a position that is reported
FIRST_MARGIN = 1e-3  # [m] how deep inside a point is looked for first
VISITS = 20  # pairs of parts of meshes, which count as one step


class Witness(NamedTuple):
    """A pose in which two collisions of links touch.

    Attributes:
        first, second: the numbers of the collisions in their links.
        positions: of the variables of the chain.
        point: inside of both, seen from the body in the middle of the chain.
        triangles: that cross, at the point, where one of the shapes is a mesh that is not convex; None: the point is
            inside of both.
    """

    first: int
    second: int
    positions: Tuple[float, ...]
    point: Vector
    triangles: Optional[Tuple[ShownTriangle, ShownTriangle]] = None


def random_start(chain: Chain, seed: str) -> List[float]:
    """Return a random position within the limits, the same one for the same text."""
    generator = Random(seed)
    return [generator.uniform(one.low, one.high) for one in chain.variables]


def can_touch(first: Shapes, second: Shapes) -> bool:
    """Return True if there are collisions of two links of which a contact can be shown."""
    return bool(first.inside and second.inside or first.surfaces and second.surfaces)


def follow_down(chain: Chain, shapes: Sequence[Shapes], positions: Sequence[float]) -> Tuple[Optional[Witness], int]:
    """Return a witness by closing the gap from a position on, None where it stays open, and the steps that it took."""
    now = list(positions)
    slope: List[float] = []
    firsts, seconds = shapes[0].nearest, shapes[1].nearest
    visits, deeper = 0, DEEPER
    for step in range(STEPS):
        one, other = place(chain.first, now), place(chain.second, now)
        first, second = _nearest(one[0], other[0], firsts, seconds)
        near = measured(one, other, first, second)
        if near.distance <= 0.0:
            found, more = touch_of(chain, shapes, first, second, now)
            visits += more
            if found or not slope:
                return found, step + 1 + visits // VISITS
            missing, deeper = deeper, 2.0 * deeper if more else deeper
        else:
            slope = _slope(chain, near)
            missing = near.distance + DEEPER
        slope = [0.0 if at <= one.low and value > 0.0 or at >= one.high and value < 0.0 else value
                 for at, value, one in zip(now, slope, chain.variables)]  # the others have to close the gap
        square = fsum(value * value for value in slope)
        if square < 1e-12:
            return None, step + 1 + visits // VISITS
        moved = [min(max(at - missing * value / square, one.low), one.high)
                 for at, value, one in zip(now, slope, chain.variables)]
        if moved == now:
            return None, step + 1 + visits // VISITS
        now = moved
    return None, STEPS + visits // VISITS


def touch_at(chain: Chain, shapes: Sequence[Shapes], positions: Sequence[float]) -> Optional[Witness]:
    """Return the witness of a position, None where no contact is seen."""
    for first in shapes[0].nearest:
        for second in shapes[1].nearest:
            witness, _ = touch_of(chain, shapes, first, second, positions)
            if witness:
                return witness
    return None


def touch_of(chain: Chain, shapes: Sequence[Shapes], first: Piece, second: Piece, positions: Sequence[float]
             ) -> Tuple[Optional[Witness], int]:
    """Return the witness of two collisions at a position, None where no contact is seen, and how many parts of meshes
    were looked at.

    Two convex shapes touch where a point is well inside of both, others where triangles of them cross.
    """
    if first in shapes[0].inside and second in shapes[1].inside:
        return overlap_at(chain, first, second, positions), 0
    surfaces = [next((one for one in shape.surfaces if one.number == piece.number), None)
                for shape, piece in zip(shapes, (first, second))]
    rounded = _rounded(positions, chain.variables)
    one, other = place(chain.first, rounded), place(chain.second, rounded)
    if surfaces[0] is None or surfaces[1] is None or measured(one, other, first, second).distance > 0.0:
        return None, 0
    found, visits = find_crossing(surfaces[0], surfaces[1], compose(inverse(one[0]), other[0]))
    if found is None:
        return None, visits
    triangles = surfaces[0].shown(found[0]), surfaces[1].shown(found[1])
    return Witness(first.number, second.number, rounded, move(one[0], found[2]), triangles), visits


def overlap_at(chain: Chain, first: Piece, second: Piece, positions: Sequence[float]) -> Optional[Witness]:
    """Return the witness of a position, None where no point is well inside of both pieces."""
    rounded = _rounded(positions, chain.variables)
    T_first, T_second = place(chain.first, rounded)[0], place(chain.second, rounded)[0]
    near = measured((T_first, []), (T_second, []), first, second)
    if near.distance > 0.0:
        return None
    point = _common_point(T_first, T_second, first, second, near)
    return Witness(first.number, second.number, rounded, point) if point else None


def _rounded(positions: Sequence[float], variables: Sequence[Variable]) -> Tuple[float, ...]:
    """Return positions with few digits, inside the limits."""
    rounded = [round(at, DECIMALS) for at in positions]
    return tuple(value if one.low <= value <= one.high else at
                 for value, at, one in zip(rounded, positions, variables))


def _nearest(T_first: Pose, T_second: Pose, firsts: Sequence[Piece], seconds: Sequence[Piece]) -> Tuple[Piece, Piece]:
    """Return the two pieces whose balls are nearest."""
    if len(firsts) == len(seconds) == 1:
        return firsts[0], seconds[0]
    best = (float("inf"), firsts[0], seconds[0])
    there = [(move(T_second, piece.center), piece) for piece in seconds]
    for piece in firsts:
        x, y, z = move(T_first, piece.center)
        for (u, v, w), other in there:
            far = sqrt((x - u) * (x - u) + (y - v) * (y - v) + (z - w) * (z - w)) - piece.reach - other.reach
            if far < best[0]:
                best = far, piece, other
    return best[1], best[2]


def _slope(chain: Chain, near: Reached) -> List[float]:
    """Return the change of the distance with each variable: n.(a x r) of the nearest points."""
    slope = [0.0] * len(chain.variables)
    sides: Tuple[Tuple[Axes, Vector, float], ...] = (
        (near.first[1], near.on_first, 1.0), (near.second[1], near.on_second, -1.0))
    dx, dy, dz = (p - q for p, q in zip(near.on_first, near.on_second))
    length = sqrt(dx * dx + dy * dy + dz * dz) or 1.0
    n = (dx / length, dy / length, dz / length)
    for axes, (px, py, pz), sign in sides:
        for (ax, ay, az), (ox, oy, oz), step in axes:
            if step.slides:
                change = n[0] * ax + n[1] * ay + n[2] * az
            else:
                rx, ry, rz = px - ox, py - oy, pz - oz
                change = (n[0] * (ay * rz - az * ry) + n[1] * (az * rx - ax * rz) + n[2] * (ax * ry - ay * rx))
            slope[step.variable] += sign * step.factor * change
    return slope


def _common_point(T_first: Pose, T_second: Pose, first: Piece, second: Piece, near: Reached) -> Optional[Vector]:
    """Return a point that is inside of both pieces, as deep as is found."""
    point = tuple(0.5 * (p + q) for p, q in zip(near.on_first, near.on_second))
    margin = FIRST_MARGIN
    bounds = [(T_first, inverse(T_first), first), (T_second, inverse(T_second), second)]
    while margin > INSIDE:
        found = _moved_inside((point[0], point[1], point[2]), bounds, margin)
        if found:
            return found
        margin *= 0.1
    return None


def _moved_inside(point: Vector, bounds: Sequence[Tuple[Pose, Pose, Piece]], margin: float) -> Optional[Vector]:
    """Return a point inside of pieces by a margin: again and again beyond the plane that is violated most."""
    for _ in range(60):
        worst, push = 0.0, (0.0, 0.0, 0.0)
        for T, T_piece, piece in bounds:
            missing, direction = _outside_by(move(T_piece, point), piece)
            if missing + margin > worst:
                (a, b, c), (d, e, f), (g, h, i) = T.rotation
                x, y, z = direction
                worst, push = missing + margin, (a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)
        if worst <= 0.0:
            return point
        step = 1.05 * worst
        point = (point[0] - step * push[0], point[1] - step * push[1], point[2] - step * push[2])
    return None


def _outside_by(point: Vector, piece: Piece) -> Tuple[float, Vector]:
    """Return how far a point of the frame of the link is outside of a piece at most (negative: inside), and outward."""
    if not piece.planes:  # a ball, or the balls along a line
        a, b = piece.corners[0], piece.corners[-1]
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        square = ux * ux + uy * uy + uz * uz
        along = ((point[0] - a[0]) * ux + (point[1] - a[1]) * uy + (point[2] - a[2]) * uz) / square if square else 0.0
        along = min(max(along, 0.0), 1.0)
        x, y, z = (p - q - along * u for p, q, u in zip(point, a, (ux, uy, uz)))
        far = sqrt(x * x + y * y + z * z)
        return far - piece.radius, (x / far, y / far, z / far) if far else (1.0, 0.0, 0.0)
    best, normal = -float("inf"), (1.0, 0.0, 0.0)
    for (nx, ny, nz), level in piece.planes:
        height = nx * point[0] + ny * point[1] + nz * point[2] - level
        if height > best:
            best, normal = height, (nx, ny, nz)
    return best, normal

