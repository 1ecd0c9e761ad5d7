"""Binary STL: triangle records from indexed points, files written piece by piece, and read back.

The same input gives the same bytes: no date, no path.  Layout: 80 bytes of header, a little-endian uint32 count, then 50
bytes for each triangle: normal, three corners (float32 each), two bytes that are 0.
"""

from __future__ import annotations

import os
import re
import struct
import sys
from itertools import chain
from math import sqrt
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple

from .conversion_records import Indices
from ..base.errors import BrokenMesh, UnopenedMesh
from ..urdf.spatial_math import cross, norm, subtract

# "solid" at the start of the header, or "COLOR=" anywhere in it, has a meaning for some readers.
# After the mark follow a digest of the file from which the triangles are (`sign_stl`), and blanks.
STL_MARK = b"binary STL written by urdf_simplify"
STL_HEADER = STL_MARK.ljust(80)
STL_DIGEST = re.compile(re.escape(STL_MARK) + rb"(?: from ([0-9a-f]{32}))? +")
# The two bytes at the end are padding.  Native byte order is packed faster, if it is the order of STL.
STL_FORMAT = "12f2x" if sys.byteorder == "little" else "<12f2x"
STL_RECORD = struct.Struct(STL_FORMAT)
STL_START = 84  # bytes of the header and the count
RECORDS_HELD = 4096  # records that are written or read at once

StlPoint = Tuple[float, float, float]
StlTriangle = Tuple[StlPoint, StlPoint, StlPoint, StlPoint]


def pack_triangles(
    indices: Sequence[int], points: Sequence[StlPoint]
) -> Tuple[List[bytes], Indices]:
    """Return a record for each triangle with an area, and the numbers of the triangles without an area.

    The points must be float32 values, so that a triangle is flat exactly if it is flat in the file.  The normal has unit
    length and follows the right hand along the corners as written.

    Raises:
        IndexError: an index is not below the number of points.
    """
    records: List[bytes] = []
    flat: Indices = []
    append = records.append
    pack = STL_RECORD.pack
    corners = map(points.__getitem__, indices)
    for (ax, ay, az), (bx, by, bz), (cx, cy, cz) in zip(corners, corners, corners):
        ux, uy, uz = bx - ax, by - ay, bz - az
        vx, vy, vz = cx - ax, cy - ay, cz - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = sqrt(nx * nx + ny * ny + nz * nz)
        if length > 0.0:
            # Adding 0.0 turns -0.0 into 0.0.
            append(
                pack(
                    nx / length + 0.0,
                    ny / length + 0.0,
                    nz / length + 0.0,
                    ax,
                    ay,
                    az,
                    bx,
                    by,
                    bz,
                    cx,
                    cy,
                    cz,
                )
            )
        else:
            flat.append(len(records) + len(flat))
    return records, flat


class StlWriter:
    """An STL file that grows by appending; it is open only while it writes, so any number of writers can exist."""

    def __init__(self, path: str) -> None:
        """Begin without triangles; the file is made when the buffer is full, or at the end."""
        self.path = path
        self.triangles = 0
        self._buffer: List[bytes] = []

    def append(self, records: List[bytes]) -> None:
        """Add triangles, packed by `pack_triangles`; a full buffer is written to the file."""
        self.triangles += len(records)
        self._buffer += records
        if len(self._buffer) >= RECORDS_HELD:
            self._flush()

    def _flush(self) -> None:
        """Write the buffered records; a new file begins with the header and a place for the count."""
        is_new = self.triangles == len(self._buffer)
        with open(self.path, "wb" if is_new else "ab") as stream:
            if is_new:
                stream.write(STL_HEADER + bytes(4))
            stream.write(b"".join(self._buffer))
        self._buffer = []

    def finish(self) -> None:
        """Write the rest and the number of triangles; a writer without triangles does not write a file."""
        if self._buffer:
            self._flush()
        if self.triangles:
            with open(self.path, "r+b") as stream:
                stream.seek(len(STL_HEADER))
                stream.write(struct.pack("<I", self.triangles))


def stl_count(path: str) -> int:
    """Return the number of triangles in a binary STL file.

    Raises:
        BrokenMesh: the file is not binary STL, or its size does not fit its count.
    """
    try:
        with open(path, "rb") as stream:
            start = stream.read(STL_START)
            size = os.fstat(stream.fileno()).st_size
    except OSError as problem:
        raise UnopenedMesh(f"cannot be read ({problem.strerror or problem})", path) from problem
    count = struct.unpack("<I", start[80:])[0] if len(start) == STL_START else -1
    if count < 0 or size != STL_START + STL_RECORD.size * count:
        raise BrokenMesh("is not binary STL: its size does not fit its number of triangles", path)
    return int(count)


def stl_record_blocks(path: str) -> Iterator[bytes]:
    """Yield the records of a binary STL file in blocks of whole records."""
    with open(path, "rb") as stream:
        stream.seek(STL_START)
        yield from iter(lambda: stream.read(STL_RECORD.size * RECORDS_HELD), b"")


def stl_triangles(path: str) -> Iterator[StlTriangle]:
    """Yield (normal, corner, corner, corner) for every triangle of a binary STL file."""
    for block in stl_record_blocks(path):
        yield from map(_triangle, STL_RECORD.iter_unpack(block))


def _triangle(record: Tuple[Any, ...]) -> StlTriangle:
    """Return (normal, corner, corner, corner) of an unpacked record."""
    return record[0:3], record[3:6], record[6:9], record[9:12]


def stl_sample(path: str, most: int) -> List[StlTriangle]:
    """Return at most `most` triangles of a binary STL file, evenly spread from the first to the last."""
    count = stl_count(path)
    sample: List[StlTriangle] = []
    with open(path, "rb", buffering=0) as stream:
        for number in range(min(count, most)):
            index = number if count <= most else number * (count - 1) // (most - 1)
            stream.seek(STL_START + STL_RECORD.size * index)
            sample.append(_triangle(STL_RECORD.unpack(stream.read(STL_RECORD.size))))
    return sample


def sign_stl(path: str, digest: str) -> None:
    """Write a digest of the source file, 32 hexadecimal digits, into the header of an STL file of this tool."""
    with open(path, "r+b") as stream:
        stream.write((STL_MARK + b" from " + digest.encode("ascii")).ljust(len(STL_HEADER)))


def stl_source(path: str) -> Optional[str]:
    """Return the digest in a plain STL file of this tool, "" if a release without digests wrote it.

    None is returned for everything else: a file of another program, a symbolic link, a folder, a missing file.
    """
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            return None
        with open(path, "rb") as stream:
            match = STL_DIGEST.fullmatch(stream.read(len(STL_HEADER)))
            return (match.group(1) or b"").decode("ascii") if match else None
    except OSError:
        return None


def has_same_triangles(path: str, other: str) -> bool:
    """Return True if two STL files are equal up to their headers."""
    blocks = zip(stl_record_blocks(path), stl_record_blocks(other))
    return os.path.getsize(path) == os.path.getsize(other) and all(a == b for a, b in blocks)


def stl_is_planar(path: str, extent: float) -> bool:
    """Return True if all corners lie in a plane, within 1e-6 of `extent` [m], or are fewer than four.

    MuJoCo refuses a planar mesh, and the whole URDF with it.  A sample of triangles decides nearly every file.
    """
    first = stl_sample(path, 64)
    # The tolerance is coarse, because the plane of a small triangle of the sample is not exact.
    if not lies_in_plane(first, first, 1e-3 * extent):
        return False
    return lies_in_plane(
        stl_triangles(path), [max(stl_triangles(path), key=double_area)], 1e-6 * extent
    )


def lies_in_plane(
    triangles: Iterable[StlTriangle], candidates: Sequence[StlTriangle], tolerance: float
) -> bool:
    """Return True if all corners lie within a tolerance of the plane of the largest candidate triangle."""
    (nx, ny, nz), (x, y, z), _, _ = max(candidates, key=double_area)
    level = nx * x + ny * y + nz * z
    return all(
        abs(nx * px + ny * py + nz * pz - level) <= tolerance
        for px, py, pz in chain.from_iterable(triangle[1:] for triangle in triangles)
    )


def double_area(triangle: StlTriangle) -> float:
    """Return twice the area of a triangle."""
    _, a, b, c = triangle
    return norm(cross(subtract(b, a), subtract(c, a)))
