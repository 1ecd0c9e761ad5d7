"""Arrange the surfaces of a mesh for writing: joined by color, without triangles that have no area."""
from array import array
from typing import Collection, Dict, Hashable, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.kinds import MESH_COLORS, MESH_CONTENT
from ..base.number_text import shown_names
from ..collada.records import DaeOptions, DEFAULT_DAE_OPTIONS, rgba_text
from ..collada.scene import unit_vector
from ..collada.stl import double_area, lies_in_plane, StlTriangle
from ..urdf.spatial import cross, subtract
from .form import flat_triangles, FLOAT, Floats, Material, Mesh, NUMBER, Surface, tidy, without_triangles
from .joining import join_primitives, weld
from .kinds import MESH_IMAGE, MESH_MERGED

FORMATS = ("stl", "obj", "gltf", "glb")


class MeshTarget(NamedTuple):
    """The form in which a mesh is written.

    Attributes:
        format: one of `FORMATS`.
        up: the up axis of glTF: "y" as in its specification, or "z" as in URDF.
        colored: materials and images are written; False for a collision.
        split: glTF, which can hold any number of materials, is one file for each.
        dae: units, axes, and what is separated; `separate` and `max_faces` apply to every format.
        within: the largest distance [m] to a mesh of fewer triangles; 0.0: all triangles are written.
    """

    format: str = "obj"
    up: str = "y"
    colored: bool = True
    split: bool = False
    dae: DaeOptions = DEFAULT_DAE_OPTIONS
    within: float = 0.0


def arranged_surfaces(mesh: Mesh, target: MeshTarget) -> Tuple[List[Surface], List[Diagnostic]]:
    """Return the surfaces to write: joined as `target` has it, without triangles that have no area."""
    notes = list(mesh.notes)
    groups: Dict[Hashable, List[Surface]] = {}
    for number, surface in enumerate(mesh.surfaces):
        material = surface.material
        look = (material.rgba, material.image.data if material.image else b"")
        if not target.colored or not target.dae.separate:
            key: Hashable = None
        else:
            key = look if target.dae.merge_equal_colors else number
        groups.setdefault(key, []).append(surface)
    surfaces: List[Surface] = []
    for key, members in groups.items():
        material = members[0].material if key is not None else Material()
        joined = join_primitives([member if member.uv and material.image else member._replace(
            uv=member.uv[:0], uv_corners=member.uv_corners[:0]) for member in members], material)
        joined = tidy(joined) if len(members) > 1 else joined
        names = [member.material.name for member in members if member.material.name]
        if len(names) > 1 and material.rgba:
            joined = joined._replace(notes=(*joined.notes, Diagnostic(
                MESH_COLORS, 0, "materials", (shown_names(names), rgba_text(material.rgba)))))
        if target.format != "stl" or target.dae.planar == "merge":  # else the STL writer drops them as it writes
            joined = without_flat(joined, flat_triangles(joined), notes)
        if not joined.corners:
            continue
        if material.image and not joined.uv and target.format != "stl":
            notes.append(Diagnostic(MESH_IMAGE, 0, "no-coordinates", (material.name,)))
            joined = joined._replace(material=material._replace(image=None))
        surfaces.append(joined)
    return surfaces, notes


def without_flat(surface: Surface, flat: Sequence[int], notes: List[Diagnostic]) -> Surface:
    """Return a surface without its triangles that have no area, given by number, and with a note on them."""
    kept = without_triangles(surface, flat)
    if not kept.corners:
        notes.append(Diagnostic(MESH_CONTENT, 0, "all-flat", (surface.material.name,)))
    elif flat:
        kept = kept._replace(notes=(*kept.notes, Diagnostic(MESH_CONTENT, 0, "flat", (), (len(flat),))))
    return kept


def with_planar_merged(surfaces: List[Surface], notes: List[Diagnostic]) -> List[Surface]:
    """Return surfaces with the planar ones joined to the largest other, in its color; unchanged if all are planar."""
    planar = [surface for surface in surfaces if is_planar(surface, columns_of(surface))]
    solid = [surface for surface in surfaces if not any(surface is other for other in planar)]
    if not planar or not solid:
        return surfaces
    # A surface without an image is preferred: the joined triangles have no texture coordinates.
    largest = max(solid, key=lambda surface: (surface.material.image is None, len(surface.corners)))
    for surface in planar:
        notes.append(Diagnostic(MESH_MERGED, 0, "part", (surface.material.name, largest.material.name)))
    joined = tidy(join_primitives([largest, *(surface._replace(uv=surface.uv[:0], uv_corners=surface.uv_corners[:0])
                                              for surface in planar)], largest.material))
    return [joined if surface is largest else surface for surface in solid]


def welded(surface: Surface) -> Surface:
    """Return a surface with equal points merged: STL has three points for each triangle."""
    positions, numbers = weld(surface.positions, 3)
    return surface._replace(positions=positions,
                            corners=array(NUMBER, list(map(numbers.__getitem__, surface.corners))))


def columns_of(surface: Surface, used: Optional[Collection[int]] = None) -> List[Floats]:
    """Return x, y and z of the points with the numbers `used`; None: of all points."""
    columns = [surface.positions[axis::3] for axis in range(3)]
    return columns if used is None else [array(FLOAT, map(column.__getitem__, used)) for column in columns]


def is_planar(surface: Surface, columns: Sequence[Floats]) -> bool:
    """Return True if all corners lie in one plane, as in `stl_is_planar`; the first 64 triangles mostly decide.

    `columns` are x, y and z of all points in use.
    """
    positions = surface.positions
    extent = max(max(column) - min(column) for column in columns)

    def triangles(end: int) -> Iterable[StlTriangle]:
        corners = (tuple(positions[3 * number:3 * number + 3]) for number in surface.corners[:end])
        for a, b, c in zip(corners, corners, corners):
            yield unit_vector(cross(subtract(b, a), subtract(c, a))), a, b, c  # type: ignore[arg-type, misc]

    first = list(triangles(3 * 64))
    (nx, ny, nz), (x, y, z), _, _ = max(first, key=double_area)
    level, coarse = nx * x + ny * y + nz * z, 1e-3 * extent
    if any(abs(nx * px + ny * py + nz * pz - level) > coarse for px, py, pz in zip(*columns)):
        return False
    every = list(triangles(len(surface.corners)))
    return lies_in_plane(every, every, 1e-6 * extent)
