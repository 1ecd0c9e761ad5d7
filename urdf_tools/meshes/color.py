"""Convert the sRGB colors of COLLADA, MTL and URDF to the linear ones of glTF and USD, and back (IEC 61966-2-1).

Powers with a fractional exponent are computed in integers: the last digit of `math.pow` differs between machines.
"""
from functools import lru_cache
from math import isqrt

BITS = 96  # binary places of a root


@lru_cache(maxsize=4096)
def linear_of_srgb(value: float) -> float:
    """Return the linear number of an sRGB number, 0..1."""
    return value / 12.92 if value <= 0.04045 else fractional_power((value + 0.055) / 1.055, 12, 5)


@lru_cache(maxsize=4096)
def srgb_of_linear(value: float) -> float:
    """Return the sRGB number of a linear number, which is clamped to 0..1."""
    value = min(max(value, 0.0), 1.0)
    if value <= 0.0031308:
        return value * 12.92
    return 1.055 * fractional_power(value, 5, 12) - 0.055


def fractional_power(value: float, upper: int, lower: int) -> float:
    """Return the nearest float to the `lower`-th root of the `upper`-th power of a positive number."""
    numerator, denominator = value.as_integer_ratio()
    number = (pow(numerator, upper) << BITS * lower) // pow(denominator, upper)
    while lower % 2 == 0:
        number, lower = isqrt(number), lower // 2
    return (_root(number, lower) if lower > 1 else number) / (1 << BITS)


def _root(number: int, degree: int) -> int:
    """Return the integer part of a root of `number`, by Newton's method from above."""
    root = 1 << -(-number.bit_length() // degree)
    while True:
        nearer = ((degree - 1) * root + number // pow(root, degree - 1)) // degree
        if nearer >= root:
            return root
        root = nearer
