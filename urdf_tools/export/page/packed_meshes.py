"""The meshes of a page: each file is read once, each different surface is stored once, and files that cannot be read
are listed.

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
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ...base.type_aliases import Json
from ...base.errors import UrdfError
from ...base.record_type import Record
from ...collada.conversion_records import DaeOptions
from ...meshes.mesh_content import Point, MaterialSurface
from ...urdf.mesh_paths import is_relative, URI_SCHEME
from ...urdf.package_resolver import ResolvedFile

STEPS = 65535  # the largest uint16, as which the page stores coordinates
BITS = 20  # of a coordinate in a packed point, of which 16 are used
MASK = (1 << BITS) - 1
SHIFTS = (2 * BITS, BITS, 0)  # of x, y and z in a point
# A closed surface has V - E + F = 2 and 3 F = 2 E: twice as many triangles as points, and as clusters of points.
TRIANGLES_PER_CELL = 2.15
MAX_TRIANGLES = 200_000
PACKAGE = "package://"
Rgba = Tuple[float, float, float, float]


class QuantizedMesh(Record):
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
        """The number of triangles."""
        return len(self.corners) // 3


def grid_of(surface: MaterialSurface) -> QuantizedMesh:
    """Return a surface on its grid, equal points welded; triangles that collapse there are left out."""
    # A surface may share its points with other surfaces; its own are numbered in the order of first use.
    used = dict.fromkeys(surface.corners)
    axes = [list(map(surface.positions[axis::3].__getitem__, used)) for axis in range(3)]
    low: Point = (min(axes[0]), min(axes[1]), min(axes[2]))
    step = max(max(values) - least for values, least in zip(axes, low)) / STEPS or 1.0
    per_step = 1.0 / step
    columns: List[List[int]] = []
    for values, least in zip(axes, low):
        columns.append([int((value - least) * per_step + 0.5) for value in values])
    x, y, z = columns
    numbers: Dict[int, int] = {}
    number_of = numbers.setdefault
    welded = {
        corner: number_of(a << 2 * BITS | b << BITS | c, len(numbers))
        for corner, a, b, c in zip(used, x, y, z)
    }
    corners = [welded[corner] for corner in surface.corners]
    return QuantizedMesh(low, step, list(numbers), _without_collapsed(corners))


def _without_collapsed(corners: Sequence[int]) -> List[int]:
    """Return the corners of all triangles with three different corners."""
    flat = iter(corners)
    triangles = zip(flat, flat, flat)
    kept = ((a, b, c) for a, b, c in triangles if a != b and b != c and c != a)
    return list(chain.from_iterable(kept))


def _cells(grid: QuantizedMesh, edge: int) -> List[int]:
    """Return the cell of `edge` steps around each point, as its packed number."""
    return [
        (point >> 2 * BITS) // edge << 2 * BITS
        | (point >> BITS & MASK) // edge << BITS
        | (point & MASK) // edge
        for point in grid.points
    ]


def clustered(grid: QuantizedMesh, edge: int) -> QuantizedMesh:
    """Return a grid whose points are the means of the points of each cell of `edge` steps.

    After J. Rossignac and P. Borrel, "Multi-resolution 3D approximations for rendering complex scenes", 1993. Triangles
    that collapse, and duplicates of a triangle, are left out.
    """
    if edge <= 1:
        return grid
    numbers: Dict[int, int] = {}
    cell_of_point = [numbers.setdefault(cell, len(numbers)) for cell in _cells(grid, edge)]
    points = _means(grid.points, cell_of_point, len(numbers))
    flat = map(cell_of_point.__getitem__, grid.corners)
    return grid._replace(points=points, corners=_different_triangles(flat))


def _means(points: Sequence[int], cell_of_point: Sequence[int], cells: int) -> List[int]:
    """Return the mean of the points of each cell, as packed integers."""
    sums = [0] * cells
    members = [0] * cells
    # Three sums of at most 2^24 numbers below 2^16 in a single integer: 40 bits for each.
    wide = [
        (point >> 2 * BITS) << 80 | (point >> BITS & MASK) << 40 | point & MASK for point in points
    ]
    for cell, point in zip(cell_of_point, wide):
        sums[cell] += point
        members[cell] += 1
    low_bits = (1 << 40) - 1
    return [
        (total >> 80) // count << 2 * BITS
        | (total >> 40 & low_bits) // count << BITS
        | (total & low_bits) // count
        for total, count in zip(sums, members)
    ]


def _different_triangles(flat: Iterator[int]) -> List[int]:
    """Return the corners of triangles, each once, without collapsed ones; each begins at its least corner."""
    corners: List[int] = []
    seen: Set[Tuple[int, ...]] = set()
    for a, b, c in zip(flat, flat, flat):
        if a == b or b == c or c == a:
            continue
        # Rotate each triangle to begin at its least corner, so that duplicates are equal.
        if a < b and a < c:
            key = (a, b, c)
        elif b < c:
            key = (b, c, a)
        else:
            key = (c, a, b)
        if key not in seen:
            seen.add(key)
            corners += key
    return corners


def fitted(
    grids: Sequence[QuantizedMesh], scales: Sequence[float], most: int
) -> Tuple[List[QuantizedMesh], float]:
    """Return grids with at most `most` triangles together (0: all), and the edge of their cells [m], 0 for none.

    Args:
        grids: the surfaces.
        scales: the largest factor that each is drawn with, so that all cells are equally large on the page.
        most: the number of triangles.
    """
    if not most or sum(grid.triangles for grid in grids) <= most:
        return list(grids), 0.0

    def edges(size: float) -> List[int]:
        """Return the edge of a cell in steps of each grid, given its size [m]."""
        return [max(1, round(size / (grid.step * scale))) for grid, scale in zip(grids, scales)]

    def guess(size: float) -> float:
        """Return an estimate of the triangles that remain with cells of a size [m]."""
        return fsum(
            min(float(grid.triangles), TRIANGLES_PER_CELL * len(set(_cells(grid, edge))))
            for grid, edge in zip(grids, edges(size))
        )

    longest = max(grid.step * scale for grid, scale in zip(grids, scales)) * STEPS
    low = longest / STEPS
    high = longest / 8
    for _ in range(7):  # by halves of the exponent: to within 8 percent
        middle = sqrt(low * high)
        if guess(middle) > most:
            low = middle
        else:
            high = middle
    # The guess may be too low: cells grow until the triangles are few enough.
    while True:
        coarser = [clustered(grid, edge) for grid, edge in zip(grids, edges(high))]
        if sum(grid.triangles for grid in coarser) <= most or high > longest:
            return coarser, high
        high *= 1.15


def packed(grid: QuantizedMesh, start: int) -> Tuple[Json, bytes]:
    """Return the row of a grid, and its bytes, which begin at `start` in the data.

    The bytes are uint16 x y z of each point, padded to four bytes, then the corners as uint16 or uint32. Points are
    numbered in the order of their first use.
    """
    numbers: Dict[int, int] = {}
    corners = [numbers.setdefault(corner, len(numbers)) for corner in grid.corners]
    used = [grid.points[number] for number in numbers]
    x_y_z = ((point >> 2 * BITS, point >> BITS & MASK, point & MASK) for point in used)
    points = _padded(array("H", chain.from_iterable(x_y_z)))
    wide = len(used) > STEPS
    high: List[float] = []
    for low, shift in zip(grid.low, SHIFTS):
        steps = max([point >> shift & MASK for point in grid.points], default=0)
        high.append(low + grid.step * steps)
    kind = "I" if wide else "H"  # of the numbers of corners
    row = {
        "low": list(grid.low),
        "high": high,
        "step": grid.step,
        "points": start,
        "corners": start + len(points),
        "count": len(corners),
        "wide": wide,
    }
    return row, points + _padded(array(kind, corners))


def _padded(values: "array[int]") -> bytes:
    """Return numbers as little-endian bytes, padded to four."""
    if sys.byteorder == "big":
        values.byteswap()
    data = values.tobytes()
    return data + bytes(-len(data) % 4)


class DrawnSurface(Record):
    """A surface of a mesh file: its number in the store, and its color if the file has one."""

    number: int
    rgba: Optional[Rgba]


class PageMeshes(Record):
    """All surfaces, ready for the page.

    Attributes:
        rows: the extent, the grid and the position in the data of each.
        data: the bytes of all in base64.
        triangles, drawn: the numbers of triangles in the files, and in the page.
        cell: the edge of the cells in which points were joined [m], 0 where all triangles are drawn.
    """

    rows: List[Json]
    data: str
    triangles: int
    drawn: int
    cell: float


class MeshStore:
    """A store of the surfaces of mesh files, and of the reasons why files cannot be shown.

    `find` looks for a file by its name in the robot if its path is unknown.
    """

    def __init__(self, find: Callable[[str], ResolvedFile], options: DaeOptions) -> None:
        """Begin without a mesh."""
        self.find = find
        self.options = options
        self.unreadable: Dict[str, str] = {}
        self.images: Dict[str, None] = {}
        self._found: Dict[str, ResolvedFile] = {}
        self._grids: List[QuantizedMesh] = []
        self._scales: List[float] = []
        self._numbers: Dict[Tuple[Any, ...], int] = {}
        self._read: Dict[Tuple[str, bool], Tuple[DrawnSurface, ...]] = {}

    def surfaces(
        self, reference: str, scale: float, source: str = "", *, separate: bool
    ) -> Tuple[DrawnSurface, ...]:
        """Return the surfaces of a mesh, () for a mesh that cannot be shown.

        Args:
            reference: the file as the URDF names it.
            scale: the largest factor that it is drawn with.
            source: the path of the file, "" if it is not known.
            separate: a surface for each color of a COLLADA file, as visuals have it; False: a single surface.
        """
        path = source or self._find(reference).path
        key = (path or reference, separate)
        if key not in self._read:
            self._read[key] = self._surfaces_of(reference, path, separate=separate)
        for surface in self._read[key]:
            self._scales[surface.number] = max(self._scales[surface.number], scale)
        return self._read[key]

    def _find(self, reference: str) -> ResolvedFile:
        """Look for a file, once."""
        if reference not in self._found:
            self._found[reference] = self.find(reference)
        return self._found[reference]

    @property
    def unknown_packages(self) -> List[str]:
        """The packages in which a mesh is not found."""
        packages: Dict[str, None] = {}
        for reference, file in self._found.items():
            if file.path is None and reference.startswith(PACKAGE):
                package, _, _ = reference[len(PACKAGE) :].lstrip("/").partition("/")
                packages[package] = None
        return list(packages)

    def _surfaces_of(
        self, reference: str, path: Optional[str], *, separate: bool
    ) -> Tuple[DrawnSurface, ...]:
        """Return the surfaces of a mesh file, which are added to the store; () for a file that cannot be shown."""
        if path is None:
            self.unreadable[shown_reference(reference)] = _why_not_found(self._find(reference))
            return ()
        try:
            # Imported here: a page of a robot without meshes needs no reader of them.
            from ...meshes.mesh_readers import read_mesh

            mesh = read_mesh(path, self.options._replace(separate=separate))
        except UrdfError as error:
            line = f"line {error.line}: " if error.line else ""
            self.unreadable[shown_reference(reference)] = f"{line}{error.message}"
            return ()
        surfaces: List[DrawnSurface] = []
        for surface in mesh.surfaces:
            grid = grid_of(surface) if surface.corners else None
            if grid is not None and grid.corners:
                surfaces.append(DrawnSurface(self._number_of(grid), surface.material.rgba))
            if surface.material.image is not None:
                self.images[shown_reference(reference)] = None
        if not surfaces:
            self.unreadable[shown_reference(reference)] = "draws no triangles"
        return tuple(surfaces)

    def _number_of(self, grid: QuantizedMesh) -> int:
        """Return the number of a surface in the store; equal surfaces share a number."""
        key = (grid.low, grid.step, tuple(grid.points), tuple(grid.corners))
        number = self._numbers.setdefault(key, len(self._grids))
        if number == len(self._grids):
            self._grids.append(grid)
            self._scales.append(0.0)
        return number

    def pack(self, most: int) -> PageMeshes:
        """Return all surfaces with at most `most` triangles together (0: all)."""
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
    """Return the name of a mesh for a page: without the folders of this machine."""
    is_uri = URI_SCHEME.match(reference) and not reference.lower().startswith("file:")
    if is_uri or is_relative(reference):
        return reference
    return os.path.basename(reference.replace("\\", "/"))


def _why_not_found(file: ResolvedFile) -> str:
    """Return the reason why a mesh is not found, without the searched folders: they are on this machine."""
    if file.listed:
        return f"not found; '{os.path.basename(file.listed)}' is there, spelled otherwise"
    return f"not found; {file.reason}" if file.reason else "not found"
