#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# MIT License
#
# Copyright (c) 2026 the urdf_simplify authors
#
# Permission is hereby granted, free of charge, to any person obtaining a copy
# of this software and associated documentation files (the "Software"), to deal
# in the Software without restriction, including without limitation the rights
# to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
# copies of the Software, and to permit persons to whom the Software is
# furnished to do so, subject to the following conditions:
#
# The above copyright notice and this permission notice shall be included in all
# copies or substantial portions of the Software.
#
# THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
# IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
# FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
# AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
# LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
# OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
# SOFTWARE.
#
# urdf_simplify: one file, Python 3.8 or newer, standard library only.
#
# Copy it anywhere, under any name; the notice above must stay.
# Upstream this file is generated from the modules in urdf_tools/ by `make single`: there, edit the modules.
# In a copy edit what you like: each section is one module, so that a change can be sent back as a patch to it.
# To update a copy, replace the file. `--version` prints the release and a digest of the source, and "modified" if
# the text was edited.
#
# What a run does, and where (lines of this file):
#
#   read       read_robot 5084 keeps each number as it is written, in urdf/lossless_xml.py 2604
#   decide     make_plan 13000: everything is decided here, in a `Plan`
#   carry out  apply_plan 15296 does what the plan says, and decides nothing
#   prove      verify_robot 17284 reads both texts anew, with arithmetic of its own
#   report     plan_text 20039, record_of 20431
#   write      write_result 18932: all files or none, by base/transaction.py 2169
#   all of it  main 22234, run 21672, simplify_bytes 18690
#
# To change                                        edit
#   an option, its help and its errors             run/single_file_options.py 18304
#   which links merge, and which are kept          decide_merging 11506, find_needs 10778
#   which way the robot faces                      find_base_frame 10495
#   the axes of the frames of links                decide_frames 11686
#   which words of a name mean an axis             AXIS_WORDS 9729
#   which words of a name mean a part of a motor   HARDWARE 9732, STRUCTURE 9733
#   which words mean a foot, a hand, a side        FOOT 9735, HAND 9734, SIDES 9744
#   which links are the world                      WORLD_LINKS 11193, PLANNING_FRAMES 10408
#   how near two copies of a part lie              POSE_TOLERANCE 11194
#   which angles are rounded                       `snap` of plan/run_options.py 11095
#   how exact a proof is                           TOLERANCE 16111
#   which shapes are removed                       plan/removed_shapes.py 12411
#   what follows outside of links and joints       facts/frame_dependent_values.py 9520, facts/gazebo_value_rules.py 9343, plan/update_values.py 13999
#   what simulators read for a link                facts/simulator_values.py 8908
#   names and places of meshes                     plan/mesh_tasks.py 12195, meshing/make_meshes.py 14481
#   how COLLADA is read and split                  scene_drawings 7482, convert_dae 8253
#   what a proof compares                          verify/verify_equivalence.py 17246, verify/verify_looks.py 16474, verify/verify_other_elements.py 16839
#   a sentence of a warning                        base/run_diagnostics.py 1474
"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help."""
import gc
import sys

if __name__ == "__main__":
    if sys.version_info < (3, 8):
        print("urdf_simplify needs Python 3.8 or newer; this is " + sys.version.split()[0], file=sys.stderr)
        sys.exit(2)
    sys.excepthook = lambda kind, *rest: sys.exit(1) if kind is KeyboardInterrupt else sys.__excepthook__(kind, *rest)
    gc.disable()

import argparse
import atexit
import codecs
import errno
import math
import os
import posixpath
import random
import re
import signal
import stat
import struct
import time
from array import array
from bisect import bisect_left, bisect_right, insort
from collections import Counter, _tuplegetter, defaultdict
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache, partial
from importlib import import_module
from io import StringIO
from itertools import accumulate, chain, combinations, compress, groupby, islice, product as all_triples, takewhile
from keyword import iskeyword
from math import atan2, copysign, degrees, floor, frexp, fsum, inf, isfinite, isqrt, radians, sqrt
from operator import sub
from struct import Struct, pack
from sys import intern
from textwrap import wrap
from types import CodeType, FunctionType
from typing import (
    AbstractSet, Any, BinaryIO, Callable, Collection, Container, ContextManager, DefaultDict, Dict, FrozenSet,
    Generator, Hashable, Iterable, Iterator, List, Mapping, NoReturn, Optional, Sequence, Set, TextIO, Tuple, Type,
    TypeVar, Union, cast,
)
from xml.parsers import expat
from zlib import crc32

__all__ = [
    "BrokenMesh",
    "BrokenRobot",
    "ErrorGroup",
    "MalformedXml",
    "MeshOptions",
    "Options",
    "ProofFailed",
    "Result",
    "UsageError",
    "UrdfError",
    "UrdfSimplifyError",
    "__version__",
    "main",
    "record_of",
    "record_text",
    "simplify",
]


# ==== urdf_tools/base/number_text.py ====
# Numbers as text: read strictly, written in one short way; and counts with their nouns.

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


# ==== urdf_tools/base/record_type.py ====
# Records: tuples with named fields, as `typing.NamedTuple` makes them, without its cost at each start.
#
# `NamedTuple` compiles a constructor for each class when its module is loaded: a tenth of a run of this tool, which
# has more than a hundred records and creates instances of half of them. Here one constructor is compiled for each number
# of fields, and a class gets it, with its names in it, when its first instance is created. What a type checker sees is in
# `record_type.pyi`: the `NamedTuple` of `typing`.
# The descriptor that `namedtuple` itself uses: half the time of a property for each access to a field.


class RecordType(type):
    """The type of all records: it turns annotations into fields, and values given to them into defaults."""

    def __new__(cls, name: str, bases: tuple, namespace: Dict[str, Any]) -> type:
        record = super().__new__(cls, name, bases, {"__slots__": (), **namespace})
        fields = tuple(getattr(record, "__annotations__", ()))
        # A class that adds methods to a record has no annotations; before Python 3.10 it shows the record's.
        if fields in ((), record._fields):
            return record
        record._fields = record.__match_args__ = fields
        record._field_defaults = {key: namespace[key] for key in fields if key in namespace}
        for index, key in enumerate(fields):
            setattr(record, key, _tuplegetter(index, f"Field {index}"))
        return record

    @property
    def __signature__(cls) -> Any:
        """Return the signature that `help` shows: the fields with their types and defaults."""
        from inspect import signature

        whole = signature(constructor(cls))
        return whole.replace(parameters=[*whole.parameters.values()][1:])


def constructor(record: type) -> Callable[..., Any]:
    """Return the constructor of a record; its arguments are the fields, by position or by name."""
    code = _code_of(len(record._fields)).replace(co_varnames=("_cls", *record._fields))
    defaults = tuple(record._field_defaults.values())
    function = FunctionType(code, {"_new": tuple.__new__}, "__new__", defaults)
    function.__annotations__ = getattr(record, "__annotations__", {})
    function.__qualname__ = f"{record.__name__}.__new__"
    return function


@lru_cache(maxsize=None)
def _code_of(count: int) -> CodeType:
    """Compile the constructor of records with so many fields."""
    fields = "".join(f"_{index}, " for index in range(count))
    return eval(f"lambda _cls, {fields}: _new(_cls, ({fields}))").__code__


class Record(tuple, metaclass=RecordType):
    """A tuple whose fields are the annotations of its class, in their order."""

    _fields = ()
    _field_defaults = {}

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        # From here on the class of these fields has a constructor; a subclass that adds methods may have its own.
        owner = next(each for each in cls.__mro__ if "_fields" in vars(each))
        owner.__new__ = constructor(owner)
        return owner.__new__(cls, *arguments, **named)

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        """Create a record of values in the order of its fields."""
        return tuple.__new__(cls, values)

    def _replace(self, **named: Any) -> Any:
        """Return a copy with other values of some fields.

        Raises:
            ValueError: a name belongs to no field.
        """
        copy = tuple.__new__(type(self), map(named.pop, self._fields, self))
        if named:
            raise ValueError(f"{type(self).__name__} has no field {', '.join(map(repr, named))}")
        return copy

    def _asdict(self) -> Dict[str, Any]:
        """Return the values by the names of their fields."""
        return dict(zip(self._fields, self))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"{type(self).__name__}({values})"

    def __getnewargs__(self) -> tuple:
        """Return the arguments with which `copy` and `pickle` create the record again."""
        return tuple(self)


# ==== urdf_tools/base/diagnostics.py ====
# Diagnostics as data: kind, line, names and numbers; the sentence is a template of the kind, filled when shown.

ERROR = "error"
WARNING = "warning"
NOTE = "note"


class DiagnosticKind(Record):
    """A kind of diagnostic: a row of the table of all diagnostics of a product.

    Attributes:
        name: as the plan and the documentation show it, such as `mesh-not-found`.
        severity: ERROR, WARNING, or NOTE, which needs no decision.
        meaning: the state of the file that the kind names, in a phrase.
        hint: the cure, if the sentence has no cure of its own; `{links}` is replaced by the merged links among the names.
        needs_action: a request was not carried out, or the file needs a decision.
        sentences: templates by key, as `Diagnostic` fills them.
        example: the smallest input that shows it, in the leg of the examples: elements, then options.
        cures: the cure by the key of its sentence; "" if nothing can be done.
    """

    name: str
    severity: str
    meaning: str
    hint: str
    needs_action: bool
    sentences: Mapping[str, str]
    example: str = ""
    cures: Mapping[str, str] = {}

    def __hash__(self) -> int:
        return hash(self.name)


class Diagnostic(Record):
    """A diagnostic: its kind, the line of the input (0: the whole file), and the key of the sentence of the kind.

    `names` fill {0} {1} ... of the sentence: places, links, joints, files; `numbers` fill {n0} {n1} ...; `{n0:noun}` is
    a count with its noun, `{n0:is|are}` the word that fits the count. `offset` is the offset of the element that was
    left unchanged (-1: none). `place` is the subject of the sentence if it is not an element of the input: a mesh, or a
    file made of it. A diagnostic of a mesh has neither line nor place until its caller adds them.
    """

    kind: DiagnosticKind
    line: int
    sentence: str
    names: Tuple[str, ...] = ()
    numbers: Tuple[float, ...] = ()
    offset: int = -1
    place: str = ""

    @property
    def text(self) -> str:
        """The sentence, filled, after the place."""
        numbers = {f"n{k}": _TemplateNumber(value) for k, value in enumerate(self.numbers)}
        filled = self.kind.sentences[self.sentence].format(*self.names, **numbers)
        return f"'{self.place}': {filled}" if self.place else filled

    @property
    def cure(self) -> str:
        """The cure, "" if nothing can be done."""
        return self.kind.cures.get(self.sentence, self.kind.hint)

    def __str__(self) -> str:
        return self.text


Notes = Tuple[Diagnostic, ...]
Diagnostics = List[Diagnostic]


class _TemplateNumber(float):
    """A number of a template: short, or a count with its noun, or the singular or plural word."""

    def __format__(self, form: str) -> str:
        singular, bar, plural = form.partition("|")
        if bar:
            return singular if float(self) == 1.0 else plural
        if form.startswith((".", ",")):
            return format(float(self), form)
        if form:
            return count_of(int(self), form)
        return str(int(self)) if self.is_integer() else short([float(self)])


# ==== urdf_tools/base/errors.py ====
# Errors, one class per cause; a message is one sentence that names the file and the line.


class UrdfSimplifyError(Exception):
    """The base of all errors of this tool: the reason why a run has no result.

    Attributes:
        path: the file the message is about, or "".
        line: the line in it, counted from 1, or 0 for the whole file.
        message: one sentence without a full stop.
    """

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        super().__init__(message, path, line)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line) if part)
        return f"{where}: {self.message}" if where else self.message


class UrdfError(UrdfSimplifyError, ValueError):
    """Input that cannot be used."""


class MalformedXml(UrdfError):
    """The file is not XML, or is XML of a kind that is refused (a DOCTYPE, a wrong encoding)."""


class BrokenRobot(UrdfError):
    """The XML is well-formed, but it is not a single tree of links with usable numbers."""


class BrokenMesh(UrdfError):
    """A mesh file that cannot be read or converted.

    `cure` says what to do, "" if the sentence does.
    """

    cure = "correct the mesh in the program that made it, and export it again"


class UnopenedMesh(BrokenMesh):
    """A mesh file that another export would not cure: the sentence has the reason of the system, or the cure."""

    cure = ""


class NotFinite(BrokenMesh):
    """A mesh file with a coordinate that is nan or inf; some programs read it."""


class UsageError(UrdfError):
    """A file, folder or option that cannot be used as given."""


class ProofFailed(UrdfSimplifyError):
    """The result does not have the motion, masses or appearance of the input: a fault of this tool, which ends the run."""


class ErrorGroup(UrdfError):
    """Several problems of one file, found in one reading; `str()` has one line for each."""

    def __init__(self, problems: Iterable[UrdfError]) -> None:
        self.problems: Tuple[UrdfError, ...] = tuple(problems)
        first = self.problems[0]
        super().__init__(first.message, first.path, first.line)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def raise_all(problems: Sequence[UrdfError]) -> None:
    """Raise a single problem unchanged, several as one error, in their order; without any, return."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise ErrorGroup(problems)


def did_you_mean(
    name: str, known: Sequence[str], begun: Optional[Mapping[str, str]] = None, least: float = 0.0
) -> str:
    """Return ` (did you mean 'x'?)` for the most similar known name, or "".

    `begun` holds known names by their beginnings, so that `--sperate` resembles the beginning of a name. The dashes of
    options are not compared: `--snap` does not resemble `--strip`.
    """
    from difflib import get_close_matches  # imported here: only errors need it

    names = {**(begun or {}), **{whole: whole for whole in known}}
    meant = {word.lstrip("-"): whole for word, whole in names.items()}
    # Options have many letters in common: 0.6 finds one for any mistake.
    usual = 0.7 if name[:1] == "-" else 0.6
    close = get_close_matches(name.lstrip("-"), meant, 1, least or usual)
    return f" (did you mean '{meant[close[0]]}'?)" if close else ""


def glob_meant(glob: str, names: Collection[str]) -> str:
    """Return ` (did you mean 'waist_*'?)` for a glob without a match: a similar glob that matches a name; or ""."""
    from difflib import get_close_matches

    literal = max(re.split(r"[*?\[\]]+", glob), key=len).strip("_")
    parts: Set[str] = set()
    for name in names:
        words = name.split("_")
        ends = combinations(range(len(words) + 1), 2)
        parts.update("_".join(words[first:last]) for first, last in ends)
    likely = [glob.replace(literal, part) for part in get_close_matches(literal, parts, 9)]
    fitting = [each for each in likely if any(fnmatchcase(name, each) for name in names)]
    return f" (did you mean '{fitting[0]}'?)" if fitting else ""


# ==== urdf_tools/base/exact_trigonometry.py ====
# Sine, cosine and arctangent rounded correctly: the same bits on every machine, whatever its mathematical library.
#
# All is computed in integers that stand for multiples of 2**-bits. A result is taken when both ends of its error interval
# round to the same float, else it is computed again with twice as many bits (Ziv, ACM TOMS 17, 1991). This ends: no value
# except at zero lies halfway between two floats, as all values are transcendental (Lindemann).

PI = 3.141592653589793
HALF_PI = 1.5707963267948966
FIRST_BITS = 88  # one of some 2**25 angles needs more, and so do the multiples of a right angle
MOST_OFF = 64  # units: more than twice the sum of all digits cut off below


# A robot has few different angles: only a few in ten thousand links differ, and equal angles are rarely adjacent.
@lru_cache(maxsize=65536)
def cosine_sine(angle: float) -> Tuple[float, float]:
    """Return cosine and sine of an angle [rad], each the nearest float; the sine of -0.0 is 0.0."""
    # The next term of either series is below half a unit in the last place.
    if abs(angle) < 2.0**-27:
        return 1.0, angle + 0.0
    top, bottom = angle.as_integer_ratio()
    bits = FIRST_BITS
    while True:
        cosine, sine = _point_at((top << bits) // bottom, bits)
        # Python rounds the quotient of two integers correctly.
        lowest = ((cosine - MOST_OFF) / (1 << bits), (sine - MOST_OFF) / (1 << bits))
        if lowest == ((cosine + MOST_OFF) / (1 << bits), (sine + MOST_OFF) / (1 << bits)):
            return lowest
        bits *= 2


@lru_cache(maxsize=16384)
def arctangent(y: float, x: float) -> float:
    """Return the angle of the point (x, y) [rad], the nearest float, in [-pi, pi]; zeros have no sign.

    Newton's method for the tangent of the missing angle; the library only gives the initial guess.
    """
    # The cube of y / x is negligible. A quotient below 1e-300 may have lost digits, so it takes the way below.
    if abs(y) <= 2.0**-55 * abs(x) and (abs(y) > 1e-300 * abs(x) or y == 0.0):
        return copysign(PI, y + 0.0) if x < 0.0 else (y + 0.0) / (x or 1.0)
    if abs(x) <= 2.0**-55 * abs(y):
        return copysign(HALF_PI, y)
    guess = atan2(y, x)
    a, b = y.as_integer_ratio()
    p, q = x.as_integer_ratio()
    up = a * q
    along = p * b
    top, bottom = guess.as_integer_ratio()
    # A small angle has its first digit later.
    bits = FIRST_BITS - min(0, frexp(guess)[1])
    angle = (top << bits) // bottom
    while True:
        cosine, sine = _point_at(angle, bits)
        missing = (up * cosine - along * sine << bits) // (along * cosine + up * sine)
        angle += missing
        # An angle and its tangent differ by a third of the cube.
        off = MOST_OFF + (abs(missing) ** 3 >> 2 * bits)
        lowest = (angle - off) / (1 << bits)
        if lowest == (angle + off) / (1 << bits):
            return lowest
        angle = angle << bits
        bits = 2 * bits


def _point_at(angle: int, bits: int) -> Tuple[int, int]:
    """Return cosine and sine of an angle [rad], all in units of 2**-bits; `extra` bits are for the multiples of pi."""
    extra = max(0, angle.bit_length() - bits) + 8
    quarter = _half_pi(bits + extra)
    turns = ((angle << extra + 1) + quarter) // (2 * quarter)
    rest = (angle << extra) - turns * quarter >> extra  # at most pi/4
    square = rest * rest >> bits
    sine = 0
    for term in _series(bits):
        sine = term - (square * sine >> bits)
    sine = rest * sine >> bits
    cosine = isqrt((1 << 2 * bits) - sine * sine)
    by_turns = ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))
    return by_turns[turns % 4]


@lru_cache(maxsize=None)
def _series(bits: int) -> Sequence[int]:
    """Return 1/(2k + 1)! in units of 2**-bits, the largest k first."""
    terms = [1 << bits]
    while terms[-1]:
        n = 2 * len(terms)
        terms.append(terms[-1] // (n * (n + 1)))
    return terms[-2::-1]


@lru_cache(maxsize=256)
def _half_pi(bits: int) -> int:
    """Return pi/2 in units of 2**-bits (Machin: pi/4 = 4 arctan 1/5 - arctan 1/239)."""
    total = 0
    for factor, n in ((8, 5), (-2, 239)):
        term = (factor << bits + 32) // n
        k = 1
        while abs(term) > n * n:
            sign = 1 if k % 4 == 1 else -1
            total += sign * (term // k)
            term //= n * n
            k += 2
    return total >> 32


# ==== urdf_tools/base/type_aliases.py ====
# Names of types that many rooms use.

Json = Dict[str, Any]  # an object of JSON
Reals = Tuple[float, ...]
Texts = Tuple[str, ...]
Span = Tuple[float, float]  # a lowest and a highest number
Lines = List[str]  # of text that a person reads
Words = List[str]  # of a command line
Pair = Tuple[str, str]
Pairs = Tuple[Pair, ...]
Packages = Pairs  # names of ROS packages, and the folders that they are in
# The words before the name of a file, the name, and the words after it.
Announced = Tuple[str, str, str]
Choices = Mapping[str, Any]  # the values of options, by their names
Names = Mapping[str, str]  # new names by old ones
Shows = Mapping[str, Callable[[], None]]  # functions that show more, by the answer that runs them
Show = Callable[[str, int], None]  # shows the current mesh, and its number of triangles


# ==== urdf_tools/base/paths.py ====
# Paths where operating systems differ: names that mean the same file, parent folders, relative paths.

# Names that no folder of Windows can hold, whatever their ending: Microsoft, "Naming Files, Paths, and Namespaces".
WINDOWS_DEVICES = frozenset(
    [
        "CON",
        "PRN",
        "AUX",
        "NUL",
        "CONIN$",
        "CONOUT$",
        *(f"COM{digit}" for digit in range(10)),
        *(f"LPT{digit}" for digit in range(10)),
    ]
)


def is_device_of_windows(name: str) -> bool:
    """Return True if Windows takes the name of a file for a device, such as `con` or `nul.urdf`."""
    return name.partition(".")[0].rstrip().upper() in WINDOWS_DEVICES


def portable_name(path: str) -> str:
    """Return a real path as the least exact of all file systems tells names apart.

    Windows and macOS ignore case by default, macOS how letters are composed (Unicode NFC and NFD), and Windows dots and
    blanks at the end of a name.
    """
    return portable_spelling(os.path.realpath(path).replace(os.path.sep, "/"))


# The names in a folder are compared with each part of each reference.
@lru_cache(maxsize=4096)
def portable_spelling(name: str) -> str:
    """Return a name with slashes in the one spelling that `portable_name` compares."""
    if not name.isascii():
        from unicodedata import normalize  # imported here: it loads slowly, and few names need it

        name = normalize("NFC", normalize("NFC", name).casefold())
    return "/".join(part.rstrip(". ") for part in name.casefold().split("/"))


def listed_path(folder: str, name: str, listings: Dict[str, Sequence[str]]) -> Optional[str]:
    """Return the path of a file in a folder, each part of its name as the folder that holds it lists it.

    Windows and macOS find a file by names that Linux does not: see `portable_name`. The listing of a folder tells its true
    name on every system.

    Args:
        folder: where the name begins.
        name: relative to the folder, with slashes.
        listings: the names in each folder that was read, which grows.

    Returns:
        None: no file has the name in any spelling, or several have it and none of them in just this one.
    """
    paths = [folder]
    for part in name.split("/"):
        if part in ("", os.curdir, os.pardir):
            paths = [os.path.join(path, part) for path in paths] if part else paths
            continue
        spelling = portable_spelling(part)
        found: List[str] = []
        for path in paths:
            for listed in _names_in_folder(path, listings):
                if portable_spelling(listed) == spelling:
                    found.append(os.path.join(path, listed))
        paths = found
    files = [path for path in paths if os.path.isfile(path)]
    written = os.path.join(folder, *filter(None, name.split("/")))
    if written in files:
        return written
    return files[0] if len(files) == 1 else None


def _names_in_folder(folder: str, listings: Dict[str, Sequence[str]]) -> Sequence[str]:
    """Return the names in a folder, () if it cannot be read."""
    if folder not in listings:
        try:
            listings[folder] = os.listdir(folder or os.curdir)
        except OSError:
            listings[folder] = ()
    return listings[folder]


def is_same_file(path: str, other: str) -> bool:
    """Return True if both names mean one file, also through links.

    The file system of two files that do not exist yet is unknown: names that are the same file on some system count as
    the same.
    """
    if "\0" in path + other:  # no name of a file holds it, and the system raises
        return False
    try:
        return os.path.samefile(path, other)
    except OSError:
        if os.path.exists(path) or os.path.exists(other):  # this file system tells them apart
            return os.path.realpath(path) == os.path.realpath(other)
        return portable_name(path) == portable_name(other)


def with_folders_above(path: str) -> Iterator[str]:
    """Yield a path, its folder, the folder of that, and so on; last the root or drive, or "" of a relative path."""
    yield path
    above = os.path.dirname(path)
    while above != path:  # the root and a drive are their own folders
        yield above
        path = above
        above = os.path.dirname(above)


def path_from(folder: str, path: str) -> str:
    """Return the name of a path as seen from a folder, with slashes; absolute where they are on different drives."""
    try:
        name = os.path.relpath(path, folder or ".")
    except ValueError:  # Windows has no path from one drive to another
        name = os.path.abspath(path)
    return name.replace(os.path.sep, "/")


def path_in(folder: str, name: str) -> str:
    """Return the path of a name, with slashes, in a folder as it was typed: the path has one kind of separators.

    Windows accepts slashes and backslashes; if the folder contains neither, backslashes are used.
    """
    path = os.path.join(folder, name)
    if os.path.sep == "/":  # a backslash is a letter there
        return path
    if "/" in folder and os.path.sep not in folder:
        return path.replace(os.path.sep, "/")
    return path.replace("/", os.path.sep)


def path_beside(path: str, name: str) -> str:
    """Return the path of a name in the folder of a file, with the separators with which the file was typed."""
    folder = path[: len(path) - len(os.path.basename(path))]  # with its last separator
    return path_in(folder, name)


def common_folder(paths: Iterable[str]) -> Optional[str]:
    """Return the innermost folder that holds all paths, which are all absolute or all relative; None on several drives.

    "" is the folder of relative paths that share no other.
    """
    try:
        return os.path.commonpath(list(paths))
    except ValueError:
        return None


def expanded_patterns(words: Iterable[str]) -> List[str]:
    """Return names of files, on Windows with the files that a pattern such as `robots\\*.urdf` means in its place.

    Every other system has a shell that expands patterns before a program sees them.
    """
    if os.name != "nt":
        return list(words)
    from glob import glob  # imported here: only Windows needs it

    names: List[str] = []
    for word in words:
        found = sorted(glob(word)) if "*" in word or "?" in word else []
        # A pattern that no file has stays: the error names it as it was typed.
        names += found or [word]
    return names


# ==== urdf_tools/base/version.py ====
# The release, and whether the text of a copied single file is still the text of the release.

__version__ = "0.3.0.dev0"
# How a comment begins that this tool wrote, in any release, also by an edited copy.
SIGNATURE = r"urdf_simplify [0-9][^\s:]*(?:, modified)?"
OWN_NOTE = SIGNATURE + ": "

# Empty in the package. In the single file this one line is filled in with the digest of that file.
SOURCE_DIGEST = "88a31874"


def source_digest(source: bytes) -> str:
    """Return the CRC-32 of a source text as 8 hex digits, without the parts that copying alone may change.

    That is: a byte order mark, CRLF line ends, the `#!` line, and the value of SOURCE_DIGEST itself.
    """
    from zlib import (
        crc32,
    )  # the package does not need it; every run of the single file does, so that it must be fast

    text = source[3:] if source.startswith(b"\xef\xbb\xbf") else source
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    if text.startswith(b"#!"):
        text = text.partition(b"\n")[2]
    before, mark, rest = text.partition(b'\nSOURCE_DIGEST = "')
    _, quote, after = rest.partition(b'"')
    return f"{crc32(after, crc32(before + mark + quote)):08x}"


def own_source() -> Optional[bytes]:
    """Return the text this function was compiled from, or None where it cannot be found.

    The code object contains its file name in every way of loading (script, import, by path without `sys.modules`), also
    if nothing sets `__file__`; the loader comes first because it can read out of a zip archive.
    """
    path = own_source.__code__.co_filename
    try:
        get_data = getattr(globals().get("__loader__"), "get_data", None)
        if get_data is not None:
            return bytes(get_data(path))
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None


@lru_cache(maxsize=None)
def source_state() -> str:
    """Return "modified" if the text of the single file was edited, why it is not known, or "" for the text of the release."""
    if not SOURCE_DIGEST:
        return ""
    source = own_source()
    if source is None:
        return "not verified: its text cannot be read"
    return "" if source_digest(source) == SOURCE_DIGEST else "modified"


def signature() -> str:
    """Return the name and the release that sign a result; an edited copy of the single file says so."""
    edited = ", modified" if source_state() == "modified" else ""
    return f"urdf_simplify {__version__}{edited}"


def version_text() -> str:
    """Return name, release and source, such as `urdf_simplify 0.3.0 (source 3f9a1c2b, modified)`."""
    if not SOURCE_DIGEST:
        return f"urdf_simplify {__version__} (package)"
    state = source_state()
    shown = f", {state}" if state else ""
    return f"urdf_simplify {__version__} (source {SOURCE_DIGEST}{shown})"


# ==== urdf_tools/base/file_reading.py ====
# Files by name: read whole, and checked before anything is written.

# The beginnings of files that this tool writes: XML, JSON and glTF, the page, the script for Blender, the model as
# JSON.
OWN_MARK = (
    f'<!-- {OWN_NOTE}|<!-- {SIGNATURE} variant:|"(name|generator)": ?"urdf_simplify"|'
    'content="urdf_simplify |`urdf_simplify --armature|`urdf-simplify export|^\\{"format": [0-9]+,\n "name": '.encode(
        "ascii"
    )
)
# Magic numbers of archives, as in file(1).
ARCHIVES = (b"PK\3\4", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c", b"Rar!")
ROBOT_ENDINGS = (".urdf", ".xacro", ".sdf", ".xml", ".usda", ".usd", ".usdc", ".usdz")
# A USD is text, a crate, or a zip archive of either.
USD = rb"(?s)\s*#usda|PXR-USDC|PK\x03\x04.{26}[^\0]*\.usd"
FIRST_ELEMENT = (
    rb"(?s)\A(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*"
    rb"<([A-Za-z_][\w:.-]*)"
)
# The beginnings of UTF-16 XML: XML 1.0, appendix F.
UTF_16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
FileStamp = Tuple[int, ...]  # device, number, size [bytes], time of the last change [ns]


def _is_folder(path: str) -> UsageError:
    """Return the error for a folder that is given as a file; it names robots in the folder."""
    inside = []
    # Searching a large tree to its end would take too long for a hint.
    for top, _, names in islice(os.walk(path), 99):
        robots = [name for name in names if name.endswith(ROBOT_ENDINGS)]
        inside += [path_from(path, os.path.join(top, name)) for name in robots]
    inside.sort(key=lambda name: (name.count("/"), name))
    hint = ""
    if inside:
        hint = f": name a file in it, such as {', '.join(inside[:3])}; lint takes folders"
    return UsageError(f"this is a folder{hint}", path)


def read_file(path: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        UsageError: it is missing, a folder, an archive or a device, or may not be read.
    """
    try:
        with open(path, "rb") as stream:
            # A character device might never end.
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
                raise UsageError("this is a device, not a file", path)
            data = stream.read()
        if data.startswith(ARCHIVES) and not path.endswith(".usdz"):
            raise UsageError("this is an archive: unpack it, and name a file in it", path)
        return data
    except UsageError:
        raise
    except FileNotFoundError:
        raise no_such_file(path) from None
    except (OSError, ValueError) as error:
        # Windows reports "Permission denied" for a folder.
        if "\0" not in path and os.path.isdir(path):
            raise _is_folder(path) from None
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot be read: {why}", path) from None


def read_standard_input() -> bytes:
    """Return all bytes of standard input.

    Raises:
        UsageError: it is closed.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed", "<stdin>")
    return sys.stdin.buffer.read()


def first_element(data: bytes) -> str:
    """Return the name of the first element of an XML text, "usd" for a USD, "" for anything else."""
    if re.match(USD, data):
        return "usd"
    if data[:2] in UTF_16:
        data = data.decode(UTF_16[data[:2]], "replace").lstrip("\ufeff").encode()
    match = re.match(FIRST_ELEMENT, data)
    return match.group(1).decode("utf-8", "replace") if match is not None else ""


def first_element_of(path: str) -> str:
    """Return the name of the first element of a file, by its beginning: see `first_element`."""
    # Comments in front of it, such as a license, are shorter.
    with open(path, "rb") as stream:
        return first_element(stream.read(65536))


def file_stamp(path: str) -> FileStamp:
    """Return a stamp of a file and its content without reading it: it changes once the file is written again; (): the
    file does not exist.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # a name with a zero byte
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def no_such_file(path: str) -> UsageError:
    """Return the error for a file that is missing, with a name in its folder that was probably meant.

    The ending is not compared: among names with the same stem, the name with the ending of the missing file is
    preferred.
    """
    own_name = os.path.basename(path)  # the last part, also of a link that leads nowhere
    stem, ending = os.path.splitext(own_name)
    try:
        found = os.listdir(os.path.dirname(path) or ".")
    except OSError:
        found = []
    names = sorted(found, key=lambda name: (name.endswith(ending), name))
    meant = did_you_mean(
        stem, [], {os.path.splitext(name)[0]: name for name in names if name != own_name}
    )
    return UsageError(f"no such file{meant}", path or "''")


def default_output(path: str) -> str:
    """Return `robot_simplified.urdf` for `robot.urdf` and for `robot.urdf.xacro`, in the same folder."""
    return f"{robot_stem(path)}_simplified.urdf"


def robot_stem(path: str) -> str:
    """Return `robot` for `robot.urdf` and for `robot.urdf.xacro`, in the same folder."""
    stem, extension = os.path.splitext(path)
    return stem[: -len(".urdf")] if extension == ".xacro" and stem.endswith(".urdf") else stem


def check_apart(outputs: Sequence[Pair]) -> None:
    """Make sure that no two files to write, given as (option, path), are the same.

    Raises:
        UsageError: naming both options.
    """
    for index, (option, path) in enumerate(outputs):
        for other, other_path in outputs[:index]:
            if is_same_file(path, other_path):
                raise UsageError(f"{other} and {option} are the same file", path)


def check_output(output: str, path: str, *, force: bool, option: str = "--output") -> None:
    """Make sure that the output can be written, before any work is done; a missing folder is made later.

    Raises:
        UsageError: its folder is a file or not writable, the output is a folder, or it is the input.
    """
    if "\0" in output:
        raise UsageError("a file name cannot hold a null character", output.replace("\0", "\\0"))
    if os.name == "nt" and is_device_of_windows(os.path.basename(output)):
        raise UsageError("Windows has a device of this name: give another name", output)
    folder = existing_folder(os.path.dirname(os.path.realpath(output)))
    if not os.path.isdir(folder):
        missing = os.path.dirname(output)
        raise UsageError(f"the folder '{missing}' cannot be made: a file is in its way", output)
    if os.path.isdir(output):
        example = os.path.join(output, "robot.urdf")
        raise UsageError(f"the output is a folder: give a file name, such as {example}", output)
    # A device or pipe must not be replaced by a file with its name.
    if os.path.exists(output) and not os.path.isfile(output):
        or_stream = ", or - for standard output" if option == "--output" else ""
        raise UsageError(f"the output is not a regular file: give a file name{or_stream}", output)
    if path and is_same_file(output, path) and not force:
        # A command line spells an option with dashes, or as TARGET.
        or_force = "--force" if option.startswith("--") or option.isupper() else "force=True"
        raise UsageError(
            f"the output is the input file itself: give another {option}, or {or_force}", output
        )
    may_replace = not os.path.exists(output) or os.access(output, os.W_OK)
    if not os.access(folder, os.W_OK) or not may_replace:
        raise UsageError("the output cannot be written: permission denied", output)


def existing_folder(path: str) -> str:
    """Return a path, or its nearest existing ancestor folder; missing folders are made when the file is written.

    Raises:
        UsageError: its drive or share is missing.
    """
    for above in with_folders_above(path):
        if os.path.lexists(above):
            return above
    if os.path.splitdrive(path)[0]:
        raise UsageError(f"the drive or share {os.path.splitdrive(path)[0]} is not there", path)
    return "."


def is_foreign(path: str, data: bytes) -> Optional[bool]:
    """Return True if an existing file has no mark of this tool and differs from the data; None without a file."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(4096)
            # Every other byte of a mark in UTF-16 is 0.
            has_mark = re.search(OWN_MARK, start.replace(b"\0", b""))
            return not has_mark and start + stream.read() != data
    except OSError:
        return True if os.path.exists(path) else None


def hard_link_warnings(paths: Iterable[str]) -> List[str]:
    """Return a warning for each file with hard links: when it is replaced, the other names keep the old content."""
    names = {path: os.stat(path).st_nlink for path in paths if os.path.isfile(path)}
    return [
        f"warning: {path}: this file has {count} names (hard links); only this one is replaced, the others keep "
        "the old content"
        for path, count in names.items()
        if count > 1
    ]


# ==== urdf_tools/base/garbage_collector.py ====
# Pause the cyclic garbage collector: our trees and columns hold hardly any cycles, and it would walk all of them.


@contextmanager
def collector_at_rest(*, ends: bool = False) -> Iterator[None]:
    """Pause the collection; `ends`: the process ends after it, so a last collection need not walk the rest."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if ends and hasattr(gc, "freeze"):  # PyPy has another collector
            gc.freeze()
        if collecting:
            gc.enable()


# ==== urdf_tools/base/graph_walks.py ====
# Walks over trees and graphs, without recursion: a robot may be a chain of thousands of links.

Walked = TypeVar("Walked")
Reached = TypeVar("Reached", bound=Hashable)


def depth_first(
    tops: Sequence[Walked], children_of: Callable[[Walked], Sequence[Walked]]
) -> Iterator[Walked]:
    """Yield the tops of trees and all their descendants, each after its parent, and siblings in their order.

    The children of a node are read after the caller has taken the node.
    """
    # The last of the list is taken next, so that it is reversed.
    waiting = [*tops][::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += children_of(node)[::-1]


def reached_from(
    starts: Iterable[Reached], neighbors_of: Callable[[Reached], Iterable[Reached]]
) -> Dict[Reached, None]:
    """Return the nodes of a graph that the starts reach, with the starts, each once; the graph may have circles."""
    reached = dict.fromkeys(starts)
    waiting = [*reached]
    while waiting:
        for neighbor in neighbors_of(waiting.pop()):
            if neighbor not in reached:
                reached[neighbor] = None
                waiting.append(neighbor)
    return reached


# ==== urdf_tools/base/shell_words.py ====
# Words of a command line that can be pasted into any shell.

UNQUOTED = re.compile(r"[\w%+=:./-]+", re.ASCII)  # not a comma or @, which PowerShell reads
READ_IN_QUOTES = re.compile(r'["$`\\!]')  # by sh, also in double quotes


def shell_word(text: str) -> str:
    """Return a word as sh, PowerShell and cmd.exe take it: in double quotes, as cmd.exe knows no others."""
    if os.name == "nt":
        return _word_of_windows(text)
    if UNQUOTED.fullmatch(text):
        return text
    if READ_IN_QUOTES.search(text):
        from shlex import quote

        return quote(text)
    return f'"{text}"'


def _word_of_windows(text: str) -> str:
    """Return a word as the C library of Windows splits a command line ("Parsing C command-line arguments")."""
    if UNQUOTED.fullmatch(text.replace("\\", "/")):
        return text
    # A backslash is itself, but in front of a quotation mark, also of the last one.
    escaped = re.sub(r'(\\*)"', r'\1\1\\"', text)
    return '"' + re.sub(r"(\\+)$", r"\1\1", escaped) + '"'


# ==== urdf_tools/base/option_table.py ====
# The record of an option: the parser, the help, the library and the README are made from its rows.

KIND_WORDS = {bool: "True or False", str: "text", float: "a number", int: "a whole number"}


class OptionRow(Record):
    """A choice of the user.

    Attributes:
        name: the field or keyword, such as `base_frame`.
        verbs: the commands that take it, between spaces.
        help: its effect, in one line.
        metavar: the word for the value in the help; "" for flags and for options with `choices`.
        more: further sentences, for the long help.
        top: the commands whose short help shows it.
        kind: bool for a flag, which inverts the default; else the type of the value.
        default: the value where none is given.
        choices: the values that exist; () for any.
        repeatable: may be given several times; the value is a tuple.
        short: a second spelling that the help shows, such as `-o`.
        flag: the spelling on the command line where it is not `--` and the name with hyphens.
        read: makes the value from a given text, or raises ValueError; None: the text is the value.
        valid: whether a value of the right kind can be used; None: any can.
        advice: an allowed value, for messages, such as `give a number from 0 to 1`.
        is_output: the value is the name of a file that the run writes.
        finds_files: with it no file must be named, and words that are no options are patterns, which stay as they are.
        needs: the names of options of which at least one must be given too; () for an option with an effect of its own.
        excludes: the names of options that cannot be given too.
        python_type: the type of its value in a call, in words of `app/argument_types.py`; "" where `kind` and `choices`
            are enough.
    """

    name: str
    verbs: str
    help: str
    metavar: str = ""
    more: str = ""
    top: str = ""
    kind: type = str
    default: Any = None
    choices: Texts = ()
    repeatable: bool = False
    short: str = ""
    flag: str = ""
    read: Optional[Callable[[Any], Any]] = None
    valid: Optional[Callable[[Any], bool]] = None
    advice: str = ""
    is_output: bool = False
    finds_files: bool = False
    needs: Texts = ()
    excludes: Texts = ()
    python_type: str = ""

    @property
    def spelling(self) -> str:
        """How the command line spells it, such as `--base-frame`."""
        return self.flag or as_flag(self.name)

    @property
    def shown(self) -> str:
        """How a help page shows it, such as `-o, --output FILE`."""
        spellings = ", ".join(filter(None, (self.short, self.spelling)))
        value = self.metavar or "|".join(self.choices or ())
        return f"{spellings} {value}" if value else spellings


Rows = Tuple[OptionRow, ...]


def as_flag(name: str) -> str:
    """Return the usual spelling of an option on the command line."""
    return f"--{name.replace('_', '-')}"


def as_keyword(name: str) -> str:
    """Return the spelling of an option in a library call: `for_`, as `for` is a word of Python."""
    return f"{name}_" if iskeyword(name) else name


def rows_of(verb: str, rows: Iterable[OptionRow]) -> List[OptionRow]:
    """Return the options that a command takes."""
    return [row for row in rows if verb in row.verbs.split()]


def either(words: Sequence[str]) -> str:
    """Return words as a choice: `a, b or c`."""
    return f"{', '.join(words[:-1])} or {words[-1]}" if words[1:] else words[0]


def pasted(spelling: str, name: str) -> str:
    """Return an option with a glob that matches only this name, quoted for a shell.

    A name that begins like an option is escaped, too.
    """
    escaped = re.sub(r"[*?[]|^[-@]", r"[\g<0>]", name)
    return f"{spelling} {shell_word(escaped)}"


def values_of(
    rows: Sequence[OptionRow], given: Choices, spelled: Callable[[OptionRow], str]
) -> Choices:
    """Return the values of options by name: given values, read and checked, and the defaults of the others.

    Args:
        rows: the options that exist.
        given: values by name, of these only.
        spelled: how the caller spells an option, for messages.

    Raises:
        UsageError: a value of a wrong kind, or a value that does not exist; two options that exclude each other; or an
            option that would have no effect without a further option.
    """
    values = {row.name: row.default for row in rows}
    for row in rows:
        if row.name in given:
            values[row.name] = read_choice(row, given[row.name], spelled(row))
    changed = {row.name: row for row in rows if values[row.name] != row.default}
    names = {row.name: spelled(row) for row in rows}
    for row in changed.values():
        for other in row.excludes:
            if other in changed:
                raise UsageError(f"{names[row.name]} and {names[other]} cannot be combined")
        if row.needs and changed.keys().isdisjoint(row.needs):
            needed = either([names[name] for name in row.needs if name in names])
            raise UsageError(f"{names[row.name]} needs {needed}")
    return values


def read_choice(option: OptionRow, given: Any, spelled: str) -> Any:
    """Return the value of an option from a caller's value: a value of its kind, or for several a list or dictionary.

    Args:
        option: its row in the table.
        given: the value; a folder or file may be a `Path`.
        spelled: how the caller spells the option, for the message.

    Raises:
        UsageError: the value is of a wrong kind, or does not exist; the message names the allowed values.
    """
    if not option.repeatable:
        is_unset = given is None and option.default is None
        return None if is_unset else _read_one(option, given, spelled)
    if given is None:
        return ()
    if isinstance(given, Mapping):
        given = tuple(given.items())
    elif isinstance(given, (str, int, float)):
        given = (given,)
    elif not isinstance(given, Iterable) or isinstance(given, bytes):
        raise _refusal(option, given, spelled)
    return tuple(_read_one(option, value, spelled) for value in given)


def _read_one(option: OptionRow, given: Any, spelled: str) -> Any:
    """Return the value of an option, read and checked."""
    value = given
    if option.kind is str and isinstance(given, os.PathLike):
        value = os.fspath(given)
    elif option.kind is float and isinstance(given, int) and not isinstance(given, bool):
        value = float(given)
    if option.is_output and not value:
        raise UsageError(f"{spelled} {given!r}: give the name of a file")
    try:
        value = option.read(value) if option.read else value
    except (TypeError, ValueError):
        raise _refusal(option, given, spelled) from None
    # True is an int in Python.
    fits = isinstance(value, option.kind) and (option.kind is bool or not isinstance(value, bool))
    is_choice = not option.choices or value in option.choices
    if not fits or not is_choice or (option.valid and not option.valid(value)):
        raise _refusal(option, given, spelled)
    return value


def _refusal(option: OptionRow, given: Any, spelled: str) -> UsageError:
    """Return the error of a value that an option does not take."""
    advice = option.advice
    if not advice:
        allowed = either(option.choices) if option.choices else KIND_WORDS[option.kind]
        advice = f"give {allowed}"
    shown = given if isinstance(given, str) and given else repr(given)
    meant = did_you_mean(shown, option.choices) if option.choices and isinstance(given, str) else ""
    return UsageError(f"{spelled} {shown}: {advice}{meant}")


# ==== urdf_tools/base/run_diagnostics.py ====
# Every kind of diagnostic of a run: its short stable name, its meaning, its cure, and its sentences.
#
# In the package they are read from kinds.md, the page for readers. The single file contains each as text.

BASE_FRAME = DiagnosticKind(
    "base-frame",
    WARNING,
    "the direction that the robot faces is uncertain",
    "give --base-frame ros, --base-frame onshape, or the three axes, such as --base-frame x=left,y=back,z=up",
    False,
    {
        "doubt": "{0}; give --base-frame if the robot faces the wrong way",
        "either": "{0}: give --base-frame {1} if the robot faces {2}, or --base-frame {3} if it faces along {4}",
        "up": "{0}, but no other evidence agrees, so Z is taken as up; give --base-frame {1} if Z is not up",
        "up-or-front": "{0}, but no other evidence agrees, so the base stays; give --base-frame {1} if that axis is up, or --base-frame {2} if Z is",
        "noted": "an earlier run assumed {0}: give --base-frame if that is wrong",
        "again": "an earlier run of this tool turned the base already, and --base-frame turns it again; leave out --base-frame if the robot faces the right way",
    },
)
UNUSED_OPTION = DiagnosticKind(
    "unused-option",
    WARNING,
    "an option names something that the robot does not have",
    "correct the name, or leave the option out",
    False,
    {
        "keep": "--keep {0} matches none of the {n0:link} on fixed joints",
        "axis": "--axis {0}: no movable joint has this word in its name",
        "glob": "{0} matches no mesh",
        "again": "{0} has no effect: an earlier run did this, as its note in the file records",
    },
    cures={
        "again": "leave the option out: the input has this change already",
    },
)
UNREAD_NOTE = DiagnosticKind(
    "unread-note",
    WARNING,
    "a note of an earlier run cannot be read",
    "restore the <!-- urdf_simplify ... --> comment as this tool wrote it, or remove it",
    False,
    {
        "note": "'{0}' is not a note that this tool writes: the joint signs and zeros in it are ignored",
        "entry": "'{0}' is not an entry that this tool writes in its note of joint signs and zeros: it is ignored",
    },
)
REPAIRED = DiagnosticKind(
    "repaired",
    NOTE,
    "something is written wrongly, and was read in the only way that makes sense",
    "nothing: the result has the corrected text",
    False,
    {
        "commas": '{1} \'{0}\': {2}="{3}" is read as "{4}"',
    },
)
ASSUMED_VALUE = DiagnosticKind(
    "assumed-value",
    WARNING,
    "--lenient assumes a value that is missing or is not a number",
    "write the value that is meant",
    False,
    {
        "numbers": '{1} \'{0}\': {2}="{3}": taken as {4} (--lenient)',
        "inertials": "link '{0}' has more than one <inertial>: the first is taken (--lenient)",
        "mass": "link '{0}': <inertial> has no <mass value>: taken as zero (--lenient)",
    },
)
LOOP_CUT = DiagnosticKind(
    "loop-cut",
    WARNING,
    "--lenient cuts a joint that closes a loop, as a URDF is a tree",
    "to keep the loop closed: export ROBOT OUT.xml, which writes it as a <connect>; most readers of URDF leave it open",
    False,
    {
        "joint": "joint '{0}' closes a loop at link '{1}': it becomes the frames '{2}_1' and '{2}_2', which coincide where the loop is closed (--lenient)",
    },
)
XML_DECLARATION = DiagnosticKind(
    "xml-declaration",
    WARNING,
    "the XML declaration is not the beginning of the file",
    "nothing: the result has the declaration in the first line",
    False,
    {
        "comment": "<?xml ...?> comes after a comment: urdfdom (ROS, Pinocchio), Gazebo, MuJoCo, Drake, PyBullet, Newton and urdf-usd-converter refuse the file",
        "blanks": "<?xml ...?> comes after blanks: Newton, urdf-usd-converter and xacro, which read with Python's parser, refuse the file",
    },
)
XACRO_TEXT = DiagnosticKind(
    "xacro-text",
    WARNING,
    "a plugin contains text that looks like xacro",
    "if this is a xacro file, expand it first: xacro FILE > robot.urdf",
    False,
    {
        "text": "<{0}> contains '{1}', which looks like xacro; left as it is",
    },
)
NO_GEOMETRY = DiagnosticKind(
    "no-geometry",
    WARNING,
    "a visual or collision without a shape",
    "remove the element, or give it a <geometry>",
    False,
    {
        "shape": "link '{0}': this <{1}> has no geometry",
    },
)
UNREADABLE_GEOMETRY = DiagnosticKind(
    "unreadable-geometry",
    WARNING,
    "the shape is unknown in URDF, or its size cannot be read",
    "write a <box>, <cylinder>, <sphere> or <mesh> with readable numbers: most programs refuse or drop this shape",
    False,
    {
        "shape": "link '{0}': the <{1}> of this <{2}> is unknown, or its numbers cannot be read: it stays as it is, and other formats leave it out",
    },
)
MISSING_INERTIA = DiagnosticKind(
    "no-inertia",
    WARNING,
    "<inertial> lacks values of its <inertia>",
    "write the missing values of <inertia> [kg m^2] from CAD",
    False,
    {
        "tensor": "link '{0}': <inertial> has no <inertia>: taken as zero",
        "entries": "{1} '{0}': <inertia> has no {2}: taken as zero",
    },
)
NO_LIMIT = DiagnosticKind(
    "no-limit",
    WARNING,
    "a joint that must have a <limit> has none",
    "add <limit lower upper effort velocity>",
    False,
    {
        "joint": "joint '{0}': a {1} joint without <limit> is refused by most readers",
    },
)
MIMIC = DiagnosticKind(
    "mimic",
    WARNING,
    "a <mimic> that no joint can follow",
    "",
    False,
    {
        "unknown": "joint '{0}' mimics '{1}', which does not exist{2}",
        "circle": "the joints {0} mimic each other in a circle, so none of them has a defined position",
        "nameless": "joint '{0}': its <mimic> names no joint and is ignored",
        "released": "joint '{0}' mimics '{1}', which is dropped: '{0}' now moves freely",
    },
    cures={
        "unknown": "correct the name of the joint that it follows",
        "circle": "remove the <mimic> of one of them",
        "nameless": "name the joint that it follows, or remove the <mimic>",
        "released": "remove the <mimic>, or keep the joint that it follows",
    },
)
INERTIA = DiagnosticKind(
    "inertia",
    WARNING,
    "no real body has this inertia",
    "write the <inertia> from CAD, or: lint ROBOT --fix; a simulator may refuse this one",
    False,
    {
        "link": "link '{0}': {1}",
    },
)
MASSLESS = DiagnosticKind(
    "no-mass",
    WARNING,
    "a link that moves has no mass",
    "give the link an <inertial> with its mass [kg], make its joint fixed, or: lint ROBOT --fix",
    False,
    {
        "inertial": "link '{0}' moves but has no <inertial>: simulators refuse it",
        "weighed": "link '{0}' moves but has no <inertial>: Gazebo drops it, and MuJoCo gives its collisions the mass of water",
        "mass": "link '{0}' moves but has no mass: simulators refuse it",
    },
)
WORLD_CONTENT = DiagnosticKind(
    "world-content",
    WARNING,
    "a link named 'world' has mass or shapes, which simulators ignore",
    "give the link another name, if it is a part of the robot",
    False,
    {
        "link": "link 'world' has {0}: Gazebo reads no content of a link with this name, and Drake only its shapes",
    },
)
ROOT_MASS = DiagnosticKind(
    "root-mass",
    WARNING,
    "a root that had no mass has a mass now, which KDL ignores",
    "for KDL, add --keep {links}; simulators need no change",
    False,
    {
        "link": "root '{0}' had no mass and has {n0:.4g} kg now: KDL ignores the mass of a root",
    },
)
AXIS_NAME = DiagnosticKind(
    "axis-name",
    WARNING,
    "a joint turns about another axis than its name means",
    "rename the joint, correct its axis, or give --axis WORD=AXIS if the word means another axis here",
    False,
    {
        "joint": "joint '{0}' turns about {1}, and '{2}' in its name means {3}",
    },
)
FREE_JOINT = DiagnosticKind(
    "free-joint",
    WARNING,
    "the frame of a planar or floating joint turns, and its positions with it",
    "turn the positions that programs command, by the rotation of the frame in the report (T_new_old), or --no-reorient",
    False,
    {
        "joint": "joint '{0}' is {1}: its position is given in its own frame, which turns",
    },
)
EXPORTED_TWICE = DiagnosticKind(
    "exported-twice",
    WARNING,
    "the same part is in the file twice, and so is its mass",
    "give --count-once, if the robot has this part once",
    False,
    {
        "part": "link '{0}' is the same part as '{1}': its {n0:.4g} kg count twice",
    },
)
EXPORTED_ONCE = DiagnosticKind(
    "exported-once",
    NOTE,
    "the same part is in the file twice, and its mass counts once",
    "nothing: this is what --count-once does; without the option both copies count",
    False,
    {
        "part": "link '{0}' is the same part as '{1}': its {n0:.4g} kg count once",
    },
)
JOINT_TWICE = DiagnosticKind(
    "joint-twice",
    WARNING,
    "a joint is defined twice, with different content",
    "correct the limits, dynamics or mimic of the joint that is wrong",
    False,
    {
        "kept": "joint '{0}' has the name of the joint in line {n0}; --no-merge keeps both",
        "differs": "joint '{0}' is defined again with other limits, dynamics or mimic than in line {n0}: the ones of line {n0} stay",
    },
    cures={
        "kept": "rename one of the joints, or leave out --no-merge",
    },
)
RENAMED_JOINT = DiagnosticKind(
    "renamed-joint",
    WARNING,
    "two joints had the same name",
    "use the new name in the programs that command the joint",
    False,
    {
        "joint": "joint '{0}' is now named '{1}': the joint in line {n0} has the same name, but {2}",
    },
)
MESH_NOT_FOUND = DiagnosticKind(
    "mesh-not-found",
    WARNING,
    "no mesh file exists where the name points",
    "put the file where its name says; package://NAME: --package NAME=DIR",
    True,
    {
        "left": "'{0}' is not found ({1})",
        "package": "{n0:file} of package '{0}' {n0:is|are} not found ({n1:use}): {1}; --package {0}=DIR",
        "name": "'{0}' is not found{1}: its name is kept",
        "place": "'{0}' is not found{1}: its name in the result points to the same place",
        "moved": "{n0:file} of package '{0}' {n0:is|are} not found from the folder of the output, as the package is in '{1}': {2}",
    },
)
PACKAGE_ASSUMED = DiagnosticKind(
    "package-assumed",
    NOTE,
    "a package is taken to be a folder of its name beside the URDF",
    "--package NAME=DIR, if it is another folder",
    False,
    {
        "folder": "package '{0}' is assumed to be the folder '{1}', seen from the URDF",
    },
)
MESH_FOLDER = DiagnosticKind(
    "mesh-folder",
    WARNING,
    "MuJoCo looks for meshes in its meshdir, and finds another file or none",
    "",
    True,
    {
        "lost": "MuJoCo does not find the new meshes: while the robot has names such as package://, it looks for all meshes in its meshdir",
        "other": "MuJoCo found '{0}' in its meshdir, and all other readers found another file: the result names the file of the other readers for all",
    },
    cures={
        "lost": "--mesh-paths relative; or --mesh-dir DIR, if MuJoCo looks in DIR",
        "other": "nothing, if the file of the other readers is meant; else correct the name",
    },
)
MESH_UNREADABLE = DiagnosticKind(
    "mesh-unreadable",
    WARNING,
    "a mesh cannot be read or converted",
    "export the mesh again; for a Git LFS pointer: git lfs pull",
    True,
    {
        "left": "{1}",
        "pointer": "mesh '{0}' is a Git LFS pointer: its file was not downloaded",
        "page": "mesh '{0}' is a page of HTML that a server sent in place of the file",
        "answer": "mesh '{0}' is JSON that a server sent in place of the file",
        "material": "the materials of mesh '{0}' cannot be read: {1}",
        "nothing": "mesh '{0}' draws no triangle",
        "number": "mesh '{0}' has a point without a finite place: {1}",
        "unreadable": "mesh '{0}' cannot be read: {1}",
    },
    cures={
        "pointer": "git lfs pull",
        "page": 'download the file itself (on GitHub by "Raw"), not the page that shows it',
        "answer": "download the file itself, not the answer of an interface about it",
        "material": "git lfs pull, or write the material file again",
        "nothing": "export the mesh again, with its faces",
        "number": "export the mesh again, or remove the point that has no place",
        "unreadable": "export the mesh again",
    },
)
MESH_CONTENT = DiagnosticKind(
    "mesh-content",
    WARNING,
    "something in a mesh is left out, or is unusual",
    "nothing, if the result looks right; else correct the mesh in its modeling program, and export it again",
    False,
    {
        "not-copied": "the mesh names the file '{0}', which is not copied",
        "no-scene": "the mesh has no visual scene: every geometry is drawn as it is",
        "other-scene": "the mesh has no visual scene '{0}': the first one is drawn",
        "missing": "the mesh has no {0} '{1}': it is not drawn",
        "no-mesh": "geometry '{0}' is not a mesh ({1}): it is not drawn",
        "singular": "an instance of geometry '{0}' has a scale of zero: it is left out",
        "flat": "{n0:triangle} without area {n0:is|are} left out",
        "all-flat": "material '{0}' has only triangles without area: it makes no part",
        "wrong-count": "{n0:count} of polygons {n0:differs|differ} from the polygons that are listed: the listed polygons are drawn",
        "other-corners": "{n0:polylist} {n0:has|have} more or fewer corners than {n0:its|their} polygon sizes add up to",
        "incomplete": "{n0:incomplete triangle} {n0:is|are} left out",
        "few-corners": "{n0:polygon} of fewer than 3 corners {n0:is|are} left out",
        "crossing": "{n0:polygon} {n0:crosses itself|cross themselves}",
        "no-material": "no material is bound to '{0}': the default color is used",
        "no-effect": "material '{0}' refers to effect '{1}', which is not in this file: the default color is used",
        "no-profile": "the effect of material '{0}' has no <profile_COMMON>: the default color is used",
        "image": "material '{0}' shows the image '{1}': the flat color {2} takes its place",
        "point-colors": "the mesh has vertex colors, which are left out",
        "light": "material '{0}' emits light, which STL cannot store",
        "alpha": "material '{0}' has an alpha of {n0:.3g} by the COLLADA specification; it is taken as opaque",
    },
    cures={
        "not-copied": "nothing, if your viewer does not draw it; else copy the file beside the mesh of the result",
        "image": "nothing, if a flat color will do; else --mesh-format gltf, which keeps images",
        "point-colors": "nothing, if the color of the material will do; else give the parts materials in the modeling program",
        "flat": "nothing: a triangle without area is never seen",
    },
)
MESH_COLORS = DiagnosticKind(
    "mesh-colors",
    NOTE,
    "materials of one color share a part",
    "nothing, if one part for each color will do; else --split material",
    False,
    {
        "materials": "materials {0} all have the color {1}",
    },
)
MESH_SIZE = DiagnosticKind(
    "mesh-size",
    WARNING,
    "the unit of a mesh is missing, or seems wrong",
    "",
    False,
    {
        "no-unit": "the mesh declares no unit: {n0} m is used",
        "large": "the mesh is {n0:.4g} m long: is the unit right?",
        "small": "the mesh is only {n0:.4g} mm long: is the unit right?",
    },
    cures={
        "no-unit": "--missing-unit UNIT, such as --missing-unit millimeter",
        "large": "--scale M (meters per unit), such as --scale 0.001 for a mesh in millimeters",
        "small": "--scale M (meters per unit), such as --scale 1 for a mesh in meters",
    },
)
MESH_PLANAR = DiagnosticKind(
    "mesh-planar",
    WARNING,
    "a part is planar, which MuJoCo refuses",
    "--for mujoco, which merges it with another part",
    False,
    {
        "part": "the part lies in one plane, which MuJoCo refuses",
    },
)
MERGED_LINK = DiagnosticKind(
    "merged-link",
    WARNING,
    "something names a link that is merged away",
    "--keep {links}",
    True,
    {
        "named": "{0} names a link that is merged into '{2}'; left as it is",
    },
)
FRAME_NAME = DiagnosticKind(
    "frame-name",
    WARNING,
    "something names a TF frame that is removed or turns",
    "--keep {links}",
    True,
    {
        "named": "{0} names the frame of a link that is merged into '{2}'; left as it is: keep the link if programs look up that frame in TF",
        "turns": "{0} names the frame '{1}', whose axes are turned in the result; left as it is, so directions given in this frame mean others now",
    },
    cures={
        "turns": "turn what programs give or read in this frame, or --no-reorient",
    },
)
DROPPED_NAME = DiagnosticKind(
    "dropped-name",
    WARNING,
    "something names a link or joint that is dropped",
    "remove the name, or the element that has it",
    True,
    {
        "named": "{0} names '{1}', which is dropped; left as it is",
    },
)
REMOVED_JOINT = DiagnosticKind(
    "removed-joint",
    WARNING,
    "something names a joint that is merged away",
    "write the name of a joint that stays",
    True,
    {
        "named": "{0} names a joint that is merged away; left as it is",
        "measures": "{0} measures joint '{1}', which is merged away; left as it is",
        "block": "{0} belongs to joint '{1}', which is merged away: dropped with it",
        "drives": "{0} drives joint '{1}', which is merged away: dropped with it",
        "of-control": "{0} of ros2_control is dropped, as joint '{1}' is merged away",
    },
    cures={
        "block": "nothing, if no program reads the element; else --no-merge",
        "drives": "nothing, if no program drives the joint; else --no-merge",
        "of-control": "nothing, if no program drives the joint; else --no-merge",
    },
)
MERGED_CONTENT = DiagnosticKind(
    "merged-content",
    WARNING,
    "links that are merged into one have different content",
    "--keep {links}",
    True,
    {
        "differ": "{0} of '{1}' differs from the one in line {3}, and both links are now '{2}': the one in line {3} stays",
    },
)
SURFACE_MERGED = DiagnosticKind(
    "surface-merged",
    WARNING,
    "links that are merged into one have different contacts or colors",
    "--keep {links}",
    True,
    {
        "gained": "{2} of '{1}' now applies to the content of link '{0}' too, as both are merged; '{0}' had no such value (default {3})",
        "lost": "{2} of '{0}' is lost: it is merged with '{1}', where {3} stays",
    },
)
BODY_MERGED = DiagnosticKind(
    "body-merged",
    WARNING,
    "links that are merged into one body have different gravity, damping or self-collision",
    "write the same value for both links, or --no-merge",
    True,
    {
        "falls": "gravity now acts on {n0:.4g} kg of '{0}': it is one body with '{1}', so {3} is lost",
        "floats": "gravity no longer acts on {n0:.4g} kg of '{0}': it is one body with '{1}', for which {4} holds",
        "differs": "{2} of '{0}' ({n0:.4g} kg) changes from {3} to {4}, as it is now one body with '{1}'",
    },
)
ELEMENT_DROPPED = DiagnosticKind(
    "element-dropped",
    WARNING,
    "content that URDF does not define is removed with its joint or link",
    "--keep {links}",
    True,
    {
        "element": "<{2}> of joint '{1}' is removed with it: write it elsewhere, or keep link '{0}'",
        "attribute": "{3}='{4}' of {2} '{1}' is removed with it: write it elsewhere, or keep link '{0}'",
    },
)
FLIPPED_JOINT = DiagnosticKind(
    "flipped-joint",
    WARNING,
    "a number or setting of a joint that changes its sign",
    "negate the number, or --no-reorient",
    True,
    {
        "named": "{0} names the joint '{1}', whose sign changes; left as it is: its numbers still have the old sign",
        "names": "{0} names the joint '{1}', whose sign changes; left as it is",
        "inline": "{0}: '{1}', a joint name and a value in one word, names a joint whose sign changes; left as it is",
        "part": "{0} belongs to joint '{1}', whose sign changes; left as it is",
        "multiplier": "{0} has no multiplier, and the sign of joint '{1}' changes; left as it is",
        "number": "{0}: '{1}' is not a number, and the sign of its joint changes; left as it is",
    },
    cures={
        "part": "negate its number, if it has a sign, or --no-reorient",
        "multiplier": "write the multiplier -1, or --no-reorient",
        "number": "write a number with the other sign in its place, or --no-reorient",
        "names": "negate the numbers of this joint in it, if it has any, or --no-reorient",
    },
)
MOVED_ZERO = DiagnosticKind(
    "moved-zero",
    WARNING,
    "a number or setting of a joint whose zero moves",
    "write each position as old number minus the value of --zero, or leave out --zero",
    True,
    {
        "named": "{0} names the joint '{1}', whose zero moves; left as it is: its positions are still counted from the old zero",
        "names": "{0} names the joint '{1}', whose zero moves; left as it is",
        "inline": "{0}: '{1}', a joint name and a value in one word, names a joint whose zero moves; left as it is",
        "part": "{0} belongs to joint '{1}', whose zero moves; left as it is",
        "number": "{0}: '{1}' is not a number, and the zero of its joint moves; left as it is",
        "offset": "{0} follows a joint and has no offset, and the zero of one of the two moves; left as it is",
        "loop": "{0} closes a loop in the pose with all joints at zero, and a zero moves, so it now joins its links in another pose; left as it is",
    },
    cures={
        "part": "if it is a position: write old number minus the value of --zero; or leave out --zero",
        "number": "write the position as a number, less the value of --zero; or leave out --zero",
        "offset": "write the offset: multiplier * (--zero of the leader) - (--zero of this joint), as position = multiplier * position of the leader + offset",
        "loop": "leave out --zero for the joints of this loop, or correct the poses of the closure for the new zero",
        "names": "count the positions of this joint in it from the new zero, if it has any, or leave out --zero",
    },
)
TRANSMISSION_SIGN = DiagnosticKind(
    "transmission-sign",
    WARNING,
    "a transmission of a joint that changes its sign",
    "negate <mechanicalReduction> and <offset>",
    True,
    {
        "drives": "{0} drives joint '{1}', whose sign changes; left as it is: to keep the direction of the actuator, write {2}",
    },
)
HARDWARE_SIGN = DiagnosticKind(
    "hardware-sign",
    WARNING,
    "a hardware driver uses the old sign or zero of a joint that changes",
    "negate the joint in the driver, or --no-reorient",
    True,
    {
        "driver": "the driver '{2}' still uses the old sign of joint '{1}' ({0}), which changes",
        "zero": "the driver '{2}' still uses the old zero of joint '{1}' ({0}), which moves",
    },
    cures={
        "zero": "move the zero of the joint in the driver, or leave out --zero",
    },
)
UNKNOWN_POSE = DiagnosticKind(
    "unknown-pose",
    WARNING,
    "a pose or other numbers in a frame that changes",
    "write the numbers for the new frame, or --no-reorient",
    True,
    {
        "named": "{0} has numbers beside the name of '{1}', whose frame changes; left as it is",
        "nameless": "{0} has numbers but names no link or joint, and the base turns or a joint changes its sign or zero; left as it is: correct the numbers that depend on them",
        "in-link": "{0} in link '{1}' has numbers, and the frame of that link changes; left as it is: check it, or keep the frame with {2}",
        "in-block": "{0} of '{1}', whose frame changes, has numbers; left as it is",
        "pose": "{0} holds a <pose>, and the frame of '{1}' changes; left as it is",
    },
)
UNREADABLE_POSE = DiagnosticKind(
    "unreadable-pose",
    WARNING,
    "a pose or offset that cannot be read",
    "write numbers that can be read into the element, for the new frame",
    True,
    {
        "pose": "{0} has a <pose> of a kind that cannot be moved; left as it is",
        "origin": "{0} has an origin that cannot be read; left as it is",
        "offsets": "{0} has offsets that cannot be read; left as they are",
        "elsewhere": "{0} has a <pose> expressed in another frame; left as it is",
        "direction": "{0} has a direction that cannot be read; left as it is",
        "named": "{0} is given in the frame of '{1}', which changes; left as it is",
    },
    cures={
        "elsewhere": "write the pose in the new frame",
        "named": "write its numbers in the new frame of that link",
    },
)
SENSOR_FRAME = DiagnosticKind(
    "sensor-frame",
    WARNING,
    "a sensor whose frame turns",
    "turn the measured values in the program that reads them, or --no-reorient",
    True,
    {
        "measures": "{0} measures in the frame of link '{1}', which turns, so its values are along other axes now",
        "parameter": "{0} names the frame '{1}', whose axes are turned in the result; left as it is, so measured values are along other axes now",
        "implied": "{0} has a plugin without <frame_name>, so its messages name the frame of '{1}', which turns, while the sensor does not",
    },
    cures={
        "implied": "write into <frame_name> a frame with the axes of the sensor, or --no-reorient",
    },
)
PLUGIN_VECTOR = DiagnosticKind(
    "plugin-vector",
    WARNING,
    "points, vectors or coefficients of a plugin in a frame that turns",
    "write the numbers for the new frame, or --no-reorient",
    True,
    {
        "point": "{0} is a point, and the frame of '{1}' changes; left as it is",
        "vector": "{0} is a vector, and the frame of '{1}' turns; left as it is",
        "coefficients": "{0} has coefficients along the axes of '{1}', which turn; left as they are: write them for the new axes",
    },
)
PLUGIN_BODY = DiagnosticKind(
    "plugin-body",
    WARNING,
    "a plugin works in the frame of a link that changes",
    "--keep {links}",
    True,
    {
        "offset": "{0} works in the frame of '{1}', which changes, and has no offset that could follow; left as it is: check it, or keep the frame with {2}",
    },
)
CONTACT_COLLISION = DiagnosticKind(
    "contact-collision",
    WARNING,
    "a contact sensor names a collision that is renamed or removed",
    "write into the sensor the name that the collision has in the result",
    True,
    {
        "removed": "{0} names the collision '{1}', which is removed; left as it is",
        "elsewhere": "{0} names '{1}', which a simulator generates for a collision of '{2}', and that collision is in '{3}' now; left as it is",
        "others": "{0} names '{1}', which a simulator generates for a collision of '{2}', and that link has other collisions now; left as it is",
        "made-up-removed": "{0} names '{1}', which a simulator generates for a collision of '{2}', and that collision is removed; left as it is",
    },
    cures={
        "removed": "name a collision of the result, or remove this <collision> of the sensor",
        "made-up-removed": "name a collision of the result, or remove this <collision> of the sensor",
        "elsewhere": "give that collision a name in the result, and write the name into the sensor",
        "others": "give that collision a name in the result, and write the name into the sensor",
    },
)
WIDER_FILTER = DiagnosticKind(
    "wider-filter",
    WARNING,
    "a collision filter covers more than before",
    "--keep {links}",
    False,
    {
        "link": "{0} is now '{1}': the filter applies to all of that link",
    },
)
LOOP_FRAME = DiagnosticKind(
    "loop-frame",
    WARNING,
    "a loop or constraint without a pose, in a frame that changes",
    "--keep {links}",
    True,
    {
        "pose": "{0} is given in the frame of '{1}', which changes, and has no pose that could follow; left as it is: check it, or keep the frame with {2}",
        "text": "{0} names '{1}', whose frame changes, with no pose that could follow; left as it is",
    },
)
FOLLOWED = {
    "renamed": "'{0}' is now '{1}'",
    "owner": "now belongs to '{0}'",
    "unnamed": "is named '{0}': without a name some readers drop all shapes of the link",
    "settled": "{0} removed: what '{1}' sets applies now; where it sets nothing, the default",
    "unread-origin": "removed with link '{0}': an <origin> of a link is ignored by all readers",
    "pose": "its <pose> moves with the frame",
    "origin": "its origin moves with the frame",
    "offsets": "its offsets move with the frame of '{0}'",
    "direction": "its direction turns with the frame of '{0}'",
    "becomes": "{0} is now {1}",
    "negated": "{0} negated",
    "zero": "{0} moved to the new zero",
    "collision": "the collision of '{0}', which had no name, is now named '{1}', as this reference calls it",
}


# ==== urdf_tools/base/transaction.py ====
# A transaction: several files written together, all or none, whatever fails or interrupts.

DEFERRED = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
]
TEMPORARY = (
    r"\.urdf_simplify-([0-9a-f]{8})-([0-9]{1,9})-[0-9a-f]{8}\.tmp"  # computer, process, chance
)
# Seconds after which a temporary file is abandoned, whatever process it names: no run takes a day, and by then the system
# may have given the number to another process.
ABANDONED = 24 * 3600.0


class StagedFile(Record):
    """A finished file under a temporary name, the real path that it is moved to, and its path for messages."""

    staged: str
    target: str
    path: str


class Transaction:
    """Files that are written together, or not at all.

        with Transaction() as transaction:
            folder = transaction.staging_folder("robot_meshes")      # for files that are made before a question
            ...                                                      # writes <folder>/0.stl
            transaction.add_file("robot_meshes/base.stl", os.path.join(folder, "0.stl"))
            transaction.add("robot.urdf", data)
            transaction.commit()

    Everything is written under temporary names on the file system of its target; `commit` renames. If the block ends
    earlier, also because `commit` failed, all targets are restored and all temporary files removed. A signal during
    `commit` waits until all files are new. Only SIGKILL or a power cut can fall between two renames: every target then
    is the old or the new file, and the temporary names remain (`remove_leftovers`).

    A replaced file keeps its mode and, where the system permits, its owner.
    """

    def __init__(self) -> None:
        self._files: List[StagedFile] = []
        self._spares: Dict[str, str] = {}  # by target: another name of the old file
        # Listed before they are made, so that none is ever forgotten.
        self._temporaries: List[str] = []
        self._made: List[str] = []  # folders, the outermost first
        self._paths: Dict[str, str] = {}  # of the targets, by their portable names
        self.done = False  # all files are in their places

    def __enter__(self) -> "Transaction":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._clean()
        except BaseException:  # a second Ctrl-C, maybe before signals waited
            self._clean()
            raise

    def _clean(self) -> None:
        """Remove the temporary files, and the folders that this run made and that are empty."""
        with deferred_signals():
            for name in self._temporaries:
                _remove(name)
                if os.path.lexists(
                    name
                ):  # Windows keeps an open file, here a file whose writer a signal interrupted
                    atexit.register(_remove, name)
            for folder in reversed(self._made):
                with suppress(OSError):  # the folder is not empty, as it should be
                    os.rmdir(folder)

    def _temporary(self, folder: str) -> str:
        """Return a name in a folder for a temporary file, which is removed at the end."""
        name = f".urdf_simplify-{_computer()}-{os.getpid()}-{os.urandom(4).hex()}.tmp"
        self._temporaries.append(os.path.join(folder, name))
        return self._temporaries[-1]

    def makes(self, folder: str) -> bool:
        """Return True if a folder is missing, or was made for temporary files of this run alone."""
        made = map(os.path.abspath, self._made)
        return bool(folder) and (not os.path.exists(folder) or os.path.abspath(folder) in made)

    def staging_folder(self, target: str) -> str:
        """Make a temporary folder in the folder `target`, which is made if need be, and return its path.

        With "" it is in the system's folder for temporary files: for files that are never kept.

        Raises:
            UsageError: it cannot be made.
        """
        if not target:
            from tempfile import gettempdir  # imported here: it loads much that few runs need

            target = gettempdir()
        if os.path.lexists(target) and not os.path.isdir(target):
            raise UsageError("is not a folder", target)
        with _reported(target):
            self._make_folder(target)
            folder = self._temporary(target)
            os.mkdir(folder, 0o700)
        return folder

    def _make_folder(self, folder: str) -> None:
        """Make a folder, and note which of the folders above it are new."""
        missing = takewhile(
            lambda above: above and not os.path.lexists(above), with_folders_above(folder)
        )
        self._made += reversed(list(missing))
        os.makedirs(folder or ".", exist_ok=True)

    def add(self, path: str, data: bytes) -> None:
        """Stage the bytes of a file; its folder is made if need be. A symbolic link stays, and leads to the new file.

        Raises:
            UsageError: it cannot be written.
        """
        target = os.path.realpath(path)
        self._refuse_twice(target, path)
        # A private file stays private; less the umask.
        mode = 0o600 if os.path.exists(target) else 0o666
        with _reported(path):
            self._make_folder(os.path.dirname(target))
            temporary = self._temporary(os.path.dirname(target))
            # A signal between `os.open` and the stream would leave a file open, which Windows does not let anybody
            # remove.
            with deferred_signals(), open(
                temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)
            ) as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        self._files.append(StagedFile(temporary, target, path))

    def add_file(self, path: str, staged: str) -> None:
        """Stage a file that was written into a `staging_folder`; its folder is made if need be. A symbolic link at
        `path` is replaced.

        Raises:
            UsageError: the folder cannot be made.
        """
        self._refuse_twice(path, path)
        with _reported(path):
            self._make_folder(os.path.dirname(path))
        self._files.append(StagedFile(staged, path, path))

    def _refuse_twice(self, target: str, path: str) -> None:
        """Raise UsageError for a target that another file of this transaction has, on any file system."""
        name = portable_name(target)
        other = self._paths.get(name)
        if other is not None and is_same_file(other, path):
            raise UsageError(
                f"this is the same file as {other}, at least where case is ignored: give another name",
                path,
            )
        self._paths[name] = path

    def commit(self) -> None:
        """Move all files to their targets, then remove the leftovers of killed runs in their folders.

        Raises:
            UsageError: one of them cannot be written; all targets are as they were.
        """
        # Every old file gets a second name before the first is replaced, so that each step can be undone.
        with deferred_signals():
            try:
                for file in self._files:
                    with _reported(file.path):
                        self._keep(file)
                for file in self._files:
                    with _reported(file.path):
                        os.replace(file.staged, file.target)
            except BaseException as error:
                stuck = self._roll_back()
                if not stuck:
                    raise
                raise UsageError(f"{error}; not put back: {', '.join(stuck)}") from error
            self.done = True
            for folder in {os.path.dirname(file.target): None for file in self._files}:
                remove_leftovers(folder or ".")

    def _keep(self, file: StagedFile) -> None:
        """Keep the old file under a second name; copy its mode and owner to the new one."""
        try:
            os.lstat(file.target)
        except FileNotFoundError:
            return
        _require_closed(file.target, file.path)
        spare = self._temporary(os.path.dirname(file.target))
        try:
            os.link(file.target, spare, follow_symlinks=False)
        except (OSError, NotImplementedError):
            # A file system without hard links, or another user's file.
            from shutil import copy2  # imported here: it loads four compressors, and few runs copy

            copy2(file.target, spare, follow_symlinks=False)
            _take_over(spare, file.target)
        self._spares[file.target] = spare
        _take_over(file.staged, file.target)

    def _roll_back(self) -> List[str]:
        """Undo the renames; return the paths for which that failed, with the names of the old files."""
        stuck: List[str] = []
        for file in reversed(self._files):
            if os.path.lexists(file.staged):  # it was not renamed yet
                continue
            spare = self._spares.get(file.target, "")
            try:
                if spare:
                    os.replace(spare, file.target)
                else:
                    os.unlink(file.target)
            except OSError:
                stuck.append(f"{file.path}, which was {spare or 'not there'}")
                self._temporaries = [name for name in self._temporaries if name != spare]
        return stuck


def _require_closed(target: str, path: str) -> None:
    """Raise UsageError for a file that another program holds open: Windows does not let it be replaced or removed."""
    if os.name == "nt" and not os.path.islink(target):
        try:
            os.rename(target, target)
        except PermissionError:
            raise UsageError("cannot be written: is it open in another program?", path) from None


def _take_over(path: str, old: str) -> None:
    """Copy owner and mode of another file to a file, as far as the system permits."""
    if os.path.islink(old):
        return
    status = os.stat(old)
    new = os.stat(path)
    if (status.st_uid, status.st_gid) != (new.st_uid, new.st_gid):
        # A user may give a file to another group, but not to another owner.
        for owner in (status.st_uid, -1):
            with suppress(OSError):
                os.chown(path, owner, status.st_gid)
                break
    os.chmod(path, stat.S_IMODE(status.st_mode))


@contextmanager
def _reported(path: str) -> Iterator[None]:
    """Turn an OSError into the sentence that a user reads."""
    try:
        yield
    except OSError as error:
        full = " (nothing was written)" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        raise UsageError(f"cannot be written: {error.strerror or error}{full}", path) from None


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP wait for the end of the block, where they are delivered.

    Python runs signal handlers in the main thread only; in another thread no signal interrupts anyway.
    """
    arrived: Dict[int, None] = {}

    def note(number: int, _frame: object) -> None:
        """Note that a signal arrived."""
        arrived[number] = None

    handlers = {number: signal.getsignal(number) for number in DEFERRED}
    handlers = {
        number: handler
        for number, handler in handlers.items()
        if handler not in (None, signal.SIG_IGN)
    }
    try:
        _set_handlers(dict.fromkeys(handlers, note))
    except ValueError:
        handlers = {}
    except BaseException:  # a signal that came just before
        _set_handlers(handlers)
        raise
    try:
        yield
    finally:
        try:
            _set_handlers(handlers)
        finally:
            for number in arrived:
                signal.raise_signal(number)


def _set_handlers(handlers: Mapping[int, Any]) -> None:
    """Set several signal handlers in one step: where signals can be blocked, none arrives in between."""
    mask = getattr(signal, "pthread_sigmask", lambda *_: ())
    blocked = mask(getattr(signal, "SIG_BLOCK", 0), ())
    try:
        mask(getattr(signal, "SIG_BLOCK", 0), handlers)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    finally:
        mask(getattr(signal, "SIG_SETMASK", 0), blocked)


def remove_leftovers(folder: str) -> None:
    """Remove the temporary files that killed runs left in a folder.

    Only temporary names of this tool are removed: of a process of this computer that has ended, or older than a day.
    """
    try:
        names = [name for name in os.listdir(folder) if name.startswith(".urdf_simplify-")]
    except OSError:
        return
    for name in names:
        match = re.fullmatch(TEMPORARY, name)
        path = os.path.join(folder, name)
        if match and (
            _is_old(path) or match.group(1) == _computer() and _has_ended(int(match.group(2)))
        ):
            _remove(path)


def _is_old(path: str) -> bool:
    """Return True if a file was left by a run long ago."""
    with suppress(OSError):
        return time.time() - os.lstat(path).st_mtime > ABANDONED
    return False


def _has_ended(process: int) -> bool:
    """Return True if no process of that number is running."""
    if os.name != "posix":  # elsewhere `kill` would end it
        return False
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _computer() -> str:
    """Return a short word for this computer: on a shared disk the process numbers of others mean nothing here."""
    name = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return f"{crc32(name.encode('utf-8', 'replace')):08x}"


def _remove(path: str) -> None:
    """Remove a temporary file or folder if it exists."""
    with suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            from shutil import rmtree  # imported here: see `_keep`

            rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)


# ==== urdf_tools/base/xml_declaration.py ====
# The XML declaration that is not the first thing in its file, where XML requires it.
#
# Parsers take a declaration behind blanks or comments in three ways: tinyxml2 (urdfdom, sdformat, MuJoCo, Drake,
# PyBullet) passes over blanks and refuses comments, expat and libxml2 refuse both, and lenient parsers read both.

START = "<?xml"
QUOTED = r"""\s*=\s*(?:"{0}"|'{0}')"""
VERSION = QUOTED.format(r"1\.[0-9]+")
ENCODING = QUOTED.format(r"[A-Za-z][A-Za-z0-9._-]*")
STANDALONE = QUOTED.format(r"(?:yes|no)")
# The whole declaration (XML 1.0, production 23), and the end of its line.
DECLARATION = re.compile(
    rf"<\?xml\s+version{VERSION}(?:\s+encoding{ENCODING})?(?:\s+standalone{STANDALONE})?\s*\?>"
    r"(?:\r\n|[\r\n])?"
)
BLANKS = re.compile(r"[ \t\r\n]*")
COMMENT_START = "<!--"
COMMENT_END = "-->"


class LateDeclaration(Record):
    """An XML declaration behind something else.

    Attributes:
        start, end: where it begins in the text, and where it ends with its line end, if one follows.
        line: its line, counted from 1.
        is_behind_comment: a comment is in front of it; else only blanks are.
    """

    start: int
    end: int
    line: int
    is_behind_comment: bool


def find_late_declaration(text: str) -> Optional[LateDeclaration]:
    """Return the declaration of an XML text that has blanks or comments in front of it, None without one."""
    if text.startswith(START):
        return None
    start = _end_of_blanks(text, 0)
    is_behind_comment = False
    while text.startswith(COMMENT_START, start):
        end = text.find(COMMENT_END, start)
        if end < 0:
            return None
        start = _end_of_blanks(text, end + len(COMMENT_END))
        is_behind_comment = True
    match = DECLARATION.match(text, start)
    if match is None:
        return None
    return LateDeclaration(
        start=start,
        end=match.end(),
        line=1 + _line_ends(text[:start]),
        is_behind_comment=is_behind_comment,
    )


def with_declaration_first(text: str) -> str:
    """Return an XML text with its declaration moved to the front; all other characters stay as they are.

    The declaration takes the end of its line with it, so that everything behind it keeps its line.
    """
    late = find_late_declaration(text)
    if late is None:
        return text
    return text[late.start : late.end] + text[: late.start] + text[late.end :]


def _end_of_blanks(text: str, start: int) -> int:
    """Return the offset of the first character from `start` on that is not blank."""
    match = BLANKS.match(text, start)
    return match.end() if match is not None else start


def _line_ends(text: str) -> int:
    """Return the number of line ends in a text."""
    return len(re.findall(r"\r\n|[\r\n]", text))


# ==== urdf_tools/urdf/lossless_xml.py ====
# The lossless XML document: read, look up, change attributes and texts, write.
#
# Expat decides whether the file is well-formed. The tree keeps the source text of each tag, comment and run of text, so
# unedited parts are written back byte for byte. Namespaces are not processed: undeclared prefixes are common in URDF
# files, and programs accept them.

MARKUP = re.compile(
    r"""([^<]*(?:<!\[CDATA\[.*?]]>[^<]*)*)  # text, and what follows it in well-formed XML:
                     (?:(<[^>"'!?/][^>"']*(?:"[^"]*"[^>"']*|'[^']*'[^>"']*)*>)
                     | (</[^>]*>) | (<!--.*?--> | <\?.*?\?>) | \Z)""",
    re.S | re.X,
)
BREAK = r"\r\n|[\r\n\t]"  # XML reads these in an attribute as a space
ATTRIBUTE = re.compile(
    r"(?P<space>\s+)(?P<key>[^\s=/<>\"']+)(?P<equals>\s*=\s*)(?P<quoted>\"[^\"]*\"|'[^']*')"
)
DECLARED_ENCODING = re.compile(r"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
XACRO_SIGNS = ("$", "&#", "xacro:")  # each xacro contains one of these
PLAIN = re.compile(r"[\w .:/+-]*")  # text that needs no escaping
# A start tag: its source text, its name and its attributes.
Tag = Tuple[str, str, Dict[str, str]]
REFERENCE = r"&(?:(lt|gt|amp|quot|apos)|#x([0-9A-Fa-f]+)|#([0-9]+));"
ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


class Element:
    """An element: its attributes, its children in order, and the source text of its tags.

    `indent` is the newline and white space before it, or "" if it does not begin a line. `offset` is unique among the
    elements of a file; it is -1 for a new element. Elements share their dictionaries of attributes, so these are
    replaced and never modified.
    """

    __slots__ = (
        "name",
        "attributes",
        "_children",
        "_elements",
        "line_starts",
        "parent",
        "start_tag",
        "end_tag",
        "indent",
        "offset",
    )

    def __init__(
        self,
        name: str,
        attributes: Dict[str, str],
        start_tag: str,
        end_tag: str,
        line_starts: Sequence[int] = (),
        parent: "Optional[Element]" = None,
        indent: str = "",
        offset: int = -1,
    ) -> None:
        """Make an element without children."""
        self.name = name
        self.attributes = attributes
        self.start_tag = start_tag
        self.end_tag = end_tag
        self.line_starts = line_starts
        self.parent = parent
        self.indent = indent
        self.offset = offset
        self._children: Sequence[Node] = ()
        self._elements: Optional[Tuple[Element, ...]] = ()

    @property
    def line(self) -> int:
        """Return the line in which it begins, counted from 1; 0 for a new element."""
        return bisect_right(self.line_starts, self.offset)

    @property
    def children(self) -> "Sequence[Node]":
        """Return the whole content, in order."""
        return self._children

    @children.setter
    def children(self, nodes: "Sequence[Node]") -> None:
        """Replace the whole content."""
        # None: the elements are collected on the first call of `elements`.
        self._children = nodes
        self._elements = None if nodes else ()

    def get(self, attribute: str) -> Optional[str]:
        """Return the value of an attribute, or None."""
        return self.attributes.get(attribute)

    def elements(self, name: str = "") -> "List[Element]":
        """Return the child elements, all or only those with a name."""
        inside = self._elements
        if inside is None:
            inside = self._elements = tuple(
                [node for node in self._children if isinstance(node, Element)]
            )
        return [element for element in inside if element.name == name] if name else list(inside)

    def find(self, name: str) -> "Optional[Element]":
        """Return the first child element with a name, or None."""
        inside = self._elements if self._elements is not None else self.elements()
        for element in inside:
            if element.name == name:
                return element
        return None

    def walk(self) -> "Iterator[Element]":
        """Yield this element and its descendants, in document order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            if element._children:
                waiting += (element._elements or element.elements())[::-1]

    def upward(self) -> "Iterator[Element]":
        """Yield this element and its ancestors, up to the root."""
        element: Optional[Element] = self
        while element is not None:
            yield element
            element = element.parent

    def text(self) -> str:
        """Return the character data directly in this element, entities and CDATA resolved."""
        pieces = [child for child in self._children if isinstance(child, str)]
        whole = "".join(pieces)
        if "<" in whole or "&" in whole or "\r" in whole:
            return "".join(map(_character_data, pieces))
        return whole

    def source(self) -> str:
        """Return the source text of this element and its content."""
        pieces: List[str] = []
        waiting: List[Iterator[Node]] = [iter((self,))]
        while waiting:
            for node in waiting[-1]:
                if isinstance(node, str):
                    pieces.append(node)
                    continue
                pieces.append(node.start_tag)
                if node._children:
                    waiting.append(iter((*node._children, node.end_tag)))
                    break
                pieces.append(node.end_tag)
            else:
                waiting.pop()
        return "".join(pieces)

    def set(self, attribute: str, value: str) -> None:
        """Set an attribute; the rest of the tag keeps its text."""
        if self.attributes.get(attribute) == value:
            return
        self.attributes = {**self.attributes, attribute: value}
        end_of_last = len(self.name) + 1
        tag = self.start_tag
        for match in ATTRIBUTE.finditer(tag):
            if match["key"] == attribute:
                begin, end = match.span("quoted")
                quote = tag[begin]
                self.start_tag = f"{tag[:begin]}{quote}{escaped(value, quote)}{quote}{tag[end:]}"
                return
            end_of_last = match.end()
        # A new attribute follows the last one.
        self.start_tag = (
            f'{tag[:end_of_last]} {attribute}="{escaped(value, QUOTE)}"{tag[end_of_last:]}'
        )

    def rename(self, attribute: str, new: str) -> None:
        """Rename an attribute in its place."""

        def renamed(match: "re.Match[str]") -> str:
            """Return the text of an attribute, with the new name if it is the renamed one."""
            key = new if match["key"] == attribute else match["key"]
            return f"{match['space']}{key}{match['equals']}{match['quoted']}"

        items = self.attributes.items()
        self.attributes = {(new if key == attribute else key): value for key, value in items}
        self.start_tag = ATTRIBUTE.sub(renamed, self.start_tag)

    def unset(self, attribute: str) -> None:
        """Remove an attribute together with the white space before it."""

        def kept(match: "re.Match[str]") -> str:
            """Return the text of a remaining attribute, "" for the removed one."""
            return "" if match["key"] == attribute else match.group()

        self.attributes = {key: value for key, value in self.attributes.items() if key != attribute}
        self.start_tag = ATTRIBUTE.sub(kept, self.start_tag)

    def set_text(self, text: str) -> None:
        """Replace the content of this element by character data."""
        self.open()
        self.children = [escaped(text, "")]

    def open(self) -> None:
        """Turn `<a/>` into `<a></a>`, so that it can have content."""
        if not self.end_tag:
            self.start_tag = self.start_tag[:-2].rstrip() + ">"
            self.end_tag = f"</{self.name}>"

    def close(self) -> None:
        """Turn `<a></a>` with no content except white space into `<a/>`."""
        is_blank = all(isinstance(node, str) and not node.strip() for node in self.children)
        if self.end_tag and is_blank:
            self.start_tag = self.start_tag[:-1].rstrip() + "/>"
            self.end_tag = ""
            self.children = []


QUOTE = '"'
# A string is verbatim source text: white space, text, a comment, or an instruction.
Node = Union[Element, str]


class Document:
    """An XML file in memory.

    Attributes:
        path: the name used in messages.
        children: the root and all nodes outside it.
        root: the document element.
        newline: the newline of the first line, for added lines.
        given: the text of the file; None for a copy.
        late_declaration: the place of an XML declaration that is not at the start of the file; the document has it
            first.
        copies: for a copy, its elements by the offset of the original.
    """

    def __init__(
        self,
        path: str,
        children: List[Node],
        root: Element,
        encoding: str,
        mark: bytes,
        newline: str,
    ) -> None:
        """Make a document from its nodes; only a parsed one has a given text."""
        self.path = path
        self.children = children
        self.root = root
        self.encoding = encoding
        self.mark = mark
        self.newline = newline
        self.given: Optional[str] = None
        self.late_declaration: Optional[LateDeclaration] = None
        self.copies: Dict[int, Element] = {}

    def may_hold(self, words: Iterable[str]) -> bool:
        """Return False if the file's text contains none of the words, so that the document need not be searched."""
        return self.given is None or any(map(self.given.__contains__, words))

    def copy_of(self, element: Element) -> Element:
        """Return the element of this document, made by `copy_document`, that is the copy of an element."""
        return self.copies[element.offset]

    def text(self) -> str:
        """Return the whole document as text."""
        pieces: List[str] = []
        for node in self.children:
            pieces.append(node if isinstance(node, str) else node.source())
        return "".join(pieces)

    def to_bytes(self) -> bytes:
        """Return the bytes of the file in its encoding; unsupported characters become character references."""
        return self.mark + self.text().encode(self.encoding, "xmlcharrefreplace")

    def comments(self) -> List[str]:
        """Return the texts of the comments outside the root."""
        # Without <!-- and -->.
        return [
            node[4:-3].strip()
            for node in self.children
            if isinstance(node, str) and node.startswith("<!--")
        ]


def parse_document(data: bytes, path: str, known: Optional[Dict[str, Tag]] = None) -> Document:
    """Read an XML document from the bytes of a file; a late XML declaration is moved to the start.

    `known` caches tags by their text, for documents with many common tags; it is extended.

    Raises:
        MalformedXml: not XML, not in the encoding that it declares, or with a DOCTYPE.
    """
    if not data.strip():
        raise MalformedXml("the file is empty", path)
    given, encoding, mark = _decode(data, path)
    text = with_declaration_first(given)
    if not text.lstrip().startswith("<"):
        raise MalformedXml(
            "this is not XML: it does not begin with '<'; urdf_simplify reads URDF and xacro, and the "
            "package urdf-simplify also MJCF, SDF and USD",
            path,
            1,
        )
    # \r\n if the first line ends with it.
    newline = "\r\n" if text.find("\r\n") == text.find("\n") - 1 >= 0 else "\n"
    _check_well_formed(text.encode("utf-8"), path)
    if known is None:
        known = {}
    children = _read_nodes(text, known)
    root = next(node for node in children if isinstance(node, Element))
    document = Document(
        path=path, children=children, root=root, encoding=encoding, mark=mark, newline=newline
    )
    document.given = given
    document.late_declaration = find_late_declaration(given)
    return document


def _decode(data: bytes, path: str) -> Tuple[str, str, bytes]:
    """Return text, encoding and byte order mark; encoding the text again must yield the same bytes."""
    mark, encoding = next(((m, e) for m, e in BYTE_ORDER_MARKS if data.startswith(m)), (b"", ""))
    # UTF-16 without a byte order mark: `<` beside a zero byte.
    if not encoding and data[:2] in (b"<\0", b"\0<"):
        encoding = "utf-16-le" if data[:1] == b"<" else "utf-16-be"
    if not encoding:
        head = data[:200] if data.startswith(b"<?xml") else data
        declared = DECLARED_ENCODING.match(with_declaration_first(head.decode("latin-1")))
        encoding = declared.group(1) if declared else "utf-8"
    body = data[len(mark) :]
    try:
        # As the document will be written.
        "\u2713".encode(encoding, "xmlcharrefreplace")
    except (LookupError, UnicodeError):
        raise MalformedXml(f"the encoding '{encoding}' cannot be read", path, 1) from None
    try:
        text = body.decode(encoding)
        # A lone surrogate is not a character.
        text.encode("utf-8")
        same = text.encode(encoding) == body
    except UnicodeError as error:
        line = body.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise MalformedXml(
            f"the file is not {encoding.upper()} as it says or implies", path, line
        ) from None
    if not same:
        raise MalformedXml(f"the file cannot be written back in its encoding '{encoding}'", path, 1)
    return text, encoding, mark


def _check_well_formed(source: bytes, path: str) -> None:
    """Refuse text that is not well-formed or has a DOCTYPE; the error has the line."""
    parser = expat.ParserCreate("utf-8")

    def doctype(*declaration: object) -> None:
        """Refuse a DOCTYPE."""
        raise MalformedXml(
            "a DOCTYPE is refused: URDF has none, and entities can hide anything", path
        )

    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(source, True)
    except MalformedXml as refused:
        raise MalformedXml(refused.message, path, parser.CurrentLineNumber) from None
    except expat.ExpatError as error:
        raise MalformedXml(_reason(error, source), path, error.lineno) from None


def _reason(error: expat.ExpatError, source: bytes) -> str:
    """Return the reason why a source is not well-formed, and the enclosing element, from a second parse."""
    parser = expat.ParserCreate("utf-8")
    inside: List[Tuple[str, int]] = []
    parser.StartElementHandler = lambda name, attributes: inside.append(
        (name, parser.CurrentLineNumber)
    )
    parser.EndElementHandler = lambda name: inside.pop()
    # The second parse stops at the same place; `inside` then has the open elements.
    with suppress(expat.ExpatError):
        parser.Parse(source, True)
    reason = expat.ErrorString(error.code)
    where = "inside <{}> of line {}".format(*inside[-1]) if inside else ""
    if inside and reason in (
        "no element found",
        "unclosed token",
        "unclosed CDATA section",
        "partial character",
    ):
        return f"the file ends {where}: it looks truncated"
    return f"not well-formed XML: {reason} at column {error.offset + 1} {where}".rstrip()


def _read_nodes(text: str, known: Dict[str, Tag]) -> "List[Node]":
    """Return the nodes of a well-formed document; every character is in exactly one node."""
    # Lines end as defined for XML.
    line_starts = array("L", [0, *accumulate(map(len, StringIO(text, newline="")))])
    # White space with its indent, and end tags: there are few different ones, so they are cached.
    blanks = {"": ("", "")}
    end_tags: Dict[str, str] = {}
    parent: Optional[Element] = None
    nodes: List[Node] = []
    outer: List[List[Node]] = []
    offset = 0
    # All matches at once: match objects, one after another, would take a fifth of the time of this function.
    for before, start_tag, end_tag, other in MARKUP.findall(text):
        offset += len(before)
        blank = blanks.get(before)
        if blank is None:
            blank = (before, _indent_of(before))
            if before.isspace():
                blanks[before] = blank
        before, indent = blank
        if before:
            nodes.append(before)
        if start_tag:
            tag = known.get(start_tag)
            if tag is None:
                tag = known[start_tag] = _read_tag(start_tag)
            source, name, attributes = tag
            element = Element(
                name=name,
                attributes=attributes,
                start_tag=source,
                end_tag="",
                line_starts=line_starts,
                parent=parent,
                indent=indent,
                offset=offset,
            )
            nodes.append(element)
            if not start_tag.endswith("/>"):
                outer.append(nodes)
                parent = element
                nodes = []
        elif end_tag and parent is not None:
            parent.end_tag = end_tags.setdefault(end_tag, end_tag)
            if nodes:
                parent.children = tuple(nodes)
            parent = parent.parent
            nodes = outer.pop()
        elif other:
            nodes.append(other)
        offset += len(start_tag or end_tag or other)
    return nodes


def _indent_of(before: str) -> str:
    """Return the last line end in white space and the spaces after it; "" for other text, or without a line end."""
    newline = before.rfind("\n") if before.isspace() else -1
    if newline < 0:
        return ""
    # The line end may be \r\n.
    if newline > 0 and before[newline - 1] == "\r":
        newline -= 1
    return before[newline:]


def _read_tag(source: str) -> Tag:
    """Return the tag of a source text; names are interned, because most tags share them."""
    attributes = {intern(key): quoted[1:-1] for _, key, _, quoted in ATTRIBUTE.findall(source)}
    if "&" in source or not source.isprintable():
        attributes = {
            key: re.sub(REFERENCE, _resolved, re.sub(BREAK, " ", value))
            for key, value in attributes.items()
        }
    return source, intern(source[1:-1].rstrip("/").split(None, 1)[0]), attributes


def escaped(value: str, quote: str) -> str:
    """Return source text for a value: for an attribute in these quotes, or for character data if `quote` is ""."""
    if PLAIN.fullmatch(value):
        return value
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if quote:
        entity = "&quot;" if quote == QUOTE else "&apos;"
        value = value.replace(quote, entity)
        # Unescaped, XML would read them as spaces.
        value = value.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    return value


def _character_data(source: str) -> str:
    """Return the characters of a source text; "" for a comment or a processing instruction."""
    if source.startswith(("<!--", "<?")):
        return ""
    if "&" not in source and "<" not in source:
        return source.replace("\r\n", "\n")
    # Every second piece is the content of a CDATA section, which has no references.
    pieces = re.split(r"<!\[CDATA\[(.*?)\]\]>", source, flags=re.S)
    pieces[::2] = [re.sub(REFERENCE, _resolved, piece) for piece in pieces[::2]]
    return "".join(pieces).replace("\r\n", "\n")


def _resolved(reference: "re.Match[str]") -> str:
    """Return the character of a reference."""
    name, hexadecimal, decimal = reference.groups()
    if name:
        return ENTITIES[name]
    return chr(int(hexadecimal, 16)) if hexadecimal else chr(int(decimal))


def is_comment(node: Node) -> bool:
    """Return True if a text is the source of a comment, or of a processing instruction, which is treated alike."""
    return isinstance(node, str) and node.startswith(("<!--", "<?"))


# ==== urdf_tools/urdf/mesh_paths.py ====
# Mesh file names: their base names, their names relative to another folder, and names for new files.

LONGEST_STEM = 80
SAFE_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def safe_stem(text: str, fallback: str) -> str:
    """Return a file stem made of ASCII letters, digits, `.`, `_` and `-`; `fallback` if no character remains."""
    import unicodedata

    # NFKD splits an accented letter into the letter and its accent, which is dropped.
    letters: List[str] = []
    for letter in unicodedata.normalize("NFKD", text):
        if not unicodedata.combining(letter):
            letters.append(letter if letter in SAFE_CHARACTERS else "_")
    stem = "_".join(piece for piece in "".join(letters).split("_") if piece).strip("._-")
    if not stem:
        return fallback
    if len(stem) > LONGEST_STEM:
        # Long names with the same beginning differ in the digest.
        stem = f"{stem[:LONGEST_STEM]}_{crc32(text.encode('utf-8', 'replace')):08x}"
    return f"_{stem}" if is_device_of_windows(stem) else stem


def unique_stem(stem: str, used: Set[str], ending: str = "") -> str:
    """Return stem and ending, with `_2`, `_3`, ... between them if necessary; `used` gets the casefolded result."""
    number = 1
    candidate = stem + ending
    while candidate.casefold() in used:
        number += 1
        candidate = f"{stem}_{number}{ending}"
    used.add(candidate.casefold())
    return candidate


def has_kind(stem: str, kind: str) -> bool:
    """Return True if a file stem ends with `_visual` or `_collision`; every stem has the kind ""."""
    return not kind or stem.endswith(f"_{kind}")


# At least two characters, because C: is a drive.
URI_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
ABSOLUTE = re.compile(r"[/\\]|.:", re.S)  # on any system


class MujocoMeshFolder(Record):
    """MuJoCo's folder of the meshes of a URDF: `meshdir` (or `assetdir`) and `strippath` of `<mujoco><compiler>`.

    From its XML reference, "compiler". A missing attribute is "": then MuJoCo keeps the folders of a name since 3.8, and
    strips them up to 3.6. MuJoCo reads no textures of a URDF, so `texturedir` has no effect.
    """

    meshdir: str
    strippath: str


def mesh_folder_of(root: Element) -> Optional[MujocoMeshFolder]:
    """Return MuJoCo's folder of the meshes, or None if a URDF has no `<mujoco><compiler>`."""
    compilers = compilers_of(root)
    return mesh_folder_in(compilers[0]) if compilers else None


def compilers_of(root: Element) -> List[Element]:
    """Return each `<mujoco><compiler>` of a URDF."""
    return [*chain.from_iterable(top.elements("compiler") for top in root.elements("mujoco"))]


def keeps_visuals(root: Element) -> bool:
    """Return True if MuJoCo also reads the visuals of a URDF."""
    return any(
        (compiler.get("discardvisual") or "").lower() == "false" for compiler in compilers_of(root)
    )


def mesh_folder_in(compiler: Element) -> MujocoMeshFolder:
    """Return the folder of the meshes from MuJoCo's `<compiler>`."""
    meshdir = compiler.get("meshdir") or compiler.get("assetdir") or ""
    return MujocoMeshFolder(meshdir.replace("\\", "/"), compiler.get("strippath") or "")


def names_in(mesh_folder: MujocoMeshFolder, filename: str) -> Texts:
    """Return MuJoCo's names of a mesh, relative to the folder of the URDF; two if its versions differ."""
    name = filename.strip().replace("\\", "/")
    names: List[str] = []
    if mesh_folder.strippath != "true" and not URI_SCHEME.match(name):
        names.append(name)
    if mesh_folder.strippath != "false":
        names.append(posixpath.basename(name))
    placed: List[str] = []
    for candidate in dict.fromkeys(names):
        # A drive is not relative to a folder, but `join` only detects "/".
        if not ABSOLUTE.match(candidate):
            candidate = posixpath.join(mesh_folder.meshdir, candidate)
        placed.append(candidate)
    return tuple(placed)


def referenced_name(
    filename: str, folder: str, mesh_folder: Optional[MujocoMeshFolder], made: Collection[str] = ()
) -> str:
    """Return the relative name, from the folder of the URDF, of the file that a relative name refers to.

    It is the file that other readers find, or else the file that MuJoCo finds. If neither exists, a name without a
    folder is in `meshdir`, and any other name is read as by all readers. Real paths in `made` are files that will be
    written.
    """
    if mesh_folder is None or not is_relative(filename):
        return filename
    # Compared by real paths, because `..` does not work from a folder that does not exist yet.
    name = filename.strip().replace("\\", "/")
    of_mujoco = names_in(mesh_folder, filename)
    paths = {each: os.path.realpath(os.path.join(folder, each)) for each in (name, *of_mujoco)}
    existing = [each for each, path in paths.items() if path in made or os.path.isfile(path)]
    as_in_url = os.path.realpath(os.path.join(folder, decoded(name)))
    if name not in existing and os.path.isfile(as_in_url):
        return name
    if existing:
        return existing[0]
    is_in_meshdir = "/" not in name or mesh_folder.strippath == "false"
    return of_mujoco[0] if is_in_meshdir else name


def mesh_stem(filename: str) -> str:
    """Return the base name without folder and extension, for slashes of any kind."""
    return posixpath.splitext(posixpath.basename(filename.replace("\\", "/")))[0]


def is_relative(filename: str) -> bool:
    """Return True if a name is relative to the folder of the URDF: neither a URI nor absolute on any system."""
    return (
        bool(filename.strip()) and not ABSOLUTE.match(filename) and not URI_SCHEME.match(filename)
    )


def decoded(name: str) -> str:
    """Return a name with its percent signs decoded, as in a URL."""
    if "%" in name:
        from urllib.parse import unquote

        return unquote(name)
    return name


def seen_from(filename: str, folder: str, other_folder: str) -> Optional[str]:
    """Return a relative file name in `folder` as seen from `other_folder`, two real paths; None for any other name."""
    if not is_relative(filename):
        return None
    target = os.path.join(folder, filename.replace("\\", "/"))
    return path_from(other_folder, target)


# ==== urdf_tools/urdf/package_resolver.py ====
# The search for the file of a mesh reference: package://, model://, file://, relative and absolute names.

PACKAGE_SCHEME = "package://"
PACKAGE_PATHS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
# Of Gazebo: a model is a folder with its name in one of these (gz-sim "Finding resources", gazebo "Components").
MODEL_SCHEME = "model://"
MODEL_PATHS = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH")
FILE_URI = r"(?s)file:(?://(?:localhost(?=/))?)?(?:/(?=[A-Za-z]:))?(.*)"  # file:///C:/...
PACKAGE_NAME = r"<name>\s*([^<]+?)\s*</name>"


class PackageResolver(Record):
    """The places to search for files.

    Attributes:
        folder: the folder of the URDF, for relative names.
        packages: folders by package name, as given with --package.
        environment: the variables with search paths.
        ancestors: a cache: by folder, the folder and its ancestors, each with its package name, or None.
        origin: the folder of the file that the URDF was made from, whose packages are searched too, or "".
        mesh_folder: MuJoCo's folder of meshes, for files that other readers do not find.
        staged: the current paths of files that the run will write, by their real paths.
        listings: a cache of the names in each folder; None: missing files are not searched in other spellings.
    """

    folder: str
    packages: Pairs
    environment: Mapping[str, str]
    ancestors: Dict[str, List[Tuple[str, Optional[str]]]]
    origin: str = ""
    mesh_folder: Optional[MujocoMeshFolder] = None
    staged: Mapping[str, str] = {}
    listings: Optional[Dict[str, Sequence[str]]] = None


class ResolvedFile(Record):
    """The file of a reference, or None with the missing paths or the reason.

    Attributes:
        path: the path of the file.
        places: the paths that do not exist.
        reason: the reason why there was no path.
        assumed: the package whose folder was assumed, and this folder relative to the URDF; or ().
        candidates: the searched folders, each with the name of the reference in it.
        listed: the path in the spelling of the folders, if it differs, else ""; Linux finds files only in this spelling.
            With it, the only candidate is the folder and the name whose spelling differs.
    """

    path: Optional[str]
    places: Texts = ()
    reason: str = ""
    assumed: Texts = ()
    candidates: Tuple[Pair, ...] = ()
    listed: str = ""

    @property
    def tried(self) -> str:
        """Return all failed attempts in words, and a file with a different spelling of the name."""
        words = [*(f"{path} is not there" for path in self.places), self.reason, self.hint]
        return "; ".join(filter(None, words))

    @property
    def hint(self) -> str:
        """Return the file with a different spelling of the name, in words, or ""."""
        if not self.listed:
            return ""
        folder, name = self.candidates[-1]
        written = os.path.join(folder, name)
        if written.casefold() == self.listed.casefold():
            return f"{self.listed} is, in other case"
        # These names look alike on a screen.
        return f"{self.listed} is, in other characters (Unicode NFC, NFD, dots or blanks)"


def resolver_for(root: Element, folder: str, packages: Pairs, origin: str = "") -> PackageResolver:
    """Return the places to search for the meshes of a URDF; see `PackageResolver`."""
    return PackageResolver(
        folder=folder,
        packages=packages,
        environment=os.environ,
        ancestors={},
        origin=origin,
        mesh_folder=mesh_folder_of(root),
        listings={},
    )


def resolve(reference: str, resolver: PackageResolver) -> ResolvedFile:
    """Find the file of a mesh reference: as all readers of URDF do, or else as MuJoCo does."""
    resolved = _resolve(reference, resolver)
    if resolver.staged:
        # A file that this run will write counts as existing.
        for path in resolved.places:
            if os.path.realpath(path) in resolver.staged:
                return resolved._replace(path=path)
    if resolved.path:
        return resolved
    if resolver.mesh_folder is None:
        return _with_listed(resolved, resolver)
    names = names_in(resolver.mesh_folder, reference)
    inside = _first_file(_in_folder(resolver, names))
    if inside.path:
        return inside
    every = (*resolved.candidates, *inside.candidates)
    return _with_listed(resolved._replace(candidates=every), resolver)


def _with_listed(resolved: ResolvedFile, resolver: PackageResolver) -> ResolvedFile:
    """Return a resolved file with its path in the spelling of the folders, if this differs."""
    if resolver.listings is None:
        return resolved
    for folder, name in resolved.candidates:
        listed = listed_path(folder, name, resolver.listings)
        if listed is not None and listed != os.path.join(folder, name):
            return resolved._replace(listed=listed, candidates=((folder, name),))
    return resolved


def true_name(reference: str, resolver: PackageResolver) -> str:
    """Return a mesh name in the spelling of its folders, if only Windows and macOS find the given spelling.

    Return "" if the spelling is right, if the file does not exist, or if the differing part has a percent sign.
    """
    found = resolve(reference, resolver)
    listed = found.listed or _with_listed(found, resolver).listed
    if not listed:
        return ""
    pieces = re.split(r"([/\\]+)", reference)  # a name, slashes, a name, ...
    names = found.candidates[-1][1].replace("\\", "/").split("/")
    parts = listed.replace(os.sep, "/").split("/")
    # From the end, because a scheme and the package may come before the name in its folder.
    for index, part, _ in zip(range(len(pieces) - 1, -1, -2), reversed(parts), names):
        if portable_spelling(pieces[index]) != portable_spelling(part):
            break
        if pieces[index] not in (os.curdir, os.pardir):
            pieces[index] = part
    name = "".join(pieces)
    return name if name != reference else ""


def _resolve(reference: str, resolver: PackageResolver) -> ResolvedFile:
    """Find the file of a mesh reference by its scheme, as all readers of URDF do."""
    name = reference.strip().replace("\\", "/")
    if name.startswith(PACKAGE_SCHEME):
        return _resolve_package(name[len(PACKAGE_SCHEME) :].lstrip("/"), resolver)
    if name.startswith(MODEL_SCHEME):
        return _resolve_model(name[len(MODEL_SCHEME) :].lstrip("/"), resolver)
    file_uri = re.match(FILE_URI, name)
    if file_uri:
        # In a URI the decoded spelling comes first.
        return _first_file(_in_folder(resolver, _spellings(file_uri.group(1))[::-1]))
    if URI_SCHEME.match(name):
        return ResolvedFile(None, reason=f"'{name.split(':')[0]}:' is not a file")
    return _first_file(_in_folder(resolver, _spellings(name)))


def _in_folder(resolver: PackageResolver, names: Sequence[str]) -> List[Pair]:
    """Return names in the folder of the URDF; if it does not exist yet, `..` in names is resolved first."""
    if os.path.isdir(resolver.folder or "."):
        return [(resolver.folder, name) for name in names]
    return [("", os.path.realpath(os.path.join(resolver.folder, name))) for name in names]


def package_of(reference: str) -> str:
    """Return the package of a package:// name, or ""."""
    name = reference.strip().replace("\\", "/")
    if not name.startswith(PACKAGE_SCHEME):
        return ""
    return name[len(PACKAGE_SCHEME) :].lstrip("/").partition("/")[0]


def package_notices(files: Iterable[ResolvedFile]) -> Diagnostics:
    """Return the assumptions made to find files, without duplicates."""
    return [
        Diagnostic(PACKAGE_ASSUMED, 0, "folder", names)
        for names in dict.fromkeys(file.assumed for file in files)
        if names
    ]


def with_missing_meshes_joined(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics, combining those about missing files of one package, with their number and two names."""
    by_package: Dict[str, Diagnostics] = {}
    for number, notice in enumerate(diagnostics):
        package = package_of(notice.names[0]) if notice.kind is MESH_NOT_FOUND else ""
        # A key with / is the name of no package, so other diagnostics stay alone.
        by_package.setdefault(package or f"/{number}", []).append(notice)
    for name, alike in by_package.items():
        files = list(dict.fromkeys(notice.names[0].rpartition("/")[2] for notice in alike))
        # Shapes that miss the same file get one diagnostic.
        if len(files) < 2:
            yield alike[0]
        else:
            yield Diagnostic(
                kind=MESH_NOT_FOUND,
                line=min(notice.line for notice in alike),
                sentence="package",
                names=(name, shown_names(files, 2)),
                numbers=(float(len(files)), float(len(alike))),
            )


def _spellings(path: str) -> List[str]:
    """Return a path as written and, if it has percent signs, decoded like a URL."""
    return list(dict.fromkeys((path, decoded(path))))


def _resolve_package(rest: str, resolver: PackageResolver) -> ResolvedFile:
    """Search the folders of a package, then assume a folder with its name beside the URDF or beside one of its ancestors."""
    package, _, inside = rest.partition("/")
    folders = _package_folders(package, resolver)
    resolved = _first_file(_inside(folders, inside))
    if resolved.path:
        return resolved
    candidates = [*resolved.candidates]
    for start, folder in _folders_beside(package, resolver):
        # The folder's name is a part of the path, because no package.xml names it.
        beside = _first_file(
            [(os.path.dirname(folder), f"{package}/{each}") for each in _spellings(inside)]
        )
        if beside.path:
            name = path_from(os.path.realpath(start), folder)
            return beside._replace(assumed=(package, name))
        candidates += beside.candidates
    for folder in _sibling_packages(package, resolver):
        sibling = _first_file(_inside([folder], inside))
        if sibling.path:
            name = path_from(os.path.realpath(resolver.folder), folder)
            return sibling._replace(assumed=(package, name))
        candidates += sibling.candidates
    every = tuple(dict.fromkeys(candidates))
    if folders:
        return resolved._replace(candidates=every)
    unknown = (
        f"no folder is known for the package '{package}' (--package {package}=DIR says where it is)"
    )
    return ResolvedFile(None, reason=unknown, candidates=every)


def _inside(folders: Iterable[str], name: str) -> List[Pair]:
    """Return each folder with each spelling of a name in it."""
    places: List[Pair] = []
    for folder in folders:
        places += [(folder, each) for each in _spellings(name)]
    return places


def _resolve_model(rest: str, resolver: PackageResolver) -> ResolvedFile:
    """Search a Gazebo model: the folder from --package, the folder of the file and its ancestors, and search paths.

    Folders with the model's name beside any of these are searched too, because models of a repository are siblings.
    """
    model, _, inside = rest.partition("/")
    folders = [folder for name, folder in resolver.packages if name == model]
    for start in _starts(model, resolver):
        above = [folder for folder, _ in _folders_above(start, resolver)]
        folders += [folder for folder in above if os.path.basename(folder) == model]
        folders += [os.path.join(folder, model) for folder in above]
    for variable in MODEL_PATHS:
        paths = resolver.environment.get(variable, "").split(os.pathsep)
        folders += [os.path.join(path, model) for path in filter(None, paths)]
    found = _first_file(_inside(folders, inside))
    known = f"no folder of the model '{model}' has it (--package {model}=DIR says where it is)"
    return found if found.path else ResolvedFile(None, reason=known, candidates=found.candidates)


def find_package(package: str, resolver: PackageResolver) -> Optional[str]:
    """Return the absolute folder of a package, searched as for `package://`, or None."""
    folders = [
        *_package_folders(package, resolver),
        *(folder for _, folder in _folders_beside(package, resolver)),
        *_sibling_packages(package, resolver),
    ]
    return next((os.path.abspath(folder) for folder in folders if os.path.isdir(folder)), None)


def _package_folders(package: str, resolver: PackageResolver) -> List[str]:
    """Return the folder from --package, the package that contains the URDF, then the search paths of ROS 1 and ROS 2."""
    folders = [folder for name, folder in resolver.packages if name == package]
    for start in _starts(package, resolver):
        # Among the ancestors, only the nearest that is this package.
        folders += [
            folder
            for folder, name in _folders_above(start, resolver)
            if package in (name, os.path.basename(folder))
        ][:1]
    for variable in PACKAGE_PATHS:
        for folder in filter(None, resolver.environment.get(variable, "").split(os.pathsep)):
            # A prefix of ROS 2 has its packages in share/.
            is_prefix = variable == "AMENT_PREFIX_PATH"
            parts = ("share", package) if is_prefix else (package,)
            folders.append(os.path.join(folder, *parts))
            # A path may be the package itself.
            if os.path.basename(os.path.normpath(folder)) == package:
                folders.append(folder)
    return folders


def _folders_beside(package: str, resolver: PackageResolver) -> List[Pair]:
    """Return the possible folders with a package's name, each with the folder where the search began.

    They are beside the URDF, as the `assets` of onshape-to-robot, or beside one of its ancestor folders.
    """
    places: List[Pair] = []
    for start in _starts(package, resolver):
        above = _folders_above(start, resolver)
        places += [(start, os.path.join(folder, package)) for folder, _ in above]
    return places


def _sibling_packages(package: str, resolver: PackageResolver) -> Iterator[str]:
    """Yield the packages with a name beside the package that contains the file, whatever their folders are called.

    The name of a package is in its package.xml (REP 149); its repository may have any name.
    """
    for start in _starts(package, resolver):
        inside = (folder for folder, name in _folders_above(start, resolver) if name is not None)
        holds = next(inside, None)
        if holds is None:
            continue
        beside = os.path.dirname(holds)
        # Sorted, because the order of a folder differs between machines.
        for sibling in sorted(os.listdir(beside)):
            folder = os.path.join(beside, sibling)
            if _name_of_package(folder) == package:
                yield folder


def _name_of_package(folder: str) -> Optional[str]:
    """Return the name in the package.xml of a folder: "" if the file has no name, None without the file."""
    try:
        path = os.path.join(folder, "package.xml")
        with open(path, encoding="utf-8", errors="replace") as stream:
            match = re.search(PACKAGE_NAME, stream.read())
    except OSError:
        return None
    return match.group(1) if match else ""


def _starts(package: str, resolver: PackageResolver) -> List[str]:
    """Return the folders from which a package is searched upward; [] for a reference without a package."""
    if not package:
        return []
    return list(dict.fromkeys((resolver.folder, resolver.origin or resolver.folder)))


def _folders_above(start: str, resolver: PackageResolver) -> List[Tuple[str, Optional[str]]]:
    """Return a folder and its ancestors, each with the name in its package.xml, or None without one."""
    known = resolver.ancestors
    if start not in known:
        folder = os.path.realpath(start)
        above = known.setdefault(start, [])
        while not above or above[-1][0] != folder:
            above.append((folder, _name_of_package(folder)))
            folder = os.path.dirname(folder)
    return known[start]


def _first_file(candidates: List[Pair]) -> ResolvedFile:
    """Return the first file that exists, among names in folders."""
    seen: Dict[str, None] = {}
    for folder, name in candidates:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return ResolvedFile(path, candidates=_relative([(folder, name)]))
        sys.audit("urdf_simplify.missing", path)  # `view --watch` waits for this event
        seen[os.path.normpath(path)] = None
    return ResolvedFile(None, tuple(seen), candidates=_relative(candidates))


def _relative(candidates: Iterable[Pair]) -> Tuple[Pair, ...]:
    """Return the names that are relative to a folder; absolute names are not searched in other spellings."""
    return tuple(pair for pair in candidates if not os.path.isabs(pair[1]))


# ==== urdf_tools/urdf/expand_xacro.py ====
# The expansion of xacro input with the user's own `xacro` command.

XACRO_ARGUMENT = r"(?s)[A-Za-z_][\w.-]*:=.*"
MOST_LINES = 3  # of the message of xacro when it fails
MISSING_ARGUMENT = r"Undefined substitution argument (\S+)"
# The xacro of ROS 2 calls this function of this module for `$(find NAME)` (its substitution_args.py), but `pip install
# xacro` does not install the module.
PACKAGES_MODULE = """FOLDERS = {!r}
def get_package_share_directory(name, *more, **options):
    if name not in FOLDERS:
        raise LookupError("no folder of the package <" + name + ">")
    return FOLDERS[name]
"""
MISSING_PACKAGE = rb"no folder of the package <([^<>]*)>"


def is_xacro(path: str) -> bool:
    """Return True if a file is named like a xacro file."""
    return path.endswith(".xacro")


def check_not_xacro(output: str, path: str) -> None:
    """Refuse to write a URDF over the xacro file that it came from.

    Raises:
        UsageError: the output is the input file.
    """
    if is_xacro(path) and is_same_file(output, path):
        raise UsageError(
            "the output is the input file itself, which is xacro: give another --output", output
        )


def read_expanded(
    path: str,
    arguments: Sequence[str] = (),
    packages: Sequence[Pair] = (),
    environment: Mapping[str, str] = os.environ,
) -> bytes:
    """Return the bytes of a file, or, if it is named `*.xacro`, the output of the `xacro` command for it.

    Args:
        path: the file; "-": standard input.
        arguments: for xacro, each as `name:=value`.
        packages: folders by package name, for `$(find NAME)`; other packages are searched as for meshes.
        environment: the variables with search paths.

    Raises:
        UsageError: the file cannot be read, the xacro command is missing or fails, a package is not found, or an
            argument has a wrong form.
    """
    for argument in arguments:
        if not re.fullmatch(XACRO_ARGUMENT, argument):
            raise UsageError(
                f"--xacro-arg {argument}: give a name and a value, such as prefix:=left_"
            )
    if not is_xacro(path):
        if arguments:
            raise UsageError("--xacro-arg is for a file that ends with .xacro", path)
        return read_standard_input() if path == "-" else read_file(path)
    read_file(path)  # report a missing file with the usual message
    resolver = PackageResolver(os.path.dirname(path) or ".", tuple(packages), environment, {})
    folders: Dict[str, str] = {}
    # Included files may use further packages: run xacro until no package is missing.
    while True:
        status, printed, complaints = _run_xacro(path, arguments, folders)
        missing = re.search(MISSING_PACKAGE, complaints) if status else None
        if missing is None:
            return _checked_output(status, printed, complaints, path)
        name = missing.group(1).decode("utf-8", "backslashreplace")
        folder = find_package(name, resolver)
        if folder is None or name in folders:
            raise UsageError(
                f"no folder is known for the package '{name}' that $(find {name}) names: "
                f"--package {name}=DIR says where it is",
                path,
            )
        folders[name] = folder


def _run_xacro(
    path: str, arguments: Sequence[str], folders: Mapping[str, str]
) -> Tuple[int, bytes, bytes]:
    """Run the xacro command so that it finds exactly the given packages.

    Returns:
        Its exit status, its output, and its error output.
    """
    import subprocess
    import tempfile

    # xacro would read a path that begins with "-" as an option.
    command = _xacro_command(path)
    name = path if not path.startswith("-") else os.path.join(".", path)
    with tempfile.TemporaryDirectory() as modules:
        package = os.path.join(modules, "ament_index_python")
        os.mkdir(package)
        for module, text in (
            ("__init__.py", ""),
            ("packages.py", PACKAGES_MODULE.format(dict(folders))),
        ):
            with open(os.path.join(package, module), "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        # First in the search path, so that this module replaces an installed one.
        search = os.pathsep.join(filter(None, [modules, os.environ.get("PYTHONPATH", "")]))
        try:
            done = subprocess.run(
                [command, name, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                env={**os.environ, "PYTHONPATH": search},
            )
        except (OSError, ValueError) as error:
            raise UsageError(f"xacro cannot be run: {error}", path) from None
    return done.returncode, done.stdout, done.stderr


def _xacro_command(path: str) -> str:
    """Return the path of the xacro command.

    Raises: UsageError: the command is missing; with the ways to get it.
    """
    # Imported here, because it imports four compressors, and only xacro needs it.
    from shutil import which

    command = which("xacro")
    if command is None:
        plain = os.path.basename(path)[: -len(".xacro")]
        plain = plain if "." in plain else f"{plain}.urdf"
        expand = f"`xacro {path} > {plain}` where ROS is installed and give {plain}"
        if sys.platform == "emscripten":  # a browser, which has no commands
            raise UsageError(f"this is xacro, which a browser cannot expand: run {expand}", path)
        raise UsageError(
            "this is xacro, and there is no xacro command on the PATH: `pip install xacro`, "
            f"or run {expand}",
            path,
        )
    return command


def _checked_output(status: int, printed: bytes, complaints: bytes, path: str) -> bytes:
    """Return the output of xacro, or refuse its failure with its last lines."""
    if status != 0:
        lines = [
            line.strip()
            for line in complaints.decode("utf-8", "backslashreplace").splitlines()
            if line.strip()
        ]
        why = "; ".join(_reason_in(lines)) or f"no message, exit status {status}"
        argument = re.search(MISSING_ARGUMENT, why)
        cure = f": --xacro-arg {argument.group(1)}:=VALUE gives it a value" if argument else ""
        raise UsageError(f"xacro failed: {why}{cure}", path)
    if not printed.strip():
        raise UsageError("xacro printed nothing", path)
    return printed


def _reason_in(lines: Sequence[str]) -> Sequence[str]:
    """Return the few lines of an error output with the reason: xacro prints the error first, and then its context."""
    if len(lines) <= MOST_LINES:
        return lines
    first = next((k for k, line in enumerate(lines) if line.startswith("error:")), None)
    if first is None or first >= len(lines) - MOST_LINES:
        return lines[-MOST_LINES:]
    return [*lines[first : first + MOST_LINES - 1], lines[-1]]


# ==== urdf_tools/urdf/moved_files.py ====
# The file names in a URDF that is written into another folder: one implementation for all writers of a robot.

NAMES_FILE = ("mesh", "texture")  # elements with a `filename` of a file for drawing the robot
# What a file is for ("visual", "collision", or "" for a texture and elsewhere), and its name or path.
FileUse = Pair


def use_of(element: Element) -> FileUse:
    """Return the use of the file that a `<mesh>` or `<texture>` names."""
    geometry = element.parent if element.name == "mesh" else None
    shape = geometry.parent if geometry is not None else None
    kind = shape.name if shape is not None and shape.name in ("visual", "collision") else ""
    return kind, element.get("filename") or ""


def moved_name(element: Element, resolver: PackageResolver, folder: str) -> str:
    """Return the name by which a URDF in another folder finds the file of a `<mesh>` or `<texture>`.

    A name in a package stays, because each reader finds its packages itself: see `lost_packages`. A relative name of a
    missing file is changed too, as the file may come later.

    Args:
        resolver: finds the file from the folder of the URDF that contains the element.
        folder: the real path of the other folder; in it MuJoCo has no mesh folder of its own.
    """
    filename = element.get("filename") or ""
    # MuJoCo has a separate folder for meshes, but not for textures.
    if element.name != "mesh":
        resolver = resolver._replace(mesh_folder=None)
    old_folder = os.path.realpath(resolver.folder)
    name = referenced_name(filename, old_folder, resolver.mesh_folder, resolver.staged)
    if old_folder == folder or package_of(filename):
        return name
    new_name = seen_from(name.strip(), old_folder, folder) or name
    file = resolve(filename, resolver).path
    if not file:
        return new_name
    # Verified, as the text of a path can mislead: `link/../m.stl` may not be `m.stl`, `file:m.stl` is relative too, and
    # `%20` may be in the name of a folder.
    new_file = resolve(new_name, resolver._replace(folder=folder, mesh_folder=None)).path
    if new_file and is_same_file(file, new_file):
        return new_name
    return path_from(folder, os.path.realpath(file))


def lost_packages(root: Element, before: PackageResolver, after: PackageResolver) -> Diagnostics:
    """Return a warning for each package whose files a URDF does not find, or finds elsewhere, from another folder."""
    lost: Dict[str, List[str]] = {}
    if os.path.realpath(before.folder) == os.path.realpath(after.folder):
        return []
    # MuJoCo does not support packages and keeps searching its meshdir: see `compiler_of` in meshing/make_meshes.py.
    before = before._replace(mesh_folder=None)
    after = after._replace(mesh_folder=None)
    files = (element.get("filename") or "" for element in root.walk() if element.name in NAMES_FILE)
    for name in dict.fromkeys(files):
        package = package_of(name)
        file = resolve(name, before).path if package else None
        new_file = resolve(name, after).path if file else None
        if file and not (new_file and is_same_file(file, new_file)):
            lost.setdefault(package, []).append(name)
    warnings = []
    for package, names in lost.items():
        folder = find_package(package, before) or ""
        cure = f"--package {shell_word(f'{package}={folder}')}"
        warnings.append(
            Diagnostic(
                # The files exist, and the sentence has the cure.
                kind=MESH_NOT_FOUND._replace(hint=""),
                line=0,
                sentence="moved",
                names=(package, folder, cure),
                numbers=(float(len(names)),),
            )
        )
    return warnings


# ==== urdf_tools/urdf/spatial_math.py ====
# Rotations, poses and spatial inertia: pure functions on tuples of floats.
#
# `R_a_b` maps the components of a vector from frame b to frame a, `T_a_b` the coordinates of a point; in a product,
# adjacent letters cancel: `R_world_child = multiply(R_world_parent, R_parent_child)`.

Vector = Tuple[float, float, float]
Matrix = Tuple[Vector, Vector, Vector]

ZERO: Vector = (0.0, 0.0, 0.0)
UNIT_AXES: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
IDENTITY: Matrix = UNIT_AXES
ZERO_INERTIA: Matrix = (ZERO, ZERO, ZERO)
# Computed angles are multiples of 1e-13 rad: further digits are rounding error.
ANGLE_DECIMALS = 13
HALF_TURN = round(PI, ANGLE_DECIMALS)
QUARTER_TURN = round(HALF_PI, ANGLE_DECIMALS)


class Transform(Record):
    """A rigid transform `T_a_b`: `rotation` is R_a_b, `translation` the origin of b in a [m]."""

    rotation: Matrix
    translation: Vector


Poses = Dict[str, Transform]  # of links or frames, by name


class MassProperties(Record):
    """Mass [kg], center of mass [m] and the inertia tensor about this center [kg m^2], in the axes of one frame."""

    mass: float
    center: Vector
    inertia: Matrix


IDENTITY_POSE = Transform(IDENTITY, ZERO)


def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(factor: float, v: Vector) -> Vector:
    """Return factor * v."""
    return (factor * v[0], factor * v[1], factor * v[2])


def norm(v: Vector) -> float:
    """Return the Euclidean length."""
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def unit(v: Vector) -> Vector:
    """Return v at length 1; v must not be zero (scaled first, so that 1e-200 does not underflow)."""
    largest = max(abs(v[0]), abs(v[1]), abs(v[2]))
    v = (v[0] / largest, v[1] / largest, v[2] / largest)
    return scale(1.0 / norm(v), v)


def angle_between(a: Vector, b: Vector) -> float:
    """Return the angle between two directions [rad], exact for small angles too."""
    return arctangent(norm(cross(a, b)), dot(a, b))


def multiply(A: Matrix, B: Matrix) -> Matrix:
    """Return the matrix product A B."""
    (a, b, c), (d, e, f), (g, h, i) = B
    first, second, third = [
        (x * a + y * d + z * g, x * b + y * e + z * h, x * c + y * f + z * i) for x, y, z in A
    ]
    return first, second, third


def transpose(A: Matrix) -> Matrix:
    """Return A with rows and columns exchanged: the inverse of a rotation."""
    (a, b, c), (d, e, f), (g, h, i) = A
    return ((a, d, g), (b, e, h), (c, f, i))


def rotate(R: Matrix, v: Vector) -> Vector:
    """Turn a direction, which is not affected by a translation."""
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = v
    return (a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)


def move(T: Transform, point: Vector) -> Vector:
    """Map a point given in frame b to frame a."""
    return add(rotate(T.rotation, point), T.translation)


def compose(T_a_b: Transform, T_b_c: Transform) -> Transform:
    """Return T_a_c."""
    R_a_b, (u, v, w) = T_a_b
    R_b_c, (x, y, z) = T_b_c
    (a, b, c), (d, e, f), (g, h, i) = R_a_b
    return Transform(
        multiply(R_a_b, R_b_c),
        (a * x + b * y + c * z + u, d * x + e * y + f * z + v, g * x + h * y + i * z + w),
    )


def inverse(T_a_b: Transform) -> Transform:
    """Return T_b_a."""
    R_b_a = transpose(T_a_b.rotation)
    return Transform(R_b_a, scale(-1.0, rotate(R_b_a, T_a_b.translation)))


def matrix_from_rpy(rpy: Vector) -> Matrix:
    """Return Rz(yaw) Ry(pitch) Rx(roll): rotations about the fixed axes x, y, z in turn, as URDF defines rpy [rad]."""
    # `+ 0.0` turns -0.0 into 0.0.
    return _turned(rpy[0] + 0.0, rpy[1] + 0.0, rpy[2] + 0.0) if rpy != ZERO else IDENTITY


@lru_cache(maxsize=65536)
def _turned(roll: float, pitch: float, yaw: float) -> Matrix:
    """Return the matrix of three angles, cached because CAD uses few different orientations."""
    (cr, sr), (cp, sp), (cy, sy) = map(cosine_sine, (roll, pitch, yaw))
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def matrix_from_quaternion(quaternion: Sequence[float]) -> Matrix:
    """Return the rotation of a quaternion x, y, z, w of any nonzero length."""
    largest = max(map(abs, quaternion))
    # Scaled first, because the square of 1e-200 is 0.
    x, y, z, w = [component / largest for component in quaternion]
    length = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / length, y / length, z / length, w / length
    first = (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w))
    second = (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w))
    third = (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))
    return (first, second, third)


def rpy_from_matrix(R: Matrix) -> Vector:
    """Return the rpy [rad] of a rotation, pitch in [-pi/2, pi/2].

    The roll is computed after the yaw has been undone, so the product of the three is R at any pitch, to 1e-13. At
    gimbal lock (pitch +-pi/2) only yaw -+ roll is defined, and the yaw is set to 0. A half turn is +pi.
    """
    cos_pitch = math.sqrt(R[0][0] * R[0][0] + R[1][0] * R[1][0])
    pitch = _rounded_angle(-R[2][0], cos_pitch)
    yaw = _rounded_angle(R[1][0], R[0][0]) if cos_pitch > 1e-12 else 0.0
    c, s = cosine_sine(yaw)
    roll = _rounded_angle(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return (roll, pitch, yaw)


def _rounded_angle(y: float, x: float) -> float:
    """Return the angle of the point (x, y), snapped to the axes and rounded."""
    # Most angles are along an axis, and need no arctangent.
    if abs(y) <= 1e-14 * abs(x):
        return HALF_TURN if x < 0.0 else 0.0
    if abs(x) <= 1e-14 * abs(y):
        return math.copysign(QUARTER_TURN, y)
    angle = round(arctangent(y, x), ANGLE_DECIMALS) + 0.0
    return HALF_TURN if angle == -HALF_TURN else angle


def rotation_about(axis: Vector, angle: float) -> Matrix:
    """Return the rotation by `angle` [rad] about a unit axis (Rodrigues' formula)."""
    x, y, z = axis
    c, s = cosine_sine(angle)
    t = 1.0 - c
    first = (t * x * x + c, t * x * y - s * z, t * x * z + s * y)
    second = (t * x * y + s * z, t * y * y + c, t * y * z - s * x)
    third = (t * x * z - s * y, t * y * z + s * x, t * z * z + c)
    return (first, second, third)


def rotation_angle(R_a: Matrix, R_b: Matrix) -> float:
    """Return the angle of the rotation from one orientation to the other [rad].

    For two rotations the Frobenius norm of the difference is 2 sqrt(2) sin(angle / 2).
    """
    x, y, z = map(subtract, R_a, R_b)
    squares = dot(x, x) + dot(y, y) + dot(z, z)
    sine = min(1.0, math.sqrt(squares / 8.0))
    # `arctangent` gives the same bits on every machine, an arcsine does not.
    return 2.0 * arctangent(sine, math.sqrt((1.0 - sine) * (1.0 + sine)))


def add_matrices(A: Matrix, B: Matrix) -> Matrix:
    """Return A + B."""
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


def largest_entry(A: Matrix) -> float:
    """Return the largest absolute entry."""
    return max(max(map(abs, row)) for row in A)


def rotate_inertia(R_a_b: Matrix, inertia: Matrix) -> Matrix:
    """Express a tensor given in the axes of b in the axes of a: R I R^T."""
    if R_a_b is IDENTITY:
        return inertia
    return multiply(multiply(R_a_b, inertia), transpose(R_a_b))


def inertia_of_point(mass: float, offset: Vector) -> Matrix:
    """Return the tensor of a point mass at `offset` from the point of reference: m (|d|^2 1 - d d^T)."""
    x, y, z = offset
    xy, xz, yz = -mass * x * y, -mass * x * z, -mass * y * z
    return (
        (mass * (y * y + z * z), xy, xz),
        (xy, mass * (x * x + z * z), yz),
        (xz, yz, mass * (x * x + y * y)),
    )


def move_mass(T_a_b: Transform, part: MassProperties) -> MassProperties:
    """Express mass properties given in frame b in frame a."""
    return MassProperties(
        part.mass, move(T_a_b, part.center), rotate_inertia(T_a_b.rotation, part.inertia)
    )


def merge_mass(parts: Iterable[MassProperties]) -> MassProperties:
    """Combine the mass properties, all given in one frame, of the parts of a rigid group.

    Center of mass: the weighted mean. Tensor: the sum of the parts' tensors and their parallel-axis terms (Steiner)
    about the common center. A part without mass still adds its tensor; without any mass the center is the origin.
    """
    parts = tuple(parts)
    if len(parts) == 1:
        return parts[0]
    mass = math.fsum(part.mass for part in parts)  # fsum: the order of the parts does not matter
    center = ZERO
    if mass > 0.0:
        x, y, z = (math.fsum(part.mass * part.center[k] for part in parts) / mass for k in range(3))
        center = (x, y, z)
    inertia = ZERO_INERTIA
    for part in parts:
        steiner = inertia_of_point(part.mass, subtract(part.center, center))
        inertia = add_matrices(inertia, add_matrices(part.inertia, steiner))
    return MassProperties(mass, center, inertia)


def why_not_physical(mass: float, inertia: Matrix) -> str:
    """Return the reason why no real body has this mass and tensor, or "".

    A tensor belongs to a distribution of mass if and only if `trace(I)/2 1 - I` is positive semidefinite (Wensing, Kim
    and Slotine 2018); this includes the triangle inequality A + B >= C of the principal moments. The tolerance allows
    for six printed digits.
    """
    half_trace = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2])
    if mass <= 0.0:
        return "mass is zero, inertia is not" if largest_entry(inertia) > 0.0 else ""
    if largest_entry(inertia) == 0.0:
        return "inertia is zero"
    if min(inertia[0][0], inertia[1][1], inertia[2][2]) < 0.0:
        return "a moment of inertia is negative"
    (a, d, e), (_, b, f), (_, _, c) = inertia
    second = ((half_trace - a, -d, -e), (-d, half_trace - b, -f), (-e, -f, half_trace - c))
    if not is_semidefinite(second, 1e-5 * largest_entry(inertia)):
        return "not physical: the principal moments violate A + B >= C"
    return ""


def is_semidefinite(M: Matrix, tolerance: float) -> bool:
    """Return True if no eigenvalue of a symmetric matrix is below -tolerance.

    By Sylvester's criterion, this holds if all principal minors of M + tolerance 1 are at least 0.
    """
    (a, b, c), (_, e, f), (_, _, i) = M
    a, e, i = a + tolerance, e + tolerance, i + tolerance
    determinant = a * (e * i - f * f) - b * (b * i - f * c) + c * (b * f - e * c)
    return min(a, e, i, a * e - b * b, a * i - c * c, e * i - f * f, determinant) >= 0.0


# ==== urdf_tools/urdf/urdf_records.py ====
# Typed records of a robot with all content of URDF, in SI units, each with its XML element as `source`; and its motion.
#
# `None` means that the file does not contain the value, or not as numbers. Only rooms that edit XML or report lines use
# `source`. Content outside URDF (unknown geometry or tags) can only be reached through it.

MOVABLE = ("revolute", "continuous", "prismatic")
WITH_AXIS = (*MOVABLE, "planar")
JOINT_TYPES = (*WITH_AXIS, "fixed", "floating")
# Numbers of a joint that change their sign with it, and the attribute that each becomes.
POSITIONS = {
    ("limit", "lower"): "upper",
    ("limit", "upper"): "lower",
    ("safety_controller", "soft_lower_limit"): "soft_upper_limit",
    ("safety_controller", "soft_upper_limit"): "soft_lower_limit",
    # Edges are for motion in the positive direction.
    ("calibration", "rising"): "falling",
    ("calibration", "falling"): "rising",
    ("calibration", "reference_position"): "reference_position",
    ("dynamics", "spring_reference"): "spring_reference",
}
# If one bound is written, the other is 0: urdfdom, joint.cpp.
READ_AS_ZERO = ("limit", "safety_controller")
INERTIA_KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# The size attributes of each kind of geometry, with their counts of numbers; the scale of a mesh may be missing.
SIZES = {
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
    "mesh": (("scale", 3),),
}
NO_MASS = 1e-6  # [kg] exporters write 1e-9 kg for links that are only frames
ORIGIN_KEYS = ("xyz", "rpy", "quat_xyzw")
SPRING = ("spring_stiffness", "spring_reference")  # named as in SDF; some URDFs contain them too
# The elements of a joint in URDF: https://wiki.ros.org/urdf/XML/joint, and the <limit> of urdfdom 4.
OF_JOINT = {
    "parent": ("link",),
    "child": ("link",),
    "origin": ORIGIN_KEYS,
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"),
    "dynamics": ("damping", "friction", *SPRING),
    "mimic": ("joint", "multiplier", "offset"),
    "safety_controller": ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
    "calibration": ("rising", "falling", "reference_position"),
}
# An <origin> in a link has no meaning, but exporters write it.
OF_LINK = ("inertial", "visual", "collision", "origin")


class AttributeEdit(Record):
    """A new value of an attribute of an element or its child; the attribute "" is the text.

    `child` is the name of the child, or `child/grandchild`, each made if missing. If the value is None, the element is
    removed.
    """

    element: Element
    attribute: str
    value: Optional[str]
    child: str = ""


class UrdfInertial(Record):
    """An `<inertial>`: its properties in the axes and from the origin of its link, and the rpy of its frame [rad]."""

    source: Element
    properties: MassProperties
    rpy: Vector


class UrdfShape(Record):
    """A `<visual>` or `<collision>` (`kind`): `pose` is T_link_shape, `drawn` the element in its `<geometry>`."""

    source: Element
    kind: str
    name: str
    pose: Transform
    drawn: Optional[Element]

    @property
    def mesh(self) -> str:
        """Return the file name of a mesh, or ""."""
        drawn = self.drawn
        if drawn is None or drawn.name != "mesh":
            return ""
        return (drawn.get("filename") or "").strip()

    @property
    def scale(self) -> Optional[Vector]:
        """Return the scale of a mesh; None if it is unreadable, or if the shape has no geometry."""
        drawn = self.drawn
        return numbers_in(drawn.get("scale") or "1 1 1", 3) if drawn is not None else None  # type: ignore[return-value]


class UrdfLink(Record):
    """A `<link>`."""

    name: str
    source: Element
    inertial: Optional[UrdfInertial]
    shapes: Tuple[UrdfShape, ...]

    @property
    def visuals(self) -> Tuple[UrdfShape, ...]:
        """Return its `<visual>` shapes."""
        return tuple(shape for shape in self.shapes if shape.kind == "visual")

    @property
    def collisions(self) -> Tuple[UrdfShape, ...]:
        """Return its `<collision>` shapes."""
        return tuple(shape for shape in self.shapes if shape.kind == "collision")

    @property
    def extras(self) -> List[Element]:
        """Return the other elements of the link: frames, sensors, contact parameters."""
        return [element for element in self.source.elements() if element.name not in OF_LINK]

    @property
    def mass(self) -> float:
        """Return the mass [kg], 0 without an `<inertial>`."""
        return self.inertial.properties.mass if self.inertial else 0.0


class Limit(Record):
    """A `<limit>`: the range [rad or m], and the greatest effort [N m or N] and velocity [rad/s or m/s]."""

    lower: Optional[float] = None
    upper: Optional[float] = None
    effort: Optional[float] = None
    velocity: Optional[float] = None


class Dynamics(Record):
    """A `<dynamics>`: damping [N m s/rad or N s/m] and dry friction [N m or N]."""

    damping: Optional[float] = None
    friction: Optional[float] = None


class Safety(Record):
    """A `<safety_controller>`: the soft range [rad or m] and two gains."""

    soft_lower_limit: Optional[float] = None
    soft_upper_limit: Optional[float] = None
    k_position: Optional[float] = None
    k_velocity: Optional[float] = None


class Calibration(Record):
    """A `<calibration>`: the positions of a reference mark [rad or m]."""

    rising: Optional[float] = None
    falling: Optional[float] = None
    reference_position: Optional[float] = None


class Mimic(Record):
    """A `<mimic>`: this joint's position is `multiplier` times the position of `joint` plus `offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


class UrdfJoint(Record):
    """A `<joint>`; names need not be unique, so joints are identified by their child link.

    Attributes:
        origin: T_parent_child with the joint at zero.
        rpy: the rpy that `origin` was read from [rad].
        axis: the unit vector in the frame of the child; for a planar joint the normal; (1, 0, 0) for joints without
            axis.
        limit, dynamics, mimic, safety, calibration: None if the element is missing.
    """

    name: str
    source: Element
    type: str
    parent: str
    child: str
    origin: Transform
    rpy: Vector
    axis: Vector
    limit: Optional[Limit]
    dynamics: Optional[Dynamics]
    mimic: Optional[Mimic]
    safety: Optional[Safety]
    calibration: Optional[Calibration]

    @property
    def positions(self) -> Dict[Pair, float]:
        """Return the numbers that are positions of this joint, and so have its sign, by (element, attribute)."""
        limit = self.limit or Limit()
        safety = self.safety or Safety()
        mark = self.calibration or Calibration()
        values = (limit.lower, limit.upper, safety.soft_lower_limit, safety.soft_upper_limit, *mark)
        return {key: value for key, value in zip(POSITIONS, values) if value is not None}


class UrdfRobot(Record):
    """A whole URDF.

    Attributes:
        links: by name, in file order.
        joints: in file order.
        root: the name of the link without parent.
        tree: the joints, every parent before its children, otherwise in file order.
        warnings: about unusual content with a single possible meaning.
        repairs: edits that correct content that was wrong but understood.
        named: the joint that each name refers to (`first_that_moves`); above: the joint of each child link.
    """

    name: str
    document: Document
    links: Dict[str, UrdfLink]
    joints: Tuple[UrdfJoint, ...]
    root: str
    tree: Tuple[UrdfJoint, ...]
    warnings: Notes
    repairs: Tuple[AttributeEdit, ...]
    named: Dict[str, UrdfJoint]
    above: Dict[str, UrdfJoint]

    @property
    def shapes(self) -> List[Tuple[str, UrdfShape]]:
        """Return all shapes in file order, each with the name of its link."""
        shapes: List[Tuple[str, UrdfShape]] = []
        for name, link in self.links.items():
            shapes += [(name, shape) for shape in link.shapes]
        return shapes

    @property
    def mass(self) -> float:
        """Return the total mass [kg]."""
        return fsum(link.mass for link in self.links.values())


def first_that_moves(joints: Iterable[Tuple[str, UrdfJoint]]) -> Dict[str, UrdfJoint]:
    """Return the joint that each name refers to: among equal names the first movable joint, else the first joint."""
    named: Dict[str, UrdfJoint] = {}
    for name, joint in joints:
        if name not in named or named[name].type not in MOVABLE and joint.type in MOVABLE:
            named[name] = joint
    return named


def as_fixed(joint: UrdfJoint) -> UrdfJoint:
    """Return a joint as fixed: without limit, dynamics, mimic, safety and calibration."""
    if joint.type == "fixed":
        return joint
    return joint._replace(
        type="fixed", limit=None, dynamics=None, mimic=None, safety=None, calibration=None
    )


def defines(material: Element) -> bool:
    """Return True if a `<material>` has a color or an image."""
    return bool(material.elements("color") or material.elements("texture"))


def material_definitions(robot: UrdfRobot) -> Dict[str, Element]:
    """Return the material of each name: materials of the robot take precedence, then visuals in file order (urdfdom)."""
    definitions: Dict[str, Element] = {}
    visuals = [shape.source for _, shape in robot.shapes if shape.kind == "visual"]
    for owner in (robot.document.root, *visuals):
        for material in owner.elements("material"):
            name = material.get("name")
            if name and defines(material):
                definitions.setdefault(name, material)
    return definitions


class JointMap(Record):
    """The map of the position of a joint with one coordinate: q [rad or m] becomes sign * (q - zero)."""

    sign: int = 1
    zero: float = 0.0

    def text_of(self, position: str, *added: Sequence[str]) -> str:
        """Return the text of a mapped position, plus products (see `mapped_text`)."""
        products = list(added)
        if self.zero != 0.0:
            products.append(("-1", repr(self.zero)))
        return mapped_text(position, self.sign, *products)


AS_IT_WAS = JointMap()


def poses_at(robot: UrdfRobot, moved: Poses, T_world_root: Transform) -> Poses:
    """Return T_world_link by link; `moved` has, by child link, the motion of the joint in the child's frame."""
    T_world = {robot.root: T_world_root}
    for joint in robot.tree:
        T = compose(T_world[joint.parent], joint.origin)
        motion = moved.get(joint.child)
        T_world[joint.child] = compose(T, motion) if motion is not None else T
    return T_world


# ==== urdf_tools/urdf/xml_edits.py ====
# Edits of a document: move, copy and make elements, each with its comments, line and indent.


def _is_space(node: Node) -> bool:
    """Return True for a text of white space."""
    return isinstance(node, str) and not node.strip()


def _extent(nodes: Sequence[Node], index: int) -> Tuple[int, int]:
    """Return the range of sibling nodes that belong to the element at `index`.

    These are the element, the comments directly before it (each begins a line, and no blank line follows it), and a
    comment after it on its last line.
    """
    first = last = index
    while first >= 2:
        # White space may be between them, but a blank line separates them.
        between = str(nodes[first - 1]) if _is_space(nodes[first - 1]) else ""
        above = first - 2 if between else first - 1
        if above < 1 or not is_comment(nodes[above]) or between.count("\n") > 1:
            break
        # A comment after a node on the same line belongs to that node.
        if not _is_space(nodes[above - 1]) or "\n" not in str(nodes[above - 1]):
            break
        first = above
    if last + 2 < len(nodes) and is_comment(nodes[last + 2]) and _is_space(nodes[last + 1]):
        if "\n" not in str(nodes[last + 1]):
            last += 2
    return first, last + 1


def detach(
    parent: Element, elements: Collection[Element], *, comments: bool = True
) -> List[List[Node]]:
    """Remove children, each with the white space before it and, unless `comments` is False, its comments.

    Return the removed nodes, one list for each element, in document order.
    """
    detached = set(elements)
    nodes: Sequence[Node] = parent.children
    pieces: List[List[Node]] = []
    kept: List[Node] = []
    done = 0
    for i, node in enumerate(nodes):
        if node in detached:
            first, end = _extent(nodes, i) if comments else (i, i + 1)
            pieces.append([*nodes[first:end]])
            if first > done and _is_space(nodes[first - 1]):
                first -= 1
            kept.extend(nodes[done:first])
            done = end
    parent.children = (*kept, *nodes[done:])
    return pieces


def attach(parent: Element, nodes: List[Node], *, first: bool = False) -> None:
    """Insert nodes into `parent`, on a new line, as its first or last content."""
    indent = _child_indent(parent)
    closing = parent.indent
    parent.open()
    for node in nodes:
        if isinstance(node, Element):
            node.parent = parent
            node.indent = node.indent or indent
    # A list grows in place, which is fast for a link that thousands of links merge into.
    present = parent.children if isinstance(parent.children, list) else list(parent.children)
    if not present or not (first or _is_space(present[-1])):
        present.append(closing)
    # Before the white space in front of the end tag.
    index = 0 if first else len(present) - 1
    present[index:index] = [indent, *nodes]
    parent.children = present


def attach_behind(sibling: Element, element: Element) -> None:
    """Insert an element after a sibling, before the white space that follows it."""
    parent = sibling.parent
    assert parent is not None
    present = parent.children
    _, end = _extent(present, next(k for k, node in enumerate(present) if node is sibling))
    element.parent = parent
    element.indent = sibling.indent
    parent.children = (*present[:end], sibling.indent, element, *present[end:])


def copy_element(element: Element, copies: Optional[Dict[int, Element]] = None) -> Element:
    """Return a copy of an element and its content, outside any document.

    Each copy is added to `copies` by the offset of its original.
    """
    made = {} if copies is None else copies
    top = made[element.offset] = _shallow_copy(element, None)
    waiting = [top]
    for parent in waiting:  # the list grows during the loop
        nodes: List[Node] = []
        for node in parent.children:
            if isinstance(node, Element):
                node = made[node.offset] = _shallow_copy(node, parent)
                if node.children:
                    waiting.append(node)
            nodes.append(node)
        parent.children = tuple(nodes)
    return top


def _shallow_copy(element: Element, parent: Optional[Element]) -> Element:
    """Return a copy of an element for another parent; `copy_element` replaces its children by copies."""
    copy = Element(
        name=element.name,
        attributes=element.attributes,
        start_tag=element.start_tag,
        end_tag=element.end_tag,
        line_starts=element.line_starts,
        parent=parent,
        indent=element.indent,
        offset=element.offset,
    )
    copy.children = element.children
    return copy


def copy_document(document: Document) -> Document:
    """Return a copy of a document and of all its elements; its `copy_of` finds them."""
    copies: Dict[int, Element] = {}
    root = copy_element(document.root, copies)
    # Comments and the XML declaration around the root are strings, and need no copy.
    children = [root if node is document.root else node for node in document.children]
    copy = Document(
        path=document.path,
        children=children,
        root=root,
        encoding=document.encoding,
        mark=document.mark,
        newline=document.newline,
    )
    copy.copies = copies
    copy.late_declaration = document.late_declaration
    return copy


def _child_indent(parent: Element) -> str:
    """Return the newline and indentation for a child: like its siblings, or else one step deeper than the parent."""
    for child in parent.children:
        if isinstance(child, Element):
            return child.indent
    if not parent.indent:
        return ""
    inner = parent.indent.lstrip("\r\n")
    outer = parent.parent.indent.lstrip("\r\n") if parent.parent is not None else ""
    step = inner[len(outer) :] if inner.startswith(outer) else ""
    return parent.indent + (step or "  ")


def create(name: str, attributes: Dict[str, str]) -> Element:
    """Return a new element without content, `<name a="b"/>`."""
    pairs = "".join(f' {key}="{escaped(value, QUOTE)}"' for key, value in attributes.items())
    return Element(name, dict(attributes), f"<{name}{pairs}/>", "")


# ==== urdf_tools/urdf/tree_check.py ====
# The findings of a reading; the check that links and joints form a tree, and its order; loops that are cut.
#
# Some files write a loop with one joint too many. With --lenient, the joint that closes the loop becomes two frames at
# its place, one on each of its links. Their names are onshape-to-robot's names for two frames that coincide (its docs,
# "Robots with loops"), so programs that read these pairs close the loop.

HINTS = 20  # problems with a "did you mean", each of which is a search among all names


class ReadingFindings:
    """The warnings, repairs and problems that a reading collects.

    Attributes:
        path: the name of the file, for messages.
        largest: larger numbers are refused.
        lenient: faults that the common parsers accept are accepted too.
    """

    def __init__(self, path: str, largest: float, *, lenient: bool) -> None:
        """Begin without findings; `path` stands in messages."""
        self.path = path
        self.largest = largest
        self.lenient = lenient
        self.problems: List[UrdfError] = []
        self.warnings: Diagnostics = []
        self.repairs: List[AttributeEdit] = []

    def take_repaired(
        self, repair: AttributeEdit, kind: DiagnosticKind, sentence: str, *names: str
    ) -> None:
        """Record a repair of content that is read as the common parsers do, with a warning."""
        self.repairs.append(repair)
        self.warn(repair.element, kind, sentence, *names)

    def refuse(self, element: Element, message: str) -> None:
        """Add a problem, with the line of an element."""
        self.problems.append(BrokenRobot(message, self.path, element.line))

    def warn(self, element: Element, kind: DiagnosticKind, sentence: str, *names: str) -> None:
        """Add a warning, with the line of an element."""
        self.warnings.append(Diagnostic(kind, element.line, sentence, names))

    def hint(self, name: str, known: List[str]) -> str:
        """Return a "did you mean" with a known name, or "" if too many problems were found before."""
        return did_you_mean(name, known) if len(self.problems) + len(self.warnings) < HINTS else ""

    def raise_problems(self) -> None:
        """Raise the problems, if any: BrokenRobot, or ErrorGroup in the order of their lines."""
        raise_all(sorted(self.problems, key=lambda problem: problem.line))


# Joint types that hold a point, as two coinciding frames do.
HOLD_A_POINT = ("revolute", "continuous")


def check_tree(
    links: Dict[str, UrdfLink], joints: Tuple[UrdfJoint, ...], cure: str, findings: ReadingFindings
) -> Tuple[str, Tuple[UrdfJoint, ...]]:
    """Check that the joints form a tree of the links; return the root and the joints in the order of the tree.

    `cure` ends the message about a loop.
    """
    parent_of: Dict[str, UrdfJoint] = {}
    for joint in joints:
        _check_ends(joint, links, findings)
        if joint.child and joint.child in parent_of:
            other = parent_of[joint.child]
            findings.refuse(
                joint.source,
                f"link '{joint.child}' has two parents: joint '{joint.name}' here and joint "
                f"'{other.name}' in line {other.source.line}{cure}",
            )
        parent_of[joint.child] = joint
    # One mistake often causes several of these problems, so the next ones are reported only without earlier ones.
    roots = [name for name in links if name not in parent_of]
    if len(roots) > 1 and not findings.problems:
        listed = shown_names(f"'{name}' (line {links[name].source.line})" for name in roots)
        findings.refuse(
            links[roots[1]].source,
            f"{len(roots)} links have no parent joint: {listed}; a robot is one tree with one root",
        )
    root = roots[0] if roots else ""
    tree = parents_first(root, joints)
    if len(tree) < len(joints) and not findings.problems:
        loop = next(joint for joint in joints if joint not in tree)
        findings.refuse(loop.source, describe_loop(loop, joints) + cure)
    return root, tree


def _check_ends(joint: UrdfJoint, links: Collection[str], findings: ReadingFindings) -> None:
    """Refuse a joint whose parent or child is not a link; a missing name was refused before."""
    for end, name in (("parent", joint.parent), ("child", joint.child)):
        if name and name not in links:
            findings.refuse(
                joint.source.find(end) or joint.source,
                f"joint '{joint.name}': {end} link '{name}' is not defined"
                f"{findings.hint(name, [*links])}",
            )


def describe_loop(joint: UrdfJoint, joints: Tuple[UrdfJoint, ...]) -> str:
    """Return a description of the loop among the ancestors of a joint: parents are followed until a link repeats."""
    parent_of = {other.child: other.parent for other in joints}
    seen = {joint.child: 0}
    link = parent_of[joint.child]
    while link not in seen:
        seen[link] = len(seen)
        link = parent_of[link]
    loop = list(seen)[seen[link] :][::-1]
    shown = loop if len(loop) <= 6 else [*loop[:5], "..."]
    return f"the links {' -> '.join(map(repr, [*shown, loop[0]]))} form a loop"


def check_mimics(joints: Tuple[UrdfJoint, ...], findings: ReadingFindings) -> None:
    """Warn of followers whose leader does not exist, and of circles of followers."""
    by_name = first_that_moves((joint.name, joint) for joint in joints)
    names = list(by_name)
    # By identity, because several joints may share a name.
    settled: Set[int] = set()
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in by_name:
            findings.warn(
                joint.source,
                MIMIC,
                "unknown",
                joint.name,
                joint.mimic.joint,
                findings.hint(joint.mimic.joint, names),
            )
        # From follower to leader, until a joint that was visited before, so that each joint is visited once.
        followed: Dict[int, str] = {}
        leader: Optional[UrdfJoint] = joint
        while leader is not None and leader.mimic is not None and id(leader) not in settled:
            settled.add(id(leader))
            followed[id(leader)] = leader.name
            leader = by_name.get(leader.mimic.joint)
        if leader is not None and id(leader) in followed:
            circle = list(followed.values())[list(followed).index(id(leader)) :]
            findings.warn(leader.source, MIMIC, "circle", ", ".join(map(repr, circle)))


def parents_first(root: str, joints: Sequence[UrdfJoint]) -> Tuple[UrdfJoint, ...]:
    """Return the joints that can be reached from the root, each after its parent, otherwise in file order.

    If several joints lead to one link, the first counts.
    """
    below = grouped((joint.parent, i) for i, joint in enumerate(joints))
    waiting = below.get(root, [])[:]
    tree: Dict[str, UrdfJoint] = {}
    while waiting:
        # `waiting` is sorted by index, so the first joint in the file comes next.
        joint = joints[waiting.pop(0)]
        if joint.child in tree or joint.child == root:
            continue
        tree[joint.child] = joint
        for i in below.get(joint.child, ()):
            insort(waiting, i)
    return tuple(tree.values())


def find_closing_joints(
    links: Collection[str], joints: Sequence[UrdfJoint]
) -> Dict[str, UrdfJoint]:
    """Return the revolute and continuous joints that close a loop, by the name of the frames that each becomes.

    Each is the last of its loop in the file. The result is {} if there are no loops, or if the remaining joints do not
    form a tree.
    """
    children = {joint.child for joint in joints}
    root = next((name for name in links if name not in children), next(iter(links), ""))
    # Without a link that has two parent joints there is no loop.
    if len(children) == len(joints) and root not in children:
        return {}
    tree_joints = list(joints)
    # From the last: a joint closes a loop if its child can be reached without it.
    for joint in reversed(joints):
        other_joints = [other for other in tree_joints if other is not joint]
        if (
            joint.type in HOLD_A_POINT
            and joint.parent != joint.child
            and joint.child in (root, *(other.child for other in parents_first(root, other_joints)))
        ):
            tree_joints = other_joints
    closing: Dict[str, UrdfJoint] = {}
    # Any other loop or a second root is an error of the file, which is reported elsewhere.
    if not len(parents_first(root, tree_joints)) == len(tree_joints) == len(links) - 1:
        return closing
    for joint in joints:
        if joint in tree_joints:
            continue
        name = f"closing_{joint.name}"
        while name in closing or not {f"{name}_1", f"{name}_2"}.isdisjoint(links):
            name += "_"
        closing[name] = joint
    return closing


def cut_joints(document: Document, closing: Dict[str, UrdfJoint]) -> Document:
    """Return a copy of a document in which each closing joint, given by name, becomes two frames.

    `NAME_1` is at the origin of the joint in its parent, `NAME_2` at the origin of its child. All new elements have the
    line of the joint, and offsets in its start tag, because elements are identified by their offset.
    """
    cut = copy_document(document)
    for name, joint in closing.items():
        element = cut.copy_of(joint.source)
        frame = create("joint", {"name": f"{name}_2_frame", "type": "fixed"})
        new_elements = [frame, *(create("link", {"name": f"{name}_{end}"}) for end in "21")]
        # Each is inserted directly after the joint, so they are in reverse order.
        for new in new_elements:
            attach_behind(element, new)
        for end, link in (("parent", joint.child), ("child", f"{name}_2")):
            new_elements.append(create(end, {"link": link}))
            attach(frame, [*new_elements[-1:]])
        detach(
            element,
            [part for part in element.elements() if part.name not in ("parent", "child", "origin")],
            comments=False,
        )
        for changed_element, key, value in (
            (element, "name", f"{name}_1_frame"),
            (element, "type", "fixed"),
            (element.elements("child")[0], "link", f"{name}_1"),
        ):
            changed_element.set(key, value)
        for offset, new in enumerate(new_elements, joint.source.offset + 1):
            new.line_starts = element.line_starts
            new.offset = offset
    return cut


# ==== urdf_tools/urdf/urdf_notes.py ====
# Comments of this tool that list words: decisions, for people and for `compare`, and the signs that joints keep.
#
# Each decision is a line: its kind, prefixed with the format for the decision of an export; the link, joint, sensor or
# file; words; numbers in brackets: `shape nut_m3.stl visual+collision base shin (2 5)`, `lock shin knee (0.3)`, `sdf:lost
# top_b loop`. A space in a word is `~`. The note of a later run has the lines of the earlier ones first. `read_decision`
# in compare/noted_decisions.py reads a line; compare/README.md explains the words and numbers of each kind.

DECISIONS = SIGNATURE + " decisions[^:]*:"  # the start of the note, in any release
DECISIONS_TITLE = "decisions, what is not as in the original file"
# The kind of a line for a loss: missing or changed in the result, with labels of differences.
LOST = "lost"
# [m and rad] Roundings of axes that move nothing by more than this are not noted. It is the default tolerance of
# `compare`, which overestimates the distance of shapes by a factor of 1.7 at most.
UNNOTED = 1e-4 / 1.7
# `--` ends a comment; commas and spaces separate words; no other character needs more than one byte
NOT_IN_NOTES = re.compile(r"[^\w./:+*?!=\[\]-]|(?<=-)-", re.A)


def in_note(name: str) -> str:
    """Return a name as a single word for a comment; other characters are percent-encoded, as in URLs."""
    return NOT_IN_NOTES.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8")), name
    )


def from_note(word: str) -> str:
    """Return the name that a word of a note represents."""
    return re.sub(
        "(?:%[0-9A-F]{2})+",
        lambda match: bytes.fromhex(match.group().replace("%", "")).decode("utf-8", "replace"),
        word,
    )


class Decision(Record):
    """A change or a loss in a run: its subject, with words and numbers.

    `format` is the format of the export that made it; "" for a change of the URDF, which affects all formats.
    """

    kind: str
    name: str
    words: Texts = ()
    numbers: Reals = ()
    format: str = ""


def decision_text(decision: Decision) -> str:
    """Return a decision as a line of the note."""
    kind, name, words, numbers, made = decision
    # A whole number without `.0`.
    listed = " ".join(repr(number) if number % 1 else f"{number:.17g}" for number in numbers)
    return " ".join(
        [
            f"{made}:{kind}" if made else kind,
            *(in_note(word).replace("%20", "~") or '""' for word in (name, *words)),
            *([f"({listed})"] if numbers else []),
        ]
    )


WIDTH_OF_NOTES = 120


def own_notes(document: Document, begins: str) -> List[str]:
    """Return the notes of this tool that match a pattern at their start.

    Most files have no notes, so the text is tested first and the pattern is not compiled.
    """
    return [
        text
        for text in document.comments()
        if text.startswith("urdf_simplify") and re.match(begins, text)
    ]


def line_of_note(document: Document, begins: str) -> int:
    """Return the line of the first note that matches a pattern at its start, or 0."""
    notes = own_notes(document, begins)
    return document.text().partition(notes[0])[0].count("\n") + 1 if notes else 0


def words_of_note(document: Document, begins: str) -> Texts:
    """Return the words of the first note that matches a pattern at its start."""
    listed = next((text.partition(":")[2] for text in own_notes(document, begins)), "")
    return tuple([" ".join(word.split()) for word in listed.split(",")]) if listed else ()


def note_of_words(
    title: str, words: Sequence[str], newline: str, width: int = WIDTH_OF_NOTES
) -> str:
    """Return a comment with a title and words, folded at a width; "" without words.

    With width 0, each word begins a line, and longer words are folded at their spaces.
    """
    head = f"<!-- {signature()} {title}:"
    if not words:
        return ""
    in_one_line = f"{head} {', '.join(words)} -->"
    # Every release counts as five characters, so that all fold a note alike.
    if len(in_one_line) - len(signature()) + len("urdf_simplify 0.3.0") <= width:
        return in_one_line
    lines = [head]
    for word in (*(f"{word}," for word in words[:-1]), words[-1]):
        if len(lines) == 1 or len(lines[-1]) + len(word) >= width:
            lines.append(" ")
        for part in [word] if width else word.split():
            if len(lines[-1]) + len(part) >= WIDTH_OF_NOTES:
                lines.append("   ")
            lines[-1] += f" {part}"
    return newline.join([*lines, "-->"])


JOINT_MAP = SIGNATURE + " joint map[^:]*:"  # the start of the note, in any release
ORIGINAL_NAME = r"[^\s()-][^\s()]*"  # of a joint in the original file, as written by `old_word`
# A position in the original file; of a slide in a robot that was scaled, times the factor.
TERM = rf"(?:({NUMBER})\*)?({ORIGINAL_NAME})"
ENTRY = rf"(\S+) = (?:-{TERM}|-\({TERM} - ({NUMBER})\)|{TERM}(?: - ({NUMBER}))?)"
SAME_NAME = "q"


class NotedJointMap(Record):
    """The map of a joint from the original file, and its original name as in the note, or q if unchanged.

    `times` is the factor of the original position, before the map: of a slide in a robot that was scaled.
    """

    map: JointMap = AS_IT_WAS
    old: str = SAME_NAME
    times: float = 1.0


def read_joint_map(document: Document) -> Dict[str, NotedJointMap]:
    """Return the map of each joint in the note of an earlier run, by its name as written in the note."""
    entries = filter(None, map(partial(re.fullmatch, ENTRY), words_of_note(document, JOINT_MAP)))
    maps: Dict[str, NotedJointMap] = {}
    for entry in entries:
        name, *terms = entry.groups()
        # An entry with another spelling was edited, and names no joint.
        if in_note(from_note(name)) != name:
            continue
        # Of the three forms of an entry, `-q`, `-(q - 1)`, and `q` or `q - 1`, one has a term.
        times = terms[0] or terms[2] or terms[5] or "1"
        old = terms[1] or terms[3] or terms[6]
        zero = terms[4] or terms[7] or "0"
        sign = 1 if terms[6] else -1
        maps[name] = NotedJointMap(JointMap(sign, float(zero)), old, float(times))
    return maps


# The start of the note that lists the edits, run by run.
VARIANT = SIGNATURE + " variant:"
# Including notes with an edited release.
LIKE_A_NOTE = r"urdf_simplify\b.*? (?:joint map|variant|decisions)[^:]*:"
THEN = "then "  # before the first word of a later run: `drop *_hand, zero knee=0.35, then flip hip`
KEEP_SIGNS = "keep-signs"


def read_word(word: str) -> Pair:
    """Return the edit and the value of a word of the note, such as ("flip", "hip")."""
    name, _, value = word[len(THEN) * word.startswith(THEN) :].partition(" ")
    return name, from_note(value)


def signs_noted(document: Document) -> List[str]:
    """Return the globs of joints whose signs earlier runs flipped or kept, from the note."""
    noted = map(read_word, words_of_note(document, VARIANT))
    return [value or "*" for name, value in noted if name in ("flip", KEEP_SIGNS)]


def unread_in_notes(document: Document) -> Iterator[Pair]:
    """Yield unreadable notes of earlier runs and unreadable entries of their joint maps."""
    for text in own_notes(document, LIKE_A_NOTE):
        if not any(re.match(begins, text) for begins in (JOINT_MAP, VARIANT, DECISIONS)):
            yield "note", text.partition(":")[0]
    for word in words_of_note(document, JOINT_MAP):
        if not re.fullmatch(ENTRY, word):
            yield "entry", word


def kept_signs(robot: UrdfRobot, *, keep_all: bool) -> AbstractSet[str]:
    """Return the child links of the joints that keep their signs."""
    globs = [*signs_noted(robot.document), *["*"] * keep_all]
    return {
        joint.child
        for joint in robot.joints
        if joint.type in WITH_AXIS and any(fnmatchcase(joint.name, glob) for glob in globs)
    }


def words_of_result(robot: UrdfRobot, *, keep_all: bool) -> Texts:
    """Return the words for the note in the result; words of earlier runs come first."""
    words = words_of_note(robot.document, VARIANT)
    is_new = keep_all and KEEP_SIGNS not in (read_word(word)[0] for word in words)
    return (*words, f"{THEN if words else ''}{KEEP_SIGNS}") if is_new else words


# ==== urdf_tools/urdf/urdf_reader.py ====
# The reader of a robot from a document, which reports all errors of the robot.

XACRO = r"\$[({]"
INFINITE = r"(?i)([+-]?)inf(?:inity)?"
# Larger numbers leave too few of their 16 digits for a proof to 1e-9: lengths [m], and bounds and efforts of joints.
PROVABLE = {
    **{key: 100.0 for sizes in SIZES.values() for key, _ in sizes},
    "xyz": 100.0,
    "lower": 1e8,
    "upper": 1e8,
    "effort": 1e9,
    "velocity": 1e9,
}
PartOfJoint = TypeVar("PartOfJoint", Limit, Dynamics, Safety, Calibration)


def read_robot(document: Document, largest: float = LARGEST, *, lenient: bool = False) -> UrdfRobot:
    """Read the robot from a document; numbers beyond `largest` are refused.

    With `lenient`, faults that the common parsers accept are read, with a warning and a repair.

    Raises:
        BrokenRobot, ErrorGroup: with all problems that a single reading can find.
    """
    findings = ReadingFindings(document.path, largest, lenient=lenient)
    root = document.root
    _require_robot(root, findings.path)
    late = document.late_declaration
    if late is not None:
        sentence = "comment" if late.is_behind_comment else "blanks"
        findings.warnings.append(Diagnostic(XML_DECLARATION, late.line, sentence))
    if document.may_hold(XACRO_SIGNS):
        _check_no_xacro(root, findings)
    links = _read_links(root, findings)
    joints = tuple(_read_joint(element, findings) for element in root.elements("joint"))
    for element in root.elements("drake:joint"):  # ball, screw, universal, planar
        findings.refuse(
            element,
            f"<drake:joint name='{element.get('name') or ''}' type='{element.get('type') or ''}'> "
            "is not read: only Drake knows such a joint",
        )
    closing = find_closing_joints(links, joints)
    if closing and lenient:
        findings.raise_problems()
        return _read_cut(document, closing, largest)
    cure = ""
    if closing:
        cure = "; --lenient cuts " + shown_names(f"'{joint.name}'" for joint in closing.values())
    top, tree = check_tree(links, joints, cure, findings)
    # Leaders are looked up only in a robot that is a tree.
    findings.raise_problems()
    check_mimics(joints, findings)
    return UrdfRobot(
        name=root.get("name") or "",
        document=document,
        links=links,
        joints=joints,
        root=top,
        tree=tree,
        warnings=tuple(findings.warnings),
        repairs=tuple(findings.repairs),
        named=first_that_moves((joint.name, joint) for joint in joints),
        above={joint.child: joint for joint in joints},
    )


def _require_robot(root: Element, path: str) -> None:
    """Refuse a file whose root element is not `<robot>`."""
    if root.name == "robot":
        return
    more = ""
    if root.name in ("mujoco", "sdf"):
        more = ", which the package urdf-simplify reads (pip install)"
    raise BrokenRobot(
        f"the root element is <{root.name}>, not <robot>: this is not a URDF{more}",
        path,
        root.line,
    )


def _read_cut(document: Document, closing: Dict[str, UrdfJoint], largest: float) -> UrdfRobot:
    """Read a robot whose loops are cut at joints, with a warning for each."""
    robot = read_robot(cut_joints(document, closing), largest, lenient=True)
    warnings = [
        Diagnostic(LOOP_CUT, joint.source.line, "joint", (joint.name, joint.child, name))
        for name, joint in closing.items()
    ]
    return robot._replace(warnings=(*robot.warnings, *warnings))


def _check_no_xacro(root: Element, findings: ReadingFindings) -> None:
    """Refuse xacro that was not expanded; in the text of a plugin, `$(find ...)` may be meant for its own reader."""
    places: List[Tuple[Element, str]] = []
    for top in root.elements():
        if not any(map(top.source().__contains__, XACRO_SIGNS)):
            continue
        matters = top.name in ("link", "joint", "material")
        for element in top.walk():
            if element.name.startswith("xacro:"):
                places.append((element, f"<{element.name}>"))
            values: List[str] = []
            if "$" in element.start_tag or not matters:
                values = [*element.attributes.values(), element.text()]
            value = next((value for value in values if re.search(XACRO, value)), None)
            if value is not None and matters:
                places.append((element, f"'{value.strip()}'"))
            elif value is not None:
                findings.warn(element, XACRO_TEXT, "text", element.name, value.strip())
    if places:
        element, what = places[0]
        more = f" (and in {count_of(len(places) - 1, 'more place')})" if len(places) > 1 else ""
        findings.refuse(
            element,
            f"{what} is xacro that was not expanded{more}: "
            f"run `xacro robot.urdf.xacro > robot.urdf` first, then give robot.urdf",
        )
        findings.raise_problems()


def _numbers(
    element: Element, attribute: str, count: int, findings: ReadingFindings
) -> Optional[Reals]:
    """Return the numbers of an attribute, or None if it is missing or refused."""
    text = element.get(attribute)
    if text is None:
        return None
    try:
        # As a bound, the largest float is no mistake: it means no limit.
        is_end = element.name == "limit" and attribute in ("lower", "upper")
        largest = sys.float_info.max if is_end else findings.largest
        values = read_numbers(text, count, largest)
    except ValueError as error:
        return _repaired_numbers(element, attribute, text, str(error), findings)
    if "," in text:
        understood = " ".join(text.replace(",", " ").split())
        findings.take_repaired(
            AttributeEdit(element, attribute, understood),
            REPAIRED,
            "commas",
            *_owner(element),
            attribute,
            text,
            understood,
        )
    return values


def _repaired_numbers(
    element: Element, attribute: str, text: str, problem: str, findings: ReadingFindings
) -> Optional[Reals]:
    """Read faulty numbers as the common parsers do, or refuse them."""
    words = text.split()
    sense = ""
    infinite = re.fullmatch(INFINITE, text.strip())
    if attribute == "rpy" and len(words) > 3 and all(re.fullmatch(NUMBER, word) for word in words):
        words = words[:3]
        sense = "the first three numbers"
    elif infinite and element.name == "limit" and attribute in ("lower", "upper"):
        largest = -sys.float_info.max if infinite.group(1) == "-" else sys.float_info.max
        words = [repr(largest)]
        sense = "no limit"
    if not (sense and findings.lenient):
        advice = f"; --lenient takes {sense}" if sense else ""
        findings.refuse(
            element, f"{_place(element)}<{element.name} {attribute}>: {problem}{advice}"
        )
        return None
    findings.take_repaired(
        AttributeEdit(element, attribute, " ".join(words)),
        ASSUMED_VALUE,
        "numbers",
        *_owner(element),
        attribute,
        text,
        sense,
    )
    return tuple(map(float, words))


def _vector(element: Element, attribute: str, default: Vector, findings: ReadingFindings) -> Vector:
    """Return three numbers of an attribute, or a default if it is missing or refused."""
    values = _numbers(element, attribute, 3, findings)
    # Unchanged, so that equal vectors are a single object in memory.
    return cast(Vector, values) if values else default


def _number(element: Element, attribute: str, default: float, findings: ReadingFindings) -> float:
    """Return the number of an attribute, or a default if it is missing or refused."""
    values = _numbers(element, attribute, 1, findings)
    return values[0] if values else default


def _owner(element: Element) -> Pair:
    """Return name and tag of the joint, link or material that contains an element."""
    while element.parent is not None and element.parent.name != "robot":
        element = element.parent
    return element.get("name") or "", element.name


def _place(element: Element) -> str:
    """Return the words for the joint, link or material that contains an element, for a message."""
    name, tag = _owner(element)
    return f"{tag} '{name}': "


def _read_origin(owner: Element, findings: ReadingFindings) -> Tuple[Transform, Vector]:
    """Return the pose of the `<origin>` of an element and its rpy [rad]; the identity without one."""
    origin = owner.find("origin")
    if origin is None:
        return Transform(UNIT_AXES, ZERO), ZERO
    xyz = _vector(origin, "xyz", ZERO, findings)
    quaternion = _numbers(origin, "quat_xyzw", 4, findings)  # URDF 1.1
    if quaternion is None:
        rpy = _vector(origin, "rpy", ZERO, findings)
        return Transform(matrix_from_rpy(rpy), xyz), rpy
    if origin.get("rpy") is not None:
        findings.refuse(
            origin, f"{_place(origin)}<origin> has rpy and quat_xyzw: remove one of them"
        )
    if not any(quaternion):
        findings.refuse(origin, f"{_place(origin)}<origin quat_xyzw> is zero")
        return Transform(UNIT_AXES, xyz), ZERO
    rotation = matrix_from_quaternion(quaternion)
    return Transform(rotation, xyz), rpy_from_matrix(rotation)


def _read_links(root: Element, findings: ReadingFindings) -> Dict[str, UrdfLink]:
    """Return the links by name, in file order."""
    links: Dict[str, UrdfLink] = {}
    for element in root.elements("link"):
        name = element.get("name")
        if not name:
            findings.refuse(element, "this <link> has no name")
            continue
        if name in links:
            findings.refuse(
                element, f"link '{name}' is defined twice, first in line {links[name].source.line}"
            )
            continue
        shapes = []
        for child in element.elements():
            if child.name in ("visual", "collision"):
                shapes.append(_read_shape(child, findings))
                _check_geometry(name, shapes[-1], findings)
        links[name] = UrdfLink(name, element, _read_inertial(element, findings), tuple(shapes))
    if not links and not findings.problems:
        findings.refuse(root, "the robot has no links")
    return links


def _check_geometry(link: str, shape: UrdfShape, findings: ReadingFindings) -> None:
    """Warn of a shape without geometry, with an unknown kind of geometry, or with unreadable numbers."""
    drawn = shape.drawn
    if drawn is None:
        findings.warn(shape.source, NO_GEOMETRY, "shape", link, shape.kind)
    elif drawn.name not in SIZES or not all(
        _if_readable(drawn, key, count)
        for key, count in SIZES[drawn.name]
        if key != "scale" or drawn.get(key) is not None
    ):
        findings.warn(drawn, UNREADABLE_GEOMETRY, "shape", link, drawn.name, shape.kind)


def _read_shape(element: Element, findings: ReadingFindings) -> UrdfShape:
    """Return a `<visual>` or `<collision>`."""
    geometry = element.find("geometry")
    pose = _read_origin(element, findings)[0]
    inside = geometry.elements() if geometry is not None else []
    # urdfdom reads only the first element in <geometry>.
    drawn = inside[0] if inside else None
    return UrdfShape(
        source=element,
        kind=element.name,
        name=element.get("name") or "",
        pose=pose,
        drawn=drawn,
    )


def _if_readable(element: Element, attribute: str, count: int) -> Optional[Reals]:
    """Return the numbers of an attribute that this tool never writes, or None.

    An unreadable value in such an attribute is no reason to refuse a robot: it stays in the file unchanged.
    """
    return numbers_in(element.get(attribute) or "", count)


def _read_inertial(link: Element, findings: ReadingFindings) -> Optional[UrdfInertial]:
    """Return the `<inertial>` of a link in the axes of the link, or None."""
    element = link.find("inertial")
    name = link.get("name") or ""
    if element is None:
        return None
    # A fault with a single likely meaning is accepted only with --lenient.
    for other in link.elements("inertial")[1:]:
        if not findings.lenient:
            findings.refuse(
                other, f"link '{name}' has more than one <inertial>; --lenient takes the first"
            )
            break
        findings.take_repaired(AttributeEdit(other, "", None), ASSUMED_VALUE, "inertials", name)
    mass = element.find("mass")
    inertia = element.find("inertia")
    if mass is None or mass.get("value") is None:
        if not findings.lenient:
            findings.refuse(
                mass or element,
                f"link '{name}': <inertial> has no <mass value>; --lenient takes it as zero",
            )
            return None
        repair = (
            AttributeEdit(mass, "value", "0")
            if mass
            else AttributeEdit(element, "value", "0", "mass")
        )
        findings.take_repaired(repair, ASSUMED_VALUE, "mass", name)
    value = _number(mass, "value", 0.0, findings) if mass is not None else 0.0
    if mass is not None and value < 0.0:
        findings.refuse(mass, f"link '{name}': the mass is negative ({mass.get('value')})")
    pose, rpy = _read_origin(element, findings)
    tensor = ZERO_INERTIA
    if inertia is None:
        findings.warn(element, MISSING_INERTIA, "tensor", name)
    else:
        tensor = _read_tensor(inertia, findings)
    # The tensor is written in the axes of its <origin>, and converted to the axes of the link.
    in_link = rotate_inertia(pose.rotation, tensor)
    return UrdfInertial(element, MassProperties(value, pose.translation, in_link), rpy)


def _read_tensor(inertia: Element, findings: ReadingFindings) -> Matrix:
    """Return the tensor of an `<inertia>`; missing entries are 0, with a warning for moments."""
    missing = [key for key in ("ixx", "iyy", "izz") if inertia.get(key) is None]
    if missing:
        findings.warn(inertia, MISSING_INERTIA, "entries", *_owner(inertia), ", ".join(missing))
    xx, xy, xz, yy, yz, zz = (_number(inertia, key, 0.0, findings) for key in INERTIA_KEYS)
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _read_joint(element: Element, findings: ReadingFindings) -> UrdfJoint:
    """Return a `<joint>`; faults are collected, so that one reading finds all of them."""
    name = element.get("name") or ""
    kind = element.get("type")
    if not name:
        findings.refuse(element, "this <joint> has no name")
    if kind not in JOINT_TYPES:
        suggestion = did_you_mean((kind or "").lower(), JOINT_TYPES)
        fault = f"has the unknown type '{kind}'{suggestion}" if kind is not None else "has no type"
        findings.refuse(element, f"joint '{name}' {fault}")
    # Errors give "", so that reading continues and reports all problems of the file.
    ends = {}
    for end in ("parent", "child"):
        end_element = element.find(end)
        link = end_element.get("link") if end_element is not None else None
        ends[end] = link or ""
        if not link:
            faulty_element = end_element if end_element is not None else element
            findings.refuse(faulty_element, f"joint '{name}' names no {end} link")
    origin, rpy = _read_origin(element, findings)
    # onshape-to-robot gives fixed joints the axis 0 0 0.
    axis = _read_axis(element, findings) if kind in WITH_AXIS else UNIT_AXES[0]
    limit = _read_part(element, "limit", Limit, findings)
    safety = _read_part(element, "safety_controller", Safety, findings)
    calibration = _read_part(element, "calibration", Calibration, findings)
    if kind in ("revolute", "prismatic") and limit is None:
        findings.warn(element, NO_LIMIT, "joint", name, kind)
    mimic = _read_mimic(element, name, findings) if kind in MOVABLE else None
    return UrdfJoint(
        name=name,
        source=element,
        type=str(kind),
        parent=ends["parent"],
        child=ends["child"],
        origin=origin,
        rpy=rpy,
        axis=axis,
        limit=limit,
        safety=safety,
        calibration=calibration,
        mimic=mimic,
        dynamics=_read_part(element, "dynamics", Dynamics, findings),
    )


def _read_part(
    joint: Element, name: str, record: Type[PartOfJoint], findings: ReadingFindings
) -> Optional[PartOfJoint]:
    """Return a part of a joint; its positions change with the sign of the joint, so they must be numbers."""
    element = joint.find(name)
    if element is None:
        return None
    values: List[Optional[float]] = []
    for key in record._fields:
        if (name, key) in POSITIONS:
            numbers = _numbers(element, key, 1, findings)
        else:
            numbers = _if_readable(element, key, 1)
        values.append(numbers[0] if numbers else None)
    return record(*values)


def _read_axis(element: Element, findings: ReadingFindings) -> Vector:
    """Return the unit axis of a joint with an axis; URDF's default is x."""
    part = element.find("axis")
    axis = _vector(part, "xyz", UNIT_AXES[0], findings) if part is not None else UNIT_AXES[0]
    if part is not None and axis == ZERO:
        findings.refuse(
            part,
            f"joint '{element.get('name')}': the axis of a {element.get('type')} joint is zero",
        )
        return UNIT_AXES[0]
    return axis if axis in UNIT_AXES else unit(axis)


def _read_mimic(element: Element, name: str, findings: ReadingFindings) -> Optional[Mimic]:
    """Return the `<mimic>` of a joint, or None if it is missing or names no leader."""
    part = element.find("mimic")
    if part is None:
        return None
    leader = part.get("joint")
    if not leader:
        findings.warn(part, MIMIC, "nameless", name)
        return None
    return Mimic(
        leader, _number(part, "multiplier", 1.0, findings), _number(part, "offset", 0.0, findings)
    )


def refuse_extremes(document: Document) -> None:
    """Refuse the first number that is too large for a proof; called when a proof has failed.

    Raises:
        BrokenRobot: a number is too large.
    """
    for element in document.root.walk():
        for key, most in PROVABLE.items():
            text = element.get(key) or ""
            numbers = numbers_in(text, len(text.split()), sys.float_info.max) or (0.0,)
            if max(map(abs, numbers)) > most:
                raise BrokenRobot(
                    f"{_place(element)}<{element.name} {key}>: '{text}' is too large for a proof to 1e-9",
                    document.path,
                    element.line,
                )


# ==== urdf_tools/collada/conversion_records.py ====
# The options and results of a COLLADA conversion.

# A transform with any linear part in place of the rotation: maps of a mesh also scale, shear and mirror.
Affine = Transform
DaeColor = Tuple[float, float, float, float]  # red, green, blue, alpha, 0..1
DRAWN_PRIMITIVES = ("triangles", "polylist", "polygons", "tristrips", "trifans")
Indices = List[int]  # of points, or of triangles
DaeVector = Tuple[float, float, float]
MeshBounds = Tuple[DaeVector, DaeVector]  # lowest and highest corner, meters
MeshProgress = Callable[[int], None]  # called with the number of triangles so far
COLLADA_ENDINGS = (".dae", ".zae")
MAX_FACES = 200_000
MISSING_UNITS = {"meter": 1.0, "millimeter": 0.001}


class SceneOptions(Record):
    """The options on lengths and axes.

    Attributes:
        scale_factor: meters per unit of the file; None: the file's own unit.
        missing_unit: meters per unit of a file without a unit; 1.0 by the specification.
        up_axis: "x", "y" or "z" turns that axis of the file to +Z; None turns nothing.
    """

    scale_factor: Optional[float] = None
    missing_unit: float = 1.0
    up_axis: Optional[str] = None


class RareColladaFunctions(Record):
    """The functions that few files need and only the package has; they can be pickled for other processes.

    Attributes:
        cut_run: takes the tag of a strip or fan, counts as in `triangle_blocks`, and indices; returns the indices of
            triangles.
        measured_run: takes the tag and indices; yields each triangle as it is wound, for the proof.
        merge_planar: moves planar parts to the largest part, see `finish_parts`.
    """

    cut_run: Callable[..., List[int]]
    measured_run: Callable[[str, Sequence[int]], Iterable[List[int]]]
    merge_planar: Callable[..., None]


class DaeOptions(Record):
    """The options of a conversion; every field can be pickled.

    Attributes:
        scene: units and axes.
        separate: make a part for each color; False: a single part without color.
        merge_equal_colors: materials of equal color (and image) share a part; False: a part for each material.
        planar: "keep" planar parts, or "merge" them into the largest part, whose color they take.
        max_faces: the most triangles in a file (MuJoCo reads 200,000); a larger part is split; 0: no limit.
        rare: the functions of the package; without it, a file that needs it is refused.
        normals: False: the normals of the file are not read, because USD does not get them.
    """

    scene: SceneOptions = SceneOptions()
    separate: bool = True
    merge_equal_colors: bool = True
    planar: str = "keep"
    max_faces: int = MAX_FACES
    rare: Optional[RareColladaFunctions] = None
    normals: bool = True


DEFAULT_DAE_OPTIONS = DaeOptions()


class MeshPart(Record):
    """An STL file made from a COLLADA file.

    Attributes:
        file: the path of the STL file.
        geometry: the name of its first geometry, and the number of others.
        material: the name of the material, or "".
        rgba: red, green, blue, alpha, 0..1; None if the file has no color.
        image: the image of its texture, or "".
        planar: it lies in a plane, which MuJoCo refuses.
        piece: 0, or 1, 2, ... if the part was split.
        triangles: the number of triangles in the file.
        vertices: the number of different indexed positions in use.
        bounds: the lowest and the highest corner [m].
        notes: notes for the user, without a line.
        stamp: the stamp of the file when it was verified.
        details: data of a converter to other formats; None for STL.
        off: the largest distance between part and mesh, both ways [m of the file]; 0.0: it has all triangles.
        is_partly_colored: `rgba` is None because only some of its surfaces have a color.
    """

    file: str
    geometry: str
    material: str
    rgba: Optional[DaeColor]
    image: str
    planar: bool
    piece: int
    triangles: int
    vertices: int
    bounds: MeshBounds
    notes: Notes
    stamp: FileStamp = ()
    details: object = None
    off: float = 0.0
    is_partly_colored: bool = False


class ReductionRecord(Record):
    """The reduction of a mesh: its numbers of triangles in input and result; `why` it stays, "" if it does not."""

    before: int
    after: int
    why: str = ""


class DaeConversionResult(Record):
    """The result of a conversion: its parts, in the order of their first triangle, and notes on the whole.

    `reduced` is the record of a requested reduction; without parts, the mesh stays unchanged. `joined` has the different
    colors of the file if its parts do not have them. `restated` says how the options placed the mesh otherwise than its
    file does, such as "in units of 0.1 m".
    """

    parts: Tuple[MeshPart, ...]
    notes: Notes
    reduced: Optional[ReductionRecord] = None
    joined: Tuple[DaeColor, ...] = ()
    restated: str = ""


def rgba_text(rgba: DaeColor) -> str:
    """Return the text of a color in a URDF: as its file has it, and with six digits if it was computed."""
    return " ".join(map(_channel_text, rgba))


def _channel_text(value: float) -> str:
    """Return the text of a number of a color."""
    # A double keeps every decimal number of 15 digits (DBL_DIG of C), and more digits are the error of a computation,
    # such as sRGB numbers from the linear ones of glTF.
    text = f"{value:.15g}"
    return text if float(text) == value else f"{value:.6g}"


def part_stems(parts: Sequence[MeshPart], stem: str, used: Set[str]) -> List[str]:
    """Return a file stem for each part: `<stem>_<material>`, or `<stem>` if the mesh has a single part.

    Stems are unique; `used` has casefolded stems, and the new stems are added to it.  The pieces of a split part are
    distinguished by `_1`, `_2`, ...
    """
    # Pieces from the second on belong to the preceding part.
    several = sum(part.piece < 2 for part in parts) > 1
    stems: List[str] = []
    whole = ""
    for number, part in enumerate(parts, start=1):
        if part.piece < 2:
            label = safe_stem(part.material, f"part{number}")
            wanted = f"{stem}_{label}" if several else stem
            whole = safe_stem(wanted, "part")
        own = f"{whole}_{part.piece}" if part.piece else whole
        stems.append(unique_stem(own, used))
    return stems


# ==== urdf_tools/collada/binary_stl.py ====
# Binary STL: triangle records from indexed points, files written piece by piece, and read back.
#
# The same input gives the same bytes: no date, no path.  Layout: 80 bytes of header, a little-endian uint32 count, then 50
# bytes for each triangle: normal, three corners (float32 each), two bytes that are 0.

# "solid" at the start of the header, or "COLOR=" anywhere in it, has a meaning for some readers.
# After the mark follow a digest of the file from which the triangles are (`sign_stl`), and blanks.
STL_MARK = b"binary STL written by urdf_simplify"
STL_HEADER = STL_MARK.ljust(80)
STL_DIGEST = re.compile(re.escape(STL_MARK) + rb"(?: from ([0-9a-f]{32}))? +")
# The two bytes at the end are padding.  Native byte order is packed faster, if it is the order of STL.
STL_FORMAT = "12f2x" if sys.byteorder == "little" else "<12f2x"
STL_RECORD = struct.Struct(STL_FORMAT)
STL_START = 84  # bytes of the header and the count
RECORDS_HELD = 4096  # records that are written or read at once

StlPoint = Tuple[float, float, float]
StlTriangle = Tuple[StlPoint, StlPoint, StlPoint, StlPoint]


def pack_triangles(
    indices: Sequence[int], points: Sequence[StlPoint]
) -> Tuple[List[bytes], Indices]:
    """Return a record for each triangle with an area, and the numbers of the triangles without an area.

    The points must be float32 values, so that a triangle is flat exactly if it is flat in the file.  The normal has unit
    length and follows the right hand along the corners as written.

    Raises:
        IndexError: an index is not below the number of points.
    """
    records: List[bytes] = []
    flat: Indices = []
    append = records.append
    pack = STL_RECORD.pack
    corners = map(points.__getitem__, indices)
    for (ax, ay, az), (bx, by, bz), (cx, cy, cz) in zip(corners, corners, corners):
        ux, uy, uz = bx - ax, by - ay, bz - az
        vx, vy, vz = cx - ax, cy - ay, cz - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = sqrt(nx * nx + ny * ny + nz * nz)
        if length > 0.0:
            # Adding 0.0 turns -0.0 into 0.0.
            append(
                pack(
                    nx / length + 0.0,
                    ny / length + 0.0,
                    nz / length + 0.0,
                    ax,
                    ay,
                    az,
                    bx,
                    by,
                    bz,
                    cx,
                    cy,
                    cz,
                )
            )
        else:
            flat.append(len(records) + len(flat))
    return records, flat


class StlWriter:
    """An STL file that grows by appending; it is open only while it writes, so any number of writers can exist."""

    def __init__(self, path: str) -> None:
        """Begin without triangles; the file is made when the buffer is full, or at the end."""
        self.path = path
        self.triangles = 0
        self._buffer: List[bytes] = []

    def append(self, records: List[bytes]) -> None:
        """Add triangles, packed by `pack_triangles`; a full buffer is written to the file."""
        self.triangles += len(records)
        self._buffer += records
        if len(self._buffer) >= RECORDS_HELD:
            self._flush()

    def _flush(self) -> None:
        """Write the buffered records; a new file begins with the header and a place for the count."""
        is_new = self.triangles == len(self._buffer)
        with open(self.path, "wb" if is_new else "ab") as stream:
            if is_new:
                stream.write(STL_HEADER + bytes(4))
            stream.write(b"".join(self._buffer))
        self._buffer = []

    def finish(self) -> None:
        """Write the rest and the number of triangles; a writer without triangles does not write a file."""
        if self._buffer:
            self._flush()
        if self.triangles:
            with open(self.path, "r+b") as stream:
                stream.seek(len(STL_HEADER))
                stream.write(struct.pack("<I", self.triangles))


def stl_count(path: str) -> int:
    """Return the number of triangles in a binary STL file.

    Raises:
        BrokenMesh: the file is not binary STL, or its size does not fit its count.
    """
    try:
        with open(path, "rb") as stream:
            start = stream.read(STL_START)
            size = os.fstat(stream.fileno()).st_size
    except OSError as problem:
        raise UnopenedMesh(f"cannot be read ({problem.strerror or problem})", path) from problem
    count = struct.unpack("<I", start[80:])[0] if len(start) == STL_START else -1
    if count < 0 or size != STL_START + STL_RECORD.size * count:
        raise BrokenMesh("is not binary STL: its size does not fit its number of triangles", path)
    return int(count)


def stl_record_blocks(path: str) -> Iterator[bytes]:
    """Yield the records of a binary STL file in blocks of whole records."""
    with open(path, "rb") as stream:
        stream.seek(STL_START)
        yield from iter(lambda: stream.read(STL_RECORD.size * RECORDS_HELD), b"")


def stl_triangles(path: str) -> Iterator[StlTriangle]:
    """Yield (normal, corner, corner, corner) for every triangle of a binary STL file."""
    for block in stl_record_blocks(path):
        yield from map(_triangle, STL_RECORD.iter_unpack(block))


def _triangle(record: Tuple[Any, ...]) -> StlTriangle:
    """Return (normal, corner, corner, corner) of an unpacked record."""
    return record[0:3], record[3:6], record[6:9], record[9:12]


def stl_sample(path: str, most: int) -> List[StlTriangle]:
    """Return at most `most` triangles of a binary STL file, evenly spread from the first to the last."""
    count = stl_count(path)
    sample: List[StlTriangle] = []
    with open(path, "rb", buffering=0) as stream:
        for number in range(min(count, most)):
            index = number if count <= most else number * (count - 1) // (most - 1)
            stream.seek(STL_START + STL_RECORD.size * index)
            sample.append(_triangle(STL_RECORD.unpack(stream.read(STL_RECORD.size))))
    return sample


def sign_stl(path: str, digest: str) -> None:
    """Write a digest of the source file, 32 hexadecimal digits, into the header of an STL file of this tool."""
    with open(path, "r+b") as stream:
        stream.write((STL_MARK + b" from " + digest.encode("ascii")).ljust(len(STL_HEADER)))


def stl_source(path: str) -> Optional[str]:
    """Return the digest in a plain STL file of this tool, "" if a release without digests wrote it.

    None is returned for everything else: a file of another program, a symbolic link, a folder, a missing file.
    """
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            return None
        with open(path, "rb") as stream:
            match = STL_DIGEST.fullmatch(stream.read(len(STL_HEADER)))
            return (match.group(1) or b"").decode("ascii") if match else None
    except OSError:
        return None


def has_same_triangles(path: str, other: str) -> bool:
    """Return True if two STL files are equal up to their headers."""
    blocks = zip(stl_record_blocks(path), stl_record_blocks(other))
    return os.path.getsize(path) == os.path.getsize(other) and all(a == b for a, b in blocks)


def stl_is_planar(path: str, extent: float) -> bool:
    """Return True if all corners lie in a plane, within 1e-6 of `extent` [m], or are fewer than four.

    MuJoCo refuses a planar mesh, and the whole URDF with it.  A sample of triangles decides nearly every file.
    """
    first = stl_sample(path, 64)
    # The tolerance is coarse, because the plane of a small triangle of the sample is not exact.
    if not lies_in_plane(first, first, 1e-3 * extent):
        return False
    return lies_in_plane(
        stl_triangles(path), [max(stl_triangles(path), key=double_area)], 1e-6 * extent
    )


def lies_in_plane(
    triangles: Iterable[StlTriangle], candidates: Sequence[StlTriangle], tolerance: float
) -> bool:
    """Return True if all corners lie within a tolerance of the plane of the largest candidate triangle."""
    (nx, ny, nz), (x, y, z), _, _ = max(candidates, key=double_area)
    level = nx * x + ny * y + nz * z
    return all(
        abs(nx * px + ny * py + nz * pz - level) <= tolerance
        for px, py, pz in chain.from_iterable(triangle[1:] for triangle in triangles)
    )


def double_area(triangle: StlTriangle) -> float:
    """Return twice the area of a triangle."""
    _, a, b, c = triangle
    return norm(cross(subtract(b, a), subtract(c, a)))


# ==== urdf_tools/collada/collada_document.py ====
# A COLLADA file: its elements, and the texts that stay in the file.
#
# Nearly all of a large file is numbers, and most of them, of normals and textures, are never read.  Therefore long runs of
# numbers are cut out before the file is parsed, which then takes a tenth of the time; they stay in the file until they are
# read.  Names lose their namespace prefix, so that files of 1.4 and 1.5, with and without prefixes, are alike.  The line of
# an element is computed from its offset in the file, only when a message needs it.

LONG_RUN = 4096  # bytes: shorter runs of numbers are parsed
SCANNED_BYTES = 1 << 18
NUMBER_BYTES = b"0123456789+-.eE \t\r\n"
PIECE_BYTES = 65536
LFS_START = b"version https://git-lfs"  # github.com/git-lfs/git-lfs, docs/spec.md
NOT_READ = "which is not read: save the model as OBJ or GLB, or as COLLADA without it"
ONLY_PACKAGE = "which only the package urdf_tools reads: `pip install` a clone of its repository"


class TextSpan(Record):
    """A text, or a part of a text, that stays in the file, from byte `start` to `end`."""

    start: int
    end: int


DaeText = Union[bytes, TextSpan]


class DaeElement:
    """An element; `texts` are the parts of its direct character data, `place` is the offset of its first byte.

    `numbers` are the numbers of an array, after they are read.
    """

    __slots__ = ("tag", "attributes", "children", "texts", "place", "numbers")

    def __init__(self, tag: str, attributes: Dict[str, str], offset: int) -> None:
        """Make an element without content."""
        self.tag = tag
        self.attributes = attributes
        self.place = offset
        self.children: List[DaeElement] = []
        self.texts: List[DaeText] = []
        self.numbers: Optional[array[float]] = None


class ElementReader:
    """A parser of the elements of a file that skips runs of numbers of more than `long_run` bytes.

    Attributes:
        above: the open elements, beginning with an invisible element around the root.
        ids: all elements by id; of equal ids the first is kept.
        skipped: the number of skipped bytes so far.
        latest: the offset of the latest start or end tag.
        place: the offset of the current block.
        is_in_run: the block begins in a run whose earlier part was skipped.
    """

    def __init__(self, path: str, long_run: int) -> None:
        """Begin with a nameless element, whose child is the root of the file."""
        self.path = path
        self.long_run = long_run
        self.above = [DaeElement("", {}, 0)]
        self.ids: Dict[str, DaeElement] = {}
        self.skipped = self.latest = self.place = 0
        self.is_in_run = False
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True  # otherwise expat calls the handler for each line of a text
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.CharacterDataHandler = lambda text: self.above[-1].texts.append(text.encode())

    def _start(self, tag: str, attributes: Dict[str, str]) -> None:
        """Open an element."""
        self.latest = self.parser.CurrentByteIndex + self.skipped
        element = DaeElement(tag[tag.find(":") + 1 :], attributes, self.latest)
        self.above[-1].children.append(element)
        self.above.append(element)
        if "id" in attributes:
            self.ids.setdefault(attributes["id"], element)

    def _end(self, _tag: str) -> None:
        """Close the innermost element."""
        self.latest = self.parser.CurrentByteIndex + self.skipped
        self.above.pop()

    def _refuse_doctype(self, *_: object) -> None:
        """Refuse a DOCTYPE, because its entities could read other files or fill the memory."""
        raise MalformedXml(
            "has a DOCTYPE, which is refused", self.path, self.parser.CurrentLineNumber
        )

    def feed(self, block: bytes) -> None:
        """Parse a block that ends before a tag, or in a long text."""
        done = 0
        tag = -1
        while tag < len(block):
            # From a `<` to the next are a tag and the text after it.
            following = block.find(b"<", tag + 1)
            if following < 0:
                following = len(block)
            if self.is_in_run or following - tag > self.long_run:
                done = self._leave_out(block, done, tag, following)
            self.is_in_run = self.is_in_run and following == len(block)
            tag = following
        self.parser.Parse(block[done:])
        self.place += len(block)

    def _leave_out(self, block: bytes, done: int, tag: int, following: int) -> int:
        """Skip the text between two tags if it is a run of numbers, and return how much of the block is done."""
        begin = 0 if self.is_in_run else block.rfind(b">", max(tag, 0), following) + 1
        run = block[begin:following]
        is_long = self.is_in_run or 0 < begin < following - self.long_run
        if not is_long or not run or run.isspace() or run.translate(None, NUMBER_BYTES):
            self.is_in_run = False
            return done
        # The run is a text only if the parser finds the end of the tag before it.
        if not self.is_in_run:
            self.parser.Parse(block[done:begin])
            done = begin
            self.is_in_run = self.latest == self.place + tag
        if not self.is_in_run:
            return done
        self.above[-1].texts.append(TextSpan(self.place + begin, self.place + following))
        self.skipped += following - begin
        return following


def parse_elements(
    stream: BinaryIO, path: str, long_run: int
) -> Tuple[DaeElement, Dict[str, DaeElement]]:
    """Return the outermost element of a file, and all elements by id; see `ElementReader`.

    Raises:
        MalformedXml: the file is not well-formed, or has a DOCTYPE.
    """
    reader = ElementReader(path, long_run)
    try:
        for block in blocks_of_tags(stream, long_run):
            reader.feed(block)
        reader.parser.Parse(b"", True)
    except expat.ExpatError as problem:
        line, column = line_and_column(
            stream, max(0, reader.parser.ErrorByteIndex) + reader.skipped
        )
        reason = f"{expat.ErrorString(problem.code)}, column {column}"
        raise MalformedXml(f"is not well-formed XML ({reason})", path, line) from problem
    except MalformedXml:
        raise
    except (ValueError, LookupError) as problem:
        raise MalformedXml(f"has an encoding that cannot be read ({problem})", path, 1) from problem
    finally:
        # The handlers of the parser refer to the reader: this cycle would keep the tree in memory.
        del reader.parser
    return reader.above[0].children[0], reader.ids


def blocks_of_tags(stream: BinaryIO, long_run: int) -> Iterator[bytes]:
    """Yield a file in blocks that end before a tag, or in a long text."""
    carried = b""
    for block in iter(lambda: stream.read(SCANNED_BYTES), b""):
        block = carried + block
        tag = block.rfind(b"<")
        # A tag near the end is kept for the next block; without a tag the block ends in a long text.
        end = tag if 0 <= len(block) - 2 * long_run <= tag else len(block)
        carried = block[end:]
        yield block[:end]
    yield carried


def line_and_column(stream: BinaryIO, offset: int) -> Tuple[int, int]:
    """Return the line and the column of an offset in a file, counted from 1."""
    stream.seek(0)
    before = stream.read(offset)
    return before.count(b"\n") + 1, offset - before.rfind(b"\n")


class DaeDocument(Record):
    """A parsed file; of equal ids the first is kept. `rare` has the functions of the package, see `DaeOptions`."""

    path: str
    root: DaeElement
    ids: Dict[str, DaeElement]
    rare: Optional[RareColladaFunctions] = None


def read_dae(path: str, rare: Optional[RareColladaFunctions] = None) -> DaeDocument:
    """Return the document of a `.dae` file; `rare` has the functions that only the package has.

    Raises:
        BrokenMesh: the file cannot be read, is not COLLADA, or is an archive.
        MalformedXml: the file is not well-formed, or has a DOCTYPE.
    """
    try:
        with open_regular(path) as stream:
            is_packed = stream.read(4) == b"PK\x03\x04" or path.lower().endswith(".zae")
            stream.seek(0)
            if is_packed:
                raise UnopenedMesh("is a .zae archive: unpack it, and name the .dae in it", path)
            return parse_dae(stream, path)._replace(rare=rare)
    except OSError as problem:
        raise UnopenedMesh(f"cannot be read ({problem.strerror or problem})", path) from problem


def open_regular(path: str) -> BinaryIO:
    """Open a file for reading, but never a folder, pipe or device, which could block forever.

    Raises:
        BrokenMesh: it is not a regular file, or it is a Git LFS pointer.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise UnopenedMesh("is not a file", path)
    stream = open(path, "rb")
    if stream.read(len(LFS_START)) == LFS_START:
        stream.close()
        raise UnopenedMesh("is a Git LFS pointer: git lfs pull", path)
    stream.seek(0)
    return stream


def parse_dae(stream: BinaryIO, path: str, long_run: int = LONG_RUN) -> DaeDocument:
    """Return the document of an open file; see `parse_elements`."""
    document = DaeDocument(path, *parse_elements(stream, path, long_run))
    if document.root.tag != "COLLADA":
        raise dae_error(
            document,
            document.root,
            f"is not COLLADA: the outermost element is <{document.root.tag}>",
        )
    return document


def text_pieces(document: DaeDocument, text: DaeText) -> Iterator[bytes]:
    """Yield a text in pieces of at most 64 KiB, from memory or from the file.

    Raises:
        BrokenMesh: the file can no longer be read.
    """
    if isinstance(text, bytes):
        yield from (text[start : start + PIECE_BYTES] for start in range(0, len(text), PIECE_BYTES))
        return
    try:
        with open_regular(document.path) as stream:
            stream.seek(text.start)
            for start in range(text.start, text.end, PIECE_BYTES):
                piece = stream.read(min(PIECE_BYTES, text.end - start))
                if not piece:
                    raise UnopenedMesh("became shorter while it was read", document.path)
                yield piece
    except OSError as problem:
        raise UnopenedMesh(
            f"cannot be read ({problem.strerror or problem})", document.path
        ) from problem


def dae_error(
    document: DaeDocument, element: DaeElement, message: str, kind: Type[BrokenMesh] = BrokenMesh
) -> BrokenMesh:
    """Return an error of a kind that names the file and the line of an element."""
    line = 0
    with suppress(OSError, BrokenMesh), open_regular(document.path) as stream:
        line = line_and_column(stream, element.place)[0]  # 0 if the file was removed
    return kind(message, document.path, line)


def not_read(document: DaeDocument, element: DaeElement) -> BrokenMesh:
    """Return the error for an element of COLLADA that is not read."""
    return dae_error(document, element, f"has <{element.tag}>, {NOT_READ}")


def only_package(document: DaeDocument, element: DaeElement) -> BrokenMesh:
    """Return the error for an element that the package reads and the single file does not."""
    return dae_error(document, element, f"has <{element.tag}>, {ONLY_PACKAGE}")


def dae_children(element: Optional[DaeElement], tag: str) -> List[DaeElement]:
    """Return the direct children with a tag; None has no children."""
    return [child for child in element.children if child.tag == tag] if element else []


def dae_child(element: Optional[DaeElement], *tags: str) -> Optional[DaeElement]:
    """Return the first direct child with one of the tags, or None; None has no children."""
    if element is None:
        return None
    return next((child for child in element.children if child.tag in tags), None)


def dae_descendants(element: DaeElement, *tags: str) -> Iterator[DaeElement]:
    """Yield the descendants with one of the tags, in document order, without recursion."""
    for descendant in depth_first(element.children, lambda each: each.children):
        if descendant.tag in tags:
            yield descendant


def dae_text(element: Optional[DaeElement]) -> str:
    """Return the direct text of an element without surrounding white space and skipped runs of numbers; "" for None."""
    texts = element.texts if element else []
    return b"".join(text for text in texts if isinstance(text, bytes)).decode().strip()


def dae_target(document: DaeDocument, url: str) -> Optional[DaeElement]:
    """Return the element to which a local `#id` (or a bare id) refers, or None."""
    name = url[1:] if url.startswith("#") else url
    return document.ids.get(name)


def dae_label(element: DaeElement) -> str:
    """Return a label of an element for messages: its name, else its id."""
    return element.attributes.get("name") or element.attributes.get("id") or ""


# ==== urdf_tools/collada/collada_accessors.py ====
# The numbers in the text of a COLLADA file, read piece by piece: floats, indices, and the columns of an accessor.

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


# ==== urdf_tools/collada/collada_colors.py ====
# The colors of COLLADA materials: an rgba for each, because STL parts have no texture and no shader.
#
# The rules are from Khronos COLLADA 1.4.1 and 1.5: profile_COMMON with phong, lambert, blinn or constant.  Numbers are not
# converted: no gamma.  If the formulas give an alpha of 0, this is a known fault of exporters, and the material is opaque.

Overrides = Dict[str, DaeElement]

PLAIN_GRAY: DaeColor = (0.6, 0.6, 0.6, 1.0)
TEXTURED_GRAY: DaeColor = (0.8, 0.8, 0.8, 1.0)
OPAQUE_BELOW = 0.01  # an alpha of at most this is an exporter's fault
# The weights of red, green and blue in the specification.
LUMINANCE = (0.212671, 0.715160, 0.072169)
SHADERS = ("phong", "lambert", "blinn", "constant")


class MaterialLook(Record):
    """The look of a material.

    Attributes:
        label: the name of the material.
        rgba: red, green, blue, alpha, 0..1; None if the file has no color.
        image: the name of its texture, or "".
        emission: the light that it emits in addition to its color, 0..1.
        notes: notes for the user.
    """

    label: str = ""
    rgba: Optional[DaeColor] = None
    image: str = ""
    emission: DaeVector = (0.0, 0.0, 0.0)
    notes: Notes = ()


def material_look(document: DaeDocument, material: DaeElement) -> MaterialLook:
    """Return the look of a `<material>` by its effect; a broken reference gives a look without color, and a note."""
    label = dae_label(material)
    instance = dae_child(material, "instance_effect")
    url = instance.attributes.get("url", "") if instance else ""
    effect = dae_target(document, url)
    if instance is None or effect is None or effect.tag != "effect":
        missing = Diagnostic(MESH_CONTENT, 0, "no-effect", (label, url.lstrip("#")))
        return MaterialLook(label, notes=(missing,))
    profiles = dae_children(effect, "profile_COMMON")
    shaders = chain.from_iterable(dae_descendants(profile, *SHADERS) for profile in profiles)
    shader = next(shaders, None)
    if shader is None:
        return MaterialLook(label, notes=(Diagnostic(MESH_CONTENT, 0, "no-profile", (label,)),))
    parameters = effect_parameters(effect, instance)
    rgba, image = shader_color(document, shader, parameters)
    notes = [image_note(label, image, rgba)] if image else []
    alpha = rgba[3] * spec_alpha(shader, parameters)
    # An invisible shape is an exporter's fault.
    if not OPAQUE_BELOW < alpha <= 1.0:
        notes.append(
            Diagnostic(
                kind=MESH_CONTENT, line=0, sentence="alpha", names=(label,), numbers=(alpha,)
            )
        )
        alpha = 1.0
    return MaterialLook(
        label=label,
        rgba=(rgba[0], rgba[1], rgba[2], alpha),
        image=image,
        emission=shader_emission(shader, parameters),
        notes=tuple(notes),
    )


def shader_emission(shader: DaeElement, parameters: Overrides) -> DaeVector:
    """Return the light that a shader emits; black without a diffuse color, as the emission is then the color."""
    light = shader_value(dae_child(shader, "emission"), parameters)
    if light is None or dae_child(shader, "diffuse") is None:
        return 0.0, 0.0, 0.0
    red, green, blue, _ = clamped_color(light)
    return red, green, blue


def image_note(label: str, image: str, rgba: DaeColor) -> Diagnostic:
    """Return the note on a material whose image is lost."""
    return Diagnostic(MESH_CONTENT, 0, "image", (label, image, rgba_text(rgba)))


def effect_parameters(effect: DaeElement, instance: DaeElement) -> Overrides:
    """Return every newparam of an effect by its sid, replaced by the setparam of the instance if it exists."""
    parameters = {new.attributes.get("sid", ""): new for new in dae_descendants(effect, "newparam")}
    parameters.update(
        (value.attributes.get("ref", ""), value) for value in dae_children(instance, "setparam")
    )
    return parameters


def shader_color(
    document: DaeDocument, shader: DaeElement, parameters: Overrides
) -> Tuple[DaeColor, str]:
    """Return the flat color and the image name: diffuse, else the first of emission and transparent that is not black."""
    diffuse = dae_child(shader, "diffuse")
    texture = dae_child(diffuse, "texture")
    if texture is not None:
        return TEXTURED_GRAY, image_name(
            document, texture.attributes.get("texture", ""), parameters
        )
    color = shader_value(diffuse, parameters)
    if color is not None:
        return clamped_color(color), ""
    for tag in ("emission", "transparent"):
        color = shader_value(dae_child(shader, tag), parameters)
        if color is not None and any(color[:3]):
            red, green, blue, _ = clamped_color(color)
            return (red, green, blue, 1.0), ""
    return PLAIN_GRAY, ""


def spec_alpha(shader: DaeElement, parameters: Overrides) -> float:
    """Return alpha by the formulas of the specification; `opaque` is A_ONE by default.

    A_ONE: a t; A_ZERO: 1 - a t; RGB_ONE: l t; RGB_ZERO: 1 - l t, with l the luminance of the transparent color.
    """
    transparent = dae_child(shader, "transparent")
    if dae_child(transparent, "texture") is not None:
        return 1.0
    amounts = shader_value(dae_child(shader, "transparency"), parameters)
    amount = amounts[0] if amounts else 1.0
    color = shader_value(transparent, parameters) or [1.0, 1.0, 1.0, 1.0]
    mode = transparent.attributes.get("opaque", "A_ONE") if transparent else "A_ONE"
    if mode.startswith("RGB"):
        share = amount * fsum(weight * value for weight, value in zip(LUMINANCE, color))
    else:
        opacity = color[3] if len(color) > 3 else 1.0
        share = amount * opacity
    alpha = 1.0 - share if mode.endswith("ZERO") else share
    return round(alpha, 9)  # 1 - luminance of white is not quite 0


def shader_value(owner: Optional[DaeElement], parameters: Overrides) -> Optional[List[float]]:
    """Return the numbers of a `<color>` or `<float>`, or of the parameter that a `<param>` names; None if unreadable."""
    value = dae_child(owner, "color", "float")
    reference = dae_child(owner, "param")
    if value is None and reference is not None:
        parameter = parameters.get(reference.attributes.get("ref", ""))
        value = dae_child(parameter, "float", "float2", "float3", "float4")
    try:
        numbers = [*map(float, dae_text(value).split())]
    except ValueError:
        return None
    # Two numbers are neither a gray nor a color.
    return numbers if numbers and len(numbers) != 2 and all(map(isfinite, numbers)) else None


def clamped_color(numbers: List[float]) -> DaeColor:
    """Return red, green, blue, alpha within 0..1; a single number is a gray, a missing alpha is 1."""
    if len(numbers) < 3:
        numbers = [numbers[0]] * 3
    red, green, blue, alpha = (min(max(value, 0.0), 1.0) for value in (numbers + [1.0])[:4])
    return (red, green, blue, alpha)


def image_name(document: DaeDocument, sampler: str, parameters: Overrides) -> str:
    """Return the file name to which texture, sampler, surface and image lead (1.4, 1.5), else the last known name."""
    name = sampler
    for _ in range(8):  # sampler -> surface -> image; more steps are a cycle
        parameter = parameters.get(name)
        if parameter is None:
            break
        link = next(dae_descendants(parameter, "instance_image", "source", "init_from"), None)
        if link is None:
            break
        name = link.attributes.get("url", "").lstrip("#") or dae_text(
            dae_child(link, "ref") or link
        )
    image = dae_target(document, name)
    if image is None or image.tag != "image":
        return name
    origin = dae_child(image, "init_from")
    return dae_text(dae_child(origin, "ref") or origin) or name


# ==== urdf_tools/collada/polygon_triangulation.py ====
# The triangulation of polygons with any number of corners, also of concave polygons.
#
# A polygon is a list of indices of points in space; it is cut in its largest projection, counter-clockwise.
# Every polygon of n corners yields exactly n - 2 triangles with its own winding, so that counts can be checked.

MAX_EXTRA_LOOKS = 4_000_000

Flat = Tuple[float, float]


def polygon_triangles(
    corners: Sequence[int], points: Sequence[DaeVector], counts: Dict[str, int]
) -> Indices:
    """Return the flat list of the triangle indices of a polygon: a fan if it is convex, else by ear clipping."""
    if len(corners) == 3:
        return list(corners)
    if len(corners) == 4:
        return quad_triangles(corners, points)
    shape = [points[corner] for corner in corners]
    flat = flatten_points(shape, newell_normal(shape))
    if is_convex(flat):
        return fan_triangles(corners)
    return [corners[i] for i in clip_ears(flat, counts)]


def fan_triangles(corners: Sequence[int]) -> Indices:
    """Return the triangles of a fan, which all start at the first corner."""
    triangles: Indices = []
    for second, third in zip(corners[1:], corners[2:]):
        triangles += (corners[0], second, third)
    return triangles


def quad_triangles(corners: Sequence[int], points: Sequence[DaeVector]) -> Indices:
    """Return the triangles of a quad, cut along the diagonal inside it, the first if both are inside."""
    a, b, c, d = corners
    start = points[a]
    u, v, w = (subtract(points[corner], start) for corner in (b, c, d))
    # If the diagonal a c is outside, the normals on its two sides point apart.
    is_folded = dot(cross(u, v), cross(v, w)) < 0.0
    return [b, c, d, b, d, a] if is_folded else [a, b, c, a, c, d]


def newell_normal(points: Sequence[DaeVector]) -> DaeVector:
    """Return the normal of a polygon, whose length is twice the area (Newell's method)."""
    x = y = z = 0.0
    for (ax, ay, az), (bx, by, bz) in zip(points, [*points[1:], points[0]]):
        x += (ay - by) * (az + bz)
        y += (az - bz) * (ax + bx)
        z += (ax - bx) * (ay + by)
    return (x, y, z)


def flatten_points(points: Sequence[DaeVector], normal: DaeVector) -> List[Flat]:
    """Return points projected along the largest component of a normal, so that the polygon is counter-clockwise."""
    k = max((2, 0, 1), key=lambda axis: abs(normal[axis]))
    i, j = (k - 2, k - 1) if normal[k] >= 0.0 else (k - 1, k - 2)
    return [(point[i], point[j]) for point in points]


def turn(a: Flat, b: Flat, c: Flat) -> float:
    """Return twice the signed area of a flat triangle: positive if it is counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def is_convex(flat: Sequence[Flat]) -> bool:
    """Return True if no corner of a counter-clockwise polygon turns right.

    A five-pointed star also turns left everywhere. It crosses itself, so no triangulation is right, and a fan will do.
    """
    (ax, ay), (bx, by) = flat[-2], flat[-1]
    for cx, cy in flat:
        if (bx - ax) * (cy - by) < (by - ay) * (cx - bx):
            return False
        ax, ay, bx, by = bx, by, cx, cy
    return True


class EarClipping:
    """The rest of a flat counter-clockwise polygon while its ears are clipped.

    Attributes:
        before, after: the neighbors of each corner, by its number.
        turning_right: x, y and number of the corners that turn right, sorted: only they can be inside an ear, and few of
            them are near it.
        looks: the number of corners that may still be tested against an ear.
    """

    def __init__(self, flat: Sequence[Flat]) -> None:
        """Link each corner to its neighbors, and find the corners that turn right."""
        count = len(flat)
        self.flat = flat
        self.before = [count - 1, *range(count - 1)]
        self.after = [*range(1, count), 0]
        self.is_right = [*map(self.turns_right, range(count))]
        self.turning_right = sorted((*flat[i], i) for i in range(count) if self.is_right[i])
        # In trials, a plain polygon of n corners takes n^2/2 looks at most, and a polygon that crosses itself n^3/13.
        # So a plain polygon is not cut short up to MAX_EXTRA_LOOKS, and 400 looks a corner suffice for about 75 corners
        # of a polygon that crosses itself.
        self.looks = 400 * count + min(count * count, MAX_EXTRA_LOOKS)

    def turns_right(self, i: int) -> bool:
        """Return True if the polygon turns right at a corner, or goes straight on."""
        return turn(self.flat[self.before[i]], self.flat[i], self.flat[self.after[i]]) <= 0.0

    def is_ear(self, i: int, *, may_be_flat: bool) -> bool:
        """Return True if a corner can be clipped; a corner on the line between its neighbors only if `may_be_flat`."""
        corners = self.before[i], i, self.after[i]
        a, b, c = map(self.flat.__getitem__, corners)
        area = turn(a, b, c)
        if not area > 0.0:
            return area == 0.0 and (may_be_flat or a in (b, c) or b == c)
        # Sorted by x: only corners between the ends can be inside.
        start = bisect_left(self.turning_right, (min(a[0], b[0], c[0]),))
        end = bisect_right(self.turning_right, (max(a[0], b[0], c[0]), float("inf")), start)
        self.looks -= end - start + 1
        for x, y, other in self.turning_right[start:end]:
            point = (x, y)
            # A corner in the same place, where a polygon touches itself, does not block the ear.
            if other in corners or point in (a, b, c):
                continue
            if turn(a, b, point) >= 0.0 and turn(b, c, point) >= 0.0 and turn(c, a, point) >= 0.0:
                return False
        return True

    def clip(self, i: int) -> None:
        """Remove a corner."""
        previous = self.before[i]
        following = self.after[i]
        self.after[previous] = following
        self.before[following] = previous
        # The corner is removed, and its neighbors may now turn the other way.
        for corner, is_right in (
            (i, False),
            (previous, self.turns_right(previous)),
            (following, self.turns_right(following)),
        ):
            if is_right != self.is_right[corner]:
                key = (*self.flat[corner], corner)
                if is_right:
                    insort(self.turning_right, key)
                else:
                    del self.turning_right[bisect_left(self.turning_right, key)]
                self.is_right[corner] = is_right


def clip_ears(flat: Sequence[Flat], counts: Dict[str, int]) -> Indices:
    """Return the triangles of a flat counter-clockwise polygon, as corner numbers, by clipping ears.

    A polygon that crosses itself, or needs far too many tests, is finished as well as possible and counted.
    """
    polygon = EarClipping(flat)
    triangles: Indices = []
    here = 0
    misses = 0  # successive corners that were not ears
    remaining = len(flat)
    is_forced = False
    while remaining > 3:
        # After a round without an ear, a corner on a line is clipped; after a second round, any corner.
        is_ear = polygon.is_ear(here, may_be_flat=misses > remaining)
        previous = polygon.before[here]
        following = polygon.after[here]
        if not is_ear and misses <= 2 * remaining and polygon.looks > 0:
            here = following
            misses += 1
            continue
        is_forced = is_forced or not is_ear
        triangles += (previous, here, following)
        polygon.clip(here)
        # Only the neighbors of the clipped corner have changed; in a long corridor only they can be ears.
        here = previous
        misses = 0
        remaining -= 1
    triangles += (polygon.before[here], here, polygon.after[here])
    if is_forced:
        counts["crossing"] += 1
    return triangles


# ==== urdf_tools/collada/collada_primitives.py ====
# COLLADA primitives (triangles, polylist, polygons, tristrips, trifans) as blocks of triangle indices.
#
# A block is a flat list, three position indices per triangle, in the winding of the file.  Dropped and added triangles are
# counted, so that the number of triangles can be proven.

BLOCK_INDICES = 24000  # indices that are joined before they are yielded


class FaultCounts(Counter):  # type: ignore[type-arg]  # of str; Python 3.8 knows no Counter[str]
    """The number of times that a fault occurred, by the sentence of MESH_CONTENT that reports it.

    `triangles` is the number of triangles in the polygons of the file.
    """

    def __init__(self) -> None:
        """Begin with zeros."""
        super().__init__()
        self.triangles = 0


class PrimitiveElement(Record):
    """A primitive element of a mesh: every `stride`-th index, from `offset` on, is the index of a position in `positions`.

    Every `stride`-th index from `color_offset` on is the index of a color in `colors`.
    A caller that needs more of a corner than its position sets `read`, which yields other indices for the corners of a
    `<p>`.
    """

    element: DaeElement
    symbol: str
    positions: DaeElement
    stride: int
    offset: int
    colors: Optional[DaeElement]
    color_offset: int = 0
    read: Optional[Callable[[DaeElement], Iterator[Indices]]] = None


def mesh_primitives(document: DaeDocument, mesh: DaeElement) -> List[PrimitiveElement]:
    """Return the primitives of a mesh that draw faces, without lines and empty primitives.

    Raises:
        BrokenMesh: a primitive with indices has no positions.
    """
    drawn: List[PrimitiveElement] = []
    # Positions are an input of <vertices>, to which the VERTEX input refers; some files refer to them directly.
    for element in mesh.children:
        if element.tag in DRAWN_PRIMITIVES and any(map(has_indices, element.children)):
            inputs = dae_children(element, "input")
            stride = 1 + max((count_attribute(read, "offset", 0) for read in inputs), default=0)
            vertex = first_input(inputs, "VERTEX")
            vertices = find_vertices(document, mesh, vertex) if vertex else None
            shared = dae_children(vertices, "input") if vertices else []
            position = first_input(shared, "POSITION") or first_input(inputs, "POSITION")
            name = position.attributes.get("source", "") if position else ""
            source = find_source(document, mesh, name) if position else None
            if source is None or source.tag != "source":
                reason = f": there is no source '{name.lstrip('#')}'" if name else ""
                raise dae_error(document, element, f"<{element.tag}> has no positions{reason}")
            offset = count_attribute((vertex or position or element), "offset", 0)
            of_corners = first_input(inputs, "COLOR")
            color = of_corners or first_input(shared, "COLOR")
            colors = None
            if color:
                colors = find_source(document, mesh, color.attributes.get("source", ""))
            # Colors of <vertices> have the index of the position.
            color_offset = count_attribute(of_corners, "offset", 0) if of_corners else offset
            drawn.append(
                PrimitiveElement(
                    element=element,
                    symbol=element.attributes.get("material", ""),
                    positions=source,
                    stride=stride,
                    offset=offset,
                    colors=colors,
                    color_offset=color_offset,
                )
            )
    return drawn


def has_indices(element: DaeElement) -> bool:
    """Return True if an element is a `<p>` or `<ph>` that is not empty."""
    if element.tag == "ph":
        return dae_child(element, "p") is not None
    return element.tag == "p" and any(
        isinstance(text, TextSpan) or not text.isspace() for text in element.texts
    )


def first_input(inputs: Sequence[DaeElement], semantic: str) -> Optional[DaeElement]:
    """Return the first `<input>` with a semantic, or None."""
    return next(
        (element for element in inputs if element.attributes.get("semantic") == semantic), None
    )


def find_vertices(
    document: DaeDocument, mesh: DaeElement, vertex: DaeElement
) -> Optional[DaeElement]:
    """Return the `<vertices>` that an input names, else the first of the mesh."""
    named = find_source(document, mesh, vertex.attributes.get("source", ""))
    return named if named is not None and named.tag == "vertices" else dae_child(mesh, "vertices")


def triangle_blocks(
    document: DaeDocument,
    primitive: PrimitiveElement,
    points: Sequence[DaeVector],
    counts: FaultCounts,
) -> Iterator[Indices]:
    """Yield the triangles of a primitive; `counts.triangles` grows by the triangles of its polygons.

    Raises:
        BrokenMesh: an index is not a whole number, or is negative.
        IndexError: an index is out of range, in a polygon whose positions are needed to cut it.
    """
    element = primitive.element
    runs = dae_children(primitive.element, "p")
    if element.tag == "triangles":
        triangles = yield from plain_triangles(document, primitive, runs, counts)
        if count_attribute(element, "count", triangles) != triangles:
            counts["wrong-count"] += 1
    elif element.tag == "polylist":
        sizes = polygon_sizes(document, element, counts)
        if len(runs) == 1 and sizes.count(3) == len(sizes):  # as most exporters write it
            triangles = yield from plain_triangles(document, primitive, runs, counts, len(sizes))
            fits = triangles == len(sizes)
        else:
            corners = [*chain.from_iterable(all_indices(document, primitive, run) for run in runs)]
            yield from gathered(sized_polygons(sizes, corners, points, counts))
            fits = sum(sizes) == len(corners)
        if not fits:
            counts["other-corners"] += 1
    elif element.tag == "polygons":
        yield from gathered(polygons_triangles(document, primitive, points, counts))
    elif document.rare:
        cut = partial(document.rare.cut_run, element.tag, counts)
        yield from gathered(cut(all_indices(document, primitive, run)) for run in runs)
    else:
        raise only_package(document, element)


def gathered(pieces: Iterator[Indices]) -> Iterator[Indices]:
    """Yield the indices of small lists, joined to larger blocks, which need fewer calls."""
    block: Indices = []
    for piece in pieces:
        block += piece
        if len(block) >= BLOCK_INDICES:
            yield block
            block = []
    if block:
        yield block


def corner_blocks(
    document: DaeDocument, primitive: PrimitiveElement, run: DaeElement
) -> Iterator[Indices]:
    """Yield the position index of each corner of a `<p>` or `<h>` in blocks."""
    if primitive.read:
        return primitive.read(run)
    return index_blocks(document, run, primitive.stride, primitive.offset)


def all_indices(document: DaeDocument, primitive: PrimitiveElement, run: DaeElement) -> Indices:
    """Return the position index of each corner of a `<p>` or `<h>`."""
    return list(chain.from_iterable(corner_blocks(document, primitive, run)))


def plain_triangles(
    document: DaeDocument,
    primitive: PrimitiveElement,
    runs: Sequence[DaeElement],
    counts: FaultCounts,
    most: float = inf,
) -> Generator[Indices, None, int]:
    """Yield at most `most` triangles; each `<p>` is read by itself, without an incomplete last triangle.

    Returns the number of all triangles, also those beyond `most`.
    """
    count = 0
    for run in runs:
        rest: Indices = []
        for block in corner_blocks(document, primitive, run):
            block = rest + block if rest else block
            whole = len(block) // 3
            rest = block[3 * whole :]
            # Triangles beyond `most` are counted, so that the caller can report them.
            kept = int(min(whole, max(0, most - count)))
            count += whole
            counts.triangles += kept
            del block[3 * kept :]
            yield block
        if rest:
            counts["incomplete"] += 1
    return count


def polygon_sizes(document: DaeDocument, polylist: DaeElement, counts: FaultCounts) -> List[int]:
    """Return the number of corners of each polygon in a `<polylist>`."""
    element = dae_child(polylist, "vcount")
    if element is None:
        raise dae_error(document, polylist, "<polylist> has no <vcount>")
    sizes = [*chain.from_iterable(index_blocks(document, element))]
    if count_attribute(polylist, "count", len(sizes)) != len(sizes):
        counts["wrong-count"] += 1
    return sizes


def sized_polygons(
    sizes: List[int], corners: Indices, points: Sequence[DaeVector], counts: FaultCounts
) -> Iterator[Indices]:
    """Yield the triangles of each polygon of a `<polylist>`."""
    start = 0
    for size in sizes:
        if start + size > len(corners):
            break
        if size > 2:
            counts.triangles += size - 2
            yield polygon_triangles(corners[start : start + size], points, counts)
        start += size


def polygons_triangles(
    document: DaeDocument,
    primitive: PrimitiveElement,
    points: Sequence[DaeVector],
    counts: FaultCounts,
) -> Iterator[Indices]:
    """Yield the triangles of each `<p>` and each `<ph>` of `<polygons>`.

    Raises:
        BrokenMesh: a `<ph>` has holes.
    """
    for child in primitive.element.children:
        outline = dae_child(child, "p") if child.tag == "ph" else child
        if child.tag not in ("p", "ph") or outline is None:
            continue
        corners = all_indices(document, primitive, outline)
        if len(corners) < 3:
            counts["few-corners"] += 1
            continue
        holes = [all_indices(document, primitive, hole) for hole in dae_children(child, "h")]
        if any(len(hole) > 2 for hole in holes):
            raise not_read(document, child)
        counts.triangles += len(corners) - 2
        yield polygon_triangles(corners, points, counts)


# ==== urdf_tools/collada/collada_proof_reader.py ====
# The reader of a COLLADA file for the proof: the triangles and polygons that it draws, their places and their colors.
#
# Only the elements and the numbers of arrays come from the conversion, and some of the numbers are read again from the
# text. Their meaning is determined here, independently.

MAX_CORNERS_HELD = 24000  # corners of triangles that are yielded at once
SAMPLED_NUMBERS = 64  # of an array, which are read once more from the text

Map = Transform  # with any matrix: maps of a COLLADA file also scale and shear
ColorKey = Optional[Reals]  # None: the file does not contain the color as numbers

# The rotation that turns an up axis of the file to +Z.
UP_TURNS: Dict[Optional[str], Matrix] = {
    None: IDENTITY,
    "z": IDENTITY,
    "x": ((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)),
    "y": ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
}


class DrawnPrimitive(Record):
    """A primitive that the scene draws, with its map to meters and its color.

    Its positions are in `source`; the index of a position is number `offset` of the `stride` numbers of a corner.
    """

    primitive: DaeElement
    source: DaeElement
    stride: int
    offset: int
    matrix: Map
    color: ColorKey


def draws_of(document: DaeDocument, scene: SceneOptions) -> Iterator[DrawnPrimitive]:
    """Yield a `DrawnPrimitive` for each primitive of each mesh instance, in the order of the scene."""
    unit = scene.scale_factor
    if unit is None:
        unit = _unit_of(document, scene.missing_unit)
    to_meters = compose(Map(UP_TURNS[scene.up_axis], ZERO), _scaling(unit, unit, unit))
    for geometry, matrix, materials in _instances(document, to_meters):
        mesh = dae_child(geometry, "mesh", "convex_mesh")
        if mesh is not None and not _is_singular(matrix):
            for primitive, source, stride, offset in _primitives(document, mesh):
                color = _color_key(document, materials, primitive.attributes.get("material", ""))
                yield DrawnPrimitive(
                    primitive=primitive,
                    source=source,
                    stride=stride,
                    offset=offset,
                    matrix=matrix,
                    color=color,
                )


def _all_below(element: DaeElement, *tags: str) -> Iterator[DaeElement]:
    """Yield the descendants with one of the tags, in document order, without recursion."""
    waiting = [element]
    while waiting:
        descendant = waiting.pop()
        if descendant is not element and descendant.tag in tags:
            yield descendant
        waiting += reversed(descendant.children)


def _unit_of(document: DaeDocument, missing_unit: float) -> float:
    """Return the meters per unit of a file, or `missing_unit` if it does not contain a valid number."""
    unit = dae_child(dae_child(document.root, "asset"), "unit")
    word = unit.attributes.get("meter", "") if unit is not None else ""
    try:
        value = float(word)
    except ValueError:
        return missing_unit
    return value if isfinite(value) and value > 0.0 else missing_unit


def _instances(
    document: DaeDocument, start: Map
) -> Iterator[Tuple[DaeElement, Map, Dict[str, str]]]:
    """Yield every geometry that the scene draws, with its map to meters and its materials by symbol."""
    # A stack in place of recursion: children are pushed in reverse, so that they are popped in document order.
    scenes = [*_all_below(document.root, "visual_scene")]
    if not scenes:
        yield from ((node, start, {}) for node in _all_below(document.root, "geometry"))
        return
    scene_instance = dae_child(dae_child(document.root, "scene"), "instance_visual_scene")
    scene: Optional[DaeElement] = None
    if scene_instance is not None:
        scene = dae_target(document, scene_instance.attributes.get("url", ""))
    if scene is None or scene.tag != "visual_scene":
        scene = scenes[0]
    waiting = [(scene, start)]
    while waiting:
        node, matrix = waiting.pop()
        if node.tag == "instance_node":
            target = dae_target(document, node.attributes.get("url", ""))
            if target is None or target.tag != "node":
                continue
            node = target
        if node.tag in ("instance_geometry", "instance_controller"):
            materials: Dict[str, str] = {}
            for bound in _all_below(node, "instance_material"):
                materials.setdefault(
                    bound.attributes.get("symbol", ""), bound.attributes.get("target", "")
                )
            target = dae_target(document, node.attributes.get("url", ""))
            if target is not None and target.tag == "geometry":
                yield target, matrix, materials
            continue
        if node.tag == "node":
            for child in node.children:
                matrix = compose(matrix, meant_map(document, child))
        waiting += [
            (child, matrix)
            for child in reversed(node.children)
            if child.tag in ("node", "instance_node", "instance_geometry", "instance_controller")
        ]


def _scaling(x: float, y: float, z: float) -> Map:
    """Return the map that scales along the axes."""
    return Map(((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)), ZERO)


def unit_length(v: Vector) -> Vector:
    """Return a vector with length 1, or zeros for a vector without a direction."""
    size = norm(v)
    return (v[0] / size, v[1] / size, v[2] / size) if size > 1e-30 else ZERO


def meant_map(document: DaeDocument, node: DaeElement) -> Map:
    """Return the map of column vectors by a transformation element of a node (Khronos COLLADA 1.4.1, chapter 5)."""
    if node.tag not in ("matrix", "translate", "scale", "rotate"):
        return IDENTITY_POSE
    v = all_floats(document, node)
    first = (v[0], v[1], v[2])
    if node.tag == "translate":
        return Map(IDENTITY, first)
    if node.tag == "scale":
        return _scaling(*first)
    if node.tag == "rotate":
        axis = unit_length(first)
        return Map(rotation_about(axis, radians(v[3])), ZERO) if any(axis) else IDENTITY_POSE
    return Map(((v[0], v[1], v[2]), (v[4], v[5], v[6]), (v[8], v[9], v[10])), (v[3], v[7], v[11]))


def is_mirror(matrix: Map) -> bool:
    """Return True if a map turns the inside of a mesh to the outside."""
    return _volume_factor(matrix) < 0.0


def _volume_factor(matrix: Map) -> float:
    """Return the factor of volumes under a map, negative for a mirror."""
    a, b, c = matrix.rotation
    return dot(a, cross(b, c))


def _is_singular(matrix: Map) -> bool:
    """Return True if a map leaves no volume, within the accuracy of float32."""
    a, b, c = transpose(matrix.rotation)
    # `not ... >` is also true for nan.
    return not abs(_volume_factor(matrix)) > 1e-9 * norm(a) * norm(b) * norm(c)


def _primitives(
    document: DaeDocument, mesh: DaeElement
) -> Iterator[Tuple[DaeElement, DaeElement, int, int]]:
    """Yield each primitive of a mesh, its source of positions, and the stride and offset of their indices."""

    def source_of(read: Optional[DaeElement]) -> Optional[DaeElement]:
        """Return the element that an input names; the mesh is searched first."""
        url = read.attributes.get("source", "") if read is not None else "#"
        source = next(
            (child for child in mesh.children if child.attributes.get("id") == url.lstrip("#")),
            None,
        )
        return source if source is not None else dae_target(document, url)

    def first_with(semantic: str, inputs: Sequence[DaeElement]) -> Optional[DaeElement]:
        """Return the first input with a semantic, or None."""
        for element in inputs:
            if element.attributes.get("semantic") == semantic:
                return element
        return None

    # The index of a position is the index of the VERTEX input, whose <vertices> names the positions.
    for primitive in mesh.children:
        if primitive.tag not in DRAWN_PRIMITIVES or dae_child(primitive, "p", "ph") is None:
            continue
        inputs = dae_children(primitive, "input")
        vertex = first_with("VERTEX", inputs)
        vertices = source_of(vertex)
        if vertex is not None and (vertices is None or vertices.tag != "vertices"):
            vertices = dae_child(mesh, "vertices")
        shared = vertices.children if vertex and vertices else []
        position = first_with("POSITION", [*shared, *inputs])
        source = source_of(position)
        if position is not None and source is not None:
            stride = 1 + max(_whole(element, "offset") for element in inputs)
            yield primitive, source, stride, _whole(vertex or position, "offset")


def positions_of(document: DaeDocument, draw: DrawnPrimitive) -> Columns:
    """Return the positions of a primitive [m]: columns of x, y and z, rounded to float32 as in a binary STL."""
    accessor = dae_child(dae_child(draw.source, "technique_common"), "accessor")
    values = _numbers_of(document, draw.source, accessor)
    names = [child.attributes.get("name", "").upper() for child in dae_children(accessor, "param")]
    start = _whole(accessor, "offset")
    stride = _whole(accessor, "stride") or len(names) or 3
    # The columns of x, y and z in a record, -1 for an absent column. Without these names, columns go by order.
    if {"X", "Y", "Z"} & {*names}:
        columns = [names.index(axis) if axis in names else -1 for axis in "XYZ"]
    else:
        columns = [k if k < (len(names) or 3) else -1 for k in range(3)]
    # Only records that have all chosen columns count.
    count = max(0, -((start + max(columns) - len(values)) // stride))
    parts: List[array[float]] = []
    for k in columns:
        if k >= 0 and count:
            end = start + k + (count - 1) * stride + 1
            parts.append(values[start + k : end : stride])
        else:
            parts.append(array("d", bytes(8 * count)))
    moved = []
    for row, shift in zip(*draw.matrix):
        column = _moved_axis(row, shift, parts)
        # Packing takes half the time of array("f", column).
        moved.append(array("f", pack(f"{len(column)}f", *column)))
    return tuple(moved)


def _numbers_of(
    document: DaeDocument, source: DaeElement, accessor: Optional[DaeElement]
) -> "array[float]":
    """Return the numbers of a source; the first numbers are read again from the text.

    Raises:
        ValueError: the numbers of the conversion differ from the text.
    """
    numbers = dae_child(source, "float_array", "int_array")
    if numbers is None and accessor is not None:
        numbers = dae_target(document, accessor.attributes.get("source", ""))
    if numbers is None:
        return array("d")
    values = array_numbers(document, numbers)
    pieces = chain.from_iterable(text_pieces(document, text) for text in numbers.texts)
    words = next(pieces, b"").replace(b",", b".")  # decimal commas, as exporters write them
    first = [*map(float, words.split(None, SAMPLED_NUMBERS)[:-1])]  # the last may be cut off
    if first != [*values[: len(first)]]:
        raise ValueError("numbers are not what is written")
    return values


def _moved_axis(row: Vector, shift: float, parts: "Sequence[array[float]]") -> Sequence[float]:
    """Return a coordinate of the points under a map."""
    terms = [(factor, part) for factor, part in zip(row, parts) if factor]
    if len(terms) == 1:  # as in nearly all files
        ((factor, part),) = terms
        return part if factor == 1.0 and not shift else [factor * x + shift for x in part]
    a, b, c = row
    return [a * x + b * y + c * z + shift for x, y, z in zip(*parts)]


def _whole(node: Optional[DaeElement], name: str) -> int:
    """Return an attribute that is a whole number, else 0."""
    word = node.attributes.get(name, "").strip() if node is not None else ""
    # At most 18 digits, as in `count_attribute`; written again, because the proof shares no code with the conversion.
    is_whole = word.isascii() and word.isdigit() and len(word) <= 18
    return int(word) if is_whole else 0


def _words(document: DaeDocument, element: Optional[DaeElement]) -> Iterator[List[bytes]]:
    """Yield the words in an element, block by block."""
    carried = b""
    texts = element.texts if element else []
    for piece in chain.from_iterable(text_pieces(document, text) for text in texts):
        words = (carried + piece).split()
        # The last word may continue in the next piece.
        carried = words.pop() if words and not piece[-1:].isspace() else b""
        yield words
    if carried:
        yield [carried]


def corners_of(document: DaeDocument, draw: DrawnPrimitive) -> Iterator[Tuple[Indices, Indices]]:
    """Yield pairs in order: the corners of triangles as they are wound, and the corners of the polygon after them, or []."""

    def indices(node: DaeElement) -> Iterator[Indices]:
        """Yield the indices of positions in a `<p>`, in blocks."""
        offset = draw.offset
        for words in _words(document, node):
            yield [*map(int, words[offset :: draw.stride])]
            offset = (offset - len(words)) % draw.stride

    primitive = draw.primitive
    words = chain.from_iterable(_words(document, dae_child(primitive, "vcount")))
    sizes = [*map(int, words)]
    blocks = [*map(indices, dae_children(primitive, "p"))]
    if primitive.tag == "triangles":
        # Triangles do not continue in the next <p>.
        for row in blocks:
            yield from _whole_triangles(row, inf)
    elif primitive.tag == "polylist" and sizes and sizes.count(3) == len(sizes):
        # A polylist continues in the next <p>; <vcount> limits the number of triangles.
        yield from _whole_triangles(chain.from_iterable(blocks), 3 * len(sizes))
    else:
        yield from _mixed_corners(
            _outlines_of(
                primitive, sizes, lambda node: [*chain.from_iterable(indices(node))], document.rare
            )
        )


def _whole_triangles(blocks: Iterable[Indices], most: float) -> Iterator[Tuple[Indices, Indices]]:
    """Yield at most `most` corners of triangles, as `corners_of` does; an incomplete last triangle is dropped."""
    rest: Indices = []
    for block in blocks:
        block = rest + block
        whole = int(min(len(block) // 3 * 3, most))
        rest = block[whole:]
        most -= whole
        yield block[:whole], []


def _mixed_corners(outlines: Iterable[Indices]) -> Iterator[Tuple[Indices, Indices]]:
    """Yield polygons, each with the triangles before it, as `corners_of` does."""
    corners: Indices = []
    for outline in outlines:
        if len(outline) == 3:
            corners += outline
        elif len(outline) > 3:
            yield corners, outline
            corners = []
        if len(corners) > MAX_CORNERS_HELD:
            yield corners, []
            corners = []
    yield corners, []


def _outlines_of(
    primitive: DaeElement,
    sizes: List[int],
    all_of: Callable[[DaeElement], Indices],
    rare: Optional[RareColladaFunctions],
) -> Iterator[Indices]:
    """Yield the outline of each polygon; for strips and fans each triangle, as it is wound."""
    if primitive.tag == "polylist":
        joined = [*chain.from_iterable(map(all_of, dae_children(primitive, "p")))]
        start = 0
        for size in sizes:
            if start + size > len(joined):
                return
            yield joined[start : start + size]
            start += size
    elif primitive.tag == "polygons":
        for run in primitive.children:
            outline = dae_child(run, "p") if run.tag == "ph" else run
            if run.tag in ("p", "ph") and outline is not None:
                yield all_of(outline)
    elif rare:
        for row in map(all_of, dae_children(primitive, "p")):
            yield from rare.measured_run(primitive.tag, row)


def _color_key(document: DaeDocument, materials: Dict[str, str], symbol: str) -> ColorKey:
    """Return the diffuse color of a material, None if the file does not contain it as numbers."""
    material = dae_target(document, materials.get(symbol, symbol)) if symbol else None
    if material is None or material.tag != "material":
        return None
    instance = dae_child(material, "instance_effect")
    if instance is None:
        return None
    effect = dae_target(document, instance.attributes.get("url", ""))
    if effect is None or effect.tag != "effect":
        return None
    profiles = dae_children(effect, "profile_COMMON")
    shaders = chain.from_iterable(
        _all_below(profile, "phong", "lambert", "blinn", "constant") for profile in profiles
    )
    diffuse = dae_child(next(shaders, None), "diffuse")
    try:
        values = [*map(float, dae_text(dae_child(diffuse, "color")).split())]
    except ValueError:
        return None
    if (
        dae_child(diffuse, "texture") is not None
        or len(values) < 3
        or not all(map(isfinite, values))
    ):
        return None
    return tuple(round(min(1.0, max(0.0, value)), 6) for value in values[:3])


# ==== urdf_tools/collada/collada_scene.py ====
# The scene of a COLLADA document: the meshes that it draws, their poses and their materials.
#
# Returned lengths are in meters, along the axes of the file; `<up_axis>` is ignored, as in RViz and Gazebo.  The elements
# of a node are affine maps of column vectors; they are multiplied in document order, M = T1 T2 ... Tn (Khronos COLLADA
# 1.4.1 and 1.5).

# The maps that turn the up axis of the file to +Z, by the specification's table of right, up and inward axes.
UP_AXIS_TURNS: Dict[str, Affine] = {
    "x": Transform(((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)), ZERO),
    "y": Transform(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)), ZERO),
    "z": IDENTITY_POSE,
}


def determinant(matrix: Affine) -> float:
    """Return the determinant of the linear part: negative for a mirror, 0 for a map without volume."""
    a, b, c = matrix.rotation
    return dot(a, cross(b, c))


def without_affine_noise(matrix: Affine) -> Affine:
    """Return a map with 0 for factors and shifts that are only rounding: below 1e-13 of the largest."""
    x, y, z = (_without_noise(row, largest_entry(matrix.rotation)) for row in matrix.rotation)
    return Transform(
        (x, y, z), _without_noise(matrix.translation, max(map(abs, matrix.translation)))
    )


def _without_noise(v: Vector, largest: float) -> Vector:
    """Return a vector with 0 for components below 1e-13 of `largest`."""
    cleaned = list(v)
    for axis, value in enumerate(v):
        if abs(value) < 1e-13 * largest:
            cleaned[axis] = 0.0
    x, y, z = cleaned
    return (x, y, z)


def is_singular(matrix: Affine) -> bool:
    """Return True if the map has no volume, within the accuracy of float32, whatever its scale."""
    a, b, c = transpose(matrix.rotation)
    # `not ... >` is also true for nan.
    return not abs(determinant(matrix)) > 1e-9 * norm(a) * norm(b) * norm(c)


def matrix_element(numbers: Sequence[float]) -> Affine:
    """Return the map of `<matrix>`: sixteen numbers by rows; the last row is assumed to be 0 0 0 1."""
    a, b, c, x, d, e, f, y, g, h, i, z = numbers[:12]
    return Transform(((a, b, c), (d, e, f), (g, h, i)), (x, y, z))


def translate_element(numbers: Sequence[float]) -> Affine:
    """Return the map of `<translate>` x y z."""
    x, y, z = numbers
    return Transform(IDENTITY, (x, y, z))


def scale_element(numbers: Sequence[float]) -> Affine:
    """Return the map of `<scale>` x y z."""
    x, y, z = numbers
    return Transform(((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)), ZERO)


def rotate_element(numbers: Sequence[float]) -> Affine:
    """Return the map of `<rotate>` x y z degrees; the axis may have any length, a zero axis gives the identity."""
    x, y, z, degrees = numbers
    if not norm((x, y, z)) > 1e-30:
        return IDENTITY_POSE
    return Transform(rotation_about(unit((x, y, z)), radians(degrees)), ZERO)


# The count of numbers in each element, and the function that returns its map.
TRANSFORM_ELEMENTS: Dict[str, Tuple[int, Callable[[Sequence[float]], Affine]]] = {
    "matrix": (16, matrix_element),
    "translate": (3, translate_element),
    "rotate": (4, rotate_element),
    "scale": (3, scale_element),
}


MAX_NODES = 100_000  # instances of instances multiply nodes
UNREAD_TRANSFORMS = ("lookat", "skew")


class MeshInstance(Record):
    """An instance of a mesh: `matrix` maps its numbers to meters, `materials` its symbols to material ids."""

    geometry: DaeElement
    mesh: DaeElement
    matrix: Affine
    materials: Dict[str, str]


def scene_drawings(
    document: DaeDocument, options: SceneOptions, notes: Diagnostics
) -> List[MeshInstance]:
    """Return every mesh instance of the scene in document order; skipped instances are reported in `notes`.

    Raises:
        BrokenMesh: a transformation cannot be read, a node contains itself, or the scene unrolls to far too many nodes.
    """
    start = compose(
        UP_AXIS_TURNS[options.up_axis or "z"],
        scale_element([unit_factor(document, options, notes)] * 3),
    )
    scene = visual_scene(document, notes)
    if scene is None:
        notes.append(Diagnostic(MESH_CONTENT, 0, "no-scene"))
        drawings = [
            geometry_drawing(geometry, start, {}, notes)
            for geometry in dae_descendants(document.root, "geometry")
        ]
    else:
        drawings = [
            instance_drawing(document, instance, matrix, notes)
            for instance, matrix in walk_nodes(document, scene, start, notes)
        ]
    return [drawing for drawing in drawings if drawing is not None]


def unit_factor(document: DaeDocument, options: SceneOptions, notes: Diagnostics) -> float:
    """Return the meters per unit, by `<unit meter>` of the document; the name of the unit is often wrong, so not read."""
    if options.scale_factor is not None:
        return options.scale_factor
    unit = dae_child(dae_child(document.root, "asset"), "unit")
    word = unit.attributes.get("meter", "") if unit else ""
    try:
        factor = float(word)
        if isfinite(factor) and factor > 0.0:
            return factor
    except ValueError:
        pass
    if options.missing_unit != 1.0:
        notes.append(
            Diagnostic(
                kind=MESH_SIZE,
                line=0,
                sentence="no-unit",
                names=(),
                numbers=(options.missing_unit,),
            )
        )
    return options.missing_unit


def visual_scene(document: DaeDocument, notes: Diagnostics) -> Optional[DaeElement]:
    """Return the visual scene that `<scene>` names, else the first scene, else None."""
    instance = dae_child(dae_child(document.root, "scene"), "instance_visual_scene")
    if instance is not None:
        url = instance.attributes.get("url", "")
        scene = dae_target(document, url)
        if scene is not None and scene.tag == "visual_scene":
            return scene
        notes.append(Diagnostic(MESH_CONTENT, 0, "other-scene", (url.lstrip("#"),)))
    return next(dae_descendants(document.root, "visual_scene"), None)


def walk_nodes(
    document: DaeDocument, scene: DaeElement, start: Affine, notes: Diagnostics
) -> Iterator[Tuple[DaeElement, Affine]]:
    """Yield each instance of a geometry or controller in a scene with the map from its node to meters."""
    # The third item has the instance_node targets on the way here, to detect a node that contains itself.
    waiting: List[Tuple[DaeElement, Affine, Texts]] = [(scene, start, ())]
    visited = 0
    while waiting:
        element, matrix, trail = waiting.pop()
        if element.tag in ("instance_geometry", "instance_controller"):
            yield element, matrix
            continue
        if element.tag == "instance_node":
            url = element.attributes.get("url", "")
            target = dae_target(document, url)
            if target is None or target.tag != "node":
                notes.append(Diagnostic(MESH_CONTENT, 0, "missing", ("node", url.lstrip("#"))))
                continue
            if url in trail:
                raise dae_error(document, element, f"node '{url.lstrip('#')}' contains itself")
            element = target
            trail = (*trail, url)
        visited += 1
        if visited > MAX_NODES:
            raise dae_error(document, element, f"the scene unrolls to more than {MAX_NODES} nodes")
        if element.tag == "node":
            matrix = compose(matrix, node_transform(document, element))
        # Pushed in reverse, so that they are popped in document order.
        waiting += [
            (child, matrix, trail)
            for child in reversed(element.children)
            if child.tag in ("node", "instance_node", "instance_geometry", "instance_controller")
        ]


def node_transform(document: DaeDocument, node: DaeElement) -> Affine:
    """Return the product of the transformations of a node in document order."""
    matrix = IDENTITY_POSE
    for child in node.children:
        known = TRANSFORM_ELEMENTS.get(child.tag)
        if child.tag in UNREAD_TRANSFORMS:
            raise not_read(document, child)
        if known:
            size, read = known
            matrix = compose(matrix, read(exactly(document, child, size)))
    return matrix


def exactly(document: DaeDocument, element: DaeElement, size: int) -> List[float]:
    """Return the numbers of an element, which must have exactly `size` numbers."""
    numbers = all_floats(document, element)
    if len(numbers) != size:
        raise dae_error(
            document, element, f"<{element.tag}> has {len(numbers)} numbers instead of {size}"
        )
    return numbers


def instance_drawing(
    document: DaeDocument, instance: DaeElement, matrix: Affine, notes: Diagnostics
) -> Optional[MeshInstance]:
    """Return the drawing of an instance, None if its target does not exist or has no mesh.

    Raises:
        BrokenMesh: the target is a skin or a morph.
    """
    url = instance.attributes.get("url", "")
    target = dae_target(document, url)
    if target is not None and target.tag == "controller":
        raise not_read(document, target)
    if target is None or target.tag != "geometry":
        notes.append(Diagnostic(MESH_CONTENT, 0, "missing", ("geometry", url.lstrip("#"))))
        return None
    materials: Dict[str, str] = {}
    for bound in dae_descendants(instance, "instance_material"):
        materials.setdefault(bound.attributes.get("symbol", ""), bound.attributes.get("target", ""))
    return geometry_drawing(target, matrix, materials, notes)


def geometry_drawing(
    geometry: DaeElement, matrix: Affine, materials: Dict[str, str], notes: Diagnostics
) -> Optional[MeshInstance]:
    """Return the drawing of a geometry, None without a mesh: for a spline or a boundary representation."""
    mesh = dae_child(geometry, "mesh", "convex_mesh")
    if mesh is None:
        kinds = ", ".join(
            child.tag for child in geometry.children if child.tag not in ("asset", "extra")
        )
        notes.append(
            Diagnostic(MESH_CONTENT, 0, "no-mesh", (dae_label(geometry), kinds or "empty"))
        )
        return None
    return MeshInstance(geometry, mesh, without_affine_noise(matrix), materials)


def drawn_material(
    document: DaeDocument, drawing: MeshInstance, symbol: str
) -> Optional[DaeElement]:
    """Return the material bound to a symbol in an instance; an unbound symbol may itself be the id of a material."""
    material = dae_target(document, drawing.materials.get(symbol, symbol))
    return material if material is not None and material.tag == "material" else None


# ==== urdf_tools/collada/stl_part_writer.py ====
# Groups of triangles of one color while they are written: each is an STL file, or several if it would be too large.
#
# Positions are moved to meters and rounded to float32 once, before anything is computed from them.

MINUS_ZERO = struct.pack("f", -0.0)


class PointsInMeters(Record):
    """Points [m]; all numbers are float32 values, without -0.0.

    `columns` has the same x, y and z in a column each, `bounds` is the box of all points.
    """

    points: List[DaeVector]
    columns: Columns
    bounds: MeshBounds


def moved_columns(columns: Columns, matrix: Affine) -> Columns:
    """Return columns of x, y and z under an affine map."""
    # Adding 0.0 turns -0.0 into 0.0.
    return tuple(
        moved_column([value + 0.0 for value in (*row, shift)], columns)
        for row, shift in zip(*matrix)
    )


def place_points(columns: Columns) -> PointsInMeters:
    """Return points, given by columns, with their box."""
    x, y, z = (column.tolist() for column in columns)
    bounds = columns_bounds([x, y, z])
    if not isfinite(sum(x) + sum(y) + sum(z)):  # inf - inf is nan, which has no order
        bounds = ((-inf, -inf, -inf), (inf, inf, inf))
    return PointsInMeters([*zip(x, y, z)], columns, bounds)


def moved_column(row: Sequence[float], columns: Columns) -> "array[float]":
    """Return a coordinate of the moved points, in float32; for most maps it depends on only one old coordinate."""
    shift = row[3]
    terms = [(factor, column) for factor, column in zip(row, columns) if factor]
    moved: Sequence[float]
    if len(terms) == 1:
        ((a, xs),) = terms
        moved = xs if a == 1.0 and not shift else [a * x + shift for x in xs]
    else:
        a, b, c, _ = row
        moved = [a * x + b * y + c * z + shift for x, y, z in zip(*columns)]
    # This takes half the time of array("f", moved).
    rounded = array("f", struct.pack(f"{len(moved)}f", *moved))
    # A negative number too small for float32 becomes -0.0, and readers that join equal points compare the bits.
    if MINUS_ZERO in rounded.tobytes():
        return array("f", [value + 0.0 for value in rounded])
    return rounded


def points_in_stl(columns: Columns) -> List[bytes]:
    """Return points, given by columns of x, y and z, in the bytes of STL."""
    values = array("f", bytes(12 * len(columns[0])))
    for axis, column in enumerate(columns):
        values[axis::3] = column
    if sys.byteorder == "big":
        values.byteswap()
    return [point for (point,) in struct.iter_unpack("12s", values.tobytes())]


def columns_bounds(columns: Sequence[Sequence[float]]) -> MeshBounds:
    """Return the box of points, given by columns of x, y and z; without points it is from inf to -inf."""
    nothing = float("inf")
    low_x, low_y, low_z = (min(column, default=nothing) for column in columns)
    high_x, high_y, high_z = (max(column, default=-nothing) for column in columns)
    return (low_x, low_y, low_z), (high_x, high_y, high_z)


class PositionsInUse(Record):
    """The positions of a source of a mesh instance: their columns and box [m], and a mark, 1 for a position in use."""

    columns: Columns
    bounds: MeshBounds
    marks: bytearray


class GrowingStlFile:
    """An STL file while it is written.

    Attributes:
        used: the positions of each source of a mesh instance, by the `id` of its columns.
        vertices, bounds: the number of positions in use, and their box [m], after `measure`.
    """

    def __init__(self, path: str) -> None:
        """Begin without triangles; the file is made when the first are written."""
        self.writer = StlWriter(path)
        self.used: Dict[int, PositionsInUse] = {}
        self.vertices = 0
        self.bounds = columns_bounds([(), (), ()])

    def marks(self, placed: PointsInMeters) -> bytearray:
        """Return the marks of positions, which are 1 for a position in use."""
        if id(placed.columns) not in self.used:
            unused = bytearray(len(placed.points))
            self.used[id(placed.columns)] = PositionsInUse(placed.columns, placed.bounds, unused)
        return self.used[id(placed.columns)].marks

    def measure(self) -> None:
        """Set `vertices` and `bounds`; call it after the last triangle."""
        boxes: List[MeshBounds] = []
        for used in self.used.values():
            if 0 not in used.marks and used.marks:
                # If all positions are in use, the box is known.
                boxes.append(used.bounds)
            elif 1 in used.marks:
                columns = [[*compress(column, used.marks)] for column in used.columns]
                boxes.append(columns_bounds(columns))
        self.bounds = columns_bounds([*zip(*chain(*boxes))])
        self.vertices = sum(used.marks.count(1) for used in self.used.values())


class ColorGroup:
    """All triangles of one color.

    Attributes:
        look: the look of its first material.
        pieces: its files; the last file is being written.
        counts: the number of triangles in the file, and of faults that change it, see `triangle_blocks`.
        flat: the numbers of the dropped triangles without area among all triangles, ascending.
        geometries, materials: their names in order, without duplicates.
        notes: the notes on its materials, without duplicates.
    """

    def __init__(self, path: str, max_faces: int, look: MaterialLook) -> None:
        """Begin without pieces; `path` is the file that is converted, and a piece has at most `max_faces` triangles."""
        self.path = path
        self.max_faces = max_faces
        self.look = look
        self.pieces: List[GrowingStlFile] = []
        self.counts = FaultCounts()
        self.flat: Indices = []
        self.geometries: Dict[str, None] = {}
        self.materials: Dict[str, None] = {}
        self.notes: Dict[Diagnostic, None] = {}

    def written(self) -> int:
        """Return the number of triangles written so far."""
        return sum(piece.writer.triangles for piece in self.pieces)

    def add(self, block: Indices, placed: PointsInMeters) -> None:
        """Write a block of triangles.

        Raises:
            IndexError: an index is not below the number of points.
        """
        while block:
            piece = self.open_piece()
            head = block
            if self.max_faces:
                head = block[: 3 * (self.max_faces - piece.writer.triangles)]
            block = block[len(head) :]
            records, flat = pack_triangles(head, placed.points)
            first = self.written() + len(self.flat)
            self.flat += [first + number for number in flat]
            marks = piece.marks(placed)
            used = without_triangles(head, flat) if flat else head
            for index in used:
                marks[index] = 1
            piece.writer.append(records)

    def open_piece(self) -> GrowingStlFile:
        """Return the piece to write to, a new piece if the last is full."""
        if not self.pieces or 0 < self.max_faces <= self.pieces[-1].writer.triangles:
            self.pieces.append(GrowingStlFile(f"{self.path}_{len(self.pieces)}.stl"))
        return self.pieces[-1]


class ColoredPrimitive(Record):
    """A primitive of the scene, with its positions [m] and the group of its color."""

    primitive: DaeElement
    columns: Columns
    group: ColorGroup


def without_triangles(block: Indices, flat: Sequence[int]) -> Indices:
    """Return the indices of a block without some of its triangles, given by ascending numbers."""
    kept = block[:]
    for number in reversed(flat):
        del kept[3 * number : 3 * number + 3]
    return kept


# ==== urdf_tools/collada/verify_stl_parts.py ====
# The proof, on every run, that the STL files contain the triangles of the COLLADA file, and cover each of its polygons.
#
# The edges of triangles that cover a polygon cancel out, up to its outline.  If, besides, no triangle is wound against the
# polygon, a flat polygon that does not cross itself is covered exactly once, whatever way it is cut.

MAX_CORNERS = 2000  # of a polygon that is tested for crossing itself, which takes quadratic time
FLAT_ENOUGH = 1e-6  # relative: beyond it a polygon counts as bent
ON_A_LINE = 1e-9  # relative
POINT_IN_STL = Struct("<3f")

Loop = Sequence[bytes]  # the corners of a closed line, each in the bytes of STL
Edge = Tuple[bytes, bytes]
InPlane = Tuple[float, float]


class Polygon:
    """A polygon, given by its outline: its corners in space, and in its largest projection."""

    def __init__(self, outline: Loop) -> None:
        """Project the polygon along the axis of its largest area, so that it is counter-clockwise."""
        self.outline = outline
        self.places: Dict[bytes, Vector] = {
            corner: POINT_IN_STL.unpack(corner) for corner in outline
        }
        self.normal = area_vector([self.places[corner] for corner in outline])
        k = self.axis = max(range(3), key=lambda axis: abs(self.normal[axis]))
        self.size = abs(self.normal[k])
        i, j = (k - 2, k - 1) if self.normal[k] > 0.0 else (k - 1, k - 2)
        self.flat: Dict[bytes, InPlane] = {
            corner: (point[i], point[j]) for corner, point in self.places.items()
        }

    def is_covered_by(self, triangles: Sequence[Loop]) -> bool:
        """Return True if triangles cover the polygon; triangles without area may be missing.

        Triangles wound against the polygon are accepted if it crosses itself: then every way to cut it has some.
        """
        return self.is_bordering(triangles) and not (self.is_turned(triangles) and self.is_plain())

    def is_turned(self, triangles: Sequence[Loop]) -> bool:
        """Return True if a triangle is wound against the polygon."""
        sides = [side(*map(self.flat.__getitem__, triangle)) for triangle in triangles]
        return -fsum(area for area in sides if area < 0.0) > FLAT_ENOUGH * self.size

    def is_bordering(self, triangles: Sequence[Loop]) -> bool:
        """Return True if the edges of triangles cancel out, up to the edges of the polygon and lines without area."""
        if not all(corner in self.places for corner in chain.from_iterable(triangles)):
            return False
        # The triangles are reversed, so that their outer edges run against the outline.
        borders = [self.outline, *(triangle[::-1] for triangle in triangles)]
        runs = Counter(chain.from_iterable(map(edges_of, borders)))
        left: List[Edge] = []
        for (p, q), times in runs.items():
            left += [(p, q)] * (times - runs[q, p])
        return self.is_without_area(left)

    def is_without_area(self, edges: List[Edge]) -> bool:
        """Return True if closed lines go to and fro: on each straight line, edges of both directions cancel."""
        while edges:
            p, q = max(edges, key=lambda edge: norm(subtract(*map(self.places.__getitem__, edge))))
            a = self.places[p]
            b = self.places[q]
            along = [
                edge
                for edge in edges
                if all(is_flat_triangle(a, b, self.places[corner]) for corner in edge)
            ]
            if Counter(p for p, _ in along) != Counter(q for _, q in along):
                return False
            edges = [*(Counter(edges) - Counter(along)).elements()]
        return True

    def is_plain(self) -> bool:
        """Return True if the polygon is flat and does not cross itself: then every way to cut it is equivalent."""
        size = norm(self.normal)
        count = len(self.outline)
        if not size > 0.0 or not len({*self.flat.values()}) == count <= MAX_CORNERS:
            return False
        levels = [dot(self.normal, place) / size for place in self.places.values()]
        return max(levels) - min(levels) <= FLAT_ENOUGH * sqrt(size) and not self.is_crossing()

    def is_crossing(self) -> bool:
        """Return True if two edges without a common corner meet, or nearly meet."""
        gap = FLAT_ENOUGH * sqrt(self.size)
        sliver = FLAT_ENOUGH * self.size
        edges = [(self.flat[p], self.flat[q]) for p, q in edges_of(self.outline)]
        return any(are_meeting(edge, other, gap, sliver) for edge, other in combinations(edges, 2))


def are_meeting(
    edge: Tuple[InPlane, InPlane], other: Tuple[InPlane, InPlane], gap: float, sliver: float
) -> bool:
    """Return True if two edges without a common corner meet, within a `gap` of boxes and a `sliver` of area."""
    (a, b), (c, d) = edge, other
    if {a, b} & {c, d}:
        return False
    # Areas do not separate edges on the same straight line, but boxes do.
    for first, second in ((edge, other), (other, edge)):
        if any(min(ends) > max(others) + gap for ends, others in zip(zip(*first), zip(*second))):
            return False
    # They meet if the ends of each are on both sides of the other.
    for ends in ((side(a, b, c), side(a, b, d)), (side(c, d, a), side(c, d, b))):
        if min(ends) > sliver or max(ends) < -sliver:
            return False
    return True


def edges_of(loop: Loop) -> List[Edge]:
    """Return the edges of a closed line."""
    return [*zip(loop, [*loop[1:], *loop[:1]])]


def area_vector(loop: Sequence[Vector]) -> Vector:
    """Return the area vector of a closed line."""
    arms = [subtract(point, loop[0]) for point in loop]
    total = ZERO
    for arm, other in zip(arms[1:], arms[2:]):
        total = add(total, cross(arm, other))
    return scale(0.5, total)


def is_flat_triangle(a: Vector, b: Vector, c: Vector) -> bool:
    """Return True if a triangle has no area."""
    u = subtract(b, a)
    v = subtract(c, a)
    return norm(cross(u, v)) <= ON_A_LINE * norm(u) * norm(v)


def side(a: InPlane, b: InPlane, c: InPlane) -> float:
    """Return twice the signed area of a flat triangle."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


SAMPLED_TRIANGLES = 256
# Relative to the farthest coordinate: the conversion and the proof may round differently.
FLOAT32_STEP = 2.0**-22
RECORDS_READ = 8192
# Bytes in the record of a triangle.
NORMAL_SIZE = 12
CORNERS_SIZE = 36


def verify_part(path: str, part: MeshPart) -> None:
    """Verify the record of a finished STL file, and its normals.

    The triangles that are read back must lie in the box of the record, and be wound like their normals: all of a small
    file, 256 spread over a large file.  The numbers of the box must be in the file.

    Raises:
        ProofFailed: the record is wrong, or a normal.
    """
    sample = stl_sample(part.file, SAMPLED_TRIANGLES)
    corners = chain.from_iterable(triangle[1:] for triangle in sample)
    box = [(min(column), max(column)) for column in zip(*corners)]
    is_inside = all(
        low <= smallest and largest <= high
        for low, high, (smallest, largest) in zip(*part.bounds, box)
    )
    # The box of a sample is inside the box of the part; the box of all triangles is equal to it.
    if len(sample) >= part.triangles:
        is_inside = is_inside and box == [*zip(*part.bounds)]
    ends = {struct.pack("<f", value) for value in chain(*part.bounds)}
    for block in stl_record_blocks(part.file):
        ends = {end for end in ends if end not in block}
        if not ends:
            break
    if (
        ends
        or not is_inside
        or stl_count(part.file) != part.triangles
        or not all(map(is_wound_like_normal, sample))
    ):
        raise ProofFailed(
            f"'{part.file}' is not what its record says, or has a triangle against its normal", path
        )


def is_wound_like_normal(triangle: StlTriangle) -> bool:
    """Return True if the normal of a triangle has length 1 and the direction of its winding."""
    normal, a, b, c = triangle
    winding = cross(subtract(b, a), subtract(c, a))
    # The normal is in float32: the tolerance is far larger than its rounding.
    return abs(dot(winding, normal) / norm(winding) - 1.0) < 1e-5 and abs(norm(normal) - 1.0) < 1e-5


def verify_triangles(
    document: DaeDocument,
    options: DaeOptions,
    drawn: Sequence[ColoredPrimitive],
    written: "WrittenOf",
) -> None:
    """Verify the written triangles of each color, in their order, against the primitives that the document draws.

    The draws are determined anew.  Their positions must be equal to the used positions up to rounding.  With the used
    positions, each triangle must be in the files, number for number, and each polygon must have triangles that cover it;
    triangles without area may be missing.  `drawn` has the used positions and the group of each primitive.

    Raises:
        ProofFailed: the triangles differ.
    """
    try:
        problem = _how_they_differ(document, options, drawn, written)
    except (ValueError, IndexError, OverflowError, struct.error) as error:
        raise ProofFailed(f"cannot be measured ({error})", document.path) from error
    if problem:
        raise ProofFailed(f"what was written is not what the file draws: {problem}", document.path)


def _how_they_differ(
    document: DaeDocument,
    options: DaeOptions,
    drawn: Sequence[ColoredPrimitive],
    written: "WrittenOf",
) -> str:
    """Return the first difference between the written triangles and the draws of a document, "" if they are equal."""
    waiting = [*reversed(drawn)]
    files: Dict[int, ReadBackTriangles] = {}
    # The points of an instance, by the `id` of their columns.
    known_points: Dict[int, List[bytes]] = {}
    matrix: Optional[Transform] = None
    for draw in draws_of(document, options.scene):
        if not waiting or waiting[-1].primitive is not draw.primitive:
            if any(map(any, corners_of(document, draw))):
                return "something is not drawn"
            continue
        _, columns, group = waiting.pop()
        name = f"of material '{group.look.label}'"
        if id(columns) not in known_points:
            if not are_near(columns, positions_of(document, draw)):
                return f"{name} a corner is in another place"
            # The points of the preceding instance are not needed again.
            if draw.matrix is not matrix:
                known_points = {}
                matrix = draw.matrix
            known_points[id(columns)] = points_in_stl(columns)
        points = known_points[id(columns)]
        rgb = (group.look.rgba or ())[:3]
        # Rounded to six digits, like the color of the draw.
        written_color = tuple(round(value, 6) for value in rgb)
        if options.separate and draw.color and draw.color != written_color:
            return f"{name} the color differs"
        file = files.get(id(group)) or files.setdefault(id(group), written(group))
        lost = _why_lost(document, draw, points, file)
        if lost:
            return f"{name} {lost}"
    if waiting or any(file.fill(1) for file in files.values()):
        return "there are more triangles"
    return ""


def _why_lost(
    document: DaeDocument, draw: DrawnPrimitive, points: Sequence[bytes], file: "ReadBackTriangles"
) -> str:
    """Return the reason why a primitive is not next in the files of its color, "" if it is.

    `points` are its positions in the bytes of STL.
    """
    for corners, outline in corners_of(document, draw):
        if is_mirror(draw.matrix):  # a mirrored mesh keeps its outside
            corners[1::3], corners[2::3] = corners[2::3], corners[1::3]
            outline = outline[:1] + outline[:0:-1]
        if not file.match_triangles(b"".join(map(points.__getitem__, corners))):
            return "a triangle differs or is lost"
        if outline and not file.match_polygon([points[k] for k in outline]):
            return "a polygon is not covered by its triangles"
    return ""


def are_near(columns: Columns, others: Columns) -> bool:
    """Return True if two lists of positions have the same length, and are equal up to rounding."""
    differing = [
        (column, other)
        for column, other in zip(columns, others)
        if column.tobytes() != other.tobytes()
    ]
    far = max(map(abs, chain(*columns)), default=0.0) if differing else 0.0
    return all(
        len(column) == len(other) and max(map(abs, map(sub, column, other))) <= FLOAT32_STEP * far
        for column, other in differing
    )


class ReadBackTriangles:
    """The triangles in the STL files of a color, read piece by piece; files are open only while they are read.

    `corners` has the bytes of the corners that were read; the bytes before `index` are verified.  `number` is the number
    of verified triangles of the document; `flat` has the numbers of triangles that were dropped, as they have no area.
    """

    def __init__(self, group: ColorGroup) -> None:
        """Begin before the first triangle of the first file."""
        self.paths = [piece.writer.path for piece in group.pieces]
        self.start = STL_START
        self.corners = b""
        self.index = 0
        self.flat = group.flat
        self.number = 0

    def fill(self, size: int) -> bool:
        """Return True if `size` more bytes of corners remain; then `corners` has them."""
        while self.paths and len(self.corners) < self.index + size:
            with open(self.paths[0], "rb") as stream:
                stream.seek(self.start)
                block = stream.read(STL_RECORD.size * RECORDS_READ)
            self.start += len(block)
            if not block:
                self.start = STL_START
                del self.paths[0]
            corners = bytearray(len(block) // STL_RECORD.size * CORNERS_SIZE)
            for k in range(CORNERS_SIZE):  # strides are twice as fast as records
                corners[k::CORNERS_SIZE] = block[NORMAL_SIZE + k :: STL_RECORD.size]
            self.corners = self.corners[self.index :] + corners
            self.index = 0
        return len(self.corners) >= self.index + size

    def flat_within(self, count: int) -> Indices:
        """Return the dropped triangles among the next `count` triangles, by numbers from 0."""
        first = bisect_left(self.flat, self.number)
        end = bisect_left(self.flat, self.number + count)
        return [number - self.number for number in self.flat[first:end]]

    def go_on(self, size: int, count: int) -> None:
        """Advance by `count` triangles of the document, which have `size` bytes of corners in the files."""
        self.index += size
        self.number += count

    def match_triangles(self, triangles: bytes) -> bool:
        """Return True if the next triangles are these, and the dropped triangles have no area."""
        count = len(triangles) // CORNERS_SIZE
        kept = bytearray(triangles)
        for number in reversed(self.flat_within(count)):
            where = slice(CORNERS_SIZE * number, CORNERS_SIZE * (number + 1))
            if not is_flat_triangle(*POINT_IN_STL.iter_unpack(kept[where])):
                return False
            del kept[where]
        self.fill(len(kept))
        is_same = self.corners.startswith(kept, self.index)
        self.go_on(len(kept), count)
        return is_same

    def match_polygon(self, outline: Loop) -> bool:
        """Return True if the next triangles of the files cover a polygon; the matcher then stands behind them."""
        if len(outline) == 4 and self.match_quad(*outline):
            return True
        # An outline of n points has n - 2 triangles; those without area are not in the files.
        count = len(outline) - 2
        size = CORNERS_SIZE * (count - len(self.flat_within(count)))
        is_there = self.fill(size)
        triangles = [*struct.iter_unpack("12s12s12s", self.corners[self.index : self.index + size])]
        self.go_on(size, count)
        return is_there and Polygon(outline).is_covered_by(triangles)

    def match_quad(self, a: bytes, b: bytes, c: bytes, d: bytes) -> bool:
        """Return True if the next two triangles are a quad, cut along a diagonal, and wound alike."""
        if not self.fill(2 * CORNERS_SIZE) or self.flat and self.flat_within(2):
            return False
        two = self.corners[self.index : self.index + 2 * CORNERS_SIZE]
        for p, q, r, s in ((a, b, c, d), (b, c, d, a)):
            first = p + q + r
            second = p + r + s
            if (two == first + second or two == second + first) and are_wound_alike(p, q, r, s):
                self.go_on(2 * CORNERS_SIZE, 2)
                return True
        return False


WrittenOf = Callable[[ColorGroup], ReadBackTriangles]


def are_wound_alike(a: bytes, b: bytes, c: bytes, d: bytes) -> bool:
    """Return True if the normals of the triangles a b c and a c d are less than a right angle apart."""
    start, *others = POINT_IN_STL.iter_unpack(a + b + c + d)
    u, v, w = (subtract(point, start) for point in others)
    return dot(cross(u, v), cross(v, w)) > 0.0


# ==== urdf_tools/collada/collada_to_stl.py ====
# The conversion of a COLLADA file into STL files, one for each color (or one for all), with a record for each file.
#
# Files get numbers; `part_stems` makes their names later, when the caller knows the names in use.  So a conversion can run
# in another process, into a temporary folder, before the user is asked a question.

MAX_TRIANGLES = 20_000_000  # instances of instances can multiply the triangles of a small file
MAX_COORDINATE = 2.0**30  # [m] MuJoCo refuses larger coordinates

# [m] Parts of robots are seldom larger or smaller: such a mesh is probably in another unit.
LARGE_PART = 10.0
SMALL_PART = 0.001
NO_LOOK = MaterialLook()


class DaeConversionState(Record):
    """The common data of the steps of a conversion, which fill the dictionaries and lists.

    Attributes:
        stem: the path of the files to write, without number and suffix.
        groups: the groups by keys that distinguish colors, see `find_group`.
        looks: the looks of the materials so far, by `id` of the element.
        notes: the notes on the whole file.
        drawn: the converted primitives, in order.
    """

    document: DaeDocument
    stem: str
    options: DaeOptions
    progress: Optional[MeshProgress]
    groups: Dict[Hashable, ColorGroup]
    looks: Dict[int, MaterialLook]
    notes: Diagnostics
    drawn: List[ColoredPrimitive]


@collector_at_rest()
def convert_dae(
    dae_path: str,
    folder: str,
    options: DaeOptions = DEFAULT_DAE_OPTIONS,
    prefix: str = "part",
    progress: Optional[MeshProgress] = None,
) -> DaeConversionResult:
    """Write the parts of a `.dae` file as `<folder>/<prefix>_<group>_<piece>.stl`, verify them, and return their records.

    The folder must exist and should be temporary: after an error, it may contain some of the files.  `progress` is called
    now and then with the number of triangles so far.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used; with the line, and why.
        ProofFailed: the written triangles are not the triangles of the file.
    """
    document = read_dae(dae_path, options.rare)
    notes: Diagnostics = []
    drawings = scene_drawings(document, options.scene, notes)
    job = DaeConversionState(
        document=document,
        stem=os.path.join(folder, prefix),
        options=options,
        progress=progress,
        groups={},
        looks={},
        notes=notes,
        drawn=[],
    )
    for drawing in drawings:
        draw_mesh(job, drawing)

    groups = list(job.groups.values())
    for group in groups:
        group.notes.update(dict.fromkeys(unlit_notes(group.look.label, group.look.emission)))
    close_files(groups)
    # Before planar parts are merged, which changes the order of triangles.
    verify_triangles(document, options, job.drawn, ReadBackTriangles)
    triangles = sum(group.written() for group in groups)
    parts = finish_parts(dae_path, groups, options, notes)
    if sum(part.triangles for part in parts) != triangles:
        raise ProofFailed("a part is lost", dae_path)
    for part in parts:
        verify_part(dae_path, part)
    # The signature shows a later run which files it may replace, and from which model they are made.
    digest = file_digest(dae_path)
    for part in parts:
        sign_stl(part.file, digest)
    colors = () if options.separate else colors_drawn(job, drawings)
    return DaeConversionResult(parts, tuple(dict.fromkeys(notes)), joined=colors)


def file_digest(path: str) -> str:
    """Return a digest of a file: 32 hexadecimal digits that differ for files of different content."""
    from hashlib import sha256  # imported here: only meshes need it

    digest = sha256()
    with open(path, "rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()[:32]


def draw_mesh(job: DaeConversionState, drawing: MeshInstance) -> None:
    """Write the triangles of a mesh instance to the groups of their colors."""
    document = job.document
    primitives = mesh_primitives(document, drawing.mesh)
    if not primitives:
        return
    if is_singular(drawing.matrix):
        job.notes.append(Diagnostic(MESH_CONTENT, 0, "singular", (dae_label(drawing.geometry),)))
        return
    mirrored = determinant(drawing.matrix) < 0.0
    # The primitives of a mesh share positions, which are moved once.
    placed: Dict[int, PointsInMeters] = {}
    for primitive in primitives:
        source = id(primitive.positions)
        if source not in placed:
            placed[source] = placed_positions(job, drawing, primitive)
        points = placed[source]
        group = find_group(job, drawing, primitive)
        try:
            # A map that mirrors reverses the winding: two corners of each triangle are exchanged.
            for block in triangle_blocks(document, primitive, points.points, group.counts):
                if mirrored:
                    block[1::3], block[2::3] = block[2::3], block[1::3]
                group.add(block, points)
                report_progress(job)
        except IndexError:
            raise dae_error(
                document,
                primitive.element,
                f"<{primitive.element.tag}> has an index beyond its {len(points.points)} positions",
            ) from None
        job.drawn.append(ColoredPrimitive(primitive.element, points.columns, group))


def report_progress(job: DaeConversionState) -> None:
    """Report the number of triangles so far.

    Raises:
        BrokenMesh: instances of instances draw too many triangles.
    """
    triangles = sum(group.written() for group in job.groups.values())
    if triangles > MAX_TRIANGLES:
        raise BrokenMesh(f"draws more than {MAX_TRIANGLES} triangles", job.document.path)
    if job.progress:
        job.progress(triangles)


def placed_positions(
    job: DaeConversionState, drawing: MeshInstance, primitive: PrimitiveElement
) -> PointsInMeters:
    """Return the positions of a primitive in meters.

    Raises:
        BrokenMesh: the positions cannot be read, or are too far away.
    """
    source = primitive.positions
    placed = place_points(
        moved_columns(source_columns(job.document, source, "XYZ"), drawing.matrix)
    )
    ends = max(map(abs, chain(*placed.bounds)))
    if ends > MAX_COORDINATE:
        raise dae_error(job.document, source, "positions reach farther than 2^30 meters")
    return placed


def find_group(
    job: DaeConversionState, drawing: MeshInstance, primitive: PrimitiveElement
) -> ColorGroup:
    """Return the group to which a primitive belongs, a new group for a new color."""
    look = NO_LOOK
    owner = ""
    if job.options.separate:
        look, owner = find_look(job, drawing, primitive)
    key: Hashable = (owner, look.rgba)
    # Materials that look the same share a group, unless each material gets a part of its own.
    if job.options.merge_equal_colors:
        key = (look.rgba, look.image, look.emission)
    group = job.groups.get(key)
    if group is None:
        group = job.groups[key] = ColorGroup(
            f"{job.stem}_{len(job.groups)}", job.options.max_faces, look
        )
    group.geometries[dae_label(drawing.geometry)] = None
    group.materials[look.label] = None
    group.notes.update(dict.fromkeys(look.notes))
    if job.options.separate and has_point_colors(job.document, primitive):
        group.notes[Diagnostic(MESH_CONTENT, 0, "point-colors")] = None
    return group


def find_look(
    job: DaeConversionState, drawing: MeshInstance, primitive: PrimitiveElement
) -> Tuple[MaterialLook, str]:
    """Return the look of a primitive and the key of its material; without a material, the uniform vertex color counts."""
    symbol = primitive.symbol
    material = drawn_material(job.document, drawing, symbol) if symbol else None
    if material is not None:
        if id(material) not in job.looks:
            job.looks[id(material)] = material_look(job.document, material)
        return job.looks[id(material)], f"#{id(material)}"
    if symbol:
        unbound = Diagnostic(MESH_CONTENT, 0, "no-material", (symbol,))
        return MaterialLook(symbol, notes=(unbound,)), symbol
    return MaterialLook(rgba=uniform_color(job.document, primitive)), ""


def colors_drawn(job: DaeConversionState, drawings: Sequence[MeshInstance]) -> Tuple[DaeColor, ...]:
    """Return the different colors of the primitives that a file draws."""
    colors: List[DaeColor] = []
    for drawing in drawings:
        for primitive in mesh_primitives(job.document, drawing.mesh):
            look, _ = find_look(job, drawing, primitive)
            if look.rgba is not None:
                colors.append(look.rgba)
    return tuple(dict.fromkeys(colors))


def uniform_color(document: DaeDocument, primitive: PrimitiveElement) -> Optional[DaeColor]:
    """Return the vertex color of a primitive if all its vertices have the same color, else None."""
    if primitive.colors is None:
        return None
    seen = {*zip(*source_columns(document, primitive.colors, "RGB"))}
    if len(seen) != 1:
        return None
    return clamped_color([*seen.pop()])


def has_point_colors(document: DaeDocument, primitive: PrimitiveElement) -> bool:
    """Return True if the points of a primitive have colors that a single color of the part cannot show.

    Programs multiply the color of the material by the colors of the points, so white changes nothing.
    """
    if primitive.colors is None:
        return False
    if not primitive.symbol:
        return uniform_color(document, primitive) is None
    try:
        red, green, blue = source_columns(document, primitive.colors, "RGB")
    except BrokenMesh:  # colors that cannot be read are not drawn
        return False
    return any(value != 1.0 for value in chain(red, green, blue))


def unlit_notes(label: str, emission: Reals) -> Diagnostics:
    """Return a note if a material emits light, which STL cannot express."""
    return [Diagnostic(MESH_CONTENT, 0, "light", (label,))] if any(emission) else []


def close_files(groups: List[ColorGroup]) -> None:
    """Finish and measure every file of a conversion; pieces without triangles are dropped."""
    for group in groups:
        group.pieces = [piece for piece in group.pieces if piece.writer.triangles]
        for piece in group.pieces:
            piece.writer.finish()
            piece.measure()


def finish_parts(
    path: str, groups: List[ColorGroup], options: DaeOptions, notes: Diagnostics
) -> Tuple[MeshPart, ...]:
    """Merge planar parts if the options say so, and return the records in the order of the groups.

    Raises:
        UsageError: the single file cannot merge planar parts.
        ProofFailed: the merged part does not have the same triangles.
    """
    for group in groups:
        if group.flat and not group.pieces:
            notes.append(Diagnostic(MESH_CONTENT, 0, "all-flat", (group.look.label,)))
    planar: List[ColorGroup] = []
    for group in groups:
        # A part of several files has more triangles than a planar part needs.
        if len(group.pieces) == 1:
            (piece,) = group.pieces
            if stl_is_planar(piece.writer.path, part_extent(piece.bounds)):
                planar.append(group)
    if options.planar == "merge":
        if not options.rare:
            raise UsageError(
                "planar merge is not in the single file but in the package urdf_tools: `pip install` a "
                "clone of its repository"
            )
        # It changes the pieces of two groups in place; the group that is left stays in `planar`.
        options.rare.merge_planar(path, planar, groups, options.max_faces, notes)
    parts: List[MeshPart] = []
    for group in groups:
        # Only pieces of a split part have numbers.
        first = 1 if len(group.pieces) > 1 else 0
        for number, piece in enumerate(group.pieces, start=first):
            parts.append(finished_part(group, piece, number, planar=group in planar))
    return tuple(parts)


def part_extent(bounds: MeshBounds) -> float:
    """Return the longest edge of a box [m]."""
    return max(high - low for low, high in zip(*bounds))


def finished_part(
    group: ColorGroup, piece: GrowingStlFile, number: int, *, planar: bool
) -> MeshPart:
    """Return the record of a finished file."""
    return MeshPart(
        file=piece.writer.path,
        geometry=shown_names(group.geometries, 1),
        material=group.look.label,
        rgba=group.look.rgba,
        image=group.look.image,
        planar=planar,
        piece=number,
        triangles=piece.writer.triangles,
        vertices=piece.vertices,
        bounds=piece.bounds,
        notes=(*group_notes(group), *shape_notes(piece.bounds, planar=planar)),
    )


def group_notes(group: ColorGroup) -> Diagnostics:
    """Return the notes about the materials and polygons of a group."""
    notes = list(group.notes)
    if len(group.materials) > 1 and group.look.rgba is not None:
        names = (shown_names(group.materials), rgba_text(group.look.rgba))
        notes.append(Diagnostic(MESH_COLORS, 0, "materials", names))
    counts = {"flat": len(group.flat), **group.counts}
    return notes + [
        Diagnostic(kind=MESH_CONTENT, line=0, sentence=sentence, names=(), numbers=(count,))
        for sentence, count in counts.items()
        if count
    ]


def shape_notes(bounds: MeshBounds, *, planar: bool) -> Diagnostics:
    """Return the notes about the size and shape of a part."""
    notes = size_notes(bounds)
    if planar:
        notes.insert(0, Diagnostic(MESH_PLANAR, 0, "part"))
    return notes


def size_notes(bounds: MeshBounds, scale: Reals = (1.0, 1.0, 1.0)) -> Diagnostics:
    """Return a note if a part, scaled by its `<mesh>`, is larger or smaller than parts of robots usually are."""
    low, high = bounds
    extent = max(abs(factor) * (b - a) for factor, a, b in zip(scale, low, high))
    if extent > LARGE_PART:
        return [Diagnostic(kind=MESH_SIZE, line=0, sentence="large", names=(), numbers=(extent,))]
    if extent < SMALL_PART:
        return [
            Diagnostic(
                kind=MESH_SIZE, line=0, sentence="small", names=(), numbers=(1000.0 * extent,)
            )
        ]
    return []


# ==== urdf_tools/facts/contact_values.py ====
# The contact values of a collision: their names in each format, and their defaults in SDF.
#
# Sources: sdf/1.9/surface.sdf and collision.sdf of sdformat, and its src/parser_urdf.cc for `<gazebo>`.


class ContactValue(Record):
    """The names of a contact value of a collision in several formats, "" if a format does not have it, and its default.

    Attributes:
        name: its name in a comparison.
        field: its field in `model.Surface`.
        tag: its tag in `<gazebo reference=LINK>`.
        path: its path of tags in SDF's `<collision>`.
        default: the value in SDF where none is written; "" where a missing value means something else.
        is_flag: it is a truth value, 1 or 0.
    """

    name: str
    field: str
    tag: str
    path: str
    default: str
    is_flag: bool = False

    @property
    def key(self) -> str:
        """Return the name under which values of a link are compared: the tag that sets it, or its path in SDF."""
        return self.tag or self.path

    @property
    def meant(self) -> Reals:
        """Return the numbers of the default, () without a default."""
        return tuple(map(float, self.default.split()))

    @property
    def size(self) -> int:
        """Return the count of its numbers: the first direction of friction is the only vector."""
        return 3 if self.path.endswith("fdir1") else 1


def _row(name: str, path: str, default: str, *, field: str = "", tag: str = "") -> ContactValue:
    """Return a row of the table."""
    return ContactValue(name=name, field=field, tag=tag, path=path, default=default)


def _flag(name: str, path: str, default: str) -> ContactValue:
    """Return the row of a truth value."""
    return _row(name, path, default)._replace(is_flag=True)


WITH_TAG = (
    _row("mu1", "surface/friction/ode/mu", "1", field="mu1", tag="mu1"),
    _row("mu2", "surface/friction/ode/mu2", "1", field="mu2", tag="mu2"),
    _row("contact_stiffness", "surface/contact/ode/kp", "1e12", field="kp", tag="kp"),
    _row("contact_damping", "surface/contact/ode/kd", "1", field="kd", tag="kd"),
    _row("min_depth", "surface/contact/ode/min_depth", "0", field="min_depth", tag="minDepth"),
    _row("max_velocity", "surface/contact/ode/max_vel", "0.01", field="max_vel", tag="maxVel"),
    _row("direction1", "surface/friction/ode/fdir1", "0 0 0", field="fdir1", tag="fdir1"),
    _row("max_contacts", "max_contacts", "10", field="max_contacts", tag="maxContacts"),
    _row("laser_retro", "laser_retro", "0", field="laser_retro", tag="laserRetro"),
)
OF_ODE = (
    _row("restitution", "surface/bounce/restitution_coefficient", "0", field="restitution"),
    _row("bounce_threshold", "surface/bounce/threshold", "100000"),
    _row("slip1", "surface/friction/ode/slip1", "0"),
    _row("slip2", "surface/friction/ode/slip2", "0"),
    _row("contact_cfm", "surface/contact/ode/soft_cfm", "0"),
    _row("contact_erp", "surface/contact/ode/soft_erp", "0.2"),
)
TORSIONAL = (
    _row("torsional_coefficient", "surface/friction/torsional/coefficient", "1"),
    _flag("uses_patch_radius", "surface/friction/torsional/use_patch_radius", "1"),
    _row("patch_radius", "surface/friction/torsional/patch_radius", "0"),
    _row("surface_radius", "surface/friction/torsional/surface_radius", "0"),
    _row("torsional_slip", "surface/friction/torsional/ode/slip", "0"),
)
SPLIT_DEPTH = "surface/contact/bullet/split_impulse_penetration_threshold"
OF_BULLET = (
    _row("bullet_mu1", "surface/friction/bullet/friction", "1"),
    _row("bullet_mu2", "surface/friction/bullet/friction2", "1"),
    _row("bullet_direction1", "surface/friction/bullet/fdir1", "0 0 0"),
    _row("bullet_rolling", "surface/friction/bullet/rolling_friction", "1"),
    _row("bullet_stiffness", "surface/contact/bullet/kp", "1e12"),
    _row("bullet_damping", "surface/contact/bullet/kd", "1"),
    _row("bullet_cfm", "surface/contact/bullet/soft_cfm", "0"),
    _row("bullet_erp", "surface/contact/bullet/soft_erp", "0.2"),
    _flag("split_impulse", "surface/contact/bullet/split_impulse", "1"),
    _row("split_impulse_depth", SPLIT_DEPTH, "-0.01"),
)
OF_GROUPS = (
    _flag("touches_without_force", "surface/contact/collide_without_contact", "0"),
    _row("touch_bits", "surface/contact/collide_without_contact_bitmask", "1"),
    _row("collision_bits", "surface/contact/collide_bitmask", "65535"),
    # Where none is written, it is the value of `<collide_bitmask>`.
    _row("category_bits", "surface/contact/category_bitmask", ""),
)
OF_MATERIAL = (
    _row("poissons_ratio", "surface/contact/poissons_ratio", "0.3"),
    _row("elastic_modulus", "surface/contact/elastic_modulus", "-1"),
    # Only a link with `<dart>` is soft, so its defaults are not what a link without it has.
    _row("soft_attachment", "surface/soft_contact/dart/bone_attachment", ""),
    _row("soft_stiffness", "surface/soft_contact/dart/stiffness", ""),
    _row("soft_damping", "surface/soft_contact/dart/damping", ""),
    _row("soft_flesh", "surface/soft_contact/dart/flesh_mass_fraction", ""),
)
# The only direction that `gz:expressed_in` lets lie along the axes of a link (surface.sdf).
LINK_DIRECTION = "direction1"
CONTACT_VALUES: Tuple[ContactValue, ...] = (
    *WITH_TAG,
    *OF_ODE,
    *TORSIONAL,
    *OF_BULLET,
    *OF_GROUPS,
    *OF_MATERIAL,
)


def contact_names(key: str, value: str) -> Dict[str, str]:
    """Return a dictionary from one column of CONTACT_VALUES to another, such as from `tag` to `field`."""
    rows = [row._asdict() for row in CONTACT_VALUES]
    return {row[key]: row[value] for row in rows if row[key] and row[value]}


# ==== urdf_tools/facts/robot_values.py ====
# A value outside links and joints that depends on a frame or a sign: its kind, its places, and its link; and the names
# of tags and parameters that simulators and drivers read, with their purposes.

# In plugins of Gazebo: names of links, the body in whose frame a plugin works, and names that are looked up in TF.
OWN_BODY = ("bodyName", "body_name", "linkName", "link_name")
BODY_TAGS = (*OWN_BODY, "link", "body", "gripper_link", "palm_link", "parent", "child")
FRAME_TAGS = (
    "frameName",
    "frame_name",
    "frameId",
    "frame_id",
    "gz_frame_id",
    "ignition_frame_id",
    "frame",
    "base_link",
    "base_frame",
    "child_frame",
    "robotBaseFrame",
    "robot_base_frame",
)
# The names of ROS 1, and the names of ROS 2.
OFFSETS = (("bodyName", "xyzOffset", "rpyOffset"), ("body_name", "xyz_offset", "rpy_offset"))
# The children that an element may be given.
MADE = (
    "origin",
    "pose",
    "offset",
    "springReference",
    *chain.from_iterable(names for _, *names in OFFSETS),
)
# The name that gz gives a collision without one.
COLLISION_NAME = r"(?:.*(_lump__))?(.+?)_collision(?:_([0-9]+))?"
# Ends of names of interfaces whose values have the joint's sign.
DIRECTED = ("position", "velocity", "acceleration", "effort", "torque", "force")
# Words in the names of tags that close a loop, or connect two links in any other way.
LOOP_WORDS = ("loop", "constraint", "closure", "bushing", "spring_damper")
# Attributes of SDF that name the frame of a pose or direction.
FRAME_KEYS = ("relative_to", "attached_to", "expressed_in")


def is_frame_of_direction(key: str) -> bool:
    """Return True for an attribute of SDF that names the frame of a direction, such as `gz:expressed_in` of `<fdir1>`."""
    return key.rpartition(":")[2] == "expressed_in"


READ_ORIGIN = (  # (top-level tag, element in it) whose reader looks for an <origin>, or for xyz and rpy on it
    ("loop", "predecessor"),
    ("loop", "successor"),  # URDF+, arXiv:2411.19753
    ("loop_joint", "link1"),
    ("loop_joint", "link2"),  # Drake before 2017, and the exporters that followed it
    ("frame", "frame"),
)  # Drake: xyz and rpy; onshape-to-robot: <origin>
# Tags of plugins with values in the frame of the plugin's body.
PLUGIN_VECTORS = ("axis", "direction", "gravity", "forward", "upward", "normal")
PLUGIN_POINTS = ("cp", "center_of_volume")
READ_OFFSETS = "(?i)p3d|imu"  # files of plugins that read them: gazebo_ros_p3d, _imu, _imu_sensor
# The new role of each parameter when the sign changes.
RANGE_OF = {"min": "max", "max": "min", "initial_value": "initial_value"}
COEFFICIENT = (
    "[xyzkmn](Dot)?[UVWPQR](abs)?[UVWPQR]?"  # of gz hydrodynamics, along the axes of its body
)
# Tags in a joint whose values are magnitudes.
WITHOUT_SIGN = ("joint_properties", "drake:rotor_inertia", "drake:gear_ratio")
# Tags in <gazebo> with names of their own.
NAMED_ITSELF = ("sensor", "plugin", "light", "projector", "joint", "gripper", "visual", "collision")
MIMIC_PARAMETERS = ("mimic", "multiplier", "offset")  # of ros2_control
# Elements of ros2_control, besides its <hardware>.
PARTS_OF_CONTROL = ("joint", "sensor", "gpio", "transmission")
REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")  # in transmissions of ROS 1 and ROS 2
SIMULATORS = (  # packages whose hardware is simulated and counts as the URDF does: https://control.ros.org, Simulators
    "mock_components",
    "fake_components",
    "gz_ros2_control",
    "ign_ros2_control",
    "gazebo_ros2_control",
    "mujoco_ros2_control",
    "webots_ros2_control",
    "isaac_ros2_control",
    "topic_based_ros2_control",
    "joint_state_topic_hardware_interface",
    "agx_ros2_control",
)


# A pose in a frame, as:
POSE = "pose"  # six numbers
ORIGIN = "origin"  # xyz and rpy
OFFSET_POSE = "offsets"  # two children
# A vector along the axes of a frame:
DIRECTION = "direction"
# In a way that cannot follow:
AXES = "axes"  # expressed along the axes of a frame
FRAME_POSE = "frame"  # or in that frame
# With the signs and zeros of joints:
SIGNED = "number"  # one number
RANGE = "range"  # the parameters of a range
# A name:
LINK = "link"  # of a body
FRAME = "frame name"  # of a frame that is looked up
COLLISION = "collision"  # of a shape

# An element, and its attribute, "" for its text, "<name>" for a child that may be made.
Place = Tuple[Element, str]


class RobotFacts(Record):
    """The parts of a robot that the rules read.

    Attributes:
        element, root: `<robot>`, and its root link.
        links: the names of links.
        child_of: child links by joint name.
        extras: by link, the elements in it that URDF does not define.
    """

    element: Element
    root: str
    links: Collection[str]
    child_of: Mapping[str, str]
    extras: Mapping[str, Sequence[Element]]

    def link_of(self, frame: str) -> str:
        """Return the link whose frame an SDF name means, else ""; a joint has the frame of its child."""
        if frame == "__model__":
            return self.root
        return frame if frame in self.links else self.child_of.get(frame, "")


class FrameDependentValue(Record):
    """A value that depends on a frame or a sign, with its places in the file.

    Attributes:
        element: the element that messages name.
        kind: one of the kinds above.
        link: the link in whose frame it is expressed, or whose name it is; "": none.
        places: the places where it is written; (): its reader uses a default.
        signs: groups of joints. It changes its sign with each group, whose joints must all change theirs, or none;
            together with a group without joints it cannot follow.
        zeros: joints whose zeros are subtracted from it first.
        terms: joints whose zeros, each times the number in a place (None: 1), are added first.
        warning: given if it cannot follow; its sentence contains the element, the link, and how to keep the link's
            frame.
    """

    element: Element
    kind: str
    link: str = ""
    places: Tuple[Place, ...] = ()
    signs: Tuple[Texts, ...] = ()
    zeros: Texts = ()
    terms: Tuple[Tuple[str, Optional[Place]], ...] = ()
    warning: Optional[Tuple[DiagnosticKind, str]] = None


def posed_itself(element: Element) -> bool:
    """Return True if xyz or rpy are on the element, and not on an `<origin>` in it."""
    return any(element.get(key) is not None for key in ORIGIN_KEYS)


def value_place(element: Element) -> str:
    """Return the place of a simulator tag's value: "value", or "" for the text."""
    return "value" if element.get("value") is not None else ""


def child_text(top: Element, name: str) -> str:
    """Return the text of the first child of a name, "" without one."""
    child = top.find(name)
    return child.text().strip() if child is not None else ""


def origin_value(
    element: Element, link: str, *, plain: bool = False, read: bool = True
) -> FrameDependentValue:
    """Return the pose that an `<origin>`, or xyz and rpy on the element itself, give it in a link.

    If both are missing, a place is made if they are `read`: an `<origin>`, or attributes of the element if it is
    `plain`.
    """
    origin = element.find("origin")
    holder = element if origin is None and (plain or posed_itself(element)) else origin
    if holder is None and not read:
        return FrameDependentValue(element, FRAME_POSE, link, warning=(LOOP_FRAME, "pose"))
    places = (
        [(holder, key) for key in ORIGIN_KEYS] if holder is not None else [(element, "<origin>")]
    )
    return FrameDependentValue(element, ORIGIN, link, tuple(places))


def pose_value(element: Element, link: str) -> FrameDependentValue:
    """Return the value of the `<pose>` in an element; a missing pose counts as zero."""
    pose = element.find("pose")
    place = (element, "<pose>") if pose is None else (pose, "")
    return FrameDependentValue(element, POSE, link, (place,))


def signed_value(element: Element, *signs: Texts, of: Element) -> FrameDependentValue:
    """Return a number in an element: in its `value`, else in its text."""
    return FrameDependentValue(
        element=of, kind=SIGNED, link="", places=((element, value_place(element)),), signs=signs
    )


def child_place(top: Element, name: str) -> Place:
    """Return the place of the value of the first child of a name, or of the child that would be made."""
    child = top.find(name)
    return (child, value_place(child)) if child is not None else (top, f"<{name}>")


def name_value(element: Element, key: str, link: str) -> FrameDependentValue:
    """Return the value of an attribute that names a link."""
    return FrameDependentValue(element, LINK, link, ((element, key),))


# ==== urdf_tools/facts/simulator_values.py ====
# The values that simulators read for a whole link: contact, gravity, color; which of several values counts, and for
# what.
#
# Sources: sdformat src/parser_urdf.cc for `<gazebo>`; bullet3 examples/Importers/ImportURDFDemo/UrdfParser.cpp for
# `<contact>`. `contact_values.py` has the values of a collision in SDF.

CONTACT = "contact"  # read for collisions
BODY = "body"  # read for the mass
COLOR = "color"  # read for visuals
DEFAULTS = {  # the value where none is written ("": it varies)
    **{row.key: row.default for row in CONTACT_VALUES},
    # sdformat sdf/1.9/surface.sdf, link.sdf and visual.sdf; names as in URDF, lower case, without "_"
    **{row.tag.lower(): row.default for row in CONTACT_VALUES if row.tag},
    "mu": "1",
    "softcfm": "0",
    "softerp": "0.2",
    "selfcollide": "false",
    "collision": "",
    "turngravityoff": "false",
    "gravity": "true",
    "dampingfactor": "0",
    "velocitydecay": "",
    "enablewind": "false",
    "kinematic": "false",
    "material": "",
    "visual": "",
    # bullet3 examples/Importers/ImportURDFDemo/URDFJointTypes.h, the constructor of URDFLinkContactInfo
    "lateral_friction": "0.5",
    "rolling_friction": "0",
    "spinning_friction": "0",
    "restitution": "0",
    "inertia_scaling": "1",
    "contact_cfm": "0",
    "contact_erp": "0",
}
READ_FOR = {  # the purpose of a value, if it is not contact
    "turngravityoff": BODY,
    "gravity": BODY,
    "dampingfactor": BODY,
    "velocitydecay": BODY,
    "enablewind": BODY,
    "kinematic": BODY,
    "material": COLOR,
    "visual": COLOR,
}
# Tags that sdformat knows in a <gazebo>, and writes in the place of earlier values. For any other tag the first counts.
OVERWRITTEN = (
    "mu1",
    "mu2",
    "fdir1",
    "kp",
    "kd",
    "minDepth",
    "maxVel",
    "maxContacts",
    "laserRetro",
    "material",
    "selfCollide",
    "turnGravityOff",
)
# sdformat writes these itself, before it copies all other tags of a block.
WRITTEN_BY_SDFORMAT = (*OVERWRITTEN, "dampingFactor")
# Siblings of `<surface>` in SDF's `<collision>`; if there are several elements, an earlier value may count. The tag of a
# `<gazebo>` that sets the same value has the name without "_".
BESIDE_SURFACE = ("max_contacts", "laser_retro")
# In <collision> and <visual> a later one takes the place of the first.
REPLACED = ("surface", "material")
# The names in SDF of values for all links that fixed joints hold together: sdformat makes one link of them.
OF_WHOLE_BODY = {
    "turnGravityOff": "gravity",
    "gravity": "gravity",
    "selfCollide": "self_collide",
    "self_collide": "self_collide",
    "dampingFactor": "velocity_decay",
    "velocity_decay": "velocity_decay",
    "enable_wind": "enable_wind",
    "kinematic": "kinematic",
}
POSED_IN_LINK = ("sensor", "light", "projector")
WITHOUT_POSE = ("contact", "force_torque")  # sensor types that measure in the link or joint itself
POSED_IN_MODEL = ("frame", "link", "model", "include")  # in a <gazebo> without reference
# Truth values in `<gazebo>`: src/parser_urdf.cc.
TRUE = ("true", "yes", "1")
FALSE = ("false", "no", "0")
SDF_TRUE = ("true", "1")  # in elements of SDF itself, src/Param.cc
# Marks of a fixed joint that stays in a simulator which lumps the links on others: tags in its <gazebo>, attributes.
HELD_FIXED = ("preserveFixedJoint", "disableFixedJointLumping")  # sdformat src/parser_urdf.cc
KEEP_FLAGS = (*HELD_FIXED, "provideFeedback")  # the same; feedback needs a separate joint
# Isaac Gym, collapse_fixed_joints; Isaac Sim, UrdfJoint::dontCollapse.
KEEP_ATTRIBUTES = ("dont_collapse",)
# In the <gazebo> of a link or joint: tags without pose and sign, or with another rule.
SURFACE = (*WRITTEN_BY_SDFORMAT, "self_collide", "gravity")
OF_JOINT_IN_GAZEBO = (
    *KEEP_FLAGS,
    "springReference",
    "springStiffness",
    "stopCfm",
    "stopErp",
    "stopKp",
    "stopKd",
    "fudgeFactor",
    "cfmDamping",
    "implicitSpringDamper",
)  # without a sign, or a value that follows
WITHOUT_FRAME = (
    "visual",
    "collision",
    "plugin",
    "kinematic",
    "enable_wind",
    "velocity_decay",
    "mu",
)

Meaning = Tuple[Any, ...]


class LumpedLink(Record):
    """The link that sdformat lumps a link into, and the order of its values among the values of that link."""

    body: str
    order: int


def value_of(element: Element) -> str:
    """Return the value of a simulator tag: its `value`, or its text."""
    return (element.get("value") or element.text()).strip()


def key_of(tag: Element) -> str:
    """Return the name under which a value of a link is compared; "" for a tag without a value."""
    in_contact = tag.parent is not None and tag.parent.name == "contact"
    return tag.name if in_contact or tag.name.replace("_", "").lower() in DEFAULTS else ""


def default_of(key: str) -> Pair:
    """Return the purpose of a value, and its default."""
    known = key if key in DEFAULTS else key.replace("_", "").lower()
    return READ_FOR.get(known, CONTACT), DEFAULTS.get(known, "")


def values_of_links(root: Element) -> Dict[str, Dict[str, List[Element]]]:
    """Return, by link and key, all tags of its `<gazebo>` blocks and `<contact>` elements, in file order."""
    settings: Dict[str, Dict[str, List[Element]]] = {}
    blocks = [(top.get("reference") or "", top) for top in root.elements("gazebo")]
    for element in root.elements("link"):
        name = element.get("name") or ""
        blocks += [(name, contact) for contact in element.elements("contact")]
    for link, block in blocks:
        for tag in block.elements():
            key = key_of(tag)
            if key:
                settings.setdefault(link, {}).setdefault(key, []).append(tag)
    return settings


def values_by_tag(settings: Mapping[str, Sequence[Element]]) -> Dict[str, Sequence[Element]]:
    """Return the tags of a link by key, in which a value in SDF's `<collision>` is under the key of the tag that sets it.

    A value that no tag sets is under its path in SDF.
    """
    by_key: Dict[str, Sequence[Element]] = dict(settings)
    by_key.update(_tags_of_shapes(settings))
    return {key: tags for key, tags in by_key.items() if tags}


def _tags_of_shapes(settings: Mapping[str, Sequence[Element]]) -> Dict[str, List[Element]]:
    """Return, by key, the tags and the elements of SDF's `<collision>` that set each contact value of a link.

    In each block sdformat reads `<collision>` before the tags, and a `<surface>` takes the place of all that was set in
    an earlier one. A key whose values were all replaced has no tags.
    """
    collisions = settings.get("collision", ())
    are_split = _are_surfaces_known(collisions)
    rows = [row for row in CONTACT_VALUES if are_split or not _is_in_surface(row)]
    chosen: Dict[str, List[Element]] = {}
    tags = [*collisions, *chain.from_iterable(settings.get(row.tag, ()) for row in rows)]
    for tag in sorted(tags, key=_place_in_sdf) if collisions else ():
        if tag.name != "collision":
            chosen.setdefault(key_of(tag), []).append(tag)
            continue
        for part in tag.elements():
            if part.name == "surface" and are_split:
                values = _values_in(part)
                chosen.update(
                    {row.key: values.get(row.path, []) for row in rows if _is_in_surface(row)}
                )
            elif _is_beside_surface(part):
                row = next(row for row in rows if row.path == part.name)
                chosen.setdefault(row.key, []).append(part)
    return chosen


def _is_in_surface(row: ContactValue) -> bool:
    """Return True for a value that SDF has in `<surface>`, False for one beside it."""
    return row.path.startswith("surface/")


def _are_surfaces_known(collisions: Iterable[Element]) -> bool:
    """Return True if each `<surface>` in these elements holds known values only, each once, and without attributes."""
    parts = chain.from_iterable(collision.elements() for collision in collisions)
    surfaces = [part for part in parts if part.name == "surface"]
    known = {row.path for row in CONTACT_VALUES}
    return all(
        not any(element.attributes for element in surface.walk())
        and known.issuperset(_values_in(surface))
        and all(len(values) == 1 for values in _values_in(surface).values())
        for surface in surfaces
    )


def _values_in(surface: Element) -> Dict[str, List[Element]]:
    """Return the elements without content in a `<surface>`, by the path of their tags."""
    values: Dict[str, List[Element]] = {}
    for path, element in depth_first([(surface.name, surface)], _with_paths):
        is_container = any(row.path.startswith(f"{path}/") for row in CONTACT_VALUES)
        if not element.elements() and not is_container:
            values.setdefault(path, []).append(element)
    return values


def _with_paths(row: Tuple[str, Element]) -> List[Tuple[str, Element]]:
    """Return the elements in an element, with the paths of their tags."""
    path, element = row
    return [(f"{path}/{part.name}", part) for part in element.elements()]


def _is_beside_surface(part: Element) -> bool:
    """Return True for an element of SDF's `<collision>` that sets the value of a tag."""
    return part.name in BESIDE_SURFACE and not part.attributes and not part.elements()


def _place_in_sdf(tag: Element) -> Tuple[int, bool, int]:
    """Return a key to sort tags as they count: by block, and in a block the tags after the content of `<collision>`."""
    block = 0 if tag.parent is None else tag.parent.offset
    return (block, tag.name != "collision", tag.offset)


def counting(tags: Sequence[Element]) -> Element:
    """Return the tag that counts among several tags for the same value.

    sdformat uses the last of a tag that it knows in a block; it replaces the first value so far, but is appended after
    all others. As a result the first counts.
    """
    last = {(id(tag.parent), tag.name): tag for tag in tags if tag.name in WRITTEN_BY_SDFORMAT}
    kept: List[Element] = []
    for tag in tags:
        if last.get((id(tag.parent), tag.name), tag) is tag:
            kept = [*kept[tag.name in OVERWRITTEN :], tag]
    return kept[0]


def meaning(key: str, tags: Sequence[Element], instead: Mapping[int, Element] = {}) -> Meaning:
    """Return the value of a key: numbers, words, or all in a block; without a tag the default.

    What `values_by_tag` takes out of a `<collision>` is not a part of the value of this block. `instead` has, by the
    offset of an element in a block, the element that is read in its place.
    """
    are_split = _are_surfaces_known(tags) if key == "collision" else False
    if key not in ("collision", "visual"):
        text = value_of(counting(tags)) if tags else default_of(key)[1]
        return _read(text, _size_of(key))
    parts: Dict[str, Element] = {}
    for part in chain.from_iterable(tag.elements() for tag in tags):
        is_taken_out = _is_beside_surface(part) or are_split and part.name == "surface"
        if key == "collision" and is_taken_out:
            continue
        if part.name in REPLACED or part.name not in parts:
            parts[part.name] = part
    return tuple(content(parts[name], instead) for name in sorted(parts))


def content(top: Element, instead: Mapping[int, Element] = {}) -> Meaning:
    """Return the values and attributes of an element and of its content; `instead` is as in `meaning`."""
    return tuple(
        (
            element.name,
            *_read(value_of(element), _size_of(element.name)),
            *sorted(item for item in element.attributes.items() if item[0] != "value"),
        )
        for element in (instead.get(part.offset, part) for part in top.walk())
    )


def _size_of(name: str) -> int:
    """Return the count of numbers of a tag or a path: `fdir1`, the direction of friction, is the only vector."""
    return 3 if name.rpartition("/")[2] == "fdir1" else 1


def _read(text: str, count: int) -> Meaning:
    """Return the numbers of a text, with truth values as 1 and 0; a text with a different count stays a text."""
    word = text.lower()
    if word in TRUE:
        return numbers_in("1", count) or (text,)
    if word in FALSE:
        return numbers_in("0", count) or (text,)
    return numbers_in(text, count) or (text,)


def lumped_links(
    root: Element, locked: Collection[str] = (), gone: Collection[str] = ()
) -> Dict[str, LumpedLink]:
    """Return, by link, the link that sdformat lumps it into: across fixed joints, not of the world, and not held fixed.

    Joints above links that are `locked` count as fixed, and links that are `gone` have no joints.

    The values of a link come before the values of the links that are lumped into it, which are ordered by the names of
    their joints.
    """
    lumping = _lumping_joints(root, locked, gone)
    # By link: its body, and its way, a number for the joints that lead from the body to the link.
    lumped: Dict[str, Tuple[str, int]] = {}
    # By the way to the parent, and the joint of the child.
    ways: Dict[Tuple[int, str], int] = {}
    for link in root.elements("link"):
        upward = []
        body = link.get("name") or ""
        while body in lumping and body not in lumped:
            upward.append(body)
            body = lumping[body][0]
        body, way = lumped.setdefault(body, (body, 0))
        # Each link once, from the top: a chain of thousands of fixed joints is walked once, not once a link.
        for name in reversed(upward):
            way = ways.setdefault((way, lumping[name][1]), len(ways) + 1)
            lumped[name] = (body, way)
    order = _preorder(ways)
    names = (link.get("name") or "" for link in root.elements("link"))
    return {name: LumpedLink(lumped[name][0], order[lumped[name][1]]) for name in names}


def _lumping_joints(
    root: Element, locked: Collection[str], gone: Collection[str]
) -> Dict[str, Pair]:
    """Return, by child link, the parent and the name of each joint across which sdformat lumps.

    Joints above links in `locked` count as fixed; joints at links in `gone` do not count.
    """
    kept_joints = {
        block.get("reference") for block in root.elements("gazebo") if _holds_fixed(block)
    }
    lumping: Dict[str, Pair] = {}
    for joint in root.elements("joint"):
        parent = _link_in(joint, "parent")
        child = _link_in(joint, "child")
        is_fixed = joint.get("type") == "fixed" or child in locked
        # A joint to the world fixes the model and lumps nothing.
        joins_links = parent != "world" and parent not in gone and child not in gone
        if is_fixed and joins_links and joint.get("name") not in kept_joints:
            lumping[child] = (parent, joint.get("name") or "")
    return lumping


def _holds_fixed(block: Element) -> bool:
    """Return True if a `<gazebo>` block keeps its fixed joint."""
    return any(tag.name in HELD_FIXED and value_of(tag).lower() in TRUE for tag in block.elements())


def _link_in(joint: Element, end: str) -> str:
    """Return the link that an end of a joint names, "" without one."""
    named = joint.find(end)
    return "" if named is None else named.get("link") or ""


def _preorder(ways: Mapping[Tuple[int, str], int]) -> Dict[int, int]:
    """Return the place of each way in sdformat's order: a way before its continuations, these by their joints' names."""
    longer: Dict[int, List[Tuple[str, int]]] = {}
    for (begun, joint), way in ways.items():
        longer.setdefault(begun, []).append((joint, way))
    preorder = depth_first([0], lambda way: [after for _, after in sorted(longer.get(way, ()))])
    return {way: place for place, way in enumerate(preorder)}


def values_of_bodies(root: Element, links: Dict[str, LumpedLink]) -> Dict[Pair, List[Element]]:
    """Return, by lumped link and name in SDF, the tags that set a value of the whole body, in sdformat's order."""
    settings = values_of_links(root)
    values: Dict[Pair, List[Element]] = {}
    for name in sorted(links, key=lambda name: links[name].order):
        tags: List[Element] = []
        for key, tags_of_key in settings.get(name, {}).items():
            if key in OF_WHOLE_BODY:
                tags += tags_of_key
        for tag in _as_sdformat_writes(tags):
            values.setdefault((links[name].body, OF_WHOLE_BODY[tag.name]), []).append(tag)
    return values


def _as_sdformat_writes(tags: Sequence[Element]) -> List[Element]:
    """Return the tags of a link block by block, in a block first those that sdformat writes itself."""
    by_offset = sorted(tags, key=lambda tag: tag.offset)
    # The place of each block is the place of its last tag: blocks follow each other, so that orders them, too.
    place_of_block = {id(tag.parent): place for place, tag in enumerate(by_offset)}

    def order(tag: Element) -> Tuple[int, bool, int]:
        """Return the place of a tag: its block, then whether sdformat copies it, then its place in the file."""
        is_copied = tag.name not in WRITTEN_BY_SDFORMAT
        return place_of_block[id(tag.parent)], is_copied, tag.offset

    return sorted(tags, key=order)


def body_meaning(what: str, tags: Iterable[Element]) -> Meaning:
    """Return the value for a whole body, without tags the default; Gazebo reads no value for a body without mass."""
    settings = list(tags)
    if not settings:
        return meaning(what, [])
    tag = counting(settings)
    if tag.name == "turnGravityOff":
        # 1 means gravity: every word except a no disables it.
        return (float(value_of(tag).lower() in FALSE),)
    if tag.elements():
        return content(tag)
    return meaning(tag.name, [tag])


def frame_of_pose(owner: Element, top: Element) -> str:
    """Return the frame name of the `<pose>` of an element in a `<gazebo>`, "" for any frame other than a link's.

    `__model__` is the frame of the root link, as sdformat places a model that is read from URDF.
    (http://sdformat.org/tutorials?tut=pose_frame_semantics)
    """
    if owner.parent is not top:
        return ""
    pose = owner.find("pose")
    reference = top.get("reference")
    child = owner.find("child")
    if owner.get("attached_to") or pose is not None and pose.get("relative_to"):
        return ""
    if owner.name in POSED_IN_LINK and owner.get("type") not in WITHOUT_POSE:
        return reference or ""
    if owner.name == "joint" and child is not None:
        return child.text().strip()
    return "__model__" if owner.name in POSED_IN_MODEL and not reference else ""


# ==== urdf_tools/facts/gazebo_value_rules.py ====
# The values in `<gazebo>` blocks: a rule for each kind of tag that Gazebo and its plugins read.


def values_in_gazebo(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """A block of a link, of a joint, or of the model.

    | `<gazebo>`: sensors, lights, projectors, joints, frames, links | the link is kept for a sensor; renamed
    | `<pose>` moves with its link; with `relative_to`, `attached_to` or `*:expressed_in`: warning; `<fdir1>` turns with
    the link of its `gz:expressed_in` | `springReference` |
    """
    owner = top.get("reference") or ""
    # Without `springReference` the spring pulls to zero.
    if top.find("springReference") or top.find("springStiffness"):
        yield FrameDependentValue(
            element=top,
            kind=SIGNED,
            link="",
            places=(child_place(top, "springReference"),),
            signs=((owner,),),
            zeros=(owner,),
        )
    for sensor in top.elements("sensor"):
        yield from _of_sensor(tree, sensor, owner)
    for element in top.walk():
        link = tree.link_of(frame_of_pose(element, top))
        if link:
            yield pose_value(element, link)
        for key, name in element.attributes.items():
            is_direction = element.name == "fdir1" and element.parent is not top
            if is_direction and name in tree.links and is_frame_of_direction(key):
                # The direction of friction stays along the axes of this link, also where the link moves against the
                # collision (gz-physics, SDFFeatures.cc).
                yield FrameDependentValue(element, DIRECTION, name, ((element, ""),))
                yield name_value(element, key, name)
            # Any other element that names its frame is so rare in URDF that it does not follow.
            elif key.split(":")[-1] in FRAME_KEYS:
                for link in filter(None, map(tree.link_of, name.split("::"))):
                    yield FrameDependentValue(
                        element, FRAME_POSE, link, warning=(UNREADABLE_POSE, "named")
                    )
        if element.name == "plugin":
            yield from _plugin(element, owner)
            yield from _plugin_vectors(element, owner)
        elif element.name in (*BODY_TAGS, *FRAME_TAGS):
            name = element.text().strip()
            if name in tree.links and element.name in BODY_TAGS:
                yield name_value(element, "", name)
            elif name in tree.links:
                yield FrameDependentValue(
                    element, FRAME, name, ((element, ""),), warning=(FRAME_NAME, "turns")
                )
        elif element.name == "collision" and _is_in_contact(element):
            yield FrameDependentValue(element, COLLISION, "", ((element, ""),))


def _is_in_contact(element: Element) -> bool:
    """Return True for an element in a `<contact>`, where a `<collision>` is a name."""
    return element.parent is not None and element.parent.name == "contact"


def _of_sensor(tree: RobotFacts, sensor: Element, owner: str) -> Iterator[FrameDependentValue]:
    """A sensor in a joint measures in the frame of its child; the plugin of a sensor publishes in some frame.

    If the plugin names no frame, this is the frame of the link, which may turn while the sensor does not.

    | its sensors in joints, or with a plugin that names no frame | | warning | |
    """
    child = tree.child_of.get(owner, "")
    kind = sensor.get("type")
    tags = {part.name for part in sensor.walk()}
    is_in_joint = owner not in tree.links or child != owner and kind == "force_torque"
    publishes = "plugin" in tags and kind not in WITHOUT_POSE
    if is_in_joint:
        yield FrameDependentValue(sensor, AXES, child, warning=(SENSOR_FRAME, "measures"))
    elif publishes and tags.isdisjoint(FRAME_TAGS):
        yield FrameDependentValue(sensor, AXES, owner, warning=(SENSOR_FRAME, "implied"))


def is_mimic_plugin(plugin: Element) -> bool:
    """Return True for a plugin that lets `<mimicJoint>` follow `<joint>`."""
    return all(plugin.find(name) is not None for name in ("joint", "mimicJoint", "multiplier"))


def _plugin(plugin: Element, owner: str) -> Iterator[FrameDependentValue]:
    """Yield the numbers of a mimic plugin, or the offsets that any other plugin has in the frame of its body.

    A plugin works in the frame of the body that it names, else of the link `owner`.

    | its plugins: `bodyName`, `body_name`, offsets, gripper links | renamed, moved | offsets move; without one:
    warning | mimic plugins: multiplier, offset |
    """
    if is_mimic_plugin(plugin):
        yield from _mimic_numbers(plugin)
        return
    body = _body_of(plugin, owner)
    ros_1, ros_2 = OFFSETS
    _, *offsets = ros_2 if any(map(plugin.find, ros_2)) else ros_1
    has_offsets = any(map(plugin.find, offsets))
    names_body = any(part.name in OWN_BODY for part in plugin.elements())
    # Points and vectors get warnings of their own, in `_plugin_vectors`.
    tags = {part.name for part in plugin.walk()}
    is_about_body = names_body and tags.isdisjoint((*PLUGIN_POINTS, *PLUGIN_VECTORS))
    # A plugin that reads offsets but has none can be given offsets, if it names its body as such a plugin does.
    is_reader = bool(re.search(READ_OFFSETS, plugin.get("filename") or ""))
    can_be_given = is_reader and any(plugin.find(name) for name, *_ in OFFSETS)
    if has_offsets or (is_about_body and can_be_given):
        places = tuple(child_place(plugin, name) for name in offsets)
        yield FrameDependentValue(plugin, OFFSET_POSE, body, places)
    elif is_about_body:
        yield FrameDependentValue(plugin, FRAME_POSE, body, warning=(PLUGIN_BODY, "offset"))


def _mimic_numbers(plugin: Element) -> Iterator[FrameDependentValue]:
    """Yield the multiplier and the offset of a mimic plugin, which depend on the signs and zeros of its two joints.

    From q_follower = multiplier * q_leader + offset: the multiplier changes its sign with each joint, and the offset with
    the follower. A zero of the leader, times the multiplier, is added to the offset, and a zero of the follower is
    subtracted.
    """
    leader = child_text(plugin, "joint")
    follower = child_text(plugin, "mimicJoint")
    multiplier = child_place(plugin, "multiplier")
    yield FrameDependentValue(
        element=plugin,
        kind=SIGNED,
        link="",
        places=(multiplier,),
        signs=((leader,), (follower,)),
    )
    yield FrameDependentValue(
        element=plugin,
        kind=SIGNED,
        link="",
        places=(child_place(plugin, "offset"),),
        signs=((follower,),),
        zeros=(follower,),
        terms=((leader, multiplier),),
    )


def _plugin_vectors(plugin: Element, owner: str) -> Iterator[FrameDependentValue]:
    """Yield the points, vectors and coefficients of a plugin, each with a warning, as none of them can follow a frame.

    A point or vector is in the frame of the `<link name>` around it, else in the frame of the plugin's body, as the
    coefficients are. Three numbers make a point or a vector; other texts under these tags have other meanings. A mimic
    plugin has none.

    | other points, vectors and coefficients of plugins | warning | warning | |
    """
    if is_mimic_plugin(plugin):
        return
    body = _body_of(plugin, owner)
    for element in plugin.walk():
        link = _link_around(element, plugin) or body
        if element.name in PLUGIN_POINTS and numbers_in(element.text(), 3):
            yield FrameDependentValue(element, FRAME_POSE, link, warning=(PLUGIN_VECTOR, "point"))
        elif element.name in PLUGIN_VECTORS and numbers_in(element.text(), 3):
            yield FrameDependentValue(element, AXES, link, warning=(PLUGIN_VECTOR, "vector"))
    # One warning covers all coefficients.
    if any(re.fullmatch(COEFFICIENT, element.name) for element in plugin.walk()):
        yield FrameDependentValue(plugin, AXES, body, warning=(PLUGIN_VECTOR, "coefficients"))


def _link_around(element: Element, plugin: Element) -> str:
    """Return the name of the nearest `<link name>` around an element of a plugin, "" without one."""
    for ancestor in takewhile(lambda above: above is not plugin, element.upward()):
        if ancestor.name == "link" and ancestor.get("name"):
            return ancestor.get("name") or ""
    return ""


def _body_of(plugin: Element, owner: str) -> str:
    """Return the body in whose frame a plugin works."""
    return next((part.text().strip() for part in plugin.elements() if part.name in OWN_BODY), owner)


# ==== urdf_tools/facts/frame_dependent_values.py ====
# Every value outside links and joints that depends on a frame or sign: a rule for each tag, for plan and proof.
#
# The plan updates each value (`plan/update_values.py`), the proof looks each up in the result (`verify/verify_world_values.py`),
# with independent arithmetic; neither contains names of tags. A new tag is a row of `RULES`, and a test that shows it.


def values_in(tree: RobotFacts) -> Iterator[FrameDependentValue]:
    """Yield every value, in the order of the file, those inside links first."""
    for link, extras in tree.extras.items():
        for element in extras:
            yield from _in_link(element, link)
    for top in tree.element.elements():
        if top.name in RULES:
            yield from RULES[top.name](tree, top)
        elif is_loop(top):
            yield from _loop(tree, top)


def is_known(top: Element) -> bool:
    """Return True if there is a rule for an element of the robot."""
    return top.name in RULES or is_loop(top)


def is_loop(top: Element) -> bool:
    """Return True for an element that closes a loop: exporters have many names for it."""
    return top.name not in RULES and any(word in top.name.lower() for word in LOOP_WORDS)


def _in_link(element: Element, link: str) -> Iterator[FrameDependentValue]:
    """Any element with a pose in a link; a pose in a foreign frame is left unchanged.

    | `<frame>`, `<sensor>` and others with a pose in a link | move along | origin or `<pose>` moves; of others, with
    another number: warning | |
    """
    pose = element.find("pose")
    if pose is None and (
        element.name in ("frame", "sensor") or posed_itself(element) or element.find("origin")
    ):
        yield origin_value(element, link, plain=element.name == "frame")
    elif pose is not None and not pose.get("relative_to"):
        yield pose_value(element, link)


def _sensor(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """A sensor of the robot, in a link or a joint.

    | top-level `<sensor>` | renamed | origin moves; with `quat_xyzw`: warning | |
    """
    parent = top.find("parent")
    if parent is not None:
        link = parent.get("link") or ""
        if link in tree.links:
            yield name_value(parent, "link", link)
        yield origin_value(top, link or tree.child_of.get(parent.get("joint") or "", ""))


def _loop(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """Frames, loop joints, constraints: whatever names a link, and has a pose in addition to the name.

    An axis there is relative to that pose, so it stays as it is.

    | top-level `<frame>`, loops, constraints, springs, bushings | the link is kept for a loop; renamed | origin moves; without
    one, and where none is read: warning | warning |
    """
    plain = top.name == "frame" or any(
        posed_itself(e) for e in top.walk() if e.name not in ("origin", "axis")
    )
    for element in top.walk():
        for key in ("link", "body", "reference", "name"):
            link = element.get(key) or ""
            if link in tree.links and (
                key != "name" or element is not top and "joint" not in element.name.lower()
            ):
                yield name_value(element, key, link)
                yield origin_value(
                    element, link, plain=plain, read=(top.name, element.name) in READ_ORIGIN
                )
        if element.text().strip() in tree.links:
            yield FrameDependentValue(
                element, FRAME_POSE, element.text().strip(), warning=(LOOP_FRAME, "text")
            )


def _ros2_control(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """Ranges, initial values and mimic parameters of joints, frames of sensors. (https://control.ros.org)

    | `<ros2_control>` | the link is kept | frame of a sensor: warning | min, max, initial value, mimic; hardware that
    is no simulator: warning |
    """
    for part in top.walk():
        link = part.text().strip() if part.name == "param" else ""
        if link in tree.links and part.parent is not None and part.parent.name != "joint":
            yield FrameDependentValue(part, AXES, link, warning=(SENSOR_FRAME, "parameter"))
    for joint in top.elements("joint"):
        group = (joint.get("name") or "",)
        yield from _mimic_in_control(joint, group)
        for interface in joint.elements():
            yield from _range_in_control(interface, group)
    for transmission in top.elements("transmission"):
        yield from _transmission(tree, transmission)


def _range_in_control(interface: Element, group: Tuple[str]) -> Iterator[FrameDependentValue]:
    """Yield the range and the initial value of an interface that counts in the direction of its joint."""
    name = interface.get("name") or ""
    is_directed = name.endswith(DIRECTED)
    if interface.name not in ("command_interface", "state_interface") or not is_directed:
        return
    # If two parameters have the same name, the last counts.
    parameters = {p.get("name"): p for p in interface.elements("param")}
    places: List[Place] = []
    for name_of_parameter, parameter in parameters.items():
        if name_of_parameter in RANGE_OF:
            places += [(parameter, ""), (parameter, "name")]
    zeros = group if name.endswith("position") else ()
    if places:
        yield FrameDependentValue(
            element=interface,
            kind=RANGE,
            link="",
            places=tuple(places),
            signs=(group,),
            zeros=zeros,
        )


def _mimic_in_control(joint: Element, group: Tuple[str]) -> Iterator[FrameDependentValue]:
    """Yield multiplier and offset of a joint that follows a joint by its parameters."""
    parameters = {p.get("name"): p for p in joint.elements("param")}
    if "mimic" not in parameters:
        return
    multiplier = parameters.get("multiplier")
    offset = parameters.get("offset")
    leader = (parameters["mimic"].text().strip(),)
    # A follower that changes its sign needs the opposite multiplier; without a parameter for it, the multiplier cannot
    # be written, so the follower gets a warning.
    if multiplier is None:
        factor = None
        yield FrameDependentValue(
            joint, SIGNED, signs=(group, leader), warning=(FLIPPED_JOINT, "multiplier")
        )
    else:
        factor = (multiplier, value_place(multiplier))
        yield signed_value(multiplier, group, leader, of=joint)
    value = FrameDependentValue(joint, SIGNED, warning=(MOVED_ZERO, "offset"))
    if offset is not None:
        value = signed_value(offset, group, of=joint)
    yield value._replace(zeros=group, terms=((leader[0], factor),))


def _transmission(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """The offset of a joint: its position is the actuator's position / reduction + offset. (transmission_interface)

    If the sign changes, reduction and offset change together, or the actuator's sign changes: a warning gives the numbers.

    | `<transmission>` | dropped with its joint | | offset, by a zero; with the other sign a warning: reduction and
    offset, with the numbers to write |
    """
    for joint in top.elements("joint"):
        group = (joint.get("name") or "",)
        yield FrameDependentValue(
            element=joint,
            kind=SIGNED,
            link="",
            places=(child_place(joint, "offset"),),
            signs=(group, ()),
            zeros=group,
        )


def joints_named_in(top: Element) -> List[str]:
    """Return the joints that the tags of an element name, each once; for a transmission, the joints that it drives."""
    names = (
        element.get("name") or element.get("joint") or element.text().strip()
        for element in top.walk()
        if element.name.lower().endswith("joint")
    )
    return list(dict.fromkeys(names))


def _filter(tree: RobotFacts, top: Element) -> Iterator[FrameDependentValue]:
    """The members of a collision filter group.

    | `<drake:collision_filter_group>` | renamed; a filter that becomes wider: warning | | |
    """
    for element in top.walk():
        if element.get("link") in tree.links:
            yield name_value(element, "link", element.get("link") or "")


RULES: Dict[str, Callable[[RobotFacts, Element], Iterator[FrameDependentValue]]] = {
    "gazebo": values_in_gazebo,
    "sensor": _sensor,
    "frame": _loop,
    "ros2_control": _ros2_control,
    "drake:collision_filter_group": _filter,
    "transmission": _transmission,
}


# ==== urdf_tools/plan/name_words.py ====
# Words in names: the axis that a joint name implies, motor hardware, hands, cameras, left and right.

WORD = re.compile(r"([^\W\d_]+)")
# Capitals before a capitalized word are a separate word: `TCPFrame` is TCP and Frame.
CAMEL_CASE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z]+")

# The first of these words that occurs in a name decides.
AXIS_WORDS = {"pitch": 1, "knee": 1, "elbow": 1, "roll": 0, "yaw": 2}
AXIS_LETTERS = "XYZ"

HARDWARE = ("rotor", "stator", "bearing", "nut", "spacer")
STRUCTURE = ("house", "housing", "holder", "mount", "bracket", "cover", "plate", "case", "support")
HAND = ("finger", "fingertip", "knuckle", "jaw", "pad", "thumb", "gripper", "hand", "claw", "palm")
FOOT = ("foot", "feet", "ankle", "toe")
LEG = ("leg", "thigh", "shin", "shank", "calf", "knee", "ankle", "foot", "feet", "toe")
CAMERA_OR_HEAD = ("camera", "head")
TOOL = ("tool", "tcp")
WHEEL = ("wheel",)
# Wheels that swivel, that a hand turns, or that do not roll on the ground: their axles may point anywhere.
NO_AXLE = ("caster", "castor", "steering", "reaction", "gear")

# Pairs of l and r with front, rear, back, hind or middle, in either order.
SIDES = {
    "left": "right",
    "l": "r",
    "fl": "fr",
    "rl": "rr",
    "bl": "br",
    "hl": "hr",
    "ml": "mr",
    "lf": "rf",
    "lh": "rh",
    "lb": "rb",
    "lm": "rm",
    "lr": "rr",
}
# Reversed, so that the first entry wins: `rr` mirrors both `rl` and `lr`, and `rl` is taken.
MIRRORED = {**{right: left for left, right in reversed(SIDES.items())}, **SIDES}
# Beside first finger, middle finger and thumb, these are the little finger and the ring finger.
FINGERS = ("ff", "mf", "th")
RING = ("lf", "rf")


# A run splits most names several times.
@lru_cache(maxsize=65536)
def words_of(name: str) -> Texts:
    """Return the words of a name in lower case, split at all characters that are not letters, and at camelCase."""
    parts = chain.from_iterable(map(CAMEL_CASE.findall, WORD.findall(name)))
    return tuple(map(str.lower, parts))


class AxisFromName(Record):
    """The axis that a name implies: 0, 1, 2 for X, Y, Z; `others` are words of the name for other axes."""

    axis: int
    word: str
    others: Texts


def axis_class(name: str, added: Mapping[str, int]) -> Optional[AxisFromName]:
    """Return the axis that the words of a joint name imply; the user's words come before the built-in words."""
    words = words_of(name)
    # `added` is first for the order, and last for the values.
    table = {**added, **AXIS_WORDS, **added}
    hits = [word for word in table if word in words]
    if not hits:
        return None
    axis = table[hits[0]]
    return AxisFromName(axis, hits[0], tuple(word for word in hits[1:] if table[word] != axis))


def word_among(known: Texts, name: str) -> Optional[str]:
    """Return the word of a name that is among the known words (`rotors_x8`: rotor), plurals included."""
    for word in words_of(name):
        if word in known:
            return word
        if word[-1:] == "s" and word[:-1] in known:
            return word[:-1]
    return None


def hidden_hardware(stem: str) -> Optional[str]:
    """Return a hardware word that is only part of a word (`nutcracker`: nut): a near miss that is reported."""
    for word in words_of(stem):
        for hardware in HARDWARE:
            if hardware in word and word not in (hardware, hardware + "s"):
                return hardware
    return None


def left_right_pairs(names: List[str]) -> List[Pair]:
    """Return the pairs (left, right) of names that differ in words such as left/right, l/r, fl/fr, lh/rh.

    All side words of a name change together, as in `left_finger_right` and `right_finger_left`. If no name is mirrored
    in this way, a single side word may change.
    """
    return list(_pairs_of(tuple(names)))


# A run pairs the same names several times.
@lru_cache(maxsize=16)
def _pairs_of(names: Texts) -> List[Pair]:
    """Return the pairs of mirrored names in the order of `names`, as a cached list that callers must not change."""
    by_words: Dict[Texts, str] = {}
    for name in names:
        by_words.setdefault(_words_and_separators(name), name)
    hand = any(word in FINGERS for word in chain.from_iterable(by_words))
    sides = {words: _sides_in(words, hand=hand) for words in by_words}
    # All side words at once come first; a single side word is tried only for names without a mirrored name.
    tries = [(words, places) for words, places in sides.items() if places]
    for words, places in [*tries]:
        tries += [(words, [place]) for place in places]
    pairs: Dict[str, str] = {}
    paired: Set[str] = set()
    for words, turned in tries:
        if words[turned[0]] not in SIDES:
            continue
        mirrored = list(words)
        for place in turned:
            mirrored[place] = MIRRORED[words[place]]
        name = by_words[words]
        other = by_words.get(tuple(mirrored))
        if other is not None and paired.isdisjoint((name, other)):
            pairs[name] = other
            paired.update((name, other))
    return [(name, pairs[name]) for name in by_words.values() if name in pairs]


def _sides_in(words: Texts, *, hand: bool) -> List[int]:
    """Return the indices of the side words; in a hand, `lf` and `rf` are fingers."""
    sides = [i for i, word in enumerate(words) if word in MIRRORED]
    others = [i for i in sides if words[i] not in RING]
    return others if hand or others else sides


def _words_and_separators(name: str) -> Texts:
    """Return the words of a name in lower case, and the text between them.

    With that text, `hip_left_1` pairs with `hip_right_1` and not with `hip_right_2`.
    """
    parts: List[str] = []
    for i, piece in enumerate(WORD.split(name)):
        is_word = i % 2 == 1  # words and separators alternate
        parts += map(str.lower, CAMEL_CASE.findall(piece)) if is_word else [piece]
    return tuple(parts)


# ==== urdf_tools/plan/up_and_forward_evidence.py ====
# Evidence for the axis that points up (legs, wheels, joints named yaw, pairs) and the axis that points forward.
#
# Evidence for forward: left/right pairs, names of joints, axles of wheels, feet, cameras, the reach of an arm.
#
# The README.md of this folder lists how often each kind is right.

FORWARDS: Dict[str, Texts] = {axis: (axis,) for axis in ("+X", "+Y", "-Y", "-X")}
# The forward axes for a left axis: forward is a quarter turn to its right. A line without a sign allows both ends.
FORWARDS_BY_LEFT: Dict[str, Texts] = {
    "+Y": ("+X",),
    "-X": ("+Y",),
    "+X": ("-Y",),
    "-Y": ("-X",),
    "Y": ("+X", "-X"),
    "X": ("+Y", "-Y"),
}
NAMES = "joint{s} named pitch, knee, elbow or roll"
PAIRS = "left/right pair{s}"
FAR = "left/right pair{s} far out"
WHEELS = "axle{s} of wheels"
OPTICAL = "optical frame{s}"
CAMERAS = "frame{s} of a camera or head"
FEET = "offset{s} of a foot from its ankle"
IMUS = "frame{s} of an IMU"
REACH = "reach of an arm"
COMMENT = "comment of Onshape"
FAINT = (IMUS, COMMENT)  # too often wrong to settle or contradict anything
# Two pairs near the root decide alone; four fifths of a kind must agree.
ENOUGH_PAIRS = 2
ENOUGH_AGREEMENT = 0.8
# Moving joints from the root to where left and right branch; beyond, an arm may point anywhere.
NEAR = 3
LEVEL_ENOUGH = 0.906  # the cosine of 25 degrees: an axis this near to X or Y is evidence
MOSTLY = 0.7  # the least part of a direction's length that lies along the axis it is taken for
# The reach of an arm must exceed this part of its length, and this multiple of its offset to the side. The same holds
# for the center of mass of a foot ahead of its ankle, relative to its depth below the ankle.
STRETCHED = 0.5
STRAIGHT = 2.0
# The least offset of the center of legs or wheels from the rest of the robot, relative to their average distance from
# it. Legs that surround the body, as of a spider, do not show which way is up.
ONE_WAY = 0.5
# Wheels that define a ground plane; for a single axle, the center of mass may be ahead of it as well as above it.
PLANE = 3
COINCIDENT = 1e-6  # [m] left and right at the same point, or a foot at its ankle


class ForwardEvidence(Record):
    """The evidence of one kind for the forward axis.

    Attributes:
        kind: NAMES, PAIRS or a similar phrase.
        forwards: the candidates for forward: one axis of the input, both ends of a line, or none.
        sentence: the observation, and how many witnesses agree.
        decides: True if it overrides all other evidence.
        witnesses: how many joints, pairs or frames agree.
    """

    kind: str
    forwards: Texts
    sentence: str
    decides: bool = False
    witnesses: int = 1


class UpEvidence(Record):
    """An axis of the input that seems to point up, the observation, and whether it is enough to turn the robot."""

    side: str
    sentence: str
    is_sure: bool


class _LinkPoses(Record):
    """The poses of the links, and their places in the chain.

    Attributes:
        T_world: the pose of every link in the world at zero, in the axes under consideration.
        in_hand: links of a gripper or hand, by the names of the link, its joint and their ancestors.
        moving: by link, the number of moving joints from the root to it.
        far: by link with more than NEAR moving joints, its ancestor on the first joint beyond NEAR.
    """

    T_world: Poses
    in_hand: Set[str]
    moving: Dict[str, int]
    far: Dict[str, str]


def find_up(robot: UrdfRobot) -> Optional[UpEvidence]:
    """Return the input's axis that points up, or None if it is Z or unknown.

    Legs and wheels show a side. Joints named yaw turn about its axis; joints named pitch or roll, axles and left/right
    pairs are perpendicular to it. The result is sure if a second witness agrees: legs and wheels, joints named yaw, or
    pairs along Z.
    """
    layout = _place_links(robot, IDENTITY)
    by_mass = _side_by_mass_of_legs(robot, layout)
    # The mass and the ends of the legs are one witness: the ends count only if the mass shows nothing.
    by_part = {
        "the mass of the legs": by_mass,
        "the ends of the legs": "" if by_mass else _side_by_ends_of_legs(robot, layout),
        "the wheels": _side_by_wheels(robot, layout),
    }
    witnesses = [words for words, side in by_part.items() if side]
    sides = set(filter(None, by_part.values()))
    if len(sides) != 1:
        return None
    side = sides.pop()
    line = side[1:]
    if line == "Z":
        return None

    # A joint shows a line such as Y, without a sign. An elbow turns about the up axis if the arm is held to the side at
    # zero, as in a T pose.
    named_lines = [*_lines_of_names(robot, layout, without=("elbow",))]
    lines_of_yaws = [along for axis, along in named_lines if axis == 2]
    lines_across = [along for axis, along in named_lines if axis != 2]
    line_of_pairs, pairs = _line_of_pairs(robot, layout)
    lines_across += [line_of_pairs, *_lines_of_axles(robot, layout)]
    if line in lines_across or any(along != line for along in lines_of_yaws):
        return None

    if lines_of_yaws:
        witnesses.append(f"{len(lines_of_yaws)} joint{'s'[: len(lines_of_yaws) != 1]} named yaw")
    if line_of_pairs == "Z":
        witnesses.append(f"{pairs} left/right pairs along Z")
    return UpEvidence(side, f"up is {side} by {' and '.join(witnesses)}", len(witnesses) > 1)


def _side_by_mass_of_legs(robot: UrdfRobot, layout: _LinkPoses) -> str:
    """Return the side of the rest of the robot's center of mass, seen from its legs; "" if unknown."""
    # The key tells whether the link belongs to a leg.
    parts: Dict[bool, List[MassProperties]] = {True: [], False: []}
    for name, part in _masses(robot, layout):
        parts[word_among(LEG, name) is not None].append(part)
    legs = parts[True]
    if len(legs) < 2 or not parts[False]:
        return ""
    places = [part.center for part in legs]
    return _side_of_rest(merge_mass(parts[False]).center, places, merge_mass(legs).center)


def _side_by_ends_of_legs(robot: UrdfRobot, layout: _LinkPoses) -> str:
    """Return the side of the center of mass, seen from the ends of two or more legs; "" if unknown.

    Legs with heavy thighs that are spread out show the up axis by their ends alone: their mass is near the trunk.
    """
    parents = {joint.parent for joint in robot.tree}
    ends = [
        move(layout.T_world[name], _center(link))
        for name, link in robot.links.items()
        if name not in parents and word_among(LEG, name)
    ]
    return _side_of_mass(robot, layout, ends) if len(ends) > 1 else ""


def _side_by_wheels(robot: UrdfRobot, layout: _LinkPoses) -> str:
    """Return the side of the center of mass, seen from three or more wheels; "" if unknown.

    A wheel at the end of a leg shows the same as the leg and is not a separate witness.
    """
    places = [
        layout.T_world[joint.child].translation
        for joint in _wheels(robot, layout)
        if layout.moving[joint.child] == 1
    ]
    return _side_of_mass(robot, layout, places) if len(places) >= PLANE else ""


def _side_of_mass(robot: UrdfRobot, layout: _LinkPoses, places: List[Vector]) -> str:
    """Return the axis from the average of places to the robot's center of mass; "" if unknown."""
    masses = [part for _, part in _masses(robot, layout)]
    x, y, z = (fsum(place[k] for place in places) / len(places) for k in range(3))
    return _side_of_rest(merge_mass(masses).center, places, (x, y, z)) if masses else ""


def _masses(robot: UrdfRobot, layout: _LinkPoses) -> Iterator[Tuple[str, MassProperties]]:
    """Yield the names of links with mass, and their mass properties in the axes of the layout."""
    for name, link in robot.links.items():
        if link.inertial is not None and link.mass > NO_MASS:
            yield name, move_mass(layout.T_world[name], link.inertial.properties)


def _side_of_rest(rest: Vector, places: List[Vector], center: Vector) -> str:
    """Return the axis from the `center` of places to the center `rest`; "" if the places surround it."""
    mean_distance = fsum(norm(subtract(rest, place)) for place in places) / len(places)
    direction = subtract(rest, center)
    return _side(direction) if norm(direction) > ONE_WAY * mean_distance else ""


def _line_of_pairs(robot: UrdfRobot, layout: _LinkPoses) -> Tuple[str, int]:
    """Return the line, such as Z, of the left/right pairs near the root, and the number of pairs; "" if undecided."""
    near_sides, _ = _sides_of_pairs(robot, layout)
    lines = [side[1:] for side in near_sides]
    line, agreeing = _most_frequent(lines)
    enough = len(near_sides) >= ENOUGH_PAIRS and agreeing >= ENOUGH_AGREEMENT * len(near_sides)
    return (line, agreeing) if enough else ("", 0)


def _wheels(robot: UrdfRobot, layout: _LinkPoses) -> Iterator[UrdfJoint]:
    """Yield the joints of wheels that roll on the ground."""
    for joint in robot.tree:
        names = (joint.name, joint.child)
        if joint.type != "continuous" or joint.child in layout.in_hand:
            continue
        if any(word_among(WHEEL, name) for name in names) and not any(
            word_among(NO_AXLE, name) for name in names
        ):
            yield joint


def _lines_of_axles(robot: UrdfRobot, layout: _LinkPoses) -> List[str]:
    """Return for each wheel the line X, Y or Z along its axle, or "" if it is oblique."""
    axes = [
        rotate(layout.T_world[joint.child].rotation, unit(joint.axis))
        for joint in _wheels(robot, layout)
    ]
    return [_line_near(axis) for axis in axes]


def find_evidence(robot: UrdfRobot, R_up: Matrix = IDENTITY) -> List[ForwardEvidence]:
    """Return all evidence for the forward axis, the most trusted kind first; evidence that decides may be anywhere.

    `R_up` turns the axes of the input so that Z is up. Sentences name axes of the input, `forwards` the turned axes.
    """
    layout = _place_links(robot, R_up)
    # The sentence about Onshape names Onshape's own axes, which no rotation changes.
    return [
        clue
        if clue.kind == COMMENT or R_up == IDENTITY
        else clue._replace(
            sentence=re.sub(
                r"[+-]?\b[XYZ]\b", lambda word: name_of_axis(word.group(), R_up), clue.sentence
            )
        )
        for clue in _all_evidence(robot, layout)
    ]


def name_of_axis(axis: str, R_up: Matrix) -> str:
    """Return the name in the input of an axis such as "+X", or a line such as "X", after the rotation `R_up`."""
    # Row k of R_up is the input direction that becomes axis k.
    side = _side(scale(-1.0 if axis[0] == "-" else 1.0, R_up["XYZ".index(axis[-1])]))
    return side if axis[1:] else side[1:]


def _all_evidence(robot: UrdfRobot, layout: _LinkPoses) -> List[ForwardEvidence]:
    """Return the evidence for the forward axis, the most trusted kind first."""
    near_sides, far_sides = _sides_of_pairs(robot, layout)
    lines_of_names = list(_left_of_names(robot, layout))
    sides_of_frames = _sides_of_frames(robot, layout)
    candidates = (
        _evidence_of(NAMES, "left is along", lines_of_names, FORWARDS_BY_LEFT),
        _evidence_of(PAIRS, "left is at", near_sides, FORWARDS_BY_LEFT),
        _evidence_of(FAR, "left is at", far_sides, FORWARDS_BY_LEFT),
        _evidence_of_axles(robot, layout),
        _evidence_of(OPTICAL, "forward is", sides_of_frames[OPTICAL], FORWARDS),
        _evidence_of(CAMERAS, "forward is", sides_of_frames[CAMERAS], FORWARDS),
        _evidence_of(FEET, "forward is", _sides_of_feet(robot, layout), FORWARDS),
        _reach_of_arm(robot, layout),
        _evidence_of(IMUS, "forward is", sides_of_frames[IMUS], FORWARDS),
        _comment_of_onshape(robot),
    )
    return [evidence for evidence in candidates if evidence is not None]


def _left_of_names(robot: UrdfRobot, layout: _LinkPoses) -> Iterator[str]:
    """Yield for each joint the line of left that its name implies; "" if the name implies that Z does not point up.

    Pitch about Y or roll about X implies left along Y; pitch about X or roll about Y implies left along X. Pitch or
    roll about Z, or yaw about X or Y, contradicts both: the robot seems to lie on its side.
    """
    lying = []
    sides = []
    for axis, line in _lines_of_names(robot, layout):
        if (axis == 2) != (line == "Z"):
            lying.append("")
        elif axis != 2:
            sides.append("Y" if line == AXIS_LETTERS[axis] else "X")
    # A single joint may be mounted in any direction, as on a raised arm; if most names disagree, the robot lies.
    yield from sides
    yield from lying if len(lying) > max(1, len(sides)) else ()


def _evidence_of(
    kind: str, where: str, sides: List[str], forwards: Dict[str, Texts]
) -> Optional[ForwardEvidence]:
    """Return the evidence of the most frequent of `sides`; "" is a side that is not along an axis."""
    side, agreeing = _most_frequent(sides)
    side = side or "one side"
    enough = kind == PAIRS and len(sides) >= ENOUGH_PAIRS
    sentence = f"{where} {side} in {agreeing} of {len(sides)} {kind.format(s='' if len(sides) == 1 else 's')}"
    # Evidence without axes does not vote, but the warning names it.
    if agreeing < ENOUGH_AGREEMENT * len(sides):
        return (
            ForwardEvidence(kind, (), f"{sentence}, which disagree")
            if enough or kind == NAMES
            else None
        )
    if side in forwards:
        return ForwardEvidence(
            kind=kind,
            forwards=forwards[side],
            sentence=sentence,
            decides=enough,
            witnesses=agreeing,
        )
    return (
        ForwardEvidence(kind, (), f"{sentence}, so Z does not point up", True) if enough else None
    )


def _most_frequent(sides: List[str]) -> Tuple[str, int]:
    """Return the most frequent side and its count; "" and 0 if no side is along an axis."""
    return max(Counter(filter(None, sides)).items(), key=lambda item: item[1], default=("", 0))


def _place_links(robot: UrdfRobot, R_up: Matrix) -> _LinkPoses:
    """Return the layout of a robot at zero, in axes that R_up turns upright."""
    in_hand = {robot.root} if word_among(HAND, robot.root) else set()
    layout = _LinkPoses(poses_at(robot, {}, Transform(R_up, ZERO)), in_hand, {robot.root: 0}, {})
    for joint in robot.tree:
        layout.moving[joint.child] = layout.moving[joint.parent] + (joint.type != "fixed")
        if joint.parent in in_hand or word_among(HAND, joint.child) or word_among(HAND, joint.name):
            in_hand.add(joint.child)
        if layout.moving[joint.child] > NEAR:
            # All links beyond share one name: the first link of the branch that far out.
            layout.far[joint.child] = layout.far.get(joint.parent, joint.child)
    return layout


def _sides_of_pairs(robot: UrdfRobot, layout: _LinkPoses) -> Tuple[List[str], List[str]]:
    """Return the left sides of left/right pairs of links or joints: of pairs near the root, and of pairs far out.

    A gripper may point in any direction, and so may parts that branch at the end of an arm.
    """
    pairs = left_right_pairs(list(robot.links))
    pairs += [
        (robot.named[left].child, robot.named[right].child)
        for left, right in left_right_pairs(list(robot.named))
    ]
    near_sides: List[str] = []
    far_sides: List[str] = []
    for left, right in dict.fromkeys(pairs):
        left_minus_right = _difference(robot.links[left], robot.links[right], layout)
        if layout.in_hand.isdisjoint((left, right)) and norm(left_minus_right) > COINCIDENT:
            # Both descend from the same far link, so they branch at the end of an arm and not at the root.
            is_far = left in layout.far and layout.far[left] == layout.far.get(right)
            sides = far_sides if is_far else near_sides
            sides.append(_side(left_minus_right))
    return near_sides, far_sides


def _difference(left: UrdfLink, right: UrdfLink, layout: _LinkPoses) -> Vector:
    """Return left minus right of the frame origins, or of the centers of mass if the origins coincide [m]."""
    T_left = layout.T_world[left.name]
    T_right = layout.T_world[right.name]
    between_origins = subtract(T_left.translation, T_right.translation)
    if norm(between_origins) > COINCIDENT:
        return between_origins
    return subtract(move(T_left, _center(left)), move(T_right, _center(right)))


def _center(link: UrdfLink) -> Vector:
    """Return the center of mass of a link in its frame, the origin for a link without inertial [m]."""
    return link.inertial.properties.center if link.inertial else ZERO


def _side(direction: Vector) -> str:
    """Return the axis along a direction, such as "-Y", or "" if no axis is near."""
    k = max(range(3), key=lambda axis: abs(direction[axis]))
    return (
        f"{'-' if direction[k] < 0.0 else '+'}{'XYZ'[k]}"
        if abs(direction[k]) > MOSTLY * norm(direction)
        else ""
    )


def _lines_of_names(
    robot: UrdfRobot, layout: _LinkPoses, without: Texts = ()
) -> Iterator[Tuple[int, str]]:
    """Yield for each joint the axis that its name implies (0, 1, 2), and the line X, Y or Z along its actual axis.

    Pitch, knee and elbow turn about the left axis, roll about forward, yaw about up. Joints of a hand are skipped,
    because they turn with its mounting; a wrist that leads to the hand counts. Joints with one of the words `without`
    in their names are skipped too.
    """
    in_hand = layout.in_hand
    for joint in robot.tree:
        asked = axis_class(joint.name, {}) if joint.type in ("revolute", "continuous") else None
        of_hand = bool(in_hand) and (
            joint.parent in in_hand or word_among(HAND, joint.name) is not None
        )
        left_out = of_hand or word_among(without, joint.name) is not None
        if asked is not None and not asked.others and not left_out:
            line = _line_near(rotate(layout.T_world[joint.child].rotation, unit(joint.axis)))
            if line:
                yield asked.axis, line


def _line_near(axis: Vector) -> str:
    """Return the line X, Y or Z along an axis of length 1, or "" if no line is near."""
    return next((AXIS_LETTERS[k] for k in range(3) if abs(axis[k]) >= LEVEL_ENOUGH), "")


def _evidence_of_axles(robot: UrdfRobot, layout: _LinkPoses) -> Optional[ForwardEvidence]:
    """Return the evidence of the line that two or more axles share."""
    # A wheel with a vertical axle is a gear or a swivel, and shows nothing about left.
    lines = [line for line in _lines_of_axles(robot, layout) if line != "Z"]
    if len(lines) < 2:
        return None
    evidence = _evidence_of(WHEELS, "left is along", lines, FORWARDS_BY_LEFT)
    # The wheels of a robot share their axle, so all of them are one witness.
    return evidence._replace(witnesses=1) if evidence is not None else None


def _sides_of_feet(robot: UrdfRobot, layout: _LinkPoses) -> List[str]:
    """Return for each foot the horizontal side of its center of mass, seen from its ankle; "" if it is below the ankle.

    A foot is the last rigid group of a leg, if the link on the moving joint, or the joint, is named so. A toe that is
    fixed to a shank is not a foot.
    """
    body_of = {robot.root: robot.root}
    for joint in robot.tree:
        is_fixed = joint.type == "fixed"
        body_of[joint.child] = body_of[joint.parent] if is_fixed else joint.child
    parts: Dict[str, List[MassProperties]] = {}
    for name, part in _masses(robot, layout):
        parts.setdefault(body_of[name], []).append(part)

    moving = [joint for joint in robot.tree if joint.type != "fixed"]
    not_last = {body_of[joint.parent] for joint in moving}
    sides = []
    for joint in moving:
        foot = joint.child
        is_named = word_among(FOOT, foot) or word_among(FOOT, joint.name)
        if is_named and foot in parts and foot not in not_last:
            ankle = layout.T_world[foot].translation
            x, y, z = subtract(merge_mass(parts[foot]).center, ankle)
            aside, ahead = sorted((abs(x), abs(y)))
            is_ahead = ahead > max(STRETCHED * abs(z), STRAIGHT * aside, COINCIDENT)
            sides.append(_side((x, y, 0.0)) if is_ahead else "")
    return sides


def _sides_of_frames(robot: UrdfRobot, layout: _LinkPoses) -> Dict[str, List[str]]:
    """Return by kind the z directions of optical frames (REP 103), and the x directions of other upright frames.

    IMUs may be mounted in any direction: they count only if their axes are the axes of the input.
    """
    sides: Dict[str, List[str]] = {OPTICAL: [], CAMERAS: [], IMUS: []}
    for name, link in robot.links.items():
        # The columns of R_world_link are the axes of the link.
        x, _, z = map(_side, transpose(layout.T_world[name].rotation))
        mere = not link.shapes and link.mass <= NO_MASS and z == "+Z"
        if name == robot.root or name in layout.in_hand:
            continue
        if word_among(("optical",), name):
            sides[OPTICAL] += [z] if z in FORWARDS else []
        elif mere and word_among(CAMERA_OR_HEAD, name):
            sides[CAMERAS].append(x)
        elif mere and x == "+X" and word_among(("imu",), name):
            sides[IMUS].append(x)
    return sides


def _reach_of_arm(robot: UrdfRobot, layout: _LinkPoses) -> Optional[ForwardEvidence]:
    """Return the direction of an arm, a single chain up to a hand, at zero from its first joint to its tool or end."""
    chain = [
        joint for joint in robot.tree if joint.type != "fixed" and joint.child not in layout.in_hand
    ]
    # In a single chain the k-th moving joint has the number k; a second branch would repeat a number.
    if len(chain) < NEAR or [layout.moving[joint.child] for joint in chain] != list(
        range(1, len(chain) + 1)
    ):
        return None
    first = chain[0].child
    # Lengths along the chain: an arm that is folded at zero reaches less.
    lengths = {first: 0.0}
    for joint in robot.tree:
        if joint.parent in lengths:
            lengths[joint.child] = lengths[joint.parent] + norm(joint.origin.translation)
    # A link named tool or tcp is the end; otherwise the farthest link.
    end = max(lengths, key=lambda name: (word_among(TOOL, name) is not None, lengths[name]))
    x, y, _ = subtract(layout.T_world[end].translation, layout.T_world[first].translation)
    aside, ahead = sorted((abs(x), abs(y)))
    if ahead <= max(STRETCHED * lengths[end], STRAIGHT * aside):
        return None
    side = _side((x, y, 0.0))
    return ForwardEvidence(REACH, FORWARDS[side], f"the arm reaches along {side} at zero")


def _comment_of_onshape(robot: UrdfRobot) -> Optional[ForwardEvidence]:
    """Return the evidence of a comment that names Onshape, outside the root or before its first element."""
    inside = takewhile(lambda node: isinstance(node, str), robot.document.root.children)
    comments = [*robot.document.comments(), *(str(node) for node in inside if is_comment(node))]
    sentence = "a comment says that the file comes from Onshape, where X is right and Y forward"
    return (
        ForwardEvidence(COMMENT, ("+Y",), sentence)
        if any("onshape" in text.lower() for text in comments)
        else None
    )


# ==== urdf_tools/plan/base_frame.py ====
# The orientation of the input: the rotation from its world axes to X forward, Y left, Z up.

DIRECTIONS: Dict[str, Vector] = {
    "forward": (1.0, 0.0, 0.0),
    "back": (-1.0, 0.0, 0.0),
    "left": (0.0, 1.0, 0.0),
    "right": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
}
NAMED_FRAMES = {"onshape": "x=right,y=forward,z=up", "ros": "x=forward,y=left,z=up"}
CANONICAL = "x=forward y=left z=up"
FRAMES_KEPT = "frames as in the input"
# For example `frames as in the input, assumed x=right y=forward z=up`.
PROVENANCE = (
    OWN_NOTE + rf"(?P<kept>{FRAMES_KEPT}(?:, )?)?(?P<assumed>assumed )?"
    r"(?P<words>x=\w+ y=\w+ z=\w+)?"
)
# By forward axis, the most likely first.
BASES = {
    "+X": NAMED_FRAMES["ros"],
    "+Y": NAMED_FRAMES["onshape"],
    "-Y": "x=left,y=back,z=up",
    "-X": "x=back,y=right,z=up",
}
# By upward axis.
UPRIGHT = {
    "+X": "x=up,y=left,z=back",
    "-X": "x=down,y=left,z=forward",
    "+Y": "x=forward,y=up,z=right",
    "-Y": "x=forward,y=down,z=left",
}
# The frames of REP 105, and the root that MoveIt and Gazebo add to robots.
PLANNING_FRAMES = ("world", "map", "odom", "earth", "base_footprint")
NO_EVIDENCE = (
    "assumed X forward, Y left, Z up (REP 103): no evidence; --base-frame onshape if it was exported from "
    "there"
)


class BaseFrame(Record):
    """The base rotation.

    Attributes:
        R_new_old: from the input's world axes to X forward, Y left, Z up.
        words: where the input's axes point, such as `x=right y=forward z=up`.
        reason: why this was chosen, for the report.
        warning: evidence against it, or doubt.
        assumed: True if nothing in the file decides it.
    """

    R_new_old: Matrix
    words: str
    reason: str
    warning: Optional[Diagnostic] = None
    assumed: bool = False


def read_base_frame(text: str, flag: str = "--base-frame") -> BaseFrame:
    """Read `onshape`, `ros` or words such as `x=left,y=back,z=up`; messages call the option `flag`.

    Raises:
        UsageError: words that are unknown, missing, or not a right-handed frame.
    """
    words = NAMED_FRAMES.get(text, text)
    # The slice [::2] drops the `=` between name and word.
    parts = dict(part.strip().partition("=")[::2] for part in words.lower().split(","))
    if sorted(parts) != ["x", "y", "z"] or any(word not in DIRECTIONS for word in parts.values()):
        raise UsageError(
            f"{flag} '{text}': give auto, onshape, ros, or all three of x, y and z, such as "
            f"x=left,y=back,z=up (the words are {', '.join(DIRECTIONS)})"
        )
    for first, second in ("xy", "xz", "yz"):
        if dot(DIRECTIONS[parts[first]], DIRECTIONS[parts[second]]) != 0.0:
            raise UsageError(
                f"{flag} '{text}': {first}={parts[first]} and {second}={parts[second]} are along one line"
            )
    columns = (DIRECTIONS[parts["x"]], DIRECTIONS[parts["y"]], DIRECTIONS[parts["z"]])
    if cross(columns[0], columns[1]) != columns[2]:
        opposite = next(
            word for word, direction in DIRECTIONS.items() if direction == scale(-1.0, columns[2])
        )
        raise UsageError(
            f"{flag} '{text}' is not a right-handed frame: with this x and y it is z={opposite}"
        )
    # Column k of R_new_old is the direction of the input's axis k.
    rotation = transpose(columns)
    return BaseFrame(
        IDENTITY if rotation == IDENTITY else rotation,
        " ".join(f"{axis}={parts[axis]}" for axis in "xyz"),
        "as asked with --base-frame",
    )


def turned_before(robot: UrdfRobot) -> bool:
    """Return True if the file has a note of an earlier run that reoriented it."""
    note = _find_note(robot)
    return note is not None and not note.group("kept")


def provenance_note(robot: UrdfRobot, base: BaseFrame, *, reorient: bool) -> str:
    """Return the note that this run writes into the file; it tells a later run the axes of the robot."""
    # The frames are canonical if this run or an earlier one turned them.
    if reorient or (turned_before(robot) and base.words == CANONICAL):
        return CANONICAL
    return f"{FRAMES_KEPT}, {'assumed ' if base.assumed else ''}{base.words}"


def note_of_earlier_run(robot: UrdfRobot) -> str:
    """Return the `provenance_note` of an earlier run, or "" if the file has none."""
    note = _find_note(robot)
    return note.string.partition(": ")[2] if note is not None else ""


def _find_note(robot: UrdfRobot) -> "Optional[re.Match[str]]":
    """Return the note of an earlier run with the axes of the robot, or None."""
    notes = [re.fullmatch(PROVENANCE, note) for note in own_notes(robot.document, OWN_NOTE)]
    return next((note for note in notes if note is not None and note.group("words")), None)


def find_base_frame(robot: UrdfRobot) -> BaseFrame:
    """Return the axes of the input: from the note of an earlier run, or else from the evidence."""
    noted = _base_by_note(robot)
    if noted is not None:
        return noted
    base = _base_by_evidence(robot)
    planning_frame = why_planning_frame(robot)
    if not planning_frame or base.R_new_old == IDENTITY:
        return base
    option = base.words.replace(" ", ",")
    return BaseFrame(
        R_new_old=IDENTITY,
        words=CANONICAL,
        reason=f"{planning_frame}: it stays; {base.reason} (--base-frame {option} turns it)",
    )


def why_planning_frame(robot: UrdfRobot) -> str:
    """Return the reason why the root is a planning frame that must not turn, or "" if it belongs to the robot."""
    root = robot.root
    link = robot.links[root]
    if link.inertial is not None or link.shapes:
        return ""
    if root in PLANNING_FRAMES:
        return f"'{root}' is a frame in which programs plan"
    # From the leaves to the root, so that `moving` gets all links with a moving joint among their descendants.
    moving = set()
    for joint in reversed(robot.tree):
        if joint.type != "fixed" or joint.child in moving:
            moving.add(joint.parent)
    joints_of_robots = [
        joint
        for joint in robot.tree
        if joint.parent == root and joint.type == "fixed" and joint.child in moving
    ]
    return f"'{root}' holds {len(joints_of_robots)} robots" if len(joints_of_robots) > 1 else ""


def _base_by_evidence(robot: UrdfRobot) -> BaseFrame:
    """Return the base frame by the evidence for up, then for front; the base stays if up is not sure."""
    up = find_up(robot)
    if up is None:
        return _choose_front(find_evidence(robot), IDENTITY)
    R_up = read_base_frame(UPRIGHT[up.side]).R_new_old
    upright = _choose_front(find_evidence(robot, R_up), R_up)
    if up.is_sure:
        return upright._replace(reason=f"{up.sentence}; {upright.reason}")
    # There is a single witness for up: keep the axes and warn. A front found with a wrong up would be wrong too.
    base = _choose_front(find_evidence(robot), IDENTITY)
    lying = upright.words.replace(" ", ",")
    reason = base.reason if base.assumed else f"assumed: {base.reason}"
    if base.R_new_old == IDENTITY:
        return base._replace(reason=reason, warning=_doubt("up", up.sentence, lying), assumed=True)
    front = base.words.replace(" ", ",")
    return BaseFrame(
        R_new_old=IDENTITY,
        words=CANONICAL,
        reason=f"assumed: {up.sentence}, but nothing else says so, so that the base stays",
        warning=_doubt("up-or-front", up.sentence, lying, front),
        assumed=True,
    )


def _choose_front(evidence: List[ForwardEvidence], R_up: Matrix) -> BaseFrame:
    """Choose the forward axis by the evidence, the most trusted kind first; ties go to the first axis of BASES.

    The axes are the robot's after `R_up` turned it upright; words and sentences name the axes of the input.

    The base is sure if some evidence decides it. It is also sure if several kinds agree, at least one of them on a
    single axis, and outnumber the contradicting kinds by two. Otherwise it is assumed, and a warning names both likely
    bases. If the evidence is weak, the base stays.
    """
    # Evidence that decides overrides all other.
    evidence = [clue for clue in evidence if clue.decides] or evidence
    # The most trusted clue that distinguishes two axes orders them, then the next clue.
    order = sorted(BASES, key=lambda axis: [axis not in clue.forwards for clue in evidence])
    best, second_best = order[:2]
    doubt = _joined_clauses(clue for clue in evidence if not clue.forwards)
    if _is_sure(best, evidence):
        reason = _joined_clauses(clue for clue in evidence if best in clue.forwards)
        base = read_base_frame(_base_words(best, R_up))
        return base._replace(reason=reason, warning=_doubt("doubt", doubt) if doubt else None)

    reasons = _joined_clauses(evidence)
    if best != "+X" and _is_weak(best, evidence):
        best, second_best, reasons = "+X", best, f"{reasons}, too little to turn the base by"
    reason = f"assumed: {reasons}" if reasons else NO_EVIDENCE
    warning = None
    if best != "+X" or any(second_best in clue.forwards for clue in evidence):
        warning = _doubt(
            "either", reason, *_option_and_axis(best, R_up), *_option_and_axis(second_best, R_up)
        )
    elif doubt:
        warning = _doubt("doubt", reason)
    base = read_base_frame(_base_words(best, R_up))
    return base._replace(reason=reason, warning=warning, assumed=True)


def _joined_clauses(clues: Iterable[ForwardEvidence]) -> str:
    """Return the clauses of all evidence in one sentence, parted by commas."""
    return ", ".join(clue.sentence for clue in clues)


def _is_sure(axis: str, evidence: List[ForwardEvidence]) -> bool:
    """Return True if the evidence is enough to be sure of a forward axis."""
    agreeing = [clue for clue in evidence if axis in clue.forwards]
    if any(clue.decides for clue in agreeing):
        return True
    # A single clue may be a wrong name: require a second kind, and more evidence for the axis than against it.
    strong = [clue for clue in evidence if clue.kind not in FAINT and clue.forwards]
    against = [clue for clue in strong if axis not in clue.forwards]
    on_one_axis = any(clue in agreeing and len(clue.forwards) == 1 for clue in strong)
    if axis != "+X" and len(_against_staying(axis, evidence)) < 2:
        return False
    return on_one_axis and len(agreeing) - len(against) >= 2


def _against_staying(axis: str, evidence: List[ForwardEvidence]) -> List[ForwardEvidence]:
    """Return the evidence for an axis that excludes +X.

    Joints called pitch that turn about Y, and axles along Y, agree with both ends of X: they do not show a half turn.
    """
    return [clue for clue in evidence if axis in clue.forwards and "+X" not in clue.forwards]


def _is_weak(axis: str, evidence: List[ForwardEvidence]) -> bool:
    """Return True if the evidence for `axis` is too weak to turn the base.

    Enough is a line shown by names of joints or axles of wheels, if at least two witnesses agree on the axis: a single
    joint may be called pitch wherever it is mounted. A comment of Onshape is one witness.
    """
    turning = _against_staying(axis, evidence)
    has_line = any(len(clue.forwards) > 1 for clue in turning)
    return not has_line or fsum(clue.witnesses for clue in turning) < 2


def _option_and_axis(axis: str, R_up: Matrix) -> Pair:
    """Return the value of --base-frame for a forward axis, and the name of the axis in the input."""
    words = _base_words(axis, R_up)
    option = next((name for name, frame in NAMED_FRAMES.items() if frame == words), words)
    return option, name_of_axis(axis, R_up)


def _base_words(forward: str, R_up: Matrix) -> str:
    """Return the directions of the input's axes, if `forward` is the forward axis after the rotation `R_up`."""
    # All entries are exactly 0, 1 or -1, so columns can be looked up.
    columns = transpose(multiply(read_base_frame(BASES[forward]).R_new_old, R_up))
    words = {direction: word for word, direction in DIRECTIONS.items()}
    return ",".join(f"{axis}={words[column]}" for axis, column in zip("xyz", columns))


def _doubt(sentence: str, *names: str) -> Diagnostic:
    """Return a warning that the base frame is not sure."""
    return Diagnostic(BASE_FRAME, 0, sentence, names)


def _base_by_note(robot: UrdfRobot) -> Optional[BaseFrame]:
    """Return the base frame that the note of an earlier run declares, None without a readable note."""
    note = _find_note(robot)
    if note is None:
        return None
    try:
        base = read_base_frame(note.group("words").replace(" ", ","))
    # The note was edited by hand.
    except UsageError:
        return None
    if not note.group("kept"):
        return base._replace(reason="the file says that this tool turned it before")
    if not note.group("assumed"):
        return base._replace(reason="the note of an earlier run says so")
    turns = base.R_new_old != IDENTITY
    warning = _doubt("noted", base.words) if turns else None
    return base._replace(
        reason="the note of an earlier run says that this was assumed",
        warning=warning,
        assumed=True,
    )


# ==== urdf_tools/plan/kept_links.py ====
# Why links on fixed joints are kept. Elements outside links and joints may depend on their frames, or a merge would
# extend values that simulators read for whole links: contact, gravity, color.
#
# gz keeps the surface of each geometry when it lumps links itself; PyBullet reads one `<contact>` for each link. So a
# link whose values differ from its target's values is kept. If it merges nevertheless, the target's values stay. Values
# that gz reads for a whole body (gravity, self collision) are the same in input and result.

# Attributes that never contain lists of names.
FILES = ("filename", "uri", "file", "name", "type", "version")


class NameReference(Record):
    """An occurrence of a name: `attribute` contains it, or the text of the element if `attribute` is ""."""

    element: Element
    attribute: str
    name: str
    # The child of <robot>, or the element outside URDF in a link or joint, that contains it.
    top: Element
    # False for a name in a list of names, or a part of a scoped name (`robot::link`).
    whole: bool = True

    @property
    def place(self) -> str:
        """The element as messages show it, such as `<gazebo reference='imu'>`."""
        if not self.whole:
            return f"<{self.element.name}>: '{self.name}'"
        if self.attribute:
            return f"<{self.element.name} {self.attribute}='{self.name}'>"
        return f"<{self.element.name}>{self.name}</{self.element.name}>"


def find_references(
    robot: UrdfRobot, more: AbstractSet[str] = frozenset()
) -> Iterator[NameReference]:
    """Yield the references to links and joints, or to `more` names, in attributes and texts that URDF does not define."""
    names = {*robot.links, *robot.named, *more}
    for top in outside_urdf(robot):
        for element in top.walk():
            for attribute, value in element.attributes.items():
                # The element's own name is not a reference.
                if not (attribute == "name" and element is top):
                    whole, parts = _names_in(element, attribute, value, names)
                    yield from (
                        NameReference(
                            element=element, attribute=attribute, name=name, top=top, whole=whole
                        )
                        for name in parts
                    )
            if element.children:
                whole, parts = _names_in(element, "", element.text().strip(), names)
                yield from (
                    NameReference(element=element, attribute="", name=name, top=top, whole=whole)
                    for name in parts
                )


def outside_urdf(robot: UrdfRobot) -> Iterator[Element]:
    """Yield, in file order, all elements except links, joints and materials, and the parts of these outside URDF."""
    offsets = {
        *(link.source.offset for link in robot.links.values()),
        *(joint.source.offset for joint in robot.joints),
    }
    for top in robot.document.root.elements():
        if top.name in ("link", "joint"):
            known = OF_LINK if top.name == "link" else OF_JOINT
            yield from (
                part for part in top.elements() if top.offset in offsets and part.name not in known
            )
        elif top.name != "material":
            yield top


def _names_in(
    element: Element, attribute: str, value: str, names: Set[str]
) -> Tuple[bool, List[str]]:
    """Return whether the whole value is a name, and the names in it."""
    if value in names:
        return True, [value]
    # A single word is a name only as a whole, and a URI is not a name.
    if attribute in FILES or not re.search(r"::|[ ,;\n/]", value) or "://" in value:
        return False, []
    # sdformat writes `link/name` into the <projector> of a plugin.
    scoped = "::" in value or element.name == "projector"
    between = r"::|[\s,;/]+" if scoped else r"[\s,;]+"
    words = [word for word in re.split(between, value) if word]
    known = [word for word in dict.fromkeys(words) if word in names]
    # A sentence is not a list of names: all words of a list must be names.
    is_list = scoped or len(known) == len(set(words))
    return False, known if is_list else []


class KeepReason(Record):
    """The reason why a link on a fixed joint must be kept.

    No option overrides a `hard` need. For a `frame` need only the frame must be kept, not the content of the link.
    """

    reason: str
    hard: bool = False
    frame: bool = False


def find_needs(robot: UrdfRobot, references: Tuple[NameReference, ...]) -> Dict[str, KeepReason]:
    """Return, by link, why a link on a fixed joint must be kept."""
    child_of = {name: joint.child for name, joint in robot.named.items()}
    needs: Dict[str, KeepReason] = {}
    movable = {joint.name for joint in robot.joints if joint.type in MOVABLE}
    for joint in robot.joints:
        # The joint mimics a fixed joint, which a merge would remove.
        if joint.mimic and joint.mimic.joint in child_of and joint.mimic.joint not in movable:
            needs.setdefault(
                child_of[joint.mimic.joint],
                KeepReason(f"joint '{joint.name}' mimics its joint", hard=True),
            )
        for attribute in KEEP_ATTRIBUTES:
            if (joint.source.get(attribute) or "").strip().lower() in TRUE:
                needs.setdefault(
                    joint.child, KeepReason(f"{attribute} is set in line {joint.source.line}")
                )
    for reference in references:
        reason = _why_needed(reference) if reference.whole else ""
        if reason:
            # A name may belong to both a link and a joint: keep both.
            both = {reference.name, child_of.get(reference.name, reference.name)}
            for link in both & robot.links.keys():
                needs.setdefault(link, KeepReason(reason))
    for name in robot.links:
        if is_loop_end(name):
            needs.setdefault(name, KeepReason("closes a kinematic loop"))
    return needs


def is_loop_end(link: str) -> bool:
    """Return True for a frame that onshape-to-robot made at the cut of a closed loop."""
    return link.startswith("closing_") and link.endswith(("_1", "_2"))


def _why_needed(reference: NameReference) -> str:
    """Return the reason why a reference needs the link or joint it names; "" if a merge may rewrite the reference."""
    element = reference.element
    top = reference.top
    # All other elements have a pose or name that can be rewritten for the target (`facts.values`), or get a warning.
    if any(word in top.name.lower() for word in LOOP_WORDS):
        return f"<{top.name}> of line {top.line} is tied to it"
    if top.name == "gazebo" and element is top and reference.attribute == "reference":
        sensor = _first(top, "sensor")
        if sensor is not None:
            return f"{_named(sensor)} of line {sensor.line} measures in it"
        for flag in KEEP_FLAGS:
            part = _first(top, flag)
            if part is not None and value_of(part).lower() in TRUE:
                return f"<{flag}> of line {part.line} is set for it"
    if (
        top.name == "gazebo"
        and element.name in ("parent", "child")
        and any(element.parent is joint for joint in top.elements("joint"))
    ):
        return f"<joint> in the <gazebo> of line {top.line} is tied to it"
    if top.name == "sensor":
        return f"{_named(top)} of line {top.line} measures in it"
    if top.name == "ros2_control":
        for above in element.upward():
            if above.name in ("sensor", "gpio", "joint"):
                return f"{_named(above)} of ros2_control in line {above.line} uses it"
    return ""


def _named(element: Element) -> str:
    """Return an element with its name, for messages."""
    return f"<{element.name} name='{element.get('name') or ''}'>"


def _first(top: Element, name: str) -> Optional[Element]:
    """Return the first element of a name among an element and its descendants."""
    return next((element for element in top.walk() if element.name == name), None)


SURFACE_KINDS = (CONTACT, BODY, COLOR)
FRICTION = (
    "mu",
    "mu1",
    "mu2",
    "fdir1",
    "lateral_friction",
    "rolling_friction",
    "spinning_friction",
)

Setting = Sequence[Element]  # all tags of a key


class ValueConflict(Record):
    """A value that differs between a merged link and its target. Without tags the value is the default."""

    key: str
    merged: Setting
    kept: Setting


class SimulatorLinkValues:
    """The values of each link and, as links merge one after the other, parents first, the values of each target.

    A target without mass or shapes for a kind of values takes the values of the first merged link with some. This does
    not happen with `inherits` False: then an emptied link keeps its blocks, although its content is elsewhere.
    `stripped` holds offsets of shapes. For a link without mass it does not matter whether gravity is turned off.

    Attributes:
        lumped: by link, the body that sdformat makes it a part of.
        unused: offsets of the unused tags.
        warnings: changed values for the content of merged links and their targets.
    """

    def __init__(self, robot: UrdfRobot, stripped: Iterable[int], *, inherits: bool) -> None:
        """Read the values of all links and bodies from the document; none is merged yet."""
        self._robot = robot
        self._stripped = set(stripped)
        self._inherits = inherits
        self.unused: Set[int] = set()
        self.warnings: List[Diagnostic] = []
        root = robot.document.root
        self._settings = values_of_links(root)
        self.lumped = lumped_links(root)
        self._bodies = values_of_bodies(root, self.lumped)
        self._effective: Dict[Pair, Dict[str, Setting]] = {}  # by link and kind
        for link, values in self._settings.items():
            for key, tags in values.items():
                self._effective.setdefault((link, default_of(key)[0]), {})[key] = tags

    def has_content(self, name: str, kind: str) -> bool:
        """Return True if a link has mass or shapes to which a kind of values applies."""
        link = self._robot.links[name]
        if kind == BODY:
            return link.mass >= NO_MASS
        shapes = link.collisions if kind == CONTACT else link.visuals
        return any(shape.source.offset not in self._stripped for shape in shapes)

    def differences(self, name: str, target: str, kind: str) -> Iterator[ValueConflict]:
        """Yield the values that would change for the content of a link if it merged into the target."""
        if not self._is_defined(target, kind) or not self.has_content(name, kind):
            return
        merged = values_by_tag(self._effective.get((name, kind), {}))
        kept = values_by_tag(self._effective.get((target, kind), {}))
        for key in dict.fromkeys((*merged, *kept)):
            lost = merged.get(key, ())
            stays = kept.get(key, ())
            # Values that sdformat reads for a whole body are decided in `settle`.
            if key not in OF_WHOLE_BODY and meaning(key, lost) != meaning(key, stays):
                yield ValueConflict(key, lost, stays)

    def _is_defined(self, target: str, kind: str) -> bool:
        """Return True if the values of a target are fixed, so that a merged link cannot set them."""
        return (
            not self._inherits
            or (target, kind) in self._effective
            or self.has_content(target, kind)
        )

    def merge(self, name: str, target: str) -> None:
        """Merge a link into its target: some of its values move there, the others become unused."""
        for kind in SURFACE_KINDS:
            self.warnings += [
                _warning(name, target, difference)
                for difference in self.differences(name, target, kind)
            ]
            if self.has_content(name, kind) and not self._is_defined(target, kind):
                self._effective[target, kind] = self._effective.get((name, kind), {})
            elif self._inherits:
                for key, tags in self._effective.get((name, kind), {}).items():
                    if key not in OF_WHOLE_BODY:
                        self.unused.update(tag.offset for tag in tags)

    def settle(
        self, bodies: Dict[str, str], merged: Set[str], massless: Set[str], held: Set[str]
    ) -> None:
        """Decide the values that sdformat reads for a whole body after a merge: the first part that uses a value sets it.

        Args:
            bodies: by link, parents first, the link that sdformat will lump it into.
            merged: the links whose content moves to their targets.
            massless: the merged links whose mass is not moved.
            held: the merged links that sdformat does not lump; with `inherits` False, their tags apply to the empty
                links that remain.
        """
        # By lumped link of the input, its links.
        links_of_part: Dict[str, List[str]] = {}
        # By lumped link of the result, the lumped links of the input, in order.
        parts: Dict[str, Dict[str, None]] = {}
        for link, body in bodies.items():
            part = self.lumped[link].body
            links_of_part.setdefault(part, []).append(link)
            parts.setdefault(body, {})[part] = None

        # An emptied link keeps its tags, but tags that apply to it alone do not describe the body with its content.
        leaving_tags = self._offsets_of(merged) if self._inherits else set()
        lone_tags = self._offsets_of(held) if not self._inherits else set()
        for body in dict.fromkeys(bodies[link] for link in bodies if link in merged):
            for what in dict.fromkeys(OF_WHOLE_BODY.values()):
                tags_of = {part: self._bodies.get((part, what), []) for part in parts[body]}
                all_tags = chain.from_iterable(tags_of.values())
                tags = [tag for tag in all_tags if tag.offset not in lone_tags]
                kind = default_of(what)[0]
                used = {}  # by part that uses the value, the value that its tags give
                for part, tags_of_part in tags_of.items():
                    uncounted = massless if kind == BODY else ()
                    heavy = [link for link in links_of_part[part] if link not in uncounted]
                    if any(self.has_content(link, kind) for link in heavy):
                        used[part] = body_meaning(what, tags_of_part)
                # The first part that uses a value sets it; if no part uses it, the tags of the first part do.
                if used:
                    value = next(iter(used.values()))
                else:
                    value = body_meaning(what, next(iter(tags_of.values())))
                holds, staying = _held_by(what, tags, value, leaving_tags)
                self.unused.update({tag.offset for tag in tags} - {tag.offset for tag in staying})
                for part in used:
                    if used[part] != holds:
                        mass = fsum(self._robot.links[link].mass for link in links_of_part[part])
                        both = (tags_of[part], staying)
                        self.warnings.append(_warning_of_body(what, (part, body), both, mass))

    def _offsets_of(self, links: Iterable[str]) -> Set[int]:
        """Return the offsets of all tags about links."""
        return {
            tag.offset
            for link in links
            for tags in self._settings.get(link, {}).values()
            for tag in tags
        }


def _held_by(
    what: str, tags: Sequence[Element], value: Meaning, leaving: AbstractSet[int]
) -> Tuple[Meaning, List[Element]]:
    """Return the value that tags can give a body, which is `value` or the default, and the tags that stay for it."""
    default = body_meaning(what, [])
    tags_of_value = [tag for tag in tags if body_meaning(what, [tag]) == value]
    held_value = value if tags_of_value else default
    staying = [tag for tag in tags_of_value if tag.offset not in leaving]
    # All these tags are in merged links: the tag that is read stays, or else the default would apply.
    if not staying and held_value != default:
        staying = [counting(tags_of_value)]
    return held_value, staying


def why_kept_apart(surfaces: SimulatorLinkValues, name: str, target: str) -> str:
    """Return why a link must not merge into a target because of contacts, or ""."""
    values = [
        *surfaces.differences(name, target, CONTACT),
        *surfaces.differences(name, target, BODY),
    ]
    if not values:
        return ""
    keys: Dict[str, None] = {}
    lines: Set[int] = set()
    for value in values:
        key = "friction" if value.key in FRICTION else value.key
        keys[key] = None
        lines.update(counting(setting).line for setting in (value.merged, value.kept) if setting)
    differing = [*keys]
    # Two values by name, four lines at most: the sentence stays short.
    if len(differing) == 1:
        differ = f"{differing[0]} differs"
    elif len(differing) == 2:
        differ = f"{differing[0]} and {differing[1]} differ"
    else:
        differ = f"{differing[0]}, {differing[1]} and more differ"
    plural = "s" if len(lines) > 1 else ""
    listed = ", ".join(map(str, sorted(lines)[:4]))
    return f"its {differ} from '{target}', line{plural} {listed}"


def _warning(name: str, target: str, difference: ValueConflict) -> Diagnostic:
    """Return the warning of a value that a merge changes."""
    key, merged, kept = difference
    tag = counting(merged or kept)
    if not merged:
        sentence = "gained"
        stays = default_of(key)[1] or "none"
    else:
        sentence = "lost"
        stays = _said(key, kept)
        if kept:
            stays = f"{stays} of line {counting(kept).line}"
    names = name, target, _short(tag), stays
    return Diagnostic(SURFACE_MERGED, tag.line, sentence, names, offset=tag.offset)


def _warning_of_body(
    what: str, names: Pair, tags: Tuple[Setting, Setting], mass: float
) -> Diagnostic:
    """Return the warning of a changed value for a part of a body.

    `tags` are the tags of the part, and of the part whose value is used.
    """
    lost = counting(tags[0] or tags[1])
    sentence = "differs"
    if what == "gravity":
        sentence = "falls" if body_meaning(what, tags[1]) == (1.0,) else "floats"
    all_names = (*names, what, *(_said(what, some) for some in tags))
    return Diagnostic(
        kind=BODY_MERGED,
        line=lost.line,
        sentence=sentence,
        names=all_names,
        numbers=(mass,),
        offset=lost.offset,
    )


def _said(key: str, tags: Setting) -> str:
    """Return the tag that is read, in words, or the default."""
    return _short(counting(tags)) if tags else f"the default ({default_of(key)[1] or 'none'})"


def _short(setting: Element) -> str:
    """Return a tag and its value for a message; only the name for a nested block."""
    return setting.name if setting.elements() else f"{setting.name} {value_of(setting)}"


# ==== urdf_tools/plan/run_options.py ====
# The user's choices for a run.


class MeshOptions(Record):
    """How meshes are converted, copied and named; the fields have the names of the options on the command line.

    Attributes:
        separate_dae_meshes: one STL file and one visual for each color.
        combine_dae_meshes: one STL file for each COLLADA file, without colors.
        append_mesh_type: `_visual` or `_collision` is appended to the names of the files.
        mesh_dir: the folder for the files; "": `<output stem>_meshes` next to the output. If nothing is converted, all
            files that the result names are copied to this folder.
        mesh_prefix: the prefix of their names in the URDF, such as `package://robot/meshes`; "": a relative path.
        package: folders by package name.
        require_meshes: a mesh that cannot be found or read is an error.
        merge_equal_colors, planar, max_faces: as in `DaeOptions`.
        scale: meters per unit, overriding the unit of the file.
        missing_unit: `meter` or `millimeter`, for a file without a unit.
        up_axis: `x`, `y` or `z` turns that axis of a file to +Z.
        visual_error: visuals get fewer triangles within this distance [m]; 0.0: all are kept. In the package only.
    """

    separate_dae_meshes: bool = False
    combine_dae_meshes: bool = False
    append_mesh_type: bool = False
    mesh_dir: str = ""
    mesh_prefix: str = ""
    package: Pairs = ()
    require_meshes: bool = False
    merge_equal_colors: bool = True
    planar: str = "keep"
    max_faces: int = MAX_FACES
    scale: Optional[float] = None
    missing_unit: str = "meter"
    up_axis: Optional[str] = None
    visual_error: float = 0.0

    @property
    def wanted(self) -> bool:
        """Return True if COLLADA meshes are to be split or combined."""
        return self.separate_dae_meshes or self.combine_dae_meshes

    @property
    def dae(self) -> DaeOptions:
        """The options of the converter, except `rare`; `missing_unit` must be a key of MISSING_UNITS."""
        scene = SceneOptions(self.scale, MISSING_UNITS[self.missing_unit], self.up_axis)
        return DaeOptions(
            scene=scene,
            separate=True,
            merge_equal_colors=self.merge_equal_colors,
            planar=self.planar,
            max_faces=self.max_faces,
        )


class Options(Record):
    """The choices for a run, with the defaults of the command line.

    Attributes:
        base_frame: `auto`, `onshape`, `ros`, or words such as `x=left,y=back,z=up`.
        axis: the axes that the user assigns to words in joint names, as (word, 0 | 1 | 2).
        snap: angles below it [rad] count as noise; with 0, only rounding errors do.
        keep: globs of links on fixed joints that stay.
        keep_frames: massless links without geometry stay.
        keep_all_frames: merged links remain as empty links on fixed joints.
        merge_all: links that sensors, plugins or loops need are merged as well.
        count_once: the mass of an assembly that was exported twice counts once.
        strip: globs of mesh base names to remove as motor hardware.
        keep_mesh: globs of mesh base names that are never removed.
        strip_hardware, merge, reorient: the three stages.
        lenient: input that the common parsers accept is read with a warning instead of being refused.
        keep_signs: no joint changes its sign.
        meshes: how meshes are converted, copied and named.
    """

    base_frame: str = "auto"
    axis: Tuple[Tuple[str, int], ...] = ()
    snap: float = 1e-4
    keep: Texts = ()
    keep_frames: bool = False
    keep_all_frames: bool = False
    merge_all: bool = False
    count_once: bool = False
    strip: Texts = ()
    keep_mesh: Texts = ()
    strip_hardware: bool = True
    merge: bool = True
    reorient: bool = True
    lenient: bool = False
    keep_signs: bool = False
    meshes: MeshOptions = MeshOptions()


# ==== urdf_tools/plan/link_merging.py ====
# The decision which links merge into which: children of fixed joints and of duplicate joints.

WORLD = "world"  # sdformat and other readers fix its children to the world
WORLD_LINKS = (WORLD, "map", "odom", "ground")
POSE_TOLERANCE = 1e-5  # [m and rad]: error of six printed digits down a chain

# Properties that duplicate joints should share.
OF_MOTION = ("limit", "dynamics", "mimic", "safety", "calibration")
MAIN = "main"
BASE = "base"
KEPT = "kept"
FIXED = "fixed"
COPY = "copy"
SIBLING = "sibling"


class LinkMembership(Record):
    """The decision on a link.

    Attributes:
        target: the link that receives its content; the link itself if it is kept.
        T_target_link: its pose in the old frame of the target with all joints at zero.
        kind: MAIN (its joint moves), BASE (child of a root that is only a frame), KEPT (on a fixed joint, not merged),
            FIXED, COPY or SIBLING (merged).
        reason: the reason for the report.
    """

    target: str
    T_target_link: Transform
    kind: str
    reason: str

    @property
    def merged(self) -> bool:
        """Return True if its content moves to the target; with --keep-all-frames an empty link remains."""
        return self.kind in (FIXED, COPY, SIBLING)


class LinkMerges(Record):
    """All memberships by link, new names of joints by child link, warnings, and the values of contact and gravity."""

    members: Dict[str, LinkMembership]
    renamed: Dict[str, str]
    warnings: Notes
    surfaces: SimulatorLinkValues


class _FirstJoint(Record):
    """The first joint of a name: the joint, the moving body it is attached to, and T_body_child."""

    joint: UrdfJoint
    body: str
    T_body_child: Transform


class _KeptLink(Record):
    """Why a link on a fixed joint is kept, and whether only as a frame, so that its children merge into its target."""

    reason: str
    only_frame: bool = False


class _Merger:
    """The decisions so far, joint by joint, parents first.

    Attributes:
        members, renamed, warnings, surfaces: as in `LinkMerges`.
        problems: errors of joints that contradict each other.
        bodies: by link, the moving body that it is part of, and T_body_link.
        targets: by link, the link that a fixed child of it merges into, and T_target_link.
        firsts: by joint name, the first joint with it.
        originals: by link of an assembly that is a coincident copy, its original, or "" if unknown.
        joint_names: the names of the input, and new names.
    """

    def __init__(
        self, robot: UrdfRobot, needs: Dict[str, KeepReason], options: Options, stripped: Set[int]
    ) -> None:
        """Begin with the root, which is its own body and target."""
        self.robot = robot
        self.needs = needs
        self.options = options
        self.surfaces = SimulatorLinkValues(robot, stripped, inherits=not options.keep_all_frames)
        self.bases = _find_bases(robot, options)
        self.members: Dict[str, LinkMembership] = {}
        self.bodies: Dict[str, Tuple[str, Transform]] = {}
        self.targets: Dict[str, Tuple[str, Transform]] = {}
        self.firsts: Dict[str, _FirstJoint] = {}
        self.originals: Dict[str, str] = {}
        self.renamed: Dict[str, str] = {}
        self.joint_names = {joint.name for joint in robot.joints}
        self.warnings: List[Diagnostic] = []
        self.problems: List[UrdfError] = []
        self.add_body(robot.root, "the root")

    def add_body(self, link: str, reason: str = "") -> None:
        """Keep a link that moves."""
        self._stay(link, MAIN, reason)
        self.bodies[link] = (link, IDENTITY_POSE)

    def add_fixed(self, joint: UrdfJoint) -> None:
        """Decide on a link on a fixed joint: part of a copied assembly, base, kept or merged."""
        link = joint.child
        body, T_body_parent = self.bodies[joint.parent]
        self.bodies[link] = body, compose(T_body_parent, joint.origin)
        target, T_target_parent = self.targets[joint.parent]
        self.targets[link] = target, compose(T_target_parent, joint.origin)

        # A link fixed to a copied part is itself a copy, of a link at the same place.
        original = ""
        if joint.parent in self.originals:
            original = self.originals[link] = self._find_original(link)

        stay = self._why_kept(self.robot.links[link])
        if stay is None and not original and not self.options.merge_all:
            differs = why_kept_apart(self.surfaces, link, target)
            stay = _KeptLink(differs) if differs else None

        if original and stay is None:
            # Both are on one moving body, so their poses in the body give the relative pose.
            T_original_link = compose(inverse(self.bodies[original][1]), self.bodies[link][1])
            target, T_target_original = self.targets[original]
            self.targets[link] = target, compose(T_target_original, T_original_link)
            self._merge(link, COPY, f"coincident copy of '{original}'")
            self._warn_of_copy(joint, original)
        # Its children must not merge into the world.
        elif link in self.bases:
            self._stay(link, BASE, self.bases[link])
        elif stay is None:
            self._merge(link, FIXED, f"fixed joint '{joint.name}'")
        elif stay.only_frame:
            # It is not a target: links fixed to it merge into the target of its parent.
            self.members[link] = LinkMembership(link, IDENTITY_POSE, KEPT, stay.reason)
        else:
            self._stay(link, KEPT, stay.reason)

    def add_moving(self, joint: UrdfJoint) -> None:
        """Decide on a link on any other joint: it is kept unless a joint of the same name has the same motion."""
        body, T_body_parent = self.bodies[joint.parent]
        T_body_child = compose(T_body_parent, joint.origin)
        self.add_body(joint.child)
        # Exporters write a joint once for each part on it: joints with the same name and motion are one joint.
        first = self.firsts.setdefault(joint.name, _FirstJoint(joint, body, T_body_child))
        if first.joint is joint:
            return
        if not self.options.merge:
            self._warn_of_twice("kept", joint, first.joint)
            return
        conflict = _conflict(first, joint, body, T_body_child)
        if not conflict:
            self._merge_duplicate(first, joint, T_body_child)
        elif self.options.lenient:
            self._rename(first.joint, joint, conflict)
        else:
            self.problems.append(
                BrokenRobot(
                    f"joint '{joint.name}' has the name of the joint in line {first.joint.source.line}, but {conflict}: "
                    "two motions with one name; rename one of them, or use --lenient",
                    self.robot.document.path,
                    joint.source.line,
                )
            )

    def _stay(self, link: str, kind: str, reason: str) -> None:
        """Keep a link, into which links fixed to it may merge."""
        self.members[link] = LinkMembership(link, IDENTITY_POSE, kind, reason)
        self.targets[link] = (link, IDENTITY_POSE)

    def _merge(self, link: str, kind: str, reason: str) -> None:
        """Merge a link into its target."""
        self.members[link] = LinkMembership(*self.targets[link], kind, reason)
        self.surfaces.merge(link, self.targets[link][0])

    def _merge_duplicate(
        self, first: _FirstJoint, joint: UrdfJoint, T_body_child: Transform
    ) -> None:
        """Merge the child of a joint into the child of the first joint of its name, with which it moves.

        The child is the same part exported twice (a coincident copy), or a different part on the same axis.
        """
        link = joint.child
        target = first.joint.child
        T_target_link = compose(inverse(first.T_body_child), T_body_child)
        self.bodies[link] = self.targets[link] = (target, T_target_link)
        again = f"joint '{joint.name}' again"
        is_in_place = poses_coincide(T_target_link, IDENTITY_POSE)
        if is_in_place and _have_same_mass(self.robot, target, link):
            self._merge(link, COPY, f"{again}, same part exported twice as '{target}'")
            self.originals[link] = target
            self._warn_of_copy(joint, target)
        else:
            self._merge(link, SIBLING, f"{again}, same axis: moves with '{target}'")
        if any(getattr(joint, part) != getattr(first.joint, part) for part in OF_MOTION):
            self._warn_of_twice("differs", joint, first.joint)

    def _warn_of_twice(self, sentence: str, joint: UrdfJoint, first: UrdfJoint) -> None:
        """Warn of a joint that was exported twice."""
        line = joint.source.line
        first_line = first.source.line
        self.warnings.append(
            Diagnostic(
                kind=JOINT_TWICE,
                line=line,
                sentence=sentence,
                names=(joint.name,),
                numbers=(first_line,),
            )
        )

    def _rename(self, first: UrdfJoint, joint: UrdfJoint, conflict: str) -> None:
        """Rename one of two joints of a name, so that references in other elements still refer to the same joint."""
        name = unique(joint.name, self.joint_names)
        self.joint_names.add(name)
        renamed_joint, kept_joint = (
            (first, joint) if joint is self.robot.named[joint.name] else (joint, first)
        )
        self.renamed[renamed_joint.child] = name
        names = joint.name, name, conflict
        self.warnings.append(
            Diagnostic(
                kind=RENAMED_JOINT,
                line=renamed_joint.source.line,
                sentence="joint",
                names=names,
                numbers=(kept_joint.source.line,),
            )
        )

    def settle_surfaces(self) -> None:
        """Decide the values that simulators read for whole bodies, once all links are decided."""
        lumped = self.surfaces.lumped
        bodies = {self.robot.root: self.robot.root}
        for joint in self.robot.tree:
            child = joint.child
            member = self.members[joint.child]
            if member.merged:
                bodies[child] = bodies[member.target]
            # A link that stays, and that a simulator lumps.
            elif lumped[child].body != child:
                bodies[child] = bodies[joint.parent]
            else:
                bodies[child] = child
        merged = {name: member for name, member in self.members.items() if member.merged}
        massless = {
            name
            for name, member in merged.items()
            if member.kind == COPY and self.options.count_once
        }
        # Merged links that sdformat does not lump.
        not_lumped = {
            name
            for name, member in merged.items()
            if member.kind == FIXED and lumped[name].body == name
        }
        self.surfaces.settle(bodies, set(merged), massless, not_lumped)

    def _why_kept(self, link: UrdfLink) -> Optional[_KeptLink]:
        """Return why a link on a fixed joint is kept, or None if only its contacts could be a reason."""
        options = self.options
        need = self.needs.get(link.name)
        is_frame = _is_frame(link)
        if not options.merge:
            return _KeptLink("merging is left out")
        if need is not None and (need.hard or not options.merge_all):
            # With all frames kept, a link that is needed only as a frame has it already.
            if not (need.frame and options.keep_all_frames):
                return _KeptLink(need.reason, need.frame and is_frame)
        for pattern in options.keep:
            if fnmatchcase(link.name, pattern):
                return _KeptLink(f"--keep {pattern}")
        if options.keep_frames and is_frame:
            return _KeptLink("--keep-frames", True)
        if options.keep_all_frames and link.inertial is None and not link.shapes:
            return _KeptLink("--keep-all-frames", True)
        return None

    def _find_original(self, link: str) -> str:
        """Return the original of a link on a fixed joint of a copied assembly, or "".

        Among several candidates, the one whose joint has the same name is taken. A part without mass is a copy only if
        the names are the same.
        """
        robot = self.robot
        body, T_body_link = self.bodies[link]
        # A link is the original of one copy at most, and a copy is never an original.
        excluded = {*self.originals, *self.originals.values(), body, link}
        copies = [
            name
            for name, (other, T_body_name) in self.bodies.items()
            if other == body
            and name not in excluded
            and _have_same_mass(robot, name, link)
            and poses_coincide(compose(inverse(T_body_name), T_body_link), IDENTITY_POSE)
        ]
        same_named = [name for name in copies if robot.above[name].name == robot.above[link].name]
        if same_named:
            return same_named[0]
        has_mass = robot.links[link].mass >= NO_MASS
        return copies[0] if copies and has_mass else ""

    def _warn_of_copy(self, joint: UrdfJoint, original: str) -> None:
        """Warn of a part with mass that was exported twice, and tell whether its mass counts once."""
        mass = self.robot.links[joint.child].mass
        if mass:
            kind = EXPORTED_ONCE if self.options.count_once else EXPORTED_TWICE
            self.warnings.append(
                Diagnostic(
                    kind=kind,
                    line=joint.source.line,
                    sentence="part",
                    names=(joint.child, original),
                    numbers=(mass,),
                )
            )


def decide_merging(
    robot: UrdfRobot, needs: Dict[str, KeepReason], options: Options, stripped: Set[int]
) -> LinkMerges:
    """Decide for every link whether it is kept, and if not, which link it merges into.

    `stripped` holds the offsets of stripped shapes: the contacts of a link without any other collision do not matter.

    Raises:
        BrokenRobot, ErrorGroup: joints that share a name but not a motion (unless `options.lenient` renames them).
    """
    merger = _Merger(robot, needs, options, stripped)
    for joint in robot.tree:
        if joint.type == "fixed":
            merger.add_fixed(joint)
        else:
            merger.add_moving(joint)
    raise_all(merger.problems)
    merger.settle_surfaces()
    return LinkMerges(
        merger.members,
        merger.renamed,
        (*merger.warnings, *_unused_globs(robot, options)),
        merger.surfaces,
    )


def _find_bases(robot: UrdfRobot, options: Options) -> Dict[str, str]:
    """Return the links that are the robot's base, with the reason why each stays on a root that is only a frame.

    The bases on WORLD_LINKS are all links fixed to them. The link `world` may have mass and shapes, which Gazebo
    ignores: it lumps no link into it (sdformat src/parser_urdf.cc). Any other root that is only a frame, or a base that
    is only a frame, has a base if a single fixed joint carries all its descendants: KDL requires a massless root, and
    ROS code uses both names.
    """
    below = grouped((joint.parent, joint) for joint in robot.joints)
    carrying: Set[str] = set()  # links with content or motion, and their parents
    # From the leaves to the root, so that children are decided before their parents.
    for joint in reversed(robot.tree):
        if (
            joint.child in carrying
            or joint.type != "fixed"
            or not _is_frame(robot.links[joint.child])
        ):
            carrying |= {joint.parent, joint.child}
    bases: Dict[str, str] = {}
    waiting = [robot.root]
    while waiting:
        name = waiting.pop()
        if not name == robot.root == "world" and not _is_frame(robot.links[name]):
            continue
        if name == robot.root and name in WORLD_LINKS:
            children = [joint.child for joint in below.get(name, ()) if joint.type == "fixed"]
            reason = f"it is the base, bolted to '{name}'"
        else:
            carried = [
                joint
                for joint in below.get(name, ())
                if joint.type != "fixed" or joint.child in carrying
            ]
            single = len(carried) == 1 and carried[0].type == "fixed" and not options.merge_all
            children = [carried[0].child] if single else []
            reason = (
                f"it is the base below '{name}', a frame only: KDL needs a massless root, and ROS code uses "
                "both names"
            )
        bases.update(dict.fromkeys(children, reason))
        waiting.extend(children)
    return bases


def _is_frame(link: UrdfLink) -> bool:
    """Return True if a link has no mass and no shapes."""
    return link.mass < NO_MASS and not link.shapes


def _conflict(first: _FirstJoint, joint: UrdfJoint, body: str, T_body_child: Transform) -> str:
    """Return why two joints of one name do not have the same motion, or "" if they do."""
    if joint.type != first.joint.type:
        return f"one is {first.joint.type} and the other {joint.type}"
    if body != first.body:
        return "it is attached to another body"
    if joint.type not in MOVABLE:
        return f"a {joint.type} joint has no axis line to compare"
    axis = rotate(first.T_body_child.rotation, first.joint.axis)
    other = rotate(T_body_child.rotation, joint.axis)
    angle = angle_between(axis, other)
    if angle > POSE_TOLERANCE:
        return f"its axis differs by {short([degrees(angle)], 3)} degrees"
    between = subtract(T_body_child.translation, first.T_body_child.translation)
    distance = norm(cross(between, axis))
    # A prismatic joint slides alike along any parallel line.
    if joint.type != "prismatic" and distance > POSE_TOLERANCE:
        return f"its axis is {short([distance * 1000.0], 3)} mm away"
    return ""


def poses_coincide(T_a: Transform, T_b: Transform) -> bool:
    """Return True if two poses are equal to the precision of six printed digits."""
    distance = norm(subtract(T_a.translation, T_b.translation))
    return distance < POSE_TOLERANCE and rotation_angle(T_a.rotation, T_b.rotation) < POSE_TOLERANCE


def _have_same_mass(robot: UrdfRobot, first: str, second: str) -> bool:
    """Return True if two links have the same mass and center, or neither has mass."""
    inertial = robot.links[first].inertial
    other = robot.links[second].inertial
    if inertial is None or other is None:
        return inertial is other
    # 1e-5, because masses are printed with six digits.
    return (
        abs(inertial.properties.mass - other.properties.mass) <= 1e-5 * inertial.properties.mass
        and norm(subtract(inertial.properties.center, other.properties.center)) < POSE_TOLERANCE
    )


def _unused_globs(robot: UrdfRobot, options: Options) -> List[Diagnostic]:
    """Return a warning for each glob of --keep that matches no link on a fixed joint."""
    fixed = [joint.child for joint in robot.joints if joint.type == "fixed"]
    return [
        Diagnostic(
            kind=UNUSED_OPTION, line=0, sentence="keep", names=(pattern,), numbers=(len(fixed),)
        )
        for pattern in options.keep
        if not any(fnmatchcase(name, pattern) for name in fixed)
    ]


# ==== urdf_tools/plan/canonical_frames.py ====
# The rotation of every frame to its canonical orientation, by a two-pass algorithm.
#
# Pass 1 computes the world rotation of every link at zero, pass 2 decides for each joint separately: the world axis it
# turns about, the sign, and the frame that has this axis as a column and is otherwise as near to the world as possible.
# No frame is derived from its neighbor's, so twist cannot accumulate along a chain.

# The least |v . e| for a name class: a little below 0.5, so that rounding cannot reject an axis at 60 degrees.
LEAST_AGREEMENT = 0.499
TIE = 1e-3  # an axis between two standard axes goes to the first of them, whatever its last digit
EXACT = 1e-12  # [rad] rounding error of a product of rotations
NOISE = 1e-12  # [rad] angles below this are rounding error, even with --snap 0
ERROR_OF_TEXT = 1e-11  # [rad] error of rounding to the digits that are written
# Times the snap tolerance: frames this near to canonical stay; not round, so that input angles do not hit it.
STABLE = 3.07


class JointFrame(Record):
    """The frame of a joint of the result.

    Attributes:
        rpy: the angles that will be written [rad].
        axis: 0, 1, 2 for X, Y, Z, or None for a joint without axis.
        map: how the joint position is mapped.
        asked: the axis that its name implies, if any.
        fallback: True if the axis of the name was too far off.
        tilt: angle between the axis and the chosen world axis [rad].
        axis_sign: 1, or -1 where the opposite axis is written, such as `0 -1 0`, to keep the sign.
        R_new_old: the rotation of the frame of its child link.
    """

    rpy: Vector
    axis: Optional[int] = None
    map: JointMap = AS_IT_WAS
    asked: Optional[AxisFromName] = None
    fallback: bool = False
    tilt: float = 0.0
    axis_sign: int = 1
    R_new_old: Matrix = IDENTITY

    @property
    def axis_written(self) -> Vector:
        """The axis as it is written, in the new frame of the child link; ZERO for a joint without axis."""
        return ZERO if self.axis is None else scale(float(self.axis_sign), UNIT_AXES[self.axis])


class CanonicalFrames(Record):
    """The new frames of a robot: `turns` holds R_new_old of every link of the result, `joints` is by child link."""

    turns: Dict[str, Matrix]
    joints: Dict[str, JointFrame]


def decide_frames(
    robot: UrdfRobot,
    members: Dict[str, LinkMembership],
    base: BaseFrame,
    signs_kept: AbstractSet[str],
    options: Options,
) -> CanonicalFrames:
    """Decide the new frame of every link of the result. `signs_kept` holds child links of joints.

    Children are computed from the frame of the parent as it will be written (rounded, noise set to zero). Cleaning
    therefore turns only the joint's own axis, by the tolerance at most.
    """
    # Pass 1: world rotations at zero of every link, in the new base frame.
    T_world = poses_at(robot, {}, Transform(base.R_new_old, ZERO))
    R_old = {link: T.rotation for link, T in T_world.items()}

    # Pass 2: one joint at a time, parents first.
    R_new = {robot.root: IDENTITY}
    joints: Dict[str, JointFrame] = {}
    for joint in robot.tree:
        link = joint.child
        member = members[joint.child]
        parent = members[joint.parent].target
        if member.merged:
            if not options.keep_all_frames:
                continue
            # The content moves to the target; the empty link that stays is attached by a fixed joint.
            joint = as_fixed(joint)
            parent = member.target

        R_parent = R_new[parent]
        R_child = R_old[link]
        # If the parent is unchanged and did not turn, the angles of the file hold, digit by digit.
        in_place = parent == joint.parent and R_parent == R_old[parent]
        present = joint.rpy
        if not in_place:
            present = rpy_from_matrix(multiply(transpose(R_parent), R_child))
        frame = JointFrame(present)
        if options.reorient:
            keeps_sign = link in signs_kept
            frame = _canonical(
                joint, member, R_child, R_parent, present, options, keeps_sign=keeps_sign
            )
        joints[link] = frame
        R_new[link] = R_child  # R_old itself, so that `turns` contains exactly IDENTITY for it
        if not in_place or frame.rpy != joint.rpy:
            joints[link], R_new[link] = _as_written(
                frame, joint, R_child, R_parent, in_place=in_place
            )

    turns = {}
    for link, R in R_new.items():
        is_turned = R != R_old[link]
        turns[link] = multiply(transpose(R), R_old[link]) if is_turned else IDENTITY
    turned = {link: frame._replace(R_new_old=turns[link]) for link, frame in joints.items()}
    return CanonicalFrames(turns, turned)


def _as_written(
    frame: JointFrame,
    joint: UrdfJoint,
    R_world_child: Matrix,
    R_world_parent: Matrix,
    *,
    in_place: bool,
) -> Tuple[JointFrame, Matrix]:
    """Return a frame with the angles that will be written, and its rotation in the world.

    A link that is turned only by rounding counts as not turned, so that all texts in it stay.
    """
    frame = frame._replace(rpy=as_written(frame.rpy))
    R_written = multiply(R_world_parent, matrix_from_rpy(frame.rpy))
    if rotation_angle(R_written, R_world_child) >= EXACT:
        return frame, R_written
    # Exporter noise such as 1e-17 is cleaned to 0 even if this turns nothing; other angles keep their digits.
    cleaned_noise = any(old != 0.0 and new == 0.0 for old, new in zip(joint.rpy, frame.rpy))
    if in_place and not cleaned_noise and same_numbers(joint.rpy, frame.rpy):
        frame = frame._replace(rpy=joint.rpy)
    return frame, R_world_child


def _canonical(
    joint: UrdfJoint,
    member: LinkMembership,
    R_world_child: Matrix,
    R_world_parent: Matrix,
    present: Vector,
    options: Options,
    *,
    keeps_sign: bool,
) -> JointFrame:
    """Choose axis, sign and rpy of a joint.

    `present` is its present orientation relative to the new parent [rad].
    """
    snap = options.snap
    if joint.type not in WITH_AXIS:
        # Floating joints and bases have no axis to follow: align them with the world. Other joints stay.
        if joint.type == "floating" or member.kind == BASE:
            angles = _stable_rpy(
                R_world_canonical=IDENTITY,
                canonical_for=lambda R: IDENTITY,
                rounded_by=lambda R: rotation_angle(R, IDENTITY),
                as_is=present,
                R_world_parent=R_world_parent,
                snap=snap,
            )
            return JointFrame(angles)
        cleaned = _cleaned(present, snap)
        rounded = rotation_angle(matrix_from_rpy(cleaned), matrix_from_rpy(present))
        # Several angles below the snap may turn the frame by more than the snap.
        if rounded > snap:
            cleaned = _cleaned(present, 0.0)
        return JointFrame(cleaned)

    # The world axis: the axis of the name if the joint turns about it at all, else the nearest.
    v = unit(rotate(R_world_child, joint.axis))
    asked = axis_class(joint.name, dict(options.axis))
    present_axis = _present_axis(joint, v, R_world_child, snap, keeps_sign=keeps_sign)
    axis, fallback = _standard_axis(v, asked, present_axis, snap)
    e_axis = UNIT_AXES[axis]

    # The sign: the axis points along the world axis. If the sign is kept, `0 -1 0` is written instead.
    side = 1 if v[axis] > 0.0 else -1
    sign = 1 if keeps_sign else side
    v = scale(float(side), v)

    # The frame: the present one may stay only if its column `axis` is the joint's axis.
    along_column = angle_between(scale(float(side), joint.axis), e_axis) <= max(snap, EXACT)
    angles = _stable_rpy(
        R_world_canonical=canonical_rotation(v, axis),
        canonical_for=lambda R: canonical_rotation(rotate(R, e_axis), axis),
        rounded_by=lambda R: angle_between(rotate(R, e_axis), v),
        as_is=present if along_column else None,
        R_world_parent=R_world_parent,
        snap=snap,
    )
    return JointFrame(
        rpy=angles,
        axis=axis,
        map=JointMap(sign),
        asked=asked,
        fallback=fallback,
        tilt=angle_between(v, e_axis),
        axis_sign=side * sign,
    )


def _present_axis(
    joint: UrdfJoint, v: Vector, R_world_child: Matrix, snap: float, *, keeps_sign: bool
) -> Optional[int]:
    """Return the axis for which the frame of a joint is already canonical, or None; `v` is its axis in the world.

    The joint keeps this axis: cleaning turned it a little, and a second run might choose a different axis.
    """
    # If the sign is kept, an earlier run may have written the opposite axis.
    ends = (1.0, -1.0) if keeps_sign else (1.0,)
    for k in range(3):
        for end in ends:
            if joint.axis == scale(end, UNIT_AXES[k]):
                angle = rotation_angle(R_world_child, canonical_rotation(scale(end, v), k))
                return k if angle <= _tolerance(snap) else None
    return None


def _standard_axis(
    v: Vector, asked: Optional[AxisFromName], present: Optional[int], snap: float
) -> Tuple[int, bool]:
    """Return the standard axis of a joint, and whether it is a fallback from the axis of its name.

    The axis of the name is taken if the joint turns about it at all, else the nearest axis. An axis `present`, for
    which the frame is canonical already, is preferred if it is close: cleaning may have turned the joint's axis.
    """
    # Cleaning may have changed an entry of v by as much as a canonical frame may be off.
    favor = [0.0, 0.0, 0.0]
    if present is not None:
        favor[present] = _tolerance(snap)
    if asked is not None:
        against = max(favor) - favor[asked.axis]
        if abs(v[asked.axis]) + favor[asked.axis] >= LEAST_AGREEMENT + against:
            return asked.axis, False
    largest = max(map(abs, v))
    # Twice, because cleaning may have lowered one entry and raised another.
    close = [k for k in range(3) if abs(v[k]) + 2.0 * favor[k] >= largest - TIE]
    axis = present if present in close else close[0]
    return axis, asked is not None


def canonical_rotation(v: Vector, axis: int) -> Matrix:
    """Return R_world_frame: the right-handed frame with the unit vector `v` as column `axis`, closest to the world.

    For X and Y, column Z is world Z made perpendicular to v; for Z, column X is world X made perpendicular to v. If the
    two are parallel, world X is used for a Y axis, and world Y for an X or Z axis.
    """
    # `other` is the world axis to follow if v is parallel to `helper`.
    helper, other = {0: (2, 1), 1: (2, 0), 2: (0, 1)}[axis]
    column = subtract(UNIT_AXES[helper], scale(dot(UNIT_AXES[helper], v), v))
    # Parallel: the projection is mostly rounding error, and its direction would be arbitrary.
    if norm(column) < 1e-6:
        column = subtract(UNIT_AXES[other], scale(dot(UNIT_AXES[other], v), v))
    column = unit(column)
    # The three indices sum to 3.
    third = 3 - axis - helper
    columns: List[Vector] = [v, v, v]
    columns[helper] = column
    # In cyclic order, so that the frame is right-handed.
    columns[third] = cross(columns[(third + 1) % 3], columns[(third + 2) % 3])
    return transpose((columns[0], columns[1], columns[2]))


def _stable_rpy(
    *,
    R_world_canonical: Matrix,
    canonical_for: Callable[[Matrix], Matrix],
    rounded_by: Callable[[Matrix], float],
    as_is: Optional[Vector],
    R_world_parent: Matrix,
    snap: float,
) -> Vector:
    """Return the angles [rad] of a canonical frame in its parent, such that a second run changes nothing.

    Setting an angle to zero turns the axis a little, and the canonical frame of the turned axis differs. So a cleaned
    frame counts as canonical if it is within a few tolerances of the frame that is canonical for it (`canonical_for`).
    Cleaning may also turn the quantity that must not turn (`rounded_by`) by the tolerance at most: three angles just
    below the tolerance would add up to more.

    `as_is` are the present angles, if the frame may stay.
    """

    def is_allowed(angles: Vector) -> bool:
        """Return True if a run would find the frame canonical, and the axis is rounded by the snap at most."""
        R_world_child = multiply(R_world_parent, matrix_from_rpy(angles))
        near_canonical = rotation_angle(R_world_child, canonical_for(R_world_child)) <= _tolerance(
            snap
        )
        return near_canonical and rounded_by(R_world_child) <= max(snap, ERROR_OF_TEXT)

    if as_is is not None and is_allowed(_cleaned(as_is, snap)):
        return _cleaned(as_is, snap)
    exact = rpy_from_matrix(multiply(transpose(R_world_parent), R_world_canonical))
    cleaned = as_written(_cleaned(exact, snap))
    # If cleaning moves the frame too far, keep all its angles: a later run would clean the remaining ones.
    return cleaned if is_allowed(cleaned) else _cleaned(exact, 0.0)


def _tolerance(snap: float) -> float:
    """Return the angle [rad] by which a frame may differ from its canonical frame and still be kept."""
    return max(STABLE * snap, ERROR_OF_TEXT)


def _cleaned(rpy: Vector, snap: float) -> Vector:
    """Return the angles with zeros for angles below the snap [rad] or below noise."""
    least = max(snap, NOISE)
    roll, pitch, yaw = (angle if abs(angle) >= least else 0.0 for angle in rpy)
    return (roll, pitch, yaw)


def axis_letter(frame: JointFrame) -> str:
    """Return X, Y or Z, or "" for a joint without axis."""
    return "" if frame.axis is None else AXIS_LETTERS[frame.axis]


def name_frame_joints(
    robot: UrdfRobot, members: Dict[str, LinkMembership], renamed: Dict[str, str]
) -> Dict[str, str]:
    """Return, by merged link whose frame is kept, the name of its fixed joint.

    A fixed joint keeps its name unless a different joint has it already. That joint, and a duplicate joint, is called
    `<link>_frame`.
    """
    used = {
        renamed.get(joint.child, joint.name)
        for joint in robot.joints
        if not members[joint.child].merged
    }
    reserved: Set[str] = {*used, *(joint.name for joint in robot.joints)}
    # In file order, so that the first joint of a name keeps it.
    names = {}
    for joint in robot.joints:
        if not members[joint.child].merged:
            continue
        name = joint.name
        if name in used:  # always true for a duplicate joint
            name = unique(f"{joint.child}_frame", reserved)
            reserved.add(name)
        used.add(name)
        names[joint.child] = name
    return names


# ==== urdf_tools/plan/reference_updates.py ====
# Changes that affect elements naming a link or joint, and the edits and warnings that follow from them.

# [rad] and [m]: smaller numbers of a moved pose are rounding errors, and are written as 0.
ANGLE_NOISE_OF_POSES = 1e-12
LENGTH_NOISE_OF_POSES = 1e-13
SAME_FRAME = 1e-9  # [m and rad]
SEPARATORS = r"[\s,;=()\[\]{}]+"  # between numbers in unknown elements


class ReferenceUpdate(Record):
    """An updated element, for the plan: its line, tag and name, and the key of the sentence on its change, with names."""

    line: int
    what: str
    tag: str
    sentence: str
    names: Texts
    sentences: Mapping[str, str] = FOLLOWED

    @property
    def how(self) -> str:
        """The change in words."""
        return self.sentences[self.sentence].format(*self.names)


class ReferenceUpdates(Record):
    """The updates outside links and joints: `edits` and `drops` for the pass, `notes` for the plan, and `warnings`
    about elements that are not updated."""

    edits: Tuple[AttributeEdit, ...] = ()
    drops: Tuple[Element, ...] = ()
    notes: Tuple[ReferenceUpdate, ...] = ()
    warnings: Notes = ()


class ReferenceChanges:
    """The input of the updates outside links and joints, queries about it, and the decisions so far.

    Attributes:
        placements: T_new_old of every link, to its own new frame or the new frame of its target.
        maps: the maps of joint positions, by joint name.
        removed_joints: the names of joints that are removed by merging.
        removed_shapes: offsets of the elements of shapes that are removed.
        unused_tags: offsets of simulator tags that no reader uses.
        kept_frames: by merged link whose frame is kept, T_new_old of this frame, which names and poses still use.
        new_collision_names: new names of collisions, by the offset of their element.
        edits, drops, notes, warnings: as in `ReferenceUpdates`.
    """

    def __init__(
        self,
        robot: UrdfRobot,
        members: Dict[str, LinkMembership],
        placements: Poses,
        maps: Dict[str, JointMap],
        *,
        removed_shapes: AbstractSet[int] = frozenset(),
        unused_tags: AbstractSet[int] = frozenset(),
        kept_frames: Mapping[str, Transform] = {},
    ) -> None:
        """Begin without edits; the kept frames are added to the placements."""
        self.robot = robot
        self.members = members
        self.maps = maps
        self.placements = {**placements, **kept_frames}
        self.removed_shapes = removed_shapes
        self.unused_tags = unused_tags
        self.kept_frames = kept_frames
        merged = {joint.name for joint in robot.joints if members[joint.child].merged}
        # If several joints have one name and one of them stays, the name stays.
        self.removed_joints = merged - maps.keys()
        self.new_collision_names: Dict[int, str] = {}
        self.edits: List[AttributeEdit] = []
        self.drops: Dict[int, Element] = {}  # by offset
        self.notes: List[ReferenceUpdate] = []
        self.warnings: Dict[Diagnostic, None] = {}  # each once

    def is_known_link(self, link: Optional[str]) -> bool:
        """Return True for the name of a link of the input."""
        return link in self.members

    def is_merged(self, link: Optional[str]) -> bool:
        """Return True if a link is merged and its frame is not kept."""
        return link in self.members and self.members[link].merged and link not in self.kept_frames

    def target(self, link: str) -> str:
        """Return the link that the name of a link refers to in the result."""
        return link if link in self.kept_frames else self.content_in(link)

    def content_in(self, link: str) -> str:
        """Return the link that receives the content of a link, even if the frame of the link is kept."""
        return self.members[link].target

    def is_removed_joint(self, joint: Optional[str]) -> bool:
        """Return True for the name of a joint that merging removes."""
        return joint in self.removed_joints

    def map_of(self, joint: Optional[str]) -> JointMap:
        """Return the map of a joint's position; unknown names have the identity map."""
        return self.maps.get(joint or "", AS_IT_WAS)

    def is_flipped(self, joint: Optional[str]) -> bool:
        """Return True if the sign of a joint changes."""
        return self.map_of(joint).sign < 0

    def is_remapped(self, joint: Optional[str]) -> bool:
        """Return True if the sign or the zero of a joint changes."""
        return self.map_of(joint) != AS_IT_WAS

    def T_new_old(self, link: Optional[str]) -> Transform:
        """Return T_new_old of a link, or IDENTITY_POSE for an unknown name."""
        return self.placements.get(link or "", IDENTITY_POSE)

    def is_frame_changed(self, link: Optional[str]) -> bool:
        """Return True if the frame of the link is rotated or translated."""
        return norm(self.T_new_old(link).translation) > SAME_FRAME or self.is_frame_rotated(link)

    def is_frame_rotated(self, link: Optional[str]) -> bool:
        """Return True if the frame of the link is rotated."""
        return rotation_angle(self.T_new_old(link).rotation, IDENTITY) > SAME_FRAME

    def way_to_keep(self, link: str) -> str:
        """Return the option that keeps the frame of a link unchanged."""
        return pasted("--keep", link) if self.is_merged(link) else "--no-reorient"

    def set(self, element: Element, attribute: str, value: str, child: str = "") -> None:
        """Record a new value of an attribute in an element or its child; the attribute "" is the text."""
        self.edits.append(AttributeEdit(element, attribute, value, child))

    def drop(self, element: Element) -> None:
        """Record that an element is dropped."""
        self.drops[element.offset] = element

    def is_dropped(self, element: Element) -> bool:
        """Return True if an element or one of its ancestors is dropped."""
        return any(above.offset in self.drops for above in element.upward())

    def rename_link(self, element: Element, attribute: str, link: str) -> None:
        """Replace the name of a merged link by the name of its target; other names stay."""
        if self.is_merged(link):
            self.set(element, attribute, self.target(link))
            self.note(element, "renamed", link, self.target(link))

    def note(self, element: Element, sentence: str, *names: str) -> None:
        """Record that an element is updated; `sentence` is a key of FOLLOWED, and `names` fill it."""
        self.notes.append(
            ReferenceUpdate(
                line=element.line,
                what=place_of(element),
                tag=element.name,
                sentence=sentence,
                names=names,
            )
        )

    def warn(self, element: Element, kind: DiagnosticKind, sentence: str, *names: str) -> None:
        """Warn of an element that is not updated: the sentence is filled with the element, then `names`."""
        self.warn_at(element, kind, sentence, place_of(element), *names)

    def warn_of_joint(self, element: Element, sentence: str, joint: str, place: str = "") -> None:
        """Warn of an element that is not updated although the sign or zero of a joint changes; `place` "" is the element."""
        joint_map = self.map_of(joint)
        for kind, holds in (
            (FLIPPED_JOINT, joint_map.sign < 0),
            (MOVED_ZERO, joint_map.zero != 0.0),
        ):
            if holds:
                self.warn_at(element, kind, sentence, place or place_of(element), joint)

    def warn_at(self, element: Element, kind: DiagnosticKind, sentence: str, *names: str) -> None:
        """Warn of an element that is not updated; `names` fill the sentence: elements, links and joints."""
        self.warnings[
            Diagnostic(
                kind=kind,
                line=element.line,
                sentence=sentence,
                names=names,
                numbers=(),
                offset=element.offset,
            )
        ] = None


def place_of(element: Element) -> str:
    """Return the element as messages name it, such as `<gazebo reference='imu'>`."""
    for key in ("reference", "name", "joint", "link"):
        if element.get(key):
            return f"<{element.name} {key}='{element.get(key)}'>"
    return f"<{element.name}>"


def has_number(text: str, *, zero: bool = True) -> bool:
    """Return True if a word of a text is a number; without `zero`, a nonzero number."""
    words = re.split(SEPARATORS, text)
    return any(
        re.fullmatch(NUMBER, word) is not None and (zero or float(word) != 0.0) for word in words
    )


def holds_number(top: Element, *, zero: bool = True, but: Collection[str] = ()) -> bool:
    """Return True if an attribute or text of an element or its descendants has a number.

    The attributes and children of the element that are named in `but` do not count. Numbers in a `<geometry>` are
    sizes.
    """
    return (
        has_number(top.text(), zero=zero)
        or any(
            has_number(value, zero=zero) for key, value in top.attributes.items() if key not in but
        )
        or any(
            holds_number(part, zero=zero)
            for part in top.elements()
            if part.name not in ("geometry", *but)
        )
    )


# ==== urdf_tools/plan/mesh_tasks.py ====
# The decision which meshes are converted, and the records of the conversion and its result. No file is read or written here.

# Endings of formats with colors, for which a visual needs no material.
HOLD_COLORS = (".gltf", ".glb")
# The color of a visual without a color in its mesh or in the URDF.
GRAY: DaeColor = (0.6, 0.6, 0.6, 1.0)


# The lost part of a visual's looks, by the kind and sentence of the note on its mesh.
IMAGE, LIGHT, POINT_COLORS = "an image", "light", "colors of points"
JOINED_COLORS, FLAT_COLORS = "a color of the mesh file", "the color of a flat part"
LOST_LOOKS: Mapping[Pair, str] = {
    ("mesh-content", "image"): IMAGE,
    ("mesh-content", "light"): LIGHT,
    ("mesh-content", "point-colors"): POINT_COLORS,
    ("mesh-feature", "facet-colors"): POINT_COLORS,
    ("mesh-feature", "vertex-colors"): POINT_COLORS,
    ("mesh-image", "no-coordinates"): IMAGE,
    ("mesh-image", "not-gltf"): IMAGE,
    ("mesh-merged", "part"): FLAT_COLORS,
}


def lost_looks(notes: Iterable[Diagnostic]) -> Texts:
    """Return the lost parts of a mesh's looks, from the notes on the mesh."""
    keys = ((note.kind.name, note.sentence) for note in notes)
    return tuple(dict.fromkeys(LOST_LOOKS[key] for key in keys if key in LOST_LOOKS))


class ConversionForm(Record):
    """The form that the meshes of a run are converted to.

    Attributes:
        endings: the endings of files to convert, in lower case; () converts none.
        separates: a visual is split by color; collisions never are.
        by_kind: visuals and collisions of the same mesh are converted differently.
        within: given the remaining shapes with their links, the largest distance of a visual with fewer triangles, by
            the name of its mesh [units of the file]; None: all triangles are kept.
        names: the names of files in the URDF: "" as usual, "keep" keeps the names of copies too, "all" takes them from
            the converter.
        compiler: attributes for `<mujoco><compiler>`; () keeps it as it is.
    """

    endings: Texts = ()
    separates: bool = False
    by_kind: bool = False
    within: Optional[Callable[[Sequence[Tuple[str, UrdfShape]]], Mapping[str, float]]] = None
    names: str = ""
    compiler: Pairs = ()


NO_CONVERSION = ConversionForm()


class MeshJob(Record):
    """The conversion of a mesh, shared by all shapes with the same needs.

    Attributes:
        path: the name of the mesh in the URDF; its real path once the file is found.
        separate: one file for each color.
        kind: the kind of shape if kinds are converted differently, else "".
        suffix: the end of the names of its files: "visual", "collision" or "".
        within: the largest distance to a mesh of fewer triangles [units of the file]; 0.0: all triangles are kept.
    """

    path: str
    separate: bool
    kind: str
    suffix: str
    within: float = 0.0


class ConversionTask(Record):
    """A shape whose mesh is to be converted, its link in the result, and the conversion."""

    shape: UrdfShape
    link: str
    job: MeshJob


class ReplacementMesh(Record):
    """A file that replaces a mesh: its name in the URDF, and for a visual its material.

    `has_own_colors`: the file has all colors, so the visual loses its material.
    """

    filename: str
    material: str
    rgba: str
    has_own_colors: bool = False


class ConvertedShape(Record):
    """A visual or collision that is replaced by a shape for each mesh part; `made` holds the parts of its converted mesh."""

    shape: UrdfShape
    link: str
    parts: Tuple[ReplacementMesh, ...]
    made: Tuple[MeshPart, ...]


class FinishedFile(Record):
    """A finished file of a run: a converted mesh, a copy, or a file that these refer to.

    Attributes:
        source: its current path, in the temporary folder.
        target: its path in the result.
        part: the converted mesh part; None for any other file.
        origin: the file that it was made from.
        shared: the user named the target folder, so other robots may have meshes in it.
        name: its name in the result; "" if only a different file refers to it.
        is_copy: it is identical to `origin`, byte by byte.
    """

    source: str
    target: str
    part: Optional[MeshPart]
    origin: str
    shared: bool
    name: str = ""
    is_copy: bool = False

    @property
    def along(self) -> bool:
        """Return True if the file is referred to by a file and not by the result itself."""
        return not self.name


class MeshResult(Record):
    """The result of converting, copying and naming the meshes.

    Attributes:
        converted: the shapes whose meshes were converted.
        files: the files of the result, converted or copied.
        unconverted: how many COLLADA references are kept as they are.
        names: the new names of mesh and texture files that are not converted, by their old ones and their uses.
        uri_files: the file of each URI among these names, and the files that are made, each by its real path.
        compiler: attributes for `<mujoco><compiler>`.
        warnings: about the files to convert.
        reduced: records of visuals that were to have fewer triangles.
        joined: by link of the result, and by the number of a visual that was joined with others, how many visuals
            replace it; 0: it is in the file of a different visual.
        lost: the links whose visuals lost a part of their looks, each with a value of `LOST_LOOKS`.
        restated: the links whose meshes the options place otherwise than their files do, each with the words.
    """

    converted: Tuple[ConvertedShape, ...]
    files: Tuple[FinishedFile, ...]
    unconverted: int
    names: Dict[FileUse, str]
    uri_files: Dict[str, str]
    compiler: Pairs
    warnings: Notes
    reduced: Tuple[Tuple[MeshJob, ReductionRecord], ...] = ()
    joined: Mapping[str, Mapping[int, int]] = {}
    lost: Pairs = ()
    restated: Pairs = ()

    @property
    def but_for(self) -> Texts:
        """Phrases that count the visuals that lost a part of their looks, and the meshes of another size or turn."""
        lost = Counter(word for _, word in self.lost)
        restated = Counter(words for _, words in self.restated)
        return (
            *(f"{count_of(count, 'visual')} without {word}" for word, count in lost.items()),
            *(f"{count_of(count, 'mesh', 'meshes')} {words}" for words, count in restated.items()),
        )

    @property
    def sources(self) -> str:
        """The word for the converted files: COLLADA if all of them are, else mesh."""
        return (
            "COLLADA"
            if not self.joined and all(is_collada(split.shape) for split in self.converted)
            else "mesh"
        )

    @property
    def formats(self) -> Dict[str, int]:
        """The number of meshes that were made, by the name of their format."""
        endings = (file.target.rpartition(".")[2] for file in self.files if file.part)
        return Counter("glTF" if ending == "gltf" else ending.upper() for ending in endings)


def is_collada(shape: UrdfShape) -> bool:
    """Return True if the mesh of a shape is a COLLADA file."""
    return shape.mesh.lower().endswith(COLLADA_ENDINGS)


def decide_meshes(
    staying: Sequence[Tuple[str, UrdfShape]], options: MeshOptions, form: ConversionForm
) -> Tuple[ConversionTask, ...]:
    """Return a conversion for each shape whose mesh is converted or reduced.

    The shapes come in file order with their links.
    """
    # The largest distance of a mesh with fewer triangles, by the name of the mesh.
    largest_gaps = form.within(staying) if form.within else {}
    tasks: List[ConversionTask] = []
    for link, shape in staying:
        is_visual = shape.kind == "visual"
        is_reduced = is_visual and shape.mesh in largest_gaps
        if not is_reduced and not shape.mesh.lower().endswith(form.endings):
            continue
        job = MeshJob(
            path=shape.mesh,
            separate=form.separates and is_visual,
            kind=shape.kind if form.by_kind else "",
            suffix=shape.kind if options.append_mesh_type else "",
            within=largest_gaps[shape.mesh] if is_reduced else 0.0,
        )
        tasks.append(ConversionTask(shape, link, job))
    return tuple(tasks)


# ==== urdf_tools/plan/removed_shapes.py ====
# The decision which shapes are removed: meshes of motor hardware, and shapes of merged links that duplicate the target's.
#
# Only visuals and collisions are removed, never mass.


class RemovedShape(Record):
    """A shape that is removed, its link, and the word or option that identifies it as hardware."""

    shape: UrdfShape
    link: str
    reason: str


class HardwareNearMiss(Record):
    """A mesh whose name resembles hardware but is kept, the number of its occurrences, and why it is kept."""

    stem: str
    times: int
    reason: str


class ShapeRemoval(Record):
    """The decision on hardware: `hits` are removed, `near_misses` stay, `warnings` are about globs that match no mesh."""

    hits: Tuple[RemovedShape, ...]
    near_misses: Tuple[HardwareNearMiss, ...]
    warnings: Notes

    @property
    def offsets(self) -> Set[int]:
        """The offsets of the shapes that are removed."""
        return {strip.shape.source.offset for strip in self.hits}


def decide_stripping(robot: UrdfRobot, options: Options) -> ShapeRemoval:
    """Return the shapes to remove, by the base names of their meshes.

    Only whole words count, and structure words and --keep-mesh take precedence.
    """
    hits: List[RemovedShape] = []
    misses: List[Pair] = []
    unused = {("--strip", glob) for glob in options.strip}
    unused |= {("--keep-mesh", glob) for glob in options.keep_mesh}
    for link, shape in robot.shapes:
        if not shape.mesh or not options.strip_hardware:
            continue
        stem = mesh_stem(shape.mesh)
        kept = _match(stem, options.keep_mesh)
        asked = _match(stem, options.strip)
        unused -= {("--keep-mesh", kept), ("--strip", asked)}
        # The user's globs take precedence over built-in words, and keeping over removing.
        hardware = word_among(HARDWARE, stem)
        structure = hardware and word_among(STRUCTURE, stem)
        if kept and (asked or hardware):
            misses.append((stem, f"--keep-mesh {kept}"))
        elif asked:
            hits.append(RemovedShape(shape, link, f"--strip {asked}"))
        elif hardware and structure:
            misses.append((stem, f"its name has '{structure}'"))
        elif hardware:
            hits.append(RemovedShape(shape, link, hardware))
        elif not kept and hidden_hardware(stem):
            misses.append((stem, f"'{hidden_hardware(stem)}' is part of a word"))
    # Sorted, because the order of a set of texts differs between runs.
    globs = sorted(f"{flag} {glob}" for flag, glob in unused)
    warnings = tuple(Diagnostic(UNUSED_OPTION, 0, "glob", (glob,)) for glob in globs)
    return ShapeRemoval(tuple(hits), _near_misses(misses), warnings)


def spare_last_shapes(
    robot: UrdfRobot, members: Dict[str, LinkMembership], stripping: ShapeRemoval
) -> ShapeRemoval:
    """Return the removals except those that would leave a link of the result without visuals or collisions.

    Only removals by a built-in word are undone, not those by the user's globs.
    """
    removed = stripping.offsets
    staying = {
        (members[link].target, shape.kind)
        for link, shape in robot.shapes
        if shape.source.offset not in removed
    }
    hits: List[RemovedShape] = []
    spared: List[Pair] = []
    for hit in stripping.hits:
        target = members[hit.link].target
        kind = hit.shape.kind
        if hit.reason in HARDWARE and (target, kind) not in staying:
            spared.append((mesh_stem(hit.shape.mesh), f"else link '{target}' has no {kind} left"))
        else:
            hits.append(hit)
    return stripping._replace(
        hits=tuple(hits), near_misses=stripping.near_misses + _near_misses(spared)
    )


def _near_misses(misses: List[Pair]) -> Tuple[HardwareNearMiss, ...]:
    """Return the meshes that were nearly stripped, without duplicates, from stems and reasons."""
    return tuple(
        HardwareNearMiss(stem, times, reason) for (stem, reason), times in Counter(misses).items()
    )


def _match(stem: str, globs: Texts) -> Optional[str]:
    """Return the first glob that matches a stem."""
    return next((glob for glob in globs if fnmatchcase(stem, glob)), None)


# A cube of space, as three integers. The cubes are larger than the tolerance, so equal poses are in the same or in
# neighboring cubes. A link with thousands of equal shapes thus needs no comparison of all pairs.
Cell = Tuple[int, int, int]
CELL_SIZE = 10.0 * POSE_TOLERANCE  # [m]


class DuplicateShape(Record):
    """A shape of a merged link that is dropped because the target has the same shape at the same pose."""

    shape: UrdfShape
    link: str
    target: str


def find_copies(
    robot: UrdfRobot, members: Dict[str, LinkMembership], stripped: Set[int]
) -> Iterator[DuplicateShape]:
    """Yield the shapes of merged links that the target has already: same kind, geometry, color and pose."""
    # By target and appearance, the poses of its shapes in cubes.
    # By target and appearance, the poses of its shapes in cubes.
    # By target and appearance, the poses of its shapes in cubes.
    poses_of: Dict[Tuple[str, Texts], Dict[Cell, List[Transform]]] = {}
    targets = {member.target for member in members.values() if member.merged}
    # The target's own shapes come first.
    for merged in (False, True):
        for name, member in members.items():
            if member.merged != merged or member.target not in targets:
                continue
            for shape in robot.links[name].shapes:
                if shape.source.offset in stripped or shape.drawn is None:
                    continue
                T = compose(member.T_target_link, shape.pose)
                poses = poses_of.setdefault((member.target, _appearance(shape)), {})
                if merged and _is_there(T, poses):
                    yield DuplicateShape(shape, name, member.target)
                else:
                    poses.setdefault(_cell_of(T), []).append(T)


def _cell_of(T: Transform) -> Cell:
    """Return the cube of space that contains the origin of a pose."""
    x, y, z = (floor(value / CELL_SIZE) for value in T.translation)
    return x, y, z


def _is_there(T: Transform, poses: Mapping[Cell, List[Transform]]) -> bool:
    """Return True if a pose equals one of the poses, which are given by their cubes."""
    x, y, z = _cell_of(T)
    neighbors = all_triples((x - 1, x, x + 1), (y - 1, y, y + 1), (z - 1, z, z + 1))
    near_poses = chain.from_iterable(poses.get(cell, ()) for cell in neighbors)
    return any(poses_coincide(T, other) for other in near_poses)


def _appearance(shape: UrdfShape) -> Texts:
    """Return all of a shape except its pose and names.

    A material is represented by its content, or by its name if it has no content.
    """
    parts = [shape.kind]
    for top in shape.source.elements():
        if top.name == "material" and not top.elements():
            parts.append(top.get("name") or "")
        elif top.name != "origin":
            # A material with content is compared by content, not by name.
            counting = top.elements() if top.name == "material" else [top]
            for inside in counting:
                for element in inside.walk():
                    text = element.text().strip() if element.children else ""
                    parts += [element.name, text]
                    parts += [f"{key}={value}" for key, value in sorted(element.attributes.items())]
    return tuple(parts)


# ==== urdf_tools/plan/update_references.py ====
# The updates outside links and joints after a merge, a turned frame or a flipped joint.
#
# The values that `facts.values` lists are updated, each by its kind. Any other element that names a changed link or
# joint, or has numbers in a changed frame, is not modified: its line gets a warning.

# `knee: 0.4` or `knee=1`, but not `robot::knee`, a scoped name.
INLINE_NAME = r"(?:^|(?<=[\s,;{(\['\"]))([^\s,;:={}()\[\]'\"]+)['\"]?\s*[:=](?!:)"


def update_references(
    changes: ReferenceChanges, references: Sequence[NameReference]
) -> ReferenceUpdates:
    """Return the updates of all elements; a reference to a removed link or joint gets an edit, a drop or a warning."""
    robot = changes.robot
    _drop_doubles(changes, robot)
    _warn_of_joint_parts(changes, robot)
    _name_materials(changes, robot)
    if any(True for _ in outside_urdf(robot)):
        _update_outside(changes, robot)
    # The content of removed joints needs no names any more.
    of_removed: Set[int] = set()
    for joint in robot.joints:
        if changes.is_merged(joint.child):
            of_removed.update(inner.offset for inner in joint.source.walk())
    staying = [reference for reference in references if reference.element.offset not in of_removed]
    # After the updates, because these warnings are for references that no edit or drop covers.
    _warn_of_the_rest(changes, staying)
    _warn_of_nameless_numbers(changes, staying)
    _warn_of_inline_values(changes, robot)
    notes = sorted(changes.notes, key=lambda note: note.line)
    return ReferenceUpdates(
        tuple(changes.edits), tuple(changes.drops.values()), tuple(notes), tuple(changes.warnings)
    )


def _update_outside(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Drop elements and warn by their tags, then update the values in the remaining elements.

    The modules are imported here, because many robots consist only of links and joints.
    """
    for link in robot.links.values():
        if changes.T_new_old(link.name) == IDENTITY_POSE:
            continue
        for element in link.extras:
            if not changes.is_dropped(element):
                _check_extra(changes, element, link.name)
    for top in robot.document.root.elements():
        if top.name in CHECKS and not changes.is_dropped(top):
            CHECKS[top.name](changes, top)
    for value in values_in(tree_of(robot, changes.is_removed_joint)):
        if not changes.is_dropped(value.element):
            EDITORS[value.kind](changes, value)


def tree_of(robot: UrdfRobot, removed: Callable[[str], bool] = lambda _: False) -> RobotFacts:
    """Return the facts of a robot that the rules of values need; names of `removed` joints refer to no link."""
    return RobotFacts(
        element=robot.document.root,
        root=robot.root,
        links=robot.links.keys(),
        child_of={name: joint.child for name, joint in robot.named.items() if not removed(name)},
        extras={link.name: link.extras for link in robot.links.values()},
    )


def _drop_doubles(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Keep the first of equal nameless tags in merged links."""
    # The first element by its link in the result and its tag.
    first_by_tag: Dict[Pair, Element] = {}
    # The target's own tags come first, whatever the order in the file.
    for merged in (False, True):
        for link in robot.links.values():
            origin = link.source.find("origin") if merged and changes.is_merged(link.name) else None
            if origin is not None:
                changes.note(origin, "unread-origin", link.name)
            for element in link.extras if changes.is_merged(link.name) == merged else ():
                target = changes.target(link.name)
                if element.name == "contact":
                    # `Surfaces` has decided its values.
                    if any(part.offset in changes.unused_tags for part in element.elements()):
                        changes.drop(element)
                    continue
                first = first_by_tag.setdefault((target, element.name), element)
                # Duplicates within a single link were in the input.
                if first.parent is element.parent or element.get("name") is not None:
                    continue
                changes.drop(element)
                if content(first) != content(element):
                    line = f"{first.line}"
                    changes.warn(element, MERGED_CONTENT, "differ", link.name, target, line)


def _name_materials(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Name materials without a name if shapes of several links come together.

    urdfdom (link.cpp) drops every shape of a link that has a nameless material. An empty material gets an empty name:
    any other name would mean that the material is defined elsewhere.
    """
    # Only if links come together: a nameless material in a single link was in the input.
    targets = {link: changes.content_in(link) for link in robot.links}
    joined = {targets[link] for link, _ in robot.shapes if targets[link] != link}
    visuals = [
        (link, shape)
        for link, shape in robot.shapes
        if targets[link] in joined
        and shape.kind == "visual"
        and shape.source.offset not in changes.removed_shapes
    ]
    firsts = [(link, shape.source.find("material")) for link, shape in visuals]
    nameless = [
        (link, material)
        for link, material in firsts
        if material is not None and material.get("name") is None
    ]
    everything = robot.document.root.walk() if nameless else ()
    names = {element.get("name") for element in everything if element.name == "material"}
    for link, material in nameless:
        name = unique(f"{link}_material", names) if defines(material) else ""
        names.add(name)
        changes.set(material, "name", name)
        changes.note(material, "unnamed", name)


def _check_extra(changes: ReferenceChanges, element: Element, link: str) -> None:
    """Warn of numbers other than poses in a link whose frame changes; `<frame>` and `<sensor>` are fully known."""
    posed = posed_itself(element) or element.find("origin") is not None
    pose = element.find("pose")
    if pose is not None and pose.get("relative_to"):
        changes.warn(element, UNREADABLE_POSE, "elsewhere")
    if (
        element.name not in ("frame", "sensor", "contact")
        and changes.is_frame_changed(link)
        and holds_number(element, but=("pose", "origin", *ORIGIN_KEYS) if posed or pose else ())
    ):
        changes.warn(element, UNKNOWN_POSE, "in-link", link, changes.way_to_keep(link))


def _warn_of_joint_parts(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Warn of each number outside URDF in a flipped joint; a zero has no sign.

    | unknown elements and attributes in a joint | warning; unknown attributes of a link too | | with a number:
    warning |
    """
    for joint in robot.joints:
        if not changes.is_remapped(joint.name) or changes.is_merged(joint.child):
            continue
        for part in (joint.source, *joint.source.elements()):
            known_attributes = ("name", "type") if part is joint.source else OF_JOINT.get(part.name)
            tag = f"<{part.name}>"
            unknown_numbers = []
            if known_attributes is not None:
                for key, value in part.attributes.items():
                    if key not in known_attributes and has_number(value, zero=False):
                        unknown_numbers.append(f"{tag} {key}")
            elif part.name not in WITHOUT_SIGN and holds_number(part, zero=False):
                unknown_numbers.append(tag)
            if unknown_numbers:
                changes.warn_of_joint(part, "part", joint.name, ", ".join(unknown_numbers))


def _warn_of_the_rest(changes: ReferenceChanges, references: Sequence[NameReference]) -> None:
    """Warn of each reference to a removed link or joint that no edit renames and no drop removes.

    | the rest of `<mujoco>`, and unknown tags | warning | with a number: warning | warning |
    """
    # Checks are in this order because a name may belong to a link and a joint, and a removed frame matters more than a
    # changed sign.
    renamed = {(edit.element.offset, edit.attribute) for edit in changes.edits if not edit.child}
    for reference in references:
        element = reference.element
        name = reference.name
        if changes.is_dropped(element):
            continue
        if reference.whole and (element.offset, reference.attribute) in renamed:
            continue
        # For an attribute, numbers in the same element count; for a text, numbers in the parent element.
        neighbor = element
        if not reference.attribute and element is not reference.top:
            neighbor = element.parent or element
        if changes.is_merged(name):
            kind = FRAME_NAME if "frame" in element.name.lower() else MERGED_LINK
        elif changes.is_removed_joint(name) and not changes.is_known_link(name):
            kind = REMOVED_JOINT
        elif changes.is_remapped(name) and not (
            reference.whole and _is_follower_of_joints(reference, changes.is_known_link(name))
        ):
            changes.warn_of_joint(element, "named", name, reference.place)
            continue
        elif (
            not is_known(reference.top)
            and changes.is_frame_changed(name)
            and holds_number(neighbor)
        ):
            kind = UNKNOWN_POSE
        else:
            continue
        target = [changes.target(name)] if changes.is_merged(name) else []
        changes.warn_at(element, kind, "named", reference.place, name, *target)


def _warn_of_nameless_numbers(
    changes: ReferenceChanges, references: Sequence[NameReference]
) -> None:
    """Warn of numbers in unknown tags without a name beside them: a gravity, or the ratio of a `<coupling>`.

    | numbers in them without a name | | three or more, as a gravity, and the base turns: warning | if the tag names others: warning |
    """
    robot = changes.robot
    base_turns = changes.is_frame_rotated(robot.root)
    joints_change = any(map(changes.is_remapped, robot.named))
    naming = {reference.element.offset for reference in references}
    naming |= {reference.top.offset for reference in references}
    for top in robot.document.root.elements():
        if is_known(top) or top.name in ("link", "joint", "material"):
            continue
        # Numbers about a joint need its name somewhere in the tag; a direction without a name is along the base.
        of_joint = joints_change and top.offset in naming
        for element in top.elements():
            depends = base_turns and _holds_vector(element) or of_joint and holds_number(element)
            if depends and element.offset not in naming:
                changes.warn(element, UNKNOWN_POSE, "nameless")


def _holds_vector(top: Element) -> bool:
    """Return True if a text or attribute has three or more numbers; a time step or a count does not depend on the base."""
    texts: List[str] = []
    for part in top.walk():
        texts += [part.text(), *part.attributes.values()]
    return any(numbers_in(text, max(3, len(text.split()))) for text in texts)


def _is_follower_of_joints(reference: NameReference, also_a_link: bool) -> bool:
    """Return True if the sign of a joint does not matter to a reference, or a rule handles it.

    `also_a_link`: a link has the same name.
    """
    element = reference.element
    top = reference.top
    key = reference.attribute
    named_by = element.name.lower() if key in ("", "name") else key.lower()
    if also_a_link and any(word in named_by for word in ("link", "body", "frame")):
        return True
    if top.name != "gazebo":
        return top.name in RULES and top.name != "frame"
    own_name = key == "name" and element.name in NAMED_ITSELF
    of_simulator = element.name in ("parent", "child")  # links of a simulator's joint
    frame = key.split(":")[-1] in FRAME_KEYS
    in_mimic = any(map(is_mimic_plugin, element.upward()))
    return element is top or own_name or of_simulator or frame or in_mimic


def _warn_of_inline_values(changes: ReferenceChanges, robot: UrdfRobot) -> None:
    """Warn of flipped joints named with an inline value, as in `<pid>knee:1.0</pid>`.

    | inline values, as `knee:1.0` | | | warning |
    """
    for top in outside_urdf(robot):
        for element in top.walk():
            for value in (*element.attributes.values(), element.text()):
                is_bare = ":" not in value and "=" not in value
                if is_bare or changes.is_dropped(element):
                    continue
                for name in dict.fromkeys(re.findall(INLINE_NAME, value)):
                    changes.warn_of_joint(element, "inline", name, f"<{element.name}>")


# ==== urdf_tools/plan/plan_decisions.py ====
# The plan: every decision with its reason and numbers, made before anything is edited.

# Names made of these words and a number are not looked up by programs.
PART_WORDS = frozenset(("body", "component", "instance", "part", "solid"))
LENGTH_NOISE = 1e-15  # [m] what CAD programs write for zero
WITH_CONTENT = ("inertial", "visual", "collision")
# The <dynamics> of joints before 2010, http://wiki.ros.org/urdf/XML/joint; not read.
UNREAD_OF_JOINT = ("joint_properties",)
# Relative to the size of the robot: rounding error of a computed length that should be zero.
ROUNDING_PART = 1e-12


class JointPlan(Record):
    """A joint of the result: its new name, parent link, origin translation [m] and frame."""

    joint: UrdfJoint
    name: str
    parent: str
    xyz: Vector
    frame: JointFrame

    @property
    def map(self) -> JointMap:
        """How the joint position is mapped."""
        return self.frame.map


class LinkInBody(Record):
    """A link of the input in a rigid body: T_body_link, and its mass properties in the frame of the body, if it has any."""

    link: str
    T_body_link: Transform
    mass_properties: Optional[MassProperties]


class ResultLink(Record):
    """A link of the result, in its new frame: the input links that give it mass, itself first, and their sum.

    `mass_properties` is None if no part has an `<inertial>`.
    """

    parts: Tuple[LinkInBody, ...]
    mass_properties: Optional[MassProperties]

    @property
    def mass(self) -> float:
        """The mass [kg]; 0 without any `<inertial>`."""
        return self.mass_properties.mass if self.mass_properties else 0.0


class Plan(Record):
    """All decisions of a run.

    Attributes:
        robot, options, base: the input of the plan.
        members: by link, the link that receives its content.
        placements: by link, T_new_old from its old frame to the new frame of the link that receives its content;
            IDENTITY_POSE for a link that does not change.
        signs_kept: the child links of the joints that keep their signs.
        joints: the joints of the result, by child link, in file order; including joints that keep the frames of merged
            links.
        maps: by the new name of a joint, the map of its position.
        bodies: by link of the result, its parts and masses.
        strips, near_misses, copies: shapes that are removed as hardware, similar shapes that are kept, and removed
            copies.
        updates: the edits outside the links and joints.
        mesh_tasks: the meshes to convert.
        meshes: the converted meshes and the names of files, added by `make_meshes`.
        definitions: materials to add to the robot, because their names would otherwise mean a different look; added by
            `make_meshes`.
        noise: computed lengths below it are written as 0 [m].
        warnings: sorted by line.
    """

    robot: UrdfRobot
    options: Options
    base: BaseFrame
    signs_kept: AbstractSet[str]
    members: Dict[str, LinkMembership]
    placements: Poses
    joints: Dict[str, JointPlan]
    maps: Dict[str, JointMap]
    bodies: Dict[str, ResultLink]
    strips: Tuple[RemovedShape, ...]
    near_misses: Tuple[HardwareNearMiss, ...]
    copies: Tuple[DuplicateShape, ...]
    noise: float
    updates: ReferenceUpdates = ReferenceUpdates()
    mesh_tasks: Tuple[ConversionTask, ...] = ()
    meshes: MeshResult = MeshResult(
        converted=(), files=(), unconverted=0, names={}, uri_files={}, compiler=(), warnings=()
    )
    definitions: Tuple[Element, ...] = ()
    warnings: Notes = ()

    def is_removed(self, link: str) -> bool:
        """Return True if a link is removed: merged without keeping its frame."""
        return link not in self.members or self.members[link].merged and link not in self.joints

    @property
    def lost_frames(self) -> Texts:
        """The removed links that are only frames: programs may look up their names in TF.

        Links called by a word such as `part` and a number are parts of an assembly, which programs do not look up.
        """
        return tuple(
            name
            for name, link in self.robot.links.items()
            if self.members[name].kind == FIXED
            and self.is_removed(name)
            and link.mass < NO_MASS
            and not link.shapes
            and not PART_WORDS.issuperset(words_of(name))
        )

    @property
    def removed_shapes(self) -> Set[int]:
        """The offsets of shapes that are removed as hardware or as copies."""
        shapes = [drop.shape for drop in self.strips] + [copy.shape for copy in self.copies]
        return {shape.source.offset for shape in shapes}

    @property
    def staying_shapes(self) -> List[Tuple[str, UrdfShape]]:
        """The shapes that are kept, in file order, each with its link in the result."""
        removed = self.removed_shapes
        return [
            (self.members[link].target, shape)
            for link, shape in self.robot.shapes
            if shape.source.offset not in removed
        ]

    @property
    def bare(self) -> Texts:
        """The links of the result that lose their last shape to stripping."""
        had_shapes = {self.members[link].target for link, _ in self.robot.shapes}
        bare = had_shapes - {link for link, _ in self.staying_shapes}
        return tuple(name for name in self.robot.links if name in bare)


def make_plan(
    robot: UrdfRobot,
    options: Options,
    needs: Optional[Dict[str, KeepReason]] = None,
    mesh_form: ConversionForm = NO_CONVERSION,
) -> Plan:
    """Return the plan of a run.

    Args:
        robot: as it is read.
        options: the choices.
        needs: the links that other documents name, such as an SRDF, and why they must be kept.
        mesh_form: the form that meshes are converted to.

    Raises:
        UrdfError: an option that cannot be used, or joints that contradict each other.
    """
    # Each decision uses only earlier ones. Updates outside links and joints need all of them and come last.
    base = _choose_base(robot, options)
    signs = kept_signs(robot, keep_all=options.keep_signs)
    references = tuple(find_references(robot))
    # Needs found in the robot take precedence over needs of other documents.
    needs = {**(needs or {}), **find_needs(robot, references)}
    merging, stripping = _merge_and_strip(robot, needs, options)
    frames = decide_frames(robot, merging.members, base, signs, options)

    placements = {}
    for name, member in merging.members.items():
        # Unchanged links get IDENTITY_POSE itself, so that their digits stay as written.
        placements[name] = IDENTITY_POSE
        if member.merged or frames.turns[name] != IDENTITY:
            turned = Transform(frames.turns[member.target], ZERO)
            placements[name] = compose(turned, member.T_target_link)

    noise = max(LENGTH_NOISE, ROUNDING_PART * _size_of_robot(robot))
    joints = _plan_joints(robot, merging, frames, placements, options, noise)

    plan = Plan(
        robot=robot,
        options=options,
        base=base,
        signs_kept=signs,
        members=merging.members,
        placements=placements,
        joints=joints,
        maps=maps_of(joints),
        bodies=_merge_bodies(robot, merging.members, placements, options),
        strips=stripping.hits,
        near_misses=stripping.near_misses,
        copies=tuple(find_copies(robot, merging.members, stripping.offsets)),
        noise=noise,
    )

    updates = update_references(_changes_by(plan, merging, frames), references)

    warnings = [
        *robot.warnings,
        *merging.warnings,
        *updates.warnings,
        *merging.surfaces.warnings,
        *_dropped_elements(robot, joints),
        *_physical_warnings(plan),
        *_misnamed(plan),
        *_unused_words(robot, options),
        *stripping.warnings,
        *(
            Diagnostic(UNREAD_NOTE, 0, sentence, (text,))
            for sentence, text in unread_in_notes(robot.document)
        ),
    ]
    if base.warning:
        warnings.append(base.warning)

    tasks = decide_meshes(plan.staying_shapes, options.meshes, mesh_form)
    return plan._replace(updates=updates, mesh_tasks=tasks, warnings=by_line(warnings))


def _merge_and_strip(
    robot: UrdfRobot, needs: Dict[str, KeepReason], options: Options
) -> Tuple[LinkMerges, ShapeRemoval]:
    """Decide which links merge and which shapes are removed; no link of the result loses all shapes of a kind.

    A spared collision can be a reason to keep its link apart, and a link that stays apart has fewer shapes. So decide
    again until nothing more is spared.
    """
    stripping = decide_stripping(robot, options)
    # Ends, because hits only decrease.
    while True:
        merging = decide_merging(robot, needs, options, stripping.offsets)
        spared = spare_last_shapes(robot, merging.members, stripping)
        if spared.hits == stripping.hits:
            return merging, spared
        stripping = spared


def by_line(warnings: Iterable[Diagnostic]) -> Notes:
    """Return the warnings without duplicates, sorted by line."""
    return tuple(sorted(dict.fromkeys(warnings), key=lambda warning: warning.line))


def _changes_by(plan: Plan, merging: LinkMerges, frames: CanonicalFrames) -> ReferenceChanges:
    """Return the changes for elements that name a link or joint; links whose frames are kept still exist for them."""
    # A kept frame turns only by the cleaning of its angles.
    kept_frames = {
        name: Transform(frames.turns[name], ZERO)
        for name in plan.joints
        if plan.members[name].merged
    }
    return ReferenceChanges(
        plan.robot,
        plan.members,
        plan.placements,
        plan.maps,
        removed_shapes=plan.removed_shapes,
        unused_tags=merging.surfaces.unused,
        kept_frames=kept_frames,
    )


def _unused_words(robot: UrdfRobot, options: Options) -> List[Diagnostic]:
    """Return a notice for each `--axis` whose word occurs in no name of a moving joint."""
    moving = [joint.name for joint in robot.joints if joint.type != "fixed"]
    used = {*chain.from_iterable(map(words_of, moving))}
    return [
        Diagnostic(UNUSED_OPTION, 0, "axis", (f"{word}={AXIS_LETTERS[axis]}",))
        for word, axis in options.axis
        if word not in used
    ]


def _choose_base(robot: UrdfRobot, options: Options) -> BaseFrame:
    """Return the base frame from the options, or from the evidence in the robot."""
    is_asked = options.base_frame != "auto"
    base = read_base_frame(options.base_frame) if is_asked else find_base_frame(robot)
    if not options.reorient:
        return base._replace(R_new_old=IDENTITY, reason="reorienting is left out", warning=None)
    # Repeating a command on its own result would turn the robot a second time.
    if is_asked and turned_before(robot) and base.R_new_old != IDENTITY:
        return base._replace(warning=Diagnostic(BASE_FRAME, 0, "again"))
    return base


def _size_of_robot(robot: UrdfRobot) -> float:
    """Return the largest distance [m] of a shape or center of mass from the root at zero."""
    T_world = poses_at(robot, {}, IDENTITY_POSE)
    size = 0.0
    for link in robot.links.values():
        reach = [norm(shape.pose.translation) for shape in link.shapes]
        if link.inertial is not None:
            reach.append(norm(link.inertial.properties.center))
        size = max(size, norm(T_world[link.name].translation) + max(reach, default=0.0))
    return size


def _plan_joints(
    robot: UrdfRobot,
    merging: LinkMerges,
    frames: CanonicalFrames,
    placements: Poses,
    options: Options,
    noise: float,
) -> Dict[str, JointPlan]:
    """Return the plans of the remaining joints, by child link."""
    joints = {}
    names = merging.renamed
    if options.keep_all_frames:
        names = {**names, **name_frame_joints(robot, merging.members, names)}
    for joint in robot.joints:
        if joint.child not in frames.joints:  # merged away
            continue
        member = merging.members[joint.child]
        name = names.get(joint.child, joint.name)
        parent = merging.members[joint.parent].target
        xyz = joint.origin.translation
        T_new_old = placements[joint.parent]
        if member.merged:  # it keeps the frame of a link that is now empty
            joint = as_fixed(joint)
            parent = member.target
            xyz = without_noise(placements[joint.child].translation, noise)
        elif T_new_old != IDENTITY_POSE:
            xyz = without_noise(move(T_new_old, xyz), noise)
        joints[joint.child] = JointPlan(
            joint=joint, name=name, parent=parent, xyz=xyz, frame=frames.joints[joint.child]
        )
    return joints


def maps_of(joints: Dict[str, JointPlan]) -> Dict[str, JointMap]:
    """Return the maps of joint positions by the new names of the joints."""
    named = first_that_moves((planned.name, planned.joint) for planned in joints.values())
    return {name: joints[joint.child].map for name, joint in named.items()}


def _dropped_elements(robot: UrdfRobot, joints: Dict[str, JointPlan]) -> Iterator[Diagnostic]:
    """Warn of elements outside URDF in joints that are removed or become fixed: some program may read them.

    For removed joints and their links, warn of attributes outside URDF as well.
    """
    for joint in robot.joints:
        planned = joints.get(joint.child)
        # Removed, or fixed because it only keeps a frame.
        if planned is None or planned.joint.type != joint.type:
            for element in joint.source.elements():
                if element.name not in (*OF_JOINT, *UNREAD_OF_JOINT):
                    yield _dropped(element, "element", joint.child, joint.name, element.name)
        if planned is not None:
            continue
        for element in (robot.links[joint.child].source, joint.source):
            name = element.get("name") or ""
            for key, value in element.attributes.items():
                is_known = key == "name" or (element.name, key) == ("joint", "type")
                if not is_known and not key.startswith("xmlns"):
                    lost = joint.child, name, element.name, key, value
                    yield _dropped(element, "attribute", *lost)


def _dropped(element: Element, sentence: str, *names: str) -> Diagnostic:
    """Return the warning of a dropped element."""
    return Diagnostic(ELEMENT_DROPPED, element.line, sentence, names, offset=element.offset)


def _merge_bodies(
    robot: UrdfRobot, members: Dict[str, LinkMembership], placements: Poses, options: Options
) -> Dict[str, ResultLink]:
    """Return the body of each link of the result: its parts, and their mass in the frame of the link."""
    parts: Dict[str, List[LinkInBody]] = {
        name: [] for name, member in members.items() if not member.merged
    }
    # The link itself comes first among its parts.
    for name in [*parts, *(name for name in robot.links if members[name].merged)]:
        member = members[name]
        inertial = robot.links[name].inertial
        if member.kind == COPY and options.count_once:
            continue
        T_body_link = placements[name]
        properties = None
        if inertial is not None:
            properties = move_mass(T_body_link, inertial.properties)
        parts[member.target].append(LinkInBody(name, T_body_link, properties))
    bodies = {}
    for name, of_body in parts.items():
        with_mass = [part.mass_properties for part in of_body if part.mass_properties is not None]
        mass = merge_mass(with_mass) if with_mass else None
        bodies[name] = ResultLink(tuple(of_body), mass)
    return bodies


def free_joints_that_turn(plan: Plan) -> List[JointPlan]:
    """Return the planar and floating joints whose positions change their meaning, because their frames changed."""
    return [
        planned
        for child, planned in plan.joints.items()
        if planned.joint.type in ("planar", "floating")
        and (plan.placements[child] != IDENTITY_POSE or planned.frame.rpy != planned.joint.rpy)
    ]


def _physical_warnings(plan: Plan) -> List[Diagnostic]:
    """Return warnings of masses and limits in the result that simulators reject."""
    notices = []
    root = plan.robot.links[plan.robot.root]
    written = dict.fromkeys(
        f"<{part.name}>" for part in root.source.elements() if part.name in WITH_CONTENT
    )
    if root.name == "world" and written:
        notices.append(Diagnostic(WORLD_CONTENT, root.source.line, "link", (", ".join(written),)))
    # KDL requires a massless root; links merged into the root may give it mass.
    body = plan.bodies[root.name]
    merged = [part.link for part in body.parts[1:]]
    gained = [name for name in merged if plan.robot.links[name].mass >= NO_MASS]
    if root.mass < NO_MASS and gained:
        names = root.name, *gained
        notices.append(
            Diagnostic(
                kind=ROOT_MASS,
                line=root.source.line,
                sentence="link",
                names=names,
                numbers=(body.mass,),
            )
        )

    free = {planned.joint.child: planned.joint for planned in free_joints_that_turn(plan)}
    moving = {
        planned.joint.child for planned in plan.joints.values() if planned.joint.type != "fixed"
    }

    for link in plan.robot.links.values():
        if link.inertial is not None:
            properties = link.inertial.properties
            reason = why_not_physical(properties.mass, properties.inertia)
            # Merging may make a tensor physical, so report only those that stay impossible.
            total = plan.bodies[plan.members[link.name].target].mass_properties
            stays = total is not None and why_not_physical(total.mass, total.inertia)
            if reason and stays and properties.mass >= NO_MASS:
                line = link.inertial.source.line
                notices.append(Diagnostic(INERTIA, line, "link", (link.name, reason)))

        if link.name in free:
            names = free[link.name].name, free[link.name].type
            notices.append(Diagnostic(FREE_JOINT, link.source.line, "joint", names))
        if link.name in moving and not plan.bodies[link.name].mass:
            lacks = "inertial" if link.inertial is None else "mass"
            notices.append(Diagnostic(MASSLESS, link.source.line, lacks, (link.name,)))
    return notices


def _misnamed(plan: Plan) -> Iterator[Diagnostic]:
    """Yield the joints whose axis no word of their name implies; `elbow_yaw` implies two axes."""
    axes = {**AXIS_WORDS, **dict(plan.options.axis)}
    for planned in plan.joints.values():
        asked = planned.frame.asked
        letter = axis_letter(planned.frame)
        if asked is None or letter in {AXIS_LETTERS[axes[word]] for word in asked.others}:
            continue
        if planned.frame.fallback:
            yield Diagnostic(
                AXIS_NAME,
                planned.joint.source.line,
                "joint",
                (planned.joint.name, letter, asked.word, AXIS_LETTERS[asked.axis]),
            )


def links_left(plan: Plan) -> List[UrdfLink]:
    """Return the links that are not merged, in file order."""
    return [link for name, link in plan.robot.links.items() if not plan.members[name].merged]


# ==== urdf_tools/plan/axes_turned_by_rounding.py ====
# The decisions for the result's note on axes that rounding turned, and on frames with a new orientation.
#
# All directions are in the frame of the root of the run's input, at zero: a rounded axis moves nothing there, so each later
# run finds the same directions, however earlier runs turned the frames of links. The last line says how the run turns the
# root, so `compare` knows in which frame the lines of the next run are.
#
# Angles below `--snap` become 0, so a joint axis turns by up to that angle. Each turn is small, but a hand at the end of
# a chain moves by their sum, at a distance of meters. If the error exceeds the tolerance of `compare`, the axes are
# written into the note with all digits, so that `compare` can turn the axes of the input likewise and compare exactly. A
# larger tolerance would not do: it would accept any other axis too.

SEEN = 1e-9  # [rad] an axis turned by less counts as not turned
COMPARED_AS_ONE = 1e-4  # [m and of an entry] frames in one place, as `compare` sees them
# An axis turned by an angle turns its descendants by up to twice the angle, at half a turn of its joint.
TURN_FACTOR = 2.0
FREE_STROKE = 1.0  # [m] assumed travel of a prismatic joint without limits
# The tolerance of an entry of a rotation: half the tolerance of `compare` for frames turned by right angles.
RIGHT = 5e-5


class RoundedAxis(Record):
    """A joint and its axis in the result, in the root frame of the input at zero; the angle between the axes [rad]."""

    joint: UrdfJoint
    angle: float
    axis: Vector


class RoundedChain(Record):
    """The joints from the root to a link, with some of their axes turned.

    Attributes:
        anchor: the point of the last axis that is closest to the previous anchor, in the world at zero [m].
        way: the length from the root along the anchors, including strokes of prismatic joints [m].
        turned: the sum of all turns [rad]. spent: the sum of turns times their ways [m].
        moved: the sum of distances between turned axes and their anchors [m].
    """

    anchor: Vector
    way: float = 0.0
    turned: float = 0.0
    moved: float = 0.0
    spent: float = 0.0


def rounded_axes(plan: Plan) -> List[Decision]:
    """Return a decision for each axis turned by rounding, the largest turn first; empty if their sum is negligible.

    The numbers are the angle [rad] and the axis of the result.
    """
    T_root = poses_at(plan.robot, {}, IDENTITY_POSE)
    axes = [_axis_of(planned, T_root) for planned in plan.joints.values()]
    rounded = [axis for axis in axes if axis.angle > SEEN]
    error = _largest_error(plan, {axis.joint.child: axis.angle for axis in rounded})
    # The result of an earlier run may have a negligible sum already, which nothing notes. So two sums would not be.
    is_original = not own_notes(plan.robot.document, "")
    if is_original and error <= UNNOTED:
        return []
    rounded.sort(key=lambda axis: -axis.angle)
    return [
        Decision("axis", axis.joint.child, (axis.joint.name,), (axis.angle, *axis.axis))
        for axis in rounded
    ]


def turned_frames(plan: Plan) -> List[Decision]:
    """Return a decision for each link that is only a frame and not turned by right angles, with its new orientation.

    The axis of a moving joint shows how its frame turned. A duplicate joint is an exception: both copies carry one
    body, so the second frame is compared as a frame on the first.
    """
    T_root = poses_at(plan.robot, {}, IDENTITY_POSE)
    joints_of = Counter(planned.joint.name for planned in plan.joints.values())
    return [
        _orientation("turn", name, T_root[name].rotation, planned.frame.R_new_old)
        for name, planned in plan.joints.items()
        if (planned.joint.type == "fixed" or joints_of[planned.joint.name] > 1)
        and _is_mere_frame(plan.robot.links[name])
        and not _is_right(planned.frame.R_new_old)
    ]


def turned_root(plan: Plan) -> List[Decision]:
    """Return the decision for the frame of the root with its new orientation, if the run turns it.

    `base` changes nothing, since the map has the pose of the base. `turn` is for a root that looks the same when turned.
    """
    root = plan.robot.root
    R_new_old = plan.base.R_new_old
    if R_new_old == IDENTITY:
        return []
    kind = "turn" if _is_turn_hidden(plan) else "base"
    return [_orientation(kind, root, IDENTITY, R_new_old)]


def _orientation(kind: str, link: str, R_root_old: Matrix, R_new_old: Matrix) -> Decision:
    """Return the decision about a frame with the rows of R_root_new; R_root_old is its old orientation."""
    R_root_new = multiply(R_root_old, transpose(R_new_old))
    return Decision(kind, link, (), (*chain.from_iterable(R_root_new),))


def _is_turn_hidden(plan: Plan) -> bool:
    """Return True if no mass or shape shows that the base turned, and a joint on it has its old pose in the new frame.

    That joint would otherwise look like a joint with a different axis.
    """
    robot = plan.robot
    held = {robot.root}
    for joint in robot.tree:
        if joint.parent in held and joint.type == "fixed":
            held.add(joint.child)
    if not all(_is_mere_frame(robot.links[name]) for name in held):
        return False
    T_root = poses_at(robot, {}, IDENTITY_POSE)
    turned = Transform(plan.base.R_new_old, ZERO)
    for joint in robot.tree:
        if joint.parent in held and joint.type != "fixed":
            before = T_root[joint.child]
            after = compose(compose(turned, before), inverse(plan.placements[joint.child]))
            if _are_close(before, after):
                return True
    return False


def _are_close(T: Transform, other: Transform) -> bool:
    """Return True if `compare` takes two poses for one."""
    entries = zip(chain.from_iterable(T.rotation), chain.from_iterable(other.rotation))
    off = norm(subtract(T.translation, other.translation))
    return max(off, *(abs(entry - its_other) for entry, its_other in entries)) <= COMPARED_AS_ONE


def _axis_of(planned: JointPlan, T_root: Poses) -> RoundedAxis:
    """Return the axis of a joint as written, in the root frame of the input, and the angle [rad] of its rounding.

    `T_root` has the poses of the input's links at zero.
    """
    joint = planned.joint
    frame = planned.frame
    if frame.axis is None:
        return RoundedAxis(joint, 0.0, joint.axis)
    axis = scale(float(planned.map.sign), frame.axis_written)
    if frame.R_new_old != IDENTITY:
        axis = rotate(transpose(frame.R_new_old), axis)
    angle = angle_between(joint.axis, axis)
    return RoundedAxis(joint, angle, rotate(T_root[joint.child].rotation, axis))


def _largest_error(plan: Plan, angles: Dict[str, float]) -> float:
    """Return a bound on the error of any point at any position: the larger of its displacement [m] and its turn [rad].

    It is the bound of `compare` (theorem in its README): angles add up along a chain, and a point moves by an angle
    times its way along the chain from that axis, for all joint positions.
    """
    robot = plan.robot
    largest = 0.0
    T_world = poses_at(robot, {}, IDENTITY_POSE)
    chains = {robot.root: RoundedChain(T_world[robot.root].translation)}
    for joint in robot.tree:
        T_child = T_world[joint.child]
        chain = _extended(chains[joint.parent], joint, T_child, angles.get(joint.child, 0.0))
        chains[joint.child] = chain
        anchor_distance = norm(subtract(T_child.translation, chain.anchor))
        reach = chain.way + anchor_distance + _reach(robot.links[joint.child])
        largest = max(largest, chain.turned, chain.moved + chain.turned * reach - chain.spent)
    return largest


def _extended(
    chain: RoundedChain, joint: UrdfJoint, T_world_child: Transform, angle: float
) -> RoundedChain:
    """Return a chain extended by a joint whose axis is turned by an angle."""
    if joint.type == "fixed":
        return chain
    origin = T_world_child.translation
    anchor = origin
    if joint.type in ("revolute", "continuous"):
        axis = rotate(T_world_child.rotation, joint.axis)
        anchor = add(origin, scale(dot(axis, subtract(chain.anchor, origin)), axis))
    turn = TURN_FACTOR * angle
    way = chain.way + norm(subtract(anchor, chain.anchor))
    return RoundedChain(
        anchor=anchor,
        way=way + _stroke(joint),
        turned=chain.turned + turn,
        # Both axes pass through the origin of the link, and are compared at the anchor.
        moved=chain.moved + turn * norm(subtract(anchor, origin)),
        spent=chain.spent + turn * way,
    )


def _stroke(joint: UrdfJoint) -> float:
    """Return how far a joint may translate its child from the zero position [m]."""
    if joint.type not in ("prismatic", "planar", "floating"):
        return 0.0
    limit = joint.limit or Limit()
    if joint.type not in MOVABLE:
        return FREE_STROKE
    lower = FREE_STROKE if limit.lower is None else abs(limit.lower)
    upper = FREE_STROKE if limit.upper is None else abs(limit.upper)
    return max(lower, upper)


def _reach(link: UrdfLink) -> float:
    """Return a bound on the distance of the content of a link from its origin [m]; a mesh counts as its origin."""
    reaches = [norm(shape.pose.translation) + _size(shape.drawn) for shape in link.shapes]
    if link.inertial is not None:
        reaches.append(norm(link.inertial.properties.center))
    return max(reaches, default=0.0)


def _size(drawn: Optional[Element]) -> float:
    """Return the sum of all lengths of a box, cylinder or sphere [m]; 0 for a mesh."""
    if drawn is None or drawn.name == "mesh":
        return 0.0
    sizes = SIZES.get(drawn.name, ())
    numbers = [numbers_in(drawn.get(name) or "", count) or () for name, count in sizes]
    return fsum(map(abs, chain.from_iterable(numbers)))


def _is_mere_frame(link: UrdfLink) -> bool:
    """Return True for a link without mass and shapes."""
    return link.inertial is None and not link.shapes


def _is_right(R: Matrix) -> bool:
    """Return True for a turn by right angles: each entry is 0, 1 or -1 within tolerance."""
    return all(min(abs(entry), abs(abs(entry) - 1.0)) <= RIGHT for entry in chain.from_iterable(R))


# ==== urdf_tools/plan/result_notes.py ====
# The notes in the output on the maps of joint positions, and on the decisions of a plan.
#
# `knee = -q` means that the knee is at -q in the result where it was at q in the original file. With a shifted zero the
# note is `knee = -(q - 1.57)` or `knee = q - 1.57`; `left_knee = -knee` if the joint was called knee in the original. A
# later run composes its own changes with the noted ones, even if the input is replaced. Decisions are lines as in
# `urdf_notes.py`.


def joint_map_of(plan: Plan) -> Dict[str, NotedJointMap]:
    """Return the maps for the note of the result: of moving joints that differ from the original file."""
    noted = read_joint_map(plan.robot.document)
    maps: Dict[str, NotedJointMap] = {}
    for planned in plan.joints.values():
        if planned.joint.type in MOVABLE:
            before = noted.get(in_note(planned.joint.name), NotedJointMap())
            # A name refers to the first joint that has it.
            maps.setdefault(
                in_note(planned.name),
                before._replace(map=composed_maps(before.map, planned.map)),
            )
    return {name: joint_map for name, joint_map in maps.items() if joint_map != NotedJointMap()}


def composed_maps(first: JointMap, then: JointMap) -> JointMap:
    """Return the composition of two maps: s' (s (q - z) - z') is s' s (q - (z + s z'))."""
    zero = (
        float(mapped_text(repr(first.zero), 1, (str(first.sign), repr(then.zero))))
        if then.zero
        else first.zero
    )
    return JointMap(first.sign * then.sign, zero)


def joint_map_note(maps: Dict[str, NotedJointMap], newline: str) -> str:
    """Return the comment with the maps, or "" if there are none."""
    words = [f"{name} = {_formula(noted)}" for name, noted in maps.items()]
    return note_of_words("joint map, q is the position in the original file", words, newline)


def _formula(noted: NotedJointMap) -> str:
    """Return the position in the result as a formula of the position in the original file."""
    joint_map = noted.map
    old = noted.old
    if noted.times != 1.0:
        old = f"{format_number(noted.times)}*{old}"
    minus = "-" if joint_map.sign < 0 else ""
    zero = mapped_text("0", 1, (repr(joint_map.zero),)) if joint_map.zero else ""
    if not zero:
        return f"{minus}{old}"
    return f"-({old} - {zero})" if minus else f"{old} - {zero}"


# The labels of differences that `compare` finds where bodies merged, by the kind of warning.
MERGED = {SURFACE_MERGED: ("surface", "shape", "color"), BODY_MERGED: ("link",)}


def decisions_of(plan: Plan) -> List[Decision]:
    """Return the changes and losses of a plan, for the note in the result.

    `compare` applies the changes to the input too. A loss remains a difference, which `compare` reports as noted by the
    run.
    """
    acts = [
        *_removed_shapes(plan),
        *_removed_copies(plan),
        *_masses_counted_once(plan),
        *rounded_axes(plan),
        *turned_frames(plan),
        # All directions before this line are in the frame of the input's root.
        *turned_root(plan),
    ]
    losses = [
        *_merged_values(plan),
        *_lost_looks(plan),
        *_restated_meshes(plan),
        *_opened_loops(plan),
        *_removed_sensors(plan),
        *_turned_sensors(plan),
        *_left_in_gazebo(plan),
        *_renamed_frames(plan),
        *_left_for_programs(plan),
    ]
    return acts + list(dict.fromkeys(losses))


# The singular and plural nouns of a loss, by its labels; losses of meshes are counted by `MeshResult.but_for`.
LOSSES: Mapping[Texts, Pair] = {
    MERGED[SURFACE_MERGED]: (
        "link with another surface or color",
        "links with another surface or color",
    ),
    MERGED[BODY_MERGED]: ("link with another value", "links with other values"),
    ("loop",): ("loop that is lost or elsewhere", "loops that are lost or elsewhere"),
    ("sensor",): ("sensor that is lost or elsewhere", "sensors that are lost or elsewhere"),
    ("part",): ("part in another frame", "parts in other frames"),
}


def losses_in_words(decisions: Iterable[Decision]) -> Texts:
    """Return phrases that count the losses of each kind, for the verdict: these make `compare` exit with 1."""
    lost = (decision for decision in decisions if decision.kind == LOST)
    names = grouped((decision.words, decision.name) for decision in lost)
    return tuple(
        count_of(len(names[labels]), *nouns) for labels, nouns in LOSSES.items() if labels in names
    )


def _removed_shapes(plan: Plan) -> List[Decision]:
    """Return the removed hardware shapes: each by its file, and its number among shapes of the link, role and file."""
    numbers: Dict[Tuple[str, str, str], List[float]] = {}
    shapes_of_file = grouped(
        ((link, shape.kind, shape.mesh), shape.source) for link, shape in plan.robot.shapes
    )
    for strip in plan.strips:
        shape = strip.shape
        file = (strip.link, shape.kind, shape.mesh)
        numbers.setdefault(file, []).append(shapes_of_file[file].index(shape.source) + 1.0)
    # A visual and a collision of one mesh are usually removed together: they share a decision.
    roles = grouped(((link, mesh, tuple(nth)), role) for (link, role, mesh), nth in numbers.items())
    # Links that lose the same file in the same way share a decision too: a robot full of nuts has few lines.
    by_file = grouped(
        ((mesh, "+".join(both), nth), link) for (link, mesh, nth), both in roles.items()
    )
    return [
        Decision("shape", mesh, (role, *of_links), nth)
        for (mesh, role, nth), of_links in by_file.items()
    ]


def _removed_copies(plan: Plan) -> List[Decision]:
    """Return the shapes removed as duplicates: each by its number among the shapes of its role in the link."""
    # Count without the hardware, which the preceding decisions removed.
    stripped = {strip.shape.source.offset for strip in plan.strips}
    of_role = grouped(
        ((link, shape.kind), shape.source)
        for link, shape in plan.robot.shapes
        if shape.source.offset not in stripped
    )
    numbers: Dict[Tuple[str, str], List[float]] = {}
    for copy in plan.copies:
        role = copy.link, copy.shape.kind
        numbers.setdefault(role, []).append(of_role[role].index(copy.shape.source) + 1.0)
    return [Decision("copy", link, (role,), tuple(nth)) for (link, role), nth in numbers.items()]


def _masses_counted_once(plan: Plan) -> List[Decision]:
    """Return the masses of links that are copies and are counted once by option."""
    if not plan.options.count_once:
        return []
    copies = [name for name, member in plan.members.items() if member.kind == COPY]
    return [Decision("mass", name, (), (plan.robot.links[name].mass,)) for name in copies]


def _merged_values(plan: Plan) -> Iterator[Decision]:
    """Yield the links whose surface, or values for the whole body, a merge changed."""
    for note in plan.warnings:
        if note.kind in MERGED:
            yield Decision(LOST, note.names[0], MERGED[note.kind])


def _lost_looks(plan: Plan) -> Iterator[Decision]:
    """Yield the links whose visuals lost a part of their looks when their meshes were converted."""
    for link, _ in plan.meshes.lost:
        yield Decision(LOST, link, ("color",))


def _restated_meshes(plan: Plan) -> Iterator[Decision]:
    """Yield the links whose meshes the options place otherwise than their files do: surfaces are no longer the same."""
    for link, _ in plan.meshes.restated:
        yield Decision(LOST, link, ("shape", "mesh", "color"))


def _opened_loops(plan: Plan) -> Iterator[Decision]:
    """Yield the loops whose end frames were merged, so that they are open in the result."""
    for name, member in plan.members.items():
        if member.merged and is_loop_end(name):
            yield Decision(LOST, name[: -len("_1")], ("loop",))


def _removed_sensors(plan: Plan) -> Iterator[Decision]:
    """Yield the sensors in `<gazebo>` blocks of joints that were removed."""
    for top in plan.updates.drops:
        if top.name == "gazebo":
            for sensor in top.elements("sensor"):
                yield Decision(LOST, sensor.get("name") or "", ("sensor",))


def _turned_sensors(plan: Plan) -> Iterator[Decision]:
    """Yield the sensors without a pose that turned with the frame of their link."""
    for note in plan.warnings:
        if (note.kind, note.sentence) == (SENSOR_FRAME, "measures"):
            title = note.names[0]
            yield Decision(LOST, title[len("<sensor name='") : -len("'>")], ("sensor",))


def _left_in_gazebo(plan: Plan) -> Iterator[Decision]:
    """Yield the sensors, and the joints that close loops, whose pose or axis is given in a named frame that changes.

    These numbers are left unchanged.
    """
    unread_offsets = {
        note.offset
        for note in plan.warnings
        if (note.kind, note.sentence) == (UNREADABLE_POSE, "named")
    }
    for block in plan.robot.document.root.elements("gazebo") if unread_offsets else ():
        for sensor in block.elements("sensor"):
            if any(pose.offset in unread_offsets for pose in sensor.elements("pose")):
                yield Decision(LOST, sensor.get("name") or "", ("sensor",))
        for joint in block.elements("joint"):
            # A joint to a link that is not part of the robot closes no loop.
            ends = (*joint.elements("parent"), *joint.elements("child"))
            links = {end.text().strip() for end in ends}
            if links <= plan.members.keys() and any(
                part.offset in unread_offsets for part in joint.walk()
            ):
                yield Decision(LOST, joint.get("name") or "", ("loop",))


def _renamed_frames(plan: Plan) -> Iterator[Decision]:
    """Yield the merged links that a constraint names without a pose: it now names a different frame."""
    for note in plan.warnings:
        if (note.kind, note.sentence) == (LOOP_FRAME, "pose") and plan.is_removed(note.names[1]):
            if ":" not in _top_at(plan, note.offset):
                yield Decision(LOST, note.names[1], ("part",))


def _left_for_programs(plan: Plan) -> Iterator[Decision]:
    """Yield the elements for one program, as `<drake:ball_constraint>`, that name a changed frame or sign and stay."""
    for note in plan.warnings:
        if note.kind not in (LOOP_FRAME, FLIPPED_JOINT, MOVED_ZERO):
            continue
        name = _top_at(plan, note.offset)
        if ":" in name:
            yield Decision(LOST, f"<{name}>", ("part",))


def _top_at(plan: Plan, offset: int) -> str:
    """Return the name of the element of `<robot>` that contains a place of the text, "" before the first."""
    tops = plan.robot.document.root.elements()
    # The last one that begins before the place contains it.
    return next((top.name for top in reversed(tops) if top.offset <= offset), "")


# ==== urdf_tools/plan/update_tags.py ====
# The checks by tag: which elements are dropped or retargeted, with warnings of parts that cannot be updated.


def _check_gazebo(changes: ReferenceChanges, top: Element) -> None:
    """Drop or retarget a block; a name of both a link and a joint means both, as in gz.

    | `<gazebo reference>` of a joint | dropped with the joint, unless it keeps it | | unknown tags: warning |
    """
    name = top.get("reference") or ""
    if changes.is_removed_joint(name) and not changes.is_known_link(name):
        changes.drop(top)
        changes.warn(top, REMOVED_JOINT, "block", name)
        return
    if changes.is_remapped(name):
        _check_joint_block(changes, top, name)
    if changes.is_known_link(name):
        _check_link_block(changes, top, name)


# Elements in the block of a joint of which it is known whether they depend on the joint.
KNOWN_IN_JOINT_BLOCK = frozenset(
    {*OF_JOINT_IN_GAZEBO, *SURFACE, *POSED_IN_LINK, "plugin", "collision", "visual", "inertial"}
)


def _check_joint_block(changes: ReferenceChanges, top: Element, joint: str) -> None:
    """Warn of unknown elements in the block of a joint: they may depend on its sign, zero or frame."""
    for element in top.elements():
        if element.name not in KNOWN_IN_JOINT_BLOCK:
            changes.warn_of_joint(element, "part", joint)


def _check_link_block(changes: ReferenceChanges, top: Element, link: str) -> None:
    """Retarget the block of a merged link, and warn of poses and directions in it that cannot follow the frame."""
    _drop_unused(changes, top, changes.target(link))
    T_new_old = changes.T_new_old(link)
    if T_new_old == IDENTITY_POSE:
        return
    for element in top.elements():
        if element.name in POSED_IN_LINK and element.get("type") not in WITHOUT_POSE:
            continue
        if element.name not in SURFACE and any(inner.name == "pose" for inner in element.walk()):
            changes.warn(element, UNKNOWN_POSE, "pose", link)
        elif (
            # fdir1 is given in the frame of the collision, whose own origin takes up the turn.
            element.name not in (*SURFACE, *OF_JOINT_IN_GAZEBO, *WITHOUT_FRAME)
            and holds_number(element)
            and (changes.is_frame_changed(link))
        ):
            changes.warn(element, UNKNOWN_POSE, "in-block", link)


def _drop_unused(changes: ReferenceChanges, top: Element, target: str) -> None:
    """Drop the unused values in a block, or the whole block; retarget the rest.

    | `<gazebo reference>` of a link, `<contact>` in a link (PyBullet) | the link is kept if its contacts differ from
    the target's or the default; with `--merge-all` the target's stay: warning; gravity, self collision and damping
    hold for all that fixed joints hold together, as Gazebo reads them; of several values the one that Gazebo takes
    counts | other numbers and poses: warning | |
    """
    dropped = [tag for tag in top.elements() if tag.offset in changes.unused_tags]
    # Text and comments count as content, so the block stays.
    whole = dropped and len(dropped) == sum(
        not isinstance(c, str) or bool(c.strip()) for c in top.children
    )
    going = [top] if whole else dropped
    for element in going:
        changes.drop(element)
    if not whole and top.get("reference") != target:
        changes.set(top, "reference", target)
        changes.note(top, "owner", target)
    if dropped:
        what = ", ".join(tag.name for tag in dropped)
        changes.note(top, "settled", what, target)


def _check_transmission(changes: ReferenceChanges, top: Element) -> None:
    """Drop a transmission with its joint; warn of one whose joint is flipped."""
    joints = joints_named_in(top)
    if joints and all(map(changes.is_removed_joint, joints)):
        changes.drop(top)
        changes.warn(top, REMOVED_JOINT, "drives", joints[0])
        return
    for joint in joints:
        if changes.is_flipped(joint):
            wanted = _turned_transmission(top, joint, changes.map_of(joint))
            changes.warn(top, TRANSMISSION_SIGN, "drives", joint, wanted)
        elif not any(joint == element.get("name") for element in top.elements("joint")):
            changes.warn_of_joint(top, "names", joint)


def _turned_transmission(top: Element, name: str, joint_map: JointMap) -> str:
    """Return the reduction and offset that a flipped joint needs: q = a / n + offset, so both change their sign.

    The zero is subtracted from the offset first; a missing offset is 0.

    With a single actuator, n may be the actuator's reduction (ROS 1, where the joint's is not read); otherwise it is
    the joint's.
    """
    joints = [e for e in top.walk() if e is not top and name in (e.get("name"), e.text().strip())]
    actuators = [e for e in top.elements() if e.name.lower().endswith("actuator")]
    places = [*joints, top]
    if len(actuators) == 1:
        places = [*actuators, *places]
    parts = chain.from_iterable(map(holder.find, REDUCTIONS) for holder in places)
    written = [part for part in parts if part is not None][:1]
    of_joints = chain.from_iterable(joint.elements("offset") for joint in joints)
    offsets = [part.text() for part in of_joints]
    if not offsets and joint_map.zero != 0.0:
        offsets = ["0"]
    turned = []
    for tag, text, its_map in (
        *((part.name, part.text(), JointMap(-1)) for part in written),
        *(("offset", text, joint_map) for text in offsets),
    ):
        # A text that is not a number has no opposite.
        with suppress(ValueError):
            turned.append(f"<{tag}>{its_map.text_of(text)}</{tag}>")
    return " and ".join(turned) or "its reduction with the other sign"


def _check_ros2_control(changes: ReferenceChanges, top: Element) -> None:
    """Drop joints that were removed or fixed, and the whole block if no joint remains; warn of hardware with signs."""
    plugin = child_text(top.find("hardware") or top, "plugin")
    inside = [transmission.walk() for transmission in top.elements("transmission")]
    in_transmission = {element.get("name") for element in chain.from_iterable(inside)}
    for joint in top.elements("joint"):
        name = joint.get("name") or ""
        if changes.is_dropped(joint):
            continue
        if changes.is_removed_joint(name):
            changes.drop(joint)
            changes.warn(joint, REMOVED_JOINT, "of-control", name)
        elif changes.is_remapped(name):
            # Simulated hardware reads the URDF, and transmissions have their own warning: only real drivers need an
            # update.
            _check_interfaces(changes, joint, name)
            if plugin and plugin.split("/")[0] not in SIMULATORS and name not in in_transmission:
                for sentence, holds in (
                    ("driver", changes.is_flipped(name)),
                    ("zero", changes.map_of(name).zero != 0.0),
                ):
                    if holds:
                        changes.warn(joint, HARDWARE_SIGN, sentence, name, plugin)
    for transmission in top.elements("transmission"):
        if not changes.is_dropped(transmission):
            _check_transmission(changes, transmission)
    parts = [part for part in top.elements() if part.name in PARTS_OF_CONTROL]
    if parts and all(map(changes.is_dropped, parts)):
        changes.drop(top)


def _check_interfaces(changes: ReferenceChanges, joint: Element, name: str) -> None:
    """Warn of each part of a joint that drivers read and that does not follow the sign or zero of the joint."""
    is_follower = any(part.get("name") == "mimic" for part in joint.elements("param"))
    following = MIMIC_PARAMETERS if is_follower else ()
    for part in joint.elements():
        named = part.get("name") or ""
        if part.name == "param":
            stays = named not in following
        elif part.name == "limits":
            stays = bool(part.elements() or set(part.attributes) - {"enable"})
        else:
            stays = bool(part.elements("param")) and not named.endswith(DIRECTED)
        if stays:
            changes.warn_of_joint(part, "part", name)


def _check_sensor(changes: ReferenceChanges, top: Element) -> None:
    """Warn of a sensor in a removed joint, as a whole: it has lost the frame of its origin."""
    for parent in top.elements("parent"):
        joint = parent.get("joint") or ""
        if changes.is_removed_joint(joint):
            changes.warn(top, REMOVED_JOINT, "measures", joint)


def _check_filter(changes: ReferenceChanges, top: Element) -> None:
    """Warn of a collision filter group that covers more links than in the input."""
    members = {element.get("link") for element in top.walk()}
    for element in top.walk():
        link = element.get("link") or ""
        if changes.is_merged(link) and changes.target(link) not in members:
            changes.warn(element, WIDER_FILTER, "link", changes.target(link), link)


CHECKS: Dict[str, Callable[[ReferenceChanges, Element], None]] = {
    "gazebo": _check_gazebo,
    "sensor": _check_sensor,
    "transmission": _check_transmission,
    "ros2_control": _check_ros2_control,
    "drake:collision_filter_group": _check_filter,
}


# ==== urdf_tools/plan/update_values.py ====
# The updates of values outside links and joints for the change of their frame or joint, with an editor for each kind.

# SDF 1.9 allows a quaternion in a <pose>. The quat_xyzw of URDF 1.1 is read in links and joints only.
QUATERNIONS = frozenset(("rotation_format", "quat_xyzw"))


def text_at(place: Place) -> str:
    """Return the text at a place, or "" for a child that does not exist yet."""
    element, key = place
    # A key is `<tag>` for a child to be made, "" for the text, and otherwise an attribute.
    if key.startswith("<"):
        return ""
    text = (element.get(key) or "") if key else element.text()
    return text.strip()


def _write_value(changes: ReferenceChanges, place: Place, text: str) -> None:
    """Write a text to a place, making the child if necessary."""
    element, key = place
    if key.startswith("<"):
        changes.set(element, "", text, child=key[1:-1])
    else:
        changes.set(element, key, text)


def _leave(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Warn of a value that stays, if the table has a warning for it."""
    if value.warning is not None:
        joints_of_value = chain(*value.signs, value.zeros)
        joints = [joint for joint in joints_of_value if changes.is_remapped(joint)]
        names = [value.link, changes.way_to_keep(value.link)] if value.link else joints
        changes.warn(value.element, *value.warning, *names)


def angle_unit(pose: Optional[Element]) -> float:
    """Return the unit of the angles of a `<pose>` [rad]."""
    return math.radians(1.0) if pose is not None and pose.get("degrees") in SDF_TRUE else 1.0


def _update_pose(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Express a pose in the new frame of its link: six numbers in one place, or three in each of two.

    Missing numbers are zero. Numbers that differ only by rounding keep their text.
    """
    T_new_old = changes.T_new_old(value.link)
    if T_new_old == IDENTITY_POSE:
        return
    places = _places_of_numbers(value)
    count = 6 // len(places)
    old = []
    for element, key, child in places:
        text = "" if child else text_at((element, key))
        numbers = numbers_in(text or "0 " * count, count)
        if numbers is None or not QUATERNIONS.isdisjoint(element.attributes):
            changes.warn(value.element, UNREADABLE_POSE, value.kind)
            return
        old.append(numbers)

    x, y, z, roll, pitch, yaw = chain(*old)
    factor = angle_unit(places[0][0]) if value.kind == POSE else 1.0
    R = matrix_from_rpy((roll * factor, pitch * factor, yaw * factor))
    moved = compose(T_new_old, Transform(R, (x, y, z)))
    xyz = without_noise(moved.translation, LENGTH_NOISE_OF_POSES)
    rpy = without_noise(rpy_from_matrix(moved.rotation), ANGLE_NOISE_OF_POSES)
    numbers = (*xyz, *(angle / factor for angle in rpy))
    new = [numbers[start : start + count] for start in range(0, 6, count)]
    if not all(map(same_numbers, old, new)):
        for (element, key, child), part in zip(places, new):
            changes.set(element, key, format_numbers(part), child)
        changes.note(value.element, value.kind, value.link)


def _places_of_numbers(value: FrameDependentValue) -> List[Tuple[Element, str, str]]:
    """Return the places of the numbers of a pose: element, attribute ("" for the text), and the child to be made."""
    places = []
    for element, key in value.places:
        child = key[1:-1] if key.startswith("<") else ""
        attribute = "" if child else key
        places.append((element, attribute, child))
    if value.kind == ORIGIN:
        element, _, child = places[0]
        return [(element, "xyz", child), (element, "rpy", child)]
    return places


def _update_direction(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Express a direction along the axes of the new frame of its link."""
    R_new_old = changes.T_new_old(value.link).rotation
    if R_new_old == IDENTITY:
        return
    (place,) = value.places
    old = numbers_in(text_at(place), 3)
    if old is None:
        changes.warn(value.element, UNREADABLE_POSE, value.kind)
        return
    x, y, z = old
    new = without_noise(rotate(R_new_old, (x, y, z)), ANGLE_NOISE_OF_POSES)
    if not same_numbers(old, new):
        _write_value(changes, place, format_numbers(new))
        changes.note(value.element, value.kind, value.link)


def _check_frame(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Warn of a value that cannot be expressed in the new frame."""
    # A pose depends on the position of the frame, a direction only on its orientation.
    has_changed = changes.is_frame_changed if value.kind == FRAME_POSE else changes.is_frame_rotated
    if has_changed(value.link):
        _leave(changes, value)


def _mapped_number(
    changes: ReferenceChanges, place: Place, sign: int, added: Sequence[Sequence[str]]
) -> str:
    """Return the number at a place, plus products and times a sign; a missing number is 0.

    An unreadable number gets a warning, and "" is returned.
    """
    text = text_at(place)
    # A child that does not exist yet counts as 0.
    number = "0" if place[1].startswith("<") else text
    try:
        return mapped_text(number, sign, *added)
    except (ArithmeticError, ValueError):
        for kind, holds in ((FLIPPED_JOINT, sign < 0), (MOVED_ZERO, bool(added))):
            if holds:
                changes.warn(place[0], kind, "number", text)
        return ""


def _zeros_of(changes: ReferenceChanges, value: FrameDependentValue) -> List[Texts]:
    """Return the products that are added to a number because the zeros of its joints move."""
    terms = [
        *((joint, "-1") for joint in value.zeros),
        *((joint, text_at(place) or "1" if place else "1") for joint, place in value.terms),
    ]
    return [
        (factor, repr(changes.map_of(joint).zero))
        for joint, factor in terms
        if changes.map_of(joint).zero
    ]


def _update_number(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Update a number for the signs and zeros of its joints.

    If only a part of a group of joints flips, no number can follow, and a warning is given.
    """
    groups = [set(map(changes.is_flipped, group)) for group in value.signs]
    added = _zeros_of(changes, value)
    # Each flipped group changes the sign once: two cancel out.
    sign = -1 if sum(group == {True} for group in groups) % 2 else 1
    # No update exists if part of a group flips, or if a group flips while another group has no joints.
    if {True} in groups and set() in groups or {True, False} in groups:
        _leave(changes, value)
    elif (sign < 0 or added) and not value.places:
        _leave(changes, value)
    elif sign < 0 or added:
        element, key = value.places[0]
        missing = key.startswith("<")
        new = _mapped_number(changes, value.places[0], sign, added)
        if not new or missing and float(new) == 0.0:
            return
        _write_value(changes, value.places[0], new)
        name = element.name if key in ("", "value") else key.strip("<>")
        if element.name == "param":
            name = element.get("name") or name
        if added:
            changes.note(value.element, "becomes", name, new)
        else:
            changes.note(value.element, "negated", name)


def _update_range(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Update the parameters of a range; a flipped sign swaps the bounds, and a lone bound becomes the opposite bound."""
    joint_map = changes.map_of(value.signs[0][0])
    added = _zeros_of(changes, value)
    if joint_map.sign > 0 and not added:
        return
    # The elements of the bounds by their names.
    bounds = {element.get("name") or "": element for element, key in value.places if not key}
    new_values = {}  # texts, by the name of the bound that each becomes
    for name, element in bounds.items():
        end = RANGE_OF[name] if joint_map.sign < 0 else name
        new_values[end] = _mapped_number(changes, (element, ""), joint_map.sign, added)
    # If one bound is a template such as `{x}`, leave the other too: changing it alone would change the range.
    if not all(new_values.values()):
        return
    for name, element in bounds.items():
        end = name
        if name not in new_values:
            end = RANGE_OF[name]
            changes.set(element, "name", end)
        _write_value(changes, (element, ""), new_values[end])
    changes.note(value.element, "zero" if added else "negated", ", ".join(bounds))


def _update_link_name(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Replace the name of a merged link by the name of its target; other names stay."""
    ((element, key),) = value.places
    changes.rename_link(element, key, value.link)


def _update_frame_name(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Rename a frame only if the target's frame coincides with it: programs look up frames in TF.

    | names of TF frames in it | renamed if it is the same frame, else a warning | warning | |
    """
    ((element, key),) = value.places
    if changes.is_merged(value.link) and not changes.is_frame_changed(value.link):
        changes.rename_link(element, key, value.link)
    elif changes.is_frame_rotated(value.link) and not changes.is_merged(value.link):
        _leave(changes, value)


def _update_collision_name(changes: ReferenceChanges, value: FrameDependentValue) -> None:
    """Name the collision of a contact sensor: a nameless collision gets the name that simulators generate for it.

    The generated name contains the index of the collision in its link, so it changes if the link is merged, or loses or
    gains collisions.

    | collisions of its contact sensors | the collision is given the name | | |
    """
    element = value.element
    text = element.text().strip()
    named = [
        shape
        for _, shape in changes.robot.shapes
        if shape.kind == "collision" and shape.source.get("name") == text
    ]
    # `foot_collision_1`, or lumped `base_fixed_joint_lump__foot_collision_1` (sdformat).
    match = re.fullmatch(COLLISION_NAME, text)
    # A written name takes precedence; otherwise it may be generated: `<link>_collision` and an index.
    if named:
        if all(shape.source.offset in changes.removed_shapes for shape in named):
            changes.warn(element, CONTACT_COLLISION, "removed", text)
    elif match and changes.is_known_link(match.group(2)):
        lumped, link, index = match.groups()
        _update_generated_name(changes, element, bool(lumped), link, int(index or 0))


def _update_generated_name(
    changes: ReferenceChanges, element: Element, lumped: bool, link: str, index: int
) -> None:
    """Write the name that simulators generate for a collision into that collision, if it would change.

    `lumped`: Gazebo has lumped the link of the collision into a different link.
    """
    text = element.text().strip()
    shapes = changes.robot.links[link].collisions
    if link in changes.kept_frames and shapes:
        holder = changes.content_in(link)
        changes.warn(element, CONTACT_COLLISION, "elsewhere", text, link, holder)
        return
    has_lost_some = any(shape.source.offset in changes.removed_shapes for shape in shapes)
    if not changes.is_merged(link) and not has_lost_some:
        # The name stays the same, but the index of a lumped collision counts all collisions of the body.
        if lumped and _gets_collisions(changes, link):
            changes.warn(element, CONTACT_COLLISION, "others", text, link)
        return
    # A single lumped collision is numbered among the collisions of its body.
    index = 0 if lumped and len(shapes) == 1 else index
    shape = shapes[index].source if index < len(shapes) else None
    if shape is None or shape.get("name") or shape.offset in changes.removed_shapes:
        changes.warn(element, CONTACT_COLLISION, "made-up-removed", text, link)
        return
    name = changes.new_collision_names.setdefault(shape.offset, text)
    if name == text:
        changes.set(shape, "name", text)
        changes.note(element, "collision", link, text)
    else:
        changes.set(element, "", name)
        changes.note(element, "renamed", text, name)


def _gets_collisions(changes: ReferenceChanges, link: str) -> bool:
    """Return True if other links' collisions move to a link."""
    return any(
        link == changes.content_in(name)
        for name, other in changes.robot.links.items()
        if name != link and other.collisions
    )


# Each editor updates a value of its kind, or warns that it is not updated.
EDITORS: Dict[str, Callable[[ReferenceChanges, FrameDependentValue], None]] = {
    POSE: _update_pose,
    ORIGIN: _update_pose,
    OFFSET_POSE: _update_pose,
    DIRECTION: _update_direction,
    AXES: _check_frame,
    FRAME_POSE: _check_frame,
    SIGNED: _update_number,
    RANGE: _update_range,
    LINK: _update_link_name,
    FRAME: _update_frame_name,
    COLLISION: _update_collision_name,
}


# ==== urdf_tools/meshing/mesh_converter.py ====
# The context of mesh conversion: folders, names and converter; the interface of all converters.

Outcome = Union[DaeConversionResult, UrdfError]
# Takes jobs, and the number of the first job.
ConvertAll = Callable[[List[MeshJob], int], Dict[MeshJob, Outcome]]
# Takes a job, the prefix of its file names, and a MeshProgress.
Convert = Callable[..., Outcome]


class UnconvertedFiles(Record):
    """The names and copies of the meshes and images of a robot that are not converted.

    Attributes:
        name_of: returns the new name of a file from its use, with its real path; None: the usual name.
        copied: the names of the copied files.
        files: the copies.
        warnings: warnings about missing files that these refer to.
    """

    name_of: Optional[Callable[[FileUse], str]] = None
    copied: Collection[str] = ()
    files: Tuple[FinishedFile, ...] = ()
    warnings: Notes = ()


class MeshConverter:
    """A converter of meshes: this class converts COLLADA to STL, subclasses override its methods.

    Converters are pickled for other processes.

    Attributes:
        options: the options of meshes.
        form: the form that meshes are converted to.
        adds_files: True if the result names files that are made later.
        inside: the files of meshes that the input contains.
        staged: see `PackageResolver`.
        folder: the folder of the result's files.
    """

    adds_files = False
    folder = ""
    inside: Sequence[FinishedFile] = ()
    staged: Mapping[str, str] = {}

    def __init__(
        self,
        options: MeshOptions,
        form: Optional[ConversionForm] = None,
    ) -> None:
        """Convert COLLADA by default, unless the options or a form say otherwise."""
        endings = COLLADA_ENDINGS if options.wanted else ()
        self.options = options
        self.form = form or ConversionForm(endings, options.separate_dae_meshes)

    def rare(self) -> Optional[RareColladaFunctions]:
        """Return the readers of rare COLLADA features; None in the single file."""
        return None

    @property
    def needs_place(self) -> bool:
        """Return True if files are made, copied or renamed."""
        return self.form != NO_CONVERSION or self.adds_files

    def is_ready(self, path: str) -> bool:
        """Return True if a file needs no conversion."""
        return False

    def convert(
        self,
        job: MeshJob,
        staging_dir: str,
        prefix: str,
        progress: Optional[MeshProgress] = None,
    ) -> DaeConversionResult:
        """Write the files of a job into a folder, with names that begin with a prefix; may run in another process.

        Raises:
            UrdfError: the file cannot be used.
            ProofFailed: the written files differ from the content of the input file.
        """
        dae = self.options.dae._replace(separate=job.separate, rare=self.rare())
        return convert_dae(job.path, staging_dir, dae, prefix, progress)

    def do_tasks(
        self, tasks: List[ConversionTask], convert_all: ConvertAll
    ) -> Tuple[List[ConversionTask], Dict[MeshJob, Outcome]]:
        """Do the jobs of tasks, each once; return the tasks with the jobs done for them, and the outcomes."""
        return tasks, convert_all(list(dict.fromkeys(task.job for task in tasks)), 0)

    def convert_all(
        self, convert: Convert, calls: Mapping[MeshJob, str], show: Show
    ) -> Dict[MeshJob, Outcome]:
        """Do all jobs, given with the prefixes of their file names; `show` is called like `MeshMakingSettings.progress`."""
        return {
            job: convert((job, prefix), partial(show, os.path.basename(job.path)))
            for job, prefix in calls.items()
        }

    def finish(
        self, files: Sequence[FinishedFile], shapes: Sequence[ConvertedShape]
    ) -> Tuple[List[FinishedFile], Diagnostics]:
        """Return the files of the shapes together with further files that they refer to, and the warnings."""
        return list(files), []

    def others(self, lines: Mapping[FileUse, int], context: "MeshFolders") -> UnconvertedFiles:
        """Return names and copies of the files that are not converted, given by use in the URDF, each with a line."""
        return UnconvertedFiles()

    def copies_of(self, plan: Plan, require: Callable[[bool, str], None]) -> Dict[str, str]:
        """Verify the copies; return the original of each copy by its path and URI: {}, as this converter copies no files.

        The converter of the export overrides it; see `ComparedTexts.copies`.
        """
        return {}

    def prefix_of(self, folder: str) -> str:
        """Return the prefix of file names in a folder, or "" for the usual prefix."""
        return ""


class MeshMakingSettings(Record):
    """How and where a run makes mesh files.

    Attributes:
        staging_dir: a temporary folder for new files, until the run writes everything.
        converter: the converter that makes the files.
        progress: a function called from time to time with the name of a file and the number of its triangles so far.
    """

    staging_dir: str
    converter: MeshConverter
    progress: Optional[Show] = None


class MeshFolders(Record):
    """The folders of the meshes of a robot.

    Attributes:
        resolver: finds the files that the robot names.
        making: makes new files.
        target: the folder where the new files will be.
        prefix: the text before the name of a new file in the URDF, with its slash.
    """

    resolver: PackageResolver
    making: MeshMakingSettings
    target: str
    prefix: str


def mesh_folder(path: str, options: Options, output: str, choices: Choices) -> str:
    """Return the folder for meshes: named after the output, the first target of an export, or an unchanged input."""
    as_is = not (options.merge or options.strip_hardware or options.reorient)
    named = output or choices.get("first_target") or (path if as_is else default_output(path))
    return options.meshes.mesh_dir or f"{robot_stem(named)}_meshes"


def mesh_context(plan: Plan, path: str, output: str, making: MeshMakingSettings) -> MeshFolders:
    """Return the folders of a run's meshes, from the paths of its input and its result ("": the usual path)."""
    converter = making.converter
    target = converter.folder
    prefix = plan.options.meshes.mesh_prefix or converter.prefix_of(target)
    if not prefix:
        start = os.path.dirname(os.path.abspath(output or default_output(path)))
        # `..` is relative to the folder that a symbolic link points to.
        above, name = os.path.split(target.rstrip("/"))
        real_target = os.path.join(os.path.realpath(above), name)
        prefix = path_from(os.path.realpath(start), real_target)
    resolver = resolver_for(
        plan.robot.document.root,
        os.path.dirname(os.path.abspath(path)),
        plan.options.meshes.package,
    )._replace(staged=converter.staged)
    return MeshFolders(
        resolver=resolver,
        making=making,
        target=target,
        prefix=prefix.rstrip("/") + "/",
    )


# ==== urdf_tools/meshing/make_meshes.py ====
# The completed plan of a run: with converted meshes, and the names of all mesh and texture files of the result.
#
# Files that are not converted get their names in the result, and MuJoCo's attributes for finding them.
#
# Named materials must keep their meaning when the shapes that define them are removed or reordered. For some readers the
# first definition of a name in the file, a material of the robot before materials of visuals, applies to all visuals with
# the name, even if they have a different color (urdfdom, model.cpp, `assignMaterial`: RViz, Gazebo, pinocchio). Other
# readers use the color of the visual, and the first definition only for visuals without a color. Both get the same color
# if the first definition of a name stays the first.

MaterialContent = Tuple[object, ...]
# A name, the content of its material or (), and its offset.
Use = Tuple[str, MaterialContent, int]


def _shapes_in_order(
    robot: UrdfRobot, members: Mapping[str, LinkMembership]
) -> Iterator[UrdfShape]:
    """Yield the shapes in the order of the result: a link's own shapes, then the shapes of links merged into it."""
    merged: Dict[str, List[UrdfShape]] = {}
    for name, member in members.items():
        if member.merged:
            merged.setdefault(member.target, []).extend(robot.links[name].shapes)
    for name, link in robot.links.items():
        if not members[name].merged:
            yield from link.shapes
            yield from merged.get(name, ())


def first_definitions(
    plan: Plan, converted: Sequence[ConvertedShape], whole: Optional[UrdfRobot] = None
) -> Tuple[Element, ...]:
    """Return the material definitions to add to the robot, so that the first definition of each name stays the first.

    `whole`: the robot of which the plan's robot is a part.
    """
    robot = plan.robot
    source = whole or plan.robot
    members = plan.members
    removed = plan.removed_shapes  # a property, which builds the set at each access
    parts = {split.shape.source.offset: split.parts for split in converted}
    old_uses = _uses(shape for _, shape in source.shapes)
    if not old_uses:
        return ()
    new_uses: List[Use] = []
    for shape in _shapes_in_order(robot, members):
        if shape.source.offset not in removed:
            for part in parts.get(shape.source.offset, (None,)):
                if part is not None and part.material:
                    new_uses.append((part.material, (("color", (("rgba", part.rgba),)),), -1))
                elif part is None or not part.has_own_colors:
                    new_uses += _uses([shape])
    old_meanings, too_early = _first_ones(robot, old_uses)
    new_meanings, now_too_early = _first_ones(robot, new_uses)
    changed = {name for name, _ in now_too_early - too_early}
    changed.update(
        name for name, _, _ in new_uses if new_meanings.get(name) != old_meanings.get(name)
    )
    return tuple(
        material for name, material in material_definitions(source).items() if name in changed
    )


def _uses(shapes: Iterable[UrdfShape]) -> List[Use]:
    """Return the named materials of visuals."""
    uses: List[Use] = []
    for shape in shapes:
        # Readers use the first material of a visual.
        material = shape.source.find("material") if shape.kind == "visual" else None
        name = material.get("name") if material is not None else None
        if material is not None and name:
            uses.append((name, material_content(material), material.offset))
    return uses


def material_content(material: Element) -> MaterialContent:
    """Return the content of a material if it has a color or an image, else ()."""
    if not defines(material):
        return ()
    parts = chain.from_iterable(child.walk() for child in material.elements())
    return tuple((part.name, tuple(sorted(part.attributes.items()))) for part in parts)


def _first_ones(
    robot: UrdfRobot, uses: Iterable[Use]
) -> Tuple[Dict[str, MaterialContent], Set[Tuple[str, int]]]:
    """Return the first definition of each name, and the uses of a bare name before its definition."""
    meaning: Dict[str, MaterialContent] = {}
    too_early: Set[Tuple[str, int]] = set()
    tops = (
        (top.get("name") or "", material_content(top), -1)
        for top in robot.document.root.elements("material")
    )
    for name, content, offset in (*(top for top in tops if top[1]), *uses):
        if content:
            meaning.setdefault(name, content)
        elif name not in meaning:
            too_early.add((name, offset))
    return meaning, too_early


def make_meshes(
    plan: Plan, folder: str, output_folder: str, context: Optional[MeshFolders]
) -> Plan:
    """Return the plan with its converted meshes, whose files in the temporary folder are finished and verified.

    Args:
        plan: the decisions.
        folder: the folder of the input.
        output_folder: the folder of the output.
        context: where meshes are made; None converts no mesh.

    Raises:
        UrdfError: with `require_meshes`, a file cannot be found or read; or a file cannot be copied.
        ProofFailed: the written triangles differ from the triangles of a file.
    """
    # Material definitions come last, because converted visuals have other materials than the input.
    meshes = convert_meshes(plan, context) if context and plan.mesh_tasks else plan.meshes
    collada = sum(is_collada(shape) for _, shape in plan.staying_shapes)
    meshes = meshes._replace(
        unconverted=collada - sum(is_collada(split.shape) for split in meshes.converted)
    )
    meshes, warnings = name_files(plan, meshes, folder, output_folder, context)
    compiler = [
        AttributeEdit(plan.robot.document.root, name, value, "mujoco/compiler")
        for name, value in meshes.compiler
    ]
    updates = plan.updates._replace(edits=(*plan.updates.edits, *compiler))
    return plan._replace(
        meshes=meshes,
        updates=updates,
        definitions=first_definitions(plan, meshes.converted),
        warnings=by_line([*plan.warnings, *meshes.warnings, *warnings]),
    )


def convert_meshes(plan: Plan, context: MeshFolders) -> MeshResult:
    """Convert the meshes of all tasks, and name the results."""
    converted, reduced, warnings = convert_tasks(plan, context)
    naming = MeshNaming(plan, context, converted)
    shapes = naming.shapes(converted)
    files, notes = context.making.converter.finish(naming.files, shapes)
    return plan.meshes._replace(
        converted=shapes,
        files=tuple(files),
        reduced=reduced,
        warnings=(*warnings, *naming.warnings, *notes),
        lost=tuple(naming.lost),
        restated=tuple(naming.restated),
    )


def name_files(
    plan: Plan, meshes: MeshResult, folder: str, output_folder: str, context: Optional[MeshFolders]
) -> Tuple[MeshResult, Diagnostics]:
    """Return the meshes with the new names of all files that are not converted, for the folder of the output, and warnings.

    The warnings are about files that are not found, or that MuJoCo no longer finds.

    A converter may copy and name all of these files; otherwise relative names are adapted to the folder of the output.
    If MuJoCo searches meshes in a separate folder, and names change or meshes are made, it then searches relative to
    the output, as all other readers do. If a URI prevents this, because MuJoCo cannot resolve it relative to the
    output, it searches the same folder as before.
    """
    input_folder = os.path.realpath(folder or ".")
    result_folder = os.path.realpath(output_folder or ".")
    elements_by_use = _uses_of_files(plan)
    root = plan.robot.document.root
    if context:
        lines = {use: element.line for use, element in elements_by_use.items()}
        form = context.making.converter.form
        other_files = context.making.converter.others(lines, context)
        adds_files = context.making.converter.adds_files
        resolver = context.resolver
    else:
        form = NO_CONVERSION
        other_files = UnconvertedFiles()
        adds_files = False
        resolver = resolver_for(root, input_folder, plan.options.meshes.package)

    # Names are kept unless something moves: a different spelling of the same file is not a change.
    changes = bool(
        other_files.name_of or input_folder != result_folder or meshes.converted or adds_files
    )
    if not changes:
        elements_by_use = {}
    renamed = _renamed(elements_by_use, other_files.name_of, resolver, result_folder)
    # The verification finds files by their real paths in `uri_files`. Files that the run will write must be found, too, and
    # the keys of `staged` are their real paths.
    staged_files = {path: path for path in resolver.staged}
    meshes = meshes._replace(
        files=(*meshes.files, *other_files.files),
        names=renamed.names,
        uri_files={**renamed.uri_files, **staged_files},
        compiler=form.compiler,
    )
    warnings = [*with_missing_meshes_joined([*other_files.warnings, *renamed.warnings])]

    mesh_folder = mesh_folder_of(root)
    # A form with its own attributes lets MuJoCo search relative to the result, so the folder of the input does not matter.
    if not mesh_folder or not changes or form.compiler:
        return meshes, warnings
    compiler, folder_notes = compiler_of(
        mesh_folder=mesh_folder,
        folders=(input_folder, result_folder),
        made=[*_names_made(meshes), *other_files.copied],
        kept=_names_kept(plan, meshes),
        # Both uses of a name have the same form: a URI, or relative.
        names={name: new for (_, name), new in renamed.names.items()},
    )
    return meshes._replace(compiler=compiler), [*warnings, *folder_notes]


class RenamedFiles(Record):
    """New names of the files of a robot that are not converted.

    Attributes:
        names: by use with the old name, where they differ.
        uri_files: the real paths of old and new names that are URIs.
        warnings: warnings about files to copy.
    """

    names: Dict[FileUse, str]
    uri_files: Dict[str, str]
    warnings: Diagnostics


def _renamed(
    elements_by_use: Mapping[FileUse, Element],
    name_of: Optional[Callable[[FileUse], str]],
    resolver: PackageResolver,
    folder: str,
) -> RenamedFiles:
    """Return the names of files relative to a new folder; the files are given by use with an element that has it.

    `name_of` returns the name of a copy by its use with the real path of its original; None copies nothing.
    """
    names: Dict[FileUse, str] = {}
    uri_files: Dict[str, str] = {}
    warnings: Diagnostics = []
    noticed: Set[str] = set()
    for use, element in elements_by_use.items():
        kind, name = use
        moved = moved_name(element, resolver, folder)
        resolved = resolve(name, resolver)
        if name_of and name not in noticed:
            noticed.add(name)
            warnings += _notices(name, element, resolved, is_moved=moved != name)
        file = os.path.realpath(resolved.path or "")
        new = name_of((kind, file)) if name_of and resolved.path else moved
        if new == name:
            continue
        names[use] = new
        if resolved.path and URI_SCHEME.match(name):
            uri_files[name] = file
        if URI_SCHEME.match(new):
            uri_files[new] = file
    return RenamedFiles(names, uri_files, warnings)


def _notices(name: str, element: Element, resolved: ResolvedFile, *, is_moved: bool) -> Diagnostics:
    """Return the diagnostics on a file to copy: on its package, or that it is missing."""
    notices = [*package_notices([resolved])]
    if not resolved.path:
        means = "place" if is_moved else "name"
        hint = f" ({resolved.hint})" if resolved.hint else ""
        notices.append(Diagnostic(MESH_NOT_FOUND, element.line, means, (name, hint)))
    return notices


def _uses_of_files(plan: Plan) -> Dict[FileUse, Element]:
    """Return the uses of all mesh and texture files except removed meshes, each with the first element that has it."""
    uses: Dict[FileUse, Element] = {}
    robot = plan.robot
    removed = {(shape.kind, shape.mesh) for _, shape in robot.shapes} - {
        (shape.kind, shape.mesh) for _, shape in plan.staying_shapes
    }
    for element in robot.document.root.walk():
        if element.name not in NAMES_FILE or not element.get("filename"):
            continue
        use = use_of(element)
        if use not in removed:
            uses.setdefault(use, element)
    return uses


def _names_made(meshes: MeshResult) -> Iterable[str]:
    """Return the names of the new files."""
    parts = chain.from_iterable(split.parts for split in meshes.converted)
    return [part.filename for part in parts]


def _names_kept(plan: Plan, meshes: MeshResult) -> Dict[str, int]:
    """Return the names of the meshes that are not converted, each with its first line."""
    converted = {split.shape.source.offset for split in meshes.converted}
    return {
        shape.mesh: shape.source.line
        # Reversed, so that the first line with a name is kept.
        for _, shape in reversed(plan.staying_shapes)
        if shape.mesh and shape.source.offset not in converted
    }


def compiler_of(
    mesh_folder: MujocoMeshFolder,
    folders: Pair,
    made: Sequence[str],
    kept: Mapping[str, int],
    names: Mapping[str, str],
) -> Tuple[Pairs, Diagnostics]:
    """Return the MuJoCo attributes for finding the meshes of a result, and warnings about meshes that it does not find.

    Args:
        mesh_folder: MuJoCo's settings in the input.
        folders: the real paths of the folders of input and result.
        made: the names of new files.
        kept: the names of the other meshes in the input, each with its line.
        names: by name in the input, the name in the result, where they differ.
    """
    input_folder, result_folder = folders
    if any(map(URI_SCHEME.match, (*made, *(names.get(name, name) for name in kept)))):
        attributes: Pairs = ()
        if input_folder != result_folder:
            meshdir = seen_from(mesh_folder.meshdir or ".", input_folder, result_folder)
            if meshdir:
                attributes = (("meshdir", meshdir),)
        # MuJoCo keeps searching in that folder, which does not contain the new files.
        warnings = [Diagnostic(MESH_FOLDER, 0, "lost")] if made else []
        return attributes, warnings
    # No URI remains, so all names can be relative to the output, for MuJoCo as for other readers.
    if not made and not kept:
        return (), []
    warnings = []
    for name, line in kept.items():
        file, *other_files = (
            os.path.realpath(os.path.join(input_folder, candidate))
            for candidate in (
                referenced_name(name, input_folder, mesh_folder),
                *names_in(mesh_folder, name),
            )
        )
        if any(os.path.isfile(other) and other != file for other in other_files):
            warnings.append(Diagnostic(MESH_FOLDER, line, "other", (name,)))
    meshdir = "." if mesh_folder.meshdir not in ("", ".") else mesh_folder.meshdir
    # With these, MuJoCo resolves names from the folder of the output, as all other readers do.
    values = (("meshdir", meshdir), ("strippath", "false"))
    changed = [(name, value) for name, value in values if value != getattr(mesh_folder, name)]
    return tuple(changed), warnings


# ==== urdf_tools/meshing/mesh_conversion.py ====
# The conversion of the plan's mesh files, each once, and the names of the results: files, and materials of visuals.

Converted = List[Tuple[ConversionTask, DaeConversionResult]]
ReducedMeshes = Tuple[Tuple[MeshJob, ReductionRecord], ...]
MaterialText = Pair  # name and color; both "" for a collision
# A part of a converted mesh, by its number, and the visual's color if the part has no color of its own.
FileKey = Tuple[MeshJob, int, str]


def convert_tasks(plan: Plan, context: MeshFolders) -> Tuple[Converted, ReducedMeshes, Diagnostics]:
    """Convert the files of all tasks in file order; return the conversions, the reduced meshes, and the warnings.

    Raises:
        UrdfError: with `require_meshes`, a file cannot be found or read.
        ProofFailed: the written triangles differ from the triangles of a file.
    """
    warnings: Diagnostics = []
    tasks, conversions = context.making.converter.do_tasks(
        _found(plan, context, warnings), partial(_convert_all, context)
    )
    converted: Converted = []
    reduced = tuple(
        (job, conversion.reduced)
        for job, conversion in conversions.items()
        if isinstance(conversion, DaeConversionResult) and conversion.reduced
    )
    for task in tasks:
        outcome = conversions[task.job]
        if isinstance(outcome, UrdfError):
            warnings.append(_left(MESH_UNREADABLE, task.shape, str(outcome), plan))
        elif outcome.parts:
            converted.append((task, outcome))
    return converted, reduced, [*with_missing_meshes_joined(warnings)]


def _found(plan: Plan, context: MeshFolders, warnings: Diagnostics) -> List[ConversionTask]:
    """Return the tasks whose files exist and need a conversion, with the real paths of the files."""
    tasks: List[ConversionTask] = []
    for task in plan.mesh_tasks:
        file = resolve(task.shape.mesh, context.resolver)
        if file.path is None:
            warnings.append(_left(MESH_NOT_FOUND, task.shape, file.tried, plan))
            continue
        warnings += package_notices([file])
        path = os.path.realpath(file.path)
        # A file that this run made is still in the temporary folder.
        path = context.resolver.staged.get(path, path)
        if task.job.within or not context.making.converter.is_ready(path):
            tasks.append(task._replace(job=task.job._replace(path=path)))
    return tasks


def _left(kind: DiagnosticKind, shape: UrdfShape, reason: str, plan: Plan) -> Diagnostic:
    """Return the warning of a mesh that is not converted, or, with `require_meshes`, raise BrokenMesh."""
    warning = Diagnostic(kind, shape.source.line, "left", (shape.mesh, reason))
    if plan.options.meshes.require_meshes:
        raise BrokenMesh(warning.text, plan.robot.document.path, warning.line)
    return warning


def _convert_all(context: MeshFolders, jobs: List[MeshJob], start: int) -> Dict[MeshJob, Outcome]:
    """Convert all jobs; return for each its conversion or its error.

    The names of the files are numbered from `start`.
    """
    converter = context.making.converter
    calls = {job: f"mesh{number}" for number, job in enumerate(jobs, start)}
    return converter.convert_all(
        partial(outcome_of, converter, context.making.staging_dir),
        calls,
        context.making.progress or (lambda name, triangles: None),
    )


def outcome_of(
    converter: MeshConverter,
    staging_dir: str,
    call: Tuple[MeshJob, str],
    progress: Optional[MeshProgress] = None,
) -> Outcome:
    """Return the conversion of a file, or its error."""
    job, prefix = call
    try:
        conversion = converter.convert(job, staging_dir, prefix, progress)
    except UrdfError as error:
        return error
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror or error}", error.filename or staging_dir
        ) from None
    if not conversion.parts and not conversion.reduced:
        return BrokenMesh("; ".join(("draws no triangles", *map(str, conversion.notes))), job.path)
    return conversion._replace(
        parts=tuple(part._replace(stamp=file_stamp(part.file)) for part in conversion.parts),
        restated=_restated(job.path, converter),
    )


def _restated(path: str, converter: MeshConverter) -> str:
    """Return how the options place a mesh otherwise than its file does, "" if they do not."""
    scene = converter.options.dae.scene
    has_own_unit = scene._replace(up_axis=None) == SceneOptions()
    said = []
    # Only COLLADA has a unit.
    if not has_own_unit and path.lower().endswith(COLLADA_ENDINGS):
        document = read_dae(path, converter.rare())
        used = unit_factor(document, scene, [])
        if used != unit_factor(document, SceneOptions(), []):
            said.append(f"in units of {used:g} m")
    # Axes are as in the file without this option, and with `z`.
    if scene.up_axis in ("x", "y") and path.lower().endswith((*COLLADA_ENDINGS, *HOLD_COLORS)):
        said.append(f"with {scene.up_axis} up")
    return " ".join(said)


class MeshNaming:
    """The names of all files, and the materials of all visuals, in the order of the URDF.

    Attributes:
        files: all new files.
        warnings: warnings about their content.
        lost: the links whose visuals lost a part of their looks, each with a value of `LOST_LOOKS`.
        restated: the links whose meshes the options place otherwise than their files do, each with the words.
    """

    def __init__(self, plan: Plan, context: MeshFolders, converted: Converted) -> None:
        """Begin with the stems of files that keep their names, and the materials of the URDF."""
        self.plan = plan
        self.context = context
        self.form = context.making.converter.form
        going = {task.shape.source.offset for task, _ in converted}
        # New files get other stems than the meshes that stay; casefolded, because some file systems ignore case.
        self._taken = {
            mesh_stem(shape.mesh).casefold()
            for _, shape in plan.robot.shapes
            if shape.mesh
            and shape.source.offset not in going
            and (self.form.by_kind or not is_collada(shape))
        }
        self._materials = _known_materials(plan.robot)
        self._definitions = material_definitions(plan.robot)
        self._names: Dict[FileKey, str] = {}
        self._first: Dict[Tuple[MeshJob, int], str] = {}
        # Files without a color so far, because only collisions use them.
        self._uncolored: Dict[Tuple[MeshJob, int], str] = {}
        self.files: List[FinishedFile] = []
        self.warnings: Diagnostics = []
        self.lost: List[Pair] = []
        self.restated: List[Pair] = []

    def shapes(self, converted: Converted) -> Tuple[ConvertedShape, ...]:
        """Return the converted shapes of tasks."""
        return tuple(self._shape(task, made) for task, made in converted)

    def _shape(self, task: ConversionTask, conversion: DaeConversionResult) -> ConvertedShape:
        """Return a shape with the names of its files, and its materials."""
        shape, link, job = task
        materials = [
            _material_for(shape, link, number, part, self._materials)
            for number, part in enumerate(conversion.parts, start=1)
        ]
        names = self._files_of(shape, job, conversion, materials)
        parts = []
        for name, (material, rgba), part in zip(names, materials, conversion.parts):
            in_file = shape.kind == "visual" and name.endswith(HOLD_COLORS)
            # A color that the file contains is not written into the URDF too.
            in_urdf = "" if in_file else material
            is_colored = part.rgba is not None or part.is_partly_colored
            parts.append(
                ReplacementMesh(
                    filename=self.context.prefix + name,
                    material=in_urdf,
                    rgba=rgba,
                    has_own_colors=in_file and is_colored,
                )
            )
        if shape.kind == "visual":
            self.lost += [(link, word) for word in self._lost_of(shape, job, conversion, parts)]
        if conversion.restated:
            self.restated.append((link, conversion.restated))
        return ConvertedShape(shape=shape, link=link, parts=tuple(parts), made=conversion.parts)

    def _lost_of(
        self,
        shape: UrdfShape,
        job: MeshJob,
        conversion: DaeConversionResult,
        parts: Sequence[ReplacementMesh],
    ) -> Iterator[str]:
        """Yield the losses in the looks of a visual, as values of `LOST_LOOKS`."""
        lost = [*_lost_of_mesh(job.path, conversion, parts)]
        material = shape.source.find("material")
        name = (material.get("name") or "") if material is not None else ""
        materials = [each for each in (material, self._definitions.get(name)) if each is not None]
        has_image = any(each.find("texture") is not None for each in materials)
        # The robot's image is lost together with its color, if the file has no color.
        if has_image and any(part.rgba is None for part in conversion.parts):
            lost.append(IMAGE)
        yield from dict.fromkeys(lost)

    def _files_of(
        self,
        shape: UrdfShape,
        job: MeshJob,
        conversion: DaeConversionResult,
        materials: Sequence[MaterialText],
    ) -> List[str]:
        """Return the names of the files of a job; files in new colors get new names."""
        keys: List[FileKey] = []
        for k, ((_, rgba), part) in enumerate(zip(materials, conversion.parts)):
            # A part without a color gets the visual's color, also in its file, so each color needs a file.
            is_colored_itself = part.rgba or part.file.endswith(".stl")
            lent = "" if is_colored_itself else rgba
            keys.append((job, k, lent))
        self._share_with_collisions(shape, keys)
        new_indices = [k for k, key in enumerate(keys) if key not in self._names]
        is_known = any(other_job == job for other_job, _, _ in self._names)
        notes = [note._replace(place=shape.mesh) for note in conversion.notes]
        for k, stem in zip(
            new_indices, self._stems(job, conversion, [conversion.parts[k] for k in new_indices])
        ):
            part = conversion.parts[k]
            name = self._names[keys[k]] = f"{stem}{os.path.splitext(part.file)[1]}"
            self._first.setdefault((job, k), name)
            if shape.kind == "collision":
                self._uncolored[job, k] = name
            self.files.append(
                FinishedFile(
                    source=part.file,
                    target=os.path.join(self.context.target, name),
                    part=part,
                    origin=job.path,
                    shared=bool(self.plan.options.meshes.mesh_dir),
                    name=self.context.prefix + name,
                )
            )
            notes += [note._replace(place=name) for note in _notes_of(part, shape)]
        self.warnings += [note._replace(line=shape.source.line) for note in notes if not is_known]
        return [self._names[key] for key in keys]

    def _share_with_collisions(self, shape: UrdfShape, keys: Sequence[FileKey]) -> None:
        """Let a collision use the file of a visual in any color, and the first visual the file of a collision."""
        for key in keys:
            job, number, _ = key
            if key in self._names:
                continue
            if shape.kind == "collision" and (job, number) in self._first:
                self._names[key] = self._first[job, number]
            elif shape.kind == "visual" and (job, number) in self._uncolored:
                self._names[key] = self._uncolored.pop((job, number))

    def _stems(
        self, job: MeshJob, conversion: DaeConversionResult, parts: Sequence[MeshPart]
    ) -> List[str]:
        """Return a new file stem for each part of a conversion: `base_JointGrey` for the gray part of `base.dae`.

        The visual error follows the name of the mesh, and a suffix comes last: `base_2mm_JointGrey_visual`.
        """
        stem = mesh_stem(job.path)
        # A mesh that an earlier run named by its kind gets the same name again.
        if job.suffix and has_kind(stem, job.suffix):
            stem = stem[: -len(f"_{job.suffix}")]
        stem = safe_stem(stem, "mesh")
        # Meshes of several errors may be in one folder, so a reduced mesh has the error in its name.
        if conversion.reduced and not conversion.reduced.why:
            stem = f"{stem}_{1e3 * self.plan.options.meshes.visual_error:.6g}mm"
        suffix = self._suffix_of(job, stem)
        if not suffix:
            return part_stems(parts, stem, self._taken)
        # With a suffix, only the whole name must be new; a number comes before the suffix.
        names = part_stems(parts, stem, set())
        return [unique_stem(name, self._taken, f"_{suffix}") for name in names]

    def _suffix_of(self, job: MeshJob, stem: str) -> str:
        """Return the end of the file names of a conversion: "collision" also if a visual has taken the stem; or ""."""
        if job.suffix or job.separate:
            return job.suffix
        # The collisions of a mesh are converted in a way of their own: `base_collision` says more than `base_2`.
        may_clash = self.plan.options.meshes.separate_dae_meshes or job.kind == "collision"
        return "collision" if may_clash and stem.casefold() in self._taken else ""


def _lost_of_mesh(
    path: str, conversion: DaeConversionResult, parts: Sequence[ReplacementMesh]
) -> Iterator[str]:
    """Yield the losses in the looks of a visual's mesh, as values of `LOST_LOOKS`."""
    notes = chain(conversion.notes, *(part.notes for part in conversion.parts))
    # The input does not show an image whose file is missing, so the result does not lose it.
    yield from lost_looks(note for note in notes if not _is_image_missing(path, note))
    # Joined colors are lost, unless the parts are shown in exactly the colors of the file.
    colors_in_file = {rgba_text(color) for color in conversion.joined}
    colors_shown = {part.rgba for part in parts}
    if colors_in_file and colors_in_file != colors_shown:
        yield JOINED_COLORS


def _is_image_missing(path: str, note: Diagnostic) -> bool:
    """Return True if a note is on a missing image of a COLLADA file: then nothing is lost."""
    if (note.kind, note.sentence) != (MESH_CONTENT, "image") or not path.lower().endswith(
        COLLADA_ENDINGS
    ):
        return False
    _, image, _ = note.names
    folder = os.path.dirname(path)
    return not any(os.path.isfile(os.path.join(folder, name)) for name in (image, decoded(image)))


def _notes_of(part: MeshPart, shape: UrdfShape) -> Iterator[Diagnostic]:
    """Yield the notes about a part of a mesh; notes on its size depend on the scale of the shape."""
    for note in part.notes:
        if note.kind is not MESH_SIZE or note.sentence == "no-unit":
            yield note
    yield from size_notes(part.bounds, shape.scale or (1.0, 1.0, 1.0))


def _known_materials(robot: UrdfRobot) -> Dict[str, str]:
    """Return the colors of the named materials in the URDF ("" if a name has none); a name means a single color."""
    colors = {
        str(element.get("name")): ""
        for element in robot.document.root.walk()
        if element.name == "material" and element.get("name")
    }
    for name, definition in material_definitions(robot).items():
        color = definition.find("color")
        colors[name] = (color.get("rgba") or "") if color is not None else ""
    return colors


def _material_for(
    shape: UrdfShape, link: str, number: int, part: MeshPart, colors: Dict[str, str]
) -> MaterialText:
    """Return name and color of the material for a part: its own color, else the visual's in the URDF, else gray."""
    material = shape.source.find("material")
    if shape.kind != "visual" or part.off and material is None and part.rgba is None:
        return "", ""  # a mesh of fewer triangles looks like its original
    name = (material.get("name") or "") if material is not None else ""
    color = material.find("color") if material is not None else None
    rgba = (color.get("rgba") or "") if color is not None else colors.get(name, "")
    if part.rgba is not None or not _is_rgba(rgba):
        name = ""
        rgba = rgba_text(part.rgba or GRAY)
    name = name or f"{link}_{safe_stem(part.material, f'part{number}')}_mat"
    candidate = name
    tries = 1
    # A material name means a single color, so each further color gets a numbered name.
    while colors.setdefault(candidate, rgba).split() != rgba.split():
        tries += 1
        candidate = f"{name}_{tries}"
    return candidate, rgba


def _is_rgba(text: str) -> bool:
    """Return True if a text is four finite numbers."""
    try:
        return [isfinite(float(word)) for word in text.split()] == [True] * 4
    except ValueError:
        return False


# ==== urdf_tools/apply/merge_passes.py ====
# The passes that merge links: content and comments move to the targets, links that only keep a frame become empty.


def merge_links(document: Document, plan: Plan) -> None:
    """Move the content of merged links to their targets, and remove these links and their joints, except kept frames.

    The comments that belong to removed elements, or are in them, are moved to the target, before the content.
    """
    # By target link, the last number that was tried for each name in it; `make_name_unique` uses and changes them.
    used_names: Dict[str, Dict[Pair, int]] = {}
    removed_links = set(filter(plan.is_removed, plan.members))
    removed_elements = [
        *(plan.robot.links[name].source for name in removed_links),
        *(joint.source for joint in plan.robot.joints if joint.child in removed_links),
    ]
    # All at once, because each `detach` copies the children of the robot, which may be thousands.
    lists = detach(document.root, [*map(document.copy_of, removed_elements)])
    # By removed element, the element and the comments that belong to it.
    nodes_of_element: Dict[int, List[Node]] = {}
    for nodes in lists:
        nodes_of_element.update({node.offset: nodes for node in nodes if isinstance(node, Element)})
    for name, member in plan.members.items():
        if not member.merged:
            continue
        source = document.copy_of(plan.robot.links[name].source)
        target = document.copy_of(plan.robot.links[member.target].source)
        if member.target not in used_names:
            names = [(part.name, part.get("name") or "") for part in target.elements()]
            used_names[member.target] = dict.fromkeys(names, 1)
        moved = detach(source, _moving_content(source, is_link_gone=name in removed_links))
        if name in removed_links:
            joint = plan.robot.above[name].source
            _attach_comments(
                target, [*nodes_of_element[source.offset], *nodes_of_element[joint.offset]]
            )
        for nodes in moved:
            for node in nodes:
                if isinstance(node, Element):
                    make_name_unique(node, used_names[member.target])
            attach(target, nodes)


def _moving_content(link: Element, *, is_link_gone: bool) -> List[Element]:
    """Return the elements of a merged link for its target: the shapes, and other elements only if the link is removed."""
    content: List[Element] = []
    for element in link.elements():
        is_shape = element.name in ("visual", "collision")
        is_other = element.name not in ("inertial", "origin")
        if is_shape or is_link_gone and is_other:
            content.append(element)
    return content


def _attach_comments(parent: Element, nodes: Sequence[Node]) -> None:
    """Attach the comments among nodes and their descendants to an element, in order."""
    for node in nodes:
        if isinstance(node, Element):
            _attach_comments(parent, node.children)
        elif is_comment(node):
            attach(parent, [node])


def fix_joints(document: Document, plan: Plan) -> None:
    """Fix the joints that only keep a frame, and empty the links that are merged but keep their frames."""
    for name, planned in plan.joints.items():
        joint = document.copy_of(planned.joint.source)
        if plan.members[name].merged:
            link = document.copy_of(plan.robot.links[name].source)
            target = document.copy_of(plan.robot.links[plan.members[name].target].source)
            inertials = detach(link, link.elements("inertial"))
            _attach_comments(target, [*chain.from_iterable(inertials)])
            link.close()
        if planned.joint.type == "fixed" and joint.get("type") != "fixed":
            fix_joint(joint)


def fix_joint(joint: Element) -> None:
    """Make a joint fixed, with only its parent, child, origin and comments."""
    joint.set("type", "fixed")
    lost = [part for part in joint.elements() if part.name not in ("parent", "child", "origin")]
    _attach_comments(joint, [*chain.from_iterable(detach(joint, lost))])


def make_name_unique(shape: Element, used_names: Dict[Pair, int]) -> None:
    """Append a number to the name of a shape if the target already has the name, and add the name to `used_names`.

    `used_names` has the last number tried, by the tag of the shape and its name.
    """
    name = shape.get("name")
    if not name:
        return
    while (shape.name, shape.get("name") or "") in used_names:
        used_names[shape.name, name] += 1
        shape.set("name", f"{name}_{used_names[shape.name, name]}")
    used_names[shape.name, shape.get("name") or ""] = 1


# ==== urdf_tools/apply/apply_plan_passes.py ====
# The passes: each carries out a part of the plan on the document, without decisions.

ANGLE_NOISE = 1e-12  # [rad] nothing is attached to a shape, so these errors do not add up


def apply_plan(plan: Plan, source: bytes) -> bytes:
    """Run every pass on a copy of the input's document, add the notes of the run, and return its bytes.

    A document that no pass changed gets a note only if it is new, such as the note of a given --base-frame.
    """
    document = copy_document(plan.robot.document)
    for act in PASSES:
        act(document, plan)
    root = document.root.source()  # the text of the root, nearly the whole file, is made only once
    place = document.children.index(document.root)
    document.children[place] = root
    for element in document.copies.values():  # without these cycles the copy is freed at once
        element.parent = None
    data = document.to_bytes()
    newline = document.newline
    base = provenance_note(plan.robot, plan.base, reorient=plan.options.reorient)
    counts = joint_map_of(plan)
    words = words_of_result(plan.robot, keep_all=plan.options.keep_signs)
    decided = (
        *words_of_note(plan.robot.document, DECISIONS),
        *map(decision_text, decisions_of(plan)),
    )
    for kind, note, is_new in (
        (
            OWN_NOTE,
            own_note(base),
            plan.options.base_frame != "auto" and base != note_of_earlier_run(plan.robot),
        ),
        (JOINT_MAP, joint_map_note(counts, newline), counts != read_joint_map(plan.robot.document)),
        (
            VARIANT,
            note_of_words("variant", words, newline),
            words != words_of_note(plan.robot.document, VARIANT),
        ),
        (DECISIONS, note_of_words(DECISIONS_TITLE, decided, newline, width=0), False),
    ):
        if data != source or is_new:
            note_in_front(document, root, note, kind)
            data = document.to_bytes()
    return data


def as_repaired(plan: Plan) -> Document:
    """Return the input's document after the repairs of --lenient, with which a result is compared."""
    if not plan.options.lenient or not plan.robot.repairs:
        return plan.robot.document
    document = copy_document(plan.robot.document)
    write_repairs(document, plan)
    return document


def write_repairs(document: Document, plan: Plan) -> None:
    """Write the values that --lenient repaired, and remove elements that were not read."""
    options = plan.options
    if options.merge or options.reorient or options.strip_hardware or options.lenient:
        carry_out(document, plan.robot.repairs)


def carry_out(document: Document, edits: Iterable[AttributeEdit]) -> None:
    """Write edits to a copy of the document to whose elements they refer."""
    for edit in edits:
        element = document.copy_of(edit.element)
        for name in filter(None, edit.child.split("/")):
            element = made_child(element, name)
        if edit.attribute and edit.value is not None:
            element.set(edit.attribute, edit.value)
        elif edit.value is not None:
            element.set_text(edit.value)
        elif element.parent is not None:
            detach(element.parent, [element])


def drop_shapes(document: Document, plan: Plan) -> None:
    """Remove motor hardware and exact copies of visuals and collisions; masses do not change."""
    dropped = plan.removed_shapes
    for link in plan.robot.links.values():
        elements = [
            document.copy_of(shape.source)
            for shape in link.shapes
            if shape.source.offset in dropped
        ]
        if elements:
            detach(document.copy_of(link.source), elements)


def define_materials(document: Document, plan: Plan) -> None:
    """Define materials in the robot that are defined only in visuals."""
    # In reverse, because each is put in front.
    for definition in reversed(plan.definitions):
        material = create("material", {"name": definition.get("name") or ""})
        attach(document.root, [material], first=True)
        for child in document.copy_of(definition).elements():
            attach(material, [copy_element(child)])


def place_shapes(document: Document, plan: Plan) -> None:
    """Write the pose of every remaining visual and collision in the frame of its link in the result."""
    dropped = plan.removed_shapes
    for link in plan.robot.links.values():
        T_new_old = plan.placements[link.name]
        if T_new_old == IDENTITY_POSE:
            continue
        for shape in link.shapes:
            if shape.source.offset not in dropped:
                write_pose(
                    document.copy_of(shape.source),
                    compose(T_new_old, shape.pose),
                    shape.pose,
                    plan.noise,
                )


def place_inertials(document: Document, plan: Plan) -> None:
    """Write merged masses, centers and tensors; a tensor is written in the axes of the link, so its rpy is 0.

    A link that neither turns nor gains mass keeps its text.
    """
    for link in links_left(plan):
        body = plan.bodies[link.name]
        # The first part is the link itself.
        gains = any(_has_inertia(part.mass_properties) for part in body.parts[1:])
        turns = plan.placements[link.name] != IDENTITY_POSE and link.inertial is not None
        total = body.mass_properties
        if total is not None and (gains or turns):
            write_inertial(document.copy_of(link.source), total, link.inertial, plan.noise)


def _has_inertia(properties: Optional[MassProperties]) -> bool:
    """Return True if mass properties have a mass or a tensor."""
    return properties is not None and (properties.mass > 0.0 or properties.inertia != ZERO_INERTIA)


def write_inertial(
    link: Element, new: MassProperties, before: Optional[UrdfInertial], noise: float
) -> None:
    """Write mass properties into a link, the tensor in its axes; lengths below `noise` [m] are 0.

    Values that stay the same keep their text, and entries below 1e-12 of the largest are 0.
    """
    old = before.properties if before else None
    turned = before is not None and before.rpy != ZERO
    inertial = link.find("inertial")
    if inertial is None:
        inertial = create("inertial", {})
        attach(link, [inertial], first=True)
    center = without_noise(new.center, noise)
    if turned or old is None or not same_numbers(old.center, center):
        origin = made_child(inertial, "origin")
        old_center = old.center if old else None
        _write(origin, "xyz", center, old_center)
        if turned or old is None:
            origin.unset("quat_xyzw")
            origin.set("rpy", "0 0 0")
    mass = made_child(inertial, "mass")
    inertia = made_child(inertial, "inertia")
    if old is None or not same_numbers((old.mass,), (new.mass,), 0.0):
        mass.set("value", format_number(new.mass))
    tensor = without_noise(_six(new), 1e-12 * largest_entry(new.inertia))
    if old is None or turned or not same_numbers(_six(old), tensor, 0.0):
        for key, value in zip(INERTIA_KEYS, tensor):
            inertia.set(key, format_number(value))
            # Some exporters also write iyx, izx and izy.
            mirrored = f"i{key[2]}{key[1]}"
            if inertia.get(mirrored) is not None:
                inertia.set(mirrored, format_number(value))


def made_child(parent: Element, name: str) -> Element:
    """Return the child with a tag; a missing child is made, an origin in front, as usual."""
    child = parent.find(name)
    if child is None:
        child = create(name, {})
        attach(parent, [child], first=name == "origin")
    return child


def _six(properties: MassProperties) -> Reals:
    """Return the six numbers of a tensor, in the order of INERTIA_KEYS."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = properties.inertia
    return (xx, xy, xz, yy, yz, zz)


def place_joints(document: Document, plan: Plan) -> None:
    """Write parent, origin and axis of every joint that stays."""
    for planned in plan.joints.values():
        joint = plan.robot.above[planned.joint.child]  # the joint of the input
        element = document.copy_of(joint.source)
        if planned.name != joint.name:
            element.set("name", planned.name)
        if planned.parent != joint.parent:
            made_child(element, "parent").set("link", planned.parent)
        _write_origin(element, planned.xyz, joint.origin.translation, planned.frame.rpy, joint.rpy)
        if planned.frame.axis is not None:
            new = planned.frame.axis_written
            text = (element.find("axis") or element).get("xyz")
            old = numbers_in(text, 3) if text is not None else None
            # Only the sign changes, so the digits keep their text.
            if text is not None and old == scale(-1.0, new):
                made_child(element, "axis").set(
                    "xyz", re.sub(NUMBER, lambda match: negated_text(match.group()), text)
                )
            elif text is not None or joint.axis != new:
                kept = old if joint.axis == new else None
                _write(made_child(element, "axis"), "xyz", new, kept)


def map_positions(document: Document, plan: Plan) -> None:
    """Write the mapped positions of every joint; if the sign changes, the ends of a range are exchanged."""
    for planned in plan.joints.values():
        element = document.copy_of(planned.joint.source)
        if planned.map != AS_IT_WAS:
            for (name, key), other in POSITIONS.items():
                part = element.find(name)
                if part is not None and key <= other:  # once for both ends of a range
                    _map_ends(part, (key, other), planned)
        mimic = element.find("mimic")
        if mimic is not None and planned.joint.mimic is not None:
            leader = plan.maps.get(planned.joint.mimic.joint, AS_IT_WAS)
            factor = mimic.get("multiplier") or "1"
            # The factor is a ratio of two positions, so two flips cancel out.
            if planned.map.sign * leader.sign < 0:
                mimic.set("multiplier", negated_text(factor))
            offset = mimic.get("offset") or "0"
            new = planned.map.text_of(offset, *[(factor, repr(leader.zero))] * (leader.zero != 0.0))
            if new != offset:
                mimic.set("offset", new)


def _map_ends(part: Element, ends: Pair, planned: JointPlan) -> None:
    """Change [low, high] to [low - zero, high - zero], or to [zero - high, zero - low] if the sign changes.

    A missing end stays missing, on the other side if the sign changes. But a missing end that readers assume to be 0 is
    written if the zero moves. Both ends may be the same attribute.
    """
    low, high = ends
    texts = {low: part.get(low), high: part.get(high)}
    places = {low: high, high: low} if planned.map.sign < 0 else {low: low, high: high}
    is_read = planned.joint.type != "continuous" and any(texts.values())
    if planned.map.zero and (part.name in READ_AS_ZERO and is_read or part.get(SPRING[0])):
        texts = {end: text or "0" for end, text in texts.items()}
    # A single end stays in its place in the text, under the other name.
    for end, text in texts.items():
        if text is None and texts[places[end]] is not None:
            part.rename(places[end], end)
    for end, text in texts.items():
        if text is not None:
            part.set(places[end], planned.map.text_of(text))


def follow(document: Document, plan: Plan) -> None:
    """Carry out the edits outside links and joints, and remove the elements whose joint is removed."""
    carry_out(document, plan.updates.edits)
    dropped = map(document.copy_of, plan.updates.drops)
    # Elements of the same parent are removed at once, because `detach` copies all children.
    for parent, elements in groupby(dropped, key=lambda element: element.parent):
        if parent is not None:
            detach(parent, list(elements))


def rename_meshes(document: Document, plan: Plan) -> None:
    """Write relative file names for the folder of the output."""
    names = plan.meshes.names
    if not names:
        return
    for element in document.root.walk():
        if element.name in NAMES_FILE and use_of(element) in names:
            element.set("filename", names[use_of(element)])


def split_meshes(document: Document, plan: Plan) -> None:
    """Replace every visual of a converted mesh by a visual for each part; a collision gets its merged parts."""
    if not plan.meshes.converted:
        return
    # By name, the last number that was tried; `make_name_unique` uses and changes them.
    used_names: Dict[Pair, int] = {}
    for link in links_left(plan):
        for element in document.copy_of(link.source).elements():
            used_names[element.name, element.get("name") or ""] = 1
    # The first part is the visual itself, so that its comments stay with it.
    for split in plan.meshes.converted:
        element = document.copy_of(split.shape.source)
        parts = [element] + [copy_element(element) for _ in split.parts[1:]]
        for previous, copy in zip(parts, parts[1:]):
            attach_behind(previous, copy)
        for number, (part, made) in enumerate(zip(split.parts, parts)):
            if not made.get("name") and (part.material or len(parts) > 1):
                made.set("name", mesh_stem(part.filename))
                make_name_unique(made, used_names)
            elif number:
                make_name_unique(made, used_names)
            mesh = made_child(made_child(made, "geometry"), "mesh")
            mesh.set("filename", part.filename)
            if part.material:
                _set_material(made, part.material, part.rgba)
            elif part.has_own_colors:
                detach(made, made.elements("material"))


def _set_material(visual: Element, name: str, rgba: str) -> None:
    """Write the name and the color of the material of a visual, which then has no image."""
    material = made_child(visual, "material")
    material.set("name", name)
    detach(material, material.elements("texture"))
    made_child(material, "color").set("rgba", rgba)


def own_note(says: str) -> str:
    """Return a comment of this tool."""
    return f"<!-- {signature()}: {says} -->"


def note_in_front(
    document: Document,
    root: Union[Element, str],
    note: str,
    kind: str = OWN_NOTE,
    newline: Optional[str] = None,
) -> None:
    """Insert a note before the root or its text, or in place of an earlier note of the same `kind`.

    An empty note removes the earlier note. `newline` separates the note from the root; None is the document's own.
    """
    nodes = document.children
    earlier = [
        k
        for k, node in enumerate(nodes)
        if str(node).startswith("<!--") and re.match(kind, str(node)[4:].lstrip())
    ]
    if earlier and note:
        nodes[earlier[0]] = note
    elif earlier:
        # The white space after it is removed, too.
        del nodes[earlier[0] : earlier[0] + 2]
    elif note:
        index = next(k for k, node in enumerate(nodes) if node is root)
        line_end = document.newline if newline is None else newline
        nodes[index:index] = [note, line_end]


def write_pose(owner: Element, new: Transform, old: Transform, noise: float) -> None:
    """Write the `<origin>` of a shape, or of another element with a pose in a link; lengths below `noise` [m] become 0."""
    xyz = without_noise(new.translation, noise)
    turn = rotation_angle(new.rotation, old.rotation)
    if turn < ANGLE_NOISE:
        _write_origin(owner, xyz, old.translation, ZERO, ZERO)
    else:
        rpy = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE)
        # Old angles are kept only after a small turn; after a larger turn all angles are written.
        old_rpy = rpy_from_matrix(old.rotation) if turn < 100.0 * ANGLE_NOISE else ()
        _write_origin(owner, xyz, old.translation, rpy, old_rpy)


def _write_origin(
    owner: Element,
    xyz: Sequence[float],
    old_xyz: Vector,
    rpy: Sequence[float],
    old_rpy: Sequence[float],
) -> None:
    """Write the values that changed; a missing `<origin>` is made if needed. If `old_rpy` is (), all angles are written."""
    moved = not same_numbers(old_xyz, xyz)
    # An angle such as 1e-17 that becomes 0 is written, although it counts as equal.
    turned = not same_numbers(old_rpy, rpy) or any(
        a != 0.0 and b == 0.0 for a, b in zip(old_rpy, rpy)
    )
    if not moved and not turned:
        return
    made = owner.find("origin") is None
    origin = made_child(owner, "origin")
    if moved or made:
        origin.set("xyz", format_numbers(xyz))
    if turned or made:
        origin.unset("quat_xyzw")
        origin.set("rpy", format_numbers(rpy))


def _write(
    element: Element, attribute: str, new: Sequence[float], old: Optional[Sequence[float]]
) -> None:
    """Write numbers unless they are equal to the old numbers; without old numbers (None) they are always written."""
    if old is None or not same_numbers(old, new):
        element.set(attribute, format_numbers(new))


# Repairs come first, so that all other passes find the repaired text. Shapes and masses are placed before `merge_links`,
# while they are in their own links.
PASSES: Tuple[Callable[[Document, Plan], None], ...] = (
    write_repairs,
    define_materials,
    drop_shapes,
    place_shapes,
    place_inertials,
    merge_links,
    fix_joints,
    place_joints,
    map_positions,
    follow,
    rename_meshes,
    split_meshes,
)


# ==== urdf_tools/verify/rigid_motion.py ====
# The rotations and rigid motions of the proof. No other room uses them, so that an error elsewhere is detected.
#
# `R_a_b` maps directions of frame b into frame a, `T_a_b` points. Angles are in radians, lengths in meters.


def quaternion_rotation(quaternion: Sequence[float]) -> Matrix:
    """Return the rotation of a quaternion x, y, z, w of any length: 1 + 2 w [u] + 2 [u][u], [u] the cross product."""
    # Scaled first, because the square of 1e-200 is 0.
    largest = max(map(abs, quaternion))
    x, y, z, w = [part / largest for part in quaternion]
    double = 2.0 / (x * x + y * y + z * z + w * w)
    p, q, r, t = double * x, double * y, double * z, double * w
    first = (1.0 - q * y - r * z, p * y - t * z, p * z + t * y)
    second = (p * y + t * z, 1.0 - p * x - r * z, q * z - t * x)
    third = (p * z - t * y, q * z + t * x, 1.0 - p * x - q * y)
    return (first, second, third)


def axis_rotation(axis: Vector, angle: float) -> Matrix:
    """Return the rotation by `angle` about an axis of length 1."""
    if angle == 0.0:
        return IDENTITY
    half = math.sin(0.5 * angle)
    return quaternion_rotation(
        (half * axis[0], half * axis[1], half * axis[2], math.cos(0.5 * angle))
    )


def rpy_rotation(roll: float, pitch: float, yaw: float) -> Matrix:
    """Return the rotation of URDF's rpy: by roll about x, then pitch about y, then yaw about z, all fixed axes."""
    x, y, z = IDENTITY
    return product(axis_rotation(z, yaw), product(axis_rotation(y, pitch), axis_rotation(x, roll)))


def rotated(R: Matrix, v: Vector) -> Vector:
    """Return R v."""
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = v
    return (a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)


def product(A: Matrix, B: Matrix) -> Matrix:
    """Return A B."""
    if A is IDENTITY:
        return B
    if B is IDENTITY:
        return A
    # Row i of A B is B^T times row i of A.
    (a, b, c), (d, e, f), (g, h, i) = B
    columns = ((a, d, g), (b, e, h), (c, f, i))
    return (rotated(columns, A[0]), rotated(columns, A[1]), rotated(columns, A[2]))


def transform_point(T: Transform, point: Vector) -> Vector:
    """Return T_a_b applied to a point of frame b."""
    x, y, z = rotated(T.rotation, point)
    u, v, w = T.translation
    return (x + u, y + v, z + w)


def composed(T_a_b: Transform, T_b_c: Transform) -> Transform:
    """Return T_a_c."""
    return Transform(
        product(T_a_b.rotation, T_b_c.rotation), transform_point(T_a_b, T_b_c.translation)
    )


def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def angle_between_rotations(A: Matrix, B: Matrix) -> float:
    """Return the angle of the rotation from A to B: |A - B| is 2 sqrt 2 sin(angle / 2)."""
    if A is B:
        return 0.0
    return 2.0 * math.asin(
        min(1.0, math.dist(A[0] + A[1] + A[2], B[0] + B[1] + B[2]) / math.sqrt(8.0))
    )


def pose_error(T: Transform, other: Transform) -> Tuple[float, float]:
    """Return the distance [m] and the angle [rad] between two poses."""
    return math.dist(T.translation, other.translation), angle_between_rotations(
        T.rotation, other.rotation
    )


# ==== urdf_tools/verify/proof_robot.py ====
# The poses, masses and motions of a URDF for the proof, read from the attributes as they are written.
#
# This module shares no code with the reader. The reader has already refused every fault, so this module does not.

SHAPES = ("visual", "collision")
TURNING = ("revolute", "continuous")
SLIDING = ("prismatic",)

# Mass [kg], center x, y, z in the world [m], tensor xx, xy, xz, yy, yz, zz about the center [kg m^2].
Mass = Reals


class ProofJoint(Record):
    """A `<joint>`: `origin` is T_parent_child at zero, `axis` has length 1 and is in the frame of the child.

    `mimic` is the leader, the multiplier and the offset.
    """

    name: str
    element: Element
    type: str
    parent: str
    child: str
    origin: Transform
    axis: Vector
    mimic: Optional[Tuple[str, float, float]]

    @property
    def moves(self) -> bool:
        """Return True if the position of the joint is a single number."""
        return self.type in TURNING or self.type in SLIDING


class ProofRobot(Record):
    """A robot as the proof reads it.

    Attributes:
        links: by name, in file order.
        joints: by child link, in file order.
        named: by name, the first joint that moves, else the first joint.
        tree: the joints, each after its ancestors.
        T_world: by link, T_world_link at zero.
        others: by link, its child elements that URDF does not define, if any.
    """

    document: Document
    links: Dict[str, Element]
    joints: Dict[str, ProofJoint]
    named: Dict[str, ProofJoint]
    root: str
    tree: Tuple[ProofJoint, ...]
    T_world: Poses
    others: Dict[str, List[Element]]

    @property
    def locked(self) -> List[str]:
        """Return the child links of the joints that an edit fixes, whose type differs from the text."""
        return [
            child
            for child, joint in self.joints.items()
            if joint.type != joint.element.attributes["type"]
        ]

    @property
    def dropped(self) -> List[str]:
        """Return the links of the document that are not links of this robot."""
        return [
            link.attributes["name"]
            for link in self.document.root.elements("link")
            if link.attributes["name"] not in self.links
        ]


def numbers_of(text: Optional[str], count: int) -> Reals:
    """Return the numbers of a text, zeros for None.

    Raises:
        ValueError: the text does not have `count` numbers, or a number is nan, which is not equal to itself.
    """
    if text is None:
        return (0.0,) * count
    try:
        values = tuple(map(float, text.split()))
        if len(values) == count and not any(map(math.isnan, values)):
            return values
    except ValueError:
        pass
    return read_numbers(text, count, float("inf"))  # commas in the place of blanks


def number_of(text: Optional[str]) -> float:
    """Return the number of a text, 0 for None."""
    return numbers_of(text, 1)[0]


def vector_of(text: Optional[str]) -> Vector:
    """Return the three numbers of a text, zeros for None."""
    x, y, z = numbers_of(text, 3)
    return (x, y, z)


def pose_of_origin(origin: Optional[Element]) -> Transform:
    """Return the pose of an `<origin>` by its xyz and rpy, or xyz and quat_xyzw."""
    if origin is None or not origin.attributes:
        return IDENTITY_POSE
    written = origin.attributes
    xyz = vector_of(origin.attributes.get("xyz"))
    rotation = IDENTITY
    if "quat_xyzw" in written:
        quaternion = numbers_of(written["quat_xyzw"], 4)
        if any(quaternion):
            rotation = quaternion_rotation(quaternion)
    elif "rpy" in written:
        rotation = _rotation_of(written["rpy"])
    return Transform(rotation, xyz)


@lru_cache(maxsize=4096)
def _rotation_of(rpy: str) -> Matrix:
    """Return the rotation of an rpy text; it is cached, because CAD exports have only a few different texts."""
    return rpy_rotation(*vector_of(rpy))


def read_raw(document: Document, T_world_root: Transform) -> ProofRobot:
    """Return the robot of a URDF that the reader has accepted."""
    links = {top.attributes["name"]: top for top in document.root.elements("link")}
    return assembled(
        document, links, [*map(_raw_joint, document.root.elements("joint"))], T_world_root
    )


def assembled(
    document: Document,
    links: Dict[str, Element],
    joints: Sequence[ProofJoint],
    T_world_root: Transform,
) -> ProofRobot:
    """Return the robot of links and joints in file order."""
    joints_at = grouped((joint.parent, i) for i, joint in enumerate(joints))
    by_child = {joint.child: joint for joint in joints}
    root = next(name for name in links if name not in by_child)
    tree: List[ProofJoint] = []
    T_world = {root: T_world_root}
    waiting = joints_at.get(root, [])[:]
    # In file order as far as possible: of joints with the same name, the first is the leader.
    while waiting:
        joint = joints[waiting.pop(0)]
        tree.append(joint)
        T_world[joint.child] = composed(T_world[joint.parent], joint.origin)
        for i in joints_at.get(joint.child, ()):
            insort(waiting, i)
    unknown_elements = {name: undefined_in(link, OF_LINK) for name, link in links.items()}
    return ProofRobot(
        document=document,
        links=links,
        joints=by_child,
        named=named_in(joints),
        root=root,
        tree=tuple(tree),
        T_world=T_world,
        others={name: elements for name, elements in unknown_elements.items() if elements},
    )


def undefined_in(top: Element, defined: Collection[str]) -> List[Element]:
    """Return the child elements of a robot, link or joint without the defined tags."""
    return [part for part in top.elements() if part.name not in defined]


def named_in(joints: Collection[ProofJoint]) -> Dict[str, ProofJoint]:
    """Return the joint of each name: the first that moves, else the first."""
    # In reverse, so that the first joint with a name wins, and a joint that moves wins over joints that do not.
    backwards = [*joints][::-1]
    return {
        joint.name: joint for joint in (*backwards, *(joint for joint in backwards if joint.moves))
    }


def _raw_joint(element: Element) -> ProofJoint:
    """Return a joint with the values of its text."""
    # Readers take the first of several equal tags, so the list is read backwards.
    first_parts = {part.name: part for part in reversed(element.elements())}
    kind = element.attributes["type"]
    axis = (1.0, 0.0, 0.0)
    mimic = None
    # Readers ignore the axis of a fixed or floating joint.
    if (
        "axis" in first_parts
        and "xyz" in first_parts["axis"].attributes
        and kind not in ("fixed", "floating")
    ):
        axis = _direction(vector_of(first_parts["axis"].attributes["xyz"]))
    mimic_attributes = first_parts["mimic"].attributes if "mimic" in first_parts else {}
    if mimic_attributes.get("joint") and (kind in TURNING or kind in SLIDING):
        mimic = (
            mimic_attributes["joint"],
            number_of(mimic_attributes.get("multiplier", "1")),
            number_of(mimic_attributes.get("offset")),
        )
    return ProofJoint(
        name=element.attributes["name"],
        element=element,
        type=kind,
        parent=first_parts["parent"].attributes["link"],
        child=first_parts["child"].attributes["link"],
        origin=pose_of_origin(first_parts.get("origin")),
        axis=axis,
        mimic=mimic,
    )


def _direction(v: Vector) -> Vector:
    """Return a vector scaled to length 1."""
    largest = max(map(abs, v))
    x, y, z = (part / largest for part in v)  # scaled first, because the square of 1e-200 is 0
    size = math.hypot(x, y, z)
    return (x / size, y / size, z / size)


def shapes_in(link: Element) -> List[Element]:
    """Return each `<visual>` and `<collision>` of a link."""
    return [child for child in link.elements() if child.name in SHAPES]


def reach_of(link: Element) -> float:
    """Return the largest distance [m] of a shape or center of mass of a link from its frame."""
    origins = [
        child.find("origin") for child in link.elements() if child.name in (*SHAPES, "inertial")
    ]
    places = [vector_of(origin.get("xyz")) for origin in origins if origin is not None]
    return max((math.hypot(*place) for place in places), default=0.0)


def mass_in(link: Element, T_world_link: Transform) -> Optional[Mass]:
    """Return the mass of a link in the world, None without an `<inertial>`."""
    inertial = link.find("inertial")
    if inertial is None:
        return None
    mass = inertial.find("mass")
    inertia = inertial.find("inertia")
    T = composed(T_world_link, pose_of_origin(inertial.find("origin")))
    written = inertia.attributes if inertia is not None else {}
    xx, xy, xz, yy, yz, zz = numbers_of(
        " ".join([written.get(key, "0") for key in INERTIA_KEYS]), 6
    )
    if T.rotation is not IDENTITY:
        # The tensor in the world is R I R^T, row by row (R I) times a row of R.
        a, b, c = T.rotation
        tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        RI = (rotated(tensor, a), rotated(tensor, b), rotated(tensor, c))
        xx, xy, xz = rotated(RI, a)
        _, yy, yz = rotated(RI, b)
        _, _, zz = rotated(RI, c)
    kilograms = number_of(mass.get("value")) if mass is not None else 0.0
    return (kilograms, *T.translation, xx, xy, xz, yy, yz, zz)


def moments_about(point: Vector, masses: Iterable[Mass]) -> Reals:
    """Return the mass [kg], first moments x, y, z [kg m] and second moments xx, yy, zz, xy, xz, yz [kg m^2] about a point.

    A part at the offset d adds m, m d, and I + m (|d|^2 1 - d d^T), independent of the other parts.
    """
    total = [0.0] * 10
    for m, x, y, z, xx, xy, xz, yy, yz, zz in masses:
        x, y, z = minus((x, y, z), point)
        first = (m, m * x, m * y, m * z)
        diagonal = (xx + m * (y * y + z * z), yy + m * (x * x + z * z), zz + m * (x * x + y * y))
        products = (xy - m * x * y, xz - m * x * z, yz - m * y * z)
        part = (*first, *diagonal, *products)
        total = [old + added for old, added in zip(total, part)]
    return tuple(total)


def world_motion(
    joint: ProofJoint, T_world_child: Transform, position: float, generator: random.Random
) -> Transform:
    """Return the motion of a joint's child in the world, from its pose T_world_child at zero to a position.

    A planar or floating joint makes a random motion.
    """
    axis = rotated(T_world_child.rotation, joint.axis)
    shift = ZERO
    if joint.type in SLIDING:
        return Transform(IDENTITY, (position * axis[0], position * axis[1], position * axis[2]))
    # Planar or floating: a random angle, and a shift in the plane or in space.
    if joint.type not in TURNING:
        position, x, y, z = (generator.uniform(-1.0, 1.0) for _ in range(4))
        if joint.type == "floating":
            axis = _direction((x, y, z))
        along = x * axis[0] + y * axis[1] + z * axis[2] if joint.type == "planar" else 0.0
        shift = (x - along * axis[0], y - along * axis[1], z - along * axis[2])
    R = axis_rotation(axis, position)
    center = T_world_child.translation
    # A turn about c moves the origin by c - R c.
    x, y, z = minus(center, rotated(R, center))
    return Transform(R, (x + shift[0], y + shift[1], z + shift[2]))


def raw_positions(robot: ProofRobot, free: Dict[str, float]) -> Dict[str, float]:
    """Return the position of every joint by child link: given, or by its mimic rule; a circle of followers is cut open."""
    positions: Dict[str, float] = {}
    for joint in robot.joints.values():
        waiting: List[Tuple[str, str, float, float]] = []
        while joint.child not in positions:
            name, factor, shift = joint.mimic or ("", 0.0, 0.0)
            leader = robot.named.get(name)
            # A leader that is already waiting closes a circle.
            if leader is None or leader.child in (
                joint.child,
                *(follower[0] for follower in waiting),
            ):
                positions[joint.child] = free[joint.child] if joint.moves else 0.0
            else:
                waiting.append((joint.child, leader.child, factor, shift))
                joint = leader
        for child, leading, factor, shift in reversed(waiting):
            positions[child] = factor * positions[leading] + shift
    return positions


# ==== urdf_tools/verify/shared_proof_state.py ====
# The common data of the steps of the proof: both robots at zero, tolerances, the worst errors, pairs of elements.

TOLERANCE = 1e-9  # [m, rad; relative for mass and inertia]
LEAST_GYRATION = 1e-6  # [m] a smaller radius of gyration counts as this: parts are not smaller
ROUNDING = 1e-13  # relative to the size of a robot: the rounding of a point at this distance
# One random position suffices to detect each mutant of the tests; three also detect a fault that one misses by chance.
SAMPLES = 3
NEGLIGIBLE = 1e-12  # a smaller error is rounding, and differs between machines


class WorstErrors:
    """The worst error of each kind; the first error beyond its tolerance ends the proof."""

    def __init__(self, path: str) -> None:
        """Begin without errors; `path` stands in the message of a failure."""
        self.path = path
        self.errors: DefaultDict[str, float] = defaultdict(float)

    def note(self, kind: str, error: float, allowed: float, where: str, unit: str = "") -> None:
        """Record an error; an error above `allowed`, or nan, ends the proof."""
        if not error <= allowed:
            raise ProofFailed(
                f"{where}: {kind} is off by {error:.3g}{unit}, {allowed:.3g} is allowed", self.path
            )
        self.errors[kind] = max(self.errors[kind], error)

    def figure(self, kind: str) -> float:
        """Return the worst error of a kind, rounded for display."""
        return figure_of(self.errors[kind])

    def require(self, holds: bool, what: str) -> None:
        """End the proof, with the message `what`, unless `holds`."""
        if not holds:
            raise ProofFailed(what, self.path)


def figure_of(error: float) -> float:
    """Return an error rounded to two digits, 0 if it is negligible."""
    return float(f"{error:.1e}") if error >= NEGLIGIBLE else 0.0


def figure_text(figure: float) -> str:
    """Return a figure of a proof as text."""
    return f"{figure:.1e}" if figure else f"<{NEGLIGIBLE:.0e}"


class ProofFolders(Record):
    """The real folders of the input and of the result ("": unknown), to which relative names of files refer.

    `by_text`: both are the same folder, and nothing is renamed, so that names are compared as text.
    """

    before: str
    after: str
    by_text: bool = False


NO_FOLDERS = ProofFolders("", "", True)


class ComparedRobots:
    """Both robots, each read from its text and placed in the new base frame.

    Attributes:
        sources: by link of the result, the links of the input whose content it has, parents first.
        maps: by joint name, the map of its position: the only numbers that the proof takes from the plan.
        moved_axes: by child link, the angle by which cleaning turned the axis of its joint [rad].
        size: the largest distance of a link, shape or center of mass from the root [m]; rounding grows with it.
        folders: the folders to which relative file names refer.
        copies: by the path of a copied file, and by its URI, the original file.
        worst: the collected errors.
        require: ends the proof unless its first argument holds.
    """

    def __init__(
        self,
        before: ProofRobot,
        plan: Plan,
        after: ProofRobot,
        folders: ProofFolders,
        worst: WorstErrors,
    ) -> None:
        """Find the parts of each link of the result, and the size of the robot [m]."""
        self.before = before
        self.plan = plan
        self.after = after
        self.folders = folders
        self.worst = worst
        self.require = worst.require
        self.sources: Dict[str, List[str]] = {name: [] for name in after.links}
        for name in (before.root, *(joint.child for joint in before.tree)):
            self.sources[plan.members[name].target].append(name)
        self.maps = {name: plan.joints[joint.child].map for name, joint in after.named.items()}
        self.moved_axes: Dict[str, float] = {}
        # A small robot counts as 1 m large, because an error of 1e-9 m is never visible.
        self.size = 1.0
        for name, T in after.T_world.items():
            reach = math.hypot(*T.translation) + reach_of(after.links[name])
            self.size = max(self.size, reach)
        self.copies: Dict[str, str] = {}


# The kinds of warnings that excuse a name, a sign, a pose, content or a surface that differs from the input.
NAME_LEFT = frozenset((MERGED_LINK, DROPPED_NAME, REMOVED_JOINT, FRAME_NAME, CONTACT_COLLISION))
SIGN_LEFT = frozenset((FLIPPED_JOINT, MOVED_ZERO, TRANSMISSION_SIGN))
POSE_LEFT = frozenset(
    (
        LOOP_FRAME,
        UNKNOWN_POSE,
        UNREADABLE_POSE,
        SENSOR_FRAME,
        PLUGIN_BODY,
        PLUGIN_VECTOR,
        FRAME_NAME,
    )
)
CONTENT_LEFT = frozenset((MERGED_CONTENT,))  # of two values of merged links, only one stays
SURFACE_LEFT = frozenset((SURFACE_MERGED,))


class ElementPairing:
    """The pairs of elements of input and result that are compared.

    Attributes:
        pairs: an element of the input, and its element of the result.
        partner: by the offset of an element of the input, the element of the result.
        proven: the attributes (offset, name; "" for the text) that a rule has proven.
        excuses: the offset of the element and the kind of each warning of the plan.
        dropped: the offsets of the elements that the plan removes.
        made: the offsets in the result of new elements, which are verified separately.
        require: ends the proof unless its first argument holds.
    """

    def __init__(self, comparison: ComparedRobots) -> None:
        """Begin without pairs, with the warnings and drops of the plan as excuses."""
        self.comparison = comparison
        self.require = comparison.require
        self.excuses = {(notice.offset, notice.kind) for notice in comparison.plan.warnings}
        self.dropped = {element.offset for element in comparison.plan.updates.drops}
        self.pairs: List[Tuple[Element, Element]] = []
        self.partner: Dict[int, Element] = {}
        self.proven: Set[Tuple[int, str]] = set()
        self.made: Set[int] = set()

    def is_excused(self, element: Element, kinds: FrozenSet[DiagnosticKind]) -> bool:
        """Return True if a warning of one of the kinds is about the element or an ancestor."""
        for above in element.upward():
            if any((above.offset, kind) in self.excuses for kind in kinds):
                return True
        return False

    def pair_up(self, what: str, old_tops: List[Element], new_tops: List[Element]) -> None:
        """Pair elements of the input with elements of the result, and their descendants; a new child has no partner."""
        waiting = [(what, old_tops, new_tops)]
        while waiting:
            what, olds, news = waiting.pop()
            olds = [old for old in olds if old.offset not in self.dropped]
            news = [new for new in news if new.offset not in self.made]
            self.require(len(news) == len(olds), f"{what} has not all that was in it")
            for old, new in zip(olds, news):
                where = f"<{old.name}> of line {old.line}"
                self.require(old.name == new.name, f"{where} became <{new.name}>")
                self.pairs.append((old, new))
                self.partner[old.offset] = new
                # A child that the plan may add is verified by the rule that adds it.
                children = [
                    child
                    for child in new.elements()
                    if child.name not in MADE or old.find(child.name) is not None
                ]
                waiting.append((where, old.elements(), children))


def compare_at_zero(
    before: Document, plan: Plan, after: Document, folders: ProofFolders = NO_FOLDERS
) -> ComparedRobots:
    """Read both texts anew, compare links, joints, frames and joint axes at zero, and return both robots.

    Raises:
        ProofFailed: the robots differ.
    """
    worst = WorstErrors(after.path)
    old = read_raw(before, Transform(plan.base.R_new_old, ZERO))
    try:
        new = read_raw(after, IDENTITY_POSE)
    except (KeyError, StopIteration, ValueError):
        raise ProofFailed(
            "the result is not a robot: a link, a joint or the root is missing or incomplete",
            after.path,
        ) from None
    # Dictionaries by name would hide a second link or joint with the same name.
    for kind, by_name in (("link", new.links), ("joint", new.joints)):
        count = sum(1 for _ in after.root.elements(kind))
        worst.require(
            len(by_name) == count,
            f"the result has {count} {kind}s, but {len(by_name)} that differ in name",
        )
    _verify_parts(old, plan, new, worst)
    comparison = ComparedRobots(before=old, plan=plan, after=new, folders=folders, worst=worst)
    _verify_axes(comparison)
    return comparison


def _verify_parts(before: ProofRobot, plan: Plan, after: ProofRobot, worst: WorstErrors) -> None:
    """Verify that links and joints are as in the input, except those that the plan merges."""
    staying = [name for name in before.links if not plan.is_removed(name)]
    worst.require(
        list(after.links) == staying, "the links are not those that the plan keeps, in their order"
    )
    joints = [joint for joint in before.joints.values() if not plan.is_removed(joint.child)]
    worst.require(len(joints) == len(after.joints), "the joints are not those that the plan keeps")
    for old, new in zip(joints, after.joints.values()):
        # A merged link that stays as a frame is on a fixed joint of its target.
        merged = plan.members[old.child].merged
        joint_type = "fixed" if merged else old.type
        holder = old.child if merged else old.parent
        parent = plan.members[holder].target
        expected = (old.child, joint_type, plan.joints[old.child].name, parent)
        worst.require(
            (new.child, new.type, new.name, new.parent) == expected,
            f"joint '{old.name}' changed more than its frame",
        )


def _verify_axes(comparison: ComparedRobots) -> None:
    """Compare frame origins and joint axes at zero; set `moved_axes` by child link [rad]."""
    plan = comparison.plan
    worst = comparison.worst
    snap = plan.options.snap if plan.options.reorient else 0.0
    for joint in comparison.after.joints.values():
        old = comparison.before.joints[joint.child]
        where = f"joint '{joint.name}'"
        T_old = comparison.before.T_world[joint.child]
        T_new = comparison.after.T_world[joint.child]
        distance = math.dist(T_old.translation, T_new.translation)
        worst.note("position", distance, TOLERANCE * comparison.size, where, " m")
        comparison.moved_axes[joint.child] = 0.0
        if joint.moves or joint.type == "planar":
            sign = plan.joints[joint.child].map.sign
            x, y, z = rotated(T_new.rotation, joint.axis)
            chord = math.dist(rotated(T_old.rotation, old.axis), (sign * x, sign * y, sign * z))
            # The angle is from the chord, because the cosine of a small angle is 1 to the last digit.
            angle = 2.0 * math.asin(min(1.0, 0.5 * chord))
            worst.note("joint axis", angle, TOLERANCE + snap, where, " rad")
            comparison.moved_axes[joint.child] = angle
        # The angle of a base is not compared, because its frame is turned to the axes of the world.
        elif joint.type == "fixed" and plan.members[joint.child].kind != BASE:
            angle = angle_between_rotations(T_old.rotation, T_new.rotation)
            worst.note("angle of a fixed frame", angle, TOLERANCE + snap, where, " rad")


# ==== urdf_tools/verify/verify_converted_meshes.py ====
# The proof of converted meshes: a shape has all parts into which its mesh was converted, with their files and colors.

PRINTED = 1e-6  # a color that was computed is written with six digits


def verify_parts(comparison: ComparedRobots, materials: Mapping[str, Element]) -> None:
    """Compare each part of the plan with the conversions, and with the files to be written.

    `materials` has the definitions of the input, by name.
    """
    meshes = comparison.plan.meshes
    require = comparison.require
    # On some file systems, names that differ only in case are the same file.
    targets = {os.path.abspath(file.target).casefold() for file in meshes.files}
    require(len(targets) == len(meshes.files), "two files are to have one name")
    files = grouped((os.path.basename(file.target), file) for file in meshes.files)
    require("" not in files, "a file is to have no name")
    for file in meshes.files:
        require(
            file.part is None or file.part.stamp == file_stamp(file.source) != (),
            f"'{file.target}' is to be another file than the one that was proven",
        )
    for split in meshes.converted:
        where = f"'{split.shape.mesh}' of link '{split.link}'"
        require(
            0 < len(split.parts) == len(split.made),
            f"{where} has not all parts of what was converted",
        )
        for part, made in zip(split.parts, split.made):
            require(
                _reaches_part(comparison, part, made, files),
                f"{where} is to be '{part.filename}', which is another file",
            )
            require(
                _has_its_color(split, part, made, materials),
                f"{where} has another color in '{part.filename}'",
            )


def _reaches_part(
    comparison: ComparedRobots,
    part: ReplacementMesh,
    made: MeshPart,
    files: Mapping[str, List[FinishedFile]],
) -> bool:
    """Return True if the name of a part in the URDF reaches the file that is made from the part.

    Args:
        part: the name in the URDF.
        made: the part, and its staged file.
        files: the files to be written, by the last component of their paths.
    """
    folder, name = posixpath.split(part.filename.replace("\\", "/"))
    files_of_part = [
        file
        for file in files.get(name, ())
        if file.part is not None and file.part.file == made.file
    ]
    # The folder of such a name is the user's choice: only the name of the file counts.
    if not is_relative(part.filename) or comparison.plan.options.meshes.mesh_prefix:
        return bool(files_of_part)
    # The result has no folder, as it is written to the standard output.
    if not comparison.folders.after:
        return bool(files_of_part)
    folder = os.path.realpath(os.path.join(comparison.folders.after, folder))
    return any(os.path.realpath(os.path.dirname(file.target)) == folder for file in files_of_part)


def _has_its_color(
    split: ConvertedShape, part: ReplacementMesh, made: MeshPart, materials: Mapping[str, Element]
) -> bool:
    """Return True if a part has its color: the color of the mesh, else of the visual, else gray."""
    if (
        made.off
        and split.shape.source.find("material") is None
        and made.rgba is None
        and not part.rgba
    ):
        return not part.material  # it is drawn as in the input
    # Only a collision, or a file with its own colors, has no material.
    if split.shape.kind != "visual" or not part.material:
        in_file = split.shape.kind == "visual" and part.filename.endswith(HOLD_COLORS)
        has_colors = made.rgba is not None or made.is_partly_colored
        return (
            not part.material
            and part.has_own_colors == (in_file and has_colors)
            and (in_file or split.shape.kind != "visual")
        )
    expected = made.rgba or _color_of(split.shape.source, materials) or GRAY
    written = _rgba(part.rgba)
    return written is not None and all(
        abs(a - b) <= PRINTED * max(1.0, abs(a)) for a, b in zip(expected, written)
    )


def _color_of(visual: Element, materials: Mapping[str, Element]) -> Optional[DaeColor]:
    """Return the color of the material of a visual, which may be a name in `materials`; None without a color."""
    material = visual.find("material")
    color = material.find("color") if material is not None else None
    if material is not None and color is None and material.get("name") in materials:
        color = materials[material.get("name") or ""].find("color")
    return _rgba(color.get("rgba") or "") if color is not None else None


def _rgba(text: str) -> Optional[DaeColor]:
    """Return the four numbers of a color, None for anything else."""
    try:
        red, green, blue, alpha = numbers_of(text, 4)
    except ValueError:
        return None
    return (red, green, blue, alpha)


# ==== urdf_tools/verify/verify_looks.py ====
# The proof of visuals and collisions: each has the pose, geometry and material of the input, and none is lost.

# [m + rad] a shape that the plan treats as a copy is off by less than POSE_TOLERANCE in position and in angle.
COPY_TOLERANCE = 2.0 * POSE_TOLERANCE

Appearance = Texts


class _MaterialAndFileNames(Record):
    """The meaning of the names of materials and files in a URDF.

    Attributes:
        materials: the definition of each name.
        too_early: by link and name, the number of materials that a visual names before their definition.
        folder: the folder to which relative names refer ("" if names are compared as text).
        files: the file of each URI.
        copies: the originals of copied files.
        reached: the file of each name so far, because most meshes have several shapes.
        made_names: by the offset of a material without a name, the name that the plan gives it.
    """

    materials: Dict[str, Element]
    too_early: "Counter[Tuple[str, str]]"
    folder: str
    files: Mapping[str, str]
    mesh_folder: Optional[MujocoMeshFolder]
    copies: Mapping[str, str]
    reached: Dict[Pair, str]
    made_names: Mapping[int, str] = {}

    def file_of(self, name: str, kind: str = "mesh") -> str:
        """Return the file of a mesh or a texture, see `reached_file`; the disk is read only once for each name."""
        if (name, kind) not in self.reached:
            # MuJoCo has its own folder for meshes, but not for textures.
            mesh_folder = self.mesh_folder if kind == "mesh" else None
            file = reached_file(name, self.folder, self.files, mesh_folder)
            self.reached[name, kind] = self.copies.get(file, file)
        return self.reached[name, kind]


def _made_names(comparison: ComparedRobots) -> Dict[int, str]:
    """Return the names that the plan gives to unnamed materials, because readers drop shapes with an unnamed material."""
    return {
        edit.element.offset: edit.value or ""
        for edit in comparison.plan.updates.edits
        if edit.element.name == "material" and edit.attribute == "name"
    }


def verify_shapes(comparison: ComparedRobots) -> int:
    """Match every shape of the result with a shape of the input, and every removed copy with a shape that stays.

    Return the number of shapes of the result; only shapes that the plan removes may be missing.
    """
    plan = comparison.plan
    folders = comparison.folders
    if folders.by_text:
        folders = folders._replace(before="", after="")
    old = _scope_of(comparison.before.document, folders.before, plan.meshes.uri_files)
    old = old._replace(made_names=_made_names(comparison))
    new = _scope_of(
        comparison.after.document, folders.after, plan.meshes.uri_files, comparison.copies
    )
    if plan.meshes.converted:
        verify_parts(comparison, old.materials)
    _verify_names(comparison, old, new)
    _verify_kinds_in_names(comparison)
    parts_of_shape = {split.shape.source.offset: split.parts for split in plan.meshes.converted}
    targets_of_copies = {copy.shape.source.offset: copy.target for copy in plan.copies}
    with_copies = set(targets_of_copies.values())

    count = 0
    for name, sources in comparison.sources.items():
        placed = _shapes_of(comparison, sources)
        if name in with_copies:
            _verify_copies(comparison, name, placed, targets_of_copies.keys(), old)
        # By appearance: shapes that look the same are matched by pose.
        expected: Dict[Appearance, List[Transform]] = {}
        for element, T in placed:
            if name in with_copies and element.offset in targets_of_copies:
                continue
            # A converted shape must occur once for each of its parts.
            for part in parts_of_shape.get(element.offset, (None,)):
                file = new.file_of(part.filename) if part is not None else ""
                expected.setdefault(_appearance_of(element, old, part, file), []).append(T)

        merged_links = [comparison.before.links[source] for source in sources if source != name]
        if any(map(shapes_in, merged_links)):
            _verify_materials_named(comparison, name)
        count += _match_shapes(comparison, name, expected, new)
    return count


def _shapes_of(comparison: ComparedRobots, sources: List[str]) -> List[Tuple[Element, Transform]]:
    """Return the shapes of links of the input, without stripped shapes, each with its pose in the world."""
    stripped = {strip.shape.source.offset for strip in comparison.plan.strips}
    placed: List[Tuple[Element, Transform]] = []
    for source in sources:
        T_link = comparison.before.T_world[source]
        for element in shapes_in(comparison.before.links[source]):
            if element.offset not in stripped:
                T = composed(T_link, pose_of_origin(element.find("origin")))
                placed.append((element, T))
    return placed


def _verify_copies(
    comparison: ComparedRobots,
    name: str,
    placed: List[Tuple[Element, Transform]],
    copied: AbstractSet[int],
    old: _MaterialAndFileNames,
) -> None:
    """Verify that each removed copy of a link has the pose of a remaining shape that looks the same."""
    # A copy may have a different name for the same color.
    originals: Dict[Appearance, List[Transform]] = {}
    copies: List[Tuple[Appearance, Transform]] = []
    for element, T in placed:
        appearance = _appearance_of(element, old, named=False)
        if element.offset in copied:
            copies.append((appearance, T))
        else:
            originals.setdefault(appearance, []).append(T)
    for appearance, T in copies:
        errors = (sum(pose_error(T, other)) for other in originals.get(appearance, ()))
        comparison.require(
            min(errors, default=math.inf) <= COPY_TOLERANCE,
            f"a <{appearance[0]}> that is dropped from link '{name}' is no copy of another",
        )


def _verify_materials_named(comparison: ComparedRobots, name: str) -> None:
    """Verify that all materials of a link that received shapes have names."""
    shapes = shapes_in(comparison.after.links[name])
    materials = chain.from_iterable(shape.elements("material") for shape in shapes)
    comparison.require(
        all(material.get("name") is not None for material in materials),
        f"link '{name}' has a material without a name: readers drop all its shapes",
    )


def _verify_names(
    comparison: ComparedRobots, old: _MaterialAndFileNames, new: _MaterialAndFileNames
) -> None:
    """Verify that the first definition of each material name is the same, because urdfdom uses it for all visuals."""
    names = {
        element.get("name")
        for element in comparison.before.document.root.walk()
        if element.name == "material"
    }
    comparison.require(
        not names & {*filter(None, old.made_names.values())},
        "a material is given the name of another",
    )

    for _, material in _materials_in(comparison.after.document):
        name = material.get("name") or ""
        other, scope = (old.materials[name], old) if name in old.materials else (material, new)
        first = new.materials.get(name)
        is_same = first is not None and _content_of(other, scope) == _content_of(first, new)
        comparison.require(
            not _defines(other) or is_same, f"material '{name}' means something else first"
        )

    before: Counter[Pair] = Counter()
    for (link, name), count in old.too_early.items():
        member = comparison.plan.members.get(link)
        if member is not None:  # a dropped link no longer has materials
            before[member.target, name] += count
    comparison.require(not new.too_early - before, "a material is named before it is defined")


def _verify_kinds_in_names(comparison: ComparedRobots) -> None:
    """Verify that the name of each made or copied mesh ends with the kind of each shape that has it, where it must."""
    meshes = comparison.plan.options.meshes
    if not meshes.append_mesh_type:
        return
    new_names = {file.name for file in comparison.plan.meshes.files}
    for element in chain.from_iterable(map(shapes_in, comparison.after.links.values())):
        name = _kind_of_shape(element)
        comparison.require(
            name not in new_names or has_kind(mesh_stem(name), element.name),
            f"'{name}' is to end with _{element.name}",
        )


def _match_shapes(
    comparison: ComparedRobots,
    name: str,
    expected: Dict[Appearance, List[Transform]],
    new: _MaterialAndFileNames,
) -> int:
    """Match each shape of a link with the nearest shape of the input that looks the same, and require that none is left.

    Return the number of shapes.
    """
    worst = comparison.worst
    count = 0
    for element in shapes_in(comparison.after.links[name]):
        where = f"a <{element.name}> of link '{name}' ({_kind_of_shape(element)})"
        poses = expected.get(_appearance_of(element, new), [])
        worst.require(bool(poses), f"{where} is not in the input")
        T = composed(comparison.after.T_world[name], pose_of_origin(element.find("origin")))
        index = 0
        # The order is kept, so the first pose is nearly always the right one.
        if sum(pose_error(T, poses[0])) > TOLERANCE:
            errors = [sum(pose_error(T, other)) for other in poses]
            index = errors.index(min(errors))
        distance, angle = pose_error(T, poses.pop(index))
        worst.note("position", distance, TOLERANCE * comparison.size, where, " m")
        worst.note("angle", angle, TOLERANCE, where, " rad")
        count += 1
    for appearance, poses in expected.items():
        worst.require(not poses, f"a <{appearance[0]}> of link '{name}' is lost")
    return count


def _kind_of_shape(shape: Element) -> str:
    """Return the mesh name of a shape, or the kind of its geometry, for a message."""
    geometry = shape.find("geometry")
    inside = geometry.elements() if geometry is not None else []
    if not inside:
        return "without geometry"
    return inside[0].get("filename") or inside[0].name


def _scope_of(
    document: Document,
    folder: str,
    files: Mapping[str, str],
    copies: Optional[Mapping[str, str]] = None,
) -> _MaterialAndFileNames:
    """Return the meaning of the names in a document: the first material with a color or an image defines a name.

    Materials of the robot come before materials of visuals.
    """
    # Reversed, so that the first material with a name counts.
    materials = {
        top.get("name") or "": top
        for top in reversed(document.root.elements("material"))
        if _defines(top)
    }
    too_early: Counter[Pair] = Counter()
    for link, material in _materials_in(document):
        name = material.get("name") or ""
        if _defines(material):
            materials.setdefault(name, material)
        elif name not in materials:
            too_early[link, name] += 1
    named_early = Counter({key: count for key, count in too_early.items() if key[1] in materials})
    return _MaterialAndFileNames(
        materials=materials,
        too_early=named_early,
        folder=folder,
        files=files,
        mesh_folder=mesh_folder_of(document.root),
        copies=copies or {},
        reached={},
    )


def _materials_in(document: Document) -> List[Tuple[str, Element]]:
    """Return each named material of a visual, with the name of its link."""
    materials: List[Tuple[str, Element]] = []
    for link in document.root.elements("link"):
        for visual in link.elements("visual"):
            material = visual.find("material")
            if material is not None and material.get("name"):
                materials.append((link.get("name") or "", material))
    return materials


def _defines(material: Element) -> bool:
    """Return True if a material has a color or an image."""
    return any(child.name in ("color", "texture") for child in material.elements())


def _content_of(material: Element, scope: _MaterialAndFileNames) -> Appearance:
    """Return the children of a material as words."""
    return tuple(chain.from_iterable(_words_of(child, scope) for child in material.elements()))


def _appearance_of(
    shape: Element,
    scope: _MaterialAndFileNames,
    part: Optional[ReplacementMesh] = None,
    file: str = "",
    *,
    named: bool = True,
) -> Appearance:
    """Return the words of a shape without its pose: its kind, geometry, material, and unknown tags.

    A material that is only a name is replaced by its definition. With `part`, return the required look of a part of the
    mesh, which is in `file`. Unless `named`, two names of the same color are equal.
    """
    blocks: List[Appearance] = []
    if part is not None and part.material:
        blocks.append(("material", part.material, "color", f"rgba={part.rgba}", ""))
    for top in shape.elements():
        if top.name == "origin":
            continue
        if top.name != "material":
            blocks.append(_words_of(top, scope, file))
        elif part is None or not (part.material or part.has_own_colors):
            name = top.get("name")
            if name is None:
                name = scope.made_names.get(top.offset, "")
            definition = top if _defines(top) else scope.materials.get(name, top)
            inner = _content_of(definition, scope)
            # A name without a definition is compared as a name.
            words = (name, *inner) if named or not inner else inner
            blocks.append(("material", *words))
    return (shape.name, *chain.from_iterable(sorted(blocks)))


def _words_of(top: Element, scope: _MaterialAndFileNames, mesh: str = "") -> Appearance:
    """Return an element and its descendants as words, with the files that file names reach; `mesh` replaces a mesh."""
    words: List[str] = []
    for element in top.walk():
        words.append(element.name)
        for key, value in sorted(element.attributes.items()):
            if key == "filename" and element.name == "mesh":
                value = mesh or scope.file_of(value)
            elif key == "filename" and element.name == "texture":
                value = scope.file_of(value, element.name)
            words.append(f"{key}={value}")
        text = element.text().strip() if element.children else ""
        words.append(text)
    return tuple(words)


def reached_file(
    filename: str,
    folder: str,
    files: Mapping[str, str],
    mesh_folder: Optional[MujocoMeshFolder] = None,
) -> str:
    """Return the real path of the file that a name reaches from a folder.

    The file of a URI is in `files`, and must end with the path of the URI. A file that other readers do not find may be
    in the `mesh_folder` of MuJoCo. Any other URI, and without a folder any name, is returned without the blanks around
    it, which readers ignore.
    """
    name = filename.strip().replace("\\", "/")
    if URI_SCHEME.match(name):
        file = files.get(filename, "")
        # The path without the scheme and the package, and without leading "../", whose folders are not known.
        path_in_package = os.path.normpath(name.partition(":")[2].split("/", 3)[-1])
        inside = path_in_package.split(os.sep + "..")[-1].lstrip("." + os.sep)
        ends = [
            os.path.normpath(file).endswith(os.sep + path) for path in (inside, decoded(inside))
        ]
        return os.path.realpath(file) if any(ends) else filename.strip()
    if not folder or not (is_relative(name) or os.path.isabs(name)):
        return filename.strip()
    name = referenced_name(name, folder, mesh_folder, files.values())
    # A file with exactly this name comes before a file with %20 decoded.
    path = os.path.realpath(os.path.join(folder, name))
    spelled_as_url = os.path.realpath(os.path.join(folder, decoded(name)))
    if not os.path.exists(path) and os.path.exists(spelled_as_url):
        return spelled_as_url
    return path  # also for a file that is not yet written


# ==== urdf_tools/verify/verify_other_elements.py ====
# The proof of everything outside links, joints, inertias and shapes: names, signs, vectors and poses.
#
# Every element of the result is paired with its element of the input. Values that may differ are computed here from the
# input's text, the signs and the poses of both robots; everything else must be equal. From the plan come only the removed
# elements, and the warnings, each of which excuses its own element for its own reason. Simulators read friction, stiffness,
# gravity and color for a link as a whole: every collision, visual and mass of the result must have its values of the input,
# unless a warning names it.


def verify_link_values(pairing: ElementPairing) -> None:
    """Compare the values of each link with the values of the link that has its content in the result."""
    comparison = pairing.comparison
    before = values_of_links(comparison.before.document.root)
    after = values_of_links(comparison.after.document.root)
    stripped = {strip.shape.source.offset for strip in comparison.plan.strips}
    # The direction of friction along the axes of a link has other numbers, and maybe another link: `verify_values` proves
    # them, so here it counts as it is written in the input.
    directions = {new.offset: old for old, new in pairing.pairs if old.name == "fdir1"}
    excuses: Set[Tuple[int, str]] = set()
    for notice in comparison.plan.warnings:
        if notice.kind in SURFACE_LEFT:
            excuses.update((notice.offset, name) for name in notice.names)
    for target, names in comparison.sources.items():
        new_settings = values_by_tag(after.get(target, {}))
        old_settings = {name: values_by_tag(before.get(name, {})) for name in names}
        # Values of a whole body are compared in `_verify_bodies`.
        for key in {
            *new_settings,
            *chain.from_iterable(old_settings.values()),
        } - OF_WHOLE_BODY.keys():
            value_of_target = meaning(key, new_settings.get(key, ()), directions)
            settings = [*chain.from_iterable(old_settings[name].get(key, ()) for name in names)]
            kind = default_of(key)[0]
            for name in names:
                # Friction has no effect on a link without a collision.
                is_equal = meaning(
                    key, old_settings[name].get(key, ())
                ) == value_of_target or not _has_content(
                    comparison.before.links[name], kind, stripped
                )
                is_excused = name != target and any(
                    (tag.offset, name) in excuses for tag in settings
                )
                comparison.require(
                    is_equal or is_excused,
                    f"{key} of the content of link '{name}' differs in '{target}'",
                )
    _verify_bodies(pairing, stripped)


def _verify_bodies(pairing: ElementPairing, stripped: "Set[int]") -> None:
    """Compare the values that sdformat reads for each body of links on fixed joints."""
    comparison = pairing.comparison
    root_before = comparison.before.document.root
    root_after = comparison.after.document.root
    lumped = lumped_links(root_before, comparison.before.locked, comparison.before.dropped)
    body_of = lumped_links(root_after)
    before = values_of_bodies(root_before, lumped)
    after = values_of_bodies(root_after, body_of)
    excuses = {
        (notice.names[0], notice.names[2])
        for notice in comparison.plan.warnings
        if notice.kind is BODY_MERGED
    }
    # A value that is not written has its default for all bodies.
    written = {key for _, key in (*before, *after)}
    for body, parts in _links_by_bodies(comparison, lumped, body_of).items():
        is_world = body == comparison.before.root == "world"
        comparison.require(
            not is_world or len(parts) == 1,
            "something was merged into 'world', of which nothing is read",
        )
        for key in written:
            new_value = body_meaning(key, after.get((body, key), ()))
            # Gazebo reads a value only for a part with content to which it applies.
            old_values = {
                part: body_meaning(key, before.get((part, key), ()))
                for part in _parts_with_content(comparison, parts, key, stripped)
            }
            # A warning excuses the lost value of a part, but not a value that no part has.
            is_known = new_value in old_values.values() or new_value == body_meaning(key, [])
            for part, value in old_values.items():
                is_excused = is_known and (part, key) in excuses
                comparison.require(
                    value == new_value or is_excused,
                    f"{key} of the body of link '{part}' differs in '{body}'",
                )


def _links_by_bodies(
    comparison: ComparedRobots, lumped: Mapping[str, LumpedLink], body_of: Mapping[str, LumpedLink]
) -> Dict[str, Dict[str, List[str]]]:
    """Return the links of the input by their body in the result, and then by their body in the input."""
    links: Dict[str, Dict[str, List[str]]] = {}
    for target, names in comparison.sources.items():
        parts = links.setdefault(body_of[target].body, {})
        for name in names:
            parts.setdefault(lumped[name].body, []).append(name)
    return links


def _parts_with_content(
    comparison: ComparedRobots, parts: Dict[str, List[str]], what: str, stripped: "Set[int]"
) -> Iterator[str]:
    """Yield the parts of a body with a link to whose content a value applies.

    A copy whose mass is counted only once has no mass, so values of the mass do not apply to it.
    """
    plan = comparison.plan
    kind = default_of(what)[0]
    leaves_copies_out = kind == BODY and plan.options.count_once
    for part, names in parts.items():
        for name in names:
            is_left_out = leaves_copies_out and plan.members[name].kind == COPY
            if not is_left_out and _has_content(comparison.before.links[name], kind, stripped):
                yield part
                break


def _has_content(link: Element, kind: str, stripped: "Set[int]") -> bool:
    """Return True if a link has content to which values of a kind apply: a mass, a collision, or a visual."""
    if kind == BODY:
        mass = mass_in(link, IDENTITY_POSE)
        return mass is not None and mass[0] >= NO_MASS
    name = {CONTACT: "collision", COLOR: "visual"}[kind]
    return any(shape.offset not in stripped for shape in link.elements(name))


def verify_outside(comparison: ComparedRobots) -> None:
    """Compare all elements that URDF does not define in links and joints."""
    pairing = ElementPairing(comparison)
    _verify_compiler(pairing)
    _verify_mesh_folder(comparison)
    # Materials of visuals that the plan also defines in the robot are compared in `verify_shapes`.
    defined = {material.get("name") for material in comparison.plan.definitions}
    for material in comparison.after.document.root.elements("material"):
        if material.get("name") in defined:
            pairing.made.add(material.offset)
    for what, old, new in _groups(pairing):
        pairing.pair_up(what, old, new)
    _verify_drops(pairing)
    if pairing.pairs:
        verify_values(pairing)
    _verify_the_rest(pairing)
    verify_link_values(pairing)


def _groups(pairing: ElementPairing) -> Iterator[Tuple[str, List[Element], List[Element]]]:
    """Yield the topmost elements of the robot, the links and the joints that URDF does not define, in both files."""
    comparison = pairing.comparison
    before = comparison.before
    after = comparison.after
    of_robot = ("link", "joint")
    old = undefined_in(before.document.root, of_robot)
    yield "the robot", old, undefined_in(after.document.root, of_robot)
    for name in after.links:
        # The link has the elements of removed links; a link that stays as a frame keeps its own.
        parts = [name, *filter(comparison.plan.is_removed, comparison.sources[name])]
        old = [*chain.from_iterable(before.others.get(part, ()) for part in parts)]
        yield f"link '{name}'", old, after.others.get(name, [])
    for child, joint in after.joints.items():
        written = before.joints[child].element
        if joint.type == written.attributes["type"]:
            old = undefined_in(written, OF_JOINT)
            yield f"joint '{joint.name}'", old, undefined_in(joint.element, OF_JOINT)


def _verify_compiler(pairing: ElementPairing) -> None:
    """Verify that `<mujoco><compiler>` has the attributes of the plan, and that nothing else is added."""
    comparison = pairing.comparison
    expected = dict(pairing.comparison.plan.meshes.compiler)
    if not expected:
        return
    old = _compiler_path(comparison.before)
    new = _compiler_path(comparison.after)
    comparison.require(
        len(new) == 2 and all(new[1].get(name) == value for name, value in expected.items()),
        "<mujoco><compiler> has not the attributes that it was to be given",
    )
    if len(old) == 2:
        pairing.proven.update((old[1].offset, name) for name in expected)
        return
    # The first element of <mujoco> and <compiler> that the input lacks.
    made = new[len(old)]
    pairing.made.add(made.offset)
    contents = [
        (element.name, element.attributes, element.text().strip()) for element in made.walk()
    ]
    comparison.require(
        contents == [("mujoco", {}, ""), ("compiler", expected, "")][len(old) :],
        "what was made for <mujoco><compiler> holds more than that",
    )


def _compiler_path(robot: ProofRobot) -> List[Element]:
    """Return the first `<mujoco>` of a robot and its first `<compiler>`, as far as they exist."""
    top = robot.document.root.find("mujoco")
    if top is None:
        return []
    return [top, *top.elements("compiler")[:1]]


def _verify_mesh_folder(comparison: ComparedRobots) -> None:
    """Verify that MuJoCo finds each file to which a relative name of the result refers for other readers.

    If MuJoCo cannot resolve a URI, it must look for all files in the same folder as in the input.
    """
    folders = comparison.folders
    document = comparison.after.document
    old = mesh_folder_of(comparison.before.document.root)
    new = mesh_folder_of(document.root)
    if new is None or old == new and folders.before == folders.after:
        return
    names = [
        element.get("filename") or "" for element in document.root.walk() if element.name == "mesh"
    ]
    place_before = os.path.realpath(os.path.join(folders.before, (old or new).meshdir))
    place_after = os.path.realpath(os.path.join(folders.after, new.meshdir))
    as_before = old is not None and old.strippath == new.strippath and place_before == place_after
    with_uri = any(map(URI_SCHEME.match, names))
    for name in names:
        # The file for other readers and the files for versions of MuJoCo must be the same.
        targets = {
            os.path.realpath(os.path.join(folders.after, path))
            for path in (name.strip(), *names_in(new, name))
        }
        if URI_SCHEME.match(name):  # which MuJoCo cannot resolve
            is_found = (
                old is None
                or old.strippath == "false"
                or any(notice.kind is MESH_NOT_FOUND for notice in comparison.plan.warnings)
            )
        else:
            is_found = len(targets) == 1
        comparison.require(
            is_found or as_before and with_uri,
            f"MuJoCo does not find '{name}' any more, because of <mujoco><compiler>",
        )


def _verify_drops(pairing: ElementPairing) -> None:
    """Verify that a removed element belongs to a removed joint, is a duplicate in its link, or has a warning."""
    comparison = pairing.comparison
    before = comparison.before
    after = comparison.after
    plan = comparison.plan
    if not plan.updates.drops:
        return
    removed_joints = _names_in_document(before, "joint") - before.named.keys()
    dropped_names = (removed_joints | _names_in_document(before, "link")) - {
        *before.links,
        *before.named,
    }
    locked = {before.joints[child].name for child in before.locked}
    removed_names = (
        (before.named.keys() - after.named.keys()) | dropped_names | removed_joints | locked
    )
    fixed_joints = {joint.name for joint in before.joints.values() if joint.type == "fixed"}
    # By link and tag, because a removed element may be a duplicate of an element that stays.
    kept_contents = grouped(
        ((_holder_of(comparison, old), old.name), content(old)) for old, _ in pairing.pairs
    )
    for drop in plan.updates.drops:
        is_gazebo = drop.name == "gazebo"
        names = {drop.get("reference") or ""} if is_gazebo else {*joints_named_in(drop)}
        # All links and joints that it names are removed, or a transmission has only fixed joints left.
        if names & removed_names and names <= removed_names | fixed_joints:
            continue
        elements = drop.elements() if is_gazebo else [drop]
        for element in elements:
            equal_tags = kept_contents.get((_holder_of(comparison, element), element.name), [])
            is_repeated = content(element) in equal_tags
            has_warning = bool(equal_tags) and pairing.is_excused(element, CONTENT_LEFT)
            comparison.require(
                is_repeated
                or has_warning
                or _is_emptied(pairing, element)
                or _is_of_dropped(element, dropped_names, removed_joints)
                or _is_value_of_link(element),
                f"<{element.name}> of line {element.line} is dropped for no reason",
            )


def _is_emptied(pairing: ElementPairing, element: Element) -> bool:
    """Return True if each part of a ros2_control is removed, so that the whole element can be removed."""
    inside = [part for part in element.elements() if part.name in PARTS_OF_CONTROL]
    return bool(inside) and all(part.offset in pairing.dropped for part in inside)


def _is_of_dropped(element: Element, dropped: Set[str], joints_gone: Set[str]) -> bool:
    """Return True if an element, or a descendant, names a removed link or joint."""
    # A <param> does not name its joint; the element around it does.
    belongs = element
    if element.name == "param" and element.parent is not None:
        belongs = element.parent
    return any(
        not dropped.isdisjoint((*part.attributes.values(), part.text().strip()))
        or part.get("joint") in joints_gone  # a remaining link may have the same name
        for part in belongs.walk()
    )


def _names_in_document(robot: ProofRobot, *tags: str) -> Set[str]:
    """Return the names of the elements with these tags directly in a robot."""
    return {top.get("name") or "" for top in robot.document.root.elements() if top.name in tags}


def _is_value_of_link(element: Element) -> bool:
    """Return True if `verify_link_values` compares a removed element, or all elements in it."""
    inside = element.elements() if element.name == "contact" else [element]
    return bool(inside) and all(map(key_of, inside))


def _holder_of(comparison: ComparedRobots, element: Element) -> Union[str, int]:
    """Return the key of the place in which an element may be a duplicate.

    It is the link of the result that has the element, or to which its `<gazebo>` refers; else the offset of the parent.
    """
    above = element.parent
    assert above is not None, "the robot itself is neither dropped nor paired"
    key = "reference" if above.name == "gazebo" else "name"
    name = above.get(key) or ""
    is_of_link = above.name in ("gazebo", "link") and name in comparison.plan.members
    return comparison.plan.members[name].target if is_of_link else above.offset


def _is_at_the_top(element: Element) -> bool:
    """Return True for the robot and its children, whose attribute `name` is their own name and not a reference."""
    return element.parent is None or element.parent.parent is None


def _is_same_file(tag: str, was: str, is_now: str, comparison: ComparedRobots) -> bool:
    """Return True if the name of a mesh or an image reaches the same file as in the input."""
    folders = comparison.folders
    uri_files = comparison.plan.meshes.uri_files
    places: List[Optional[MujocoMeshFolder]] = [None, None]
    if tag == "mesh":  # <mujoco><compiler meshdir> applies only to meshes
        documents = comparison.before.document, comparison.after.document
        places = [mesh_folder_of(document.root) for document in documents]
    file = reached_file(is_now, folders.after, uri_files, places[1])
    old_file = reached_file(was, folders.before, uri_files, places[0])
    return comparison.copies.get(file, file) == old_file


def _is_expected(
    comparison: ComparedRobots, tag: str, key: str, was: Optional[str], is_now: Optional[str]
) -> bool:
    """Return True if the name of a merged link became its target's, or a file name became another name of the file."""
    plan = comparison.plan
    if was in plan.members and plan.is_removed(was) and is_now == plan.members[was].target:
        return True
    if key == "filename" and tag in ("mesh", "texture") and was and is_now:
        return _is_same_file(tag, was, is_now, comparison)
    return False


def _is_numbered(comparison: ComparedRobots, element: Element, is_now: Optional[str]) -> bool:
    """Return True if an element of a merged link has its name with a number, because the target has that name, too."""
    link = element.parent
    if link is None or link.name != "link" or is_now is None:
        return False
    member = comparison.plan.members.get(link.get("name") or "")
    if member is None or not member.merged:
        return False
    name, _, number = is_now.rpartition("_")
    return name == element.get("name") and number.isdigit()


def _verify_the_rest(pairing: ElementPairing) -> None:
    """Verify that all values that no rule covers are unchanged, except names of merged links and file names."""
    comparison = pairing.comparison
    before = comparison.before
    after = comparison.after
    removed_names = {*before.links, *before.named} | _names_in_document(before, "link", "joint")
    removed_names -= {*after.links, *after.named}
    for old, new in pairing.pairs:
        where = f"<{old.name}> of line {old.line}"
        for child in new.elements():
            # The rule that adds an element, such as a <pose>, must prove it.
            is_made = child.name in MADE and old.find(child.name) is None
            is_proven = (old.offset, f"<{child.name}>") in pairing.proven
            comparison.require(not is_made or is_proven, f"{where} was given a <{child.name}>")
        for key in {*old.attributes, *new.attributes, ""}:
            if (old.offset, key) in pairing.proven:
                continue
            was = old.get(key)
            is_now = new.get(key)
            if key == "":
                was = old.text().strip()
                is_now = new.text().strip()
            if key == "name" and _is_numbered(comparison, old, is_now):
                continue
            if was != is_now:
                comparison.require(
                    _is_expected(comparison, old.name, key, was, is_now),
                    f"{where} changed from '{was}' to '{is_now}'",
                )
                continue
            if was in removed_names and not (key == "name" and _is_at_the_top(old)):
                is_appearance = old.name in ("material", "geometry", "mesh")
                comparison.require(
                    is_appearance or pairing.is_excused(old, NAME_LEFT),
                    f"the result still refers to '{was}', which was removed",
                )


# ==== urdf_tools/verify/verify_equivalence.py ====
# The proof that the result has the same motion, masses and appearance as the input.
#
# Both texts are read by code that only the proof uses (`raw_robot`, `rigid_motion`). From the plan come only names and
# choices (merged, removed and renamed elements, flipped joints, the base rotation), none of its numbers. At zero every
# shape, mass and joint axis must have the same pose in the world; at random positions every body must have made the same
# motion. A body is rigid, so both together hold for every shape and mass at every position. The axes give the signs of
# joints, and the note on the maps of positions must agree with them.

# `format_number` keeps a number to 1e-12 of itself; absolute below 1, because a zero is subtracted from the number.
TEXT_ROUNDING = 1e-12
JOINT_PARTS = ("limit", "safety_controller", "dynamics", "calibration")


class EquivalenceProof(Record):
    """The worst errors of a proof, all within their tolerances; 0 is less than 1e-12.

    Attributes:
        position, angle: the errors of frames and shapes, beyond the errors that moved axes explain [m, rad].
        axis: the largest angle by which cleaning turned a joint axis [rad].
        mass, inertia: the relative errors of bodies.
        center: the error of centers of mass [m].
        limits: the relative error of limits, soft limits, calibrations and mimic values.
        bodies, shapes, samples: the numbers of compared bodies, shapes and random positions.
    """

    position: float
    angle: float
    axis: float
    mass: float
    center: float
    inertia: float
    limits: float
    bodies: int
    shapes: int
    samples: int


def verify_robot(comparison: ComparedRobots) -> EquivalenceProof:
    """Compare input and result, and return the worst errors.

    Raises:
        ProofFailed: names the first element beyond its tolerance.
    """
    shapes = verify_shapes(comparison)
    verify_outside(comparison)
    verify_signs(comparison)
    verify_joint_map(comparison)
    _verify_masses(comparison)
    _verify_numbers(comparison)
    # A fixed seed, so that equal runs make equal proofs.
    generator = random.Random(0)
    for _ in range(SAMPLES):
        _verify_motion(comparison, generator)
    figure = comparison.worst.figure
    return EquivalenceProof(
        position=figure("position"),
        angle=figure("angle"),
        axis=max(figure("joint axis"), figure("angle of a fixed frame")),
        mass=figure("mass"),
        center=figure("center of mass"),
        inertia=figure("inertia"),
        limits=figure("limits"),
        bodies=len(comparison.after.links),
        shapes=shapes,
        samples=SAMPLES,
    )


def _verify_masses(comparison: ComparedRobots) -> None:
    """Compare the mass, first and second moments of every link of the result with the sums over its links in the input.

    Moments about a common point of the world add up, so nothing is merged here. The point is the center of mass of the
    body in the input, because far from it rounding would hide the mass of a small part.
    """
    before = comparison.before
    plan = comparison.plan
    for name, link in comparison.after.links.items():
        sources = comparison.sources[name]
        if plan.options.count_once:  # a part that was exported twice has its mass once
            sources = [part for part in sources if plan.members[part].kind != COPY]
        parts = [mass_in(before.links[part], before.T_world[part]) for part in sources]
        masses = [part for part in parts if part is not None]
        mass_of_link = mass_in(link, comparison.after.T_world[name])
        if not masses and mass_of_link is None:
            continue
        _compare_moments(comparison, f"link '{name}'", masses, mass_of_link)
        comparison.require(
            _tensor_given_twice(link) in ((), _tensor_given_twice(before.links[name])),
            f"link '{name}': iyx, izx, izy differ from ixy, ixz, iyz",
        )


def _compare_moments(
    comparison: ComparedRobots, where: str, masses: List[Mass], mass_of_link: Optional[Mass]
) -> None:
    """Compare the masses of parts with the mass of the link into which they were merged, about their center of mass."""
    worst = comparison.worst
    mass, x, y, z = moments_about(ZERO, masses)[:4]
    point = (x / mass, y / mass, z / mass) if mass > 0.0 else ZERO

    old = moments_about(point, masses)
    after = [mass_of_link] if mass_of_link is not None else []
    new = moments_about(point, after)
    worst.require(mass_of_link is not None or not any(old), f"{where} lost its mass")
    # The bound only prevents a division by zero: it is smaller than any mass.
    worst.note("mass", abs(new[0] - mass) / max(mass, 1e-300), TOLERANCE, where)
    if mass > 0.0:
        distance = math.dist(new[1:4], old[1:4]) / mass
        worst.note("center of mass", distance, TOLERANCE * comparison.size, where, " m")

    error = max(abs(a - b) for a, b in zip(old[4:], new[4:]))
    # A center of mass far from the root is rounded by ROUNDING of this distance.
    radius = max(LEAST_GYRATION, ROUNDING * comparison.size)
    largest = max(max(map(abs, old[4:])), mass * radius**2)
    relative_error = error / largest if largest else error
    worst.note("inertia", relative_error, TOLERANCE, where)


def _tensor_given_twice(link: Element) -> Texts:
    """Return the written tensor if iyx, izx or izy exists and differs from the opposite entry, else ()."""
    inertia = next((part for part in link.walk() if part.name == "inertia"), link)
    # URDF has only the upper entries. Some exporters write both, and parsers ignore the lower entries: if they differ, the
    # intended value is not known, so the text must stay. The slices turn ixy into iyx.
    pairs = [(inertia.get(key), inertia.get(key[0] + key[:0:-1])) for key in ("ixy", "ixz", "iyz")]
    if all(other is None or number_of(other) == number_of(value) for value, other in pairs):
        return ()
    return tuple(f"{key}={value}" for key, value in sorted(inertia.attributes.items()))


def _verify_numbers(comparison: ComparedRobots) -> None:
    """Compare limits, soft limits and calibration of each joint through its sign, and its other attributes as text."""
    worst = comparison.worst
    for joint in comparison.after.joints.values():
        old = comparison.before.joints[joint.child]
        where = f"joint '{joint.name}'"
        sign = comparison.plan.joints[joint.child].map.sign
        numbers, other_values = _values_of(joint, 1)
        old_numbers, old_other_values = _values_of(old, sign)
        if joint.type != old.type:  # a duplicate joint, of which only the frame is kept
            worst.require(
                not (numbers or other_values or joint.mimic), f"{where} is to be a frame only"
            )
            continue
        worst.require(numbers.keys() == old_numbers.keys(), f"{where} lost or gained a limit")
        for key, value in old_numbers.items():
            if numbers[key] != value:  # equal infinities have no difference
                error = abs(numbers[key] - value) / max(1.0, abs(value))
                worst.note("limits", error, TEXT_ROUNDING, f"{where} {key[1]}")
        worst.require(
            other_values == old_other_values, f"{where} changed its effort, velocity or dynamics"
        )
        _compare_mimic(comparison, joint, old, where)


def _compare_mimic(
    comparison: ComparedRobots, joint: ProofJoint, old: ProofJoint, where: str
) -> None:
    """Compare the rule of a follower through the signs of the joint and of its leader."""
    worst = comparison.worst
    worst.require((joint.mimic is None) == (old.mimic is None), f"{where} mimics otherwise")
    if old.mimic is None or joint.mimic is None:
        return
    leader, factor, shift = old.mimic
    sign = comparison.plan.joints[joint.child].map.sign
    # The factor is a ratio of two positions, so two flips cancel out.
    signs = sign * comparison.maps.get(leader, AS_IT_WAS).sign
    worst.require(joint.mimic[:2] == (leader, signs * factor), f"{where} mimics otherwise")
    error = abs(joint.mimic[2] - sign * shift) / max(1.0, abs(shift))
    worst.note("limits", error, TEXT_ROUNDING, f"{where} offset")


def _values_of(
    joint: ProofJoint, sign: int
) -> Tuple[Dict[Pair, float], List[Tuple[str, str, str]]]:
    """Return the positions in the elements of a joint, through its sign, and all other attributes.

    Readers use the first of several elements with the same tag.
    """
    numbers: Dict[Pair, float] = {}
    other_values: List[Tuple[str, str, str]] = []
    # Reversed, so that the first element with a tag stays.
    first_parts = {part.name: part for part in reversed(joint.element.elements())}
    for part in joint.element.elements():
        if part.name not in JOINT_PARTS:
            continue
        for key, value in part.attributes.items():
            mirrored = POSITIONS.get((part.name, key)) if part is first_parts[part.name] else None
            if mirrored is None:
                other_values.append((part.name, key, value))
            else:
                # If the sign changes, the ends of a range change places.
                end = key if sign > 0 else mirrored
                numbers[part.name, end] = sign * number_of(value)
    return numbers, sorted(other_values)


def _verify_motion(comparison: ComparedRobots, generator: random.Random) -> None:
    """Compare the motion of every body to a random position, drawn through the mimic rules of both files."""
    before = comparison.before
    after = comparison.after
    drawn = {}
    for child, joint in before.joints.items():
        reach = 0.2 if joint.type in SLIDING else 2.0  # [m or rad]
        drawn[child] = generator.uniform(-1.0, 1.0) * reach
    q_before = raw_positions(before, drawn)
    expected = {
        child: comparison.plan.joints[child].map.sign * q_before[child] for child in after.joints
    }
    # A follower of the result must be at its position in the input.
    q_after = raw_positions(after, expected)
    for child, joint in after.joints.items():
        if joint.type != "fixed":
            error = abs(q_after[child] - expected[child]) / max(1.0, abs(expected[child]))
            comparison.worst.note("mimic", error, TOLERANCE, f"joint '{joint.name}'")
    compare_at(comparison, q_before, q_after, generator)


def compare_at(
    comparison: ComparedRobots,
    q_before: Dict[str, float],
    q_after: Dict[str, float],
    generator: random.Random,
    where: str = "",
) -> None:
    """Verify that every body moves equally in both files, for positions by child link [rad or m].

    Each joint moves its descendants about its axis in the world at zero, so D_child = D_parent D_joint, a product of
    exponentials (Brockett 1984). A planar or floating joint makes the same random motion in both files. `where` begins
    the message of a failure.
    """
    motions, D_before = _moved_before(comparison, q_before, generator)
    after = comparison.after
    worst = comparison.worst
    size = comparison.size
    T_before = comparison.before.T_world
    T_after = after.T_world
    D_after = {after.root: IDENTITY_POSE}
    explained_turns = {after.root: 0.0}
    explained_shifts = {after.root: 0.0}
    for joint in after.tree:
        child = joint.child
        D = D_after[joint.parent]
        origin_length = math.hypot(*joint.origin.translation)
        turn = explained_turns[joint.parent]
        shift = explained_shifts[joint.parent] + turn * origin_length
        if joint.type != "fixed":
            motion = motions[child]
            if joint.moves:
                motion = world_motion(joint, T_after[child], q_after[child], generator)
            D = composed(D, motion)
            # An error d of an axis turns the body by at most 2 sin(|q|/2) d, or shifts a sliding body by |q| d. The
            # turns add up along the chain, and each shifts its descendants. Only the rest counts as a difference.
            axis_error = comparison.moved_axes[child] if joint.moves else 0.0
            if joint.type in TURNING:
                turn += 2.0 * abs(math.sin(0.5 * q_after[child])) * axis_error
            else:
                origin = T_after[child].translation
                path_length = math.dist(transform_point(motion, origin), origin)
                shift += (turn + axis_error) * path_length
        D_after[child] = D
        explained_turns[child] = turn
        explained_shifts[child] = shift
        distance, angle = _moved_apart(D_before[child], T_before[child], D, T_after[child])
        where_joint = f"{where}joint '{joint.name}'"
        worst.note("angle", max(0.0, angle - turn), TOLERANCE, where_joint, " rad")
        worst.note("position", max(0.0, distance - shift), TOLERANCE * size, where_joint, " m")


def _moved_before(
    comparison: ComparedRobots, q_before: Dict[str, float], generator: random.Random
) -> Tuple[Poses, Poses]:
    """Return the motion of each joint of the input, and the motion of each link of the input in the world.

    A merged link must move like its target.
    """
    before = comparison.before
    worst = comparison.worst
    motions: Poses = {}
    D_before = {before.root: IDENTITY_POSE}
    for joint in before.tree:
        child = joint.child
        D = D_before[joint.parent]
        member = comparison.plan.members[child]
        T = before.T_world[child]
        if joint.type != "fixed":
            # Duplicate joints have one name, and therefore one position.
            leader = member.target if member.merged else child
            position = q_before[leader]
            motions[child] = world_motion(joint, T, position, generator)
            D = composed(D, motions[child])
        # The same object if no joint between them moves.
        if member.merged and D is not D_before[member.target]:
            kind = "merged link"
            tolerance = TOLERANCE
            # A duplicate joint moves like the first joint, up to the accuracy of the file. If two axes are equal within
            # POSE_TOLERANCE, a turn separates the links by at most 4 times this, a slide by this for each meter.
            if joint.type != "fixed":
                kind = "duplicate joint"
                tolerance = 10.0 * POSE_TOLERANCE
            distance, angle = _moved_apart(D, T, D_before[member.target], T)
            limit = tolerance * (1.0 + comparison.size)
            worst.note(f"motion of a {kind}", distance + angle, limit, f"joint '{joint.name}'")
            D = D_before[member.target]
        D_before[child] = D
    return motions, D_before


def _moved_apart(
    D: Transform, T: Transform, D_other: Transform, T_other: Transform
) -> Tuple[float, float]:
    """Return the distance [m] of the origins of T after D and of T_other after D_other, and the angle [rad] between D and
    D_other: the axes of the two frames may differ.
    """
    return (
        math.dist(transform_point(D, T.translation), transform_point(D_other, T_other.translation)),
        angle_between_rotations(D.rotation, D_other.rotation),
    )


def proof_line(proof: EquivalenceProof) -> str:
    """Return the proof as a line of text."""
    snapped = ""
    if proof.axis > TOLERANCE:
        snapped = f"; snapping moved an axis by {proof.axis:.1e} rad at most"
    return (
        f"{count_of(proof.bodies, 'body', 'bodies')}, {count_of(proof.shapes, 'shape')}, "
        f"{count_of(proof.samples + 1, 'pose')}: position {figure_text(proof.position)} m, angle "
        f"{figure_text(proof.angle)} rad, mass {figure_text(proof.mass)}, inertia {figure_text(proof.inertia)}, "
        f"limits {figure_text(proof.limits)}{snapped}"
    )


def verify_joint_map(comparison: ComparedRobots) -> None:
    """Verify the map in the note of each joint that moves: the input's map, composed with the map of this run."""
    before = comparison.before
    after = comparison.after
    noted_before = _maps_noted_in(before)
    noted_after = _maps_noted_in(after)
    for name, joint in after.named.items():
        if not joint.moves:
            continue
        old = before.joints[joint.child]
        # The sign by both texts: the axes have the same direction in the world, or the opposite.
        axis_before = rotated(before.T_world[joint.child].rotation, old.axis)
        axis_after = rotated(after.T_world[joint.child].rotation, joint.axis)
        is_same_direction = sum(a * b for a, b in zip(axis_before, axis_after)) > 0.0
        (sign, zero), noted_name, times = noted_before.get(old.name, NotedJointMap())
        (sign_now, zero_now), noted_name_now, times_now = noted_after.pop(name, NotedJointMap())
        moved = zero + sign * comparison.maps[name].zero
        wanted_sign = sign if is_same_direction else -sign
        comparison.require(
            sign_now == wanted_sign
            and abs(zero_now - moved) <= TEXT_ROUNDING * max(1.0, abs(moved))
            and (noted_name_now, times_now) == (noted_name, times),
            f"the note does not say how joint '{name}' counts",
        )
    comparison.require(
        not noted_after,
        f"the note says how joints count that do not move: {', '.join(noted_after)}",
    )


def _maps_noted_in(robot: ProofRobot) -> Dict[str, NotedJointMap]:
    """Return the maps of joints in the note of a robot, by name."""
    return {from_note(word): noted for word, noted in read_joint_map(robot.document).items()}


def verify_signs(comparison: ComparedRobots) -> None:
    """Verify that the axis of each joint that moves is +X, +Y or +Z, or that its sign stays.

    The sign stays if frames are not reoriented, with --keep-signs, and if the note of an earlier run names the joint.

    Raises:
        ProofFailed: the sign or the zero of a joint has no reason.
    """
    options = comparison.plan.options
    kept = signs_noted(comparison.before.document)
    for child, joint in comparison.after.joints.items():
        if not joint.moves and joint.type != "planar":
            continue
        name = comparison.before.joints[child].name
        sign, zero = comparison.plan.joints[child].map
        stays = options.keep_signs or not options.reorient
        stays = stays or any(fnmatchcase(name, glob) for glob in kept)
        # Exactly: an axis along an axis of the frame is written as 1 0 0, and any other axis is a fault.
        has_its_sign = sign > 0 if stays else joint.axis in UNIT_AXES
        comparison.require(
            zero == 0.0 and has_its_sign,
            f"joint '{joint.name}' changes its sign or zero, or keeps it, and nothing asks for that",
        )


# ==== urdf_tools/verify/verify_world_values.py ====
# The proof of the values of elements outside links and joints, in numbers of the world: signs undone, poses at zero.
#
# The values, and the places where they are written, are determined in the same way for both texts (`facts.values`). A
# value of the result must be equal to the value of the input, or its text unchanged, with a warning.


class ValueContext(Record):
    """The input or the result, as the rules on values read it.

    Attributes:
        tree: its elements for the rules of `facts.values`; both have the links and joints of the input.
        frames: T_world_link of all links of the input; a removed link has the frame of the link that has its content,
            because a removed joint is a name of that frame in SDF.
        maps: for the input, by joint name, the map of its position to the result; empty for the result.
        size: the largest distance of a link, shape or center of mass from the root [m].
    """

    robot: ProofRobot
    tree: RobotFacts
    frames: Poses
    maps: Dict[str, JointMap]
    size: float


class WorldValue(Record):
    """A value with its possible numbers in the world, and the tolerance for the numbers of the result."""

    value: FrameDependentValue
    numbers: Sequence[Sequence[float]]
    tolerance: float


def verify_values(pairing: ElementPairing) -> None:
    """Verify each value of the input in the result, and mark the attributes and texts that contain it as proven."""
    comparison = pairing.comparison
    before = _view(comparison, comparison.before, comparison.maps)
    after = _view(comparison, comparison.after, {})
    values_after = grouped(
        ((world_value.value.element.offset, world_value.value.kind), world_value)
        for world_value in _values_in_world(after)
    )
    for value, numbers, tolerance in _values_in_world(before):
        element, places = value.element, value.places
        offsets = {element.offset, *(part.offset for part in element.elements("param"))}
        # The element is removed, or it is a mimic parameter of ros2_control whose leader is removed.
        if not pairing.partner.keys() >= offsets:
            continue
        written_values = values_after.get((pairing.partner[element.offset].offset, value.kind))
        written = written_values.pop(0).numbers if written_values else ()
        pairing.proven.update((holder.offset, key) for holder, key in places)
        distance = _least_distance(numbers, written)
        if not distance <= tolerance:
            kinds = SIGN_LEFT if value.kind in (SIGNED, RANGE) else POSE_LEFT | NAME_LEFT
            holders = (element, *(holder for holder, _ in places))
            excused = any(pairing.is_excused(holder, kinds) for holder in holders)
            pairing.require(
                excused and _is_kept(value, pairing),
                f"<{element.name}> of line {element.line}: its "
                f"{value.kind} in the world is off by {distance:.3g}",
            )


def _is_kept(value: FrameDependentValue, pairing: ElementPairing) -> bool:
    """Return True if all attributes and texts that contain a value are unchanged."""
    return all(
        _written(holder, key) == _written(pairing.partner[holder.offset], key)
        for holder, key in value.places
    )


def _least_distance(
    old_numbers: Sequence[Sequence[float]], new_numbers: Sequence[Sequence[float]]
) -> float:
    """Return the least distance between the possible numbers of two values; infinite without numbers."""
    least = math.inf
    for old in old_numbers:
        for new in new_numbers:
            if old == new:  # equal infinities have no difference
                return 0.0
            if len(old) == len(new):
                least = min(least, math.dist(old, new))
    return least


def _view(comparison: ComparedRobots, robot: ProofRobot, maps: Dict[str, JointMap]) -> ValueContext:
    """Return the input or the result with the maps of its joints."""
    before = comparison.before
    frames: Poses = {}
    for name in before.links:
        holder = name if name in robot.links else comparison.plan.members[name].target
        frames[name] = robot.T_world[holder]
    tree = RobotFacts(
        element=robot.document.root,
        root=before.root,
        links=before.links.keys(),
        child_of={name: joint.child for name, joint in before.named.items()},
        extras=robot.others,
    )
    return ValueContext(robot=robot, tree=tree, frames=frames, maps=maps, size=comparison.size)


def _values_in_world(view: ValueContext) -> Iterator[WorldValue]:
    """Yield the values of the input or the result that have numbers in the world."""
    for value in values_in(view.tree):
        world_value = _in_world(view, value)
        if world_value is not None:
            yield world_value


def _in_world(view: ValueContext, value: FrameDependentValue) -> Optional[WorldValue]:
    """Return a value in the world; None for a value without a frame or an unreadable value, which must not change."""
    with suppress(ValueError):  # from `number_of` and similar functions, for an unreadable text
        if value.kind == RANGE:
            return _range_in_world(view, value)
        if value.kind == SIGNED:
            return _number_in_world(view, value)
        if value.kind == COLLISION:
            places = _collisions_called(view, _written(*value.places[0]))
            if not places:
                return None
            return WorldValue(value, [_flat(T, 1.0) for T in places], COPY_TOLERANCE)
        frames = view.frames if value.kind == POSE else view.robot.T_world
        T = frames.get(value.link)
        if T is None or value.kind == LINK:
            return None
        # The plan does not warn of a frame that is turned or shifted by at most SAME_FRAME. A turn by an angle a changes
        # the nine numbers of a rotation by sqrt(2) a: ten times TOLERANCE covers it, and the rounding of the plan.
        if value.kind == AXES:
            return WorldValue(value, [sum(T.rotation, ())], 10.0 * TOLERANCE)
        if value.kind in (FRAME, FRAME_POSE):
            return WorldValue(value, [_flat(T, view.size)], 10.0 * TOLERANCE * max(1.0, view.size))
        if value.kind == DIRECTION:
            # A direction of friction has any length, so the error is relative to it.
            direction = _vector_at(*value.places[0])
            size = max(1.0, math.hypot(*direction))
            return WorldValue(value, [rotated(T.rotation, direction)], 10.0 * TOLERANCE * size)
        pose = _POSES[value.kind](value)
        return WorldValue(value, [_flat(composed(T, pose), view.size)], TOLERANCE * view.size)
    return None


def _number_in_world(view: ValueContext, value: FrameDependentValue) -> WorldValue:
    """Return a number after the joints are mapped: its product with their signs, after their zeros are added.

    A number without a place in the file is 1, and a missing child is 0. If the signs of the joints in a group differ,
    no number is possible.
    """
    signs_of_groups = [
        {view.maps.get(joint, AS_IT_WAS).sign for joint in group} for group in value.signs
    ]
    number = _number_at(*value.places[0]) if value.places else 1.0
    # A group without joints has no sign that could follow a reversed group.
    is_impossible = {-1} in signs_of_groups and set() in signs_of_groups
    if is_impossible or {-1, 1} in signs_of_groups:
        return WorldValue(value, (), 0.0)
    # Each term is the zero of a joint, times the number at its place.
    added: List[float] = []
    for joint, where in value.terms:
        factor = _number_at(*where) if where else 1.0
        added.append(factor * view.maps.get(joint, AS_IT_WAS).zero)
    subtracted = [-view.maps.get(joint, AS_IT_WAS).zero for joint in value.zeros]
    moved = math.fsum([number, *added, *subtracted])
    # From here on, each group has a single sign, or none.
    sign = math.prod(chain.from_iterable(signs_of_groups))
    # `format_number` keeps a number to 1e-12 of itself. The largest part counts, because parts may cancel.
    tolerance = 1e-12 * max([1.0, abs(number), *map(abs, added)])
    return WorldValue(value, [(moved * sign,)], tolerance)


def _number_at(element: Element, key: str) -> float:
    """Return the number in an attribute or a text, 0 for a missing child."""
    return 0.0 if key.startswith("<") else number_of(_written(element, key))


def _range_in_world(view: ValueContext, value: FrameDependentValue) -> WorldValue:
    """Return the parameters of a range, in the order of RANGE_OF; for a flipped joint the ends are exchanged."""
    sign, zero = view.maps.get(value.signs[0][0], AS_IT_WAS)
    if not value.zeros:  # a velocity or an effort does not depend on the zero
        zero = 0.0
    numbers: List[Tuple[int, float]] = []
    for parameter, key in value.places:
        name = parameter.get("name") or ""
        if not key:
            end = name if sign > 0 else RANGE_OF[name]
            index = list(RANGE_OF).index(end)
            numbers.append((index, sign * (number_of(parameter.text()) - zero)))
    tolerance = 1e-12 * max(1.0, *(abs(number) for _, number in numbers))
    return WorldValue(value, [tuple(chain.from_iterable(sorted(numbers)))], tolerance)


def _written(element: Element, key: str) -> str:
    """Return an attribute, the text for "", or for "<name>" whether the child exists."""
    if key.startswith("<"):
        return str(element.find(key[1:-1]) is not None)
    if not key:
        return element.text().strip()
    return element.get(key) or ""


def _flat(T: Transform, size: float) -> Reals:
    """Return a pose as numbers: the position [m], and the rotation times the distance `size` [m]."""
    return (*T.translation, *(size * entry for entry in chain.from_iterable(T.rotation)))


def _of_pose(value: FrameDependentValue) -> Transform:
    """Return the pose of an element by its `<pose>`, the identity without a `<pose>`."""
    pose = value.element.find("pose")
    if pose is None or not pose.text().strip():
        return IDENTITY_POSE
    if pose.get("rotation_format"):
        raise ValueError
    x, y, z, a, b, c = numbers_of(pose.text(), 6)
    factor = math.pi / 180.0 if pose.get("degrees") in ("true", "1") else 1.0
    return Transform(rpy_rotation(factor * a, factor * b, factor * c), (x, y, z))


def _of_offsets(value: FrameDependentValue) -> Transform:
    """Return the pose of a position and of roll, pitch and yaw in separate elements."""
    position, angles = value.places
    return Transform(rpy_rotation(*_vector_at(*angles)), _vector_at(*position))


def _vector_at(element: Element, key: str) -> Vector:
    """Return the three numbers in an attribute or a text, zeros for a missing child."""
    if key.startswith("<"):
        return ZERO
    return vector_of(_written(element, key) or None)


_POSES: Dict[str, Callable[[FrameDependentValue], Transform]] = {
    POSE: _of_pose,
    ORIGIN: lambda value: pose_of_origin(value.element.find("origin") or value.element),
    OFFSET_POSE: _of_offsets,
}


def _collisions_called(view: ValueContext, name: str) -> List[Transform]:
    """Return the poses in the world of the collisions with a name, which may be the name that sdformat makes up."""
    links = view.robot.links
    poses: List[Tuple[str, Transform]] = []
    for link, element in links.items():
        for shape, pose in _collisions_in(element):
            if shape.get("name") == name:
                poses.append((link, pose))
    # sdformat names a collision without a name by its link and its number.
    match = re.fullmatch(COLLISION_NAME, name)
    if not poses and match is not None and match.group(2) in links:
        shapes = _collisions_in(links[match.group(2)])
        index = 0 if match.group(1) and len(shapes) == 1 else int(match.group(3) or 0)
        poses = [
            (match.group(2), pose)
            for shape, pose in shapes[index : index + 1]
            if not shape.get("name")
        ]
    return [composed(view.robot.T_world[link], pose) for link, pose in poses]


def _collisions_in(link: Element) -> List[Tuple[Element, Transform]]:
    """Return the collisions of a link, each with its pose in the link."""
    return [(shape, pose_of_origin(shape.find("origin"))) for shape in link.elements("collision")]


# ==== urdf_tools/run/check_destinations.py ====
# Check the files that a run is to write, before any work: against each other, its inputs, and existing files.
#
# An existing mesh may be replaced only if this tool wrote it from the same source.

NAME_OF_FILE = OptionRow("file", "", "", is_output=True, advice="give the name of a file")


WITH_URDF = ("simplify", "edit", "collision")  # the commands whose output is a URDF


class Destination(Record):
    """A file to write: the option that names it, its path, and the input it may replace if forced ("": no input)."""

    spelled: str
    path: str
    own_input: str


def read_path(spelled: str, given: Any) -> str:
    """Return the name of a file as text, "" for None.

    Raises:
        UsageError: the name is neither a text nor a path, or it is empty.
    """
    path: str = read_choice(NAME_OF_FILE, given, spelled) or ""
    return path


def check_destinations(
    inputs: Sequence[str], outputs: Sequence[Destination], *, force: bool
) -> None:
    """Make sure that every file can be written, and that no file replaces another output or the input of another
    output.

    Args:
        inputs: the files that are read; "" stands for no file.
        outputs: the files to write.
        force: an output may replace its input.

    Raises:
        UsageError: naming the file, and its option.
    """
    # A file that cannot be written is reported first: that message helps more than a message about two equal names.
    for spelled, path, own_input in outputs:
        if path.endswith(("/", os.sep)) and not os.path.isdir(path):
            raise UsageError(
                f"this names a folder: give {spelled} the name of a file, such as {path}robot.urdf",
                path,
            )
        check_not_xacro(path, own_input)
        check_output(path, own_input, force=force, option=spelled)
    check_apart([(spelled, path) for spelled, path, _ in outputs])
    for spelled, path, own_input in outputs:
        for other in inputs:
            if other and other != own_input:
                check_apart([("an input", other), (spelled, path)])


# Formats of robots and meshes that no URDF reader takes. A URDF may be named `.xml`.
NO_URDF = (".sdf", ".usda", ".usd", ".usdc", ".usdz", ".json", ".dae", ".stl", ".obj")


def check_names_urdf(verb: str, spelled: str, path: str) -> None:
    """Refuse to write a URDF under the name of another format; only some commands write a URDF.

    Raises:
        UsageError: the ending of the name is the ending of another format.
    """
    ending = os.path.splitext(path)[1]
    if verb in WITH_URDF and ending.lower() in NO_URDF:
        raise UsageError(
            f"{verb} writes a URDF, which is no {ending} file: give {spelled} a name that ends with .urdf, and convert "
            "the result with export",
            path,
        )


def check_folder(folder: str) -> None:
    """Make sure that the folder for meshes, if one is given, can be written or made."""
    above = existing_folder(folder)
    if not os.path.isdir(above):
        raise UsageError("this is not a folder, so --mesh-dir cannot be it or be in it", above)
    if folder and not os.access(above, os.W_OK):
        raise UsageError("--mesh-dir cannot be written: permission denied", folder)


# The marks in OBJ and MTL files, and in glTF files.
OWN_WORDS = (b"written by urdf_simplify\n", b'"generator":"urdf_simplify"')
MARKED_BYTES = 4096  # the beginning of a file, which contains the mark


def folder_of(files: Sequence[FinishedFile]) -> str:
    """Return the folder that will hold all files."""
    return common_folder([os.path.dirname(file.target) or "." for file in files]) or "."


def is_marked(path: str) -> bool:
    """Return True if a plain file contains the mark of this tool."""
    if path.endswith(".stl"):
        return stl_source(path) is not None
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            return False
        with open(path, "rb") as stream:
            start = stream.read(MARKED_BYTES)
    except OSError:
        return False
    return any(words in start for words in OWN_WORDS)


def may_replace(file: FinishedFile) -> Optional[bool]:
    """Return True if a file may replace the existing file, None if this tool did not write the existing file, False if
    it wrote it from a different source.

    Buffers and images of a mesh have no mark: in a folder of this robot alone they count as written by this tool.
    """
    from filecmp import cmp

    target = file.target
    made = file.source
    marked = is_marked(file.target)
    if not file.shared and (marked or file.part is None):
        return True
    if (
        marked
        and target.endswith(".stl")
        and (stl_source(target) == stl_source(made) or has_same_triangles(target, made))
    ):
        return True
    try:
        if (
            not os.path.islink(target)
            and os.path.isfile(target)
            and cmp(target, made, shallow=False)
        ):
            return True
    # An existing file that cannot be read counts as foreign.
    except OSError:
        pass
    return False if marked else None


def foreign_files(files: Iterable[FinishedFile]) -> List[FinishedFile]:
    """Return the files that would replace an existing file but may not."""
    return [file for file in files if os.path.lexists(file.target) and not may_replace(file)]


def check_mesh_files(
    files: Iterable[FinishedFile], *, force: bool, option: str = "--mesh-dir"
) -> None:
    """Make sure that only files are replaced that this tool wrote from the same source, and that the new files are as
    they were verified.

    Raises:
        UsageError: naming such files, and the option that names their folder.
    """
    files = list(files)
    changed = [
        file.target
        for file in files
        if file.part and file.part.stamp not in ((), file_stamp(file.source))
    ]
    if changed:
        raise UsageError(
            "another program changed this file during the run: run this again",
            changed[0],
        )
    foreign = [] if force else foreign_files(files)
    others = [file.target for file in foreign if may_replace(file) is None]
    if others:
        raise UsageError(
            f"not written by this tool: {shown_names(others)}; give another {option}, or --force"
        )
    if foreign:
        more = f" (and {len(foreign) - 1} more)" if len(foreign) > 1 else ""
        raise UsageError(
            f"was made from another file than {foreign[0].origin}{more}, maybe for another robot: give "
            f"another {option}, or --force",
            foreign[0].target,
        )


# ==== urdf_tools/run/run_records.py ====
# The records of a run: its request, the additions of the package, and its result, also for documents such as an SRDF.


class CompanionResult(Record):
    """The result of a run for a companion.

    Attributes:
        name: the kind of document in reports, such as SRDF; in lower case the key of the JSON.
        output: the name of its result, "" if it is not written.
        updates: the changes, and warnings about references that were not updated.
        before, after: the documents parsed from both texts.
        source, data: the bytes of both.
        proof: the figures of the proof; `proof_line` has the same in one line of text.
        added: in words what was added besides the updates, "" for nothing.
    """

    name: str
    output: str
    updates: ReferenceUpdates
    before: Document
    after: Document
    source: bytes
    data: bytes
    proof: Record
    proof_line: str
    added: str = ""

    @property
    def changed(self) -> bool:
        """Return True if the result differs from the input."""
        return self.source != self.data


class CompanionFile(Record):
    """A document beside the robot that the plan updates.

    Attributes:
        destination: where the result is written, and its input; without a path it is not written.
        is_named: the caller gave that path; otherwise it follows from the name of the output.
        needs: takes the robot; returns by link the reason why its frame must stay.
        follow: takes the plan, and both robots at zero; returns the updated document, verified.
    """

    destination: Destination
    is_named: bool
    needs: Callable[[UrdfRobot], Dict[str, KeepReason]]
    follow: Callable[[Plan, ComparedRobots], CompanionResult]


class EditedRobot(Record):
    """The outcome of edits on a robot.

    Attributes:
        verdict: the sentence of the proof.
        old_joints: names in the input by new ones.
        maps, locked: by names in the input, the map of each joint's position, and the value at which it is locked [rad
            or m].
        dropped: the removed links of the input, with their masses [kg].
        described: the entries of both in the JSON of the run, by key.
    """

    verdict: str
    old_joints: Mapping[str, str] = {}
    maps: Mapping[str, JointMap] = {}
    locked: Mapping[str, float] = {}
    dropped: Mapping[str, float] = {}
    described: Mapping[str, Any] = {}


class ExportedFiles(Record):
    """Files and report lines that the package adds to a run; each exporter returns one record.

    Attributes:
        files: name and bytes of each file to write; its folder may not exist yet.
        lines: lines about these files for the report on the terminal.
        warnings: for the user; `line` counts in the input, 0: the whole file.
        choices: the given options of the package; exporters leave this field to `run_exports`.
        left: the tasks that remain for the user.
        left_lines: takes a style; returns these tasks as lines, for the report and again for its end.
        finding_lines: takes a style; returns the lint findings about the result; only a plan shown in full calls it.
        changes: the changes in the result, in phrases.
        tables: headlines with rows of changes.
        decided: the decisions for single exports, as `decision_text` writes them.
        edited: changes by edits, which the plan does not contain.
        but_for: phrases that restrict the verdict "the same robot": shapes that a file lacks, and repairs.
        refused_by: the program of `--for`, if it does not load the result as it is.
    """

    files: Tuple[Tuple[str, bytes], ...] = ()
    lines: Texts = ()
    warnings: Notes = ()
    choices: Tuple[Tuple[str, Any], ...] = ()
    left: Notes = ()
    left_lines: Callable[[Any], Sequence[str]] = lambda style: ()
    finding_lines: Callable[[Any], Sequence[str]] = lambda style: ()
    changes: Texts = ()
    tables: Tuple[Tuple[str, Tuple[Texts, ...]], ...] = ()
    decided: Texts = ()
    edited: Optional[EditedRobot] = None
    but_for: Texts = ()
    refused_by: Texts = ()


class UrdfOfInput(Record):
    """A URDF made of an input in another format, with the steps and losses in phrases; or the input itself.

    `files`: meshes from inside the input that the result names. `mark_lines` gives the elements of its document the
    lines of the input. `but_for`: its repairs, as in `ExportedFiles`.
    """

    data: bytes
    changes: Texts = ()
    lost: Notes = ()
    files: Tuple[FinishedFile, ...] = ()
    mark_lines: Callable[[Document], None] = lambda _: None
    but_for: Texts = ()


class InputMeshFolder(Record):
    """The folder for the meshes of an input, the folder of the output that names them, and how to make a temporary one."""

    target: str
    output: str
    stage: Callable[[], str]


class Result(Record):
    """The result of a run: the plan, the robots read from both texts, the proof, and the bytes of both files.

    `companions` are the updated documents, `exported` is the addition of the package's options.
    """

    plan: Plan
    before: UrdfRobot
    after: UrdfRobot
    proof: EquivalenceProof
    source: bytes
    data: bytes
    companions: Tuple[CompanionResult, ...] = ()
    exported: ExportedFiles = ExportedFiles()

    def __repr__(self) -> str:
        counts = " -> ".join(str(len(robot.links)) for robot in (self.before, self.after))
        return f"<Result '{self.before.name}': {counts} links>"

    @property
    def changed(self) -> bool:
        """Return True if the resulting URDF differs from the input."""
        return self.source != self.data

    @property
    def text(self) -> str:
        """The text of the resulting URDF."""
        return self.after.document.text()

    @property
    def srdf(self) -> Optional[CompanionResult]:
        """The updated SRDF."""
        return next((followed for followed in self.companions if followed.name == "SRDF"), None)


class ExtensionRequest(Record):
    """The request of a run to its extension: option values, file names, and which files to write.

    Attributes:
        choices: the values of its options by name; {} if none is set.
        path: the name of the input; relative mesh names in `Result.before` are relative to its folder.
        output: the name of the resulting URDF; relative mesh names in `Result.after` are relative to its folder; ""
            for standard output.
        writes: whether the run writes all its files; False if it only shows, and writes only the files that
            `with_dry_run` names.
        spelled: how the caller spells an option, for messages.
        exports: whether further files are made; False if the run only shows the changes.
    """

    choices: Choices
    path: str
    output: str
    writes: bool = True
    spelled: Callable[[str], str] = as_flag
    exports: bool = True


# A function called now and then with the name of a mesh and its number of triangles.
Progress = Optional[Show]


class RunExtension(Record):
    """The features that the package adds to a run.

    Attributes:
        table: the options of all commands.
        outputs: the names of options whose value is a file that `export` makes.
        mesh_converter: takes the mesh options; returns how meshes are made.
        export: takes the run and the progress display; returns the further files, before anything is written.
        as_urdf: takes an input, its name, and the place for meshes inside it; returns a URDF of it, or the input if it
            is one.
        companions: the documents to update.
        shows: takes the run and whether colors are allowed; returns further displays by the answer that opens them.
        change: takes the run; returns it with further verified changes of its result; called before `export`.
        spelled: how the command line spells an option, by its name.
    """

    table: Rows
    outputs: Texts
    mesh_converter: Callable[[ExtensionRequest, MeshOptions], MeshConverter]
    export: Callable[[ExtensionRequest, Result, Progress], ExportedFiles]
    as_urdf: Callable[[bytes, str, Optional[InputMeshFolder]], UrdfOfInput] = lambda source, *_: (
        UrdfOfInput(source)
    )
    companions: Callable[[ExtensionRequest], Tuple[CompanionFile, ...]] = lambda _: ()
    shows: Callable[[ExtensionRequest, Result, str], Shows] = lambda *_: {}
    change: Callable[[ExtensionRequest, Result, MeshMakingSettings], Result] = (
        lambda asked, result, making: result
    )
    spelled: Callable[[str], str] = as_flag


# ==== urdf_tools/run/single_file_options.py ====
# The options that the single file has, each declared once: for the command line, the library, the help and the README.
#
# `Options` has the types and defaults of the options of a plan; a row adds the rest.

SIMPLIFY = "simplify"
MAKE = "simplify edit collision pairs export"  # the commands that make files of a robot
READ = f"{MAKE} compare lint view"  # the commands that read a robot
# Options about meshes that have an effect only while meshes are converted.
CONVERSIONS = ("mesh_format", "split", "for", "visual_error")
PLAN_DEFAULTS: Dict[str, Any] = {**Options()._asdict(), **MeshOptions()._asdict()}
FLAG: Mapping[str, Any] = {"kind": bool, "default": False}  # off by default
# Options of the command line alone: how the terminal output looks, and whether something is written.
TERMINAL = (
    "output",
    "yes",
    "dry_run",
    "check",
    "report",
    "quiet",
    "full",
    "color",
    "diff",
    "format",
)


DEFAULT_SNAP = f"{PLAN_DEFAULTS['snap']:.0e}".replace("e-0", "e-")  # as people write it: 1e-4


def known_axis_words() -> str:
    """Return the words that name an axis, such as `pitch, knee = Y, roll = X`."""
    words = grouped((AXIS_LETTERS[axis], word) for word, axis in AXIS_WORDS.items())
    return ", ".join(f"{', '.join(names)} = {letter}" for letter, names in words.items())


def read_axis_word(given: Union[str, Tuple[str, Union[str, int]]]) -> Tuple[str, int]:
    """Read a name class such as `toe=Y`, ("toe", "Y") or ("toe", 1).

    Raises:
        ValueError: it is not one word of letters and X, Y or Z.
    """
    word, letter = given.partition("=")[::2] if isinstance(given, str) else given
    axis = AXIS_LETTERS[letter].upper() if type(letter) is int and 0 <= letter < 3 else letter
    if (
        words_of(word) != (word.lower(),)
        or not isinstance(axis, str)
        or axis.upper() not in tuple(AXIS_LETTERS)
    ):
        raise ValueError
    return word.lower(), AXIS_LETTERS.index(axis.upper())


def read_package(given: "Union[str, Tuple[str, Union[str, os.PathLike[str]]]]") -> Pair:
    """Read the folder of a package, such as `my_robot=../my_robot` or ("my_robot", "../my_robot").

    Raises:
        ValueError: it is not a name and a folder that exists.
    """
    name, folder = given.partition("=")[::2] if isinstance(given, str) else given
    folder = os.fspath(folder)
    if not name or not isinstance(name, str) or not os.path.isdir(folder):
        raise ValueError
    return name, folder


def read_unit(given: object) -> object:
    """Return a unit of length in American spelling, whichever spelling it has; return other types unchanged."""
    if not isinstance(given, str):
        return given
    return {"metre": "meter", "millimetre": "millimeter"}.get(given, given)


def plan_row(name: str, verbs: str, words: str, metavar: str = "", **more: Any) -> OptionRow:
    """Return the row of a field of `Options` or `MeshOptions`, with the type and default of the field."""
    default = PLAN_DEFAULTS[name]
    repeatable = isinstance(default, tuple)
    usual = str if repeatable or default is None else type(default)
    kind = more.pop("kind", usual)
    return OptionRow(
        name, verbs, words, metavar, kind=kind, default=default, repeatable=repeatable, **more
    )


def flag(name: str, verbs: str, words: str, **more: Any) -> OptionRow:
    """Return the row of a flag that is off by default."""
    return OptionRow(name, verbs, words, **FLAG, **more)


def _of_mesh(name: str, words: str, metavar: str = "", **more: Any) -> OptionRow:
    """Return the row of a field of `MeshOptions` about the conversion of meshes."""
    return plan_row(name, "simplify export", words, metavar, needs=CONVERSIONS, **more)


# Which files a command writes, and whether it asks before.
WRITING: Rows = (
    OptionRow(
        "output",
        f"{SIMPLIFY} edit collision pairs lint view",
        "where to write (default: {output})",
        "FILE",
        short="-o",
        is_output=True,
        top="simplify edit collision pairs lint view",
        more="- is standard output, where file names are as seen from the folder of the input; the report then goes to "
        "standard error.",
    ),
    flag("yes", f"{MAKE} lint", "write without asking", short="-y", top="simplify"),
    flag(
        "dry_run",
        f"{MAKE} lint",
        "show what would be done, write nothing",
        short="-n",
        top="simplify edit",
        more="A --report and a --page are written all the same.",
    ),
    flag(
        "check",
        "simplify pairs",
        "write nothing; exit 1 if the file would change",
        top="simplify pairs",
        excludes=("output", "diff", "adapter"),
        more="Takes several files; in the "
        "package folders, too. Of pairs: judge the pairs of the SRDF; exit 1 if one is wrong.",
    ),
    OptionRow(
        "report",
        f"{MAKE} compare lint",
        "write what was done or found as JSON",
        "FILE",
        is_output=True,
        top="simplify",
    ),
    flag(
        "force",
        f"{MAKE} compare lint view",
        "replace the input, and files of others",
        more="Without it, an output may not be the input itself, and a mesh replaces no file that this tool did not "
        "write. Another output replaces any file, which is announced.",
    ),
)
# The output of the terminal, and how files are read.
READING: Rows = (
    flag("quiet", READ, "print warnings and errors only", short="-q"),
    flag("full", READ, "show everything: every joint, warning and note"),
    OptionRow(
        "color",
        f"{READ} explain",
        "auto, always or never",
        "WHEN",
        default="auto",
        choices=("auto", "always", "never"),
        more="auto: on a terminal, unless NO_COLOR is set.",
    ),
    plan_row(
        "package",
        READ,
        "the folder of package://NAME/",
        "NAME=DIR",
        kind=tuple,
        read=read_package,
        top="simplify",
        advice="give a name and a folder that exists, such as my_robot=../my_robot",
        python_type="PackageFolders",
        more="Also of $(find NAME) in xacro; repeatable. Else package.xml upward from the "
        "file, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, and a folder NAME beside it are tried.",
    ),
    OptionRow(
        "xacro_args",
        READ,
        "an argument for xacro; repeatable",
        "NAME:=VALUE",
        default=(),
        repeatable=True,
        flag="--xacro-arg",
    ),
    plan_row(
        "lenient",
        MAKE,
        "read broken files as common parsers do, with a warning",
        more="The first of several <inertial>, the first three of more numbers in rpy, an infinite limit as none, "
        "a missing <mass> as zero; of joints that share a name all but the first that moves are renamed; a joint "
        "that closes a loop is cut.",
    ),
)
# Which links, frames and meshes are kept.
KEEPING: Rows = (
    plan_row("keep", SIMPLIFY, "do not merge these links; repeatable", "GLOB", top="simplify"),
    plan_row("keep_frames", SIMPLIFY, "do not merge empty links such as tool0", top="simplify"),
    plan_row(
        "keep_all_frames",
        SIMPLIFY,
        "leave an empty link for every merged one, so that its TF name survives",
    ),
    plan_row(
        "keep_signs",
        SIMPLIFY,
        "flip no joint",
        top="simplify",
        more="An axis that points the other way is written as 0 -1 0.",
    ),
    plan_row("keep_mesh", SIMPLIFY, "do not strip these meshes; repeatable", "GLOB"),
)
# Which stages run: merging, stripping, turning.
MERGING: Rows = (
    plan_row(
        "merge",
        SIMPLIFY,
        "merge no links",
        flag="--no-merge",
        excludes=("merge_all", "keep_all_frames", "count_once"),
    ),
    plan_row(
        "strip_hardware", SIMPLIFY, "strip no motor parts", flag="--no-strip", excludes=("strip",)
    ),
    plan_row(
        "reorient", SIMPLIFY, "keep all frames and axes", flag="--no-reorient", excludes=("axis",)
    ),
    plan_row("merge_all", SIMPLIFY, "merge also what a sensor, a plugin or a loop needs"),
    plan_row("count_once", SIMPLIFY, "count the mass of a part exported twice once"),
    plan_row(
        "strip",
        SIMPLIFY,
        f"strip these meshes, too; repeatable (built in: {', '.join(HARDWARE)})",
        "GLOB",
    ),
)
# How frames are turned.
FACING: Rows = (
    plan_row(
        "base_frame",
        SIMPLIFY,
        "which way the input faces: auto, ros, onshape, or words",
        "FRAME",
        top="simplify",
        advice="give auto, onshape, ros, or words such as x=left,y=back,z=up",
        more="auto (default): by an earlier run's comment, left/right pairs, or two that agree of names of joints, "
        "wheels, feet, cameras, the reach of an arm and a comment of Onshape, else ros. onshape is "
        "x=right,y=forward,z=up; ros is x=forward,y=left,z=up; or three such words.",
    ),
    plan_row(
        "axis",
        SIMPLIFY,
        "joints with WORD in their name turn about it; repeatable",
        "WORD=X|Y|Z",
        kind=tuple,
        read=read_axis_word,
        advice="give one word of letters and an axis, such as toe=Y",
        python_type="AxisWords",
        more=f"Built in: {known_axis_words()}.",
    ),
    plan_row(
        "snap",
        SIMPLIFY,
        f"round smaller angles to 0 (default {DEFAULT_SNAP}; 0 is exact)",
        "RAD",
        valid=lambda value: 0.0 <= value <= 0.1,
        advice=f"give an angle from 0 to 0.1 rad (the default is {DEFAULT_SNAP})",
    ),
)
# Which mesh files are written, and where.
MESHES: Rows = (
    OptionRow(
        "split",
        "simplify export",
        "one mesh file and visual for each color, or material",
        "color|material",
        choices=("color", "material"),
        top="simplify export",
        more="COLLADA becomes STL; with --mesh-format all meshes are split, in that format. Collisions become one "
        "file each, and an image that is lost by this is named.",
    ),
    OptionRow(
        "mesh_format",
        "simplify export",
        "convert meshes: stl, obj, gltf or glb",
        "FORMAT",
        choices=("stl", "obj", "gltf", "glb"),
        top="export",
        more="Those of another format only, one file each. STL has no colors and no images.",
    ),
    plan_row(
        "mesh_dir",
        "simplify export",
        "copy or write the meshes there (default: <output>_meshes)",
        "DIR",
        top="export",
        more="The output of an export is its .urdf target, else its first one.",
    ),
    OptionRow(
        "mesh_paths",
        "simplify export",
        "relative, or package://NAME/meshes: what mesh names begin with",
        "PREFIX",
        top="export",
        more="Every mesh that is found is renamed so.",
    ),
)
# How these files are made.
CONVERTING: Rows = (
    plan_row(
        "append_mesh_type",
        "simplify export",
        "end the names of mesh files with _visual or _collision",
        needs=("mesh_dir", *CONVERSIONS),
    ),
    plan_row(
        "require_meshes",
        "simplify export",
        "a mesh that cannot be found or read is an error, not a warning",
        needs=CONVERSIONS,
    ),
    _of_mesh(
        "scale",
        "meters per unit of COLLADA files, instead of what they say",
        "M",
        kind=float,
        valid=lambda value: 0.0 < value < float("inf"),
        advice="give a positive number, the meters per unit",
    ),
    _of_mesh(
        "missing_unit",
        "unit of COLLADA files without one: meter (default) or millimeter",
        "UNIT",
        choices=tuple(MISSING_UNITS),
        read=read_unit,
    ),
    _of_mesh(
        "up_axis",
        "turn this axis of meshes to +Z: x, y or z (default: turn nothing)",
        "AXIS",
        choices=("x", "y", "z"),
        more="RViz and Gazebo turn nothing either.",
    ),
)
# In the order of the help.
OPTION_ROWS = (*WRITING, *READING, *KEEPING, *MERGING, *FACING, *MESHES, *CONVERTING)


def options_from(values: Choices, spelled: str = "base_frame") -> Options:
    """Return the choices of a run from the values of options by name, as `values_of` returns them.

    Args:
        values: names that are not fields are ignored, and missing fields have their defaults. Unless the `verb` is
            `simplify`, nothing is merged, stripped or turned.
        spelled: how the caller spells the option of the base frame, for messages.

    Raises:
        UsageError: the words of the base frame do not form a frame.
    """
    split, form, paths = (values.get(name) or "" for name in ("split", "mesh_format", "mesh_paths"))
    for_mujoco = values.get("for") == "mujoco"
    # Only a run with a mesh folder writes a prefix into names; `relative` and `keep` compute or keep the names instead.
    has_prefix = values.get("mesh_dir") and paths not in ("relative", "keep")
    mesh_prefix = paths if has_prefix else ""
    # MuJoCo refuses a mesh that lies in one plane.
    planar = "merge" if for_mujoco else "keep"
    given = {name: value for name, value in values.items() if name in PLAN_DEFAULTS}
    meshes = MeshOptions(
        **{name: given.pop(name) for name in MeshOptions._fields if name in given}
    )._replace(
        separate_dae_meshes=bool(split),
        combine_dae_meshes=form == "stl" and not split,
        merge_equal_colors=split != "material",
        planar=planar,
        mesh_prefix=mesh_prefix,
    )
    if values.get("verb", SIMPLIFY) != SIMPLIFY:
        given.update(merge=False, strip_hardware=False, reorient=False)
    options = Options(**{**given, "meshes": meshes})
    if options.base_frame != "auto":
        read_base_frame(options.base_frame, spelled)
    return options


# ==== urdf_tools/run/run_pipeline.py ====
# One run: read, plan, apply in memory, prove, and, in a library call, write.

# For the single file, and for a program that imports one folder of the package only.
NO_EXTENSION = RunExtension(
    OPTION_ROWS, (), lambda _, meshes: MeshConverter(meshes), lambda *_: ExportedFiles()
)
IN_PACKAGE = "the package has more: from urdf_tools import simplify (pip install . in a clone, or its folder beside)"
WITHOUT_MESH_DIR = ("edit", "collision", "pairs")


def simplify_bytes(
    source: bytes,
    path: str,
    options: Options,
    output: str = "",
    staging_dir: str = "",
    *,
    progress: Progress = None,
    companions: Sequence[CompanionFile] = (),
    converter: Optional[MeshConverter] = None,
    mark_lines: Callable[[Document], None] = lambda _: None,
) -> Result:
    """Simplify a URDF in memory, and verify the result; only meshes are written, to the folder `staging_dir`.

    Args:
        source: the bytes of the input.
        path: its name, for messages; relative mesh names are resolved from its folder.
        options: the choices.
        output: the file the result is for, or "" for a file in the folder of the input.
        staging_dir: a temporary folder for meshes; "" keeps all meshes as they are.
        progress: called now and then with the name of a mesh and its number of triangles so far.
        companions: the documents to update.
        converter: how meshes are made; None: COLLADA to STL.
        mark_lines: see `UrdfOfInput`.

    Raises:
        UrdfError: the input or an option cannot be used.
        ProofFailed: the result is not the same robot; a fault of this tool.
    """
    known: Dict[str, Tag] = {}  # most tags of the result are tags of the input
    document = parse_document(source, path, known)
    mark_lines(document)
    folder = os.path.dirname(path)
    output_folder = os.path.dirname(output) if output else folder
    converter = converter or MeshConverter(options.meshes)
    before = read_robot(document, lenient=options.lenient)

    needs = {}
    for companion in companions:
        needs.update(companion.needs(before))
    plan = make_plan(before, options, needs, converter.form)
    context = None
    if staging_dir:
        context = mesh_context(
            plan, path, output, MeshMakingSettings(staging_dir, converter, progress)
        )
    plan = make_meshes(plan, folder, output_folder, context)

    # The reader moves a late XML declaration to the front; the text after that is the unedited text.
    unedited = document.to_bytes() if document.late_declaration else source
    data = apply_plan(plan, unedited)
    # The proof compares with `before`, which is the input only if no reading pass edited its document.
    if document.to_bytes() != unedited:
        raise ProofFailed("a pass edited the input", path)

    # The proof reads the text that will be written, not the plan.
    written = parse_document(data, path, known)
    known.clear()
    folders = _folders_of_meshes(plan, folder, output_folder)
    comparison = compare_at_zero(as_repaired(plan), plan, written, folders)
    comparison.copies.update(converter.copies_of(plan, comparison.require))
    proof = verify_robot(comparison)
    after = read_robot(written, largest=LARGEST**4)  # merged inertias may grow
    followed = tuple(companion.follow(plan, comparison) for companion in companions)
    return Result(
        plan=plan,
        before=before,
        after=after,
        proof=proof,
        source=source,
        data=data,
        companions=followed,
    )


def _folders_of_meshes(plan: Plan, source: str, target: str) -> ProofFolders:
    """Return the mesh folders of input and result for the proof: in one folder, equal names mean equal files."""
    source_folder = os.path.realpath(source or ".")
    target_folder = os.path.realpath(target or ".")
    by_text = source_folder == target_folder and not plan.meshes.names
    return ProofFolders(source_folder, target_folder, by_text)


def prepare(
    asked: ExtensionRequest,
    options: Options,
    read: Callable[[], bytes],
    extension: RunExtension,
    transaction: Transaction,
    *,
    outputs: Sequence[Destination] = (),
    companions: Sequence[CompanionFile] = (),
    progress: Callable[[], ContextManager[Progress]] = nullcontext,
    to_stream: bool = False,
) -> Result:
    """Return the result of a run, verified and with its exports; only meshes are written, to a temporary folder.

    Args:
        asked: the request of the run to the extension, with the names of input and output.
        options: the choices.
        read: returns the bytes of the input.
        extension: what the package adds.
        transaction: has the temporary folder.
        outputs: the files that the run writes, without the files of the extension.
        companions: the documents to update.
        progress: makes the display of the progress.
        to_stream: the URDF goes to standard output, so no meshes can be written beside it.

    Raises:
        UrdfError: the input or an option cannot be used.
        ProofFailed: see `simplify_bytes`.
    """
    force = bool(asked.choices.get("force"))
    has_several_robots = len(asked.choices.get("files") or ()) > 1
    outputs = [*outputs, *_further_outputs(asked, extension, companions)]
    inputs = [asked.path, *(companion.destination.own_input for companion in companions)]
    # Refusals by name come before the input is read.
    if outputs and asked.output:
        check_names_urdf(asked.choices["verb"], asked.spelled("output"), asked.output)
    check_destinations(inputs, outputs, force=force)
    check_folder(options.meshes.mesh_dir)

    converter = extension.mesh_converter(asked, options.meshes)
    folder = converter.folder = mesh_folder(asked.path, options, asked.output, asked.choices)
    # Meshes that are kept are made in their target folder, so that they are renamed and not copied.
    keeps = asked.writes and (outputs or to_stream)
    staging_target = folder if keeps else ""
    # Made at most once, and only if it is needed.
    stage = lru_cache(maxsize=1)(lambda: transaction.staging_folder(staging_target))
    place = InputMeshFolder(folder, os.path.dirname(asked.output or asked.path), stage)
    made = extension.as_urdf(read(), asked.path, place)
    if to_stream and not options.meshes.mesh_dir:
        _refuse_meshes(asked, made, converter)
    staging_dir = stage() if converter.needs_place else ""
    converter.inside = made.files
    converter.staged = {file.target: file.source for file in made.files}
    try:
        with progress() as show:
            result = simplify_bytes(
                made.data,
                asked.path,
                options,
                asked.output,
                staging_dir,
                progress=show,
                companions=companions,
                converter=converter,
                mark_lines=made.mark_lines,
            )
            # Not earlier, as only the plan knows which patterns named something.
            _refuse_unused(result, several=has_several_robots)
            result = extension.change(
                asked, result, MeshMakingSettings(staging_dir, converter, show)
            )
            result = _with_lost_packages(asked, result)
            check_mesh_files(result.plan.meshes.files, force=force)
            exported = extension.export(asked, result, show)
    except ProofFailed:
        # Numbers out of all proportion make the proof fail. Then the input is at fault, and the error names its line.
        document = parse_document(made.data, asked.path)
        made.mark_lines(document)
        refuse_extremes(document)
        raise
    return result._replace(exported=_with_reading(exported, made, result.plan))


def _with_reading(exported: ExportedFiles, made: UrdfOfInput, plan: Plan) -> ExportedFiles:
    """Return what a run exported, with the losses and changes of reading the input and of the plan."""
    # An edit has its own verdict.
    lost_by_plan = () if exported.edited else losses_in_words(decisions_of(plan))
    return exported._replace(
        warnings=(*made.lost, *exported.warnings),
        changes=(*made.changes, *exported.changes),
        but_for=(*made.but_for, *lost_by_plan, *exported.but_for, *plan.meshes.but_for),
    )


def _further_outputs(
    asked: ExtensionRequest, extension: RunExtension, companions: Sequence[CompanionFile]
) -> List[Destination]:
    """Return the files of companions and of the options of the package.

    A run that only shows skips files whose names were not given but follow from the name of the output.
    """
    files = [file for file, is_named, *_ in companions if file.path and (asked.writes or is_named)]
    for name in extension.outputs:
        if asked.choices[name]:
            files.append(Destination(asked.spelled(name), asked.choices[name], ""))
    return files


def _refuse_meshes(asked: ExtensionRequest, made: UrdfOfInput, converter: MeshConverter) -> None:
    """Refuse a run that would make meshes while the URDF goes to standard output: meshes lie beside the URDF.

    Raises:
        UsageError: meshes would be made.
    """
    form = converter.form
    if made.files or form.endings or form.within or converter.adds_files:
        has_no_folder = asked.choices["verb"] in WITHOUT_MESH_DIR
        cure = "give --output a file" if has_no_folder else "with --output - give --mesh-dir"
        raise UsageError(f"{cure}: the meshes need a place", asked.path)


def _with_lost_packages(asked: ExtensionRequest, result: Result) -> Result:
    """Return a result with warnings about packages that are found from the input's folder but not from the output's."""
    source_folder = os.path.dirname(os.path.abspath(asked.path))
    target_folder = os.path.dirname(os.path.abspath(asked.output or asked.path))
    plan = result.plan
    packages = plan.options.meshes.package
    before = resolver_for(result.before.document.root, source_folder, packages)
    after = resolver_for(result.after.document.root, target_folder, packages)
    lost = lost_packages(result.after.document.root, before, after)
    return result._replace(plan=plan._replace(warnings=(*plan.warnings, *lost)))


def _refuse_unused(result: Result, *, several: bool) -> None:
    """Refuse a pattern that matches no name in the robot.

    With several robots, or a robot that is a result of this tool, the pattern may be for a different robot.

    Raises:
        UsageError: names the first unused pattern, and a similar name.
    """
    robot = result.before
    unused = [warning for warning in result.plan.warnings if warning.kind is UNUSED_OPTION]
    if several or not unused or own_notes(robot.document, OWN_NOTE):
        return
    # By the sentence of the warning: the names that its option matches.
    named_by = {
        "keep": list(robot.links),
        "glob": [mesh_stem(shape.mesh) for _, shape in robot.shapes if shape.mesh],
        "axis": [*chain.from_iterable(words_of(joint.name) for joint in robot.joints)],
    }
    for warning in unused:
        # Such as `--strip nut*` or `toe=Y`.
        names = named_by[warning.sentence]
        pattern = warning.names[0].split(" ")[-1].split("=")[0]
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UsageError(f"{warning.text}{glob_meant(pattern, names)}", robot.document.path)


def write_result(
    result: Result,
    files: Sequence[Tuple[str, bytes]],
    transaction: Transaction,
    *,
    force: bool,
    meanwhile: Optional[Callable[[], None]] = None,
) -> None:
    """Write files, given as name and bytes, and the meshes; if one file cannot be written, no file appears.

    `meanwhile` is called when all files are staged and none has appeared.

    Raises:
        UsageError: a file cannot be written, or must not be replaced.
    """
    check_mesh_files(result.plan.meshes.files, force=force)  # again: the user took time to answer
    for mesh in result.plan.meshes.files:
        transaction.add_file(mesh.target, mesh.source)
    for path, data in files:
        transaction.add(path, data)
    if meanwhile is not None:
        meanwhile()
    transaction.commit()


def simplify(
    urdf: "Union[str, os.PathLike[str]]",
    output: "Union[str, os.PathLike[str], None]" = None,
    **choices: Any,
) -> Result:
    """Simplify and reorient a URDF file without asking or printing.

    Args:
        urdf: the path of the input; a name that ends with `.xacro` is expanded by the `xacro` command.
        output: the path to write to, or None to write nothing.
        choices: the options of the command line by name, with `_` for `-`: `keep=["imu_*"]`, `split="color"`,
            `for_="drake"` (`for` is a word of Python); lists serve as tuples, dictionaries as pairs, such as
            `axis={"toe": "Y"}`. `force` allows the output to be the input itself, and meshes to replace files that
            this tool did not write. In the package also `srdf`, `page` and `adapter` with the name of a file.

    Returns:
        The plan, the proof and the resulting text.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.
    """
    _refuse_what_is_lacking(choices)
    return run_call(SIMPLIFY, urdf, output, choices, NO_EXTENSION)


def _refuse_what_is_lacking(choices: Choices) -> None:
    """Refuse choices that only the package supports; the command line of the single file runs the package instead.

    Raises:
        UsageError: names the first such choice.
    """
    converts = choices.get("mesh_format") or choices.get("split")
    for name, lacks in (
        ("mesh_format", choices.get("mesh_format") not in (None, "stl")),
        ("mesh_dir", choices.get("mesh_dir") and not converts),
        ("mesh_paths", choices.get("mesh_paths") and not choices.get("mesh_dir")),
    ):
        if lacks:
            raise UsageError(f"{name} {choices[name]}: {IN_PACKAGE}")


def _spelled_in_calls(keywords: Mapping[str, str], name: str) -> str:
    """Return how a call spells an option; a function at module level, as converters that hold it go to other processes."""
    return keywords.get(name) or as_keyword(name)


def run_call(
    verb: str,
    source: "Union[str, os.PathLike[str]]",
    output: "Union[str, os.PathLike[str], None]",
    choices: Choices,
    extension: RunExtension,
    more: Mapping[str, Any] = {},
) -> Result:
    """Run a command for a library call, without asking or printing.

    Args:
        verb: the command.
        source: the path of the robot.
        output: the path to write to, or None.
        choices: its options by their keywords.
        extension: what the package adds.
        more: values of options that no keyword sets, by name.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.
    """
    # Every choice is checked before the input is read.
    values = {**_values_of_call(verb, choices, extension), **more, "verb": verb}
    path = read_path("urdf", source)
    target = read_path("output", output)
    # Options without a command are set by functions: messages name the keywords of these functions.
    of_calls = {
        row.name: row.flag.replace("--", "").replace("TARGET", "target")
        for row in extension.table
        if not row.verbs
    }
    asked = ExtensionRequest(values, path, target, spelled=partial(_spelled_in_calls, of_calls))
    companions = extension.companions(asked)
    options = options_from(values)
    outputs = [Destination("output", target, path)] if target else []
    read = partial(read_expanded, path, values["xacro_args"], options.meshes.package)
    with Transaction() as transaction:
        result = prepare(
            asked, options, read, extension, transaction, outputs=outputs, companions=companions
        )
        files = []
        if target:
            files.append((target, result.data))
        for followed in result.companions:
            if followed.output:
                files.append((followed.output, followed.data))
        files += result.exported.files
        if files:
            write_result(result, files, transaction, force=values["force"])
        return result


def _values_of_call(verb: str, choices: Choices, extension: RunExtension) -> Dict[str, Any]:
    """Return the values of all options by name: the choices of a call, checked, and the defaults of the others.

    Raises:
        UsageError: a value cannot be used.
        TypeError: a choice that does not exist.
    """
    rows = [row for row in rows_of(verb, extension.table) if row.name not in TERMINAL]
    by_keyword = {as_keyword(row.name): row for row in rows}
    for name in choices:
        if name not in by_keyword:
            known = ", ".join(by_keyword)
            if extension is NO_EXTENSION:
                known += f"; {IN_PACKAGE}"
            meant = did_you_mean(name, tuple(by_keyword))
            raise TypeError(f"unknown option '{name}'{meant}; there are {known}")
    given = {by_keyword[name].name: value for name, value in choices.items()}
    defaults = {row.name: row.default for row in extension.table}
    return {**defaults, **values_of(rows, given, lambda row: as_keyword(row.name))}


# ==== urdf_tools/run/split_collada.py ====
# Split a COLLADA model without a robot into binary STL files: all of them appear, or none.


def extract_conversion(
    dae_file: str,
    output_dir: str,
    converter: MeshConverter,
    *,
    separate: bool = True,
    force: bool = False,
    progress: Optional[MeshProgress] = None,
    stem: str = "",
) -> DaeConversionResult:
    """Write one binary STL per color of a `.dae` file, in meters; return a record of each, and notes on the file.

    Either all files appear in `output_dir`, which is made if need be, or none. `separate` False writes one STL for
    everything. `force` replaces existing files that this tool did not write, or made from another model. The names of
    the files begin with `stem`, "" for the name of the model. `progress` is called now and then with the number of
    triangles so far.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used, or draws nothing.
        UsageError: a file cannot be written or must not be replaced.
        ProofFailed: the written parts differ from the model.
    """
    stem = stem or safe_stem(os.path.splitext(os.path.basename(dae_file))[0], "model")
    shared = output_dir != default_folder(dae_file)
    with Transaction() as transaction:
        job = MeshJob(dae_file, separate, kind="", suffix="")
        made = outcome_of(
            converter, transaction.staging_folder(output_dir), (job, "part"), progress
        )
        if isinstance(made, UrdfError):
            raise made
        files, _ = converter.finish(
            [
                FinishedFile(
                    source=part.file,
                    target=path_in(output_dir, name + os.path.splitext(part.file)[1]),
                    part=part,
                    origin=dae_file,
                    shared=shared,
                )
                for name, part in zip(part_stems(made.parts, stem, set()), made.parts)
            ],
            (),
        )
        check_mesh_files(files, force=force, option="folder")
        for file in files:
            transaction.add_file(file.target, file.source)
        transaction.commit()
    return made._replace(
        parts=tuple(file.part._replace(file=file.target) for file in files if file.part)
    )


def default_folder(dae_file: str) -> str:
    """Return the folder for the parts of a model when none is named: `<model>_meshes` next to it."""
    return f"{os.path.splitext(dae_file)[0]}_meshes"


# ==== urdf_tools/report/line_layout.py ====
# Lay out lines: the style of a stream, columns, folded sentences, cut lists.

# Columns of all output: 80 fits into every window and log.
LINE_WIDTH = ContextVar("LINE_WIDTH", default=80)
LINES_SHOWN = 9  # a list is cut after these unless --full is given
TABLE_LINES = 32  # the table of joints
NARROW = 40  # the widest column
# Texts that `fold` keeps on one line: brackets, names, tags, options with a value, numbers.
TOGETHER = re.compile(
    r"\[[^]]*\]|\B'[^']*'|<[^>]*>|--[\w-]+ [^-\s]\S*|\S+ \([\d.]+\)|-?\d[\d.e+-]*(?: -?\d[\d.e+-]*)+"
)


class TextStyle(Record):
    """The style of a plan: box characters or ASCII, colors or none, full or short."""

    boxes: bool
    color: bool
    full: bool = False

    @property
    def check_mark(self) -> str:
        """The mark in front of the verdict: a check mark at a terminal, a word in files."""
        return "\u2713" if self.color and self.boxes else "OK"

    def title(self, text: str) -> str:
        """Return a headline, or the question: bold."""
        return self.paint("1", text)

    def alert(self, text: str) -> str:
        """Return a warning, or a task that needs attention: yellow."""
        return self.paint("33", text)

    def bad(self, text: str) -> str:
        """Return an error: red."""
        return self.paint("31", text)

    def good(self, text: str) -> str:
        """Return the verdict, or that all is done: green."""
        return self.paint("32", text)

    def paint(self, code: str, text: str) -> str:
        """Return a text with an SGR code around it, if colors are shown."""
        return f"\033[{code}m{text}\033[0m" if self.color and text else text


class ReportSection(Record):
    """A headline, and the lines below it; the short plan shows `most` of them."""

    title: str
    lines: Lines
    most: int = LINES_SHOWN


def lay_out(sections: Iterable[ReportSection], style: TextStyle) -> Lines:
    """Return the sections that have lines, each after an empty line; a long list is cut, with a note."""
    lines: Lines = []
    for title, body, most in sections:
        if body:
            lines += [
                "",
                *map(style.title, fold(title, "  ", "")),
                *cut(body, style, most),
            ]
    return lines


def cut(lines: Lines, style: TextStyle, most: int = LINES_SHOWN) -> Lines:
    """Return the lines of a list that fit, with a line that counts the others."""
    if len(lines) <= most or style.full:
        return lines
    return [*lines[: most - 1], f"  and {count_of(len(lines) - most + 1, 'more line')} (--full)"]


def columns(rows: Sequence[Texts]) -> Lines:
    """Align cells in columns; a last cell that is too long is continued below its beginning, or on separate lines."""
    lines: Lines = []
    width_of_line = LINE_WIDTH.get()
    widths = [min(NARROW, max(map(len, column))) for column in zip(*rows)]
    for *cells, last in rows:
        lead = "  " + "".join(cell.ljust(width) + "  " for cell, width in zip(cells, widths))
        if len(lead) + len(last) <= width_of_line:
            lines.append((lead + last).rstrip())
        # Continue it below its beginning if its longest word fits there.
        elif len(lead) <= width_of_line // 2 and max(map(len, last.split())) <= width_of_line - len(
            lead
        ):
            lines += fold(last, " " * len(lead), lead)
        else:
            first = (
                [lead.rstrip()] if len(lead.rstrip()) <= width_of_line else fold("  ".join(cells))
            )
            lines += [*first, *fold(last, "      ", "      ")]
    return lines


def fold(text: str, indent: str = "    ", first: str = "  ") -> Lines:
    """Break a sentence into lines; names, vectors and tags are not broken."""
    width = LINE_WIDTH.get() - len(indent)

    # A zero byte stands for a blank that must not break.
    def bound(match: "re.Match[str]") -> str:
        """Return words that stay together, unless they are longer than a line."""
        words = match.group()
        # A zero byte stands for a blank that must not break.
        return words.replace(" ", "\0") if len(words) <= width else words

    kept = TOGETHER.sub(bound, text)
    return [
        line.replace("\0", " ")
        for line in wrap(
            kept,
            LINE_WIDTH.get(),
            initial_indent=first,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def mass_text(mass: float) -> str:
    """Return a mass in kilograms with three decimals, or with two digits if it is smaller."""
    return f"{mass:.3f}" if mass >= 0.0005 or mass == 0.0 else f"{mass:.2g}"


def lines_text(lines: Sequence[int], most: int = 12) -> str:
    """Return `line 3` or `lines 3, 5, 8 and 4 more`."""
    places = [*map(str, dict.fromkeys(lines))]
    plural = "" if len(places) == 1 else "s"
    return f"line{plural} {shown_names(places, most)}"


# ==== urdf_tools/report/change_sections.py ====
# The sections of the plan about changes: links, joints, meshes, other elements.

FRAMES_NAMED = 8  # frames that vanish and are named; the others are counted
ALIKE = 4  # this many notes or reasons with the same text become one
ROWS_EACH = 30  # with more joints, joints with neither an angle nor a flip share rows


def signs_section(plan: Plan) -> ReportSection:
    """Return the joints that keep their signs because of a note."""
    names = [joint.name for joint in plan.robot.joints if joint.child in plan.signs_kept]
    is_asked = plan.options.keep_signs or not plan.options.reorient
    lines = [] if is_asked else fold(", ".join(names))
    return ReportSection("Signs kept, as the note of an earlier run says", lines)


def lost_frames(plan: Plan, style: TextStyle) -> Lines:
    """Return the frames that vanish from TF, and the option that keeps them."""
    names = plan.lost_frames
    if not names:
        return []
    shown = len(names) if style.full else FRAMES_NAMED
    listed = shown_names(names, shown)
    verb, what = ("vanishes", "it") if len(names) == 1 else ("vanish", "them")
    count = count_of(len(names), "frame")
    return fold(f"{count} {verb} from TF: {listed} (--keep-frames keeps {what})")


def _listed_joints(result: Result, style: TextStyle) -> List[UrdfJoint]:
    """Return the joints of the result that its table shows."""
    options = result.plan.options
    joints = [joint for joint in result.after.joints if joint.type != "fixed" or style.full]
    if options.reorient or options.merge or style.full:
        return joints
    # A run that turns nothing by itself shows the joints that a command turned.
    old_names = result.exported.edited.old_joints if result.exported.edited else {}
    before = {(joint.name, joint.axis, joint.rpy) for joint in result.before.joints}
    turned = []
    for joint in joints:
        old_name = old_names.get(joint.name, joint.name)
        if (old_name, joint.axis, joint.rpy) not in before:
            turned.append(joint)
    return turned


def joint_section(result: Result, style: TextStyle) -> ReportSection:
    """Return the table of the joints of the result that move: axis and rpy of each, and which flip.

    With more than ROWS_EACH joints, joints with neither an angle nor a flip share a row for each axis. Every axis is
    given in the frame of the child, X forward, Y left, Z up when the robot is at zero.
    """
    plan = result.plan
    # Only joints with a standard axis have a sign that could flip.
    signs = {
        child: planned.map.sign
        for child, planned in plan.joints.items()
        if planned.frame.axis is not None
    }
    flipped = {child for child, sign in signs.items() if sign < 0}
    head = "Result joint origins:"
    if flipped:
        head += f"     {len(flipped)} of {len(signs)} flip (-q, limits swap); --keep-signs: none"
    rows = _listed_joints(result, style)
    together = []
    if len(rows) > ROWS_EACH and not style.full:
        together = [joint for joint in rows if not any(joint.rpy) and joint.child not in flipped]
    by_text = grouped((_origin_text(joint), joint.name) for joint in together)
    shared = [(_names_of(names), text, "") for text, names in by_text.items()]
    own_rows = []
    for joint in rows:
        if joint not in together:
            mark = "-q" if joint.child in flipped else ""
            own_rows.append((joint.name, _origin_text(joint), mark))
    lines = _table([*own_rows, *shared])
    for number, line in enumerate(lines):
        if line.endswith(" -q"):
            lines[number] = style.alert(line)
    return ReportSection(head, lines, TABLE_LINES)


def _names_of(names: Sequence[str]) -> str:
    """Return the first name, and how many others there are."""
    if len(names) == 1:
        return names[0]
    return f"{names[0]} and {count_of(len(names) - 1, 'other')}"


def _origin_text(joint: UrdfJoint) -> str:
    """Return axis and rpy of a joint, or its type if it has no axis."""
    axis = joint.type if joint.type in ("fixed", "floating") else f"axis=[{short(joint.axis)}]"
    return f"{axis} rpy=[{short(joint.rpy)}]"


def _table(rows: Sequence[Texts]) -> Lines:
    """Return the rows as aligned columns; a row that is too wide takes two lines, so that the others stay narrow."""
    named = max((len(name) for name, _, _ in rows if len(name) <= LONGEST), default=0)
    free = LINE_WIDTH.get() - named - 6  # for axis and rpy, between blanks and in front of a mark
    wide = max((len(text) for _, text, _ in rows if len(text) <= free), default=0)
    lines: Lines = []
    for name, text, mark in rows:
        line = f"  {name.ljust(named)} {text.ljust(wide)} {mark}".rstrip()
        if len(line) <= LINE_WIDTH.get():
            lines.append(line)
        else:
            lines += [f"  {name}", f"      {text} {mark}".rstrip()]
    return lines


LONGEST = 36  # columns of a name


def mesh_sections(plan: Plan) -> List[ReportSection]:
    """Return the sections on meshes that are stripped or dropped, and on those that are converted."""
    kinds = Counter(strip.shape.kind for strip in plan.strips)
    by_kind = [count_of(kinds[kind], kind) for kind in ("visual", "collision") if kinds[kind]]
    counts = ", ".join(by_kind)
    reasons = Counter(strip.reason for strip in plan.strips)
    words = ", ".join(f"{word} {times}" for word, times in reasons.most_common())
    twice = f"{count_of(len(plan.copies), 'duplicate shape')} dropped" if plan.copies else ""
    lines = fold("; ".join(filter(None, (words, twice))))
    for miss in plan.near_misses:
        lines += fold(f"kept: {miss.stem} ({count_of(miss.times, 'time')}), {miss.reason}")
    for name in plan.bare:
        lines += fold(f"link '{name}' has no shape left")
    heading = "COLLADA meshes" if plan.meshes.sources == "COLLADA" else "Meshes"
    made = plan.meshes.formats
    if made:
        numbers = " and ".join(f"{count} {name}" for name, count in made.items())
        plural = "" if sum(made.values()) == 1 else "s"
        heading += f": {numbers} file{plural}"
    title = f"Strip motor parts: {counts} (--keep-mesh NAME, --no-strip)" if counts else "Shapes"
    return [ReportSection(title, lines), ReportSection(heading, _collada(plan))]


def _collada(plan: Plan) -> Lines:
    """Return a row for each mesh file that is made, and the number of COLLADA meshes that stay."""
    meshes = plan.meshes
    rows = []
    parts = chain.from_iterable(split.parts for split in meshes.converted)
    drawn = {part.filename for part in parts if part.rgba}
    for file in meshes.files:
        if file.part is None:
            continue
        if file.part.rgba:
            color = short(file.part.rgba, 3)
        elif file.name in drawn or meshes.joined:
            color = "its visual's color"
        else:
            color = "no color (collision)"
        rows.append(
            (os.path.basename(file.target), count_of(file.part.triangles, "triangle"), color)
        )
    lines = columns(rows)
    if plan.options.meshes.wanted and not (rows or meshes.unconverted):
        return ["  none: no mesh of the robot is COLLADA (.dae, .zae)"]
    if meshes.unconverted:
        advice = ": MuJoCo cannot read them (--split color makes STL of them)"
        said_why = plan.options.meshes.wanted or meshes.warnings
        count = count_of(meshes.unconverted, "COLLADA mesh", "COLLADA meshes")
        stay = "left as it is" if meshes.unconverted == 1 else "left as they are"
        cure = "" if said_why else advice
        lines += fold(f"{count} {stay}{cure}")
    return lines


def followed_rows(notes: Sequence[ReferenceUpdate], style: TextStyle) -> List[Texts]:
    """Return a row for each note; similar notes on several elements of one tag share a row."""
    rows: List[Tuple[int, Texts]] = []
    for (tag, _), alike in grouped(((note.tag, note.sentence), note) for note in notes).items():
        if len(alike) < ALIKE or style.full:
            rows += [(note.line, (f"line {note.line}", note.what, note.how)) for note in alike]
        else:
            first = alike[0]
            how = first.how
            if any(note.how != how for note in alike):
                how = f"the first: {how}"
            where = f"lines {first.line}-{alike[-1].line}"
            what = f"<{tag}>, {count_of(len(alike), 'time')}"
            rows.append((first.line, (where, what, how)))
    return [row for _, row in sorted(rows, key=lambda row: row[0])]


# ==== urdf_tools/report/grouped_warnings.py ====
# Group diagnostics: kind, lines, the first sentence, the names in the others, and the cure.

OTHERS_SHOWN = 4


class AlikeDiagnostics(Record):
    """Diagnostics of one kind and sentence; `others` are the names by which the later ones differ from the first."""

    kind: DiagnosticKind
    notices: Notes
    others: Texts


def group_diagnostics(notices: Sequence[Diagnostic]) -> List[AlikeDiagnostics]:
    """Return the groups in the order of their first diagnostics."""
    by_sentence = grouped(((notice.kind.name, notice.sentence), notice) for notice in notices)
    groups = []
    for alike in by_sentence.values():
        columns = zip(*((notice.place, *notice.names) for notice in alike))
        # Names are compared by column: the group lists the first column in which they differ.
        column = next((column for column in columns if len(set(column)) > 1), ("",))
        others = tuple(other for other in dict.fromkeys(column) if other != column[0])
        groups.append(AlikeDiagnostics(alike[0].kind, tuple(alike), others))
    return groups


def hint_of(notices: Sequence[Diagnostic], plan: Plan) -> str:
    """Return the cure that diagnostics share, filled with the merged links that they name.

    If they name no merged link, the frame of a link turns; the option that keeps it takes one of their names.
    """
    hint = notices[0].cure
    names = dict.fromkeys(chain.from_iterable(notice.names for notice in notices))
    if "{links}" not in hint:
        return hint if plan.options.reorient else hint.replace(", or --no-reorient", "")
    links = [name for name in names if name in plan.members and plan.members[name].merged]
    kept = " ".join(pasted("--keep", link) for link in links)
    kept = kept or " ".join(name for name in names if name == "--no-reorient")
    return hint.replace("--keep {links}", kept) if kept else ""


def needing(notices: Sequence[Diagnostic]) -> Diagnostics:
    """Return the diagnostics that count: all except notes, which need no decision."""
    return [notice for notice in notices if notice.kind.severity != NOTE]


def grouped_lines(
    notices: Sequence[Diagnostic], plan: Plan, style: TextStyle, path: str = ""
) -> Lines:
    """Return the warnings, grouped, each with its cure, and one line for all notes; with --full a line for each.

    `path` is the file of the diagnostics, "" for the input.
    """
    where = f"{path}: " if path else ""

    def warning(kind: DiagnosticKind, sentence: str) -> Lines:
        """Return the lines of a sentence with its severity and kind."""
        folded = fold(f"{kind.severity}: [{kind.name}] {where}{sentence}", "  ", "")
        return [*map(style.alert, folded)]

    lines = []
    if style.full:
        for notice in notices:
            lines += warning(notice.kind, line_text(notice))
        return lines
    groups = group_diagnostics(needing(notices))
    # A cure stands once, below all sentences that it cures.
    by_cure = grouped(((group.kind.name, group.notices[0].cure), group) for group in groups)
    for cured in by_cure.values():
        for group in cured:
            lines += warning(group.kind, group_text(group))
        hint = hint_of([*chain.from_iterable(group.notices for group in cured)], plan)
        if hint:
            lines += fold(f"cure: {hint}", "    ", "  ")
    return lines + _note_line(notices)


def _note_line(notices: Sequence[Diagnostic]) -> Lines:
    """Return one line for all notes, with the times of each kind; [] without notes."""
    notes = [notice for notice in notices if notice.kind.severity == NOTE]
    if not notes:
        return []
    # Without sentences the notes of a kind are one group.
    groups = group_diagnostics([notice._replace(sentence="") for notice in notes])
    kinds = [f"{group.kind.meaning} ({count_of(len(group.notices), 'time')})" for group in groups]
    return fold(f"{count_of(len(notes), 'note')} (--full): {'; '.join(kinds)}", "  ", "")


def line_text(notice: Diagnostic) -> str:
    """Return the sentence with its line."""
    return f"line {notice.line}: {notice.text}" if notice.line else notice.text


def _quoted_name(name: str) -> str:
    """Return a name in quotes, the name of a file without its folder; a tag unchanged."""
    if name.startswith("<"):
        return name
    return f"'{name.rpartition('/')[2] or name}'"


def group_text(group: AlikeDiagnostics, *, with_line: bool = True, with_cure: bool = False) -> str:
    """Return the sentence of the first diagnostic, and names and lines of the others.

    Its line is before it if `with_line`, its cure after it if `with_cure`.
    """
    first, *more = group.notices
    sentence = line_text(first) if with_line else first.text
    if with_cure and first.cure:
        sentence = f"{sentence}: {first.cure}"
    if not more:
        return sentence
    listed = shown_names(map(_quoted_name, group.others), OTHERS_SHOWN)
    lines = [notice.line for notice in more if notice.line]
    where = lines_text(lines) if lines else count_of(len(more), "time")
    if listed:
        where = f"{listed} ({where})"
    return f"{sentence}; also {where}"


def actions_needed(notices: Sequence[Diagnostic], plan: Plan) -> Lines:
    """Return the lines of each kind that needs an action, one for each of its cures."""
    lines: Lines = []
    for alike in grouped(
        ((notice.kind.name, notice.cure), notice) for notice in notices if notice.kind.needs_action
    ).values():
        lines_of = [notice.line for notice in alike if notice.line]
        kind = alike[0].kind
        hint = hint_of(alike, plan)
        where = (
            "" if alike[1:] else next((name for name in alike[0].names if name.startswith("<")), "")
        )
        times = f" ({len(alike)} times)" if alike[1:] else ""
        what = where or f"{kind.meaning}{times}"
        at = f"{lines_text(lines_of, 6)}: " if lines_of else ""
        cure = f": {hint}" if hint else ""
        lines += fold(f"[{kind.name}] {at}{what}{cure}")
    return lines


# ==== urdf_tools/report/tree_drawing.py ====
# Draw a tree of texts with box characters or ASCII, as wide as the output.

BOXES = ("├── ", "└── ", "│   ", "    ")
PLAIN_BOXES = ("|-- ", "`-- ", "|   ", "    ")
MIN_TEXT_WIDTH = 44  # columns for the text of a node; deeper levels are shown at the last indent that allows them
DEEP_MARK = "... "  # in front of a node that is too deep to indent
MARGIN = "  "  # in front of the tree
NOTE_INDENT = "  "  # a note below its text begins so much further right than a child's box


class TreeText(Record):
    """A text in a tree, and notes about it; the first stands on its last line if there is room, else all stand below it."""

    text: str
    notes: Texts = ()


class TreeNode(Record):
    """A node of a tree to draw.

    Attributes:
        level: the number of its ancestors.
        is_last: no sibling follows it.
        has_children: it is not a leaf.
        texts: its texts, each on lines of its own.
    """

    level: int
    is_last: bool
    has_children: bool
    texts: Tuple[TreeText, ...]


class TreeBoxes(Record):
    """The texts that draw a tree: for a branch, for the last branch, and for levels that continue or have ended.

    Attributes:
        deepest: the number of levels that are indented.
    """

    branch: str
    last: str
    bar: str
    blank: str
    deepest: int


def draw_tree(nodes: Sequence[TreeNode], style: TextStyle, widest: int = len(BOXES[0])) -> Lines:
    """Return the lines of a tree; deep trees have narrow levels, and a node too deep to indent is marked with "...".

    Args:
        nodes: the root, and all others, each after its parent.
        style: whether box characters are shown.
        widest: the columns of a level in a tree that is not deep.
    """
    boxes = _tree_boxes(max(node.level for node in nodes), style, widest)
    levels: List[str] = []  # the boxes of the nodes from below the root to the present one
    lines: Lines = []
    for node in nodes:
        lead = MARGIN
        if node.level:
            del levels[node.level - 1 :]
            mark = DEEP_MARK if len(levels) >= boxes.deepest else ""
            own_box = boxes.last if node.is_last else boxes.branch
            lead = MARGIN + "".join(levels[: boxes.deepest]) + own_box + mark
            levels.append(boxes.blank if node.is_last else boxes.bar)
        inside = MARGIN + "".join(levels[: boxes.deepest])
        box_below = boxes.bar if node.has_children else boxes.blank
        lines += _lines_of(node, lead, inside, inside + box_below)
    return lines


def _lines_of(node: TreeNode, lead: str, inside: str, below: str) -> Lines:
    """Return the lines of a node: the first begins with `lead`, other texts with `inside`, notes with `below`."""
    lines: Lines = []
    for text, notes in node.texts:
        lines += fold(text, inside, lead)
        lead = inside
        for number, note in enumerate(notes):
            has_room = len(lines[-1]) + len(MARGIN) + len(note) <= LINE_WIDTH.get()
            if number == 0 and has_room:
                lines[-1] += MARGIN + "".join(fold(note, "", ""))
            else:
                lines += fold(note, below + NOTE_INDENT, below)
    return lines


def _tree_boxes(depth: int, style: TextStyle, widest: int) -> TreeBoxes:
    """Return the boxes of a tree, wide or narrow, so that the text of the deepest node keeps its columns."""
    columns_left = LINE_WIDTH.get() - MIN_TEXT_WIDTH
    boxes = BOXES if style.boxes else PLAIN_BOXES
    wide = max(1, min(widest, columns_left // max(1, depth)))
    # A narrow box keeps its last character, the blank before the text.
    narrow = [box[: wide - 1] + box[-1] if wide > 1 else box[0] for box in boxes]
    branch, last, bar, blank = narrow
    deepest = columns_left // wide
    return TreeBoxes(branch=branch, last=last, bar=bar, blank=blank, deepest=deepest)


# ==== urdf_tools/report/kinematic_tree.py ====
# The kinematic tree: of the result, with a chain of links on one line, and in full, with every link of the input.

CHAIN_BOX = 3  # columns of a level in the tree of chains, whose lines are long
MOVES = ">"
STAYS = "+"
MERGES = "<-"
FEW_ATTACHED = 2  # so many links stand in brackets behind their parent; more of them stand below it
UNBROKEN = "\0"  # `fold` writes it as a blank, and does not break a line there
Branch = TypeVar("Branch")


def tree_section(result: Result, style: TextStyle) -> ReportSection:
    """Return the tree of the result, with what vanishes and what is kept; with --full the tree of the input."""
    plan = result.plan
    links = result_tree(result)
    title = f"Kinematic tree: {_count_of_links(result)}"
    lines = list(map(style.alert, _vanishing_frames(plan)))
    if style.full:
        lines += draw_tree(_input_nodes(plan), style)
    else:
        title += _legend(plan, links)
        tree = draw_tree(_LinkChains(plan, links).nodes(), style, CHAIN_BOX)
        lines += [*cut(tree, style, TABLE_LINES), *cut(_kept_lines(plan), style)]
    return ReportSection(title, lines, most=len(lines))


def _count_of_links(result: Result) -> str:
    """Return the number of links, before and after if they differ."""
    before = len(result.plan.robot.links)
    after = len(result.after.links)
    counted = count_of(after, "link")
    return counted if before == after else f"{before} -> {counted}"


def _vanishing_frames(plan: Plan) -> Lines:
    """Return the line that counts the frames that vanish from TF; the tree names them."""
    count = len(plan.lost_frames)
    if not count:
        return []
    verb, what = ("vanishes", "it") if count == 1 else ("vanish", "them")
    return fold(f"{count_of(count, 'frame')} {verb} from TF (--keep-frames keeps {what})")


def _kept_lines(plan: Plan) -> Lines:
    """Return the links that stay though their joints are fixed, by the reason; [] if no link was to merge."""
    if not plan.options.merge:
        return []
    members = plan.members.items()
    kept = grouped((member.reason, name) for name, member in members if member.kind in (BASE, KEPT))
    lines: Lines = []
    for reason, names in kept.items():
        lines += fold(f"kept {', '.join(names)}: {reason}")
    return lines


def mass_change(plan: Plan, link: str) -> str:
    """Return the mass of a link of the input [kg], and the mass that it has in the result if links merge into it."""
    mass = plan.robot.links[link].mass
    text = mass_text(mass)
    if not plan.members[link].merged and abs(plan.bodies[link].mass - mass) >= NO_MASS:
        text += f" -> {mass_text(plan.bodies[link].mass)}"
    return f"{text} kg"


def _why_merged(plan: Plan, link: str) -> str:
    """Return the reason why a link merges, in few words."""
    kind = plan.members[link].kind
    if kind == COPY:
        return "exported twice"
    if kind != FIXED:
        return "on the same axis"
    return "frame" if link in plan.lost_frames else "fixed"


# --- The tree of the result ---


class TreeLink(Record):
    """A link of the result in its tree.

    Attributes:
        name: its name.
        joint: the joint to its parent, None for the root.
        level: the number of its ancestors.
        merged: the links of the input that merge into it.
    """

    name: str
    joint: Optional[UrdfJoint]
    level: int
    merged: Texts

    @property
    def is_fixed(self) -> bool:
        """Return True if it does not move against its parent."""
        return self.joint is not None and self.joint.type == "fixed"


def result_tree(result: Result) -> List[TreeLink]:
    """Return the links of the result, each after its parent, and siblings in the order of the file.

    A merged link that remains as an empty frame (--keep-all-frames) is only in `merged` of its target.
    """
    members = result.plan.members
    merged_into = grouped(
        (member.target, name) for name, member in members.items() if member.merged
    )
    emptied = set(chain.from_iterable(merged_into.values()))
    joints_below = grouped(
        (joint.parent, joint) for joint in result.after.joints if joint.child not in emptied
    )

    def tree_link(name: str, joint: Optional[UrdfJoint], level: int) -> TreeLink:
        """Return a link, with the links that merge into it."""
        merged = tuple(merged_into.get(name, ()))
        return TreeLink(name=name, joint=joint, level=level, merged=merged)

    def children_of(link: TreeLink) -> List[TreeLink]:
        """Return the children of a link, one level deeper."""
        joints = joints_below.get(link.name, [])
        return [tree_link(joint.child, joint, link.level + 1) for joint in joints]

    return [*depth_first([tree_link(result.after.root, None, 0)], children_of)]


def _legend(plan: Plan, links: Sequence[TreeLink]) -> str:
    """Return the meaning of the signs that the tree has, in brackets; "" without signs."""
    merged = "emptied" if plan.options.keep_all_frames else "merged"
    signs = []
    if any(link.joint and not link.is_fixed for link in links):
        signs.append(f"{MOVES} moving joint")
    if any(link.is_fixed for link in links):
        signs.append(f"{STAYS} fixed joint")
    if any(link.merged for link in links):
        signs.append(f"{MERGES} {merged}")
    return f" ({', '.join(signs)})" if signs else ""


# A link, or links without children that move against one parent, which share a place.
LinkRow = Tuple[TreeLink, ...]
# Rows, each but the first the only row below the one before.
LinkChain = Tuple[LinkRow, ...]


class _LinkChains:
    """The tree of the result in chains, each of which is a node of the drawn tree.

    Attributes:
        plan: the plan, which knows masses and reasons.
        root: the root of the result.
        children: by link, its children.
    """

    def __init__(self, plan: Plan, links: Sequence[TreeLink]) -> None:
        """Group the links by their parents."""
        self.plan = plan
        self.root = links[0]
        self.children = grouped((link.joint.parent, link) for link in links if link.joint)

    def nodes(self) -> List[TreeNode]:
        """Return the chains as nodes to draw."""
        first = self.chain_from((self.root,))
        return _nodes_of(first, self.chains_below, lambda chain: tuple(self.texts_of(chain)))

    def chain_from(self, row: LinkRow) -> LinkChain:
        """Return the chain from a row down to a branch or an end."""
        chain = [row]
        below = self.rows_below(row)
        while len(below) == 1:
            chain += below
            below = self.rows_below(below[0])
        return tuple(chain)

    def chains_below(self, chain: LinkChain) -> List[LinkChain]:
        """Return the chains that begin below the last row of a chain."""
        return [self.chain_from(row) for row in self.rows_below(chain[-1])]

    def rows_below(self, row: LinkRow) -> List[LinkRow]:
        """Return the rows of the children of a row; links that share a row have none."""
        children = self.children.get(row[0].name, [])
        rows = grouped(
            ("" if self.is_bare(child) else child.name, child)
            for child in children
            if not self.is_attached(child)
        )
        return [*map(tuple, rows.values())]

    def is_bare(self, link: TreeLink) -> bool:
        """Return True for a link without children into which no link merges."""
        return not link.merged and link.name not in self.children

    def is_attached(self, link: TreeLink) -> bool:
        """Return True for a link that stands in brackets behind its parent."""
        return link.is_fixed and self.is_bare(link)

    def texts_of(self, chain: LinkChain) -> Iterator[TreeText]:
        """Yield the texts of a chain; a link with notes ends a text."""
        words: List[str] = []
        for number, row in enumerate(chain):
            words += self.words_of(row, is_first=number == 0)
            notes = self.notes_of(row[0])
            if notes:
                yield TreeText(" ".join(words), notes)
                words = []
        if words:
            yield TreeText(" ".join(words))

    def words_of(self, row: LinkRow, *, is_first: bool) -> List[str]:
        """Return the words of the links of a row, after the sign of their joint."""
        # The box in front of a chain stands for a joint that moves.
        sign = "" if is_first else f"{MOVES} "
        if row[0].is_fixed:
            sign = f"{STAYS} "
        words = []
        for link in row:
            words.append(unbroken(f"{sign}{self.text_of_link(link)}") + ",")
            sign = ""
        words[-1] = words[-1][:-1]
        return words

    def text_of_link(self, link: TreeLink) -> str:
        """Return a link with its mass if others merge into it, and with the links attached to it if they are few."""
        text = link.name
        if link.merged:
            text += f"  {mass_change(self.plan, link.name)}"
        attached = self.attached_to(link)
        if 0 < len(attached) <= FEW_ATTACHED:
            text += f" ({STAYS} {', '.join(attached)})"
        return text

    def attached_to(self, link: TreeLink) -> List[str]:
        """Return the names of the links that stand with their parent, not on a place of their own."""
        children = self.children.get(link.name, [])
        return [child.name for child in children if self.is_attached(child)]

    def notes_of(self, link: TreeLink) -> Texts:
        """Return the notes of a link: many attached links, and the links that merge into it."""
        notes = []
        attached = self.attached_to(link)
        if len(attached) > FEW_ATTACHED:
            notes.append(f"{STAYS}{UNBROKEN}{', '.join(map(unbroken, attached))}")
        if link.merged:
            notes.append(self.merged_text(link))
        return tuple(notes)

    def merged_text(self, link: TreeLink) -> str:
        """Return the links that merge into a link, with the reasons."""
        by_reason = grouped((_why_merged(self.plan, name), name) for name in link.merged)
        groups = []
        for reason, names in by_reason.items():
            *others, last = names
            groups += [*map(unbroken, others), unbroken(f"{last} ({reason})")]
        return f"{MERGES}{UNBROKEN}{', '.join(groups)}"


def unbroken(text: str) -> str:
    """Return a text whose blanks `fold` does not break, unless it is long."""
    return text.replace(" ", UNBROKEN) if len(text) <= MIN_TEXT_WIDTH else text


# --- The tree of the input ---


def _input_nodes(plan: Plan) -> List[TreeNode]:
    """Return the links of the input as nodes to draw, each with its mass, its joint, and its state."""
    robot = plan.robot
    joints_below = grouped((joint.parent, joint) for joint in robot.joints)
    joints_above = {joint.child: joint for joint in robot.joints}

    def children_of(link: str) -> List[str]:
        """Return the children of a link."""
        return [joint.child for joint in joints_below.get(link, [])]

    def texts_of(link: str) -> Tuple[TreeText, ...]:
        """Return the text of a link, and where it merges or why it is kept."""
        text = f"{link} {mass_change(plan, link)}"
        if link in joints_above:
            text += f", {_motion(plan, joints_above[link])}"
        state = _state(plan, link)
        return (TreeText(text, (f"({state})",) if state else ()),)

    return _nodes_of(robot.root, children_of, texts_of)


def _state(plan: Plan, link: str) -> str:
    """Return where a link merges, or why it is kept; "" for a link that moves by itself."""
    member = plan.members[link]
    if member.merged:
        return f"merged into '{member.target}': {_why_merged(plan, link)}"
    return f"kept: {member.reason}" if member.kind in (BASE, KEPT) else ""


def _motion(plan: Plan, joint: UrdfJoint) -> str:
    """Return the type of a joint, and how its axis changes."""
    planned = plan.joints.get(joint.child)
    if planned is None or planned.frame.axis is None:
        return joint.type
    return f"{joint.type} {_axis_change(planned)}"


def _axis_change(planned: JointPlan) -> str:
    """Return the axis of a joint in the result, such as `Z`; after the old axis if it is reversed: `-Z -> Z`."""
    letter = axis_letter(planned.frame)
    new_axis = letter if planned.frame.axis_sign > 0 else f"-{letter}"
    if planned.map.sign > 0:
        return new_axis
    old_axis = letter if planned.frame.axis_sign < 0 else f"-{letter}"
    return f"{old_axis} -> {new_axis}"


def _nodes_of(
    root: Branch,
    children_of: Callable[[Branch], Sequence[Branch]],
    texts_of: Callable[[Branch], Tuple[TreeText, ...]],
) -> List[TreeNode]:
    """Return a branch and all branches below it as nodes to draw."""
    nodes = []
    # A stack in place of recursion, as a robot may be a chain of thousands of links.
    waiting = [(root, 0, True)]
    while waiting:
        branch, level, is_last = waiting.pop()
        children = children_of(branch)
        nodes.append(
            TreeNode(
                level=level,
                is_last=is_last,
                has_children=bool(children),
                texts=texts_of(branch),
            )
        )
        # The last of the list is taken next.
        waiting += [(child, level + 1, child is children[-1]) for child in reversed(children)]
    return nodes


# ==== urdf_tools/report/plan_text.py ====
# The plan as text for a person, and in one line: the changes in order, the tree, the verdict, and the tasks that remain.

# The names of programs, by the keys of `joint_orders`.
ORDERED_BY = {"mujoco": "MuJoCo", "isaac": "Isaac", "newton": "Newton"}


def plan_text(result: Result, style: TextStyle) -> Lines:
    """Return the plan: the changes, the table of joints, the warnings."""
    # Warnings come last, right above the question.
    warnings = _warnings(result, style)
    lines = [
        *map(style.title, _who(result.before)),
        *_base(result, style),
        *lay_out(_sections(result, style), style),
    ]
    if warnings:
        lines += ["", *warnings]
    return lines


def _who(robot: UrdfRobot) -> Lines:
    """Return the program, and the robot that it read."""
    links = count_of(len(robot.links), "link")
    joints = count_of(len(robot.joints), "joint")
    # A release gets as many columns as the tree before it, so that both fold the line alike.
    kept = signature().ljust(len("urdf_simplify 0.10.0.dev0"), "_")
    read = f"{robot.document.path} '{robot.name}', {links}, {joints}, {mass_text(robot.mass)} kg"
    first, *others = fold(f"{kept}: {read}", "  ", "")
    return [signature() + first[len(kept) :], *others]


def _sections(result: Result, style: TextStyle) -> List[ReportSection]:
    """Return the sections of the plan; the order of the joints and the figures only with --full."""
    plan = result.plan
    options = plan.options
    notes = result.plan.updates.notes
    if result.exported.edited:
        edits = result.exported.changes
        rows = [(f"{number}.", phrase) for number, phrase in enumerate(edits, 1)]
        sections = [ReportSection(f"Edits: {len(edits)}", columns(rows))]
    else:
        sections = [signs_section(plan)]
    # A command that changes neither links nor frames shows its own changes first, and the tree only in full.
    is_simplified = options.merge or options.strip_hardware or options.reorient
    if style.full or is_simplified and not result.exported.edited:
        sections.insert(0, tree_section(result, style))
    sections += mesh_sections(plan)
    sections.append(
        ReportSection(f"Also updated: {len(notes)}", columns(followed_rows(notes, style)))
    )
    sections += [_companion_section(followed, style) for followed in result.companions]
    sections += [
        ReportSection(headline, columns(rows)) for headline, rows in result.exported.tables
    ]
    files = [*chain.from_iterable(map(fold, result.exported.lines))]
    files += result.exported.left_lines(style)
    sections += [ReportSection("Further files", files), joint_section(result, style)]
    if style.full:
        sections.append(_order_section(result))
        sections.append(ReportSection("Proof", proof_text(result)))
    return sections


def _warnings(result: Result, style: TextStyle) -> Lines:
    """Return the warnings of the run and of its companions, and with --full the findings of lint."""
    plan = result.plan
    lines = grouped_lines([*plan.warnings, *result.exported.warnings], plan, style)
    for followed in result.companions:
        path = followed.before.path
        lines += grouped_lines(followed.updates.warnings, plan, style, path)
    if style.full:
        lines += result.exported.finding_lines(style)
    return lines


def _order_section(result: Result) -> ReportSection:
    """Return the order in which each program numbers the joints of the result."""
    orders = joint_orders(result.after.joints, result.after.root)
    alike = grouped((tuple(orders[word]), name) for word, name in ORDERED_BY.items())
    rows = []
    for order, names in alike.items():
        if order:
            is_as_written = list(order) == orders["ros"]
            shown = "as in the file" if is_as_written else ", ".join(order)
            rows.append((", ".join(names), shown))
    return ReportSection("Order of the joints in programs", columns(rows))


def _base(result: Result, style: TextStyle) -> Lines:
    """Return the decision about the base frame, and the reason."""
    base = result.plan.base
    options = result.plan.options
    if not options.reorient:
        is_chosen = (
            options.merge or options.strip_hardware
        )  # otherwise the command reorients nothing
        return ["Base frame: all frames stay as they are (--no-reorient)"] if is_chosen else []
    words = "X forward, Y left, Z up, as in the input"
    if base.R_new_old != IDENTITY:
        words = f"{base.words} -> X forward, Y left, Z up"
    reason = base.reason
    if options.base_frame == "auto" and "--base-frame" not in reason:
        reason += " (else: --base-frame)"
    lines = [*fold(f"Base frame: {words}", "  ", ""), *fold(reason, "  ", "  ")]
    return [*map(style.alert, lines)] if base.assumed else lines


def _companion_section(followed: CompanionResult, style: TextStyle) -> ReportSection:
    """Return the changes of a companion, and its proof."""
    rows = columns(followed_rows(followed.updates.notes, style))
    if not rows and not followed.added:
        rows = ["  nothing in it changes"]
    title = f"{followed.name} {followed.before.path}: {_done_in(followed)}"
    return ReportSection(title, [*rows, *fold(f"Proof: {followed.proof_line}")])


def _done_in(followed: CompanionResult) -> str:
    """Return in words the changes of a companion."""
    count = len(followed.updates.notes)
    updated = f"{count_of(count, 'element')} updated"
    if not followed.added:
        return updated
    rest = updated if count else "nothing else changed"
    return f"{followed.added}, {rest}"


FILES_NAMED = 10  # all that one robot can have; further files are counted
NOTHING = "Nothing to do: already simplified"
NOTHING_ASKED = "Nothing to do with these options"
EXPORTED = "The robot stays as it is"
LEAST_TURN = 0.001  # degrees; a smaller turn is rounding, which the verdict names


def change_line(result: Result) -> str:
    """Return in one line the changes of a run to the URDF, or the format it is converted from; "" for nothing."""
    # An edit lists its own changes, and the changes of its plan are among them.
    if not result.changed or result.exported.edited:
        return ", ".join(result.exported.changes)
    phrases = [*_counted_changes(result), *result.exported.changes]
    if result.before.document.late_declaration is not None:
        phrases.append("XML declaration moved to the front")
    return ", ".join(phrases) if phrases else _unplanned_change(result)


def _counted_changes(result: Result) -> Lines:
    """Return the changes of a plan in phrases."""
    plan = result.plan
    merged = sum(member.merged for member in plan.members.values())
    flipped = sum(planned.map.sign < 0 for planned in plan.joints.values())
    turns = {
        joint.name: math.degrees(rotation_angle(plan.placements[joint.child].rotation, IDENTITY))
        for joint in plan.robot.joints
        if not plan.is_removed(joint.child)
    }
    turned = [f"{name} {angle:.3g} deg" for name, angle in turns.items() if angle > LEAST_TURN]
    phrases = []
    # A turned joint shows already that the base was turned.
    if not turned and plan.base.R_new_old != IDENTITY:
        phrases.append("base turned")
    if plan.options.keep_signs and plan.signs_kept:
        phrases.append("all signs kept")
    if merged:
        done = "emptied" if plan.options.keep_all_frames else "merged"
        phrases.append(f"{count_of(merged, 'link')} {done}")
    if flipped:
        verb = "flips" if flipped == 1 else "flip"
        phrases.append(f"{count_of(flipped, 'joint')} {verb}")
    if turned:
        phrases.append(f"{count_of(len(turned), 'joint')} turned ({shown_names(turned)})")
    if plan.strips:
        phrases.append(f"{count_of(len(plan.strips), 'shape')} stripped")
    if plan.copies:
        phrases.append(f"{count_of(len(plan.copies), 'duplicate shape')} dropped")
    phrases += _mesh_changes(plan)
    if plan.updates.notes:
        phrases.append(f"{count_of(len(plan.updates.notes), 'other element')} updated")
    return phrases


def _mesh_changes(plan: Plan) -> Lines:
    """Return the number of converted meshes, or of meshes split into an STL for each color (COLLADA only)."""
    count = len(plan.meshes.converted)
    if not count:
        return []
    if plan.meshes.sources != "COLLADA":
        return [f"{count_of(count, 'mesh', 'meshes')} converted"]
    splits = plan.options.meshes.separate_dae_meshes and set(plan.meshes.formats) <= {"STL"}
    done = "split" if splits else "converted"
    return [f"{count_of(count, 'COLLADA mesh', 'COLLADA meshes')} {done}"]


def _unplanned_change(result: Result) -> str:
    """Return a change of the file that the plan does not contain: mesh names, a note, or the writing of numbers."""
    old_meshes = [shape.mesh for _, shape in result.before.shapes]
    new_meshes = [shape.mesh for _, shape in result.after.shapes]
    if old_meshes != new_meshes:
        return "mesh paths rewritten relative to the output"
    old = set(result.before.document.text().splitlines())
    new = set(result.after.document.text().splitlines())
    is_note = all(line.startswith("<!-- urdf_simplify ") for line in old ^ new)
    return "a note of the base frame" if is_note else "numbers tidied"


def companion_change_line(followed: CompanionResult) -> str:
    """Return in one line the changes of a run to a companion, for --check."""
    return f"would change: {_done_in(followed)}" if followed.changed else "fits already"


def proof_verdict(proof: EquivalenceProof, but_for: Texts = (), refused_by: Texts = ()) -> str:
    """Return the proof in words, with its largest error; `but_for` and `refused_by`: see `ExportedFiles`."""
    worst = max(proof.position, proof.angle, proof.mass, proof.center, proof.inertia, proof.limits)
    less = f", but for {', '.join(but_for)}" if but_for else ""
    refusal = f", and {' and '.join(refused_by)} refuses it as it is" if refused_by else ""
    poses = count_of(proof.samples + 1, "pose")
    return f"Same robot{less}{refusal}: verified in {poses}, largest error {figure_text(worst)}"


def question_lines(
    result: Result, warnings: int, *, files: Sequence[Announced], style: TextStyle
) -> Lines:
    """Return the few lines directly above the question: the verdict, the changes in numbers, and the files.

    A file is given as the text before its name, the name, and the text after it.
    """
    lines = [*_verdict_lines(result, style)]
    lines += fold(_changes_in_numbers(result, warnings), "   ", "   ")
    # Files with the same text before and after their names share a sentence.
    names_by_text = grouped(((lead, tail), name) for lead, name, tail in files)
    for (lead, tail), names in names_by_text.items():
        shown = len(names) if style.full else FILES_NAMED
        listed = ", ".join(names[:shown])
        if names[shown:]:
            listed += f" and {len(names) - shown} more (--full names them)"
        lines += fold(f"{lead}{listed}{tail}", "   ", "   ")
    return lines


def _verdict_lines(result: Result, style: TextStyle) -> Iterator[str]:
    """Yield the lines of the verdict, with a check mark if nothing restricts it, and how far angles are rounded."""
    edited = result.exported.edited
    but_for = result.exported.but_for
    refused_by = result.exported.refused_by
    verdict = edited.verdict if edited else proof_verdict(result.proof, but_for, refused_by)
    if but_for or refused_by:
        yield from map(style.alert, fold(verdict, "   ", "   "))
    else:
        yield from map(style.good, fold(f"{style.check_mark} {verdict}", "   ", ""))
    if result.proof.axis > TOLERANCE:
        rounded = f"apart from angles rounded by up to {result.proof.axis:.1e} rad"
        yield from fold(f"{rounded} (--snap 0 keeps them)", "   ", "   ")


def _changes_in_numbers(result: Result, warnings: int) -> str:
    """Return the counts of links and joints before and after, the changes, and the number of warnings."""
    before = result.before
    after = result.after
    change = change_line(result)
    if not change:
        return _nothing_to_do(result)
    counts = [
        f"{len(before.links)} -> {count_of(len(after.links), 'link')}",
        f"{len(before.joints)} -> {count_of(len(after.joints), 'joint')}",
    ]
    # The list of edits is shown above already.
    if not result.exported.edited:
        counts.append(change)
    if warnings:
        counts.append(count_of(warnings, "warning"))
    return ", ".join(counts)


def _nothing_to_do(result: Result) -> str:
    """Return the reason why the URDF stays unchanged."""
    options = result.plan.options
    for followed in result.companions:
        if followed.changed:
            return f"{followed.name}: {_done_in(followed)}; the URDF stays as it is"
    # Only if all three stages were requested is an unchanged robot simplified already.
    if options.merge and options.strip_hardware and options.reorient:
        return NOTHING
    return EXPORTED if result.exported.files else NOTHING_ASKED


def proof_text(result: Result) -> Lines:
    """Return all figures of the proof, and the verified properties of the meshes that were made."""
    lines = fold(proof_line(result.proof))
    files = result.plan.meshes.files
    if result.plan.meshes.converted:
        parts = [file.part for file in files if file.part]
        triangles = count_of(sum(part.triangles for part in parts), "triangle")
        made = count_of(len(parts), "file")
        lines += fold(
            f"Meshes: {made}, {triangles}: the polygons of the "
            f"{result.plan.meshes.sources} files color by color, less what is said to be left out, in "
            "the boxes of their points"
        )
    return lines


def outcome(
    result: Result,
    output: str,
    further: Sequence[str],
    warnings: Sequence[Diagnostic],
    style: TextStyle,
) -> Lines:
    """Return the lines about the written files and the tasks that remain; all numbers are read from those files.

    `output` is "" if no URDF is written.
    """
    before = result.before
    after = result.after
    tasks = [
        *lost_frames(result.plan, style),
        *actions_needed(warnings, result.plan),
        *result.exported.left_lines(style),
        *_not_drawn_in_mujoco(result),
        *_signs_to_follow(result),
    ]
    if tasks:
        tasks = ["", style.title("Next (lines of the input):"), *map(style.alert, tasks)]
    done = style.good("Done!")
    if not output:
        return ["", done, *further, *tasks]
    mass = f"Mass preserved: {mass_text(after.mass)} kg"
    edited = result.exported.edited
    # The sum of the same masses in a different order differs by rounding.
    is_another = abs(after.mass - before.mass) > 1e-9 * max(before.mass, 1e-9)
    has_other_links = edited and (edited.dropped or len(before.links) != len(after.links))
    if is_another or has_other_links:
        why = "as edited" if edited else "parts exported twice counted once"
        mass = f"Mass: {mass_text(before.mass)} -> {mass_text(after.mass)} kg ({why})"
    return [
        "",
        done,
        f"  Output: {output}",
        f"  Links: {len(before.links)} -> {len(after.links)}",
        f"  Joints: {len(before.joints)} -> {len(after.joints)}",
        *fold(mass),
        *further,
        *tasks,
    ]


def _not_drawn_in_mujoco(result: Result) -> Lines:
    """Return the line about visuals that were split by color, which MuJoCo does not show."""
    is_split = result.plan.options.meshes.separate_dae_meshes and result.plan.meshes.converted
    if not is_split or keeps_visuals(result.after.document.root):
        return []
    return fold(
        "MuJoCo shows the visuals of a URDF only if it is written with --for mujoco, or has "
        '<mujoco><compiler discardvisual="false"/></mujoco>'
    )


def _signs_to_follow(result: Result) -> Lines:
    """Return the lines about joints whose sign or zero changed: programs outside the file must follow."""
    edited = result.exported.edited
    planned = [each.map for each in result.plan.joints.values()]
    maps = list(edited.maps.values()) if edited else planned
    flipped = sum(joint_map.sign < 0 for joint_map in maps)
    moved = sum(joint_map.zero != 0.0 for joint_map in maps)
    lines: Lines = []
    for count, how, what in (
        (flipped, "flipped", "signs"),
        (moved, "got another zero", "zeros"),
    ):
        if count:
            lines += fold(
                f"{count_of(count, 'joint')} {how}: drivers and policies outside the file need the "
                f"{what} (--report FILE, or --adapter FILE.py)"
            )
    return lines


# ==== urdf_tools/report/run_json.py ====
# The run as JSON: the data that programs using the URDF need to follow the changes.
#
# The layout is stable: `format` grows by one when a key is removed or changes its meaning; keys may be added at any time.

RECORD_FORMAT = 1
RECORD_NOISE = 1e-13  # [m, rad] rounding error of zero


def record_text(result: Result, output: str, srdf_output: str = "") -> str:
    """Return the JSON text of a run; the same input, options and release yield the same bytes.

    Args:
        result: the run.
        output: the name of the URDF that was written.
        srdf_output: the name of an SRDF that the caller wrote.
    """
    import json  # imported here and below: only a report needs them

    record = record_of(result, output, srdf_output)
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def record_of(result: Result, output: str, srdf_output: str = "") -> Json:
    """Return the run as plain data: lengths in meters, angles in radians, masses in kilograms, frames as named."""
    name, _, release = signature().partition(" ")
    record = {
        "format": RECORD_FORMAT,
        "tool": {"name": name, "version": release},
        "options": _options(result),
        "input": _file(result.before.document.path, result.source),
        "output": _file(output, result.data),
        "base": _base_record(result.plan),
        "totals": _totals(result),
        "joints": _joints(result),
        "joints_removed": _joints_removed(result),
    }
    edited = result.exported.edited
    described = edited.described if edited else {"locked": [], "dropped": []}
    record.update(described)
    record["joint_order"] = {
        "before": joint_orders(result.before.joints, result.before.root),
        "after": joint_orders(result.after.joints, result.after.root),
    }
    record.update(_links(result.plan))
    record["tree"] = _tree(result)
    record["decisions"] = [
        *words_of_note(result.after.document, DECISIONS),
        *result.exported.decided,
    ]
    record["followed"] = _followed(result.plan.updates.notes)
    record["warnings"] = _diagnostics([*result.plan.warnings, *result.exported.warnings])
    record["proof"] = result.proof._asdict()
    # The key exists without an SRDF, too, so that a program need not test for it.
    record["srdf"] = None
    for followed in result.companions:
        record[followed.name.lower()] = {
            "input": _file(followed.before.path, followed.source),
            "output": _file(srdf_output or followed.output, followed.data),
            "followed": _followed(followed.updates.notes),
            "warnings": _diagnostics(followed.updates.warnings),
            "proof": followed.proof._asdict(),
        }
    record["exports"] = [_file(name, data) for name, data in result.exported.files]
    return record


def _options(result: Result) -> Json:
    """Return the options of the plan, and the options of the package that were given."""
    options = result.plan.options
    return {
        **options._asdict(),
        "axis": {word: "XYZ"[axis] for word, axis in options.axis},
        "meshes": options.meshes._asdict(),
        **dict(result.exported.choices),
    }


def _base_record(plan: Plan) -> Json:
    """Describe the decision about the base frame."""
    base = plan.base
    return {
        "input_axes": base.words,
        "reason": base.reason,
        "R_new_old": _rows(base.R_new_old),
    }


def _totals(result: Result) -> Json:
    """Return counts and mass [kg], each before and after."""
    before = result.before
    after = result.after
    return {
        "links": [len(before.links), len(after.links)],
        "joints": [len(before.joints), len(after.joints)],
        "mass": [before.mass, after.mass],
    }


def _joints_removed(result: Result) -> List[Json]:
    """Describe the joints of the input that the result does not have."""
    # An edit that keeps a subtree removes the joint above it, too: its child becomes the root.
    return [
        {
            "name": joint.name,
            "type": joint.type,
            "parent": joint.parent,
            "child": joint.child,
            "line": joint.source.line,
        }
        for joint in result.before.joints
        if result.plan.is_removed(joint.child) or joint.child == result.after.root
    ]


def _links(plan: Plan) -> Json:
    """Return the target or removal of each link, frame and shape."""
    strips = [{**_of_shape(strip), "reason": strip.reason} for strip in plan.strips]
    copies = []
    for copy in plan.copies:
        row = _of_shape(copy)
        copies.append({"link": row.pop("link"), "target": copy.target, **row})
    return {
        "links": [_link(plan, name, member) for name, member in plan.members.items()],
        "frames_lost": list(plan.lost_frames),
        "stripped": strips,
        "copies_dropped": copies,
    }


def _tree(result: Result) -> List[Json]:
    """Describe the links of the result, each after its parent, with the links that merge into it."""
    plan = result.plan
    return [
        {
            "link": link.name,
            "parent": link.joint and link.joint.parent,
            "joint": link.joint and link.joint.name,
            "level": link.level,
            "mass": [plan.robot.links[link.name].mass, plan.bodies[link.name].mass],
            "merged": [{"link": name, "reason": plan.members[name].reason} for name in link.merged],
        }
        for link in result_tree(result)
    ]


def _of_shape(removed: Union[RemovedShape, DuplicateShape]) -> Json:
    """Describe a removed shape."""
    shape = removed.shape
    return {
        "link": removed.link,
        "kind": shape.kind,
        "mesh": shape.mesh,
        "line": shape.source.line,
    }


def _file(path: str, data: bytes) -> Dict[str, str]:
    """Describe a file by its name and the digest of its bytes."""
    import hashlib

    return {"path": path, "sha256": hashlib.sha256(data).hexdigest()}


def _followed(notes: Sequence[ReferenceUpdate]) -> List[Json]:
    """Describe the elements that were updated for a change."""
    return [{"line": note.line, "what": note.what, "how": note.how} for note in notes]


def _diagnostics(notices: Sequence[Diagnostic]) -> List[Json]:
    """Describe warnings and notes."""
    return [
        {
            "line": notice.line,
            "message": notice.text,
            "kind": notice.kind.name,
            "severity": notice.kind.severity,
            "sentence": notice.sentence,
            "place": notice.place,
            "names": list(notice.names),
            "numbers": list(notice.numbers),
        }
        for notice in notices
    ]


def _joints(result: Result) -> List[Json]:
    """Describe the joints of the result in file order; axes are given in the new base frame, all joints at zero."""
    plan = result.plan
    # Both robots are placed in the same world axes, so that the old and the new axis of a joint can be compared.
    T_old = poses_at(result.before, {}, Transform(plan.base.R_new_old, ZERO))
    T_new = poses_at(result.after, {}, IDENTITY_POSE)
    edited = result.exported.edited
    described: List[Json] = []
    for joint in result.after.joints:
        was = result.before.above.get(joint.child)
        frame = plan.joints[joint.child].frame
        if edited:
            # Edits rename joints and map their positions, which the plan of the result does not contain.
            was = result.before.named.get(edited.old_joints.get(joint.name, joint.name))
            counted = edited.maps.get(was.name, AS_IT_WAS) if was is not None else AS_IT_WAS
            frame = frame._replace(map=counted)
        row: Json = {
            "name": joint.name,
            "old_name": was and was.name,
            "type": joint.type,
            "parent": joint.parent,
            "child": joint.child,
        }
        described.append(row)
        if was is None:  # an edit added it
            row.update(line=0, sign=1, zero=0.0)
            continue
        row.update(line=was.source.line, sign=frame.map.sign, zero=frame.map.zero)
        row.update(_axes(joint, was, frame, T_old, T_new))
        row.update(
            limits_old=_limits(was),
            limits_new=_limits(joint),
            mimic_old=was.mimic and was.mimic._asdict(),
            mimic_new=joint.mimic and joint.mimic._asdict(),
        )
    return described


def _axes(
    joint: UrdfJoint,
    was: UrdfJoint,
    frame: JointFrame,
    T_old: Mapping[str, Transform],
    T_new: Mapping[str, Transform],
) -> Json:
    """Return the axis of a joint before and after in the same world axes, and the reason for its frame."""
    old = new = asked = None
    if joint.type not in ("fixed", "floating"):
        old = _list(rotate(T_old[was.child].rotation, was.axis))
        new = _list(rotate(T_new[joint.child].rotation, joint.axis))
    if frame.asked is not None:
        asked = {"word": frame.asked.word, "axis": "XYZ"[frame.asked.axis]}
    axis = None if frame.axis is None else "XYZ"[frame.axis]
    return {
        "axis": axis,
        "axis_old": old,
        "axis_new": new,
        "name_class": asked,
        "fallback": frame.fallback,
        "tilt": frame.tilt,
    }


def _limits(joint: UrdfJoint) -> Dict[str, float]:
    """Return the limits of a joint that depend on its sign and zero [rad or m], by name."""
    return {name: value for (_, name), value in joint.positions.items()}


def _link(plan: Plan, name: str, member: LinkMembership) -> Json:
    """Describe a link of the input; T_new_old maps from its old frame to the new frame of `target`."""
    T = plan.placements[name]
    described: Json = {
        "name": name,
        "line": plan.robot.links[name].source.line,
        "state": member.kind,
        "reason": member.reason,
        "target": member.target,
        "removed": plan.is_removed(name),
        "T_new_old": {
            "xyz": _list(T.translation),
            "rpy": _list(rpy_from_matrix(T.rotation)),
            "rotation": _rows(T.rotation),
        },
    }
    if not member.merged:
        described["mass_from"] = [
            {
                "link": part.link,
                "mass": part.mass_properties.mass,
                "center": _list(part.mass_properties.center),
            }
            for part in plan.bodies[name].parts
            if part.mass_properties is not None
        ]
    return described


def joint_orders(joints: Sequence[Any], root: str) -> Dict[str, List[str]]:
    """List the names of the joints with one coordinate in the orders by which programs index them.

    As given: file order. Breadth first from the root. Depth first: MuJoCo, Drake and Newton. Siblings are in file
    order. `joints` are records of any kind with a name, type, parent and child.

    In USD, to which Isaac converts a URDF, siblings are sorted by the names of their prims: PhysX goes breadth first,
    Newton depth first.
    """
    by_name = sorted(joints, key=lambda joint: re.sub("[^A-Za-z0-9_]", "_", joint.name))
    orders = {
        "declaration ros": list(joints),
        "breadth_first": _breadth_first(root, joints),
        "depth_first mujoco newton": _depth_first(root, joints),
        "physx_usd isaac": _breadth_first(root, by_name),
        "newton_usd": _depth_first(root, by_name),
    }
    names_by_word: Dict[str, List[str]] = {}
    for words, ordered in orders.items():
        names = [joint.name for joint in ordered if joint.type in MOVABLE]
        names_by_word.update((word, names) for word in words.split())
    return names_by_word


def _depth_first(root: str, joints: Sequence[Any]) -> List[Any]:
    """Return the joints of the root's descendants, each followed by the joints of its child's descendants."""
    below = grouped((joint.parent, joint) for joint in joints)
    return [*depth_first(below.get(root, []), lambda joint: below.get(joint.child, []))]


def _breadth_first(root: str, joints: Sequence[Any]) -> List[Any]:
    """Return the joints of the root's descendants, level by level."""
    below = grouped((joint.parent, joint) for joint in joints)
    order = [*below.get(root, ())]
    for joint in order:  # the list grows while it is read
        order += below.get(joint.child, ())
    return order


def _rows(R: Matrix) -> List[List[float]]:
    """Return the rows of a matrix, rounding errors of zero removed."""
    return [*map(_list, R)]


def _list(values: Sequence[float]) -> List[float]:
    """Return numbers, rounding errors of zero removed, and zeros without a sign."""
    return [value + 0.0 for value in without_noise(tuple(values), RECORD_NOISE)]


# ==== urdf_tools/cli/parse_arguments.py ====
# Parse the words of one command: a parser made of its rows, its help in two lengths, and hints on unknown options.

# The commands, each with its purpose; a robot without a command means the first.
VERBS: Dict[str, str] = {
    SIMPLIFY: "the default: merge, strip, reorient; same robot",
    "edit": "change what you name, and nothing else",
    "collision": "replace collision meshes by shapes that contain them",
    "pairs": "find the links that can never touch, for MoveIt",
    "compare": "prove that two files are one robot, or say what differs",
    "lint": "find what is wrong in a file; --fix repairs it",
    "export": "write the robot as it is in another format",
    "view": "show a robot, or two, in a browser",
    "explain": "explain a finding, or an error message of another program",
    "mcp": "serve these commands to an assistant (Model Context Protocol)",
}
EXPORT = "export"
EXIT_STATUS = "exit status: 0 done, 1 not done, 2 input or options refused, 3 proof failed"
MODEL_ENDINGS = (*COLLADA_ENDINGS, ".stl", ".obj", ".gltf", ".glb")  # of models without a robot
# The options of `export` that a model without a robot takes.
OF_MODELS = (
    "split",
    "mesh_format",
    "scale",
    "missing_unit",
    "up_axis",
    "for",
    "visual_error",
    "report",
    "yes",
    "force",
    "quiet",
    "full",
    "color",
)
# Older spellings, which the first users of the COLLADA splitter know.
SAME: Mapping[str, Texts] = {
    "--separate-dae-meshes": ("--split", "color"),
    "--combine-dae-meshes": ("--mesh-format", "stl"),
    "--combine": ("--mesh-format", "stl"),
}


class Command(Record):
    """A command as its help shows it.

    Attributes:
        verb: its name.
        usage: the words after the name of the program.
        sentences: its description.
        examples: words of a command line, each with its purpose.
        status: the line on exit statuses, "" for none.
        output: the default name of its output.
    """

    verb: str
    usage: str
    sentences: str
    examples: Pairs
    status: str = ""
    output: str = ""


SIMPLIFY_COMMAND = Command(
    verb=SIMPLIFY,
    usage="ROBOT [-o FILE] [options]",
    sentences="Merge fixed joints, strip motor parts, and fix the axes and frames of a "
    "URDF. Nothing is written unless the result is proven to be the same robot.",
    examples=(
        ("robot.urdf", "show the plan, ask, write"),
        ("robot.urdf --keep-signs --keep-frames -o clean.urdf", ""),
        ("compare a.urdf b.xml", "same robot? if not, where"),
        ("lint robots/", "find mistakes and cures"),
        ('edit robot.urdf --lock "waist_*"', ""),
        ("export robot.urdf robot.xml", "MuJoCo; .sdf, .usda, ..."),
        ("view robot.urdf", "see it in a browser"),
    ),
    status=EXIT_STATUS,
    output="ROBOT_simplified.urdf",
)


class _ArgumentParser(argparse.ArgumentParser):
    """A parser that raises its errors instead of printing them."""

    def error(self, message: str) -> NoReturn:
        """Raise a refusal that begins with the option."""
        start = len("argument ") if message.startswith("argument ") else 0
        raise UsageError(message[start:])


def python_name() -> str:
    """Return the command that starts Python: on Windows, where `python3` opens a shop, the launcher if it is installed."""
    if os.name != "nt":
        return "python3"
    from shutil import which

    return "py" if which("py") else os.path.splitext(os.path.basename(sys.executable))[0]


def program_name() -> str:
    """Return how the program was started: the name of the file or command, or `python3 -m urdf_tools`."""
    path = sys.argv[0] if sys.argv else ""
    folder, name = os.path.split(path)
    if name == "__main__.py":
        return f"{python_name()} -m {os.path.basename(folder)}"
    return "urdf_simplify.py" if name in ("", "-", "-c", "-m") else name


def command_to_paste() -> Words:
    """Return the first words of a command line that starts this program again."""
    program = program_name()
    if program.startswith(f"{python_name()} -m "):
        return program.split()
    return [python_name(), sys.argv[0]] if sys.argv[0].endswith(".py") else [program]


def verb_of(words: Sequence[str]) -> Tuple[str, Words]:
    """Return the command that the words name, and the words without it.

    A first word that is the name of a command is the command, whatever files exist: a script must not change its
    meaning with its folder.

    Raises:
        UsageError: a command stands after an option, or the first word is neither a command nor a file.
    """
    first = words[0] if words else ""
    if first in VERBS:
        return first, list(words[1:])
    late = next((word for word in words if word in VERBS and not os.path.exists(word)), "")
    if late and first.startswith("-"):
        raise UsageError(f"the command comes first: {program_name()} {late} ...")
    is_word = first.isalpha() and not os.path.lexists(first)
    meant = did_you_mean(first, (*VERBS, "--check")) if is_word else ""
    if meant:
        raise UsageError(f"no file '{first}', and no such command{meant}")
    return SIMPLIFY, list(words)


def is_model(path: str) -> bool:
    """Return True for the name of a model without a robot."""
    return path.lower().endswith(MODEL_ENDINGS)


def _require_names_of_outputs(rows: Sequence[OptionRow], given: Mapping[str, object]) -> None:
    """Refuse standard output if a further file would be made beside the result."""
    for row in rows:
        if row.is_output and given.get(row.name) == "-" and row.name != "output":
            raise UsageError(
                f"{row.spelling} -: give the name of a file; only --output can be standard output"
            )


def parse(verb: str, table: Sequence[OptionRow], words: Sequence[str]) -> argparse.Namespace:
    """Return the values of the options of a command by name, its `files`, `words`, and the `verb`.

    If an option that is not repeatable is given several times, the last value counts.

    Args:
        verb: the command.
        table: the options of all commands.
        words: the words after the command.

    Raises:
        UsageError: an unknown option, with the most similar known option; or an invalid value.
    """
    rows = _rows_of_words(verb, table)
    first_words = [word for word in words if word in SAME]
    if len({SAME[word] for word in first_words}) > 1:
        raise UsageError(f"{first_words[0]} and {first_words[1]} cannot be combined")
    # After `--` every word is a file, even if it begins with a hyphen.
    end = words.index("--") if "--" in words else len(words)
    options = [*chain.from_iterable(SAME.get(word, (word,)) for word in words[:end])]
    parsed, rest = _parser_of(rows, " ".join(options)).parse_known_args(options)
    # Without any positional argument argparse returns files, also the `-` of standard input, as unknown words.
    unknown = [word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"]
    if unknown:
        raise UsageError(f"{verb}: unknown option {unknown[0]}{_hint(verb, unknown[0], table)}")
    given = {name: value for name, value in vars(parsed).items() if value is not None}
    files = [*rest, *words[end + 1 :]]
    if not _are_found(rows, given):
        files = expanded_patterns(files)
    return arguments_of(verb, rows, table, given, files=files, words=words)


def arguments_of(
    verb: str,
    rows: Sequence[OptionRow],
    table: Sequence[OptionRow],
    given: Choices,
    *,
    files: Words,
    words: Sequence[str],
    spelled: Callable[[OptionRow], str] = lambda row: row.spelling,
) -> argparse.Namespace:
    """Return the values of the options of a command by name, its `files`, `words`, and the `verb`.

    Args:
        verb: the command.
        rows: its options.
        table: the options of all commands.
        given: the values that are given, by name.
        files: the words that are no options.
        words: the command line, from which `edit` takes the order of its edits.
        spelled: how the caller spells an option, for messages.

    Raises:
        UsageError: a value cannot be used, or no file is given.
    """
    _require_names_of_outputs(rows, given)
    if verb == EXPORT and files and is_model(files[0]):
        _refuse_options_of_robots(files[0], rows, given)
        rows = [row._replace(needs=()) for row in rows]  # a model is converted anyway
    values = values_of(rows, given, spelled)
    if not files and not _are_found(rows, given):
        _refuse_no_file(rows, values)
    # Options of other commands have their defaults, as a run may look at them.
    others = {row.name: row.default for row in table}
    return argparse.Namespace(**{**others, **values}, files=files, words=list(words), verb=verb)


def _are_found(rows: Sequence[OptionRow], given: Choices) -> bool:
    """Return True if an option finds the files itself: words are patterns then, and there may be none."""
    return any(row.finds_files and row.name in given for row in rows)


def _parser_of(rows: Sequence[OptionRow], text: str) -> argparse.ArgumentParser:
    """Return a parser of those options that may be in a text; an option that is not given is None or missing."""
    # argparse shows no help here, but without a width it loads shutil, with its compressors, to measure the terminal.
    formatter = partial(argparse.HelpFormatter, width=80)
    parser = _ArgumentParser(add_help=False, allow_abbrev=False, formatter_class=formatter)
    for row in rows:
        # Adding them all would take longer than reading the words.
        if not row.short and row.spelling not in text:
            continue
        kind = "append" if row.repeatable else "store"
        action: Dict[str, Any] = {"action": kind}
        if row.kind is bool:
            action = {"action": "store_const", "const": not row.default}
        names = filter(None, (row.short, row.spelling))
        parser.add_argument(*names, dest=row.name, default=None, **action)
    return parser


def _rows_of_words(verb: str, table: Sequence[OptionRow]) -> List[OptionRow]:
    """Return the options of a command; their numbers are read from words."""
    rows = []
    for row in rows_of(verb, table):
        if row.kind in (int, float):
            row = row._replace(read=row.read or row.kind)
        rows.append(row)
    return rows


def _refuse_no_file(rows: Sequence[OptionRow], values: Choices) -> NoReturn:
    """Refuse a command line without a file, or whose file was taken for the value of an option."""
    for row in rows:
        if row.is_output and os.path.isfile(values[row.name] or ""):
            raise UsageError(
                f"which robot? '{values[row.name]}' was read as the value of {row.spelling}"
            )
    raise UsageError("no file is given; -h shows how to start")


def _refuse_options_of_robots(path: str, rows: Sequence[OptionRow], given: Choices) -> None:
    """Refuse options that would do nothing to a model without a robot."""
    for row in rows:
        if row.name in given and row.name not in OF_MODELS:
            raise UsageError(f"{row.spelling} is for a robot, and {path} is a mesh")


def _hint(verb: str, word: str, table: Sequence[OptionRow]) -> str:
    """Return a hint on an unknown option: the command that has it, or a similar spelling."""
    if verb == EXPORT and word in ("-o", "--output"):
        return f": the files to write follow the robot, as in {program_name()} export robot.urdf robot.xml"
    spelled = {row.spelling: row for row in table}
    spelled.update({row.short: row for row in table if row.short})
    others = spelled[word].verbs.split() if word in spelled else []
    if others:
        return f"; it belongs to {', '.join(others)}"
    names = [row.spelling for row in rows_of(verb, table)]
    if "--split" in names:
        names += SAME
    begun = {name[: len(word)]: name for name in names}
    listed = f"; see {program_name()} {verb} --help"
    return did_you_mean(word, names, begun) or listed


LAST_OPTIONS = (
    ("-h, --help", "this page; --help shows all options"),
    ("-V, --version", "show the version, and whether this copy was edited"),
)


def help_lines(
    command: Command, table: Sequence[OptionRow], *, full: bool, elsewhere: str = ""
) -> Lines:
    """Return the help of a command: one screen, or with `full` all of its options and their further sentences.

    `elsewhere` is a line about commands that this program lacks.
    """
    from textwrap import wrap

    program = program_name()
    rows = rows_of(command.verb, table)
    width = LINE_WIDTH.get() - 2
    is_first = command.verb == SIMPLIFY
    name = program if is_first else f"{program} {command.verb}"
    lines = [f"usage: {name} {command.usage}"]
    if is_first:
        lines.append(f"       {program} COMMAND ...")
    lines += ["", *wrap(command.sentences, width), "", *_examples(name, command)]
    if is_first:
        lines += ["", "commands (COMMAND -h explains one):", *_columns(list(VERBS.items()))]
        lines += wrap(elsewhere, width)
    if command.status:
        lines += ["", *wrap(command.status, width)]
    # `top` lists the commands whose short help shows an option; --help and --version are always shown.
    shown = [row for row in rows if full or command.verb in row.top.split()]
    if shown:
        title = "options:" if full else f"options (--help lists all {len(rows) + 2}):"
        lines += ["", title]
        lines += _columns([(row.shown, _help_of(row, command, full=full)) for row in shown])
    if full:
        lines += _columns(LAST_OPTIONS)
    return lines


def _help_of(row: OptionRow, command: Command, *, full: bool) -> str:
    """Return the help of an option, with `full` with its further sentences."""
    text = row.help.replace("{output}", command.output)
    return f"{text}. {row.more}" if full and row.more else text


def _examples(name: str, command: Command) -> Lines:
    """Return the lines of the examples with their explanations in one column; each begins with a name."""
    rows = [(f"{name} {words}".rstrip(), meaning) for words, meaning in command.examples]
    if command.verb == SIMPLIFY:
        rows.insert(1, (f"echo yes | {rows[0][0]}", "the same in a script"))
    return _columns(rows, LINE_WIDTH.get() - 23)


def _columns(rows: Sequence[Pair], widest: int = 24) -> Lines:
    """Return lines of names with explanations, which wrap in their column."""
    from textwrap import wrap

    width = max((len(name) for name, words in rows if words and len(name) <= widest), default=0)
    lines: Lines = []
    for name, words in rows:
        first, *more = wrap(words, LINE_WIDTH.get() - 6 - width, break_on_hyphens=False) or [""]
        if len(name) > width:
            lines.append(f"  {name}")
            name = ""
        if name or first:
            lines.append(f"  {name.ljust(width)}  {first}".rstrip())
        lines += [f"{'':{width + 4}}{line}" for line in more]
    return lines


def one_file(arguments: argparse.Namespace, limit: int = 1, advice: str = "") -> None:
    """Refuse more files than a command takes.

    Raises:
        UsageError: names the first file that is too many.
    """
    if len(arguments.files) > limit:
        count = "one robot" if limit == 1 else f"{limit} files"
        raise UsageError(
            f"{arguments.verb} takes {count}{advice or f', and {arguments.files[limit]!r} is one more'}"
        )


# ==== urdf_tools/cli/run_command_line.py ====
# Run a command line: usable streams, signals, and errors as one sentence and an exit status; a line of progress.
#
# Streams can be written in any encoding, and also if they or their pipes are closed.

NOWHERE = os.devnull
# Columns of text at a terminal.
NARROWEST = 60
WIDEST = 120
CLEAR_LINE = "\r\x1b[K"
# Texts that a name may hold and a terminal or the log of a CI obeys instead of showing them: controls except the codes
# of `TextStyle`, marks that turn the direction of writing, and the beginning of a command of GitHub's runner.
OBEYED = (
    "\x1b(?!\\[(?:[01]|3[1236])m)|[\0-\x08\n-\x1a\x1c-\x1f\x7f-\x9f]"
    "|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|(?<!\\S):(?=:)|(?<=#)#(?=\\[)"
)


@contextmanager
def usable_streams() -> Iterator[None]:
    """Make output and errors writable in any encoding, and text as wide as the terminal; closed streams are replaced by
    the null device.
    """
    before = sys.stdout, sys.stderr
    opened: List[TextIO] = []
    width = LINE_WIDTH.set(LINE_WIDTH.get())
    try:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is None:
                opened.append(open(NOWHERE, "w", encoding="utf-8"))
                setattr(sys, name, opened[-1])
            elif hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        LINE_WIDTH.set(columns_of(sys.stdout))
        yield
    finally:
        LINE_WIDTH.reset(width)
        sys.stdout, sys.stderr = before
        for stream in opened:
            stream.close()


def columns_of(stream: TextIO) -> int:
    """Return the width of a stream's text: the terminal's width within limits, else the default."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (AttributeError, OSError, ValueError):  # not a terminal, or not a file
        columns = 0
    return max(NARROWEST, min(WIDEST, columns)) if columns else LINE_WIDTH.get()


def is_closed(stream: TextIO) -> bool:
    """Return True if a stream was closed when the run began."""
    return getattr(stream, "name", "") == NOWHERE


def warning_lines(path: str, notices: Iterable[Diagnostic]) -> Lines:
    """Return a line of text for each notice about a file, as compilers write them; notices without a line number that
    differ only in their first name, such as missing meshes, share a line.
    """
    shown = [notice for notice in notices if notice.kind.severity != NOTE]
    lines = []
    for alike in grouped((_sameness(notice), notice) for notice in shown).values():
        first, *more = alike
        names = shown_names((notice.names[0] for notice in more), 2)
        others = f"; also {names}" if names else ""
        where = f"{path}:{first.line}" if first.line else path
        lines.append(f"warning: {where}: {first.text}{others}")
    return lines


def _sameness(notice: Diagnostic) -> Hashable:
    """Return the part of a notice that it shares with the notices of its line of text."""
    return notice if notice.line else (notice.kind, notice.sentence, notice.names[1:])


def style_of(stream: TextIO, color: str = "auto", *, full: bool = False) -> TextStyle:
    """Return the style a stream can show: box characters, and colors if it is a terminal."""
    try:
        "\u251c\u2500\u2514\u2502".encode(getattr(stream, "encoding", None) or "ascii")
        boxes = True
    except (UnicodeError, LookupError):
        boxes = False
    likes = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return TextStyle(boxes, color == "always" or color == "auto" and likes, full)


def harmless(line: str) -> str:
    """Return a line with each character that a terminal would obey written as in JSON, such as `\\u009b`."""
    # Nearly all lines are printable and contain no marker, so the slow pattern is skipped.
    if line.isprintable() and "::" not in line and "##[" not in line:
        return line
    return re.sub(OBEYED, lambda match: f"\\u{ord(match.group()):04x}", line)


def say(lines: Iterable[str], stream: TextIO, *, exact: bool = False) -> None:
    """Print lines; a closed pipe stops the output, not the run.

    Lines for a person are `harmless`, in the encoding of the stream. `exact` lines are for a program: as they are, and
    in UTF-8 with "\\n" unless the stream is a terminal, as readers of JSON and `patch` need them on every system.

    Raises:
        UsageError: the stream cannot be written for another reason, such as a full disk.
    """
    waiting = iter(lines) if exact else map(harmless, lines)
    is_for_program = exact and hasattr(stream, "buffer") and not stream.isatty()
    for block in iter(lambda: "".join(line + "\n" for line in islice(waiting, 4096)), ""):
        if is_for_program:
            # Surrogates from undecodable bytes of file names are not UTF-8; they become the escapes of JSON.
            write_bytes(block.encode("utf-8", "backslashreplace"), stream, may_close=True)
        else:
            write_text(block, stream)


def write_text(text: str, stream: TextIO) -> None:
    """Write text in the encoding of a stream; see `say`."""
    with _reported_stream(stream, may_close=True):
        stream.write(text)
        stream.flush()


def write_bytes(data: bytes, stream: TextIO, *, may_close: bool = False) -> None:
    """Write bytes as they are.

    Raises:
        UsageError: the stream cannot be written, or its reader ended early although it must not (`may_close` is False).
    """
    with _reported_stream(stream, may_close=may_close):
        stream.flush()
        stream.buffer.write(data)
        stream.flush()


@contextmanager
def _reported_stream(stream: TextIO, *, may_close: bool) -> Iterator[None]:
    """Turn an OSError of a stream into a message, or ignore it if a pipe may lose its reader (`may_close`)."""
    try:
        yield
    except OSError as error:
        # The rest of the buffer goes to the null device when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if may_close and _is_closed_pipe(error):
            return
        # If standard error is closed, Python may give its number to a file that it opens itself: not a reason to end
        # the run.
        if may_close and stream is sys.stderr:
            return
        raise UsageError(f"cannot be written: {error.strerror}", stream.name) from None


def _is_closed_pipe(error: OSError) -> bool:
    """Return True if a pipe has no reader any more: Windows reports that as an invalid argument (bpo-19612)."""
    return isinstance(error, BrokenPipeError) or os.name == "nt" and error.errno == errno.EINVAL


@contextmanager
def progress_line(stream: TextIO) -> Iterator[Optional[Show]]:
    """Yield a function that shows the name of a mesh and its triangles so far in one line; None without a terminal.

    The line appears after a second, changes at most twice a second, and is cleared at the end. Without triangles it is
    the name only.
    """
    shown = False
    shown_at = time.monotonic() + 0.5

    def show(name: str, triangles: int) -> None:
        """Show a name, and its triangles so far, if the line was not changed just now."""
        nonlocal shown, shown_at
        now = time.monotonic()
        if now > shown_at + 0.5:
            shown = True
            shown_at = now
            count = f": {triangles:,} triangles" if triangles else ""
            stream.write(f"{CLEAR_LINE}{harmless(name)}{count} ")
            stream.flush()

    shows = show if stream.isatty() else None
    try:
        yield shows
    finally:
        if shown:
            stream.write(CLEAR_LINE)


WRITTEN = 0
NOT_DONE = 1
REFUSED = 2
PROOF_FAILED = 3
FAULT = "This is a fault of urdf_simplify:"


def run_command_line(
    argv: Optional[Sequence[str]],
    run: Callable[[str, Words], int],
    help_of: Callable[..., Lines],
) -> int:
    """Find the command of a command line, show its help, or run it; return the exit status.

    Args:
        argv: the words; None: those that the process was started with.
        run: takes a command and the words after it; returns the exit status.
        help_of: given a command, and by name whether all of its options are wanted (`full`), return the lines of its
            help.
    """

    def command(given: Words) -> int:
        """Run the command of a command line, or show its help; return the exit status."""
        if {"--version", "-V"}.intersection(given) or _is_word(given, "version"):
            say([version_text()], sys.stdout)
            return WRITTEN
        if _is_word(given, "help"):
            given = [*given[1:], "-h"]
        elif given[:1] in (["-h"], ["--help"]):
            given = [*given[1:], given[0]]
        verb, words = verb_of(given)
        if not {"-h", "--help"}.intersection(words):
            return run(verb, words)
        say(help_of(verb, full="--help" in words), sys.stdout)
        return WRITTEN

    given_words = sys.argv[1:] if argv is None else argv
    # The trees live to the end: a collection would cost a fifth of the time.
    with collector_at_rest(ends=argv is None):
        return run_command(command, given_words)


def _is_word(given: Sequence[str], word: str) -> bool:
    """Return True if a command line begins with a word that is no command and no file."""
    return given[:1] == [word] and not os.path.lexists(word)


def run_command(command: Callable[[Words], int], words: Sequence[str]) -> int:
    """Run a command with its words; return its exit status, or the exit status of the error or interruption."""
    with usable_streams(), ends_on_signals():
        try:
            return command(list(words))
        except KeyboardInterrupt:
            say([""], sys.stderr)
            return NOT_DONE
        except Exception as error:  # a fault has an exit status of its own, which no answer has
            return print_error(error, value_given(words, "--color") or "auto")


def value_given(words: Sequence[str], option: str) -> str:
    """Return the value of an option in a command line that may be invalid, "" for none."""
    # The value may be the next word.
    spelled = [*words, *map("=".join, zip(words, words[1:]))]
    return next((word[len(option) + 1 :] for word in spelled if word.startswith(f"{option}=")), "")


def print_error(error: Exception, color: str) -> int:
    """Print an error, of an unexpected one also the line that raised it; return the exit status."""
    lines = [f"error: {line}" for line in str(error).split("\n")]
    if isinstance(error, BrokenMesh) and error.cure:
        lines.append(f"cure: {error.cure}")
    is_refusal = isinstance(error, UrdfSimplifyError) and not isinstance(error, ProofFailed)
    if isinstance(error, ProofFailed):
        lines.append(f"The result would not be the same robot, so nothing was written. {FAULT}")
    elif not is_refusal:
        lines = [f"error: {type(error).__name__}: {error} ({_place_of(error)})", FAULT]
    if not is_refusal:
        lines.append(f"please report it together with the file and this line: {version_text()}")
    say(map(style_of(sys.stderr, color).bad, lines), sys.stderr)
    return REFUSED if is_refusal else PROOF_FAILED


def _place_of(error: Exception) -> str:
    """Return file and line of the code that raised an error."""
    from traceback import extract_tb  # only a fault needs it

    place = extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(place.filename)}:{place.lineno}"


@contextmanager
def ends_on_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the run like an error, so that temporary files are removed."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        before = [(number, signal.signal(number, end_by_signal)) for number in numbers]
    except ValueError:  # not in the main thread, where signals do not arrive anyway
        before = []
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def end_by_signal(number: int, _frame: object) -> NoReturn:
    """Turn a signal into an exit, so that temporary files are removed."""
    # As shells report a process that a signal ended.
    raise SystemExit(128 + number)


# ==== urdf_tools/cli/consent_question.py ====
# Announce what will be written, and ask for consent.

QUESTION = "Proceed? (yes/no/?):"
NO = ("no", "n")
WHOLE_WORD = "Type yes in full to write, no to write nothing, or ? for more."
ANSWERS = {
    "all": "the whole plan",
    "diff": "the lines that change",
    "page": "before and after, in the browser",
}
Replans = Optional[Callable[[Words], Callable[[], int]]]
MAKES = ("makes the folder ", "makes the folders ")
WRITES = "writes "
REPLACES = "replaces "
FOREIGN = ", not marked as written by this tool"


def announcement(
    files: Iterable[Tuple[str, bytes]],
    meshes: Sequence[FinishedFile],
    makes: Callable[[str], bool],
) -> List[Announced]:
    """Return for each file to write, and for the meshes, the text before its name, the name, and the text after it.

    New folders come first, as a wrong name may be a typing error, and replaced files come last.

    Args:
        files: the names of the files, with their bytes.
        meshes: the meshes.
        makes: takes a folder; returns whether the run makes it.
    """
    files = list(files)
    announced = _announce_folders([output for output, _ in files], makes)
    announced += [_announce_file(output, data) for output, data in files]
    announced += _announce_meshes(meshes)
    return sorted(announced, key=lambda row: row[0] == REPLACES)


def _announce_folders(outputs: Sequence[str], makes: Callable[[str], bool]) -> List[Announced]:
    """Return the announcement of each new folder that an output needs."""
    folders = dict.fromkeys(os.path.dirname(output) for output in outputs)
    missing = [folder for folder in folders if makes(folder)]
    lead = MAKES[len(missing) > 1]
    return [(lead, folder, "") for folder in missing]


def _announce_file(output: str, data: bytes) -> Announced:
    """Return the announcement of a file, with a warning if this tool did not write the one that it replaces."""
    is_other = is_foreign(output, data)
    lead = WRITES if is_other is None else REPLACES
    tail = FOREIGN if is_other else ""
    return lead, output, tail


def _announce_meshes(files: Sequence[FinishedFile]) -> List[Announced]:
    """Return the announcement of all meshes, and of each file that a mesh replaces and this run did not make."""
    if not files:
        return []
    foreign = foreign_files(files)
    replaced = sum(os.path.exists(file.target) for file in files) - len(foreign)
    folder = folder_of(files)
    again = f" ({replaced} of them again)" if replaced > 0 else ""
    beside = sum(file.along for file in files)
    meshes = count_of(len(files) - beside, "mesh", "meshes")
    along = f" and {count_of(beside, 'file')} with them" if beside else ""
    return [(f"{WRITES}{meshes}{along} to ", folder, again), *map(_announce_foreign, foreign)]


def _announce_foreign(file: FinishedFile) -> Announced:
    """Return the announcement of a file that a mesh of another origin replaces."""
    tail = FOREIGN
    if is_marked(file.target):
        tail = f", which was made from another file than {file.origin}"
    return REPLACES, file.target, tail


def at_terminal() -> bool:
    """Return True if a person can answer a question."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def _why_not(answer: str, word: str, replans: Replans) -> str:
    """Return why nothing is written after an answer, and a cure; "" for a plain no."""
    if word in NO:
        return ""
    if replans and word.startswith("-"):
        cure = "options are an answer at a terminal only: add them to the command"
    else:
        cure = "-y writes without asking"
    why = ""
    if word:
        why = f": the answer was '{answer.strip()}', not 'yes'"
    elif not answer:
        why = " (no answer to read)"
    return f"{why}; {cure}"


def ask(
    stream: TextIO, style: TextStyle, shows: Shows, replans: Replans = None
) -> Union[bool, Callable[[], int]]:
    """Ask, and read one line: only `yes` continues, and end of input means no.

    At a terminal any other answer repeats the question; `?` explains the answers.

    Args:
        stream: where the question goes.
        style: the style of that stream.
        shows: functions that show more, by the answer that runs them.
        replans: takes an answer of further options; returns a run with them. None: options are not an answer.

    Returns:
        Whether to write, or a function that plans again with other options.
    """
    # Only the whole word starts writing. Without a terminal nobody can correct an answer, so it counts as no.
    while True:
        try:
            write_text(style.title(QUESTION) + " ", stream)
            is_open = sys.stdin is not None and not sys.stdin.closed
            answer = sys.stdin.readline() if is_open else ""
        except UnicodeDecodeError:
            answer = "*"  # not text, so neither yes nor no
        except KeyboardInterrupt:
            say(["", "Stopped. Nothing was written."], stream)
            return False
        word = _without_mark(answer).strip().lower()
        interactive = bool(answer) and at_terminal()
        if not interactive:
            say([answer.strip()], stream)
        if word == "yes":
            return True
        if not interactive or word in NO:
            say([f"Nothing was written{_why_not(answer, word, replans)}."], stream)
            return False
        if replans and word.startswith("-"):
            try:
                return replans(answer.split())
            except UsageError as error:  # most often a typo
                say([f"error: {error}"], stream)
        elif word in shows:
            shows[word]()
        else:
            lines = _answers(shows, replans) if word == "?" else [WHOLE_WORD]
            say(lines, stream)


def _without_mark(answer: str) -> str:
    """Return an answer without the byte order mark that PowerShell puts before a text in a pipe."""
    encoding = getattr(sys.stdin, "encoding", None) or "utf-8"
    mark = codecs.BOM_UTF8.decode(encoding, "replace")
    return answer[len(mark) :] if answer.startswith(mark) else answer


def _answers(shows: Shows, replans: Replans) -> Lines:
    """Return the lines that explain the answers."""
    lines = ["  yes     write the files", "  no      write nothing"]
    lines += [f"  {word.ljust(7)} {ANSWERS[word]}" for word in shows]
    if replans:
        lines.append("  or type options to plan again, such as --keep-signs --count-once")
    return lines


# ==== urdf_tools/cli/extract_meshes_command.py ====
# Split a COLLADA model into binary STL files, one for each color, in meters: `export model.dae parts/`.


def extract(arguments: argparse.Namespace) -> int:
    """Split the model that a command line names, and describe its parts; return the exit status.

    Raises:
        UrdfError: see `extract_meshes_from_dae`.
    """
    converter = MeshConverter(options_from(vars(arguments)).meshes)
    print_conversion(arguments, extract_model(arguments, converter))
    return WRITTEN


def extract_model(arguments: argparse.Namespace, converter: MeshConverter) -> DaeConversionResult:
    """Split the model that a command line names, into the folder that it names.

    Raises:
        UsageError: the file is missing, or the target is not a folder.
    """
    model, *targets = arguments.files
    if not os.path.lexists(model):
        raise no_such_file(model)
    folder = targets[0] if targets else default_folder(model)
    if len(targets) > 1 or is_model(folder):
        raise UsageError("export of COLLADA to STL takes one folder, such as parts/", targets[-1])
    with progress_line(sys.stderr) as show:
        progress = partial(show, os.path.basename(model)) if show else None
        return extract_conversion(
            model,
            folder,
            converter,
            separate=not arguments.mesh_format,
            force=arguments.force,
            progress=progress,
        )


def print_conversion(arguments: argparse.Namespace, conversion: DaeConversionResult) -> None:
    """Print one line for each part, and the notes as warnings on standard error."""
    notes = []
    for part in conversion.parts:
        size = " x ".join(f"{high - low:.4g}" for low, high in zip(*part.bounds))
        color = f"rgba {rgba_text(part.rgba)}" if part.rgba else "no color"
        if not arguments.quiet:
            say([f"{part.file}: {part.triangles} triangles, {size} m, {color}"], sys.stdout)
        notes += [(part.file, note) for note in part.notes]
    notes += [(arguments.files[0], note) for note in conversion.notes]
    say([f"{note.kind.severity}: {name}: {note}" for name, note in notes], sys.stderr)


# ==== urdf_tools/cli/run_and_ask.py ====
# One run of the command line on a robot: read, simplify in memory, show, ask, write.


class PreparedRun(Record):
    """A run up to the question: the arguments, the name of its output, and the result in memory."""

    arguments: argparse.Namespace
    path: str
    output: str
    companions: Tuple[CompanionFile, ...]
    result: Result

    @property
    def looks(self) -> bool:
        """Return True if the run shows something other than its plan, and writes nothing except a --report."""
        return bool(self.arguments.check or getattr(self.arguments, "diff", False))

    @property
    def shows_only(self) -> bool:
        """Return True if the run does not write its result."""
        return bool(self.looks or self.arguments.dry_run)

    @property
    def report(self) -> TextIO:
        """The stream for the text that a person reads."""
        return sys.stderr if self.output == "-" else sys.stdout

    @property
    def style(self) -> TextStyle:
        """The style of that text."""
        return style_of(self.report, self.arguments.color, full=self.arguments.full)

    @property
    def changed(self) -> bool:
        """Return True if the URDF or a companion would change."""
        return self.result.changed or any(followed.changed for followed in self.result.companions)

    @property
    def warnings(self) -> Diagnostics:
        """All warnings: about the URDF, of the exports, and about companions."""
        result = self.result
        of_companions = (followed.updates.warnings for followed in result.companions)
        return [
            *result.plan.warnings,
            *result.exported.warnings,
            *chain.from_iterable(of_companions),
        ]


def run(
    arguments: argparse.Namespace,
    extension: RunExtension,
    default: str,
    again: Replans = None,
    says_check: Optional[Callable[[PreparedRun], None]] = None,
) -> int:
    """Read, change in memory, verify, show, ask, write; return the exit status.

    Args:
        arguments: the options of the command, and one file.
        extension: the features of the package.
        default: the name of the output if none is given; "": no output is written then.
        again: see `replans` of `ask`.
        says_check: prints the outcome of --check; None: a line for each document.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
    """
    # Everything that can be refused by name is refused before the input is read.
    options = options_from(vars(arguments), "--base-frame")
    looks = arguments.check or getattr(arguments, "diff", False)
    path, output = _names_of_run(arguments, default, shows_only=looks or arguments.dry_run)
    to_stdout = output == "-"
    target = "" if to_stdout else output
    asked = ExtensionRequest(
        vars(arguments),
        path,
        target,
        writes=not (looks or arguments.dry_run),
        spelled=extension.spelled,
        exports=not looks,
    )
    companions = extension.companions(asked)
    read = partial(read_expanded, arguments.files[0], arguments.xacro_args, options.meshes.package)
    outputs = outputs_of(arguments, asked, output, companions)
    with says_if_stopped_late() as transaction, transaction:
        result = prepare(
            asked,
            options,
            read,
            extension,
            transaction,
            outputs=outputs,
            companions=companions,
            progress=partial(progress_line, sys.stderr),
            to_stream=to_stdout,
        )
        ran = PreparedRun(
            arguments=arguments, path=path, output=output, companions=companions, result=result
        )
        shows: Shows
        if arguments.check:
            shows = {"check": partial(says_check or _say_check, ran)}
        else:
            shows = extension.shows(asked, result, arguments.color)
        answer = show_and_write(ran, shows, transaction, again)
    # An answer of further options starts a new run; the transaction has ended, and its temporary files are removed.
    return answer if isinstance(answer, int) else answer()


def _names_of_run(
    arguments: argparse.Namespace, default: str, *, shows_only: bool
) -> Tuple[str, str]:
    """Return the names of input and output; "-" is standard output, "" no output.

    Raises:
        UsageError: the input is a mesh, standard input is needed for the answer, or standard output is closed.
    """
    path = arguments.files[0]
    if is_model(path):
        raise UsageError(
            f"this is a mesh, not a robot: {program_name()} export {path} converts it", path
        )
    output = arguments.output or ""
    if path == "-":
        path = "<stdin>"
        if not shows_only:
            _refuse_question(arguments, default)
    elif not output:
        output = default
    if output == "-" and is_closed(sys.stdout):
        raise UsageError("standard output is closed", "<stdout>")
    return path, output


def _refuse_question(arguments: argparse.Namespace, default: str) -> None:
    """Refuse a run that would ask while the robot comes from standard input, where the answer would come from.

    Raises:
        UsageError: the run would ask.
    """
    if arguments.yes and (arguments.output or not default):
        return
    needed = "--output and --yes" if default else "--yes"
    raise UsageError(
        f"standard input holds the robot, so it cannot answer the question: give {needed}, or --dry-run",
        "<stdin>",
    )


@contextmanager
def says_if_stopped_late() -> Iterator[Transaction]:
    """Yield a transaction; if a signal ends the run, print whether everything was already written."""
    transaction = Transaction()
    try:
        yield transaction
    except (KeyboardInterrupt, SystemExit):
        if transaction.done:
            sentence = "Stopped, but everything was written."
        else:
            sentence = "Stopped. No file was written."
        say(["", sentence], sys.stderr)
        raise


def show_and_write(
    ran: PreparedRun,
    shows: Shows,
    transaction: Transaction,
    replans: Replans,
) -> Union[int, Callable[[], int]]:
    """Show the result and, unless the run only shows, ask and write.

    Args:
        ran: the run up to the question.
        shows: further displays of it, by the answer that opens them.
        transaction: stages all files.
        replans: see `ask`.

    Returns:
        The exit status, or a function that plans again with other options.
    """
    result = ran.result
    arguments = ran.arguments
    # At a terminal, an unchanged input is not copied, so no question appears; a script always gets its file.
    files = files_to_write(ran)
    is_result = not (arguments.yes or ran.shows_only) and at_terminal() and _is_result(ran)
    writes = not (ran.shows_only or is_result) and (bool(files) or ran.output == "-")
    names: List[Announced] = []
    if writes:
        names = announcement(files, result.plan.meshes.files, transaction.makes)
    if ran.looks:
        word = "check" if arguments.check else "diff"
        shows[word]()
    elif arguments.quiet:
        _say_warnings(ran, names)
    else:
        _say_plan(ran, names, is_result=is_result)
    if ran.shows_only:
        return _write_while_showing(ran, files, transaction)
    if not writes:
        return WRITTEN
    paths = [name for name, _ in files]
    paths += [file.target for file in result.plan.meshes.files]
    say(hard_link_warnings(paths), sys.stderr)
    answer = _answer(ran, names, shows, replans)
    if answer is not True:
        return answer or NOT_DONE
    # The stream is written first: if it is closed, no file appears.
    to_stream = partial(write_bytes, result.data, sys.stdout) if ran.output == "-" else None
    write_result(result, files, transaction, force=arguments.force, meanwhile=to_stream)
    if not arguments.quiet:
        say(outcome(result, ran.output, _further(ran), ran.warnings, ran.style), ran.report)
    return WRITTEN


def _answer(
    ran: PreparedRun,
    names: List[Announced],
    shows: Shows,
    replans: Replans,
) -> Union[bool, Callable[[], int]]:
    """Ask if the files may be written; return the answer, or a function that plans again."""
    # New files of an export harm nobody; only a file that replaces something needs a question.
    replaces = any(lead == REPLACES or tail for lead, _, tail in names)
    makes_only = ran.arguments.verb == "export" and not replaces
    if ran.arguments.yes or makes_only:
        return True
    whole = ran.style._replace(full=True)

    def show_all() -> None:
        """Print the plan with all its lines."""
        say(_plan(ran, names, whole), ran.report)

    return ask(ran.report, ran.style, {"all": show_all, **shows}, replans)


def outputs_of(
    arguments: argparse.Namespace,
    asked: ExtensionRequest,
    output: str,
    companions: Sequence[CompanionFile],
) -> List[Destination]:
    """Return the files that a run writes: the output, unless that is only shown and not named, and the report.

    Raises:
        UsageError: a companion file has no name for its result.
    """
    for companion in companions:
        if output == "-" and asked.writes and not companion.destination.path:
            raise UsageError(
                "the URDF goes to standard output, so this would have no name: give --output a file",
                companion.destination.own_input,
            )
    is_file = output not in ("", "-") and (arguments.output or asked.writes)
    target = output if is_file else ""
    spelled = "TARGET" if arguments.verb == "export" else "--output"
    outputs = (
        Destination(spelled, target, asked.path),
        Destination("--report", arguments.report, ""),
    )
    return [destination for destination in outputs if destination.path]


def files_to_write(ran: PreparedRun) -> List[Tuple[str, bytes]]:
    """Return name and bytes of every file; a run that only shows has the report and the exports at most.

    A file that would replace itself unchanged is left out.
    """
    files: List[Tuple[str, bytes]] = []
    result = ran.result
    output = ran.output
    report = ran.arguments.report
    if not ran.shows_only:
        if output not in ("", "-") and (result.changed or not is_same_file(ran.path, output)):
            files.append((output, result.data))
        for followed in result.companions:
            target = followed.output
            if target and (followed.changed or not is_same_file(followed.before.path, target)):
                files.append((target, followed.data))
    files += result.exported.files
    if report:
        files.append((report, record_text(result, output).encode("utf-8", "backslashreplace")))
    return files


def _say_warnings(ran: PreparedRun, names: Sequence[Announced]) -> None:
    """Print only warnings, and which files by others would be replaced."""
    result = ran.result
    lines = warning_lines(ran.path, [*result.plan.warnings, *result.exported.warnings])
    for followed in result.companions:
        lines += warning_lines(followed.before.path, followed.updates.warnings)
    for lead, name, tail in names:
        if lead == REPLACES and tail:
            lines.append(f"warning: {lead}{name}{tail}")
    say(map(style_of(sys.stderr, ran.arguments.color).alert, lines), sys.stderr)


def _say_plan(ran: PreparedRun, names: List[Announced], *, is_result: bool) -> None:
    """Print the plan, and a line if there is nothing to do."""
    say(_plan(ran, names, ran.style), ran.report)
    if is_result:
        sentence = f"{ran.path} is the result: nothing was written (-o FILE writes a copy)"
        say(fold(sentence, "  ", ""), ran.report)
        return
    is_equal = not (ran.changed or ran.result.exported.changes)
    if not is_equal or ran.shows_only or not ran.output:
        return
    if not is_same_file(ran.path, ran.output):
        say(["   The output is a copy of the input."], ran.report)


def _write_while_showing(
    ran: PreparedRun, files: Sequence[Tuple[str, bytes]], transaction: Transaction
) -> int:
    """Write the files of a run that only shows, such as a report; return the exit status."""
    for name, data in files:
        transaction.add(name, data)
    transaction.commit()
    if files and not (ran.arguments.quiet or ran.looks):
        say([f"Wrote {', '.join(name for name, _ in files)}"], ran.report)
    return NOT_DONE if ran.arguments.check and ran.changed else WRITTEN


def _further(ran: PreparedRun) -> Lines:
    """Return a line for each further output of a run."""
    report = ran.arguments.report
    meshes = ran.result.plan.meshes.files
    count = sum(not mesh.along for mesh in meshes)
    lines = []
    if meshes:
        lines.append(f"  Meshes: {count} in {folder_of(meshes)}")
    for followed in ran.result.companions:
        if followed.output:
            lines.append(f"  {followed.name}: {followed.output}")
    lines += [f"  Export: {name}" for name, _ in ran.result.exported.files]
    if report:
        lines.append(f"  Report: {report}")
    return lines


def _is_result(ran: PreparedRun) -> bool:
    """Return True if the input needs no change and no option asks for a file."""
    arguments = ran.arguments
    asked = (
        arguments.output
        or arguments.report
        or ran.result.exported.choices
        or any(companion.is_named for companion in ran.companions)
    )
    return not (asked or ran.changed or ran.result.exported.changes or is_xacro(ran.path))


def _plan(ran: PreparedRun, names: List[Announced], style: TextStyle) -> Lines:
    """Return the plan, and the lines directly above the question."""
    result = ran.result
    lines = []
    if is_xacro(ran.path):
        lines += ["Expanded by xacro: line numbers refer to its output.", ""]
    return [
        *lines,
        *plan_text(result, style),
        "",
        *question_lines(result, len(needing(ran.warnings)), files=names, style=style),
    ]


def _say_check(ran: PreparedRun) -> None:
    """Print in one line for each file whether and how a run would change it."""
    lines = [f"{ran.path} {verdict(ran.result)}"]
    for followed in ran.result.companions:
        warnings = _counted(followed.updates.warnings)
        lines.append(f"{followed.before.path} {companion_change_line(followed)}{warnings}")
    say(lines, sys.stdout)


def verdict(result: Result) -> str:
    """Return in one line the changes of a run to the URDF; an unchanged URDF has no warnings here."""
    if not result.changed:
        return "is simplified already"
    return f"would change: {change_line(result)}{_counted(result.plan.warnings)}"


def _counted(warnings: Sequence[Diagnostic]) -> str:
    """Return the number of warnings that need a person, with the way to see them; "" without any."""
    count = len(needing(warnings))
    return f"; {count_of(count, 'warning')}, see -n" if count else ""


# ==== urdf_tools/cli/simplify_command.py ====
# `simplify`: links are merged, motor parts stripped, frames and axes turned; with `--check` only the changes are
# printed.
#
# Several files: a line for each, a total, and the command to run.

# Options of --check that the command for the real run leaves out.
ONLY_CHECK = ("--check", "-n", "--dry-run", "-q", "--quiet", "--report")


def simplify_command(arguments: argparse.Namespace, extension: RunExtension) -> int:
    """Run `simplify`: read, simplify in memory, verify, show, ask, write; return the exit status."""
    if arguments.check:
        return check_files(arguments, extension)
    two = arguments.files[:2]
    advice = ""
    if all(map(os.path.exists, two)):
        advice = f"; did you mean: {program_name()} compare {' '.join(two)}?"
    one_file(arguments, advice=advice)
    return run(
        arguments,
        extension,
        default_output(arguments.files[0]),
        again=partial(_with_options, arguments, extension),
    )


def _with_options(
    arguments: argparse.Namespace, extension: RunExtension, words: Sequence[str]
) -> Callable[[], int]:
    """Return a run with further options; invalid options are refused at once."""
    planned = parse(arguments.verb, extension.table, [*arguments.words, *words])
    options_from(vars(planned), "--base-frame")
    return partial(simplify_command, planned, extension)


def statuses_of(
    arguments: argparse.Namespace,
    extension: RunExtension,
    refuse: Callable[[UrdfSimplifyError, str], int],
    shows: Optional[Callable[[PreparedRun], None]] = None,
) -> List[int]:
    """Return the status of each file: whether a run would change it (printed by `shows`), or the result of `refuse`."""
    statuses: List[int] = []
    for path in arguments.files:
        try:
            statuses.append(
                run(
                    argparse.Namespace(**{**vars(arguments), "files": [path]}),
                    extension,
                    default_output(path),
                    says_check=shows,
                )
            )
        except UrdfSimplifyError as error:  # the other files are still checked
            statuses.append(refuse(error, path))
    return statuses


def check_files(arguments: argparse.Namespace, extension: RunExtension) -> int:
    """Report for each file whether a run would change it; return the worst status of all."""
    paths: List[str] = arguments.files
    if len(paths) > 1:
        for option in ("srdf", "report"):
            if getattr(arguments, option, None):
                raise UsageError(
                    f"{as_flag(option)} is for one file, and '{paths[1]}' is a second one"
                )
    statuses = statuses_of(
        arguments, extension, lambda error, _: print_error(error, arguments.color)
    )
    changed = [path for path, status in zip(paths, statuses) if status == NOT_DONE]
    refused = sum(status > NOT_DONE for status in statuses)
    if len(paths) > 1:
        more = f", {count_of(refused, 'file')} refused" if refused else ""
        say([f"{len(changed)} of {count_of(len(paths), 'file')} would change{more}"], sys.stdout)
    if changed and changed != ["-"]:
        which = "it" if len(changed) == 1 else "the first of them"
        say([f"To change {which}: {_command(arguments, changed[0])}"], sys.stdout)
    return max(statuses)


def _command(arguments: argparse.Namespace, path: str) -> str:
    """Return the command line, ready to be pasted, that makes the changes of --check in place."""
    # Skip these options, and the value of --report.
    words = [
        word
        for before, word in zip(("", *arguments.words), arguments.words)
        if word not in (*ONLY_CHECK, *arguments.files) and before != "--report"
    ]
    # A result in place of a xacro file would be its expansion.
    if not is_xacro(path):
        words += ["-o", path, "--force"]
    return " ".join(map(shell_word, [*command_to_paste(), path, *words]))


# ==== urdf_tools/cli/single_file_entry.py ====
# The command line of the single file: the commands that it has itself, and the package that it runs for all others.

OTHER_ENDINGS = (".xml", ".mjcf", ".sdf", ".world", ".usd", ".usda", ".usdc", ".usdz")


def run_here(verb: str, words: Words) -> int:
    """Run a command of the single file, or the package if the single file lacks a part; return the exit status.

    Raises:
        UrdfError: the input or an option cannot be used; or the package is needed, and not found.
    """
    lacking = lacking_part(verb, words)
    if lacking:
        return run_package([verb, *words], lacking)
    if verb == EXPORT:
        return extract(parse(verb, OPTION_ROWS, words))
    return simplify_command(parse(verb, OPTION_ROWS, words), NO_EXTENSION)


def lacking_part(verb: str, words: Sequence[str]) -> str:
    """Return the part that a command needs and the single file lacks, for a message; "" if the command can run here.

    The part is the command, an option, or the reader of a file.
    """
    models = [*filter(is_model, words)]
    # Of `export`, the single file has the meshes of a COLLADA file, not the robots.
    has_command = verb == SIMPLIFY
    if verb == EXPORT and models:
        has_command = models[0].lower().endswith(COLLADA_ENDINGS)
    if not has_command:
        return f"the command {verb}"
    given = [word.partition("=")[0] for word in words]
    known = {*SAME, *(row.spelling for row in rows_of(verb, OPTION_ROWS))}
    for word in given:
        if word.startswith("--") and word not in known:
            return word
    # The second file would be the output.
    if verb == EXPORT and len(models) > 1:
        return "export of a model to a file"
    # Without a conversion the meshes would be copied, which is an export.
    converting = {*SAME, *map(as_flag, CONVERSIONS)}
    if "--mesh-dir" in given and converting.isdisjoint(given):
        return "--mesh-dir alone"
    if "--mesh-paths" in given and "--mesh-dir" not in given:
        return "--mesh-paths"
    if value_given(words, "--mesh-format") not in ("", "stl"):
        return "another --mesh-format than stl"
    if any(map(_is_other_format, words)):
        return "the reader of MJCF, SDF and USD"
    return ""


def _is_other_format(word: str) -> bool:
    """Return True if the first element of a file shows that it is MJCF, SDF or USD."""
    is_file = word.endswith(OTHER_ENDINGS) and os.path.isfile(word)
    return is_file and first_element_of(word) in ("mujoco", "sdf", "usd")


def run_package(words: Sequence[str], what: str) -> int:
    """Hand the whole command line to the package next to this file or installed; return its exit status.

    `what` names the part that this file lacks, such as an option.

    Raises:
        UsageError: no package is found, or it is another release.
    """
    package = _package()
    release = getattr(package, "__version__", "")
    if release != __version__:
        other = f" (the one there is {release}, this file {__version__})" if release else ""
        raise UsageError(
            f"{_lack_of(what)}: pip install . in a clone, or put the folder urdf_tools next to this file{other}"
        )
    status: int = package.main(list(words))
    return status


def _lack_of(what: str) -> str:
    """Return the sentence about an option or command that this file lacks; for an option, with a similar known one."""
    if not what.startswith("--"):
        return f"{what} is in the package, not in this file"
    names = [row.spelling for row in OPTION_ROWS]
    # Only a very similar option is suggested: most likely the given option exists in the package.
    near = did_you_mean(what, names, {name[: len(what)]: name for name in names}, 0.8)
    return f"this file has no {what}{near}; the package has more options"


def _package() -> Any:
    """Return the package next to this file or installed, None without one."""
    # The folder comes from the code object, as a part of the single file must not use `__file__`.
    folder = os.path.dirname(os.path.realpath(own_source.__code__.co_filename))
    before: List[str] = list(sys.path)
    try:
        sys.path.insert(0, folder)
        # Imported by name: the package is a separate copy, which may be missing or differ from the modules of this
        # file.
        package = import_module("urdf_tools.api")
        return package if hasattr(package, "main") else None
    except (ImportError, AttributeError):
        return None
    finally:
        sys.path[:] = before


def help_here(verb: str, *, full: bool) -> Lines:
    """Return the help of a command of the single file; the package prints the help of any other.

    Raises:
        UsageError: the package has the command, and no package is found.
    """
    if verb != SIMPLIFY:
        option = "--help" if full else "-h"
        run_package([verb, option], f"the command {verb}")
        return []
    return help_lines(
        SIMPLIFY_COMMAND,
        OPTION_ROWS,
        full=full,
        elsewhere=(
            "This file has simplify, and export of COLLADA to STL; the other commands and options are in the package: "
            "pip install . in a clone"
        ),
    )


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help for its meaning."""
    return run_command_line(argv, run_here, help_here)


if __name__ == "__main__":
    sys.exit(main())
