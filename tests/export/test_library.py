"""The library call of the package: what the command line adds by options, it takes by name; the single file says so."""
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, List

import pytest
from conftest import ROOT
from mesh_files import ascii_stl, png, TETRAHEDRON
from mesh_runs import textured_dae

from urdf_tools import main, record_text, simplify, UsageError, UrdfError
from urdf_tools.export.library import OF_COMPARE, ROWS
from urdf_tools.run.option_rows import PACKAGE_ONLY

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
SRDF = '<robot name="r"><group name="all"><link name="base"/></group></robot>'


@pytest.fixture()
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    meshes = tmp_path / "meshes"
    meshes.mkdir()
    (meshes / "tet.stl").write_text(ascii_stl(TETRAHEDRON))
    (meshes / "shown.dae").write_text(textured_dae())
    (meshes / "wood.png").write_bytes(png())
    shape = '<{0}><geometry><mesh filename="meshes/{1}"/></geometry></{0}>'
    (tmp_path / "robot.urdf").write_text(
        f'<robot name="r"><link name="base">{INERTIAL}{shape.format("visual", "shown.dae")}'
        f'{shape.format("collision", "tet.stl")}</link><link name="arm">{INERTIAL}{shape.format("visual", "tet.stl")}'
        '</link><joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>'
        "</robot>\n")
    (tmp_path / "robot.srdf").write_text(SRDF)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path) -> List[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(("choices", "words"), [
    ({"mesh_format": "obj"}, ["--mesh-format", "obj"]),
    ({"for_": "drake"}, ["--for", "drake"]),
    ({"for": "mujoco", "keep": ["x*"], "package": {"p": "meshes"}},
     ["--for", "mujoco", "--keep", "x*", "--package", "p=meshes"]),
    ({"mesh_format": "glb", "convert_meshes": True, "gltf_up": "z", "separate_meshes": True},
     ["--mesh-format", "glb", "--convert-meshes", "--gltf-up", "z", "--split", "color"]),
    ({"combine_meshes": True, "mesh_paths": "relative", "mesh_dir": "parts"},
     ["--combine-meshes", "--mesh-paths", "relative", "--mesh-dir", "parts"]),
    ({"separate_dae_meshes": True, "mjcf": Path("robot.xml"), "sdf": "robot.sdf", "model": "robot.json",
      "actuators": "none", "base": "fixed"},
     ["--separate-dae-meshes", "--mjcf", "robot.xml", "--sdf", "robot.sdf", "--model", "robot.json", "--actuators",
      "none", "--base", "fixed"]),
    ({"page": "robot.html", "page_triangles": 5, "armature": "rig.json", "blender_script": "rig.py",
      "srdf": "robot.srdf"},
     ["--page", "robot.html", "--page-triangles", "5", "--armature", "rig.json", "--blender-script", "rig.py",
      "--srdf", "robot.srdf"]),
])
def test_the_library_writes_what_the_command_line_writes(folder: Path, choices: Any, words: List[str]) -> None:
    before = set(written(folder))
    assert main(["robot.urdf", "-o", "out.urdf", "-y", "-q", "--report", "report.json", *words]) == 0
    expected = {name: (folder / name).read_bytes() for name in set(written(folder)) - before}
    for name in expected:
        (folder / name).unlink()
    result = simplify("robot.urdf", "out.urdf", **choices)
    report = record_text(result, "out.urdf", "out.srdf" if "srdf" in choices else "")
    Path("report.json").write_text(report, encoding="utf-8")
    own = {name.rstrip("_") for name in choices} & ROWS.keys() - {"srdf"}
    assert own <= json.loads(report)["options"].keys()
    found = {name: (folder / name).read_bytes() for name in set(written(folder)) - before}
    assert sorted(found) == sorted(expected)
    assert {name for name in expected if found[name] != expected[name]} == set()
    assert {name for name, _ in result.exported.files} <= set(expected)
    assert result.data == expected["out.urdf"] and len(expected) > 1


def test_without_an_output_only_the_further_files_are_written(folder: Path) -> None:
    before = written(folder)
    result = simplify("robot.urdf", mesh_format="obj")
    assert written(folder) == before and result.plan.meshes.files and not result.exported.files
    result = simplify("robot.urdf", as_is=True, model="robot.json")
    assert sorted(written(folder)) == sorted([*before, "robot.json"])
    assert result.exported.lines == ("Model: robot.json is read again and is the same robot",)
    assert not result.changed


def test_what_an_export_warns_of_is_in_the_result(folder: Path) -> None:
    result = simplify("robot.urdf", mjcf="out.xml", mesh_format="stl")
    assert any("MJCF: out.xml is read again" in line for line in result.exported.lines)
    with pytest.raises(UrdfError, match="MuJoCo cannot read COLLADA.*: add separate_dae_meshes$"):
        simplify("robot.urdf", mjcf="other.xml")
    assert not (folder / "other.xml").exists()


@pytest.mark.parametrize(("choices", "message"), [
    ({"mesh_format": "fbx"}, "mesh_format fbx: give stl or"), ({"mesh_format": True}, "mesh_format True"),
    ({"mjcf": ""}, "mjcf ''"), ({"mjcf": 5}, "mjcf 5"), ({"for_": "blender"}, "for_ blender: give mujoco or"),
    ({"base": "fixed"}, "base is for mjcf, sdf and usd: give one of them too"),
    ({"for_": "drake", "for": "mujoco"}, "for and for_ are one option: give one of them"),
    ({"mjcf": "out.xml", "mesh_format": "stl", "kp": 5.0},
     "kp 5: no joint gets a position actuator; give actuators position"),
    ({"mjcf": "out.xml", "mesh_format": "stl", "actuators": "position"},
     "actuators position needs a gain: add kp, such as kp 100"),
    ({"mjcf": "robot.urdf"}, "robot.urdf"),
    ({"mjcf": "no/such/out.xml"}, "no/such"), ({"mjcf": "a.xml", "sdf": "a.xml"}, "a.xml"),
    ({"separate_meshes": True, "combine_meshes": True}, "exclude each other"),
])
def test_what_cannot_be_is_refused_before_anything_is_written(folder: Path, choices: Any, message: str) -> None:
    before = written(folder)
    with pytest.raises(UsageError) as caught:
        simplify("robot.urdf", "out.urdf", **choices)
    assert message in str(caught.value) and written(folder) == before


def test_every_option_of_the_package_has_a_keyword() -> None:
    assert {*ROWS, *OF_COMPARE, "explain", "model_schema", "pairs_check"} == set(PACKAGE_ONLY)
    with pytest.raises(TypeError, match="unknown option 'mesh_formt' .did you mean 'mesh_format'"):
        simplify("robot.urdf", **{"mesh_formt": "obj"})
    with pytest.raises(TypeError, match=r"'model_schema' is not an option of a run: call .*json_schema\(\)"):
        simplify("robot.urdf", **{"model_schema": True})


@pytest.mark.parametrize("choice", ["mesh_format='obj'", "for_='drake'", "mjcf='robot.xml'"])
def test_the_single_file_says_that_the_package_has_it(folder: Path, choice: str) -> None:
    code = f"import urdf_simplify\ntry:\n  urdf_simplify.simplify('robot.urdf', 'out.urdf', {choice})\n" \
           "except urdf_simplify.UrdfError as error:\n  print(error)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}).stdout
    assert said == (f"{choice.partition('=')[0]} is an option of the package: from urdf_tools import simplify (pip "
                    "installs it, or its folder is next to this file)\n")
    assert not (folder / "out.urdf").exists()
