"""Geometry and material of a `<visual>` or `<collision>` of a URDF, as numbers."""
from typing import Dict, NamedTuple, Optional, Tuple, Union

from ..base.number_text import numbers_in
from ..urdf.lossless_xml import Element
from ..urdf.model import Shape, SIZES
from ..urdf.spatial import Vector


class Box(NamedTuple):
    """A box with edges along X, Y, Z [m], around its origin."""

    size: Vector
    kind: str = "box"


class Sphere(NamedTuple):
    """A sphere around its origin; radius in m."""

    radius: float
    kind: str = "sphere"


class Cylinder(NamedTuple):
    """A cylinder along Z, around its origin [m]."""

    radius: float
    length: float
    kind: str = "cylinder"


class Capsule(NamedTuple):
    """A capsule along Z, around its origin [m]; `length` is that of the cylinder between the two half spheres."""

    radius: float
    length: float
    kind: str = "capsule"


class Mesh(NamedTuple):
    """A mesh: its file as the URDF names it, and the factor on each axis."""

    filename: str
    scale: Vector = (1.0, 1.0, 1.0)
    kind: str = "mesh"


Geometry = Union[Box, Sphere, Cylinder, Capsule, Mesh]  # `kind` keeps records of different kinds unequal


class Material(NamedTuple):
    """A `<material>` as it is written: red, green, blue, alpha from 0 to 1, and the file name of an image."""

    name: str
    rgba: Optional[Tuple[float, float, float, float]] = None
    texture: str = ""


def geometry_of(shape: Shape) -> Optional[Geometry]:
    """Return the geometry; None if there is none, URDF does not know its kind, or its numbers cannot be read."""
    drawn = shape.drawn
    if drawn is None or drawn.name not in SIZES:
        return None
    if drawn.name == "mesh" and drawn.get("scale") is None:
        return Mesh(drawn.get("filename") or "")
    values = [numbers_in(drawn.get(key) or "", count) for key, count in SIZES[drawn.name]]
    numbers = [number for value in values for number in value or ()]
    if not all(values):
        return None
    if drawn.name == "mesh":
        return Mesh(drawn.get("filename") or "", (numbers[0], numbers[1], numbers[2]))
    if drawn.name == "box":
        return Box((numbers[0], numbers[1], numbers[2]))
    if drawn.name == "sphere":
        return Sphere(numbers[0])
    return Cylinder(numbers[0], numbers[1]) if drawn.name == "cylinder" else Capsule(numbers[0], numbers[1])


def read_material(element: Element) -> Material:
    """Read a `<material>` as it is written; a color whose numbers cannot be read is none."""
    color, texture = element.find("color"), element.find("texture")
    rgba = numbers_in(color.get("rgba") or "", 4) if color is not None else None
    return Material(element.get("name") or "", (rgba[0], rgba[1], rgba[2], rgba[3]) if rgba else None,
                    (texture.get("filename") or "") if texture is not None else "")


def own_material(shape: Shape) -> Optional[Material]:
    """Return the `<material>` inside a shape as it is written, None without one."""
    material = shape.source.find("material")
    return read_material(material) if material is not None else None


def material_of(shape: Shape, definitions: Dict[str, Element]) -> Optional[Material]:
    """Return the material of a shape, or the one of the robot's `definitions` that its name refers to."""
    material = own_material(shape)
    if material is None or material.rgba is not None or material.texture or material.name not in definitions:
        return material
    return read_material(definitions[material.name])
