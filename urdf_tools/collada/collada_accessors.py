"""The numbers in the text of a COLLADA file, read piece by piece: floats, indices, and the columns of an accessor."""

from __future__ import annotations

import re
from array import array
from itertools import chain
from math import isfinite
from struct import pack
from typing import Callable, Iterator, List, Optional, Sequence, Tuple, TypeVar

from ..base.errors import NotFinite
from .conversion_records import Indices
from .collada_document import (
    dae_child,
    dae_children,
    dae_error,
    dae_target,
    DaeDocument,
    DaeElement,
    text_pieces,
)

MAX_WORD_BYTES = 400  # of a number
COMMA_AS_POINT = re.compile(rb"(?<=\d),(?=\d)")

Number = TypeVar("Number", int, float)
Columns = Tuple[array, ...]  # type: ignore[type-arg]  # of floats; Python 3.8 knows no array[float]


def word_blocks(document: DaeDocument, element: DaeElement) -> Iterator[bytes]:
    """Yield an element's text in blocks that end between words; a word that two pieces share is joined.

    A long text is split faster in blocks, and with less memory; bytes are split faster than text.
    """
    carried = b""
    for piece in chain.from_iterable(text_pieces(document, text) for text in element.texts):
        block = carried + piece
        carried = b""
        if b"_" in block:  # Python reads 1_000 as a number, COLLADA does not
            raise dae_error(
                document, element, f"<{element.tag}> has an underscore where a number belongs"
            )
        if not block[-1:].isspace():
            # The last word may continue in the next piece; without a blank, the whole block is the last word.
            block, carried = [b"", b"", *block.rsplit(None, 1)][-2:]
            if len(carried) > MAX_WORD_BYTES:
                raise dae_error(
                    document,
                    element,
                    f"<{element.tag}> has a number of over {MAX_WORD_BYTES} characters",
                )
        if block:
            yield block
    if carried:
        yield carried


def float_blocks(document: DaeDocument, element: DaeElement) -> Iterator[List[float]]:
    """Yield the numbers of an element's text in blocks; decimal commas are read if a block has no other reading.

    A number too large for a float becomes inf, as in Python.

    Raises:
        BrokenMesh: a word is not a number, or is nan or inf.
    """
    for block in word_blocks(document, element):
        numbers = read_words(
            document,
            element,
            block.split(),
            "number",
            float,
            lambda word: float(COMMA_AS_POINT.sub(b".", word, 1)),
        )
        # All spellings of nan and inf have an n, and the search for an n costs nothing.
        if (b"n" in block or b"N" in block) and not all(map(isfinite, numbers)):
            message = f"<{element.tag}> has a number that is not finite"
            raise dae_error(document, element, message, NotFinite)
        yield numbers


def read_words(
    document: DaeDocument,
    element: DaeElement,
    words: List[bytes],
    wanted: str,
    *ways: Callable[[bytes], Number],
) -> List[Number]:
    """Return words as numbers, by the first of several ways that reads all of them.

    The error shows the first word that the last way cannot read; `wanted` names the kind of number.
    """
    for way in ways:
        try:
            return list(map(way, words))
        except ValueError:
            pass
    for word in words:
        try:
            way(word)
        except ValueError:
            break
    shown = word.decode(errors="replace")[:40]
    raise dae_error(document, element, f"<{element.tag}> has {shown!r} where a {wanted} belongs")


def array_numbers(document: DaeDocument, element: DaeElement) -> "array[float]":
    """Return all numbers of an array, which are read only once."""
    if element.numbers is None:
        element.numbers = array("d")
        for numbers in float_blocks(document, element):
            # This takes half the time of fromlist.
            element.numbers.frombytes(pack(f"{len(numbers)}d", *numbers))
    return element.numbers


def all_floats(document: DaeDocument, element: DaeElement) -> List[float]:
    """Return all numbers of an element's text; a number that is too large for a float is an error."""
    numbers = list(chain.from_iterable(float_blocks(document, element)))
    if not all(map(isfinite, numbers)):
        message = f"<{element.tag}> has a number that is not finite"
        raise dae_error(document, element, message, NotFinite)
    return numbers


def index_blocks(
    document: DaeDocument, element: DaeElement, stride: int = 1, offset: int = 0
) -> Iterator[Indices]:
    """Yield every `stride`-th whole number, from number `offset` on, in blocks.

    Raises:
        BrokenMesh: a word is not a whole number, or has a minus sign.
    """
    for block in word_blocks(document, element):
        if b"-" in block:  # in Python list[-1] is the last item, so the fault would not be noticed
            raise dae_error(document, element, f"<{element.tag}> has a negative index")
        words = block.split()
        numbers = read_words(document, element, words[offset::stride], "whole number", int)
        # The position of the next chosen number in the next block.
        offset = (offset - len(words)) % stride
        if numbers:
            yield numbers


def count_attribute(element: Optional[DaeElement], name: str, missing: int) -> int:
    """Return a whole-number attribute, or `missing` if it is absent or not a number of at least 0."""
    word = element.attributes.get(name, "").strip() if element else ""
    # A number of 18 digits is below 2^63, the bound of an index in Python (`sys.maxsize`): a slice by more would fail.
    is_count = word.isascii() and word.isdigit() and len(word) <= 18
    return int(word) if is_count else missing


def find_source(document: DaeDocument, mesh: DaeElement, url: str) -> Optional[DaeElement]:
    """Return the element that an input names; the same mesh is searched first, because real files repeat ids."""
    name = url[1:] if url.startswith("#") else url
    inside = (child for child in mesh.children if child.attributes.get("id") == name)
    return next(inside, None) or dae_target(document, url)


def source_columns(document: DaeDocument, source: DaeElement, names: str) -> Columns:
    """Return the columns of a `<source>` with certain names, e.g. "XYZ"; unnamed columns go by position.

    Column c of record i of the accessor is number `offset + i * stride + c`.  An absent column is 0 in all records, so
    that two-dimensional positions can be read.  The last record may end after its last chosen column.

    Raises:
        BrokenMesh: the source has no array of numbers, or the stride is too small for the columns.
    """
    element = dae_child(source, "float_array", "int_array")
    accessor = dae_child(dae_child(source, "technique_common"), "accessor")
    if element is None and accessor is not None:
        element = dae_target(document, accessor.attributes.get("source", ""))
    if element is None or element.tag not in ("float_array", "int_array"):
        raise dae_error(
            document, source, f"source '{source.attributes.get('id', '')}' has no array of numbers"
        )
    # Columns go by name, or by position if none of the names is written.
    params = [param.attributes.get("name", "").upper() for param in dae_children(accessor, "param")]
    columns = _chosen_columns(params, names)
    # Without a stride, a record is as long as its columns.
    stride = count_attribute(accessor, "stride", 0) or len(params) or len(names)
    offset = count_attribute(accessor, "offset", 0)
    if stride <= max(columns):
        raise dae_error(
            document,
            element,
            f"the accessor of '{element.attributes.get('id', '')}' has a stride of"
            f" {stride} for {max(columns) + 1} columns",
        )
    numbers = array_numbers(document, element)
    # The number of records that have the last column.
    count = len(numbers[offset + max(columns) :: stride])
    chosen: List[array[float]] = []
    for column in columns:
        if column >= 0:
            chosen.append(numbers[offset + column :: stride][:count])
        else:
            chosen.append(array("d", bytes(8 * count)))
    return tuple(chosen)


def _chosen_columns(params: Sequence[str], names: str) -> List[int]:
    """Return the index of the column with each name, -1 if it is absent; unnamed columns go by position."""
    columns = [params.index(name) if name in params else -1 for name in names]
    if max(columns) >= 0:
        return columns
    count = len(params) or len(names)
    return [index if index < count else -1 for index in range(len(names))]
