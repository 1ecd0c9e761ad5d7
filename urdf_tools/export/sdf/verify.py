"""The proof of an SDF text: it is read again, by a reader of its own, and must be the robot.

The frames of links, joints and `<frame>`s are resolved as the standard says, then compared with the robot in a random
position: where every link and frame is; mass, center and tensor of every link; shapes, flags and sensors of links;
axes, limits, dynamics, followers and sensors of joints; whether the world holds the root. What `<gazebo>` brought is
compared word for word.
"""
import random
import re
from functools import lru_cache
from operator import attrgetter
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple

from ...base.errors import ProofFailed
from ...model.choices import Frame, SdfOptions
from ...model.pose import Pose
from ...model.records import Joint, Robot
from ...model.shapes import pieces
from ...model.tree import leaders_of, poses_at, Positions, Tree, tree_of
from ...urdf.spatial import (compose, IDENTITY, IDENTITY_POSE, inverse, Matrix, matrix_from_rpy, Pose as Transform,
                             rotate_inertia, rotation_about, scale, Vector, ZERO)
from ..read_back import (compare_change, compare_leaves, compare_numbers, compare_poses, differs, Element, is_called,
                        is_held, numbers_of, random_nonzero, read_back)
from .verify_shapes import Looks, match_shapes, PlacedShape, sizes_of

MOVABLE = ("revolute", "continuous", "prismatic")
TAG = attrgetter("tag")
MODEL_PARTS = frozenset(("link", "joint", "frame"))
LINK_PARTS = frozenset(("pose", "inertial", "visual", "collision", "self_collide", "gravity", "velocity_decay",
                        "sensor"))
MODEL, WORLD = "__model__", "world"


class SdfDecided(NamedTuple):
    """Where the text may differ from the robot: masses and tensors by link, shapes left out; and the names in it.

    Attributes:
        frames: by name in the text.
    """

    changed: Dict[str, float]
    left_out: FrozenSet[Tuple[str, str, int, int]]
    links: Dict[str, str]
    joints: Dict[str, str]
    frames: Dict[str, Frame]
    options: SdfOptions


class _Attachment:
    """How a link hangs on what is above it, with its joint, if it has one, at zero.

    Attributes:
        above: another link, or MODEL.
        T_above_joint: to the frame of the joint; without a joint that of the link.
        joint: its name; kind, axis: of the motion between both frames.
        T_joint_link: from there.
    """

    def __init__(self, above: str, T_above_joint: Transform, joint: str, kind: str, axis: Vector,
                 T_joint_link: Transform) -> None:
        self.above, self.T_above_joint, self.joint = above, T_above_joint, joint
        self.kind, self.axis, self.T_joint_link = kind, axis, T_joint_link


class _Text:
    """The elements of the model by name, and how they hang on each other.

    Attributes:
        hanging: by link, parents first.
        carriers: by frame, the link that it is attached to, and its pose there.
        floats: by link, the child of the floating joint that moves its group, and the pose of that in the link.
    """

    def __init__(self, links: Dict[str, Element], joints: Dict[str, Element], hanging: Dict[str, _Attachment],
                 carriers: Dict[str, Tuple[str, Transform]], floats: Dict[str, Tuple[str, Transform]]) -> None:
        self.links, self.joints, self.hanging, self.carriers, self.floats = links, joints, hanging, carriers, floats

    def holder(self, name: str) -> str:
        """Return the link that has what is called so: itself, or the one that a frame is attached to."""
        return self.carriers[name][0] if name in self.carriers else name


def verify_sdf(text: str, robot: Robot, decided: SdfDecided) -> None:
    """Compare the text with the robot.

    Raises:
        ProofFailed: the text is not the robot; the message says in what.
    """
    try:
        _verify(text, robot, decided)
    except ProofFailed as error:
        raise ProofFailed(f"SDF: {error.message}") from None


def _verify(text: str, robot: Robot, decided: SdfDecided) -> None:
    tree = tree_of(robot)
    model = read_back(re.sub(r"(?<=[</ ])urdf:", "", text)).find("model")  # what SDF does not define, as it was said
    if model is None:
        raise differs("the file", "no model", "one")
    if robot.extensions or not MODEL_PARTS.issuperset(map(TAG, model.children)):
        from .verify_sensors import compare_gazebo  # here, because many robots have nothing of it

        compare_gazebo(model, robot)
    _compare_names(robot, decided)
    read = _read(model, tree, decided)
    _compare_joints(read, robot, decided)
    _compare_base(read, tree, robot, decided)
    positions = _positions(robot, random.Random(len(text)))
    T_text = _places(read, decided, positions)
    T_robot = poses_at(robot, positions, tree)
    for link, name in decided.links.items():
        if name not in T_text:
            raise differs(f"link '{link}'", "nothing", "a link or frame")
        compare_poses(f"'{link}'", T_text[name], T_robot[link])
    for frame in decided.options.frames:
        if frame.link in decided.links and frame not in decided.frames.values():
            raise differs(f"frame '{frame.name}'", "nothing", "a frame")
    for name, frame in decided.frames.items():
        if name not in T_text:
            raise differs(f"frame '{name}'", "nothing", "a frame")
        compare_poses(f"frame '{name}'", T_text[name], compose(T_robot[frame.link], frame.pose.transform))
    _compare_bodies(read, robot, decided, T_robot)
    elements = (*read.links.values(), *read.joints.values())
    if robot.sensors or any("sensor" in map(TAG, one.children) for one in elements):
        from .verify_sensors import compare_sensors  # here, because many robots have none

        places = {link.name: (holder, compose(inverse(T_text[holder]), T_robot[link.name])) for link in robot.links
                  for holder in [read.holder(decided.links.get(link.name, ""))] if holder in read.links}
        compare_sensors(robot, read.links, read.joints, places, decided.joints)


def _compare_names(robot: Robot, decided: SdfDecided) -> None:
    """Every link, joint and frame is called as in the robot, but where SDF reserves the name or it is taken."""
    pairs = [("link", link, name, "_link") for link, name in decided.links.items()]
    pairs += [("joint", joint.name, decided.joints[joint.child], "_joint") for joint in robot.joints]
    pairs += [("frame", frame.name, name, "") for name, frame in decided.frames.items()]
    for kind, name, found, end in pairs:
        if found != name and not is_called(found, name.replace("::", "_")) and (
                not is_called(found, f"{name.replace('::', '_')}{end}")):
            raise differs(f"{kind} '{name}', name", f"'{found}'", f"'{name}'")


def _number(element: Optional[Element], tag: str) -> float:
    return float(element.findtext(tag) or 0.0) if element is not None else 0.0


def _pose(element: Element) -> Transform:
    pose = element.find("pose")
    return _transform(pose.text) if pose is not None else IDENTITY_POSE


@lru_cache(maxsize=1024)  # a visual and its collision are in one place
def _transform(text: str) -> Transform:
    x, y, z, roll, pitch, yaw = numbers_of(text)
    return Transform(matrix_from_rpy((roll, pitch, yaw)), (x, y, z))


def _frame_of(element: Element) -> str:
    pose = element.find("pose")
    return str(pose.get("relative_to", "")) if pose is not None else ""


def _read(model: Element, tree: Tree, decided: SdfDecided) -> _Text:
    """Read what the proof looks at; a `<gazebo>` may have brought more, such as a joint that closes a loop."""
    named: Dict[str, Dict[str, Element]] = {"link": {}, "frame": {}, "joint": {}}
    own = {*decided.links.values(), *decided.joints.values(), *decided.frames}
    for element in model.children:
        name = element.get("name", "")
        if element.tag in named and (name in own or element.findtext("parent") == WORLD):
            named[element.tag].setdefault(name, element)
    links, frames, joints = named.values()
    elements = {**links, **frames, **joints}
    at_zero = _at_zero(elements)
    T_link_model: Dict[str, Transform] = {}

    def between(above: str, below: str) -> Transform:
        if _frame_of(elements[below]) == above:
            return _pose(elements[below])
        if above not in T_link_model:
            T_link_model[above] = inverse(at_zero[above])
        return compose(T_link_model[above], at_zero[below])

    moved_by = {joint.findtext("child"): name for name, joint in joints.items()}
    hanging: Dict[str, _Attachment] = {}
    for link in links:
        chain: Dict[str, _Attachment] = {}
        while link not in hanging and link not in (MODEL, WORLD):
            if link in chain:
                raise differs(f"link '{link}'", "a circle of joints", "none")
            name = moved_by.get(link, "")
            above = _body_of(frames, joints[name].findtext("parent") if name else _frame_of(links[link]) or MODEL)
            kind, axis = (joints[name].get("type", ""), joints[name].findtext("axis/xyz")) if name else ("", "")
            x, y, z = numbers_of(axis) if kind in MOVABLE else ZERO
            chain[link] = _Attachment(above, between(above, name or link), name, kind, (x, y, z),
                                   between(name, link) if name else IDENTITY_POSE)
            link = above
        hanging.update(reversed(list(chain.items())))
    carriers = {name: (holder, between(holder, name)) for name in frames for holder in [_body_of(frames, name)]}
    floats: Dict[str, str] = {}
    for joint in tree.order:
        if joint.type == "floating" or joint.type == "fixed" and joint.parent in floats:
            floats[joint.child] = joint.child if joint.type == "floating" else floats[joint.parent]
    return _Text(links, joints, hanging, carriers, {
        decided.links[one]: (top, between(decided.links[one], decided.links[top])) for one, top in floats.items()})


def _at_zero(elements: Dict[str, Element]) -> Dict[str, Transform]:
    """Return where everything is in the model with all joints at zero: a name is resolved through `relative_to`."""
    at_zero = {MODEL: IDENTITY_POSE, WORLD: IDENTITY_POSE}
    for name in elements:
        chain, last = {name: None}, name
        while last not in at_zero:
            element = elements[last]
            frame = _frame_of(element) or element.get("attached_to") or (
                element.findtext("child") if element.tag == "joint" else MODEL)
            if frame in chain:
                raise differs(f"the frame of '{name}'", "a circle", "none")
            if frame not in at_zero and frame not in elements:
                raise differs(f"the frame of '{name}'", f"'{frame}'", "one that exists")
            last = frame
            chain[last] = None
        order = list(chain)
        for below, above in zip(order[-2::-1], order[:0:-1]):
            at_zero[below] = compose(at_zero[above], _pose(elements[below]))
    return at_zero


def _body_of(frames: Dict[str, Element], name: str) -> str:
    """Return the link that a frame is attached to, through other frames too."""
    while name in frames:
        name = frames[name].get("attached_to", MODEL)
    return name


def _positions(robot: Robot, generator: random.Random) -> Positions:
    """Return a position of every joint, also of one that follows: its rule is proven apart."""
    positions: Positions = {joint.child: random_nonzero(generator) for joint in robot.joints}
    for joint in robot.joints:
        if joint.type in ("floating", "ball"):
            a, b, c, d, e, f = (random_nonzero(generator) for _ in range(6))
            positions[joint.child] = Pose((a, b, c) if joint.type == "floating" else ZERO, (d, e, f))
    return positions


def _places(read: _Text, decided: SdfDecided, positions: Positions) -> Dict[str, Transform]:
    """Return where every link and frame is in the model with the joints moved: each moves its child about its axis."""
    child_of = {name: child for child, name in decided.joints.items()}
    T_model = {MODEL: IDENTITY_POSE, WORLD: IDENTITY_POSE}
    for link, one in read.hanging.items():
        T = compose(T_model[one.above], one.T_above_joint)
        if one.joint:
            motion = _motion(one.kind, one.axis, positions.get(child_of.get(one.joint, ""), 0.0))
            T = compose(T, motion)
            T = compose(T, one.T_joint_link) if one.T_joint_link is not IDENTITY_POSE else T
        elif link in read.floats:
            top, T_link_top = read.floats[link]
            motion = _motion("floating", ZERO, positions[top])
            T = compose(T, compose(compose(T_link_top, motion), inverse(T_link_top)))
        T_model[link] = T
    for name, (holder, T_holder_frame) in read.carriers.items():
        T_model[name] = compose(T_model[holder], T_holder_frame)
    return T_model


def _motion(kind: str, axis: Vector, position: object) -> Transform:
    if isinstance(position, Pose):
        return position.transform
    if kind not in MOVABLE or not isinstance(position, (int, float)):
        return IDENTITY_POSE
    return Transform(IDENTITY, scale(position, axis)) if kind == "prismatic" else (
        Transform(rotation_about(axis, position), ZERO))


def _compare_base(read: _Text, tree: Tree, robot: Robot, decided: SdfDecided) -> None:
    """Compare whether the world holds the robot; what a `<gazebo>` brought may hold one that is free."""
    loose = [link for link, one in read.hanging.items() if one.above == MODEL and link not in read.floats]
    held = is_held(tree, decided.options.base)
    if held and loose or not held and not loose and not robot.extensions:
        raise differs("the base", *(("a free one", "a fixed one") if held else ("a fixed one", "a free one")))


def _compare_joints(read: _Text, robot: Robot, decided: SdfDecided) -> None:
    """Compare type, axis, limits, dynamics and leader of every joint that moves; an axis holds nothing else."""
    leaders = leaders_of(robot)
    for joint in robot.joints:
        if joint.type in ("fixed", "floating"):
            continue
        where, found = f"joint '{joint.name}'", read.joints.get(decided.joints[joint.child])
        if found is None or found.get("type") != joint.type:
            raise differs(where, found.get("type") if found is not None else "nothing", joint.type)
        axis = found.find("axis")
        expected = _values(joint) if joint.type in MOVABLE else {}
        leader = leaders.get(joint.mimic.joint) if joint.mimic else None
        if expected and joint.mimic is not None and leader is not None and leader.type in MOVABLE:
            rule = f"mimic[joint={decided.joints[leader.child]}]"
            expected.update({f"{rule}/multiplier": (joint.mimic.multiplier,), f"{rule}/offset": (joint.mimic.offset,),
                             f"{rule}/reference": (0.0,)})
        compare_leaves(f"{where}, axis", axis, expected)


def _values(joint: Joint) -> Dict[str, Sequence[float]]:
    """Return what the axis of a joint must hold."""
    lower, upper = joint.range if joint.range and joint.range[0] <= joint.range[1] else (None, None)
    limit, dynamics, spring = joint.limit, joint.dynamics, joint.spring
    values = {"limit/lower": None if lower is None or abs(lower) >= 1e15 else lower,
            "limit/upper": None if upper is None or abs(upper) >= 1e15 else upper,
            "limit/effort": (limit.effort if limit else None) or None,
            "limit/velocity": (limit.velocity if limit else None) or None,
            "dynamics/damping": dynamics.damping if dynamics and (dynamics.damping or 0.0) >= 0.0 else None,
            "dynamics/friction": dynamics.friction if dynamics and (dynamics.friction or 0.0) >= 0.0 else None,
            "dynamics/spring_stiffness": spring.stiffness if spring else None,
            "dynamics/spring_reference": spring.reference if spring else None}
    return {"xyz": joint.axis, **{path: (value,) for path, value in values.items() if value is not None}}


def _tensor(inertial: Element) -> Matrix:
    values = {one.tag: float(one.text) for part in inertial.findall("inertia") for one in part.children}
    xx, xy, xz, yy, yz, zz = (values.get(key, 0.0) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    return rotate_inertia(_pose(inertial).rotation, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def _compare_bodies(read: _Text, robot: Robot, decided: SdfDecided, T_robot: Dict[str, Transform]) -> None:
    """Compare what each link weighs, and where every shape is in the link that has it in the text."""
    shapes: Dict[str, List[PlacedShape]] = {name: [] for name in read.links}
    looks = Looks(robot, decided.options.mesh_files)
    T_link_root = {name: inverse(T_robot[link]) for link, name in decided.links.items()
                   if name in read.links} if read.carriers else {}
    for link in robot.links:
        name = decided.links.get(link.name)
        holder = read.holder(name) if name is not None else None
        own = shapes.get(holder or "", [])
        T = compose(T_link_root[holder], T_robot[link.name]) if holder != name and holder in T_link_root else None
        for kind, place, shape in link.placed_shapes:
            for number, part in enumerate(pieces(shape.geometry, shape.origin)):
                if (link.name, kind, place, number) not in decided.left_out:
                    pose = part.origin.transform
                    own.append(PlacedShape(kind, shape.name or f"{link.name}_{kind}", part.geometry, shape,
                                           pose if T is None else compose(T, pose),
                                           looks.brought_to(link.name, kind)))
                elif min(sizes_of(part.geometry)) > 0.0:
                    raise differs(f"link '{link.name}', a {kind}", "nothing", part.geometry)
        element = read.links.get(name or "")
        weight = link.weight
        if element is None:
            if name is not None and (weight.mass > 0.0 or any(map(any, weight.inertia))):
                raise differs(f"link '{link.name}'", "no mass", weight.mass)
            continue
        brought = looks.brought_to(link.name, "gazebo")
        flags = [element.findtext(tag) for tag in ("self_collide", "gravity")]
        said = ["" if flag is None else str(flag).lower() for flag in (link.self_collide, link.gravity)]
        if flags != said or not (LINK_PARTS | brought).issuperset(map(TAG, element.children)):
            raise differs(f"link '{link.name}', flags", flags, said)
        decay = {} if link.velocity_decay is None else dict.fromkeys(("linear", "angular"), (link.velocity_decay,))
        if decay or "velocity_decay" not in brought:
            compare_leaves(f"link '{link.name}', velocity_decay", element.find("velocity_decay"), decay)
        inertial = element.find("inertial")
        if inertial is None:
            raise differs(f"link '{link.name}'", "no inertial, which is 1 kg", weight.mass)
        extra = compare_change(link, decided.changed, decided.options.inertia)
        compare_numbers(f"link '{link.name}', mass", (_number(inertial, "mass"),), (weight.mass,), 0.0, extra)
        compare_numbers(f"link '{link.name}', center", _pose(inertial).translation,
                        weight.center if weight.mass or any(map(any, weight.inertia)) else ZERO)
        largest = max(abs(entry) for row in weight.inertia for entry in row)
        for row, expected in zip(_tensor(inertial), weight.inertia):
            compare_numbers(f"link '{link.name}', inertia", row, expected, largest, extra)
    for name, link_element in read.links.items():
        written = [(element.tag, element, _pose(element)) for element in link_element.children
                   if element.tag in ("visual", "collision")]
        match_shapes(f"link '{name}'", written, shapes[name], looks)
