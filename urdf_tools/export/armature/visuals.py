"""What is seen of each link, as the armature's JSON says it: shapes, colors, and meshes by their names."""
from typing import Any, Dict, List, Mapping, Optional

from ...model.shapes import Box, Capsule, Cylinder, geometry_of, material_of, Mesh, Sphere
from ...urdf.materials import material_definitions
from ...urdf.model import Robot, Shape
from ...urdf.spatial import Pose
from .names import Names

DECIMALS = 13


def rows(T: Pose) -> List[List[float]]:
    """Return a pose as three rows of four numbers."""
    return [rounded((*turn, shift)) for turn, shift in zip(T.rotation, T.translation)]


def rounded(values: Any) -> List[float]:
    """Return lengths [m], angles [rad] or parts of directions as a list, without what is only rounding error."""
    return [round(value, DECIMALS) + 0.0 for value in values]


def numbers(values: Any) -> List[float]:
    """Return numbers as a list, without negative zeros."""
    return [value + 0.0 for value in values]


def visuals_of(robot: Robot, names: Names, meshes: Mapping[str, str]) -> Dict[str, List[Dict[str, Any]]]:
    """Return the visuals of each link by its name; `meshes` are the names of the files that are found, by reference."""
    definitions = material_definitions(robot)
    visuals: Dict[str, List[Dict[str, Any]]] = {name: [] for name in robot.links}
    for link in robot.links.values():
        for number, shape in enumerate(link.visuals, 1):
            geometry = _geometry(shape, meshes)
            if geometry is None:
                continue
            material = material_of(shape, definitions)
            visuals[link.name].append({
                "name": names.take(shape.name or f"{link.name}.visual{number if number > 1 else ''}"),
                "matrix": rows(shape.pose), **geometry,
                "material": material.name if material else "", "rgba": list(material.rgba) if material and material.rgba
                else None})
    return visuals


def _geometry(shape: Shape, meshes: Mapping[str, str]) -> Optional[Dict[str, Any]]:
    geometry = geometry_of(shape)
    if isinstance(geometry, Box):
        return {"box": numbers(geometry.size)}
    if isinstance(geometry, (Cylinder, Capsule)):
        return {geometry.kind: [geometry.radius, geometry.length]}
    if isinstance(geometry, Sphere):
        return {"sphere": geometry.radius}
    if isinstance(geometry, Mesh):
        return {"mesh": meshes.get(geometry.filename), "uri": geometry.filename, "scale": numbers(geometry.scale)}
    return None
