"""What urdfdom refuses or drops, and this tool reads: each sentence has a row, and a file that has nothing to say."""

import pytest

from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.lint_diagnostics import IN_URDFDOM


LINK = '<link name="a"/><link name="b"/>'
JOINT = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/>{}</joint>'
VISUAL = '<link name="a"><visual><geometry>{}</geometry>{}</visual></link>'
BOX = '<box size="1 1 1"/>'
RED = '<material name="m"><color rgba="1 0 0 1"/></material>'


def said(inside, robot='<robot name="r">', head=""):
    """Return the errors about urdfdom of a robot, and warnings of undefined materials."""
    found = examine(f"{head}{robot}{inside}</robot>".encode(), "r.urdf", ()).findings
    return [
        one.diagnostic.text
        for one in found
        if one.kind.name in ("in-urdfdom", "undefined-material", "unnamed-material")
    ]


@pytest.mark.parametrize(
    ("inside", "sentence"),
    (
        (LINK + JOINT.format('<limit velocity="1"/>'), "<limit> of 'j' has no effort"),
        (LINK + JOINT.format('<limit effort="1"/>'), "<limit> of 'j' has no velocity"),
        (
            LINK + JOINT.format("<safety_controller/>"),
            "<safety_controller> of 'j' has no k_velocity",
        ),
        (LINK + JOINT.format("<mimic/>"), "<mimic> of 'j' has no joint"),
        (LINK + JOINT.format("<dynamics/>"), "<dynamics> of 'j' has no damping or friction"),
        (
            LINK + JOINT.format('<dynamics damping="x"/>'),
            "damping=\"x\" of the <dynamics> of 'j' is not a number",
        ),
        (
            LINK + JOINT.format('<limit effort="" velocity="1"/>'),
            "effort=\"\" of the <limit> of 'j' is not a number",
        ),
        (
            '<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"/></inertial></link>',
            "<inertia> in 'a' has no iyz",
        ),
        (
            VISUAL.format(BOX, '<material><color rgba="1 0 0 1"/></material>'),
            "link 'a': this <material> has no name",
        ),
        (VISUAL.format("<mesh/>", ""), "<mesh> in 'a' has no filename"),
        (VISUAL.format('<capsule radius="1" length="1"/>', ""), "<capsule> in 'a'"),
        (VISUAL.format(BOX, '<material name="m"/>'), "material 'm' is not defined"),
        (
            VISUAL.format(BOX, '<material name="m"/>')
            + VISUAL.format(BOX, RED).replace('"a"', '"b"')
            + '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>',
            "material 'm' is defined later, in line 1: urdfdom draws this visual gray",
        ),
        ('<link name="a"/><material name="m"/>', "material 'm' has neither a color nor an image"),
        (
            '<link name="a"/><material name="m"><color rgba="2 0 0 1"/></material>',
            "rgba=\"2 0 0 1\" in 'm'",
        ),
        (
            2 * '<material name="m"><color rgba="1 0 0 1"/></material>' + '<link name="a"/>',
            "material 'm' is defined again",
        ),
        (
            '<material><color rgba="1 0 0 1"/></material><link name="a"/>',
            "<material> in '' has no name",
        ),
        ('<link name="a"/><?editor indent="2"?>', "<?...?> after the first line"),
    ),
)
def test_each_sentence_is_found_once(inside, sentence):
    found = said(inside)
    assert len(found) == 1 and found[0].startswith(sentence)


@pytest.mark.parametrize("version", ("2.0", "foo", "1.0.0", "1"))
def test_the_version_is_one_that_it_reads(version):
    assert (
        "urdfdom refuses the file"
        in said('<link name="a"/>', f'<robot name="r" version="{version}">')[0]
    )


def test_a_robot_needs_a_name_and_a_file_the_encoding():
    assert said('<link name="a"/>', "<robot>") == [
        "<robot> of '' has no name: urdfdom refuses the file"
    ]
    text = '<robot name="r"><link name="a"/></robot>'.encode("utf-16")
    assert "in-urdfdom" in [one.kind.name for one in examine(text, "r.urdf", ()).findings]


@pytest.mark.parametrize(
    "inside",
    (
        LINK
        + JOINT.format('<limit effort="1" velocity="1"/><dynamics friction="1"/><calibration/>'),
        VISUAL.format(BOX, '<material name="m"/>')
        + '<material name="m"><color rgba="0 0 0 1"/></material>',
        VISUAL.format(BOX, '<material name="m"><texture filename="a.png"/></material>'),
        '<link name="a"><check><geometry><capsule radius="1" length="1"/></geometry></check></link>',
        '<link name="a"/><gazebo><model><joint><limit/></joint></model></gazebo>',
    ),
)
def test_nothing_is_said_of_what_it_reads(inside):
    assert (
        said(inside, '<robot name="r" version="1.0">', '<?xml version="1.0"?><?editor indent="2"?>')
        == []
    )


def test_a_capsule_is_read_from_version_1_1_on():
    capsule = VISUAL.format('<capsule radius="1" length="1"/>', "")
    assert said(capsule) and not said(capsule, '<robot name="r" version="1.1">')


def test_each_sentence_has_a_cure_of_its_own():
    """A color of 255 is neither missing nor there twice."""
    assert {*IN_URDFDOM.cures} == {*IN_URDFDOM.sentences}
    text = '<robot name="r"><material name="m"><color rgba="255 108 10 255"/></material><link name="a"/></robot>'
    (finding,) = [
        one
        for one in examine(text.encode(), "r.urdf", ()).findings
        if one.kind.name == "in-urdfdom"
    ]
    assert (
        finding.diagnostic.cure
        == "write numbers from 0 to 1: divide by 255 if 255 is the full color"
    )
