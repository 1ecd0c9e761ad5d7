"""Mesh file names: their base names, their names relative to another folder, and names for new files."""

from __future__ import annotations

import os
import posixpath
import re
from itertools import chain
from typing import Collection, List, Optional, Set
from zlib import crc32

from ..base.type_aliases import Texts
from ..base.paths import is_device_of_windows, path_from
from ..base.record_type import Record
from .lossless_xml import Element

LONGEST_STEM = 80
SAFE_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def safe_stem(text: str, fallback: str) -> str:
    """Return a file stem made of ASCII letters, digits, `.`, `_` and `-`; `fallback` if no character remains."""
    import unicodedata

    # NFKD splits an accented letter into the letter and its accent, which is dropped.
    letters: List[str] = []
    for letter in unicodedata.normalize("NFKD", text):
        if not unicodedata.combining(letter):
            letters.append(letter if letter in SAFE_CHARACTERS else "_")
    stem = "_".join(piece for piece in "".join(letters).split("_") if piece).strip("._-")
    if not stem:
        return fallback
    if len(stem) > LONGEST_STEM:
        # Long names with the same beginning differ in the digest.
        stem = f"{stem[:LONGEST_STEM]}_{crc32(text.encode('utf-8', 'replace')):08x}"
    return f"_{stem}" if is_device_of_windows(stem) else stem


def unique_stem(stem: str, used: Set[str], ending: str = "") -> str:
    """Return stem and ending, with `_2`, `_3`, ... between them if necessary; `used` gets the casefolded result."""
    number = 1
    candidate = stem + ending
    while candidate.casefold() in used:
        number += 1
        candidate = f"{stem}_{number}{ending}"
    used.add(candidate.casefold())
    return candidate


def has_kind(stem: str, kind: str) -> bool:
    """Return True if a file stem ends with `_visual` or `_collision`; every stem has the kind ""."""
    return not kind or stem.endswith(f"_{kind}")


# At least two characters, because C: is a drive.
URI_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
ABSOLUTE = re.compile(r"[/\\]|.:", re.S)  # on any system


class MujocoMeshFolder(Record):
    """MuJoCo's folder of the meshes of a URDF: `meshdir` (or `assetdir`) and `strippath` of `<mujoco><compiler>`.

    From its XML reference, "compiler". A missing attribute is "": then MuJoCo keeps the folders of a name since 3.8, and
    strips them up to 3.6. MuJoCo reads no textures of a URDF, so `texturedir` has no effect.
    """

    meshdir: str
    strippath: str


def mesh_folder_of(root: Element) -> Optional[MujocoMeshFolder]:
    """Return MuJoCo's folder of the meshes, or None if a URDF has no `<mujoco><compiler>`."""
    compilers = compilers_of(root)
    return mesh_folder_in(compilers[0]) if compilers else None


def compilers_of(root: Element) -> List[Element]:
    """Return each `<mujoco><compiler>` of a URDF."""
    return [*chain.from_iterable(top.elements("compiler") for top in root.elements("mujoco"))]


def keeps_visuals(root: Element) -> bool:
    """Return True if MuJoCo also reads the visuals of a URDF."""
    return any(
        (compiler.get("discardvisual") or "").lower() == "false" for compiler in compilers_of(root)
    )


def mesh_folder_in(compiler: Element) -> MujocoMeshFolder:
    """Return the folder of the meshes from MuJoCo's `<compiler>`."""
    meshdir = compiler.get("meshdir") or compiler.get("assetdir") or ""
    return MujocoMeshFolder(meshdir.replace("\\", "/"), compiler.get("strippath") or "")


def names_in(mesh_folder: MujocoMeshFolder, filename: str) -> Texts:
    """Return MuJoCo's names of a mesh, relative to the folder of the URDF; two if its versions differ."""
    name = filename.strip().replace("\\", "/")
    names: List[str] = []
    if mesh_folder.strippath != "true" and not URI_SCHEME.match(name):
        names.append(name)
    if mesh_folder.strippath != "false":
        names.append(posixpath.basename(name))
    placed: List[str] = []
    for candidate in dict.fromkeys(names):
        # A drive is not relative to a folder, but `join` only detects "/".
        if not ABSOLUTE.match(candidate):
            candidate = posixpath.join(mesh_folder.meshdir, candidate)
        placed.append(candidate)
    return tuple(placed)


def referenced_name(
    filename: str, folder: str, mesh_folder: Optional[MujocoMeshFolder], made: Collection[str] = ()
) -> str:
    """Return the relative name, from the folder of the URDF, of the file that a relative name refers to.

    It is the file that other readers find, or else the file that MuJoCo finds. If neither exists, a name without a
    folder is in `meshdir`, and any other name is read as by all readers. Real paths in `made` are files that will be
    written.
    """
    if mesh_folder is None or not is_relative(filename):
        return filename
    # Compared by real paths, because `..` does not work from a folder that does not exist yet.
    name = filename.strip().replace("\\", "/")
    of_mujoco = names_in(mesh_folder, filename)
    paths = {each: os.path.realpath(os.path.join(folder, each)) for each in (name, *of_mujoco)}
    existing = [each for each, path in paths.items() if path in made or os.path.isfile(path)]
    as_in_url = os.path.realpath(os.path.join(folder, decoded(name)))
    if name not in existing and os.path.isfile(as_in_url):
        return name
    if existing:
        return existing[0]
    is_in_meshdir = "/" not in name or mesh_folder.strippath == "false"
    return of_mujoco[0] if is_in_meshdir else name


def mesh_stem(filename: str) -> str:
    """Return the base name without folder and extension, for slashes of any kind."""
    return posixpath.splitext(posixpath.basename(filename.replace("\\", "/")))[0]


def is_relative(filename: str) -> bool:
    """Return True if a name is relative to the folder of the URDF: neither a URI nor absolute on any system."""
    return (
        bool(filename.strip()) and not ABSOLUTE.match(filename) and not URI_SCHEME.match(filename)
    )


def decoded(name: str) -> str:
    """Return a name with its percent signs decoded, as in a URL."""
    if "%" in name:
        from urllib.parse import unquote

        return unquote(name)
    return name


def seen_from(filename: str, folder: str, other_folder: str) -> Optional[str]:
    """Return a relative file name in `folder` as seen from `other_folder`, two real paths; None for any other name."""
    if not is_relative(filename):
        return None
    target = os.path.join(folder, filename.replace("\\", "/"))
    return path_from(other_folder, target)
