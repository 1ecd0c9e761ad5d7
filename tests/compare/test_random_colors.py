"""What a run or an export makes of a robot in any colors differs from it by what the verdict of the run names, and by
nothing else: colors of mesh files and of the robot's file, images, light, colors of points, flat parts, shared files.
"""

import json
import random
import re
from pathlib import Path

import pytest
from colored_robots import colored_robot
from commands import folder_with, said
from conftest import examples, SEEDS
from hypothesis import given
from painted_robots import write_into

PROGRAMS = ("mujoco", "drake", "gazebo", "rviz", "isaac", "newton", "pinocchio")
SPLIT = {
    "color": ("--split", "color"),
    "material": ("--split", "material"),
    "separate": ("--separate-dae-meshes",),
    "combine": ("--combine-dae-meshes",),
    "combine obj": ("--combine-dae-meshes", "--mesh-format", "obj"),
    "one mesh": ("--one-mesh",),
    "fewer triangles": ("--visual-error", "1mm"),
    **{form: ("--mesh-format", form) for form in ("stl", "obj", "glb", "gltf")},
}
RUNS = {
    **{name: ("robot.urdf", *words, "-o", "made.urdf") for name, words in SPLIT.items()},
    **{name: ("export", "robot.urdf", f"made.{name}") for name in ("xml", "sdf", "usda", "json")},
    **{f"for {name}": ("export", "robot.urdf", "made.urdf", "--for", name) for name in PROGRAMS},
    "xml for mujoco": ("export", "robot.urdf", "made.xml", "--for", "mujoco"),
    "sdf for gazebo": ("export", "robot.urdf", "made.sdf", "--for", "gazebo"),
    "usda in parts": ("export", "robot.urdf", "made.usda", "--split", "color"),
}
# What a verdict calls a lost color, light or image.
NAMED = re.compile("without |image|colors of points|several colors")


def verdict_of(run):
    """Do a run; return what its verdict names behind "but for", None if it refuses the robot as too large."""
    status, out, err = said(*RUNS[run], "-y")
    if status == 2 and "times as large" in err:
        return None
    assert status == 0, out + err
    verdict = re.search("Same robot(?:, but for (.*?))?: verified", " ".join(out.split()))
    assert verdict, out
    return verdict[1] or ""


def check(run, seed):
    with folder_with({}) as folder:
        write_into(folder, colored_robot(random.Random(seed)))
        verdict = verdict_of(run)
        if verdict is None:
            return
        made = next(word for word in RUNS[run] if word.startswith("made."))
        status = said("compare", "robot.urdf", made, "--report", "found.json")[0]
        found = json.loads(Path("found.json").read_text("utf-8"))
    texts = [one["text"] for one in (*found["differences"], *found["unproven"])]
    assert status == int(bool(texts))
    assert found["unproven"] == []
    if texts:
        assert NAMED.search(verdict), (verdict, texts)
        labels = {one["kind"] for one in found["differences"]}
        assert all(kind.startswith(("color", "light", "points")) for kind in labels), texts
    else:
        assert not NAMED.search(verdict), (verdict, found["noted"])


@pytest.mark.parametrize("run", RUNS)
@given(SEEDS)
@examples(2, fuzzed=200)
def test_a_run_names_each_color_that_it_loses_and_no_other(run, seed):
    check(run, seed)
