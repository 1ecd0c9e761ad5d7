"""What Gazebo reads of files, as libsdformat tells `judges/gazebo_reading.cc`."""

import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "judges" / "gazebo_reading.cc"
ROBOT_PROGRAM = PROGRAM.with_name("gazebo_robot.cc")
VERSIONS = range(20, 8, -1)


def build(folder, source):
    """Build a program that asks libsdformat, and return what runs it once for many files."""
    if not (shutil.which("g++") and shutil.which("pkg-config")):
        pytest.skip("g++ or pkg-config is not there")
    names = (f"sdformat{version}" for version in VERSIONS)
    name = next(
        (name for name in names if not subprocess.run(["pkg-config", "--exists", name]).returncode),
        "",
    )
    if not name:
        pytest.skip("libsdformat is not there (apt install libsdformat-dev)")
    program = folder / "reading"
    flags = subprocess.check_output(
        ["pkg-config", "--cflags", "--libs", name], encoding="utf-8"
    ).split()
    subprocess.run(
        ["g++", "-std=c++17", "-O1", str(source), "-o", str(program), *flags], check=True
    )

    def run(files):
        """Return what the program says of each file."""
        done = subprocess.run(
            [str(program)],
            input="".join(f"{file}\n" for file in files),
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        return done.stdout.split("file ")[1:]

    return run


def reader(folder):
    """Build the program that reads URDF and SDF as Gazebo does, and return what runs it once for many files."""
    run = build(folder, PROGRAM)
    return lambda files: [read(part) for part in run(files)]


def read(text):
    """Return what the program says of a file; of frames only those that the file itself defines."""
    values = defaultdict(list)
    for line in text.splitlines()[1:]:
        words = []
        numbers = []
        for word in line.split():
            try:
                numbers.append(float(word))
            except ValueError:
                words.append(word)
        if words[0] != "frame" or words[1].startswith(("f0", "extra")):
            values[" ".join(words)].append(tuple(numbers))
    return dict(values)


def difference(before, after):
    """Return what is in one of both only, or ""."""
    for what in {**before, **after}:
        old = list(before.get(what, ()))
        new = list(after.get(what, ()))
        # Of a link that is lumped it is written with six digits.
        accuracy = 2e-5 if what.startswith("sensor") else 1e-6
        for numbers in old:
            tolerance = accuracy * max([1.0, *(abs(x) for x in numbers if abs(x) != float("inf"))])
            match = next(
                (
                    other
                    for other in new
                    if len(other) == len(numbers)
                    and all(a == b or abs(a - b) <= tolerance for a, b in zip(numbers, other))
                ),
                None,
            )
            if match is None:
                return f"{what} {numbers} is not among {new}"
            new.remove(match)
        if new:
            return f"{what} {new[0]} is new"
    return ""
