"""Proposals for the axes and centers of boxes, cylinders, capsules and spheres around a body.

This is a search for a small volume; `shapes.around` computes the sizes from all points, whatever frame is proposed. The
least circle or ball is found by adding the farthest point until no point is outside (LP-type problem).
"""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Callable, List, Sequence, Tuple

from ..base.type_aliases import Reals
from ..base.exact_trigonometry import cosine_sine
from ..base.record_type import Record
from ..meshes.convex_hull import Hull, Point
from ..meshes.verify_witnesses import middle_of, normal_of
from ..robot.principal_axes import principal
from ..urdf.spatial_math import (
    add,
    cross,
    dot,
    IDENTITY,
    Matrix,
    norm,
    rotate,
    scale,
    subtract,
    transpose,
    unit,
    UNIT_AXES,
    Vector,
)

FACETS_TRIED = 12
BOXES_IMPROVED = 3
# Steps of the compass search [rad].
FIRST_TURN = 0.1
LAST_TURN = 1e-4
CAPSULE_RADII = 13
Coordinates = Reals
MOST_STEPS = 200
OUTSIDE = 1e-12  # of the square of the radius: a point outside by less is on the ball


class PrimitivePose(Record):
    """The pose of a primitive: R_body_primitive, and its center in the frame of the body [m]."""

    rotation: Matrix
    center: Vector


def propose(kind: str, hull: Hull) -> List[PrimitivePose]:
    """Return frames for a box, cylinder, capsule or sphere around a hull, the best frame first.

    Except for spheres, they include frames with the axes of the body, which are the easiest to read.
    """
    if kind == "sphere":
        x, y, z = least_ball(hull.corners)[0]
        return [PrimitivePose(IDENTITY, (x, y, z))]
    boxes = _boxes(hull)
    aligned = centered(IDENTITY, hull.corners)
    if kind == "box":
        return [boxes[0], aligned]
    axes = [*UNIT_AXES, *transpose(_principal_axes(hull)), *(transpose(boxes[0].rotation))]
    size_of = _cylinder if kind == "cylinder" else _capsule
    upright = [size_of(axis, hull.corners)[1] for axis in UNIT_AXES]
    return [_best_axis(axes, hull.corners, size_of), *upright]


def frame_along(axis: Vector) -> Matrix:
    """Return a rotation whose z is along an axis: the identity for z, a quarter turn for x and y of the body."""
    z = unit(axis)
    # A primitive is the same about z and -z.
    if abs(z[2]) == 1.0:
        return IDENTITY
    # The cross product with an axis that is nearly parallel would be mostly rounding.
    beside = (0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (0.0, 0.0, 1.0)
    x = unit(cross(beside, z))
    return transpose((x, cross(z, x), z))


def _boxes(hull: Hull) -> List[PrimitivePose]:
    """Return the frames of the least boxes, sorted by volume: for each axis the least rectangle across it."""
    axes = [*UNIT_AXES, *transpose(_principal_axes(hull)), *_largest_facets(hull)]
    boxes = sorted((_box_across(axis, hull.corners) for axis in axes), key=lambda box: box[0])
    improved = [_turned_box(box, hull.corners) for box in boxes[:BOXES_IMPROVED]]
    return [frame for _, frame in sorted(improved, key=lambda box: box[0])]


def _turned_box(
    box: Tuple[float, PrimitivePose], points: Sequence[Point]
) -> Tuple[float, PrimitivePose]:
    """Return a box improved by the least rectangles across its axes, in turn."""
    for _ in range(4):
        others = [_box_across(axis, points) for axis in transpose(box[1].rotation)[:2]]
        best = min(others, key=lambda other: other[0])
        # A smaller gain is rounding, which would turn the box for nothing.
        if best[0] >= box[0] * (1.0 - 1e-9):
            break
        box = best
    return box


def _box_across(axis: Vector, points: Sequence[Point]) -> Tuple[float, PrimitivePose]:
    """Return the volume and the frame of the least box with an axis.

    A side of the least rectangle around an outline lies on one of its edges (Freeman and Shapira 1975).
    """
    R, flat, heights = _across(axis, points)
    x, y, z = transpose(R)
    best = float("inf")
    direction = (1.0, 0.0)
    outline = _outline(sorted(set(flat)))
    for (px, py), (qx, qy) in zip(outline, [*outline[1:], outline[0]]):
        length = sqrt((qx - px) * (qx - px) + (qy - py) * (qy - py))
        # An outline of one point, or of a line, has an edge without a direction.
        if not length:
            continue
        cx, cy = (qx - px) / length, (qy - py) / length
        along = [cx * u + cy * v for u, v in outline]
        across = [cx * v - cy * u for u, v in outline]
        area = (max(along) - min(along)) * (max(across) - min(across))
        if area < best:
            best = area
            direction = (cx, cy)
    cx, cy = direction
    R = transpose((add(scale(cx, x), scale(cy, y)), subtract(scale(cx, y), scale(cy, x)), z))
    return best * (max(heights) - min(heights)), centered(R, points)


def _outline(flat: Sequence[Tuple[float, float]]) -> List[Tuple[float, float]]:
    """Return the convex outline of sorted points of a plane (Andrew 1979)."""
    halves = []
    for ordered in (flat, flat[::-1]):
        half: List[Tuple[float, float]] = []
        for point in ordered:
            while (
                len(half) > 1
                and (
                    # The three points turn right, or are on a line: the middle point is not a corner.
                    (half[-1][0] - half[-2][0]) * (point[1] - half[-2][1])
                    - (half[-1][1] - half[-2][1]) * (point[0] - half[-2][0])
                )
                <= 0.0
            ):
                half.pop()
            half.append(point)
        halves.append(half[:-1])
    return [*halves[0], *halves[1]] or list(flat[:1])


def centered(R: Matrix, points: Sequence[Point]) -> PrimitivePose:
    """Return the pose with a rotation, centered in the middle of the points' box along its axes."""
    middle = []
    for axis in transpose(R):
        values = [dot(axis, point) for point in points]
        middle.append(0.5 * (min(values) + max(values)))
    x, y, z = middle
    return PrimitivePose(R, rotate(R, (x, y, z)))


Sized = Tuple[float, PrimitivePose]


def _cylinder(axis: Vector, points: Sequence[Point]) -> Sized:
    """Return the volume, divided by pi, and the frame of the least cylinder about an axis."""
    R, flat, heights = _across(axis, points)
    (u, v), radius = least_ball(flat)
    low = min(heights)
    high = max(heights)
    return radius * radius * (high - low), PrimitivePose(R, rotate(R, (u, v, 0.5 * (low + high))))


def _capsule(axis: Vector, points: Sequence[Point]) -> Sized:
    """Return the volume, divided by pi, and the frame of the least capsule about the center line of the least cylinder."""
    R, flat, heights = _across(axis, points)
    (u, v), least = least_ball(flat)
    squares = [(p - u) * (p - u) + (q - v) * (q - v) for p, q in flat]
    longest = 0.5 * (max(heights) - min(heights))
    best: Tuple[float, PrimitivePose] = (float("inf"), PrimitivePose(R, (0.0, 0.0, 0.0)))
    for step in range(CAPSULE_RADII):
        # The least radius is the cylinder's; larger radii make shorter capsules.
        radius = least * (1.0 + 1e-9) + step / CAPSULE_RADII * longest
        # Half the length of the line along the axis that is within the radius of each point.
        reaches = [sqrt(max(0.0, radius * radius - square)) for square in squares]
        low = min(height + reach for height, reach in zip(heights, reaches))
        high = max(max(height - reach for height, reach in zip(heights, reaches)), low)
        volume = radius * radius * (high - low + 4.0 / 3.0 * radius)
        if volume < best[0]:
            best = volume, PrimitivePose(R, rotate(R, (u, v, 0.5 * (low + high))))
    return best


def _across(
    axis: Vector, points: Sequence[Point]
) -> Tuple[Matrix, List[Tuple[float, float]], List[float]]:
    """Return a rotation with z along an axis, and the points in its axes: x and y, and the heights along z."""
    R = frame_along(axis)
    x, y, z = transpose(R)
    return (
        R,
        [(dot(x, point), dot(y, point)) for point in points],
        [dot(z, point) for point in points],
    )


def _best_axis(
    axes: Sequence[Vector],
    points: Sequence[Point],
    size_of: Callable[[Vector, Sequence[Point]], Sized],
) -> PrimitivePose:
    """Return the frame of the best axis, turned as long as that helps (compass search)."""
    (volume, frame), axis = min(
        ((size_of(axis, points), axis) for axis in axes), key=lambda candidate: candidate[0][0]
    )
    turn = FIRST_TURN
    while turn > LAST_TURN:
        x, y, _ = transpose(frame_along(axis))
        sine = cosine_sine(turn)[1]
        tried = []
        for way in (x, y, scale(-1.0, x), scale(-1.0, y)):
            other = unit(add(axis, scale(sine, way)))
            tried.append((size_of(other, points), other))
        (least, turned), other = min(tried, key=lambda candidate: candidate[0][0])
        # A gain of less than a millionth of the volume is not worth another step.
        if least < volume * (1.0 - 1e-6):
            volume = least
            frame = turned
            axis = other
        else:
            turn *= 0.5
    return frame


def _largest_facets(hull: Hull) -> List[Vector]:
    """Return the normals of the largest triangles of a hull, without nearly parallel ones."""
    # By area, then by direction: ties do not depend on the order of the triangles.
    normals = sorted(
        map(normal_of, hull.facets),
        key=lambda normal: (-norm(normal), normal),
    )
    chosen: List[Vector] = []
    for normal in normals:
        if (
            len(chosen) < FACETS_TRIED
            and norm(normal) > 0.0
            and all(abs(dot(unit(normal), other)) < 0.9999 for other in chosen)
        ):
            chosen.append(unit(normal))
    return chosen


def directions(surface: Hull, most: int, parallel: float) -> List[Vector]:
    """Return the axes of a body, then up to `most` normals of its largest triangles and principal axes.

    A direction is skipped if its cosine with an earlier direction is `parallel` or larger.
    """
    chosen = list(UNIT_AXES)
    for other in (*_largest_facets(surface), *transpose(_principal_axes(surface))):
        if len(chosen) < 3 + most and all(abs(dot(other, axis)) < parallel for axis in chosen):
            chosen.append(other)
    return chosen


def _principal_axes(hull: Hull) -> Matrix:
    """Return the rotation whose columns are the principal axes of the surface of a hull."""
    total = 0.0
    weighted = [0.0] * 3
    moments = [[0.0] * 3 for _ in range(3)]
    for facet in hull.facets:
        area = norm(normal_of(facet))
        middle = middle_of(facet)
        total += area
        for i in range(3):
            weighted[i] += area * middle[i]
            for j in range(3):
                moments[i][j] += area * middle[i] * middle[j]
    # The moments about the center are those about the origin, less the moments of the whole area at the center.
    if total:
        for i in range(3):
            for j in range(3):
                moments[i][j] -= weighted[i] * weighted[j] / total
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = moments
    return principal(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))[1]


def least_ball(points: Sequence[Coordinates]) -> Tuple[Coordinates, float]:
    """Return the center and the radius of the least ball around points of two or three coordinates.

    The radius grows in each step (Gaertner 1999), so the method ends. The returned radius is the distance of the
    farthest point, so the ball contains all points even if its center is inexact.
    """
    basis: List[Coordinates] = [points[0]]
    center = points[0]
    square = 0.0
    for _ in range(MOST_STEPS):
        squares = [_squared_distance(center, point) for point in points]
        largest = max(squares)
        farthest = points[squares.index(largest)]
        if largest <= square * (1.0 + OUTSIDE) or farthest in basis:
            break
        basis, center, square = _ball_of_few([*basis, farthest])
    return center, sqrt(max(_squared_distance(center, point) for point in points))


def _squared_distance(a: Coordinates, b: Coordinates) -> float:
    """Return the squared distance between two points."""
    square = 0.0
    for p, q in zip(a, b):
        square += (p - q) * (p - q)
    return square


def _ball_of_few(points: List[Coordinates]) -> Tuple[List[Coordinates], Coordinates, float]:
    """Return the least ball around a few points: the points that determine it, its center, and its squared radius."""
    balls: List[Tuple[float, List[Coordinates], Coordinates]] = []
    # Two points determine a ball, or at most one point more than the number of coordinates.
    for count in range(2, min(len(points), len(points[0]) + 1) + 1):
        for chosen in combinations(points, count):
            center = _center_through(chosen)
            if center is None:
                continue
            square = _squared_distance(center, chosen[0])
            # Points on the ball itself may be outside by rounding, which grows for points that are nearly in a plane: the
            # share is larger than OUTSIDE, and `least_ball` measures the radius again.
            if all(_squared_distance(center, point) <= square * (1.0 + 1e-10) for point in points):
                balls.append((square, list(chosen), center))
    if not balls:  # rounding errors: all points are nearly equal
        return points[-1:], points[-1], 0.0
    square, chosen_points, center = min(balls, key=lambda ball: ball[0])
    return chosen_points, center, square


def _center_through(points: Sequence[Coordinates]) -> "Coordinates | None":
    """Return the point equidistant from all points and in their plane or line, None if it does not exist."""
    start = points[0]
    edges = [tuple(q - p for p, q in zip(points[0], point)) for point in points[1:]]
    # The center start + sum w_k e_k has the same distance from each point: 2 e_j . sum w_k e_k = e_j . e_j.
    rows = [[2.0 * _dot(edge, other) for other in edges] + [_dot(edge, edge)] for edge in edges]
    for k in range(len(rows)):  # Gauss, with pivots
        pivot = max(range(k, len(rows)), key=lambda n: abs(rows[n][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        if abs(rows[k][k]) < 1e-300:
            return None
        for n in range(len(rows)):
            if n != k:
                factor = rows[n][k] / rows[k][k]
                rows[n] = [value - factor * other for value, other in zip(rows[n], rows[k])]
    if not all(row[k] for k, row in enumerate(rows)):  # a tiny pivot has vanished by rounding
        return None
    weights = [row[-1] / row[k] for k, row in enumerate(rows)]
    center = list(start)
    for weight, edge in zip(weights, edges):
        center = [value + weight * step for value, step in zip(center, edge)]
    return tuple(center)


def _dot(a: Coordinates, b: Coordinates) -> float:
    """Return the scalar product of vectors of two or three coordinates."""
    total = 0.0
    for p, q in zip(a, b):
        total += p * q
    return total
