"""Numbers with units, as people write them in the values of edits: `90deg`, `10mm`, `180deg/s`, `500g`."""

from __future__ import annotations

import math
import re
from typing import Dict, Mapping, Tuple

from ..base.errors import did_you_mean
from ..base.number_text import NUMBER, read_numbers

# What one of a unit is in the unit of URDF.
LENGTH: Mapping[str, float] = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
ANGLE: Mapping[str, float] = {"rad": 1.0, "deg": math.pi / 180.0}
MASS: Mapping[str, float] = {"kg": 1.0, "g": 1e-3}
QUANTITY = re.compile(rf"({NUMBER})([A-Za-z°][A-Za-z°/^0-9]*)")


def read_quantities(text: str, count: int, units: Mapping[str, float]) -> Tuple[float, ...]:
    """Return exactly `count` numbers, each with one of the units, or without: then it is in the unit of URDF.

    Raises:
        ValueError: one sentence about the mistake.
    """
    factors = []
    plain = []
    for token in re.findall(r"[^\s,]+|[\s,]+", text):
        match = QUANTITY.fullmatch(token)
        if match is None:
            plain.append(token)
            if token.strip(", \t\n"):
                factors.append(1.0)
            continue
        number, unit = match.groups()
        if unit not in units:
            cure = f"give {', '.join(units)}" if units else "give a number without unit"
            raise ValueError(
                f"'{token}' has the unit '{unit}'{did_you_mean(unit, tuple(units))}: {cure}"
            )
        plain.append(number)
        factors.append(units[unit])
    numbers = read_numbers("".join(plain), count)
    return tuple(_in_unit(number, factor) for number, factor in zip(numbers, factors))


def per(units: Mapping[str, float], time: str) -> Dict[str, float]:
    """Return the units of a rate, such as deg/s."""
    return {f"{unit}{time}": factor for unit, factor in units.items()}


def _in_unit(number: float, factor: float) -> float:
    """Return a number times a factor; a thousandth gives the decimal that a person would write."""
    # 3 * 1e-3 is 0.003, but 35 * 1e-3 is 0.035 only when it is divided.
    parts = round(1.0 / factor)
    return number / parts if parts and factor == 1.0 / parts else number * factor
