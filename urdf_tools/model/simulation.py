"""What `<gazebo>`, `<transmission>` and `<ros2_control>` say about links and joints, read from and written to URDF."""
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ..base.exact_trigonometry import arctangent, cosine_sine
from ..base.number_text import numbers_in
from ..urdf.lossless_xml import Element
from .pose import Pose, vector_of
from .records import Actuator, Camera, Joint, Lidar, Link, Robot, Sensor, Spring
from .shapes import Surface
from .xml_tree import exact, exact_numbers, Node, node, node_of, parse, raw, render, source_of

SURFACE = {"mu1": "mu1", "mu2": "mu2", "kp": "kp", "kd": "kd", "minDepth": "min_depth", "maxVel": "max_vel",
           "fdir1": "fdir1"}  # of `<gazebo reference>`, and the field of Surface
FLAGS = {"selfCollide": "self_collide", "gravity": "gravity"}
INTERFACES = {"effort": "motor", "position": "position", "velocity": "velocity"}
TRUE, FALSE = ("true", "1"), ("false", "0")


def read_simulation(root: Element, robot: Robot) -> Robot:
    """Return the robot with what the file says for simulators; what is not understood becomes extensions."""
    links = {link.name: link for link in robot.links}
    joints = {joint.name: joint for joint in reversed(robot.joints)}
    sensors: List[Sensor] = []
    actuators: List[Actuator] = []
    extensions = list(robot.extensions)
    for top in root.elements():
        if top.name == "gazebo":
            rest = _read_gazebo(top, links, joints, sensors)
            extensions += [rest] if rest else []
        elif top.name == "transmission":
            actuator = _read_transmission(node_of(top), source_of(top).strip())
            if actuator is not None and actuator.joint in joints:
                actuators.append(actuator)
            else:
                extensions.append(source_of(top).strip())
        elif top.name == "ros2_control":
            actuators += _read_ros2_control(node_of(top), joints)
    changed = tuple(joint if joint.name not in joints or joints[joint.name].child != joint.child
                    else joints[joint.name] for joint in robot.joints)
    return robot._replace(links=tuple(links.values()), joints=changed, sensors=tuple(sensors),
                          actuators=tuple(actuators), extensions=tuple(extensions))


def _read_gazebo(top: Element, links: Dict[str, Link], joints: Dict[str, Joint], sensors: List[Sensor]) -> str:
    """Take what has a field out of one `<gazebo reference>`; return the text of what is left."""
    name = top.get("reference") or ""
    rest, spring = Node("gazebo", dict(top.attributes), []), {}  # type: Node, Dict[str, float]
    whole = True
    for element in top.elements():
        taken = False
        if name in links:
            taken = _take_for_link(element, name, links)
        elif name in joints and element.name in ("springStiffness", "springReference") and element.name not in spring:
            values = _read(element.text(), 1)
            taken = values is not None
            spring.update({element.name: values[0]} if values else {})
        if element.name == "sensor" and (name in links or name in joints):
            sensor = _read_sensor(node_of(element), source_of(element).strip())
            if sensor is not None:
                sensors.append(sensor._replace(link=name) if name in links else sensor._replace(joint=name))
                taken = True
        if taken:
            whole = False
        else:
            rest.children.append(node_of(element))
    if "springStiffness" in spring and joints[name].spring is None:
        joints[name] = joints[name]._replace(
            spring=Spring(spring["springStiffness"], spring.get("springReference", 0.0)))
    else:
        rest.children.extend([node(tag, exact(value)) for tag, value in spring.items()])
    if whole:
        return source_of(top).strip()
    return render(rest).strip() if rest.children else ""


def _take_for_link(element: Element, name: str, links: Dict[str, Link]) -> bool:
    """Put a value of `<gazebo reference=LINK>` into the link; False when it has no field for it, or another counts.

    Of several values the last counts, as sdformat reads them, but for `<gravity>`, which is SDF: the first.
    """
    link = links[name]
    if element.attributes or element.elements():
        return False
    if element.name in FLAGS:
        word = element.text().strip().lower()
        if word not in TRUE + FALSE or element.name == "gravity" and link.gravity is not None:
            return False
        flag: Dict[str, Any] = {FLAGS[element.name]: word in TRUE}
        links[name] = link._replace(**flag)
        return True
    field = SURFACE.get(element.name)
    values = _read(element.text(), 3 if field == "fdir1" else 1) if field else None
    if values is None or not link.collisions:
        return False
    change: Dict[str, Any] = {field or "": vector_of(values) if field == "fdir1" else values[0]}
    links[name] = link._replace(collisions=tuple(
        shape._replace(surface=(shape.surface or Surface())._replace(**change)) for shape in link.collisions))
    return True


def _read(text: Optional[str], count: int) -> Optional[Tuple[float, ...]]:
    return numbers_in(text or "", count)


def _read_at(top: Node, path: str, count: int = 1) -> Optional[Tuple[float, ...]]:
    """Return the numbers in the text of the element at a path below another, or None."""
    found: Optional[Node] = top
    for tag in path.split("/"):
        found = found.find(tag) if found is not None else None
    return _read(found.text, count) if found is not None else None


CAMERA = ("camera/horizontal_fov", "camera/image/width", "camera/image/height")
SCAN = ("samples", "min_angle", "max_angle")


def _read_sensor(top: Node, xml: str) -> Optional[Sensor]:
    """Return a `<sensor>`; None when its pose is measured in a frame of its own choice."""
    pose = top.find("pose")
    values = _read(pose.text, 6) if pose is not None and pose.text else (0.0,) * 6
    if values is None or pose is not None and (set(pose.attributes) - {"frame"} or pose.attributes.get("frame")):
        return None
    rate = _read_at(top, "update_rate")
    camera = [_read_at(top, path) for path in CAMERA]
    scan = [_read_at(top, path) for path in _lidar_paths(top)]
    seen = [value[0] for value in camera if value]
    rays = [value[0] for value in scan if value]
    return Sensor(
        top.attributes.get("name", ""), top.attributes.get("type", ""),
        origin=Pose(vector_of(values[:3]), vector_of(values[3:])), rate=rate[0] if rate else None,
        camera=Camera(seen[0], int(seen[1]), int(seen[2])) if len(seen) == 3 else None,
        lidar=Lidar(int(rays[0]), *rays[1:]) if len(rays) == 5 else None, xml=xml)


def _lidar_paths(top: Node) -> Sequence[str]:
    tag = "lidar" if top.find("lidar") is not None or top.find("ray") is None else "ray"
    return (*(f"{tag}/scan/horizontal/{name}" for name in SCAN), f"{tag}/range/min", f"{tag}/range/max")


def sensor_node(sensor: Sensor, pose: Optional[Pose] = None) -> Node:
    """Return the `<sensor>` of SDF, which gz reads inside a URDF too; `pose` replaces its own."""
    top = parse(sensor.xml) if sensor.xml else node("sensor")
    wanted = sensor if pose is None else sensor._replace(origin=pose)
    old = _read_sensor(top, sensor.xml) if sensor.xml else Sensor("", "")
    if old is not None and wanted == old._replace(link=sensor.link, joint=sensor.joint):
        return raw(sensor.xml)
    top.attributes.update(name=sensor.name, type=sensor.type)
    if old is None or wanted.origin != old.origin:
        _set(top, "pose", exact_numbers((*wanted.origin.xyz, *wanted.origin.rpy)))
    if sensor.rate is not None:
        _set(top, "update_rate", exact(sensor.rate))
    if sensor.camera is not None:
        for path, value in zip(CAMERA, sensor.camera):
            _set(top, path, exact(value))
    if sensor.lidar is not None:
        for path, value in zip(_lidar_paths(top), sensor.lidar):
            _set(top, path, exact(value))
    return top


def _set(top: Node, path: str, text: str) -> None:
    for tag in path.split("/"):
        top = top.find(tag) or top.add(tag)
    top.children[:] = [text]


def _read_transmission(top: Node, xml: str) -> Optional[Actuator]:
    """Return the actuator of a transmission of one joint and one motor; None for another kind."""
    joints = [child for child in top.children if isinstance(child, Node) and child.tag == "joint"]
    motors = [child for child in top.children if isinstance(child, Node) and child.tag == "actuator"]
    kind = top.find("type")
    if len(joints) != 1 or len(motors) != 1 or kind is None or "SimpleTransmission" not in kind.text:
        return None
    interface = joints[0].find("hardwareInterface") or motors[0].find("hardwareInterface")
    word = (interface.text if interface is not None else "effort").lower()
    types = [kind for name, kind in INTERFACES.items() if name in word]
    reduction = _read_at(motors[0], "mechanicalReduction") or _read_at(joints[0], "mechanicalReduction")
    if len(types) != 1:
        return None
    return Actuator(motors[0].attributes.get("name", ""), joints[0].attributes.get("name", ""), types[0],
                    reduction=reduction[0] if reduction else None, source="transmission", xml=xml)


def transmission_node(actuator: Actuator) -> Node:
    """Return the `<transmission>` of an actuator."""
    if actuator.xml and _read_transmission(parse(actuator.xml), actuator.xml) == actuator._replace(
            kp=None, kv=None, gear=None, force_range=None, control_range=None):
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
    for child in top.children:
        if not isinstance(child, Node) or child.tag != "joint" or child.attributes.get("name") not in joints:
            continue
        commands = [one for one in child.children if isinstance(one, Node) and one.tag == "command_interface"
                    and one.attributes.get("name") in INTERFACES]
        for command in commands:
            joint, word = child.attributes["name"], command.attributes["name"]
            params = {one.attributes.get("name"): _read(one.text, 1) for one in command.children
                      if isinstance(one, Node) and one.tag == "param"}
            low, high = params.get("min"), params.get("max")
            yield Actuator(joint if len(commands) == 1 else f"{joint}_{word}", joint, INTERFACES[word],
                           control_range=(low[0], high[0]) if low and high and low[0] < high[0] else None,
                           source="ros2_control")


def simulation_nodes(robot: Robot) -> Tuple[List[Node], List[str]]:
    """Return the elements of a URDF that hold what `read_simulation` read, and what URDF has no word for."""
    nodes: List[Node] = []
    notes: List[str] = []
    for link in robot.links:
        block = node("gazebo", reference=link.name)
        surfaces = {shape.surface for shape in link.collisions}
        surface = next(iter(surfaces)) if len(surfaces) == 1 else None
        if len(surfaces) > 1:
            notes.append(f"link '{link.name}': URDF has one surface for a link, here the collisions differ: left out")
        if surface is not None and surface.restitution is not None:
            notes.append(f"link '{link.name}': URDF has no restitution")
        for tag, field in SURFACE.items():
            value = getattr(surface, field, None)
            if value is not None:
                block.add(tag, exact_numbers(value if isinstance(value, tuple) else (value,)))
        for tag, field in FLAGS.items():
            if getattr(link, field) is not None:
                block.add(tag, str(getattr(link, field)).lower())
        nodes += [block] if block.children else []
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
        if actuator.source != "ros2_control" or not any(f'"{actuator.joint}"' in text for text in written):
            nodes.append(transmission_node(actuator))
        lost = [name for name in ("kp", "kv", "gear", "force_range") if getattr(actuator, name) is not None]
        if lost or actuator.source != "ros2_control" and actuator.control_range is not None:
            notes.append(f"actuator '{actuator.name}': URDF has no {', '.join(lost) or 'control_range'}")
    return nodes, notes


def vertical_fov(camera: Camera) -> float:
    """Return the vertical field of view [rad] of a camera with square pixels."""
    cosine, sine = cosine_sine(camera.horizontal_fov / 2.0)
    return 2.0 * arctangent(sine * camera.height, cosine * camera.width)
