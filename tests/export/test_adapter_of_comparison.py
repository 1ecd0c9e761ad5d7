"""The module between any two robots: it moves both alike, knows what is open, and is refused where there is no map."""

import random
import subprocess
import sys

import pytest
from commands import in_process
from conftest import examples, ROOT
from hypothesis import given, strategies as st
from random_robots import Traits, write_robot
from remade import arm, How, LINES, remake

from urdf_tools import compare as public
from urdf_tools.app.command_table import main
from urdf_tools.base.errors import ProofFailed, UsageError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.given_or_searched_map import Given, GivenJoint
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.robot.raw_robot import RawMimic
from urdf_tools.compare.robot_map import bound_of
from urdf_tools.export import adapter_writer as of_comparison
from urdf_tools.export.adapter_writer import (
    adapter_of,
    HeldJoint,
    module_text,
    MappedJoint,
    verify_module,
)
from urdf_tools.urdf.spatial_math import Transform

PLAIN = Traits(links=10, odd_joints=False, duplicates=0.0, hostile=0.0)
REACH, OTHER_REACH = (
    ROOT / "fixtures/compare" / name for name in ("reach.urdf", "reach_of_another_vendor.urdf")
)
SOLID = (
    '<inertial><origin xyz="0.02 0.01 0.1"/><mass value="2"/><inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0" '
    'ixz="0" iyz="0"/></inertial>'
)
MJCF = (
    '<mujoco><compiler angle="radian"/><worldbody><body name="base"><inertial pos="0 0 0" mass="1" '
    'diaginertia="1 1 1"/><body name="arm" pos="0 0 1"{1}><joint name="hinge" axis="0 0 1" range="{2}"{0}/>'
    '<inertial pos="0.1 0.2 0.3" mass="1" diaginertia="0.1 0.1 0.15"/></body></body></worldbody></mujoco>'
)


def module_of(comparison):
    module = {"__name__": "adapter"}
    text = adapter_of(comparison).text
    exec(compile(text, "adapter", "exec"), module)
    module["self_test"]()
    assert text.isascii()
    return module


def remade_pair(seed):
    """Return a robot, the same as another author writes it, and the way from one to the other."""
    r = random.Random(seed)
    robot = read_bytes(write_robot(r, PLAIN).encode(), "")
    other = remake(robot, r, How(names=True, zeros="any", base="any"))
    given = Given(tuple(GivenJoint(a, *rule) for a, rule in other.truth.items()), other.base)
    return robot, other.robot, given


@examples(fuzzed=50)
@given(st.integers(0, 2**32 - 1))
def test_followers_of_both_follow(seed):
    r = random.Random(seed)
    a, b, given = remade_pair(seed)
    if any(joint.type in LINES for joint in a.joints):
        module = module_of(compare(a, b, given=given))
        for robot, names, driven, expand, reduce in (
            (a, "OLD", "OLD_DRIVEN", "expand_old", "reduce_old"),
            (b, "NEW", "DRIVEN", "expand", "reduce"),
        ):
            free = [r.uniform(-1.0, 1.0) for _ in module[driven]]
            at = dict(zip(module[names], module[expand](free)))
            assert module[reduce](list(at.values())) == free
            moving = {joint.name: joint for joint in robot.joints if joint.type in LINES}
            for name, joint in moving.items():
                if joint.mimic is not None and name not in module[driven]:
                    assert at[name] == pytest.approx(
                        joint.mimic.multiplier * at.get(joint.mimic.leader, 0.0)
                        + joint.mimic.offset
                    )
                else:
                    assert at[name] == free[module[driven].index(name)]


def edited(robot, name, **fields):
    return robot._replace(
        joints=tuple(
            joint._replace(**fields) if joint.name == name else joint for joint in robot.joints
        )
    )


def shifted(robot, by):
    T = robot.joints[2].T_parent_child
    return edited(
        robot,
        robot.joints[2].name,
        T_parent_child=T._replace(
            translation=(T.translation[0], T.translation[1] + by, T.translation[2])
        ),
    )


def test_verdicts_that_have_a_map_get_a_module():
    a = arm()
    heavier = a._replace(
        links=tuple(
            link._replace(mass=link.mass._replace(mass=9.0))
            if link.name == "l3" and link.mass
            else link
            for link in a.links
        )
    )
    for b, verdict, warnings in (
        (a, "same", 0),
        (shifted(a, 1e-6), "rounded", 0),
        (edited(a, "j2", upper=3.0), "limits", 0),
        (heavier, "masses", 0),
        (shifted(a, 0.01), "geometry", 1),
    ):
        found = compare(a, b)
        made = adapter_of(found)
        assert (found.verdict, len(made.warnings), made.joints) == (verdict, warnings, (6, 6))
        assert found.bound is not None and made.worst <= found.bound.position + 1e-9
    assert made.warnings[0].startswith(
        "the robots differ: at equal positions their points are up to 12.6 mm"
    ) and (f"\nWarning: {made.warnings[0]}.\n" in made.text)


def test_what_only_one_robot_has_is_held_and_named():
    """Whichever side lacks it, and where a joint is fixed in one file."""
    a = arm()
    fixed = edited(a, "j4", type="fixed")
    for first, second in ((a, fixed), (fixed, a)):
        made, module = adapter_of(compare(first, second)), module_of(compare(first, second))
        assert [text for text in made.warnings if "held where they are drawn: j4" in text]
        at = dict(zip(module["NEW"], module["to_new"]([0.5] * len(module["OLD"]))))
        was = dict(zip(module["OLD"], module["to_old"]([0.5] * len(module["NEW"]))))
        speeds = dict(zip(module["NEW"], module["velocities_to_new"]([0.5] * len(module["OLD"]))))
        assert (
            at.get("j4", 0.0),
            was.get("j4", 0.0),
            speeds.get("j4", 0.0),
            at["j5"],
            was["j5"],
        ) == (0.0, 0.0, 0.0, 0.5, 0.5)
        assert module["ONLY_NEW"] == ({} if first is a else {"j4": 0.0})


def test_what_a_run_locked_is_held_where_it_locked_it(tmp_path):
    """The note in the result says so: OLD has all joints of the file, and NEW of the way back."""
    source, made = ROOT / "fixtures/variants/two_arms/robot.urdf", tmp_path / "v.urdf"
    words = ["--lock", "waist_yaw=0.3", "--flip", "left_elbow", "-o", str(made), "-y", "-q"]
    assert in_process(["edit", str(source), *words], b"", main).returncode == 0
    there, back = (module_of(public.compare(*paths)) for paths in ((source, made), (made, source)))
    assert len(there["OLD"]) == len(there["NEW"]) + 1 and back["NEW"] == there["OLD"]
    assert dict(zip(there["OLD"], there["to_old"]([0.5] * len(there["NEW"]))))["waist_yaw"] == 0.3
    assert dict(zip(back["NEW"], back["to_new"]([0.5] * len(back["OLD"]))))["waist_yaw"] == 0.3
    assert dict(zip(there["NEW"], there["to_new"]([0.5] * len(there["OLD"]))))["left_elbow"] == -0.5
    assert public.compare(source, made).adapter().count("# locked") == 1 and "Warning" not in (
        public.compare(source, made).adapter()
    )


WORLD = '<link name="world"/><joint name="held" type="fixed"><parent link="world"/><child link="base"/></joint>'
WHEEL = (
    '<robot name="w"><link name="base">' + SOLID + '</link><link name="rim"/>{1}<joint name="{0}" '
    'type="continuous"><parent link="base"/><child link="rim"/><axis xyz="0 0 1"/></joint></robot>'
)
LEG = (
    '<link name="{0}">'
    + SOLID
    + '</link><joint name="{0}" type="continuous"><parent link="base"/><child '
    'link="{0}"/><origin xyz="0 0 {2}"/><axis xyz="0 1 0"/></joint>'
)


@pytest.mark.parametrize(
    "a, b, sentence",
    [
        (
            WHEEL.format("turn", ""),
            WHEEL.format("turn", WORLD),
            "no adapter: the base is free in A, fixed in B",
        ),
        (
            WHEEL.format("turn", ""),
            WHEEL.format("turn", "").replace("continuous", "prismatic"),
            "no adapter: turn is continuous in A, prismatic in B",
        ),
        (
            WHEEL.format("turn", ""),
            WHEEL.format("roll", ""),
            "no adapter: nothing shows the zero of turn: correct",
        ),
        (
            WHEEL.format("turn", ""),
            WHEEL.format("turn", "").replace("continuous", "fixed"),
            "no joint that moves is in",
        ),
        (
            "<robot><link name='base'/>"
            + LEG.format("p", "", 1)
            + LEG.format("q", "", 1)
            + "</robot>",
            "<robot><link name='base'/>"
            + LEG.format("u", "", 1)
            + LEG.format("v", "", 1)
            + "</robot>",
            "of like branches",
        ),
    ],
)
def test_what_has_no_map_is_refused(a, b, sentence):
    with pytest.raises(UsageError) as caught:
        adapter_of(compare(read_bytes(a.encode(), "a.urdf"), read_bytes(b.encode(), "b.urdf")))
    assert sentence in str(caught.value)


def test_a_map_that_is_given_is_no_guess():
    a, b = (read_bytes(WHEEL.format(name, "").encode(), "") for name in ("turn", "roll"))
    found = compare(a, b, given=Given((GivenJoint("turn", "roll", -1.0, 0.5),)))
    assert module_of(found)["to_new"]([1.0]) == [-0.5]


def test_several_joints_of_a_name_that_move_apart_are_refused():
    text = WHEEL.format(
        "turn", LEG.format("arm", "", 1).replace('joint name="arm"', 'joint name="turn"')
    )
    robot = read_bytes(text.encode(), "")
    with pytest.raises(
        UsageError, match="A has several joints called 'turn' that move by themselves"
    ):
        adapter_of(compare(robot, robot))


def test_positions_count_from_where_programs_count():
    """MuJoCo's `ref` is the position of a joint as it is drawn."""
    plain = read_bytes(MJCF.format("", "", "-1 1").encode(), "a.xml")
    other = read_bytes(MJCF.format(' ref="0.25"', "", "-0.75 1.25").encode(), "b.xml")
    module = module_of(compare(plain, other))
    assert module["to_new"]([0.5]) == [0.75] and module["to_old"]([0.5]) == [0.25]


def test_a_zero_that_rests_on_limits_is_a_warning():
    """The wheel has limits, and they are elsewhere: by them alone the zero is known."""
    text = (
        WHEEL.format("{}", "")
        .replace("continuous", "revolute")
        .replace(
            '<axis xyz="0 0 1"/>',
            '<axis xyz="0 0 1"/><limit lower="{}" upper="{}" effort="1" velocity="1"/>',
        )
    )
    found = compare(
        *(
            read_bytes(text.format(*words).encode(), "")
            for words in (("turn", -1, 1), ("roll", -0.5, 1.5))
        )
    )
    made = adapter_of(found)
    assert made.warnings == ("zero of turn: inferred from limits only",)
    assert module_of(found)["to_new"]([0.0]) == [0.5] and module_of(found)["EVIDENCE"] == {
        "turn": "limits"
    }


def test_a_module_that_does_something_else_is_found(monkeypatch):
    """Each table has a mutant that the proof sees; so does the text of each function."""
    a = read_bytes(REACH.read_bytes(), "")
    moving = [joint.name for joint in a.joints if joint.moves]
    a = edited(a, moving[-1], mimic=RawMimic(moving[0], 0.5, 0.1))
    found = compare(a, a)
    bound = bound_of(found.map)
    good = []
    monkeypatch.setattr(
        of_comparison, "module_text", lambda adapted: good.append(adapted) or module_text(adapted)
    )
    text = adapter_of(found).text
    assert bound is not None and verify_module(text, found, bound) < 1e-9
    (adapted,) = good
    assert adapted.old_followers and adapted.followers
    rows = list(adapted.old)
    name, moved = rows[1]
    assert isinstance(moved, MappedJoint)
    for wrong in (
        moved._replace(sign=-moved.sign),
        moved._replace(zero=moved.zero + 1e-4),
        HeldJoint(0.0, ""),
    ):
        broken = adapted._replace(
            old=(rows[0], (name, wrong), *rows[2:]),
            only_new=({name: 0.0} if isinstance(wrong, HeldJoint) else {}),
        )
        with pytest.raises(ProofFailed, match="elsewhere|is held"):
            verify_module(module_text(broken), found, bound)
    R, t = adapted.T_new_old
    for fields, message in (
        ({"T_new_old": Transform(R, (t[0], t[1] + 1e-6, t[2]))}, "base"),
        ({"base": "other"}, "base"),
        ({"followers": ()}, "different mimic"),
        ({"old_followers": ()}, "different mimic"),
        ({"followers": ((*adapted.followers[0][:2], 0.4, 0.1),)}, "different mimic"),
        ({"followers": (*adapted.followers, (name, rows[0][0], 1.0, 0.0))}, "different mimic"),
    ):
        with pytest.raises(ProofFailed, match=message):
            verify_module(module_text(adapted._replace(**fields)), found, bound)
    for line, other in (
        ("sign * (x - zero))", "sign * (x - zero) + 1e-5)"),
        ("sign * x + zero)", "x + zero + 1e-5)"),
    ):
        assert line in text
        with pytest.raises((ProofFailed, AssertionError)):
            verify_module(text.replace(line, other), found, bound)


def test_the_command_writes_it_and_its_warnings(here):
    """Written with any verdict that has a map; where there is none, the report is shown and nothing is written."""
    done = in_process(["compare", str(REACH), str(OTHER_REACH), "--adapter", "reach.py"], b"", main)
    assert (done.returncode, done.stderr) == (1, b"")
    assert (
        b"Adapter: reach.py (4 -> 4 joints) is executed, and at 100 random positions no link is more than"
        in (done.stdout)
    )
    ran = subprocess.run(
        [sys.executable, "-I", "reach.py", "--self-test"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert ran.stdout == "ok: 4 joints -> 4 and back\n"
    assert public.compare(REACH, OTHER_REACH).adapter() == (here / "reach.py").read_text(
        encoding="utf-8"
    )
    for name, text in (("a.urdf", WHEEL.format("turn", "")), ("b.urdf", WHEEL.format("roll", ""))):
        (here / name).write_text(text, "utf-8")
    done = in_process("compare a.urdf b.urdf --adapter none.py --report r.json".split(), b"", main)
    assert (
        done.returncode == 2 and done.stdout.startswith(b"Same robot") and b"--map" in done.stderr
    )
    assert sorted(path.name for path in here.iterdir()) == ["a.urdf", "b.urdf", "reach.py"]
    assert (
        in_process(["compare", "a.urdf", "b.urdf", "--adapter", "none.txt"], b"", main).returncode
        == 2
    )
