"""The expansion of xacro input with the user's own `xacro` command."""

from __future__ import annotations

import os
import re
import sys
from typing import Dict, Mapping, Sequence, Tuple

from ..base.type_aliases import Pair
from ..base.errors import UsageError
from ..base.file_reading import read_file, read_standard_input
from ..base.paths import is_same_file
from .package_resolver import find_package, PackageResolver

XACRO_ARGUMENT = r"(?s)[A-Za-z_][\w.-]*:=.*"
MOST_LINES = 3  # of the message of xacro when it fails
MISSING_ARGUMENT = r"Undefined substitution argument (\S+)"
# The xacro of ROS 2 calls this function of this module for `$(find NAME)` (its substitution_args.py), but `pip install
# xacro` does not install the module.
PACKAGES_MODULE = """FOLDERS = {!r}
def get_package_share_directory(name, *more, **options):
    if name not in FOLDERS:
        raise LookupError("no folder of the package <" + name + ">")
    return FOLDERS[name]
"""
MISSING_PACKAGE = rb"no folder of the package <([^<>]*)>"


def is_xacro(path: str) -> bool:
    """Return True if a file is named like a xacro file."""
    return path.endswith(".xacro")


def check_not_xacro(output: str, path: str) -> None:
    """Refuse to write a URDF over the xacro file that it came from.

    Raises:
        UsageError: the output is the input file.
    """
    if is_xacro(path) and is_same_file(output, path):
        raise UsageError(
            "the output is the input file itself, which is xacro: give another --output", output
        )


def read_expanded(
    path: str,
    arguments: Sequence[str] = (),
    packages: Sequence[Pair] = (),
    environment: Mapping[str, str] = os.environ,
) -> bytes:
    """Return the bytes of a file, or, if it is named `*.xacro`, the output of the `xacro` command for it.

    Args:
        path: the file; "-": standard input.
        arguments: for xacro, each as `name:=value`.
        packages: folders by package name, for `$(find NAME)`; other packages are searched as for meshes.
        environment: the variables with search paths.

    Raises:
        UsageError: the file cannot be read, the xacro command is missing or fails, a package is not found, or an
            argument has a wrong form.
    """
    for argument in arguments:
        if not re.fullmatch(XACRO_ARGUMENT, argument):
            raise UsageError(
                f"--xacro-arg {argument}: give a name and a value, such as prefix:=left_"
            )
    if not is_xacro(path):
        if arguments:
            raise UsageError("--xacro-arg is for a file that ends with .xacro", path)
        return read_standard_input() if path == "-" else read_file(path)
    read_file(path)  # report a missing file with the usual message
    resolver = PackageResolver(os.path.dirname(path) or ".", tuple(packages), environment, {})
    folders: Dict[str, str] = {}
    # Included files may use further packages: run xacro until no package is missing.
    while True:
        status, printed, complaints = _run_xacro(path, arguments, folders)
        missing = re.search(MISSING_PACKAGE, complaints) if status else None
        if missing is None:
            return _checked_output(status, printed, complaints, path)
        name = missing.group(1).decode("utf-8", "backslashreplace")
        folder = find_package(name, resolver)
        if folder is None or name in folders:
            raise UsageError(
                f"no folder is known for the package '{name}' that $(find {name}) names: "
                f"--package {name}=DIR says where it is",
                path,
            )
        folders[name] = folder


def _run_xacro(
    path: str, arguments: Sequence[str], folders: Mapping[str, str]
) -> Tuple[int, bytes, bytes]:
    """Run the xacro command so that it finds exactly the given packages.

    Returns:
        Its exit status, its output, and its error output.
    """
    import subprocess
    import tempfile

    # xacro would read a path that begins with "-" as an option.
    command = _xacro_command(path)
    name = path if not path.startswith("-") else os.path.join(".", path)
    with tempfile.TemporaryDirectory() as modules:
        package = os.path.join(modules, "ament_index_python")
        os.mkdir(package)
        for module, text in (
            ("__init__.py", ""),
            ("packages.py", PACKAGES_MODULE.format(dict(folders))),
        ):
            with open(os.path.join(package, module), "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        # First in the search path, so that this module replaces an installed one.
        search = os.pathsep.join(filter(None, [modules, os.environ.get("PYTHONPATH", "")]))
        try:
            done = subprocess.run(
                [command, name, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                env={**os.environ, "PYTHONPATH": search},
            )
        except (OSError, ValueError) as error:
            raise UsageError(f"xacro cannot be run: {error}", path) from None
    return done.returncode, done.stdout, done.stderr


def _xacro_command(path: str) -> str:
    """Return the path of the xacro command.

    Raises: UsageError: the command is missing; with the ways to get it.
    """
    # Imported here, because it imports four compressors, and only xacro needs it.
    from shutil import which

    command = which("xacro")
    if command is None:
        plain = os.path.basename(path)[: -len(".xacro")]
        plain = plain if "." in plain else f"{plain}.urdf"
        expand = f"`xacro {path} > {plain}` where ROS is installed and give {plain}"
        if sys.platform == "emscripten":  # a browser, which has no commands
            raise UsageError(f"this is xacro, which a browser cannot expand: run {expand}", path)
        raise UsageError(
            "this is xacro, and there is no xacro command on the PATH: `pip install xacro`, "
            f"or run {expand}",
            path,
        )
    return command


def _checked_output(status: int, printed: bytes, complaints: bytes, path: str) -> bytes:
    """Return the output of xacro, or refuse its failure with its last lines."""
    if status != 0:
        lines = [
            line.strip()
            for line in complaints.decode("utf-8", "backslashreplace").splitlines()
            if line.strip()
        ]
        why = "; ".join(_reason_in(lines)) or f"no message, exit status {status}"
        argument = re.search(MISSING_ARGUMENT, why)
        cure = f": --xacro-arg {argument.group(1)}:=VALUE gives it a value" if argument else ""
        raise UsageError(f"xacro failed: {why}{cure}", path)
    if not printed.strip():
        raise UsageError("xacro printed nothing", path)
    return printed


def _reason_in(lines: Sequence[str]) -> Sequence[str]:
    """Return the few lines of an error output with the reason: xacro prints the error first, and then its context."""
    if len(lines) <= MOST_LINES:
        return lines
    first = next((k for k, line in enumerate(lines) if line.startswith("error:")), None)
    if first is None or first >= len(lines) - MOST_LINES:
        return lines[-MOST_LINES:]
    return [*lines[first : first + MOST_LINES - 1], lines[-1]]
