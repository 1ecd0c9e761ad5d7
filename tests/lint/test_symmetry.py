"""Left and right: quiet on a robot that is its own mirror image, and every kind of difference is found where it is."""

import re

import golden
import pytest
from conftest import examples, SEEDS
from edited_robots import carried_out, random_text
from hypothesis import assume, given, strategies as st

from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.lint.lint_diagnostics import LEFT_RIGHT
from urdf_tools.lint.program_rules import findings_of_result
from urdf_tools.lint.left_right_symmetry import left_right, limbs_of
from urdf_tools.run.run_pipeline import simplify
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import read_robot

SIDE = (
    '<link name="{s}_arm"><inertial><origin xyz="0.01 {c} -0.1"/><mass value="2"/><inertia ixx="0.02" ixy="{xy}" '
    'ixz="0.001" iyy="0.03" iyz="0" izz="0.025"/></inertial></link>'
    '<joint name="{s}_shoulder_roll" type="revolute"><parent link="base"/><child link="{s}_arm"/>'
    '<origin xyz="0 {y} 0.4"/><axis xyz="1 0 0"/><limit lower="{low}" upper="{high}" effort="1" velocity="1"/>'
    '</joint><link name="{s}_hand"><inertial><mass value="1.5"/><inertia ixx="0.01" ixy="0" ixz="0" '
    'iyy="0.02" iyz="0" izz="0.025"/></inertial></link><joint name="{s}_elbow" type="revolute">'
    '<parent link="{s}_arm"/><child link="{s}_hand"/>'
    '<origin xyz="0 0 -0.3"/><axis xyz="0 1 0"/><limit lower="-2" upper="0.1" effort="40" velocity="3"/></joint>'
    '<link name="{s}_tool"/><joint name="{s}_tool" type="fixed"><parent link="{s}_hand"/><child link="{s}_tool"/>'
    '<origin xyz="0 {c_tool} -0.1"/></joint>'
)
LEFT = SIDE.format(s="left", c="0.02", c_tool="0.05", xy="0.002", y="0.2", low="-0.3", high="1.5")
RIGHT = SIDE.format(
    s="right", c="-0.02", c_tool="-0.05", xy="-0.002", y="-0.2", low="-1.5", high="0.3"
)


def findings(text):
    """Return what is found on the left and the right of a robot that faces along X."""
    return [
        found
        for limbs in limbs_of(read_robot(parse_document(text.encode("utf-8"), "robot.urdf")))
        for found in left_right(limbs)
    ]


def differences(right, left=LEFT):
    """Return (left, sentence) of a robot with this right side."""
    return [
        (found.names[0], found.sentence)
        for found in findings(f'<robot name="r"><link name="base"/>{left}{right}</robot>')
    ]


def test_quiet_on_a_mirror_image():
    assert differences(RIGHT) == []


# Each edit of the right side, the joint or link on the left, and the sentence.
MUTANTS = (
    ('lower="-1.5" upper="0.3"', 'lower="-0.3" upper="1.5"', "left_shoulder_roll", "limits"),
    ('lower="-2" upper="0.1"', 'lower="-0.1" upper="2"', "left_elbow", "limits"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="1 0 0"/>', "left_elbow", "tilted"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0.01 1 0"/>', "left_elbow", "tilted"),
    ('xyz="0 0 -0.3"', 'xyz="0 0 -0.31"', "left_elbow", "shifted"),
    ('xyz="0 0 -0.3"', 'xyz="0 0.01 -0.3"', "left_elbow", "along"),
    ('xyz="0 -0.05 -0.1"', 'xyz="0 -0.05 -0.103"', "left_tool", "shifted"),
    ('right_elbow" type="revolute"', 'right_elbow" type="continuous"', "left_elbow", "limits"),
    ('right_elbow" type="revolute"', 'right_elbow" type="prismatic"', "left_elbow", "type"),
    ('right_elbow" type="revolute"', 'right_elbow" type="fixed"', "left_elbow", "type"),
    ('effort="40"', 'effort="50"', "left_elbow", "effort"),
    ('velocity="3"', 'velocity="2"', "left_elbow", "velocity"),
    ('mass value="2"', 'mass value="2.2"', "left_arm", "mass"),
    ('xyz="0.01 -0.02 -0.1"', 'xyz="0.01 0.02 -0.1"', "left_arm", "center"),
    ('ixx="0.02"', 'ixx="0.024"', "left_arm", "tensor"),
    ('ixy="-0.002"', 'ixy="0.002"', "left_arm", "tensor_turned"),
    (
        'ixx="0.01" ixy="0" ixz="0" iyy="0.02"',
        'ixx="0.02" ixy="0" ixz="0" iyy="0.01"',
        "left_hand",
        "tensor_turned",
    ),
    ('xyz="0 0 -0.3"', 'xyz="0 0 -0.301"', "left_arm", "twin"),
    ('mass value="2"', 'mass value="2.08"', "left_arm", "twin"),
)


@pytest.mark.parametrize(("old", "new", "name", "sentence"), MUTANTS)
def test_one_difference_is_listed_once(old, new, name, sentence):
    assert old in RIGHT and differences(RIGHT.replace(old, new, 1)) == [(name, sentence)]


def test_every_sentence_has_a_mutant():
    assert {*LEFT_RIGHT.sentences} == {sentence for *_, sentence in MUTANTS} | {"small"}


def test_small_differences_beside_others_are_one_line():
    right = RIGHT.replace('"0 0 -0.3"', '"0 0 -0.301"').replace(
        '"0 -0.05 -0.1"', '"0 -0.05 -0.1015"'
    )
    (found,) = findings(f'<robot name="r"><link name="base"/>{LEFT}{right}</robot>')
    assert found.text == (
        "'right_arm' with its descendants is the mirror image of 'left_arm', except for "
        "right_tool (1.5 mm), right_elbow (1 mm)"
    )
    assert differences(right.replace('effort="40"', 'effort="50"')) == [
        ("left_elbow", "effort"),
        ("left_arm", "small"),
    ]


def test_noise_is_no_difference():
    assert differences(RIGHT.replace("-0.3", "-0.30001").replace('"2"', '"2.001"')) == []


def test_a_flipped_axis_with_its_limits_is_the_same():
    flipped = RIGHT.replace(
        '<axis xyz="0 1 0"/><limit lower="-2" upper="0.1"',
        '<axis xyz="0 -1 0"/><limit lower="-0.1" upper="2"',
    )
    assert flipped != RIGHT and differences(flipped) == []


@examples(fuzzed=15)
@given(SEEDS, st.data())
def test_quiet_on_what_the_act_mirror_makes(seed, data):
    """Law: any robot beside its twin, whatever counts the other way."""
    text = re.sub("left|right|world", "part", random_text(seed))
    assume("closing_" not in text)  # ends of loops, whose names begin so
    robot = read_bytes(text.encode(), "robot.urdf")
    (top,) = {link.name for link in robot.links} - {joint.child for joint in robot.joints}
    lines = [joint.name for joint in robot.joints if joint.type in ("revolute", "continuous")]
    flipped = data.draw(st.sets(st.sampled_from(lines))) if lines else set()
    mirrored = carried_out(
        text,
        [
            ("prefix", "left_"),
            ("add_root", "base xyz='0 0.3 0.1'"),
            ("rename", "joint:base_joint=left_joint"),
            ("mirror", f"left_{top} /^left_/=right_"),
            *(("flip", f"right_{name}") for name in sorted(flipped)),
        ],
    ).text
    (limbs,) = limbs_of(read_robot(parse_document(mirrored.encode(), "robot.urdf")))
    assert len(limbs.robots.pairs) >= len(limbs.robots.a.joints) > 0 and left_right(limbs) == []


def test_fingers_of_one_hand_are_no_limbs():
    """They face each other along another axis, or hang on a body that is not in the middle."""
    text = f'<robot name="r"><link name="base"/>{LEFT}{RIGHT.replace("0.02", "0.03")}</robot>'
    assert findings(text)
    along_x = text.replace('xyz="0 0.2 0.4"', 'xyz="0.2 0 0.4"').replace(
        'xyz="0 -0.2 0.4"', 'xyz="-0.2 0 0.4"'
    )
    assert not findings(along_x)
    aside = text.replace('"base"', '"palm"').replace(
        '<link name="palm"/>',
        (
            '<link name="base"/><link name="palm"/><joint name="wrist" type="continuous"><parent link="base"/>'
            '<child link="palm"/><origin xyz="0 {} 0"/></joint>'
        ),
    )
    assert findings(aside.format(0.0)) and not findings(aside.format(0.3))


def test_the_humanoid_has_two():
    """Each is said in the line of the right joint in the input."""
    source = (golden.FIXTURES / "humanoid" / "robot.urdf").read_text("utf-8").splitlines()
    found = [
        one
        for one in findings_of_result(simplify(golden.FIXTURES / "humanoid" / "robot.urdf"))
        if one.kind is LEFT_RIGHT
    ]
    assert [one.text for one in found] == [
        "the axis of 'right_ankle_pitch_joint' is turned by 90 degrees from the mirror image of the axis of "
        "'left_ankle_pitch_joint'",
        "the limits of 'right_knee_joint' are [0, 2.05949], and the mirrored limits of 'left_knee_joint' are [0, 2.35619]",
    ]
    assert [f'name="{one.names[1]}"' in source[one.line - 1] for one in found] == [True, True]


def test_the_robot_this_was_made_for(shared):
    robot = simplify(shared / "robots" / "robot_v1.urdf").after
    named = {
        (found.names[1], found.sentence): found
        for limbs in limbs_of(robot)
        for found in left_right(limbs)
    }
    assert named["right_ankle_pitch_joint", "tilted"].numbers[0] == pytest.approx(1.5708, abs=0.01)
    assert named["right_knee_joint", "limits"].names[3:] == ("[-0.191906, 2.33882]", "[-1.5708, 0]")
