"""A run's result is the same robot as its input after the acts of its note or report; what it lost is a difference."""

import json
import re
import shutil
from pathlib import Path
from typing import AbstractSet, NamedTuple, Sequence

import golden
import pytest
from commands import in_process, said
from decided_runs import compared, ends_with, write_json
from mesh_files import binary_stl
from sound_robots import sound

from urdf_tools.compare.noted_decisions import ACTS, read_decision
from urdf_tools import simplify
from urdf_tools.compare.difference_kinds import DECIDED, KINDS
from urdf_tools.urdf.urdf_notes import decision_text


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
PAIR = f"""<robot name="r"><link name="a">{BODY}</link><link name="b">{{}}</link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>{{}}</robot>"""
LOOP_OF_GAZEBO = PAIR.format(
    BODY,
    '<gazebo><joint name="s" type="ball"><parent>a</parent><child>b</child></joint></gazebo>',
)
HELD_BY_GAZEBO = LOOP_OF_GAZEBO.replace('"fixed"', '"floating"')
NAMED_ALIKE = PAIR.format("", '<gazebo reference="b"><sensor name="b" type="imu"/></gazebo>')
TYPED = f"""<robot name="typed"><link name="base_link"/><link name="base">{BODY}</link><link name="tool">{BODY}</link>
<link name="mark"/><joint name="f" type="fixed"><parent link="base_link"/><child link="mark"/><origin rpy="0 0 0.5"/></joint>
<joint name="g" type="fixed"><parent link="mark"/><child link="base"/><origin xyz="0.1 0 0"/></joint>
<joint name="j" type="continuous"><parent link="base"/><child link="tool"/><origin xyz="0 0 1" rpy="1.57 0 0"/>
<axis xyz="0 0 1"/></joint></robot>"""
CRANK = """<joint name="crank" type="continuous"><parent link="base"/><child link="{0}"/><origin xyz="0 0 1" rpy="0.3 0.2 0.1"/>
<axis xyz="0 0.6 0.8"/></joint>"""
TWICE = f"""<robot name="twice"><link name="base">{BODY}</link><link name="arm">{BODY}</link><link name="mark"/>
{CRANK.format("arm")}{CRANK.format("mark")}</robot>"""
OF_RESULT = "robot_simplified.urdf"


class Run(NamedTuple):
    """A robot, or its fixture, with options; the file that is compared, the acts in it, and the kinds of its losses.

    `shown`: the acts that `compare` finds without the note, too.
    """

    robot: str
    options: Sequence[str]
    output: str
    acts: AbstractSet[str] = frozenset()
    losses: AbstractSet[str] = frozenset()
    shown: AbstractSet[str] = frozenset()


RUNS = {
    "rounded": Run(TYPED, ["--snap", "1e-3", "--keep-all-frames"], OF_RESULT, {"axis", "turn"}),
    "a frame on a joint that is defined twice": Run(TWICE, ["--no-merge"], OF_RESULT, {"turn"}),
    "hardware": Run(LEG, [], OF_RESULT, {"shape"}),
    "mjcf": Run(
        LEG,
        ["--mjcf", "leg.xml"],
        "leg.xml",
        {"shape"},
        {"limits_missing", "effort"},
    ),
    "sdf": Run(
        LEG, ["--sdf", "leg.sdf"], "leg.sdf", {"shape"}, {"limits_missing", "effort", "velocity"}
    ),
    "usd": Run(
        LEG,
        ["--usd", "leg.usda"],
        "leg.usda",
        {"shape", "repair"},
        {"limits_missing", "effort", "velocity"},
    ),
    "variant": Run(
        ARMS,
        ["--drop", "left_hand", "--lock", "waist_yaw=0.3", "--zero", "right_elbow=0.35"],
        OF_RESULT,
        {"drop", "lock"},
    ),
    "only": Run(
        ARMS, ["--only", "left_hand", "--lock", "left_finger_*=0.01"], OF_RESULT, {"drop", "lock"}
    ),
    "collision": Run(
        LEG.replace("<visual>", PLATE, 1),
        ["--collision", "box"],
        OF_RESULT,
        {"shape"},
        {"shape_kind"},
    ),
    "copies": Run(COPIES, ["--count-once", "--no-strip"], OF_RESULT, {"mass", "copy"}),
    "sensor": Run(
        "follow/gazebo_joint", ["--base-frame", "ros"], OF_RESULT, losses={"sensor_pose"}
    ),
    "surface": Run(
        "follow/gazebo_surface",
        ["--base-frame", "ros", "--merge-all"],
        OF_RESULT,
        losses={"surface"},
    ),
    "material": Run(PAINTED, ["--merge-all"], OF_RESULT, losses={"shape_text"}),
    "body": Run("odd/twice_in_gazebo", [], OF_RESULT, losses={"link_value"}),
    "driven": Run(
        "follow/ros2_control",
        ["--mjcf", "made.xml"],
        "made.xml",
        losses={"actuator_kind"},
    ),
    "points": Run(
        "follow/loop_joint",
        ["--mjcf", "made.xml"],
        "made.xml",
        losses={"loop_only_a", "loop_only_b"},
    ),
    "open": Run("follow/loop_joint", ["--sdf", "made.sdf"], "made.sdf", losses={"loop_only_a"}),
    "renamed sensor": Run(NAMED_ALIKE, ["--mjcf", "made.xml"], "made.xml", {"sensor_name"}),
    "merged loop": Run(
        "odd/closing_frames",
        ["--merge-all"],
        OF_RESULT,
        {"turn"},
        losses={"loop_only_a"},
        shown={"turn"},
    ),
    "frame": Run("odd/one_sided_limits", ["--sdf", "made.sdf"], "made.sdf", losses={"frame_body"}),
}


@pytest.fixture(scope="module", params=list(RUNS))
def run(request, tmp_path_factory):
    """The folder of a run, and what is expected of it."""
    folder = tmp_path_factory.mktemp("run")
    row = RUNS[request.param]
    text = (
        row.robot
        if row.robot.startswith("<")
        else (golden.FIXTURES / row.robot / "robot.urdf").read_text("utf-8")
    )
    text = sound(text) if row.output.startswith("made") else text
    (folder / "robot.urdf").write_text(text, "utf-8")
    for name in ("plate.stl", "nut_m3.stl"):
        (folder / name).write_bytes(
            binary_stl([((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 0, 1), (1, 0, 0), (0, 1, 0))])
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        words = ["robot.urdf", "-y", "-q", *row.options, "--report", "report.json"]
        assert ends_with(words) == 0
    return folder, row


@pytest.fixture
def made(run, here):
    """What is expected of a run, and its report; in a copy of its folder, to be changed."""
    folder, row = run
    shutil.copytree(folder, here, dirs_exist_ok=True)
    return row, json.loads(Path("report.json").read_text("utf-8"))


@pytest.mark.parametrize("given", [(), ("--map", "report.json")], ids=["note", "report"])
def test_acts_are_named_and_losses_are_differences_that_the_run_said(given, made):
    row, _ = made
    status, found = compared(row.output, *given)
    unsaid = [one["text"] for one in found["differences"] if one["kind"] not in row.losses]
    assert not unsaid, "the run said nothing of these differences:\n" + "\n".join(unsaid)
    unseen = row.losses - {one["kind"] for one in found["differences"]}
    assert not unseen, "the run lost these kinds of things, and compare names none of them"
    is_other = bool(row.losses or found["unproven"])
    assert status == int(is_other), "the exit status is not about the differences"
    assert {one["kind"] for one in found["decided"]} == {f"decided_{act}" for act in row.acts}
    assert all(one["where"] and "{" not in one["text"] for one in found["decided"])
    said = re.compile(", as the (run|export to (MJCF|SDF|USD)) said$")
    assert all(said.search(one["text"]) for one in found["differences"])
    shown = in_process(["compare", "robot.urdf", row.output, *given, "--full"]).stdout.decode()
    assert ("but for " in " ".join(shown.split())) == bool(row.acts)
    assert ("  decided " in shown) == bool(row.acts)
    assert shown.startswith("Same robot") or row.losses


def test_every_act_has_its_run():
    """Joints of one name, which a map does not tell apart, are in test_decision_note.py; typed angles in test_headline.py."""
    acts = {"joint", "angle"}.union(*(row.acts for row in RUNS.values()))
    assert acts == ACTS.keys()
    assert {f"decided_{act}" for act in acts} == {
        kind for kind, row in KINDS.items() if row.of == DECIDED
    }


def test_without_the_note_it_is_another_robot(made):
    row, report = made
    text = Path(row.output).read_text("utf-8")
    note = r"# <!-- [^\n]* decisions.*?-->|<!-- [^\n]* decisions.*?-->"
    Path(row.output).write_text(re.sub(note, "", text, flags=re.S), "utf-8")
    status, found = compared(row.output)
    assert status == 1, "without its note compare still calls the result the same robot"
    assert all(" said" not in one["text"] for one in found["differences"])
    joints = [
        {
            "a": one["old_name"],
            "b": one["name"],
            "sign": one["sign"],
            "offset": -one["sign"] * one["zero"],
        }
        for one in report["joints"]
        if one["type"] != "fixed"
    ]
    write_json("map.json", joints)
    assert compared(row.output, "--map", "map.json")[0] == 1


def other_texts(text):
    """Yield lines that say another thing than was done: another kind, name, word or number, or nothing."""
    decision = read_decision(text)
    assert decision_text(decision) == text
    yield decision_text(decision._replace(name=decision.name.replace("o", "x") + "_"))
    yield decision_text(decision._replace(kind="lock" if decision.kind != "lock" else "mass"))
    yield decision_text(decision._replace(kind="lost"))
    yield f"other:{text}"
    for place, word in enumerate(decision.words):
        words = list(decision.words)
        words[place] = word.replace("e", "x") + "x 7"
        yield decision_text(decision._replace(words=tuple(words)))
    for place, number in enumerate(decision.numbers):
        numbers = list(decision.numbers)
        numbers[place] = number + (90.0 if decision.kind in ("shape", "copy") else 0.5)
        yield decision_text(decision._replace(numbers=tuple(numbers)))
    yield ""
    yield "("
    yield f"{text} 7"


def test_a_report_that_says_something_else_explains_nothing(made):
    """The first act of each kind, where its loss shows."""
    row, report = made
    texts, kinds = report["decisions"], set()
    as_it_is = compared_with(row.output, report, texts)
    for place, text in enumerate(texts):
        kind, others = read_decision(text).kind, [*texts[:place], *texts[place + 1 :]]
        if kind in kinds or compared_with(row.output, report, others) <= as_it_is:
            continue  # what it says makes no difference in this file: it is of another export
        kinds.add(kind)
        for other in other_texts(text):
            edited = [*texts[:place], other, *texts[place + 1 :]]
            assert compared_with(row.output, report, edited) > as_it_is, other
    assert kinds == row.acts - row.shown


def compared_with(output, report, texts):
    """Return the number of differences with a report of other decisions."""
    write_json("other.json", {**report, "decisions": texts})
    status, found = compared(output, "--map", "other.json")
    assert status == int(bool(found["differences"] or found["unproven"]))
    return len(found["differences"])


def test_the_report_of_a_release_before_is_still_a_map(here):
    Path("robot.urdf").write_text(LEG, "utf-8")
    assert ends_with(["robot.urdf", "-y", "-q", "--report", "report.json"]) == 0
    report = json.loads(Path("report.json").read_text("utf-8"))
    del report["decisions"]
    write_json("older.json", report)
    status, found = compared("robot_simplified.urdf", "--map", "older.json")
    assert status == 1 and [one["kind"] for one in found["differences"]] == ["shape_only_a"]
    assert {one["a"]: one["sign"] for one in found["joints"]} == {"knee": -1, "toe_joint": 1}


def test_shapes_are_counted_as_the_run_counts_them(tmp_path):
    """A line of the note may remove several shapes of several links, in both roles."""
    path = golden.FIXTURES / "humanoid" / "robot.urdf"
    result = simplify(path, tmp_path / "out.urdf")
    plan = result.plan
    counts = f"{len(plan.strips)} removed shapes, {len(plan.copies)} duplicate shapes"
    out = said("compare", str(path), str(tmp_path / "out.urdf"), "--aspects", "no-meshes")[1]
    assert counts in " ".join(out.split())
