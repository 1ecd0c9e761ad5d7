"""Read the JSON of the typed model for the comparison: keys are those of its schema, what is not there is the default.

Poses are `xyz` and `rpy`; an object of several kinds has its kind under `type`. (`urdf_tools.model.json_schema()`)
"""
from math import inf
from typing import Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ..base.errors import MalformedXml
from ..urdf.lossless_xml import parse_document
from ..robot.contact_values import contact_names, VECTOR
from ..urdf.model import INERTIA_KEYS, SIZES
from ..urdf.spatial import Pose
from ..verify.rigid_motion import composed
from .json_reading import Object, read_object
from .reading import closing_loops, held_by_world, name_of, rotation_of_rpy, unit_of, vector
from .records import (JOINT_TYPES, RawActuator, RawFrame, RawJoint, RawLink, RawMass, RawMimic, RawRobot, RawSensor,
                      RawShape)
from .tensors import rotated_tensor
from .urdf_simulators import read_simulators, read_transmission, sensor_of
from .xml_text import Element, unread_of, view_of

FORMAT = 1
DEEPEST = 100  # compounds inside each other: they are read by calls
ALL_SIZES = {**SIZES, "ellipsoid": (("radii", 3),), "plane": ()}
SURFACE = {field: name for field, name in contact_names("field", "name").items() if name != VECTOR}
JOINT_VALUES = {"dynamics": {"damping": "damping", "friction": "friction"},
                "spring": {"stiffness": "stiffness", "reference": "spring_reference"},
                "safety": {"soft_lower_limit": "soft_lower", "soft_upper_limit": "soft_upper",
                           "k_position": "k_position", "k_velocity": "k_velocity"},
                "calibration": {"rising": "calibration_rising", "falling": "calibration_falling",
                                "reference_position": "calibration_reference"}}
Values = Dict[str, Tuple[float, ...]]
Color = Tuple[float, float, float, float]
Look = Tuple[Optional[Color], str, Values]
LIDAR = {"rays": ("samples", "min_angle", "max_angle"), "reach": ("min_range", "max_range")}


def read_model(source: Union[str, bytes], file: str = "") -> RawRobot:
    """Return the robot of a model's JSON.

    Raises:
        UrdfError: it is not such JSON, or not one robot.
    """
    top = read_object(source, file)
    if top.get("format") != FORMAT:
        top.refuse(f"this is not JSON of the model: 'format' is not {FORMAT}")
    entries = top.all("links")
    looks = _looks(top)
    links = tuple(_link(link, looks) for link in entries)
    joints = tuple(map(_joint, top.all("joints")))
    child_of = {joint.name: joint.child for joint in reversed(joints)}
    kept = Element("robot", {}, file)  # around all that the JSON keeps as XML
    robot = RawRobot("json", top.text("name"), links, joints, file=file)
    robot = robot._replace(base=held_by_world(robot))
    robot = _with_xml(kept, top, robot)
    robot = robot._replace(
        sensors=(*robot.sensors, *(_sensor(kept, sensor, child_of) for sensor in top.all("sensors"))),
        actuators=tuple(_actuator(kept, actuator) for actuator in top.all("actuators")))
    return robot._replace(unread=(*unread_of(kept), *top.unread()))


def _with_xml(kept: Element, top: Object, robot: RawRobot) -> RawRobot:
    """Return the robot with what the JSON keeps as XML, read like that of a URDF."""
    others = [_xml(kept, text, top) for text in top.texts("extensions")]
    for part in (*top.read["links"], *top.read["joints"]):
        shapes = [shape for key in ("visuals", "collisions") for shape in part.read.get(key, ())]
        for owner in (part, *shapes):
            for text in owner.texts("extensions"):
                _xml(kept, text, owner)
    frames = [element for element in others if element.tag == "frame" and element.get("link")]
    robot = robot._replace(frames=tuple(RawFrame(name_of(element.take()), element.get("link") or "", Pose(
        rotation_of_rpy(vector(element, "rpy")), vector(element, "xyz"))) for element in frames))
    robot = read_simulators([element for element in others if element not in frames], robot)
    return robot._replace(loops=(*robot.loops, *closing_loops(robot)))


def _xml(kept: Element, text: str, owner: Object) -> Element:
    """Return an element that is kept as XML, and put it with the others."""
    try:
        kept.children.append(view_of(parse_document(text.encode("utf-8", "surrogatepass"), owner.file)))
        return kept.children[-1]
    except MalformedXml as error:
        owner.refuse(f"'extensions' holds what is not XML: {error.message}")


def _looks(top: Object) -> Mapping[str, Look]:
    """Return the looks by name of material: those of the robot first, then those of visuals."""
    looks: Dict[str, Look] = {}
    for material in top.all("materials"):
        looks.setdefault(material.text("name", ""), _look(material))
    for link in top.read["links"]:
        for of_visual in (visual.inside("material") for visual in link.all("visuals")):
            if of_visual is not None and set(of_visual.values) != {"name"}:
                looks.setdefault(of_visual.text("name", ""), _look(of_visual))
    looks.pop("", None)  # no name means nothing
    return looks


def _numbers(owner: Optional[Object], words: Mapping[str, str]) -> Values:
    """Return the numbers of an object by name of VALUES; those that are not written are left out."""
    numbers = {word: owner.number(key) for key, word in words.items()} if owner is not None else {}
    return {word: (number,) for word, number in numbers.items() if number is not None}


def _look(material: Object) -> Look:
    rgba = material.numbers("rgba", 4, ())
    red, green, blue, alpha = rgba or (1.0, 1.0, 1.0, 1.0)
    values = _numbers(material, {"metallic": "metalness", "roughness": "roughness"})
    specular, emission = material.number("specular"), material.number("emission")
    values.update({"specular": (specular, specular, specular, 1.0)} if specular is not None else {})
    values.update({"emission": (emission * red, emission * green, emission * blue, alpha)}
                  if emission is not None else {})
    return (red, green, blue, alpha) if rgba else None, material.text("texture", ""), values


def _link(link: Object, looks: Mapping[str, Look]) -> RawLink:
    flags = {name: link.flag(name) for name in ("self_collide", "gravity")}
    values: Values = {name: (float(flag),) for name, flag in flags.items() if flag is not None}
    values.update(_numbers(link, {"velocity_decay": "velocity_decay"}))
    shapes = [*(shape for visual in link.all("visuals") for shape in _shapes(visual, "visual", looks)),
              *(shape for collision in link.all("collisions") for shape in _shapes(collision, "collision", looks))]
    name, inertial = link.text("name"), link.inside("inertial")
    return RawLink(name, _mass(inertial) if inertial else None, tuple(shapes), values)


def _mass(inertial: Object) -> RawMass:
    inertia = inertial.inside("inertia") or inertial.refuse("there is no 'inertia'")
    xx, xy, xz, yy, yz, zz = (inertia.number(key, 0.0) or 0.0 for key in INERTIA_KEYS)
    T = inertial.pose("origin")
    return RawMass(inertial.number("mass") or 0.0, T.translation,
                   rotated_tensor(T.rotation, (xx, xy, xz, yy, yz, zz)), T)


def _shapes(shape: Object, role: str, looks: Mapping[str, Look]) -> Iterator[RawShape]:
    """Yield a shape, or the pieces of a compound, each with its pose in the link."""
    origin, surface = shape.pose("origin"), shape.inside("surface") if role == "collision" else None
    values: Values = {}
    if surface is not None:
        values = _numbers(surface, SURFACE)
        direction = surface.numbers("fdir1", 3, ())
        values.update({"direction1": direction} if direction else {})
    if role == "collision" and shape.get("density") is not None:
        shape.refuse("the mass of the link comes from a density: write its inertial first")
    material = shape.inside("material") if role == "visual" else None
    look: Look = (None, "", {})
    if material is not None:
        name = material.text("name", "")
        look = _look(material) if set(material.values) != {"name"} else looks.get(name, look)
    geometry = shape.inside("geometry") or shape.refuse("there is no 'geometry'")
    for kind, sizes, file, T in _pieces(geometry, origin):
        yield RawShape(role, kind, sizes, T, shape.text("name", ""), file, "", look[0], look[1],
                       shape.text("script", "") if role == "visual" else "", values or look[2])


def _pieces(geometry: Object, origin: Pose, depth: int = 0) -> Iterator[Tuple[str, Tuple[float, ...], str, Pose]]:
    kind = geometry.text("type")
    if kind == "compound":
        if depth == DEEPEST:
            geometry.refuse(f"more than {DEEPEST} compounds inside each other")
        for part in geometry.all("parts"):
            inner = part.inside("geometry") or part.refuse("there is no 'geometry'")
            yield from _pieces(inner, composed(origin, part.pose("origin")), depth + 1)
        return
    if kind not in ALL_SIZES:
        geometry.refuse(f"'{kind}' is not a shape")
    sizes: List[float] = []
    for key, count in ALL_SIZES[kind]:
        sizes += geometry.numbers(key, 3, (1.0,) * 3 if kind == "mesh" else None) if count == 3 else [
            geometry.number(key) or 0.0]
    if kind == "plane":
        geometry.get("size")
    yield kind, tuple(sizes), geometry.text("filename").strip() if kind == "mesh" else "", origin


def _joint(joint: Object) -> RawJoint:
    name, kind = joint.text("name"), joint.text("type")
    if kind not in JOINT_TYPES:
        joint.refuse(f"'{kind}' is not a type of joint")
    values: Values = {}
    for part, words in JOINT_VALUES.items():
        values.update(_numbers(joint.inside(part), words))
    values.update(_numbers(joint, {"armature": "armature"}))
    limit, mimic = joint.inside("limit"), joint.inside("mimic")
    lower, upper, effort, velocity = (limit.number(key, None, inf) if limit is not None else None
                                      for key in ("lower", "upper", "effort", "velocity"))
    bounded = kind in ("revolute", "prismatic") and limit is not None  # a bound that is not written is 0
    x, y, z = joint.numbers("axis", 3, (1.0, 0.0, 0.0))
    moves_along = kind not in ("fixed", "floating", "ball")
    axis = unit_of((x, y, z)) or joint.refuse("the axis is 0 0 0") if moves_along else (1.0, 0.0, 0.0)
    return RawJoint(
        name, kind, joint.text("parent"), joint.text("child"), joint.pose("origin"), axis,
        lower=lower or 0.0 if bounded else None, upper=upper or 0.0 if bounded else None, effort=effort,
        velocity=velocity, mimic=RawMimic(mimic.text("joint"), mimic.number("multiplier", 1.0) or 0.0,
                                          mimic.number("offset", 0.0) or 0.0) if mimic is not None else None,
        values=values)


def _sensor(kept: Element, entry: Object, child_of: Mapping[str, str]) -> RawSensor:
    """Return a sensor; what it keeps as XML counts where no field says otherwise."""
    joint, camera, lidar = entry.text("joint", ""), entry.inside("camera"), entry.inside("lidar")
    link, T = entry.text("link", "") or child_of.get(joint, ""), entry.pose("origin")
    text = entry.text("xml", "")
    sensor = sensor_of(_xml(kept, text, entry).take(), link, joint, T) if text else RawSensor("", "", link, joint, T)
    values: Values = {}
    if camera is not None:
        values = {"field_of_view": (camera.number("horizontal_fov") or 0.0,),
                  "image": (camera.number("width") or 0.0, camera.number("height") or 0.0)}
    if lidar is not None:
        values.update({name: tuple(lidar.number(key) or 0.0 for key in keys) for name, keys in LIDAR.items()})
    rate = entry.number("rate")
    return sensor._replace(name=entry.text("name"), kind=entry.text("type"), line=0, rate=sensor.rate if rate is None
                           else rate, values={**sensor.values, **values})


def _actuator(kept: Element, entry: Object) -> RawActuator:
    """Return an actuator; what it keeps as XML counts where no field says otherwise."""
    text = entry.text("xml", "")
    values: Values = {name: value for actuator in (read_transmission(_xml(kept, text, entry)) if text else ())
                      for name, value in actuator.values.items()}
    values.update(_numbers(entry, {key: key for key in ("gear", "kp", "kv", "reduction")}))
    for key in ("force_range", "control_range"):
        bounds = entry.numbers(key, 2, ())
        values.update({key: bounds} if bounds else {})
    entry.get("source")
    return RawActuator(entry.text("name"), entry.text("type", "motor"), entry.text("joint"), values)
