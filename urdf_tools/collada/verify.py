"""Prove, on every run, that the STL files hold what the COLLADA file holds."""
import io
import struct
from collections import Counter
from itertools import chain
from math import floor, sqrt
from typing import AbstractSet, Dict, Iterator, List, Sequence, Tuple

from ..base.errors import ProofFailed
from ..mesh.stl import stl_count, stl_record_blocks, stl_sample, StlTriangle
from .measure import add_drawn, ColorKey, draws_of, Places
from .part_writer import Group
from .plain_reading import read_xml, XmlFile
from .records import DaeOptions, Part
from .surface import POINT_IN_STL, Surface

SAMPLED_TRIANGLES = 256
FLOAT32_STEP = 2.0 ** -22
MEASURE_ROOM = 1e-6  # relative, of area and volume


def prove_group(path: str, group: Group) -> None:
    """Check that the triangles written are the polygons of one color, less what was left out, plus what holes added.

    Raises:
        ProofFailed: they are not.
    """
    expected = group.tally["in the file"] + group.tally["triangles added for holes"] - group.flat
    if expected != group.written():
        raise ProofFailed(f"material '{group.look.label}' has {expected} triangles, but {group.written()} were written",
                          path)


def prove_part(path: str, part: Part) -> None:
    """Check the record of a finished STL file, and its normals.

    Triangles read back, all of a small file and 256 spread over a large one, must lie in the box of the record, and be
    wound like their normal.  The numbers of the box must be in the file.

    Raises:
        ProofFailed: something does not hold.
    """
    if stl_count(part.file) != part.triangles:
        raise ProofFailed(f"'{part.file}' holds {stl_count(part.file)} triangles instead of {part.triangles}", path)
    sample = stl_sample(part.file, SAMPLED_TRIANGLES)
    inside = all(low <= min(column) and max(column) <= high for low, high, column in
                 zip(*part.bounds, zip(*(corner for triangle in sample for corner in triangle[1:]))))
    ends = {struct.pack("<f", value) for value in chain(*part.bounds)}
    for block in stl_record_blocks(part.file):
        ends = {end for end in ends if end not in block}
        if not ends:
            break
    if ends or not inside or not all(map(is_wound_like_normal, sample)):
        raise ProofFailed(f"'{part.file}' has another box, or a triangle out of it or against its normal", path)


def is_wound_like_normal(triangle: StlTriangle) -> bool:
    """Return True if the normal of a triangle has length 1 and the direction of its winding."""
    (nx, ny, nz), (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    x = (by - ay) * (cz - az) - (bz - az) * (cy - ay)
    y = (bz - az) * (cx - ax) - (bx - ax) * (cz - az)
    z = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    along = (x * nx + y * ny + z * nz) / sqrt(x * x + y * y + z * z)
    return abs(along - 1.0) < 1e-5 and abs(nx * nx + ny * ny + nz * nz - 1.0) < 1e-5


def prove_triangles(path: str, data: bytes, options: DaeOptions, parts: Sequence[Part]) -> None:
    """Check the triangles in the STL files of each color against the COLLADA file, read anew.

    Triangles that both have, number for number, are equal; corners, area, area vector and volume of all others must
    be. A color is compared by itself where the file writes out all of them and none are joined, else all are compared
    together. `data` is the document when it came out of an archive, else empty.

    Raises:
        ProofFailed: they differ.
    """
    with (io.BytesIO(data) if data else open(path, "rb")) as stream:
        try:
            problem = _how_they_differ(read_xml(stream, path), options, parts)
        except (ValueError, IndexError, OverflowError) as error:
            raise ProofFailed(f"cannot be measured ({error})", path) from error
    if problem:
        raise ProofFailed(f"what was written is not what the file draws: {problem}", path)


def _how_they_differ(file: XmlFile, options: DaeOptions, parts: Sequence[Part]) -> str:
    draws = list(draws_of(file, options.scene))
    if options.separate:  # in the order of the parts, which is that of their first triangles
        order = list(dict.fromkeys(draw.color for draw in draws))
        draws.sort(key=lambda draw: order.index(draw.color))
    together = not options.separate or options.planar == "merge" or any(draw.color is None for draw in draws)
    drawn: Dict[ColorKey, Surface] = {}
    written: Dict[ColorKey, List[str]] = {}
    places: Places = {}
    for draw in draws:
        add_drawn(file, draw, places, drawn.setdefault(None if together else draw.color, Surface()))
    for part in parts:
        color = tuple(round(value, 6) for value in part.rgba[:3]) if part.rgba and not together else None
        written.setdefault(color, []).append(part.file)
    for color in {**drawn, **written}:
        problem = how_surfaces_differ(drawn.get(color) or Surface(), written.get(color, []))
        if problem:
            return problem if together else f"of color {color} {problem}"
    return ""


def stl_corners(paths: Sequence[str]) -> Iterator[bytes]:
    """Yield the corners of the triangles of binary STL files, 36 bytes for each, in blocks."""
    corners = struct.Struct("<12x36s2x")
    for path in paths:
        with open(path, "rb") as stream:
            stream.seek(84)
            for block in iter(lambda: stream.read(50 * 4096), b""):
                yield b"".join(chain.from_iterable(corners.iter_unpack(block)))


def is_same_in_order(records: bytearray, blocks: Iterator[bytes]) -> bool:
    """Return True if the blocks add up to the records."""
    place = 0
    for block in blocks:
        if not records.startswith(block, place):
            return False
        place += len(block)
    return place == len(records)


def how_surfaces_differ(drawn: Surface, paths: Sequence[str]) -> str:
    """Return in what the triangles of STL files differ from what is drawn by more than rounding, or ""."""
    if not drawn.corners and is_same_in_order(drawn.records, stl_corners(paths)):
        return ""
    triangles, written = struct.Struct("36s").iter_unpack, Surface()

    def read_back() -> Iterator[Tuple[bytes]]:
        return chain.from_iterable(map(triangles, stl_corners(paths)))

    one, other = Counter(map(hash, triangles(drawn.records))), Counter(map(hash, read_back()))
    odd = {number for number, _ in one.items() ^ other.items()}
    drawn.measure_triangles(triangles(drawn.records), odd)
    written.measure_triangles(read_back(), odd)
    columns = [*zip(*map(POINT_IN_STL.unpack, drawn.corners))] or [(0.0,)]
    far = max(max(map(abs, column)) for column in columns)
    edge = max(max(column) - min(column) for column in columns)
    slack = FLOAT32_STEP * far
    if not are_near(written.corners - drawn.corners, drawn.corners, slack):
        return "it has a corner in another place"
    if not are_near(drawn.firm - written.corners, written.corners, slack):
        return "a corner is lost"
    room = MEASURE_ROOM * written.area[0] + slack * (drawn.edges + written.edges + slack)
    if not drawn.area[0] - room <= written.area[0] <= drawn.area[1] + room:
        return f"an area of {written.area[0]:.9g} m2 instead of {drawn.area[0]:.9g}"
    if any(abs(a - b) > room + drawn.vector_room for a, b in zip(drawn.vector, written.vector)):
        return "its orientation differs"
    if not drawn.volume[0] - room * (far + edge) <= written.volume[0] <= drawn.volume[1] + room * (far + edge):
        return f"a volume of {written.volume[0]:.9g} m3 instead of {drawn.volume[0]:.9g}"
    return ""


def are_near(corners: AbstractSet[bytes], others: AbstractSet[bytes], slack: float) -> bool:
    """Return True if each corner is within three times `slack` of one of the others, and certainly if within one."""
    def cells(corner: bytes, shift: float) -> List[int]:
        return [floor((value + shift) / size) for value in POINT_IN_STL.unpack(corner)]

    size = 2.0 * slack or 1.0
    known = {tuple(cells(corner, 0.0)) for corner in others} if corners else {()}
    return all(any((x, y, z) in known for x in xs for y in ys for z in zs)
               for xs, ys, zs in (zip(cells(corner, -slack), cells(corner, slack)) for corner in corners))
