"""Read for the proof the places, masses and motions in a URDF, from the attributes as they are written.

It shares no code with the reader; the reader has refused what is wrong, so nothing is refused here.
"""
import random
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from ..base.number_text import read_numbers
from ..urdf.lossless_xml import Document, Element
from ..urdf.spatial import NO_MOTION, NO_TURN, Pose, Vector, ZERO
from .rigid_motion import axis_turn, chained, length, minus, quaternion_turn, rpy_turn, turned

SHAPES = ("visual", "collision")
INERTIA_ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
TURNING, SLIDING = ("revolute", "continuous"), ("prismatic",)


class RawMass(NamedTuple):
    """An `<inertial>` as written: mass [kg], T_link_inertial, and xx, xy, xz, yy, yz, zz in that frame [kg m^2]."""

    mass: float
    pose: Pose
    inertia: Tuple[float, ...]


class Moments(NamedTuple):
    """Mass [kg], first moments [kg m] and second moments xx, xy, xz, yy, yz, zz [kg m^2] about a point of the world."""

    mass: float
    first: Vector
    second: Tuple[float, ...]


class RawShape(NamedTuple):
    """A `<visual>` or `<collision>` and its T_link_shape."""

    element: Element
    pose: Pose


class RawLink(NamedTuple):
    """A `<link>`; `others` are its children that URDF does not define."""

    name: str
    inertial: Optional[RawMass]
    shapes: Tuple[RawShape, ...]
    others: Tuple[Element, ...]


class RawJoint(NamedTuple):
    """A `<joint>`: T_parent_child at zero, and its axis of length 1 in the child's frame; mimic as (joint, a, b)."""

    name: str
    element: Element
    type: str
    parent: str
    child: str
    origin: Pose
    axis: Vector
    mimic: Optional[Tuple[str, float, float]]

    @property
    def moves(self) -> bool:
        """Return True if one number is its position."""
        return self.type in TURNING or self.type in SLIDING


class RawRobot(NamedTuple):
    """Links by name, joints in file order, the root link, and the joints with every parent before its children."""

    document: Document
    links: Dict[str, RawLink]
    joints: Tuple[RawJoint, ...]
    root: str
    tree: Tuple[RawJoint, ...]

    def named_joints(self) -> Dict[str, RawJoint]:
        """Return the joints by name; of equal names the first that moves, else the first."""
        found = {joint.name: joint for joint in reversed(self.joints)}
        found.update({joint.name: joint for joint in reversed(self.joints) if joint.moves})
        return found


def numbers_of(text: Optional[str], count: int) -> Tuple[float, ...]:
    """Return the numbers of a text, zeros when there is none.

    Raises:
        ValueError: they are not `count` numbers.
    """
    if text is None:
        return (0.0,) * count
    try:
        values = tuple(map(float, text.split()))
        if len(values) == count:
            return values
    except ValueError:
        pass
    return read_numbers(text, count, float("inf")).values  # commas in the place of blanks


def number_of(text: Optional[str]) -> float:
    """Return the number of a text, 0 when there is none."""
    try:
        return float(text) if text is not None else 0.0
    except ValueError:
        return numbers_of(text, 1)[0]


def vector_of(element: Element, attribute: str) -> Vector:
    """Return three numbers of an attribute, zeros without it."""
    text = element.attributes.get(attribute)
    if text is None:
        return ZERO
    try:
        x, y, z = map(float, text.split())
    except ValueError:
        x, y, z = numbers_of(text, 3)
    return (x, y, z)


def pose_of_origin(place: Optional[Element]) -> Pose:
    """Return what xyz and rpy, or xyz and quat_xyzw, of an element mean."""
    if place is None or not place.attributes:
        return NO_MOTION
    if "quat_xyzw" in place.attributes:
        quaternion = numbers_of(place.attributes["quat_xyzw"], 4)
        return Pose(quaternion_turn(quaternion) if any(quaternion) else NO_TURN, vector_of(place, "xyz"))
    roll, pitch, yaw = vector_of(place, "rpy")
    return Pose(rpy_turn(roll, pitch, yaw), vector_of(place, "xyz"))


def read_raw(document: Document) -> RawRobot:
    """Read links and joints of a URDF that is known to be sound."""
    links, joints = {}, []
    for top in document.root.elements():
        if top.name == "link":
            link = _raw_link(top)
            links[link.name] = link
        elif top.name == "joint":
            joints.append(_raw_joint(top))
    below: Dict[str, List[RawJoint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
    children = {joint.child for joint in joints}
    root = next(name for name in links if name not in children)
    tree = list(below.get(root, ()))
    for joint in tree:  # grows while it is walked
        tree += below.get(joint.child, ())
    return RawRobot(document, links, tuple(joints), root, tuple(tree))


def _raw_link(element: Element) -> RawLink:
    shapes, others, inertial = [], [], None
    for child in element.elements():
        if child.name in SHAPES:
            shapes.append(RawShape(child, pose_of_origin(child.find("origin"))))
        elif child.name == "inertial":
            inertial = _raw_mass(child)
        elif child.name != "origin":
            others.append(child)
    return RawLink(element.attributes.get("name") or "", inertial, tuple(shapes), tuple(others))


def _raw_mass(element: Element) -> RawMass:
    mass, inertia = element.find("mass"), element.find("inertia")
    value = number_of(mass.attributes.get("value") if mass is not None else None)
    entries = [number_of(inertia.attributes.get(key)) for key in INERTIA_ENTRIES] if inertia is not None else [0.0] * 6
    return RawMass(value, pose_of_origin(element.find("origin")), tuple(entries))


def _raw_joint(element: Element) -> RawJoint:
    ends = {end: (part.attributes.get("link") or "") if part is not None else ""
            for end, part in (("parent", element.find("parent")), ("child", element.find("child")))}
    kind, axis = element.attributes.get("type") or "", (1.0, 0.0, 0.0)
    part = element.find("axis")
    if part is not None and "xyz" in part.attributes and kind not in ("fixed", "floating"):
        axis = _direction(vector_of(part, "xyz"))
    rule, mimic = element.find("mimic"), None
    if rule is not None and rule.attributes.get("joint") and (kind in TURNING or kind in SLIDING):
        factor, shift = number_of(rule.attributes.get("multiplier", "1")), number_of(rule.attributes.get("offset"))
        mimic = (rule.attributes["joint"], factor, shift)
    return RawJoint(element.attributes.get("name") or "", element, kind, ends["parent"], ends["child"],
                    pose_of_origin(element.find("origin")), axis, mimic)


def _direction(v: Vector) -> Vector:
    largest = max(map(abs, v))
    x, y, z = (part / largest for part in v)  # first, so that 1e-200 is as good as 1
    size = length((x, y, z))
    return (x / size, y / size, z / size)


def raw_poses(robot: RawRobot, T_world_root: Pose) -> Dict[str, Pose]:
    """Return T_world_link by link, all joints at zero."""
    T_world = {robot.root: T_world_root}
    for joint in robot.tree:
        T_world[joint.child] = chained(T_world[joint.parent], joint.origin)
    return T_world


def raw_motion(joint: RawJoint, position: float, generator: random.Random) -> Pose:
    """Return what a joint at `position` adds in its child's frame; for planar and floating joints a random motion."""
    if joint.type in TURNING:
        return Pose(axis_turn(joint.axis, position), ZERO)
    x, y, z = joint.axis
    if joint.type in SLIDING:
        return Pose(NO_TURN, (position * x, position * y, position * z))
    if joint.type == "fixed":
        return NO_MOTION
    a, b, c, d = (generator.uniform(-1.0, 1.0) for _ in range(4))
    if joint.type == "floating":
        return Pose(rpy_turn(a, b, c), (b, c, d))
    along = b * x + c * y + d * z
    return Pose(axis_turn(joint.axis, a), (b - along * x, c - along * y, d - along * z))


def raw_positions(robot: RawRobot, free: Dict[str, float]) -> Dict[str, float]:
    """Return a position for every joint by child link: as given, or as its mimic says; a circle of them is free."""
    named = robot.named_joints()
    found: Dict[str, float] = {}
    for joint in robot.joints:
        chain = [joint]
        while chain[-1].child not in found:
            last = chain[-1]
            leader = named.get(last.mimic[0]) if last.mimic is not None else None
            if not last.moves:
                found[last.child] = 0.0
            elif leader is None or leader in chain:
                found[last.child] = free[last.child]
            else:
                chain.append(leader)
        for number in range(len(chain) - 2, -1, -1):
            rule = chain[number].mimic
            if rule is not None:
                found[chain[number].child] = rule[1] * found[chain[number + 1].child] + rule[2]
    return found


def world_moments(masses: Iterable[Tuple[Pose, RawMass]], point: Vector) -> Moments:
    """Return the moments of masses about a point of the world; each comes with the T_world_link of its link.

    A part at the offset d adds m, m d, and R I R^T + m (|d|^2 1 - d d^T), whatever the other parts are.
    """
    total = [0.0] * 10
    for T_world_link, raw in masses:
        T = chained(T_world_link, raw.pose)
        xx, xy, xz, yy, yz, zz = raw.inertia
        x, y, z = minus(T.translation, point)
        if T.rotation is not NO_TURN:
            a, b, c = T.rotation  # rows
            p, q, r = (turned(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), row) for row in T.rotation)
            xx, xy, xz, yy, yz, zz = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
                                      for u, v in ((a, p), (a, q), (a, r), (b, q), (b, r), (c, r)))
        m = raw.mass
        part = (m, m * x, m * y, m * z, xx + m * (y * y + z * z), xy - m * x * y, xz - m * x * z,
                yy + m * (x * x + z * z), yz - m * y * z, zz + m * (x * x + y * y))
        total = [have + more for have, more in zip(total, part)]
    return Moments(total[0], (total[1], total[2], total[3]), tuple(total[4:]))
