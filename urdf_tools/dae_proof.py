"""Evidence, on every run, that the STL files hold what the COLLADA file holds."""
from math import sqrt
from typing import Tuple

from .dae_groups import Group, Piece
from .errors import ProofFailed
from .stl import StlTriangle, stl_count, stl_sample

SAMPLED_TRIANGLES = 256
FLOAT32_STEP = 2.0 ** -22


def prove_group(path: str, group: Group) -> None:
    """Check that the polygons of one colour, less what was left out, plus what holes added, are the triangles written.

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
    for triangle in stl_sample(target, SAMPLED_TRIANGLES):
        if not triangle_holds(triangle, low, high):
            raise ProofFailed(f"'{target}' has a triangle out of its box or against its normal", path)


def triangle_holds(triangle: StlTriangle, low: Tuple[float, ...], high: Tuple[float, ...]) -> bool:
    """Say whether a triangle lies in a box and its normal has length 1 and the direction of its winding."""
    normal, (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    inside = all(low[axis] <= corner[axis] <= high[axis] for corner in triangle[1:] for axis in range(3))
    x = (by - ay) * (cz - az) - (bz - az) * (cy - ay)
    y = (bz - az) * (cx - ax) - (bx - ax) * (cz - az)
    z = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    along = (x * normal[0] + y * normal[1] + z * normal[2]) / sqrt(x * x + y * y + z * z)
    return inside and abs(along - 1.0) < 1e-5 and abs(sum(value * value for value in normal) - 1.0) < 1e-5
