"""Primitives around points: sizes from all points, rounded up, and the overhang of a primitive over a hull."""
from decimal import Context, Decimal, ROUND_CEILING
from math import sqrt
from typing import List, NamedTuple, Sequence, Tuple

from ..base.exact_trigonometry import cosine_sine, PI
from ..urdf.spatial import dot, move, Pose, rotate, subtract, transpose, Vector
from .distance import nearest_points
from ..meshes.hull import Point

PRIMITIVES = ("box", "cylinder", "capsule", "sphere")
GROWTH, MARGIN = 1.0 + 1e-12, 1e-9  # [m] of each size: more than the rounding errors of those who verify it
DIGITS = 9  # of a size as text, rounded up
DECIMALS = 9  # of a position, in meters
UP = Context(prec=DIGITS, rounding=ROUND_CEILING)
POLYGON = 32  # corners of the prism around a cylinder


class Primitive(NamedTuple):
    """A primitive in the frame of its link.

    Attributes:
        kind: one of PRIMITIVES.
        pose: T_link_primitive; z is the axis of a cylinder or a capsule.
        sizes: of a box x, y, z; of a sphere its radius; else the radius and the length (without the ends of a capsule)
            [m].
    """

    kind: str
    pose: Pose
    sizes: Tuple[float, ...]


def around(kind: str, pose: Pose, points: Sequence[Point], thinnest: float = 0.0) -> Primitive:
    """Return the least primitive with a pose around points, all in the frame of the link.

    `thinnest` is the least size of a box [m].
    """
    R_primitive_link = transpose(pose.rotation)
    local = [rotate(R_primitive_link, subtract(point, pose.translation)) for point in points]
    reach = max(max(map(abs, point)) for point in points) + max(map(abs, pose.translation))
    if kind == "box":
        sizes = [max(2.0 * max(abs(point[axis]) for point in local), thinnest) for axis in range(3)]
    elif kind == "sphere":
        sizes = [sqrt(max(dot(point, point) for point in local))]
    else:
        radius = sqrt(max(x * x + y * y for x, y, _ in local))
        sizes = [radius, 2.0 * max(abs(z) for _, _, z in local)] if kind == "cylinder" else _capsule_sizes(
            radius, local)
    return Primitive(kind, pose, tuple(rounded_up(size * GROWTH + MARGIN + 1e-12 * reach) for size in sizes))


def _capsule_sizes(least: float, local: Sequence[Point]) -> List[float]:
    """Return radius and length of the smallest of some capsules whose radius is at least that of the cylinder."""
    squares, heights = [x * x + y * y for x, y, _ in local], [abs(z) for _, _, z in local]
    best = (float("inf"), least, 0.0)
    for step in range(33):
        radius = least * (1.0 + 1e-9) + MARGIN + step / 32 * max(heights)
        half = max(0.0, max(height - sqrt(max(0.0, radius * radius - square))
                            for height, square in zip(heights, squares)))
        best = min(best, (radius * radius * (2.0 * half + 4.0 / 3.0 * radius), radius, 2.0 * half))
    return [best[1], best[2]]


def rounded_up(value: float) -> float:
    """Return the least number of DIGITS significant digits that is not below a positive value."""
    return float(UP.plus(Decimal(value)))


def bounding_points(primitive: Primitive) -> List[Point]:
    """Return corners of a polytope around a primitive, in the frame of the link: a box itself, else slightly larger."""
    kind, pose, sizes = primitive
    if kind == "box":
        x, y, z = (0.5 * size for size in sizes)
        local: List[Vector] = [(i * x, j * y, k * z) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    elif kind == "cylinder":
        radius, half = sizes[0] / cosine_sine(PI / POLYGON)[0], 0.5 * sizes[1]
        ring = [cosine_sine(2.0 * PI * k / POLYGON) for k in range(POLYGON)]
        local = [(radius * c, radius * s, z) for c, s in ring for z in (-half, half)]
    else:
        half = 0.5 * sizes[1] if kind == "capsule" else 0.0
        directions, inner = _ball()
        radius = sizes[0] / inner
        local = [(radius * x, radius * y, radius * z + (half if z > 0.0 else -half)) for x, y, z in directions]
        local += [(radius * x, radius * y, half) for x, y, z in directions if abs(z) < 1e-9]
    return [move(pose, point) for point in local]


def _ball() -> Tuple[List[Vector], float]:
    """Return points all over the unit sphere, and the radius of a ball in their hull."""
    rings = 12
    points: List[Vector] = [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
    for ring in range(1, rings):
        cosine, sine = cosine_sine(PI * ring / rings)
        points += [(sine * c, sine * s, cosine) for c, s in (cosine_sine(PI * k / rings) for k in range(2 * rings))]
    # A direction is within half a step of a ring and half a step along it, so within sqrt(2) / 2 steps of a point.
    return points, cosine_sine(0.7072 * PI / rings)[0]


def overhang(corners: Sequence[Point], hull: Sequence[Point]) -> float:
    """Return the overhang: an upper bound of the distance from the hull of corners to that of other points [m].

    The distance to a convex body is convex, so the largest is at a corner; each is that to a convex combination of
    `hull`, so it is never too small.
    """
    return max(nearest_points([corner], hull).distance for corner in corners)

