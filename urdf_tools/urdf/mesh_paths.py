"""Mesh file names: their base names, and how a relative one reads from another folder."""
import os
import posixpath
import re
from typing import Optional

URI_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two characters at least: C: is a drive
ABSOLUTE = re.compile(r"[/\\]|.:", re.S)  # on any system


def mesh_stem(filename: str) -> str:
    """Return the base name without folder and extension, whichever slashes were used."""
    return posixpath.splitext(posixpath.basename(filename.replace("\\", "/")))[0]


def is_relative(filename: str) -> bool:
    """Return True if a name is relative to the folder of the URDF: no URI, not absolute on any system."""
    return bool(filename.strip()) and not ABSOLUTE.match(filename) and not URI_SCHEME.match(filename)


def seen_from(filename: str, folder: str, other_folder: str) -> Optional[str]:
    """Return how a relative file name in `folder` reads in `other_folder`, two real paths; None for another name."""
    if not is_relative(filename):
        return None
    target = os.path.join(folder, filename.replace("\\", "/"))
    try:
        return os.path.relpath(target, other_folder).replace(os.sep, "/")
    except ValueError:  # another drive of Windows: only an absolute name can reach it
        return os.path.normpath(target).replace(os.sep, "/")
