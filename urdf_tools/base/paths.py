"""Paths where operating systems differ: names that mean the same file, parent folders, relative paths."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Dict, Iterable, Iterator, List, Optional, Sequence

# Names that no folder of Windows can hold, whatever their ending: Microsoft, "Naming Files, Paths, and Namespaces".
WINDOWS_DEVICES = frozenset(
    [
        "CON",
        "PRN",
        "AUX",
        "NUL",
        "CONIN$",
        "CONOUT$",
        *(f"COM{digit}" for digit in range(10)),
        *(f"LPT{digit}" for digit in range(10)),
    ]
)


def is_device_of_windows(name: str) -> bool:
    """Return True if Windows takes the name of a file for a device, such as `con` or `nul.urdf`."""
    return name.partition(".")[0].rstrip().upper() in WINDOWS_DEVICES


def portable_name(path: str) -> str:
    """Return a real path as the least exact of all file systems tells names apart.

    Windows and macOS ignore case by default, macOS how letters are composed (Unicode NFC and NFD), and Windows dots and
    blanks at the end of a name.
    """
    return portable_spelling(os.path.realpath(path).replace(os.path.sep, "/"))


# The names in a folder are compared with each part of each reference.
@lru_cache(maxsize=4096)
def portable_spelling(name: str) -> str:
    """Return a name with slashes in the one spelling that `portable_name` compares."""
    if not name.isascii():
        from unicodedata import normalize  # imported here: it loads slowly, and few names need it

        name = normalize("NFC", normalize("NFC", name).casefold())
    return "/".join(part.rstrip(". ") for part in name.casefold().split("/"))


def listed_path(folder: str, name: str, listings: Dict[str, Sequence[str]]) -> Optional[str]:
    """Return the path of a file in a folder, each part of its name as the folder that holds it lists it.

    Windows and macOS find a file by names that Linux does not: see `portable_name`. The listing of a folder tells its true
    name on every system.

    Args:
        folder: where the name begins.
        name: relative to the folder, with slashes.
        listings: the names in each folder that was read, which grows.

    Returns:
        None: no file has the name in any spelling, or several have it and none of them in just this one.
    """
    paths = [folder]
    for part in name.split("/"):
        if part in ("", os.curdir, os.pardir):
            paths = [os.path.join(path, part) for path in paths] if part else paths
            continue
        spelling = portable_spelling(part)
        found: List[str] = []
        for path in paths:
            for listed in _names_in_folder(path, listings):
                if portable_spelling(listed) == spelling:
                    found.append(os.path.join(path, listed))
        paths = found
    files = [path for path in paths if os.path.isfile(path)]
    written = os.path.join(folder, *filter(None, name.split("/")))
    if written in files:
        return written
    return files[0] if len(files) == 1 else None


def _names_in_folder(folder: str, listings: Dict[str, Sequence[str]]) -> Sequence[str]:
    """Return the names in a folder, () if it cannot be read."""
    if folder not in listings:
        try:
            listings[folder] = os.listdir(folder or os.curdir)
        except OSError:
            listings[folder] = ()
    return listings[folder]


def is_same_file(path: str, other: str) -> bool:
    """Return True if both names mean one file, also through links.

    The file system of two files that do not exist yet is unknown: names that are the same file on some system count as
    the same.
    """
    if "\0" in path + other:  # no name of a file holds it, and the system raises
        return False
    try:
        return os.path.samefile(path, other)
    except OSError:
        if os.path.exists(path) or os.path.exists(other):  # this file system tells them apart
            return os.path.realpath(path) == os.path.realpath(other)
        return portable_name(path) == portable_name(other)


def with_folders_above(path: str) -> Iterator[str]:
    """Yield a path, its folder, the folder of that, and so on; last the root or drive, or "" of a relative path."""
    yield path
    above = os.path.dirname(path)
    while above != path:  # the root and a drive are their own folders
        yield above
        path = above
        above = os.path.dirname(above)


def path_from(folder: str, path: str) -> str:
    """Return the name of a path as seen from a folder, with slashes; absolute where they are on different drives."""
    try:
        name = os.path.relpath(path, folder or ".")
    except ValueError:  # Windows has no path from one drive to another
        name = os.path.abspath(path)
    return name.replace(os.path.sep, "/")


def path_in(folder: str, name: str) -> str:
    """Return the path of a name, with slashes, in a folder as it was typed: the path has one kind of separators.

    Windows accepts slashes and backslashes; if the folder contains neither, backslashes are used.
    """
    path = os.path.join(folder, name)
    if os.path.sep == "/":  # a backslash is a letter there
        return path
    if "/" in folder and os.path.sep not in folder:
        return path.replace(os.path.sep, "/")
    return path.replace("/", os.path.sep)


def path_beside(path: str, name: str) -> str:
    """Return the path of a name in the folder of a file, with the separators with which the file was typed."""
    folder = path[: len(path) - len(os.path.basename(path))]  # with its last separator
    return path_in(folder, name)


def common_folder(paths: Iterable[str]) -> Optional[str]:
    """Return the innermost folder that holds all paths, which are all absolute or all relative; None on several drives.

    "" is the folder of relative paths that share no other.
    """
    try:
        return os.path.commonpath(list(paths))
    except ValueError:
        return None


def expanded_patterns(words: Iterable[str]) -> List[str]:
    """Return names of files, on Windows with the files that a pattern such as `robots\\*.urdf` means in its place.

    Every other system has a shell that expands patterns before a program sees them.
    """
    if os.name != "nt":
        return list(words)
    from glob import glob  # imported here: only Windows needs it

    names: List[str] = []
    for word in words:
        found = sorted(glob(word)) if "*" in word or "?" in word else []
        # A pattern that no file has stays: the error names it as it was typed.
        names += found or [word]
    return names
