"""The proof of an MJCF text: it is read again, by a reader of its own, and must be the robot.

Compared are, in random positions: where every body and site is; and for every body mass, center and tensor, every
shape with its look and file, and every joint's type, axis (through the positions), range, force, damping and friction,
followers and locks.
"""
import random
import xml.etree.ElementTree as ElementTree
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..base.errors import ProofFailed
from ..model.records import Joint, Link, Robot
from ..model.shapes import Ellipsoid, Part, pieces, Plane, Primitive
from ..model.tree import leaders_of, poses_at, positions_of, Positions, tree_of
from ..model.pose import Pose
from ..urdf.model import Box, Mesh
from ..urdf.spatial import (compose, matrix_from_quaternion, matrix_from_rpy, Matrix, multiply,
                            NO_TURN, Pose as Transform, rotate, scale, subtract, transpose, turn_about, UNIT_AXES,
                            Vector, ZERO)
from .mjcf_model import Decided
from .verify_mjcf_looks import compare_look, read_looks, WrittenLooks

TOLERANCE = 1e-9
POSITIONS = 2
NUMBERS = ("damping", "frictionloss", "armature", "stiffness")


class ReadBody(NamedTuple):
    """A `<body>`: its name, that of the body it is in, its element, and its pose in the other."""

    name: str
    parent: str
    element: ElementTree.Element
    pose: Transform


class _Proof(NamedTuple):
    robot: Robot
    decided: Decided
    bodies: Dict[str, ReadBody]
    top: ElementTree.Element
    classes: Dict[str, Dict[str, Dict[str, str]]]
    child_class: Dict[str, str]  # by body
    meshes: Dict[str, ElementTree.Element]
    joints: Dict[str, Tuple[Joint, ...]]  # of the robot, by body
    looks: WrittenLooks


def verify_mjcf(text: str, robot: Robot, decided: Decided) -> int:
    """Return the number of things that were compared.

    Raises:
        ProofFailed: the text is not the robot; the message says in what.
    """
    top = ElementTree.fromstring(text)
    bodies = {body.name: body for body in _read_bodies(top)}
    meshes = {mesh.get("name", ""): mesh for mesh in top.iterfind("asset/mesh")}
    above = {joint.child: joint for joint in robot.joints}
    joints = {name: tuple(_joints_into(above, bodies, name)) for name in bodies if name}
    proof = _Proof(robot, decided, bodies, top, _read_classes(top), _child_classes(bodies), meshes, joints,
                   read_looks(top, robot, decided))
    compiler = top.find("compiler")
    _equal("the compiler", None if compiler is None else (compiler.get("angle"), compiler.get("inertiafromgeom")),
           ("radian", "false"))
    count = _compare_names(proof)
    for link in robot.links:
        count += _compare_link(proof, link)
    count += _compare_joints(proof)
    generator = random.Random(len(text))
    for _ in range(POSITIONS):
        count += _compare_poses(proof, generator)
    return count


def _fail(where: str, found: object, expected: object) -> ProofFailed:
    return ProofFailed(f"MJCF: {where}: {found} is written, {expected} is the robot's")


def _equal(where: str, found: object, expected: object) -> None:
    if found != expected:
        raise _fail(where, found, expected)


def _near(where: str, found: Sequence[float], expected: Sequence[float], extra: float = 0.0, least: float = 1.0
          ) -> None:
    """Refuse numbers further apart than 1e-9 of the largest, or of `least`, and `extra`."""
    allowed = TOLERANCE * max(least, *map(abs, expected)) + extra
    if len(found) != len(expected) or any(not abs(a - b) <= allowed for a, b in zip(found, expected)):
        raise _fail(where, tuple(found), tuple(expected))


def _numbers(element: ElementTree.Element, attribute: str, default: str) -> Tuple[float, ...]:
    return tuple(float(word) for word in element.get(attribute, default).split())


def _vector(element: ElementTree.Element, attribute: str, default: str = "0 0 0") -> Vector:
    x, y, z = _numbers(element, attribute, default)
    return (x, y, z)


def _place(element: ElementTree.Element) -> Transform:
    w, x, y, z = _numbers(element, "quat", "1 0 0 0")
    return Transform(matrix_from_quaternion((x, y, z, w)), _vector(element, "pos"))


def _read_bodies(top: ElementTree.Element) -> Iterator[ReadBody]:
    """Yield the bodies, each behind the one it is in; the world is the first, without a name."""
    world = top.find("worldbody")
    if world is None:
        raise _fail("the file", "no worldbody", "one")
    yield ReadBody("", "", world, Transform(UNIT_AXES, ZERO))
    waiting = [("", element) for element in reversed(world.findall("body"))]
    while waiting:
        parent, element = waiting.pop()
        name = element.get("name", "")
        yield ReadBody(name, parent, element, _place(element))
        waiting += [(name, inside) for inside in reversed(element.findall("body"))]


def _read_classes(top: ElementTree.Element) -> Dict[str, Dict[str, Dict[str, str]]]:
    """Return by class what it says of joint and geom, with what the classes around it say."""
    classes: Dict[str, Dict[str, Dict[str, str]]] = {}
    waiting: List[Tuple[ElementTree.Element, Dict[str, Dict[str, str]]]] = [
        (element, {}) for element in top.findall("default")]
    while waiting:
        element, outer = waiting.pop()
        own = {tag: dict(values) for tag, values in outer.items()}
        for child in element:
            if child.tag == "default":
                continue
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


def _joints_into(above: Dict[str, Joint], bodies: Dict[str, ReadBody], name: str) -> Iterator[Joint]:
    """Yield the robot's joints between a body and the one it is in, lowest first."""
    holder = bodies[name].parent
    while name in above:
        joint = above[name]
        yield joint
        name = joint.parent
        if name in bodies or name == holder:
            return


def _compare_names(proof: _Proof) -> int:
    """Every link is a body, a site, the world, or was said to be between two joints; no body is anything else."""
    sites = {site.get("name") for site in proof.top.iter("site")}
    links = {link.name for link in proof.robot.links}
    for name in proof.bodies:
        if name and name not in links:
            raise _fail("the bodies", f"'{name}'", "no such link")
    for name in links:
        if name not in proof.bodies and name not in sites and name != "world" and name not in proof.decided.between:
            raise _fail(f"link '{name}'", "nothing", "a body or site")
    return len(links)


def _compare_link(proof: _Proof, link: Link) -> int:
    body = proof.bodies.get("" if link.name == "world" else link.name)
    weight = link.weight
    extra = proof.decided.changed.get(link.name, 0.0)
    if body is None:
        _equal(f"link '{link.name}' without a body", (weight.mass, len(link.shapes)), (0.0, 0))
        return 1
    inertial = body.element.find("inertial")
    where = f"body '{link.name}'"
    if inertial is None and link.name != "world":
        _equal(f"{where}, mass", 0.0, weight.mass)
    elif inertial is not None:
        _near(f"{where}, mass", _numbers(inertial, "mass", "0"), (weight.mass,), extra, 0.0)
        if weight.mass > 0.0:
            _near(f"{where}, center", _numbers(inertial, "pos", ""), weight.center)
        largest = max(abs(entry) for row in weight.inertia for entry in row)
        for row, expected in zip(_tensor(inertial), weight.inertia):
            if any(not abs(a - b) <= TOLERANCE * largest + extra for a, b in zip(row, expected)):
                raise _fail(f"{where}, inertia", row, expected)
    return 3 + _compare_shapes(proof, link, body)


def _tensor(inertial: ElementTree.Element) -> Matrix:
    if inertial.get("fullinertia") is not None:
        xx, yy, zz, xy, xz, yz = _numbers(inertial, "fullinertia", "")
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    a, b, c = _numbers(inertial, "diaginertia", "")
    R = _place(inertial).rotation
    return multiply(multiply(R, ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))), transpose(R))


def _compare_shapes(proof: _Proof, link: Link, body: ReadBody) -> int:
    expected = [(kind, part, shape) for kind, place, shape in link.placed_shapes
                for number, part in enumerate(pieces(shape.geometry, shape.origin))
                if (link.name, kind, place, number) not in proof.decided.left_out]
    geoms = body.element.findall("geom")
    _equal(f"body '{link.name}', number of shapes", len(geoms), len(expected))
    for geom, (kind, part, shape) in zip(geoms, expected):
        where = f"body '{link.name}', geom '{geom.get('name')}'"
        _equal(where, (geom.get("class"), geom.get("type")), (kind, part.geometry.kind))
        look = {**proof.classes[kind].get("geom", {}), **geom.attrib}
        _equal(f"{where}, touches", look.get("contype") == "0" and look.get("conaffinity") == "0", kind == "visual")
        _compare_place(where, _place(geom), part)
        compare_look(proof.looks, where, geom, shape, part.geometry)
        if isinstance(part.geometry, Mesh):
            mesh = proof.meshes[geom.get("mesh", "")]
            _near(f"{where}, scale", _numbers(mesh, "scale", "1 1 1"), part.geometry.scale)
        else:
            _near(f"{where}, size", _numbers(geom, "size", ""), _sizes(part.geometry))
    return len(geoms)


def _compare_place(where: str, found: Transform, part: Part) -> None:
    rotation = matrix_from_rpy(part.origin.rpy)
    _near(f"{where}, position", found.translation, part.origin.xyz)
    for row, expected in zip(found.rotation, rotation):
        _near(f"{where}, orientation", row, expected)


def _sizes(shape: Primitive) -> Tuple[float, ...]:
    if isinstance(shape, Box):
        return tuple(0.5 * length for length in shape.size)
    if isinstance(shape, Plane):
        return (0.5 * shape.size[0], 0.5 * shape.size[1], 1.0)
    if isinstance(shape, Ellipsoid):
        return shape.radii
    radius, length = getattr(shape, "radius", 0.0), getattr(shape, "length", None)
    return (radius,) if length is None else (radius, 0.5 * length)


def _moving(proof: _Proof, name: str) -> List[Joint]:
    """Return the robot's joints into a body, uppermost first, without the fixed ones."""
    return [joint for joint in reversed(proof.joints[name]) if joint.type != "fixed"]


def _of_class(proof: _Proof, body: ReadBody, joint: ElementTree.Element) -> Dict[str, str]:
    """Return the attributes of a joint with those of its class."""
    return {**proof.classes.get(proof.child_class[body.name], {}).get("joint", {}), **joint.attrib}


KINDS = {"revolute": ("hinge",), "continuous": ("hinge",), "prismatic": ("slide",), "ball": ("ball",),
         "planar": ("slide", "slide", "hinge")}


def _compare_joints(proof: _Proof) -> int:
    """Compare type, numbers, followers and locks of every joint."""
    written: Dict[str, List[str]] = {}  # names in the text, by child link
    root = tree_of(proof.robot).root
    for name, body in proof.bodies.items():
        if not name:
            continue
        moving = _moving(proof, name)
        elements = body.element.findall("joint")
        floats = [joint for joint in moving if joint.type == "floating"]
        rest = [joint for joint in moving if joint.type != "floating"]
        free = body.element.findall("freejoint")
        if name != root or floats:
            _equal(f"body '{name}', free joints", len(free), len(floats))
        kinds = [kind for joint in rest for kind in KINDS[joint.type]]
        _equal(f"body '{name}', joints", [one.get("type", "hinge") for one in elements], kinds)
        for joint in rest:
            own = [elements.pop(0) for _ in KINDS[joint.type]]
            written[joint.child] = [one.get("name", "") for one in own]
            for one in own:
                _compare_numbers(joint, _of_class(proof, body, one))
    _compare_equalities(proof, written)
    return len(proof.robot.joints)


def _compare_numbers(joint: Joint, found: Dict[str, str]) -> None:
    where = f"joint '{joint.name}'"
    dynamics, limit = joint.dynamics, joint.limit
    expected = dict(zip(NUMBERS, (dynamics.damping if dynamics else None, dynamics.friction if dynamics else None,
                                  joint.armature, joint.spring.stiffness if joint.spring else None)))
    for key, value in expected.items():
        _near(f"{where}, {key}", (float(found.get(key, "0")),), (max(value or 0.0, 0.0),))
    bounds = joint.range if joint.type in ("revolute", "prismatic") else None
    limited = bounds is not None and bounds[0] < bounds[1] and (bounds[0] >= -1e9 or bounds[1] <= 1e9)
    _equal(f"{where}, has a range", "range" in found, limited)
    if limited and bounds is not None:
        _near(f"{where}, range", [float(word) for word in found["range"].split()], bounds)
    effort = limit.effort if limit is not None and joint.type in ("revolute", "continuous", "prismatic") else None
    bound = effort is not None and 0.0 < effort <= 1e9
    _equal(f"{where}, has a largest force", "actuatorfrcrange" in found, bound)
    if bound and effort is not None:
        _near(f"{where}, force", [float(word) for word in found["actuatorfrcrange"].split()], (-effort, effort))


def _compare_equalities(proof: _Proof, written: Dict[str, List[str]]) -> None:
    """Every follower and every locked joint has its equation, and there is no other."""
    section = proof.top.find("equality")
    found = {one.get("joint1"): one for one in (section if section is not None else ())}
    leaders = leaders_of(proof.robot)
    expected: Dict[str, Tuple[Optional[str], Tuple[float, ...]]] = {}
    for joint in proof.robot.joints:
        if joint.child not in written or joint.type not in ("revolute", "continuous", "prismatic"):
            continue
        leader = leaders.get(joint.mimic.joint) if joint.mimic else None
        if joint.mimic is not None and leader is not None:
            moves = leader.type in ("revolute", "continuous", "prismatic")
            expected[written[joint.child][0]] = (
                written[leader.child][0] if moves else None,
                (joint.mimic.offset, joint.mimic.multiplier if moves else 0.0, 0.0, 0.0, 0.0))
        elif joint.range is not None and joint.range[0] == joint.range[1]:
            expected[written[joint.child][0]] = (None, (joint.range[0], 0.0, 0.0, 0.0, 0.0))
    _equal("the joints with an equation", sorted(map(str, found)), sorted(expected))
    for name, (leader_name, numbers) in expected.items():
        _equal(f"the leader of '{name}'", found[name].get("joint2"), leader_name)
        _near(f"the equation of '{name}'", _numbers(found[name], "polycoef", ""), numbers)


def _compare_poses(proof: _Proof, generator: random.Random) -> int:
    """Compare where every body and site is, with every joint at a random position and free bodies anywhere."""
    free = {joint.name: generator.uniform(-2.0, 2.0) for joint in proof.robot.joints}
    positions = positions_of(proof.robot, free)
    for joint in proof.robot.joints:
        if joint.type in ("floating", "ball", "planar"):
            positions[joint.child] = _anywhere(joint, generator)
    root = tree_of(proof.robot).root
    T_robot = poses_at(proof.robot, positions)
    T_start = Transform(UNIT_AXES, ZERO)
    if root in proof.bodies and proof.bodies[root].element.find("freejoint") is not None:
        T_start = _anywhere(None, generator).transform
    T_text: Dict[str, Transform] = {"": Transform(UNIT_AXES, ZERO)}
    for name, body in proof.bodies.items():
        if name:
            T_text[name] = _moved(proof, body, T_text[body.parent], positions, T_start if name == root else None)
    count = 0
    for name, body in proof.bodies.items():
        for label, T in ((name, T_text[name]), *((site.get("name", ""), compose(T_text[name], _place(site)))
                                                 for site in body.element.findall("site"))):
            if label in T_robot:
                _compare_transforms(f"'{label}'", T, compose(T_start, T_robot[label]))
                count += 1
    return count


def _anywhere(joint: Optional[Joint], generator: random.Random) -> Pose:
    a, b, c, d, e, f = (generator.uniform(-1.0, 1.0) for _ in range(6))
    if joint is None or joint.type == "floating":
        return Pose((a, b, c), (d, e, f))
    if joint.type == "ball":
        return Pose(ZERO, (d, e, f))
    along = sum(p * n for p, n in zip((a, b, c), joint.axis))
    return Pose.from_axis_angle(joint.axis, d, subtract((a, b, c), scale(along, joint.axis)))


def _moved(proof: _Proof, body: ReadBody, T_parent: Transform, positions: Positions, T_start: Optional[Transform]
           ) -> Transform:
    """Return where a body is: its pose, then its joints one after another, each about its point."""
    T = compose(T_parent, body.pose)
    if body.element.find("freejoint") is not None:
        if T_start is not None:
            return T_start
        motion = positions[body.name]  # a floating joint: at zero it is where its body is written
        return compose(T, motion.transform) if isinstance(motion, Pose) else T
    elements = list(body.element.findall("joint"))
    for joint in _moving(proof, body.name):
        own = [elements.pop(0) for _ in KINDS[joint.type]]
        position = positions[joint.child]
        axis = _vector(own[-1], "axis", "0 0 1")
        if isinstance(position, Pose):
            if joint.type == "planar":  # what was asked for, in the coordinates of the three joints
                for one in own[:2]:
                    direction = _vector(one, "axis")
                    amount = sum(p * q for p, q in zip(position.xyz, direction))
                    T = compose(T, Transform(NO_TURN, scale(amount, direction)))
                T = compose(T, Transform(position.matrix, ZERO))
            else:
                T = compose(T, position.transform)
        elif joint.type == "prismatic":
            T = compose(T, Transform(NO_TURN, scale(position, axis)))
        else:
            point = _vector(own[0], "pos")
            R = turn_about(axis, position)
            T = compose(T, Transform(R, subtract(point, rotate(R, point))))
    return T


def _compare_transforms(where: str, found: Transform, expected: Transform) -> None:
    _near(f"where {where} is", found.translation, expected.translation)
    for row, other in zip(found.rotation, expected.rotation):
        _near(f"how {where} is turned", row, other)

