"""The rotation of every frame to its canonical orientation, by a two-pass algorithm.

Pass 1 computes the world rotation of every link at zero, pass 2 decides for each joint separately: the world axis it
turns about, the sign, and the frame that has this axis as a column and is otherwise as near to the world as possible.
No frame is derived from its neighbor's, so twist cannot accumulate along a chain.
"""

from __future__ import annotations

from typing import AbstractSet, Callable, Dict, List, Optional, Set, Tuple

from ..base.number_text import as_written, same_numbers, unique
from ..base.record_type import Record
from ..urdf.urdf_records import (
    as_fixed,
    AS_IT_WAS,
    UrdfJoint,
    JointMap,
    poses_at,
    UrdfRobot,
    WITH_AXIS,
)
from ..urdf.spatial_math import (
    angle_between,
    cross,
    dot,
    Matrix,
    matrix_from_rpy,
    multiply,
    IDENTITY,
    norm,
    Transform,
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
from .link_merging import BASE, LinkMembership
from .name_words import axis_class, AXIS_LETTERS, AxisFromName
from .run_options import Options

# The least |v . e| for a name class: a little below 0.5, so that rounding cannot reject an axis at 60 degrees.
LEAST_AGREEMENT = 0.499
TIE = 1e-3  # an axis between two standard axes goes to the first of them, whatever its last digit
EXACT = 1e-12  # [rad] rounding error of a product of rotations
NOISE = 1e-12  # [rad] angles below this are rounding error, even with --snap 0
ERROR_OF_TEXT = 1e-11  # [rad] error of rounding to the digits that are written
# Times the snap tolerance: frames this near to canonical stay; not round, so that input angles do not hit it.
STABLE = 3.07


class JointFrame(Record):
    """The frame of a joint of the result.

    Attributes:
        rpy: the angles that will be written [rad].
        axis: 0, 1, 2 for X, Y, Z, or None for a joint without axis.
        map: how the joint position is mapped.
        asked: the axis that its name implies, if any.
        fallback: True if the axis of the name was too far off.
        tilt: angle between the axis and the chosen world axis [rad].
        axis_sign: 1, or -1 where the opposite axis is written, such as `0 -1 0`, to keep the sign.
        R_new_old: the rotation of the frame of its child link.
    """

    rpy: Vector
    axis: Optional[int] = None
    map: JointMap = AS_IT_WAS
    asked: Optional[AxisFromName] = None
    fallback: bool = False
    tilt: float = 0.0
    axis_sign: int = 1
    R_new_old: Matrix = IDENTITY

    @property
    def axis_written(self) -> Vector:
        """The axis as it is written, in the new frame of the child link; ZERO for a joint without axis."""
        return ZERO if self.axis is None else scale(float(self.axis_sign), UNIT_AXES[self.axis])


class CanonicalFrames(Record):
    """The new frames of a robot: `turns` holds R_new_old of every link of the result, `joints` is by child link."""

    turns: Dict[str, Matrix]
    joints: Dict[str, JointFrame]


def decide_frames(
    robot: UrdfRobot,
    members: Dict[str, LinkMembership],
    base: BaseFrame,
    signs_kept: AbstractSet[str],
    options: Options,
) -> CanonicalFrames:
    """Decide the new frame of every link of the result. `signs_kept` holds child links of joints.

    Children are computed from the frame of the parent as it will be written (rounded, noise set to zero). Cleaning
    therefore turns only the joint's own axis, by the tolerance at most.
    """
    # Pass 1: world rotations at zero of every link, in the new base frame.
    T_world = poses_at(robot, {}, Transform(base.R_new_old, ZERO))
    R_old = {link: T.rotation for link, T in T_world.items()}

    # Pass 2: one joint at a time, parents first.
    R_new = {robot.root: IDENTITY}
    joints: Dict[str, JointFrame] = {}
    for joint in robot.tree:
        link = joint.child
        member = members[joint.child]
        parent = members[joint.parent].target
        if member.merged:
            if not options.keep_all_frames:
                continue
            # The content moves to the target; the empty link that stays is attached by a fixed joint.
            joint = as_fixed(joint)
            parent = member.target

        R_parent = R_new[parent]
        R_child = R_old[link]
        # If the parent is unchanged and did not turn, the angles of the file hold, digit by digit.
        in_place = parent == joint.parent and R_parent == R_old[parent]
        present = joint.rpy
        if not in_place:
            present = rpy_from_matrix(multiply(transpose(R_parent), R_child))
        frame = JointFrame(present)
        if options.reorient:
            keeps_sign = link in signs_kept
            frame = _canonical(
                joint, member, R_child, R_parent, present, options, keeps_sign=keeps_sign
            )
        joints[link] = frame
        R_new[link] = R_child  # R_old itself, so that `turns` contains exactly IDENTITY for it
        if not in_place or frame.rpy != joint.rpy:
            joints[link], R_new[link] = _as_written(
                frame, joint, R_child, R_parent, in_place=in_place
            )

    turns = {}
    for link, R in R_new.items():
        is_turned = R != R_old[link]
        turns[link] = multiply(transpose(R), R_old[link]) if is_turned else IDENTITY
    turned = {link: frame._replace(R_new_old=turns[link]) for link, frame in joints.items()}
    return CanonicalFrames(turns, turned)


def _as_written(
    frame: JointFrame,
    joint: UrdfJoint,
    R_world_child: Matrix,
    R_world_parent: Matrix,
    *,
    in_place: bool,
) -> Tuple[JointFrame, Matrix]:
    """Return a frame with the angles that will be written, and its rotation in the world.

    A link that is turned only by rounding counts as not turned, so that all texts in it stay.
    """
    frame = frame._replace(rpy=as_written(frame.rpy))
    R_written = multiply(R_world_parent, matrix_from_rpy(frame.rpy))
    if rotation_angle(R_written, R_world_child) >= EXACT:
        return frame, R_written
    # Exporter noise such as 1e-17 is cleaned to 0 even if this turns nothing; other angles keep their digits.
    cleaned_noise = any(old != 0.0 and new == 0.0 for old, new in zip(joint.rpy, frame.rpy))
    if in_place and not cleaned_noise and same_numbers(joint.rpy, frame.rpy):
        frame = frame._replace(rpy=joint.rpy)
    return frame, R_world_child


def _canonical(
    joint: UrdfJoint,
    member: LinkMembership,
    R_world_child: Matrix,
    R_world_parent: Matrix,
    present: Vector,
    options: Options,
    *,
    keeps_sign: bool,
) -> JointFrame:
    """Choose axis, sign and rpy of a joint.

    `present` is its present orientation relative to the new parent [rad].
    """
    snap = options.snap
    if joint.type not in WITH_AXIS:
        # Floating joints and bases have no axis to follow: align them with the world. Other joints stay.
        if joint.type == "floating" or member.kind == BASE:
            angles = _stable_rpy(
                R_world_canonical=IDENTITY,
                canonical_for=lambda R: IDENTITY,
                rounded_by=lambda R: rotation_angle(R, IDENTITY),
                as_is=present,
                R_world_parent=R_world_parent,
                snap=snap,
            )
            return JointFrame(angles)
        cleaned = _cleaned(present, snap)
        rounded = rotation_angle(matrix_from_rpy(cleaned), matrix_from_rpy(present))
        # Several angles below the snap may turn the frame by more than the snap.
        if rounded > snap:
            cleaned = _cleaned(present, 0.0)
        return JointFrame(cleaned)

    # The world axis: the axis of the name if the joint turns about it at all, else the nearest.
    v = unit(rotate(R_world_child, joint.axis))
    asked = axis_class(joint.name, dict(options.axis))
    present_axis = _present_axis(joint, v, R_world_child, snap, keeps_sign=keeps_sign)
    axis, fallback = _standard_axis(v, asked, present_axis, snap)
    e_axis = UNIT_AXES[axis]

    # The sign: the axis points along the world axis. If the sign is kept, `0 -1 0` is written instead.
    side = 1 if v[axis] > 0.0 else -1
    sign = 1 if keeps_sign else side
    v = scale(float(side), v)

    # The frame: the present one may stay only if its column `axis` is the joint's axis.
    along_column = angle_between(scale(float(side), joint.axis), e_axis) <= max(snap, EXACT)
    angles = _stable_rpy(
        R_world_canonical=canonical_rotation(v, axis),
        canonical_for=lambda R: canonical_rotation(rotate(R, e_axis), axis),
        rounded_by=lambda R: angle_between(rotate(R, e_axis), v),
        as_is=present if along_column else None,
        R_world_parent=R_world_parent,
        snap=snap,
    )
    return JointFrame(
        rpy=angles,
        axis=axis,
        map=JointMap(sign),
        asked=asked,
        fallback=fallback,
        tilt=angle_between(v, e_axis),
        axis_sign=side * sign,
    )


def _present_axis(
    joint: UrdfJoint, v: Vector, R_world_child: Matrix, snap: float, *, keeps_sign: bool
) -> Optional[int]:
    """Return the axis for which the frame of a joint is already canonical, or None; `v` is its axis in the world.

    The joint keeps this axis: cleaning turned it a little, and a second run might choose a different axis.
    """
    # If the sign is kept, an earlier run may have written the opposite axis.
    ends = (1.0, -1.0) if keeps_sign else (1.0,)
    for k in range(3):
        for end in ends:
            if joint.axis == scale(end, UNIT_AXES[k]):
                angle = rotation_angle(R_world_child, canonical_rotation(scale(end, v), k))
                return k if angle <= _tolerance(snap) else None
    return None


def _standard_axis(
    v: Vector, asked: Optional[AxisFromName], present: Optional[int], snap: float
) -> Tuple[int, bool]:
    """Return the standard axis of a joint, and whether it is a fallback from the axis of its name.

    The axis of the name is taken if the joint turns about it at all, else the nearest axis. An axis `present`, for
    which the frame is canonical already, is preferred if it is close: cleaning may have turned the joint's axis.
    """
    # Cleaning may have changed an entry of v by as much as a canonical frame may be off.
    favor = [0.0, 0.0, 0.0]
    if present is not None:
        favor[present] = _tolerance(snap)
    if asked is not None:
        against = max(favor) - favor[asked.axis]
        if abs(v[asked.axis]) + favor[asked.axis] >= LEAST_AGREEMENT + against:
            return asked.axis, False
    largest = max(map(abs, v))
    # Twice, because cleaning may have lowered one entry and raised another.
    close = [k for k in range(3) if abs(v[k]) + 2.0 * favor[k] >= largest - TIE]
    axis = present if present in close else close[0]
    return axis, asked is not None


def canonical_rotation(v: Vector, axis: int) -> Matrix:
    """Return R_world_frame: the right-handed frame with the unit vector `v` as column `axis`, closest to the world.

    For X and Y, column Z is world Z made perpendicular to v; for Z, column X is world X made perpendicular to v. If the
    two are parallel, world X is used for a Y axis, and world Y for an X or Z axis.
    """
    # `other` is the world axis to follow if v is parallel to `helper`.
    helper, other = {0: (2, 1), 1: (2, 0), 2: (0, 1)}[axis]
    column = subtract(UNIT_AXES[helper], scale(dot(UNIT_AXES[helper], v), v))
    # Parallel: the projection is mostly rounding error, and its direction would be arbitrary.
    if norm(column) < 1e-6:
        column = subtract(UNIT_AXES[other], scale(dot(UNIT_AXES[other], v), v))
    column = unit(column)
    # The three indices sum to 3.
    third = 3 - axis - helper
    columns: List[Vector] = [v, v, v]
    columns[helper] = column
    # In cyclic order, so that the frame is right-handed.
    columns[third] = cross(columns[(third + 1) % 3], columns[(third + 2) % 3])
    return transpose((columns[0], columns[1], columns[2]))


def _stable_rpy(
    *,
    R_world_canonical: Matrix,
    canonical_for: Callable[[Matrix], Matrix],
    rounded_by: Callable[[Matrix], float],
    as_is: Optional[Vector],
    R_world_parent: Matrix,
    snap: float,
) -> Vector:
    """Return the angles [rad] of a canonical frame in its parent, such that a second run changes nothing.

    Setting an angle to zero turns the axis a little, and the canonical frame of the turned axis differs. So a cleaned
    frame counts as canonical if it is within a few tolerances of the frame that is canonical for it (`canonical_for`).
    Cleaning may also turn the quantity that must not turn (`rounded_by`) by the tolerance at most: three angles just
    below the tolerance would add up to more.

    `as_is` are the present angles, if the frame may stay.
    """

    def is_allowed(angles: Vector) -> bool:
        """Return True if a run would find the frame canonical, and the axis is rounded by the snap at most."""
        R_world_child = multiply(R_world_parent, matrix_from_rpy(angles))
        near_canonical = rotation_angle(R_world_child, canonical_for(R_world_child)) <= _tolerance(
            snap
        )
        return near_canonical and rounded_by(R_world_child) <= max(snap, ERROR_OF_TEXT)

    if as_is is not None and is_allowed(_cleaned(as_is, snap)):
        return _cleaned(as_is, snap)
    exact = rpy_from_matrix(multiply(transpose(R_world_parent), R_world_canonical))
    cleaned = as_written(_cleaned(exact, snap))
    # If cleaning moves the frame too far, keep all its angles: a later run would clean the remaining ones.
    return cleaned if is_allowed(cleaned) else _cleaned(exact, 0.0)


def _tolerance(snap: float) -> float:
    """Return the angle [rad] by which a frame may differ from its canonical frame and still be kept."""
    return max(STABLE * snap, ERROR_OF_TEXT)


def _cleaned(rpy: Vector, snap: float) -> Vector:
    """Return the angles with zeros for angles below the snap [rad] or below noise."""
    least = max(snap, NOISE)
    roll, pitch, yaw = (angle if abs(angle) >= least else 0.0 for angle in rpy)
    return (roll, pitch, yaw)


def axis_letter(frame: JointFrame) -> str:
    """Return X, Y or Z, or "" for a joint without axis."""
    return "" if frame.axis is None else AXIS_LETTERS[frame.axis]


def name_frame_joints(
    robot: UrdfRobot, members: Dict[str, LinkMembership], renamed: Dict[str, str]
) -> Dict[str, str]:
    """Return, by merged link whose frame is kept, the name of its fixed joint.

    A fixed joint keeps its name unless a different joint has it already. That joint, and a duplicate joint, is called
    `<link>_frame`.
    """
    used = {
        renamed.get(joint.child, joint.name)
        for joint in robot.joints
        if not members[joint.child].merged
    }
    reserved: Set[str] = {*used, *(joint.name for joint in robot.joints)}
    # In file order, so that the first joint of a name keeps it.
    names = {}
    for joint in robot.joints:
        if not members[joint.child].merged:
            continue
        name = joint.name
        if name in used:  # always true for a duplicate joint
            name = unique(f"{joint.child}_frame", reserved)
            reserved.add(name)
        used.add(name)
        names[joint.child] = name
    return names
