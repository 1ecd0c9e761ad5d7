"""COLLADA meshes of a robot: the names of the files they become, and where these names lead."""

import os
from pathlib import Path

from conftest import needs_symlinks
import pytest
from mesh_robots import draws, listing, painted, run, shapes_of, SPLIT, urdf, write


@pytest.mark.parametrize(
    "names",
    [
        ["Red", "red", "RED"],
        ["a/b", "a\\b", "a b", "a%20b"],
        ["../../escape", "..", "/etc/passwd"],
        ["con", "NUL", "a:b"],
        ['<&">', "\u6750\u8d28", "\u6750\u8d28.1"],
        ["x" * 300, "x" * 300 + "y"],
    ],
    ids=["case", "separators", "outside", "devices", "letters", "long"],
)
def test_names_are_unique_and_safe(tool, tmp_path, names):
    write(tmp_path, {"in/robot.urdf": urdf(draws("../m.dae")), "m.dae": painted(*names)})
    tool.simplify(tmp_path / "in" / "robot.urdf", tmp_path / "in" / "out.urdf", split="color")
    files = sorted(path.name for path in (tmp_path / "in" / "out_meshes").iterdir())
    assert len({name.casefold() for name in files}) == len(names)
    assert all(
        name.isascii() and len(name) < 110 and not set(name) & set('/\\:*?"<>|%#& ')
        for name in files
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "m.dae"]
    assert sorted(row[3] for row in shapes_of(tmp_path / "in" / "out.urdf")) == [
        f"out_meshes/{n}" for n in files
    ]


def test_stems_do_not_meet_other_meshes(tool, tmp_path):
    write(
        tmp_path,
        {
            "robot.urdf": urdf(
                draws("other/M_RED.STL") + draws("m.dae"), draws("a/M.dae") + draws("x/m.dae")
            ),
            "m.dae": painted("red", "blue"),
            "a/M.dae": painted("red"),
            "x/m.dae": painted("red", "m"),
        },
    )
    tool.simplify(tmp_path / "robot.urdf", tmp_path / "out.urdf", split="color", merge=False)
    assert [row[3] for row in shapes_of(tmp_path / "out.urdf")] == [
        "other/M_RED.STL",
        "out_meshes/m_red_2.stl",
        "out_meshes/m_blue.stl",
        "out_meshes/M.stl",
        "out_meshes/m_red_3.stl",
        "out_meshes/m_m.stl",
    ]


@needs_symlinks
@pytest.mark.parametrize(
    "output, mesh_dir",
    [
        ("out.urdf", ""),
        ("sub/out.urdf", ""),
        ("link/out.urdf", ""),
        ("link/out.urdf", "stl"),
        ("sub/out.urdf", "link/stl"),
        ("out.urdf", "linked_meshes"),
        ("out.urdf", "link/../stl"),
        ("link/out.urdf", "link/.."),
        ("out.urdf", "{}/far/a b & c"),
        ("../out.urdf", "sub/../stl"),
        ("out.urdf", "."),
    ],
)
def test_file_names_lead_to_files(command, tmp_path, monkeypatch, output, mesh_dir):
    here = tmp_path / "here"
    (here / "sub").mkdir(parents=True)
    (tmp_path / "far" / "away").mkdir(parents=True)
    (here / "link").symlink_to(tmp_path / "far" / "away")
    (here / "linked_meshes").symlink_to(tmp_path / "far")
    write(here, {"robot.urdf": urdf(draws("m.dae")), "m.dae": painted("red", "blue")})
    monkeypatch.chdir(here)
    more = ["--mesh-dir", mesh_dir.format(tmp_path)] if mesh_dir else []
    assert run(command, "robot.urdf", *SPLIT, "-y", "-o", output, *more).returncode == 0
    names = [row[3] for row in shapes_of(Path(output))]
    assert len(names) == 2
    for name in names:
        assert os.path.isfile(os.path.join(os.path.dirname(output), name)), name


def test_mesh_prefix(tool, folder):
    for prefix in ("package://arm/meshes", "package://arm/meshes/"):
        tool.simplify("robot.urdf", "out.urdf", split="color", mesh_paths=prefix, mesh_dir="stl")
        files = {row[3] for row in shapes_of(folder / "out.urdf") if row[3]}
        assert all(
            name.startswith("package://arm/meshes/") and name.count("/") == 4 for name in files
        )
        assert {name.rpartition("/")[2] for name in files} < set(listing(folder / "stl"))
