"""--check of one and of several files, and the heading of each hunk that --diff prints."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import golden
import pytest
from commands import python_shown, refusal, run
from conftest import SINGLE_FILE, needs_posix

from urdf_tools import __version__

NAMES = {"robot": "humanoid", "arm": "arm", "chain": "odd/mimic_chain"}
HUMANOID = (
    "robot.urdf would change: 4 links merged, 10 joints flip, 20 joints turned "
    "(neck_yaw_joint 180 deg, left_elbow_joint 120 deg, left_shoulder_yaw_joint 90 deg, "
    "left_shoulder_roll_joint 120 deg and 16 more), 158 shapes stripped, "
    "8 duplicate shapes dropped; 3 warnings, see -n"
)


@pytest.fixture
def folder(here):
    """An own folder with robots, and one that is simple already."""
    for name, fixture in NAMES.items():
        (here / f"{name}.urdf").write_bytes((golden.FIXTURES / fixture / "robot.urdf").read_bytes())
    done = (golden.FIXTURES / "odd" / "mimic_chain" / "expected.urdf").read_bytes()
    (here / "done.urdf").write_bytes(golden.with_version(done, __version__))
    return here


def test_several_files(command, folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = run(command, "done.urdf", "--check", "robot.urdf", "chain.urdf")
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (1, b"") and lines[:2] == [
        "done.urdf is simplified already",
        HUMANOID,
    ]
    assert (
        lines[2].startswith("chain.urdf would change: ") and lines[3] == "2 of 3 files would change"
    )
    assert lines[4].startswith("To change the first of them: ") and len(lines) == 5
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert run(command, "done.urdf", "done.urdf", "--check").returncode == 0


def test_a_file_that_is_refused_does_not_hide_the_others(command, folder):
    (folder / "broken.urdf").write_text("<robot>")
    done = run(command, "--check", "broken.urdf", "done.urdf", "nothing.urdf", "robot.urdf")
    assert done.returncode == 2 and done.stderr.decode().startswith("error: broken.urdf:")
    assert done.stdout.decode().splitlines()[:3] == [
        "done.urdf is simplified already",
        HUMANOID,
        "1 of 4 files would change, 2 files refused",
    ]


@pytest.mark.parametrize("words", [[], ["--keep", "imu_*"], ["--no-merge", "--base-frame=onshape"]])
def test_the_command_that_it_names_mends_the_file(command, folder, words):
    said = run(command, "robot.urdf", "--check", *words).stdout.decode().splitlines()[1]
    mends = re.fullmatch(r"To change it: .*?( robot\.urdf .*)", said)
    assert mends
    assert run(command, *shlex.split(mends.group(1)), "-y").returncode == 0
    assert (
        run(
            command, "robot.urdf", "--check", *[word for word in words if "base-frame" not in word]
        ).returncode
        == 0
    )


@needs_posix("a shell, and a link to Python")
@pytest.mark.parametrize("name", ["my tools/simplify it.py", "./plain"])
def test_the_command_that_it_names_can_be_pasted(folder, name):
    """As the copied file, in another folder, under a name with a space, or made executable without an ending."""
    (folder / "my tools").mkdir()
    shutil.copy(SINGLE_FILE, folder / name)
    (folder / "my robot.urdf").write_bytes((folder / "robot.urdf").read_bytes())
    (folder / "python3").symlink_to(sys.executable)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, name, "my robot.urdf", "--check"], stdout=subprocess.PIPE, encoding="utf-8"
    )
    command = done.stdout.rpartition("To change it: ")[2]
    if name == "./plain":
        assert command == 'plain "my robot.urdf" -o "my robot.urdf" --force\n'
        return
    said = subprocess.run(
        command,
        shell=True,
        input="yes\n",
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PATH": path},
    )
    assert said.returncode == 0 and "\nDone!\n" in said.stdout
    assert command == f'python3 "{name}" "my robot.urdf" -o "my robot.urdf" --force\n'


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ["robot.urdf", "arm.urdf"],
            f"simplify takes one robot; did you mean: {python_shown()} -m pytest compare robot.urdf "
            "arm.urdf?",
        ),
        (["robot.urdf", "--full=tree"], "--full: ignored explicit argument 'tree'"),
        (["robot.urdf", "arm.urdf", "--check", "--report", "r.json"], "--report is for one file"),
        (["robot.urdf", "arm.urdf", "--check", "--srdf", "r.srdf"], "--srdf is for one file"),
        (["robot.urdf", "--diff", "-o", "out.urdf"], "--diff and --output cannot be combined"),
        (
            ["robot.urdf", "--color=allways"],
            "--color allways: give auto, always or never (did you mean 'always'?)",
        ),
        (["robot.urdf", "--chec"], "unknown option --chec (did you mean '--check'?)"),
        (
            ["robot.urdf", "--sperate"],
            "unknown option --sperate (did you mean '--separate-dae-meshes'?)",
        ),
    ],
)
def test_what_is_refused(folder, words, message):
    assert message in refusal(*words)


def test_help_is_a_word_too(command, folder):
    """But not where a file has that name."""
    assert run(command, "help").stdout == run(command, "-h").stdout
    assert run(command, "--help", "simplify").stdout == run(command, "simplify", "--help").stdout
    assert run(command, "-h", "simplify", "--snap").stdout == run(command, "-h").stdout
    (folder / "help").write_bytes((folder / "robot.urdf").read_bytes())
    assert run(command, "help", "--check").stdout.decode().startswith("help would change: ")
