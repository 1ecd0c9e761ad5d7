"""Meshes that an input holds itself become files, since a URDF can only name one: binary STL, read back."""
import os
from array import array
from itertools import chain
from typing import Dict, Set, Tuple

from ..compare.records import Inline, RawRobot, RawShape
from ..mesh.file_names import safe_stem, unique_stem
from ..meshes.form import FLOAT, Material, NUMBER, Surface, without_triangles
from ..meshes.stl_files import write_stl
from ..meshes.verify import verify_flat, verify_stl, read_back_stl
from ..plan.mesh_tasks import MeshFile
from ..run.pipeline import MeshPlace
from ..urdf.mesh_paths import path_from


def with_mesh_files(raw: RawRobot, place: MeshPlace) -> Tuple[RawRobot, Tuple[MeshFile, ...]]:
    """Return a robot whose meshes are files, and those that were made, in a temporary folder; equal shapes share one.

    Raises:
        UrdfError: a mesh that MuJoCo refuses, or a file that cannot be written.
        ProofFailed: what was written is not the mesh.
    """
    made: Dict[Inline, MeshFile] = {}
    taken: Set[str] = set()
    here, there = (os.path.realpath(folder or ".") for folder in (os.path.dirname(raw.file), place.output))

    def placed(shape: RawShape) -> RawShape:
        if shape.inline is None:
            return shape
        if shape.inline not in made:
            stem = unique_stem(safe_stem(shape.file, "mesh"), taken)
            target = os.path.realpath(os.path.join(place.target, f"{stem}.stl"))
            made[shape.inline] = MeshFile(_written(shape.inline, os.path.join(place.stage(), stem), raw.file), target,
                                          None, raw.file, True, copied=path_from(there, target))
        target = made[shape.inline].target
        return shape._replace(file=path_from(here, target), path=target, inline=None)

    return raw._replace(links=tuple(link._replace(shapes=tuple(map(placed, link.shapes))) for link in raw.links)), (
        *made.values(),)


def _written(inline: Inline, stem: str, source: str) -> str:
    """Return the name of a file that holds what a mesh draws: float32 points, without triangles of no area."""
    points = [corner for group in inline() for triangle in group.triangles for corner in triangle]
    surface = Surface(Material(), array(FLOAT, chain.from_iterable(points)), array(NUMBER, range(len(points))))
    (file,), flat = write_stl(surface, stem)
    verify_flat(source, surface, flat)
    verify_stl(source, file, without_triangles(surface, flat), read_back_stl([file]))
    return file
