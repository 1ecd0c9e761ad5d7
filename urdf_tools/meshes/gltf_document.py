"""A glTF 2.0 document: the JSON of a `.gltf` or `.glb` with its buffers, and checked access to its values.

Numbers of accessors are of any component type, interleaved, sparse or absent (zeros); bounds are checked first.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import sys
from array import array
from math import isfinite
from typing import Any, Dict, List, Optional, Sequence, Tuple, TYPE_CHECKING

from ..base.types import Json
from ..base.errors import BrokenMesh
from ..base.record import Record
from .files import find_beside, read_bytes
from .form import FLOAT, Floats, MAX_TRIANGLES, NUMBER, Numbers

GLB_MAGIC = b"glTF"
# The header is magic, version and length; a chunk begins with length and type; 4 bytes each.
GLB_HEADER, CHUNK_HEADER = 12, 8
JSON_CHUNK, BIN_CHUNK = b"JSON", b"BIN\0"
MAX_JSON_BYTES = 1 << 28

# Component type: type code of `array`, and the divisor of normalized numbers; 0.0: never normalized.
COMPONENTS: Dict[int, Tuple[str, float]] = {
    5120: ("b", 127.0),
    5121: ("B", 255.0),
    5122: ("h", 32767.0),
    5123: ("H", 65535.0),
    5125: ("I", 0.0),
    5126: ("f", 0.0),
}
FLOAT_COMPONENT = 5126
INDEX_COMPONENTS = (5121, 5123, 5125)
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
MAX_RECORDS = 3 * MAX_TRIANGLES


class GltfDocument(Record):
    """The JSON of a file and the bytes of its `BIN` chunk; `buffers` caches the buffers that were read, by number."""

    path: str
    json: Json
    chunk: Optional[bytes]
    buffers: Dict[int, bytes]


def read_document(path: str) -> GltfDocument:
    """Read a `.gltf` or `.glb` file; its first bytes decide, not its name.

    Raises:
        BrokenMesh: it is not glTF 2.0, is truncated, or requires an extension.
    """
    data = read_bytes(path)
    text, chunk = _glb_chunks(path, data) if data.startswith(GLB_MAGIC) else (data, None)
    if len(text) > MAX_JSON_BYTES:
        raise BrokenMesh(f"has more than {MAX_JSON_BYTES} bytes of JSON", path)
    try:
        content = json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as problem:
        # A binary file has no lines that an editor could show.
        where = f" at byte {GLB_HEADER + CHUNK_HEADER + problem.pos}" if chunk is not None else ""
        raise BrokenMesh(
            f"is not glTF: its JSON is broken{where} ({problem.msg})",
            path,
            0 if chunk is not None else problem.lineno,
        ) from None
    except UnicodeDecodeError as problem:
        raise BrokenMesh(
            f"is not glTF: byte {problem.start} of its JSON is not UTF-8", path
        ) from None
    except (ValueError, RecursionError):
        raise BrokenMesh(
            "is not glTF: its JSON has a number too long or is nested too deeply", path
        ) from None
    document = GltfDocument(path, content if isinstance(content, dict) else {}, chunk, {})
    asset = document.json.get("asset")
    version = asset.get("version") if isinstance(asset, dict) else None
    if not isinstance(version, str) or not version.startswith("2."):
        raise BrokenMesh(f"is not glTF 2.0: asset.version is {json.dumps(version)[:40]}", path)
    # Extensions that are only "used" may be ignored; a required one changes what the file means,
    # such as Draco, which packs the triangles.
    required = document.json.get("extensionsRequired")
    if required:
        names = ", ".join(map(str, required)) if isinstance(required, list) else str(required)
        raise BrokenMesh(
            f"requires {names[:200]}, which is not read here; write the file without that extension",
            path,
        )
    return document


def _glb_chunks(path: str, data: bytes) -> Tuple[bytes, Optional[bytes]]:
    """Return the JSON and the first `BIN` chunk (b"" when there is none) of a binary glTF."""
    if len(data) < GLB_HEADER:
        raise BrokenMesh(f"ends at byte {len(data)}, within the header of a GLB", path)
    version, total = _word(data, 4), _word(data, 8)
    if version != 2:
        raise BrokenMesh(f"is a GLB of version {version} instead of 2", path)
    if total > len(data):
        raise BrokenMesh(f"ends at byte {len(data)} instead of {total}", path)
    chunks: List[Tuple[bytes, bytes]] = []
    offset = GLB_HEADER
    while offset < total:
        if offset + CHUNK_HEADER > total:
            raise BrokenMesh(f"byte {offset}: a chunk is cut off", path)
        size, end = _word(data, offset), offset + CHUNK_HEADER + _word(data, offset)
        if end > total:
            raise BrokenMesh(
                f"byte {offset}: a chunk of {size} bytes reaches beyond the end at {total}", path
            )
        chunks.append((data[offset + 4 : offset + 8], data[offset + CHUNK_HEADER : end]))
        offset = end
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise BrokenMesh(f"byte {GLB_HEADER}: the first chunk of a GLB is not its JSON", path)
    # By the specification JSON comes first, and BIN second if there is one.
    return chunks[0][1], chunks[1][1] if len(chunks) > 1 and chunks[1][0] == BIN_CHUNK else b""


def _word(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 4], "little")


def broken(document: GltfDocument, where: str, message: str) -> BrokenMesh:
    """Return an error with the file and the location in its JSON, such as `meshes[0].primitives[1]`."""
    return BrokenMesh(f"{where}: {message}", document.path)


def item(document: GltfDocument, collection: str, number: object, where: str) -> Json:
    """Return an object of a top-level list.

    Raises:
        BrokenMesh: there is none; `where` is the location of the reference to it.
    """
    items = document.json.get(collection)
    if (
        # JSON's `true` is an `int` in Python.
        isinstance(number, bool)
        or not isinstance(number, int)
        or not isinstance(items, list)
        or not (0 <= number < len(items))
        or not isinstance(items[number], dict)
    ):
        shown = json.dumps(number)[:40]
        raise broken(document, where, f"there is no {collection}[{shown}]")
    entry: Json = items[number]
    return entry


def children(document: GltfDocument, owner: Json, key: str, where: str) -> List[Any]:
    """Return the list at a key of an object, [] without one."""
    entries = owner.get(key, [])
    if not isinstance(entries, list):
        raise broken(document, where, f"'{key}' is not a list")
    return entries


def child(document: GltfDocument, owner: Json, key: str, where: str) -> Json:
    """Return the object at a key of an object, {} without one."""
    entry = owner.get(key, {})
    if not isinstance(entry, dict):
        raise broken(document, where, f"'{key}' is not an object")
    return entry


def whole(
    document: GltfDocument, owner: Json, key: str, where: str, missing: Optional[int] = None
) -> int:
    """Return the whole number of at least 0 at a key of an object; `missing` without one."""
    value = owner.get(key, missing)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise broken(document, where, f"'{key}' is not a whole number of at least 0")
    return value


def floats(
    document: GltfDocument, owner: Json, key: str, where: str, missing: Sequence[float]
) -> List[float]:
    """Return the list at a key of an object, of as many numbers as `missing`, which is returned without one."""
    values = owner.get(key, missing)
    if (
        not isinstance(values, (list, tuple))
        or len(values) != len(missing)
        or not all(map(_is_number, values))
    ):
        raise broken(document, where, f"'{key}' is not {len(missing)} numbers")
    return [float(value) for value in values]


def one_float(document: GltfDocument, owner: Json, key: str, where: str, missing: float) -> float:
    """Return the number at a key of an object; `missing` without one."""
    value = owner.get(key, missing)
    if not _is_number(value):
        raise broken(document, where, f"'{key}' is not a number")
    return float(value)


def _is_number(value: object) -> bool:
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:
        return False


def label(owner: Json) -> str:
    """Return the name of an object, "" without one."""
    name = owner.get("name")
    return name if isinstance(name, str) else ""


def buffer_bytes(document: GltfDocument, number: object, where: str) -> bytes:
    """Return the bytes of a buffer: from the GLB, from a file beside it, or from a data URI.

    Raises:
        BrokenMesh: they do not exist, or are fewer than `byteLength`.
    """
    buffer = item(document, "buffers", number, where)
    assert isinstance(number, int)
    if number not in document.buffers:
        location = f"buffers[{number}]"
        uri = buffer.get("uri")
        if uri is None:
            # Only the first buffer can be the binary chunk.
            if number or document.chunk is None:
                raise broken(document, location, "there is no uri and no binary chunk")
            data = document.chunk
        elif isinstance(uri, str):
            data = uri_bytes(document, uri, location)
        else:
            raise broken(document, location, "'uri' is not text")
        # The binary chunk may be longer: it is padded to 4 bytes.
        length = whole(document, buffer, "byteLength", location)
        if length > len(data):
            raise broken(document, location, f"has {len(data)} bytes instead of {length}")
        document.buffers[number] = data[:length]
    return document.buffers[number]


def uri_bytes(document: GltfDocument, uri: str, where: str) -> bytes:
    """Return the bytes in a data URI, or of the file beside the document that the URI names."""
    if uri.startswith("data:"):
        head, comma, body = uri.partition(",")
        if not comma or not head.endswith(";base64"):
            raise broken(document, where, "has a data URI that is not base64")
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            raise broken(document, where, "has a data URI with broken base64") from None
    file = find_beside(document.path, uri)
    if file is None:
        raise broken(document, where, f"the file '{uri[:200]}' is not there")
    try:
        return read_bytes(file)
    except BrokenMesh as problem:
        raise broken(
            document, where, f"the file '{os.path.basename(file)}' {problem.message}"
        ) from None


def view_bytes(document: GltfDocument, number: object, where: str) -> Tuple[bytes, int]:
    """Return the bytes of a bufferView and its stride in bytes, 0 for records without gaps.

    Raises:
        BrokenMesh: it reaches beyond its buffer.
    """
    view = item(document, "bufferViews", number, where)
    location = f"bufferViews[{number}]"
    data = buffer_bytes(document, view.get("buffer"), location)
    offset = whole(document, view, "byteOffset", location, 0)
    length = whole(document, view, "byteLength", location)
    stride = whole(document, view, "byteStride", location, 0)
    if offset + length > len(data):
        raise broken(
            document, location, f"reaches to byte {offset + length} of a buffer of {len(data)}"
        )
    if stride and not 4 <= stride <= 252:  # by the specification
        raise broken(document, location, f"has a byteStride of {stride}")
    return data[offset : offset + length], stride


if TYPE_CHECKING:
    Column = array[Any]
else:
    Column = array


def float_records(
    document: GltfDocument, number: object, kind: str, where: str, *, fixed_point: bool = False
) -> Floats:
    """Return the numbers of an accessor of float32 vectors; with `fixed_point` also of normalized whole numbers.

    Raises:
        BrokenMesh: it has another type, or reaches beyond its bytes.
    """
    accessor, location = item(document, "accessors", number, where), f"accessors[{number}]"
    component = accessor.get("componentType", 0)
    # Texture coordinates may be bytes or 16 bit numbers, as parts of 255 or 65535.
    normalized = fixed_point and accessor.get("normalized") is True and component in (5121, 5123)
    if accessor.get("type") != kind or not (component == FLOAT_COMPONENT or normalized):
        raise broken(document, location, f"is not {kind} of float32, as {where} needs it")
    values = _all_values(document, accessor, location)
    if normalized:
        _, divisor = COMPONENTS[int(component)]
        values = array(FLOAT, [value / divisor for value in values])
    return values


def index_records(document: GltfDocument, number: object, where: str) -> Numbers:
    """Return the numbers of an accessor of indices, of any width.

    Raises:
        BrokenMesh: it has another type, or reaches beyond its bytes.
    """
    accessor, location = item(document, "accessors", number, where), f"accessors[{number}]"
    if accessor.get("type") != "SCALAR" or accessor.get("componentType") not in INDEX_COMPONENTS:
        raise broken(
            document, location, f"is not SCALAR of unsigned whole numbers, as {where} needs it"
        )
    return array(NUMBER, _all_values(document, accessor, location))


def _all_values(document: GltfDocument, accessor: Json, location: str) -> Column:
    """Return all numbers of an accessor, with the records of its sparse part replaced."""
    count = whole(document, accessor, "count", location)
    # Before any bytes are made: zeros of an accessor without a bufferView cost the file nothing.
    if count > MAX_RECORDS:
        raise broken(document, location, f"has more than {MAX_RECORDS} records")
    component, width = int(accessor["componentType"]), WIDTHS[str(accessor["type"])]
    # An accessor without a bufferView is all zeros, for its sparse part to replace.
    if "bufferView" in accessor:
        values = _values(document, accessor, component, width, count, location)
    else:
        code, _ = COMPONENTS[component]
        values = array(code, bytes(array(code).itemsize * width * count))
    if "sparse" in accessor:
        _fill_sparse(
            document,
            child(document, accessor, "sparse", location),
            values,
            component,
            width,
            count,
            location,
        )
    return values


def _fill_sparse(
    document: GltfDocument,
    sparse: Json,
    values: Column,
    component: int,
    width: int,
    count: int,
    location: str,
) -> None:
    """Replace the records that the sparse part of an accessor changes."""
    changed = whole(document, sparse, "count", f"{location}.sparse")
    if changed > count:
        raise broken(document, f"{location}.sparse", f"changes {changed} of {count} records")
    indices = child(document, sparse, "indices", f"{location}.sparse")
    if indices.get("componentType") not in INDEX_COMPONENTS:
        raise broken(document, f"{location}.sparse.indices", "is not of unsigned whole numbers")
    targets = _values(
        document, indices, int(indices["componentType"]), 1, changed, f"{location}.sparse.indices"
    )
    if max(targets, default=-1) >= count:
        raise broken(
            document,
            f"{location}.sparse.indices",
            f"has {max(targets)}, but there are {count} records",
        )
    records = _values(
        document,
        child(document, sparse, "values", f"{location}.sparse"),
        component,
        width,
        changed,
        f"{location}.sparse.values",
    )
    for number, target in enumerate(targets):
        values[width * target : width * (target + 1)] = records[
            width * number : width * (number + 1)
        ]


def _values(
    document: GltfDocument, owner: Json, component: int, width: int, count: int, location: str
) -> Column:
    """Return `count` records of `width` numbers from the bufferView of an accessor or its sparse part."""
    code, _ = COMPONENTS[component]
    data, stride = view_bytes(document, owner.get("bufferView"), location)
    offset = whole(document, owner, "byteOffset", location, 0)
    values = array(code)
    record = values.itemsize * width
    stride = stride or record
    if stride < record:
        raise broken(document, location, f"has records of {record} bytes every {stride} bytes")
    # No gap follows the last record.
    end = offset + stride * (count - 1) + record if count else offset
    if end > len(data):
        raise broken(document, location, f"reads to byte {end} of a bufferView of {len(data)}")
    # Interleaved: copied byte column by byte column, which needs no loop over records.
    if stride != record:
        packed = bytearray(record * count)
        for byte in range(record):
            packed[byte::record] = data[offset + byte : end : stride]
        values.frombytes(packed)
    else:
        values.frombytes(data[offset:end])
    if sys.byteorder == "big":
        values.byteswap()
    return values
