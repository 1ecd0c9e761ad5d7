"""Triangles of small bodies for the tests of surfaces, what is done to them, and distances by brute force."""

import math
import struct
from typing import List, Tuple

Point = Tuple[float, float, float]
Triangle = Tuple[Point, Point, Point]
Surface = List[Triangle]
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def next_to(value, target):
    """Return the double next to a value on the way to a target: `math.nextafter`, which Python 3.8 has not."""
    if value == 0.0:
        return math.copysign(5e-324, target)
    grows = (target > value) == (value > 0.0)
    bits = struct.unpack("<q", struct.pack("<d", value))[0]
    return struct.unpack("<d", struct.pack("<q", bits + (1 if grows else -1)))[0]


def box(low, high):
    """Return the twelve triangles of a box between two corners."""
    p = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    return [
        triangle for a, b, c, d in FACES for triangle in ((p[a], p[b], p[c]), (p[a], p[c], p[d]))
    ]


def bracket():
    """An L: its mirror image has the same box and volume."""
    return box((0.0, 0.0, 0.0), (1.0, 0.2, 1.0)) + box((0.0, 0.2, 0.0), (0.2, 1.0, 1.0))


def ball(rings, sides, radius=0.1):
    """Return the triangles of a ball of rings and sides, its poles on Z."""

    def at(i, j):
        u, v = math.pi * i / rings, 2.0 * math.pi * (j % sides) / sides
        return (
            radius * math.sin(u) * math.cos(v) if 0 < i < rings else 0.0,
            radius * math.sin(u) * math.sin(v) if 0 < i < rings else 0.0,
            radius * math.cos(u),
        )

    corners = [
        (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1))
        for i in range(rings)
        for j in range(sides)
    ]
    return [triangle for a, b, c, d in corners for triangle in ((a, b, c), (a, c, d))]


def tube(sides, turn=0.0, radius=0.05, length=0.2):
    """A closed tube, turned by so many of its sides."""

    def at(k, z):
        angle = 2.0 * math.pi * ((k + turn) % sides) / sides
        return (radius * math.cos(angle), radius * math.sin(angle), z)

    faces = []
    for k in range(sides):
        a, b, c, d = at(k, 0.0), at(k + 1, 0.0), at(k + 1, length), at(k, length)
        faces += [(a, b, c), (a, c, d), ((0.0, 0.0, 0.0), b, a), ((0.0, 0.0, length), d, c)]
    return faces


def plate(cells, hole=(0, 0), size=1.0):
    """A square plate of that many cells along a side; in the middle a square hole from cell to cell."""
    step, (start, end) = size / cells, hole
    return [
        triangle
        for i in range(cells)
        for j in range(cells)
        if not (start <= i < end and start <= j < end)
        for a, b, c, d in [
            (
                (i * step, j * step, 0.0),
                ((i + 1) * step, j * step, 0.0),
                ((i + 1) * step, (j + 1) * step, 0.0),
                (i * step, (j + 1) * step, 0.0),
            )
        ]
        for triangle in ((a, b, c), (a, c, d))
    ]


def moved(surface, move):
    """Return a surface whose points are moved by a function."""
    return [(move(a), move(b), move(c)) for a, b, c in surface]


def by(x, y, z):
    """Return the function that moves a point by a distance."""
    return lambda p: (p[0] + x, p[1] + y, p[2] + z)


def turned(angle):
    """Return a turn about an axis that is none of the three."""
    c = math.cos(angle)
    s = math.sin(angle)

    def turn(p):
        """Return a point turned about X, then about Z."""
        x = p[0]
        y = c * p[1] - s * p[2]
        z = s * p[1] + c * p[2]
        return (c * x - s * y, s * x + c * y, z)

    return turn


def inverted(surface):
    """Return a surface inside out."""
    return [(a, c, b) for a, b, c in surface]


def split(surface, times=1):
    """Return each triangle as four."""

    def middle(p, q):
        """Return the point halfway between two points."""
        return ((p[0] + q[0]) / 2.0, (p[1] + q[1]) / 2.0, (p[2] + q[2]) / 2.0)

    for _ in range(times):
        surface = [
            part
            for a, b, c in surface
            for ab, bc, ca in [(middle(a, b), middle(b, c), middle(c, a))]
            for part in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        ]
    return surface


def as_float32(surface):
    """Return a surface with its numbers as binary STL keeps them."""

    def rounded(p):
        """Return a point as float32 keeps it."""
        x, y, z = struct.unpack("<3f", struct.pack("<3f", *p))
        return (x, y, z)

    return moved(surface, rounded)


def samples(triangle, parts=4):
    """Yield points of a triangle, its corners among them."""
    a, b, c = triangle
    for i in range(parts + 1):
        for j in range(parts + 1 - i):
            u, v = i / parts, j / parts
            yield tuple(p + u * (q - p) + v * (r - p) for p, q, r in zip(a, b, c))


def distance(point, surface):
    """Return the distance of a point to a surface: each triangle by projections in turn, slowly, by other formulas."""
    return min(_to_triangle(point, triangle) for triangle in surface)


def _to_triangle(point, triangle):
    """The least over the plane's foot, if it is inside by the signs of three areas, and over the edges."""

    def minus(p, q):
        """Return the difference of two points."""
        return (p[0] - q[0], p[1] - q[1], p[2] - q[2])

    def cross(p, q):
        """Return the vector product."""
        return (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])

    def dot(p, q):
        """Return the scalar product, rounded once."""
        return math.fsum(x * y for x, y in zip(p, q))

    edges = [(triangle[k], triangle[k - 2]) for k in range(3)]
    gaps = []
    for p, q in edges:
        along = minus(q, p)
        length = dot(along, along)
        part = min(1.0, max(0.0, dot(minus(point, p), along) / length)) if length else 0.0
        gaps.append(
            math.dist(
                point, (p[0] + part * along[0], p[1] + part * along[1], p[2] + part * along[2])
            )
        )
    normal = cross(minus(triangle[1], triangle[0]), minus(triangle[2], triangle[0]))
    size = math.sqrt(dot(normal, normal))
    if size and all(dot(cross(minus(q, p), minus(point, p)), normal) >= 0.0 for p, q in edges):
        gaps.append(abs(dot(minus(point, triangle[0]), normal)) / size)
    return min(gaps)
