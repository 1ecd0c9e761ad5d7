"""Files: read whole, write whole or not at all."""
import errno
import os
from contextlib import contextmanager
from typing import Callable, Iterator, List, Optional, Sequence, Tuple

from .errors import did_you_mean, Unusable

OWN_MARKS = (b"<!-- urdf_simplify ", b'"name": "urdf_simplify"')


def read_file(path: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        Unusable: it is missing, a folder, or may not be read.
    """
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        raise Unusable(f"no such file{_neighbor(path)}", path) from None
    except IsADirectoryError:
        raise Unusable("this is a folder, not a URDF file", path) from None
    except (OSError, ValueError) as error:
        raise Unusable(f"cannot be read: {_reason_of(error)}", path) from None


def _neighbor(path: str) -> str:
    try:
        return did_you_mean(os.path.basename(path), os.listdir(os.path.dirname(path) or "."))
    except OSError:
        return ""


def _reason_of(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def default_output(path: str) -> str:
    """Return `robot_simplified.urdf` for `robot.urdf` and for `robot.urdf.xacro`, in the same folder."""
    stem, extension = os.path.splitext(path)
    if extension == ".xacro" and stem.endswith(".urdf"):
        stem = stem[: -len(".urdf")]
    return f"{stem}_simplified.urdf"


def default_srdf_output(output: str) -> str:
    """Return the name of the output with `.srdf`, or "" where there is none."""
    return f"{os.path.splitext(output)[0]}.srdf" if output not in ("", "-") else ""


def check_apart(outputs: Sequence[Tuple[str, str]]) -> None:
    """Make sure that no two files to write, given as (option, path), are one.

    Raises:
        Unusable: naming both options.
    """
    for place, (option, path) in enumerate(outputs):
        for other, other_path in outputs[:place]:
            if is_same_file(path, other_path):
                raise Unusable(f"{other} and {option} are the same file", path)


def is_same_file(path: str, other: str) -> bool:
    """True when both names lead to one file, also through links."""
    if "\0" in path + other:  # no file has such a name, and asking the system raises
        return False
    try:
        return os.path.samefile(path, other)
    except OSError:
        return os.path.realpath(path) == os.path.realpath(other)


def check_output(output: str, path: str, force: bool, option: str = "--output") -> None:
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
        or_force = "--force" if option.startswith("--") else "force=True"
        raise Unusable(f"the output is the input file itself: give another {option}, or {or_force}", output)
    if not os.access(folder, os.W_OK) or (os.path.exists(output) and not os.access(output, os.W_OK)):
        raise Unusable("the output cannot be written: permission denied", output)


def is_foreign(path: str) -> Optional[bool]:
    """Tell whether an existing file was not written by this tool; None when there is no such file."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(4096).replace(b"\0", b"")
            return not any(mark in start for mark in OWN_MARKS)
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


def write_all(files: Sequence[Tuple[str, bytes]], meanwhile: Optional[Callable[[], None]] = None) -> None:
    """Write all of the files, each whole, or none: temporary files beside them first, then the renames.

    `meanwhile` is called between the two: it writes what the files refer to; when it fails, none of them appears.

    Raises:
        Unusable: the disk is full, or a file may not be written; all files are as they were.
    """
    temporaries: List[str] = []
    replaced: List[Tuple[str, Optional[bytes]]] = []
    path = ""
    try:
        for path, data in files:
            temporaries.append(_write_beside(path, data))
        if meanwhile is not None:
            meanwhile()
        for (path, _), temporary in zip(files, temporaries):
            target = os.path.realpath(path)
            replaced.append((target, _old_bytes(target)))
            os.replace(temporary, target)
    except BaseException as error:  # also Ctrl-C between two renames
        for target, old in reversed(replaced):
            _restore(target, old)
        if not isinstance(error, OSError):
            raise
        full = " (nothing was written)" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        raise Unusable(f"cannot be written: {_reason_of(error)}{full}", path) from None
    finally:
        for temporary in temporaries:
            if os.path.exists(temporary):
                os.unlink(temporary)


def _write_beside(path: str, data: bytes) -> str:
    """Write a temporary file into the folder of a file and return its name."""
    from tempfile import mkstemp  # here, because it loads much that a dry run does not need

    target = os.path.realpath(path)
    handle, temporary = mkstemp(prefix=".urdf_simplify-", suffix=".tmp", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode_of(target))
    except OSError:
        os.unlink(temporary)
        raise
    return temporary


def _old_bytes(path: str) -> Optional[bytes]:
    if not os.path.exists(path):
        return None
    with open(path, "rb") as stream:
        return stream.read()


def _restore(path: str, old: Optional[bytes]) -> None:
    """Undo the rename of a file, as far as the system lets us."""
    try:
        if _old_bytes(path) == old:  # it was not renamed yet
            return
        if old is None:
            os.unlink(path)
        else:
            os.replace(_write_beside(path, old), path)
    except OSError:
        pass


def _mode_of(path: str) -> int:
    """Return the permissions of the file, or those that a new file gets."""
    try:
        return os.stat(path).st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
