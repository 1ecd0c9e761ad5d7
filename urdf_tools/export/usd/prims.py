"""USD's own text: prims with what is said of them, and how they are written."""
import re
from typing import Iterable, Iterator, List, Optional, Set, Tuple

from ..rounding import unused

UNUSABLE = re.compile("[^A-Za-z0-9_]")
INDENT = "    "


def quoted(text: str) -> str:
    """Return a text in quotes, as USD reads it."""
    for sign, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(sign, escape)
    return f'"{text}"'


def asset(path: str) -> str:
    """Return a path of a file, as USD reads it; one with `@` in it stands between three of them."""
    return f"@{path}@" if "@" not in path else f"@@@{path}@@@"


def prim_name(name: str) -> str:
    """Return a name as USD can have it: letters, digits and `_`, no digit first."""
    found = UNUSABLE.sub("_", name) or "_"
    return f"_{found}" if found[0].isdigit() else found


class Prim:
    """A prim: its type and name, what is said of it, its properties, and the prims in it.

    Attributes:
        specifier: def, or class for what is there to be referenced.
        true_name: what it is called outside of USD. taken: names of the prims in it.
    """

    def __init__(self, type: str, name: str, parent: "Optional[Prim]" = None, specifier: str = "def") -> None:
        self.type, self.name, self.specifier, self.true_name = type, name, specifier, name
        self.path: str = f"{parent.path if parent is not None else ''}/{name}"
        self.schemas: List[str] = []
        self.said: List[Tuple[str, str]] = []
        self.properties: List[str] = []
        self.children: List[Prim] = []
        self.taken: Set[str] = set()

    def add(self, type: str, name: str, reserved: Iterable[str] = ()) -> "Prim":
        """Put a prim into this one and return it: by its name, or one like it where USD cannot have that."""
        self.taken.update(reserved)
        child = Prim(type, unused(prim_name(name), self.taken), self)
        child.true_name = name
        if child.name != name:
            child.say("displayName", quoted(name))
        self.children.append(child)
        return child

    def apply(self, *schemas: str) -> None:
        """Apply schemas, each once."""
        self.schemas += [schema for schema in schemas if schema not in self.schemas]

    def say(self, key: str, text: str) -> None:
        """Say something about the prim itself."""
        self.said.append((key, text))

    def put(self, declaration: str, text: str) -> None:
        """Give a property, such as `float physics:mass`, a value."""
        self.properties.append(f"{declaration} = {text}")

    def declare(self, declaration: str) -> None:
        """Declare a property without a value: an output of a shader."""
        self.properties.append(declaration)

    def relate(self, name: str, *paths: str) -> None:
        """Let a relationship point to prims."""
        targets = [f"<{path}>" for path in paths]
        self.properties.append(f"rel {name} = {targets[0] if len(targets) == 1 else '[' + ', '.join(targets) + ']'}")

    def walk(self) -> "Iterator[Prim]":
        """Yield this prim and all in it, in the order of the text."""
        waiting = [self]
        while waiting:
            prim = waiting.pop()
            yield prim
            waiting += prim.children[::-1]

    def write(self, lines: List[str], indent: str = "") -> None:
        """Append the lines of this prim and of all in it."""
        said = list(self.said)
        if self.schemas:
            said.insert(0, ("prepend apiSchemas", f"[{', '.join(map(quoted, self.schemas))}]"))
        head = f"{indent}{self.specifier} {self.type + ' ' if self.type else ''}{quoted(self.name)}"
        if said:
            lines += [f"{head} (", *[f"{indent}{INDENT}{key} = {text}" for key, text in said], f"{indent})"]
        else:
            lines.append(head)
        lines.append(f"{indent}{{")
        inner = indent + INDENT
        lines += [inner + one for one in self.properties]
        for number, child in enumerate(self.children):
            if number or self.properties:
                lines.append("")
            child.write(lines, inner)
        lines.append(f"{indent}}}")


def layer_text(metadata: Iterable[Tuple[str, str]], prims: Iterable[Prim]) -> str:
    """Return a file: what is said of the whole of it, then its prims."""
    lines = ["#usda 1.0", "(", *(f"{INDENT}{key} = {text}" for key, text in metadata), ")"]
    for prim in prims:
        lines.append("")
        prim.write(lines)
    return "\n".join(lines) + "\n"
