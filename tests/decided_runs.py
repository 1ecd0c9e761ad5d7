"""Runs of the fixtures, and comparisons of what they make with what they were made of."""

import json
import shutil
from pathlib import Path

import golden
from commands import in_process
from sound_robots import sound

FORMATS = {
    "urdf": [],
    "mjcf": ["--mjcf", "made.xml"],
    "sdf": ["--sdf", "made.sdf"],
    "usd": ["--usd", "made.usda"],
}
UNREAD = {
    f"refused/{name}-repair" for name in ("missing_mass", "two_parents", "cycle_without_root")
}
CASES = [case for case in golden.cases() if case.name not in UNREAD]


def ends_with(words):
    """Return the exit status of a command."""
    return in_process(words, b"").returncode


def converts(args):
    """Return True if meshes are converted: that is no decision, their shapes are compared."""
    return any(
        word.strip("-").startswith(("separate-dae", "combine-dae", "split", "mesh-format"))
        for word in args
    )


def write_json(path, data):
    """Write data as JSON."""
    Path(path).write_text(json.dumps(data), "utf-8")


def run_of(case, tmp_path, *more):
    """Run a case in the folder, with more options; return True if it was written. What is exported has sound masses."""
    for name in ("robot.urdf", "robot.srdf"):
        if (case.folder / name).exists():
            shutil.copy(case.folder / name, tmp_path / name)
    if {"--mjcf", "--sdf", "--usd"}.intersection(more):
        path = tmp_path / "robot.urdf"
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        path.write_bytes(sound(text).encode("utf-8", "surrogateescape"))
    if (case.folder / "meshes").is_dir():
        shutil.copytree(case.folder / "meshes", tmp_path / "meshes")
    return ends_with(["robot.urdf", "-y", "-q", *case.args, *more, "--report", "report.json"]) == 0


def compared(b="robot_simplified.urdf", *more, first="robot.urdf"):
    # Most fixtures have no meshes: there nothing but their names can be compared.
    by_name = () if Path("meshes").is_dir() else ("--aspects", "no-meshes")
    status = ends_with(["compare", first, b, *by_name, *more, "--report", "found.json"])
    report = json.loads(Path("found.json").read_text("utf-8"))
    return status, report
