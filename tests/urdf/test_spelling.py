"""Meshes that are named in another case, or in other Unicode characters, than their files.

Windows and macOS find such a file. Here a folder that lists another name than the one that opens the file stands for one
of theirs: `on_windows` hides the written spelling from listings. Where the system itself finds the file, the tests say
what is said there.
"""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from commands import as_shown, said
from conftest import needs_exact_names
from urdf_tools.base.paths import listed_path
from urdf_tools.urdf.package_resolver import resolve, PackageResolver, true_name

TRIANGLE = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n"
NFC, NFD = (unicodedata.normalize(form, "bäse.stl") for form in ("NFC", "NFD"))
# The name in the robot, the name of the file.
NAMES = [
    ("meshes/ARM_LINK.stl", "meshes/arm_link.STL"),
    ("Meshes/arm.stl", "meshes/Arm.stl"),
    ("meshes\\ARM.stl", "meshes/arm.stl"),
    (f"meshes/{NFC}", f"meshes/{NFD}"),
    (f"meshes/{NFD}", f"meshes/{NFC}"),
    ("./meshes/../meshes/A.stl", "meshes/a.stl"),
]


def robot_with(folder, name, file):
    """Write a robot whose one mesh has a name, and a file; return the robot's path."""
    mesh = folder / file
    mesh.parent.mkdir(parents=True, exist_ok=True)
    mesh.write_text(TRIANGLE, encoding="ascii")
    shape = f'<geometry><mesh filename="{name}"/></geometry>'
    text = (
        f'<robot name="r"><link name="a">\n<visual>{shape}</visual>\n'
        f"<collision>{shape}</collision></link></robot>\n"
    )
    robot = folder / "r.urdf"
    robot.write_text(text, encoding="utf-8")
    return robot


def on_windows(monkeypatch, folder, name, file):
    """Let a written name open a file that folders list by another: as on a file system that ignores the difference."""
    plain = os.path.normpath(name.replace("\\", "/"))
    written = folder / plain
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_bytes((folder / file).read_bytes())
    hidden = {part for part in Path(plain).parts if part not in Path(file).parts}
    listdir = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: [n for n in listdir(path) if n not in hidden])


@pytest.mark.parametrize("name, file", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("system", ["linux", "windows"])
def test_lint_names_and_repairs_the_name(tmp_path, monkeypatch, name, file, system):
    """Lint finds the fault on both systems, and `--fix` writes the true name, which is found."""
    robot = robot_with(tmp_path, name, file)
    if system == "windows":
        on_windows(monkeypatch, tmp_path, name, file)
    is_found = os.path.isfile(tmp_path / name.replace("\\", "/"))
    out = said("lint", str(robot), "--select", "mesh-*")[1]
    words = " ".join(out.split())
    assert "warning[mesh-spelling]" in out and os.path.basename(file) in words
    sentence = "is found on this system alone" if is_found else "is not found: the file is"
    assert sentence in words and "mesh-not-found" not in out
    assert said("lint", str(robot), "--fix", "-y", "--select", "mesh-spelling")[0] == 0
    fixed = (tmp_path / "r_fixed.urdf").read_text(encoding="utf-8")
    new = fixed.split('filename="')[1].split('"')[0]
    assert new.replace("\\", "/").endswith(file) and fixed.count(f'"{new}"') == 2
    assert fixed.replace(new, name) == robot.read_text(encoding="utf-8")
    assert "mesh-spelling" not in said("lint", str(tmp_path / "r_fixed.urdf"), "--full")[1]


@needs_exact_names
def test_the_table_names_the_repair(tmp_path):
    """Programs on this system do not find the file; the cure is the repair."""
    robot = robot_with(tmp_path, "ARM.stl", "arm.stl")
    table = said("lint", str(robot))[1].partition("Cures:")[2]
    for program in ("RViz", "Drake", "PyBullet", "Isaac"):
        row = next(line for line in table.splitlines() if line.startswith(program))
        assert "mesh" in row and "lint R --fix" in row


@needs_exact_names
@pytest.mark.parametrize(
    "options", [["--separate-dae-meshes"], ["--mesh-format", "obj"], ["--mesh-dir", "out"]]
)
def test_a_run_names_the_file_that_is_there(tmp_path, monkeypatch, options):
    """The sentence that a mesh is not found names the file that differs in case only."""
    robot_with(tmp_path, "meshes/BASE.dae", "meshes/base.DAE")
    monkeypatch.chdir(tmp_path)
    words = " ".join("".join(said("r.urdf", *options, "-n")[1:]).split())
    assert "is not found" in words and "base.DAE is, in other case" in words, words


def test_packages_and_models(tmp_path):
    """In a package that is known the name in it counts, and its own name where it is a folder beside the robot."""
    for name in ("assets/arm.STL", "ws/known/meshes/arm.STL"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("", encoding="ascii")
    known = (("Known", str(tmp_path / "ws/known")),)
    resolver = PackageResolver(str(tmp_path), known, {}, {}, listings={})
    for name, true in (
        ("package://assets/ARM.stl", "package://assets/arm.STL"),
        ("package://Assets/ARM.stl", "package://assets/arm.STL"),
        ("package://Known/Meshes/arm.stl", "package://Known/meshes/arm.STL"),
        ("model://Known/meshes/ARM.STL", "model://Known/meshes/arm.STL"),
        ("package://Known/meshes/arm.STL", ""),
        ("package://nowhere/arm.STL", ""),
        ("file://assets/ARM.stl", "file://assets/arm.STL"),
        ("assets/%61RM.stl", ""),
        (str(tmp_path / "assets/ARM.stl"), ""),
    ):
        assert true_name(name, resolver) == true, name


LETTERS = st.sampled_from(["a", "A", "b", "B", "ä", "Ä", "a\u0308", "A\u0308", "ß", "ss"])
PARTS = st.lists(LETTERS, min_size=1, max_size=2).map("".join)
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)


def slow_spelling(name):
    """Return a name as a file system without case and forms has it; written apart from the product."""
    fold = unicodedata.normalize("NFD", name).casefold()
    return unicodedata.normalize("NFC", fold)


@given(files=st.lists(PATHS, max_size=6), name=PATHS)
def test_the_true_name_of_a_file(tmp_path_factory, files, name):
    """A file is found by each spelling, unless several have it; a file of just the written name always."""
    folder = tmp_path_factory.mktemp("w")
    there = []
    for file in files:
        path = folder / file
        if not any(parent.is_file() for parent in path.parents) and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")
            there.append(file)
    alike = [file for file in there if slow_spelling(file) == slow_spelling(name)]
    wanted = name if name in alike else alike[0] if len(alike) == 1 else None
    path = listed_path(str(folder), name, {})
    assert path == (os.path.join(str(folder), as_shown(wanted)) if wanted else None)
    resolver = PackageResolver(str(folder), (), {}, {}, listings={})
    true = true_name(name, resolver)
    assert true == (wanted if wanted and wanted != name else "")
    # The repaired name is found by Linux.
    assert not true or os.path.normpath(resolve(true, resolver).path) == path
