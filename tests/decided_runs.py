"""Runs of the fixtures, and comparisons of what they make with what they were made of."""
import json
import shutil
from pathlib import Path
from typing import Any, Dict, List, Set, Tuple

import golden
from commands import in_process

# Where a run's result is still called another robot, and by what: the comparison reads what the run did not decide.
OPEN: Dict[str, Set[str]] = {
    "follow/fdir1_expressed_in-merge_all": {"surface"},  # a block of SDF is lost: its warning has no value
    "follow/surface_kept-merge_all": {"surface"},
    "follow/surface_of_nothing": {"surface", "link_value"},
    "odd/closing_frames-merge_all": {"loop_only_a"},  # the frames that close the loop are merged, as was asked
    "odd/twice_in_gazebo": {"link_value"},  # 0.8 kg that floated fall with the rest of their body, as body-merged says
}
# What the comparison refuses to read.
UNREAD = {f"refused/{name}-repair" for name in ("missing_mass", "two_parents", "cycle_without_root")}
CASES = [case for case in golden.cases() if case.name not in UNREAD]


def ends_with(words: List[str]) -> int:
    return in_process(words, b"").returncode


def converts(args: List[str]) -> bool:
    """Return True if meshes are converted: that is no decision, their shapes are compared."""
    return any(word.strip("-").startswith(("separate-dae", "combine-dae")) for word in args)


def write_json(path: str, data: Any) -> None:
    Path(path).write_text(json.dumps(data), encoding="utf-8")


def run_of(case: golden.Case, tmp_path: Path) -> bool:
    """Run a case in the folder; return True if it was written."""
    for name in ("robot.urdf", "robot.srdf"):
        if (case.folder / name).exists():
            shutil.copy(case.folder / name, tmp_path / name)
    if (case.folder / "meshes").is_dir():
        shutil.copytree(case.folder / "meshes", tmp_path / "meshes")
    return ends_with(["robot.urdf", "-y", "-q", *case.args, "--report", "report.json"]) == 0


def compared(b: str = "robot_simplified.urdf", *more: str, first: str = "robot.urdf") -> Tuple[int, Dict[str, Any]]:
    status = ends_with(["compare", first, b, *more, "--report", "found.json"])
    report: Dict[str, Any] = json.loads(Path("found.json").read_text(encoding="utf-8"))
    return status, report
