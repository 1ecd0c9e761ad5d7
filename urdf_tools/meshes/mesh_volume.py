"""Volume, center and moments of the solid in a closed surface. The integrals are exact, in integers, for float32 numbers.

A surface is closed if each edge of its triangles occurs equally often in both directions. Exactly then the integrals do
not depend on the origin, and weigh each point by its winding number, which tells whether it is inside: a cavity with
inward normals is excluded.
"""

from __future__ import annotations

from itertools import chain, combinations_with_replacement
from math import sqrt
from typing import Container, Dict, Iterable, List, Optional, Sequence, Tuple

from ..base.type_aliases import Reals
from ..base.number_text import count_of
from ..base.record_type import Record
from ..urdf.spatial_math import MassProperties, Matrix
from .mesh_content import Box, Point
from .convex_hull import convex_hull, in_units, Triangle, unit_of
from .verify_witnesses import triangles_at

Corners = Tuple[Point, Point, Point]
ROUNDING = 2.0**-46  # of products of differences: more than all roundings of a determinant
MOST_CELLS = 4096  # bounded, because large triangles are in many cells
# 6 V, 24 times the first moments, 120 times the second moments: xx xy xz yy yz zz.
Sums = Reals
# Irregular points, unlikely to be on a line of a grid.
BARYCENTRIC = ((0.31, 0.47, 0.22), (0.53, 0.29, 0.18), (0.17, 0.61, 0.22))


class TriangleColumns:
    """The triangles of a surface, by the columns along z that contain them."""

    def __init__(self, triangles: Sequence[Corners]) -> None:
        """Sort the triangles into cells in x and y; a triangle is in each cell that its rectangle touches."""
        self.triangles = triangles
        xs, ys, _ = zip(*chain.from_iterable(triangles))
        self.low = (min(xs), min(ys))
        sides = (max(xs) - self.low[0], max(ys) - self.low[1])
        # About one triangle for each cell; a surface that is thin in x or y has a single row of cells.
        count = min(len(triangles), MOST_CELLS)
        self.step = max(sqrt(sides[0] * sides[1] / count), max(sides) / count) or 1.0
        self.cells: Dict[Tuple[int, int], List[int]] = {}
        for number, corners in enumerate(triangles):
            xs, ys, _ = zip(*corners)
            columns = range(self._cell(min(xs), 0), self._cell(max(xs), 0) + 1)
            rows = range(self._cell(min(ys), 1), self._cell(max(ys), 1) + 1)
            for i in columns:
                for j in rows:
                    self.cells.setdefault((i, j), []).append(number)

    def _cell(self, value: float, axis: int) -> int:
        """Return the index along an axis of the cell that contains a coordinate."""
        return int((value - self.low[axis]) / self.step // 1)  # `int` alone would round towards 0

    def winding(self, point: Point, without: Container[int] = ()) -> Optional[int]:
        """Return the winding number of the surface around a point, or None if rounding could change it.

        A vertical line up from the point leaves the body through triangles that face up, and enters it through
        triangles that face down. Triangles with numbers in `without` are ignored.
        """
        # Inlined, because it runs for millions of points.
        x, y, z = point
        total = 0
        for number in self.cells.get((self._cell(x, 0), self._cell(y, 1)), ()):
            if number in without:
                continue
            (ax, ay, az), (bx, by, bz), (cx, cy, cz) = self.triangles[number]
            ax, ay, az, bx, by, bz = ax - x, ay - y, az - z, bx - x, by - y, bz - z
            cx, cy, cz = cx - x, cy - y, cz - z
            if (
                max(az, bz, cz) < 0.0
                or min(ax, bx, cx) > 0.0
                or max(ax, bx, cx) < 0.0
                or min(ay, by, cy) > 0.0
                or max(ay, by, cy) < 0.0
            ):
                continue
            # u, v, w are twice the areas that the point makes with each edge, seen along z: of equal signs inside.
            across = max(abs(ax), abs(ay), abs(bx), abs(by), abs(cx), abs(cy))
            u = bx * cy - by * cx
            v = cx * ay - cy * ax
            w = ax * by - ay * bx
            unsure = ROUNDING * across * across
            if min(u, v, w) < -unsure and max(u, v, w) > unsure:
                continue  # the line misses the triangle
            if min(abs(u), abs(v), abs(w)) <= unsure:
                return None
            # The sign of the height relative to the sign of the area tells whether the triangle is above the point.
            height = u * az + v * bz + w * cz
            if abs(height) <= ROUNDING * across * across * max(abs(az), abs(bz), abs(cz)):
                return None
            if (height > 0.0) == (u > 0.0):
                total += 1 if u > 0.0 else -1
        return total


class NoVolume(ValueError):
    """A surface without a volume; the message gives the reason, to be placed after the name of a mesh."""


class SolidVolume(Record):
    """The solid in a closed surface.

    Attributes:
        properties: the mass properties with 1 kg/m^3, in the frame of the mesh, scaled.
        is_turned: the volume of the surface is negative, so its inside was swapped with its outside.
        boxes: the boxes of its connected parts, without cavities.
    """

    properties: MassProperties
    is_turned: bool
    boxes: Tuple[Box, ...]


def solid_of(
    points: Sequence[Point], triangles: Sequence[Triangle], scale: Sequence[float] = (1.0, 1.0, 1.0)
) -> SolidVolume:
    """Return the solid in a surface [m]; its triangles must use each of its points, and points must be distinct.

    Raises:
        NoVolume: the surface is open or flat, or the inside of a part is ambiguous.
    """
    open_count = open_edges(triangles)
    if open_count:
        raise NoVolume(f"is open ({count_of(open_count, 'edge')} without a neighbor)")
    unit = unit_of(points)
    exact_points = [in_units(point, unit) for point in points]
    shells = connected(len(points), triangles)
    sums_of = [_sums(exact_points, shell) for shell in shells]
    total = [sum(column) for column in zip(*sums_of)] or [0]
    if not total[0] or 0.0 in scale:
        raise NoVolume("is flat")
    sign = 1 if total[0] > 0 else -1
    # A part of opposite sign is a cavity if it is inside a different part; otherwise it is an error.
    if any(sign * sums[0] < 0 for sums in sums_of):
        _require_outer_shells(points, shells, [sign * sums[0] for sums in sums_of], sign)
    boxes: List[Box] = []
    for shell, sums in zip(shells, sums_of):
        if sign * sums[0] > 0:
            boxes.append(_box([points[k] for k in chain.from_iterable(shell)], scale))
    return SolidVolume(
        properties=_properties([sign * value for value in total], unit, scale),
        is_turned=sign < 0,
        boxes=tuple(boxes),
    )


def roughly(
    points: Sequence[Point], triangles: Iterable[Triangle], scale: Sequence[float] = (1.0, 1.0, 1.0)
) -> SolidVolume:
    """Return the solid of a closed surface, in floats and without its boxes: three times as fast as `solid_of`.

    Points may be duplicates. Nothing is checked: the numbers of an open surface are meaningless.

    Raises:
        NoVolume: the surface is flat.
    """
    sums = _sums(points, triangles)
    if not sums[0] or 0.0 in scale:
        raise NoVolume("is flat")
    sign = 1 if sums[0] > 0 else -1
    return SolidVolume(_properties([sign * value for value in sums], 1, scale), sign < 0, ())


def hull_properties(points: Sequence[Point]) -> Optional[MassProperties]:
    """Return the mass properties of the hull of points, with 1 kg/m^3, or None without a volume."""
    hull = convex_hull(points)
    try:
        return roughly(hull.corners, hull.triangles).properties if hull is not None else None
    except NoVolume:
        return None


def volume_and_center(triangles: Iterable[Corners]) -> Tuple[float, Point]:
    """Return volume [m^3] and center of a closed surface, in floats; the center of a flat surface is the origin."""
    V = X = Y = Z = 0.0
    for (ax, ay, az), (bx, by, bz), (cx, cy, cz) in triangles:
        d = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        V += d
        X += d * (ax + bx + cx)
        Y += d * (ay + by + cy)
        Z += d * (az + bz + cz)
    part = 0.25 / V if V else 0.0
    return V / 6.0, (part * X, part * Y, part * Z)


def open_edges(triangles: Sequence[Triangle]) -> int:
    """Return the number of edges of triangles without a partner in the opposite direction."""
    return sum(map(abs, _balance(triangles).values()))


def _balance(triangles: Sequence[Triangle]) -> Dict[Tuple[int, int], int]:
    """Return for each edge, lower number first, its count in this direction minus its count in the opposite direction."""
    balance: Dict[Tuple[int, int], int] = {}
    for a, b, c in triangles:
        for start, end in ((a, b), (b, c), (c, a)):
            if start < end:
                balance[start, end] = balance.get((start, end), 0) + 1
            elif end < start:
                balance[end, start] = balance.get((end, start), 0) - 1
    return balance


def with_holes_closed(triangles: Sequence[Triangle]) -> List[Triangle]:
    """Return triangles, and fans over the loops of edges without a partner in the opposite direction."""
    following: Dict[int, List[int]] = {}
    for (start, end), count in sorted(_balance(triangles).items()):
        if count < 0:
            start, end = end, start
        if count:  # the missing edges have the opposite direction
            following.setdefault(end, []).extend([start] * abs(count))
    closed = list(triangles)
    while following:
        first = at = min(following)
        while True:
            before = at
            at = following[at].pop()
            if not following[before]:
                del following[before]
            if at == first:
                break
            # Edges from or to the first point are sides of the fan already.
            if before != first:
                closed.append((first, before, at))
    return closed


def connected(count: int, triangles: Sequence[Triangle]) -> List[List[Triangle]]:
    """Return the triangles of each part of a surface that is connected by points, in the order of first triangles."""
    # Union-find: the points of a part are a tree, whose root represents the part.
    parents = list(range(count))

    def root_of(point: int) -> int:
        """Return the root of the tree of a point."""
        while parents[point] != point:
            # Path halving keeps later searches short.
            parents[point] = parents[parents[point]]
            point = parents[point]
        return point

    for a, b, c in triangles:
        first = root_of(a)
        parents[root_of(b)] = first
        parents[root_of(c)] = first
    parts: Dict[int, List[Triangle]] = {}
    for triangle in triangles:
        parts.setdefault(root_of(triangle[0]), []).append(triangle)
    return list(parts.values())


def _sums(points: Sequence[Point], triangles: Iterable[Triangle]) -> Sums:
    """Return the integrals over the tetrahedra from the origin to each triangle, exact for integer coordinates.

    With d = a.(b x c) and s = a + b + c, 6 V = d, 24 V c = d s, and 120 times the integral of x_i x_j is d (a_i a_j +
    b_i b_j + c_i c_j + s_i s_j): F. Tonon, "Explicit exact formulas for the 3-D tetrahedron inertia tensor", 2004.
    """
    zero: float = 0  # an integer stays an integer
    V = X = Y = Z = XX = XY = XZ = YY = YZ = ZZ = zero
    for i, j, k in triangles:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = points[i], points[j], points[k]
        d = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        x, y, z = ax + bx + cx, ay + by + cy, az + bz + cz
        V += d
        X += d * x
        Y += d * y
        Z += d * z
        XX += d * (ax * ax + bx * bx + cx * cx + x * x)
        XY += d * (ax * ay + bx * by + cx * cy + x * y)
        XZ += d * (ax * az + bx * bz + cx * cz + x * z)
        YY += d * (ay * ay + by * by + cy * cy + y * y)
        YZ += d * (ay * az + by * bz + cy * cz + y * z)
        ZZ += d * (az * az + bz * bz + cz * cz + z * z)
    return V, X, Y, Z, XX, XY, XZ, YY, YZ, ZZ


def _properties(sums: Sequence[float], unit: int, scale: Sequence[float]) -> MassProperties:
    """Return the mass properties with 1 kg/m^3, each number rounded once."""
    from fractions import Fraction

    factors = [Fraction(factor) for factor in scale]
    # The sums are in units of 1 / `unit` m, before the scale.
    size = abs(factors[0] * factors[1] * factors[2]) / unit**3
    volume = sums[0] * size / 6
    center = [
        value * size * factor / (24 * unit) / volume for value, factor in zip(sums[1:4], factors)
    ]
    S: Dict[Tuple[int, int], float] = {}
    for (i, j), value in zip(combinations_with_replacement(range(3), 2), sums[4:]):
        about_origin = value * size * factors[i] * factors[j] / (120 * unit * unit)
        S[i, j] = about_origin - volume * center[i] * center[j]
    # The inertia tensor is trace(S) 1 - S, with S about the center.
    trace = S[0, 0] + S[1, 1] + S[2, 2]
    xy, xz, yz = float(-S[0, 1]), float(-S[0, 2]), float(-S[1, 2])
    inertia: Matrix = (
        (float(trace - S[0, 0]), xy, xz),
        (xy, float(trace - S[1, 1]), yz),
        (xz, yz, float(trace - S[2, 2])),
    )
    return MassProperties(
        float(volume), (float(center[0]), float(center[1]), float(center[2])), inertia
    )


def _require_outer_shells(
    points: Sequence[Point],
    shells: Sequence[Sequence[Triangle]],
    volumes: Sequence[float],
    sign: int,
) -> None:
    """Refuse a part with a negative volume that is not inside a different part.

    Raises:
        NoVolume: such a part exists.
    """
    columns = TriangleColumns(triangles_at(points, chain.from_iterable(shells)))
    last = 0
    for shell, volume in zip(shells, volumes):
        first = last
        last = last + len(shell)
        if volume < 0:
            (ax, ay, az), (bx, by, bz), (cx, cy, cz) = max(
                columns.triangles[first:last], key=_spread
            )
            # Three points, because a line from one of them may hit an edge.
            windings = [
                columns.winding(
                    (u * ax + v * bx + w * cx, u * ay + v * by + w * cy, u * az + v * bz + w * cz),
                    range(first, last),
                )
                for u, v, w in BARYCENTRIC
            ]
            if not any(winding is not None and sign * winding > 0 for winding in windings):
                raise NoVolume("has a part with its normals inward that is in no other part")


def _spread(corners: Sequence[Point]) -> float:
    """Return the sum of the sides of the box of a triangle across z, which a column along z crosses."""
    xs, ys, _ = zip(*corners)
    width: float = max(xs) - min(xs)
    depth: float = max(ys) - min(ys)
    return width + depth


def _box(points: Sequence[Point], scale: Sequence[float]) -> Box:
    """Return the smallest and largest x, y, z of points under a scale, which may mirror them."""
    (a, d), (b, e), (c, f) = (
        sorted((factor * min(column), factor * max(column)))
        for column, factor in zip(zip(*points), scale)
    )
    return (a, b, c), (d, e, f)
