"""`set x.xyz`, `.rpy`, `.turn`, `.move`: exactly this pose is another one; with `keep=world` what hangs on it stays."""

import math
import random
import re

import pytest
from conftest import examples, SEEDS
from edited_robots import any_text, ARM, assert_refused, carried_out, NOTES, written
from hypothesis import assume, given

from urdf_tools import edit
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.edit.edit_diagnostics import POSE_SET
from urdf_tools.edit.quantities_with_units import ANGLE, LENGTH, read_quantities
from urdf_tools.robot.canonical_robot import canonical, link_places
from urdf_tools.urdf.spatial_math import (
    compose,
    matrix_from_rpy,
    norm,
    rotation_about,
    rotation_angle,
    subtract,
    Transform,
    ZERO,
)

FRAMED = ARM.replace(
    "</robot>", '  <frame name="grasp" link="left_hand" xyz="0 0 0.1" rpy="0 0 0"/>\n</robot>'
)


def set_value(text, words):
    return carried_out(text, [("set", words)])


def close(first, second):
    """Return True if two poses are equal to 1e-9 m and rad."""
    shift = norm(subtract(first.translation, second.translation))
    return shift < 1e-9 and rotation_angle(first.rotation, second.rotation) < 1e-9


def poses(text):
    """Return the pose of each joint, frame and sensor of a robot."""
    robot = read_bytes(text.encode(), "r.urdf")
    found = {("joint", joint.child): joint.T_parent_child for joint in robot.joints}
    found.update({("frame", frame.name): frame.T_link_frame for frame in robot.frames})
    # The pose of a sensor may be relative to a frame of another link, which moves.
    if "relative_to" not in text:
        found.update({("sensor", each.name): each.T_link_sensor for each in robot.sensors})
    return found


def without_poses(text):
    """Return a text without notes, and without the numbers of origins and poses."""
    text = re.sub(r"<origin\b[^>]*>|</origin>", "", re.sub(NOTES, "", text))
    return re.sub(r"\s+", " ", text)


@examples(12, fuzzed=600)
@given(SEEDS)
def test_a_joint_is_where_it_is_put_and_no_other_pose_differs(seed):
    r = random.Random(seed)
    text = any_text(seed)
    joints = read_bytes(text.encode(), "r.urdf").joints
    assume(joints)
    joint = r.choice(joints)
    assume([other.name for other in joints].count(joint.name) == 1)
    xyz = tuple(round(r.uniform(-1.0, 1.0), 4) for _ in range(3))
    rpy = tuple(round(r.uniform(-3.0, 3.0), 4) for _ in range(3))
    angle = round(r.uniform(-90.0, 90.0), 2)
    old = joint.T_parent_child
    turn = Transform(rotation_about((0.0, 1.0, 0.0), math.radians(angle)), ZERO)
    choices = {
        "xyz={} {} {}".format(*xyz): Transform(old.rotation, xyz),
        "rpy={} {} {}".format(*rpy): Transform(matrix_from_rpy(rpy), old.translation),
        f"turn=y {angle}deg": compose(old, turn),
        "move={}m,{}m,{}m".format(*xyz): compose(old, Transform(matrix_from_rpy(ZERO), xyz)),
    }
    words, expected = r.choice(list(choices.items()))
    try:
        result = set_value(text, f"'{joint.name}.{words}'")
    except ProofFailed:
        raise
    except UrdfError as error:
        assert "quat_xyzw" in str(error), error
        return
    before, after = poses(text), poses(result.text)
    assert before.keys() == after.keys() and close(after["joint", joint.child], expected)
    assert all(close(before[key], after[key]) for key in before if key != ("joint", joint.child))
    assert without_poses(result.text) == without_poses(text)


@examples(8, fuzzed=300)
@given(SEEDS)
def test_what_hangs_on_a_joint_stays_in_the_world(seed):
    r = random.Random(seed)
    text = any_text(seed)
    before = read_bytes(text.encode(), "r.urdf")
    assume(before.joints)
    joint = r.choice(before.joints)
    assume([other.name for other in before.joints].count(joint.name) == 1)
    try:
        result = set_value(text, f"'{joint.name}.turn=z 30deg' keep=world")
    except ProofFailed:
        raise
    except UrdfError as error:
        assert len(str(error)) > 20
        return
    after = read_bytes(result.data, "r.urdf")
    old, new = (link_places(canonical(robot)) for robot in (before, after))
    for name, T in old.items():
        if name != joint.child:
            assert close(T, new[name]), name
    # A link that floats is the base, whose place no comparison has.
    assert joint.type == "floating" or not close(old[joint.child], new[joint.child])
    if joint.type == "fixed":
        kinds = {difference.kind for difference in compare(before, after).differences}
        assert kinds <= {"frame_turned", "frame_moved"}, joint.name


def test_the_text_has_the_given_numbers():
    result = set_value(ARM, "left_shoulder.rpy=0,0,90deg left_shoulder.xyz=100mm 2cm 0")
    assert '<origin xyz="0.1 0.02 0" rpy="0 0 1.570796326795"/>' in result.text
    back = set_value(result.text, "left_shoulder.xyz=0.1 0.2 0.3 left_shoulder.rpy=0.2 0.3 0.4")
    assert re.sub(NOTES, "", back.text) == ARM
    # A sensor keeps the half of its pose that is not set; a missing origin is made.
    assert "<pose>0.1 0.2 0.3 0 0 0</pose>" in set_value(ARM, "eye.rpy=0 0 0").text
    assert '<origin xyz="0 0 0.005"/>' in set_value(ARM, "left_tool.move=0 0 5mm").text
    assert 'link="left_hand" xyz="0 0 1" rpy="0 0 0"' in set_value(FRAMED, "grasp.xyz=0 0 1").text


def test_the_axis_of_a_moved_joint_keeps_its_text():
    text = set_value(ARM, "'left_shoulder.turn=x 90deg' keep=world").text
    assert '<axis xyz="0.6 0 0.8"/>' in text and '<origin xyz="0.1 0.2 0.3" rpy="' in text


REFUSED = (
    ("nobody.xyz=0 0 0", "there is no such joint, frame or sensor"),
    ("left_shouldr.xyz=0 0 0", "did you mean 'left_shoulder'"),
    ("left_shoulder.xyz=0 0", "has 2 numbers, expected 3"),
    ("left_shoulder.xyz=0 0 90deg", "the unit 'deg': give m, cm, mm"),
    ("left_shoulder.rpy=0 0 90dge", "the unit 'dge' .did you mean 'deg'"),
    ("left_shoulder.turn=90deg", "give an axis and an angle"),
    ("left_shoulder.turn=z", "expected 1"),
    ("left_shoulder.xyz=0.1 0.2 0.3", "the pose is this already"),
    ("left_shoulder.xyz=0 0 0 keep=wrld", "give keep=world"),
    ("left_shoulder.xyz=0 0 0 kep=world", "a xyz has no 'kep' .did you mean 'keep'"),
    ("*.xyz=0 0 0 keep=world", "keep=world is for one joint"),
    ("eye.xyz=0 0 0 keep=world", "keep=world is for one joint"),
)


@pytest.mark.parametrize("words, why", REFUSED)
def test_poses_that_cannot_be_are_refused(words, why):
    assert_refused("set", words, why)


LOOP = """<loop_joint name="closed" type="ball"><link1 link="base"/><link2 link="left_hand"/></loop_joint>
</robot>"""


def test_an_opened_loop_is_named():
    text = ARM.replace("</robot>", LOOP)
    for words, sentences in (
        ("left_slide.xyz=0 0 1", ["loop"]),
        ("left_tool.xyz=0 0 1", []),
        ("left_slide.xyz=0 0 1 keep=world", []),
    ):
        warnings = set_value(text, words).plan.warnings
        assert [each.sentence for each in warnings if each.kind is POSE_SET] == sentences


def test_a_pose_of_mjcf_is_set(tmp_path):
    robot = written(
        tmp_path,
        "m.xml",
        '<mujoco model="m"><worldbody><body name="b"><geom size="1"/><body name="l" pos="1 0 0">'
        '<joint name="left"/><geom size="1"/></body></body></worldbody></mujoco>',
    )
    assert 'xyz="0 0 0.5"' in edit(robot, set="left.xyz=0 0 50cm").text


@pytest.mark.parametrize(
    "text, units, expected",
    (
        ("35mm 1,2cm", LENGTH, "0.035 1 0.02"),
        ("1e1mm -3mm .5um", LENGTH, "0.01 -0.003 5e-07"),
        ("180deg 1rad -90deg", ANGLE, f"{math.pi} 1 {-math.pi / 2}"),
    ),
)
def test_numbers_have_units(text, units, expected):
    assert read_quantities(text, 3, units) == tuple(map(float, expected.split()))
