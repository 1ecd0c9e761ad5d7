"""Materials of OBJ files, from their MTL, for MuJoCo: it reads neither MTL nor more than the first object of a file."""

from __future__ import annotations

import re
import zlib
from math import fsum
from typing import Dict, List, Optional, Sequence, Set

from ...base.type_aliases import Texts
from ...base.diagnostics import Diagnostic, Diagnostics
from ...base.errors import BrokenMesh
from ...base.record_type import Record
from ...formats.export_diagnostics import EXPORT_LOOK
from ...meshes.read_mesh_files import (
    MtlEntry,
    find_map,
    image_ending,
    read_bytes,
    read_entries,
)
from ...meshes.first_obj_object import has_several_objects
from ...model.export_options import MeshLook

STATEMENT = re.compile(rb"\n[ \t]*(mtllib|usemtl)\b[ \t]*([^\r\n]*)")
FACE = re.compile(rb"\n[ \t]*f[ \t]")
# A corner of a face as `1`, `1/` or `1//2`: MuJoCo takes the texture coordinates of all corners, or none.
CORNER_WITHOUT_UV = re.compile(rb"\n[ \t]*f(?=[ \t])[^\n]*?[ \t]-?\d+(?:/|//-?\d+)?(?=\s)")
POINT_WITH_COLOR = re.compile(rb"\n[ \t]*v(?:[ \t]+[^\s#]+){6}")
LARGEST_SHININESS = 128.0  # MuJoCo's 1, and the largest exponent of OpenGL


class ObjMaterials(Record):
    """The content of an OBJ file besides its shape.

    Attributes:
        libraries: its MTL files, as it names them.
        materials: the materials with faces, in order; "" is no material.
        has_several: more objects than the first have faces.
        has_uv: every corner has a texture coordinate.
        has_points: its points have colors.
    """

    libraries: Texts
    materials: Texts
    has_several: bool
    has_uv: bool
    has_points: bool


class ObjLook(Record):
    """The look of an OBJ file.

    Attributes:
        obj: its contents besides the shape.
        look: the look, with the path of its image; None: the file contains no usable look.
        lost: the reason why an image is not shown, as a sentence of EXPORT_LOOK and its names; () without a loss.
        has_light: a material emits light.
    """

    obj: ObjMaterials
    look: Optional[MeshLook] = None
    lost: Texts = ()
    has_light: bool = False


def scan_obj(data: bytes) -> ObjMaterials:
    """Return the contents of an OBJ file besides its shape; faces are searched for, not read."""
    # With these line ends the first and the last line are found as all others.
    data = b"\n" + data + b"\n"
    statements = [*STATEMENT.finditer(data)]
    libraries: List[str] = []
    drawn: Dict[str, None] = {}
    material = ""
    start = 0
    for statement in statements:
        if FACE.search(data, start, statement.start() + 1):
            drawn[material] = None
        start = statement.end()
        key = statement.group(1)
        words = statement.group(2).decode("utf-8", "replace").strip()
        if key == b"mtllib":
            libraries.append(words)
        else:
            material = words
    if FACE.search(data, start):
        drawn[material] = None
    has_uv = bool(drawn) and b"\nvt" in data and not CORNER_WITHOUT_UV.search(data)
    return ObjMaterials(
        libraries=tuple(libraries),
        materials=tuple(drawn),
        has_several=has_several_objects(data),
        has_uv=has_uv,
        has_points=POINT_WITH_COLOR.search(data) is not None,
    )


def look_of_obj(path: str) -> ObjLook:
    """Return the look that the MTL of an OBJ file gives it.

    Raises:
        BrokenMesh: the OBJ cannot be read.
    """
    obj = scan_obj(read_bytes(path))
    try:
        entries = read_entries(path, obj.libraries, []) if obj.libraries else {}
    except BrokenMesh:  # MuJoCo reads no MTL, so a broken one is treated as missing
        entries = {}
    has_light = any(_has_light(entries[name]) for name in obj.materials if name in entries)
    if len(obj.materials) != 1 or not obj.libraries:
        return ObjLook(obj, has_light=has_light)
    entry = entries.get(obj.materials[0], MtlEntry())
    image = ""
    lost: Texts = ()
    if entry.image:
        image_path = find_map(path, entry.library, entry.image)
        lost = why_not_shown(entry.image, image_path, has_uv=obj.has_uv)
        image = image_path if image_path and not lost else ""
    return ObjLook(obj, _look(obj.materials[0], entry, image), lost, has_light)


def _has_light(entry: MtlEntry) -> bool:
    """Return True if a material emits light."""
    return any(entry.numbers.get("ke", ()))


def _look(name: str, entry: MtlEntry, image: str) -> Optional[MeshLook]:
    """Return the look of an MTL entry, if it has an image or a color; MuJoCo multiplies the image by the color."""
    kd = entry.numbers.get("kd")
    ks = entry.numbers.get("ks")
    if not image and not kd:
        return None
    red, green, blue = _rgb_of(kd) if kd else (1.0, 1.0, 1.0)
    (transparency, *_) = entry.numbers.get("tr", [0.0])
    (alpha, *_) = entry.numbers.get("d", [1.0 - transparency])
    # An alpha of 0 would hide the mesh, and is taken as opaque.
    opacity = _share(alpha) or 1.0
    shine = entry.numbers.get("ns")
    return MeshLook(
        name=name,
        rgba=(_share(red), _share(green), _share(blue), opacity),
        image=image,
        specular=_share(fsum(ks) / len(ks)) if ks else None,
        shininess=_share(shine[0] / LARGEST_SHININESS) if shine else None,
    )


def _rgb_of(kd: Sequence[float]) -> Sequence[float]:
    """Return red, green and blue of an MTL color, which may be a single number for a gray."""
    return kd if len(kd) == 3 else (*kd[:1],) * 3


def _share(value: float) -> float:
    """Return a number between 0 and 1."""
    return min(max(value, 0.0), 1.0)


def why_not_shown(image: str, path: Optional[str], *, has_uv: bool) -> Texts:
    """Return the reason why MuJoCo cannot show an image on a mesh: a sentence of EXPORT_LOOK and its names; (): it can."""
    if path is None:
        return "image-missing", image
    if not has_uv:
        return "image-no-coordinates", image
    try:
        data = read_bytes(path)
    except BrokenMesh as problem:
        return "image-unreadable", image, problem.message
    if image_ending(data) != ".png":
        return "image-format", image
    return () if is_whole_png(data) else ("image-damaged", image)


def is_whole_png(data: bytes) -> bool:
    """Return True if every chunk of a PNG has its checksum, up to the last, and its pixels can be unpacked.

    MuJoCo refuses the whole model for a broken PNG; see https://www.w3.org/TR/png-3/, "5 Datastream structure".
    """
    # After 8 bytes of signature, each chunk is length, kind, data and checksum; all of 4 bytes except the data.
    start = 8
    pixels = []
    kind = b""
    while start + 12 <= len(data) and kind != b"IEND":
        length = int.from_bytes(data[start : start + 4], "big")
        kind = data[start + 4 : start + 8]
        end = start + 8 + length
        checksum = int.from_bytes(data[end : end + 4], "big")
        if end + 4 > len(data) or checksum != zlib.crc32(data[start + 4 : end]):
            return False
        if kind == b"IDAT":
            pixels.append(data[start + 8 : end])
        start = end + 4
    inflater = zlib.decompressobj()
    try:
        for piece in pixels:
            while piece:  # in steps, as a few bytes may unpack to gigabytes
                inflater.decompress(piece, 1 << 20)
                piece = inflater.unconsumed_tail
    except zlib.error:
        return False
    return kind == b"IEND" and inflater.eof


def lost_looks(objs: Dict[str, ObjLook], seen: Set[str], in_stl: Sequence[str]) -> Diagnostics:
    """Return notes on the looks of OBJ files that MuJoCo does not show.

    `objs` are by the names of their files, `seen` are the names of visuals, `in_stl` the images of meshes that became STL.
    """
    notes: List[Texts] = [("objects", name) for name, obj in objs.items() if obj.obj.has_several]
    notes += [
        ("materials", name)
        for name, obj in objs.items()
        if name in seen and len(obj.obj.materials) > 1 and not obj.obj.has_several
    ]
    notes += [("light", name) for name in sorted(seen & objs.keys()) if objs[name].has_light]
    notes += [("points", name) for name in sorted(seen & objs.keys()) if objs[name].obj.has_points]
    notes += sorted({objs[name].lost for name in seen & objs.keys() if objs[name].lost})
    notes += [("image-stl", image) for image in sorted(set(in_stl))]
    return [Diagnostic(EXPORT_LOOK, 0, sentence, (*names, "MJCF")) for sentence, *names in notes]
