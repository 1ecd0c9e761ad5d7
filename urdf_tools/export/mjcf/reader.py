"""An MJCF text as its proof reads it: bodies, sites, cameras, classes; it holds nothing that the proof does not see."""
from typing import Dict, FrozenSet, Iterator, List, Optional, Tuple

from ...model.records import Joint, Robot
from ...model.tree import tree_of
from ...urdf.spatial import matrix_from_quaternion, IDENTITY, Pose as Transform, Vector, ZERO
from .model import Decided
from ..read_back import differs, Element, numbers_of, read_back
from .verify_looks import WrittenLooks

POSE = "name pos quat"
SERVO = "name joint gear kp kv dampratio inheritrange ctrlrange forcerange"
READ: Dict[str, FrozenSet[str]] = {tag: frozenset(names.split()) for tag, names in {
    "mujoco": "model", "compiler": "angle autolimits inertiafromgeom meshdir texturedir", "option": "integrator",
    "asset": "", "mesh": "name class file scale", "texture": "name type file content_type",
    "material": "name texture rgba specular shininess emission metallic roughness",
    "worldbody": "", "body": f"{POSE} childclass gravcomp", "freejoint": "name",
    "inertial": "mass pos quat diaginertia fullinertia",
    "joint": "name type pos axis range actuatorfrcrange stiffness springref damping frictionloss armature "
             "joint1 joint2 polycoef",
    "geom": f"{POSE} class type size mesh material rgba friction", "site": f"{POSE} group",
    "camera": f"{POSE} fovy resolution", "contact": "", "exclude": "body1 body2", "equality": "", "actuator": "",
    "connect": "name site1 site2", "motor": SERVO, "position": SERVO, "velocity": SERVO, "sensor": "",
    "gyro": "name site", "accelerometer": "name site", "force": "name site", "torque": "name site",
    "framequat": "name objtype objname",
    "keyframe": "", "key": "name qpos ctrl"}.items()}  # what the proof compares, or what is nothing of the robot
READ_OF_CLASS: Dict[str, FrozenSet[str]] = {tag: frozenset(names.split()) for tag, names in {
    "default": "class", "joint": "damping frictionloss armature", "mesh": "inertia",
    "geom": "group contype conaffinity"}.items()}


class ReadBody:
    """A `<body>`: its name, that of the body it is in, its element, its pose in the other, how many free joints."""

    def __init__(self, name: str, parent: str, element: Element) -> None:
        self.name, self.parent, self.element = name, parent, element
        self.pose = place_of(element)
        self._inside: Dict[str, List[Element]] = {}
        for one in element.children:
            self._inside.setdefault(one.tag, []).append(one)
        self.free = len(self.all("freejoint"))

    def all(self, tag: str) -> List[Element]:
        """Return the elements of a tag in it."""
        return self._inside.get(tag, [])


class Move:
    """A joint of the robot as its body has it: its elements, their axes, and the point that the first goes through."""

    def __init__(self, joint: Joint, elements: List[Element]) -> None:
        self.joint, self.elements = joint, elements
        self.axes = tuple([vector(element, "axis", "0 0 1") for element in elements])
        self.point = vector(elements[0], "pos")


class Proof:
    """The text as it was read, and the robot.

    Attributes:
        bodies: each behind the one it is in; the world is the first, without a name.
        sites: their bodies, and T_body_site.
        cameras: their bodies and elements, in the order of the text.
        classes: what they say, by tag.
        child_class: by body, the class of its joints.

    Raises:
        ProofFailed: the text holds an element or an attribute that the proof does not know.
    """

    def __init__(self, text: str, robot: Robot, decided: Decided) -> None:
        self.top = top = read_back(text)
        self.robot, self.decided, self.tree = robot, decided, tree_of(robot)
        self.classes: Dict[str, Dict[str, Dict[str, str]]] = _read_classes(top)
        _refuse_unread(top)
        self.bodies: Dict[str, ReadBody] = {body.name: body for body in _read_bodies(top)}
        self.sites: Dict[str, Tuple[str, Transform]] = {
            site.get("name"): (body.name, place_of(site)) for body in self.bodies.values()
            for site in body.all("site")}
        self.cameras: List[Tuple[str, Element]] = [
            (body.name, camera) for body in self.bodies.values() for camera in body.all("camera")]
        self.child_class: Dict[str, str] = _child_classes(self.bodies)
        self.meshes: Dict[str, Element] = {mesh.get("name"): mesh for mesh in top.findall("asset/mesh")}
        self.looks = WrittenLooks(top, robot, decided)

    def section(self, tag: str) -> List[Element]:
        """Return what is in a section; there is at most one of a tag."""
        found = self.top.find(tag)
        return found.children if found is not None else []

    def body_of(self, link: str) -> Optional[str]:
        """Return the body that has a link or its site, "" for the world; None for a link that the text has not."""
        if link == "world" or link in self.bodies:
            return "" if link == "world" else link
        return self.sites[link][0] if link in self.sites else None


def equal(where: str, found: object, expected: object) -> None:
    """Refuse what is not equal.

    Raises:
        ProofFailed: it is not.
    """
    if found != expected:
        raise differs(where, found, expected)


def numbers(element: Element, attribute: str, default: str = "") -> List[float]:
    """Return the numbers of an attribute."""
    return numbers_of(element.attrib.get(attribute, default))


def vector(element: Element, attribute: str, default: str = "0 0 0") -> Vector:
    """Return the three numbers of an attribute."""
    x, y, z = numbers(element, attribute, default)
    return (x, y, z)


def place_of(element: Element) -> Transform:
    """Return the pose of an element in the body that it is in."""
    attributes = element.attrib
    turn = IDENTITY
    if "quat" in attributes:
        w, x, y, z = numbers_of(attributes["quat"])
        turn = matrix_from_quaternion((x, y, z, w))
    return Transform(turn, vector(element, "pos") if "pos" in attributes else ZERO)


def _refuse_unread(top: Element) -> None:
    """Refuse what the proof does not look at, for it could be anything: gravity, a range, a solver's parameter."""
    tags = [section.tag for section in top.children]
    if len(set(tags)) < len(tags):
        raise differs("the sections", tags, "one of each")
    waiting = [Element(top.tag, top.attrib), *(section for section in top.children if section.tag != "default")]
    while waiting:
        element = waiting.pop()
        _refuse_unknown(element, READ)
        waiting += element.children


def _refuse_unknown(element: Element, known: Dict[str, FrozenSet[str]]) -> None:
    attributes = known.get(element.tag)
    if attributes is None or not attributes.issuperset(element.attrib):
        raise differs(f"<{element.tag}>", sorted(element.attrib), sorted(attributes) if attributes else "nothing")


def _read_bodies(top: Element) -> Iterator[ReadBody]:
    """Yield the bodies, each behind the one it is in; the world is the first, without a name."""
    world = top.find("worldbody")
    if world is None:
        raise differs("the file", "no worldbody", "one")
    waiting = [ReadBody("", "", world)]
    while waiting:
        body = waiting.pop()
        yield body
        waiting += [ReadBody(inside.get("name", ""), body.name, inside) for inside in reversed(body.all("body"))]


def _read_classes(top: Element) -> Dict[str, Dict[str, Dict[str, str]]]:
    """Return by class what it says of joint and geom, with what the classes around it say."""
    classes: Dict[str, Dict[str, Dict[str, str]]] = {}
    waiting: List[Tuple[Element, Dict[str, Dict[str, str]]]] = [
        (element, {}) for element in top.findall("default")]
    while waiting:
        element, outer = waiting.pop()
        own = {tag: dict(values) for tag, values in outer.items()}
        for child in element.children:
            _refuse_unknown(child, READ_OF_CLASS)
            if child.tag != "default":
                own.setdefault(child.tag, {}).update(child.attrib)
        classes[element.get("class", "main")] = own
        waiting += [(child, own) for child in element.findall("default")]
    return classes


def _child_classes(bodies: Dict[str, ReadBody]) -> Dict[str, str]:
    """Return for each body the class that its joints have unless they say another."""
    found: Dict[str, str] = {}
    for name, body in bodies.items():
        found[name] = body.element.get("childclass") or found.get(body.parent, "main")
    return found
