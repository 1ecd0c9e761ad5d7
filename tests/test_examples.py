"""The examples run as they are, each in a folder of its own, and do what their sentences say."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

from urdf_tools import edit

EXAMPLES = ROOT / "fixtures" / "examples"


def run(name, *words, status=0, cwd=EXAMPLES):
    """Run an example in its own process, and return what it printed."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *words],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == status, done.stderr
    return done.stdout


def test_the_readme_names_every_example():
    page = (EXAMPLES / "README.md").read_text("utf-8")
    programs = [path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb")]
    assert len(programs) == 8
    for name in programs:
        assert f"| [`{name}`]({name}) |" in page
        assert len((EXAMPLES / name).read_text("utf-8").splitlines()) <= 90


@pytest.mark.parametrize(
    "name, printed, written",
    [
        ("clean_cad_export.py", "26 links -> 22 links", ["humanoid.urdf"]),
        ("keep_a_policy.py", "left_knee_joint              -1.00 Nm", ["new.urdf", "adapter.py"]),
        ("build_a_robot.py", "1.696 kg", ["arm.urdf", "arm.xml", "arm.sdf", "arm.usda"]),
        ("prepare_for_moveit.py", "5 pairs need no check", ["crane.urdf", "crane.srdf"]),
        ("take_one_arm.py", "elbow_joint              6.0 rad/s", ["locked.urdf", "left_arm.urdf"]),
    ],
)
def test_an_example_prints_and_writes(name, printed, written, tmp_path):
    assert printed in run(name, tmp_path)
    for file in written:
        assert (tmp_path / file).stat().st_size > 0


def test_the_gate_fails_for_another_robot_and_for_a_flipped_sign(tmp_path, monkeypatch):
    reach = ROOT / "fixtures" / "compare" / "reach.urdf"
    robot = tmp_path / "robot.urdf"
    shutil.copy(reach, robot)
    user = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], [*user, "commit", "-qm", "base"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "page.md"))
    assert "No robot changed since main" in run("compare_in_ci.py", "main", cwd=tmp_path)
    shutil.copy(reach.with_name("reach_exported_again.urdf"), robot)
    assert "Different robot" in run("compare_in_ci.py", "main", status=1, cwd=tmp_path)
    shutil.copy(reach, robot)
    edit(robot, robot, flip="elbow_joint", force=True)
    assert "1 sign flipped" in run("compare_in_ci.py", "main", "*.urdf", status=1, cwd=tmp_path)
    page = (tmp_path / "page.md").read_text("utf-8")
    assert page.count("### ") == 5 and "| sign | elbow_joint = -q in B |" in page


def test_mujoco_steps_the_export(tmp_path):
    pytest.importorskip("mujoco")
    assert "20 motors" in run("step_in_mujoco.py", tmp_path)


def test_the_notebook_shows_a_page(monkeypatch):
    """The cells of the notebook run in their order; the last one is shown as a page."""
    monkeypatch.chdir(ROOT)
    notebook = json.loads((EXAMPLES / "look_at_a_result.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names = {}
    for cell in cells:
        exec(cell, names)
    assert "srcdoc=" in names["Shown"]()._repr_html_()
