"""Long work on meshes that is stopped leaves nothing behind; what is left of it is estimated meanwhile."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import ROOT
from mesh_files import binary_stl
from surfaces import as_float32, ball

from urdf_tools.export.meshes.mesh_process_pool import left_of
from urdf_tools.meshes import remaining_time
from urdf_tools.meshes.remaining_time import time_text
from urdf_tools.plan.mesh_tasks import MeshJob

SHAPE = '<{0}><geometry><mesh filename="{1}.stl"/></geometry></{0}>'
SPHERES = ("collision", "robot.urdf", "--shape", "spheres", "--overhang", "2mm", "-y")
# In two processes, where there are two processors.
VISUAL = ("robot.urdf", "--visual-error", "0.05mm", "-y")


def used(group):
    """Return the processor time of all processes of a group [s]."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        ticks += (int(fields[2]) == group) * (int(fields[11]) + int(fields[12]))
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="/proc says that a run has come to its long work"
)
@pytest.mark.parametrize(
    "words, number, status",
    [(VISUAL, signal.SIGINT, 1), (SPHERES, signal.SIGTERM, 143)],
    ids=["visual", "spheres"],
)
def test_a_signal_leaves_no_file_and_no_process(tmp_path, words, number, status):
    for k in (1, 2):
        (tmp_path / f"{k}.stl").write_bytes(binary_stl(as_float32(ball(100, 200, 0.1 * k))))
    shapes = "".join(SHAPE.format(kind, k) for k in (1, 2) for kind in ("visual", "collision"))
    (tmp_path / "robot.urdf").write_text(
        f'<robot name="r"><link name="base">{shapes}</link></robot>'
    )
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    process = subprocess.Popen(
        [sys.executable, "-m", "urdf_tools", *words],
        cwd=str(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    until = time.monotonic() + 60
    while process.poll() is None and used(process.pid) < 1.2 and time.monotonic() < until:
        time.sleep(0.05)
    assert process.poll() is None, process.communicate()
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (status, b"")
    assert b"Stopped. No file was written." in errors and b"Traceback" not in errors
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_what_is_left_is_estimated_from_what_is_done(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(remaining_time, "time", SimpleNamespace(monotonic=lambda: now[0]))
    jobs = [MeshJob(f"/robot/{name}.stl", False, "visual", "") for name in "abc"]
    shown = {}
    left = left_of(dict(zip(jobs, (100, 300, 600))), shown.__setitem__)
    left.show(jobs[0], 5)
    now[0] += 10.0
    left.finish(jobs[0])
    left.show(jobs[0], 7)
    left.show(jobs[1], 8)
    now[0] += 30.0
    left.finish(jobs[1])
    left.show(jobs[2], 9)
    assert shown == {
        "a.stl (1 of 3)": 5,
        "a.stl (1 of 3, about 2 min left)": 7,
        "b.stl (2 of 3, about 2 min left)": 8,
        "c.stl (3 of 3, about 60 s left)": 9,
    }
    left = left_of({jobs[0]: 1}, shown.__setitem__)
    left.show(jobs[0], 1)
    assert shown["a.stl"] == 1
    assert [*map(time_text, (1.2, 89.0, 100.0, 5000.0, 6000.0))] == [
        "1 s",
        "89 s",
        "2 min",
        "83 min",
        "2 h",
    ]
