"""The conversion of a mesh file to files of a different format in a folder, with a proof of each file.

As in the conversion of COLLADA to STL, files only get numbers here, so that a conversion can run in its own process.
`name_files` then gives them their names, which OBJ, MTL and glTF also contain.
"""

from __future__ import annotations

import json
import os
from array import array
from itertools import chain
from shutil import copyfile, copyfileobj
from struct import iter_unpack
from typing import Collection, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from ..base.type_aliases import Pair
from ..base.garbage_collector import collector_at_rest
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import ProofFailed
from ..base.number_text import shown_names
from ..base.record_type import Record
from ..base.run_diagnostics import MESH_CONTENT
from ..collada.collada_to_stl import shape_notes, unlit_notes
from ..collada.conversion_records import (
    DaeConversionResult,
    MeshProgress,
    MeshPart,
    ReductionRecord,
    rgba_text,
)
from ..urdf.mesh_paths import safe_stem, unique_stem
from .read_mesh_files import image_ending
from .mesh_content import (
    facet_normals,
    FLOAT,
    Floats,
    MeshImage,
    is_in_order,
    MeshMaterial,
    MeshContent,
    Rgba,
    MaterialSurface,
    triangles_of,
)
from .mesh_readers import ending_of, read_mesh, STL_ENDINGS
from .mesh_diagnostics import MESH_IMAGE
from .surface_proofs import MeshFileTotals, verify_kept
from .triangle_reduction import reduced_surfaces, verify_reduced
from .stl_files import write_stl
from .prepare_surfaces import (
    arranged_surfaces,
    columns_of,
    is_planar,
    join_primitives,
    MeshTarget,
    welded,
    with_planar_merged,
    without_flat,
)
from .verify_mesh_files import (
    read_back_gltf,
    read_back_obj,
    read_back_stl,
    turned_back,
    verify_flat,
    verify_gltf,
    verify_mtl,
    verify_obj,
    verify_stl,
)
from .verify_witnesses import Triangle
from .write_mesh_files import (
    color_missing,
    glb_bytes,
    gltf_bytes,
    gltf_image,
    gltf_parts,
    GltfParts,
    GRAY,
    json_bytes,
    mtl_bytes,
    OBJ_HEADER,
    write_obj,
)


class ImageFile(Record):
    """An image in the folder of a conversion: its path, and its name in the source."""

    path: str
    name: str


class PartFiles(Record):
    """The details of a part in any format but STL, before it is named.

    Attributes:
        materials: its materials; their images are in `images`, in the same order, with None for materials without an
            image.
        buffer: the binary file of a `.gltf`, else "".
    """

    materials: Tuple[MeshMaterial, ...] = ()
    images: Tuple[Optional[ImageFile], ...] = ()
    buffer: str = ""


@collector_at_rest()
def convert_mesh(
    path: str,
    folder: str,
    target: MeshTarget,
    prefix: str = "mesh",
    progress: Optional[MeshProgress] = None,
) -> DaeConversionResult:
    """Write the parts of a mesh file of any format as `<folder>/<prefix>_<number>...` and verify them.

    The folder must exist and should be temporary: after an error, it may contain some of the files. If fewer triangles
    are required (`target.within`) but impossible, the conversion has no parts.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used; with the location and the reason.
        ProofFailed: the written files do not have the content of the mesh.
    """
    show = progress or (lambda triangles: None)
    mesh = read_mesh(path, target.dae, shape_only=target.format == "stl")
    show(_triangle_count(mesh.surfaces))
    # Programs disagree on the up axis of glTF. Keeping the axes of the source keeps the orientation in each program.
    target = target._replace(up=mesh.up or target.up)
    surfaces, notes = arranged_surfaces(mesh, target)
    if ending_of(path) in STL_ENDINGS and target.format != "stl":
        # Each triangle of an STL has its own corners.
        surfaces = [welded(surface) for surface in surfaces]
    # MuJoCo refuses a planar mesh. It reads STL and OBJ only, so glTF needs no merge.
    is_merged = target.dae.planar == "merge" and target.format in ("stl", "obj")
    if is_merged:
        surfaces = with_planar_merged(surfaces, notes)
    stem = os.path.join(folder, prefix)
    colored = target.colored and target.dae.separate and not is_merged

    if not target.within:
        parts = write_parts(path, surfaces, stem, target, notes)
        show(_triangle_count(mesh.surfaces))
        verify_kept(path, mesh.surfaces, surfaces, _records(parts), colored=colored)
        return DaeConversionResult(
            tuple(parts), tuple(dict.fromkeys(notes)), joined=_joined(mesh, target)
        )

    count = _triangle_count(surfaces)
    reduced = reduced_surfaces(surfaces, target.within, show, target.format)
    if isinstance(reduced, str):
        # The reason why there are no fewer triangles.
        return DaeConversionResult((), (), ReductionRecord(count, count, why=reduced))
    # Verified in three steps: the surfaces equal the file, the written files equal the reduced surfaces, and these are
    # near the original surfaces. Each distance is thus measured on data read back from the files.
    verify_kept(path, mesh.surfaces, surfaces, None, colored=colored)
    parts = write_parts(path, reduced.surfaces, stem, target, notes)
    verify_kept(path, reduced.surfaces, reduced.surfaces, _records(parts), colored=True)
    distance = verify_reduced(
        path, surfaces, triangles_of_parts(parts, target.up), reduced.covers, target.within
    )
    return DaeConversionResult(
        tuple(part._replace(off=distance) for part in parts),
        tuple(dict.fromkeys(notes)),
        ReductionRecord(count, sum(part.triangles for part in parts)),
        _joined(mesh, target),
    )


def _joined(mesh: MeshContent, target: MeshTarget) -> Tuple[Rgba, ...]:
    """Return the different colors of a mesh whose parts do not keep them."""
    if target.colored and target.dae.separate:
        return ()
    colors = (surface.material.rgba for surface in mesh.surfaces)
    return tuple(dict.fromkeys(color for color in colors if color is not None))


def _triangle_count(surfaces: Iterable[MaterialSurface]) -> int:
    """Return the number of triangles of surfaces."""
    return sum(len(surface.corners) for surface in surfaces) // 3


def write_parts(
    path: str, surfaces: List[MaterialSurface], stem: str, target: MeshTarget, notes: Diagnostics
) -> List[MeshPart]:
    """Write the files of surfaces, and verify each; triangles omitted in STL are removed from `surfaces`.

    Raises:
        ProofFailed: a file read back differs from its surface; `path` is the mesh named in the message.
    """
    images = _write_images(surfaces, stem) if target.format != "stl" else {}
    if target.format in ("gltf", "glb"):
        # A glTF contains all surfaces, unless each surface gets its own file.
        groups = [surfaces] if surfaces else []
        if target.split:
            groups = [[surface] for surface in surfaces]
        return [
            _write_gltf(path, group, f"{stem}_{number}", target, images)
            for number, group in enumerate(groups)
        ]
    if target.format == "obj":
        return [
            _write_obj(path, surface, f"{stem}_{number}", target, images)
            for number, surface in enumerate(surfaces)
        ]
    parts: List[MeshPart] = []
    for number, surface in enumerate(surfaces):
        files, surfaces[number] = _write_stl(path, surface, f"{stem}_{number}", target, notes)
        parts += files
    return parts


def triangles_of_parts(parts: Sequence[MeshPart], up: str) -> List[List[Triangle]]:
    """Return the triangles of each surface, read back from its files; `up` is the up axis of glTF."""
    surfaces: List[List[Triangle]] = []
    for part in parts:
        if part.file.endswith(".stl"):
            data = b"".join(read_back_stl([part.file]))
            triangles = [
                ((ax, ay, az), (bx, by, bz), (cx, cy, cz))
                for ax, ay, az, bx, by, bz, cx, cy, cz in iter_unpack("<9f", data)
            ]
            # A surface of more than `max_faces` triangles has several STL files.
            if part.piece > 1:
                surfaces[-1] += triangles
            else:
                surfaces.append(triangles)
        elif part.file.endswith(".obj"):
            surfaces.append([*triangles_of(read_back_obj(part.file))])
        else:
            surfaces += [
                [*triangles_of(surface._replace(positions=turned_back(surface.positions, up)))]
                for surface in read_back_gltf(part.file)
            ]
    return surfaces


def _write_images(surfaces: Sequence[MaterialSurface], stem: str) -> Dict[bytes, ImageFile]:
    """Write each different image once; return the files by their bytes.

    Raises:
        ProofFailed: the bytes of a file differ from its image.
    """
    files: Dict[bytes, ImageFile] = {}
    for surface in surfaces:
        image = surface.material.image
        if image is not None and image.data not in files:
            path = f"{stem}_image{len(files)}{image_ending(image.data)}"
            with open(path, "wb") as stream:
                stream.write(image.data)
            if _bytes_of(path) != image.data:
                raise ProofFailed(f"the image '{image.name}' was not written as it is", path)
            files[image.data] = ImageFile(path, image.name)
    return files


def _image_file(material: MeshMaterial, images: Dict[bytes, ImageFile]) -> Optional[ImageFile]:
    """Return the file of a material's image, or None."""
    return images[material.image.data] if material.image else None


def _write_obj(
    path: str,
    surface: MaterialSurface,
    stem: str,
    target: MeshTarget,
    images: Dict[bytes, ImageFile],
) -> MeshPart:
    """Write a surface as OBJ, verify it, and return its record."""
    file = f"{stem}.obj"
    # Drake's renderer raises an error for a mesh without normals.
    surface = surface if surface.normals else facet_normals(surface)
    library = f"{os.path.basename(stem)}.mtl" if target.colored else ""
    write_obj(surface, file, library)
    verify_obj(path, file, surface, read_back_obj(file))
    looks = PartFiles()
    if target.colored:
        # The bytes of images are in files, so a record that is sent to a different process need not contain them.
        material = surface.material
        looks = PartFiles((material._replace(image=None),), (_image_file(material, images),))
    return _record(file, [surface])._replace(details=looks)


def _records(parts: Sequence[MeshPart]) -> MeshFileTotals:
    """Return the sum of the records of parts."""
    colors: Set[Optional[Rgba]] = set()
    for part in parts:
        materials = part.details.materials if isinstance(part.details, PartFiles) else ()
        if materials:
            colors.update(material.rgba for material in materials)
        else:
            # A part without materials of its own has the color of its record.
            colors.add(part.rgba)
    return MeshFileTotals(
        triangles=sum(part.triangles for part in parts),
        colors=colors,
        boxes=[part.bounds for part in parts],
    )


def _write_stl(
    path: str, surface: MaterialSurface, stem: str, target: MeshTarget, notes: Diagnostics
) -> Tuple[List[MeshPart], MaterialSurface]:
    """Return the files of a surface, and the surface without the triangles that the files omit."""
    if target.colored:
        surface = surface._replace(notes=(*surface.notes, *_unsaid_in_stl(surface.material)))
    files, flat = write_stl(surface, stem, target.dae.max_faces)
    verify_flat(path, surface, flat)
    surface = without_flat(surface, flat, notes)
    if not files:
        return [], surface
    verify_stl(path, files[0], surface, read_back_stl(files))
    if len(files) == 1:
        return [_record(files[0], [surface])], surface

    # `write_stl` splits in the order of the corners: file k has the k-th `max_faces` triangles.
    corners_each = 3 * target.dae.max_faces
    in_order = is_in_order(surface)
    parts: List[MeshPart] = []
    for number, file in enumerate(files, start=1):
        corners = surface.corners[corners_each * (number - 1) : corners_each * number]
        used = corners if in_order else set(corners)
        parts.append(_record(file, [surface._replace(corners=corners)], number, used))
    return parts, surface


def _unsaid_in_stl(material: MeshMaterial) -> Diagnostics:
    """Return notes on the properties of a material that STL, with a color in the robot's file, cannot express."""
    notes = unlit_notes(material.name, material.emission)
    if material.image is not None:
        color = rgba_text(material.rgba or GRAY)
        names = (material.name, material.image.name, color)
        notes.append(Diagnostic(MESH_CONTENT, 0, "image", names))
    return notes


def _write_gltf(
    path: str,
    surfaces: List[MaterialSurface],
    stem: str,
    target: MeshTarget,
    images: Dict[bytes, ImageFile],
) -> MeshPart:
    """Write all surfaces as one file; a `.gltf` refers to its buffer and images by their temporary names."""
    # Unsupported images are removed before the file is made, so that the proof does not expect them.
    notes = _leave_out_images(surfaces)
    name = os.path.splitext(os.path.basename(path))[0]
    file = f"{stem}.{target.format}"
    buffer = ""
    if target.format == "glb":
        with open(file, "wb") as stream:
            stream.writelines(glb_bytes(gltf_parts(surfaces, name, target.up)))
    else:
        names = {data: os.path.basename(image.path) for data, image in images.items()}
        parts = gltf_parts(surfaces, name, target.up, names)
        buffer = f"{stem}.bin"
        with open(buffer, "wb") as stream:
            stream.write(parts.buffer)
        with open(file, "wb") as stream:
            stream.write(gltf_bytes(parts, os.path.basename(buffer)))

    verify_gltf(path, file, surfaces, read_back_gltf(file), target.up)
    record = _record(file, surfaces)
    if len(surfaces) > 1:
        # A file of several colors is not named after one material. A color here means that no surface needs the
        # visual's color.
        colors = [surface.material.rgba for surface in surfaces]
        color = None if None in colors else colors[0]
        is_partly_colored = None in colors and any(colors)
        record = record._replace(material="", rgba=color, is_partly_colored=is_partly_colored)
    return record._replace(
        notes=(*record.notes, *notes),
        details=PartFiles(
            materials=tuple(surface.material._replace(image=None) for surface in surfaces),
            images=tuple(_image_file(surface.material, images) for surface in surfaces),
            buffer=buffer,
        ),
    )


def _leave_out_images(surfaces: List[MaterialSurface]) -> Diagnostics:
    """Remove the images that glTF cannot contain, all except PNG and JPEG, from the surfaces; return a note on each."""
    notes: Diagnostics = []
    for number, surface in enumerate(surfaces):
        material = surface.material
        if material.image and gltf_image(material) is None:
            notes.append(Diagnostic(MESH_IMAGE, 0, "not-gltf", (material.image.name,)))
            surfaces[number] = surface._replace(material=material._replace(image=None))
    return notes


def _bytes_of(path: str) -> bytes:
    """Return the bytes of a file."""
    with open(path, "rb") as stream:
        return stream.read()


def _record(
    file: str,
    surfaces: Sequence[MaterialSurface],
    piece: int = 0,
    used: Optional[Collection[int]] = None,
) -> MeshPart:
    """Return the record of a finished file; `used` are the numbers of its points, None for all."""
    material = surfaces[0].material
    # Surfaces may share an array of points, which counts once.
    arrays = {id(surface.positions): columns_of(surface, used) for surface in surfaces}
    columns = [_as_one(parts) for parts in zip(*arrays.values())]
    x, y, z = map(min, columns)
    i, j, k = map(max, columns)
    bounds = ((x, y, z), (i, j, k))
    planar = all(is_planar(surface, arrays[id(surface.positions)]) for surface in surfaces)
    # Each surface may be planar in a different plane.
    if planar and len(surfaces) > 1:
        bare = [
            MaterialSurface(material, surface.positions, surface.corners) for surface in surfaces
        ]
        planar = is_planar(join_primitives(bare, material), columns)

    names = list(dict.fromkeys(chain.from_iterable(surface.geometries for surface in surfaces)))
    notes = dict.fromkeys(chain.from_iterable(surface.notes for surface in surfaces))
    image = material.image.name if material.image else ""
    return MeshPart(
        file=file,
        geometry=shown_names(names, 1),
        material=material.name,
        rgba=material.rgba,
        image=image,
        planar=planar,
        piece=piece,
        triangles=sum(len(surface.corners) // 3 for surface in surfaces),
        vertices=len(columns[0]),
        bounds=bounds,
        notes=(*notes, *shape_notes(bounds, planar=planar)),
    )


def _as_one(columns: Sequence[Floats]) -> Floats:
    """Return columns one after the other; a single column is not copied."""
    return columns[0] if len(columns) == 1 else array(FLOAT, chain.from_iterable(columns))


def name_files(
    part: MeshPart, stem: str, image_names: Sequence[str], folder: str, rgba: Rgba = GRAY
) -> List[Pair]:
    """Return (path, base name) of every file of a part except its images, with corrected names inside the files.

    Args:
        part: the part as converted.
        stem: the name of the part, without an ending.
        image_names: the base name of each of its images, or "".
        folder: the folder for the changed files, which is not the folder of the conversion.
        rgba: the color of materials without a color.
    """
    ending = os.path.splitext(part.file)[1]
    main = f"{stem}{ending}"
    looks = part.details
    if isinstance(looks, PartFiles):
        if ending == ".obj" and looks.materials:
            return _named_obj(part, looks.materials[0], stem, image_names[0], folder, rgba)
        if ending == ".gltf":
            return _named_gltf(part, looks, stem, image_names, folder, rgba)
        # `glb_bytes` gave GRAY to materials without a color, so for GRAY nothing changes.
        is_colorless = any(material.rgba is None for material in looks.materials)
        if ending == ".glb" and rgba != GRAY and is_colorless:
            return _recolored_glb(part, looks, main, folder, rgba)
    return [(part.file, main)]


def _named_obj(
    part: MeshPart, material: MeshMaterial, stem: str, image_name: str, folder: str, rgba: Rgba
) -> List[Pair]:
    """Write an OBJ that refers to its MTL, and the MTL, which refers to its image; return both."""
    named = os.path.join(folder, f"{stem}.obj")
    library = os.path.join(folder, f"{stem}.mtl")
    with open(part.file, "rb") as old, open(named, "wb") as new:
        # The first two lines are the header, and the `mtllib` with the temporary name.
        old.readline()
        old.readline()
        new.write(OBJ_HEADER + f"mtllib {stem}.mtl\n".encode("ascii"))
        copyfileobj(old, new)
    with open(library, "wb") as new:
        new.write(mtl_bytes(material, image_name, rgba))
    verify_mtl(library, material, image_name, rgba)
    return [(named, f"{stem}.obj"), (library, f"{stem}.mtl")]


def _named_gltf(
    part: MeshPart,
    looks: PartFiles,
    stem: str,
    image_names: Sequence[str],
    folder: str,
    rgba: Rgba,
) -> List[Pair]:
    """Write a glTF that refers to its buffer and images, and the buffer; return both."""
    named = os.path.join(folder, f"{stem}.gltf")
    renamed = {
        os.path.basename(image.path): name
        for image, name in zip(looks.images, image_names)
        if image
    }
    content = json.loads(_bytes_of(part.file))
    content["buffers"][0]["uri"] = f"{stem}.bin"
    for image in content.get("images", ()):
        image["uri"] = renamed[image["uri"]]
    color_missing(content, looks.materials, rgba)
    with open(named, "wb") as new:
        new.write(json_bytes(content))
    buffer = os.path.join(folder, f"{stem}.bin")
    # The proof reads this `.gltf` in this folder, so its buffer must be beside it.
    copyfile(looks.buffer, buffer)
    return [(named, f"{stem}.gltf"), (buffer, f"{stem}.bin")]


def _recolored_glb(
    part: MeshPart, looks: PartFiles, main: str, folder: str, rgba: Rgba
) -> List[Pair]:
    """Write a GLB with this color for all materials without a color, and return it."""
    data = _bytes_of(part.file)
    # GLB: 12 bytes, then each chunk as its length (4 bytes), its type (4) and its data.
    size = int.from_bytes(data[12:16], "little")
    content = json.loads(data[20 : 20 + size])
    color_missing(content, looks.materials, rgba)
    named = os.path.join(folder, main)
    with open(named, "wb") as new:
        new.writelines(glb_bytes(GltfParts(content, data[28 + size :])))
    return [(named, main)]


def image_file_names(images: Iterable[MeshImage], used_stems: Set[str]) -> Dict[bytes, str]:
    """Return a base name for each different image, with the ending of its format.

    Stems differ from `used_stems`, which holds casefolded stems and is extended. Drake would paint an OBJ without a
    material with an image of the same stem.
    """
    names: Dict[bytes, str] = {}
    for image in images:
        if image.data not in names:
            base_name = image.name.replace("\\", "/").rpartition("/")[2]
            stem = safe_stem(os.path.splitext(base_name)[0], "image")
            names[image.data] = unique_stem(stem, used_stems) + image_ending(image.data)
    return names
