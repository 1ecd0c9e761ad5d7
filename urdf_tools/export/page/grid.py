"""Triangles on a grid of integers: welded, made coarser, and packed into bytes.

A mesh is scaled to 65,535 steps along its longest edge. Its points are single integers, `x << 40 | y << 20 | z`, so
that equal points are found fast, and every result is exact: the same bytes on every machine.
"""
import sys
from array import array
from itertools import chain
from math import fsum, sqrt
from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from ...meshes.form import Point, Surface

STEPS = 65535
BITS = 20
MASK = (1 << BITS) - 1
# Of a closed surface V - E + F = 2 and 3 F = 2 E: twice as many triangles as points, and as clusters of points.
TRIANGLES_PER_CELL = 2.15


class Grid(NamedTuple):
    """A surface on its grid: point = low + step * integers.

    Attributes:
        low: the lowest corner, in the unit of the mesh.
        step: the edge of a cell.
        points: packed integers.
        corners: three numbers of points for each triangle.
    """

    low: Point
    step: float
    points: List[int]
    corners: List[int]

    @property
    def triangles(self) -> int:
        """How many there are."""
        return len(self.corners) // 3


class PackedGrid(NamedTuple):
    """A grid as bytes: uint16 x y z of each point, padded to four bytes, then the corners as uint16 or uint32."""

    points: bytes
    corners: bytes
    wide: bool


def grid_of(surface: Surface) -> Grid:
    """Return a surface on its grid, equal points welded; triangles that collapse there are left out."""
    used = dict.fromkeys(surface.corners)  # a surface may share its points with others; in the order of first use
    axes = [list(map(surface.positions[axis::3].__getitem__, used)) for axis in range(3)]
    low: Point = (min(axes[0]), min(axes[1]), min(axes[2]))
    step = max(max(values) - least for values, least in zip(axes, low)) / STEPS or 1.0
    per_step = 1.0 / step
    x, y, z = ([int((value - least) * per_step + 0.5) for value in values] for values, least in zip(axes, low))
    numbers: Dict[int, int] = {}
    number_of = numbers.setdefault
    welded = {corner: number_of(a << 2 * BITS | b << BITS | c, len(numbers)) for corner, a, b, c in zip(used, x, y, z)}
    corners = [welded[corner] for corner in surface.corners]
    return Grid(low, step, list(numbers), _without_collapsed(corners))


def _without_collapsed(corners: Sequence[int]) -> List[int]:
    ones = iter(corners)
    return list(chain.from_iterable(
        (a, b, c) for a, b, c in zip(ones, ones, ones) if a != b and b != c and c != a))


def count_cells(grid: Grid, edge: int) -> int:
    """Return how many cells of `edge` steps hold a point."""
    return len(set(_cells(grid, edge)))


def _cells(grid: Grid, edge: int) -> List[int]:
    if edge & (edge - 1) == 0:  # whole bits: the low ones are cleared, all three at once
        clear = ~((edge - 1) * (1 | 1 << BITS | 1 << 2 * BITS))
        return [point & clear for point in grid.points]
    return [(point >> 2 * BITS) // edge << 2 * BITS | (point >> BITS & MASK) // edge << BITS | (point & MASK) // edge
            for point in grid.points]


def clustered(grid: Grid, edge: int) -> Grid:
    """Return a grid whose points are the means of the points of each cell of `edge` steps.

    After J. Rossignac and P. Borrel, "Multi-resolution 3D approximations for rendering complex scenes", 1993. Triangles
    that collapse, and further ones with the same corners, are left out.
    """
    if edge <= 1:
        return grid
    numbers: Dict[int, int] = {}
    owner = [numbers.setdefault(cell, len(numbers)) for cell in _cells(grid, edge)]
    sums, members = [0] * len(numbers), [0] * len(numbers)
    wide = [(point >> 2 * BITS) << 80 | (point >> BITS & MASK) << 40 | point & MASK for point in grid.points]
    for number, point in zip(owner, wide):  # three sums of at most 2^24 numbers below 2^16 in one integer
        sums[number] += point
        members[number] += 1
    low_bits = (1 << 40) - 1
    points = [(total >> 80) // count << 2 * BITS | (total >> 40 & low_bits) // count << BITS
              | (total & low_bits) // count for total, count in zip(sums, members)]
    corners: List[int] = []
    seen: Set[Tuple[int, ...]] = set()
    ones = map(owner.__getitem__, grid.corners)
    for a, b, c in zip(ones, ones, ones):
        if a != b and b != c and c != a:
            key = (a, b, c) if a < b and a < c else (b, c, a) if b < c else (c, a, b)
            if key not in seen:
                seen.add(key)
                corners += key
    return grid._replace(points=points, corners=corners)


def fitted(grids: Sequence[Grid], scales: Sequence[float], most: int) -> Tuple[List[Grid], float]:
    """Return grids with at most `most` triangles together (0: all), and the edge of their cells [m], 0 for none.

    Args:
        grids: the surfaces.
        scales: the largest factor that each is drawn with, so that all cells are equally large there.
        most: the number of triangles.
    """
    if not most or sum(grid.triangles for grid in grids) <= most:
        return list(grids), 0.0

    def edges(size: float) -> List[int]:
        return [max(1, round(size / (grid.step * scale))) for grid, scale in zip(grids, scales)]

    def guess(size: float) -> float:
        return fsum(min(float(grid.triangles), TRIANGLES_PER_CELL * count_cells(grid, edge))
                   for grid, edge in zip(grids, edges(size)))

    longest = max(grid.step * scale for grid, scale in zip(grids, scales)) * STEPS
    low, high = longest / STEPS, longest / 8
    for _ in range(7):  # by halves of the exponent: to within 8 percent
        middle = sqrt(low * high)
        low, high = (middle, high) if guess(middle) > most else (low, middle)
    while True:  # the guess may be too low
        coarser = [clustered(grid, edge) for grid, edge in zip(grids, edges(high))]
        if sum(grid.triangles for grid in coarser) <= most or high > longest:
            return coarser, high
        high *= 1.15


def packed(grid: Grid) -> PackedGrid:
    """Return a grid as bytes, its points numbered in the order of their first use."""
    numbers: Dict[int, int] = {}
    corners = [numbers.setdefault(corner, len(numbers)) for corner in grid.corners]
    points = [grid.points[number] for number in numbers]
    positions = array("H", chain.from_iterable(
        (point >> 2 * BITS, point >> BITS & MASK, point & MASK) for point in points))
    wide = len(points) > STEPS
    indices = array("I" if wide else "H", corners)
    if sys.byteorder == "big":
        positions.byteswap()
        indices.byteswap()
    return PackedGrid(_padded(positions.tobytes()), _padded(indices.tobytes()), wide)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
