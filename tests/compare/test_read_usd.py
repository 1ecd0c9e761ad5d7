"""USD's text is read: our own is the robot again, and what has no single meaning here is refused with its line."""

import re

import pytest
from conftest import ROOT

from urdf_tools import model as m
from urdf_tools.base.errors import BrokenRobot
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes, read_robot_of
from urdf_tools.formats.usd.read_stage import read_usd_stage
from urdf_tools.export.usd_exporter import write_usd
from urdf_tools.model.export_options import UsdOptions

ROBOTS = [
    ROOT / f"fixtures/exports/{name}.urdf"
    for name in (
        "fixed_base",
        "free_base",
        "limits",
        "massless_fixed_child",
        "mimics",
        "names",
        "point_mass",
        "turned_inertia",
    )
]
LEFT = {"limits_missing", "effort", "velocity", "dynamics", "tensor"}
UNIT = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))
TEXT = m.to_usd(m.Robot("r", (m.Link("a", UNIT), m.Link("b", UNIT)), (
    m.Joint("j", "revolute", "a", "b", m.Pose((0.1, 0.0, 0.0)), limit=m.Limit(-1.0, 1.0, 2.0, 3.0)),)),
    UsdOptions(base="free"))  # fmt: skip


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_our_own_file_is_the_robot_of_the_urdf(path):
    text = write_usd(m.Robot.from_urdf(path), UsdOptions()).text
    found = compare(read_robot_of(path), read_bytes(text.encode(), "r.usda"))
    assert {one.kind for one in found.differences} <= LEFT
    assert found.bound.position < 1e-6


def test_a_robot_is_read_by_its_first_line_whatever_its_name():
    assert read_bytes(TEXT.encode(), "robot.txt").format == "usd"
    assert read_bytes(b"#usda 1.0\n# a note\n" + TEXT.partition("\n")[2].encode(), "").unread == ()


def test_what_is_read():
    robot = read_usd_stage(TEXT)
    assert [link.name for link in robot.links] == ["a", "b"]
    assert robot.base == "free"
    joint = robot.joints[0]
    assert (joint.name, joint.type, joint.parent, joint.child) == ("j", "revolute", "a", "b")
    assert joint.lower == pytest.approx(-1.0, rel=1e-7)
    assert joint.effort == 2.0
    assert robot.unread == ()


def test_what_nobody_reads_is_listed():
    text = TEXT.replace(
        "float physics:mass = 1", "float physics:density = 7\n        float physics:mass = 1", 1
    )
    assert [(one.element, one.why) for one in read_usd_stage(text).unread] == [
        ("</r/a>", "physics:density")
    ]


REFUSED = {
    "no robot": ('defaultPrim = "r"', 'defaultPrim = "s"', "there is no prim 's'"),
    "layers below": (
        "    metersPerUnit",
        "    subLayers = [@a.usda@]\n    metersPerUnit",
        "it takes @a.usda@ from elsewhere, which is not there",
    ),
    "an unknown joint": ("</r/b>", "</r/c>", "it joins </r/c>, which is not there"),
    "a joint of one body": ("rel physics:body1 = </r/b>", "", "2 links have no parent"),
    "a number twice": (
        "float physics:mass = 1",
        "float physics:mass = 1\n float physics:mass = 2",
        "written twice",
    ),
    "no number": ("float physics:mass = 1", "float physics:mass = one", "is no number"),
    "one number for three": ("(0, 0, 0)", "(0)", "'physics:centerOfMass' is not 3 numbers"),
    "a text without an end": ('upAxis = "Z"', 'upAxis = "Z', "a value is expected before"),
    "a property in no prim": (
        "\ndef PhysicsScene",
        "\nfloat a = 1\ndef PhysicsScene",
        "'a' is in no prim",
    ),
    "a prim without brackets": (
        'def PhysicsScene "PhysicsScene"\n{',
        'def PhysicsScene "PhysicsScene"\n',
        "'{' is expected",
    ),
    "what is said in pieces": (
        'kind = "component"',
        'other kind = "component"',
        "'other kind' is no key",
    ),
    "a key without a type": ("{ string name", "{ name", "'name' has no type"),
    "an end that is missing": (
        "            uniform token physics:axis",
        "            }}",
        "is expected before",
    ),
}


@pytest.mark.parametrize("old, new, said", REFUSED.values(), ids=REFUSED)
def test_another_robot_or_none_is_refused(old, new, said):
    assert old in TEXT, TEXT
    with pytest.raises(BrokenRobot, match=re.escape(said)):
        read_usd_stage(TEXT.replace(old, new, 1), "r.usda")


def test_a_joint_without_its_first_body_holds_the_other_in_the_world():
    held = m.to_usd(m.Robot("r", (m.Link("a", UNIT),)), UsdOptions(base="fixed"))
    assert held.count("rel physics:body0 = </r>\n") == 1, held
    bare = held.replace("rel physics:body0 = </r>\n", "", 1)
    assert compare(read_usd_stage(held), read_usd_stage(bare)).verdict == "same"
    assert (read_usd_stage(bare).base, read_usd_stage(bare).joints[0].parent) == ("fixed", "world")


def test_a_refusal_has_its_line():
    with pytest.raises(BrokenRobot) as caught:
        read_usd_stage(TEXT.replace("physics:mass = 1", "physics:mass = one", 1), "r.usda")
    assert "physics:mass" in TEXT.split("\n")[caught.value.line - 1]


def test_strings_are_read_as_they_are_written():
    name = 'a "b" \\ c\td'
    robot = m.Robot("r", (m.Link(name, UNIT),))
    text = write_usd(robot, UsdOptions(base="free")).text
    assert [link.name for link in read_usd_stage(text).links] == [name]


def test_a_frame_that_holds_only_other_frames_is_one_of_the_robot():
    shown = m.Link("lens", visuals=(m.Visual(m.Box((0.1, 0.1, 0.1))),))
    joints = (m.Joint("j", "fixed", "a", "camera"), m.Joint("k", "fixed", "camera", "lens"))
    robot = m.Robot("r", (m.Link("a", UNIT), m.Link("camera"), shown), joints)
    text = m.to_usd(robot, UsdOptions(base="free"))
    assert [link.name for link in read_usd_stage(text).links] == ["a", "camera", "lens"]
