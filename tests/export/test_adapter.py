"""The module for policies and logs: it moves the old robot where the new one is, alone, in any order."""

import json
import random
import subprocess
import sys

import golden
import naive
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from edited_robots import carried_out, VARIANT as VARIANT_ACTS
from random_robots import ORDINARY, write_robot

from urdf_tools import main
from urdf_tools.base.errors import UsageError
from urdf_tools.export.adapter_writer import (
    export_adapter,
    ORDERS,
)
from urdf_tools.export.export_request import ExportRequest, SharedExportValues
from urdf_tools.plan.run_options import Options
from urdf_tools.report.run_json import joint_orders, record_text
from urdf_tools.run.run_pipeline import simplify_bytes

HUMANOID, TWO_ARMS = (
    golden.FIXTURES / name / "robot.urdf" for name in ("humanoid", "variants/two_arms")
)
MIMICS = golden.FIXTURES / "exports" / "mimics.urdf"
VARIANT = {
    "lock": (("waist_yaw", 0.3),),
    "zero": (("*_elbow", "middle"),),
    "drop": ("*_hand",),
    "flip": ("left_elbow",),
}
LINES = ("revolute", "continuous", "prismatic")
CLOSE = 1e-9  # m, and of entries of rotations


def simplified(data, **choices):
    """Return a run, or that of the acts among the choices."""
    acts = [
        (name, value)
        for name in VARIANT_ACTS
        for values in [choices.get(name, ())]
        for value in ((values,) if isinstance(values, str) else values)
    ]
    others = {name: value for name, value in choices.items() if name not in VARIANT_ACTS}
    return (
        carried_out(data.decode("utf-8"), acts)
        if acts
        else simplify_bytes(data, "robot.urdf", Options(**others))
    )


def request_of(result):
    return ExportRequest(result, {"adapter": "a.py"}, "robot.urdf", "", SharedExportValues())


def text_of(result):
    exported = export_adapter(request_of(result))
    ((_, data),) = exported.files
    return data.decode("ascii")


def run(text):
    """Return what the module has, once its own test holds."""
    module = {"__name__": "adapter"}
    exec(compile(text, "adapter", "exec"), module)
    module["self_test"]()
    return module


def refuses_no_joint(result):
    """Return True for a robot in which no joint moves, which has no adapter."""
    if any(joint.type in LINES for joint in result.after.joints):
        return False
    with pytest.raises(UsageError, match="^no adapter: no joint that moves is in both files$"):
        text_of(result)
    return True


def assert_followers_follow(result, seed):
    """What expands is where the mimics of the URDF, read naively, put it; and reduces to what it was."""
    r, module, robot = random.Random(seed), run(text_of(result)), naive.read(result.data)
    for _ in range(3):
        driven = [r.uniform(-2.0, 2.0) for _ in module["DRIVEN"]]
        free = dict(dict.fromkeys(module["NEW"], 9.0), **dict(zip(module["DRIVEN"], driven)))
        expected, expanded = naive.positions(robot, free), module["expand"](driven)
        assert expanded == pytest.approx([expected[name] for name in module["NEW"]], abs=CLOSE)
        assert module["reduce"](expanded) == driven
    return module


@examples(fuzzed=40)
@given(st.integers(0, 2**32 - 1))
def test_any_robot_and_its_followers(seed):
    text = write_robot(random.Random(seed), ORDINARY._replace(links=8, mimics=0.7))
    result = simplified(text.encode(), snap=0.0)
    if refuses_no_joint(result):
        return
    module, orders = (
        assert_followers_follow(result, seed),
        joint_orders(result.after.joints, result.after.root),
    )
    for program in ORDERS:
        assert [*dict.fromkeys(orders[program])] == module["to_order"](module["NEW"], program)
        assert module["from_order"](module["to_order"](module["NEW"], program), program) == list(
            module["NEW"]
        )


def test_followers_of_followers_of_what_is_fixed_and_of_none():
    module = assert_followers_follow(simplified(MIMICS.read_bytes(), keep_signs=True, snap=0.0), 1)
    assert module["NEW"] == ("lead", "follow", "again", "of_fixed", "of_none")
    assert module["DRIVEN"] == ("lead", "of_none")
    assert module["expand"]([0.5, -0.1]) == pytest.approx([0.5, -0.7, -0.35, 0.2, -0.1])
    assert module["reduce"]([1.0, 2.0, 3.0, 4.0, 5.0]) == [1.0, 5.0]
    with pytest.raises(ValueError, match="DRIVEN has 2 joints, and 5 numbers were given"):
        module["expand"]([0.0] * 5)


def test_of_a_circle_of_followers_one_is_driven():
    text = MIMICS.read_text("utf-8")
    circle = text.replace('velocity="3"/>', 'velocity="3"/><mimic joint="again"/>', 1)
    module = run(text_of(simplified(circle.encode(), keep_signs=True, snap=0.0)))
    assert circle != text and len(module["DRIVEN"]) == 2 and "of_none" in module["DRIVEN"]


def test_what_does_not_move_any_more_is_held():
    module = run(text_of(simplified(TWO_ARMS.read_bytes(), **VARIANT)))
    at = dict(zip(module["OLD"], module["to_old"]([0.5] * 4)))
    assert (at["waist_yaw"], at["left_finger_slide"], at["left_elbow"], at["right_elbow"]) == (
        0.3,
        0.0,
        -1.5,
        1.5,
    )
    speeds = dict(zip(module["OLD"], module["velocities_to_old"]([0.5] * 4)))
    assert (speeds["waist_yaw"], speeds["left_elbow"], speeds["right_elbow"]) == (0.0, -0.5, 0.5)
    with pytest.raises(ValueError, match="OLD has 9 joints, and 4 numbers were given"):
        module["efforts_to_new"]([0.0] * 4)


def test_a_vector_of_the_base_turns_with_it():
    result = simplified(HUMANOID.read_bytes())
    module, R = run(text_of(result)), json.loads(record_text(result, ""))["base"]["R_new_old"]
    turned = [sum(a * b for a, b in zip(row, (1, 2, 3))) for row in R]
    assert module["vector_to_new"]([1.0, 2.0, 3.0]) == pytest.approx(turned)
    assert module["vector_to_old"](turned) == pytest.approx([1.0, 2.0, 3.0])


def test_a_base_that_turns_by_nearly_half_a_turn_is_known_and_not_searched():
    """A search would find a right angle where the file has -3.1416."""
    text = write_robot(random.Random(131073), ORDINARY._replace(links=6))
    result = simplified(text.encode(), snap=0.0)
    module = run(text_of(result))
    R = result.plan.placements[module["BASE"]].rotation
    assert sum(module["R_NEW_OLD"], ()) == pytest.approx(sum(R, ()), abs=1e-12)


@pytest.mark.parametrize("word", ORDERS)
def test_the_order_is_that_of_the_report(word):
    result = simplified(HUMANOID.read_bytes())
    orders = json.loads(record_text(result, ""))["joint_order"]["after"]
    module = run(text_of(result))
    assert module["to_order"](module["NEW"], word) == orders[word] and list(
        module["ORDERS"]
    ) == list(ORDERS)
    assert module["from_order"](orders[word], word) == list(module["NEW"]) == orders["ros"]
    assert orders["ros"] == orders["declaration"] != orders["isaac"] == orders["physx_usd"]


def test_the_command_writes_a_program(here):
    done = golden.run(
        lambda words: main(["edit", *words]),
        TWO_ARMS.read_bytes(),
        [
            "--yes",
            "--lock",
            "waist_yaw=0.3",
            "--zero",
            "*_elbow=middle",
            "--flip",
            "left_elbow",
            "--adapter",
            str(here / "adapter.py"),
        ],
    )
    assert (done.status, done.errors) == (0, "")
    assert "(9 -> 8 joints)" in " ".join(done.report.split())

    def said(*words):
        return subprocess.run(
            [sys.executable, "-I", "adapter.py", *words],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=True,
            timeout=60,
        ).stdout

    assert said("--self-test") == "ok: 9 joints -> 8 and back\n"
    assert "  0 waist_yaw            -> stays at 0.3\n" in said()
    assert "  2 left_elbow           -> 1 left_elbow = -(q + 1)\n" in said()
    old = golden.run(main, TWO_ARMS.read_bytes(), ["--yes", "--adapter-order", "ros"])
    assert old.status == 2 and "unknown option --adapter-order" in old.errors
    assert (
        golden.run(main, TWO_ARMS.read_bytes(), ["--yes", "--adapter", "adapter.txt"]).status == 2
    )


def test_names_are_text_in_it():
    hostile = 'j"""\\\'{0}\u00e9'
    text = TWO_ARMS.read_text("utf-8").replace("waist_yaw", hostile.replace('"', "&quot;"))
    module = run(
        text_of(
            simplified(text.replace('name="two_arms"', 'name="&quot;&quot;&quot; x {y}"').encode())
        )
    )
    assert hostile in module["OLD"] and hostile in module["NEW"]
