"""Comparing robots by a given map: the verdict, the bound, and one difference for one edit."""

import json
import random
import re

import pytest
from conftest import examples, ROOT, SEEDS
from hypothesis import given
from random_robots import robots, Traits, write_robot

from urdf_tools.compare import robot_comparison as comparison
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import Tolerances
from urdf_tools.compare.given_or_searched_map import IDENTITY
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.compare.comparison_text import as_json, COLUMNS, MOST_LINES, quiet_lines, report
from urdf_tools.compare.difference_kinds import KINDS, text_of
from urdf_tools.formats.urdf.read_urdf import read_urdf

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0 0.02"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0.01 0.1"/><mass value="1"/>
    <inertia ixx="0.003" iyy="0.002" izz="0.0025" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><box size="0.1 0.2 0.3"/></geometry></visual></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="10" velocity="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0.05 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="1.5" effort="5" velocity="3"/></joint>
  <joint name="mount" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.25"/></joint>
</robot>
"""
EDITS = [  # what is written instead, the verdict, the kind of the one difference
    ('value="2"', 'value="2.14"', "masses", "mass"),
    ('xyz="0.1 0 0.02"', 'xyz="0.104 0 0.02"', "masses", "center"),
    ('ixx="0.01"', 'ixx="0.011"', "masses", "tensor"),
    ('upper="1.5"', 'upper="1.7"', "limits", "limits"),
    ('effort="5"', 'effort="9"', "limits", "effort"),
    ('velocity="3"', 'velocity="4"', "limits", "velocity"),
    ('xyz="0.4 0.05 0"', 'xyz="0.441 0.05 0"', "geometry", "shifted"),
    ('xyz="0 1 0"', 'xyz="0 1 0.1"', "geometry", "tilted_alone"),
    ('xyz="0.4 0.05 0"', 'xyz="0.4 0.05 0" rpy="0.1 0 0"', "geometry", "tilted"),
    ('xyz="0 0 0.25"', 'xyz="0 0.041 0.25"', "limits", "frame"),
    ('size="0.1 0.2 0.3"', 'size="0.1 0.2 0.31"', "limits", "shape_size"),
    ('<origin xyz="0 0 0.1"/>', '<origin xyz="0 0 0.12"/>', "limits", "shape_place"),
    ('"elbow" type="revolute"', '"elbow" type="prismatic"', "structure", "type"),
]


def read(text):
    return read_urdf(text.encode())


def kinds(found):
    return [one.kind for one in found.differences]


@given(robots())
def test_a_robot_is_itself(text):
    found = compare(read(text), read(text), given=IDENTITY)
    assert (found.verdict, found.differences, found.exit_code) == ("same", (), 0)


@pytest.mark.parametrize("old, new, verdict, kind", EDITS)
def test_one_edit_is_one_difference(old, new, verdict, kind):
    assert old in ARM
    found = compare(read(ARM), read(ARM.replace(old, new, 1)), given=IDENTITY)
    assert (found.verdict, kinds(found), found.exit_code) == (verdict, [kind], 1)
    line = ARM[: ARM.index(old)].count("\n") + 1
    assert abs(found.differences[0].line_b - line) <= 2


@examples(fuzzed=100)
@given(robots(), SEEDS)
def test_a_report_is_short_and_json_is_json(text, seed):
    """Of two robots that have nothing to do with each other too."""
    other = write_robot(random.Random(seed), Traits(links=30))
    found = compare(read(text), read(other), given=IDENTITY)
    lines = report(found).splitlines()
    assert len(lines) <= MOST_LINES and max(map(len, lines)) <= COLUMNS
    form = json.loads(json.dumps(as_json(found)))
    assert form["exit"] == found.exit_code and len(form["differences"]) == len(quiet_lines(found))


ROUNDED = [  # a number that is within the tolerance of the one of ARM, and of what it is
    ('value="2"', 'value="2.0001"', "masses"),
    ('xyz="0.1 0 0.02"', 'xyz="0.10003 0 0.02"', "centers of mass"),
    ('ixx="0.01"', 'ixx="0.010005"', "tensors"),
    ('upper="1.5"', 'upper="1.50005"', "limits"),
    ('effort="5"', 'effort="5.0003"', "efforts"),
    ('velocity="3"', 'velocity="3.0002"', "velocities"),
    ('xyz="0 0 0.25"', 'xyz="0 0.00003 0.25"', "frames"),
    ('size="0.1 0.2 0.3"', 'size="0.1 0.2 0.30001"', "shapes"),
    ('<origin xyz="0 0 0.1"/>', '<origin xyz="0 0 0.10003"/>', "shapes"),
]


@pytest.mark.parametrize("old, new, what", ROUNDED)
def test_what_is_within_the_tolerance_is_rounded_and_said(old, new, what):
    """Nobody reads "exactly" of a number that is another one; one that is the same to 1e-9 is."""
    assert old in ARM
    found = compare(read(ARM), read(ARM.replace(old, new, 1)))
    assert (found.verdict, found.differences, found.exit_code) == ("rounded", (), 0)
    head = report(found).splitlines()[0]
    assert (
        head.startswith(f"Same robot: exactly the same motion; {what} to ") and " and " not in head
    )
    assert (
        [row["kind"] for row in as_json(found)["rounded"]]
        == [one.kind for one in found.rounded]
        != []
    )
    number = re.findall(r"[1-9][0-9.]*|0[.][0-9]+", old)[-1]
    same = compare(
        read(ARM),
        read(ARM.replace(old, old.replace(number, repr(float(number) * (1.0 + 1e-11))), 1)),
    )
    assert (same.verdict, same.rounded) == ("same", ())


def test_a_mutant_that_forgets_what_is_rounded_is_seen(monkeypatch):
    monkeypatch.setattr(comparison, "EXACT", Tolerances())
    assert compare(read(ARM), read(ARM.replace('value="2"', 'value="2.0001"', 1))).verdict == "same"


def test_every_sentence_of_a_difference_can_be_filled():
    for one in compare(
        read(ARM),
        read(ARM.replace('"elbow" type="revolute"', '"elbow" type="fixed"')),
        given=IDENTITY,
    ).differences:
        assert one.kind in KINDS and "{" not in text_of(one)


def test_a_loop_to_the_empty_root_of_a_robot_that_floats_is_compared():
    """The world is no body there, and an end of a loop all the same."""
    text = (
        '<robot name="r"><link name="odom"/><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
        'izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="f" type="floating"><parent link="odom"/>'
        '<child link="a"/></joint><loop_joint name="k" type="ball"><link1 link="odom" xyz="0 0 1"/>'
        '<link2 link="a" xyz="0.5 0 0"/></loop_joint></robot>'
    )
    robot = read_urdf(text.encode())
    assert compare(robot, robot).is_same
    for old, new in (("0 0 1", "0 0 2"), ("0.5 0 0", "0.6 0 0")):
        other = compare(robot, read_urdf(text.replace(old, new).encode()))
        assert {difference.kind for difference in other.differences} == {
            "loop_only_a",
            "loop_only_b",
        }


def test_a_loop_that_is_cut_at_another_joint_is_a_difference():
    """Two trees of one mechanism are compared as written: the joint that is cut in one file is named."""
    whole = read_urdf(
        b'<robot name="r"><link name="base"/><link name="crank"/><link name="bar"/>'
        b'<joint name="hip" type="continuous"><parent link="base"/><child link="crank"/></joint>'
        b'<joint name="knee" type="continuous"><parent link="crank"/><child link="bar"/>'
        b'<origin xyz="1 0 0"/></joint><loop_joint name="closed" type="ball">'
        b'<link1 link="base" xyz="1 1 0"/><link2 link="bar" xyz="0 1 0"/></loop_joint></robot>'
    )
    other = read_urdf(
        b'<robot name="r"><link name="base"/><link name="crank"/><link name="bar"/>'
        b'<joint name="hip" type="continuous"><parent link="base"/><child link="crank"/></joint>'
        b'<joint name="closed" type="continuous"><parent link="base"/><child link="bar"/>'
        b'<origin xyz="1 1 0"/></joint><loop_joint name="knee" type="ball">'
        b'<link1 link="crank" xyz="1 0 0"/><link2 link="bar" xyz="0 -1 0"/></loop_joint></robot>'
    )
    found = compare(whole, other)
    assert (found.verdict, found.exit_code) == ("geometry", 1)
    assert "knee" in {name for one in found.differences for name in one.names}


@pytest.mark.parametrize(
    "old, new",
    (
        ('lower="-1"', 'lower="-0.5"'),
        ('effort="10"', 'effort="11"'),
        (
            'effort="10" velocity="2"/>',
            'effort="10" velocity="2"/><dynamics friction="1"/>',
        ),
    ),
)
def test_each_of_several_joints_of_one_name_is_compared(old, new):
    """Those of one name and motion are one joint, whose values the file has several times."""
    text = (ROOT / "fixtures" / "odd" / "rigid_siblings" / "robot.urdf").read_text("utf-8")
    first, second, end = text.split("<limit")
    other = "<limit".join((first, second, end.replace(old, new, 1)))
    assert other != text
    comparison = compare(read_bytes(text.encode(), ""), read_bytes(other.encode(), ""))
    assert not comparison.is_same
