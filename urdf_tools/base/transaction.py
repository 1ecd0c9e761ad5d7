"""A transaction: several files written together, all or none, whatever fails or interrupts."""

from __future__ import annotations

import atexit
import errno
import os
import re
import signal
import stat
import time
from contextlib import contextmanager, suppress
from itertools import takewhile
from typing import Any, Dict, Iterator, List, Mapping
from zlib import crc32

from .errors import UsageError
from .paths import is_same_file, portable_name, with_folders_above
from .record_type import Record

DEFERRED = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
]
TEMPORARY = (
    r"\.urdf_simplify-([0-9a-f]{8})-([0-9]{1,9})-[0-9a-f]{8}\.tmp"  # computer, process, chance
)
# Seconds after which a temporary file is abandoned, whatever process it names: no run takes a day, and by then the system
# may have given the number to another process.
ABANDONED = 24 * 3600.0


class StagedFile(Record):
    """A finished file under a temporary name, the real path that it is moved to, and its path for messages."""

    staged: str
    target: str
    path: str


class Transaction:
    """Files that are written together, or not at all.

        with Transaction() as transaction:
            folder = transaction.staging_folder("robot_meshes")      # for files that are made before a question
            ...                                                      # writes <folder>/0.stl
            transaction.add_file("robot_meshes/base.stl", os.path.join(folder, "0.stl"))
            transaction.add("robot.urdf", data)
            transaction.commit()

    Everything is written under temporary names on the file system of its target; `commit` renames. If the block ends
    earlier, also because `commit` failed, all targets are restored and all temporary files removed. A signal during
    `commit` waits until all files are new. Only SIGKILL or a power cut can fall between two renames: every target then
    is the old or the new file, and the temporary names remain (`remove_leftovers`).

    A replaced file keeps its mode and, where the system permits, its owner.
    """

    def __init__(self) -> None:
        self._files: List[StagedFile] = []
        self._spares: Dict[str, str] = {}  # by target: another name of the old file
        # Listed before they are made, so that none is ever forgotten.
        self._temporaries: List[str] = []
        self._made: List[str] = []  # folders, the outermost first
        self._paths: Dict[str, str] = {}  # of the targets, by their portable names
        self.done = False  # all files are in their places

    def __enter__(self) -> "Transaction":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._clean()
        except BaseException:  # a second Ctrl-C, maybe before signals waited
            self._clean()
            raise

    def _clean(self) -> None:
        """Remove the temporary files, and the folders that this run made and that are empty."""
        with deferred_signals():
            for name in self._temporaries:
                _remove(name)
                if os.path.lexists(
                    name
                ):  # Windows keeps an open file, here a file whose writer a signal interrupted
                    atexit.register(_remove, name)
            for folder in reversed(self._made):
                with suppress(OSError):  # the folder is not empty, as it should be
                    os.rmdir(folder)

    def _temporary(self, folder: str) -> str:
        """Return a name in a folder for a temporary file, which is removed at the end."""
        name = f".urdf_simplify-{_computer()}-{os.getpid()}-{os.urandom(4).hex()}.tmp"
        self._temporaries.append(os.path.join(folder, name))
        return self._temporaries[-1]

    def makes(self, folder: str) -> bool:
        """Return True if a folder is missing, or was made for temporary files of this run alone."""
        made = map(os.path.abspath, self._made)
        return bool(folder) and (not os.path.exists(folder) or os.path.abspath(folder) in made)

    def staging_folder(self, target: str) -> str:
        """Make a temporary folder in the folder `target`, which is made if need be, and return its path.

        With "" it is in the system's folder for temporary files: for files that are never kept.

        Raises:
            UsageError: it cannot be made.
        """
        if not target:
            from tempfile import gettempdir  # imported here: it loads much that few runs need

            target = gettempdir()
        if os.path.lexists(target) and not os.path.isdir(target):
            raise UsageError("is not a folder", target)
        with _reported(target):
            self._make_folder(target)
            folder = self._temporary(target)
            os.mkdir(folder, 0o700)
        return folder

    def _make_folder(self, folder: str) -> None:
        """Make a folder, and note which of the folders above it are new."""
        missing = takewhile(
            lambda above: above and not os.path.lexists(above), with_folders_above(folder)
        )
        self._made += reversed(list(missing))
        os.makedirs(folder or ".", exist_ok=True)

    def add(self, path: str, data: bytes) -> None:
        """Stage the bytes of a file; its folder is made if need be. A symbolic link stays, and leads to the new file.

        Raises:
            UsageError: it cannot be written.
        """
        target = os.path.realpath(path)
        self._refuse_twice(target, path)
        # A private file stays private; less the umask.
        mode = 0o600 if os.path.exists(target) else 0o666
        with _reported(path):
            self._make_folder(os.path.dirname(target))
            temporary = self._temporary(os.path.dirname(target))
            # A signal between `os.open` and the stream would leave a file open, which Windows does not let anybody
            # remove.
            with deferred_signals(), open(
                temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)
            ) as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        self._files.append(StagedFile(temporary, target, path))

    def add_file(self, path: str, staged: str) -> None:
        """Stage a file that was written into a `staging_folder`; its folder is made if need be. A symbolic link at
        `path` is replaced.

        Raises:
            UsageError: the folder cannot be made.
        """
        self._refuse_twice(path, path)
        with _reported(path):
            self._make_folder(os.path.dirname(path))
        self._files.append(StagedFile(staged, path, path))

    def _refuse_twice(self, target: str, path: str) -> None:
        """Raise UsageError for a target that another file of this transaction has, on any file system."""
        name = portable_name(target)
        other = self._paths.get(name)
        if other is not None and is_same_file(other, path):
            raise UsageError(
                f"this is the same file as {other}, at least where case is ignored: give another name",
                path,
            )
        self._paths[name] = path

    def commit(self) -> None:
        """Move all files to their targets, then remove the leftovers of killed runs in their folders.

        Raises:
            UsageError: one of them cannot be written; all targets are as they were.
        """
        # Every old file gets a second name before the first is replaced, so that each step can be undone.
        with deferred_signals():
            try:
                for file in self._files:
                    with _reported(file.path):
                        self._keep(file)
                for file in self._files:
                    with _reported(file.path):
                        os.replace(file.staged, file.target)
            except BaseException as error:
                stuck = self._roll_back()
                if not stuck:
                    raise
                raise UsageError(f"{error}; not put back: {', '.join(stuck)}") from error
            self.done = True
            for folder in {os.path.dirname(file.target): None for file in self._files}:
                remove_leftovers(folder or ".")

    def _keep(self, file: StagedFile) -> None:
        """Keep the old file under a second name; copy its mode and owner to the new one."""
        try:
            os.lstat(file.target)
        except FileNotFoundError:
            return
        _require_closed(file.target, file.path)
        spare = self._temporary(os.path.dirname(file.target))
        try:
            os.link(file.target, spare, follow_symlinks=False)
        except (OSError, NotImplementedError):
            # A file system without hard links, or another user's file.
            from shutil import copy2  # imported here: it loads four compressors, and few runs copy

            copy2(file.target, spare, follow_symlinks=False)
            _take_over(spare, file.target)
        self._spares[file.target] = spare
        _take_over(file.staged, file.target)

    def _roll_back(self) -> List[str]:
        """Undo the renames; return the paths for which that failed, with the names of the old files."""
        stuck: List[str] = []
        for file in reversed(self._files):
            if os.path.lexists(file.staged):  # it was not renamed yet
                continue
            spare = self._spares.get(file.target, "")
            try:
                if spare:
                    os.replace(spare, file.target)
                else:
                    os.unlink(file.target)
            except OSError:
                stuck.append(f"{file.path}, which was {spare or 'not there'}")
                self._temporaries = [name for name in self._temporaries if name != spare]
        return stuck


def _require_closed(target: str, path: str) -> None:
    """Raise UsageError for a file that another program holds open: Windows does not let it be replaced or removed."""
    if os.name == "nt" and not os.path.islink(target):
        try:
            os.rename(target, target)
        except PermissionError:
            raise UsageError("cannot be written: is it open in another program?", path) from None


def _take_over(path: str, old: str) -> None:
    """Copy owner and mode of another file to a file, as far as the system permits."""
    if os.path.islink(old):
        return
    status = os.stat(old)
    new = os.stat(path)
    if (status.st_uid, status.st_gid) != (new.st_uid, new.st_gid):
        # A user may give a file to another group, but not to another owner.
        for owner in (status.st_uid, -1):
            with suppress(OSError):
                os.chown(path, owner, status.st_gid)
                break
    os.chmod(path, stat.S_IMODE(status.st_mode))


@contextmanager
def _reported(path: str) -> Iterator[None]:
    """Turn an OSError into the sentence that a user reads."""
    try:
        yield
    except OSError as error:
        full = " (nothing was written)" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        raise UsageError(f"cannot be written: {error.strerror or error}{full}", path) from None


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP wait for the end of the block, where they are delivered.

    Python runs signal handlers in the main thread only; in another thread no signal interrupts anyway.
    """
    arrived: Dict[int, None] = {}

    def note(number: int, _frame: object) -> None:
        """Note that a signal arrived."""
        arrived[number] = None

    handlers = {number: signal.getsignal(number) for number in DEFERRED}
    handlers = {
        number: handler
        for number, handler in handlers.items()
        if handler not in (None, signal.SIG_IGN)
    }
    try:
        _set_handlers(dict.fromkeys(handlers, note))
    except ValueError:
        handlers = {}
    except BaseException:  # a signal that came just before
        _set_handlers(handlers)
        raise
    try:
        yield
    finally:
        try:
            _set_handlers(handlers)
        finally:
            for number in arrived:
                signal.raise_signal(number)


def _set_handlers(handlers: Mapping[int, Any]) -> None:
    """Set several signal handlers in one step: where signals can be blocked, none arrives in between."""
    mask = getattr(signal, "pthread_sigmask", lambda *_: ())
    blocked = mask(getattr(signal, "SIG_BLOCK", 0), ())
    try:
        mask(getattr(signal, "SIG_BLOCK", 0), handlers)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    finally:
        mask(getattr(signal, "SIG_SETMASK", 0), blocked)


def remove_leftovers(folder: str) -> None:
    """Remove the temporary files that killed runs left in a folder.

    Only temporary names of this tool are removed: of a process of this computer that has ended, or older than a day.
    """
    try:
        names = [name for name in os.listdir(folder) if name.startswith(".urdf_simplify-")]
    except OSError:
        return
    for name in names:
        match = re.fullmatch(TEMPORARY, name)
        path = os.path.join(folder, name)
        if match and (
            _is_old(path) or match.group(1) == _computer() and _has_ended(int(match.group(2)))
        ):
            _remove(path)


def _is_old(path: str) -> bool:
    """Return True if a file was left by a run long ago."""
    with suppress(OSError):
        return time.time() - os.lstat(path).st_mtime > ABANDONED
    return False


def _has_ended(process: int) -> bool:
    """Return True if no process of that number is running."""
    if os.name != "posix":  # elsewhere `kill` would end it
        return False
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _computer() -> str:
    """Return a short word for this computer: on a shared disk the process numbers of others mean nothing here."""
    name = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return f"{crc32(name.encode('utf-8', 'replace')):08x}"


def _remove(path: str) -> None:
    """Remove a temporary file or folder if it exists."""
    with suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            from shutil import rmtree  # imported here: see `_keep`

            rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
