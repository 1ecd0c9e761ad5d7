"""The proof of the meshes: triangle by triangle, by the bytes of their corners, and the look of each surface."""

from __future__ import annotations

from itertools import chain
from array import array
from typing import Dict, Mapping, Optional, Set, Tuple

from ..formats.usd.usd_layers import text_of
from ..base.number_text import grouped
from ..base.record_type import Record
from ..base.type_aliases import Reals
from ..formats.usd.lower_to_usd import Key, LAYER
from ..formats.usd.prim_tree import Prim
from ..formats.usd.write_usd_meshes import UsdMesh
from ..meshes.mesh_content import (
    FLOAT,
    gathered_bytes,
    interleaved,
    linear_of_srgb,
    MaterialSurface,
)
from ..model.export_options import UsdOptions
from .usd_expressible_robot import fail, SINGLE

KNOWN = frozenset(
    (
        "subdivisionScheme",
        "extent",
        "points",
        "faceVertexCounts",
        "faceVertexIndices",
        "primvars:st",
        "primvars:st:indices",
        "material:binding",
        "subsetFamily:materialBind:familyType",
    )
)
STAGE = {"defaultPrim": LAYER, "metersPerUnit": "1", "upAxis": "Z"}


class TriangleLook(Record):
    """The look of some triangles: the bytes of their image, and its tint or their color, opacity, glow, metal, roughness."""

    image: Optional[bytes]
    numbers: Reals

    def is_like(self, other: "TriangleLook") -> bool:
        """Return True if the image is the same, and all numbers are equal to float32 rounding."""
        return self.image == other.image and all(
            abs(a - b) <= SINGLE for a, b in zip(self.numbers, other.numbers)
        )

    def __repr__(self) -> str:
        """Return a text for messages, without the bytes of the image."""
        return f"{self.numbers} with an image" if self.image else f"{self.numbers}"


def verify_meshes(
    top: Prim,
    layer: Optional[Prim],
    names: Mapping[Key, str],
    drawn: Mapping[Key, UsdMesh],
    images: Mapping[str, bytes],
    options: UsdOptions,
) -> None:
    """Compare all meshes, in the text or in their layer, with the surfaces of their files; and the references to them.

    Raises:
        ProofFailed: a mesh is different, or a shape refers to a different mesh.
    """
    # In the text itself meshes are classes, so that they are only drawn where a shape refers to them.
    holder: Optional[Prim] = top
    specifier = "class"
    referred = ""
    if options.meshes == "beside":
        holder = layer
        specifier = "def"
        referred = options.layer
    if layer is not None and any(text_of(layer, key) != text for key, text in STAGE.items()):
        fail("the layer of meshes is not in meters, Z up")
    children = holder.children if holder is not None else []
    scopes = [prim for prim in children if prim.name == LAYER and prim.specifier == specifier]
    prims = {prim.name: prim for prim in chain.from_iterable(scope.children for scope in scopes)}
    if len(scopes) > 1 or sorted(prims) != sorted(names.values()):
        fail(f"its meshes are {sorted(prims)}, and {sorted(names.values())} are in use")
    for key, name in names.items():
        options.progress(key[0], 0)
        _verify_mesh(prims[name], drawn[key], key, images)
    for prim in top.walk():
        if prim.type == "Mesh" and f"/{LAYER}/" not in prim.path:
            _verify_reference(prim, names, referred)


def _verify_reference(prim: Prim, names: Mapping[Key, str], layer: str) -> None:
    """Verify that a shape refers to its mesh in a layer; "": in the text itself."""
    x, y, z = prim.numbers("urdf:mesh:scale", 3) or (1.0, 1.0, 1.0)
    wanted = names.get((prim.word("urdf:mesh:filename") or "", (x, y, z)))
    reference = prim.said["prepend references"]
    file = ""
    path = reference.text
    # A reference to a layer names the file, too; within the text it is a path alone.
    if reference.kind == "reference":
        file = reference.text
        path = reference.parts[0].text
    if path != f"/{LAYER}/{wanted}" or file != layer:
        fail(f"{prim!r} refers to '{file}' <{path}>, and '{wanted}' is its mesh")


def _verify_mesh(prim: Prim, drawn: UsdMesh, key: Key, images: Mapping[str, bytes]) -> None:
    """Compare a mesh with its surfaces."""
    points = prim.many("points", 3) or ()
    corners = prim.many("faceVertexIndices") or ()
    counts = prim.many("faceVertexCounts") or ()
    extent = prim.many("extent", 3) or ()
    if set(counts) != {3} or 3 * len(counts) != len(corners):
        fail(f"{prim!r} is not made of triangles")
    others = prim.properties.keys() - KNOWN
    if prim.type != "Mesh" or prim.word("subdivisionScheme") != "none" or others:
        fail(f"{prim!r} is subdivided, or says what nobody reads: {sorted(others)}")
    scaled = [_scaled(surface, key[1]) for surface in drawn.surfaces]
    wanted = b"".join(scaled)
    numbers = list(map(int, corners))
    used = set(numbers)
    # Each point is the point of a corner, so that an engine's hull has no others.
    if max(used) * 3 + 3 > len(points) or min(used) < 0 or len(used) * 3 != len(points):
        fail(f"{prim!r} has points that no triangle uses, or lacks some")
    if gathered_bytes(array(FLOAT, points), 3, numbers) != wanted:
        fail(f"{prim!r}: its triangles are not those of '{key[0]}'")
    columns = [points[axis::3] for axis in range(3)]
    if list(extent) != [*map(min, columns), *map(max, columns)]:
        fail(f"{prim!r}: its extent is not that of its points")
    _verify_coordinates(prim, drawn.surfaces)
    _verify_looks(prim, drawn.surfaces, images)


def _scaled(surface: MaterialSurface, scale: Tuple[float, float, float]) -> bytes:
    """Return the corners of a surface as bytes, scaled, each triangle counter-clockwise from outside."""
    positions = surface.positions
    corners = surface.corners
    if scale != (1.0, 1.0, 1.0):
        columns = []
        for axis, factor in enumerate(scale):
            # Adding 0.0 removes the sign of zeros that a mirror turns.
            columns.append([factor * value + 0.0 for value in positions[axis::3]])
        positions = interleaved(columns)
    if scale[0] * scale[1] * scale[2] < 0.0:
        # A mirror turns triangles inside out: their second and third corners change places.
        corners = corners[:]
        corners[1::3], corners[2::3] = corners[2::3], corners[1::3]
    return gathered_bytes(positions, 3, corners)


def _verify_coordinates(prim: Prim, surfaces: Tuple[MaterialSurface, ...]) -> None:
    """Compare the texture coordinates of the corners of surfaces that show an image."""
    values = prim.many("primvars:st", 2)
    corners = prim.many("primvars:st:indices")
    if not any(surface.material.image and surface.uv for surface in surfaces):
        if values is not None or corners is not None:
            fail(f"{prim!r} has texture coordinates, and shows no image")
        return
    if values is None or corners is None:
        fail(f"{prim!r} has no texture coordinates")
    # `faceVarying`: one for each corner of each triangle.
    way = prim.properties["primvars:st"].said.get("interpolation")
    if way is None or way.text != "faceVarying":
        fail(f"{prim!r} has no texture coordinates")
    coordinates = array(FLOAT, values)
    start = 0
    for surface in surfaces:
        own = list(map(int, corners[start : start + len(surface.corners)]))
        if surface.material.image and surface.uv:
            wanted = gathered_bytes(surface.uv, 2, surface.uv_corners)
            if gathered_bytes(coordinates, 2, own) != wanted:
                fail(f"{prim!r}: its texture coordinates are not those of its file")
        start += len(surface.corners)
    if start != len(corners):
        fail(f"{prim!r} has more texture coordinates than corners")


def _verify_looks(
    prim: Prim, surfaces: Tuple[MaterialSurface, ...], images: Mapping[str, bytes]
) -> None:
    """Compare the looks of the triangles: all by a single material, or by subsets."""
    looks = _looks_by_triangle(prim, surfaces, images)
    start = 0
    for surface in surfaces:
        wanted = _wanted_look(surface)
        end = start + len(surface.corners) // 3
        shown: Set[Optional[TriangleLook]] = {*map(looks.get, range(start, end))}
        for look in shown:
            is_right = look is wanted if look is None or wanted is None else look.is_like(wanted)
            if not is_right:
                fail(f"{prim!r}: a triangle looks like {look}, and {wanted} is in the file")
        start = end


def _looks_by_triangle(
    prim: Prim, surfaces: Tuple[MaterialSurface, ...], images: Mapping[str, bytes]
) -> Dict[int, TriangleLook]:
    """Return the look of each triangle of a mesh that is bound to a material."""
    materials = {}
    for scope in prim.children:
        if scope.type == "Scope":
            materials.update({look.path: look for look in scope.children})
    subsets = [child for child in prim.children if child.type == "GeomSubset"]
    triangles = range(sum(len(surface.corners) // 3 for surface in surfaces))
    looks: Dict[int, TriangleLook] = {}
    # A material of the prim counts for all its triangles, so only a prim without one may have subsets.
    for part in (prim, *subsets):
        targets = part.targets("material:binding")
        if not targets:
            continue
        if targets[0] not in materials or "MaterialBindingAPI" not in part.schemas:
            fail(f"{part!r} is bound to no material of its own")
        faces = triangles if part is prim else list(map(int, part.many("indices") or ()))
        known = len(looks)
        looks.update(dict.fromkeys(faces, _look_of_material(materials[targets[0]], images)))
        # A face that a previous part contains adds nothing to the count.
        if len(looks) != known + len(faces):
            fail(f"{part!r} has a triangle that is in another part, too")
    return looks


def _wanted_look(surface: MaterialSurface) -> Optional[TriangleLook]:
    """Return the look of a surface in the units of USD; None if its file has no look."""
    material = surface.material
    image = material.image.data if material.image is not None and surface.uv else None
    if material.rgba is None and image is None:
        return None
    *color, alpha = material.rgba or (1.0, 1.0, 1.0, 1.0)
    # An image is shown in its tint, without the color.
    shown = material.tint or (1.0, 1.0, 1.0) if image else color
    return TriangleLook(
        image=image,
        numbers=(
            *map(linear_of_srgb, shown),
            alpha,
            *map(linear_of_srgb, material.emission),
            material.metallic,
            material.roughness,
        ),
    )


def _look_of_material(prim: Prim, images: Mapping[str, bytes]) -> TriangleLook:
    """Return the look of a material, as a renderer follows its connections: an image counts only if it is connected.

    Raises:
        ProofFailed: the material, its image or the reader of its texture coordinates is connected in another way than
            the specification of UsdPreviewSurface says.
    """
    shaders = grouped((shader.word("info:id") or "", shader) for shader in prim.children)
    surface = shaders.get("UsdPreviewSurface", [prim])[0]
    color = list(surface.numbers("inputs:diffuseColor", 3) or ())
    image = None
    connected = surface.get("inputs:diffuseColor.connect")
    if connected is not None:
        texture = shaders.get("UsdUVTexture", [prim])[0]
        reader = shaders.get("UsdPrimvarReader_float2", [prim])[0]
        st = texture.get("inputs:st.connect")
        if (
            connected.text != f"{texture.path}.outputs:rgb"
            or reader.word("inputs:varname") != "st"
            or (st is None or st.text != f"{reader.path}.outputs:result")
        ):
            fail(f"{prim!r}: its image is not connected")
        name = texture.word("inputs:file") or ""
        if name not in images or texture.word("inputs:sourceColorSpace") != "sRGB":
            fail(f"{prim!r}: there is no image '{name}'")
        image = images[name]
        *color, _ = texture.numbers("inputs:scale", 4) or (1.0, 1.0, 1.0, 1.0)
    output = prim.get("outputs:surface.connect")
    if output is None or output.text != f"{surface.path}.outputs:surface":
        fail(f"{prim!r} is not connected to its shader")
    opacity = surface.number("inputs:opacity")
    metallic = surface.number("inputs:metallic")
    roughness = surface.number("inputs:roughness")
    if not color or opacity is None or metallic is None or roughness is None:
        fail(f"{prim!r} lacks a number of its look")
    glow = surface.numbers("inputs:emissiveColor", 3) or (0.0, 0.0, 0.0)
    return TriangleLook(image=image, numbers=(*color, opacity, *glow, metallic, roughness))
