"""Measures a COLLADA file for the proof: box, area, area vector and volume of what it draws, color by color.

Everything is read anew from the file, by code that the conversion does not use. Positions are in meters, rounded to
float32 as a binary STL has them.
"""
from array import array
from math import acos, cos, fsum, isfinite, pi, radians, sin, sqrt, tan
from typing import BinaryIO, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union
from xml.parsers import expat

from .surface import Measure, measure_loops, Point, unit_length, vector_times

NUMBER_TEXTS = ("float_array", "int_array", "p", "h", "vcount")
DRAWN = ("triangles", "polylist", "polygons", "tristrips", "trifans")

Map = Tuple[Tuple[float, float, float, float], ...]  # three rows
ColorKey = Optional[Tuple[float, float, float]]  # None: this reading does not know the color
Numbers = Union["array[float]", "array[int]", List[float]]

SAME: Map = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
UP_TURNS: Dict[Optional[str], Map] = {
    None: SAME, "z": SAME,
    "x": ((0.0, -1.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
    "y": ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, 0.0)),
}


class XmlNode:
    """An element as the proof reads it; the text of long lists is numbers already, where it can be."""

    __slots__ = ("tag", "attributes", "children", "text", "numbers")

    def __init__(self, tag: str, attributes: Dict[str, str]) -> None:
        self.tag, self.attributes = tag, attributes
        self.children: List[XmlNode] = []
        self.text = ""
        self.numbers: Optional[Numbers] = None

    def first(self, *tags: str) -> "Optional[XmlNode]":
        """Return the first child of one of these names."""
        return next((child for child in self.children if child.tag in tags), None)

    def below(self) -> "Iterator[XmlNode]":
        """Yield all elements below this one in document order."""
        waiting = self.children[::-1]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children[::-1]

    def values(self) -> Numbers:
        """Return the numbers in the text; a comma between digits is a decimal point."""
        if self.numbers is None:
            self.numbers = [float(word.replace(",", ".")) for word in self.text.split()]
        return self.numbers


class XmlFile(NamedTuple):
    """The root of a file, and its elements by id, the first of equal ones."""

    root: XmlNode
    ids: Dict[str, XmlNode]

    def target(self, url: str) -> Optional[XmlNode]:
        """Return what `#id` or `id` refers to."""
        return self.ids.get(url[1:] if url.startswith("#") else url)


def read_xml(stream: BinaryIO) -> XmlFile:
    """Read a file that is known to be sound."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    above = [XmlNode("", {})]
    texts: List[List[str]] = [[]]
    ids: Dict[str, XmlNode] = {}

    def start(tag: str, attributes: Dict[str, str]) -> None:
        node = XmlNode(tag.rpartition(":")[2], attributes)
        above[-1].children.append(node)
        above.append(node)
        texts.append([])
        if "id" in attributes:
            ids.setdefault(attributes["id"], node)

    def end(_: str) -> None:
        node, node_text = above.pop(), "".join(texts.pop())
        if node.tag in NUMBER_TEXTS:
            try:
                node.numbers = array("d" if node.tag.endswith("_array") else "q",
                                     map(float if node.tag.endswith("_array") else int, node_text.split()))
                return
            except (ValueError, OverflowError):
                pass
        node.text = node_text

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: texts[-1].append(text)
    parser.ParseFile(stream)
    parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
    return XmlFile(above[0].children[0], ids)


def measure_dae(stream: BinaryIO, scale: Optional[float], missing_unit: float, up_axis: Optional[str]
                ) -> Dict[ColorKey, Measure]:
    """Return the measures of what a file draws by the diffuse color of its materials.

    Args:
        scale: meters per unit, instead of what the file says.
        missing_unit: meters per unit of a file that does not say.
        up_axis: the axis of the file that becomes +Z.
    """
    file = read_xml(stream)
    unit = scale if scale is not None else _unit_of(file, missing_unit)
    start = _after(UP_TURNS[up_axis], ((unit, 0.0, 0.0, 0.0), (0.0, unit, 0.0, 0.0), (0.0, 0.0, unit, 0.0)))
    found: Dict[ColorKey, Measure] = {}
    for geometry, matrix, materials in _instances(file, start):
        mesh = geometry.first("mesh", "convex_mesh")
        if mesh is not None and not _is_crushed(matrix):
            _measure_mesh(file, mesh, matrix, materials, found)
    return found


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
                matrix = _after(matrix, _rows_of(shape.values())) if shape is not None else matrix
                target = file.target(skin.attributes.get("source", ""))
            if target is not None and target.tag == "geometry":
                yield target, matrix, materials
            continue
        for child in node.children if node.tag == "node" else ():
            matrix = _after(matrix, _map_of(child))
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


def _map_of(node: XmlNode) -> Map:
    """Return what a transformation element of a node does to column vectors (Khronos COLLADA 1.4.1, chapter 5)."""
    if node.tag == "matrix":
        return _rows_of(node.values())
    if node.tag == "translate":
        x, y, z = node.values()
        return ((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z))
    if node.tag == "scale":
        x, y, z = node.values()
        return ((x, 0.0, 0.0, 0.0), (0.0, y, 0.0, 0.0), (0.0, 0.0, z, 0.0))
    if node.tag == "rotate":
        ax, ay, az, degrees = node.values()
        axis, angle = unit_length((ax, ay, az)), radians(degrees)
        images = []
        for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):  # e cos + (k x e) sin + k (k.e) (1 - cos)
            around, along = vector_times(axis, e), sum(p * q for p, q in zip(axis, e))
            images.append([p * cos(angle) + q * sin(angle) + k * along * (1.0 - cos(angle))
                           for p, q, k in zip(e, around, axis)] if any(axis) else list(e))
        return tuple((images[0][k], images[1][k], images[2][k], 0.0) for k in range(3))
    if node.tag == "lookat":
        v = node.values()
        eye = (v[0], v[1], v[2])
        back = unit_length((v[0] - v[3], v[1] - v[4], v[2] - v[5]))
        right = unit_length(vector_times((v[6], v[7], v[8]), back))
        if not any(back) or not any(right):
            return ((1.0, 0.0, 0.0, eye[0]), (0.0, 1.0, 0.0, eye[1]), (0.0, 0.0, 1.0, eye[2]))
        up = vector_times(back, right)
        return tuple((right[k], up[k], back[k], eye[k]) for k in range(3))
    if node.tag == "skew":
        v = node.values()
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


def _measure_mesh(file: XmlFile, mesh: XmlNode, matrix: Map, materials: Dict[str, str],
                  found: Dict[ColorKey, Measure]) -> None:
    """Add what a mesh draws to the measures of its colors; a mirrored mesh keeps its outside."""
    turn = -1.0 if _volume_factor(matrix) < 0.0 else 1.0
    placed: Dict[int, List[Point]] = {}

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
        if position is None or source is None:
            continue
        if id(source) not in placed:
            placed[id(source)] = _positions(file, source, matrix)
        offset = _whole(vertex if vertex is not None else position, "offset")
        measure = Measure()
        measure_loops(_loops_of(primitive, stride, offset), placed[id(source)], measure, turn)
        key = _color_key(file, materials, primitive.attributes.get("material", ""))
        found.setdefault(key, Measure()).add(measure)


def _positions(file: XmlFile, source: XmlNode, matrix: Map) -> List[Point]:
    """Return the positions of a `<source>` in meters, as float32 values."""
    common = source.first("technique_common")
    accessor = common.first("accessor") if common is not None else None
    numbers = source.first("float_array", "int_array")
    if numbers is None and accessor is not None:
        numbers = file.target(accessor.attributes.get("source", ""))
    values = numbers.values() if numbers is not None else []
    names = [child.attributes.get("name", "").upper() for child in accessor.children
             if child.tag == "param"] if accessor is not None else []
    start = _whole(accessor, "offset") if accessor is not None else 0
    stride = (_whole(accessor, "stride") if accessor is not None else 0) or len(names) or 3
    if {"X", "Y", "Z"} & set(names):
        columns = [names.index(axis) if axis in names else -1 for axis in "XYZ"]
    else:
        columns = [k if k < (len(names) or 3) else -1 for k in range(3)]
    count = max(0, -((start + max(columns) - len(values)) // stride))  # records of which all columns are there
    xs, ys, zs = (values[start + k:start + k + (count - 1) * stride + 1:stride] if k >= 0 and count else
                  [0.0] * count for k in columns)
    moved = array("f")
    for x, y, z in zip(xs, ys, zs):
        for a, b, c, d in matrix:
            moved.append(a * x + b * y + c * z + d)
    flat = iter(moved)
    return list(zip(flat, flat, flat))


def _whole(node: XmlNode, name: str) -> int:
    word = node.attributes.get(name, "").strip()
    return int(word) if word.isascii() and word.isdigit() and len(word) < 19 else 0


def _loops_of(primitive: XmlNode, stride: int, offset: int) -> "Iterator[Tuple[List[int], List[List[int]]]]":
    """Yield the corners of each polygon, and those of its holes; of strips and fans each triangle, as it is wound."""
    runs = [[int(n) for n in child.values()[offset::stride]] for child in primitive.children if child.tag == "p"]
    if primitive.tag == "triangles":
        for run in runs:
            yield from (([a, b, c], []) for a, b, c in zip(run[::3], run[1::3], run[2::3]))
    elif primitive.tag == "polylist":
        sizes, joined, start = primitive.first("vcount"), [index for run in runs for index in run], 0
        for size in map(int, sizes.values() if sizes is not None else ()):
            if start + size > len(joined):
                return
            yield joined[start:start + size], []
            start += size
    elif primitive.tag == "polygons":
        for child in primitive.children:
            outline = child.first("p") if child.tag == "ph" else child
            if child.tag in ("p", "ph") and outline is not None:
                loops = [[int(n) for n in loop.values()[offset::stride]] for loop in (
                    outline, *(hole for hole in child.children if hole.tag == "h"))]
                yield loops[0], [hole for hole in loops[1:] if len(hole) > 2]
    elif primitive.tag == "trifans":
        for run in runs:
            yield from (([run[0], b, c], []) for b, c in zip(run[1:], run[2:]))
    else:
        for run in runs:
            for k in range(2, len(run)):  # each corner closes a triangle with the two before, now left, now right
                yield ([run[k - 2], run[k - 1], run[k]] if k % 2 == 0 else [run[k - 1], run[k - 2], run[k]]), []


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
                values = [min(1.0, max(0.0, value)) for value in color.values()] if color is not None else []
            except ValueError:
                return None
            return (round(values[0], 6), round(values[1], 6), round(values[2], 6)) if len(values) > 2 else None
    return None
