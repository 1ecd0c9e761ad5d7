"""The common form of a mesh, which every reader returns and every writer takes; and the colors of formats.

Numbers are in `array`s of float32 and uint32: these take a seventh of the memory of lists, and are copied to and from
files at once. Powers with a fractional exponent are computed in integers, because the last digit of `math.pow` differs
between machines.
"""

from __future__ import annotations

import sys
from array import array
from functools import lru_cache
from itertools import chain
from math import isfinite, isqrt, sqrt
from struct import iter_unpack
from typing import (
    Any,
    Dict,
    Final,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
    TYPE_CHECKING,
)

from ..base.type_aliases import Texts
from ..base.diagnostics import Notes
from ..base.errors import BrokenMesh, NotFinite
from ..base.record_type import Record
from .verify_witnesses import normal_of

if TYPE_CHECKING:
    Floats = array[float]
    Numbers = array[int]
else:
    Floats = Numbers = array

MAX_TRIANGLES = 20_000_000
MAX_COORDINATE = 2.0**30  # MuJoCo refuses larger coordinates
FLOAT: Final = "f"
NUMBER: Final = "I"
UNIT_SLACK = (
    5e-4  # relative error of the length of a normal; the validator of glTF allows ten times as much
)

Rgb = Tuple[float, float, float]
Rgba = Tuple[float, float, float, float]
Point = Tuple[float, float, float]
Box = Tuple[Point, Point]
MINUS_ZERO = array(FLOAT, [-0.0]).tobytes()
BITS = 96  # binary places of a root


class MeshImage(Record):
    """An image as in its file; `name` is its base name, "" if it was embedded without a name."""

    name: str
    data: bytes


class MeshMaterial(Record):
    """The material of a surface.

    Attributes:
        name: its name in the file, or "".
        rgba: red, green, blue, alpha, 0..1, as sRGB numbers, as in COLLADA and MTL; None: the file has no color.
        image: its texture, not multiplied by a color, or None.
        emission: emitted light, sRGB numbers.
        metallic, roughness: as in glTF.
        double_sided: its back is drawn too.
        tint: the color by which some programs multiply the image; None: no color, or white.
        lost_image: the name of its image, if it could not be read.
    """

    name: str = ""
    rgba: Optional[Rgba] = None
    image: Optional[MeshImage] = None
    emission: Rgb = (0.0, 0.0, 0.0)
    metallic: float = 0.0
    roughness: float = 0.9
    double_sided: bool = False
    tint: Optional[Rgb] = None
    lost_image: str = ""


class MaterialSurface(Record):
    """All triangles of one material.

    `normals` and `uv` are empty, or have a number for every corner of `corners`; arrays of numbers may be shared.

    Attributes:
        material: color, image and light.
        positions: float32, x y z of each point, in meters for URDF, in the frame of the URDF's mesh.
        corners: uint32, three numbers of points for each triangle, counter-clockwise.
        normals: float32, x y z of each normal, of unit length.
        normal_corners: numbers of normals, as long as `corners`.
        uv: float32, u v of each texture coordinate; v goes up, as in COLLADA and OBJ.
        uv_corners: numbers of texture coordinates, as long as `corners`.
        notes: diagnostics for the user.
        geometries: the names of its geometries in the file.
    """

    material: MeshMaterial
    positions: Floats
    corners: Numbers
    normals: Floats = array(FLOAT)
    normal_corners: Numbers = array(NUMBER)
    uv: Floats = array(FLOAT)
    uv_corners: Numbers = array(NUMBER)
    notes: Notes = ()
    geometries: Texts = ()


class MeshContent(Record):
    """The content of a file.

    Attributes:
        surfaces: in the order of their first triangle.
        notes: diagnostics on the whole file.
        up: the axis of a glTF that is +Z in its surfaces, "y" or "z"; "" for other formats, and if the caller gave the
            axis.
    """

    surfaces: Tuple[MaterialSurface, ...]
    notes: Notes = ()
    up: str = ""


def points_of(positions: Floats) -> List[Point]:
    """Return the points of an array of x, y, z."""
    return list(zip(positions[0::3], positions[1::3], positions[2::3]))


def triangles_of(surface: MaterialSurface) -> Iterator[Tuple[Point, Point, Point]]:
    """Yield the three corners of each triangle."""
    positions = surface.positions
    if is_in_order(surface):  # no list of all points is needed
        corners: Iterator[Point] = zip(positions[0::3], positions[1::3], positions[2::3])
    else:
        corners = map(points_of(positions).__getitem__, surface.corners)
    return zip(corners, corners, corners)


def is_in_order(surface: MaterialSurface) -> bool:
    """Return True if the corners are numbered 0, 1, 2, ... with a separate point for each, as in STL."""
    count = len(surface.corners)
    return len(surface.positions) == 3 * count and surface.corners == array(NUMBER, range(count))


def facet_normals(surface: MaterialSurface) -> MaterialSurface:
    """Return a surface with the normal of its triangle at every corner; a triangle without area gets +Z."""

    def normals() -> Iterator[Point]:
        """Yield the unit normal of each triangle."""
        for nx, ny, nz in map(normal_of, triangles_of(surface)):
            length = sqrt(nx * nx + ny * ny + nz * nz)
            if length > 0.0:
                # `+ 0.0` turns -0.0 into 0.0.
                yield nx / length + 0.0, ny / length + 0.0, nz / length + 0.0
            else:
                yield 0.0, 0.0, 1.0

    numbers = array(NUMBER, bytes(4 * len(surface.corners)))
    # All three corners of a triangle have the number of its facet.
    for corner in range(3):
        numbers[corner::3] = array(NUMBER, range(len(numbers) // 3))
    return surface._replace(
        normals=array(FLOAT, chain.from_iterable(normals())), normal_corners=numbers
    )


def flat_triangles(surface: MaterialSurface) -> List[int]:
    """Return the numbers of the triangles without area, by the test of the STL writer."""
    # Products of float32 numbers do not underflow in double precision, so the area is 0 if and only if the three
    # components of the normal are 0.
    flat = []
    for number, ((ax, ay, az), (bx, by, bz), (cx, cy, cz)) in enumerate(triangles_of(surface)):
        ux, uy, uz = bx - ax, by - ay, bz - az
        vx, vy, vz = cx - ax, cy - ay, cz - az
        if ux * vy == uy * vx and uy * vz == uz * vy and uz * vx == ux * vz:
            flat.append(number)
    return flat


def without_triangles(surface: MaterialSurface, numbers: Sequence[int]) -> MaterialSurface:
    """Return a surface without some of its triangles, given by number, ascending."""
    if not numbers:
        return surface

    def kept(corners: Numbers) -> Numbers:
        """Return a column of corners without the removed triangles."""
        remaining = array(NUMBER)
        start = 0
        for number in numbers:
            remaining += corners[start : 3 * number]
            start = 3 * number + 3
        return remaining + corners[start:]

    corners = kept(surface.corners)
    # An array that serves several columns stays shared, so that later steps do their work once.
    normal_corners = corners
    if surface.normal_corners is not surface.corners:
        normal_corners = kept(surface.normal_corners)
    uv_corners = corners
    if surface.uv_corners is not surface.corners:
        uv_corners = kept(surface.uv_corners)
    return compact(
        surface._replace(corners=corners, normal_corners=normal_corners, uv_corners=uv_corners)
    )


def compact(surface: MaterialSurface) -> MaterialSurface:
    """Return a surface without points, normals and texture coordinates that no corner uses; the order is kept."""
    known: Dict[int, Tuple[List[int], Numbers]] = {}
    positions, corners = _used(surface.positions, surface.corners, 3, known)
    normals, normal_corners = _used(surface.normals, surface.normal_corners, 3, known)
    uv, uv_corners = _used(surface.uv, surface.uv_corners, 2, known)
    return surface._replace(
        positions=positions,
        corners=corners,
        normals=normals,
        normal_corners=normal_corners,
        uv=uv,
        uv_corners=uv_corners,
    )


def tidy(surface: MaterialSurface) -> MaterialSurface:
    """Return a surface as writers need it: only used records, unit normals everywhere or none, uv only for an image.

    A corner whose normal has length zero, which readers use for a missing normal, gets the normal of its triangle.
    """
    if surface.material.image is None:
        surface = surface._replace(uv=array(FLOAT), uv_corners=array(NUMBER))
    surface = compact(surface)
    x, y, z = (surface.normals[axis::3] for axis in range(3))
    lengths = [sqrt(p * p + q * q + r * r) for p, q, r in zip(x, y, z)]
    if not any(lengths):
        return surface._replace(normals=array(FLOAT), normal_corners=array(NUMBER))
    # Normals of unit length up to rounding stay as in the file.
    if 1.0 - UNIT_SLACK < min(lengths) and max(lengths) < 1.0 + UNIT_SLACK:
        return surface

    without = [number for number, length in enumerate(lengths) if not length > 0.0]
    for number in without:
        lengths[number] = 1.0
    normals = array(FLOAT, bytes(4 * len(surface.normals)))
    for axis, column in enumerate((x, y, z)):
        normals[axis::3] = array(
            FLOAT, [value / length + 0.0 for value, length in zip(column, lengths)]
        )
    surface = surface._replace(normals=normals)
    if not without:
        return surface

    # The normals of the facets are appended, so their numbers grow by the count of the other normals.
    facets = facet_normals(surface)
    lacking = frozenset(without)
    base = len(normals) // 3
    normal_corners = array(NUMBER)
    for normal, facet in zip(surface.normal_corners, facets.normal_corners):
        if normal in lacking:
            normal_corners.append(base + facet)
        else:
            normal_corners.append(normal)
    return compact(
        surface._replace(normals=normals + facets.normals, normal_corners=normal_corners)
    )


def _used(
    values: Floats, corners: Numbers, width: int, known: Dict[int, Tuple[List[int], Numbers]]
) -> Tuple[Floats, Numbers]:
    """Return the records in use, and their new numbers; `known` caches both by the `id` of `corners`."""
    if id(corners) not in known:
        kept = sorted(set(corners))
        # Without a gap, the numbers stay the same.
        if kept and kept[-1] >= len(kept):
            new_numbers = [0] * (kept[-1] + 1)
            for number, old in enumerate(kept):
                new_numbers[old] = number
            renumbered = array(NUMBER, list(map(new_numbers.__getitem__, corners)))
            known[id(corners)] = (kept, renumbered)
        else:
            known[id(corners)] = (kept, corners)
    kept, numbers = known[id(corners)]
    if width * len(kept) == len(values):
        return values, numbers
    return gathered_records(values, width, kept), numbers


def gathered_records(values: Floats, width: int, numbers: Iterable[int]) -> Floats:
    """Return the records with the given numbers.

    Raises:
        IndexError: a number has no record.
    """
    return array(FLOAT, gathered_bytes(values, width, numbers))


def gathered_bytes(values: Floats, width: int, numbers: Iterable[int]) -> bytes:
    """Return the bytes of `gathered_records`."""
    return b"".join(map(byte_records(values.tobytes(), 4 * width).__getitem__, numbers))


def byte_records(data: bytes, size: int) -> List[bytes]:
    """Return bytes in pieces of a size."""
    return list(chain.from_iterable(iter_unpack(f"{size}s", data)))


def interleaved(columns: Sequence[Sequence[float]]) -> Floats:
    """Return columns of equal length as records; a number too large for float32 becomes inf."""
    width = len(columns)
    values = array(FLOAT, bytes(4 * width * len(columns[0])))
    for axis, column in enumerate(columns):
        values[axis::width] = array(FLOAT, column)
    return values


def checked_positions(path: str, location: str, positions: Floats) -> Floats:
    """Return positions with -0.0 replaced by 0.0.

    Raises:
        BrokenMesh: a position is not finite (NotFinite) or too far away; `location` is the place in the file.
    """
    if not isfinite(sum(positions)):
        raise NotFinite(f"{location}: a position is not finite", path)
    if positions and max(max(positions), -min(positions)) > MAX_COORDINATE:
        raise BrokenMesh(f"{location}: positions reach farther than 2^30 meters", path)
    # A match across two numbers does no harm: adding 0.0 only changes -0.0.
    if MINUS_ZERO in positions.tobytes():
        return array(FLOAT, [value + 0.0 for value in positions])
    return positions


def little_endian(values: "array[Any]") -> bytes:
    """Return the bytes of an array as STL and glTF store them."""
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values.tobytes()


@lru_cache(maxsize=4096)
def linear_of_srgb(value: float) -> float:
    """Return the linear number of an sRGB number, 0..1."""
    # The sRGB curve (IEC 61966-2-1); its exponent 2.4 is 12 / 5.
    return value / 12.92 if value <= 0.04045 else fractional_power((value + 0.055) / 1.055, 12, 5)


@lru_cache(maxsize=4096)
def srgb_of_linear(value: float) -> float:
    """Return the sRGB number of a linear number, which is clamped to 0..1."""
    if value >= 1.0:
        # In floats 1.055 - 0.055 differs from 1, and white is distinguished from other colors.
        return 1.0
    value = max(value, 0.0)
    if value <= 0.0031308:
        return value * 12.92
    return 1.055 * fractional_power(value, 5, 12) - 0.055


def fractional_power(value: float, upper: int, lower: int) -> float:
    """Return the nearest float to the `lower`-th root of the `upper`-th power of a positive number."""
    numerator, denominator = value.as_integer_ratio()
    # (n / d)^upper * 2^(BITS * lower): its root of degree `lower` has BITS binary places.
    number = (pow(numerator, upper) << BITS * lower) // pow(denominator, upper)
    # Square roots first: the integer part of the root of an integer part equals the integer part of the whole root.
    while lower % 2 == 0:
        number = isqrt(number)
        lower = lower // 2
    root = _root(number, lower) if lower > 1 else number
    return root / (1 << BITS)


def _root(number: int, degree: int) -> int:
    """Return the integer part of a root of `number`, by Newton's method from above."""
    # A power of two that is not below the root: from there Newton's steps only decrease.
    root = 1 << -(-number.bit_length() // degree)
    while True:
        nearer = ((degree - 1) * root + number // pow(root, degree - 1)) // degree
        if nearer >= root:
            return root
        root = nearer
