"""COLLADA primitives (triangles, polylist, polygons, tristrips, trifans) as blocks of triangle indices.

A block is a flat list, three position indices per triangle, in the winding of the file.  Dropped and added triangles are
counted, so that the number of triangles can be proven.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import chain
from math import inf
from typing import Callable, Generator, Iterator, List, Optional, Sequence

from ..base.record_type import Record
from .collada_accessors import count_attribute, find_source, index_blocks
from .collada_document import (
    dae_child,
    dae_children,
    dae_error,
    DaeDocument,
    DaeElement,
    not_read,
    only_package,
    TextSpan,
)
from .conversion_records import DaeVector, DRAWN_PRIMITIVES, Indices
from .polygon_triangulation import polygon_triangles

BLOCK_INDICES = 24000  # indices that are joined before they are yielded


class FaultCounts(Counter):  # type: ignore[type-arg]  # of str; Python 3.8 knows no Counter[str]
    """The number of times that a fault occurred, by the sentence of MESH_CONTENT that reports it.

    `triangles` is the number of triangles in the polygons of the file.
    """

    def __init__(self) -> None:
        """Begin with zeros."""
        super().__init__()
        self.triangles = 0


class PrimitiveElement(Record):
    """A primitive element of a mesh: every `stride`-th index, from `offset` on, is the index of a position in `positions`.

    Every `stride`-th index from `color_offset` on is the index of a color in `colors`.
    A caller that needs more of a corner than its position sets `read`, which yields other indices for the corners of a
    `<p>`.
    """

    element: DaeElement
    symbol: str
    positions: DaeElement
    stride: int
    offset: int
    colors: Optional[DaeElement]
    color_offset: int = 0
    read: Optional[Callable[[DaeElement], Iterator[Indices]]] = None


def mesh_primitives(document: DaeDocument, mesh: DaeElement) -> List[PrimitiveElement]:
    """Return the primitives of a mesh that draw faces, without lines and empty primitives.

    Raises:
        BrokenMesh: a primitive with indices has no positions.
    """
    drawn: List[PrimitiveElement] = []
    # Positions are an input of <vertices>, to which the VERTEX input refers; some files refer to them directly.
    for element in mesh.children:
        if element.tag in DRAWN_PRIMITIVES and any(map(has_indices, element.children)):
            inputs = dae_children(element, "input")
            stride = 1 + max((count_attribute(read, "offset", 0) for read in inputs), default=0)
            vertex = first_input(inputs, "VERTEX")
            vertices = find_vertices(document, mesh, vertex) if vertex else None
            shared = dae_children(vertices, "input") if vertices else []
            position = first_input(shared, "POSITION") or first_input(inputs, "POSITION")
            name = position.attributes.get("source", "") if position else ""
            source = find_source(document, mesh, name) if position else None
            if source is None or source.tag != "source":
                reason = f": there is no source '{name.lstrip('#')}'" if name else ""
                raise dae_error(document, element, f"<{element.tag}> has no positions{reason}")
            offset = count_attribute((vertex or position or element), "offset", 0)
            of_corners = first_input(inputs, "COLOR")
            color = of_corners or first_input(shared, "COLOR")
            colors = None
            if color:
                colors = find_source(document, mesh, color.attributes.get("source", ""))
            # Colors of <vertices> have the index of the position.
            color_offset = count_attribute(of_corners, "offset", 0) if of_corners else offset
            drawn.append(
                PrimitiveElement(
                    element=element,
                    symbol=element.attributes.get("material", ""),
                    positions=source,
                    stride=stride,
                    offset=offset,
                    colors=colors,
                    color_offset=color_offset,
                )
            )
    return drawn


def has_indices(element: DaeElement) -> bool:
    """Return True if an element is a `<p>` or `<ph>` that is not empty."""
    if element.tag == "ph":
        return dae_child(element, "p") is not None
    return element.tag == "p" and any(
        isinstance(text, TextSpan) or not text.isspace() for text in element.texts
    )


def first_input(inputs: Sequence[DaeElement], semantic: str) -> Optional[DaeElement]:
    """Return the first `<input>` with a semantic, or None."""
    return next(
        (element for element in inputs if element.attributes.get("semantic") == semantic), None
    )


def find_vertices(
    document: DaeDocument, mesh: DaeElement, vertex: DaeElement
) -> Optional[DaeElement]:
    """Return the `<vertices>` that an input names, else the first of the mesh."""
    named = find_source(document, mesh, vertex.attributes.get("source", ""))
    return named if named is not None and named.tag == "vertices" else dae_child(mesh, "vertices")


def triangle_blocks(
    document: DaeDocument,
    primitive: PrimitiveElement,
    points: Sequence[DaeVector],
    counts: FaultCounts,
) -> Iterator[Indices]:
    """Yield the triangles of a primitive; `counts.triangles` grows by the triangles of its polygons.

    Raises:
        BrokenMesh: an index is not a whole number, or is negative.
        IndexError: an index is out of range, in a polygon whose positions are needed to cut it.
    """
    element = primitive.element
    runs = dae_children(primitive.element, "p")
    if element.tag == "triangles":
        triangles = yield from plain_triangles(document, primitive, runs, counts)
        if count_attribute(element, "count", triangles) != triangles:
            counts["wrong-count"] += 1
    elif element.tag == "polylist":
        sizes = polygon_sizes(document, element, counts)
        if len(runs) == 1 and sizes.count(3) == len(sizes):  # as most exporters write it
            triangles = yield from plain_triangles(document, primitive, runs, counts, len(sizes))
            fits = triangles == len(sizes)
        else:
            corners = [*chain.from_iterable(all_indices(document, primitive, run) for run in runs)]
            yield from gathered(sized_polygons(sizes, corners, points, counts))
            fits = sum(sizes) == len(corners)
        if not fits:
            counts["other-corners"] += 1
    elif element.tag == "polygons":
        yield from gathered(polygons_triangles(document, primitive, points, counts))
    elif document.rare:
        cut = partial(document.rare.cut_run, element.tag, counts)
        yield from gathered(cut(all_indices(document, primitive, run)) for run in runs)
    else:
        raise only_package(document, element)


def gathered(pieces: Iterator[Indices]) -> Iterator[Indices]:
    """Yield the indices of small lists, joined to larger blocks, which need fewer calls."""
    block: Indices = []
    for piece in pieces:
        block += piece
        if len(block) >= BLOCK_INDICES:
            yield block
            block = []
    if block:
        yield block


def corner_blocks(
    document: DaeDocument, primitive: PrimitiveElement, run: DaeElement
) -> Iterator[Indices]:
    """Yield the position index of each corner of a `<p>` or `<h>` in blocks."""
    if primitive.read:
        return primitive.read(run)
    return index_blocks(document, run, primitive.stride, primitive.offset)


def all_indices(document: DaeDocument, primitive: PrimitiveElement, run: DaeElement) -> Indices:
    """Return the position index of each corner of a `<p>` or `<h>`."""
    return list(chain.from_iterable(corner_blocks(document, primitive, run)))


def plain_triangles(
    document: DaeDocument,
    primitive: PrimitiveElement,
    runs: Sequence[DaeElement],
    counts: FaultCounts,
    most: float = inf,
) -> Generator[Indices, None, int]:
    """Yield at most `most` triangles; each `<p>` is read by itself, without an incomplete last triangle.

    Returns the number of all triangles, also those beyond `most`.
    """
    count = 0
    for run in runs:
        rest: Indices = []
        for block in corner_blocks(document, primitive, run):
            block = rest + block if rest else block
            whole = len(block) // 3
            rest = block[3 * whole :]
            # Triangles beyond `most` are counted, so that the caller can report them.
            kept = int(min(whole, max(0, most - count)))
            count += whole
            counts.triangles += kept
            del block[3 * kept :]
            yield block
        if rest:
            counts["incomplete"] += 1
    return count


def polygon_sizes(document: DaeDocument, polylist: DaeElement, counts: FaultCounts) -> List[int]:
    """Return the number of corners of each polygon in a `<polylist>`."""
    element = dae_child(polylist, "vcount")
    if element is None:
        raise dae_error(document, polylist, "<polylist> has no <vcount>")
    sizes = [*chain.from_iterable(index_blocks(document, element))]
    if count_attribute(polylist, "count", len(sizes)) != len(sizes):
        counts["wrong-count"] += 1
    return sizes


def sized_polygons(
    sizes: List[int], corners: Indices, points: Sequence[DaeVector], counts: FaultCounts
) -> Iterator[Indices]:
    """Yield the triangles of each polygon of a `<polylist>`."""
    start = 0
    for size in sizes:
        if start + size > len(corners):
            break
        if size > 2:
            counts.triangles += size - 2
            yield polygon_triangles(corners[start : start + size], points, counts)
        start += size


def polygons_triangles(
    document: DaeDocument,
    primitive: PrimitiveElement,
    points: Sequence[DaeVector],
    counts: FaultCounts,
) -> Iterator[Indices]:
    """Yield the triangles of each `<p>` and each `<ph>` of `<polygons>`.

    Raises:
        BrokenMesh: a `<ph>` has holes.
    """
    for child in primitive.element.children:
        outline = dae_child(child, "p") if child.tag == "ph" else child
        if child.tag not in ("p", "ph") or outline is None:
            continue
        corners = all_indices(document, primitive, outline)
        if len(corners) < 3:
            counts["few-corners"] += 1
            continue
        holes = [all_indices(document, primitive, hole) for hole in dae_children(child, "h")]
        if any(len(hole) > 2 for hole in holes):
            raise not_read(document, child)
        counts.triangles += len(corners) - 2
        yield polygon_triangles(corners, points, counts)
