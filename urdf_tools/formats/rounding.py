"""Helpers of all writers: computed numbers without rounding error, and distinct names."""
from typing import Iterable, Set

from ..base.number_text import Numbers, without_noise
from ..urdf.spatial import largest_entry, Matrix


def unique(name: str, used: Iterable[str]) -> str:
    """Return the name, or the first of `name_2`, `name_3`, ... that is not in use."""
    number, candidate = 1, name
    while candidate in used:
        number += 1
        candidate = f"{name}_{number}"
    return candidate



def unused(name: str, used: Set[str]) -> str:
    """Return `unique(name, used)`, and add it to `used`."""
    name = unique(name, used)
    used.add(name)
    return name


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
