"""What is seen of each link, as the armature's JSON says it: shapes, colors, and meshes by their place beside it."""
import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from ...plan.mesh_tasks import MeshResult
from ...model.shapes import Box, Capsule, Cylinder, geometry_of, material_of, Mesh, Sphere
from ...urdf.materials import material_definitions
from ...urdf.mesh_paths import path_from
from ...urdf.model import Robot, Shape
from ...urdf.package_resolver import resolve, Resolver
from ...urdf.spatial import Pose
from .names import Names


DECIMALS = 13


class MeshPlaces(NamedTuple):
    """Where meshes are.

    Attributes:
        resolver: how their names are found.
        folder: the folder from which they are to be named.
        coming: the place where a run will put what it makes, by name in the URDF.
    """

    resolver: Resolver
    folder: str
    coming: Dict[str, str]

    def place_of(self, filename: str) -> Optional[str]:
        """Return the place of a mesh as seen from the folder, with slashes; None if it is not found."""
        path = self.coming.get(filename) or resolve(filename, self.resolver).path
        return None if path is None else path_from(os.path.realpath(self.folder), os.path.realpath(path))


def coming_meshes(meshes: MeshResult) -> Dict[str, str]:
    """Return where the files that a run makes will be, by their names in the URDF."""
    targets = {os.path.basename(file.target): file.target for file in meshes.files}
    named = (part.filename for split in meshes.converted for part in split.parts)
    made = {name: targets[name.rpartition("/")[2]] for name in named if name.rpartition("/")[2] in targets}
    return {**made, **{file.copied: file.target for file in meshes.files if file.copied}}


def rows(T: Pose) -> List[List[float]]:
    """Return a pose as three rows of four numbers."""
    return [rounded((*turn, shift)) for turn, shift in zip(T.rotation, T.translation)]


def rounded(values: Any) -> List[float]:
    """Return lengths [m], angles [rad] or parts of directions as a list, without what is only rounding error."""
    return [round(value, DECIMALS) + 0.0 for value in values]


def numbers(values: Any) -> List[float]:
    """Return numbers as a list, without negative zeros."""
    return [value + 0.0 for value in values]


def visuals_of(robot: Robot, names: Names, places: MeshPlaces) -> Dict[str, List[Dict[str, Any]]]:
    """Return the visuals of each link by its name."""
    definitions = material_definitions(robot)
    visuals: Dict[str, List[Dict[str, Any]]] = {name: [] for name in robot.links}
    for link in robot.links.values():
        for number, shape in enumerate(link.visuals, 1):
            geometry = _geometry(shape, places.place_of)
            if geometry is None:
                continue
            material = material_of(shape, definitions)
            visuals[link.name].append({
                "name": names.take(shape.name or f"{link.name}.visual{number if number > 1 else ''}"),
                "matrix": rows(shape.pose), **geometry,
                "material": material.name if material else "", "rgba": list(material.rgba) if material and material.rgba
                else None})
    return visuals


def _geometry(shape: Shape, place_of: Callable[[str], Optional[str]]) -> Optional[Dict[str, Any]]:
    geometry = geometry_of(shape)
    if isinstance(geometry, Box):
        return {"box": numbers(geometry.size)}
    if isinstance(geometry, (Cylinder, Capsule)):
        return {geometry.kind: [geometry.radius, geometry.length]}
    if isinstance(geometry, Sphere):
        return {"sphere": geometry.radius}
    if isinstance(geometry, Mesh):
        return {"mesh": place_of(geometry.filename), "uri": geometry.filename, "scale": numbers(geometry.scale)}
    return None
