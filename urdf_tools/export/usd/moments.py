"""Principal axes and moments as USD has them: float32 numbers that are still physical (A + B >= C).

The proof uses the same function for them, and computes the tensor from them by another one.
"""
import struct
from functools import lru_cache
from itertools import permutations
from typing import Tuple

from ...robot.principal_axes import principal
from ...urdf.spatial import cross, Matrix, transpose, Vector
from .numbers import quaternion_of, single

Quaternion = Tuple[float, float, float, float]
ZERO_TENSOR = 1e-9  # kg m^2: what a point gets, as a tensor of zeros would mean that none is given


@lru_cache(maxsize=4096)
def principal_singles(tensor: Matrix) -> Tuple[Vector, Quaternion]:
    """Return the moments and the quaternion w, x, y, z of their axes, as float32.

    The axes are those nearest to the axes of the link, so a diagonal tensor keeps its order and is not rotated.
    """
    moments, axes = principal(tensor)
    columns = transpose(axes)
    best: Tuple[float, Tuple[int, int, int], Matrix] = (-4.0, (0, 1, 2), axes)
    for i, j, k in permutations(range(3)):
        first = columns[i] if columns[i][0] >= 0.0 else _minus(columns[i])
        second = columns[j] if columns[j][1] >= 0.0 else _minus(columns[j])
        third = cross(first, second)
        trace = first[0] + second[1] + third[2]
        if trace > best[0] + 1e-9:
            best = trace, (i, j, k), transpose((first, second, third))
    _, (i, j, k), R = best
    w, x, y, z = map(single, quaternion_of(R))
    return as_body((single(moments[i]), single(moments[j]), single(moments[k]))), (w, x, y, z)


def _minus(v: Vector) -> Vector:
    return (-v[0], -v[1], -v[2])


def as_body(moments: Vector) -> Vector:
    """Return float32 moments with A + B >= C: the two small ones go up in steps of one float32 until they are."""
    values = list(moments)
    small, middle, large = sorted(range(3), key=values.__getitem__)
    while single(values[small] + values[middle]) < values[large] or values[small] + values[middle] < values[large]:
        for index in (small, middle):
            values[index] = next_single(values[index])
    return (values[0], values[1], values[2])


def next_single(value: float) -> float:
    """Return the float32 number above a positive one."""
    bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    return float(struct.unpack("<f", struct.pack("<I", bits + 1))[0])
