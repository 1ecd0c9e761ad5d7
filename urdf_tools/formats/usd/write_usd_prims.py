"""USD's text format: numbers, prims with their metadata, and materials: a `UsdPreviewSurface`, which every program that
draws USD knows.

A number is the nearest float32, or a double, in the shortest text that is read as that number again. USD reads a text
as a double and rounds that to float32, so that is how a text is tried here. Principal axes and moments are float32
numbers that are still physical (A + B >= C); the proof uses the same function for them, and computes the tensor from
them by another one.
"""

from __future__ import annotations

import re
import struct
from array import array
from functools import lru_cache
from itertools import compress, permutations
from operator import ne
from typing import Final, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ...base.type_aliases import Pair
from ...base.errors import BrokenRobot
from ...base.record_type import Record
from ...base.graph_walks import depth_first
from ...robot.principal_axes import principal, vector_of
from ...meshes.quaternions import quaternion_from_matrix
from ...urdf.spatial_math import (
    cross,
    IDENTITY,
    Matrix,
    scale,
    transpose,
    Vector,
)
from ...model.xml_writer import exact
from ..shared_lowering import clean_direction, unused

FLOAT: Final = "f"  # of an array
PRECISIONS = ("%.6g", "%.7g", "%.8g", "%.9g")  # nine digits tell all float32 numbers apart
BYTES = struct.Struct(FLOAT).pack
LARGEST_SINGLE = 3.4028234663852886e38  # FLT_MAX
Quaternion = Tuple[float, float, float, float]
ZERO_TENSOR = (
    1e-9  # kg m^2: the moments of a point, as a tensor of zeros would mean that none is given
)
LEAST_TRACE = -4.0  # below the trace of any rotation, which is at least -1
SAME_TRACE = 1e-9  # rounding must not choose between orders that are equally near


@lru_cache(maxsize=16384)
def single(value: float) -> float:
    """Return the nearest float32; zeros have no sign.

    Raises:
        BrokenRobot: there is none.
    """
    if abs(value) > LARGEST_SINGLE:
        raise BrokenRobot(f"{value:g} is too large a number for USD, whose largest is 3.4e38")
    return float(array(FLOAT, (value + 0.0,))[0])


@lru_cache(maxsize=16384)
def single_text(value: float) -> str:
    """Return the shortest text, of six to nine digits, that is read as the nearest float32."""
    exact = single(value)
    wanted = BYTES(exact)
    for precision in PRECISIONS:
        text = precision % exact
        if BYTES(float(text)) == wanted:
            break
    return text


def single_texts(values: "array[float]") -> List[str]:
    """Return the shortest text of each float32 number."""
    # Few digits do for most numbers: only those that come back otherwise get more.
    texts = list(map(PRECISIONS[0].__mod__, values))
    for precision in PRECISIONS[1:]:
        wrong = list(compress(range(len(texts)), map(ne, array(FLOAT, map(float, texts)), values)))
        longer = map(precision.__mod__, map(values.__getitem__, wrong))
        for index, text in zip(wrong, longer):
            texts[index] = text
    return texts


def singles_text(values: Iterable[float]) -> str:
    """Return a tuple of float32 numbers as USD writes it."""
    return f"({', '.join(map(single_text, values))})"


def doubles_text(values: Iterable[float]) -> str:
    """Return a tuple of doubles as USD writes it."""
    return f"({', '.join(map(exact, values))})"


def quaternion_of(R: Matrix) -> Tuple[float, float, float, float]:
    """Return the quaternion w, x, y, z of a rotation, in the order of USD's text, without rounding errors."""
    if R == IDENTITY:
        return (1.0, 0.0, 0.0, 0.0)
    x, y, z, w = clean_direction(quaternion_from_matrix(R))
    return (w, x, y, z)


def extent_of(points: Sequence[float]) -> Tuple[Vector, Vector]:
    """Return the lowest and the highest corner of points given as x, y, z, x, ..."""
    columns = [points[axis::3] for axis in range(3)]
    return vector_of(map(min, columns)), vector_of(map(max, columns))


@lru_cache(maxsize=4096)
def principal_singles(tensor: Matrix) -> Tuple[Vector, Quaternion]:
    """Return the moments and the quaternion w, x, y, z of their axes, as float32.

    Of the six orders the axes have the one nearest to the link's, so a diagonal tensor keeps its order and is not
    rotated.
    """
    moments, axes = principal(tensor)
    columns = transpose(axes)
    # The larger the trace, the nearer is a rotation to none.
    best = LEAST_TRACE
    order = (0, 1, 2)
    first = columns[0]
    second = columns[1]
    for i, j, k in permutations(range(3)):
        a = columns[i] if columns[i][0] >= 0.0 else scale(-1.0, columns[i])
        b = columns[j] if columns[j][1] >= 0.0 else scale(-1.0, columns[j])
        trace = a[0] + b[1] + (a[0] * b[1] - a[1] * b[0])  # the last one is z of a x b
        if trace > best + SAME_TRACE:
            best = trace
            order = (i, j, k)
            first = a
            second = b
    w, x, y, z = map(single, quaternion_of(transpose((first, second, cross(first, second)))))
    return as_body(vector_of(single(moments[index]) for index in order)), (w, x, y, z)


def as_body(moments: Vector) -> Vector:
    """Return float32 moments with A + B >= C: the two small ones go up in steps of one float32 until they are."""
    values = list(moments)
    small, middle, large = sorted(range(3), key=values.__getitem__)
    # As doubles and as float32, as programs add in either.
    while (
        single(values[small] + values[middle]) < values[large]
        or values[small] + values[middle] < values[large]
    ):
        for index in (small, middle):
            values[index] = next_single(values[index])
    return vector_of(values)


def next_single(value: float) -> float:
    """Return the float32 number above a positive one."""
    bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    return float(struct.unpack("<f", struct.pack("<I", bits + 1))[0])


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


class WrittenPrim:
    """A prim: its type and name, its metadata (`said`), its properties, and its children.

    Attributes:
        specifier: def, or class for a prim that is only referenced.
        true_name: the name outside of USD. taken: names of its children.
    """

    def __init__(
        self, type: str, name: str, parent: "Optional[WrittenPrim]" = None, specifier: str = "def"
    ) -> None:
        """Make an empty prim; `add` makes a child that its parent knows."""
        self.type = type
        self.name = name
        self.specifier = specifier
        self.true_name = name
        parent_path = parent.path if parent is not None else ""
        self.path: str = f"{parent_path}/{name}"
        self.schemas: List[str] = []
        self.said: List[Pair] = []
        self.properties: List[str] = []
        self.children: List[WrittenPrim] = []
        self.taken: Set[str] = set()

    def add(self, type: str, name: str, reserved: Iterable[str] = ()) -> "WrittenPrim":
        """Add a child and return it; its name is changed where USD does not allow it, or has it already."""
        self.taken.update(reserved)
        child = WrittenPrim(type, unused(prim_name(name), self.taken), self)
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
        """Give a property a value; `declaration` is its type and name: `float physics:mass`."""
        self.properties.append(f"{declaration} = {text}")

    def relate(self, name: str, *paths: str) -> None:
        """Let a relationship point to prims."""
        targets = ", ".join(f"<{path}>" for path in paths)
        if len(paths) != 1:
            targets = f"[{targets}]"
        self.properties.append(f"rel {name} = {targets}")

    def walk(self) -> "Iterator[WrittenPrim]":
        """Yield this prim and all in it, in the order of the text."""
        return depth_first([self], lambda prim: prim.children)

    def write(self, lines: List[str], indent: str = "") -> None:
        """Append the lines of this prim and of all in it."""
        metadata = list(self.said)
        if self.schemas:
            metadata.insert(0, ("prepend apiSchemas", f"[{', '.join(map(quoted, self.schemas))}]"))
        words = (self.specifier, self.type, quoted(self.name))
        head = indent + " ".join(word for word in words if word)
        if metadata:
            lines += [
                f"{head} (",
                *[f"{indent}{INDENT}{key} = {text}" for key, text in metadata],
                f"{indent})",
            ]
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


def layer_text(metadata: Iterable[Pair], prims: Iterable[WrittenPrim]) -> str:
    """Return the text of a file: its metadata, then its prims."""
    lines = ["#usda 1.0", "(", *(f"{INDENT}{key} = {text}" for key, text in metadata), ")"]
    for prim in prims:
        lines.append("")
        prim.write(lines)
    return "\n".join(lines) + "\n"


class PreviewSurfaceLook(Record):
    """How something looks: linear colors from 0 to 1, and the name of an image, whose colors count where it has one.

    `tint` multiplies the image.
    """

    diffuse: Vector
    opacity: float = 1.0
    image: str = ""
    emission: Vector = (0.0, 0.0, 0.0)
    metallic: Optional[float] = None
    roughness: Optional[float] = None
    tint: Vector = (1.0, 1.0, 1.0)


def write_look(scope: WrittenPrim, name: str, look: PreviewSurfaceLook) -> WrittenPrim:
    """Write a material with its shader and return it."""
    material = scope.add("Material", name)
    shader = material.add("Shader", "surface")
    material.properties.append(f"token outputs:surface.connect = <{shader.path}.outputs:surface>")
    shader.put("uniform token info:id", '"UsdPreviewSurface"')
    if look.image:
        shader.properties.append(
            f"color3f inputs:diffuseColor.connect = <{_image(material, look)}.outputs:rgb>"
        )
    else:
        shader.put("color3f inputs:diffuseColor", singles_text(look.diffuse))
    if any(look.emission):
        shader.put("color3f inputs:emissiveColor", singles_text(look.emission))
    for key, value in (
        ("metallic", look.metallic),
        ("opacity", look.opacity),
        ("roughness", look.roughness),
    ):
        if value is not None:
            shader.put(f"float inputs:{key}", single_text(value))
    shader.properties.append("token outputs:surface")
    return material


def bind(prim: WrittenPrim, material: WrittenPrim) -> None:
    """Bind a material to a prim; where its parts have materials of their own, these count."""
    prim.apply("MaterialBindingAPI")
    prim.relate("material:binding", material.path)


def _image(material: WrittenPrim, look: PreviewSurfaceLook) -> str:
    """Write the shaders that read an image and the coordinates for it; return the path of the shader of the image."""
    reader = material.add("Shader", "coordinates")
    texture = material.add("Shader", "image")
    reader.properties += [
        'uniform token info:id = "UsdPrimvarReader_float2"',
        'string inputs:varname = "st"',
        "float2 outputs:result",
    ]
    texture.properties += [
        'uniform token info:id = "UsdUVTexture"',
        f"asset inputs:file = {asset(look.image)}",
        'token inputs:sourceColorSpace = "sRGB"',
        f"float2 inputs:st.connect = <{reader.path}.outputs:result>",
        'token inputs:wrapS = "repeat"',
        'token inputs:wrapT = "repeat"',
        "float3 outputs:rgb",
    ]
    if look.tint != (1.0, 1.0, 1.0):
        texture.put("float4 inputs:scale", singles_text((*look.tint, 1.0)))
    return texture.path
