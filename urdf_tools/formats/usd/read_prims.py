"""A text of USD as a tree of prims, which know their lines, and what was read of them."""

from __future__ import annotations

from array import array
from math import isfinite
from typing import Callable, Dict, Iterator, List, NoReturn, Optional, Sequence, Set, Tuple

from ...base.errors import BrokenRobot
from ...base.record import Record
from ...robot.records import NOT_READ, Unread

SINGLE = {
    "float",
    "float2",
    "float3",
    "point3f",
    "color3f",
    "quatf",
    "texCoord2f",
}  # float32; others are doubles
WIDTHS = {
    "float": 1,
    "double": 1,
    "int": 1,
    "bool": 1,
    "float2": 2,
    "texCoord2f": 2,
    "float3": 3,
    "point3f": 3,
    "color3f": 3,
    "matrix4d": 16,
    "vector3f": 3,
    "double3": 3,
    "quatf": 4,
    "quatd": 4,
}
BARE = str.maketrans("()[],", "     ")
ONE_OF = {
    width: f"({',' * (width - 1)})" if width > 1 else "" for width in range(1, 5)
}  # brackets of a value
MARKS = str.maketrans("", "", "0123456789+-.eE \n\t\r")
BODY = "PhysicsRigidBodyAPI"
CARRIERS = (BODY, "PhysicsMassAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI")
SOLIDS = (  # types of prims that are shapes
    *("Cube", "Sphere", "Cylinder", "Capsule", "Plane", "Mesh", "Cone", "Cylinder_1", "Capsule_1"),
    *("TetMesh", "PointInstancer", "Points", "BasisCurves", "NurbsCurves", "NurbsPatch"),
)
APPLIED = "prepend apiSchemas"
REFERENCES = "prepend references"
ARCS = frozenset(  # keys of metadata by which a prim gets more than is written in it, or less
    "references payload inherits specializes variants variantSets relocates clips clipSets active "
    "apiSchemas subLayers".split()
)
FLATTEN = "`usdcat --flatten -o robot.usda FILE` writes a file in which all of it is"


class Value(Record):
    """A value as it is written: its kind (numbers, string, path, asset, word, list, dictionary), and its text.

    Attributes:
        numbers: of a binary layer: reads the numbers, one after the other, when they are asked for.
    """

    kind: str
    text: str = ""
    parts: "Tuple[Value, ...]" = ()
    numbers: Optional[Callable[[], Sequence[float]]] = None


class Property(Record):
    """A property: its type with `uniform` or `custom` before it (`rel` for a relationship), and its value if any.

    Attributes:
        file: of the layer whose value counts, in a stage of several; files that it names are relative to that.
    """

    type: str
    name: str
    value: Optional[Value]
    said: Dict[str, Value]
    line: int
    file: str = ""


class Prim:
    """A prim: its type, name, path and line, its metadata (`said`), its properties by name, and the prims in it.

    Attributes:
        read: names of properties, and keys of metadata, that a reader has asked for.
        taken: True once a reader has read it.
        variants: by name of a set and of a variant, a prim that holds what the variant adds.
    """

    __slots__ = (
        "children",
        "file",
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
        self.specifier, self.type, self.name, self.path, self.file, self.line = (
            specifier,
            type,
            name,
            path,
            file,
            line,
        )
        self.said: Dict[str, Value] = {}
        self.properties: Dict[str, Property] = {}
        self.children: List[Prim] = []
        self.variants: Dict[str, Dict[str, Prim]] = {}
        self.read: Set[str] = set()
        self.taken = False

    def __repr__(self) -> str:
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

    def of_type(self, *types: str) -> "List[Prim]":
        """Return the prims in this one of some types, and mark them as read."""
        return [child.take() for child in self.children if child.type in types]

    def refuse_arcs(self) -> None:
        """Refuse a prim that another prim or file adds to; only the points of a mesh are taken from elsewhere.

        Raises:
            BrokenRobot: it has such an arc.
        """
        followed = (APPLIED, REFERENCES) if self.type == "Mesh" else (APPLIED,)
        for key in (*self.said, *(["variants"] if self.variants else ())):
            if key.rpartition(" ")[2] in ARCS and key not in followed:
                self.refuse(f"'{key}' is not followed here: {FLATTEN}")

    @property
    def carries(self) -> bool:
        """Return True for a prim that is a body, a joint or a shape, or has a mass."""
        return (
            self.type in SOLIDS
            or self.type.endswith("Joint")
            or any(schema in CARRIERS for schema in self.schemas)
        )

    @property
    def true_name(self) -> str:
        """The name that is shown: names of prims in USD are restricted to identifiers."""
        self.read.add("displayName")
        display_name = self.said.get("displayName")
        return display_name.text if display_name is not None else self.name

    @property
    def schemas(self) -> Tuple[str, ...]:
        """The schemas that are applied."""
        schemas = self.said.get(APPLIED)
        if schemas is None:
            return ()
        self.read.add(APPLIED)
        return tuple([part.text for part in schemas.parts])

    def get(self, type: str, name: str) -> Optional[Property]:
        """Return a property, None without it.

        Raises:
            BrokenRobot: it is of another type.
        """
        entry = self.properties.get(name)
        if entry is not None:
            self.read.add(name)
            if entry.type != type:
                self.refuse(f"'{name}' is a {entry.type}, and not a {type}", entry.line)
        return entry

    def numbers(self, type: str, name: str) -> Optional[Tuple[float, ...]]:
        """Return the numbers of a property of one value, None without it.

        Raises:
            BrokenRobot: it is of another type, or not as many finite numbers as that has.
        """
        entry = self.get(type, name)
        if entry is None:
            return None
        plain = type.rpartition(" ")[2]
        values, marks = self._array(entry, plain)
        if marks != ONE_OF[WIDTHS[plain]] or not all(map(isfinite, values)):
            self.refuse(f"'{name}' is not one {plain}", entry.line)
        return tuple(values)

    def number(self, type: str, name: str) -> Optional[float]:
        """Return the number of a property, None without it."""
        values = self.numbers(type, name)
        return values[0] if values is not None else None

    def many(self, type: str, name: str) -> "Optional[Sequence[float]]":
        """Return the numbers of an array, one tuple after the other; None without it."""
        entry = self.get(f"{type}[]", name)
        if entry is None:
            return None
        width = WIDTHS[type]
        values, marks = self._array(entry, type)
        if marks != f"[{','.join([ONE_OF[width]] * (len(values) // width))}]":
            self.refuse(f"'{name}' is not an array of {type}", entry.line)
        return values

    def _array(self, entry: Property, type: str) -> "Tuple[Sequence[float], str]":
        """Return the numbers of a property, and the brackets and commas around them."""
        content = entry.value
        if content is None or content.kind != "numbers":
            self.refuse(f"'{entry.name}' is no number", entry.line)
        is_one = content.text[0] not in "(["
        words = (content.text,) if is_one else content.text.translate(BARE).split()
        marks = "" if is_one else content.text.translate(MARKS)
        try:
            if type == "int":
                return array("q", map(int, words)), marks
            return array("f" if type in SINGLE else "d", map(float, words)), marks
        except (ValueError, OverflowError):
            self.refuse(f"'{entry.name}' holds what is no {type}", entry.line)

    def word(self, type: str, name: str) -> Optional[str]:
        """Return the text of a token, a string or an asset, None without it."""
        entry = self.get(type, name)
        if entry is None or entry.value is None:
            return None
        if entry.value.kind not in ("string", "asset"):
            self.refuse(f"'{name}' is no text", entry.line)
        return entry.value.text

    def targets(self, name: str) -> Tuple[str, ...]:
        """Return the paths that a relationship points to, () without it."""
        entry = self.get("rel", name)
        if entry is None or entry.value is None:
            return ()
        paths = entry.value.parts if entry.value.kind == "list" else (entry.value,)
        if any(path.kind != "path" for path in paths):
            self.refuse(f"'{name}' points to what is no path", entry.line)
        return tuple(path.text for path in paths)

    def walk(self) -> "Iterator[Prim]":
        """Yield this prim and all in it, in the order of the text."""
        waiting = [self]
        while waiting:
            prim = waiting.pop()
            yield prim
            waiting += reversed(prim.children)


def unread_of(top: Prim) -> Iterator[Unread]:
    """Yield what is unread: prims as a whole, and of prims that are read the names that no reader asked for."""
    waiting: List[Prim] = [top]
    while waiting:
        prim = waiting.pop()
        if not prim.taken:
            yield Unread(repr(prim), NOT_READ, prim.line)
            continue
        names = [name for name in (*prim.properties, *prim.said) if name not in prim.read]
        if names:
            yield Unread(repr(prim), ", ".join(names), prim.line)
        waiting += reversed(prim.children)
