#!/usr/bin/env python3
"""Time and peak memory of whole runs, beside a bare start of the same Python: `make bench`.

Every run is a process of its own that reads, plans, proves and writes. Runs and bare starts take turns, and medians are
taken over the rounds, so that other work on the machine disturbs both alike. Needs a POSIX system. The robots are made
of arithmetic alone: the same bytes on every Python.

`tests/bench_dae.py` and `tests/bench_page.py`, where there are such, are run afterwards; they can use `Case`,
`measured`, `print_table`, `verdict`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple, Tuple

ROOT = Path(__file__).resolve().parent.parent
SINGLE_FILE = ROOT / "urdf_simplify.py"
FURTHER = tuple(Path(__file__).resolve().parent / f"bench_{name}.py" for name in ("dae", "page"))
HUMANOID = ROOT / "fixtures" / "humanoid" / "robot.urdf"

BARE = (sys.executable, "-c", "pass")
LAST_RELEASE = "2e8a83a"  # the commit of 0.1.0
EARLIER, INSTALLED, YOURDFPY = ", 0.1.0", ", installed", "humanoid, loaded by yourdfpy"
MOST_STARTS = (
    7.0  # the installed command takes no longer than this many bare starts on the humanoid
)
MOST_OF_YOURDFPY = 0.35  # ... and no more of the time that yourdfpy takes to load it
MOST_OF_EARLIER, MOST_MEGABYTES = (
    0.7,
    500.0,
)  # of the time of the last release; [MB]; both with 10,000 links
LINTED, MOST_LINT = 60, 0.3  # links; [s]
SMALL, LARGE, MOST_GROWTH = (
    1000,
    10000,
    12.0,
)  # ten times the links take at most twelve times as long
SHAPES = ("chain", "bush")

# The kernel counts what a process held before its `exec` as its own peak. So the measured command is started by this,
# in a Python that is smaller than any it starts, and not by this module.
WATCHER = """
import os, sys, time
silent = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
start = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=silent)
_, status, used = os.wait4(pid, 0)
seconds = time.perf_counter() - start
print(status, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


class Case(NamedTuple):
    """A command to measure: what the table calls it, its arguments, and how often it is run."""

    name: str
    command: Tuple[str, ...]
    rounds: int


class Figures(NamedTuple):
    """Medians of one case: wall and processor time [s], wall time over that of a bare start, peak memory [MB]."""

    seconds: float
    processor: float
    starts: float
    megabytes: float


class Run(NamedTuple):
    """One process: wall and processor time [s], peak memory [MB]."""

    seconds: float
    processor: float
    megabytes: float


def run_once(command):
    """Run a command in the project's folder and measure it.

    Raises:
        RuntimeError: it did not end with 0.
    """
    watcher = subprocess.run(
        [sys.executable, "-I", "-S", "-c", WATCHER, *command],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    words = watcher.stdout.split()
    if watcher.returncode or words[0] != "0":
        raise RuntimeError(f"this run failed: {' '.join(command)}\n{watcher.stderr}")
    unit = (
        2.0**20 if sys.platform == "darwin" else 2.0**10
    )  # ru_maxrss counts bytes there, else kilobytes
    return Run(float(words[1]), float(words[2]), float(words[3]) / unit)


def measured(cases):
    """Measure all cases in turn, each run beside a bare start; return the medians by name, "bare Python" first."""
    runs = {case.name: [] for case in cases}
    starts = {case.name: [] for case in cases}
    bare_runs = []
    for case in cases[:1]:
        run_once(case.command)  # not counted: it compiles modules and fills the file cache
    for number in range(max(case.rounds for case in cases)):
        for case in cases:
            if number < case.rounds:
                before, run, after = run_once(BARE), run_once(case.command), run_once(BARE)
                bare_runs += [before, after]
                runs[case.name].append(run)
                starts[case.name].append(2.0 * run.seconds / (before.seconds + after.seconds))
    figures = {"bare Python": _medians(bare_runs, [1.0])}
    figures.update((case.name, _medians(runs[case.name], starts[case.name])) for case in cases)
    return figures


def _medians(runs, starts):
    return Figures(
        median([run.seconds for run in runs]),
        median([run.processor for run in runs]),
        median(starts),
        median([run.megabytes for run in runs]),
    )


def median(values):
    """Return the middle value, or the mean of the two in the middle."""
    ordered = sorted(values)
    return 0.5 * (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2])


def print_table(title, figures):
    """Print one line for each case."""
    print(f"\n{title}\n\n  {'':34}{'seconds':>10}{'CPU':>10}{'starts':>10}{'peak MB':>10}")
    for name, figure in figures.items():
        print(
            f"  {name:34}{figure.seconds:10.3f}{figure.processor:10.3f}{figure.starts:10.1f}{figure.megabytes:10.1f}"
        )
    print()


def verdict(what, value, most):
    """Print whether a figure keeps to its limit."""
    print(
        f"  {'PASS' if value <= most else 'FAIL'}  {what}: {value:.2f} (at most {most:g})",
        flush=True,
    )


# The generated robots.

WORDS = (
    "hip_yaw",
    "hip_roll",
    "hip_pitch",
    "knee",
    "ankle_pitch",
    "ankle_roll",
    "elbow",
    "wrist_roll",
    "gripper",
)
PERIOD = 20  # the kinds of links come again after so many
COPY, FRAME = (
    7,
    13,
)  # places in it of a coincident copy of the link before, and of an empty link; nothing hangs on them
FIXED, CONTINUOUS, PRISMATIC, FOLLOWER = (4, 16), (11,), (18,), (10,)


def parent_of(number, shape):
    """Return the parent of a link: the one before in a chain; in a bush one of few levels, for every tenth the root.

    Half of those on the root are on fixed joints, so the root of a bush gains the shapes of 5 % of all links.
    """
    if number % PERIOD == COPY:
        return parent_of(number - 1, shape)
    if shape == "chain":
        parent = number - 1
    else:
        parent = 0 if number % 10 == 4 else (number - 1) // 4
    while parent % PERIOD in (COPY, FRAME):
        parent -= 1
    return parent


def robot_lines(links, shape):
    """Yield the text of a robot as CAD exporters write it: joints after their links, six digits, parts in comments."""
    yield f'<?xml version="1.0"?>\n<!-- {links} links, {shape} -->\n<robot name="{shape}_{links}">\n'
    for number in range(links):
        yield from link_lines(number)
        if number:
            yield from joint_lines(number, parent_of(number, shape))
    yield "</robot>\n"


def link_lines(number):
    """Yield a link; an empty one, a copy of the one before, or one with mass, a shell, and for some a motor."""
    phase = number % PERIOD
    if phase == FRAME:
        yield f'  <!-- Frame of link_{number} -->\n  <link name="link_{number}"/>\n'
        return
    drawn = number - 1 if phase == COPY else number
    large, small, other = (0.5 + fraction(drawn, salt) for salt in (1, 2, 3))
    center = vector(drawn, 4, 0.05)
    yield (
        f'  <!-- Link link_{number} -->\n  <link name="link_{number}">\n    <inertial>\n'
        f'      <origin xyz="{center}" rpy="{turn(drawn, 5) if drawn % 3 == 0 else "0 0 0"}"/>\n'
        f'      <mass value="{large:.6g}"/>\n'
        f'      <inertia ixx="{0.002 * large:.6g}" ixy="{1e-5 * small:.6g}" ixz="{-1e-5 * other:.6g}" '
        f'iyy="{0.0025 * large:.6g}" iyz="{2e-6 * small:.6g}" izz="{0.003 * large:.6g}"/>\n    </inertial>\n'
    )
    for part in [f"shell_{drawn % 50}", *(["rotor_x8", "motor_bracket"] if drawn % 3 == 0 else [])]:
        origin = f'<origin xyz="{vector(drawn, len(part), 0.1)}" rpy="{turn(drawn, len(part))}"/>'
        yield (
            f"    <!-- Part {part} -->\n    <visual>\n      {origin}\n      <geometry>\n"
            f'        <mesh filename="package://assets/{part}.stl"/>\n      </geometry>\n'
            f'      <material name="{part}_material">\n        <color rgba="0.62 0.64 0.67 1"/>\n      </material>\n'
            "    </visual>\n"
        )
    yield (
        f'    <collision>\n      <origin xyz="{center}" rpy="0 0 0"/>\n      <geometry>\n'
        f'        <box size="{0.1 * large:.6g} {0.1 * small:.6g} {0.1 * other:.6g}"/>\n      </geometry>\n'
        "    </collision>\n  </link>\n"
    )


def joint_lines(number, parent):
    """Yield the joint that carries a link; a copy has the joint of the link before, to the letter of its name."""
    phase = number % PERIOD
    drawn = number - 1 if phase == COPY else number
    kind = (
        "fixed"
        if phase in (*FIXED, FRAME)
        else "continuous"
        if phase in CONTINUOUS
        else "prismatic"
        if phase in PRISMATIC
        else "revolute"
    )
    yield (
        f'  <joint name="{WORDS[drawn % len(WORDS)]}_{drawn}" type="{kind}">\n'
        f'    <origin xyz="{vector(drawn, 6, 0.2)}" rpy="{turn(drawn, 7)}"/>\n'
        f'    <parent link="link_{parent}"/>\n    <child link="link_{number}"/>\n'
    )
    if kind != "fixed":
        yield f'    <axis xyz="0 0 {-1 if drawn % 4 == 0 else 1}"/>\n'
    if kind in ("revolute", "prismatic"):
        yield f'    <limit effort="40" velocity="12" lower="{-1.2 + fraction(drawn, 8):.6g}" upper="1.5708"/>\n'
    if phase in FOLLOWER:
        leader = number - 5
        yield f'    <mimic joint="{WORDS[leader % len(WORDS)]}_{leader}" multiplier="-0.5" offset="0.1"/>\n'
    yield "  </joint>\n"


def fraction(number, salt):
    """Return a number from 0 to 1 that looks like chance: multiples of the golden ratio, without their integers."""
    return (number * 0.6180339887498949 + salt * 0.7548776662466927) % 1.0


def vector(number, salt, size):
    """Return three numbers of six digits, from -size to size."""
    return " ".join(f"{size * (2.0 * fraction(number * 3 + k, salt) - 1.0):.6g}" for k in range(3))


def turn(number, salt):
    """Return an rpy as CAD writes it: quarter turns with noise, and every fifth one tilted by 10 degrees."""
    quarters = int(4.0 * fraction(number, salt)) - 1
    return f"{'0.174533' if number % 5 == 0 else '1.1e-17'} 0 {quarters * 1.5707963:.6g}"


# The runs.


def earlier_release(folder):
    """Write the single file of the last release to a folder and return its path; None where git has it not."""
    shown = subprocess.run(
        ["git", "show", f"{LAST_RELEASE}:{SINGLE_FILE.name}"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if shown.returncode:
        print(
            f"the last release, {LAST_RELEASE}, is not in the history of this checkout: nothing to compare with",
            file=sys.stderr,
        )
        return None
    path = os.path.join(folder, "last_release.py")
    with open(path, "wb") as stream:
        stream.write(shown.stdout)
    return path


def loads_yourdfpy():
    """Return the command that loads the humanoid with yourdfpy, or None where BENCH_PYTHON has it not."""
    python = os.environ.get("BENCH_PYTHON", sys.executable)
    is_there = (
        subprocess.run(
            [python, "-c", "import yourdfpy"], capture_output=True, check=False
        ).returncode
        == 0
    )
    program = f"import yourdfpy; yourdfpy.URDF.load({str(HUMANOID)!r}, load_meshes=False, build_scene_graph=False)"
    return (python, "-c", program) if is_there else None


def bench(rounds):
    """Measure the runs on URDF files, beside the last release in the same rounds, and print table and verdicts.

    Raises:
        RuntimeError: a run failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        # Compiled modules are kept as for a user, but not in the checkout.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
        output = os.path.join(folder, "output.urdf")
        earlier = earlier_release(folder)
        tools = {
            "": (sys.executable, str(SINGLE_FILE)),
            INSTALLED: (sys.executable, "-m", "urdf_tools"),
        }
        if earlier:
            tools[EARLIER] = (sys.executable, earlier)
        cases = [
            Case(f"--version{which}", (*tool, "--version"), rounds) for which, tool in tools.items()
        ]
        cases += [
            Case(f"humanoid{which}", (*tool, str(HUMANOID), "-o", output, "--yes"), rounds)
            for which, tool in tools.items()
        ]
        other = loads_yourdfpy()
        if other:
            cases.append(Case(YOURDFPY, other, rounds))
        path = os.path.join(folder, "linted.urdf")
        with open(path, "w", encoding="utf-8") as stream:
            stream.writelines(robot_lines(LINTED, "chain"))
        baseline = os.path.join(folder, "baseline.json")  # exit 0, whatever is found
        cases.append(
            Case(
                f"lint, {LINTED} links",
                (*tools[INSTALLED], "lint", path, "--baseline", baseline, "--update-baseline"),
                rounds,
            )
        )
        for links in (SMALL, LARGE):
            for shape in SHAPES:
                path = os.path.join(folder, f"{shape}_{links}.urdf")
                with open(path, "w", encoding="utf-8") as stream:
                    stream.writelines(robot_lines(links, shape))
                cases += [
                    Case(
                        _case_name(shape, links) + which,
                        (*tool, path, "-o", output, "--yes"),
                        max(3, rounds * SMALL // links // 2),
                    )
                    for which, tool in tools.items()
                    if which == "" or which == EARLIER and links == LARGE
                ]
        figures = measured(cases)
    print_table(
        "URDF: urdf_simplify.py, the package compiled as pip installs it, the last release (medians)",
        figures,
    )
    verdict(
        "humanoid, installed, in bare starts", figures["humanoid" + INSTALLED].starts, MOST_STARTS
    )
    verdict(f"lint of {LINTED} links [s]", figures[f"lint, {LINTED} links"].seconds, MOST_LINT)
    if other:
        verdict(
            "humanoid, installed, over yourdfpy's loading",
            figures["humanoid" + INSTALLED].seconds / figures[YOURDFPY].seconds,
            MOST_OF_YOURDFPY,
        )
    if earlier:
        verdict(
            "--version over the last release",
            figures["--version"].seconds / figures["--version" + EARLIER].seconds,
            1.0,
        )
    for shape in SHAPES:
        small, large = figures[_case_name(shape, SMALL)], figures[_case_name(shape, LARGE)]
        verdict(
            f"{shape}, time of {LARGE:,} links over {SMALL:,}",
            large.seconds / small.seconds,
            MOST_GROWTH,
        )
        verdict(
            f"{shape}, memory of {LARGE:,} links over {SMALL:,}",
            large.megabytes / small.megabytes,
            MOST_GROWTH,
        )
        verdict(f"{shape}, memory of {LARGE:,} links [MB]", large.megabytes, MOST_MEGABYTES)
        if earlier:
            verdict(
                f"{shape}, time of {LARGE:,} links over the last release",
                large.seconds / figures[_case_name(shape, LARGE) + EARLIER].seconds,
                MOST_OF_EARLIER,
            )


def _case_name(shape, links):
    return f"{shape}, {links:,} links"


def main():
    """Run the command line; return 1 if a run failed, and else 0, whatever the verdicts."""
    parser = argparse.ArgumentParser(
        description="Time and peak memory of whole runs beside a bare start of Python."
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=11,
        metavar="N",
        help="runs on the humanoid (default: 11); larger robots are run less often",
    )
    arguments = parser.parse_args()
    try:
        bench(max(1, arguments.rounds))
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    further = [
        subprocess.run([sys.executable, str(path)], check=False).returncode
        for path in FURTHER
        if path.exists()
    ]
    return 1 if any(further) else 0


if __name__ == "__main__":
    sys.exit(main())
