"""The looks in a mesh file besides the colors and images of its surfaces, as digests for comparison.

Some programs draw them: colors of points (three.js, Blender), gloss and ambient light (RViz).
"""

from __future__ import annotations

import json
from itertools import chain
from typing import Callable, Dict, Iterable, Iterator, List

from ..base.record_type import Record
from ..base.graph_walks import depth_first
from ..collada.collada_document import (
    dae_descendants,
    DaeDocument,
    DaeElement,
    read_dae,
    text_pieces,
)
from ..collada.collada_accessors import index_blocks, source_columns
from ..collada.collada_primitives import mesh_primitives, PrimitiveElement
from .read_mesh_files import colored_place, read_bytes
from .mesh_readers import ending_of, named_files, STL_ENDINGS
from .gltf_document import all_values, colors_of_points, GltfObject, read_document
from .ply_reader import colors_in_ply
from .rare_collada import RARE_COLLADA


class LookDigests(Record):
    """Digests of further looks, "" if a file has none of the kind.

    Attributes:
        points: the digest of the colors of points with their places, in any order.
        materials: the digest of all words of the materials.
        in_order: the digest of the colors of points alone, in file order.
    """

    points: str = ""
    materials: str = ""
    in_order: str = ""


def other_looks(path: str) -> LookDigests:
    """Return the looks of a mesh file besides colors and images.

    Raises:
        BrokenMesh, MalformedXml, UsageError: the file cannot be read.
    """
    reader = READERS.get(ending_of(path))
    return reader(path) if reader is not None else LookDigests()


def _digest(pieces: Iterable[bytes]) -> str:
    """Return the SHA-256 of bytes in hexadecimal digits, or "" without any bytes."""
    from hashlib import sha256  # slow to load

    state = sha256()
    is_empty = True
    for piece in pieces:
        state.update(piece)
        is_empty = False
    return "" if is_empty else state.hexdigest()


def _looks_of_places(pieces: Iterable[bytes], materials: str = "") -> LookDigests:
    """Return the digests of colored places, with and without the places.

    The first digest does not depend on the order of the places, nor on duplicates.
    """
    places = [*pieces]
    colors = [place.rpartition(b": ")[2] for place in places]
    return LookDigests(
        points=_digest(sorted(set(places))), materials=materials, in_order=_digest(colors)
    )


def _of_obj(path: str) -> LookDigests:
    """Return the further looks of an OBJ and its material libraries.

    The digests are of each point with its color, as points are numbered in any order, and of the lines of the libraries
    that neither the color nor the image of a material shows.
    """
    libraries = [file for file in named_files(path).colors if ending_of(file) == ".mtl"]
    other: List[bytes] = []
    for line in chain.from_iterable(read_bytes(file).splitlines() for file in libraries):
        words = line.split()
        if words and words[0].lower() in OTHER_OF_MTL:
            other.append(b" ".join(words))
    # Sorted, because the order of materials in a library does not matter.
    return _looks_of_places(_colors_of_points(read_bytes(path)), _digest(sorted(other)))


def _colors_of_points(text: bytes) -> Iterator[bytes]:
    """Yield each point with the colors that follow its three coordinates, as many programs write them."""
    for line in text.splitlines():
        words = line.split()
        # A fourth number alone is a weight.
        if words[:1] != [b"v"] or len(words) < 7:
            continue
        try:
            numbers = [*map(float, words[1:])]
        except ValueError:  # no program draws unreadable numbers
            continue
        yield colored_place([numbers[:3]], _color_text(numbers[3:]))


def _color_text(channels: Iterable[float]) -> bytes:
    """Return a color as bytes, in four digits: another writer gives the same color other digits."""
    return " ".join(f"{channel + 0.0:.4g}" for channel in channels).encode()


def _of_collada(path: str) -> LookDigests:
    """Return the further looks of a COLLADA file: in the primitives of its meshes, and in its effects.

    The digests are of each corner with its place and color, as tools order and join points in their own way, and of the
    texts of the effects that neither the color nor the image of a material shows, in any order.
    """
    document = read_dae(path, RARE_COLLADA)
    materials: List[bytes] = []
    for effect in dae_descendants(document.root, "effect"):
        for value in dae_descendants(effect, *OTHER_OF_COLLADA):
            materials.append(b"".join(_pieces(document, value)))
    return _looks_of_places(_colors_of_meshes(document), _digest(sorted(materials)))


def _colors_of_meshes(document: DaeDocument) -> Iterator[bytes]:
    """Yield the colored corners of each primitive with colors of its own."""
    from ..collada.collada_to_stl import (
        has_point_colors,
    )  # slow to import, and few robots have COLLADA

    for mesh in dae_descendants(document.root, "mesh"):
        for primitive in mesh_primitives(document, mesh):
            if primitive.colors is not None and has_point_colors(document, primitive):
                yield from _colors_of_corners(document, primitive, primitive.colors)


def _colors_of_corners(
    document: DaeDocument, primitive: PrimitiveElement, colors: DaeElement
) -> Iterator[bytes]:
    """Yield the colored corners of a primitive; a color or place that an index does not reach is not drawn."""
    places = [*zip(*source_columns(document, primitive.positions, "XYZ"))]
    has_alpha = any(
        param.attributes.get("name") == "A" for param in dae_descendants(colors, "param")
    )
    shown = [*zip(*source_columns(document, colors, "RGBA" if has_alpha else "RGB"))]
    texts = [*map(_color_text, shown)]
    for run in dae_descendants(primitive.element, "p", "h"):
        corners = index_blocks(document, run, primitive.stride, primitive.offset)
        of_corners = index_blocks(document, run, primitive.stride, primitive.color_offset)
        pairs = zip(chain.from_iterable(corners), chain.from_iterable(of_corners))
        for corner, color in pairs:
            if corner < len(places) and color < len(texts):
                yield colored_place([places[corner]], texts[color])


def _pieces(document: DaeDocument, element: DaeElement) -> Iterator[bytes]:
    """Yield the name of an element, and the names and texts of its descendants."""
    for inner in depth_first([element], lambda each: each.children):
        yield inner.tag.encode()
        for text in inner.texts:
            yield from text_pieces(document, text)


def _of_ply(path: str) -> LookDigests:
    """Return the further looks of a PLY file, which has no materials."""
    return _looks_of_places(colors_in_ply(path))


def _of_stl(path: str) -> LookDigests:
    """Return the looks of an STL file, which has no materials."""
    from .stl_files import colors_in_stl  # slow to import

    return _looks_of_places(colors_in_stl(path))


def _of_gltf(path: str) -> LookDigests:
    """Return the further looks of a glTF or GLB file: in its primitives and materials."""
    top = read_document(path)
    words: List[str] = []
    for material in top.children("materials"):
        # Faults in parts that this tool does not convert are no error.
        if not isinstance(material, dict):
            continue
        words.append(_other_of_gltf(material))
        shader = material.get("pbrMetallicRoughness")
        if isinstance(shader, dict):
            words.append(_other_of_gltf(shader))
    materials = [word.encode() for word in sorted(words) if word != "{}"]
    return _looks_of_places(_colors_of_primitives(top), _digest(materials))


def _other_of_gltf(values: Dict[str, object]) -> str:
    """Return as text the properties of a material part other than color, image and emission."""
    other = {key: value for key, value in values.items() if key not in READ_OF_GLTF}
    return json.dumps(other, sort_keys=True)


def _colors_of_primitives(top: GltfObject) -> Iterator[bytes]:
    """Yield the colored points of each primitive of each mesh."""
    for number in range(len(top.children("meshes"))):
        mesh = top.item("meshes", number)
        for content in mesh.children("primitives"):
            attributes = mesh._replace(json=content).child("attributes")
            if "POSITION" in attributes.json:
                yield from _colors_of_attributes(attributes)


def _colors_of_attributes(attributes: GltfObject) -> Iterator[bytes]:
    """Yield the colored points of a primitive that has positions, set by set."""
    numbers = iter(all_values(attributes.item("accessors", attributes.json["POSITION"])))
    points = list(zip(numbers, numbers, numbers))
    for number, colors in enumerate(colors_of_points(attributes)):
        size = len(colors) // max(len(points), 1)
        for k, point in enumerate(points):
            color = colors[size * k : size * (k + 1)]
            yield colored_place([point], b"%d %s" % (number, color.hex().encode()))


# The properties of a material that its surface does not include.
OTHER_OF_MTL = (b"ka", b"ks", b"ns", b"ni", b"tf", b"pm", b"pr", b"map_ka", b"map_ks", b"map_ke")
OTHER_OF_COLLADA = ("emission", "ambient", "specular", "shininess", "reflective", "reflectivity")
READ_OF_GLTF = (
    "name",
    "pbrMetallicRoughness",
    "baseColorFactor",
    "baseColorTexture",
    "emissiveFactor",
    "alphaMode",
)
READERS: Dict[str, Callable[[str], LookDigests]] = {
    **dict.fromkeys(STL_ENDINGS, _of_stl),
    ".ply": _of_ply,
    ".obj": _of_obj,
    ".dae": _of_collada,
    ".gltf": _of_gltf,
    ".glb": _of_gltf,
}
