"""Prove, on every run, that the STL files hold what the COLLADA file holds."""
import io
from collections import Counter
from itertools import chain
from math import sqrt
from typing import Dict, Sequence
from xml.parsers import expat

from ..base.errors import MalformedXml, ProofFailed
from ..mesh.stl import stl_count, stl_sample, StlTriangle
from .measure import ColorKey, measure_dae
from .part_writer import Group, Piece
from .plain_reading import read_xml, XmlFile
from .records import DaeOptions, Part
from .surface import Surface

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


def prove_piece(path: str, piece: Piece) -> None:
    """Check a finished STL file: its count, its box against the positions in the COLLADA file, its normals.

    The box of all positions written must lie in the moved box of the file's positions.  Triangles read back, all of a
    small file and 256 spread over a large one, must lie in the box of what was written, and be wound like their normal.

    Raises:
        ProofFailed: something does not hold.
    """
    target = piece.writer.path
    if stl_count(target) != piece.writer.triangles:
        raise ProofFailed(f"'{target}' holds {stl_count(target)} triangles instead of {piece.writer.triangles}", path)
    if piece.bounds is None or piece.allowed is None:
        raise ProofFailed(f"'{target}' has triangles but no positions", path)
    (low, high), (lowest, highest) = piece.bounds, piece.allowed
    slack = FLOAT32_STEP * max(map(abs, lowest + highest))
    if any(low[axis] < lowest[axis] - slack or high[axis] > highest[axis] + slack for axis in range(3)):
        raise ProofFailed(f"'{target}' reaches out of the box of the positions in the file", path)
    sample = stl_sample(target, SAMPLED_TRIANGLES)
    inside = all(low[axis] <= min(column) and max(column) <= high[axis] for axis, column in
                 enumerate(zip(*(corner for triangle in sample for corner in triangle[1:]))))
    if not inside or not all(map(is_wound_like_normal, sample)):
        raise ProofFailed(f"'{target}' has a triangle out of its box or against its normal", path)


def is_wound_like_normal(triangle: StlTriangle) -> bool:
    """Return True if the normal of a triangle has length 1 and the direction of its winding."""
    (nx, ny, nz), (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    x = (by - ay) * (cz - az) - (bz - az) * (cy - ay)
    y = (bz - az) * (cx - ax) - (bx - ax) * (cz - az)
    z = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    along = (x * nx + y * ny + z * nz) / sqrt(x * x + y * y + z * z)
    return abs(along - 1.0) < 1e-5 and abs(nx * nx + ny * ny + nz * nz - 1.0) < 1e-5


def prove_measures(path: str, data: bytes, options: DaeOptions, parts: Sequence[Part]) -> None:
    """Check the triangles in the STL files of each color against the COLLADA file, read anew.

    Triangles that both have, number for number, are equal; box, area, area vector and volume of all others must be. A
    color is compared by itself where the file writes out all of them and none are joined, else with the others that
    are not equal. `data` is the document when it came out of an archive, else empty.

    Raises:
        MalformedXml: the file is broken in a part that the conversion did not read.
        ProofFailed: they differ.
    """
    with (io.BytesIO(data) if data else open(path, "rb")) as stream:
        try:
            problem = _how_they_differ(read_xml(stream), options, parts)
        except expat.ExpatError as error:  # in a list of numbers that nothing draws and that was not parsed before
            raise MalformedXml(f"is not well-formed XML ({error})", path, error.lineno) from error
        except (ValueError, IndexError, OverflowError) as error:
            raise ProofFailed(f"cannot be measured ({error})", path) from error
    if problem:
        raise ProofFailed(f"what was written is not what the file draws: {problem}", path)


def _how_they_differ(file: XmlFile, options: DaeOptions, parts: Sequence[Part]) -> str:
    keys = [(round(part.rgba[0], 6), round(part.rgba[1], 6), round(part.rgba[2], 6)) if part.rgba else None
            for part in parts]
    wanted: Dict[ColorKey, Surface] = {}
    found: Dict[ColorKey, Surface] = {key: Surface() for key in keys}
    measure_dae(file, options.scene, wanted)
    for key, part in zip(keys, parts):
        found[key].add_stl(part.file)
    together = not options.separate or options.planar == "merge" or None in wanted
    colors = list(dict.fromkeys((*wanted, *keys)))
    pairs = {key: (wanted.setdefault(key, Surface()), found.setdefault(key, Surface())) for key in colors}
    unequal = [key for key, (one, other) in pairs.items() if one.area[1] or len(one.prints) != len(other.prints)
               or sum(one.prints) != sum(other.prints)]
    for group in [unequal] if together else [[key] for key in unequal]:
        drawn, written = (Counter(chain.from_iterable(pairs[key][k].prints for key in group)) for k in (0, 1))
        odd = {number for number in {*drawn, *written} if drawn.get(number) != written.get(number)}
        measure_dae(file, options.scene, wanted, dict.fromkeys(group, odd & drawn.keys()))
        for key, part in zip(keys, parts):
            if key in group:
                found[key].add_stl(part.file, odd)
        sums = Surface(), Surface()
        for key in group:
            for total, one in zip(sums, pairs[key]):
                total.add(one)
        problem = how_surfaces_differ(*sums)
        if problem:
            return problem if together else f"of color {group[0]} {problem}"
    return ""


def how_surfaces_differ(wanted: Surface, found: Surface) -> str:
    """Return in which measure what was written differs from what is drawn by more than rounding, or ""."""
    ends = [abs(value) for value in (*wanted.box, *found.box) if abs(value) < float("inf")]
    far = max(ends, default=0.0)
    slack = FLOAT32_STEP * far
    room = MEASURE_ROOM * found.area[0] + slack * (wanted.edges + found.edges + slack)
    if not found.area[0] or not wanted.area[1]:
        return "" if max(found.area[0], wanted.area[0]) <= room else "one of them is empty"
    edge = max(high - low for low, high in zip(wanted.box[:3], wanted.box[3:]))
    if any(low < all_low - slack or low > firm_low + slack or high > all_high + slack or high < firm_high - slack
           for low, all_low, firm_low, high, all_high, firm_high in zip(
               found.box[:3], wanted.box[:3], wanted.firm[:3], found.box[3:], wanted.box[3:], wanted.firm[3:])):
        return "another box"
    if not wanted.area[0] - room <= found.area[0] <= wanted.area[1] + room:
        return f"an area of {found.area[0]:.9g} m2 instead of {wanted.area[0]:.9g}"
    if any(abs(a - b) > room + wanted.vector_room for a, b in zip(wanted.vector, found.vector)):
        return "its orientation differs"
    if not wanted.volume[0] - room * (far + edge) <= found.volume[0] <= wanted.volume[1] + room * (far + edge):
        return f"a volume of {found.volume[0]:.9g} m3 instead of {wanted.volume[0]:.9g}"
    return ""
