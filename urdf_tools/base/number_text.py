"""Numbers as text: read strictly, written in one short way; and counts with their nouns."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import (
    cast,
    Container,
    Dict,
    Iterable,
    List,
    Optional,
    Sequence,
    Tuple,
    TYPE_CHECKING,
    TypeVar,
)

if TYPE_CHECKING:
    from fractions import Fraction

NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
PLAIN_NUMBERS = re.compile(rf"\s*(?:{NUMBER}(?:\s+|$))*")
THOUSANDS = r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+"
Numbers = TypeVar("Numbers", bound=Tuple[float, ...])
Key = TypeVar("Key")
Item = TypeVar("Item")
# No length, mass or angle of a robot lies beyond it, and products of four stay finite.
LARGEST = 1e30


@lru_cache(maxsize=4096)  # zeros, colors and right angles are written again and again
def read_numbers(text: str, count: int, largest: float = LARGEST) -> Tuple[float, ...]:
    """Read exactly `count` finite numbers, none beyond `largest`, separated by white space.

    Commas are not part of URDF, but people and scripts write "0, 0, 1": they count as separators if that yields `count`
    numbers and no comma can separate thousands. A decimal comma ("0,5 0 1") is refused.

    Raises:
        ValueError: one sentence about the mistake.
    """
    tokens = text.split()
    # One regular expression for the whole text: nearly all numbers are plain, and this is read very often.
    if len(tokens) == count and PLAIN_NUMBERS.fullmatch(text):
        return _finite(tokens, largest)
    if "," in text:
        words = [word.strip() for word in text.split(",")]
        # Commas and blanks may both separate.
        if len(words) != count:
            words = text.replace(",", " ").split()
        sound = len(words) == count and all(re.fullmatch(NUMBER, word) for word in words)
        if not sound or any(re.fullmatch(THOUSANDS, token) for token in tokens):
            raise ValueError(f"'{text}' has commas and no single meaning as {count_of(count)}")
        return _finite(words, largest)
    for token in tokens:
        if not re.fullmatch(NUMBER, token):
            shown = text if count == 1 else token
            raise ValueError(f"'{shown}' is not a finite number")
    raise ValueError(f"'{text}' has {count_of(len(tokens))}, expected {count}")


def numbers_in(text: str, count: int, largest: float = LARGEST) -> Optional[Tuple[float, ...]]:
    """Return the numbers of a text that `read_numbers` can read, else None."""
    try:
        return read_numbers(text, count, largest)
    except ValueError:
        return None


def read_factor(text: str) -> "Fraction":
    """Return the exact factor of a text: a number, or a fraction such as `2/3` or `1/1.5`.

    Raises:
        ValueError: it is neither, or the fraction is by 0.
    """
    from fractions import Fraction  # imported here: only a scale needs it

    above, slash, below = text.partition("/")
    divisor = Fraction(below) if slash else Fraction(1)
    if not divisor:
        raise ValueError("a fraction by 0")
    return Fraction(above) / divisor


def _finite(tokens: Sequence[str], largest: float) -> Tuple[float, ...]:
    """Return the numbers of tokens; a number beyond the largest is refused."""
    values = tuple(map(float, tokens))
    if values and max(map(abs, values)) > largest:
        token = next(token for token in tokens if abs(float(token)) > largest)
        raise ValueError(f"'{token}' is too large a number")
    return values


def count_of(count: int, noun: str = "number", plural: str = "") -> str:
    """Return "1 number", "3 numbers", "2 bodies"."""
    if count == 1:
        return f"{count} {noun}"
    return f"{count} {plural or noun + 's'}"


def grouped(pairs: Iterable[Tuple[Key, Item]]) -> Dict[Key, List[Item]]:
    """Return the values of each key, keys and values in their order of appearance."""
    groups: Dict[Key, List[Item]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def unique(name: str, used: Container[Optional[str]]) -> str:
    """Return the name, or the first of `name_2`, `name_3`, ... that is not in use."""
    number = 1
    candidate = name
    while candidate in used:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def shown_names(names: Iterable[str], most: int = 4) -> str:
    """Return the first names, and the number of the others: "a, b, c, d and 2 more"."""
    known = list(names)
    shown = ", ".join(known[:most])
    return f"{shown} and {len(known) - most} more" if len(known) > most else shown


@lru_cache(maxsize=4096)
def format_number(value: float) -> str:
    """Return a short text that keeps the value to 1e-12 of itself: 12 or 13 significant digits do; `-0` is `0`.

    A number that was written is written the same way again.
    """
    if value != int(value) or abs(value) >= 1e15:
        text = f"{value:.13g}"
        written = float(text)
        # The shorter text is tried on the written value, so that the choice is the same the next time.
        shorter = f"{written:.12g}"
        chosen = shorter if abs(float(shorter) - written) <= 5e-13 * abs(written) else text
        value = float(chosen)
        if value != int(value) or abs(value) >= 1e15:
            return chosen
    return str(int(value))


def format_numbers(values: Iterable[float]) -> str:
    """Return the numbers separated by single blanks."""
    return " ".join(map(format_number, values))


def without_noise(values: Numbers, floor: float) -> Numbers:
    """Replace components below `floor` by 0, and round the others to the power of ten at or below a tenth of it.

    So 6.1e-17 is written as 0, and 1.00000000000007e-05 as 1e-05.
    """
    decimals = _decimals_below(floor)
    return cast(
        Numbers, tuple([0.0 if abs(value) < floor else round(value, decimals) for value in values])
    )


@lru_cache(maxsize=256)
def _decimals_below(floor: float) -> int:
    """Return how many decimals show a number one digit finer than the floor."""
    return 1 - int(f"{floor:.12e}".partition("e")[2])


def as_written(values: Numbers) -> Numbers:
    """Return the values as the written text has them."""
    return cast(Numbers, tuple([float(format_number(value)) for value in values]))


def same_numbers(old: Sequence[float], new: Sequence[float], floor: float = 1e-15) -> bool:
    """Return True if no number differs by more than writing may change: 1e-12 of the largest, or `floor`."""
    # Twelve digits are written at least; a vector turns, so that its small components follow the largest.
    allowed = max(floor, 1e-12 * max(map(abs, old), default=0.0))
    return len(old) == len(new) and all(abs(a - b) <= allowed for a, b in zip(old, new))


def negated_text(text: str) -> str:
    """Return the text of the number with its sign turned, digit for digit."""
    text = text.strip()
    if float(text) == 0.0:
        return text.lstrip("+-")
    return text[1:] if text.startswith("-") else "-" + text.lstrip("+")


def mapped_text(text: str, sign: int, *added: Sequence[str]) -> str:
    """Return the text of a number plus products of numbers, all given as text, times a sign.

    All digits are exact: adding a product and subtracting it again restores the number. A number so large that it means
    "no limit" is kept.
    """
    if added and abs(float(text)) < LARGEST:
        from decimal import Context, Decimal  # imported here: only a moved zero needs it

        exact = Context(prec=60)
        total = Decimal(text.strip())
        for factors in added:
            product = Decimal(1)
            for factor in factors:
                product = exact.multiply(product, Decimal(factor))
            total = exact.add(total, product)
        total = exact.normalize(total) if total else Decimal(0)
        text = f"{total:f}" if -7 < total.adjusted() < 15 else str(total).lower()
    return negated_text(text) if sign < 0 else text


def short(values: Iterable[float], digits: int = 6) -> str:
    """Return numbers for a person to read: with `digits` significant digits, and 0 for values below 1e-9."""
    # Smaller values are the rounding of sums, which nobody wrote.
    shown = [0.0 if abs(value) < 1e-9 else value for value in values]
    return " ".join([f"{value:.{digits}g}" for value in shown])
