"""Surfaces on their way to a file: moved, scaled, joined by color, with equal points merged and flat triangles dropped."""

from __future__ import annotations

import math
import sys
from array import array
from fractions import Fraction
from itertools import chain
from math import frexp, fsum, ldexp
from operator import mul
from typing import (
    Collection,
    Dict,
    Hashable,
    Iterable,
    List,
    Optional,
    Sequence,
    Tuple,
)

from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.run_diagnostics import MESH_COLORS, MESH_CONTENT
from ..base.number_text import shown_names
from ..base.record_type import Record
from ..collada.stl_part_writer import moved_columns
from ..collada.conversion_records import Affine, DaeOptions, DEFAULT_DAE_OPTIONS, rgba_text
from ..collada.collada_proof_reader import unit_length
from ..collada.collada_scene import without_affine_noise
from ..collada.binary_stl import double_area, lies_in_plane, StlTriangle
from ..urdf.spatial_math import (
    cross,
    dot,
    IDENTITY_POSE,
    largest_entry,
    Transform,
    subtract,
    Vector,
    ZERO,
)
from .mesh_content import (
    checked_positions,
    flat_triangles,
    FLOAT,
    Floats,
    gathered_records,
    interleaved,
    MeshMaterial,
    MeshContent,
    NUMBER,
    Numbers,
    points_of,
    MaterialSurface,
    tidy,
    without_triangles,
)
from .mesh_diagnostics import MESH_IMAGE, MESH_MERGED

FACTOR_BITS = 29  # 29 bits times the 24 bits of a float32 are exact in the 53 bits of a float
FORMATS = ("stl", "obj", "gltf", "glb")


def place_positions(positions: Floats, matrix: Affine) -> Floats:
    """Return transformed positions, rounded to float32 once."""

    matrix = without_affine_noise(matrix)
    if matrix == IDENTITY_POSE:
        return positions
    columns = tuple(positions[axis::3] for axis in range(3))
    # Numbers too large for float32 become inf, which `checked_positions` reports.
    return interleaved(moved_columns(columns, matrix))


def place_normals(normals: Floats, matrix: Affine) -> Floats:
    """Return normals that are transformed by the inverse transpose of a map; their lengths are arbitrary.

    The cofactor matrix is the inverse transpose times the determinant. Dividing by the sign of the determinant keeps
    normals outside after a mirror.
    """
    a, b, c = matrix.rotation
    cofactors = (cross(b, c), cross(c, a), cross(a, b))
    # The size has the sign of the determinant, and the largest entry as its value, so that float32
    # holds the quotients.
    size = math.copysign(largest_entry(cofactors), dot(a, cofactors[0]))
    p, q, r = ((x / size, y / size, z / size) for x, y, z in cofactors)
    return place_positions(normals, Transform((p, q, r), ZERO))


def turned_corners(corners: Numbers) -> Numbers:
    """Return triangles with the second and third corner swapped, so that a mirrored surface keeps its outside."""
    turned = corners[:]
    turned[1::3], turned[2::3] = corners[2::3], corners[1::3]
    return turned


def baked(surface: MaterialSurface, T: Transform, scale: Vector, name: str) -> MaterialSurface:
    """Return a surface, scaled and then moved, without triangles that have no area; mirrored, it keeps its outside.

    Each coordinate is the float32 nearest to the exact product of the numbers of `T` and `scale` [m].

    Raises:
        BrokenMesh: a corner is too far away; `name` is the name of the mesh.
    """
    columns = [surface.positions[axis::3] for axis in range(3)]
    factors = [
        [Fraction(entry) * Fraction(size) for entry, size in zip(row, scale)] for row in T.rotation
    ]
    positions = interleaved(
        [_rounded(row, shift, columns) for row, shift in zip(factors, T.translation)]
    )
    moved = surface._replace(positions=checked_positions(name, "with its origin", positions))
    moved = without_triangles(moved, flat_triangles(moved))
    # The remaining triangles have an area, so no scale is too small for their cofactors.
    if moved.normals:
        x, y, z = ((float(a), float(b), float(c)) for a, b, c in factors)
        moved = moved._replace(normals=place_normals(moved.normals, Transform((x, y, z), ZERO)))
    if scale[0] * scale[1] * scale[2] < 0.0:
        moved = moved._replace(
            corners=turned_corners(moved.corners),
            normal_corners=turned_corners(moved.normal_corners),
        )
    return moved


def _rounded(factors: Sequence[Fraction], shift: float, columns: Sequence[Floats]) -> Floats:
    """Return the float32 numbers nearest to the sums of factors times columns, and a shift."""
    pieces: List[Tuple[float, Floats]] = []
    for factor, column in zip(factors, columns):
        pieces += [(piece, column) for piece in _pieces(factor)]
    numbers = [piece for piece, _ in pieces]
    rows = zip(*(column for _, column in pieces)) if pieces else iter([()] * len(columns[0]))
    sums = [fsum((shift, *map(mul, numbers, row))) for row in rows]  # the nearest float
    rounded = interleaved([sums])
    # A sum halfway between two float32 numbers does not determine which is nearer to the exact sum.
    mirrored = [2.0 * value - nearest for value, nearest in zip(sums, rounded)]
    for number, (opposite, nearest) in enumerate(zip(interleaved([mirrored]), rounded)):
        # Halfway between two float32 numbers, the mirrored number is a float32 too.
        if opposite == mirrored[number] != nearest:
            products = [piece * column[number] for piece, column in pieces]
            remainder = fsum((shift, -sums[number], *products))
            rounded[number] = opposite if remainder * (opposite - nearest) > 0.0 else nearest
    return rounded


def _pieces(factor: Fraction) -> List[float]:
    """Return floats of few bits whose sum is a factor, up to a rest too small for any float."""
    # The first FACTOR_BITS bits; the rest is split in the same way.
    part, exponent = frexp(float(factor))
    piece = ldexp(int(ldexp(part, FACTOR_BITS)), exponent - FACTOR_BITS)
    return [piece, *_pieces(factor - Fraction(piece))] if piece else []


def weld(positions: Floats) -> Tuple[Floats, Numbers]:
    """Return the different points in the order of first use, and the number of each point."""
    points = points_of(positions)
    numbers = {point: number for number, point in enumerate(dict.fromkeys(points))}
    positions = array(FLOAT, chain.from_iterable(numbers))
    return positions, array(NUMBER, list(map(numbers.__getitem__, points)))


def join_corners(surface: MaterialSurface) -> Tuple[Floats, Floats, Floats, Numbers]:
    """Return positions, normals, uv and corners with a single number for all three, as glTF needs."""
    columns = [
        (surface.positions, surface.corners, 3),
        (surface.normals, surface.normal_corners, 3),
        (surface.uv, surface.uv_corners, 2),
    ]
    points = len(surface.positions) // 3
    # (1) The numbers are equal already.
    if all(
        not values or (len(values) == points * width and numbers == surface.corners)
        for values, numbers, width in columns
    ):
        return surface.positions, surface.normals, surface.uv, surface.corners
    # (2) Records that no two corners share: every corner gets a point, and no pair needs to be looked up.
    if any(
        values and _is_unshared(numbers, len(values) // width)
        for values, numbers, width in columns[1:]
    ):
        positions, normals, uv = (
            _records_at(values, width, numbers) for values, numbers, width in columns
        )
        return positions, normals, uv, array(NUMBER, range(len(surface.corners)))
    # (3) Number the corners that differ, by first use.
    used = [numbers for values, numbers, _ in columns if values]
    number_of = {corner: number for number, corner in enumerate(dict.fromkeys(zip(*used)))}
    joined = array(NUMBER, list(map(number_of.__getitem__, zip(*used))))
    chosen = zip(*number_of)
    gathered: List[Floats] = []
    for values, _, width in columns:
        # A column without records has no part in the numbers.
        gathered.append(gathered_records(values, width, next(chosen)) if values else values)
    positions, normals, uv = gathered
    return positions, normals, uv, joined


def _records_at(values: Floats, width: int, numbers: Iterable[int]) -> Floats:
    """Return the records with the given numbers; a column without records stays empty."""
    return gathered_records(values, width, numbers) if values else values


def _is_unshared(numbers: Numbers, records: int) -> bool:
    """Return True if corners of different triangles never share a record: one record for each corner, or each triangle."""
    return records == len(numbers) or (
        3 * records == len(numbers)
        and numbers[0::3] == numbers[1::3]
        and numbers[0::3] == numbers[2::3]
    )


def join_primitives(pieces: Sequence[MaterialSurface], material: MeshMaterial) -> MaterialSurface:
    """Return all triangles of several surfaces as one surface; arrays that pieces share are stored once.

    A corner without a normal or texture coordinate gets number 0, a record of zeros.
    """
    if len(pieces) == 1:
        return pieces[0]._replace(material=material)
    positions, corners = _joined([(piece.positions, piece.corners) for piece in pieces], 3)
    zeros = [array(NUMBER, bytes(4 * len(piece.corners))) for piece in pieces]
    normals, normal_corners = _joined(
        [(piece.normals, piece.normal_corners or none) for piece, none in zip(pieces, zeros)], 3
    )
    uv, uv_corners = _joined(
        [(piece.uv, piece.uv_corners or none) for piece, none in zip(pieces, zeros)], 2
    )
    notes = dict.fromkeys(chain.from_iterable(piece.notes for piece in pieces))
    geometries = dict.fromkeys(chain.from_iterable(piece.geometries for piece in pieces))
    return MaterialSurface(
        material,
        positions=positions,
        corners=corners,
        normals=normals,
        normal_corners=normal_corners,
        uv=uv,
        uv_corners=uv_corners,
        notes=tuple(notes),
        geometries=tuple(geometries),
    )


def _joined(pieces: Sequence[Tuple[Floats, Numbers]], width: int) -> Tuple[Floats, Numbers]:
    """Return records and numbers of several pieces as one, after a record of zeros if only some pieces have records."""
    values = array(FLOAT)
    numbers = array(NUMBER)
    if not any(records for records, _ in pieces):
        return values, numbers
    if any(record_numbers and not records for records, record_numbers in pieces):
        values.extend([0.0] * width)
    starts: Dict[int, int] = {}
    for records, record_numbers in pieces:
        if records and id(records) not in starts:
            starts[id(records)] = len(values) // width
            values.extend(records)
        start = starts[id(records)] if records else 0
        numbers.extend(shifted(record_numbers, start))
    return values, numbers


def shifted(numbers: Numbers, base: int) -> Numbers:
    """Return numbers increased by `base`: added as digits of one long integer, which is faster than a loop.

    A result below 0 raises OverflowError, or becomes one of the largest numbers of 32 bits.
    """
    if not base:
        return numbers
    steps = array(NUMBER, [abs(base)]) * len(numbers)
    total = int.from_bytes(numbers.tobytes(), sys.byteorder)
    change = int.from_bytes(steps.tobytes(), sys.byteorder)
    total += change if base > 0 else -change
    return array(NUMBER, total.to_bytes(4 * len(numbers), sys.byteorder))


class MeshTarget(Record):
    """The form in which a mesh is written.

    Attributes:
        format: one of `FORMATS`.
        up: the up axis of glTF: "y" as in its specification, or "z" as in URDF; a mesh read from glTF keeps its axes.
        colored: materials and images are written; False for a collision.
        split: glTF, which can hold any number of materials, gets one file for each material.
        dae: units, axes, and separation by color; `separate` and `max_faces` apply to every format.
        within: the largest distance [m] to a mesh of fewer triangles; 0.0: all triangles are kept.
    """

    format: str = "obj"
    up: str = "y"
    colored: bool = True
    split: bool = False
    dae: DaeOptions = DEFAULT_DAE_OPTIONS
    within: float = 0.0


def _groups_of_surfaces(
    mesh: MeshContent, target: MeshTarget
) -> Dict[Hashable, List[MaterialSurface]]:
    """Return the surfaces that are written as one; surfaces of key None have no color."""
    groups: Dict[Hashable, List[MaterialSurface]] = {}
    for number, surface in enumerate(mesh.surfaces):
        material = surface.material
        image = material.image.data if material.image else b""
        look = (material.rgba, image, material.tint, material.emission)
        if not target.colored or not target.dae.separate:
            key: Hashable = None
        else:
            key = look if target.dae.merge_equal_colors else number
        groups.setdefault(key, []).append(surface)
    return groups


def arranged_surfaces(
    mesh: MeshContent, target: MeshTarget
) -> Tuple[List[MaterialSurface], Diagnostics]:
    """Return the surfaces to write: joined as `target` requires, without triangles that have no area."""
    notes = list(mesh.notes)
    surfaces: List[MaterialSurface] = []
    for key, members in _groups_of_surfaces(mesh, target).items():
        material = members[0].material if key is not None else MeshMaterial()
        pieces: List[MaterialSurface] = []
        for member in members:
            is_textured = member.uv and material.image
            pieces.append(member if is_textured else _without_uv(member))
        joined = join_primitives(pieces, material)
        # Each single member was tidied by its reader.
        joined = tidy(joined) if len(members) > 1 else joined
        names = [member.material.name for member in members if member.material.name]
        if len(names) > 1 and material.rgba:
            joined = joined._replace(
                notes=(
                    *joined.notes,
                    Diagnostic(
                        MESH_COLORS, 0, "materials", (shown_names(names), rgba_text(material.rgba))
                    ),
                )
            )
        # The STL writer drops flat triangles itself.
        if target.format != "stl" or target.dae.planar == "merge":
            joined = without_flat(joined, flat_triangles(joined), notes)
        if not joined.corners:
            continue
        if material.image and not joined.uv and target.format != "stl":
            notes.append(Diagnostic(MESH_IMAGE, 0, "no-coordinates", (material.name,)))
            joined = joined._replace(material=material._replace(image=None))
        surfaces.append(joined)
    return surfaces, notes


def without_flat(
    surface: MaterialSurface, flat: Sequence[int], notes: Diagnostics
) -> MaterialSurface:
    """Return a surface without its flat triangles, given by number, and with a note on them."""
    kept = without_triangles(surface, flat)
    if not kept.corners:
        notes.append(Diagnostic(MESH_CONTENT, 0, "all-flat", (surface.material.name,)))
    elif flat:
        kept = kept._replace(
            notes=(
                *kept.notes,
                Diagnostic(
                    kind=MESH_CONTENT, line=0, sentence="flat", names=(), numbers=(len(flat),)
                ),
            )
        )
    return kept


def with_planar_merged(
    surfaces: List[MaterialSurface], notes: Diagnostics
) -> List[MaterialSurface]:
    """Return surfaces in which the largest solid one takes in all planar ones.

    They are unchanged if there are no planar or no solid ones.
    """
    planar = [surface for surface in surfaces if is_planar(surface, columns_of(surface))]
    solid = [surface for surface in surfaces if not any(surface is other for other in planar)]
    if not planar or not solid:
        return surfaces

    # A surface without an image is preferred, because the joined triangles have no texture coordinates.
    largest = max(solid, key=lambda surface: (surface.material.image is None, len(surface.corners)))
    for surface in planar:
        notes.append(
            Diagnostic(MESH_MERGED, 0, "part", (surface.material.name, largest.material.name))
        )
    joined = tidy(join_primitives([largest, *map(_without_uv, planar)], largest.material))
    return [joined if surface is largest else surface for surface in solid]


def _without_uv(surface: MaterialSurface) -> MaterialSurface:
    """Return a surface without texture coordinates."""
    return surface._replace(uv=surface.uv[:0], uv_corners=surface.uv_corners[:0])


def welded(surface: MaterialSurface) -> MaterialSurface:
    """Return a surface with equal points merged: STL has three separate points for each triangle."""
    positions, numbers = weld(surface.positions)
    return surface._replace(
        positions=positions, corners=array(NUMBER, list(map(numbers.__getitem__, surface.corners)))
    )


def columns_of(surface: MaterialSurface, used: Optional[Collection[int]] = None) -> List[Floats]:
    """Return x, y and z of the points with the numbers `used`; None: of all points."""
    columns = [surface.positions[axis::3] for axis in range(3)]
    if used is None:
        return columns
    return [array(FLOAT, map(column.__getitem__, used)) for column in columns]


def is_planar(surface: MaterialSurface, columns: Sequence[Floats]) -> bool:
    """Return True if all corners lie in one plane, as in `stl_is_planar`.

    `columns` are x, y and z of all points in use.
    """
    positions = surface.positions
    extent = max(max(column) - min(column) for column in columns)

    def triangles(end: int) -> Iterable[StlTriangle]:
        """Yield the triangles of the first `end` corners, with unit normals."""
        corners = (
            tuple(positions[3 * number : 3 * number + 3]) for number in surface.corners[:end]
        )
        for a, b, c in zip(corners, corners, corners):
            yield unit_length(cross(subtract(b, a), subtract(c, a))), a, b, c  # type: ignore[arg-type, misc]

    first = list(triangles(3 * 64))
    (nx, ny, nz), (x, y, z), _, _ = max(first, key=double_area)
    # Usually the first 64 triangles decide: a point this far from the plane of the largest of them is off the plane,
    # whatever was rounded.
    level = nx * x + ny * y + nz * z
    coarse = 1e-3 * extent
    if any(abs(nx * px + ny * py + nz * pz - level) > coarse for px, py, pz in zip(*columns)):
        return False
    every = list(triangles(len(surface.corners)))
    return lies_in_plane(every, every, 1e-6 * extent)
