"""A shape in the frame of B's root, and what of its pose and scale differs from another one's."""
from math import dist
from typing import NamedTuple, Optional, Tuple

from ..urdf.spatial import IDENTITY_POSE, Matrix, Pose, transpose, Vector, ZERO
from ..verify.rigid_motion import angle_between_rotations, product, rotated
from .records import RawShape

UNSCALED = (1.0, 1.0, 1.0)
SAME, OTHER, UNKNOWN = "same", "other", "unknown"  # of surfaces, and of their colors
ONE_SIDE = "one side"  # of colors: only one file says them


class Placed(NamedTuple):
    """A shape, the link that has it, and its pose in the frame of B's root.

    Attributes:
        drawn_collision: one element of the file says that it is drawn and that it collides, as a geom of MJCF does.
    """

    shape: RawShape
    link: str
    T: Pose
    drawn_collision: bool = False


class SurfaceVerdict(NamedTuple):
    """If two sets of shapes are the same surface: SAME, OTHER, or UNKNOWN.

    Attributes:
        bound: no point of either is farther from the other [m], of SAME; turned: the part of A's area, from 0 to 1,
            that faces the other way in B.
        point, side, gap: a point of A or B that is so far [m] from the other one, of OTHER.
        why, words: of UNKNOWN: a key of `words.WHY`, and what fills its sentence.
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
    """Return how far apart two poses with scale are: the largest difference of entries, relative to the scale."""
    sizes = scale_of(a.shape), scale_of(b.shape)
    first, second = (sum(scaled_columns(one.T.rotation, size), ()) for one, size in zip((a, b), sizes))
    return max(abs(p - q) for p, q in zip(first, second)) / (max(map(abs, sizes[0] + sizes[1])) or 1.0)


def mesh_turn(a: Placed, b: Placed) -> Optional[float]:
    """Return the angle between two meshes [rad], a scale of -1 -1 1 counted as a turn; None: one is mirrored."""
    if is_mirrored(a.shape) != is_mirrored(b.shape):
        return None
    first, second = (scaled_columns(one.T.rotation, tuple(-1.0 if part < 0.0 else 1.0 for part in scale_of(  # type: ignore[arg-type]
        one.shape))) for one in (a, b))
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
