"""Time and memory of whole COLLADA conversions beside a bare Python and, where they are installed, its peers.

    python3 tests/bench_dae.py [--runs N] [--size small|large] [--peers PYTHON] [file.dae ...]

Each input is read by every command in turn, several times over; the figures are medians of whole processes, and ratios
of those medians.  Peers: trimesh with pycollada, in the environment of the Python that `--peers` (or BENCH_PYTHON)
names, and `assimp export`.  Inputs are made in a temporary folder, or given by name.
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
from typing import Dict, List, NamedTuple, Sequence

from dae_writer import bind, diffuse, document, effect, material, node

ROOT = Path(__file__).resolve().parent.parent
TRIMESH_JOB = """
import os, sys, trimesh
for number, mesh in enumerate(trimesh.load_scene(sys.argv[1], process=False).dump()):
    mesh.export(os.path.join(sys.argv[2], f"{number}.stl"))
"""


class Figure(NamedTuple):
    """One whole process: seconds, processor seconds, MB at the peak."""

    wall: float
    cpu: float
    memory: float


class Input(NamedTuple):
    """A made-up file: triangles, inputs for each corner, digits after the point."""

    name: str
    triangles: int
    inputs: int
    digits: int


SMALL = [Input("3 thousand, 2 inputs", 3_000, 2, 6), Input("100 thousand, 3 inputs", 100_000, 3, 6)]
LARGE = [
    Input("a million, 1 input", 1_000_000, 1, 6),
    Input("a million, 2 inputs", 1_000_000, 2, 9),
    Input("a million, 3 inputs", 1_000_000, 3, 6),
]


def surface(made: Input) -> str:
    """A wavy torus as a COLLADA file with positions and, as asked for, normals and texture coordinates."""
    rows = int(math.sqrt(made.triangles / 2))
    columns = made.triangles // (2 * rows)
    form = f"%.{made.digits}f"
    positions: List[str] = []
    normals: List[str] = []
    for i in range(rows + 1):
        for j in range(columns + 1):
            u, v = 6.28 * i / rows, 6.28 * j / columns
            wide = 1 + 0.3 * math.cos(v)
            positions += (
                form % (math.cos(u) * wide),
                form % (math.sin(u) * wide),
                form % (0.3 * math.sin(v) + 0.01 * math.sin(40 * u)),
            )
            normals += (form % (math.cos(u) * math.cos(v)), form % (math.sin(u) * math.cos(v)), form % math.sin(v))
    arrays = [("p", positions, "XYZ"), ("n", normals, "XYZ"), ("t", positions, "STP")][: made.inputs]
    sources = "".join(
        f'<source id="{name}"><float_array id="{name}a" count="{len(numbers)}">{" ".join(numbers)}</float_array>'
        f'<technique_common><accessor source="#{name}a" count="{len(numbers) // 3}" stride="3">'
        + "".join(f'<param name="{axis}" type="float"/>' for axis in axes)
        + "</accessor></technique_common></source>"
        for name, numbers, axes in arrays
    )
    reads = '<input semantic="VERTEX" source="#v" offset="0"/>' + "".join(
        f'<input semantic="{semantic}" source="#{name}" offset="{place}"/>'
        for place, (semantic, name) in enumerate([("NORMAL", "n"), ("TEXCOORD", "t")][: made.inputs - 1], start=1)
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


def measure(command: Sequence[str]) -> Figure:
    """Run a command once, its output thrown away."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT, env=environment)
    assert running.stderr is not None
    complaint = running.stderr.read()
    _, status, usage = os.wait4(running.pid, 0)
    wall = time.perf_counter() - start
    running.returncode = os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status
    running.stderr.close()
    if running.returncode:
        raise SystemExit(f"{' '.join(command[:4])} ... failed: {complaint.decode(errors='replace')[-500:]}")
    return Figure(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def commands_for(peers: str, path: str, folder: str) -> Dict[str, List[str]]:
    """Return the commands to compare on one file, by name."""
    commands = {
        "bare python": [sys.executable, "-c", "pass"],
        "ours": [sys.executable, "-m", "urdf_tools.extract_dae_meshes", path, "-o", folder],
    }
    if peers:
        commands["trimesh"] = [peers, "-c", TRIMESH_JOB, path, folder]
    if shutil.which("assimp"):
        commands["assimp"] = ["assimp", "export", path, os.path.join(folder, "assimp.stl"), "-fstlb"]
    return commands


def compare(title: str, path: str, runs: int, peers: str) -> None:
    """Print one row: seconds and MB of each command, and what ours takes relative to the others."""
    with tempfile.TemporaryDirectory() as folder:
        commands = commands_for(peers, path, folder)
        figures: Dict[str, List[Figure]] = {name: [] for name in commands}
        for turn in range(runs + 1):
            for name, command in commands.items():
                figure = measure(command)
                if turn:  # the first turn warms up
                    figures[name].append(figure)

    def pick(name: str, field: int) -> float:
        return statistics.median(f[field] for f in figures[name])

    print(f"{title} ({os.path.getsize(path) / 1e6:.1f} MB)")
    for name in commands:
        line = f"    {name:12} {pick(name, 0):7.3f} s  cpu {pick(name, 1):7.3f} s  {pick(name, 2):6.0f} MB"
        if name != "ours":
            wall, cpu, memory = (pick("ours", field) / pick(name, field) for field in range(3))
            line += f"   ours takes {wall:5.2f} of its time, {cpu:5.2f} of its cpu, {memory:5.2f} of its memory"
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", choices=("small", "large"), default="small")
    parser.add_argument("--peers", default=os.environ.get("BENCH_PYTHON", ""), metavar="PYTHON")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--make", choices=[made.name for made in SMALL + LARGE], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.make:
        made = next(made for made in SMALL + LARGE if made.name == arguments.make)
        Path(arguments.files[0]).write_text(surface(made), encoding="utf-8")
        return
    peers = arguments.peers
    if not peers or subprocess.run([peers, "-c", "import trimesh, collada"], stderr=subprocess.DEVNULL).returncode:
        print("trimesh with pycollada is not compared: name a Python that has them with --peers or BENCH_PYTHON")
        peers = ""
    if not shutil.which("assimp"):
        print("assimp is not compared: it is not installed")
    for path in arguments.files:
        compare(os.path.basename(path), os.path.abspath(path), arguments.runs, peers)
    if not arguments.files:
        with tempfile.TemporaryDirectory() as folder:
            for made in SMALL + (LARGE if arguments.size == "large" else []):
                path = Path(folder, "model.dae")
                # In a process of its own: a child's peak of memory counts what its parent held at the start.
                subprocess.run([sys.executable, __file__, "--make", made.name, str(path)], check=True)
                compare(made.name, str(path), arguments.runs, peers)


if __name__ == "__main__":
    main()
