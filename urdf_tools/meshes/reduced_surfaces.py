"""The surfaces of a mesh with fewer triangles, and the proof that their files are near to it, both ways."""
from array import array
from itertools import chain
from math import fsum, isfinite, sqrt
from typing import Callable, Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple, Union

from ..base.errors import ProofFailed
from ..urdf.spatial import dot, norm
from .collapse import Corners, IndexedMesh, normal_of
from .form import FLOAT, NUMBER, Surface, triangles_of
from .reduction import reduce_mesh, Reduction, Trees
from .same_surface import ROUNDING
from .witnesses import Point, Tree, Triangle, triangle_gap, verify_cover

LEAST_TRIANGLES = 500  # of a mesh that is worth it
SMALL, TEXTURES = "small", "textures"  # why a mesh stays, besides the reasons of `reduction.py`
CREASE = 0.5 * sqrt(3.0)  # normals of faces that meet at a smaller angle are joined


class Cover(NamedTuple):
    """The witnesses of a surface, in the order of the triangles that have an area.

    `before` are those of the mesh among the new ones, `after` those of the new ones among those of the mesh.
    """

    before: Sequence[Tree]
    after: Sequence[Tree]


class ReducedSurfaces(NamedTuple):
    """Surfaces with fewer triangles, and what proves each."""

    surfaces: List[Surface]
    covers: List[Cover]


def reduced_surfaces(surfaces: Sequence[Surface], within: float, show: Callable[[int], None], form: str
                     ) -> Union[ReducedSurfaces, str]:
    """Return the surfaces of a mesh with fewer triangles, or why it stays as it is.

    Surfaces that show an image stay. Normals are made anew, where a surface has any.

    Args:
        within: the largest distance [m] of any point of a surface to the other one, both ways.
        show: as in `reduce_mesh`.
        form: the format of the files; STL would lose an image.
    """
    if sum(len(surface.corners) for surface in surfaces) < 3 * LEAST_TRIANGLES:
        return SMALL
    textured = {number for number, surface in enumerate(surfaces) if surface.material.image}
    if len(textured) == len(surfaces) or textured and form == "stl":
        return TEXTURES
    mesh, starts = _indexed(surfaces)
    kept = {corner for corners, material in zip(mesh.triangles, mesh.materials) if material in textured
            for corner in corners}
    reduction = reduce_mesh(mesh, kept, within, show)
    if isinstance(reduction, str):
        return reduction
    made: List[Surface] = []
    covers: List[Cover] = []
    for number, surface in enumerate(surfaces):
        range_ = range(starts[number], starts[number + 1])
        made.append(surface if number in textured else _surface_of(surface, mesh, [
            reduction.triangles[k] for k in range_ if k in reduction.triangles]))
        covers.append(_cover_of(reduction, range_))
    return ReducedSurfaces(made, covers)


def _indexed(surfaces: Sequence[Surface]) -> Tuple[IndexedMesh, List[int]]:
    """Return all surfaces as one mesh, and the number of the first triangle of each; three different corners each."""
    numbers: Dict[Point, int] = {}
    triangles: List[Corners] = []
    materials: List[int] = []
    starts = [0]
    for material, surface in enumerate(surfaces):
        for a, b, c in triangles_of(surface):
            if a != b and b != c and c != a:
                triangles.append((numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers)),
                                  numbers.setdefault(c, len(numbers))))
                materials.append(material)
        starts.append(len(triangles))
    return IndexedMesh(list(numbers), triangles, materials), starts


def _cover_of(reduction: Reduction, numbers: Iterable[int]) -> Cover:
    """Take the witnesses of a surface, whose triangles have these numbers, by their places in it."""
    before, after = ([number for number in numbers if number in trees] for trees in (
        reduction.before, reduction.after))
    indices = [{number: index for index, number in enumerate(group)} for group in (after, before)]

    def placed(trees: Trees, group: Sequence[int], witnesses: Dict[int, int]) -> List[Tree]:
        return [array("d", [step if step < 0.0 else witnesses[int(step)] for step in trees.pop(number)])
                for number in group]

    return Cover(placed(reduction.before, before, indices[0]), placed(reduction.after, after, indices[1]))


def _surface_of(surface: Surface, mesh: IndexedMesh, triangles: Sequence[Corners]) -> Surface:
    """Return a surface of other triangles between points of a mesh."""
    used = sorted({corner for corners in triangles for corner in corners})
    indices = {corner: index for index, corner in enumerate(used)}
    made = surface._replace(
        positions=array(FLOAT, [value for corner in used for value in mesh.points[corner]]),
        corners=array(NUMBER, [indices[corner] for corners in triangles for corner in corners]),
        normals=array(FLOAT), normal_corners=array(NUMBER), uv=array(FLOAT), uv_corners=array(NUMBER))
    return creased_normals(made) if surface.normals else made


def creased_normals(surface: Surface) -> Surface:
    """Return a surface whose normals are joined, weighted by area, where faces meet at less than 30 degrees."""
    corners = surface.corners
    faces = [normal_of(triangle) for triangle in triangles_of(surface)]
    lengths = [norm(face) or 1.0 for face in faces]
    around: Dict[int, List[int]] = {}
    for index, corner in enumerate(corners):
        around.setdefault(corner, []).append(index // 3)
    known: Dict[Point, int] = {}
    numbers = array(NUMBER)
    for index, corner in enumerate(corners):
        face, length = faces[index // 3], lengths[index // 3]
        near = [faces[k] for k in around[corner]
                if dot(face, faces[k]) >= CREASE * length * lengths[k]]
        x, y, z = (fsum(axis) for axis in zip(*near or [face]))
        size = norm((x, y, z))
        normal = (x / size + 0.0, y / size + 0.0, z / size + 0.0) if size > 0.0 else (0.0, 0.0, 1.0)
        numbers.append(known.setdefault(normal, len(known)))
    return surface._replace(normals=array(FLOAT, [value for normal in known for value in normal]),
                            normal_corners=numbers)


def verify_reduced(path: str, read: Sequence[Surface], written: Sequence[Iterable[Triangle]], covers: Sequence[Cover],
                   within: float) -> float:
    """Return the proven distance [m] of files to a mesh, both ways, surface by surface.

    Args:
        path: the mesh, for messages.
        read: its surfaces.
        written: the triangles of each, as they were read back from the files.
        covers: the witnesses of each.
        within: the distance that was asked for.

    Raises:
        ProofFailed: a witness is missing, or too far away; or a point of the files is none of the mesh.
    """
    if not len(read) == len(written) == len(covers):
        raise ProofFailed(f"{len(read)} surfaces became {len(written)}", path)
    bound = rounding = ROUNDING * max((abs(value) for surface in read for value in surface.positions), default=0.0)
    for surface, triangles, cover in zip(read, written, covers):
        whole = [*triangles_of(surface)]
        places: Set[Point] = set(chain.from_iterable(whole))
        before, after = ([triangle for triangle in side if any(normal_of(triangle))] for side in (whole, triangles))
        if any(corner not in places for triangle in after for corner in triangle):
            raise ProofFailed("a point that is written is none of the mesh", path)
        bound = max(bound, rounding + verify_cover(before, cover.before, after, triangle_gap),
                    rounding + verify_cover(after, cover.after, before, triangle_gap))
    if not (isfinite(bound) and bound <= within):
        raise ProofFailed("a triangle that is written is not within the visual error of the mesh, or lacks a witness",
                          path)
    return bound
