"""Put `<gazebo>`, `<transmission>` and `<ros2_control>` of a URDF into the typed model, and write them."""

from __future__ import annotations

from itertools import chain
from typing import Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ...base.type_aliases import Json, Reals, Texts
from ...base.diagnostics import Diagnostic, Diagnostics
from ...base.number_text import numbers_in
from ...facts.contact_values import contact_names, CONTACT_VALUES
from ...model.model_diagnostics import EXPORT_LOST
from ...model.model_records import Actuator, Joint, Link, RobotRecord, Spring
from ...model.model_shapes import Surface
from ...model.xml_writer import (
    exact,
    exact_numbers,
    XmlNode,
    node,
    node_of,
    put,
    raw,
    render,
    source_of,
)
from ...robot.raw_robot import (
    RawActuator,
    RawJoint,
    RawLink,
    RawRobot,
    RawShape,
)
from ...urdf.lossless_xml import parse_document
from ..reader_helpers import number_at
from ..gazebo_sensors import resolved_sensor, sensor_node
from ..xml_reader import XmlElement, view_of, words_of
from .read_simulator_tags import (
    KINDS,
    OF_LINK,
    read_ros2_control,
    read_simulators,
    read_transmission,
)

SURFACE = contact_names("tag", "field")
FIELDS = contact_names("name", "field")
# The contact values that only SDF's `<surface>` in a `<gazebo>` can set, by their names in a comparison.
UNTAGGED = {row.name: row for row in CONTACT_VALUES if not row.tag}
RESTITUTION = "collision/surface/bounce/restitution_coefficient"  # no tag sets it
FLAGS = {"selfCollide": "self_collide", "gravity": "gravity"}
COLLISION_PLACES = contact_names("path", "field")  # of SDF's `<collision>`
SPRING = ("springStiffness", "springReference")
WITH_FIELD = (*SURFACE, *OF_LINK, *SPRING, "material")  # tags of a `<gazebo>` that hold one value


def read_simulation(tops: Sequence[XmlElement], robot: RobotRecord) -> RobotRecord:
    """Return the robot with the file's elements for simulators; those without a field become extensions."""
    links = {link.name: link for link in robot.links}
    children: Dict[XmlElement, List[XmlElement]] = {}
    blocks = [top for top in tops if top.tag == "gazebo"]
    # Only elements with a field are read as values; all the rest of a block stays XML.
    for top in blocks:
        children[top] = top.children
        top.children = list(_with_field(top, links.get(top.get("reference") or "")))
    read = read_simulators(blocks, _without_values(robot))

    parts = chain.from_iterable(top.children for top in blocks)
    read_parts = [part for part in parts if part.tag == "sensor" and part.taken]
    sensors = [
        resolved_sensor(part, sensor, sensor.joint or sensor.link)
        for part, sensor in zip(read_parts, read.sensors)
    ]
    # Of two joints with one name the first counts.
    values = {joint.name: joint.values for joint in reversed(read.joints)}
    actuators: List[Actuator] = []
    extensions = list(robot.extensions)
    for top in tops:
        if top.tag == "gazebo":
            extensions += _without_a_field(top, children[top], values)
        elif top.tag == "transmission":
            actuator = _transmission(top)
            if actuator is not None and actuator.joint in values:
                actuators.append(actuator)
            else:
                extensions.append(source_of(top.source).strip())
        else:
            motors = read_ros2_control(top)
            actuators += [_controlled(motor) for motor in motors if motor.joint in values]
    return robot._replace(
        links=tuple(map(_with_values, links.values(), read.links)),
        joints=tuple(map(_with_spring, robot.joints, read.joints)),
        sensors=tuple(sensors),
        actuators=tuple(actuators),
        extensions=tuple(extensions),
    )


def _without_a_field(
    top: XmlElement, parts: Sequence[XmlElement], values: Mapping[str, Mapping[str, Reals]]
) -> Texts:
    """Return the rest of a `<gazebo>` as XML; `values` are the values of joints by name."""
    # A reference without a stiffness makes no spring: it stays XML.
    is_spring = "stiffness" in values.get(top.get("reference") or "", ())
    rest = [
        part for part in parts if not part.taken or part.tag == "springReference" and not is_spring
    ]
    return _text_of(top, rest, is_whole=len(rest) == len(parts))


def _with_field(top: XmlElement, link: Optional[Link]) -> Iterator[XmlElement]:
    """Yield the children of a `<gazebo>` for which the model has a field, each as a whole."""
    for part in top.children:
        if part.tag == "collision" and link is not None and link.collisions:
            if _has_fields(part):
                yield part
            elif any(inner.tag == "surface" for inner in part.children):
                yield _with_fields_alone(part)
        elif part.tag == "sensor":
            yield part
        elif part.tag in WITH_FIELD and not part.children and not set(part.attributes) - {"value"}:
            yield part


def _with_fields_alone(collision: XmlElement) -> XmlElement:
    """Return a copy of SDF's `<collision>`, which itself stays XML, with the values in `<surface>` that have a field.

    As in sdformat its `<surface>` replaces all earlier values.
    """
    copied = XmlElement(collision.tag, {}, source=collision.source)
    for part in collision.children:
        if part.tag == "surface":
            copied.children.append(_copy_of_surface(part.tag, part))
    return copied


def _copy_of_surface(path: str, element: XmlElement) -> XmlElement:
    """Return a copy of an element at a path of SDF, with only the values in it that have a field."""
    copied = XmlElement(element.tag, {}, source=element.source)
    copied.text = element.text
    for child in element.children:
        inner = f"{path}/{child.tag}"
        is_value = inner in COLLISION_PLACES and not child.attributes
        if is_value or any(place.startswith(f"{inner}/") for place in COLLISION_PLACES):
            copied.children.append(_copy_of_surface(inner, child))
    return copied


def _has_fields(collision: XmlElement) -> bool:
    """Return True if each value of SDF's `<collision>` has a field in the model."""
    words = words_of(collision)
    around = {path.rpartition("/")[0] for path, _, _ in words}
    for path, attributes, text in words:
        count = 3 if path.endswith("fdir1") else 1
        if path in around:
            continue
        if path not in COLLISION_PLACES or attributes or numbers_in(text, count) is None:
            return False
    return True


def _without_values(robot: RobotRecord) -> RawRobot:
    """Return the links, the roles of their shapes, and the joints of a robot: simulators add values to them."""
    links: List[RawLink] = []
    for link in robot.links:
        roles = {"visual": link.visuals, "collision": link.collisions}
        shapes = tuple(RawShape(role, "", ()) for role, several in roles.items() if several)
        links.append(RawLink(link.name, shapes=shapes))
    joints = [
        RawJoint(
            name=joint.name,
            type=joint.type,
            parent=joint.parent,
            child=joint.child,
            T_parent_child=joint.origin.transform,
        )
        for joint in robot.joints
    ]
    return RawRobot("urdf", robot.name, tuple(links), tuple(joints))


def _text_of(top: XmlElement, rest: List[XmlElement], *, is_whole: bool) -> Texts:
    """Return the XML of a `<gazebo>` with a part of its children; as it is written if they are the whole."""
    if is_whole:
        return (source_of(top.source).strip(),)
    if not rest:
        return ()
    children = [node_of(part.source) for part in rest]
    return (render(XmlNode("gazebo", dict(top.attributes), children)).strip(),)


def _with_values(link: Link, read: RawLink) -> Link:
    """Return the link with its values; `read` has a shape for each role, whose values go to all shapes of the role."""
    for shape in read.shapes:
        surface = surface_of(shape.surface)
        if shape.script:
            visuals = [visual._replace(script=shape.script) for visual in link.visuals]
            link = link._replace(visuals=tuple(visuals))
        elif surface is not None:
            collisions = [collision._replace(surface=surface) for collision in link.collisions]
            link = link._replace(collisions=tuple(collisions))
    return link._replace(**link_values(read.values))


def surface_of(values: Mapping[str, Reals]) -> Optional[Surface]:
    """Return the surface of a collision, None without a value that has a field."""
    surface: Json = {}
    for name, value in values.items():
        if name in FIELDS:
            surface[FIELDS[name]] = value if len(value) > 1 else value[0]
    if "max_contacts" in surface:
        surface["max_contacts"] = int(surface["max_contacts"])
    return Surface(**surface) if surface else None


def surface_block(link: str, values: Mapping[str, Reals]) -> str:
    """Return the `<gazebo>` of a link with its contact values that no tag sets, "" if all of them have a field.

    A `<surface>` takes the place of an earlier one, so this block has all values that need one, also those with a field.
    """
    rows = {name: row for name, row in UNTAGGED.items() if name in values}
    if not rows.keys() - FIELDS.keys():
        return ""
    block = node("gazebo", reference=link)
    for name, row in rows.items():
        text = exact_numbers(values[name])
        if row.is_flag:
            text = "true" if values[name][0] else "false"
        put(block, f"collision/{row.path}", text)
    return render(block).strip()


def link_values(values: Mapping[str, Reals]) -> Json:
    """Return the fields of a link that simulators read for it as a whole."""
    fields: Json = {
        name: bool(values[name][0]) for name in ("self_collide", "gravity") if name in values
    }
    if "velocity_decay" in values:
        fields["velocity_decay"] = values["velocity_decay"][0]
    return fields


def _with_spring(joint: Joint, read: RawJoint) -> Joint:
    """Return the joint with the spring that a simulator gives it, if any."""
    if "stiffness" not in read.values:
        return joint
    (stiffness,) = read.values["stiffness"]
    (reference,) = read.values.get("spring_reference", (0.0,))
    return joint._replace(spring=Spring(stiffness, reference))


def _transmission(top: XmlElement) -> Optional[Actuator]:
    """Return the actuator of a transmission of one joint and one motor; None for another kind."""
    motors = read_transmission(top)
    if not motors:
        return None
    motor = motors[0]
    (reduction,) = motor.values.get("reduction", (None,))
    return Actuator(
        motor.name,
        motor.joint,
        motor.kind,
        reduction=reduction,
        source="transmission",
        xml=source_of(top.source).strip(),
    )


def _controlled(motor: RawActuator) -> Actuator:
    """Return the actuator of a command interface; the `<ros2_control>` itself stays an extension."""
    low, high = motor.values.get("control_range", (0.0, 0.0))
    span = (low, high) if low < high else None
    return Actuator(motor.name, motor.joint, motor.kind, control_range=span, source="ros2_control")


def transmission_node(actuator: Actuator) -> XmlNode:
    """Return the `<transmission>` of an actuator: the XML that it was read from, if this still says the same."""
    if actuator.xml:
        root = parse_document(actuator.xml.encode("utf-8"), "").root
        # Fields that a transmission does not have are lost in any case.
        expressible = actuator._replace(
            kp=None, kv=None, gear=None, force_range=None, control_range=None
        )
        if _transmission(view_of(root, "")) == expressible:
            return raw(actuator.xml)
    top = node("transmission", name=f"{actuator.name}_transmission")
    top.add("type", "transmission_interface/SimpleTransmission")
    words = {kind: name for name, kind in KINDS.items()}
    interface = f"hardware_interface/{words[actuator.type].capitalize()}JointInterface"
    top.add("joint", name=actuator.joint).add("hardwareInterface", interface)
    motor = top.add("actuator", name=actuator.name)
    if actuator.reduction is not None:
        motor.add("mechanicalReduction", exact(actuator.reduction))
    return top


def _link_node(link: Link, bounces: Mapping[str, float], lose: Callable[..., None]) -> XmlNode:
    """Return the `<gazebo>` of a link; `lose` takes note of values that URDF cannot express.

    `bounces`: the restitution that the robot's own XML has, by link.
    """
    block = node("gazebo", reference=link.name)
    surfaces = {shape.surface for shape in link.collisions}
    surface = next(iter(surfaces)) if len(surfaces) == 1 else None
    if len(surfaces) > 1:
        lose("surfaces", link.name)
    restitution = surface.restitution if surface is not None else None
    # First: a <surface> replaces tags before it, and all of a <surface> in XML, which may have further values.
    if restitution is not None and restitution != bounces.get(link.name):
        put(block, RESTITUTION, exact(restitution))
    for tag, field in SURFACE.items():
        value = getattr(surface, field, None)
        if value is not None:
            numbers = value if isinstance(value, tuple) else (value,)
            block.add(tag, exact_numbers(numbers))
    for tag, field in FLAGS.items():
        if getattr(link, field) is not None:
            block.add(tag, str(getattr(link, field)).lower())
    if link.velocity_decay is not None:
        block.add("dampingFactor", exact(link.velocity_decay))
    scripts = {visual.script for visual in link.visuals}
    if len(scripts) > 1:
        lose("scripts", link.name)
    elif "".join(scripts):
        block.add("material", "".join(scripts))
    return block


def _bounces_in(extensions: Texts) -> Iterator[Tuple[str, float]]:
    """Yield the link and the restitution of each `<gazebo>` that is XML and has one."""
    for text in extensions:
        if not text.startswith("<gazebo"):
            continue
        block = view_of(parse_document(text.encode("utf-8"), "").root, "")
        restitution = number_at(block, RESTITUTION)
        if restitution is not None:
            yield block.attributes.get("reference", ""), restitution


def simulation_nodes(robot: RobotRecord) -> Tuple[List[XmlNode], Diagnostics]:
    """Return the elements that `read_simulation` reads, and notes on values that URDF cannot express."""
    nodes: List[XmlNode] = []
    notes: Diagnostics = []

    def lose(sentence: str, *names: str) -> None:
        """Add a note."""
        notes.append(Diagnostic(EXPORT_LOST, 0, sentence, (*names, "URDF")))

    bounces = dict(_bounces_in(robot.extensions))
    for link in robot.links:
        block = _link_node(link, bounces, lose)
        if block.children:
            nodes.append(block)
    for joint in robot.joints:
        if joint.spring is not None:
            nodes.append(node("gazebo", reference=joint.name))
            nodes[-1].add("springStiffness", exact(joint.spring.stiffness))
            nodes[-1].add("springReference", exact(joint.spring.reference))
    for sensor in robot.sensors:
        nodes.append(node("gazebo", reference=sensor.joint or sensor.link))
        nodes[-1].children.append(sensor_node(sensor))
    written = [text for text in robot.extensions if text.startswith("<ros2_control")]
    for actuator in robot.actuators:
        is_controlled = actuator.source == "ros2_control"
        # An actuator of a `<ros2_control>` is in that element already, if the robot still has it.
        is_written = is_controlled and any(f'"{actuator.joint}"' in text for text in written)
        if not is_written:
            nodes.append(transmission_node(actuator))
        lost = [
            name
            for name in ("kp", "kv", "gear", "force_range")
            if getattr(actuator, name) is not None
        ]
        if lost or not is_controlled and actuator.control_range is not None:
            lose("actuator", actuator.name, ", ".join(lost) or "control_range")
    return nodes, notes
