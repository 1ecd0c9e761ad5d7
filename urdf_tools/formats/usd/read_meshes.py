"""Meshes that USD holds itself: Mesh prims, with points as float32; the scale is applied to doubles."""
import os
from functools import lru_cache
from hashlib import sha256
from typing import Dict, List, Optional, Sequence, Tuple

from ...base.errors import BrokenMesh
from ...base.files import file_stamp, FileStamp, read_file
from ...meshes.form import srgb_of_linear
from ...meshes.formats import ColoredTriangles, Triangle
from .read_prims import Prim
from .read_text import read_usda

Look = Tuple[Optional[Tuple[float, float, float, float]], str]  # color and digest of the image


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
