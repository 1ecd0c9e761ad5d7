"""Evidence, on every run, that mesh files hold what was read: each is read back by a reader that is not its writer's.

Corners are compared triangle by triangle, as float32 values: where they are equal, so are the number of triangles, the
box, the area and the signed volume, and nothing needs a tolerance.
"""
import json
import sys
from array import array
from itertools import chain
from math import hypot
from operator import eq, sub
from struct import Struct
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence

from ...base.errors import ProofFailed
from ...mesh.stl import stl_count, stl_record_blocks
from .form import (byte_records, flat_triangles, Floats, FLOAT, gathered_records, is_in_order, little_endian, Material,
                   NUMBER, Numbers, Rgba, Surface)
from .gltf_writer import gltf_image
from .mtl_reader import read_mtl

UV_STEP = COLOR_STEP = 1e-5
UNIT_STEP = 5e-3
STL_CORNERS = Struct("12x36s2x")
POINT_BYTES = 12
BLOCK_BYTES = 1 << 16  # what stays in the cache of a processor is read in half of the time
DIGITS = b"0123456789"
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
    _check_triangles(source, target, surface, len(found.corners), _is_same(found, surface))
    lengths = list(map(hypot, found.normals[0::3], found.normals[1::3], found.normals[2::3]))
    if lengths and not 1.0 - UNIT_STEP < min(lengths) <= max(lengths) < 1.0 + UNIT_STEP:
        raise ProofFailed(f"a normal of material '{name}' in '{target}' has not length 1", source)
    if found.uv or surface.uv:
        wanted = gathered_records(surface.uv, 2, surface.uv_corners)
        if len(found.uv) != len(wanted) or max(map(abs, map(sub, found.uv, wanted))) > UV_STEP and any(
                abs(one - other) > UV_STEP * (1.0 + abs(other)) for one, other in zip(found.uv, wanted)):
            raise ProofFailed(f"the texture coordinates of material '{name}' are not the same in '{target}'", source)
    if found.image is not None and (surface.material.image is None or found.image != surface.material.image.data):
        raise ProofFailed(f"the image of material '{name}' is not the same in '{target}'", source)


def read_back_stl(names: Sequence[str]) -> Iterator[bytes]:
    """Yield the corners of binary STL files, one behind the other, in blocks of whole triangles."""
    for name in names:
        stl_count(name)
        for block in stl_record_blocks(name):
            yield b"".join(chain.from_iterable(STL_CORNERS.iter_unpack(block)))


def prove_flat(source: str, surface: Surface, numbers: Sequence[int]) -> None:
    """Check that the triangles of those numbers, which the STL writer left out, have no area.

    Raises:
        ProofFailed: one has.
    """
    corners = array(NUMBER, [surface.corners[3 * number + corner] for number in numbers for corner in range(3)])
    if numbers and len(flat_triangles(surface._replace(corners=corners))) != len(numbers):
        raise ProofFailed(f"a triangle of material '{surface.material.name}' that has an area was left out", source)


def prove_stl(source: str, target: str, surface: Surface, blocks: Iterable[bytes]) -> None:
    """Check what `read_back_stl` yields of the files of a surface that was read from `source`.

    Raises:
        ProofFailed: a triangle is not what it was, or they are not as many.
    """
    in_order = is_in_order(surface)
    records = [] if in_order else byte_records(little_endian(surface.positions), POINT_BYTES)
    count, is_same = 0, True
    for block in blocks:
        end = count + len(block) // POINT_BYTES
        is_same = is_same and block == (
            little_endian(surface.positions[3 * count:3 * end]) if in_order else
            b"".join(map(records.__getitem__, surface.corners[count:end])))
        count = end
    _check_triangles(source, target, surface, count, is_same)


def _check_triangles(source: str, target: str, surface: Surface, corners: int, is_same: bool) -> None:
    name = surface.material.name or "without a name"
    if corners != len(surface.corners):
        raise ProofFailed(f"material '{name}' has {len(surface.corners) // 3} triangles, but '{target}' holds"
                          f" {corners // 3}", source)
    if not is_same:
        raise ProofFailed(f"a triangle of material '{name}' is not the same in '{target}'", source)


def _is_same(found: ReadBack, surface: Surface) -> bool:
    """Return True if all corners are the same points: by equal tables, else corner by corner."""
    if found.corners == surface.corners and found.points == surface.positions:
        return True
    ours, theirs = (byte_records(points.tobytes(), POINT_BYTES) for points in (surface.positions, found.points))
    try:
        return all(map(eq, map(ours.__getitem__, surface.corners), map(theirs.__getitem__, found.corners)))
    except IndexError:
        return False


def read_back_obj(path: str) -> ReadBack:
    """Return the corners of an OBJ as this tool writes it: all `v`, all `vt`, all `vn`, then all `f`.

    Raises:
        ProofFailed: it is not in that form.
    """
    with open(path, "rb") as stream:
        data = stream.read()
    v = data.find(b"\nv") + 1
    vn = data.find(b"\nvn", v) + 1
    f = data.find(b"\nf", vn) + 1
    vt = data.find(b"\nvt", v, vn) + 1 or vn
    usemtl = data.find(b"\nusemtl", vn, f) + 1 or f
    if not 0 < v < vn < f:
        raise ProofFailed("it has no positions, normals and faces, in this order", path)

    def words_of(key: bytes, width: int, start: int, end: int) -> Iterator[List[bytes]]:
        while start < end:
            stop = data.find(b"\n", start + BLOCK_BYTES, end) + 1 or end
            words = data[start:stop].split()
            if words[::width + 1].count(key) * (width + 1) != len(words):
                raise ProofFailed(f"its '{key.decode()}' lines are not all of one form", path)
            del words[::width + 1]
            yield words
            start = stop

    def values(key: bytes, width: int, start: int, end: int) -> Floats:
        found = array(FLOAT)
        for words in words_of(key, width, start, end):
            found.extend(array(FLOAT, list(map(float, words))))
        return found

    points, uv, normals = values(b"v", 3, v, vt), values(b"vt", 2, vt, vn), values(b"vn", 3, vn, usemtl)
    corners, uv_corners = array(NUMBER), array(NUMBER)
    width = 3 if uv else 2
    for words in words_of(b"f", 3, f, len(data)):
        different = dict.fromkeys(words)  # most corners are repeated: to find one costs less than to read it
        numbers = _corner_numbers(different, b"/" if uv else b"//")
        if len(numbers) != width * len(different):
            raise ProofFailed("its faces are not all of one form", path)
        if min(numbers) < 1 or max(numbers[width - 1::width]) > len(normals) // 3:
            raise ProofFailed("a face has a number beyond its normals", path)
        for column, found in enumerate((corners, uv_corners) if uv else (corners,)):
            places = dict(zip(different, [number - 1 for number in numbers[column::width]]))
            found.extend(array(NUMBER, list(map(places.__getitem__, words))))
    try:
        corner_uv = gathered_records(uv, 2, uv_corners)
    except IndexError:
        raise ProofFailed("a face has a number beyond its texture coordinates", path) from None
    return ReadBack(points, corners, normals, corner_uv)


def _corner_numbers(corners: Iterable[bytes], between: bytes) -> List[int]:
    """Return the numbers of corners of faces; the JSON reader is faster than `int`."""
    text = b",".join(corners)
    if text.translate(None, DIGITS) != b",".join([b"//"] * (text.count(b",") + 1)):
        return []
    try:
        numbers: List[int] = json.loads(f"[{text.replace(between, b',').decode('ascii')}]")
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
        if sys.byteorder == "big":
            found.byteswap()
        return found

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


def prove_mtl(path: str, material: Material, image_name: str, rgba: Rgba) -> None:
    """Check that an MTL file has one entry, with the image and the color of a material, or `rgba` where it has none.

    Raises:
        ProofFailed: it has not.
    """
    entries = list(read_mtl(path).values())
    *color, alpha = material.rgba or rgba
    wanted = {"kd": [1.0] * 3 if image_name else color, "d": [alpha], "ke": list(material.emission)}
    found = [(entry.image, [entry.numbers.get(key, [0.0] * len(wanted[key])) for key in wanted]) for entry in entries]
    if [image for image, _ in found] != [image_name] or any(
            abs(a - b) > COLOR_STEP for values, others in zip(found[0][1], wanted.values())
            for a, b in zip(values, others)):
        raise ProofFailed(f"the material '{material.name}' does not look as in its source", path)
