"""A layer or a stage of USD as a tree of prims, which know their lines, and which of their properties were read.

Numbers are read whatever their precision is, as writers differ in it.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from math import isfinite, isnan
from typing import Callable, Dict, Iterator, List, NoReturn, Optional, Sequence, Set, Tuple

from ...base.errors import BrokenRobot
from ...base.number_text import count_of
from ...base.record_type import Record
from ...base.type_aliases import Reals, Texts
from ...base.graph_walks import depth_first

SINGLES = ("float", "float2", "float3", "float4", "2f", "3f", "4f", "quatf")  # ends of types
BARE = str.maketrans("()[],", "     ")
TRUTHS = {"true": True, "false": False, "True": True, "False": False}
BODY = "PhysicsRigidBodyAPI"
MASS = "PhysicsMassAPI"
ROOT = "PhysicsArticulationRootAPI"
SOLIDS = (  # types of prims that are shapes
    *("Cube", "Sphere", "Cylinder", "Capsule", "Plane", "Mesh", "Cone", "Cylinder_1", "Capsule_1"),
    *("TetMesh", "PointInstancer", "Points", "BasisCurves", "NurbsCurves", "NurbsPatch"),
)
APPLIED = "prepend apiSchemas"
FLATTEN = "`usdcat --flatten -o robot.usda FILE` writes a file in which all of it is"


class WrittenValue(Record):
    """A value as it is written: its kind (numbers, string, path, asset, word, list, dictionary), and its text.

    Attributes:
        numbers: for a value of a binary layer, a function that decodes its numbers, one after the other.
    """

    kind: str
    text: str = ""
    parts: "Tuple[WrittenValue, ...]" = ()
    numbers: Optional[Callable[[], Sequence[float]]] = None


class PrimProperty(Record):
    """A property: its type with `uniform` or `custom` before it (`rel` for a relationship), and its value if any.

    Attributes:
        file: of the layer whose value counts, in a stage of several layers; files in the value are relative to it.
    """

    type: str
    name: str
    value: Optional[WrittenValue]
    said: Dict[str, WrittenValue]
    line: int
    file: str = ""


class Prim:
    """A prim: its type, name, path and line, its metadata (`said`), its properties by name, and the prims in it.

    Attributes:
        read: names of properties, and keys of metadata, that a reader has looked at.
        taken: True once a reader has read it.
        is_proxy: True in an instance.
        is_stage: True for a layer in which nothing is to be composed, so that it is a stage.
        cut_off: names of relationships that lose a target, as it is outside of the prim that an arc brings in.
        variants: by name of a set and of a variant, a prim that holds the additions of the variant.
    """

    __slots__ = (
        "_schemas",
        "children",
        "cut_off",
        "file",
        "is_proxy",
        "is_stage",
        "line",
        "name",
        "path",
        "properties",
        "read",
        "said",
        "specifier",
        "taken",
        "type",
        "variants",
    )

    def __init__(
        self, specifier: str, type: str, name: str, path: str, file: str, line: int
    ) -> None:
        """Make a prim that is empty and unread."""
        self.specifier = specifier
        self.type = type
        self.name = name
        self.path = path
        self.file = file
        self.line = line
        self._schemas: Optional[Texts] = None
        self.said: Dict[str, WrittenValue] = {}
        self.properties: Dict[str, PrimProperty] = {}
        self.children: List[Prim] = []
        self.variants: Dict[str, Dict[str, Prim]] = {}
        self.read: Set[str] = set()
        self.cut_off: Set[str] = set()
        self.taken = False
        self.is_proxy = False
        self.is_stage = False

    def __repr__(self) -> str:
        """Return the path as USD writes it."""
        return f"<{self.path}>"

    def refuse(self, sentence: str, line: int = 0) -> NoReturn:
        """Refuse the file for this prim.

        Raises:
            BrokenRobot: always.
        """
        raise BrokenRobot(f"{self!r}: {sentence}", self.file, line or self.line)

    def take(self) -> "Prim":
        """Say that this prim is read, and return it."""
        self.taken = True
        return self

    @property
    def true_name(self) -> str:
        """The name that is shown: names of prims in USD are restricted to identifiers."""
        display_name = self.said.get("displayName")
        return display_name.text if display_name is not None else self.name

    @property
    def schemas(self) -> Texts:
        """The schemas that are applied."""
        if self._schemas is None:
            schemas = self.said.get(APPLIED)
            self._schemas = tuple([part.text for part in schemas.parts]) if schemas else ()
            self.read.add(APPLIED)
        return self._schemas

    def get(self, name: str) -> Optional[WrittenValue]:
        """Return the value of a property, None without it."""
        entry = self.properties.get(name)
        if entry is None:
            return None
        self.read.add(name)
        return entry.value

    def _refuse_value(self, name: str, fault: str) -> NoReturn:
        """Refuse the file for the value of a property, with its line."""
        self.refuse(f"'{name}' {fault}", self.properties[name].line)

    def loose(self, name: str, width: int = 1) -> Optional[Reals]:
        """Return the numbers of a property of one value, which may be infinite; None without it.

        Raises:
            BrokenRobot: they are not as many numbers.
        """
        value = self.get(name)
        if value is None:
            return None
        values = tuple(self.flat(name, value))
        if len(values) != width or any(map(isnan, values)):
            self._refuse_value(name, f"is not {count_of(width, 'number')}")
        return values

    def loose_number(self, name: str) -> Optional[float]:
        """Return the number of a property, which may be infinite; None without it."""
        values = self.loose(name)
        return values[0] if values is not None else None

    def numbers(self, name: str, width: int = 1) -> Optional[Reals]:
        """Return the numbers of a property of one value, None without it.

        Raises:
            BrokenRobot: they are not as many finite numbers.
        """
        values = self.loose(name, width)
        if values is not None and not all(map(isfinite, values)):
            self._refuse_value(name, "is not finite")
        return values

    def number(self, name: str) -> Optional[float]:
        """Return the number of a property, None without it."""
        values = self.numbers(name)
        return values[0] if values is not None else None

    def many(self, name: str, width: int = 1) -> Optional[Sequence[float]]:
        """Return the numbers of an array, one tuple after the other; None without it.

        Raises:
            BrokenRobot: they are no whole tuples of finite numbers.
        """
        value = self.get(name)
        if value is None:
            return None
        values = self.flat(name, value)
        if len(values) % width or not all(map(isfinite, values)):
            self._refuse_value(name, f"is not an array of {self.properties[name].type}")
        return values

    def flag(self, name: str, default: bool) -> bool:
        """Return a truth, the default without it."""
        value = self.number(name)
        return default if value is None else value != 0.0

    def word(self, name: str) -> Optional[str]:
        """Return the text of a token, a string or an asset, None without it."""
        value = self.get(name)
        if value is None:
            return None
        if value.kind not in ("string", "asset"):
            self._refuse_value(name, "is no text")
        return value.text

    def words(self, name: str) -> Texts:
        """Return the texts of an array, () without it."""
        value = self.get(name)
        if value is None or value.kind == "numbers":  # an empty one
            return ()
        if value.kind != "list":
            self._refuse_value(name, "is no list of words")
        return tuple([part.text for part in value.parts])

    def flat(self, name: str, value: WrittenValue) -> Sequence[float]:
        """Return the numbers of a value of a property, in its precision.

        Raises:
            BrokenRobot: there is something else in it.
        """
        try:
            # As the type rounds it: an engine reads a `float` as float32.
            code = "f" if is_single(self.properties[name].type) else "d"
            numbers = _numbers_of(value, code)
            return array(code, numbers) if code == "f" else numbers
        except (ValueError, OverflowError):
            self._refuse_value(name, "holds what is no number")

    def targets(self, name: str) -> Texts:
        """Return the paths that a relationship points to, () without it."""
        value = self.get(name)
        if value is None:
            return ()
        paths = value.parts if value.kind == "list" else (value,)
        if any(path.kind != "path" for path in paths):
            self._refuse_value(name, "points to what is no path")
        return tuple([path.text for path in paths])

    def walk(self) -> "Iterator[Prim]":
        """Yield this prim and all in it, in the order of the text."""
        return depth_first([self], lambda prim: prim.children)


def joined(around: str, name: str) -> str:
    """Return the path of a prim in another one, of a variant, or of a target."""
    # Variants and targets stand directly behind a path, and all prims behind a variant.
    is_behind = name.startswith(("{", "[")) or around.endswith(("/", "}"))
    return f"{around}{name}" if is_behind else f"{around}/{name}"


@lru_cache(maxsize=256)
def is_single(type: str) -> bool:
    """Return True for a type of float32 numbers."""
    return type.rstrip("[]").endswith(SINGLES)


def _numbers_of(value: WrittenValue, code: str) -> Sequence[float]:
    """Return all numbers of a value, one after the other; numbers of a text are in an array of this code.

    Raises:
        ValueError: there is something else in it.
    """
    # Numbers of a binary layer are decoded at the first use.
    if value.numbers is not None:
        return value.numbers()
    if value.kind == "numbers":
        text = value.text.strip("()[]")
        # Only a list of tuples has brackets between its numbers.
        words = text.translate(BARE) if "(" in text else text.replace(",", " ")
        return array(code, map(float, words.split()))
    if value.kind == "word" and value.text in TRUTHS:
        return (float(TRUTHS[value.text]),)
    if value.kind != "list":
        raise ValueError
    numbers: List[float] = []
    for part in value.parts:
        numbers += _numbers_of(part, code)
    return numbers
