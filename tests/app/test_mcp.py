"""mcp: recorded lines to a server, as an assistant starts it; the guard of its folder; what it writes with --write."""

import json
import os
import shutil
import subprocess
import sys

import golden
import pytest
from commands import in_process, listing, python_path
from conftest import needs_symlinks, ROOT
from mesh_files import binary_stl, tetrahedron

from urdf_tools.app.command_table import main
from urdf_tools.app.mcp.allowed_folders import is_inside
from urdf_tools.app.mcp.mcp_tools import check_path
from urdf_tools.base.errors import UsageError

ARM = golden.FIXTURES / "arm"
UNICODE = "rob\u00f4 \u673a\u5668.urdf"
ENDS = (b"\n", b"\r\n")  # line ends in turn, as from several systems
START = (
    "sys.argv[0] = 'urdf-simplify'; from urdf_tools.__main__ import console; sys.exit(console())"
)
OUTSIDE = "this server reads and writes only below the folder it was started in"


def answers_to(folder, *messages, options=()):
    """Start a server in a folder, send it messages, and return the results by their ids, and all bytes that it printed."""
    lines = [
        json.dumps(message).encode() + ENDS[number % 2] for number, message in enumerate(messages)
    ]
    # As the installed command: Python looks for no module in the folder where it starts.
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; del sys.path[0]; {START}", "mcp", *options],
        cwd=folder,
        input=b"".join(lines),
        env={**os.environ, "PYTHONPATH": python_path(ROOT)},
        timeout=120,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {answer["id"]: answer.get("result", answer.get("error")) for answer in found}


def call(number, name, **arguments):
    """Return a call of a tool."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def text_of(result):
    """Return the text of the result of a call."""
    (block,) = result["content"]
    assert block["type"] == "text"
    return block["text"]


def refused(result):
    """Return the sentence of a refused call."""
    assert result["isError"] is True and "structuredContent" not in result
    return text_of(result)


@pytest.fixture(scope="module")
def robots(tmp_path_factory):
    """A folder with robots, beside one that no server of it may read; a module named like one that Python loads."""
    folder = tmp_path_factory.mktemp("robots")
    inside = folder / "inside"
    shutil.copytree(ARM, inside)
    shutil.copy(ARM / "robot.urdf", inside / UNICODE)
    (folder / "outside").mkdir()
    shutil.copy(ARM / "robot.urdf", folder / "outside" / "robot.urdf")
    (folder / "outside" / "hook.stl").write_bytes(binary_stl(tetrahedron()))
    (inside / "reaches_out.urdf").write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="../outside/hook.stl"/>'
        "</geometry></visual></link></robot>"
    )
    for name in ("json", "argparse", "tempfile"):
        (inside / f"{name}.py").write_text("raise SystemExit('a module of the robots was loaded')")
    return inside


@pytest.fixture(scope="module")
def session(robots):
    """The answers of one server that may only read, and the files before and after."""
    before = listing(robots)
    answers = answers_to(
        robots,
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        call("lint", "lint", files=[UNICODE]),
        call("compare", "compare", a="robot.urdf", b=UNICODE, aspects="no-meshes"),
        call("explain", "explain", text="mass and inertia of moving bodies must be larger"),
        call("simplify", "simplify", robot="robot.urdf", keep=["tool0"], merge=True, split=None),
        call("edit", "edit", robot="robot.urdf", flip="elbow*", rename=["tool0=tip"]),
        call("export", "export", robot="robot.urdf", targets=["new/a.xml"], base="fixed"),
        call("attach", "edit", robot="robot.urdf", attach="../outside/robot.urdf tool0"),
        call(
            "mesh",
            "export",
            robot="reaches_out.urdf",
            targets=["a.xml"],
            mesh_format="obj",
            require_meshes=True,
        ),
        call("misspelled", "simplify", robot="robot.urdf", keep_frame=True),
        call("value", "simplify", robot="robot.urdf", snap=7),
        call("writes", "simplify", robot="robot.urdf", output="new.urdf"),
        call("missing", "lint", files=["gone.urdf"]),
    )
    return answers, before, listing(robots)


def test_the_session_begins_and_lists_the_tools(session):
    answers, _, _ = session
    assert answers[1]["protocolVersion"] == "2025-06-18"
    assert "write nothing" in answers[1]["instructions"]
    names = [tool["name"] for tool in answers[2]["tools"]]
    assert names == ["lint", "compare", "explain", "simplify", "edit", "export"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lint", ["lint", UNICODE]),
        ("compare", ["compare", "robot.urdf", UNICODE, "--aspects", "no-meshes"]),
        ("simplify", ["robot.urdf", "-n", "--keep", "tool0"]),
        ("edit", ["edit", "robot.urdf", "-n", "--flip", "elbow*", "--rename", "tool0=tip"]),
        ("export", ["export", "robot.urdf", "new/a.xml", "-n", "--base", "fixed"]),
    ],
)
def test_a_result_is_the_report_of_the_command_as_json_and_as_text(
    session, robots, tmp_path, monkeypatch, name, words
):
    monkeypatch.chdir(robots)
    report = tmp_path / "report.json"
    done = in_process([*words, "--report", str(report)], main=main)
    result = session[0][name]
    assert result["isError"] is False
    assert result["structuredContent"] == json.loads(report.read_text())
    printed = (done.stdout + done.stderr).decode().splitlines()
    lines = [line for line in printed if str(report) not in line]
    assert text_of(result).splitlines() == lines


def test_an_explanation_is_a_text(session):
    text = text_of(session[0]["explain"])
    assert text.startswith("MuJoCo: mass and inertia of moving bodies")
    assert "urdf-simplify lint robot.urdf --fix" in text


def test_a_refusal_is_one_sentence_for_the_assistant(session):
    answers, _, _ = session
    assert refused(answers["misspelled"]) == (
        "simplify: unknown argument 'keep_frame' (did you mean 'keep_frames'?)"
    )
    assert refused(answers["value"]).startswith("snap 7: give an angle from 0 to 0.1 rad")
    assert refused(answers["writes"]) == (
        "simplify: 'output' writes files, and this server was started without --write"
    )
    assert "gone.urdf" in refused(answers["missing"])


def test_what_a_robot_or_an_option_names_outside_is_not_read(session):
    answers, _, _ = session
    assert refused(answers["attach"]).endswith(OUTSIDE)
    assert OUTSIDE in " ".join(refused(answers["mesh"]).split())


def test_a_server_without_write_leaves_all_files_as_they_are(session):
    _, before, after = session
    assert after == before


def test_a_server_with_write_writes_below_its_folder_alone(tmp_path):
    folder = tmp_path / "robots"
    shutil.copytree(ARM, folder)
    answers = answers_to(
        folder,
        call("dry", "simplify", robot="robot.urdf", output="dry.urdf", dry_run=True),
        call("inside", "simplify", robot="robot.urdf", output="new/simple.urdf"),
        call("outside", "simplify", robot="robot.urdf", output="../simple.urdf"),
        call("target", "export", robot="robot.urdf", targets=["../a.xml"]),
        options=["--write"],
    )
    assert not (folder / "dry.urdf").exists() and answers["dry"]["isError"] is False
    assert answers["inside"]["structuredContent"]["output"]["path"] == "new/simple.urdf"
    assert "Done!" in text_of(answers["inside"])
    assert (folder / "new" / "simple.urdf").exists()
    assert refused(answers["outside"]).endswith(OUTSIDE)
    assert refused(answers["target"]).endswith(OUTSIDE)
    assert {path.name for path in tmp_path.iterdir()} == {"robots"}


GUARDED = """
import os, sys
from urdf_tools.app.mcp.allowed_folders import AllowedFolders, guard
folder, temporary, writes = sys.argv[1:]
guard(AllowedFolders(folder, temporary, writes == "True"))
for act in (
    lambda: open("inside.txt").close(),
    lambda: open(os.path.join("..", "outside.txt")).close(),
    lambda: open("link.txt").close(),
    lambda: os.listdir(".."),
    lambda: open(os.path.join(temporary, "new"), "w").close(),
    lambda: open("new", "w").close(),
    lambda: os.mkdir("folder"),
    lambda: os.rename("inside.txt", "moved.txt"),
    lambda: os.rename("inside.txt", os.path.join("..", "moved.txt")),
    lambda: os.remove(os.path.join("..", "outside.txt")),
):
    try:
        act()
        print("done", end=" ")
    except PermissionError:
        print("refused", end=" ")
"""


@needs_symlinks
@pytest.mark.parametrize(
    ("writes", "expected"),
    [
        (False, "done refused refused refused done refused refused refused refused refused"),
        # The last rename has no file to move any more, and is refused before.
        (True, "done refused refused refused done done done done refused refused"),
    ],
)
def test_the_guard(tmp_path, writes, expected):
    folder = tmp_path / "inside"
    temporary = tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    (folder / "inside.txt").touch()
    (tmp_path / "outside.txt").touch()
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    done = subprocess.run(
        [sys.executable, "-c", GUARDED, str(folder), str(temporary), str(writes)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": python_path(ROOT)},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout.split() == expected.split(), done.stderr


@needs_symlinks
def test_a_path_is_judged_by_what_it_leads_to(tmp_path):
    inside = tmp_path / "inside"
    beside = tmp_path / "inside_too"
    inside.mkdir()
    beside.mkdir()
    (inside / "out").symlink_to(beside)
    (inside / "in").symlink_to(inside)
    assert is_inside(str(inside), str(inside))
    assert is_inside(str(inside / "in" / "a.urdf"), str(inside))
    assert not is_inside(str(beside), str(inside))
    assert not is_inside(str(inside / "out" / "a.urdf"), str(inside))
    for path in ("../a.urdf", "out/a.urdf", str(beside), "-", "\0", "\ud800"):
        with pytest.raises(UsageError):
            check_path("robot", path, str(inside))
    check_path("robot", "in/a.urdf", str(inside))


def test_other_words_are_refused(capsys):
    assert main(["mcp", "--port", "7"]) == 2
    assert "mcp takes --write alone, not '--port'" in capsys.readouterr().err
