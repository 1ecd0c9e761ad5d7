"""A lattice of cells over a mesh that counts the cells of a hull far off the mesh: each row along x is an integer of bits.

A hull is drawn into the rows: each of its facets gives the x at which the rows in its shadow enter or leave the hull. Its
cells are then counted by a few thousand `and`s, so no distance is computed while planes are tried. The lattice is not a
proof: the hulls that it allows are examined again, exactly.
"""

from __future__ import annotations

from math import ceil, sqrt
from operator import itemgetter
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ..meshes.convex_hull import Hull, Point, Triangle
from ..meshes.verify_witnesses import longest_side, normal_of
from ..urdf.spatial_math import add, scale, subtract
from .sphere_cover import count_bits

# [cells] around the mesh: two free cells at each end, and a part of a cell, so that edges that were drawn in whole
# numbers lie on no row. Chosen: any part that is not a simple fraction does it.
PAD = 2.2185
DENSE = 0.7  # [cells] between the points that mark the surface: thin walls may contain no middle of a cell
# Times the distance: a far cell counts once for each level that it exceeds.
LEVELS = (1.0, 2.0, 4.0)
PLAIN = 0.05  # the cost of a near cell, so that of two equally good cuts the smaller volume wins
Rows = List[int]
Span = Tuple[int, int, float, float, bool]


class VoxelLattice:
    """Cells over a solid, with marks on the cells that are far off it.

    Attributes:
        side: the side of a cell.
        far: for each of LEVELS the cells that are farther off the solid.
    """

    def __init__(
        self, points: Sequence[Point], triangles: Sequence[Triangle], side: float, distance: float
    ) -> None:
        """Mark the cells that are far off the solid, for each level of distance."""
        self.side = side
        placed = self._placed(points)
        nx, self.ny, self.nz = (int(max(column) + PAD) + 1 for column in zip(*placed))
        full = (1 << nx) - 1
        rows = self._inside(placed, triangles)
        for a, b, c in triangles:
            self._mark(rows, (placed[a], placed[b], placed[c]))
        # From here on, lengths are in cells.
        reach = distance / side
        self.far = [[full & ~row for row in self._grown(rows, level * reach)] for level in LEVELS]

    def _placed(self, points: Sequence[Point]) -> List[Point]:
        """Return points in units of cells, with the padding."""
        part = 1.0 / self.side
        return [(PAD + part * x, PAD + part * y, PAD + part * z) for x, y, z in points]

    def _spans(self, placed: Sequence[Point], triangles: Sequence[Triangle]) -> Iterator[Span]:
        """Yield the rows that cross triangles, level by level.

        A span has the number of the first row, the number of rows, x in the first row, the growth of x from row to row,
        and True if the rows leave the solid there.
        """
        for i, j, k in triangles:
            corners = placed[i], placed[j], placed[k]
            nx, ny, nz = normal_of(corners)
            # Rows do not cross a triangle parallel to x.
            if not nx:
                continue
            a, b, c = sorted(corners, key=itemgetter(2))
            # The growth of x on the plane of the triangle with y, and with z.
            growth = -ny / nx
            slope = -nz / nx
            # The ranges are half-open: a row through an edge crosses only one of its two triangles.
            for level in range(ceil(a[2] - 0.5), ceil(c[2] - 0.5)):
                z = level + 0.5
                y = _along(a, c, z)
                other = _along(a, b, z) if z < b[2] else _along(b, c, z)
                first = ceil(min(y, other) - 0.5)
                end = ceil(max(y, other) - 0.5)
                if first < end:
                    x = a[0] + slope * (z - a[2]) + growth * (first + 0.5 - a[1])
                    yield level * self.ny + first, end - first, x, growth, nx > 0.0

    def _inside(self, placed: Sequence[Point], triangles: Sequence[Triangle]) -> Rows:
        """Return the cells whose middles are inside the surface: their winding number is not 0."""
        crossings: Dict[int, List[Tuple[float, int]]] = {}
        for first, count, x, growth, leaves in self._spans(placed, triangles):
            turn = -1 if leaves else 1
            for k in range(count):
                crossings.setdefault(first + k, []).append((x + growth * k, turn))
        rows = [0] * (self.ny * self.nz)
        for row, met in crossings.items():
            winding = 0
            start = 0.0
            for x, turn in sorted(met):
                if winding == 0:
                    start = x
                winding += turn
                if winding == 0:
                    rows[row] |= (1 << ceil(x - 0.5)) - (1 << ceil(start - 0.5))
        return rows

    def _mark(self, rows: Rows, triangle: Tuple[Point, Point, Point]) -> None:
        """Set the cells that a triangle goes through."""
        count = max(1, ceil(longest_side(triangle)[0] / DENSE))
        start, *ends = triangle
        along, (ax, ay, az) = (scale(1.0 / count, subtract(end, start)) for end in ends)
        for s in range(count + 1):
            x, y, z = add(start, scale(s, along))
            for t in range(count + 1 - s):
                rows[int(z + t * az) * self.ny + int(y + t * ay)] |= 1 << int(x + t * ax)

    def _grown(self, rows: Rows, radius: float) -> Rows:
        """Return the cells within a radius [cells] of the cells in the rows."""
        offsets_of_axis = range(-int(radius), int(radius) + 1)
        offsets_by_width: Dict[int, List[Tuple[int, int]]] = {}
        for dy in offsets_of_axis:
            for dz in offsets_of_axis:
                square_in_row = radius * radius - dy * dy - dz * dz
                if square_in_row >= 0.0:
                    # Offsets with the same width share the spread row.
                    offsets_by_width.setdefault(int(sqrt(square_in_row)), []).append((dy, dz))
        grown = [0] * len(rows)
        for width, offsets in offsets_by_width.items():
            for row, bits in enumerate(rows):
                if not bits:
                    continue
                spread = 0
                while spread < width:  # by 1, 2, 4 ...: a shift by spread + 1 leaves no gap
                    step = min(width - spread, spread + 1)
                    bits |= bits << step | bits >> step
                    spread += step
                z, y = divmod(row, self.ny)
                for dy, dz in offsets:
                    if 0 <= y + dy < self.ny and 0 <= z + dz < self.nz:
                        grown[row + dz * self.ny + dy] |= bits
        return grown

    def judge(self, hull: Optional[Hull]) -> Tuple[float, int]:
        """Return the cost of a hull, and the number of its cells that are too far off the solid."""
        if hull is None:
            return 0.0, 0
        first: Dict[int, float] = {}
        last: Dict[int, float] = {}
        for row, count, x, growth, leaves in self._spans(
            self._placed(hull.corners), hull.triangles
        ):
            end = last if leaves else first
            for k in range(count):
                end[row + k] = x + growth * k
        cost = 0.0
        beyond = 0
        for row, x in last.items():
            # The cells of both ends count: otherwise a plate between two middles would have no cells.
            start = int(first.get(row, x))
            count = int(x) - start + 1
            cost += PLAIN * count
            bits = self.far[0][row] >> start & ((1 << count) - 1) if count > 0 else 0
            if bits:
                far_cells = count_bits(bits)
                beyond += far_cells
                cost += far_cells
                for level in self.far[1:]:
                    cost += count_bits(bits & level[row] >> start)
        return cost, beyond


def _along(start: Point, end: Point, z: float) -> float:
    """Return y of the point of an edge at a height z."""
    return start[1] + (z - start[2]) * ((end[1] - start[1]) / (end[2] - start[2]))
