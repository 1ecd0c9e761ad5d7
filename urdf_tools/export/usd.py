"""The USD file of a run, with the layer of its meshes, and the proof of a text: it is read again, and compared number
by number with the URDF's own text.

Each float32 number must be the nearest to the robot's; a computed number may be the nearest to any within its rounding
error. Positions are doubles on a grid of 1e-14 m. The rest is compared as for every export: the robot's numbers are
rounded as USD does, and all else must be the same to 1e-9.
"""

import os
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ..base.errors import UsageError
from ..base.version import __version__
from ..formats.lower import clean_direction, clean_lengths
from ..formats.usd.read import JOINTS, read_usd_layer
from ..formats.usd.read_parts import AXES
from ..formats.usd.read_prims import BODY, Prim
from ..formats.usd.read_text import read_usda
from ..formats.usd.write import make_usd, UsdDecided, WrittenUsd
from ..formats.usd.write_joints import TOWARD
from ..model.choices import checked, UsdOptions
from ..model.problems import check_sound
from ..model.records import Robot
from ..robot.canonical import canonical, link_places
from ..robot.records import RawActuator, RawJoint, RawRobot
from ..run.records import Exported
from ..urdf.spatial import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    Matrix,
    matrix_from_quaternion,
    multiply,
    Pose,
    rotate,
)
from .decisions import decided_for
from .from_run import (
    base_of,
    excluded_of,
    in_input,
    mesh_table,
    reference_of_run,
    sound_model,
    unseen,
)
from .proof import base_held, Decided, reference_of, verify_text, with_frames
from .request import ExportRequest, MeshTable
from .usd_proof_numbers import (
    DEGREES,
    fail,
    nearest,
    rounded,
    same_lengths,
    same_quaternion,
    verify_masses,
)

ENDING = ".usda"


def export_usd(request: ExportRequest) -> Exported:
    """Return the USD file, and where it has meshes the layer of these beside it, with their images.

    Raises:
        UrdfError: an option, or what USD cannot hold.
    """
    path = str(request.choices["usd"])
    stem, ending = os.path.splitext(path)
    if ending.lower() != ENDING:
        raise UsageError(
            f"{request.spelled('usd')} writes text, whose name ends in .usda: `usdcat -o {stem}.usdc "
            f"{stem}.usda` makes {ending or 'another format'} of it",
            path,
        )
    robot = sound_model(request)
    base, held = base_of(request)
    layer = f"{stem}_meshes{ENDING}"
    meshes = request.choices["usd_meshes"] or "beside"
    table = mesh_table(request) if meshes != "none" else MeshTable()
    options = UsdOptions(
        base=base,
        actuators=request.choices["actuators"] or "",
        kp=request.choices["kp"],
        exclude=excluded_of(request),
        mesh_files=tuple((name, file.source) for name, file in table.meshes.items() if file.source),
        for_=request.choices["usd_for"] or "both",
        bodies=request.choices["usd_bodies"] or "flat",
        meshes=meshes,
        layer=f"./{os.path.basename(layer)}",
        dae=request.result.plan.options.meshes.dae,
        spelled=request.spelled,
        line_of=request.line_of,
    )
    written = in_input(request, lambda: write_usd(robot, options, reference_of_run(request)))
    read = reference_of_run(request)._replace(format="usd")  # which says nothing of what USD lacks
    decided, mark = decided_for(request, written.notes, read, written.text, {})
    files = [(path, _marked(written.text, mark))]
    files += [(layer, _marked(written.layer))] if written.layer else []
    files += [
        (os.path.join(os.path.dirname(path), name), data) for name, data in written.images.items()
    ]
    lines = [
        f"USD: {path} is read again and is the same robot",
        *(f"USD: {note}" for note in (*held, *written.said)),
    ]
    return Exported(
        tuple(files),
        tuple(lines),
        (*table.assumed, *written.notes),
        left=() if meshes == "none" else unseen("USD", robot, table.meshes),
        decided=decided,
    )


def _marked(text: str, mark: str = "") -> bytes:
    """Return the bytes of a text with the comments by which this tool knows its files and what was decided."""
    decided = "".join(f"# {line}\n" for line in mark.split("\n")[1:])
    return text.replace(
        "\n", f"\n# made from a URDF by `urdf_simplify {__version__}`\n{decided}", 1
    ).encode()


SAME_AXIS = 1e-11  # of a direction
DIALECTS = {"both": ("newton", "physx"), "newton": ("newton",), "isaac": ("physx",)}


def verify_usd(text: str, layer: str, source: Union[Robot, RawRobot], decided: UsdDecided) -> None:
    """Compare a text, and that of its meshes, with the robot.

    Raises:
        ProofFailed: it is another robot; the message says how it differs.
    """
    robot, options = reference_of(source), decided.options
    actuators = robot.actuators
    top = read_usda(text)
    written = read_usd_layer(top)
    # What is compared by itself below, in the units of the schemas of engines, or has no schema in USD.
    robot = with_frames(
        "USD",
        robot._replace(actuators=(), sensors=(), loops=(), apart=()),
        decided.frames,
        decided.without - ({"world"} if written.base == "fixed" else set()),
    )
    for unread in written.unread:
        fail(f"{unread.element} in line {unread.line} says what nobody reads ({unread.why})")
    for note in written.notes:
        fail(note)
    prims = {prim.path: prim for prim in top.walk()}
    _verify_dialects(prims.values(), options)
    _verify_grid(prims.values())
    _verify_names(written, robot, decided)
    _verify_apart(written, options)
    _verify_gains(actuators, prims, options)
    written = _verify_frames(written, robot, prims)
    verify_masses(written, robot, prims, decided.tensors)
    _verify_sizes(written, robot, decided)
    if decided.meshes or layer:
        from .usd_proof_meshes import verify_meshes

        verify_meshes(
            top,
            read_usda(layer) if layer else None,
            decided.meshes,
            decided.drawn,
            decided.images,
            options,
        )
    elif any(prim.type == "Mesh" or prim.specifier == "class" for prim in prims.values()):
        fail("it has meshes, and none of the robot's can be shown")
    # A mesh that shows images keeps its own looks: the color of the robot is not written for it.
    shown = frozenset(
        name
        for (name, _), mesh in decided.drawn.items()
        if any(each.material.image and each.uv for each in mesh.surfaces)
    )
    known = {file for file, _ in decided.meshes}
    verify_text(
        written._replace(actuators=()),
        rounded(robot, written, shown, options),
        Decided(
            "USD",
            between=decided.without,
            left_out=decided.left_out,
            shows=known.__contains__,
            base=base_held(robot, options.base),
            placeholder=True,
        ),
    )


def _verify_dialects(prims: Iterable[Prim], options: UsdOptions) -> None:
    """Refuse properties and schemas of an engine that was not asked for; the reader has compared those of both."""
    wanted = DIALECTS[options.for_]
    others = tuple({"newton", "physx"} - set(wanted))
    for prim in prims:
        for name in (
            (*prim.properties, *(schema.lower() for schema in prim.schemas)) if others else ()
        ):
            if name.startswith(others):
                fail(f"{prim!r}: '{name}' is not for {options.for_}")
        if prim.type in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
            written = {
                "newton": any(
                    name.startswith("newton:") and "imic" not in name for name in prim.properties
                ),
                "physx": any(name.startswith("physxJointAxis:") for name in prim.properties),
            }
            for word in wanted:
                if any(written.values()) and not written[word]:
                    fail(f"{prim!r} says nothing to {word}")


def _verify_grid(prims: Iterable[Prim]) -> None:
    """Refuse poses that are not on the writer's grid: multiples of 1e-14 m, and of 1e-13 in quaternions."""
    for prim in prims:
        p, q = prim.numbers("double3", "xformOp:translate"), prim.numbers("quatd", "xformOp:orient")
        if p is not None and clean_lengths(p) != p or q is not None and clean_direction(q) != q:
            fail(f"{prim!r}: its pose is not one that was rounded: {p}, {q}")


def _verify_names(written: RawRobot, robot: RawRobot, decided: UsdDecided) -> None:
    """Refuse links that are not the robot's, or that are missing."""
    names = {link.name for link in written.links} - {"world"}
    wanted = {link.name for link in robot.links} | {frame.name for frame in robot.frames}
    if names != wanted - decided.without - {"world"}:
        fail(
            f"its links are not the robot's: {sorted(names ^ (wanted - decided.without - {'world'}))}"
        )


def _verify_apart(written: RawRobot, options: UsdOptions) -> None:
    """Refuse pairs that do not collide, other than those that were asked for."""
    above = {
        joint.child: joint.parent for joint in written.joints if joint.name == f"to {joint.child}"
    }
    bodies = {link.name for link in written.links if link.mass is not None}
    above.update(
        (joint.parent, joint.child)
        for joint in written.joints
        if joint.type == "fixed" and joint.parent == "world" and joint.child in bodies
    )

    def carrier(name: str) -> str:
        while name in above and name not in bodies:
            name = above[name]
        return name if name in bodies else ""

    wanted = {frozenset((carrier(a), carrier(b))) for a, b in options.exclude}
    wanted = {pair for pair in wanted if len(pair) == 2 and "" not in pair}
    pairs = [frozenset(pair) for pair in written.apart]
    if set(pairs) != wanted or len(pairs) != len(wanted):
        fail(f"pairs that do not collide: {sorted(map(sorted, set(pairs) ^ wanted))}")


def _verify_gains(
    actuators: Sequence[RawActuator], prims: Mapping[str, Prim], options: UsdOptions
) -> None:
    """Refuse gains other than those of the robot's servos and of the option for gains."""
    given: Dict[str, Tuple[float, float]] = {}
    for actuator in actuators:
        kp, kv = (actuator.values.get(key, (0.0,))[0] for key in ("kp", "kv"))
        if (
            actuator.kind == "position"
            and kp
            or actuator.kind == "velocity"
            and kv
            and options.actuators != "position"
        ):
            given.setdefault(actuator.joint, (kp if actuator.kind == "position" else 0.0, kv))
    for prim in prims.values():
        for drive in [
            schema.partition(":")[2]
            for schema in prim.schemas
            if schema.startswith("PhysicsDriveAPI:")
        ]:
            asked = (options.kp or 0.0, 0.0) if options.actuators == "position" else (0.0, 0.0)
            gains = asked if options.actuators == "motor" else given.get(prim.true_name, asked)
            # Drives that turn have their gains per degree.
            unit = DEGREES if drive == "angular" else 1.0
            wanted = tuple(nearest(gain / unit) for gain in gains)
            values = tuple(
                prim.number("float", f"drive:{drive}:physics:{key}")
                for key in ("stiffness", "damping")
            )
            if values != wanted:
                fail(f"{prim!r}: its stiffness and damping are {values}, and {wanted} are given")
            if options.actuators == "none":
                fail(f"{prim!r} has a drive, and none was to be written")


def _verify_frames(written: RawRobot, robot: RawRobot, prims: Mapping[str, Prim]) -> RawRobot:
    """Compare the frames of joints in both bodies number by number; return the written robot with the robot's axes.

    A frame of a joint is the frame of its child link with all joints at zero, as in URDF, rotate by `_turn_of`.
    """
    T_model = link_places(canonical(robot))
    above = {joint.child: joint for joint in robot.joints}
    joints: Dict[str, RawJoint] = {}
    for prim in prims.values():
        if prim.type not in JOINTS:
            continue
        ends = [prims[prim.targets(f"physics:body{number}")[0]] for number in range(2)]
        names = [end.true_name if BODY in end.schemas else "" for end in ends]
        # (1) The robot's joint.
        moving = prim.type != "PhysicsFixedJoint"
        top, source = _joint_above(names[1], above, moving=moving)
        # (2) Where the frame must be in each body ("": the world). A frame that the robot has itself, T_parent_child or
        # none, must be its nearest float32; one that is computed over several joints may be two steps of the grid off.
        T_top = T_model[top]
        frames = [
            IDENTITY_POSE
            if name == top
            else compose(inverse(T_model[name]), T_top)
            if name
            else T_top
            for name in names
        ]
        direct = False
        if source is not None and (source.child, source.parent) == (top, names[0]):
            direct, frames[0] = True, source.T_parent_child
        # (3) USD knows the axes X, Y and Z alone: the frame is rotate so that the one written is the robot's axis.
        moved = source if moving else None
        turn = (
            _turn_of(moved, prim.word("uniform token", "physics:axis") or "Z")
            if moved is not None
            else IDENTITY
        )
        for number, T in enumerate(frames):
            exact = top == names[1] if number else direct
            _verify_frame(
                prim, number, Pose(multiply(T.rotation, turn), T.translation), 0.0 if exact else 2.0
            )
        # (4) The numbers are verified: the robot's own replace those of float32, which the comparison to 1e-9 that
        # follows would refuse.
        if moved is not None:
            R, point = frames[1]
            joints[names[1]] = moved._replace(axis=rotate(R, moved.axis), point=point)
    return written._replace(
        joints=tuple(
            joint._replace(axis=joints[joint.child].axis, point=joints[joint.child].point)
            if joint.child in joints and joint.type != "fixed"
            else joint
            for joint in written.joints
        )
    )


def _joint_above(
    name: str, above: Mapping[str, RawJoint], *, moving: bool
) -> Tuple[str, Optional[RawJoint]]:
    """Return the joint above a body, and its child.

    A body can be the first link with a mass of a group of fixed links: the joint that moves it is above the group.
    """
    joint = above.get(name)
    while moving and joint is not None and joint.type == "fixed":
        name, joint = joint.parent, above.get(joint.parent)
    return name, joint


def _verify_frame(prim: Prim, number: int, T: Pose, tolerance: float) -> None:
    """Compare a written frame with T, its pose in the body; `tolerance`: allowed rounding in steps of the grid."""
    position = prim.numbers("point3f", f"physics:localPos{number}") or ()
    turn = prim.numbers("quatf", f"physics:localRot{number}") or ()
    if not same_lengths(position, T.translation, tolerance):
        fail(f"{prim!r}: localPos{number} is {position}, and {T.translation} is the robot's")
    if not same_quaternion(turn, T.rotation):
        fail(f"{prim!r}: localRot{number} is {turn}, and {T.rotation} is the robot's")


def _turn_of(joint: RawJoint, word: str) -> Matrix:
    """Return the rotation that maps X (of a planar joint: Z) to the joint's axis; identity if `word` is that axis."""
    if joint.type not in ("revolute", "continuous", "prismatic", "planar"):
        return IDENTITY
    x, y, z = joint.axis
    if (
        joint.type != "planar"
        and max(abs(a - b) for a, b in zip(joint.axis, AXES[word])) < SAME_AXIS
        or (clean_direction(joint.axis) == AXES["Z"] == AXES[word])
    ):
        return IDENTITY
    R = matrix_from_quaternion((0.0, -z, y, 1.0 + x) if x >= TOWARD else (z, 0.0, 1.0 - x, y))
    if joint.type == "planar":
        (a, b, c), (d, e, f), (g, h, i) = R
        return ((b, c, a), (e, f, d), (h, i, g))
    return R


def _verify_sizes(written: RawRobot, robot: RawRobot, decided: UsdDecided) -> None:
    """Compare the sizes of shapes, which are doubles, exactly."""
    robot_links = {link.name: link for link in robot.links}
    for link in written.links:
        numbers: Dict[str, int] = {}
        wanted: List[Tuple[str, str, Tuple[float, ...]]] = []
        for shape in robot_links[link.name].shapes if link.name in robot_links else ():
            number = numbers[shape.role] = numbers.get(shape.role, -1) + 1
            if (link.name, shape.role, number) not in decided.left_out:
                wanted.append((shape.role, shape.geometry, shape.sizes))
        shapes = [(shape.role, shape.geometry, shape.sizes) for shape in link.shapes]
        if sorted(shapes) != sorted(wanted):
            fail(f"link '{link.name}': its shapes are {shapes}, and {wanted} are the robot's")


def write_usd(robot: Robot, options: UsdOptions, source: Optional[RawRobot] = None) -> WrittenUsd:
    """Return the robot as USD, proven to be the same robot, and what a person should know.

    Args:
        source: the reference of the proof: the robot as its file was parsed; None: `robot` itself.

    Raises:
        BrokenRobot, ErrorGroup: what USD cannot hold.
        UsageError: an option.
        ProofFailed: the text is not the same robot; a fault of this tool.
    """
    if source is None:
        check_sound(robot)
    written, decided = make_usd(robot, checked(options))
    verify_usd(written.text, written.layer, source or robot, decided)
    return written
