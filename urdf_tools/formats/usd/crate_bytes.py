"""Bytes of a crate file: bounds, LZ4 blocks and packed integers (OpenUSD, pxr/usd/sdf/crateFile.cpp, integerCoding.cpp)."""

from __future__ import annotations

import struct
from array import array
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any, Callable, Dict, List, Tuple

BIGGEST_RATIO = 255  # of an LZ4 block: a byte of a length stands for 255 bytes
FLAT = 1 << 26  # bytes that a small file may become
FACTOR = 64  # bytes that each byte of a large file may become
LONG = 15  # a length that goes on in the next bytes
SHORTEST_MATCH = 4


class CrateError(ValueError):
    """It is no crate file that is read here; the sentence says why."""


class CrateBytes:
    """The bytes of a file, with a budget: a small file must not become gigabytes."""

    def __init__(self, data: bytes) -> None:
        """Keep the bytes, with a budget in proportion to their number."""
        self.data = data
        self.size = len(data)
        self._budget = FLAT + FACTOR * self.size

    def spend(self, amount: int) -> None:
        """Take from the budget.

        Raises:
            CrateError: nothing is left.
        """
        self._budget -= amount
        if amount < 0 or self._budget < 0:
            raise CrateError("it would become much more than a file of its size should")

    def cut(self, start: int, length: int) -> bytes:
        """Return bytes, all of them.

        Raises:
            CrateError: the file ends before.
        """
        if start < 0 or length < 0 or start + length > self.size:
            raise CrateError(f"it ends before the {length} bytes at {start}")
        return self.data[start : start + length]

    def unpack(self, form: str, start: int) -> Tuple[Any, ...]:
        """Return the values that `struct` reads at an offset."""
        return struct.unpack(form, self.cut(start, struct.calcsize(form)))

    def number(self, start: int, form: str = "<Q") -> int:
        """Return the integer at an offset."""
        return int(self.unpack(form, start)[0])


def items(kind: str, data: bytes) -> "array[Any]":
    """Return an array of bytes that are a whole number of items."""
    found = array(kind)
    found.frombytes(data[: len(data) // found.itemsize * found.itemsize])
    return found


def _length(packed: bytes, at: int, length: int) -> Tuple[int, int]:
    """Return a length that may go on in the bytes at an index, and the index behind it."""
    if length < LONG:
        return length, at
    more = 255
    while more == 255:
        more = packed[at]
        at += 1
        length += more
    return length, at


def _add_block(packed: bytes, out: bytearray, limit: int) -> None:
    """Append the bytes of an LZ4 block (github.com/lz4/lz4, lz4_Block_format.md), never more than `limit` altogether.

    A block is a row of sequences: literal bytes, then a match, which repeats bytes that are already out. The token has
    the length of the literals in its upper four bits, and the length of the match in its lower four.
    """
    at = 0
    end = len(packed)
    try:
        while at < end:
            token = packed[at]
            literals, at = _length(packed, at + 1, token >> 4)
            if at + literals > end or len(out) + literals > limit:
                raise CrateError("a packed part runs past its end")
            out += packed[at : at + literals]
            at += literals
            if at == end:  # the last sequence has literals only
                return
            offset = packed[at] | packed[at + 1] << 8
            length, at = _length(packed, at + 2, token & 15)
            length += SHORTEST_MATCH
            start = len(out) - offset
            if offset == 0 or start < 0 or len(out) + length > limit:
                raise CrateError("a packed part copies what is not there")
            piece = out[start : start + length]
            if offset < length:  # the match repeats bytes that it writes itself
                piece = (piece * (length // offset + 1))[:length]
            out += piece
    except IndexError:
        raise CrateError("a packed part is cut off") from None


def unpacked(source: CrateBytes, start: int, packed_size: int, size: int) -> bytes:
    """Return the bytes of a packed part, at most `size`: a byte with the number of chunks, 0 for a bare block."""
    packed = source.cut(start, packed_size)
    if not packed or size > BIGGEST_RATIO * packed_size + 16:
        raise CrateError(f"{size} bytes cannot be in {packed_size} packed ones")
    source.spend(size)
    out = bytearray()
    chunks = packed[0]
    at = 1
    if not chunks:
        _add_block(packed[1:], out, size)
    for _ in range(chunks):
        length = int.from_bytes(packed[at : at + 4], "little")
        at += 4
        if at + length > packed_size:
            raise CrateError("a packed part has fewer bytes than it says")
        _add_block(packed[at : at + length], out, size)
        at += length
    return bytes(out)


Code = Tuple[Callable[[bytes, int], Tuple[int, ...]], int, Callable[[Tuple[int, ...]], Any]]


def _codes(letters: str) -> List[Code]:
    """Return for each byte of four codes a reader of its numbers, their size, and a function that orders them.

    Code 0 stands for the common number, which is the last one; codes 1 to 3 for numbers of the sizes of `letters`.
    """
    table: List[Code] = []
    for byte in range(256):
        codes = [byte >> shift & 3 for shift in (0, 2, 4, 6)]
        own = [code for code in codes if code]
        reader = struct.Struct("<" + "".join(letters[code - 1] for code in own))
        # The place of each number among those that the byte has of its own; the common one stands behind them.
        order = []
        used = 0
        for code in codes:
            if code:
                order.append(used)
                used += 1
            else:
                order.append(len(own))
        table.append((reader.unpack_from, reader.size, itemgetter(*order)))
    return table


CODES: Dict[int, List[Code]] = {}
SIZES = {4: ("bhi", "<i", "I", "i"), 8: ("hiq", "<q", "Q", "q")}


def integers(
    source: CrateBytes, start: int, count: int, width: int = 4, *, signed: bool = False
) -> "Tuple[array[int], int]":
    """Return `count` packed integers at an offset, and the offset behind them; each is the sum of all differences."""
    letters, common_form, unsigned_kind, signed_kind = SIZES[width]
    kind = signed_kind if signed else unsigned_kind
    packed_size = source.number(start)
    start += 8
    if not count:
        return array(kind), start + packed_size
    # Four codes in a byte, and LZ4 makes at most 255 bytes of one.
    if count > BIGGEST_RATIO * 4 * packed_size:
        raise CrateError(f"{count} numbers cannot be in {packed_size} packed bytes")
    source.spend(16 * count)
    # The common difference, then a byte for each four codes.
    code_end = width + (count + 3) // 4
    most = min(code_end + count * width, BIGGEST_RATIO * packed_size)
    data = unpacked(source, start, packed_size, most)
    if len(data) < code_end:
        raise CrateError("packed numbers are cut off")
    if width not in CODES:
        CODES[width] = _codes(letters)
    (common,) = struct.unpack_from(common_form, data)
    differences: List[int] = []
    at = code_end
    last = (common,)
    four = [common] * 4
    try:
        for byte, run in groupby(data[width:code_end]):
            # A byte of zeros is four times the common difference, as in most numbered lists.
            if not byte:
                differences += four * len(list(run))
                continue
            unpack_from, size, ordered = CODES[width][byte]
            for _ in run:
                differences += ordered(unpack_from(data, at) + last)
                at += size
    except struct.error:
        raise CrateError("packed numbers are cut off") from None
    # The last byte may have codes for more than there are.
    del differences[count:]
    return _sums(differences, kind), start + packed_size


def _sums(differences: List[int], kind: str) -> "array[int]":
    """Return the sums, which wrap around as the integers of the machine do."""
    try:
        return array(kind, accumulate(differences))
    except OverflowError:
        pass
    mask = (1 << 8 * array(kind).itemsize) - 1
    wrapped = array(kind.upper(), [value & mask for value in accumulate(differences)])
    return array(kind, wrapped.tobytes())
