"""Read a crate file, which is USD as binary, as the prims that its text would be: pure Python, no USD.

The tables are read at once, values when they are needed, and so are the points of a mesh (OpenUSD,
pxr/usd/sdf/crateFile.cpp; the versions 0.4.0 to 0.16.0).
"""

from __future__ import annotations

from array import array
from typing import Any, Dict, Iterator, List, Set, Tuple

from ...base.errors import BrokenRobot
from ...base.record_type import Record
from .crate_bytes import CrateError, integers, items, CrateBytes, unpacked
from .crate_values import CrateValues
from .prim_tree import FLATTEN, joined, Prim, PrimProperty, WrittenValue

# Before 0.4.0 the tables are not packed; UsdPhysics is younger than those files, so none of them has a robot.
OLDEST = (0, 4)
NEWEST = (0, 16)
DEEPEST_PATH = 1000
END = 0xFFFFFFFF
SECTIONS = ("TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS")
ATTRIBUTE = 1
PRIM = 6
LAYER = 7
RELATIONSHIP = 8
VARIANT = 10
VARIANT_SET = 11
SAID = {  # by field: the key that the text has for it
    "inheritPaths": "inherits",
    "variantSelection": "variants",
    "variantSetNames": "variantSets",
    "layerRelocates": "relocates",
}
OF_TREE = (
    *("specifier", "typeName", "primChildren", "properties", "variantSetChildren"),
    *("variantChildren", "default", "targetPaths", "connectionPaths", "timeSamples"),
    *("variability", "custom", "targetChildren", "connectionChildren"),
)
Fields = Dict[str, int]  # by name: the eight bytes that stand for the value


class CratePath(Record):
    """A path: its text, the text of the path of the prim around it, and its last name."""

    text: str
    around: str
    name: str


Spec = Tuple[CratePath, int, Fields]


def read_crate(data: bytes, file: str) -> Prim:
    """Return a prim that holds the prims of a crate file, and the metadata of the layer.

    Raises:
        BrokenRobot: it is broken, or of a version that is not known.
    """
    try:
        return _CrateTables(data, file).layer()
    except CrateError as error:
        raise BrokenRobot(f"this binary USD cannot be read: {error}", file) from None


class _CrateTables:
    """The tables of a file."""

    def __init__(self, data: bytes, file: str) -> None:
        """Read the tables: each refers to the tables before it."""
        self.source = CrateBytes(data)
        self.file = file
        source = self.source
        version = tuple(source.cut(8, 3))  # major, minor, patch
        if not OLDEST <= version[:2] <= NEWEST:
            said, oldest, newest = (".".join(map(str, each)) for each in (version, OLDEST, NEWEST))
            raise CrateError(
                f"it is of version {said}, and those from {oldest} to {newest} are known: {FLATTEN}"
            )
        starts = _contents(source)
        self.tokens = self._tokens(starts["TOKENS"])
        self.strings = self._strings(starts["STRINGS"])
        self.names, self.reps = self._fields(starts["FIELDS"])
        at = starts["FIELDSETS"]
        self.sets, _ = integers(source, at + 8, source.number(at))
        self.paths = self._paths(starts["PATHS"])
        texts = [path.text for path in self.paths]
        self.values = CrateValues(
            source=source, version=version, tokens=self.tokens, strings=self.strings, paths=texts
        )
        self.specs = self._specs(starts["SPECS"])

    def layer(self) -> Prim:
        """Return the prims of the file."""
        prims: Dict[str, Prim] = {}
        # All prims first, as a spec may come before the one that holds it.
        for path, kind, fields in self.specs:
            if kind in (PRIM, LAYER, VARIANT):
                prims[path.text] = self._prim(path, kind, fields)
        for path, kind, fields in self.specs:
            holder = prims.get(path.around)
            if kind in (PRIM, LAYER, VARIANT):
                self._fill(path, fields, prims)
            if kind == VARIANT_SET or path.text == "/":
                continue
            if holder is None:
                raise CrateError(f"{path.text} is in no prim")
            if kind == VARIANT:
                name, _, variant = path.name[1:-1].partition("=")
                holder.variants.setdefault(name, {})[variant] = prims[path.text]
            elif kind != PRIM:
                for entry in self._properties(path.name, kind, fields):
                    holder.properties[entry.name] = entry
        top = prims.get("/")
        if top is None or top.path:
            raise CrateError("it has no root")
        return top.take()

    def _prim(self, path: CratePath, kind: int, fields: Fields) -> Prim:
        """Return a prim with its metadata, without its children; a binary layer has no lines."""
        if kind == LAYER:
            prim = Prim(specifier="def", type="", name="", path="", file=self.file, line=0)
        else:
            prim = Prim(
                specifier=self._text(fields, "specifier") or "over",
                type=self._text(fields, "typeName"),
                name=path.name,
                path=path.text,
                file=self.file,
                line=0,
            )
        prim.said = dict(self._said(fields))
        return prim

    def _text(self, fields: Fields, name: str) -> str:
        """Return the text of a field, "" without it."""
        return self.values.of(fields[name]).text if name in fields else ""

    def _fill(self, path: CratePath, fields: Fields, prims: Dict[str, Prim]) -> None:
        """Put its children into a prim, each once."""
        if "primChildren" not in fields:
            return
        names = self.values.of(fields["primChildren"]).parts
        for name in dict.fromkeys(names):
            inner = prims.get(joined(path.text, name.text))
            if inner is None:
                raise CrateError(f"{name.text} is not in {path.text}")
            prims[path.text].children.append(inner)

    def _said(self, fields: Fields) -> Iterator[Tuple[str, WrittenValue]]:
        """Yield the metadata of a prim, a property or the layer, by the keys of the text."""
        for name, rep in fields.items():
            if name not in OF_TREE:
                for edit, value in self.values.entries(rep):
                    yield f"{edit}{SAID.get(name, name)}", value

    def _properties(self, name: str, kind: int, fields: Fields) -> Iterator[PrimProperty]:
        """Yield a property, its connections and its edits as the entries that the text has for them."""
        type = "rel"
        said = dict(self._said(fields))
        if kind == ATTRIBUTE:
            type = self._text(fields, "typeName")
            value = self.values.of(fields["default"]) if "default" in fields else None
            yield PrimProperty(type=type, name=name, value=value, said=said, line=0)
        elif "targetPaths" not in fields:
            yield PrimProperty(type=type, name=name, value=None, said=said, line=0)
        if "targetPaths" in fields:
            for edit, value in self.values.entries(fields["targetPaths"]):
                yield PrimProperty(type=type, name=f"{edit}{name}", value=value, said=said, line=0)
        if "connectionPaths" in fields:
            for edit, value in self.values.entries(fields["connectionPaths"]):
                key = f"{edit}{name}.connect"
                yield PrimProperty(type=type, name=key, value=value, said={}, line=0)
        if "timeSamples" in fields:
            yield PrimProperty(
                type=type,
                name=f"{name}.timeSamples",
                value=WrittenValue("dictionary"),
                said={},
                line=0,
            )

    def _tokens(self, at: int) -> List[str]:
        """Return the texts of the file: names, words, types."""
        count, size = self.source.unpack("<QQ", at)
        data = unpacked(self.source, at + 24, self.source.number(at + 16), size)
        self.source.spend(64 * data.count(0))
        try:
            texts = data.decode("utf-8").split("\0")
        except ValueError:
            raise CrateError("its texts are not UTF-8") from None
        # Each text ends with a zero byte, so an empty piece is last.
        if len(texts) <= count:
            raise CrateError(f"it has {len(texts) - 1} texts, and says {count}")
        return texts[:count]

    def _strings(self, at: int) -> List[str]:
        """Return the strings, which are numbers of tokens in the file."""
        indices = items("I", self.source.cut(at + 8, 4 * self.source.number(at)))
        if indices and max(indices) >= len(self.tokens):
            raise CrateError("a string leads to no text")
        return [self.tokens[index] for index in indices]

    def _fields(self, at: int) -> "Tuple[List[str], array[int]]":
        """Return the name of each field, and the eight bytes that stand for its value."""
        source = self.source
        count = self.source.number(at)
        indices, at = integers(source, at + 8, count)
        data = unpacked(source, at + 8, source.number(at), 8 * count) if count else b""
        reps = items("Q", data)
        if len(reps) != count or indices and max(indices) >= len(self.tokens):
            raise CrateError("a field has no name or no value")
        return [self.tokens[index] for index in indices], reps

    def _specs(self, at: int) -> List[Spec]:
        """Return path, kind and fields of each spec; each is a column of its own."""
        source = self.source
        count = self.source.number(at)
        paths, at = integers(source, at + 8, count)
        starts, at = integers(source, at, count)
        kinds, _ = integers(source, at, count)
        found: List[Spec] = []
        runs: Dict[int, Fields] = {}
        seen: Set[int] = set()
        for index, start, kind in zip(paths, starts, kinds):
            if index >= len(self.paths) or not self.paths[index].text or index in seen:
                raise CrateError(f"spec {index} has no path of its own")
            seen.add(index)
            if kind not in (ATTRIBUTE, PRIM, LAYER, RELATIONSHIP, VARIANT, VARIANT_SET):
                raise CrateError(f"spec {index} is of the unknown kind {kind}")
            if start not in runs:
                runs[start] = self._run(start)
            found.append((self.paths[index], kind, runs[start]))
        return found

    def _run(self, start: int) -> Fields:
        """Return the fields of a spec: those up to the next end."""
        found: Fields = {}
        for index in self.sets[start:]:
            if index == END:
                self.source.spend(64 * len(found))
                return found
            if index >= len(self.names):
                break
            found[self.names[index]] = self.reps[index]
            self.source.spend(1)
        raise CrateError("the fields of a spec have no end")

    def _paths(self, at: int) -> List[CratePath]:
        """Return the paths by their numbers; they are stored as a tree, depth first."""
        source = self.source
        count = self.source.number(at)
        if count > source.size:
            raise CrateError(f"it says that it has {count} paths")
        size = source.number(at + 8)
        numbers, at = integers(source, at + 16, size)
        tokens, at = integers(source, at, size, signed=True)
        jumps, at = integers(source, at, size, signed=True)
        paths = [CratePath("", "", "")] * count
        waiting = [("", 0)]  # the paths around the next entries, and their depths
        for number, token, jump in zip(numbers, tokens, jumps):
            around, depth = waiting.pop()
            if number >= count or abs(token) >= len(self.tokens) or depth > DEEPEST_PATH:
                raise CrateError("a path has no number or no name, or is too deep")
            name = self.tokens[abs(token)]
            # The token of a property is negative.
            text = f"{around}.{name}" if token < 0 else joined(around, name)
            if not around:
                text = "/"
            source.spend(len(text) + 64)
            paths[number] = CratePath(text, around, name)
            # A jump of -2: no child and no sibling; -1: a child; 0: a sibling; else both, and the
            # sibling is so far on. A child is next in the file, so it must be on top of the stack.
            if jump >= 0:
                waiting.append((around, depth))
            if jump > 0 or jump == -1:
                waiting.append((text, depth + 1))
            if not waiting:
                break
        return paths


def _contents(source: CrateBytes) -> Dict[str, int]:
    """Return where each section begins."""
    at = source.number(16, "<q")  # behind the name, the version and padding
    count = source.number(at)
    if count > 64:  # others than SECTIONS may be there, but not so many
        raise CrateError(f"it says that it has {count} sections")
    starts: Dict[str, int] = {}
    for index in range(count):
        section: Tuple[Any, ...] = source.unpack("<16sqq", at + 8 + 32 * index)
        name, start, _ = section
        starts[name.rstrip(b"\0").decode("latin-1")] = start
    missing = [name for name in SECTIONS if name not in starts]
    if missing:
        raise CrateError(f"the section {missing[0]} is missing")
    return starts
