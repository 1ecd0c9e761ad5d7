"""USD's text format: prims with their metadata, how they are written, and materials: a `UsdPreviewSurface`, which every
program that draws USD knows.
"""
import re
from typing import Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from ...urdf.spatial import Vector
from ..rounding import unused
from .numbers import single_text, singles_text

UNUSABLE = re.compile("[^A-Za-z0-9_]")
INDENT = "    "


def quoted(text: str) -> str:
    """Return a text in quotes, as USD reads it."""
    for sign, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(sign, escape)
    return f'"{text}"'


def asset(path: str) -> str:
    """Return a path of a file, as USD reads it; one with `@` in it is quoted by three of them."""
    return f"@{path}@" if "@" not in path else f"@@@{path}@@@"


def prim_name(name: str) -> str:
    """Return a name as USD can have it: letters, digits and `_`, no digit first."""
    usable = UNUSABLE.sub("_", name) or "_"
    return f"_{usable}" if usable[0].isdigit() else usable


class Prim:
    """A prim: its type and name, its metadata (`said`), its properties, and its children.

    Attributes:
        specifier: def, or class for what is only referenced.
        true_name: the name outside of USD. taken: names of its children.
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
        """Add a child and return it; its name is changed where USD does not allow it, or has it already."""
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
        """Add metadata of the prim."""
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
        metadata = list(self.said)
        if self.schemas:
            metadata.insert(0, ("prepend apiSchemas", f"[{', '.join(map(quoted, self.schemas))}]"))
        head = f"{indent}{self.specifier} {self.type + ' ' if self.type else ''}{quoted(self.name)}"
        if metadata:
            lines += [f"{head} (", *[f"{indent}{INDENT}{key} = {text}" for key, text in metadata], f"{indent})"]
        else:
            lines.append(head)
        lines.append(f"{indent}{{")
        inner = indent + INDENT
        lines += [inner + line for line in self.properties]
        for number, child in enumerate(self.children):
            if number or self.properties:
                lines.append("")
            child.write(lines, inner)
        lines.append(f"{indent}}}")


def layer_text(metadata: Iterable[Tuple[str, str]], prims: Iterable[Prim]) -> str:
    """Return the text of a file: its metadata, then its prims."""
    lines = ["#usda 1.0", "(", *(f"{INDENT}{key} = {text}" for key, text in metadata), ")"]
    for prim in prims:
        lines.append("")
        prim.write(lines)
    return "\n".join(lines) + "\n"


class Look(NamedTuple):
    """How something looks: linear colors from 0 to 1, and the name of an image, whose colors count where it has one."""

    diffuse: Vector
    opacity: float = 1.0
    image: str = ""
    emission: Vector = (0.0, 0.0, 0.0)
    metallic: Optional[float] = None
    roughness: Optional[float] = None


def write_look(scope: Prim, name: str, look: Look) -> Prim:
    """Write a material with its shader and return it."""
    material = scope.add("Material", name)
    shader = material.add("Shader", "surface")
    material.properties.append(f"token outputs:surface.connect = <{shader.path}.outputs:surface>")
    shader.put("uniform token info:id", '"UsdPreviewSurface"')
    if look.image:
        shader.properties.append(f"color3f inputs:diffuseColor.connect = <{_image(material, look.image)}.outputs:rgb>")
    else:
        shader.put("color3f inputs:diffuseColor", singles_text(look.diffuse))
    if any(look.emission):
        shader.put("color3f inputs:emissiveColor", singles_text(look.emission))
    for key, value in (("metallic", look.metallic), ("opacity", look.opacity), ("roughness", look.roughness)):
        if value is not None:
            shader.put(f"float inputs:{key}", single_text(value))
    shader.declare("token outputs:surface")
    return material


def bind(prim: Prim, material: Prim, *, stronger: bool = False) -> None:
    """Bind a material to a prim; `stronger`: than those of its parts."""
    prim.apply("MaterialBindingAPI")
    prim.relate("material:binding", material.path)
    if stronger:
        prim.properties[-1] += ' (bindMaterialAs = "strongerThanDescendants")'


def _image(material: Prim, image: str) -> str:
    """Write what reads an image and the coordinates for it; return the path of the former."""
    reader, texture = material.add("Shader", "coordinates"), material.add("Shader", "image")
    reader.put("uniform token info:id", '"UsdPrimvarReader_float2"')
    reader.put("string inputs:varname", '"st"')
    reader.declare("float2 outputs:result")
    texture.put("uniform token info:id", '"UsdUVTexture"')
    texture.put("asset inputs:file", asset(image))
    texture.put("token inputs:sourceColorSpace", '"sRGB"')
    texture.properties.append(f"float2 inputs:st.connect = <{reader.path}.outputs:result>")
    texture.put("token inputs:wrapS", '"repeat"')
    texture.put("token inputs:wrapT", '"repeat"')
    texture.declare("float3 outputs:rgb")
    return texture.path
