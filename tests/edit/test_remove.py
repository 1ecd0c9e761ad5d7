"""`remove`: only the named elements are gone; all else is the text, and what named them is named."""

import random
import re

import pytest
from conftest import examples, SEEDS
from edited_robots import any_text, ARM, assert_refused, carried_out, NOTES
from hypothesis import given

from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.base.run_diagnostics import DROPPED_NAME
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes

PAINTED = """<robot name="r">
  <link name="a"><visual name="one"><geometry><box size="1 1 1"/></geometry>
    <material name="red"><color rgba="1 0 0 1"/></material></visual>
    <collision name="palm_1"><geometry><box size="1 1 1"/></geometry></collision>
    <collision name="side"><geometry><sphere radius="1"/></geometry></collision>
  </link>
  <link name="b">
    <!-- the body of b -->
    <visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual>
  </link>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
  <gazebo reference="a"><sensor name="touch" type="contact"><contact><collision>palm_1</collision></contact></sensor></gazebo>
</robot>
"""


def removed(text, words):
    return carried_out(text, [("remove", words)])


def counts(robot):
    """Return what each link has: if it has a mass, and the number of its shapes of each role and geometry."""
    return {
        link.name: (
            link.mass is not None,
            sorted((shape.role, shape.geometry) for shape in link.shapes),
        )
        for link in robot.links
    }


@examples(10, fuzzed=400)
@given(SEEDS)
def test_only_the_named_elements_are_gone(seed):
    r = random.Random(seed)
    text = any_text(seed)
    kind = r.choice(("inertial", "visual", "collision"))
    before = read_bytes(text.encode(), "r.urdf")
    link = r.choice(before.links)
    try:
        result = removed(text, f"{kind} '{link.name}'")
    except ProofFailed:
        raise
    except UrdfError as error:
        assert f"has a <{kind}>" in str(error), error
        return
    after = read_bytes(result.data, "r.urdf")
    expected = counts(before)
    has_mass, shapes = expected[link.name]
    kept = [each for each in shapes if each[0] != kind]
    expected[link.name] = (has_mass and kind != "inertial", kept)
    assert counts(after) == expected
    # The lines that are left are lines of the text, in their order.
    lines = iter(re.sub(NOTES, "", text).splitlines())
    for line in re.sub(NOTES, "", result.text).splitlines():
        if "<material" in line and "<link" not in line:
            continue
        assert any(line == other or line in other or _is_left_of(line, other) for other in lines), (
            line
        )


def _is_left_of(line, other):
    """Return True if a line is another one without an element in it."""
    remaining = iter(other)
    return all(character in remaining for character in line)


def test_a_material_that_others_use_stays():
    result = removed(PAINTED, "visual a")
    robot = read_bytes(result.data, "r")
    assert robot.links[1].shapes[0].color == pytest.approx((1.0, 0.0, 0.0, 1.0))
    assert result.exported.changes == ("1 visual removed",)
    assert "<!-- the body of b -->" in removed(PAINTED, "visual b").text


def test_shapes_are_chosen_by_name_and_geometry():
    names = [
        re.findall('<collision name="(.*?)"', removed(PAINTED, words).text)
        for words in ("collision a/palm_*", "collision *:sphere", "collision a:box a/side")
    ]
    assert names == [["side"], ["palm_1"], []]


def test_what_names_a_removed_shape_is_named():
    for words, count in (("collision a/palm_*", 1), ("collision a/side", 0)):
        warnings = [
            each for each in removed(PAINTED, words).plan.warnings if each.kind is DROPPED_NAME
        ]
        assert [each.names[1] for each in warnings] == ["palm_1"] * count


def test_compare_names_exactly_the_act():
    for words, kinds in (("mimic left_slide", {"mimic_missing"}), ("visual left_hand", {"shape"})):
        differences = compare(
            read_bytes(ARM.encode(), "a"), read_bytes(removed(ARM, words).data, "b")
        ).differences
        assert len(differences) == 1 and differences[0].kind.startswith(tuple(kinds)), words
    text = removed(ARM, "mimic left_slide").text
    rule = "left_slide.mimic=left_shoulder multiplier=0.1 offset=0.01"
    back = read_bytes(carried_out(text, [("set", rule)]).data, "c")
    assert compare(read_bytes(ARM.encode(), "a"), back).differences == ()


REFUSED = (
    ("inertial", "give what to remove and where"),
    ("inertia base", "no kind 'inertia' to remove .did you mean 'inertial'"),
    ("inertial left_arn", "no such link has a <inertial> .did you mean 'left_arm'"),
    ("inertial tool", "no such link has a <inertial>"),
    ("visual *:sphere", "no such link has a <visual>"),
    ("mimic left_shoulder", "no such joint has a <mimic>"),
    ("collision left_hand/x", "no such link has a <collision>"),
)


@pytest.mark.parametrize("words, why", REFUSED)
def test_what_is_not_there_is_refused(words, why):
    assert_refused("remove", words, why)


def gazebo_parts(robot):
    """Return what only `<gazebo>` blocks give a robot."""
    return (
        [sensor.name for sensor in robot.sensors],
        {link.name: {**link.values} for link in robot.links if link.values},
        [shape for link in robot.links for shape in link.shapes if shape.surface or shape.script],
        [loop.name for loop in robot.loops if loop.words],
    )


@examples(6, fuzzed=300)
@given(SEEDS)
def test_without_blocks_of_gazebo_all_else_is_the_robot(seed):
    text = any_text(seed)
    if "<gazebo" not in text:
        return
    try:
        result = removed(text, "gazebo *")
    except ProofFailed:
        raise
    except UrdfError:
        return
    assert "<gazebo" not in result.text
    assert gazebo_parts(read_bytes(result.data, "r.urdf")) == ([], {}, [], [])
    # The rest of the text is a part of it, line by line.
    bare = re.sub(r"(?s)<gazebo[^>]*(?<=/)>|<gazebo[^>]*(?<!/)>.*?</gazebo>", "", text)
    assert "".join(re.sub(NOTES, "", result.text).split()) == "".join(bare.split())


def test_blocks_of_gazebo_go_by_link_joint_or_robot():
    blocks = (
        '<gazebo reference="left_slide"><springStiffness>3</springStiffness></gazebo>\n'
        '<gazebo><plugin name="control" filename="libcontrol.so"/></gazebo>\n</robot>'
    )
    text = ARM.replace("</robot>", blocks)
    for words, left, said in (
        ("gazebo left_hand", ["left_slide", ""], "1 gazebo block (1 sensor) removed"),
        ("gazebo left_slide", ["left_hand", ""], "1 gazebo block (1 value) removed"),
        ("gazebo robot", ["left_hand", "left_slide"], "1 gazebo block (1 plugin) removed"),
        ("gazebo *", [], "3 gazebo blocks (1 plugin, 1 sensor, 1 value) removed"),
    ):
        result = removed(text, words)
        references = re.findall('<gazebo(?: reference="(.*?)")?>', result.text)
        assert references == left, words
        assert result.exported.changes == (said,)
    named = [each.text for each in removed(text, "gazebo *").plan.warnings]
    assert any("sensor 'eye'" in sentence for sentence in named)
    assert any("plugin 'control'" in sentence for sentence in named)
    with pytest.raises(UrdfError, match="no such link or joint has a <gazebo>"):
        removed(text, "gazebo tool")
