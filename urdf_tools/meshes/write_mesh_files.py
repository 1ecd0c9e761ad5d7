"""The writers of Wavefront OBJ with its MTL, one surface in a file, and of glTF 2.0, all surfaces of a mesh in one file.

The OBJ is readable by Drake, MuJoCo, RViz, Gazebo and trimesh. They need: normals at every corner (Drake draws no mesh
without), no `o` and no `g` (MuJoCo loads the first group only), names without spaces, one material with `Kd` in an MTL
in the same folder, ASCII without a byte order mark.

glTF is `.gltf` with `.bin` and images beside it, or a complete `.glb`: one node without a transform, one mesh, one
primitive for each surface, no extensions, no interleaving. Colors become linear, v of texture coordinates goes down,
and +Y is up unless +Z is requested. The same input gives the same bytes.
"""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from itertools import count
from typing import Any, BinaryIO, DefaultDict, Dict, List, Optional, Sequence

from ..base.type_aliases import Json
from ..base.record_type import Record
from ..urdf.mesh_paths import safe_stem
from .read_mesh_files import image_ending, WHITE
from .mesh_content import (
    FLOAT,
    Floats,
    linear_of_srgb,
    little_endian,
    MeshMaterial,
    NUMBER,
    Numbers,
    Rgba,
    MaterialSurface,
)
from .prepare_surfaces import join_corners, shifted

OBJ_HEADER = b"# OBJ written by urdf_simplify\n"
MTL_HEADER = "# MTL written by urdf_simplify\n"
GRAY: Rgba = (0.6, 0.6, 0.6, 1.0)  # the color of a mesh without a material in RViz and assimp
BLOCK = 4096  # records that are formatted at once
GENERATOR = "urdf_simplify"
# Constants of OpenGL, as in glTF.
ARRAY_BUFFER = 34962
ELEMENT_ARRAY_BUFFER = 34963
FLOAT32 = 5126
UINT16 = 5123
UINT32 = 5125
MAX_SHORT_VERTICES = 65535  # index 65535 itself restarts a primitive
# Linear with mipmaps, and repeated, because some textured COLLADA files use coordinates outside 0..1.
SAMPLER = {"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497}
MIME_TYPES = {".png": "image/png", ".jpg": "image/jpeg"}


def write_obj(surface: MaterialSurface, path: str, library: str = "") -> None:
    """Write a surface with normals; `library` is the base name of its MTL, or "" for a collision without MTL."""
    with open(path, "wb") as stream:
        stream.write(OBJ_HEADER)
        if library:
            stream.write(f"mtllib {library}\n".encode("ascii"))
        # Nine significant digits are enough to read every float32 back exactly.
        _write_lines(stream, b"v %.9g %.9g %.9g\n", 3, surface.positions)
        if surface.uv:
            _write_lines(stream, b"vt %.7g %.7g\n", 2, surface.uv)
        normal_numbers = _write_normals(stream, surface.normals)
        if library:
            stream.write(f"usemtl {material_name(surface.material)}\n".encode("ascii"))
        _write_faces(stream, surface, normal_numbers)


def _write_faces(stream: BinaryIO, surface: MaterialSurface, normal_numbers: Sequence[int]) -> None:
    """Write faces; each corner has its numbers of position, texture coordinate and normal."""
    # OBJ counts from 1; the numbers of normals do so already.
    columns = [shifted(surface.corners, 1)]
    if surface.uv:
        columns.append(shifted(surface.uv_corners, 1))
    columns.append(array(NUMBER, list(map(normal_numbers.__getitem__, surface.normal_corners))))
    corner = b"%d/%d/%d" if surface.uv else b"%d//%d"
    numbers = array(NUMBER, bytes(4 * len(columns) * len(surface.corners)))
    for index, column in enumerate(columns):
        numbers[index :: len(columns)] = column
    _write_lines(stream, b"f %b %b %b\n" % (corner, corner, corner), 3 * len(columns), numbers)


def _write_lines(stream: BinaryIO, line: bytes, width: int, numbers: "Floats | Numbers") -> None:
    """Write records of `width` numbers; a block of lines is formatted at once."""
    size = BLOCK * width
    for start in range(0, len(numbers), size):
        block = numbers[start : start + size]
        stream.write(line * (len(block) // width) % tuple(block))


def _write_normals(stream: BinaryIO, normals: Floats) -> List[int]:
    """Write the normals, without duplicate texts, and return the number of each in the file, from 1."""
    texts: DefaultDict[bytes, int] = defaultdict(count(1).__next__)
    file_numbers: List[int] = []
    for start in range(0, len(normals), 3 * BLOCK):
        block = normals[start : start + 3 * BLOCK]
        # Four digits are enough for lighting, and make many normals equal.
        lines = (b"vn %.4g %.4g %.4g\n" * (len(block) // 3) % tuple(block)).splitlines(True)
        file_numbers += map(texts.__getitem__, lines)
    stream.write(b"".join(texts))
    return file_numbers


def material_name(material: MeshMaterial) -> str:
    """Return a name without spaces for a material."""
    return safe_stem(material.name, "material")


def mtl_bytes(material: MeshMaterial, image_name: str, rgba: Rgba = GRAY) -> bytes:
    """Return the MTL of a material; `rgba` replaces a missing color, `image_name` is the image beside it or "".

    Colors are sRGB numbers, as in COLLADA. With an image Kd is its tint, because Drake multiplies the image by it.
    """
    red, green, blue, alpha = material.rgba or rgba
    if image_name:
        red, green, blue = material.tint or WHITE
    # Each line has a reader: without Ks, for example, the surface is shiny in assimp and three.js.
    lines = [
        f"newmtl {material_name(material)}",
        "Ka 0 0 0",
        f"Kd {red:.6g} {green:.6g} {blue:.6g}",
        "Ks 0 0 0",
        "Ns 10",
        f"d {alpha:.6g}",
        "illum 1",
    ]
    if any(material.emission):
        lines.insert(3, "Ke {:.6g} {:.6g} {:.6g}".format(*material.emission))  # after Kd
    if image_name:
        lines.append(f"map_Kd {image_name}")
    return (MTL_HEADER + "\n".join(lines) + "\n").encode("ascii")


class GltfParts(Record):
    """The JSON of a glTF and the bytes of its single buffer."""

    json: Json
    buffer: bytes


class GltfBuffer:
    """A buffer while it is filled, with its views and accessors, which are appended to the lists in `parts`."""

    def __init__(self, parts: GltfParts) -> None:
        """Continue the buffer of a file that has been filled so far."""
        self.pieces = [parts.buffer]
        self.length = len(parts.buffer)
        self.views: List[Json] = parts.json.setdefault("bufferViews", [])
        self.accessors: List[Json] = parts.json.setdefault("accessors", [])

    def view(self, data: bytes, **more: Any) -> int:
        """Append bytes, padded to a multiple of four, and return the number of their bufferView."""
        self.views.append({"buffer": 0, "byteOffset": self.length, "byteLength": len(data), **more})
        padding = bytes(-len(data) % 4)
        self.pieces += (data, padding)
        self.length += len(data) + len(padding)
        return len(self.views) - 1

    def accessor(
        self, data: bytes, target: Optional[int], component: int, count: int, kind: str, **more: Any
    ) -> int:
        """Append an accessor with a new view and return its number."""
        view = self.view(data, target=target) if target else self.view(data)
        self.accessors.append(
            {"bufferView": view, "componentType": component, "count": count, "type": kind, **more}
        )
        return len(self.accessors) - 1


def gltf_parts(
    surfaces: Sequence[MaterialSurface],
    name: str,
    up: str = "y",
    image_names: Optional[Dict[bytes, str]] = None,
) -> GltfParts:
    """Return surfaces as glTF.

    Args:
        surfaces: the surfaces to write.
        name: the name of the node and the mesh.
        up: the up axis: "y" as in glTF, or "z" as in URDF.
        image_names: the file name beside the `.gltf` for the bytes of each image; None puts them into the buffer.
    """
    buffer = GltfBuffer(GltfParts({}, b""))
    primitives = [_primitive(buffer, surface, up) for surface in surfaces]
    images: Dict[bytes, int] = {}
    materials: List[Json] = []
    for number, surface in enumerate(surfaces):
        image = gltf_image(surface.material)
        image_number = None
        if image is not None:
            # An image shared by several materials is stored once.
            image_number = images.setdefault(image, len(images))
        materials.append(_material(surface.material, image_number, GRAY))
        primitives[number]["material"] = number
    asset: Json = {"version": "2.0", "generator": GENERATOR}
    if up == "z":
        # glTF cannot declare this; the mark lets this tool read its own file upright again.
        asset["extras"] = {"up": "z"}
    content: Json = {
        "asset": asset,
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": name}],
        "meshes": [{"name": name, "primitives": primitives}],
        "materials": materials,
    }
    if images:
        content["textures"] = [{"sampler": 0, "source": number} for number in range(len(images))]
        content["samplers"] = [SAMPLER]
        if image_names is not None:
            content["images"] = [{"uri": image_names[data]} for data in images]
        else:
            content["images"] = [
                {"bufferView": buffer.view(data), "mimeType": MIME_TYPES[image_ending(data)]}
                for data in images
            ]
    content["accessors"] = buffer.accessors
    content["bufferViews"] = buffer.views
    content["buffers"] = [{"byteLength": buffer.length}]
    return GltfParts(content, b"".join(buffer.pieces))


def gltf_image(material: MeshMaterial) -> Optional[bytes]:
    """Return the image of a material if glTF allows its format: PNG or JPEG."""
    if material.image and image_ending(material.image.data) in MIME_TYPES:
        return material.image.data
    return None


def _primitive(buffer: GltfBuffer, surface: MaterialSurface, up: str) -> Json:
    """Return a surface as a primitive, whose numbers are appended to a buffer."""
    # In glTF v goes down.
    flipped = surface.uv[:]
    flipped[1::2] = array(FLOAT, [1.0 - v for v in surface.uv[1::2]])
    if up == "y":
        surface = surface._replace(positions=y_up(surface.positions), normals=y_up(surface.normals))
    columns = [surface.positions[axis::3] for axis in range(3)]
    positions, normals, uv, corners = join_corners(surface._replace(uv=flipped))
    count = len(positions) // 3
    attributes = {
        "POSITION": buffer.accessor(
            little_endian(positions),
            ARRAY_BUFFER,
            FLOAT32,
            count,
            "VEC3",
            min=[*map(min, columns)],
            max=[*map(max, columns)],
        )
    }
    if normals:
        attributes["NORMAL"] = buffer.accessor(
            little_endian(normals), ARRAY_BUFFER, FLOAT32, count, "VEC3"
        )
    if uv:
        attributes["TEXCOORD_0"] = buffer.accessor(
            little_endian(uv), ARRAY_BUFFER, FLOAT32, count, "VEC2"
        )
    numbers: Numbers = corners
    component = UINT32
    if count <= MAX_SHORT_VERTICES:
        numbers = array("H", corners)
        component = UINT16
    indices = buffer.accessor(
        little_endian(numbers), ELEMENT_ARRAY_BUFFER, component, len(corners), "SCALAR"
    )
    return {"attributes": attributes, "indices": indices}


def y_up(values: Floats) -> Floats:
    """Return vectors x, y, z of a frame with +Z up in a frame with +Y up: x, z, -y; without -0.0."""
    turned = values[:]
    turned[1::3] = values[2::3]
    turned[2::3] = array(FLOAT, [0.0 - value for value in values[1::3]])
    return turned


def _material(material: MeshMaterial, image: Optional[int], fallback: Rgba) -> Json:
    """Return a glTF material with its image number, or with its color or the fallback."""
    red, green, blue, alpha = material.rgba or fallback
    if image is not None:
        red, green, blue = material.tint or WHITE
    shader: Json = {
        "baseColorFactor": [
            *(_rounded(linear_of_srgb(value)) for value in (red, green, blue)),
            _rounded(alpha),
        ]
    }
    if image is not None:
        shader["baseColorTexture"] = {"index": image}
    # A metallic factor of 0 is written, because the default is 1.
    shader["metallicFactor"] = _rounded(material.metallic)
    shader["roughnessFactor"] = _rounded(material.roughness)
    content: Json = {"name": material.name or "material", "pbrMetallicRoughness": shader}
    if any(material.emission):
        content["emissiveFactor"] = [_rounded(linear_of_srgb(value)) for value in material.emission]
    if alpha < 1.0:
        content["alphaMode"] = "BLEND"
    if material.double_sided:
        content["doubleSided"] = True
    return content


def color_missing(content: Json, materials: Sequence[MeshMaterial], rgba: Rgba) -> None:
    """Set the color of the materials of a glTF that have none in the source."""
    for number, material in enumerate(materials):
        if material.rgba is None:
            content["materials"][number] = _material(material, None, rgba)


def _rounded(value: float) -> float:
    """Return a number within 0 to 1, with six digits."""
    return float(f"{min(max(value, 0.0), 1.0):.6g}")


def gltf_bytes(parts: GltfParts, binary_name: str) -> bytes:
    """Return the text of a `.gltf` whose buffer is the file `binary_name` beside it."""
    buffers = [{"uri": binary_name, "byteLength": len(parts.buffer)}]
    return json_bytes({**parts.json, "buffers": buffers})


def glb_bytes(parts: GltfParts) -> List[bytes]:
    """Return a `.glb` in pieces."""
    # The specification pads JSON with spaces, and binary data with zeros.
    text = json_bytes(parts.json)
    text += b" " * (-len(text) % 4)

    total = 12 + 8 + len(text) + 8 + len(parts.buffer)
    return [
        b"glTF",
        _words(2, total),
        _words(len(text)),
        b"JSON",
        text,
        _words(len(parts.buffer)),
        b"BIN\0",
        parts.buffer,
    ]


def _words(*numbers: int) -> bytes:
    """Return unsigned integers of 32 bits, as stored in a GLB."""
    return b"".join(number.to_bytes(4, "little") for number in numbers)


def json_bytes(content: Json) -> bytes:
    """Return JSON as ASCII bytes without whitespace."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")
