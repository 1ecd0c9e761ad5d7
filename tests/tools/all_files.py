#!/usr/bin/env python3
"""Run all tests in several processes of pytest at once, and report them as one run.

usage: all_files.py [options of pytest]      such as: all_files.py -x, all_files.py -k inertia
"""

from collections import namedtuple
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import as_completed, ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import raised

TESTS = Path(__file__).resolve().parents[1]
# Seconds of each file in the last run here: they only decide what begins first. A file that has not been run yet is
# taken to be as slow as it is long.
RECORD = ".pytest_cache/seconds.json"
BYTES_A_SECOND = 5000
SMALLEST_SHARE = 4  # seconds: a start of pytest takes one
NO_TESTS = 5  # pytest's exit status when nothing was selected
COUNTED = ("passed", "failed", "error", "skipped", "xfailed", "deselected")
# How long a test may take [s], which is some ten times what the slowest takes on a busy machine: what takes longer hangs.
SECONDS_OF_A_TEST = float(os.environ.get("URDF_TEST_SECONDS", "600")) * (
    20.0 if os.environ.get("URDF_PROFILE") == "fuzz" else 1.0
)
SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] (?:[^ ]*: )?(.*)$", re.M)


def last_seconds():
    """Return the seconds that each file took in the last run, by its name below the folder of the tests."""
    try:
        record = json.loads((TESTS / RECORD).read_text("utf-8"))
        return {name: float(seconds) for name, seconds in record.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def record_seconds(seconds):
    """Keep what each file took, with what is known of files that were not run; where nothing can be kept, do not."""
    try:
        (TESTS / RECORD).parent.mkdir(exist_ok=True)
        (TESTS / RECORD).write_text(
            json.dumps({**last_seconds(), **seconds}, indent=0), encoding="utf-8"
        )
    except OSError:
        pass


def estimated_seconds(files):
    """Return about how long each file takes."""
    known = last_seconds()
    return {
        file: known.get(file.relative_to(TESTS).as_posix(), file.stat().st_size / BYTES_A_SECOND)
        for file in files
    }


def shares_of(seconds, processors):
    """Deal files to shares, the slow files first, each share a part of what is left, so that the last are small.

    Whoever is free takes the next share: all end within about the time of the last ones, few starts of pytest are
    paid for, and an estimate that is wrong is made up for (guided self-scheduling: Polychronopoulos, Kuck 1987).
    """
    waiting = sorted(seconds, key=lambda file: -seconds[file])
    remaining = sum(seconds.values())
    shares = []
    while waiting:
        budget = max(remaining / (2 * processors), SMALLEST_SHARE)
        share = [waiting.pop(0)]
        budget -= seconds[share[0]]
        while waiting and seconds[waiting[0]] <= budget:
            share.append(waiting.pop(0))
            budget -= seconds[share[-1]]
        remaining -= sum(seconds[file] for file in share)
        shares.append(share)
    return shares


def environment_of(folder):
    """Return the environment of a share: compiled modules are kept, in this folder where none may be left behind."""
    environment = dict(os.environ)
    if environment.pop("PYTHONDONTWRITEBYTECODE", ""):
        environment["PYTHONPYCACHEPREFIX"] = environment.get("PYTHONPYCACHEPREFIX") or folder
    return environment


class Ran(namedtuple("Ran", "status output seconds")):
    """What became of a share: the exit status of pytest, what it printed, and the seconds of each file by its name."""


def run_share(files, words, environment, folder):
    """Run pytest on some files; `folder` is one of its own: of those that processes share one removes another's."""
    report = f"{folder}.xml"
    options = [
        "-q",
        "-rs",
        "--no-header",
        f"--rootdir={TESTS.parent}",
        f"--junitxml={report}",
        "--override-ini=junit_family=xunit1",
        f"--basetemp={folder}",
    ]
    with open(f"{folder}.txt", "w+b") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *words, *map(str, files)],
            cwd=TESTS.parent,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        # A test that is too slow fails by itself, in its setup, call or teardown: this is for a process that cannot.
        end_if_it_stands_still(process, output, 4.0 * SECONDS_OF_A_TEST)
        output.seek(0)
        text = output.read().decode("utf-8", "replace").replace(os.linesep, "\n")
    return Ran(process.returncode, text, seconds_in(report))


def end_if_it_stands_still(process, output, seconds):
    """Wait for a process, and end it once it has written nothing for so many seconds; its output then says so."""
    size = 0
    since = time.monotonic()
    while True:
        try:
            process.wait(timeout=1.0)
            return
        except subprocess.TimeoutExpired:
            written = os.fstat(output.fileno()).st_size
        if written != size:
            size = written
            since = time.monotonic()
        if time.monotonic() - since > seconds:
            process.kill()
            process.wait()
            os.write(
                output.fileno(), f"\nended, as it wrote nothing for {seconds:.0f} s\n".encode()
            )
            return


def seconds_in(report):
    """Return the seconds of each file of a JUnit report; none of a process that died before it wrote one."""
    seconds = {}
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return seconds
    for case in cases:
        file = (TESTS.parent / case.get("file", "")).resolve()
        if TESTS.resolve() in file.parents:
            name = file.relative_to(TESTS.resolve()).as_posix()
            seconds[name] = round(seconds.get(name, 0.0) + float(case.get("time", "0")), 3)
    return seconds


def counts_of(output):
    """Return the counts of the last line of pytest, such as `9 passed, 1 skipped in 0.2s`."""
    last = output.rstrip().rpartition("\n")[2]
    return Counter(
        {
            word: int(number)
            for number, word in re.findall(r"(\d+) ([a-z]+?)s?\b", last)
            if word in COUNTED
        }
    )


def run_shares(shares, words, processors):
    """Yield what becomes of each share, as soon as it has ended."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(processors) as pool:
        environment = environment_of(folder)
        for future in as_completed(
            [
                pool.submit(run_share, share, words, environment, f"{folder}/{number}")
                for number, share in enumerate(shares)
            ]
        ):
            yield future.result()


def main(words):
    """Run all files below `tests`; return 1 if a test failed or a process died, 5 if no test ran.

    A run of all tests fails as well if a sentence of lint has no test that raises it.
    """
    # Windows skips some tests.
    if words or os.name != "posix":
        return run_files(words)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[raised.FOLDER] = folder
        status = run_files(words)
        del os.environ[raised.FOLDER]
        # The tables of lint are in the package.
        sys.path.insert(0, str(TESTS.parent))
        missing = [] if status else raised.never_raised(folder)
    for line in missing:
        print(line)
    return 1 if missing else status


def run_files(words):
    """Run all files with these options of pytest, and print the counts; return the exit status."""
    processors = os.cpu_count() or 1
    counts = Counter()
    skipped = {}
    failed = False
    begin = time.monotonic()
    ends = []
    files = estimated_seconds(sorted(TESTS.glob("**/test_*.py")))
    shares = shares_of(files, processors)
    seconds = {}
    for status, output, durations in run_shares(shares, words, processors):
        ends.append(time.monotonic())
        seconds.update(durations)
        counted = counts_of(output)
        counts.update(counted)
        if not sys.stdout.isatty():  # a run that is logged shows that it lives
            print(
                f"{len(ends)} of {len(shares)} shares, {counts['passed']} passed, {ends[-1] - begin:.0f} s",
                flush=True,
            )
        for count, reason in SKIPPED.findall(output):
            skipped[reason] = skipped.get(reason, 0) + int(count)
        if status not in (0, NO_TESTS):
            failed = True
            print(output, flush=True)
            if not counted:
                print(f"pytest ended with status {status}", flush=True)
    if not counts["deselected"]:
        record_seconds(seconds)
    for reason, count in skipped.items():
        print(f"skipped {count}: {reason}")
    waited = sum(ends[-1] - end for end in ends[-processors:])
    print(
        f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, {counts['skipped']} skipped "
        f"in {ends[-1] - begin:.0f} s; processors waited {waited:.0f} s at the end"
    )
    return 1 if failed else 0 if any(counts[word] for word in COUNTED[:4]) else NO_TESTS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
