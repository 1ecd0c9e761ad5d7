"""The proof of every run that mesh files have the content of their source: each is read back by the ordinary readers.

Corners are compared triangle by triangle, as float32 values: if they are equal, so are the number of triangles, the
box, the area and the signed volume, without a tolerance. Normals and texture coordinates have fewer digits in OBJ, and
are compared with a tolerance there.
"""

from __future__ import annotations

from array import array
from itertools import chain
from math import hypot, isfinite
from operator import sub
from struct import Struct
from typing import Iterable, Iterator, List, Sequence

from ..base.errors import BrokenMesh, ProofFailed
from ..collada.binary_stl import stl_count, stl_record_blocks
from .read_mesh_files import read_mtl, WHITE
from .mesh_content import (
    byte_records,
    flat_triangles,
    Floats,
    FLOAT,
    gathered_bytes,
    gathered_records,
    is_in_order,
    little_endian,
    MeshMaterial,
    NUMBER,
    Numbers,
    Rgba,
    MaterialSurface,
)
from .gltf_document import GltfObject, float_records, index_records, read_document
from .gltf_reader import material_of, GltfReadingState
from .obj_reader import read_lines
from .write_mesh_files import gltf_image

# Each is larger than the error of the writers' rounding.
UV_STEP = 1e-5  # of texture coordinates, relative to 1 + value
COLOR_STEP = 1e-5  # of each number of a color
NORMAL_STEP = 1e-3  # of each component of a normal
UNIT_STEP = 5e-3  # of the length of a normal
STL_CORNERS = Struct("12x36s2x")  # of a record: normal, corners, attribute
POINT_BYTES = 12


def verify_obj(source: str, target: str, surface: MaterialSurface, read: MaterialSurface) -> None:
    """Verify the content read back from an OBJ against a surface that was read from `source`.

    Raises:
        ProofFailed: a triangle, a normal or a texture coordinate differs.
    """
    _verify_triangles(
        source,
        target,
        surface,
        len(read.corners),
        is_same=(
            read.corners == surface.corners
            and read.positions.tobytes() == surface.positions.tobytes()
        ),
    )
    # Normals of equal text share a number in the file. Each pair of numbers is compared once, because most corners
    # share theirs.
    ours, theirs = zip(*set(zip(surface.normal_corners, read.normal_corners)))
    try:
        wanted = gathered_records(surface.normals, 3, ours)
        normals = gathered_records(read.normals, 3, theirs)
    except IndexError:
        raise ProofFailed(f"a face in '{target}' has a number beyond its normals", source) from None
    _verify_normals(
        source,
        target,
        surface,
        is_same=(
            isfinite(sum(normals)) and max(map(abs, map(sub, normals, wanted))) <= NORMAL_STEP
        ),
    )
    if (
        read.uv_corners != surface.uv_corners
        or len(read.uv) != len(surface.uv)
        or not all(
            abs(value - other) <= UV_STEP * (1.0 + abs(other))
            for value, other in zip(read.uv, surface.uv)
        )
    ):
        raise ProofFailed(
            f"the texture coordinates of {_name(surface)} are not the same in '{target}'", source
        )


def verify_gltf(
    source: str,
    target: str,
    surfaces: Sequence[MaterialSurface],
    read_back: Sequence[MaterialSurface],
    up: str,
) -> None:
    """Verify the content read back from a glTF with up axis `up` against the surfaces that were read from `source`.

    Raises:
        ProofFailed: a triangle, a normal, a texture coordinate or an image differs, or a surface is missing.
    """
    if len(read_back) != len(surfaces):
        raise ProofFailed(f"'{target}' holds {len(read_back)} surfaces of {len(surfaces)}", source)
    for surface, read in zip(surfaces, read_back):
        _verify_triangles(
            source,
            target,
            surface,
            len(read.corners),
            is_same=_is_same(
                3, _turned(surface.positions, up), surface.corners, read.positions, read.corners
            ),
        )
        _verify_normals(
            source,
            target,
            surface,
            is_same=_is_same(
                3,
                _turned(surface.normals, up),
                surface.normal_corners,
                read.normals,
                read.normal_corners,
            ),
        )
        flipped = surface.uv[:]  # v goes down in glTF
        flipped[1::2] = array(FLOAT, [1.0 - v for v in surface.uv[1::2]])
        if not _is_same(2, flipped, surface.uv_corners, read.uv, read.uv_corners):
            raise ProofFailed(
                f"the texture coordinates of {_name(surface)} are not the same in '{target}'",
                source,
            )
        image_read = read.material.image.data if read.material.image else None
        if gltf_image(surface.material) != image_read:
            raise ProofFailed(
                f"the image of {_name(surface)} is not the same in '{target}'", source
            )


def _name(surface: MaterialSurface) -> str:
    """Return the name of a surface in messages."""
    return f"material '{surface.material.name or 'without a name'}'"


def _turned(values: Floats, up: str) -> Floats:
    """Return vectors x, y, z of a frame with +Z up in a frame with up axis `up`; with +Y up they are x, z, -y."""
    # `y_up` of the writer is not used here, because the proof would share its faults.
    if up == "z":
        return values
    turned = values[:]
    turned[1::3] = values[2::3]
    # `0.0 - value` is never -0.0, as in the written file.
    turned[2::3] = array(FLOAT, [0.0 - value for value in values[1::3]])
    return turned


def turned_back(values: Floats, up: str) -> Floats:
    """Return vectors of a frame with up axis `up` in a frame with +Z up."""
    if up == "z":
        return values
    turned = values[:]
    turned[1::3] = array(FLOAT, [0.0 - value for value in values[2::3]])
    turned[2::3] = values[1::3]
    return turned


def read_back_stl(names: Sequence[str]) -> Iterator[bytes]:
    """Yield the corners of binary STL files in sequence, in blocks of whole triangles."""
    for name in names:
        stl_count(name)
        for block in stl_record_blocks(name):
            yield b"".join(chain.from_iterable(STL_CORNERS.iter_unpack(block)))


def verify_flat(source: str, surface: MaterialSurface, numbers: Sequence[int]) -> None:
    """Verify that the triangles with the given numbers, which the STL writer omitted, have no area.

    Raises:
        ProofFailed: a triangle has an area.
    """
    corners = array(NUMBER)
    for number in numbers:
        corners += surface.corners[3 * number : 3 * number + 3]
    if numbers and len(flat_triangles(surface._replace(corners=corners))) != len(numbers):
        raise ProofFailed(f"a triangle of {_name(surface)} that has an area was left out", source)


def verify_stl(source: str, target: str, surface: MaterialSurface, blocks: Iterable[bytes]) -> None:
    """Verify the blocks of `read_back_stl` for the files of a surface that was read from `source`.

    Raises:
        ProofFailed: a triangle or the number of triangles differs.
    """
    in_order = is_in_order(surface)
    records = [] if in_order else byte_records(little_endian(surface.positions), POINT_BYTES)
    corner_count = 0
    is_same = True
    for block in blocks:
        end = corner_count + len(block) // POINT_BYTES
        if in_order:
            wanted = little_endian(surface.positions[3 * corner_count : 3 * end])
        else:
            wanted = b"".join(map(records.__getitem__, surface.corners[corner_count:end]))
        is_same = is_same and block == wanted
        corner_count = end
    _verify_triangles(source, target, surface, corner_count, is_same=is_same)


def _verify_triangles(
    source: str, target: str, surface: MaterialSurface, corners: int, *, is_same: bool
) -> None:
    """Refuse a file that differs from its surface in the number of corners, or in a triangle."""
    if corners != len(surface.corners):
        raise ProofFailed(
            f"{_name(surface)} has {len(surface.corners) // 3} triangles, but '{target}' holds"
            f" {corners // 3}",
            source,
        )
    if not is_same:
        raise ProofFailed(f"a triangle of {_name(surface)} is not the same in '{target}'", source)


def _verify_normals(source: str, target: str, surface: MaterialSurface, *, is_same: bool) -> None:
    """Refuse normals that are not of unit length, or that differ in the file."""
    lengths = list(map(hypot, *(surface.normals[axis::3] for axis in range(3))))
    if lengths and not 1.0 - UNIT_STEP < min(lengths) <= max(lengths) < 1.0 + UNIT_STEP:
        raise ProofFailed(f"a normal of {_name(surface)} has not length 1", source)
    if not is_same:
        raise ProofFailed(f"a normal of {_name(surface)} is not the same in '{target}'", source)


def _is_same(
    width: int, ours: Floats, our_corners: Numbers, theirs: Floats, their_corners: Numbers
) -> bool:
    """Return True if all corners have the same records: each of theirs equals a single record of ours."""
    if our_corners == their_corners and ours.tobytes() == theirs.tobytes():
        return True

    record_count = len(theirs) // width
    numbers: Sequence[int] = our_corners
    # Without renumbering, their corners 0, 1, 2, ... are ours in the same order.
    if record_count != len(their_corners) or their_corners != array(NUMBER, range(record_count)):
        numbers = renumbered = [0] * record_count
        try:
            for our, their in zip(our_corners, their_corners):
                renumbered[their] = our
        except IndexError:
            return False
        # Fails if one record of theirs represents two different records of ours.
        if array(NUMBER, list(map(renumbered.__getitem__, their_corners))) != our_corners:
            return False
    return gathered_bytes(ours, width, numbers) == theirs.tobytes()


def read_back_obj(path: str) -> MaterialSurface:
    """Return the content of an OBJ of one surface, with the numbers in the file.

    Raises:
        ProofFailed: the file cannot be read, or does not have faces of exactly one material.
    """
    try:
        obj = read_lines(path)
    except BrokenMesh as problem:
        raise ProofFailed(problem.message, path) from None
    if len(obj.faces) != 1:
        raise ProofFailed("its faces are not those of one material", path)
    (faces,) = obj.faces.values()
    uv = obj.values[b"vt"]
    uv_corners = faces.uv if uv else faces.uv[:0]
    return MaterialSurface(
        MeshMaterial(),
        positions=obj.values[b"v"],
        corners=faces.corners,
        normals=obj.values[b"vn"],
        normal_corners=faces.normals,
        uv=uv,
        uv_corners=uv_corners,
    )


def read_back_gltf(path: str) -> List[MaterialSurface]:
    """Return the primitives of a `.glb` or `.gltf`, in the axes of the file.

    Raises:
        ProofFailed: the file cannot be read.
    """
    try:
        return [*_primitives(read_document(path))]
    except BrokenMesh as problem:
        raise ProofFailed(problem.message, path) from None


def _primitives(top: GltfObject) -> Iterator[MaterialSurface]:
    """Yield the primitives of the single mesh in a glTF that this tool wrote.

    Raises:
        BrokenMesh: the glTF is not of this form.
    """
    # Version 2.1 may mean a different format to other readers.
    if top.json["asset"]["version"] != "2.0":
        raise BrokenMesh("it is not glTF 2.0")
    reading = GltfReadingState({}, {}, {}, {}, shape_only=False)
    for content in top.json["meshes"][0]["primitives"]:
        primitive = top._replace(json=content, where="primitive")
        attributes = primitive.child("attributes")
        positions = _records_of(attributes, "POSITION", "VEC3")
        normals = _records_of(attributes, "NORMAL", "VEC3")
        uv = _records_of(attributes, "TEXCOORD_0", "VEC2")
        corners = index_records(primitive, "indices")
        bounds = attributes.item("accessors", attributes.json["POSITION"]).json
        columns = [positions[axis::3] for axis in range(3)]
        if [*map(min, columns)] != bounds["min"] or [*map(max, columns)] != bounds["max"]:
            raise BrokenMesh("the bounds of its positions are not those of its numbers")
        material, _ = material_of(reading, primitive)
        # In glTF a single index counts for all records of a corner. A surface without records of a kind has no corners
        # for it.
        none = corners[:0]
        normal_corners = corners if normals else none
        uv_corners = corners if uv else none
        yield MaterialSurface(
            material,
            positions=positions,
            corners=corners,
            normals=normals,
            normal_corners=normal_corners,
            uv=uv,
            uv_corners=uv_corners,
        )


def _records_of(attributes: GltfObject, name: str, kind: str) -> Floats:
    """Return the numbers of an attribute, empty if the primitive lacks it."""
    return float_records(attributes, name, kind) if name in attributes.json else array(FLOAT)


def verify_mtl(path: str, material: MeshMaterial, image_name: str, rgba: Rgba) -> None:
    """Verify that an MTL file has a single entry, with the image and the color of a material, or `rgba` by default.

    Raises:
        ProofFailed: the number of entries, the image or a color differs.
    """
    entries = list(read_mtl(path).values())
    *color, alpha = material.rgba or rgba
    if image_name:
        color = list(material.tint or WHITE)
    wanted = {"kd": color, "d": [alpha], "ke": list(material.emission)}
    is_same = [entry.image for entry in entries] == [image_name]
    if is_same:
        for key, others in wanted.items():
            # A value missing in the MTL is 0.
            values = entries[0].numbers.get(key, [0.0] * len(others))
            is_same = is_same and all(abs(a - b) <= COLOR_STEP for a, b in zip(values, others))
    if not is_same:
        raise ProofFailed(f"the material '{material.name}' does not look as in its source", path)
