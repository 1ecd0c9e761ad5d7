#!/usr/bin/env python3
"""Check the program of a user with mypy against the wheel, and run it, far from the checkout: a part of `make lint`.

usage: typed_wheel.py MYPY
"""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from web_page import make_wheel  # noqa: E402 its folder was not known before

from urdf_tools.base.errors import UsageError  # noqa: E402

PROGRAM = Path(__file__).with_name("user_program.py")
ROBOTS = [
    ROOT / "fixtures" / "compare" / name for name in ("reach.urdf", "reach_exported_again.urdf")
]
EXPECTED = "4 True False 5\n"


def main(mypy: str) -> int:
    """Return 0 if mypy finds nothing and the program prints what it should."""
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
        checked = subprocess.run(
            [
                str(Path(command).absolute()),
                "--strict",
                "--no-incremental",
                "--python-executable",
                str(python),
                "program.py",
            ],
            cwd=folder,
        )
        ran = subprocess.run(
            [str(python), "-I", "program.py", *map(str, ROBOTS)],
            cwd=folder,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        if ran.stdout != EXPECTED:
            print(
                f"typed_wheel.py: the program prints {ran.stdout!r}, not {EXPECTED!r}",
                file=sys.stderr,
            )
        return int(bool(checked.returncode) or ran.stdout != EXPECTED)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
