"""Numbers as USD has them: the nearest float32, or doubles, in the shortest text that is read as that number again.

USD reads a text as a double and rounds that to float32, so that is how a text is tried here. Principal axes and moments
are float32 numbers that are still physical (A + B >= C); the proof uses the same function for them, and computes the
tensor from them by another one.
"""
import math
import struct
from array import array
from functools import lru_cache
from itertools import compress, permutations
from operator import ne
from typing import Final, Iterable, List, Sequence, Tuple

from ...base.errors import BrokenRobot
from ...robot.principal_axes import principal
from ...urdf.spatial import cross, IDENTITY, Matrix, quaternion_from_matrix, transpose, Vector
from ..rounding import clean_direction, clean_lengths

FLOAT: Final = "f"  # of an array
DEGREES = 180.0 / math.pi  # in a radian
LEAST_DIGITS, MOST_DIGITS = 6, 9  # nine digits tell all float32 numbers apart
PRECISIONS = tuple(f".{digits}g" for digits in range(LEAST_DIGITS, MOST_DIGITS + 1))
LARGEST_SINGLE = 3.4028234663852886e38  # FLT_MAX
DRIVES = {True: "angular", False: "linear"}  # what USD calls the only motion of a joint: does it turn?
Quaternion = Tuple[float, float, float, float]
ZERO_TENSOR = 1e-9  # kg m^2: what a point gets, as a tensor of zeros would mean that none is given


@lru_cache(maxsize=16384)
def single(value: float) -> float:
    """Return the nearest float32; zeros have no sign.

    Raises:
        BrokenRobot: there is none.
    """
    if abs(value) > LARGEST_SINGLE:
        raise BrokenRobot(f"{value:g} is too large a number for USD, whose largest is 3.4e38")
    return float(array(FLOAT, (value + 0.0,))[0])


@lru_cache(maxsize=16384)
def single_text(value: float) -> str:
    """Return the shortest text, of six to nine digits, that is read as the nearest float32."""
    exact = single(value)
    return next(text for text in map(exact.__format__, PRECISIONS) if array(FLOAT, (float(text),))[0] == exact)


def single_texts(values: "array[float]") -> List[str]:
    """Return the shortest text of each float32 number."""
    texts = list(map(f"%.{LEAST_DIGITS}g".__mod__, values))
    for digits in range(LEAST_DIGITS + 1, MOST_DIGITS + 1):
        wrong = list(compress(range(len(texts)), map(ne, array(FLOAT, map(float, texts)), values)))
        longer = map(f"%.{digits}g".__mod__, map(values.__getitem__, wrong))
        for index, text in zip(wrong, longer):
            texts[index] = text
    return texts


def singles_text(values: Iterable[float]) -> str:
    """Return a tuple of float32 numbers as USD writes it."""
    return f"({', '.join(map(single_text, values))})"


def double_text(value: float) -> str:
    """Return the shortest text of a double."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def doubles_text(values: Iterable[float]) -> str:
    """Return a tuple of doubles as USD writes it."""
    return f"({', '.join(map(double_text, values))})"


def quaternion_of(R: Matrix) -> Tuple[float, float, float, float]:
    """Return the quaternion w, x, y, z of a rotation, in the order of USD's text, without rounding errors."""
    if R == IDENTITY:
        return (1.0, 0.0, 0.0, 0.0)
    x, y, z, w = clean_direction(quaternion_from_matrix(R))
    return (w, x, y, z)


def place_of(translation: Vector) -> Vector:
    """Return a position without rounding errors."""
    return clean_lengths(translation)


def angular(value: float, *, turns: bool) -> float:
    """Return a position or speed of a joint as USD counts it: in degrees where it turns."""
    return value * DEGREES if turns else value


def per_angle(value: float, *, turns: bool) -> float:
    """Return an effort per unit of position or speed as USD counts it: per degree where a joint turns."""
    return value / DEGREES if turns else value


def extent_of(points: Sequence[float]) -> Tuple[Vector, Vector]:
    """Return the lowest and the highest corner of points given as x, y, z, x, ..."""
    columns = [points[axis::3] for axis in range(3)]
    (a, b, c), (d, e, f) = map(min, columns), map(max, columns)
    return (a, b, c), (d, e, f)


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
