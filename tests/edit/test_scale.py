"""`scale`: every length times the factor, in the text and in what follows; there and back is the robot."""

import random
import re

import pytest
from conftest import examples, SEEDS
from edited_robots import any_text, ARM, carried_out, SRDF, written
from hypothesis import given
from raw_kinematics import near, places

from urdf_tools import compare as compare_files
from urdf_tools import edit
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.base.number_text import NUMBER
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.edit import scale_robot
from urdf_tools.edit.scale_robot import multiplied
from urdf_tools.robot.raw_robot import SLIDING

NOTES = r"(?s)<!-- urdf_simplify .*?-->\s*"
COMPANIONS = """<ros2_control name="c" type="system">
    <joint name="left_slide">
      <command_interface name="position"><param name="min">0</param><param name="max">0.1</param></command_interface>
      <command_interface name="effort"><param name="max">7</param></command_interface>
      <state_interface name="position"><param name="initial_value">0.05</param></state_interface>
      <param name="mimic">left_shoulder</param><param name="multiplier">0.1</param><param name="offset">0.01</param>
    </joint>
    <joint name="left_shoulder"><command_interface name="position"><param name="min">-1</param></command_interface></joint>
  </ros2_control>
  <gazebo reference="left_slide"><springStiffness>4</springStiffness><springReference>0.02</springReference></gazebo>
  <gazebo reference="base"><mu1>0.6</mu1><minDepth>0.001</minDepth></gazebo>
  <gazebo><plugin name="d" filename="libdrive.so"><wheel_separation>0.4</wheel_separation><rate>50</rate></plugin>
    <plugin name="p" filename="p3d.so"><bodyName>base</bodyName><xyzOffset>0 0.2 0</xyzOffset></plugin></gazebo>
  <frame name="f" link="base" xyz="0.2 0 0" rpy="0 1 0"/>
  <loop_joint name="l" type="fixed"><link1 link="base" xyz="1 0 0" rpy="0 0 1"/><link2 link="tool"/></loop_joint>
  <unheard_of size="0.3"/>
</robot>"""


def scaled(text, words, *others):
    return carried_out(text, [("scale_by", words), *others])


def tree(text):
    return read_bytes(text.encode(), "r.urdf")


@examples(6, fuzzed=500)
@given(SEEDS)
def test_every_pose_shape_and_mass_is_scaled_at_random_positions(seed):
    r = random.Random(seed)
    text = any_text(seed)
    before = tree(text)
    factor, kept = r.choice(((1.5, ""), (0.25, " mass=kept"), (2.0, " density=kept")))
    try:
        after = tree(scaled(text, f"{factor}{kept}").text)
    except ProofFailed:
        raise
    except UrdfError:
        return
    masses = 1.0 if "mass" in kept else factor**3
    positions = {joint.child: r.uniform(-1, 1) for joint in before.joints if joint.moves}
    larger = {
        joint.child: positions[joint.child] * (factor if joint.type in SLIDING else 1.0)
        for joint in before.joints
        if joint.moves
    }
    places_before = places(before, positions)
    places_after = places(after, larger)
    for name, (R, t) in places_before.items():
        near(places_after[name], (R, [factor * x for x in t]))
    for old, new in zip(before.links, after.links):
        for shape, other in zip(old.shapes, new.shapes):
            near(other.sizes, [factor * size for size in shape.sizes])
        if old.mass is not None:
            assert new.mass.mass == pytest.approx(masses * old.mass.mass, rel=1e-9)
            tensor = [masses * factor**2 * entry for entry in old.mass.tensor]
            largest = max(map(abs, tensor))
            assert new.mass.tensor == pytest.approx(tensor, rel=1e-9, abs=1e-9 * largest)
    for old, new in zip(before.joints, after.joints):
        assert new.effort == old.effort
        times = factor if old.type in SLIDING else 1.0
        for key in ("lower", "upper", "velocity"):
            value = getattr(old, key)
            assert getattr(new, key) == (value and pytest.approx(times * value, rel=1e-9)), key


@examples(4, fuzzed=200)
@given(SEEDS)
def test_there_and_back_is_the_same_robot(seed):
    text = any_text(seed)
    try:
        back = scaled(text, "1.5", ("scale_by", "1/1.5"))
    except ProofFailed:
        raise
    except UrdfError:
        return
    assert compare(tree(text), tree(back.text)).verdict in ("same", "rounded", "unproven")
    # Nothing but numbers differs, and the numbers that were written only here are gone again.
    bare, bare_back = (re.sub(NUMBER, "0", re.sub(NOTES, "", one)) for one in (text, back.text))
    assert bare_back == bare


def test_there_and_back_gives_the_bytes():
    text = ARM.replace("</robot>", COMPANIONS)
    larger = scaled(text, "1.5")
    assert larger.exported.changes == ("1.5 times as large, masses 3.375 times",)
    assert re.sub(NOTES, "", carried_out(larger.text, [("scale_by", "2/3")]).text) == text


def test_what_names_a_slide_follows(tmp_path):
    text = ARM.replace("</robot>", COMPANIONS)
    states = SRDF.replace(
        "</group_state>", '<joint name="left_slide" value="0.05"/></group_state>'
    ).replace(
        "</robot>",
        '<link_sphere_approximation link="base"><sphere center="0.1 0 0" radius="0.2"/></link_sphere_approximation>'
        "</robot>",
    )
    result = edit(
        written(tmp_path, "arm.urdf", text), srdf=written(tmp_path, "arm.srdf", states), scale_by=2
    )
    for part in (
        '<limit lower="0" upper="0.2" effort="7" velocity="2"/>',
        '<mimic joint="left_shoulder" multiplier="0.2" offset="0.02"/>',
        '<limit lower="-1" upper="2" effort="5" velocity="3"/>',
        '<param name="max">0.2</param>',
        '<param name="max">7</param>',
        '<param name="initial_value">0.1</param>',
        '<param name="multiplier">0.2</param><param name="offset">0.02</param>',
        '<param name="min">-1</param>',
        "<springStiffness>4</springStiffness><springReference>0.04</springReference>",
        "<mu1>0.6</mu1><minDepth>0.002</minDepth>",
        "<xyzOffset>0 0.4 0</xyzOffset>",
        '<frame name="f" link="base" xyz="0.4 0 0" rpy="0 1 0"/>',
        '<link1 link="base" xyz="2 0 0" rpy="0 0 1"/>',
        "<pose>0.2 0.4 0.6 0.1 0.2 0.3</pose>",
        'scale="2 2 2"',
        "left_slide = 2*q",
    ):
        assert part in result.text, part
    companion = result.companions[0].data.decode()
    assert '<joint name="left_slide" value="0.1"/>' in companion
    assert '<joint name="left_shoulder" value="0.5"/>' in companion
    assert '<sphere center="0.2 0 0" radius="0.4"/>' in companion
    said = [warning.text for warning in result.plan.warnings if warning.kind is scale_robot.SCALED]
    for words in ("wheel_separation", "2 joints keep the limit of effort", "<unheard_of>"):
        assert any(words in sentence for sentence in said), words
    assert any("needs 16 times as much" in sentence for sentence in said)


def test_the_note_counts_a_slide_in_the_original_file():
    acts = [
        ("zero", ("left_slide", 0.02)),
        ("scale_by", "2"),
        ("flip", "left_slide"),
        ("rename", "left_slide=lift"),
        ("scale_by", "1.5"),
    ]
    text = ARM.replace('<mimic joint="left_shoulder" multiplier="0.1" offset="0.01"/>', "")
    result = carried_out(text, acts)
    # A slide at q is at -(3 q - 3 * 0.02) now.
    assert "lift = -(3*left_slide - 0.06)" in result.text
    # A run that changes nothing keeps the note, and an edit of later composes with it.
    again = carried_out(result.text, [("scale_by", "1/3"), ("zero", ("lift", 0.01))])
    assert "lift = -(left_slide - 0.01)" in again.text


def test_a_slide_is_locked_in_the_units_of_the_input():
    result = carried_out(
        ARM.replace('<mimic joint="left_shoulder" multiplier="0.1" offset="0.01"/>', ""),
        [("scale_by", "2"), ("lock", ("left_slide", 0.1))],
    )
    assert "lock left_hand left_slide (0.05)" in result.text
    assert compare(tree(ARM), tree(result.text), scale=2.0).decided


def test_compare_says_how_many_times(tmp_path):
    a = written(tmp_path, "a.urdf", ARM)
    for words, kept in (("1.5", "density"), ("1.5 mass=kept", "mass")):
        b = written(tmp_path, "b.urdf", scaled(ARM, words).text)
        found = compare_files(a, b, scale=1.5, aspects={"motion", "mass", "limits", "shapes"})
        assert found.verdict == "same" and "Same robot, 1.5 times as large" in found.text()
        assert f"with the same {kept}" in found.text()
        assert compare_files(a, b).verdict == "geometry"
        assert compare_files(a, b, scale=1.6).verdict == "geometry"
    with pytest.raises(UrdfError, match="of one size"):
        found.adapter()


def test_compare_names_exactly_what_else_differs():
    result = scaled(ARM, "1.5", ("set", "left_shoulder.effort=9"))
    found = compare(tree(ARM), tree(result.text), scale=1.5)
    assert [difference.kind for difference in found.differences] == ["effort"]


@pytest.mark.parametrize(
    "words, why",
    (
        ("1", "other than 1"),
        ("0", "from 0.0001"),
        ("-2", "from 0.0001"),
        ("1/0", "is no factor"),
        ("big", "is no factor"),
        ("2 mas=kept", "unknown key 'mas='"),
        ("2 mass=1", "give density=kept or mass=kept"),
        ("2 mass=kept density=kept", "give how many times"),
    ),
)
def test_a_factor_that_means_nothing_is_refused(words, why):
    with pytest.raises(UrdfError, match=why):
        scaled(ARM, words)


def test_products_are_exact():
    assert multiplied("0.1 -0.2  3e-3", scale_robot.Fraction(3, 2)) == "0.15 -0.3  0.0045"
    assert multiplied("0.1", scale_robot.Fraction(1, 3)) == "0.03333333333333"
    assert multiplied("1 2 3 4", scale_robot.Fraction(2), 3) == "2 4 6 4"
    assert multiplied("1e9 0.0 a", scale_robot.Fraction(2)) == "1e9 0.0 a"
    assert multiplied("1e9 0.0 1", scale_robot.Fraction(2)) == "1e9 0.0 2"


def test_a_length_that_is_not_scaled_is_a_fault(monkeypatch):
    monkeypatch.setattr(scale_robot, "_scale_geometry", lambda by, shape, geometry: None)
    with pytest.raises(ProofFailed, match="scale_by: another robot"):
        scaled(ARM, "2")
