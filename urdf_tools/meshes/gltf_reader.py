"""The reader of glTF 2.0 (`.gltf` or `.glb`) into the common form: one surface for each material.

The transforms of the nodes are applied. The up axis is turned only on request, because programs that read URDF differ
in their treatment of glTF's up axis.
"""

from __future__ import annotations

from array import array
from typing import Dict, Iterator, List, Optional, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenMesh
from ..base.record_type import Record
from ..collada.collada_colors import OPAQUE_BELOW
from ..collada.conversion_records import Affine
from ..collada.collada_scene import (
    determinant,
    is_singular,
    matrix_element,
    scale_element,
    UP_AXIS_TURNS,
)
from ..urdf.spatial_math import compose, matrix_from_quaternion, Transform
from .read_mesh_files import find_image, image_ending, WHITE
from .mesh_content import (
    checked_positions,
    FLOAT,
    MeshImage,
    MeshMaterial,
    MAX_TRIANGLES,
    MeshContent,
    NUMBER,
    Numbers,
    srgb_of_linear,
    MaterialSurface,
    tidy,
)
from .gltf_document import (
    colors_of_points,
    GltfObject,
    float_records,
    index_records,
    read_document,
    uri_bytes,
    view_bytes,
)
from .mesh_diagnostics import MESH_FEATURE, MESH_IMAGE
from .prepare_surfaces import join_primitives, place_normals, place_positions, turned_corners

MAX_NODES = 100_000
TRIANGLES = 4
STRIP = 5
FAN = 6
OWN_GENERATOR = "urdf_simplify"


class GltfReadingState(Record):
    """The data shared by the steps of reading a file.

    Attributes:
        pieces: the primitives read so far, by the number of their material, or -1.
        materials: the materials by their location.
        images: the images by the location of their texture.
        notes: diagnostics on the whole file, without duplicates.
        shape_only: normals and texture coordinates are not read.
    """

    pieces: Dict[int, List[MaterialSurface]]
    materials: Dict[str, MeshMaterial]
    images: Dict[str, Optional[MeshImage]]
    notes: Dict[Diagnostic, None]
    shape_only: bool


def read_gltf(path: str, up_axis: Optional[str] = None, *, shape_only: bool = False) -> MeshContent:
    """Read a `.gltf` or `.glb` file; `up_axis` "x", "y" or "z" turns this axis to +Z.

    Without `up_axis` nothing is turned, except files that this tool wrote with +Y up.

    Raises:
        BrokenMesh: the file cannot be used; with the location in its JSON, or the byte.
    """
    top = read_document(path)
    reading = GltfReadingState(pieces={}, materials={}, images={}, notes={}, shape_only=shape_only)
    asset = top.child("asset")._replace(where="asset")
    # Only files of this tool declare their up axis: +Z if `extras` have it, else +Y.
    up = "" if up_axis else "z"
    if up and asset.json.get("generator") == OWN_GENERATOR:
        up = "z" if asset.child("extras").json.get("up") == "z" else "y"
    triangles = 0
    for node, matrix in _walk_nodes(reading, top, UP_AXIS_TURNS[up_axis or up]):
        mesh = node.item("meshes", node.json.get("mesh"))
        for index, content in enumerate(mesh.children("primitives")):
            primitive = GltfObject(mesh.document, content, f"{mesh.where}.primitives[{index}]")
            if not isinstance(content, dict):
                raise primitive.broken("is not an object")
            piece = _surface_of_primitive(reading, primitive, matrix, mesh.label or node.label)
            if piece is not None:
                # Counted while drawing: a small file may draw one mesh in millions of nodes.
                triangles += len(piece.corners) // 3
                if triangles > MAX_TRIANGLES:
                    raise BrokenMesh(f"draws more than {MAX_TRIANGLES} triangles", path)
                # By the material's number, because there is one surface for each material.
                material = content.get("material", -1)
                key = material if isinstance(material, int) else -1
                reading.pieces.setdefault(key, []).append(piece)
    # Drawn as stored in the file, before a skin or an animation moves it.
    for feature in ("skins", "animations"):
        if top.json.get(feature):
            reading.notes[Diagnostic(MESH_FEATURE, 0, "at-rest", (feature,))] = None
    surfaces = [
        tidy(join_primitives(pieces, pieces[0].material)) for pieces in reading.pieces.values()
    ]
    return MeshContent(
        tuple(surface for surface in surfaces if surface.corners), tuple(reading.notes), up
    )


def _walk_nodes(
    reading: GltfReadingState, top: GltfObject, start: Affine
) -> Iterator[Tuple[GltfObject, Affine]]:
    """Yield each node of the scene that draws a mesh, with its transform to meters."""
    if top.children("scenes"):
        roots = top.item("scenes", top.whole("scene", 0)).children("nodes")
    else:
        reading.notes[Diagnostic(MESH_FEATURE, 0, "no-scene")] = None
        roots = tops_of(top)
    # Nodes wait in a list, because a chain of nodes may be deeper than Python's recursion limit; reversed, so that they
    # come in file order.
    scene = top._replace(where="scene")
    waiting = [(scene, root, start) for root in reversed(roots)]
    visited = 0
    while waiting:
        parent, number, matrix = waiting.pop()
        node = parent.item("nodes", number)
        visited += 1
        if visited > MAX_NODES:
            raise node.broken(
                f"the scene unrolls to more than {MAX_NODES} nodes, or contains itself"
            )
        matrix = compose(matrix, _node_transform(node))
        if "mesh" in node.json:
            if is_singular(matrix):
                name = node.label or str(number)
                reading.notes[Diagnostic(MESH_FEATURE, 0, "singular-node", (name,))] = None
            else:
                yield node, matrix
        waiting += [(node, inside, matrix) for inside in reversed(node.children("children"))]


def tops_of(top: GltfObject) -> List[int]:
    """Return the nodes without a parent: a glTF without a scene does not declare its drawn nodes, so all are drawn."""
    nodes = top.children("nodes")
    inner: Set[int] = set()
    for node in nodes:
        if isinstance(node, dict):
            children = GltfObject(top.document, node, "nodes").children("children")
            inner.update(number for number in children if isinstance(number, int))
    return [number for number in range(len(nodes)) if number not in inner]


def _node_transform(node: GltfObject) -> Affine:
    """Return the transform of a node: its matrix (by columns), else translation * rotation (x, y, z, w) * scale."""
    if "matrix" in node.json:
        numbers = node.floats("matrix", [0.0] * 16)
        # The matrix is stored by columns, so each slice is a row. The last row is always 0 0 0 1.
        return matrix_element([*numbers[0::4], *numbers[1::4], *numbers[2::4]])
    tx, ty, tz = node.floats("translation", [0.0] * 3)
    x, y, z, w = node.floats("rotation", [0.0, 0.0, 0.0, 1.0])
    sx, sy, sz = node.floats("scale", [1.0] * 3)
    square = x * x + y * y + z * z + w * w
    # A shorter quaternion has no reliable direction.
    if not square > 1e-12:
        raise node.broken("'rotation' is not a quaternion")
    turn = Transform(matrix_from_quaternion((x, y, z, w)), (tx, ty, tz))
    return compose(turn, scale_element((sx, sy, sz)))


def _surface_of_primitive(
    reading: GltfReadingState, primitive: GltfObject, matrix: Affine, name: str
) -> Optional[MaterialSurface]:
    """Return the surface of a primitive in meters; None if it has no triangles or no positions.

    Normals and texture coordinates are added unless only the shape is read.
    """
    notes = reading.notes
    mode = primitive.whole("mode", TRIANGLES)
    attributes = primitive.child("attributes")
    if mode not in (TRIANGLES, STRIP, FAN):
        notes[Diagnostic(MESH_FEATURE, 0, "lines")] = None
        return None
    if "POSITION" not in attributes.json:
        notes[Diagnostic(MESH_FEATURE, 0, "no-positions")] = None
        return None
    if "targets" in primitive.json:
        notes[Diagnostic(MESH_FEATURE, 0, "morph-targets")] = None
    if any(colors_of_points(attributes)):
        notes[Diagnostic(MESH_FEATURE, 0, "vertex-colors")] = None
    positions = float_records(attributes, "POSITION", "VEC3")
    corners = _triangles(_corners_of(primitive, len(positions) // 3), mode)
    # A mirror turns the triangles inside out, so their corners are reversed.
    if determinant(matrix) < 0.0:
        corners = turned_corners(corners)
    material, texture_set = material_of(reading, primitive)
    placed = place_positions(positions, matrix)
    where = attributes.at("POSITION").where
    checked = checked_positions(primitive.document.path, where, placed)
    geometries = (name,) if name else ()
    surface = MaterialSurface(material, checked, corners, geometries=geometries)
    if reading.shape_only:
        return surface
    return _with_attributes(surface, attributes, texture_set, matrix)


def _corners_of(primitive: GltfObject, count: int) -> Numbers:
    """Return the corner numbers of a primitive, which are all positions in order if it has no indices.

    Raises:
        BrokenMesh: an index is not below `count`, the number of positions.
    """
    corners = array(NUMBER, range(count))
    if "indices" in primitive.json:
        corners = index_records(primitive, "indices")
    if max(corners, default=-1) >= count:
        message = f"has {max(corners)}, but there are {count} positions"
        raise primitive.at("indices").broken(message)
    return corners


def _with_attributes(
    surface: MaterialSurface, attributes: GltfObject, texture_set: int, matrix: Affine
) -> MaterialSurface:
    """Return a surface with the normals of its primitive, and with texture coordinates if it has an image.

    The corners of the surface index all columns: glTF has a single index for all records of a corner.
    """
    count = len(surface.positions) // 3
    corners = surface.corners
    if "NORMAL" in attributes.json:
        normals = float_records(attributes, "NORMAL", "VEC3")
        _check_count(attributes.at("NORMAL"), len(normals) // 3, count)
        surface = surface._replace(normals=place_normals(normals, matrix), normal_corners=corners)
    key = f"TEXCOORD_{texture_set}"
    if surface.material.image and key in attributes.json:
        uv = float_records(attributes, key, "VEC2", fixed_point=True)
        _check_count(attributes.at(key), len(uv) // 2, count)
        # In glTF v runs down from the top of the image, in OBJ and COLLADA up from its bottom.
        uv[1::2] = array(FLOAT, [1.0 - v for v in uv[1::2]])
        surface = surface._replace(uv=uv, uv_corners=corners)
    return surface


def _check_count(place: GltfObject, count: int, positions: int) -> None:
    """Refuse an attribute unless it has a record for each position."""
    if count != positions:
        raise place.broken(f"has {count} records for {positions} positions")


def _triangles(corners: Numbers, mode: int) -> Numbers:
    """Return the corners of triangles; an incomplete last triangle is dropped."""
    if mode == TRIANGLES:
        return corners[: len(corners) - len(corners) % 3]

    triangles = array(NUMBER)
    if mode == FAN:
        # The order of the specification for fans is v[i+1], v[i+2], v[0].
        for a, b in zip(corners[1:], corners[2:]):
            triangles.extend((a, b, corners[0]))
    else:
        # Every second triangle of a strip has the opposite winding.
        for index, (a, b, c) in enumerate(zip(corners, corners[1:], corners[2:])):
            if index % 2:
                a, b = b, a
            triangles.extend((a, b, c))
    return triangles


def _srgb(value: float) -> float:
    """Return the sRGB number of a linear number, rounded."""
    return round(srgb_of_linear(value), 6)  # the usual number of digits in glTF files


def material_of(reading: GltfReadingState, primitive: GltfObject) -> Tuple[MeshMaterial, int]:
    """Return the material of a primitive, and the number of its image's set of texture coordinates."""
    if "material" not in primitive.json:
        return MeshMaterial(), 0
    entry = primitive.item("materials", primitive.json["material"])
    shader = entry.child("pbrMetallicRoughness")
    texture = shader.child("baseColorTexture")
    texture_set = texture.whole("texCoord", 0)
    if entry.where not in reading.materials:
        red, green, blue, alpha = shader.floats("baseColorFactor", [1.0] * 4)
        # OPAQUE, the default, ignores alpha by the specification.
        if entry.json.get("alphaMode", "OPAQUE") != "BLEND" or not OPAQUE_BELOW < alpha <= 1.0:
            alpha = 1.0
        image = _image(reading, texture) if texture.json else None
        r, g, b = map(_srgb, (red, green, blue))
        # Without a factor the color is white by the specification, even in a file without any color.
        rgba = (1.0, 1.0, 1.0, alpha) if image else (r, g, b, alpha)
        tint = (r, g, b) if image and (r, g, b) != WHITE else None
        lost_image = texture.where if texture.json and image is None else ""
        emission = [*map(_srgb, entry.floats("emissiveFactor", [0.0] * 3))]
        reading.materials[entry.where] = MeshMaterial(
            entry.label,
            rgba,
            image,
            (emission[0], emission[1], emission[2]),
            # By the specification the default is 1.0, unlike in `MeshMaterial`.
            metallic=shader.one_float("metallicFactor", 1.0),
            roughness=shader.one_float("roughnessFactor", 1.0),
            double_sided=entry.json.get("doubleSided") is True,
            tint=tint,
            lost_image=lost_image,
        )
    return reading.materials[entry.where], texture_set


def _image(reading: GltfReadingState, reference: GltfObject) -> Optional[MeshImage]:
    """Return the image of a texture; None, and a note, if it is missing or its format is unknown."""
    number = reference.json.get("index")
    texture = reference.item("textures", number)
    assert isinstance(number, int)
    if texture.where in reading.images:
        return reading.images[texture.where]
    image, problem = _read_image(texture, number)
    if problem and image is None:
        reading.notes[problem] = None
    reading.images[texture.where] = image
    return image


def _read_image(
    texture: GltfObject, number: int
) -> Tuple[Optional[MeshImage], Optional[Diagnostic]]:
    """Return the image of a texture: from a buffer, a data URI or a file; or None, and the note that says why.

    `number` is the index of the texture, for the note.
    """
    no_image = Diagnostic(kind=MESH_IMAGE, line=0, sentence="no-image", names=(), numbers=(number,))
    if "source" not in texture.json:
        return None, no_image
    source = texture.item("images", texture.json["source"])
    uri = source.json.get("uri")
    if "bufferView" in source.json:
        data = view_bytes(source)[0]
    elif not isinstance(uri, str):
        return None, no_image
    elif uri.startswith("data:"):
        data = uri_bytes(source, uri)
    else:
        return find_image(source.document.path, uri)
    # The bytes determine the format; the type that the file declares is often wrong.
    if image_ending(data):
        return MeshImage(source.label, data), None
    return None, Diagnostic(MESH_IMAGE, 0, "unknown", (source.label or source.where,))
