"""Numbers of two files as texts for a person: with just enough digits to tell them apart.

Every sentence with a number of A and a number of B gets both texts here.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Callable, Optional, Sequence, Tuple

from ..base.type_aliases import Texts

USUAL = 6  # digits that a person reads
MOST = 17  # digits that tell any two floats apart
# Of the larger number: adding and subtracting in a map leaves this much, which is not a difference.
NOISE = 2.0**-50
Number = Optional[float]


def shown(value: Number, digits: int = USUAL) -> str:
    """Return a number as text, `none` if it is not written."""
    # Adding 0.0 turns -0.0 into 0.0.
    return "none" if value is None else f"{value + 0.0:.{digits}g}"


def told_apart(
    a: float,
    b: float,
    digits: int = USUAL,
    text_of: Callable[[float, int], str] = shown,
) -> Tuple[str, str]:
    """Return two numbers as texts that differ if the numbers do, with `digits` digits if these are enough."""
    if abs(a - b) <= NOISE * max(abs(a), abs(b)):
        return text_of(a, digits), text_of(b, digits)
    for more in range(digits, MOST):
        first, second = text_of(a, more), text_of(b, more)
        if first != second:
            return first, second
    return text_of(a, MOST), text_of(b, MOST)


def lists_told_apart(
    first: Sequence[Number], second: Sequence[Number], digits: int = USUAL
) -> Tuple[Texts, Texts]:
    """Return the texts of two lists of numbers; each text distinguishes its number from its counterpart."""
    texts = []
    others = []
    for a, b in zip_longest(first, second):
        if a is None or b is None:
            pair = shown(a, digits), shown(b, digits)
        else:
            pair = told_apart(a, b, digits)
        texts.append(pair[0])
        others.append(pair[1])
    return tuple(texts[: len(first)]), tuple(others[: len(second)])


def values_told_apart(
    first: Sequence[float], second: Sequence[float], digits: int = USUAL
) -> Tuple[str, str]:
    """Return two values of several numbers as texts, `none` for a missing value."""
    texts, others = lists_told_apart(first, second, digits)
    return " ".join(texts) or "none", " ".join(others) or "none"


def ranges_told_apart(
    first: Tuple[Number, Number], second: Tuple[Number, Number]
) -> Tuple[str, str]:
    """Return limits of both files for a person: `[-1.57, 1.57]`, or `none`."""
    texts, others = lists_told_apart(first, second)
    return _range_text(first, texts), _range_text(second, others)


def _range_text(bounds: Tuple[Number, Number], texts: Texts) -> str:
    """Return two limits as an interval of their texts, `none` if both are missing."""
    lower, upper = texts
    return "none" if bounds == (None, None) else f"[{lower}, {upper}]"
