"""The meshes of a page: each file is read once, each different surface is stored once, and what cannot be read is
listed.

Surfaces are on a grid of integers: welded, made coarser, and packed into bytes. A mesh is scaled to 65,535 steps along
its longest edge. Its points are single integers, `x << 40 | y << 20 | z`, so that equal points are found fast, and
every result is exact: the same bytes on every machine.
"""

from __future__ import annotations

import os
import sys
from array import array
from base64 import b64encode
from itertools import chain
from math import fsum, sqrt
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from ...base.types import Json
from ...base.errors import UrdfError
from ...base.record import Record
from ...collada.records import DaeOptions
from ...meshes.form import Point, Surface
from ...urdf.mesh_paths import is_relative, URI_SCHEME
from ...urdf.package_resolver import Found

STEPS = 65535
BITS = 20
MASK = (1 << BITS) - 1
SHIFTS = (2 * BITS, BITS, 0)  # of x, y and z in a point
# Of a closed surface V - E + F = 2 and 3 F = 2 E: twice as many triangles as points, and as clusters of points.
TRIANGLES_PER_CELL = 2.15
MAX_TRIANGLES = 200_000
PACKAGE = "package://"
Rgba = Tuple[float, float, float, float]


class Grid(Record):
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


def grid_of(surface: Surface) -> Grid:
    """Return a surface on its grid, equal points welded; triangles that collapse there are left out."""
    # A surface may share its points with others; in the order of first use.
    used = dict.fromkeys(surface.corners)
    axes = [list(map(surface.positions[axis::3].__getitem__, used)) for axis in range(3)]
    low: Point = (min(axes[0]), min(axes[1]), min(axes[2]))
    step = max(max(values) - least for values, least in zip(axes, low)) / STEPS or 1.0
    per_step = 1.0 / step
    x, y, z = (
        [int((value - least) * per_step + 0.5) for value in values]
        for values, least in zip(axes, low)
    )
    numbers: Dict[int, int] = {}
    number_of = numbers.setdefault
    welded = {
        corner: number_of(a << 2 * BITS | b << BITS | c, len(numbers))
        for corner, a, b, c in zip(used, x, y, z)
    }
    corners = [welded[corner] for corner in surface.corners]
    return Grid(low, step, list(numbers), _without_collapsed(corners))


def _without_collapsed(corners: Sequence[int]) -> List[int]:
    ones = iter(corners)
    return list(
        chain.from_iterable(
            (a, b, c) for a, b, c in zip(ones, ones, ones) if a != b and b != c and c != a
        )
    )


def _cells(grid: Grid, edge: int) -> List[int]:
    """Return the cell of `edge` steps that each point is in, as its packed number."""
    return [
        (point >> 2 * BITS) // edge << 2 * BITS
        | (point >> BITS & MASK) // edge << BITS
        | (point & MASK) // edge
        for point in grid.points
    ]


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
    wide = [
        (point >> 2 * BITS) << 80 | (point >> BITS & MASK) << 40 | point & MASK
        for point in grid.points
    ]
    # Three sums of at most 2^24 numbers below 2^16 in one integer.
    for number, point in zip(owner, wide):
        sums[number] += point
        members[number] += 1
    low_bits = (1 << 40) - 1
    points = [
        (total >> 80) // count << 2 * BITS
        | (total >> 40 & low_bits) // count << BITS
        | (total & low_bits) // count
        for total, count in zip(sums, members)
    ]
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
        return fsum(
            min(float(grid.triangles), TRIANGLES_PER_CELL * len(set(_cells(grid, edge))))
            for grid, edge in zip(grids, edges(size))
        )

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


def packed(grid: Grid, start: int) -> Tuple[Json, bytes]:
    """Return the row of a grid, and its bytes, which are at `start` in the data.

    The bytes are uint16 x y z of each point, padded to four bytes, then the corners as uint16 or uint32. Points are
    numbered in the order of their first use.
    """
    numbers: Dict[int, int] = {}
    corners = [numbers.setdefault(corner, len(numbers)) for corner in grid.corners]
    used = [grid.points[number] for number in numbers]
    points = _padded(array("H", [point >> shift & MASK for point in used for shift in SHIFTS]))
    wide = len(used) > STEPS
    row = {
        "low": list(grid.low),
        "high": [
            low + grid.step * max([point >> shift & MASK for point in grid.points], default=0)
            for low, shift in zip(grid.low, SHIFTS)
        ],
        "step": grid.step,
        "points": start,
        "corners": start + len(points),
        "count": len(corners),
        "wide": wide,
    }
    return row, points + _padded(array("I" if wide else "H", corners))


def _padded(values: "array[int]") -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    data = values.tobytes()
    return data + bytes(-len(data) % 4)


class DrawnSurface(Record):
    """A surface of a mesh file: its number in the store, and its color where the file has one."""

    number: int
    rgba: Optional[Rgba]


class PageMeshes(Record):
    """All surfaces, ready for the page.

    Attributes:
        rows: for each its extent, its grid and its position in the data.
        data: all of them in base64.
        triangles, drawn: their number in the files, and in the page.
        cell: the edge of the cells in which points were joined [m], 0 where all triangles are drawn.
    """

    rows: List[Json]
    data: str
    triangles: int
    drawn: int
    cell: float


class MeshStore:
    """Reads mesh files and remembers their surfaces, and why a file cannot be shown.

    `find` looks for a file by its name in the robot, where its path is not known.
    """

    def __init__(self, find: Callable[[str], Found], options: DaeOptions) -> None:
        self.find, self.options = find, options
        self.unreadable: Dict[str, str] = {}
        self.images: Dict[str, None] = {}
        self._found: Dict[str, Found] = {}
        self._grids: List[Grid] = []
        self._scales: List[float] = []
        self._numbers: Dict[Tuple[Any, ...], int] = {}
        self._read: Dict[Tuple[str, bool], Tuple[DrawnSurface, ...]] = {}

    def surfaces(
        self, reference: str, scale: float, source: str = "", *, separate: bool
    ) -> Tuple[DrawnSurface, ...]:
        """Return the surfaces of a mesh, () where it cannot be shown.

        Args:
            reference: the file as the URDF names it.
            separate: one surface for each color of a COLLADA file, as visuals have it; False: one for all.
            scale: the largest factor that it is drawn with.
            source: the path of the file, if that is known.
        """
        path = source or self._find(reference).path
        key = (path or reference, separate)
        if key not in self._read:
            self._read[key] = self._surfaces_of(reference, path, separate=separate)
        for surface in self._read[key]:
            self._scales[surface.number] = max(self._scales[surface.number], scale)
        return self._read[key]

    def _find(self, reference: str) -> Found:
        if reference not in self._found:
            self._found[reference] = self.find(reference)
        return self._found[reference]

    @property
    def unknown_packages(self) -> List[str]:
        """The packages in which a mesh is not found."""
        missing = [reference for reference, file in self._found.items() if file.path is None]
        return list(
            dict.fromkeys(
                reference[len(PACKAGE) :].lstrip("/").partition("/")[0]
                for reference in missing
                if reference.startswith(PACKAGE)
            )
        )

    def _surfaces_of(
        self, reference: str, path: Optional[str], *, separate: bool
    ) -> Tuple[DrawnSurface, ...]:
        if path is None:
            self.unreadable[shown_reference(reference)] = _why_not_found(self._find(reference))
            return ()
        try:
            # Imported here: a page of a robot without meshes needs no reader of them.
            from ...meshes.formats import read_mesh

            mesh = read_mesh(path, self.options._replace(separate=separate))
        except UrdfError as error:
            line = f"line {error.line}: " if error.line else ""
            self.unreadable[shown_reference(reference)] = f"{line}{error.message}"
            return ()
        surfaces = []
        for surface in mesh.surfaces:
            grid = grid_of(surface) if surface.corners else None
            if grid is not None and grid.corners:
                surfaces.append(DrawnSurface(self._number_of(grid), surface.material.rgba))
            if surface.material.image is not None:
                self.images[shown_reference(reference)] = None
        if not surfaces:
            self.unreadable[shown_reference(reference)] = "draws no triangles"
        return tuple(surfaces)

    def _number_of(self, grid: Grid) -> int:
        key = (grid.low, grid.step, tuple(grid.points), tuple(grid.corners))
        number = self._numbers.setdefault(key, len(self._grids))
        if number == len(self._grids):
            self._grids.append(grid)
            self._scales.append(0.0)
        return number

    def pack(self, most: int) -> PageMeshes:
        """Return all surfaces with at most that many triangles together (0: all)."""
        grids, cell = fitted(self._grids, self._scales, most)
        rows: List[Json] = []
        data = bytearray()
        for grid in grids:
            row, grid_bytes = packed(grid, len(data))
            rows.append(row)
            data += grid_bytes
        return PageMeshes(
            rows=rows,
            data=b64encode(bytes(data)).decode("ascii"),
            triangles=sum(grid.triangles for grid in self._grids),
            drawn=sum(grid.triangles for grid in grids),
            cell=cell,
        )


def shown_reference(reference: str) -> str:
    """Return the name of a mesh as a page may show it: without the folders of the machine where it was made."""
    inside = URI_SCHEME.match(reference) and not reference.lower().startswith("file:")
    return (
        reference
        if inside or is_relative(reference)
        else os.path.basename(reference.replace("\\", "/"))
    )


def _why_not_found(file: Found) -> str:
    """Return why a mesh is not found, without the folders that were searched: they are on this machine."""
    if file.listed:
        return f"not found; '{os.path.basename(file.listed)}' is there, spelled otherwise"
    return f"not found; {file.reason}" if file.reason else "not found"
