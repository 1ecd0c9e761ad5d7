"""`view --watch`: one page on the loopback address, drawn again when a file behind it changes, ended by Ctrl-C."""

import contextlib
import http.client
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import golden
import pytest
from conftest import ROOT
from urllib.parse import unquote, urlsplit

from urdf_tools import main
from urdf_tools.app.view_watch import WatchedFiles

CRANE = golden.FIXTURES / "collision"
SECONDS = 30.0
pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Ctrl-C of another process is a signal of POSIX"
)


def with_cranes(folder):
    """Return a folder with two robots and their meshes in it."""
    shutil.copytree(CRANE / "meshes", folder / "meshes")
    for name in ("crane.urdf", "hulls.urdf"):
        shutil.copy(CRANE / name, folder)
    return folder


class Watching:
    """A process that watches robots, and what it printed so far."""

    def __init__(self, folder, *words):
        environment = {
            **os.environ,
            "BROWSER": "true",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "urdf_tools", "view", *words, "--watch"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.printed = ""
        self.address = self.line(r"Watching \d+ files? at (\S+) \(Ctrl-C ends\)\n")

    def line(self, pattern):
        """Wait for a line, and return the first group of what it matches."""
        deadline = time.monotonic() + SECONDS
        stream = self.process.stdout
        assert stream is not None
        while not re.search(pattern, self.printed):
            ready, _, _ = select.select([stream], [], [], deadline - time.monotonic())
            more = os.read(stream.fileno(), 65536) if ready else b""
            assert more, f"{pattern} never came: {self.printed}"
            self.printed += more.decode()
        match = re.search(pattern, self.printed)
        assert match is not None
        return match.group(1) if match.groups() else match.group()

    def ask(self, path="", method="GET", host="", named=""):
        """Return status, headers and body for a path of the server; "": that of the page."""
        parts = urlsplit(self.address)
        connection = http.client.HTTPConnection(
            host or str(parts.hostname), parts.port, timeout=SECONDS
        )
        with contextlib.closing(connection):
            connection.request(method, path or parts.path, headers={"Host": named} if named else {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    def end(self, number=signal.SIGINT):
        """Send a signal; return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS)

    def close(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture()
def folder(tmp_path):
    return with_cranes(tmp_path)


@pytest.fixture()
def watching(folder):
    started = Watching(folder, "crane.urdf")
    yield started
    started.close()


def renamed(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def until(condition):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_one_path_is_served_and_nothing_else(watching, folder):
    parts = urlsplit(watching.address)
    assert parts.hostname == "127.0.0.1" and re.fullmatch(r"/[\w-]{22}", parts.path)
    status, headers, page = watching.ask()
    assert (
        status == 200 and headers["Content-Type"] == "text/html; charset=utf-8" and b"crane" in page
    )
    assert headers["Cache-Control"] == "no-store" and headers["X-Frame-Options"] == "DENY"
    assert (
        watching.ask(method="HEAD")[1]["ETag"] == headers["ETag"]
        and watching.ask(method="HEAD")[2] == b""
    )
    for path in (
        "/",
        parts.path + "x",
        parts.path[:-1],
        "/crane.urdf",
        "/meshes/boom.stl",
        "/../crane.urdf",
        parts.path + "/crane.urdf",
        parts.path + "?crane.urdf",
    ):
        status, headers, body = watching.ask(path)
        assert (status, body) == (404, b"") and "ETag" not in headers, path
    assert watching.ask(method="POST")[0] == 501
    assert sorted(path.name for path in folder.iterdir()) == ["crane.urdf", "hulls.urdf", "meshes"]
    with pytest.raises(OSError):  # nor at another address of the machine
        watching.ask(host="127.0.0.2")
    another = Watching(folder, "crane.urdf", "hulls.urdf")
    assert urlsplit(another.address).path != parts.path and another.end() == 0
    another.close()


def test_a_page_under_a_name_of_another_site_gets_nothing(watching):
    """A site may let its own name mean this machine for a while (DNS rebinding), and read what is served there."""
    for name in (
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil",
        "[",
    ):
        status, headers, body = watching.ask(named=name)
        assert (status, body) == (404, b"") and not {"ETag", "X-Problem"} & set(headers), name
    for name in ("127.0.0.1:9000", "localhost:9000", "localhost", "[::1]:1"):
        assert watching.ask(named=name)[0] == 200, name


def test_the_page_is_drawn_again_when_the_file_or_a_mesh_changes(watching, folder):
    marks = [watching.ask()[1]["ETag"]]

    def another():
        mark = watching.ask(method="HEAD")[1]["ETag"]
        if mark != marks[-1]:
            marks.append(mark)
            return True
        return False

    renamed(folder / "crane.urdf", 'name="crane"', 'name="crane_with_another_name"')
    until(another)
    assert b"crane_with_another_name" in watching.ask()[2]
    mesh = next(iter(sorted(folder.glob("meshes/*"))))
    held = mesh.read_bytes()
    mesh.unlink()
    until(another)
    mesh.write_bytes(held)  # a file that was lost is still watched
    until(another)
    assert marks[3] == marks[1] != marks[2]
    assert watching.printed == "" or watching.line(r"drawn again\n") and watching.end() == 0


def test_a_mesh_that_is_missing_at_first_is_drawn_when_it_comes(folder):
    (folder / "meshes").rename(folder / "not_yet")
    watching = Watching(folder, "crane.urdf")
    try:
        assert b'id="missing"' in watching.ask()[2]
        (folder / "not_yet").rename(folder / "meshes")
        watching.line(r"drawn again\n")
        assert b'id="missing"' not in watching.ask()[2]
    finally:
        watching.close()


def test_a_change_that_shows_nothing_else_draws_nothing(watching, folder):
    mark = watching.ask()[1]["ETag"]
    os.utime(folder / "crane.urdf")
    time.sleep(1.5)
    assert (
        watching.ask()[1]["ETag"] == mark
        and watching.end() == 0
        and "drawn again" not in watching.printed
    )


def test_a_file_that_is_broken_for_a_while_keeps_its_page(watching, folder):
    page = watching.ask()[2]
    text = (folder / "crane.urdf").read_text("utf-8")
    (folder / "crane.urdf").write_text(text[: len(text) // 2], "utf-8")
    sentence = watching.line(r"(crane\.urdf:\d+: .*)\n")
    assert watching.ask()[2] == page and sentence in unquote(
        watching.ask(method="HEAD")[1]["X-Problem"]
    )
    (folder / "crane.urdf").write_text(
        text.replace('name="crane"', 'name="mended"'), encoding="utf-8"
    )
    watching.line(r"\d\d:\d\d:\d\d drawn again\n")
    assert b"mended" in watching.ask()[2] and "Traceback" not in watching.printed
    assert watching.ask(method="HEAD")[1]["X-Problem"] == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_quietly(watching, number):
    assert watching.end(number) == (0 if number == signal.SIGINT else 128 + number)
    assert watching.process.stdout is not None and watching.process.stdout.read().strip() == b""
    with pytest.raises(OSError):
        watching.ask()


@pytest.mark.parametrize(
    "words, message",
    [
        (["crane.urdf", "-o", "page.html"], "--watch and --output cannot be combined"),
        (["-"], "--watch takes names of files, not standard input"),
        (["none.urdf"], "none.urdf: no such file"),
    ],
)
def test_what_cannot_be_watched_is_refused(
    folder,
    monkeypatch,
    capsys,
    words,
    message,
):
    monkeypatch.chdir(folder)
    assert main(["view", *words, "--watch"]) == 2 and message in capsys.readouterr().err


def test_files_that_are_read_are_known_and_programs_are_not(tmp_path):
    for name in (
        "robot.urdf.xacro",
        "arm.xacro",
        "part.xacro",
        "collada.stl",
        "other.stl",
        "tool.py",
    ):
        (tmp_path / name).write_text(name, "utf-8")
    read = WatchedFiles([str(tmp_path / "robot.urdf.xacro")])
    for name in ("collada.stl", "tool.py"):
        (tmp_path / name).read_bytes()
    (tmp_path / "written.stl").write_text("", "utf-8")
    assert [Path(path).name for path in sorted(read.stamps)] == [
        "arm.xacro",
        "collada.stl",
        "part.xacro",
        "robot.urdf.xacro",
    ]
    assert not read.changed()
    for change in (
        lambda path: path.write_text("longer than before", "utf-8"),
        Path.unlink,
        Path.touch,
    ):
        change(tmp_path / "collada.stl")
        assert read.changed() and not read.changed()
    (tmp_path / "other.stl").unlink()
    assert not read.changed()
