"""The JSON report: the same bytes for the same run, and every number in it holds for the texts it is about."""

import hashlib
import json
import re
from pathlib import Path

import golden
import pytest
from conftest import ROOT, examples
from hypothesis import given
from naive import after, apart, from_rpy, times, turned_by
from random_robots import ORDINARY, robots
from test_laws import CHOICES, Case

from urdf_tools.plan.options import Options
from urdf_tools.report.run_json import record_of, record_text

QUADRUPED, HUMANOID = (golden.FIXTURES / name / "robot.urdf" for name in ("quadruped", "humanoid"))
README = (ROOT / "urdf_tools/report/README.md").read_text("utf-8")


def test_same_run_same_bytes(tool, here):
    Path("robot.urdf").write_bytes(HUMANOID.read_bytes())
    for name in ("one.json", "two.json"):
        assert tool.main(["robot.urdf", "-y", "-q", "-o", "out.urdf", "--report", name]) == 0
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    record = json.loads(Path("one.json").read_text("utf-8"))
    for key, path in (("input", "robot.urdf"), ("output", "out.urdf")):
        assert record[key] == {
            "path": path,
            "sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest(),
        }
    library = tool.record_text(tool.simplify("robot.urdf"), "out.urdf")
    assert library == Path("one.json").read_text("utf-8")
    assert sorted(path.name for path in here.iterdir()) == [
        "one.json",
        "out.urdf",
        "robot.urdf",
        "two.json",
    ]


def test_it_is_known_again(tool):
    """A report that is replaced is announced as one of this tool; another file as foreign."""
    source = QUADRUPED.read_bytes()
    first = golden.run(tool.main, source, ["--report", "report.json", "--yes"])
    assert "\n   writes robot_simplified.urdf, report.json\n" in first.report
    assert "\n  Report: report.json\n" in first.report
    again = golden.run(
        tool.main, source, ["--report", "robot.srdf", "--yes"], first.contents["report.json"]
    )
    assert "\n   replaces robot.srdf\n" in again.report
    foreign = golden.run(tool.main, source, ["--report", "robot.srdf", "--yes"], b"{}")
    assert "\n   replaces robot.srdf, not marked as written by this tool\n" in foreign.report


@examples(fuzzed=60)
@given(robots(ORDINARY), CHOICES)
def test_numbers_hold(text, options):
    case = Case(text, options)
    record = json.loads(record_text(case.result, "out.urdf"))
    assert record == json.loads(json.dumps(record_of(case.result, "out.urdf")))
    lines = text.splitlines()
    joints = record["joints"]
    assert [joint["child"] for joint in joints] == [hinge.child for hinge in case.after.hinges]
    for joint in joints:
        hinge = case.new[joint["child"]]
        assert (joint["name"], joint["parent"]) == (hinge.name, hinge.parent)
        assert (
            joint["line"] == case.result.plan.joints[joint["child"]].joint.source.line
            and "<joint" in lines[joint["line"] - 1]
        )
        if joint["axis_old"] is not None:
            old = [joint["sign"] * x for x in joint["axis_old"]]
            assert apart(old, joint["axis_new"]) <= 3.0 * options.snap + 1e-9
            assert (
                apart(times(case.zero_after[joint["child"]][0], hinge.axis), joint["axis_new"])
                < 1e-9
            )
        if joint["sign"] < 0 and {"lower", "upper"} <= set(joint["limits_old"]):
            assert joint["limits_new"]["lower"] == -joint["limits_old"]["upper"]
    for link in record["links"]:
        T = (link["T_new_old"]["rotation"], link["T_new_old"]["xyz"])
        assert turned_by(from_rpy(link["T_new_old"]["rpy"]), T[0]) < 1e-9
        world = after(case.zero_after[link["target"]], T)
        assert apart(world[1], case.zero_before[link["name"]][1]) < 1e-8
        assert turned_by(world[0], case.zero_before[link["name"]][0]) < 1e-8
        assert link["removed"] == (link["name"] not in case.after.bodies)
        inertial = case.result.after.links[link["target"]].inertial
        if "mass_from" in link and inertial is not None and inertial.properties.mass > 0:
            parts = link["mass_from"]
            mass = sum(part["mass"] for part in parts)
            assert mass == pytest.approx(inertial.properties.mass, rel=1e-9)
            for k in range(3):
                center = sum(part["mass"] * part["center"][k] for part in parts) / mass
                assert abs(center - inertial.properties.center[k]) < 1e-9


def test_orders_of_joints(tool):
    """Nearer joints come first, or those of one branch; siblings in file order, of USD by name."""
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{0}"/></joint>'
    text = (
        '<robot name="r"><link name="a"/>'
        + "".join(f'<link name="{name}"/>' for name in "bcde")
        + "".join(joint.format(*pair) for pair in ("eb", "ca", "dc", "ba"))
        + "</robot>"
    )
    order = json.loads(record_text(Case(text, Options(base_frame="ros")).result, ""))[
        "joint_order"
    ]["after"]
    assert order == {
        "declaration": ["e", "c", "d", "b"],
        "breadth_first": ["c", "b", "d", "e"],
        "depth_first": ["c", "d", "b", "e"],
        "physx_usd": ["b", "c", "e", "d"],
        "newton_usd": ["b", "e", "c", "d"],
        "ros": order["declaration"],
        "isaac": order["physx_usd"],
        "mujoco": order["depth_first"],
        "newton": order["depth_first"],
    }


def test_joints_of_one_name_are_all_there():
    text = HUMANOID.read_text("utf-8")
    joints = json.loads(record_text(Case(text, Options(merge=False)).result, ""))["joints"]
    names = [joint["name"] for joint in joints]
    assert len(names) == 25 and len(set(names)) < 25


def test_readme_names_every_key():
    """The table in the README and the report have the same keys, in their order."""
    record = json.loads((golden.FIXTURES / "srdf" / "arm" / "report.json").read_text("utf-8"))
    text = README[README.index("## The JSON report") :]
    assert re.findall(r"^\| `(\w+)` \|", text, flags=re.M) == list(record)
    for key in {*record["joints"][0], *record["links"][0], "mass_from"}:
        assert f"`{key}`" in text, key
