"""What programs say of broken robots is known to `explain`: each text that an installed program gives is made again.

With URDF_WRITE=1 what they said is written into `tests/app/recorded_errors.json`, a robot for each error.
"""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from gazebo_judge import build
from refused_robots import write_refused
from judges.test_urdfdom import urdfdom

from urdf_tools.app.program_errors import error_texts, errors_like

LOADER = Path(__file__).with_name("program_errors.py")
RECORDED = Path(__file__).parents[1] / "app" / "recorded_errors.json"
MODULES = {
    "mujoco": "mujoco",
    "drake": "pydrake",
    "newton": "newton",
    "pybullet": "pybullet",
    "isaac": "urdf_usd_converter",
}
# How the source of an error begins if the program said it, and its name in the table.
SOURCES = {
    "mujoco": ("MuJoCo ", "MuJoCo"),
    "drake": ("Drake ", "Drake"),
    "newton": ("Newton ", "Newton"),
    "pybullet": ("PyBullet ", "PyBullet"),
    "isaac": ("urdf-usd-converter ", "Isaac"),
    "urdfdom": ("urdfdom ", "urdfdom"),
    "gazebo": ("libsdformat ", "Gazebo"),
}
# A refusal begins so in these; the other programs print warnings that refuse nothing.
REFUSAL = {
    "mujoco": r"\w+: ",
    "drake": r"\w+: ",
    "isaac": r"(?:Runtime|Type|Value)Error: ",
    "urdfdom": "Error",
}
# A fault of the program, whose text says nothing about the robot.
NOT_KNOWN = {"isaac": {"no_links", "material_no_rgba"}}


@pytest.fixture(scope="module")
def robots(tmp_path_factory):
    folder = tmp_path_factory.mktemp("robots")
    write_refused(folder)
    return sorted(folder.glob("*.urdf"))


def said_in_python(program, paths):
    """Return what a program says of each file; a file that ends its process is loaded in one of its own."""
    if find_spec(MODULES[program]) is None:
        pytest.skip(f"{MODULES[program]} is not here")
    said = {}
    while len(said) < len(paths):
        done = subprocess.run(
            [sys.executable, str(LOADER), program, *map(str, paths[len(said) :])],
            capture_output=True,
            encoding="utf-8",
        )
        before = len(said)
        for word, path, *what in map(json.loads, done.stdout.splitlines()):
            said[Path(path)] = what[0] if word == "done" else ""
        assert len(said) > before, done.stderr
    return said


def said_by(program, paths, folder):
    """Return what a program says of each file."""
    if program == "urdfdom":
        return {path: "\n".join(urdfdom(path)[1]) for path in paths}
    if program == "gazebo":
        load = build(folder, LOADER.with_name("gazebo_errors.cc"))
        # One by one: what it prints of a file may have the word that stands in front of the next.
        colors = r"\x1b\[[0-9;]*m"
        return {path: re.sub(colors, "", "file ".join(load([path]))) for path in paths}
    return said_in_python(program, paths)


@pytest.mark.parametrize("program", SOURCES)
def test_what_a_program_says_is_known(program, robots, tmp_path):
    source, name = SOURCES[program]
    said = said_by(program, robots, tmp_path)
    made, unknown = {}, {}
    for path, text in said.items():
        found = errors_like(text)
        for error in found:
            if error.source.startswith(source):
                made.setdefault(error, (path, text))
        refuses = program in REFUSAL and re.match(REFUSAL[program], text)
        if refuses and not any(name in error.program for error in found):
            unknown[path.stem] = text
    assert unknown.keys() <= NOT_KNOWN.get(program, set()), unknown
    of_program = [error for error in error_texts() if error.source.startswith(source)]
    assert [error.words for error in of_program if error not in made] == []
    if os.environ.get("URDF_WRITE"):
        record(program, made)


def record(program, made):
    """Write what a program said of a robot for each error: the lines that have it, and no path of this machine."""
    recorded = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
    texts = {}
    for path, text in made.values():
        # The first lines of a log have the cause.
        lines = [line for line in text.splitlines() if line and not line.startswith("Status: ")]
        kept = "\n".join(re.sub(r"/\S+/site-packages/", "", line)[:500] for line in lines[:12])
        texts[path.stem] = kept.replace(f"{path.parent}{os.sep}", "")
    recorded[program] = dict(sorted(texts.items()))
    RECORDED.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", "utf-8")
