"""How far a shape stands off the mesh that it stands for, the hollows of the mesh included, as an upper bound."""
from typing import Sequence

from ..meshes.triangle_tree import farthest, TriangleTree
from ..meshes.hull import convex_hull, Point, Triangle

TOLERANCE = 5e-4  # [m] between bound and value
MOST_SPLITS = 4000


def off_mesh(corners: Sequence[Point], points: Sequence[Point], triangles: Sequence[Triangle]) -> float:
    """Return an upper bound of the distance from the hull of corners to a mesh [m], both in the same frame."""
    hull, drawn = convex_hull(corners), [(points[a], points[b], points[c]) for a, b, c in triangles]
    drawn = [triangle for triangle in drawn if len(set(triangle)) == 3]
    if hull is None or not drawn:
        return float("inf")
    tree = TriangleTree(drawn)
    facets = [(hull.corners[a], hull.corners[b], hull.corners[c]) for a, b, c in hull.triangles]
    return farthest(facets, lambda point: tree.nearest(point)[0], TOLERANCE, MOST_SPLITS).bound
