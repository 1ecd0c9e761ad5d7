"""STL, binary and ASCII, read into the common form, and binary STL written from it."""
import sys
from array import array
from itertools import chain
from typing import List

from ...base.errors import BrokenMesh
from ...mesh.stl import pack_triangles, stl_count, STL_RECORD, STL_START, StlWriter
from .files import read_bytes
from .form import checked_positions, Floats, FLOAT, Material, Mesh, MOST_TRIANGLES, NUMBER, points_of, Surface

HALF_WORDS = STL_RECORD.size // 2  # a record is no whole number of floats, but of half words
NORMAL_HALVES, CORNER_HALVES = 6, 18
PACKED_CORNERS = 3 * 8192


def read_stl(path: str) -> Mesh:
    """Read an STL file; every triangle gets three points of its own, and the normals in the file are not looked at.

    Raises:
        BrokenMesh: it is neither binary STL of the size that its count says nor whole ASCII STL.
    """
    data = read_bytes(path)
    count = int.from_bytes(data[STL_START - 4:STL_START], "little") if len(data) >= STL_START else -1
    if count >= 0 and len(data) == STL_START + STL_RECORD.size * count:
        if count > MOST_TRIANGLES:
            raise BrokenMesh(f"holds more than {MOST_TRIANGLES} triangles", path)
        positions = _binary_corners(data, count)
    elif data.lstrip()[:5].lower() == b"solid":
        positions = _ascii_corners(path, data)
    elif count >= 0:
        raise BrokenMesh(f"is not STL: it has {len(data)} bytes, but {count} triangles, as byte 80 says, take"
                         f" {STL_START + STL_RECORD.size * count}", path)
    else:
        raise BrokenMesh(f"is not STL: it ends at byte {len(data)}, within the header", path)
    if not positions:
        return Mesh(())
    positions = checked_positions(path, f"byte {STL_START}" if count >= 0 else "line 1", positions)
    return Mesh((Surface(Material(), positions, array(NUMBER, range(len(positions) // 3))),))


def _binary_corners(data: bytes, count: int) -> Floats:
    """Return the corners of all records, copied in columns of half words: nothing is looked at one by one."""
    halves = array("H")
    halves.frombytes(data)
    corners = array("H", bytes(2 * CORNER_HALVES * count))
    for column in range(CORNER_HALVES):
        corners[column::CORNER_HALVES] = halves[STL_START // 2 + NORMAL_HALVES + column::HALF_WORDS]
    positions = array(FLOAT)
    positions.frombytes(corners.tobytes())
    if sys.byteorder == "big":
        positions.byteswap()
    return positions


def _ascii_corners(path: str, data: bytes) -> Floats:
    """Return the corners of ASCII STL: `solid`, then facets of one loop of three vertices each, then `endsolid`."""
    positions = array(FLOAT)
    vertices, inside = 0, ""
    number = 0
    for number, line in enumerate(data.splitlines(), start=1):
        words = line.split()
        key = words[0].lower() if words else b""
        if key == b"vertex":
            if inside != "loop" or len(words) != 4:
                raise BrokenMesh("a vertex is not three numbers inside a loop", path, number)
            try:
                positions.extend(map(float, words[1:]))
            except (ValueError, OverflowError):
                raise BrokenMesh("a vertex is not three numbers that fit into float32", path, number) from None
            vertices += 1
        elif key == b"facet":
            if inside not in ("solid", ""):
                raise BrokenMesh("a facet begins inside another", path, number)
            inside, vertices = "facet", 0
        elif key == b"outer":
            inside = "loop"
        elif key == b"endloop":
            if vertices != 3:
                raise BrokenMesh(f"a loop has {vertices} vertices instead of 3", path, number)
            inside = "facet"
        elif key == b"endfacet":
            if inside != "facet" or vertices != 3:
                raise BrokenMesh("a facet ends without its triangle", path, number)
            inside = "solid"
        elif key == b"solid" and inside in ("", "ended"):
            inside = "solid"
        elif key == b"endsolid" and inside == "solid":
            inside = "ended"
        elif key:
            raise BrokenMesh(f"{line.strip()[:40].decode(errors='replace')!r} does not belong here", path, number)
    if inside != "ended":
        raise BrokenMesh("ends before its endsolid", path, number)
    return positions


def write_stl(surface: Surface, path: str, most_triangles: int = 0) -> List[str]:
    """Write a surface to `<path>.stl`, or to `<path>_1.stl`, `<path>_2.stl`, ... of at most that many triangles.

    Returns the files.  Triangles without area must have been taken out.
    """
    points, corners = points_of(surface.positions), surface.corners
    most = 3 * most_triangles if 0 < most_triangles < len(corners) // 3 else len(corners)
    names: List[str] = []
    for number, start in enumerate(range(0, len(corners), most), start=1):
        name = f"{path}_{number}.stl" if most < len(corners) else f"{path}.stl"
        writer = StlWriter(name)
        end = min(start + most, len(corners))
        for block in range(start, end, PACKED_CORNERS):
            writer.append(pack_triangles(corners[block:min(block + PACKED_CORNERS, end)], points)[0])
        writer.finish()
        names.append(name)
    return names


def read_written_stl(names: List[str]) -> Floats:
    """Return the corners of files that `write_stl` wrote, by another way: record by record."""
    corners = array(FLOAT)
    for name in names:
        stl_count(name)
        with open(name, "rb") as stream:
            stream.seek(STL_START)
            for block in iter(lambda: stream.read(STL_RECORD.size * 4096), b""):
                corners.extend(chain.from_iterable(record[3:] for record in STL_RECORD.iter_unpack(block)))
    return corners
