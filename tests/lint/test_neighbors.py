"""What stands beside a robot: ros2_control, transmissions and soft limits in it, its SRDF, and its controllers."""

import json
import os

import pytest

from urdf_tools.app.command_table import main
from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine

KNOWN = [kind.name for kind in EXPORT_KINDS]
ROBOT = """<robot name="arm"><link name="base"/><link name="tip"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="2" effort="5" velocity="3"/>{}</joint>{}
</robot>"""
SOFT = (
    '<safety_controller soft_lower_limit="{}" soft_upper_limit="{}" k_position="9" k_velocity="1"/>'
)
CONTROL = """<ros2_control name="c" type="system"><joint name="{}"><command_interface name="{}">
<param name="min">{}</param><param name="max">{}</param></command_interface></joint></ros2_control>"""
SRDF = """<robot name="arm"><group name="g"><joint name="turn"/></group>
<group_state name="home" group="g"><joint name="turn" value="{}"/></group_state></robot>"""
CONTROLLERS = """arm_controller:
  ros__parameters:
    joints:  # in their order
      - turn
      - "{}"
    interfaces: [position]
wheels: {{joint: other}}
gripper:
    joints: [turn, {}]
"""


def found(inside="", after="", kinds=("soft-limit", "control-limit", "names-no-joint")):
    findings = examine(ROBOT.format(inside, after).encode(), "r.urdf", KNOWN).findings
    return [(one.kind.name, one.diagnostic.sentence) for one in findings if one.kind.name in kinds]


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    (
        ("-1.1", "1.5", "outside"),
        ("-0.5", "2.5", "outside"),
        ("-1", "2", "copied"),
        ("-0.9", "1.9", ""),
        ("-1", "1.9", ""),
        ("0", "0", ""),
    ),
)
def test_soft_limits_leave_room_to_brake(low, high, sentence):
    assert found(SOFT.format(low, high)) == ([("soft-limit", sentence)] if sentence else [])


@pytest.mark.parametrize(
    ("interface", "low", "high", "is_outside"),
    (
        ("position", "-3.2", "3.2", True),
        ("position", "-1", "2.1", True),
        ("position", "-1", "2", False),
        ("position", "-0.5", "1", False),
        ("position", "-1.0001", "2.0001", False),
        ("velocity", "-3", "4", True),
        ("velocity", "-3", "3", False),
        ("effort", "-9", "9", True),
        ("effort", "", "", False),
        ("temperature", "-99", "99", False),
    ),
)
def test_commands_of_ros2_control_stay_within_the_limits(interface, low, high, is_outside):
    wanted = [("control-limit", "interface")] if is_outside else []
    assert found(after=CONTROL.format("turn", interface, low, high)) == wanted


@pytest.mark.parametrize("tag", ("transmission", "ros2_control"))
def test_a_joint_that_is_named_and_is_not_there(tag):
    assert found(after=f'<{tag} name="t"><joint name="trun"/></{tag}>') == [
        ("names-no-joint", "element")
    ]
    assert found(after=f'<{tag} name="t"><joint name="turn"/></{tag}>') == []


@pytest.fixture
def folder(here):
    (here / "arm.urdf").write_text(ROBOT.format("", ""))
    (here / "config").mkdir()
    (here / "config" / "arm.srdf").write_text(SRDF.format("2.5"))
    return here


def report(capsys, *words):
    status = main(["lint", *words, "--format", "json", "--fail-on", "warning"])
    said = capsys.readouterr()
    # Windows shows paths with backslashes, of which JSON has two.
    out = said.out if os.sep == "/" else said.out.replace(2 * os.sep, "/")
    return status, json.loads(out) if out else {}, said.err


def places(data):
    return [
        (one["file"], one["line"], one["kind"])
        for one in data["findings"]
        if one["severity"] == "warning"
    ]


def test_an_srdf_is_found_beside_its_robot_and_finds_it(folder, capsys):
    srdf = "config/arm.srdf"
    place = [(srdf, 2, "srdf-state")]
    status, data, _ = report(capsys, "arm.urdf", "--select", "srdf-*")
    assert (status, data["files"], places(data)) == (1, ["arm.urdf", srdf], place)
    status, data, _ = report(capsys, srdf)
    assert (status, data["files"], places(data)) == (1, [srdf], place)
    _, data, _ = report(capsys, srdf, "arm.urdf", "--select", "srdf-*")
    assert places(data) == place
    (folder / srdf).write_text(SRDF.format("1.5"))
    assert report(capsys, srdf)[0] == 0


def test_the_srdf_of_a_variant_with_the_same_robot_name_is_not_read(folder, capsys):
    """`arm_long.srdf` is for `arm_long.urdf`, as soon as that is there."""
    srdf = folder / "config" / "arm.srdf"
    long = srdf.with_name("arm_long.srdf")
    srdf.rename(long)
    assert report(capsys, "arm.urdf", "--select", "srdf-*")[1]["files"] == [
        "arm.urdf",
        "config/arm_long.srdf",
    ]
    (folder / "arm_long.urdf").write_bytes((folder / "arm.urdf").read_bytes())
    for text, found in (("arm", []), ("arm_long", ["config/arm_long.srdf"])):
        _, data, _ = report(capsys, f"{text}.urdf", "--select", "srdf-*")
        assert data["files"] == [f"{text}.urdf", *found]


def test_an_srdf_of_another_robot_is_named_if_it_is_called_as_the_file(folder, capsys):
    """By another name it is not read, and alone it asks for its robot."""
    other = SRDF.format("1").replace('name="arm"', 'name="leg"')
    (folder / "config" / "arm.srdf").write_text(other)
    place = [("config/arm.srdf", 1, "srdf-fit")]
    for words in (("arm.urdf", "--select", "srdf-*"), ("config/arm.srdf",)):
        assert places(report(capsys, *words)[1]) == place
    (folder / "config" / "arm.srdf").rename(folder / "config" / "leg.srdf")
    assert report(capsys, "arm.urdf")[1]["files"] == ["arm.urdf"]
    status, _, errors = report(capsys, "config/leg.srdf")
    assert status == 2 and "lint ROBOT.urdf config/leg.srdf" in errors


FOLLOWS = "<!-- urdf_simplify 0.3.0: follows the simplified URDF -->\n"
TURNED = (
    "<!-- urdf_simplify 0.3.0 joint map, q is the position in the original file: turn = -q -->\n"
)


@pytest.mark.parametrize(
    ("of_urdf", "of_srdf", "sentence", "line"),
    (
        ("", "", "", 0),
        ("", FOLLOWS + TURNED, "is not simplified yet", 1),
        (FOLLOWS, FOLLOWS + TURNED, "joint 'turn' has another sign or zero", 2),
        (FOLLOWS + TURNED, FOLLOWS + TURNED, "", 0),
    ),
)
def test_an_srdf_that_followed_another_urdf_is_an_error(
    folder, capsys, of_urdf, of_srdf, sentence, line
):
    """Its states would be of joints that turn the other way."""
    (folder / "arm.urdf").write_text(of_urdf + ROBOT.format("", ""))
    (folder / "config" / "arm.srdf").write_text(of_srdf + SRDF.format("0.5"))
    status, data, _ = report(capsys, "arm.urdf", "--select", "srdf-*")
    found = [(one["severity"], one["line"]) for one in data["findings"]]
    assert (status, found) == ((1, [("error", line)]) if sentence else (0, []))
    assert all(sentence in one["message"] for one in data["findings"])


def test_a_comment_in_an_srdf_ignores(folder, capsys):
    text = SRDF.format("9").replace(
        "<group_state", "<!-- lint-ignore srdf-state: tried -->\n<group_state"
    )
    (folder / "config" / "arm.srdf").write_text(text)
    status, data, _ = report(capsys, "config/arm.srdf")
    assert (status, len(data["ignored"])) == (0, 1)


@pytest.mark.parametrize(
    ("first", "second", "lines"),
    (("turn", "turn", []), ("trun", "turn", [5]), ("turn", "trun", [9]), ("x", "y", [5, 9])),
)
def test_controllers_name_joints_of_the_robot(folder, capsys, first, second, lines):
    (folder / "c.yaml").write_text(CONTROLLERS.format(first, second))
    _, data, _ = report(capsys, "arm.urdf", "c.yaml", "--select", "names-no-joint")
    assert places(data) == [("c.yaml", line, "names-no-joint") for line in lines]


def test_controllers_of_another_robot_say_nothing(folder, capsys):
    (folder / "c.yaml").write_text("joints:\n- a\n- b\n- turn\n")
    assert places(report(capsys, "arm.urdf", "c.yaml", "--select", "names-no-joint")[1]) == []
