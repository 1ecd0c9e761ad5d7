"""Powers with a fractional exponent in integers: the last digit of `math.pow` differs between machines."""
from math import isqrt

BITS = 96  # binary places of a root


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
