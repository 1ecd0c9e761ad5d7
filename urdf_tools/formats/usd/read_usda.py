"""USD's own text, read as a tree of prims.

Parsed are prims, properties, relationships, variants and their metadata (OpenUSD, "usda" file format); `compose_stage.py`
puts layers together.
"""

from __future__ import annotations

import re
from typing import Dict, List, Match, NoReturn, Set, Tuple, Union

from ...base.errors import BrokenRobot
from .prim_tree import APPLIED, joined, Prim, PrimProperty, WrittenValue

FIRST_LINE = b"#usda 1.0"
BLANK = r"[\s;,]*(?:(?:#|//)[^\n]*\n[\s;,]*)*"
WORDS_OF_EDITS = ("prepend", "append", "add", "delete", "reorder")
# A string has one or three quotes of either kind on each side; only one of three quotes may hold line breaks.
QUOTED = (
    r'(?:"""(?:[^\\]|\\[\s\S])*?"""|"(?!"")[^"\\\n\r]*(?:\\[^\n\r][^"\\\n\r]*)*"'
    r"|'''(?:[^\\]|\\[\s\S])*?'''|'(?!'')[^'\\\n\r]*(?:\\[^\n\r][^'\\\n\r]*)*')"
)
QUOTES = ('"', "'")
NAME = r"[A-Za-z_]\w*"
QUOTED_NAME = rf'"{NAME}"|"""{NAME}"""' + rf"|'{NAME}'|'''{NAME}'''"
STATEMENT = re.compile(
    BLANK + rf"(?:(def|class|over)\s+(?:(\w+)\s+)?({QUOTED_NAME})\s*"
    r"|((?:[a-z]+ +)*?)(\w+(?:\[\])?) +([A-Za-z_][\w:.]*)(?![ \t]*[\w[])[ \t]*(=?)[ \t]*"
    r"|(\}|\Z))"
)
KEY = re.compile(rf"(?:(?:(\w+(?:\[\])?) +)?({QUOTED}|[A-Za-z_][\w:.]*)[ \t]*=[ \t]*|([)}}]))")
VALUE = re.compile(
    r"(?:(?P<numbers>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+|inf)(?:[eE][-+]?[0-9]+)?(?![\w.])"
    r"|[(\[](?!\s*\])[-+0-9.eEinfa,()\s]*[)\]])"
    rf"|(?P<string>{QUOTED})|<(?P<path>[^<>{{\n]*)>|(?P<open>[\[{{]))[ \t]*"
)
TEXTS = re.compile(r'((?:"[^"\\\n]*"(?!")[, ]*)+)\][ \t]*')  # in a list, without quotes in them
SPACE = re.compile(BLANK)
# Patterns that few texts need are compiled where they are met.
VARIANTS = BLANK + rf"variantSet\s+({QUOTED})\s*=\s*\{{"
VARIANT = rf"({QUOTED})\s*"
COMMENT = rf"{QUOTED}(?!\s*=)"
# A time, or a path that is moved to another one.
BARE_KEY = r"(?:([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)|<([^<>\n]*)>)[ \t]*:[ \t]*"
OTHER_VALUE = (
    r"(?:<(?P<path>[^<>\n]*)>|(?P<word>[A-Za-z_][\w:.]*(?:\[\])?)"
    r"|(@@@|@)(?P<asset>[^\n]*?)\3(?P<inside><[^<>\n]*>)?)[ \t]*"
)
# Up to two hexadecimal or three octal digits name a byte; any other sign after a backslash stands for itself.
ESCAPE = rb"\\(x[0-9A-Fa-f]{0,2}|[0-7]{1,3}|[\s\S])"
ESCAPES = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v"))
UNCOMPOSED = {  # keys of metadata that need no composition, with the kinds of their values
    "defaultPrim": "string",
    "metersPerUnit": "numbers",
    "kilogramsPerUnit": "numbers",
    "upAxis": "string",
    APPLIED: "list",
    "displayName": "string",
    "assetInfo": "dictionary",
    "kind": "string",
    "interpolation": "string",
    "bindMaterialAs": "string",
}
NOTHING: "Dict[str, WrittenValue]" = {}
DEEPEST = 200  # prims in each other: they are read by calls


def read_usda(data: bytes, file: str) -> Prim:
    """Return a prim that holds the prims of a text, and the metadata of the layer.

    Raises:
        UrdfError: the text is not USD's; a sentence with file and line.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise BrokenRobot("this is not UTF-8", file) from None
    if not data.startswith(FIRST_LINE):
        raise BrokenRobot("this does not begin with '#usda 1.0'", file, 1)
    return _UsdParser(f"{text}\n", file).layer()


class _UsdParser:
    """Reads a text from its beginning to its end.

    Attributes:
        index: the index of the next character.
        line_index, line: the last index whose line was counted, and this line; the next count continues there.
        is_stage: True until something is read that only composition resolves, such as a variant or `over`.
    """

    def __init__(self, text: str, file: str) -> None:
        """Begin at the first character, in line 1; a text is a stage until it shows otherwise."""
        self.text = text
        self.file = file
        self.index = 0
        self.line_index = 0
        self.line = 1
        self.is_stage = True

    def layer(self) -> Prim:
        """Return a prim that holds the prims of the text, and the metadata of the layer."""
        top = Prim(specifier="def", type="", name="", path="", file=self.file, line=1).take()
        if self.is_next("("):
            top.said = self.said()
        self.inside(top, 0)
        top.is_stage = self.is_stage
        return top

    def line_at(self, index: int) -> int:
        """Return the line of an index; indices must not decrease from call to call."""
        self.line += self.text.count("\n", self.line_index, index)
        self.line_index = index
        return self.line

    def refuse(self, wanted: str, why: str = "") -> NoReturn:
        """Refuse the text at the next sign: something wanted is missing, or the reason `why`.

        Raises:
            BrokenRobot: always.
        """
        index = self.text.index(self.text[self.index :].lstrip()[:1], self.index)
        if not why:
            why = f"{wanted} is expected before '{self.text[index : index + 20].strip()}'"
        raise BrokenRobot(
            f"this is not USD's text as it is read here: {why}", self.file, self.line_at(index)
        )

    def inside(self, prim: Prim, depth: int) -> None:
        """Read the properties and the prims in a prim, to its end; `depth` 0: of the layer itself."""
        names: Set[str] = set()
        end = "}" if depth else ""
        if depth > DEEPEST:
            self.refuse("", f"more than {DEEPEST} prims in each other")
        while True:
            match = STATEMENT.match(self.text, self.index)
            if match is None:
                self.variants(prim, depth)
                continue
            specifier, _, _, _, _, called, _, last = match.groups()
            if last is not None and last != end:
                wanted = "'}'" if depth else "a prim"
                self.refuse(wanted)
            self.index = match.end()
            if last is not None:
                return
            line = self.line_at(match.start(match.lastindex or 0))
            if specifier is not None:
                child = self.child(prim, match, line)
                if child.name in names:
                    child.refuse("it is written twice")
                names.add(child.name)
                prim.children.append(child)
                self.prim(child, depth + 1)
            elif depth:
                self.property(prim, match, line)
            else:
                self.refuse("", f"'{called}' is in no prim")

    def child(self, prim: Prim, match: "Match[str]", line: int) -> Prim:
        """Return a prim in a prim, given the match of its head."""
        specifier, type, quoted, *_ = match.groups()
        name = quoted.strip("".join(QUOTES))
        self.is_stage &= specifier == "def"
        return Prim(
            specifier=specifier,
            type=type or "",
            name=name,
            path=joined(prim.path, name),
            file=self.file,
            line=line,
        )

    def property(self, prim: Prim, match: "Match[str]", line: int) -> None:
        """Read a property into a prim, given the match of its declaration."""
        _, _, _, before, type, name, equals, _ = match.groups()
        value = self.value() if equals else None
        metadata = self.said() if self.text.startswith("(", self.index) else NOTHING
        edit = before and before.partition(" ")[0]
        # An edit of a list of a weaker layer is an entry of its own.
        if edit in WORDS_OF_EDITS:
            before = before[len(edit) :].lstrip()
            name = f"{edit} {name}"
            self.is_stage = False
        if name in prim.properties:
            prim.refuse(f"'{name}' is written twice", line)
        prim.properties[name] = PrimProperty(
            type=f"{before}{type}",
            name=name,
            value=value,
            said=metadata,
            line=line,
            file=self.file,
        )

    def variants(self, prim: Prim, depth: int) -> None:
        """Read the variants of a set, each as a prim of its own."""
        start = re.compile(VARIANTS).match(self.text, self.index)
        if start is None or not depth:
            wanted = "a property" if depth else "a prim"
            self.refuse(wanted)
        self.index = start.end()
        name = self.text_in(start.group(1))
        found = prim.variants.setdefault(name, {})
        while True:
            if self.is_next("}"):
                self.index += 1
                return
            match = re.compile(VARIANT).match(self.text, self.index)
            if match is None:
                self.refuse("a variant")
            self.index = match.end()
            variant = self.text_in(match.group(1))
            line = self.line_at(match.start())
            path = f"{prim.path}{{{name}={variant}}}"
            found[variant] = Prim(
                specifier="over", type="", name=prim.name, path=path, file=self.file, line=line
            )
            self.prim(found[variant], depth + 1)

    def prim(self, prim: Prim, depth: int) -> None:
        """Read the metadata of a prim, its properties, and the prims in it."""
        if self.text.startswith("(", self.index):
            prim.said = self.said()
        if not self.is_next("{"):
            self.refuse("'{'")
        self.index += 1
        self.inside(prim, depth)

    def said(self) -> Dict[str, WrittenValue]:
        """Return the metadata of the layer, a prim or a property: `key = value` between parentheses."""
        self.index += 1
        values: Dict[str, WrittenValue] = {}
        while True:
            if self.is_next(QUOTES):
                comment = re.compile(COMMENT).match(self.text, self.index)
                self.index = comment.end() if comment is not None else self.index
            edit, key, end = self.key(")")
            if end:
                return values
            if edit and edit not in WORDS_OF_EDITS:
                self.refuse("", f"'{edit} {key}' is no key")
            key = f"{edit} {key}" if edit else key
            if key in values:
                self.refuse("", f"'{key}' is written twice")
            value = values[key] = self.value()
            self.is_stage &= UNCOMPOSED.get(key) == value.kind
            if key.endswith(("references", "payload")) and self.text.startswith("(", self.index):
                self.said()  # the shift of its time, which is not read

    def key(self, end: str) -> Tuple[str, str, bool]:
        """Read a key and its `=`, or the closing sign; return the edit before the key, the key, and True at the end."""
        self.is_next("")
        match = KEY.match(self.text, self.index)
        if match is None or match.group(3) not in (None, end):
            self.refuse("a key")
        self.index = match.end()
        key = match.group(2) or ""
        if key.startswith(QUOTES):
            key = self.text_in(key)
        return match.group(1) or "", key, match.group(3) is not None

    def text_in(self, quoted: str) -> str:
        """Return the text of a string, given with its quotes, as OpenUSD takes the escapes."""
        width = 3 if len(quoted) > 5 and quoted[0] == quoted[1] else 1
        text = quoted[width:-width]
        if "\\" not in text:
            return text
        try:
            return re.sub(ESCAPE, _escaped, text.encode("utf-8")).decode("utf-8")
        except UnicodeDecodeError:
            self.refuse("", f"{quoted} is not UTF-8")

    def is_next(self, signs: Union[str, Tuple[str, ...]]) -> bool:
        """Pass over blanks and comments; return True if one of some signs follows."""
        match = SPACE.match(self.text, self.index)
        self.index = match.end() if match is not None else self.index
        return self.text.startswith(signs, self.index)

    def value(self) -> WrittenValue:
        """Read a value, and return it."""
        match = VALUE.match(self.text, self.index)
        if match is None:
            match = re.compile(OTHER_VALUE).match(self.text, self.index)
            self.is_stage = False  # as the word None, or a path of a variant, may be
            if match is None:
                self.refuse("a value")
        self.index = match.end()
        kind = match.lastgroup or ""
        text: str = match.group(kind)
        if kind == "open":
            return self.list_of_values() if text == "[" else self.dictionary()
        if kind == "inside":
            return WrittenValue(
                "reference", match.group("asset"), (WrittenValue("path", text[1:-1]),)
            )
        if kind == "string":
            text = self.text_in(text)
        return WrittenValue(kind, text)

    def list_of_values(self) -> WrittenValue:
        """Read a list behind its bracket, and return it."""
        # Lists of plain words are read at once.
        texts = TEXTS.match(self.text, self.index)
        if texts is not None:
            self.index = texts.end()
            words = texts.group(1).split('"')[1::2]
            return WrittenValue("list", "", tuple([WrittenValue("string", word) for word in words]))
        parts: List[WrittenValue] = []
        while not self.is_next("]"):
            parts.append(self.value())
            if self.text.startswith("(", self.index):
                self.said()
        self.index += 1
        self.is_stage &= len({*parts}) == len(parts)
        return WrittenValue("list", "", tuple(parts))

    def dictionary(self) -> WrittenValue:
        """Return a dictionary; its parts have their keys for kinds."""
        parts: List[WrittenValue] = []
        while True:
            is_named = self.is_next("}") or KEY.match(self.text, self.index)
            bare = None if is_named else re.compile(BARE_KEY).match(self.text, self.index)
            if bare is not None:
                self.index = bare.end()
                parts.append(self.value()._replace(kind=bare.group(1) or bare.group(2)))
                continue
            type, key, end = self.key("}")
            if end:
                return WrittenValue("dictionary", "", tuple(parts))
            if not type:
                self.refuse("", f"'{key}' has no type")
            parts.append(self.value()._replace(kind=key))


def _escaped(found: "Match[bytes]") -> bytes:
    """Return the byte that an escape stands for."""
    code = found[1]
    if code.startswith(b"x"):
        return bytes([int(code[1:] or b"0", 16)])
    if code.isdigit() and code < b"8":
        return bytes([int(code, 8) & 0xFF])
    return bytes([ESCAPES.get(code[0], code[0])])
