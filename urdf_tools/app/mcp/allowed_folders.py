"""The folder of the server: what is outside of it is neither read nor written, whichever option or file names it.

A call runs in a process of its own. In it an audit hook (PEP 578) hears of each file before Python opens, lists, writes or
removes it, also of meshes that a robot names and of libraries that a model includes. The `xacro` command is a program of
its own: the hook does not hear which files it includes.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib.machinery import all_suffixes
from typing import Any, Callable, Mapping, Sequence

from ...base.record_type import Record

PACKAGE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
CODE_ENDINGS = tuple(all_suffixes())  # of modules, which are loaded as a command needs them
LISTING = ("os.listdir", "os.scandir")
# Events that change files, and the places of the paths in their arguments (the table of audit events of Python).
WRITING: Mapping[str, Sequence[int]] = {
    "os.mkdir": (0,),
    "os.rmdir": (0,),
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.link": (0, 1),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.utime": (0,),
    "shutil.rmtree": (0,),
}
WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class AllowedFolders(Record):
    """The folders of a call.

    Attributes:
        folder: of the server; everything below it may be read.
        temporary: of this call alone, which is removed after it.
        writes: whether files below `folder` may be written.
    """

    folder: str
    temporary: str
    writes: bool


def is_inside(path: str, folder: str) -> bool:
    """Return True if a path, with its symbolic links resolved, is a folder or below it."""
    real = os.path.normcase(os.path.realpath(path))
    top = os.path.normcase(os.path.realpath(folder))
    return real == top or real.startswith(os.path.join(top, ""))


def outside_words(folder: str) -> str:
    """Return the words that refuse a path outside of the folder of the server."""
    return (
        f"outside of {folder}: this server reads and writes only below the folder it was started in"
    )


def guard(allowed: AllowedFolders) -> None:
    """Refuse from now on, for the rest of this process, files that are not below the allowed folders."""
    places_of_modules = {os.path.realpath(path) for path in sys.path if path}

    def hear(event: str, arguments: Sequence[Any]) -> None:
        """Raise PermissionError if an event reads or writes a file that is not allowed."""
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & WRITING_FLAGS:
                require(path, is_writable, f"not written: {without_write}")
            else:
                require(path, is_readable, outside)
        elif event in LISTING:
            require(arguments[0], is_listable, outside)
        elif event in WRITING:
            for place in WRITING[event]:
                require(arguments[place], is_writable, f"not written: {without_write}")

    def is_readable(path: str) -> bool:
        """Return True for a file that may be read."""
        return (
            path.endswith(CODE_ENDINGS)
            or path == os.devnull
            or os.path.realpath(path) in places_of_modules  # an archive of modules
            or any(is_inside(path, place) for place in (folder, allowed.temporary, PACKAGE))
        )

    def is_listable(path: str) -> bool:
        """Return True for a folder whose names may be read: Python lists the folders that may have modules."""
        return is_readable(path) or any(is_inside(path, place) for place in places_of_modules)

    def is_writable(path: str) -> bool:
        """Return True for a file that may be written, moved or removed."""
        places = [allowed.temporary]
        if allowed.writes:
            places.append(folder)
        return path == os.devnull or any(is_inside(path, place) for place in places)

    def require(given: Any, is_allowed: Callable[[str], bool], why: str) -> None:
        """Raise PermissionError for a path that is not allowed; an open file is given by its number, and was allowed."""
        if isinstance(given, int):
            return
        path = os.fsdecode(given) if given is not None else os.curdir
        if not is_allowed(path):
            raise PermissionError(errno.EACCES, why, path)

    folder = allowed.folder
    outside = outside_words(folder)
    without_write = outside if allowed.writes else "the server was started without --write"
    sys.addaudithook(hear)
