"""The readers of mesh files by ending: as surfaces, or as plain points of triangles; and the files that belong to a mesh.

These are materials of OBJ, images of MTL and COLLADA, buffers and images of glTF. A new format needs a file with its
reader and a line in `READERS`.
"""

from __future__ import annotations

import os
import re
from itertools import chain, product
from typing import Callable, Dict, Iterable, List, Optional, Tuple

from ..base.type_aliases import Texts
from ..base.errors import BrokenMesh, UsageError
from ..base.record_type import Record
from ..collada.collada_document import LFS_START
from ..collada.conversion_records import DaeOptions, DEFAULT_DAE_OPTIONS
from ..urdf.mesh_paths import decoded, is_relative
from .read_mesh_files import image_ending, WHITE
from .mesh_content import (
    MAX_TRIANGLES,
    MeshContent,
    Point,
    Rgb,
    Rgba,
    MaterialSurface,
    triangles_of,
)

STL_ENDINGS = (".stl", ".stlb")
GLTF_ENDINGS = (".gltf", ".glb")


# Each reader is imported when the first file of its format is read.
def _collada(path: str, options: DaeOptions, shape_only: bool) -> MeshContent:
    """Return the mesh of a COLLADA file."""
    from .dae_reader import read_collada

    return read_collada(path, options, shape_only=shape_only)


def _stl(path: str, *_: object) -> MeshContent:
    """Return the mesh of an STL file."""
    from .stl_files import read_stl

    return read_stl(path)


def _obj(path: str, _: DaeOptions, shape_only: bool) -> MeshContent:
    """Return the mesh of an OBJ file."""
    from .obj_reader import read_obj

    return read_obj(path, shape_only=shape_only)


def _gltf(path: str, options: DaeOptions, shape_only: bool) -> MeshContent:
    """Return the mesh of a glTF file."""
    from .gltf_reader import read_gltf

    return read_gltf(path, options.scene.up_axis, shape_only=shape_only)


def _ply(path: str, *_: object) -> MeshContent:
    """Return the mesh of a PLY file."""
    from .ply_reader import read_ply

    return read_ply(path)


READERS: Dict[str, Callable[[str, DaeOptions, bool], MeshContent]] = {
    **dict.fromkeys((".dae", ".zae"), _collada),
    **dict.fromkeys(STL_ENDINGS, _stl),
    ".obj": _obj,
    ".ply": _ply,
    **dict.fromkeys(GLTF_ENDINGS, _gltf),
}
# A clone without `git lfs pull` has these few lines of text in place of a mesh.
LFS_POINTER = re.compile(LFS_START + rb"[^\n]*\n(?:[^\n]*\n)*?oid sha256:([0-9a-f]{64})\n")
MOST_OF_POINTER = 1024  # bytes, by the specification of pointers
Triangle = Tuple[Point, Point, Point]
Numbered = Tuple[int, int, int]
URI_IN_JSON = rb'"uri"\s*:\s*"([^"]+)"'
NAMED_FILES = {
    ".obj": rb"(?m)^[ \t]*mtllib[ \t]+(.+?)\s*$",
    ".dae": rb"<init_from>\s*(?:<ref>)?\s*([^<]+?)\s*<",
    ".mtl": rb"(?mi)^[ \t]*(?:map_\w+|bump|disp|decal|norm|refl)[ \t]+(.+?)\s*$",
    ".gltf": URI_IN_JSON,
    ".glb": URI_IN_JSON,
}


def ending_of(path: str) -> str:
    """Return the ending of a mesh file in lower case, with its dot."""
    return os.path.splitext(path)[1].lower()


def read_mesh(
    path: str, options: DaeOptions = DEFAULT_DAE_OPTIONS, *, shape_only: bool = False
) -> MeshContent:
    """Read a mesh file by its ending.

    With `shape_only`, normals and texture coordinates are not read.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be read, or its format is not in `READERS`.
    """
    reader = READERS.get(ending_of(path))
    if reader is None:
        known = ", ".join(READERS)
        raise BrokenMesh(
            f"'{ending_of(path)}' is not a mesh format that is read here ({known})", path
        )
    return reader(path, options, shape_only)


class ColoredTriangles(Record):
    """The triangles of one material of a mesh file, in the frame of the URDF's mesh before its scale.

    Attributes:
        color: red, green, blue, alpha, 0..1, sRGB numbers; None: the file has no color.
        texture: the SHA-256 of the image that is shown, in hexadecimal digits, or "".
        triangles: three corners each, counterclockwise, in meters; float32 values.
        emission: emitted light, as sRGB numbers.
        tint: the color by which some programs multiply the image; None: no image, or a format without it.
        lost_image: the name of an image that could not be read.
        points: a digest of the colors of its points with their places, or ""; for a mesh file, `other_looks` returns it.
        in_order: a digest of these colors alone, in the order of the file.
    """

    color: Optional[Rgba]
    texture: str
    triangles: Tuple[Triangle, ...]
    emission: Rgb = (0.0, 0.0, 0.0)
    tint: Optional[Rgb] = None
    lost_image: str = ""
    points: str = ""
    in_order: str = ""


class NamedFiles(Record):
    """The other existing files that a mesh file refers to: files of its shape, and files of its colors."""

    shape: Texts
    colors: Texts


def read_surfaces(
    path: str, most_triangles: int = MAX_TRIANGLES, up: Optional[str] = None
) -> Tuple[ColoredTriangles, ...]:
    """Return the triangles of a mesh file of any format of `formats.READERS`, one entry for each material.

    Units and the up axis are as in a run: COLLADA in meters with +Z up, glTF with unchanged axes. `up` turns the given
    axis to +Z instead.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be read, or draws more than `most_triangles`.
    """
    scene = DEFAULT_DAE_OPTIONS.scene._replace(up_axis=up)
    surfaces = read_mesh(path, DEFAULT_DAE_OPTIONS._replace(scene=scene), shape_only=True).surfaces
    count = sum(len(surface.corners) for surface in surfaces) // 3
    if count > most_triangles:
        raise BrokenMesh(f"draws {count} triangles, more than {most_triangles}", path)
    return _colored(surfaces)


def _colored(surfaces: Iterable[MaterialSurface]) -> Tuple[ColoredTriangles, ...]:
    """Return the triangles of surfaces with their looks; an image is represented by its digest."""
    from hashlib import sha256

    colored: List[ColoredTriangles] = []
    for surface in surfaces:
        material = surface.material
        texture = ""
        tint = None
        if material.image:
            texture = sha256(material.image.data).hexdigest()
            tint = material.tint or WHITE
        colored.append(
            ColoredTriangles(
                color=material.rgba,
                texture=texture,
                triangles=tuple(triangles_of(surface)),
                emission=material.emission,
                tint=tint,
                lost_image=material.lost_image,
            )
        )
    return tuple(colored)


def read_first_object(path: str) -> Tuple[ColoredTriangles, ...]:
    """Return the triangles of the first object of an OBJ file, one entry for each material.

    Raises:
        BrokenMesh: the file cannot be read.
    """
    from .obj_reader import read_obj

    return _colored(read_obj(path, shape_only=True, first_object=True).surfaces)


def read_indexed(path: str) -> Tuple[Tuple[Point, ...], Tuple[Numbered, ...]]:
    """Return the points used by the triangles of a mesh file, without duplicates, and the triangles.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be read.
    """
    surfaces = read_mesh(path, shape_only=True).surfaces
    return indexed(chain.from_iterable(map(triangles_of, surfaces)))


def indexed(triangles: Iterable[Triangle]) -> Tuple[Tuple[Point, ...], Tuple[Numbered, ...]]:
    """Return the points of triangles, without duplicates, in the order of first use, and the triangles by point number."""
    numbers: Dict[Point, int] = {}
    flat = chain.from_iterable(triangles)
    numbered = [numbers.setdefault(corner, len(numbers)) for corner in flat]
    corners = iter(numbered)
    return tuple(numbers), tuple(zip(corners, corners, corners))


def named_files(path: str) -> NamedFiles:
    """Return the files that a mesh file refers to; all except images and materials count as shape.

    Raises:
        UsageError: a file cannot be read.
    """
    shape: List[str] = []
    colors: List[str] = []
    for file in files_named_in(path)[0]:
        # By the first bytes, because names of images are often wrong.
        with open(file, "rb") as stream:
            is_color = file.lower().endswith(".mtl") or image_ending(stream.read(8)) != ""
        kind = colors if is_color else shape
        kind.append(file)
    return NamedFiles(tuple(shape), tuple(colors))


def lfs_digest(path: str) -> Optional[str]:
    """Return the SHA-256 of the file that a Git LFS pointer represents, or None if a file is not a pointer.

    Raises:
        OSError: the file cannot be read.
    """
    if os.path.getsize(path) > MOST_OF_POINTER:
        return None
    with open(path, "rb") as stream:
        pointer = LFS_POINTER.match(stream.read(MOST_OF_POINTER))
    return pointer.group(1).decode("ascii") if pointer else None


def files_named_in(path: str) -> Tuple[List[str], List[str]]:
    """Return the existing files that a mesh file refers to by relative paths, and its other references: full paths and URIs.

    Raises:
        UsageError: the file cannot be read.
    """
    files: Dict[str, None] = {}
    elsewhere: Dict[str, None] = {}
    waiting = [path]
    # Files refer to further files: an OBJ to its MTL, and the MTL to its images.
    while waiting:
        file = waiting.pop()
        pattern = NAMED_FILES.get(os.path.splitext(file)[1].lower())
        if not pattern:
            continue
        for name in _matches(file, pattern):
            if not is_relative(name):
                # A data URI contains the bytes itself.
                if not name.startswith("data:"):
                    elsewhere[name] = None
                continue
            # The options of an image come before its name, and a line may name several libraries.
            spelled = dict.fromkeys((name, decoded(name), name.split()[-1], *name.split()))
            # As in `find_map`: a file of an MTL is beside it, or beside the OBJ.
            folders = dict.fromkeys((os.path.dirname(file), os.path.dirname(path)))
            for here, text in product(folders, spelled):
                candidate = os.path.normpath(os.path.join(here, text.replace("\\", "/")))
                if os.path.isfile(candidate) and candidate not in files:
                    files[candidate] = None
                    waiting.append(candidate)
    return list(files), list(elsewhere)


def _matches(path: str, pattern: bytes) -> List[str]:
    """Return the matches of a pattern in a file; its group is the name of a file."""
    try:
        with open(path, "rb") as stream:
            return [
                name.decode("utf-8", "replace")
                for name in re.findall(pattern, stream.read())
                if name.strip()
            ]
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror or error}", path) from None
