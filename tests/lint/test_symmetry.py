"""Left and right: quiet on a robot that is its own mirror image, and every kind of difference is found where it is."""
from pathlib import Path
from typing import List, Tuple

import golden
import pytest

from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.run.pipeline import simplify
from urdf_tools.urdf.reader import read_robot
from urdf_tools.lint.kinds import LEFT_RIGHT
from urdf_tools.lint.of_result import findings_of_result
from urdf_tools.lint.symmetry import find_asymmetries

SIDE = ('<link name="{s}_arm"><inertial><origin xyz="0.01 {c} -0.1"/><mass value="2"/><inertia ixx="0.02" ixy="{xy}" '
        'ixz="0.001" iyy="0.03" iyz="0" izz="0.025"/></inertial></link>'
        '<joint name="{s}_shoulder_roll" type="revolute"><parent link="base"/><child link="{s}_arm"/>'
        '<origin xyz="0 {y} 0.4"/><axis xyz="1 0 0"/><limit lower="{low}" upper="{high}" effort="1" velocity="1"/>'
        '</joint><link name="{s}_hand"/><joint name="{s}_elbow" type="revolute"><parent link="{s}_arm"/>'
        '<child link="{s}_hand"/>'
        '<origin xyz="0 0 -0.3"/><axis xyz="0 1 0"/><limit lower="-2" upper="0.1" effort="1" velocity="1"/></joint>')
LEFT = SIDE.format(s="left", c="0.02", xy="0.002", y="0.2", low="-0.3", high="1.5")
RIGHT = SIDE.format(s="right", c="-0.02", xy="-0.002", y="-0.2", low="-1.5", high="0.3")


def differences(right: str) -> List[Tuple[str, str]]:
    """Return (left, what) of a robot with this right side."""
    text = f'<robot name="r"><link name="base"/>{LEFT}{right}</robot>'
    return [(found.left, found.what)
            for found in find_asymmetries(read_robot(parse_document(text.encode("utf-8"), "robot.urdf")))]


def test_quiet_on_a_mirror_image() -> None:
    assert differences(RIGHT) == []


@pytest.mark.parametrize(("old", "new", "found"), (
    ('lower="-1.5" upper="0.3"', 'lower="-0.3" upper="1.5"', ("left_shoulder_roll", "limits")),
    ('lower="-2" upper="0.1"', 'lower="-0.1" upper="2"', ("left_elbow", "limits")),
    ('<axis xyz="0 1 0"/>', '<axis xyz="1 0 0"/>', ("left_elbow", "axis")),
    ('xyz="0 0 -0.3"', 'xyz="0 0 -0.31"', ("left_elbow", "origin")),
    ('right_elbow" type="revolute"', 'right_elbow" type="continuous"', ("left_elbow", "type")),
    ('mass value="2"', 'mass value="2.1"', ("left_arm", "mass")),
    ('xyz="0.01 -0.02 -0.1"', 'xyz="0.01 0.02 -0.1"', ("left_arm", "center")),
    ('ixy="-0.002"', 'ixy="0.002"', ("left_arm", "inertia"))))
def test_one_difference_is_listed_once(old: str, new: str, found: Tuple[str, str]) -> None:
    assert old in RIGHT and differences(RIGHT.replace(old, new, 1)) == [found]


def test_noise_is_no_difference() -> None:
    assert differences(RIGHT.replace("-0.3", "-0.30001").replace('"2"', '"2.001"')) == []


def test_a_flipped_axis_with_its_limits_is_the_same() -> None:
    flipped = RIGHT.replace('<axis xyz="0 1 0"/><limit lower="-2" upper="0.1"',
                            '<axis xyz="0 -1 0"/><limit lower="-0.1" upper="2"')
    assert flipped != RIGHT and differences(flipped) == []


def test_the_humanoid_has_two() -> None:
    """Each is said in the line of the right joint in the input."""
    source = (golden.FIXTURES / "humanoid" / "robot.urdf").read_text(encoding="utf-8").splitlines()
    found = [one for one in findings_of_result(simplify(golden.FIXTURES / "humanoid" / "robot.urdf"))
             if one.kind is LEFT_RIGHT]
    assert [one.text for one in found] == [
        "the axis of 'left_ankle_pitch_joint' is 0 1 0, that of 'right_ankle_pitch_joint' 1 0 0 (mirrored: 0 1 0)",
        "the limits of 'left_knee_joint' are 0 2.356, those of 'right_knee_joint' 0 2.059 (mirrored: 0 2.356)"]
    assert [f'name="{one.names[1]}"' in source[one.line - 1] for one in found] == [True, True]


def test_the_robot_this_was_made_for(shared: Path) -> None:
    found = find_asymmetries(simplify(shared / "robots" / "robot_v1.urdf").after)
    named = {(one.right, one.what): one for one in found}
    assert named["right_ankle_pitch_joint", "axis"].right_value == pytest.approx((1, 0, 0), abs=0.01)
    assert named["right_knee_joint", "limits"].right_value == pytest.approx((-0.1919, 2.339), abs=1e-3)
    assert named["right_knee_joint", "limits"].mirrored == pytest.approx((-1.571, 0), abs=1e-3)
