"""Mesh files scaled along each axis: mirrored files of a twin, and files that include their scale.

The content of a file stays the same, except the numbers of points and normals. If the factors mirror, the corners of
each face are reversed after the first, which keeps the outside outside. A glTF gets a node with the factors as the
parent of its roots, and an ASCII STL becomes binary. The law of the edit compares the surfaces of the files, with their
facing.
"""

from __future__ import annotations

import os
import re
import struct
from fnmatch import fnmatchcase
from itertools import chain
from operator import mul, truediv
from typing import Any, Callable, Dict, Mapping, Sequence, Set

from ..base.errors import UsageError
from ..base.file_reading import read_file
from ..base.number_text import count_of, format_number, format_numbers, grouped, NUMBER
from ..base.paths import path_from
from ..collada.binary_stl import STL_RECORD, STL_START
from ..compare.verify_edit import EditLaw
from ..compare.placed_shapes import mirrors, UNSCALED
from ..meshes.copy_meshes import copy_files
from ..meshes.mesh_readers import ending_of, GLTF_ENDINGS, read_surfaces, STL_ENDINGS
from ..meshes.gltf_document import read_document
from ..meshes.gltf_reader import tops_of
from ..meshes.stl_files import as_binary_stl
from ..meshes.write_mesh_files import glb_bytes, GltfParts, json_bytes
from ..plan.mesh_tasks import FinishedFile
from ..urdf.mesh_paths import safe_stem
from ..urdf.package_resolver import resolve
from ..urdf.spatial_math import norm, scale, Vector
from .robot_draft import RobotDraft, EditResult
from .edit_value_words import ElementPattern, words_for_note

ROUNDED = 2.0**-22  # two numbers rounded to float32, each in three directions
FACE = struct.Struct("<12f")  # a face of binary STL: the normal and three corners


def _normal(normal: Vector, factors: Vector) -> Vector:
    """Return the normal of a face whose points are scaled, with its length kept."""
    # Normals transform by the inverse: stretching a face along an axis tilts its normal away from the axis.
    x, y, z = map(truediv, normal, factors)
    return scale(norm(normal) / (norm((x, y, z)) or 1.0), (x, y, z))


def scaled_stl(path: str, factors: Vector) -> bytes:
    """Return an STL file with its points scaled, as binary STL, which all programs read."""
    data = read_file(path)
    count = int.from_bytes(data[STL_START - 4 : STL_START], "little")
    # The size decides, because the header of a binary STL may begin with `solid`.
    is_binary = len(data) == STL_START + STL_RECORD.size * count
    made = bytearray(data) if is_binary else bytearray(as_binary_stl(path))
    for start in range(STL_START, len(made), STL_RECORD.size):
        x, y, z, *corners = FACE.unpack_from(made, start)
        # Three corners of x, y and z.
        points = [*map(mul, corners, factors * 3)]
        if mirrors(factors):
            points[3:] = points[6:] + points[3:6]
        FACE.pack_into(made, start, *_normal((x, y, z), factors), *points)
    return bytes(made)


def scaled_obj(path: str, factors: Vector) -> bytes:
    """Return an OBJ file with its points scaled."""

    def scaled(match: "re.Match[str]") -> str:
        """Return a line of an OBJ with its point or normal scaled."""
        x, y, z = map(float, match.group(2).split())
        is_normal = match.group(1).endswith("n")
        new = _normal((x, y, z), factors) if is_normal else map(mul, (x, y, z), factors)
        return f"{match.group(1)} {format_numbers(new)}"

    def turned(match: "re.Match[str]") -> str:
        """Return the line of a face with its corners reversed after the first."""
        first, *others = match.group(2).split("#")[0].split()
        return match.group(1) + " ".join((first, *others[::-1]))

    # latin-1 maps every byte to a character and back; a backslash continues a line of OBJ.
    text = re.sub(r"\\\r?\n", " ", read_file(path).decode("latin-1"))
    text = re.sub(rf"(?m)^([ \t]*vn?)((?:[ \t]+{NUMBER}){{3}})", scaled, text)
    if mirrors(factors):
        text = re.sub(r"(?m)^([ \t]*f[ \t]+)(\S[^\r\n]*)", turned, text)
    return text.encode("latin-1")


def scaled_gltf(path: str, factors: Vector) -> bytes:
    """Return a glTF or GLB file scaled along its axes, as programs read them."""
    top = read_document(path)
    nodes = top.json.setdefault("nodes", [])
    for scene in top.json.get("scenes") or [{"nodes": tops_of(top)}]:
        if isinstance(scene, dict) and scene.get("nodes"):
            nodes.append({"scale": [*factors], "children": scene["nodes"]})
            scene["nodes"] = [len(nodes) - 1]
    chunk = top.document.chunk
    if chunk is None:
        return json_bytes(top.json)
    return b"".join(glb_bytes(GltfParts(top.json, chunk)))


SCALED: Dict[str, Callable[[str, Vector], bytes]] = {
    **dict.fromkeys(STL_ENDINGS, scaled_stl),
    ".obj": scaled_obj,
    **dict.fromkeys(GLTF_ENDINGS, scaled_gltf),
}


def _scale(file: FinishedFile, factors: Vector) -> None:
    """Overwrite a copy with its scaled content.

    Raises:
        UrdfError: it cannot be read, or the result exceeds the numbers of its format.
    """
    read_surfaces(file.origin)  # an unreadable mesh could not be proven
    try:
        data = SCALED[ending_of(file.source)](file.source, factors)
        with open(file.source, "wb") as stream:
            stream.write(data)
        # Read again, because a product may exceed float32.
        read_surfaces(file.source)
    except (ArithmeticError, ValueError):
        size = format_numbers(factors)
        raise UsageError(f"cannot be written {size} times as large", file.origin) from None


def scaled_files(
    draft: RobotDraft, top: str, lines: Mapping[str, int], factors: Vector
) -> Dict[str, str]:
    """Write scaled mesh files, given by their names with a line, into a new folder; return their new names.

    No other edit has written into the folder.

    Raises:
        UrdfError: a file is not found, has a different format, or cannot be read.
    """
    run = draft.meshes
    assert run is not None
    making = run.making
    staged = making.converter.staged = dict(making.converter.staged)
    top = safe_stem(top, "twin")
    paths = {}
    for name, line in lines.items():
        resolved = resolve(name, run.resolver)
        path = resolved.path
        if not path or ending_of(path) not in SCALED:
            problem = (
                "not STL, OBJ or glTF: make OBJ first, with simplify --mesh-format obj"
                if path
                else f"not there ({resolved.hint or '--package NAME=DIR says where a package is'})"
            )
            raise draft.refused(f"'{name}' is {problem}", line)
        # An earlier edit may have made the file, which is then in the temporary folder.
        paths[name] = os.path.abspath(staged.get(os.path.realpath(path), path))
    # A folder of this name may come from an earlier edit, or contain a mesh of the input.
    while os.path.lexists(os.path.join(making.staging_dir, top)) or any(
        f"{os.sep}{top}{os.sep}" in path for path in paths.values()
    ):
        top += "_2"
    context = run._replace(
        making=making._replace(staging_dir=os.path.join(making.staging_dir, top)),
        target=os.path.join(run.target, top),
        prefix=f"{run.prefix}{top}/",
    )
    copies = copy_files({("", path): lines[name] for name, path in paths.items()}, context)
    for file in copies.files:
        if not file.along:
            _scale(file, factors)
            file = file._replace(is_copy=False, shared=False)
        staged[os.path.realpath(file.target)] = file.source
        draft.files.append(file)
    draft.warnings += copies.warnings
    start = path_from(
        os.path.realpath(os.path.dirname(draft.path) or "."), os.path.realpath(run.target)
    )
    return {
        name: f"{start}/{copies.names['', os.path.realpath(path)][len(run.prefix) :]}"
        for name, path in paths.items()
    }


def bake_scale(draft: RobotDraft, values: Sequence[Any]) -> EditResult:
    """Write the scale of meshes into their files, and remove it from the links.

    Raises:
        UrdfError: no mesh has a scale, or a mesh cannot be written; see `scaled_files`.
    """
    wish = ElementPattern("bake-scale", values[-1])
    links = [link for name, link in draft.robot.links.items() if fnmatchcase(name, wish.glob)]
    shapes_of_links = chain.from_iterable(link.shapes for link in links)
    shapes = [
        shape for shape in shapes_of_links if shape.mesh and shape.scale not in (None, UNSCALED)
    ]
    words = words_for_note(
        draft, {wish: [shape.mesh for shape in shapes]}, "link with a scaled mesh"
    )
    files: Set[str] = set()
    # A mesh that is used with several scales becomes several files.
    for factors, shapes_of_scale in grouped(
        (shape.scale or UNSCALED, shape) for shape in shapes
    ).items():
        size = "_".join(map(format_number, dict.fromkeys(factors)))
        lines = {shape.mesh: shape.source.line for shape in shapes_of_scale}
        new_names = scaled_files(draft, f"scale_{size}", lines, factors)
        files.update(new_names.values())
        for shape in shapes_of_scale:
            drawn = draft.copy(shape.drawn or shape.source)
            drawn.set("filename", new_names[shape.mesh])
            drawn.unset("scale")
    meshes = count_of(len(shapes), "mesh", "meshes")
    number = count_of(len(files), "file")
    did = f"scale of {meshes} written into {number}" if shapes else ""
    return EditResult(EditLaw(rounded=ROUNDED), did, words=words)
