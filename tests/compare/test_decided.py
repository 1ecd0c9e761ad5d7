"""A run's result is the same robot as its input, but for what its note or report decides; nothing else passes."""

import json
import re
import shutil
from pathlib import Path

import golden
import pytest
from commands import in_process
from decided_runs import compared, ends_with, write_json
from mesh_files import binary_stl
from sound_robots import sound

from urdf_tools.compare.decided import read_decision
from urdf_tools.compare.words import DECIDED, KINDS
from urdf_tools.urdf.notes import decision_text


BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
LEG = f"""<robot name="leg"><link name="base">{BODY}
<visual><geometry><mesh filename="plate.stl"/></geometry></visual>
<visual><geometry><mesh filename="nut_m3.stl"/></geometry></visual></link>
<link name="shin"><inertial><origin xyz="0.1 0 0" rpy="0.3 0.2 0.1"/><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.15"/></inertial></link>
<link name="toe"><inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
<joint name="knee" type="revolute"><parent link="base"/><child link="shin"/><origin xyz="0 0 1"/><axis xyz="0 -1 0"/>
<limit lower="1" upper="-1" effort="0" velocity="0"/></joint>
<joint name="toe_joint" type="revolute"><parent link="shin"/><child link="toe"/><origin xyz="0 0 -1"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="3" velocity="1"/></joint></robot>"""
BOX = '<visual><geometry><box size="1 1 {0}"/></geometry></visual>'
PAINTED = f"""<robot name="lid"><link name="base">{BODY}{BOX.format(1)}</link>
<link name="lid">{BODY}{BOX.format(2)}</link>
<joint name="hold" type="fixed"><parent link="base"/><child link="lid"/></joint>
<gazebo reference="base"><material>Gazebo/Red</material></gazebo>
<gazebo reference="lid"><material>Gazebo/Blue</material></gazebo></robot>"""
PLATE = '<collision><geometry><mesh filename="plate.stl"/></geometry></collision><visual>'
LID = f'{BODY}<visual><geometry><mesh filename="plate.stl"/></geometry></visual></link>'
TURN = '<joint name="turn" type="continuous"><parent link="base"/><child link="{0}"/><axis xyz="0 -1 0"/></joint>'
COPIES = f"""<robot name="pair"><link name="base">{BODY}</link><link name="lid">{LID}<link name="copy">{LID}
{TURN.format("lid")}{TURN.format("copy")}</robot>"""
ARMS = "variants/two_arms"
# Robots with options, the file that is compared, and the kinds that are decided.
PAIR = f"""<robot name="r"><link name="a">{BODY}</link><link name="b">{{}}</link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>{{}}</robot>"""
LOOP_OF_GAZEBO = PAIR.format(
    BODY,
    '<gazebo><joint name="s" type="ball"><parent>a</parent><child>b</child></joint></gazebo>',
)
HELD_BY_GAZEBO = LOOP_OF_GAZEBO.replace('"fixed"', '"floating"')
NAMED_ALIKE = PAIR.format("", '<gazebo reference="b"><sensor name="b" type="imu"/></gazebo>')
RUNS = {
    "hardware": (LEG, [], "robot_simplified.urdf", {"shape"}),
    "mjcf": (LEG, ["--mjcf", "leg.xml"], "leg.xml", {"actuator", "shape", "value", "limits"}),
    "sdf": (LEG, ["--sdf", "leg.sdf"], "leg.sdf", {"shape", "value", "limits"}),
    "usd": (LEG, ["--usd", "leg.usda"], "leg.usda", {"shape", "value", "limits", "tensor"}),
    "variant": (
        ARMS,
        ["--drop", "left_hand", "--lock", "waist_yaw=0.3", "--zero", "right_elbow=0.35"],
        "robot_simplified.urdf",
        {"drop", "lock"},
    ),
    "only": (
        ARMS,
        ["--only", "left_hand", "--lock", "left_finger_*=0.01"],
        "robot_simplified.urdf",
        {"drop", "lock"},
    ),
    "collision": (
        LEG.replace("<visual>", PLATE, 1),
        ["--collision", "box"],
        "robot_simplified.urdf",
        {"shape", "collision"},
    ),
    "copies": (COPIES, ["--count-once", "--no-strip"], "robot_simplified.urdf", {"mass", "shape"}),
    "sensor": ("follow/gazebo_joint", ["--base-frame", "ros"], "robot_simplified.urdf", {"sensor"}),
    "surface": (
        "follow/gazebo_surface",
        ["--base-frame", "ros", "--merge-all"],
        "robot_simplified.urdf",
        {"surface"},
    ),
    "material": (PAINTED, ["--merge-all"], "robot_simplified.urdf", {"surface"}),
    "body": ("odd/twice_in_gazebo", [], "robot_simplified.urdf", {"body"}),
    "driven": ("follow/transmission", ["--mjcf", "made.xml"], "made.xml", {"actuator"}),
    "servos": ("follow/ros2_control", ["--mjcf", "made.xml"], "made.xml", {"actuator"}),
    "no camera": (
        "follow/told_frames",
        ["--keep", "foot", "--mjcf", "made.xml"],
        "made.xml",
        {"actuator", "no_sensor"},
    ),
    "points": ("follow/loop_joint", ["--mjcf", "made.xml"], "made.xml", {"actuator", "loop"}),
    "open": ("follow/loop_joint", ["--sdf", "made.sdf"], "made.sdf", {"loop"}),
    "loop of gazebo": (LOOP_OF_GAZEBO, ["--sdf", "made.sdf"], "made.sdf", {"loop"}),
    "held by gazebo": (HELD_BY_GAZEBO, ["--sdf", "made.sdf"], "made.sdf", {"held"}),
    "renamed sensor": (NAMED_ALIKE, ["--mjcf", "made.xml"], "made.xml", {"sensor_name"}),
    "merged loop": ("odd/closing_frames", ["--merge-all"], "robot_simplified.urdf", {"loop"}),
    "frame": ("odd/one_sided_limits", ["--sdf", "made.sdf"], "made.sdf", {"frame"}),
}


@pytest.fixture(scope="module", params=list(RUNS))
def run(request, tmp_path_factory):
    """The folder of a run, the file that it made, and what is decided in it."""
    folder = tmp_path_factory.mktemp("run")
    robot, options, output, kinds = RUNS[request.param]
    text = (
        robot
        if robot.startswith("<")
        else (golden.FIXTURES / robot / "robot.urdf").read_text("utf-8")
    )
    (folder / "robot.urdf").write_text(sound(text) if output.startswith("made") else text, "utf-8")
    for name in ("plate.stl", "nut_m3.stl"):
        (folder / name).write_bytes(
            binary_stl([((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 0, 1), (1, 0, 0), (0, 1, 0))])
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert ends_with(["robot.urdf", "-y", "-q", *options, "--report", "report.json"]) == 0
    return folder, output, kinds


@pytest.fixture
def made(run, here):
    """The file that a run made, what is decided in it, and its report; in a copy of its folder, to be changed."""
    folder, output, kinds = run
    shutil.copytree(folder, here, dirs_exist_ok=True)
    return output, kinds, json.loads(Path("report.json").read_text("utf-8"))


def test_what_was_decided_is_named_and_nothing_else_differs(
    made,
):
    output, kinds, _ = made
    status, found = compared(output, "--map", "report.json")
    assert (status, found["differences"]) == (0, [])
    assert {one["kind"] for one in found["decided"]} == {f"decided_{kind}" for kind in kinds}
    assert all(one["where"] and "{" not in one["text"] for one in found["decided"])
    shown = in_process(
        ["compare", "robot.urdf", output, "--map", "report.json", "--full"]
    ).stdout.decode()
    assert shown.startswith("Same robot") and "but for what the run decided" in " ".join(
        shown.split()
    )
    assert "  decided " in shown and "difference" not in shown
    quiet = in_process(
        ["compare", "robot.urdf", output, "--map", "report.json", "-q"]
    ).stdout.decode()
    # The meshes of most fixtures are not there.
    assert all(": mesh_" in line for line in quiet.splitlines())


def test_every_kind_of_decision_has_its_run():
    """But that of joints of one name, which a map does not tell apart: that is in test_decision_note.py."""
    assert {
        "decided_joint",
        *(f"decided_{kind}" for *_, kinds in RUNS.values() for kind in kinds),
    } == {kind for kind, row in KINDS.items() if row.of == DECIDED}


def test_without_the_decisions_it_is_another_robot(
    made,
):
    output, _, report = made
    text = Path(output).read_text("utf-8")
    Path(output).write_text(
        re.sub(r"# <!-- [^\n]* decisions.*?-->|<!-- [^\n]* decisions.*?-->", "", text, flags=re.S),
        "utf-8",
    )
    assert compared(output)[0] == 1
    write_json(
        "map.json",
        [
            {
                "a": one["old_name"],
                "b": one["name"],
                "sign": one["sign"],
                "offset": -one["sign"] * one["zero"],
            }
            for one in report["joints"]
            if one["type"] != "fixed"
        ],
    )
    assert compared(output, "--map", "map.json")[0] == 1


def other_texts(text):
    """Yield lines that say another thing than was decided: another kind, name, word or number, or nothing."""
    decision = read_decision(text)
    assert decision_text(decision) == text
    yield decision_text(decision._replace(name=decision.name.replace("o", "x") + "_"))
    yield decision_text(decision._replace(kind="lock" if decision.kind != "lock" else "mass"))
    yield f"other:{text}"
    for place, word in enumerate(decision.words):
        if (
            decision.kind != "tensor"
            and not (decision.kind == "surface" and (place == 1 or word.startswith("the default")))
            and not word.startswith("turnGravityOff")
        ):
            # The target is for people alone; what is no word for no turns gravity off.
            yield decision_text(
                decision._replace(
                    words=(
                        *decision.words[:place],
                        word.replace("e", "x") + "x 7",
                        *decision.words[place + 1 :],
                    )
                )
            )
    for place, number in enumerate(decision.numbers):
        yield decision_text(
            decision._replace(
                numbers=(
                    *decision.numbers[:place],
                    number + 0.5 if decision.kind != "shape" else number + 90.0,
                    *decision.numbers[place + 1 :],
                )
            )
        )
    yield ""
    yield "("
    yield f"{text} 7"


def test_a_report_that_says_something_else_explains_nothing(
    made,
):
    """The first decision of each kind."""
    output, _, report = made
    tried, texts = 0, report["decisions"]
    kinds = set()
    for place, text in enumerate(texts):
        kind, others = read_decision(text).kind, [*texts[:place], *texts[place + 1 :]]
        if kind in kinds or compared_with(output, report, others) == (0, False):
            continue  # what it says makes no difference in this file: it is of another export
        kinds.add(kind)
        for other in other_texts(text):
            assert compared_with(output, report, [*texts[:place], other, *texts[place + 1 :]]) == (
                1,
                True,
            ), other
            tried += 1
    assert tried > 2


def compared_with(output, report, texts):
    """Return the exit status with a report of other decisions, and with the same in the note, where they are alike."""
    write_json("other.json", {**report, "decisions": texts})
    status, found = compared(output, "--map", "other.json")
    return status, bool(found["differences"])


def test_the_report_of_a_release_before_is_still_a_map(here):
    Path("robot.urdf").write_text(LEG, "utf-8")
    assert ends_with(["robot.urdf", "-y", "-q", "--report", "report.json"]) == 0
    report = json.loads(Path("report.json").read_text("utf-8"))
    del report["decisions"]
    write_json("older.json", report)
    status, found = compared("robot_simplified.urdf", "--map", "older.json")
    assert status == 1 and [one["kind"] for one in found["differences"]] == ["shape_only_a"]
    assert {one["a"]: one["sign"] for one in found["joints"]} == {"knee": -1, "toe_joint": 1}
