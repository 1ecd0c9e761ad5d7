"""The copies of a robot's mesh and image files, unchanged, with all files that they refer to, in one folder."""

from __future__ import annotations

import filecmp
import os
import shutil
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Set, Tuple

from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import UsageError
from ..base.run_diagnostics import MESH_CONTENT
from ..base.paths import common_folder, path_from
from ..base.record_type import Record
from ..meshing.mesh_converter import MeshFolders, UnconvertedFiles
from ..plan.plan_decisions import Plan
from ..plan.mesh_tasks import FinishedFile
from ..urdf.mesh_paths import has_kind, unique_stem, URI_SCHEME
from ..urdf.moved_files import FileUse
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


class FileCopies(Record):
    """The copies of files.

    Attributes:
        names: the name of each file in the result, by its use with its real path.
        files: the files to write.
        warnings: warnings about files that these refer to, and that are not copied.
    """

    names: Dict[FileUse, str]
    files: Tuple[FinishedFile, ...]
    warnings: Diagnostics


def copied(
    lines: Mapping[FileUse, int], context: MeshFolders, *, renames: bool
) -> UnconvertedFiles:
    """Copy files, and return them with their names and warnings.

    Args:
        lines: the uses of the files in the URDF, each with its line.
        renames: the URDF gets the names of the copies.
    """
    # A URDF that keeps the names of the originals cannot name one copy for each use.
    by_kind = renames and context.making.converter.options.append_mesh_type
    # If a file has several names, the first gives the line, because a dictionary keeps the last value.
    paths: Dict[Tuple[str, Optional[str]], int] = {}
    for (kind, name), line in reversed(list(lines.items())):
        paths[kind if by_kind else "", resolve(name, context.resolver).path] = line
    # Made by this run in the staging folder: these files only get their names here.
    staged = {path: context.prefix + os.path.basename(path) for path in context.resolver.staged}
    to_copy = {
        (kind, os.path.abspath(path)): paths[kind, path]
        # Reversed again: the files are in the order of the URDF.
        for kind, path in reversed(list(paths))
        if path and os.path.realpath(path) not in staged
    }
    copies = copy_files(to_copy, context)

    def name_of(use: FileUse) -> str:
        """Return the name of a copy, or of a file of this run."""
        kind, path = use
        return staged.get(path) or copies.names[kind if by_kind else "", path]

    return UnconvertedFiles(
        name_of=name_of if renames else None,
        copied=[*copies.names.values(), *staged.values()],
        files=copies.files,
        warnings=tuple(copies.warnings),
    )


def copy_files(lines: Mapping[FileUse, int], context: MeshFolders) -> FileCopies:
    """Copy files, given by their uses and paths with a line of the URDF, into the temporary folder.

    Their paths in the new folder are relative to their common folder, so that none collide, and references between
    files stay valid. The name of a file with a use ends with it. A file that is at its target already is not copied.

    Raises:
        UsageError: a file cannot be copied.
    """
    warnings: Diagnostics = []
    named_by_robot = _with_files_beside(lines, warnings)
    folders = [os.path.dirname(path) for _, path in named_by_robot]
    top = common_folder(folders) if folders else ""
    if top is None:
        raise UsageError("the meshes are on several drives, and cannot be copied to one folder")

    names: Dict[FileUse, str] = {}
    copies: List[FinishedFile] = []
    for use, relative_path in _paths_of_copies(named_by_robot, top).items():
        kind, path = use
        source = os.path.join(context.making.staging_dir, relative_path)
        target = os.path.join(context.target, relative_path)
        name = context.prefix + relative_path.replace(os.sep, "/")
        if named_by_robot[use]:
            names.setdefault((kind, os.path.realpath(path)), name)
        # The URDF does not name files that only meshes refer to, such as the material library of an OBJ.
        written_name = name if named_by_robot[use] else ""
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
    return FileCopies(names, tuple(copies), warnings)


def _paths_of_copies(uses: Iterable[FileUse], top: str) -> Dict[FileUse, str]:
    """Return the path of each copy below its folder: as it is below `top`, but the name of a mesh ends with its use."""
    paths = {use: path_from(top, use[1]) for use in uses}
    stems = {use: os.path.splitext(path) for use, path in paths.items()}
    keeps_name = {use for use, (stem, _) in stems.items() if has_kind(stem, use[0])}
    # A new name must not be the name of another file, also where the system ignores case.
    taken = {paths[use].casefold() for use in keeps_name}
    for use, (stem, ending) in stems.items():
        if use not in keeps_name:
            paths[use] = unique_stem(stem, taken, f"_{use[0]}{ending}")
    return paths


def _with_files_beside(lines: Mapping[FileUse, int], warnings: Diagnostics) -> Dict[FileUse, bool]:
    """Return files and the files that they refer to: True if the robot names the file itself."""
    files: Dict[FileUse, bool] = {}
    read: Set[str] = set()
    for use, line in lines.items():
        _, path = use
        if path not in read:
            read.add(path)
            beside, elsewhere = files_named_in(path)
            for other in beside:
                files.setdefault(("", other), False)
            warnings += [
                Diagnostic(MESH_CONTENT, line, "not-copied", (name,), place=os.path.basename(path))
                for name in elsewhere
            ]
        files[use] = True
    return files
