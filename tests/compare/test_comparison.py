"""Comparing robots by a given map: the verdict, the bound, and one difference for one edit."""
import json
import random
from typing import Any, List

import pytest
from conftest import examples
from hypothesis import given, strategies as st
from random_robots import robots, Traits, write_robot

from urdf_tools.compare.comparison import compare, Comparison
from urdf_tools.compare.json_form import as_json
from urdf_tools.compare.mapping import IDENTITY
from urdf_tools.compare.read_urdf import read_urdf
from urdf_tools.compare.records import RawRobot
from urdf_tools.compare.report import COLUMNS, MOST_LINES, quiet_lines, report
from urdf_tools.compare.words import KINDS, text_of

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


def read(text: str) -> RawRobot:
    return read_urdf(text.encode())


def kinds(comparison: Comparison) -> List[str]:
    return [one.kind for one in comparison.differences]


@given(robots())
def test_a_robot_is_itself(text: str) -> None:
    comparison = compare(read(text), read(text), given=IDENTITY)
    assert (comparison.verdict, comparison.differences, comparison.exit_code) == ("same", (), 0)


@pytest.mark.parametrize("old, new, verdict, kind", EDITS)
def test_one_edit_is_one_difference(old: str, new: str, verdict: str, kind: str) -> None:
    assert old in ARM
    comparison = compare(read(ARM), read(ARM.replace(old, new, 1)), given=IDENTITY)
    assert (comparison.verdict, kinds(comparison), comparison.exit_code) == (verdict, [kind], 1)
    line = ARM[:ARM.index(old)].count("\n") + 1
    assert abs(comparison.differences[0].line_b - line) <= 2


@examples(40, fuzzed=100)
@given(robots(), st.integers(0, 2 ** 32 - 1))
def test_a_report_is_short_and_json_is_json(text: str, seed: int) -> None:
    """Of two robots that have nothing to do with each other too."""
    other = write_robot(random.Random(seed), Traits(links=30))
    comparison = compare(read(text), read(other), given=IDENTITY)
    lines = report(comparison).splitlines()
    assert len(lines) <= MOST_LINES and max(map(len, lines)) <= COLUMNS
    form: Any = json.loads(json.dumps(as_json(comparison)))
    assert form["exit"] == comparison.exit_code and len(form["differences"]) == len(quiet_lines(comparison))


def test_every_sentence_of_a_difference_can_be_filled() -> None:
    for one in compare(read(ARM), read(ARM.replace('"elbow" type="revolute"', '"elbow" type="fixed"')),
                       given=IDENTITY).differences:
        assert one.kind in KINDS and "{" not in text_of(one)
