"""A glTF 2.0 document: the JSON, out of a `.gltf` or a `.glb`, with its buffers, and values out of it with checks."""
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
    """The JSON of a file and the bytes of its `BIN` chunk; `buffers` fills as buffers are asked for."""

    path: str
    json: Json
    chunk: Optional[bytes]
    buffers: Dict[int, bytes]


def read_document(path: str) -> GltfDocument:
    """Read a `.gltf` or `.glb` file, whatever its name is.

    Raises:
        BrokenMesh: it is not glTF 2.0, is cut off, or requires an extension.
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
    place = GLB_HEADER
    while place < total:
        if place + CHUNK_HEADER > total:
            raise BrokenMesh(f"byte {place}: a chunk is cut off", path)
        size, end = _word(data, place), place + CHUNK_HEADER + _word(data, place)
        if end > total:
            raise BrokenMesh(f"byte {place}: a chunk of {size} bytes reaches beyond the end at {total}", path)
        chunks.append((data[place + 4:place + 8], data[place + CHUNK_HEADER:end]))
        place = end
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise BrokenMesh(f"byte {GLB_HEADER}: the first chunk of a GLB is not its JSON", path)
    return chunks[0][1], chunks[1][1] if len(chunks) > 1 and chunks[1][0] == BIN_CHUNK else b""


def _word(data: bytes, place: int) -> int:
    return int.from_bytes(data[place:place + 4], "little")


def broken(document: GltfDocument, where: str, message: str) -> BrokenMesh:
    """Return the error that names the file and the place in its JSON, as `meshes[0].primitives[1]`."""
    return BrokenMesh(f"{where}: {message}", document.path)


def item(document: GltfDocument, collection: str, number: object, where: str) -> Json:
    """Return one object of a top-level list.

    Raises:
        BrokenMesh: there is none; `where` names it.
    """
    items = document.json.get(collection)
    if isinstance(number, bool) or not isinstance(number, int) or not isinstance(items, list) or not (
            0 <= number < len(items)) or not isinstance(items[number], dict):
        shown = json.dumps(number)[:40]
        raise broken(document, where, f"there is no {collection}[{shown}]")
    found: Json = items[number]
    return found


def children(document: GltfDocument, owner: Json, key: str, where: str) -> List[Any]:
    """Return a list of an object, [] where there is none."""
    found = owner.get(key, [])
    if not isinstance(found, list):
        raise broken(document, where, f"'{key}' is not a list")
    return found


def child(document: GltfDocument, owner: Json, key: str, where: str) -> Json:
    """Return an object of an object, {} where there is none."""
    found = owner.get(key, {})
    if not isinstance(found, dict):
        raise broken(document, where, f"'{key}' is not an object")
    return found


def whole(document: GltfDocument, owner: Json, key: str, where: str, missing: Optional[int] = None) -> int:
    """Return a whole number of at least 0."""
    found = owner.get(key, missing)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 1 << 53:
        raise broken(document, where, f"'{key}' is not a whole number of at least 0")
    return found


def floats(document: GltfDocument, owner: Json, key: str, where: str, missing: Sequence[float]) -> List[float]:
    """Return a list of as many numbers as `missing` has."""
    found = owner.get(key, missing)
    if not isinstance(found, (list, tuple)) or len(found) != len(missing) or not all(map(_is_number, found)):
        raise broken(document, where, f"'{key}' is not {len(missing)} numbers")
    return [float(value) for value in found]


def one_float(document: GltfDocument, owner: Json, key: str, where: str, missing: float) -> float:
    """Return a number."""
    found = owner.get(key, missing)
    if not _is_number(found):
        raise broken(document, where, f"'{key}' is not a number")
    return float(found)


def _is_number(value: object) -> bool:
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:
        return False


def label(owner: Json) -> str:
    """Return the name of an object, "" where it has none."""
    name = owner.get("name")
    return name if isinstance(name, str) else ""


def buffer_bytes(document: GltfDocument, number: object, where: str) -> bytes:
    """Return the bytes of a buffer: of the GLB, of a file beside it, or out of a data URI.

    Raises:
        BrokenMesh: they are not there, or are fewer than the buffer says.
    """
    buffer = item(document, "buffers", number, where)
    assert isinstance(number, int)
    if number not in document.buffers:
        place = f"buffers[{number}]"
        uri = buffer.get("uri")
        if uri is None:
            if number or document.chunk is None:
                raise broken(document, place, "there is no uri and no binary chunk")
            data = document.chunk
        elif isinstance(uri, str):
            data = uri_bytes(document, uri, place)
        else:
            raise broken(document, place, "'uri' is not text")
        length = whole(document, buffer, "byteLength", place)
        if length > len(data):
            raise broken(document, place, f"has {len(data)} bytes instead of {length}")
        document.buffers[number] = data[:length]
    return document.buffers[number]


def uri_bytes(document: GltfDocument, uri: str, where: str) -> bytes:
    """Return what a data URI holds, or the file beside the document that a URI names."""
    if uri.startswith("data:"):
        head, comma, body = uri.partition(",")
        if not comma or not head.endswith(";base64"):
            raise broken(document, where, "has a data URI that is not base64")
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            raise broken(document, where, "has a data URI with broken base64") from None
    found = find_beside(document.path, uri)
    if found is None:
        raise broken(document, where, f"the file '{uri[:200]}' is not there")
    try:
        return read_bytes(found)
    except BrokenMesh as problem:
        raise broken(document, where, f"the file '{os.path.basename(found)}' {problem.message}") from None


def view_bytes(document: GltfDocument, number: object, where: str) -> Tuple[bytes, int]:
    """Return the bytes of a bufferView and its stride, 0 where records follow each other.

    Raises:
        BrokenMesh: it reaches beyond its buffer.
    """
    view = item(document, "bufferViews", number, where)
    place = f"bufferViews[{number}]"
    data = buffer_bytes(document, view.get("buffer"), place)
    offset = whole(document, view, "byteOffset", place, 0)
    length = whole(document, view, "byteLength", place)
    stride = whole(document, view, "byteStride", place, 0)
    if offset + length > len(data):
        raise broken(document, place, f"reaches to byte {offset + length} of a buffer of {len(data)}")
    if stride and not 4 <= stride <= 252:
        raise broken(document, place, f"has a byteStride of {stride}")
    return data[offset:offset + length], stride
