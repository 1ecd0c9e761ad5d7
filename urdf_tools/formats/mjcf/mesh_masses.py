"""Mass, center and tensor of a mesh as MuJoCo computes them from its triangles (user_mesh.cc; XML reference, "mesh", inertia).

Each triangle makes a pyramid with an apex: that is the center of the surface while the center of mass is looked for,
and the center of mass for volume and tensor. `exact` counts a pyramid whose triangle faces the apex as negative,
`legacy` counts all as positive, `convex` takes the hull, `shell` the triangles themselves. An open mesh is no error.
"""

from __future__ import annotations

import os
from typing import Dict, Iterator, List, Optional, Sequence, Tuple, TYPE_CHECKING

from ...base.errors import UrdfError
from ...base.record import Record
from ...urdf.spatial import (
    add,
    cross,
    dot,
    MassProperties,
    norm,
    Pose,
    rotate,
    scale,
    subtract,
    Vector,
    ZERO,
)
from .read_shapes import Mesh

if TYPE_CHECKING:
    from ...meshes.formats import ColoredTriangles

Corners = Tuple[Vector, Vector, Vector]
Numbers = Tuple[int, int, int]
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


class MeshMasses:
    """Computes the mass properties of meshes, each once."""

    def __init__(self) -> None:
        self._known: Dict[int, MeshMass] = {}  # by the identity of the element of the asset

    def of(self, mesh: Mesh) -> MeshMass:
        """Return the mass properties of a mesh."""
        key = id(mesh.element)
        if key not in self._known:
            self._known[key] = _mass_of(mesh)
        return self._known[key]


def _mass_of(mesh: Mesh) -> MeshMass:
    """Return the mass properties of a mesh, or why MuJoCo, or this reader, has none."""
    # They are slow to load, and few robots have masses from meshes.
    from ...meshes.formats import ending_of, indexed
    from ...meshes.hull import convex_hull
    from ...meshes.volume import open_edges

    name = mesh.shown_name
    if mesh.inline is None:
        if not os.path.isfile(mesh.path):
            return MeshMass(None, f"mesh '{name}', which is not there")
        if ending_of(mesh.path) not in ENDINGS:
            return MeshMass(None, f"mesh '{name}', whose format is not read")
    try:
        triangles = _triangles(mesh)
    except UrdfError as error:
        return MeshMass(None, f"mesh '{name}', which cannot be read: {error.message}")
    points, faces = indexed(triangles)
    is_open = bool(open_edges(faces))
    if mesh.inertia == "convex":
        hull = convex_hull(points)
        if hull is None:
            return MeshMass(None, f"mesh '{name}', whose points lie in one plane")
        triangles = [*hull.facets]
        is_open = False
    if mesh.inertia == "exact" and _turned_edge(faces):
        return MeshMass(None, f"mesh '{name}', whose triangles face to both sides (exact)")
    whole = mass_of_triangles(triangles, mesh.inertia)
    if whole.mass < 0.0:
        return MeshMass(None, f"mesh '{name}', whose triangles face inward (exact)")
    if whole.mass < LEAST:
        return MeshMass(None, f"mesh '{name}', which has no volume")
    is_noted = is_open and mesh.inertia != "shell"
    return MeshMass(whole, note=NOT_CLOSED.format(name, mesh.inertia) if is_noted else "")


def _triangles(mesh: Mesh) -> List[Corners]:
    """Return the triangles of a mesh in the frame of its geom, as MuJoCo turns them.

    Raises:
        UrdfError: the file cannot be read.
    """
    from ...meshes.formats import read_surfaces

    if mesh.inline is not None:
        return _all_triangles(mesh.inline())
    # Of several objects MuJoCo takes the triangles of the first, and the points of all for the hull.
    if mesh.first_object is not None and mesh.inertia != "convex":
        return [
            (
                _placed(mesh.T_mesh_file, p),
                _placed(mesh.T_mesh_file, q),
                _placed(mesh.T_mesh_file, r),
            )
            for p, q, r in _all_triangles(mesh.first_object())
        ]
    triangles = _all_triangles(read_surfaces(mesh.path))
    a, b, c = mesh.scale
    is_mirrored = a * b * c < 0.0
    placed: List[Corners] = []
    for triangle in triangles:
        p, q, r = [_placed(mesh.T_mesh_file, (a * x, b * y, c * z)) for x, y, z in triangle]
        # MuJoCo keeps the outside of a mirrored mesh.
        placed.append((p, r, q) if is_mirrored else (p, q, r))
    return placed


def _all_triangles(surfaces: "Sequence[ColoredTriangles]") -> List[Corners]:
    return [triangle for surface in surfaces for triangle in surface.triangles]


def _placed(T: Pose, point: Vector) -> Vector:
    return add(rotate(T.rotation, point), T.translation)


def _turned_edge(faces: Sequence[Numbers]) -> bool:
    """Return True if two triangles go along an edge in one direction, which MuJoCo refuses for `exact`."""
    edges = [edge for a, b, c in faces if len({a, b, c}) == 3 for edge in ((a, b), (b, c), (c, a))]
    return len(set(edges)) < len(edges)


def mass_of_triangles(triangles: Sequence[Corners], inertia: str) -> MassProperties:
    """Return the mass properties of triangles for density 1, by the word that a mesh has for `inertia`.

    They are zero where MuJoCo would divide by a volume that is none.
    """
    nothing = MassProperties(0.0, ZERO, (ZERO, ZERO, ZERO))
    area, middle = _mass_and_center(triangles, ZERO, "shell")
    if area < LEAST:
        return nothing
    volume, center = _mass_and_center(triangles, middle, inertia)
    if abs(volume) < LEAST:
        return nothing
    mass = 0.0
    xx = xy = xz = yy = yz = zz = 0.0
    share = 1.0 / 12.0 if inertia == "shell" else 1.0 / 20.0
    for corners, part in _parts(triangles, center, inertia):
        mass += part
        k = share * part
        for x, y, z in (*corners, add(add(corners[0], corners[1]), corners[2])):
            xx += k * x * x
            xy += k * x * y
            xz += k * x * z
            yy += k * y * y
            yz += k * y * z
            zz += k * z * z
    tensor = ((yy + zz, -xy, -xz), (-xy, xx + zz, -yz), (-xz, -yz, xx + yy))
    return MassProperties(mass, center, tensor)


def _mass_and_center(
    triangles: Sequence[Corners], apex: Vector, inertia: str
) -> Tuple[float, Vector]:
    """Return the mass of triangles, or of their pyramids, and its center."""
    mass = 0.0
    moment = ZERO
    share = 1.0 / 3.0 if inertia == "shell" else 0.25
    for (a, b, c), part in _parts(triangles, apex, inertia):
        mass += part
        moment = add(moment, scale(share * part, add(add(a, b), c)))
    return mass, add(apex, scale(1.0 / mass, moment)) if mass else apex


def _parts(
    triangles: Sequence[Corners], apex: Vector, inertia: str
) -> Iterator[Tuple[Corners, float]]:
    """Yield the corners of each triangle as seen from an apex, and its mass."""
    for triangle in triangles:
        a, b, c = corners = _seen_from(apex, triangle)
        normal = cross(subtract(b, a), subtract(c, a))
        if inertia == "shell":
            yield corners, 0.5 * norm(normal)
        else:
            volume = dot(a, normal) / 6.0
            yield corners, abs(volume) if inertia == "legacy" else volume


def _seen_from(apex: Vector, triangle: Corners) -> Corners:
    a, b, c = triangle
    return subtract(a, apex), subtract(b, apex), subtract(c, apex)
