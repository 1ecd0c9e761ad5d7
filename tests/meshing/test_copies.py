"""`--mesh-dir` alone copies all mesh files that are named, so that the result can be carried away as a folder."""

import os
import re

import pytest
from mesh_files import binary_stl, png, tetrahedron
from commands import files_in

from urdf_tools.base.errors import ProofFailed, UsageError
from urdf_tools.meshes import copy_meshes

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial>'
MESHES = [
    "package://r/meshes/visual/base.obj",
    "../meshes/collision/base.stl",
    "../meshes/visual/arm.dae",
]
URDF = f"""<robot name="r"><material name="m"><texture filename="package://r/images/skin.png"/></material>
<link name="base">{INERTIAL}<visual><geometry><mesh filename="{MESHES[0]}"/></geometry><material name="m"/></visual>
<collision><geometry><mesh filename="{MESHES[1]}"/></geometry></collision>
<visual><geometry><mesh filename="../meshes/rotor.stl"/></geometry></visual></link>
<link name="arm">{INERTIAL}<visual><geometry><mesh filename="{MESHES[2]}"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
OBJ = (
    "mtllib base.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nusemtl m\nf 1/1 3/1 2/1\nf 1/1 2/1 4/1\n"
    "f 1/1 4/1 3/1\nf 2/1 3/1 4/1\n"
)
COPIED = [
    "images/skin.png",
    "meshes/collision/base.stl",
    "meshes/textures/wood.png",
    "meshes/visual/arm.dae",
    "meshes/visual/base.mtl",
    "meshes/visual/base.obj",
]


@pytest.fixture
def folder(tmp_path):
    """A package whose OBJ names a material that shows an image, and two meshes of one stem."""
    package = tmp_path / "r"
    for name, data in {
        "package.xml": b"<package><name>r</name></package>",
        "urdf/r.urdf": URDF.encode(),
        "meshes/visual/base.obj": OBJ.encode(),
        "images/skin.png": png(),
        "meshes/visual/base.mtl": b"newmtl m\nmap_Kd -clamp on ../textures/wood.png\n",
        "meshes/textures/wood.png": png(),
        "meshes/collision/base.stl": binary_stl(tetrahedron()),
        "meshes/rotor.stl": binary_stl(tetrahedron(low=1.0)),
        "meshes/visual/arm.dae": b"<COLLADA><init_from>file:///far.png</init_from></COLLADA>",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_bytes(data)
    (tmp_path / "out" / "sim").mkdir(parents=True)
    return tmp_path


def run(tool, folder, **choices):
    return tool.simplify(
        folder / "r" / "urdf" / "r.urdf",
        folder / "out" / "r.urdf",
        **{"mesh_dir": str(folder / "out" / "all"), "force": True, **choices},
    )


def mesh_names_in(text):
    return re.findall(r'filename="(.*?)"', text)


def test_all_that_is_named_is_copied_unchanged(tool, folder):
    result = run(tool, folder)
    assert files_in(folder / "out" / "all") == COPIED
    for name in COPIED:
        assert (folder / "out" / "all" / name).read_bytes() == (folder / "r" / name).read_bytes()
    names = mesh_names_in((folder / "out" / "r.urdf").read_text())
    assert sorted(names) == sorted(
        f"all/{name}" for name in COPIED if not re.search("wood|mtl", name)
    )
    assert "'arm.dae': names 'file:///far.png', which is not copied" in [
        one.text for one in result.plan.warnings
    ]


def test_a_second_run_changes_nothing_and_a_file_of_another_is_refused(tool, folder):
    run(tool, folder)
    before = (folder / "out" / "r.urdf").read_bytes()
    tool.simplify(
        folder / "out" / "r.urdf", folder / "out" / "r2.urdf", mesh_dir=str(folder / "out" / "all")
    )
    assert (folder / "out" / "r2.urdf").read_bytes() == before and files_in(
        folder / "out" / "all"
    ) == COPIED
    run(tool, folder, force=False)
    (folder / "out" / "all" / "meshes" / "visual" / "base.mtl").write_text("mine")
    with pytest.raises(tool.UrdfError, match="not written by this tool: .*base.mtl"):
        run(tool, folder, force=False)


def test_a_prefix_names_the_folder_and_a_missing_mesh_is_told(tool, folder):
    (folder / "r" / "meshes" / "visual" / "arm.dae").unlink()
    result = run(tool, folder, mesh_paths="package://my/x")
    names = mesh_names_in((folder / "out" / "r.urdf").read_text())
    assert sorted(names) == [
        "../r/meshes/visual/arm.dae",
        "package://my/x/images/skin.png",
        "package://my/x/meshes/collision/base.stl",
        "package://my/x/meshes/visual/base.obj",
    ]
    assert [one.kind.name for one in result.plan.warnings] == ["mesh-not-found"]


def test_a_conversion_copies_nothing_more(folder):
    run(__import__("urdf_tools"), folder, mesh_format="stl", split="color")
    assert {os.path.dirname(name) for name in files_in(folder / "out" / "all")} == {""}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda names, files, told: (
            names,
            (files[0]._replace(origin=files[1].origin), *files[1:]),
            told,
        ),
        lambda names, files, told: (
            dict(zip(names, [*list(names.values())[1:], "x.stl"])),
            files,
            told,
        ),
    ],
)
def test_the_proof_sees_a_copy_of_another_file(folder, monkeypatch, wrong):
    right = copy_meshes.copy_files
    monkeypatch.setattr(copy_meshes, "copy_files", lambda *given: wrong(*right(*given)))
    with pytest.raises(ProofFailed):
        run(__import__("urdf_tools"), folder)
    assert not (folder / "out" / "all").exists() and not (folder / "out" / "r.urdf").exists()


def test_a_mesh_that_cannot_be_read_is_named(folder):
    broken = folder / "r" / "meshes" / "visual" / "base.obj"
    with pytest.raises(UsageError, match="cannot be read"):
        copy_meshes.copy_files({str(broken.with_name("none.obj")): 1}, None)


def test_the_command_line_says_what_it_copies(folder, capsys):
    from engine import main

    words = [
        str(folder / "r" / "urdf" / "r.urdf"),
        "-o",
        str(folder / "out" / "r.urdf"),
        "-y",
        "--mesh-dir",
        str(folder / "out" / "all"),
    ]
    assert main([*words, "-n"]) == 0 and not (folder / "out" / "all").exists()
    assert main(words) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "writes 4 meshes and 2 files with them to" in said and "Meshes: 4 in" in said
    assert files_in(folder / "out" / "all") == COPIED
