"""A run says plainly "Same robot" if, and only if, `compare` of its input and output ends with 0."""

import random
import re
from pathlib import Path

import pytest
from conftest import examples, ROOT, SEEDS, some_of
from hypothesis import given, strategies as st
from random_beside import write_robot_with_all
from random_gazebo import write_gazebo_robot
from random_robots import Traits, write_robot
from sound_robots import sound

import commands
from urdf_tools.compare import compare

FIXTURES = ROOT / "fixtures"
ENDINGS = (".xml", ".sdf", ".usda")
ROBOTS = [
    *sorted(FIXTURES.rglob("robot.urdf")),
    *sorted((FIXTURES / "exports").glob("*.urdf")),
    *sorted((FIXTURES / "usd").glob("*.usda")),
]
LINK = """<link name="{}"><inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>"""
JOINT = """<joint name="{0}" type="revolute"><parent>{1}</parent><child>{2}</child><axis><xyz>0 1 0</xyz>
<limit><lower>-.7</lower><upper>.7</upper></limit></axis></joint>"""
FOUR_BARS = f"""<sdf version="1.9"><model name="four">{"".join(map(LINK.format, ("palm", "a", "b", "bar")))}
{JOINT.format("drive", "palm", "a")}{JOINT.format("follow", "palm", "b")}
{JOINT.format("top_a", "a", "bar")}{JOINT.format("top_b", "b", "bar")}</model></sdf>"""


def flat(text):
    return " ".join(text.split())


def assert_as_compare_says(source, target):
    """Export a robot, and fail if its verdict is plain and `compare` differs, or the other way round."""
    status, out, _ = commands.said("export", source, target, "-y", "--force")
    if status != 0:
        return
    shown = flat(out)
    is_plain = "OK Same robot: verified" in shown
    status, compared, _ = commands.said("compare", source, target)
    if is_plain:
        assert not compare(source, target).differences, (compared, shown)
        return
    said = re.search("Same robot, but for (.*?): verified", shown)
    assert said, shown
    if status == 0:
        # Exact acts: `compare` counts them in the same words.
        assert said[1] in flat(compared), (said[1], compared)


@pytest.mark.parametrize(
    ("robot", "ending"),
    some_of([(robot, ending) for robot in ROBOTS for ending in ENDINGS], 25),
    ids=str,
)
def test_a_verdict_is_plain_where_compare_ends_with_0(robot, ending, here):
    assert_as_compare_says(str(robot), f"made{ending}")


def test_a_value_of_a_frame_counts_where_its_body_gets_a_mass(here):
    """What a frame says is of the body, which gets a mass that the export makes up."""
    assert_as_compare_says(str(FIXTURES / "odd" / "twice_in_gazebo" / "robot.urdf"), "made.sdf")


SOURCES = (
    lambda r: write_robot(r, Traits(links=5, hostile=0.1, odd_joints=False)),
    write_robot_with_all,
    write_gazebo_robot,
)


@examples(6, fuzzed=200)
@given(SEEDS, st.sampled_from(ENDINGS))
def test_the_verdict_of_any_export_is_as_compare_says(seed, ending):
    text = sound(SOURCES[seed % 3](random.Random(seed)))
    with commands.folder_with({"r.urdf": text}):
        assert_as_compare_says("r.urdf", f"made{ending}")


def test_a_loop_that_sdf_lacks_is_counted(here):
    Path("four.sdf").write_text(FOUR_BARS)
    out = flat(commands.said("export", "four.sdf", "s.sdf", "-y")[1])
    assert "OK Same robot" not in out
    assert "Same robot, but for 1 loop that SDF lacks: verified" in out
    assert "s.sdf is read again and is the same robot, but for 1 loop that SDF lacks" in out
    assert commands.said("compare", "four.sdf", "s.sdf")[0] == 1


def test_a_urdf_has_the_limits_of_the_joint_that_closes_a_loop(here):
    Path("four.sdf").write_text(FOUR_BARS)
    Path("wide.sdf").write_text(FOUR_BARS[::-1].replace("7.", "8.", 1)[::-1])
    assert commands.said("export", "four.sdf", "four.urdf", "-y")[0] == 0
    assert compare("four.sdf", "four.urdf").verdict == "same"
    assert [each.kind for each in compare("wide.sdf", "four.urdf").counted] == ["loop_value"]


REVERSED = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
</inertial></link><link name="b"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
</inertial></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="1" upper="-1" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize("ending", ENDINGS)
def test_limits_that_no_format_has_are_counted(ending, here):
    Path("r.urdf").write_text(REVERSED)
    out = flat(commands.said("export", "r.urdf", f"made{ending}", "-y")[1])
    assert "Same robot, but for 1 limit that " in out and "OK Same robot" not in out


UNSEEN = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial><visual><geometry><mesh filename="{}plate.stl"/></geometry></visual>
<visual><geometry><box size="0 0 0"/></geometry></visual></link></robot>"""


@pytest.mark.parametrize(
    ("name", "output", "said"),
    [
        ("", "r.sdf", ""),
        ("package://x/", "there/r.sdf", ""),
        ("", "there/r.sdf", "1 mesh that could not be compared"),
        ("", "r.xml", "1 of 1 visual that MJCF lacks"),
        ("", "r.usda", "1 of 1 visual that USD lacks"),
    ],
)
def test_a_mesh_that_is_not_there_is_counted_where_its_name_may_mean_another_file(
    name, output, said, here
):
    """A shape of size zero draws nothing, and so no format lacks it."""
    Path("there").mkdir()
    Path("r.urdf").write_text(UNSEEN.format(name))
    shown = flat(commands.said("export", "r.urdf", output, "-y")[1])
    wanted = f"Same robot, but for {said}: verified" if said else "OK Same robot: verified"
    assert wanted in shown
    assert commands.said("compare", "r.urdf", output)[0] == int(bool(said))


def run_and_compared(text):
    """Return True for a plain verdict of a run of this robot, and the status of `compare` of both."""
    Path("r.urdf").write_text(text)
    status, shown, _ = commands.said("r.urdf", "-o", "made.urdf", "-y", "--force")
    assert status == 0
    is_plain = "OK Same robot: verified" in flat(shown)
    assert is_plain or "Same robot, but for " in flat(shown)
    return is_plain, commands.said("compare", "r.urdf", "made.urdf")[0]


@examples(8, fuzzed=400)
@given(SEEDS)
def test_the_verdict_of_any_run_is_as_compare_says(seed):
    with commands.folder_with({}):
        is_plain, status = run_and_compared(write_gazebo_robot(random.Random(seed)))
        assert status == (0 if is_plain else 1)


MERGES = """<robot name="r"><link name="a">{0}</link><link name="b">{1}</link><link name="c">{0}</link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="continuous"><parent link="a"/><child link="c"/><origin xyz="0 0 1" rpy="1.5707963267948966 0 0"/>
<axis xyz="0 -1 0"/></joint>{2}</robot>"""
BOXED = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    '<visual><geometry><box size="1 1 1"/></geometry></visual>'
)
OF_GAZEBO = '<gazebo reference="{}">{}</gazebo>'
COLORED = OF_GAZEBO.format("b", "<material>Gazebo/Red</material>")
ANCHORED = '<sensor name="s" type="imu"><pose relative_to="c">0 0 0.1 0 0 0</pose></sensor>'
OTHERWISE = "".join(
    OF_GAZEBO.format(link, f"<selfCollide>{value}</selfCollide>")
    for link, value in (("b", "true"), ("a", "false"))
)
SAID_OF_RUNS = {
    "a color": (BOXED, COLORED, "1 link with another surface or color"),
    "a sensor told in a frame that turns": (
        BOXED,
        OF_GAZEBO.format("a", ANCHORED),
        "1 sensor that is lost or elsewhere",
    ),
    # Gazebo makes one link of both, and reads the first of their values for it.
    "values of one body in Gazebo": (BOXED, OTHERWISE, ""),
    "a value said of a frame": ("", OF_GAZEBO.format("b", "<selfCollide>true</selfCollide>"), ""),
}


@pytest.mark.parametrize("name", SAID_OF_RUNS)
def test_a_run_counts_what_its_note_has_as_lost(name, here):
    second, blocks, said = SAID_OF_RUNS[name]
    is_plain, status = run_and_compared(MERGES.format(BOXED, second, blocks))
    assert (is_plain, status) == (not said, int(bool(said)))
    if said:
        shown = flat(commands.said("r.urdf", "--dry-run")[1])
        assert f"Same robot, but for {said}: verified" in shown
