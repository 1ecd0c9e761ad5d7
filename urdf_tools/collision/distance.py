"""The distance of two convex bodies (Gilbert, Johnson and Keerthi 1988).

The results are bounds also if the iteration has not converged: the distance of two points that are convex combinations
of corners is never too small, and the gap along a direction, over all corners, is never too large.
"""
from math import sqrt
from typing import List, NamedTuple, Sequence, Tuple

Point = Tuple[float, float, float]
Rows = Tuple[Point, Point, Point]

MOST_STEPS = 60
CONVERGED = 1e-13  # of the square of the distance
SAME = 1e-26  # [m^2] below it, the bodies meet


class Nearest(NamedTuple):
    """The nearest points of two bodies, up to the accuracy of the iteration.

    Attributes:
        distance: an upper bound of the distance of the bodies [m]; 0.0 if they meet.
        gap: a lower bound of their distance [m]; not positive if they are not known to be apart.
        normal: the unit vector of the gap, from the second body to the first.
        on_first, on_second: the points.
    """

    distance: float
    gap: float
    normal: Point
    on_first: Point
    on_second: Point


Entry = Tuple[Point, Point, Point]  # a corner of the difference, and those of the first and second body


def nearest_points(first: Sequence[Point], second: Sequence[Point]) -> Nearest:
    """Return the nearest points of the hulls of two sets of points, given in one frame."""
    (ax, ay, az), (bx, by, bz) = first[0], second[0]
    simplex: List[Entry] = [((ax - bx, ay - by, az - bz), first[0], second[0])]
    v, weights = simplex[0][0], [1.0]
    best_gap, best_normal = -1.0, (1.0, 0.0, 0.0)
    for _ in range(MOST_STEPS):
        vx, vy, vz = v
        square = vx * vx + vy * vy + vz * vz
        if square <= SAME:
            break
        low = [vx * x + vy * y + vz * z for x, y, z in first]
        high = [vx * x + vy * y + vz * z for x, y, z in second]
        least, most = min(low), max(high)
        length = sqrt(square)
        if (least - most) / length > best_gap:
            best_gap, best_normal = (least - most) / length, (vx / length, vy / length, vz / length)
        if square - (least - most) <= CONVERGED * square:
            break
        a, b = first[low.index(least)], second[high.index(most)]
        w = (a[0] - b[0], a[1] - b[1], a[2] - b[2])
        if any(w == entry[0] for entry in simplex):
            break
        simplex.append((w, a, b))
        v, weights, kept = _nearest_of([entry[0] for entry in simplex])
        simplex = [simplex[k] for k in kept]
        if len(kept) == 4:  # the origin is inside
            v = (0.0, 0.0, 0.0)
            break
    on_first = _mixed(weights, [entry[1] for entry in simplex])
    on_second = _mixed(weights, [entry[2] for entry in simplex])
    dx, dy, dz = (p - q for p, q in zip(on_first, on_second))
    distance = sqrt(dx * dx + dy * dy + dz * dz) if v != (0.0, 0.0, 0.0) else 0.0
    return Nearest(distance, best_gap, best_normal, on_first, on_second)


def _mixed(weights: Sequence[float], points: Sequence[Point]) -> Point:
    x = y = z = 0.0
    for weight, (px, py, pz) in zip(weights, points):
        x, y, z = x + weight * px, y + weight * py, z + weight * pz
    return x, y, z


Found = Tuple[Point, List[float], List[int]]  # the nearest point to the origin, its weights, the numbers of the corners


def _nearest_of(points: List[Point]) -> Found:
    """Return the point of a simplex that is nearest to the origin, as a combination of as few corners as needed."""
    if len(points) == 2:
        return _on_segment(points, 0, 1)
    if len(points) == 3:
        return _on_triangle(points, 0, 1, 2)
    return _in_tetrahedron(points)


def _on_segment(points: List[Point], i: int, j: int) -> Found:
    (ax, ay, az), (bx, by, bz) = points[i], points[j]
    dx, dy, dz = bx - ax, by - ay, bz - az
    along, square = -(ax * dx + ay * dy + az * dz), dx * dx + dy * dy + dz * dz
    if along <= 0.0 or square == 0.0:
        return points[i], [1.0], [i]
    if along >= square:
        return points[j], [1.0], [j]
    t = along / square
    return (ax + t * dx, ay + t * dy, az + t * dz), [1.0 - t, t], [i, j]


def _on_triangle(points: List[Point], i: int, j: int, k: int) -> Found:
    """Return the nearest point of a triangle: inside it, else on the nearest of its edges."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = points[i], points[j], points[k]
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    square = nx * nx + ny * ny + nz * nz
    if square > 0.0:
        # Weights of the foot of the origin in the plane, times the square.
        wc = -((uy * az - uz * ay) * nx + (uz * ax - ux * az) * ny + (ux * ay - uy * ax) * nz)
        wb = -((ay * vz - az * vy) * nx + (az * vx - ax * vz) * ny + (ax * vy - ay * vx) * nz)
        wa = square - wb - wc
        if wa > 0.0 and wb > 0.0 and wc > 0.0:
            t = (nx * ax + ny * ay + nz * az) / square
            return (t * nx, t * ny, t * nz), [wa / square, wb / square, wc / square], [i, j, k]
    return min((_on_segment(points, i, j), _on_segment(points, j, k), _on_segment(points, i, k)), key=_square)


def _square(nearest: Found) -> float:
    x, y, z = nearest[0]
    return x * x + y * y + z * z


def _in_tetrahedron(points: List[Point]) -> Found:
    """Return the nearest point of a tetrahedron: the origin if it is inside, else on a facet below it."""
    candidates: List[Found] = []
    for i, j, k, other in ((0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 3, 1), (1, 2, 3, 0)):
        (ax, ay, az), (bx, by, bz), (cx, cy, cz), (ox, oy, oz) = (points[n] for n in (i, j, k, other))
        ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        height = nx * (ox - ax) + ny * (oy - ay) + nz * (oz - az)
        origin = -(nx * ax + ny * ay + nz * az)
        if height * origin <= 0.0:
            candidates.append(_on_triangle(points, i, j, k))
    if not candidates:
        return (0.0, 0.0, 0.0), _weights_of_origin(points), [0, 1, 2, 3]
    return min(candidates, key=_square)


def _weights_of_origin(points: List[Point]) -> List[float]:
    """Return the barycentric coordinates of the origin in a tetrahedron: the volumes opposite to its corners."""
    volumes = [abs(_determinant(*(points[k] for k in rest)))
               for rest in ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))]
    whole = volumes[0] + volumes[1] + volumes[2] + volumes[3]
    return [volume / whole for volume in volumes] if whole else [0.25] * 4


def _determinant(a: Point, b: Point, c: Point) -> float:
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]))
