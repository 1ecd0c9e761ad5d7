"""Surfaces for the proof: triangles by their corners, and area, area vector and volume of what has no equal.

No triangulation is needed: the area vector of a polygon is half the sum of p x q over its edges, and its volume with
the origin a third of that vector times a corner, whatever way it is cut. Where the way does matter (a polygon that is
not flat, or crosses itself), the measure is a range.
"""
from math import inf, sqrt
from struct import Struct
from typing import AbstractSet, Iterable, List, Set, Tuple

from ..urdf.spatial import add, cross, dot, norm, scale, subtract, Vector, ZERO

MOST_CORNERS = 40  # of a polygon that is tested for crossing itself, which takes their square
FLAT_ENOUGH = 1e-6  # relative: beyond it a polygon counts as bent, and its measures as ranges
POINT_IN_STL = Struct("<3f")


class Surface:
    """Triangles, and sums over polygons and over those triangles that are measured.

    `records` are three corners for each triangle, in the bytes of STL. Area [m^2] and volume with the origin [m^3] are
    ranges; the vector is that of the area [m^2]. `edges` is more than half of what the edges of the measured triangles
    add up to [m]. `corners` are the points of all that is measured.
    """

    def __init__(self) -> None:
        self.records = bytearray()
        self.area = [0.0, 0.0]
        self.volume = [0.0, 0.0]
        self.vector = [0.0, 0.0, 0.0]
        self.vector_room = self.edges = 0.0
        self.corners: Set[bytes] = set()
        self.firm: Set[bytes] = set()

    def measure_triangles(self, records: Iterable[Tuple[bytes]], odd: AbstractSet[int]) -> None:
        """Add the measures of those triangles that have one of these hashes."""
        area = volume = vx = vy = vz = edges = 0.0
        unpack = Struct("<9f").unpack
        for record in records:
            if hash(record) in odd:
                corners, = record
                self.corners.update((corners[:12], corners[12:24], corners[24:]))
                ax, ay, az, bx, by, bz, cx, cy, cz = unpack(corners)
                px, py, pz, qx, qy, qz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
                x, y, z = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
                area += sqrt(x * x + y * y + z * z)
                volume, vx, vy, vz = volume + ax * x + ay * y + az * z, vx + x, vy + y, vz + z
                edges += abs(px) + abs(py) + abs(pz) + abs(qx) + abs(qy) + abs(qz)
        self.edges += edges
        self.add([0.5 * area] * 2, [volume / 6.0] * 2, [0.5 * vx, 0.5 * vy, 0.5 * vz])

    def add(self, area: List[float], volume: List[float], vector: List[float]) -> None:
        """Add measures to the sums."""
        for sums, terms in ((self.area, area), (self.volume, volume), (self.vector, vector)):
            sums[:] = [a + b for a, b in zip(sums, terms)]

    def add_polygon(self, loops: List[List[bytes]], turn: float) -> None:
        """Add a polygon, given by its outline and its holes; `turn` is -1 for one that is mirrored."""
        self.corners.update(*loops)
        outline, *holes = [[POINT_IN_STL.unpack(point) for point in loop] for loop in loops]
        vector, center, bend, fan = _about_center(outline)
        size = norm(vector)
        exact = _is_plain(outline, vector, bend, fan)
        if exact and not holes and fan <= size * (1.0 + FLAT_ENOUGH):
            self.firm.update(loops[0])
        lowest = highest = size
        volumes = [dot(center, vector) / 3.0] * 2
        if len(outline) == 4 and not exact and not holes:  # bent: one of two cuts
            a, b, c, d = outline
            cuts = [(_triangle(a, b, c), _triangle(a, c, d)), (_triangle(a, b, d), _triangle(b, c, d))]
            highest = max(norm(one) + norm(other) for one, other in cuts)
            volumes = [(dot(a, one) + dot(third, other)) / 3.0 for (one, other), third in zip(cuts, (a, b))]
        else:
            room = 0.0 if exact else bend * fan
            highest = size if exact else inf
            for hole in holes:
                its_vector, its_center, its_bend, _ = _about_center(hole)
                its_size = norm(its_vector)
                sense = -1.0 if dot(vector, its_vector) > 0.0 else 1.0
                volumes[0] += sense * dot(its_center, its_vector) / 3.0
                vector = add(vector, scale(sense, its_vector))
                lowest -= its_size
                highest -= its_size
                if not (exact and its_bend <= FLAT_ENOUGH * sqrt(its_size) and _is_inside(hole[0], outline, vector)):
                    highest = inf
                    self.vector_room += its_size
                    room += its_size * norm(its_center)
            volumes = [volumes[0] - room, volumes[0] + room]
        self.add([max(0.0, lowest), highest], sorted(turn * v for v in volumes), [turn * value for value in vector])


def unit_length(v: Vector) -> Vector:
    """Return a vector with length 1, or zeros for one that has no direction."""
    size = norm(v)
    return (v[0] / size, v[1] / size, v[2] / size) if size > 1e-30 else ZERO


def _about_center(loop: List[Vector]) -> Tuple[Vector, Vector, float, float]:
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


def _triangle(a: Vector, b: Vector, c: Vector) -> Vector:
    """Return the area vector of a triangle."""
    return scale(0.5, cross(subtract(b, a), subtract(c, a)))


def _flattened(loop: List[Vector], normal: Vector) -> List[Tuple[float, float]]:
    """Return the corners without the coordinate that the normal has most of."""
    drop = max(range(3), key=lambda k: abs(normal[k]))
    i, j = [k for k in range(3) if k != drop]
    return [(p[i], p[j]) for p in loop]


def _is_plain(loop: List[Vector], vector: Vector, bend: float, fan: float) -> bool:
    """Return True if a polygon is flat and no two of its edges meet, so that every way to cut it has one area."""
    size = norm(vector)
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


def _is_inside(point: Vector, loop: List[Vector], normal: Vector) -> bool:
    """Return True if a point is inside a polygon, both seen along its normal (even-odd rule)."""
    (x, y), *flat = _flattened([point, *loop], normal)
    inside = False
    for (px, py), (qx, qy) in zip(flat, [*flat[1:], flat[0]]):
        if (py > y) != (qy > y) and x < px + (y - py) / (qy - py) * (qx - px):
            inside = not inside
    return inside
