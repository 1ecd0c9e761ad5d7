"""The script of the page in node: its forward kinematics are those of Python."""

import json
import random
import shutil
import subprocess

import golden
import pytest
from pages import apart, make_page, poses_of_page
from test_page import HUMANOID, PAGE, PAINTED


NODE = shutil.which("node")
ALMOST = 1e-12
FIXTURES = [
    HUMANOID,
    PAINTED,
    *(golden.FIXTURES / name / "robot.urdf" for name in ("arm", "quadruped")),
    golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf",
]
TWO_ARMS = golden.FIXTURES / "variants" / "two_arms" / "robot.urdf"
needs_node = pytest.mark.skipif(NODE is None, reason="no node")


def pose_for(page):
    """Return a position within the limits for every joint of the result that can be moved, by its number in the page."""
    generator = random.Random(page.result.after.name)
    moved = {}
    for number, joint in enumerate(page.robots.a.joints):
        low, high = page.data["new"]["joints"][number].get("range", (0.0, 0.0))
        value = min(max(round(generator.uniform(-1.5, 1.5), 3), low), high)
        if joint.raw.moves and page.result.after.named[joint.raw.name].child == joint.raw.child:
            moved[number] = value
    return moved


def compare(page, moved, found):
    """Assert that a page's poses are those of its data, and that the page finds every link in its place."""
    assert apart(found, poses_of_page(page.data, moved)) <= ALMOST
    assert found["far"] <= page.data["allowed"] < 0.02


@needs_node
@pytest.mark.parametrize("part", sorted(PAGE.glob("*.js")), ids=lambda path: path.name)
def test_the_script_is_javascript(part):
    run = subprocess.run(
        [str(NODE), "--check", str(part)], stderr=subprocess.PIPE, encoding="utf-8", timeout=60
    )
    assert run.returncode == 0, run.stderr


def poses_by_node(page, moved):
    script = (
        (PAGE / "poses.js").read_text("utf-8")
        + """
const [data, moved] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const { T_new, T_old, far } = solve(data, new Map(moved));
console.log(JSON.stringify({ new: posesByName(data.new, T_new), old: posesByName(data.old, T_old), far }));
"""
    )
    run = subprocess.run(
        [str(NODE), "-e", script],
        input=json.dumps([page.data, list(moved.items())]),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    return dict(json.loads(run.stdout))


@needs_node
@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.parent.name)
def test_poses_in_node_are_those_of_python(path):
    page = make_page(path)
    moved = pose_for(page)
    found = poses_by_node(page, moved)
    compare(page, moved, found)
    joint = next(iter(moved))
    wrong = poses_by_node(page, {**moved, joint: moved[joint] + 1e-3})
    assert wrong["new"] != found["new"] and wrong["old"] != found["old"]


@needs_node
@pytest.mark.parametrize(
    "options",
    [{"keep_all_frames": True}, {"merge": False}, {"reorient": False}, {"lenient": True}],
    ids=str,
)
def test_poses_with_every_kind_of_plan(options):
    page = make_page(HUMANOID, **options)
    moved = pose_for(page)
    compare(page, moved, poses_by_node(page, moved))


@needs_node
def test_both_robots_of_the_page_are_in_one_pose():
    page = make_page(TWO_ARMS, keep_signs=True)
    old = page.data["old"]
    for moved in ({}, pose_for(page)):
        found = poses_by_node(page, moved)
        compare(page, moved, found)
        assert found["far"] < ALMOST
    old["joints"] = [
        {**joint, "offset": joint.get("offset", 0.0) + 1e-3} for joint in old["joints"]
    ]
    assert poses_by_node(page, pose_for(page))["far"] > page.data["allowed"]
