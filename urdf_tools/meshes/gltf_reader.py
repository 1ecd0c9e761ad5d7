"""Read glTF 2.0 (`.gltf` or `.glb`) into the common form: one surface for each material.

The transforms of the nodes are applied; the up axis is turned only on request, as programs that read URDF treat the up
axis of glTF differently.
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import Dict, Iterator, List, Optional, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenMesh
from ..base.record import Record
from ..collada.materials import OPAQUE_BELOW
from ..collada.records import Affine
from ..collada.scene import determinant, is_singular, matrix_element, scale_element, UP_AXIS_TURNS
from ..urdf.spatial import compose, matrix_from_quaternion, Pose
from .files import find_image, image_ending
from .form import (
    checked_positions,
    FLOAT,
    Image,
    Material,
    MAX_TRIANGLES,
    Mesh,
    NUMBER,
    Numbers,
    srgb_of_linear,
    Surface,
    tidy,
)
from ..base.types import Json
from .gltf_document import (
    broken,
    child,
    children,
    float_records,
    floats,
    GltfDocument,
    index_records,
    item,
    label,
    one_float,
    read_document,
    uri_bytes,
    view_bytes,
    whole,
)
from .kinds import MESH_FEATURE, MESH_IMAGE
from .surfaces import join_primitives, place_normals, place_positions, turned_corners

MAX_NODES = 100_000
TRIANGLES, STRIP, FAN = 4, 5, 6
OWN_GENERATOR = "urdf_simplify"


class Reading(Record):
    """What the steps of reading a file share.

    Attributes:
        pieces: the primitives read so far by the number of their material, -1 for none.
        materials: by their number.
        images: by the number of their texture.
        notes: on the whole file, each once.
        shape_only: normals and texture coordinates are left out.
    """

    document: GltfDocument
    pieces: Dict[int, List[Surface]]
    materials: Dict[int, Material]
    images: Dict[int, Optional[Image]]
    notes: Dict[Diagnostic, None]
    shape_only: bool


def read_gltf(path: str, up_axis: Optional[str] = None, *, shape_only: bool = False) -> Mesh:
    """Read a `.gltf` or `.glb` file; `up_axis` "x", "y" or "z" turns that axis to +Z.

    Without `up_axis` nothing is turned, except files that this tool wrote with +Y up.

    Raises:
        BrokenMesh: it cannot be used; with the location in its JSON, or the byte.
    """
    document = read_document(path)
    reading = Reading(document, {}, {}, {}, {}, shape_only)
    asset = child(document, document.json, "asset", "glTF")
    # Only files of this tool say which axis is up: +Z if `extras` have it, else +Y.
    up = "" if up_axis else "z"
    if up and asset.get("generator") == OWN_GENERATOR:
        up = "z" if child(document, asset, "extras", "asset").get("up") == "z" else "y"
    triangles = 0
    for node, matrix, where in _walk_nodes(reading, UP_AXIS_TURNS[up_axis or up]):
        number = node.get("mesh")
        mesh = item(document, "meshes", number, where)
        for index, primitive in enumerate(
            children(document, mesh, "primitives", f"meshes[{number}]")
        ):
            location = f"meshes[{number}].primitives[{index}]"
            if not isinstance(primitive, dict):
                raise broken(document, location, "is not an object")
            piece = _draw(reading, primitive, matrix, label(mesh) or label(node), location)
            if piece is not None:
                # Counted while drawing: a small file may draw one mesh in millions of nodes.
                triangles += len(piece.corners) // 3
                if triangles > MAX_TRIANGLES:
                    raise BrokenMesh(f"draws more than {MAX_TRIANGLES} triangles", path)
                # Counted by the material's number, as surfaces are one for each material.
                material = primitive.get("material", -1)
                reading.pieces.setdefault(material if isinstance(material, int) else -1, []).append(
                    piece
                )
    # Drawn as it lies in the file, before a skin or an animation moves it.
    for key in ("skins", "animations"):
        if document.json.get(key):
            reading.notes[Diagnostic(MESH_FEATURE, 0, "at-rest", (key,))] = None
    surfaces = [
        tidy(join_primitives(pieces, pieces[0].material)) for pieces in reading.pieces.values()
    ]
    return Mesh(tuple(surface for surface in surfaces if surface.corners), tuple(reading.notes), up)


def _walk_nodes(reading: Reading, start: Affine) -> Iterator[Tuple[Json, Affine, str]]:
    """Yield each node of the scene that draws a mesh, with its transform to meters and its location in the JSON."""
    document = reading.document
    scenes = children(document, document.json, "scenes", "glTF")
    if scenes:
        number = whole(document, document.json, "scene", "glTF", 0)
        roots = children(
            document, item(document, "scenes", number, "glTF"), "nodes", f"scenes[{number}]"
        )
    else:
        reading.notes[Diagnostic(MESH_FEATURE, 0, "no-scene")] = None
        roots = tops_of(document)
    # Nodes wait in a list, as a chain of nodes may be deeper than Python recurses; reversed, so that they come in the
    # order of the file.
    waiting = [(root, start, "scene") for root in reversed(roots)]
    visited = 0
    while waiting:
        number, matrix, parent = waiting.pop()
        node = item(document, "nodes", number, parent)
        where = f"nodes[{number}]"
        visited += 1
        if visited > MAX_NODES:
            raise broken(
                document,
                where,
                f"the scene unrolls to more than {MAX_NODES} nodes, or contains itself",
            )
        matrix = compose(matrix, _node_transform(document, node, where))
        if "mesh" in node:
            if is_singular(matrix):
                reading.notes[
                    Diagnostic(MESH_FEATURE, 0, "singular-node", (label(node) or str(number),))
                ] = None
            else:
                yield node, matrix, where
        waiting += [
            (inside, matrix, where)
            for inside in reversed(children(document, node, "children", where))
        ]


def tops_of(document: GltfDocument) -> List[int]:
    """Return the nodes that no other node holds: without a scene glTF says nothing of what is drawn, so all of them."""
    nodes = children(document, document.json, "nodes", "glTF")
    inner = {
        child_number
        for node in nodes
        if isinstance(node, dict)
        for child_number in children(document, node, "children", "nodes")
        if isinstance(child_number, int)
    }
    return [number for number in range(len(nodes)) if number not in inner]


def _node_transform(document: GltfDocument, node: Json, where: str) -> Affine:
    """Return the transform of a node: its matrix (by columns), else translation * rotation (x, y, z, w) * scale."""
    if "matrix" in node:
        numbers = floats(document, node, "matrix", where, [0.0] * 16)
        # Four numbers are one column: each slice is a row. The last row is always 0 0 0 1.
        return matrix_element([*numbers[0::4], *numbers[1::4], *numbers[2::4]])
    tx, ty, tz = floats(document, node, "translation", where, [0.0] * 3)
    x, y, z, w = floats(document, node, "rotation", where, [0.0, 0.0, 0.0, 1.0])
    sx, sy, sz = floats(document, node, "scale", where, [1.0] * 3)
    square = x * x + y * y + z * z + w * w
    if not square > 1e-12:
        raise broken(document, where, "'rotation' is not a quaternion")
    turn = Pose(matrix_from_quaternion((x, y, z, w)), (tx, ty, tz))
    return compose(turn, scale_element((sx, sy, sz)))


def _draw(
    reading: Reading, primitive: Json, matrix: Affine, name: str, where: str
) -> Optional[Surface]:
    """Return the triangles of a primitive in meters; None for points and lines, and without positions."""
    document, notes = reading.document, reading.notes
    mode = whole(document, primitive, "mode", where, TRIANGLES)
    attributes = child(document, primitive, "attributes", where)
    if mode not in (TRIANGLES, STRIP, FAN):
        notes[Diagnostic(MESH_FEATURE, 0, "lines")] = None
        return None
    if "POSITION" not in attributes:
        notes[Diagnostic(MESH_FEATURE, 0, "no-positions")] = None
        return None
    if "targets" in primitive:
        notes[Diagnostic(MESH_FEATURE, 0, "morph-targets")] = None
    if any(key.startswith("COLOR_") for key in attributes):
        notes[Diagnostic(MESH_FEATURE, 0, "vertex-colors")] = None
    positions = float_records(document, attributes["POSITION"], "VEC3", f"{where}.POSITION")
    count = len(positions) // 3
    corners = (
        index_records(document, primitive["indices"], f"{where}.indices")
        if "indices" in primitive
        else array(NUMBER, range(count))
    )
    if max(corners, default=-1) >= count:
        raise broken(
            document, f"{where}.indices", f"has {max(corners)}, but there are {count} positions"
        )

    corners = _triangles(corners, mode)
    # A mirror turns the triangles inside out.
    if determinant(matrix) < 0.0:
        corners = turned_corners(corners)
    material, texture_set = material_of(reading, primitive, where)
    surface = Surface(
        material,
        checked_positions(document.path, f"{where}.POSITION", place_positions(positions, matrix)),
        corners,
        geometries=(name,) if name else (),
    )

    if reading.shape_only:
        return surface
    if "NORMAL" in attributes:
        normals = float_records(document, attributes["NORMAL"], "VEC3", f"{where}.NORMAL")
        _check_count(document, len(normals) // 3, count, f"{where}.NORMAL")
        surface = surface._replace(normals=place_normals(normals, matrix), normal_corners=corners)
    key = f"TEXCOORD_{texture_set}"
    if material.image and key in attributes:
        uv = float_records(document, attributes[key], "VEC2", f"{where}.{key}", fixed_point=True)
        _check_count(document, len(uv) // 2, count, f"{where}.{key}")
        # In glTF v runs down from the top of the image, in OBJ and COLLADA up from its bottom.
        uv[1::2] = array(FLOAT, [1.0 - v for v in uv[1::2]])
        surface = surface._replace(uv=uv, uv_corners=corners)
    return surface


def _check_count(document: GltfDocument, count: int, positions: int, where: str) -> None:
    if count != positions:
        raise broken(document, where, f"has {count} records for {positions} positions")


def _triangles(corners: Numbers, mode: int) -> Numbers:
    """Return the corners of triangles; an incomplete last triangle is left out."""
    if mode == TRIANGLES:
        return corners[: len(corners) - len(corners) % 3]

    following, last = corners[1:], corners[2:]
    # The order of the specification for fans is v[i+1], v[i+2], v[0].
    if mode == FAN:
        return array(
            NUMBER, chain.from_iterable((a, b, corners[0]) for a, b in zip(following, last))
        )
    # Every second triangle of a strip has the opposite winding.
    return array(
        NUMBER,
        chain.from_iterable(
            (b, a, c) if index % 2 else (a, b, c)
            for index, (a, b, c) in enumerate(zip(corners, following, last))
        ),
    )


def _srgb(value: float) -> float:
    return round(srgb_of_linear(value), 6)  # as many digits as glTF files usually have


def material_of(reading: Reading, primitive: Json, where: str) -> Tuple[Material, int]:
    """Return the material of a primitive, and the number of the set of texture coordinates of its image."""
    if "material" not in primitive:
        return Material(), 0
    document, number = reading.document, primitive["material"]
    entry = item(document, "materials", number, where)
    location = f"materials[{number}]"
    shader = child(document, entry, "pbrMetallicRoughness", location)
    texture = child(document, shader, "baseColorTexture", location)
    texture_set = whole(document, texture, "texCoord", location, 0)
    if number not in reading.materials:
        red, green, blue, alpha = floats(document, shader, "baseColorFactor", location, [1.0] * 4)
        # OPAQUE, the default, ignores alpha by the specification.
        if entry.get("alphaMode", "OPAQUE") != "BLEND" or not OPAQUE_BELOW < alpha <= 1.0:
            alpha = 1.0
        image = _image(reading, texture.get("index"), location) if texture else None
        r, g, b = map(_srgb, (red, green, blue))
        # Without a factor the color is white by the specification, also in a file that gives no color at all.
        rgba = (1.0, 1.0, 1.0, alpha) if image else (r, g, b, alpha)
        emission = [*map(_srgb, floats(document, entry, "emissiveFactor", location, [0.0] * 3))]
        reading.materials[number] = Material(
            label(entry),
            rgba,
            image,
            (emission[0], emission[1], emission[2]),
            # By the specification the default is 1.0, unlike in `Material`.
            metallic=one_float(document, shader, "metallicFactor", location, 1.0),
            roughness=one_float(document, shader, "roughnessFactor", location, 1.0),
            double_sided=entry.get("doubleSided") is True,
        )
    return reading.materials[number], texture_set


def _image(reading: Reading, number: object, where: str) -> Optional[Image]:
    """Return the image of a texture; None, and a note, if it is missing or its format unknown."""
    document = reading.document
    texture = item(document, "textures", number, where)
    assert isinstance(number, int)
    if number in reading.images:
        return reading.images[number]
    image: Optional[Image] = None
    problem: Optional[Diagnostic] = Diagnostic(MESH_IMAGE, 0, "no-image", (), (number,))
    if "source" in texture:
        location = f"images[{texture['source']}]"
        source = item(document, "images", texture["source"], f"textures[{number}]")
        name, uri = label(source), source.get("uri")
        if "bufferView" in source or (isinstance(uri, str) and uri.startswith("data:")):
            data = (
                view_bytes(document, source["bufferView"], location)[0]
                if "bufferView" in source
                else uri_bytes(document, str(uri), location)
            )
            # The bytes say what an image is; the type that the file declares is often wrong.
            if image_ending(data):
                image = Image(name, data)
            else:
                problem = Diagnostic(MESH_IMAGE, 0, "unknown", (name or location,))
        elif isinstance(uri, str):
            image, problem = find_image(document.path, uri)
    if problem and image is None:
        reading.notes[problem] = None
    reading.images[number] = image
    return image
