"""Meshes that MJCF holds itself: `vertex` and `face` of an asset.

Points are float32, as MuJoCo keeps them, and as mesh files have them; the scale is applied to doubles.
"""
from array import array
from functools import partial
from typing import Sequence, Tuple

from ...base.errors import BrokenMesh
from ...meshes.formats import ColoredTriangles
from ...meshes.hull import convex_hull
from ...robot.records import Inline
from ...urdf.spatial import Matrix, rotate, subtract, Vector
from .read_settings import Attributes

MOST_NUMBERS = 6_000_000  # of a mesh: points and corners


def mjcf_mesh(attrs: Attributes, vertex: str, scale: Vector, origin: Vector, R_geom_mesh: Matrix) -> Inline:
    """Return the mesh of the points and faces of an asset; without faces it is their convex hull (XML
    reference, "mesh", vertex, face).

    Raises:
        BrokenRobot: numbers that MuJoCo refuses.
    """
    element = attrs.element
    numbers = array("f", element.numbers(vertex, 12, MOST_NUMBERS))
    corners = [int(number) for number in element.numbers(attrs.get("face") or "", 0, MOST_NUMBERS)]
    if len(numbers) % 3 or len(corners) % 3:
        element.refuse(f"{element!r}: vertex and face hold three numbers for each point and triangle")
    if any(not 0 <= corner < len(numbers) // 3 for corner in corners):
        element.refuse(f"{element!r}: a corner of its faces is no vertex")
    a, b, c = scale
    points = [(a * x, b * y, c * z) for x, y, z in (
        rotate(R_geom_mesh, subtract(point, origin)) for point in zip(*(numbers[axis::3] for axis in range(3))))]
    step = -1 if a * b * c < 0.0 else 1  # MuJoCo keeps the outside of a mirrored mesh
    return partial(_of_mjcf, element.file, points, [corners[k:k + 3][::step] for k in range(0, len(corners), 3)])


def _of_mjcf(file: str, points: Sequence[Vector], faces: Sequence[Sequence[int]]) -> Tuple[ColoredTriangles, ...]:
    hull = convex_hull(points) if not faces else None
    if not faces and hull is None:
        raise BrokenMesh("the points of a mesh lie in one plane", file)
    corners = hull.corners if hull is not None else points
    return (ColoredTriangles(None, "", tuple((corners[i], corners[j], corners[k]) for i, j, k in (
        hull.triangles if hull is not None else faces))),)
