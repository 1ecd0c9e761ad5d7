"""What all writers share: computed numbers without rounding error, and names that nothing else has yet."""
from typing import Iterable, Set

from ..base.number_text import Numbers, without_noise
from ..urdf.spatial import largest_entry, Matrix


def unique(name: str, taken: Iterable[str]) -> str:
    """Return the name, or the first of `name_2`, `name_3`, ... that is not taken."""
    place, found = 1, name
    while found in taken:
        place += 1
        found = f"{name}_{place}"
    return found



def unused(name: str, taken: Set[str]) -> str:
    """Return a name that is not taken, and take it."""
    found = unique(name, taken)
    taken.add(found)
    return found


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
