"""Read a COLLADA file for the proof: which triangles and polygons it draws, where, and in which color.

Everything is read anew from the file, by code that the conversion does not use. Positions are in meters, rounded to
float32 as a binary STL has them.
"""
import struct
import sys
from array import array
from itertools import chain
from math import acos, inf, isfinite, pi, radians, tan
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..urdf.spatial import (add, compose, cross, dot, Matrix, NO_MOTION, NO_TURN, norm, Pose, scale, subtract,
                            transpose, turn_about, ZERO)
from .plain_reading import XmlFile, XmlNode
from .records import SceneOptions
from .surface import Surface, unit_length

DRAWN = ("triangles", "polylist", "polygons", "tristrips", "trifans")
MOST_HELD = 24000  # corners
MINUS_NOTHING = struct.pack("f", -0.0)

Map = Pose  # of any matrix: maps of a COLLADA file also scale and lean
ColorKey = Optional[Tuple[float, ...]]  # None: the color is not written out
Loops = List[List[int]]  # the corners of a polygon, and of each of its holes
Places = Dict[Tuple[int, Map], List[bytes]]  # the points of sources, by the maps that moved them

UP_TURNS: Dict[Optional[str], Matrix] = {
    None: NO_TURN, "z": NO_TURN,
    "x": ((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)),
    "y": ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
}


class Draw(NamedTuple):
    """A primitive that the scene draws, its map to meters, and its color.

    Its positions are in `source`; the index of each is number `offset` of the `stride` numbers of a corner.
    """

    primitive: XmlNode
    source: XmlNode
    stride: int
    offset: int
    matrix: Map
    color: ColorKey


def draws_of(file: XmlFile, scene: SceneOptions) -> Iterator[Draw]:
    """Yield all that a file draws, in order."""
    unit = scene.scale_factor if scene.scale_factor is not None else _unit_of(file, scene.missing_unit)
    start = compose(Map(UP_TURNS[scene.up_axis], ZERO), _scaling(unit, unit, unit))
    for geometry, matrix, materials in _instances(file, start):
        mesh = geometry.first("mesh", "convex_mesh")
        if mesh is not None and not _is_crushed(matrix):
            for primitive, source, stride, offset in _primitives(file, mesh):
                color = _color_key(file, materials, primitive.attributes.get("material", ""))
                yield Draw(primitive, source, stride, offset, matrix, color)


def add_drawn(file: XmlFile, draw: Draw, places: Places, surface: Surface) -> None:
    """Add what a primitive draws to a surface: triangles as they are, and the measures of polygons."""
    mirrored = _volume_factor(draw.matrix) < 0.0
    place = (draw.source.start, draw.matrix)
    if place not in places:
        places[place] = _positions(file, draw.source, draw.matrix)
    points = places[place]
    for corners, polygons in _corners_of(file, draw.primitive, draw.stride, draw.offset):
        if mirrored:  # a mirrored mesh keeps its outside
            corners[1::3], corners[2::3] = corners[2::3], corners[1::3]
        surface.records += b"".join(map(points.__getitem__, corners))
        for loops in polygons:
            surface.add_polygon([[points[k] for k in loop] for loop in loops], -1.0 if mirrored else 1.0)


def _unit_of(file: XmlFile, missing_unit: float) -> float:
    asset = file.root.first("asset")
    unit = asset.first("unit") if asset is not None else None
    try:
        value = float(unit.attributes.get("meter", "") if unit is not None else "")
    except ValueError:
        return missing_unit
    return value if isfinite(value) and value > 0.0 else missing_unit


def _instances(file: XmlFile, start: Map) -> Iterator[Tuple[XmlNode, Map, Dict[str, str]]]:
    """Yield every geometry that the scene draws, with its map to meters and its materials by symbol."""
    scenes = [node for node in file.root.below() if node.tag == "visual_scene"]
    if not scenes:
        yield from ((node, start, {}) for node in file.root.below() if node.tag == "geometry")
        return
    scene = file.root.first("scene")
    wanted = scene.first("instance_visual_scene") if scene is not None else None
    chosen = file.target(wanted.attributes.get("url", "")) if wanted is not None else None
    waiting = [(chosen if chosen is not None and chosen.tag == "visual_scene" else scenes[0], start)]
    while waiting:
        node, matrix = waiting.pop()
        if node.tag == "instance_node":
            target = file.target(node.attributes.get("url", ""))
            if target is None or target.tag != "node":
                continue
            node = target
        if node.tag in ("instance_geometry", "instance_controller"):
            materials: Dict[str, str] = {}
            for bound in node.below():
                if bound.tag == "instance_material":
                    materials.setdefault(bound.attributes.get("symbol", ""), bound.attributes.get("target", ""))
            target = file.target(node.attributes.get("url", ""))
            while target is not None and target.tag == "controller":
                skin = target.first("skin", "morph")
                if skin is None:
                    break
                shape = skin.first("bind_shape_matrix")
                matrix = compose(matrix, _map_of(file, shape)) if shape is not None else matrix
                target = file.target(skin.attributes.get("source", ""))
            if target is not None and target.tag == "geometry":
                yield target, matrix, materials
            continue
        for child in node.children if node.tag == "node" else ():
            matrix = compose(matrix, _map_of(file, child))
        waiting += [(child, matrix) for child in reversed(node.children) if child.tag in (
            "node", "instance_node", "instance_geometry", "instance_controller")]


def _scaling(x: float, y: float, z: float) -> Map:
    return Map(((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)), ZERO)


def _map_of(file: XmlFile, node: XmlNode) -> Map:
    """Return what a transformation element of a node does to column vectors (Khronos COLLADA 1.4.1, chapter 5)."""
    if node.tag not in ("matrix", "bind_shape_matrix", "translate", "scale", "rotate", "lookat", "skew"):
        return NO_MOTION
    v = file.floats(node)
    first, second, third = ((v[k], v[k + 1], v[k + 2]) if len(v) > k + 2 else ZERO for k in (0, 3, 6))
    if node.tag == "translate":
        return Map(NO_TURN, first)
    if node.tag == "scale":
        return _scaling(*first)
    if node.tag == "rotate":
        axis = unit_length(first)
        return Map(turn_about(axis, radians(v[3])), ZERO) if any(axis) else NO_MOTION
    if node.tag == "lookat":
        back = unit_length(subtract(first, second))
        right = unit_length(cross(third, back))
        turned = transpose((right, cross(back, right), back)) if any(back) and any(right) else NO_TURN
        return Map(turned, first)
    if node.tag == "skew":
        a, b = unit_length((v[1], v[2], v[3])), unit_length((v[4], v[5], v[6]))
        rest = unit_length(subtract(a, scale(dot(a, b), b)))
        between = acos(min(max(dot(a, b), -1.0), 1.0))
        left = between - radians(v[0])
        if not any(rest) or not 1e-6 < left < pi - 1e-6:
            return NO_MOTION
        lean = 1.0 / tan(left) - 1.0 / tan(between)
        p, q, r = (add(scale(lean * b[k], rest), NO_TURN[k]) for k in range(3))
        return Map((p, q, r), ZERO)
    return Map(((v[0], v[1], v[2]), (v[4], v[5], v[6]), (v[8], v[9], v[10])), (v[3], v[7], v[11]))


def _volume_factor(matrix: Map) -> float:
    a, b, c = matrix.rotation
    return dot(a, cross(b, c))


def _is_crushed(matrix: Map) -> bool:
    a, b, c = transpose(matrix.rotation)
    return not abs(_volume_factor(matrix)) > 1e-9 * norm(a) * norm(b) * norm(c)


def _primitives(file: XmlFile, mesh: XmlNode) -> Iterator[Tuple[XmlNode, XmlNode, int, int]]:
    """Yield what a mesh draws, its source of positions, and where among the numbers of a corner their index is."""
    def source_of(read: Optional[XmlNode]) -> Optional[XmlNode]:
        url = read.attributes.get("source", "") if read is not None else "#"
        own = next((child for child in mesh.children if child.attributes.get("id") == url.lstrip("#")), None)
        return own if own is not None else file.target(url)

    def that_is(semantic: str, inputs: Sequence[XmlNode]) -> Optional[XmlNode]:
        return next((one for one in inputs if one.attributes.get("semantic") == semantic), None)

    for primitive in mesh.children:
        if primitive.tag not in DRAWN or primitive.first("p", "ph") is None:
            continue
        inputs = [child for child in primitive.children if child.tag == "input"]
        vertex = that_is("VERTEX", inputs)
        vertices = source_of(vertex)
        if vertex is not None and (vertices is None or vertices.tag != "vertices"):
            vertices = mesh.first("vertices")
        position = that_is("POSITION", [*(vertices.children if vertex and vertices else ()), *inputs])
        source = source_of(position)
        if position is not None and source is not None:
            stride = 1 + max(_whole(one, "offset") for one in inputs)
            yield primitive, source, stride, _whole(vertex or position, "offset")


def _positions(file: XmlFile, source: XmlNode, matrix: Map) -> List[bytes]:
    """Return the positions of a `<source>` in meters, as three float32 each, in the bytes of STL."""
    common = source.first("technique_common")
    accessor = common.first("accessor") if common is not None else None
    numbers = source.first("float_array", "int_array")
    if numbers is None and accessor is not None:
        numbers = file.target(accessor.attributes.get("source", ""))
    values = file.floats(numbers)
    names = [child.attributes.get("name", "").upper() for child in accessor.children
             if child.tag == "param"] if accessor is not None else []
    start = _whole(accessor, "offset")
    stride = _whole(accessor, "stride") or len(names) or 3
    if {"X", "Y", "Z"} & {*names}:
        columns = [names.index(axis) if axis in names else -1 for axis in "XYZ"]
    else:
        columns = [k if k < (len(names) or 3) else -1 for k in range(3)]
    count = max(0, -((start + max(columns) - len(values)) // stride))  # records of which all columns are there
    parts = [values[start + k:start + k + (count - 1) * stride + 1:stride] if k >= 0 and count else
             array("d", bytes(8 * count)) for k in columns]
    moved = array("f", bytes(12 * count))
    for k, ((a, b, c), d) in enumerate(zip(*matrix)):
        if bool(a) + bool(b) + bool(c) == 1:  # as in nearly all files
            factor, part = (a, parts[0]) if a else (b, parts[1]) if b else (c, parts[2])
            moved[k::3] = array("f", part if factor == 1.0 and not d else [factor * x + d for x in part])
        else:
            moved[k::3] = array("f", [a * x + b * y + c * z + d for x, y, z in zip(*parts)])
    if MINUS_NOTHING in moved.tobytes():  # -0.0 is 0.0
        moved = array("f", [value + 0.0 for value in moved])
    if sys.byteorder == "big":
        moved.byteswap()
    return [point for point, in struct.iter_unpack("12s", moved.tobytes())]


def _whole(node: Optional[XmlNode], name: str) -> int:
    word = node.attributes.get(name, "").strip() if node is not None else ""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 19 else 0


def _corners_of(file: XmlFile, primitive: XmlNode, stride: int, offset: int
                ) -> Iterator[Tuple[List[int], List[Loops]]]:
    """Yield the corners of triangles, three each, as they are wound, and the outline and holes of each polygon."""
    runs = [file.indices(child, offset, stride) for child in primitive.children if child.tag == "p"]
    counts = primitive.first("vcount") if primitive.tag == "polylist" else None
    sizes = [int(word) for words in file.words(counts) for word in words] if counts is not None else []
    if primitive.tag == "triangles" or sizes and sizes.count(3) == len(sizes):
        left = 3 * len(sizes) if sizes else inf  # at most as many as are counted
        for blocks in [chain.from_iterable(runs)] if sizes else runs:
            rest: List[int] = []
            for block in blocks:
                block = rest + block
                whole = int(min(len(block) // 3 * 3, left))
                rest = block[whole:]
                left -= whole
                yield block[:whole], []
        return
    corners: List[int] = []
    polygons: List[Loops] = []
    for loops in _loops_of(file, primitive, sizes, stride, offset):
        if len(loops) == 1 and len(loops[0]) == 3:
            corners += loops[0]
        elif len(loops[0]) > 2:
            polygons.append(loops)
        if len(corners) > MOST_HELD:
            yield corners, polygons
            corners, polygons = [], []
    yield corners, polygons


def _loops_of(file: XmlFile, primitive: XmlNode, sizes: List[int], stride: int, offset: int) -> Iterator[Loops]:
    """Yield the outline and the holes of each polygon; of strips and fans each triangle, as it is wound."""
    def all_of(node: XmlNode) -> List[int]:
        return [index for block in file.indices(node, offset, stride) for index in block]

    runs = [child for child in primitive.children if child.tag in ("p", "ph")]
    if primitive.tag == "polylist":
        joined, start = [index for run in runs if run.tag == "p" for index in all_of(run)], 0
        for size in sizes:
            if start + size > len(joined):
                return
            yield [joined[start:start + size]]
            start += size
    elif primitive.tag == "polygons":
        for run in runs:
            outline = run.first("p") if run.tag == "ph" else run
            if outline is not None:
                holes = [all_of(hole) for hole in run.children if hole.tag == "h"]
                yield [all_of(outline), *(hole for hole in holes if len(hole) > 2)]
    else:
        for row in (all_of(run) for run in runs if run.tag == "p"):
            if primitive.tag == "trifans":
                yield from ([[row[0], b, c]] for b, c in zip(row[1:], row[2:]))
            else:  # each corner closes a triangle with the two before, now left, now right
                yield from ([[b, a, c] if k % 2 else [a, b, c]] for k, (a, b, c) in enumerate(
                    zip(row, row[1:], row[2:])))


def _color_key(file: XmlFile, materials: Dict[str, str], symbol: str) -> ColorKey:
    """Return the diffuse color of a material where the file writes it out; None where it does not."""
    material = file.target(materials.get(symbol, symbol)) if symbol else None
    instance = material.first("instance_effect") if material is not None and material.tag == "material" else None
    effect = file.target(instance.attributes.get("url", "")) if instance is not None else None
    for node in effect.below() if effect is not None and effect.tag == "effect" else ():
        if node.tag in ("phong", "lambert", "blinn", "constant"):
            diffuse = node.first("diffuse")
            color = diffuse.first("color") if diffuse is not None and diffuse.first("texture") is None else None
            try:
                values = [*file.floats(color)]
            except ValueError:
                return None
            red, green, blue = (round(min(1.0, max(0.0, value)), 6) for value in (values + [0.0, 0.0, 0.0])[:3])
            return (red, green, blue) if len(values) > 2 and all(map(isfinite, values)) else None
    return None
