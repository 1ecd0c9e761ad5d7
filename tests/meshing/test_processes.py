"""COLLADA meshes of a robot: the same bytes from one process or several, and what a terminal shows meanwhile."""

import io
import itertools
import os
import pickle
import sys
from types import SimpleNamespace

import pytest
from conftest import SINGLE_FILE, load_by_path, needs_pools
from engine import main, simplify
from mesh_robots import listing, run

from urdf_tools.cli import run_command_line as cli_command
from urdf_tools.app.run_extension import EXTENSION
from urdf_tools.export.meshes import mesh_process_pool
from urdf_tools.export.meshes.mesh_process_pool import PooledConverter
from urdf_tools.export.parallel_calls import call_in_processes
from urdf_tools.app.package_options import TABLE
from urdf_tools.plan.run_options import MeshOptions
from urdf_tools.run.run_records import ExtensionRequest


def test_same_bytes_whatever_way(command, folder):
    wanted = {}
    for k, more in enumerate([[], [], ["--jobs", "1"], ["--jobs", "2"]]):
        done = run(command, "robot.urdf", "--separate-dae-meshes", "-y", "-o", "out.urdf", *more)
        assert (done.returncode, done.stderr) == (0, b"")
        assert (b"(14 of them again)" in done.stdout) is (k > 0)
        found = listing(folder)
        assert found == (wanted or found)
        wanted = found
    done = run(command, "out.urdf", "--separate-dae-meshes", "--check")
    assert (done.returncode, done.stdout) == (0, b"out.urdf is simplified already\n")
    assert (
        run(
            command, "out.urdf", "--separate-dae-meshes", "-y", "--force", "-o", "out.urdf"
        ).returncode
        == 0
    )
    assert listing(folder) == wanted


def test_the_single_file_makes_the_same_in_one_process(folder):
    copied = load_by_path(SINGLE_FILE, "of_no_module")
    with pytest.raises(TypeError, match="^unknown option 'jobs'"):
        copied.simplify("robot.urdf", "one.urdf", split="color", jobs=2, mesh_dir="one")
    copied.simplify("robot.urdf", "one.urdf", split="color", mesh_dir="one")
    simplify("robot.urdf", "two.urdf", split="color", jobs=2, mesh_dir="two")
    assert listing(folder / "one") == listing(folder / "two")


@needs_pools
def test_processes_are_used_and_can_be_missing(folder, monkeypatch):
    calls = []
    real = mesh_process_pool.call_in_processes

    def counted(jobs, function, given, finished):
        calls.append(jobs)
        sizes = [os.path.getsize(call[0].path) for call in given]
        assert len(set(sizes)) > 1 and sizes == sorted(sizes, reverse=True), (
            "the largest come first"
        )
        return real(jobs, function, given, finished)

    monkeypatch.setattr(mesh_process_pool, "call_in_processes", counted)
    simplify("robot.urdf", "a.urdf", split="color", mesh_dir="a")
    assert calls == [1]
    simplify("robot.urdf", "b.urdf", split="color", mesh_dir="b", jobs=3)
    assert calls == [1, 3]
    monkeypatch.setattr(mesh_process_pool, "call_in_processes", lambda *_: None)
    simplify("robot.urdf", "c.urdf", split="color", mesh_dir="c", jobs=3)
    assert listing(folder / "a") == listing(folder / "b") == listing(folder / "c")


@needs_pools
def test_calls_in_processes():
    told = []

    def finished(call, answer):
        told.append((call, answer))

    assert call_in_processes(2, abs, [-1, 2, -3], finished) == [1, 2, 3]
    assert told == [(-1, 1), (2, 2), (-3, 3)]
    assert call_in_processes(1, abs, [-1, 2], finished) is None, "one process is this one"
    died = call_in_processes(2, os._exit, [3, 3], finished)
    assert died is None, "a process that dies is not waited for"
    with pytest.raises(ValueError):
        call_in_processes(2, int, ["1", "x"], finished)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def set_clock(monkeypatch, seconds):
    """Let that much time pass between two looks at the clock."""
    now = itertools.count(step=seconds)
    monkeypatch.setattr(cli_command, "time", SimpleNamespace(monotonic=lambda: next(now)))


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_progress_is_shown_at_a_terminal_when_it_takes_long(folder, monkeypatch, jobs, seconds):
    set_clock(monkeypatch, seconds)
    monkeypatch.setattr("sys.stderr", Terminal())
    assert main(["robot.urdf", "--separate-dae-meshes", "--yes", "--quiet", "--jobs", jobs]) == 0
    shown = sys.stderr.getvalue().split("\r\x1b[K")
    names = [line.split(":")[0].split(" (")[0] for line in shown if line.endswith(" triangles ")]
    assert set(names) == (
        {path.name for path in (folder / "meshes").rglob("*.dae")} if seconds else set()
    )
    assert not shown[-1].endswith(" triangles "), "the line is removed"
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert main(["robot.urdf", "--separate-dae-meshes", "--yes", "--quiet", "--jobs", jobs]) == 0
    assert "\r" not in sys.stderr.getvalue(), "a pipe gets no line that changes"


def test_progress_is_removed_before_an_error(folder, monkeypatch):
    set_clock(monkeypatch, 1.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    last = sorted(folder.rglob("*.dae"))[-1]
    last.write_bytes(last.read_bytes()[:-20])
    assert main(["robot.urdf", "--separate-dae-meshes", "--yes", "--require-meshes"]) == 2
    shown, _, error = sys.stderr.getvalue().rpartition("\r\x1b[K")
    assert " triangles " in shown and last.name in error and " triangles " not in error


def test_a_line_that_was_not_shown_is_not_removed(folder, monkeypatch):
    set_clock(monkeypatch, 1.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    os.rename("meshes/base.dae", "meshes/other.dae")
    assert main(["robot.urdf", "--separate-dae-meshes", "--yes", "--require-meshes"]) == 2
    assert "base.dae' is not found" in sys.stderr.getvalue() and "\r" not in sys.stderr.getvalue()


def test_every_converter_can_be_sent_to_another_process():
    choices = dict.fromkeys((row.name for row in TABLE), None)
    for given in ({}, {"mesh_format": "glb"}, {"for": "mujoco"}, {"mesh_paths": "package://r"}):
        asked = ExtensionRequest({**choices, **given}, "robot.urdf", "out.urdf")
        converter = EXTENSION.mesh_converter(asked, MeshOptions(separate_dae_meshes=True))
        sent = pickle.loads(pickle.dumps(converter))
        assert type(sent) is type(converter) and (type(sent) is PooledConverter) is (given == {})
        assert (sent.form, sent.options, sent.rare()) == (
            converter.form,
            converter.options,
            converter.rare(),
        )
