"""Read the numbers of glTF accessors: any component type, interleaved, sparse or absent (zeros); bounds are checked."""
import sys
from array import array
from typing import Any, Dict, Tuple, TYPE_CHECKING

from .form import Floats, FLOAT, MAX_TRIANGLES, NUMBER, Numbers
from .gltf_document import broken, child, GltfDocument, item, Json, view_bytes, whole

if TYPE_CHECKING:
    Column = array[Any]
else:
    Column = array

# Component type: type code of `array`, and the divisor of normalized numbers.
COMPONENTS: Dict[int, Tuple[str, float]] = {5120: ("b", 127.0), 5121: ("B", 255.0), 5122: ("h", 32767.0),
                                            5123: ("H", 65535.0), 5125: ("I", 0.0), 5126: ("f", 0.0)}
FLOAT_COMPONENT = 5126
INDEX_COMPONENTS = (5121, 5123, 5125)
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
MAX_RECORDS = 3 * MAX_TRIANGLES


def float_records(document: GltfDocument, number: object, kind: str, where: str, *,
                  fixed_point: bool = False) -> Floats:
    """Return the numbers of an accessor of float32 vectors; with `fixed_point` also of normalized whole numbers.

    Raises:
        BrokenMesh: it has another type, or reaches beyond its bytes.
    """
    accessor, location = item(document, "accessors", number, where), f"accessors[{number}]"
    component = accessor.get("componentType", 0)
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
        raise broken(document, location, f"is not SCALAR of unsigned whole numbers, as {where} needs it")
    return array(NUMBER, _all_values(document, accessor, location))


def _all_values(document: GltfDocument, accessor: Json, location: str) -> Column:
    """Return all numbers of an accessor, with the records of its sparse part replaced."""
    count = whole(document, accessor, "count", location)
    if count > MAX_RECORDS:
        raise broken(document, location, f"has more than {MAX_RECORDS} records")
    component, width = int(accessor["componentType"]), WIDTHS[str(accessor["type"])]
    if "bufferView" in accessor:
        values = _values(document, accessor, component, width, count, location)
    else:
        code, _ = COMPONENTS[component]
        values = array(code, bytes(array(code).itemsize * width * count))
    if "sparse" in accessor:
        _fill_sparse(document, child(document, accessor, "sparse", location), values, component, width, count, location)
    return values


def _fill_sparse(document: GltfDocument, sparse: Json, values: Column, component: int, width: int, count: int,
                 location: str) -> None:
    """Replace the records that the sparse part of an accessor changes."""
    changed = whole(document, sparse, "count", f"{location}.sparse")
    if changed > count:
        raise broken(document, f"{location}.sparse", f"changes {changed} of {count} records")
    indices = child(document, sparse, "indices", f"{location}.sparse")
    if indices.get("componentType") not in INDEX_COMPONENTS:
        raise broken(document, f"{location}.sparse.indices", "is not of unsigned whole numbers")
    targets = _values(document, indices, int(indices["componentType"]), 1, changed, f"{location}.sparse.indices")
    if max(targets, default=-1) >= count:
        raise broken(document, f"{location}.sparse.indices", f"has {max(targets)}, but there are {count} records")
    records = _values(document, child(document, sparse, "values", f"{location}.sparse"), component, width, changed,
                      f"{location}.sparse.values")
    for number, target in enumerate(targets):
        values[width * target:width * (target + 1)] = records[width * number:width * (number + 1)]


def _values(document: GltfDocument, owner: Json, component: int, width: int, count: int, location: str) -> Column:
    """Return `count` records of `width` numbers from the bufferView of an accessor or its sparse part."""
    code, _ = COMPONENTS[component]
    data, stride = view_bytes(document, owner.get("bufferView"), location)
    offset = whole(document, owner, "byteOffset", location, 0)
    values = array(code)
    record = values.itemsize * width
    stride = stride or record
    if stride < record:
        raise broken(document, location, f"has records of {record} bytes every {stride} bytes")
    end = offset + stride * (count - 1) + record if count else offset
    if end > len(data):
        raise broken(document, location, f"reads to byte {end} of a bufferView of {len(data)}")
    if stride != record:  # interleaved: copied byte column by byte column, which needs no loop over records
        packed = bytearray(record * count)
        for byte in range(record):
            packed[byte::record] = data[offset + byte:end:stride]
        values.frombytes(packed)
    else:
        values.frombytes(data[offset:end])
    if sys.byteorder == "big":
        values.byteswap()
    return values
