#!/usr/bin/env python3
"""What this tool and others make of public robots: `make corpus` writes the tables in urdf_tools/verify/README.md.

The robots are all files `*.urdf` of a few packages of PyPI, one of each content. `corpus_robot.py` does the jobs, and
Pinocchio, MuJoCo and Drake judge (`corpus_judge.py`). The results of each robot stay in build/corpus/results.jsonl, so
that every verdict can be read by hand; `--table` writes the table from them again without a run.
"""

from collections import namedtuple
import argparse
import collections
import datetime
import hashlib
import json
import os
import platform
import re
import statistics
import sys
from importlib import metadata
from pathlib import Path

from page_tables import put

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "urdf_tools" / "verify" / "README.md"
FOLDER = ROOT / "build" / "corpus"
PACKAGES = {  # and a folder by which their robots are known
    "example-robot-data": "example-robot-data",
    "icub-models": "iCub",
    "dexmate-urdf": "dexmate_urdf",
    "airo-models": "airo_models",
    "gym-ignition-models": "gym_ignition_models",
    "upkie-description": "upkie_description",
    "cookie-description": "cookie_description",
    "jvrc-description": "jvrc_description",
}
TOOLS = ("scikit-robot", "yourdfpy", "mujoco", "pin", "drake")
VERDICTS = ("refused", "not read", "exact", "rounded", "wrong")
PAIRS = {  # of a comparison: what they are, and what is right to say of them
    "skrobot_merge": ("merged by scikit-robot", "same"),
    "ours": ("simplified here", "same"),
    "shifted": ("joint 1 mm elsewhere", "other"),
    "heavier": ("link 1 % heavier", "other"),
}
COMPARERS = {"ours": "urdf_simplify `compare`", "skrobot": "scikit-robot `compare_kinematics`"}


class Job(namedtuple("Job", "key name engine")):
    """What a tool is asked for: its key in the results, its name in the table, the engine that reads what it writes."""


JOBS = (
    Job("ours", "urdf_simplify", "Pinocchio"),
    Job("ours_mjcf", "urdf_simplify `export` to MJCF", "MuJoCo"),
    Job("ours_sdf", "urdf_simplify `export` to SDF", "Drake"),
    Job("skrobot_merge", "scikit-robot `merge_fixed_links`", "Pinocchio"),
    Job("skrobot_mjcf", "scikit-robot `urdf_to_mjcf`", "MuJoCo"),
    Job("mujoco_import", "MuJoCo reads the URDF (`fusestatic`)", "MuJoCo"),
    Job("yourdfpy_write", "yourdfpy: load, write", "Pinocchio"),
)


def robot_files(folder):
    """Return the URDFs of all packages, one of each content."""
    by_digest = {}
    for path in sorted(folder.rglob("*.urdf")):
        by_digest.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    return list(by_digest.values())


def package_of(path):
    """Return the package a robot is of, by the first folder of its path that tells."""
    parts = Path(path).relative_to(FOLDER / "robots").parts
    return next((package for package, folder in PACKAGES.items() if folder in parts), parts[0])


def count_of(rows, verdict):
    """Return how many rows have a verdict, `-` for none."""
    return str(sum(row.get("verdict") == verdict for row in rows) or "-")


def lines_of(heads, rows):
    """Return a table in Markdown."""
    cells = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(row)} |" for row in cells]


def median_seconds(rows):
    """Return the median of the seconds of some rows."""
    return f"{statistics.median(row['seconds'] for row in rows):.3f}"


def job_lines(judged):
    """Return the table of the jobs that make a robot of a robot."""
    cells = []
    for job in JOBS:
        rows = [robot["rows"][job.key] for robot in judged]
        of_urdf = [row for row in rows if "dangling" in row]
        dangling = str(sum(len(row["dangling"]) for row in of_urdf))
        if job.key == "ours":
            named = sum(row["dangling_named"] for row in of_urdf)
            dangling += f", {named} of them in a warning"
        before, kept = (sum(row["comments"][index] for row in of_urdf) for index in (0, 1))
        texts = [dangling, f"{kept} of {before}"] if of_urdf else ["no URDF", "no URDF"]
        counts = [count_of(rows, verdict) for verdict in VERDICTS]
        cells.append([job.name, job.engine, str(len(rows)), *counts, *texts, median_seconds(rows)])
    heads = ["tool and job", "read by", "robots", *VERDICTS]
    return lines_of([*heads, "dangling names", "comments", "seconds"], cells)


def comparison_lines(judged):
    """Return the table of the tools that compare."""
    cells = []
    for key, name in COMPARERS.items():
        answers = [answer for row in judged for answer in row["compared"] if answer["tool"] == key]
        counts = []
        for pair, (_, right) in PAIRS.items():
            said = [answer["said"] for answer in answers if answer["pair"] == pair]
            counts.append(f"{said.count(right)} of {len(said)}")
        refused = sum(answer["said"] == "refused" for answer in answers)
        cells.append([name, *counts, str(refused or "-"), median_seconds(answers)])
    heads = [f"{what}: {right}" for what, right in PAIRS.values()]
    return lines_of(["comparing tool", *heads, "refused", "seconds"], cells)


def cause_lines(judged, unread):
    """Return the table of what is not exact or rounded, by cause."""
    causes = collections.defaultdict(collections.Counter)
    for robot in unread:
        causes["the judge", "not judged"][cause(robot["unread"])] += 1
        if robot["ours"].get("verdict") == "refused":
            causes["urdf_simplify", "refused"][cause(robot["ours"]["reason"])] += 1
    for job in JOBS:
        for row in (robot["rows"][job.key] for robot in judged):
            if row["verdict"] in ("refused", "not read", "wrong"):
                causes[job.name, row["verdict"]][cause(row.get("reason") or row["where"])] += 1
    cells = [
        [*row, "; ".join(f"{text} ({number})" for text, number in counted.most_common())]
        for row, counted in causes.items()
    ]
    return lines_of(["tool and job", "verdict", "cause, and how many robots"], cells)


def cause(sentence):
    """Return a sentence without names and numbers, so that like ones are counted together."""
    sentence = re.sub(r"(\w+\.)*(ValueError|RuntimeError|ParseError): (Error: )?", "", sentence)
    sentence = re.sub(r"(MuJoCo|Drake|Pinocchio): (Error: |error: )?", r"\1: ", sentence)
    sentence = re.sub(
        r" Element (name )?'[^']*'.*| at /?\S+:\d+.*|<literal-string>\S*", "", sentence
    )
    sentence = re.sub(r"^(mimic|limit|type) of '.*", r"\1 of a joint is another or lost", sentence)
    sentence = re.sub(r"'[^']*'", "'...'", sentence)
    sentence = re.sub(r"(?<![\w'])-?\d+(\.\d+)?(e[+-]?\d+)?", "N", sentence)
    return sentence.replace("|", "/").replace("<", "&lt;")[:160].strip()


def caption(log, judged, unread):
    """Return what was run, when and where."""
    day = datetime.date.fromtimestamp(log.stat().st_mtime)
    packages = collections.Counter(package_of(row["robot"]) for row in (*judged, *unread))
    robots = ", ".join(
        f"{name} {metadata_of(name)} ({packages[name]})" for name in PACKAGES if packages[name]
    )
    tools = ", ".join(f"{name} {metadata.version(name)}" for name in TOOLS)
    return [
        f"{len(judged) + len(unread)} robots, all different `*.urdf` of {robots}; {len(unread)} of them are not "
        f"judged. {day:%d %B %Y}, {tools}; Python {platform.python_version()}, {os.cpu_count()} processors "
        f"({processor()}), other work beside. Seconds: median of the processor time of a job, the programs loaded."
    ]


def metadata_of(name):
    """Return the version of a package of robots."""
    return next(iter(metadata.distributions(name=name, path=[str(FOLDER / "robots")]))).version


def processor():
    """Return what Linux says of the processor, as far as it does."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.machine()
    model = re.search(r"^model name\s*: (.*)$", text, flags=re.M)
    return model[1].strip() if model else platform.machine()


def write_table(log):
    """Write the tables between the marks of the page."""
    rows = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    judged = [row for row in rows if "rows" in row]
    unread = [row for row in rows if "rows" not in row]
    parts = [
        caption(log, judged, unread),
        job_lines(judged),
        comparison_lines(judged),
        cause_lines(judged, unread),
    ]
    put(PAGE, "corpus", "\n\n".join("\n".join(part) for part in parts) + "\n")


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description="What tools make of public robots.")
    parser.add_argument(
        "--only",
        default="",
        metavar="TEXT",
        help="run the robots again that have this in their path",
    )
    parser.add_argument(
        "--table", action="store_true", help="only write the table, of the results that are there"
    )
    options = parser.parse_args()
    log = FOLDER / "results.jsonl"
    if not options.table:
        from corpus_robot import measure

        robots = [path for path in robot_files(FOLDER / "robots") if options.only in str(path)]
        again = {str(path) for path in robots}
        known = log.read_text("utf-8").splitlines(keepends=True) if log.exists() else []
        kept = [line for line in known if json.loads(line)["robot"] not in again]
        log.write_text("".join(kept), "utf-8")
        measure(robots, FOLDER / "out", log, os.cpu_count() or 1)
    write_table(log)
    return 0


if __name__ == "__main__":
    sys.exit(main())
