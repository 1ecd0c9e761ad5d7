"""Check the files that a run is to write against each other and against its inputs, before any work."""
import os
from typing import Any, NamedTuple, Sequence

from ..base.errors import UsageError
from ..base.files import check_apart, check_output
from ..urdf.xacro import check_not_xacro


class Destination(NamedTuple):
    """A file to write: the option that names it, its path, and the input it may replace if forced ("": none)."""

    spelled: str
    path: str
    own_input: str


def read_path(spelled: str, given: Any) -> str:
    """Return the name of a file as text; "" where None is given.

    Raises:
        UsageError: it is no text and no path, or it is empty.
    """
    if given is None:
        return ""
    path = os.fspath(given) if isinstance(given, os.PathLike) else given
    if not isinstance(path, str) or not path:
        raise UsageError(f"{spelled} {given!r}: give the name of a file")
    return path


def check_destinations(inputs: Sequence[str], outputs: Sequence[Destination], *, force: bool) -> None:
    """Make sure that every file can be written, and none over another or over the input of another.

    Args:
        inputs: the files that are read; "" is none.
        outputs: the files to write.
        force: an output may replace its input.

    Raises:
        UsageError: naming the file, and its option.
    """
    # All that cannot be written by itself comes first: its sentence is of more use than that of two equal names.
    for spelled, path, own_input in outputs:
        if path.endswith(("/", os.sep)) and not os.path.isdir(path):
            raise UsageError(f"the output folder '{path}' does not exist; give {spelled} a file in a folder that does",
                             path)
        check_not_xacro(path, own_input)
        check_output(path, own_input, force=force, option=spelled)
    check_apart([(spelled, path) for spelled, path, _ in outputs])
    for spelled, path, own_input in outputs:
        for other in inputs:
            if other and other != own_input:
                check_apart([("an input", other), (spelled, path)])


def check_folder(folder: str) -> None:
    """Make sure that a folder for meshes, if one is given, can be written, or that it can be made."""
    above = folder
    while above and not os.path.lexists(above):
        above = os.path.dirname(above)
    if above and not os.path.isdir(above):
        raise UsageError("this is not a folder, so --mesh-dir cannot be it or be in it", above)
    if folder and not os.access(above or ".", os.W_OK):
        raise UsageError("--mesh-dir cannot be written: permission denied", folder)
