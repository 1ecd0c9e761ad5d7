"""The meshes of a page: each file is read once, each different surface is stored once, and what cannot be read is
listed."""
import os
from base64 import b64encode
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ...base.errors import UrdfError
from ...collada.records import DaeOptions
from ...urdf.mesh_paths import is_relative, URI_SCHEME
from ...urdf.package_resolver import Found, resolve, Resolver
from .grid import fitted, Grid, grid_of, packed

MAX_TRIANGLES, PACKAGE = 200_000, "package://"

Rgba = Tuple[float, float, float, float]


class DrawnSurface(NamedTuple):
    """A surface of a mesh file: its number in the store, and its color where the file has one."""

    number: int
    rgba: Optional[Rgba]


class PageMeshes(NamedTuple):
    """All surfaces, ready for the page.

    Attributes:
        rows: for each its extent, its grid and its position in the data.
        data: all of them in base64.
        triangles, drawn: their number in the files, and in the page.
        cell: the edge of the cells in which points were joined [m], 0 where all triangles are drawn.
    """

    rows: List[Dict[str, Any]]
    data: str
    triangles: int
    drawn: int
    cell: float


class MeshStore:
    """Reads mesh files and remembers their surfaces, and why a file cannot be shown."""

    def __init__(self, resolver: Resolver, options: DaeOptions) -> None:
        self.resolver = resolver
        self.options = options
        self.unreadable: Dict[str, str] = {}
        self.images: Dict[str, None] = {}
        self._found: Dict[str, Found] = {}
        self._grids: List[Grid] = []
        self._scales: List[float] = []
        self._numbers: Dict[Tuple[Any, ...], int] = {}
        self._read: Dict[Tuple[str, bool], Tuple[DrawnSurface, ...]] = {}

    def surfaces(self, reference: str, scale: float, source: str = "", *, separate: bool) -> Tuple[DrawnSurface, ...]:
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

    def surfaces_at(self, reference: str, path: str, scale: float, *, separate: bool) -> Tuple[DrawnSurface, ...]:
        """Return the surfaces of a mesh that was looked for already: `path` is "" if it was not found."""
        if not path:
            self._found.setdefault(reference, Found(None))
            self.unreadable[shown_reference(reference)] = _why_not_found(self._found[reference])
            return ()
        return self.surfaces(reference, scale, path, separate=separate)

    def _find(self, reference: str) -> Found:
        if reference not in self._found:
            self._found[reference] = resolve(reference, self.resolver)
        return self._found[reference]

    @property
    def unknown_packages(self) -> List[str]:
        """The packages in which a mesh is not found."""
        missing = [reference for reference, file in self._found.items() if file.path is None]
        return list(dict.fromkeys(reference[len(PACKAGE):].lstrip("/").partition("/")[0] for reference in missing
                                  if reference.startswith(PACKAGE)))

    def _surfaces_of(self, reference: str, path: Optional[str], *, separate: bool) -> Tuple[DrawnSurface, ...]:
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
        rows: List[Dict[str, Any]] = []
        data = bytearray()
        for grid in grids:
            grid_bytes = packed(grid)
            start = len(data)
            data += grid_bytes.points
            data += grid_bytes.corners
            high = [low + grid.step * max(column, default=0) for low, column in zip(grid.low, _columns(grid))]
            rows.append({"low": list(grid.low), "high": high, "step": grid.step, "points": start,
                         "corners": start + len(grid_bytes.points), "count": len(grid.corners),
                         "wide": grid_bytes.wide})
        return PageMeshes(rows, b64encode(bytes(data)).decode("ascii"), sum(grid.triangles for grid in self._grids),
                          sum(grid.triangles for grid in grids), cell)


def _columns(grid: Grid) -> Tuple[List[int], List[int], List[int]]:
    return ([point >> 40 for point in grid.points], [point >> 20 & 0xFFFFF for point in grid.points],
            [point & 0xFFFFF for point in grid.points])


def shown_reference(reference: str) -> str:
    """Return the name of a mesh as a page may show it: without the folders of the machine where it was made."""
    inside = URI_SCHEME.match(reference) and not reference.lower().startswith("file:")
    return reference if inside or is_relative(reference) else os.path.basename(reference.replace("\\", "/"))


def _why_not_found(file: Found) -> str:
    """Return why a mesh is not found, without the folders that were searched: they are on this machine."""
    return f"not found; {file.reason}" if file.reason else "not found"
