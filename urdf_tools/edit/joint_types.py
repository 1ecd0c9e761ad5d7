"""Types of joints that `set` gives: `wheel.type=continuous`, `hinge.type=revolute hinge.lower=-1 hinge.upper=1`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ..apply.merge_passes import fix_joint
from ..apply.apply_plan_passes import made_child
from ..base.errors import did_you_mean, UsageError
from ..base.number_text import as_written, count_of, format_numbers, numbers_in, read_numbers
from ..base.record_type import Record
from ..plan.reference_updates import place_of
from ..plan.kept_links import find_references
from ..robot.raw_robot import RawJoint, RawRobot
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import UrdfJoint, WITH_AXIS
from ..urdf.spatial_math import norm, unit, Vector
from .edit_diagnostics import TYPE_SET
from .robot_draft import RobotDraft
from .setting_words import SettingsResult, GlobSetting
from .edit_value_words import named_nothing

TYPE = "type"
AXIS = "axis"
TYPES = ("revolute", "continuous", "prismatic", "fixed")
LIMITED = ("revolute", "prismatic")
# The unit of a position: what names a joint has numbers in this unit.
UNIT_OF_POSITION = {"revolute": "rad", "continuous": "rad", "prismatic": "m"}


class NewJointType(Record):
    """The type that a setting gives a joint, and its axis, None if the axis stays."""

    setting: GlobSetting
    type: str
    axis: Optional[Vector]


def set_types(draft: RobotDraft, settings: Sequence[GlobSetting]) -> SettingsResult:
    """Give joints other types; a fixed joint holds its child where it is at zero.

    Raises:
        UsageError: the type does not exist, or something that names the joint forbids it.
    """
    # The last setting of a joint wins.
    chosen: Dict[str, NewJointType] = {}
    for setting in settings:
        new = _read(draft, setting)
        for joint in _joints_of(draft, setting):
            chosen[joint.child] = new
    for child, new in chosen.items():
        joint = draft.robot.above[child]
        if new.axis is None and new.type != "fixed" and joint.type not in WITH_AXIS:
            # The reader of URDF gives such a joint no axis, but its text may have one.
            chosen[child] = new = new._replace(axis=_written_axis(draft, joint, new))
        _refuse_forbidden(draft, joint, new)
        _write(draft, joint, new)
        _warn_of_names(draft, joint, new)

    def require_limits() -> None:
        """Refuse a joint whose type needs limits that neither its text nor another setting gives."""
        for child, new in chosen.items():
            if new.type in LIMITED:
                _require_limits(draft, draft.robot.above[child], new)

    return SettingsResult(
        phrase=count_of(len(chosen), "type"),
        expected=lambda raw: _with_types(raw, chosen),
        check=require_limits,
    )


def _read(draft: RobotDraft, setting: GlobSetting) -> NewJointType:
    """Return the type and axis of a setting."""
    setting.require_no_more(draft, (AXIS,))
    if setting.value not in TYPES:
        raise setting.refused(
            draft,
            f"there is no type '{setting.value}' to set{did_you_mean(setting.value, TYPES)}; "
            f"there are {', '.join(TYPES)}",
        )
    axis: Optional[Vector] = None
    if AXIS in setting.more:
        if setting.value == "fixed":
            raise setting.refused(draft, "a fixed joint has no axis")
        try:
            x, y, z = read_numbers(setting.more[AXIS], 3)
        except ValueError as error:
            raise setting.refused(draft, f"axis={setting.more[AXIS]}: {error}") from None
        axis = (x, y, z)
        if not norm(axis):
            raise setting.refused(draft, f"axis={setting.more[AXIS]} has no direction")
    return NewJointType(setting, setting.value, axis)


def _joints_of(draft: RobotDraft, setting: GlobSetting) -> List[UrdfJoint]:
    """Return the joints that a setting gives another type."""
    named = [joint for joint in draft.robot.joints if fnmatchcase(joint.name, setting.glob)]
    if not named:
        raise setting.refused(draft, named_nothing(draft, setting.glob, "joint"))
    changed = [joint for joint in named if joint.type != setting.value]
    if not changed:
        first = named[0]
        raise setting.refused(
            draft, f"joint '{first.name}' is {first.type} already", first.source.line
        )
    return changed


def _written_axis(draft: RobotDraft, joint: UrdfJoint, new: NewJointType) -> Vector:
    """Return the axis in the text of a joint whose type has none."""
    axis = joint.source.find(AXIS)
    numbers = numbers_in((axis.get("xyz") or "") if axis is not None else "", 3)
    if numbers is None or not any(numbers):
        raise new.setting.refused(
            draft,
            f"joint '{joint.name}' is {joint.type} and has no axis: add axis=0,0,1",
            joint.source.line,
        )
    x, y, z = numbers
    return (x, y, z)


def _refuse_forbidden(draft: RobotDraft, joint: UrdfJoint, new: NewJointType) -> None:
    """Refuse a type if a mimic, drive or named state has positions of the joint that would lose their meaning."""
    setting = new.setting
    if joint.type == "floating":
        raise setting.refused(
            draft,
            f"joint '{joint.name}' is floating: what hangs on it is a robot of its own; "
            f"--only {joint.child} keeps that",
            joint.source.line,
        )
    unit_of_position = UNIT_OF_POSITION.get(joint.type)
    # The positions of a revolute and of a continuous joint mean the same; a joint without position has no meaning to lose.
    if unit_of_position in (None, UNIT_OF_POSITION.get(new.type)):
        return
    cure = f"; --lock {joint.name}=0 removes it, too" if new.type == "fixed" else ""
    for element, path in _with_positions(draft, joint):
        raise UsageError(
            f"'{setting.words}': joint '{joint.name}' cannot be {new.type}: "
            f"{place_of(element)} has its position{cure}",
            path,
            element.line,
        )


def _with_positions(draft: RobotDraft, joint: UrdfJoint) -> Iterator[Tuple[Element, str]]:
    """Yield what has positions of a joint, each with the path of its file: mimics, drives, and states of the SRDF."""
    for other in draft.robot.joints:
        mimic = other.mimic
        if mimic is not None and (other is joint or mimic.joint == joint.name):
            yield other.source.find("mimic") or other.source, draft.path
    root = draft.robot.document.root
    for top in root.elements():
        if top.name in ("transmission", "ros2_control"):
            for element in top.walk():
                if element.name == "joint" and element.get("name") == joint.name:
                    yield element, draft.path
                    break
    if draft.srdf is not None:
        for element in draft.srdf.root.walk():
            if element.name == "joint" and element.get("name") == joint.name:
                yield element, draft.srdf.path


def _loses_range(old: str, new: str) -> bool:
    """Return True if the lower and upper limit of a joint do not hold for its new type.

    Limits in radians say nothing about a joint that moves in meters, and a continuous joint has none.
    """
    return new == "continuous" or UNIT_OF_POSITION.get(old) != UNIT_OF_POSITION[new]


def _write(draft: RobotDraft, joint: UrdfJoint, new: NewJointType) -> None:
    """Write the type of a joint, and take out what a joint of this type does not have."""
    element = draft.copy(joint.source)
    if new.type == "fixed":
        fix_joint(element)
        return
    element.set(TYPE, new.type)
    if AXIS in new.setting.more and new.axis is not None:
        made_child(element, AXIS).set("xyz", format_numbers(as_written(new.axis)))
    limit = element.find("limit")
    if limit is not None and _loses_range(joint.type, new.type):
        for key in ("lower", "upper"):
            limit.unset(key)


def _require_limits(draft: RobotDraft, joint: UrdfJoint, new: NewJointType) -> None:
    """Refuse a revolute or prismatic joint without limits."""
    limit = draft.copy(joint.source).find("limit")
    keys = ("lower", "upper", "effort", "velocity")
    lacks = [key for key in keys if limit is None or limit.get(key) is None]
    if lacks:
        more = " ".join(f"{joint.name}.{key}=..." for key in lacks)
        raise new.setting.refused(
            draft,
            f"a {new.type} joint has limits: add {more} to the same --set",
            joint.source.line,
        )


def _with_types(raw: RawRobot, chosen: Dict[str, NewJointType]) -> RawRobot:
    """Return a robot whose joints have these types, for the law."""

    def with_type(joint: RawJoint) -> RawJoint:
        """Return a joint with its type; its limits follow with the settings of numbers."""
        new = chosen.get(joint.child)
        if new is None:
            return joint
        if new.type == "fixed":
            return RawJoint(
                name=joint.name,
                type="fixed",
                parent=joint.parent,
                child=joint.child,
                T_parent_child=joint.T_parent_child,
                line=joint.line,
            )
        changed = joint._replace(type=new.type)
        if new.axis is not None:
            changed = changed._replace(axis=unit(as_written(new.axis)))
        if _loses_range(joint.type, new.type):
            changed = changed._replace(lower=None, upper=None)
        return changed

    return raw.with_each(joints=with_type)


def _warn_of_names(draft: RobotDraft, joint: UrdfJoint, new: NewJointType) -> None:
    """Warn of elements that name a joint that becomes fixed: a plugin cannot move it any more."""
    if new.type != "fixed":
        return
    for reference in find_references(draft.robot):
        if reference.name == joint.name and joint.name not in draft.robot.links:
            draft.warn(reference.element, TYPE_SET, "named", joint.name, new.type)
