"""`set x.type`: the joint has this type, its limits are those of the type, and nothing else differs."""

import random
import re

import pytest
from conftest import examples, SEEDS
from edited_robots import any_text, ARM, assert_refused, carried_out, NOTES, SRDF, written
from hypothesis import assume, given

from urdf_tools import edit
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.edit.joint_types import TYPES
from urdf_tools.edit.edit_diagnostics import TYPE_SET

WHEEL = """
  <link name="wheel"/>
  <joint name="axle" type="{}">
    <parent link="base"/><child link="wheel"/><origin xyz="0 1 0"/>{}
  </joint>
</robot>"""


def with_wheel(kind, parts=""):
    """Return an arm with a wheel on a joint of its own."""
    return ARM.replace("\n</robot>", WHEEL.format(kind, parts))


FREE = with_wheel("continuous", '\n    <axis xyz="0 1 0"/>')
HELD = with_wheel("fixed")
HINGED = with_wheel(
    "revolute", '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="3"/>'
)


def set_type(text, words):
    return carried_out(text, [("set", words)])


@examples(12, fuzzed=600)
@given(SEEDS)
def test_the_type_is_the_given_one_and_no_other_joint_differs(seed):
    r = random.Random(seed)
    text = any_text(seed)
    joints = read_bytes(text.encode(), "r.urdf").joints
    assume(joints)
    joint = r.choice(joints)
    kind = r.choice(TYPES)
    words = f"'{joint.name}.type={kind}'"
    if kind != "fixed" and r.random() < 0.8:
        words += " axis=0,0,1"
    if kind in ("revolute", "prismatic"):
        values = {"lower": -0.5, "upper": 0.75, "effort": 3, "velocity": 2}
        words += "".join(f" '{joint.name}.{key}={value}'" for key, value in values.items())
    try:
        result = set_type(text, words)
    except ProofFailed:
        raise
    except UrdfError as error:
        assert len(str(error)) > 20
        return
    before = {each.child: each for each in joints}
    after = {each.child: each for each in read_bytes(result.data, "r.urdf").joints}
    assert before.keys() == after.keys()
    for child, each in after.items():
        if before[child].name == joint.name:
            ends = (-0.5, 0.75) if kind in ("revolute", "prismatic") else (None, None)
            assert (each.type, each.lower, each.upper) == (kind, *ends)
            assert each.T_parent_child == before[child].T_parent_child
        else:
            assert each._replace(line=0) == before[child]._replace(line=0)


def test_a_wheel_is_made_to_turn_and_back():
    hinged = set_type(
        FREE, "axle.type=revolute axle.lower=-1 axle.upper=1 axle.effort=5 axle.velocity=3"
    )
    assert '<limit lower="-1" upper="1" effort="5" velocity="3"/>' in hinged.text
    assert 'upper="1" effort="5" velocity="3"' not in set_type(HINGED, "axle.type=continuous").text
    turning = set_type(HELD, "axle.type=continuous axis=0,1,0").text
    assert '<axis xyz="0 1 0"/>' in turning
    assert re.sub(NOTES, "", set_type(turning, "axle.type=fixed").text) == HELD


def test_compare_names_exactly_the_act():
    made = set_type(HINGED, "axle.type=continuous")
    kinds = {
        (difference.kind, difference.where)
        for difference in compare(
            read_bytes(HINGED.encode(), "a"), read_bytes(made.data, "b")
        ).differences
    }
    assert {where for _, where in kinds} == {"axle"}
    assert made.exported.changes == ("set axle.type=continuous (1 type)",)


REFUSED = (
    (FREE, "axle.type=revolute", r":\d+: .*add axle.lower=... axle.upper=... axle.effort"),
    (FREE, "axle.type=revolut", "did you mean 'revolute'"),
    (FREE, "axle.type=floating", "there are revolute, continuous, prismatic, fixed"),
    (FREE, "axle.type=continuous", r":\d+: .*'axle' is continuous already"),
    (FREE, "axel.type=fixed", "no such joint .did you mean 'axle'"),
    (HELD, "axle.type=continuous", r":\d+: .*has no axis: add axis=0,0,1"),
    (with_wheel("floating"), "axle.type=fixed", r":\d+: .*is floating: .*--only wheel"),
    (HELD, "axle.type=continuous axis=0,0,0", "has no direction"),
    (HELD, "axle.type=continuous axis=0,0", "no single meaning as 3 numbers"),
    (FREE, "axle.type=fixed axis=0,0,1", "a fixed joint has no axis"),
    (FREE, "axle.type=continuous axes=0,0,1", "did you mean 'axis'"),
    (ARM, "left_shoulder.type=fixed", r":\d+: .*<mimic.* has its position; --lock left_shoulder=0"),
    (ARM, "left_slide.type=fixed", r":\d+: .*<mimic"),
    (FREE, "axle.type=continuous axle.lower=1", "already"),
    (HINGED, "axle.type=continuous axle.lower=1", "is continuous: it has no limits"),
)


@pytest.mark.parametrize("text, words, why", REFUSED)
def test_types_that_cannot_be_are_refused(text, words, why):
    assert_refused("set", words, why, text)


def test_a_state_of_the_srdf_forbids_a_fixed_joint(tmp_path):
    srdf = written(tmp_path, "arm.srdf", SRDF.replace("left_shoulder", "axle"))
    robot = written(tmp_path, "arm.urdf", FREE)
    with pytest.raises(UrdfError, match=r"arm.srdf:4: .*has its position"):
        edit(robot, srdf=srdf, set="axle.type=fixed")
    # The positions of a continuous and of a revolute joint mean the same.
    limits = "axle.lower=-1 axle.upper=1 axle.effort=1 axle.velocity=1"
    assert edit(robot, srdf=srdf, set=f"axle.type=revolute {limits}")


def test_what_names_a_fixed_joint_is_named():
    text = FREE.replace("</robot>", '<gazebo reference="axle"><mu>1</mu></gazebo>\n</robot>')
    warnings = set_type(text, "axle.type=fixed").plan.warnings
    assert [each.sentence for each in warnings if each.kind is TYPE_SET] == ["named"]
