"""The reading of mesh files and the files they refer to, MTL and images.

Reading is bounded in size and refuses folders and devices; all errors are BrokenMesh with a message.
"""

from __future__ import annotations

import os
from math import isfinite
from typing import BinaryIO, Container, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import BrokenMesh, UnopenedMesh
from ..collada.collada_document import open_regular
from ..collada.collada_colors import OPAQUE_BELOW
from .mesh_content import MeshImage, MeshMaterial, Rgb
from .mesh_diagnostics import MESH_IMAGE

# A file is read into memory as a whole, so its size is bounded.
MAX_BYTES = 2 << 30
WHITE: Rgb = (1.0, 1.0, 1.0)

IMAGE_STARTS = (
    (b"\x89PNG\r\n\x1a\n", ".png"),
    (b"\xff\xd8\xff", ".jpg"),
    (b"GIF8", ".gif"),
    (b"BM", ".bmp"),
    (b"DDS ", ".dds"),
    (b"II*\0", ".tif"),
    (b"MM\0*", ".tif"),
)
FoundImage = Tuple[Optional[MeshImage], Optional[Diagnostic]]  # or the reason why it is missing

# Folders of images in the layouts of Gazebo, relative to a folder of meshes.
TEXTURE_FOLDERS = (
    "",
    "textures",
    "../materials/textures",
    "../textures",
    "../../media/materials/textures",
)
MAX_MTL_BYTES = 1 << 26
# The values of an MTL that are read, with the largest count of their numbers: a color may be a single gray, or red, green
# and blue.
NUMBERS_AT_MOST = {"kd": 3, "ke": 3, "ks": 3, "ns": 1, "d": 1, "tr": 1, "pm": 1, "pr": 1}
# Few programs use them, so a fault in them is no reason to refuse a file.
RARELY_USED = ("ks", "ns")
# The largest number of words after each option of a map; "-o", "-s" and "-t" have one to three.
MAP_OPTIONS = {
    "-blendu": 1,
    "-blendv": 1,
    "-cc": 1,
    "-clamp": 1,
    "-bm": 1,
    "-boost": 1,
    "-texres": 1,
    "-imfchan": 1,
    "-type": 1,
    "-mm": 2,
    "-o": 3,
    "-s": 3,
    "-t": 3,
}


def colored_place(points: Iterable[Sequence[float]], color: bytes) -> bytes:
    """Return the place of a color as bytes: a point, or a face by its corners in any order.

    Places are rounded to four digits: files of one mesh with different digits differ by less, and points of different
    colors are rarely closer.
    """
    texts = sorted(" ".join(f"{value + 0.0:.4g}" for value in point) for point in points)
    return b"%s: %s\n" % (", ".join(texts).encode(), color)


def read_bytes(path: str, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        BrokenMesh: the file cannot be read, or is larger than `most`.
    """
    try:
        with open_regular(path) as stream:
            # `read(most)` would allocate that much memory first, which WebAssembly does not have.
            data = stream.read() if os.fstat(stream.fileno()).st_size <= most else None
    except BrokenMesh:
        raise
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise UnopenedMesh(f"cannot be read ({reason})", path) from None
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
    """Return `.png`, `.jpg`, ... by the first bytes, because names are often wrong; "" for an unknown format."""
    # TGA has no magic bytes: no ID, no color map, then true color (2) or run-length encoded true color (10).
    if data.startswith((b"\0\0\x02", b"\0\0\x0a")):
        return ".tga"
    return next((ending for start, ending in IMAGE_STARTS if data.startswith(start)), "")


def local_spellings(reference: str) -> List[str]:
    """Return the possible file names of a reference: as written, and decoded as a URL; [] if it is remote."""
    from urllib.parse import unquote

    name = reference.strip().replace("\\", "/")
    scheme, colon, rest = name.partition(":")
    # A single letter before a colon is a drive of Windows.
    if colon and len(scheme) > 1 and scheme.isalnum():
        if scheme.lower() != "file":
            return []
        # RFC 8089: `file:///PATH` and `file://localhost/PATH` are the same file.
        name = rest[2:] if rest.startswith("//") else rest
        name = name[len("localhost") :] if name.startswith("localhost/") else name
    spellings = list(dict.fromkeys((name, unquote(name))))
    return [spelling for spelling in spellings if spelling and "\0" not in spelling]


def find_beside(path: str, reference: str, folders: Sequence[str] = ("",)) -> Optional[str]:
    """Return the path of a file that a mesh file refers to, looked up in `folders` beside it, or None."""
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
    """Return the file whose name differs only in upper and lower case, which is common in names from Windows."""
    folder, name = os.path.split(path)
    try:
        # Sorted, because the order of a folder differs between machines.
        for other in sorted(os.listdir(folder or ".")):
            file = os.path.join(folder, other)
            if other.casefold() == name.casefold() and os.path.isfile(file):
                return file
    except (OSError, ValueError):
        pass
    return None


def find_map(path: str, library: str, reference: str) -> Optional[str]:
    """Return the image that an MTL refers to, if it exists: beside the MTL, as in Blender, else beside the OBJ, as in
    trimesh."""
    beside_library = find_beside(library, reference, TEXTURE_FOLDERS) if library else None
    return beside_library or find_beside(path, reference, TEXTURE_FOLDERS)


def find_image(path: str, reference: str, library: str = "") -> FoundImage:
    """Return the image that a mesh file or its MTL library names, or None and the reason.

    Args:
        path: the mesh file.
        reference: the name of the image, as the file has it.
        library: the path of the MTL that names the image, "" for other files.
    """
    file = find_map(path, library, reference)
    if file is None:
        return None, Diagnostic(MESH_IMAGE, 0, "not-there", (reference,))
    try:
        return _known_image(reference, file, read_bytes(file))
    except BrokenMesh as problem:
        return None, Diagnostic(MESH_IMAGE, 0, "unreadable", (reference, problem.message))


def _known_image(reference: str, name: str, data: bytes) -> FoundImage:
    """Return an image from its base name and its bytes, or None and a note that its format is unknown."""
    if not image_ending(data):
        return None, Diagnostic(MESH_IMAGE, 0, "unknown", (reference,))
    return MeshImage(os.path.basename(name), data), None


class MtlEntry:
    """The used values of a `newmtl`, by keyword, its image, and the MTL that contains it."""

    def __init__(self, library: str = "") -> None:
        """Begin without values and image."""
        self.library = library
        self.numbers: Dict[str, List[float]] = {}
        self.image = ""


def read_libraries(
    path: str,
    libraries: Sequence[str],
    names: Sequence[str],
    bare: Container[str],
    notes: Diagnostics,
) -> Dict[str, MeshMaterial]:
    """Return the material of each name, from the MTL files of an OBJ; "" is the default material.

    An image is not shown on faces without texture coordinates: the faces of the materials in `bare`.
    """
    entries = read_entries(path, libraries, notes)
    materials = {"": MeshMaterial()}
    images: Dict[str, Optional[MeshImage]] = {}
    for name in names:
        if name not in entries:
            notes.append(Diagnostic(MESH_IMAGE, 0, "no-material", (name,)))
        entry = entries.get(name, MtlEntry())
        material = _material(path, name, entry, images, notes)
        if material.image and name in bare:
            notes.append(Diagnostic(MESH_IMAGE, 0, "no-coordinates", (name,)))
            entry.image = ""
            material = _material(path, name, entry, images, [])  # with its own color
        materials[name] = material
    return materials


def read_entries(path: str, libraries: Sequence[str], notes: Diagnostics) -> Dict[str, MtlEntry]:
    """Return all entries of the MTL files of an OBJ."""
    entries: Dict[str, MtlEntry] = {}
    for library in dict.fromkeys(libraries):
        # A name with spaces, or several names: it is a single name if a file with this name exists.
        names = library.split()
        if len(names) == 1 or find_beside(path, library):
            names = [library]
        for name in names:
            file = find_beside(path, name)
            if file is None:
                notes.append(Diagnostic(MESH_IMAGE, 0, "no-library", (name,)))
            else:
                for key, entry in read_mtl(file).items():
                    entries.setdefault(key, entry)  # the first of equal names counts
    return entries


def read_mtl(path: str) -> Dict[str, MtlEntry]:
    """Return the entries of an MTL file; the first of equal names is kept.

    Raises:
        BrokenMesh: a color or a transparency is unreadable; with the line.
    """
    entries: Dict[str, MtlEntry] = {}
    entry = MtlEntry()
    text = read_bytes(path, MAX_MTL_BYTES).decode("utf-8-sig", "replace")
    # Not `splitlines`, which also splits at other characters of Unicode.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for line, words in enumerate(map(str.split, lines), start=1):
        key = words[0].lower() if words else ""
        if key == "newmtl":
            entry = MtlEntry(path)
            entries.setdefault(" ".join(words[1:]), entry)
        # MTL also has `Kd spectral FILE` and `Kd xyz X Y Z`, which are not RGB.
        elif key in NUMBERS_AT_MOST and words[1:2] not in (["spectral"], ["xyz"]):
            numbers = _numbers_of(key, words[1:])
            if numbers:
                entry.numbers.setdefault(key, numbers)
            elif key not in RARELY_USED:
                raise BrokenMesh(f"'{words[0]}' is not followed by its numbers", path, line)
        elif key == "map_kd" and not entry.image:
            entry.image = _map_file(words[1:])
    return entries


def _numbers_of(key: str, words: Sequence[str]) -> List[float]:
    """Return the numbers of a value of an MTL, or [] if the words are not its numbers."""
    try:
        # `d -halo N` makes the transparency depend on the viewing angle: N is used for all angles.
        numbers = [float(word) for word in words if word != "-halo"]
    except ValueError:
        return []
    if len(numbers) > NUMBERS_AT_MOST[key] or not all(map(isfinite, numbers)):
        return []
    return numbers


def _map_file(words: Sequence[str]) -> str:
    """Return the file name of a map, which may contain spaces, without the options before it."""
    index = 0
    while index < len(words) and words[index].lower() in MAP_OPTIONS:
        most = MAP_OPTIONS[words[index].lower()]
        index += 1
        start = index
        # The last word is always the file. The first word after an option never is, as in `-clamp on`.
        while index < min(start + most, len(words) - 1) and (
            index == start or _is_number(words[index])
        ):
            index += 1
    return " ".join(words[index:])


def _is_number(word: str) -> bool:
    """Return True if a word is a finite number."""
    try:
        return isfinite(float(word))
    except ValueError:
        return False


def _material(
    path: str,
    name: str,
    entry: MtlEntry,
    images: Dict[str, Optional[MeshImage]],
    notes: Diagnostics,
) -> MeshMaterial:
    """Return the material of an entry; `images` caches the images."""
    # Two libraries may use one name for different images.
    key = f"{entry.library}\n{entry.image}"
    if entry.image and key not in images:
        images[key], problem = find_image(path, entry.image, entry.library)
        if problem:
            notes.append(problem)
    image = images.get(key)
    # Tr is 1 - d. If both are given, d counts.
    alpha = entry.numbers.get("d", [1.0 - entry.numbers.get("tr", [0.0])[0]])[0]
    if not OPAQUE_BELOW < alpha <= 1.0:
        notes.append(
            Diagnostic(kind=MESH_IMAGE, line=0, sentence="alpha", names=(name,), numbers=(alpha,))
        )
        alpha = 1.0
    color = _rgb(entry.numbers.get("kd"))
    tint = None
    lost_image = ""
    if image is None:
        lost_image = entry.image
    if image:
        # Drake multiplies an image by Kd; white leaves it unchanged.
        if color != WHITE:
            tint = color
        color = WHITE
    rgba = (*color, alpha) if color else None
    # Pm and Pr are MTL's extension for physically based rendering.
    metallic = entry.numbers.get("pm", [0.0])[0]
    roughness = entry.numbers.get("pr", [0.9])[0]
    return MeshMaterial(
        name=name,
        rgba=rgba,
        image=image,
        emission=_rgb(entry.numbers.get("ke")) or (0.0, 0.0, 0.0),
        metallic=min(max(metallic, 0.0), 1.0),
        roughness=min(max(roughness, 0.0), 1.0),
        tint=tint,
        lost_image=lost_image,
    )


def _rgb(numbers: Optional[List[float]]) -> Optional[Tuple[float, float, float]]:
    """Return red, green and blue within 0..1; a single number is a gray."""
    if not numbers:
        return None
    three = numbers if len(numbers) == 3 else numbers[:1] * 3
    red, green, blue = (min(max(value, 0.0), 1.0) for value in three)
    return red, green, blue
