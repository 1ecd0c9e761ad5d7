"""Meshes as prims: float32 points and triangles, and the materials of the file.

The points of USD are the points of a mesh file, without a conversion: STL, COLLADA, OBJ and glTF have float32 numbers,
too.
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from ...base.diagnostics import Notes
from ...base.record_type import Record
from ...collada.conversion_records import DaeOptions
from ...meshes.read_mesh_files import WHITE
from ...meshes.mesh_content import (
    byte_records,
    FLOAT,
    Floats,
    MeshImage,
    linear_of_srgb,
    NUMBER,
    Numbers,
    MaterialSurface,
)
from ...meshes.mesh_readers import read_mesh
from ...robot.principal_axes import vector_of
from ...urdf.spatial_math import Vector
from .write_usd_prims import (
    bind,
    extent_of,
    PreviewSurfaceLook,
    WrittenPrim,
    single,
    single_texts,
    singles_text,
    write_look,
)

ImageName = Callable[[MeshImage], str]


class UsdMesh(Record):
    """A mesh of USD.

    Attributes:
        points: float32, x y z of each point, scaled.
        corners: three numbers of points for each triangle, of all surfaces in order.
        surfaces: of the file. parts: the number of triangles of each surface.
    """

    points: Floats
    corners: Numbers
    surfaces: Tuple[MaterialSurface, ...]
    parts: Tuple[int, ...]


def read_surfaces(path: str, dae: DaeOptions) -> Tuple[Tuple[MaterialSurface, ...], Notes]:
    """Return the surfaces that a mesh file draws, and the notes on it.

    Raises:
        UrdfError: it cannot be read.
    """
    mesh = read_mesh(path, dae)
    surfaces = tuple(surface for surface in mesh.surfaces if surface.corners)
    notes_of_surfaces = chain.from_iterable(surface.notes for surface in surfaces)
    return surfaces, (*mesh.notes, *notes_of_surfaces)


def write_mesh(prim: WrittenPrim, drawn: UsdMesh, image_name: ImageName) -> None:
    """Write a mesh into its prim; `image_name` keeps an image, and returns the name that the layer has for it."""
    low, high = extent_of(drawn.points)
    # A point is the corner of several triangles: its number is made a text once.
    numbers = list(map(str, range(len(drawn.points) // 3)))
    prim.properties += [
        'uniform token subdivisionScheme = "none"',
        f"float3[] extent = [{singles_text(low)}, {singles_text(high)}]",
        f"point3f[] points = {tuples_text(drawn.points, 3)}",
        f"int[] faceVertexCounts = [{', '.join(['3'] * (len(drawn.corners) // 3))}]",
        f"int[] faceVertexIndices = [{', '.join(map(numbers.__getitem__, drawn.corners))}]",
    ]
    _write_coordinates(prim, drawn)
    _write_looks(prim, drawn, image_name)


def _write_coordinates(prim: WrittenPrim, drawn: UsdMesh) -> None:
    """Write texture coordinates where a surface shows an image; a corner of another one gets the first of all."""
    if not any(surface.material.image and surface.uv for surface in drawn.surfaces):
        return
    coordinates = array(FLOAT)
    corners = array(NUMBER)
    for surface in drawn.surfaces:
        base = len(coordinates) // 2
        if surface.material.image and surface.uv:
            coordinates += surface.uv
            corners += array(NUMBER, [base + number for number in surface.uv_corners])
        else:
            # Zeros: an index must be there, though nothing is shown by it.
            corners += array(NUMBER, bytes(4 * len(surface.corners)))
    prim.put(
        "texCoord2f[] primvars:st", f'{tuples_text(coordinates, 2)} (interpolation = "faceVarying")'
    )
    prim.put("int[] primvars:st:indices", f"[{', '.join(map(str, corners))}]")


def _write_looks(prim: WrittenPrim, drawn: UsdMesh, image_name: ImageName) -> None:
    """Write the materials of the file: one for the whole mesh, or one for each of its surfaces."""
    looks = [_look(surface, image_name) for surface in drawn.surfaces]
    if not any(looks):
        return
    scope = prim.add("Scope", "looks")
    made: Dict[PreviewSurfaceLook, WrittenPrim] = {}
    for surface, look in zip(drawn.surfaces, looks):
        if look is not None and look not in made:
            made[look] = write_look(scope, surface.material.name or "look", look)
    if len(looks) == 1 and looks[0] is not None:
        bind(prim, made[looks[0]])
        return
    # Several materials need subsets of the faces: a binding of USD is for a whole prim.
    prim.put("uniform token subsetFamily:materialBind:familyType", '"nonOverlapping"')
    start = 0
    for look, count in zip(looks, drawn.parts):
        if look is not None:
            subset = prim.add("GeomSubset", f"part_{made[look].name}")
            faces = ", ".join(map(str, range(start, start + count)))
            subset.properties += [
                'uniform token elementType = "face"',
                'uniform token familyName = "materialBind"',
                f"int[] indices = [{faces}]",
            ]
            bind(subset, made[look])
        start += count


def have_own_looks(surfaces: Sequence[MaterialSurface]) -> bool:
    """Return True if a mesh file gives each of its surfaces a color or an image, so that no other color is to be seen."""

    def has_own_look(surface: MaterialSurface) -> bool:
        """Return True for a surface with a color, or with an image that its triangles show."""
        shows_image = surface.material.image is not None and bool(surface.uv)
        return shows_image or surface.material.rgba is not None

    return bool(surfaces) and all(map(has_own_look, surfaces))


def _look(surface: MaterialSurface, image_name: ImageName) -> Optional[PreviewSurfaceLook]:
    """Return the look of a surface of a mesh file, None where it has none; colors of USD are linear."""
    material = surface.material
    shows = material.image is not None and bool(surface.uv)
    if material.rgba is None and not shows:
        return None
    image = image_name(material.image) if shows and material.image is not None else ""
    *color, alpha = material.rgba or (1.0, 1.0, 1.0, 1.0)
    # A tint is for an image alone.
    tint = vector_of(map(linear_of_srgb, material.tint or WHITE)) if image else WHITE
    return PreviewSurfaceLook(
        diffuse=vector_of(map(linear_of_srgb, color)),
        opacity=alpha,
        image=image,
        emission=vector_of(map(linear_of_srgb, material.emission)),
        metallic=material.metallic,
        roughness=material.roughness,
        tint=tint,
    )


def drawn_of(surfaces: Tuple[MaterialSurface, ...], scale: Vector) -> UsdMesh:
    """Return points and triangles of all surfaces: each point once, scaled; a mirrored mesh keeps its outside."""
    records = [byte_records(surface.positions.tobytes(), 12) for surface in surfaces]
    # Equal bytes are one point: STL has three for each triangle.
    numbers = {record: k for k, record in enumerate(dict.fromkeys(chain(*records)))}
    corners: List[int] = []
    for surface, of_surface in zip(surfaces, records):
        numbers_of_surface = list(map(numbers.__getitem__, of_surface))
        corners += map(numbers_of_surface.__getitem__, surface.corners)
    points = array(FLOAT, b"".join(numbers))
    if scale != (1.0, 1.0, 1.0):
        columns: List[List[float]] = []
        for axis, factor in enumerate(scale):
            columns.append([single(factor * value) for value in points[axis::3]])
        points = array(FLOAT, chain.from_iterable(zip(*columns)))
    if scale[0] * scale[1] * scale[2] < 0.0:
        # A mirror turns triangles inside out: their second and third corners change places.
        corners[1::3], corners[2::3] = corners[2::3], corners[1::3]
    parts = tuple(len(surface.corners) // 3 for surface in surfaces)
    return UsdMesh(points=points, corners=array(NUMBER, corners), surfaces=surfaces, parts=parts)


def tuples_text(values: Floats, width: int) -> str:
    """Return an array of tuples of float32 numbers as USD writes it."""
    texts = single_texts(values)
    columns = [texts[column::width] for column in range(width)]
    return f"[({'), ('.join(map(', '.join, zip(*columns)))})]"
