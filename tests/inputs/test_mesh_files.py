"""Meshes that an MJCF holds itself are files of the result: the same robot, written with it or not at all."""

import os
import re

import pytest
from commands import files_in, in_process

from engine import simplify
from urdf_tools.base.errors import ProofFailed, UsageError
from urdf_tools.base.transaction import Transaction
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.compare.comparison_text import report, verdict_line
from urdf_tools.inputs import embedded_meshes as mesh_files
from urdf_tools.plan.run_options import MeshOptions

MOST = "max_faces"  # of a file, which no option sets
BODY = (
    '<body name="{0}" pos="1 0 0"><joint name="{0}_j" range="-1 1"/><inertial pos="0 0 0" mass="1" '
    'diaginertia="1 1 1"/><geom type="mesh" mesh="{1}"/></body>'
)
TENT = 'vertex="0 0 0 0.1 0 0 0 0.2 0 0 0 0.3 0.02 0.02 0.02"'
MJCF = (
    '<mujoco><asset><mesh name="tent" {tent} scale="1 2 -1"/>'
    '<mesh name="Tent" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 0 0 1"/></asset>'
    '<worldbody><body name="base"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    '<geom type="mesh" mesh="tent"/>'
    + BODY.format("a", "tent")
    + BODY.format("b", "Tent")
    + "</body></worldbody></mujoco>"
)


def robot_in(folder):
    folder.mkdir(exist_ok=True)
    (folder / "robot.xml").write_text(MJCF.format(tent=TENT))
    return folder / "robot.xml"


@pytest.mark.parametrize("output", ("in/out.urdf", "elsewhere/deep/out.urdf"))
def test_the_result_is_the_same_robot(output, tmp_path):
    """Also in the exports of the same run, and in the result of a second one."""
    source, target = robot_in(tmp_path / "in"), tmp_path / output
    target.parent.mkdir(parents=True, exist_ok=True)
    simplify(
        source,
        target,
        mjcf=target.with_name("out.xml"),
        sdf=target.with_name("out.sdf"),
        usd=target.with_name("out.usda"),
    )
    assert files_in(target.parent / "out_meshes") == ["Tent_2.stl", "tent.stl"]
    for name in ("out.urdf", "out.xml", "out.sdf", "out.usda"):
        comparison = compare(read_robot_of(source), read_robot_of(target.with_name(name)))
        assert verdict_line(comparison) == "Same robot: exactly, for all positions", report(
            comparison, full=True
        )
    simplify(target, target.with_name("again.urdf"))
    assert (
        compare(read_robot_of(source), read_robot_of(target.with_name("again.urdf"))).verdict
        == "same"
    )


@pytest.mark.parametrize(
    "choices",
    [
        {"for_": "mujoco"},
        {"for_": "drake"},
        {"mesh_format": "obj"},
        {"mesh_format": "stl", MOST: 3},
        {"mesh_dir": "out_meshes"},
        {"mesh_dir": "deep/place"},
        {"for_": "drake", "mesh_dir": "deep/place"},
    ],
    ids=str,
)
def test_what_is_asked_of_meshes_is_done_in_the_same_run(choices, here, monkeypatch):
    """Nothing is looked for that is still to be written, and what an earlier run wrote there is not read."""
    split = MOST in choices
    if split:
        monkeypatch.setattr(
            MeshOptions.__new__,
            "__defaults__",
            tuple({**MeshOptions._field_defaults, MOST: choices[MOST]}.values()),
        )
        choices = {name: choice for name, choice in choices.items() if name != MOST}
    source, target = robot_in(here), here / "out.urdf"
    for tent in (TENT.replace("0.3", "0.4"), TENT):
        source.write_text(MJCF.format(tent=tent))
        result = simplify(source, target, force=True, **choices)
        assert "mesh-not-found" not in {
            note.kind.name for note in (*result.plan.warnings, *result.exported.warnings)
        }
        text, files = target.read_text("utf-8"), files_in(here)
        named = set(re.findall('mesh filename="([^"]*)"', text))
        assert named <= set(files)
        comparison = compare(read_robot_of(source), read_robot_of(target))
        if split:  # a collision in parts is other collisions
            assert {one.kind for one in comparison.differences} == {"shape_only_a", "shape_only_b"}
            assert {one.names[1].split()[0] for one in comparison.differences} == {"collision"}
        else:
            assert verdict_line(comparison) == "Same robot: exactly, for all positions", report(
                comparison, full=True
            )


def test_nothing_is_left_of_a_run_that_writes_nothing(tmp_path, monkeypatch):
    source = robot_in(tmp_path)
    simplify(source)
    assert in_process([str(source), "--dry-run"]).returncode == 0
    assert in_process([str(source), "-o", str(tmp_path / "out.urdf")], b"no\n").returncode != 0
    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "_keep", lambda *_: os.mkdir(source))  # which is there
        with pytest.raises(UsageError, match="cannot be written"):
            simplify(source, tmp_path / "out.urdf")
    assert files_in(tmp_path) == ["robot.xml"] and not (tmp_path / "out_meshes").exists()


def test_another_file_in_its_place_stays(tmp_path):
    """What this tool wrote is replaced, also after an edit."""
    source = robot_in(tmp_path)
    mesh = tmp_path / "out_meshes" / "tent.stl"
    mesh.parent.mkdir()
    mesh.write_bytes(b"mine")
    with pytest.raises(UsageError, match="not written by this tool"):
        simplify(source, tmp_path / "out.urdf")
    assert mesh.read_bytes() == b"mine" and not (tmp_path / "out.urdf").exists()
    simplify(source, tmp_path / "out.urdf", force=True)
    source.write_text(MJCF.format(tent=TENT.replace("0.3", "0.4")))
    assert compare(read_robot_of(source), read_robot_of(tmp_path / "out.urdf")).verdict == "limits"
    simplify(source, tmp_path / "out.urdf", force=True)
    assert compare(read_robot_of(source), read_robot_of(tmp_path / "out.urdf")).verdict == "same"


def test_a_place_can_be_named_and_must_be_for_standard_output(tmp_path):
    source = robot_in(tmp_path)
    simplify(source, tmp_path / "out.urdf", mesh_dir=str(tmp_path / "kept"))
    assert {"kept/tent.stl", "kept/Tent_2.stl"} <= set(files_in(tmp_path))
    assert compare(read_robot_of(source), read_robot_of(tmp_path / "out.urdf")).verdict == "same"
    done = in_process([str(source), "-o", "-", "-y"])
    assert (
        done.returncode == 2 and "give --mesh-dir: the meshes need a place" in done.stderr.decode()
    )


def test_a_file_that_is_another_mesh_is_refused(tmp_path, monkeypatch):
    """The read-back proof sees one corner that moved, and a triangle that is missing."""
    write = mesh_files.write_stl

    def moved(surface, path):
        surface.positions[3] += 0.125
        written = write(surface, path)
        surface.positions[3] -= 0.125
        return written

    def shortened(surface, path):
        return write(surface._replace(corners=surface.corners[3:]), path)

    for mutant in (moved, shortened):
        monkeypatch.setattr(mesh_files, "write_stl", mutant)
        with pytest.raises(ProofFailed):
            simplify(robot_in(tmp_path), tmp_path / "out.urdf")
    assert os.listdir(tmp_path) == ["robot.xml"]
