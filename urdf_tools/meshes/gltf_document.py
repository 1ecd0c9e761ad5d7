"""A glTF 2.0 document: the JSON of a `.gltf` or `.glb` with its buffers, and checked access to its values."""
import base64
import binascii
import json
import os
from math import isfinite
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..base.errors import BrokenMesh
from .files import find_beside, read_bytes

GLB_MAGIC = b"glTF"
GLB_HEADER, CHUNK_HEADER = 12, 8
JSON_CHUNK, BIN_CHUNK = b"JSON", b"BIN\0"
MAX_JSON_BYTES = 1 << 28

Json = Dict[str, Any]


class GltfDocument(NamedTuple):
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
        where = f" at byte {GLB_HEADER + CHUNK_HEADER + problem.pos}" if chunk is not None else ""
        raise BrokenMesh(f"is not glTF: its JSON is broken{where} ({problem.msg})", path,
                         0 if chunk is not None else problem.lineno) from None
    except UnicodeDecodeError as problem:
        raise BrokenMesh(f"is not glTF: byte {problem.start} of its JSON is not UTF-8", path) from None
    except (ValueError, RecursionError):
        raise BrokenMesh("is not glTF: its JSON has a number too long or is nested too deeply", path) from None
    document = GltfDocument(path, content if isinstance(content, dict) else {}, chunk, {})
    asset = document.json.get("asset")
    version = asset.get("version") if isinstance(asset, dict) else None
    if not isinstance(version, str) or not version.startswith("2."):
        raise BrokenMesh(f"is not glTF 2.0: asset.version is {json.dumps(version)[:40]}", path)
    required = document.json.get("extensionsRequired")
    if required:
        names = ", ".join(map(str, required)) if isinstance(required, list) else str(required)
        raise BrokenMesh(f"requires {names[:200]}, which is not read here; write the file without that extension", path)
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
            raise BrokenMesh(f"byte {offset}: a chunk of {size} bytes reaches beyond the end at {total}", path)
        chunks.append((data[offset + 4:offset + 8], data[offset + CHUNK_HEADER:end]))
        offset = end
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise BrokenMesh(f"byte {GLB_HEADER}: the first chunk of a GLB is not its JSON", path)
    return chunks[0][1], chunks[1][1] if len(chunks) > 1 and chunks[1][0] == BIN_CHUNK else b""


def _word(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset:offset + 4], "little")


def broken(document: GltfDocument, where: str, message: str) -> BrokenMesh:
    """Return an error with the file and the location in its JSON, such as `meshes[0].primitives[1]`."""
    return BrokenMesh(f"{where}: {message}", document.path)


def item(document: GltfDocument, collection: str, number: object, where: str) -> Json:
    """Return an object of a top-level list.

    Raises:
        BrokenMesh: there is none; `where` is the location of the reference to it.
    """
    items = document.json.get(collection)
    if isinstance(number, bool) or not isinstance(number, int) or not isinstance(items, list) or not (
            0 <= number < len(items)) or not isinstance(items[number], dict):
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


def whole(document: GltfDocument, owner: Json, key: str, where: str, missing: Optional[int] = None) -> int:
    """Return the whole number of at least 0 at a key of an object; `missing` without one."""
    value = owner.get(key, missing)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise broken(document, where, f"'{key}' is not a whole number of at least 0")
    return value


def floats(document: GltfDocument, owner: Json, key: str, where: str, missing: Sequence[float]) -> List[float]:
    """Return the list at a key of an object, of as many numbers as `missing`, which is returned without one."""
    values = owner.get(key, missing)
    if not isinstance(values, (list, tuple)) or len(values) != len(missing) or not all(map(_is_number, values)):
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
            if number or document.chunk is None:
                raise broken(document, location, "there is no uri and no binary chunk")
            data = document.chunk
        elif isinstance(uri, str):
            data = uri_bytes(document, uri, location)
        else:
            raise broken(document, location, "'uri' is not text")
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
        raise broken(document, where, f"the file '{os.path.basename(file)}' {problem.message}") from None


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
        raise broken(document, location, f"reaches to byte {offset + length} of a buffer of {len(data)}")
    if stride and not 4 <= stride <= 252:
        raise broken(document, location, f"has a byteStride of {stride}")
    return data[offset:offset + length], stride
