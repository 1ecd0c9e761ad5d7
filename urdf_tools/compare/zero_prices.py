"""The price of a zero: what makes one zero of a joint likelier than another, beside the fit of its bodies.

Prices decide between candidates that fit alike: a fact that differs costs 0.5 or more (`fit.gap`), and no price but
TURNED_PRICE is as much. Their order counts, not their sizes.
"""

from __future__ import annotations

from ..robot.rigid_bodies import TURNS
from ..robot.joint_motion import is_line
from .joint_differences import have_no_ends, range_gap, range_in_a, range_of
from .joint_lines import ANGLE
from .robot_map import JointPair
from .zero_candidates import ROUND_STROKE, STEP, wrapped

DRAWN_PRICE = 0.01  # equal drawn poses, at different positions
ROUND_PRICE = 0.02  # a multiple of 15 degrees or 1 cm
OTHER_PRICE = 0.04  # any other zero
LIMITS_PRICE = 0.15  # a zero with which the limits of both files do not agree
# The price of a zero, or a base, that contradicts frames of equal names. It exceeds one fact, so that two must agree.
TURNED_PRICE = 1.0
# rad or m: zeros nearer to each other are equal, except for the digits of a format.
SAME_ZERO = 1e-6


def price_of_zero(pair: JointPair, shown: float, precision: float) -> float:
    """Return the price of the zero of a pair: round zeros are likelier, and limits and frames move with it.

    Args:
        shown: the largest zero [rad or m] that the frames of the joints allow (`candidates.Junction`).
        precision: the relative rounding of numbers by the format with fewer digits.
    """
    if not is_line(pair.b.motion):
        return 0.0
    offset = pair.offset
    step = STEP if pair.b.motion == TURNS else ROUND_STROKE
    # Equal positions are likeliest, then equal drawn poses, then a round offset of 15 degrees or 1 cm.
    if abs(offset) < SAME_ZERO:
        price = 0.0
    elif abs(pair.choice.zero) < SAME_ZERO:
        price = DRAWN_PRICE
    elif abs(offset / step - round(offset / step)) * step < SAME_ZERO:
        price = ROUND_PRICE
    else:
        price = OTHER_PRICE
    if is_beyond(pair.choice.zero, pair, shown):
        return price + TURNED_PRICE
    # If the frames are in one place, limits are compared and give no evidence.
    if shown <= SAME_ZERO:
        return price
    # Otherwise limits that move with the zero are evidence for it.
    if limits_apart(pair, precision) > ANGLE:
        price += LIMITS_PRICE
    return price


def limits_apart(pair: JointPair, precision: float) -> float:
    """Return the difference of the limits of two joints under their choice [rad or m]; 0 if neither writes an end.

    `precision` is the relative rounding of numbers by the format with fewer digits.
    """
    if have_no_ends(pair.a.raw, pair.b.raw):
        return 0.0
    mapped = range_in_a(pair, range_of(pair.b.raw))
    return range_gap(range_of(pair.a.raw), mapped, precision)


def is_beyond(zero: float, pair: JointPair, shown: float) -> bool:
    """Return True if a zero is larger than the largest zero [rad or m] that the frames of the joints allow, `shown`."""
    is_open = shown > SAME_ZERO and pair.b.motion == TURNS
    # Frames that are turned do not show whole turns; frames in one place show that there are none.
    size = abs(wrapped(zero) if is_open else zero)
    # 5 %: the frames and the zero may both be typed with few digits.
    return size > 1.05 * shown + SAME_ZERO
