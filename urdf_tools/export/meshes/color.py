"""Between the sRGB numbers of COLLADA, MTL and URDF and the linear ones of glTF (IEC 61966-2-1).

Powers are taken in decimal: what a machine's own library gives for them differs in the last digit.
"""
from decimal import Context, Decimal
from functools import lru_cache

DIGITS = Context(prec=30)
GAMMA = Decimal("2.4")


@lru_cache(maxsize=4096)
def linear_of_srgb(value: float) -> float:
    """Return the linear number of an sRGB number, 0..1."""
    return value / 12.92 if value <= 0.04045 else float(DIGITS.power(Decimal((value + 0.055) / 1.055), GAMMA))


@lru_cache(maxsize=4096)
def srgb_of_linear(value: float) -> float:
    """Return the sRGB number of a linear number, which is taken as 0..1; six digits, as many as glTF files have."""
    value = min(max(value, 0.0), 1.0)
    if value <= 0.0031308:
        return round(value * 12.92, 6)
    return round(1.055 * float(DIGITS.power(Decimal(value), DIGITS.divide(1, GAMMA))) - 0.055, 6)
