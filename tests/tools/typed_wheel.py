#!/usr/bin/env python3
"""Check programs of users with mypy against the wheel, and run one, far from the checkout: a part of `make lint`.

usage: typed_wheel.py MYPY
"""

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Set

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from web_page import make_wheel  # noqa: E402 its folder was not known before

from urdf_tools.base.errors import UsageError  # noqa: E402

PROGRAM = Path(__file__).with_name("user_program.py")
CALLS = Path(__file__).with_name("typed_calls.py")
ROBOTS = [
    ROOT / "fixtures" / "compare" / name for name in ("reach.urdf", "reach_exported_again.urdf")
]
EXPECTED = "4 True False 5\n"


def main(mypy: str) -> int:
    """Return 0 if mypy finds nothing in the program, refuses just the wrong calls, and the program prints what it should."""
    command = shutil.which(mypy)
    if command is None:
        print(f"typed_wheel.py: there is no {mypy}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True
        )
        python = folder / "venv" / "bin" / "python"
        try:
            wheel = folder / make_wheel(folder)
        except UsageError as error:  # without a network there is nothing to build it with
            print(f"typed_wheel.py: skipped, {error}", file=sys.stderr)
            return 0
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(next((folder / "venv").glob("lib/python*/site-packages")))
        shutil.copy(PROGRAM, folder / "program.py")
        shutil.copy(CALLS, folder / CALLS.name)
        check = [
            str(Path(command).absolute()),
            "--strict",
            "--no-incremental",
            "--no-pretty",
            "--python-executable",
            str(python),
        ]
        checked = subprocess.run([*check, "program.py"], cwd=folder)
        of_calls = subprocess.run(
            [*check, CALLS.name], cwd=folder, stdout=subprocess.PIPE, encoding="utf-8"
        )
        ran = subprocess.run(
            [str(python), "-I", "program.py", *map(str, ROBOTS)],
            cwd=folder,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    faults = []
    if checked.returncode:
        faults.append("mypy refuses the program")
    if refused_lines(of_calls.stdout) != wrong_lines():
        faults.append(f"mypy refuses other calls than the wrong ones:\n{of_calls.stdout}")
    if ran.stdout != EXPECTED:
        faults.append(f"the program prints {ran.stdout!r}, not {EXPECTED!r}")
    for fault in faults:
        print(f"typed_wheel.py: {fault}", file=sys.stderr)
    return int(bool(faults))


def wrong_lines() -> Set[int]:
    """Return the lines of the wrong calls, from 1."""
    lines = CALLS.read_text("utf-8").splitlines()
    first = lines.index("# WRONG") + 2
    return {number for number in range(first, len(lines) + 1) if lines[number - 1]}


def refused_lines(report: str) -> Set[int]:
    """Return the lines of the calls that a type checker refuses, from its report."""
    return {int(line) for line in re.findall(rf"{CALLS.name}:(\d+).*error", report)}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
