"""Powers with a fraction above, by whole numbers: what a machine's own library gives differs in the last digit."""
from math import isqrt

BITS = 96  # behind the point of a root


def fractional_power(value: float, upper: int, lower: int) -> float:
    """Return the nearest float to the `lower`-th root of the `upper`-th power of a positive number."""
    numerator, denominator = value.as_integer_ratio()
    number = (pow(numerator, upper) << BITS * lower) // pow(denominator, upper)
    while lower % 2 == 0:
        number, lower = isqrt(number), lower // 2
    return (_root(number, lower) if lower > 1 else number) / (1 << BITS)


def _root(number: int, degree: int) -> int:
    """Return the largest whole number whose power is no larger than another, by Newton's steps from above."""
    found = 1 << -(-number.bit_length() // degree)
    while True:
        nearer = ((degree - 1) * found + number // pow(found, degree - 1)) // degree
        if nearer >= found:
            return found
        found = nearer
