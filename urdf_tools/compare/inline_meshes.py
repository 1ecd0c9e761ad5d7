"""Meshes that the file of a robot holds itself: `vertex` and `face` of MJCF, and the Mesh prims of USD.

Points are float32, as MuJoCo and USD keep them, and as mesh files have them; the scale is applied to doubles.
"""
import os
from array import array
from functools import lru_cache, partial
from hashlib import sha256
from typing import Dict, List, Optional, Sequence, Tuple

from ..base.errors import BrokenMesh
from ..base.files import file_stamp, FileStamp, read_file
from ..meshes.color import srgb_of_linear
from ..meshes.hull import convex_hull
from ..meshes.formats import ColoredTriangles, Triangle
from ..urdf.spatial import Matrix, rotate, subtract, Vector
from .mjcf_settings import Attributes
from .records import Inline
from .usd_prims import Prim
from .usda_text import read_usda

MOST_NUMBERS = 6_000_000  # of a mesh in MJCF: points and corners
Look = Tuple[Optional[Tuple[float, float, float, float]], str]  # color and digest of the image


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


def usd_mesh(prim: Prim, top: Prim, scale: Sequence[float]) -> Tuple[ColoredTriangles, ...]:
    """Return the triangles of a Mesh, an entry for each color; attributes that it lacks come from the prim that it
    refers to, in its text or in another layer. Polygons are cut as fans, as USD's renderers do.

    Raises:
        OSError, UrdfError: a layer or image is not there, or the mesh is subdivided.
    """
    prims = [prim, *_referred(prim, top)]
    numbers = {name: next(filter(None, (source.many(type, name) for source in prims)), ()) for type, name in (
        ("point3f", "points"), ("int", "faceVertexCounts"), ("int", "faceVertexIndices"))}
    scheme, orientation = (next(filter(None, (source.word("uniform token", name) for source in prims)), default)
                           for name, default in (("subdivisionScheme", "catmullClark"), ("orientation", "rightHanded")))
    if scheme != "none":
        raise BrokenMesh(f"{prim!r} is subdivided ({scheme})", prim.file)
    a, b, c = scale
    points = [(a * x, b * y, c * z) for x, y, z in zip(*(numbers["points"][axis::3] for axis in range(3)))]
    looks, without = _looks(prims)
    parts: Dict[Look, List[Triangle]] = {}
    start, is_turned = 0, (orientation == "leftHanded") != (a * b * c < 0.0)
    for face, count in enumerate(map(int, numbers["faceVertexCounts"])):
        first, *rest = (points[int(corner)] for corner in numbers["faceVertexIndices"][start:start + count])
        parts.setdefault(looks.get(face, without), []).extend(
            (first, q, p) if is_turned else (first, p, q) for p, q in zip(rest, rest[1:]))
        start += count
    return tuple(ColoredTriangles(*look, tuple(triangles)) for look, triangles in parts.items())


def _referred(prim: Prim, top: Prim) -> List[Prim]:
    """Return the prim that a Mesh refers to, in its text or in another layer; [] if it refers to none."""
    target = prim.said.get("prepend references")
    if target is None:
        return []
    if target.kind == "reference":
        path = os.path.join(os.path.dirname(prim.file), target.text)
        top = _layer(path, file_stamp(path))
    path = target.parts[0].text if target.kind == "reference" else target.text
    targets = [inner for inner in top.walk() if inner.path == path]
    if not targets:
        raise BrokenMesh(f"{prim!r} refers to <{path}>, which is not there", top.file)
    return targets


@lru_cache(maxsize=1)
def _layer(path: str, _stamp: FileStamp) -> Prim:
    return read_usda(read_file(path), path)


def _looks(prims: Sequence[Prim]) -> Tuple[Dict[int, Look], Look]:
    """Return the looks of faces that subsets bind, by number, and that of all other faces."""
    mesh, without = prims[-1], (None, "")
    materials = {inner.path: inner for inner in mesh.walk() if inner.type == "Material"}
    looks = {path: _look(material) for path, material in materials.items()}
    faces = {int(face): looks.get(path, without) for part in mesh.children if part.type == "GeomSubset"
             for path in part.targets("material:binding")[:1] for face in part.many("int", "indices") or ()}
    return faces, next((looks[path] for path in mesh.targets("material:binding") if path in looks), without)


def _look(material: Prim) -> Look:
    """Return the color of a material, or the digest of the image that it shows."""
    files = list(filter(None, (shader.word("asset", "inputs:file") for shader in material.children)))
    if files:
        return None, sha256(read_file(os.path.join(os.path.dirname(material.file), files[0]))).hexdigest()
    for shader in material.children:
        color, opacity = shader.numbers("color3f", "inputs:diffuseColor"), shader.number("float", "inputs:opacity")
        if color is not None:
            r, g, b = map(srgb_of_linear, color)
            return (r, g, b, 1.0 if opacity is None else opacity), ""
    return None, ""
