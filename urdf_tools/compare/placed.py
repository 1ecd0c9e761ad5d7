"""A shape in the frame of B's root, and the differences of pose and scale from another shape."""
from math import dist
from typing import NamedTuple, Optional, Tuple

from ..urdf.spatial import IDENTITY_POSE, Matrix, Pose, transpose, Vector, ZERO
from ..verify.rigid_motion import angle_between_rotations, product, rotated
from .records import RawShape

UNSCALED = (1.0, 1.0, 1.0)
SAME, OTHER, UNKNOWN = "same", "other", "unknown"  # of surfaces, and of their colors
ONE_SIDE = "one side"  # of colors: only one file has them


class Placed(NamedTuple):
    """A shape, its link, and its pose in the frame of B's root.

    Attributes:
        drawn_collision: the same element of the file is drawn and collides, as a geom of MJCF.
    """

    shape: RawShape
    link: str
    T: Pose
    drawn_collision: bool = False


class SurfaceVerdict(NamedTuple):
    """Whether two sets of shapes are the same surface: SAME, OTHER, or UNKNOWN.

    Attributes:
        bound: largest distance of a point of either from the other [m], of SAME; turned: the part of A's area, 0 to 1,
            that faces the other way in B.
        point, side, gap: a point of A or B at this distance [m] from the other, of OTHER.
        why, words: of UNKNOWN: a key of `words.WHY`, and the values in its sentence.
    """

    kind: str
    bound: float = 0.0
    turned: float = 0.0
    point: Vector = ZERO
    side: str = ""
    gap: float = 0.0
    why: str = ""
    words: Tuple[str, ...] = ()


def scale_of(shape: RawShape) -> Vector:
    """Return the factors by which a mesh is scaled."""
    x, y, z = shape.sizes if len(shape.sizes) == 3 else UNSCALED
    return (x, y, z)


def scaled_columns(R: Matrix, sizes: Vector) -> Matrix:
    """Return R diag(sizes)."""
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = sizes
    return ((a * x, b * y, c * z), (d * x, e * y, f * z), (g * x, h * y, i * z))


def is_mirrored(shape: RawShape) -> bool:
    """Return True if a mesh is scaled so that left becomes right."""
    x, y, z = scale_of(shape)
    return x * y * z < 0.0


def center_gap(a: Placed, b: Placed) -> float:
    """Return how far apart the origins of two shapes are [m]."""
    return dist(a.T.translation, b.T.translation)


def mesh_gap(a: Placed, b: Placed) -> float:
    """Return the largest difference of entries of two poses with scale, relative to the scale."""
    sizes = scale_of(a.shape), scale_of(b.shape)
    first, second = (sum(scaled_columns(placed.T.rotation, size), ()) for placed, size in zip((a, b), sizes))
    return max(abs(p - q) for p, q in zip(first, second)) / (max(map(abs, sizes[0] + sizes[1])) or 1.0)


def mesh_turn(a: Placed, b: Placed) -> Optional[float]:
    """Return the angle between two meshes [rad], a scale of -1 -1 1 counted as a turn; None: one is mirrored."""
    if is_mirrored(a.shape) != is_mirrored(b.shape):
        return None
    first, second = (scaled_columns(mesh.T.rotation, tuple(-1.0 if part < 0.0 else 1.0 for part in scale_of(  # type: ignore[arg-type]
        mesh.shape))) for mesh in (a, b))
    return angle_between_rotations(first, second)


def relative_pose(a: Placed, b: Placed) -> Pose:
    """Return T_a_b, the pose of B's shape in the frame of A's."""
    if a.T == b.T:
        return IDENTITY_POSE
    R_a_root = transpose(a.T.rotation)
    (x, y, z), (u, v, w) = a.T.translation, b.T.translation
    return Pose(product(R_a_root, b.T.rotation), rotated(R_a_root, (u - x, v - y, w - z)))


def entries(T: Pose) -> Tuple[float, ...]:
    """Return the twelve numbers of a pose."""
    return (*T.rotation[0], *T.rotation[1], *T.rotation[2], *T.translation)
