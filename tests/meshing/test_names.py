"""Where MuJoCo looks for meshes in a folder of its own, all readers find the files of the result, or a warning says."""

import os
import re

import pytest
from mesh_files import binary_stl, tetrahedron

from engine import simplify
from urdf_tools.base.errors import ProofFailed
from urdf_tools.meshing import make_meshes as make

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial>'
FILES = (
    "A/base.stl",
    "A/assets/base.stl",
    "A/assets/arm/base.stl",
    "A/arm/base.stl",
    "A/assets/only.stl",
    "A/assets/arm/only.stl",
    "A/b c.stl",
)


@pytest.fixture
def folder(tmp_path):
    """Two folders; in A and in A/assets are meshes, of which some have one name, but each another size."""
    for number, name in enumerate(FILES):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(binary_stl(tetrahedron(low=number)))
    (tmp_path / "B").mkdir()
    return tmp_path


def write(folder, compiler, *names):
    """Write A/robot.urdf with these meshes."""
    block = f"<mujoco><compiler {compiler}/></mujoco>" if compiler != "-" else ""
    visuals = "".join(
        f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in names
    )
    (folder / "A" / "robot.urdf").write_text(
        f'<robot name="r">{block}<link name="base">{INERTIAL}{visuals}</link></robot>'
    )
    return folder / "A" / "robot.urdf"


def found(path):
    """Return the mesh names of a URDF, and what its compiler says."""
    text = path.read_text()
    block = re.search(r"<compiler ([^>]*)/>", text)
    return re.findall(r'<mesh filename="(.*?)"', text), dict(
        re.findall(r'(\w+)="(.*?)"', block[1] if block else "")
    )


@pytest.mark.parametrize(
    "compiler, names, expected, says",
    [
        (
            'meshdir="assets"',
            ["only.stl"],
            ["../A/assets/only.stl"],
            {"meshdir": ".", "strippath": "false"},
        ),
        (
            'assetdir="assets"',
            ["only.stl"],
            ["../A/assets/only.stl"],
            {"assetdir": "assets", "meshdir": ".", "strippath": "false"},
        ),
        (
            'meshdir="assets" strippath="false"',
            ["arm/only.stl"],
            ["../A/assets/arm/only.stl"],
            {"meshdir": ".", "strippath": "false"},
        ),
        (
            'meshdir="assets" strippath="true"',
            ["arm/only.stl"],
            ["../A/assets/only.stl"],
            {"meshdir": ".", "strippath": "false"},
        ),
        (
            'meshdir="assets"',
            ["assets/only.stl", "arm/base.stl"],
            ["../A/assets/only.stl", "../A/arm/base.stl"],
            {"meshdir": ".", "strippath": "false"},
        ),
        (
            'meshdir="assets"',
            ["lost.stl", "arm/lost.stl"],
            ["../A/assets/lost.stl", "../A/arm/lost.stl"],
            {"meshdir": ".", "strippath": "false"},
        ),
        (
            'discardvisual="false"',
            ["base.stl"],
            ["../A/base.stl"],
            {"discardvisual": "false", "strippath": "false"},
        ),
        (
            'meshdir="." strippath="false"',
            ["base.stl"],
            ["../A/base.stl"],
            {"meshdir": ".", "strippath": "false"},
        ),
        (
            'meshdir="assets"',
            ["package://r/only.stl"],
            ["package://r/only.stl"],
            {"meshdir": "../A/assets"},
        ),
        (
            'meshdir="assets"',
            ["package://r/only.stl", "only.stl"],
            ["package://r/only.stl", "../A/assets/only.stl"],
            {"meshdir": "../A/assets"},
        ),
        (
            'meshdir="assets"',
            ["b%20c.stl"],
            ["../A/b%20c.stl"],
            {"meshdir": ".", "strippath": "false"},
        ),
        ('meshdir="assets"', [], [], {"meshdir": "assets"}),
        ("-", ["base.stl"], ["../A/base.stl"], {}),
    ],
)
def test_in_another_folder(folder, compiler, names, expected, says):
    simplify(write(folder, compiler, *names), folder / "B" / "out.urdf")
    assert found(folder / "B" / "out.urdf") == (expected, says)


def test_in_the_same_folder_nothing_changes(folder):
    path = write(folder, 'meshdir="assets"', "only.stl", "base.stl")
    simplify(path, folder / "A" / "out.urdf")
    assert found(folder / "A" / "out.urdf") == found(path)


def test_a_file_that_was_another_one_for_mujoco_is_named(folder):
    path = write(folder, 'meshdir="assets"', "base.stl", "only.stl")
    result = simplify(path, folder / "B" / "out.urdf")
    assert found(folder / "B" / "out.urdf")[0] == ["../A/base.stl", "../A/assets/only.stl"]
    assert [
        (notice.kind.name, "MuJoCo found 'base.stl' in its meshdir" in notice.text)
        for notice in result.plan.warnings
    ] == [("mesh-folder", True)]


def test_meshes_that_are_renamed_or_made(folder, monkeypatch):
    path = write(folder, 'meshdir="assets"', "only.stl")
    simplify(path, folder / "A" / "out.urdf", mesh_paths="relative")
    assert found(folder / "A" / "out.urdf") == (
        ["assets/only.stl"],
        {"meshdir": ".", "strippath": "false"},
    )
    simplify(path, folder / "A" / "out.urdf", mesh_format="obj", force=True)
    names, says = found(folder / "A" / "out.urdf")
    assert (names, says) == (["out_meshes/only.obj"], {"meshdir": ".", "strippath": "false"})
    monkeypatch.chdir(folder / "A")
    result = simplify(
        path,
        folder / "A" / "out.urdf",
        mesh_format="obj",
        mesh_dir="out_meshes",
        mesh_paths="package://r/x",
        force=True,
    )
    assert found(folder / "A" / "out.urdf") == (["package://r/x/only.obj"], {"meshdir": "assets"})
    assert [notice.kind.name for notice in result.plan.warnings] == ["mesh-folder"]


def test_exports_find_the_mesh_where_mujoco_does(folder):
    path = write(folder, 'meshdir="assets"', "only.stl")
    result = simplify(path, mjcf=folder / "B" / "r.xml", sdf=folder / "B" / "r.sdf")
    assert "not there" not in "".join(notice.text for notice in result.exported.warnings)
    assert 'file="../A/assets/only.stl"' in (folder / "B" / "r.xml").read_text()
    assert "<uri>../A/assets/only.stl</uri>" in (folder / "B" / "r.sdf").read_text()


@pytest.mark.parametrize(
    "names, wrong",
    [
        (["only.stl"], {"compiler": ()}),
        (["only.stl"], {"compiler": (("meshdir", "."),)}),
        (["only.stl"], {"compiler": (("strippath", "false"), ("meshdir", "../A/assets"))}),
        (["package://r/only.stl"], {"compiler": (("meshdir", "assets"),)}),
        (["only.stl"], {"names": {("visual", "only.stl"): "../A/only.stl"}}),
        (["base.stl"], {"names": {("visual", "base.stl"): "../A/assets/base.stl"}}),
    ],
)
def test_the_proof_sees_a_file_that_is_another(folder, monkeypatch, names, wrong):
    path, right = write(folder, 'meshdir="assets"', *names), make.name_files
    simplify(path, folder / "B" / "out.urdf")

    def wrongly(*given):
        meshes, warnings = right(*given)
        return meshes._replace(**wrong), warnings

    monkeypatch.setattr(make, "name_files", wrongly)
    with pytest.raises(ProofFailed):
        simplify(path, folder / "B" / "more.urdf")
    assert not os.path.exists(folder / "B" / "more.urdf")
