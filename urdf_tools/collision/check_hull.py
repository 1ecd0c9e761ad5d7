"""Check that a closed convex surface contains points, in integers, with no knowledge of how it was found.

Three things are looked at: the triangles close (each edge once in each direction, one piece, no hole), no corner is
above the plane of a triangle, and no point is. A closed surface whose triangles all lie in planes that support its
corners covers the boundary of their hull, so the half spaces of its triangles are the hull, and the points are in it.
"""
from fractions import Fraction
from typing import Dict, Iterable, List, Sequence, Tuple

Vertex = Tuple[float, float, float]
Facet = Tuple[int, int, int]
Integers = Tuple[int, int, int]

# The rounding of n.x - n.a in floats: below 100 units of 2**-53, of the products of the largest components.
SAFE = 2e-14
SMALLEST = 1e-300


def surface_fault(corners: Sequence[Vertex], facets: Sequence[Facet]) -> str:
    """Return the key of what is wrong with a closed convex surface, "" for nothing."""
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
    """Return a point that is above the plane of a facet, None where none is.

    A facet without area is taken as one that every point is above; with `strict` also one that no point is below.
    """
    found = list(points)
    places = _integers([*corners, *found])
    whole, inside = places[:len(corners)], places[len(corners):]
    xs, ys, zs = ([point[axis] for point in found] for axis in range(3))
    reach = max((abs(value) for column in (xs, ys, zs) for value in column), default=0.0)
    reach = max([reach, *(abs(value) for corner in corners for value in corner)])
    for a, b, c in facets:
        (px, py, pz), u, v = corners[a], _edge(corners[a], corners[b]), _edge(corners[a], corners[c])
        nx, ny, nz = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
        level = nx * px + ny * py + nz * pz
        slack = SAFE * max(map(abs, u)) * max(map(abs, v)) * reach + SMALLEST
        heights = [nx * x + ny * y + nz * z - level for x, y, z in zip(xs, ys, zs)]
        doubtful = [k for k, height in enumerate(heights) if height >= -slack]
        exact = [_height(whole[a], whole[b], whole[c], inside[k]) for k in doubtful]
        flat = not any(_normal(whole[a], whole[b], whole[c]))
        worst = max(zip(exact, doubtful), default=(0, 0))
        if flat or worst[0] > 0 or strict and len(doubtful) == len(found) and not any(exact):
            return found[worst[1]] if found else corners[a]
    return None


def _edge(a: Vertex, b: Vertex) -> Vertex:
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


def _integers(points: Sequence[Vertex]) -> List[Integers]:
    """Return points in units of the finest power of two that one of their coordinates needs."""
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
    """Return True if a point is in a convex surface, wherever it is within an error of each coordinate."""
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
    """Return True if a point is not above the plane of a facet, wherever it is within an error: of a needle, whose
    corners are nearly on one line, floats cannot tell."""
    (ax, ay, az), b, c, p = ([Fraction(value) for value in corner] for corner in (*facet, point))
    (ux, uy, uz), (vx, vy, vz), (dx, dy, dz) = ((x - ax, y - ay, z - az) for x, y, z in (b, c, p))
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return nx * dx + ny * dy + nz * dz + Fraction(error) * (abs(nx) + abs(ny) + abs(nz)) <= 0
