"""What programs make of broken mesh files is what the table of lint says: each file is loaded in each program."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from broken_meshes import BROKEN_MESHES, write_robot

from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.program_effects import PROGRAMS, programs_of, REFUSES

LOADER = Path(__file__).with_name("program_loading.py")
# Robots that the program loads, and of which the table says that it refuses them: the file is broken all the same.
LOADED_ALL_THE_SAME = {
    # MuJoCo and Drake take a missing number of an OBJ for zero.
    ("mujoco", "short.obj"),
    ("drake", "short.obj"),
    ("mujoco", "word.obj"),
    ("drake", "word.obj"),
    # MuJoCo makes a hull of points without faces.
    ("mujoco", "faces.obj"),
    # The index 0 is the last point for Newton.
    ("newton", "zero.obj"),
}


def load_all(program, paths):
    """Return what a program made of each file; a program that ends by a signal has refused the file it was at."""
    loaded = {}
    waiting = [str(path) for path in paths]
    while waiting:
        run = subprocess.run(
            [sys.executable, str(LOADER), program, *waiting], capture_output=True, text=True
        )
        at = None
        for line in run.stdout.splitlines():
            word, path, *what = json.loads(line)
            at = path if word == "start" else None
            if what:
                loaded[path] = what[0]
        if at is not None:
            loaded[at] = {"refused": f"it ended with {run.returncode}"}
        left = [path for path in waiting if path not in loaded]
        assert len(left) < len(waiting), run.stderr
        waiting = left
    return loaded


@pytest.mark.parametrize("program", ("mujoco", "drake", "newton", "pybullet"))
def test_programs_refuse_the_mesh_files_that_the_table_names(program, tmp_path):
    pytest.importorskip({"drake": "pydrake"}.get(program, program))
    robots = {}
    # Newton reads both alike, and takes long for each.
    roles = ("collision",) if program == "newton" else ("collision", "visual")
    for mesh in BROKEN_MESHES:
        for role in roles:
            path = write_robot(tmp_path / f"{role}_{mesh.name}", mesh, role)
            robots[str(path)] = mesh
    loaded = load_all(program, robots)
    wrong = []
    for path, mesh in robots.items():
        examined = examine(Path(path).read_bytes(), path, [])
        said = dict(zip(PROGRAMS, programs_of(examined.findings)))[program].verdict == REFUSES
        has_refused = "refused" in loaded[path]
        if said != has_refused and (program, mesh.name) not in LOADED_ALL_THE_SAME:
            wrong.append((path, said, loaded[path]))
        # No exception excuses a robot that lint says to load, and that the program refuses.
        assert said or not has_refused, (path, loaded[path])
    assert not wrong
