"""No comment excuses a difference: a note turns it into none only by acts that, done by hand to the other file, give the
same robot.
"""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import examples
from hypothesis import assume, given, strategies as st

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.noted_decisions import ACTS
from urdf_tools.compare.difference_records import ASPECTS
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.urdf.urdf_notes import Decision, decision_text, DECISIONS_TITLE, LOST, note_of_words

NO_MESHES = frozenset(ASPECTS) - {"meshes"}  # they are not there
BODY = (
    '<inertial><origin xyz="0.1 0.02 0.03"/><mass value="{0}"/>'
    '<inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial>'
)
MESH = '<visual><geometry><mesh filename="{0}.stl"/></geometry></visual>'
BOX = '<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
JOINT = (
    '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="0.5 0.1 0"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="2" effort="3" velocity="4"/></joint>'
)
# Of the palm: its tensor is none that a body has, and so may be repaired; so may the pad without mass, and its limits.
ROBOT = f"""<robot name="arm">
<link name="base">{BODY.format(5)}{MESH.format("nut")}{MESH.format("frame")}{MESH.format("nut")}{BOX}{BOX}</link>
<link name="shin">{BODY.format(2)}{MESH.format("nut")}
<visual><geometry><box size="1 2 3"/></geometry><material name="red"><color rgba="1 0 0 1"/></material></visual>{BOX}</link>
<link name="palm">{BODY.format(1).replace('"0.2"', '"0.9"')}{BOX}</link>
<link name="twin">{BODY.format(1).replace('"0.2"', '"0.9"')}</link>
{JOINT.format("knee", "revolute", "base", "shin")}
{JOINT.format("slide", "prismatic", "shin", "palm")}
{JOINT.format("hold", "fixed", "palm", "twin")}
<link name="pad"/>{JOINT.format("flap", "revolute", "palm", "pad").replace('"-1" upper="2"', '"2" upper="-1"')}
<loop_joint name="close" type="spherical"><link1 link="base"/><link2 link="palm"><origin xyz="1 0 0"/></link2></loop_joint>
<gazebo reference="shin"><mu1>0.5</mu1><gravity>false</gravity>
<sensor name="imu" type="imu"><update_rate>50</update_rate></sensor></gazebo>
<transmission name="t"><type>transmission_interface/SimpleTransmission</type>
<joint name="knee"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
<actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>
</robot>"""
# What releases before noted of losses, and carried out.
OLD_KINDS = (
    "loop value limits no_sensor collision surface body actuator held frame sensor tensor".split()
)
NAMES = st.sampled_from(
    "base shin palm twin pad flap knee slide hold close imu t motor red nut.stl frame.stl".split()
)
WORDS = NAMES | st.sampled_from(
    "visual collision visual+collision tensor effort velocity limits point none spherical lost gained "
    "mu1~0.5 gravity~false gravity loop sensor joint actuator color shape mass 0".split()
)
NUMBERS = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, -1.0, 0.1, 0.15, 0.3, 0.5, 50.0])
ANYTHING = st.builds(
    Decision,
    st.sampled_from([*ACTS, LOST, *OLD_KINDS]),
    NAMES,
    st.lists(WORDS, max_size=3).map(tuple),
    st.lists(NUMBERS, max_size=3).map(tuple),
    st.just(""),
)
LINKS = st.sampled_from(["base", "shin", "palm", "twin", "pad"])
TENSOR = st.sampled_from([(0.3, 0.0, 0.0, 0.4, 0.0, 0.5), (0.1, 0.01, 0.0, 0.2, 0.0, 0.15)])
# Lines that may well be true.
LIKELY = st.sampled_from(
    [
        Decision("lock", "shin", ("knee",), (0.3,)),
        Decision("lock", "palm", ("slide",), (0.5,)),
        Decision("drop", "twin", ("twin",), (1.0,)),
        Decision("drop", "palm", ("palm", "twin"), (1.0, 1.0)),
        Decision("shape", "nut.stl", ("visual", "base"), (1.0, 2.0)),
        Decision("shape", "nut.stl", ("visual", "shin"), (1.0,)),
        Decision("shape", "", ("visual", "shin"), (1.0,)),
        Decision("shape", "", ("collision", "base"), (1.0,)),
        Decision("copy", "shin", ("visual",), (2.0,)),
        Decision("copy", "base", ("collision",), (1.0,)),
        Decision("copy", "base", ("collision",), (1.0, 2.0)),
        Decision("joint", "shin", ("knee", "knee_2")),
        Decision("sensor_name", "imu", ("imu", "imu_2")),
    ]
) | st.one_of(
    st.builds(lambda link, mass: Decision("mass", link, (), (mass,)), LINKS, NUMBERS),
    st.builds(lambda link, tensor: Decision("repair", link, ("tensor",), tensor), LINKS, TENSOR),
    st.builds(
        lambda link, mass, tensor: Decision(
            "repair", link, ("mass",), (mass, 0.1, 0.0, 0.0, *tensor)
        ),
        LINKS,
        NUMBERS,
        TENSOR,
    ),
    st.builds(
        lambda link, limits: Decision("repair", link, ("limit",), limits),
        LINKS,
        st.sampled_from([(-1.0, 2.0), (2.0, -1.0), (-3.0, 2.0)]),
    ),
)


def lock(root, act):
    """Fix a joint by hand: its axis is z, and its origin is not turned."""
    joint = joint_above(root, act.name)
    x, y, z = (float(part) for part in joint.find("origin").get("xyz").split())
    if joint.get("type") == "prismatic":
        joint.find("origin").set("xyz", f"{x} {y} {z + act.numbers[0]}")
    else:
        joint.find("origin").set("rpy", f"0 0 {act.numbers[0]}")
    joint.set("type", "fixed")


def drop(root, act):
    for element in root.findall("link") + root.findall("joint"):
        child = element.find("child")
        if {element.get("name"), child.get("link") if child is not None else ""} & {*act.words}:
            root.remove(element)


def remove_shapes(root, act):
    roles, file = act.words
    link = link_of(root, act.name)
    for role in roles.split("+"):
        alike = [one for one in link.findall(role) if file_of(one) == file]
        for number in {*act.numbers}:
            link.remove(alike[int(number) - 1])


def remove_copies(root, act):
    link = link_of(root, act.name)
    of_role = link.findall(act.words[0])
    for number in {*act.numbers}:
        link.remove(of_role[int(number) - 1])


def file_of(shape):
    mesh = shape.find("geometry/mesh")
    return mesh.get("filename") if mesh is not None else ""


def link_of(root, name):
    return next(link for link in root.findall("link") if link.get("name") == name)


def joint_above(root, link):
    return next(one for one in root.findall("joint") if one.find("child").get("link") == link)


def remove_mass(root, act):
    link = link_of(root, act.name)
    link.remove(link.find("inertial"))


def repair(root, act):
    if act.words == ("limit",):
        limit = joint_above(root, act.name).find("limit")
        limit.set("lower", repr(act.numbers[0]))
        limit.set("upper", repr(act.numbers[1]))
        return
    link = link_of(root, act.name)
    if act.words == ("mass",):
        mass, *center = map(repr, act.numbers[:4])
        text = f'<inertial><origin xyz="{" ".join(center)}"/><mass value="{mass}"/><inertia/></inertial>'
        link.append(ElementTree.fromstring(text))
    inertia = link.find("inertial/inertia")
    for name, number in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), act.numbers[-6:]):
        inertia.set(name, repr(number))


def rename_joint(root, act):
    joint_above(root, act.name).set("name", act.words[1])


def rename_sensor(root, act):
    next(one for one in root.iter("sensor") if one.get("name") == act.name).set(
        "name", act.words[1]
    )


BY_HAND = {
    "lock": lock,
    "drop": drop,
    "shape": remove_shapes,
    "copy": remove_copies,
    "mass": remove_mass,
    "repair": repair,
    "joint": rename_joint,
    "sensor_name": rename_sensor,
}


def changed_at(place):
    """Return the robot without one of its elements, or with another number in one of its attributes or texts."""
    root = ElementTree.fromstring(ROBOT)
    parents = {child: parent for parent in root.iter() for child in parent}
    spots = [(element, "") for element in root.iter() if element is not root]
    spots += [
        (element, name)
        for element in root.iter()
        for name, value in [*element.attrib.items(), ("text", element.text or "")]
        if re.search(r"\d", value) and name not in ("name", "link", "filename")
    ]
    element, name = spots[place % len(spots)]
    if not name:
        parents[element].remove(element)
    elif name == "text":
        element.text = other_number(element.text)
    else:
        element.set(name, other_number(element.get(name)))
    return ElementTree.tostring(root, "unicode")


def other_number(text):
    return re.sub(r"[\d.]+", lambda number: str(float(number[0]) * 1.5 + 0.1), text, count=1)


def compared(a, b):
    return compare(
        read_bytes(a.encode(), "a.urdf"), read_bytes(b.encode(), "b.urdf"), aspects=NO_MESHES
    )


def done_by_hand(acts):
    root = ElementTree.fromstring(ROBOT)
    for act in acts:
        kind = act.kind[len("decided_") :]
        words = act.names[1:]
        BY_HAND[kind](root, Decision(kind, act.where, words, act.numbers))
    return ElementTree.tostring(root, "unicode")


def assert_no_excuse(b, decisions):
    """Fail if a note makes a robot that differs the same, and the acts in it do not make one of the other."""
    note = note_of_words(DECISIONS_TITLE, list(map(decision_text, decisions)), "\n", width=0)
    try:
        without = compared(ROBOT, b)
    except UrdfError:
        return False
    noted = compared(ROBOT, f"{note}\n{b}")
    if without.exit_code == 0 or noted.exit_code == 1:
        return False
    by_hand = done_by_hand(noted.decided)
    assert compared(by_hand, b).exit_code == 0, (noted.decided, b)
    return True


@examples(25, fuzzed=3000)
@given(st.integers(0, 400), st.lists(LIKELY | ANYTHING, min_size=1, max_size=4))
def test_no_note_excuses_a_loss(place, decisions):
    assert_no_excuse(changed_at(place), decisions)


@examples(15, fuzzed=2000)
@given(st.lists(LIKELY, min_size=1, max_size=3), st.lists(LIKELY | ANYTHING, max_size=2))
def test_acts_that_were_done_are_no_difference(done, more):
    """The robot after some acts, with a note of them; also where the note says more."""
    try:
        acts = compared(ROBOT, f"{note_text(done)}\n{ROBOT}").decided
    except UrdfError:
        assume(False)
    assume(acts)
    b = done_by_hand(acts)
    assert compared(ROBOT, f"{note_text(done)}\n{b}").exit_code == 0
    assert_no_excuse(b, [*done, *more])


def note_text(decisions):
    return note_of_words(DECISIONS_TITLE, list(map(decision_text, decisions)), "\n", width=0)


def test_a_mass_of_zero_is_no_repair():
    """It leaves a body without mass, which a second line would repair again."""
    for mass, kinds in ((0.0, []), (0.5, ["decided_repair"])):
        line = Decision(
            "repair", "pad", ("mass",), (mass, 0.1, 0.0, 0.0, 0.3, 0.0, 0.0, 0.4, 0.0, 0.5)
        )
        found = compared(ROBOT, f"{note_text([line])}\n{ROBOT}")
        assert [act.kind for act in found.decided] == kinds


LOSSES = {
    "a loop": ("<loop_joint.*?</loop_joint>", "", "loop close spherical none"),
    "a sensor": ("<sensor.*?</sensor>", "", "no_sensor imu imu"),
    "a friction": ("<mu1>0.5</mu1>", "", "surface shin lost base mu1~0.5 default"),
    "gravity": (
        "<gravity>false</gravity>",
        "",
        "body shin falls base gravity gravity~false default",
    ),
    "an effort": (' effort="3"', "", "value knee effort (3)"),
    "limits": ('lower="-1" upper="2"', 'lower="-3" upper="2"', "limits knee (-1 2)"),
    "a box": ("<visual><geometry><box.*?</visual>", "", 'shape "" visual shin (1)'),
    "a collision": (BOX, "", "lost base collision"),
    "a drive": ("50", "30", "actuator motor~reduction~30 motor~reduction~50 knee"),
    "a mass": ('value="2"', 'value="3"', "mass shin (2)"),
    "limits that were not turned round": (
        'lower="2" upper="-1"',
        'lower="-3" upper="2"',
        "repair pad limit (-3 2)",
    ),
    "limits of a sound joint": (
        'lower="-1" upper="2"',
        'lower="-2" upper="1"',
        "repair shin limit (-2 1)",
    ),
    "a mass that is no fault": (
        'value="2"',
        'value="3"',
        "repair shin mass (3 0.1 0.02 0.03 0.1 0.01 0 0.2 0 0.15)",
    ),
    "a mass of a link with another one": (
        '<link name="twin">.*?</link>',
        '<link name="twin"/>',
        "repair twin mass (0 0 0 0 0 0 0 0 0 0)",
    ),
    "a shape that is there once": (
        '(<link name="shin">.*?)<visual><geometry><box.*?</visual>',
        r"\1",
        "copy shin visual (2)",
    ),
    "a shape that is defined twice, both times": (
        f"{re.escape(BOX)}{re.escape(BOX)}",
        "",
        "copy base collision (1 2)",
    ),
    "a tensor that a body has": (
        'ixx="0.1"',
        'ixx="0.12"',
        "repair base tensor (0.12 0.01 0 0.2 0 0.15)",
    ),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_each_loss_is_a_difference_whatever_the_note_says(loss):
    old, new, line = LOSSES[loss]
    b = re.sub(old, new, ROBOT, count=1, flags=re.S)
    assert b != ROBOT
    note = note_of_words(DECISIONS_TITLE, [line], "\n", width=0)
    found = compared(ROBOT, f"{note}\n{b}")
    assert found.exit_code == 1


def test_who_lost_it_is_said_beside_the_difference():
    b = re.sub("<loop_joint.*?</loop_joint>", "", ROBOT, flags=re.S)
    note = note_of_words(DECISIONS_TITLE, ["lost close loop", "lost shin loop"], "\n", width=0)
    (loop,) = compared(ROBOT, f"{note}\n{b}").differences
    assert loop.said == "as the run said"
    assert compared(ROBOT, b).differences == (loop._replace(said=""),)
