"""Find the files that a mesh file names: materials of OBJ, images of MTL and COLLADA, buffers and images of glTF."""
import os
import re
from typing import Dict, List, Tuple

from ..base.errors import UsageError
from ..urdf.mesh_paths import decoded, is_relative

URI_IN_JSON = rb'"uri"\s*:\s*"([^"]+)"'
NAMED_FILES = {".obj": rb"(?m)^[ \t]*mtllib[ \t]+(.+?)\s*$", ".dae": rb"<init_from>\s*(?:<ref>)?\s*([^<]+?)\s*<",
               ".mtl": rb"(?mi)^[ \t]*(?:map_\w+|bump|disp|decal|norm|refl)[ \t]+(.+?)\s*$",
               ".gltf": URI_IN_JSON, ".glb": URI_IN_JSON}


def files_named_in(path: str) -> Tuple[List[str], List[str]]:
    """Return the existing files that a mesh file names by relative paths, and its other names: full paths and URIs.

    Raises:
        UsageError: the file cannot be read.
    """
    files: Dict[str, None] = {}
    elsewhere: Dict[str, None] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        pattern = NAMED_FILES.get(os.path.splitext(file)[1].lower())
        for name in _matches(file, pattern) if pattern else ():
            if not is_relative(name):
                elsewhere.update({name: None} if not name.startswith("data:") else {})
                continue
            # The options of an image come before its name, and a line may name several libraries.
            spelled = dict.fromkeys((name, decoded(name), name.split()[-1], *name.split()))
            here = os.path.dirname(file)
            candidates = [os.path.normpath(os.path.join(here, text.replace("\\", "/"))) for text in spelled]
            new = [candidate for candidate in candidates if os.path.isfile(candidate) and candidate not in files]
            files.update(dict.fromkeys(new))
            waiting += new
    return list(files), list(elsewhere)


def _matches(path: str, pattern: bytes) -> List[str]:
    try:
        with open(path, "rb") as stream:
            return [name.decode("utf-8", "replace") for name in re.findall(pattern, stream.read()) if name.strip()]
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror or error}", path) from None
