"""Every robot at hand, of whatever format, is the same as itself; a file that is no robot is refused by `lint` as well."""

import os
import site
import sys
from pathlib import Path

import pytest
from commands import said
from conftest import ROOT, some_of

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare, refuse_nothing
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.compare.difference_kinds import text_of

SHARED = ROOT.parent / "shared"
FOLDERS = {
    "public robots": SHARED / "robots",
    "files that showed faults": SHARED / "looks6" / "repro",
    "pairs and inputs": SHARED / "hunt3",
    "later pairs and inputs": SHARED / "hunt4",
    "packages with xacro": SHARED / "xacro_packages",
    "packages of Python": Path(site.getsitepackages()[0]),
}
ENDINGS = ("urdf", "sdf", "usda", "usd", "usdc", "usdz", "xml", "mjcf")
# Of what holds no robot, such as macros alone, `lint` says so and finds no fault.
NO_ROBOT = ("there is no link in it",)
# Of a folder: each starts a process.
XACRO_FILES = 25
# What a reader knows and cannot take is the same in a file and itself, but not in two files.
NOT_READ = {"left_out"}


def robots_in(folder):
    """Return the files of a folder that may be robots, by their endings."""
    files = [path for ending in ENDINGS for path in sorted(folder.rglob(f"*.{ending}"))]
    files = [path for path in files if path.suffix != ".xml" or b"<mujoco" in path.read_bytes()]
    return [*files, *some_of(sorted(folder.rglob("*.xacro")), XACRO_FILES)]


def fault_of(path):
    """Return how a file is not the same as itself, or refused by one command alone; "" for none."""
    try:
        robot = read_robot_of(path)
        refuse_nothing(robot, robot)
    except UrdfError as error:
        if any(words in str(error) for words in NO_ROBOT):
            return ""
        return f"only compare refuses it: {error}" if said("lint", path)[0] == 0 else ""
    if compare(robot, robot).exit_code != 0:
        return "it is another robot than itself"
    # As if it were another file: all is compared, not only the texts.
    found = compare(robot, robot._replace(digest=""))
    kinds = {one.kind for one in found.counted}
    return "" if kinds <= NOT_READ else "; ".join(map(text_of, found.counted))


@pytest.mark.parametrize("name", FOLDERS)
def test_every_robot_at_hand_is_the_same_as_itself(name, monkeypatch):
    if not FOLDERS[name].is_dir():
        pytest.skip(f"needs the {name}")
    # The xacro command of the environment that runs the judges.
    folder = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", os.pathsep.join((folder, os.environ["PATH"])))
    robots = robots_in(FOLDERS[name])
    assert robots
    faults = {str(path): fault_of(path) for path in robots if path.is_file()}
    assert {path: fault for path, fault in faults.items() if fault} == {}
