"""Rare features of COLLADA: strips and fans; and the merging of planar parts.

The single file refuses them by name. Their second implementation, for the proof, is in `surface_proofs`.
"""

from __future__ import annotations

import os
from typing import List, Sequence

from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.errors import ProofFailed
from ..collada.stl_part_writer import ColorGroup
from ..collada.collada_primitives import FaultCounts
from ..collada.conversion_records import RareColladaFunctions
from ..collada.binary_stl import STL_RECORD, stl_record_blocks
from ..collada.polygon_triangulation import fan_triangles
from .mesh_diagnostics import MESH_MERGED
from .surface_proofs import measured_run


def cut_run(tag: str, counts: FaultCounts, corners: List[int]) -> List[int]:
    """Cut a strip or fan into triangles, and count them."""
    if len(corners) < 3:
        counts["few-corners"] += 1
        return []
    counts.triangles += len(corners) - 2
    return strip_triangles(corners) if tag == "tristrips" else fan_triangles(corners)


def strip_triangles(corners: Sequence[int]) -> List[int]:
    """Return the triangles of a strip; every second triangle is reversed, so that all have the same winding."""
    triangles: List[int] = []
    for index, (a, b, c) in enumerate(zip(corners, corners[1:], corners[2:])):
        triangles += (b, a, c) if index % 2 else (a, b, c)
    return triangles


def merge_planar(
    path: str,
    planar: Sequence[ColorGroup],
    groups: Sequence[ColorGroup],
    max_faces: int,
    notes: Diagnostics,
) -> None:
    """Merge each planar part into the largest other part that `max_faces` allows, which determines its color.

    Raises:
        ProofFailed: a merged file does not have the triangles of both.
    """
    others = [group for group in groups if group not in planar]
    for group in planar:
        _merge_part(path, group, others, max_faces, notes)


def _merge_part(
    path: str,
    group: ColorGroup,
    other_groups: Sequence[ColorGroup],
    max_faces: int,
    notes: Diagnostics,
) -> None:
    """Merge a planar part into the largest other part that has room; without room it stays."""
    (flat,) = group.pieces
    largest = -1
    for candidate in other_groups:
        for piece in candidate.pieces:
            count = piece.writer.triangles
            # A `max_faces` of 0 means no limit.
            has_room = not 0 < max_faces < count + flat.writer.triangles
            # The first of equally large parts.
            if has_room and count > largest:
                largest = count
                target = piece
                other = candidate
    if largest < 0:
        return
    records = b"".join(stl_record_blocks(flat.writer.path))
    merged_records = b"".join(stl_record_blocks(target.writer.path)) + records
    size = STL_RECORD.size
    target.writer.append([records[start : start + size] for start in range(0, len(records), size)])
    target.writer.finish()
    if b"".join(stl_record_blocks(target.writer.path)) != merged_records:
        raise ProofFailed(f"'{target.writer.path}' is not the two parts that were merged", path)
    # Both files have marks of the same columns, so the marks are the key here.
    target.used.update((id(used.marks), used) for used in flat.used.values())
    target.measure()
    os.remove(flat.writer.path)
    group.pieces = []
    notes.append(Diagnostic(MESH_MERGED, 0, "part", (group.look.label, other.look.label)))


RARE_COLLADA = RareColladaFunctions(cut_run, measured_run, merge_planar)
