"""The proof of a text of USD: it is read again, and compared number by number with the URDF's own text.

Each float32 number must be the nearest to the robot's; a number that is computed on the way may be the nearest to what
is within its rounding error. Positions are doubles on a grid of 1e-14 m. What then is left is compared as every export
is: the robot's numbers are rounded as USD does, and all else must be the same to 1e-9.
"""
from typing import (AbstractSet, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Sequence, Tuple, TYPE_CHECKING,
                    Union)

from ...compare.canonical import canonical, link_places
from ...compare.formats import LOSSES
from ...compare.read_usd import BODY, JOINTS, read_usd_layer
from ...compare.read_usd_joints import AXES
from ...compare.records import RawActuator, RawFrame, RawJoint, RawRobot, RawShape
from ...compare.usd_prims import Prim
from ...compare.usda_text import read_usda
from ...model.choices import UsdOptions
from ...model.records import Robot
from ...urdf.spatial import IDENTITY, IDENTITY_POSE, Matrix, Pose
from ...verify.rigid_motion import composed, product, quaternion_rotation, rotated
from ..proof import base_held, Decided, verify_written, reference_of, unproven_surfaces, with_frames
from ..rounding import clean_direction, clean_lengths
from .joints import TOWARD
from .mesh_layer import Key
from .verify_numbers import DEGREES, fail, nearest, rounded, same_lengths, same_quaternion
from .verify_masses import verify_masses

if TYPE_CHECKING:
    from .mesh_prims import Drawn

SAME_AXIS = 1e-11  # of a direction
DIALECTS = {"both": ("newton", "physx"), "newton": ("newton",), "isaac": ("physx",)}


class UsdDecided(NamedTuple):
    """Where the text may differ from the robot, and what was made for it.

    Attributes:
        left_out: shapes, as (link, role, place). without: links that have no prim. frames: further ones.
        tensors: of bodies, as they were before their axes were found. meshes: by file and scale, the prim of each.
        drawn: by file and scale, what was read. images: by name.
    """

    left_out: FrozenSet[Tuple[str, str, int]]
    without: FrozenSet[str]
    frames: Tuple[RawFrame, ...]
    options: UsdOptions
    tensors: Mapping[str, Matrix]
    meshes: Mapping[Key, str]
    drawn: "Mapping[Key, Drawn]"
    images: Mapping[str, bytes]


def verify_usd(text: str, layer: str, source: Union[Robot, RawRobot], decided: UsdDecided) -> None:
    """Compare a text, and that of its meshes, with the robot.

    Raises:
        ProofFailed: it is another robot; the message says in what.
    """
    robot, options = reference_of(source), decided.options
    actuators = robot.actuators
    top = read_usda(text)
    written = read_usd_layer(top)
    robot = with_frames("USD", robot._replace(actuators=(), sensors=(), loops=(), apart=()), decided.frames,
                        decided.without - ({"world"} if written.base == "fixed" else set()))
    for one in written.unread:
        fail(f"{one.element} in line {one.line} says what nobody reads ({one.why})")
    for note in written.notes:
        fail(note)
    prims = {prim.path: prim for prim in top.walk()}
    _verify_dialects(prims.values(), options)
    _verify_grid(prims.values())
    _verify_names(written, robot, decided)
    _verify_apart(written, options)
    _verify_gains(written, robot, actuators, prims, options)
    written = _verify_frames(written, robot, prims)
    verify_masses(written, robot, prims, decided.tensors, options)
    _verify_sizes(written, robot, decided)
    if decided.meshes or layer:
        from .verify_meshes import verify_meshes

        verify_meshes(top, read_usda(layer) if layer else None, decided.meshes, decided.drawn, decided.images, options)
    elif any(prim.type == "Mesh" or prim.specifier == "class" for prim in prims.values()):
        fail("it has meshes, and none of the robot's can be shown")
    shown = frozenset(name for (name, _), one in decided.drawn.items()
                      if any(each.material.image and each.uv for each in one.surfaces))
    known = {file for file, _ in decided.meshes}
    verify_written(written._replace(actuators=()), rounded(robot, written, shown, options), Decided(
        "USD", between=decided.without, left_out=decided.left_out,
        shows=lambda shape: _shows(shape, known), base=base_held(robot, options.base), massless=options.massless,
        inertia=options.inertia), [*LOSSES["usd"], *unproven_surfaces(robot)])


def _shows(shape: RawShape, meshes: AbstractSet[str]) -> bool:
    """Return True for a shape that USD can show: no size of it is zero, and a mesh can be read."""
    if shape.geometry == "mesh":
        return shape.file in meshes
    return shape.geometry == "plane" or min(shape.sizes) > 0.0


def _verify_dialects(prims: Iterable[Prim], options: UsdOptions) -> None:
    """Refuse the words of an engine that nobody asked for; that both are alike, the reader has seen."""
    wanted = DIALECTS[options.for_]
    others = tuple({"newton", "physx"} - set(wanted))
    for prim in prims:
        for name in (*prim.properties, *(schema.lower() for schema in prim.schemas)) if others else ():
            if name.startswith(others):
                fail(f"{prim!r}: '{name}' is not for {options.for_}")
        if prim.type in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
            said = {"newton": any(name.startswith("newton:") and "imic" not in name for name in prim.properties),
                    "physx": any(name.startswith("physxJointAxis:") for name in prim.properties)}
            for word in wanted:
                if any(said.values()) and not said[word]:
                    fail(f"{prim!r} says nothing to {word}")


def _verify_grid(prims: Iterable[Prim]) -> None:
    """Refuse a double that the writer would have rounded: poses are multiples of 1e-14 m, and 1e-13 of a turn."""
    for prim in prims:
        place, turn = prim.numbers("double3", "xformOp:translate"), prim.numbers("quatd", "xformOp:orient")
        if place is not None and clean_lengths(place) != place or turn is not None and clean_direction(turn) != turn:
            fail(f"{prim!r}: its pose is not one that was rounded: {place}, {turn}")


def _verify_names(written: RawRobot, robot: RawRobot, decided: UsdDecided) -> None:
    """Refuse links that are not the robot's, or that are missing."""
    names = {link.name for link in written.links} - {"world"}
    wanted = {link.name for link in robot.links} | {frame.name for frame in robot.frames}
    if names != wanted - decided.without - {"world"}:
        fail(f"its links are not the robot's: {sorted(names ^ (wanted - decided.without - {'world'}))}")


def _verify_apart(written: RawRobot, options: UsdOptions) -> None:
    """Refuse pairs that do not collide, other than those that were asked for."""
    above = {joint.child: joint.parent for joint in written.joints if joint.name == f"to {joint.child}"}
    bodies = {link.name for link in written.links if link.mass is not None}
    above.update((joint.parent, joint.child) for joint in written.joints
                 if joint.type == "fixed" and joint.parent == "world" and joint.child in bodies)

    def carrier(name: str) -> str:
        while name in above and name not in bodies:
            name = above[name]
        return name if name in bodies else ""

    wanted = {frozenset((carrier(a), carrier(b))) for a, b in options.exclude}
    wanted = {pair for pair in wanted if len(pair) == 2 and "" not in pair}
    found = [frozenset(pair) for pair in written.apart]
    if set(found) != wanted or len(found) != len(wanted):
        fail(f"pairs that do not collide: {sorted(map(sorted, set(found) ^ wanted))}")


def _verify_gains(written: RawRobot, robot: RawRobot, actuators: Sequence[RawActuator], prims: Mapping[str, Prim],
                  options: UsdOptions) -> None:
    """Refuse gains that nobody gave: those of the robot's servos and of the option are all that there are."""
    said: Dict[str, Tuple[float, float]] = {}
    for one in actuators:
        kp, kv = (one.values.get(key, (0.0,))[0] for key in ("kp", "kv"))
        if one.kind == "position" and kp or one.kind == "velocity" and kv and options.actuators != "position":
            said.setdefault(one.joint, (kp if one.kind == "position" else 0.0, kv))
    followers = {joint.name for joint in robot.joints if joint.mimic is not None}
    for prim in prims.values():
        for drive in [schema.partition(":")[2] for schema in prim.schemas if schema.startswith("PhysicsDriveAPI:")]:
            asked = (options.kp or 0.0, 0.0) if options.actuators == "position" else (0.0, 0.0)
            gains = asked if options.actuators == "motor" else said.get(prim.true_name, asked)
            unit = DEGREES if drive == "angular" else 1.0
            wanted = tuple(nearest(gain / unit) for gain in gains)
            found = tuple(prim.number("float", f"drive:{drive}:physics:{key}") for key in ("stiffness", "damping"))
            if found != wanted:
                fail(f"{prim!r}: its stiffness and damping are {found}, and {wanted} are given")
            if options.actuators == "none":
                fail(f"{prim!r} has a drive, and none was to be written")
    for joint in written.joints:
        if joint.mimic is not None and joint.name not in followers:
            fail(f"joint '{joint.name}' follows another one, and the robot's does not")


def _verify_frames(written: RawRobot, robot: RawRobot, prims: Mapping[str, Prim]) -> RawRobot:
    """Compare the frames of joints in their bodies number by number; return what was read with the robot's axes."""
    places = link_places(canonical(robot))
    above = {joint.child: joint for joint in robot.joints}
    joints: Dict[str, RawJoint] = {}
    for prim in prims.values():
        if prim.type not in JOINTS:
            continue
        ends = [prims[prim.targets(f"physics:body{number}")[0]] for number in range(2)]
        names = [end.true_name if BODY in end.schemas else "" for end in ends]
        top, own = names[1], above.get(names[1])
        while own is not None and own.type == "fixed" and prim.type != "PhysicsFixedJoint":
            top, own = own.parent, above.get(own.parent)
        moving = prim.type != "PhysicsFixedJoint"
        if moving and own is None:
            fail(f"{prim!r} is no joint of the robot")
        T_top = places[top]
        frames = [IDENTITY_POSE if name == top else composed(_inverse(places[name]), T_top) if name else T_top
                  for name in names]
        direct = own is not None and own.child == top and own.parent == names[0]
        if direct and own is not None:
            frames[0] = own.T_parent_child
        word = "Z" if own is not None and own.type == "planar" else prim.word("uniform token", "physics:axis")
        turn = _turn_of(own, word or "") if moving and own is not None else IDENTITY
        for number, T in enumerate(frames):
            exact = top == names[1] if number else direct
            _verify_frame(prim, number, Pose(product(T.rotation, turn), T.translation), 0.0 if exact else 2.0)
        if moving and own is not None:
            joints[names[1]] = own._replace(axis=rotated(frames[1].rotation, own.axis), point=frames[1].translation)
    return written._replace(joints=tuple(
        joint._replace(axis=joints[joint.child].axis, point=joints[joint.child].point)
        if joint.child in joints and joint.type != "fixed" else joint for joint in written.joints))


def _verify_frame(prim: Prim, number: int, T: Pose, room: float) -> None:
    """Compare a frame as it is written with where it has to be; `room`: steps of its grid that computing may do."""
    place = prim.numbers("point3f", f"physics:localPos{number}") or ()
    turn = prim.numbers("quatf", f"physics:localRot{number}") or ()
    if not same_lengths(place, T.translation, room):
        fail(f"{prim!r}: localPos{number} is {place}, and {T.translation} is the robot's")
    if not same_quaternion(turn, T.rotation):
        fail(f"{prim!r}: localRot{number} is {turn}, and {T.rotation} is the robot's")


def _inverse(T: Pose) -> Pose:
    (a, b, c), (d, e, f), (g, h, i) = T.rotation
    R = ((a, d, g), (b, e, h), (c, f, i))
    x, y, z = rotated(R, T.translation)
    return Pose(R, (-x, -y, -z))


def _turn_of(joint: RawJoint, word: str) -> Matrix:
    """Return the turn of a joint's frame that lays X on its axis (Z, of a planar one); none if `word` is that axis."""
    if joint.type not in ("revolute", "continuous", "prismatic", "planar"):
        return IDENTITY
    x, y, z = joint.axis
    if joint.type != "planar" and max(abs(a - b) for a, b in zip(joint.axis, AXES[word])) < SAME_AXIS or (
            clean_direction(joint.axis) == AXES["Z"] == AXES[word]):
        return IDENTITY
    R = quaternion_rotation((0.0, -z, y, 1.0 + x) if x >= TOWARD else (z, 0.0, 1.0 - x, y))
    if joint.type == "planar":
        (a, b, c), (d, e, f), (g, h, i) = R
        return ((b, c, a), (e, f, d), (h, i, g))
    return R


def _verify_sizes(written: RawRobot, robot: RawRobot, decided: UsdDecided) -> None:
    """Compare the sizes of shapes, which are doubles, exactly."""
    own = {link.name: link for link in robot.links}
    for link in written.links:
        places: Dict[str, int] = {}
        wanted: List[Tuple[str, str, Tuple[float, ...]]] = []
        for shape in own[link.name].shapes if link.name in own else ():
            place = places[shape.role] = places.get(shape.role, -1) + 1
            if (link.name, shape.role, place) not in decided.left_out:
                wanted.append((shape.role, shape.geometry, shape.sizes))
        found = [(shape.role, shape.geometry, shape.sizes) for shape in link.shapes]
        if sorted(found) != sorted(wanted):
            fail(f"link '{link.name}': its shapes are {found}, and {wanted} are the robot's")


