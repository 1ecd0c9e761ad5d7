"""What a run writes: all or nothing with every kind of file, and nothing that belongs to somebody else."""

import os
import shutil
import signal
from pathlib import Path

import golden
import pytest
from commands import as_shown
from counted_calls import content, Counter
from engine import main

from urdf_tools.base import transaction
from urdf_tools.base.errors import UsageError
from urdf_tools.cli import run_and_ask as one_run
from urdf_tools.run.run_pipeline import simplify

PAINTED = golden.FIXTURES / "painted_arm"
ROBOT = (
    '<robot name="r"><link name="a"><visual><geometry><mesh filename="meshes/base.dae"/></geometry></visual>'
    "</link></robot>"
)
CHANGING = ("open", "link", "replace", "unlink", "mkdir", "rmdir", "chmod", "fsync")
ARGUMENTS = "robot.urdf -y -q -o out.urdf --srdf robot.srdf --report report.json --combine-dae-meshes --jobs 1".split()
OUTPUTS = ["out.urdf", "out.srdf", "report.json", "out_meshes"]


@pytest.fixture
def folder(here):
    """An own folder with a robot of one mesh and its SRDF, as current folder."""
    (here / "meshes").mkdir()
    shutil.copy(str(PAINTED / "meshes" / "base.dae"), str(here / "meshes"))
    (here / "robot.urdf").write_text(ROBOT)
    (here / "robot.srdf").write_text(
        '<robot name="r"><group name="g"><link name="a"/></group></robot>'
    )
    return here


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 1), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("old", [False, True], ids=["new", "again"])
def test_a_signal_at_every_call_of_a_run(folder, capsys, number, status, old):
    """URDF, SRDF, report and mesh are old or new as a whole; nothing temporary is left; the exit status tells."""
    if old:
        assert main([*ARGUMENTS, "--scale", "2", "--base-frame", "onshape"]) == 0
    before = content(folder)
    with pytest.MonkeyPatch.context() as patch:
        counter = Counter(patch, calls=CHANGING)
        assert main(ARGUMENTS) == 0
    after = content(folder)
    assert set(after) == {*before, *OUTPUTS, "out_meshes/base.stl"} and counter.count > 12
    assert not old or all(
        before[name] != after[name]
        for name in (*OUTPUTS[::3], "out_meshes/base.stl")
        if after[name]
    )
    ends = []
    for when in range(1, counter.count + 1):
        reset(folder, before)
        with pytest.MonkeyPatch.context() as patch:
            Counter(patch, lambda: signal.raise_signal(number), when, calls=CHANGING)
            try:
                ends.append(main(ARGUMENTS))
            except SystemExit as end:
                ends.append(int(str(end.code)))
        there = content(folder)
        assert there in (before, after), when
        said = capsys.readouterr().err.split("\n")
        assert ("Stopped, but everything was written." in said) == (there == after), when
        assert ("Stopped. No file was written." in said) == (there == before), when
    assert set(ends) == {status}


def reset(folder, files):
    """Make the outputs what they were."""
    for name in OUTPUTS:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink() if path.exists() else None
    for name in files:
        if name in OUTPUTS[:3] or name.startswith("out_meshes/"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(files[name])


def test_a_shared_mesh_folder(folder, capsys):
    """A second robot does not replace the mesh of the first; the same robot again does."""
    for name, mesh in (("A", "tube"), ("B", "base")):
        (folder / name / "meshes").mkdir(parents=True)
        (folder / name / "robot.urdf").write_text(ROBOT)
        shutil.copy(
            str(PAINTED / "meshes" / f"{mesh}.dae"), str(folder / name / "meshes" / "base.dae")
        )
    shared = ["-y", "-q", "--combine-dae-meshes", "--mesh-dir", "shared"]
    assert main(["A/robot.urdf", "-o", "A.urdf", *shared]) == 0
    assert main(["A/robot.urdf", "-o", "A.urdf", *shared, "--scale", "2"]) == 0
    before = content(folder)
    capsys.readouterr()
    for more in (["-o", "B.urdf"], ["-o", "B.urdf", "-n"], ["--check"]):
        assert main(["B/robot.urdf", *shared, *more]) == 2
        origin = os.path.realpath("B/meshes/base.dae")
        assert capsys.readouterr().err == (
            f"error: {as_shown('shared/base.stl')}: was made from another file than "
            f"{origin}, maybe for another robot: give another --mesh-dir, or --force\n"
        )
        assert content(folder) == before
    with pytest.raises(UsageError, match="was made from another file"):
        simplify("B/robot.urdf", "B.urdf", mesh_format="stl", mesh_dir="shared")
    assert main(["B/robot.urdf", "-o", "B.urdf", *shared, "--force"]) == 0
    assert content(folder)["shared/base.stl"] != before["shared/base.stl"]


def test_a_hard_link_is_reported(folder, capsys):
    (folder / "out.urdf").write_bytes(b"<robot/>")
    os.link("out.urdf", "other.urdf")
    assert main(ARGUMENTS) == 0
    assert capsys.readouterr().err.splitlines()[-1] == (
        "warning: out.urdf: this file has 2 names (hard links); only this one is replaced, the others keep the old "
        "content"
    )
    assert (folder / "other.urdf").read_bytes() == b"<robot/>" != (folder / "out.urdf").read_bytes()
    assert main(ARGUMENTS) == 0
    assert "hard links" not in capsys.readouterr().err


COMMENTS = [
    "urdf_simplify needs these options: keep tool0, base-frame ros",
    "urdf_simplify: x=forward y=left z=up",
    "urdf_simplify knows: x=forward y=left z=up",
    "see urdf_simplify 0.1.0: x=forward y=left z=up",
]


@pytest.mark.parametrize("comment", COMMENTS)
def test_a_comment_of_a_person_stays(folder, comment, capsys):
    pairs = "".join(
        f'<link name="{side}_{part}"/><joint name="{side}_{part}" type="fixed"><parent link="a"/>'
        f'<child link="{side}_{part}"/><origin xyz="{x} 0 0"/></joint>'
        for side, x in (("left", -1), ("right", 1))
        for part in ("hip", "knee")
    )
    plain = ROBOT.replace("</robot>", pairs + "</robot>")
    (folder / "robot.urdf").write_text(f"<!-- {comment} -->\n{plain}")
    (folder / "robot.srdf").write_text(
        f"<!-- {comment} -->\n<robot name='r'><group name='g'><link name='left_hip'/>"
        "</group></robot>"
    )
    arguments = "robot.urdf -y -q -o out.urdf --srdf robot.srdf --no-merge".split()
    assert main(arguments) == 0
    for name in ("out.urdf", "out.srdf"):
        lines = (folder / name).read_text().splitlines()
        assert lines[0] == f"<!-- {comment} -->"
        assert name == "out.srdf" or lines[1].startswith("<!-- urdf_simplify 0"), lines[:3]
    turned = (folder / "out.urdf").read_text()
    (folder / "robot.urdf").write_text(plain)
    assert main(arguments) == 0
    # The comment is no evidence of a turn.
    assert (folder / "out.urdf").read_text() == turned.partition("\n")[2]
    assert main(["out.urdf", "-y", "-q", "-o", "again.urdf"]) == 0
    assert (folder / "again.urdf").read_text().count(": x=forward y=left z=up -->") == 1


@pytest.mark.parametrize(
    "start, foreign",
    [
        (f"<!-- {COMMENTS[0]} -->", True),
        ("<!-- urdf_simplify 0.1.0: frames as in the input -->", False),
    ],
)
def test_only_our_own_note_makes_a_file_ours(
    folder,
    capsys,
    start,
    foreign,
    monkeypatch,
):
    (folder / "out.urdf").write_text(f"{start}\n<robot/>")
    monkeypatch.setattr(one_run, "ask", lambda *_, **__: False)
    assert main(["robot.urdf", "-o", "out.urdf"]) == 1
    assert (
        "replaces out.urdf, not marked as written by this tool" in capsys.readouterr().out
    ) is foreign


def test_what_a_killed_run_left_is_removed(folder, monkeypatch):
    monkeypatch.setattr(transaction, "_has_ended", lambda process: True)
    with transaction.Transaction() as one:
        name = Path(one.staging_folder("")).name
    left = [folder / name, folder / "out_meshes" / name]
    for path in left:
        path.mkdir(parents=True)
        (path / "mesh0.stl").write_bytes(b"")
    assert main(ARGUMENTS) == 0
    assert not any(path.exists() for path in left)
