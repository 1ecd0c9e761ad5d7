"""Repairs that are obvious: noise, tensors in axes of their own, names and equal materials that are there twice."""

import math

import pytest
from conftest import examples
from hypothesis import given, strategies as st

from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.fix_findings import repair
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import read_robot

KNOWN = [kind.name for kind in EXPORT_KINDS]
ROBOT = """<robot name="r">{top}<link name="a"/>
<link name="b"><inertial>{inertial}</inertial></link><link name="c"/>
<joint name="j" type="revolute">{origin}<parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="{second}" type="{type}"><origin xyz="{x} 0 0"/><parent link="a"/><child link="c"/></joint>
</robot>"""
INERTIAL = """<origin xyz="0 0.1 0" rpy="{}"/><mass value="2"/>
<inertia ixx="{}" ixy="{}" ixz="{}" iyy="{}" iyz="{}" izz="{}"/>"""
SOUND = INERTIAL.format("0 0 0", 0.03, 0, 0, 0.02, 0, 0.02)
PARTS = {"top": "", "inertial": SOUND, "origin": "", "second": "k", "type": "fixed", "x": 1}


def look(kind, **parts):
    text = ROBOT.format(**{**PARTS, **parts}).encode()
    examined = examine(text, "r.urdf", KNOWN)
    return examined, [one for one in examined.findings if one.kind.name == kind]


def repaired(kind, **parts):
    """Return the text with the repairs of a kind, whose proof holds, and which no finding of the kind is left of."""
    examined, findings = look(kind, **parts)
    assert findings and all(one.repair for one in findings)
    text = repair(examined.document, findings).document.to_bytes()
    assert not [one for one in examine(text, "r.urdf", KNOWN).findings if one.kind.name == kind]
    return text.decode()


angles = st.floats(-3.0, 3.0).map(lambda angle: round(angle, 3) + 1e-5)  # no rounded right angle


@examples(12)
@given(angles, angles, angles, st.floats(0.0, 0.009), st.floats(0.0, 0.009))
def test_a_tensor_is_written_in_the_axes_of_its_link(roll, pitch, yaw, product, other):
    rpy = f"{roll} {pitch} {yaw}"
    inertial = INERTIAL.format(rpy, 0.03, product, 0, 0.04, other, 0.05)
    text = repaired("tilted-tensor", inertial=inertial)
    before, after = (
        read_robot(parse_document(each.encode(), "r.urdf")).links["b"].inertial.properties
        for each in (ROBOT.format(**{**PARTS, "inertial": inertial}), text)
    )
    for row, wanted in zip(after.inertia, before.inertia):
        assert all(math.isclose(*pair, abs_tol=1e-13) for pair in zip(row, wanted))
    assert after.center == before.center and 'rpy="0 0 0"' in text


def test_a_tensor_that_no_body_has_is_left_to_its_own_repair():
    inertial = INERTIAL.format("0 0 1", 0.03, 0, 0, 0.9, 0, 0.02)
    _, (finding,) = look("tilted-tensor", inertial=inertial)
    assert not finding.repair


@pytest.mark.parametrize(
    ("words", "new"),
    (("0 6.1e-17 0.5", "0 0 0.5"), ("-3e-18 0 1e-16", "0 0 0"), ("1e-12 0 0", ""), ("1 0 0", "")),
)
@pytest.mark.parametrize("attribute", ("xyz", "rpy"))
def test_noise_becomes_zero(words, new, attribute):
    origin = f'<origin {attribute}="{words}"/>'
    if new:
        assert f'{attribute}="{new}"' in repaired("number-noise", origin=origin)
    else:
        assert not look("number-noise", origin=origin)[1]


def test_the_joint_that_nobody_means_gets_another_name():
    text = repaired("same-name", second="j")
    assert text.count('name="j"') == 1 and text.index('name="j"') < text.index('name="j_2"')


def test_a_joint_that_may_be_exported_twice_is_not_renamed():
    _, (finding,) = look("same-name", second="j", type="continuous")
    assert not finding.repair


RED = '<material name="red"><color rgba="1 0 0 1"/></material>'


def test_an_equal_material_gets_another_name_and_another_one_stays():
    text = repaired("in-urdfdom", top=f"{RED}\n{RED}\n{RED}")
    assert text.count('name="red"') == 1 and 'name="red_2"' in text
    _, (finding,) = look("in-urdfdom", top=RED + RED.replace("1 0 0 1", "0 0 1 1"))
    assert not finding.repair
