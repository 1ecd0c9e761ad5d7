"""Finish a COLLADA conversion: close the files, merge planar parts when asked to, prove, and describe each file."""
import os
from typing import Iterable, List, Tuple

from ..base.errors import ProofFailed
from ..mesh.stl import stl_is_planar, STL_RECORD, stl_record_blocks
from .part_writer import Group, Piece
from .records import DaeOptions, MeshBounds, Part, rgba_text

LARGE_PART, SMALL_PART = 10.0, 0.001
NAMES_SHOWN = 4
BOOKKEEPING = ("in the file", "triangles added for holes")


def close_files(path: str, groups: List[Group]) -> None:
    """Close every file of a conversion; those without triangles are none.

    Raises:
        ProofFailed: the triangles are not the polygons of one color, less what was left out, plus what holes added.
    """
    for group in groups:
        expected = group.tally["in the file"] + group.tally["triangles added for holes"] - len(group.flat)
        if expected != group.written():
            raise ProofFailed(f"material '{group.look.label}' has {expected} triangles, but {group.written()} were"
                              " written", path)
        group.pieces = [piece for piece in group.pieces if piece.writer.triangles]
        for piece in group.pieces:
            piece.writer.finish()
            piece.measure()


def finish_parts(path: str, groups: List[Group], options: DaeOptions, notes: List[str]) -> Tuple[Part, ...]:
    """Merge planar parts when asked to, and return the records in the order of the groups.

    Raises:
        ProofFailed: what was merged is not what was there.
    """
    for group in groups:
        if group.flat and not group.pieces:
            notes.append(f"material '{group.look.label}' has only triangles without area: it makes no part")
    planar = [group for group in groups for piece in group.pieces
              if len(group.pieces) == 1 and stl_is_planar(piece.writer.path, part_extent(piece.bounds))]
    if options.planar == "merge":
        for group in planar:
            merge_planar(path, group, [other for other in groups if other not in planar], options.max_faces, notes)
    parts: List[Part] = []
    for group in groups:
        for number, piece in enumerate(group.pieces, start=1):
            parts.append(finished_part(group, piece, number if len(group.pieces) > 1 else 0, group in planar))
    return tuple(parts)


def part_extent(bounds: MeshBounds) -> float:
    """Return the longest edge of a box, meters."""
    return max(high - low for low, high in zip(*bounds))


def merge_planar(path: str, group: Group, others: List[Group], max_faces: int, notes: List[str]) -> None:
    """Move a planar part into the largest part that has room for it; it takes that color."""
    (flat,) = group.pieces
    pieces = [(piece.writer.triangles, -number, piece, other) for number, other in enumerate(others)
              for piece in other.pieces if not 0 < max_faces < piece.writer.triangles + flat.writer.triangles]
    if not pieces:
        return
    _, _, target, other = max(pieces, key=lambda choice: choice[:2])
    records = b"".join(stl_record_blocks(flat.writer.path))
    whole = b"".join(stl_record_blocks(target.writer.path)) + records
    size = STL_RECORD.size
    target.writer.append([records[start:start + size] for start in range(0, len(records), size)])
    target.writer.finish()
    if b"".join(stl_record_blocks(target.writer.path)) != whole:
        raise ProofFailed(f"'{target.writer.path}' is not the two parts that were merged", path)
    target.join(flat)
    os.remove(flat.writer.path)
    group.pieces = []
    notes.append(f"planar part '{group.look.label}' is merged into '{other.look.label}' and takes its color")


def finished_part(group: Group, piece: Piece, number: int, planar: bool) -> Part:
    """Return the record of a finished file."""
    return Part(piece.writer.path, shown_names(group.geometries, 1), group.look.label, group.look.rgba,
                group.look.image, planar, number, piece.writer.triangles, piece.vertices, piece.bounds,
                (*group_notes(group), *shape_notes(piece.bounds, planar)))


def group_notes(group: Group) -> List[str]:
    """Return notes about the materials and polygons of a color."""
    notes = list(group.notes)
    if len(group.materials) > 1 and group.look.rgba is not None:
        notes.append(f"materials {shown_names(group.materials)} all have the color {rgba_text(group.look.rgba)}")
    if group.flat:
        notes.append(f"{len(group.flat)} triangles without area left out")
    notes += [f"{count} {what}" for what, count in group.tally.items() if count and what not in BOOKKEEPING]
    return notes


def shape_notes(bounds: MeshBounds, planar: bool) -> List[str]:
    """Return notes about the shape of a part."""
    notes: List[str] = []
    if planar:
        notes.append("lies in one plane, which MuJoCo refuses")
    extent = part_extent(bounds)
    if extent > LARGE_PART:
        notes.append(f"is {extent:.4g} m long: is the unit right?")
    if extent < SMALL_PART:
        notes.append(f"is only {1000.0 * extent:.4g} mm long: is the unit right?")
    return notes


def shown_names(names: Iterable[str], most: int = NAMES_SHOWN) -> str:
    """Return the first names, and how many more there are."""
    known = list(names)
    shown = ", ".join(known[:most])
    return f"{shown} and {len(known) - most} more" if len(known) > most else shown
