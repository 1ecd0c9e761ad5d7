"""The proof of an SDF text: it is read again, by a reader of its own, and must be the robot.

The frames of links, joints and `<frame>`s are resolved as the standard says, then compared with the robot in random
positions: where every link and frame is; mass, center and tensor of every link and every group of fixed ones; shapes;
axes, limits, dynamics and followers of joints.
"""
import random
import xml.etree.ElementTree as ElementTree
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple
from xml.parsers import expat

from ..base.errors import ProofFailed
from ..model.pose import Pose
from ..model.records import Joint, Robot
from ..model.shapes import Ellipsoid, pieces, Plane, Primitive
from ..model.tree import leaders_of, poses_at, positions_of, Positions, tree_of
from ..urdf.model import Mesh
from ..urdf.spatial import (compose, inverse, matrix_from_rpy, Matrix, NO_MOTION, NO_TURN, Pose as Transform, scale,
                            turn_about, turn_inertia, ZERO)

TOLERANCE = 1e-9
POSITIONS = 2
MOVABLE = ("revolute", "continuous", "prismatic")


class SdfDecided(NamedTuple):
    """Where the text may differ from the robot: masses and tensors by link, shapes left out; and the names in it."""

    changed: Dict[str, float]
    left_out: FrozenSet[Tuple[str, str, int, int]]
    links: Dict[str, str]
    joints: Dict[str, str]


class _Text(NamedTuple):
    """The elements of the model by name: links, frames, joints; and what is named by each link's joint."""

    links: Dict[str, ElementTree.Element]
    frames: Dict[str, ElementTree.Element]
    joints: Dict[str, ElementTree.Element]
    moved_by: Dict[str, str]


def verify_sdf(text: str, robot: Robot, decided: SdfDecided) -> None:
    """Compare the text with the robot.

    Raises:
        ProofFailed: the text is not the robot; the message says in what.
    """
    model = _parse(text).find("model")
    if model is None:
        raise _fail("the file", "no model", "one")
    named: Dict[str, Dict[str, ElementTree.Element]] = {"link": {}, "frame": {}, "joint": {}}
    own, joints = set(decided.links.values()), set(decided.joints.values())
    for element in model:  # a `<gazebo>` of the URDF may have brought more, such as a joint that closes a loop
        name = element.get("name", "")
        if element.tag in named and (name in own or name in joints or element.findtext("parent") == "world"):
            named[element.tag].setdefault(name, element)
    moved_by = {joint.findtext("child", ""): name for name, joint in named["joint"].items()}
    read = _Text(named["link"], named["frame"], named["joint"], moved_by)
    _compare_joints(read, robot, decided)
    generator = random.Random(len(text))
    for attempt in range(POSITIONS):
        positions = _positions(robot, generator)
        T_text = _resolve(read, robot, decided, positions)
        T_robot = poses_at(robot, positions)
        for link, name in decided.links.items():
            if name not in T_text:
                raise _fail(f"link '{link}'", "nothing", "a link or frame")
            _compare_transforms(f"'{link}'", T_text[name], T_robot[link])
        if attempt == 0:
            _compare_bodies(read, robot, decided, T_text, T_robot)


def _parse(text: str) -> ElementTree.Element:
    """Return the root; prefixes that nobody declared are names, as they are to gz."""
    builder, parser = ElementTree.TreeBuilder(), expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: builder.start(tag, attributes)
    parser.EndElementHandler, parser.CharacterDataHandler = builder.end, builder.data
    parser.Parse(text.encode(), True)
    return builder.close()


def _fail(where: str, found: object, expected: object) -> ProofFailed:
    return ProofFailed(f"SDF: {where}: {found} is written, {expected} is the robot's")


def _near(where: str, found: Sequence[float], expected: Sequence[float], least: float = 1.0, extra: float = 0.0
          ) -> None:
    """Refuse numbers further apart than 1e-9 of the largest, or of `least`, and `extra`."""
    allowed = TOLERANCE * max(least, *map(abs, expected)) + extra
    if len(found) != len(expected) or any(not abs(a - b) <= allowed for a, b in zip(found, expected)):
        raise _fail(where, tuple(found), tuple(expected))


def _words(text: Optional[str]) -> List[float]:
    return [float(word) for word in (text or "").split()]


def _number(element: Optional[ElementTree.Element], path: str) -> Optional[float]:
    found = element.find(path) if element is not None else None
    return float(found.text or "") if found is not None else None


def _pose(element: ElementTree.Element) -> Transform:
    values = _words(element.findtext("pose")) or [0.0] * 6
    x, y, z, roll, pitch, yaw = values
    return Transform(matrix_from_rpy((roll, pitch, yaw)), (x, y, z))


def _frame_of(element: ElementTree.Element) -> str:
    pose = element.find("pose")
    return pose.get("relative_to", "") if pose is not None else ""


def _positions(robot: Robot, generator: random.Random) -> Positions:
    positions = positions_of(robot, {joint.name: generator.uniform(-2.0, 2.0) for joint in robot.joints})
    for joint in robot.joints:
        a, b, c, d, e, f = (generator.uniform(-1.0, 1.0) for _ in range(6))
        if joint.type == "floating":
            positions[joint.child] = Pose((a, b, c), (d, e, f))
        elif joint.type == "ball":
            positions[joint.child] = Pose(ZERO, (d, e, f))
    return positions


def _resolve(read: _Text, robot: Robot, decided: SdfDecided, positions: Positions) -> Dict[str, Transform]:
    """Return where every link and frame is in the model, with the joints moved.

    With all joints at zero a name is resolved through its `relative_to`. A joint then moves its child about its axis.
    """
    elements = {**read.links, **read.frames, **read.joints}
    at_zero: Dict[str, Transform] = {"__model__": NO_MOTION, "world": NO_MOTION}
    for name in elements:
        chain, last = {name: None}, name
        while last not in at_zero:
            element = elements[last]
            frame = _frame_of(element) or element.get("attached_to") or (
                element.findtext("child", "") if element.tag == "joint" else "__model__")
            if frame in chain:
                raise _fail(f"the frame of '{name}'", "a circle", "none")
            if frame not in at_zero and frame not in elements:
                raise _fail(f"the frame of '{name}'", f"'{frame}'", "one that exists")
            last = frame
            chain[last] = None
        order = list(chain)
        for below, above in zip(order[-2::-1], order[:0:-1]):
            at_zero[below] = compose(at_zero[above], _pose(elements[below]))
    child_of = {name: child for child, name in decided.joints.items()}
    moved: Dict[str, Transform] = {"__model__": NO_MOTION, "world": NO_MOTION}

    floating = {joint.child: joint for joint in robot.joints if joint.type == "floating"}
    for link in read.links:
        chain, last = {link: None}, link
        while last not in moved:
            joint = read.moved_by.get(last)
            if joint is not None:
                above = _body_of(read, read.joints[joint].findtext("parent", ""))
            else:
                above = _body_of(read, _frame_of(read.links[last]) or "__model__")
            if above in chain:
                raise _fail(f"link '{link}'", "a circle of joints", "none")
            last = above
            chain[last] = None
        order = list(chain)
        for below, above in zip(order[-2::-1], order[:0:-1]):
            joint = read.moved_by.get(below)
            T = compose(inverse(at_zero[above]), at_zero[below])
            if joint is not None:
                T_above_joint = compose(inverse(at_zero[above]), at_zero[joint])
                motion = _motion(read.joints[joint], positions.get(child_of.get(joint, ""), 0.0))
                T_joint_below = compose(inverse(at_zero[joint]), at_zero[below])
                T = compose(compose(T_above_joint, motion), T_joint_below)
            else:
                T = compose(T, _floated(robot, decided, below, floating, positions, at_zero))
            moved[below] = compose(moved[above], T)
    for name in read.frames:
        holder = _body_of(read, name)
        moved[name] = compose(moved[holder], compose(inverse(at_zero[holder]), at_zero[name]))
    return moved


def _floated(robot: Robot, decided: SdfDecided, name: str, floating: Dict[str, Joint], positions: Positions,
             at_zero: Dict[str, Transform]) -> Transform:
    """Return what a floating joint adds to a link that hangs on nothing, in the link's own frame."""
    for child in floating:
        group = {child}
        for other in tree_of(robot).order:
            if other.type == "fixed" and other.parent in group:
                group.add(other.child)
        if any(decided.links.get(one) == name for one in group):
            motion = positions[child]
            T_link_top = compose(inverse(at_zero[name]), at_zero[decided.links[child]])
            assert isinstance(motion, Pose)
            return compose(compose(T_link_top, motion.transform), inverse(T_link_top))
    return NO_MOTION


def _motion(joint: ElementTree.Element, position: object) -> Transform:
    kind = joint.get("type")
    if isinstance(position, Pose):
        return position.transform
    assert isinstance(position, (int, float))
    if kind not in MOVABLE:
        return NO_MOTION
    x, y, z = _words(joint.findtext("axis/xyz"))
    if kind == "prismatic":
        return Transform(NO_TURN, scale(position, (x, y, z)))
    return Transform(turn_about((x, y, z), position), ZERO)


def _compare_joints(read: _Text, robot: Robot, decided: SdfDecided) -> None:
    """Compare type, axis, limits, dynamics and leader of every joint that moves."""
    leaders = leaders_of(robot)
    for joint in robot.joints:
        if joint.type in ("fixed", "floating"):
            continue
        name = decided.joints[joint.child]
        where, found = f"joint '{joint.name}'", read.joints.get(name)
        if found is None or found.get("type") != joint.type:
            raise _fail(where, found.get("type") if found is not None else "nothing", joint.type)
        if joint.type not in MOVABLE:
            continue
        axis = found.find("axis")
        _near(f"{where}, axis", _words(found.findtext("axis/xyz")), joint.axis)
        bounds = joint.range if joint.range and joint.range[0] <= joint.range[1] else (None, None)
        limit, dynamics = joint.limit, joint.dynamics
        for path, value in (
                ("limit/lower", bounds[0]), ("limit/upper", bounds[1]),
                ("limit/effort", (limit.effort if limit else None) or None),
                ("limit/velocity", (limit.velocity if limit else None) or None),
                ("dynamics/damping", dynamics.damping if dynamics and (dynamics.damping or 0.0) >= 0.0 else None),
                ("dynamics/friction", dynamics.friction if dynamics and (dynamics.friction or 0.0) >= 0.0 else None),
                ("dynamics/spring_stiffness", joint.spring.stiffness if joint.spring else None),
                ("dynamics/spring_reference", joint.spring.reference if joint.spring else None)):
            written = _number(axis, path)
            if path in ("limit/lower", "limit/upper") and value is not None and abs(value) >= 1e15:
                value = None
            if (written is None) != (value is None):
                raise _fail(f"{where}, {path}", written, value)
            if written is not None and value is not None:
                _near(f"{where}, {path}", (written,), (value,))
        leader = leaders.get(joint.mimic.joint) if joint.mimic else None
        rule = axis.find("mimic") if axis is not None else None
        if joint.mimic is None or leader is None or leader.type not in MOVABLE:
            if rule is not None:
                raise _fail(where, "a mimic", "none")
            continue
        if rule is None or rule.get("joint") != decided.joints[leader.child]:
            raise _fail(f"{where}, leader", rule.get("joint") if rule is not None else None, leader.name)
        _near(f"{where}, mimic", [_number(rule, key) or 0.0 for key in ("multiplier", "offset", "reference")],
              (joint.mimic.multiplier, joint.mimic.offset, 0.0))


def _compare_transforms(where: str, found: Transform, expected: Transform) -> None:
    _near(f"where {where} is", found.translation, expected.translation)
    for row, other in zip(found.rotation, expected.rotation):
        _near(f"how {where} is turned", row, other)


def _tensor(inertial: ElementTree.Element) -> Matrix:
    xx, xy, xz, yy, yz, zz = (_number(inertial, f"inertia/{key}") or 0.0
                              for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    return turn_inertia(_pose(inertial).rotation, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def _compare_bodies(read: _Text, robot: Robot, decided: SdfDecided, T_text: Dict[str, Transform],
                    T_robot: Dict[str, Transform]) -> None:
    """Compare what each link weighs, and where in the model every shape is."""
    shapes: Dict[str, List[Tuple[str, Primitive, Transform]]] = {name: [] for name in read.links}
    for link in robot.links:
        name = decided.links.get(link.name)
        own = shapes.get(_body_of(read, name or ""), [])
        for kind, place, shape in link.placed_shapes:
            for number, part in enumerate(pieces(shape.geometry, shape.origin)):
                if (link.name, kind, place, number) not in decided.left_out:
                    own.append((kind, part.geometry, compose(T_robot[link.name], part.origin.transform)))
        element = read.links.get(name or "")
        weight = link.weight
        if element is None:
            if weight.mass > 0.0 and name is not None:
                raise _fail(f"link '{link.name}'", "no mass", weight.mass)
            continue
        inertial = element.find("inertial")
        if inertial is None:
            raise _fail(f"link '{link.name}'", "no inertial, which is 1 kg", weight.mass)
        extra = decided.changed.get(link.name, 0.0)
        _near(f"link '{link.name}', mass", (_number(inertial, "mass") or 0.0,), (weight.mass,), 0.0, extra)
        if weight.mass > 0.0:
            _near(f"link '{link.name}', center", _pose(inertial).translation, weight.center)
        largest = max(abs(entry) for row in weight.inertia for entry in row)
        for row, expected in zip(_tensor(inertial), weight.inertia):
            _near(f"link '{link.name}', inertia", row, expected, largest, extra)
    for name, link_element in read.links.items():
        written = [(element.tag, element, compose(T_text[name], _pose(element))) for element in link_element
                   if element.tag in ("visual", "collision")]
        _match_shapes(f"link '{name}'", written, shapes[name])


def _body_of(read: _Text, name: str) -> str:
    """Return the link that a frame is attached to, through other frames too."""
    while name in read.frames:
        name = read.frames[name].get("attached_to", "__model__")
    return name


def _match_shapes(where: str, written: List[Tuple[str, ElementTree.Element, Transform]],
                  shapes: List[Tuple[str, Primitive, Transform]]) -> None:
    """Find for every shape of the robot one in the text: the same kind, sizes and place in the model."""
    if len(written) != len(shapes):
        raise _fail(f"{where}, the number of shapes", len(written), len(shapes))
    waiting = list(written)
    for kind, shape, T in shapes:
        fits = [place for place, (tag, element, other) in enumerate(waiting)
                if tag == kind and _same_place(other, T) and _same_shape(element.find("geometry"), shape)]
        if not fits:
            raise _fail(f"{where}, a {kind}", "nothing", f"{shape} at {T.translation}")
        waiting.pop(fits[0])


def _same_place(a: Transform, b: Transform) -> bool:
    return _same(a.translation, b.translation, 1.0) and all(
        _same(row, other, 1.0) for row, other in zip(a.rotation, b.rotation))


def _same(a: Sequence[float], b: Sequence[float], least: float = 0.0) -> bool:
    allowed = TOLERANCE * max(least, *map(abs, b))
    return len(a) == len(b) and all(abs(x - y) <= allowed for x, y in zip(a, b))


def _same_shape(geometry: Optional[ElementTree.Element], shape: Primitive) -> bool:
    found = geometry[0] if geometry is not None and len(geometry) else None
    if found is None or found.tag != shape.kind:
        return False
    if isinstance(shape, Mesh):
        return _same(_words(found.findtext("scale")) or [1.0, 1.0, 1.0], shape.scale)
    sizes = [value for path in ("size", "radius", "radii", "length") for value in _words(found.findtext(path))]
    if isinstance(shape, (Plane, Ellipsoid)):
        return _same(sizes, shape.size if isinstance(shape, Plane) else shape.radii)
    return _same(sizes, getattr(shape, "size", None) or [value for value in shape if isinstance(value, float)])

