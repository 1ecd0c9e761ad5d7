"""Read `<gazebo>`, `<transmission>` and `<ros2_control>` of a URDF into links and joints, and write them."""

from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ..base.types import Json
from ..base.diagnostics import Diagnostic
from ..base.number_text import numbers_in
from ..facts.simulator_values import FALSE, SDF_FALSE, SDF_TRUE, TRUE
from ..robot.records import BESIDE_SURFACE, contact_names
from ..urdf.lossless_xml import Element
from ..urdf.spatial import IDENTITY_POSE
from .kinds import EXPORT_LOST
from .records import Actuator, Joint, Link, Robot, Sensor, Spring
from .sensors import number_at, read_sensor, sensor_node
from .shapes import Surface, Transform, vector_of
from .tree import poses_at
from .xml_tree import (
    exact,
    exact_numbers,
    leaves_of,
    Node,
    node,
    node_of,
    parse,
    put,
    raw,
    render,
    source_of,
)

SURFACE = contact_names("tag", "field")
FLAGS = {"selfCollide": "self_collide", "gravity": "gravity"}
SDF_FLAGS = ("self_collide", "gravity")  # SDF's names; sdformat copies such elements to the link
COLLISION_PLACES = contact_names("path", "field")  # of SDF's `<collision>`
COUNTED = ("selfCollide", "turnGravityOff")  # of several values in a link, an earlier one may count
INTERFACES = {"effort": "motor", "position": "position", "velocity": "velocity"}


def _order(element: Element) -> int:
    """Return the rank of a child of `<gazebo reference=LINK>` in the order that sdformat applies: SDF flags last."""
    return 0 if element.name == "collision" else 2 if element.name in SDF_FLAGS else 1


class _Parts:
    """The links, joints and sensors as read so far, by name, and the poses with all joints at zero."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.links = {link.name: link for link in robot.links}
        self.joints = {joint.name: joint for joint in reversed(robot.joints)}
        self.sensors: List[Sensor] = []
        self._T_root: Dict[str, Transform] = {}
        self._counted: Dict[Tuple[str, str], List[Any]] = {}

    def counted(self, link: str, field: str, value: Any, *, is_sdf: bool) -> Any:
        """Add a value of a link's field; return the one that counts: the first that sdformat writes into the link.

        sdformat appends SDF elements (`is_sdf`) to the link; any other tag replaces the first value.
        """
        values = self._counted.setdefault((link, field), [])
        del values[: 0 if is_sdf else 1]
        values.append(value)
        return values[0]

    def pose_of(self, frame: str) -> Optional[Transform]:
        """Return the pose in the root of a link, of a joint's child frame, or of `__model__`; None for other names."""
        self._T_root = self._T_root or {"__model__": IDENTITY_POSE, **poses_at(self.robot, {})}
        return self._T_root.get(self.joints[frame].child if frame in self.joints else frame)


def read_simulation(root: Element, robot: Robot) -> Robot:
    """Return the robot with the file's elements for simulators; those without a field become extensions."""
    parts = _Parts(robot)
    actuators: List[Actuator] = []
    extensions = list(robot.extensions)
    for top in root.elements():
        if top.name == "gazebo":
            rest = _read_gazebo(top, parts)
            extensions += [rest] if rest else []
        elif top.name == "transmission":
            actuator = _read_transmission(node_of(top), source_of(top).strip())
            if actuator is not None and actuator.joint in parts.joints:
                actuators.append(actuator)
            else:
                extensions.append(source_of(top).strip())
        elif top.name == "ros2_control":
            actuators += _read_ros2_control(node_of(top), parts.joints)
    changed = tuple(
        joint
        if joint.name not in parts.joints or parts.joints[joint.name].child != joint.child
        else parts.joints[joint.name]
        for joint in robot.joints
    )
    return robot._replace(
        links=tuple(parts.links.values()),
        joints=changed,
        sensors=tuple(parts.sensors),
        actuators=tuple(actuators),
        extensions=tuple(extensions),
    )


def _read_gazebo(top: Element, parts: _Parts) -> str:
    """Read the elements of a `<gazebo reference>` that have a field; return the text of the remaining ones."""
    name = top.get("reference") or ""
    joint = parts.joints.get(name) if name not in parts.links else None
    rest, spring = Node("gazebo", dict(top.attributes), []), {}  # type: Node, Dict[str, float]
    whole = True
    decay = parts.links[name].velocity_decay if name in parts.links else None
    last = {element.name: element for element in top.elements()}
    for element in sorted(top.elements(), key=_order):
        if name in parts.links and element.name in COUNTED and last[element.name] is not element:
            whole = False  # of a tag that sdformat knows, the last in a block is taken
            continue
        is_read = name in parts.links and _take_for_link(element, name, parts)
        if joint is not None and element.name in ("springStiffness", "springReference"):
            values = numbers_in(element.get("value") or element.text(), 1)
            is_read = values is not None
            spring.update({element.name: values[0]} if values else {})
        elif element.name == "sensor" and (name in parts.links or joint is not None):
            sensor = read_sensor(node_of(element), source_of(element).strip(), name, parts.pose_of)
            if sensor is not None:
                parts.sensors.append(
                    sensor._replace(joint=name) if joint is not None else sensor._replace(link=name)
                )
                is_read = True
        if is_read:
            whole = False
        else:
            rest.children.append(node_of(element))
    if decay is not None:  # of several blocks the first counts
        parts.links[name] = parts.links[name]._replace(velocity_decay=decay)
    # A reference without a stiffness in this or an earlier block makes no spring: it stays XML.
    old = joint.spring if joint is not None else None
    if joint is not None and spring and (old or "springStiffness" in spring):
        old = old or Spring(0.0)
        parts.joints[name] = joint._replace(
            spring=Spring(
                spring.get("springStiffness", old.stiffness),
                spring.get("springReference", old.reference),
            )
        )
    else:
        rest.children.extend([node(tag, exact(value)) for tag, value in spring.items()])
    if whole:
        return source_of(top).strip()
    return render(rest).strip() if rest.children else ""


def _take_for_link(element: Element, name: str, parts: _Parts) -> bool:
    """Put a value of `<gazebo reference=LINK>` into the link; return False if it has no field for it.

    Words and numbers count as in sdformat (parser_urdf.cc): the attribute `value` comes before the text;
    `turnGravityOff` is true unless it is a word for false, `selfCollide` false unless it is a word for true.
    """
    link, text = parts.links[name], (element.get("value") or element.text()).strip()
    if element.name == "collision":
        return _take_collision(node_of(element), name, parts)
    if set(element.attributes) - {"value"} or element.elements():
        return False
    change: Json = {}
    values = numbers_in(text, 3 if element.name == "fdir1" else 1)
    if element.name == "selfCollide":
        change = {
            "self_collide": parts.counted(name, "self_collide", text.lower() in TRUE, is_sdf=False)
        }
    elif element.name == "turnGravityOff":
        change = {"gravity": parts.counted(name, "gravity", text.lower() in FALSE, is_sdf=False)}
    elif element.name in SDF_FLAGS and text.lower() in SDF_TRUE + SDF_FALSE:
        change = {
            element.name: parts.counted(name, element.name, text.lower() in SDF_TRUE, is_sdf=True)
        }
    elif element.name == "dampingFactor" and values:
        change = {"velocity_decay": values[0]}
    elif element.name == "material" and text and link.visuals:
        change = {"visuals": tuple(visual._replace(script=text) for visual in link.visuals)}
    elif element.name in SURFACE and values and link.collisions:
        field = SURFACE[element.name]
        value = vector_of(values) if field == "fdir1" else _number(field, values[0])
        counts = field in BESIDE_SURFACE
        surface: Json = {
            field: parts.counted(name, field, value, is_sdf=False) if counts else value
        }
        change = {
            "collisions": tuple(
                shape._replace(surface=(shape.surface or Surface())._replace(**surface))
                for shape in link.collisions
            )
        }
    parts.links[name] = link._replace(**change)
    return bool(change)


def _take_collision(collision: Node, name: str, parts: _Parts) -> bool:
    """Put the values of `<gazebo><collision>` into the collisions of a link; return False if any has no field.

    As in sdformat, a `<surface>` replaces all earlier surface values.
    """
    surface, direct = {}, {}  # type: Json, Json
    known = True
    for path, element in leaves_of(collision):
        field = COLLISION_PLACES.get(path)
        values = numbers_in(element.text, 3 if field == "fdir1" else 1)
        if field is None or values is None or element.attributes:
            known = False
        elif field in BESIDE_SURFACE:
            direct[field] = _number(field, values[0])
        else:
            surface[field] = vector_of(values) if field == "fdir1" else values[0]
    if known:
        direct = {
            field: parts.counted(name, field, value, is_sdf=True) for field, value in direct.items()
        }
    shapes = []
    for shape in parts.links[name].collisions:
        old = shape.surface or Surface()
        kept = (
            Surface(max_contacts=old.max_contacts, laser_retro=old.laser_retro)
            if collision.find("surface")
            else old
        )
        new = kept._replace(**{**surface, **direct}) if known else kept
        shapes.append(shape._replace(surface=new if new != Surface() else None))
    parts.links[name] = parts.links[name]._replace(collisions=tuple(shapes))
    return known and bool(shapes)


def _number(field: str, value: float) -> float:
    return int(value) if field == "max_contacts" else value


def _read_transmission(top: Node, xml: str) -> Optional[Actuator]:
    """Return the actuator of a transmission of one joint and one motor; None for another kind."""
    joints, motors, kind = top.elements("joint"), top.elements("actuator"), top.find("type")
    if (
        len(joints) != 1
        or len(motors) != 1
        or kind is None
        or "SimpleTransmission" not in kind.text
    ):
        return None
    interface = joints[0].find("hardwareInterface") or motors[0].find("hardwareInterface")
    word = (interface.text if interface is not None else "effort").lower()
    types = [kind for name, kind in INTERFACES.items() if name in word]
    reduction, of_joint = (
        number_at(owner, "mechanicalReduction") for owner in (motors[0], joints[0])
    )
    if len(types) != 1:
        return None
    return Actuator(
        motors[0].attributes.get("name", ""),
        joints[0].attributes.get("name", ""),
        types[0],
        reduction=of_joint if reduction is None else reduction,
        source="transmission",
        xml=xml,
    )


def transmission_node(actuator: Actuator) -> Node:
    """Return the `<transmission>` of an actuator."""
    if actuator.xml and _read_transmission(parse(actuator.xml), actuator.xml) == actuator._replace(
        kp=None, kv=None, gear=None, force_range=None, control_range=None
    ):
        return raw(actuator.xml)
    top = node("transmission", name=f"{actuator.name}_transmission")
    top.add("type", "transmission_interface/SimpleTransmission")
    words = {kind: name for name, kind in INTERFACES.items()}
    interface = f"hardware_interface/{words[actuator.type].capitalize()}JointInterface"
    top.add("joint", name=actuator.joint).add("hardwareInterface", interface)
    motor = top.add("actuator", name=actuator.name)
    if actuator.reduction is not None:
        motor.add("mechanicalReduction", exact(actuator.reduction))
    return top


def _read_ros2_control(top: Node, joints: Dict[str, Joint]) -> Iterator[Actuator]:
    """Yield an actuator for each command interface of a joint; the block itself stays an extension."""
    for element in top.elements("joint"):
        joint = element.attributes.get("name", "")
        commands = [
            command
            for command in element.elements("command_interface")
            if joint in joints and command.attributes.get("name") in INTERFACES
        ]
        for command in commands:
            word = command.attributes["name"]
            params = {
                param.attributes.get("name"): numbers_in(param.text, 1)
                for param in command.elements("param")
            }
            low, high = params.get("min"), params.get("max")
            yield Actuator(
                joint if len(commands) == 1 else f"{joint}_{word}",
                joint,
                INTERFACES[word],
                control_range=(low[0], high[0]) if low and high and low[0] < high[0] else None,
                source="ros2_control",
            )


def _link_node(link: Link, lose: Callable[..., None]) -> Node:
    """Return the `<gazebo>` of a link; what URDF cannot express goes to `lose`."""
    block = node("gazebo", reference=link.name)
    surfaces = {shape.surface for shape in link.collisions}
    surface = next(iter(surfaces)) if len(surfaces) == 1 else None
    if len(surfaces) > 1:
        lose("surfaces", link.name)
    if (
        surface is not None and surface.restitution is not None
    ):  # first: a <surface> replaces tags before it
        put(block, "collision/surface/bounce/restitution_coefficient", exact(surface.restitution))
    for tag, field in SURFACE.items():
        value = getattr(surface, field, None)
        if value is not None:
            block.add(tag, exact_numbers(value if isinstance(value, tuple) else (value,)))
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


def simulation_nodes(robot: Robot) -> Tuple[List[Node], List[Diagnostic]]:
    """Return the elements that `read_simulation` reads, and notes on what URDF cannot express."""
    nodes: List[Node] = []
    notes: List[Diagnostic] = []

    def lose(sentence: str, *names: str) -> None:
        notes.append(Diagnostic(EXPORT_LOST, 0, sentence, (*names, "URDF")))

    for link in robot.links:
        block = _link_node(link, lose)
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
        if actuator.source != "ros2_control" or not any(
            f'"{actuator.joint}"' in text for text in written
        ):
            nodes.append(transmission_node(actuator))
        lost = [
            name
            for name in ("kp", "kv", "gear", "force_range")
            if getattr(actuator, name) is not None
        ]
        if lost or actuator.source != "ros2_control" and actuator.control_range is not None:
            lose("actuator", actuator.name, ", ".join(lost) or "control_range")
    return nodes, notes
