"""The reader of a COLLADA file for the proof: the triangles and polygons that it draws, their places and their colors.

Only the elements and the numbers of arrays come from the conversion, and some of the numbers are read again from the
text. Their meaning is determined here, independently.
"""

from __future__ import annotations

from array import array
from itertools import chain
from math import inf, isfinite, radians
from struct import pack
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ..base.type_aliases import Reals
from ..base.record_type import Record
from ..urdf.spatial_math import (
    compose,
    cross,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    Matrix,
    norm,
    Transform,
    rotation_about,
    transpose,
    Vector,
    ZERO,
)
from .collada_accessors import all_floats, array_numbers, Columns
from .collada_document import (
    dae_child,
    dae_children,
    dae_target,
    dae_text,
    DaeDocument,
    DaeElement,
    text_pieces,
)
from .conversion_records import DRAWN_PRIMITIVES, Indices, RareColladaFunctions, SceneOptions

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
