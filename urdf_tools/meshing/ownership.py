"""Decide whether an existing file may be replaced: not one of another program or person, or of another source."""
import os
from typing import Iterable, List, Optional, Sequence

from ..base.errors import UsageError
from ..base.files import file_stamp
from ..base.number_text import shown_names
from ..plan.mesh_tasks import MeshFile

OWN_WORDS = (b"written by urdf_simplify\n", b'"generator":"urdf_simplify"')  # of OBJ and MTL, of glTF
MARKED_BYTES = 4096


def folder_of(files: Sequence[MeshFile]) -> str:
    """Return the folder that will hold all files."""
    return os.path.commonpath([os.path.dirname(file.target) or "." for file in files]) or "."


def is_marked(path: str) -> bool:
    """Return True if a plain file says that this tool wrote it."""
    from ..mesh.stl import stl_source

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


def may_replace(file: MeshFile) -> Optional[bool]:
    """Return True if a file may replace the existing one, None if this tool did not write that, False if it did, but
    from another source.

    Files that belong to a mesh, a buffer or an image, have no mark: in a folder of this robot alone they are assumed
    to be written by this tool.
    """
    from ..mesh.stl import has_same_triangles, stl_source
    from filecmp import cmp

    target, made, marked = file.target, file.source, is_marked(file.target)
    if not file.shared and (marked or file.part is None):
        return True
    if marked and target.endswith(".stl") and (
            stl_source(target) == stl_source(made) or has_same_triangles(target, made)):
        return True
    try:
        if not os.path.islink(target) and os.path.isfile(target) and cmp(target, made, shallow=False):
            return True
    except OSError:  # it cannot be read
        pass
    return False if marked else None


def foreign_files(files: Iterable[MeshFile]) -> List[MeshFile]:
    """Return the files that would replace an existing file but may not."""
    return [file for file in files if os.path.lexists(file.target) and not may_replace(file)]


def check_mesh_files(files: Iterable[MeshFile], *, force: bool, option: str = "--mesh-dir") -> None:
    """Make sure that no file is replaced which this tool did not write, or which it made from another source, and that
    the new files are as they were verified.

    Raises:
        UsageError: naming such files, and the option that names their folder.
    """
    files = list(files)
    changed = [file.target for file in files if file.part and file.part.stamp not in ((), file_stamp(file.source))]
    if changed:
        raise UsageError("another program changed this file while it waited for its place: run this again", changed[0])
    foreign = [] if force else foreign_files(files)
    others = [file.target for file in foreign if may_replace(file) is None]
    if others:
        raise UsageError(f"not written by this tool: {shown_names(others)}; give another {option}, or --force")
    if foreign:
        more = f" (and {len(foreign) - 1} more)" if len(foreign) > 1 else ""
        raise UsageError(f"was made from another file than {foreign[0].origin}{more}, maybe for another robot: give "
                         f"another {option}, or --force", foreign[0].target)
