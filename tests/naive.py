"""A second, naive reading of URDF: kinematics, mass properties and limits in plain lists, apart from the tool.

Matrices are lists of rows; a pose is (R, t) and maps points of the child frame into the parent frame.
"""

from collections import namedtuple
import math
import xml.etree.ElementTree as ElementTree

IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
NOWHERE = (IDENTITY, [0.0, 0.0, 0.0])
MOVABLE = ("revolute", "continuous", "prismatic")


class Body(namedtuple("Body", "mass center tensor weighed shapes")):
    """Mass, center and tensor about the center in link axes, zero unless `weighed`; (looks, place) of each shape."""


class Hinge(namedtuple("Hinge", "name kind parent child origin rpy axis mimic numbers magnitudes")):
    """A joint; `numbers` are limit, soft limit and calibration values by (tag, attribute)."""


class Reading(namedtuple("Reading", "bodies hinges root")):
    """A robot: bodies by link name, and the joints in file order."""


def product(A, B):
    """Return A B."""
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def flipped(A):
    """Return the transpose."""
    return [list(column) for column in zip(*A)]


def times(A, v):
    """Return A v."""
    return [sum(row[k] * v[k] for k in range(3)) for row in A]


def after(a, b):
    """Return the place b, which is given in a, in the frame in which a is given."""
    return product(a[0], b[0]), [x + y for x, y in zip(times(a[0], b[1]), a[1])]


def back(a):
    """Return the inverse."""
    return flipped(a[0]), [-x for x in times(flipped(a[0]), a[1])]


def length(v):
    """Return the Euclidean length."""
    return math.sqrt(sum(x * x for x in v))


def apart(a, b):
    """Return the distance of two points."""
    return length([x - y for x, y in zip(a, b)])


def turned_by(A, B):
    """Return the angle between two orientations."""
    return 2.0 * math.asin(
        min(1.0, math.sqrt(sum((A[i][j] - B[i][j]) ** 2 for i in range(3) for j in range(3)) / 8.0))
    )


def around(axis, angle):
    """Return the rotation about a unit axis, as the exponential written out: 1 + sin K + (1 - cos) K K."""
    x, y, z = axis
    K = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    KK = product(K, K)
    return [
        [
            IDENTITY[i][j] + math.sin(angle) * K[i][j] + (1.0 - math.cos(angle)) * KK[i][j]
            for j in range(3)
        ]
        for i in range(3)
    ]


def from_rpy(rpy):
    """Return yaw after pitch after roll, all about fixed axes."""
    return product(
        around([0.0, 0.0, 1.0], rpy[2]),
        product(around([0.0, 1.0, 0.0], rpy[1]), around([1.0, 0.0, 0.0], rpy[0])),
    )


def _floats(element, attribute, default):
    """Return the numbers of an attribute, or the default where there is none."""
    text = element.get(attribute) if element is not None else None
    return [float(word) for word in text.split()] if text is not None else list(default)


def origin_of(element):
    """Return the pose of the `<origin>` of an element, and its three angles."""
    origin = element.find("origin")
    rpy = _floats(origin, "rpy", (0.0, 0.0, 0.0))
    return (from_rpy(rpy), _floats(origin, "xyz", (0.0, 0.0, 0.0))), rpy


def looks(shape):
    """Return what a shape is, without its name and place."""
    geometry, material = shape.find("geometry"), shape.find("material")
    return (
        shape.tag,
        *(
            f"{e.tag} {sorted(e.attrib.items())}"
            for e in (geometry if geometry is not None else ())
        ),
        material.get("name", "") if material is not None else "",
    )


def read(data):
    """Read a URDF."""
    robot = ElementTree.fromstring(data)
    bodies = {}
    for link in robot.findall("link"):
        inertial = link.find("inertial")
        mass = 0.0
        center = [0.0, 0.0, 0.0]
        tensor = [[0.0] * 3 for _ in range(3)]
        if inertial is not None:
            (R, center), _ = origin_of(inertial)
            mass = float(inertial.find("mass").get("value"))
            element = inertial.find("inertia")
            xx, xy, xz, yy, yz, zz = (
                float(element.get(key, 0.0)) if element is not None else 0.0
                for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
            )
            tensor = product(product(R, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), flipped(R))
        shapes = [
            (looks(shape), origin_of(shape)[0])
            for shape in link
            if shape.tag in ("visual", "collision")
        ]
        bodies[link.get("name", "")] = Body(mass, center, tensor, inertial is not None, shapes)
    hinges = []
    for joint in robot.findall("joint"):
        kind = joint.get("type", "")
        axis = joint.find("axis")
        mimic = joint.find("mimic")
        origin, rpy = origin_of(joint)
        direction = (
            _floats(axis, "xyz", (1.0, 0.0, 0.0))
            if kind in (*MOVABLE, "planar")
            else [1.0, 0.0, 0.0]
        )
        numbers = {
            (tag, key): float(element.get(key))
            for tag, keys in (
                ("limit", ("lower", "upper")),
                ("safety_controller", ("soft_lower_limit", "soft_upper_limit")),
                ("calibration", ("rising", "falling", "reference_position")),
            )
            for element in joint.findall(tag)
            for key in keys
            if element.get(key) is not None
        }
        magnitudes = [
            (e.tag, key, value)
            for e in joint
            if e.tag in ("limit", "safety_controller", "dynamics")
            for key, value in e.attrib.items()
            if (e.tag, key) not in numbers
        ]
        hinges.append(
            Hinge(
                joint.get("name", ""),
                kind,
                joint.find("parent").get("link"),
                joint.find("child").get("link"),
                origin,
                rpy,
                [x / length(direction) for x in direction],
                None
                if mimic is None or kind not in MOVABLE
                else (
                    mimic.get("joint", ""),
                    float(mimic.get("multiplier", 1.0)),
                    float(mimic.get("offset", 0.0)),
                ),
                numbers,
                sorted(magnitudes),
            )
        )
    children = {hinge.child for hinge in hinges}
    return Reading(bodies, hinges, next(name for name in bodies if name not in children))


def parents_first(robot):
    """Return the joints so that every parent link is placed before its children."""
    below = {}
    for hinge in robot.hinges:
        below.setdefault(hinge.parent, []).append(hinge)
    order = list(below.get(robot.root, ()))
    for hinge in order:
        order.extend(below.get(hinge.child, ()))
    return order


def motion(hinge, position):
    """Return what a revolute, continuous or prismatic joint adds at a position, in the frame of its child."""
    if hinge.kind == "prismatic":
        return IDENTITY, [position * x for x in hinge.axis]
    return around(hinge.axis, position), [0.0, 0.0, 0.0]


def places(robot, start, motions):
    """Return the place of every link in the world; `motions` are by child link."""
    world = {robot.root: start}
    for hinge in parents_first(robot):
        world[hinge.child] = after(
            after(world[hinge.parent], hinge.origin), motions.get(hinge.child, NOWHERE)
        )
    return world


def positions(robot, free):
    """Return the position of every movable joint name: its free value, or what it mimics (fixed leaders stay at 0)."""
    movable = {hinge.name: hinge for hinge in reversed(robot.hinges) if hinge.kind in MOVABLE}
    fixed = {hinge.name for hinge in robot.hinges if hinge.kind not in MOVABLE}
    values = {}
    for name in movable:
        value = 0.0
        factor = 1.0
        here = name
        while True:  # unroll q = m (m' (...) + b') + b
            rule = movable[here].mimic
            if rule is None or (rule[0] not in movable and rule[0] not in fixed):
                value += factor * free[here]
                break
            value += factor * rule[2]
            factor *= rule[1]
            if rule[0] not in movable:
                break
            here = rule[0]
        values[name] = value
    return values


def canonical(v, axis):
    """Return the frame with v as column `axis`.

    X and Y: column Z is as near to world Z as it can be (if parallel: to world X for a Y axis, world Y for an X axis).
    Z: column X is as near to world X as it can be (if parallel: to world Y).
    """
    guides = {
        0: (2, IDENTITY[2], IDENTITY[1]),
        1: (2, IDENTITY[2], IDENTITY[0]),
        2: (0, IDENTITY[0], IDENTITY[1]),
    }
    number, first, second = guides[axis]
    for guide in (first, second):
        along = sum(x * y for x, y in zip(guide, v))
        column = [x - along * y for x, y in zip(guide, v)]
        if length(column) > 1e-6:
            break
    column = [x / length(column) for x in column]
    columns = [[], [], []]
    columns[axis] = list(v)
    columns[number] = column
    missing = 3 - axis - number
    a, b = columns[(missing + 1) % 3], columns[(missing + 2) % 3]
    columns[missing] = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
    return flipped(columns)


def _turn_of(element):
    """Return the rotation of an element by its quaternion, or by its three angles."""
    if element.get("quat_xyzw") is None:
        return from_rpy(_floats(element, "rpy", (0.0, 0.0, 0.0)))
    x, y, z, w = _floats(element, "quat_xyzw", ())
    size = length([x, y, z])
    angle = 2.0 * math.atan2(size, w)
    return around([x / size, y / size, z / size], angle) if size else IDENTITY


def _place_of(element):
    """Return the pose of an element, which may have it in an `<origin>`."""
    origin = element.find("origin")
    source = origin if origin is not None else element
    return _turn_of(source), _floats(source, "xyz", (0.0, 0.0, 0.0))


def _simulated(element):
    """Return the pose in a `<pose>` of SDF, None where it is relative to a frame."""
    pose = element.find("pose")
    if pose is None or not (pose.text or "").strip():
        return NOWHERE
    if pose.get("relative_to") is not None:
        return None
    values = [float(word) for word in pose.text.split()]
    angles = (
        [math.radians(value) for value in values[3:]]
        if pose.get("degrees") == "true"
        else values[3:]
    )
    return from_rpy(angles), values[:3]


def placed(data, start):
    """Return where sensors, lights, projectors, frames and ends of loops are in the world at zero, by kind and name."""
    world = places(read(data), start, {})
    robot = ElementTree.fromstring(data)
    child_of = {hinge.name: hinge.child for hinge in reversed(read(data).hinges)}
    poses = {}

    def add(link, pose, *what):
        """Note a pose in the world under a key, where both are known."""
        if link in world and pose is not None:
            poses.setdefault(tuple(map(str, what)), []).append(after(world[link], pose))

    for top in robot:
        name = top.get("name")
        if top.tag == "gazebo":
            for element in top:
                if element.tag in ("sensor", "light", "projector") and element.get("type") not in (
                    "contact",
                    "force_torque",
                ):
                    add(top.get("reference"), _simulated(element), element.tag, element.get("name"))
                elif element.tag == "joint":
                    add(
                        (element.findtext("child") or "").strip(),
                        _simulated(element),
                        "joint",
                        element.get("name"),
                    )
        elif top.tag == "sensor":
            parent = top.find("parent")
            if parent is not None:
                add(
                    parent.get("link") or child_of.get(parent.get("joint") or ""),
                    _place_of(top),
                    "sensor",
                    name,
                )
        elif top.tag in ("frame", "loop_joint", "loop"):
            for element in top.iter():
                add(element.get("link"), _place_of(element), top.tag, name, element.tag)
        elif top.tag == "link":
            for element in top:
                if element.tag in ("frame", "sensor"):
                    add(name, _place_of(element), "in link", element.tag, element.get("name"))
    return poses
