"""Write Wavefront OBJ with its MTL: one surface in a file, in a form that Drake, MuJoCo, RViz, Gazebo and trimesh read.

They need: normals at every corner (Drake draws no mesh without), no `o` and no `g` (MuJoCo loads the first group only),
names without blanks, one material with `Kd` in an MTL in the same folder, ASCII without a byte order mark.
"""
from array import array
from collections import defaultdict
from itertools import count
from typing import BinaryIO, DefaultDict, List, Sequence

from ..urdf.mesh_paths import safe_stem
from .form import Floats, Material, NUMBER, Numbers, Rgba, Surface
from .joining import shifted

OBJ_HEADER = b"# OBJ written by urdf_simplify\n"
MTL_HEADER = "# MTL written by urdf_simplify\n"
GRAY: Rgba = (0.6, 0.6, 0.6, 1.0)
BLOCK = 4096


def write_obj(surface: Surface, path: str, library: str = "") -> None:
    """Write a surface with normals; `library` is the base name of its MTL, "" for a collision, which has none."""
    with open(path, "wb") as stream:
        stream.write(OBJ_HEADER)
        if library:
            stream.write(f"mtllib {library}\n".encode("ascii"))
        # Nine significant digits are enough to read every float32 back exactly.
        _write_lines(stream, b"v %.9g %.9g %.9g\n", 3, surface.positions)
        if surface.uv:
            _write_lines(stream, b"vt %.7g %.7g\n", 2, surface.uv)
        normal_numbers = _write_normals(stream, surface.normals)
        if library:
            stream.write(f"usemtl {material_name(surface.material)}\n".encode("ascii"))
        if surface.normal_corners is surface.corners and (not surface.uv or surface.uv_corners is surface.corners):
            numbers = range(1, 1 + len(surface.positions) // 3)
            texts = [b"%d/%d/%d" % (k, k, n) for k, n in zip(numbers, normal_numbers)] if surface.uv else [
                b"%d//%d" % pair for pair in zip(numbers, normal_numbers)]
            _write_shared_faces(stream, texts, surface.corners)
        else:
            _write_faces(stream, surface, normal_numbers)


def _write_shared_faces(stream: BinaryIO, texts: Sequence[bytes], corners: Numbers) -> None:
    """Write faces whose corners have one number for all columns: the text of each number is made once."""
    for start in range(0, len(corners), 3 * BLOCK):
        block = corners[start:start + 3 * BLOCK]
        stream.write(b"f %b %b %b\n" * (len(block) // 3) % tuple(map(texts.__getitem__, block)))


def _write_faces(stream: BinaryIO, surface: Surface, normal_numbers: Sequence[int]) -> None:
    """Write faces whose corners have different numbers for position, texture coordinate and normal."""
    columns = [shifted(column, 1)
               for column in ((surface.corners, surface.uv_corners) if surface.uv else (surface.corners,))]
    columns.append(array(NUMBER, list(map(normal_numbers.__getitem__, surface.normal_corners))))
    corner = b"%d/%d/%d" if surface.uv else b"%d//%d"
    numbers = array(NUMBER, bytes(4 * len(columns) * len(surface.corners)))
    for index, column in enumerate(columns):
        numbers[index::len(columns)] = column
    _write_lines(stream, b"f %b %b %b\n" % (corner, corner, corner), 3 * len(columns), numbers)


def _write_lines(stream: BinaryIO, line: bytes, width: int, numbers: "Floats | Numbers") -> None:
    """Write records of `width` numbers; a block of lines is formatted at once."""
    size = BLOCK * width
    for start in range(0, len(numbers), size):
        block = numbers[start:start + size]
        stream.write(line * (len(block) // width) % tuple(block))


def _write_normals(stream: BinaryIO, normals: Floats) -> List[int]:
    """Write the normals, those of equal text once, and return the number of each in the file, from 1."""
    texts: DefaultDict[bytes, int] = defaultdict(count(1).__next__)
    file_numbers: List[int] = []
    for start in range(0, len(normals), 3 * BLOCK):
        block = normals[start:start + 3 * BLOCK]
        lines = (b"vn %.4g %.4g %.4g\n" * (len(block) // 3) % tuple(block)).splitlines(True)
        file_numbers += map(texts.__getitem__, lines)
    stream.write(b"".join(texts))
    return file_numbers


def material_name(material: Material) -> str:
    """Return a name without blanks for a material."""
    return safe_stem(material.name, "material")


def mtl_bytes(material: Material, image_name: str, rgba: Rgba = GRAY) -> bytes:
    """Return the MTL of a material; `rgba` is for one without a color, `image_name` is the image beside it or "".

    Colors are sRGB numbers, as in COLLADA.  With an image Kd is white, as Drake multiplies the image by it.
    """
    red, green, blue, alpha = material.rgba or rgba
    if image_name:
        red = green = blue = 1.0
    lines = [f"newmtl {material_name(material)}", "Ka 0 0 0", f"Kd {red:.6g} {green:.6g} {blue:.6g}", "Ks 0 0 0",
             "Ns 10", f"d {alpha:.6g}", "illum 1"]
    if any(material.emission):
        lines.insert(3, "Ke {:.6g} {:.6g} {:.6g}".format(*material.emission))
    if image_name:
        lines.append(f"map_Kd {image_name}")
    return (MTL_HEADER + "\n".join(lines) + "\n").encode("ascii")
