"""Run the command line: in this process where that is the same, as a process of its own where it is not."""

import contextlib
import io
import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from engine import main
from urdf_tools.cli.parse_arguments import command_to_paste

PACKAGE = [sys.executable, "-m", "urdf_tools"]


def run(command, *arguments, answer=b"", **environment):
    """Run the tool in the current folder with an answer on standard input; no run may end in a traceback.

    The package is called in this process, where an exception fails the test as it is, unless Python itself is to find
    another environment.
    """
    if list(command) == PACKAGE and not any(
        name.startswith(("PYTHON", "LC_")) for name in environment
    ):
        with mock.patch.dict(os.environ, environment):
            return in_process(arguments, answer)
    done = subprocess.run(
        [*command, *arguments],
        input=answer,
        env={**os.environ, **environment},
        timeout=60,
        capture_output=True,
    )
    assert b"Traceback" not in done.stderr and b"Exception ignored" not in done.stderr, (
        done.stderr.decode()
    )
    # Windows ends lines of text otherwise.
    done.stdout, done.stderr = (
        text.replace(os.linesep.encode(), b"\n") for text in (done.stdout, done.stderr)
    )
    return done


def as_shown(path):
    """Return a path as messages show it on this system."""
    return path.replace("/", os.sep)


def write_command(folder, name, text):
    """Write a command that is found on PATH, given as a program of Python; Windows starts one by a batch file."""
    if os.name == "nt":
        (folder / f"{name}.py").write_text(text, "utf-8")
        (folder / f"{name}.bat").write_text(f'@"{sys.executable}" "%~dp0{name}.py" %*\n', "utf-8")
        return
    (folder / name).write_text(f"#!{sys.executable}\n{text}", "utf-8")
    (folder / name).chmod(stat.S_IRWXU)


def on_path(*folders):
    """Return a PATH that begins with these folders."""
    return os.pathsep.join([*map(str, folders), "/usr/bin", "/bin"])


def python_path(*folders):
    """Return a PYTHONPATH of folders and of those that it has now, where some Pythons find pytest."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def show_file(path):
    """Return a program of Python that prints a file."""
    return f"print(open({str(path)!r}, encoding='utf-8').read())\n"


def path_of_address(address):
    """Return the path that an address of a file names."""
    return Path(url2pathname(urlsplit(address).path))


def python_shown():
    """Return the word with which commands to paste start Python on this system."""
    return command_to_paste()[0]


@contextlib.contextmanager
def folder_with(files):
    """Work in a new folder that has files, given as texts by their names; for laws."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in files.items():
            Path(name).write_bytes(text.encode())
        yield Path(folder)


def refusal(*words, answer=b""):
    """Return the sentence with which the command line refuses these words: all files stay as they are."""
    before = listing(Path("."))
    done = run(PACKAGE, *map(str, words), answer=answer)
    assert (done.returncode, done.stdout) == (2, b"") and listing(Path(".")) == before
    sentence = done.stderr.decode()
    assert sentence.startswith("error: ")
    return sentence[len("error: ") :]


def said(*words, answer=b""):
    """Return the exit status of the command line, and its words on both streams."""
    done = in_process([*map(str, words)], answer)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def folded(*words, expected=(0, 1, 2)):
    """Return the exit status of a command, which is none of a fault, and all of its words, folded lines as one."""
    status, out, err = said(*words)
    text = " ".join((out + err).split())
    assert status in expected, text
    return status, text


def in_process(arguments, answer=b"", main=main):
    """Call `main` with UTF-8 streams that are pipes to it; return what a process would have given."""
    with piped(answer) as (out, err):
        try:
            status = main(list(arguments))
        except SystemExit as ended:  # argparse: --help, or arguments that it refuses
            status = ended.code if isinstance(ended.code, int) else 2
    return subprocess.CompletedProcess(
        [*PACKAGE, *arguments], status, out.getvalue(), err.getvalue()
    )


@contextlib.contextmanager
def piped(answer, *, one=False):
    """Replace the standard streams by ones in memory; yield the bytes behind output and errors, which may be one."""
    out = io.BytesIO()
    err = out if one else io.BytesIO()
    streams = {
        "stdout": io.TextIOWrapper(out, encoding="utf-8", newline="\n", write_through=True),
        "stderr": io.TextIOWrapper(err, encoding="utf-8", newline="\n", write_through=True),
        "stdin": io.TextIOWrapper(io.BytesIO(answer), encoding="utf-8"),
    }
    with contextlib.ExitStack() as stack:
        for name, stream in streams.items():
            stack.enter_context(mock.patch.object(sys, name, stream))
        yield out, err
        for stream in streams.values():
            stream.detach()


def listing(folder):
    """Return every file under a folder with its content, and every folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def until_it_reads(process):
    """Return when a process that has asked its question waits for the answer.

    A signal that comes after Python last looked for one and before the system call stays unseen until there is input.
    """
    state = Path(f"/proc/{process}/stat")
    if not state.exists():
        return time.sleep(0.5)
    while state.read_text().rpartition(")")[2].split()[0] not in "SZ":
        time.sleep(0.001)
    return None


def files_in(folder):
    """Return the names of all files below a folder, in order."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
