"""The reader of URDF for the comparison: against a second, naive reading; what it refuses; nothing is passed over."""

import math
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import examples, ROOT
from hypothesis import given, strategies as st
from random_gazebo import write_gazebo_robot

from urdf_tools.base.errors import UrdfError
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import read_robot

REFUSED = sorted((ROOT / "fixtures/refused").glob("*/robot.urdf"))
URDFS = sorted(path for path in (ROOT / "fixtures").rglob("*.urdf") if "refused" not in path.parts)
READ_AT_TOP = (
    "link",
    "joint",
    "material",
    "gazebo",
    "transmission",
    "ros2_control",
    "loop_joint",
    "loop",
    "frame",
)


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.parent.name)
def test_what_is_no_robot_is_refused_with_a_sentence(path):
    """What only the plan refuses, such as duplicate joints that contradict each other, is a robot to compare."""
    try:
        read_robot(parse_document(path.read_bytes(), str(path)))
    except UrdfError:
        pass
    else:
        assert read_urdf(path.read_bytes(), str(path)).links
        return
    with pytest.raises(UrdfError) as error:
        read_urdf(path.read_bytes(), str(path))
    assert error.value.path == str(path) and error.value.message and "\n" not in str(error.value)


def put_inside(text, number):
    """Return the text with an unknown element put into one of its elements."""
    root = ElementTree.fromstring(text)
    places = list(root.iter())
    ElementTree.SubElement(places[number % len(places)], "nobody_knows_me")
    return ElementTree.tostring(root, encoding="unicode").replace("><", ">\n<")


@examples(fuzzed=100)
@given(st.randoms(use_true_random=False), st.integers(0, 1000))
def test_an_element_that_nobody_knows_is_listed_wherever_it_stands(random, number):
    """Itself, or what it is in: what is left is left with all that it holds; a leaf that is read holds no more."""
    text = put_inside(write_gazebo_robot(random), number)
    found = next(
        one
        for one in parse_document(text.encode(), "").root.walk()
        if one.name == "nobody_knows_me"
    )
    assert found.parent is not None
    left = {one.line for one in read_urdf(text.encode()).unread}
    around, holder = {found.line}, found.parent
    while holder.parent is not None:
        around.add(holder.line)
        holder = holder.parent
    siblings = [one for one in found.parent.elements() if one is not found]
    is_leaf = not siblings and found.parent.parent is not None
    assert around & left or is_leaf


@pytest.mark.parametrize(
    "path", URDFS, ids=lambda path: path.relative_to(ROOT / "fixtures").as_posix()
)
def test_each_element_of_a_robot_is_in_a_field_or_on_the_list(path):
    robot = read_urdf(path.read_bytes(), str(path))
    root = parse_document(path.read_bytes(), "").root
    found = len(robot.links) + len(robot.joints) + sum(len(link.shapes) for link in robot.links)
    expected = sum(
        1
        for top in root.elements()
        for one in (top, *(top.elements() if top.name == "link" else ()))
        if one.name in ("link", "joint", "visual", "collision")
    )
    left = sum(one.element.startswith(("<visual", "<collision")) for one in robot.unread)
    assert found + left >= expected
    unknown = [top.name for top in root.elements() if top.name not in READ_AT_TOP]
    listed = [one.element.split()[0].strip("<>") for one in robot.unread]
    assert set(unknown) <= set(listed)


GAZEBO = """<robot name="r">
 <link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>
 <link name="b"><visual><geometry><sphere radius="1"/></geometry></visual></link>
 <joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/><axis xyz="0 0 2"/>
  <limit lower="-1" effort="3"/><dynamics damping="0.5"/></joint>
 {0}
</robot>"""


SIMPLE = '<transmission><type>SimpleTransmission</type><joint name="j">{}</joint><actuator name="m">{}</actuator></transmission>'
REDUCED = "<mechanicalReduction>{}</mechanicalReduction>"
CONTROL = '<ros2_control><joint name="j">{}</joint></ros2_control>'
COMMAND = '<command_interface name="{}">{}</command_interface>'
LOOP = '<loop_joint name="l" type="{}"><link1 link="a" {}/><link2 link="b" xyz="4 5 6"/>{}</loop_joint>'
ENDS = (("a", "b"), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))


def param(name, value):
    return f'<param name="{name}">{value}</param>'


def of(name, *tags):
    return f'<gazebo reference="{name}">{"".join(tags)}</gazebo>'


def posed(place, pose="0 0 3 0 0 0"):
    return f'<sensor name="s" type="imu"><update_rate>9</update_rate><pose {place}>{pose}</pose></sensor>'


def collision(inside):
    return f"<collision><surface>{inside}</surface></collision>"


def contacts(number):
    return f"<collision><max_contacts>{number}</max_contacts></collision>"


FIRST = "<friction><ode><fdir1{}>1 0 0</fdir1></ode></friction>"
STIFF = "<contact><ode><kp>5</kp></ode></contact>"


ODE = "<friction><ode><mu>0.7</mu><mu2>0.8</mu2></ode></friction>"
SENSED = ("s", "b", "", 9.0)


@pytest.mark.parametrize(
    "block, said",
    [
        # Of several tags the last counts, of words yes and no as sdformat takes them.
        (of("a", "<mu1>0.3</mu1><mu1>0.4</mu1>"), {"surface": {"mu1": (0.4,)}}),
        (of("a", "<turnGravityOff>true</turnGravityOff>"), {"a": {"gravity": (0.0,)}}),
        (of("a", "<selfCollide>on</selfCollide>"), {"a": {"self_collide": (0.0,)}}),
        # A surface is that of a collision, and a tag of a block counts before its SDF.
        (of("b", "<mu1>0.5</mu1>"), {"unread": ["<mu1>"]}),
        (
            of("a", "<mu1>0.5</mu1>", collision(ODE)),
            {"surface": {"mu1": (0.5,), "mu2": (0.8,)}},
        ),
        (
            of("a", collision("<contact><ode><kp>5</kp></ode></contact>"), "<kd>3</kd>"),
            {"surface": {"contact_stiffness": (5.0,), "contact_damping": (3.0,)}},
        ),
        # A surface replaces all that an earlier one says; a direction in another frame is not read.
        (of("a", "<fdir1>0 1 0</fdir1>"), {"surface": {"direction1": (0.0, 1.0, 0.0)}}),
        (of("a", collision(FIRST.format(""))), {"surface": {"direction1": (1.0, 0.0, 0.0)}}),
        (
            of("a", collision(FIRST.format("")), collision(STIFF)),
            {"surface": {"contact_stiffness": (5.0,)}},
        ),
        (
            of("a", collision(FIRST.format("")), contacts(7)),
            {"surface": {"direction1": (1.0, 0.0, 0.0), "max_contacts": (7.0,)}},
        ),
        ("<gazebo><mu1>1</mu1></gazebo>", {"unread": ["<gazebo>"]}),
        (of("a", collision(FIRST.format(' f="a"'))), {"unread": ["<surface>"]}),
        # Beside a surface the first value counts; a tag removes it, and is appended as SDF is.
        (of("a", contacts(7), contacts(8)), {"surface": {"max_contacts": (7.0,)}}),
        (
            of("a", contacts(7), contacts(8), "<maxContacts>4</maxContacts>"),
            {"surface": {"max_contacts": (8.0,)}},
        ),
        (of("b", "<maxContacts>4</maxContacts>"), {"unread": ["<maxContacts>"]}),
        # words
        (of("a", "<gravity>maybe</gravity>"), {"unread": ["<gravity>"]}),
        (of("a", "<self_collide>0</self_collide>"), {"a": {"self_collide": (0.0,)}}),
        (of("a", "<gravity>yes</gravity>"), {"a": {"gravity": (1.0,)}}),
        (of("b", "<material>Gazebo/Red</material>"), {"script": ["Gazebo/Red"]}),
        (of("a", "<material>Gazebo/Red</material>"), {"unread": ["<material>"]}),
        (of("c", "<gravity>0</gravity>"), {"unread": ["<gazebo"]}),
        # springs and flags of joints
        (of("j", "<springStiffness>x</springStiffness>"), {"unread": ["<springStiffness>"]}),
        (
            of("j", "<springStiffness>7</springStiffness><springReference>0.5</springReference>"),
            {"j": {"stiffness": (7.0,), "spring_reference": (0.5,)}},
        ),
        (
            of("j", "<provideFeedback>yes</provideFeedback><cfmDamping>no</cfmDamping>"),
            {"j": {"provide_feedback": (1.0,), "implicit_spring_damper": (0.0,)}},
        ),
        # the frame of a pose
        (of("b", posed("")), {"sensors": [(*SENSED, (0.0, 0.0, 3.0))]}),
        (of("b", posed('relative_to="b"')), {"sensors": [(*SENSED, (0.0, 0.0, 3.0))]}),
        (of("b", posed('relative_to="j"')), {"sensors": [(*SENSED, (0.0, 0.0, 3.0))]}),
        (of("b", posed('relative_to="a"')), {"sensors": [(*SENSED, (0.0, 0.0, 2.0))]}),
        (of("b", posed('relative_to="__model__"')), {"sensors": [(*SENSED, (0.0, 0.0, 2.0))]}),
        (
            of("b", posed('relative_to="a"', f"0 0 3 {math.pi / 2} 0 0")),
            {"sensors": [(*SENSED, (0.0, 0.0, 2.0))]},
        ),
        (of("b", posed("", "")), {"sensors": [(*SENSED, (0.0, 0.0, 0.0))]}),
        (of("b", posed('relative_to="c"')), {"unread": ["<sensor"]}),
        (of("b", posed('frame="a"')), {"unread": ["<sensor"]}),
        (of("j", posed("")), {"sensors": [("s", "b", "j", 9.0, (0.0, 0.0, 3.0))]}),
        # transmissions of one joint and one motor
        (SIMPLE.format("", ""), {"drives": [("m", "motor", "j", {})]}),
        (
            SIMPLE.format(
                "<hardwareInterface>PositionJointInterface</hardwareInterface><offset>0.5</offset>",
                REDUCED.format(50),
            ),
            {
                "drives": [
                    ("m", "position", "j", {"reduction": (50.0,), "transmission_offset": (0.5,)})
                ]
            },
        ),
        (
            SIMPLE.format("", "<hardwareInterface>VelocityJointInterface</hardwareInterface>"),
            {"drives": [("m", "velocity", "j", {})]},
        ),
        (
            SIMPLE.format(REDUCED.format(7), REDUCED.format(50)),
            {
                "drives": [("m", "motor", "j", {"reduction": (50.0,)})],
                "unread": ["<mechanicalReduction>"],
            },
        ),
        (SIMPLE.format("", '</actuator><actuator name="n">'), {"unread": ["<transmission>"]}),
        (SIMPLE.replace("Simple", "Differential"), {"unread": ["<transmission>"]}),
        (
            SIMPLE.format("<hardwareInterface>PositionEffort</hardwareInterface>", ""),
            {"unread": ["<transmission>"]},
        ),
        # an actuator for each command
        (
            CONTROL.format(COMMAND.format("position", param("min", -1) + param("max", 2))),
            {"drives": [("j", "position", "j", {"control_range": (-1.0, 2.0)})]},
        ),
        (
            CONTROL.format(COMMAND.format("effort", param("max", 2)) + COMMAND.format("led", "")),
            {"drives": [("j", "motor", "j", {})], "unread": ["<param", "<command_interface"]},
        ),
        (
            CONTROL.format(COMMAND.format("velocity", "") + COMMAND.format("effort", "")),
            {"drives": [("j_velocity", "velocity", "j", {}), ("j_effort", "motor", "j", {})]},
        ),
        # loops
        (
            LOOP.format("revolute", 'xyz="1 2 3"', '<axis xyz="0 3 0"/>'),
            {"loops": [("l", "revolute", *ENDS, (0.0, 1.0, 0.0))]},
        ),
        (LOOP.format("ball", 'xyz="1 2 3"', ""), {"loops": [("l", "ball", *ENDS, None)]}),
        (
            '<loop name="l" type="hinge"><predecessor link="a" xyz="1 2 3"/><successor link="b" xyz="4 5 6"/></loop>',
            {"loops": [("l", "loop hinge", *ENDS, None)]},
        ),
        (LOOP.format("ball", 'xyz="1 2"', ""), {"unread": ["<loop_joint"]}),
        (LOOP.format("ball", 'rpy="x"', ""), {"unread": ["<loop_joint"]}),
        (LOOP.replace('link="a"', "").format("ball", "", ""), {"unread": ["<loop_joint"]}),
        ('<loop_joint name="l"><link1 link="a"/></loop_joint>', {"unread": ["<loop_joint"]}),
    ],
)
def test_what_simulators_and_drivers_read(block, said):
    robot = read_urdf(GAZEBO.format(block).encode())
    (a, b), (joint,) = robot.links, robot.joints
    found = {
        "surface": a.shapes[0].surface,
        "a": a.values,
        "script": [one.script for one in b.shapes if one.script],
        "j": {name: value for name, value in joint.values.items() if name != "damping"},
        "sensors": [
            (one.name, one.link, one.joint, one.rate, one.T_link_sensor.translation)
            for one in robot.sensors
        ],
        "drives": [(one.name, one.kind, one.joint, one.values) for one in robot.actuators],
        "loops": [
            (one.name, one.kind, one.links, *(T.translation for T in one.T_link_end), one.axis)
            for one in robot.loops
        ],
        "unread": [one.element.split()[0] for one in robot.unread],
    }
    assert {name: value for name, value in found.items() if value} == said
    assert robot.joints[0].axis == (0.0, 0.0, 1.0)
    assert (robot.joints[0].lower, robot.joints[0].upper, robot.joints[0].velocity) == (
        -1.0,
        0.0,
        None,
    )
