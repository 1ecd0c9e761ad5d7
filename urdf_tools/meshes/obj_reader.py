"""The reader of Wavefront OBJ into the common form: one surface for each material of faces.

Lines are grouped into runs of one kind, and a run of plain `v`, `vt`, `vn` or triangles is read at once, which is much
faster; any other line is read alone. Groups and objects (`g`, `o`) and smoothing (`s`) do not change the surfaces and
are ignored.
"""

from __future__ import annotations

import io
import json
import re
from array import array
from collections import Counter
from math import isfinite
from typing import Dict, List, Sequence, Tuple

from ..base.type_aliases import Pair
from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenMesh, NotFinite
from ..base.run_diagnostics import MESH_CONTENT
from ..base.record_type import Record
from ..collada.polygon_triangulation import polygon_triangles
from .read_mesh_files import line_chunks, read_bytes, read_libraries
from .mesh_content import (
    checked_positions,
    Floats,
    FLOAT,
    MeshContent,
    MAX_TRIANGLES,
    NUMBER,
    Numbers,
    MaterialSurface,
    tidy,
)
from .mesh_diagnostics import MESH_FEATURE
from .first_obj_object import end_of_first_object

# Consecutive lines that begin with the same keyword.
RUN = re.compile(rb"(v|vt|vn|f)[ \t][^\n]*\n(?:\1[ \t][^\n]*\n)*")
WIDTHS = {b"v": 3, b"vt": 2, b"vn": 3}
DIGITS = b"0123456789"
PASSED_OVER = frozenset(
    [
        b"g",
        b"o",
        b"s",
        b"l",
        b"p",
        b"mg",
        b"lod",
        b"usemap",
        b"maplib",
        b"shadow_obj",
        b"trace_obj",
        b"bevel",
        b"c_interp",
        b"d_interp",
    ]
)

NONE = 0xFFFFFFFF
NONE_BYTES = array(NUMBER, [NONE]).tobytes()

# Numbers of position, texture coordinate and normal, or NONE.
Corner = Tuple[int, int, int]


class MaterialFaces:
    """Triangles of a material while the file is read: numbers as in `Corner`, three for each triangle."""

    def __init__(self) -> None:
        """Begin without triangles."""
        self.corners = array(NUMBER)
        self.uv = array(NUMBER)
        self.normals = array(NUMBER)


class ObjFile(Record):
    """The content of an OBJ file read so far.

    Attributes:
        values: the numbers of `v`, `vt` and `vn`.
        faces: triangles by the name of their material, or "".
        libraries: the names of the MTL files.
        counts: the number of skipped or forced items, by the sentence of MESH_CONTENT that reports them.
        features: the number of skipped lines, by the sentence of MESH_FEATURE and the keyword.
        shape_only: texture coordinates and normals are zeros; only the number of their records is right.
    """

    path: str
    values: Dict[bytes, Floats]
    faces: Dict[str, MaterialFaces]
    libraries: List[str]
    counts: Dict[str, int]
    features: Dict[Pair, int]
    shape_only: bool


def read_obj(path: str, *, shape_only: bool = False, first_object: bool = False) -> MeshContent:
    """Read an OBJ file with its materials; positions are not scaled or turned.

    With `shape_only`, normals and texture coordinates are not read; with `first_object`, only the first object is.

    Raises:
        BrokenMesh: a line cannot be read, or refers to a vertex that does not exist; with the line.
    """
    return _finished(read_lines(path, shape_only=shape_only, first_object=first_object))


def read_lines(path: str, *, shape_only: bool = False, first_object: bool = False) -> ObjFile:
    """Return the records and the faces of an OBJ file, without its materials.

    Raises:
        BrokenMesh: as in `read_obj`.
    """
    data = read_bytes(path)
    # Otherwise this UTF-8 byte order mark would be part of the first keyword.
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    # Before lines are joined, because a continued line may end with a backslash and \r\n.
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    # Continued lines are joined, and followed by empty lines, so that later lines keep their numbers.
    if b"\\\n" in data:
        data = re.sub(rb"(?:[^\n]*\\\n)+[^\n]*", _joined_lines, data)
    if b"\0" in data:
        raise BrokenMesh(
            "is not OBJ: it has a null character", path, data.count(b"\n", 0, data.index(b"\0")) + 1
        )
    if first_object:
        data = data[: end_of_first_object(data)]
    obj = ObjFile(
        path=path,
        values={key: array(FLOAT) for key in WIDTHS},
        faces={},
        libraries=[],
        counts=Counter(),
        features=Counter(),
        shape_only=shape_only,
    )
    line = 1
    material = ""
    for chunk in line_chunks(io.BytesIO(data)):
        start = 0
        while start < len(chunk):
            run = RUN.match(chunk, start)
            end = run.end() if run else chunk.find(b"\n", start) + 1 or len(chunk)
            text = chunk[start:end]
            if not run or not _read_run(obj, run.group(1), text, material):
                for number, content in enumerate(text.split(b"\n"), start=line):
                    material = _read_line(obj, content.split(), number, material)
            line += text.count(b"\n")
            start = end
    return obj


def _joined_lines(match: "re.Match[bytes]") -> bytes:
    """Return a continued line as one line, and empty lines, so that line numbers stay."""
    text = match.group()
    return text.replace(b"\\\n", b" ") + b"\n" * text.count(b"\\\n")


def _read_run(obj: ObjFile, key: bytes, text: bytes, material: str) -> bool:
    """Add lines of one keyword to obj at once; return False without a change if one line needs the slow reader."""
    # A face that is read at once has three corners, as a position has three numbers.
    width = WIDTHS.get(key, 3)
    count = text.count(b"\n")
    if obj.shape_only and key in (b"vt", b"vn"):
        # Zeros take the place of records that are not read, because faces count them; 4 bytes are
        # a float32.
        obj.values[key].frombytes(bytes(4 * width * count))
        return True
    words = text.split()
    # A position with colors or a weight has more words, so these lines are read one by one.
    if len(words) != count * (width + 1) or words[:: width + 1].count(key) != count:
        return False
    del words[:: width + 1]
    if key == b"f":
        return _read_triangles(obj, words, material)
    try:
        block = array(FLOAT, list(map(float, words)))
    except (ValueError, OverflowError):
        return False
    if b"_" in text or not isfinite(sum(block)):  # Python reads 1_000 as a number, OBJ does not
        return False
    obj.values[key].extend(block)
    return True


def _read_triangles(obj: ObjFile, words: Sequence[bytes], material: str) -> bool:
    """Read the corners of triangles of one form, with positive numbers; return False for other lines."""
    # Most corners are repeated, and a look-up is faster than parsing.
    different = dict.fromkeys(words)
    text = b",".join(different)
    form = words[0].translate(None, DIGITS)
    # The text without digits shows the form of each corner; the count of numbers shows that none is missing.
    forms = b",".join([form] * len(different))
    if form not in (b"", b"/", b"//") or text.translate(None, DIGITS) != forms:
        return False
    listed = text.replace(b"//", b",").replace(b"/", b",").decode("ascii")
    try:
        # `json` reads a list of numbers in C.
        numbers = json.loads(f"[{listed}]")
    except ValueError:  # a number begins with 0, or is missing
        return False
    # `1//3` and `1/2/3` are both `//` without digits; the count of numbers distinguishes them.
    width, rest = divmod(len(numbers), len(different))
    if rest or width > 1 + len(form):
        return False
    keys = (b"v", b"vn") if width == 2 and form == b"//" else (b"v", b"vt", b"vn")[:width]
    columns = [[number - 1 for number in numbers[index::width]] for index in range(width)]
    if any(
        min(column) < 0 or WIDTHS[key] * max(column) >= len(obj.values[key])
        for key, column in zip(keys, columns)
    ):
        return False
    faces = obj.faces.setdefault(material, MaterialFaces())
    for key, column in ((b"v", faces.corners), (b"vt", faces.uv), (b"vn", faces.normals)):
        if key in keys:
            # Corners with the same text have the same numbers.
            number_of = dict(zip(different, columns[keys.index(key)]))
            column.extend(array(NUMBER, list(map(number_of.__getitem__, words))))
        else:
            column.extend(array(NUMBER, [NONE]) * len(words))
    return True


def _read_line(obj: ObjFile, words: Sequence[bytes], line: int, material: str) -> str:
    """Read any line; return the name of the material of the following faces."""
    if not words or words[0].startswith(b"#"):
        return material
    key = words[0]
    if key == b"f" or key in WIDTHS:  # names, for example from 3ds Max, may contain a #
        words = b" ".join(words).partition(b"#")[0].split()
    if key in WIDTHS:
        _read_record(obj, key, words[1:], line)
    elif key == b"f":
        _read_polygon(obj, words[1:], line, material)
    elif key == b"usemtl":
        return b" ".join(words[1:]).decode("utf-8", "replace")
    elif key == b"mtllib":
        obj.libraries.append(b" ".join(words[1:]).decode("utf-8", "replace"))
    elif key not in PASSED_OVER:
        shown = key[:40].decode("utf-8", "replace")
        if not shown.isprintable() or len(key) > 40:
            raise BrokenMesh(
                "is not OBJ: a line does not begin with a keyword of OBJ", obj.path, line
            )
        obj.features["unread-lines", shown] += 1
    return material


def _read_record(obj: ObjFile, key: bytes, words: Sequence[bytes], line: int) -> None:
    """Read a `v`, `vt` or `vn`; a missing v of `vt` is 0. A weight or a color after a position is ignored."""
    width = WIDTHS[key]
    # The form in which many programs write colors; a fourth number alone is a weight.
    if key == b"v" and len(words) >= 6:
        obj.features["vertex-colors", ""] += 1
    try:
        numbers = array(FLOAT, [float(word) for word in words[:width]])
    except (ValueError, OverflowError):
        numbers = array(FLOAT)
    if key == b"vt" and len(numbers) == 1:
        numbers.append(0.0)
    if len(numbers) == width and not isfinite(sum(numbers)):
        raise NotFinite(f"'{key.decode()}' has a number that is not finite", obj.path, line)
    if len(numbers) != width or b"_" in b"".join(words):
        raise BrokenMesh(
            f"'{key.decode()}' is not followed by {width} numbers that fit into float32",
            obj.path,
            line,
        )
    obj.values[key].extend(numbers)


def _read_polygon(obj: ObjFile, words: Sequence[bytes], line: int, material: str) -> None:
    """Read an `f` of any number of corners; with fewer than three it draws nothing."""
    polygon = [_read_corner(obj, word, line) for word in words]
    if len(polygon) < 3:
        obj.features["short-faces", "f"] += 1
        return
    positions = obj.values[b"v"]
    points = [(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]) for v, _, _ in polygon]
    faces = obj.faces.setdefault(material, MaterialFaces())
    for index in polygon_triangles(range(len(polygon)), points, obj.counts):
        corner, uv, normal = polygon[index]
        faces.corners.append(corner)
        faces.uv.append(uv)
        faces.normals.append(normal)


def _read_corner(obj: ObjFile, word: bytes, line: int) -> Corner:
    """Read `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative numbers count back from the last record so far.

    A reference to a missing `vt` or `vn` is ignored, as in MuJoCo and trimesh.
    """
    pieces = word.split(b"/")
    numbers = [NONE, NONE, NONE]
    for index, (piece, key) in enumerate(zip(pieces, (b"v", b"vt", b"vn"))):
        count = len(obj.values[key]) // WIDTHS[key]
        if not piece and index:
            continue
        digits = piece[1:] if piece[:1] in b"-+" else piece
        # No file has so many records, and newer versions of Python refuse numbers of thousands of digits.
        if not digits.isdigit() or len(digits) > 18:
            raise BrokenMesh(
                f"a face has {word[:40].decode(errors='replace')!r} where a corner belongs",
                obj.path,
                line,
            )
        number = int(piece)
        numbers[index] = number - 1 if number >= 0 else count + number
        # A corner needs a position, but not a normal.
        if not 0 <= numbers[index] < count and index:
            numbers[index] = NONE
            obj.features["no-record", key.decode()] += 1
        elif not 0 <= numbers[index] < count:
            raise BrokenMesh(
                f"a face names '{key.decode()}' {number}, but there are {count} so far",
                obj.path,
                line,
            )
    if len(pieces) > 3:
        raise BrokenMesh(
            f"a face has {word[:40].decode(errors='replace')!r} where a corner belongs",
            obj.path,
            line,
        )
    return numbers[0], numbers[1], numbers[2]


def _finished(obj: ObjFile) -> MeshContent:
    """Return the surfaces, each with the records that it uses."""
    if sum(len(faces.corners) for faces in obj.faces.values()) > 3 * MAX_TRIANGLES:
        raise BrokenMesh(f"holds more than {MAX_TRIANGLES} triangles", obj.path)
    notes: List[Diagnostic] = []
    for sentence, count in obj.counts.items():
        notes.append(
            Diagnostic(kind=MESH_CONTENT, line=0, sentence=sentence, names=(), numbers=(count,))
        )
    for (sentence, word), count in obj.features.items():
        # A sentence without a word is not about a keyword of the file.
        words = (word,) if word else ()
        notes.append(
            Diagnostic(kind=MESH_FEATURE, line=0, sentence=sentence, names=words, numbers=(count,))
        )
    names = [name for name in obj.faces if name]
    bare = [] if obj.shape_only else [name for name in names if _has_none(obj.faces[name].uv)]
    materials = read_libraries(obj.path, obj.libraries, names, bare, notes)
    positions = checked_positions(obj.path, "'v'", obj.values[b"v"])
    surfaces = []
    for name, faces in obj.faces.items():
        surface = MaterialSurface(materials[name], positions, faces.corners)
        if not obj.shape_only:
            normals, normal_corners = _column(obj.values[b"vn"], 3, faces.normals, faces.corners)
            uv, uv_corners = _column(obj.values[b"vt"], 2, faces.uv, faces.corners)
            surface = surface._replace(
                normals=normals, normal_corners=normal_corners, uv=uv, uv_corners=uv_corners
            )
        surfaces.append(tidy(surface))
    return MeshContent(tuple(surfaces), tuple(notes))


def _has_none(numbers: Numbers) -> bool:
    """Return True if no corner has a number."""
    return numbers.tobytes().count(NONE_BYTES) == len(numbers)


def _column(
    values: Floats, width: int, numbers: Numbers, corners: Numbers
) -> Tuple[Floats, Numbers]:
    """Return records and their numbers, which are `corners` itself if equal; NONE refers to a record of zeros."""
    if numbers == corners:
        return values, corners
    if _has_none(numbers):
        return array(FLOAT), array(NUMBER)
    missing = numbers.tobytes().count(NONE_BYTES)
    if missing:
        last = len(values) // width
        values = values + array(FLOAT, bytes(4 * width))
        filled = array(NUMBER)
        for number in numbers:
            filled.append(last if number == NONE else number)
        numbers = filled
    return values, numbers
