#!/usr/bin/env python3
"""What each export of a run costs, with its proof: processor time over that of the run without; by `make bench`.

Twice: as whole processes, as a user sees it, and within one process that runs again and again, where no start and no
import hides anything. The robot has no meshes that could be found; runs take turns, and the least of all rounds
counts, since other work on the machine only ever adds.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]
import bench  # noqa: E402
import engine  # noqa: E402
from engine import simplify  # noqa: E402

MOST_OF_ONE, MOST_OF_THREE = 1.35, 1.6  # of the run without exports
FORMATS = {"mjcf": "robot.xml", "sdf": "robot.sdf", "model": "robot.json"}
ALONE = {
    **{name: {name: file} for name, file in FORMATS.items()},
    "usd": {"usd": "robot.usda", "usd_meshes": "none"},
}
CASES = {"none": {}, **ALONE, "mjcf, sdf and model": FORMATS}


def in_one_process(folder, exports):
    """Return the processor time of a run in this process [s]."""
    start = time.process_time()
    simplify(
        bench.HUMANOID,
        os.path.join(folder, "output.urdf"),
        force=True,
        **{name: placed(folder, value) for name, value in exports.items()},
    )
    return time.process_time() - start


def placed(folder, value):
    """Return a file in a folder, and any other value as it is."""
    return os.path.join(folder, value) if "." in value else value


def as_process(folder, exports):
    """Return the processor time of a process [s]."""
    words = [
        word
        for name, value in exports.items()
        for word in (f"--{name.replace('_', '-')}", placed(folder, value))
    ]
    return bench.run_once(
        (
            *engine.PROCESS,
            str(bench.HUMANOID),
            "-o",
            os.path.join(folder, "output.urdf"),
            "--yes",
            *words,
        )
    ).processor


def measured(run, rounds):
    """Return the least time of each case [s]; the first round is not counted."""
    times = {case: [] for case in CASES}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop(
            "PYTHONDONTWRITEBYTECODE", None
        )  # compiled modules are kept as for a user, but elsewhere
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
        for number in range(rounds + 1):
            for case, exports in CASES.items():
                seconds = run(folder, exports)
                times[case] += [seconds] if number else []
    return {case: min(several) for case, several in times.items()}


def main():
    """Run the command line; return 0, whatever the verdicts."""
    parser = argparse.ArgumentParser(
        description="Processor time of runs with exports over a run without."
    )
    parser.add_argument(
        "--rounds", type=int, default=11, metavar="N", help="runs of each case (default: 11)"
    )
    rounds = max(1, parser.parse_args().rounds)
    for title, run in (("whole processes", as_process), ("runs in one process", in_one_process)):
        figures = measured(run, rounds)
        print(f"\nExports of the humanoid, {title}: {1e3 * figures['none']:.1f} ms without\n")
        for case in list(CASES)[1:]:
            bench.verdict(
                f"with {case}, over without",
                figures[case] / figures["none"],
                MOST_OF_ONE if case in ALONE else MOST_OF_THREE,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
