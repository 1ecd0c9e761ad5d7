"""Files that are dropped on the page: robots and SRDFs, archives, meshes without their folders."""

from __future__ import annotations

import html
import os
import re
import zipfile
from typing import Dict, Iterator, List, Mapping, Optional, Sequence

from ..base.type_aliases import Pair
from ..base.errors import UsageError, UrdfError
from ..base.file_reading import first_element_of, OWN_MARK
from ..base.paths import path_from
from ..base.record_type import Record
from ..cli.parse_arguments import is_model
from ..compare.read_any_format import read_robot_of
from ..meshes.read_mesh_files import find_beside
from ..urdf.lossless_xml import parse_document
from ..urdf.package_resolver import resolve, resolver_for

FIRST_BYTES = 65536  # of a file, which contain its first element
MODEL_JSON = re.compile(rb'\{"format": [0-9]+,\n "name": ')  # a robot that export wrote
FORMATS = {"mujoco": "MJCF", "sdf": "SDF", "robot": "URDF", "gazebo": "SDF", "usd": "USD"}
ONLY_AS_OTHER = ("xacro", "JSON")  # not read by a run here; a comparison reads JSON
MESH_REFERENCE = re.compile(r"""(?s)<mesh\b[^>]*?\bfilename\s*=\s*(["'])(.*?)\1""")
BESIDE_MESHES = (
    ".mtl",
    ".bin",
    ".png",
    ".jpg",
    ".jpeg",
    ".tga",
    ".bmp",
    ".gif",
    ".tif",
    ".tiff",
    ".ktx",
    ".dds",
)
# Text files that name images and other files in their folder.
NAMING = (".dae", ".obj", ".mtl", ".gltf")
NAMED = re.compile(
    r"[^\s\"'<>|]+(?:" + "|".join(map(re.escape, BESIDE_MESHES)) + r")\b", re.IGNORECASE
)
READ_AS_ROBOTS = ("URDF", "MJCF", "SDF")
MAX_UNPACKED = 1_500_000_000  # bytes: WebAssembly has at most 4 GB for everything


class DroppedFile(Record):
    """A dropped file of a known format.

    Attributes:
        path: relative to the folder of the dropped files.
        format: as `format_of` returns it.
        size: in bytes.
        is_result: this tool wrote it.
    """

    path: str
    format: str
    size: int
    is_result: bool


def files_in(folder: str) -> Iterator[str]:
    """Yield the paths of all files relative to a folder, with `/`, in a fixed order."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield path_from(folder, os.path.join(parent, name))


def find_robots(folder: str) -> List[DroppedFile]:
    """Return the robots, SRDFs and models in a folder, the likeliest first.

    Formats that only a comparison reads come last, results of this tool before them. Among all others, the files
    nearest to the top of the folder come first, then `robot` and files with the name of their folder, then the largest.
    """
    files = []
    for path in files_in(folder):
        full = os.path.join(folder, path)
        kind = format_of(full)
        if kind:
            files.append(DroppedFile(path, kind, os.path.getsize(full), is_result(full)))
    return sorted(
        files,
        key=lambda file: (
            file.format in ONLY_AS_OTHER,
            file.is_result,
            file.path.count("/"),
            not _has_main_name(file.path),
            -file.size,
            file.path,
        ),
    )


def _has_main_name(path: str) -> bool:
    """Return True for `robot.urdf`, and for `arm/arm.urdf`."""
    return os.path.basename(path).split(".")[0] in (
        "robot",
        os.path.basename(os.path.dirname(path)),
    )


def is_result(path: str) -> bool:
    """Return True for a file that this tool wrote, by the comment at its beginning."""
    with open(path, "rb") as stream:
        return re.search(OWN_MARK, stream.read(FIRST_BYTES)) is not None


def format_of(path: str) -> str:
    """Return URDF, xacro, MJCF, SDF, SRDF, JSON or model by the name of a file and its beginning, else ""."""
    name = path.lower()
    if name.endswith(".xacro"):
        return "xacro"
    if is_model(name):
        return "model"
    if name.endswith(".json"):
        with open(path, "rb") as stream:
            return "JSON" if MODEL_JSON.match(stream.read(FIRST_BYTES)) else ""
    if not name.endswith((".urdf", ".xml", ".mjcf", ".sdf", ".world", ".model", ".srdf")):
        return ""
    if name.endswith(".srdf"):
        return "SRDF"
    if name.endswith(".urdf"):
        return "URDF"
    return FORMATS.get(first_element_of(path), "")


def unpack(folder: str, archive: str) -> None:
    """Replace a dropped ZIP archive by its files, without hidden files.

    Raises:
        UsageError: it cannot be read, or its content does not fit into the memory of a page.
    """
    path = os.path.join(folder, archive)
    try:
        with zipfile.ZipFile(path) as packed:
            members = [
                member
                for member in packed.infolist()
                if not member.is_dir() and not is_hidden(member.filename)
            ]
            if sum(member.file_size for member in members) > MAX_UNPACKED:
                raise UsageError(f"this archive holds more than {MAX_UNPACKED / 1e9:g} GB", archive)
            packed.extractall(os.path.dirname(path), members)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise UsageError(f"this archive cannot be read: {error}", archive) from None
    os.remove(path)


def is_hidden(path: str) -> bool:
    """Return True for files in a folder such as `.git`, and for files that macOS adds to archives."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.split("/"))


def place_by_name(folder: str, robot: str, inside: str) -> List[Pair]:
    """Link meshes that came without their folders, as from a file picker, to the paths that the robot refers to.

    The file of a mesh that is missing at its path is the file with its name; if several have that name, the file whose
    path has the longest end in common with the reference, if it is the only one.

    Args:
        folder: the folder of the dropped files.
        robot: the path of the URDF within it.
        inside: links are made only below this folder.

    Returns:
        Reference and file of each mesh that was found by its name only.
    """
    base = os.path.join(folder, os.path.dirname(robot))
    with open(os.path.join(folder, robot), "rb") as stream:
        source = stream.read()
    text = source.decode("utf-8", "replace")
    references = dict.fromkeys(html.unescape(match[1]) for match in MESH_REFERENCE.findall(text))
    by_name: Dict[str, List[str]] = {}
    for path in files_in(folder):
        by_name.setdefault(os.path.basename(path), []).append(path)
    try:
        resolver = resolver_for(parse_document(source, robot).root, base, ())
    except UrdfError:  # the run will report it
        return []
    placed = []
    for reference in references:
        file = _meant(reference, by_name)
        target = _expected_place(reference, base, inside)
        if file and target and not resolve(reference, resolver).path:
            _link(os.path.join(folder, file), target)
            placed.append((reference, file))
    return placed


def _meant(reference: str, by_name: Mapping[str, Sequence[str]]) -> str:
    """Return the file whose path has the longest end in common with a reference, "" if none or several have it."""
    parts = reference.replace("\\", "/").split("/")[::-1]

    def common(path: str) -> int:
        """Return the number of parts at its end that a path shares with the reference."""
        pairs = zip(parts, path.split("/")[::-1])
        return next((count for count, (a, b) in enumerate(pairs) if a != b), len(parts))

    ranked = sorted(((common(path), path) for path in by_name.get(parts[0], ())), reverse=True)
    alone = len(ranked) == 1 or len(ranked) > 1 and ranked[0][0] > ranked[1][0]
    return ranked[0][1] if alone else ""


def _expected_place(reference: str, base: str, inside: str) -> Optional[str]:
    """Return the path of a link at which the tool finds a reference, None if the link cannot be made.

    `base` is the folder of the URDF, where packages are searched, too.
    """
    name = reference.strip().replace("\\", "/")
    path = os.path.normpath(
        os.path.join(base, re.sub(r"^(package|file|model)://?/*|^/+", "", name))
    )
    return path if path.startswith(os.path.join(inside, "")) and not os.path.lexists(path) else None


def _link(path: str, target: str) -> None:
    """Link a mesh, and the materials and images in its folder, from another folder."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    os.symlink(path, target)
    for name in os.listdir(os.path.dirname(path)):
        beside = os.path.join(os.path.dirname(target), name)
        if name.lower().endswith(BESIDE_MESHES) and not os.path.lexists(beside):
            os.symlink(os.path.join(os.path.dirname(path), name), beside)


def needed_beside(folder: str, names: Sequence[str]) -> List[str]:
    """Return the dropped files that the results of a run need, so that a copy of them all is a working folder.

    These are the meshes and images that robots among the results name, the files named in them, and the `package.xml`
    of their packages.

    Args:
        folder: the folder of the dropped files.
        names: the results, relative to the folder.

    Returns:
        Paths relative to the folder, in a fixed order; a link that was made outside it begins with `../`.
    """
    waiting: List[str] = []
    for path in (os.path.join(folder, name) for name in names):
        if format_of(path) in READ_AS_ROBOTS:
            for link in read_robot_of(path).links:
                for shape in link.shapes:
                    waiting += filter(None, (shape.path, shape.texture_path))
    needed = {os.path.normpath(os.path.join(folder, name)) for name in names}
    results = set(needed)
    while waiting:
        path = os.path.normpath(waiting.pop())
        if path not in needed and path.lower().endswith(NAMING):
            with open(path, encoding="utf-8", errors="replace") as stream:
                named = NAMED.findall(stream.read())
            waiting += filter(None, (find_beside(path, name) for name in named))
        needed.add(path)
    beside = needed - results
    packages = []
    for name in files_in(folder):
        if os.path.basename(name) == "package.xml":
            package = os.path.join(folder, os.path.dirname(name), "")
            if any(path.startswith(package) for path in beside):
                packages.append(name)
    return sorted(path_from(folder, path) for path in beside) + packages
