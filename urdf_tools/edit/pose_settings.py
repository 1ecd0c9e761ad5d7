"""Poses of joints, frames and sensors that `set` gives: `imu_joint.rpy=0 0 90deg`, `.xyz`, `.turn=z 90deg`, `.move`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import glob_meant
from ..base.number_text import as_written, count_of, format_numbers, read_numbers, without_noise
from ..base.record_type import Record
from ..compare.read_any_format import read_bytes
from ..plan.update_values import angle_unit
from ..robot.raw_robot import RawFrame, RawJoint, RawRobot, RawSensor
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import UrdfJoint
from ..urdf.spatial_math import (
    compose,
    IDENTITY,
    inverse,
    matrix_from_rpy,
    rotate,
    rotation_about,
    rpy_from_matrix,
    Transform,
    Vector,
    ZERO,
)
from ..urdf.xml_edits import detach
from ..apply.apply_plan_passes import made_child
from .move_frames import ANGLE_NOISE, old_to_new_poses, place_frames, pose_in, SHIFT_NOISE
from .edit_diagnostics import POSE_SET
from .quantities_with_units import ANGLE, LENGTH, read_quantities
from .robot_draft import RobotDraft
from .setting_words import SettingsResult, GlobSetting

POSE_KEYS = ("xyz", "rpy", "turn", "move")
KEEP = "keep"
WORLD = "world"
AXES: Mapping[str, Vector] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class PosedElement(Record):
    """A joint, frame or sensor with its pose.

    Attributes:
        what: joint, frame or sensor. link: the child link of a joint, else the link (or joint) that has it.
        source: its element in the robot as read.
        xyz, rpy: its pose [m, rad]. written: which of both a setting changed.
    """

    what: str
    name: str
    link: str
    source: Element
    xyz: Vector
    rpy: Vector
    written: Tuple[str, ...] = ()

    @property
    def T(self) -> Transform:
        """Return the pose as a transform."""
        return Transform(matrix_from_rpy(self.rpy), self.xyz)


def set_poses(draft: RobotDraft, settings: Sequence[GlobSetting]) -> SettingsResult:
    """Set poses, in the order of the settings; what hangs on a joint moves along, or with `keep=world` stays.

    Raises:
        UsageError: nothing has the name, or a pose cannot be read or written.
    """
    things = _posed_things(draft)
    new: Dict[int, PosedElement] = {}
    keeping = [setting for setting in settings if _keeps_world(draft, setting)]
    for setting in settings:
        for index in _named(draft, setting, things):
            new[index] = _changed(draft, setting, new.get(index, things[index]))
    changed = {index: thing for index, thing in new.items() if _differs(things[index], thing)}
    if not changed:
        raise settings[-1].refused(draft, "the pose is this already")
    if keeping:
        return _set_in_world(draft, keeping[0], [*changed.values()])
    for thing in changed.values():
        _write(draft, thing)
    joints = [thing for thing in changed.values() if thing.what == "joint"]
    return SettingsResult(
        phrase=count_of(len(changed), "pose"),
        expected=lambda raw: _with_poses(raw, list(changed.values())),
        opened=frozenset(_opened_loops(draft, joints)),
    )


def _keeps_world(draft: RobotDraft, setting: GlobSetting) -> bool:
    """Return True for a setting with `keep=world`."""
    setting.require_no_more(draft, (KEEP,))
    if KEEP not in setting.more:
        return False
    if setting.more[KEEP] != WORLD:
        raise setting.refused(draft, f"keep={setting.more[KEEP]}: give keep=world")
    return True


def _posed_things(draft: RobotDraft) -> List[PosedElement]:
    """Return the joints, the frames and the sensors of Gazebo of a robot."""
    things = [
        PosedElement(
            what="joint",
            name=joint.name,
            link=joint.child,
            source=joint.source,
            xyz=joint.origin.translation,
            rpy=joint.rpy,
        )
        for joint in draft.robot.joints
    ]
    root = draft.robot.document.root
    for frame in root.elements("frame"):
        if frame.get("link"):
            holder = frame.find("origin") or frame
            xyz, rpy = (_three(draft, holder, key) for key in ("xyz", "rpy"))
            things.append(
                PosedElement(
                    what="frame",
                    name=frame.get("name") or "",
                    link=frame.get("link") or "",
                    source=frame,
                    xyz=xyz,
                    rpy=rpy,
                )
            )
    for block in root.elements("gazebo"):
        for sensor in block.elements("sensor"):
            pose = sensor.find("pose")
            T = pose_in(pose) if pose is not None else Transform(IDENTITY, ZERO)
            things.append(
                PosedElement(
                    what="sensor",
                    name=sensor.get("name") or "",
                    link=block.get("reference") or "",
                    source=sensor,
                    xyz=T.translation if T is not None else ZERO,
                    rpy=rpy_from_matrix(T.rotation) if T is not None else ZERO,
                )
            )
    return things


def _three(draft: RobotDraft, element: Element, key: str) -> Vector:
    """Return three numbers of an attribute, zeros if it is missing."""
    try:
        x, y, z = read_numbers(element.get(key) or "0 0 0", 3)
    except ValueError as error:
        raise draft.refused(str(error), element.line) from None
    return (x, y, z)


def _named(draft: RobotDraft, setting: GlobSetting, things: Sequence[PosedElement]) -> List[int]:
    """Return the indices of the things that a setting names: joints, or else frames and sensors."""
    indices = [i for i, thing in enumerate(things) if fnmatchcase(thing.name, setting.glob)]
    joints = [i for i in indices if things[i].what == "joint"]
    named = joints or indices
    if not named:
        meant = glob_meant(setting.glob, [thing.name for thing in things])
        raise setting.refused(draft, f"there is no such joint, frame or sensor{meant}")
    return named


def _changed(draft: RobotDraft, setting: GlobSetting, thing: PosedElement) -> PosedElement:
    """Return a thing with the pose that a setting gives it."""
    _refuse_unwritable(draft, setting, thing)
    key = setting.key
    try:
        if key == "xyz":
            return _with(thing, xyz=_vector(setting.value, LENGTH))
        if key == "rpy":
            return _with(thing, rpy=_vector(setting.value, ANGLE))
        if key == "move":
            shift = rotate(thing.T.rotation, _vector(setting.value, LENGTH))
            x, y, z = (old + by for old, by in zip(thing.xyz, shift))
            return _with(thing, xyz=without_noise((x, y, z), SHIFT_NOISE))
        axis, _, angle = setting.value.strip().partition(" ")
        if axis not in AXES:
            raise ValueError("give an axis and an angle, such as 'z 90deg'")
        (turn,) = read_quantities(angle, 1, ANGLE)
        T = compose(thing.T, Transform(rotation_about(AXES[axis], turn), ZERO))
        return _with(thing, rpy=without_noise(rpy_from_matrix(T.rotation), ANGLE_NOISE))
    except ValueError as error:
        raise setting.refused(draft, str(error)) from None


def _vector(text: str, units: Mapping[str, float]) -> Vector:
    """Return three numbers with units."""
    x, y, z = read_quantities(text, 3, units)
    return (x, y, z)


def _with(thing: PosedElement, **pose: Vector) -> PosedElement:
    """Return a thing with other numbers, as they will be written."""
    changes: Dict[str, Any] = {key: as_written(value) for key, value in pose.items()}
    return thing._replace(**changes, written=tuple({*thing.written, *pose}))


def _refuse_unwritable(draft: RobotDraft, setting: GlobSetting, thing: PosedElement) -> None:
    """Refuse a pose that is written in another way than with xyz and rpy, or is relative to another frame."""
    holder = thing.source.find("pose" if thing.what == "sensor" else "origin") or thing.source
    if holder.get("quat_xyzw"):
        raise setting.refused(draft, f"{thing.what} '{thing.name}' has quat_xyzw", holder.line)
    if thing.what == "sensor" and holder.name == "pose":
        if pose_in(holder) is None or holder.get("relative_to"):
            raise setting.refused(
                draft,
                f"the <pose> of sensor '{thing.name}' is not six numbers in the frame of its link",
                holder.line,
            )


def _differs(old: PosedElement, new: PosedElement) -> bool:
    """Return True if the numbers of a pose differ from the written ones."""
    return any(as_written(getattr(old, key)) != getattr(new, key) for key in new.written)


def _write(draft: RobotDraft, thing: PosedElement) -> None:
    """Write the numbers of a pose that a setting changed."""
    element = draft.copy(thing.source)
    if thing.what == "sensor":
        pose = made_child(element, "pose")
        tokens = pose.text().split() or ["0"] * 6
        if "xyz" in thing.written:
            tokens[:3] = format_numbers(thing.xyz).split()
        if "rpy" in thing.written:
            unit = angle_unit(pose)
            tokens[3:] = format_numbers([angle / unit for angle in thing.rpy]).split()
        pose.set_text(" ".join(tokens))
        return
    holder = element
    if thing.what == "joint" or element.find("origin") is not None:
        holder = made_child(element, "origin")
    for key, value in (("xyz", thing.xyz), ("rpy", thing.rpy)):
        if key in thing.written:
            holder.set(key, format_numbers(value))


def _set_in_world(
    draft: RobotDraft, setting: GlobSetting, things: Sequence[PosedElement]
) -> SettingsResult:
    """Set the pose of one joint, so that its child link and all that hangs on it stays where it is, with joints at zero.

    Only the line of the joint moves; a fixed joint only gets another frame.
    """
    new, *others = things
    if others or new.what != "joint":
        raise setting.refused(
            draft,
            "keep=world is for one joint: give each joint a --set of its own",
            new.source.line,
        )
    joint = draft.robot.above[new.link]
    T_new_old = compose(inverse(new.T), joint.origin)
    place_frames(draft, {joint.child: T_new_old})
    _restore(draft, joint)
    _write(draft, new._replace(written=("xyz", "rpy")))
    frames = old_to_new_poses({joint.child: T_new_old})
    T_old_new = frames[joint.child]

    def with_line(raw: RawJoint) -> RawJoint:
        """Return a joint with its new line in the old frame of its child, which the law of the frames moves."""
        if raw.child != joint.child:
            return raw
        return raw._replace(axis=rotate(T_old_new.rotation, raw.axis), point=T_old_new.translation)

    return SettingsResult(
        f"pose of '{joint.name}', what hangs on it stays",
        lambda raw: raw.with_each(joints=with_line),
        frames,
    )


def _restore(draft: RobotDraft, joint: UrdfJoint) -> None:
    """Give a joint the text of its axis back, which turns with its frame."""
    element = draft.copy(joint.source)
    axis = element.find("axis")
    old = joint.source.find("axis")
    if axis is not None and old is not None and old.get("xyz"):
        axis.set("xyz", old.get("xyz") or "")
    elif axis is not None and old is None:
        detach(element, [axis])


def _with_poses(raw: RawRobot, things: Sequence[PosedElement]) -> RawRobot:
    """Return a robot with these poses, for the law."""
    new = {(thing.what, thing.name, thing.link): thing.T for thing in things}

    def joint(each: RawJoint) -> RawJoint:
        """Return a joint at its new pose."""
        T = new.get(("joint", each.name, each.child))
        return each._replace(T_parent_child=T) if T is not None else each

    def frame(each: RawFrame) -> RawFrame:
        """Return a frame at its new pose."""
        T = new.get(("frame", each.name, each.link))
        return each._replace(T_link_frame=T) if T is not None else each

    def sensor(each: RawSensor) -> RawSensor:
        """Return a sensor at its new pose; it may be named by its link or by its joint."""
        T = new.get(("sensor", each.name, each.joint)) or new.get(("sensor", each.name, each.link))
        return each._replace(T_link_sensor=T) if T is not None else each

    return raw.with_each(joints=joint, frames=frame, sensors=sensor)


def _opened_loops(draft: RobotDraft, joints: Sequence[PosedElement]) -> List[str]:
    """Return the closed loops that moved joints open, as one end moves and the other does not; warn of each."""
    if not joints:
        return []
    opened = []
    raw = read_bytes(draft.robot.document.to_bytes(), draft.path)
    for loop in raw.loops:
        for thing in joints:
            below = draft.below(thing.link)
            first, second = (link in below for link in loop.links)
            if first != second:
                names = (loop.name, thing.name)
                draft.warnings.append(Diagnostic(POSE_SET, loop.line, "loop", names))
                opened.append(loop.name)
                break
    return opened
