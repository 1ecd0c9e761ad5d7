"""Convert the sRGB colors of COLLADA, MTL and URDF to the linear ones of glTF and USD, and back (IEC 61966-2-1)."""
from functools import lru_cache

from .fractional_power import fractional_power


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
