"""COLLADA meshes of a robot: the proof catches a pass that cheats after all others, and files that change places."""

from pathlib import Path

import pytest
from engine import main
from mesh_robots import listing

from urdf_tools.apply import apply_plan_passes
from urdf_tools.base.errors import ProofFailed
from urdf_tools.export.meshes.format_converter import FormatConverter
from urdf_tools.run import run_pipeline


def element_with(plan_document, file):
    """Return the visual or collision that shows a file."""
    return next(
        element
        for element in plan_document.root.walk()
        if element.name in ("visual", "collision")
        and any((mesh.get("filename") or "").endswith(f"/{file}") for mesh in element.walk())
    )


def mesh_in(shape):
    return next(element for element in shape.walk() if element.name == "mesh")


def lose(file):
    def cheat(document):
        shape = element_with(document, file)
        apply_plan_passes.detach(shape.parent, [shape])

    return cheat


def swap(file, other):
    def cheat(document):
        one, two = mesh_in(element_with(document, file)), mesh_in(element_with(document, other))
        names = one.get("filename"), two.get("filename")
        one.set("filename", names[1])
        two.set("filename", names[0])

    return cheat


def paint(file, attribute, value):
    def cheat(document):
        found = element_with(document, file).find("material")
        (found if attribute == "name" else found.find("color")).set(attribute, value)

    return cheat


def bare(document):
    sphere = next(
        e for e in document.root.walk() if e.name == "material" and e.get("name") == "maker"
    )
    apply_plan_passes.detach(sphere, sphere.elements("color"))


CHEATS = {
    "a part is left out": lose("base_Paint.stl"),
    "a wrong color": paint("base_Paint.stl", "rgba", "0.5 0.5 0.5 1"),
    "two files swapped": swap("base_Paint.stl", "base_Grey.stl"),
    "an origin": lambda document: (
        element_with(document, "base_Grey.stl").find("origin").set("xyz", "0 0 0.011")
    ),
    "a name without its color": bare,
}


@pytest.mark.parametrize("name", CHEATS)
def test_the_proof_catches(folder, monkeypatch, capsys, name):
    def cheat(document, _):
        CHEATS[name](document)

    before = listing(folder)
    monkeypatch.setattr(apply_plan_passes, "PASSES", (*apply_plan_passes.PASSES, cheat))
    assert main(["robot.urdf", "--separate-dae-meshes", "--yes"]) == 3
    said = capsys.readouterr()
    assert said.out == "" and "please report it" in said.err
    assert listing(folder) == before


def exchanged(files):
    """Two files have each other's content."""
    first, second, *rest = files
    return [first._replace(source=second.source), second._replace(source=first.source), *rest]


def overwritten(files):
    """Another mesh, of as many bytes, is written over a file, or takes its place."""
    data = Path(files[0].source).read_bytes()
    Path(files[0].source).write_bytes(data[:-2] + b"\1\1")
    return list(files)


def replaced(files):
    path = Path(files[0].source)
    path.with_name("new").write_bytes(path.read_bytes())
    path.with_name("new").replace(path)
    return list(files)


def removed(files):
    Path(files[0].source).unlink()
    return list(files)


@pytest.mark.parametrize("change", (exchanged, overwritten, replaced, removed))
def test_a_file_that_is_not_the_one_that_was_proven_is_refused(
    folder,
    monkeypatch,
    capsys,
    change,
):
    before = listing(folder)
    monkeypatch.setattr(FormatConverter, "finish", lambda self, files, shapes: (change(files), []))
    assert main(["robot.urdf", "--separate-dae-meshes", "--yes", "--jobs", "1"]) == 3
    assert "is to be another file than the one that was proven" in capsys.readouterr().err
    assert listing(folder) == before


def test_a_file_that_changes_while_the_user_thinks_is_not_written(folder, monkeypatch, capsys):
    before = listing(folder)
    right = run_pipeline.check_mesh_files

    def late(files, **options):
        overwritten(files)
        right(files, **options)

    monkeypatch.setattr(run_pipeline, "check_mesh_files", late)
    assert main(["robot.urdf", "--separate-dae-meshes", "--yes", "--jobs", "1"]) == 2
    assert (
        "another program changed this file during the run: run this again"
        in capsys.readouterr().err
    )
    assert listing(folder) == before


def test_a_fault_of_the_converter_is_caught(folder, monkeypatch, capsys):
    def wrong(*_):
        raise ProofFailed("holds 3 triangles, not 4", "base.dae")

    before = listing(folder)
    monkeypatch.setattr("urdf_tools.collada.collada_to_stl.convert_dae", wrong)
    assert main(["robot.urdf", "--separate-dae-meshes", "--yes", "--jobs", "1"]) == 3
    assert "holds 3 triangles" in capsys.readouterr().err
    assert listing(folder) == before
