"""A checker of glTF 2.0 files in plain Python that shares nothing with the reader and the writer.

It returns faults: chunk lengths and padding of a GLB, views within buffers and aligned, accessors within views, bounds
equal to the float32 numbers, indices below the number of vertices and never the restart value, normals of unit length,
references in range.
"""

import json
import math
import struct

FORMATS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
RESTART = {5121: 255, 5123: 65535, 5125: 4294967295}


def load(path):
    """Return the JSON, the buffer and the faults of the container."""
    data = path.read_bytes()
    faults = []
    if path.suffix == ".gltf":
        content = json.loads(data)
        uri = content["buffers"][0]["uri"]
        if "/" in uri or "%" in uri or " " in uri:
            faults.append(f"uri {uri!r} is not a plain name")
        for image in content.get("images", ()):
            if not (path.parent / image["uri"]).is_file():
                faults.append(f"image {image['uri']} is not there")
        return content, (path.parent / uri).read_bytes(), faults
    magic, version, total = struct.unpack_from("<4sII", data)
    if (magic, version, total) != (b"glTF", 2, len(data)):
        faults.append(f"header {magic!r} {version} {total} of {len(data)} bytes")
    length, kind = struct.unpack_from("<I4s", data, 12)
    if kind != b"JSON" or length % 4:
        faults.append(f"first chunk {kind!r} of {length} bytes")
    content = json.loads(data[20 : 20 + length])
    size, kind = struct.unpack_from("<I4s", data, 20 + length)
    if kind != b"BIN\0" or size % 4 or 28 + length + size != len(data):
        faults.append(f"second chunk {kind!r} of {size} bytes")
    if "uri" in content["buffers"][0]:
        faults.append("the buffer of a GLB has a uri")
    return content, data[28 + length :], faults


def numbers(content, buffer, index):
    """Return the records of an accessor."""
    accessor = content["accessors"][index]
    view = content["bufferViews"][accessor["bufferView"]]
    width = WIDTHS[accessor["type"]]
    code = FORMATS[accessor["componentType"]]
    start = view["byteOffset"] + accessor.get("byteOffset", 0)
    step = struct.calcsize(f"<{width}{code}")
    return [
        struct.unpack_from(f"<{width}{code}", buffer, start + step * k)
        for k in range(accessor["count"])
    ]


def gltf_faults(path):
    """Return what is wrong with a file that this project wrote; [] is a valid one."""
    content, buffer, faults = load(path)
    if (
        content["asset"]["version"] != "2.0"
        or content.get("extensionsRequired")
        or content.get("extensionsUsed")
    ):
        faults.append("version or extensions")
    if content["buffers"][0]["byteLength"] != len(buffer) or len(content["buffers"]) != 1:
        faults.append("length of the buffer")
    end = 0
    for index, view in enumerate(content["bufferViews"]):
        if (
            view["byteOffset"] % 4
            or view["byteOffset"] < end
            or view["byteOffset"] + view["byteLength"] > len(buffer)
        ):
            faults.append(f"bufferViews[{index}] lies wrong")
        end = view["byteOffset"] + view["byteLength"]
    for index, accessor in enumerate(content["accessors"]):
        width = WIDTHS[accessor["type"]]
        code = FORMATS[accessor["componentType"]]
        view = content["bufferViews"][accessor["bufferView"]]
        if (
            struct.calcsize(f"<{width}{code}") * accessor["count"] > view["byteLength"]
            or accessor["count"] < 1
        ):
            faults.append(f"accessors[{index}] reaches beyond its view")
    for mesh in content["meshes"]:
        for primitive in mesh["primitives"]:
            faults += primitive_faults(content, buffer, primitive)
    for index, material in enumerate(content["materials"]):
        faults += material_faults(content, material, f"materials[{index}]")
    for node in content["nodes"]:
        if set(node) - {"mesh", "name"}:
            faults.append(f"a node has {sorted(node)}")
    return faults


def primitive_faults(content, buffer, primitive):
    """Return the faults of a primitive and its accessors."""
    faults = []
    attributes = primitive["attributes"]
    position = content["accessors"][attributes["POSITION"]]
    points = numbers(content, buffer, attributes["POSITION"])
    bounds = [list(map(min, zip(*points))), list(map(max, zip(*points)))]
    if [position["min"], position["max"]] != bounds:
        faults.append("bounds are not those of the float32 numbers")
    for name, index in attributes.items():
        if content["accessors"][index]["count"] != len(points):
            faults.append(f"{name} has another count than POSITION")
        if content["bufferViews"][content["accessors"][index]["bufferView"]].get("target") != 34962:
            faults.append(f"{name} has no target ARRAY_BUFFER")
        if any(
            not math.isfinite(value)
            for record in numbers(content, buffer, index)
            for value in record
        ):
            faults.append(f"{name} is not finite")
    if "NORMAL" in attributes:
        lengths = [
            math.sqrt(sum(v * v for v in n)) for n in numbers(content, buffer, attributes["NORMAL"])
        ]
        if any(abs(length - 1.0) > 0.0005 for length in lengths):
            faults.append("a normal is not of unit length")
    indices = content["accessors"][primitive["indices"]]
    used = [index for (index,) in numbers(content, buffer, primitive["indices"])]
    if max(used) >= len(points) or max(used) == RESTART[indices["componentType"]] or len(used) % 3:
        faults.append("indices out of range")
    if content["bufferViews"][indices["bufferView"]].get("target") != 34963:
        faults.append("indices have no target ELEMENT_ARRAY_BUFFER")
    if not 0 <= primitive["material"] < len(content["materials"]):
        faults.append("no such material")
    return faults


def material_faults(content, material, where):
    """Return the faults of a material."""
    faults = []
    shader = material["pbrMetallicRoughness"]
    if (
        not all(0.0 <= value <= 1.0 for value in shader["baseColorFactor"])
        or "metallicFactor" not in shader
    ):
        faults.append(f"{where}: factors")
    if (material.get("alphaMode") == "BLEND") != (shader["baseColorFactor"][3] < 1.0):
        faults.append(f"{where}: alphaMode")
    texture = shader.get("baseColorTexture")
    if texture is not None:
        image = content["images"][content["textures"][texture["index"]]["source"]]
        if "bufferView" in image and image.get("mimeType") not in ("image/png", "image/jpeg"):
            faults.append(f"{where}: mimeType")
        uses = [
            primitive
            for mesh in content["meshes"]
            for primitive in mesh["primitives"]
            if content["materials"][primitive["material"]] is material
        ]
        if any("TEXCOORD_0" not in primitive["attributes"] for primitive in uses):
            faults.append(f"{where}: shows an image without texture coordinates")
    return faults
