"""Surfaces for the proof: prints of triangles, and box, area, area vector and volume of what has no equal print.

No triangulation is needed: the area vector of a polygon is half the sum of p x q over its edges, and its volume with
the origin a third of that vector times a corner, whatever way it is cut. Where the way does matter (a polygon that is
not flat, or crosses itself), the measure is a range.
"""
import os
import struct
from array import array
from math import inf, sqrt
from typing import AbstractSet, Iterable, List, Optional, Tuple

MOST_CORNERS = 40  # of a polygon that is tested for crossing itself, which takes their square
FLAT_ENOUGH = 1e-6  # relative: beyond it a polygon counts as bent, and its measures as ranges
MINUS_NOTHING = struct.pack("f", -0.0)

Point = Tuple[float, ...]
Loops = List[List[int]]  # the corners of a polygon, and of each of its holes


class Surface:
    """The prints of triangles (hashes of their nine numbers), and sums over surfaces.

    Area [m^2] and volume with the origin [m^3] are ranges; the vector is that of the area [m^2]. `edges` is more than
    half of what the edges of the measured triangles add up to [m]. `box` holds everything, `firm` what has an area and
    so must be there.
    """

    def __init__(self) -> None:
        self.prints = array("q")
        self.area = [0.0, 0.0]
        self.volume = [0.0, 0.0]
        self.vector = [0.0, 0.0, 0.0]
        self.vector_room = self.edges = 0.0
        self.box = [inf, inf, inf, -inf, -inf, -inf]
        self.firm = [inf, inf, inf, -inf, -inf, -inf]

    def add(self, other: "Surface") -> None:
        """Add the measures of another surface."""
        for mine, its in ((self.area, other.area), (self.volume, other.volume), (self.vector, other.vector)):
            mine[:] = [a + b for a, b in zip(mine, its)]
        self.vector_room += other.vector_room
        self.edges += other.edges
        for mine, its in ((self.box, other.box), (self.firm, other.firm)):
            mine[:] = [*map(min, mine[:3], its[:3]), *map(max, mine[3:], its[3:])]

    def add_triangles(self, corners: Iterable[Tuple[bytes]], odd: Optional[AbstractSet[int]]) -> None:
        """Add triangles, each the 36 bytes of it in STL: their prints, or the measures of those with an odd print."""
        if odd is None:
            self.prints.extend(map(hash, corners))
            return
        area = volume = vx = vy = vz = edges = 0.0
        flat: List[Point] = []
        firm: List[Point] = []
        for nine in corners if odd else ():
            if hash(nine) in odd:
                ax, ay, az, bx, by, bz, cx, cy, cz = struct.unpack("<9f", nine[0])
                px, py, pz, qx, qy, qz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
                x, y, z = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
                double = sqrt(x * x + y * y + z * z)
                area, volume, vx, vy, vz = area + double, volume + ax * x + ay * y + az * z, vx + x, vy + y, vz + z
                edges += abs(px) + abs(py) + abs(pz) + abs(qx) + abs(qy) + abs(qz)
                (firm if double else flat).extend(((ax, ay, az), (bx, by, bz), (cx, cy, cz)))
        if firm or flat:
            part = Surface()
            part.area, part.volume, part.edges = [0.5 * area] * 2, [volume / 6.0] * 2, edges
            part.vector, part.box, part.firm = [0.5 * vx, 0.5 * vy, 0.5 * vz], _box_of(firm + flat), _box_of(firm)
            self.add(part)

    def add_stl(self, path: str, odd: Optional[AbstractSet[int]] = None) -> None:
        """Add the triangles of a binary STL file; its size must fit its count.

        Raises:
            ValueError: it does not.
        """
        with open(path, "rb") as stream:
            head = stream.read(84)
            size = os.fstat(stream.fileno()).st_size
            if size != 84 + 50 * int.from_bytes(head[80:], "little"):
                raise ValueError(f"'{path}' has another number of triangles than it says")
            for block in iter(lambda: stream.read(50 * 4096), b""):
                self.add_triangles(struct.iter_unpack("<12x36s2x", block), odd)


def unit_length(v: Point) -> Point:
    size = sqrt(sum(part * part for part in v))
    return (v[0] / size, v[1] / size, v[2] / size) if size > 1e-30 else (0.0, 0.0, 0.0)


def vector_times(a: Point, b: Point) -> Point:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _box_of(points: Iterable[Point]) -> List[float]:
    columns = [*zip(*points)] or [(inf,)] * 3
    return [*map(min, columns), *(max(column) if columns[0] != (inf,) else -inf for column in columns)]


def measure_polygon(loops: List[List[Point]], surface: Surface, turn: float) -> None:
    """Add one polygon, given by its outline and its holes, to a surface; `turn` is -1 for one that is mirrored."""
    outline, *holes = loops
    part = Surface()
    part.box = _box_of(outline)
    vector, center, bend, fan = _about_center(outline)
    size = _size(vector)
    exact = _is_plain(outline, vector, bend, fan)
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
    surface.add(part)


def _about_center(loop: List[Point]) -> Tuple[Point, Point, float, float]:
    """Return area vector and center of a closed line, its distance from its plane, and the area of the fan there."""
    count = len(loop)
    cx, cy, cz = (sum(column) / count for column in zip(*loop))
    arms = [(x - cx, y - cy, z - cz) for x, y, z in loop]
    vx = vy = vz = fan = 0.0
    px, py, pz = arms[-1]
    for x, y, z in arms:
        u, v, w = py * z - pz * y, pz * x - px * z, px * y - py * x
        vx, vy, vz, fan = vx + u, vy + v, vz + w, fan + sqrt(u * u + v * v + w * w)
        px, py, pz = x, y, z
    nx, ny, nz = unit_length((vx, vy, vz))
    bend = max([abs(nx * x + ny * y + nz * z) for x, y, z in arms])
    return (0.5 * vx, 0.5 * vy, 0.5 * vz), (cx, cy, cz), bend, 0.5 * fan


def _triangle(a: Point, b: Point, c: Point) -> Point:
    """Return the area vector of a triangle."""
    x, y, z = vector_times(_minus(b, a), _minus(c, a))
    return (0.5 * x, 0.5 * y, 0.5 * z)


def _minus(a: Point, b: Point) -> Point:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _dot(a: Point, b: Point) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _size(v: Point) -> float:
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def _flattened(loop: List[Point], normal: Point) -> List[Tuple[float, float]]:
    """Return the corners without the coordinate that the normal has most of."""
    drop = max(range(3), key=lambda k: abs(normal[k]))
    i, j = [k for k in range(3) if k != drop]
    return [(p[i], p[j]) for p in loop]


def _is_plain(loop: List[Point], vector: Point, bend: float, fan: float) -> bool:
    """Return True if a polygon is flat and no two of its edges meet, so that every way to cut it has one area."""
    size = _size(vector)
    if not size > 0.0 or bend > FLAT_ENOUGH * sqrt(size) or len(loop) > MOST_CORNERS:
        return False
    if len(loop) == 4 and fan <= size * (1.0 + FLAT_ENOUGH):  # seen from its center it never turns back
        return True
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
