"""Decide how every frame turns: the two-pass canonical-frame algorithm.

Pass 1 computes the world rotation of every link at zero, pass 2 decides for each joint separately: the world axis it
turns about, the sign, and the frame that has that axis as a column and is otherwise as near to the world as possible.
No frame is derived from its neighbor's, so twist cannot accumulate along a chain.
"""

from typing import AbstractSet, Callable, Dict, List, Optional, Set, Tuple

from ..base.number_text import as_written, same_numbers
from ..base.record import Record
from ..urdf.model import as_fixed, AS_IT_WAS, Joint, JointMap, poses_at, Robot, WITH_AXIS
from ..urdf.spatial import (
    angle_between,
    cross,
    dot,
    Matrix,
    matrix_from_rpy,
    multiply,
    IDENTITY,
    norm,
    Pose,
    rotate,
    rpy_from_matrix,
    scale,
    subtract,
    transpose,
    rotation_angle,
    unit,
    UNIT_AXES,
    Vector,
    ZERO,
)
from .base_frame import BaseFrame
from .merging import BASE, Membership
from .name_words import axis_class, AXIS_LETTERS, AxisClass
from .options import Options

LEAST_AGREEMENT = 0.499  # |v . e| of a name class; a little under 0.5, so that an axis at 60 degrees is on one side
TIE = 1e-3  # an axis between two standard axes goes to the first of them, whatever the last digit says
EXACT = 1e-12  # [rad] rounding error of a product of rotations
NOISE = 1e-12  # [rad] angles below this are rounding error, even with --snap 0
STABLE = 3.07  # times the snap tolerance: a frame this near to canonical stays; not round, so that files do not hit it


class JointFrame(Record):
    """The frame of a joint of the result.

    Attributes:
        rpy: as it will be written [rad].
        axis: 0, 1, 2 for X, Y, Z, or None for a joint without axis.
        map: how its position is mapped.
        asked: the axis its name asks for, if any.
        fallback: True if the name's axis was too far off.
        tilt: angle between the axis and the world axis it is named after [rad].
        points: 1, or -1 where the opposite axis is written, such as `0 -1 0`, to keep the sign.
    """

    rpy: Vector
    axis: Optional[int] = None
    map: JointMap = AS_IT_WAS
    asked: Optional[AxisClass] = None
    fallback: bool = False
    tilt: float = 0.0
    points: int = 1


class Frames(Record):
    """`turns`: R_new_old of every link of the result; `joints`: by child link."""

    turns: Dict[str, Matrix]
    joints: Dict[str, JointFrame]


def decide_frames(
    robot: Robot,
    members: Dict[str, Membership],
    base: BaseFrame,
    signs_kept: AbstractSet[str],
    options: Options,
) -> Frames:
    """Decide the new frame of every link of the result; `signs_kept` are child links of joints.

    Every frame is used as it will be written (rounded, noise set to zero): its children are computed from that, so
    cleaning turns only the axis of the joint itself, by less than the tolerance.
    """
    # (1) World rotations at zero, in the new base frame, of every link.
    R_old = {
        name: T.rotation for name, T in poses_at(robot, {}, Pose(base.R_new_old, ZERO)).items()
    }
    # (2) One joint at a time. A frame that is equal in `R_new` and `R_old` stays exactly as it is.
    R_new = {robot.root: IDENTITY}
    joints: Dict[str, JointFrame] = {}
    for joint in robot.tree:
        member = members[joint.child]
        if member.merged and not options.keep_all_frames:
            continue
        if member.merged:
            joint = as_fixed(joint)
        parent = member.target if member.merged else members[joint.parent].target
        R_world_parent = R_new[parent]
        in_place = parent == joint.parent and R_world_parent == R_old[parent]
        rpy = (
            joint.rpy
            if in_place
            else rpy_from_matrix(multiply(transpose(R_world_parent), R_old[joint.child]))
        )
        frame = (
            JointFrame(rpy)
            if not options.reorient
            else _canonical(
                joint,
                member,
                R_old[joint.child],
                R_world_parent,
                rpy,
                options,
                keeps_sign=joint.child in signs_kept,
            )
        )
        if in_place and frame.rpy == joint.rpy:
            R_new[joint.child] = R_old[joint.child]
        else:
            frame = frame._replace(rpy=as_written(frame.rpy))
            R_new[joint.child] = multiply(R_world_parent, matrix_from_rpy(frame.rpy))
            if rotation_angle(R_new[joint.child], R_old[joint.child]) < EXACT:
                R_new[joint.child] = R_old[joint.child]
                noise = any(old != 0.0 and new == 0.0 for old, new in zip(joint.rpy, frame.rpy))
                if in_place and not noise and same_numbers(joint.rpy, frame.rpy):
                    frame = frame._replace(rpy=joint.rpy)
        joints[joint.child] = frame
    turns = {
        name: IDENTITY
        if R_new[name] == R_old[name]
        else multiply(transpose(R_new[name]), R_old[name])
        for name in R_new
    }
    return Frames(turns, joints)


def _canonical(
    joint: Joint,
    member: Membership,
    R_world_child: Matrix,
    R_world_parent: Matrix,
    rpy: Vector,
    options: Options,
    *,
    keeps_sign: bool,
) -> JointFrame:
    """Choose axis, sign and rpy of a joint; `rpy` is its present orientation relative to the new parent [rad]."""
    snap = options.snap
    if joint.type not in WITH_AXIS:
        aligned = joint.type == "floating" or member.kind == BASE
        angles = (
            _stable_rpy(IDENTITY, lambda R: IDENTITY, rpy, R_world_parent, snap)
            if aligned
            else _cleaned(rpy, snap)
        )
        return JointFrame(angles)
    v = unit(rotate(R_world_child, joint.axis))
    asked = axis_class(joint.name, dict(options.axis))
    # A frame that is canonical already keeps its axis: without that, cleaning could choose another one in a second run.
    present = next(
        (
            k
            for k in range(3)
            for end in ((1.0, -1.0) if keeps_sign else (1.0,))
            if joint.axis == scale(end, UNIT_AXES[k])
            and rotation_angle(R_world_child, canonical_rotation(scale(end, v), k))
            <= _tolerance(snap)
        ),
        None,
    )
    axis, fallback = _standard_axis(v, asked, present, snap)
    side = 1 if v[axis] > 0.0 else -1
    v = scale(float(side), v)
    tilt = angle_between(v, UNIT_AXES[axis])
    plain = angle_between(scale(float(side), joint.axis), UNIT_AXES[axis]) <= max(snap, EXACT)
    sign = 1 if keeps_sign else side
    angles = _stable_rpy(
        canonical_rotation(v, axis),
        lambda R: canonical_rotation(rotate(R, UNIT_AXES[axis]), axis),
        rpy if plain else None,
        R_world_parent,
        snap,
    )
    return JointFrame(angles, axis, JointMap(sign), asked, fallback, tilt, side * sign)


def _standard_axis(
    v: Vector, asked: Optional[AxisClass], present: Optional[int], snap: float
) -> Tuple[int, bool]:
    """Return the axis the name asks for if the joint turns about it at all, else the nearest one; and whether it is
    the fallback of a name that asked for something else.

    A frame that is canonical for the axis `present` is preferred where it is close: cleaning may have turned the axis.
    """
    favor = [max(4.0 * snap, 1e-9) if k == present else 0.0 for k in range(3)]
    if asked is not None:
        against = max(favor) - favor[asked.axis]
        if abs(v[asked.axis]) + favor[asked.axis] >= LEAST_AGREEMENT + against:
            return asked.axis, False
    most = max(map(abs, v))
    close = [k for k in range(3) if abs(v[k]) + 2.0 * favor[k] >= most - TIE]
    return present if present in close else close[0], asked is not None


def canonical_rotation(v: Vector, axis: int) -> Matrix:
    """Return R_world_frame: the right-handed frame with the unit vector `v` as column `axis`, otherwise as near to the
    world as it can be.

    X and Y: column Z is world Z made perpendicular to v; Z: column X is world X made perpendicular to v. Where the two
    are parallel: world X for a Y axis, world Y for an X or Z axis.
    """
    helper, other = (0, 1) if axis == 2 else (2, 0 if axis == 1 else 1)
    column = subtract(UNIT_AXES[helper], scale(dot(UNIT_AXES[helper], v), v))
    if norm(column) < 1e-6:
        column = subtract(UNIT_AXES[other], scale(dot(UNIT_AXES[other], v), v))
    column = unit(column)
    third = 3 - axis - helper
    columns: List[Vector] = [v, v, v]
    columns[helper] = column
    columns[third] = cross(columns[(third + 1) % 3], columns[(third + 2) % 3])
    return transpose((columns[0], columns[1], columns[2]))


def _stable_rpy(
    R_world_canonical: Matrix,
    canonical_for: Callable[[Matrix], Matrix],
    as_is: Optional[Vector],
    R_world_parent: Matrix,
    snap: float,
) -> Vector:
    """Return the angles [rad] of a canonical frame in its parent, such that a second run changes nothing.

    Setting an angle to zero turns the axis a little, and another frame is canonical for the turned axis. So a frame
    with cleaned angles counts as canonical when it is within a few times the tolerance of the frame that is canonical
    for it (`canonical_for`). `as_is` are the present angles, if the frame may stay.
    """

    def near_canonical(angles: Vector) -> bool:
        R_world_child = multiply(R_world_parent, matrix_from_rpy(angles))
        return rotation_angle(R_world_child, canonical_for(R_world_child)) <= _tolerance(snap)

    if as_is is not None and near_canonical(_cleaned(as_is, snap)):
        return _cleaned(as_is, snap)
    exact = rpy_from_matrix(multiply(transpose(R_world_parent), R_world_canonical))
    cleaned = as_written(_cleaned(exact, snap))
    return cleaned if near_canonical(cleaned) else _cleaned(exact, 0.0)


def _tolerance(snap: float) -> float:
    """Return the angle [rad] by which a frame may differ from its canonical one and still be kept."""
    return max(STABLE * snap, 1e-11)


def _cleaned(rpy: Vector, snap: float) -> Vector:
    roll, pitch, yaw = [0.0 if abs(angle) < max(snap, NOISE) else angle for angle in rpy]
    return (roll, pitch, yaw)


def axis_letter(frame: JointFrame) -> str:
    """Return X, Y or Z, or "" for a joint without axis."""
    return "" if frame.axis is None else AXIS_LETTERS[frame.axis]


def name_frame_joints(
    robot: Robot, members: Dict[str, Membership], renamed: Dict[str, str]
) -> Dict[str, str]:
    """Return, by merged link whose frame is kept, the name of its fixed joint.

    A fixed joint keeps its name, unless another joint has it already; that, and a joint given twice, is called
    `<link>_frame`.
    """
    used = {
        renamed.get(joint.child, joint.name)
        for joint in robot.joints
        if not members[joint.child].merged
    }
    reserved: Set[str] = {*used, *(joint.name for joint in robot.joints)}
    # In file order, so that a joint keeps its name before a later one of the same name.
    names = {}
    for joint in robot.joints:
        if not members[joint.child].merged:
            continue
        name = joint.name
        if joint.type != "fixed" or name in used:
            name, number = f"{joint.child}_frame", 2
            while name in reserved:
                name, number = f"{joint.child}_frame_{number}", number + 1
            reserved.add(name)
        used.add(name)
        names[joint.child] = name
    return names
