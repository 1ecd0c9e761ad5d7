"""Two different numbers never have one text; a float32 is compared as one; a turn is told as an angle."""

import json
import math
import random
import re
import struct

import pytest
from conftest import ENOUGH, examples, SEEDS
from hypothesis import example, given, strategies as st
from random_robots import Traits, write_robot

from urdf_tools.app.command_table import main
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import ASPECTS, Difference, poses_apart
from urdf_tools.compare.joint_differences import range_gap
from urdf_tools.compare.comparison_text import difference_json, report
from urdf_tools.compare.distinguishable_numbers import told_apart
from urdf_tools.compare.difference_kinds import text_of
from urdf_tools.formats.mjcf.read_mjcf import read_mjcf
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.formats.format_values import precision_of
from urdf_tools.robot.raw_robot import RawMimic
from urdf_tools.urdf.spatial_math import IDENTITY_POSE, Transform

NUMBERS = st.floats(-1e30, 1e30)
NO_MESHES = frozenset(ASPECTS) - {"meshes"}

WHEEL = """<robot name="w">
  <link name="base"><inertial><mass value="11.7"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="wheel"><inertial><mass value="11.7"/><inertia ixx=".1" iyy=".2" izz=".25" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/>
    <limit lower="-1e6" upper="1e6" effort="20" velocity="30"/></joint>
  <link name="tool"/>
  <joint name="mount" type="fixed"><parent link="wheel"/><child link="tool"/><origin xyz="0 0 1" rpy="0 0 {turn}"/></joint>
</robot>"""


@examples(200, fuzzed=2000)
@example(1e6, 1e6 + 1e-3)
@example(11.7, 11.7016)
@example(0.0, 1e-300)
@given(NUMBERS, NUMBERS)
def test_two_numbers_have_two_texts(a, b):
    is_noise = abs(a - b) <= 2.0**-50 * max(abs(a), abs(b))
    for digits in (4, 6):
        first, second = told_apart(a, b, digits)
        assert is_noise or first != second
        assert float(first) == pytest.approx(a, rel=10.0 ** (1 - digits), abs=1e-320)


@examples(100, fuzzed=1000)
@given(NUMBERS, st.sampled_from((1.0, -1.0)))
def test_neighbors_have_two_texts(a, side):
    """Numbers that differ by no more than a tolerance may, and the digits of a person hide it."""
    b = a + side * max(abs(a) * 1e-9, 1e-12)
    first, second = told_apart(a, b)
    assert first != second


def of_joint(**changes):
    return lambda robot, r: robot.with_each(
        joints=lambda joint: joint._replace(
            **{
                field: change(getattr(joint, field), r)
                for field, change in changes.items()
                if getattr(joint, field) is not None
            }
        )
    )


def near(value, r):
    """Return a number so near that six digits do not tell it."""
    return value * (1.0 + r.choice((3e-7, 2e-4, 1.2e-4))) + r.choice((0.0, 2e-4))


def of_mass(robot, r):
    return robot.with_each(
        links=lambda link: (
            link._replace(mass=link.mass._replace(mass=near(link.mass.mass, r)))
            if link.mass
            else link
        )
    )


def of_values(robot, r):
    return robot.with_each(
        joints=lambda joint: joint._replace(
            values={key: tuple(near(x, r) for x in value) for key, value in joint.values.items()}
        )
    )


def of_mimic(robot, r):
    def changed(joint):
        mimic = joint.mimic
        if mimic is None:
            return joint
        rule = RawMimic(mimic.leader, near(mimic.multiplier, r), near(mimic.offset, r))
        return joint._replace(mimic=rule)

    return robot.with_each(joints=changed)


CHANGES = {
    "limits": of_joint(lower=near, upper=near),
    "effort": of_joint(effort=near),
    "velocity": of_joint(velocity=near),
    "mass": of_mass,
    "values": of_values,
    "mimic": of_mimic,
}
PAIR = re.compile(r"(?:^|: |\bin A, )(?P<a>[^:/]+) / (?P<b>[^:/]+)$")


def assert_told(comparison):
    """Check that no difference of two numbers has one text twice."""
    for difference in (*comparison.differences, *comparison.rounded):
        found = PAIR.search(text_of(difference))
        if found:
            assert found["a"].split()[-1:] != found["b"].split()[-1:] or found["a"] != found["b"]
            assert found["a"] != found["b"], text_of(difference)
        record = difference_json(difference)
        assert difference.a == difference.b or record["a"] != record["b"], record
        assert not difference.size or record["size"], record


@examples(2 * ENOUGH, fuzzed=300)
@given(SEEDS, st.sampled_from(sorted(CHANGES)))
def test_no_line_has_one_text_for_two_numbers(seed, word):
    r = random.Random(seed)
    robot = read_urdf(write_robot(r, Traits(links=6, hostile=0.0)).encode())
    assert_told(compare(robot, CHANGES[word](robot, r), aspects=NO_MESHES))


@examples(50, fuzzed=500)
@example(1e-13, 2e-13)
@given(NUMBERS, NUMBERS)
def test_json_has_two_numbers_for_two(a, b):
    record = difference_json(Difference("mass", "link", abs(a - b), "kg", a, b, ("link", "", "")))
    assert a == b or record["a"] != record["b"] and record["size"]


MJCF = """<mujoco><worldbody><body name="a"><freejoint/><inertial pos="0 0 0" mass="11.7" diaginertia="1 1 1"/>
  <body name="b"><joint name="j" axis="0 0 1" damping="{0}" range="-1 1"/>
  <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody>
  <option gravity="0 0 -{1}"/><actuator><motor joint="j" gear="{2}"/></actuator>
  <keyframe><key name="home" qpos="0 0 0 1 0 0 0 {3}"/></keyframe></mujoco>"""


@pytest.mark.parametrize("place", range(4), ids=("damping", "gravity", "gear", "key"))
def test_values_of_mjcf_are_told_apart(place):
    """Also those that are only noted."""
    usual = [1000.1, 9.81, 1000.1, 1000.1]
    other = [*usual]
    other[place] *= 1.00011
    a, b = (read_mjcf(MJCF.format(*values).encode()) for values in (usual, other))
    found = compare(a, b)
    told = [*found.differences, *found.noted]
    assert told
    for difference in told:
        first, second = difference.names[-2:]
        assert first != second, text_of(difference)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    (
        ('value="11.7"', 'value="11.7016"', "11.7 kg / 11.702 kg"),
        ('effort="20"', 'effort="20.003"', "20 / 20.003"),
        ('upper="1e6"', 'upper="1000000.25"', "[-1e+06, 1000000] / [-1e+06, 1000000.2]"),
    ),
)
def test_a_line_has_as_many_digits_as_tell_both_apart(old, new, line, tmp_path, capsys):
    a, b = tmp_path / "a.urdf", tmp_path / "b.urdf"
    a.write_text(WHEEL.format(turn=0))
    b.write_text(WHEEL.format(turn=0).replace(old, new))
    told, page = tmp_path / "d.json", tmp_path / "d.html"
    assert main(["compare", str(a), str(b), "--report", str(told), "--page", str(page)]) == 1
    assert line in capsys.readouterr().out
    texts = [each["text"] for each in json.loads(told.read_text())["differences"]]
    assert any(line in text for text in texts)
    assert line in page.read_text()


def single(value):
    """Return a number as float32 holds it."""
    return struct.unpack("f", struct.pack("f", value))[0]


@examples(100, fuzzed=1000)
@example(1e6)
@given(st.floats(-1e8, 1e8).filter(lambda value: abs(value) > 1e-30))
def test_a_float32_is_compared_as_one(value):
    """USD holds limits in degrees."""
    held = math.radians(single(math.degrees(value)))
    ranges = (value, None), (held, None)
    assert range_gap(*ranges, precision_of("urdf", "usd")) == 0.0
    assert range_gap(*ranges, precision_of("urdf", "mjcf")) == abs(held - value)
    # The next float32 is another number.
    following = value + max(abs(value), 1e-3) * 2.0**-22
    assert range_gap((value, None), (following, None), precision_of("usd")) > 0.0


def test_limits_that_usd_rounds_are_the_same_robot(tmp_path, capsys):
    a, b = tmp_path / "a.urdf", tmp_path / "a.usda"
    a.write_text(WHEEL.format(turn=0))
    assert main(["export", str(a), str(b), "-y", "-q"]) == 0
    assert main(["compare", str(a), str(b)]) == 0
    text = capsys.readouterr().out
    assert "Same robot" in text and "inferred" not in text
    b.write_text(b.read_text().replace("= 5.729578e+07", "= 57295788"))
    assert main(["compare", str(a), str(b)]) == 1
    assert "limit turn" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("turn", "degrees"), ((math.pi, "180"), (math.pi / 2, "90"), (1.0, "57.3"))
)
def test_a_turn_is_told_as_an_angle(turn, degrees):
    a, b = (read_urdf(WHEEL.format(turn=each).encode()) for each in (0, turn))
    text = report(compare(a, b), full=True)
    assert re.search(rf"tool: turned by\s+{degrees}\s+degrees", text)


@examples(50, fuzzed=500)
@given(st.floats(-math.pi, math.pi))
def test_the_angle_between_two_poses_is_that_of_the_turn(angle):
    c, s = math.cos(angle), math.sin(angle)
    turned = Transform(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    assert poses_apart(turned, IDENTITY_POSE)[1] == pytest.approx(abs(angle), rel=1e-9, abs=1e-7)


def test_axes_are_told_as_turned_only_where_the_turn_is_seen():
    """Rounding turns the axes of a tensor, and leaves its moments."""
    small = 1e-8  # rad
    slant = (0.25 - 0.1) * small
    a = WHEEL.format(turn=0)
    b = a.replace('izz=".25" ixy="0" ixz="0"', f'izz=".25" ixy="0" ixz="{slant!r}"')
    found = compare(*(read_urdf(text.encode()) for text in (a, b)))
    assert found.verdict == "rounded"
    assert [each.kind for each in found.rounded] == ["tensor"]
