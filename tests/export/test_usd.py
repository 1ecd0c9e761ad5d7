"""What USD gets: laws on random robots, what is refused, and where the text must be exact."""

import math
import random
import re
import struct
from array import array
from pathlib import Path

import pytest
from commands import said
from conftest import examples
from hypothesis import example, given, reject
from hypothesis import strategies as st
from random_gazebo import write_gazebo_robot
from random_robots import ORDINARY, robots
from sound_robots import sound

from urdf_tools import model as m
from engine import simplify
from urdf_tools.base.errors import BrokenRobot, ErrorGroup, ProofFailed, UsageError, UrdfError
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.formats.usd.read_stage import read_usd_stage
from urdf_tools.formats.usd.write_usd_prims import (
    as_body,
    principal_singles,
    single,
    single_text,
    single_texts,
)
from urdf_tools.formats.usd.write_usd import make_usd
from urdf_tools.export.usd_exporter import verify_usd, write_usd
from urdf_tools.model.export_options import Frame, UsdOptions

CAN_BE_REFUSED = ("only a whole robot can float", "and cannot be free: leave out base free")
UNIT = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))
CHOICES = st.fixed_dictionaries(
    {
        "base": st.sampled_from(("auto", "free", "fixed")),
    }
)


def pair(joint, **more):
    """A base and an arm with this joint between them."""
    return m.Robot("pair", (m.Link("base", UNIT), m.Link("arm", UNIT)), (joint,), **more)


def hinge(**more):
    return m.Joint(
        "j", "revolute", "base", "arm", axis=(0.0, 1.0, 0.0), limit=m.Limit(-1.0, 1.0, 10.0, 3.0)
    )._replace(**more)


def usd(robot, **options):
    return write_usd(robot, UsdOptions(**options)).text


def value(text, name):
    """Return the text behind the first property of a name."""
    found = re.search(rf"\b{re.escape(name)} = (.*)", text)
    assert found is not None, name
    return found.group(1)


def write_or_reject(text, choices):
    text = sound(text)
    try:
        robot = m.Robot.from_urdf(text)
    except UrdfError:
        reject()
    options = UsdOptions(
        frames=tuple(
            Frame(f"frame_{place}", link.name, m.Pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)))
            for place, link in enumerate(robot.links[::3])
        ),
        exclude=tuple(
            zip((link.name for link in robot.links[::2]), (link.name for link in robot.links[1::2]))
        ),
        **choices,
    )
    try:
        written = write_usd(robot, options, read_urdf(text.encode()))
    except (BrokenRobot, ErrorGroup) as error:
        problems = error.problems if isinstance(error, ErrorGroup) else (error,)
        assert all(any(reason in one.message for reason in CAN_BE_REFUSED) for one in problems), (
            error
        )
        return
    assert read_usd_stage(written.text).unread == ()


@examples(fuzzed=40)
@given(robots(ORDINARY), CHOICES)
def test_every_robot_becomes_usd_or_is_refused_for_a_known_reason(text, choices):
    write_or_reject(text, choices)


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_a_robot_for_gazebo_becomes_usd(seed):
    r = random.Random(seed)
    write_or_reject(write_gazebo_robot(r), {})


@example(3.4028234663852886e38)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_text_is_the_shortest_that_is_read_as_the_number(value):
    text = single_text(value)
    assert struct.pack("<f", float(text)) == struct.pack("<f", value + 0.0)
    digits = len(re.sub(r"[eE].*|[-+.]|^0+", "", text).lstrip("0"))
    if digits > 6:
        shorter = f"%.{digits - 1}g" % value
        assert struct.pack("<f", float(shorter)) != struct.pack("<f", value + 0.0)


@given(st.floats(min_value=-1e30, max_value=1e30))
def test_a_double_is_rounded_once(value):
    assert single(value) == struct.unpack("<f", struct.pack("<f", value))[0]
    assert float(array("f", [float(single_text(value))])[0]) == single(value)


@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=20)
)
def test_many_numbers_are_written_as_each_of_them(values):
    assert single_texts(array("f", values)) == [
        single_texts(array("f", [value]))[0] for value in values
    ]


@given(st.tuples(*(st.floats(min_value=1e-12, max_value=1e3),) * 3))
def test_moments_stay_those_of_a_body(moments):
    a, b, c = sorted(moments)
    a, b, c = as_body((single(a), single(b), single(min(c, a + b))))
    assert a + b >= c


def test_a_diagonal_tensor_keeps_its_order():
    moments, axes = principal_singles(((0.25, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.2)))
    assert axes == (1.0, 0.0, 0.0, 0.0)
    assert moments == (single(0.25), single(0.1), single(0.2))


def test_angles_are_degrees_and_what_is_given_for_each_radian_is_given_for_each_degree():
    text = usd(pair(hinge(dynamics=m.Dynamics(2.0, 3.0))))
    assert value(text, "physics:upperLimit") == single_text(57.29577951308232)
    assert value(text, "newton:velocityLimit") == single_text(3.0 * 57.29577951308232)
    for name in ("newton:damping", "physxJointAxis:angular:viscousFrictionCoefficient"):
        assert value(text, name) == single_text(2.0 / 57.29577951308232)
    for name in ("newton:friction", "physxJointAxis:angular:staticFrictionEffort"):
        assert value(text, name) == "3"
    slide = usd(pair(hinge(type="prismatic", dynamics=m.Dynamics(2.0, 3.0))))
    assert value(slide, "physics:upperLimit") == "1"
    assert value(slide, "newton:damping") == "2"


def test_an_effort_is_in_a_drive_without_gains_and_gains_are_those_that_are_given():
    assert value(usd(pair(hinge())), "drive:angular:physics:maxForce") == "10"
    assert value(usd(pair(hinge())), "drive:angular:physics:stiffness") == "0"
    driven = usd(pair(hinge()), actuators="position", kp=100.0)
    assert value(driven, "drive:angular:physics:stiffness") == single_text(
        100.0 / 57.29577951308232
    )
    none = usd(pair(hinge()), actuators="none")
    assert "PhysicsDriveAPI" not in none
    assert value(none, "urdf:limit:effort") == "10"


@pytest.mark.parametrize(
    "actuators, asked, gains",
    [
        ((m.Actuator("s", "j", "position", kp=60.0, kv=0.5),), "", (60.0, 0.5)),
        ((m.Actuator("s", "j", "velocity", kv=0.5),), "", (0.0, 0.5)),
        ((m.Actuator("s", "j", "velocity", kv=0.5),), "position", (90.0, 0.0)),
        (
            (m.Actuator("m", "j"), m.Actuator("s", "j", "position", kp=60.0)),
            "position",
            (60.0, 0.0),
        ),
        ((m.Actuator("s", "j", "position", kp=60.0),), "motor", (0.0, 0.0)),
    ],
)
def test_gains_of_the_robot_are_those_of_its_drive(actuators, asked, gains):
    robot, kp = pair(hinge(), actuators=actuators), 90.0 if asked == "position" else None
    written, decided = make_usd(robot, UsdOptions(actuators=asked, kp=kp))
    verify_usd(written.text, "", robot, decided)
    for key, gain in zip(("stiffness", "damping"), gains):
        text = value(written.text, f"drive:angular:physics:{key}")
        assert float(text) == pytest.approx(gain * math.pi / 180.0)
        with pytest.raises(ProofFailed, match=f"its {key} is 0.75"):
            verify_usd(
                written.text.replace(f"physics:{key} = {text}", f"physics:{key} = 0.75"),
                "",
                robot,
                decided,
            )


def test_a_plane_is_written_and_read():
    robot = m.Robot(
        "r", (m.Link("a", UNIT, (m.Visual(m.Plane((2.0, 4.0)), m.Pose((0.0, 0.0, 0.5))),)),)
    )
    (shape,) = read_usd_stage(usd(robot)).links[0].shapes
    assert (shape.geometry, shape.T_link_shape.translation) == ("plane", (0.0, 0.0, 0.5))
    assert "double width = 2" in usd(robot) and "double length = 4" in usd(robot)


def test_the_root_of_the_articulation_is_where_the_engines_find_the_same_root():
    free, fixed = usd(pair(hinge()), base="free"), usd(pair(hinge()), base="fixed")
    assert re.search(r'def Xform "base" \(\n.*PhysicsArticulationRootAPI', free)
    assert "root_joint" not in free
    assert re.search(r'def Xform "pair" \(\n.*PhysicsArticulationRootAPI', fixed)
    assert '"root_joint"' in fixed


def test_a_follower_is_written_for_both_engines_and_one_that_mixes_units_for_none():
    links = tuple(m.Link(name, UNIT) for name in ("base", "arm", "tip"))
    tip = hinge(name="t", parent="arm", child="tip", mimic=m.Mimic("j", -2.0, 0.3))
    robot = m.Robot("r", links, (hinge(), tip))
    text = usd(robot)
    assert value(text, "newton:mimicCoef1") == "-2"
    assert value(text, "newton:mimicCoef0") == single_text(0.3 * 57.29577951308232)
    assert value(text, "physxMimicJoint:rotY:gearing") == "2"
    mixed = write_usd(
        robot._replace(joints=(hinge(), tip._replace(type="prismatic"))), UsdOptions()
    )
    assert "newton:mimic" not in mixed.text
    assert any("one of them turns" in note.text for note in mixed.notes)


def test_names_that_usd_cannot_have_are_kept_beside_the_prims():
    robot = m.Robot("2-legs", (m.Link("base link", UNIT), m.Link("base_link", UNIT)), (
        hinge(name="j\u00f6int", parent="base link", child="base_link"),))  # fmt: skip
    written = write_usd(robot, UsdOptions())
    assert 'def Xform "_2_legs"' in written.text
    assert 'displayName = "base link"' in written.text
    assert 'def Xform "base_link_2" (' in written.text
    assert [one.name for one in read_usd_stage(written.text).links] == ["base link", "base_link"]
    assert sum(note.kind.name == "export-renamed" for note in written.notes) == 4


def test_a_scope_gives_way_to_a_link_of_its_name():
    robot = m.Robot("r", (m.Link("joints", UNIT), m.Link("materials", UNIT)), (
        hinge(parent="joints", child="materials"),))  # fmt: skip
    text = usd(robot)
    assert 'def Xform "joints"' in text
    assert 'def Scope "joints_2"' in text


def test_a_tensor_of_zeros_is_not_written_as_one_that_is_not_given():
    point = m.Inertial(1.0, m.Inertia(0.0, 0.0, 0.0))
    written = write_usd(m.Robot("r", (m.Link("base", point),)), UsdOptions(base="free"))
    assert value(written.text, "physics:diagonalInertia") == "(1e-09, 1e-09, 1e-09)"
    assert any("inertia of zeros" in note.text for note in written.notes)


@pytest.mark.parametrize("name", ["arm.usd", "arm.usdc", "arm.xml"])
def test_another_ending_is_refused_with_what_converts(tmp_path, name):
    with pytest.raises(UsageError, match=r"\.usda"):
        simplify(Path(__file__).parents[2] / "fixtures" / "arm" / "robot.urdf", tmp_path / "arm.urdf",
                 usd=str(tmp_path / name))  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_a_joint_that_floats_on_a_moving_link_is_refused():
    links = tuple(m.Link(name, UNIT) for name in ("base", "arm", "tip"))
    robot = m.Robot(
        "r", links, (hinge(), hinge(name="f", type="floating", parent="arm", child="tip"))
    )
    with pytest.raises(UrdfError, match="only a whole robot can float"):
        usd(robot)


@pytest.mark.parametrize("root", ["world", "odom"])
def test_a_joint_on_the_world_hangs_on_a_body_that_is_held(root):
    robot = m.Robot("r", (m.Link(root), m.Link("arm", UNIT)), (hinge(parent=root),))
    written = write_usd(robot, UsdOptions())
    assert f"rel physics:body0 = </r/{root}>" in written.text
    assert value(written.text, "physics:mass") == "1e-09"
    assert any("is fixed to the world" in note.text for note in written.notes)
    assert read_usd_stage(written.text).base == "fixed"


def test_a_number_that_no_float32_is_near_is_refused():
    with pytest.raises(UrdfError, match="too large a number for USD"):
        usd(pair(hinge()), actuators="position", kp=1e60)


SOFT = """<robot name="r">
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
<safety_controller k_velocity="1" {}/></joint></robot>"""


@pytest.mark.parametrize(
    "ends",
    (
        'soft_lower_limit="-0.5"',
        'soft_upper_limit="0.5"',
        'soft_lower_limit="-0.5" soft_upper_limit="0.5"',
        "",
    ),
)
def test_soft_limits_are_the_same_in_usd_also_if_only_one_is_written(ends, here):
    """A limit that is not written is 0 beside the other (urdfdom, joint.cpp)."""
    text = SOFT.format(ends)
    Path("r.urdf").write_text(text)
    assert said("export", "r.urdf", "r.usda", "-y", "-q")[0] == 0
    assert said("compare", "r.urdf", "r.usda", "-q") == (0, "", "")
    if ends:
        Path("other.urdf").write_text(text.replace("0.5", "0.25", 1))
        assert said("compare", "other.urdf", "r.usda", "-q")[0] == 1


@pytest.mark.parametrize("bound", [1e6, 99999.123456789, 999999950.0, 999999999.0])
def test_a_bound_of_many_turns_is_one_of_float32(bound):
    """Programs write such numbers for no bound; the largest of them become 1e9, which is out of reach."""
    limit = m.Limit(-bound, bound, bound, bound)
    follower = m.Joint(
        "follower",
        "revolute",
        "base",
        "tip",
        limit=limit,
        mimic=m.Mimic("j", 1.123456789, 0.5 * bound),
    )
    robot = pair(hinge(limit=limit))
    robot = robot._replace(
        links=(*robot.links, robot.links[1]._replace(name="tip")), joints=(*robot.joints, follower)
    )
    written, decided = make_usd(robot, UsdOptions())
    verify_usd(written.text, "", robot, decided)
    last = re.search(r"mimicCoef0 = (\S+)", written.text)
    spoiled = written.text.replace(last.group(), f"mimicCoef0 = {float(last.group(1)) * 1.00001}")
    with pytest.raises(ProofFailed, match="follower"):
        verify_usd(spoiled, "", robot, decided)
