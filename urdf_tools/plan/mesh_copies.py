"""Copy the mesh and image files that a robot names, unchanged, with all files that they name, into one folder."""
import filecmp
import os
import shutil
from typing import Dict, List, Mapping, NamedTuple, Optional, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import Unusable
from ..base.kinds import MESH_CONTENT
from ..mesh.named_files import files_named_in
from .mesh_splitting import MeshFile, Workshop


class Copies(NamedTuple):
    """The name of each file in the result, by its real path; the files to write; what to warn of."""

    names: Dict[str, str]
    files: Tuple[MeshFile, ...]
    warnings: Tuple[Diagnostic, ...]


def copy_files(lines: Mapping[str, int], workshop: Workshop) -> Copies:
    """Copy files, given by their paths with a line that names each, into the temporary folder.

    In their new folder they lie as they did below the folder that holds them all, so that no two have one place, and
    names from one file to another hold. What is in its place already is not copied.

    Raises:
        Unusable: a file cannot be copied.
    """
    files: Dict[str, Optional[str]] = {}
    warnings: List[Diagnostic] = []
    for path, line in lines.items():
        beside, elsewhere = files_named_in(path)
        files.update({**dict.fromkeys(beside), **{one: files.get(one) for one in beside}, path: path})
        warnings += [Diagnostic(MESH_CONTENT, line, "not-copied", (name,), place=os.path.basename(path))
                     for name in elsewhere]
    try:
        top = os.path.commonpath([os.path.dirname(path) for path in files]) if files else ""
    except ValueError:
        raise Unusable("the meshes are on several drives, and cannot be copied to one folder") from None
    names: Dict[str, str] = {}
    made: List[MeshFile] = []
    for path, named in files.items():
        inside = os.path.relpath(path, top)
        source, target = (os.path.join(folder, inside) for folder in (workshop.staging_dir, workshop.target))
        name = workshop.prefix + inside.replace(os.sep, "/")
        if named:
            names.setdefault(os.path.realpath(path), name)
        if os.path.realpath(target) != os.path.realpath(path):
            try:
                os.makedirs(os.path.dirname(source), exist_ok=True)
                shutil.copyfile(path, source)
            except OSError as error:
                raise Unusable(f"cannot be copied: {error.strerror or error}", path) from None
            made.append(MeshFile(source, target, None, os.path.realpath(path), True, copied=name if named else ""))
    return Copies(names, tuple(made), tuple(warnings))


def owns_copy(file: MeshFile) -> Optional[bool]:
    """Return True if the same file is in the place of a copy already, None if it is another."""
    same = not os.path.islink(file.target) and os.path.isfile(file.target)
    return True if same and filecmp.cmp(file.source, file.target, shallow=False) else None
