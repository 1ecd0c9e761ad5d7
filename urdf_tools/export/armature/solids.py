"""Boxes, cylinders, capsules and spheres as triangles with normals, for files that know only triangles."""
from array import array
from typing import Any, Mapping, Sequence, Tuple

from ...base.exact_trigonometry import cosine_sine, PI
from ...meshes.form import FLOAT, Material, NUMBER, Surface

SEGMENTS = 32  # around
RINGS = 16  # from pole to pole
Ring = Tuple[float, float, float, float]  # radius and z of a ring, and the same of its normals


def solid(visual: Mapping[str, Any], material: Material) -> Surface:
    """Return the surface of a visual of the armature's JSON that is no mesh [m]."""
    if "box" in visual:
        return _box(visual["box"], material)
    if "cylinder" in visual:
        radius, length = visual["cylinder"]
        half = 0.5 * length
        return _turned([(0.0, -half, 0.0, -1.0), (radius, -half, 0.0, -1.0), (radius, -half, 1.0, 0.0),
                        (radius, half, 1.0, 0.0), (radius, half, 0.0, 1.0), (0.0, half, 0.0, 1.0)], material)
    radius, length = visual["capsule"] if "capsule" in visual else (visual["sphere"], 0.0)
    angles = [PI * (k / RINGS - 0.5) for k in range(RINGS + 1)]
    lower, upper = angles[:RINGS // 2 + 1], angles[RINGS // 2 + (0 if length else 1):]
    rings = [(radius * c, radius * s + shift, c, s) for half, shift in ((lower, -0.5 * length), (upper, 0.5 * length))
             for c, s in map(cosine_sine, half)]
    return _turned(rings, material)


def _box(size: Sequence[float], material: Material) -> Surface:
    positions, normals, corners = array(FLOAT), array(FLOAT), array(NUMBER)
    for axis in range(3):
        across, up = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            first = len(positions) // 3
            for s, t in ((-side, -1.0), (side, -1.0), (side, 1.0), (-side, 1.0)):  # counter-clockwise from outside
                point, normal = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
                normal[axis] = side
                point[axis], point[across], point[up] = (0.5 * factor * size[k] for factor, k in (
                    (side, axis), (s, across), (t, up)))
                positions.extend(point)
                normals.extend(normal)
            corners.extend(first + k for k in (0, 1, 2, 0, 2, 3))
    return Surface(material, positions, corners, normals, corners)


def _turned(rings: Sequence[Ring], material: Material) -> Surface:
    """Return rings around Z, from the lowest to the highest, with what is between them."""
    positions, normals, corners = array(FLOAT), array(FLOAT), array(NUMBER)
    turns = [cosine_sine(2.0 * PI * k / SEGMENTS) for k in range(SEGMENTS)]
    for radius, z, outward, upward in rings:
        for c, s in turns:
            positions.extend((radius * c, radius * s, z))
            normals.extend((outward * c, outward * s, upward))
    for ring, (low, high) in enumerate(zip(rings, rings[1:])):
        if low[:2] == high[:2]:
            continue  # an edge: two rings in one place, with the normals of either side
        for k in range(SEGMENTS):
            a, b = ring * SEGMENTS + k, ring * SEGMENTS + (k + 1) % SEGMENTS
            if low[0] > 1e-12:
                corners.extend((a, b, b + SEGMENTS))
            if high[0] > 1e-12:
                corners.extend((a, b + SEGMENTS, a + SEGMENTS))
    return Surface(material, positions, corners, normals, corners)
