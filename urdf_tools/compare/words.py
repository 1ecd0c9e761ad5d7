"""Every kind of difference: its label, its class for the verdict, and its sentence.

The sentences are in words.md, and what their templates mean.
"""

from decimal import Context, Decimal, ROUND_DOWN, ROUND_HALF_EVEN, ROUND_UP
from math import degrees
from typing import Mapping, Sequence, Tuple

from ..base.record import Record
from ..texts.pages import rows_of_page, sections_of_page
from .differences import Difference

STRUCTURE, GEOMETRY, BASE, MASSES, OTHER, NAMES = (
    "structure",
    "geometry",
    "base",
    "masses",
    "limits",
    "names",
)
CLASSES = (STRUCTURE, GEOMETRY, BASE, MASSES, OTHER, NAMES)  # the worst first
NOTED = "noted"  # a class that leaves the verdict as it is
UNPROVEN = "unproven"  # what may be the same or not
DECIDED = "decided"  # by the run that made B from A, as its report lists: no difference


class Row(Record):
    """A kind: the label of its line, its class, its sentence, and its verb in a sentence about several."""

    label: str
    of: str
    sentence: str
    plural: str = ""


KINDS: Mapping[str, Row] = {
    kind: Row(*cells) for kind, *cells in rows_of_page(__file__, "words.md")
}
SECTIONS = sections_of_page(__file__, "words.md")
VERDICTS, WHY, SEVERAL, ADAPTER = (
    SECTIONS[name] for name in ("verdicts", "not compared", "several", "adapter")
)
EXACTLY, TO = "exactly, for all positions", "for all positions, to {position} and {angle}"
MOVES = "exactly the same motion"  # where other numbers are rounded
BUT_FOR = "Same robot, but for {unproven} that could not be compared{how}"
NOT_COMPARED = "{0}: not compared: {1}"
UNREAD_IGNORED = "{0}, line {1}: <origin> of a <link> is ignored by all readers{2}"
UNREAD_DIFFERS = "not compared, and not alike: {0}{1}: {2} (line {3}) / {4} (line {5})"
UNREAD_MORE = "not compared, and not alike: {0} more"
BUT_DECIDED = ", but for what the run decided"


def why_text(why: str, names: Tuple[str, ...]) -> str:
    """Return why surfaces could not be compared."""
    return WHY[why].format(*names)


def text_of(difference: Difference) -> str:
    """Return the sentence of a difference."""
    numbers = {f"n{k}": _Measure(value) for k, value in enumerate(difference.numbers)}
    return KINDS[difference.kind].sentence.format(*difference.names, **numbers)


# A bound that holds for all points is rounded up, one that a point proves is rounded down.
ROUNDINGS = {"+": ROUND_UP, "-": ROUND_DOWN}
NOISE = 12  # digits: what is beyond them is the rounding of float64, no part of a bound


class _Measure(float):
    """A number of a sentence."""

    def __format__(self, form: str) -> str:
        value = float(self)
        unit, rounding = form.rstrip("+-"), ROUNDINGS.get(form[-1:], ROUND_HALF_EVEN)
        if unit == "m":
            return length_text(value, rounding)
        if unit == "rad":
            return angle_text(value, rounding)
        if form == "%":
            return part_text(value)
        if form == "kg":
            return f"{value:.4g} kg"
        if form == "with":
            return f", with {value:.0f} after it" if value else ""
        if "|" in form:
            singular, plural = form.split("|")
            return f"{value:.0f} {singular if value == 1.0 else plural}"
        return f"{value:{form}}"


def size_text(size: float, unit: str, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return the size of a difference in its unit, without a unit as a percentage."""
    if unit in ("m", "rad"):
        return length_text(size, rounding) if unit == "m" else angle_text(size, rounding)
    return f"{_shortened(size, 2, rounding)} {unit}" if unit else part_text(size)


def part_text(part: float) -> str:
    """Return a part as percents."""
    return (
        "more than 100 %"
        if part > 1.0
        else f"{100.0 * part:.0f} %"
        if part > 0.0995
        else f"{100.0 * part:.2g} %"
    )


def length_text(meters: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a length in the unit that a person would use; `rounding` is one of `decimal`."""
    size = abs(meters)
    for unit, factor in (("m", 1.0), ("mm", 1e3), ("um", 1e6), ("nm", 1e9)):
        if size * factor >= 0.9995 and (unit != "m" or size >= 0.9995):
            return f"{_shortened(meters * factor, 3, rounding)} {unit}"
    return "0 m" if size < 1e-12 else f"{_shortened(meters, 1, rounding)} m"


def angle_text(radians: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return an angle in degrees, a small angle in fractions of a radian."""
    size = abs(radians)
    if size >= 0.01:
        return f"{_shortened(degrees(radians), 4, rounding)} degrees"
    for unit, factor in (("mrad", 1e3), ("urad", 1e6), ("nrad", 1e9)):
        if size * factor >= 0.9995:
            return f"{_shortened(radians * factor, 3, rounding)} {unit}"
    return "0 rad" if size < 1e-12 else f"{_shortened(radians, 1, rounding)} rad"


def _shortened(value: float, digits: int, rounding: str) -> str:
    short = Context(prec=digits, rounding=rounding).plus(Decimal(f"{value:.{NOISE}g}"))
    return f"{float(short):.{digits}g}"


def worst_class(differences: Sequence[Difference]) -> str:
    """Return the worst class of some differences, "" of none."""
    classes = {KINDS[difference.kind].of for difference in differences}
    return next((name for name in CLASSES if name in classes), "")
