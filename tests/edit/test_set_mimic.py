"""`set x.mimic`: the rule of a follower is the given one, its motion with the leader, and nothing else differs."""

import random
import re

import pytest
from conftest import examples, SEEDS
from edited_robots import any_text, ARM, assert_refused, carried_out, NOTES, written
from hypothesis import assume, given

from urdf_tools import edit
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.edit.edit_diagnostics import FOLLOWER
from urdf_tools.robot.raw_robot import RawMimic
from urdf_tools.urdf.urdf_records import MOVABLE

WRIST = """
  <link name="wheel"/>
  <joint name="wrist" type="continuous">
    <parent link="left_hand"/><child link="wheel"/>
    <!-- it turns freely --></joint>
"""
CHAIN = ARM.replace('  <link name="tool"/>', WRIST + '  <link name="tool"/>')
WRITTEN = r"\s*<mimic\b[^>]*?(/>|>[^<]*</mimic>)"  # a <mimic> with the white space before it


def rules_of(text):
    """Return the rule of each joint by its child link, None for a joint that follows nothing."""
    return {joint.child: joint.mimic for joint in read_bytes(text.encode(), "r.urdf").joints}


def without_rules(text):
    """Return a text without notes and rules of followers."""
    return re.sub(WRITTEN, "", re.sub(NOTES, "", text)).strip()


def set_mimic(text, words):
    return carried_out(text, [("set", words)])


@examples(12, fuzzed=600)
@given(SEEDS)
def test_a_rule_is_the_given_one_and_no_other_byte_differs(seed):
    r = random.Random(seed)
    text = any_text(seed)
    joints = read_bytes(text.encode(), "r.urdf").joints
    assume(joints)
    names = [joint.name for joint in joints]
    follower, leader = r.choice(joints), r.choice(joints)
    rule = RawMimic(leader.name, round(r.uniform(-2.0, 2.0), 3), round(r.uniform(-1.0, 1.0), 3))
    words = (
        f"'{follower.name}.mimic={leader.name}' multiplier={rule.multiplier} offset={rule.offset}"
    )
    if follower.mimic is not None and r.random() < 0.3:
        rule = None
        words = f"'{follower.name}.mimic=none'"
    try:
        result = set_mimic(text, words)
    except ProofFailed:
        raise
    except UrdfError as error:
        unfit = follower.type not in MOVABLE or leader.type not in MOVABLE
        assert unfit or "circle" in str(error) or names.count(leader.name) > 1, error
        return
    before, after = rules_of(text), rules_of(result.text)
    named = [joint.child for joint in joints if joint.name == follower.name]
    expected = {joint.child: rule for joint in joints if joint.child in named}
    assert follower.type in MOVABLE and {**before, **after} == after
    for child, mimic in after.items():
        moves = next(joint.type in MOVABLE for joint in joints if joint.child == child)
        assert mimic == (expected[child] if child in expected and moves else before[child])
    assert without_rules(result.text) == without_rules(text)


ONE_LINE = "".join(line.strip() for line in CHAIN.splitlines())


@pytest.mark.parametrize("text", (CHAIN, ONE_LINE))
def test_there_and_back_is_the_text(text):
    given_rule = set_mimic(text, "wrist.mimic=left_slide multiplier=-1").text
    assert rules_of(given_rule)["wheel"] == RawMimic("left_slide", -1.0, 0.0)
    assert re.sub(NOTES, "", set_mimic(given_rule, "wrist.mimic=none").text) == text
    # The whole rule is replaced: numbers that nobody gives are the default.
    other_rule = set_mimic(text, "left_slide.mimic=wrist").text
    assert rules_of(other_rule)["left_hand"] == RawMimic("wrist", 1.0, 0.0)
    back = "left_slide.mimic=left_shoulder multiplier=0.1 offset=0.01"
    assert re.sub(NOTES, "", set_mimic(other_rule, back).text) == text


def test_compare_names_exactly_the_act():
    result = set_mimic(CHAIN, "wrist.mimic=left_slide multiplier=-1 left_shoulder.effort=7")
    kinds = {
        (difference.kind, difference.where)
        for difference in compare(
            read_bytes(CHAIN.encode(), "a"), read_bytes(result.data, "b")
        ).differences
    }
    assert kinds == {("mimic_missing", "wrist"), ("effort", "left_shoulder")}
    assert result.exported.changes[0].endswith("(1 joint, 1 mimic)")


REFUSED = (
    (
        "left_shoulder.mimic=left_slide",
        ":18: .*circle: 'left_shoulder' -> 'left_slide' -> 'left_sh",
    ),
    ("wrist.mimic=wrist", "circle: 'wrist' -> 'wrist'"),
    ("wrist.mimic=left_shoulder left_shoulder.mimic=wrist", "circle: "),
    ("wrist.mimic=left_slid", "there is no joint 'left_slid' .did you mean 'left_slide'"),
    ("wrist.mimic=left_tool", r":\d+: .*'left_tool' is fixed: no joint can follow it"),
    ("left_slide.mimic=left_slid", "did you mean 'left_shoulder'"),
    ("left_tool.mimic=wrist", r":\d+: .*'left_tool' is fixed: it cannot follow"),
    ("rist.mimic=left_slide", "there is no such joint"),
    ("wrist.mimic=none", "joint 'wrist' follows no joint"),
    ("left_slide.mimic=left_shoulder multiplier=0.1 offset=0.01", "has this rule already"),
    ("wrist.mimic=", "give the joint that it follows, or none"),
    ("wrist.mimic=left_slide multiplyer=2", "no 'multiplyer' .did you mean 'multiplier'"),
    ("wrist.mimic=left_slide offset=x", "offset=x"),
    ("wrist.mimic=left_slide offset=1e200", "1e200. is too large"),
    ("left_slide.mimic=none offset=1", "follows none has no offset"),
    ("multiplier=2", "give what to set"),
    ("wrist.mimik=left_slide", "did you mean 'mimic'"),
)


@pytest.mark.parametrize("words, why", REFUSED)
def test_rules_that_cannot_be_are_refused(words, why):
    assert_refused("set", words, why, CHAIN)


BESIDE = """
  <transmission name="motor"><joint name="wrist"/></transmission>
  <ros2_control name="c" type="system"><joint name="wrist"><command_interface name="position"/>
    <param name="mimic">left_slide</param></joint></ros2_control>
  <gazebo><plugin name="p"><joint>left_slide</joint><mimicJoint>wrist</mimicJoint><multiplier>1</multiplier></plugin></gazebo>
</robot>"""
STATES = """<robot name="arm"><group name="g"><joint name="wrist"/></group>
  <group_state name="agrees" group="g"><joint name="left_slide" value="0.1"/><joint name="wrist" value="0.2"/></group_state>
  <group_state name="differs" group="g"><joint name="left_slide" value="0.1"/><joint name="wrist" value="1"/></group_state>
  <group_state name="alone" group="g"><joint name="wrist" value="0"/></group_state>
</robot>"""


def warnings_of(folder, text, words):
    """Return the sentence and line of each warning about a set rule, in the robot and in its SRDF."""
    robot = written(folder, "arm.urdf", text)
    result = edit(robot, srdf=written(folder, "arm.srdf", STATES), set=words)
    warnings = [*result.plan.warnings, *result.companions[0].updates.warnings]
    return [(each.sentence, each.line) for each in warnings if each.kind is FOLLOWER]


def test_what_contradicts_a_rule_is_named(tmp_path):
    text = CHAIN.replace("\n</robot>", BESIDE)
    line = text[: text.index('<transmission name="motor"')].count("\n") + 1
    found = warnings_of(tmp_path, text, "wrist.mimic=left_slide multiplier=2")
    assert sorted(found) == [
        ("drive", line),
        ("drive", line + 1),
        ("rule", line + 1),
        ("rule", line + 3),
        ("state", 3),
        ("state", 4),
    ]
    assert [sentence for sentence, _ in warnings_of(tmp_path, CHAIN, "left_slide.mimic=none")] == []
    found = warnings_of(tmp_path, CHAIN, "left_slide.mimic=left_shoulder multiplier=0 offset=0.1")
    assert [sentence for sentence, _ in found] == ["still", "state", "state"]


MJCF = """<mujoco model="m"><worldbody><body name="b"><geom size="1"/>
  <body name="l"><joint name="left" type="slide" range="0 1"/><geom size="1"/></body>
  <body name="r"><joint name="right" type="slide" range="0 1"/><geom size="1"/></body>
</body></worldbody>
<equality><joint joint1="right" joint2="left" polycoef="0 1 0 0 0"/></equality></mujoco>"""


def test_a_rule_of_mjcf_is_replaced(tmp_path):
    robot = written(tmp_path, "m.xml", MJCF)
    assert rules_of(edit(robot, set="right.mimic=left multiplier=-1").text)["r"] == RawMimic(
        "left", -1.0, 0.0
    )
    assert rules_of(edit(robot, set="right.mimic=none").text)["r"] is None
