"""Tensors of inertia as six numbers xx, xy, xz, yy, yz, zz [kg m^2]."""
from typing import Sequence, Tuple

from ..urdf.spatial import IDENTITY, Matrix
from ..verify.rigid_motion import rotated

Tensor = Tuple[float, float, float, float, float, float]


def rotated_tensor(R_a_b: Matrix, tensor: Sequence[float]) -> Tensor:
    """Return a tensor of the axes of b in those of a: R I R^T."""
    xx, xy, xz, yy, yz, zz = tensor
    if R_a_b is IDENTITY:
        return (xx, xy, xz, yy, yz, zz)
    a, b, c = R_a_b
    p, q, r = (rotated(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), row) for row in R_a_b)
    pairs = ((a, p), (a, q), (a, r), (b, q), (b, r), (c, r))
    xx, xy, xz, yy, yz, zz = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2] for u, v in pairs)
    return (xx, xy, xz, yy, yz, zz)
