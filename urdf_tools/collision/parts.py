"""The connected parts of a mesh: triangles that share a point are of one part."""
from typing import Dict, List, Tuple

from ..meshes.hull import convex_hull, Triangle
from .records import MeshBody


def parts_of(body: MeshBody) -> List[MeshBody]:
    """Return each connected part of a mesh as a mesh of its own, in the order of their first triangles."""
    above = list(range(len(body.points)))

    def top(point: int) -> int:
        while above[point] != point:
            above[point] = above[above[point]]
            point = above[point]
        return point

    for a, b, c in body.triangles:
        first = top(a)
        above[top(b)] = first
        above[top(c)] = first
    groups: Dict[int, List[Triangle]] = {}
    for triangle in body.triangles:
        groups.setdefault(top(triangle[0]), []).append(triangle)
    return [_part(body, triangles) for triangles in groups.values()] if len(groups) > 1 else [body]


def _part(body: MeshBody, triangles: List[Triangle]) -> MeshBody:
    numbers: Dict[int, int] = {}
    own: List[Tuple[int, int, int]] = []
    for a, b, c in triangles:
        own.append((numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers)),
                    numbers.setdefault(c, len(numbers))))
    points = tuple(body.points[k] for k in numbers)
    return MeshBody(body.path, points, tuple(own), convex_hull(points))
