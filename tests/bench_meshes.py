"""Processor time and memory of conversions between mesh formats, beside the way from COLLADA to STL and beside trimesh.

    python3 tests/bench_meshes.py [--runs N] [--size small|large] [--peers PYTHON]

Each conversion is a whole process.  The commands of a row run in turn, several times over; what counts is the least
processor time of each, which other work on the machine disturbs least, and the highest peak of memory.
Peer: trimesh, in the environment of the Python that `--peers` (or BENCH_PYTHON) names.  Files are made here, in the
sizes of SIZES; real ones join in where BENCH_MESHES names a folder: the largest of each format.  Aims are compared with
what was measured, and nothing depends on it.

Real COLLADA files cost more than these on their way to OBJ and glTF.  Measured on 300: at 92 percent of their corners
the normal has a number of its own (here it is that of the point), and two thirds of their corners are in parts of which
hardly two corners are alike, so that glTF has as many vertices as corners.  Several materials share the points of one
mesh, and several meshes one material.
"""

import argparse
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path
from typing import NamedTuple, Tuple

import bench_dae
from bench import run_once

TRIMESH_JOB = "import sys, trimesh; trimesh.load(sys.argv[1], process=False, force='mesh').export(sys.argv[2])"
SIZES = {"small": (0.2, 1.0, 7.0), "large": (50.0,)}  # [MB]
BYTES_OF_TRIANGLE = {
    ".dae": 66,
    ".obj": 69,
    ".glb": 23,
    ".stl": 215,
}  # in the files that are made here
MOST_OF_DAE_TO_STL = {"obj": 1.6, "glb": 1.2}
MOST_OF_TRIMESH = (
    (10.0, 0.6),
    (math.inf, 1.5),
)  # by the size [MB]; numpy wins when files are large
MOST_MEMORY_OF_TRIMESH = 0.5
REAL_FILES_OF_A_FORMAT = 3

Corners = Tuple[int, int, int]


class Aim(NamedTuple):
    """That one command takes at most this part of the processor time, or of the memory, of another."""

    ours: str
    peer: str
    what: str
    most: float


class Grid(NamedTuple):
    """A wavy torus: points and normals, three numbers each, and three numbers of points for each triangle."""

    points: "array[float]"
    normals: "array[float]"
    corners: "array[int]"

    def triangles(self):
        ones = iter(self.corners)
        return zip(ones, ones, ones)


def grid_of(triangles):
    """Make a torus of about that many triangles."""
    rows = int(math.sqrt(triangles / 2))
    columns = triangles // (2 * rows)
    grid = Grid(array("f"), array("f"), array("I"))
    for i in range(rows + 1):
        for j in range(columns + 1):
            u, v = 6.28 * i / rows, 6.28 * j / columns
            wide = 1 + 0.3 * math.cos(v)
            grid.points.extend(
                (
                    math.cos(u) * wide,
                    math.sin(u) * wide,
                    0.3 * math.sin(v) + 0.01 * math.sin(40 * u),
                )
            )
            grid.normals.extend((math.cos(u) * math.cos(v), math.sin(u) * math.cos(v), math.sin(v)))
    for i in range(rows):
        for a in range(i * (columns + 1), i * (columns + 1) + columns):
            grid.corners.extend((a, a + columns + 1, a + columns + 2, a, a + columns + 2, a + 1))
    return grid


def write_obj(path, grid):
    with open(path, "w", encoding="ascii") as stream:
        for key, digits, values in (("v", 6, grid.points), ("vn", 4, grid.normals)):
            line = f"{key} %.{digits}f %.{digits}f %.{digits}f\n"
            stream.writelines(
                line % tuple(values[start : start + 3]) for start in range(0, len(values), 3)
            )
        stream.writelines(
            f"f {a + 1}//{a + 1} {b + 1}//{b + 1} {c + 1}//{c + 1}\n"
            for a, b, c in grid.triangles()
        )


def write_ascii_stl(path, grid):
    columns = (grid.points[axis::3] for axis in range(3))
    texts = [f"      vertex {x:.6e} {y:.6e} {z:.6e}\n" for x, y, z in zip(*columns)]
    with open(path, "w", encoding="ascii") as stream:
        stream.write("solid torus\n")
        for a, b, c in grid.triangles():
            stream.write("  facet normal 0 0 1\n    outer loop\n")
            stream.write(f"{texts[a]}{texts[b]}{texts[c]}    endloop\n  endfacet\n")
        stream.write("endsolid torus\n")


def write_glb(path, grid):
    data = [values.tobytes() for values in grid]
    starts = [0, len(data[0]), 2 * len(data[0])]
    count = len(grid.points) // 3
    columns = [grid.points[axis::3] for axis in range(3)]
    text = json.dumps(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [
                {"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2}]}
            ],
            "accessors": [
                {
                    "bufferView": 0,
                    "componentType": 5126,
                    "count": count,
                    "type": "VEC3",
                    "min": [*map(min, columns)],
                    "max": [*map(max, columns)],
                },
                {"bufferView": 1, "componentType": 5126, "count": count, "type": "VEC3"},
                {
                    "bufferView": 2,
                    "componentType": 5125,
                    "count": len(grid.corners),
                    "type": "SCALAR",
                },
            ],
            "bufferViews": [
                {"buffer": 0, "byteOffset": start, "byteLength": len(x)}
                for start, x in zip(starts, data)
            ],
            "buffers": [{"byteLength": sum(map(len, data))}],
        }
    ).encode("ascii")
    text += b" " * (-len(text) % 4)
    size = sum(map(len, data))
    with open(path, "wb") as stream:
        stream.write(
            struct.pack("<4sIII4s", b"glTF", 2, 28 + len(text) + size, len(text), b"JSON") + text
        )
        stream.write(struct.pack("<I4s", size, b"BIN\0"))
        stream.writelines(data)


WRITERS = {".obj": write_obj, ".glb": write_glb, ".stl": write_ascii_stl}


def make(ending, megabytes, folder):
    """Make a file of about that size."""
    path = os.path.join(folder, f"{megabytes:g}MB{ending}")
    triangles = int(1e6 * megabytes / BYTES_OF_TRIANGLE[ending])
    if ending == ".dae":
        Path(path).write_text(
            bench_dae.surface(bench_dae.Input("", triangles, 2, 6, 0.0)), encoding="ascii"
        )
    else:
        WRITERS[ending](path, grid_of(triangles))
    return path


def convert(source, kind, folder):
    """The command that converts one model with this tool; from COLLADA to STL it is the one without other formats."""
    extra = [] if source.lower().endswith(".dae") and kind == "stl" else ["--mesh-format", kind]
    return [sys.executable, "-m", "urdf_tools", "export", source, folder, *extra, "--force"]


def compare(path, folder, peers, runs):
    """Convert one file to each format that there is an aim for; print what was measured; return which aims were met."""
    megabytes = os.path.getsize(path) / 1e6
    is_dae = path.lower().endswith(".dae")
    kinds = ("stl", "obj", "glb") if is_dae else ("stl",)
    commands = {f"to {kind}": convert(path, kind, folder) for kind in kinds}
    aims = [
        Aim(f"to {kind}", "to stl", "processor time", most)
        for kind, most in MOST_OF_DAE_TO_STL.items()
        if is_dae
    ]
    if peers:
        commands["trimesh"] = [peers, "-c", TRIMESH_JOB, path, os.path.join(folder, "peer.stl")]
        most = (
            bench_dae.aim_for(os.path.getsize(path))
            if is_dae
            else next(most for size, most in MOST_OF_TRIMESH if megabytes <= size)
        )
        aims.append(Aim("to stl", "trimesh", "processor time", most))
        aims += [
            Aim(name, "trimesh", "memory", MOST_MEMORY_OF_TRIMESH)
            for name in commands
            if name != "trimesh"
        ]
    done = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            run = run_once(command)
            if turn:  # the first turn warms up
                done[name].append(run)
    figures = {
        "processor time": {
            name: min(run.processor for run in measured) for name, measured in done.items()
        },
        "memory": {name: max(run.megabytes for run in measured) for name, measured in done.items()},
    }
    print(f"{os.path.basename(path)} ({megabytes:.1f} MB)")
    for name in commands:
        print(
            f"    {name:8} {figures['processor time'][name]:8.3f} s {figures['memory'][name]:7.0f} MB"
        )
    met = []
    for ours, peer, what, most in aims:
        part = figures[what][ours] / figures[what][peer]
        met.append(part <= most)
        verdict = "PASS" if met[-1] else "FAIL"
        print(
            f"    {verdict}  {ours}: {part:.2f} of the {what} of '{peer}', aim {most}", flush=True
        )
    return met


def real_files(folder):
    """The largest files of each format in a folder."""
    files = sorted(
        (path for path in Path(folder).rglob("*") if path.is_file()),
        key=lambda path: -path.stat().st_size,
    )
    return [
        str(path)
        for ending in BYTES_OF_TRIANGLE
        for path in [path for path in files if path.suffix.lower() == ending][
            :REAL_FILES_OF_A_FORMAT
        ]
    ]


def main(words=()):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--size", choices=tuple(SIZES), default="small")
    parser.add_argument("--peers", default=os.environ.get("BENCH_PYTHON", ""), metavar="PYTHON")
    arguments = parser.parse_args(words or None)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what users start has been compiled
    peers = arguments.peers
    if (
        not peers
        or subprocess.run(
            [peers, "-c", "import trimesh, collada"], stderr=subprocess.DEVNULL
        ).returncode
    ):
        print(
            "trimesh is not compared: name a Python that has it, and pycollada, with --peers or BENCH_PYTHON"
        )
        peers = ""
    met = []
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out")
        os.mkdir(output)
        for megabytes in SIZES[arguments.size]:
            for ending in BYTES_OF_TRIANGLE:
                path = make(ending, megabytes, folder)
                met += compare(path, output, peers, arguments.runs)
                os.remove(path)
        for path in (
            real_files(os.environ["BENCH_MESHES"]) if os.environ.get("BENCH_MESHES") else []
        ):
            met += compare(path, output, peers, arguments.runs)
    print(f"{sum(met)} of {len(met)} aims are met")


if __name__ == "__main__":
    main()
