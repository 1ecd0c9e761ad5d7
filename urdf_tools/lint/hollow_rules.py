"""Rule for hollows: collision meshes whose hulls, which most simulators take, reach far out of the mesh.

Depth and share are lower bounds: the hull is that of some points of the mesh, and the point is outside of the closed
mesh, by its winding number, and so far from all triangles.
"""
import os
from functools import lru_cache
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence

from ..base.diagnostics import Diagnostic
from ..base.number_text import numbers_in
from ..meshes.triangle_tree import farthest
from ..meshes.hull import convex_hull, Triangle
from ..meshes.triangle_tree import TriangleTree
from ..meshes.volume import connected, open_edges, solid_of, volume_and_center
from ..meshes.volume import Columns
from ..urdf.spatial import distance, move, Vector
from .kinds import HULL_OVERHANG
from .records import Finding, Subject
from .supports import measured_box, mesh_triangles, welded

LEAST, PART = 0.02, 0.1  # [m]; of the longest side of the mesh: a hull that reaches out less is not worth a note
SHARE = 0.2  # of the hull that is not in the mesh
LARGEST = 256 * 1024  # bytes: finer meshes take too long, and are seldom made for collisions
POINTS, STEPS = 150, 40  # of the hull; how often facets are halved
CLOSE = 1e-3  # [m]


class Hollow(NamedTuple):
    """A hollow of a mesh that its hull fills.

    Attributes:
        depth: the distance of a point of the hull to the mesh [m]; there may be others that are farther.
        point: it, in the scaled mesh.
        share: of the hull that is not in the mesh, at least.
        parts: how many connected parts the mesh has, if the hull of none of them holds the point; else 1.
    """

    depth: float
    point: Vector
    share: float
    parts: int


def hollow_rules(subject: Subject) -> Iterator[Finding]:
    """Yield collision meshes whose hull fills a hollow."""
    for link in subject.robot.links.values():
        for shape in link.collisions:
            path, drawn = subject.meshes.get(shape.mesh, ""), shape.drawn
            factors = numbers_in(drawn.get("scale") or "1 1 1", 3) if drawn is not None else None
            hollow = find_hollow(path, factors) if path and factors else None
            if hollow:
                x, y, z = move(shape.pose, hollow.point)
                yield Finding(Diagnostic(HULL_OVERHANG, shape.source.line, "parts" if hollow.parts > 1 else "whole", (
                    link.name, shape.mesh.rpartition("/")[2]), (
                    1e3 * hollow.depth, 100.0 * hollow.share, x, y, z, hollow.parts)))


@lru_cache(maxsize=4096)
def find_hollow(path: str, factors: Vector) -> Optional[Hollow]:
    """Return the hollow that the hull of a mesh fills; None where it is small, or the mesh is not closed."""
    box = measured_box(path)
    longest = max(abs(factor) * (high - low) for factor, low, high in zip(factors, *box)) if box else 0.0
    least, (p, q, r) = max(LEAST, PART * longest), factors
    is_coarse = longest > 2.0 * least and os.path.getsize(path) <= LARGEST
    scaled = [(p * x, q * y, r * z) for x, y, z in mesh_triangles(path)[0]] if is_coarse else []
    hull = convex_hull(scaled[::len(scaled) // POINTS + 1])
    facets = [(hull.corners[a], hull.corners[b], hull.corners[c]) for a, b, c in hull.triangles] if hull else []
    # Corners of facets are of the mesh, and no place is farther from all of them than the longest side by sqrt(3).
    facets = [facet for facet in facets if max(distance(facet[k], facet[k - 2]) for k in (0, 1, 2)) > 1.7 * least]
    if not hull or not facets:
        return None
    whole, triangles = solid_of(*hull).properties.mass, mesh_triangles(path)[1]
    share = 1.0 - abs(volume_and_center((scaled[a], scaled[b], scaled[c]) for a, b, c in triangles)[0]) / whole
    points, triangles = welded((scaled, triangles)) if share > SHARE else ((), ())
    if not triangles or open_edges(triangles):
        return None
    depth, point, _ = farthest(facets, _outside(points, triangles, least), CLOSE, STEPS)
    return Hollow(depth, point, share, _parts(points, triangles, point)) if depth > least else None


def _outside(points: Sequence[Vector], triangles: Sequence[Triangle], least: float) -> Callable[[Vector], float]:
    """Return the function of how far a point is from a mesh, if it is outside and farther than `least` [m]."""
    drawn = [(points[a], points[b], points[c]) for a, b, c in triangles if len({a, b, c}) == 3]
    tree = TriangleTree(drawn)
    columns: List[Columns] = []

    def gap(point: Vector) -> float:
        distance_to_mesh = tree.nearest(point, good=least)[0]
        if distance_to_mesh > least and not columns:
            columns.append(Columns(drawn))
        return distance_to_mesh if distance_to_mesh <= least or columns[0].winding(point) == 0 else 0.0

    return gap


def _parts(points: Sequence[Vector], triangles: Sequence[Triangle], point: Vector) -> int:
    """Return the number of connected parts of a mesh if the hull of none holds a point, else 1."""
    parts = connected(len(points), triangles)
    # A point that is a corner of the hull of a part and itself is not in the hull of the part.
    hulls = [convex_hull([*(points[k] for triangle in part for k in triangle), point]) for part in parts[1:] and parts]
    return len(parts) if all(hull is not None and point in hull.corners for hull in hulls) else 1
