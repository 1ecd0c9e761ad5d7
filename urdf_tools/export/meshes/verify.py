"""Evidence, on every run, that mesh files hold what was read: each is read back by a reader that is not its writer's.

Corners are compared triangle by triangle, as float32 values: where they are equal, so are the number of triangles, the
box, the area and the signed volume, and nothing needs a tolerance.
"""
import json
from array import array
from itertools import chain
from math import sqrt
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from ...base.errors import ProofFailed
from ...mesh.stl import stl_count, STL_RECORD, stl_record_blocks
from .form import Floats, FLOAT, gathered_records, little_endian, NUMBER, Surface
from .gltf_writer import gltf_image

UV_STEP = 1e-5
UNIT_STEP = 5e-3
OBJ_KEYS = (b"v", b"vt", b"vn", b"f")
GLTF_CODES = {5123: "H", 5125: "I", 5126: "f"}
GLTF_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}


class ReadBack(NamedTuple):
    """What a file holds for one material: the numbers of each corner of each triangle, in order."""

    corners: Floats
    normals: Floats
    uv: Floats
    image: Optional[bytes] = None


def prove_surface(source: str, target: str, surface: Surface, found: ReadBack) -> None:
    """Check what was read back from `target` against a surface that was read from `source`.

    Raises:
        ProofFailed: a triangle, a normal, a texture coordinate or the image is not what it was.
    """
    name = surface.material.name or "without a name"
    expected = gathered_records(surface.positions, 3, surface.corners)
    if len(found.corners) != len(expected):
        raise ProofFailed(f"material '{name}' has {len(expected) // 9} triangles, but '{target}' holds"
                          f" {len(found.corners) // 9}", source)
    if found.corners.tobytes() != expected.tobytes() and found.corners != expected:
        raise ProofFailed(f"a triangle of material '{name}' is not the same in '{target}'", source)
    for x, y, z in zip(found.normals[0::3], found.normals[1::3], found.normals[2::3]):
        if not abs(sqrt(x * x + y * y + z * z) - 1.0) < UNIT_STEP:
            raise ProofFailed(f"a normal of material '{name}' in '{target}' has not length 1", source)
    if found.uv:
        wanted = gathered_records(surface.uv, 2, surface.uv_corners)
        if len(found.uv) != len(wanted) or any(abs(one - other) > UV_STEP * (1.0 + abs(other))
                                               for one, other in zip(found.uv, wanted)):
            raise ProofFailed(f"the texture coordinates of material '{name}' are not the same in '{target}'", source)
    if found.image is not None and (surface.material.image is None or found.image != surface.material.image.data):
        raise ProofFailed(f"the image of material '{name}' is not the same in '{target}'", source)


def read_back_stl(names: Sequence[str]) -> ReadBack:
    """Return the corners of binary STL files, one behind the other."""
    corners = array(FLOAT)
    for name in names:
        stl_count(name)
        for block in stl_record_blocks(name):
            corners.extend(chain.from_iterable(record[3:] for record in STL_RECORD.iter_unpack(block)))
    return ReadBack(corners, array(FLOAT), array(FLOAT))


def read_back_obj(path: str) -> ReadBack:
    """Return the corners of an OBJ as this tool writes it: all `v`, all `vt`, all `vn`, then all `f`.

    Raises:
        ProofFailed: it is not in that form.
    """
    with open(path, "rb") as stream:
        data = stream.read()
    starts = [data.find(b"\n" + key + b" ") for key in OBJ_KEYS]
    usemtl = data.find(b"\nusemtl ")
    sections: Dict[bytes, List[bytes]] = {}
    for key, start in zip(OBJ_KEYS, starts):
        if start < 0:
            sections[key] = []
            continue
        end = min([other for other in (*starts, usemtl) if other > start], default=len(data))
        words = data[start:end].split()
        width = 3 if key == b"vt" else 4
        if len(words) % width or words[::width].count(key) != len(words) // width:
            raise ProofFailed(f"its '{key.decode()}' lines are not all of one form", path)
        del words[::width]
        sections[key] = words
    values = {key: array(FLOAT, map(float, sections[key])) for key in OBJ_KEYS[:3]}
    has_uv = bool(values[b"vt"])
    numbers = array(NUMBER, map(int, b" ".join(sections[b"f"]).replace(b"/", b" ").split()))
    width = 3 if has_uv else 2
    if len(numbers) != width * len(sections[b"f"]) or not data.endswith(b"\n"):
        raise ProofFailed("its faces are not all of one form", path)
    if min(numbers, default=1) < 1:
        raise ProofFailed("a face has number 0", path)
    try:
        corners = gathered_records(values[b"v"], 3, [number - 1 for number in numbers[::width]])
        uv = array(FLOAT)
        if has_uv:
            uv = gathered_records(values[b"vt"], 2, [number - 1 for number in numbers[1::width]])
    except IndexError:
        raise ProofFailed("a face has a number beyond its records", path) from None
    if max(numbers[width - 1::width], default=0) > len(values[b"vn"]) // 3:
        raise ProofFailed("a face has a number beyond its normals", path)
    return ReadBack(corners, values[b"vn"], uv)


def read_back_gltf(path: str, buffer_path: str = "", folder_images: Optional[Dict[str, bytes]] = None,
                   up: str = "y") -> List[ReadBack]:
    """Return what each primitive of a `.glb`, or of a `.gltf` with its buffer, holds, turned to +Z up.

    `folder_images` are the images beside a `.gltf` by their names.
    """
    with open(path, "rb") as stream:
        data = stream.read()
    if buffer_path:
        text = data
        with open(buffer_path, "rb") as stream:
            buffer = stream.read()
    else:
        size = int.from_bytes(data[12:16], "little")
        text, buffer = data[20:20 + size], data[28 + size:]
        if int.from_bytes(data[8:12], "little") != len(data):
            raise ProofFailed("its length is not what its header says", path)
    content: Dict[str, Any] = json.loads(text)
    views, accessors = content["bufferViews"], content["accessors"]
    if content["buffers"][0]["byteLength"] != len(buffer):
        raise ProofFailed("its buffer is not as long as it says", path)

    def values(number: int) -> "array[Any]":
        accessor = accessors[number]
        view = views[accessor["bufferView"]]
        found = array(GLTF_CODES[accessor["componentType"]])
        found.frombytes(buffer[view["byteOffset"]:view["byteOffset"] + view["byteLength"]])
        if len(found) != accessor["count"] * GLTF_WIDTHS[accessor["type"]]:
            raise ProofFailed("an accessor is not as long as it says", path)
        native = array(found.typecode)
        native.frombytes(little_endian(found))
        return native

    def image(material: Dict[str, Any]) -> Optional[bytes]:
        texture = material["pbrMetallicRoughness"].get("baseColorTexture")
        if texture is None:
            return None
        entry = content["images"][content["textures"][texture["index"]]["source"]]
        if "uri" in entry:
            return (folder_images or {}).get(entry["uri"], b"")
        view = views[entry["bufferView"]]
        return buffer[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]

    found: List[ReadBack] = []
    for primitive in content["meshes"][0]["primitives"]:
        attributes, numbers = primitive["attributes"], values(primitive["indices"])
        position = accessors[attributes["POSITION"]]
        columns = list(zip(position["min"], position["max"]))
        points = values(attributes["POSITION"])
        if any((min(points[axis::3]), max(points[axis::3])) != columns[axis] for axis in range(3)):
            raise ProofFailed("the bounds of its positions are not those of its numbers", path)
        corners = _z_up(gathered_records(points, 3, numbers), up)
        normals = values(attributes["NORMAL"]) if "NORMAL" in attributes else array(FLOAT)
        uv = array(FLOAT)
        if "TEXCOORD_0" in attributes:
            uv = gathered_records(values(attributes["TEXCOORD_0"]), 2, numbers)
            uv[1::2] = array(FLOAT, [1.0 - v for v in uv[1::2]])
        found.append(ReadBack(corners, normals, uv, image(content["materials"][primitive["material"]])))
    return found


def _z_up(values: Floats, up: str) -> Floats:
    """Return x, y, z of a frame with +Y up in one with +Z up: x, -z, y."""
    if up == "z":
        return values
    turned = values[:]
    turned[1::3], turned[2::3] = array(FLOAT, [0.0 - value for value in values[2::3]]), values[1::3]
    return turned


def prove_images(source: str, surfaces: Sequence[Surface], found: Sequence[ReadBack], target: str) -> None:
    """Check that every surface whose image a glTF may hold shows it.

    Raises:
        ProofFailed: one does not.
    """
    for surface, read in zip(surfaces, found):
        if gltf_image(surface.material) != read.image:
            raise ProofFailed(f"the image of material '{surface.material.name}' is not in '{target}'", source)
