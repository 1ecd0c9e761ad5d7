"""Mesh files of a twin: the mirror image of each file, for programs that do not draw a negative scale.

All that is written stays, but for a sign of each vector and the order of corners, which keeps the outside outside: of
each face the first corner stays the first. What the files draw is compared by the law of the act, with its facing.
"""
import os
import re
from typing import Callable, Dict, Mapping

from ..base.errors import UsageError
from ..base.files import read_file
from ..meshes.copies import copy_files
from ..meshes.formats import read_surfaces
from ..urdf.mesh_paths import path_from, safe_stem
from ..mesh.stl import STL_RECORD, STL_START
from ..meshing.converter import MeshContext
from ..urdf.package_resolver import resolve
from .records import Draft
from .twin import negated

FLIPPED = bytes(byte ^ 0x80 for byte in range(256))  # the last byte of a float32, with the other sign
VECTOR = r"\s+\S+\s+\S+\s+\S+"


def mirrored_stl(data: bytes, axis: int) -> bytes:
    """Return binary or ASCII STL mirrored across an axis: 0, 1, 2 of x, y, z.

    A record is the normal and three corners, each three float32, and two bytes.
    """
    size, end = STL_RECORD.size, len(data)
    if end >= STL_START and end == STL_START + size * int.from_bytes(data[STL_START - 4:STL_START], "little"):
        made = bytearray(data)
        for sign in range(STL_START + 4 * axis + 3, STL_START + 48, 12):
            made[sign::size] = made[sign::size].translate(FLIPPED)
        for second in range(STL_START + 24, STL_START + 36):
            made[second::size], made[second + 12::size] = made[second + 12::size], made[second::size]
        return bytes(made)
    text = re.sub(rf"(?i)\b(normal|vertex){VECTOR}", lambda match: negated(match.group(), (axis,)),
                  data.decode("latin-1"))
    return re.sub(rf"(?i)(vertex{VECTOR}\s+)(vertex{VECTOR})(\s+)(vertex{VECTOR})", r"\1\4\3\2", text).encode("latin-1")


def mirrored_obj(data: bytes, axis: int) -> bytes:
    """Return OBJ mirrored across an axis."""
    def turned(match: "re.Match[str]") -> str:
        first, *others = match.group(2).split("#")[0].split()
        return match.group(1) + " ".join((first, *others[::-1]))

    text = re.sub(r"\\\r?\n", " ", data.decode("latin-1"))
    text = re.sub(rf"(?m)^[ \t]*vn?{VECTOR}", lambda match: negated(match.group(), (axis,)), text)
    return re.sub(r"(?m)^([ \t]*f[ \t]+)(\S[^\r\n]*)", turned, text).encode("latin-1")


MIRRORED: Dict[str, Callable[[bytes, int], bytes]] = {".stl": mirrored_stl, ".obj": mirrored_obj}


def mirror_files(draft: Draft, run: MeshContext, top: str, lines: Mapping[str, int], axis: int) -> Dict[str, str]:
    """Write the mirror image of mesh files, given by their names with a line, into a folder called as the twin's top.

    Return the new names; no file of another twin is there.

    Raises:
        UrdfError: one is not found, of another format, or cannot be read.
    """
    top, staged, paths = safe_stem(top, "twin"), dict(run.converter.staged), {}
    while os.path.lexists(os.path.join(run.staging_dir, top)):
        top += "_2"
    context = run._replace(staging_dir=os.path.join(run.staging_dir, top), target=os.path.join(run.target, top),
                           prefix=f"{run.prefix}{top}/")
    for name, line in lines.items():
        path = resolve(name, context.resolver).path or ""
        if os.path.splitext(path)[1].lower() not in MIRRORED:
            problem = f"is not for '{name}', but for STL and OBJ: make OBJ first, with simplify --mesh-format obj"
            raise UsageError(f"meshes=files {problem if path else f'does not find {name!r}'}", draft.path, line)
        paths[name] = os.path.abspath(staged.get(os.path.realpath(path), path))
        read_surfaces(paths[name])  # what cannot be read could not be proven
    names, files, warnings = copy_files({path: lines[name] for name, path in paths.items()}, context)
    for file in files:
        if not file.along:
            data = MIRRORED[os.path.splitext(file.source)[1].lower()](read_file(file.source), axis)
            with open(file.source, "wb") as stream:
                stream.write(data)
        staged[os.path.realpath(file.target)] = file.source
    draft.warnings += warnings
    draft.files += [file if file.along else file._replace(is_copy=False, shared=False) for file in files]
    run.converter.staged = staged
    start = path_from(os.path.realpath(os.path.dirname(draft.path) or "."), os.path.realpath(run.target))
    return {name: f"{start}/{names[os.path.realpath(path)][len(run.prefix):]}" for name, path in paths.items()}
