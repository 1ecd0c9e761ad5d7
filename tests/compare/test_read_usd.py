"""USD's text is read: our own is the robot again, and what has no single meaning here is refused with its line."""

import re

import pytest
from conftest import ROOT

from urdf_tools import model as m
from urdf_tools.base.errors import BrokenRobot, UsageError
from urdf_tools.compare.comparison import compare
from urdf_tools.compare.read import read_bytes, read_robot_of
from urdf_tools.formats.usd.read import read_usd
from urdf_tools.formats.usd.read_text import read_usda
from urdf_tools.export.usd import write_usd
from urdf_tools.model.choices import UsdOptions

NAMES = (
    "fixed_base",
    "free_base",
    "limits",
    "massless_fixed_child",
    "mimics",
    "names",
    "point_mass",
    "turned_inertia",
)
ROBOTS = [ROOT / "fixtures" / "exports" / f"{name}.urdf" for name in NAMES]
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
    assert found.bound is not None
    assert found.bound.position < 1e-6


def test_a_robot_is_read_by_its_first_line_whatever_its_name():
    assert read_bytes(TEXT.encode(), "robot.txt").format == "usd"
    assert read_bytes(b"#usda 1.0\n# a note\n" + TEXT.partition("\n")[2].encode(), "").unread == ()


def test_what_is_read():
    robot = read_usd(TEXT)
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
    assert [(one.element, one.why) for one in read_usd(text).unread] == [
        ("</r/a>", "physics:density")
    ]


REFUSED = {
    "centimeters": ("metersPerUnit = 1", "metersPerUnit = 0.01", "metersPerUnit is 0.01"),
    "units that are not said": ("    metersPerUnit = 1\n", "", "metersPerUnit is not said"),
    "Y up": ('upAxis = "Z"', 'upAxis = "Y"', "upAxis is Y"),
    "no robot": ('defaultPrim = "r"', 'defaultPrim = "s"', "no robot in it"),
    "layers below": (
        "    metersPerUnit",
        "    subLayers = [@a.usda@]\n    metersPerUnit",
        "usdcat --flatten",
    ),
    "no mass": ("        float physics:mass = 1\n", "", "weigh its shapes, else take 1 kg"),
    "no center": (
        "        point3f physics:centerOfMass = (0, 0, 0)\n",
        "",
        "take those of its shapes",
    ),
    "no body": ('"PhysicsRigidBodyAPI", ', "", "no body"),
    "an unknown joint": ("</r/b>", "</r/c>", "one of them is no body"),
    "limits": ("float physics:lowerLimit = -57.29578\n", "", "one limit of two"),
    "two speeds": ("newton:velocityLimit = 171.88734", "newton:velocityLimit = 3", "not alike"),
    "frames apart": ("localPos0 = (0.1, 0, 0)", "localPos0 = (0.2, 0, 0)", "not in one place"),
    "a tensor of no body": ("(0.02, 0.02, 0.02)", "(0.02, 0.02, 0.05)", "A + B >= C fails"),
    "a wrong type": ("float physics:mass", "double physics:mass", "is a double, and not a float"),
    "a joint of one body": ("rel physics:body1 = </r/b>", "", "physics:body1 is missing"),
    "a number twice": (
        "float physics:mass = 1",
        "float physics:mass = 1\n float physics:mass = 2",
        "written twice",
    ),
    "no number": ("float physics:mass = 1", "float physics:mass = one", "is no number"),
    "a number in brackets": (
        "float physics:mass = 1",
        "float physics:mass = (1)",
        "is not one float",
    ),
    "one number for three": ("(0, 0, 0)", "(0)", "is not one point3f"),
    "tuples in a tuple": (
        "centerOfMass = (0, 0, 0)",
        "centerOfMass = ((0, 0), 0)",
        "is not one point3f",
    ),
    "a number out of reach": (
        "float physics:mass = 1",
        "float physics:mass = 1e99",
        "is not one float",
    ),
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
    "values over time": (
        "float physics:mass = 1",
        "float physics:mass.timeSamples = { 0: 1 }",
        "a body without a mass",
    ),
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
        read_usd(TEXT.replace(old, new, 1), "r.usda")


ROOT_API = ', "PhysicsArticulationRootAPI"'
OTHERS = {  # what others write of the same robot, and what is said of it
    "no root": (
        (ROOT_API, ""),
        "PhysicsArticulationRootAPI is on no prim, and engines look for it on </r/a>",
    ),
    "a root on another body": (
        ('MassAPI"]', f'MassAPI"{ROOT_API}]'),
        "is on </r/a>, </r/b>, and engines",
    ),
    "a schema": (
        ('"PhysicsMassAPI"]', '"PhysicsMassAPI", "PhysxForceAPI"]'),
        "the schema PhysxForceAPI",
    ),
    "no unit of mass": (("    kilogramsPerUnit = 1\n", ""), ""),
}


@pytest.mark.parametrize("edit, said", OTHERS.values(), ids=OTHERS)
def test_what_others_write_in_our_terms_is_the_same_robot(edit, said):
    assert edit[0] in TEXT, TEXT
    robot = read_usd(TEXT.replace(*edit, 1), "r.usda")
    assert compare(read_usd(TEXT), robot).verdict == "same"
    assert [said in text for text in (*robot.notes, *(one.why for one in robot.unread))] == (
        [True] if said else []
    )


def test_a_joint_without_its_first_body_holds_the_other_in_the_world():
    held = m.to_usd(m.Robot("r", (m.Link("a", UNIT),)), UsdOptions(base="fixed"))
    assert held.count("rel physics:body0 = </r>\n") == 1, held
    bare = held.replace("rel physics:body0 = </r>\n", "", 1)
    assert compare(read_usd(held), read_usd(bare)).verdict == "same"
    assert (read_usd(bare).base, read_usd(bare).joints[0].parent) == ("fixed", "world")


@pytest.mark.parametrize("data", [b"PXR-USDC\0\0", b"PK\3\4zip"])
def test_binary_usd_is_refused_with_what_converts_it(data):
    with pytest.raises(UsageError, match="usdcat"):
        read_usda(data, "r.usdc")


def test_a_refusal_has_its_line():
    with pytest.raises(BrokenRobot) as caught:
        read_usd(TEXT.replace("float physics:mass", "double physics:mass", 1), "r.usda")
    line = caught.value.line
    assert "physics:mass" in TEXT.split("\n")[line - 1]


def test_strings_are_read_as_they_are_written():
    name = 'a "b" \\ c\td'
    robot = m.Robot("r", (m.Link(name, UNIT),))
    text = write_usd(robot, UsdOptions(base="free")).text
    assert [link.name for link in read_usd(text).links] == [name]
