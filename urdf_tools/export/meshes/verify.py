"""Evidence, on every run, that mesh files hold what was read: each is read back by a reader that is not its writer's.

Corners are compared triangle by triangle, as float32 values: where they are equal, so are the number of triangles, the
box, the area and the signed volume, and nothing needs a tolerance.
"""
import json
from array import array
from itertools import chain
from math import hypot
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from ...base.errors import ProofFailed
from ...mesh.stl import stl_count, STL_RECORD, stl_record_blocks
from .form import Floats, FLOAT, gathered_records, little_endian, NUMBER, Numbers, Surface
from .gltf_writer import gltf_image

UV_STEP = 1e-5
UNIT_STEP = 5e-3
OBJ_KEYS = (b"v", b"vt", b"vn", b"f")
GLTF_CODES = {5123: "H", 5125: "I", 5126: "f"}
GLTF_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}


class ReadBack(NamedTuple):
    """What a file holds for one material: its points, and those of the corners of each triangle, in order."""

    points: Floats
    corners: Numbers
    normals: Floats
    uv: Floats
    image: Optional[bytes] = None


def prove_surface(source: str, target: str, surface: Surface, found: ReadBack) -> None:
    """Check what was read back from `target` against a surface that was read from `source`.

    Raises:
        ProofFailed: a triangle, a normal, a texture coordinate or the image is not what it was.
    """
    name = surface.material.name or "without a name"
    if len(found.corners) != len(surface.corners):
        raise ProofFailed(f"material '{name}' has {len(surface.corners) // 3} triangles, but '{target}' holds"
                          f" {len(found.corners) // 3}", source)
    if not _is_same(found, surface):
        raise ProofFailed(f"a triangle of material '{name}' is not the same in '{target}'", source)
    lengths = list(map(hypot, found.normals[0::3], found.normals[1::3], found.normals[2::3]))
    if lengths and not 1.0 - UNIT_STEP < min(lengths) <= max(lengths) < 1.0 + UNIT_STEP:
        raise ProofFailed(f"a normal of material '{name}' in '{target}' has not length 1", source)
    if found.uv:
        wanted = gathered_records(surface.uv, 2, surface.uv_corners)
        if len(found.uv) != len(wanted) or any(abs(one - other) > UV_STEP * (1.0 + abs(other))
                                               for one, other in zip(found.uv, wanted)):
            raise ProofFailed(f"the texture coordinates of material '{name}' are not the same in '{target}'", source)
    if found.image is not None and (surface.material.image is None or found.image != surface.material.image.data):
        raise ProofFailed(f"the image of material '{name}' is not the same in '{target}'", source)


def _is_same(found: ReadBack, surface: Surface) -> bool:
    """Return True if all corners are the same points: by equal tables, else corner by corner."""
    if found.corners.tobytes() == surface.corners.tobytes() and found.points.tobytes() == surface.positions.tobytes():
        return True
    try:
        corners = gathered_records(found.points, 3, found.corners)
    except IndexError:
        return False
    expected = gathered_records(surface.positions, 3, surface.corners)
    return corners.tobytes() == expected.tobytes() or corners == expected


def read_back_stl(names: Sequence[str]) -> ReadBack:
    """Return the corners of binary STL files, one behind the other."""
    corners = array(FLOAT)
    for name in names:
        stl_count(name)
        for block in stl_record_blocks(name):
            corners.extend(chain.from_iterable(record[3:] for record in STL_RECORD.iter_unpack(block)))
    return ReadBack(corners, array(NUMBER, range(len(corners) // 3)), array(FLOAT), array(FLOAT))


def read_back_obj(path: str) -> ReadBack:
    """Return the corners of an OBJ as this tool writes it: all `v`, all `vt`, all `vn`, then all `f`.

    Raises:
        ProofFailed: it is not in that form.
    """
    with open(path, "rb") as stream:
        data = stream.read()
    text = data.partition(b"\nusemtl ")
    places = [data.find(b"\n" + key + b" ") for key in OBJ_KEYS]
    ends = [min([other for other in (*places, len(text[0])) if other > place], default=len(data)) for place in places]
    ends[-1] = len(data)
    values: List[Floats] = []
    for key, width, start, end in zip(OBJ_KEYS, (3, 2, 3), places, ends):
        words = data[start:end].split() if start >= 0 else []
        if words[::width + 1].count(key) * (width + 1) != len(words):
            raise ProofFailed(f"its '{key.decode()}' lines are not all of one form", path)
        del words[::width + 1]
        values.append(array(FLOAT, map(float, words)))
    points, uv, normals = values
    width = 3 if uv else 2
    lines = data[places[-1]:] if places[-1] >= 0 else b""
    count = lines.count(b"\nf ")
    numbers = _whole_numbers(lines, b"/" if uv else b"//")
    if len(numbers) != 3 * width * count or lines.count(b" ") != 3 * count or lines.count(b"\n") != count + 1:
        raise ProofFailed("its faces are not all of one form", path)
    if min(numbers, default=1) < 1 or max(numbers[width - 1::width], default=0) > len(normals) // 3:
        raise ProofFailed("a face has a number beyond its normals", path)
    corners = array(NUMBER, [number - 1 for number in numbers[::width]])
    try:
        corner_uv = gathered_records(uv, 2, [number - 1 for number in numbers[1::width]]) if uv else uv
    except IndexError:
        raise ProofFailed("a face has a number beyond its texture coordinates", path) from None
    return ReadBack(points, corners, normals, corner_uv)


def _whole_numbers(lines: bytes, between: bytes) -> List[int]:
    """Return the numbers of `f` lines; the JSON reader is a third faster than `int`."""
    text = lines.replace(b"\nf ", b",").replace(between, b",").replace(b" ", b",").strip(b"\n,")
    try:
        numbers: List[int] = json.loads(b"[" + text + b"]")
    except ValueError:
        return []
    return numbers


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
        normals = values(attributes["NORMAL"]) if "NORMAL" in attributes else array(FLOAT)
        uv = array(FLOAT)
        if "TEXCOORD_0" in attributes:
            uv = gathered_records(values(attributes["TEXCOORD_0"]), 2, numbers)
            uv[1::2] = array(FLOAT, [1.0 - v for v in uv[1::2]])
        shown = image(content["materials"][primitive["material"]])
        found.append(ReadBack(_z_up(points, up), array(NUMBER, numbers), normals, uv, shown))
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
