"""The options of the armature on the command line, its golden files, and the script that goes with it."""

import ast
import json
import shutil
import sys
from pathlib import Path

import golden
import pytest
from conftest import ROOT

from urdf_tools.base.version import __version__
from engine import main
from urdf_tools.formats.armature.write_armature import document_bytes

FIGURE = golden.FIXTURES / "armature" / "robot.urdf"
SCRIPT = ROOT / "urdf_tools" / "formats" / "armature" / "import_armature.py"


@pytest.fixture
def folder(here):
    """The current folder, with the figure in it."""
    shutil.copy(FIGURE, here / "robot.urdf")
    return here


def made(*args):
    assert main(["robot.urdf", "--yes", "--quiet", "--armature", "a.json", *args]) == 0
    found = json.loads(Path("a.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("case", golden.with_armature(), ids=lambda path: path.name)
def test_golden(case):
    found = golden.armature_of(main, __version__, case)
    golden.require_as_committed(case / "armature.json", found)


def test_there_are_golden_files():
    assert {"humanoid", "arm", "armature"} <= {folder.name for folder in golden.with_armature()}


def test_the_report_names_the_proof(folder, capsys):
    assert main(["robot.urdf", "--yes", "--armature", "a.json"]) == 0
    said = capsys.readouterr().out
    assert (
        "Armature: 30 bones, 30 links, read again and the same robot, at 10 random positions"
        in " ".join(said.split())
    )
    assert "writes robot_simplified.urdf, a.json\n" in said


def test_one_bone_per_joint(folder):
    names = [bone["name"] for bone in made("--one-bone-per-joint")["bones"]]
    assert not any(">" in name for name in names) and len(names) == 30
    kinds = [bone["kind"] for bone in made()["bones"] if ">" in bone["name"]]
    assert (kinds.count("joint"), kinds.count("helper")) == (6, 4)


def test_one_bone_per_joint_is_for_an_armature(folder, capsys):
    assert main(["export", "robot.urdf", "robot.xml", "--one-bone-per-joint"]) == 2
    assert (
        capsys.readouterr().err
        == "error: --one-bone-per-joint needs a target that ends in .armature.json\n"
    )


def test_meshes_are_named_from_the_armature(here, capsys):
    shutil.copytree(golden.FIXTURES / "painted_arm", here / "arm")
    (here / "rig").mkdir()
    for args, ending in (([], ".dae"), (["--separate-dae-meshes", "-o", "out/clean.urdf"], ".stl")):
        (here / "out").mkdir(exist_ok=True)
        assert main(["arm/robot.urdf", "-y", "-q", "--armature", "rig/a.json", *args]) == 0
        found = json.loads((here / "rig" / "a.json").read_text("utf-8"))
        meshes = [
            visual["mesh"]
            for link in found["links"]
            for visual in link["visuals"]
            if "mesh" in visual
        ]
        assert meshes and all((here / "rig" / mesh).is_file() for mesh in meshes)
        assert any(mesh.endswith(ending) for mesh in meshes)


def test_a_mesh_that_is_not_there_is_said(here, capsys):
    shutil.copy(golden.FIXTURES / "arm" / "robot.urdf", here)
    found = made()
    said = [line for line in capsys.readouterr().err.splitlines() if "not found" in line]
    assert (
        len(said) == 1 and "import_armature.py must find it by --mesh-dir; also meshes/" in said[0]
    )
    assert [
        visual["mesh"] for link in found["links"] for visual in link["visuals"] if "uri" in visual
    ] == [None, None]


def test_a_second_run_gives_the_same_bytes(folder):
    assert main(["robot.urdf", "-y", "-q", "-o", "once.urdf"]) == 0
    for name in ("one", "two"):
        assert (
            main(["once.urdf", "-y", "-q", "-o", "twice.urdf", "--armature", f"{name}.json"]) == 0
        )
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


def test_lines_of_the_json(folder):
    found = made()
    data = Path("a.json").read_bytes()
    assert document_bytes(found) == data and b"-0.0," not in data
    assert len(data.decode("utf-8").splitlines()) == len(found) + len(found["bones"]) + len(
        found["links"]
    )


def test_the_script_is_copied(folder):
    assert main(["robot.urdf", "-y", "-q", "--blender-script", "rig.py"]) == 0
    assert Path("rig.py").read_bytes() == SCRIPT.read_bytes()


@pytest.mark.parametrize("minor", range(7, 14))
def test_the_syntax_of_the_script(minor):
    """Blender brings its own Python; what it runs may be older than this one."""
    ast.parse(SCRIPT.read_text("utf-8"), feature_version=(3, min(minor, sys.version_info[1])))


def test_what_the_script_imports():
    """It needs Blender and the standard library: no numpy, which not every Blender has."""
    tree = ast.parse(SCRIPT.read_text("utf-8"))
    modules = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules == {
        "argparse",
        "bmesh",
        "bpy",
        "csv",
        "json",
        "math",
        "mathutils",
        "os",
        "sys",
        "typing",
    }
