"""Values of a crate file, each from the eight bytes of a field (OpenUSD, pxr/usd/sdf/crateDataTypes.h).

They become the values that the text has, so that the same composition reads both; arrays of numbers are decoded when
they are needed.
"""

from __future__ import annotations

import struct
from array import array
from functools import partial
from typing import Callable, Dict, Iterator, List, Sequence, Tuple

from .crate_bytes import CrateError, integers, items, CrateBytes
from .prim_tree import WrittenValue

DEEPEST = 64  # dictionaries in each other
# Flags and parts of the eight bytes.
ARRAY = 1 << 63
INLINED = 1 << 62
PACKED = 1 << 61
EDIT = 1 << 60
PAYLOAD = (1 << 48) - 1
INDEX = (1 << 32) - 1  # the part of a payload that a number of a text, or an inlined value, has
SMALLEST_PACKED = 16  # shorter arrays are never packed
NO_PATH = 0xFFFFFFFF
# Types of numbers: the letter of struct, their number, and the letters of the four bytes that may stand for them.
NUMBER_TYPES = """
1 ? 1 ?xxx, 2 B 1 Bxxx, 3 i 1 i, 4 I 1 I, 5 q 1 i, 6 Q 1 I, 7 e 1 exx, 8 f 1 f, 9 d 1 f, 13 d 4, 14 d 9, 15 d 16,
16 d 4, 17 f 4, 18 e 4, 19 d 2, 20 f 2, 21 e 2 2e, 22 i 2, 23 d 3, 24 f 3, 25 e 3, 26 i 3, 27 d 4, 28 f 4, 29 e 4,
30 i 4, 56 d 1
"""
NUMBERS: Dict[int, Tuple[str, int, str]] = {}
for _row in NUMBER_TYPES.split(","):
    _kind, _letter, _count, *_inline = _row.split()
    NUMBERS[int(_kind)] = (_letter, int(_count), "".join(_inline))
BOOL = 1
STRING = 10
TOKEN = 11
ASSET = 12
DICTIONARY = 31
TEXTS = (STRING, TOKEN, ASSET)
MATRICES = {13: 2, 14: 3, 15: 4}
QUATERNIONS = (16, 17, 18)
# Letters of arrays that may be packed.
INTEGERS = "iIqQ"
FLOATS = "efd"
SPECIFIERS = ("def", "over", "class")
WORDS = {
    42: SPECIFIERS,
    43: ("public", "private"),
    44: ("varying", "uniform", "uniform"),
}
NONE = WrittenValue("word", "None")
# In the order in which a file has the lists.
EDITS = ((2, ""), (4, "add "), (32, "prepend "), (64, "append "), (8, "delete "), (16, "reorder "))
Read = Tuple[WrittenValue, int]  # the value at an offset, and the offset behind it
Reader = Callable[[int], Read]


class CrateValues:
    """The values of a file; numbers in it refer to `tokens`, `strings` and `paths`."""

    def __init__(
        self,
        source: CrateBytes,
        version: Tuple[int, ...],
        tokens: Sequence[str],
        strings: Sequence[str],
        paths: Sequence[str],
    ) -> None:
        """Keep the tables of a file, with a reader for each type that is no number and no text."""
        self._source = source
        self._version = version
        self._tokens = tokens
        self._strings = strings
        self._paths = paths
        self._depth = 0
        # Lists that a layer may edit, by type; no part of a robot is an edited list of numbers.
        self._edits: Dict[int, Reader] = {
            32: self._token,
            33: self._string,
            34: self._path,
            35: self._reference,
            55: self._payload,
        }
        self._readers: Dict[int, Reader] = {
            DICTIONARY: self._dictionary,
            40: partial(self._list, self._path),
            41: partial(self._list, self._token),
            45: partial(self._pairs, self._string, self._string),
            50: partial(self._list, self._string),
            52: self._apart,
            58: partial(self._pairs, self._path, self._path),
        }

    def entries(self, rep: int) -> Iterator[Tuple[str, WrittenValue]]:
        """Yield the word of an edit ("" for a whole value) and the value: one, or one for each edit of a list."""
        kind = _kind_of(rep)
        at = rep & PAYLOAD
        if kind == 47:  # one payload, as older files have it
            item, _ = self._payload(at)
            is_empty = item == WrittenValue("path")
            items_of_list = () if is_empty else (item,)
            yield "", WrittenValue("list", "", items_of_list)
        elif kind in self._edits:
            yield from self._list_edits(self._edits[kind], at)
        else:
            yield "", self.of(rep)

    def of(self, rep: int) -> WrittenValue:
        """Return the value that eight bytes stand for."""
        self._source.spend(64)
        kind = _kind_of(rep)
        payload = rep & PAYLOAD
        if rep & EDIT:
            return WrittenValue("unread")
        if rep & ARRAY:
            return self._array(kind, payload, is_packed=bool(rep & PACKED))
        if kind in (51, 60):  # no value, or an animation that is blocked
            return NONE
        if kind in WORDS:
            return WrittenValue("word", _at(WORDS[kind], payload & INDEX))
        if kind in TEXTS:  # a single asset is a token, assets in arrays are strings
            texts = self._strings if kind == STRING else self._tokens
            return _text(kind, _at(texts, payload & INDEX))
        if kind in NUMBERS:
            return _one(kind, self._numbers(kind, payload, is_inlined=bool(rep & INLINED)))
        if kind not in self._readers:
            return WrittenValue("unread")
        # An inlined dictionary is empty.
        if rep & INLINED:
            return WrittenValue("dictionary")
        self._depth += 1
        if self._depth > DEEPEST:
            raise CrateError("dictionaries are in each other without an end")
        try:
            return self._readers[kind](payload)[0]
        finally:
            self._depth -= 1

    def _numbers(self, kind: int, payload: int, *, is_inlined: bool) -> Sequence[float]:
        """Return the numbers of one value: at the offset of the payload, or four bytes of the payload itself."""
        letter, count, inline = NUMBERS[kind]
        if not is_inlined:
            return _in_order(kind, self._source.unpack(f"<{count}{letter}", payload))
        data = (payload & INDEX).to_bytes(4, "little")
        if inline:
            return struct.unpack(f"<{inline}", data)
        parts = struct.unpack("<4b", data)  # a signed byte for each part
        if kind not in MATRICES:
            return _in_order(kind, parts[:count])
        size = MATRICES[kind]
        # An inlined matrix has its diagonal only.
        numbers = [0] * count
        numbers[:: size + 1] = parts[:size]
        return numbers

    def _array(self, kind: int, at: int, *, is_packed: bool) -> WrittenValue:
        """Return an array: texts at once, numbers with a function that decodes them."""
        if kind in TEXTS:
            at, count = self._count_of_array(at)
            indices = items("I", self._source.cut(at, 4 * count))
            self._source.spend(64 * count)
            texts = self._tokens if kind == TOKEN else self._strings
            return WrittenValue(
                "list", "", tuple(_text(kind, _at(texts, index)) for index in indices)
            )
        if kind not in NUMBERS:
            return WrittenValue("unread")
        return WrittenValue("numbers", "", (), partial(self._many, kind, at, is_packed=is_packed))

    def _count_of_array(self, at: int) -> Tuple[int, int]:
        """Return the offset of the items of an array, and how many there are."""
        if not at:
            return 0, 0
        if self._version < (0, 5, 0):  # its rank
            at += 4
        if self._version < (0, 7, 0):
            return at + 4, self._source.number(at, "<I")
        return at + 8, self._source.number(at)

    def _many(self, kind: int, at: int, *, is_packed: bool) -> Sequence[float]:
        """Return the numbers of an array.

        Raises:
            CrateError: the file is broken there.
        """
        letter, width, _ = NUMBERS[kind]
        at, count = self._count_of_array(at)
        if is_packed and width == 1 and count >= SMALLEST_PACKED:
            return self._unpacked(letter, at, count)
        flat = _plain(letter, self._source.cut(at, count * width * struct.calcsize(letter)))
        return _in_order(kind, flat)

    def _unpacked(self, letter: str, at: int, count: int) -> Sequence[float]:
        """Return the numbers of a packed array: integers, or floats behind a byte that tells how they are packed."""
        source = self._source
        size = struct.calcsize(letter)
        if letter in INTEGERS:
            return integers(source, at, count, size, signed=letter.islower())[0]
        code = source.cut(at, 1)
        at += 1
        if letter not in FLOATS or code not in (b"i", b"t"):
            raise CrateError("an array is packed in a way that is not known")
        # `i`: all are whole numbers. `t`: a table of the different ones, and indices into it.
        if code == b"i":
            return array("d", integers(source, at, count, signed=True)[0])
        length = source.number(at, "<I")
        table = _plain(letter, source.cut(at + 4, length * size))
        indices = integers(source, at + 4 + length * size, count)[0]
        if max(indices) >= length:
            raise CrateError("an array leads to a number that is not in its table")
        return array("d", map(table.__getitem__, indices))

    def _token(self, at: int) -> Read:
        """Return the token at an offset."""
        index = self._source.number(at, "<I")
        return WrittenValue("string", _at(self._tokens, index)), at + 4

    def _string(self, at: int) -> Read:
        """Return the string at an offset."""
        index = self._source.number(at, "<I")
        return WrittenValue("string", _at(self._strings, index)), at + 4

    def _path(self, at: int) -> Read:
        """Return the path at an offset."""
        index = self._source.number(at, "<I")
        path = "" if index == NO_PATH else _at(self._paths, index)
        return WrittenValue("path", path), at + 4

    def _arc(self, at: int) -> WrittenValue:
        """Return the end of a reference or a payload, in the form of the text."""
        file = self._string(at)[0].text
        path = self._path(at + 4)[0]
        if not file:
            return path
        return (
            WrittenValue("reference", file, (path,)) if path.text else WrittenValue("asset", file)
        )

    def _reference(self, at: int) -> Read:
        """Return the reference at an offset."""
        # File and path (4 bytes each), the offset of the layer (two doubles), then a dictionary.
        return self._arc(at), self._dictionary(at + 24)[1]

    def _payload(self, at: int) -> Read:
        """Return the payload at an offset."""
        # File and path (4 bytes each); since 0.8.0 the offset of the layer (two doubles).
        size = 8 if self._version < (0, 8, 0) else 24
        return self._arc(at), at + size

    def _list(self, reader: Reader, at: int, kind: str = "list") -> Read:
        """Return the list at an offset: the number of its items, then each item."""
        count = self._source.number(at)
        if 4 * count > self._source.size:
            raise CrateError(f"there are not {count} things in it")
        self._source.spend(64 * count)
        at += 8
        found: List[WrittenValue] = []
        for _ in range(count):
            item, at = reader(at)
            found.append(item)
        return WrittenValue(kind, "", tuple(found)), at

    def _list_edits(self, reader: Reader, at: int) -> Iterator[Tuple[str, WrittenValue]]:
        """Yield the edits of a list; a list that is explicit comes even if it is empty."""
        bits = self._source.cut(at, 1)[0]
        at += 1
        # Bit 1: the list is explicit. Bit 2: it has explicit items.
        if bits & 1 and not bits & 2:
            yield "", WrittenValue("list")
        for bit, edit in EDITS:
            if bits & bit:
                found, at = self._list(reader, at)
                if edit or bits & 1:
                    yield edit, found

    def _apart(self, at: int) -> Read:
        """Return a value that is somewhere else, and the offset behind the eight bytes that stand for it."""
        # Relative to where this number is.
        at += self._source.number(at, "<q")
        return self.of(self._source.number(at)), at + 8

    def _dictionary(self, at: int) -> Read:
        """Return the dictionary at an offset."""
        return self._pairs(self._string, self._apart, at)

    def _pairs(self, key_reader: Reader, reader: Reader, at: int) -> Read:
        """Return a dictionary; its parts have their keys for kinds."""

        def pair(at: int) -> Read:
            """Return a value of the dictionary, with its key for its kind."""
            key, at = key_reader(at)
            value, at = reader(at)
            return value._replace(kind=key.text), at

        return self._list(pair, at, "dictionary")


def _kind_of(rep: int) -> int:
    """Return the type of a value: of its 64 bits 63 to 60 are flags, 55 to 48 the type, 47 to 0 the payload."""
    return rep >> 48 & 0xFF


def _at(texts: Sequence[str], index: int) -> str:
    """Return a text of a table.

    Raises:
        CrateError: the table is shorter.
    """
    if index >= len(texts):
        raise CrateError(f"it leads to text or path {index} of {len(texts)}")
    return texts[index]


def _text(kind: int, text: str) -> WrittenValue:
    """Return a text, a word or the name of a file as a value."""
    name = "asset" if kind == ASSET else "string"
    return WrittenValue(name, text)


def _one(kind: int, numbers: Sequence[float]) -> WrittenValue:
    """Return a value of one number or tuple, as the text has it."""
    if kind == BOOL:
        word = "true" if numbers[0] else "false"
        return WrittenValue("word", word)
    text = ", ".join(map(repr, numbers))
    if len(numbers) > 1:
        text = f"({text})"
    return WrittenValue("numbers", text)


def _in_order(kind: int, numbers: Sequence[float]) -> Sequence[float]:
    """Return the numbers as text has them: the real part of a quaternion is the first one there, and the last one here."""
    if kind not in QUATERNIONS:
        return numbers
    turned = list(numbers)
    for part in range(4):
        # The first part of the text, the real one, is the last in the file.
        turned[part::4] = numbers[part - 1 & 3 :: 4]
    return turned


def _plain(letter: str, data: bytes) -> Sequence[float]:
    """Return an array of numbers; `array` knows no halves and no truths."""
    if letter in "e?":
        return struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data)
    return items(letter, data)
