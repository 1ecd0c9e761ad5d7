"""Print how often the map between a robot and the same one by another author is found: `python3 tests/tools/remade_table.py`.

Exact: every partner, sign and zero as it was made. Equivalent: another map, with no difference and a bound that is
rounding. Wrong: all else.
"""

from collections import namedtuple
import math
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from remade import How, remake  # noqa: E402

from urdf_tools.compare.robot_comparison import compare  # noqa: E402
from urdf_tools.formats.urdf.read_urdf import read_urdf  # noqa: E402

ROWS = (
    ("names kept, no zeros, same base", How(base="")),
    ("names kept, any zero", How(zeros="any")),
    ("no names, zeros of 0, 90, 180 degrees", How(names=True, zeros="right")),
    (
        "no names, any zero, base turned and moved at random",
        How(names=True, zeros="any", base="any"),
    ),
    ("names kept, any zero, noise of 1e-5 m and rad on each axis", How(zeros="any", noise=1e-5)),
)
OWN = tuple(
    ROOT / "fixtures" / name / "robot.urdf"
    for name in ("arm", "humanoid", "painted_arm", "quadruped")
)
MECHANICS = frozenset({"motion", "mass", "limits", "mimic", "loops"})


class Outcome(namedtuple("Outcome", "word seconds")):
    """How a comparison came out, and the seconds it took."""


def outcome(robot, how, seed):
    """Return how well the map to a remade robot is found."""
    remade = remake(robot, random.Random(seed), how)
    start = time.process_time()
    comparison = compare(
        robot, remade.robot, aspects=MECHANICS, tolerance=1e-3 if how.noise else 1e-4
    )
    seconds = time.process_time() - start
    if is_as_made(comparison, remade, 1e-6 + 100.0 * how.noise):
        return Outcome("exact", seconds)
    return Outcome("equivalent" if comparison.is_same else "wrong", seconds)


def is_as_made(comparison, remade, tolerance):
    """Return True if all partners, signs and zeros are those by which the robot was made."""
    robots = comparison.map
    for pair in robots.pairs:
        a = pair.a.raw
        b = pair.b.raw
        name, sign, offset = remade.truth[a.name]
        apart = pair.offset - offset
        if a.type != "prismatic":
            apart = math.remainder(apart, 2.0 * math.pi)
        if b.name != name or pair.choice.sign != sign or abs(apart) > tolerance:
            return False
    return not robots.only_a and not robots.only_b


def table(files):
    """Return the lines of the table."""
    lines = [
        "| written anew with | exact | equivalent | wrong | longest |",
        "|---|---|---|---|---|",
    ]
    for title, how in ROWS:
        outcomes = [
            outcome(read_urdf(file.read_bytes(), file.name), how, file.name) for file in files
        ]
        counts = {
            word: sum(result.word == word for result in outcomes)
            for word in ("exact", "equivalent", "wrong")
        }
        lines.append(
            f"| {title} | {' | '.join(map(str, counts.values()))} | "
            f"{max(result.seconds for result in outcomes):.2f} s |"
        )
    return lines


if __name__ == "__main__":
    folder = ROOT.parent / "shared" / "robots"
    given = [Path(name) for name in sys.argv[1:]] or [*sorted(folder.glob("*.urdf")), *OWN]
    print("\n".join(table(given)))
