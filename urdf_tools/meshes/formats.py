"""The readers of mesh formats by file name ending; a new format is a file with its reader and a line here."""
import os
from typing import Callable, Dict

from ..base.errors import BrokenMesh
from ..collada.records import DaeOptions, DEFAULT_DAE_OPTIONS
from .dae_reader import read_collada
from .form import Mesh
from .gltf_reader import read_gltf
from .obj_reader import read_obj
from .stl_files import read_stl

READERS: Dict[str, Callable[[str, DaeOptions, bool], Mesh]] = {
    **dict.fromkeys((".dae", ".zae"), lambda path, options, shape_only: read_collada(
        path, options, shape_only=shape_only)),
    ".stl": lambda path, *_: read_stl(path),
    ".stlb": lambda path, *_: read_stl(path),
    ".obj": lambda path, _, shape_only: read_obj(path, shape_only=shape_only),
    ".gltf": lambda path, options, shape_only: read_gltf(path, options.scene.up_axis, shape_only=shape_only),
    ".glb": lambda path, options, shape_only: read_gltf(path, options.scene.up_axis, shape_only=shape_only),
}


def ending_of(path: str) -> str:
    """Return the ending of a mesh file in lower case, with its dot."""
    return os.path.splitext(path)[1].lower()


def read_mesh(path: str, options: DaeOptions = DEFAULT_DAE_OPTIONS, *, shape_only: bool = False) -> Mesh:
    """Read a mesh file by its ending.

    With `shape_only`, normals and texture coordinates are not read, and no surface has any.

    Raises:
        BrokenMesh, MalformedXml: it cannot be read, or its format is none of `READERS`.
    """
    reader = READERS.get(ending_of(path))
    if reader is None:
        known = ", ".join(READERS)
        raise BrokenMesh(f"'{ending_of(path)}' is not a mesh format that is read here ({known})", path)
    return reader(path, options, shape_only)
