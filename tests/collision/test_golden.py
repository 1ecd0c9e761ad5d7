"""The crane of fixtures/collision: what it becomes is as committed, and what a wrong line of an SRDF hides is named."""

import subprocess
import sys
from xml.etree import ElementTree

import commands
import golden

from engine import main

CRANE = golden.FIXTURES / "collision"


def test_the_files_are_as_committed():
    for path, data in golden.collisions_of(main):
        golden.require_as_committed(path, data)


def test_the_meshes_are_those_that_are_generated():
    done = subprocess.run(
        [sys.executable, str(CRANE / "generate.py"), "--check"], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout.rstrip()) == (0, b"3 files: 0 differ")


def test_a_wrong_line_is_named_with_its_pose(monkeypatch):
    monkeypatch.chdir(CRANE)
    done = commands.run(commands.PACKAGE, "pairs", "crane.urdf", "moveit.srdf", "--check")
    assert (
        done.returncode == 1 and b"moveit.srdf:5: 'base' and 'hook' touch at lift=" in done.stdout
    )
    assert b"1 proven, 1 wrong, 0 not proven" in done.stdout


def test_the_lines_that_are_written_are_all_proven(monkeypatch):
    monkeypatch.chdir(CRANE)
    done = commands.run(commands.PACKAGE, "pairs", "crane.urdf", "hulls.srdf", "--check")
    lines = ElementTree.parse(CRANE / "hulls.srdf").getroot().findall("disable_collisions")
    never = sum(line.get("reason") == "Never" for line in lines)
    assert (
        done.returncode == 0
        and never == 2
        and f"{never} proven, 0 wrong, 0 not proven".encode() in done.stdout
    )
