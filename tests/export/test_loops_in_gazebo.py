"""A joint in a `<gazebo>` of the whole robot is one of the SDF: a loop there is a loop of the URDF, too."""

import random
import re
from pathlib import Path

import pytest
from conftest import examples, ROOT, SEEDS
from hypothesis import given
from random_gazebo import closing_joints, write_gazebo_robot
from sound_robots import sound

import commands
from urdf_tools.compare import compare
from urdf_tools.compare.difference_kinds import text_of
from urdf_tools.formats.sdf.read_sdf import read_sdf
from urdf_tools.formats.urdf.read_urdf import read_urdf

CLOSING = (ROOT / "fixtures" / "exports" / "closing.urdf").read_text("utf-8")
GAZEBO_CLOSING = ROOT / "fixtures" / "follow" / "gazebo_closing" / "robot.urdf"


def robot_with_loops(seed):
    """Return a random robot, in which some joints in `<gazebo>` close loops between its links."""
    r = random.Random(seed)
    text = sound(write_gazebo_robot(r))
    return text.replace("</robot>", f"<gazebo>{closing_joints(r, text)}</gazebo></robot>")


def loops_of(robot):
    return sorted((loop.name, loop.kind) for loop in robot.loops)


@examples(5, fuzzed=300)
@given(SEEDS)
def test_a_urdf_has_the_loops_of_its_sdf(seed):
    text = robot_with_loops(seed)
    before = read_urdf(text.encode())
    with commands.folder_with({"r.urdf": text}):
        status, _, said = commands.said("export", "r.urdf", "r.sdf", "-y", "-q")
        if "which are no two links of its SDF" in said:  # a frame, and the link that holds it
            return
        assert status == 0
        after = read_sdf(Path("r.sdf").read_bytes())
        found = compare("r.urdf", "r.sdf").differences
    assert loops_of(before) == loops_of(after) != []
    assert [text_of(one) for one in found if one.kind.startswith("loop")] == []


@examples(5, fuzzed=300)
@given(SEEDS)
def test_a_run_keeps_the_loops_or_counts_them(seed):
    """Frames turn, signs flip, and links merge: a joint in `<gazebo>` follows, or the verdict counts it."""
    with commands.folder_with({"r.urdf": robot_with_loops(seed)}):
        status, out, _ = commands.said("r.urdf", "-o", "made.urdf", "-y")
        found = compare("r.urdf", "made.urdf").differences
    lost = {one.where for one in found if one.kind.startswith("loop")}
    assert status == 0
    said = re.search(r"(\d) loops? that (is|are) lost or elsewhere", " ".join(out.split()))
    assert len(lost) == (int(said[1]) if said else 0), out


def read(block):
    joint = re.search(r"<gazebo>.*</gazebo>", CLOSING, re.DOTALL)[0]
    return read_urdf(CLOSING.replace(joint, block).encode())


JOINT = "<joint {}><parent>{}</parent><child>{}</child><axis><xyz>0 1 0</xyz></axis></joint>"


@pytest.mark.parametrize(
    ("block", "loops"),
    [
        (JOINT.format('name="l" type="revolute"', "left", "right"), 1),
        # A frame stands for its link.
        (
            '<frame name="f" attached_to="left"><pose>0 0 1 0 0 0</pose></frame>'
            + JOINT.format('name="l" type="revolute"', "f", "right"),
            1,
        ),
        (JOINT.format('name="l" type="screw"', "left", "right"), 0),
        (JOINT.format('name="l" type="revolute"', "left", "nowhere"), 0),
        (JOINT.format('name="a" type="revolute"', "left", "right"), 0),  # a joint has the name
        (JOINT.format('type="revolute"', "left", "right"), 0),
        # It holds a further link, and the robot in the world.
        ('<link name="x"/>' + JOINT.format('name="l" type="ball"', "left", "x"), 0),
        (JOINT.format('name="l" type="fixed"', "world", "base"), 0),
    ],
)
def test_a_loop_is_a_joint_between_links_that_a_tree_holds_already(block, loops):
    robot = read(f"<gazebo>{block}</gazebo>")
    assert len(robot.loops) == loops
    # What is not read is not silent.
    assert any(unread.words[0][0] in ("gazebo", "joint") for unread in robot.unread) != bool(loops)
    assert read(f'<gazebo reference="left">{block}</gazebo>').loops == ()


def test_a_joint_that_holds_what_floats_closes_no_loop():
    """SDF has no floating joint, so the joint of `<gazebo>` is the one of its tree."""
    text = CLOSING.replace('name="b" type="continuous"', 'name="b" type="floating"')
    assert read_urdf(text.encode()).loops == ()


def test_a_link_with_the_name_of_a_joint_is_an_end():
    """Links and joints share their names in SDF, where the name then means the link."""
    text = CLOSING.replace('name="b"', 'name="right"').replace('name="a"', 'name="right_2"')
    (loop,) = read_urdf(text.encode()).loops
    assert loop.links == ("left", "right")


@pytest.mark.parametrize(
    ("old", "new"),
    [("<parent>left", "<parent>base"), ("0 1 0</xyz>", "0 0 1</xyz>"), ('"revolute"', '"ball"')],
)
def test_another_loop_is_a_difference(old, new, here):
    other = "</gazebo>".join(
        part.replace(old, new) if "<gazebo>" in part else part
        for part in CLOSING.split("</gazebo>")
    )
    Path("a.urdf").write_text(CLOSING)
    Path("b.urdf").write_text(other)
    assert other != CLOSING
    status, out, _ = commands.said("compare", "a.urdf", "b.urdf")
    assert status == 1 and "loop" in out


@pytest.mark.parametrize(
    ("ending", "verdict", "status"),
    [
        ("sdf", "OK Same robot: verified", 0),
        ("xml", "Same robot, but for 1 loop that MJCF lacks: verified", 1),
        ("json", "OK Same robot: verified", 0),
    ],
)
def test_an_export_counts_the_loop_as_compare_does(ending, verdict, status, here):
    Path("r.urdf").write_text(CLOSING)
    out = " ".join(commands.said("export", "r.urdf", f"r.{ending}", "-y")[1].split())
    assert verdict in out
    assert commands.said("compare", "r.urdf", f"r.{ending}")[0] == status


def test_a_moved_zero_closes_the_loop_elsewhere_and_is_named(here):
    words = ("edit", str(GAZEBO_CLOSING), "-o", "r.urdf", "-y", "--zero", "knee=0.5")
    status, out, _ = commands.said(*words)
    assert status == 0 and "[moved-zero]" in out and "closes a loop" in out
    words = ("edit", str(GAZEBO_CLOSING), "-o", "s.urdf", "-y", "--rename", "foot=sole")
    status, out, _ = commands.said(*words)
    assert status == 0 and "closes a loop" not in out
