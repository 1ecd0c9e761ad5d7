"""`compare` at the terminal, and the library call: verdict, exit status, report, what it refuses."""

import json
import re
from pathlib import Path

import pytest
from commands import in_process
from conftest import ROOT

from urdf_tools import compare
from urdf_tools.app.command_table import main

ARM = (ROOT / "fixtures/arm/robot.urdf").read_text("utf-8")

BY_NAME = ("--aspects", "no-meshes")  # the meshes of the arm are not there


def run(*words, text=""):
    done = in_process(words, text.encode(), main)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def pair(here):
    """The arm, and one that is heavier."""
    a, b = here / "a.urdf", here / "b.urdf"
    a.write_text(ARM, "utf-8")
    b.write_text(ARM.replace('<mass value="', '<mass value="1', 1), "utf-8")
    return a, b


def test_quiet_is_a_line_for_each_difference(pair):
    status, shown, _ = run("compare", "a.urdf", "b.urdf", "-q", *BY_NAME)
    assert status == 1 and all(
        line.startswith("a.urdf:") and ": mass: " in line for line in shown.splitlines()
    )
    assert run("compare", "a.urdf", "a.urdf", "-q", *BY_NAME)[:2] == (0, "")


def test_the_folder_of_a_package_is_read_before_anything_is_compared(
    pair,
):
    assert run("compare", "a.urdf", "a.urdf", "--package", "parts=.", *BY_NAME)[0] == 0
    for wrong in ("parts", "parts=nowhere"):
        status, shown, errors = run("compare", "a.urdf", "a.urdf", "--package", wrong)
        assert (status, shown) == (2, "")
        assert errors.splitlines() == [
            f"error: --package {wrong}: give a name and a folder that exists, such as my_robot=../my_robot"
        ]


@pytest.mark.parametrize("collision, is_read", [("<collision>", True), ("<visual>", False)])
def test_a_contact_that_is_compared_is_not_called_unread(collision, is_read, here):
    """PyBullet's `<contact>` has an effect, and is compared, where the link has a collision."""
    shape = f"{collision}<geometry><box size='1 1 1'/></geometry>{collision.replace('<', '</')}"
    contact = "<contact><lateral_friction value='0.5'/></contact>"
    text = f"<robot name='r'><link name='l'>{shape}{contact}</link></robot>"
    Path("a.urdf").write_text(text, "utf-8")
    shown = run("compare", "a.urdf", "a.urdf", "--full", "--report", "d.json")[1]
    unread = json.loads(Path("d.json").read_text("utf-8"))["unread"]["a"]
    assert ("not read" not in shown, unread == []) == (is_read, is_read)


def test_what_is_not_read_is_shown_in_full(pair):
    Path("b.urdf").write_text(ARM.replace("</robot>", "<odd/></robot>"), "utf-8")
    line = Path("b.urdf").read_text("utf-8").count("\n", 0, -len("<odd/></robot>\n")) + 1
    status, shown, _ = run("compare", "a.urdf", "b.urdf", "--full", "--report", "d.json", *BY_NAME)
    assert status == 1 and f"  note  not read in B, line {line}: <odd>" in shown.splitlines()
    assert "<odd>" in run("compare", "a.urdf", "b.urdf", *BY_NAME)[1]
    told = json.loads(Path("d.json").read_text("utf-8"))["unread"]
    assert told == {"a": [], "b": [{"element": "<odd>", "why": "not read", "line": line}]}


def test_a_file_may_be_standard_input(pair):
    assert run("compare", "a.urdf", "-", *BY_NAME, text=ARM)[0] == 0
    assert run("compare", "-", "b.urdf", text=ARM)[0] == 1
    status, _, errors = run("compare", "-", "-", text=ARM)
    assert status == 2 and "only one of both files can be standard input" in errors


def test_the_report_is_json_and_its_map_can_be_given_back(pair):
    assert run("compare", "a.urdf", "b.urdf", "--report", "d.json")[0] == 1
    told = json.loads(Path("d.json").read_text("utf-8"))
    assert (told["verdict"], told["exit"]) == ("masses", 1) and told["differences"][0][
        "kind"
    ] == "mass"
    assert run("compare", "a.urdf", "b.urdf", "--map", "d.json")[0] == 1
    told["joints"][0]["sign"] = -1
    Path("d.json").write_text(json.dumps(told), "utf-8")
    assert run("compare", "a.urdf", "a.urdf", "--map", "d.json")[0] == 1
    told["joints"][0]["sign"] = 2
    Path("d.json").write_text(json.dumps(told), "utf-8")
    status, _, errors = run("compare", "a.urdf", "a.urdf", "--map", "d.json")
    assert status == 2 and "a sign is 1 or -1" in errors


def test_what_is_left_out_makes_no_difference(pair):
    assert run("compare", "a.urdf", "b.urdf", "--aspects", "motion,limits")[0] == 0
    assert run("compare", "a.urdf", "b.urdf", "--aspects", "no-mass, no-meshes")[0] == 0
    assert run("compare", "a.urdf", "b.urdf", "--aspects", "mass,motion,no-mass")[0] == 0
    assert run("compare", "a.urdf", "b.urdf", "--aspects", "no-colour")[0] == 2
    status, _, errors = run("compare", "a.urdf", "b.urdf", "--aspects", "colour")
    assert status == 2 and "--aspects colour: there are motion, mass, " in errors


def test_the_report_of_a_run_is_a_map(here):
    text = (ROOT / "fixtures/variants/two_arms/robot.urdf").read_text("utf-8")
    # A tendon of Drake, which nobody reads, counts from the old zeros.
    before, _, tendon = text.partition("  <drake:tendon_constraint")
    robot = "a.urdf"
    Path(robot).write_text(before + tendon.partition("</drake:tendon_constraint>\n")[2], "utf-8")
    words = (
        "--zero",
        "*_elbow=middle",
        "--flip",
        "left_elbow",
        "--zero",
        "waist_yaw=0.3",
        "-y",
        "-q",
    )
    assert run("edit", robot, *words, "-o", "b.urdf", "--report", "run.json")[0] == 0
    status, shown, errors = run("compare", robot, "b.urdf", "--map", "run.json")
    assert (
        (status, errors) == (0, "")
        and "waist_yaw = q - 17.19 deg" in shown
        and "rests on" not in shown
    )
    data = json.loads(Path("run.json").read_text("utf-8"))
    data["joints"][0]["zero"] += 0.1
    Path("run.json").write_text(json.dumps(data), "utf-8")
    assert run("compare", robot, "b.urdf", "--map", "run.json")[0] == 1


@pytest.mark.parametrize(
    "words, sentence",
    [
        (
            ("-o", "c.urdf"),
            "unknown option -o; it belongs to simplify, edit, collision, pairs, lint, view",
        ),
        (("--keep", "foot"), "unknown option --keep; it belongs to simplify"),
        (("--no-merge",), "unknown option --no-merge; it belongs to simplify"),
        (("--snap", "0"), "unknown option --snap; it belongs to simplify"),
        (("--check",), "unknown option --check; it belongs to simplify, pairs"),
        (("--diff",), "unknown option --diff; it belongs to simplify, edit, collision, pairs"),
        (("--aspect", "mass"), "unknown option --aspect (did you mean '--aspects'?)"),
        (("--map", "nowhere.json"), "nowhere.json: no such file"),
        (("--match", "guess"), "--match guess: give auto, names or structure"),
        (("--tolerance", "-1"), "--tolerance -1: give a small positive number"),
        (("c.urdf",), "compare takes 2 files, and 'c.urdf' is one more"),
    ],
)
def test_what_would_do_nothing_is_refused(pair, words, sentence):
    status, shown, errors = run("compare", "a.urdf", "b.urdf", *words)
    start = "compare: " if sentence.startswith("unknown") else ""
    assert (status, shown, errors) == (2, "", f"error: {start}{sentence}\n")


def test_what_cannot_be_read_is_refused_with_a_sentence_also_in_the_report(
    pair,
):
    status, _, errors = run("compare", "a.urdf", "nowhere.sdf", "--report", "d.json")
    assert (status, errors) == (2, "error: nowhere.sdf: no such file\n")
    assert json.loads(Path("d.json").read_text("utf-8"))["refused"] == "nowhere.sdf: no such file"
    assert run("compare", "a.urdf")[::2] == (
        2,
        "error: compare takes two files, and there is only a.urdf; --since REVISION compares it with a commit of git\n",
    )
    assert run("a.urdf", "--match", "names")[::2] == (
        2,
        "error: simplify: unknown option --match; it belongs to compare\n",
    )
    status, _, errors = run("a.urdf", "--compare", "b.urdf")
    assert status == 2 and errors.startswith("error: simplify: unknown option --compare")


def test_two_robots_without_a_command_are_compared_only_if_that_is_said(
    pair,
):
    status, shown, errors = run("a.urdf", "b.urdf")
    assert (status, shown) == (2, "") and re.fullmatch(
        r"error: simplify takes one robot; did you mean: .+ compare a\.urdf b\.urdf\?\n", errors
    )


def test_the_library_takes_paths_and_robots(pair):
    a, b = pair
    found = compare.compare(a, compare.read_robot(b))
    assert (found.verdict, found.is_same, found.differences[0].kind) == ("masses", False, "mass")
    assert compare.as_text(found).startswith("Same motion, different masses")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        compare.nothing  # noqa: B018


def test_what_drives_joints_is_left_open_by_a_file_without_actuators(
    pair,
):
    bare = re.sub(r"(?s)<(transmission|ros2_control)\b.*?</\1>", "", ARM)
    Path("a.urdf").write_text(bare, "utf-8")
    assert (
        run("a.urdf", "-o", "c.urdf", "-y", "-q")[0]
        == run("export", "c.urdf", "c.xml", "-y", "-q")[0]
        == 0
    )
    words = ("compare", "c.urdf", "c.xml", "--aspects", "motion,mass,limits,actuators")
    status, shown, errors = run(*words)
    assert (status, errors) == (0, "") and "  note  only B says what drives its joints" in shown


@pytest.mark.parametrize(
    ("ends", "moved", "status"),
    (
        (
            'soft_upper_limit="0.5"',
            'soft_lower_limit="-0.25" soft_upper_limit="0.25"',
            0,
        ),
        (
            'soft_lower_limit="-1"',
            'soft_lower_limit="-1.25" soft_upper_limit="-0.25"',
            0,
        ),
        ('soft_upper_limit="0.5"', 'soft_lower_limit="-1" soft_upper_limit="0.25"', 1),
    ),
)
def test_a_soft_limit_that_is_not_written_moves_with_the_zero(ends, moved, status, here):
    """It is 0 beside the other (urdfdom), and an edit that moves the zero writes it."""
    turning = (
        '<robot name="r"><link name="a"/><link name="b"><visual><geometry><box size="1 2 3"/></geometry></visual></link>'
        '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><origin rpy="0 0 {}"/>'
        '<limit lower="{}" upper="{}" effort="1" velocity="1"/><safety_controller k_velocity="1" {}/></joint></robot>'
    )
    (here / "a.urdf").write_text(turning.format(0, -1, 1, ends))
    (here / "b.urdf").write_text(turning.format(0.25, -1.25, 0.75, moved))
    assert run("compare", "a.urdf", "b.urdf", "-q")[0] == status
