"""Evidence, on every run, that the STL files hold what the COLLADA file holds."""
from math import sqrt

from ..base.errors import ProofFailed
from ..mesh.stl import stl_count, stl_sample, StlTriangle
from .part_writer import Group, Piece

SAMPLED_TRIANGLES = 256
FLOAT32_STEP = 2.0 ** -22


def prove_group(path: str, group: Group) -> None:
    """Check that the polygons of one color, less what was left out, plus what holes added, are the triangles written.

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
    """Say whether the normal of a triangle has length 1 and the direction of its winding."""
    (nx, ny, nz), (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    x = (by - ay) * (cz - az) - (bz - az) * (cy - ay)
    y = (bz - az) * (cx - ax) - (bx - ax) * (cz - az)
    z = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    along = (x * nx + y * ny + z * nz) / sqrt(x * x + y * y + z * z)
    return abs(along - 1.0) < 1e-5 and abs(nx * nx + ny * ny + nz * nz - 1.0) < 1e-5
