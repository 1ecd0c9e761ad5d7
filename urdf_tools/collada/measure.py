"""Measures a COLLADA file for the proof: box, area, area vector and volume of what it draws, color by color.

Everything is read anew from the file, by code that the conversion does not use. Nothing is cut into triangles: the area
vector of a polygon is half the sum of p x q over its edges, and its volume with the origin a third of that vector times
a corner, whatever way it is cut. Where the way does matter (a polygon that is not flat, or crosses itself), the
measure is a range. Positions are in meters, rounded to float32 as a binary STL has them.
"""
import struct
from array import array
from math import acos, cos, fsum, inf, isfinite, pi, radians, sin, sqrt, tan
from typing import BinaryIO, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union
from xml.parsers import expat

NUMBER_TEXTS = ("float_array", "int_array", "p", "h", "vcount")
DRAWN = ("triangles", "polylist", "polygons", "tristrips", "trifans")
MOST_CORNERS = 40  # of a polygon that is tested for crossing itself, which takes their square
FLAT_ENOUGH = 1e-6  # relative: beyond it a polygon counts as bent, and its measures as ranges

Point = Tuple[float, float, float]
Map = Tuple[Tuple[float, float, float, float], ...]  # three rows
ColorKey = Optional[Tuple[float, float, float]]  # None: this reading does not know the color
Numbers = Union["array[float]", "array[int]", List[float]]

SAME: Map = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
UP_TURNS: Dict[Optional[str], Map] = {
    None: SAME, "z": SAME,
    "x": ((0.0, -1.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
    "y": ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, 0.0)),
}


class Measure:
    """Sums over surfaces: area [m^2] and volume with the origin [m^3] as ranges, area vector [m^2], and boxes [m].

    `box` holds everything, `firm` what has an area and so must be in the STL.
    """

    def __init__(self) -> None:
        self.area = [0.0, 0.0]
        self.volume = [0.0, 0.0]
        self.vector = [0.0, 0.0, 0.0]
        self.vector_room = 0.0
        self.box = [inf, inf, inf, -inf, -inf, -inf]
        self.firm = [inf, inf, inf, -inf, -inf, -inf]

    def add(self, other: "Measure") -> None:
        """Add what another measure holds."""
        for mine, its in ((self.area, other.area), (self.volume, other.volume), (self.vector, other.vector)):
            mine[:] = [a + b for a, b in zip(mine, its)]
        self.vector_room += other.vector_room
        for mine, its in ((self.box, other.box), (self.firm, other.firm)):
            mine[:] = [*map(min, mine[:3], its[:3]), *map(max, mine[3:], its[3:])]


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
        axis, angle = _unit((ax, ay, az)), radians(degrees)
        images = []
        for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):  # e cos + (k x e) sin + k (k.e) (1 - cos)
            around, along = _times(axis, e), sum(p * q for p, q in zip(axis, e))
            images.append([p * cos(angle) + q * sin(angle) + k * along * (1.0 - cos(angle))
                           for p, q, k in zip(e, around, axis)] if any(axis) else list(e))
        return tuple((images[0][k], images[1][k], images[2][k], 0.0) for k in range(3))
    if node.tag == "lookat":
        v = node.values()
        eye = (v[0], v[1], v[2])
        back = _unit((v[0] - v[3], v[1] - v[4], v[2] - v[5]))
        right = _unit(_times((v[6], v[7], v[8]), back))
        if not any(back) or not any(right):
            return ((1.0, 0.0, 0.0, eye[0]), (0.0, 1.0, 0.0, eye[1]), (0.0, 0.0, 1.0, eye[2]))
        up = _times(back, right)
        return tuple((right[k], up[k], back[k], eye[k]) for k in range(3))
    if node.tag == "skew":
        v = node.values()
        a, b = _unit((v[1], v[2], v[3])), _unit((v[4], v[5], v[6]))
        overlap = sum(p * q for p, q in zip(a, b))
        rest = _unit((a[0] - overlap * b[0], a[1] - overlap * b[1], a[2] - overlap * b[2]))
        between = acos(min(max(overlap, -1.0), 1.0))
        left = between - radians(v[0])
        if any(rest) and 1e-6 < left < pi - 1e-6:
            lean = 1.0 / tan(left) - 1.0 / tan(between)
            p, q, r = ([lean * b[k] * rest[c] + (1.0 if k == c else 0.0) for c in range(3)] for k in range(3))
            return ((p[0], p[1], p[2], 0.0), (q[0], q[1], q[2], 0.0), (r[0], r[1], r[2], 0.0))
    return SAME


def _unit(v: Point) -> Point:
    size = sqrt(sum(part * part for part in v))
    return (v[0] / size, v[1] / size, v[2] / size) if size > 1e-30 else (0.0, 0.0, 0.0)


def _times(a: Point, b: Point) -> Point:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


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
        _measure_loops(_loops_of(primitive, stride, offset), placed[id(source)], measure, turn)
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


def _measure_loops(loops: "Iterable[Tuple[List[int], List[List[int]]]]", points: List[Point], measure: Measure,
                   turn: float) -> None:
    """Add polygons, given by their corners, to a measure."""
    area = volume = vx = vy = vz = 0.0
    used: Dict[int, None] = {}
    firm: Dict[int, None] = {}
    for corners, holes in loops:
        if len(corners) != 3:
            if len(corners) > 3:
                _measure_polygon([points[k] for k in corners], [[points[k] for k in hole] for hole in holes], measure,
                                 turn)
            continue
        a, b, c = corners
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = points[a], points[b], points[c]
        ux, uy, uz, wx, wy, wz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        x, y, z = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
        double = sqrt(x * x + y * y + z * z)
        used[a] = used[b] = used[c] = None
        if double:
            firm[a] = firm[b] = firm[c] = None
            area += double
            volume += ax * x + ay * y + az * z
            vx += x
            vy += y
            vz += z
    part = Measure()
    part.area, part.volume = [0.5 * area] * 2, [turn * volume / 6.0] * 2
    part.vector = [0.5 * turn * vx, 0.5 * turn * vy, 0.5 * turn * vz]
    part.box, part.firm = _box_of(points[k] for k in used), _box_of(points[k] for k in firm)
    measure.add(part)


def _box_of(points: Iterable[Point]) -> List[float]:
    columns = [*zip(*points)] or [(inf,)] * 3
    return [*map(min, columns), *(max(column) if columns[0] != (inf,) else -inf for column in columns)]


def _measure_polygon(outline: List[Point], holes: List[List[Point]], measure: Measure, turn: float) -> None:
    """Add one polygon of more than three corners, with its holes."""
    part = Measure()
    part.box = _box_of(outline)
    vector, center, bend, fan = _about_center(outline)
    size = _size(vector)
    exact = _is_plain(outline, vector, bend)
    lowest = highest = size
    volume = _dot(center, vector) / 3.0
    room = 0.0
    if len(outline) == 4 and not exact:  # bent: one of two cuts
        a, b, c, d = outline
        cuts = [(_triangle(a, b, c), _triangle(a, c, d)), (_triangle(a, b, d), _triangle(b, c, d))]
        highest = max(_size(one) + _size(other) for one, other in cuts)
        volumes = [(_dot(a, one) + _dot(third, other)) / 3.0 for (one, other), third in zip(cuts, (a, b))]
        part.volume = sorted(turn * v for v in volumes)
    else:
        if not exact:
            highest, room = inf, bend * fan
        for hole in holes:
            its_vector, its_center, its_bend, _ = _about_center(hole)
            its_size = _size(its_vector)
            sense = -1.0 if _dot(vector, its_vector) > 0.0 else 1.0
            inside = exact and its_bend <= FLAT_ENOUGH * sqrt(its_size) and _is_inside(hole[0], outline, vector)
            volume += sense * _dot(its_center, its_vector) / 3.0
            vector = (vector[0] + sense * its_vector[0], vector[1] + sense * its_vector[1],
                      vector[2] + sense * its_vector[2])
            lowest -= its_size
            highest = lowest if inside else inf
            if not inside:
                part.vector_room += its_size
                room += its_size * _size(its_center)
        part.volume = [turn * volume - room, turn * volume + room]
    part.vector = [turn * value for value in vector]
    part.area = [max(0.0, lowest), highest]
    if exact and not holes and fan <= size * (1.0 + FLAT_ENOUGH):
        part.firm = list(part.box)
    measure.add(part)


def _about_center(loop: List[Point]) -> Tuple[Point, Point, float, float]:
    """Return area vector and center of a closed line, how far it leaves its plane, and the area of the fan there."""
    count = len(loop)
    center = (fsum(p[0] for p in loop) / count, fsum(p[1] for p in loop) / count, fsum(p[2] for p in loop) / count)
    parts = [_triangle(center, p, q) for p, q in zip(loop, [*loop[1:], loop[0]])]
    vector = (fsum(v[0] for v in parts), fsum(v[1] for v in parts), fsum(v[2] for v in parts))
    normal = _unit(vector)
    bend = max(abs(_dot(normal, (p[0] - center[0], p[1] - center[1], p[2] - center[2]))) for p in loop)
    return vector, center, bend, fsum(map(_size, parts))


def _triangle(a: Point, b: Point, c: Point) -> Point:
    """Return the area vector of a triangle."""
    x, y, z = _times((b[0] - a[0], b[1] - a[1], b[2] - a[2]), (c[0] - a[0], c[1] - a[1], c[2] - a[2]))
    return (0.5 * x, 0.5 * y, 0.5 * z)


def _dot(a: Point, b: Point) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _size(v: Point) -> float:
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def _flattened(loop: List[Point], normal: Point) -> List[Tuple[float, float]]:
    """Return the corners without the coordinate that the normal has most of."""
    drop = max(range(3), key=lambda k: abs(normal[k]))
    i, j = [k for k in range(3) if k != drop]
    return [(p[i], p[j]) for p in loop]


def _is_plain(loop: List[Point], vector: Point, bend: float) -> bool:
    """Return True if a polygon is flat and no two of its edges meet, so that every way to cut it has one area."""
    size = _size(vector)
    if not size > 0.0 or bend > FLAT_ENOUGH * sqrt(size) or len(loop) > MOST_CORNERS:
        return False
    flat = _flattened(loop, vector)
    edges = [*zip(flat, [*flat[1:], flat[0]])]
    count = len(edges)
    return not any(_meet(edges[i], edges[j]) for i in range(count) for j in range(i + 2, count)
                   if (i, j) != (0, count - 1)) and len(set(flat)) == count


def _meet(one: Tuple[Tuple[float, float], Tuple[float, float]], other: Tuple[Tuple[float, float], Tuple[float, float]]
          ) -> bool:
    def side(p: Tuple[float, float], q: Tuple[float, float], r: Tuple[float, float]) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    (a, b), (c, d) = one, other
    return side(a, b, c) * side(a, b, d) <= 0.0 and side(c, d, a) * side(c, d, b) <= 0.0


def _is_inside(point: Point, loop: List[Point], normal: Point) -> bool:
    """Return True if a point is inside a polygon, both seen along its normal (even-odd rule)."""
    (x, y), *flat = _flattened([point, *loop], normal)
    inside = False
    for (px, py), (qx, qy) in zip(flat, [*flat[1:], flat[0]]):
        if (py > y) != (qy > y) and x < px + (y - py) / (qy - py) * (qx - px):
            inside = not inside
    return inside


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


def measure_stl(path: str) -> Measure:
    """Return the measure of a binary STL file, from its corners; its size must fit its count.

    Raises:
        ValueError: it does not.
    """
    measure, record = Measure(), struct.Struct("<12x9f2x")
    area = volume = vx = vy = vz = 0.0
    with open(path, "rb") as stream:
        count, = struct.unpack("<80xI", stream.read(84))
        seen = 0
        for block in iter(lambda: stream.read(50 * 4096), b""):
            corners: List[Point] = []
            if len(block) % 50:
                raise ValueError("ends inside a triangle")
            for ax, ay, az, bx, by, bz, cx, cy, cz in record.iter_unpack(block):
                ux, uy, uz, wx, wy, wz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
                x, y, z = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
                area += sqrt(x * x + y * y + z * z)
                volume += ax * x + ay * y + az * z
                vx += x
                vy += y
                vz += z
                corners += ((ax, ay, az), (bx, by, bz), (cx, cy, cz))
            seen += len(block) // 50
            part = Measure()
            part.box = part.firm = _box_of(corners)
            measure.add(part)
    if seen != count:
        raise ValueError(f"holds {seen} triangles instead of {count}")
    measure.area, measure.volume = [0.5 * area] * 2, [volume / 6.0] * 2
    measure.vector = [0.5 * vx, 0.5 * vy, 0.5 * vz]
    return measure
