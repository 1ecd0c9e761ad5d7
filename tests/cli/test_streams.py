"""Closed streams, and Ctrl-C while the program is being loaded: no traceback, and the right exit status."""

import signal
import subprocess
import sys

import golden
import pytest
from commands import until_it_reads
from conftest import ROOT, SINGLE_FILE, needs_posix

CHAIN = golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf"
COMMA = golden.FIXTURES / "odd" / "comma_vector" / "robot.urdf"
STARTS = {
    "single_file": [sys.executable, str(SINGLE_FILE)],
    "package": [sys.executable, "-m", "urdf_tools"],
}


@pytest.fixture
def folder(here, monkeypatch):
    """An own folder with `robot.urdf` in it, as current folder, from where the package can be imported."""
    (here / "robot.urdf").write_bytes(CHAIN.read_bytes())
    (here / "warned.urdf").write_bytes(COMMA.read_bytes())
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return here


def closed(arguments, closing, start="package"):
    """Run with a standard stream closed."""
    command = " ".join([*STARTS[start], arguments, closing])
    return subprocess.run(["sh", "-c", command], capture_output=True, encoding="utf-8", timeout=60)


@needs_posix("a shell closes the stream")
@pytest.mark.parametrize(
    "arguments, status, errors",
    [
        ("robot.urdf -n", 0, ""),
        ("robot.urdf -y", 0, ""),
        ("robot.urdf --check", 1, ""),
        ("--version", 0, ""),
        ("--help", 0, ""),
        ("robot.urdf -y -q -o -", 2, "error: <stdout>: standard output is closed\n"),
    ],
)
def test_closed_output(folder, arguments, status, errors):
    done = closed(arguments, ">&-")
    assert (done.returncode, done.stderr) == (status, errors)
    assert (folder / "robot_simplified.urdf").exists() == (arguments == "robot.urdf -y")


@needs_posix("a shell closes the stream")
@pytest.mark.parametrize("start", ["single_file", "package"])
def test_closed_errors(folder, start):
    done = closed("warned.urdf -y -q", "2>&-", start)
    assert (done.returncode, done.stdout) == (0, "") and (
        folder / "warned_simplified.urdf"
    ).exists()
    assert closed("nothing.urdf", "2>&-", start).returncode == 2


@needs_posix("a shell closes the stream")
def test_the_extractor_with_closed_streams(folder):
    model = golden.FIXTURES / "dae" / "valid" / "two_materials.dae"
    assert closed(f"export {model} out", ">&- 2>&-").returncode == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "two_materials_Green.stl",
        "two_materials_Red.stl",
    ]


def interrupted(command, module):
    """Run a command to which Ctrl-C comes at the moment when it imports a module."""
    code = (
        "import os, runpy, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        f"sys.modules.pop({module!r}, None)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "start = sys.argv[1:]\n"
        "sys.argv[:] = start[-1:]\n"
        "if start[0] == '-m':\n"
        "    runpy.run_module(start[1], run_name='__main__', alter_sys=True)\n"
        "else:\n"
        "    runpy.run_path(start[0], run_name='__main__')\n"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *command[1:]],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


@needs_posix("signals to a process")
@pytest.mark.parametrize("start", STARTS)
def test_interrupt_while_loading(folder, start):
    done = interrupted(STARTS[start], "argparse")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


@needs_posix("signals to a process")
@pytest.mark.parametrize("start", ["single_file", "package"])
def test_interrupt_at_the_question_is_not_done(folder, start):
    before = sorted(folder.iterdir())
    process = subprocess.Popen(
        [*STARTS[start], "robot.urdf"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    text = b""
    while not text.endswith(b"(yes/no/?): "):
        text += process.stdout.read(1)
    until_it_reads(process.pid)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=60)
    assert (process.returncode, rest, errors) == (1, b"\nStopped. Nothing was written.\n", b"")
    assert sorted(folder.iterdir()) == before


def test_warnings_without_a_line_that_are_alike_share_one(tool):
    """Those with a line, which editors can follow, stay apart."""

    def left_out(mesh, form, line=0):
        return tool.Diagnostic(tool.MERGED_LINK, line, "named", (mesh, "x", form))

    notices = [left_out(f"{name}.stl", form) for name in "abcde" for form in ("MJCF", "SDF")]
    notices += [left_out("f.stl", "SDF"), left_out("g", "USD", 3), left_out("h", "USD", 4)]
    lines = tool.warning_lines("r.urdf", notices)
    first = "warning: r.urdf: a.stl names a link that is merged into '{}'; left as it is; also b.stl, c.stl and {} more"
    assert lines[:2] == [first.format("MJCF", 2), first.format("SDF", 3)] and len(lines) == 4
    assert [line.partition(" names")[0] for line in lines[2:]] == [
        "warning: r.urdf:3: g",
        "warning: r.urdf:4: h",
    ]
