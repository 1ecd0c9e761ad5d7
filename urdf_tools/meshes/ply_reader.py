"""The reader of PLY, text and binary: the points and faces of a scan or of a program such as MeshLab, as one surface.

The header lists elements, each with a number of records and the types of their properties; the records follow in this
order (G. Turk, "The PLY Polygon File Format", 1994). Faces are lists of the numbers of points.
"""

from __future__ import annotations

import struct
from array import array
from contextlib import contextmanager
from itertools import chain, islice
from math import isfinite
from typing import (
    Callable,
    Counter as Counts,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenMesh
from ..base.run_diagnostics import MESH_CONTENT
from ..base.record_type import Record
from ..collada.polygon_triangulation import polygon_triangles
from .read_mesh_files import colored_place, read_bytes
from .mesh_content import (
    checked_positions,
    FLOAT,
    MeshMaterial,
    MAX_TRIANGLES,
    MeshContent,
    NUMBER,
    MaterialSurface,
    tidy,
)
from .mesh_diagnostics import MESH_FEATURE

CODES: Dict[str, str] = {  # Codes of `struct`, by the two names of each type.
    **dict.fromkeys(("char", "int8"), "b"),
    **dict.fromkeys(("uchar", "uint8"), "B"),
    **dict.fromkeys(("short", "int16"), "h"),
    **dict.fromkeys(("ushort", "uint16"), "H"),
    **dict.fromkeys(("int", "int32"), "i"),
    **dict.fromkeys(("uint", "uint32"), "I"),
    **dict.fromkeys(("float", "float32"), "f"),
    **dict.fromkeys(("double", "float64"), "d"),
}
ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">", "ascii": ""}
# The elements that are read: points and polygons.
VERTEX = "vertex"
FACE = "face"
CORNERS = ("vertex_indices", "vertex_index")  # programs write either name
# Names of the channels of a color; some programs write `diffuse_` before them.
CHANNELS = ("red", "green", "blue", "alpha")
COLORS = frozenset([*CHANNELS, *(f"diffuse_{channel}" for channel in CHANNELS)])
Value = Union[float, Tuple[float, ...]]
Row = Dict[str, Value]


class PlyProperty(Record):
    """A property of an element: its name, the code of its type, and for a list the code of its count, else ""."""

    name: str
    code: str
    count_code: str


class PlyElement(Record):
    """Records of one kind: their number `size`, and their properties."""

    name: str
    size: int
    properties: Tuple[PlyProperty, ...]


class PlyHeader(Record):
    """The content of a file, in the order of its bytes.

    `order` is the byte order for `struct`, "" for text; `end` is the offset of the records.
    """

    order: str
    elements: Tuple[PlyElement, ...]
    end: int


def read_ply(path: str) -> MeshContent:
    """Read a PLY file; the colors and normals of its points are not read.

    Raises:
        BrokenMesh: the file is not PLY, ends early, or has a face with an unknown point.
    """
    data = read_bytes(path)
    header = _header(path, data)
    rows = _text_rows(data[header.end :]) if not header.order else _binary_rows(data, header)
    points: List[Tuple[float, float, float]] = []
    polygons: List[Sequence[int]] = []
    with _refused_if_damaged(path):
        for element in header.elements:
            for row in islice(rows(element), element.size):
                if element.name == VERTEX:
                    points.append(_point(row))
                elif element.name == FACE:
                    polygons.append(_polygon(row))
    _require_known_points(path, polygons, len(points))
    return _mesh(path, header, points, polygons)


@contextmanager
def _refused_if_damaged(path: str) -> Iterator[None]:
    """Run a block that reads the records of a file, and refuse the file if the block cannot read them.

    Raises:
        BrokenMesh: a record ends early, or has other values than the header says.
    """
    try:
        yield
    except (ValueError, OverflowError, KeyError, TypeError, struct.error, StopIteration):
        raise BrokenMesh(
            "is not PLY: its records end early, or are other than its header says", path
        ) from None


def _require_known_points(path: str, polygons: Iterable[Sequence[int]], count: int) -> None:
    """Refuse a file if a polygon names a point outside the `count` points of the file.

    Raises:
        BrokenMesh: a number is negative or too large.
    """
    for polygon in polygons:
        if any(not 0 <= corner < count for corner in polygon):
            raise BrokenMesh(f"a face names a point that is not there: there are {count}", path)


def colors_in_ply(path: str) -> Iterator[bytes]:
    """Yield each colored point, and the corners of each colored face, with the color as bytes.

    A comparison of two files makes digests of them (`look_digests.py`), as the surfaces that `read_ply` returns have no
    colors of points. Other elements, such as edges, draw nothing, so their colors are skipped.

    Raises:
        BrokenMesh: the file is not PLY, ends early, or has a face with an unknown point.
    """
    data = read_bytes(path)
    header = _header(path, data)
    if not _has_colors(header):
        return
    rows = _text_rows(data[header.end :]) if not header.order else _binary_rows(data, header)
    points: List[Tuple[float, float, float]] = []
    colored: List[Tuple[Sequence[int], bytes]] = []  # numbers of points, and their color
    with _refused_if_damaged(path):
        for element in header.elements:
            for row in islice(rows(element), element.size):
                if element.name == VERTEX:
                    corners: Sequence[int] = (len(points),)
                    points.append(_point(row))
                elif element.name == FACE:
                    corners = _polygon(row)
                else:
                    continue
                color = [row[name] for name in row if name in COLORS]
                if color:
                    colored.append((corners, repr(color).encode()))
    # Only now are all points known: a header may list faces before vertices.
    _require_known_points(path, (corners for corners, _ in colored), len(points))
    for corners, color_text in colored:
        yield colored_place([points[corner] for corner in corners], color_text)


def _has_colors(header: PlyHeader) -> bool:
    """Return True if points or faces have colors."""
    drawn = [element for element in header.elements if element.name in (VERTEX, FACE)]
    every = chain.from_iterable(element.properties for element in drawn)
    names = {each.name for each in every}
    return not names.isdisjoint(COLORS)


def _header(path: str, data: bytes) -> PlyHeader:
    """Return the header of a file.

    Raises:
        BrokenMesh: the header is missing, or has an unknown word.
    """
    lines = data[: 1 << 16].splitlines(keepends=True)
    if not lines or lines[0].strip() != b"ply":
        raise BrokenMesh("is not PLY: its first line is not 'ply'", path, 1)
    order: Optional[str] = None
    elements: List[PlyElement] = []
    end = 0
    for number, line in enumerate(lines, start=1):
        end += len(line)
        words = line.decode("latin-1").split()
        if words[:1] == ["end_header"] and order is not None:
            return PlyHeader(order, tuple(elements), end)
        try:
            if words[:1] == ["format"]:
                order = ORDERS[words[1]]
            elif words[:1] == ["element"]:
                elements.append(PlyElement(words[1], int(words[2]), ()))
            elif words[:1] == ["property"]:
                last = elements.pop()
                elements.append(last._replace(properties=(*last.properties, _property(words[1:]))))
        except (KeyError, IndexError, ValueError):
            raise BrokenMesh(
                "is not PLY: a line of its header cannot be read", path, number
            ) from None
    raise BrokenMesh("is not PLY: its header has no end", path)


def _property(words: Sequence[str]) -> PlyProperty:
    """Return a property from the words after the keyword."""
    if words[0] == "list":
        return PlyProperty(words[3], CODES[words[2]], CODES[words[1]])
    return PlyProperty(words[1], CODES[words[0]], "")


Rows = Callable[[PlyElement], Iterator[Row]]


def _text_rows(body: bytes) -> Rows:
    """Return the function that yields the records of an element, which are words of a text."""
    words = iter(body.split())

    def rows(element: PlyElement) -> Iterator[Row]:
        """Yield the records of an element, starting after the previous element."""
        for _ in range(element.size):
            row: Row = {}
            for each in element.properties:
                if each.count_code:
                    row[each.name] = tuple(map(float, islice(words, int(_next(words)))))
                else:
                    row[each.name] = float(_next(words))
            yield row

    return rows


def _next(words: Iterator[bytes]) -> bytes:
    """Return the next word.

    Raises:
        ValueError: no word is left.
    """
    word = next(words, None)
    if word is None:
        raise ValueError
    return word


def _binary_rows(data: bytes, header: PlyHeader) -> Rows:
    """Return the function that yields the records of an element, which are consecutive in the bytes."""
    start = header.end

    def read(code: str, count: int) -> Tuple[float, ...]:
        """Return the next numbers of a type."""
        nonlocal start
        form = f"{header.order}{count}{code}"
        numbers = struct.unpack_from(form, data, start)
        start += struct.calcsize(form)
        return numbers

    def rows(element: PlyElement) -> Iterator[Row]:
        """Yield the records of an element, starting after the previous element."""
        for _ in range(element.size):
            row: Row = {}
            for each in element.properties:
                if each.count_code:
                    (count,) = read(each.count_code, 1)
                    row[each.name] = read(each.code, int(count))
                else:
                    (row[each.name],) = read(each.code, 1)
            yield row

    return rows


def _point(row: Row) -> Tuple[float, float, float]:
    """Return the position in a record.

    Raises:
        ValueError: a coordinate is a list or not finite.
    """
    x, y, z = (row[axis] for axis in "xyz")
    if isinstance(x, tuple) or isinstance(y, tuple) or isinstance(z, tuple):
        raise ValueError
    if not isfinite(x + y + z):
        raise ValueError
    return x, y, z


def _polygon(row: Row) -> Sequence[int]:
    """Return the numbers of the points of a face.

    Raises:
        ValueError: they are not whole numbers.
    """
    corners = next(row[name] for name in CORNERS if name in row)
    if not isinstance(corners, tuple) or any(corner != int(corner) for corner in corners):
        raise ValueError
    return [int(corner) for corner in corners]


def _mesh(
    path: str,
    header: PlyHeader,
    points: Sequence[Tuple[float, float, float]],
    polygons: Sequence[Sequence[int]],
) -> MeshContent:
    """Return the triangles of polygons, with notes on skipped content."""
    positions = array(FLOAT, chain.from_iterable(points))
    corners = array(NUMBER)
    counts: Counts[str] = Counts()
    short = 0
    for polygon in polygons:
        if len(polygon) < 3:
            short += 1
            continue
        numbers = range(len(polygon))
        drawn = polygon_triangles(numbers, [points[corner] for corner in polygon], counts)
        corners.extend(polygon[number] for number in drawn)
    if len(corners) > 3 * MAX_TRIANGLES:
        raise BrokenMesh(f"holds more than {MAX_TRIANGLES} triangles", path)
    notes = [
        Diagnostic(kind=MESH_CONTENT, line=0, sentence=sentence, names=(), numbers=(count,))
        for sentence, count in counts.items()
    ]
    if short:
        notes.append(
            Diagnostic(
                kind=MESH_FEATURE, line=0, sentence="short-faces", names=("face",), numbers=(short,)
            )
        )
    if _has_colors(header):
        notes.append(Diagnostic(MESH_FEATURE, 0, "vertex-colors"))
    if not corners:
        return MeshContent((), tuple(notes))
    checked = checked_positions(path, "'vertex'", positions)
    return MeshContent((tidy(MaterialSurface(MeshMaterial(), checked, corners)),), tuple(notes))
