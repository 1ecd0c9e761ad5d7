"""The reader: every value that URDF defines comes out typed, and what this tool does not need never refuses a robot."""

import pytest

from urdf_tools import simplify
from urdf_tools.base.errors import UrdfError
from urdf_tools.base.run_diagnostics import MIMIC
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.model.model_shapes import (
    Box,
    Capsule,
    Cylinder,
    geometry_of,
    Mesh,
    Sphere,
)
from urdf_tools.urdf.urdf_records import Calibration, Dynamics, Limit, Mimic, Safety
from urdf_tools.urdf.urdf_reader import read_robot

FULL = """<robot name="all">
  <material name="red"><color rgba="1 0 0 0.5"/></material>
  <material name="red"><color rgba="0 1 0 1"/></material>
  <link name="a">
    <inertial><origin rpy="0 0 1"/><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual name="seen"><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <collision><geometry><sphere radius="0.5"/></geometry></collision>
  </link>
  <link name="b"/>
  <link name="c"/>
  <joint name="j" type="revolute">
    <parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.1" friction="0.2"/>
    <safety_controller soft_lower_limit="-0.5" soft_upper_limit="1.5" k_position="10" k_velocity="20"/>
    <calibration rising="0.3"/>
  </joint>
  <joint name="k" type="revolute">
    <parent link="b"/><child link="c"/><limit upper="1" effort="1" velocity="1"/><mimic joint="j" offset="0.25"/>
  </joint>
</robot>
"""


def robot_of(text):
    return read_robot(parse_document(text.encode("utf-8"), "robot.urdf"))


def test_joints_carry_all_that_urdf_says():
    j, k = robot_of(FULL).joints
    assert j.limit == Limit(-1.0, 2.0, 30.0, 4.0) and j.dynamics == Dynamics(0.1, 0.2)
    assert j.safety == Safety(-0.5, 1.5, 10.0, 20.0) and j.calibration == Calibration(
        0.3, None, None
    )
    assert (j.mimic, j.source.name, j.type) == (None, "joint", "revolute")
    assert k.limit == Limit(None, 1.0, 1.0, 1.0) and k.mimic == Mimic("j", 1.0, 0.25)
    assert (k.dynamics, k.safety, k.calibration) == (None, None, None)


def test_a_circle_is_told_of_the_joint_that_moves_where_a_fixed_one_has_its_name():
    fixed = (
        '<link name="d"/><joint name="j" type="fixed"><parent link="a"/><child link="d"/></joint>'
    )
    text = FULL.replace("<safety_controller", '<mimic joint="k"/><safety_controller')
    robot = robot_of(text.replace('<joint name="j"', f'{fixed}\n<joint name="j"', 1))
    (warning,) = [warning for warning in robot.warnings if warning.kind is MIMIC]
    assert (warning.sentence, warning.names) == ("circle", ("'j', 'k'",))
    assert warning.line == robot.joints[1].source.line


def test_positions_are_the_numbers_that_change_with_the_sign():
    j, k = robot_of(FULL).joints
    assert j.positions == {
        ("limit", "lower"): -1.0,
        ("limit", "upper"): 2.0,
        ("safety_controller", "soft_lower_limit"): -0.5,
        ("safety_controller", "soft_upper_limit"): 1.5,
        ("calibration", "rising"): 0.3,
    }
    assert k.positions == {("limit", "upper"): 1.0}


GEOMETRIES = [
    ('<box size="1 2 3"/>', Box((1.0, 2.0, 3.0))),
    ('<sphere radius="2"/>', Sphere(2.0)),
    ('<cylinder radius="1" length="2"/>', Cylinder(1.0, 2.0)),
    ('<capsule radius="1" length="2"/>', Capsule(1.0, 2.0)),
    ('<mesh filename="a.stl"/>', Mesh("a.stl", (1.0, 1.0, 1.0))),
    ('<mesh filename="a.stl" scale="1 -1 2"/>', Mesh("a.stl", (1.0, -1.0, 2.0))),
    ("<cone radius='1' length='2'/>", None),
    ('<box size="1 2"/>', None),
    ("<sphere/>", None),
    ('<cylinder radius="1" length="tall"/>', None),
    ('<mesh filename="a.stl" scale="big"/>', None),
]


@pytest.mark.parametrize(("text", "geometry"), GEOMETRIES, ids=[text for text, _ in GEOMETRIES])
def test_geometry(text, geometry):
    robot = robot_of(
        f'<robot name="r"><link name="a"><visual><geometry>{text}</geometry></visual></link></robot>'
    )
    (shape,) = robot.links["a"].shapes
    assert geometry_of(shape) == geometry
    assert [(one.kind.name, one.line) for one in robot.warnings] == (
        [] if geometry else [("unreadable-geometry", 1)]
    )
    assert shape.drawn is not None and shape.drawn.start_tag == text
    assert shape.mesh == ("a.stl" if "a.stl" in text else "")


def test_records_of_different_kinds_are_never_equal():
    assert (
        Cylinder(1.0, 2.0) != Capsule(1.0, 2.0)
        and len({Cylinder(1.0, 2.0), Capsule(1.0, 2.0)}) == 2
    )


UNREADABLE = [
    ('damping="0.1"', 'damping="some"', "dynamics", Dynamics(None, 0.2)),
    ('effort="30"', 'effort="inf"', "limit", Limit(-1.0, 2.0, None, 4.0)),
    ('velocity="4"', 'velocity=""', "limit", Limit(-1.0, 2.0, 30.0, None)),
    ('k_position="10"', 'k_position="1e99"', "safety", Safety(-0.5, 1.5, None, 20.0)),
]


@pytest.mark.parametrize(("old", "new", "field", "record"), UNREADABLE)
def test_unreadable_numbers_that_nobody_needs_stay_as_they_are(old, new, field, record, tmp_path):
    text = FULL.replace(old, new)
    assert (
        text != FULL
        and getattr(robot_of(text).joints[0], field) == record
        and not robot_of(text).warnings
    )
    path = tmp_path / "robot.urdf"
    path.write_text(text, "utf-8")
    assert new in simplify(path).text


@pytest.mark.parametrize(
    "attribute", ["lower", "upper", "soft_lower_limit", "soft_upper_limit", "rising"]
)
def test_unreadable_positions_are_refused(attribute):
    start, value, end = FULL.partition(f' {attribute}="')
    with pytest.raises(UrdfError, match=f"{attribute}>: 'far' is not a finite number"):
        robot_of(start + value + "far" + end[end.index('"') :])
