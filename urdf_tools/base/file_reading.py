"""Files by name: read whole, and checked before anything is written."""

from __future__ import annotations

import os
import re
import stat
import sys
from itertools import islice
from typing import Iterable, List, Optional, Sequence, Tuple

from .type_aliases import Pair
from .errors import did_you_mean, UsageError
from .paths import is_device_of_windows, is_same_file, path_from, with_folders_above
from .version import OWN_NOTE, SIGNATURE

# The beginnings of files that this tool writes: XML, JSON and glTF, the page, the script for Blender, the model as
# JSON.
OWN_MARK = (
    f'<!-- {OWN_NOTE}|<!-- {SIGNATURE} variant:|"(name|generator)": ?"urdf_simplify"|'
    'content="urdf_simplify |`urdf_simplify --armature|`urdf-simplify export|^\\{"format": [0-9]+,\n "name": '.encode(
        "ascii"
    )
)
# Magic numbers of archives, as in file(1).
ARCHIVES = (b"PK\3\4", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c", b"Rar!")
ROBOT_ENDINGS = (".urdf", ".xacro", ".sdf", ".xml", ".usda", ".usd", ".usdc", ".usdz")
# A USD is text, a crate, or a zip archive of either.
USD = rb"(?s)\s*#usda|PXR-USDC|PK\x03\x04.{26}[^\0]*\.usd"
FIRST_ELEMENT = (
    rb"(?s)\A(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*"
    rb"<([A-Za-z_][\w:.-]*)"
)
# The beginnings of UTF-16 XML: XML 1.0, appendix F.
UTF_16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
FileStamp = Tuple[int, ...]  # device, number, size [bytes], time of the last change [ns]


def _is_folder(path: str) -> UsageError:
    """Return the error for a folder that is given as a file; it names robots in the folder."""
    inside = []
    # Searching a large tree to its end would take too long for a hint.
    for top, _, names in islice(os.walk(path), 99):
        robots = [name for name in names if name.endswith(ROBOT_ENDINGS)]
        inside += [path_from(path, os.path.join(top, name)) for name in robots]
    inside.sort(key=lambda name: (name.count("/"), name))
    hint = ""
    if inside:
        hint = f": name a file in it, such as {', '.join(inside[:3])}; lint takes folders"
    return UsageError(f"this is a folder{hint}", path)


def read_file(path: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        UsageError: it is missing, a folder, an archive or a device, or may not be read.
    """
    try:
        with open(path, "rb") as stream:
            # A character device might never end.
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
                raise UsageError("this is a device, not a file", path)
            data = stream.read()
        if data.startswith(ARCHIVES) and not path.endswith(".usdz"):
            raise UsageError("this is an archive: unpack it, and name a file in it", path)
        return data
    except UsageError:
        raise
    except FileNotFoundError:
        raise no_such_file(path) from None
    except (OSError, ValueError) as error:
        # Windows reports "Permission denied" for a folder.
        if "\0" not in path and os.path.isdir(path):
            raise _is_folder(path) from None
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot be read: {why}", path) from None


def read_standard_input() -> bytes:
    """Return all bytes of standard input.

    Raises:
        UsageError: it is closed.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed", "<stdin>")
    return sys.stdin.buffer.read()


def first_element(data: bytes) -> str:
    """Return the name of the first element of an XML text, "usd" for a USD, "" for anything else."""
    if re.match(USD, data):
        return "usd"
    if data[:2] in UTF_16:
        data = data.decode(UTF_16[data[:2]], "replace").lstrip("\ufeff").encode()
    match = re.match(FIRST_ELEMENT, data)
    return match.group(1).decode("utf-8", "replace") if match is not None else ""


def first_element_of(path: str) -> str:
    """Return the name of the first element of a file, by its beginning: see `first_element`."""
    # Comments in front of it, such as a license, are shorter.
    with open(path, "rb") as stream:
        return first_element(stream.read(65536))


def file_stamp(path: str) -> FileStamp:
    """Return a stamp of a file and its content without reading it: it changes once the file is written again; (): the
    file does not exist.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # a name with a zero byte
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def no_such_file(path: str) -> UsageError:
    """Return the error for a file that is missing, with a name in its folder that was probably meant.

    The ending is not compared: among names with the same stem, the name with the ending of the missing file is
    preferred.
    """
    own_name = os.path.basename(path)  # the last part, also of a link that leads nowhere
    stem, ending = os.path.splitext(own_name)
    try:
        found = os.listdir(os.path.dirname(path) or ".")
    except OSError:
        found = []
    names = sorted(found, key=lambda name: (name.endswith(ending), name))
    meant = did_you_mean(
        stem, [], {os.path.splitext(name)[0]: name for name in names if name != own_name}
    )
    return UsageError(f"no such file{meant}", path or "''")


def default_output(path: str) -> str:
    """Return `robot_simplified.urdf` for `robot.urdf` and for `robot.urdf.xacro`, in the same folder."""
    return f"{robot_stem(path)}_simplified.urdf"


def robot_stem(path: str) -> str:
    """Return `robot` for `robot.urdf` and for `robot.urdf.xacro`, in the same folder."""
    stem, extension = os.path.splitext(path)
    return stem[: -len(".urdf")] if extension == ".xacro" and stem.endswith(".urdf") else stem


def check_apart(outputs: Sequence[Pair]) -> None:
    """Make sure that no two files to write, given as (option, path), are the same.

    Raises:
        UsageError: naming both options.
    """
    for index, (option, path) in enumerate(outputs):
        for other, other_path in outputs[:index]:
            if is_same_file(path, other_path):
                raise UsageError(f"{other} and {option} are the same file", path)


def check_output(output: str, path: str, *, force: bool, option: str = "--output") -> None:
    """Make sure that the output can be written, before any work is done; a missing folder is made later.

    Raises:
        UsageError: its folder is a file or not writable, the output is a folder, or it is the input.
    """
    if "\0" in output:
        raise UsageError("a file name cannot hold a null character", output.replace("\0", "\\0"))
    if os.name == "nt" and is_device_of_windows(os.path.basename(output)):
        raise UsageError("Windows has a device of this name: give another name", output)
    folder = existing_folder(os.path.dirname(os.path.realpath(output)))
    if not os.path.isdir(folder):
        missing = os.path.dirname(output)
        raise UsageError(f"the folder '{missing}' cannot be made: a file is in its way", output)
    if os.path.isdir(output):
        example = os.path.join(output, "robot.urdf")
        raise UsageError(f"the output is a folder: give a file name, such as {example}", output)
    # A device or pipe must not be replaced by a file with its name.
    if os.path.exists(output) and not os.path.isfile(output):
        or_stream = ", or - for standard output" if option == "--output" else ""
        raise UsageError(f"the output is not a regular file: give a file name{or_stream}", output)
    if path and is_same_file(output, path) and not force:
        # A command line spells an option with dashes, or as TARGET.
        or_force = "--force" if option.startswith("--") or option.isupper() else "force=True"
        raise UsageError(
            f"the output is the input file itself: give another {option}, or {or_force}", output
        )
    may_replace = not os.path.exists(output) or os.access(output, os.W_OK)
    if not os.access(folder, os.W_OK) or not may_replace:
        raise UsageError("the output cannot be written: permission denied", output)


def existing_folder(path: str) -> str:
    """Return a path, or its nearest existing ancestor folder; missing folders are made when the file is written.

    Raises:
        UsageError: its drive or share is missing.
    """
    for above in with_folders_above(path):
        if os.path.lexists(above):
            return above
    if os.path.splitdrive(path)[0]:
        raise UsageError(f"the drive or share {os.path.splitdrive(path)[0]} is not there", path)
    return "."


def is_foreign(path: str, data: bytes) -> Optional[bool]:
    """Return True if an existing file has no mark of this tool and differs from the data; None without a file."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(4096)
            # Every other byte of a mark in UTF-16 is 0.
            has_mark = re.search(OWN_MARK, start.replace(b"\0", b""))
            return not has_mark and start + stream.read() != data
    except OSError:
        return True if os.path.exists(path) else None


def hard_link_warnings(paths: Iterable[str]) -> List[str]:
    """Return a warning for each file with hard links: when it is replaced, the other names keep the old content."""
    names = {path: os.stat(path).st_nlink for path in paths if os.path.isfile(path)}
    return [
        f"warning: {path}: this file has {count} names (hard links); only this one is replaced, the others keep "
        "the old content"
        for path, count in names.items()
        if count > 1
    ]
