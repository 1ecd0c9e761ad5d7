"""The reader of binary and ASCII STL, the writer of binary STL, and measurements of STL files for MuJoCo: flatness, box."""

from __future__ import annotations

import sys
from array import array
from typing import Dict, Iterator, List, Sequence, Tuple

from ..base.type_aliases import Reals
from ..base.diagnostics import Diagnostic, Notes
from ..base.errors import BrokenMesh
from ..collada.binary_stl import (
    pack_triangles,
    stl_count,
    STL_HEADER,
    STL_RECORD,
    STL_START,
    StlWriter,
)
from .read_mesh_files import colored_place, read_bytes
from .mesh_content import (
    checked_positions,
    FLOAT,
    Floats,
    is_in_order,
    MeshMaterial,
    MAX_TRIANGLES,
    MeshContent,
    NUMBER,
    points_of,
    MaterialSurface,
)
from .mesh_diagnostics import MESH_FEATURE
from .prepare_surfaces import columns_of, is_planar

STL_HEADER_BYTES = len(STL_HEADER)
HAS_COLOR = 0x8000  # bit of the two bytes after a facet
HALF_WORDS = STL_RECORD.size // 2  # a record is not a whole number of floats, but of 16-bit words
# A float is two words: the normal has three floats, the corners have nine.
NORMAL_HALVES = 6
CORNER_HALVES = 18
PACKED_CORNERS = 3 * 8192
# The keywords of ASCII STL that may follow each keyword; a file may contain several solids.
FOLLOWS: Dict[bytes, Tuple[bytes, ...]] = {
    b"": (b"solid",),
    b"solid": (b"facet", b"endsolid"),
    b"facet": (b"outer",),
    b"outer": (b"vertex",),
    b"vertex": (b"vertex", b"endloop"),
    b"endloop": (b"endfacet",),
    b"endfacet": (b"facet", b"endsolid"),
    b"endsolid": (b"solid",),
}
Box = Reals


def read_stl(path: str) -> MeshContent:
    """Read an STL file; every triangle gets three separate points, and the normals in the file are ignored.

    Raises:
        BrokenMesh: the file is neither binary STL of the size that its count implies nor complete ASCII STL.
    """
    data = read_bytes(path)
    count = -1  # a file of ASCII STL may be shorter than the header of a binary file
    if len(data) >= STL_START:
        count = int.from_bytes(data[STL_START - 4 : STL_START], "little")
    notes: Notes = ()
    # The size decides, because the header of a binary STL may also begin with `solid`.
    if count >= 0 and len(data) == STL_START + STL_RECORD.size * count:
        if count > MAX_TRIANGLES:
            raise BrokenMesh(f"holds more than {MAX_TRIANGLES} triangles", path)
        positions = _binary_corners(data, count)
        if any(_facet_colors(data)):
            notes = (Diagnostic(MESH_FEATURE, 0, "facet-colors"),)
    elif data.lstrip()[:5].lower() == b"solid":
        positions = _ascii_corners(path, data)
    elif count >= 0:
        raise BrokenMesh(
            f"is not STL: it has {len(data)} bytes, but {count} triangles, as byte 80 says, take"
            f" {STL_START + STL_RECORD.size * count}",
            path,
        )
    else:
        raise BrokenMesh(f"is not STL: it ends at byte {len(data)}, within the header", path)
    if not positions:
        return MeshContent((), notes)
    location = f"byte {STL_START}" if count >= 0 else "line 1"
    positions = checked_positions(path, location, positions)
    numbers = array(NUMBER, range(len(positions) // 3))
    return MeshContent((MaterialSurface(MeshMaterial(), positions, numbers),), notes)


def colors_in_stl(path: str) -> Iterator[bytes]:
    """Yield the colors that some programs write into a binary STL, each with its facet; ASCII STL has no colors."""
    data = read_bytes(path)
    count = int.from_bytes(data[STL_START - 4 : STL_START], "little")
    if len(data) == STL_START + STL_RECORD.size * count:
        yield from _facet_colors(data)


def _facet_colors(data: bytes) -> Iterator[bytes]:
    """Yield the colors of a binary STL as bytes: of the whole file, and of each facet with its place if a facet has one.

    Materialise writes `COLOR=` and four bytes into the header. Other programs set the highest bit of the two bytes that
    follow a facet, with five bits for each channel below it. assimp reads both.
    """
    header, mark, color = data[:STL_HEADER_BYTES].partition(b"COLOR=")
    if mark:
        yield color[:4]
    words = array("H")
    words.frombytes(data)
    if sys.byteorder == "big":
        words.byteswap()
    # The last of the 25 words of each record, after its twelve numbers.
    after_facets = words[STL_START // 2 + HALF_WORDS - 1 :: HALF_WORDS]
    if mark or any(word & HAS_COLOR for word in after_facets):
        corners = iter(_binary_corners(data, len(after_facets)))
        points = list(zip(corners, corners, corners))
        for number, word in enumerate(after_facets):
            yield colored_place(points[3 * number : 3 * number + 3], b"%d" % word)


def _binary_corners(data: bytes, count: int) -> Floats:
    """Return the corners of all records, copied in columns of 16-bit words, without a loop over records."""
    halves = array("H")
    halves.frombytes(data)
    corners = array("H", bytes(2 * CORNER_HALVES * count))
    for column in range(CORNER_HALVES):
        # In words of 16 bits: 42 for the header and the count, then 25 for each record.
        corners[column::CORNER_HALVES] = halves[
            STL_START // 2 + NORMAL_HALVES + column :: HALF_WORDS
        ]
    positions = array(FLOAT)
    positions.frombytes(corners.tobytes())
    if sys.byteorder == "big":
        positions.byteswap()
    return positions


def _ascii_corners(path: str, data: bytes) -> Floats:
    """Return the corners of ASCII STL: `solid`, then facets of one loop of three vertices each, then `endsolid`."""
    positions = array(FLOAT)
    before = b""
    start = 0
    number = 0
    for number, line in enumerate(data.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        key = words[0].lower()
        if key not in FOLLOWS[before]:
            shown = repr(line.strip()[:40].decode(errors="replace"))
            raise BrokenMesh(f"{shown} does not belong here", path, number)
        if key == b"outer":
            start = len(positions)
        elif key == b"vertex":
            try:
                x, y, z = map(float, words[1:])
            except ValueError:
                raise BrokenMesh(
                    "a vertex is not three numbers that fit into float32", path, number
                ) from None
            positions.extend((x, y, z))
        elif key == b"endloop" and len(positions) != start + 9:
            count = (len(positions) - start) // 3
            raise BrokenMesh(f"a loop has {count} vertices instead of 3", path, number)
        before = key
    # The last keyword distinguishes a complete file from a truncated one.
    if before != b"endsolid":
        raise BrokenMesh("ends before its endsolid", path, number)
    return positions


def write_stl(
    surface: MaterialSurface, path: str, most_triangles: int = 0
) -> Tuple[List[str], List[int]]:
    """Write a surface to `<path>_1.stl`, `<path>_2.stl`, ... with at most `most_triangles` each; 0: no limit.

    Return the files, and the numbers of the triangles without area, which are omitted; if all are, no file is written.
    """
    positions = surface.positions
    corners = surface.corners
    in_order = is_in_order(surface)
    points = [] if in_order else points_of(positions)
    writers: List[StlWriter] = []
    flat: List[int] = []
    for start in range(0, len(corners), PACKED_CORNERS):
        block: Sequence[int] = corners[start : start + PACKED_CORNERS]
        # Corners in order need no list of all points, which would take most of the memory for a large mesh.
        if in_order:
            points = points_of(positions[3 * start : 3 * (start + len(block))])
            block = range(len(block))
        records, empty = pack_triangles(block, points)
        flat += [start // 3 + number for number in empty]
        while records:
            if not writers or 0 < most_triangles <= writers[-1].triangles:
                writers.append(StlWriter(f"{path}_{len(writers) + 1}.stl"))
            capacity = most_triangles - writers[-1].triangles if most_triangles else len(records)
            writers[-1].append(records[:capacity])
            del records[:capacity]
    for writer in writers:
        writer.finish()
    return [writer.path for writer in writers], flat


def is_flat_stl(path: str) -> bool:
    """Return True if a file is binary STL with all of its corners in one plane, whatever its normals are."""
    try:
        surfaces = read_stl(path).surfaces if stl_count(path) > 0 else ()
    except BrokenMesh:
        return False
    return any(is_planar(surface, columns_of(surface)) for surface in surfaces)


def as_binary_stl(path: str) -> bytes:
    """Return an ASCII STL file as binary STL.

    Raises:
        BrokenMesh: the file is not STL.
    """
    records: List[bytes] = []
    for surface in read_stl(path).surfaces:
        records, _ = pack_triangles(surface.corners, points_of(surface.positions))
    return STL_HEADER + len(records).to_bytes(4, "little") + b"".join(records)


def box_in(data: bytes) -> Box:
    """Return the smallest and largest x, y, z of the bytes of a binary STL file."""
    positions = _binary_corners(data, (len(data) - STL_START) // STL_RECORD.size)
    columns = [positions[axis::3] or (0.0,) for axis in range(3)]
    return (*map(min, columns), *map(max, columns))
