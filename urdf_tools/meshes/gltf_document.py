"""A glTF 2.0 document: the JSON of a `.gltf` or `.glb` with its buffers, and checked access to its values.

Accessors may have any component type, and be interleaved, sparse or absent (zeros); bounds are checked first.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import sys
from array import array
from math import isfinite
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, TYPE_CHECKING

from ..base.type_aliases import Json
from ..base.errors import BrokenMesh, UnopenedMesh
from ..base.record_type import Record
from .read_mesh_files import find_beside, read_bytes
from .mesh_content import FLOAT, Floats, MAX_TRIANGLES, NUMBER, Numbers

GLB_MAGIC = b"glTF"
# The header is magic, version and length; a chunk begins with length and type; 4 bytes each.
GLB_HEADER = 12
CHUNK_HEADER = 8
JSON_CHUNK = b"JSON"
BIN_CHUNK = b"BIN\0"
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
WHITE_OF = {"B": 255, "H": 65535}  # by the type of an array: the largest integers represent 1
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
MAX_RECORDS = 3 * MAX_TRIANGLES
FIRST_BUFFER = "buffers[0]"


class GltfDocument(Record):
    """The JSON of a file and the bytes of its `BIN` chunk; `buffers` caches the buffers by location."""

    path: str
    json: Json
    chunk: Optional[bytes]
    buffers: Dict[str, bytes]


class GltfObject(Record):
    """An object in the JSON of a document, with its location there, such as `meshes[0].primitives[1]`.

    All methods raise BrokenMesh, with the location, if a value is not as required.
    """

    document: GltfDocument
    json: Json
    where: str

    def broken(self, message: str) -> BrokenMesh:
        """Return an error with the file and the location."""
        return BrokenMesh(f"{self.where}: {message}", self.document.path)

    def item(self, collection: str, number: object) -> "GltfObject":
        """Return the object of a top-level list that this object refers to by number."""
        items = self.document.json.get(collection)
        if (
            # JSON's `true` is an `int` in Python.
            isinstance(number, bool)
            or not isinstance(number, int)
            or not isinstance(items, list)
            or not (0 <= number < len(items))
            or not isinstance(items[number], dict)
        ):
            raise self.broken(f"there is no {collection}[{json.dumps(number)[:40]}]")
        return GltfObject(self.document, items[number], f"{collection}[{number}]")

    def children(self, key: str) -> List[Any]:
        """Return the list at a key, or []."""
        entries = self.json.get(key, [])
        if not isinstance(entries, list):
            raise self.broken(f"'{key}' is not a list")
        return entries

    def child(self, key: str) -> "GltfObject":
        """Return the object at a key, or an empty object, with the location of this object."""
        entry = self.json.get(key, {})
        if not isinstance(entry, dict):
            raise self.broken(f"'{key}' is not an object")
        return self._replace(json=entry)

    def at(self, key: str) -> "GltfObject":
        """Return this object with the location of its value at a key."""
        return self._replace(where=f"{self.where}.{key}")

    def whole(self, key: str, missing: Optional[int] = None) -> int:
        """Return the whole number of at least 0 at a key, or `missing`."""
        value = self.json.get(key, missing)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 53:
            raise self.broken(f"'{key}' is not a whole number of at least 0")
        return value

    def floats(self, key: str, missing: Sequence[float]) -> List[float]:
        """Return the list of numbers at a key, with the length of `missing`, or `missing` itself."""
        values = self.json.get(key, missing)
        if (
            not isinstance(values, (list, tuple))
            or len(values) != len(missing)
            or not all(map(_is_number, values))
        ):
            raise self.broken(f"'{key}' is not {len(missing)} numbers")
        return [float(value) for value in values]

    def one_float(self, key: str, missing: float) -> float:
        """Return the number at a key, or `missing`."""
        value = self.json.get(key, missing)
        if not _is_number(value):
            raise self.broken(f"'{key}' is not a number")
        return float(value)

    @property
    def label(self) -> str:
        """The name of this object, or ""."""
        name = self.json.get("name")
        return name if isinstance(name, str) else ""


def read_document(path: str) -> GltfObject:
    """Read a `.gltf` or `.glb` file, and return all of its JSON; its first bytes decide the kind, not its name.

    Raises:
        BrokenMesh: the file is not glTF 2.0, is truncated, or requires an extension.
    """
    data = read_bytes(path)
    text, chunk = _glb_chunks(path, data) if data.startswith(GLB_MAGIC) else (data, None)
    if len(text) > MAX_JSON_BYTES:
        raise BrokenMesh(f"has more than {MAX_JSON_BYTES} bytes of JSON", path)
    try:
        content = json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as problem:
        # A binary file has no lines that an editor could show.
        line = problem.lineno
        where = ""
        if chunk is not None:
            line = 0
            where = f" at byte {GLB_HEADER + CHUNK_HEADER + problem.pos}"
        raise BrokenMesh(
            f"is not glTF: its JSON is broken{where} ({problem.msg})", path, line
        ) from None
    except UnicodeDecodeError as problem:
        raise BrokenMesh(
            f"is not glTF: byte {problem.start} of its JSON is not UTF-8", path
        ) from None
    except (ValueError, RecursionError):
        raise BrokenMesh(
            "is not glTF: its JSON has a number too long or is nested too deeply", path
        ) from None
    if not isinstance(content, dict):
        content = {}
    document = GltfDocument(path, content, chunk, {})
    asset = document.json.get("asset")
    version = asset.get("version") if isinstance(asset, dict) else None
    if not isinstance(version, str) or not version.startswith("2."):
        raise BrokenMesh(f"is not glTF 2.0: asset.version is {json.dumps(version)[:40]}", path)
    # Extensions that are only "used" may be ignored. A required extension changes the meaning of the file: Draco, for
    # example, packs the triangles.
    required = document.json.get("extensionsRequired")
    if required:
        names = ", ".join(map(str, required)) if isinstance(required, list) else str(required)
        raise UnopenedMesh(
            f"requires {names[:200]}, which is not read here; write the file without that extension",
            path,
        )
    return GltfObject(document, document.json, "glTF")


def _glb_chunks(path: str, data: bytes) -> Tuple[bytes, Optional[bytes]]:
    """Return the JSON and the first `BIN` chunk (b"" if missing) of a binary glTF."""
    if len(data) < GLB_HEADER:
        raise BrokenMesh(f"ends at byte {len(data)}, within the header of a GLB", path)
    version = _word(data, 4)
    total = _word(data, 8)
    if version != 2:
        raise BrokenMesh(f"is a GLB of version {version} instead of 2", path)
    if total > len(data):
        raise BrokenMesh(f"ends at byte {len(data)} instead of {total}", path)
    chunks: List[Tuple[bytes, bytes]] = []
    offset = GLB_HEADER
    while offset < total:
        if offset + CHUNK_HEADER > total:
            raise BrokenMesh(f"byte {offset}: a chunk is cut off", path)
        size = _word(data, offset)
        end = offset + CHUNK_HEADER + _word(data, offset)
        if end > total:
            raise BrokenMesh(
                f"byte {offset}: a chunk of {size} bytes reaches beyond the end at {total}", path
            )
        chunks.append((data[offset + 4 : offset + 8], data[offset + CHUNK_HEADER : end]))
        offset = end
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise BrokenMesh(f"byte {GLB_HEADER}: the first chunk of a GLB is not its JSON", path)
    # By the specification JSON is first, and BIN second if it exists.
    binary = b""
    if len(chunks) > 1 and chunks[1][0] == BIN_CHUNK:
        binary = chunks[1][1]
    return chunks[0][1], binary


def _word(data: bytes, offset: int) -> int:
    """Return the unsigned 32-bit integer at an offset."""
    return int.from_bytes(data[offset : offset + 4], "little")


def _is_number(value: object) -> bool:
    """Return True for a finite number of JSON; `true` is not a number."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:
        return False


def buffer_bytes(buffer: GltfObject) -> bytes:
    """Return the bytes of a buffer: from the GLB, from a file beside it, or from a data URI.

    Raises:
        BrokenMesh: the bytes do not exist, or are fewer than `byteLength`.
    """
    document, where = buffer.document, buffer.where
    if where not in document.buffers:
        uri = buffer.json.get("uri")
        if uri is None:
            # Only the first buffer can be the binary chunk.
            if where != FIRST_BUFFER or document.chunk is None:
                raise buffer.broken("there is no uri and no binary chunk")
            data = document.chunk
        elif isinstance(uri, str):
            data = uri_bytes(buffer, uri)
        else:
            raise buffer.broken("'uri' is not text")
        # The binary chunk may be longer, because it is padded to 4 bytes.
        length = buffer.whole("byteLength")
        if length > len(data):
            raise buffer.broken(f"has {len(data)} bytes instead of {length}")
        document.buffers[where] = data[:length]
    return document.buffers[where]


def uri_bytes(owner: GltfObject, uri: str) -> bytes:
    """Return the bytes in a data URI, or of the file beside the document that the URI names."""
    if uri.startswith("data:"):
        head, comma, body = uri.partition(",")
        if not comma or not head.endswith(";base64"):
            raise owner.broken("has a data URI that is not base64")
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            raise owner.broken("has a data URI with broken base64") from None
    file = find_beside(owner.document.path, uri)
    if file is None:
        raise owner.broken(f"the file '{uri[:200]}' is not there")
    try:
        return read_bytes(file)
    except BrokenMesh as problem:
        raise owner.broken(f"the file '{os.path.basename(file)}' {problem.message}") from None


def view_bytes(owner: GltfObject) -> Tuple[bytes, int]:
    """Return the bytes of an object's bufferView and its stride in bytes, which is 0 for records without gaps.

    Raises:
        BrokenMesh: the bufferView reaches beyond its buffer.
    """
    view = owner.item("bufferViews", owner.json.get("bufferView"))
    data = buffer_bytes(view.item("buffers", view.json.get("buffer")))
    offset, length = view.whole("byteOffset", 0), view.whole("byteLength")
    stride = view.whole("byteStride", 0)
    if offset + length > len(data):
        raise view.broken(f"reaches to byte {offset + length} of a buffer of {len(data)}")
    if stride and not 4 <= stride <= 252:  # by the specification
        raise view.broken(f"has a byteStride of {stride}")
    return data[offset : offset + length], stride


if TYPE_CHECKING:
    Column = array[Any]
else:
    Column = array


def float_records(owner: GltfObject, key: str, kind: str, *, fixed_point: bool = False) -> Floats:
    """Return the numbers of an accessor of float32 vectors; with `fixed_point` normalized whole numbers are accepted too.

    Raises:
        BrokenMesh: the accessor has a different type, or reaches beyond its bytes.
    """
    place = owner.at(key)
    accessor = place.item("accessors", owner.json[key])
    component = accessor.json.get("componentType", 0)
    # Texture coordinates may be bytes or 16 bit numbers, as parts of 255 or 65535.
    normalized = (
        fixed_point and accessor.json.get("normalized") is True and component in (5121, 5123)
    )
    if accessor.json.get("type") != kind or not (component == FLOAT_COMPONENT or normalized):
        raise accessor.broken(f"is not {kind} of float32, as {place.where} needs it")
    values = all_values(accessor)
    if normalized:
        _, divisor = COMPONENTS[int(component)]
        values = array(FLOAT, [value / divisor for value in values])
    return values


def index_records(owner: GltfObject, key: str) -> Numbers:
    """Return the numbers of an accessor of indices, of any width.

    Raises:
        BrokenMesh: the accessor has a different type, or reaches beyond its bytes.
    """
    place = owner.at(key)
    accessor = place.item("accessors", owner.json[key])
    component = accessor.json.get("componentType")
    if accessor.json.get("type") != "SCALAR" or component not in INDEX_COMPONENTS:
        raise accessor.broken(f"is not SCALAR of unsigned whole numbers, as {place.where} needs it")
    return array(NUMBER, all_values(accessor))


def all_values(accessor: GltfObject) -> Column:
    """Return all numbers of an accessor, with the records of its sparse part replaced."""
    count = accessor.whole("count")
    # Checked before any allocation: an accessor without a bufferView needs no bytes in the file.
    if count > MAX_RECORDS:
        raise accessor.broken(f"has more than {MAX_RECORDS} records")
    component = int(accessor.json["componentType"])
    width = WIDTHS[str(accessor.json["type"])]
    # An accessor without a bufferView is all zeros, for its sparse part to replace.
    if "bufferView" in accessor.json:
        values = _values(accessor, component, width, count)
    else:
        code, _ = COMPONENTS[component]
        values = array(code, bytes(array(code).itemsize * width * count))
    if "sparse" in accessor.json:
        _fill_sparse(accessor.child("sparse").at("sparse"), values, component, width, count)
    return values


def colors_of_points(attributes: GltfObject) -> Iterator[bytes]:
    """Yield the colors of the points of a primitive, set by set.

    Sets that are all white are skipped, because the material is multiplied by the colors; unreadable sets too.
    """
    for key in sorted(attributes.json):
        if key.startswith("COLOR_"):
            try:
                values = all_values(attributes.item("accessors", attributes.json[key]))
            except BrokenMesh:
                continue
            white = WHITE_OF.get(values.typecode, 1.0)
            if any(value != white for value in values):
                yield values.tobytes()


def _fill_sparse(
    sparse: GltfObject, values: Column, component: int, width: int, count: int
) -> None:
    """Replace the records that the sparse part of an accessor changes."""
    changed = sparse.whole("count")
    if changed > count:
        raise sparse.broken(f"changes {changed} of {count} records")
    indices = sparse.child("indices").at("indices")
    kind = indices.json.get("componentType")
    if kind not in INDEX_COMPONENTS:
        raise indices.broken("is not of unsigned whole numbers")
    targets = _values(indices, int(kind), 1, changed)
    if max(targets, default=-1) >= count:
        raise indices.broken(f"has {max(targets)}, but there are {count} records")
    records = _values(sparse.child("values").at("values"), component, width, changed)
    for number, target in enumerate(targets):
        values[width * target : width * (target + 1)] = records[
            width * number : width * (number + 1)
        ]


def _values(owner: GltfObject, component: int, width: int, count: int) -> Column:
    """Return `count` records of `width` numbers from the bufferView of an accessor or its sparse part."""
    code, _ = COMPONENTS[component]
    data, stride = view_bytes(owner)
    offset = owner.whole("byteOffset", 0)
    values = array(code)
    record = values.itemsize * width
    stride = stride or record
    if stride < record:
        raise owner.broken(f"has records of {record} bytes every {stride} bytes")
    # The last record is not followed by a gap.
    end = offset + stride * (count - 1) + record if count else offset
    if end > len(data):
        raise owner.broken(f"reads to byte {end} of a bufferView of {len(data)}")
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
