"""Files: read whole, write whole or not at all."""
import errno
import os
from contextlib import contextmanager
from typing import Iterator, Optional

from .errors import Unusable, did_you_mean

OWN_MARK = b"<!-- urdf_simplify "


def read_file(path: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        Unusable: it is missing, a folder, or may not be read.
    """
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        raise Unusable(f"no such file{_neighbour(path)}", path) from None
    except IsADirectoryError:
        raise Unusable("this is a folder, not a URDF file", path) from None
    except (OSError, ValueError) as error:
        raise Unusable(f"cannot be read: {_reason_of(error)}", path) from None


def _neighbour(path: str) -> str:
    try:
        return did_you_mean(os.path.basename(path), os.listdir(os.path.dirname(path) or "."))
    except OSError:
        return ""


def _reason_of(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def default_output(path: str) -> str:
    """Return `robot_simplified.urdf` for `robot.urdf`, in the same folder."""
    stem, _ = os.path.splitext(path)
    return f"{stem}_simplified.urdf"


def is_same_file(path: str, other: str) -> bool:
    """True when both names lead to one file, also through links."""
    if "\0" in path + other:  # no file has such a name, and asking the system raises
        return False
    try:
        return os.path.samefile(path, other)
    except OSError:
        return os.path.realpath(path) == os.path.realpath(other)


def check_output(output: str, path: str, force: bool) -> None:
    """Make sure that the output can be written, before any work is done.

    Raises:
        Unusable: its folder is missing or not writable, it is a folder, or it is the input.
    """
    if "\0" in output:
        raise Unusable("a file name cannot hold a null character", output.replace("\0", "\\0"))
    folder = os.path.dirname(os.path.realpath(output)) or "."
    if not os.path.isdir(folder):
        raise Unusable(f"the output folder '{os.path.dirname(output)}' does not exist", output)
    if os.path.isdir(output):
        example = os.path.join(output, "robot.urdf")
        raise Unusable(f"the output is a folder: give a file name, such as {example}", output)
    if os.path.exists(output) and not os.path.isfile(output):
        raise Unusable("the output is no regular file: give a file name, or - for standard output", output)
    if path and is_same_file(output, path) and not force:
        raise Unusable("the output is the input file itself: give another --output, or --force", output)
    if not os.access(folder, os.W_OK) or (os.path.exists(output) and not os.access(output, os.W_OK)):
        raise Unusable("the output cannot be written: permission denied", output)


def is_foreign(path: str) -> Optional[bool]:
    """Tell whether an existing file was not written by this tool; None when there is no such file."""
    try:
        with open(path, "rb") as stream:
            return OWN_MARK not in stream.read(4096).replace(b"\0", b"")
    except OSError:
        return True if os.path.exists(path) else None


@contextmanager
def holding_folder(target: str) -> Iterator[str]:
    """Make a temporary folder on the file system of `target` ("": anywhere), and remove it with all that is in it.

    Raises:
        Unusable: it cannot be made.
    """
    from shutil import rmtree  # here, because only meshes need it
    from tempfile import mkdtemp

    beside = os.path.abspath(target) if target else None
    while beside and not os.path.isdir(beside) and beside != os.path.dirname(beside):
        beside = os.path.dirname(beside)
    try:
        folder = mkdtemp(prefix=".urdf_simplify-", suffix=".tmp", dir=beside)
    except OSError as error:
        raise Unusable(f"no temporary folder can be made: {_reason_of(error)}", beside or "") from None
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


def write_whole(path: str, data: bytes) -> None:
    """Write a file so that it appears whole or not at all: a temporary file beside it, then a rename.

    Raises:
        Unusable: the disk is full, or the file may not be written; the old file is as it was.
    """
    from tempfile import mkstemp  # here, because it loads much that a dry run does not need

    target = os.path.realpath(path)
    temporary = ""
    try:
        handle, temporary = mkstemp(prefix=".urdf_simplify-", suffix=".tmp", dir=os.path.dirname(target))
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode_of(target))
        os.replace(temporary, target)
        temporary = ""
    except OSError as error:
        full = " (nothing was written)" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        raise Unusable(f"cannot be written: {_reason_of(error)}{full}", path) from None
    finally:
        if temporary:
            os.unlink(temporary)


def _mode_of(path: str) -> int:
    """Return the permissions of the file, or those that a new file gets."""
    try:
        return os.stat(path).st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
