"""Lint opens each mesh file that a robot names, and finds the one fault of each broken file."""

import pytest
from broken_meshes import BROKEN_MESHES, write_robot

from urdf_tools.app.command_table import main
from urdf_tools.lint import opened_meshes
from urdf_tools.lint.examine_file import examine

# The finding of each fault, by kind and sentence, in a robot that collides with the mesh.
FINDINGS = {
    "pointer": ("mesh-unreadable", "pointer"),
    "page": ("mesh-unreadable", "page"),
    "answer": ("mesh-unreadable", "answer"),
    "unreadable": ("mesh-unreadable", "unreadable"),
    "material": ("mesh-unreadable", "material"),
    "nothing": ("mesh-unreadable", "nothing"),
    "number": ("mesh-unreadable", "number"),
    "few": ("in-mujoco", "few"),
    "flat": ("in-mujoco", "flat"),
    "scene": ("in-newton", "scene"),
    "no-library": ("mesh-image", "no-library"),
    "no-material": ("mesh-image", "no-material"),
    "not-there": ("mesh-image", "not-there"),
    "unknown": ("mesh-image", "unknown"),
    "unreadable-image": ("mesh-image", "unreadable"),
    "no-coordinates": ("mesh-image", "no-coordinates"),
}


def found_in(path, **options):
    """Return the findings of a robot about mesh files, by kind and sentence."""
    examined = examine(path.read_bytes(), str(path), [], **options)
    return {(one.kind.name, one.diagnostic.sentence) for one in examined.findings} & {
        *FINDINGS.values()
    }


@pytest.mark.parametrize("mesh", BROKEN_MESHES, ids=lambda mesh: mesh.name)
def test_the_fault_of_a_mesh_file_is_named(mesh, tmp_path):
    wanted = {FINDINGS[mesh.fault]} if mesh.fault else set()
    if mesh.name in ("library.obj",):  # both of its materials are missing, too
        wanted.add(FINDINGS["no-material"])
    assert found_in(write_robot(tmp_path / "r", mesh, "collision")) == wanted


def test_a_large_mesh_is_named_and_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(opened_meshes, "LARGEST_FILE", 10)
    mesh = next(mesh for mesh in BROKEN_MESHES if mesh.name == "cut.stl")
    path = write_robot(tmp_path / "r", mesh, "collision")
    examined = examine(path.read_bytes(), str(path), [])
    assert [one.diagnostic.text for one in examined.findings if one.kind.name == "mesh-unopened"]
    assert not [one for one in examined.findings if one.kind.name == "mesh-unreadable"]


def test_a_large_collada_file_is_read_to_its_last_index(tmp_path, monkeypatch):
    monkeypatch.setattr(opened_meshes, "LARGEST_READ", 10)
    for mesh in BROKEN_MESHES:
        if mesh.name.endswith((".dae", ".stl", ".obj")):
            path = write_robot(tmp_path / mesh.name, mesh, "collision")
            wanted = {FINDINGS[mesh.fault]} if mesh.fault else set()
            assert found_in(path) >= wanted, mesh.name


def test_the_exit_status_of_a_robot_whose_mesh_is_a_pointer(tmp_path, capsys):
    mesh = next(mesh for mesh in BROKEN_MESHES if mesh.name == "pointer.obj")
    path = write_robot(tmp_path / "r", mesh, "collision")
    assert main(["lint", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "mesh 'pointer.obj' is a Git LFS pointer" in shown and "git lfs pull" in shown
    assert "MuJoCo         refuses: broken meshes" in shown


def test_a_mesh_file_that_nobody_wants_opened_is_counted(tmp_path, capsys):
    mesh = next(mesh for mesh in BROKEN_MESHES if mesh.name == "pointer.obj")
    path = write_robot(tmp_path / "r", mesh, "collision")
    assert main(["lint", str(path), "--no-meshes", "--level", "note"]) == 0
    shown = capsys.readouterr().out
    assert "1 mesh file is not opened (--no-meshes)" in shown and "pointer'" not in shown
