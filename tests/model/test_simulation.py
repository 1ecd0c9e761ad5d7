"""What `<gazebo>` says of links and joints, as the simulator counts it, and where it goes in MJCF and SDF."""

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest

from urdf_tools import model as m
from urdf_tools.model.model_diagnostics import EXPORT_LOST
from urdf_tools.export.mjcf_exporter import write_mjcf
from urdf_tools.export.sdf_exporter import write_sdf
from urdf_tools.model.export_options import MjcfOptions, SdfOptions

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
BOX = '<geometry><box size="1 1 1"/></geometry>'


def robot_with(*blocks):
    """Return base, and arm a quarter turn about z and 1 m up on a hinge, with these blocks."""
    return m.Robot.from_urdf(f"""<robot name="r"><link name="base">{INERTIAL}</link>
      <link name="arm">{INERTIAL}<collision>{BOX}</collision><visual>{BOX}</visual></link>
      <joint name="j" type="continuous"><parent link="base"/><child link="arm"/>
        <origin xyz="0 0 1" rpy="0 0 {math.pi / 2!r}"/><axis xyz="0 0 1"/></joint>{"".join(blocks)}</robot>""")


def of_arm(*tags):
    return f'<gazebo reference="arm">{"".join(tags)}</gazebo>'


def arm_of(robot):
    return robot.links[1]


def mjcf(robot):
    return write_mjcf(robot, MjcfOptions()).text


def sdf(robot):
    return ElementTree.fromstring(write_sdf(robot, SdfOptions()).text)


@pytest.mark.parametrize(
    "tag, field, value",
    [
        ("<turnGravityOff>true</turnGravityOff>", "gravity", False),
        ("<turnGravityOff>No</turnGravityOff>", "gravity", True),
        ("<turnGravityOff>what</turnGravityOff>", "gravity", False),
        ("<gravity>0</gravity>", "gravity", False),
        ("<selfCollide>YES</selfCollide>", "self_collide", True),
        ("<selfCollide>what</selfCollide>", "self_collide", False),
        ("<dampingFactor>0.1</dampingFactor>", "velocity_decay", 0.1),
        ('<dampingFactor value="0.1">0.2</dampingFactor>', "velocity_decay", 0.1),
        ("<self_collide>1</self_collide><self_collide>0</self_collide>", "self_collide", True),
    ],
)
def test_words_count_as_gazebo_counts_them(tag, field, value):
    assert getattr(arm_of(robot_with(of_arm(tag))), field) == value


def test_of_two_values_the_last_counts():
    robot = robot_with(
        of_arm("<mu1>1</mu1><turnGravityOff>true</turnGravityOff>"),
        of_arm("<mu1>0.5</mu1><mu1>0.05</mu1><turnGravityOff>false</turnGravityOff>"),
    )
    assert arm_of(robot).collisions[0].surface == m.Surface(mu1=0.05)
    assert (arm_of(robot).gravity, robot.extensions) == (True, ())
    springs = [
        f'<gazebo reference="j"><{tag}>{value}</{tag}></gazebo>'
        for tag, value in (("springStiffness", 1), ("springStiffness", 2), ("springReference", 3))
    ]
    assert robot_with(*springs).joints[0].spring == m.Spring(2.0, 3.0)


def test_what_is_said_of_a_link_goes_to_sdf_and_mjcf_and_comes_back():
    robot = robot_with(
        of_arm(
            "<turnGravityOff>true</turnGravityOff><maxContacts>5</maxContacts>",
            "<laserRetro>3</laserRetro><dampingFactor>0.1</dampingFactor>",
            "<material>Gazebo/Blue</material>",
        )
    )
    link = sdf(robot).find(".//link[@name='arm']")
    assert link is not None
    said = [
        link.findtext(path)
        for path in (
            "gravity",
            "collision/max_contacts",
            "collision/laser_retro",
            "velocity_decay/linear",
            "velocity_decay/angular",
            "visual/material/script/name",
            "visual/material/script/uri",
        )
    ]
    assert said == [
        "false",
        "5",
        "3",
        "0.1",
        "0.1",
        "Gazebo/Blue",
        "file://media/materials/scripts/gazebo.material",
    ]
    assert re.findall(r'<body name="(\w+)".* gravcomp="1"', mjcf(robot)) == ["arm"]
    assert m.Robot.from_urdf(robot.to_urdf()) == robot == m.Robot.from_json(robot.to_json())


def test_what_is_said_of_a_joint_goes_to_sdf():
    robot = robot_with(
        '<gazebo reference="j"><stopCfm>0.1</stopCfm><stopErp>0.2</stopErp><fudgeFactor>0.3'
        "</fudgeFactor><provideFeedback>yes</provideFeedback><implicitSpringDamper>no"
        "</implicitSpringDamper><preserveFixedJoint>true</preserveFixedJoint></gazebo>"
    )
    joint = sdf(robot).find(".//joint[@name='j']/physics")
    assert joint is not None
    said = [
        joint.findtext(path)
        for path in (
            "ode/limit/cfm",
            "ode/limit/erp",
            "ode/fudge_factor",
            "provide_feedback",
            "ode/implicit_spring_damper",
        )
    ]
    assert said == ["0.1", "0.2", "0.3", "true", "false"]
    assert not [note for note in write_sdf(robot, SdfOptions()).notes if note.kind is EXPORT_LOST]


H = math.sqrt(0.5)


@pytest.mark.parametrize(
    "pose, xyz, rpy",
    [
        ('<pose degrees="true">1 2 3 0 0 90</pose>', (1.0, 2.0, 3.0), (0.0, 0.0, math.pi / 2)),
        (
            f'<pose rotation_format="quat_xyzw">1 2 3 0 0 {H} {H}</pose>',
            (1.0, 2.0, 3.0),
            (0.0, 0.0, math.pi / 2),
        ),
        ('<pose relative_to="base">0 3 1 0 0 0</pose>', (3.0, 0.0, 0.0), (0.0, 0.0, -math.pi / 2)),
        (
            '<pose relative_to="__model__" degrees="1">0 3 1 0 0 90</pose>',
            (3.0, 0.0, 0.0),
            (0.0, 0.0, 0.0),
        ),
        ('<pose relative_to="j">0 3 1 0 0 0</pose>', (0.0, 3.0, 1.0), (0.0, 0.0, 0.0)),
        ('<pose relative_to="" frame="">1 2 3 0 0 0</pose>', (1.0, 2.0, 3.0), (0.0, 0.0, 0.0)),
    ],
)
def test_the_pose_of_a_sensor_is_read_as_sdf_has_it(pose, xyz, rpy):
    robot = robot_with(of_arm(f'<sensor name="s" type="imu">{pose}</sensor>'))
    origin = robot.sensors[0].origin
    assert origin.xyz == pytest.approx(xyz, abs=1e-12) and origin.rpy == pytest.approx(
        rpy, abs=1e-12
    )
    written = sdf(robot).find(".//link[@name='arm']/sensor/pose")
    assert written is not None and not written.attrib
    assert [float(word) for word in (written.text or "").split()] == pytest.approx(
        [*xyz, *rpy], abs=1e-12
    )
    assert '<gyro name="s_gyro" site="s"/>' in mjcf(robot)
    assert m.Robot.from_urdf(robot.to_urdf()) == robot


@pytest.mark.parametrize(
    "pose",
    [
        '<pose relative_to="nobody">0 0 0 0 0 0</pose>',
        '<pose frame="base">0 0 0 0 0 0</pose>',
        "<pose>1 2</pose>",
        '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose>',
    ],
)
def test_a_sensor_whose_place_is_not_known_is_named_by_both(pose):
    robot = robot_with(of_arm(f'<sensor name="s" type="imu">{pose}</sensor>'))
    for written in (write_sdf(robot, SdfOptions()), write_mjcf(robot, MjcfOptions())):
        assert ("<sensor> 's'", "arm") in [note.names[:2] for note in written.notes]
        assert "<gyro" not in written.text and "<sensor" not in written.text


def test_what_has_no_place_is_named_to_the_last():
    tags = [f"<odd{number}/>" for number in range(9)]
    robot = robot_with(
        of_arm(*tags),
        of_arm("<mu1>0.5</mu1>"),
        '<gazebo reference="base"><odd1/><mu1>1</mu1></gazebo>',
    )
    for written, name in (
        (write_sdf(robot, SdfOptions()), "SDF"),
        (write_mjcf(robot, MjcfOptions()), "MJCF"),
    ):
        lost = [note.names for note in written.notes if note.sentence.startswith("element")]
        assert lost == sorted(
            [*((f"<odd{number}>", "arm", name) for number in range(9)), ("<odd1>", "base", name)]
        )


def test_what_stands_in_links_and_joints_and_is_no_urdf_is_named():
    robot = m.Robot.from_urdf(
        f'<robot name="r"><link name="a" type="laser">{INERTIAL}<tcp x="1"/><visual>{BOX}<material name="m"><gloss/>'
        '</material></visual></link><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
        '<spring k="1"/></joint></robot>'
    )
    for written in (write_sdf(robot, SdfOptions()), write_mjcf(robot, MjcfOptions())):
        assert [
            note.names[:2] for note in written.notes if note.sentence.startswith("element")
        ] == [("<gloss>", "a"), ("<link> type", "a"), ("<spring>", "j"), ("<tcp>", "a")]
