"""Check the files that a run is to write, before any work: against each other, its inputs, and existing files.

An existing mesh may be replaced only if this tool wrote it from the same source.
"""

from __future__ import annotations

import os
from typing import Any, Iterable, List, Optional, Sequence, TYPE_CHECKING

from ..base.errors import UsageError
from ..base.file_reading import check_apart, check_output, existing_folder, file_stamp
from ..base.number_text import shown_names
from ..base.option_table import OptionRow, read_choice
from ..base.paths import common_folder
from ..base.record_type import Record
from ..urdf.expand_xacro import check_not_xacro

if TYPE_CHECKING:
    from ..plan.mesh_tasks import FinishedFile

NAME_OF_FILE = OptionRow("file", "", "", is_output=True, advice="give the name of a file")


WITH_URDF = ("simplify", "edit", "collision")  # the commands whose output is a URDF


class Destination(Record):
    """A file to write: the option that names it, its path, and the input it may replace if forced ("": no input)."""

    spelled: str
    path: str
    own_input: str


def read_path(spelled: str, given: Any) -> str:
    """Return the name of a file as text, "" for None.

    Raises:
        UsageError: the name is neither a text nor a path, or it is empty.
    """
    path: str = read_choice(NAME_OF_FILE, given, spelled) or ""
    return path


def check_destinations(
    inputs: Sequence[str], outputs: Sequence[Destination], *, force: bool
) -> None:
    """Make sure that every file can be written, and that no file replaces another output or the input of another
    output.

    Args:
        inputs: the files that are read; "" stands for no file.
        outputs: the files to write.
        force: an output may replace its input.

    Raises:
        UsageError: naming the file, and its option.
    """
    # A file that cannot be written is reported first: that message helps more than a message about two equal names.
    for spelled, path, own_input in outputs:
        if path.endswith(("/", os.sep)) and not os.path.isdir(path):
            raise UsageError(
                f"this names a folder: give {spelled} the name of a file, such as {path}robot.urdf",
                path,
            )
        check_not_xacro(path, own_input)
        check_output(path, own_input, force=force, option=spelled)
    check_apart([(spelled, path) for spelled, path, _ in outputs])
    for spelled, path, own_input in outputs:
        for other in inputs:
            if other and other != own_input:
                check_apart([("an input", other), (spelled, path)])


# Formats of robots and meshes that no URDF reader takes. A URDF may be named `.xml`.
NO_URDF = (".sdf", ".usda", ".usd", ".usdc", ".usdz", ".json", ".dae", ".stl", ".obj")


def check_names_urdf(verb: str, spelled: str, path: str) -> None:
    """Refuse to write a URDF under the name of another format; only some commands write a URDF.

    Raises:
        UsageError: the ending of the name is the ending of another format.
    """
    ending = os.path.splitext(path)[1]
    if verb in WITH_URDF and ending.lower() in NO_URDF:
        raise UsageError(
            f"{verb} writes a URDF, which is no {ending} file: give {spelled} a name that ends with .urdf, and convert "
            "the result with export",
            path,
        )


def check_folder(folder: str) -> None:
    """Make sure that the folder for meshes, if one is given, can be written or made."""
    above = existing_folder(folder)
    if not os.path.isdir(above):
        raise UsageError("this is not a folder, so --mesh-dir cannot be it or be in it", above)
    if folder and not os.access(above, os.W_OK):
        raise UsageError("--mesh-dir cannot be written: permission denied", folder)


# The marks in OBJ and MTL files, and in glTF files.
OWN_WORDS = (b"written by urdf_simplify\n", b'"generator":"urdf_simplify"')
MARKED_BYTES = 4096  # the beginning of a file, which contains the mark


def folder_of(files: Sequence[FinishedFile]) -> str:
    """Return the folder that will hold all files."""
    return common_folder([os.path.dirname(file.target) or "." for file in files]) or "."


def is_marked(path: str) -> bool:
    """Return True if a plain file contains the mark of this tool."""
    from ..collada.binary_stl import stl_source

    if path.endswith(".stl"):
        return stl_source(path) is not None
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            return False
        with open(path, "rb") as stream:
            start = stream.read(MARKED_BYTES)
    except OSError:
        return False
    return any(words in start for words in OWN_WORDS)


def may_replace(file: FinishedFile) -> Optional[bool]:
    """Return True if a file may replace the existing file, None if this tool did not write the existing file, False if
    it wrote it from a different source.

    Buffers and images of a mesh have no mark: in a folder of this robot alone they count as written by this tool.
    """
    from ..collada.binary_stl import has_same_triangles, stl_source
    from filecmp import cmp

    target = file.target
    made = file.source
    marked = is_marked(file.target)
    if not file.shared and (marked or file.part is None):
        return True
    if (
        marked
        and target.endswith(".stl")
        and (stl_source(target) == stl_source(made) or has_same_triangles(target, made))
    ):
        return True
    try:
        if (
            not os.path.islink(target)
            and os.path.isfile(target)
            and cmp(target, made, shallow=False)
        ):
            return True
    # An existing file that cannot be read counts as foreign.
    except OSError:
        pass
    return False if marked else None


def foreign_files(files: Iterable[FinishedFile]) -> List[FinishedFile]:
    """Return the files that would replace an existing file but may not."""
    return [file for file in files if os.path.lexists(file.target) and not may_replace(file)]


def check_mesh_files(
    files: Iterable[FinishedFile], *, force: bool, option: str = "--mesh-dir"
) -> None:
    """Make sure that only files are replaced that this tool wrote from the same source, and that the new files are as
    they were verified.

    Raises:
        UsageError: naming such files, and the option that names their folder.
    """
    files = list(files)
    changed = [
        file.target
        for file in files
        if file.part and file.part.stamp not in ((), file_stamp(file.source))
    ]
    if changed:
        raise UsageError(
            "another program changed this file during the run: run this again",
            changed[0],
        )
    foreign = [] if force else foreign_files(files)
    others = [file.target for file in foreign if may_replace(file) is None]
    if others:
        raise UsageError(
            f"not written by this tool: {shown_names(others)}; give another {option}, or --force"
        )
    if foreign:
        more = f" (and {len(foreign) - 1} more)" if len(foreign) > 1 else ""
        raise UsageError(
            f"was made from another file than {foreign[0].origin}{more}, maybe for another robot: give "
            f"another {option}, or --force",
            foreign[0].target,
        )
