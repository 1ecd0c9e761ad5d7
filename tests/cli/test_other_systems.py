"""Differences of Windows, macOS, PyPy and archives, played on the system that the tests run on."""

import errno
import gc
import io
import ast
import json
import ntpath
import os
import subprocess
import sys
import types
import zipapp
from pathlib import Path

import commands
import golden
import pytest
from conftest import nodes_of, ROOT

from urdf_tools.__main__ import console
from urdf_tools.base.garbage_collector import collector_at_rest
from urdf_tools.base.errors import UsageError
from urdf_tools.base.file_reading import check_output, read_file
from urdf_tools.base.paths import expanded_patterns
from urdf_tools.base.transaction import Transaction
from urdf_tools.cli.parse_arguments import command_to_paste
from urdf_tools.cli.run_command_line import say, write_text
from urdf_tools.cli.consent_question import ask
from urdf_tools.export import parallel_calls
from urdf_tools.formats.mjcf import read_mjcf, read_mjcf_shapes
from urdf_tools.report.line_layout import TextStyle
from urdf_tools.urdf.mesh_paths import MujocoMeshFolder, names_in

CHAIN = golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf"


@pytest.fixture
def folder(here):
    """An own folder with `robot.urdf` in it, as current folder."""
    (here / "robot.urdf").write_bytes(CHAIN.read_bytes())
    return here


def test_a_frozen_program_may_be_a_worker(monkeypatch):
    """PyInstaller's program is started once more for each worker of a pool, with words that no command line knows."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)

    def work():
        raise SystemExit(7)

    monkeypatch.setattr("multiprocessing.freeze_support", work)
    with pytest.raises(SystemExit) as ended:
        console()
    assert ended.value.code == 7


def test_a_model_that_is_a_scene_by_another_case_has_no_scene(folder):
    status, out, _ = commands.said("export", "robot.urdf", "Scene.xml", "-y")
    assert status == 0
    assert commands.files_in(folder) == ["Scene.xml", "robot.urdf"]
    assert "<worldbody>" in (folder / "Scene.xml").read_text("utf-8")


@pytest.mark.parametrize(
    "words",
    [
        "robot.urdf -y -o a.urdf --report A.URDF",
        "export robot.urdf new/a.json --report New/A.JSON -y",
        "edit robot.urdf --prefix l_ -o a.urdf --page A.URDF -y",
    ],
)
def test_names_of_one_file_on_some_system_are_refused(folder, words):
    status, _, errors = commands.said(*words.split())
    assert status == 2 and "the same" in errors
    assert commands.files_in(folder) == ["robot.urdf"]


class PipeWithoutReader(io.StringIO):
    """A stream that fails as Windows does once nobody reads a pipe."""

    name = "<stdout>"

    def __init__(self, file):
        super().__init__()
        self.file = file

    def fileno(self):
        return self.file.fileno()

    def flush(self):
        raise OSError(errno.EINVAL, "Invalid argument")


@pytest.mark.parametrize("system, ends", [("nt", False), ("posix", True)])
def test_a_closed_pipe_of_windows_ends_the_output_alone(monkeypatch, tmp_path, system, ends):
    with open(tmp_path / "pipe", "wb") as file:
        stream = PipeWithoutReader(file)
        monkeypatch.setattr(os, "name", system)
        try:
            write_text("text", stream)
            was_refused = False
        except UsageError:
            was_refused = True
        finally:
            monkeypatch.undo()
    assert was_refused is ends


def test_windows_has_at_most_61_processes_in_a_pool(monkeypatch):
    from concurrent.futures import process

    asked = []

    def no_pool(workers, **_):
        asked.append(workers)
        raise OSError("none here")

    monkeypatch.setattr(process, "ProcessPoolExecutor", no_pool)
    monkeypatch.setattr(parallel_calls, "processors", lambda: 64)
    monkeypatch.setattr(parallel_calls, "MOST_WORKERS", 61)
    assert parallel_calls.call_in_processes(0, abs, range(-70, 0), lambda *_: None) is None
    assert asked == [61]


def test_a_python_whose_collector_freezes_nothing(monkeypatch):
    monkeypatch.delattr(gc, "freeze")
    was_enabled = gc.isenabled()
    with collector_at_rest(ends=True):
        assert not gc.isenabled()
    assert gc.isenabled() == was_enabled


def test_the_package_runs_out_of_one_archive(folder, tmp_path):
    """As `python -m zipapp` makes it: pages and the parts of the page are read out of the archive."""
    archive = tmp_path / "urdf.pyz"
    zipapp.create_archive(
        ROOT,
        archive,
        main="urdf_tools.cli.single_file_entry:main",
        filter=lambda path: path.parts[0] == "urdf_tools" and "__pycache__" not in path.parts,
    )
    for words in (
        "--version",
        "robot.urdf -y -o new.urdf",
        "lint robot.urdf",
        "export robot.urdf new.xml new.usda new.blender.py -y",
        "simplify robot.urdf -n --page page.html",
    ):
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(archive), *words.split()],
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
    expected = Path("own.urdf")
    assert commands.said("robot.urdf", "-y", "-o", str(expected))[0] == 0
    assert Path("new.urdf").read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_lines_for_a_program_are_utf8_on_every_system(encoding, newline):
    """The stream is as Windows opens it for a pipe; a robot's names, and a name of a file that is no UTF-8."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline=newline)
    say(['{"name": "\u00fc\u0441\U0001f600\udcff"}', "second"], stream, exact=True)
    assert stream.buffer.getvalue() == (
        b'{"name": "\xc3\xbc\xd1\x81\xf0\x9f\x98\x80\\udcff"}\nsecond\n'
    )


def test_json_of_a_robot_with_other_letters_is_json(folder):
    text = CHAIN.read_text("utf-8").replace('<robot name="', '<robot name="\u00fc\u0441')
    (folder / "robot.urdf").write_text(text, "utf-8")
    for words in ("lint robot.urdf --format json", "lint robot.urdf --format sarif"):
        done = subprocess.run(
            [sys.executable, "-m", "urdf_tools", *words.split()],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
            timeout=60,
        )
        assert json.loads(done.stdout.decode("utf-8"))


@pytest.fixture
def windows(monkeypatch):
    """Let modules that ask for the system find Windows; its file names stay those of this system."""
    monkeypatch.setattr(os, "name", "nt")
    yield monkeypatch
    monkeypatch.undo()


@pytest.mark.parametrize("name", ["con", "nul.urdf", "COM1.urdf", "Aux .urdf"])
def test_a_device_of_windows_is_no_output(here, windows, name):
    with pytest.raises(UsageError, match="Windows has a device of this name"):
        check_output(str(here / name), "", force=False)


def test_a_pattern_is_expanded_where_no_shell_does_it(here, windows):
    for name in ("b.urdf", "a.urdf", "c.sdf"):
        (here / name).write_bytes(b"")
    words = ["first", "*.urdf", "none?.urdf", "c.sdf"]
    assert expanded_patterns(words) == ["first", "a.urdf", "b.urdf", "none?.urdf", "c.sdf"]
    windows.undo()
    assert expanded_patterns(words) == words


def test_a_file_that_another_program_holds_is_named_before_anything_is_made(here, windows):
    (here / "a.urdf").write_bytes(b"old")

    def is_open(*_):
        raise PermissionError(errno.EACCES, "Access denied")

    with pytest.raises(UsageError, match="is it open in another program?"):
        with Transaction() as transaction:
            transaction.add(str(here / "a.urdf"), b"new")
            windows.setattr(os, "rename", is_open)
            transaction.commit()
    assert [path.name for path in here.iterdir()] == ["a.urdf"]
    assert (here / "a.urdf").read_bytes() == b"old"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "cp437"])
def test_yes_after_a_byte_order_mark_is_yes(monkeypatch, encoding):
    answer = io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfyes\r\n"), encoding=encoding)
    monkeypatch.setattr(sys, "stdin", answer)
    assert ask(io.StringIO(), TextStyle(False, False, False), {}) is True


def test_a_drive_is_in_no_folder_of_meshes():
    assert names_in(MujocoMeshFolder("meshes", "false"), "C:\\a\\b.stl") == ("C:/a/b.stl",)
    assert names_in(MujocoMeshFolder("meshes", "true"), "C:\\a\\b.stl") == ("meshes/b.stl",)


def test_a_folder_that_windows_says_may_not_be_read_is_named_a_folder(here, monkeypatch):
    (here / "robots").mkdir()
    (here / "robots" / "arm.urdf").write_bytes(b"")

    def locked(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("builtins.open", locked)
    with pytest.raises(UsageError, match="this is a folder: name a file in it, such as arm.urdf"):
        read_file("robots")


def test_meshes_of_an_mjcf_that_is_named_with_backslashes(here, monkeypatch):
    """The file lies where Windows' own rules take its name apart."""
    (here / "robots").mkdir()
    (here / "robots" / "a.stl").write_bytes(b"")

    def is_file(path):
        return os.path.isfile(path.replace("\\", "/"))

    of_windows = types.SimpleNamespace(**{**vars(ntpath), "isfile": is_file})
    for module in (read_mjcf, read_mjcf_shapes):
        monkeypatch.setattr(module, "os", types.SimpleNamespace(path=of_windows))
    robot = read_mjcf.read_mjcf(
        '<mujoco><asset><mesh name="m" file="a.stl"/></asset><worldbody><body name="b"><joint/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/>'
        "</body></worldbody></mujoco>",
        "robots\\leg.xml",
    )
    paths = {shape.path for link in robot.links for shape in link.shapes}
    assert paths == {"robots\\a.stl"}


def test_the_tool_names_the_encoding_of_each_text_and_its_line_end():
    """Windows has others; the tests' own `Path.write_text` is the same everywhere (`conftest.py`)."""
    found = []
    for path in sorted((ROOT / "urdf_tools").rglob("*.py")):
        for call in nodes_of(path):
            if isinstance(call, ast.Call) and opens_text(call):
                found += [f"{path.relative_to(ROOT).as_posix()}:{call.lineno}"]
    assert found == []


def opens_text(call):
    """Return True for a call that reads or writes a text in the encoding or with the line ends of a system."""
    name = getattr(call.func, "id", None) or getattr(call.func, "attr", "")
    given = {keyword.arg for keyword in call.keywords}
    if name in ("read_text", "write_text") and isinstance(call.func, ast.Attribute):
        return True
    if name != "open" or isinstance(call.func, ast.Attribute):
        return False
    modes = {each.value for each in ast.walk(call) if isinstance(each, ast.Constant)}
    goes_nowhere = getattr(call.args[0], "id", "") == "NOWHERE"  # `os.devnull`
    if goes_nowhere or modes & {"rb", "wb", "xb", "ab", "r+b"}:
        return False
    return "encoding" not in given or ("w" in modes and "newline" not in given)


def test_a_command_to_paste_names_a_python_that_is_there(windows):
    windows.setattr(sys, "argv", ["urdf_simplify.py"])
    windows.setattr(sys, "executable", "/somewhere/python.exe")
    assert command_to_paste()[0] in ("py", "python")
