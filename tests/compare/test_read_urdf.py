"""The reader of URDF for the comparison: against a second, naive reading; what it refuses; nothing is passed over."""

import xml.etree.ElementTree as ElementTree

import pytest
from conftest import examples, ROOT
from hypothesis import given
from hypothesis import strategies as st
from naive import read
from random_gazebo import write_gazebo_robot
from random_robots import robots

from urdf_tools.base.errors import UrdfError
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.robot.records import RawMass
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.reader import read_robot

REFUSED = sorted((ROOT / "fixtures/refused").glob("*/robot.urdf"))
URDFS = sorted(path for path in (ROOT / "fixtures").rglob("*.urdf") if "refused" not in path.parts)
CLOSE = 1e-12
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


def near(found, expected):
    assert found == pytest.approx(expected, rel=CLOSE, abs=CLOSE)


@given(robots())
def test_links_and_joints_are_those_of_a_second_reading(text):
    robot, other = read_urdf(text.encode()), read(text.encode())
    assert [link.name for link in robot.links] == list(other.bodies)
    for link, body in zip(robot.links, other.bodies.values()):
        mass = link.mass or RawMass(0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
        assert (link.mass is not None) == body.weighed
        near((mass.mass, *mass.center), (body.mass, *body.center))
        xx, xy, xz, yy, yz, zz = mass.tensor
        near([xx, xy, xz, xy, yy, yz, xz, yz, zz], [entry for row in body.tensor for entry in row])
        for shape, (_, (R, t)) in zip(link.shapes, body.shapes):
            near([*shape.T_link_shape.translation, *map(list, shape.T_link_shape.rotation)][:3], t)
            near(
                [entry for row in shape.T_link_shape.rotation for entry in row],
                [entry for row in R for entry in row],
            )
    for joint, hinge in zip(robot.joints, other.hinges):
        assert (joint.name, joint.type) == (hinge.name, hinge.kind)
        assert (joint.parent, joint.child) == (hinge.parent, hinge.child)
        near(joint.T_parent_child.translation, tuple(hinge.origin[1]))
        near(
            [entry for row in joint.T_parent_child.rotation for entry in row],
            [entry for row in hinge.origin[0] for entry in row],
        )
        if joint.moves:
            near(joint.axis, tuple(hinge.axis))
            assert (joint.mimic and tuple(joint.mimic)) == hinge.mimic
        if joint.type in ("revolute", "prismatic") and any(
            tag == "limit" for tag, _ in hinge.numbers
        ):
            near(joint.lower, hinge.numbers.get(("limit", "lower"), 0.0))
            near(joint.upper, hinge.numbers.get(("limit", "upper"), 0.0))


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
 <link name="b"/>
 <joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/><axis xyz="0 0 2"/>
  <limit lower="-1" effort="3"/><dynamics damping="0.5"/></joint>
 {0}
</robot>"""


@pytest.mark.parametrize(
    "block, path, value",
    [
        ('<gazebo reference="a"><mu1>0.3</mu1><mu1>0.4</mu1></gazebo>', "surface mu1", (0.4,)),
        (
            '<gazebo reference="a"><turnGravityOff>true</turnGravityOff></gazebo>',
            "link gravity",
            (0.0,),
        ),
        (
            '<gazebo reference="a"><selfCollide>on</selfCollide></gazebo>',
            "link self_collide",
            (0.0,),
        ),
        (
            '<gazebo reference="j"><springStiffness>7</springStiffness></gazebo>',
            "joint stiffness",
            (7.0,),
        ),
        (
            '<gazebo reference="b"><sensor name="s" type="imu"><update_rate>9</update_rate><pose relative_to="a">0 0 3 0 0 0'
            "</pose></sensor></gazebo>",
            "sensor",
            (9.0, (0.0, 0.0, 2.0)),
        ),
    ],
)
def test_what_simulators_read(block, path, value):
    robot = read_urdf(GAZEBO.format(block).encode())
    where, _, name = path.partition(" ")
    found = {
        "surface": lambda: robot.links[0].shapes[0].surface[name],
        "link": lambda: robot.links[0].values[name],
        "joint": lambda: robot.joints[0].values[name],
        "sensor": lambda: (robot.sensors[0].rate, robot.sensors[0].T_link_sensor.translation),
    }[where]()
    assert found == value and robot.unread == ()
    assert robot.joints[0].axis == (0.0, 0.0, 1.0)
    assert (robot.joints[0].lower, robot.joints[0].upper, robot.joints[0].velocity) == (
        -1.0,
        0.0,
        None,
    )
