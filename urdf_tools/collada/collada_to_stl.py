"""The conversion of a COLLADA file into STL files, one for each color (or one for all), with a record for each file.

Files get numbers; `part_stems` makes their names later, when the caller knows the names in use.  So a conversion can run
in another process, into a temporary folder, before the user is asked a question.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Dict, Hashable, List, Optional, Sequence, Tuple

from ..base.garbage_collector import collector_at_rest
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import BrokenMesh, ProofFailed, UsageError
from ..base.run_diagnostics import MESH_COLORS, MESH_CONTENT, MESH_PLANAR, MESH_SIZE
from ..base.number_text import shown_names
from ..base.record_type import Record
from ..base.type_aliases import Reals
from .collada_accessors import source_columns
from .collada_document import dae_error, dae_label, DaeDocument, read_dae
from .collada_colors import clamped_color, material_look, MaterialLook
from .stl_part_writer import (
    ColoredPrimitive,
    ColorGroup,
    moved_columns,
    GrowingStlFile,
    place_points,
    PointsInMeters,
)
from .collada_primitives import mesh_primitives, PrimitiveElement, triangle_blocks
from .conversion_records import (
    DaeConversionResult,
    DaeColor,
    DaeOptions,
    DEFAULT_DAE_OPTIONS,
    MeshBounds,
    MeshProgress,
    MeshPart,
    rgba_text,
)
from .collada_scene import determinant, MeshInstance, drawn_material, is_singular, scene_drawings
from .binary_stl import sign_stl, stl_is_planar
from .verify_stl_parts import verify_part, verify_triangles, ReadBackTriangles

MAX_TRIANGLES = 20_000_000  # instances of instances can multiply the triangles of a small file
MAX_COORDINATE = 2.0**30  # [m] MuJoCo refuses larger coordinates

# [m] Parts of robots are seldom larger or smaller: such a mesh is probably in another unit.
LARGE_PART = 10.0
SMALL_PART = 0.001
NO_LOOK = MaterialLook()


class DaeConversionState(Record):
    """The common data of the steps of a conversion, which fill the dictionaries and lists.

    Attributes:
        stem: the path of the files to write, without number and suffix.
        groups: the groups by keys that distinguish colors, see `find_group`.
        looks: the looks of the materials so far, by `id` of the element.
        notes: the notes on the whole file.
        drawn: the converted primitives, in order.
    """

    document: DaeDocument
    stem: str
    options: DaeOptions
    progress: Optional[MeshProgress]
    groups: Dict[Hashable, ColorGroup]
    looks: Dict[int, MaterialLook]
    notes: Diagnostics
    drawn: List[ColoredPrimitive]


@collector_at_rest()
def convert_dae(
    dae_path: str,
    folder: str,
    options: DaeOptions = DEFAULT_DAE_OPTIONS,
    prefix: str = "part",
    progress: Optional[MeshProgress] = None,
) -> DaeConversionResult:
    """Write the parts of a `.dae` file as `<folder>/<prefix>_<group>_<piece>.stl`, verify them, and return their records.

    The folder must exist and should be temporary: after an error, it may contain some of the files.  `progress` is called
    now and then with the number of triangles so far.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used; with the line, and why.
        ProofFailed: the written triangles are not the triangles of the file.
    """
    document = read_dae(dae_path, options.rare)
    notes: Diagnostics = []
    drawings = scene_drawings(document, options.scene, notes)
    job = DaeConversionState(
        document=document,
        stem=os.path.join(folder, prefix),
        options=options,
        progress=progress,
        groups={},
        looks={},
        notes=notes,
        drawn=[],
    )
    for drawing in drawings:
        draw_mesh(job, drawing)

    groups = list(job.groups.values())
    for group in groups:
        group.notes.update(dict.fromkeys(unlit_notes(group.look.label, group.look.emission)))
    close_files(groups)
    # Before planar parts are merged, which changes the order of triangles.
    verify_triangles(document, options, job.drawn, ReadBackTriangles)
    triangles = sum(group.written() for group in groups)
    parts = finish_parts(dae_path, groups, options, notes)
    if sum(part.triangles for part in parts) != triangles:
        raise ProofFailed("a part is lost", dae_path)
    for part in parts:
        verify_part(dae_path, part)
    # The signature shows a later run which files it may replace, and from which model they are made.
    digest = file_digest(dae_path)
    for part in parts:
        sign_stl(part.file, digest)
    colors = () if options.separate else colors_drawn(job, drawings)
    return DaeConversionResult(parts, tuple(dict.fromkeys(notes)), joined=colors)


def file_digest(path: str) -> str:
    """Return a digest of a file: 32 hexadecimal digits that differ for files of different content."""
    from hashlib import sha256  # imported here: only meshes need it

    digest = sha256()
    with open(path, "rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()[:32]


def draw_mesh(job: DaeConversionState, drawing: MeshInstance) -> None:
    """Write the triangles of a mesh instance to the groups of their colors."""
    document = job.document
    primitives = mesh_primitives(document, drawing.mesh)
    if not primitives:
        return
    if is_singular(drawing.matrix):
        job.notes.append(Diagnostic(MESH_CONTENT, 0, "singular", (dae_label(drawing.geometry),)))
        return
    mirrored = determinant(drawing.matrix) < 0.0
    # The primitives of a mesh share positions, which are moved once.
    placed: Dict[int, PointsInMeters] = {}
    for primitive in primitives:
        source = id(primitive.positions)
        if source not in placed:
            placed[source] = placed_positions(job, drawing, primitive)
        points = placed[source]
        group = find_group(job, drawing, primitive)
        try:
            # A map that mirrors reverses the winding: two corners of each triangle are exchanged.
            for block in triangle_blocks(document, primitive, points.points, group.counts):
                if mirrored:
                    block[1::3], block[2::3] = block[2::3], block[1::3]
                group.add(block, points)
                report_progress(job)
        except IndexError:
            raise dae_error(
                document,
                primitive.element,
                f"<{primitive.element.tag}> has an index beyond its {len(points.points)} positions",
            ) from None
        job.drawn.append(ColoredPrimitive(primitive.element, points.columns, group))


def report_progress(job: DaeConversionState) -> None:
    """Report the number of triangles so far.

    Raises:
        BrokenMesh: instances of instances draw too many triangles.
    """
    triangles = sum(group.written() for group in job.groups.values())
    if triangles > MAX_TRIANGLES:
        raise BrokenMesh(f"draws more than {MAX_TRIANGLES} triangles", job.document.path)
    if job.progress:
        job.progress(triangles)


def placed_positions(
    job: DaeConversionState, drawing: MeshInstance, primitive: PrimitiveElement
) -> PointsInMeters:
    """Return the positions of a primitive in meters.

    Raises:
        BrokenMesh: the positions cannot be read, or are too far away.
    """
    source = primitive.positions
    placed = place_points(
        moved_columns(source_columns(job.document, source, "XYZ"), drawing.matrix)
    )
    ends = max(map(abs, chain(*placed.bounds)))
    if ends > MAX_COORDINATE:
        raise dae_error(job.document, source, "positions reach farther than 2^30 meters")
    return placed


def find_group(
    job: DaeConversionState, drawing: MeshInstance, primitive: PrimitiveElement
) -> ColorGroup:
    """Return the group to which a primitive belongs, a new group for a new color."""
    look = NO_LOOK
    owner = ""
    if job.options.separate:
        look, owner = find_look(job, drawing, primitive)
    key: Hashable = (owner, look.rgba)
    # Materials that look the same share a group, unless each material gets a part of its own.
    if job.options.merge_equal_colors:
        key = (look.rgba, look.image, look.emission)
    group = job.groups.get(key)
    if group is None:
        group = job.groups[key] = ColorGroup(
            f"{job.stem}_{len(job.groups)}", job.options.max_faces, look
        )
    group.geometries[dae_label(drawing.geometry)] = None
    group.materials[look.label] = None
    group.notes.update(dict.fromkeys(look.notes))
    if job.options.separate and has_point_colors(job.document, primitive):
        group.notes[Diagnostic(MESH_CONTENT, 0, "point-colors")] = None
    return group


def find_look(
    job: DaeConversionState, drawing: MeshInstance, primitive: PrimitiveElement
) -> Tuple[MaterialLook, str]:
    """Return the look of a primitive and the key of its material; without a material, the uniform vertex color counts."""
    symbol = primitive.symbol
    material = drawn_material(job.document, drawing, symbol) if symbol else None
    if material is not None:
        if id(material) not in job.looks:
            job.looks[id(material)] = material_look(job.document, material)
        return job.looks[id(material)], f"#{id(material)}"
    if symbol:
        unbound = Diagnostic(MESH_CONTENT, 0, "no-material", (symbol,))
        return MaterialLook(symbol, notes=(unbound,)), symbol
    return MaterialLook(rgba=uniform_color(job.document, primitive)), ""


def colors_drawn(job: DaeConversionState, drawings: Sequence[MeshInstance]) -> Tuple[DaeColor, ...]:
    """Return the different colors of the primitives that a file draws."""
    colors: List[DaeColor] = []
    for drawing in drawings:
        for primitive in mesh_primitives(job.document, drawing.mesh):
            look, _ = find_look(job, drawing, primitive)
            if look.rgba is not None:
                colors.append(look.rgba)
    return tuple(dict.fromkeys(colors))


def uniform_color(document: DaeDocument, primitive: PrimitiveElement) -> Optional[DaeColor]:
    """Return the vertex color of a primitive if all its vertices have the same color, else None."""
    if primitive.colors is None:
        return None
    seen = {*zip(*source_columns(document, primitive.colors, "RGB"))}
    if len(seen) != 1:
        return None
    return clamped_color([*seen.pop()])


def has_point_colors(document: DaeDocument, primitive: PrimitiveElement) -> bool:
    """Return True if the points of a primitive have colors that a single color of the part cannot show.

    Programs multiply the color of the material by the colors of the points, so white changes nothing.
    """
    if primitive.colors is None:
        return False
    if not primitive.symbol:
        return uniform_color(document, primitive) is None
    try:
        red, green, blue = source_columns(document, primitive.colors, "RGB")
    except BrokenMesh:  # colors that cannot be read are not drawn
        return False
    return any(value != 1.0 for value in chain(red, green, blue))


def unlit_notes(label: str, emission: Reals) -> Diagnostics:
    """Return a note if a material emits light, which STL cannot express."""
    return [Diagnostic(MESH_CONTENT, 0, "light", (label,))] if any(emission) else []


def close_files(groups: List[ColorGroup]) -> None:
    """Finish and measure every file of a conversion; pieces without triangles are dropped."""
    for group in groups:
        group.pieces = [piece for piece in group.pieces if piece.writer.triangles]
        for piece in group.pieces:
            piece.writer.finish()
            piece.measure()


def finish_parts(
    path: str, groups: List[ColorGroup], options: DaeOptions, notes: Diagnostics
) -> Tuple[MeshPart, ...]:
    """Merge planar parts if the options say so, and return the records in the order of the groups.

    Raises:
        UsageError: the single file cannot merge planar parts.
        ProofFailed: the merged part does not have the same triangles.
    """
    for group in groups:
        if group.flat and not group.pieces:
            notes.append(Diagnostic(MESH_CONTENT, 0, "all-flat", (group.look.label,)))
    planar: List[ColorGroup] = []
    for group in groups:
        # A part of several files has more triangles than a planar part needs.
        if len(group.pieces) == 1:
            (piece,) = group.pieces
            if stl_is_planar(piece.writer.path, part_extent(piece.bounds)):
                planar.append(group)
    if options.planar == "merge":
        if not options.rare:
            raise UsageError(
                "planar merge is not in the single file but in the package urdf_tools: `pip install` a "
                "clone of its repository"
            )
        # It changes the pieces of two groups in place; the group that is left stays in `planar`.
        options.rare.merge_planar(path, planar, groups, options.max_faces, notes)
    parts: List[MeshPart] = []
    for group in groups:
        # Only pieces of a split part have numbers.
        first = 1 if len(group.pieces) > 1 else 0
        for number, piece in enumerate(group.pieces, start=first):
            parts.append(finished_part(group, piece, number, planar=group in planar))
    return tuple(parts)


def part_extent(bounds: MeshBounds) -> float:
    """Return the longest edge of a box [m]."""
    return max(high - low for low, high in zip(*bounds))


def finished_part(
    group: ColorGroup, piece: GrowingStlFile, number: int, *, planar: bool
) -> MeshPart:
    """Return the record of a finished file."""
    return MeshPart(
        file=piece.writer.path,
        geometry=shown_names(group.geometries, 1),
        material=group.look.label,
        rgba=group.look.rgba,
        image=group.look.image,
        planar=planar,
        piece=number,
        triangles=piece.writer.triangles,
        vertices=piece.vertices,
        bounds=piece.bounds,
        notes=(*group_notes(group), *shape_notes(piece.bounds, planar=planar)),
    )


def group_notes(group: ColorGroup) -> Diagnostics:
    """Return the notes about the materials and polygons of a group."""
    notes = list(group.notes)
    if len(group.materials) > 1 and group.look.rgba is not None:
        names = (shown_names(group.materials), rgba_text(group.look.rgba))
        notes.append(Diagnostic(MESH_COLORS, 0, "materials", names))
    counts = {"flat": len(group.flat), **group.counts}
    return notes + [
        Diagnostic(kind=MESH_CONTENT, line=0, sentence=sentence, names=(), numbers=(count,))
        for sentence, count in counts.items()
        if count
    ]


def shape_notes(bounds: MeshBounds, *, planar: bool) -> Diagnostics:
    """Return the notes about the size and shape of a part."""
    notes = size_notes(bounds)
    if planar:
        notes.insert(0, Diagnostic(MESH_PLANAR, 0, "part"))
    return notes


def size_notes(bounds: MeshBounds, scale: Reals = (1.0, 1.0, 1.0)) -> Diagnostics:
    """Return a note if a part, scaled by its `<mesh>`, is larger or smaller than parts of robots usually are."""
    low, high = bounds
    extent = max(abs(factor) * (b - a) for factor, a, b in zip(scale, low, high))
    if extent > LARGE_PART:
        return [Diagnostic(kind=MESH_SIZE, line=0, sentence="large", names=(), numbers=(extent,))]
    if extent < SMALL_PART:
        return [
            Diagnostic(
                kind=MESH_SIZE, line=0, sentence="small", names=(), numbers=(1000.0 * extent,)
            )
        ]
    return []
