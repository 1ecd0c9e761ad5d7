"""Read mesh files and the files they name: bounded, never a folder or a device, and errors as sentences."""
import os
import posixpath
import zlib
from typing import BinaryIO, Iterator, List, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenMesh
from ..collada.document import open_regular
from .kinds import MESH_IMAGE

MAX_BYTES = 2 << 30
MAX_IMAGE_BYTES = 1 << 28  # of an image in an archive, where few bytes can unpack to many

IMAGE_STARTS = ((b"\x89PNG\r\n\x1a\n", ".png"), (b"\xff\xd8\xff", ".jpg"), (b"GIF8", ".gif"), (b"BM", ".bmp"),
                (b"DDS ", ".dds"), (b"II*\0", ".tif"), (b"MM\0*", ".tif"))
FoundImage = Tuple[Optional[Tuple[str, bytes]], Optional[Diagnostic]]  # name and bytes, or why there is none

TEXTURE_FOLDERS = ("", "textures", "../materials/textures", "../textures", "../../media/materials/textures")


def read_bytes(path: str, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        BrokenMesh: it cannot be read, or is larger than `most`.
    """
    try:
        with open_regular(path) as stream:
            # Read by its size: `read(most)` would allocate so much memory first, which WebAssembly does not have.
            data = stream.read() if os.fstat(stream.fileno()).st_size <= most else None
    except BrokenMesh:
        raise
    except (OSError, ValueError) as problem:
        raise BrokenMesh(f"cannot be read ({getattr(problem, 'strerror', None) or problem})", path) from None
    if data is None or len(data) > most:
        raise BrokenMesh(f"is larger than {most} bytes", path)
    return data


def line_chunks(stream: BinaryIO, size: int = 1 << 16) -> Iterator[bytes]:
    """Yield a file in pieces of about `size` bytes that end with a line; a longer line is not split."""
    rest = b""
    for block in iter(lambda: stream.read(size), b""):
        end = block.rfind(b"\n") + 1
        if end:
            yield rest + block[:end]
            rest = block[end:]
        else:
            rest += block
    if rest:
        yield rest


def image_ending(data: bytes) -> str:
    """Return `.png`, `.jpg`, ... by the first bytes, as names are often wrong; "" for an unknown format."""
    if data[:2] in (b"\0\0", b"\0\1") and data[2:3] in (b"\x02", b"\x0a") and data[1:2] == b"\0":
        return ".tga"
    return next((ending for start, ending in IMAGE_STARTS if data.startswith(start)), "")


def local_spellings(reference: str) -> List[str]:
    """Return the possible file names of a reference: as written, and decoded as a URL; [] if it is remote."""
    from urllib.parse import unquote

    name = reference.strip().replace("\\", "/")
    scheme, colon, rest = name.partition(":")
    if colon and len(scheme) > 1 and scheme.isalnum():
        if scheme.lower() != "file":
            return []
        name = rest[2:] if rest.startswith("//") else rest
        name = name[len("localhost"):] if name.startswith("localhost/") else name
    spellings = list(dict.fromkeys((name, unquote(name))))
    return [spelling for spelling in spellings if spelling and "\0" not in spelling]


def find_beside(path: str, reference: str, folders: Sequence[str] = ("",)) -> Optional[str]:
    """Return the path of a file that a mesh file names, looked up in `folders` beside it; None if there is none."""
    here = os.path.dirname(path)
    for spelling in local_spellings(reference):
        for folder in folders:
            name = spelling if not folder else os.path.basename(spelling)
            file = os.path.join(here, folder, name)
            if os.path.isfile(file):
                return file
            other_case = _other_case(file)
            if other_case:
                return other_case
    return None


def _other_case(path: str) -> Optional[str]:
    """Return the file whose name differs only in upper and lower case, as names from Windows often do."""
    folder, name = os.path.split(path)
    try:
        return next((os.path.join(folder, other) for other in sorted(os.listdir(folder or "."))
                     if other.casefold() == name.casefold() and os.path.isfile(os.path.join(folder, other))), None)
    except (OSError, ValueError):
        return None


def find_image(path: str, reference: str) -> FoundImage:
    """Return (name, bytes) of an image that a mesh file names, or None and the reason."""
    file = find_beside(path, reference, TEXTURE_FOLDERS)
    if file is None:
        return None, Diagnostic(MESH_IMAGE, 0, "not-there", (reference,))
    try:
        return _known_image(reference, file, read_bytes(file))
    except BrokenMesh as problem:
        return None, Diagnostic(MESH_IMAGE, 0, "unreadable", (reference, problem.message))


def find_packed_image(path: str, member: str, reference: str) -> FoundImage:
    """Return what `find_image` does, for an image in the archive that contains the model `member`."""
    from zipfile import BadZipFile, ZipFile

    candidates = [posixpath.normpath(posixpath.join(posixpath.dirname(member), folder, (
        posixpath.basename(spelling) if folder else spelling))).lstrip("/").casefold()
                  for spelling in local_spellings(reference) for folder in TEXTURE_FOLDERS]
    try:
        with ZipFile(path) as archive:
            names = {name.casefold(): name for name in reversed(archive.namelist())}
            packed_name = next((names[name] for name in candidates if name in names), None)
            if packed_name is None:
                return None, Diagnostic(MESH_IMAGE, 0, "not-packed", (reference,))
            with archive.open(packed_name) as packed:
                data = packed.read(MAX_IMAGE_BYTES + 1)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as problem:
        return None, Diagnostic(MESH_IMAGE, 0, "not-unpacked", (reference, str(problem)))
    if len(data) > MAX_IMAGE_BYTES:
        return None, Diagnostic(MESH_IMAGE, 0, "too-large", (reference,), (MAX_IMAGE_BYTES,))
    return _known_image(reference, packed_name, data)


def _known_image(reference: str, name: str, data: bytes) -> FoundImage:
    """Return the base name and the bytes of an image, or None and a note that its format is unknown."""
    if not image_ending(data):
        return None, Diagnostic(MESH_IMAGE, 0, "unknown", (reference,))
    return (os.path.basename(name), data), None
