"""Read the typed model, or its JSON, for the comparison: the fields of its records, and the XML that they keep.

Of the model only its records and the types of their JSON are used. What they mean (poses, compounds, tensors, names
of materials) is worked out here anew: a model without a URDF is what its exports are compared with.
"""

from __future__ import annotations

from math import inf
from sys import float_info
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ...base.errors import BrokenRobot, MalformedXml
from ...base.number_text import LARGEST
from ...model.records import Actuator, Joint, Link, Robot, Sensor
from ...model.shapes import (
    Collision,
    Compound,
    Material,
    Part,
    Pose as WrittenPose,
    sizes_of,
    Visual,
)
from ...model.xml_tree import COLLISION, JOINT, Known, LINK, VISUAL
from ...robot.principal_axes import entries_of
from ...robot.records import (
    contact_names,
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
from ...urdf.model import INERTIA_KEYS, Limit
from ...urdf.spatial import compose, Pose
from ..reading import (
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
from ..urdf.read import CALIBRATION, DYNAMICS, frame_of, LIMITS, SAFETY
from ..urdf.simulators import read_simulators, read_transmission
from ..xml_text import Element, unread_of, view_of
from .form import read_json

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


def raw_of_model(robot: Robot, file: str = "") -> RawRobot:
    """Return the robot of a model, with what it keeps as XML read like that of a URDF.

    Raises:
        UrdfError: it is not one robot, or holds a number or XML that cannot be read.
    """
    _refuse_large(robot, file)
    looks = _looks_of(robot)
    kept = Element("robot", {}, file)  # around all that the model keeps as XML
    links = tuple(_link(link, looks, file) for link in robot.links)
    joints = tuple(_joint(joint, kept) for joint in robot.joints)
    raw = RawRobot("json", robot.name, links, joints, file=file)
    raw = raw._replace(base=held_by_world(raw))
    others = [_xml(kept, text) for text in robot.extensions]
    for element in others:
        if element.tag == "inertial":
            element.leave(IGNORED)
    for link in robot.links:
        for rest in _rests(kept, link, {"link": LINK, **LINK}):
            if rest.tag == "origin":  # a link has no pose of its own
                rest.leave(IGNORED)
        for shape in link.shapes:
            _rests(kept, shape, {"visual": VISUAL, "collision": COLLISION, **VISUAL})
    frames = [element for element in others if element.tag == "frame" and element.get("link")]
    raw = raw._replace(frames=tuple(frame_of(element)._replace(line=0) for element in frames))
    raw = read_simulators([element for element in others if element not in frames], raw)
    child_of = {joint.name: joint.child for joint in reversed(robot.joints)}
    raw = raw._replace(
        loops=(*raw.loops, *closing_loops(raw)),
        sensors=(*raw.sensors, *(_sensor(kept, sensor, child_of) for sensor in robot.sensors)),
        actuators=tuple(_actuator(kept, actuator) for actuator in robot.actuators),
    )
    return raw._replace(unread=tuple(unread_of(kept)))


def _looks_of(robot: Robot) -> Dict[str, Look]:
    """Return the look of each material by name, as it is first given."""
    # No name refers to nothing.
    looks: Dict[str, Look] = {"": PLAIN}
    of_visuals = [visual.material for link in robot.links for visual in link.visuals]
    for material in (*robot.materials, *of_visuals):
        if material is not None and material != Material(material.name):
            looks.setdefault(material.name, _look(material))
    return looks


def _refuse_large(robot: Robot, file: str) -> None:
    """Refuse numbers with which the comparison cannot count; only limits may be out of reach."""
    waiting: List[Any] = [robot]
    for record in waiting:  # it grows while it is walked
        largest = float_info.max if isinstance(record, Limit) else LARGEST
        for value in record:
            if isinstance(value, tuple):
                waiting.append(value)
            elif isinstance(value, float) and not abs(value) <= largest:
                raise BrokenRobot(f"{value:g} in {record} is too large a number", file)


def _xml(kept: Element, text: str) -> Element:
    """Return an element that is kept as XML, and put it with the others."""
    try:
        kept.children.append(
            view_of(
                parse_document(text.encode("utf-8", "surrogatepass"), kept.file).root, kept.file
            )
        )
        return kept.children[-1]
    except MalformedXml as error:
        raise BrokenRobot(
            f"'extensions' holds what is not XML: {error.message}", kept.file
        ) from None


def _rests(kept: Element, part: Any, known: Known) -> List[Element]:
    """Return what a part keeps as XML; an element that is the rest of one with fields is read, but for that rest."""
    elements = [_xml(kept, text) for text in part.extensions]
    waiting = [(element, known) for element in elements]
    while waiting:
        element, around = waiting.pop()
        of_it = around.get(element.tag)
        # One that has what fields are for is no rest, but another element of its kind.
        if of_it is not None and not element.attributes.keys() & {*of_it.get("", ())}:
            waiting += [(child, of_it) for child in element.take().children]
    return elements


def _values(record: Any, words: Mapping[str, str]) -> Values:
    """Return the numbers of a record, or of none, by name of VALUES; those that are not written are left out."""
    numbers = {word: getattr(record, field, None) for field, word in words.items()}
    return {
        word: number if isinstance(number, tuple) else (float(number),)
        for word, number in numbers.items()
        if number is not None
    }


def _look(material: Material) -> Look:
    values = _values(material, {"metallic": "metalness", "roughness": "roughness"})
    values.update(shine_of(material.specular, material.emission, material.rgba))
    return material.rgba, material.texture, values


def _pose(pose: WrittenPose) -> Pose:
    return Pose(rotation_of_rpy(pose.rpy), pose.xyz)


def _link(link: Link, looks: Mapping[str, Look], file: str) -> RawLink:
    """Return a link; without an inertial its mass is that of its densities."""
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
    return RawLink(
        link.name,
        mass,
        tuple(raw for shape in link.shapes for raw in _shapes(shape, looks)),
        _values(link, {key: key for key in ("self_collide", "gravity", "velocity_decay")}),
    )


def _shapes(shape: Union[Visual, Collision], looks: Mapping[str, Look]) -> Iterator[RawShape]:
    """Yield a shape, or the pieces of a compound, each with its pose in the link."""
    role = "collision"
    script = ""
    look = PLAIN
    if isinstance(shape, Visual):
        role = "visual"
        script = shape.script
        material = shape.material or Material()
        look = (
            looks.get(material.name, PLAIN)
            if material == Material(material.name)
            else _look(material)
        )
    surface = _values(shape.surface, SURFACE) if isinstance(shape, Collision) else look[2]
    parts = (
        shape.geometry.parts if isinstance(shape.geometry, Compound) else (Part(shape.geometry),)
    )
    for part in parts:
        T = compose(_pose(shape.origin), _pose(part.origin))
        kind = part.geometry.kind
        yield RawShape(
            role,
            kind,
            () if kind == "plane" else sizes_of(part.geometry),
            T,
            shape.name,
            getattr(part.geometry, "filename", "").strip(),
            "",
            *look[:2],
            script,
            surface,
        )


def _joint(joint: Joint, kept: Element) -> RawJoint:
    """Return a joint; of a limit, a bound that is not written is 0."""
    values = _values(joint, {"armature": "armature"})
    for field, words in JOINT_VALUES.items():
        values.update(_values(getattr(joint, field), words))
    for rest in _rests(kept, joint, {"joint": JOINT, **JOINT}):
        for key, word in LIMITS.items() if rest.tag == "limit" else ():
            value = number(rest, key, inf)
            if value is not None:
                values[word] = (value,)
    limit = joint.limit or Limit()
    axis = unit_of(joint.axis)
    if joint.type in ("fixed", "floating", "ball"):
        axis = (1.0, 0.0, 0.0)
    elif axis is None:
        raise BrokenRobot(f"joint '{joint.name}': the axis is 0 0 0", kept.file)
    bounded = joint.type in ("revolute", "prismatic") and joint.limit is not None
    return RawJoint(
        name=joint.name,
        type=joint.type,
        parent=joint.parent,
        child=joint.child,
        T_parent_child=_pose(joint.origin),
        axis=axis,
        lower=limit.lower or 0.0 if bounded else None,
        upper=limit.upper or 0.0 if bounded else None,
        effort=limit.effort,
        velocity=limit.velocity,
        mimic=joint.mimic and RawMimic(*joint.mimic),
        values=values,
    )


def _sensor(kept: Element, sensor: Sensor, child_of: Mapping[str, str]) -> RawSensor:
    """Return a sensor; what it keeps as XML counts where no field says otherwise."""
    link = sensor.link or child_of.get(sensor.joint, "")
    T = _pose(sensor.origin)
    raw = sensor_of(
        _xml(kept, sensor.xml).take() if sensor.xml else Element("sensor", {}),
        link,
        sensor.joint,
        T,
    )
    camera, lidar = (tuple(map(float, record or ())) for record in (sensor.camera, sensor.lidar))
    values = {
        name: numbers
        for name, numbers in (
            ("field_of_view", camera[:1]),
            ("image", camera[1:]),
            ("rays", lidar[:3]),
            ("reach", lidar[3:]),
        )
        if numbers
    }
    return raw._replace(
        name=sensor.name,
        kind=sensor.type,
        line=0,
        values={**raw.values, **values},
        rate=raw.rate if sensor.rate is None else sensor.rate,
    )


def _actuator(kept: Element, actuator: Actuator) -> RawActuator:
    """Return an actuator; what it keeps as XML counts where no field says otherwise."""
    written = read_transmission(_xml(kept, actuator.xml)) if actuator.xml else []
    fields = _values(
        actuator,
        {key: key for key in ("gear", "kp", "kv", "reduction", "force_range", "control_range")},
    )
    return RawActuator(
        actuator.name,
        actuator.type,
        actuator.joint,
        {
            name: value
            for values in (*(raw.values for raw in written), fields)
            for name, value in values.items()
        },
    )
