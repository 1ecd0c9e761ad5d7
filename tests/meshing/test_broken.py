"""COLLADA meshes of a robot that are missing or broken: they stay as they are and are told of."""

import os
import shutil
import zipfile
from pathlib import Path
from typing import List

import golden
import pytest
from dae_writer import (document)
from mesh_robots import draws, listing, painted, run, shapes_of, SPLIT, urdf, write


BROKEN = {
    "truncated": (painted("red")[:700], ":2: is not well-formed XML"),
    "index": (painted("red").replace("0 2 1 0", "0 2 1 9"), ":2: <triangles> has an index beyond its 4 positions"),
    "empty": ("", ":1: is not well-formed XML"),
    "entities": ('<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>' + painted("red").partition("?>")[2].strip(), ":1: "),
    "nothing": (document(), ": draws no triangles"),
    "pointer": (f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n",
                ": is a Git LFS pointer: git lfs pull"),
    "claim": (painted("red").replace('count="12"', 'count="2000000000"'), ""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mesh_is_left_alone(command: List[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                     name: str) -> None:
    text, message = BROKEN[name]
    write(
        tmp_path,
        {
            "robot.urdf": urdf(draws("good.dae") + draws("bad.dae", name="it") + draws("bad.dae", kind="collision")),
            "good.dae": painted("red", "blue"),
            "bad.dae": text,
        },
    )
    monkeypatch.chdir(tmp_path)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-q", "-o", "out.urdf")
    assert done.returncode == 0
    files = [row[3] for row in shapes_of(tmp_path / "out.urdf") + shapes_of(tmp_path / "out.urdf", "collision")]
    if not message:
        assert files[2:] == ["out_meshes/bad.stl", "out_meshes/bad_collision.stl"]
        return
    assert files == ["out_meshes/good_red.stl", "out_meshes/good_blue.stl", "bad.dae", "bad.dae"]
    lines = done.stderr.decode().splitlines()
    bad = os.path.realpath("bad.dae")
    assert [line for line in lines if line.startswith(f"warning: robot.urdf:8: {bad}{message}")], lines
    assert sorted(listing(tmp_path / "out_meshes")) == ["good_blue.stl", "good_red.stl"]
    before = listing(tmp_path)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-q", "-o", "out.urdf", "--require-meshes")
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.decode().startswith(f"error: robot.urdf:8: {bad}{message}")
    assert listing(tmp_path) == before


def test_an_archive_and_a_bomb(command: List[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "good.zae", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.dae", painted("red"))
    shutil.copy(golden.FIXTURES / "dae" / "refused" / "archive_bomb.zae", tmp_path / "bomb.zae")
    write(tmp_path, {"robot.urdf": urdf(draws("good.zae") + draws("bomb.zae"))})
    monkeypatch.chdir(tmp_path)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-o", "out.urdf")
    assert done.returncode == 0
    assert [row[3] for row in shapes_of(tmp_path / "out.urdf")] == ["out_meshes/good.stl", "bomb.zae"]


def test_a_missing_mesh_lists_what_was_tried(command: List[str], folder: Path) -> None:
    (folder / "meshes" / "sign.dae").unlink()
    text = (folder / "robot.urdf").read_text().replace("meshes/gripper.dae", "package://arm/gripper.dae")
    (folder / "robot.urdf").write_text(text)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-q", "-o", "out.urdf", ROS_PACKAGE_PATH="/ros")
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()
    here = os.path.realpath("meshes/sign.dae")
    assert f"warning: robot.urdf:103: 'meshes/sign.dae' is not found ({here} is not there)" in lines
    assert (
        "warning: robot.urdf:121: 'package://arm/gripper.dae' is not found (/ros/arm/gripper.dae is not there)"
    ) in lines
    assert [row[3] for row in shapes_of(folder / "out.urdf") if row[3].endswith(".dae")] == [
        "meshes/sign.dae",
        "package://arm/gripper.dae",
    ]
    before = listing(folder)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-o", "new.urdf", "--require-meshes")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"error: robot.urdf:103: 'meshes/sign.dae' is not found ({here} is not there)\n"
    assert listing(folder) == before
