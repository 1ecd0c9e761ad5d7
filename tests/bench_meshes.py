"""Time and memory of conversions between mesh formats, beside the way from COLLADA to STL and beside trimesh.

    python3 tests/bench_meshes.py [--runs N] [--size small|large] [--peers PYTHON]

Each conversion is a whole process; the commands of a row run in turn, several times over, and the figures are medians.
Peers: trimesh, in the environment of the Python that `--peers` (or BENCH_PYTHON) names. Real files join in where
BENCH_MESHES names a folder of `.dae` files. An aim is compared with what was measured, and nothing depends on it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Sequence

import bench_dae
from bench_dae import Contest

ROOT = Path(__file__).resolve().parent.parent
TRIMESH_JOB = "import sys, trimesh; trimesh.load(sys.argv[1], process=False, force='mesh').export(sys.argv[2])"
SIZES = {"small": ("50 thousand, 2 inputs", "100 thousand, 3 inputs"), "large": ("a million, 2 inputs",)}
OWN_AIMS = {"obj": 1.6, "glb": 1.2}  # beside COLLADA to STL
PEER_AIMS = {"small": 0.6, "large": 1.5}  # beside trimesh, from OBJ or GLB to STL


def convert(source: str, kind: str, folder: str) -> List[str]:
    """The command that converts one model with this tool."""
    extra = ["--mesh-format", kind] if kind != "dae-stl" else []  # that is the command without other formats
    return [sys.executable, "-m", "urdf_tools", source, *extra, "-o", folder, "--force"]


def from_collada(path: str, folder: str, title: str) -> Contest:
    """One COLLADA file to each format, with the way to STL as the peer."""
    ours = {f"to {kind}": (convert(path, kind, folder), aim) for kind, aim in OWN_AIMS.items()}
    return Contest(title, ours, {bench_dae.JUDGED[1]: convert(path, "dae-stl", folder)})


def to_stl(path: str, folder: str, peers: str, aim: float) -> Contest:
    """One OBJ or GLB file to STL, with trimesh as the peer."""
    others: Dict[str, List[str]] = {"bare python": [sys.executable, "-c", "pass"]}
    if peers:
        others["trimesh"] = [peers, "-c", TRIMESH_JOB, path, os.path.join(folder, "peer.stl")]
    title = f"{os.path.basename(path)} ({os.path.getsize(path) / 1e6:.1f} MB) to STL"
    return Contest(title, {"ours": (convert(path, "stl", folder), aim)}, others)


def largest(folder: str, ending: str) -> str:
    """The largest file of a folder with that ending."""
    return str(max(Path(folder).glob(f"*{ending}"), key=lambda path: path.stat().st_size))


def main(words: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--size", choices=tuple(SIZES), default="small")
    parser.add_argument("--peers", default=os.environ.get("BENCH_PYTHON", ""), metavar="PYTHON")
    arguments = parser.parse_args(words or None)
    peers = arguments.peers
    if not peers or subprocess.run([peers, "-c", "import trimesh"], stderr=subprocess.DEVNULL).returncode:
        print("trimesh is not compared: name a Python that has it with --peers or BENCH_PYTHON")
        peers = ""
    real = sorted(Path(os.environ["BENCH_MESHES"]).glob("**/*.dae")) if os.environ.get("BENCH_MESHES") else []
    with tempfile.TemporaryDirectory() as folder:
        models = []
        for name in SIZES[arguments.size]:
            path = os.path.join(folder, f"{name.replace(' ', '_').replace(',', '')}.dae")
            bench_dae.make_in_process(name, path)
            models.append((name, path))
        for name, path in [*models, *((path.name, str(path)) for path in real)]:
            output = os.path.join(folder, "out")
            bench_dae.compare(from_collada(path, output, name), arguments.runs)
            for ending in (".obj", ".glb"):
                contest = to_stl(largest(output, ending), output, peers, PEER_AIMS[arguments.size])
                bench_dae.compare(contest, arguments.runs)


if __name__ == "__main__":
    main()
