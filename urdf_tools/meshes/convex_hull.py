"""The convex hull of points: quickhull (Barber, Dobkin and Huhdanpaa 1996) with exact signs.

A sign is taken from floats if it exceeds their rounding error, else from integers (the idea of Shewchuk 1997): floats
are multiples of a power of two. So no point is merged or moved, and there is no tolerance. A point in the plane of a
facet is not outside it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import gcd, sqrt
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple, Union

from ..base.record_type import Record
from .verify_witnesses import normal_of, triangles_at

Point = Tuple[float, float, float]
Triangle = Tuple[int, int, int]
Whole = Tuple[int, int, int]
Real = Union[float, Fraction]

# The relative error of n.x - d for a plane through three points, in units of the largest components of two edges and of
# any point: the sum of all roundings is below 100 * 2**-53.
FILTER = 2e-14
LEAST_FILTER = 1e-300  # products too small for floats become 0


class Hull(Record):
    """A closed convex surface: corners, and triangles of their numbers, counter-clockwise seen from outside."""

    corners: Tuple[Point, ...]
    triangles: Tuple[Triangle, ...]

    @property
    def facets(self) -> List[Tuple[Point, Point, Point]]:
        """The corners of each triangle."""
        return triangles_at(self.corners, self.triangles)


class _Face:
    """A triangle of the growing hull: its plane `normal . x = level`, and the points that are assigned to it.

    Attributes:
        slack: the rounding error of `normal . x - level`.
        outside: the numbers of points strictly above it, each assigned to one face only.
        farthest, height: the number of a highest point, and its height over the plane.
        exact_plane: the normal and the level as integers; None until they are needed.
    """

    __slots__ = (
        "corners",
        "normal",
        "level",
        "slack",
        "outside",
        "farthest",
        "height",
        "exact_plane",
    )

    def __init__(self, corners: Triangle, normal: Point, level: float, slack: float) -> None:
        """Begin without points above the plane."""
        self.corners, self.normal, self.level, self.slack = corners, normal, level, slack
        self.outside: List[int] = []
        self.farthest = -1
        self.height = 0.0
        self.exact_plane: Optional[Tuple[int, int, int, int]] = None


def convex_hull(
    points: Iterable[Point], most: int = 0, *, unless_above: Optional[float] = None
) -> Optional[Hull]:
    """Return the convex hull of points, or None if all of them are in one plane.

    With `most`, points are added farthest first up to this number of corners: the hull is inside the hull of all
    points. With `unless_above`, all coordinates must be whole numbers below 2**15, so that floats give every sign
    exactly. Points less than this height above a facet are then skipped, for fewer corners and speed.
    """
    growing = _GrowingHull(list(dict.fromkeys(points)), bool(most), unless_above)
    if not growing.begin():
        return None
    count = 4  # the corners of the first tetrahedron
    while not most or count < most:
        face = growing.next_highest_face() if most else growing.next_face()
        if face is None:
            break
        growing.add(face)
        count += 1
    return growing.result()


def extreme_corners(hull: Hull) -> Tuple[Point, ...]:
    """Return the corners of a hull that three or more planes share, without corners inside a facet or on a straight edge."""
    whole = whole_points(hull.corners)
    planes: Dict[int, Set[Whole]] = {k: set() for k in range(len(hull.corners))}
    for triangle, places in zip(hull.triangles, triangles_at(whole, hull.triangles)):
        # Reduced, so that triangles of one plane have equal normals.
        normal = _reduced(normal_of(places))
        for k in triangle:
            planes[k].add(normal)
    return tuple(corner for k, corner in enumerate(hull.corners) if len(planes[k]) > 2)


def whole_points(points: Sequence[Sequence[Real]]) -> List[Whole]:
    """Return points as integers in a common unit, without rounding."""
    unit = unit_of(points)
    return [in_units(point, unit) for point in points]


def unit_of(points: Iterable[Sequence[Real]]) -> int:
    """Return the number of units in 1, for a unit of which all coordinates are multiples."""
    # Floats have powers of two as denominators, so the largest is a multiple of all.
    values = chain.from_iterable(points)
    return max((value.as_integer_ratio()[1] for value in values), default=1)


def in_units(point: Sequence[Real], unit: int) -> Whole:
    """Return a point as integers."""
    (a, b), (c, d), (e, f) = (value.as_integer_ratio() for value in point)
    return a * (unit // b), c * (unit // d), e * (unit // f)


def _reduced(normal: Whole) -> Whole:
    """Return the shortest integer vector of the same direction."""
    x, y, z = normal
    factor = gcd(gcd(x, y), z) or 1  # 0 for a triangle without area
    return x // factor, y // factor, z // factor


class _GrowingHull:
    """A hull that grows point by point: the faces visible from a new point are replaced by a cone of new faces."""

    def __init__(
        self, points: List[Point], farthest_first: bool, unless_above: Optional[float]
    ) -> None:
        """Begin without faces; `begin` makes the first four."""
        self.points = points
        self.farthest_first = farthest_first
        self.unless_above = unless_above
        self.x, self.y, self.z = ([point[axis] for point in points] for axis in range(3))
        self.reach = max(map(abs, chain(self.x, self.y, self.z)), default=0.0)
        self.faces: Dict[_Face, None] = {}
        self.behind: Dict[Tuple[int, int], _Face] = {}  # by directed edge, the face that has it
        self.waiting: List[_Face] = []

    def begin(self) -> bool:
        """Find a first tetrahedron; return False if all points are in one plane."""
        corners = self._simplex()
        if corners is None:
            return False
        a, b, c, d = corners
        # Triangles are counter-clockwise from outside: d must be below (a, b, c).
        if self._height_sign(self._plane((a, b, c)), d) > 0:
            b, c = c, b
        faces = [
            self._make((a, b, c)),
            self._make((a, d, b)),
            self._make((b, d, c)),
            self._make((c, d, a)),
        ]
        rest = [k for k in range(len(self.points)) if k not in (a, b, c, d)]
        self._share(faces, rest)
        return True

    def _simplex(self) -> Optional[Tuple[int, int, int, int]]:
        """Return the numbers of four points far from each other that are not coplanar, or None.

        Floats propose each point; integers decide if it is off the line or plane of the previous points. If not, the
        first point that is takes its place.
        """
        points = self.points
        numbers = range(len(points))
        if len(points) < 4:
            return None
        # The first and the last by x, then y, then z, are corners of the hull.
        a = min(numbers, key=points.__getitem__)
        b = max(numbers, key=points.__getitem__)
        c = self._farthest_off_line(a, b)
        if not self._is_off_line(a, b, c):
            c = next((k for k in numbers if self._is_off_line(a, b, k)), -1)
        if c < 0:
            return None
        plane = self._plane((a, b, c))
        d = self._farthest_off_plane(plane)
        if not self._exact_height(plane, d):
            d = next((k for k in numbers if self._exact_height(plane, k)), -1)
        return None if d < 0 else (a, b, c, d)

    def _farthest_off_line(self, a: int, b: int) -> int:
        """Return the number of the point farthest from the line through two points, in float precision."""
        (ax, ay, az), (bx, by, bz) = self.points[a], self.points[b]
        ux, uy, uz = bx - ax, by - ay, bz - az

        def squared_area(k: int) -> float:
            """Return the square of twice the area of the triangle with a and b, which grows with the distance."""
            vx, vy, vz = self.x[k] - ax, self.y[k] - ay, self.z[k] - az
            nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            return nx * nx + ny * ny + nz * nz

        return max(range(len(self.points)), key=squared_area)

    def _is_off_line(self, a: int, b: int, k: int) -> bool:
        """Return True if three points are not on a line, exactly."""
        return any(normal_of((self._exact_point(a), self._exact_point(b), self._exact_point(k))))

    def _farthest_off_plane(self, plane: _Face) -> int:
        """Return the number of the point farthest from a plane on either side, in float precision."""
        nx, ny, nz = plane.normal
        level = plane.level

        def height(k: int) -> float:
            """Return the distance from the plane, times the length of its normal."""
            return abs(nx * self.x[k] + ny * self.y[k] + nz * self.z[k] - level)

        return max(range(len(self.points)), key=height)

    @cached_property
    def unit(self) -> int:
        """The number of units in 1: all coordinates are multiples of the unit."""
        return unit_of(self.points)

    def _exact_point(self, number: int) -> Whole:
        """Return the coordinates of a point as exact integers, in the common unit."""
        return in_units(self.points[number], self.unit)

    def _plane(self, corners: Triangle) -> _Face:
        """Return a face without points."""
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = map(self.points.__getitem__, corners)
        ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        if self.unless_above is None:
            slack = (
                FILTER
                * max(abs(ux), abs(uy), abs(uz))
                * max(abs(vx), abs(vy), abs(vz))
                * self.reach
                + LEAST_FILTER
            )
        else:  # negative: every float sign is exact, and only higher points are outside
            slack = -self.unless_above * sqrt(nx * nx + ny * ny + nz * nz)
        return _Face(corners, (nx, ny, nz), nx * ax + ny * ay + nz * az, slack)

    def _make(self, corners: Triangle) -> _Face:
        """Return a new face of the hull."""
        face = self._plane(corners)
        self.faces[face] = None
        a, b, c = corners
        self.behind[a, b] = self.behind[b, c] = self.behind[c, a] = face
        return face

    def _height_sign(self, face: _Face, number: int) -> int:
        """Return a number with the sign of the height of a point over the plane of a face."""
        nx, ny, nz = face.normal
        height = nx * self.x[number] + ny * self.y[number] + nz * self.z[number] - face.level
        if abs(height) > face.slack:
            return 1 if height > 0.0 else -1
        return self._exact_height(face, number)

    def _exact_height(self, face: _Face, number: int) -> int:
        """Return the exact height of a point over the plane of a face, times the length of its normal, in units."""
        if face.exact_plane is None:
            a, b, c = map(self._exact_point, face.corners)
            nx, ny, nz = normal_of((a, b, c))
            face.exact_plane = (nx, ny, nz, nx * a[0] + ny * a[1] + nz * a[2])
        nx, ny, nz, level = face.exact_plane
        x, y, z = self._exact_point(number)
        return nx * x + ny * y + nz * z - level

    def _share(self, faces: List[_Face], candidates: List[int]) -> None:
        """Assign each candidate to a face that it is above; the others are inside the hull."""
        # Any face that it is above will do; otherwise the face with the greatest height.
        if not self.farthest_first:
            for face in faces:
                candidates = self._assign(face, candidates)
            return
        x, y, z = self.x, self.y, self.z
        best = [(0.0, -1)] * len(candidates)
        for number, face in enumerate(faces):
            nx, ny, nz = face.normal
            length = sqrt(nx * nx + ny * ny + nz * nz) or LEAST_FILTER
            # A point within the rounding error of the plane counts as inside: with `most`, corners are omitted anyway.
            nx, ny, nz = nx / length, ny / length, nz / length
            level = (face.level + face.slack) / length
            heights_over = [(nx * x[k] + ny * y[k] + nz * z[k] - level, number) for k in candidates]
            best = list(map(max, best, heights_over))
        above: List[List[Tuple[float, int]]] = [[] for _ in faces]
        for (height, number), k in zip(best, candidates):
            if number >= 0:
                above[number].append((height, k))
        for face, heights in zip(faces, above):
            if heights:
                face.outside = [k for _, k in heights]
                face.height, face.farthest = max(heights)
                self.waiting.append(face)

    def _assign(self, face: _Face, candidates: List[int]) -> List[int]:
        """Assign to a face all candidates strictly above it, and return the others."""
        x, y, z = self.x, self.y, self.z
        nx, ny, nz = face.normal
        # Between these levels floats do not determine the side of a point.
        low, high = face.level - face.slack, face.level + face.slack
        heights = [(v, k) for k in candidates if (v := nx * x[k] + ny * y[k] + nz * z[k]) > low]
        above = [
            pair for pair in heights if pair[0] > high or self._exact_height(face, pair[1]) > 0
        ]
        if not above:
            return candidates
        top, farthest = max(above)
        if len(above) > 1:  # among equally high points the outermost, which is a corner of the hull
            farthest = max((k for v, k in above if v == top), key=self.points.__getitem__)
        face.outside = [k for _, k in above]
        face.farthest = farthest
        self.waiting.append(face)
        if len(above) == len(candidates):
            return []
        assigned = set(face.outside)
        return [k for k in candidates if k not in assigned]

    def next_face(self) -> Optional[_Face]:
        """Return a face with points above it, or None."""
        while self.waiting:
            face = self.waiting.pop()
            # Faces visible from a later point have been removed.
            if face in self.faces:
                return face
        return None

    def next_highest_face(self) -> Optional[_Face]:
        """Return the face whose farthest point is highest, or None, after forgetting removed faces."""
        self.waiting = [face for face in self.waiting if face in self.faces]
        return max(self.waiting, key=lambda face: face.height, default=None)

    def add(self, face: _Face) -> None:
        """Add the farthest point above a face: a cone replaces all faces visible from it."""
        eye = face.farthest
        # A dictionary keeps the order, for the same hull in every run.
        seen = {face: None}
        unseen = set()
        stack = [face]
        horizon: List[Tuple[int, int]] = []
        while stack:
            a, b, c = stack.pop().corners
            for edge in ((a, b), (b, c), (c, a)):
                # The face across an edge has it in the opposite direction.
                other = self.behind[edge[1], edge[0]]
                if other in seen:
                    continue
                if other not in unseen and self._height_sign(other, eye) > 0:
                    seen[other] = None
                    stack.append(other)
                else:
                    unseen.add(other)
                    horizon.append(edge)

        rest = [k for visible in seen for k in visible.outside if k != eye]
        for visible in seen:
            del self.faces[visible]
        self._share([self._make((a, b, eye)) for a, b in horizon], rest)

    def result(self) -> Hull:
        """Return the present hull."""
        corners = [face.corners for face in self.faces]
        used = sorted({*chain.from_iterable(corners)})
        numbers = {k: number for number, k in enumerate(used)}
        triangles = [(numbers[a], numbers[b], numbers[c]) for a, b, c in corners]
        # Each from its smallest corner, and sorted, so that equal hulls are equal tuples.
        turned = [min((a, b, c), (b, c, a), (c, a, b)) for a, b, c in triangles]
        return Hull(tuple(self.points[k] for k in used), tuple(sorted(turned)))
