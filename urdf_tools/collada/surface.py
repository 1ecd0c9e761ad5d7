"""Measures of surfaces for the proof: box, area, area vector and volume of polygons, and of a binary STL file.

Nothing is cut into triangles: the area vector of a polygon is half the sum of p x q over its edges, and its volume with
the origin a third of that vector times a corner, whatever way it is cut. Where the way does matter (a polygon that is
not flat, or crosses itself), the measure is a range.
"""
import struct
from math import fsum, inf, sqrt
from typing import Dict, Iterable, List, Tuple

MOST_CORNERS = 40  # of a polygon that is tested for crossing itself, which takes their square
FLAT_ENOUGH = 1e-6  # relative: beyond it a polygon counts as bent, and its measures as ranges

Point = Tuple[float, float, float]


class Measure:
    """Sums over surfaces: area [m^2] and volume with the origin [m^3] as ranges, area vector [m^2], and boxes [m].

    `box` holds everything, `firm` what has an area and so must be in the STL.
    """

    def __init__(self) -> None:
        self.area = [0.0, 0.0]
        self.volume = [0.0, 0.0]
        self.vector = [0.0, 0.0, 0.0]
        self.vector_room = 0.0
        self.box = [inf, inf, inf, -inf, -inf, -inf]
        self.firm = [inf, inf, inf, -inf, -inf, -inf]

    def add(self, other: "Measure") -> None:
        """Add what another measure holds."""
        for mine, its in ((self.area, other.area), (self.volume, other.volume), (self.vector, other.vector)):
            mine[:] = [a + b for a, b in zip(mine, its)]
        self.vector_room += other.vector_room
        for mine, its in ((self.box, other.box), (self.firm, other.firm)):
            mine[:] = [*map(min, mine[:3], its[:3]), *map(max, mine[3:], its[3:])]


def unit_length(v: Point) -> Point:
    size = sqrt(sum(part * part for part in v))
    return (v[0] / size, v[1] / size, v[2] / size) if size > 1e-30 else (0.0, 0.0, 0.0)


def vector_times(a: Point, b: Point) -> Point:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def measure_loops(loops: "Iterable[Tuple[List[int], List[List[int]]]]", points: List[Point], measure: Measure,
                   turn: float) -> None:
    """Add polygons, given by their corners, to a measure."""
    area = volume = vx = vy = vz = 0.0
    used: Dict[int, None] = {}
    firm: Dict[int, None] = {}
    for corners, holes in loops:
        if len(corners) != 3:
            if len(corners) > 3:
                _measure_polygon([points[k] for k in corners], [[points[k] for k in hole] for hole in holes], measure,
                                 turn)
            continue
        a, b, c = corners
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = points[a], points[b], points[c]
        ux, uy, uz, wx, wy, wz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        x, y, z = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
        double = sqrt(x * x + y * y + z * z)
        used[a] = used[b] = used[c] = None
        if double:
            firm[a] = firm[b] = firm[c] = None
            area += double
            volume += ax * x + ay * y + az * z
            vx += x
            vy += y
            vz += z
    part = Measure()
    part.area, part.volume = [0.5 * area] * 2, [turn * volume / 6.0] * 2
    part.vector = [0.5 * turn * vx, 0.5 * turn * vy, 0.5 * turn * vz]
    part.box, part.firm = _box_of(points[k] for k in used), _box_of(points[k] for k in firm)
    measure.add(part)


def _box_of(points: Iterable[Point]) -> List[float]:
    columns = [*zip(*points)] or [(inf,)] * 3
    return [*map(min, columns), *(max(column) if columns[0] != (inf,) else -inf for column in columns)]


def _measure_polygon(outline: List[Point], holes: List[List[Point]], measure: Measure, turn: float) -> None:
    """Add one polygon of more than three corners, with its holes."""
    part = Measure()
    part.box = _box_of(outline)
    vector, center, bend, fan = _about_center(outline)
    size = _size(vector)
    exact = _is_plain(outline, vector, bend)
    lowest = highest = size
    volume = _dot(center, vector) / 3.0
    room = 0.0
    if len(outline) == 4 and not exact:  # bent: one of two cuts
        a, b, c, d = outline
        cuts = [(_triangle(a, b, c), _triangle(a, c, d)), (_triangle(a, b, d), _triangle(b, c, d))]
        highest = max(_size(one) + _size(other) for one, other in cuts)
        volumes = [(_dot(a, one) + _dot(third, other)) / 3.0 for (one, other), third in zip(cuts, (a, b))]
        part.volume = sorted(turn * v for v in volumes)
    else:
        if not exact:
            highest, room = inf, bend * fan
        for hole in holes:
            its_vector, its_center, its_bend, _ = _about_center(hole)
            its_size = _size(its_vector)
            sense = -1.0 if _dot(vector, its_vector) > 0.0 else 1.0
            inside = exact and its_bend <= FLAT_ENOUGH * sqrt(its_size) and _is_inside(hole[0], outline, vector)
            volume += sense * _dot(its_center, its_vector) / 3.0
            vector = (vector[0] + sense * its_vector[0], vector[1] + sense * its_vector[1],
                      vector[2] + sense * its_vector[2])
            lowest -= its_size
            highest = lowest if inside else inf
            if not inside:
                part.vector_room += its_size
                room += its_size * _size(its_center)
        part.volume = [turn * volume - room, turn * volume + room]
    part.vector = [turn * value for value in vector]
    part.area = [max(0.0, lowest), highest]
    if exact and not holes and fan <= size * (1.0 + FLAT_ENOUGH):
        part.firm = list(part.box)
    measure.add(part)


def _about_center(loop: List[Point]) -> Tuple[Point, Point, float, float]:
    """Return area vector and center of a closed line, how far it leaves its plane, and the area of the fan there."""
    count = len(loop)
    center = (fsum(p[0] for p in loop) / count, fsum(p[1] for p in loop) / count, fsum(p[2] for p in loop) / count)
    parts = [_triangle(center, p, q) for p, q in zip(loop, [*loop[1:], loop[0]])]
    vector = (fsum(v[0] for v in parts), fsum(v[1] for v in parts), fsum(v[2] for v in parts))
    normal = unit_length(vector)
    bend = max(abs(_dot(normal, (p[0] - center[0], p[1] - center[1], p[2] - center[2]))) for p in loop)
    return vector, center, bend, fsum(map(_size, parts))


def _triangle(a: Point, b: Point, c: Point) -> Point:
    """Return the area vector of a triangle."""
    x, y, z = vector_times((b[0] - a[0], b[1] - a[1], b[2] - a[2]), (c[0] - a[0], c[1] - a[1], c[2] - a[2]))
    return (0.5 * x, 0.5 * y, 0.5 * z)


def _dot(a: Point, b: Point) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _size(v: Point) -> float:
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def _flattened(loop: List[Point], normal: Point) -> List[Tuple[float, float]]:
    """Return the corners without the coordinate that the normal has most of."""
    drop = max(range(3), key=lambda k: abs(normal[k]))
    i, j = [k for k in range(3) if k != drop]
    return [(p[i], p[j]) for p in loop]


def _is_plain(loop: List[Point], vector: Point, bend: float) -> bool:
    """Return True if a polygon is flat and no two of its edges meet, so that every way to cut it has one area."""
    size = _size(vector)
    if not size > 0.0 or bend > FLAT_ENOUGH * sqrt(size) or len(loop) > MOST_CORNERS:
        return False
    flat = _flattened(loop, vector)
    edges = [*zip(flat, [*flat[1:], flat[0]])]
    count = len(edges)
    return not any(_meet(edges[i], edges[j]) for i in range(count) for j in range(i + 2, count)
                   if (i, j) != (0, count - 1)) and len(set(flat)) == count


def _meet(one: Tuple[Tuple[float, float], Tuple[float, float]], other: Tuple[Tuple[float, float], Tuple[float, float]]
          ) -> bool:
    def side(p: Tuple[float, float], q: Tuple[float, float], r: Tuple[float, float]) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    (a, b), (c, d) = one, other
    return side(a, b, c) * side(a, b, d) <= 0.0 and side(c, d, a) * side(c, d, b) <= 0.0


def _is_inside(point: Point, loop: List[Point], normal: Point) -> bool:
    """Return True if a point is inside a polygon, both seen along its normal (even-odd rule)."""
    (x, y), *flat = _flattened([point, *loop], normal)
    inside = False
    for (px, py), (qx, qy) in zip(flat, [*flat[1:], flat[0]]):
        if (py > y) != (qy > y) and x < px + (y - py) / (qy - py) * (qx - px):
            inside = not inside
    return inside


def measure_stl(path: str) -> Measure:
    """Return the measure of a binary STL file, from its corners; its size must fit its count.

    Raises:
        ValueError: it does not.
    """
    measure, record = Measure(), struct.Struct("<12x9f2x")
    area = volume = vx = vy = vz = 0.0
    with open(path, "rb") as stream:
        count, = struct.unpack("<80xI", stream.read(84))
        seen = 0
        for block in iter(lambda: stream.read(50 * 4096), b""):
            corners: List[Point] = []
            if len(block) % 50:
                raise ValueError("ends inside a triangle")
            for ax, ay, az, bx, by, bz, cx, cy, cz in record.iter_unpack(block):
                ux, uy, uz, wx, wy, wz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
                x, y, z = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
                area += sqrt(x * x + y * y + z * z)
                volume += ax * x + ay * y + az * z
                vx += x
                vy += y
                vz += z
                corners += ((ax, ay, az), (bx, by, bz), (cx, cy, cz))
            seen += len(block) // 50
            part = Measure()
            part.box = part.firm = _box_of(corners)
            measure.add(part)
    if seen != count:
        raise ValueError(f"holds {seen} triangles instead of {count}")
    measure.area, measure.volume = [0.5 * area] * 2, [volume / 6.0] * 2
    measure.vector = [0.5 * vx, 0.5 * vy, 0.5 * vz]
    return measure
