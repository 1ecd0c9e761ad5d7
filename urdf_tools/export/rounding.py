"""Computed numbers of exports without what is only rounding error."""
from ..base.number_text import Numbers, without_noise
from ..urdf.spatial import largest_entry, Matrix

LENGTH_NOISE, RATIO_NOISE = 1e-13, 1e-12  # [m]; of what is about 1


def clean_lengths(values: Numbers) -> Numbers:
    """Return lengths [m] on a grid of 1e-14."""
    return without_noise(values, LENGTH_NOISE)


def clean_direction(values: Numbers) -> Numbers:
    """Return the parts of a unit vector or quaternion on a grid of 1e-13."""
    return without_noise(values, RATIO_NOISE)


def clean_tensor(tensor: Matrix) -> Matrix:
    """Return a tensor on a grid that fits its largest entry."""
    noise = RATIO_NOISE * largest_entry(tensor)
    if not noise:
        return tensor
    return (without_noise(tensor[0], noise), without_noise(tensor[1], noise), without_noise(tensor[2], noise))
