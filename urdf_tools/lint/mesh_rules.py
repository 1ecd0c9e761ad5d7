"""Rules for mesh files: what a file that a robot names turns out to be when it is opened."""

from __future__ import annotations

import os
from typing import Dict, Tuple

from ..base.diagnostics import WARNING
from ..base.run_diagnostics import MESH_UNREADABLE
from ..meshes.mesh_diagnostics import MESH_IMAGE
from ..urdf.urdf_records import UrdfShape
from .finding_records import LintFinding, Findings, found, LintedRobot
from .lint_diagnostics import MESH_UNOPENED, OF_READING
from .opened_meshes import MATERIAL, NUMBER, OpenedMesh, UNREADABLE

BYTES_OF_MB = 1e6
# Faults whose sentences have the words of the reader.
EXPLAINED = (MATERIAL, NUMBER, UNREADABLE)
# The notes of readers about a file that misses something, by kind and sentence. Others are about the conversion.
NOTES_OF_FILES = (
    (MESH_IMAGE.name, "no-library"),
    (MESH_IMAGE.name, "no-material"),
    (MESH_IMAGE.name, "not-there"),
    (MESH_IMAGE.name, "unreadable"),
    (MESH_IMAGE.name, "unknown"),
    (MESH_IMAGE.name, "no-image"),
    (MESH_IMAGE.name, "no-coordinates"),
)


def mesh_rules(subject: LintedRobot) -> Findings:
    """Yield the faults of the files of meshes, and the images and materials that these files miss; each file once."""
    seen: Dict[str, None] = {}
    for _, shape in subject.robot.shapes:
        path = subject.meshes.get(shape.mesh)
        # Two names may lead to one file.
        if path is None or path in seen:
            continue
        seen[path] = None
        yield from _faults_of(shape, path, subject.open_mesh(shape.mesh))


def _faults_of(shape: UrdfShape, path: str, opened: OpenedMesh) -> Findings:
    """Yield the faults of the file of a shape, at the line of the shape."""
    line = shape.drawn.line if shape.drawn is not None else 0
    name = os.path.basename(path)
    if opened.is_large:
        megabytes = os.path.getsize(path) / BYTES_OF_MB
        yield found(MESH_UNOPENED, line, "large", (name,), (megabytes,))
    if opened.fault:
        severity, hint = OF_READING[MESH_UNREADABLE]
        kind = MESH_UNREADABLE._replace(severity=severity, hint=hint)
        yield found(kind, line, opened.fault, (name, *_reason(opened)))
    for note in opened.notes:
        if (note.kind.name, note.sentence) in NOTES_OF_FILES:
            kind = note.kind._replace(severity=WARNING)
            yield LintFinding(note._replace(kind=kind, line=line, place=name))


def _reason(opened: OpenedMesh) -> Tuple[str, ...]:
    """Return the words of the reader about a fault, with the line of the mesh file; () if its sentence has none."""
    if opened.fault not in EXPLAINED:
        return ()
    where = f"line {opened.line}: " if opened.line else ""
    return (f"{where}{opened.reason}",)
