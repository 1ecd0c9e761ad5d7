"""Read the typed model, or its JSON, for the comparison: the fields of its records, and the XML that they keep.

Only the records of the model and the types of their JSON are used. Their meaning (poses, compounds, tensors, names of
materials) is worked out here anew: exports of a model without a URDF are compared with this reading.
"""

from __future__ import annotations

from itertools import chain
from math import inf
from sys import float_info
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ...base.errors import BrokenRobot, MalformedXml
from ...base.number_text import LARGEST
from ...base.type_aliases import Reals
from ...facts.contact_values import contact_names
from ...model.model_records import Actuator, Joint, Link, RobotRecord, Sensor
from ...model.model_shapes import (
    Collision,
    Compound,
    Material,
    Part,
    Pose as WrittenPose,
    sizes_of,
    Visual,
)
from ...model.xml_writer import COLLISION, JOINT, Known, LINK, VISUAL
from ...robot.principal_axes import entries_of
from ...robot.raw_robot import (
    RawActuator,
    RawJoint,
    RawLink,
    RawMass,
    RawMimic,
    RawRobot,
    RawSensor,
    RawShape,
    Rgba,
    Values,
)
from ...urdf.lossless_xml import parse_document
from ...urdf.urdf_records import INERTIA_KEYS, Limit
from ...urdf.spatial_math import compose, Transform
from ..reader_helpers import (
    closing_loops,
    held_by_world,
    IGNORED,
    number,
    rotated_tensor,
    rotation_of_rpy,
    sensor_of,
    shine_of,
    unit_of,
)
from ..urdf.read_urdf import CALIBRATION, DYNAMICS, frame_of, LIMITS, SAFETY
from ..urdf.read_simulator_tags import read_simulators, read_transmission
from ..xml_reader import XmlElement, unread_of, view_of
from .model_json import read_json

SURFACE = contact_names("field", "name")
JOINT_VALUES = {
    "dynamics": DYNAMICS,
    "safety": SAFETY,
    "calibration": CALIBRATION,
    "spring": {"stiffness": "stiffness", "reference": "spring_reference"},
}
Look = Tuple[Optional[Rgba], str, Values]
PLAIN: Look = (None, "", {})


def read_model(source: Union[str, bytes], file: str = "") -> RawRobot:
    """Return the robot of a model's JSON.

    Raises:
        UrdfError: it is not such JSON, or not one robot.
    """
    return raw_of_model(read_json(source, file), file)


def raw_of_model(robot: RobotRecord, file: str = "") -> RawRobot:
    """Return the robot of a model; XML that it keeps is read as in a URDF.

    Raises:
        UrdfError: it is not one robot, or holds a number or XML that cannot be read.
    """
    _refuse_large(robot, file)
    looks = _looks_of(robot)
    kept = XmlElement("robot", {}, file)  # around all that the model keeps as XML
    links = tuple(_link(link, looks, file) for link in robot.links)
    joints = tuple(_joint(joint, kept) for joint in robot.joints)
    raw = RawRobot("json", robot.name, links, joints, file=file)
    raw = raw._replace(base=held_by_world(raw))
    extensions = [_xml(kept, text) for text in robot.extensions]
    _read_rests(kept, robot, extensions)
    frames = [part for part in extensions if part.tag == "frame" and part.get("link")]
    others = [part for part in extensions if part not in frames]
    # The model has no lines.
    raw = raw._replace(frames=tuple(frame_of(element)._replace(line=0) for element in frames))
    raw = read_simulators(others, raw)
    # Of two joints with one name the first counts.
    child_of = {joint.name: joint.child for joint in reversed(robot.joints)}
    sensors = [_sensor(kept, sensor, child_of) for sensor in robot.sensors]
    actuators = [_actuator(kept, actuator) for actuator in robot.actuators]
    raw = raw._replace(
        loops=(*raw.loops, *closing_loops(raw)),
        sensors=(*raw.sensors, *sensors),
        actuators=tuple(actuators),
    )
    return raw._replace(unread=tuple(unread_of(kept)))


def _read_rests(kept: XmlElement, robot: RobotRecord, extensions: Sequence[XmlElement]) -> None:
    """Read the XML that links and shapes keep; elements that URDF ignores are left with this reason."""
    for element in extensions:
        if element.tag == "inertial":
            element.leave(IGNORED)
    for link in robot.links:
        for rest in _rests(kept, link, {"link": LINK, **LINK}):
            if rest.tag == "origin":  # a link has no pose of its own
                rest.leave(IGNORED)
        for shape in link.shapes:
            _rests(kept, shape, {"visual": VISUAL, "collision": COLLISION, **VISUAL})


def _looks_of(robot: RobotRecord) -> Dict[str, Look]:
    """Return the look of each material by name, as it is first given."""
    # No name refers to nothing.
    looks: Dict[str, Look] = {"": PLAIN}
    visuals = chain.from_iterable(link.visuals for link in robot.links)
    for material in (*robot.materials, *(visual.material for visual in visuals)):
        if material is not None and material != Material(material.name):
            looks.setdefault(material.name, _look(material))
    return looks


def _refuse_large(robot: RobotRecord, file: str) -> None:
    """Refuse numbers with which the comparison cannot count; only limits may be out of reach."""
    waiting: List[Any] = [robot]
    for record in waiting:  # it grows while it is walked
        largest = float_info.max if isinstance(record, Limit) else LARGEST
        for value in record:
            if isinstance(value, tuple):
                waiting.append(value)
            elif isinstance(value, float) and not abs(value) <= largest:
                raise BrokenRobot(f"{value:g} in {record} is too large a number", file)


def _xml(kept: XmlElement, text: str) -> XmlElement:
    """Return an element that is kept as XML, and add it to the others."""
    data = text.encode("utf-8", "surrogatepass")
    try:
        document = parse_document(data, kept.file)
    except MalformedXml as error:
        raise BrokenRobot(
            f"'extensions' has text that is not XML: {error.message}", kept.file
        ) from None
    element = view_of(document.root, kept.file)
    kept.children.append(element)
    return element


def _rests(kept: XmlElement, part: Any, known: Known) -> List[XmlElement]:
    """Return the elements that a part keeps as XML.

    An element whose kind has fields is only the rest of this kind: it counts as read, and its children as far as they
    have fields, too. `known` are the names of attributes with fields, by tag, and by "" of an element itself.
    """
    elements = [_xml(kept, text) for text in part.extensions]
    waiting = [(element, known) for element in elements]
    while waiting:
        element, around = waiting.pop()
        fields = around.get(element.tag)
        # An element with an attribute that has a field is no rest, but a second element of its kind.
        if fields is not None and not element.attributes.keys() & {*fields.get("", ())}:
            waiting += [(child, fields) for child in element.take().children]
    return elements


def _values(record: Any, words: Mapping[str, str]) -> Values:
    """Return the numbers of a record by name of VALUES, none of None; numbers that are not written are left out."""
    values: Values = {}
    for field, word in words.items():
        number = getattr(record, field, None)
        if number is not None:
            values[word] = number if isinstance(number, tuple) else (float(number),)
    return values


def _look(material: Material) -> Look:
    """Return the color, the texture and the other values of a material."""
    values = _values(material, {"metallic": "metalness", "roughness": "roughness"})
    values.update(shine_of(material.specular, material.emission, material.rgba))
    return material.rgba, material.texture, values


def _pose(pose: WrittenPose) -> Transform:
    """Return the transform of a pose that is written as x y z and roll pitch yaw."""
    return Transform(rotation_of_rpy(pose.rpy), pose.xyz)


def _link(link: Link, looks: Mapping[str, Look], file: str) -> RawLink:
    """Return a link; without an inertial its mass follows from the densities of its shapes."""
    mass = None
    if link.inertial is not None:
        T = _pose(link.inertial.origin)
        inertia = link.inertial.inertia
        written = [getattr(inertia, key) for key in INERTIA_KEYS]
        tensor = rotated_tensor(T.rotation, written)
        mass = RawMass(link.inertial.mass, T.translation, tensor, T)
    elif any(shape.density is not None for shape in link.collisions):
        try:
            value, center, whole = link.mass_properties
        except ValueError as error:
            raise BrokenRobot(f"link '{link.name}': {error}", file) from None
        mass = RawMass(value, center, entries_of(whole))
    shapes = chain.from_iterable(_shapes(shape, looks) for shape in link.shapes)
    values = _values(link, {key: key for key in ("self_collide", "gravity", "velocity_decay")})
    return RawLink(link.name, mass, tuple(shapes), values)


def _shapes(shape: Union[Visual, Collision], looks: Mapping[str, Look]) -> Iterator[RawShape]:
    """Yield a shape, or the pieces of a compound, each with its pose in the link."""
    role = "collision"
    script = ""
    look = PLAIN
    if isinstance(shape, Visual):
        role = "visual"
        script = shape.script
        material = shape.material or Material()
        # A material that has only a name refers to another material of this name.
        if material == Material(material.name):
            look = looks.get(material.name, PLAIN)
        else:
            look = _look(material)
    color, texture, surface = look
    if isinstance(shape, Collision):
        surface = _values(shape.surface, SURFACE)
    geometry = shape.geometry
    parts = geometry.parts if isinstance(geometry, Compound) else (Part(geometry),)
    for part in parts:
        kind = part.geometry.kind
        # A plane is infinite, whatever size of it is drawn.
        sizes = () if kind == "plane" else sizes_of(part.geometry)
        yield RawShape(
            role=role,
            geometry=kind,
            sizes=sizes,
            T_link_shape=compose(_pose(shape.origin), _pose(part.origin)),
            name=shape.name,
            file=getattr(part.geometry, "filename", "").strip(),
            path="",
            color=color,
            texture=texture,
            script=script,
            surface=surface,
        )


def _joint(joint: Joint, kept: XmlElement) -> RawJoint:
    """Return a joint; a bound that a limit does not have is 0, as in URDF."""
    values = _values(joint, {"armature": "armature"})
    for field, words in JOINT_VALUES.items():
        values.update(_values(getattr(joint, field), words))
    for rest in _rests(kept, joint, {"joint": JOINT, **JOINT}):
        if rest.tag != "limit":
            continue
        for key, word in LIMITS.items():
            value = number(rest, key, inf)
            if value is not None:
                values[word] = (value,)
    limit = joint.limit or Limit()
    axis = unit_of(joint.axis)
    if joint.type in ("fixed", "floating", "ball"):
        axis = (1.0, 0.0, 0.0)
    elif axis is None:
        raise BrokenRobot(f"joint '{joint.name}': the axis is 0 0 0", kept.file)
    lower: Optional[float] = None
    upper: Optional[float] = None
    if joint.type in ("revolute", "prismatic") and joint.limit is not None:
        lower = limit.lower or 0.0
        upper = limit.upper or 0.0
    return RawJoint(
        name=joint.name,
        type=joint.type,
        parent=joint.parent,
        child=joint.child,
        T_parent_child=_pose(joint.origin),
        axis=axis,
        lower=lower,
        upper=upper,
        effort=limit.effort,
        velocity=limit.velocity,
        mimic=joint.mimic and RawMimic(*joint.mimic),
        values=values,
    )


def _sensor(kept: XmlElement, sensor: Sensor, child_of: Mapping[str, str]) -> RawSensor:
    """Return a sensor; XML that it keeps counts as far as no field has another value."""
    link = sensor.link or child_of.get(sensor.joint, "")
    element = _xml(kept, sensor.xml).take() if sensor.xml else XmlElement("sensor", {})
    raw = sensor_of(element, link, sensor.joint, _pose(sensor.origin))
    values = dict(raw.values)
    if sensor.camera:
        field_of_view, *image = map(float, sensor.camera)
        values["field_of_view"] = (field_of_view,)
        values["image"] = tuple(image)
    if sensor.lidar:
        numbers = tuple(map(float, sensor.lidar))
        values["rays"] = numbers[:3]
        values["reach"] = numbers[3:]
    rate = raw.rate if sensor.rate is None else sensor.rate
    return raw._replace(name=sensor.name, kind=sensor.type, line=0, values=values, rate=rate)


def _actuator(kept: XmlElement, actuator: Actuator) -> RawActuator:
    """Return an actuator; XML that it keeps counts as far as no field has another value."""
    values: Dict[str, Reals] = {}
    if actuator.xml:
        for written in read_transmission(_xml(kept, actuator.xml)):
            values.update(written.values)
    fields = ("gear", "kp", "kv", "reduction", "force_range", "control_range")
    values.update(_values(actuator, {field: field for field in fields}))
    return RawActuator(actuator.name, actuator.type, actuator.joint, values)
