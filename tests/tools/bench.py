#!/usr/bin/env python3
"""Processor time of this checkout beside the last release, and of larger jobs beside smaller ones: `make bench`.

    python3 tests/tools/bench.py [JOB ...] [--rounds N] [--most RATIO]

Each job is two whole processes that run in turn, both from compiled modules. The least time of the rounds counts, since
other work on the machine only ever adds, and their ratio is held to a limit: seconds of two days are never compared.
Robots and meshes are made of arithmetic, the same on every Python; three real ones join in where they are beside the
project. Exit status 1 if a ratio is above its limit. Needs a POSIX system, whose peak of memory is at least that of this
program, which started the other.
"""

from collections import namedtuple
import argparse
import compileall
import math
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REAL_ROBOTS = ROOT.parent / "shared" / "robots"
LAST_RELEASE = "2cf82366"  # the commit of which 0.2.0 was built
TALOS = "{real}/talos_full_v2.urdf"
V1 = "{real}/robot_v1.urdf"
HUMANOID = "{root}/fixtures/humanoid/robot.urdf"
RUN = "{new} %s -y -q --force -o {out}/out.urdf"
EXPORT = "{new} export %s -y -q --force {out}/out"
# Robots whose links hang one on the other by moving joints, by fixed ones, or four on each.
SHAPES = ("chain", "fixed_chain", "bush")
EXPORTED = {"": HUMANOID, ", talos": TALOS, ", robot_v1": V1}


class Job(namedtuple("Job", "most beside command")):
    """A command, the one that it is measured beside, and the most of its time that it may take."""


def since_release(most, words, earlier=""):
    """Return a job that the last release did as well, which it spelled otherwise where that is given."""
    return Job(most, "{old} " + (earlier or words), "{new} " + words)


JOBS = {
    "help": since_release(0.90, "-h"),
    "dry run": since_release(0.90, f"{HUMANOID} -n"),
    "dry run, robot_v1": since_release(0.90, f"{V1} -n"),
    "written": since_release(0.90, f"{HUMANOID} -y -q --force -o {{out}}/out.urdf"),
    "written, talos": since_release(0.90, f"{TALOS} -y -q --force -o {{out}}/out.urdf"),
    "lint": since_release(1.00, f"lint {HUMANOID}", f"--lint {HUMANOID}"),
    "lint, talos": since_release(1.00, f"lint {TALOS}", f"--lint {TALOS}"),
    "lint, robot_v1": since_release(1.00, f"lint {V1}", f"--lint {V1}"),
    "compare": since_release(
        1.00, f"compare {HUMANOID} {HUMANOID}", f"{HUMANOID} --compare {HUMANOID}"
    ),
    "compare, talos": since_release(1.00, f"compare {TALOS} {TALOS}", f"{TALOS} --compare {TALOS}"),
    "compare, two robots": since_release(1.00, f"compare {V1} {TALOS}", f"{V1} --compare {TALOS}"),
    "MJCF": since_release(
        1.00,
        f"export {HUMANOID} {{out}}/h.xml -y -q --force",
        f"{HUMANOID} -y -q --force -o {{out}}/h.urdf --mjcf {{out}}/h.xml",
    ),
    "single file": Job(0.95, f"{{old_file}} {HUMANOID} -n", f"{{new_file}} {HUMANOID} -n"),
    "single file, robot_v1": Job(0.95, f"{{old_file}} {V1} -n", f"{{new_file}} {V1} -n"),
    # Each link takes as many instructions as any other, and the start is a twentieth of 1,000 links:
    # 9.6 times as many in all. What is above that is memory, which a larger robot finds further away.
    **{
        f"{shape}, ten times the links": Job(
            10.5,
            RUN % f"{{out}}/{shape}_1000.urdf",
            RUN % f"{{out}}/{shape}_10000.urdf",
        )
        for shape in SHAPES
    },
    **{
        f"export to {ending}, over a run{name}": Job(1.35, RUN % robot, EXPORT % robot + ending)
        for name, robot in EXPORTED.items()
        for ending in (".xml", ".sdf", ".json", ".usda", ".armature.json")
    },
    "page, over a run": Job(1.5, RUN % HUMANOID, RUN % HUMANOID + " --page {out}/out.html"),
    **{
        f"mesh to {kind}, over STL": Job(
            most,
            "{new} export {out}/wave.dae {out}/meshes --force",
            f"{{new}} export {{out}}/wave.dae {{out}}/meshes --force --mesh-format {kind}",
        )
        for kind, most in {"obj": 2.3, "glb": 1.4}.items()
    },
}


def robot_text(links, shape):
    """Return a robot of so many links in one of SHAPES."""
    parts = []
    for number in range(links):
        size = 0.05 + number % 7 * 0.01
        parts.append(
            f'<link name="link_{number}"><inertial><mass value="{size}"/>'
            '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
            f'<visual><geometry><box size="{size} 0.1 0.1"/></geometry></visual></link>'
        )
        if number:
            parent = (number - 1) // 4 if shape == "bush" else number - 1
            kind = "fixed" if number % 20 == 4 or shape == "fixed_chain" else "continuous"
            parts.append(
                f'<joint name="joint_{number}" type="{kind}"><parent link="link_{parent}"/>'
                f'<child link="link_{number}"/><origin xyz="0 {size} 0.1" rpy="1.5707963 0 {size}"/>'
                '<axis xyz="0 0 1"/></joint>'
            )
    return f'<robot name="{shape}">{"".join(parts)}</robot>'


def collada_text(rows):
    """Return a wavy square as COLLADA, of two triangles for each of its rows x rows cells."""
    points = [
        f"{i} {j} {math.sin(0.1 * i) * math.cos(0.2 * j):.6f}"
        for i in range(rows + 1)
        for j in range(rows + 1)
    ]
    corners = []
    for i in range(rows):
        for a in range(i * (rows + 1), i * (rows + 1) + rows):
            corners.append(f"{a} {a + rows + 1} {a + rows + 2} {a} {a + rows + 2} {a + 1}")
    return f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><library_geometries>
<geometry id="g"><mesh><source id="s"><float_array id="f" count="{3 * len(points)}">{" ".join(points)}</float_array>
<technique_common><accessor source="#f" count="{len(points)}" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices><triangles count="{2 * rows * rows}">
<input semantic="VERTEX" source="#v" offset="0"/><p>{" ".join(corners)}</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


def unpack_release(folder):
    """Put what the wheel of the last release was built from into a folder; return False where git does not have it."""
    names = ("urdf_tools", "urdf_simplify.py")
    done = subprocess.run(
        ["git", "archive", LAST_RELEASE, *names], cwd=ROOT, capture_output=True, check=False
    )
    if not done.returncode:
        with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
            archive.extractall(folder)
    return not done.returncode


def prepared(scratch):
    """Make all that the jobs read below a folder; return what the names in braces stand for."""
    names = {"root": str(ROOT), "real": str(REAL_ROBOTS), "out": str(scratch / "out")}
    shutil.copytree(ROOT / "urdf_tools", scratch / "new" / "urdf_tools")
    shutil.copy(ROOT / "urdf_simplify.py", scratch / "new")
    (scratch / "out").mkdir()
    for which in ("new", "old"):
        if which == "new" or unpack_release(scratch / which):
            compileall.compile_dir(str(scratch / which), quiet=2)
            path = f"PYTHONPATH={scratch / which}"
            names[which] = ("/usr/bin/env", path, sys.executable, "-m", "urdf_tools")
            names[f"{which}_file"] = (sys.executable, str(scratch / which / "urdf_simplify.py"))
    for shape in SHAPES:
        for links in (1_000, 10_000):
            path = scratch / "out" / f"{shape}_{links}.urdf"
            path.write_text(robot_text(links, shape), encoding="ascii")
    (scratch / "out" / "wave.dae").write_text(collada_text(150), encoding="ascii")
    return names


def words_of(command, names):
    """Return the words of a command, its first one replaced by how the program is started."""
    program, *words = command.split()
    return [*names[program.strip("{}")], *(word.format(**names) for word in words)]


def measured(words, folder):
    """Return the processor time [s] and the peak of memory [MB] of a process.

    Raises:
        RuntimeError: it did not end with 0, or 1 for what lint or compare found.
    """
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    with subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
    if status not in (0, 1 << 8):
        raise RuntimeError(f"this run failed: {' '.join(words)}")
    unit = 2.0**20 if sys.platform == "darwin" else 2.0**10  # what ru_maxrss counts
    return used.ru_utime + used.ru_stime, used.ru_maxrss / unit


def timed(job, names, rounds):
    """Return the least processor time [s] of the two commands of a job, in turn, and the peak of the second [MB]."""
    commands = [words_of(command, names) for command in (job.beside, job.command)]
    pairs = [[measured(words, names["out"]) for words in commands] for _ in range(rounds)]
    first, second = ([runs[k] for runs in pairs] for k in (0, 1))
    return min(first)[0], min(second)[0], max(peak for _, peak in second)


def main():
    """Print a line for each job; return 1 if one is above its limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(JOBS))
    parser.add_argument("--rounds", type=int, default=9, metavar="N")
    parser.add_argument("--most", type=float, metavar="RATIO", help="the limit of all jobs")
    given = parser.parse_args()
    above = 0
    with tempfile.TemporaryDirectory() as scratch:
        names = prepared(Path(scratch))
        if "old" not in names:
            print(f"the last release, {LAST_RELEASE}, is not in the history of this checkout")
        print(f"{'':36}{'before':>9}{'now':>9}{'ratio':>8}{'limit':>8}{'peak MB':>9}")
        for name, job in JOBS.items():
            is_asked = name in (given.jobs or JOBS)
            is_known = "old" in names or "{old" not in job.beside
            if is_asked and is_known and ("{real}" not in job.command or REAL_ROBOTS.is_dir()):
                first, second, peak = timed(job, names, given.rounds)
                most = given.most or job.most
                above += second > most * first
                print(
                    f"{name:36}{first:8.3f}s{second:8.3f}s{second / first:8.2f}{most:8.2f}{peak:9.0f}"
                    f"{'  above' if second > most * first else ''}",
                    flush=True,
                )
    return int(above > 0)


if __name__ == "__main__":
    sys.exit(main())
