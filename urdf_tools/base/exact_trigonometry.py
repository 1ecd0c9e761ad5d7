"""Sine, cosine and arctangent rounded correctly: the same bits on every machine, whatever its mathematical library.

All is computed in integers that stand for multiples of 2**-bits. A result is taken when both ends of its error interval
round to the same float, else it is computed again with twice as many bits (Ziv, ACM TOMS 17, 1991). This ends: no value
except at zero lies halfway between two floats, as all values are transcendental (Lindemann).
"""

from __future__ import annotations

from functools import lru_cache
from math import atan2, copysign, frexp, isqrt
from typing import Sequence, Tuple

PI = 3.141592653589793
HALF_PI = 1.5707963267948966
FIRST_BITS = 88  # one of some 2**25 angles needs more, and so do the multiples of a right angle
MOST_OFF = 64  # units: more than twice the sum of all digits cut off below


# A robot has few different angles: only a few in ten thousand links differ, and equal angles are rarely adjacent.
@lru_cache(maxsize=65536)
def cosine_sine(angle: float) -> Tuple[float, float]:
    """Return cosine and sine of an angle [rad], each the nearest float; the sine of -0.0 is 0.0."""
    # The next term of either series is below half a unit in the last place.
    if abs(angle) < 2.0**-27:
        return 1.0, angle + 0.0
    top, bottom = angle.as_integer_ratio()
    bits = FIRST_BITS
    while True:
        cosine, sine = _point_at((top << bits) // bottom, bits)
        # Python rounds the quotient of two integers correctly.
        lowest = ((cosine - MOST_OFF) / (1 << bits), (sine - MOST_OFF) / (1 << bits))
        if lowest == ((cosine + MOST_OFF) / (1 << bits), (sine + MOST_OFF) / (1 << bits)):
            return lowest
        bits *= 2


@lru_cache(maxsize=16384)
def arctangent(y: float, x: float) -> float:
    """Return the angle of the point (x, y) [rad], the nearest float, in [-pi, pi]; zeros have no sign.

    Newton's method for the tangent of the missing angle; the library only gives the initial guess.
    """
    # The cube of y / x is negligible. A quotient below 1e-300 may have lost digits, so it takes the way below.
    if abs(y) <= 2.0**-55 * abs(x) and (abs(y) > 1e-300 * abs(x) or y == 0.0):
        return copysign(PI, y + 0.0) if x < 0.0 else (y + 0.0) / (x or 1.0)
    if abs(x) <= 2.0**-55 * abs(y):
        return copysign(HALF_PI, y)
    guess = atan2(y, x)
    a, b = y.as_integer_ratio()
    p, q = x.as_integer_ratio()
    up = a * q
    along = p * b
    top, bottom = guess.as_integer_ratio()
    # A small angle has its first digit later.
    bits = FIRST_BITS - min(0, frexp(guess)[1])
    angle = (top << bits) // bottom
    while True:
        cosine, sine = _point_at(angle, bits)
        missing = (up * cosine - along * sine << bits) // (along * cosine + up * sine)
        angle += missing
        # An angle and its tangent differ by a third of the cube.
        off = MOST_OFF + (abs(missing) ** 3 >> 2 * bits)
        lowest = (angle - off) / (1 << bits)
        if lowest == (angle + off) / (1 << bits):
            return lowest
        angle = angle << bits
        bits = 2 * bits


def _point_at(angle: int, bits: int) -> Tuple[int, int]:
    """Return cosine and sine of an angle [rad], all in units of 2**-bits; `extra` bits are for the multiples of pi."""
    extra = max(0, angle.bit_length() - bits) + 8
    quarter = _half_pi(bits + extra)
    turns = ((angle << extra + 1) + quarter) // (2 * quarter)
    rest = (angle << extra) - turns * quarter >> extra  # at most pi/4
    square = rest * rest >> bits
    sine = 0
    for term in _series(bits):
        sine = term - (square * sine >> bits)
    sine = rest * sine >> bits
    cosine = isqrt((1 << 2 * bits) - sine * sine)
    by_turns = ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))
    return by_turns[turns % 4]


@lru_cache(maxsize=None)
def _series(bits: int) -> Sequence[int]:
    """Return 1/(2k + 1)! in units of 2**-bits, the largest k first."""
    terms = [1 << bits]
    while terms[-1]:
        n = 2 * len(terms)
        terms.append(terms[-1] // (n * (n + 1)))
    return terms[-2::-1]


@lru_cache(maxsize=256)
def _half_pi(bits: int) -> int:
    """Return pi/2 in units of 2**-bits (Machin: pi/4 = 4 arctan 1/5 - arctan 1/239)."""
    total = 0
    for factor, n in ((8, 5), (-2, 239)):
        term = (factor << bits + 32) // n
        k = 1
        while abs(term) > n * n:
            sign = 1 if k % 4 == 1 else -1
            total += sign * (term // k)
            term //= n * n
            k += 2
    return total >> 32
