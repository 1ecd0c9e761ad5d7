"""Between the sRGB numbers of COLLADA, MTL and URDF and the linear ones of glTF (IEC 61966-2-1)."""


def linear_of_srgb(value: float) -> float:
    """Return the linear number of an sRGB number, 0..1."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def srgb_of_linear(value: float) -> float:
    """Return the sRGB number of a linear number, which is taken as 0..1; six digits, as many as glTF files have."""
    value = min(max(value, 0.0), 1.0)
    return round(value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1.0 / 2.4) - 0.055, 6)
