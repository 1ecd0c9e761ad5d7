"""Measure a COLLADA file for the proof: which triangles it draws, and box, area and volume of the rest, by color.

Everything is read anew from the file, by code that the conversion does not use. Positions are in meters, rounded to
float32 as a binary STL has them.
"""
import struct
import sys
from array import array
from math import acos, cos, fsum, isfinite, pi, radians, sin, sqrt, tan
from typing import AbstractSet, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .plain_reading import XmlFile, XmlNode
from .records import SceneOptions
from .surface import Loops, measure_polygon, MINUS_NOTHING, Surface, unit_length, vector_times

DRAWN = ("triangles", "polylist", "polygons", "tristrips", "trifans")
MOST_HELD = 24000  # corners

Map = Tuple[Tuple[float, float, float, float], ...]  # three rows
ColorKey = Optional[Tuple[float, float, float]]  # None: the color is not written out

SAME: Map = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
UP_TURNS: Dict[Optional[str], Map] = {
    None: SAME, "z": SAME,
    "x": ((0.0, -1.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
    "y": ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, 0.0)),
}


def measure_dae(file: XmlFile, scene: SceneOptions, drawn: Dict[ColorKey, Surface],
                odd: Optional[Mapping[ColorKey, AbstractSet[int]]] = None) -> None:
    """Add what a file draws to surfaces by the diffuse color of its materials.

    Without `odd` these are the prints of all triangles, and the measures of all polygons; with it, the measures of the
    triangles of a color that have one of these prints.
    """
    unit = scene.scale_factor if scene.scale_factor is not None else _unit_of(file, scene.missing_unit)
    start = _after(UP_TURNS[scene.up_axis], ((unit, 0.0, 0.0, 0.0), (0.0, unit, 0.0, 0.0), (0.0, 0.0, unit, 0.0)))
    for geometry, matrix, materials in _instances(file, start):
        mesh = geometry.first("mesh", "convex_mesh")
        if mesh is None or _is_crushed(matrix):
            continue
        mirrored = _volume_factor(matrix) < 0.0
        placed: Dict[int, List[bytes]] = {}
        for primitive, source, stride, offset in _primitives(file, mesh):
            key = _color_key(file, materials, primitive.attributes.get("material", ""))
            if odd is not None and not odd.get(key):
                continue
            if source.start not in placed:
                placed[source.start] = _positions(file, source, matrix)
            points, surface = placed[source.start], drawn.setdefault(key, Surface())
            for corners, polygons in _corners_of(file, primitive, stride, offset):
                if mirrored:  # a mirrored mesh keeps its outside
                    corners[1::3], corners[2::3] = corners[2::3], corners[1::3]
                surface.add_triangles(struct.iter_unpack("36s", b"".join(map(points.__getitem__, corners))),
                                      None if odd is None else odd[key])
                for loops in polygons if odd is None else ():
                    measure_polygon([[struct.unpack("<3f", points[k]) for k in loop] for loop in loops], surface,
                                    -1.0 if mirrored else 1.0)


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
                matrix = _after(matrix, _rows_of(file.floats(shape))) if shape is not None else matrix
                target = file.target(skin.attributes.get("source", ""))
            if target is not None and target.tag == "geometry":
                yield target, matrix, materials
            continue
        for child in node.children if node.tag == "node" else ():
            matrix = _after(matrix, _map_of(file, child))
        waiting += [(child, matrix) for child in reversed(node.children) if child.tag in (
            "node", "instance_node", "instance_geometry", "instance_controller")]


def _after(left: Map, right: Map) -> Map:
    """Return the map that applies `right`, then `left`."""
    columns = [*zip(*right)]
    return tuple((fsum(a * b for a, b in zip(row, columns[0])), fsum(a * b for a, b in zip(row, columns[1])),
                  fsum(a * b for a, b in zip(row, columns[2])),
                  fsum(a * b for a, b in zip(row, columns[3])) + row[3]) for row in left)


def _rows_of(v: Sequence[float]) -> Map:
    return tuple((v[k], v[k + 1], v[k + 2], v[k + 3]) for k in (0, 4, 8))


def _map_of(file: XmlFile, node: XmlNode) -> Map:
    """Return what a transformation element of a node does to column vectors (Khronos COLLADA 1.4.1, chapter 5)."""
    if node.tag == "matrix":
        return _rows_of(file.floats(node))
    if node.tag == "translate":
        x, y, z = file.floats(node)
        return ((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z))
    if node.tag == "scale":
        x, y, z = file.floats(node)
        return ((x, 0.0, 0.0, 0.0), (0.0, y, 0.0, 0.0), (0.0, 0.0, z, 0.0))
    if node.tag == "rotate":
        ax, ay, az, degrees = file.floats(node)
        axis, angle = unit_length((ax, ay, az)), radians(degrees)
        images = []
        for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):  # e cos + (k x e) sin + k (k.e) (1 - cos)
            around, along = vector_times(axis, e), sum(p * q for p, q in zip(axis, e))
            images.append([p * cos(angle) + q * sin(angle) + k * along * (1.0 - cos(angle))
                           for p, q, k in zip(e, around, axis)] if any(axis) else list(e))
        return tuple((images[0][k], images[1][k], images[2][k], 0.0) for k in range(3))
    if node.tag == "lookat":
        v = file.floats(node)
        eye = (v[0], v[1], v[2])
        back = unit_length((v[0] - v[3], v[1] - v[4], v[2] - v[5]))
        right = unit_length(vector_times((v[6], v[7], v[8]), back))
        if not any(back) or not any(right):
            return ((1.0, 0.0, 0.0, eye[0]), (0.0, 1.0, 0.0, eye[1]), (0.0, 0.0, 1.0, eye[2]))
        up = vector_times(back, right)
        return tuple((right[k], up[k], back[k], eye[k]) for k in range(3))
    if node.tag == "skew":
        v = file.floats(node)
        a, b = unit_length((v[1], v[2], v[3])), unit_length((v[4], v[5], v[6]))
        overlap = sum(p * q for p, q in zip(a, b))
        rest = unit_length((a[0] - overlap * b[0], a[1] - overlap * b[1], a[2] - overlap * b[2]))
        between = acos(min(max(overlap, -1.0), 1.0))
        left = between - radians(v[0])
        if any(rest) and 1e-6 < left < pi - 1e-6:
            lean = 1.0 / tan(left) - 1.0 / tan(between)
            p, q, r = ([lean * b[k] * rest[c] + (1.0 if k == c else 0.0) for c in range(3)] for k in range(3))
            return ((p[0], p[1], p[2], 0.0), (q[0], q[1], q[2], 0.0), (r[0], r[1], r[2], 0.0))
    return SAME


def _volume_factor(matrix: Map) -> float:
    (a, b, c, _), (d, e, f, _), (g, h, i, _) = matrix
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _is_crushed(matrix: Map) -> bool:
    size = 1.0
    for column in range(3):
        size *= sqrt(sum(row[column] ** 2 for row in matrix))
    return not abs(_volume_factor(matrix)) > 1e-9 * size


def _primitives(file: XmlFile, mesh: XmlNode) -> Iterator[Tuple[XmlNode, XmlNode, int, int]]:
    """Yield what a mesh draws, its source of positions, and where among the numbers of a corner their index is."""
    def source_of(url: str) -> Optional[XmlNode]:
        own = next((child for child in mesh.children if child.attributes.get("id") == url.lstrip("#")), None)
        return own if own is not None else file.target(url)

    for primitive in mesh.children:
        if primitive.tag not in DRAWN or not any(child.tag in ("p", "ph") for child in primitive.children):
            continue
        inputs = [child for child in primitive.children if child.tag == "input"]
        stride = 1 + max([_whole(one, "offset") for one in inputs], default=0)
        vertex = next((one for one in inputs if one.attributes.get("semantic") == "VERTEX"), None)
        vertices = source_of(vertex.attributes.get("source", "")) if vertex is not None else None
        if vertex is not None and (vertices is None or vertices.tag != "vertices"):
            vertices = mesh.first("vertices")
        shared = vertices.children if vertices is not None else []
        position = next((one for one in [*shared, *inputs] if one.attributes.get("semantic") == "POSITION"), None)
        source = source_of(position.attributes.get("source", "")) if position is not None else None
        if position is not None and source is not None:
            yield primitive, source, stride, _whole(vertex if vertex is not None else position, "offset")


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
    start = _whole(accessor, "offset") if accessor is not None else 0
    stride = (_whole(accessor, "stride") if accessor is not None else 0) or len(names) or 3
    if {"X", "Y", "Z"} & set(names):
        columns = [names.index(axis) if axis in names else -1 for axis in "XYZ"]
    else:
        columns = [k if k < (len(names) or 3) else -1 for k in range(3)]
    count = max(0, -((start + max(columns) - len(values)) // stride))  # records of which all columns are there
    parts = [values[start + k:start + k + (count - 1) * stride + 1:stride] if k >= 0 and count else
             array("d", bytes(8 * count)) for k in columns]
    moved = array("f", bytes(12 * count))
    for k, (a, b, c, d) in enumerate(matrix):
        if sum(map(bool, (a, b, c))) == 1:  # as in nearly all files
            factor, part = max(zip((a, b, c), parts), key=lambda term: term[0] != 0.0)
            moved[k::3] = array("f", part if factor == 1.0 and not d else [factor * x + d for x in part])
        else:
            moved[k::3] = array("f", [a * x + b * y + c * z + d for x, y, z in zip(*parts)])
    if MINUS_NOTHING in moved.tobytes():  # -0.0 is 0.0
        moved = array("f", [value + 0.0 for value in moved])
    if sys.byteorder == "big":
        moved.byteswap()
    return [point for point, in struct.iter_unpack("12s", moved.tobytes())]


def _whole(node: XmlNode, name: str) -> int:
    word = node.attributes.get(name, "").strip()
    return int(word) if word.isascii() and word.isdigit() and len(word) < 19 else 0


def _corners_of(file: XmlFile, primitive: XmlNode, stride: int, offset: int
                ) -> Iterator[Tuple[List[int], List[Loops]]]:
    """Yield the corners of triangles, three each, as they are wound, and the outline and holes of each polygon."""
    runs = [child for child in primitive.children if child.tag == "p"]
    sizes: List[int] = []
    if primitive.tag == "polylist":
        counts = primitive.first("vcount")
        sizes = [int(word) for words in (file.words(counts) if counts is not None else ()) for word in words]
    if primitive.tag == "triangles" or sizes and sizes.count(3) == len(sizes):
        left = 3 * len(sizes)  # at most as many as are counted
        rest: List[int] = []
        for run in runs:
            rest = rest if sizes else []
            for block in file.indices(run, offset, stride):
                block = rest + block
                whole = min(len(block) // 3 * 3, left) if sizes else len(block) // 3 * 3
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
