"""Search for two triangles of two meshes that cross: boxes around parts of the meshes, split where they overlap.

A mesh is split only as far as needed, so that a large mesh with few triangles near the other costs little.
"""
from functools import cached_property
from math import sqrt
from typing import Callable, Iterable, List, Optional, Sequence, Tuple, Union

from ..urdf.spatial import move, Pose, Vector
from ..meshes.hull import Point, Triangle

LEAF = 4
DEEP = 1e-7  # [m] how far an edge must pass the plane and the sides of a triangle, so that rounding does not matter
MOST_VISITS = 1500

Three = Tuple[Point, Point, Point]
ShownTriangle = Union[int, Three]  # its number in the mesh; of a primitive, corners that are inside of it


class Node:
    """A part of a mesh: some of its triangles, and the center and half the sizes of a box around them [m]."""

    __slots__ = ("center", "half", "size", "triangles", "_halves")

    def __init__(self, surface: "Surface", triangles: List[int]) -> None:
        columns = list(zip(*[surface.points[k] for number in triangles for k in surface.triangles[number]]))
        low, high = [min(column) for column in columns], [max(column) for column in columns]
        self.center: Point = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))
        self.half: Point = (0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]), 0.5 * (high[2] - low[2]))
        self.size = max(self.half)
        self.triangles = triangles
        self._halves: Tuple[Node, ...] = ()

    def halves(self, surface: "Surface") -> "Tuple[Node, ...]":
        """Return two nodes, each with half of the triangles."""
        if not self._halves:
            corners, points = surface.triangles, surface.points
            at = [[points[corners[k][0]][axis] + points[corners[k][1]][axis] + points[corners[k][2]][axis]
                   for k in self.triangles] for axis in range(3)]
            widest = max(at, key=lambda column: max(column) - min(column))
            order = [k for _, k in sorted(zip(widest, self.triangles))]
            half = len(order) // 2
            self._halves = (Node(surface, order[:half]), Node(surface, order[half:]))
        return self._halves


class Surface:
    """The triangles of a mesh in the frame of its link, or of a body inside of a primitive.

    `number` is the index of the collision in its link.
    """

    def __init__(self, number: int, points: Callable[[], Sequence[Point]], triangles: Sequence[Triangle], *,
                 is_mesh: bool = True) -> None:
        self.number, self.triangles, self.is_mesh, self._points = number, triangles, is_mesh, points

    def shown(self, number: int) -> ShownTriangle:
        """Return a triangle as a contact shows it."""
        return number if self.is_mesh else self.corners(number)

    @cached_property
    def points(self) -> Sequence[Point]:
        """The points of the triangles; they are computed on demand, as most meshes do not need them."""
        return self._points()

    @cached_property
    def root(self) -> Node:
        """The node of all triangles."""
        return Node(self, list(range(len(self.triangles))))

    def corners(self, number: int) -> Three:
        """Return the corners of a triangle."""
        a, b, c = self.triangles[number]
        return self.points[a], self.points[b], self.points[c]


Found = Tuple[int, int, Vector]  # the numbers of two triangles that cross, and where, in the frame of the first mesh


def find_crossing(first: Surface, second: Surface, T_first_second: Pose) -> Tuple[Optional[Found], int]:
    """Return two triangles that cross, None if none are found, and how many pairs of nodes were examined."""
    waiting, visits = [(first.root, second.root)], 0
    while waiting and visits < MOST_VISITS:
        node, other = waiting.pop()
        visits += 1
        if _are_apart(node, other, T_first_second):
            continue
        if len(node.triangles) > LEAF and (node.size >= other.size or len(other.triangles) <= LEAF):
            waiting += [(half, other) for half in node.halves(first)]
        elif len(other.triangles) > LEAF:
            waiting += [(node, half) for half in other.halves(second)]
        else:
            crossing = _first_of(first, node.triangles, second, other.triangles, T_first_second)
            if crossing:
                return crossing, visits
    return None, visits


def _are_apart(node: Node, other: Node, T_first_second: Pose) -> bool:
    """Return True if the plane of a side of one of two boxes separates them."""
    ((a, b, c), (d, e, f), (g, h, i)), _ = T_first_second
    (px, py, pz), (qx, qy, qz) = node.half, other.half
    x, y, z = (there - here for there, here in zip(move(T_first_second, other.center), node.center))
    A, B, C, D, E, F, G, H, K = map(abs, (a, b, c, d, e, f, g, h, i))
    return (abs(x) > px + A * qx + B * qy + C * qz or abs(y) > py + D * qx + E * qy + F * qz
            or abs(z) > pz + G * qx + H * qy + K * qz or abs(a * x + d * y + g * z) > qx + A * px + D * py + G * pz
            or abs(b * x + e * y + h * z) > qy + B * px + E * py + H * pz
            or abs(c * x + f * y + i * z) > qz + C * px + F * py + K * pz)


def _first_of(first: Surface, ours: Iterable[int], second: Surface, theirs: Iterable[int], T_first_second: Pose
              ) -> Optional[Found]:
    """Return the first two triangles that cross, and where, in the frame of the first mesh; None if there are none."""
    there: List[Tuple[int, Three]] = []
    for k in theirs:
        a, b, c = second.corners(k)
        there.append((k, (move(T_first_second, a), move(T_first_second, b), move(T_first_second, c))))
    for number in ours:
        triangle = first.corners(number)
        for k, other in there:
            point = _pierced(triangle, other) or _pierced(other, triangle)
            if point:
                return number, k, point
    return None


def _pierced(edges: Three, triangle: Three) -> Optional[Vector]:
    """Return where an edge of a triangle crosses another, at least DEEP inside its sides; None if no edge does."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    heights = [nx * (x - ax) + ny * (y - ay) + nz * (z - az) for x, y, z in edges]
    if min(heights) >= 0.0 or max(heights) <= 0.0:
        return None
    area = sqrt(nx * nx + ny * ny + nz * nz)
    for k, above in enumerate(heights):
        start, end, below = edges[k - 1], edges[k], heights[k - 1]
        if above * below >= 0.0 or min(abs(above), abs(below)) <= DEEP * area:
            continue
        part = below / (below - above)
        point = (start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1]),
                 start[2] + part * (end[2] - start[2]))
        if _is_amid(point, triangle, (nx, ny, nz), area):
            return point
    return None


def _is_amid(point: Point, triangle: Three, n: Vector, area: float) -> bool:
    """Return True if a point of the plane of a triangle is in it, at least DEEP from its sides."""
    x, y, z = point
    for (px, py, pz), (qx, qy, qz) in zip(triangle, (triangle[1], triangle[2], triangle[0])):
        sx, sy, sz, rx, ry, rz = qx - px, qy - py, qz - pz, x - px, y - py, z - pz
        inward = (sy * rz - sz * ry) * n[0] + (sz * rx - sx * rz) * n[1] + (sx * ry - sy * rx) * n[2]
        if inward <= DEEP * area * sqrt(sx * sx + sy * sy + sz * sz):
            return False
    return True
