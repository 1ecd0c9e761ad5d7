"""Transforms of the prims of a stage: every kind of xformOp, in any order, in meters with Z up.

They are affine maps: a `Transform` whose rotation may scale and shear as well (OpenUSD, UsdGeomXformOp).
"""

from __future__ import annotations

from itertools import chain, permutations
from math import radians
from typing import Dict

from ...base.record_type import Record
from ...urdf.spatial_math import (
    add_matrices,
    compose,
    cross,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    Matrix,
    multiply,
    norm,
    Transform,
    rotate,
    rotation_about,
    scale,
    transpose,
    unit,
    Vector,
    ZERO,
)
from ...robot.principal_axes import diagonal, multiple, vector_of
from ..reader_helpers import rotation_of_wxyz
from .prim_tree import Prim

RESET = "!resetXformStack!"
INVERT = "!invert!"
AXES: Dict[str, Vector] = dict(zip("XYZ", IDENTITY))
WIDTHS = {  # the number of numbers of each kind of op
    **{"transform": 16, "orient": 4, "translate": 3, "scale": 3},
    **{f"translate{axis}": 1 for axis in AXES},
    **{f"scale{axis}": 1 for axis in AXES},
    **{f"rotate{axis}": 1 for axis in AXES},
    **{f"rotate{''.join(letters)}": 3 for letters in permutations(AXES)},
}
# Types of prims that have a place of their own (UsdGeomXformable): on any other prim xformOps mean nothing.
XFORMABLE = (
    *("Xform", "Camera", "SkelRoot", "Skeleton", "SpatialAudio", "GenerativeProcedural"),
    *("Cube", "Sphere", "Cylinder", "Cylinder_1", "Capsule", "Capsule_1", "Cone", "Plane"),
    *("Mesh", "TetMesh", "NurbsPatch", "NurbsCurves", "BasisCurves", "HermiteCurves", "Points"),
    *("PointInstancer", "Volume", "Field3DAsset", "OpenVDBAsset"),
    *("ParticleField", "ParticleField3DGaussianSplat"),
    *("CylinderLight", "DiskLight", "DistantLight", "DomeLight", "DomeLight_1", "GeometryLight"),
    *("PortalLight", "RectLight", "SphereLight", "PluginLight", "PluginLightFilter", "LightFilter"),
)
Y_UP: Matrix = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))  # R_robot_stage
SHEAR = 1e-5  # cosine between axes that are no longer perpendicular
ROUNDING = 1e-6  # of a scale that is 1, in float32
FLAT = 1e-100  # a volume that is none
THIN = 1e-12  # of the longest axis: an axis of no length; of three axes of length 1: a volume that is none
MOST_STEPS = 100  # each halves a stretch of 1e12, the most that is not flat, until it is near to 1
SETTLED = 1e-14  # of entries of a rotation: rounding


class PrimTransform(Record):
    """Where a prim is: rigid pose in the world [m], scale along its axes, and all of its transform.

    Attributes:
        is_sheared: True if its axes are not perpendicular, or one has no length: then pose and
            scale cannot express it, and the pose has the nearest rotation.
    """

    pose: Transform
    scale: Vector
    whole: Transform
    is_sheared: bool = False


def volume_of(A: Matrix) -> float:
    """Return the determinant: negative for a mirror."""
    return dot(A[0], cross(A[1], A[2]))


def _op(prim: Prim, attribute: str) -> Transform:
    """Return the map of an op.

    Raises:
        BrokenRobot: the op is of no known kind, or has other numbers than its kind.
    """
    kind = attribute.split(":")[1] if attribute.startswith("xformOp:") else ""
    if kind not in WIDTHS:
        prim.refuse(f"'{attribute}' is a transform of no known kind")
    numbers = prim.numbers(attribute, WIDTHS[kind])
    # An op without a value does nothing, and a zero quaternion is taken for no rotation, as OpenUSD has both.
    if numbers is None or kind == "orient" and not any(numbers):
        return IDENTITY_POSE
    if kind == "transform":  # a matrix of row vectors
        x, y, z, origin = [vector_of(numbers[k : k + 3]) for k in (0, 4, 8, 12)]
        return Transform(transpose((x, y, z)), origin)
    if kind == "orient":
        return Transform(rotation_of_wxyz(numbers), ZERO)
    name = kind.rstrip("XYZ")
    letters = kind[len(name) :]
    # Three numbers are for X, Y, Z, in whatever order the letters turn.
    axes = "XYZ" if len(numbers) == 3 else letters
    by_axis = dict(zip(axes, numbers))
    default = 1.0 if name == "scale" else 0.0
    x_y_z = [by_axis.get(axis, default) for axis in AXES]
    if name == "translate":
        return Transform(IDENTITY, vector_of(x_y_z))
    if name == "scale":
        return Transform(diagonal(x_y_z), ZERO)
    R = IDENTITY
    for letter in letters:  # rotateXYZ: about X first
        R = multiply(rotation_about(AXES[letter], radians(by_axis[letter])), R)
    return Transform(R, ZERO)


def _inverse(prim: Prim, T: Transform) -> Transform:
    """Return the inverse of the map of an op of a prim."""
    if abs(volume_of(T.rotation)) < FLAT:
        prim.refuse("a transform that is inverted is flat")
    A = _inverse_matrix(T.rotation)
    return Transform(A, scale(-1.0, rotate(A, T.translation)))


def _inverse_matrix(A: Matrix) -> Matrix:
    """Return the inverse of a matrix that is not flat, by the cross products of its columns."""
    x, y, z = transpose(A)
    return multiple(1.0 / dot(x, cross(y, z)), (cross(y, z), cross(z, x), cross(x, y)))


def _nearest_rotation(A: Matrix) -> Matrix:
    """Return the rotation in a matrix of positive volume, as USD takes it out of a transform (GfMatrix4d::Factor).

    Higham's iteration for the polar decomposition: the mean of a matrix and of its transposed inverse.
    """
    A = multiple(1.0 / max(map(norm, A)), A)
    for _ in range(MOST_STEPS):
        mean = multiple(0.5, add_matrices(A, transpose(_inverse_matrix(A))))
        entries = chain(*mean)
        changes = [abs(new - old) for new, old in zip(entries, chain(*A))]
        if all(change < SETTLED for change in changes):
            break
        A = mean
    return mean


def transform_in(prim: Prim, above: Transform) -> Transform:
    """Return the transform of a prim in the stage, given the transform of its parent; the first op is the outermost."""
    if prim.type not in XFORMABLE:
        return above
    local = IDENTITY_POSE
    for name in prim.words("xformOpOrder"):
        if name == RESET:
            local = above = IDENTITY_POSE
        elif name.startswith(INVERT):
            local = compose(local, _inverse(prim, _op(prim, name[len(INVERT) :])))
        else:
            local = compose(local, _op(prim, name))
    return above if local is IDENTITY_POSE else compose(above, local)


def placed(whole: Transform) -> PrimTransform:
    """Return where a prim is, given its transform in meters with Z up."""
    axes = transpose(whole.rotation)
    a, b, c = lengths = [norm(axis) for axis in axes]
    flat = PrimTransform(Transform(IDENTITY, whole.translation), (a, b, c), whole, is_sheared=True)
    if min(lengths) < THIN * max(1.0, *lengths):
        return flat
    x, y, z = map(unit, axes)
    if abs(volume_of((x, y, z))) < THIN:
        return flat
    is_sheared = max(abs(dot(x, y)), abs(dot(y, z)), abs(dot(z, x))) > SHEAR
    # All axes of a mirror are turned round, so that a rotation remains.
    sign = -1.0 if volume_of((x, y, z)) < 0.0 else 1.0
    a, b, c = [sign * _without_rounding(length) for length in lengths]
    R = transpose((scale(sign, x), scale(sign, y), scale(sign, z)))
    if is_sheared:
        R = _nearest_rotation(multiple(sign, whole.rotation))
    if R == IDENTITY:
        R = IDENTITY  # the same object: functions of poses look for it
    return PrimTransform(Transform(R, whole.translation), (a, b, c), whole, is_sheared)


def _without_rounding(length: float) -> float:
    """Return the length of an axis: 1 where it is 1 in float32."""
    return 1.0 if abs(length - 1.0) < ROUNDING else length


def stage_transform(meters: float, *, is_y_up: bool) -> Transform:
    """Return the map from the units and axes of a stage to meters with Z up."""
    R_robot_stage = Y_UP if is_y_up else IDENTITY
    return Transform(multiple(meters, R_robot_stage), ZERO)
