#!/usr/bin/env python3
"""How strong are the proofs of a run? One-point mutants of the package run on fixtures, and what becomes of each.

usage: mutants_campaign.py [--rooms plan,apply] [--count 60] [--seed 1]

Points are sampled with the seed among those that the runs reach. Each mutant makes all runs in a process of its own,
and its files are compared with those of the sound package:

unchanged  all files are equal
crash      an exception that is no sentence, or no end
killed     a proof refused (exit code 3)
refused    the input was refused, or anything else without a result
same       other files, which the comparison calls the same robot
decision   another robot than the sound one, but no other than the input says, as far as the comparison sees: what to
           merge or drop, which the plan shows and nobody proves
HARMFUL    another robot than the input, or another file that is no robot, with exit code 0
"""
import argparse
import ast
import contextlib
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

ROOT = Path(__file__).resolve().parent.parent
EXPORTS = ["--mjcf", "out.xml", "--sdf", "out.sdf", "--model", "out.json", "--armature", "armature.json",
           "--massless", "tiny", "--inertia", "nearest"]
RUNS: Dict[str, List[str]] = {  # folder or file below fixtures/, and options
    "humanoid": EXPORTS, "arm": EXPORTS, "quadruped": EXPORTS, "painted_arm": ["--separate-dae-meshes", *EXPORTS],
    "srdf/arm": ["--srdf", "robot.srdf"], "odd/closing_frames": EXPORTS, "exports/simulators.urdf": EXPORTS,
    "exports/mimics.urdf": EXPORTS, "exports/planar.urdf": EXPORTS[:2], "exports/turned_inertia.urdf": EXPORTS,
    "exports/limits.urdf": EXPORTS, "exports/shapes.urdf": EXPORTS}
ROBOTS = (".urdf", ".xml", ".sdf", ".json")
CLASSES = ("unchanged", "crash", "killed", "refused", "same", "decision", "HARMFUL")
WORST_FIRST = ("HARMFUL", "decision", "same", "crash", "killed", "refused", "unchanged")
ROOMS = "facts,plan,apply,srdf,collada,mesh,meshing,urdf,model,export"
DIGEST = re.compile(rb"[0-9a-f]{64}|\d+\.\d+\.\d+\S*edited\S*")


class Mutant(NamedTuple):
    """A point of a module: its file below the package, its number, its line, and what changes."""

    file: str
    number: int
    line: int
    what: str


def drive(out: Path, trace: bool) -> None:
    """Make all runs with the package that is first on the path; write their exit codes, and the lines that ran."""
    import urdf_tools  # of the copy that may hold a mutant

    package = str(Path(urdf_tools.__file__).parent)
    lines: Set[Tuple[str, int]] = set()

    def record(frame: Any, event: str, _: object) -> Any:
        if not frame.f_code.co_filename.startswith(package):
            return None
        lines.add((frame.f_code.co_filename[len(package) + 1:], frame.f_lineno))
        return record

    codes: Dict[str, str] = {}
    for name, options in RUNS.items():
        folder = out / name.replace("/", "_").replace(".", "_")
        source = ROOT / "fixtures" / name
        shutil.copytree(source, folder) if source.is_dir() else folder.mkdir()
        text = (source / "robot.urdf" if source.is_dir() else source).read_bytes()
        (folder / "robot.urdf").write_bytes(text)
        os.chdir(folder)
        if trace:
            sys.settrace(record)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                codes[name] = str(urdf_tools.main(["robot.urdf", "-o", "out.urdf", "--yes", "--quiet", *options]))
            except SystemExit as end:
                codes[name] = str(end.code)
            except BaseException as error:  # noqa: BLE001  any of them is a crash
                codes[name] = f"crash {type(error).__name__}"
        sys.settrace(None)
    (out / "codes.json").write_text(json.dumps({"codes": codes, "lines": sorted(lines)}))


def run(copy: Path, out: Path, timeout: Optional[float] = None, trace: bool = False) -> Dict[str, Any]:
    """Return what a copy of the package did, by run; {} if it came to no end."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    command = [sys.executable, "-B", __file__, "--drive", str(out), *(["--trace"] if trace else [])]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONHASHSEED": "0"}
    with contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run(command, env=environment, timeout=timeout, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            found: Dict[str, Any] = json.loads((out / "codes.json").read_text())
            return found
    return {}


def files_of(folder: Path) -> Dict[str, bytes]:
    """Return what a run wrote, by name; digests of the package are all the same."""
    return {path.relative_to(folder).as_posix(): DIGEST.sub(b"DIGEST", path.read_bytes())
            for path in sorted(folder.rglob("*")) if path.is_file()}


def outcome(name: str, code: str, sound: Path, out: Path) -> Tuple[str, str]:
    """Return the class of one run of a mutant, and what differs."""
    place = name.replace("/", "_").replace(".", "_")
    before, after = files_of(sound / place), files_of(out / place)
    if code.startswith("crash"):
        return "crash", code
    if code != "0":
        return {"3": "killed"}.get(code, "refused"), code
    changed = sorted(file for file in before.keys() | after.keys() if before.get(file) != after.get(file))
    if not changed:
        return "unchanged", ""
    judged = [(*difference(sound / place / file, out / place / file), file) for file in changed]
    worst = next(kind for kind in WORST_FIRST if kind in {one[0] for one in judged})
    return worst, "; ".join(f"{name} {file}: {text}" for kind, text, file in judged if kind == worst)


def difference(before: Path, after: Path) -> Tuple[str, str]:
    """Return the class of a file that a run wrote, of which the sound one is another, and what differs."""
    from urdf_tools.base.errors import UrdfSimplifyError
    from urdf_tools.compare.comparison import compare
    from urdf_tools.compare.read import read_robot_of
    from urdf_tools.compare.report import quiet_lines

    if not before.exists() or not after.exists():
        return "HARMFUL", "only one of them is there"
    if before.suffix not in ROBOTS or before.name == "scene.xml":
        return "HARMFUL", "the bytes differ"
    try:
        right, wrong = read_robot_of(before), read_robot_of(after)
        found = compare(right, wrong)
        if found.is_same:
            return "same", ""
        source = read_robot_of(before.with_name("robot.urdf"))
        known = {text_of(line) for line in quiet_lines(compare(source, right))}
        new = [line for line in map(text_of, quiet_lines(compare(source, wrong))) if line not in known]
    except UrdfSimplifyError as refused:
        return "HARMFUL", str(refused)
    return ("HARMFUL", new[0]) if new else ("decision", text_of((quiet_lines(found) or [found.verdict])[0]))


def text_of(line: str) -> str:
    """Return a line of the comparison without the place of the file."""
    return line.partition(": ")[2] or line


def sample(rooms: List[str], lines: Set[Tuple[str, int]], count: int, seed: int) -> Tuple[List[Mutant], Counter]:  # type: ignore[type-arg]
    """Return mutants of the rooms among the points that run, and how many points each room has."""
    import mutation_points

    found: List[Mutant] = []
    for room in rooms:
        for path in sorted((ROOT / "urdf_tools" / room).rglob("*.py")):
            file = path.relative_to(ROOT / "urdf_tools").as_posix()
            for number, point in enumerate(mutation_points.points(ast.parse(path.read_text(encoding="utf-8")))):
                if (file, point.line) in lines:
                    found.append(Mutant(file, number, point.line, point.what))
    counts = Counter(one.file.split("/")[0] for one in found)
    return random.Random(seed).sample(found, min(count, len(found))), counts


def campaign(rooms: List[str], count: int, seed: int) -> int:
    """Run the campaign and print its table; return 1 if a mutant did harm."""
    import mutation_points

    with tempfile.TemporaryDirectory() as folder:
        copy, sound, out = (Path(folder) / name for name in ("copy", "sound", "out"))
        shutil.copytree(ROOT / "urdf_tools", copy / "urdf_tools", ignore=shutil.ignore_patterns("__pycache__"))
        lines = {(file, line) for file, line in run(copy, out, trace=True)["lines"]}
        start = time.monotonic()
        codes = run(copy, sound)["codes"]
        longest = 30.0 * (time.monotonic() - start)
        print("runs:", ", ".join(f"{name} {code}" for name, code in codes.items()))
        mutants, points = sample(rooms, lines, count, seed)
        table: Dict[str, Counter[str]] = {room: Counter() for room in rooms}
        for mutant in mutants:
            path = copy / "urdf_tools" / mutant.file
            text = path.read_text(encoding="utf-8")
            path.write_text(mutation_points.mutant(text, mutant.number), encoding="utf-8")
            found = run(copy, out, longest).get("codes")
            path.write_text(text, encoding="utf-8")
            outcomes = [outcome(name, code, sound, out) for name, code in found.items() if codes[name] == "0"] if (
                found) else [("crash", "no end, or no start")]
            by_class = dict(reversed(outcomes))
            kind = next(one for one in WORST_FIRST if one in by_class)
            table[mutant.file.split("/")[0]][kind] += 1
            print(f"{kind:9} {mutant.file}:{mutant.line} {mutant.what}  {by_class[kind][:300]}", flush=True)
        print(f"\n| room | points reached | mutants | {' | '.join(CLASSES)} |\n|{'---|' * (len(CLASSES) + 3)}")
        for room, row in table.items():
            print(f"| {room} | {points[room]} | {sum(row.values())} | {' | '.join(str(row[one]) for one in CLASSES)} |")
        return int(any(row["HARMFUL"] for row in table.values()))


def main() -> int:
    parser = argparse.ArgumentParser(description="mutants of the package, and what becomes of each")
    parser.add_argument("--rooms", default=ROOMS)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drive", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--trace", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.drive:
        drive(args.drive, args.trace)
        return 0
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    return campaign(args.rooms.split(","), args.count, args.seed)


if __name__ == "__main__":
    sys.exit(main())
