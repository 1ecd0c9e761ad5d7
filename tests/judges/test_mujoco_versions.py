"""Which version of MuJoCo finds a mesh is what lint says: the default of `strippath` changed between 3.6 and 3.8."""

import json
import os
import subprocess
import sys
from itertools import product

import pytest
from mesh_files import binary_stl, TETRAHEDRON
from program_robots import arm, shape

from urdf_tools.lint.examine_file import examine

OLD = "3.6.0"
COMPILERS = (
    "",
    'meshdir="meshes"',
    'meshdir="meshes/"',
    'strippath="true"',
    'strippath="false"',
) + (
    'meshdir="meshes" strippath="true"',
    'meshdir="meshes" strippath="false"',
    'meshdir="." strippath="false"',
)
NAMES = ("meshes/a.stl", "a.stl", "b.stl", "file://meshes/a.stl", "../robots/b.stl", "{}/b.stl")
LOAD = """
import json, mujoco, sys
loaded = []
for path in sys.argv[1:]:
    try:
        mujoco.MjModel.from_xml_path(path)
    except ValueError:
        continue
    loaded.append(path)
print(json.dumps([mujoco.__version__, loaded]))
"""
FINDINGS = {
    (True, True): set(),
    (False, False): {"file"},
    (True, False): {"file-kept"},
    (False, True): {"file-stripped"},
}


def loaded_by(paths, folder=""):
    """Return the version of a MuJoCo, in a folder or as it is installed, and the files that it loads."""
    run = subprocess.run(
        [sys.executable, "-c", LOAD, *paths],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": folder},
    )
    assert run.returncode == 0, run.stderr
    version, loaded = json.loads(run.stdout)
    return version, set(loaded)


def test_the_versions_of_mujoco_find_the_meshes_that_lint_says(tmp_path):
    pytest.importorskip("mujoco")
    old = str(tmp_path / "old")
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", old]
    if subprocess.run([*install, f"mujoco=={OLD}"], capture_output=True).returncode:
        pytest.skip(f"MuJoCo {OLD} cannot be installed here")
    folder = tmp_path / "robots"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "a.stl").write_bytes(binary_stl(TETRAHEDRON))
    (folder / "b.stl").write_bytes(binary_stl(TETRAHEDRON))
    paths = []
    for number, (compiler, name) in enumerate(product(COMPILERS, NAMES)):
        mesh = shape("collision", f'<mesh filename="{name.format(folder)}"/>')
        path = folder / f"{number}.urdf"
        path.write_text(arm(mesh, more=f"<mujoco><compiler {compiler}/></mujoco>" * bool(compiler)))
        paths.append(str(path))
    old_version, before = loaded_by(paths, old)
    new_version, since = loaded_by(paths)
    assert old_version == OLD and new_version >= "3.8"
    for path in paths:
        with open(path, "rb") as stream:
            findings = examine(stream.read(), path, []).findings
        said = {one.diagnostic.sentence for one in findings if one.kind.name == "in-mujoco"}
        said &= {"file", "file-kept", "file-stripped"}
        assert said == FINDINGS[path in before, path in since], path
