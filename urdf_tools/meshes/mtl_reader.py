"""Read the MTL files of an OBJ: color, transparency and image of each material."""
from math import isfinite
from typing import Dict, List, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenMesh
from ..collada.materials import OPAQUE_BELOW
from .files import find_beside, find_image, read_bytes
from .form import Image, Material
from .kinds import MESH_IMAGE

MAX_MTL_BYTES = 1 << 26
# The number of words after each option of a map, at most: "-o", "-s" and "-t" have one to three.
MAP_OPTIONS = {"-blendu": 1, "-blendv": 1, "-cc": 1, "-clamp": 1, "-bm": 1, "-boost": 1, "-texres": 1, "-imfchan": 1,
               "-type": 1, "-mm": 2, "-o": 3, "-s": 3, "-t": 3}


class Entry:
    """The values of a `newmtl` that are used, by keyword, and its image."""

    def __init__(self) -> None:
        self.numbers: Dict[str, List[float]] = {}
        self.image = ""


def read_libraries(path: str, libraries: Sequence[str], names: Sequence[str], notes: List[Diagnostic]
                   ) -> Dict[str, Material]:
    """Return the material of each name, from the MTL files that an OBJ names; "" is the default material."""
    entries = read_entries(path, libraries, notes)
    materials = {"": Material()}
    images: Dict[str, Optional[Image]] = {}
    for name in names:
        if name not in entries:
            notes.append(Diagnostic(MESH_IMAGE, 0, "no-material", (name,)))
        materials[name] = _material(path, name, entries.get(name, Entry()), images, notes)
    return materials


def read_entries(path: str, libraries: Sequence[str], notes: List[Diagnostic]) -> Dict[str, Entry]:
    """Return all entries of the MTL files that an OBJ names."""
    entries: Dict[str, Entry] = {}
    for library in dict.fromkeys(libraries):
        # A name with blanks, or several names: it is one name if there is such a file.
        files = [find_beside(path, name) for name in ([library] if find_beside(path, library) else library.split())]
        for name, file in zip([library] if len(files) == 1 else library.split(), files):
            if file is None:
                notes.append(Diagnostic(MESH_IMAGE, 0, "no-library", (name,)))
            else:
                for key, entry in read_mtl(file).items():
                    entries.setdefault(key, entry)
    return entries


def read_mtl(path: str) -> Dict[str, Entry]:
    """Return the entries of an MTL file; of equal names the first is kept.

    Raises:
        BrokenMesh: a color or a transparency is not made of numbers; with the line.
    """
    entries: Dict[str, Entry] = {}
    entry = Entry()
    text = read_bytes(path, MAX_MTL_BYTES).decode("utf-8-sig", "replace")
    for line, words in enumerate(map(str.split, text.replace("\r\n", "\n").replace("\r", "\n").split("\n")), start=1):
        key = words[0].lower() if words else ""
        if key == "newmtl":
            entry = Entry()
            entries.setdefault(" ".join(words[1:]), entry)
        elif key in ("kd", "ke", "ks", "ns", "d", "tr", "pm", "pr") and words[1:2] not in (["spectral"], ["xyz"]):
            try:
                numbers = [float(word) for word in words[1:] if word != "-halo"]
            except ValueError:
                numbers = []
            if not numbers or not all(map(isfinite, numbers)) or len(numbers) != (
                    min(max(len(numbers), 1), 3) if key in ("kd", "ke", "ks") else 1):
                if key in ("ks", "ns"):  # few programs use them: no reason to refuse a file
                    continue
                raise BrokenMesh(f"'{words[0]}' is not followed by its numbers", path, line)
            entry.numbers.setdefault(key, numbers)
        elif key == "map_kd" and not entry.image:
            entry.image = _map_file(words[1:])
    return entries


def _map_file(words: Sequence[str]) -> str:
    """Return the file name of a map, which may contain blanks, without the options before it."""
    index = 0
    while index < len(words) and words[index].lower() in MAP_OPTIONS:
        most = MAP_OPTIONS[words[index].lower()]
        index += 1
        start = index
        while index < min(start + most, len(words) - 1) and (index == start or _is_number(words[index])):
            index += 1
    return " ".join(words[index:])


def _is_number(word: str) -> bool:
    try:
        return isfinite(float(word))
    except ValueError:
        return False


def _material(path: str, name: str, entry: Entry, images: Dict[str, Optional[Image]], notes: List[Diagnostic]
              ) -> Material:
    if entry.image and entry.image not in images:
        file, problem = find_image(path, entry.image)
        images[entry.image] = Image(*file) if file else None
        notes += [problem] if problem else []
    image = images.get(entry.image)
    alpha = entry.numbers.get("d", [1.0 - entry.numbers.get("tr", [0.0])[0]])[0]
    if not OPAQUE_BELOW < alpha <= 1.0:
        notes.append(Diagnostic(MESH_IMAGE, 0, "alpha", (name,), (alpha,)))
        alpha = 1.0
    color = _rgb(entry.numbers.get("kd"))
    if image:
        color = (1.0, 1.0, 1.0)
    metallic, roughness = (min(max(entry.numbers.get(key, [usual])[0], 0.0), 1.0)
                           for key, usual in (("pm", 0.0), ("pr", 0.9)))
    return Material(name, (*color, alpha) if color else None, image, _rgb(entry.numbers.get("ke")) or (0.0, 0.0, 0.0),
                    metallic=metallic, roughness=roughness)


def _rgb(numbers: Optional[List[float]]) -> Optional[Tuple[float, float, float]]:
    """Return red, green and blue within 0..1; one number is a gray."""
    if not numbers:
        return None
    red, green, blue = (min(max(value, 0.0), 1.0) for value in (numbers if len(numbers) == 3 else numbers[:1] * 3))
    return red, green, blue
