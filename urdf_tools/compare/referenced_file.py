"""The file that a reference in a robot means, even if it is missing: equal paths mean the same file."""

from __future__ import annotations

import os
import posixpath
import re

from ..urdf.mesh_paths import URI_SCHEME
from ..urdf.package_resolver import FILE_URI


def meant_file(reference: str, folder: str) -> str:
    """Return the path, or the URI, of the file that a reference means in a robot of a folder.

    A `package://` is searched in the same places for both robots, so that it means the same file wherever they are.
    """
    name = reference.strip().replace("\\", "/")
    file_uri = re.match(FILE_URI, name)
    if file_uri:
        name = file_uri.group(1)
    elif URI_SCHEME.match(name):
        scheme, _, rest = name.partition(":")
        return f"{scheme.lower()}:{posixpath.normpath(rest.lstrip('/'))}"
    return os.path.normpath(os.path.join(os.path.realpath(folder), name))
