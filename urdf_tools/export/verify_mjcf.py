"""The proof of an MJCF text: it is read again, by a reader of its own, and must be the robot.

Compared are, in a random position: where every body and site is; and for every body mass, center and tensor, every
shape with its look and file, and every joint's type, axis (through the positions), range, force, damping and friction,
followers and locks.
"""
import random
from typing import Dict, Iterator, List, Optional, Tuple

from ..base.errors import ProofFailed
from ..model.records import Joint, Link, Robot
from ..model.shapes import Ellipsoid, pieces, Plane, Primitive
from ..model.tree import leaders_of, poses_at, positions_of, Positions, tree_of
from ..model.pose import Pose
from ..urdf.model import Box, Mesh
from ..urdf.spatial import (compose, matrix_from_quaternion, Matrix, multiply, NO_MOTION, NO_TURN, Pose as Transform,
                            rotate, scale, subtract, transpose, turn_about, Vector, ZERO)
from .mjcf_model import Decided
from .read_back import compare_numbers, compare_poses, differs, Element, is_held, numbers_of, off_zero, read_back
from .verify_mjcf_looks import compare_look, WrittenLooks

NUMBERS = ("damping", "frictionloss", "armature", "stiffness")
KINDS = {"revolute": ("hinge",), "continuous": ("hinge",), "prismatic": ("slide",), "ball": ("ball",),
         "planar": ("slide", "slide", "hinge")}


class ReadBody:
    """A `<body>`: its name, that of the body it is in, its element, its pose in the other, how many free joints."""

    def __init__(self, name: str, parent: str, element: Element) -> None:
        self.name, self.parent, self.element = name, parent, element
        self.pose = _place(element)
        self.free = len(element.findall("freejoint"))


class _Move:
    """A joint of the robot as its body has it: its elements, their axes, and the point that the first goes through."""

    def __init__(self, joint: Joint, elements: List[Element]) -> None:
        self.joint, self.elements = joint, elements
        self.axes = tuple([_vector(element, "axis", "0 0 1") for element in elements])
        self.point = _vector(elements[0], "pos")


class _Proof:
    """The text as it was read, and the robot.

    Attributes:
        sites: their bodies, and T_body_site.
        classes: what they say, by tag.
        child_class: by body, the class of its joints.
    """

    def __init__(self, top: Element, robot: Robot, decided: Decided) -> None:
        self.top, self.robot, self.decided, self.tree = top, robot, decided, tree_of(robot)
        self.bodies: Dict[str, ReadBody] = {body.name: body for body in _read_bodies(top)}
        self.sites: Dict[str, Tuple[str, Transform]] = {
            site.get("name"): (body.name, _place(site)) for body in self.bodies.values()
            for site in body.element.findall("site")}
        self.classes: Dict[str, Dict[str, Dict[str, str]]] = _read_classes(top)
        self.child_class: Dict[str, str] = _child_classes(self.bodies)
        self.meshes: Dict[str, Element] = {mesh.get("name"): mesh for mesh in top.findall("asset/mesh")}
        self.looks = WrittenLooks(top, robot, decided)


def verify_mjcf(text: str, robot: Robot, decided: Decided) -> None:
    """Compare the text with the robot.

    Raises:
        ProofFailed: the text is not the robot; the message says in what.
    """
    try:
        _verify(text, robot, decided)
    except ProofFailed as error:
        raise ProofFailed(f"MJCF: {error.message}") from None


def _verify(text: str, robot: Robot, decided: Decided) -> None:
    top = read_back(text)
    proof = _Proof(top, robot, decided)
    compiler = top.find("compiler")
    _equal("the compiler", compiler and tuple(map(compiler.get, ("angle", "autolimits", "inertiafromgeom"))),
           ("radian", "true", "false"))
    _compare_names(proof)
    for link in robot.links:
        _compare_link(proof, link)
    moves = {name: _read_moves(proof, body) for name, body in proof.bodies.items() if name}
    _compare_equalities(proof, {move.joint.child: [one.get("name") for one in move.elements]
                                for one_body in moves.values() for move in one_body})
    _compare_places(proof, moves, random.Random(len(text)))


def _equal(where: str, found: object, expected: object) -> None:
    if found != expected:
        raise differs(where, found, expected)


def _numbers(element: Element, attribute: str, default: str = "") -> List[float]:
    return numbers_of(element.get(attribute, default))


def _vector(element: Element, attribute: str, default: str = "0 0 0") -> Vector:
    x, y, z = _numbers(element, attribute, default)
    return (x, y, z)


def _place(element: Element) -> Transform:
    w, x, y, z = _numbers(element, "quat", "1 0 0 0")
    return Transform(matrix_from_quaternion((x, y, z, w)) if "quat" in element.attrib else NO_TURN,
                     _vector(element, "pos"))


def _read_bodies(top: Element) -> Iterator[ReadBody]:
    """Yield the bodies, each behind the one it is in; the world is the first, without a name."""
    world = top.find("worldbody")
    if world is None:
        raise differs("the file", "no worldbody", "one")
    yield ReadBody("", "", world)
    waiting = [("", element) for element in reversed(world.findall("body"))]
    while waiting:
        parent, element = waiting.pop()
        name = element.get("name", "")
        yield ReadBody(name, parent, element)
        waiting += [(name, inside) for inside in reversed(element.findall("body"))]


def _read_classes(top: Element) -> Dict[str, Dict[str, Dict[str, str]]]:
    """Return by class what it says of joint and geom, with what the classes around it say."""
    classes: Dict[str, Dict[str, Dict[str, str]]] = {}
    waiting: List[Tuple[Element, Dict[str, Dict[str, str]]]] = [
        (element, {}) for element in top.findall("default")]
    while waiting:
        element, outer = waiting.pop()
        own = {tag: dict(values) for tag, values in outer.items()}
        for child in element.children:
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


def _compare_names(proof: _Proof) -> None:
    """Every link is a body, a site, the world, or was said to be between two joints; nothing else is a body or site."""
    links = {link.name for link in proof.robot.links}
    for name in proof.bodies:
        if name and name not in links:
            raise differs("the bodies", f"'{name}'", "no such link")
    for name in links:
        if name not in proof.bodies and name not in proof.sites and name not in proof.decided.between and (
                name != "world"):
            raise differs(f"link '{name}'", "nothing", "a body or site")
    _equal("the sites", sorted(proof.sites), sorted(proof.decided.sites))
    known = set(proof.decided.sites.values())
    for frame in proof.decided.frames:
        if frame.link not in proof.decided.between and (frame.link, frame.pose) not in known:
            raise differs(f"frame '{frame.name}'", "nothing", "a site")


def _compare_link(proof: _Proof, link: Link) -> None:
    body = proof.bodies.get("" if link.name == "world" else link.name)
    weight = link.weight
    extra = proof.decided.changed.get(link.name, 0.0)
    if body is None:
        _equal(f"link '{link.name}' without a body", (weight.mass, len(link.shapes)), (0.0, 0))
        return
    inertial = body.element.find("inertial")
    where = f"body '{link.name}'"
    if inertial is None and link.name != "world":
        _equal(f"{where}, mass", 0.0, weight.mass)
    elif inertial is not None:
        compare_numbers(f"{where}, mass", _numbers(inertial, "mass"), (weight.mass,), 0.0, extra)
        if weight.mass > 0.0:
            compare_numbers(f"{where}, center", _numbers(inertial, "pos"), weight.center)
        largest = max(abs(entry) for row in weight.inertia for entry in row)
        for row, expected in zip(_tensor(inertial), weight.inertia):
            compare_numbers(f"{where}, inertia", row, expected, largest, extra)
    _compare_shapes(proof, link, body)


def _tensor(inertial: Element) -> Matrix:
    if "fullinertia" in inertial.attrib:
        xx, yy, zz, xy, xz, yz = _numbers(inertial, "fullinertia")
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    a, b, c = _numbers(inertial, "diaginertia")
    R = _place(inertial).rotation
    return multiply(multiply(R, ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))), transpose(R))


def _compare_shapes(proof: _Proof, link: Link, body: ReadBody) -> None:
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
        compare_poses(where, _place(geom), part.origin.transform)
        compare_look(proof.looks, where, geom, shape, part.geometry)
        if isinstance(part.geometry, Mesh):
            mesh = proof.meshes[geom.get("mesh", "")]
            compare_numbers(f"{where}, scale", _numbers(mesh, "scale", "1 1 1"), part.geometry.scale)
        else:
            compare_numbers(f"{where}, size", _numbers(geom, "size"), _sizes(part.geometry))


def _sizes(shape: Primitive) -> Tuple[float, ...]:
    if isinstance(shape, Box):
        return tuple(0.5 * length for length in shape.size)
    if isinstance(shape, Plane):
        return (0.5 * shape.size[0], 0.5 * shape.size[1], 1.0)
    if isinstance(shape, Ellipsoid):
        return shape.radii
    radius, length = getattr(shape, "radius", 0.0), getattr(shape, "length", None)
    return (radius,) if length is None else (radius, 0.5 * length)


def _read_moves(proof: _Proof, body: ReadBody) -> Tuple[_Move, ...]:
    """Return what moves a body in the one it is in, uppermost first; type and numbers of it are compared.

    A joint that floats has no element of its own here: the body is free.
    """
    joints: List[Joint] = []
    name = body.name
    while name in proof.tree.above and not (joints and (name in proof.bodies or name == body.parent)):
        joints.insert(0, proof.tree.above[name])
        name = joints[0].parent
    moving = [joint for joint in joints if joint.type not in ("fixed", "floating")]
    free = [joint.type for joint in joints].count("floating") if joints else int(
        not is_held(proof.tree, proof.decided.base))
    _equal(f"body '{body.name}', free joints", body.free, free)
    elements = body.element.findall("joint")
    _equal(f"body '{body.name}', joints", [one.get("type", "hinge") for one in elements],
           [kind for joint in moving for kind in KINDS[joint.type]])
    shared = proof.classes.get(proof.child_class[body.name], {}).get("joint", {})
    moves = []
    for joint in moving:
        own, elements = elements[: len(KINDS[joint.type])], elements[len(KINDS[joint.type]) :]
        for element in own:
            _compare_numbers(joint, {**shared, **element.attrib})
        moves.append(_Move(joint, own))
    return tuple(moves)


def _compare_numbers(joint: Joint, found: Dict[str, str]) -> None:
    where = f"joint '{joint.name}'"
    dynamics, limit = joint.dynamics, joint.limit
    expected = dict(zip(NUMBERS, (dynamics.damping if dynamics else None, dynamics.friction if dynamics else None,
                                  joint.armature, joint.spring.stiffness if joint.spring else None)))
    for key, value in expected.items():
        compare_numbers(f"{where}, {key}", (float(found.get(key, "0")),), (max(value or 0.0, 0.0),))
    bounds = joint.range if joint.type in ("revolute", "prismatic") else None
    limited = bounds is not None and bounds[0] < bounds[1] and (bounds[0] >= -1e9 or bounds[1] <= 1e9)
    _equal(f"{where}, has a range", "range" in found, limited)
    if limited and bounds is not None:
        compare_numbers(f"{where}, range", numbers_of(found["range"]), bounds)
    effort = limit.effort if limit is not None and joint.type in ("revolute", "continuous", "prismatic") else None
    bound = effort is not None and 0.0 < effort <= 1e9
    _equal(f"{where}, has a largest force", "actuatorfrcrange" in found, bound)
    if bound and effort is not None:
        compare_numbers(f"{where}, force", numbers_of(found["actuatorfrcrange"]), (-effort, effort))


def _compare_equalities(proof: _Proof, written: Dict[str, List[str]]) -> None:
    """Every follower and every locked joint has its equation, and there is no other."""
    section = proof.top.find("equality")
    found = {one.get("joint1"): one for one in (section.children if section is not None else ())}
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
        compare_numbers(f"the equation of '{name}'", _numbers(found[name], "polycoef"), numbers)


def _compare_places(proof: _Proof, moves: Dict[str, Tuple[_Move, ...]], generator: random.Random) -> None:
    """Compare where every body and site is, with every joint at a random position and free bodies anywhere."""
    positions = positions_of(proof.robot, {joint.name: off_zero(generator) for joint in proof.robot.joints})
    for joint in proof.robot.joints:
        if joint.type in ("floating", "ball", "planar"):
            positions[joint.child] = _anywhere(joint, generator)
    root = proof.tree.root
    free = root in proof.bodies and proof.bodies[root].free > 0
    T_start = _anywhere(None, generator).transform if free else NO_MOTION
    T_robot = {name: compose(T_start, T) for name, T in poses_at(proof.robot, positions, proof.tree).items()}
    T_text = {"": NO_MOTION}
    for name, body in proof.bodies.items():
        if name:
            T_text[name] = T_start if name == root and free else _moved(body, moves[name], T_text[body.parent],
                                                                        positions)
            compare_poses(f"'{name}'", T_text[name], T_robot[name])
    for name, (holder, T_holder_site) in proof.sites.items():
        link, pose = proof.decided.sites[name]
        compare_poses(f"site '{name}'", compose(T_text[holder], T_holder_site),
                      compose(T_robot[link], pose.transform))


def _anywhere(joint: Optional[Joint], generator: random.Random) -> Pose:
    a, b, c, d, e, f = (off_zero(generator) for _ in range(6))
    if joint is None or joint.type == "floating":
        return Pose((a, b, c), (d, e, f))
    if joint.type == "ball":
        return Pose(ZERO, (d, e, f))
    along = sum(p * n for p, n in zip((a, b, c), joint.axis))
    return Pose.from_axis_angle(joint.axis, d, subtract((a, b, c), scale(along, joint.axis)))


def _moved(body: ReadBody, moves: Tuple[_Move, ...], T_parent: Transform, positions: Positions) -> Transform:
    """Return where a body is: its pose, then its joints one after another, each about its point."""
    T = compose(T_parent, body.pose)
    if body.free:  # a floating joint: at zero it is where its body is written
        motion = positions[body.name]
        return compose(T, motion.transform) if isinstance(motion, Pose) else T
    for move in moves:
        joint, axes, point = move.joint, move.axes, move.point
        position = positions[joint.child]
        if isinstance(position, Pose):
            if joint.type == "planar":  # what was asked for, in the coordinates of the three joints
                for direction in axes[:2]:
                    amount = sum(p * q for p, q in zip(position.xyz, direction))
                    T = compose(T, Transform(NO_TURN, scale(amount, direction)))
                T = compose(T, Transform(position.matrix, ZERO))
            else:
                T = compose(T, position.transform)
        elif joint.type == "prismatic":
            T = compose(T, Transform(NO_TURN, scale(position, axes[0])))
        else:
            R = turn_about(axes[0], position)
            T = compose(T, Transform(R, subtract(point, rotate(R, point)) if any(point) else ZERO))
    return T
