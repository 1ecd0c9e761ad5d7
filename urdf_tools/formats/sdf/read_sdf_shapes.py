"""The visuals and collisions of an SDF, with their looks and contact values."""

from __future__ import annotations

from typing import Optional, Tuple

from ...base.record_type import Record
from ...base.type_aliases import Reals
from ...facts.contact_values import CONTACT_VALUES, LINK_DIRECTION
from ...robot.raw_robot import RawShape, Rgba, Values
from ...urdf.spatial_math import compose, IDENTITY, Matrix, Transform, Vector
from ..reader_helpers import frame_of_direction, leaf, turn_of_z, unit_of
from ..xml_reader import XmlElement
from .read_sdf_frames import flags_at, ModelFrames, numbers_at, vector_at

NUMBERS = {row.path: row.name for row in CONTACT_VALUES if row.size == 1 and not row.is_flag}
FLAGS = {row.path: row.name for row in CONTACT_VALUES if row.is_flag}
DIRECTIONS = {row.path: row.name for row in CONTACT_VALUES if row.size == 3}
SURFACE_PARTS = frozenset(row.path.partition("/")[0] for row in CONTACT_VALUES)
SHINE = {"specular": "specular", "emissive": "emission"}
METAL = {"pbr/metal/metalness": "metalness", "pbr/metal/roughness": "roughness"}
SCRIPTS = "file://media/materials/scripts/gazebo.material"  # where Gazebo has the materials that it knows by name
SIZES = {  # the defaults of SDF
    "sphere": {"radius": 1.0},
    "cylinder": {"radius": 0.5, "length": 1.0},
    "capsule": {"radius": 0.5, "length": 1.0},
}
UNIT: Vector = (1.0, 1.0, 1.0)
UP: Vector = (0.0, 0.0, 1.0)


def read_shapes(link: XmlElement, name: str, frames: ModelFrames) -> Tuple[RawShape, ...]:
    """Return the visuals and collisions of a link, in the order of the file."""
    shapes = [_shape(element, name, frames) for element in link.all("visual", "collision")]
    return tuple(shape for shape in shapes if shape is not None)


def _shape(element: XmlElement, link: str, frames: ModelFrames) -> Optional[RawShape]:
    """Return a visual or a collision; None without a geometry that is compared."""
    geometry = element.first("geometry")
    T = frames.pose_in(element, link)
    solid = _geometry(geometry) if geometry is not None else None
    if solid is None:
        return None
    if solid.R_shape_z is not IDENTITY:
        T = compose(T, Transform(solid.R_shape_z, (0.0, 0.0, 0.0)))
    shape = RawShape(
        role=element.tag,
        geometry=solid.kind,
        sizes=solid.sizes,
        T_link_shape=T,
        name=element.get("name") or "",
        file=solid.file,
        line=element.line,
    )
    if element.tag == "visual":
        return _with_look(shape, element)
    surface, direction_link = _surface(element, frames)
    return shape._replace(surface=surface, direction_link=direction_link)


class SdfGeometry(Record):
    """A geometry: its sizes [m], the mesh file, and the rotation that brings z to the normal of a plane."""

    kind: str
    sizes: Reals
    file: str = ""
    R_shape_z: Matrix = IDENTITY


def _geometry(geometry: XmlElement) -> Optional[SdfGeometry]:
    """Return the first geometry that is compared, None without any; sizes that are not written have SDF's defaults."""
    for element in geometry.children:
        kind = element.tag
        if kind == "box":
            return SdfGeometry(kind, vector_at(element.take(), "size") or UNIT)
        if kind == "ellipsoid":
            return SdfGeometry(kind, vector_at(element.take(), "radii") or UNIT)
        if kind in SIZES:
            given = numbers_at(element.take(), {key: key for key in SIZES[kind]})
            defaults = {key: (value,) for key, value in SIZES[kind].items()}
            sizes = {**defaults, **given}.values()
            return SdfGeometry(kind, tuple(size for (size,) in sizes))
        if kind == "mesh":
            uri = element.take().first("uri")
            scale = vector_at(element, "scale") or UNIT
            file = uri.text if uri is not None else ""
            return SdfGeometry(kind, scale, file)
        if kind == "plane":
            element.take().first("size")
            normal = unit_of(vector_at(element, "normal") or UP) or UP
            return SdfGeometry(kind, (), R_shape_z=turn_of_z(normal))
    return None


def _with_look(shape: RawShape, visual: XmlElement) -> RawShape:
    """Return a visual with the color and the other values of its material."""
    material = visual.first("material")
    if material is None:
        return shape
    parts = {part.tag: part for part in reversed(material.children)}  # the first of each tag
    colors = {
        tag: _color(parts[tag].take()) for tag in ("diffuse", "ambient", *SHINE) if tag in parts
    }
    values: Values = {name: colors[tag] for tag, name in SHINE.items() if tag in colors}
    diffuse = colors.get("diffuse")
    ambient = colors.get("ambient")
    if ambient is not None and ambient != diffuse:
        values["ambient"] = ambient
    shape = shape._replace(color=diffuse or ambient, surface=values)
    # Most materials have colors only.
    if parts.keys() == colors.keys():
        return shape
    values.update(numbers_at(material, METAL))
    albedo = leaf(material, "pbr/metal/albedo_map", take=True)
    script = leaf(material, "script/name", take=True)
    uri = leaf(material, "script/uri", take=True)
    if uri is not None and uri.text != SCRIPTS:
        uri.leave("it is not where the materials of Gazebo are")
    return shape._replace(
        texture=albedo.text if albedo is not None else "",
        script=script.text if script is not None else "",
    )


def _color(element: XmlElement) -> Rgba:
    """Return a color; without the fourth number it is opaque."""
    red, green, blue, *rest = element.numbers(element.text, 3, 4)
    alpha = rest[0] if rest else 1.0
    return (red, green, blue, alpha)


def _surface(collision: XmlElement, frames: ModelFrames) -> Tuple[Values, str]:
    """Return the contact values of a collision, and the link of its first direction, "" for its own axes."""
    if SURFACE_PARTS.isdisjoint([child.tag for child in collision.children]):
        return {}, ""
    surface: Values = {**numbers_at(collision, NUMBERS), **flags_at(collision, FLAGS)}
    direction_link = ""
    for path, name in DIRECTIONS.items():
        direction = leaf(collision, path, take=True)
        if direction is None:
            continue
        link = frame_of_direction(direction)
        if link is None or link and not (name == LINK_DIRECTION and frames.is_link(link)):
            direction.leave(
                "it is along the axes of a frame, and programs know those of links alone"
            )
            continue
        surface[name] = direction.numbers(direction.text, 3)
        if name == LINK_DIRECTION:
            direction_link = link
    return surface, direction_link
