"""Time and memory of whole COLLADA conversions beside a bare Python and, where they are installed, its peers.

    python3 tests/bench_dae.py [--runs N] [--size small|large] [--peers PYTHON] [file.dae ...]

Each input is read by every command in turn, several times over; the figures are medians of whole processes, and ratios
of those medians.  Peers: trimesh with pycollada, in the environment of the Python that `--peers` (or BENCH_PYTHON)
names, and `assimp export`.  Inputs are made in a temporary folder, or given by name.  An aim is the part of the time of
trimesh that we mean to stay below; it is compared with what was measured, and nothing depends on it.
"""

import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

from dae_writer import bind, diffuse, document, effect, material, node

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from engine import PROCESS  # noqa: E402

JUDGED = "trimesh"  # the peer that aims are for
TRIMESH_JOB = """
import os, sys, trimesh
folder, *paths = sys.argv[1:]
for file, path in enumerate(paths):
    for number, mesh in enumerate(trimesh.load_scene(path, process=False).dump()):
        mesh.export(os.path.join(folder, f"{file}_{number}.stl"))
"""


class Figure(NamedTuple):
    """One whole process: seconds, processor seconds, MB at the peak."""

    wall: float
    cpu: float
    memory: float


class Input(NamedTuple):
    """A made-up file: triangles, inputs for each corner, digits after the point, the aim."""

    name: str
    triangles: int
    inputs: int
    digits: int
    aim: float


SMALL = [
    Input("3 thousand, 2 inputs", 3_000, 2, 6, 0.18),
    Input("50 thousand, 2 inputs", 50_000, 2, 6, 0.33),
    Input("100 thousand, 3 inputs", 100_000, 3, 6, 0.33),
]
LARGE = [
    Input("300 thousand, 2 inputs", 300_000, 2, 6, 0.42),
    Input("a million, 1 input", 1_000_000, 1, 6, 0.65),
    Input("a million, 2 inputs", 1_000_000, 2, 9, 0.50),
    Input("a million, 3 inputs", 1_000_000, 3, 6, 0.50),
]
ROBOT = Input("a part of a robot", 50_000, 3, 6, 0.45)
ROBOT_FILES, AIM_OF_TWO = 17, 0.27


def surface(made):
    """A wavy torus as a COLLADA file with positions and, as asked for, normals and texture coordinates."""
    rows = int(math.sqrt(made.triangles / 2))
    columns = made.triangles // (2 * rows)
    form = f"%.{made.digits}f"
    positions = []
    normals = []
    for i in range(rows + 1):
        for j in range(columns + 1):
            u, v = 6.28 * i / rows, 6.28 * j / columns
            wide = 1 + 0.3 * math.cos(v)
            positions += (
                form % (math.cos(u) * wide),
                form % (math.sin(u) * wide),
                form % (0.3 * math.sin(v) + 0.01 * math.sin(40 * u)),
            )
            normals += (
                form % (math.cos(u) * math.cos(v)),
                form % (math.sin(u) * math.cos(v)),
                form % math.sin(v),
            )
    arrays = [("p", positions, "XYZ"), ("n", normals, "XYZ"), ("t", positions, "STP")][
        : made.inputs
    ]
    sources = "".join(
        f'<source id="{name}"><float_array id="{name}a" count="{len(numbers)}">{" ".join(numbers)}</float_array>'
        f'<technique_common><accessor source="#{name}a" count="{len(numbers) // 3}" stride="3">'
        + "".join(f'<param name="{axis}" type="float"/>' for axis in axes)
        + "</accessor></technique_common></source>"
        for name, numbers, axes in arrays
    )
    reads = '<input semantic="VERTEX" source="#v" offset="0"/>' + "".join(
        f'<input semantic="{semantic}" source="#{name}" offset="{offset}"/>'
        for offset, (semantic, name) in enumerate(
            [("NORMAL", "n"), ("TEXCOORD", "t")][: made.inputs - 1], start=1
        )
    )
    corners = (
        k
        for i in range(rows)
        for j in range(columns)
        for a in [i * (columns + 1) + j]
        for k in (a, a + columns + 1, a + columns + 2, a, a + columns + 2, a + 1)
    )
    indices = " ".join(" ".join([str(k)] * made.inputs) for k in corners)
    mesh = (
        f'<geometry id="g"><mesh>{sources}<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        f'<triangles count="{2 * rows * columns}" material="slot">{reads}<p>{indices}</p></triangles></mesh></geometry>'
    )
    return document(
        mesh,
        node(f'<instance_geometry url="#g">{bind({"slot": "paint"})}</instance_geometry>'),
        effect("paint-effect", diffuse((1, 0, 0, 1))),
        material("paint"),
    )


def measure(command):
    """Run a command once, its output thrown away."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    start = time.perf_counter()
    running = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT, env=environment
    )
    assert running.stderr is not None
    complaint = running.stderr.read()
    _, status, usage = os.wait4(running.pid, 0)
    wall = time.perf_counter() - start
    running.returncode = (
        os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status
    )
    running.stderr.close()
    if running.returncode:
        raise SystemExit(
            f"{' '.join(command[:4])} ... failed: {complaint.decode(errors='replace')[-500:]}"
        )
    return Figure(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


class Contest(NamedTuple):
    """Commands to compare: `ours` by name with the aim of each, and the others."""

    title: str
    ours: Dict[str, Tuple[List[str], float]]
    peers: Dict[str, List[str]]


def file_contest(title, path, folder, peers, aim):
    """One COLLADA file without a robot around it."""
    others = {"bare python": [sys.executable, "-c", "pass"]}
    if peers:
        others["trimesh"] = [peers, "-c", TRIMESH_JOB, folder, path]
    if shutil.which("assimp"):
        others["assimp"] = ["assimp", "export", path, os.path.join(folder, "assimp.stl"), "-fstlb"]
    ours = [sys.executable, "-m", "urdf_tools.extract_dae_meshes", path, "-o", folder]
    return Contest(f"{title} ({os.path.getsize(path) / 1e6:.1f} MB)", {"ours": (ours, aim)}, others)


def robot_contest(folder, peers):
    """A robot whose every link shows a file of its own, with one process and with two."""
    paths = [os.path.join(folder, f"part_{number}.dae") for number in range(ROBOT_FILES)]
    make_in_process(ROBOT.name, paths[0])
    for path in paths[1:]:
        shutil.copy(paths[0], path)
    links = [
        f'<link name="l{number}"><visual><geometry><mesh filename="{os.path.basename(path)}"/></geometry></visual>'
        "</link>"
        for number, path in enumerate(paths)
    ]
    joints = [
        f'<joint name="j{number}" type="revolute"><parent link="l{number - 1}"/><child link="l{number}"/>'
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for number in range(1, ROBOT_FILES)
    ]
    robot = Path(folder, "robot.urdf")
    robot.write_text(
        "<robot name='r'>\n" + "\n".join([*links, *joints]) + "\n</robot>\n", encoding="utf-8"
    )
    ours = {
        f"ours, {jobs} processes" if jobs > 1 else "ours": (
            [
                *PROCESS,
                str(robot),
                "-o",
                os.path.join(folder, f"out_{jobs}.urdf"),
                "--yes",
                "--separate-dae-meshes",
                "--jobs",
                str(jobs),
            ],
            aim,
        )
        for jobs, aim in ((1, ROBOT.aim), (2, AIM_OF_TWO))
    }
    size = sum(map(os.path.getsize, paths)) / 1e6
    return Contest(
        f"a robot of {ROBOT_FILES} files ({size:.1f} MB)",
        ours,
        {"trimesh": [peers, "-c", TRIMESH_JOB, folder, *paths]} if peers else {},
    )


def make_in_process(name, path):
    """Make an input in a process of its own: a child's peak of memory counts what its parent held at the start."""
    subprocess.run([sys.executable, __file__, "--make", name, path], check=True)


def compare(contest, runs):
    """Print one row for each command: seconds and MB, and what ours takes relative to it."""
    commands = {**{name: command for name, (command, _) in contest.ours.items()}, **contest.peers}
    figures = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            figure = measure(command)
            if turn:  # the first turn warms up
                figures[name].append(figure)

    def pick(name, field):
        return statistics.median(f[field] for f in figures[name])

    print(contest.title)
    for name in commands:
        print(
            f"    {name:18} {pick(name, 0):7.3f} s  cpu {pick(name, 1):7.3f} s  {pick(name, 2):6.0f} MB"
        )
    for name, (_, aim) in contest.ours.items():
        for peer in contest.peers:
            wall, cpu, memory = (pick(name, field) / pick(peer, field) for field in range(3))
            verdict = f"; aim {aim}: {'met' if wall <= aim else 'MISSED'}" if peer == JUDGED else ""
            print(
                f"    {name} beside {peer}: {wall:.2f} of its time, {cpu:.2f} of its cpu, {memory:.2f} of its memory"
                f"{verdict}",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", choices=("small", "large"), default="small")
    parser.add_argument("--peers", default=os.environ.get("BENCH_PYTHON", ""), metavar="PYTHON")
    parser.add_argument("files", nargs="*")
    inputs = {made.name: made for made in [*SMALL, *LARGE, ROBOT]}
    parser.add_argument("--make", choices=list(inputs), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.make:
        Path(arguments.files[0]).write_text(surface(inputs[arguments.make]), encoding="utf-8")
        return
    peers = arguments.peers
    if (
        not peers
        or subprocess.run(
            [peers, "-c", "import trimesh, collada"], stderr=subprocess.DEVNULL
        ).returncode
    ):
        print(
            "trimesh with pycollada is not compared: name a Python that has them with --peers or BENCH_PYTHON"
        )
        peers = ""
    if not shutil.which("assimp"):
        print("assimp is not compared: it is not installed")
    for path in arguments.files:
        with tempfile.TemporaryDirectory() as folder:
            aim = aim_for(os.path.getsize(path))
            compare(
                file_contest(os.path.basename(path), os.path.abspath(path), folder, peers, aim),
                arguments.runs,
            )
    if arguments.files:
        return
    for made in SMALL + (LARGE if arguments.size == "large" else []):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.dae")
            make_in_process(made.name, path)
            compare(file_contest(made.name, path, folder, peers, made.aim), arguments.runs)
    if arguments.size == "large":
        with tempfile.TemporaryDirectory() as folder:
            compare(robot_contest(folder, peers), arguments.runs)


def aim_for(size):
    """Return the aim for a file of a size in bytes."""
    return next(
        aim
        for most, aim in ((1e6, 0.18), (12e6, 0.33), (40e6, 0.42), (math.inf, 0.50))
        if size <= most
    )


if __name__ == "__main__":
    main()
