"""USD's own text as its reader sees it: a tree of prims with lines, which knows what was read of it.

What is taken: prims, properties, relationships and what is said of them (OpenUSD, "usda" file format). Layers below
others, variants, values over time and everything else that could make another robot of it is refused.
"""
import re
from array import array
from typing import Dict, Iterator, List, NamedTuple, NoReturn, Optional, Sequence, Set, Tuple, Union

from ..base.errors import BrokenRobot, Unusable
from .records import NOT_READ, Unread

FIRST_LINE = b"#usda 1.0"
BLANK = re.compile(r"(?:[\s;,]+|#[^\n]*)*")
HEAD = re.compile(r'(def|class|over)\s+(?:([A-Za-z]\w*)\s+)?"([A-Za-z_]\w*)"')
WORD = re.compile(r"[A-Za-z_][\w:.]*(?:\[\])?")
PROPERTY = re.compile(r"((?:(?:custom|uniform|varying|prepend|append|add|delete|reorder) +)*)(\w+(?:\[\])?) +"
                      r"([A-Za-z_][\w:.]*)[ \t]*(=)?")
NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
NUMBERS = re.compile(rf"{NUMBER}(?![\w.])|[(\[][-+0-9.eE,()\s]*[)\]]")
STRING = re.compile(r'"""((?:[^\\]|\\.)*?)"""|"((?:[^"\\\n]|\\.)*)"', re.S)
PATH, ASSET = re.compile(r"<([^<>\n]*)>"), re.compile(r"@@@([^\n]*?)@@@|@([^@\n]*)@")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
LIST_EDITS = ("prepend", "append", "add", "delete", "reorder")
SINGLE = {"float", "float2", "float3", "point3f", "color3f", "quatf", "texCoord2f"}  # float32; others are doubles
WIDTHS = {"float": 1, "double": 1, "int": 1, "bool": 1, "float2": 2, "texCoord2f": 2, "float3": 3, "point3f": 3,
          "color3f": 3, "double3": 3, "quatf": 4, "quatd": 4}
BARE = str.maketrans("()[]", "    ")
DEEPEST = 200  # prims in each other: they are read by calls


class Value(NamedTuple):
    """A value as it is written: its kind (numbers, string, path, asset, word, list, dictionary), and its text."""

    kind: str
    text: str = ""
    parts: "Tuple[Value, ...]" = ()


class Property(NamedTuple):
    """A property: its type with `uniform` or `custom` before it (`rel` for a relationship), and its value if any."""

    type: str
    name: str
    value: Optional[Value]
    said: Dict[str, Value]
    line: int


class Prim:
    """A prim: its type, name, path and line, what is said of it, its properties by name, and the prims in it.

    Attributes:
        read: names of properties, and keys of what is said, that a reader has asked for.
        taken: a reader knows what it is.
    """

    __slots__ = ("children", "file", "line", "name", "path", "properties", "read", "said", "specifier", "taken", "type")

    def __init__(self, specifier: str, type: str, name: str, path: str, file: str, line: int) -> None:
        self.specifier, self.type, self.name, self.path, self.file, self.line = specifier, type, name, path, file, line
        self.said: Dict[str, Value] = {}
        self.properties: Dict[str, Property] = {}
        self.children: List[Prim] = []
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
        """Return the prims in this one of some types, and say that they are read."""
        return [child.take() for child in self.children if child.type in types]

    @property
    def true_name(self) -> str:
        """The name that is shown: USD cannot have all names."""
        self.read.add("displayName")
        said = self.said.get("displayName")
        return said.text if said is not None else self.name

    @property
    def schemas(self) -> Tuple[str, ...]:
        """The schemas that are applied."""
        self.read.add("prepend apiSchemas")
        said = self.said.get("prepend apiSchemas")
        return tuple(part.text for part in said.parts) if said is not None else ()

    def get(self, type: str, name: str) -> Optional[Property]:
        """Return a property, None without it.

        Raises:
            BrokenRobot: it is of another type.
        """
        self.read.add(name)
        found = self.properties.get(name)
        if found is not None and found.type != type:
            self.refuse(f"'{name}' is a {found.type}, and not a {type}", found.line)
        return found

    def numbers(self, type: str, name: str) -> Optional[Tuple[float, ...]]:
        """Return the numbers of a property of one value, None without it.

        Raises:
            BrokenRobot: it is of another type, or not as many finite numbers as that has.
        """
        found = self.get(type, name)
        if found is None:
            return None
        plain = type.rpartition(" ")[2]
        values = tuple(self._array(found, plain))
        if found.value is not None and found.value.text[0] == "[" or len(values) != WIDTHS[plain]:
            self.refuse(f"'{name}' is not one {plain}", found.line)
        return values

    def number(self, type: str, name: str) -> Optional[float]:
        """Return the number of a property, None without it."""
        found = self.numbers(type, name)
        return found[0] if found is not None else None

    def many(self, type: str, name: str) -> "Optional[Sequence[float]]":
        """Return the numbers of an array, one tuple behind the other; None without it."""
        found = self.get(f"{type}[]", name)
        if found is None:
            return None
        plain = type.rpartition(" ")[2]
        values = self._array(found, plain)
        text = found.value.text if found.value is not None else ""
        width = WIDTHS[plain]
        if text[:1] != "[" or len(values) % width or text.count("(") != (len(values) // width if width > 1 else 0):
            self.refuse(f"'{name}' is not an array of {plain}", found.line)
        return values

    def _array(self, found: Property, type: str) -> "Sequence[float]":
        value = found.value
        if value is None or value.kind != "numbers":
            self.refuse(f"'{found.name}' is no number", found.line)
        words = value.text.translate(BARE).replace(",", " ").split()
        try:
            if type == "int":
                return array("q", map(int, words))
            return array("f", map(float, words)) if type in SINGLE else array("d", map(float, words))
        except (ValueError, OverflowError):
            self.refuse(f"'{found.name}' holds what is no {type}", found.line)

    def word(self, type: str, name: str) -> Optional[str]:
        """Return the text of a token, a string or an asset, None without it."""
        found = self.get(type, name)
        if found is None or found.value is None:
            return None
        if found.value.kind not in ("string", "asset"):
            self.refuse(f"'{name}' is no text", found.line)
        return found.value.text

    def targets(self, name: str) -> Tuple[str, ...]:
        """Return the paths that a relationship points to, () without it."""
        found = self.get("rel", name)
        if found is None or found.value is None:
            return ()
        paths = found.value.parts if found.value.kind == "list" else (found.value,)
        if any(path.kind != "path" for path in paths):
            self.refuse(f"'{name}' points to what is no path", found.line)
        return tuple(path.text for path in paths)

    def walk(self) -> "Iterator[Prim]":
        """Yield this prim and all in it, in the order of the text."""
        waiting = [self]
        while waiting:
            prim = waiting.pop()
            yield prim
            waiting += reversed(prim.children)


def is_usda(data: bytes) -> bool:
    """Return True for a text that begins as USD's does."""
    return data.lstrip()[:5] == FIRST_LINE[:5]


def read_usda(source: Union[str, bytes], file: str = "") -> Prim:
    """Return a prim that holds the prims of a text, and what is said of all of it.

    Raises:
        UrdfError: it is not such a text; a sentence with file and line.
    """
    data = source.encode() if isinstance(source, str) else source
    if data[:4] in (b"PXR-", b"PK\3\4"):
        raise Unusable("this is USD as binary, which is not read here: `usdcat -o robot.usda` converts it", file)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise BrokenRobot("this is not UTF-8", file) from None
    if not data.startswith(FIRST_LINE):
        raise BrokenRobot("this does not begin with '#usda 1.0'", file, 1)
    return _Parser(text, file).layer()


class _Parser:
    """Reads a text from its beginning to its end."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.place = self.counted = 0
        self.line = 1

    def layer(self) -> Prim:
        top = Prim("def", "", "", "", self.file, 1).take()
        if self.ahead() == "(":
            self.said(top.said)
        while self.ahead():
            self.prim(top, 0)
        return top

    def ahead(self) -> str:
        """Pass over blanks and comments; return the next sign, "" at the end."""
        match = BLANK.match(self.text, self.place)
        self.place = match.end() if match is not None else self.place
        return self.text[self.place : self.place + 1]

    def here(self) -> int:
        """Return the line that is being read."""
        self.line += self.text.count("\n", self.counted, self.place)
        self.counted = self.place
        return self.line

    def refuse(self, sentence: str) -> NoReturn:
        raise BrokenRobot(f"this is not USD's text as it is read here: {sentence}", self.file, self.here())

    def take(self, pattern: "re.Pattern[str]", what: str) -> "re.Match[str]":
        self.ahead()
        match = pattern.match(self.text, self.place)
        if match is None:
            self.refuse(f"{what} is expected before '{self.text[self.place : self.place + 20]}'")
        self.place = match.end()
        return match

    def sign(self, wanted: str) -> None:
        if self.ahead() != wanted:
            self.refuse(f"'{wanted}' is expected before '{self.text[self.place : self.place + 20]}'")
        self.place += 1

    def prim(self, around: Prim, depth: int) -> None:
        self.ahead()
        line = self.here()
        specifier, type, name = self.take(HEAD, "a prim").groups()
        if depth > DEEPEST:
            self.refuse(f"more than {DEEPEST} prims in each other")
        prim = Prim(specifier, type or "", name, f"{around.path}/{name}", self.file, line)
        if any(other.name == name for other in around.children):
            prim.refuse("it is written twice")
        around.children.append(prim)
        if self.ahead() == "(":
            self.said(prim.said)
        self.sign("{")
        while self.ahead() != "}":
            if HEAD.match(self.text, self.place):
                self.prim(prim, depth + 1)
            else:
                self.property(prim)
        self.sign("}")

    def said(self, into: Dict[str, Value]) -> None:
        """Read what is said of the layer, a prim or a property: `key = value` between parentheses."""
        self.sign("(")
        while self.ahead() != ")":
            key = self.take(WORD, "a key").group()
            if key in LIST_EDITS:
                key = f"{key} {self.take(WORD, 'a key').group()}"
            self.sign("=")
            if key in into:
                self.refuse(f"'{key}' is written twice")
            into[key] = self.value()
        self.sign(")")

    def property(self, prim: Prim) -> None:
        line = self.here()
        before, type, name, equals = self.take(PROPERTY, "a property").groups()
        value = self.value() if equals else None
        said: Dict[str, Value] = {}
        if self.ahead() == "(":
            self.said(said)
        if name in prim.properties:
            prim.refuse(f"'{name}' is written twice", line)
        prim.properties[name] = Property(f"{before}{type}", name, value, said, line)

    def value(self) -> Value:
        sign = self.ahead()
        match = NUMBERS.match(self.text, self.place)
        if match is not None:
            self.place = match.end()
            return Value("numbers", match.group())
        if sign == '"':
            match = self.take(STRING, "a text")
            return Value("string", _unescaped(match.group(1) if match.group(1) is not None else match.group(2)))
        if sign == "@":
            match = self.take(ASSET, "a file")
            file = match.group(1) if match.group(1) is not None else match.group(2)
            inside = PATH.match(self.text, self.place)
            if inside is None:
                return Value("asset", file)
            self.place = inside.end()
            return Value("reference", file, (Value("path", inside.group(1)),))
        if sign == "<":
            return Value("path", self.take(PATH, "a path").group(1))
        if sign == "[":
            return self.list_of_values()
        if sign == "{":
            return self.dictionary()
        return Value("word", self.take(WORD, "a value").group())

    def list_of_values(self) -> Value:
        self.sign("[")
        parts = []
        while self.ahead() != "]":
            parts.append(self.value())
        self.sign("]")
        return Value("list", "", tuple(parts))

    def dictionary(self) -> Value:
        self.sign("{")
        parts = []
        while self.ahead() != "}":
            self.take(WORD, "a type")
            key = self.take(WORD, "a key").group()
            self.sign("=")
            parts.append(self.value()._replace(kind=key))
        self.sign("}")
        return Value("dictionary", "", tuple(parts))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match.group(1), match.group(1)), text, flags=re.S)


def unread_of(top: Prim) -> List[Unread]:
    """Return what is left: prims that nobody took (not what is in them), and what nobody asked for in the others."""
    found: List[Unread] = []
    waiting: List[Prim] = [top]
    while waiting:
        prim = waiting.pop()
        if not prim.taken:
            found.append(Unread(repr(prim), NOT_READ, prim.line))
            continue
        left = [name for name in (*prim.properties, *prim.said) if name not in prim.read]
        if left:
            found.append(Unread(repr(prim), ", ".join(left), prim.line))
        waiting += reversed(prim.children)
    return found
