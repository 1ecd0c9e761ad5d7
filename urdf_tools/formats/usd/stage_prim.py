"""A prim of a stage: what all layers say of it together. Its numbers are read whatever their precision is."""

from __future__ import annotations

import re
from array import array
from math import isfinite, isnan
from typing import List, Optional, Sequence, Tuple

from .layers import TRUTHS
from .read_prims import BARE, Prim, Property, Value, WIDTHS

SINGLES = re.compile(r"float[234]?\Z|\w+[234]f\Z|quatf\Z")  # types of float32


class StagePrim(Prim):
    """A prim of a stage.

    Attributes:
        is_proxy: True in an instance.
    """

    __slots__ = ("is_proxy",)

    def __init__(
        self, specifier: str, type: str, path: str, first: Prim, *, is_proxy: bool
    ) -> None:
        super().__init__(specifier, type, path.rpartition("/")[2], path, first.file, first.line)
        self.is_proxy = is_proxy

    def get(self, type: str, name: str) -> Optional[Property]:
        """Return a property that has a value, None without it; precision and role of its type do not matter."""
        entry = self.properties.get(name)
        if entry is None:
            return None
        self.read.add(name)
        return entry if entry.value is not None else None

    def loose(self, type: str, name: str) -> Optional[Tuple[float, ...]]:
        """Return the numbers of a property of one value, which may be infinite; None without it.

        Raises:
            BrokenRobot: they are not as many numbers as the type has.
        """
        entry = self.get(type, name)
        if entry is None:
            return None
        values = tuple(self._flat(entry))
        if len(values) != WIDTHS[type.rpartition(" ")[2]] or any(map(isnan, values)):
            self.refuse(f"'{name}' is not one {type}", entry.line)
        return values

    def numbers(self, type: str, name: str) -> Optional[Tuple[float, ...]]:
        """Return the numbers of a property of one value, None without it.

        Raises:
            BrokenRobot: they are not as many finite numbers as the type has.
        """
        values = self.loose(type, name)
        if values is not None and not all(map(isfinite, values)):
            self.refuse(f"'{name}' is not finite", self.properties[name].line)
        return values

    def many(self, type: str, name: str) -> Optional[Sequence[float]]:
        """Return the numbers of an array, one tuple after the other; None without it.

        Raises:
            BrokenRobot: they are no whole tuples of finite numbers.
        """
        entry = self.get(type, name)
        if entry is None:
            return None
        values = self._flat(entry)
        if len(values) % WIDTHS[type] or not all(map(isfinite, values)):
            self.refuse(f"'{name}' is not an array of {type}", entry.line)
        return values

    def flag(self, name: str, default: bool) -> bool:
        """Return a truth, the default without it."""
        value = self.number("bool", name)
        return default if value is None else value != 0.0

    def word(self, type: str, name: str) -> Optional[str]:
        """Return the text of a token, a string or an asset, None without it."""
        entry = self.get(type, name)
        if entry is None or entry.value is None:
            return None
        if entry.value.kind not in ("string", "asset"):
            self.refuse(f"'{name}' is no text", entry.line)
        return entry.value.text

    def words(self, name: str) -> Tuple[str, ...]:
        """Return the texts of an array, () without it."""
        entry = self.get("token", name)
        if entry is None or entry.value is None:
            return ()
        if entry.value.kind == "numbers":  # an empty one
            return ()
        if entry.value.kind != "list":
            self.refuse(f"'{name}' is no list of words", entry.line)
        return tuple([part.text for part in entry.value.parts])

    def _flat(self, entry: Property) -> Sequence[float]:
        assert entry.value is not None
        try:
            numbers = _numbers_of(entry.value)
            kind = entry.type.rpartition(" ")[2].partition("[")[0]
            return array("f", numbers) if SINGLES.match(kind) else numbers
        except (ValueError, OverflowError):
            self.refuse(f"'{entry.name}' holds what is no number", entry.line)


def _numbers_of(value: Value) -> Sequence[float]:
    """Return all numbers of a value, one after the other.

    Raises:
        ValueError: there is something else in it.
    """
    if value.numbers is not None:
        return value.numbers()
    if value.kind == "numbers":
        return array("d", map(float, value.text.translate(BARE).split()))
    if value.kind == "word" and value.text in TRUTHS:
        return (float(TRUTHS[value.text]),)
    if value.kind != "list":
        raise ValueError
    numbers: List[float] = []
    for part in value.parts:
        numbers += _numbers_of(part)
    return numbers
