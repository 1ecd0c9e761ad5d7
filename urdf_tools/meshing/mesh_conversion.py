"""The conversion of the plan's mesh files, each once, and the names of the results: files, and materials of visuals."""

from __future__ import annotations

import os
from functools import partial
from itertools import chain
from math import isfinite
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ..base.type_aliases import Pair
from ..base.diagnostics import Diagnostic, Diagnostics, DiagnosticKind
from ..base.errors import BrokenMesh, UrdfError, UsageError
from ..base.file_reading import file_stamp
from ..base.run_diagnostics import MESH_CONTENT, MESH_NOT_FOUND, MESH_SIZE, MESH_UNREADABLE
from ..collada.collada_to_stl import size_notes
from ..collada.collada_document import read_dae
from ..collada.conversion_records import (
    COLLADA_ENDINGS,
    DaeConversionResult,
    MeshProgress,
    MeshPart,
    part_stems,
    ReductionRecord,
    rgba_text,
    SceneOptions,
)
from ..collada.collada_scene import unit_factor
from ..plan.plan_decisions import Plan
from ..plan.mesh_tasks import (
    ConvertedShape,
    GRAY,
    HOLD_COLORS,
    IMAGE,
    is_collada,
    JOINED_COLORS,
    lost_looks,
    FinishedFile,
    MeshJob,
    ReplacementMesh,
    ConversionTask,
)
from ..urdf.mesh_paths import decoded, has_kind, mesh_stem, safe_stem, unique_stem
from ..urdf.urdf_records import material_definitions, UrdfRobot, UrdfShape
from ..urdf.package_resolver import package_notices, resolve, with_missing_meshes_joined
from .mesh_converter import MeshFolders, MeshConverter, Outcome

Converted = List[Tuple[ConversionTask, DaeConversionResult]]
ReducedMeshes = Tuple[Tuple[MeshJob, ReductionRecord], ...]
MaterialText = Pair  # name and color; both "" for a collision
# A part of a converted mesh, by its number, and the visual's color if the part has no color of its own.
FileKey = Tuple[MeshJob, int, str]


def convert_tasks(plan: Plan, context: MeshFolders) -> Tuple[Converted, ReducedMeshes, Diagnostics]:
    """Convert the files of all tasks in file order; return the conversions, the reduced meshes, and the warnings.

    Raises:
        UrdfError: with `require_meshes`, a file cannot be found or read.
        ProofFailed: the written triangles differ from the triangles of a file.
    """
    warnings: Diagnostics = []
    tasks, conversions = context.making.converter.do_tasks(
        _found(plan, context, warnings), partial(_convert_all, context)
    )
    converted: Converted = []
    reduced = tuple(
        (job, conversion.reduced)
        for job, conversion in conversions.items()
        if isinstance(conversion, DaeConversionResult) and conversion.reduced
    )
    for task in tasks:
        outcome = conversions[task.job]
        if isinstance(outcome, UrdfError):
            warnings.append(_left(MESH_UNREADABLE, task.shape, str(outcome), plan))
        elif outcome.parts:
            converted.append((task, outcome))
    return converted, reduced, [*with_missing_meshes_joined(warnings)]


def _found(plan: Plan, context: MeshFolders, warnings: Diagnostics) -> List[ConversionTask]:
    """Return the tasks whose files exist and need a conversion, with the real paths of the files."""
    tasks: List[ConversionTask] = []
    for task in plan.mesh_tasks:
        file = resolve(task.shape.mesh, context.resolver)
        if file.path is None:
            warnings.append(_left(MESH_NOT_FOUND, task.shape, file.tried, plan))
            continue
        warnings += package_notices([file])
        path = os.path.realpath(file.path)
        # A file that this run made is still in the temporary folder.
        path = context.resolver.staged.get(path, path)
        if task.job.within or not context.making.converter.is_ready(path):
            tasks.append(task._replace(job=task.job._replace(path=path)))
    return tasks


def _left(kind: DiagnosticKind, shape: UrdfShape, reason: str, plan: Plan) -> Diagnostic:
    """Return the warning of a mesh that is not converted, or, with `require_meshes`, raise BrokenMesh."""
    warning = Diagnostic(kind, shape.source.line, "left", (shape.mesh, reason))
    if plan.options.meshes.require_meshes:
        raise BrokenMesh(warning.text, plan.robot.document.path, warning.line)
    return warning


def _convert_all(context: MeshFolders, jobs: List[MeshJob], start: int) -> Dict[MeshJob, Outcome]:
    """Convert all jobs; return for each its conversion or its error.

    The names of the files are numbered from `start`.
    """
    converter = context.making.converter
    calls = {job: f"mesh{number}" for number, job in enumerate(jobs, start)}
    return converter.convert_all(
        partial(outcome_of, converter, context.making.staging_dir),
        calls,
        context.making.progress or (lambda name, triangles: None),
    )


def outcome_of(
    converter: MeshConverter,
    staging_dir: str,
    call: Tuple[MeshJob, str],
    progress: Optional[MeshProgress] = None,
) -> Outcome:
    """Return the conversion of a file, or its error."""
    job, prefix = call
    try:
        conversion = converter.convert(job, staging_dir, prefix, progress)
    except UrdfError as error:
        return error
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror or error}", error.filename or staging_dir
        ) from None
    if not conversion.parts and not conversion.reduced:
        return BrokenMesh("; ".join(("draws no triangles", *map(str, conversion.notes))), job.path)
    return conversion._replace(
        parts=tuple(part._replace(stamp=file_stamp(part.file)) for part in conversion.parts),
        restated=_restated(job.path, converter),
    )


def _restated(path: str, converter: MeshConverter) -> str:
    """Return how the options place a mesh otherwise than its file does, "" if they do not."""
    scene = converter.options.dae.scene
    has_own_unit = scene._replace(up_axis=None) == SceneOptions()
    said = []
    # Only COLLADA has a unit.
    if not has_own_unit and path.lower().endswith(COLLADA_ENDINGS):
        document = read_dae(path, converter.rare())
        used = unit_factor(document, scene, [])
        if used != unit_factor(document, SceneOptions(), []):
            said.append(f"in units of {used:g} m")
    # Axes are as in the file without this option, and with `z`.
    if scene.up_axis in ("x", "y") and path.lower().endswith((*COLLADA_ENDINGS, *HOLD_COLORS)):
        said.append(f"with {scene.up_axis} up")
    return " ".join(said)


class MeshNaming:
    """The names of all files, and the materials of all visuals, in the order of the URDF.

    Attributes:
        files: all new files.
        warnings: warnings about their content.
        lost: the links whose visuals lost a part of their looks, each with a value of `LOST_LOOKS`.
        restated: the links whose meshes the options place otherwise than their files do, each with the words.
    """

    def __init__(self, plan: Plan, context: MeshFolders, converted: Converted) -> None:
        """Begin with the stems of files that keep their names, and the materials of the URDF."""
        self.plan = plan
        self.context = context
        self.form = context.making.converter.form
        going = {task.shape.source.offset for task, _ in converted}
        # New files get other stems than the meshes that stay; casefolded, because some file systems ignore case.
        self._taken = {
            mesh_stem(shape.mesh).casefold()
            for _, shape in plan.robot.shapes
            if shape.mesh
            and shape.source.offset not in going
            and (self.form.by_kind or not is_collada(shape))
        }
        self._materials = _known_materials(plan.robot)
        self._definitions = material_definitions(plan.robot)
        self._names: Dict[FileKey, str] = {}
        self._first: Dict[Tuple[MeshJob, int], str] = {}
        # Files without a color so far, because only collisions use them.
        self._uncolored: Dict[Tuple[MeshJob, int], str] = {}
        self.files: List[FinishedFile] = []
        self.warnings: Diagnostics = []
        self.lost: List[Pair] = []
        self.restated: List[Pair] = []

    def shapes(self, converted: Converted) -> Tuple[ConvertedShape, ...]:
        """Return the converted shapes of tasks."""
        return tuple(self._shape(task, made) for task, made in converted)

    def _shape(self, task: ConversionTask, conversion: DaeConversionResult) -> ConvertedShape:
        """Return a shape with the names of its files, and its materials."""
        shape, link, job = task
        materials = [
            _material_for(shape, link, number, part, self._materials)
            for number, part in enumerate(conversion.parts, start=1)
        ]
        names = self._files_of(shape, job, conversion, materials)
        parts = []
        for name, (material, rgba), part in zip(names, materials, conversion.parts):
            in_file = shape.kind == "visual" and name.endswith(HOLD_COLORS)
            # A color that the file contains is not written into the URDF too.
            in_urdf = "" if in_file else material
            is_colored = part.rgba is not None or part.is_partly_colored
            parts.append(
                ReplacementMesh(
                    filename=self.context.prefix + name,
                    material=in_urdf,
                    rgba=rgba,
                    has_own_colors=in_file and is_colored,
                )
            )
        if shape.kind == "visual":
            self.lost += [(link, word) for word in self._lost_of(shape, job, conversion, parts)]
        if conversion.restated:
            self.restated.append((link, conversion.restated))
        return ConvertedShape(shape=shape, link=link, parts=tuple(parts), made=conversion.parts)

    def _lost_of(
        self,
        shape: UrdfShape,
        job: MeshJob,
        conversion: DaeConversionResult,
        parts: Sequence[ReplacementMesh],
    ) -> Iterator[str]:
        """Yield the losses in the looks of a visual, as values of `LOST_LOOKS`."""
        lost = [*_lost_of_mesh(job.path, conversion, parts)]
        material = shape.source.find("material")
        name = (material.get("name") or "") if material is not None else ""
        materials = [each for each in (material, self._definitions.get(name)) if each is not None]
        has_image = any(each.find("texture") is not None for each in materials)
        # The robot's image is lost together with its color, if the file has no color.
        if has_image and any(part.rgba is None for part in conversion.parts):
            lost.append(IMAGE)
        yield from dict.fromkeys(lost)

    def _files_of(
        self,
        shape: UrdfShape,
        job: MeshJob,
        conversion: DaeConversionResult,
        materials: Sequence[MaterialText],
    ) -> List[str]:
        """Return the names of the files of a job; files in new colors get new names."""
        keys: List[FileKey] = []
        for k, ((_, rgba), part) in enumerate(zip(materials, conversion.parts)):
            # A part without a color gets the visual's color, also in its file, so each color needs a file.
            is_colored_itself = part.rgba or part.file.endswith(".stl")
            lent = "" if is_colored_itself else rgba
            keys.append((job, k, lent))
        self._share_with_collisions(shape, keys)
        new_indices = [k for k, key in enumerate(keys) if key not in self._names]
        is_known = any(other_job == job for other_job, _, _ in self._names)
        notes = [note._replace(place=shape.mesh) for note in conversion.notes]
        for k, stem in zip(
            new_indices, self._stems(job, conversion, [conversion.parts[k] for k in new_indices])
        ):
            part = conversion.parts[k]
            name = self._names[keys[k]] = f"{stem}{os.path.splitext(part.file)[1]}"
            self._first.setdefault((job, k), name)
            if shape.kind == "collision":
                self._uncolored[job, k] = name
            self.files.append(
                FinishedFile(
                    source=part.file,
                    target=os.path.join(self.context.target, name),
                    part=part,
                    origin=job.path,
                    shared=bool(self.plan.options.meshes.mesh_dir),
                    name=self.context.prefix + name,
                )
            )
            notes += [note._replace(place=name) for note in _notes_of(part, shape)]
        self.warnings += [note._replace(line=shape.source.line) for note in notes if not is_known]
        return [self._names[key] for key in keys]

    def _share_with_collisions(self, shape: UrdfShape, keys: Sequence[FileKey]) -> None:
        """Let a collision use the file of a visual in any color, and the first visual the file of a collision."""
        for key in keys:
            job, number, _ = key
            if key in self._names:
                continue
            if shape.kind == "collision" and (job, number) in self._first:
                self._names[key] = self._first[job, number]
            elif shape.kind == "visual" and (job, number) in self._uncolored:
                self._names[key] = self._uncolored.pop((job, number))

    def _stems(
        self, job: MeshJob, conversion: DaeConversionResult, parts: Sequence[MeshPart]
    ) -> List[str]:
        """Return a new file stem for each part of a conversion: `base_JointGrey` for the gray part of `base.dae`.

        The visual error follows the name of the mesh, and a suffix comes last: `base_2mm_JointGrey_visual`.
        """
        stem = mesh_stem(job.path)
        # A mesh that an earlier run named by its kind gets the same name again.
        if job.suffix and has_kind(stem, job.suffix):
            stem = stem[: -len(f"_{job.suffix}")]
        stem = safe_stem(stem, "mesh")
        # Meshes of several errors may be in one folder, so a reduced mesh has the error in its name.
        if conversion.reduced and not conversion.reduced.why:
            stem = f"{stem}_{1e3 * self.plan.options.meshes.visual_error:.6g}mm"
        suffix = self._suffix_of(job, stem)
        if not suffix:
            return part_stems(parts, stem, self._taken)
        # With a suffix, only the whole name must be new; a number comes before the suffix.
        names = part_stems(parts, stem, set())
        return [unique_stem(name, self._taken, f"_{suffix}") for name in names]

    def _suffix_of(self, job: MeshJob, stem: str) -> str:
        """Return the end of the file names of a conversion: "collision" also if a visual has taken the stem; or ""."""
        if job.suffix or job.separate:
            return job.suffix
        # The collisions of a mesh are converted in a way of their own: `base_collision` says more than `base_2`.
        may_clash = self.plan.options.meshes.separate_dae_meshes or job.kind == "collision"
        return "collision" if may_clash and stem.casefold() in self._taken else ""


def _lost_of_mesh(
    path: str, conversion: DaeConversionResult, parts: Sequence[ReplacementMesh]
) -> Iterator[str]:
    """Yield the losses in the looks of a visual's mesh, as values of `LOST_LOOKS`."""
    notes = chain(conversion.notes, *(part.notes for part in conversion.parts))
    # The input does not show an image whose file is missing, so the result does not lose it.
    yield from lost_looks(note for note in notes if not _is_image_missing(path, note))
    # Joined colors are lost, unless the parts are shown in exactly the colors of the file.
    colors_in_file = {rgba_text(color) for color in conversion.joined}
    colors_shown = {part.rgba for part in parts}
    if colors_in_file and colors_in_file != colors_shown:
        yield JOINED_COLORS


def _is_image_missing(path: str, note: Diagnostic) -> bool:
    """Return True if a note is on a missing image of a COLLADA file: then nothing is lost."""
    if (note.kind, note.sentence) != (MESH_CONTENT, "image") or not path.lower().endswith(
        COLLADA_ENDINGS
    ):
        return False
    _, image, _ = note.names
    folder = os.path.dirname(path)
    return not any(os.path.isfile(os.path.join(folder, name)) for name in (image, decoded(image)))


def _notes_of(part: MeshPart, shape: UrdfShape) -> Iterator[Diagnostic]:
    """Yield the notes about a part of a mesh; notes on its size depend on the scale of the shape."""
    for note in part.notes:
        if note.kind is not MESH_SIZE or note.sentence == "no-unit":
            yield note
    yield from size_notes(part.bounds, shape.scale or (1.0, 1.0, 1.0))


def _known_materials(robot: UrdfRobot) -> Dict[str, str]:
    """Return the colors of the named materials in the URDF ("" if a name has none); a name means a single color."""
    colors = {
        str(element.get("name")): ""
        for element in robot.document.root.walk()
        if element.name == "material" and element.get("name")
    }
    for name, definition in material_definitions(robot).items():
        color = definition.find("color")
        colors[name] = (color.get("rgba") or "") if color is not None else ""
    return colors


def _material_for(
    shape: UrdfShape, link: str, number: int, part: MeshPart, colors: Dict[str, str]
) -> MaterialText:
    """Return name and color of the material for a part: its own color, else the visual's in the URDF, else gray."""
    material = shape.source.find("material")
    if shape.kind != "visual" or part.off and material is None and part.rgba is None:
        return "", ""  # a mesh of fewer triangles looks like its original
    name = (material.get("name") or "") if material is not None else ""
    color = material.find("color") if material is not None else None
    rgba = (color.get("rgba") or "") if color is not None else colors.get(name, "")
    if part.rgba is not None or not _is_rgba(rgba):
        name = ""
        rgba = rgba_text(part.rgba or GRAY)
    name = name or f"{link}_{safe_stem(part.material, f'part{number}')}_mat"
    candidate = name
    tries = 1
    # A material name means a single color, so each further color gets a numbered name.
    while colors.setdefault(candidate, rgba).split() != rgba.split():
        tries += 1
        candidate = f"{name}_{tries}"
    return candidate, rgba


def _is_rgba(text: str) -> bool:
    """Return True if a text is four finite numbers."""
    try:
        return [isfinite(float(word)) for word in text.split()] == [True] * 4
    except ValueError:
        return False
