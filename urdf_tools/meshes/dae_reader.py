"""The reader of COLLADA into the common form, with normals, texture coordinates and images, which STL does not have.

Scene, polygons and materials are read as for STL. The corners are numbered here, so that all other columns of indices
can be looked up for the corners of the triangles.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, chain
from math import isfinite
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ..base.garbage_collector import collector_at_rest
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import BrokenMesh, ProofFailed
from ..base.run_diagnostics import MESH_CONTENT
from ..base.record_type import Record
from ..collada.collada_accessors import count_attribute, find_source, index_blocks, source_columns
from ..collada.collada_to_stl import DaeConversionState, find_group, group_notes, placed_positions
from ..collada.collada_document import (
    dae_child,
    dae_children,
    dae_descendants,
    dae_error,
    dae_label,
    dae_target,
    dae_text,
    DaeDocument,
    DaeElement,
    read_dae,
)
from ..collada.collada_colors import image_note, SHADERS, TEXTURED_GRAY
from ..collada.stl_part_writer import ColoredPrimitive, ColorGroup, PointsInMeters
from ..collada.collada_primitives import (
    first_input,
    find_vertices,
    mesh_primitives,
    PrimitiveElement,
    triangle_blocks,
)
from ..collada.conversion_records import DaeOptions, DEFAULT_DAE_OPTIONS
from ..collada.collada_scene import (
    determinant,
    MeshInstance,
    drawn_material,
    is_singular,
    scene_drawings,
)
from .read_mesh_files import find_image
from .mesh_content import (
    Floats,
    interleaved,
    MeshMaterial,
    MeshContent,
    MAX_TRIANGLES,
    NUMBER,
    Numbers,
    MaterialSurface,
    tidy,
)
from .mesh_diagnostics import MESH_FEATURE, MESH_IMAGE
from .surface_proofs import verify_read
from .rare_collada import RARE_COLLADA
from .prepare_surfaces import join_primitives, place_normals, turned_corners


class InputIndices:
    """The indices of an input other than the positions, one for every numbered corner.

    Attributes:
        source: the `<source>` of the input.
        offset: the place of its index among the indices of a corner.
        names: the names of the components of the source.
    """

    def __init__(self, source: DaeElement, offset: int, names: str) -> None:
        """Begin without corners."""
        self.source = source
        self.offset = offset
        self.names = names
        self.indices = array(NUMBER)


class CornerIndex:
    """The corners of a primitive, numbered in file order.

    `points` has their positions, but only if polygons may have to be cut into triangles.

    `starts` are the numbers of the first corners of each `<p>`.
    """

    def __init__(
        self,
        document: DaeDocument,
        primitive: PrimitiveElement,
        placed: PointsInMeters,
        columns: List[InputIndices],
    ) -> None:
        """Begin without corners."""
        self.document = document
        self.primitive = primitive
        self.placed = placed
        self.columns = columns
        self.positions = array(NUMBER)
        self.starts: List[int] = []
        self.points: List[Tuple[float, float, float]] = []
        self.cuts_polygons = primitive.element.tag in ("polylist", "polygons")

    def read(self, run: DaeElement) -> Iterator[List[int]]:
        """Yield the numbers of the corners of one `<p>` in blocks."""
        stride = self.primitive.stride
        self.starts.append(len(self.positions))
        rest: List[int] = []  # the indices of a corner that continues in the next block
        for block in index_blocks(self.document, run):
            block = rest + block if rest else block
            end = len(block) - len(block) % stride
            rest = block[end:]
            start = len(self.positions)
            positions = block[self.primitive.offset : end : stride]
            if self.cuts_polygons:
                self.points += map(self.placed.points.__getitem__, positions)
            # Raise the same error as the look-up of the points.
            elif max(positions, default=-1) >= len(self.placed.points):
                raise IndexError
            self.positions += array(NUMBER, positions)
            for column in self.columns:
                column.indices += array(NUMBER, block[column.offset : end : stride])
            yield list(range(start, len(self.positions)))


class DaeReadingState(Record):
    """The data shared by the steps of reading a file; the dictionaries are by the `id` of a group."""

    shared: DaeConversionState
    shape_only: bool
    groups: Dict[int, ColorGroup]
    pieces: Dict[int, List[MaterialSurface]]
    materials: Dict[int, MeshMaterial]
    notes: Dict[int, Diagnostics]


@collector_at_rest()
def read_collada(
    path: str, options: DaeOptions = DEFAULT_DAE_OPTIONS, *, shape_only: bool = False
) -> MeshContent:
    """Read a `.dae` file: one surface for each color and image, or a single surface.

    With `shape_only`, normals and texture coordinates are not read.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used; with the line and the reason.
        ProofFailed: a triangle or a color differs from the file.
    """
    document = read_dae(path, RARE_COLLADA)
    notes: Diagnostics = []
    drawings = scene_drawings(document, options.scene, notes)
    job = DaeReadingState(
        shared=DaeConversionState(
            document=document,
            stem="",
            options=options,
            progress=None,
            groups={},
            looks={},
            notes=notes,
            drawn=[],
        ),
        shape_only=shape_only,
        groups={},
        pieces={},
        materials={},
        notes={},
    )
    triangles = 0
    for drawing in drawings:
        triangles += _draw(job, drawing)
        if triangles > MAX_TRIANGLES:
            raise BrokenMesh(f"draws more than {MAX_TRIANGLES} triangles", path)
    surfaces = {key: _finished(job, key, group) for key, group in job.groups.items()}
    verify_read(document, options._replace(rare=RARE_COLLADA), job.shared.drawn, surfaces)
    return MeshContent(
        tuple(surface for surface in surfaces.values() if surface.corners),
        tuple(dict.fromkeys(notes)),
    )


def _draw(job: DaeReadingState, drawing: MeshInstance) -> int:
    """Add the triangles of a mesh instance to the surfaces of their colors, and return their number."""
    document = job.shared.document
    primitives = mesh_primitives(document, drawing.mesh)
    if not primitives:
        return 0
    if is_singular(drawing.matrix):
        job.shared.notes.append(
            Diagnostic(MESH_CONTENT, 0, "singular", (dae_label(drawing.geometry),))
        )
        return 0
    placed: Dict[int, PointsInMeters] = {}
    arrays: Dict[int, Floats] = {}
    triangles = 0
    for primitive in primitives:
        # Primitives of one mesh usually share their positions, which are moved once.
        source = id(primitive.positions)
        if source not in placed:
            placed[source] = placed_positions(job.shared, drawing, primitive)
            arrays[source] = interleaved(placed[source].columns)
        group = find_group(job.shared, drawing, primitive)
        job.shared.drawn.append(ColoredPrimitive(primitive.element, placed[source].columns, group))
        if id(group) not in job.groups:
            job.groups[id(group)] = group
            job.notes[id(group)] = []
            job.materials[id(group)] = _material(job, drawing, primitive, group)
        piece = _read_primitive(job, drawing, primitive, placed[source], arrays, group)
        job.pieces.setdefault(id(group), []).append(piece)
        triangles += len(piece.corners) // 3
    return triangles


def _read_primitive(
    job: DaeReadingState,
    drawing: MeshInstance,
    primitive: PrimitiveElement,
    placed: PointsInMeters,
    arrays: Dict[int, Floats],
    group: ColorGroup,
) -> MaterialSurface:
    """Return the triangles of a primitive; `arrays` caches the numbers of sources, which primitives share."""
    document = job.shared.document
    material = job.materials[id(group)]
    normal = uv = None
    if not job.shape_only and job.shared.options.normals:
        normal = _column(document, drawing, primitive, "NORMAL", "XYZ", "")
    if not job.shape_only and material.image:
        texture_set = _texture_set(job, drawing, primitive)
        uv = _column(document, drawing, primitive, "TEXCOORD", "ST", texture_set)
    book = CornerIndex(document, primitive, placed, [column for column in (normal, uv) if column])
    order = _drawn_order(book, drawing, group)

    def picked(indices: Numbers) -> Numbers:
        """Return the indices of the corners of the triangles, from the indices of the numbered corners."""
        if order is None:
            return indices
        return array(NUMBER, list(map(indices.__getitem__, order)))

    corners = picked(book.positions)
    surface = MaterialSurface(material, arrays[id(primitive.positions)], corners)
    for column, width in ((normal, 3), (uv, 2)):
        if column is None:
            continue
        values = _values(document, drawing, column, width, arrays)
        if values is None:
            sentence = "normals" if width == 3 else "coordinates"
            names = (dae_label(drawing.geometry),)
            job.notes[id(group)].append(Diagnostic(MESH_FEATURE, 0, sentence, names))
            continue
        numbers = picked(column.indices)
        if numbers.tobytes() == corners.tobytes():  # a shared array is a shortcut in later steps
            numbers = corners
        if width == 3:
            surface = surface._replace(normals=values, normal_corners=numbers)
        else:
            surface = surface._replace(uv=values, uv_corners=numbers)
    return surface


def _drawn_order(book: CornerIndex, drawing: MeshInstance, group: ColorGroup) -> Optional[Numbers]:
    """Return the numbers of the corners of the drawn triangles, or None for all corners in file order.

    Raises:
        BrokenMesh: an index is beyond the positions.
        ProofFailed: the triangles do not make up their polygons.
    """
    element = book.primitive.element
    order = _order_of_corners(book, group)
    # <triangles> only drop corners at the end of a <p>, so an equal count means all corners in file order.
    is_as_read = len(order) == len(book.positions) and (
        element.tag == "triangles" or order == array(NUMBER, range(len(order)))
    )
    if book.cuts_polygons and not is_as_read and not _is_outline_kept(book, order):
        raise ProofFailed(
            f"the triangles of <{element.tag}> do not make up its polygons",
            book.document.path,
            dae_error(book.document, element, "").line,
        )
    # A mirror turns the triangles inside out.
    if determinant(drawing.matrix) < 0.0:
        return turned_corners(order)
    return None if is_as_read else order


def _order_of_corners(book: CornerIndex, group: ColorGroup) -> Numbers:
    """Return the numbers of the corners of triangles; reading fills the index `book`.

    Raises:
        BrokenMesh: an index is beyond the positions.
    """
    document = book.document
    primitive = book.primitive
    order = array(NUMBER)
    blocks = triangle_blocks(
        document, primitive._replace(read=book.read), book.points, group.counts
    )
    try:
        for block in blocks:
            order += array(NUMBER, block)
    except (IndexError, OverflowError):
        raise dae_error(
            document,
            primitive.element,
            f"<{primitive.element.tag}> has an index beyond its {len(book.placed.points)} positions",
        ) from None
    return order


def _values(
    document: DaeDocument,
    drawing: MeshInstance,
    column: InputIndices,
    width: int,
    arrays: Dict[int, Floats],
) -> Optional[Floats]:
    """Return the numbers that a column refers to, normals as placed by the instance; None if they are unusable."""
    # Other inputs too usually share sources with the previous primitive.
    if id(column.source) not in arrays:
        values = interleaved(source_columns(document, column.source, column.names))
        arrays[id(column.source)] = place_normals(values, drawing.matrix) if width == 3 else values
    values = arrays[id(column.source)]
    is_in_range = width * max(column.indices, default=-1) < len(values)
    # A NaN or an infinity anywhere shows in the sum, without a loop.
    return values if is_in_range and isfinite(sum(values)) else None


def _is_outline_kept(book: CornerIndex, order: Numbers) -> bool:
    """Return True if the triangles together have the outlines of the polygons that they were cut from.

    An edge from corner a to corner b counts (b^2 - a^2)^3, so an inner edge, which two triangles have in opposite
    directions, cancels. This detects a fault that positions do not show: normals of a different polygon. Polygons with
    holes are not examined.
    """
    element = book.primitive.element
    if dae_child(element, "ph"):
        return True
    # Differences of squares distinguish edges; with plain numbers, all edges from a to a + 1 would count the same.
    squares = [number * number for number in range(len(book.positions))]
    # <polygons> has a <p> for each polygon; <polylist> has a single <p>, and the sizes of the polygons.
    ends = [*book.starts[1:], len(squares)]
    if element.tag == "polylist":
        sizes = dae_child(element, "vcount")
        blocks = index_blocks(book.document, sizes) if sizes else iter(())
        ends = list(accumulate(chain.from_iterable(blocks)))
    outlines = [squares[start:end] for start, end in zip([0, *ends], ends) if end <= len(squares)]
    corners: Iterator[int] = map(squares.__getitem__, order)
    return _sum_around(filter(None, outlines)) == _sum_around(zip(corners, corners, corners))


def _sum_around(loops: Iterable[Sequence[int]]) -> int:
    """Return the sum of (b - a)^3 over the edges of closed lines, each from a number a to a number b."""
    total = 0
    for loop in loops:
        for a, b in zip(loop, (*loop[1:], loop[0])):
            total += (b - a) * (b - a) * (b - a)
    return total


def _column(
    document: DaeDocument,
    drawing: MeshInstance,
    primitive: PrimitiveElement,
    semantic: str,
    names: str,
    texture_set: str,
) -> Optional[InputIndices]:
    """Return a primitive's input for normals or texture coordinates: from its corners, else from its `<vertices>`."""
    inputs = dae_children(primitive.element, "input")
    vertex = first_input(inputs, "VERTEX")
    vertices = find_vertices(document, drawing.mesh, vertex) if vertex else None
    matching = [entry for entry in inputs if entry.attributes.get("semantic") == semantic]
    # The set that the instance binds, else the first.
    chosen = matching[0] if matching else None
    if texture_set:
        bound = [entry for entry in matching if entry.attributes.get("set", "0") == texture_set]
        chosen = bound[0] if bound else chosen
    if chosen:
        offset = count_attribute(chosen, "offset", 0)
    else:
        # Inputs of <vertices> share the index of the position.
        offset = primitive.offset
        chosen = first_input(dae_children(vertices, "input"), semantic)
    if chosen is None:
        return None
    source = find_source(document, drawing.mesh, chosen.attributes.get("source", ""))
    return (
        InputIndices(source, offset, names)
        if source is not None and source.tag == "source"
        else None
    )


def _texture_set(job: DaeReadingState, drawing: MeshInstance, primitive: PrimitiveElement) -> str:
    """Return the `set` of the texture coordinates that an instance binds to its image, or ""."""
    document = job.shared.document
    effect = _effect(document, drawn_material(document, drawing, primitive.symbol))
    shader = next(dae_descendants(effect, *SHADERS), None) if effect else None
    texture = dae_child(dae_child(shader, "diffuse"), "texture")
    semantic = texture.attributes.get("texcoord") if texture else None
    for material in dae_descendants(document.root, "instance_material"):
        if material.attributes.get("symbol") != primitive.symbol:
            continue
        for bound in dae_children(material, "bind_vertex_input"):
            if bound.attributes.get("semantic") == semantic:
                return bound.attributes.get("input_set", "0")
    return ""


def _effect(document: DaeDocument, material: Optional[DaeElement]) -> Optional[DaeElement]:
    """Return the effect of a material."""
    instance = dae_child(material, "instance_effect")
    return dae_target(document, instance.attributes.get("url", "")) if instance else None


def _material(
    job: DaeReadingState, drawing: MeshInstance, primitive: PrimitiveElement, group: ColorGroup
) -> MeshMaterial:
    """Return the material of a group, from its first primitive."""
    look = group.look
    document = job.shared.document
    material = drawn_material(document, drawing, primitive.symbol) if primitive.symbol else None
    effect = _effect(document, material) if job.shared.options.separate else None
    flags = dae_descendants(effect, "double_sided") if effect else ()
    double_sided = any(dae_text(flag) in ("1", "true") for flag in flags)
    image = None
    if look.image:
        image, problem = find_image(document.path, look.image)
        if problem:
            job.notes[id(group)].append(problem)
    # In COLLADA an image replaces the color: only the alpha stays.
    rgba = (1.0, 1.0, 1.0, look.rgba[3]) if image and look.rgba else look.rgba
    lost_image = look.image if image is None else ""
    return MeshMaterial(
        name=look.label,
        rgba=rgba,
        image=image,
        emission=look.emission,
        double_sided=double_sided,
        lost_image=lost_image,
    )


def _finished(job: DaeReadingState, key: int, group: ColorGroup) -> MaterialSurface:
    """Return the surface of a group.

    Raises:
        ProofFailed: the number of triangles differs from the number that its polygons make.
    """
    surface = join_primitives(job.pieces[key], job.materials[key])

    expected = group.counts.triangles
    if expected != len(surface.corners) // 3:
        raise ProofFailed(
            f"material '{group.look.label}' has {expected} triangles, but {len(surface.corners) // 3}"
            " were read",
            job.shared.document.path,
        )
    for label in group.materials:  # replaced: the image is kept, or a note here tells why not
        group.notes.pop(image_note(label, group.look.image, TEXTURED_GRAY), None)
    if surface.material.image and not surface.uv and not job.shape_only:
        job.notes[key].append(Diagnostic(MESH_IMAGE, 0, "no-coordinates", (group.look.label,)))
        surface = surface._replace(
            material=surface.material._replace(image=None, rgba=group.look.rgba)
        )
    return tidy(surface)._replace(
        notes=(*group_notes(group), *job.notes[key]), geometries=tuple(group.geometries)
    )
