"""Shapes and sensors of an SDF model."""
from typing import Dict, Iterator, Optional, Tuple

from ...robot.records import contact_names, RawSensor, RawShape, VECTOR
from ...urdf.spatial import IDENTITY, Matrix, Pose, Vector
from ...verify.rigid_motion import composed
from ..reading import sensor_of, turn_of_z, unit_of
from ..xml_text import Element
from .read_frames import Frames, number_at, text_at, vector_at

SURFACE = {path: name for path, name in contact_names("path", "name").items() if name != VECTOR}
SURFACE_PARTS = frozenset(path.partition("/")[0] for path in SURFACE)
SHINE = {"specular": "specular", "emissive": "emission"}
METAL = {"pbr/metal/metalness": "metalness", "pbr/metal/roughness": "roughness"}
SCRIPTS = "file://media/materials/scripts/gazebo.material"  # where Gazebo has the materials that it knows by name
UP: Vector = (0.0, 0.0, 1.0)
Color = Tuple[float, float, float, float]


def read_shapes(link: Element, name: str, frames: Frames) -> Tuple[RawShape, ...]:
    """Return the visuals and collisions of a link, in the order of the file."""
    elements = [element.take() for element in link.children if element.tag in ("visual", "collision")]
    shapes = [_shape(element, name, frames) for element in elements]
    return tuple(shape for shape in shapes if shape is not None)


def _shape(element: Element, link: str, frames: Frames) -> Optional[RawShape]:
    geometry = element.first("geometry")
    T = frames.pose_in(element, link)
    solid = _geometry(geometry) if geometry is not None else None
    if solid is None:
        return None
    kind, sizes, file, R = solid
    shape = RawShape(element.tag, kind, sizes, T if R is IDENTITY else composed(T, Pose(R, (0.0, 0.0, 0.0))),
                     element.get("name") or "", file, line=element.line)
    if element.tag == "visual":
        return _with_look(shape, element)
    return shape._replace(surface=_surface(element))


def _geometry(geometry: Element) -> Optional[Tuple[str, Tuple[float, ...], str, Matrix]]:
    """Return kind, sizes, file, and how its z is turned; None for a kind that is not compared."""
    for element in geometry.children:
        kind, file, R = element.tag, "", IDENTITY
        if kind in ("box", "ellipsoid"):
            sizes: Tuple[float, ...] = vector_at(element.take(), "size" if kind == "box" else "radii") or (1.0,) * 3
        elif kind in ("cylinder", "capsule"):
            sizes = tuple(_or(number_at(element.take(), key), default)
                          for key, default in (("radius", 0.5), ("length", 1.0)))
        elif kind == "sphere":
            sizes = (_or(number_at(element.take(), "radius"), 1.0),)
        elif kind == "mesh":
            uri = element.take().first("uri")
            file, sizes = uri.text if uri is not None else "", vector_at(element, "scale") or (1.0, 1.0, 1.0)
        elif kind == "plane":
            element.take().first("size")
            sizes, R = (), turn_of_z(unit_of(vector_at(element, "normal") or UP) or UP)
        else:
            continue
        return kind, sizes, file, R
    return None


def _or(value: Optional[float], default: float) -> float:
    return default if value is None else value


def _with_look(shape: RawShape, visual: Element) -> RawShape:
    """Return a visual with the color of its material, and the other values of that."""
    material = visual.first("material")
    if material is None:
        return shape
    colors = {tag: _color(text_at(material, tag)) for tag in ("diffuse", "ambient", *SHINE)}
    values: Dict[str, Tuple[float, ...]] = {
        **{name: color for tag, name in SHINE.items() for color in [colors[tag]] if color is not None},
        **{name: (value,) for path, name in METAL.items() for value in [number_at(material, path)]
           if value is not None}}
    diffuse, ambient = colors["diffuse"], colors["ambient"]
    if ambient is not None and ambient != diffuse:
        values["ambient"] = ambient
    albedo, script = text_at(material, "pbr/metal/albedo_map"), text_at(material, "script/name")
    uri = text_at(material, "script/uri")
    if uri is not None and uri.text != SCRIPTS:
        uri.leave("it is not where the materials of Gazebo are")
    return shape._replace(color=diffuse or ambient, texture=albedo.text if albedo is not None else "",
                          script=script.text if script is not None else "", surface=values)


def _color(element: Optional[Element]) -> Optional[Color]:
    if element is None:
        return None
    red, green, blue, *alpha = element.numbers(element.text, 3, 4)
    return (red, green, blue, alpha[0] if alpha else 1.0)


def _surface(collision: Element) -> Dict[str, Tuple[float, ...]]:
    surface: Dict[str, Tuple[float, ...]] = {}
    if SURFACE_PARTS.isdisjoint([child.tag for child in collision.children]):
        return surface
    for path, name in SURFACE.items():
        value = number_at(collision, path)
        if value is not None:
            surface[name] = (value,)
    rough = text_at(collision, "surface/friction/ode")
    for direction in rough.children if rough is not None else ():
        if direction.tag == "fdir1" and not direction.attributes and "direction1" not in surface:  # else: another frame
            surface["direction1"] = direction.take().numbers(direction.text, 3)
    return surface


def read_sensors(model: Element, frames: Frames, child_of: Dict[str, str]) -> Iterator[RawSensor]:
    """Yield the sensors of links, then those in joints."""
    for holder in [child for tag in ("link", "joint") for child in model.children if child.tag == tag]:
        name = frames.name_of(holder)
        link = name if holder.tag == "link" else child_of.get(name, "")
        for sensor in holder.all("sensor"):
            if holder.tag == "link":
                yield sensor_of(sensor, link, "", frames.pose_in(sensor, link), number_at)
            else:
                yield sensor_of(sensor, link, name, composed(frames.between(link, name), frames.pose_in(sensor, name)),
                                number_at)
