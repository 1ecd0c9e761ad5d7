"""The collisions of a run: the paths of its meshes, and the report on the shapes that were made."""

from __future__ import annotations

import os
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Callable, Optional

from ..apply.apply_plan_passes import note_in_front
from ..base.errors import UsageError
from ..base.number_text import count_of
from ..collision.change_collisions import (
    change_collisions,
    CollisionChange,
    CollisionMeshFolder,
    shape_rows,
    summary_of,
)
from ..collision.decide_pairs import new_contacts
from ..collision.convex_pieces import body_of_file
from ..collision.collision_settings import CollisionSettings, rules_of
from ..collision.collision_shapes import MeshWithHull
from ..collision.collision_texts import list_text
from ..formats.urdf.read_urdf import read_urdf_document
from ..meshing.mesh_converter import mesh_context, MeshMakingSettings
from ..run.run_records import ExtensionRequest, Result
from ..urdf.lossless_xml import parse_document
from ..urdf.urdf_notes import (
    Decision,
    decision_text,
    DECISIONS,
    DECISIONS_TITLE,
    LOST,
    note_of_words,
    words_of_note,
)
from .shared_run_values import mesh_table, reference_of_run, with_text
from .parallel_calls import call_in_processes
from .export_request import ExportRequest, request_of

# The labels of differences about collisions: the first words of shapes, and of their surfaces.
OF_COLLISIONS = ("collision", "surface")
# The fields of a shape by which a replaced collision is found; its path does not count, as it is temporary now.
OF_SHAPE = attrgetter("role", "geometry", "sizes", "T_link_shape", "name", "file")


def with_collisions(asked: ExtensionRequest, result: Result, making: MeshMakingSettings) -> Result:
    """Return the result of a run with other collisions, and the report on them.

    Raises:
        UrdfError: the options cannot be used with this robot.
        ProofFailed: a shape does not contain the mesh it replaces; a fault of this tool.
    """
    request = request_of(asked, result)
    path_of = mesh_table(request).source_of
    rules = rules_of(asked.choices)
    _verify_options(asked, result, rules)
    folders = _mesh_folder(asked, result, making, path_of)
    try:
        changed = change_collisions(result.after, rules, folders)
    except UsageError as error:
        raise UsageError(error.message, error.path or asked.path, 0) from None
    # Contacts are computed from the files as written, not from the hulls in memory.
    staged = {file.name: file.source for file in changed.files}

    def body_before(name: str) -> Optional[MeshWithHull]:
        """Return the mesh of a name of the input."""
        return changed.bodies.get(path_of(name) or "")

    def body_after(name: str) -> Optional[MeshWithHull]:
        """Return the mesh of a name of the result."""
        if name not in staged:
            return body_before(name)
        return body_of_file(staged[name])

    changed_result = _with(request, changed._replace(data=_noted(request, changed.data)))
    exported = changed_result.exported
    warnings = [*exported.warnings]
    if asked.exports:
        for note in new_contacts(result.after, changed_result.after, body_before, body_after):
            warnings.append(note._replace(line=request.line_of("link", note.names[0])))
    outputs = [*exported.files]
    spheres = asked.choices["spheres"]
    if spheres:
        outputs.append((spheres, list_text(changed_result.after, spheres)))
    exported = exported._replace(files=tuple(outputs), warnings=tuple(warnings))
    return changed_result._replace(exported=exported)


def _verify_options(asked: ExtensionRequest, result: Result, rules: CollisionSettings) -> None:
    """Refuse options for a robot without meshes, and a list of spheres without spheres.

    Raises:
        UsageError: the option, with its cure.
    """
    if not any(shape.mesh for _, shape in result.after.shapes):
        raise UsageError(
            f"{asked.spelled('collision')}: the robot has no meshes, and its other "
            "shapes stay as they are",
            asked.path,
        )
    kinds = {rules.kind, *(kind for _, kind in rules.of_links)}
    if asked.choices["spheres"] and kinds.isdisjoint(("sphere", "spheres")):
        raise UsageError(
            f"{asked.spelled('spheres')} lists spheres: give {asked.spelled('collision')} spheres"
        )


def _mesh_folder(
    asked: ExtensionRequest,
    result: Result,
    making: MeshMakingSettings,
    path_of: Callable[[str], Optional[str]],
) -> CollisionMeshFolder:
    """Return the folder of new meshes, with the names that other files of the run have there."""
    context = mesh_context(result.plan, asked.path, asked.output, making)
    names = [os.path.basename(file.target) for file in result.plan.meshes.files]
    return CollisionMeshFolder(
        path_of=path_of,
        staging=making.staging_dir,
        target=context.target,
        prefix=context.prefix,
        shared=bool(result.plan.options.meshes.mesh_dir),
        used_names={os.path.splitext(name)[0].casefold() for name in names},
        progress=making.progress or (lambda name, faces: None),
        call_all=partial(call_in_processes, asked.choices["jobs"]),
    )


def _noted(request: ExportRequest, data: bytes) -> bytes:
    """Return the text of a result with a note of decisions that lists the links whose collisions were replaced."""
    document = parse_document(data, request.path)
    after = read_urdf_document(document)
    texts = list(words_of_note(document, DECISIONS))
    for old, new in zip(reference_of_run(request).links, after.links):
        if [*map(OF_SHAPE, old.shapes)] != [*map(OF_SHAPE, new.shapes)]:
            texts.append(decision_text(Decision(LOST, new.name, OF_COLLISIONS)))
    note_in_front(
        document,
        document.root,
        note_of_words(DECISIONS_TITLE, texts, document.newline, width=0),
        DECISIONS,
    )
    return document.to_bytes()


def _with(request: ExportRequest, changed: CollisionChange) -> Result:
    """Return a result with the changes: text, files, and notes."""
    result = with_text(request.result, changed.data, changed.files)
    sources = chain.from_iterable(shape.sources for shape in changed.shapes if not shape.stays)
    replaced = {source.offset for source in sources}
    changes = (f"{count_of(len(replaced), 'collision')} replaced",) if replaced else ()
    warnings = [*result.exported.warnings]
    for note in changed.notes:
        if note.line:
            note = note._replace(line=request.line_of("link", note.names[1]))
        warnings.append(note)
    exported = result.exported._replace(
        changes=changes,
        warnings=tuple(warnings),
        tables=((summary_of(changed), shape_rows(changed)),),
    )
    return result._replace(exported=exported)
