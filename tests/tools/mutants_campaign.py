#!/usr/bin/env python3
"""How strong are the proofs of a run? One-point mutants of the package run on fixtures, and what becomes of each.

usage: mutants_campaign.py [--rooms plan,apply] [--count 60] [--seed 1] [--log FILE]

Points are sampled with the seed among those that the runs (`mutant_runs.py`) reach; the first ones of a larger sample
are those of a smaller. Each mutant makes all runs that reach it, in a process of its own, and its files are judged
against those of the sound package (`mutant_judges.py`, which says what the classes are). With a log of JSON lines a
campaign that was stopped goes on where it was.
"""

from collections import namedtuple
import argparse
import ast
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import as_completed, ProcessPoolExecutor
from itertools import islice
from pathlib import Path

import mutant_judges
import mutant_runs
import mutation_points

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "urdf_tools"
ROOMS = "facts,plan,apply,srdf,urdf,collada,meshing,model,formats,export"
PATIENCE = 15.0  # times as long as the sound package, and at least so many seconds


class Mutant(namedtuple("Mutant", "file number line what")):
    """A point of a module: its file below the package, its number, its line, and what changes."""


class Bench(namedtuple("Bench", "folder codes lines limit")):
    """What mutants are held against: files and codes of the sound package, the lines of each run, a limit [s]."""


def run(copy, out, names, limit=None, trace=False):
    """Return what a copy of the package did, by run; None if it came to no end."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    command = [
        sys.executable,
        "-B",
        mutant_runs.__file__,
        *(["--trace"] if trace else []),
        str(out),
        *names,
    ]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            command,
            env=environment,
            timeout=limit,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        return None
    codes = json.loads((out / "codes.json").read_text())
    return codes


def prepared(folder, names):
    """Run the sound package twice: which lines each run reaches, and what it writes."""
    shutil.copytree(
        PACKAGE, folder / "sound_copy/urdf_tools", ignore=shutil.ignore_patterns("__pycache__")
    )
    traced = run(folder / "sound_copy", folder / "traced", names, trace=True)
    start = time.monotonic()
    plain = run(folder / "sound_copy", folder / "sound", names)
    if traced is None or plain is None:
        raise SystemExit("the sound package does not come to an end")
    lines = {
        name: {(file, line) for file, line in several} for name, several in traced["lines"].items()
    }
    return Bench(folder, plain["codes"], lines, PATIENCE * max(1.0, time.monotonic() - start))


def sample(rooms, lines, count, seed):
    """Return mutants of the rooms among the points that run, and how many points each room has."""
    reached = set().union(*lines.values())
    mutants = []
    for room in rooms:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            file = path.relative_to(PACKAGE).as_posix()
            for number, point in enumerate(
                mutation_points.points(ast.parse(path.read_text("utf-8")))
            ):
                if (file, point.line) in reached:
                    mutants.append(Mutant(file, number, point.line, point.what))
    counts = Counter(mutant.file.split("/")[0] for mutant in mutants)
    random.Random(seed).shuffle(mutants)
    return list(islice(filter(is_another, mutants), count)), counts


def is_another(mutant):
    """Return whether a mutant is another text at all: equal elements may change places."""
    text = (PACKAGE / mutant.file).read_text("utf-8")
    return mutation_points.mutant(text, mutant.number) != ast.unparse(ast.parse(text))


def judged(mutant, bench):
    """Return what became of a mutant: its class, and what differs in the runs of that class."""
    line = (mutant.file, mutant.line)
    names = [
        name for name in bench.codes if line in bench.lines["import"] or line in bench.lines[name]
    ]
    folder = bench.folder / f"worker_{os.getpid()}"
    copy = folder / "copy"
    if not copy.exists():
        shutil.copytree(bench.folder / "sound_copy", copy)
    path = copy / "urdf_tools" / mutant.file
    text = path.read_text("utf-8")
    path.write_text(mutation_points.mutant(text, mutant.number), "utf-8")
    start = time.monotonic()
    ended = run(copy, folder / "out", names, bench.limit)
    path.write_text(text, "utf-8")
    seconds = round(time.monotonic() - start, 1)
    outcomes = (
        [("crash", "no end, or no start")]
        if ended is None
        else [
            mutant_judges.outcome(
                name, code, bench.codes[name], bench.folder / "sound", folder / "out"
            )
            for name, code in ended["codes"].items()
        ]
    )
    kinds = Counter(kind for kind, _ in outcomes)
    worst = next(kind for kind in mutant_judges.WORST_FIRST if kind in kinds)
    texts = [text for kind, text in outcomes if kind == worst and text]
    return {
        **mutant._asdict(),
        "class": worst,
        "runs": dict(kinds),
        "seconds": seconds,
        "texts": texts,
    }


def digest_of_all():
    """Return what names the package, the runs and the judges: results of others do not count."""
    files = [
        *sorted(PACKAGE.rglob("*.py")),
        *(Path(module.__file__ or "") for module in (mutant_judges, mutant_runs, mutation_points)),
    ]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


def known(log, digest):
    """Return the results that a log has of this package."""
    rows = (
        [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        if log and log.exists()
        else []
    )
    return {
        Mutant(*(row[name] for name in Mutant._fields)): row
        for row in rows
        if row["digest"] == digest
    }


def campaign(rooms, count, seed, log, processes):
    """Run a campaign, print its table, and return what became of each mutant."""
    digest = digest_of_all()
    done = known(log, digest)
    with tempfile.TemporaryDirectory() as folder:
        bench = prepared(Path(folder), list(mutant_runs.RUNS))
        mutants, points = sample(rooms, bench.lines, count, seed)
        print(
            f"{len(bench.codes)} runs, {sum(points.values())} points, {len(mutants)} mutants with seed {seed}, "
            f"{sum(mutant in done for mutant in mutants)} of them known"
        )
        with ProcessPoolExecutor(processes) as pool:
            futures = [
                pool.submit(judged, mutant, bench) for mutant in mutants if mutant not in done
            ]
            for future in as_completed(futures):
                row = {**future.result(), "digest": digest}
                done[Mutant(*(row[name] for name in Mutant._fields))] = row
                print(line_of(row), flush=True)
                if log:
                    with log.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
    results = [done[mutant] for mutant in mutants]
    print(table_of(results, points, rooms))
    return results


def line_of(row):
    """Return a mutant as one line."""
    texts = "; ".join(dict.fromkeys(row["texts"]))
    return f"{row['class']:9} {row['file']}:{row['line']} {row['what']}  {texts[:300]}".rstrip()


def table_of(results, points, rooms):
    """Return what became of the mutants of each room, and the survivors."""
    classes = mutant_judges.CLASSES
    rows = [
        f"| room | points reached | mutants | {' | '.join(classes)} |",
        f"|{'---|' * (len(classes) + 3)}",
    ]
    for room in [*rooms, "all"]:
        kinds = Counter(
            row["class"] for row in results if room in ("all", row["file"].split("/")[0])
        )
        reached = sum(points.values()) if room == "all" else points[room]
        rows.append(
            f"| {room} | {reached} | {sum(kinds.values())} | "
            f"{' | '.join(str(kinds[kind]) for kind in classes)} |"
        )
    survivors = [line_of(row) for row in results if row["class"] == "SURVIVOR"]
    return "\n".join(
        ["", *rows, "", "to be read one by one:" if survivors else "no survivors", *survivors]
    )


def main():
    """Run a campaign as the words ask; return 1 if a mutant survived."""
    parser = argparse.ArgumentParser(description="mutants of the package, and what becomes of each")
    parser.add_argument("--rooms", default=ROOMS)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="JSON lines: one for each mutant that is judged")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    results = campaign(args.rooms.split(","), args.count, args.seed, args.log, args.processes)
    return int(any(row["class"] == "SURVIVOR" for row in results))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
