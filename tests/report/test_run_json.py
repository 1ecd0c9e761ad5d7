"""The JSON report: the same bytes for the same run, and what it says of robots whose numbers are known."""

import hashlib
import json
import re
from pathlib import Path

import golden
from conftest import ROOT
from test_laws import Case

from urdf_tools.plan.run_options import Options
from urdf_tools.report.run_json import record_text

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
    for key in {*record["joints"][0], *record["links"][0], *record["tree"][0], "mass_from"}:
        assert f"`{key}`" in text, key
