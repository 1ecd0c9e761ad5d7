"""What single tags mean: facts that the plan and the proof share, so that no run can find them wrong."""
from typing import List, Tuple

import golden
import pytest

from urdf_tools.plan.options import Options
from urdf_tools.run.pipeline import simplify_bytes
from urdf_tools.run.records import Result

MIMIC = ('<gazebo><plugin name="m" filename="m.so"><joint>{}</joint><mimicJoint>{}</mimicJoint>'
         "<multiplier>0.5</multiplier><offset>0.2</offset></plugin></gazebo>")
COUPLING = '<coupling name="c"><predecessor link="{}"/><successor link="{}"/><ratio value="3"/></coupling>'
TOE = ('<link name="toe"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
       '</inertial></link><joint name="toe_joint" type="continuous"><parent link="shin"/><child link="toe"/>'
       '<axis xyz="0 0 -1"/></joint>')
ENDS = ('<drake:{0}><drake:{0}_body_A name="base_link"/><drake:{0}_body_B name="shin"/>'
        '<drake:{0}_p_AP value="1 2 3"/></drake:{0}>')


def with_block(block: str) -> Result:
    """Simplify a robot whose joint `knee` changes its sign, with one more block."""
    text = (golden.FIXTURES / "follow/capsule/robot.urdf").read_text(encoding="utf-8")
    text = text.replace("</robot>", block + "</robot>")
    return simplify_bytes(text.encode("utf-8"), "r.urdf", Options(base_frame="ros"))


@pytest.mark.parametrize(("block", "written"), (
    (MIMIC.format("knee", "other"), ["<multiplier>-0.5<", "<offset>0.2<"]),  # q_follower = multiplier * q + offset
    (MIMIC.format("other", "knee"), ["<multiplier>-0.5<", "<offset>-0.2<"]),
    (MIMIC.format("other", "more"), ["<multiplier>0.5<", "<offset>0.2<"]),
    ('<gazebo reference="knee"><springReference value="0.2"/></gazebo>', ['value="-0.2"']),
    (TOE + COUPLING.format("toe", "shin"), ['<ratio value="3"/>']),  # the knee is above both
    ("<drake:tendon_constraint><drake:tendon_constraint_joint name='knee' a='2'/></drake:tendon_constraint>",
     ["a='-2'"])))
def test_signs(block: str, written: List[str]) -> None:
    result = with_block(block)
    assert result.plan.signs["knee"] == -1
    assert all(part in result.text for part in written), result.text
    assert [notice.kind.name for notice in result.plan.updates.warnings] == []


@pytest.mark.parametrize(("tag", "kinds"), (("ball_constraint", []), ("linear_spring_damper", ["missing-point"])))
def test_a_point_that_is_not_written(tag: str, kinds: List[str]) -> None:
    """Drake puts that of a ball constraint where the other one is, that of a spring at the origin of its body."""
    assert [notice.kind.name for notice in with_block(ENDS.format(tag)).plan.updates.warnings] == kinds


@pytest.mark.parametrize("ends", (("base_link", "shin"), ("toe", "base_link")))
def test_joints_of_a_coupling_that_do_not_agree(ends: Tuple[str, str]) -> None:
    warnings = with_block(TOE + COUPLING.format(*ends)).plan.updates.warnings
    assert [notice.kind.name for notice in warnings] == ["coupling-sign"]


@pytest.mark.parametrize("tag", (
    "frameName", "frame_name", "frameId", "frame_id", "gz_frame_id", "ignition_frame_id", "frame", "base_link",
    "base_frame", "child_frame", "robotBaseFrame", "robot_base_frame"))
def test_names_that_plugins_look_up_in_tf(tag: str) -> None:
    block = f'<gazebo><plugin name="p" filename="p.so"><{tag}>shin</{tag}></plugin></gazebo>'
    assert [notice.kind.name for notice in with_block(block).plan.updates.warnings] == ["frame-name"]


@pytest.mark.parametrize("tag", ("bodyName", "body_name", "linkName", "link_name", "link", "body", "gripper_link",
                                 "palm_link", "parent", "child"))
def test_names_of_bodies_in_blocks(tag: str) -> None:
    """The block is no plugin, so that nothing of it is given in the frame of the body."""
    result = with_block(f"<gazebo><attach><{tag}>foot</{tag}></attach></gazebo>")
    assert f"<{tag}>shin</{tag}>" in result.text and "foot" in result.plan.members
