#!/usr/bin/env python3
"""Run all tests in several processes of pytest at once, and report them as one run.

usage: all_files.py [options of pytest]      such as: all_files.py -x, all_files.py -k inertia
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import as_completed, ThreadPoolExecutor
from pathlib import Path
from typing import Dict, Iterator, List, Sequence, Tuple

TESTS = Path(__file__).resolve().parent
# Processor time of a file in seconds, roughly: it only decides what begins first. Where it is far from the truth,
# processors wait at the end, which the last line of a run says.
SLOW = {
    "export/page/test_in_browser.py": 13, "test_readme.py": 11, "test_single_file.py": 9, "base/test_transaction.py": 7,
    "run/test_laws.py": 7, "cli/test_main.py": 6, "compare/test_mapping.py": 6, "run/test_golden.py": 6,
    "verify/test_campaign.py": 6, "collision/test_run.py": 5, "run/test_variants.py": 5, "verify/test_mutants.py": 5,
    "cli/test_hand_over.py": 4, "cli/test_question.py": 4, "collada/test_reader_laws.py": 4,
    "collision/test_mutants.py": 4, "compare/test_constructed.py": 4, "compare/test_own_output.py": 4,
    "meshes/test_laws.py": 4, "export/page/test_comparison_in_browser.py": 4, "export/test_usd_mutants.py": 4,
    "judges/test_physics.py": 4, "test_rooms.py": 4, "export/armature/test_laws.py": 3, "export/meshes/test_runs.py": 3,
    "export/page/test_comparison_page.py": 3, "export/page/test_page.py": 3, "meshing/test_writing.py": 3,
    "model/test_laws.py": 3, "test_counts.py": 3,
}
OTHERS = 0.8
SMALLEST_SHARE = 4  # seconds: a start of pytest takes one
NO_TESTS = 5  # pytest's exit status when nothing was selected
COUNTED = ("passed", "failed", "error", "skipped", "xfailed", "deselected")
SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] (?:[^ ]*: )?(.*)$", re.M)


def seconds_of(file: Path) -> float:
    """Return about how long a file takes."""
    return SLOW.get(file.relative_to(TESTS).as_posix(), OTHERS)


def shares_of(files: Sequence[Path], processors: int) -> List[List[Path]]:
    """Deal the files to shares, the slow files first, each share a part of what is left, so that the last are small.

    Whoever is free takes the next share: all end within about the time of the last ones, few starts of pytest are
    paid for, and an estimate that is wrong is made up for (guided self-scheduling: Polychronopoulos, Kuck 1987).
    """
    waiting = sorted(files, key=lambda file: -seconds_of(file))
    left = sum(map(seconds_of, files))
    shares: List[List[Path]] = []
    while waiting:
        room = max(left / (2 * processors), SMALLEST_SHARE)
        share = [waiting.pop(0)]
        room -= seconds_of(share[0])
        while waiting and seconds_of(waiting[0]) <= room:
            share.append(waiting.pop(0))
            room -= seconds_of(share[-1])
        left -= sum(map(seconds_of, share))
        shares.append(share)
    return shares


def environment_of(folder: str) -> Dict[str, str]:
    """Return the environment of a share: compiled modules are kept, in this folder where none may be left behind."""
    found = dict(os.environ)
    if found.pop("PYTHONDONTWRITEBYTECODE", ""):
        found["PYTHONPYCACHEPREFIX"] = found.get("PYTHONPYCACHEPREFIX") or folder
    return found


def run_share(files: Sequence[Path], words: Sequence[str], environment: Dict[str, str]) -> Tuple[int, str]:
    """Return the exit status of pytest for some files, and what it prints."""
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "--no-header", *words, *map(str, files)],
                          cwd=TESTS.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace")
    return done.returncode, done.stdout


def counts_of(output: str) -> "Counter[str]":
    """Return the counts of the last line of pytest, such as `9 passed, 1 skipped in 0.2s`."""
    last = output.rstrip().rpartition("\n")[2]
    return Counter({word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+?)s?\b", last) if word in COUNTED})


def run_shares(shares: Sequence[Sequence[Path]], words: Sequence[str], processors: int) -> Iterator[Tuple[int, str]]:
    """Yield what becomes of each share, as soon as it has ended."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(processors) as pool:
        environment = environment_of(folder)
        for future in as_completed([pool.submit(run_share, share, words, environment) for share in shares]):
            yield future.result()


def main(words: Sequence[str]) -> int:
    """Run all files below the folder of this one; return 1 if a test failed or a process died, 5 if no test ran."""
    processors = os.cpu_count() or 1
    counts: Counter[str] = Counter()
    skipped: Dict[str, int] = {}
    failed = False
    begin = time.monotonic()
    ends: List[float] = []
    shares = shares_of(sorted(TESTS.glob("**/test_*.py")), processors)
    for status, output in run_shares(shares, words, processors):
        ends.append(time.monotonic())
        found = counts_of(output)
        counts.update(found)
        for count, reason in SKIPPED.findall(output):
            skipped[reason] = skipped.get(reason, 0) + int(count)
        if status not in (0, NO_TESTS):
            failed = True
            print(output, flush=True)
            if not found:
                print(f"pytest ended with status {status}", flush=True)
    for reason, count in skipped.items():
        print(f"skipped {count}: {reason}")
    waited = sum(ends[-1] - end for end in ends[-processors:])
    print(f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, {counts['skipped']} skipped "
          f"in {ends[-1] - begin:.0f} s; processors waited {waited:.0f} s at the end")
    return 1 if failed else 0 if any(counts[word] for word in COUNTED[:4]) else NO_TESTS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
