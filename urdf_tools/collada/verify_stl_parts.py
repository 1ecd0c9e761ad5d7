"""The proof, on every run, that the STL files contain the triangles of the COLLADA file, and cover each of its polygons.

The edges of triangles that cover a polygon cancel out, up to its outline.  If, besides, no triangle is wound against the
polygon, a flat polygon that does not cross itself is covered exactly once, whatever way it is cut.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections import Counter
from itertools import chain, combinations
from math import fsum, sqrt
from operator import sub
from struct import Struct
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from ..base.errors import ProofFailed
from ..urdf.spatial_math import add, cross, dot, norm, Transform, scale, subtract, Vector, ZERO
from .collada_accessors import Columns
from .collada_document import DaeDocument
from .collada_proof_reader import corners_of, DrawnPrimitive, draws_of, is_mirror, positions_of
from .stl_part_writer import ColoredPrimitive, ColorGroup, points_in_stl
from .conversion_records import DaeOptions, Indices, MeshPart
from .binary_stl import stl_count, STL_RECORD, stl_record_blocks, stl_sample, STL_START, StlTriangle

MAX_CORNERS = 2000  # of a polygon that is tested for crossing itself, which takes quadratic time
FLAT_ENOUGH = 1e-6  # relative: beyond it a polygon counts as bent
ON_A_LINE = 1e-9  # relative
POINT_IN_STL = Struct("<3f")

Loop = Sequence[bytes]  # the corners of a closed line, each in the bytes of STL
Edge = Tuple[bytes, bytes]
InPlane = Tuple[float, float]


class Polygon:
    """A polygon, given by its outline: its corners in space, and in its largest projection."""

    def __init__(self, outline: Loop) -> None:
        """Project the polygon along the axis of its largest area, so that it is counter-clockwise."""
        self.outline = outline
        self.places: Dict[bytes, Vector] = {
            corner: POINT_IN_STL.unpack(corner) for corner in outline
        }
        self.normal = area_vector([self.places[corner] for corner in outline])
        k = self.axis = max(range(3), key=lambda axis: abs(self.normal[axis]))
        self.size = abs(self.normal[k])
        i, j = (k - 2, k - 1) if self.normal[k] > 0.0 else (k - 1, k - 2)
        self.flat: Dict[bytes, InPlane] = {
            corner: (point[i], point[j]) for corner, point in self.places.items()
        }

    def is_covered_by(self, triangles: Sequence[Loop]) -> bool:
        """Return True if triangles cover the polygon; triangles without area may be missing.

        Triangles wound against the polygon are accepted if it crosses itself: then every way to cut it has some.
        """
        return self.is_bordering(triangles) and not (self.is_turned(triangles) and self.is_plain())

    def is_turned(self, triangles: Sequence[Loop]) -> bool:
        """Return True if a triangle is wound against the polygon."""
        sides = [side(*map(self.flat.__getitem__, triangle)) for triangle in triangles]
        return -fsum(area for area in sides if area < 0.0) > FLAT_ENOUGH * self.size

    def is_bordering(self, triangles: Sequence[Loop]) -> bool:
        """Return True if the edges of triangles cancel out, up to the edges of the polygon and lines without area."""
        if not all(corner in self.places for corner in chain.from_iterable(triangles)):
            return False
        # The triangles are reversed, so that their outer edges run against the outline.
        borders = [self.outline, *(triangle[::-1] for triangle in triangles)]
        runs = Counter(chain.from_iterable(map(edges_of, borders)))
        left: List[Edge] = []
        for (p, q), times in runs.items():
            left += [(p, q)] * (times - runs[q, p])
        return self.is_without_area(left)

    def is_without_area(self, edges: List[Edge]) -> bool:
        """Return True if closed lines go to and fro: on each straight line, edges of both directions cancel."""
        while edges:
            p, q = max(edges, key=lambda edge: norm(subtract(*map(self.places.__getitem__, edge))))
            a = self.places[p]
            b = self.places[q]
            along = [
                edge
                for edge in edges
                if all(is_flat_triangle(a, b, self.places[corner]) for corner in edge)
            ]
            if Counter(p for p, _ in along) != Counter(q for _, q in along):
                return False
            edges = [*(Counter(edges) - Counter(along)).elements()]
        return True

    def is_plain(self) -> bool:
        """Return True if the polygon is flat and does not cross itself: then every way to cut it is equivalent."""
        size = norm(self.normal)
        count = len(self.outline)
        if not size > 0.0 or not len({*self.flat.values()}) == count <= MAX_CORNERS:
            return False
        levels = [dot(self.normal, place) / size for place in self.places.values()]
        return max(levels) - min(levels) <= FLAT_ENOUGH * sqrt(size) and not self.is_crossing()

    def is_crossing(self) -> bool:
        """Return True if two edges without a common corner meet, or nearly meet."""
        gap = FLAT_ENOUGH * sqrt(self.size)
        sliver = FLAT_ENOUGH * self.size
        edges = [(self.flat[p], self.flat[q]) for p, q in edges_of(self.outline)]
        return any(are_meeting(edge, other, gap, sliver) for edge, other in combinations(edges, 2))


def are_meeting(
    edge: Tuple[InPlane, InPlane], other: Tuple[InPlane, InPlane], gap: float, sliver: float
) -> bool:
    """Return True if two edges without a common corner meet, within a `gap` of boxes and a `sliver` of area."""
    (a, b), (c, d) = edge, other
    if {a, b} & {c, d}:
        return False
    # Areas do not separate edges on the same straight line, but boxes do.
    for first, second in ((edge, other), (other, edge)):
        if any(min(ends) > max(others) + gap for ends, others in zip(zip(*first), zip(*second))):
            return False
    # They meet if the ends of each are on both sides of the other.
    for ends in ((side(a, b, c), side(a, b, d)), (side(c, d, a), side(c, d, b))):
        if min(ends) > sliver or max(ends) < -sliver:
            return False
    return True


def edges_of(loop: Loop) -> List[Edge]:
    """Return the edges of a closed line."""
    return [*zip(loop, [*loop[1:], *loop[:1]])]


def area_vector(loop: Sequence[Vector]) -> Vector:
    """Return the area vector of a closed line."""
    arms = [subtract(point, loop[0]) for point in loop]
    total = ZERO
    for arm, other in zip(arms[1:], arms[2:]):
        total = add(total, cross(arm, other))
    return scale(0.5, total)


def is_flat_triangle(a: Vector, b: Vector, c: Vector) -> bool:
    """Return True if a triangle has no area."""
    u = subtract(b, a)
    v = subtract(c, a)
    return norm(cross(u, v)) <= ON_A_LINE * norm(u) * norm(v)


def side(a: InPlane, b: InPlane, c: InPlane) -> float:
    """Return twice the signed area of a flat triangle."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


SAMPLED_TRIANGLES = 256
# Relative to the farthest coordinate: the conversion and the proof may round differently.
FLOAT32_STEP = 2.0**-22
RECORDS_READ = 8192
# Bytes in the record of a triangle.
NORMAL_SIZE = 12
CORNERS_SIZE = 36


def verify_part(path: str, part: MeshPart) -> None:
    """Verify the record of a finished STL file, and its normals.

    The triangles that are read back must lie in the box of the record, and be wound like their normals: all of a small
    file, 256 spread over a large file.  The numbers of the box must be in the file.

    Raises:
        ProofFailed: the record is wrong, or a normal.
    """
    sample = stl_sample(part.file, SAMPLED_TRIANGLES)
    corners = chain.from_iterable(triangle[1:] for triangle in sample)
    box = [(min(column), max(column)) for column in zip(*corners)]
    is_inside = all(
        low <= smallest and largest <= high
        for low, high, (smallest, largest) in zip(*part.bounds, box)
    )
    # The box of a sample is inside the box of the part; the box of all triangles is equal to it.
    if len(sample) >= part.triangles:
        is_inside = is_inside and box == [*zip(*part.bounds)]
    ends = {struct.pack("<f", value) for value in chain(*part.bounds)}
    for block in stl_record_blocks(part.file):
        ends = {end for end in ends if end not in block}
        if not ends:
            break
    if (
        ends
        or not is_inside
        or stl_count(part.file) != part.triangles
        or not all(map(is_wound_like_normal, sample))
    ):
        raise ProofFailed(
            f"'{part.file}' is not what its record says, or has a triangle against its normal", path
        )


def is_wound_like_normal(triangle: StlTriangle) -> bool:
    """Return True if the normal of a triangle has length 1 and the direction of its winding."""
    normal, a, b, c = triangle
    winding = cross(subtract(b, a), subtract(c, a))
    # The normal is in float32: the tolerance is far larger than its rounding.
    return abs(dot(winding, normal) / norm(winding) - 1.0) < 1e-5 and abs(norm(normal) - 1.0) < 1e-5


def verify_triangles(
    document: DaeDocument,
    options: DaeOptions,
    drawn: Sequence[ColoredPrimitive],
    written: "WrittenOf",
) -> None:
    """Verify the written triangles of each color, in their order, against the primitives that the document draws.

    The draws are determined anew.  Their positions must be equal to the used positions up to rounding.  With the used
    positions, each triangle must be in the files, number for number, and each polygon must have triangles that cover it;
    triangles without area may be missing.  `drawn` has the used positions and the group of each primitive.

    Raises:
        ProofFailed: the triangles differ.
    """
    try:
        problem = _how_they_differ(document, options, drawn, written)
    except (ValueError, IndexError, OverflowError, struct.error) as error:
        raise ProofFailed(f"cannot be measured ({error})", document.path) from error
    if problem:
        raise ProofFailed(f"what was written is not what the file draws: {problem}", document.path)


def _how_they_differ(
    document: DaeDocument,
    options: DaeOptions,
    drawn: Sequence[ColoredPrimitive],
    written: "WrittenOf",
) -> str:
    """Return the first difference between the written triangles and the draws of a document, "" if they are equal."""
    waiting = [*reversed(drawn)]
    files: Dict[int, ReadBackTriangles] = {}
    # The points of an instance, by the `id` of their columns.
    known_points: Dict[int, List[bytes]] = {}
    matrix: Optional[Transform] = None
    for draw in draws_of(document, options.scene):
        if not waiting or waiting[-1].primitive is not draw.primitive:
            if any(map(any, corners_of(document, draw))):
                return "something is not drawn"
            continue
        _, columns, group = waiting.pop()
        name = f"of material '{group.look.label}'"
        if id(columns) not in known_points:
            if not are_near(columns, positions_of(document, draw)):
                return f"{name} a corner is in another place"
            # The points of the preceding instance are not needed again.
            if draw.matrix is not matrix:
                known_points = {}
                matrix = draw.matrix
            known_points[id(columns)] = points_in_stl(columns)
        points = known_points[id(columns)]
        rgb = (group.look.rgba or ())[:3]
        # Rounded to six digits, like the color of the draw.
        written_color = tuple(round(value, 6) for value in rgb)
        if options.separate and draw.color and draw.color != written_color:
            return f"{name} the color differs"
        file = files.get(id(group)) or files.setdefault(id(group), written(group))
        lost = _why_lost(document, draw, points, file)
        if lost:
            return f"{name} {lost}"
    if waiting or any(file.fill(1) for file in files.values()):
        return "there are more triangles"
    return ""


def _why_lost(
    document: DaeDocument, draw: DrawnPrimitive, points: Sequence[bytes], file: "ReadBackTriangles"
) -> str:
    """Return the reason why a primitive is not next in the files of its color, "" if it is.

    `points` are its positions in the bytes of STL.
    """
    for corners, outline in corners_of(document, draw):
        if is_mirror(draw.matrix):  # a mirrored mesh keeps its outside
            corners[1::3], corners[2::3] = corners[2::3], corners[1::3]
            outline = outline[:1] + outline[:0:-1]
        if not file.match_triangles(b"".join(map(points.__getitem__, corners))):
            return "a triangle differs or is lost"
        if outline and not file.match_polygon([points[k] for k in outline]):
            return "a polygon is not covered by its triangles"
    return ""


def are_near(columns: Columns, others: Columns) -> bool:
    """Return True if two lists of positions have the same length, and are equal up to rounding."""
    differing = [
        (column, other)
        for column, other in zip(columns, others)
        if column.tobytes() != other.tobytes()
    ]
    far = max(map(abs, chain(*columns)), default=0.0) if differing else 0.0
    return all(
        len(column) == len(other) and max(map(abs, map(sub, column, other))) <= FLOAT32_STEP * far
        for column, other in differing
    )


class ReadBackTriangles:
    """The triangles in the STL files of a color, read piece by piece; files are open only while they are read.

    `corners` has the bytes of the corners that were read; the bytes before `index` are verified.  `number` is the number
    of verified triangles of the document; `flat` has the numbers of triangles that were dropped, as they have no area.
    """

    def __init__(self, group: ColorGroup) -> None:
        """Begin before the first triangle of the first file."""
        self.paths = [piece.writer.path for piece in group.pieces]
        self.start = STL_START
        self.corners = b""
        self.index = 0
        self.flat = group.flat
        self.number = 0

    def fill(self, size: int) -> bool:
        """Return True if `size` more bytes of corners remain; then `corners` has them."""
        while self.paths and len(self.corners) < self.index + size:
            with open(self.paths[0], "rb") as stream:
                stream.seek(self.start)
                block = stream.read(STL_RECORD.size * RECORDS_READ)
            self.start += len(block)
            if not block:
                self.start = STL_START
                del self.paths[0]
            corners = bytearray(len(block) // STL_RECORD.size * CORNERS_SIZE)
            for k in range(CORNERS_SIZE):  # strides are twice as fast as records
                corners[k::CORNERS_SIZE] = block[NORMAL_SIZE + k :: STL_RECORD.size]
            self.corners = self.corners[self.index :] + corners
            self.index = 0
        return len(self.corners) >= self.index + size

    def flat_within(self, count: int) -> Indices:
        """Return the dropped triangles among the next `count` triangles, by numbers from 0."""
        first = bisect_left(self.flat, self.number)
        end = bisect_left(self.flat, self.number + count)
        return [number - self.number for number in self.flat[first:end]]

    def go_on(self, size: int, count: int) -> None:
        """Advance by `count` triangles of the document, which have `size` bytes of corners in the files."""
        self.index += size
        self.number += count

    def match_triangles(self, triangles: bytes) -> bool:
        """Return True if the next triangles are these, and the dropped triangles have no area."""
        count = len(triangles) // CORNERS_SIZE
        kept = bytearray(triangles)
        for number in reversed(self.flat_within(count)):
            where = slice(CORNERS_SIZE * number, CORNERS_SIZE * (number + 1))
            if not is_flat_triangle(*POINT_IN_STL.iter_unpack(kept[where])):
                return False
            del kept[where]
        self.fill(len(kept))
        is_same = self.corners.startswith(kept, self.index)
        self.go_on(len(kept), count)
        return is_same

    def match_polygon(self, outline: Loop) -> bool:
        """Return True if the next triangles of the files cover a polygon; the matcher then stands behind them."""
        if len(outline) == 4 and self.match_quad(*outline):
            return True
        # An outline of n points has n - 2 triangles; those without area are not in the files.
        count = len(outline) - 2
        size = CORNERS_SIZE * (count - len(self.flat_within(count)))
        is_there = self.fill(size)
        triangles = [*struct.iter_unpack("12s12s12s", self.corners[self.index : self.index + size])]
        self.go_on(size, count)
        return is_there and Polygon(outline).is_covered_by(triangles)

    def match_quad(self, a: bytes, b: bytes, c: bytes, d: bytes) -> bool:
        """Return True if the next two triangles are a quad, cut along a diagonal, and wound alike."""
        if not self.fill(2 * CORNERS_SIZE) or self.flat and self.flat_within(2):
            return False
        two = self.corners[self.index : self.index + 2 * CORNERS_SIZE]
        for p, q, r, s in ((a, b, c, d), (b, c, d, a)):
            first = p + q + r
            second = p + r + s
            if (two == first + second or two == second + first) and are_wound_alike(p, q, r, s):
                self.go_on(2 * CORNERS_SIZE, 2)
                return True
        return False


WrittenOf = Callable[[ColorGroup], ReadBackTriangles]


def are_wound_alike(a: bytes, b: bytes, c: bytes, d: bytes) -> bool:
    """Return True if the normals of the triangles a b c and a c d are less than a right angle apart."""
    start, *others = POINT_IN_STL.iter_unpack(a + b + c + d)
    u, v, w = (subtract(point, start) for point in others)
    return dot(cross(u, v), cross(v, w)) > 0.0
