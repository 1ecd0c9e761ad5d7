"""The copies of a robot's mesh and image files, unchanged, with all files that they refer to, in one folder."""

from __future__ import annotations

import filecmp
import os
import shutil
from typing import Callable, Dict, List, Mapping, Tuple

from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import UsageError
from ..base.run_diagnostics import MESH_CONTENT
from ..base.paths import common_folder, path_from
from ..meshing.mesh_converter import MeshFolders, UnconvertedFiles
from ..plan.plan_decisions import Plan
from ..plan.mesh_tasks import FinishedFile
from ..urdf.mesh_paths import URI_SCHEME
from ..urdf.package_resolver import resolve
from .mesh_readers import files_named_in


def verify_copies(plan: Plan, require: Callable[[bool, str], None]) -> Dict[str, str]:
    """Return the original of each copy, by the real path of the copy, and by its name if this is a URI.

    A user's prefix may mean any folder, but after it must come the path in the folder of meshes.
    """
    originals: Dict[str, str] = {}
    for file in plan.meshes.files:
        if not file.is_copy:
            continue
        # `filecmp` would otherwise accept equal size and time as equal content.
        require(
            filecmp.cmp(file.source, file.origin, shallow=False),
            f"'{file.target}' is to be no copy",
        )
        originals[os.path.realpath(file.target)] = os.path.realpath(file.origin)
        if URI_SCHEME.match(file.name):
            inside = path_from(plan.options.meshes.mesh_dir, file.target)
            require(
                file.name.endswith(f"/{inside}"), f"'{file.target}' is to be named '{file.name}'"
            )
            originals[file.name] = os.path.realpath(file.origin)
    return originals


def copied(lines: Mapping[str, int], context: MeshFolders, *, renames: bool) -> UnconvertedFiles:
    """Copy files, and return them with their names and warnings.

    Args:
        lines: the names of the files in the URDF, each with its line.
        renames: the URDF gets the names of the copies.
    """
    # If a file has several names, the first gives the line, because a dictionary keeps the last value.
    paths = {
        resolve(name, context.resolver).path: line for name, line in reversed(list(lines.items()))
    }
    # Made by this run in the staging folder: these files only get their names here.
    staged = {path: context.prefix + os.path.basename(path) for path in context.resolver.staged}
    to_copy = {
        os.path.abspath(path): paths[path]
        # Reversed again: the files are in the order of the URDF.
        for path in reversed(list(paths))
        if path and os.path.realpath(path) not in staged
    }
    names, files, warnings = copy_files(to_copy, context)
    names.update(staged)
    name_of = names.__getitem__ if renames else None
    return UnconvertedFiles(name_of, names.values(), files, tuple(warnings))


def copy_files(
    lines: Mapping[str, int], context: MeshFolders
) -> Tuple[Dict[str, str], Tuple[FinishedFile, ...], Diagnostics]:
    """Copy files, given by their paths with a line of the URDF, into the temporary folder.

    Return the name of each file in the result, by its real path; the files to write; and warnings.

    Their paths in the new folder are relative to their common folder, so that none collide, and references between
    files stay valid. A file that is at its target already is not copied.

    Raises:
        UsageError: a file cannot be copied.
    """
    warnings: Diagnostics = []
    named_by_robot = _with_files_beside(lines, warnings)
    top = common_folder(map(os.path.dirname, named_by_robot)) if named_by_robot else ""
    if top is None:
        raise UsageError("the meshes are on several drives, and cannot be copied to one folder")

    names: Dict[str, str] = {}
    copies: List[FinishedFile] = []
    for path, is_named in named_by_robot.items():
        relative_path = path_from(top, path)
        source = os.path.join(context.making.staging_dir, relative_path)
        target = os.path.join(context.target, relative_path)
        name = context.prefix + relative_path.replace(os.sep, "/")
        if is_named:
            names.setdefault(os.path.realpath(path), name)
        # The URDF does not name files that only meshes refer to, such as the material library of an OBJ.
        written_name = name if is_named else ""
        if os.path.realpath(target) == os.path.realpath(path):
            continue
        try:
            os.makedirs(os.path.dirname(source), exist_ok=True)
            shutil.copyfile(path, source)
        except OSError as error:
            raise UsageError(f"cannot be copied: {error.strerror or error}", path) from None
        copy = FinishedFile(
            source=source,
            target=target,
            part=None,
            origin=os.path.realpath(path),
            shared=True,
            name=written_name,
            is_copy=True,
        )
        copies.append(copy)
    return names, tuple(copies), warnings


def _with_files_beside(lines: Mapping[str, int], warnings: Diagnostics) -> Dict[str, bool]:
    """Return files and the files that they refer to: True if the robot names the file itself."""
    files: Dict[str, bool] = {}
    for path, line in lines.items():
        beside, elsewhere = files_named_in(path)
        for other in beside:
            files.setdefault(other, False)
        files[path] = True
        warnings += [
            Diagnostic(MESH_CONTENT, line, "not-copied", (name,), place=os.path.basename(path))
            for name in elsewhere
        ]
    return files
