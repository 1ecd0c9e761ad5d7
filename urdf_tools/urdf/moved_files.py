"""The file names in a URDF that is written into another folder: one implementation for all writers of a robot."""

from __future__ import annotations

import os
from typing import Dict, List

from ..base.type_aliases import Pair
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.paths import is_same_file, path_from
from ..base.shell_words import shell_word
from ..base.run_diagnostics import MESH_NOT_FOUND
from .lossless_xml import Element
from .mesh_paths import referenced_name, seen_from
from .package_resolver import find_package, package_of, resolve, PackageResolver

NAMES_FILE = ("mesh", "texture")  # elements with a `filename` of a file for drawing the robot
# What a file is for ("visual", "collision", or "" for a texture and elsewhere), and its name or path.
FileUse = Pair


def use_of(element: Element) -> FileUse:
    """Return the use of the file that a `<mesh>` or `<texture>` names."""
    geometry = element.parent if element.name == "mesh" else None
    shape = geometry.parent if geometry is not None else None
    kind = shape.name if shape is not None and shape.name in ("visual", "collision") else ""
    return kind, element.get("filename") or ""


def moved_name(element: Element, resolver: PackageResolver, folder: str) -> str:
    """Return the name by which a URDF in another folder finds the file of a `<mesh>` or `<texture>`.

    A name in a package stays, because each reader finds its packages itself: see `lost_packages`. A relative name of a
    missing file is changed too, as the file may come later.

    Args:
        resolver: finds the file from the folder of the URDF that contains the element.
        folder: the real path of the other folder; in it MuJoCo has no mesh folder of its own.
    """
    filename = element.get("filename") or ""
    # MuJoCo has a separate folder for meshes, but not for textures.
    if element.name != "mesh":
        resolver = resolver._replace(mesh_folder=None)
    old_folder = os.path.realpath(resolver.folder)
    name = referenced_name(filename, old_folder, resolver.mesh_folder, resolver.staged)
    if old_folder == folder or package_of(filename):
        return name
    new_name = seen_from(name.strip(), old_folder, folder) or name
    file = resolve(filename, resolver).path
    if not file:
        return new_name
    # Verified, as the text of a path can mislead: `link/../m.stl` may not be `m.stl`, `file:m.stl` is relative too, and
    # `%20` may be in the name of a folder.
    new_file = resolve(new_name, resolver._replace(folder=folder, mesh_folder=None)).path
    if new_file and is_same_file(file, new_file):
        return new_name
    return path_from(folder, os.path.realpath(file))


def lost_packages(root: Element, before: PackageResolver, after: PackageResolver) -> Diagnostics:
    """Return a warning for each package whose files a URDF does not find, or finds elsewhere, from another folder."""
    lost: Dict[str, List[str]] = {}
    if os.path.realpath(before.folder) == os.path.realpath(after.folder):
        return []
    # MuJoCo does not support packages and keeps searching its meshdir: see `compiler_of` in meshing/make_meshes.py.
    before = before._replace(mesh_folder=None)
    after = after._replace(mesh_folder=None)
    files = (element.get("filename") or "" for element in root.walk() if element.name in NAMES_FILE)
    for name in dict.fromkeys(files):
        package = package_of(name)
        file = resolve(name, before).path if package else None
        new_file = resolve(name, after).path if file else None
        if file and not (new_file and is_same_file(file, new_file)):
            lost.setdefault(package, []).append(name)
    warnings = []
    for package, names in lost.items():
        folder = find_package(package, before) or ""
        cure = f"--package {shell_word(f'{package}={folder}')}"
        warnings.append(
            Diagnostic(
                # The files exist, and the sentence has the cure.
                kind=MESH_NOT_FOUND._replace(hint=""),
                line=0,
                sentence="moved",
                names=(package, folder, cure),
                numbers=(float(len(names)),),
            )
        )
    return warnings
