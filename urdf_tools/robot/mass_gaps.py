"""How far two masses and their tensors differ."""

from __future__ import annotations

from itertools import chain
from math import hypot
from typing import List

from ..base.record_type import Record
from ..urdf.spatial_math import cross, dot, Matrix, multiply, norm, scale, subtract, transpose
from .rigid_bodies import BodyMass
from .principal_axes import principal

FLOOR = 1e-8  # [m^2] times the mass: a smaller tensor is rounding
SLENDER = 1e-6  # of the norm of a tensor: the rounding of a turn, 1e-16 of it, stays below 1e-9 of a smaller moment
TINY = 1e-300  # [kg m^2] prevents a division by zero
LAST_DIGITS = 1e-10  # of a moment: smaller than every tolerance in comparisons of tensors


class MassGaps(Record):
    """The differences of two masses.

    Attributes:
        mass: relative to the larger mass.
        center: the distance of the centers [m], 0 if either body has no mass.
        tensor: of the moments about an axis of any direction, relative to the larger moment (`direction_gap`).
    """

    mass: float
    center: float
    tensor: float


def mass_gaps(a: BodyMass, b: BodyMass) -> MassGaps:
    """Return the differences of two masses that are in one frame."""
    heavier = max(a.mass, b.mass)
    # A body without mass does not have a center.
    center = norm(subtract(a.center, b.center)) if min(a.mass, b.mass) > 0.0 else 0.0
    return MassGaps(
        mass=abs(a.mass - b.mass) / (heavier or 1.0),
        center=center,
        tensor=direction_gap(a.tensor, b.tensor, FLOOR * heavier),
    )


def direction_gap(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest difference of the moments about an axis of any direction, relative to the larger of both.

    If it is LAST_DIGITS or less, an upper bound is returned. A moment below `floor` [kg m^2] counts as this much.

    The extremes are generalized eigenvalues of (A - B, A) and of (B - A, B): Golub, Van Loan, Matrix Computations, 8.7.
    """
    if a == b:
        return 0.0
    size = max(hypot(*X[0], *X[1], *X[2]) for X in (a, b))
    floor = max(floor, TINY, SLENDER * size)
    # Most pairs differ only in their last digits, which a bound shows without eigenvalues: no difference is above
    # |A - B|, and no moment of A is below 2 |det A| / |A|^2, because the product of the other two is at most |A|^2 / 2.
    # If the bound is this small, the moments of B are the same.
    difference = hypot(*_entry_differences(a, b))
    least = 2.0 * abs(dot(a[0], cross(a[1], a[2]))) / max(size * size, TINY)
    bound = difference / (least + floor)
    return bound if bound <= LAST_DIGITS else max(_excess(a, b, floor), _excess(b, a, floor))


def _entry_differences(a: Matrix, b: Matrix) -> List[float]:
    """Return the differences of the nine entries of two matrices."""
    return [p - q for p, q in zip(chain.from_iterable(a), chain.from_iterable(b))]


def _excess(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest fraction of a moment of `a` that `b` lacks; the floor is added to each moment of `a`."""
    moments, axes = principal(a)
    # With X = axes scaled by moment^-1/2, X^T A X is 1, so X^T (A - B) X has the generalized eigenvalues.
    # `principal` has the axes as columns; transposed, each row is an axis.
    x, y, z = (
        scale((abs(moment) + floor) ** -0.5, axis) for moment, axis in zip(moments, transpose(axes))
    )
    difference = (subtract(a[0], b[0]), subtract(a[1], b[1]), subtract(a[2], b[2]))
    scaled_difference = multiply(multiply((x, y, z), difference), transpose((x, y, z)))
    # The moments are ascending, so the last one is the largest; a negative one means that B has more.
    eigenvalues, _ = principal(scaled_difference)
    return max(0.0, eigenvalues[2])


def tensor_gap(a: Matrix, b: Matrix, floor: float) -> float:
    """Return the largest difference of entries, relative to the largest entry, or to `floor` if all are smaller.

    It depends on the axes of the frame, and is faster than `direction_gap`: for costs, not for differences.
    """
    largest = max(max(map(abs, row)) for row in (*a, *b))
    apart = max(map(abs, _entry_differences(a, b)))
    return apart / max(largest, floor) if apart else 0.0
