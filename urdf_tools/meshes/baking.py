"""The surface of a mesh in the frame of its link: scale and pose in its corners, each number rounded once."""
from fractions import Fraction
from math import frexp, fsum, ldexp
from operator import mul
from typing import List, Sequence

from ..urdf.spatial import Pose, Vector
from .form import checked_positions, Floats, flat_triangles, interleaved, Surface, without_triangles
from .place import place_normals, turned_corners

FACTOR_BITS = 29  # times 24 bits of a float32 is exact in the 53 of a float


def baked(surface: Surface, T: Pose, scale: Vector, name: str) -> Surface:
    """Return a surface, scaled and then moved, without triangles that have no area; mirrored, it keeps its outside.

    Each coordinate is the float32 nearest to the exact product of the numbers of `T` and `scale` [m].

    Raises:
        BrokenMesh: a corner is too far away; `name` is that of the mesh.
    """
    columns = [surface.positions[axis::3] for axis in range(3)]
    factors = [[Fraction(entry) * Fraction(size) for entry, size in zip(row, scale)] for row in T.rotation]
    positions = interleaved([_rounded(row, shift, columns) for row, shift in zip(factors, T.translation)])
    moved = surface._replace(positions=checked_positions(name, "with its origin", positions))
    moved = without_triangles(moved, flat_triangles(moved))
    if moved.normals:  # of triangles that have an area, so that no scale is too small for their cofactors
        (a, b, c), (d, e, f), (g, h, i) = (map(float, row) for row in factors)
        moved = moved._replace(normals=place_normals(moved.normals, (a, b, c, 0.0, d, e, f, 0.0, g, h, i, 0.0)))
    if scale[0] * scale[1] * scale[2] < 0.0:
        moved = moved._replace(corners=turned_corners(moved.corners), normal_corners=turned_corners(
            moved.normal_corners))
    return moved


def _rounded(factors: Sequence[Fraction], shift: float, columns: Sequence[Floats]) -> Floats:
    """Return the float32 numbers nearest to the sums of factors times columns, and a shift."""
    pieces = [(piece, column) for factor, column in zip(factors, columns) for piece in _pieces(factor)]
    numbers = [piece for piece, _ in pieces]
    rows = zip(*(column for _, column in pieces)) if pieces else iter([()] * len(columns[0]))
    sums = [fsum((shift, *map(mul, numbers, row))) for row in rows]  # the nearest float
    rounded = interleaved([sums])
    # Where that lies in the middle of two float32 numbers, it does not say which of them is nearer to the exact sum.
    mirrored = [2.0 * value - near for value, near in zip(sums, rounded)]
    for number, (other, near) in enumerate(zip(interleaved([mirrored]), rounded)):
        if other == mirrored[number] != near:
            rest = fsum((shift, -sums[number], *(piece * column[number] for piece, column in pieces)))
            rounded[number] = other if rest * (other - near) > 0.0 else near
    return rounded


def _pieces(factor: Fraction) -> List[float]:
    """Return floats of few bits whose sum is a factor, but for what is too small for any float."""
    part, exponent = frexp(float(factor))
    piece = ldexp(int(ldexp(part, FACTOR_BITS)), exponent - FACTOR_BITS)
    return [piece, *_pieces(factor - Fraction(piece))] if piece else []
