"""The part of the proof about mesh files that are copied: each is the same, and where its name in the result leads."""
import filecmp
import os
from typing import Callable, Dict

from ...plan.decisions import Plan
from ...urdf.mesh_paths import URI_SCHEME


def verify_copies(plan: Plan, require: Callable[[bool, str], None]) -> Dict[str, str]:
    """Return the real path of the file that each copy is of: by the real path of its place, and by its name if that is
    a URI. A prefix that the user gave may mean any folder, but what follows it is the place in the folder of meshes."""
    found: Dict[str, str] = {}
    for file in plan.meshes.files:
        if file.part is not None or not plan.options.meshes.mesh_dir or plan.meshes.converted:
            continue
        require(filecmp.cmp(file.source, file.origin, shallow=False), f"'{file.target}' is to be no copy")
        found[os.path.realpath(file.target)] = os.path.realpath(file.origin)
        if URI_SCHEME.match(file.copied):
            inside = os.path.relpath(file.target, plan.options.meshes.mesh_dir).replace(os.sep, "/")
            require(file.copied.endswith(f"/{inside}"), f"'{file.target}' is to be named '{file.copied}'")
            found[file.copied] = os.path.realpath(file.origin)
    return found
