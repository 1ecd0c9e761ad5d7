"""Mass, center and tensor of a mesh as MuJoCo computes them from its triangles (user_mesh.cc; XML reference, "mesh", inertia).

Each triangle makes a pyramid with an apex: that is the center of the surface while the center of mass is looked for,
and the center of mass for volume and tensor. `exact` counts a pyramid whose triangle faces the apex as negative,
`legacy` counts all as positive, `convex` takes the hull, `shell` the triangles themselves. An open mesh is no error.
"""

from __future__ import annotations

import math
import os
from itertools import chain
from typing import Dict, Iterator, List, Optional, Sequence, Tuple, TYPE_CHECKING

from ...base.errors import UrdfError
from ...base.record_type import Record
from ...urdf.spatial_math import (
    add,
    MassProperties,
    move,
    scale,
    subtract,
    Vector,
    ZERO,
)
from .read_mjcf_shapes import MeshAsset

if TYPE_CHECKING:
    from ...meshes.mesh_readers import ColoredTriangles

Corners = Tuple[Vector, Vector, Vector]
Numbers = Tuple[int, int, int]
# Points, and the triangles as the numbers of their corners.
Surface = Tuple[Sequence[Vector], Sequence[Numbers]]
LEAST = 1e-15  # m^3 or m^2: mjMINVAL, below which MuJoCo refuses a mesh
ENDINGS = (".stl", ".obj")  # files that MuJoCo reads, and that are read here
NOT_CLOSED = "mesh '{0}' is open: the mass is what MuJoCo makes of its triangles ({1})"


class MeshMass(Record):
    """Mass properties of a mesh of density 1 [m^3 or m^2 for kg] in the frame of its geom, None where they are not known.

    Attributes:
        why: why they are not known. note: what a reader should know of them, "" for nothing.
    """

    whole: Optional[MassProperties]
    why: str = ""
    note: str = ""


# What was computed of files: a run reads its input again for each proof, and a mesh of a million triangles takes seconds.
OF_FILES: Dict[Tuple[object, ...], MeshMass] = {}


class MeshMasses:
    """Computes the mass properties of meshes, each once."""

    def __init__(self) -> None:
        """Begin with no mesh."""
        self._known: Dict[int, MeshMass] = {}  # by the identity of the element of the asset

    def of(self, mesh: MeshAsset) -> MeshMass:
        """Return the mass properties of a mesh."""
        key = id(mesh.element)
        if key not in self._known:
            is_file = mesh.inline is None and os.path.isfile(mesh.path)
            compute = _mass_of_file if is_file else _mass_of
            self._known[key] = compute(mesh)
        return self._known[key]


def _mass_of_file(mesh: MeshAsset) -> MeshMass:
    """Return the mass properties of a mesh in a file; they are known of a file of this content."""
    from ...collada.collada_to_stl import file_digest

    try:
        content = file_digest(mesh.path)
    except OSError:
        return _mass_of(mesh)  # which says so
    name = (mesh.path, mesh.shown_name)
    is_first_object = mesh.first_object is not None
    key = (name, content, is_first_object, mesh.scale, mesh.T_mesh_file, mesh.inertia)
    if key not in OF_FILES:
        OF_FILES[key] = _mass_of(mesh)
    return OF_FILES[key]


def _mass_of(mesh: MeshAsset) -> MeshMass:
    """Return the mass properties of a mesh, or why MuJoCo, or this reader, has none."""
    # They are slow to load, and few robots have masses from meshes.
    from ...meshes.mesh_readers import ending_of, indexed
    from ...meshes.convex_hull import convex_hull
    from ...meshes.mesh_volume import open_edges

    name = mesh.shown_name
    if mesh.inline is None:
        if not os.path.isfile(mesh.path):
            return MeshMass(None, f"mesh '{name}', which is not there")
        if ending_of(mesh.path) not in ENDINGS:
            return MeshMass(None, f"mesh '{name}', whose format is not read")
    try:
        surface = _surface_of(mesh)
    except UrdfError as error:
        return MeshMass(None, f"mesh '{name}', which cannot be read: {error.message}")
    points, faces = surface
    is_open = bool(open_edges(faces))
    if mesh.inertia == "convex":
        hull = convex_hull(points)
        if hull is None:
            return MeshMass(None, f"mesh '{name}', whose points lie in one plane")
        surface = indexed(hull.facets)
        is_open = False
    if mesh.inertia == "exact" and _turned_edge(faces):
        return MeshMass(None, f"mesh '{name}', whose triangles face to both sides (exact)")
    whole = mass_of_surface(surface, mesh.inertia)
    if whole.mass < 0.0:
        return MeshMass(None, f"mesh '{name}', whose triangles face inward (exact)")
    if whole.mass < LEAST:
        return MeshMass(None, f"mesh '{name}', which has no volume")
    note = ""
    if is_open and mesh.inertia != "shell":
        note = NOT_CLOSED.format(name, mesh.inertia)
    return MeshMass(whole, note=note)


def _surface_of(mesh: MeshAsset) -> Surface:
    """Return the surface of a mesh in the frame of its geom, as MuJoCo turns it.

    Raises:
        UrdfError: the file cannot be read.
    """
    from ...meshes.mesh_readers import read_surfaces

    if mesh.inline is not None:
        return _joined(mesh.inline())
    # Of several objects MuJoCo takes the triangles of the first, and the points of all for the hull.
    if mesh.first_object is not None and mesh.inertia != "convex":
        points, faces = _joined(mesh.first_object())
        return [move(mesh.T_mesh_file, point) for point in points], faces
    points, faces = _joined(read_surfaces(mesh.path))
    a, b, c = mesh.scale
    placed = [move(mesh.T_mesh_file, (a * x, b * y, c * z)) for x, y, z in points]
    if a * b * c < 0.0:  # MuJoCo keeps the outside of a mirrored mesh
        faces = [(p, r, q) for p, q, r in faces]
    return placed, faces


def _joined(surfaces: "Sequence[ColoredTriangles]") -> Surface:
    """Return the surface that surfaces of several colors are together."""
    from ...meshes.mesh_readers import indexed

    return indexed(chain.from_iterable(surface.triangles for surface in surfaces))


def _turned_edge(faces: Sequence[Numbers]) -> bool:
    """Return True if two triangles go along an edge in one direction, which MuJoCo refuses for `exact`."""
    edges: List[Tuple[int, int]] = []
    for a, b, c in faces:
        if len({a, b, c}) == 3:
            edges += ((a, b), (b, c), (c, a))
    return len(set(edges)) < len(edges)


def mass_of_surface(surface: Surface, inertia: str) -> MassProperties:
    """Return the mass properties of a surface for density 1, by the word that a mesh has for `inertia`.

    They are zero where MuJoCo would divide by a volume of zero.
    """
    nothing = MassProperties(0.0, ZERO, (ZERO, ZERO, ZERO))
    area, middle = _mass_and_center(surface, ZERO, "shell")
    if area < LEAST:
        return nothing
    volume, center = _mass_and_center(surface, middle, inertia)
    if abs(volume) < LEAST:
        return nothing
    mass = 0.0
    xx = xy = xz = yy = yz = zz = 0.0
    # Second moments of a triangle, and of a tetrahedron with one corner at the center: the sum over the corners and
    # over their sum, each squared, times the mass and this share.
    share = 1.0 / 12.0 if inertia == "shell" else 1.0 / 20.0
    for (a, b, c), part in _parts(surface, center, inertia):
        mass += part
        k = share * part
        for x, y, z in (a, b, c, add(add(a, b), c)):
            kx = k * x
            ky = k * y
            xx += kx * x
            xy += kx * y
            xz += kx * z
            yy += ky * y
            yz += ky * z
            zz += k * z * z
    tensor = ((yy + zz, -xy, -xz), (-xy, xx + zz, -yz), (-xz, -yz, xx + yy))
    return MassProperties(mass, center, tensor)


def _mass_and_center(surface: Surface, apex: Vector, inertia: str) -> Tuple[float, Vector]:
    """Return the mass of triangles, or of their pyramids, and its center."""
    mass = 0.0
    x = y = z = 0.0
    share = 1.0 / 3.0 if inertia == "shell" else 0.25  # a pyramid has the apex as a fourth corner
    for ((ax, ay, az), (bx, by, bz), (cx, cy, cz)), part in _parts(surface, apex, inertia):
        mass += part
        k = share * part
        x += k * (ax + bx + cx)
        y += k * (ay + by + cy)
        z += k * (az + bz + cz)
    if not mass:
        return mass, apex
    return mass, add(apex, scale(1.0 / mass, (x, y, z)))


def _parts(surface: Surface, apex: Vector, inertia: str) -> Iterator[Tuple[Corners, float]]:
    """Yield the corners of each triangle as seen from an apex, and its mass.

    Vectors are written out: a mesh may have a million triangles.
    """
    points, faces = surface
    seen = [subtract(point, apex) for point in points]
    for i, j, k in faces:
        a, b, c = seen[i], seen[j], seen[k]
        ax, ay, az = a
        ux, uy, uz = b[0] - ax, b[1] - ay, b[2] - az
        vx, vy, vz = c[0] - ax, c[1] - ay, c[2] - az
        nx = uy * vz - uz * vy
        ny = uz * vx - ux * vz
        nz = ux * vy - uy * vx
        if inertia == "shell":
            area = 0.5 * math.sqrt(nx * nx + ny * ny + nz * nz)
            yield (a, b, c), area
            continue
        volume = (ax * nx + ay * ny + az * nz) / 6.0
        if inertia == "legacy":
            volume = abs(volume)
        yield (a, b, c), volume
