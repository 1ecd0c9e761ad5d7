"""What a URDF says for simulators and drivers: `<gazebo>`, `<transmission>`, `<ros2_control>`, loops.

Which of several values counts is a fact of the format (sdformat src/parser_urdf.cc), which stands once for all rooms;
what is done with it here is done for the comparison alone.
"""
import math
from typing import AbstractSet, Dict, List, Mapping, Optional, Sequence, Tuple

from ..base.number_text import numbers_in
from ..urdf.lossless_xml import Element
from ..facts.simulator_values import counting, value_of, WITHOUT_POSE
from ..urdf.spatial import IDENTITY_POSE, Pose
from ..verify.rigid_motion import composed
from .reading import (inverse_of, PARTLY, Reading, rotation_of_quaternion, rotation_of_rpy, sensor_words,
                      words_of)
from .records import NOT_READ, RawActuator, RawLink, RawLoop, RawRobot, RawSensor

SURFACE = {"mu1": "mu1", "mu2": "mu2", "fdir1": "direction1", "kp": "contact_stiffness", "kd": "contact_damping",
           "minDepth": "min_depth", "maxVel": "max_velocity", "maxContacts": "max_contacts",
           "laserRetro": "laser_retro"}  # of `<gazebo reference=LINK>`, and the name of the value
COLLISION = {"surface/bounce/restitution_coefficient": "restitution", "surface/friction/ode/mu": "mu1",
             "surface/friction/ode/mu2": "mu2", "surface/friction/ode/fdir1": "direction1",
             "surface/contact/ode/kp": "contact_stiffness", "surface/contact/ode/kd": "contact_damping",
             "surface/contact/ode/min_depth": "min_depth", "surface/contact/ode/max_vel": "max_velocity",
             "max_contacts": "max_contacts", "laser_retro": "laser_retro"}  # of SDF's `<collision>` in it
BESIDE = ("max_contacts", "laser_retro")  # of these, too, the value that counts is one of several
OF_LINK = {"selfCollide": "self_collide", "self_collide": "self_collide", "turnGravityOff": "gravity",
           "gravity": "gravity", "dampingFactor": "velocity_decay"}
SPRING = {"springStiffness": "stiffness", "springReference": "spring_reference", "stopCfm": "limit_cfm",
          "stopErp": "limit_erp", "fudgeFactor": "fudge_factor"}
FLAGS = {"provideFeedback": "provide_feedback", "implicitSpringDamper": "implicit_spring_damper",
         "cfmDamping": "implicit_spring_damper"}  # of a joint: yes or no
CAMERA = ("camera/horizontal_fov", "camera/image/width", "camera/image/height")
RAYS = ("scan/horizontal/samples", "scan/horizontal/min_angle", "scan/horizontal/max_angle", "range/min", "range/max")
YES, NO = ("true", "yes", "1"), ("false", "no", "0")
KINDS = {"effort": "motor", "position": "position", "velocity": "velocity"}
Values = Dict[str, Tuple[float, ...]]


def read_simulators(reading: Reading, others: Sequence[Element], robot: RawRobot) -> RawRobot:
    """Return the robot with what the other elements of `<robot>` say of it."""
    links = {link.name: link for link in robot.links}
    joints = {joint.name: joint for joint in reversed(robot.joints)}
    blocks: Dict[str, List[Element]] = {}
    actuators: List[RawActuator] = []
    loops: List[RawLoop] = []
    for top in others:
        reference = top.get("reference") or ""
        if top.name == "gazebo" and (reference in links or reference in joints):
            blocks.setdefault(reference, []).append(top)
        elif top.name == "transmission":
            actuators += read_transmission(reading, top)
        elif top.name == "ros2_control":
            actuators += _ros2_control(reading, top)
        elif top.name == "loop_joint":
            loops += _loop(reading, top, "link1", "link2")
        elif top.name == "loop":
            loops += _loop(reading, top, "predecessor", "successor")
        else:
            reading.leave(top)
    places = _Places(robot)
    sensors = [sensor for top in others for name in [top.get("reference") or ""] if top in blocks.get(name, ())
               for sensor in _sensors(reading, name, top.elements(), places)]
    for name, tops in blocks.items():
        inside = [child for top in tops for child in top.elements()]
        if name in links:
            links[name] = _link(reading, links[name], inside)
        else:
            joint, values = joints[name], _spring(reading, inside)
            joints[name] = joint._replace(values={**joint.values, **values})
    return robot._replace(
        links=tuple(links.values()), sensors=tuple(sensors), actuators=tuple(actuators),
        joints=tuple(joints[joint.name] if joints[joint.name].child == joint.child else joint
                     for joint in robot.joints), loops=tuple(loops))


class _Places:
    """Where links are with all joints at zero, in the root."""

    def __init__(self, robot: RawRobot) -> None:
        above = {joint.child: joint for joint in robot.joints}
        self.child_of = {joint.name: joint.child for joint in reversed(robot.joints)}
        self.T_root: Dict[str, Pose] = {}
        for link in robot.links:
            chain, name = [], link.name
            while name in above and name not in self.T_root:
                chain.append(above[name])
                name = above[name].parent
            self.T_root.setdefault(name, IDENTITY_POSE)
            for joint in reversed(chain):
                self.T_root[joint.child] = composed(self.T_root[joint.parent], joint.T_parent_child)

    def of(self, frame: str) -> Optional[Pose]:
        """Return the pose of a link, of the frame that a joint moves, or of the model; None for another name."""
        return IDENTITY_POSE if frame == "__model__" else self.T_root.get(self.child_of.get(frame, frame))


def _link(reading: Reading, link: RawLink, inside: Sequence[Element]) -> RawLink:
    """Return the link with its values, and with the surface that all its collisions get."""
    told: Dict[str, List[Element]] = {}
    surface: Values = {}
    scripts: List[Element] = []
    touches = any(shape.role == "collision" for shape in link.shapes)
    beside: Dict[str, List[Tuple[float, ...]]] = {}  # the first counts; a tag takes its place, SDF is put behind
    blocks: Dict[int, List[Element]] = {}
    for tag in inside:
        blocks.setdefault(id(tag.parent), []).append(tag)
    for block in blocks.values():  # in each, what is SDF counts less than a tag, wherever it stands
        for tag in sorted(block, key=lambda tag: tag.name != "collision"):
            name, found = SURFACE.get(tag.name), _value(tag)
            if tag.name == "collision":
                _collision(reading, tag, surface)
                for one in BESIDE:
                    beside.setdefault(one, []).extend([surface.pop(one)] if one in surface else [])
            elif name in BESIDE and found is not None and touches:
                beside[name] = [*beside.get(name, [])[1:], found]
            elif tag.name in OF_LINK:
                told.setdefault(OF_LINK[tag.name], []).append(tag)
            elif name is not None and found is not None and touches:
                surface[name] = found
            elif tag.name == "material" and value_of(tag) and not tag.elements():
                scripts.append(tag)
            elif tag.name != "sensor":
                reading.leave(tag)
    values: Values = {}
    for name, tags in told.items():
        tag = counting(tags)
        found = _value(tag)
        if found is None:
            reading.leave(tag)
        else:
            values[name] = found
    surface.update({name: several[0] for name, several in beside.items() if several})
    if surface:
        link = link._replace(shapes=tuple(
            shape._replace(surface={**surface, **shape.surface}) if shape.role == "collision" else shape
            for shape in link.shapes))
    script = value_of(counting(scripts)) if scripts else ""
    if script:
        link = link._replace(shapes=tuple(shape._replace(script=script) if shape.role == "visual" else shape
                                          for shape in link.shapes))
    return link._replace(values={**link.values, **values})


def _value(tag: Element) -> Optional[Tuple[float, ...]]:
    """Return what a tag says: words as sdformat takes them, `selfCollide` as yes only if it is a yes."""
    text = value_of(tag).lower()
    if tag.name == "selfCollide":
        return (float(text in YES),)
    if tag.name == "turnGravityOff":
        return (float(text in NO),)
    if tag.name in ("gravity", "self_collide"):
        return (float(text in YES),) if text in YES + NO else None
    return numbers_in(text, 3 if tag.name == "fdir1" else 1)


def _collision(reading: Reading, top: Element, surface: Values) -> None:
    """Put into a surface what SDF's `<collision>` says; its `<surface>` takes the place of all before it."""
    if top.find("surface") is not None:
        for name in [name for name in surface if name not in ("max_contacts", "laser_retro")]:
            del surface[name]
    waiting = [("", child) for child in reversed(top.elements())]
    told = set()
    while waiting:
        above, element = waiting.pop()
        path, inner = above + element.name, element.elements()
        waiting += [(path + "/", child) for child in reversed(inner)]
        values = numbers_in(element.text(), 3 if path.endswith("fdir1") else 1) if not inner else None
        if path in COLLISION and values is not None and not element.attributes:  # `gz:expressed_in`: another frame
            surface[COLLISION[path]] = values
            told.add(path)
    _leave_rest(reading, top, told, PARTLY)


def _spring(reading: Reading, inside: Sequence[Element]) -> Values:
    values: Values = {}
    for tag in inside:
        found = numbers_in(value_of(tag), 1)
        if tag.name in SPRING and found is not None:
            values[SPRING[tag.name]] = found
        elif tag.name in FLAGS:
            values[FLAGS[tag.name]] = (float(value_of(tag).lower() in YES),)
        elif tag.name != "sensor":
            reading.leave(tag)
    return values


def _sensors(reading: Reading, name: str, inside: Sequence[Element], places: _Places) -> List[RawSensor]:
    found = []
    for sensor in (tag for tag in inside if tag.name == "sensor"):
        of_link = name in places.T_root
        owner = name if of_link else places.child_of[name]
        T = _pose_in(sensor, owner, places)
        if T is None:
            reading.leave(sensor, "its pose is relative to a frame that is not known")
            continue
        found.append(sensor_of(reading, sensor, owner, "" if of_link else name, T))
    return found


def sensor_of(reading: Reading, sensor: Element, link: str, joint: str, T_link_sensor: Pose) -> RawSensor:
    """Return a `<sensor>` of SDF, which Gazebo reads inside a URDF too."""
    values: Values = {}
    rate = _number_at(sensor, "update_rate")
    told = {"pose", *(("update_rate",) if rate is not None else ())}
    alone = len(sensor.elements("camera")) == 1  # a multicamera has several: each stays as it is written
    camera = [_number_at(sensor, path) if alone else None for path in CAMERA]
    if camera[0] is not None:
        values["field_of_view"] = (camera[0],)
        told.add(CAMERA[0])
    if camera[1] is not None and camera[2] is not None:
        values["image"] = (camera[1], camera[2])
        told.update(CAMERA[1:])
    tag = "lidar" if sensor.find("lidar") is not None or sensor.find("ray") is None else "ray"
    rays = [value for path in RAYS for value in [_number_at(sensor, f"{tag}/{path}")] if value is not None]
    if len(rays) == len(RAYS):
        values.update({"rays": tuple(rays[:3]), "reach": tuple(rays[3:])})
        told.update(f"{tag}/{path}" for path in RAYS)
    _leave_rest(reading, sensor, told)
    return RawSensor(sensor.get("name") or "", sensor.get("type") or "", link, joint, T_link_sensor, rate, values,
                     sensor_words(words_of(sensor), sensor.attributes, told), sensor.line)


def _leave_rest(reading: Reading, top: Element, told: AbstractSet[str], why: str = NOT_READ) -> None:
    """List what is in an element beside what is told: the uppermost elements in which nothing is."""
    waiting = [(child.name, child) for child in reversed(top.elements())]
    while waiting:
        path, element = waiting.pop()
        if any(one.startswith(f"{path}/") for one in told):
            waiting += [(f"{path}/{child.name}", child) for child in reversed(element.elements())]
        elif path not in told:
            reading.leave(element, why)


def _number_at(top: Element, path: str) -> Optional[float]:
    found: Optional[Element] = top
    for tag in path.split("/"):
        found = found.find(tag) if found is not None else None
    values = numbers_in(found.text(), 1) if found is not None else None
    return values[0] if values else None


def _pose_in(sensor: Element, owner: str, places: _Places) -> Optional[Pose]:
    """Return the `<pose>` of a sensor in its link with all joints at zero; None where that is not known."""
    pose = sensor.find("pose")
    if pose is None or sensor.get("type") in WITHOUT_POSE and not pose.text().strip():
        return IDENTITY_POSE
    T = pose_of_sdf(pose)
    base = pose.get("relative_to") or owner
    if T is None or pose.get("frame") or base == owner:
        return T if not pose.get("frame") else None
    T_root_base, T_root_owner = places.of(base), places.of(owner)
    if T_root_base is None or T_root_owner is None:
        return None
    return composed(composed(inverse_of(T_root_owner), T_root_base), T)


def pose_of_sdf(pose: Element) -> Optional[Pose]:
    """Return what a `<pose>` of SDF says, None for what is no pose. (http://sdformat.org/spec?elem=pose)"""
    if pose.get("rotation_format") == "quat_xyzw":
        values = numbers_in(pose.text(), 7)
        return Pose(rotation_of_quaternion(values[3:]), (values[0], values[1], values[2])) if (
            values and any(values[3:])) else None
    values = numbers_in(pose.text().strip() or "0 0 0 0 0 0", 6)
    if values is None:
        return None
    unit = math.pi / 180.0 if (pose.get("degrees") or "").lower() in ("true", "1") else 1.0
    R = rotation_of_rpy([unit * angle for angle in values[3:]])
    return Pose(R, (values[0], values[1], values[2]))


def read_transmission(reading: Reading, top: Element) -> List[RawActuator]:
    """Return the actuator of a transmission of one joint and one motor."""
    joints, motors, kind = top.elements("joint"), top.elements("actuator"), top.find("type")
    if len(joints) != 1 or len(motors) != 1 or kind is None or "SimpleTransmission" not in kind.text():
        reading.leave(top, "it is not a transmission of one joint and one motor")
        return []
    for child in top.elements():
        if child not in (kind, joints[0], motors[0]):
            reading.leave(child)
    interface = joints[0].find("hardwareInterface") or motors[0].find("hardwareInterface")
    word = (interface.text() if interface is not None else "effort").lower()
    kinds = [kind for name, kind in KINDS.items() if name in word]
    if len(kinds) != 1:
        reading.leave(top, f"its interface is '{word.strip()}'")
        return []
    return [RawActuator(motors[0].get("name") or "", kinds[0], joints[0].get("name") or "", line=top.line)]


def _ros2_control(reading: Reading, top: Element) -> List[RawActuator]:
    """Return an actuator for each command interface of a joint."""
    found: List[RawActuator] = []
    for joint in top.elements():
        commands = [one for one in joint.elements("command_interface") if one.get("name") in KINDS]
        if joint.name != "joint" or not commands:
            reading.leave(joint)
        for other in joint.elements() if commands else ():
            if other not in commands:
                reading.leave(other)
        for command in commands if joint.name == "joint" else ():
            name, word = joint.get("name") or "", command.get("name") or ""
            bounds = {one.get("name"): numbers_in(one.text(), 1) for one in command.elements("param")}
            low, high = bounds.get("min"), bounds.get("max")
            values: Mapping[str, Tuple[float, ...]] = {"control_range": (*low, *high)} if low and high else {}
            found.append(RawActuator(name if len(commands) == 1 else f"{name}_{word}", KINDS[word], name, values,
                                     joint.line))
    return found


def _loop(reading: Reading, top: Element, *ends: str) -> List[RawLoop]:
    """Return the loop that an element closes, whose ends name a link, with a pose on them or in an `<origin>`."""
    found = [top.find(end) for end in ends]
    if any(end is None or not end.get("link") for end in found):
        reading.leave(top, "it names no two links")
        return []
    poses = []
    for end in (end for end in found if end is not None):
        origin = end.find("origin") or end
        xyz, rpy = (numbers_in(origin.get(key) or "0 0 0", 3) for key in ("xyz", "rpy"))
        if xyz is None or rpy is None:
            reading.leave(top, "where it holds a link is no numbers")
            return []
        poses.append(Pose(rotation_of_rpy(rpy), (xyz[0], xyz[1], xyz[2])))
    links = [(end.get("link") or "") for end in found if end is not None]
    kind = top.get("type") or "frame"
    kind = f"loop {kind}" if top.name == "loop" and top.get("type") else kind  # with types of its own
    return [RawLoop(top.get("name") or f"<{top.name}>", kind, (links[0], links[1]), (poses[0], poses[1]),
                    top.line)]
