"""Merge equal points, the numbers of a corner, and several surfaces."""
import sys
from array import array
from collections import defaultdict
from itertools import chain, count
from typing import DefaultDict, Dict, Iterable, List, Sequence, Tuple

from .form import Floats, FLOAT, gathered_records, Material, NUMBER, Numbers, Surface


def weld(values: Floats, width: int) -> Tuple[Floats, Numbers]:
    """Return the different records of `width` numbers in the order of first use, and the number of each record."""
    records = list(zip(*(values[axis::width] for axis in range(width))))
    numbers: Dict[Tuple[float, ...], int] = dict.fromkeys(records, 0)
    numbers.update(zip(numbers, range(len(numbers))))
    return array(FLOAT, chain.from_iterable(numbers)), array(NUMBER, list(map(numbers.__getitem__, records)))


def join_corners(surface: Surface) -> Tuple[Floats, Floats, Floats, Numbers]:
    """Return positions, normals, uv and corners with one number for all three, as glTF needs it."""
    columns = [(surface.positions, surface.corners, 3), (surface.normals, surface.normal_corners, 3),
               (surface.uv, surface.uv_corners, 2)]
    points = len(surface.positions) // 3
    if all(not values or (len(values) == points * width and (numbers is surface.corners or numbers == surface.corners))
           for values, numbers, width in columns):  # (1) the numbers are the same already
        return surface.positions, surface.normals, surface.uv, surface.corners
    # (2) Records that no two corners share: every corner gets a point, no pair needs to be looked up.
    if any(values and _is_unshared(numbers, len(values) // width) for values, numbers, width in columns[1:]):
        positions, normals, uv = (gathered_records(values, width, numbers) if values else values
                                  for values, numbers, width in columns)
        return positions, normals, uv, array(NUMBER, range(len(surface.corners)))
    # (3) Number the pairs of position and normal, then those of that number and uv.
    joined = surface.corners
    picked: List[Numbers] = []
    for values, numbers, _ in columns[1:]:
        if values:
            joined, firsts, seconds = _numbered_pairs(joined, numbers)
            picked = [array(NUMBER, list(map(column.__getitem__, firsts))) for column in picked] or [firsts]
            picked.append(seconds)
    chosen = iter(picked)
    positions, normals, uv = (gathered_records(values, width, next(chosen)) if values else values
                              for values, _, width in columns)
    return positions, normals, uv, joined


def _numbered_pairs(firsts: Numbers, seconds: Numbers) -> Tuple[Numbers, Numbers, Numbers]:
    """Return the number of the pair at each index, by first use, and the two numbers of each pair."""
    keys = pair_keys(firsts, seconds)
    number_of: DefaultDict[int, int] = defaultdict(count().__next__)
    joined = array(NUMBER, list(map(number_of.__getitem__, keys)))
    return (joined, *paired(number_of))


def pair_keys(firsts: Numbers, seconds: Numbers) -> "array[int]":
    """Return pairs of numbers as 64-bit numbers, which are faster to look up than tuples and take less memory."""
    pairs = array(NUMBER, bytes(8 * len(firsts)))
    pairs[0::2], pairs[1::2] = seconds, firsts
    return array("Q", pairs.tobytes())


def paired(keys: Iterable[int]) -> Tuple[Numbers, Numbers]:
    """Return the two numbers of each pair."""
    pairs = array(NUMBER, array("Q", list(keys)).tobytes())
    return pairs[1::2], pairs[0::2]


def _is_unshared(numbers: Numbers, records: int) -> bool:
    """Return True if no two corners of different triangles share a record: one for each corner, or each triangle."""
    return records == len(numbers) or (3 * records == len(numbers) and numbers[0::3] == numbers[1::3]
                                     and numbers[0::3] == numbers[2::3])


def join_primitives(pieces: Sequence[Surface], material: Material) -> Surface:
    """Return all triangles of several surfaces as one surface; arrays that pieces share are stored once.

    A corner without a normal or texture coordinate gets number 0, a record of zeros.
    """
    if len(pieces) == 1:
        return pieces[0]._replace(material=material)
    positions, corners = _joined([(piece.positions, piece.corners) for piece in pieces], 3)
    zeros = [array(NUMBER, bytes(4 * len(piece.corners))) for piece in pieces]
    normals, normal_corners = _joined([(piece.normals, piece.normal_corners or none)
                                       for piece, none in zip(pieces, zeros)], 3)
    uv, uv_corners = _joined([(piece.uv, piece.uv_corners or none) for piece, none in zip(pieces, zeros)], 2)
    notes = dict.fromkeys(chain.from_iterable(piece.notes for piece in pieces))
    geometries = dict.fromkeys(chain.from_iterable(piece.geometries for piece in pieces))
    return Surface(material, positions=positions, corners=corners, normals=normals, normal_corners=normal_corners,
                   uv=uv, uv_corners=uv_corners, notes=tuple(notes), geometries=tuple(geometries))


def _joined(pieces: Sequence[Tuple[Floats, Numbers]], width: int) -> Tuple[Floats, Numbers]:
    """Return records and numbers of several pieces as one, after a record of zeros if only some pieces have records."""
    values, numbers = array(FLOAT), array(NUMBER)
    if not any(records for records, _ in pieces):
        return values, numbers
    if any(record_numbers and not records for records, record_numbers in pieces):
        values.extend([0.0] * width)
    starts: Dict[int, int] = {}
    for records, record_numbers in pieces:
        if records and id(records) not in starts:
            starts[id(records)] = len(values) // width
            values.extend(records)
        numbers.extend(shifted(record_numbers, starts[id(records)] if records else 0))
    return values, numbers


def shifted(numbers: Numbers, base: int) -> Numbers:
    """Return numbers that are larger by `base`: added as digits of one long integer, which is faster than a loop.

    A number that would be below 0 raises OverflowError, or becomes one of the largest of 32 bits.
    """
    if not base:
        return numbers
    number, steps = (int.from_bytes(digits.tobytes(), sys.byteorder)
                     for digits in (numbers, array(NUMBER, [abs(base)]) * len(numbers)))
    return array(NUMBER, (number + steps if base > 0 else number - steps).to_bytes(4 * len(numbers), sys.byteorder))

