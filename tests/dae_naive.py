"""A second COLLADA reader, slow and plain, that shares no code with the tool: what the tests compare it with.

It reads with ElementTree, multiplies 4x4 matrices, and cuts every polygon into a fan.  A fan of a concave polygon
overlaps itself, so there the area comes out too large; count, box and the flux (which is the volume of a closed body)
are right however a flat polygon is cut.
"""

import math
import xml.etree.ElementTree as ElementTree


class Sums:
    """Count, total of the area vectors, volume and box of the triangles of one material."""

    def __init__(self):
        self.count = 0
        self.area = 0.0
        self.flux = 0.0
        self.low, self.high = [math.inf] * 3, [-math.inf] * 3

    def add(self, a, b, c):
        """Add a triangle by its corners."""
        n = cross(minus(b, a), minus(c, a))
        self.count += 1
        self.area += math.sqrt(dot(n, n)) / 2
        self.flux += dot(a, n) / 6
        for p in (a, b, c):
            self.low = [min(x, y) for x, y in zip(self.low, p)]
            self.high = [max(x, y) for x, y in zip(self.high, p)]


def minus(a, b):
    """Return the difference of two vectors."""
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    """Return the scalar product of two vectors."""
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    """Return the vector product of two vectors."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def matmul(a, b):
    """Return the product of two 4x4 matrices."""
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def eye():
    """Return the 4x4 matrix that changes nothing."""
    return [[float(i == j) for j in range(4)] for i in range(4)]


def determinant(m):
    """Return the determinant of the turn and scale of a 4x4 matrix; it is negative for a mirror."""
    return dot(
        [m[0][0], m[0][1], m[0][2]], cross([m[1][0], m[1][1], m[1][2]], [m[2][0], m[2][1], m[2][2]])
    )


def local(element):
    """Return the tag of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def floats(element):
    """Return the numbers in an element."""
    return [float(word) for word in "".join(element.itertext()).split()]


def transform(element):
    """Return the 4x4 matrix of a transform element, None for any other element."""
    tag = local(element)
    m = eye()
    if tag == "matrix":
        v = floats(element)
        return [v[0:4], v[4:8], v[8:12], [0.0, 0.0, 0.0, 1.0]]
    if tag == "translate":
        for i, value in enumerate(floats(element)):
            m[i][3] = value
        return m
    if tag == "scale":
        for i, value in enumerate(floats(element)):
            m[i][i] = value
        return m
    if tag == "rotate":
        x, y, z, degrees = floats(element)
        length = math.sqrt(x * x + y * y + z * z)
        if length == 0:
            return m
        k = [
            [0, -z / length, y / length],
            [z / length, 0, -x / length],
            [-y / length, x / length, 0],
        ]
        s = math.sin(math.radians(degrees))
        c = 1 - math.cos(math.radians(degrees))
        for i in range(3):
            for j in range(3):
                m[i][j] += s * k[i][j] + c * sum(k[i][n] * k[n][j] for n in range(3))
        return m
    return None


class Naive:
    """Read a file and sum up its triangles per material id (or None), in meters."""

    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()
        self.ids = {e.get("id"): e for e in self.root.iter() if e.get("id")}
        self.sums = {}
        unit = 1.0
        for asset in self.root:
            if local(asset) == "asset":
                for child in asset:
                    if local(child) == "unit":
                        unit = float(child.get("meter") or 1.0)
        world = eye()
        for i in range(3):
            world[i][i] = unit
        chosen = [
            e.get("url", "")[1:] for e in self.root.iter() if local(e) == "instance_visual_scene"
        ]
        for child in self.ids[chosen[0]]:
            if local(child) == "node":
                self.node(child, world)

    def node(self, element, world):
        """Add the triangles of a node and its children; `world` places their parent."""
        for child in element:
            m = transform(child)
            if m is not None:
                world = matmul(world, m)
        for child in element:
            tag = local(child)
            if tag == "node":
                self.node(child, world)
            elif tag == "instance_node":
                self.node(self.ids[child.get("url", "")[1:]], world)
            elif tag == "instance_geometry":
                self.shape(child, self.ids[child.get("url", "")[1:]], world)

    def shape(self, instance, target, world):
        """Add the triangles of a geometry with the materials that its instance binds."""
        bound = {
            e.get("symbol"): e.get("target", "")[1:]
            for e in instance.iter()
            if local(e) == "instance_material"
        }
        mesh = next(e for e in target if local(e) == "mesh")
        by_id = {e.get("id"): e for e in mesh}
        for primitive in mesh:
            if local(primitive) in ("triangles", "polylist", "polygons", "tristrips", "trifans"):
                symbol = primitive.get("material")
                self.primitive(primitive, by_id, bound.get(symbol, symbol), world)

    def primitive(
        self,
        element,
        by_id,
        material,
        world,
    ):
        """Add the polygons of a primitive element, each as a fan."""
        reads = [e for e in element if local(e) == "input"]
        stride = 1 + max(int(e.get("offset", 0)) for e in reads)
        vertex = next(e for e in reads if e.get("semantic") == "VERTEX")
        position = next(
            e for e in by_id[vertex.get("source", "")[1:]] if e.get("semantic") == "POSITION"
        )
        array = next(e for e in by_id[position.get("source", "")[1:]] if local(e) == "float_array")
        v = floats(array)
        points = []
        for i in range(0, len(v) - 2, 3):
            p = [*v[i : i + 3], 1.0]
            points.append([sum(world[r][k] * p[k] for k in range(4)) for r in range(3)])
        flip = determinant(world) < 0
        sums = self.sums.setdefault(material, Sums())
        for polygon in self.polygons(element, stride, int(vertex.get("offset", 0))):
            for b, c in zip(polygon[1:], polygon[2:]):
                triangle = [points[polygon[0]], points[b], points[c]]
                sums.add(*(triangle[::-1] if flip else triangle))

    def polygons(self, element, stride, offset):
        """Return the polygons of a primitive element, each as the numbers of its corners."""
        tag = local(element)
        corners = []
        runs = [
            [int(w) for w in (e.text or "").split()][offset::stride]
            for e in element
            if local(e) == "p"
        ]
        for run in runs:
            if tag == "triangles":
                corners += [run[i : i + 3] for i in range(0, len(run) - 2, 3)]
            elif tag == "polylist":
                start = 0
                sizes = next(e for e in element if local(e) == "vcount")
                for size in map(int, (sizes.text or "").split()):
                    corners.append(run[start : start + size])
                    start += size
            elif tag == "tristrips":
                corners += [
                    [run[i + i % 2], run[i + 1 - i % 2], run[i + 2]] for i in range(len(run) - 2)
                ]
            else:
                corners.append(run)
        return corners


def measure(path):
    """Return the sums per material id, and of everything."""
    sums = Naive(path).sums
    whole = Sums()
    for part in sums.values():
        whole.count += part.count
        whole.area += part.area
        whole.flux += part.flux
        whole.low = [min(a, b) for a, b in zip(whole.low, part.low)]
        whole.high = [max(a, b) for a, b in zip(whole.high, part.high)]
    return sums, whole
