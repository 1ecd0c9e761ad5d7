"""Mimic rules that `set` gives or removes: `finger2.mimic=finger1 multiplier=-1 offset=0`, `finger2.mimic=none`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Sequence

from ..base.errors import did_you_mean
from ..base.number_text import count_of, format_number, read_numbers
from ..base.record_type import Record
from ..facts.gazebo_value_rules import is_mimic_plugin
from ..robot.raw_robot import RawJoint, RawMimic, RawRobot
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import Mimic, MOVABLE, UrdfJoint
from ..urdf.xml_edits import attach_behind, create, detach
from .edit_diagnostics import FOLLOWER
from .robot_draft import RobotDraft
from .setting_words import SettingsResult, GlobSetting
from .edit_value_words import named_nothing

MIMIC = "mimic"
OF_RULE = ("multiplier", "offset")
NONE = "none"  # as the leader: the joint follows nothing
AGREE = 1e-9  # [rad or m] tolerance between a position of a named state and the rule, for digits of the text
Rules = Mapping[str, Optional[Mimic]]  # by the child link of the follower; None: it follows nothing


class MimicSetting(Record):
    """The rule of the joints of a setting; None: they follow nothing."""

    setting: GlobSetting
    rule: Optional[Mimic]


def set_mimics(draft: RobotDraft, settings: Sequence[GlobSetting]) -> SettingsResult:
    """Write the rules of followers.

    Raises:
        UsageError: a joint does not exist, cannot follow or lead, follows nothing already, or would follow itself.
    """
    # The last setting of a joint wins.
    chosen: Dict[str, MimicSetting] = {}
    for setting in settings:
        read = MimicSetting(setting, _rule_of(draft, setting))
        chosen.update(dict.fromkeys(_followers(draft, read), read))
    rules = {child: each.rule for child, each in chosen.items()}
    for child, each in chosen.items():
        _refuse_circle(draft, draft.robot.above[child], each.setting, rules)
    for child, rule in rules.items():
        _write_rule(draft, draft.robot.above[child], rule)
    for joint in draft.robot.joints:
        if joint.child in rules:
            _warn_of_contradictions(draft, joint, rules[joint.child])
    return SettingsResult(count_of(len(rules), "mimic"), lambda raw: with_rules(raw, rules))


def _rule_of(draft: RobotDraft, setting: GlobSetting) -> Optional[Mimic]:
    """Return the rule of a setting, None for `none`."""
    setting.require_no_more(draft, OF_RULE)
    if not setting.value:
        raise setting.refused(draft, "give the joint that it follows, or none")
    if setting.value == NONE:
        for key in setting.more:
            raise setting.refused(draft, f"a joint that follows none has no {key}")
        return None
    numbers = {"multiplier": 1.0, "offset": 0.0}
    for key, text in setting.more.items():
        try:
            (numbers[key],) = read_numbers(text, 1)
        except ValueError as error:
            raise setting.refused(draft, f"{key}={text}: {error}") from None
    return Mimic(setting.value, numbers["multiplier"], numbers["offset"])


def _followers(draft: RobotDraft, read: MimicSetting) -> List[str]:
    """Return the child links of the joints that a setting changes."""
    setting = read.setting
    rule = read.rule
    robot = draft.robot
    named = [joint for joint in robot.joints if fnmatchcase(joint.name, setting.glob)]
    if not named:
        raise setting.refused(draft, named_nothing(draft, setting.glob, "joint"))
    moving = [joint for joint in named if joint.type in MOVABLE]
    first = named[0]
    if not moving:
        raise setting.refused(
            draft, f"joint '{first.name}' is {first.type}: it cannot follow", first.source.line
        )
    if rule is not None:
        _require_leader(draft, setting, rule.joint)
    changed = [joint for joint in moving if joint.mimic != rule]
    if not changed:
        first = moving[0]
        follows = "follows no joint" if rule is None else "has this rule already"
        raise setting.refused(draft, f"joint '{first.name}' {follows}", first.source.line)
    return [joint.child for joint in changed]


def _require_leader(draft: RobotDraft, setting: GlobSetting, name: str) -> None:
    """Refuse a leader that does not exist, or has no single position; the message names a similar joint."""
    able = [
        joint.name
        for joint in draft.robot.joints
        if joint.type in MOVABLE and not fnmatchcase(joint.name, setting.glob)
    ]
    leader = draft.robot.named.get(name)
    if leader is None:
        raise setting.refused(draft, f"there is no joint '{name}'{did_you_mean(name, able)}")
    if leader.type not in MOVABLE:
        raise setting.refused(
            draft,
            f"joint '{name}' is {leader.type}: no joint can follow it{did_you_mean(name, able)}",
            leader.source.line,
        )


def _refuse_circle(draft: RobotDraft, joint: UrdfJoint, setting: GlobSetting, rules: Rules) -> None:
    """Refuse a joint whose leaders lead to a circle: no position would be defined."""
    path = [joint]
    while True:
        last = path[-1]
        rule = rules.get(last.child, last.mimic)
        leader = draft.robot.named.get(rule.joint) if rule is not None else None
        if leader is None:
            return
        if leader in path:
            break
        path.append(leader)
    names = " -> ".join(f"'{each.name}'" for each in (*path, leader))
    raise setting.refused(draft, f"the joints would follow in a circle: {names}", joint.source.line)


def remove_rules(draft: RobotDraft, children: Iterable[str]) -> None:
    """Remove the rules of followers, given by their child links; warn of other elements that have the rule."""
    for child in children:
        joint = draft.robot.above[child]
        _write_rule(draft, joint, None)
        _warn_of_contradictions(draft, joint, None)


def _write_rule(draft: RobotDraft, joint: UrdfJoint, rule: Optional[Mimic]) -> None:
    """Write the `<mimic>` of a joint, or remove it."""
    element = draft.copy(joint.source)
    present = element.elements(MIMIC)
    if rule is None:
        # Comments stay: one in front may be about the joint.
        detach(element, present, comments=False)
        return
    if present:
        mimic = present[0]
    else:
        mimic = create(MIMIC, {})
        attach_behind(element.elements()[-1], mimic)
    mimic.set("joint", rule.joint)
    for key, default, value in (
        ("multiplier", 1.0, rule.multiplier),
        ("offset", 0.0, rule.offset),
    ):
        written = mimic.get(key)
        if value == default:
            # A number that nobody gives is not written, so that there and back gives the bytes.
            mimic.unset(key)
        elif written is None or read_numbers(written, 1)[0] != value:
            mimic.set(key, format_number(value))


def with_rules(raw: RawRobot, rules: Rules) -> RawRobot:
    """Return a robot with these rules, for the law."""

    def with_rule(joint: RawJoint) -> RawJoint:
        """Return a joint with its rule."""
        if joint.child not in rules:
            return joint
        rule = rules[joint.child]
        return joint._replace(mimic=RawMimic(*rule) if rule is not None else None)

    return raw.with_each(joints=with_rule)


def _warn_of_contradictions(draft: RobotDraft, joint: UrdfJoint, rule: Optional[Mimic]) -> None:
    """Warn of a rule that holds a joint still, and of elements that have another rule, drive or position of the joint."""
    if rule is not None and not rule.multiplier:
        draft.warn(joint.source, FOLLOWER, "still", rule.joint, format_number(rule.offset))
    root = draft.robot.document.root
    for element in _other_rules(root, joint.name):
        draft.warn(element, FOLLOWER, "rule", joint.name)
    if rule is None:
        return
    for element in _drives(root, joint.name):
        draft.warn(element, FOLLOWER, "drive", joint.name, rule.joint)
    for element in _states_against(draft, joint.name, rule):
        draft.warn_srdf(element, FOLLOWER, "state", joint.name, rule.joint)


def _other_rules(root: Element, name: str) -> Iterator[Element]:
    """Yield the joints of ros2_control and the plugins of Gazebo with a mimic rule of a joint."""
    for control in root.elements("ros2_control"):
        for joint in control.elements("joint"):
            parameters = {param.get("name") for param in joint.elements("param")}
            if joint.get("name") == name and MIMIC in parameters:
                yield joint
    for gazebo in root.elements("gazebo"):
        for plugin in gazebo.elements("plugin"):
            follower = plugin.find("mimicJoint")
            if follower is not None and is_mimic_plugin(plugin) and follower.text().strip() == name:
                yield plugin


def _drives(root: Element, name: str) -> Iterator[Element]:
    """Yield the transmissions that drive a joint, and its joints of ros2_control that take commands."""
    for transmission in root.elements("transmission"):
        if any(joint.get("name") == name for joint in transmission.elements("joint")):
            yield transmission
    for control in root.elements("ros2_control"):
        for joint in control.elements("joint"):
            if joint.get("name") == name and joint.find("command_interface") is not None:
                yield joint


def _states_against(draft: RobotDraft, name: str, rule: Mimic) -> Iterator[Element]:
    """Yield the positions of a joint in named states of the SRDF that its rule does not give."""
    if draft.srdf is None:
        return
    for state in draft.srdf.root.elements("group_state"):
        positions = {
            joint.get("name"): joint.get("value") or "" for joint in state.elements("joint")
        }
        if name not in positions:
            continue
        try:
            (leads,) = read_numbers(positions.get(rule.joint, ""), 1)
            (follows,) = read_numbers(positions[name], 1)
        except ValueError:
            # A state without a position of the leader does not contain the rule.
            yield state
            continue
        if abs(rule.multiplier * leads + rule.offset - follows) > AGREE:
            yield state
