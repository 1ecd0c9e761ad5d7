#!/usr/bin/env python3
"""Run all tests in several processes of pytest at once, and report them as one run.

usage: all_files.py [options of pytest]      such as: all_files.py -x, all_files.py -k inertia
"""
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import as_completed, ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

TESTS = Path(__file__).resolve().parent
SHARES_PER_PROCESSOR = 4  # the last ones end at about the same time, and few starts of pytest are paid for
NO_TESTS = 5  # pytest's exit status when nothing was selected
COUNTED = ("passed", "failed", "error", "skipped", "xfailed", "deselected")
SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] (?:[^ ]*: )?(.*)$", re.M)


def shares_of(files: Sequence[Path], count: int) -> List[List[Path]]:
    """Deal the files to `count` shares of about the same size, the longest files first."""
    shares: List[List[Path]] = [[] for _ in range(min(count, len(files)))]
    sizes = [0] * len(shares)
    for file in sorted(files, key=lambda one: -one.stat().st_size):
        least = sizes.index(min(sizes))
        shares[least].append(file)
        sizes[least] += file.stat().st_size
    return shares


def run_share(files: Sequence[Path], words: Sequence[str]) -> Tuple[int, str]:
    """Return the exit status of pytest for some files, and what it prints."""
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "--no-header", *words, *map(str, files)],
                          cwd=TESTS.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                          errors="replace")
    return done.returncode, done.stdout


def counts_of(output: str) -> "Counter[str]":
    """Return the counts of the last line of pytest, such as `9 passed, 1 skipped in 0.2s`."""
    last = output.rstrip().rpartition("\n")[2]
    return Counter({word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+?)s?\b", last) if word in COUNTED})


def main(words: Sequence[str]) -> int:
    """Run all files below the folder of this one; return 1 if a test failed or a process died, 5 if no test ran."""
    processors = os.cpu_count() or 1
    shares = shares_of(sorted(TESTS.glob("**/test_*.py")), SHARES_PER_PROCESSOR * processors)
    counts: Counter[str] = Counter()
    skipped: Dict[str, int] = {}
    failed = False
    with ThreadPoolExecutor(processors) as pool:
        for future in as_completed([pool.submit(run_share, share, words) for share in shares]):
            status, output = future.result()
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
    print(f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, {counts['skipped']} skipped")
    return 1 if failed else 0 if any(counts[word] for word in COUNTED[:4]) else NO_TESTS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
