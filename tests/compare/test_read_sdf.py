"""The reader of SDF for the comparison: rules of frames, one by one; our own SDF is the robot of its URDF."""

import pytest
from raw_kinematics import near

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.given_or_searched_map import IDENTITY
from urdf_tools.formats.sdf.read_sdf import read_sdf

LINK = '<link name="{0}"><pose{2}>{1}</pose><inertial><mass>2</mass></inertial></link>'
TWO = LINK.format("a", "0 0 1 0 0 0", "") + LINK.format("b", "0 1 1 0 0 1.5707963267948966", "")
JOINT = """<joint name="j" type="revolute"><parent>a</parent><child>b</child>{0}
 <axis><xyz{1}>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>-1</effort></limit>{2}</axis></joint>"""


def sdf(inside, version="1.9"):
    return f'<sdf version="{version}"><model name="m">{inside}</model></sdf>'


@pytest.mark.parametrize(
    "pose, expressed, inside, version, axis, point",
    [
        ("", "", "", "1.9", (0, 1, 0), (0, 0, 0)),  # the joint is where its child is
        ("<pose>0 0 3 0 0 1.5707963267948966</pose>", "", "", "1.9", (-1, 0, 0), (0, 0, 3)),
        ("", ' expressed_in="__model__"', "", "1.9", (1, 0, 0), (0, 0, 0)),
        ("", ' expressed_in="a"', "", "1.9", (1, 0, 0), (0, 0, 0)),
        ('<pose relative_to="a">0 0 3 0 0 0</pose>', "", "", "1.9", (1, 0, 0), (-1, 0, 3)),
        ("", "", "<use_parent_model_frame>1</use_parent_model_frame>", "1.6", (1, 0, 0), (0, 0, 0)),
        ("", "", "", "1.6", (0, 1, 0), (0, 0, 0)),
        ("", "", "", "1.4", (1, 0, 0), (0, 0, 0)),
    ],
)
def test_where_an_axis_is(pose, expressed, inside, version, axis, point):
    robot = read_sdf(sdf(TWO + JOINT.format(pose, expressed, inside), version))
    joint = robot.joints[0]
    near(joint.axis, axis)
    near(joint.point, point)
    near(joint.T_parent_child.translation, (0.0, 1.0, 0.0))
    assert (joint.lower, joint.upper, joint.effort, joint.velocity) == (-1.0, 2.0, None, None)
    assert robot.unread == () and robot.base == "free"


def test_frames_and_poses_that_are_relative():
    robot = read_sdf(
        sdf(
            TWO
            + JOINT.format("", "", "")
            + """
        <frame name="f" attached_to="j"><pose>0 0 1 0 0 0</pose></frame>
        <frame name="g" attached_to="f"><pose relative_to="a" degrees="true">0 0 5 0 0 90</pose></frame>"""
        )
    )
    assert [(frame.name, frame.link) for frame in robot.frames] == [("f", "b"), ("g", "b")]
    near(robot.frames[0].T_link_frame.translation, (0, 0, 1))
    near(robot.frames[1].T_link_frame.translation, (-1, 0, 5))
    near(robot.frames[1].T_link_frame.rotation, ((1, 0, 0), (0, 1, 0), (0, 0, 1)))


def test_what_is_not_written_is_what_sdf_says():
    robot = read_sdf(
        sdf(
            '<link name="a"/><link name="b"><inertial/></link><joint name="w" type="fixed"><parent>world'
            "</parent><child>a</child></joint>"
        )
    )
    assert robot.base == "fixed"
    assert [(link.name, link.mass and link.mass.mass) for link in robot.links] == [
        ("world", None),
        ("a", 1.0),
        ("b", 1.0),
    ]
    assert [(joint.type, joint.parent, joint.child) for joint in robot.joints] == [
        ("fixed", "world", "a"),
        ("floating", "world", "b"),
    ]
    assert robot.links[1].mass is not None and robot.links[1].mass.tensor == (
        1.0,
        0.0,
        0.0,
        1.0,
        0.0,
        1.0,
    )


def test_a_mimic_with_a_reference_is_that_of_urdf():
    mimic = '<mimic joint="k"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>'
    robot = read_sdf(
        sdf(
            TWO
            + LINK.format("c", "0 0 0 0 0 0", "")
            + JOINT.format("", "", mimic)
            + (
                '<joint name="k" type="continuous"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>'
            )
        )
    )
    assert robot.joints[0].mimic is not None
    near(robot.joints[0].mimic[1:], (2.0, 0.3))


@pytest.mark.parametrize("kind", ["revolute", "fixed"])
def test_what_a_solver_is_told_is_read_of_every_joint(kind):
    told = (
        "<physics><provide_feedback>1</provide_feedback><ode><limit><cfm>0.1</cfm></limit>"
        "<implicit_spring_damper>true</implicit_spring_damper></ode></physics>"
    )
    joint = (
        JOINT.format("", "", "")
        .replace('"revolute"', f'"{kind}"')
        .replace("</joint", told + "</joint")
    )
    assert {**read_sdf(sdf(TWO + joint)).joints[0].values} == {
        "provide_feedback": (1.0,),
        "limit_cfm": (0.1,),
        "implicit_spring_damper": (1.0,),
    }


def test_of_several_models_the_one_with_the_most_joints_is_the_robot():
    text = (
        f'<sdf version="1.9"><world name="w"><model name="floor">{LINK.format("x", "0 0 0 0 0 0", "")}</model>'
        f'<model name="arm">{TWO}{JOINT.format("", "", "")}</model></world></sdf>'
    )
    robot = read_sdf(text)
    assert robot.name == "arm" and "'floor' is left out" in robot.notes[0]


@pytest.mark.parametrize(
    "text, words",
    [
        (
            sdf(
                '<link name="world"/><link name="b"/>'
                '<joint name="j" type="fixed"><parent>world</parent><child>b</child></joint>'
            ),
            "'world' is a reserved name, that of the world itself in SDF",
        ),
        (sdf("<include><uri>model://x</uri></include>"), "holds a <include>"),
        (
            sdf(TWO + '<model name="n"><include><uri>model://x</uri></include></model>'),
            "holds a <include>",
        ),
        (
            sdf(TWO + '<model name="n" placement_frame="c"><link name="c"/></model>'),
            "is placed by one of its frames",
        ),
        (sdf(TWO + '<model name="n"/>'), "model 'n' inside a model has no link"),
        (sdf(TWO + "<model/>"), "has no name"),
        (sdf('<link name="a"><inertial auto="true"/></link>'), "computed from its shapes"),
        (
            sdf(TWO + JOINT.format("", "", "").replace("revolute", "universal")),
            "has the type 'universal'",
        ),
        (sdf(TWO + TWO), "is defined twice"),
        (sdf(TWO + JOINT.format("", "", "").replace("<parent>a", "<parent>x")), "'x' is named"),
        (
            sdf(TWO.replace("<pose>0 1", '<pose relative_to="b">0 1') + JOINT.format("", "", "")),
            "in a circle",
        ),
        (sdf(TWO + JOINT.format("<pose>0 0 zero 0 0 0</pose>", "", "")), "is not a finite number"),
        (sdf(""), "there is no link in it"),
        ("<robot/>", "is not SDF"),
        ('<sdf version="x"/>', "is not one of SDF"),
        ('<sdf version="1.9"/>', "there is no <model>"),
        (sdf("<link/>"), "<link> has no name"),
        ('<!DOCTYPE a><sdf version="1.9"/>', "a DOCTYPE is refused"),
        (
            '<sdf version="1.9"><model name="m" canonical_link="x"><link name="a"/></model></sdf>',
            "m.: its canonical link 'x' is not there",
        ),
    ],
)
def test_what_has_no_single_meaning_is_refused_with_file_and_line(text, words):
    with pytest.raises(UrdfError, match=words) as error:
        read_sdf(text, "robot.sdf")
    assert str(error.value).startswith("robot.sdf:")


def test_a_model_in_a_model_is_read_by_the_names_that_it_has_outside():
    hand = """<model name="hand"><pose relative_to="b">0 0 0.1 0.3 0 0</pose>{static}
        <link name="palm"><pose>0 0 0.2 0 0 0.4</pose><inertial><mass>2</mass></inertial></link>
        <link name="finger"><pose relative_to="palm">0.1 0 0 0 0 0</pose></link>
        <joint name="curl" type="prismatic"><parent>palm</parent><child>finger</child>
        <axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>0</lower><upper>1</upper></limit></axis></joint>
        </model><joint name="wrist" type="fixed"><parent>b</parent><child>hand::palm</child></joint>"""
    whole = """<frame name="hand" attached_to="hand::palm"><pose relative_to="b">0 0 0.1 0.3 0 0</pose></frame>
        <link name="hand::palm"><pose relative_to="hand">0 0 0.2 0 0 0.4</pose>
        <inertial><mass>2</mass></inertial></link>
        <link name="hand::finger"><pose relative_to="hand::palm">0.1 0 0 0 0 0</pose></link>
        <joint name="hand::curl" type="prismatic"><parent>hand::palm</parent><child>hand::finger</child>
        <axis><xyz expressed_in="hand">0 1 0</xyz><limit><lower>0</lower><upper>1</upper></limit></axis></joint>
        <joint name="wrist" type="fixed"><parent>b</parent><child>hand::palm</child></joint>"""
    arm = TWO + JOINT.format("", "", "")
    found, expected = read_sdf(sdf(arm + hand.format(static=""))), read_sdf(sdf(arm + whole))
    assert compare(found, expected, given=IDENTITY).verdict == "same"
    near(
        [frame.T_link_frame for frame in found.frames],
        [frame.T_link_frame for frame in expected.frames],
    )
    assert found.unread == expected.unread == ()
    left = read_sdf(sdf(arm + hand.format(static="<static>1</static>")))
    assert [one.element for one in left.unread] == ['<model name="hand">'] and left.base == "free"


def test_nothing_moves_in_a_static_model():
    """Links that no joint holds are fixed to the world there; else they would fall, and the base with them."""
    robot = read_sdf(sdf('<static>true</static><link name="a"/><link name="b"/>'))
    assert robot.base == "fixed"
    assert [(joint.type, joint.parent, joint.child) for joint in robot.joints] == [
        ("fixed", "world", "a"),
        ("fixed", "world", "b"),
    ]
