"""Expand xacro input with the user's own `xacro` command."""
import os
import re
from shutil import which
from typing import Sequence

from ..base.errors import UsageError
from ..base.files import is_same_file, read_file

XACRO_ARGUMENT = r"(?s)[A-Za-z_][\w.-]*:=.*"
LAST_LINES = 3  # of what xacro says when it fails


def is_xacro(path: str) -> bool:
    """Return True if a file is named as xacro files are."""
    return path.endswith(".xacro")


def check_not_xacro(output: str, path: str) -> None:
    """Make sure that a URDF is not written over the xacro file that it came from.

    Raises:
        UsageError: it would be written over.
    """
    if is_xacro(path) and is_same_file(output, path):
        raise UsageError("the output is the input file itself, which is xacro: give another", output)


def read_expanded(path: str, arguments: Sequence[str] = ()) -> bytes:
    """Return the bytes of a file, or, if it is named `*.xacro`, what the `xacro` command makes of it.

    Args:
        path: the file.
        arguments: for xacro, each as `name:=value`.

    Raises:
        UsageError: the file cannot be read, there is no xacro command, it fails, or an argument has another form.
    """
    for argument in arguments:
        if not re.fullmatch(XACRO_ARGUMENT, argument):
            raise UsageError(f"--xacro-arg {argument}: give a name and a value, such as prefix:=left_")
    if not is_xacro(path):
        if arguments:
            raise UsageError("--xacro-arg is for a file that ends with .xacro", path)
        return read_file(path)
    read_file(path)  # report a missing file with the usual message
    return _run_xacro(path, arguments)


def _run_xacro(path: str, arguments: Sequence[str]) -> bytes:
    import subprocess

    command = which("xacro")
    if command is None:
        plain = os.path.basename(path)[: -len(".xacro")]
        plain = plain if "." in plain else f"{plain}.urdf"
        raise UsageError(f"this is xacro, and there is no xacro command on the PATH: `pip install xacro`, or run "
                         f"`xacro {path} > {plain}` where ROS is installed and give {plain}", path)
    name = path if not path.startswith("-") else os.path.join(".", path)
    try:
        done = subprocess.run([command, name, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"xacro cannot be run: {error}", path) from None
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.decode("utf-8", "backslashreplace").splitlines() if line.strip()]
        why = "; ".join(lines[-LAST_LINES:]) or f"no message, exit status {done.returncode}"
        raise UsageError(f"xacro failed: {why}", path)
    if not done.stdout.strip():
        raise UsageError("xacro printed nothing", path)
    return done.stdout
