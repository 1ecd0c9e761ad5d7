"""What is said of an edit: once, and of what it changed."""

import pytest
from commands import in_process
from edited_robots import ARM, written

from urdf_tools.app.command_table import main


def said(folder, text, *words, verb="edit"):
    """Return what a command prints, folded lines as one."""
    robot, output = written(folder, "arm.urdf", text), str(folder / "out.urdf")
    done = in_process([verb, robot, *words, "-o", output, "-y"], b"", main)
    assert done.returncode == 0, done.stderr.decode()
    return " ".join(done.stdout.decode().split())


@pytest.mark.parametrize(
    "words, phrase, joints",
    (
        ("--rename left_*=l_*", "names changed", False),
        ("--prefix a_", "prefix a_", False),
        ("--flip left_shoulder", "1 sign turned: left_shoulder", True),
        ("--lock left_shoulder=0.5", "2 joints locked", False),
    ),
)
def test_an_edit_is_said_once_and_the_joints_that_it_turned(words, phrase, joints, tmp_path):
    text = said(tmp_path, ARM, *words.split())
    assert text.count(phrase) == 1 and ("Result joint origins" in text) == joints


def test_parts_that_go_and_come_leave_no_mass_preserved(tmp_path):
    """The sum may be what it was."""
    text = ARM.replace('"tool"', '"left_tool"')
    assert "Mass preserved: 6.000 kg" in said(tmp_path, text, "--root", "left_hand")
    acts = {"--mirror": "left_arm left=right", "--drop": "left_arm"}
    both = said(tmp_path, text, *(word for act in acts.items() for word in act))
    assert "Mass: 6.000 -> 6.000 kg (as edited)" in both and "preserved" not in both


def test_angles_that_were_rounded_are_said_beside_the_error(tmp_path):
    """Also of a frame on a fixed joint that is kept."""
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><link name="tool"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint><joint name="t" type="fixed">'
        '<parent link="b"/><child link="tool"/><origin xyz="0 0 1" rpy="0 0 4.5e-6"/></joint></robot>'
    )
    whole = said(tmp_path, text, "--keep", "tool", verb="simplify")
    assert "apart from angles rounded by up to 4.5e-06 rad (--snap 0 keeps them)" in whole
