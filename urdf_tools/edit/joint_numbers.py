"""Numbers of joints and masses of links that `set` changes: `hip_*.effort=35`, `hand.mass=*1.1`."""

from __future__ import annotations

import math
import re
from fnmatch import fnmatchcase
from typing import AbstractSet, Dict, List, Mapping, Optional, Sequence, Tuple

from ..apply.apply_plan_passes import made_child
from ..base.number_text import count_of, format_number, LARGEST, numbers_in, read_numbers
from ..base.record_type import Record
from ..robot.raw_robot import RawJoint, RawLink, RawRobot
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import UrdfJoint, UrdfLink, MOVABLE
from .edit_diagnostics import SAID_ELSEWHERE
from .quantities_with_units import ANGLE, LENGTH, MASS, per, read_quantities
from .robot_draft import RobotDraft
from .setting_words import SettingsResult, GlobSetting
from .edit_value_words import named_nothing

OF_JOINT = {
    "effort": "limit",
    "velocity": "limit",
    "lower": "limit",
    "upper": "limit",
    "acceleration": "limit",
    "damping": "dynamics",
    "friction": "dynamics",
}
LIMIT = "limit"  # both ends: `elbow.limit=-90deg 90deg`
ENDS = ("lower", "upper")
PER_SECOND = "/s"
PER_SECOND_2 = "/s^2"
NOT_NEGATIVE = ("effort", "velocity", "acceleration", "damping", "friction", "mass")
# The attributes that urdfdom's joint.cpp requires in a <limit>; only the first two for a continuous joint.
DEMANDED = ("effort", "velocity", "lower", "upper")
# The command interface of ros2_control that limits the same quantity, and its parameter.
SAYS_TOO = {
    "lower": ("position", "min"),
    "upper": ("position", "max"),
    "effort": ("effort", "max"),
    "velocity": ("velocity", "max"),
}


class NumberSetting(Record):
    """A number for the links or joints of a setting; with `factor`, it multiplies the present number."""

    setting: GlobSetting
    value: float
    factor: bool

    def of(self, old: float) -> float:
        """Return the new number."""
        # Rounded as it will be written, because the law compares this number.
        return float(format_number(old * self.value)) if self.factor else self.value


def set_joint_numbers(draft: RobotDraft, settings: Sequence[GlobSetting]) -> SettingsResult:
    """Set numbers of joints.

    Raises:
        UsageError: a number is impossible, or the joint does not exist or has no such number.
    """
    # By the child link of a joint and the key; the last setting of a number wins.
    chosen: Dict[str, Dict[str, NumberSetting]] = {}
    for setting in settings:
        children = _children(draft, setting)
        if not children:
            raise setting.refused(draft, named_nothing(draft, setting.glob, "joint"))
        for child in children:
            joint = draft.robot.above[child]
            kind = _type_of(draft, joint)
            units = _units(setting.key, kind)
            keys = ENDS if setting.key == LIMIT else (setting.key,)
            numbers = _read(draft, setting, units, keys, f"joint '{joint.name}' is {kind}: ")
            chosen.setdefault(child, {}).update(zip(keys, numbers))
    # All numbers of a joint at once: a new <limit> needs four of them.
    for child, values in chosen.items():
        _set_joint(draft, draft.robot.above[child], values)
    return SettingsResult(count_of(len(chosen), "joint"), lambda raw: _with_numbers(raw, chosen))


def set_masses(draft: RobotDraft, settings: Sequence[GlobSetting]) -> SettingsResult:
    """Set masses of links, and scale their tensors.

    Raises:
        UsageError: a number is impossible, or the link does not exist or has no mass.
    """
    chosen: Dict[str, NumberSetting] = {}
    for setting in settings:
        (number,) = _read(draft, setting, MASS, ("mass",))
        links = _with_mass(draft, setting)
        if not links:
            raise setting.refused(draft, named_nothing(draft, setting.glob, "link"))
        chosen.update(dict.fromkeys(links, number))
    for name, number in chosen.items():
        _set_mass(draft, draft.robot.links[name], number)
    return SettingsResult(
        count_of(len(chosen), "mass", "masses"), lambda raw: _with_masses(raw, chosen)
    )


def _units(key: str, kind: str) -> Mapping[str, float]:
    """Return the units of a number of a joint of a type."""
    of_position = LENGTH if kind == "prismatic" else ANGLE
    if key in (LIMIT, *ENDS):
        return of_position
    if key == "velocity":
        units = per(of_position, PER_SECOND)
        if kind != "prismatic":
            units["rpm"] = math.pi / 30.0
        return units
    if key == "acceleration":
        return per(of_position, PER_SECOND_2)
    if key == "effort":
        return {"N": 1.0} if kind == "prismatic" else {"Nm": 1.0}
    # Damping and friction are written without units.
    return {}


def _read(
    draft: RobotDraft,
    setting: GlobSetting,
    units: Mapping[str, float],
    keys: Sequence[str],
    of_joint: str = "",
) -> List[NumberSetting]:
    """Return the numbers of a setting such as `leg_*.effort=*1.1` or `elbow.limit=-90deg 90deg`, one for each key."""
    setting.require_no_more(draft)
    factor = setting.value.startswith("*")
    text = setting.value.lstrip("*")
    try:
        # A factor has no unit, and is for one number.
        values = read_numbers(text, 1) if factor else read_quantities(text, len(keys), units)
    except ValueError as error:
        raise setting.refused(draft, f"{of_joint}{error}") from None
    numbers = []
    for key, value in zip(keys, values * len(keys) if factor else values):
        if value < 0.0 and (key in NOT_NEGATIVE or factor) or abs(value) >= LARGEST:
            raise setting.refused(draft, f"{setting.key} cannot be {setting.value}")
        numbers.append(NumberSetting(setting, value, factor))
    return numbers


def _children(draft: RobotDraft, setting: GlobSetting) -> List[str]:
    """Return the child links of the joints that a setting names."""
    named = [joint for joint in draft.robot.joints if fnmatchcase(joint.name, setting.glob)]
    moving = [joint for joint in named if _type_of(draft, joint) in MOVABLE]
    if named and not moving:
        raise setting.refused(
            draft, f"joint '{named[0].name}' is {named[0].type}", named[0].source.line
        )
    for joint in moving:
        if _type_of(draft, joint) == "continuous" and setting.key in (LIMIT, *ENDS):
            raise setting.refused(
                draft, f"joint '{joint.name}' is continuous: it has no limits", joint.source.line
            )
    return [joint.child for joint in moving]


def _type_of(draft: RobotDraft, joint: UrdfJoint) -> str:
    """Return the type of a joint, which another setting of the same edit may have written."""
    return draft.copy(joint.source).get("type") or joint.type


def _with_mass(draft: RobotDraft, setting: GlobSetting) -> List[str]:
    """Return the links with mass that a setting names."""
    named = [link for link in draft.robot.links.values() if fnmatchcase(link.name, setting.glob)]
    heavy = [link.name for link in named if link.mass]
    if named and not heavy:
        raise setting.refused(
            draft,
            f"link '{named[0].name}' has no mass: its tensor would have to be known",
            named[0].source.line,
        )
    return heavy


def _set_joint(draft: RobotDraft, joint: UrdfJoint, values: Dict[str, NumberSetting]) -> None:
    """Write the settings of a joint, given by key, into its elements; warn of other elements with the same numbers."""
    element = draft.copy(joint.source)
    for key, setting in values.items():
        tag = OF_JOINT[key]
        if tag == "limit" and element.find(tag) is None:
            _require_whole_limit(draft, joint, values.keys())
        part = made_child(element, tag)
        old = part.get(key)
        if old is None and setting.factor:
            raise draft.refused(f"joint '{joint.name}' has no {key} to multiply", joint.source.line)
        part.set(key, format_number(setting.of(_number(old))))
    # Inverted limits of the input are reported by lint; only new ones are refused.
    if {"lower", "upper"} & values.keys():
        _require_ordered_limits(draft, joint, element)
    limit = element.find("limit")
    written = {}
    if limit is not None:
        written = {key: _number(limit.get(key)) for key in values if key in SAYS_TOO}
    _warn_of_others(draft, joint, written)


def _require_whole_limit(draft: RobotDraft, joint: UrdfJoint, keys: AbstractSet[str]) -> None:
    """Refuse settings that would add a `<limit>` without a number that urdfdom requires in it."""
    # A continuous joint has no positions to limit.
    demanded = DEMANDED[:2] if _type_of(draft, joint) == "continuous" else DEMANDED
    lacks = [key for key in demanded if key not in keys]
    if lacks:
        more = " and ".join(f"{joint.name}.{key}=..." for key in lacks)
        raise draft.refused(
            f"joint '{joint.name}' has no {' and no '.join(lacks)}, which a <limit> must say: "
            f"add {more} to the same --set",
            joint.source.line,
        )


def _require_ordered_limits(draft: RobotDraft, joint: UrdfJoint, element: Element) -> None:
    """Refuse a lower limit above the upper limit in the element of a joint; a missing limit is 0, as urdfdom reads it."""
    limit = element.find("limit")
    if limit is None:
        return
    lower = _number(limit.get("lower"))
    upper = _number(limit.get("upper"))
    if lower > upper:
        raise draft.refused(
            f"joint '{joint.name}' would have the lower limit {format_number(lower)} above its upper limit "
            f"{format_number(upper)}: set both",
            joint.source.line,
        )


def _warn_of_others(draft: RobotDraft, joint: UrdfJoint, written: Mapping[str, float]) -> None:
    """Warn of other elements that limit a joint; the new limits are given by key."""
    wanted = {SAYS_TOO[key]: value for key, value in written.items()}
    for block in draft.robot.document.root.elements("ros2_control"):
        for control in block.elements("joint"):
            if control.get("name") == joint.name and _has_other_limits(control, wanted):
                draft.warn(control, SAID_ELSEWHERE, "control", joint.name)
    if {"lower", "upper"} & written.keys():
        for safety in joint.source.elements("safety_controller"):
            draft.warn(safety, SAID_ELSEWHERE, "safety", joint.name)


def _has_other_limits(control: Element, wanted: Mapping[Tuple[str, str], float]) -> bool:
    """Return True if a joint of ros2_control has a parameter that differs from the wanted value."""
    for interface in control.elements("command_interface"):
        for param in interface.elements("param"):
            value = wanted.get((interface.get("name") or "", param.get("name") or ""))
            # A text that is not a number, such as a xacro expression, may be another value.
            if value is not None and numbers_in(param.text(), 1) != (value,):
                return True
    return False


def _set_mass(draft: RobotDraft, link: UrdfLink, setting: NumberSetting) -> None:
    """Set a mass, and scale the tensor with it, as for an unchanged shape."""
    inertial = link.inertial
    assert inertial is not None
    mass = setting.of(inertial.properties.mass)
    if not mass:
        raise draft.refused(f"link '{link.name}' would have no mass", link.source.line)
    factor = mass / inertial.properties.mass
    element = draft.copy(inertial.source)
    made_child(element, "mass").set("value", format_number(mass))
    tensor = made_child(element, "inertia")
    for key, text in tensor.attributes.items():
        # Some exporters write iyx and the like in addition.
        if re.fullmatch("i[xyz]{2}", key):
            tensor.set(key, format_number(_number(text) * factor))


def _number(text: Optional[str]) -> float:
    """Return a number as the reader takes it; 0 if missing."""
    return read_numbers(text, 1)[0] if text else 0.0


def _with_numbers(raw: RawRobot, joints: Dict[str, Dict[str, NumberSetting]]) -> RawRobot:
    """Return a robot whose joints have these numbers, for the law."""

    def with_values(joint: RawJoint) -> RawJoint:
        """Return a joint with the numbers of its settings."""
        fields: Dict[str, float] = {}
        values = dict(joint.values)
        for key, setting in joints.get(joint.child, {}).items():
            if key in ("effort", "velocity", "lower", "upper"):
                fields[key] = setting.of(getattr(joint, key) or 0.0)
            else:
                values[key] = (setting.of((joint.values.get(key) or (0.0,))[0]),)
        if {"lower", "upper"} & fields.keys():
            # If a <limit> has one bound, the other is 0.
            fields.setdefault("lower", joint.lower or 0.0)
            fields.setdefault("upper", joint.upper or 0.0)
        return joint._replace(values=values, **fields)  # type: ignore[arg-type]

    return raw.with_each(joints=with_values)


def _with_masses(raw: RawRobot, masses: Dict[str, NumberSetting]) -> RawRobot:
    """Return a robot whose links have these masses, for the law."""

    def with_mass(link: RawLink) -> RawLink:
        """Return a link with its new mass, and its tensor scaled with it."""
        if link.name not in masses or link.mass is None:
            return link
        new = masses[link.name].of(link.mass.mass)
        xx, xy, xz, yy, yz, zz = (entry * new / link.mass.mass for entry in link.mass.tensor)
        return link._replace(mass=link.mass._replace(mass=new, tensor=(xx, xy, xz, yy, yz, zz)))

    return raw.with_each(links=with_mass)
