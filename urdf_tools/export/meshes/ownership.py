"""Decide which existing mesh files may be replaced: those that this tool wrote, of any format."""
import os
from typing import Optional

from ...mesh.stl import is_own_stl, stl_source
from ...plan.mesh_splitting import MeshFile

OWN_WORDS = (b"written by urdf_simplify\n", b'"generator":"urdf_simplify"')  # of OBJ and MTL, of glTF
MARKED_BYTES = 4096


def owns_mesh(file: MeshFile) -> Optional[bool]:
    """Return True if what is in the place of a file may be replaced, None if this tool did not write it."""
    if is_own_mesh(file.target, file.source, shared=file.shared, along=file.part is None):
        return True
    return False if is_marked(file.target) else None


def is_marked(path: str) -> bool:
    """Return True if a plain file says that this tool wrote it."""
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


def is_own_mesh(target: str, made: str, *, shared: bool, along: bool) -> bool:
    """Return True if the file in a place may be replaced by the one that was made for it.

    One that goes along with a mesh (`along`: a buffer or an image) holds no mark: in the folder of this robot alone it
    is taken for one of this tool, in a `shared` one only if it is the same.
    """
    if target.endswith(".stl"):
        return is_own_stl(target, made, shared=shared)
    return is_same_content(target, made) or not shared and (is_marked(target) or along)


def is_same_content(path: str, other: str) -> bool:
    """Return True if both are plain files of equal bytes."""
    try:
        if os.path.islink(path) or os.path.getsize(path) != os.path.getsize(other):
            return False
        with open(path, "rb") as stream, open(other, "rb") as made:
            return all(block == made.read(len(block)) for block in iter(lambda: stream.read(1 << 20), b""))
    except OSError:
        return False
