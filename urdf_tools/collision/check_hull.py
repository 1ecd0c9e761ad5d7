"""Verify shapes independently of the search: that a closed convex surface, or a primitive, contains points, and that
two triangles cross.

A surface contains points if its triangles close (each edge once in each direction, one piece, no hole), no corner is
above the plane of a triangle, and no point is. A closed surface whose triangles all lie in planes that support its
corners covers the boundary of their hull, so the half spaces of its triangles are the hull, and the points are in it.
"""
from fractions import Fraction
from math import sqrt
from typing import Dict, Iterable, List, Sequence, Tuple

Corner = Tuple[float, float, float]
Three = Sequence[Corner]
ROUNDINGS = 2.0 ** -48  # of m^3: 6 products of three and 5 sums, of differences


def certainly_cross(first: Three, second: Three, error: float) -> bool:
    """Return True if an edge of a triangle certainly crosses the other; `error` bounds that of each coordinate [m]."""
    return any(_pierces((start, end), other, error) for (a, b, c), other in ((first, second), (second, first))
               for start, end in ((a, b), (b, c), (c, a)))


def _pierces(edge: Sequence[Corner], triangle: Three, error: float) -> bool:
    """Return True if an edge certainly crosses a triangle."""
    start, end = edge
    a, b, c = triangle
    sides = [_sign(_to(a, b), _to(a, c), _to(a, start), error), _sign(_to(a, b), _to(a, c), _to(a, end), error)]
    if 0 in sides or sides[0] == sides[1]:
        return False
    along = _to(start, end)
    hands = {_sign(along, _to(start, p), _to(start, q), error) for p, q in ((a, b), (b, c), (c, a))}
    return hands in ({1}, {-1})


def _to(start: Corner, end: Corner) -> Corner:
    return (end[0] - start[0], end[1] - start[1], end[2] - start[2])


def _sign(u: Corner, v: Corner, w: Corner, error: float) -> int:
    """Return the sign of the volume of three differences of corners, 0 if an error of the corners could change it."""
    volume = (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2])
              + u[2] * (v[0] * w[1] - v[1] * w[0]))
    m, d = max(map(abs, (*u, *v, *w))), 2.0 * error
    unsure = 6.0 * d * (3.0 * m * m + 3.0 * m * d + d * d) * (1.0 + ROUNDINGS) + ROUNDINGS * m * m * m + 1e-300
    return 0 if abs(volume) <= unsure else 1 if volume > 0.0 else -1


Place = Tuple[float, float, float]
UNITS = 2.0 ** -50  # relative: eight roundings


def is_contained(kind: str, sizes: Sequence[float], points: Iterable[Place], error: float) -> bool:
    """Return True if a primitive certainly contains all points.

    Args:
        kind: box, sphere, cylinder or capsule; z is the axis.
        sizes: as in URDF: x, y, z; the radius; else radius and length [m].
        points: in the frame of the primitive [m].
        error: a bound of the error of each of their coordinates [m].
    """
    if not all(size > 0.0 for size in sizes) and kind != "capsule":
        return False
    if kind == "box":
        half = [0.5 * size for size in sizes]
        return all(abs(value) + error <= limit for point in points for value, limit in zip(point, half))
    radius = sizes[0]
    half_length = 0.5 * sizes[1] if kind != "sphere" else 0.0
    for x, y, z in points:
        if kind == "cylinder":
            if abs(z) + error > half_length:
                return False
            rest = 0.0
        else:
            rest = max(0.0, abs(z) - half_length)
        off = sqrt(x * x + y * y + rest * rest) * (1.0 + UNITS) + 1.8 * error  # of three coordinates
        if off > radius:
            return False
    return True


Vertex = Tuple[float, float, float]
Facet = Tuple[int, int, int]
Integers = Tuple[int, int, int]

# The rounding of n.x - n.a in floats: below 100 units of 2**-53, of the products of the largest components.
SAFE = 2e-14
SMALLEST = 1e-300


def surface_fault(corners: Sequence[Vertex], facets: Sequence[Facet]) -> str:
    """Return the name of the defect of a surface that is not closed and convex, "" if it is both."""
    edges: Dict[Tuple[int, int], int] = {}
    for number, (a, b, c) in enumerate(facets):
        for edge in ((a, b), (b, c), (c, a)):
            if edge in edges or a == b or b == c or a == c or not 0 <= edge[0] < len(corners):
                return "edges"
            edges[edge] = number
    if len(facets) < 4 or any((b, a) not in edges for a, b in edges):
        return "open"
    used = {corner for facet in facets for corner in facet}
    if len(used) != len(corners) or len(set(corners)) != len(corners):
        return "corners"
    if len(used) - len(edges) // 2 + len(facets) != 2 or not _is_one_piece(facets, edges):
        return "pieces"
    return "" if outside(corners, facets, corners, strict=True) is None else "convex"


def _is_one_piece(facets: Sequence[Facet], edges: Dict[Tuple[int, int], int]) -> bool:
    reached, waiting = {0}, [0]
    while waiting:
        a, b, c = facets[waiting.pop()]
        for other in (edges[b, a], edges[c, b], edges[a, c]):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return len(reached) == len(facets)


def outside(corners: Sequence[Vertex], facets: Sequence[Facet], points: Iterable[Vertex], *, strict: bool = False
            ) -> "Vertex | None":
    """Return a point that is above the plane of a facet, None if there is none.

    Every point counts as above a facet without area; with `strict` also above a facet that no point is below.
    """
    tested = list(points)
    places = _integers([*corners, *tested])
    whole, inside = places[:len(corners)], places[len(corners):]
    xs, ys, zs = ([point[axis] for point in tested] for axis in range(3))
    reach = max((abs(value) for column in (xs, ys, zs) for value in column), default=0.0)
    reach = max([reach, *(abs(value) for corner in corners for value in corner)])
    for a, b, c in facets:
        (px, py, pz), u, v = corners[a], _edge(corners[a], corners[b]), _edge(corners[a], corners[c])
        nx, ny, nz = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
        level = nx * px + ny * py + nz * pz
        slack = SAFE * max(map(abs, u)) * max(map(abs, v)) * reach + SMALLEST
        heights = [nx * x + ny * y + nz * z - level for x, y, z in zip(xs, ys, zs)]
        # Floats decide most points; only those near the plane need exact integers, which are slow.
        doubtful = [k for k, height in enumerate(heights) if height >= -slack]
        exact = [_height(whole[a], whole[b], whole[c], inside[k]) for k in doubtful]
        flat = not any(_normal(whole[a], whole[b], whole[c]))
        worst = max(zip(exact, doubtful), default=(0, 0))
        if flat or worst[0] > 0 or strict and len(doubtful) == len(tested) and not any(exact):
            return tested[worst[1]] if tested else corners[a]
    return None


def _edge(a: Vertex, b: Vertex) -> Vertex:
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


def _integers(points: Sequence[Vertex]) -> List[Integers]:
    """Return points in units of the largest power of two in which all their coordinates are integers."""
    ratios = [tuple(value.as_integer_ratio() for value in point) for point in points]
    unit = max((bottom for ratio in ratios for _, bottom in ratio), default=1)
    return [(x[0] * (unit // x[1]), y[0] * (unit // y[1]), z[0] * (unit // z[1])) for x, y, z in ratios]


def _normal(a: Integers, b: Integers, c: Integers) -> Integers:
    p, q, r = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    s, t, u = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return q * u - r * t, r * s - p * u, p * t - q * s


def _height(a: Integers, b: Integers, c: Integers, point: Integers) -> int:
    """Return the determinant whose sign is that of the height of a point over the plane of a, b, c."""
    x, y, z = _normal(a, b, c)
    return x * (point[0] - a[0]) + y * (point[1] - a[1]) + z * (point[2] - a[2])


def holds(corners: Sequence[Vertex], facets: Iterable[Facet], point: Vertex, error: float) -> bool:
    """Return True if a point is in a convex surface for all errors of its coordinates up to `error` [m]."""
    for i, j, k in facets:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners[i], corners[j], corners[k]
        ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        size = max(map(abs, (ux, uy, uz))) * max(map(abs, (vx, vy, vz)))
        dx, dy, dz = point[0] - ax, point[1] - ay, point[2] - az
        slack = 2.0 ** -47 * size * max(map(abs, (dx, dy, dz))) + error * (abs(nx) + abs(ny) + abs(nz))
        if nx * dx + ny * dy + nz * dz + slack > 0.0 and not _is_below(
                (corners[i], corners[j], corners[k]), point, error):
            return False
    return True


def _is_below(facet: Sequence[Vertex], point: Vertex, error: float) -> bool:
    """Return True if a point is not above the plane of a facet for all errors up to `error`. It is computed exactly, as
    floats do not suffice for a needle, whose corners are nearly on a line."""
    (ax, ay, az), b, c, p = ([Fraction(value) for value in corner] for corner in (*facet, point))
    (ux, uy, uz), (vx, vy, vz), (dx, dy, dz) = ((x - ax, y - ay, z - az) for x, y, z in (b, c, p))
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return nx * dx + ny * dy + nz * dz + Fraction(error) * (abs(nx) + abs(ny) + abs(nz)) <= 0
